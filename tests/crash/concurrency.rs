//! Several processes work on one repository: landings, git, and people who save a file.
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
    // Git prunes worktrees while other processes look for what killed runs have left, and find directories that just
    // appear or disappear.
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
        // Git may fail if a file disappears while it looks. That is git's own business.
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
    // The landing is stopped with everything prepared, while plain git commits to the same branch.
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
    // Commands on the result run in a scratch worktree, which must not be removed.
    let child = sandbox
        .command(["-x".as_ref(), "true".as_ref(), file.as_os_str()])
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
    // It changes a file that the other landing changes too, and was resolved before that one landed.
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

/// Starts landings on one branch at the same time, with a command that takes a while, and waits for all of them.
fn together(sandbox: &Sandbox, agents: usize, options: &[&str]) -> Vec<Run> {
    let start = |n: usize| {
        let file = sandbox.root().join(format!("agent-{n}.txt"));
        std::fs::write(&file, create(&format!("of-{n}.txt"), &format!("Of {n}"), "x\n")).unwrap();
        let mut command = sandbox.command(options);
        command.args(["-x", "sleep 0.2", "--json", "--"]).arg(file);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let all: Vec<_> = (0..agents).map(start).collect();
    all.into_iter().map(|one| Run::of(one.wait_with_output().unwrap())).collect()
}

#[test]
fn agents_whose_commands_take_long_all_land_on_one_branch() {
    const AGENTS: usize = 8;
    for options in [&[][..], &["-b", "other"]] {
        let sandbox = Sandbox::new();
        let old = sandbox.git(["rev-parse", "main"]);
        for run in together(&sandbox, AGENTS, options) {
            run.exits(0);
        }
        let branch = options.last().copied().unwrap_or("main");
        let mut subjects = sandbox.subjects(&format!("{old}..{branch}"));
        subjects.sort();
        assert_eq!(subjects, (0..AGENTS).map(|n| format!("Of {n}")).collect::<Vec<_>>());
        assert_eq!(sandbox.status(), "");
        sandbox.has_sound_objects();
        sandbox.leaves_no_file();
    }
}

#[test]
fn a_cache_directory_that_others_remove_is_made_again() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let sandbox = Sandbox::new();
    let cache = sandbox.root().join("home/.cache/git-llm-apply");
    let ended = AtomicBool::new(false);
    // Other runs do this when they end.
    let removes = || {
        while !ended.load(Ordering::Relaxed) {
            let _ = std::fs::remove_dir(&cache);
            std::thread::sleep(std::time::Duration::from_micros(20));
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(removes);
        let runs: Vec<_> = (0..40)
            .map(|n| {
                let text = create(&format!("of-{n}.txt"), "Add it", "x\n");
                sandbox.apply(["-x", "true"], &text)
            })
            .collect();
        ended.store(true, Ordering::Relaxed);
        runs.into_iter().for_each(|run| _ = run.exits(0));
    });
    sandbox.leaves_no_file();
}

#[test]
fn who_does_not_wait_is_told_that_it_can_be_tried_again() {
    // The command itself moves the branch each time it runs.
    let sandbox = Sandbox::new();
    let file = sandbox.response(&create("new.txt", "Add it", "new\n"));
    let repo = sandbox.repo.display().to_string();
    let moves = format!(
        "cd '{repo}' && git update-ref refs/heads/other $(git commit-tree -p other -m meanwhile other^{{tree}}) && echo x >>../tries"
    );
    sandbox.git(["branch", "other"]);
    let mut command = sandbox.command(["-b", "other", "--wait=0", "--json", "--no-keep", "-x", &moves]);
    let run = Run::of(command.arg(&file).output().unwrap()).exits(4);
    let told: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (told["error"]["code"].as_str(), told["error"]["retryable"].as_bool()),
        (Some("moved"), Some(true))
    );
    let tries = std::fs::read_to_string(sandbox.root().join("tries")).unwrap();
    assert_eq!(tries.lines().count(), 3);
    // The run tries again until `--wait` is over.
    let mut command = sandbox.command(["-b", "other", "--wait=5", "--no-keep", "-x", &moves]);
    Run::of(command.arg(&file).output().unwrap()).exits(4);
    let tries = std::fs::read_to_string(sandbox.root().join("tries")).unwrap();
    assert!(tries.lines().count() > 8, "{tries}");
    sandbox.leaves_no_file();
    for bad in ["--wait=soon", "--wait=-1"] {
        sandbox.run([bad, "../response.txt"]).exits(129).says("--wait");
    }
    // The same for the lock of the repository.
    let lock = std::fs::File::open(sandbox.repo.join(".git")).unwrap();
    lock.lock().unwrap();
    for verb in [&["../response.txt"][..], &["accept", "other"], &["drop", "--force", "other"]] {
        let run = sandbox.run(verb.iter().chain(&["--wait=0", "--json"])).exits(4);
        let told: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(
            (told["error"]["code"].as_str(), told["error"]["retryable"].as_bool()),
            (Some("locked"), Some(true))
        );
    }
}

#[test]
fn who_is_killed_or_interrupted_in_the_line_is_sound() {
    for kill in ["-KILL", "-INT"] {
        let sandbox = Sandbox::new();
        sandbox.git(["branch", "other"]);
        // The first has its turn and takes long; the second waits behind it.
        let slow = |name: &str, seconds: &str| {
            let file = sandbox.root().join(name);
            std::fs::write(&file, create(&format!("{name}.txt"), "Add it", "x\n")).unwrap();
            let command = format!("echo x >>{}/{name}-ran; sleep {seconds}", sandbox.root().display());
            let mut run = sandbox.command(["-b", "other", "-q", "-x", &command, "--"]);
            run.arg(file).spawn().unwrap()
        };
        let ran = |name: &str| {
            let text = std::fs::read_to_string(sandbox.root().join(format!("{name}-ran")));
            text.unwrap_or_default().lines().count()
        };
        let wait_for = |is_so: &dyn Fn() -> bool| {
            for _ in 0..600 {
                if is_so() {
                    return;
                }
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            panic!("it did not come to that");
        };
        let moved = || {
            let id = sandbox.git(["commit-tree", "-p", "other", "-m", "meanwhile", "other^{tree}"]);
            sandbox.git(["update-ref", "refs/heads/other", &id]);
        };
        let lines = || {
            let all = std::fs::read_dir(sandbox.repo.join(".git/llm-apply/txn"));
            all.into_iter().flatten().flatten().filter(|one| one.path().join("line").exists()).count()
        };
        let mut first = slow("first", "1");
        wait_for(&|| ran("first") == 1);
        let mut second = slow("second", "1");
        wait_for(&|| ran("second") == 1);
        moved();
        wait_for(&|| lines() == 2);
        let killed = std::process::Command::new("kill").args([kill, &second.id().to_string()]).status();
        assert!(killed.unwrap().success());
        let code = second.wait().unwrap().code();
        assert_eq!(code, (kill == "-INT").then_some(130));
        assert!(first.wait().unwrap().success());
        sandbox.run(["recover"]).exits(0);
        assert_eq!(sandbox.git(["log", "-1", "--format=%s", "other"]), "Add it");
        sandbox.leaves_no_file();
    }
}
