//! Taking landings back, and putting them back.
use crate::sandbox;

mod meant;

use sandbox::{Run, Sandbox, create, patch, remove, same};

/// Three edits that land as three commits: they change, create and remove a file.
fn three() -> String {
    patch("README", "Say more", "hello\n", "hello world\n")
        + &create("new/one.txt", "Add one", "one\n")
        + &remove("gone.txt", "Drop it")
}

fn landed() -> (Sandbox, String, String) {
    let sandbox = Sandbox::new();
    let old = sandbox.head();
    sandbox.apply([""; 0], &three()).exits(0);
    let new = sandbox.head();
    (sandbox, old, new)
}

fn tree(sandbox: &Sandbox, commit: &str) -> String {
    sandbox.git(["rev-parse", &format!("{commit}^{{tree}}")])
}

fn id(sandbox: &Sandbox) -> String {
    sandbox.run(["list", "--porcelain"]).exits(0).stdout.split('\t').next().unwrap().to_owned()
}

fn kinds(sandbox: &Sandbox) -> Vec<String> {
    let run = sandbox.run(["list", "--porcelain"]).exits(0);
    run.stdout.lines().map(|line| line.split('\t').nth(1).unwrap().to_owned()).collect()
}

#[test]
fn the_branch_goes_back_where_nothing_came_after() {
    let (sandbox, old, new) = landed();
    let landing = id(&sandbox);
    let run = sandbox.run(["undo"]).exits(0).says(&format!("took {landing} back")).says("taken back");
    assert!(run.stdout.contains("README") && run.stdout.contains("Say more"), "{}", run.stdout);
    assert_eq!((sandbox.head(), sandbox.status().as_str()), (old.clone(), ""));
    assert!(sandbox.exists("gone.txt") && !sandbox.exists("new"));
    assert_eq!(sandbox.git(["rev-parse", "ORIG_HEAD"]), new);
    assert_eq!(sandbox.git(["reflog", "-1", "--format=%gs"]), format!("llm-apply: undo {landing}"));
    assert_eq!(kinds(&sandbox), ["undone", "landed"]);
    sandbox.is_sound();
    sandbox.run(["undo"]).exits(1).says("nothing to undo on main");
    // Put it back again.
    sandbox.run(["redo"]).exits(0).says(&format!("put {landing} back"));
    assert_eq!((sandbox.head(), sandbox.status().as_str()), (new, ""));
    assert_eq!(kinds(&sandbox), ["redone", "undone", "landed"]);
    sandbox.run(["redo"]).exits(1).says("nothing to redo on main");
    sandbox.run(["undo", &landing]).exits(0);
    assert_eq!(sandbox.head(), old);
    // The record keeps what is on no branch.
    sandbox.git(["reflog", "expire", "--expire=now", "--all"]);
    sandbox.git(["gc", "-q", "--prune=now"]);
    sandbox.run(["redo", &landing]).exits(0);
    assert_eq!(sandbox.text("README"), "hello world\n");
    sandbox.is_sound();
}

#[test]
fn a_record_that_names_commits_as_removed_is_not_believed() {
    let (sandbox, _, new) = landed();
    let stray = sandbox.git(["commit-tree", "-m", "Not ours", "-p", &new, "HEAD~^{tree}"]);
    let record = sandbox.git(["log", "-1", "--format=%B", "refs/llm-apply/history"]);
    let old = record.lines().find_map(|line| line.strip_prefix("Old: ")).unwrap().to_owned();
    let mut command = sandbox.git_command(["commit-tree", "refs/llm-apply/history^{tree}"]);
    let parents = sandbox.git(["log", "-1", "--format=%P", "refs/llm-apply/history"]);
    command.args(parents.split(' ').flat_map(|parent| ["-p", parent]));
    let forged = command.args(["-m", &record.replace(&old, &stray)]).output().unwrap();
    let forged = String::from_utf8(forged.stdout).unwrap();
    sandbox.git(["update-ref", "refs/llm-apply/history", forged.trim()]);
    sandbox.run(["undo", &id(&sandbox)]).exits(1).says("and no landing removes any");
    assert_eq!(sandbox.head(), new);
}

#[test]
fn commits_that_came_from_a_branch_are_named_when_they_go_and_come() {
    let sandbox = Sandbox::new();
    sandbox.apply(["-b", "try"], &three()).exits(0);
    let (said, added, dropped) = ("Say more", "Add one", "Drop it");
    let short = |revision: &str| sandbox.git(["rev-parse", "--short", revision]);
    let lines = |run: Run| {
        let run = run.exits(0);
        run.stdout
            .lines()
            .map(str::to_owned)
            .take_while(|line| !line.starts_with("took ") && !line.starts_with("put "))
            .collect::<Vec<_>>()
    };
    let back = |by: &[String]| {
        let commits = [("try", dropped), ("try~1", added), ("try~2", said)];
        let by = by.iter().map(|by| format!(" by {by}")).chain([String::new(), String::new(), String::new()]);
        let line = |((commit, subject), by)| format!("{}  taken back{by}  {subject}", short(commit));
        commits.into_iter().zip(by).map(line).collect::<Vec<_>>()
    };
    let forth = [("try~2", said), ("try~1", added), ("try", dropped)];
    let forth = forth.map(|(commit, subject)| format!("{}  {subject}", short(commit)));
    sandbox.run(["accept", "try"]).exits(0);
    let (old, new) = (short("main~3"), short("main"));
    assert_eq!(lines(sandbox.run(["undo"])), [back(&[]), vec![format!("main: {new}..{old}")]].concat());
    assert_eq!(
        lines(sandbox.run(["redo"])),
        [forth.to_vec(), vec![format!("main: {old}..{new}, 3 commits")]].concat()
    );
    // With a commit on top, new commits take them back and say what they take back.
    sandbox.git(["commit", "-q", "--allow-empty", "-m", "mine"]);
    let mine = short("main");
    let run = sandbox.run(["undo"]);
    let by = ["main~2", "main~1", "main"].map(short);
    assert_eq!(lines(run), [back(&by), vec![format!("main: {mine}..{}, 3 commits", by[2])]].concat());
    // In JSON, and if only trailers identify the landing.
    let sandbox = Sandbox::new();
    sandbox.apply(["--trailers", "--no-record"], &three()).exits(0);
    let of = |name: &str| sandbox.git(["rev-parse", name]);
    let commits = ["main", "main~1", "main~2"].map(of);
    let run = sandbox.run(["undo", "--json"]).exits(0);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let told = report["undone_commits"].as_array().unwrap();
    let told: Vec<_> =
        told.iter().map(|one| (&one["commit"], &one["subject"], &one["state"], &one["new"])).collect();
    let subjects = [dropped, added, said].map(serde_json::Value::from);
    let (commits, state, none) =
        (commits.map(serde_json::Value::from), "taken-back".into(), serde_json::Value::Null);
    let wanted: Vec<_> =
        commits.iter().zip(&subjects).map(|(commit, subject)| (commit, subject, &state, &none)).collect();
    assert_eq!(told, wanted);
    sandbox.is_sound();
}

#[test]
fn until_it_has_happened_it_is_only_planned() {
    let sandbox = Sandbox::new();
    sandbox.apply(["-q"], &three()).exits(0);
    sandbox.file("README", "mine\n");
    let states = |args: &[&str], code: i32| -> Vec<String> {
        let run = sandbox.run(args).exits(code);
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let all = [&report["edits"], &report["undone_commits"]].map(|all| all.as_array().unwrap().clone());
        all.iter().flatten().map(|one| one["state"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(states(&["undo", "--json"], 4), vec!["fine"; 6]);
    sandbox.git(["checkout", "-q", "README"]);
    assert_eq!(states(&["undo", "--json", "-x", "false"], 2), vec!["fine"; 6]);
    assert_eq!(states(&["undo", "--json"], 0), vec!["taken-back"; 6]);
}

#[test]
fn an_undo_that_is_refused_has_nothing_to_send_to_a_model() {
    let (sandbox, ..) = landed();
    sandbox.file("README", "hello you\n");
    sandbox.commit("mine");
    let run = sandbox.run(["undo", "--json"]).exits(1);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (report["diagnostics"][0]["code"].as_str(), &report["feedback"]),
        (Some("conflict"), &serde_json::Value::Null)
    );
    let run = sandbox.run(["undo", "--json", "0123456789"]).exits(128);
    assert!(run.stdout.contains("\"feedback\":null"), "{}", run.stdout);
    sandbox.git(["reset", "-q", "--hard", "HEAD~4"]);
    let run = sandbox.run(["undo", "--json"]).exits(1);
    assert!(run.stdout.contains("\"feedback\":null"), "{}", run.stdout);
}

#[test]
fn commits_take_it_back_where_others_came_after() {
    let sandbox = Sandbox::new();
    let change = patch("old.txt", "Say more", "one\n", "one more\n");
    sandbox
        .apply(
            [""; 0],
            &(change + &create("new/one.txt", "Add one", "one\n") + &remove("gone.txt", "Drop it")),
        )
        .exits(0);
    let (new, landing) = (sandbox.head(), id(&sandbox));
    sandbox.file("old.txt", "one more\ntwo\nthree\n4\n");
    sandbox.file("mine.txt", "mine\n");
    let mine = sandbox.commit("mine");
    sandbox.run(["undo"]).exits(0).says(&format!("took {landing} back"));
    assert_eq!(
        sandbox.subjects(&format!("{mine}..")),
        ["Revert \"Drop it\"", "Revert \"Add one\"", "Revert \"Say more\""]
    );
    let body = sandbox.git(["log", "-1", "--format=%b", "HEAD~2"]);
    assert_eq!(body.trim(), format!("This reverts commit {new}."));
    assert_eq!(sandbox.text("old.txt"), "one\ntwo\nthree\n4\n", "later changes are kept");
    assert!(sandbox.exists("gone.txt") && sandbox.exists("mine.txt") && !sandbox.exists("new"));
    assert_eq!(sandbox.status(), "");
    sandbox.run(["undo"]).exits(1);
    sandbox.run(["undo", &landing]).exits(0).says("nothing to do");
    // With a commit on top of that, too.
    sandbox.file("more.txt", "more\n");
    let more = sandbox.commit("more");
    sandbox.run(["redo"]).exits(0);
    assert_eq!(
        sandbox.subjects(&format!("{more}..")),
        ["Reapply \"Say more\"", "Reapply \"Add one\"", "Reapply \"Drop it\""]
    );
    assert_eq!(sandbox.text("old.txt"), "one more\ntwo\nthree\n4\n");
    assert!(!sandbox.exists("gone.txt") && sandbox.exists("new/one.txt") && sandbox.exists("more.txt"));
    // Undo it again. Nothing came after, so the branch moves back.
    sandbox.run(["undo"]).exits(0);
    assert_eq!(sandbox.head(), more);
    sandbox.is_sound();
}

#[test]
fn what_went_back_comes_again_on_top_of_others() {
    let (sandbox, ..) = landed();
    sandbox.run(["undo"]).exits(0);
    sandbox.file("mine.txt", "mine\n");
    let mine = sandbox.commit("mine");
    sandbox.run(["redo"]).exits(0);
    assert_eq!(sandbox.subjects(&format!("{mine}..")), ["Say more", "Add one", "Drop it"]);
    assert!(sandbox.exists("mine.txt") && sandbox.exists("new/one.txt"));
    sandbox.run(["undo"]).exits(0);
    assert_eq!(sandbox.head(), mine);
    sandbox.is_sound();
}

#[test]
fn what_a_remote_has_is_never_rewritten() {
    let (sandbox, old, new) = landed();
    sandbox.git(["init", "-q", "--bare", "../server"]);
    sandbox.git(["remote", "add", "origin", "../server"]);
    // It is enough if another branch of the remote has some of it.
    sandbox.git(["push", "-q", "origin", "main~1:refs/heads/other"]);
    sandbox.run(["undo"]).exits(0);
    assert_eq!(sandbox.subjects(&format!("{new}..")).len(), 3);
    assert_eq!(tree(&sandbox, "HEAD"), tree(&sandbox, &old));
    sandbox.git(["push", "-q", "origin", "main"]);
    sandbox.run(["redo"]).exits(0);
    assert_eq!(tree(&sandbox, "HEAD"), tree(&sandbox, &new));
    sandbox.git(["push", "-q", "origin", "main"]);
    sandbox.is_sound();
}

#[test]
fn what_a_suggestion_is_built_on_does_not_come_back_with_it() {
    let (sandbox, old, new) = landed();
    sandbox.apply(["-b", "try"], &create("more.txt", "Add more", "more\n")).exits(0);
    sandbox.run(["undo"]).exits(0);
    assert_eq!(sandbox.subjects(&format!("{new}..")).len(), 3);
    assert_eq!(tree(&sandbox, "HEAD"), tree(&sandbox, &old));
    sandbox.run(["accept", "try"]).exits(0);
    assert_eq!((sandbox.text("README"), sandbox.text("more.txt")), ("hello\n".into(), "more\n".into()));
    sandbox.run(["undo"]).exits(0);
    assert_eq!(tree(&sandbox, "HEAD"), tree(&sandbox, &old));
    sandbox.is_sound();
}

#[test]
fn what_was_put_back_and_taken_back_again_is_put_back_once() {
    let (sandbox, _, new) = landed();
    let landing = id(&sandbox);
    sandbox.file("later", "later\n");
    sandbox.commit("later");
    let whole = sandbox.head();
    sandbox.run(["undo"]).exits(0);
    sandbox.run(["redo"]).exits(0);
    sandbox.run(["undo", &landing, "--edit=1"]).exits(0);
    // The first undo is no longer in effect.
    sandbox.run(["redo", &landing]).exits(0).says(&format!("undo {landing} --edit=1"));
    assert_eq!(sandbox.head(), whole);
    // A redo that is made again keeps the numbers of the edits.
    sandbox.run(["undo", "--edit=2"]).exits(0);
    sandbox.run(["undo", &landing]).exits(0);
    sandbox.run(["redo", &landing]).exits(0);
    sandbox.run(["undo"]).exits(0);
    let run = sandbox.run(["redo"]).exits(0).says(&format!("put {landing} back"));
    assert!(!run.stdout.contains("--edit=") && !run.stderr.contains("left alone"), "{}", run.stdout);
    sandbox.git(["diff", "--quiet", &new, "HEAD", "--", ":!later"]);
    sandbox.is_sound();
}

#[test]
fn what_was_put_back_in_part_is_taken_back_as_a_part() {
    let (sandbox, _, _) = landed();
    let landing = id(&sandbox);
    sandbox.run(["undo", "--edit=1"]).exits(0);
    sandbox.file("later", "later\n");
    sandbox.commit("later");
    sandbox.run(["redo"]).exits(0);
    let run = sandbox.run(["undo"]).exits(0);
    run.says(&format!("took edits of {landing} back; put it back: git llm-apply redo {}", id(&sandbox)));
    assert!(sandbox.text("README") == "hello\n" && sandbox.exists("new/one.txt"));
    sandbox.run(["redo", &id(&sandbox)]).exits(0);
    assert_eq!(sandbox.text("README"), "hello world\n");
}

#[test]
fn what_was_put_back_before_the_last_undo_stays_as_it_is() {
    let (sandbox, _, _) = landed();
    let landing = id(&sandbox);
    sandbox.file("later", "later\n");
    sandbox.commit("later");
    // The undo makes new commits; the redo moves back to the tip before them.
    sandbox.run(["undo"]).exits(0);
    sandbox.run(["redo"]).exits(0);
    sandbox.apply(["-q"], &patch("README", "Greet all", "hello world\n", "hello all\n")).exits(0);
    sandbox.run(["undo", &landing, "--edit=2"]).exits(0);
    sandbox.run(["redo", &landing]).exits(0);
    assert!(sandbox.exists("new/one.txt"));
    assert_eq!(sandbox.text("README"), "hello all\n");
}

#[test]
fn single_edits_are_taken_back() {
    let (sandbox, _, new) = landed();
    let landing = id(&sandbox);
    let run = sandbox.run(["undo", "--edit", "2"]).exits(0);
    run.says(&format!("took edits of {landing} back; put it back: git llm-apply redo {}", id(&sandbox)));
    assert_eq!(sandbox.subjects(&format!("{new}..")), ["Revert \"Add one\""]);
    assert!(!sandbox.exists("new") && !sandbox.exists("gone.txt"));
    let before = sandbox.listing();
    sandbox.run(["undo", &landing, "--edit", "4"]).exits(1).says("has no edit 4");
    sandbox.run(["undo", &landing, "--edit", "x"]).exits(129);
    same("refused", &before, &sandbox.listing());
    sandbox.run(["undo", "--edit=2"]).exits(0).says("nothing to do");
    // Take back the rest of it.
    sandbox.run(["undo"]).exits(0);
    assert_eq!(sandbox.text("README"), "hello\n");
    assert!(sandbox.exists("gone.txt"));
    // Put back the last one first, then the other one.
    let run = sandbox.run(["redo"]).exits(0);
    run.says(&format!("put edits of {landing} back; take it back: git llm-apply undo {landing} --edit=1,3"));
    assert_eq!(sandbox.text("README"), "hello world\n");
    assert!(!sandbox.exists("new"));
    sandbox.run(["redo"]).exits(0);
    assert!(sandbox.exists("new/one.txt"));
    assert_eq!(tree(&sandbox, "HEAD"), tree(&sandbox, &new));
    // With its id, the whole landing at once.
    for edit in ["--edit=2", "--edit=1-3"] {
        sandbox.run(["undo", edit]).exits(0);
    }
    sandbox.run(["redo", "-n", &landing]).exits(0).says(&format!("would put {landing} back"));
    sandbox.run(["redo", &landing]).exits(0).says(&format!("put {landing} back"));
    assert_eq!(tree(&sandbox, "HEAD"), tree(&sandbox, &new));
    for name in [None, Some(landing.as_str())] {
        sandbox.run(["redo"].into_iter().chain(name)).exits(0).says("nothing to do");
    }
    sandbox.run(["undo"]).exits(0);
    sandbox.run(["redo"]).exits(0);
    assert_eq!(tree(&sandbox, "HEAD"), tree(&sandbox, &new));
    sandbox.is_sound();
}

#[test]
fn edits_of_one_commit_go_together() {
    let sandbox = Sandbox::new();
    sandbox.apply(["--commit=response"], &three()).exits(0);
    let before = sandbox.listing();
    sandbox.run(["undo", "--edit", "1,3"]).exits(1).says("--edit=1,2,3");
    same("refused", &before, &sandbox.listing());
    sandbox.run(["undo", "--edit", "1", "--edit", "2-3"]).exits(0);
    assert_eq!(sandbox.text("README"), "hello\n");
    sandbox.is_sound();
}

#[test]
fn a_conflict_changes_nothing_and_names_file_and_lines() {
    let (sandbox, ..) = landed();
    sandbox.file("README", "hello to all\n");
    sandbox.commit("mine");
    let before = sandbox.listing();
    let run = sandbox.run(["undo"]).exits(1).says("README").says("line 1").says("nothing was changed");
    assert!(run.stderr.contains("conflict"), "{}", run.stderr);
    let json = sandbox.run(["undo", "--json"]).exits(1);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((&json["status"], &json["diagnostics"][0]["code"]), (&"refused".into(), &"conflict".into()));
    same("conflict", &before, &sandbox.listing());
    // The edits without a conflict can be taken back.
    sandbox.run(["undo", "--edit", "2,3"]).exits(0);
    assert_eq!(sandbox.text("README"), "hello to all\n");
    assert!(sandbox.exists("gone.txt"));
}

#[test]
fn local_changes_are_kept_or_in_the_way() {
    for later in [false, true] {
        let (sandbox, ..) = landed();
        if later {
            sandbox.file("mine.txt", "mine\n");
            sandbox.commit("mine");
        }
        sandbox.file("run.sh", "mine\n");
        for (file, text) in [("README", "mine\n"), ("new/one.txt", "mine\n"), ("gone.txt", "mine\n")] {
            let was = std::fs::read(sandbox.repo.join(file)).ok();
            sandbox.file(file, text);
            let before = sandbox.listing();
            let run = sandbox.run(["undo"]).exits(4).says(file).says("hint: ");
            // `-b` would mean a landing on another branch.
            assert!(!run.stderr.contains("-b <branch>"), "{}", run.stderr);
            same(file, &before, &sandbox.listing());
            match was {
                Some(was) => sandbox.file(file, was),
                None => std::fs::remove_file(sandbox.repo.join(file)).unwrap(),
            }
        }
        sandbox.run(["undo"]).exits(0);
        assert_eq!((sandbox.text("run.sh").as_str(), sandbox.status().as_str()), ("mine\n", " M run.sh"));
    }
}

#[test]
fn a_branch_that_is_not_checked_out_and_a_bare_repository() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    sandbox.apply(["-b", "try"], &three()).exits(0);
    let before = sandbox.status();
    sandbox.run(["undo"]).exits(1);
    sandbox.run(["undo", "-b", "try"]).exits(0);
    assert_eq!(sandbox.git(["rev-parse", "try"]), base, "a branch is never deleted");
    assert_eq!(sandbox.status(), before);
    sandbox.run(["redo", "-b", "try"]).exits(0);
    assert_eq!(sandbox.git(["rev-list", "--count", "main..try"]), "3");
    sandbox.is_sound();
    sandbox.git(["clone", "-q", "--bare", ".", "../bare"]);
    let file = sandbox.response(&three());
    let mut command = sandbox.command(["-C", "../bare", "--"]);
    Run::of(command.arg(file).output().unwrap()).exits(0);
    sandbox.run(["-C", "../bare", "undo"]).exits(0);
    assert_eq!(sandbox.git(["-C", "../bare", "rev-parse", "main"]), base);
    sandbox.run(["-C", "../bare", "redo"]).exits(0);
    assert_eq!(sandbox.git(["-C", "../bare", "rev-list", "--count", "main"]), "4");
}

#[test]
fn linked_sparse_and_detached() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    sandbox.git(["worktree", "add", "-q", "-b", "linked", "../linked"]);
    let file = sandbox.response(&three());
    Run::of(sandbox.command(["-C", "../linked", "--"]).arg(file).output().unwrap()).exits(0);
    sandbox.run(["-C", "../linked", "undo"]).exits(0);
    assert_eq!(sandbox.git(["-C", "../linked", "rev-parse", "HEAD"]), base);
    assert_eq!(sandbox.git(["-C", "../linked", "status", "--porcelain"]), "");
    let (sandbox, old, _) = landed();
    sandbox.git(["sparse-checkout", "set", "--no-cone", "/*", "!/new"]);
    sandbox.run(["undo"]).exits(0);
    assert_eq!((sandbox.head(), sandbox.status().as_str()), (old.clone(), ""));
    sandbox.run(["redo"]).exits(0);
    assert!(!sandbox.exists("new"));
    assert_eq!(sandbox.status(), "");
    sandbox.git(["sparse-checkout", "disable"]);
    sandbox.git(["checkout", "-q", "--detach"]);
    sandbox.run(["undo"]).exits(0);
    assert_eq!(sandbox.head(), old);
    assert_ne!(sandbox.git(["rev-parse", "main"]), old, "HEAD alone moved");
}

#[test]
fn a_first_commit_and_a_merge() {
    let sandbox = Sandbox::unborn();
    sandbox.apply([""; 0], &create("a", "Begin", "a\n")).exits(0);
    sandbox.run(["undo"]).exits(0);
    assert_eq!(sandbox.subjects("HEAD"), ["Begin", "Revert \"Begin\""]);
    assert!(!sandbox.exists("a"));
    for later in [false, true] {
        let sandbox = Sandbox::new();
        let old = sandbox.head();
        sandbox.apply(["--no-ff"], &three()).exits(0);
        if later {
            sandbox.git(["commit", "-q", "--allow-empty", "-m", "mine"]);
        }
        sandbox.run(["undo"]).exits(0);
        assert_eq!(tree(&sandbox, "HEAD"), tree(&sandbox, &old));
        assert_eq!(sandbox.head() == old, !later);
        sandbox.run(["redo"]).exits(0);
        assert_eq!(sandbox.text("README"), "hello world\n");
        sandbox.is_sound();
    }
}

#[test]
fn hooks_run_as_for_git_revert_and_may_refuse() {
    let (sandbox, ..) = landed();
    sandbox.git(["commit", "-q", "--allow-empty", "-m", "mine"]);
    for name in ["pre-commit", "commit-msg", "prepare-commit-msg", "post-commit"] {
        let hook = sandbox.repo.join(".git/hooks").join(name);
        sandbox.script(&hook, &format!("#!/bin/sh\necho {name} >>{}/ran\n", sandbox.root().display()));
    }
    let ran = || std::fs::read_to_string(sandbox.root().join("ran")).unwrap_or_default();
    sandbox.git(["revert", "--no-edit", "HEAD~1"]);
    let by_git = ran();
    sandbox.git(["reset", "-q", "--hard", "HEAD~1"]);
    std::fs::remove_file(sandbox.root().join("ran")).unwrap();
    sandbox.run(["undo", "--edit", "3"]).exits(0);
    assert_eq!(ran(), by_git);
    let before = sandbox.git(["rev-parse", "HEAD"]);
    sandbox.script(&sandbox.repo.join(".git/hooks/pre-llm-apply"), "#!/bin/sh\nexit 1\n");
    sandbox.run(["undo"]).exits(3);
    sandbox.run(["redo"]).exits(3);
    assert_eq!(sandbox.head(), before);
    sandbox.run(["undo", "--no-verify"]).exits(0);
    sandbox.run(["redo", "--no-verify", "-x", "false"]).exits(2);
    sandbox.run(["redo", "--no-verify", "-x", "test -e new/one.txt"]).exits(0);
}
