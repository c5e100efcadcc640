//! Files that run by themselves change only if the user allows it, by whatever name or link git finds them.
use crate::sandbox;

use sandbox::{Run, Sandbox, create, remove, rename, replace, same};
use std::os::unix::fs::symlink;

/// A name, what prepares a repository, paths that are sensitive then, and paths that are not.
type Setting = (&'static str, fn(&Sandbox), &'static [&'static str], &'static [&'static str]);

fn link(sandbox: &Sandbox, target: &str, at: &str) {
    let at = sandbox.repo.join(at);
    std::fs::create_dir_all(at.parent().unwrap()).unwrap();
    symlink(target, at).unwrap();
}

const SETTINGS: &[Setting] = &[
    (
        "a hooks path that is a link",
        |s| {
            s.git(["config", "core.hooksPath", ".githooks"]);
            s.file("tools/hooks/pre-push", "#!/bin/sh\n");
            link(s, "tools/hooks", ".githooks");
            s.commit("hooks");
        },
        &["tools/hooks/pre-push", "tools/hooks/new", "Tools/Hooks/new"],
        &["tools/other"],
    ),
    (
        "a hooks path that leads through a link",
        |s| {
            s.git(["config", "core.hooksPath", "x/../conf/./hooks"]);
            s.file("deep/hooks/pre-push", "#!/bin/sh\n");
            std::fs::create_dir(s.repo.join("x")).unwrap();
            link(s, "deep", "conf");
            s.commit("hooks");
        },
        &["deep/hooks/pre-push", "deep/hooks/new"],
        &["deep/other", "x/new"],
    ),
    (
        "a hook that is a link",
        |s| {
            s.git(["config", "core.hooksPath", ".githooks"]);
            s.file("scripts/check.sh", "#!/bin/sh\n");
            s.file("scripts/other.sh", "#!/bin/sh\n");
            link(s, "check.sh", "scripts/again");
            link(s, "../scripts/again", ".githooks/pre-push");
            s.commit("hooks");
        },
        &["scripts/check.sh", ".githooks/new"],
        &["scripts/other.sh", "scripts/new"],
    ),
    (
        "a hook of git's own directory that is a link",
        |s| {
            s.file("scripts/check.sh", "#!/bin/sh\n");
            s.commit("scripts");
            link(s, "../../scripts/check.sh", ".git/hooks/pre-push");
        },
        &["scripts/check.sh"],
        &["scripts/new"],
    ),
    (
        "hooks of git's own directory that are a link",
        |s| {
            s.file("tools/hooks/pre-push", "#!/bin/sh\n");
            s.commit("tools");
            std::fs::remove_dir_all(s.repo.join(".git/hooks")).unwrap();
            link(s, "../tools/hooks", ".git/hooks");
        },
        &["tools/hooks/pre-push", "tools/hooks/new"],
        &["tools/new"],
    ),
    (
        "a link that only the commit has",
        |s| {
            s.git(["config", "core.hooksPath", ".githooks"]);
            s.file("tools/hooks/pre-push", "#!/bin/sh\n");
            link(s, "tools/hooks", ".githooks");
            s.commit("hooks");
            s.git(["sparse-checkout", "set", "src"]);
            std::fs::remove_file(s.repo.join(".githooks")).unwrap();
            s.git(["update-index", "--skip-worktree", ".githooks"]);
        },
        &["tools/hooks/pre-push"],
        &["tools/new"],
    ),
    (
        "a manager's file that is a link",
        |s| {
            s.file("config/hooks.yml", "x: 1\n");
            link(s, "config/hooks.yml", "lefthook.yml");
            s.file("checks/run", "x\n");
            link(s, "../checks/run", ".husky/pre-push");
            s.commit("managers");
        },
        &["config/hooks.yml", "checks/run"],
        &["config/new", "checks/new"],
    ),
    (
        "configuration that git includes",
        |s| {
            s.file("conf/git", "[core]\n");
            s.file("conf/nested", "[core]\n");
            s.commit("conf");
            s.file("conf/outer", "[include]\n\tpath = nested\n");
            s.git(["config", "include.path", "../conf/git"]);
            s.git(["config", "--add", "include.path", "../conf/outer"]);
            s.git(["config", "includeIf.onbranch:other.path", "../conf/later"]);
            s.git(["config", "includeIf.hasconfig:remote.*.url:x.path", "../conf/remote"]);
        },
        &["conf/git", "conf/later", "conf/nested", "conf/remote"],
        &["conf/new", "git"],
    ),
    (
        "the user's configuration",
        |s| {
            s.file("dot/gitconfig", "[core]\n");
            s.commit("dot");
            symlink(s.repo.join("dot/gitconfig"), s.root().join("home/gitconfig")).unwrap();
        },
        &["dot/gitconfig"],
        &["dot/new"],
    ),
    (
        "commands of git's configuration",
        |s| {
            s.file("tools/clean.py", "x\n");
            s.file("watch", "x\n");
            s.file("docs/cat", "x\n");
            s.commit("tools");
            for (key, value) in [
                ("filter.x.clean", "python3 tools/clean.py %f"),
                ("filter.x.smudge", "python3 'tools/smudge.py'"),
                ("core.fsmonitor", "./watch"),
                ("diff.x.textconv", "sh tools/text.sh"),
                ("merge.x.driver", "tools/merge --from=tools/base %O %A %B"),
                ("core.sshCommand", "ssh -F tools/ssh"),
                ("alias.x", "!cd . && tools/alias"),
                ("alias.y", "log src"),
                ("credential.https://x.helper", "!tools/login"),
                ("gpg.ssh.program", "tools/sign"),
                ("pager.log", "tools/less"),
                ("diff.external", "cat docs"),
                ("remote.x.receivepack", "tools/receive"),
                ("user.name", "README"),
            ] {
                s.git(["config", key, value]);
            }
            // If the file existed, each git command of the test would run it.
            s.git(["config", "core.fsmonitor", "./watcher.sh"]);
            s.git(["config", "core.untrackedCache", "false"]);
        },
        &[
            "tools/clean.py",
            "tools/smudge.py",
            "watcher.sh",
            "tools/text.sh",
            "tools/merge",
            "tools/base",
            "tools/ssh",
            "tools/alias",
            "tools/login",
            "tools/sign",
            "tools/less",
            "tools/receive",
        ],
        &["tools/new", "src/new", "docs/cat", "README", "cat", "log"],
    ),
    (
        "globs add",
        |s| {
            s.git(["config", "--add", "llmapply.sensitive", "*.sh"]);
            s.git(["config", "--add", "llmapply.sensitive", "deploy/**"]);
        },
        &["run.sh", "deploy/x", "prek.toml", ".huskyrc.json", ".gitmodules"],
        &["src/new"],
    ),
];

/// Returns an edit of a path: of the existing file, or a new file.
fn touch(sandbox: &Sandbox, path: &str) -> String {
    let is_there = !sandbox.git(["ls-files", path]).is_empty();
    if is_there { replace(path, "w", "changed\n") } else { create(path, "w", "new\n") }
}

#[test]
fn what_git_comes_to_by_itself_is_sensitive() {
    for (name, prepare, sensitive, plain) in SETTINGS {
        let sandbox = Sandbox::new();
        prepare(&sandbox);
        let before = sandbox.listing();
        for path in *sensitive {
            for options in [&["--no-keep"][..], &["--no-keep", "-b", "side"]] {
                let run = sandbox.apply(options, &touch(&sandbox, path));
                let all = format!("{}{}", run.stdout, run.stderr);
                let refused = run.code == Some(1) && all.contains("[path-sensitive]");
                assert!(refused, "{name}: {path}: {:?} {all}", run.code);
            }
        }
        same(name, &before, &sandbox.listing());
        let passes = |run: Run| run.code == Some(0);
        for path in *plain {
            assert!(passes(sandbox.apply(["-n"], &touch(&sandbox, path))), "{name}: {path}");
        }
        let path = sensitive[0];
        assert!(passes(sandbox.apply(["-n", "--allow-sensitive"], &touch(&sandbox, path))), "{name}: {path}");
    }
}

#[test]
fn in_a_linked_worktree_what_the_main_one_runs_is_sensitive() {
    for make in [
        |s: &Sandbox, top: &str| drop(s.git(["config", "core.hooksPath", &format!("{top}/tools")])),
        |s: &Sandbox, _: &str| drop(s.git(["config", "core.hooksPath", "tools"])),
        |s: &Sandbox, top: &str| drop(s.git(["config", "include.path", &format!("{top}/tools/x")])),
        |s: &Sandbox, _: &str| drop(s.git(["config", "include.path", "../tools/x"])),
        |s: &Sandbox, top: &str| drop(s.git(["config", "alias.x", &format!("!{top}/tools/x")])),
        |s: &Sandbox, _: &str| drop(s.git(["config", "filter.x.clean", "tools/x"])),
        |s: &Sandbox, _: &str| {
            s.git(["config", "extensions.worktreeConfig", "true"]);
            s.git(["config", "--worktree", "core.hooksPath", "tools"]);
        },
        |s: &Sandbox, top: &str| {
            symlink(format!("{top}/tools/x"), s.repo.join(".git/hooks/pre-commit")).unwrap();
        },
    ] {
        let mut sandbox = Sandbox::new();
        sandbox.git(["worktree", "add", "-q", "../linked"]);
        make(&sandbox, sandbox.repo.to_str().unwrap());
        sandbox.repo = sandbox.root().join("linked");
        for options in [&["--no-keep"][..], &["--no-keep", "-b", "side"]] {
            sandbox.apply(options, &create("tools/x", "w", "x\n")).exits(1).says("[path-sensitive]");
        }
        sandbox.apply(["-n"], &create("other/x", "w", "x\n")).exits(0);
    }
}

#[test]
fn the_links_themselves_are_sensitive() {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "core.hooksPath", ".githooks"]);
    sandbox.file("scripts/check.sh", "#!/bin/sh\n");
    link(&sandbox, "check.sh", "scripts/again");
    link(&sandbox, "../scripts/again", "hooks/pre-push");
    link(&sandbox, "hooks", ".githooks");
    sandbox.commit("hooks");
    let before = sandbox.listing();
    let evil = "evil/pre-push";
    for response in [
        remove(".githooks", "w") + &create(".githooks/pre-push", "w", "x\n"),
        remove("hooks/pre-push", "w"),
        remove("scripts/again", "w"),
        create(evil, "w", "x\n") + &rename(evil, "hooks/pre-commit", "w"),
        rename("scripts/again", "kept", "w"),
    ] {
        sandbox.apply(["--no-keep"], &response).exits(1).says("path-sensitive");
    }
    same("links", &before, &sandbox.listing());
}
