//! Kept attempts, when runs are killed, race, or meet links.
use crate::sandbox;

use git_llm_apply::vcs::fault::VARIABLE;
use sandbox::{Run, Sandbox, five, patch, same};

#[test]
fn the_attempt_that_landed_before_the_kill_is_forgotten() {
    for (fault, is_there) in [("journal-placed", true), ("ref-moved", false)] {
        let sandbox = Sandbox::new();
        let bad = five() + &patch("README", "Greet", "good-bye\n", "welcome\n");
        sandbox.apply(["-q"], &bad).exits(1);
        let good = patch("README", "Greet", "hello\n", "welcome\n");
        let mut command = sandbox.command(["--continue", "--"]);
        command.arg(sandbox.response(&good)).env(VARIABLE, format!("{fault}:kill"));
        assert_eq!(Run::of(command.output().unwrap()).signal, Some(9), "{fault}");
        sandbox.run(["recover"]).exits(0);
        assert_eq!(sandbox.exists(".git/llm-apply/attempts"), is_there, "{fault}");
        assert_eq!(sandbox.text("README").contains("welcome"), !is_there, "{fault}");
    }
}

#[test]
fn an_attempt_is_forgotten_in_the_worktree_that_it_was_kept_in() {
    let sandbox = Sandbox::new();
    let linked = sandbox.root().join("side");
    sandbox.git(["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let bad = five() + &patch("README", "Greet", "good-bye\n", "welcome\n");
    sandbox.apply(["-q"], &bad).exits(1);
    let of_linked = |options: &[&str], response: &str, fault: Option<&str>| {
        let mut command = sandbox.command(options);
        command.arg(sandbox.response(response)).current_dir(&linked);
        if let Some(fault) = fault {
            command.env(VARIABLE, fault);
        }
        Run::of(command.output().unwrap())
    };
    of_linked(&["-q"], &bad, None).exits(1);
    let good = patch("README", "Greet", "hello\n", "welcome\n");
    let killed = of_linked(&["--continue", "--"], &good, Some("ref-moved:kill"));
    assert_eq!(killed.signal, Some(9));
    assert!(sandbox.exists(".git/worktrees/side/llm-apply/attempts"));
    // Recover from the other worktree, which has an attempt of the same name.
    sandbox.run(["recover"]).exits(0);
    assert!(!sandbox.exists(".git/worktrees/side/llm-apply/attempts"));
    assert!(sandbox.exists(".git/llm-apply/attempts"));
}

#[test]
fn an_attempt_that_is_kept_anew_is_there_at_every_moment() {
    let bad = patch("README", "Greet", "hello\n", "hi\n") + &patch("gone.txt", "w", "not there\n", "x\n");
    for fault in ["attempt-written", "attempt-kept"] {
        let sandbox = Sandbox::new();
        sandbox.apply(["-q"], &bad).exits(1);
        let kept = |sandbox: &Sandbox| sandbox.run(["list", "--porcelain"]).exits(0).stdout;
        let before = kept(&sandbox);
        let file = sandbox.response(&bad);
        let run = Run::of(
            sandbox.command(["-q"]).arg(file).env(VARIABLE, format!("{fault}:kill")).output().unwrap(),
        );
        assert_eq!(run.signal, Some(9), "{fault}: {}", run.stderr);
        assert_eq!(kept(&sandbox).lines().count(), before.lines().count(), "{fault}");
        sandbox.run(["recover"]).exits(0);
        assert!(!sandbox.exists(".git/llm-apply/tmp"), "{fault}");
        sandbox.apply(["--continue"], &patch("gone.txt", "w", "gone\n", "x\n")).exits(0);
        sandbox.is_sound();
        sandbox.leaves_no_file();
    }
}

#[test]
fn many_may_keep_and_forget_one_attempt_at_once() {
    let sandbox = Sandbox::new();
    let file = sandbox.response(&patch("README", "w", "not there\n", "x\n"));
    let runs: Vec<_> = std::thread::scope(|scope| {
        let run = |number: usize| match number % 5 {
            4 => sandbox.run(["--abort"]),
            _ => sandbox.run([file.to_str().unwrap()]),
        };
        let all: Vec<_> = (0..30).map(|number| scope.spawn(move || (number, run(number)))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for (number, run) in runs {
        assert!(!run.stderr.contains("could not be kept"), "{number}: {}", run.stderr);
        assert!(number % 5 == 4 || run.code == Some(1), "{number}: {}", run.stderr);
        // Another process may have removed it already.
        let is_gone = run.stderr.contains("no refused attempt is kept");
        assert!(number % 5 != 4 || run.code == Some(0) || is_gone, "{number}: {}", run.stderr);
    }
    sandbox.run(["list"]).exits(0);
    let _ = sandbox.run(["--abort"]);
    sandbox.leaves_no_file();
}

#[test]
fn nothing_is_kept_through_a_link() {
    for link in [".git/llm-apply/tmp", ".git/llm-apply/attempts"] {
        let sandbox = Sandbox::new();
        let outside = sandbox.root().join("outside");
        std::fs::create_dir(&outside).unwrap();
        std::fs::create_dir(sandbox.repo.join(".git/llm-apply")).unwrap();
        std::os::unix::fs::symlink(&outside, sandbox.repo.join(link)).unwrap();
        let before = sandbox.listing();
        sandbox.apply([""; 0], &patch("README", "w", "not there\n", "x\n")).exits(1).says(link);
        same(link, &before, &sandbox.listing());
        assert_eq!(outside.read_dir().unwrap().count(), 0, "{link}");
    }
}
