//! Landings that are killed, or fail, at every named point, on every kind of target. Afterwards, or after `recover`,
//! everything is exactly as before or as after, and nothing in between.

use crate::faults;
use crate::sandbox;

use faults::points::{Strike, is_before_commit_point, strike_at};
use faults::scenario::{SCENARIOS, Scenario, UNDOING};
use git_llm_apply::vcs::fault::{Fault, VARIABLE};
use sandbox::same;

/// Returns the points to use: all of them in the first scenario; in the others every second one, and the rest with the
/// other kind of strike. The benchmark `faults -- --full` uses all points with both kinds.
fn points(scenario: usize, strike: Strike) -> impl Iterator<Item = Fault> {
    let offset = scenario + usize::from(strike == Strike::Fail);
    let all = Fault::ALL.iter().enumerate();
    all.filter(move |(at, _)| scenario == 0 || (at + offset).is_multiple_of(2)).map(|(_, fault)| *fault)
}

#[test]
fn killed_anywhere_the_next_run_finds_before_or_after() {
    for (at, scenario) in SCENARIOS.iter().enumerate() {
        let ends = scenario.ends();
        let mut struck = 0;
        for fault in points(at, Strike::Kill) {
            strike_at(scenario, &ends, Strike::Kill, fault, |_| struck += 1);
        }
        assert!(
            struck >= if at == 0 { 12 } else { 5 },
            "{}: only {struck} points were struck",
            scenario.name
        );
    }
}

#[test]
fn an_undo_or_redo_is_before_or_after_too() {
    for (at, scenario) in (1..).zip(UNDOING) {
        let ends = scenario.ends();
        let mut struck = 0;
        for strike in [Strike::Kill, Strike::Fail] {
            for fault in points(at, strike) {
                strike_at(scenario, &ends, strike, fault, |_| struck += 1);
            }
        }
        assert!(struck >= 15, "{}: only {struck} points were struck", scenario.name);
    }
}

#[test]
fn the_next_run_recovers_by_itself() {
    let scenario = &SCENARIOS[0];
    let ends = scenario.ends();
    for fault in [Fault::Committed, Fault::FilePlaced, Fault::RefMoved, Fault::IndexPlaced] {
        let sandbox = (scenario.make)();
        scenario.land(&sandbox, Some(&format!("{}:kill", fault.as_str())));
        // A dry run changes nothing, but says that a recovery is pending.
        let pending = sandbox.listing();
        let dry = sandbox.apply(["-n"], &(scenario.response)());
        assert!(dry.stderr.contains("recover"), "{fault:?}: {}", dry.stderr);
        same("dry run", &pending, &sandbox.listing());
        scenario.land(&sandbox, None).exits(0);
        scenario.is(&sandbox, &ends.after, &format!("{fault:?}"));
    }
}

#[test]
fn failing_anywhere_before_the_commit_point_leaves_everything_as_it_was() {
    for (at, scenario) in SCENARIOS.iter().enumerate() {
        let ends = scenario.ends();
        for fault in points(at, Strike::Fail) {
            strike_at(scenario, &ends, Strike::Fail, fault, |_| {});
        }
    }
}

#[test]
fn a_step_that_keeps_failing_after_the_commit_point_is_left_to_recover() {
    let scenario = &SCENARIOS[0];
    let ends = scenario.ends();
    for &fault in Fault::ALL.iter().filter(|fault| !is_before_commit_point(**fault)) {
        let sandbox = (scenario.make)();
        let run = scenario.land(&sandbox, Some(&format!("{}:broken", fault.as_str())));
        // The run succeeds at the first point, which is between two steps, and at the last two, after which nothing is
        // left to do.
        if run.code != Some(0) {
            let run = run.exits(128).says("landed as").says("recover");
            assert!(run.stdout.is_empty(), "{fault:?}");
            sandbox.run(["recover"]).exits(0);
        }
        scenario.is(&sandbox, &ends.after, &format!("broken at {fault:?}"));
        sandbox.is_sound();
    }
}

#[test]
fn recovery_itself_may_be_killed() {
    let scenario = &SCENARIOS[5];
    let ends = scenario.ends();
    for first in
        [Fault::FilePlaced, Fault::FileRemoved, Fault::RefPrepared, Fault::RefMoved, Fault::IndexPlaced]
    {
        for &second in Fault::ALL {
            let sandbox = (scenario.make)();
            assert_eq!(scenario.land(&sandbox, Some(&format!("{}:kill", first.as_str()))).signal, Some(9));
            let mut command = sandbox.command(["recover"]);
            command.env(VARIABLE, format!("{}:kill", second.as_str()));
            command.output().unwrap();
            sandbox.run(["recover"]).exits(0);
            let wanted = if is_before_commit_point(first) { &ends.before } else { &ends.after };
            scenario.is(&sandbox, wanted, &format!("{first:?}, then {second:?} in recovery"));
            sandbox.is_sound();
        }
    }
}

#[test]
fn a_landing_that_only_head_names_stays_if_the_run_is_killed_behind_its_journal() {
    let name = "detached, with a hook and without a record";
    let scenario = SCENARIOS.iter().find(|scenario| scenario.name == name).unwrap();
    let ends = scenario.ends();
    let sandbox = (scenario.make)();
    let fault = format!("{}:kill", Fault::JournalRetired.as_str());
    assert_eq!(scenario.land(&sandbox, Some(&fault)).signal, Some(9));
    sandbox.run(["recover"]).exits(0);
    scenario.is(&sandbox, &ends.after, "killed behind its journal");
    sandbox.is_sound();
}

#[test]
fn a_signal_rolls_back_and_exits_with_130() {
    let scenario = &SCENARIOS[0];
    let ends = scenario.ends();
    for signal in ["int", "term", "hup"] {
        for fault in [Fault::Begun, Fault::Committed, Fault::Prepared, Fault::FileStaged] {
            let sandbox = (scenario.make)();
            let run = scenario.land(&sandbox, Some(&format!("{}:{signal}", fault.as_str()))).exits(130);
            assert!(run.stdout.is_empty(), "{}", run.stdout);
            scenario.is(&sandbox, &ends.before, &format!("{signal} at {fault:?}"));
            sandbox.is_sound();
        }
        // During the few milliseconds of publishing it is too late to go back, so it lands.
        for fault in [Fault::ObjectsMoved, Fault::FilePlaced, Fault::RefMoved] {
            let sandbox = (scenario.make)();
            scenario.land(&sandbox, Some(&format!("{}:{signal}", fault.as_str()))).exits(0);
            scenario.is(&sandbox, &ends.after, &format!("{signal} at {fault:?}"));
            sandbox.is_sound();
        }
    }
}

#[test]
fn what_the_user_did_meanwhile_is_never_undone() {
    let scenario = &SCENARIOS[0];
    // The run is killed with all files in place and the branch not moved. Then the user edits one of the files.
    let sandbox = (scenario.make)();
    let head = sandbox.head();
    scenario.land(&sandbox, Some("index-prepared:kill"));
    sandbox.file("README", "my own\n");
    let run = sandbox.run(["recover"]).exits(4);
    assert!(run.stderr.contains("README"), "{}", run.stderr);
    assert_eq!(sandbox.text("README"), "my own\n");
    assert_eq!(sandbox.text("src/a.rs"), "fn a() {}\nfn b() {}\nfn c() {}\n", "the others went back");
    assert!(sandbox.exists("gone.txt") && sandbox.exists("old.txt") && !sandbox.exists("src/new"));
    assert_eq!(sandbox.head(), head);
    assert_eq!(sandbox.status(), " M README");
    sandbox.is_sound();

    // The same, but the user has removed the lock and continued with git. No file is touched any more.
    let sandbox = (scenario.make)();
    scenario.land(&sandbox, Some("index-prepared:kill"));
    std::fs::remove_file(sandbox.repo.join(".git/index.lock")).unwrap();
    std::fs::remove_file(sandbox.repo.join(".git/HEAD.lock")).unwrap();
    std::fs::remove_file(sandbox.repo.join(".git/refs/heads/main.lock")).unwrap();
    sandbox.git(["add", "-A"]);
    sandbox.git(["commit", "-qm", "mine"]);
    let files = sandbox.git(["ls-tree", "-r", "HEAD"]);
    sandbox.run(["recover"]).exits(4).says("README");
    assert_eq!(sandbox.git(["ls-tree", "-r", "HEAD"]), files);
    assert_eq!(sandbox.status(), "");
    sandbox.git(["fsck", "--strict"]);
    sandbox.run(["recover"]).exits(0).says("nothing to recover");
}

#[test]
fn killed_by_chance_a_hundred_times() {
    // This does not use the named points: the process is killed after a random time.
    killed_by_chance(&SCENARIOS[0], 100, 30_000);
}

#[test]
fn killed_by_chance_while_git_does_its_part() {
    for name in ["files by git", "an index by git"] {
        killed_by_chance(named(name), 30, 90_000);
    }
}

fn named(name: &str) -> &'static Scenario {
    SCENARIOS.iter().find(|scenario| scenario.name == name).unwrap()
}

fn killed_by_chance(scenario: &Scenario, times: u64, longest: u64) {
    let ends = scenario.ends();
    let mut seen = (0, 0);
    for n in 0..times {
        let after_a_while = n * 397 * (longest / times / 300).max(1) % longest;
        let sandbox = (scenario.make)();
        let file = sandbox.response(&(scenario.response)());
        let mut child = sandbox.command(["-q".into(), file]).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_micros(after_a_while));
        let _ = child.kill();
        child.wait().unwrap();
        // A git process that it started may still be running.
        for _ in 0..200 {
            sandbox.run(["recover"]).exits(0);
            if !sandbox.exists(".git/llm-apply") {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let found = sandbox.state();
        let landed = sandbox.git(["rev-list", "--count", "HEAD"]) != "1";
        if landed {
            seen.1 += 1
        } else {
            seen.0 += 1
        }
        let wanted = if landed { &ends.after } else { &ends.before };
        found.is(wanted, &format!("{}: killed after {after_a_while} us", scenario.name));
        sandbox.is_sound();
    }
    assert!(seen.0 > 0, "never killed in time: {seen:?}");
}

#[test]
fn killed_or_failing_in_other_kinds_of_repository_it_is_before_or_after() {
    // A shorter form: each point once.
    for kind in sandbox::kinds::OTHERS.iter().filter(|kind| sandbox::kinds::can_make(kind)) {
        sandbox::kinds::within(kind, || {
            let names: &[&str] = match kind {
                ["--object-format=sha256"] => &["branch checked out", "a pack"],
                ["--ref-format=reftable"] => &["branch checked out", "detached", "unborn", "new branch"],
                _ => &["branch checked out"],
            };
            names.iter().for_each(|name| strike_once(named(name)));
        });
    }
}

fn strike_once(scenario: &Scenario) {
    let ends = scenario.ends();
    let mut struck = 0;
    for &fault in Fault::ALL {
        for what in ["kill", "fail"] {
            let sandbox = (scenario.make)();
            let run = scenario.land(&sandbox, Some(&format!("{}:{what}", fault.as_str())));
            if run.code == Some(0) && (what == "kill" || is_before_commit_point(fault)) {
                continue;
            }
            struck += 1;
            sandbox.run(["recover"]).exits(0);
            let wanted = if is_before_commit_point(fault) { &ends.before } else { &ends.after };
            scenario.is(&sandbox, wanted, &format!("{what} at {fault:?} {}", run.stderr));
            sandbox.is_sound();
        }
    }
    assert!(struck >= 16, "{}: only {struck} points were struck", scenario.name);
}

#[test]
fn what_is_taken_back_leaves_nothing_beside_objects_that_were_there_early() {
    let scenario = named("hooks and commands");
    let ends = scenario.ends();
    for fault in [Fault::ObjectMoved, Fault::ObjectsMoved, Fault::IndexLocked, Fault::IndexPlaced] {
        strike_at(scenario, &ends, Strike::Kill, fault, |_| {});
    }
}
