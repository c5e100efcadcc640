//! Blank lines that differ between search text and file.

use super::{hunk, made, ok, run};
use crate::diag::Code;
use crate::locate::Outcome;

#[test]
fn lines_are_not_added_next_to_blank_lines_that_differ() {
    let file = "a\n\nb\nc\n";
    let at = |before: &str, after: &str| made(file, &[hunk(before, after)]);
    assert_eq!(at("a\nb\n", "a\nx\nb\n"), Err(Code::SearchAmbiguous), "before the blank line or behind it?");
    assert_eq!(at("a\nb\n", "x\nb\n"), Ok("x\n\nb\nc\n".into()), "in the place of a line");
    assert_eq!(at("a\nb\n", "a\nx\n"), Ok("a\n\nx\nc\n".into()));
    assert_eq!(at("a\nb\nc\n", "a\nb\nx\nc\n"), Ok("a\n\nb\nx\nc\n".into()), "not beside it");
    assert_eq!(at("a\nb\n", "x\n\nb\n"), Err(Code::SearchAmbiguous), "one blank line, or two?");
    assert_eq!(at("a\nb\nc\n", "a\n\nx\nc\n"), Err(Code::SearchAmbiguous));
    assert_eq!(at("a\nb\nc\n", "a\nc\nb\n"), Err(Code::SearchAmbiguous), "which line was moved?");
    let file = "use a;\n\n/// What it is.\nfn f() {}\n";
    let at = |before: &str, after: &str| made(file, &[hunk(before, after)]);
    assert_eq!(
        at("use a;\n/// What it is.\nfn f() {}\n", "use a;\nuse b;\n/// What it was.\nfn f() {}\n"),
        Err(Code::SearchAmbiguous),
        "the first of the new lines belongs before the blank line"
    );
    assert_eq!(
        at("use a;\n/// What it is.\nfn f() {}\n", "use a;\n/// What it was.\n/// And more.\nfn f() {}\n"),
        Err(Code::SearchAmbiguous),
        "nor does the text say on which side of the blank line both belong"
    );
}

#[test]
fn with_fewer_added_than_removed_lines_some_may_be_beyond_a_blank_line() {
    let at = |before: &str, after: &str| made("a\nb\nc\n\nd\n", &[hunk(before, after)]);
    assert_eq!(
        at("a\nb\nc\nd\n", "a\nx\nd\n"),
        Err(Code::SearchAmbiguous),
        "found by the accuracy benchmark"
    );
    assert_eq!(at("a\nb\nc\nd\n", "a\nx\ny\nd\n"), Ok("a\nx\ny\n\nd\n".into()), "as many have their place");
    assert_eq!(at("a\nb\nc\nd\n", "a\nd\n"), Ok("a\n\nd\n".into()), "what only goes leaves no question");
}

#[test]
fn lines_with_several_pairings_are_not_added_beyond_blank_lines_that_differ() {
    let file = "a\n\n}\nb\nc\n";
    let at = |before: &str, after: &str| made(file, &[hunk(before, after)]);
    let twice = at("a\n}\nb\n", "a\n}\nx\n}\nb\n");
    assert_eq!(twice, Err(Code::SearchAmbiguous), "which of the two brackets is new?");
    assert_eq!(at("a\n}\nb\nc\n", "a\n}\nb\nx\nc\n"), Ok("a\n\n}\nb\nx\nc\n".into()));
}

#[test]
fn blank_lines_that_the_file_lacks_may_be_next_to_added_lines() {
    let file = "a\nb\nc\n";
    let at = |before: &str, after: &str| made(file, &[hunk(before, after)]);
    assert_eq!(at("a\n\nb\n", "a\n\nx\nb\n"), Ok("a\nx\nb\nc\n".into()));
    assert_eq!(at("a\n\nb\nc\n", "a\n\nb\nx\nc\n"), Ok("a\nb\nx\nc\n".into()));
    assert_eq!(at("a\n\nb\n", "a\n\nx\n\nb\n"), Err(Code::SearchAmbiguous));
    assert_eq!(at("a\n\nb\nc\n", "a\nb\nx\n"), Ok("a\nb\nx\n".into()), "there is none to remove");
    assert_eq!(at("a\n\nb\nc\n", "c\n"), Ok("c\n".into()), "lines that go take it with them");
}

#[test]
fn nothing_is_dropped_to_keep_blank_lines() {
    let file = "\nlogo\n\ntext\n\nend\n";
    let at = |before: &str, after: &str| made(file, &[hunk(before, after)]);
    let after = "name\n\ntext\n\n\nlink\n\n\nend\n";
    assert_eq!(
        at("\nlogo\n\ntext\n\n\nend\n", after),
        Err(Code::SearchAmbiguous),
        "on which side of the link?"
    );
}

#[test]
fn a_change_that_only_a_stricter_tier_sees_is_not_already_applied() {
    // The search text misquotes the first line, and the replacement has it right. The hunk removes the trailing
    // whitespace of the second line.
    let file = "first line\nlast line  \nend\n";
    let edit = hunk("fisrt line\nlast line  \nend\n", "first line\nlast line\nend\n");
    assert_eq!(made(file, std::slice::from_ref(&edit)), ok("first line\nlast line\nend\n"));
    assert_eq!(run("first line\nlast line\nend\n", &[edit]).unwrap().outcome, Outcome::AlreadyApplied);
}
