//! The commands that a landing prints to take it back.

use crate::sandbox::{Run, Sandbox, create, five, kinds};

/// Returns the commands that take a landing back: one or two.
fn ways_back(run: &Run) -> Vec<&str> {
    let line = run.stdout.lines().find_map(|line| line.strip_prefix("take it back: ")).unwrap();
    let ways = line.split("   (or: ");
    ways.map(|way| way.trim_end_matches(')')).collect()
}

fn path_with_binary() -> std::ffi::OsString {
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_git-llm-apply")).parent().unwrap().to_owned();
    let before = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(binary).chain(std::env::split_paths(&before))).unwrap()
}

/// Runs a printed command in a shell.
#[track_caller]
fn type_in(sandbox: &Sandbox, command: &str) {
    let git = sandbox.git_command([""; 0]);
    let status = std::process::Command::new("sh")
        .args(["-c", command])
        .env_clear()
        .envs(git.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .env("PATH", path_with_binary())
        .current_dir(&sandbox.repo)
        .stdout(std::process::Stdio::null())
        .status();
    assert!(status.unwrap().success(), "{command}");
}

#[test]
fn what_is_taken_back_without_a_record_is_put_back_by_git() {
    let sandbox = Sandbox::new();
    let landed = |later: bool| {
        sandbox.apply(["--again"], &create("new.txt", "Add it", "new\n")).exits(0);
        if later {
            sandbox.file("later.txt", "later\n");
            sandbox.commit("later");
        }
        sandbox.git(["rev-parse", "HEAD^{tree}"])
    };
    for later in [false, true] {
        let tree = landed(later);
        let run = sandbox.run(["undo", "--no-record"]).exits(0);
        assert_ne!(sandbox.git(["rev-parse", "HEAD^{tree}"]), tree);
        let back = run.stdout.lines().find_map(|line| line.split_once("put it back: ")).unwrap().1;
        type_in(&sandbox, back.split("   (or: ").next().unwrap());
        assert_eq!(sandbox.git(["rev-parse", "HEAD^{tree}"]), tree, "{back}");
        sandbox.git(["rm", "-q", "new.txt"]);
        sandbox.commit("by hand");
    }
}

#[test]
fn how_to_take_it_back_is_true() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    for options in [&[][..], &["-b", "new"], &["-b", "old"], &["-b", "it's"], &["-b", "$(id>owned);b"]] {
        if options.contains(&"old") {
            sandbox.git(["branch", "old"]);
        }
        let run = sandbox.apply(options.iter(), &five()).exits(0);
        let ways = ways_back(&run);
        assert_eq!(ways.len(), if options.is_empty() { 2 } else { 1 }, "{}", run.stdout);
        // The first command leaves nothing behind.
        type_in(&sandbox, ways.first().unwrap());
        assert_eq!(sandbox.head(), base);
        if options.contains(&"old") {
            assert_eq!(sandbox.git(["rev-parse", "old"]), base);
            let landing = run.stdout.trim_end().rsplit(' ').next().unwrap();
            let redone = sandbox.run(["redo", "-b", "old", landing]).exits(0);
            redone.says(&format!("take it back: git llm-apply undo -b old {landing}"));
            type_in(&sandbox, ways.first().unwrap());
        }
        assert_eq!(sandbox.status(), "");
    }
    let run = sandbox.apply([""; 0], &five()).exits(0);
    type_in(&sandbox, ways_back(&run)[1]);
    assert_eq!(sandbox.git(["diff", &base]), "");
    // Without a record, git's command alone.
    sandbox.git(["reset", "-q", "--hard", &base]);
    for way in [0, 1] {
        let run = sandbox.apply(["--no-record"], &five()).exits(0);
        assert!(!run.stdout.contains("undo"), "{}", run.stdout);
        type_in(&sandbox, ways_back(&run)[way]);
        assert_eq!(sandbox.git(["diff", &base]), "");
    }
    assert_eq!(sandbox.status(), "");
    sandbox.git(["reset", "-q", "--hard", &base]);
    assert_eq!(sandbox.git(["branch", "--format=%(refname:short)"]), "main\nold");
}

#[test]
fn how_to_take_a_first_commit_back_is_true() {
    let judge = || take_a_first_commit_back(&Sandbox::unborn());
    judge();
    kinds::in_others(&[judge]);
}

fn take_a_first_commit_back(sandbox: &Sandbox) {
    sandbox.file("mine", "mine\n");
    sandbox.git(["add", "mine"]);
    let run = sandbox.apply([""; 0], &create("deep/new.txt", "w", "new\n")).exits(0);
    type_in(sandbox, ways_back(&run)[0]);
    assert_eq!(sandbox.status(), "A  mine");
    assert!(!sandbox.exists("deep"));
    let born = sandbox.git_command(["rev-parse", "-q", "--verify", "HEAD"]).status().unwrap();
    assert!(!born.success());
}
