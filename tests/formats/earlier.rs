//! Edits of an earlier version of a file: the refusal names the commit, and `--base auto` finds it.
use crate::sandbox;

use sandbox::{Sandbox, create, patch, same};

/// Creates a file whose middle three commits have changed, and another commit about another file. Returns the commits.
fn history() -> (Sandbox, Vec<String>) {
    let sandbox = Sandbox::new();
    let text = |middle: &str| {
        let lines = |name: &str| (1..8).map(|n| format!("{name} {n}\n")).collect::<String>();
        format!("{}{middle}\n{}", lines("first"), lines("last"))
    };
    let mut commits = Vec::new();
    for middle in ["alpha()", "beta()", "gamma()"] {
        sandbox.file("a.rs", text(middle));
        commits.push(sandbox.commit(middle));
    }
    sandbox.file("other", "x\n");
    commits.push(sandbox.commit("other"));
    (sandbox, commits)
}

fn short(sandbox: &Sandbox, commit: &str) -> String {
    sandbox.git(["rev-parse", "--short=7", commit])
}

#[test]
fn a_refusal_names_the_newest_commit_in_which_the_text_is() {
    let (sandbox, commits) = history();
    let response = patch("a.rs", "Call it twice", "beta()\n", "beta(2)\n");
    let before = sandbox.listing();
    let run = sandbox.apply(["--no-keep"], &response).exits(1);
    let base = short(&sandbox, &commits[1]);
    assert!(run.stderr.contains(&format!("--base {base}")), "{run:?}");
    same("a refusal", &before, &sandbox.listing());
    // For a text that no version had, there is no such hint.
    let never = patch("a.rs", "Never", "delta()\n", "delta(2)\n");
    let run = sandbox.apply(["--no-keep"], &never).exits(1);
    assert!(!run.stderr.contains("--base"), "{run:?}");
}

#[test]
fn base_auto_is_the_newest_commit_in_which_all_edits_are() {
    let (sandbox, commits) = history();
    let both = patch("a.rs", "First", "first 3\n", "first three\n")
        + &patch("a.rs", "Last", "alpha()\nlast 1\nlast 2\n", "alpha()\nlast 1\nlast two\n");
    // The edits match the oldest of the three versions of the middle; the merge keeps the newest.
    let run = sandbox.apply(["--base", "auto"], &both).exits(0);
    assert!(sandbox.text("a.rs").contains("first three\n"), "{run:?}");
    assert!(sandbox.text("a.rs").contains("gamma()\nlast 1\nlast two\n"), "{run:?}");
    assert_eq!(sandbox.subjects(&format!("{}..", commits[3])), ["First", "Last"]);

    // An edit that matches the tip lands as usual, and so does a new file.
    let now = patch("a.rs", "Now", "gamma()\n", "gamma(2)\n") + &create("new", "Add", "new\n");
    sandbox.apply(["--base", "auto"], &now).exits(0);
    assert!(sandbox.text("a.rs").contains("gamma(2)\n"));
}

#[test]
fn base_auto_that_finds_nothing_refuses_as_the_tip_does() {
    let (sandbox, _) = history();
    let never = patch("a.rs", "Never", "delta()\n", "delta(2)\n");
    let plain = sandbox.apply(["--no-keep"], &never).exits(1);
    let auto = sandbox.apply(["--no-keep", "--base", "auto"], &never).exits(1);
    assert_eq!(plain.stderr, auto.stderr);
}
