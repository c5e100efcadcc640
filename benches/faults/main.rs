//! What faults, races and hostile inputs leave behind: `cargo bench --bench faults`.
//!
//! Strikes landings with the faults of the tests, on every kind of target, and counts how they ended: before, after or
//! in between. Lets many processes land at once, and compares what they reported with what is in the repository. Lets
//! the program read made-up journals and hostile names. It takes a sample; `-- --full` takes all. It fails if anything
//! is in between, lost or obeyed.
//!
//! The debug build is struck, because it has the named points. If strace is missing or may not trace, there are no rows
//! of system calls.

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "failed assertions are counted")]

#[path = "../../tests/faults/mod.rs"]
mod faults;
#[path = "../../tests/sandbox/mod.rs"]
mod sandbox;
mod tally;

use faults::calls::Landing;
use faults::chance;
use faults::journals::{LINKS, SPOILED_AT, SPOILS, TEARS, TORN_AT};
use faults::paths::{Fate, hostile, try_name};
use faults::points::{Strike, strike_at};
use faults::scenario::{SCENARIOS, Scenario, UNDOING};
use faults::strace::{Call, Kind, can_trace};
use faults::{End, journals, race};
use git_llm_apply::vcs::fault::Fault;
use sandbox::kinds::{self, within};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;
use tally::{Tally, tally};

/// A short run tries one in this many points, system calls and hostile inputs.
const ONE_IN: [usize; 3] = [6, 60, 3];

/// How many kinds of target are struck in the other kinds of repository.
const OF_OTHERS: usize = 5;

fn main() -> ExitCode {
    let full = std::env::args().any(|argument| argument == "--full");
    let mut arguments = std::env::args().skip_while(|argument| argument != "--chance").skip(1);
    let chance = arguments.next().and_then(|count| count.parse().ok());
    let [points, calls, inputs] = if full { [1; 3] } else { ONE_IN };
    sandbox::BINARY.set(debug_build()).unwrap();
    if let Some(count) = chance {
        return ExitCode::from(u8::from(by_chance(count) > 0));
    }
    let bad = by_chance(if full { 3000 } else { 150 })
        + at_points(points)
        + at_calls(calls)
        + races(full)
        + hostile_inputs(inputs);
    println!("\n{}", if bad == 0 { "all is well" } else { "NOT WELL" });
    ExitCode::from(u8::from(bad > 0))
}

/// Builds the binary with its named points, beside the one that was built with this benchmark.
fn debug_build() -> std::path::PathBuf {
    let target = Path::new(env!("CARGO_BIN_EXE_git-llm-apply")).ancestors().nth(2).unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "-q", "--locked", "--bin", "git-llm-apply", "--target-dir"]).arg(target);
    assert!(cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap().success());
    target.join("debug/git-llm-apply")
}

/// Takes every n-th item. `start` says where to begin.
fn sample<T>(all: impl IntoIterator<Item = T>, start: usize, one_in: usize) -> Vec<T> {
    all.into_iter().skip(start % one_in).step_by(one_in).collect()
}

fn row(what: &str, tally: &Tally<End>) -> usize {
    let [before, after] = [End::Before, End::After].map(|end| tally.count(end));
    println!("{what:<46} {:>7} {before:>7} {after:>7} {:>11}", before + after + tally.broken, tally.broken);
    tally.broken
}

/// The targets that are struck in repositories with SHA-256 and with reftables, too.
fn in_other_kinds() -> impl Iterator<Item = (kinds::Kind, &'static Scenario)> {
    let kinds = kinds::OTHERS.iter().copied().filter(|kind| kinds::can_make(kind));
    kinds.flat_map(|kind| SCENARIOS.iter().take(OF_OTHERS).map(move |scenario| (kind, scenario)))
}

fn at_points(one_in: usize) -> usize {
    println!("{:<46} {:>7} {:>7} {:>7} {:>11}", "landings struck", "struck", "before", "after", "in between");
    let usual = SCENARIOS.iter().chain(UNDOING).map(|scenario| (&[] as kinds::Kind, scenario));
    let ends = |(kind, scenario): (kinds::Kind, &'static Scenario)| {
        (kind, scenario, within(kind, || scenario.ends()))
    };
    let ends: Vec<_> = usual.chain(in_other_kinds()).map(ends).collect();
    let mut bad = 0;
    for strike in [Strike::Kill, Strike::Fail] {
        let all = ends.iter().enumerate().flat_map(|(at, ends)| {
            sample(Fault::ALL, at, one_in).into_iter().map(move |fault| (ends, *fault))
        });
        let tally = tally(&all.collect::<Vec<_>>(), |((kind, scenario, ends), fault), ended| {
            within(kind, || strike_at(scenario, ends, strike, *fault, ended));
        });
        bad += row(if strike == Strike::Kill { "killed at named points" } else { "failing there" }, &tally);
    }
    bad
}

/// Kills every verb at random moments, `count` times in all, on every kind of target.
fn by_chance(count: usize) -> usize {
    println!(
        "{:<46} {:>7} {:>7} {:>7} {:>11}",
        "killed at any moment", "struck", "before", "after", "in between"
    );
    let kinds: Vec<kinds::Kind> = std::iter::once(&[] as kinds::Kind)
        .chain(kinds::OTHERS.iter().copied().filter(|kind| kinds::can_make(kind)))
        .collect();
    let targets: Vec<_> = kinds.into_iter().map(|kind| (kind, within(kind, chance::targets))).collect();
    let targets: Vec<_> =
        targets.iter().flat_map(|(kind, all)| all.iter().map(move |target| (*kind, target))).collect();
    // The moments are spread over the time that a target takes, and a little beyond.
    let kills: Vec<_> = (0..count)
        .map(|n| (targets[n % targets.len()], u32::try_from(n * 389 % 1100).unwrap_or(0)))
        .collect();
    let tally = tally(&kills, |((kind, target), part), ended| {
        ended(within(kind, || chance::kill(target, *part)));
    });
    row("every verb, on every kind of target", &tally)
}

fn at_calls(one_in: usize) -> usize {
    if !can_trace() {
        return 0;
    }
    let of = |scenario| Landing::of(scenario, Kind::Local);
    let local: Vec<_> = SCENARIOS.iter().map(of).collect();
    // With reftables, git moves the branch. Only calls of this program are struck, not those of git.
    let of_others = |(kind, scenario)| within(kind, || of(scenario));
    let in_others: Vec<_> = in_other_kinds().map(of_others).collect();
    let others = [Kind::WithoutExchange, Kind::WithoutLinks].map(|kind| Landing::of(&SCENARIOS[0], kind));
    let calls = |landings: &'static str,
                 all: &[Landing],
                 strike: &(dyn Fn(&Landing, &Call) -> End + Sync)| {
        let one_in = if all.len() < OF_OTHERS { one_in.div_ceil(10) } else { one_in };
        let struck = all.iter().enumerate().flat_map(|(at, landing)| {
            let calls = landing.calls.iter().filter(|call| landing.kind.is_struck_at(call));
            sample(calls, at * 7, one_in).into_iter().map(move |call| (landing, call))
        });
        let tally = tally(&struck.collect::<Vec<_>>(), |(landing, call), ended| ended(strike(landing, call)));
        row(landings, &tally)
    };
    let mut bad = calls("killed at system calls", &local, &|landing, call| landing.kill(call));
    bad +=
        calls("... with SHA-256, with reftables, with both", &in_others, &|landing, call| landing.kill(call));
    bad += calls("failing there with EIO", &in_others, &|landing, call| landing.fail(call, "EIO", ""));
    bad += calls("... without exchange of names, and links", &others, &|landing, call| landing.kill(call));
    for (what, error, when) in [
        ("system calls failing with ENOSPC", "ENOSPC", ""),
        ("... with EIO", "EIO", ""),
        ("... with EACCES", "EACCES", ""),
        ("... with EIO from then on", "EIO", "+"),
    ] {
        bad += calls(what, &local, &|landing, call| landing.fail(call, error, when));
    }
    bad
}

fn races(full: bool) -> usize {
    let time = Duration::from_secs(if full { 120 } else { 15 });
    let told = race::run(time);
    println!("\n{:<46} {:>7} {:>7} {:>7} {:>11}", "races", "tried", "said", "found", "lost");
    let what = format!("landings by {} processes in {} s", race::PROCESSES, time.as_secs());
    println!("{what:<46} {:>7} {:>7} {:>7} {:>11}", told.tried, told.landed, told.found, told.lost.len());
    println!("meanwhile: {} commits by git, {} saves by an editor", told.commits, told.saves);
    println!("undone by a commit of git's: {}, by a stash of git's: {}", told.undone.len(), told.reset.len());
    for lost in &told.lost {
        println!("lost: {lost}");
    }
    told.lost.len() + usize::from(told.found + told.reset.len() != told.landed || told.found == 0)
}

fn hostile_inputs(one_in: usize) -> usize {
    println!("\n{:<46} {:>7} {:>7} {:>7} {:>11}", "hostile inputs", "tried", "refused", "other", "obeyed");
    let mut journals: Vec<Box<dyn Fn() + Sync>> = Vec::new();
    for fault in SPOILED_AT {
        journals
            .extend(SPOILS.iter().map(|(what, it)| Box::new(|| journals::spoiled(what, *it, fault)) as _));
    }
    journals.extend(LINKS.iter().map(|(what, it)| Box::new(|| journals::linked(what, *it)) as _));
    for fault in TORN_AT {
        journals.extend(TEARS.iter().map(|(what, it)| Box::new(|| journals::torn(what, *it, fault)) as _));
    }
    let made_up = tally(&sample(journals, 0, one_in), |journal, ended| {
        journal();
        ended(Fate::Refused);
    });
    let names = tally(&sample(hostile(), 0, one_in), |name, ended| ended(try_name(name)));
    for (what, tally) in [("journals, torn and made up", &made_up), ("names of files", &names)] {
        let [refused, other] = [Fate::Refused, Fate::Harmless].map(|fate| tally.count(fate));
        let tried = refused + other + tally.broken;
        println!("{what:<46} {tried:>7} {refused:>7} {other:>7} {:>11}", tally.broken);
    }
    println!("other: read as another path, which is harmless (`./a` as `a`)");
    made_up.broken + names.broken
}
