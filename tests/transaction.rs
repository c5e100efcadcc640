//! What lands, on real repositories with git as the judge; and that a refusal leaves nothing.
#![cfg(test)]

mod sandbox;

use sandbox::{Run, Sandbox, create, five, patch, remove, rename, replace, same};
use std::os::unix::fs::{PermissionsExt, symlink};

#[test]
fn five_operations_make_five_commits_with_the_whys_as_messages() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let run = sandbox.apply([""; 0], &five()).exits(0);
    assert_eq!(run.stderr, "");
    assert_eq!(
        sandbox.subjects(&format!("{base}..")),
        [
            "Rename b to beta.",
            "Add a module",
            "Greet the world",
            "Drop what nobody uses",
            "Move the numbers to the documents",
        ]
    );
    assert_eq!(sandbox.git(["log", "--format=%b", "-1", "HEAD~4"]), "It reads better so.");
    // The checkout, the index and the commit are one.
    assert_eq!(sandbox.status(), "");
    assert_eq!(
        sandbox.git(["ls-tree", "-r", "--name-only", "HEAD"]),
        "README\ndocs/new.txt\nrun.sh\nsrc/a.rs\nsrc/new/mod.rs"
    );
    assert_eq!(sandbox.text("src/a.rs"), "fn a() {}\nfn beta() {}\nfn c() {}\n");
    assert_eq!(sandbox.text("src/new/mod.rs"), "pub fn new() {}\n");
    assert_eq!(sandbox.text("README"), "hello world\n");
    assert_eq!(sandbox.text("docs/new.txt"), "one\ntwo\nthree\nfour\n");
    assert!(!sandbox.exists("gone.txt") && !sandbox.exists("old.txt"));
    // History follows the rename, and any one of the commits can be taken back.
    let followed = sandbox.git(["log", "--follow", "--format=%s", "--", "docs/new.txt"]);
    assert_eq!(followed, "Move the numbers to the documents\nbase");
    sandbox.git(["revert", "--no-edit", "HEAD~2"]);
    assert_eq!(sandbox.text("README"), "hello\n");
    assert_eq!(sandbox.text("src/a.rs"), "fn a() {}\nfn beta() {}\nfn c() {}\n");
    sandbox.is_sound();
}

#[test]
fn each_commit_holds_its_own_edit_only() {
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &five()).exits(0);
    let changed = |rev: &str| sandbox.git(["show", "--format=", "--name-status", "-M", rev]);
    assert_eq!(changed("HEAD~4"), "M\tsrc/a.rs");
    assert_eq!(changed("HEAD~3"), "A\tsrc/new/mod.rs");
    assert_eq!(changed("HEAD~2"), "M\tREADME");
    assert_eq!(changed("HEAD~1"), "D\tgone.txt");
    assert_eq!(changed("HEAD"), "R100\told.txt\tdocs/new.txt");
}

#[test]
fn the_reflog_and_orig_head_tell_what_happened() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    sandbox.apply([""; 0], &five()).exits(0);
    assert_eq!(sandbox.git(["rev-parse", "ORIG_HEAD"]), base);
    for log in ["HEAD", "main"] {
        let newest = sandbox.git(["reflog", "-1", "--format=%gs|%gn|%ge|%H", log]);
        let expected = format!(
            "llm-apply: 5 edits from response.txt|C O Mitter|committer@example.com|{}",
            sandbox.head()
        );
        assert_eq!(newest, expected, "{log}");
    }
    assert_eq!(sandbox.git(["rev-parse", "HEAD@{1}"]), base);
}

#[test]
fn the_same_response_again_has_nothing_to_do() {
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &five()).exits(0);
    let before = sandbox.listing();
    sandbox.apply([""; 0], &five()).exits(0).says("nothing to do");
    same("again", &before, &sandbox.listing());
}

#[test]
fn standard_input_is_read_for_a_dash_and_when_nothing_is_named() {
    use std::io::Write;
    use std::process::Stdio;
    for args in [&["-"][..], &[]] {
        let sandbox = Sandbox::new();
        let mut child = sandbox.command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(five().as_bytes()).unwrap();
        assert_eq!(Run::of(child.wait_with_output().unwrap()).code, Some(0));
        assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), "6");
    }
}

/// Refusals of every kind: a name, what prepares the repository, options, the response, exit status, and a word
/// that the message must have.
type Refusal = (&'static str, fn(&Sandbox), &'static [&'static str], String, i32, &'static str);

fn refusals() -> Vec<Refusal> {
    let nothing: fn(&Sandbox) = |_| {};
    let good = || create("fine.txt", "Good", "fine\n");
    let with = |bad: String| {
        format!("{}{bad}{}", good(), patch("src/a.rs", "Good too", "fn a() {}\n", "fn x() {}\n"))
    };
    let one = |path: &str| create(path, "Bad", "x\n");
    vec![
        ("not found", nothing, &[], with(patch("README", "w", "nowhere\n", "x\n")), 1, "search-not-found"),
        (
            "ambiguous",
            |s| {
                s.file("twice", "x\ny\nx\n");
                s.commit("twice");
            },
            &[],
            with(patch("twice", "w", "x\n", "z\n")),
            1,
            "search-ambiguous",
        ),
        ("missing file", nothing, &[], with(patch("nope", "w", "x\n", "z\n")), 1, "not-found"),
        ("remove what is not there", nothing, &[], with(remove("nope", "w")), 1, "not-found"),
        ("exists", nothing, &[], with(one("README")), 1, "already-exists"),
        ("move onto", nothing, &[], with(rename("old.txt", "README", "w")), 1, "already-exists"),
        ("outside", nothing, &[], with(one("../x")), 1, "path-invalid"),
        ("absolute", nothing, &[], with(one("/etc/passwd")), 1, "path-invalid"),
        ("git directory", nothing, &[], with(one(".git/config")), 1, "path-invalid"),
        (
            "git directory by another name",
            nothing,
            &[],
            with(one("a/.GIT/hooks/post-commit")),
            1,
            "path-invalid",
        ),
        ("short name", nothing, &[], with(one("git~1/config")), 1, "path-invalid"),
        ("case", nothing, &[], with(one("readme")), 1, "path-case"),
        (
            "through a link",
            |s| {
                symlink("src", s.repo.join("link")).unwrap();
                s.commit("link");
            },
            &[],
            with(one("link/x")),
            1,
            "path-blocked",
        ),
        (
            "a link itself",
            |s| {
                symlink("README", s.repo.join("link")).unwrap();
                s.commit("link");
            },
            &[],
            with(replace("link", "w", "x\n")),
            1,
            "not-editable",
        ),
        ("through a file", nothing, &[], with(one("README/x")), 1, "path-blocked"),
        ("a directory", nothing, &[], with(remove("src", "w")), 1, "not-editable"),
        (
            "binary",
            |s| {
                s.file("bin", b"a\0b\n");
                s.commit("bin");
            },
            &[],
            with(patch("bin", "w", "b\n", "c\n")),
            1,
            "not-editable",
        ),
        ("sensitive", nothing, &[], with(one(".husky/pre-commit")), 1, "path-sensitive"),
        ("modules", nothing, &[], with(one(".gitmodules")), 1, "path-sensitive"),
        (
            "sensitive by configuration",
            |s| {
                s.git(["config", "llmapply.sensitive", "*.sh"]);
            },
            &[],
            with(replace("run.sh", "w", "x\n")),
            1,
            "path-sensitive",
        ),
        (
            "a hooks path in the checkout",
            |s| {
                s.git(["config", "core.hooksPath", "my/hooks"]);
            },
            &[],
            with(one("my/hooks/pre-push")),
            1,
            "path-sensitive",
        ),
        ("exclude", nothing, &["--exclude", "README"], with(replace("README", "w", "x\n")), 1, "policy"),
        ("include", nothing, &["--include", "src"], with(replace("README", "w", "x\n")), 1, "policy"),
        ("no delete", nothing, &["--no-allow-delete"], with(remove("gone.txt", "w")), 1, "policy"),
        ("half open", nothing, &[], good() + "<edit file=\"x\" op=\"new\">\n<put>\n<<<\nx\n", 1, "truncated"),
        ("unknown operation", nothing, &[], with("<edit file=\"x\" op=\"explode\" />\n".into()), 1, "op"),
        ("no edits", nothing, &[], "Just prose, sorry.\n".into(), 5, "no edits found"),
        (
            "local change",
            |s| s.file("src/a.rs", "fn a() {}\nfn mine() {}\n"),
            &[],
            with(String::new()),
            4,
            "src/a.rs has local changes",
        ),
        (
            "staged change",
            |s| {
                s.file("src/a.rs", "fn a() {}\nfn mine() {}\n");
                s.git(["add", "src/a.rs"]);
            },
            &[],
            with(String::new()),
            4,
            "staged",
        ),
        (
            "deleted",
            |s| std::fs::remove_file(s.repo.join("src/a.rs")).unwrap(),
            &[],
            with(String::new()),
            4,
            "was removed",
        ),
        (
            "mode changed",
            |s| std::fs::set_permissions(s.repo.join("src/a.rs"), PermissionsExt::from_mode(0o755)).unwrap(),
            &[],
            with(String::new()),
            4,
            "local changes",
        ),
        ("untracked", |s| s.file("fine.txt", "mine\n"), &[], with(String::new()), 4, "does not track"),
        (
            "ignored",
            |s| {
                s.file(".gitignore", "fine.txt\n");
                s.commit("ignore");
                s.file("fine.txt", "mine\n");
            },
            &[],
            with(String::new()),
            4,
            "does not track",
        ),
        (
            "intended to add",
            |s| {
                s.file("fine.txt", "mine\n");
                s.git(["add", "-N", "fine.txt"]);
            },
            &[],
            with(String::new()),
            4,
            "staged",
        ),
        (
            "a directory where a file is to come",
            |s| s.file("fine.txt/x", "mine\n"),
            &[],
            with(String::new()),
            4,
            "does not track",
        ),
        (
            "a link on the disk",
            |s| {
                std::fs::remove_file(s.repo.join("src/a.rs")).unwrap();
                symlink("../README", s.repo.join("src/a.rs")).unwrap();
            },
            &[],
            with(String::new()),
            4,
            "src/a.rs",
        ),
        (
            "a linked directory on the disk",
            |s| {
                std::fs::create_dir(s.repo.join("../outside")).unwrap();
                symlink("../outside", s.repo.join("new")).unwrap();
            },
            &[],
            with(one("new/x")),
            4,
            "symbolic link",
        ),
        (
            "a repository inside, on the disk",
            |s| {
                s.git(["init", "-q", "inner"]);
            },
            &[],
            with(one("inner/x")),
            4,
            "another repository",
        ),
        (
            "merge in progress",
            |s| {
                s.git(["checkout", "-qb", "other", "HEAD"]);
                s.file("other", "x\n");
                s.commit("other");
                s.git(["checkout", "-q", "main"]);
                s.git(["merge", "-q", "--no-ff", "--no-commit", "other"]);
            },
            &[],
            with(String::new()),
            4,
            "git merge is in progress",
        ),
        (
            "bisect in progress",
            |s| {
                s.git(["bisect", "start"]);
            },
            &[],
            with(String::new()),
            4,
            "git bisect is in progress",
        ),
        ("index locked", |s| s.file(".git/index.lock", ""), &[], with(String::new()), 4, "index.lock"),
        (
            "branch locked",
            |s| s.file(".git/refs/heads/main.lock", ""),
            &[],
            with(String::new()),
            4,
            "main.lock",
        ),
        ("HEAD locked", |s| s.file(".git/HEAD.lock", ""), &[], with(String::new()), 4, "HEAD.lock"),
        (
            "checked out elsewhere",
            |s| {
                s.git(["worktree", "add", "-q", "../elsewhere", "-b", "busy"]);
            },
            &["-b", "busy"],
            with(String::new()),
            4,
            "checked out in",
        ),
        (
            "branch below a branch",
            |s| {
                s.git(["branch", "a"]);
            },
            &["-b", "a/b"],
            with(String::new()),
            128,
            "refs/heads/a exists",
        ),
        (
            "branch above a branch",
            |s| {
                s.git(["branch", "a/b"]);
            },
            &["-b", "a"],
            with(String::new()),
            128,
            "refs/heads/a/b exists",
        ),
        ("bad branch name", nothing, &["-b", "a..b"], with(String::new()), 128, "not a valid branch name"),
        ("bad revision", nothing, &["--base", "nowhere"], with(String::new()), 128, "not a commit"),
        (
            "moved base",
            |s| {
                s.commit("two");
            },
            &["--base", "HEAD~1"],
            with(String::new()),
            128,
            "has moved on",
        ),
        (
            "hook",
            |s| s.script(&s.repo.join(".git/hooks/pre-commit"), "#!/bin/sh\n"),
            &[],
            with(String::new()),
            128,
            "pre-commit hook",
        ),
        (
            "own hook",
            |s| s.script(&s.repo.join(".git/hooks/post-llm-apply"), "#!/bin/sh\n"),
            &[],
            with(String::new()),
            128,
            "post-llm-apply hook",
        ),
        (
            "signing",
            |s| {
                s.git(["config", "commit.gpgSign", "true"]);
            },
            &[],
            with(String::new()),
            128,
            "signed",
        ),
        (
            "filter",
            |s| {
                s.git(["config", "filter.up.clean", "cat"]);
                s.file(".gitattributes", "*.rs filter=up\n");
                s.commit("filter");
            },
            &[],
            with(String::new()),
            128,
            "filter=up",
        ),
        (
            "encoding",
            |s| {
                s.file(".gitattributes", "u16 working-tree-encoding=UTF-16LE\n");
                s.file("u16", "x\0\n\0");
                s.commit("encoding");
            },
            &[],
            with(patch("u16", "w", "x\n", "y\n")),
            128,
            "working-tree-encoding",
        ),
        (
            "split index",
            |s| {
                s.git(["update-index", "--split-index"]);
            },
            &[],
            with(String::new()),
            128,
            "the index is split",
        ),
        (
            "sparse index",
            |s| {
                s.git(["sparse-checkout", "set", "--sparse-index", "docs"]);
            },
            &[],
            with(String::new()),
            128,
            "the index is sparse",
        ),
        (
            "bad configuration",
            |s| {
                s.git(["config", "llmapply.commit", "hourly"]);
            },
            &[],
            with(String::new()),
            128,
            "bad value 'hourly' for 'llmapply.commit'",
        ),
        (
            "not text",
            nothing,
            &[],
            "x\n\u{0}".repeat(3) + &with(patch("README", "w", "no\n", "x\n")),
            1,
            "search-not-found",
        ),
        ("unknown option", nothing, &["--frobnicate"], with(String::new()), 129, "--frobnicate"),
        ("bad choice", nothing, &["--commit", "hourly"], with(String::new()), 129, "hourly"),
    ]
}

#[test]
fn every_refusal_leaves_the_repository_as_it_was_to_the_byte() {
    for (name, prepare, options, response, code, word) in refusals() {
        let sandbox = Sandbox::new();
        prepare(&sandbox);
        for dry in [false, true] {
            let before = sandbox.listing();
            let mut options = options.to_vec();
            if dry {
                options.push("-n");
            }
            let run = sandbox.apply(options, &response);
            // A dry run prepares nothing, so it does not meet the branch's own lock or name.
            if dry
                && ["branch locked", "HEAD locked", "branch below a branch", "branch above a branch"]
                    .contains(&name)
            {
                same(name, &before, &sandbox.listing());
                continue;
            }
            let all = format!("{}{}", run.stdout, run.stderr);
            assert_eq!(run.code, Some(code), "{name} (dry: {dry}): {all}");
            assert!(all.contains(word), "{name}: no {word:?} in {all}");
            same(name, &before, &sandbox.listing());
        }
    }
}

#[test]
fn a_refusal_names_every_bad_edit_and_those_that_are_fine() {
    let sandbox = Sandbox::new();
    let response = [
        patch("README", "w", "nowhere\n", "x\n"),
        create("fine", "w", "x\n"),
        patch("src/a.rs", "w", "nowhere\n", "x\n"),
    ];
    let run = sandbox.apply([""; 0], &response.concat()).exits(1);
    assert!(run.stdout.is_empty());
    assert!(
        run.stderr.contains("edit 1, README") && run.stderr.contains("edit 3, src/a.rs"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("refused: 2 of 3 edits (2 would be fine); nothing was changed"),
        "{}",
        run.stderr
    );
}

#[test]
fn unrelated_changes_stay_as_they_are() {
    let sandbox = Sandbox::new();
    sandbox.file("run.sh", "mine\n");
    sandbox.file("staged", "staged\n");
    sandbox.git(["add", "staged"]);
    sandbox.file("untracked", "mine\n");
    sandbox.file(".gitignore", "ignored\n");
    sandbox.file("ignored", "mine\n");
    let before = sandbox.status();
    sandbox.apply([""; 0], &five()).exits(0);
    assert_eq!(sandbox.status(), before);
    assert_eq!(sandbox.text("run.sh"), "mine\n");
    sandbox.git(["fsck", "--strict"]);
}

#[test]
fn a_touched_file_of_which_only_the_time_changed_is_not_in_the_way() {
    let sandbox = Sandbox::new();
    let text = sandbox.text("src/a.rs");
    std::thread::sleep(std::time::Duration::from_millis(20));
    sandbox.file("src/a.rs", text);
    sandbox.apply([""; 0], &five()).exits(0);
    assert_eq!(sandbox.status(), "");
}

#[test]
fn modes_line_endings_marks_and_missing_newlines_are_kept() {
    let sandbox = Sandbox::new();
    sandbox.file("crlf", "a\r\nb\r\nc");
    sandbox.file("bom", "\u{feff}a\nb\n");
    sandbox.commit("more");
    let response = [
        patch("run.sh", "w", "echo 1\n", "echo 2\n"),
        patch("crlf", "w", "a\n", "x\ny\n"),
        patch("bom", "w", "b\n", "z\n"),
        rename("run.sh", "bin/run", "w"),
    ];
    sandbox.apply([""; 0], &response.concat()).exits(0);
    assert_eq!(sandbox.text("crlf"), "x\r\ny\r\nb\r\nc");
    assert_eq!(sandbox.text("bom"), "\u{feff}a\nz\n");
    assert_eq!(sandbox.text("bin/run"), "#!/bin/sh\necho 2\n");
    assert!(sandbox.git(["ls-tree", "HEAD", "bin/run"]).starts_with("100755"));
    assert_eq!(sandbox.repo.join("bin/run").metadata().unwrap().permissions().mode() & 0o111, 0o111);
    assert_eq!(sandbox.status(), "");
}

#[test]
fn the_checkout_gets_what_git_would_check_out() {
    // Every setting that decides over line endings, with git's own checkout as the judge.
    let settings: &[(&str, &[&str])] = &[
        ("", &["core.autocrlf=true"]),
        ("", &["core.autocrlf=input"]),
        ("* text=auto\n", &["core.eol=crlf"]),
        ("* text=auto eol=crlf\n", &[]),
        ("*.txt eol=crlf\n", &[]),
        ("*.txt text\n", &["core.autocrlf=true"]),
        ("* -text\n", &["core.autocrlf=true"]),
        ("*.txt binary\n", &["core.autocrlf=true"]),
        ("*.txt crlf=input\n", &["core.autocrlf=true"]),
        ("*.txt text=auto eol=lf\n", &["core.autocrlf=true"]),
        ("*.txt crlf\n", &["core.eol=crlf"]),
    ];
    for (attributes, configuration) in settings {
        for tracked in [true, false] {
            let sandbox = Sandbox::new();
            for setting in *configuration {
                let (key, value) = setting.split_once('=').unwrap();
                sandbox.git(["config", key, value]);
            }
            sandbox.file(if tracked { ".gitattributes" } else { ".git/info/attributes" }, attributes);
            sandbox.file("plain.txt", "one\ntwo\n");
            sandbox.file("mixed.txt", "one\r\ntwo\nthree\n");
            sandbox.git(["-c", "core.safecrlf=false", "add", "-A"]);
            sandbox.git(["commit", "-qm", "more"]);
            // As a fresh clone would have it.
            for path in ["plain.txt", "mixed.txt", "src/a.rs"] {
                std::fs::remove_file(sandbox.repo.join(path)).unwrap();
            }
            sandbox.git(["checkout", "-q", "--", "."]);
            let response = [
                patch("plain.txt", "w", "two\n", "2\n"),
                patch("mixed.txt", "w", "three\n", "3\n"),
                create("new.txt", "w", "a\nb\n"),
            ];
            sandbox.apply([""; 0], &response.concat()).exits(0);
            let ours: Vec<_> = ["plain.txt", "mixed.txt", "new.txt"].map(|path| sandbox.read(path)).into();
            let name = format!("{attributes:?} {configuration:?} tracked: {tracked}");
            assert_eq!(sandbox.status(), "", "{name}");
            for path in ["plain.txt", "mixed.txt", "new.txt"] {
                std::fs::remove_file(sandbox.repo.join(path)).unwrap();
            }
            sandbox.git(["checkout", "-q", "--", "."]);
            let gits: Vec<_> = ["plain.txt", "mixed.txt", "new.txt"].map(|path| sandbox.read(path)).into();
            assert_eq!(ours, gits, "{name}");
        }
    }
}

#[test]
fn an_attribute_file_of_the_response_counts_already() {
    let sandbox = Sandbox::new();
    let response = [create(".gitattributes", "w", "*.txt text eol=crlf\n"), create("new.txt", "w", "a\nb\n")];
    sandbox.apply([""; 0], &response.concat()).exits(0);
    assert_eq!(sandbox.text("new.txt"), "a\r\nb\r\n");
    assert_eq!(sandbox.status(), "");
}

#[test]
fn a_branch_that_is_not_checked_out_moves_alone() {
    let sandbox = Sandbox::new();
    sandbox.git(["branch", "other"]);
    sandbox.file("src/a.rs", "local changes do not matter here\n");
    let before = sandbox.listing();
    sandbox.apply(["-b", "other"], &five()).exits(0);
    let after = sandbox.listing();
    assert_eq!(sandbox.git(["rev-list", "--count", "main..other"]), "5");
    let files = |listing: &sandbox::Listing| {
        let mut files = listing.clone();
        files.retain(|path, _| !path.starts_with(".git/objects/") && !path.contains("heads/other"));
        files
    };
    same("the rest", &files(&before), &files(&after));
    assert_eq!(
        sandbox.git(["reflog", "-1", "--format=%gs", "other"]),
        "llm-apply: 5 edits from response.txt"
    );
    sandbox.is_sound();
}

#[test]
fn a_missing_branch_is_made_from_base_or_from_head() {
    let sandbox = Sandbox::new();
    let first = sandbox.head();
    sandbox.file("later", "x\n");
    let second = sandbox.commit("later");
    sandbox.apply(["-b", "try/one"], &five()).exits(0).says("try/one: new");
    assert_eq!(sandbox.git(["rev-parse", "try/one~5"]), second);
    sandbox.apply(["-b", "try/two", "--base", &first], &five()).exits(0);
    assert_eq!(sandbox.git(["rev-parse", "try/two~5"]), first);
    assert_eq!(sandbox.head(), second);
    assert_eq!(sandbox.status(), "");
    // Its own name is the same as none.
    sandbox.apply(["-b", "main"], &five()).exits(0);
    assert_eq!(sandbox.text("README"), "hello world\n");
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
}

#[test]
fn a_bare_repository_is_served() {
    let sandbox = Sandbox::new();
    let bare = sandbox.root().join("bare.git");
    sandbox.git(["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let here = bare.to_str().unwrap();
    sandbox.apply(["-C", here, "-b", "try"], &five()).exits(0);
    assert_eq!(sandbox.git(["-C", here, "rev-list", "--count", "main..try"]), "5");
    // Without -b HEAD's branch is meant.
    sandbox.apply(["-C", here], &five()).exits(0);
    assert_eq!(
        sandbox.git(["-C", here, "rev-parse", "main^{tree}"]),
        sandbox.git(["-C", here, "rev-parse", "try^{tree}"])
    );
    sandbox.git(["-C", here, "fsck", "--strict"]);
    assert!(sandbox::listing(&bare).keys().all(|path| !path.contains("llm-apply")));
}

#[test]
fn a_detached_head_moves_by_itself() {
    let sandbox = Sandbox::new();
    sandbox.git(["checkout", "-q", "--detach"]);
    let main = sandbox.git(["rev-parse", "main"]);
    sandbox.apply([""; 0], &five()).exits(0);
    assert_eq!(sandbox.git(["rev-list", "--count", "main..HEAD"]), "5");
    assert_eq!(sandbox.git(["rev-parse", "main"]), main);
    assert_eq!(sandbox.status(), "");
    assert_eq!(sandbox.git(["reflog", "-1", "--format=%gs", "HEAD"]), "llm-apply: 5 edits from response.txt");
    sandbox.is_sound();
}

#[test]
fn an_unborn_branch_is_born() {
    let sandbox = Sandbox::unborn();
    sandbox.file("mine", "x\n");
    sandbox.git(["add", "mine"]);
    sandbox
        .apply([""; 0], &(create("a/b", "Begin", "one\n") + &patch("a/b", "Go on", "one\n", "two\n")))
        .exits(0);
    assert_eq!(sandbox.subjects("main"), ["Begin", "Go on"]);
    assert_eq!(sandbox.git(["ls-tree", "-r", "--name-only", "HEAD"]), "a/b");
    assert_eq!(sandbox.status(), "A  mine");
    sandbox.git(["fsck", "--strict"]);
    // Another branch of an unborn repository.
    let sandbox = Sandbox::unborn();
    sandbox.apply(["-b", "side"], &create("a", "Begin", "one\n")).exits(0);
    assert_eq!(sandbox.subjects("side"), ["Begin"]);
    assert_eq!(sandbox.status(), "");
}

#[test]
fn a_linked_worktree_is_served_and_its_neighbours_left_alone() {
    let sandbox = Sandbox::new();
    let linked = sandbox.root().join("linked");
    sandbox.git(["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let here = linked.to_str().unwrap();
    let before = sandbox.git(["status", "--porcelain"]);
    sandbox.apply(["-C", here], &five()).exits(0);
    assert_eq!(std::fs::read_to_string(linked.join("README")).unwrap(), "hello world\n");
    assert_eq!(sandbox.git(["-C", here, "status", "--porcelain"]), "");
    assert_eq!(sandbox.git(["-C", here, "rev-parse", "ORIG_HEAD"]), sandbox.head());
    assert_eq!(sandbox.git(["status", "--porcelain"]), before);
    assert_eq!(sandbox.text("README"), "hello\n");
    assert_eq!(sandbox.git(["worktree", "list"]).lines().count(), 2);
    // main is checked out in the main worktree.
    sandbox.apply(["-C", here, "-b", "main"], &five()).exits(4).says("checked out in");
    sandbox.is_sound();
}

#[test]
fn a_submodule_is_served_from_inside_and_not_written_into_from_outside() {
    let sandbox = Sandbox::new();
    let inner = Sandbox::new();
    let url = inner.repo.to_str().unwrap();
    sandbox.git(["-c", "protocol.file.allow=always", "submodule", "add", "-q", url, "sub"]);
    sandbox.commit("sub");
    let before = sandbox.listing();
    sandbox.apply([""; 0], &create("sub/x", "w", "x\n")).exits(1).says("path-blocked");
    sandbox.apply([""; 0], &remove("sub", "w")).exits(4).says("submodule");
    same("from outside", &before, &sandbox.listing());
    sandbox.apply(["-C", "sub"], &five()).exits(0);
    assert_eq!(sandbox.text("sub/README"), "hello world\n");
    assert_eq!(sandbox.git(["-C", "sub", "status", "--porcelain"]), "");
}

#[test]
fn a_subdirectory_is_as_good_as_the_top() {
    let sandbox = Sandbox::new();
    sandbox.apply(["-C", "src"], &five()).exits(0);
    assert_eq!(sandbox.status(), "");
    assert_eq!(sandbox.text("README"), "hello world\n");
}

#[test]
fn a_sparse_checkout_keeps_its_shape() {
    let sandbox = Sandbox::new();
    sandbox.file("docs/x", "one\n");
    sandbox.commit("docs");
    sandbox.git(["sparse-checkout", "set", "src"]);
    assert!(!sandbox.exists("docs/x"));
    sandbox
        .apply(
            [""; 0],
            &(patch("docs/x", "w", "one\n", "two\n") + &patch("src/a.rs", "w", "fn a() {}\n", "fn x() {}\n")),
        )
        .exits(0);
    assert!(!sandbox.exists("docs/x"));
    assert_eq!(sandbox.git(["show", "HEAD:docs/x"]), "two");
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
}

#[test]
fn other_kinds_of_repositories_are_served() {
    type Kind = (&'static str, fn(&Sandbox));
    let kinds: &[Kind] = &[
        ("index version 4", |s| {
            s.git(["update-index", "--index-version", "4"]);
        }),
        ("untracked cache", |s| {
            s.git(["update-index", "--untracked-cache"]);
        }),
        ("packed references", |s| {
            s.git(["pack-refs", "--all"]);
        }),
        ("all packed", |s| {
            s.git(["gc", "-q"]);
        }),
        ("multi-pack index", |s| {
            s.git(["gc", "-q"]);
            s.git(["multi-pack-index", "write"]);
            s.git(["commit-graph", "write"]);
        }),
        ("worktree configuration", |s| {
            s.git(["config", "extensions.worktreeConfig", "true"]);
        }),
        ("case is ignored", |s| {
            s.git(["config", "core.ignoreCase", "true"]);
        }),
        ("modes do not matter", |s| {
            s.git(["config", "core.fileMode", "false"]);
            std::fs::set_permissions(s.repo.join("README"), PermissionsExt::from_mode(0o755)).unwrap();
        }),
        ("everything synced", |s| {
            s.git(["config", "core.fsync", "all"]);
        }),
        ("no reflogs", |s| {
            s.git(["config", "core.logAllRefUpdates", "false"]);
        }),
        ("shared by the group", |s| {
            s.git(["config", "core.sharedRepository", "group"]);
        }),
        ("a symbolic branch", |s| {
            s.git(["branch", "-m", "real"]);
            s.git(["symbolic-ref", "refs/heads/main", "refs/heads/real"]);
            s.git(["symbolic-ref", "HEAD", "refs/heads/main"]);
        }),
        ("no index yet", |s| {
            // As after `git clone --no-checkout`, but with the files there.
            s.git(["read-tree", "HEAD"]);
        }),
    ];
    for (name, prepare) in kinds {
        let sandbox = Sandbox::new();
        prepare(&sandbox);
        let base = sandbox.head();
        let run = sandbox.apply([""; 0], &five());
        assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
        assert_eq!(sandbox.git(["rev-list", "--count", &format!("{base}..HEAD")]), "5", "{name}");
        assert_eq!(sandbox.status(), "", "{name}");
        sandbox.is_sound();
    }
}

#[test]
fn a_shallow_clone_is_served() {
    let sandbox = Sandbox::new();
    sandbox.commit("two");
    let url = format!("file://{}", sandbox.repo.display());
    sandbox.git(["clone", "-q", "--depth", "1", &url, "../shallow"]);
    sandbox.apply(["-C", "../shallow"], &five()).exits(0);
    assert_eq!(sandbox.git(["-C", "../shallow", "rev-list", "--count", "HEAD"]), "6");
    assert_eq!(sandbox.git(["-C", "../shallow", "status", "--porcelain"]), "");
}

#[test]
fn what_cannot_be_opened_is_named() {
    let kinds: &[(&[&str], &str)] = &[
        (&["--object-format=sha256"], "sha256 object names"),
        (&["--ref-format=reftable"], "references as reftable"),
    ];
    for (options, word) in kinds {
        let sandbox = Sandbox::bare_ground();
        let mut args = vec!["init", "-q"];
        args.extend(*options);
        sandbox.git(args);
        let before = sandbox.listing();
        sandbox.apply([""; 0], &create("a", "w", "x\n")).exits(128).says(word).says("hint:");
        same(word, &before, &sandbox.listing());
    }
    let sandbox = Sandbox::new();
    let url = format!("file://{}", sandbox.repo.display());
    sandbox.git(["config", "uploadpack.allowFilter", "true"]);
    sandbox.git(["clone", "-q", "--filter=blob:none", &url, "../partial"]);
    sandbox.git(["-C", "../partial", "config", "extensions.partialClone", "origin"]);
    sandbox.apply(["-C", "../partial"], &five()).exits(128).says("partial clone");
    let sandbox = Sandbox::bare_ground();
    sandbox.apply([""; 0], &five()).exits(128).says("not a git repository");
}

#[test]
fn two_runs_at_once_lose_nothing() {
    for round in 0..12 {
        let sandbox = Sandbox::new();
        let responses: Vec<_> = (0..3)
            .map(|n| {
                let file = sandbox.root().join(format!("r{n}.txt"));
                let text: String =
                    (0..4).map(|k| create(&format!("new/{n}-{k}"), &format!("Add {n}-{k}"), "x\n")).collect();
                std::fs::write(&file, text).unwrap();
                file
            })
            .collect();
        let children: Vec<_> = responses
            .iter()
            .map(|file| {
                sandbox
                    .command(["-q".as_ref(), file.as_os_str()])
                    .stderr(std::process::Stdio::piped())
                    .spawn()
                    .unwrap()
            })
            .collect();
        let mut landed = 0;
        for child in children {
            let run = Run::of(child.wait_with_output().unwrap());
            match run.code {
                Some(0) => landed += 1,
                Some(4) => {}
                other => panic!("{other:?}: {}", run.stderr),
            }
        }
        assert!(landed >= 1, "round {round}");
        assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), (1 + 4 * landed).to_string());
        assert_eq!(sandbox.status(), "");
        sandbox.is_sound();
    }
}

#[test]
fn a_branch_that_moves_meanwhile_is_resolved_again() {
    use git_llm_apply::vcs::fault::VARIABLE;
    // Stopped with everything prepared, while plain git commits to the same branch.
    let sandbox = Sandbox::new();
    let file = sandbox.response(&five());
    let mut command = sandbox.command(["-b".as_ref(), "other".as_ref(), file.as_os_str()]);
    sandbox.git(["branch", "other"]);
    let child = command.env(VARIABLE, "prepared:stop").stdout(std::process::Stdio::piped()).spawn().unwrap();
    let process = child.id().to_string();
    stopped(&process);
    let tree = sandbox.git(["rev-parse", "other^{tree}"]);
    let moved = sandbox.git(["commit-tree", "-p", "other", "-m", "meanwhile", &tree]);
    sandbox.git(["update-ref", "refs/heads/other", &moved]);
    std::process::Command::new("kill").args(["-CONT", &process]).status().unwrap();
    assert_eq!(Run::of(child.wait_with_output().unwrap()).code, Some(0));
    assert_eq!(sandbox.git(["rev-parse", "other~5"]), moved);
    sandbox.git(["fsck", "--strict"]);
}

#[test]
fn a_file_that_changes_while_it_is_prepared_stops_the_landing() {
    use git_llm_apply::vcs::fault::VARIABLE;
    for (point, path) in [("prepared", "README"), ("file-staged", "README"), ("ref-locked", "src/a.rs")] {
        let sandbox = Sandbox::new();
        let file = sandbox.response(&five());
        let mut command = sandbox.command([file]);
        command.env(VARIABLE, format!("{point}:stop")).stderr(std::process::Stdio::piped());
        let child = command.spawn().unwrap();
        let process = child.id().to_string();
        stopped(&process);
        sandbox.file(path, "my own, in the meantime\n");
        std::process::Command::new("kill").args(["-CONT", &process]).status().unwrap();
        let run = Run::of(child.wait_with_output().unwrap()).exits(4);
        assert!(run.stderr.contains(path), "{point}: {}", run.stderr);
        assert_eq!(sandbox.text(path), "my own, in the meantime\n");
        assert_eq!(sandbox.status(), format!(" M {path}"), "{point}");
        assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), "1");
        sandbox.is_sound();
    }
}

/// Waits until a process has stopped itself.
fn stopped(process: &str) {
    for _ in 0..2000 {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        if stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('T')) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("it did not stop");
}

#[test]
fn a_live_transaction_is_not_taken_for_a_dead_one() {
    use git_llm_apply::vcs::fault::VARIABLE;
    let sandbox = Sandbox::new();
    let file = sandbox.response(&five());
    let child = sandbox
        .command([file])
        .env(VARIABLE, "prepared:stop")
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let process = child.id().to_string();
    stopped(&process);
    assert!(sandbox.git(["worktree", "list"]).contains("(detached HEAD)"));
    sandbox.run(["recover"]).exits(0).says("nothing to recover");
    std::process::Command::new("kill").args(["-CONT", &process]).status().unwrap();
    assert_eq!(Run::of(child.wait_with_output().unwrap()).code, Some(0));
    sandbox.is_sound();
}

#[test]
fn a_reference_transaction_hook_sees_the_move_and_may_refuse_it() {
    let sandbox = Sandbox::new();
    let hook = sandbox.repo.join(".git/hooks/reference-transaction");
    sandbox.script(&hook, "#!/bin/sh\necho \"$1\" >>.git/hook-log\ncat >>.git/hook-log\n");
    sandbox.apply([""; 0], &five()).exits(0);
    let log = sandbox.text(".git/hook-log");
    assert!(
        log.contains("prepared\n") && log.contains("committed\n") && log.contains("refs/heads/main"),
        "{log}"
    );
    assert_eq!(sandbox.git(["reflog", "-1", "--format=%gs", "HEAD"]), "llm-apply: 5 edits from response.txt");
    sandbox.script(&hook, "#!/bin/sh\n[ \"$1\" != prepared ]\n");
    let before = sandbox.listing();
    sandbox.apply([""; 0], &create("more", "w", "x\n")).exits(3).says("hook");
    same("refused by the hook", &before, &sandbox.listing());
}

#[test]
fn a_checkout_on_another_file_system_is_served() {
    // /dev/shm is another file system on any Linux.
    let Ok(other) = tempfile::tempdir_in("/dev/shm") else {
        assert!(!std::path::Path::new("/dev/shm").is_dir(), "it is there, but cannot be written to");
        return;
    };
    let sandbox = Sandbox::new();
    let here = other.path().join("tree");
    sandbox.git(["worktree", "add", "-q", "-b", "side", here.to_str().unwrap()]);
    sandbox.apply(["-C", here.to_str().unwrap()], &five()).exits(0);
    assert_eq!(std::fs::read_to_string(here.join("README")).unwrap(), "hello world\n");
    assert_eq!(sandbox.git(["-C", here.to_str().unwrap(), "status", "--porcelain", "--ignored"]), "");
    assert!(sandbox::listing(&here).keys().all(|path| !path.contains("llm-apply")));
    sandbox.git(["fsck", "--strict"]);
}
