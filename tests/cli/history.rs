//! The records of landings, and what can be done with them.
use crate::sandbox;

use git_llm_apply::vcs::fault::{Fault, VARIABLE};
use sandbox::fault::with_fault;
use sandbox::{Run, Sandbox, create, five, kinds, patch, same};

const HISTORY: &str = "refs/llm-apply/history";

/// Returns the ids of the recorded landings, the newest first.
fn ids(sandbox: &Sandbox) -> Vec<String> {
    let run = sandbox.run(["list"]).exits(0);
    run.stdout.lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect()
}

fn json(run: &Run) -> serde_json::Value {
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
    serde_json::from_str(&run.stdout).unwrap()
}

/// Two edits that land as two commits.
fn two() -> String {
    patch("README", "Say more", "hello\n", "hello world\n") + &create("one.txt", "Add one", "one\n")
}

#[test]
fn a_landing_is_recorded_with_all_that_it_was() {
    let sandbox = Sandbox::new();
    let old = sandbox.head();
    sandbox.apply([""; 0], &two()).exits(0);
    let (tip, first) = (sandbox.head(), sandbox.git(["rev-parse", "HEAD~1"]));
    let record = sandbox.git(["rev-parse", HISTORY]);
    let parents = sandbox.git(["log", "-1", "--format=%P", HISTORY]);
    let parents: Vec<_> = parents.split(' ').collect();
    assert_eq!(parents[1..], [tip.as_str()]);
    assert_eq!(sandbox.git(["log", "-1", "--format=%P", parents[0]]), "", "there the chain begins");
    assert_eq!(sandbox.git(["cat-file", "blob", &format!("{HISTORY}:response-1")]) + "\n", two());
    let report: serde_json::Value =
        serde_json::from_str(&sandbox.git(["cat-file", "blob", &format!("{HISTORY}:report.json")])).unwrap();
    assert_eq!(report["status"], "landed");
    assert_eq!(report["edits"][0]["commit"], first);

    let [id] = ids(&sandbox).try_into().unwrap();
    let subject = sandbox.git(["log", "-1", "--format=%s", &first]);
    assert_eq!(
        sandbox.run(["list"]).stdout,
        format!("{id}  2023-11-14 23:13  main  2 edits from response.txt  A U Thor  {subject}\n")
    );
    let line = format!("{id}\tlanded\t-\trefs/heads/main\t{old}\t{tip}\t1700000000\t2\tresponse.txt\n");
    assert_eq!(sandbox.run(["list", "--porcelain"]).exits(0).stdout, line);
    let listed = json(&sandbox.run(["list", "--json"]).exits(0));
    assert_eq!(listed["status"], "shown");
    let landing = &listed["landings"][0];
    assert_eq!((&landing["id"], &landing["kind"]), (&id.clone().into(), &"landed".into()));
    assert_eq!((&landing["old"], &landing["new"]), (&old.into(), &tip.clone().into()));
    assert_eq!(
        landing["commits"],
        serde_json::json!([{"id": first, "edits": [1]}, {"id": tip, "edits": [2]}])
    );
    assert_eq!(landing["time"], "2023-11-14T23:13:20+01:00");
    assert_eq!(sandbox.git(["rev-parse", HISTORY]), record, "to look changes nothing");
    sandbox.is_sound();
}

#[test]
fn show_prints_edits_commits_and_the_response() {
    let sandbox = Sandbox::new();
    let response = two() + "And that is all.\u{1b}[31m\n";
    sandbox.apply([""; 0], &response).exits(0);
    let short = sandbox.git(["rev-parse", "--short=7", "HEAD~1"]);
    let [id] = ids(&sandbox).try_into().unwrap();
    for name in [None, Some(id.as_str()), Some(&id[..4]), Some("HEAD"), Some("HEAD~1")] {
        let run = sandbox.run(std::iter::once("show").chain(name)).exits(0);
        let lines: Vec<_> = run.stdout.lines().collect();
        assert!(
            lines[0].starts_with(&id) && lines[0].ends_with("2 edits from response.txt"),
            "{}",
            run.stdout
        );
        assert!(lines[1].starts_with("main: "), "{}", run.stdout);
        assert!(lines[2].contains("README") && lines[2].contains(&short) && lines[2].contains("Say more"));
        assert!(run.stdout.contains("\nresponse.txt\n<edit file="), "{}", run.stdout);
        assert!(!run.stdout.contains('\u{1b}'), "nothing of a response reaches a terminal raw");
    }
    assert_eq!(sandbox.run(["show", "--response"]).exits(0).stdout, response, "byte for byte");
    let shown = json(&sandbox.run(["show", &id, "--json"]).exits(0));
    assert_eq!(shown["landings"][0]["texts"], serde_json::json!([response]));
    assert_eq!(shown["edits"][1]["path"], "one.txt");
    assert_eq!(shown["edits"][0]["matches"][0]["tier"], "exact");
    for bad in ["0000000000", "HEAD~2", "nothing", "--", ""] {
        let run = sandbox.run(["show", bad]);
        assert!(run.code == Some(128) || bad == "--", "{bad}: {run:?}");
    }
}

#[test]
fn a_response_that_is_not_kept_still_lands_once() {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "llmapply.keepResponse", "false"]);
    sandbox.apply([""; 0], &two()).exits(0);
    let files = sandbox.git(["ls-tree", "-r", "--name-only", HISTORY]);
    assert!(files.contains("report.json") && !files.contains("response-"), "{files}");
    let [id] = ids(&sandbox).try_into().unwrap();
    assert_eq!(sandbox.run(["show", "--response", &id]).exits(0).stdout, "");
    let again = sandbox.apply([""; 0], &two()).exits(0);
    assert!(again.stdout.contains(&id), "{}", again.stdout);
    sandbox.run(["undo"]).exits(0);
}

#[test]
fn a_long_response_is_kept_to_the_byte() {
    // Long enough for a thread of its own. The third response is the same blob as a file of the repository.
    let judge = || {
        let line = |name: &str, n: u32| format!("{name} {n} is {}\n", n.wrapping_mul(2_654_435_761));
        let long = |name: &str| (0..60_000).map(|n| line(name, n)).collect::<String>();
        let sandbox = Sandbox::new();
        let known = create("d.txt", "Add d", "d\n") + &long("prose");
        sandbox.file("known", &known);
        sandbox.commit("known");
        let texts = [create("a.txt", "Add a", &long("a")), create("b.txt", "Add b", &long("b")), known];
        for text in &texts {
            assert!(text.len() > 1 << 20);
            sandbox.apply(["-q"], text).exits(0);
            assert!(sandbox.run(["show", "--response"]).exits(0).stdout == *text, "byte for byte");
        }
        // The same on a branch without that file.
        sandbox.apply(["-q", "-b", "again", "--base", "HEAD~1"], &texts[2]).exits(0);
        assert!(sandbox.run(["show", "--response"]).exits(0).stdout == texts[2]);
        assert_eq!(ids(&sandbox).len(), 4);
        sandbox.is_sound();
    };
    judge();
    kinds::in_others(&[judge]);
}

#[test]
fn show_says_what_was_refused_and_not_wanted_beside_what_landed() {
    let sandbox = Sandbox::new();
    let response =
        two() + &patch("README", "Say it again", "nowhere\n", "x\n") + &create("two.txt", "Add two", "2\n");
    sandbox.apply(["--keep-going", "--except", "4", "--no-keep"], &response).exits(1);
    let run = sandbox.run(["show"]).exits(0).says("not wanted").says("refused");
    run.says("error: edit 3, README: no match for the search text [search-not-found]");
    let shown = json(&sandbox.run(["show", "--json"]).exits(0));
    let states: Vec<_> = shown["edits"].as_array().unwrap().iter().map(|edit| &edit["state"]).collect();
    assert_eq!(states, ["landed", "landed", "refused", "not-wanted"]);
    assert_eq!(shown["edits"][3]["unwanted"], serde_json::json!({"hunks": [], "reason": null}));
    assert_eq!((&shown["diagnostics"][0]["edit"], &shown["feedback"]), (&3.into(), &serde_json::Value::Null));
    // It shows what -X has decided.
    let base = sandbox.head();
    sandbox.file("README", "hello all\n");
    sandbox.commit("mine");
    let both = patch("README", "w", "hello world\n", "good day\n") + &create("three.txt", "w", "3\n");
    sandbox.apply(["--base", &base, "-X", "ours"], &both).exits(0);
    sandbox.run(["show"]).exits(0).says("warning: edit 1, README").says("-X ours keeps the lines of main");
    // It shows which commits were accepted.
    sandbox.apply(["-b", "try"], &create("four.txt", "Add four", "4\n")).exits(0);
    sandbox.run(["accept", "try"]).exits(0);
    sandbox.run(["show"]).exits(0).says("1 accepted commit\n").says("Add four");
}

#[test]
fn nothing_on_record_prints_nothing() {
    let sandbox = Sandbox::new();
    for options in [&["list"][..], &["list", "--porcelain"], &["-C", ".", "list"]] {
        let run = sandbox.run(options).exits(0);
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    }
    assert_eq!(json(&sandbox.run(["list", "--json"]).exits(0))["landings"], serde_json::json!([]));
    sandbox.run(["show"]).exits(128).says("no landings are recorded");
    sandbox.run(["forget", "0123456789"]).exits(128).says("no recorded landing has");
    sandbox.run(["forget"]).exits(129);
}

#[test]
fn what_does_not_land_is_not_recorded() {
    let sandbox = Sandbox::new();
    let before = sandbox.listing();
    sandbox.apply(["-n"], &two()).exits(0);
    sandbox.apply(["check"], &two()).exits(0);
    sandbox.apply(["--no-keep"], &patch("README", "No", "nowhere\n", "x\n")).exits(1);
    sandbox.apply(["-x", "false"], &two()).exits(2);
    same("nothing", &before, &listing_without_loose(&sandbox));
    sandbox.file("README", "mine\n");
    sandbox.apply([""; 0], &two()).exits(4);
    assert!(ids(&sandbox).is_empty());
    // If there is nothing to do, nothing is recorded.
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &two()).exits(0);
    sandbox.apply([""; 0], &two()).exits(0).says("nothing to do");
    assert_eq!(ids(&sandbox).len(), 1);
}

/// Returns a listing without objects that were put there for a command of `--exec` and stay until git prunes them.
fn listing_without_loose(sandbox: &Sandbox) -> sandbox::Listing {
    sandbox.git(["prune", "--expire=now"]);
    sandbox.listing()
}

#[test]
fn where_nothing_is_to_be_recorded_there_is_no_reference() {
    for configured in [false, true] {
        let sandbox = Sandbox::new();
        let options: &[&str] = if configured { &[] } else { &["--no-record"] };
        if configured {
            sandbox.git(["config", "llmapply.record", "false"]);
        }
        let run = sandbox.apply(options, &two()).exits(0);
        assert!(!run.stdout.contains("undo"), "{}", run.stdout);
        assert!(!sandbox.exists(".git/refs/llm-apply"));
        assert_eq!(sandbox.run(["list"]).exits(0).stdout, "");
        sandbox.is_sound();
    }
}

#[test]
fn all_of_it_is_kept_from_being_pruned() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    sandbox.apply(["-b", "try"], &two()).exits(0);
    let tip = sandbox.git(["rev-parse", "try"]);
    sandbox.git(["branch", "-q", "-D", "try"]);
    // Also the base that the model was shown.
    sandbox.git(["checkout", "-q", "-b", "other"]);
    sandbox.file("more.txt", "more\n");
    let shown = sandbox.commit("shown");
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.apply(["--base", &shown], &patch("README", "Again", "hello\n", "hello again\n")).exits(0);
    sandbox.git(["branch", "-q", "-D", "other"]);
    sandbox.git(["reflog", "expire", "--expire=now", "--all"]);
    sandbox.git(["gc", "-q", "--prune=now"]);
    for kept in [&tip, &shown, &base] {
        sandbox.git(["cat-file", "-e", &format!("{kept}^{{commit}}")]);
    }
    assert_eq!(ids(&sandbox).len(), 2);
    assert_eq!(sandbox.run(["show", &tip, "--response"]).exits(0).stdout, two());
    sandbox.is_sound();
}

#[test]
fn the_id_is_in_trailers_and_in_json() {
    let sandbox = Sandbox::new();
    let landed = json(&sandbox.apply(["--json", "--trailers"], &two()).exits(0));
    let [id] = ids(&sandbox).try_into().unwrap();
    assert_eq!(landed["landing"], id);
    for commit in ["HEAD", "HEAD~1"] {
        let found = sandbox.git(["log", "-1", "--format=%(trailers:key=LLM-Apply-Id,valueonly)", commit]);
        assert_eq!(found.trim(), id);
    }
    // The same response on another branch is another landing.
    sandbox.apply(["-b", "try", "--base", "HEAD~2"], &two()).exits(0);
    assert_ne!(ids(&sandbox)[0], id);
    // So is the same response at the same place again.
    sandbox.git(["branch", "-q", "-D", "try"]);
    sandbox.apply(["-b", "try", "--base", "HEAD~2"], &two()).exits(0);
    let mut all = ids(&sandbox);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 3);
}

#[test]
fn what_is_forgotten_is_gone_for_good() {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "core.logAllRefUpdates", "always"]);
    for (file, text) in [("one.txt", "first"), ("two.txt", "the secret"), ("three.txt", "third")] {
        sandbox.apply([""; 0], &create(file, "Add it", &format!("{text}\n"))).exits(0);
    }
    let all = ids(&sandbox);
    let record = sandbox.git(["rev-parse", &format!("{HISTORY}^")]);
    let (head, newest) = (sandbox.head(), sandbox.run(["show", &all[0]]).stdout);
    sandbox.run(["forget", &all[1]]).exits(0).says(&format!("forgot {}", all[1]));
    assert_eq!(ids(&sandbox), [all[0].clone(), all[2].clone()]);
    assert_eq!(sandbox.run(["show", &all[0]]).stdout, newest, "the others are as they were");
    assert_eq!(sandbox.head(), head, "the commits stay");
    sandbox.git(["gc", "-q", "--prune=now"]);
    let gone = sandbox.git_command(["cat-file", "-e", &record]).output().unwrap();
    assert!(!gone.status.success(), "no reference and no reflog leads there");
    sandbox.run(["forget", &all[1]]).exits(128);
    // First the newest, then the oldest, then the last one.
    sandbox.run(["forget", &all[0]]).exits(0);
    assert_eq!(json(&sandbox.run(["forget", &all[2], "--json"]).exits(0))["status"], "forgotten");
    assert!(ids(&sandbox).is_empty());
    sandbox.apply([""; 0], &create("four.txt", "Add it", "4\n")).exits(0);
    assert_eq!(ids(&sandbox).len(), 1);
    sandbox.git(["gc", "-q", "--prune=now"]);
    sandbox.is_sound();
}

#[test]
fn killed_or_failing_anywhere_a_record_is_there_or_gone_for_good() {
    let make = || {
        let sandbox = Sandbox::new();
        sandbox.git(["config", "core.logAllRefUpdates", "always"]);
        for (file, text) in [("one.txt", "first"), ("two.txt", "the secret"), ("three.txt", "third")] {
            sandbox.apply([""; 0], &create(file, "Add it", &format!("{text}\n"))).exits(0);
        }
        sandbox
    };
    let whole = make();
    let before = whole.state();
    let record = whole.git(["rev-parse", &format!("{HISTORY}^")]);
    whole.run(["forget", "HEAD~"]).exits(0);
    let after = whole.state();
    let faults = [Fault::ObjectsEarly, Fault::ForgetNoted, Fault::RecordForgotten];
    for (fault, what) in
        faults.into_iter().flat_map(|fault| ["kill", "fail", "broken"].map(|what| (fault, what)))
    {
        let sandbox = make();
        let mut command = sandbox.command(["forget", "HEAD~"]);
        let run = Run::of(command.env(VARIABLE, format!("{}:{what}", fault.as_str())).output().unwrap());
        let is_before = fault != Fault::RecordForgotten;
        assert_eq!(
            run.code,
            match what {
                "kill" => None,
                "fail" if !is_before => Some(0),
                _ => Some(128),
            },
            "{what} at {fault:?}: {}",
            run.stderr
        );
        let case = format!("{what} at {fault:?}: {}", run.stderr);
        let recovered = sandbox.run(["recover"]).exits(0);
        if what == "kill" && fault == Fault::RecordForgotten {
            assert!(recovered.stdout.contains("the record is forgotten"), "{case}");
        }
        sandbox.state().is(if is_before { &before } else { &after }, &case);
        sandbox.leaves_no_file();
        sandbox.run(["recover"]).exits(0).says("nothing to recover");
        sandbox.run(["forget", "HEAD~"]).exits(if is_before { 0 } else { 128 });
        sandbox.git(["gc", "-q", "--prune=now"]);
        let gone = sandbox.git_command(["cat-file", "-e", &record]).output().unwrap();
        assert!(!gone.status.success(), "{case}: no reference and no reflog leads there");
        sandbox.is_sound();
    }
}

#[test]
fn the_beginning_of_several_ids_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &two()).exits(0);
    let [id] = ids(&sandbox).try_into().unwrap();
    let twin = format!("{}000000", &id[..4]);
    let message = sandbox.git(["log", "-1", "--format=%B", HISTORY]).replace(&id, &twin);
    let tree = format!("{HISTORY}^{{tree}}");
    let commit = sandbox.git(["commit-tree", &tree, "-p", HISTORY, "-p", "HEAD", "-m", &message]);
    sandbox.git(["update-ref", HISTORY, &commit]);
    assert_eq!(ids(&sandbox), [twin.clone(), id.clone()]);
    sandbox.run(["show", &id[..4]]).exits(128).says(&format!("matches several ids: {twin}, {id}"));
    assert!(sandbox.run(["show", &id]).exits(0).stdout.starts_with(&id));
}

#[test]
fn it_moves_with_the_branch_or_not_at_all() {
    for point in ["record-locked", "ref-prepared"] {
        let sandbox = Sandbox::new();
        let before = sandbox.listing();
        with_fault(&sandbox, [""; 0], &format!("{point}:fail")).exits(128);
        same(point, &before, &sandbox.listing());
        with_fault(&sandbox, [""; 0], &format!("{point}:kill"));
        sandbox.run(["recover"]).exits(0).says("took a killed run back");
        same(point, &before, &sandbox.listing());
    }
    for point in ["ref-moved", "record-prepared", "record-moved", "record-unlocked"] {
        let sandbox = Sandbox::new();
        with_fault(&sandbox, [""; 0], &format!("{point}:kill"));
        sandbox.run(["recover"]).exits(0).says("finished a killed run");
        assert_eq!(sandbox.git(["rev-parse", &format!("{HISTORY}^2")]), sandbox.head(), "{point}");
        sandbox.is_sound();
    }
    // The user has removed the locks, as git advises.
    let sandbox = Sandbox::new();
    with_fault(&sandbox, [""; 0], "ref-moved:kill");
    for lock in ["index.lock", "HEAD.lock", "refs/heads/main.lock", "refs/llm-apply/history.lock"] {
        std::fs::remove_file(sandbox.repo.join(".git").join(lock)).unwrap();
    }
    sandbox.run(["recover"]).exits(0);
    assert_eq!(sandbox.git(["rev-parse", &format!("{HISTORY}^2")]), sandbox.head());
    sandbox.is_sound();
}

#[test]
fn somebody_elses_lock_or_reference_is_in_the_way_of_all_of_it() {
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &five()).exits(0);
    sandbox.file(".git/refs/llm-apply/history.lock", "");
    let before = sandbox.listing();
    sandbox.apply([""; 0], &create("x", "X", "x\n")).exits(4).says("history.lock");
    same("locked", &before, &sandbox.listing());
    std::fs::remove_file(sandbox.repo.join(".git/refs/llm-apply/history.lock")).unwrap();
    sandbox.apply([""; 0], &create("x", "X", "x\n")).exits(0);
    // There is a reference where the directory should be.
    let sandbox = Sandbox::new();
    sandbox.git(["update-ref", "refs/llm-apply", "HEAD"]);
    let before = sandbox.listing();
    sandbox.apply([""; 0], &five()).exits(128).says("refs/llm-apply exists");
    same("taken", &before, &sandbox.listing());
    sandbox.apply(["--no-record"], &five()).exits(0);
}

#[test]
fn it_is_recorded_where_git_moves_the_branch() {
    let sandbox = Sandbox::new();
    let hook = sandbox.repo.join(".git/hooks/reference-transaction");
    sandbox.script(&hook, "#!/bin/sh\n[ $1 = committed ] && cut -d' ' -f3 >>../moved\nexit 0\n");
    sandbox.apply([""; 0], &two()).exits(0);
    assert_eq!(ids(&sandbox).len(), 1);
    let moved = std::fs::read_to_string(sandbox.root().join("moved")).unwrap();
    let mut moved: Vec<_> = moved.lines().collect();
    moved.sort_unstable();
    assert_eq!(moved, ["HEAD", "refs/heads/main", HISTORY], "in one transaction");
    // A hook that refuses the record refuses the whole landing.
    sandbox.script(&hook, &format!("#!/bin/sh\n[ $1 = prepared ] && grep -q {HISTORY} && exit 1\nexit 0\n"));
    let before = sandbox.listing();
    sandbox.apply([""; 0], &create("x", "X", "x\n")).exits(3);
    same("refused", &before, &sandbox.listing());
    sandbox.is_sound();
}

#[test]
fn it_is_recorded_in_bare_and_linked_repositories() {
    let sandbox = Sandbox::new();
    sandbox.git(["worktree", "add", "-q", "-b", "linked", "../linked"]);
    sandbox.git(["clone", "-q", "--bare", ".", "../bare"]);
    for place in ["../linked", "../bare"] {
        let file = sandbox.response(&two());
        let mut command = sandbox.command(["-C", place]);
        assert_eq!(Run::of(command.arg(file).output().unwrap()).code, Some(0), "{place}");
        let run = sandbox.run(["-C", place, "list"]).exits(0);
        assert!(run.stdout.contains("2 edits from response.txt"), "{place}: {}", run.stdout);
    }
    assert_eq!(ids(&sandbox).len(), 1, "the linked one shares the record");
}

#[test]
fn it_can_be_pushed_and_fetched() {
    let sandbox = Sandbox::new();
    sandbox.git(["init", "-q", "--bare", "../server"]);
    sandbox.git(["remote", "add", "origin", "../server"]);
    sandbox.apply([""; 0], &two()).exits(0);
    sandbox.git(["push", "-q", "origin", "main"]);
    assert_eq!(sandbox.git(["ls-remote", "origin", HISTORY]), "", "not unless asked to");
    sandbox.git(["push", "-q", "origin", "refs/llm-apply/*"]);
    sandbox.git(["clone", "-q", "-b", "main", "../server", "../clone"]);
    assert_eq!(sandbox.run(["-C", "../clone", "list"]).exits(0).stdout, "");
    sandbox.git(["-C", "../clone", "fetch", "-q", "origin", "refs/llm-apply/*:refs/llm-apply/*"]);
    assert_eq!(sandbox.run(["-C", "../clone", "list"]).stdout, sandbox.run(["list"]).stdout);
    assert_eq!(sandbox.run(["-C", "../clone", "show", "--response"]).stdout, two());
}

#[test]
fn chains_that_have_gone_apart_are_read_together() {
    let sandbox = Sandbox::new();
    sandbox.git(["init", "-q", "--bare", "../server"]);
    sandbox.git(["remote", "add", "origin", "../server"]);
    sandbox.apply([""; 0], &two()).exits(0);
    sandbox.git(["push", "-q", "origin", "main"]);
    let share = |at: &str, name: &str| {
        sandbox.git(["-C", at, "push", "-q", "origin", &format!("{HISTORY}:refs/llm-apply/{name}")]);
    };
    let fetch = |at: &str| {
        sandbox.git(["-C", at, "fetch", "-q", "origin", "+refs/llm-apply/*:refs/llm-apply/origin/*"])
    };
    let listed = |at: &str| -> Vec<String> {
        let run = sandbox.run(["-C", at, "list"]).exits(0);
        run.stdout.lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    };
    let land = |at: &str, file: &str, date: &str| {
        let response = sandbox.response(&create(file, "Add it", "new\n"));
        let mut command = sandbox.command(["-C", at, "--"]);
        Run::of(command.arg(response).env("GIT_COMMITTER_DATE", date).output().unwrap()).exits(0);
        listed(at)[0].clone()
    };
    share(".", "alice");
    sandbox.git(["clone", "-q", "-b", "main", "../server", "../bob"]);
    fetch("../bob");
    let first = listed("../bob").remove(0);
    let by_bob = land("../bob", "bob.txt", "1700000200 +0000");
    let before = land(".", "alice.txt", "1700000100 +0000");
    let after = land(".", "more.txt", "1700000300 +0000");
    share("../bob", "bob");
    share(".", "alice");
    fetch(".");
    fetch("../bob");
    let all = [after.clone(), by_bob.clone(), before.clone(), first.clone()];
    // Git itself does not replace one chain with the other.
    let onto =
        sandbox.git_command(["fetch", "-q", "origin", &format!("refs/llm-apply/bob:{HISTORY}")]).output();
    assert!(!onto.unwrap().status.success());
    assert_eq!((listed("."), listed("../bob")), (all.to_vec(), all.to_vec()));
    sandbox.run(["show", &by_bob]).exits(0).says("bob.txt");
    // Fetching again loses nothing, and each landing is listed once.
    let last = land(".", "last.txt", "1700000400 +0000");
    fetch(".");
    assert_eq!(listed("."), [&[last], &all[..]].concat());
    sandbox.run(["undo", &before]).exits(0);
    assert!(!sandbox.exists("alice.txt") && sandbox.exists("more.txt"));
    // A forgotten landing is in none of the chains.
    sandbox.run(["forget", &first]).exits(0);
    sandbox.run(["forget", &by_bob]).exits(0);
    sandbox.git(["gc", "-q", "--prune=now"]);
    assert!(!listed(".").contains(&first) && !listed(".").contains(&by_bob));
    for chain in ["history", "origin/alice", "origin/bob"] {
        let log = sandbox.git(["log", "--format=%B", &format!("refs/llm-apply/{chain}")]);
        assert!(!log.contains(&format!("Id: {first}")) && !log.contains(&format!("Id: {by_bob}")), "{chain}");
    }
    sandbox.git(["fsck", "--strict"]);
    // Other clones still have it, and list each landing once.
    fetch(".");
    let mut all = listed(".");
    all.sort();
    all.dedup();
    assert_eq!(all.len(), listed(".").len());
    sandbox.run(["show", &after]).exits(0);
    sandbox.run(["forget", &after]).exits(0);
    assert!(!listed(".").contains(&after));
}

#[test]
fn a_chain_that_somebody_made_up_is_read_as_far_as_it_goes() {
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &two()).exits(0);
    sandbox.git(["update-ref", HISTORY, "main"]);
    let run = sandbox.run(["list"]).exits(0);
    assert_eq!(run.stdout, "");
    sandbox.apply([""; 0], &create("x", "X", "x\n")).exits(0);
    assert_eq!(ids(&sandbox).len(), 1);
    let blob = sandbox.git(["rev-parse", "HEAD:x"]);
    sandbox.file(".git/refs/llm-apply/history", format!("{blob}\n"));
    sandbox.run(["list"]).exits(0).says("1 malformed record ");
    sandbox.apply([""; 0], &create("y", "Y", "y\n")).exits(0).says("the records start again");
    assert_eq!(ids(&sandbox).len(), 1);
}
