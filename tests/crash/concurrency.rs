//! Several at work on one repository: landings, git, and people who save a file.
use crate::faults;
use crate::sandbox;

use sandbox::{Run, Sandbox, create, five, patch};

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
fn what_is_said_to_have_landed_has_whatever_else_goes_on() {
    let told = faults::race::run(std::time::Duration::from_secs(8));
    println!("{told:#?}");
    assert_eq!(told.lost, [""; 0]);
    assert_eq!(told.found + told.reset.len(), told.landed);
    assert!(told.landed >= 5 && told.saves >= 20 && told.commits >= 2, "{told:?}");
}

#[test]
fn who_cleans_up_meanwhile_takes_nothing_that_is_in_use() {
    use std::sync::atomic::{AtomicBool, Ordering};
    // Git prunes worktrees; others look for what the dead have left, and find what is just coming and going.
    let sandbox = Sandbox::new();
    let over = AtomicBool::new(false);
    let clean = |mut command: std::process::Command| {
        let mut failed = Vec::new();
        while !over.load(Ordering::Relaxed) {
            let run = Run::of(command.output().unwrap());
            failed.extend((run.code != Some(0)).then_some(run));
        }
        failed
    };
    let failed = std::thread::scope(|scope| {
        let prune = scope.spawn(|| clean(sandbox.git_command(["worktree", "prune"])));
        let recover = [(); 2].map(|()| scope.spawn(|| clean(sandbox.command(["recover"]))));
        let land = |n: usize| sandbox.apply(["-q", "-b", "side"], &create(&format!("new/{n}"), "Add", "x\n"));
        let mut failed: Vec<_> = (0..80).map(land).filter(|run| run.code != Some(0)).collect();
        over.store(true, Ordering::Relaxed);
        // Git fails where what it looks at goes: that is its own.
        prune.join().unwrap();
        failed.extend(recover.into_iter().flat_map(|one| one.join().unwrap()));
        failed
    });
    assert_eq!(failed, []);
    sandbox.is_sound();
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
fn what_another_run_has_landed_meanwhile_is_no_local_change() {
    use git_llm_apply::vcs::fault::VARIABLE;
    let sandbox = Sandbox::new();
    // It touches a file that the other one touches, too, and was resolved before that landed.
    let file = sandbox.response(&patch("src/a.rs", "Rename c", "fn c() {}\n", "fn gamma() {}\n"));
    let mut command = sandbox.command([file]);
    command.env(VARIABLE, "begun:stop").stdout(std::process::Stdio::piped());
    let child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let process = child.id().to_string();
    stopped(&process);
    sandbox.apply(["-q"], &five()).exits(0);
    std::process::Command::new("kill").args(["-CONT", &process]).status().unwrap();
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert_eq!(sandbox.text("src/a.rs"), "fn a() {}\nfn beta() {}\nfn gamma() {}\n");
    assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), "7");
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
}
