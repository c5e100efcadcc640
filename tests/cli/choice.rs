//! Choosing among the edits of a response: by number, and one by one at a terminal.
use crate::sandbox;

mod at_a_terminal;

use sandbox::{Sandbox, create, five, patch, remove, rename, replace, same};
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Returns the states of the edits in a report.
fn states(report: &Value) -> Vec<&str> {
    report["edits"].as_array().unwrap().iter().map(|edit| edit["state"].as_str().unwrap()).collect()
}

#[test]
fn only_those_named_land() {
    let sandbox = Sandbox::new();
    let run = sandbox.apply(["--only", "2,4"], &five()).exits(0);
    assert_eq!(sandbox.subjects("HEAD~2.."), ["Add a module", "Drop what nobody uses"]);
    assert_eq!(run.stdout.matches("not wanted").count(), 3, "{}", run.stdout);
    assert_eq!(sandbox.text("README"), "hello\n");
    assert!(!sandbox.exists("gone.txt") && sandbox.exists("old.txt"));
    sandbox.is_sound();
    assert_eq!(sandbox.status(), "");
    // A second run changes nothing, and the other edits can still land.
    let _ = sandbox.apply(["--only", "2,4"], &five()).exits(0).says("nothing to do");
    sandbox.apply(["-q", "--only=1", "--only", "3,5"], &five()).exits(0);
    assert_eq!(sandbox.subjects("HEAD~3..").len(), 3);
}

#[test]
fn all_but_those_named_land() {
    let sandbox = Sandbox::new();
    sandbox.apply(["-q", "--except", "2-4"], &five()).exits(0);
    assert_eq!(sandbox.subjects("HEAD~2..").len(), 2);
    assert!(sandbox.exists("gone.txt") && sandbox.exists("docs/new.txt"));
    // With both options: of the named edits, all but these.
    let sandbox = Sandbox::new();
    sandbox.apply(["-q", "--only", "1-4", "--except", "2,3"], &five()).exits(0);
    assert_eq!(sandbox.subjects("HEAD~2..").len(), 2);
    let before = sandbox.state();
    let _ = sandbox.apply(["--except", "1-5"], &five()).exits(0).says("no edit was wanted");
    sandbox.state().is(&before, "none is wanted");
}

#[test]
fn a_dry_run_and_json_say_what_is_not_wanted() {
    let sandbox = Sandbox::new();
    let before = sandbox.state();
    for verb in [&["-n"][..], &["check"]] {
        let options = verb.iter().chain(&["--json", "--only", "1,5"]);
        let report = json(&sandbox.apply(options, &five()).exits(0).stdout);
        assert_eq!(states(&report), ["fine", "not-wanted", "not-wanted", "not-wanted", "fine"]);
        assert_eq!(report["status"], "checked");
    }
    sandbox.state().is(&before, "a dry run");
    let report = json(&sandbox.apply(["--json", "--except", "2-4"], &five()).exits(0).stdout);
    assert_eq!(states(&report), ["landed", "not-wanted", "not-wanted", "not-wanted", "landed"]);
    // The model is told, because otherwise it would think that they landed.
    let feedback = report["feedback"].as_str().unwrap();
    assert!(feedback.contains("Edits 2-4 were not wanted"), "{feedback}");
}

#[test]
fn numbers_that_there_are_not_are_a_mistake() {
    let sandbox = Sandbox::new();
    let before = sandbox.state();
    for options in [["--only", "6"], ["--except", "2-9"], ["--only", "x"], ["--except", "0"]] {
        let _ = sandbox.apply(options, &five()).exits(129);
        sandbox.state().is(&before, options[1]);
    }
    let _ = sandbox.apply(["--only", "6"], &five()).exits(129).says("the response has 5 edits");
    let _ = sandbox.apply(["--only", "1"], "no edits here\n").exits(5);
    let report = json(&sandbox.apply(["--json", "--only", "6"], &five()).exits(129).stdout);
    assert_eq!(report["exit_code"], 129);
}

#[test]
fn what_was_wrong_can_be_left_out() {
    let sandbox = Sandbox::new();
    let answer = five() + &patch("README", "Wrong", "nowhere\n", "x\n");
    let _ = sandbox.apply(["--no-keep"], &answer).exits(1);
    sandbox.apply(["-q", "--except", "6"], &answer).exits(0);
    assert_eq!(sandbox.subjects("HEAD~5..").len(), 5);
    // An edit that could not be read has no number. `--only` leaves it out, `--except` does not.
    let sandbox = Sandbox::new();
    let answer = five() + "<edit file=\"README\" op=\"patch\">\n<find>\n<<<\nhello\n";
    let _ = sandbox.apply(["--no-keep", "--except", "1"], &answer).exits(1).says("truncated");
    let _ = sandbox.apply(["--only", "1"], &answer).exits(0).says("warning");
    assert_eq!(sandbox.subjects("HEAD~.."), ["Rename b to beta"]);
}

#[test]
fn what_builds_on_an_edit_that_is_left_out_is_refused() {
    let lines = "alpha()\nbeta()\ngamma()\n";
    let cases = [
        // It matches lines that the other edit adds.
        ("lines", patch("f", "w", "beta()\n", "delta()\n") + &patch("f", "w", "delta()\n", "last()\n")),
        // It changes a file that the other edit creates or moves.
        ("a file", create("g", "w", "one()\n") + &patch("g", "w", "one()\n", "two()\n")),
        ("a moved file", rename("f", "g", "w") + &patch("g", "w", "beta()\n", "two()\n")),
        // By itself it would create a file.
        (
            "an end of a file",
            create("g", "w", "one()\n")
                + "\n<FILE_CHANGES>\n<FILE_APPEND file_path=\"g\">\ntwo()\n</FILE_APPEND>\n</FILE_CHANGES>\n",
        ),
        // Without the other edit its lines match another place.
        (
            "another place",
            replace("h", "w", "fn other() {\n    stop();\n}\nfn more() {\n    run();\n}\nfn last() {}\n")
                + &patch("h", "w", "    run();\n", "    walk();\n"),
        ),
        ("a copy", patch("f", "w", "beta()\n", "delta()\n") + &copy("f", "g")),
    ];
    for (what, answer) in cases {
        let sandbox = Sandbox::new();
        sandbox.file("f", lines);
        sandbox.file("h", "fn other() {\n    run();\n}\nfn last() {}\n");
        sandbox.commit("more");
        let whole = Sandbox::new();
        whole.file("f", lines);
        whole.file("h", "fn other() {\n    run();\n}\nfn last() {}\n");
        whole.commit("more");
        let before = sandbox.state();
        let run = sandbox.apply(["--no-keep", "--only", "2"], &answer);
        assert_eq!(run.code, Some(1), "{what}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains("edit 1, which was left out"), "{what}: {}", run.stderr);
        sandbox.state().is(&before, what);
        whole.apply(["-q"], &answer).exits(0);
    }
}

/// Returns the diff of a copy.
fn copy(from: &str, to: &str) -> String {
    format!(
        "```diff\ndiff --git a/{from} b/{to}\nsimilarity index 100%\ncopy from {from}\ncopy to {to}\n```\n"
    )
}

#[test]
fn what_stands_beside_an_edit_that_is_left_out_is_not_refused() {
    let sandbox = Sandbox::new();
    let answer = patch("src/a.rs", "One", "fn a() {}\n", "fn one() {}\nfn more() {}\n")
        + &patch("src/a.rs", "Two", "fn b() {}\n", "fn two() {}\n")
        + &patch("src/a.rs", "Three", "fn c() {}\n", "fn three() {}\n")
        + &replace("README", "All of it", "anew\n")
        + &remove("gone.txt", "Away");
    sandbox.apply(["-q", "--only", "2"], &answer).exits(0);
    assert_eq!(sandbox.text("src/a.rs"), "fn a() {}\nfn two() {}\nfn c() {}\n");
    sandbox.apply(["-q", "--except", "2"], &answer).exits(0);
    assert_eq!(sandbox.text("src/a.rs"), "fn one() {}\nfn more() {}\nfn two() {}\nfn three() {}\n");
    // Both add lines between the same two lines.
    let answer = patch("README", "Above", "hello\n", "above\nhello\n")
        + &patch("README", "Below", "title\n", "title\nbelow\n");
    for (options, expected) in [
        (&["-q"][..], "title\nbelow\nabove\nhello\n"),
        (&["-q", "--only", "1"], "title\nabove\nhello\n"),
        (&["-q", "--only", "2"], "title\nbelow\nhello\n"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.file("README", "title\nhello\n");
        sandbox.commit("Title");
        sandbox.apply(options, &answer).exits(0);
        assert_eq!(sandbox.text("README"), expected);
    }
}

#[test]
fn of_edits_that_are_the_same_none_lands_alone() {
    let sandbox = Sandbox::new();
    sandbox.file("f", "x\nrun()\ny\nrun()\nz\n");
    sandbox.commit("more");
    let one = patch("f", "w", "run()\n", "walk()\n");
    let answer = format!("{one}{one}");
    let before = sandbox.state();
    for number in ["1", "2"] {
        let _ = sandbox.apply(["--no-keep", "--only", number], &answer).exits(1).says("search-ambiguous");
        sandbox.state().is(&before, number);
    }
}

#[test]
fn the_choice_goes_with_keep_going_and_continue() {
    let builds = patch("src/a.rs", "One", "fn a() {}\n", "fn one() {}\n")
        + &patch("src/a.rs", "Two", "fn one() {}\n", "fn two() {}\n")
        + &create("new", "Three", "x\n");
    let sandbox = Sandbox::new();
    let report = json(&sandbox.apply(["--json", "--keep-going", "--except", "1"], &builds).exits(1).stdout);
    assert_eq!(states(&report), ["not-wanted", "refused", "landed"]);
    assert_eq!(sandbox.subjects("HEAD~.."), ["Three"]);

    // A refused attempt keeps the choice. Its numbers are those of the report.
    let sandbox = Sandbox::new();
    let wrong = create("new", "One", "x\n")
        + &patch("README", "Wrong", "nowhere\n", "x\n")
        + &create("other", "Three", "y\n");
    let _ = sandbox.apply(["--except", "1"], &wrong).exits(1).says("--continue");
    let fix = patch("README", "Right", "hello\n", "good day\n");
    sandbox.apply(["-q", "--continue"], &fix).exits(0);
    assert_eq!(sandbox.subjects("HEAD~2.."), ["Right", "Three"]);
    assert!(!sandbox.exists("new"));
    let sandbox = Sandbox::new();
    let _ = sandbox.apply(["--except", "1"], &wrong).exits(1);
    sandbox.run(["-q", "--continue", "--skip", "2"]).exits(0);
    assert_eq!(sandbox.subjects("HEAD~.."), ["Three"]);
    // The user can also choose among the joined edits.
    let sandbox = Sandbox::new();
    let _ = sandbox.apply(["-q"], &wrong).exits(1);
    sandbox.apply(["-q", "--continue", "--only", "2,3"], &fix).exits(0);
    assert_eq!(sandbox.subjects("HEAD~2.."), ["Right", "Three"]);
    sandbox.is_sound();
}

#[test]
fn a_refusal_of_what_is_chosen_changes_nothing() {
    let sandbox = Sandbox::new();
    let before = sandbox.listing();
    let answer = five() + &patch("README", "Wrong", "nowhere\n", "x\n");
    let run = sandbox.apply(["--no-keep", "--except", "3"], &answer).exits(1);
    assert!(run.stderr.contains("edit 6 of 6 failed (edits 1, 2, 4, 5 would apply)"), "{}", run.stderr);
    same("a refusal", &before, &sandbox.listing());
}
