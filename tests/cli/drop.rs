//! `list --open` and `drop`.
use crate::sandbox;

use git_llm_apply::vcs::fault::VARIABLE;
use sandbox::{Run, Sandbox, create, patch, same};

fn beta() -> String {
    patch("src/a.rs", "Rename b to beta", "fn b() {}\n", "fn beta() {}\n")
}

/// Creates a repository with two suggestions, try/1 and try/2, and HEAD on main.
fn suggested() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.apply(["-q", "-b", "try/1"], &beta()).exits(0);
    sandbox.apply(["-q", "-b", "try/2"], &create("new", "Add it", "new\n")).exits(0);
    sandbox
}

fn has(sandbox: &Sandbox, branch: &str) -> bool {
    sandbox.git_command(["rev-parse", "-q", "--verify", branch]).output().unwrap().status.success()
}

fn open(sandbox: &Sandbox) -> Vec<Vec<String>> {
    let run = sandbox.run(["list", "--open", "--porcelain"]).exits(0);
    run.stdout.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

#[test]
fn what_is_dropped_is_gone_with_its_configuration_and_can_be_got_back() {
    let sandbox = suggested();
    let tip = sandbox.git(["rev-parse", "try/1"]);
    sandbox.git(["config", "branch.try/1.description", "mine"]);
    sandbox.git(["config", "branch.try/11.description", "stays"]);
    sandbox.git(["pack-refs", "--all"]);
    let run = sandbox.run(["drop", "try/1"]).exits(0).says("dropped try/1");
    assert!(!has(&sandbox, "try/1") && has(&sandbox, "try/2"));
    let sections = sandbox.git(["config", "--name-only", "--get-regexp", "^branch"]);
    assert_eq!(sections, "branch.try/11.description");
    let back = run.stdout.trim_end().split("take it back: git ").nth(1).unwrap();
    sandbox.git(back.split(' '));
    assert_eq!(sandbox.git(["rev-parse", "try/1"]), tip);
    sandbox.is_sound();
    sandbox.leaves_no_file();
}

#[test]
fn the_record_keeps_what_was_dropped_from_being_pruned() {
    let sandbox = suggested();
    let tip = sandbox.git(["rev-parse", "try/1"]);
    sandbox.run(["drop", "try/1"]).exits(0);
    sandbox.git(["reflog", "expire", "--expire=now", "--all"]);
    sandbox.git(["gc", "-q", "--prune=now"]);
    assert_eq!(sandbox.git(["cat-file", "-t", &tip]), "commit");
}

#[test]
fn all_go_or_none() {
    let sandbox = suggested();
    sandbox.git(["branch", "mine"]);
    sandbox.git(["worktree", "add", "-q", sandbox.root().join("busy").to_str().unwrap(), "try/2"]);
    let before = sandbox.listing();
    sandbox.run(["drop", "try/1", "mine"]).exits(1).says("'mine' is not a suggestion").says("--force");
    sandbox.run(["drop", "try/1", "nowhere"]).exits(128).says("there is no branch 'nowhere'");
    sandbox
        .run(["drop", "try/1", "try/2"])
        .exits(4)
        .says("try/2 is used by worktree at")
        .says("nothing was changed");
    sandbox.run(["drop", "--force", "main"]).exits(4).says("main is used by worktree at");
    sandbox.run(["drop"]).exits(129);
    same("refused", &before, &sandbox.listing());
    sandbox.run(["drop", "--force", "try/1", "mine", "mine"]).exits(0);
    assert!(!has(&sandbox, "try/1") && !has(&sandbox, "mine"));
    sandbox.is_sound();
    // A branch that a bisect will return to is kept too.
    sandbox.git(["checkout", "-q", "-b", "held"]);
    sandbox.git(["bisect", "start"]);
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.run(["drop", "--force", "held"]).exits(4).says("held is used by worktree at").says("bisect");
}

#[test]
fn a_branch_that_was_made_anew_is_no_suggestion_and_one_that_went_on_is() {
    let sandbox = suggested();
    sandbox.git(["checkout", "-q", "try/1"]);
    sandbox.file("more", "more\n");
    sandbox.commit("More");
    sandbox.apply(["-q"], &create("again", "Again", "again\n")).exits(0);
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.git(["branch", "-f", "try/2", "main"]);
    sandbox.run(["drop", "try/2"]).exits(1).says("not a suggestion");
    sandbox.run(["drop", "try/1"]).exits(0);
}

#[test]
fn open_ones_are_listed_with_how_far_the_base_has_moved_and_whether_they_go_onto_it() {
    let sandbox = suggested();
    assert_eq!(Sandbox::new().run(["list", "--open"]).exits(0).stdout, "");
    let as_it_is = |all: &[Vec<String>]| all.iter().all(|one| one[4] == "0" && one[5] == "as-it-is");
    let all = open(&sandbox);
    assert_eq!(all.iter().map(|one| &*one[0]).collect::<Vec<_>>(), ["try/2", "try/1"]);
    assert!(as_it_is(&all) && all[0][1] == sandbox.git(["rev-parse", "try/2"]), "{all:?}");
    assert!(sandbox.run(["list"]).stdout.contains(&all[0][2]), "the id of the landing");
    sandbox.file("src/a.rs", "fn a() {}\nfn b2() {}\nfn c() {}\n");
    sandbox.commit("One");
    sandbox.file("other", "x\n");
    sandbox.commit("Two");
    let before = sandbox.listing();
    let all = open(&sandbox);
    assert_eq!(all[0][3..], ["1", "2", "merges"]);
    assert_eq!(all[1][3..], ["1", "2", "conflicts", "src/a.rs"]);
    let run = sandbox.run(["list", "--open"]).exits(0).says("merges, 2 commits since  Add it");
    run.says("conflicts in src/a.rs, 2 commits since  Rename b to beta");
    same("a list", &before, &sandbox.listing());
    sandbox.run(["accept", "try/2"]).exits(0);
    let all = open(&sandbox);
    assert_eq!((&*all[0][0], &*all[0][5]), ("try/2", "in-already"));
    sandbox.git(["merge", "-q", "-s", "ours", "--no-edit", "try/1"]);
    assert_eq!(open(&sandbox).len(), 1, "what HEAD has is not open");
}

#[test]
fn clones_know_suggestions_once_they_have_the_records() {
    let mut sandbox = suggested();
    let place = sandbox.root().join("clone");
    sandbox.git(["clone", "-q", ".", place.to_str().unwrap()]);
    sandbox.repo = place;
    sandbox.git(["branch", "-q", "try/1", "origin/try/1"]);
    assert_eq!(open(&sandbox).len(), 0);
    sandbox.git(["fetch", "-q", "origin", "refs/llm-apply/*:refs/llm-apply/*"]);
    assert_eq!(open(&sandbox)[0][0], "try/1");
    sandbox.run(["drop", "try/1"]).exits(0);
}

#[test]
fn it_works_in_other_repositories() {
    let mut bare = suggested();
    let place = bare.root().join("bare.git");
    bare.git(["clone", "-q", "--mirror", ".", place.to_str().unwrap()]);
    bare.repo = place;
    assert_eq!(open(&bare).len(), 2);
    bare.run(["drop", "try/1", "try/2"]).exits(0);
    assert!(!has(&bare, "try/1"));
    let mut linked = suggested();
    let place = linked.root().join("linked");
    linked.git(["worktree", "add", "-q", "--detach", place.to_str().unwrap()]);
    linked.repo = place;
    assert_eq!(open(&linked).len(), 2);
    linked.run(["drop", "try/1"]).exits(0);
    let unborn = Sandbox::unborn();
    unborn.apply(["-q", "-b", "try/1"], &create("a", "Add a", "a\n")).exits(0);
    assert_eq!(open(&unborn)[0][5], "as-it-is");
    unborn.run(["drop", "try/1"]).exits(0);
}

#[test]
fn killed_or_failing_anywhere_both_are_there_or_neither() {
    let make = || {
        let sandbox = suggested();
        sandbox.git(["config", "branch.try/1.description", "mine"]);
        sandbox.git(["config", "branch.try/2.description", "mine too"]);
        sandbox
    };
    let drop = |sandbox: &Sandbox, fault: &str| {
        Run::of(sandbox.command(["drop", "try/1", "try/2"]).env(VARIABLE, fault).output().unwrap())
    };
    let whole = make();
    let before = whole.state();
    drop(&whole, "none").exits(0);
    let after = whole.state();
    for (fault, wanted) in [("drop-noted", &before), ("branches-dropped", &after)] {
        let sandbox = make();
        assert_eq!(drop(&sandbox, &format!("{fault}:kill")).signal, Some(9), "{fault}");
        let recovered = sandbox.run(["recover"]).exits(0);
        sandbox.state().is(wanted, &format!("killed at {fault}: {}", recovered.stdout));
        sandbox.is_sound();
        sandbox.run(["recover"]).exits(0).says("nothing to recover");
        let sandbox = make();
        let code = if fault == "drop-noted" { 128 } else { 0 };
        drop(&sandbox, &format!("{fault}:fail")).exits(code);
        sandbox.state().is(wanted, &format!("failing at {fault}"));
    }
    let sandbox = make();
    drop(&sandbox, "branches-dropped:broken").exits(128);
    sandbox.run(["recover"]).exits(0).says("killed run: dropped");
    sandbox.state().is(&after, "broken");
}

#[test]
fn a_hook_may_refuse_it() {
    let sandbox = suggested();
    let before = sandbox.git(["for-each-ref"]);
    sandbox.script(
        &sandbox.repo.join(".git/hooks/reference-transaction"),
        "#!/bin/sh\ntest \"$1\" != prepared\n",
    );
    sandbox.run(["drop", "try/1"]).exits(3);
    assert_eq!(sandbox.git(["for-each-ref"]), before);
    sandbox.leaves_no_file();
}
