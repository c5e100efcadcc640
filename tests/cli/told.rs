//! What is reported of a landing with hooks and commands: to programs, people, models and hooks.

use crate::sandbox;

use sandbox::fault::Stopped;
use sandbox::{Run, Sandbox, create, patch};
use serde_json::Value;
use std::path::PathBuf;

fn hook(sandbox: &Sandbox, name: &str, script: &str) {
    sandbox.script(&sandbox.repo.join(".git/hooks").join(name), &format!("#!/bin/sh\n{script}\n"));
}

/// Two good edits of two files.
fn two() -> String {
    patch("src/a.rs", "Rename b", "fn b() {}\n", "fn beta() {}\n") + &create("n.txt", "New", "n  \n")
}

/// Two edits. The second one quotes a line that does not exist.
fn half() -> String {
    create("n.txt", "New", "n\n") + &patch("README", "Greet", "no such line\n", "hi\n")
}

#[track_caller]
fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", run.stdout, run.stderr))
}

fn all<'v>(value: &'v Value, field: &str) -> Vec<&'v str> {
    value["edits"].as_array().unwrap().iter().map(|edit| edit[field].as_str().unwrap_or("null")).collect()
}

#[test]
fn programs_hear_what_people_hear() {
    let sandbox = Sandbox::new();
    hook(&sandbox, "pre-commit", "sed -i 's/  *$//' n.txt 2>/dev/null; true");
    hook(&sandbox, "post-commit", "git stash list >/dev/null; echo told; exit 5");
    let text = sandbox.apply([""; 0], &two()).exits(0);
    sandbox.git(["reset", "-q", "--hard", "HEAD~2"]);
    let report = json(&sandbox.apply(["--json"], &two()).exits(0));
    let remarks: Vec<_> =
        report["remarks"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    let told: Vec<_> = text.stderr.lines().filter_map(|line| line.strip_prefix("warning: ")).collect();
    assert_eq!(remarks, told);
    assert!(remarks[0].contains("hook changed n.txt") && remarks[1].contains("status 5"), "{remarks:?}");
    // A killed run is recovered first.
    let killed = sandbox
        .command(["-q", "response"])
        .env("GIT_LLM_APPLY_FAULT", "index-prepared:kill")
        .current_dir({
            std::fs::write(sandbox.repo.join("response"), create("k", "k", "k\n")).unwrap();
            &sandbox.repo
        })
        .output()
        .unwrap();
    assert_eq!(Run::of(killed).signal, Some(9));
    let report = json(&sandbox.apply(["--json"], &create("m.txt", "More", "m\n")).exits(0));
    assert_eq!(report["recovered"][0]["end"], "taken-back");
}

#[test]
fn a_diff_is_what_has_landed() {
    diffs_are_what_has_landed(&Sandbox::new());
    // The same with an index that libgit2 cannot read.
    let split = Sandbox::new();
    split.git(["update-index", "--split-index"]);
    diffs_are_what_has_landed(&split);
}

fn diffs_are_what_has_landed(sandbox: &Sandbox) {
    hook(
        sandbox,
        "pre-commit",
        "sed -i 's/  *$//' n.txt 2>/dev/null; git ls-files src >LIST; git add LIST; true",
    );
    let report = json(&sandbox.apply(["--json"], &two()).exits(0));
    for (number, commit) in ["HEAD~1", "HEAD"].into_iter().enumerate() {
        let shown = sandbox.git(["show", "--format=", commit]);
        assert_eq!(report["edits"][number]["diff"].as_str().unwrap().trim_end(), shown);
    }
    // If the hook changes nothing, the diff is the edit's own, also for two edits in one commit.
    let both = create("x", "X", "x\n") + &create("y", "Y", "y\n");
    hook(sandbox, "pre-commit", "true");
    let report = json(&sandbox.apply(["--json", "--commit=response"], &both).exits(0));
    let diffs = all(&report, "diff");
    assert!(diffs[0].contains("b/x") && !diffs[0].contains("b/y") && diffs[1].contains("b/y"), "{diffs:?}");
}

#[test]
fn a_landing_that_comes_to_nothing_is_told_whole() {
    let cases: &[(&str, &[&str], &str, i32)] = &[
        ("", &["-x", "echo broken; exit 3"], "failed (exit status 3)", 2),
        ("exit 1", &[], "the pre-commit hook refused", 3),
        ("", &["-S/no/such/key"], "sign", 128),
    ];
    for (script, options, said, code) in cases {
        let sandbox = Sandbox::new();
        sandbox.git(["config", "gpg.format", "ssh"]);
        if !script.is_empty() {
            hook(&sandbox, "pre-commit", script);
        }
        let head = sandbox.head();
        let options = ["--json", "--no-keep"].iter().chain(*options);
        let report = json(&sandbox.apply(options, &two()).exits(*code));
        assert_eq!((&report["status"], &report["exit_code"]), (&"failed".into(), &(*code).into()));
        assert!(report["error"]["message"].as_str().unwrap().contains(said), "{report:#}");
        assert_eq!(all(&report, "path"), ["src/a.rs", "n.txt"]);
        assert_eq!(all(&report, "state"), ["fine", "fine"]);
        assert_eq!(all(&report, "commit"), ["null", "null"]);
        assert!(all(&report, "diff")[0].contains("+fn beta() {}"), "{report:#}");
        assert_eq!(report["paths"], serde_json::json!(["src/a.rs", "n.txt"]));
        assert_eq!(
            (&report["branch"]["name"], &report["branch"]["old"]),
            (&"main".into(), &head.clone().into())
        );
        assert_eq!(report["branch"]["new"], Value::Null);
        assert!(report["responses"][0].as_str().unwrap().ends_with("response.txt"));
        assert_eq!(sandbox.head(), head);
    }
}

#[test]
fn edits_that_could_not_be_tried_are_named_too() {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "filter.broken.smudge", "false"]);
    sandbox.git(["config", "filter.broken.clean", "cat"]);
    sandbox.git(["config", "filter.broken.required", "true"]);
    sandbox.file(".gitattributes", "README filter=broken\n");
    sandbox.commit("attributes");
    let response = create("n.txt", "New", "n\n") + &patch("README", "Greet", "hello\n", "hi\n");
    for options in [&["--json"][..], &["--json", "-n"]] {
        let report = json(&sandbox.apply(options, &response).exits(128));
        assert_eq!(all(&report, "state"), ["unresolved", "unresolved"], "{options:?}");
        assert_eq!(all(&report, "path"), ["n.txt", "README"]);
        assert_eq!(report["branch"]["name"], "main");
        assert!(report["error"]["message"].as_str().unwrap().contains("README"), "{report:#}");
    }
}

#[test]
fn a_failing_command_is_for_the_model_too() {
    let sandbox = Sandbox::new();
    let check = ["-x", "printf 'a typo\\n```\\n\\033[31min README'; exit 3"];
    let report = json(&sandbox.apply(["--json", "--no-keep"].iter().chain(&check), &two()).exits(2));
    let feedback = report["feedback"].as_str().unwrap().to_owned();
    assert!(feedback.contains("a typo") && feedback.contains("exit status 3"), "{feedback}");
    assert!(feedback.contains("\n````\n") && !feedback.contains('\x1b'), "{feedback}");
    let run = sandbox.apply(["--feedback", "--no-keep"].iter().chain(&check), &two()).exits(2);
    assert_eq!(run.stdout, feedback);
    assert!(run.stderr.contains("error: "), "{}", run.stderr);
    let quiet = sandbox.apply(["--feedback", "-q", "--no-keep"].iter().chain(&check), &two()).exits(2);
    assert_eq!((quiet.stdout, quiet.stderr), (feedback, String::new()));
    // It is bounded like any other feedback.
    let long = sandbox.apply(["--feedback", "-q", "--no-keep", "-x", "seq 1 99999; false"], &two()).exits(2);
    assert!(long.stdout.len() <= 16 << 10 && long.stdout.contains("\n99999\n"), "{}", long.stdout.len());
}

#[test]
fn what_a_hook_has_to_say_is_for_the_model_too() {
    for name in ["pre-commit", "commit-msg", "pre-llm-apply"] {
        let sandbox = Sandbox::new();
        hook(&sandbox, name, "seq 1 99999; echo lint: n.txt ends in blanks >&2; exit 1");
        let report = json(&sandbox.apply(["--json", "--no-keep"], &two()).exits(3));
        let feedback = report["feedback"].as_str().unwrap().to_owned();
        assert!(feedback.contains(&format!("the {name} hook refused")), "{feedback}");
        assert!(feedback.contains("\nlint: n.txt ends in blanks\n"), "{feedback}");
        assert!(feedback.len() <= 16 << 10, "{}", feedback.len());
        let run = sandbox.apply(["--feedback", "-q", "--no-keep"], &two()).exits(3);
        assert_eq!((run.stdout, run.stderr), (feedback, String::new()));
    }
}

#[test]
fn what_fails_before_anything_is_tried_is_told_whole() {
    let sandbox = Sandbox::new();
    let cases: &[(&[&str], i32)] =
        &[(&["--base=nowhere"], 128), (&["--only=7"], 129), (&["--trailer=:none"], 129)];
    for (options, code) in cases {
        for dry in [&[][..], &["-n"]] {
            let options = ["--json", "--no-keep"].iter().chain(*options).chain(dry);
            let report = json(&sandbox.apply(options, &two()).exits(*code));
            assert_eq!(all(&report, "path"), ["src/a.rs", "n.txt"], "{report:#}");
            assert_eq!(all(&report, "state"), ["unresolved", "unresolved"], "{report:#}");
            assert!(report["error"]["message"].is_string(), "{report:#}");
        }
    }
    // Corrections that fit no failed edit.
    let twice = half() + &half().replace("n.txt", "m.txt").replace("no such", "none such");
    sandbox.apply([""; 0], &twice).exits(1);
    let run = sandbox.apply(["--json", "--continue"], &create("n.txt", "w", "n\n")).exits(1);
    let report = json(&run);
    assert_eq!((&report["status"], all(&report, "state")), (&"refused".into(), vec!["unresolved"]));
    assert!(report["feedback"].as_str().unwrap().contains("one corrected edit for each"), "{report:#}");
    // A killed run is recovered first, and that is reported.
    let killed = Sandbox::new();
    let file = killed.response(&two());
    let fault = ("GIT_LLM_APPLY_FAULT", "index-placed:kill");
    killed.command(["-q"]).arg(file).env(fault.0, fault.1).output().unwrap();
    let report = json(&killed.run(["undo", "--json", "nonsense"]).exits(128));
    assert_eq!(report["recovered"][0]["end"], "taken-back", "{report:#}");
    // If the responses cannot be read yet, they are named.
    let outside = sandbox.root().join("outside");
    std::fs::create_dir(&outside).unwrap();
    let run = sandbox.run(["-C", outside.to_str().unwrap(), "--json", "one.txt", "-"]).exits(128);
    assert_eq!(json(&run)["responses"], serde_json::json!(["one.txt", "standard input"]));
    sandbox.git(["config", "llmapply.maxFuzz", "any"]);
    let run = sandbox.run(["check", "--json", "one.txt"]).exits(128);
    assert_eq!(json(&run)["responses"], serde_json::json!(["one.txt"]));
}

#[test]
fn what_has_landed_and_is_not_finished_has_landed() {
    let sandbox = Sandbox::new();
    let file = sandbox.response(&two());
    let mut command = sandbox.command(["--json"]);
    let stopped =
        Stopped::with(command.arg(file).env(git_llm_apply::vcs::fault::VARIABLE, "ref-moved:stop:1"));
    // The run can no longer write where the branch was before.
    std::fs::create_dir(sandbox.repo.join(".git/ORIG_HEAD")).unwrap();
    let report = json(&stopped.go_on().exits(128));
    assert!(report["error"]["message"].as_str().unwrap().starts_with("landed as "), "{report:#}");
    assert_eq!(all(&report, "state"), ["landed", "landed"], "{report:#}");
    assert_eq!(report["branch"]["new"], sandbox.head());
    assert_eq!(all(&report, "commit")[1], sandbox.head());
}

#[test]
fn hooks_read_what_is_to_land_and_then_what_has() {
    let mut sandbox = Sandbox::new();
    let out = sandbox.root().join("out");
    std::fs::create_dir(&out).unwrap();
    sandbox.set("OUT", out.to_str().unwrap());
    for name in ["pre-llm-apply", "post-llm-apply"] {
        hook(&sandbox, name, "cat >$OUT/$(basename $0)");
    }
    hook(&sandbox, "pre-commit", "sed -i 's/  *$//' n.txt 2>/dev/null; true");
    sandbox.apply([""; 0], &two()).exits(0);
    let seen = |name: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(PathBuf::from(&out).join(name)).unwrap()).unwrap()
    };
    let (before, after) = (seen("pre-llm-apply"), seen("post-llm-apply"));
    assert_eq!((all(&before, "state"), all(&after, "state")), (vec!["fine"; 2], vec!["landed"; 2]));
    assert_eq!(all(&before, "commit"), all(&after, "commit"));
    assert_eq!(all(&before, "diff"), all(&after, "diff"));
    assert_eq!(all(&after, "diff")[1].trim_end(), sandbox.git(["show", "--format=", "HEAD"]));
    assert_eq!(before["branch"]["new"], sandbox.head());
}

#[test]
fn a_refused_edit_comes_before_a_check_that_fails() {
    for (name, options) in [("", &["-x", "echo broken; exit 3"][..]), ("pre-commit", &[])] {
        let sandbox = Sandbox::new();
        if !name.is_empty() {
            hook(&sandbox, name, "echo broken; exit 3");
        }
        let before = sandbox.head();
        let run = sandbox.apply(["--keep-going"].iter().chain(options), &half()).exits(1);
        for said in
            ["edit 2", "README", "of 2 failed", "nothing was changed", "--continue", "broken\n", "error: "]
        {
            assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
        }
        assert_eq!(sandbox.head(), before);
        // The attempt is complete, including the good edit.
        let hooks = sandbox.repo.join(".git/hooks/pre-commit");
        let _ = std::fs::remove_file(hooks);
        sandbox.apply(["--continue", "--no-exec"], &patch("README", "Greet", "hello\n", "hi\n")).exits(0);
        assert_eq!(sandbox.subjects(&format!("{before}..")), ["New", "Greet"]);
        sandbox.leaves_no_file();
        // The same for programs.
        sandbox.git(["reset", "-q", "--hard", &before]);
        if !name.is_empty() {
            hook(&sandbox, name, "exit 3");
        }
        let report = json(&sandbox.apply(["--keep-going", "--json"].iter().chain(options), &half()).exits(1));
        assert_eq!((&report["status"], all(&report, "state")), (&"refused".into(), vec!["fine", "refused"]));
        assert!(report["attempt"].is_string() && report["error"]["message"].is_string(), "{report:#}");
        assert!(report["feedback"].as_str().unwrap().contains("Edit 2: modify `README`"), "{report:#}");
    }
    // Refused edits also come before a branch that is in the way, but not before an error of the system.
    let sandbox = Sandbox::new();
    sandbox.git(["config", "gpg.format", "ssh"]);
    let run = sandbox.apply(["--keep-going", "-S/no/such/key"], &half()).exits(128);
    assert!(run.stderr.contains("edit 2") && run.stderr.contains("--continue"), "{}", run.stderr);
}

#[test]
fn a_check_names_what_has_to_pass() {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "gpg.format", "ssh"]);
    for name in [
        "pre-commit",
        "pre-merge-commit",
        "commit-msg",
        "pre-llm-apply",
        "post-commit",
        "reference-transaction",
    ] {
        hook(&sandbox, name, "exit 1");
    }
    let said = "not run yet, and must pass when it lands: the pre-commit hook, the commit-msg hook, the pre-llm-apply hook, the \
                reference-transaction hook, 'make test', signing\n";
    let run = sandbox.apply(["-n", "-x", "make test", "-S/key"], &two()).exits(0);
    assert!(run.stdout.contains(said), "{}", run.stdout);
    let response = sandbox.response(&two());
    sandbox.git(["config", "llmapply.exec", "make test"]);
    sandbox.git(["config", "commit.gpgSign", "true"]);
    let run = sandbox.run(["check", response.to_str().unwrap()]).exits(0);
    assert!(run.stdout.contains(said), "{}", run.stdout);
    for key in ["llmapply.exec", "commit.gpgSign"] {
        sandbox.git(["config", "--unset", key]);
    }
    let run = sandbox.apply(["-n", "--no-verify"], &two()).exits(0);
    assert!(
        run.stdout.contains("not run yet, and must pass when it lands: the reference-transaction hook\n"),
        "{}",
        run.stdout
    );
    let report = json(&sandbox.apply(["-n", "--json", "--no-ff", "-x", "make"], &two()).exits(0));
    assert_eq!(report["to_pass"][1], serde_json::json!({"kind": "hook", "name": "pre-merge-commit"}));
    assert_eq!(report["to_pass"][5], serde_json::json!({"kind": "exec", "name": "make"}));
    let plain = Sandbox::new().apply(["-n"], &two()).exits(0);
    assert!(!plain.stdout.contains("to pass"), "{}", plain.stdout);
}

#[test]
fn several_edits_of_a_commit_are_named_as_such() {
    let sandbox = Sandbox::new();
    hook(&sandbox, "pre-commit", "sed -i 's/  *$//' n.txt; true");
    let run = sandbox.apply(["--commit=response"], &two()).exits(0);
    assert!(run.stderr.contains("in the commit of edits 1, 2; the"), "{}", run.stderr);
}

#[test]
fn a_program_learns_which_landing_has_it_already() {
    let list = |told: &Value| -> Vec<String> {
        told["commits"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect()
    };
    let sandbox = Sandbox::new();
    let first = json(&sandbox.apply(["--json"], &two()).exits(0));
    let commits = list(&first);
    assert_eq!(commits, sandbox.git(["rev-list", "--reverse", "HEAD~2.."]).lines().collect::<Vec<_>>());
    for later in [false, true] {
        if later {
            sandbox.git(["commit", "-q", "--allow-empty", "-m", "mine"]);
        }
        let again = json(&sandbox.apply(["--json"], &two()).exits(0));
        assert_eq!(again["status"].as_str(), Some("nothing"));
        assert_eq!((&again["landing"], list(&again)), (&first["landing"], commits.clone()));
    }
    let undone = json(&sandbox.run(["undo", "--json"]).exits(0));
    assert_eq!(list(&undone).len(), 2);
    let refused = json(&sandbox.apply(["--json"], &half()).exits(1));
    assert_eq!(list(&refused), [""; 0]);
}

#[test]
fn diffs_are_left_out_where_nobody_wants_them() {
    let diffs =
        |told: &Value| told["edits"].as_array().unwrap().iter().filter(|one| one["diff"].is_string()).count();
    let sandbox = Sandbox::new();
    assert_eq!(diffs(&json(&sandbox.apply(["check", "--json"], &two()).exits(0))), 2);
    assert_eq!(diffs(&json(&sandbox.apply(["check", "--json", "--no-diff"], &two()).exits(0))), 0);
    assert_eq!(diffs(&json(&sandbox.apply(["--json", "--no-diff", "--no-keep"], &half()).exits(1))), 0);
    sandbox.git(["config", "llmapply.diff", "false"]);
    assert_eq!(diffs(&json(&sandbox.apply(["check", "--json"], &two()).exits(0))), 0);
    assert_eq!(diffs(&json(&sandbox.apply(["--json"], &two()).exits(0))), 0);
}

#[test]
fn errors_have_codes() {
    let code = |run: Run| {
        let told = json(&run);
        let error = &told["error"];
        (error["code"].as_str().unwrap().to_owned(), error["retryable"].as_bool().unwrap())
    };
    let sandbox = Sandbox::new();
    sandbox.file("src/a.rs", "mine\n");
    assert_eq!(code(sandbox.apply(["--json"], &two()).exits(4)), ("dirty".into(), false));
    sandbox.git(["checkout", "-q", "--", "."]);
    std::fs::write(sandbox.repo.join(".git/index.lock"), "").unwrap();
    assert_eq!(code(sandbox.apply(["--json", "--wait=0"], &two()).exits(4)), ("locked".into(), true));
    std::fs::remove_file(sandbox.repo.join(".git/index.lock")).unwrap();
    let run = sandbox.run(["ask", "--json", "--with=exit 1", "-r", "Do it"]).exits(1);
    assert_eq!(code(run), ("model-command".into(), false));
    sandbox.git(["init", "-q", "--bare", "../server"]);
    sandbox.script(&sandbox.root().join("server/hooks/pre-receive"), "#!/bin/sh\nexit 1\n");
    let run = sandbox.apply(["--json", "--push=../server"], &two()).exits(3);
    assert_eq!(code(run), ("push-rejected".into(), false));
    assert_eq!(code(sandbox.apply(["--json"], "No edits.\n").exits(5)), ("no-edits".into(), false));
    assert_eq!(code(sandbox.run(["--json", "--nonsense"]).exits(129)), ("usage".into(), false));
}

#[test]
fn of_several_responses_those_without_edits_are_named() {
    let sandbox = Sandbox::new();
    let file = |name: &str, text: &str| {
        let file = sandbox.root().join(name);
        std::fs::write(&file, text).unwrap();
        file
    };
    let all = [
        file("1.md", &create("one.txt", "One", "one\n")),
        file("2.md", ""),
        file("3.md", "Please send me the file.\n"),
    ];
    let run = sandbox.run(&all).exits(0).says("2.md, line 1").says("the response is empty");
    let _ = run.says("3.md, line 1").says("no edits: only prose");
    // A response with a block that is not read has a note about it.
    let other =
        [file("4.md", &create("two.txt", "Two", "two\n")), file("5.md", "Run it:\n```sh\nmake\n```\n")];
    let run = sandbox.run(&other).exits(0).says("not read: 1 other code block");
    assert!(!run.stderr.contains("no edits"), "{}", run.stderr);
    sandbox
        .run(["--strict", "--again", "--no-keep"].map(PathBuf::from).iter().chain(&all))
        .exits(1)
        .says("2.md, line 1");
}
