//! Elisions: each segment between them matches one place in the whole file, in order and with one shift, and the
//! skipped lines belong to the block above.

use super::{hunk, made, run};
use crate::diag::Code;
use crate::edit::Hunk;
use crate::locate::Tier;

const FILE: &str = "fn a() {\n    x();\n    y();\n}\n\nfn b() {\n    z();\n    w();\n}\n";

/// An edit that replaces one word.
fn edit(before: &str, word: &str, other: &str) -> Hunk {
    hunk(before, &before.replace(word, other))
}

#[test]
fn an_elision_keeps_the_lines_between_two_segments() {
    for line in ["...", "// ...", "// ... existing code ...", "// [the rest of the function]"] {
        let edit = edit(&format!("fn b() {{\n    {line}\n    w();\n"), "w()", "v()");
        assert_eq!(made(FILE, std::slice::from_ref(&edit)).unwrap(), FILE.replace("w()", "v()"), "{line}");
        assert_eq!(run(FILE, &[edit]).unwrap().matched[0].tier, Tier::Elision);
    }
    for line in ["// ... and the loop", "// rest of the code", "// x"] {
        let edit = edit(&format!("fn b() {{\n    {line}\n    w();\n"), "w()", "v()");
        assert_eq!(made(FILE, &[edit]), Err(Code::SearchNotFound), "{line} says something else");
    }
}

#[test]
fn lines_may_change_on_both_sides_of_a_gap_and_next_to_it() {
    let before = "fn b() {\n    // ...\n    w();\n";
    let at = |after: &str| made(FILE, &[hunk(before, after)]);
    let expected = FILE.replace("fn b()", "fn c()").replace("w()", "v()");
    assert_eq!(at("fn c() {\n    // ...\n    v();\n"), Ok(expected));
    let above = FILE.replace("fn b() {\n", "fn b() {\n    new();\n");
    assert_eq!(at("fn b() {\n    new();\n    // ...\n    w();\n"), Ok(above));
    let below = FILE.replace("    w();\n", "    new();\n    w();\n");
    assert_eq!(at("fn b() {\n    // ...\n    new();\n    w();\n"), Ok(below));
    let two =
        FILE.replace("fn b() {\n", "fn b() {\n    p();\n").replace("    w();\n", "    q();\n    w();\n");
    assert_eq!(at("fn b() {\n    p();\n    // ...\n    q();\n    w();\n"), Ok(two));
}

#[test]
fn several_gaps_are_in_order() {
    let file = "1\n2\n3\n4\n5\n6\n7\n";
    assert_eq!(made(file, &[edit("1\n...\n4\n...\n7\n", "4", "x")]), Ok(file.replace('4', "x")));
    assert_eq!(made(file, &[edit("4\n...\n1\n...\n7\n", "7", "x")]), Err(Code::SearchNotFound));
    assert_eq!(made(file, &[edit("1\n...\n4\n...\n3\n", "4", "x")]), Err(Code::SearchNotFound));
    assert_eq!(
        made(file, &[hunk("1\n...\n4\n", "1\n...\nx\n...\n4\n")]),
        Err(Code::Placeholder),
        "one more gap"
    );
}

#[test]
fn a_segment_with_two_matches_is_refused_wherever_they_are() {
    let twice = format!("{FILE}\nfn c() {{\n    w();\n}}\n");
    let at = |file: &str, before: &str, word: &str| made(file, &[edit(before, word, "v()")]);
    let before = "fn b() {\n    // ...\n    w();\n";
    assert_eq!(at(&twice, before, "w()"), Err(Code::SearchAmbiguous), "also in another function");
    assert_eq!(at(&twice, before, "b()"), Err(Code::SearchAmbiguous), "also where it stays");
    assert_eq!(
        at(FILE, "fn b() {\n    // ...\n}\n", "b()"),
        Err(Code::SearchAmbiguous),
        "a bracket is often there"
    );
    let first = FILE.replace("z();", "x();");
    let before = "    x();\n    // ...\n    w();\n";
    assert_eq!(at(&first, before, "w()"), Err(Code::SearchAmbiguous), "the first as well");
    assert_eq!(at(FILE, before, "w()"), Err(Code::SearchNotFound), "another function lies between");
}

#[test]
fn skipped_lines_belong_to_the_block_above() {
    let file = "def a():\n    p = 1\n    if p:\n        q = 2\n    r = 3\n\ndef b():\n    s = 4\n";
    let at = |before: &str, word: &str| made(file, &[edit(before, word, "9")]);
    assert_eq!(at("def a():\n    # ...\n    r = 3\n", "3"), Ok(file.replace('3', "9")));
    assert_eq!(at("def a():\n    # ...\ndef b():\n", "b"), Ok(file.replace("b()", "9()")), "up to its end");
    assert_eq!(
        at("def a():\n    # ...\n    s = 4\n", "4"),
        Err(Code::SearchNotFound),
        "as shallow as its head"
    );
    assert_eq!(
        at("    p = 1\n    # ...\n    r = 3\n", "3"),
        Ok(file.replace('3', "9")),
        "beside it and deeper"
    );
    assert_eq!(at("    p = 1\n    # ...\n    s = 4\n", "4"), Err(Code::SearchNotFound), "shallower");
    assert_eq!(at("    if p:\n        # ...\n    r = 3\n", "3"), Ok(file.replace('3', "9")));
    let file = "if a:\n    p = 1\nelif b:\n    q = 2\nelse:\n    r = 3\n    s = 4\n";
    assert_eq!(made(file, &[edit("elif b:\n    ...\n    s = 4\n", "4", "9")]), Err(Code::SearchNotFound));
}

#[test]
fn one_shift_fits_all_segments() {
    let file = "class A:\n    def b(self):\n        for i in x:\n            y()\n        return 1\n";
    let at = |before: &str, word: &str| made(file, &[edit(before, word, "9")]);
    let expected = file.replace('1', "9");
    assert_eq!(at("def b(self):\n    # ...\n    return 1\n", "1"), Ok(expected.clone()));
    assert_eq!(at("def b(self):\n    # ...\n    y()\n", "y"), Err(Code::SearchNotFound), "it is deeper");
    let first = "def b(self):\n        # ...\n        return 1\n";
    assert_eq!(at(first, "1"), Ok(expected), "the first line alone lost its indentation");
    let before = "def b(self):\n    # ...\n    return 1\n";
    let added = hunk(before, &before.replace("    return", "    if x:\n        z()\n    return"));
    let expected = file.replace("        return", "        if x:\n            z()\n        return");
    assert_eq!(made(file, &[added]), Ok(expected), "added lines are shifted, too");
}

#[test]
fn blank_lines_next_to_a_gap_may_differ() {
    let before = "fn a() {\n\n    // ...\n\n    y();\n}\n\nfn b() {\n";
    assert_eq!(made(FILE, &[edit(before, "y()", "v()")]), Ok(FILE.replace("y()", "v()")));
    let file = FILE.replace("{\n", "{\n\n");
    let before = "fn a() {\n    // ...\n    y();\n";
    assert_eq!(made(&file, &[edit(before, "y()", "v()")]), Ok(file.replace("y()", "v()")));
}

#[test]
fn lines_that_are_added_beside_gaps_alone_are_refused() {
    assert_eq!(
        made(FILE, &[hunk("fn a() {\n...\n", "fn a() {\n...\n    new();\n")]),
        Err(Code::SearchNotFound)
    );
    assert_eq!(made(FILE, &[hunk("...\n", "...\nnew();\n")]), Err(Code::SearchNotFound));
}

#[test]
fn an_insertion_next_to_a_gap_is_applied_once() {
    let edit = hunk("fn b() {\n    // ...\n    w();\n", "fn b() {\n    new();\n    // ...\n    w();\n");
    let once = made(FILE, std::slice::from_ref(&edit)).unwrap();
    assert_eq!(once, FILE.replace("fn b() {\n", "fn b() {\n    new();\n"));
    // The first line alone is ambiguous. The lines below it show that the hunk is already applied.
    let again = made(&once, &[edit]);
    assert!(again.is_err() || again.as_ref() == Ok(&once), "{again:?}");
}

#[test]
fn an_elision_in_only_one_text_is_no_gap() {
    let file = "def f():\n    x = 1\n    return x\n";
    let before = "def f():\n    # ...\n    return x\n";
    assert_eq!(made(file, &[hunk(before, "def f():\n    return y\n")]), Err(Code::SearchNotFound));
    assert_eq!(made(file, &[hunk("def f():\n    x = 1\n", "def f():\n    # ...\n")]), Err(Code::Placeholder));
}
