//! A refused attempt is continued with the options that it was judged by.
use crate::sandbox;

use sandbox::{Sandbox, create, patch, remove, rename};

/// Two edits. The second one fails.
fn two() -> String {
    create("infra/one.txt", "One", "one\n")
        + &patch("README", "Two", "nowhere to be found\n", "hello world\n")
}

fn correction() -> String {
    patch("README", "Two", "hello\n", "hello world\n")
}

/// Checks that nothing has landed on the branch.
#[track_caller]
fn nothing_landed(sandbox: &Sandbox, base: &str) {
    assert_eq!(sandbox.head(), base);
    assert_eq!(sandbox.text("README"), "hello\n");
}

#[test]
fn what_an_option_forbade_does_not_land_by_going_on() {
    for (forbids, says, allows) in [
        (&["--exclude=infra"][..], "--exclude=infra", "--no-exclude"),
        (&["--include=README", "--include=src"], "--include=README --include=src", "--include=*"),
        (&["-x", "test ! -e infra/one.txt"], "--exec='test ! -e infra/one.txt'", "--no-exec"),
        (&["-x", "false"], "--exec=false", "--no-exec"),
        (&["--max-fuzz=exact"], "--max-fuzz=exact", "--max-fuzz=indent"),
    ] {
        let sandbox = Sandbox::new();
        let base = sandbox.head();
        sandbox.apply(forbids, &two()).exits(1);
        let fuzzy = patch("README", "Two", "  hello\n", "  hello world\n");
        let run = sandbox.apply(["--continue"], &fuzzy);
        let run = run.says(&format!("continuing with the options of the attempt: {says}\n"));
        assert!([Some(1), Some(2)].contains(&run.code), "{}", run.stderr);
        nothing_landed(&sandbox, &base);
        let json = sandbox.apply(["--continue", "--json"], &fuzzy);
        assert!(json.stdout.contains("continuing with the options of the attempt: --"), "{}", json.stdout);
        nothing_landed(&sandbox, &base);
        // What was refused is kept together with its corrections. If a command failed, the file is given again.
        match forbids[0] {
            "-x" => sandbox.apply(["--continue", allows], &fuzzy).exits(0),
            _ => sandbox.run(["--continue", allows]).exits(0),
        };
        assert_eq!(sandbox.text("README"), "hello world\n");
        sandbox.is_sound();
    }
}

#[test]
fn what_a_key_forbade_does_not_land_by_going_on() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let answer = sandbox.response(&(remove("gone.txt", "Gone") + &two()));
    let run = |keys: &[&str], options: &[&str]| {
        let mut command = sandbox.git_command(keys.iter().flat_map(|key| ["-c", key]));
        let path = std::path::Path::new(env!("CARGO_BIN_EXE_git-llm-apply")).parent().unwrap();
        let path = std::env::join_paths(
            std::iter::once(path.to_owned())
                .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
        );
        command.env("PATH", path.unwrap()).arg("llm-apply").args(options);
        sandbox::Run::of(command.output().unwrap())
    };
    let answer = answer.to_str().unwrap();
    run(&["llmapply.allowDelete=false", "llmapply.sensitive=infra"], &[answer]).exits(1);
    std::fs::write(answer, correction()).unwrap();
    run(&[], &["--continue", answer]).exits(1).says("is not allowed").says("[path-sensitive]");
    run(&[], &["--continue", "--allow-delete"]).exits(1).says("[path-sensitive]");
    run(&[], &["--continue", "--allow-sensitive", "--no-allow-delete"]).exits(1).says("is not allowed");
    nothing_landed(&sandbox, &base);
    run(&[], &["--continue", "--allow-delete"]).exits(0).says("--allow-sensitive");
    assert!(!sandbox.exists("gone.txt"));
    sandbox.is_sound();
}

#[test]
fn what_was_excluded_stays_so_where_more_is_excluded() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    sandbox.git(["config", "llmapply.exclude", "infra"]);
    sandbox.apply([""; 0], &two()).exits(1);
    sandbox.git(["config", "--unset", "llmapply.exclude"]);
    let run = sandbox.apply(["--continue", "--exclude=zzz"], &correction()).exits(1);
    let _ = run.says("continuing with the options of the attempt: --exclude=infra\n").says("[policy]");
    nothing_landed(&sandbox, &base);
    // Both excludes are kept.
    sandbox.run(["--continue"]).exits(1).says("--exclude=infra --exclude=zzz\n");
    sandbox.run(["--continue", "--no-exclude"]).exits(0);
    assert!(sandbox.exists("infra/one.txt"));
    sandbox.is_sound();
}

#[test]
fn it_lands_as_it_was_to_land() {
    let sandbox = Sandbox::new();
    let remote = sandbox.root().join("remote.git");
    sandbox.git(["init", "-q", "--bare", remote.to_str().unwrap()]);
    sandbox.git(["remote", "add", "origin", remote.to_str().unwrap()]);
    let message = sandbox.root().join("message");
    std::fs::write(&message, "As one\n\nSaid in a file.\n").unwrap();
    let options = [
        "--push=origin",
        "-s",
        "--trailer=Ticket: 12",
        "--assisted-by=some model",
        "--trailers",
        "--commit=response",
        "--author=Some One <one@example.com>",
        "--date=2001-02-03T04:05:06Z",
        "-F",
        message.to_str().unwrap(),
    ];
    sandbox.apply(options, &two()).exits(1);
    std::fs::remove_file(&message).unwrap();
    sandbox.apply(["--continue", "--trailer=Ticket: 13"], &correction()).exits(0).says("--signoff");
    let log = sandbox.git(["log", "-1", "--format=%an %ad%n%B", "--date=short"]);
    for wanted in [
        "Some One 2001-02-03\nAs one\n\nSaid in a file.\n",
        "\nAssisted-by: some model\n",
        "\nTicket: 13\n",
        "\nSigned-off-by: C O Mitter <committer@example.com>",
        "\nLLM-Apply-Edit: 2 of 2",
    ] {
        assert!(log.contains(wanted), "{wanted}\n{log}");
    }
    assert!(!log.contains("Ticket: 12"), "an option that is given again wins: {log}");
    assert_eq!(
        sandbox.git(["ls-remote", "origin", "refs/heads/main"]).split('\t').next(),
        Some(&*sandbox.head())
    );
}

#[test]
fn a_failed_command_has_to_pass_all_the_same() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let good = create("infra/one.txt", "One", "one\n") + &correction();
    // The response comes from standard input, so it is kept.
    let answer = sandbox.response(&good);
    let mut command = sandbox.command(["-x", "test -e passed"]);
    let run = sandbox::Run::of(command.stdin(std::fs::File::open(&answer).unwrap()).output().unwrap());
    assert!(run.exits(2).stderr.contains("git llm-apply --continue"));
    sandbox.run(["--continue"]).exits(2).says("test -e passed");
    nothing_landed(&sandbox, &base);
    sandbox.run(["--continue", "--no-exec"]).exits(0);
    assert_ne!(sandbox.head(), base);
    sandbox.is_sound();
}

#[test]
fn corrections_that_are_given_twice_are_as_good_as_once() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    sandbox.apply(["-x", "test -e ../passed"], &two()).exits(1);
    for _ in 0..2 {
        sandbox.apply(["--continue"], &correction()).exits(2);
        nothing_landed(&sandbox, &base);
    }
    sandbox.apply(["--continue", "-x", "true"], &correction()).exits(0);
    assert_eq!(sandbox.text("README"), "hello world\n");
    sandbox.is_sound();
}

#[test]
fn feedback_prints_nothing_where_all_landed() {
    let sandbox = Sandbox::new();
    let run = sandbox.apply(["--feedback"], &correction()).exits(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    assert_eq!(sandbox.text("README"), "hello world\n");
}

#[test]
fn whoever_asks_for_feedback_lands_nothing_by_going_on() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    sandbox.apply(["--feedback", "-q"], &two()).exits(1);
    // Corrections that are refused again are kept as usual.
    let other = patch("README", "Two", "still wrong\n", "x\n");
    let run = sandbox.apply(["--continue", "--feedback", "-q"], &other).exits(1);
    assert!(run.stdout.contains("Refused as search-not-found"), "{}", run.stdout);
    nothing_landed(&sandbox, &base);
    // Good corrections are kept too, because a pipe cannot be read again.
    let run = sandbox.apply(["--continue", "--feedback"], &correction()).exits(0);
    let _ = run.says("would land 2 edits").says("'git llm-apply --continue=").says("' lands it");
    nothing_landed(&sandbox, &base);
    // If `--feedback` is configured, a run that does not type it lands.
    sandbox.git(["config", "llmapply.feedback", "true"]);
    sandbox.run(["--continue"]).exits(0);
    assert_eq!(sandbox.text("README"), "hello world\n");
    sandbox.is_sound();
}

#[test]
fn no_hint_names_a_switch_that_turns_a_hook_or_a_policy_off() {
    let sandbox = Sandbox::new();
    sandbox.file("web.c", "int a;\n");
    sandbox.file("long.txt", "1\n2\n3\n4\n5\n6\n7\n8\n");
    sandbox.commit("more");
    sandbox.script(&sandbox.repo.join(".git/hooks/pre-commit"), "#!/bin/sh\ntest ! -e hooked\n");
    let placeholder =
        patch("src/a.rs", "w", "fn a() {}\nfn b() {}\n", "// ... rest of the code unchanged ...\n");
    let markers =
        patch("src/a.rs", "w", "fn c() {}\n", "<<<<<<< a\nfn c() {}\n=======\nfn d() {}\n>>>>>>> b\n");
    let all = [
        (&[][..], create("hooked", "w", "x\n")),
        (&["-S"], create("signed", "w", "x\n")),
        (&["-x", "false"], create("tested", "w", "x\n")),
        (&["--no-allow-delete"], remove("gone.txt", "w")),
        (&["--exclude=src"], create("src/x", "w", "x\n")),
        (&[], create("README", "w", "x\n")),
        (&[], create(".gitmodules", "w", "x\n")),
        (&[], placeholder),
        (&[], markers),
        (&[], patch("web.c", "w", "int a;\n", "if (a &lt; b &amp;&amp; b &gt; c) {}\n")),
        (&["--format=whole-file"], "long.txt\n```\n1\n```\n".to_owned()),
        (&[], create("skip", "Quietly [skip ci]", "x\n")),
    ];
    sandbox.git(["config", "gpg.program", "false"]);
    for (options, response) in &all {
        for output in ["--verbose", "--json", "--feedback"] {
            let run = sandbox.apply(options.iter().copied().chain([output, "--no-keep"]), response);
            let all = run.stdout + &run.stderr;
            for switch in ["--no-verify", "--allow-", "--no-gpg-sign", "--no-exec", "--no-exclude"] {
                assert!(!all.contains(switch), "{options:?} {output}: {all}");
            }
        }
    }
}

/// Refuses an edit of a file next to a good one, and returns the attempt's id.
fn refused(sandbox: &Sandbox, good: &str, path: &str) -> String {
    let response = create(good, "Add it", "x\n") + &patch(path, "Change it", "no such line\n", "new\n");
    let run = sandbox.apply(["--json"], &response).exits(1);
    let told: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    told["attempt"].as_str().unwrap().to_owned()
}

#[test]
fn without_an_id_only_an_attempt_is_meant_that_the_corrections_can_be_for() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let older = refused(&sandbox, "one.txt", "README");
    let newer = refused(&sandbox, "two.txt", "old.txt");
    let fix = |path: &str, find: &str| patch(path, "Change it", find, "new\n");
    // No attempt has a failed edit of that file, so nothing lands.
    let run = sandbox.apply(["--continue"], &fix("run.sh", "echo 1\n")).exits(128).says("run.sh");
    assert!(run.stderr.contains(&older) && run.stderr.contains(&newer), "{run:?}");
    let run = sandbox.apply(["--continue", "--json"], &fix("run.sh", "echo 1\n")).exits(128);
    assert!(run.stdout.contains("\"code\":\"no-attempt\""), "{run:?}");
    nothing_landed(&sandbox, &base);
    // The corrections are for the older attempt, because of their file.
    sandbox.apply(["--continue"], &fix("README", "hello\n")).exits(0);
    assert!(sandbox.exists("one.txt") && !sandbox.exists("two.txt"));
    // A good edit may be sent again.
    let again = create("two.txt", "Add it", "x\n") + &fix("old.txt", "one\n");
    sandbox.apply(["--continue"], &again).exits(0);
    assert!(sandbox.exists("two.txt"));
    sandbox.is_sound();
}

#[test]
fn of_several_attempts_that_can_be_meant_none_is() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let ids = [refused(&sandbox, "one.txt", "README"), refused(&sandbox, "two.txt", "README")];
    let fix = patch("README", "Change it", "hello\n", "new\n");
    let run = sandbox.apply(["--continue"], &fix).exits(1).says("name one: --continue=<id>");
    assert!(ids.iter().all(|id| run.stderr.contains(id)), "{run:?}");
    nothing_landed(&sandbox, &base);
    sandbox.apply([&format!("--continue={}", ids[0])], &fix).exits(0);
    assert!(sandbox.exists("one.txt") && !sandbox.exists("two.txt"));
}

#[test]
fn an_edit_whose_path_was_wrong_is_corrected_under_another() {
    let sandbox = Sandbox::new();
    let wrong = create("one.txt", "Add it", "x\n") + &patch("RAEDME", "Change it", "hello\n", "new\n");
    let run = sandbox.apply([""; 0], &wrong).exits(1);
    let id = attempt(&sandbox);
    // The hint has the id, because the corrections have another path.
    let _ = run.says(&format!("--continue={id} <file>"));
    let fix = patch("README", "Change it", "hello\n", "new\n");
    sandbox.apply([&format!("--continue={id}")], &fix).exits(0);
    assert!(sandbox.exists("one.txt") && sandbox.text("README") == "new\n");
}

/// Returns the id of the only attempt.
fn attempt(sandbox: &Sandbox) -> String {
    let listed = sandbox.run(["list", "--json"]).exits(0).stdout;
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed["attempts"].as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(listed["attempts"][0]["failed"].as_array().unwrap().len(), 1, "{listed}");
    listed["attempts"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn an_edit_of_another_file_corrects_no_edit_whatever_it_was_refused_for() {
    let explode = remove("old.txt", "Two").replace("op=\"remove\"", "op=\"explode\"");
    for (options, refused) in [
        (&["--no-allow-delete"][..], remove("old.txt", "Two")),
        (&[], remove("absent.txt", "Two")),
        (&[], create("old.txt", "Two", "two\n")),
        (&[], explode),
        (&["--exclude=old.txt"], patch("old.txt", "Two", "one\n", "1\n")),
        (&[], rename("old.txt", "README", "Two")),
        (&[], create(".husky/pre-commit", "Two", "exit 0\n")),
    ] {
        let sandbox = Sandbox::new();
        let base = sandbox.head();
        sandbox.apply(options, &(create("one.txt", "One", "one\n") + &refused)).exits(1);
        let id = attempt(&sandbox);
        let other = patch("src/a.rs", "Other", "fn a() {}\n", "fn alpha() {}\n");
        sandbox.apply(["--continue"], &other).exits(128).says("no refused attempt").says(&id);
        assert_eq!(sandbox.head(), base, "{refused}");
        // It does not get in the way of another attempt.
        let another = patch("README", "Two", "nowhere\n", "x\n");
        sandbox.apply([""; 0], &(create("two.txt", "One", "two\n") + &another)).exits(1);
        let fix = patch("README", "Two", "hello\n", "x\n");
        sandbox.apply(["--continue"], &fix).exits(0);
        assert!(sandbox.exists("two.txt") && !sandbox.exists("one.txt"), "{refused}");
        sandbox.run([&format!("--abort={id}")]).exits(0);
        sandbox.is_sound();
    }
}

#[test]
fn an_attempt_whose_failed_files_are_not_all_known_is_not_passed_over() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let wrong = |file: &str| patch(file, "Wrong", "nowhere\n", "x\n");
    sandbox.apply([""; 0], &(create("one.txt", "One", "one\n") + &wrong("README"))).exits(1);
    let unnamed = "<<<<<<< SEARCH\nq\n=======\nr\n>>>>>>> REPLACE\n\n";
    sandbox.apply([""; 0], &format!("{unnamed}{}", wrong("README"))).exits(1);
    let fix = patch("README", "Right", "hello\n", "x\n");
    sandbox.apply(["--continue"], &fix).exits(1).says("2 refused attempts");
    assert_eq!(sandbox.head(), base);
}

#[test]
fn list_names_attempts_subjects_and_authors() {
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &create("new.txt", "Add a file. It is needed.", "new\n")).exits(0);
    let id = refused(&sandbox, "one.txt", "README");
    let run = sandbox.run(["list"]).exits(0);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{run:?}");
    assert!(lines[0].contains("A U Thor") && lines[0].contains("Add a file"), "{run:?}");
    assert!(
        lines[1].starts_with(&id) && lines[1].contains("refused") && lines[1].contains("README"),
        "{run:?}"
    );
    let run = sandbox.run(["list", "--json"]).exits(0);
    let told: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let landing = &told["landings"][0];
    assert_eq!(
        (landing["subject"].as_str(), landing["author"].as_str()),
        (Some("Add a file"), Some("A U Thor <author@example.com>"))
    );
    let shown = sandbox.run(["show", "--json"]).exits(0);
    let shown: serde_json::Value = serde_json::from_str(&shown.stdout).unwrap();
    for key in ["subject", "author", "id"] {
        assert_eq!(shown["landings"][0][key], landing[key], "{key}");
    }
    let attempt = &told["attempts"][0];
    assert_eq!((attempt["id"].as_str(), attempt["branch"].as_str()), (Some(&*id), Some("main")));
    assert_eq!(
        (attempt["failed"][0].as_str(), attempt["paths"][0].as_str()),
        (Some("README"), Some("one.txt"))
    );
    // Programs that read the fields see only landings.
    assert_eq!(sandbox.run(["list", "--porcelain"]).exits(0).stdout.lines().count(), 1);
    sandbox.run([&format!("--abort={id}")]).exits(0);
    assert_eq!(sandbox.run(["list"]).exits(0).stdout.lines().count(), 1);
    // Each path is listed once.
    let wrong = |text: &str| patch("README", "Wrong", text, "x\n");
    sandbox.apply([""; 0], &(wrong("nowhere\n") + &wrong("not here\n"))).exits(1);
    assert_eq!(sandbox.run(["list"]).exits(0).stdout.matches("README").count(), 1);
}
