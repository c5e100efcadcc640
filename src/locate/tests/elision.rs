//! Lines that stand for lines that are left out.

use super::{hunk, made, run};
use crate::diag::Code;
use crate::locate::Tier;

const FILE: &str = "fn a() {\n    x();\n    y();\n}\n\nfn b() {\n    x();\n    z();\n    y();\n}\n";

#[test]
fn a_comment_stands_for_the_lines_between_two_pieces() {
    let edit = hunk("fn b() {\n    // ...\n    y();\n}\n", "fn b() {\n    // ...\n    w();\n}\n");
    assert_eq!(made(FILE, std::slice::from_ref(&edit)).unwrap(), FILE.replace("z();\n    y", "z();\n    w"));
    assert_eq!(run(FILE, &[edit]).unwrap().matched[0].tier, Tier::Elision);
}

#[test]
fn a_later_piece_is_sought_in_the_block_that_the_first_opens() {
    let file = "def a():\n    p = 1\n    q = 2\n\ndef b():\n    q = 2\n    return r\n";
    let at = |before: &str, after: &str| made(file, &[hunk(before, after)]);
    assert_eq!(
        at("def a():\n    # ...\n    q = 2\n", "def a():\n    # ...\n    q = 3\n").unwrap(),
        file.replacen("q = 2", "q = 3", 1)
    );
    let outside = at("def a():\n    # ...\n    return r\n", "def a():\n    # ...\n    return s\n");
    assert_eq!(outside, Err(Code::SearchNotFound), "it stands in the next function");
}

#[test]
fn a_later_piece_is_indented_as_the_first_says() {
    let file = "class A:\n    def b(self):\n        for i in x:\n            y()\n        return 1\n";
    let at = |before: &str, after: &str| made(file, &[hunk(before, after)]);
    assert_eq!(
        at("def b(self):\n    # ...\n    y()\n", "def b(self):\n    # ...\n    w()\n"),
        Err(Code::SearchNotFound),
        "it stands deeper"
    );
    let expected = file.replace("return 1", "return 2");
    assert_eq!(
        at("def b(self):\n    # ...\n    return 1\n", "def b(self):\n    # ...\n    return 2\n"),
        Ok(expected.clone())
    );
    assert_eq!(
        at(
            "def b(self):\n        # ...\n        return 1\n",
            "def b(self):\n        # ...\n        return 2\n"
        ),
        Ok(expected),
        "only the first line lost its indentation"
    );
}

#[test]
fn a_piece_that_stands_twice_is_refused() {
    // The comment may stand for no line at all.
    let file = "def a():\n    q = 2\n    x\n    q = 2\n";
    let edit = hunk("def a():\n    # ...\n    q = 2\n", "def a():\n    # ...\n    q = 3\n");
    assert_eq!(made(file, &[edit]), Err(Code::SearchAmbiguous));
    let edit = hunk("    x();\n    // ...\n    y();\n", "    x();\n    // ...\n    w();\n");
    assert_eq!(made(FILE, &[edit]), Err(Code::SearchAmbiguous), "which function?");
}

#[test]
fn an_insertion_is_not_made_twice() {
    let edit = hunk("fn b() {\n    // ...\n}\n", "fn b() {\n    // ...\n    w();\n}\n");
    let once = made(FILE, std::slice::from_ref(&edit)).unwrap();
    assert_eq!(once, FILE.replace("    y();\n}\n", "    y();\n    w();\n}\n").replacen("    w();\n", "", 1));
    assert_eq!(made(&once, &[edit]), Ok(once.clone()));
}

#[test]
fn bare_dots_stand_for_lines_too_and_a_comment_of_one_side_for_nothing() {
    let file = "def f():\n    x = 1\n    return x\n";
    let bare = hunk("def f():\n    ...\n    return x\n", "def f():\n    ...\n    return y\n");
    assert_eq!(made(file, &[bare]), Ok(file.replace("return x", "return y")));
    let one_side = hunk("def f():\n    # ...\n    return x\n", "def f():\n    return y\n");
    assert_eq!(made(file, &[one_side]), Err(Code::SearchNotFound));
}

#[test]
fn a_piece_that_only_stays_behind_all_changes_may_stand_anywhere_behind_them() {
    let file = "if a:\n    p = 1\nelif b:\n    q = 2\nelse:\n    r = 3\n    s = 4\n";
    let edit = |tail: &str| hunk(&format!("elif b:\n    ...\n{tail}"), &format!("elif c:\n    ...\n{tail}"));
    assert_eq!(made(file, &[edit("    s = 4\n")]), Ok(file.replace("elif b", "elif c")));
    assert_eq!(made(file, &[edit("    p = 1\n")]), Err(Code::SearchNotFound), "it stands before them");
    assert_eq!(made(file, &[edit("    s = 5\n")]), Err(Code::SearchNotFound), "and it has to stand");
}

#[test]
fn of_several_first_pieces_that_one_is_meant_behind_which_the_others_stand() {
    let job = |name: &str, run: &str| format!("{name}:\n  - setup: 1\n  - install:\n      x\n      {run}\n");
    let file = job("one", "a") + &job("two", "b");
    let edit = |run: &str| {
        let text = format!("  - setup: 1\n  - install:\n      ...\n      {run}\n");
        hunk(&text, &text.replace('1', "2"))
    };
    assert_eq!(made(&file, &[edit("b")]), Ok(job("one", "a") + &job("two", "b").replace('1', "2")));
    assert_eq!(made(&file, &[edit("c")]), Err(Code::SearchNotFound));
    let alike = job("one", "a") + &job("two", "a");
    assert_eq!(made(&alike, &[edit("a")]), Err(Code::SearchAmbiguous));
}
