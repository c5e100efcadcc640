//! Refused attempts that are continued: how corrections join them.
use crate::sandbox;

use crate::writing::{Rendered, render};
use git_llm_apply::format::FormatId;
use sandbox::{Sandbox, create, patch, remove, same};

pub(super) const KEPT: &str = ".git/llm-apply/attempts";

/// Three edits. The second one fails.
pub(super) fn three() -> String {
    create("one.txt", "One", "one\n")
        + &patch("README", "Two", "nowhere to be found\n", "hello world\n")
        + &patch("src/a.rs", "Three", "fn c() {}\n", "fn gamma() {}\n")
}

pub(super) fn correction() -> String {
    patch("README", "Two", "hello\n", "hello world\n")
}

pub(super) fn attempts(sandbox: &Sandbox) -> Vec<String> {
    let entries = std::fs::read_dir(sandbox.repo.join(KEPT)).into_iter().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn corrected_edits_join_the_good_ones_as_one_transaction() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    sandbox.apply([""; 0], &three()).exits(1);
    // Meanwhile the branch has moved on.
    sandbox.file("other.txt", "other\n");
    let tip = sandbox.commit("meanwhile");
    sandbox.apply(["--continue"], &correction()).exits(0);
    assert_eq!(sandbox.subjects(&format!("{tip}..")), ["One", "Two", "Three"], "in the same order");
    assert_eq!(sandbox.text("README"), "hello world\n");
    assert!(sandbox.git(["reflog", "-1", "--format=%gs"]).contains("3 edits"));
    assert_ne!(base, tip);
    sandbox.is_sound();
}

#[test]
fn a_block_with_an_unclear_fence_leaves_the_others_as_they_are() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.repo.join("README.md"), "```sh\nnpm test\n```\n\nversion = 1\n").unwrap();
    std::fs::write(sandbox.repo.join("cfg.txt"), "version = 1\n").unwrap();
    sandbox.commit("files");
    let block = |path: &str, fence: &str, search: &str, replace: &str| {
        format!("{path}\n{fence}\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n{fence}\n\n")
    };
    let answer = block("README.md", "```", "npm test\n```\n", "npm ci\n")
        + &block("cfg.txt", "```", "version = 1\n", "version = 2\n")
        + "`src/new.py`\n```python\nx = 1\n```\n\nDone.\n";
    sandbox.apply([""; 0], &answer).exits(1).says("[fence-unclear]");
    let fix = block("README.md", "````", "npm test\n```\n", "npm ci\n```\n");
    sandbox.apply(["--continue"], &fix).exits(0);
    assert_eq!(sandbox.text("README.md"), "```sh\nnpm ci\n```\n\nversion = 1\n");
    assert_eq!(
        (sandbox.text("cfg.txt"), sandbox.text("src/new.py")),
        ("version = 2\n".into(), "x = 1\n".into())
    );
}

#[test]
fn a_dry_run_of_going_on_changes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &three()).exits(1);
    let before = sandbox.listing();
    sandbox.apply(["check", "--continue"], &correction()).exits(0).says("would land 3 edits");
    sandbox.apply(["--continue", "-n"], &patch("README", "Two", "nope\n", "x\n")).exits(1);
    same("a dry run", &before, &sandbox.listing());
}

#[test]
fn what_fails_again_can_be_corrected_again() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let response = three() + &patch("old.txt", "Four", "thirteen\n", "fourteen\n");
    sandbox.apply([""; 0], &response).exits(1);
    let names = attempts(&sandbox);
    sandbox
        .apply(["--continue"], &patch("README", "Two", "still wrong\n", "x\n"))
        .exits(1)
        .says("edit 2, README");
    assert_eq!(attempts(&sandbox), names, "it is the same attempt");
    sandbox.apply(["--continue"], &patch("old.txt", "Four", "three\n", "3\n")).exits(1).says("of 4 failed");
    sandbox.apply(["--continue"], &correction()).exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["One", "Two", "Three", "Four"]);
    assert_eq!(sandbox.text("old.txt"), "one\ntwo\n3\nfour\n");
    sandbox.is_sound();
}

#[test]
fn corrections_that_are_not_whole_leave_the_attempt_as_it_is() {
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &three()).exits(1);
    let before = sandbox.listing();
    let half = "<edit file=\"README\" op=\"patch\">\n<find>\n<<<\nhello\n";
    sandbox.apply(["--continue"], half).exits(1).says("truncated");
    same("a half answer", &before, &sandbox.listing());
    sandbox.apply(["--continue"], "I am sorry.\n").exits(5);
    same("no answer", &before, &sandbox.listing());
    sandbox
        .apply(["--continue"], &create("one.txt", "One", "one\n"))
        .exits(1)
        .says("was already good before");
    same("nothing new", &before, &sandbox.listing());
}

#[test]
fn a_response_that_was_cut_off_can_be_completed() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let whole = create("one.txt", "One", "one\n")
        + &create("two.txt", "Two", "two\n")
        + &create("three.txt", "Three", "three\n");
    let cut = &whole[..whole.find("two\n>>>").unwrap() + 2];
    sandbox.apply([""; 0], cut).exits(1).says("truncated");
    let rest = &whole[whole.find("<edit file=\"two.txt\"").unwrap()..];
    sandbox.apply(["--continue"], rest).exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["One", "Two", "Three"]);
    sandbox.is_sound();
}

#[test]
fn the_branch_and_the_base_of_the_attempt_are_kept() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    sandbox.file("README", "hello\nand goodbye\n");
    let tip = sandbox.commit("meanwhile");
    sandbox.apply(["-b", "try/one", "--base", &base], &three()).exits(1);
    let run = sandbox.apply(["--continue", "--skip=2"], &correction()).exits(1);
    let _ = run.says("it is not clear which failed edits 1 correction may replace; failed: none\n");
    let run = sandbox.apply(["--continue"], &correction()).exits(0);
    let _ = run.says(&format!("continuing with the options of the attempt: --base={base} --branch=try/one"));
    assert_eq!(sandbox.subjects(&format!("{base}..try/one")), ["One", "Two", "Three"]);
    assert_eq!(sandbox.head(), tip, "the checkout is left alone");
    sandbox.is_sound();
}

#[test]
fn what_is_typed_goes_before_the_attempt_and_that_before_what_is_configured() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    sandbox.file("fresh.txt", "fresh\n");
    sandbox.commit("meanwhile");
    sandbox.git(["branch", "other"]);
    let check = |which: &str, options: &[&str], response: &str| {
        let options: Vec<&str> = ["check", which].iter().chain(options).copied().collect();
        sandbox.apply(options, response)
    };
    let dry = |options: &[&str], wanted: &str| {
        drop(check("--continue", options, &correction()).exits(0).says(wanted));
    };
    sandbox.apply(["-b", "try/one", "--base", &base], &three()).exits(1);
    sandbox.git(["config", "llmapply.branch", "other"]);
    sandbox.git(["config", "llmapply.base", "nonsense"]);
    dry(&[], "on try/one");
    dry(&["-b", "other"], "on other");
    dry(&["--no-branch"], "on main");
    let later = patch("fresh.txt", "Two", "fresh\n", "stale\n");
    // None of its failed edits is of that file, so the attempt has to be named.
    let named = format!("--continue={}", attempts(&sandbox)[0]);
    check("--continue", &[], &later).exits(128).says("fresh.txt");
    check(&named, &[], &later).exits(1).says("there is no file `fresh.txt`");
    check(&named, &["--no-branch", "--no-base"], &later).exits(0).says("on main");
    sandbox.run(["--abort"]).exits(0);
    // An attempt without a branch and a base.
    sandbox.apply(["--no-branch", "--no-base"], &three()).exits(1);
    dry(&[], "on main");
}

#[test]
fn without_corrections_an_attempt_is_tried_again_as_it_is() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let first = sandbox.apply(["--feedback", "-q"], &three()).exits(1);
    let names = attempts(&sandbox);
    let before = sandbox.listing();
    let again = sandbox.run(["check", "--continue", "--feedback", "-q"]).exits(1);
    assert_eq!(again, first, "what to ask for, also where the response itself is gone");
    same("a dry run", &before, &sandbox.listing());
    let _ = sandbox.run(["--continue"]).exits(1).says("edit 2, README").says("(edits 1, 3 would apply)");
    assert_eq!(attempts(&sandbox), names);
    sandbox.run(["--continue", "-"]).exits(5);
    // The user has changed the file so that the edit matches.
    sandbox.file("README", "nowhere to be found\n");
    let tip = sandbox.commit("by hand");
    sandbox.run(["--continue"]).exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..{tip}")), ["by hand"]);
    assert_eq!(sandbox.subjects(&format!("{tip}..")), ["One", "Two", "Three"]);
    assert_eq!(attempts(&sandbox), [""; 0]);
    sandbox.is_sound();
}

#[test]
fn what_a_refusal_advises_works_for_what_was_piped() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let hook = create(".husky/pre-commit", "Hook", "true\n") + &create("one.txt", "One", "one\n");
    sandbox.apply([""; 0], &hook).exits(1).says("[path-sensitive]");
    sandbox.run(["--continue", "--allow-sensitive"]).exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["Hook", "One"]);
    // Or without the edit.
    let tip = sandbox.head();
    sandbox.apply([""; 0], &three()).exits(1);
    sandbox.run(["--continue", "--keep-going"]).exits(1).says("the others have landed");
    sandbox.run(["--abort"]).exits(0);
    assert_eq!(sandbox.subjects(&format!("{tip}..")), ["Three"]);
    sandbox.is_sound();
}

#[test]
fn what_builds_on_a_failed_edit_needs_no_correction_of_its_own() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let response = patch("README", "New", "nowhere to be found\n", "brand new\nand more\n")
        + &patch("README", "Newer", "brand new\nand more\n", "brand newer\n")
        + &create("one.txt", "One", "one\n");
    let run = sandbox.apply([""; 0], &response).exits(1).says("correct that one first");
    assert!(run.stderr.contains("of 3 failed (edit 3 would apply)"), "{}", run.stderr);
    let right = patch("README", "New", "hello\n", "brand new\nand more\n");
    sandbox.apply(["check", "--continue"], &right).exits(0);
    let wrong = patch("README", "New", "helo, you\n", "brand new\nand more\n");
    sandbox.apply(["--continue"], &wrong).exits(1).says("correct that one first");
    sandbox.apply(["--continue"], &right).exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["New", "Newer", "One"]);
    sandbox.is_sound();
}

#[test]
fn keep_going_lands_what_resolves_and_keeps_the_rest() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let run = sandbox
        .apply(["--keep-going"], &three())
        .exits(1)
        .says("refused: edit 2 of 3 failed; the others have landed");
    let _ = run.says("the others have landed").says("take it back");
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["One", "Three"]);
    assert_eq!(sandbox.status(), "");
    let tip = sandbox.head();
    // The model sends the whole response again. What has landed does not land twice.
    let whole = three().replace("nowhere to be found\n", "hello\n");
    sandbox.apply(["--continue"], &whole).exits(0);
    assert_eq!(sandbox.subjects(&format!("{tip}..")), ["Two"]);
    sandbox.is_sound();
}

#[test]
fn what_landed_first_of_two_runs_can_be_sent_again() {
    let sandbox = Sandbox::new();
    let old = |find: &str| patch("old.txt", "Four", find, "fourteen\n");
    sandbox.apply(["--keep-going"], &(three() + &old("thirteen\n"))).exits(1).says("edits 2, 4 of 4");
    sandbox.apply(["--continue"], &correction()).exits(1).says("edit 2 of 2 failed");
    let again = create("one.txt", "One", "one\n") + &old("four\n");
    sandbox.apply(["--continue"], &again).exits(0);
    assert_eq!(sandbox.subjects("HEAD~2.."), ["Two", "Four"]);
}

#[test]
fn keep_going_with_nothing_that_resolves_is_a_refusal() {
    let sandbox = Sandbox::new();
    let head = sandbox.head();
    sandbox
        .apply(["--keep-going"], &patch("README", "Two", "nowhere\n", "x\n"))
        .exits(1)
        .says("nothing was changed");
    assert_eq!(sandbox.head(), head);
    // Local changes stop everything; the refusal is reported first.
    sandbox.file("src/a.rs", "mine\n");
    sandbox.apply(["--keep-going"], &three()).exits(1).says("local changes").says("nothing was changed");
    assert_eq!((sandbox.head(), sandbox.exists("one.txt")), (head, false));
}

#[test]
fn json_says_what_became_of_it() {
    let sandbox = Sandbox::new();
    let run = sandbox.apply(["--json"], &three()).exits(1);
    let [id] = attempts(&sandbox).try_into().unwrap();
    let _ = run.says(&format!("\"attempt\":\"{id}\"")).says("\"status\":\"refused\"");
    let run =
        sandbox.apply(["--json", "--keep-going"], &three()).exits(1).says("\"status\":\"partly-landed\"");
    let _ = run.says("\"state\":\"landed\"").says("\"state\":\"refused\"").says("\"exit_code\":1");
    let run = sandbox.apply(["--json", "--continue"], &create("one.txt", "One", "one\n")).exits(1);
    let _ = run.says("\"status\":\"refused\"").says("was already good before");
}

#[test]
fn without_a_name_the_newest_for_this_branch_is_meant() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let other = |sandbox: &Sandbox, why: &str| {
        let before = attempts(sandbox);
        sandbox.apply([""; 0], &three().replace("One", why)).exits(1);
        attempts(sandbox).into_iter().find(|name| !before.contains(name)).unwrap()
    };
    let (first, second) = (other(&sandbox, "First"), other(&sandbox, "Second"));
    // An attempt for another branch is named, because HEAD says nothing about it.
    let run = sandbox.apply(["-b", "side"], &three().replace("One", "Side")).exits(1);
    let third = attempts(&sandbox).into_iter().find(|name| ![&first, &second].contains(&name)).unwrap();
    let _ = run.says(&format!("--continue={third} <file>"));
    // If corrections fit two attempts, neither is taken. Without corrections the newest is.
    sandbox.apply(["-n", "--continue"], &correction()).exits(1).says(&first).says(&second);
    sandbox.run(["-n", "--continue"]).exits(1).says("Second");
    sandbox.apply(["-n", "--continue", "-b", "side"], &correction()).exits(0).says("Side");
    sandbox.run(["--abort=zz"]).exits(128).says(&second).says("--abort=<id>");
    // A blank instead of the equals sign.
    sandbox.run(["--abort", &first]).exits(129).says(&format!("--abort={first}"));
    sandbox.apply([&format!("--continue={}", &first[..6])], &correction()).exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["First", "Two", "Three"]);
    sandbox.run(["--continue", &second, "-"]).exits(128).says(&format!("--continue={second} <file>"));
    sandbox.run(["--abort"]).exits(0).says(&second);
    // The only attempt left is meant on any branch, if it names its own; if there are several, none is.
    sandbox.git(["reset", "-q", "--hard", &base]);
    let fourth = three().replace("One", "Fourth");
    sandbox.apply(["-b", "aside"], &fourth).exits(1);
    sandbox.run(["--abort"]).exits(128).says("no refused attempt for main").says(&third);
    sandbox.run([&format!("--abort={third}")]).exits(0);
    sandbox.apply(["--continue"], &correction()).exits(0).says("aside");
    assert_eq!(attempts(&sandbox), [""; 0]);
    // An attempt for HEAD's branch would land on the branch that is checked out now.
    let fifth = other(&sandbox, "Fifth");
    sandbox.git(["switch", "-q", "-c", "elsewhere"]);
    sandbox
        .apply(["--continue"], &correction())
        .exits(128)
        .says("no refused attempt for elsewhere")
        .says(&fifth);
    sandbox.git(["switch", "-q", "main"]);
    sandbox.apply(["--continue"], &correction()).exits(0);
    // `--abort` takes the only attempt, on any branch.
    let sixth = other(&sandbox, "Sixth");
    sandbox.git(["switch", "-q", "elsewhere"]);
    sandbox.run(["--abort"]).exits(0).says(&sixth);
    assert_eq!(attempts(&sandbox), [""; 0]);
    sandbox.is_sound();
}

#[test]
fn a_whole_answer_that_lands_takes_the_place_of_older_attempts() {
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &three()).exits(1);
    sandbox.apply(["-b", "side"], &three().replace("One", "Side")).exits(1);
    sandbox.apply([""; 0], &(three() + &create("more.txt", "w", "x\n"))).exits(1);
    assert_eq!(attempts(&sandbox).len(), 3);
    let whole = three().replace("nowhere to be found\n", "hello\n").replace("One", "Once");
    sandbox.apply([""; 0], &whole).exits(0);
    // The attempt for another branch is kept, and so is the one with more edits.
    assert_eq!(attempts(&sandbox).len(), 2);
    sandbox.apply(["-n", "--continue"], &correction()).says("more.txt");
    sandbox.apply(["-n", "--continue", "-b", "side"], &correction()).says("Side");
}

#[test]
fn a_failed_edit_can_be_left_out() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let response = three() + &patch("old.txt", "Four", "thirteen\n", "fourteen\n");
    sandbox.apply([""; 0], &response).exits(1).says("edit 2, README").says("edit 4, old.txt");
    sandbox.run(["--skip", "2"]).exits(129).says("--skip needs --continue");
    for (numbers, says) in
        [("1", "edit 1 is not one"), ("5", "edit 5 is not one"), ("2,x", "'2,x' does not name edits")]
    {
        sandbox.run(["--continue", "--skip", numbers]).exits(129).says(says);
    }
    // The remaining edit fails again, with its number. Later it gets another one.
    sandbox.run(["--continue", "--skip", "2"]).exits(1).says("edit 3, old.txt");
    sandbox.apply(["--continue"], &patch("old.txt", "Four", "one\n", "1\n")).exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["One", "Three", "Four"]);
    sandbox.git(["reset", "-q", "--hard", &base]);
    sandbox.apply([""; 0], &response).exits(1);
    sandbox.run(["--continue", "--skip=2", "--skip", "4"]).exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["One", "Three"]);
    assert_eq!(attempts(&sandbox), [""; 0]);
    sandbox.is_sound();
}

#[test]
fn a_failed_edit_keeps_its_number_when_others_have_landed() {
    let sandbox = Sandbox::new();
    let removals = || remove("gone.txt", "Two") + &remove("old.txt", "Three");
    sandbox
        .apply(["--keep-going", "--no-allow-delete"], &(create("one.txt", "One", "one\n") + &removals()))
        .exits(1)
        .says("edits 2, 3 of 3 failed");
    sandbox.run(["--continue", "--skip", "1"]).exits(129).says("edit 1 is not one of the failed edits");
    sandbox.run(["--continue", "--skip", "2", "--allow-delete"]).exits(0);
    assert!(sandbox.exists("gone.txt") && !sandbox.exists("old.txt"));
    sandbox.is_sound();
}

/// Returns a good correction, and one that is cut off.
fn half_whole() -> String {
    correction() + "<edit file=\"old.txt\" op=\"patch\">\n<find>\n<<<\none\n"
}

#[test]
fn nothing_of_corrections_that_are_not_whole_lands_anywhere() {
    let sandbox = Sandbox::new();
    let response = three() + &patch("old.txt", "Four", "thirteen\n", "13\n");
    sandbox.apply(["-b", "try/one"], &response).exits(1);
    let before = sandbox.listing();
    for options in [&["--continue"][..], &["--continue", "--keep-going"]] {
        let run =
            sandbox.apply(options, &half_whole()).exits(1).says("[truncated]").says("response.txt, line");
        let run = run.says("ask for all of its edits again").says("refused: edit 1 of 1 failed");
        assert!(!run.stdout.contains("landed") && !run.stderr.contains("landed"), "{}", run.stderr);
        same("not whole", &before, &sandbox.listing());
    }
    let run = sandbox.apply(["--continue", "--feedback", "-q"], &half_whole()).exits(1);
    assert!(!run.stdout.contains("do not send it again"), "nothing of it was taken: {}", run.stdout);
    assert!(run.stdout.contains("## Line"), "it says where: {}", run.stdout);
    let run = sandbox.apply(["--continue", "--json"], &half_whole()).exits(1);
    let _ = run.says("\"ref\":\"refs/heads/try/one\"").says("\"state\":\"refused\"");
}

#[test]
fn each_response_is_read_again_in_the_format_in_which_it_was_read() {
    let block = |find: &str| {
        format!("### File: README\n<<<<<<< SEARCH\n{find}\n=======\nhello world\n>>>>>>> REPLACE\n")
    };
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    sandbox.apply([""; 0], &three()).exits(1);
    sandbox.apply(["--continue", "--format=search-replace"], &block("nope")).exits(1).says("edit 2, README");
    sandbox.apply(["--continue", "--format=opx"], &patch("README", "w", "neither\n", "x\n")).exits(1);
    sandbox.apply(["--continue"], &block("hello")).exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["One", "w", "Three"]);
    sandbox.is_sound();
}

/// A file, and its text before and after.
type Change = (&'static str, Option<&'static str>, &'static str);

/// Writes changes in a format.
fn written(format: FormatId, changes: &[Change]) -> String {
    let rendered = |&(path, before, after): &Change| Rendered {
        path,
        before: before.map(str::as_bytes),
        after: Some(after.as_bytes()),
        renamed_from: None,
        why: None,
    };
    let file = |(path, _, after): &Change| format!("{path}\n```\n{after}```\n\n");
    match format {
        FormatId::WholeFile => changes.iter().map(file).collect(),
        _ => render(format, &changes.iter().map(rendered).collect::<Vec<_>>()).unwrap(),
    }
}

#[test]
fn in_every_format_a_failed_edit_can_be_corrected_or_left_out() {
    const GAMMA: &str = "fn a() {}\nfn b() {}\nfn c() { gamma() }\n";
    let old = "one\ntwo\nthree\nfour\n";
    let changes = |before, after| -> [Change; 3] {
        [
            ("one.txt", None, "one\n"),
            ("old.txt", Some(before), after),
            ("src/a.rs", Some("fn a() {}\nfn b() {}\nfn c() {}\n"), GAMMA),
        ]
    };
    // Snippets need a file in a language they know; see tests/formats/snippets.rs.
    for &format in FormatId::ALL.iter().filter(|format| **format != FormatId::Snippet) {
        let sandbox = Sandbox::new();
        let base = sandbox.head();
        // A whole file is refused if it loses most of the file's lines.
        let bad = if format == FormatId::WholeFile { "5\n" } else { "nowhere\nto be found\n5\n" };
        let answer = written(format, &changes("nowhere\nto be found\n", bad));
        let option = format!("--format={}", format.as_str());
        sandbox.apply([&option], &answer).exits(1).says("edit 2, old.txt");
        assert_eq!(sandbox.head(), base, "{format:?}");
        let corrected = written(format, &changes(old, "one\ntwo\nthree\n5\n")[1..2]);
        sandbox.apply(["--continue", &option], &corrected).exits(0);
        assert_eq!(sandbox.text("old.txt"), "one\ntwo\nthree\n5\n", "{format:?}");
        let others = |sandbox: &Sandbox| (sandbox.text("one.txt"), sandbox.text("src/a.rs"));
        assert_eq!(others(&sandbox), ("one\n".to_owned(), GAMMA.to_owned()), "{format:?}");
        sandbox.is_sound();

        sandbox.git(["reset", "-q", "--hard", &base]);
        sandbox.apply([&option], &answer).exits(1);
        sandbox.run(["--continue", "--skip=2"]).exits(0);
        assert_eq!(sandbox.text("old.txt"), old, "{format:?}");
        assert_eq!(others(&sandbox), ("one\n".to_owned(), GAMMA.to_owned()), "{format:?}");
        assert_eq!(attempts(&sandbox), [""; 0], "{format:?}");
        sandbox.is_sound();
    }
}

#[test]
fn keep_going_where_the_rest_comes_to_nothing_is_a_refusal() {
    let sandbox = Sandbox::new();
    let head = sandbox.head();
    let response = patch("src/a.rs", "There", "fn a() {}\n", "fn x() {}\n")
        + &patch("src/a.rs", "And back", "fn x() {}\n", "fn a() {}\n")
        + &patch("README", "Two", "nowhere\n", "x\n");
    let run = sandbox.apply(["--keep-going", "--commit=response"], &response).exits(1);
    let _ = run.says("edit 3, README").says("nothing was changed").says("--continue");
    assert_eq!((sandbox.head(), attempts(&sandbox).len()), (head, 1));
}

#[test]
fn what_was_not_whole_and_is_wrong_again_can_be_corrected_again() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let bad = correction().replace("op=\"patch\"", "op=\"explode\"");
    let response = create("one.txt", "One", "one\n")
        + &bad
        + &bad.replace("README", "old.txt").replace("hello\n", "three\n")
        + &create("last.txt", "Last", "last\n");
    sandbox.apply([""; 0], &response).exits(1).says("[malformed]");
    // One of the two is corrected; the other one is not forgotten.
    let before = sandbox.head();
    let wrong = patch("README", "Two", "nowhere\n", "hello world\n");
    let run = sandbox.apply(["--continue"], &wrong).exits(1).says("[malformed]").says("old.txt");
    let _ = run.says("[search-not-found]");
    assert_eq!(sandbox.head(), before);
    sandbox.apply(["--continue"], &patch("old.txt", "Three", "three\n", "3\n")).exits(1).says("of 4 failed");
    sandbox.apply(["--continue"], &correction()).exits(0).says("taken for corrected");
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["One", "Two", "Three", "Last"]);
    sandbox.is_sound();
}

#[test]
fn a_block_with_a_file_of_its_own_is_corrected_like_an_edit() {
    let block = "gone.txt\n```\nother\n```\n";
    let answer = create("one.txt", "One", "one\n") + block;
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    sandbox.apply([""; 0], &answer).exits(1).says("[not-read]").says("--keep-going");
    sandbox.apply(["-n", "--branch-per-edit=try/{n}"], &answer).exits(1);
    assert_eq!(sandbox.head(), base);
    // Tried again as it is, it is still an error. Corrected, it lands.
    sandbox.run(["--continue"]).exits(1).says("[not-read]");
    sandbox.apply(["--continue"], &remove("gone.txt", "Two")).exits(0).says("taken for corrected");
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["One", "Two"]);
    assert!(!sandbox.exists("gone.txt"));

    // If the tree has no such file, the block creates it. At a base that has the file, it does not.
    let again = create("two.txt", "Two", "two\n") + block;
    sandbox.apply(["-n"], &again).exits(0).says("create   gone.txt");
    sandbox.apply(["-n", "--branch-per-edit=try/{n}"], &again).exits(0);
    sandbox.apply(["-n", "--base", &base], &again).exits(1).says("[not-read]");
    sandbox.apply(["-n", "--base", &base, "--only=1"], &again).exits(0);
    sandbox.apply(["--base", &base, "--keep-going"], &again).exits(1).says("the others have landed");
    sandbox.run(["--abort"]).exits(0);
    sandbox.is_sound();
}

#[test]
fn of_an_attempt_all_can_be_skipped() {
    let sandbox = Sandbox::new();
    let before = sandbox.listing();
    sandbox.apply([""; 0], &patch("README", "w", "nowhere\n", "x\n")).exits(1);
    sandbox.run(["check", "--continue", "--skip=1"]).exits(0).says("nothing to do: no edit is left");
    let run = sandbox.run(["--continue", "--skip=1"]).exits(0).says("nothing to do: no edit is left");
    assert!(run.stderr.is_empty(), "{}", run.stderr);
    same("nothing landed, and nothing is kept", &before, &sandbox.listing());
    sandbox.run(["--continue"]).exits(128).says("no refused attempt is kept");
}
