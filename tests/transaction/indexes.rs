//! Kinds of index that only git can write: git writes them, and they survive every landing.
use crate::sandbox;

use sandbox::fault::with_fault;
use sandbox::{Sandbox, create, five, patch, remove, rename, same};

/// A kind of index, and the extensions that identify it.
struct Kind {
    name: &'static str,
    make: fn(&Sandbox),
    extensions: &'static [&'static [u8; 4]],
}

const KINDS: &[Kind] = &[
    Kind { name: "split", make: |s| drop(s.git(["update-index", "--split-index"])), extensions: &[b"link"] },
    Kind {
        name: "split by configuration",
        make: |s| {
            s.git(["config", "core.splitIndex", "true"]);
            s.git(["update-index", "--force-write-index"]);
        },
        extensions: &[b"link"],
    },
    Kind {
        name: "sparse",
        make: |s| {
            s.git(["config", "advice.sparseIndexExpanded", "false"]);
            s.git(["sparse-checkout", "set", "--sparse-index", "src", "docs"]);
        },
        extensions: &[b"sdir"],
    },
    Kind {
        name: "untracked cache",
        make: |s| {
            s.git(["update-index", "--untracked-cache"]);
            s.status();
        },
        extensions: &[b"UNTR"],
    },
    Kind {
        name: "file system monitor",
        make: |s| {
            let hook = s.root().join("monitor");
            s.script(&hook, "#!/bin/sh\nprintf 'token\\0/\\0'\n");
            s.git(["config", "core.fsmonitor", hook.to_str().unwrap()]);
            s.git(["update-index", "--fsmonitor"]);
            s.git(["status"]);
        },
        extensions: &[b"FSMN"],
    },
    Kind {
        name: "all at once, version 4",
        make: |s| {
            s.git(["update-index", "--index-version", "4"]);
            s.git(["update-index", "--untracked-cache"]);
            s.git(["update-index", "--split-index"]);
            s.status();
        },
        extensions: &[b"UNTR", b"link"],
    },
];

/// Creates a repository with such an index, and a directory that is one entry in a sparse index.
fn made(kind: &Kind) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("far/away/x", "one\n");
    sandbox.file("far/away/y", "why\n");
    sandbox.file("far/z", "zed\n");
    sandbox.commit("far");
    (kind.make)(&sandbox);
    assert!(has(&sandbox, kind), "{}: not made", kind.name);
    sandbox
}

fn has(sandbox: &Sandbox, kind: &Kind) -> bool {
    let index = sandbox.read(".git/index");
    kind.extensions.iter().all(|extension| index.windows(4).any(|four| four == **extension))
}

fn entries(sandbox: &Sandbox) -> String {
    sandbox.git(["ls-files", "-s", "-t"])
}

/// Returns the parts that several split indexes share.
fn shared(sandbox: &Sandbox) -> Vec<String> {
    sandbox.listing().into_keys().filter(|path| path.contains("sharedindex")).collect()
}

/// Returns edits also outside of the sparse checkout: a change, a new file, a removal and a move.
fn response() -> String {
    [
        five(),
        patch("far/away/x", "Change", "one\n", "two\n"),
        create("far/new", "Add", "new\n"),
        remove("far/away/y", "Drop"),
        rename("far/z", "far/deeper/z", "Move"),
    ]
    .concat()
}

#[test]
fn what_the_index_has_survives_a_landing() {
    for kind in KINDS {
        let sandbox = made(kind);
        sandbox.file("run.sh", "mine\n");
        sandbox.file("staged", "staged\n");
        sandbox.git(["add", "staged"]);
        sandbox.file("untracked", "mine\n");
        let before = sandbox.status();
        let parts = shared(&sandbox);
        let run = sandbox.apply(["-v"], &response());
        assert_eq!(run.code, Some(0), "{}: {}", kind.name, run.stderr);
        let run = run.says("git wrote the index");
        assert!(!run.stderr.contains("hint"), "{}: {}", kind.name, run.stderr);
        assert!(has(&sandbox, kind), "{}: lost", kind.name);
        assert_eq!(shared(&sandbox), parts, "{}", kind.name);
        // Git does not have to read the files first: the index already knows them.
        assert_eq!(sandbox.git(["diff-files", "--name-only"]), "run.sh", "{}", kind.name);
        assert_eq!(sandbox.status(), before, "{}", kind.name);
        assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), "11", "{}", kind.name);
        let sparse = kind.name == "sparse";
        assert_eq!(sandbox.exists("far"), !sparse, "{}", kind.name);
        assert_eq!(sandbox.git(["show", "HEAD:far/new"]), "new", "{}", kind.name);
        assert_eq!(sandbox.text("src/a.rs"), "fn a() {}\nfn beta() {}\nfn c() {}\n", "{}", kind.name);
        sandbox.git(["fsck", "--strict"]);
        // To write a sparse index, git always writes the trees of what is staged.
        if !sparse {
            sandbox.is_sound();
        }
        // The index is that of the commit, except for what the user has staged.
        sandbox.git(["rm", "-q", "--cached", "staged"]);
        assert_eq!(sandbox.git(["write-tree"]), sandbox.git(["rev-parse", "HEAD^{tree}"]), "{}", kind.name);
    }
}

#[test]
fn killed_or_failing_the_index_is_as_before_or_as_after() {
    let all = [
        "begun",
        "prepared",
        "index-locked",
        "file-placed",
        "index-prepared",
        "index-placed",
        "ref-prepared",
    ];
    for kind in KINDS {
        let sandbox = made(kind);
        let before = entries(&sandbox);
        sandbox.apply([""; 0], &five()).exits(0);
        let after = entries(&sandbox);
        for what in ["kill", "fail"] {
            for (fault, wanted) in all
                .iter()
                .map(|fault| (*fault, &before))
                .chain(["ref-moved", "orig-head-set", "reflog-written"].map(|fault| (fault, &after)))
            {
                let name = format!("{}: {what} at {fault}", kind.name);
                let sandbox = made(kind);
                let files = sandbox.listing();
                let run = with_fault(&sandbox, [""; 0], &format!("{fault}:{what}"));
                match what {
                    "kill" => assert_eq!(run.signal, Some(9), "{name}"),
                    _ => assert_ne!(run.code, None, "{name}"),
                }
                sandbox.run(["recover"]).exits(0);
                if wanted == &before {
                    let (mut files, mut found) = (files, sandbox.listing());
                    // To write a sparse index git writes the trees again, and then counts them as used. Its own pruning
                    // removes them later.
                    if kind.name == "sparse"
                        && !["begun", "prepared", "index-locked", "file-placed"].contains(&fault)
                    {
                        files.retain(|path, _| !path.starts_with(".git/objects/"));
                        found.retain(|path, _| !path.starts_with(".git/objects/"));
                    }
                    same(&name, &files, &found);
                }
                assert_eq!(&entries(&sandbox), wanted, "{name}");
                assert_eq!(sandbox.status(), "", "{name}");
                assert!(has(&sandbox, kind), "{name}");
                match kind.name {
                    "sparse" => drop(sandbox.git(["fsck", "--strict"])),
                    _ => sandbox.is_sound(),
                }
            }
        }
    }
}

#[test]
fn refusals_leave_such_an_index_as_it_was() {
    for kind in KINDS {
        let sandbox = made(kind);
        sandbox.file("README", "mine\n");
        let before = sandbox.listing();
        sandbox.apply([""; 0], &five()).exits(4).says("README has local changes");
        same(kind.name, &before, &sandbox.listing());
        sandbox.apply(["-n"], &five()).exits(4).says("README has local changes");
        same(kind.name, &before, &sandbox.listing());
        sandbox.git(["add", "README"]);
        sandbox.apply([""; 0], &five()).exits(4).says("README has staged changes");
    }
}

#[test]
fn an_attribute_file_of_the_response_counts_with_such_an_index() {
    for kind in KINDS {
        let sandbox = made(kind);
        let response =
            [create(".gitattributes", "w", "*.txt text eol=crlf\n"), create("src/new.txt", "w", "a\nb\n")];
        sandbox.apply([""; 0], &response.concat()).exits(0);
        assert_eq!(sandbox.text("src/new.txt"), "a\r\nb\r\n", "{}", kind.name);
        assert_eq!(sandbox.status(), "", "{}", kind.name);
    }
}

#[test]
fn a_new_file_outside_of_a_sparse_checkout_is_not_put_there() {
    for cone in [true, false] {
        for sparse_index in [true, false] {
            if sparse_index && !cone {
                continue;
            }
            let name = format!("cone: {cone}, sparse index: {sparse_index}");
            let sandbox = Sandbox::new();
            sandbox.git(["config", "advice.sparseIndexExpanded", "false"]);
            sandbox.file("far/x", "one\n");
            sandbox.commit("far");
            let kind = if cone { "--cone" } else { "--no-cone" };
            let index = if sparse_index { "--sparse-index" } else { "--no-sparse-index" };
            let pattern = if cone { "src" } else { "/src/" };
            sandbox.git(["sparse-checkout", "set", kind, index, pattern]);
            let response = [
                create("far/new", "w", "new\n"),
                create("far/below/new", "w", "new\n"),
                create("elsewhere/new", "w", "new\n"),
                create("src/new", "w", "new\n"),
                rename("src/a.rs", "far/a.rs", "w"),
            ];
            sandbox.apply([""; 0], &response.concat()).exits(0);
            assert!(sandbox.exists("src/new"), "{name}");
            assert!(!sandbox.exists("far") && !sandbox.exists("elsewhere"), "{name}");
            assert_eq!(sandbox.status(), "", "{name}");
            let skipped = sandbox.git(["ls-files", "-t", "far", "elsewhere"]);
            if sparse_index {
                let collapsed = sandbox.git(["ls-files", "--sparse", "far", "elsewhere"]);
                assert_eq!(collapsed, "elsewhere/\nfar/", "{name}");
            }
            assert_eq!(skipped, "S elsewhere/new\nS far/a.rs\nS far/below/new\nS far/new\nS far/x", "{name}");
            sandbox.is_sound();
            sandbox.git(["sparse-checkout", "disable"]);
            assert_eq!(sandbox.text("elsewhere/new"), "new\n", "{name}");
            assert_eq!(sandbox.status(), "", "{name}");
        }
    }
}

#[test]
fn names_in_the_index_are_not_taken_for_what_it_has() {
    let sandbox = Sandbox::new();
    sandbox.file("UNTR/link/sdir", "FSMN\n");
    sandbox.commit("odd");
    let run = sandbox.apply(["-v"], &five()).exits(0);
    assert!(!run.stderr.contains("git wrote"), "{}", run.stderr);
}

#[test]
fn an_index_says_what_git_would_make_it_say() {
    type Plain = (&'static str, fn(&Sandbox));
    let plain: &[Plain] = &[
        ("version 2", |_| ()),
        ("version 3", |s| {
            s.git(["update-index", "--skip-worktree", "run.sh"]);
            s.git(["update-index", "--assume-unchanged", "README"]);
        }),
        ("version 4", |s| drop(s.git(["update-index", "--index-version", "4"]))),
        ("for several threads", |s| {
            s.git(["config", "index.threads", "2"]);
            s.git(["config", "index.recordOffsetTable", "true"]);
            s.git(["config", "index.recordEndOfIndexEntries", "true"]);
            s.git(["update-index", "--force-write-index"]);
        }),
        ("without a checksum", |s| {
            s.git(["config", "index.skipHash", "true"]);
            s.git(["update-index", "--force-write-index"]);
        }),
        ("with a conflict that was resolved", |s| {
            s.git(["switch", "-q", "-c", "other"]);
            s.file("README", "other\n");
            s.commit("other");
            s.git(["switch", "-q", "main"]);
            s.file("README", "mine\n");
            s.commit("mine");
            assert!(!s.git_command(["merge", "other"]).output().unwrap().status.success());
            s.file("README", "both\n");
            s.commit("both");
        }),
    ];
    for (name, make) in plain {
        let sandbox = Sandbox::new();
        for path in ["far/away/x", "far/away/y", "far/z", "apart/a", "src-b", "src/deep/er/c"] {
            sandbox.file(path, if path.ends_with('x') { "one\n" } else { "zed\n" });
        }
        sandbox.commit("far");
        make(&sandbox);
        let run = sandbox.apply(["-v"], &response());
        assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
        assert_eq!(run.stderr.contains("git wrote"), *name == "version 4", "{name}: {}", run.stderr);
        assert_eq!(sandbox.git(["diff-files", "--name-only"]), "", "{name}");
        assert_eq!(sandbox.status(), "", "{name}");
        let index = sandbox.read(".git/index");
        // The trees of unchanged directories are still known; those of changed ones are not kept.
        let knows = |tree: &str| {
            let id: Vec<u8> = (0..tree.len() / 2)
                .map(|at| u8::from_str_radix(&tree[2 * at..2 * at + 2], 16).unwrap())
                .collect();
            index.windows(id.len()).any(|window| window == id)
        };
        if *name != "with a conflict that was resolved" {
            assert!(knows(&sandbox.git(["rev-parse", "HEAD:apart"])), "{name}");
            assert!(knows(&sandbox.git(["rev-parse", "HEAD:src/deep"])), "{name}");
        }
        for stale in ["HEAD~9:far", "HEAD~9:src", "HEAD~9^{tree}"] {
            assert!(!knows(&sandbox.git(["rev-parse", stale])), "{name}: {stale}");
        }
        assert_eq!(sandbox.git(["write-tree"]), sandbox.git(["rev-parse", "HEAD^{tree}"]), "{name}");
        let said = entries(&sandbox);
        sandbox.git(["read-tree", "HEAD"]);
        // Reading a tree loses these flags.
        let flags = if *name == "version 3" { said.replace("S 100755", "H 100755") } else { said };
        assert_eq!(flags, entries(&sandbox), "{name}");
        sandbox.git(["fsck", "--strict"]);
    }
}

#[test]
fn an_index_that_is_broken_is_refused() {
    for (at, name) in [(4, "version"), (30, "time"), (80, "name")] {
        let sandbox = Sandbox::new();
        let mut index = sandbox.read(".git/index");
        index[at] ^= 0x15;
        std::fs::write(sandbox.repo.join(".git/index"), &index).unwrap();
        let run = sandbox.apply([""; 0], &five());
        assert_eq!(run.code, Some(128), "{name}: {}", run.stderr);
        assert_eq!(sandbox.read(".git/index"), index, "{name}");
    }
}

#[test]
fn the_sides_of_a_conflict_stay_as_they_are() {
    let sandbox = Sandbox::new();
    sandbox.file("README", "stashed\n");
    sandbox.git(["stash", "-q"]);
    sandbox.file("README", "mine\n");
    sandbox.commit("mine");
    assert!(!sandbox.git_command(["stash", "pop", "-q"]).output().unwrap().status.success());
    let sides = sandbox.git(["ls-files", "-u"]);
    assert_eq!(sides.lines().count(), 3);
    let before = sandbox.status();
    let response = create("README.md", "w", "a\n") + &patch("src/a.rs", "w", "fn c() {}\n", "fn d() {}\n");
    let run = sandbox.apply(["-v"], &response).exits(0);
    assert!(!run.stderr.contains("git wrote"), "{}", run.stderr);
    assert_eq!(sandbox.git(["ls-files", "-u"]), sides);
    assert_eq!(sandbox.status(), before);
    sandbox.apply([""; 0], &patch("README", "w", "mine\n", "theirs\n")).exits(4);
    assert_eq!(sandbox.git(["ls-files", "-u"]), sides);
}

#[test]
fn so_it_is_in_other_kinds_of_repository() {
    sandbox::kinds::in_others(&[
        an_index_says_what_git_would_make_it_say,
        the_sides_of_a_conflict_stay_as_they_are,
        what_the_index_has_survives_a_landing,
        a_new_file_outside_of_a_sparse_checkout_is_not_put_there,
    ]);
}

#[test]
fn an_index_with_a_wrong_checksum_is_refused() {
    for copies in [1, 4] {
        let sandbox = Sandbox::unborn();
        sandbox.file("a.txt", "one\n");
        sandbox.commit("base");
        let mut tree = sandbox.git(["rev-parse", "HEAD^{tree}"]);
        for _ in 0..copies {
            // Ten times as many files, each below a long name, so that the index is large.
            let name = |n: usize| format!("{n}-{}", "and-so-on".repeat(5));
            let prefixes: Vec<String> = (0..10).map(|n| format!("--prefix={}/", name(n))).collect();
            sandbox.git(["read-tree", "--empty"]);
            prefixes.iter().for_each(|prefix| drop(sandbox.git(["read-tree", prefix, &tree])));
            tree = sandbox.git(["write-tree"]);
        }
        sandbox.git(["read-tree", "HEAD"]);
        sandbox.git(["read-tree", "--prefix=copies/", &tree]);
        let commit = sandbox.git(["commit-tree", "-m", "copies", &sandbox.git(["write-tree"])]);
        sandbox.git(["update-ref", "HEAD", &commit]);
        let index = sandbox.repo.join(".git/index");
        let mut bytes = std::fs::read(&index).unwrap();
        assert_eq!(bytes.len() > 1 << 20, copies > 1, "{}", bytes.len());
        let whole = bytes.clone();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&index, &bytes).unwrap();
        let before = sandbox.listing();
        let file = sandbox.response(&patch("a.txt", "Change", "one\n", "two\n"));
        sandbox.run([&file]).exits(128).says("checksum");
        same("refused", &before, &sandbox.listing());
        std::fs::write(&index, &whole).unwrap();
        sandbox.run([&file]).exits(0);
        assert_eq!(sandbox.text("a.txt"), "two\n");
        assert_eq!(sandbox.git(["diff", "--cached", "--name-only"]), "");
    }
}
