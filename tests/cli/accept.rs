//! `accept`: it takes suggestions as they are if nothing came between, else commit by commit; all of them or none.
use crate::sandbox;

use sandbox::{Sandbox, create, patch, remove, same};
use serde_json::Value;

fn beta() -> String {
    patch("src/a.rs", "Rename b to beta", "fn b() {}\n", "fn beta() {}\n")
        + &create("src/new.rs", "Add a module", "one\n")
}

fn greet() -> String {
    patch("README", "Greet all", "hello\n", "hello all\n")
}

/// Creates a repository with two suggestions, try/1 and try/2, and HEAD on main.
fn suggested() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.apply(["-q", "-b", "try/1"], &beta()).exits(0);
    sandbox.apply(["-q", "-b", "try/2"], &greet()).exits(0);
    sandbox
}

fn meanwhile(sandbox: &Sandbox) -> String {
    sandbox.file("src/a.rs", "// first\nfn a() {}\nfn b() {}\nfn c() {}\n");
    sandbox.commit("meanwhile")
}

#[test]
fn where_nothing_lies_between_the_branch_takes_the_commits_as_they_are() {
    let sandbox = suggested();
    let tip = sandbox.git(["rev-parse", "try/1"]);
    let run =
        sandbox.run(["accept", "try/1"]).exits(0).says("2 commits").says("take it back: git llm-apply undo ");
    assert!(run.stdout.contains("try/1  ") && !run.stdout.contains(" -> "), "{}", run.stdout);
    assert_eq!((sandbox.head(), sandbox.status()), (tip, String::new()));
    assert_eq!(sandbox.git(["reflog", "-1", "--format=%gs"]), "llm-apply: accept try/1");
    sandbox.is_sound();
    let before = sandbox.state();
    sandbox.run(["accept", "try/1"]).exits(0).says("already merged").says("nothing to do");
    sandbox.state().is(&before, "twice");
}

#[test]
fn several_come_one_after_another() {
    let sandbox = suggested();
    let base = sandbox.head();
    let first = sandbox.git(["rev-parse", "try/1"]);
    sandbox.run(["accept", "try/1", "try/2"]).exits(0).says("3 commits");
    assert_eq!(sandbox.git(["rev-parse", "HEAD~"]), first, "the first as it is");
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["Rename b to beta", "Add a module", "Greet all"]);
    assert_eq!(sandbox.text("README"), "hello all\n");
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
}

#[test]
fn what_was_changed_meanwhile_is_merged_commit_by_commit_and_authors_stay() {
    let mut sandbox = suggested();
    let tip = meanwhile(&sandbox);
    sandbox.set("GIT_AUTHOR_NAME", "Somebody Else");
    sandbox.run(["accept", "try/1"]).exits(0).says(" -> ").says("2 commits");
    assert_eq!(sandbox.git(["log", "--format=%an", &format!("{tip}..")]), "A U Thor\nA U Thor");
    assert_eq!(sandbox.text("src/a.rs"), "// first\nfn a() {}\nfn beta() {}\nfn c() {}\n");
    assert_eq!(sandbox.git(["rev-parse", "HEAD~2"]), tip);
    assert_eq!(sandbox.status(), "");
    let before = sandbox.state();
    sandbox.run(["accept", "try/1"]).exits(0).says("already merged").says("nothing to do");
    sandbox.state().is(&before, "twice");
    sandbox.is_sound();
}

#[test]
fn a_part_of_a_suggestion_is_accepted_by_its_commit_and_the_rest_later() {
    let sandbox = suggested();
    let (base, first) = (sandbox.head(), sandbox.git(["rev-parse", "try/1~1"]));
    sandbox.run(["accept", "try/1~1"]).exits(0).says("1 commit").says("try/1~1");
    assert_eq!(sandbox.head(), first);
    let tip = meanwhile(&sandbox);
    sandbox.run(["accept", "try/1"]).exits(0).says("1 commit");
    assert_eq!(sandbox.subjects(&format!("{tip}..")), ["Add a module"]);
    sandbox.run(["undo"]).exits(0);
    assert_eq!(sandbox.head(), tip);
    sandbox.run(["undo"]).exits(0);
    assert_eq!(sandbox.git(["diff", &base, "HEAD", "--", "src/a.rs"]).matches("beta").count(), 0);
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
}

#[test]
fn a_conflict_changes_nothing_and_names_file_and_lines() {
    let sandbox = suggested();
    sandbox.file("src/a.rs", "fn a() {}\nfn b2() {}\nfn c() {}\n");
    sandbox.commit("meanwhile");
    let before = sandbox.listing();
    let run = sandbox.run(["accept", "try/2", "try/1"]).exits(1).says("[conflict]").says("src/a.rs");
    let commit = sandbox.git(["rev-parse", "--short", "try/1~"]);
    let run = run.says(&format!("commit {commit} of try/1")).says("at line 2").says("fn b2() {}");
    let run = run.says("nothing was changed");
    assert!(!run.stdout.contains("already merged"), "{}", run.stdout);
    same("a conflict", &before, &sandbox.listing());
    let run = sandbox.run(["accept", "--json", "try/1"]).exits(1);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (&report["status"], &report["diagnostics"][0]["code"]),
        (&"refused".into(), &"conflict".into())
    );
    assert_eq!(report["accepted"][0]["commits"][1]["subject"], "Add a module");
    for (side, wanted) in [("ours", "fn b2() {}"), ("theirs", "fn beta() {}")] {
        let branch = format!("keep-{side}");
        sandbox.git(["checkout", "-q", "-b", &branch, "main"]);
        sandbox.run(["accept", "-X", side, "try/1"]).exits(0);
        assert_eq!(sandbox.text("src/a.rs"), format!("fn a() {{}}\n{wanted}\nfn c() {{}}\n"));
    }
    sandbox.is_sound();
}

#[test]
fn local_changes_in_the_way_are_named_and_nothing_changes() {
    let sandbox = suggested();
    sandbox.file("README", "mine\n");
    let before = sandbox.listing();
    let run = sandbox.run(["accept", "try/1", "try/2"]).exits(4).says("README has local changes");
    let run = run.says("nothing was changed").says("or use --autostash");
    assert!(!run.stderr.contains("-b <branch>"), "{}", run.stderr);
    sandbox.apply([""; 0], &greet()).exits(4).says("or use --autostash, or use -b <branch>");
    same("in the way", &before, &sandbox.listing());
    sandbox.run(["accept", "try/1"]).exits(0);
    assert_eq!(sandbox.text("README"), "mine\n");
}

#[test]
fn commands_and_hooks_judge_it() {
    let sandbox = suggested();
    let before = (sandbox.head(), sandbox.status());
    sandbox.run(["accept", "-x", "grep -q nowhere src/a.rs", "try/1"]).exits(2);
    sandbox.script(&sandbox.repo.join(".git/hooks/pre-llm-apply"), "#!/bin/sh\nexit 1\n");
    sandbox.run(["accept", "try/1"]).exits(3);
    assert_eq!((sandbox.head(), sandbox.status()), before);
    sandbox.run(["accept", "--no-verify", "-x", "grep -q beta src/a.rs", "try/1"]).exits(0);
    sandbox.is_sound();
    sandbox.leaves_no_file();
}

#[test]
fn it_is_on_record_and_programs_are_told() {
    let sandbox = suggested();
    let run = sandbox.run(["accept", "--json", "try/1", "try/2"]).exits(0);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let commits = |at: usize| report["accepted"][at]["commits"].as_array().unwrap().clone();
    assert_eq!((commits(0).len(), commits(1).len()), (2, 1));
    assert_eq!((&commits(0)[1]["as_is"], &commits(0)[1]["new"]), (&true.into(), &commits(0)[1]["from"]));
    assert_eq!((&commits(1)[0]["as_is"], &commits(1)[0]["new"]), (&false.into(), &sandbox.head().into()));
    let id = report["landing"].as_str().unwrap();
    assert!(sandbox.run(["list"]).stdout.starts_with(id));
    sandbox.run(["show", id]).exits(0);
}

#[test]
fn it_works_on_any_kind_of_branch_and_repository() {
    // Without a checkout.
    let mut bare = suggested();
    let place = bare.root().join("bare.git");
    bare.git(["clone", "-q", "--bare", ".", place.to_str().unwrap()]);
    bare.repo = place;
    bare.run(["accept", "try/1", "try/2"]).exits(0);
    assert_eq!(bare.git(["show", "main:README"]), "hello all");
    bare.git(["fsck", "--strict"]);

    // With a detached HEAD, and a branch of a remote.
    let mut clone = suggested();
    let place = clone.root().join("clone");
    clone.git(["clone", "-q", ".", place.to_str().unwrap()]);
    clone.repo = place;
    clone.git(["checkout", "-q", "--detach"]);
    clone.run(["accept", "origin/try/1", "origin/try/2"]).exits(0);
    assert_eq!((clone.text("README"), clone.status()), ("hello all\n".to_owned(), String::new()));

    // In a linked worktree.
    let mut linked = suggested();
    let place = linked.root().join("linked");
    linked.git(["worktree", "add", "-q", "-b", "other", place.to_str().unwrap()]);
    linked.repo = place;
    linked.run(["accept", "try/2"]).exits(0);
    assert_eq!((linked.text("README"), linked.status()), ("hello all\n".to_owned(), String::new()));

    // In a repository without a commit.
    let unborn = Sandbox::unborn();
    unborn.apply(["-q", "-b", "try/1"], &create("a", "Add a", "a\n")).exits(0);
    unborn.run(["accept", "try/1"]).exits(0);
    assert_eq!((unborn.text("a"), unborn.status()), ("a\n".to_owned(), String::new()));

    let sparse = suggested();
    sparse.git(["sparse-checkout", "set", "src"]);
    meanwhile(&sparse);
    sparse.run(["accept", "try/1", "try/2"]).exits(0);
    assert_eq!(
        (sparse.status(), sparse.git(["show", "HEAD:README"])),
        (String::new(), "hello all".to_owned())
    );
}

#[test]
fn merges_with_nothing_of_their_own_are_passed_over_and_others_refused() {
    let sandbox = suggested();
    sandbox.apply(["-q", "--no-ff", "-b", "joined"], &greet()).exits(0);
    sandbox.git(["branch", "again"]);
    let joined = sandbox.git(["rev-parse", "joined"]);
    meanwhile(&sandbox);
    sandbox.run(["accept", "joined"]).exits(0).says("1 commit");
    assert_eq!(sandbox.text("README"), "hello all\n");
    sandbox.git(["checkout", "-q", "again"]);
    sandbox.run(["accept", "joined"]).exits(0);
    assert_eq!(sandbox.head(), joined, "as it is, the merge included");
    // A merge of changes to two lines of one file, as git makes it by itself.
    sandbox.git(["checkout", "-q", "-b", "mixed", "try/1"]);
    sandbox.git(["merge", "-q", "--no-edit", "main"]);
    sandbox.git(["checkout", "-q", "again"]);
    sandbox.file("other", "x\n");
    sandbox.commit("go on");
    let tip = sandbox.head();
    sandbox.run(["accept", "mixed"]).exits(0).says("3 commits");
    assert_eq!(sandbox.text("src/a.rs"), "// first\nfn a() {}\nfn beta() {}\nfn c() {}\n");
    sandbox.git(["reset", "-q", "--hard", &tip]);
    sandbox.git(["checkout", "-q", "mixed"]);
    sandbox.file("src/a.rs", "// its own\n");
    sandbox.git(["commit", "-q", "-a", "--amend", "--no-edit"]);
    sandbox.git(["checkout", "-q", "again"]);
    let before = sandbox.listing();
    sandbox
        .run(["accept", "mixed"])
        .exits(1)
        .says("merge commit with changes of its own")
        .says("git merge mixed");
    same("a merge", &before, &sandbox.listing());
}

#[test]
fn where_merges_come_along_no_command_is_named_that_stops_at_them() {
    let sandbox = suggested();
    let base = sandbox.head();
    sandbox.git(["checkout", "-q", "try/1"]);
    sandbox.git(["merge", "-q", "-m", "Both", "try/2"]);
    sandbox.git(["checkout", "-q", "main"]);
    let run = sandbox.run(["accept", "try/1"]).exits(0).says("take it back: git llm-apply undo ");
    assert!(!run.stdout.contains("git revert"), "{}", run.stdout);
    sandbox.run(["undo"]).exits(0);
    assert_eq!(sandbox.git(["diff", &base, "HEAD"]), "");
}

#[test]
fn where_a_branch_has_merged_the_other_on_its_way_all_its_commits_are_named() {
    let sandbox = suggested();
    let tip = meanwhile(&sandbox);
    sandbox.git(["checkout", "-q", "try/1"]);
    sandbox.git(["merge", "-q", "-m", "Go on", "main"]);
    sandbox.git(["checkout", "-q", "main"]);
    let run = sandbox.run(["accept", "--json", "try/1"]).exits(0);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let landed = sandbox.git(["rev-list", "--topo-order", "--reverse", &format!("{tip}..")]);
    let landed: Vec<_> = landed.lines().collect();
    assert_eq!((report["commits"].as_array().unwrap().len(), landed.len()), (3, 3), "{}", run.stdout);
    assert_eq!(report["commits"], serde_json::json!(landed));
    sandbox.run(["show"]).exits(0).says("2 accepted commits");
    sandbox.run(["undo", "--edit=2"]).exits(0);
    assert!(!sandbox.exists("src/new.rs") && sandbox.text("src/a.rs").contains("fn beta()"));
    sandbox.run(["undo"]).exits(0);
    assert_eq!(sandbox.git(["diff", &tip, "HEAD"]), "");
}

#[test]
fn what_a_suggestion_was_made_on_comes_along_and_stays() {
    let others = |sandbox: &Sandbox| {
        sandbox.git(["checkout", "-q", "-b", "theirs", "main~"]);
        sandbox.git(["checkout", "-q", "-b", "side"]);
        sandbox.file("side", "work\n");
        sandbox.commit("work beside it");
        sandbox.git(["checkout", "-q", "theirs"]);
        sandbox.file("others", "work\n");
        sandbox.commit("work of others");
        sandbox.git(["merge", "-q", "-m", "Both", "side"]);
        sandbox.git(["checkout", "-q", "main"]);
        sandbox.apply(["-q", "-b", "try", "--base", "theirs"], &greet()).exits(0);
    };
    for is_beside in [false, true] {
        let sandbox = Sandbox::new();
        sandbox.file("own", "own\n");
        sandbox.commit("own work");
        others(&sandbox);
        if !is_beside {
            sandbox.git(["reset", "-q", "--hard", "HEAD~"]);
        }
        let run = sandbox.run(["accept", "try"]).exits(0).says("Greet all");
        assert!(!run.stdout.contains("git revert"), "{}", run.stdout);
        assert_eq!(sandbox.text("README"), "hello all\n");
        let run = sandbox.run(["undo"]).exits(0);
        assert!(!run.stdout.contains("work of others"), "{}", run.stdout);
        assert_eq!(sandbox.text("README"), "hello\n");
        assert!(sandbox.exists("others") && sandbox.exists("side"));
        sandbox.run(["redo"]).exits(0);
        assert_eq!(sandbox.text("README"), "hello all\n");
        assert_eq!((sandbox.status(), sandbox.exists("own")), (String::new(), is_beside));
        sandbox.is_sound();
    }
}

#[test]
fn a_record_that_names_another_start_brings_nothing_along() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    sandbox.apply(["-q", "-b", "try"], &greet()).exits(0);
    sandbox.git(["checkout", "-q", "-b", "stray"]);
    sandbox.file("stray", "x\n");
    let stray = sandbox.commit("Not ours");
    sandbox.git(["checkout", "-q", "main"]);
    let record = sandbox.git(["log", "-1", "--format=%B", "refs/llm-apply/history"]);
    let forged = record.replace(&format!("Start: {base}"), &format!("Start: {stray}"));
    assert_ne!(forged, record);
    let parents = sandbox.git(["log", "-1", "--format=%P", "refs/llm-apply/history"]);
    let mut command = vec!["commit-tree", "-m", &forged, "refs/llm-apply/history^{tree}"];
    command.extend(parents.split(' ').flat_map(|parent| ["-p", parent]));
    let forged = sandbox.git(command);
    sandbox.git(["update-ref", "refs/llm-apply/history", &forged]);
    sandbox.run(["accept", "try"]).exits(0).says("1 commit");
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["Greet all"]);
    assert!(!sandbox.exists("stray"));
}

#[test]
fn a_suggestion_that_another_one_was_made_on_is_taken_back_with_it() {
    for names in [["first", "second"], ["second", "first"]] {
        let sandbox = Sandbox::new();
        sandbox.apply(["-q", "-b", "first"], &create("new.txt", "Add it", "new\n")).exits(0);
        sandbox.apply(["-q", "-b", "second", "--base", "first"], &greet()).exits(0);
        let before = sandbox.head();
        sandbox.run(["accept", names[0], names[1]]).exits(0);
        assert_eq!(sandbox.subjects(&format!("{before}..")), ["Add it", "Greet all"]);
        sandbox.run(["undo"]).exits(0);
        assert_eq!(sandbox.head(), before);
        // The second suggestion was made on the first, which was not accepted by its own name.
        sandbox.run(["accept", "second"]).exits(0);
        sandbox.run(["undo"]).exits(0);
        assert!(sandbox.exists("new.txt") && sandbox.text("README") == "hello\n");
    }
}

#[test]
fn names_that_are_none_are_errors() {
    let sandbox = suggested();
    let before = sandbox.listing();
    sandbox.run(["accept", "nowhere"]).exits(128).says("there is no branch 'nowhere'");
    sandbox.run(["accept", "try/1", "nowhere"]).exits(128);
    sandbox.run(["accept"]).exits(129);
    sandbox.run(["accept", "-X", "mine", "try/1"]).exits(129);
    same("no names", &before, &sandbox.listing());
}

#[test]
fn a_file_that_is_changed_and_then_deleted_is_deleted_only_if_the_policy_lets_it() {
    let sandbox = Sandbox::new();
    let answer = greet() + &remove("README", "Drop the README");
    sandbox.apply(["-q", "-b", "try/1"], &answer).exits(0);
    meanwhile(&sandbox);
    sandbox.git(["config", "llmapply.allowDelete", "false"]);
    let before = sandbox.state();
    sandbox.run(["accept", "try/1"]).exits(1).says("README");
    sandbox.state().is(&before, "refused");
    sandbox.run(["accept", "--allow-delete", "try/1"]).exits(0);
    assert!(!sandbox.exists("README"));
}
