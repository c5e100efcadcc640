//! Which landing is meant, and which of its commits are still in effect.
use super::{id, landed, three, tree};
use crate::sandbox;

use sandbox::{Sandbox, create, patch, same};

#[test]
fn what_was_put_back_is_taken_back_after_a_rebase_too() {
    let sandbox = Sandbox::new();
    sandbox.apply(["-q"], &patch("README", "Greet all", "hello\n", "hello all\n")).exits(0);
    sandbox.file("other", "x\n");
    sandbox.commit("later");
    sandbox.run(["undo"]).exits(0);
    sandbox.run(["redo"]).exits(0);
    sandbox.git([
        "-c",
        "user.name=Somebody",
        "rebase",
        "-q",
        "-f",
        "--root",
        "--committer-date-is-author-date",
    ]);
    sandbox.run(["undo"]).exits(0).says("took");
    assert_eq!(sandbox.text("README"), "hello\n");
}

#[test]
fn a_landing_that_somebody_took_back_by_hand_is_passed_over() {
    let sandbox = Sandbox::new();
    sandbox.apply(["-q"], &patch("README", "Greet all", "hello\n", "hello all\n")).exits(0);
    sandbox.apply(["-q"], &patch("old.txt", "Say 2", "two\n", "2\n")).exits(0);
    sandbox.file("old.txt", "one\ntwo\nthree\nfour\n");
    sandbox.commit("By hand");
    sandbox.run(["undo"]).exits(0).says("took");
    assert_eq!(sandbox.text("README"), "hello\n");
    sandbox.run(["undo"]).exits(0).says("nothing to do");
}

#[test]
fn the_rest_is_taken_back_after_a_revert_by_git() {
    let (sandbox, old, _) = landed();
    sandbox.git(["revert", "--no-edit", "HEAD~1"]);
    let reverted = sandbox.head();
    sandbox.run(["undo"]).exits(0);
    assert_eq!(sandbox.subjects(&format!("{reverted}..")), ["Revert \"Drop it\"", "Revert \"Say more\""]);
    assert_eq!(tree(&sandbox, "HEAD"), tree(&sandbox, &old));
    // `git revert` takes back what undo has made.
    sandbox.git(["revert", "--no-edit", "HEAD"]);
    assert_eq!(sandbox.text("README"), "hello world\n");
    sandbox.run(["undo"]).exits(0);
    assert_eq!(sandbox.text("README"), "hello\n", "what was put back by git is in effect again");
    sandbox.is_sound();
}

#[test]
fn another_clone_has_the_records_or_the_trailers() {
    for by_record in [true, false] {
        let sandbox = Sandbox::new();
        sandbox.git(["init", "-q", "--bare", "../server"]);
        sandbox.git(["remote", "add", "origin", "../server"]);
        sandbox.apply(["--trailers"], &three()).exits(0);
        let landing = id(&sandbox);
        sandbox.file("mine.txt", "mine\n");
        let mine = sandbox.commit("mine");
        sandbox.git(["push", "-q", "origin", "main"]);
        if by_record {
            sandbox.git(["push", "-q", "origin", "refs/llm-apply/*"]);
        }
        sandbox.git(["clone", "-q", "-b", "main", "../server", "../clone"]);
        if by_record {
            sandbox.git(["-C", "../clone", "fetch", "-q", "origin", "refs/llm-apply/*:refs/llm-apply/*"]);
        }
        for name in [None, Some(landing.as_str()), Some("HEAD~2")] {
            let run =
                sandbox.run(["-C", "../clone", "undo", "--no-record", "--trailers"].into_iter().chain(name));
            run.exits(0).says(&format!("took {landing} back"));
            let log = sandbox.git(["-C", "../clone", "log", "--format=%s", &format!("{mine}..")]);
            assert_eq!(log.lines().count(), 3, "{name:?} {by_record}");
            let undone = sandbox.git([
                "-C",
                "../clone",
                "log",
                "-1",
                "--format=%(trailers:key=LLM-Apply-Undone,valueonly)",
            ]);
            assert_eq!(undone.trim(), landing);
            if !by_record {
                sandbox
                    .run(["-C", "../clone", "redo", "--no-record"])
                    .exits(0)
                    .says(&format!("put {landing} back"));
                assert_eq!(sandbox.git(["-C", "../clone", "show", "HEAD:README"]), "hello world");
            }
            sandbox.git(["-C", "../clone", "reset", "-q", "--hard", &mine]);
        }
        // The command that is named for the way back works.
        sandbox.run(["-C", "../clone", "undo"]).exits(0).says(&format!("git llm-apply redo {landing}"));
        sandbox.run(["-C", "../clone", "redo", &landing]).exits(0).says(&format!("put {landing} back"));
        sandbox.git(["-C", "../clone", "reset", "-q", "--hard", &mine]);
        sandbox.run(["-C", "../clone", "undo", "--edit", "2"]).exits(0);
        assert_eq!(sandbox.git(["-C", "../clone", "log", "-1", "--format=%s"]), "Revert \"Add one\"");
    }
}

#[test]
fn the_newest_landing_on_the_branch_is_meant() {
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &create("a", "A", "a\n")).exits(0);
    let first = id(&sandbox);
    sandbox.apply([""; 0], &create("b", "B", "b\n")).exits(0);
    sandbox.apply(["-b", "other", "--base", "HEAD~2"], &create("c", "C", "c\n")).exits(0);
    sandbox.run(["undo"]).exits(0);
    assert!(sandbox.exists("a") && !sandbox.exists("b"));
    sandbox.run(["undo"]).exits(0);
    assert!(!sandbox.exists("a"));
    let before = sandbox.listing();
    sandbox.run(["undo", &first]).exits(1).says("not on that branch");
    sandbox.run(["undo", "nonsense"]).exits(128);
    same("refused", &before, &sandbox.listing());
    sandbox.run(["redo"]).exits(0);
    sandbox.run(["redo"]).exits(0);
    assert!(sandbox.exists("a") && sandbox.exists("b"));
    // If git has merged it onto another branch, it can be taken back there.
    sandbox.git(["checkout", "-q", "-b", "third", "HEAD~2"]);
    sandbox.git(["merge", "-q", "--no-ff", "--no-edit", "other"]);
    sandbox.run(["undo"]).exits(0);
    assert!(!sandbox.exists("c"));
    sandbox.is_sound();
}

#[test]
fn what_git_has_made_again_is_known_again() {
    let (sandbox, old, _) = landed();
    let landing = id(&sandbox);
    sandbox.git(["checkout", "-q", "-b", "upstream", &old]);
    sandbox.file("theirs.txt", "theirs\n");
    sandbox.commit("theirs");
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.file("mine.txt", "mine\n");
    sandbox.commit("mine");
    sandbox.git(["rebase", "-q", "upstream"]);
    let rebased = sandbox.head();
    sandbox.run(["undo"]).exits(0).says(&format!("took {landing} back"));
    assert_eq!(
        sandbox.subjects(&format!("{rebased}..")),
        ["Revert \"Drop it\"", "Revert \"Add one\"", "Revert \"Say more\""]
    );
    assert!(sandbox.exists("mine.txt") && sandbox.exists("theirs.txt") && sandbox.exists("gone.txt"));
    sandbox.run(["redo"]).exits(0);
    // Only one of them, on another branch.
    sandbox.git(["checkout", "-q", "-b", "other", &old]);
    sandbox.git(["commit", "-q", "--allow-empty", "-m", "other"]);
    sandbox.git(["cherry-pick", &format!("{rebased}~2")]);
    assert!(sandbox.exists("new/one.txt"));
    sandbox.run(["undo"]).exits(0).says(&format!("took {landing} back"));
    assert!(!sandbox.exists("new"));
    assert_eq!(tree(&sandbox, "HEAD"), tree(&sandbox, &old));
    sandbox.is_sound();
}

#[test]
fn what_landed_later_is_newer_also_where_a_clock_is_behind() {
    let mut sandbox = Sandbox::new();
    sandbox.set("GIT_COMMITTER_DATE", "2026-03-01T00:00:00Z");
    sandbox.apply(["-q"], &create("a", "A", "a\n")).exits(0);
    sandbox.set("GIT_COMMITTER_DATE", "2026-02-01T00:00:00Z");
    sandbox.apply(["-q", "--no-ff"], &create("b", "B", "b\n")).exits(0);
    sandbox.run(["undo", "-q"]).exits(0);
    assert!(sandbox.exists("a") && !sandbox.exists("b"));
    sandbox.run(["redo", "-q"]).exits(0);
    sandbox.run(["undo", "-q"]).exits(0);
    assert!(sandbox.exists("a") && !sandbox.exists("b"));
}
