//! Killed and failing at every named point, on every kind of target: after it, or after `recover`, everything is as
//! before or as after. Nothing in between.

#![cfg(test)]

mod sandbox;

use git_llm_apply::vcs::fault::{Fault, VARIABLE};
use sandbox::{Run, Sandbox, State, create, five, remove, rename, same};

/// A repository, the options and the response to land in it.
struct Scenario {
    name: &'static str,
    make: fn() -> Sandbox,
    options: &'static [&'static str],
    response: fn() -> String,
}

fn detached() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git(["checkout", "-q", "--detach"]);
    sandbox
}

fn packed() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git(["pack-refs", "--all"]);
    sandbox.git(["gc", "-q"]);
    sandbox.file("untracked", "mine\n");
    sandbox.file("run.sh", "my own change\n");
    sandbox
}

/// Files where directories were, and the other way round.
fn swapped() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("dir/inner/x", "x\n");
    sandbox.file("dir/y", "y\n");
    sandbox.file("plain", "plain\n");
    sandbox.commit("more");
    sandbox
}

fn swap() -> String {
    [
        remove("dir/inner/x", "Make room"),
        remove("dir/y", "Make room"),
        create("dir", "A file now", "file\n"),
        rename("plain", "kept", "Make room"),
        create("plain/below/z", "A directory now", "z\n"),
    ]
    .concat()
}

/// Directories of which some are empty afterwards.
fn nested() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("a/b/c/d/x", "x\n");
    sandbox.file("a/b/c/y", "y\n");
    sandbox.file("a/stays", "z\n");
    sandbox.commit("nested");
    sandbox
}

fn emptying() -> String {
    [remove("a/b/c/d/x", "Empty it"), rename("a/b/c/y", "y", "Empty it")].concat()
}

/// With files that git itself makes.
fn filtered() -> Sandbox {
    let sandbox = Sandbox::unborn();
    for key in ["filter.rot.clean", "filter.rot.smudge"] {
        sandbox.git(["config", key, "tr A-Za-z N-ZA-Mn-za-m"]);
    }
    sandbox.file(".gitattributes", "*.rs filter=rot\nREADME working-tree-encoding=UTF-16LE\n");
    sandbox.file("src/a.rs", "fn a() {}\nfn b() {}\nfn c() {}\n");
    sandbox.file("README", "h\0i\0\n\0");
    sandbox.file("gone.txt", "gone\n");
    sandbox.file("old.txt", "one\ntwo\nthree\nfour\n");
    sandbox.commit("base");
    sandbox
}

/// With an index that git itself has to write.
fn split() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git(["update-index", "--untracked-cache"]);
    sandbox.git(["update-index", "--split-index"]);
    sandbox.status();
    sandbox
}

/// Over the limit from which objects go in as a pack.
fn many() -> String {
    (0..40).map(|n| create(&format!("many/{n}"), &format!("Add {n}"), &format!("{n}\n"))).collect()
}

/// A branch that went on since the tag `shown`, and moved a file that is to change.
fn moved_on() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git(["tag", "shown"]);
    sandbox.git(["mv", "src/a.rs", "src/b.rs"]);
    sandbox.file("old.txt", "zero\none\ntwo\nthree\nfour\n");
    sandbox.commit("meanwhile");
    sandbox
}

/// Git itself moves the branch, so that its hook runs.
fn hooked() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.script(&sandbox.repo.join(".git/hooks/reference-transaction"), "#!/bin/sh\nexit 0\n");
    sandbox
}

fn first() -> String {
    [create("a/b", "Begin", "one\n"), create("c", "Go on", "two\n")].concat()
}

const SCENARIOS: &[Scenario] = &[
    Scenario { name: "branch checked out", make: Sandbox::new, options: &[], response: five },
    Scenario { name: "packed refs, local changes elsewhere", make: packed, options: &[], response: five },
    Scenario { name: "detached", make: detached, options: &[], response: five },
    Scenario { name: "unborn", make: Sandbox::unborn, options: &[], response: first },
    Scenario { name: "new branch", make: Sandbox::new, options: &["-b", "try/it/1"], response: five },
    Scenario { name: "files and directories swapped", make: swapped, options: &[], response: swap },
    Scenario { name: "emptied directories", make: nested, options: &[], response: emptying },
    Scenario { name: "merged", make: moved_on, options: &["--base", "shown"], response: five },
    Scenario { name: "moved by git", make: hooked, options: &[], response: five },
    Scenario { name: "files by git", make: filtered, options: &[], response: five },
    Scenario { name: "an index by git", make: split, options: &[], response: five },
    Scenario { name: "a pack", make: Sandbox::new, options: &["--commit", "edit"], response: many },
];

fn land(sandbox: &Sandbox, scenario: &Scenario, fault: Option<&str>) -> Run {
    let file = sandbox.response(&(scenario.response)());
    let mut command = sandbox.command(scenario.options);
    command.arg(file);
    if let Some(fault) = fault {
        command.env(VARIABLE, fault);
    }
    Run::of(command.output().unwrap())
}

#[track_caller]
fn assert_state(scenario: &Scenario, what: &str, found: &State, wanted: &State) {
    found.is(wanted, &format!("{}: {what}", scenario.name));
}

/// The states before and after an undisturbed landing.
fn ends(scenario: &Scenario) -> (State, State) {
    let sandbox = (scenario.make)();
    let before = sandbox.state();
    land(&sandbox, scenario, None).exits(0);
    sandbox.is_sound();
    (before, sandbox.state())
}

fn is_before_commit_point(fault: Fault) -> bool {
    let at = |wanted: Fault| Fault::ALL.iter().position(|fault| *fault == wanted).unwrap();
    at(fault) < at(Fault::RefMoved)
}

/// Points that a scenario without a checkout, or the like, does not come by.
fn each_struck(scenario: &Scenario, what: &str, mut check: impl FnMut(Fault, &Sandbox, &Run)) -> usize {
    let mut struck = 0;
    for &fault in Fault::ALL {
        for nth in [1, 2, 5] {
            let sandbox = (scenario.make)();
            let run = land(&sandbox, scenario, Some(&format!("{}:{what}:{nth}", fault.as_str())));
            if run.code == Some(0) && (what == "kill" || is_before_commit_point(fault)) {
                break;
            }
            struck += 1;
            check(fault, &sandbox, &run);
            if !is_before_commit_point(fault) && what != "kill" {
                break;
            }
        }
    }
    struck
}

#[test]
fn killed_anywhere_the_next_run_finds_before_or_after() {
    for scenario in SCENARIOS {
        let (before, after) = ends(scenario);
        let struck = each_struck(scenario, "kill", |fault, sandbox, run| {
            assert_eq!(run.signal, Some(9), "{}: {fault:?}", scenario.name);
            let recovered = sandbox.run(["recover"]).exits(0);
            let wanted = if is_before_commit_point(fault) { &before } else { &after };
            assert_state(
                scenario,
                &format!("killed at {fault:?}\n{}", recovered.stdout),
                &sandbox.state(),
                wanted,
            );
            sandbox.is_sound();
            sandbox.run(["recover"]).exits(0).says("nothing to recover");
            // And it is a repository in which one can go on.
            if is_before_commit_point(fault) {
                land(sandbox, scenario, None).exits(0);
                assert_state(scenario, &format!("landed after {fault:?}"), &sandbox.state(), &after);
            }
        });
        assert!(struck >= 12, "{}: only {struck} points were struck", scenario.name);
    }
}

#[test]
fn the_next_run_recovers_by_itself() {
    let scenario = &SCENARIOS[0];
    let (_, after) = ends(scenario);
    for fault in [Fault::Committed, Fault::FilePlaced, Fault::RefMoved, Fault::IndexPlaced] {
        let sandbox = (scenario.make)();
        land(&sandbox, scenario, Some(&format!("{}:kill", fault.as_str())));
        // A dry run changes nothing, but says that something is pending.
        let pending = sandbox.listing();
        let dry = sandbox.apply(["-n"], &(scenario.response)());
        assert!(dry.stderr.contains("recover"), "{fault:?}: {}", dry.stderr);
        same("dry run", &pending, &sandbox.listing());
        land(&sandbox, scenario, None).exits(0);
        assert_state(scenario, &format!("{fault:?}"), &sandbox.state(), &after);
    }
}

#[test]
fn failing_anywhere_before_the_commit_point_leaves_everything_as_it_was() {
    for scenario in SCENARIOS {
        let (before, after) = ends(scenario);
        each_struck(scenario, "fail", |fault, sandbox, run| {
            let wanted = if is_before_commit_point(fault) {
                assert_eq!(run.code, Some(128), "{}: {fault:?}", scenario.name);
                &before
            } else {
                // Past it a failing step is tried again.
                assert_eq!(run.code, Some(0), "{}: {fault:?} {}", scenario.name, run.stderr);
                &after
            };
            assert_state(scenario, &format!("failed at {fault:?}"), &sandbox.state(), wanted);
            sandbox.is_sound();
        });
    }
}

#[test]
fn a_step_that_keeps_failing_after_the_commit_point_is_left_to_recover() {
    let scenario = &SCENARIOS[0];
    let (_, after) = ends(scenario);
    for &fault in Fault::ALL.iter().filter(|fault| !is_before_commit_point(**fault)) {
        let sandbox = (scenario.make)();
        let run = land(&sandbox, scenario, Some(&format!("{}:broken", fault.as_str())));
        // The first is between the steps, and the last two come when nothing is left to be done.
        if run.code != Some(0) {
            let run = run.exits(128).says("landed as").says("recover");
            assert!(run.stdout.is_empty(), "{fault:?}");
            sandbox.run(["recover"]).exits(0);
        }
        assert_state(scenario, &format!("broken at {fault:?}"), &sandbox.state(), &after);
        sandbox.is_sound();
    }
}

#[test]
fn recovery_itself_may_be_killed() {
    let scenario = &SCENARIOS[5];
    let (before, after) = ends(scenario);
    for first in
        [Fault::FilePlaced, Fault::FileRemoved, Fault::RefPrepared, Fault::RefMoved, Fault::IndexPlaced]
    {
        for &second in Fault::ALL {
            let sandbox = (scenario.make)();
            assert_eq!(land(&sandbox, scenario, Some(&format!("{}:kill", first.as_str()))).signal, Some(9));
            let mut command = sandbox.command(["recover"]);
            command.env(VARIABLE, format!("{}:kill", second.as_str()));
            command.output().unwrap();
            sandbox.run(["recover"]).exits(0);
            let wanted = if is_before_commit_point(first) { &before } else { &after };
            assert_state(
                scenario,
                &format!("{first:?}, then {second:?} in recovery"),
                &sandbox.state(),
                wanted,
            );
            sandbox.is_sound();
        }
    }
}

#[test]
fn a_signal_rolls_back_and_exits_with_130() {
    let scenario = &SCENARIOS[0];
    let (before, after) = ends(scenario);
    for signal in ["int", "term", "hup"] {
        for fault in
            [Fault::Begun, Fault::ScratchEntered, Fault::Committed, Fault::Prepared, Fault::FileStaged]
        {
            let sandbox = (scenario.make)();
            let run = land(&sandbox, scenario, Some(&format!("{}:{signal}", fault.as_str()))).exits(130);
            assert!(run.stdout.is_empty(), "{}", run.stdout);
            assert_state(scenario, &format!("{signal} at {fault:?}"), &sandbox.state(), &before);
            sandbox.is_sound();
        }
        // In the few milliseconds of publish it is too late to go back: it lands.
        for fault in [Fault::ObjectsMoved, Fault::FilePlaced, Fault::RefMoved] {
            let sandbox = (scenario.make)();
            land(&sandbox, scenario, Some(&format!("{}:{signal}", fault.as_str()))).exits(0);
            assert_state(scenario, &format!("{signal} at {fault:?}"), &sandbox.state(), &after);
            sandbox.is_sound();
        }
    }
}

#[test]
fn what_the_user_did_meanwhile_is_never_undone() {
    let scenario = &SCENARIOS[0];
    // Killed with all files in place and the branch not moved; then the user edits one of them.
    let sandbox = (scenario.make)();
    let head = sandbox.head();
    land(&sandbox, scenario, Some("index-prepared:kill"));
    sandbox.file("README", "my own\n");
    let run = sandbox.run(["recover"]).exits(4);
    assert!(run.stderr.contains("README"), "{}", run.stderr);
    assert_eq!(sandbox.text("README"), "my own\n");
    assert_eq!(sandbox.text("src/a.rs"), "fn a() {}\nfn b() {}\nfn c() {}\n", "the others went back");
    assert!(sandbox.exists("gone.txt") && sandbox.exists("old.txt") && !sandbox.exists("src/new"));
    assert_eq!(sandbox.head(), head);
    assert_eq!(sandbox.status(), " M README");
    sandbox.is_sound();

    // The same, but the user has removed the lock and gone on with git: no file is touched any more.
    let sandbox = (scenario.make)();
    land(&sandbox, scenario, Some("index-prepared:kill"));
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
    // Not at named points: the process is killed after a random while, and the clock decides where that is.
    killed_by_chance(&SCENARIOS[0], 100, 30_000);
}

#[test]
fn killed_by_chance_while_git_does_its_part() {
    for name in ["files by git", "an index by git"] {
        let scenario = SCENARIOS.iter().find(|scenario| scenario.name == name).unwrap();
        killed_by_chance(scenario, 30, 90_000);
    }
}

fn killed_by_chance(scenario: &Scenario, times: u64, longest: u64) {
    let (before, after) = ends(scenario);
    let mut seen = (0, 0);
    for n in 0..times {
        let after_a_while = n * 397 * (longest / times / 300).max(1) % longest;
        let sandbox = (scenario.make)();
        let file = sandbox.response(&(scenario.response)());
        let mut child = sandbox.command(["-q".into(), file]).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_micros(after_a_while));
        let _ = child.kill();
        child.wait().unwrap();
        sandbox.run(["recover"]).exits(0);
        let found = sandbox.state();
        let landed = sandbox.git(["rev-list", "--count", "HEAD"]) != "1";
        if landed {
            seen.1 += 1
        } else {
            seen.0 += 1
        }
        assert_state(
            scenario,
            &format!("{}: killed after {after_a_while} us", scenario.name),
            &found,
            if landed { &after } else { &before },
        );
        sandbox.is_sound();
    }
    assert!(seen.0 > 0, "never killed in time: {seen:?}");
}

#[test]
fn killed_or_failing_in_other_kinds_of_repository_it_is_before_or_after() {
    // In a shorter form: each point once.
    for kind in sandbox::kinds::OTHERS.iter().filter(|kind| sandbox::kinds::can_make(kind)) {
        sandbox::kinds::within(kind, || {
            let names: &[&str] = match kind {
                ["--object-format=sha256"] => &["branch checked out", "a pack"],
                ["--ref-format=reftable"] => &["branch checked out", "detached", "unborn", "new branch"],
                _ => &["branch checked out"],
            };
            for name in names {
                let scenario = SCENARIOS.iter().find(|scenario| scenario.name == *name).unwrap();
                strike_once(scenario);
            }
        });
    }
}

fn strike_once(scenario: &Scenario) {
    let (before, after) = ends(scenario);
    let mut struck = 0;
    for &fault in Fault::ALL {
        for what in ["kill", "fail"] {
            let sandbox = (scenario.make)();
            let run = land(&sandbox, scenario, Some(&format!("{}:{what}", fault.as_str())));
            if run.code == Some(0) && (what == "kill" || is_before_commit_point(fault)) {
                continue;
            }
            struck += 1;
            sandbox.run(["recover"]).exits(0);
            let wanted = if is_before_commit_point(fault) { &before } else { &after };
            assert_state(scenario, &format!("{what} at {fault:?} {}", run.stderr), &sandbox.state(), wanted);
            sandbox.is_sound();
        }
    }
    assert!(struck >= 16, "{}: only {struck} points were struck", scenario.name);
}
