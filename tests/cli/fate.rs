//! What has become of the commits of a landing decides whether its response lands again.
use super::again::{newest_id, sandbox};
use crate::sandbox::{Sandbox, create, patch, same};

#[test]
fn what_was_taken_back_lands_again() {
    let response = patch("README", "Longer", "hello\n", "hello hello\n") + &create("new", "Add", "new\n");
    for way in ["undo", "undo later", "revert", "reset"] {
        println!("{way}");
        let sandbox = sandbox();
        let old = sandbox.head();
        sandbox.apply([""; 0], &response).exits(0);
        if way == "undo later" {
            sandbox.file("other", "other\n");
            sandbox.commit("Later");
        }
        match way {
            "undo" | "undo later" => drop(sandbox.run(["undo"]).exits(0)),
            "revert" => drop(sandbox.git(["revert", "--no-edit", "HEAD~2..HEAD"])),
            _ => drop(sandbox.git(["reset", "--hard", &old])),
        }
        assert_eq!(sandbox.text("README"), "one\ntwo\nhello\n");
        sandbox.apply([""; 0], &response).exits(0).says(", 2 commits");
        assert_eq!(sandbox.text("README"), "one\ntwo\nhello hello\n");
        sandbox.apply([""; 0], &response).exits(0).says("already landed as ");
        assert_eq!(sandbox.text("README"), "one\ntwo\nhello hello\n");
    }
}

#[test]
fn one_edit_that_was_taken_back_lands_alone() {
    let sandbox = sandbox();
    let response = patch("README", "Longer", "hello\n", "hello hello\n") + &create("new", "Add", "new\n");
    sandbox.apply([""; 0], &response).exits(0);
    sandbox.git(["revert", "--no-edit", "HEAD"]);
    assert!(!sandbox.exists("new"));
    let run = sandbox.apply([""; 0], &response).exits(0);
    assert!(run.stdout.contains(", 1 commit"), "{run:?}");
    assert_eq!(
        (sandbox.text("README"), sandbox.text("new")),
        ("one\ntwo\nhello hello\n".into(), "new\n".into())
    );
}

#[test]
fn commits_that_were_made_anew_count_by_what_they_did() {
    let response = patch("README", "Add", "hello\n", "hello\nadded\n")
        + &patch("README", "Amend", "added\n", "amended\n");
    for way in ["squash", "rebase", "amend"] {
        println!("{way}");
        let sandbox = sandbox();
        sandbox.file("other", "x\n");
        let old = sandbox.commit("Other");
        sandbox.apply([""; 0], &response).exits(0);
        match way {
            "squash" => {
                sandbox.git(["reset", "-q", "--soft", &old]);
                sandbox.commit("Squashed");
            }
            "rebase" => {
                sandbox.git(["checkout", "-q", "-b", "side", "HEAD~3"]);
                sandbox.git(["cherry-pick", "main~1", "main"]);
            }
            _ => drop(sandbox.git(["commit", "-q", "--amend", "-m", "Another message"])),
        }
        let tip = sandbox.head();
        sandbox.apply([""; 0], &response).exits(0).says("already landed as ");
        assert_eq!(sandbox.head(), tip);
    }
}

#[test]
fn what_was_amended_since_is_refused_with_a_way_on() {
    let sandbox = sandbox();
    let response = patch("README", "Longer", "hello\n", "hello hello\n");
    sandbox.apply([""; 0], &response).exits(0);
    let id = newest_id(&sandbox);
    sandbox.file("README", "one\ntwo\nhello hello, all\n");
    sandbox.commit("Amend it");
    let before = sandbox.listing();
    let run = sandbox.apply(["--no-keep"], &response).exits(1);
    assert!(run.stderr.contains(&id) && run.stderr.contains("--again"), "{run:?}");
    same("a refusal", &before, &sandbox.listing());
    // An edit that is still in effect is not reported as changed.
    let both =
        create("new", "New", "n\n") + &patch("README", "All", "hello hello, all\n", "hello, you all\n");
    sandbox.apply(["-q"], &both).exits(0);
    sandbox.file("README", "one\ntwo\nhello, all of you\n");
    sandbox.commit("Amend it again");
    let run =
        sandbox.apply(["--no-keep"], &both).exits(1).says("refused: edit 2 of 2 failed; nothing was changed");
    run.says("leave it out with --except 2, or land it again with --again --only 2");
    let short = sandbox.git(["log", "-1", "--format=%h", "--", "new"]);
    sandbox.apply(["-n"], &both).exits(1).says(&format!("already applied by {short}  "));
    sandbox.apply(["--except=2"], &both).exits(0).says("nothing to do");
}

#[test]
fn of_one_commit_only_the_files_that_were_changed_since_are_refused() {
    let sandbox = Sandbox::new();
    let response = patch("README", "One", "hello\n", "hello one\n")
        + &patch("old.txt", "Two", "two\n", "2\n")
        + &patch("src/a.rs", "Three", "fn b() {}\n", "fn beta() {}\n");
    sandbox.apply(["--commit=response"], &response).exits(0);
    sandbox.file("README", "hello you\n");
    sandbox.file("src/a.rs", "fn a() {}\nfn b() {}\nfn c() {}\n");
    sandbox.commit("by hand");
    let run = sandbox.apply([""; 0], &response).exits(1).says("edit 1 of 3 failed (edit 3 would apply)");
    assert_eq!(run.stderr.matches("changed since").count(), 1, "{}", run.stderr);
    sandbox.apply(["--except=1"], &response).exits(0).says("already applied");
    assert_eq!(sandbox.text("old.txt"), "one\n2\nthree\nfour\n");
    assert_eq!(sandbox.text("src/a.rs"), "fn a() {}\nfn beta() {}\nfn c() {}\n");
}

#[test]
fn however_often_it_landed_elsewhere_it_lands_here_once() {
    let sandbox = Sandbox::new();
    let added = "*** Begin Patch\n*** Update File: README\n@@\n+added\n*** End Patch\n";
    sandbox.apply([""; 0], added).exits(0);
    let base = sandbox.head();
    for n in 0..34 {
        sandbox.git(["checkout", "-q", "-b", &format!("other/{n}"), &format!("{base}~1")]);
        sandbox.file("README", format!("{n}\n"));
        sandbox.commit("Other");
        sandbox.apply([""; 0], added).exits(0).says(", 1 commit");
    }
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.file("README", "hello\nadded\nmore\n");
    sandbox.commit("More");
    sandbox.apply([""; 0], added).exits(1).says("this edit landed as ");
}

#[test]
fn the_edits_of_a_long_response_are_known_one_by_one() {
    for options in [&[][..], &["--commit=response"]] {
        let sandbox = Sandbox::new();
        (1..=201).for_each(|n| sandbox.file(&format!("f{n}"), format!("{n}\n")));
        sandbox.commit("Files");
        let edits =
            (1..=201).map(|n| patch(&format!("f{n}"), "Edit", &format!("{n}\n"), &format!("{n}{n}\n")));
        let response = edits.collect::<String>();
        sandbox.apply(options, &response).exits(0);
        sandbox.file("f1", "1\n");
        sandbox.file("f2", "other\n");
        sandbox.commit("Take one back, and amend another");
        let run =
            sandbox.apply(options, &response).exits(1).says("edit 2 of 201 failed (edit 1 would apply)");
        assert_eq!(run.stderr.matches("changed since").count(), 1, "{}", run.stderr);
    }
}

#[test]
fn on_another_branch_it_lands() {
    let sandbox = sandbox();
    let response = patch("README", "Longer", "hello\n", "hello hello\n");
    sandbox.apply(["-b", "one"], &response).exits(0);
    sandbox.apply(["-b", "one"], &response).exits(0).says("already landed as ");
    sandbox.apply(["-b", "two"], &response).exits(0).says(", 1 commit");
    sandbox.apply([""; 0], &response).exits(0).says(", 1 commit");
    sandbox.apply([""; 0], &response).exits(0).says("already landed as ");
}
