//! A landing whose parent `git` was killed lands nothing. A signal that comes after something has landed does not
//! change the report.
use crate::sandbox;

use sandbox::fault::wait_for;
use sandbox::{Run, Sandbox, create, patch};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Returns a search path in which git finds the built binary.
fn path() -> std::ffi::OsString {
    let built = PathBuf::from(env!("CARGO_BIN_EXE_git-llm-apply"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(built.parent().map(PathBuf::from).into_iter().chain(std::env::split_paths(&path)))
        .unwrap()
}

/// A command of `--exec` that reports that it runs, and continues when it is allowed to.
const WAITS: &str = "touch \"$OUT/runs\"; until test -e \"$OUT/go\"; do sleep 0.05; done";

/// Kills the process that started the landing while the command waits, then lets the command continue.
fn orphaned(command: &mut Command, sandbox: &Sandbox) {
    let out = sandbox.root();
    let mut child = command.env("PATH", path()).env("OUT", out).stdin(Stdio::null()).spawn().unwrap();
    assert!(wait_for(|| out.join("runs").exists()));
    child.kill().unwrap();
    child.wait().unwrap();
    std::fs::write(out.join("go"), "").unwrap();
    assert!(wait_for(|| !sandbox.exists(".git/llm-apply/txn")), "it never ended");
}

#[test]
fn a_landing_whose_git_was_killed_lands_nothing() {
    let sandbox = Sandbox::new();
    let head = sandbox.head();
    let answer = sandbox.response(&create("x", "Add x", "x\n"));
    let arguments = ["llm-apply", "--no-keep", "-x", WAITS, answer.to_str().unwrap()];
    orphaned(&mut sandbox.git_command(arguments), &sandbox);
    assert_eq!((sandbox.head(), sandbox.status()), (head.clone(), String::new()));
    sandbox.leaves_no_file();
    // Any other parent may end: nohup, or a shell that exits.
    for file in ["runs", "go"] {
        std::fs::remove_file(sandbox.root().join(file)).unwrap();
    }
    let line = format!("git-llm-apply -q -x '{WAITS}' '{}'; true", answer.display());
    orphaned(&mut sandbox.program("sh", ["-c", &line]), &sandbox);
    assert!(wait_for(|| sandbox.head() != head));
    assert_eq!((sandbox.text("x"), sandbox.status()), ("x\n".to_owned(), String::new()));
}

#[test]
fn a_signal_that_comes_too_late_ends_nothing() {
    let good = create("x", "Add x", "x\n");
    for hook in ["post-commit", "post-llm-apply"] {
        for (response, options, code) in [
            (good.clone(), &[][..], 0),
            (good.clone(), &["--json"], 0),
            (good.clone(), &["--stat"], 0),
            (good.clone() + &patch("README", "w", "nowhere\n", "x\n"), &["--keep-going"], 1),
        ] {
            let sandbox = Sandbox::new();
            let head = sandbox.head();
            let text = "#!/bin/sh\nkill -INT $PPID; sleep 0.2; kill -TERM $PPID\n";
            sandbox.script(&sandbox.repo.join(".git/hooks").join(hook), text);
            let run = sandbox.apply(options, &response).exits(code);
            assert!(!run.stdout.is_empty(), "{hook} {options:?}: {run:?}");
            assert!(run.stdout.contains(&sandbox.head()[..7]) || options == ["--stat"], "{run:?}");
            assert_ne!(sandbox.head(), head, "{hook} {options:?}");
            assert_eq!(sandbox.status(), "");
        }
    }
}

#[test]
fn so_it_is_for_every_verb() {
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &create("x", "Add x", "x\n")).exits(0);
    sandbox.apply(["-b", "side"], &create("y", "Add y", "y\n")).exits(0);
    // Git runs this hook after it has moved the references. Its parent is git, and git's parent is the landing.
    let text = "#!/bin/sh\nif test \"$1\" = committed; then\n\
                git=$PPID; kill -INT $(ps -o ppid= -p $git); sleep 0.1; fi; cat >/dev/null\n";
    sandbox.script(&sandbox.repo.join(".git/hooks/reference-transaction"), text);
    let id = |sandbox: &Sandbox| {
        let run = Run::of(sandbox.command(["list"]).output().unwrap());
        run.stdout.split(' ').next().unwrap().to_owned()
    };
    for verb in [&["undo"][..], &["redo"], &["accept", "side"], &["drop", "--force", "side"]] {
        let run = sandbox.run(verb).exits(0);
        assert!(!run.stdout.is_empty(), "{verb:?}: {run:?}");
    }
    let run = sandbox.run(["forget", &id(&sandbox)]).exits(0);
    assert!(run.stdout.contains("forgot"), "{run:?}");
    assert!(sandbox.exists("y"));
    sandbox.leaves_no_file();
}
