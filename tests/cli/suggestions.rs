//! A branch for each of several responses: they are made in one run, compared in a table, and used with plain git.
use crate::sandbox;

use git_llm_apply::vcs::fault::VARIABLE;
use sandbox::{Run, Sandbox, create, patch, same};
use serde_json::Value;
use std::path::PathBuf;

/// Writes files with responses, next to the repository.
fn responses(sandbox: &Sandbox, all: &[(&str, String)]) -> Vec<PathBuf> {
    all.iter()
        .map(|(name, text)| {
            let file = sandbox.root().join(name);
            std::fs::write(&file, text).unwrap();
            file
        })
        .collect()
}

fn suggest(sandbox: &Sandbox, options: &[&str], all: &[(&str, String)]) -> Run {
    let files = responses(sandbox, all);
    Run::of(sandbox.command(options).arg("--").args(files).output().unwrap())
}

fn beta() -> String {
    patch("src/a.rs", "Rename b to beta. It reads better so.", "fn b() {}\n", "fn beta() {}\n")
}

fn gamma() -> String {
    patch("src/a.rs", "Rename b to gamma", "fn b() {}\n", "fn gamma() {}\n")
        + &create("src/gamma.rs", "Add a module", "one\ntwo\n")
}

fn wrong() -> String {
    patch("src/a.rs", "Change what is not there", "fn nowhere() {}\n", "x\n")
}

fn branches(sandbox: &Sandbox) -> Vec<String> {
    let all = sandbox.git(["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
    all.lines().map(str::to_owned).filter(|name| name != "main").collect()
}

#[test]
fn each_response_gets_a_branch_and_a_line_and_the_checkout_stays() {
    let sandbox = Sandbox::new();
    let before = (sandbox.head(), sandbox.status());
    let run = suggest(&sandbox, &["-b", "try/{n}-{slug}"], &[("a.txt", beta()), ("b.txt", gamma())]).exits(0);
    assert_eq!(branches(&sandbox), ["try/1-rename-b-to-beta", "try/2-rename-b-to-gamma"]);
    let rows: Vec<Vec<&str>> = run.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["branch", "commit", "edits", "files", "lines"]);
    let short = |name: &str| sandbox.git(["rev-parse", "--short", name]);
    let first = short("try/1-rename-b-to-beta");
    assert_eq!(rows[1], ["try/1-rename-b-to-beta", &first, "1", "1", "+1", "-1"]);
    let second = short("try/2-rename-b-to-gamma");
    assert_eq!(rows[2], ["try/2-rename-b-to-gamma", &second, "2", "2", "+3", "-1"]);
    assert_eq!((sandbox.head(), sandbox.status()), before);
    for branch in branches(&sandbox) {
        assert_eq!(sandbox.git(["merge-base", "main", &branch]), before.0);
    }
    assert_eq!(sandbox.subjects("main..try/2-rename-b-to-gamma"), ["Rename b to gamma", "Add a module"]);
    sandbox.is_sound();
}

#[test]
fn one_that_is_refused_leaves_the_others() {
    let sandbox = Sandbox::new();
    let all = [("a.txt", beta()), ("b.txt", wrong()), ("c.txt", "no edits".to_owned()), ("d.txt", gamma())];
    let run = suggest(&sandbox, &["-b", "try/{n}", "--no-keep"], &all).exits(5);
    let run = run.says("try/2 (").says("not-found").says("no edits found").says("2 of 4 landed");
    assert!(run.stdout.lines().any(|line| line.starts_with("try/2") && line.ends_with("refused")));
    assert!(run.stdout.lines().any(|line| line.starts_with("try/3") && line.ends_with("no edits")));
    assert_eq!(branches(&sandbox), ["try/1", "try/4"]);
    suggest(&sandbox, &["-b", "again/{n}", "--no-keep"], &all[..2]).exits(1);
    sandbox.is_sound();
    sandbox.leaves_no_file();
}

#[test]
fn one_that_is_killed_or_fails_leaves_the_others() {
    let all = [("a.txt", beta()), ("b.txt", gamma()), ("c.txt", beta())];
    for (fault, has_moved) in [
        ("begun", false),
        ("committed", false),
        ("journal-written", false),
        ("journal-placed", false),
        ("objects-moved", false),
        ("ref-locked", false),
        ("record-locked", false),
        ("ref-prepared", false),
        ("ref-moved", true),
        ("record-moved", true),
        ("reflog-written", true),
        ("ref-unlocked", true),
        ("journal-retired", true),
    ] {
        for what in ["kill", "fail"] {
            let sandbox = Sandbox::new();
            let before = sandbox.listing().into_keys().collect::<Vec<_>>();
            let files = responses(&sandbox, &all);
            let mut command = sandbox.command(["-b", "try/{n}"]);
            let fault = format!("{fault}:{what}:2");
            let run = Run::of(command.args(files).env(VARIABLE, &fault).output().unwrap());
            sandbox.run(["recover"]).exits(0);
            let landed: &[_] = match (what, has_moved) {
                ("kill", false) => &["try/1"],
                ("kill", true) => &["try/1", "try/2"],
                (_, false) => &["try/1", "try/3"],
                // A step that fails once succeeds when it is tried again.
                (_, true) => &["try/1", "try/2", "try/3"],
            };
            assert_eq!(branches(&sandbox), landed, "{fault}: {run:?}");
            sandbox.leaves_no_file();
            sandbox.is_sound();
            suggest(&sandbox, &["-b", "try/{n}"], &all).exits(0);
            assert_eq!(branches(&sandbox), ["try/1", "try/2", "try/3"], "{fault}");
            sandbox.leaves_no_file();
            assert!(before.iter().all(|path| sandbox.listing().contains_key(path)), "{fault}");
        }
    }
}

#[test]
fn a_signal_leaves_what_was_made_and_names_the_others() {
    let three = beta() + &create("x", "Add x", "x\n") + &create("y", "Add y", "y\n");
    let each = [("a.txt", beta()), ("b.txt", gamma()), ("c.txt", beta())];
    let while_second = "#!/bin/sh\n! git rev-parse -q --verify try/1 || kill -TERM $PPID\n";
    for (options, all) in [("--branch", &each[..]), ("--branch-per-edit", &[("a.txt", three)])] {
        // Once while the second branch is made, and once after the first.
        for (hook, text) in [("pre", while_second), ("post", "#!/bin/sh\nkill -TERM $PPID\n")] {
            let sandbox = Sandbox::new();
            sandbox.script(&sandbox.repo.join(format!(".git/hooks/{hook}-llm-apply")), text);
            let run = suggest(&sandbox, &[options, "try/{n}"], all).exits(130);
            assert_eq!(branches(&sandbox), ["try/1"], "{hook} {options}");
            let not_made = |n: &str| {
                run.stdout
                    .lines()
                    .any(|line| line.starts_with(&format!("try/{n}")) && line.ends_with("not made"))
            };
            assert_eq!(["1", "2", "3"].map(not_made), [false, true, true], "{hook} {options}: {run:?}");
            assert!(!run.stderr.contains("as it was"), "{run:?}");
            run.says("1 of 3 landed").says("error: interrupted; ").says("'git branch -D try/1'");
            sandbox.is_sound();
            sandbox.leaves_no_file();
            sandbox.git(["branch", "-q", "-D", "try/1"]);
            let run = suggest(&sandbox, &[options, "try/{n}", "--json"], all).exits(130);
            let report: Value = serde_json::from_str(&run.stdout).unwrap();
            assert_eq!(
                (&report["error"]["code"], &report["exit_code"]),
                (&"interrupted".into(), &130.into())
            );
            let of_each = report["suggestions"].as_array().unwrap().iter().map(|one| &one["report"]);
            let codes: Vec<_> = of_each.map(|one| (&one["exit_code"], &one["error"]["code"])).collect();
            assert_eq!(codes[0], (&0.into(), &Value::Null), "{report}");
            assert_eq!(codes[1..], [(&130.into(), &"interrupted".into()); 2], "{report}");
            sandbox.git(["branch", "-q", "-D", "try/1"]);
        }
    }
    let sandbox = Sandbox::new();
    sandbox.script(&sandbox.repo.join(".git/hooks/pre-llm-apply"), "#!/bin/sh\nkill -TERM $PPID\n");
    let run = suggest(&sandbox, &["-b", "try/{n}"], &each).exits(130);
    run.says("interrupted; everything here is as it was");
    assert_eq!(branches(&sandbox), [""; 0]);
}

#[test]
fn a_refused_one_can_be_corrected_on_its_branch() {
    let sandbox = Sandbox::new();
    let all = [("a.txt", beta()), ("b.txt", gamma() + &wrong())];
    let run = suggest(&sandbox, &["-b", "try/{n}"], &all).exits(1);
    let id = run.stderr.split("git llm-apply --continue=").nth(1).unwrap().split(' ').next().unwrap();
    let said = format!("--continue={id}");
    sandbox.apply([&said], &patch("README", "w", "hello\n", "hello there\n")).exits(0);
    assert_eq!(sandbox.subjects("main..try/2").len(), 3);
    assert_eq!(sandbox.git(["show", "try/2:README"]), "hello there");
}

#[test]
fn a_refused_one_is_gone_on_with_by_its_id_whatever_template_is_configured() {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "llmapply.branch", "try/{n}"]);
    let run = suggest(&sandbox, &["--json"], &[("a.txt", beta()), ("b.txt", wrong())]).exits(1);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let id = report["suggestions"][1]["report"]["attempt"].as_str().unwrap();
    let typed = sandbox.apply([&format!("--continue={id}"), "-b", "x/{n}"], &gamma()).exits(129);
    typed.says("cannot be used with a branch template");
    sandbox.apply([format!("--continue={id}")], &gamma()).exits(0);
    assert_eq!(branches(&sandbox), ["try/1", "try/2"]);
    sandbox.is_sound();
}

#[test]
fn a_command_judges_each_and_one_that_fails_leaves_the_others() {
    let sandbox = Sandbox::new();
    let all = [("a.txt", beta()), ("b.txt", gamma())];
    let run =
        suggest(&sandbox, &["-b", "try/{n}", "-x", "grep -q beta src/a.rs || (echo no beta; false)"], &all)
            .exits(2);
    assert_eq!(run.stderr.matches("no beta\n").count(), 1, "{}", run.stderr);
    assert!(run.stdout.lines().next().unwrap().ends_with("checks"), "{}", run.stdout);
    assert!(run.stdout.lines().any(|line| line.starts_with("try/1") && line.ends_with("passed")));
    assert!(run.stdout.lines().any(|line| line.starts_with("try/2") && line.ends_with("failed")));
    assert_eq!(branches(&sandbox), ["try/1"]);
    sandbox.is_sound();
    sandbox.leaves_no_file();
}

#[test]
fn each_edit_can_get_a_branch_of_its_own() {
    let sandbox = Sandbox::new();
    let builds_on = patch("src/a.rs", "Call it delta", "fn beta() {}\n", "fn delta() {}\n");
    let response = beta() + &builds_on + &patch("README", "Greet all", "hello\n", "hello all\n");
    let each = ["--no-keep", "--branch-per-edit", "try/{n}-{slug}"];
    let run = suggest(&sandbox, &each, &[("a.txt", response.clone())]);
    let run =
        run.exits(1).says("edit 1, which was left out").says("2 of 3 landed").says("refused: edit 2 failed;");
    assert!(
        run.stdout.lines().any(|line| line.starts_with("try/2-call-it-delta") && line.ends_with("refused"))
    );
    assert_eq!(branches(&sandbox), ["try/1-rename-b-to-beta", "try/3-greet-all"]);
    assert_eq!(sandbox.subjects("main..try/3-greet-all"), ["Greet all"]);
    assert_eq!(sandbox.git(["diff", "--name-only", "main", "try/3-greet-all"]), "README");
    sandbox.is_sound();
    let before = sandbox.state();
    suggest(&sandbox, &each, &[("a.txt", response.clone())]).exits(1);
    sandbox.state().is(&before, "twice");
    let two = [("a.txt", beta()), ("b.txt", wrong() + &beta())];
    suggest(&sandbox, &["--branch-per-edit", "two/{n}"], &two).exits(1);
    assert_eq!(branches(&sandbox)[2..], ["two/1", "two/3"], "numbers count on over all responses");
    let torn = response + "<edit file=\"README\" op=\"patch\">\n<find>\n<<<\n";
    suggest(&sandbox, &["--branch-per-edit", "torn/{n}"], &[("a.txt", torn)]).exits(1);
    assert_eq!(branches(&sandbox).len(), 4, "nothing of what is not whole");
    suggest(&sandbox, &["--branch-per-edit", "x", "-b", "y"], &two).exits(129);
    suggest(&sandbox, &["--branch-per-edit", "x"], &two).exits(129).says("would have the same branch, x");
}

#[test]
fn an_edit_with_a_branch_of_its_own_is_kept_alone() {
    let sandbox = Sandbox::new();
    let also = patch("README", "Greet", "no such line\n", "hello all\n");
    let all = [("a.txt", beta() + &wrong() + &also)];
    suggest(&sandbox, &["--branch-per-edit", "try/{n}"], &all).exits(1).says("1 of 3 landed");
    assert_eq!(sandbox.run(["list"]).exits(0).stdout.matches("refused").count(), 2);
    let greet = patch("README", "Greet", "hello\n", "hello all\n");
    let run = sandbox.apply(["--continue", "-b", "try/3"], &(beta() + &greet)).exits(0);
    let _ = run.says("try/3: new").says("1 commit");
    assert_eq!(sandbox.subjects("main..try/3"), ["Greet"]);
    // Now it is the only edit.
    sandbox.run(["--continue", "--skip", "2"]).exits(0).says("no edit is left");
    sandbox.is_sound();
}

/// Creates a repository with 500 files in ten directories.
fn wide() -> Sandbox {
    let sandbox = Sandbox::new();
    for n in 0..500 {
        sandbox.file(&format!("d{}/f{n}", n % 10), format!("line {n}\n"));
    }
    sandbox.commit("wide");
    sandbox
}

/// Returns one edit for each of this many files.
fn many(edits: usize) -> String {
    let one =
        |n: usize| patch(&format!("d{}/f{n}", n % 10), &format!("Edit {n}"), &format!("line {n}\n"), "new\n");
    (0..edits).map(one).collect()
}

/// Returns the processor time of a run with this exit status, in seconds: the shortest of three runs.
fn time_of(sandbox: &Sandbox, edits: usize, code: i32) -> f64 {
    let response = sandbox.response(&many(edits));
    let one = |_| {
        let ours = sandbox.command(["-q", "-n", "--branch-per-edit", "try/{n}"]);
        let mut command = sandbox.program("bash", ["-c", "TIMEFORMAT=%U; time \"$@\"", "bash"]);
        command.arg(ours.get_program()).args(ours.get_args()).arg(&response);
        let run = Run::of(command.output().unwrap()).exits(code);
        run.stderr.trim().lines().next_back().unwrap().parse::<f64>().unwrap()
    };
    (0..3).map(one).fold(f64::MAX, f64::min)
}

#[test]
fn many_edits_take_linear_time() {
    let sandbox = wide();
    let (few, all) = (time_of(&sandbox, 125, 0), time_of(&sandbox, 500, 0));
    assert!(all < 8.0 * few, "125 edits took {few} s, and 500 took {all} s");
    // The same if all of the branches exist.
    let refs: String = (1..=500).map(|n| format!("create refs/heads/try/{n} HEAD\n")).collect();
    std::fs::write(sandbox.root().join("refs"), refs).unwrap();
    assert!(sandbox.program("sh", ["-c", "git update-ref --stdin <../refs"]).status().unwrap().success());
    let (few, all) = (time_of(&sandbox, 125, 4), time_of(&sandbox, 500, 4));
    assert!(all < 8.0 * few, "again, 125 edits took {few} s, and 500 took {all} s");
}

#[test]
fn many_edits_land_each_with_a_record_of_itself_alone() {
    let sandbox = wide();
    suggest(&sandbox, &["-q", "--branch-per-edit", "try/{n}"], &[("a.txt", many(60))]).exits(0);
    assert_eq!(branches(&sandbox).len(), 60);
    let changed = sandbox.git(["diff", "--name-only", "main", "try/41"]);
    assert_eq!(changed, "d0/f40");
    let record = sandbox.run(["list", "--porcelain"]).exits(0).stdout;
    let record = record.lines().find(|line| line.contains("refs/heads/try/41\t")).unwrap();
    let shown = sandbox.run(["show", "--json", record.split('\t').next().unwrap()]).exits(0);
    let shown: serde_json::Value = serde_json::from_str(&shown.stdout).unwrap();
    let edits: Vec<_> = shown["edits"].as_array().unwrap().iter().map(|edit| &edit["number"]).collect();
    assert_eq!(edits, [41]);
    // A second run changes nothing, and what is wrong with one branch is told about all.
    let before = sandbox.state();
    suggest(&sandbox, &["-q", "--branch-per-edit", "try/{n}"], &[("a.txt", many(60))]).exits(0);
    sandbox.state().is(&before, "twice");
    sandbox.git(["branch", "-f", "try/7", "main"]);
    sandbox.git(["branch", "-f", "try/41", "main"]);
    let before = sandbox.state();
    let run = suggest(&sandbox, &["-q", "--branch-per-edit", "try/{n}"], &[("a.txt", many(60))]).exits(4);
    let _ = run.says("try/7 already exists, without these edits").says("try/41 already exists");
    sandbox.state().is(&before, "in the way");
    sandbox.git(["fsck", "--strict"]);
}

#[test]
fn fields_name_the_response() {
    let sandbox = Sandbox::new();
    suggest(&sandbox, &["-b", "{stem}/{id}"], &[("An Answer.v2.txt", beta())]).exits(0);
    let id = sandbox.git(["hash-object", "--stdin"].iter().chain(&["-t", "blob"]));
    assert_ne!(id, "");
    let file = sandbox.root().join("An Answer.v2.txt");
    let id = sandbox.git(["hash-object", file.to_str().unwrap()]);
    assert_eq!(branches(&sandbox), [format!("an-answer-v2/{}", &id[..8])]);
    // Only words of a hostile reason get into the name.
    let hostile = beta().replace("Rename b to beta. It", "../../HEAD\u{202e} @{-1} $(x).lock It");
    suggest(&sandbox, &["-b", "evil/{slug}"], &[("b.txt", hostile)]).exits(0);
    assert!(branches(&sandbox).contains(&"evil/head-1-x-lock-it-reads-better-so".to_owned()));
}

#[test]
fn names_that_cannot_be_are_refused_before_anything_is_written() {
    let sandbox = Sandbox::new();
    sandbox.git(["branch", "taken/deep"]);
    sandbox.git(["branch", "there"]);
    sandbox.git(["worktree", "add", "-q", "-b", "busy", sandbox.root().join("busy").to_str().unwrap()]);
    let before = sandbox.listing();
    let two = || [("a.txt", beta()), ("b.txt", gamma())];
    let cases: &[(&str, i32, &str)] = &[
        ("try/{m}", 129, "unknown field '{m}'"),
        ("{stem", 129, "unknown field '{stem'"),
        ("a..{n}", 128, "'a..1' is not a valid branch name"),
        ("-{n}", 128, "'-1' is not a valid branch name"),
        ("x{n}.lock", 128, "not a valid branch name"),
        ("taken/deep/{n}", 128, "refs/heads/taken/deep exists"),
    ];
    for (template, code, words) in cases {
        suggest(&sandbox, &[&format!("--branch={template}")], &two()).exits(*code).says(words);
        same(template, &before, &sandbox.listing());
    }
    let same_twice = [("a.txt", beta()), ("b.txt", beta())];
    let run = suggest(&sandbox, &["-b", "try/{slug}"], &same_twice).exits(129);
    run.says("would have the same branch, try/rename-b-to-beta").says("a.txt").says("b.txt");
    let nested = [("try.txt", beta()), ("x.txt", beta())];
    let mut files = responses(&sandbox, &nested);
    std::fs::create_dir(sandbox.root().join("sub")).unwrap();
    files.push(sandbox.root().join("there.txt"));
    std::fs::write(&files[2], gamma()).unwrap();
    let run = Run::of(sandbox.command(["-b", "{stem}"]).arg("--").args(&files).output().unwrap()).exits(4);
    run.says("there already exists, without these edits");
    std::fs::write(sandbox.root().join("busy.txt"), gamma()).unwrap();
    std::fs::write(sandbox.root().join("main.txt"), gamma()).unwrap();
    let run = sandbox.run(["-b", "{stem}", "../busy.txt", "../main.txt"]).exits(4);
    run.says("busy is used by worktree at").says("main is used by worktree at").says("nothing was changed");
    same("in the way", &before, &sandbox.listing());
}

#[test]
fn twice_is_once() {
    let sandbox = Sandbox::new();
    let all = [("a.txt", beta()), ("b.txt", gamma())];
    suggest(&sandbox, &["-b", "try/{n}"], &all).exits(0);
    let before = sandbox.state();
    let run = suggest(&sandbox, &["-b", "try/{n}"], &all).exits(0).says("already applied");
    assert!(!run.stdout.contains(" landed;"), "{}", run.stdout);
    sandbox.state().is(&before, "twice");
    // The same if main has moved on. But another response is not added on top.
    sandbox.file("README", "hello there\n");
    sandbox.commit("meanwhile");
    let before = sandbox.state();
    suggest(&sandbox, &["-b", "try/{n}", "--base", "main~"], &all).exits(0).says("already applied");
    sandbox.state().is(&before, "twice, later");
    suggest(&sandbox, &["-b", "try/{n}"], &[("c.txt", gamma())]).exits(4).says("try/1 already exists");
    sandbox.state().is(&before, "another");
}

#[test]
fn a_dry_run_says_what_would_be_and_changes_nothing() {
    let sandbox = Sandbox::new();
    let before = sandbox.listing();
    let all = [("a.txt", beta()), ("b.txt", wrong())];
    for verb in [&["check"][..], &["-n"]] {
        let run = suggest(&sandbox, &[verb, &["-b", "try/{n}"]].concat(), &all).exits(1);
        assert!(run.stdout.lines().any(|line| line.starts_with("try/1") && line.ends_with("ok")));
        assert!(run.stdout.lines().any(|line| line.starts_with("try/2") && line.ends_with("refused")));
    }
    same("a dry run", &before, &sandbox.listing());
}

#[test]
fn programs_get_all_of_it_in_one_object() {
    let sandbox = Sandbox::new();
    let all = [("a.txt", beta()), ("b.txt", wrong())];
    let run = suggest(&sandbox, &["--json", "--no-keep", "-b", "try/{n}", "-x", "true"], &all).exits(1);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&report["status"], &report["exit_code"]), (&"refused".into(), &1.into()));
    let [good, bad] = report["suggestions"].as_array().unwrap().as_slice() else { panic!("{report:#}") };
    assert_eq!(good["branch"], "try/1");
    assert_eq!(good["size"], serde_json::json!({"files": 1, "added": 1, "removed": 1}));
    assert_eq!((&good["checks"], &good["report"]["exit_code"]), (&true.into(), &0.into()));
    assert_eq!(good["report"]["branch"]["new"], sandbox.git(["rev-parse", "try/1"]));
    assert!(good["report"]["edits"][0]["diff"].as_str().unwrap().contains("+fn beta() {}"));
    assert_eq!((&bad["checks"], &bad["report"]["exit_code"]), (&Value::Null, &1.into()));
    assert!(bad["report"]["feedback"].as_str().unwrap().contains("search-not-found"));
}

#[test]
fn it_works_in_bare_unborn_linked_and_other_repositories() {
    let all = [("a.txt", create("a", "Add a", "a\n")), ("b.txt", create("a", "Add b", "b\n"))];
    let unborn = Sandbox::unborn();
    suggest(&unborn, &["-b", "try/{n}"], &all).exits(0);
    assert_eq!(branches(&unborn), ["try/1", "try/2"]);
    assert_eq!(unborn.git(["rev-list", "--count", "try/2"]), "1");

    let mut bare = Sandbox::new();
    let place = bare.root().join("bare.git");
    bare.git(["clone", "-q", "--bare", ".", place.to_str().unwrap()]);
    bare.repo = place;
    suggest(&bare, &["-b", "try/{n}"], &all).exits(0);
    assert_eq!(branches(&bare), ["try/1", "try/2"]);
    bare.git(["fsck", "--strict"]);

    let mut linked = Sandbox::new();
    let place = linked.root().join("linked");
    linked.git(["worktree", "add", "-q", "--detach", place.to_str().unwrap()]);
    linked.repo = place;
    suggest(&linked, &["-b", "try/{n}"], &all).exits(0);
    assert_eq!(branches(&linked), ["try/1", "try/2"]);

    let sparse = Sandbox::new();
    sparse.git(["sparse-checkout", "set", "src"]);
    suggest(&sparse, &["-b", "try/{n}"], &[("a.txt", beta()), ("b.txt", gamma())]).exits(0);
    assert_eq!(sparse.status(), "");
    assert_eq!(branches(&sparse), ["try/1", "try/2"]);
}

#[test]
fn plain_git_works_on_suggestions() {
    let sandbox = Sandbox::new();
    suggest(&sandbox, &["-b", "try/{n}"], &[("a.txt", beta()), ("b.txt", gamma())]).exits(0);
    let worktree = sandbox.root().join("look");
    sandbox.git(["worktree", "add", "-q", worktree.to_str().unwrap(), "try/2"]);
    assert_eq!(std::fs::read_to_string(worktree.join("src/gamma.rs")).unwrap(), "one\ntwo\n");
    sandbox.git(["worktree", "remove", worktree.to_str().unwrap()]);
    let remote = sandbox.root().join("remote.git");
    sandbox.git(["init", "-q", "--bare", remote.to_str().unwrap()]);
    sandbox.git(["push", "-q", remote.to_str().unwrap(), "try/1", "try/2"]);
    sandbox.git(["cherry-pick", "try/2"]);
    assert!(sandbox.exists("src/gamma.rs"));
    sandbox.git(["merge", "-q", "--no-edit", "try/1"]);
    assert!(sandbox.text("src/a.rs").contains("beta"));
    sandbox.git(["branch", "-d", "try/1"]);
    sandbox.is_sound();
}
