//! Git's own locks, held by other processes for a while.
use crate::sandbox;

use sandbox::{Sandbox, create, five, same};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Lands while a lock is held for so many milliseconds (`None`: forever). Returns the exit status and the time it took.
fn land_while_held(
    sandbox: &Sandbox,
    options: &[&str],
    lock: &str,
    held: Option<u64>,
) -> (Option<i32>, Duration) {
    let path = sandbox.repo.join(".git").join(lock);
    std::fs::write(&path, "").unwrap();
    let begin = Instant::now();
    let holder = std::thread::spawn({
        let path = path.clone();
        move || {
            if let Some(held) = held {
                std::thread::sleep(Duration::from_millis(held));
                std::fs::remove_file(path).unwrap();
            }
        }
    });
    let run = sandbox.apply(options, &five());
    holder.join().unwrap();
    let took = begin.elapsed();
    let _ = std::fs::remove_file(path);
    (run.code, took)
}

#[test]
fn a_lock_that_is_held_for_a_moment_is_waited_for() {
    for (lock, held) in [("index.lock", 400), ("HEAD.lock", 50), ("refs/heads/main.lock", 50)] {
        let sandbox = Sandbox::new();
        let (code, _) = land_while_held(&sandbox, &["-q"], lock, Some(held));
        assert_eq!(code, Some(0), "{lock}");
        assert_eq!(sandbox.status(), "");
        sandbox.is_sound();
    }
}

#[test]
fn references_are_waited_for_as_long_as_git_is_told_to() {
    for (timeout, held, lands) in [
        (None, None, false),
        (Some("0"), Some(500), false),
        (Some("3000"), Some(700), true),
        (Some("-1"), Some(700), true),
    ] {
        for lock in ["HEAD.lock", "refs/heads/main.lock"] {
            let sandbox = Sandbox::new();
            if let Some(timeout) = timeout {
                sandbox.git(["config", "core.filesRefLockTimeout", timeout]);
            }
            let before = sandbox.listing();
            let (code, took) = land_while_held(&sandbox, &["-q", "--no-keep"], lock, held);
            assert_eq!(code, Some(if lands { 0 } else { 4 }), "{timeout:?} {lock}");
            if !lands {
                same(lock, &before, &sandbox.listing());
            }
            if held.is_none() {
                assert!(took >= Duration::from_millis(100), "{took:?}");
            }
        }
    }
}

#[test]
fn a_lock_that_stays_is_in_the_way() {
    let sandbox = Sandbox::new();
    let before = sandbox.listing();
    let (code, took) = land_while_held(&sandbox, &["-q"], "index.lock", None);
    assert_eq!(code, Some(4));
    assert!(took >= Duration::from_secs(1), "{took:?}");
    same("index.lock", &before, &sandbox.listing());
    // If no checkout moves, nobody needs the lock of the index.
    let (code, took) = land_while_held(&sandbox, &["-q", "-b", "side"], "index.lock", None);
    assert_eq!(code, Some(0));
    assert!(took < Duration::from_secs(1), "{took:?}");
}

#[test]
fn waiting_for_ever_ends_with_a_signal() {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "core.filesRefLockTimeout", "-1"]);
    sandbox.file(".git/HEAD.lock", "");
    let before = sandbox.listing();
    let response = sandbox.response(&five());
    let mut command = sandbox.command(["-q".into(), response]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(600));
    sandbox::fault::signal("INT", child.id());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    same("interrupted", &before, &sandbox.listing());
}

#[test]
fn git_status_in_the_background_is_no_obstacle() {
    let sandbox = Sandbox::new();
    for n in 0..200 {
        sandbox.file(&format!("many/{n}"), "x\n");
    }
    sandbox.commit("many");
    let stop = sandbox.root().join("stop");
    // Every file is touched, so that each `git status` writes the index.
    let script =
        format!("while [ ! -e '{}' ]; do touch many/*; git status >/dev/null 2>&1; done", stop.display());
    let mut shell = sandbox.git_command([""; 0]);
    let env: Vec<_> = shell.get_envs().filter_map(|(k, v)| Some((k.to_owned(), v?.to_owned()))).collect();
    shell = std::process::Command::new("sh");
    let mut background =
        shell.args(["-c", &script]).env_clear().envs(env).current_dir(&sandbox.repo).spawn().unwrap();
    let failed: Vec<_> = (0..25)
        .filter_map(|n| {
            let run = sandbox.apply(["-q"], &create(&format!("new/{n}"), "w", "x\n"));
            (run.code != Some(0)).then_some((n, run))
        })
        .collect();
    std::fs::write(stop, "").unwrap();
    background.wait().unwrap();
    assert!(failed.is_empty(), "{failed:?}");
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
}
