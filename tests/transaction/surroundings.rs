//! Places of a repository, and environments and configurations that say where it is.
use crate::sandbox;

use sandbox::fault::with_fault;
use sandbox::{Run, Sandbox, create, five, same};
use std::path::Path;

/// Prepares a repository, and sets the environment and the directory of all later commands.
type Surroundings = (&'static str, fn(&mut Sandbox));

const SURROUNDINGS: &[Surroundings] = &[
    ("git directory and work tree by the environment", |s| {
        std::fs::rename(s.repo.join(".git"), s.root().join("gitdir")).unwrap();
        s.repo = s.root().to_owned();
        s.set("GIT_DIR", "gitdir");
        s.set("GIT_WORK_TREE", "repo");
    }),
    ("relative names for both", |s| {
        s.set("GIT_DIR", ".git");
        s.set("GIT_WORK_TREE", ".");
    }),
    ("work tree only", |s| {
        s.repo = s.repo.join("src");
        s.set("GIT_WORK_TREE", "..");
    }),
    ("git directory only", |s| {
        std::fs::rename(s.repo.join(".git"), s.root().join("gitdir")).unwrap();
        s.set("GIT_DIR", "../gitdir");
    }),
    ("git directory inside the work tree", |s| {
        std::fs::rename(s.repo.join(".git"), s.repo.join("gitdir")).unwrap();
        s.set("GIT_DIR", "gitdir");
        std::fs::write(s.repo.join("gitdir/info/exclude"), "/gitdir\n").unwrap();
    }),
    ("git directory by a file", |s| {
        std::fs::rename(s.repo.join(".git"), s.root().join("gitdir")).unwrap();
        s.file(".git", "gitdir: ../gitdir\n");
    }),
    ("the environment names such a file", |s| {
        std::fs::rename(s.repo.join(".git"), s.root().join("gitdir")).unwrap();
        s.file(".git", "gitdir: ../gitdir\n");
        s.set("GIT_DIR", ".git");
    }),
    ("work tree by configuration", |s| {
        std::fs::create_dir(s.root().join("x")).unwrap();
        std::fs::rename(s.repo.join(".git"), s.root().join("x/git")).unwrap();
        s.repo = s.root().join("x/git");
        s.git(["--git-dir=.", "config", "core.worktree", "../../repo"]);
    }),
    ("a linked git directory", |s| {
        std::fs::rename(s.repo.join(".git"), s.root().join("gitdir")).unwrap();
        std::os::unix::fs::symlink("../gitdir", s.repo.join(".git")).unwrap();
    }),
    ("blanks, line breaks and colons in the path", |s| {
        let odd = s.root().join(" a b\nc:d\"e ");
        std::fs::rename(&s.repo, &odd).unwrap();
        s.repo = odd;
    }),
    ("another index", |s| {
        std::fs::rename(s.repo.join(".git/index"), s.repo.join(".git/other")).unwrap();
        s.repo = s.repo.join("src");
        s.set("GIT_INDEX_FILE", ".git/other");
    }),
    ("a namespace", |s| s.set("GIT_NAMESPACE", "elsewhere")),
    ("a bare repository's worktree", |s| {
        s.git(["clone", "-q", "--bare", ".", "../bare.git"]);
        s.git(["-C", "../bare.git", "worktree", "add", "-q", "../linked", "main"]);
        s.repo = s.root().join("linked");
    }),
    ("detached in a linked worktree", |s| {
        s.git(["worktree", "add", "-q", "--detach", "../linked"]);
        s.repo = s.root().join("linked");
    }),
    ("inside a submodule", |s| {
        s.git(["init", "-q", "../outer"]);
        let add = [
            "-C",
            "../outer",
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "add",
            "-q",
            "../repo",
            "sub",
        ];
        s.git(add);
        s.repo = s.root().join("outer/sub");
    }),
    ("borrowed objects of borrowed objects", |s| {
        s.git(["clone", "-q", "--shared", ".", "../second"]);
        s.git(["clone", "-q", "--shared", "../second", "../third"]);
        s.repo = s.root().join("third");
    }),
    ("a hook on references", |s| {
        s.script(&s.repo.join(".git/hooks/reference-transaction"), "#!/bin/sh\nexit 0\n");
    }),
];

#[test]
fn whatever_the_surroundings_it_lands_and_is_recovered() {
    for (what, prepare) in SURROUNDINGS {
        let prepared = || {
            let mut sandbox = Sandbox::new();
            prepare(&mut sandbox);
            assert_eq!(sandbox.git(["status", "--porcelain"]), "", "{what}");
            sandbox
        };
        let files = |sandbox: &Sandbox| sandbox.git(["ls-files", "--full-name", "-s", ":/"]);
        // An undisturbed run changes nothing except the repository.
        let sandbox = prepared();
        let before = files(&sandbox);
        let run = sandbox.apply(["--stat"], &five());
        assert_eq!(run.code, Some(0), "{what}: {}", run.stderr);
        let after = files(&sandbox);
        assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), "6", "{what}");
        assert_eq!(sandbox.git(["status", "--porcelain"]), "", "{what}");
        sandbox.git(["fsck", "--strict"]);
        let left = |path: &String| path.contains("llm-apply") && !sandbox::is_record(path);
        assert!(!sandbox::listing(sandbox.root()).keys().any(left), "{what}");
        for (fault, wanted, commits) in [("index-prepared", &before, "1"), ("ref-moved", &after, "6")] {
            let sandbox = prepared();
            assert_eq!(with_fault(&sandbox, [""; 0], &format!("{fault}:kill")).signal, Some(9), "{what}");
            let run = sandbox.run(["recover"]);
            assert_eq!(run.code, Some(0), "{what}: {}{}", run.stdout, run.stderr);
            assert_eq!(&files(&sandbox), wanted, "{what}: {fault}");
            assert_eq!(sandbox.git(["status", "--porcelain"]), "", "{what}: {fault}");
            assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), commits, "{what}: {fault}");
            assert!(!sandbox::listing(sandbox.root()).keys().any(left), "{what}");
        }
    }
}

#[test]
fn so_it_does_where_git_is_asked_for_references() {
    let kind = &["--ref-format=reftable"];
    if sandbox::kinds::can_make(kind) {
        sandbox::kinds::within(kind, whatever_the_surroundings_it_lands_and_is_recovered);
    }
}

#[test]
fn nothing_is_written_into_a_git_directory_by_whatever_name() {
    // The git directory is in the work tree, under another name than .git.
    let mut sandbox = Sandbox::new();
    std::fs::rename(sandbox.repo.join(".git"), sandbox.repo.join("dots")).unwrap();
    sandbox.set("GIT_DIR", "dots");
    let before = sandbox.listing();
    for path in ["dots/info/attributes", "dots/new", "dots/objects/info/alternates"] {
        sandbox.apply(["--allow-sensitive"], &create(path, "Bad", "x\n")).exits(4).says("the git directory");
    }
    same("under another name", &before, &sandbox.listing());
    // The git directory is the work tree.
    let mut sandbox = Sandbox::new();
    sandbox.set("GIT_DIR", ".git");
    sandbox.set("GIT_WORK_TREE", ".git");
    let before = sandbox.listing();
    sandbox.apply([""; 0], &create("info/attributes", "Bad", "x\n")).exits(128).says("is the git directory");
    same("itself", &before, &sandbox.listing());
}

#[test]
fn values_that_are_no_text_stay_as_they_are_beside_those_of_the_environment() {
    let sandbox = Sandbox::new();
    let config = sandbox.repo.join(".git/config");
    let mut bytes = std::fs::read(&config).unwrap();
    bytes.extend_from_slice(b"[llmapply]\n\tsubjectPrefix = J\xf6rg\n");
    std::fs::write(&config, bytes).unwrap();
    let before = sandbox.listing();
    for count in ["", "1"] {
        let file = sandbox.response(&five());
        let mut command = sandbox.command([file]);
        if !count.is_empty() {
            let entry =
                [("GIT_CONFIG_COUNT", count), ("GIT_CONFIG_KEY_0", "a.b"), ("GIT_CONFIG_VALUE_0", "c")];
            command.envs(entry);
        }
        Run::of(command.output().unwrap()).exits(128).says("UTF-8");
    }
    same("no text", &before, &sandbox.listing());
}

#[test]
fn where_git_says_there_is_no_work_tree_none_is_written_to() {
    let mut sandbox = Sandbox::new();
    sandbox.set("GIT_DIR", ".git");
    sandbox.set("GIT_IMPLICIT_WORK_TREE", "0");
    let base = sandbox.head();
    sandbox.apply([""; 0], &five()).exits(0);
    assert_ne!(sandbox.head(), base);
    assert_eq!(sandbox.text("README"), "hello\n");
}

#[test]
fn environments_that_take_a_repository_apart_are_refused() {
    for (name, value, word) in [
        ("GIT_QUARANTINE_PATH", "/nowhere", "GIT_QUARANTINE_PATH"),
        ("GIT_COMMON_DIR", "src", "GIT_COMMON_DIR"),
        ("GIT_OBJECT_DIRECTORY", ".git/objects", "GIT_OBJECT_DIRECTORY"),
        ("GIT_ALTERNATE_OBJECT_DIRECTORIES", "/elsewhere", "GIT_ALTERNATE_OBJECT_DIRECTORIES"),
    ] {
        let mut sandbox = Sandbox::new();
        sandbox.set(name, value);
        let before = sandbox.listing();
        sandbox.apply([""; 0], &five()).exits(128).says(word);
        same(name, &before, &sandbox.listing());
    }
}

#[test]
fn a_bare_repository_that_git_does_not_open_unasked_is_refused() {
    let mut sandbox = Sandbox::new();
    sandbox.git(["clone", "-q", "--bare", ".", "embedded"]);
    let hook = sandbox.repo.join("embedded/hooks/pre-llm-apply");
    sandbox.script(&hook, "#!/bin/sh\ntouch ../ran\n");
    sandbox.git(["config", "--global", "safe.bareRepository", "explicit"]);
    // The repository's own setting does not count.
    sandbox.git(["--git-dir=embedded", "config", "safe.bareRepository", "all"]);
    sandbox.apply(["-n"], &five()).exits(0);
    let before = sandbox.listing();
    for place in ["embedded", "embedded/hooks"] {
        let options = ["-C", place, "--no-keep", "-b", "side"];
        sandbox.apply(options, &five()).exits(128).says("safe.bareRepository").says("--git-dir");
        sandbox.run(["-C", place, "list"]).exits(128);
    }
    same("an embedded repository", &before, &sandbox.listing());
    sandbox.set("GIT_DIR", "embedded");
    sandbox.apply(["--no-keep", "-b", "side"], &five()).exits(0);
    assert!(sandbox.git(["log", "--format=%s", "-1", "side"]).contains("Move"));
}

#[test]
fn only_the_repositorys_own_configuration_says_where_the_work_tree_is() {
    for text in ["[core]\n\tbare = true\n", "[core]\n\tworktree = ../../elsewhere\n"] {
        let sandbox = Sandbox::new();
        sandbox.git(["config", "--unset", "core.bare"]);
        std::fs::create_dir(sandbox.root().join("elsewhere")).unwrap();
        std::fs::write(sandbox.root().join("home/gitconfig"), text).unwrap();
        assert_eq!(sandbox.status(), "", "git does not look there");
        let before = sandbox.listing();
        sandbox.apply([""; 0], &five()).exits(128).says("outside the repository's own configuration");
        same(text, &before, &sandbox.listing());
        // The command line does not count either, as with libgit2.
        std::fs::remove_file(sandbox.root().join("home/gitconfig")).unwrap();
        let file = sandbox.response(&five());
        let mut command = sandbox.command([file]);
        let set =
            if text.contains("bare") { "'core.bare'='true'" } else { "'core.worktree'='../../elsewhere'" };
        command.env("GIT_CONFIG_PARAMETERS", set).env("GIT_DIR", ".git");
        Run::of(command.output().unwrap()).exits(0);
        assert_eq!(sandbox.status(), "");
        sandbox.is_sound();
    }
}

#[test]
fn a_hooks_path_that_only_git_can_read_is_read_by_git() {
    let sandbox = Sandbox::new();
    // A path relative to where git is installed. The hook there need not exist.
    sandbox.git(["config", "core.hooksPath", "%(prefix)/nowhere"]);
    sandbox.apply([""; 0], &five()).exits(0);
    let sandbox = Sandbox::new();
    sandbox.git(["config", "core.hooksPath", "~nobody-of-that-name/hooks"]);
    let before = sandbox.listing();
    sandbox.apply([""; 0], &five()).exits(128);
    same("unreadable", &before, &sandbox.listing());
}

#[test]
fn includes_that_only_git_can_read_say_who_the_user_is() {
    let mut sandbox = Sandbox::new();
    for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
        sandbox.set(name, "-");
    }
    let home = sandbox.root().join("home");
    let include = "[user]\n\tname = Private\n\temail = private@example.com\n\
                   [includeIf \"hasconfig:remote.*.url:https://work.example/**\"]\n\tpath = work\n";
    std::fs::write(home.join("gitconfig"), include).unwrap();
    std::fs::write(home.join("work"), "[user]\n\tname = Worker\n\temail = worker@example.com\n").unwrap();
    sandbox.git(["remote", "add", "origin", "https://work.example/it"]);
    sandbox.apply([""; 0], &five()).exits(0);
    let who = sandbox.git(["log", "-1", "--format=%an <%ae> %cn <%ce>"]);
    assert_eq!(who, "Worker <worker@example.com> Worker <worker@example.com>");
}

#[test]
fn a_shared_repository_stays_shared() {
    use std::os::unix::fs::PermissionsExt;
    // New files get the same mode as from git, so that the group can go on using the repository.
    for mode in ["umask", "group", "all", "0660", "0640"] {
        let modes = |land: fn(&Sandbox)| {
            let sandbox = Sandbox::new();
            std::fs::remove_dir_all(sandbox.repo.join(".git")).unwrap();
            sandbox.git(["init", "-q", "-b", "main", &format!("--shared={mode}")]);
            sandbox.commit("base");
            land(&sandbox);
            let paths = [
                "refs/heads/try",
                "refs/heads/try/a",
                "refs/heads/main",
                "logs/HEAD",
                "logs/refs/heads/try",
                "logs/refs/heads/try/a",
                "logs/refs/heads/main",
                "ORIG_HEAD",
                "index",
            ];
            let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
            let mut all: Vec<_> = paths
                .iter()
                .map(|path| (path.to_string(), mode(&sandbox.repo.join(".git").join(path))))
                .collect();
            let objects = sandbox::listing(&sandbox.repo.join(".git/objects"));
            for (kind, file) in [("object directories", false), ("objects", true)] {
                let modes = objects
                    .iter()
                    .filter(|(path, _)| path.ends_with('/') != file)
                    .map(|(_, (mode, _))| *mode);
                let modes: std::collections::BTreeSet<_> = modes.collect();
                all.extend(modes.into_iter().map(|mode| (kind.to_owned(), mode)));
            }
            all
        };
        let ours = modes(|s| {
            s.apply(["-b", "try/a"], &five()).exits(0);
            s.apply([""; 0], &five()).exits(0);
        });
        let gits = modes(|s| {
            s.git(["checkout", "-q", "-b", "try/a"]);
            s.file("new", "x\n");
            s.commit("new");
            s.git(["checkout", "-q", "main"]);
            s.git(["merge", "-q", "try/a"]);
        });
        assert_eq!(ours, gits, "{mode}");
        // So many objects that they go in as a pack.
        let sandbox = Sandbox::new();
        sandbox.git(["config", "core.sharedRepository", mode]);
        let many: String = (0..40).map(|n| create(&format!("many/{n}"), "Add", &format!("{n}\n"))).collect();
        sandbox.apply([""; 0], &many).exits(0);
        let wanted =
            if mode.starts_with("06") { u32::from_str_radix(mode, 8).unwrap() & 0o444 } else { 0o444 };
        let packs = sandbox::listing(&sandbox.repo.join(".git/objects/pack"));
        assert_eq!(packs.values().map(|(mode, _)| mode & 0o777).collect::<Vec<_>>(), [wanted; 2], "{mode}");
    }
}

#[test]
fn a_repository_of_somebody_else_is_opened_where_git_opens_it() {
    // Only root can give files away.
    let owned = |what: &str| {
        let sandbox = Sandbox::new();
        sandbox.git(["worktree", "add", "-q", "-b", "side", "../linked"]);
        let chown = |path: &Path| {
            let run = std::process::Command::new("chown").args(["-R", "12345"]).arg(path).output();
            run.is_ok_and(|output| output.status.success())
        };
        let given = chown(&sandbox.repo) && chown(&sandbox.root().join("linked"));
        if !given {
            println!("not allowed to give files away: nothing is tested of {what}");
        }
        given.then_some(sandbox)
    };
    let root = |sandbox: &Sandbox| sandbox.root().canonicalize().unwrap().to_str().unwrap().to_owned();
    type Case = (&'static str, fn(&mut Sandbox, &str));
    let cases: &[Case] = &[
        ("not at all", |_, _| {}),
        ("by name", |s, root| s.set("GIT_CONFIG_PARAMETERS", &format!("'safe.directory'='{root}/repo'"))),
        ("below", |s, root| s.set("GIT_CONFIG_PARAMETERS", &format!("'safe.directory'='{root}/*'"))),
        ("elsewhere", |s, _| s.set("GIT_CONFIG_PARAMETERS", "'safe.directory'='/nowhere/*'")),
        ("any", |s, _| s.set("GIT_CONFIG_PARAMETERS", "'safe.directory'='*'")),
        ("reset", |s, _| s.set("GIT_CONFIG_PARAMETERS", "'safe.directory'='*' 'safe.directory'=''")),
        ("in the user's file", |s, root| {
            let text = format!("[safe]\n\tdirectory = {root}/*\n");
            std::fs::write(s.root().join("home/gitconfig"), text).unwrap();
        }),
        ("in the repository's file", |s, _| {
            use std::io::Write;
            let config = std::fs::File::options().append(true).open(s.repo.join(".git/config"));
            config.unwrap().write_all(b"[safe]\n\tdirectory = *\n").unwrap();
        }),
        ("the git directory named", |s, _| s.set("GIT_DIR", ".git")),
    ];
    for (what, prepare) in cases {
        let Some(mut sandbox) = owned(what) else { return };
        let root = root(&sandbox);
        prepare(&mut sandbox, &root);
        let git = sandbox.git_command(["status", "--porcelain"]).output().unwrap().status.success();
        let before = sandbox.listing();
        let run = sandbox.apply(["--no-keep"], &five());
        assert_eq!(run.code, Some(if git { 0 } else { 128 }), "{what}: {}", run.stderr);
        if !git {
            assert!(run.stderr.contains("owned by someone else"), "{what}: {}", run.stderr);
            same(what, &before, &sandbox.listing());
            continue;
        }
        assert_eq!(sandbox.status(), "", "{what}");
        sandbox.apply(["-b", "side"], &create("more", "w", "x\n")).exits(4).says("used by worktree at");
    }
    // In a linked worktree, and after a kill.
    let Some(mut sandbox) = owned("a linked worktree") else { return };
    sandbox.set("GIT_CONFIG_PARAMETERS", &format!("'safe.directory'='{}/*'", root(&sandbox)));
    let main = sandbox.repo.clone();
    sandbox.repo = sandbox.root().join("linked");
    sandbox.apply(["-b", "main"], &five()).exits(4).says("used by worktree at");
    assert_eq!(with_fault(&sandbox, [""; 0], "ref-moved:kill").signal, Some(9));
    sandbox.run(["recover"]).exits(0).says("side has landed");
    assert_eq!(sandbox.status(), "");
    // Recovered from the other worktree.
    sandbox.file("README", "mine\n");
    sandbox.commit("mine");
    let file = sandbox.response(&create("again", "w", "x\n"));
    let mut killed = sandbox.command([file]);
    killed.env(git_llm_apply::vcs::fault::VARIABLE, "index-prepared:kill");
    assert_eq!(Run::of(killed.output().unwrap()).signal, Some(9));
    sandbox.repo = main;
    sandbox.run(["recover"]).exits(0);
    sandbox.repo = sandbox.root().join("linked");
    assert_eq!((sandbox.status().as_str(), sandbox.exists("again")), ("", false));
}

#[test]
fn an_index_on_another_file_system_is_refused_before_anything_changes() {
    use std::os::unix::fs::MetadataExt;
    let mut sandbox = Sandbox::new();
    let device = |path: &std::path::Path| std::fs::metadata(path).map(|found| found.dev()).ok();
    let other =
        ["/dev/shm", "/run", "/var/tmp", "/home"].map(std::path::Path::new).into_iter().find_map(|top| {
            let elsewhere = device(top).is_some_and(|one| Some(one) != device(sandbox.root()));
            tempfile::tempdir_in(top).ok().filter(|_| elsewhere)
        });
    let Some(other) = other else {
        eprintln!("there is no other file system here");
        return;
    };
    let index = other.path().join("index");
    std::fs::copy(sandbox.repo.join(".git/index"), &index).unwrap();
    sandbox.set("GIT_INDEX_FILE", index.to_str().unwrap());
    let (before, bytes) = (sandbox.listing(), std::fs::read(&index).unwrap());
    sandbox.apply(["--no-keep"], &five()).exits(128).says("is on another file system");
    same("index elsewhere", &before, &sandbox.listing());
    assert_eq!(std::fs::read(&index).unwrap(), bytes);
    assert_eq!(std::fs::read_dir(other.path()).unwrap().count(), 1);
    // This does not matter if no checkout moves.
    sandbox.apply(["-b", "side"], &five()).exits(0);
}
