//! `--feedback`: nothing else is on standard output, its size is bounded, and it is enough to correct the answer.
use crate::sandbox;

use sandbox::{Run, Sandbox, create, five, patch, remove, rename, replace};

/// Runs it on the response with `--feedback -q`, and returns the text.
#[track_caller]
fn feedback(sandbox: &Sandbox, options: &[&str], response: &str, code: i32) -> String {
    let run = sandbox.apply(["--feedback", "-q"].iter().chain(options), response).exits(code);
    assert_eq!(run.stderr, "");
    run.stdout
}

/// Returns the lines that the first fence after a text shows, with their line numbers.
fn shown<'a>(feedback: &'a str, after: &str) -> Vec<(usize, &'a str)> {
    let from = feedback.find(after).unwrap_or_else(|| panic!("no {after:?} in\n{feedback}"));
    let mut lines = feedback[from..].lines().skip_while(|line| !line.starts_with("```"));
    let fence = lines.next().unwrap();
    let row = |line: &'a str| {
        let (number, text) = line.split_once(" |")?;
        Some((number.trim().parse().ok()?, text.strip_prefix(' ').unwrap_or(text)))
    };
    lines.take_while(|line| *line != fence).filter_map(row).collect()
}

fn joined(lines: &[(usize, &str)]) -> String {
    lines.iter().map(|(_, text)| format!("{text}\n")).collect()
}

const FILE: &str = "fn one() {\n\tlet a = 1;\n\tcall(a);\n}\n\nfn two() {\n    let a = 1;\n    call(a);\n}\n\nfn three() {\n    let b = 1;\n    call(b);\n}\n";

#[test]
fn what_it_shows_is_enough_to_land_the_corrected_edits() {
    let sandbox = Sandbox::new();
    sandbox.file("lib.rs", FILE);
    sandbox.commit("lib");
    let good = patch("README", "Greet.", "hello\n", "hello world\n");
    // One edit has a typo in a removed line, one matches twice except for indentation, and one is cut off.
    let typo =
        patch("lib.rs", "w", "fn three() {\n    let c = 1;\n    call(b);\n", "fn three() {\n    call(2);\n");
    let twice = patch("lib.rs", "w", "a = 1;\n", "a = 7;\n");
    let text = feedback(&sandbox, &[], &format!("{good}{typo}{twice}"), 1);
    assert!(text.contains("2 of its 3 edits were refused. Nothing was changed."), "{text}");
    assert!(text.contains("Edit 1 is fine as it is: do not send it again."), "{text}");

    // Correct it like a model: copy the shown lines and make the change.
    let near = shown(&text, "## Edit 2");
    let find = joined(&near);
    let corrected =
        patch("lib.rs", "w", &find, &find.replace("    let b = 1;\n    call(b);", "    call(2);"));
    let places = shown(&text, "## Edit 3");
    let second = places.iter().position(|(number, _)| *number == 7).expect("the second place is shown");
    let find = joined(&places[second - 1..=second + 1]);
    let chosen = patch("lib.rs", "w", &find, &find.replace("a = 1;", "a = 7;"));
    sandbox.apply(["-q"], &format!("{good}{corrected}{chosen}")).exits(0);
    assert_eq!(
        sandbox.text("lib.rs"),
        FILE.replace("fn two() {\n    let a = 1;", "fn two() {\n    let a = 7;")
            .replace("    let b = 1;\n    call(b);", "    call(2);")
    );
    sandbox.is_sound();
}

#[test]
fn what_differs_in_blanks_alone_lands_when_copied() {
    let sandbox = Sandbox::new();
    let file = "all:\n\tone\n        two\n\tthree\u{a0}four \nend\n";
    sandbox.file("Makefile", file);
    sandbox.commit("make");
    let answer =
        patch("Makefile", "w", "all:\n    one\n\ttwo\n    three four\n", "all:\n    one\n\ttwo\n    5\n");
    let text = feedback(&sandbox, &["--max-fuzz=exact"], &answer, 1);
    assert!(text.contains("the same but for blanks and look-alikes"), "{text}");
    assert!(text.contains("your answer is indented by 4 spaces, the file by 1 tab"), "{text}");
    let find = joined(&shown(&text, "The closest match"));
    assert_eq!(find, "all:\n\tone\n        two\n\tthree\u{a0}four \n", "not a byte is lost");
    let corrected = patch("Makefile", "w", &find, "all:\n\tone\n        two\n\tfive\n");
    sandbox.apply(["-q", "--max-fuzz=exact"], &corrected).exits(0);
    assert_eq!(sandbox.text("Makefile"), "all:\n\tone\n        two\n\tfive\nend\n");
}

#[test]
fn the_corrections_alone_go_on_from_the_refused_answer() {
    let sandbox = Sandbox::new();
    let good = create("fine.txt", "Good.", "fine\n");
    let bad = patch("README", "w", "helo\n", "hello world\n");
    let run = sandbox.apply(["--feedback"], &format!("{good}{bad}")).exits(1);
    let find = joined(&shown(&run.stdout, "The closest match"));
    sandbox.apply(["-q", "--continue"], &patch("README", "w", &find, "hello world\n")).exits(0);
    assert_eq!((sandbox.text("fine.txt"), sandbox.text("README")), ("fine\n".into(), "hello world\n".into()));
}

#[test]
fn corrections_that_do_not_fit_are_answered_too() {
    let sandbox = Sandbox::new();
    let bad = |find: &str| patch("README", "w", find, "x\n");
    sandbox.apply(["-q"], &format!("{}{}", bad("one\n"), bad("two\n"))).exits(1);
    let run = sandbox.apply(["-q", "--feedback", "--continue"], &bad("three\n")).exits(1);
    assert_eq!(run.stderr, "");
    assert!(run.stdout.starts_with("Your corrections could not be put in the place"), "{}", run.stdout);
    assert!(run.stdout.contains("one corrected edit for each edit that was refused"), "{}", run.stdout);
    sandbox.git(["config", "llmapply.feedback", "true"]);
    assert_eq!(sandbox.apply(["-q", "--continue"], &bad("three\n")), run, "configured as well as typed");
}

#[test]
fn every_kind_of_refusal_has_a_section_and_something_to_do() {
    let sandbox = Sandbox::new();
    sandbox.file("twice", "x\ny\nx\n");
    sandbox.file("bin", b"a\0b\n");
    std::os::unix::fs::symlink("src", sandbox.repo.join("link")).unwrap();
    sandbox.commit("more");
    let occurrence = patch("twice", "w", "x\n", "z\n").replace("<find>", "<find occurrence=\"5\">");
    let placeholder =
        patch("src/a.rs", "w", "fn a() {}\nfn b() {}\n", "// ... rest of the code unchanged ...\n");
    let markers =
        patch("src/a.rs", "w", "fn c() {}\n", "<<<<<<< a\nfn c() {}\n=======\nfn d() {}\n>>>>>>> b\n");
    let all = [
        ("search-not-found", patch("README", "w", "nowhere\n", "x\n")),
        ("search-ambiguous", patch("twice", "w", "x\n", "z\n")),
        ("occurrence-range", occurrence),
        ("not-found", patch("nope", "w", "x\n", "z\n")),
        ("already-exists", create("README", "w", "x\n")),
        ("path-invalid", create("../x", "w", "x\n")),
        ("path-case", create("readme", "w", "x\n")),
        ("path-blocked", create("link/x", "w", "x\n")),
        ("path-sensitive", create(".gitmodules", "w", "x\n")),
        ("not-editable", patch("bin", "w", "b\n", "c\n")),
        ("placeholder", placeholder),
        ("markers", markers),
        ("malformed", "<edit file=\"x\" op=\"explode\" />\n".to_owned()),
        ("missing", "<edit file=\"README\" op=\"patch\">\n<why>w</why>\n</edit>\n".to_owned()),
        ("truncated", "<edit file=\"x\" op=\"new\">\n<put>\n<<<\nx\n".to_owned()),
    ];
    for (code, response) in &all {
        let text = feedback(&sandbox, &[], &format!("{}{response}", create("fine", "w", "fine\n")), 1);
        assert!(text.contains(&format!("\nRefused as {code}: ")), "{code}\n{text}");
        let advice = text.split("\nTo do: ").nth(1).and_then(|rest| rest.lines().next()).unwrap_or_default();
        assert!(advice.len() > 20 && advice.ends_with(['.', '`']), "{code}: {advice:?}\n{text}");
        assert!(text.contains("Edit 1 is fine as it is"), "{code}\n{text}");
        assert!(!advice.contains("--"), "options are not for the model: {advice}");
    }
    for (options, code, response) in [
        (["--exclude", "README"], "policy", replace("README", "w", "x\n")),
        (["--no-allow-delete", "-n"], "policy", remove("gone.txt", "w")),
        (["--format", "opx"], "already-exists", rename("old.txt", "README", "w")),
    ] {
        let text = feedback(&sandbox, &options, &response, 1);
        assert!(text.contains(&format!("\nRefused as {code}: ")), "{code}\n{text}");
    }
}

#[test]
fn a_thousand_edits_that_fail_fit() {
    let sandbox = Sandbox::new();
    let lines: String =
        (0..3000).map(|n| format!("    let value_{n} = compute({n}, {});\n", n * 7)).collect();
    sandbox.file("long.rs", lines);
    sandbox.commit("long");
    let edit = |n: usize| {
        let find =
            format!("    let value_{n} = compute({n}, {});\n    let valve_{} = compute(0);\n", n * 7, n + 1);
        patch("long.rs", "w", &find, "x\n")
    };
    let answer: String = (0..1000).map(|n| edit(n * 2)).collect();
    let text = feedback(&sandbox, &[], &answer, 1);
    assert!(text.len() <= 16 * 1024, "{} bytes", text.len());
    assert!(text.len() > 8 * 1024, "the room is used: {} bytes", text.len());
    assert!(text.contains("1000 of its 1000 edits were refused"), "{text}");
    let said = text.matches("\n## Edit ").count();
    assert!(said >= 5, "{said} are shown");
    let rest = format!(
        "Also refused, but not shown here because this text would be too long: edits {}-1000.",
        said + 1
    );
    assert!(text.contains(&rest), "{rest}\n{text}");
    // One edit with many hunks, which all fail.
    let parts: String = (0..300)
        .map(|n| format!("@@\n-    let valve_{n} = compute({n}, 0, 0);\n+    let x = 1;\n"))
        .collect();
    let diff = format!(
        "<FILE_CHANGES>\n<FILE_PATCH file_path=\"long.rs\">\n{parts}</FILE_PATCH>\n</FILE_CHANGES>\n"
    );
    let text = feedback(&sandbox, &[], &diff, 1);
    assert!(text.len() <= 16 * 1024, "{} bytes", text.len());
    assert!(text.contains("## Edit 1") && text.contains("more places of this edit failed"), "{text}");
}

#[test]
fn what_is_long_is_cut() {
    let sandbox = Sandbox::new();
    let long = "x".repeat(200_000);
    sandbox.file("long", format!("first\n{long}\nlast\n"));
    sandbox.commit("long");
    let answer = patch("long", "w", &format!("first\n{long}y\nlast\n"), "z\n");
    let run = sandbox.apply(["--feedback", "--no-keep"], &answer).exits(1);
    assert!(run.stdout.len() <= 16 * 1024 && run.stdout.contains("more characters]"), "{}", run.stdout.len());
    assert!(run.stderr.len() < 4096, "{}", run.stderr);
}

#[test]
fn without_edits_it_says_how_to_write_them() {
    let sandbox = Sandbox::new();
    let text = feedback(&sandbox, &[], "Just prose, sorry.\n", 5);
    for wanted in
        ["No edits were found", "OPX", "*** Begin Patch", "SEARCH/REPLACE", "<FILE_CHANGES>", "file_entries"]
    {
        assert!(text.contains(wanted), "{wanted}\n{text}");
    }
    let text = feedback(&sandbox, &["--format=applydir"], "Just prose, sorry.\n", 5);
    assert!(text.contains("original_lines") && !text.contains("<edit file"), "{text}");
}

#[test]
fn a_line_beyond_the_end_and_a_file_that_shrinks_are_told_in_the_models_terms() {
    let sandbox = Sandbox::new();
    let insert =
        "{\"command\": \"insert\", \"path\": \"README\", \"insert_line\": 99, \"insert_text\": \"x\"}\n";
    let text = feedback(&sandbox, &[], insert, 1);
    assert!(text.contains("give a line from 0 to 1") && !text.contains("occurrence from"), "{text}");
    sandbox.file("long", "1\n2\n3\n4\n5\n");
    sandbox.commit("long");
    let text = feedback(&sandbox, &["--format=whole-file"], "./long\n```\n1\n```\n", 1);
    assert!(
        text.contains("including the lines that do not change") && !text.contains("--allow-shrink lets"),
        "{text}"
    );
}

#[test]
fn nothing_else_changes() {
    let sandbox = Sandbox::new();
    let plain = sandbox.apply(["-n"], &five()).exits(0);
    let with = sandbox.apply(["-n", "--feedback"], &five()).exits(0);
    assert_eq!((with.stdout.as_str(), &with.stderr), ("", &plain.stdout));
    sandbox.file("README", "my own\n");
    let in_the_way = sandbox.apply([""; 0], &five()).exits(4);
    assert_eq!(sandbox.apply(["--feedback"], &five()), in_the_way, "the model cannot help with that");
    // People are told the same, on standard error.
    let bad = patch("src/a.rs", "w", "fn q() {}\n", "fn z() {}\n");
    let plain = sandbox.apply(["--no-keep"], &bad).exits(1);
    let with = sandbox.apply(["--no-keep", "--feedback"], &bad).exits(1);
    assert_eq!((&plain.stderr, plain.stdout.as_str()), (&with.stderr, ""));
    assert!(with.stdout.starts_with("Your answer was not applied"));
    let check = sandbox.apply(["check", "--feedback", "-q"], &bad).exits(1);
    assert_eq!(check.stdout, with.stdout);
}

#[test]
fn what_an_earlier_run_has_landed_is_not_forgotten() {
    let sandbox = Sandbox::new();
    let answer = create("fine.txt", "Good", "fine\n")
        + &patch("README", "w", "nowhere\n", "x\n")
        + &create("more.txt", "Good", "more\n");
    sandbox.apply(["-q", "--keep-going"], &answer).exits(1);
    let run = sandbox.run(["--continue", "--feedback"]).exits(1);
    assert!(
        run.stdout.starts_with("Not all of your answer was applied: 1 of its 3 edits was refused.\n"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("2 other edits of your answer are already settled and must not be sent again."),
        "{run:?}"
    );
    let run = sandbox.apply(["--feedback", "--only=3"], &answer).exits(0);
    assert!(run.stdout.starts_with("Not all of your answer was applied.\n"), "{}", run.stdout);
    assert!(run.stdout.contains("Edits 1, 2 were not wanted"), "{}", run.stdout);
}

#[test]
fn what_prints_nothing_has_no_empty_fence() {
    let sandbox = Sandbox::new();
    let good = patch("README", "w", "hello\n", "hello world\n");
    let text = feedback(&sandbox, &["-x", "exit 3"], &good, 2);
    assert!(text.contains("It printed nothing.") && !text.contains("```"), "{text}");
    let text = feedback(&sandbox, &["-x", "echo why; exit 3"], &good, 2);
    assert!(text.contains("This is what was printed:\n\n```\nwhy\n```\n"), "{text}");
}

#[test]
fn where_nothing_is_refused_nothing_is_on_standard_output() {
    let sandbox = Sandbox::new();
    let good = patch("README", "w", "hello\n", "hello world\n");
    let bad = patch("README", "w", "goodbye\n", "hello world\n");
    let says = |options: &[&str], response: &str, said: &str| {
        let run = sandbox.apply(options, response).exits(0).says(said);
        assert_eq!(run.stdout, "", "{options:?}");
    };
    says(&["check", "--feedback"], &good, "would land 1 edit");
    says(&["-n", "--feedback", "-b", "try/{n}"], &good, "try/1");
    sandbox.apply(["-q"], &(create("fine", "w", "x\n") + &bad)).exits(1);
    says(&["--continue", "--feedback"], &good, "would land 2 edits");
    sandbox.run(["--abort"]).exits(0);
    says(&["--feedback"], &good, "");
    says(&["--feedback"], &good, "already landed as ");
    sandbox.apply(["--feedback", "--diff"], &good).exits(129).says("--feedback cannot be used with --diff");
    // A typed option wins over a configured one.
    sandbox.git(["config", "llmapply.stat", "true"]);
    says(&["--feedback"], &good, "already landed as ");
    let run = sandbox.apply(["--json"], &good).exits(0);
    assert!(run.stdout.starts_with("{\"schema_version\":"), "{run:?}");
    sandbox.git(["config", "llmapply.stat", "false"]);
    sandbox.git(["config", "llmapply.json", "true"]);
    let run = sandbox.apply(["--stat", "--again"], &create("other", "w", "x\n")).exits(0);
    assert!(run.stdout.contains("1 file changed") && !run.stdout.contains("schema_version"), "{run:?}");
    sandbox.git(["config", "llmapply.json", "false"]);
    // In a refusal the table goes to standard error too.
    let run = sandbox.apply(["--feedback", "-b", "try/{n}", "--no-keep"], &bad).exits(1).says("try/1");
    assert!(
        run.stdout.starts_with("Your answer was not applied") && !run.stdout.contains("try/1"),
        "{run:?}"
    );
    // A verb that reads no response has no feedback.
    sandbox.git(["config", "llmapply.feedback", "true"]);
    assert_ne!(sandbox.run(["list"]).exits(0).stdout, "");
}

#[test]
fn what_lands_with_keep_going_is_named_as_applied() {
    let sandbox = Sandbox::new();
    let answer = [create("fine.txt", "Good", "fine\n"), patch("README", "w", "nowhere\n", "x\n")].concat();
    let run = sandbox.apply(["--feedback", "--keep-going"], &answer).exits(1);
    assert!(
        run.stdout.starts_with("Not all of your answer was applied: 1 of its 2 edits was refused."),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("Edit 1 is applied: do not send it again."), "{}", run.stdout);
    assert!(run.stderr.contains("create   fine.txt"), "results are for people here: {}", run.stderr);
}

#[test]
fn where_no_attempt_is_kept_the_whole_answer_is_asked_for() {
    let sandbox = Sandbox::new();
    let bad = patch("README", "w", "nowhere\n", "x\n");
    let answer = create("fine.txt", "Good", "fine\n") + &bad;
    let whole = "Send the whole answer again, in the same format as before";
    for options in [&["--no-keep"][..], &["-n"], &["check"], &["-n", "--keep-going"]] {
        let run = sandbox.apply(options.iter().chain(&["--feedback", "-q"]), &answer).exits(1);
        assert!(run.stdout.contains(whole) && run.stdout.contains("Edit 1 is fine as it is."), "{run:?}");
        assert!(!run.stdout.contains("do not send") && !run.stdout.contains("Send only"), "{run:?}");
    }
    let report = sandbox.apply(["-n", "--json"], &answer).exits(1);
    assert!(report.stdout.contains(whole), "{}", report.stdout);
    // Landed edits are not sent again, and a single edit is the whole answer.
    let landed = feedback(&sandbox, &["--keep-going", "--no-keep"], &answer, 1);
    assert!(landed.contains("Edit 1 is applied: do not send it again."), "{landed}");
    assert!(feedback(&sandbox, &["--no-keep"], &bad, 1).contains("Send only that edit again, corrected"));
    // It leaves out the edit that is not allowed. If an attempt is kept, the command line has --skip for that.
    let answer = create("more.txt", "Good", "fine\n") + &bad;
    let text = feedback(&sandbox, &["--no-keep", "--exclude=README"], &answer, 1);
    assert!(text.contains("Send the whole answer again without that edit, in the same format"), "{text}");
    let text = feedback(&sandbox, &["--exclude=README"], &answer, 1);
    assert!(text.contains("Send only what should replace that edit"), "{text}");
    assert!(text.contains("Edit 1 is fine as it is: do not send it again."), "{text}");
}

#[test]
fn it_is_typed_or_configured_but_not_with_json() {
    let sandbox = Sandbox::new();
    let bad = patch("README", "w", "nowhere\n", "x\n");
    let run = |options: &[&str]| -> Run { sandbox.apply(["--no-keep", "-q"].iter().chain(options), &bad) };
    run(&["--json", "--feedback"]).exits(129).says("--json cannot be used with --feedback");
    sandbox.git(["config", "llmapply.feedback", "true"]);
    assert!(run(&[]).exits(1).stdout.starts_with("Your answer"));
    assert_eq!(run(&["--no-feedback"]).exits(1).stdout, "");
    assert!(run(&["--json"]).exits(1).stdout.starts_with('{'), "what is typed counts");
    sandbox.git(["config", "llmapply.json", "true"]);
    assert!(run(&["--feedback"]).exits(1).stdout.starts_with("Your answer"), "what is typed counts");
}
