//! Kills a landing at every system call that changes files, and lets each one fail, under strace. Afterwards everything
//! is as before or as after.
//!
//! The named points of `tests/crash/crash.rs` are only where somebody thought of one; these calls are all that the
//! program makes. If there is no strace, or it is not allowed to trace, the tests say so and pass.

use crate::faults;
use crate::sandbox;

use faults::End;
use faults::calls::Landing;
use faults::scenario::{DROPPING, SCENARIOS, Scenario, UNDOING};
use faults::strace::{CALLS, Call, Kind, calm, can_trace, strace, traced};
use std::path::PathBuf;

/// Kills a landing at every `step`th of the calls that apply to that kind of file system. Returns how many were tried.
fn kill_at_each(kind: Kind, step: usize) -> usize {
    let landing = Landing::of(&SCENARIOS[0], kind);
    let struck: Vec<_> = landing.calls.iter().filter(|call| kind.is_struck_at(call)).step_by(step).collect();
    let landed = struck.iter().filter(|call| landing.kill(call) == End::After).count();
    assert!(landed > 0 && landed < struck.len(), "{landed} of {} landed", struck.len());
    struck.len()
}

#[test]
fn killed_at_any_system_call_it_is_before_or_after() {
    if can_trace() {
        println!("killed at {} system calls", kill_at_each(Kind::Local, 1));
    }
}

#[test]
fn every_kind_of_target_can_be_struck() {
    if can_trace() {
        SCENARIOS.iter().for_each(|scenario| drop(Landing::of(scenario, Kind::Local)));
    }
}

#[test]
fn any_system_call_may_fail_and_it_is_before_or_after() {
    if !can_trace() {
        return;
    }
    // Every call fails once, with one of the three errors in turn, because the program treats them alike. The benchmark
    // `faults` tries all three on each.
    let landing = Landing::of(&SCENARIOS[0], Kind::Local);
    for (call, error) in landing.calls.iter().zip(["ENOSPC", "EIO", "EACCES"].into_iter().cycle()) {
        landing.fail(call, error, "");
    }
}

#[test]
fn a_call_that_fails_for_good_is_left_to_recover() {
    if !can_trace() {
        return;
    }
    // From one call on, all calls of that name fail, also while the run goes back: the disk is broken until `recover`
    // runs. Only every second call is tried.
    let landing = Landing::of(&SCENARIOS[0], Kind::Local);
    for call in landing.calls.iter().step_by(2) {
        landing.fail(call, "EIO", "+");
    }
}

#[test]
fn files_whose_directories_cannot_be_made_again_are_left_to_recover() {
    if !can_trace() {
        return;
    }
    let landing = Landing::of(scenario("files and directories swapped"), Kind::Local);
    let makes = |call: &&Call| call.name == "mkdirat" && !call.arguments.contains("/.git");
    let struck: Vec<_> = landing.calls.iter().filter(makes).collect();
    assert!(struck.len() > 1, "{struck:?}");
    for call in struck {
        assert_eq!(landing.fail(call, "EIO", "+"), End::Before);
    }
}

#[test]
fn objects_that_hooks_have_seen_are_left_to_recover_where_they_cannot_be_taken_out() {
    if !can_trace() {
        return;
    }
    let landing = Landing::of(scenario("hooks and commands"), Kind::Local);
    let opens = |call: &&Call| call.name == "openat" && call.arguments.contains("COMMIT_EDITMSG");
    let struck: Vec<_> = landing.calls.iter().filter(opens).collect();
    assert!(struck.len() > 1, "{struck:?}");
    for call in struck {
        assert_eq!(landing.fail(call, "EIO", "+"), End::Before);
    }
}

#[test]
fn other_kinds_of_file_systems_are_served_and_as_safe() {
    if !can_trace() {
        return;
    }
    for kind in [Kind::WithoutExchange, Kind::WithoutLinks] {
        let struck_at = kill_at_each(kind, 1);
        println!("{kind:?}: killed at {struck_at} system calls");
        assert!(struck_at > 10, "{kind:?}: only {struck_at} calls");
    }
}

#[test]
fn with_sha_256_it_is_as_safe() {
    let kind = &["--object-format=sha256"];
    if can_trace() && sandbox::kinds::can_make(kind) {
        // Every sixth call only, because the calls are the same.
        sandbox::kinds::within(kind, || assert!(kill_at_each(Kind::Local, 6) > 10));
    }
}

#[test]
fn where_git_does_a_part_its_calls_may_fail_too() {
    if !can_trace() {
        return;
    }
    let calls = ["openat", "write", "rename", "mkdir", "linkat", "unlink"];
    for name in ["files by git", "an index by git"] {
        strike_all(scenario(name), &["error=EIO", "signal=KILL"], &calls);
    }
    let kind = &["--ref-format=reftable"];
    if sandbox::kinds::can_make(kind) {
        // If git is killed while it moves the branch, or cannot remove its lock, the lock stays, as always with git.
        sandbox::kinds::within(kind, || strike_all(&SCENARIOS[0], &["error=EIO"], &calls[..5]));
    }
}

#[test]
fn what_takes_back_or_removes_may_be_struck_too() {
    if !can_trace() {
        return;
    }
    for scenario in UNDOING {
        let landing = Landing::of(scenario, Kind::Local);
        for (at, call) in landing.calls.iter().enumerate().skip(3).step_by(11) {
            match at % 2 {
                0 => landing.kill(call),
                _ => landing.fail(call, "EIO", ""),
            };
        }
    }
    // If git cannot remove the log of a branch, it leaves the log.
    strike_all(&DROPPING, &["error=EIO", "signal=KILL"], &["openat", "write", "rename"]);
}

#[test]
fn what_git_was_not_told_it_has_not_done() {
    if !can_trace() {
        return;
    }
    let strike = |scenario| {
        let landing = Landing::of(scenario, Kind::Local);
        let told = |call: &&Call| call.name == "write" && call.arguments == "<pipe>";
        let told: Vec<_> = landing.calls.iter().filter(told).collect();
        assert!(!told.is_empty(), "git is told nothing");
        for call in told {
            assert_eq!(landing.fail(call, "EIO", ""), End::Before);
            landing.kill(call);
        }
    };
    strike(scenario("moved by git"));
    let kind = &["--ref-format=reftable"];
    if sandbox::kinds::can_make(kind) {
        sandbox::kinds::within(kind, || strike(&SCENARIOS[0]));
    }
}

fn scenario(name: &str) -> &'static Scenario {
    SCENARIOS.iter().find(|scenario| scenario.name == name).unwrap()
}

/// Injects faults into all processes, ours and git's. Each counts its own calls.
fn strike_all(scenario: &Scenario, injections: &[&str], calls: &[&str]) {
    let ends = scenario.ends();
    let mut landed = [0, 0];
    for injection in injections {
        for call in calls {
            let kills = injection.starts_with("signal");
            for nth in if kills { [2, 5, 17] } else { [1, 3, 9] } {
                let what = format!("{call}:{injection}:when={nth}");
                let sandbox = (scenario.make)();
                let tips = sandbox.git(["for-each-ref"]);
                let log = sandbox.root().join("strace.log");
                let run = strace(&sandbox, scenario, &["-f"], &[call], &[&what], &log);
                let recovered = sandbox.run(["recover"]).exits(0);
                let end = if sandbox.git(["for-each-ref"]) == tips { End::Before } else { End::After };
                landed[usize::from(end == End::After)] += 1;
                let what = format!("{what}: {:?}\n{}{}", run.code, run.stderr, recovered.stdout);
                assert!(run.code != Some(0) || end == End::After, "{what}");
                let wanted = if end == End::After { &ends.after } else { &ends.before };
                scenario.is(&sandbox, wanted, &what);
            }
        }
    }
    assert!(landed.iter().all(|count| *count > 0), "{landed:?}");
}

#[test]
fn the_plain_path_spawns_nothing_and_writes_inside_the_repository_only() {
    if !can_trace() {
        return;
    }
    let scenario = &SCENARIOS[0];
    let sandbox = calm(scenario);
    let mut names = CALLS.to_vec();
    names.extend([
        "execve", "execveat", "fork", "vfork", "clone", "clone3", "mknod", "mknodat", "connect", "socket",
    ]);
    let (run, calls) = traced(&sandbox, scenario, &names, Kind::Local, None);
    run.exits(0);
    let spawned: Vec<_> = calls
        .iter()
        .filter(|call| {
            call.name.starts_with("exec") || call.name.contains("fork") || call.name.contains("clone")
        })
        .collect();
    assert_eq!(spawned.len(), 1, "{spawned:?}");
    assert!(!calls.iter().any(|call| ["connect", "socket"].contains(&call.name.as_str())), "it went online");
    let printing =
        |call: &Call| call.name == "write" && ["1<", "2<"].iter().any(|fd| call.arguments.starts_with(fd));
    for call in calls.iter().filter(|call| call.name != "execve" && call.changes_files() && !printing(call)) {
        // Every path that the call names, and every directory or file that it has open.
        let quoted = call.arguments.split('"').skip(1).step_by(2);
        let open = call.arguments.split('<').skip(1).filter_map(|rest| rest.split('>').next());
        let absolute = |path: &&str| path.starts_with('/') || path.starts_with("ROOT");
        let paths: Vec<_> = quoted.filter(absolute).chain(open).map(PathBuf::from).collect();
        assert!(!paths.is_empty(), "{call:?}");
        let outside = paths.iter().find(|path| !path.starts_with("ROOT/repo"));
        assert_eq!(outside, None, "{call:?}");
    }
}
