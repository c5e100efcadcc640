//! What undo, redo, accept and drop share with a landing: a dry run, a push, the policy, hooks and their output.

use crate::sandbox;

use git_llm_apply::vcs::fault::VARIABLE;
use sandbox::{Run, Sandbox, create, patch, remove, same};
use serde_json::Value;

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:?}"))
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect()
}

/// Two edits that land as two commits.
fn two() -> String {
    patch("old.txt", "Say two twice", "two\n", "two two\n") + &create("new.txt", "Add it", "new\n")
}

fn landed() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &two()).exits(0);
    sandbox
}

/// Creates a repository with a remote that has everything.
fn pushed() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git(["init", "-q", "--bare", "../server"]);
    sandbox.git(["remote", "add", "origin", "../server"]);
    sandbox.git(["push", "-q", "-u", "origin", "main"]);
    sandbox
}

fn there(sandbox: &Sandbox, revision: &str) -> String {
    sandbox.git(["-C", "../server", "rev-parse", revision])
}

#[test]
fn undo_takes_back_what_landed_and_not_what_was_amended_into_it() {
    for message in ["--no-edit", "--message=Another subject"] {
        let sandbox = landed();
        sandbox.file("new.txt", "new\nmine\n");
        sandbox.file("old.txt", "one\ntwo two\nthree\nfour\nmine\n");
        sandbox.file("mine.txt", "mine\n");
        sandbox.git(["add", "-A"]);
        // The amended lines are not those of the edits. The file that was created has one line more.
        sandbox.git(["checkout", "-q", "HEAD", "--", "new.txt"]);
        sandbox.git(["commit", "-q", "--amend", message]);
        let amended = sandbox.head();
        let run = sandbox.run(["undo"]).exits(0);
        assert_eq!(sandbox.text("old.txt"), "one\ntwo\nthree\nfour\nmine\n", "{message}");
        assert!(sandbox.exists("mine.txt") && !sandbox.exists("new.txt"), "{message}");
        assert!(run.stdout.contains("paths (2): new.txt, old.txt"), "{run:?}");
        assert_eq!(sandbox.subjects(&format!("{amended}..")).len(), 2, "{message}");
        sandbox.run(["redo"]).exits(0);
        assert_eq!(sandbox.text("old.txt"), "one\ntwo two\nthree\nfour\nmine\n", "{message}");
        assert!(sandbox.exists("new.txt"), "{message}");
        sandbox.has_sound_objects();
        sandbox.leaves_no_file();
    }
}

#[test]
fn undo_refuses_what_was_amended_in_the_same_lines() {
    let sandbox = landed();
    sandbox.file("new.txt", "new\nmine\n");
    sandbox.git(["commit", "-q", "-a", "--amend", "--no-edit"]);
    let before = sandbox.state();
    sandbox.run(["undo"]).exits(1).says("new.txt").says("nothing was changed");
    sandbox.state().is(&before, "refused");
    // The other edit can be taken back.
    sandbox.run(["undo", "--edit", "1"]).exits(0);
    assert_eq!(
        (sandbox.text("old.txt"), sandbox.text("new.txt")),
        ("one\ntwo\nthree\nfour\n".into(), "new\nmine\n".into())
    );
}

#[test]
fn what_was_squashed_is_taken_back_as_well() {
    let sandbox = landed();
    sandbox.git(["reset", "-q", "--soft", "HEAD~2"]);
    sandbox.file("mine.txt", "mine\n");
    sandbox.commit("All of it");
    sandbox.run(["undo"]).exits(0);
    assert_eq!(sandbox.text("old.txt"), "one\ntwo\nthree\nfour\n");
    assert!(!sandbox.exists("new.txt") && sandbox.exists("mine.txt"));
    sandbox.run(["undo"]).exits(1).says("nothing to undo on main");
    sandbox.is_sound();
}

#[test]
fn the_rest_of_what_was_squashed_is_taken_back_after_one_edit() {
    let sandbox = landed();
    sandbox.git(["reset", "-q", "--soft", "HEAD~2"]);
    sandbox.commit("All of it");
    sandbox.run(["undo", "--edit=1"]).exits(0);
    sandbox.run(["redo"]).exits(0);
    sandbox.run(["undo", "--edit=2"]).exits(0);
    sandbox.run(["undo"]).exits(0).says("old.txt");
    assert!(sandbox.text("old.txt") == "one\ntwo\nthree\nfour\n" && !sandbox.exists("new.txt"));
    sandbox.run(["undo"]).exits(1).says("nothing to undo on main");
    sandbox.is_sound();
}

#[test]
fn undo_names_every_edit_that_it_leaves_and_why() {
    let sandbox = Sandbox::new();
    let three = two() + &remove("gone.txt", "Drop it");
    sandbox.apply([""; 0], &three).exits(0);
    sandbox.git(["revert", "--no-edit", "HEAD~1"]);
    let run = sandbox.run(["undo", "--edit=1,2", "--json"]).exits(0);
    let report = json(&run);
    assert_eq!(strings(&report["paths"]), ["old.txt"], "{run:?}");
    let states: Vec<_> =
        report["edits"].as_array().unwrap().iter().map(|edit| edit["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["taken-back", "no-change", "not-wanted"], "{run:?}");
    let left: Vec<_> = report["diagnostics"].as_array().unwrap().iter().collect();
    assert_eq!(left.len(), 1, "{run:?}");
    assert_eq!((left[0]["edit"].as_u64(), left[0]["severity"].as_str()), (Some(2), Some("warning")));
    assert!(left[0]["message"].as_str().unwrap().contains("taken back"), "{run:?}");
    let run = sandbox.run(["undo"]).exits(0);
    assert!(run.stderr.contains("edit 1, old.txt") && run.stderr.contains("edit 2, new.txt"), "{run:?}");
    assert!(run.stdout.contains("paths (1): gone.txt"), "{run:?}");
    // A rebase has dropped one of the commits.
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &two()).exits(0);
    sandbox.git(["reset", "-q", "--hard", "HEAD~1"]);
    let run = sandbox.run(["undo"]).exits(0);
    assert!(run.stderr.contains("edit 2, new.txt") && run.stderr.contains("not on main"), "{run:?}");
}

#[test]
fn nothing_to_undo_is_said_in_these_words() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["undo"]).exits(1);
    assert!(run.stderr.starts_with("error: nothing to undo on main\n"), "{run:?}");
    let run = sandbox.run(["redo"]).exits(1);
    assert!(run.stderr.starts_with("error: nothing to redo on main\n"), "{run:?}");
    let run = sandbox.run(["undo", "--json"]).exits(1);
    assert_eq!(json(&run)["error"]["message"].as_str(), Some("nothing to undo on main"));
}

#[test]
fn a_dry_run_shows_it_and_changes_nothing() {
    let sandbox = landed();
    sandbox.apply(["-b", "try"], &create("try.txt", "Try it", "try\n")).exits(0);
    let look = |args: &[&str], says: &[&str]| {
        let before = sandbox.state();
        let run = sandbox.run(args).exits(0);
        for text in says {
            assert!(run.stdout.contains(text), "{text:?}: {run:?}");
        }
        let run = sandbox.run(args.iter().chain(&["--json"])).exits(0);
        sandbox.state().is(&before, &format!("{args:?}"));
        json(&run)
    };
    // Once the branch would move back, once new commits would take it back.
    for later in [false, true] {
        if later {
            sandbox.git(["commit", "-q", "--allow-empty", "-m", "mine"]);
        }
        let told =
            look(&["undo", "-n"], &["paths (2): new.txt, old.txt", "would take", "nothing was changed"]);
        assert_eq!(
            (told["status"].as_str(), strings(&told["paths"])),
            (Some("checked"), vec!["new.txt", "old.txt"])
        );
        let run = sandbox.run(["undo", "-n", "--diff"]).exits(0);
        assert!(run.stdout.contains("-two two\n+two\n"), "{run:?}");
    }
    sandbox.run(["undo"]).exits(0);
    look(&["redo", "--dry-run"], &["would put", "nothing was changed"]);
    let told = look(&["accept", "-n", "try"], &["try", "would land 1 commit on main", "paths (1): try.txt"]);
    assert_eq!(
        (told["status"].as_str(), told["accepted"][0]["commits"].as_array().unwrap().len()),
        (Some("checked"), 1)
    );
    let told = look(&["drop", "-n", "try"], &["would drop try"]);
    assert_eq!(
        (told["status"].as_str(), told["dropped"][0]["branch"].as_str()),
        (Some("checked"), Some("try"))
    );
    // It shows what is in the way, and what has to pass.
    sandbox.file("old.txt", "mine\n");
    sandbox.script(&sandbox.repo.join(".git/hooks/pre-llm-apply"), "#!/bin/sh\nexit 1\n");
    let run = sandbox.run(["redo", "-n"]).exits(4).says("old.txt");
    assert!(
        run.stdout.contains("not run yet, and must pass when it lands: the pre-llm-apply hook"),
        "{run:?}"
    );
}

#[test]
fn undo_and_redo_are_pushed_before_the_branch_moves() {
    let sandbox = pushed();
    sandbox.apply(["--push"], &two()).exits(0);
    sandbox.run(["undo", "--push"]).exits(0);
    assert_eq!(there(&sandbox, "main"), sandbox.head());
    assert_eq!(sandbox.subjects("HEAD~2..").len(), 2, "never by force");
    sandbox.run(["redo", "--push"]).exits(0);
    assert_eq!(there(&sandbox, "main"), sandbox.head());
    assert_eq!(sandbox.text("new.txt"), "new\n");
    // If the remote refuses, nothing is taken back.
    let hook = sandbox.root().join("server/hooks/pre-receive");
    sandbox.script(&hook, "#!/bin/sh\necho not today >&2\nexit 1\n");
    let before = sandbox.state();
    let run = sandbox.run(["undo", "--push"]).exits(3);
    assert!(run.stderr.contains("not today"), "{run:?}");
    sandbox.state().is(&before, "refused by the remote");
    std::fs::remove_file(hook).unwrap();
    // The remote has moved on.
    sandbox.git(["clone", "-q", "-b", "main", "../server", "../other"]);
    std::fs::write(sandbox.root().join("other/theirs.txt"), "theirs\n").unwrap();
    sandbox.git(["-C", "../other", "add", "-A"]);
    sandbox.git(["-C", "../other", "commit", "-q", "-m", "theirs"]);
    sandbox.git(["-C", "../other", "push", "-q", "origin", "main"]);
    sandbox.run(["undo", "--push"]).exits(4).says("has moved");
    sandbox.run(["undo", "--push", "--rebase"]).exits(0);
    assert_eq!(there(&sandbox, "main"), sandbox.head());
    assert!(sandbox.exists("theirs.txt") && !sandbox.exists("new.txt"));
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
}

#[test]
fn drop_removes_the_branch_of_the_remote_first() {
    let sandbox = pushed();
    let suggest = |name: &str| {
        sandbox.apply(["--push", "-b", name], &create(&format!("{name}.txt"), "Try it", "try\n")).exits(0);
    };
    let branches = |directory: &str| {
        sandbox.git(["-C", directory, "for-each-ref", "--format=%(refname:short)", "refs/heads"])
    };
    ["one", "two"].iter().for_each(|name| suggest(name));
    let run = sandbox.run(["drop", "--push", "one"]).exits(0);
    assert!(run.stdout.contains("origin"), "{run:?}");
    assert_eq!((branches("."), branches("../server")), ("main\ntwo".into(), "main\ntwo".into()));
    // Somebody has pushed to the branch meanwhile: it stays, here and on the remote.
    let mine = sandbox.git(["commit-tree", "-m", "theirs", "-p", "two", "two^{tree}"]);
    sandbox.git(["push", "-q", "origin", &format!("{mine}:refs/heads/two")]);
    sandbox.run(["drop", "--push", "two"]).exits(4).says("two");
    sandbox.git(["push", "-q", "-f", "origin", "two:two"]);
    let hook = sandbox.root().join("server/hooks/pre-receive");
    sandbox.script(&hook, "#!/bin/sh\necho not today >&2\nexit 1\n");
    sandbox.run(["drop", "--push", "two"]).exits(3).says("not today");
    assert_eq!((branches("."), branches("../server")), ("main\ntwo".into(), "main\ntwo".into()));
    std::fs::remove_file(hook).unwrap();
    // A branch that was never pushed is removed here.
    sandbox.apply(["-b", "three"], &create("three.txt", "Try it", "try\n")).exits(0);
    sandbox.run(["drop", "--push", "two", "three"]).exits(0);
    assert_eq!((branches("."), branches("../server")), ("main".into(), "main".into()));
    sandbox.has_sound_objects();
    sandbox.leaves_no_file();
}

#[test]
fn after_a_kill_a_drop_goes_on_where_it_is_run_again() {
    for (fault, is_here) in [("dropped-there", true), ("drop-noted", true), ("branches-dropped", false)] {
        let sandbox = pushed();
        sandbox.apply(["--push", "-b", "one"], &create("one.txt", "Try it", "try\n")).exits(0);
        sandbox.apply(["-b", "two"], &create("two.txt", "Try it", "try\n")).exits(0);
        let run = sandbox.command(["drop", "--push", "one"]).env(VARIABLE, format!("{fault}:kill")).output();
        assert_eq!(Run::of(run.unwrap()).signal, Some(9), "{fault}");
        let said = if is_here { "removed the files" } else { "killed run: dropped one" };
        sandbox.run(["recover"]).exits(0).says(said);
        let branches = |directory: &str| {
            sandbox.git(["-C", directory, "for-each-ref", "--format=%(refname:short)", "refs/heads"])
        };
        assert_eq!(branches("."), if is_here { "main\none\ntwo" } else { "main\ntwo" }, "{fault}");
        assert_eq!(branches("../server"), "main", "{fault}");
        sandbox.leaves_no_file();
        if is_here {
            sandbox.run(["drop", "--push", "one"]).exits(0).says("dropped one");
            assert_eq!(branches("."), "main\ntwo", "{fault}");
        }
        sandbox.leaves_no_file();
    }
}

#[test]
fn what_a_hook_refuses_for_ever_can_be_given_up() {
    let sandbox = pushed();
    let file = sandbox.response(&create("one.txt", "Try it", "try\n"));
    let run = sandbox.command(["--push", "-b", "one"]).arg(file).env(VARIABLE, "pushed:kill").output();
    assert_eq!(Run::of(run.unwrap()).signal, Some(9));
    let hook = sandbox.repo.join(".git/hooks/reference-transaction");
    sandbox.script(&hook, "#!/bin/sh\ngrep -q ' refs/heads/one$' && exit 1\nexit 0\n");
    sandbox.run(["recover"]).exits(3);
    sandbox.run(["recover", "--discard"]).exits(0).says("llm-apply/discarded/");
    sandbox.run(["recover"]).exits(0).says("nothing to recover");
}

#[test]
fn branches_of_two_remotes_are_not_dropped_by_halves() {
    let sandbox = pushed();
    sandbox.git(["init", "-q", "--bare", "../other"]);
    sandbox.git(["remote", "add", "other", "../other"]);
    for (name, remote) in [("one", "origin"), ("two", "other")] {
        sandbox.git(["branch", name]);
        sandbox.git(["push", "-q", "-u", remote, name]);
    }
    let before = sandbox.listing();
    sandbox.run(["drop", "--push", "--force", "one", "two"]).exits(128).says("several remotes");
    same("nothing is dropped", &before, &sandbox.listing());
    for name in ["one", "two"] {
        sandbox.run(["drop", "--push", "--force", name]).exits(0);
    }
}

#[test]
fn the_policy_holds_for_every_verb() {
    let sandbox = landed();
    sandbox
        .apply(
            ["-b", "try", "--allow-sensitive"],
            &(create(".husky/pre-push", "Try it", "try\n") + &remove("gone.txt", "Drop it")),
        )
        .exits(0);
    let refused = |args: &[&str], path: &str| {
        let before = sandbox.state();
        let run = sandbox.run(args).exits(1).says(path);
        assert!(!run.stderr.contains("--keep-going"), "{run:?}");
        assert!(run.stderr.contains("nothing was changed") && !run.stderr.contains("--allow"), "{run:?}");
        let run = sandbox.run(args.iter().chain(&["--json"])).exits(1);
        let told = json(&run);
        assert_eq!(
            (told["status"].as_str(), told["diagnostics"][0]["path"].as_str()),
            (Some("refused"), Some(path))
        );
        sandbox.state().is(&before, &format!("{args:?}"));
    };
    refused(&["accept", "try"], ".husky/pre-push");
    refused(&["accept", "try", "--allow-sensitive", "--no-allow-delete"], "gone.txt");
    refused(&["accept", "try", "--allow-sensitive", "--exclude=gone.txt"], "gone.txt");
    refused(&["accept", "-n", "try", "--allow-sensitive", "--include=.husky"], "gone.txt");
    refused(&["undo", "--exclude=new.txt"], "new.txt");
    sandbox.git(["config", "llmapply.exclude", "new.txt"]);
    refused(&["undo"], "new.txt");
    sandbox.git(["config", "--unset", "llmapply.exclude"]);
    // Undo is not an edit of a model, so a file that the landing created is removed.
    sandbox.run(["undo", "--no-allow-delete"]).exits(0);
    sandbox.git(["config", "llmapply.include", "old.txt"]);
    refused(&["redo"], "new.txt");
    sandbox.git(["config", "--unset", "llmapply.include"]);
    sandbox.run(["redo"]).exits(0);
    sandbox.run(["accept", "try", "--allow-sensitive"]).exits(0);
    sandbox.run(["undo"]).exits(0);
    assert!(sandbox.exists("gone.txt") && !sandbox.exists(".husky"));
    refused(&["redo"], ".husky/pre-push");
}

#[test]
fn what_a_hook_or_a_command_prints_is_told_by_every_verb() {
    let sandbox = landed();
    sandbox.apply(["-b", "try"], &create("try.txt", "Try it", "try\n")).exits(0);
    let told = |args: &[&str], code: i32, what: &str| {
        let run = sandbox.run(args).exits(code);
        assert!(run.stderr.contains("not today"), "{run:?}");
        let run = sandbox.run(args.iter().chain(&["--json"])).exits(code);
        let error = &json(&run)["error"];
        assert_eq!(error["code"].as_str(), Some(what), "{run:?}");
        assert!(error["output"].as_str().unwrap().contains("not today"), "{run:?}");
    };
    let command = "echo not today; exit 1";
    for verb in [&["undo"][..], &["accept", "try"]] {
        told(&[verb, &["-x", command]].concat(), 2, "exec");
    }
    for hook in ["pre-llm-apply", "reference-transaction"] {
        let hook = sandbox.repo.join(".git/hooks").join(hook);
        sandbox.script(&hook, "#!/bin/sh\necho not today >&2\nexit 1\n");
        for verb in [&["undo"][..], &["accept", "try"]] {
            told(verb, 3, "hook");
        }
        if hook.ends_with("reference-transaction") {
            told(&["drop", "try"], 3, "hook");
        }
        std::fs::remove_file(hook).unwrap();
    }
    sandbox.run(["undo"]).exits(0);
    told(&["redo", "-x", command], 2, "exec");
}
