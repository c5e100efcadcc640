//! How exactly a search text has to match: first byte for byte, then with other line ends, blanks, indentation,
//! look-alikes and blank lines.

use crate::answer::{each, opx, texts, udiffx};
use crate::check::{lands, refused, stays};
use git_llm_apply::diag::Code;

#[test]
fn whole_lines_byte_for_byte() {
    lands("a.txt", "one\ntwo\nthree\n", each("a.txt", "one\ntwo\nthree", "one\n2\nthree"), "one\n2\nthree\n");
}

#[test]
fn the_first_tier_with_a_place_decides() {
    let file = "if x:\n    run(fast=True)\nelse:\n    stop()\nrun(fast=True)\n";
    let expected = "if x:\n    run(fast=True)\nelse:\n    stop()\nrun(fast=False)\n";
    lands("a.py", file, each("a.py", "run(fast=True)", "run(fast=False)"), expected);
    // Two exact matches, so no looser mode is tried to choose one.
    let twice = "run()\n\nstop()\nrun()\nend()\n";
    refused("a.py", twice, each("a.py", "run()", "go()")).code(Code::SearchAmbiguous);
}

#[test]
fn line_ends_may_differ_and_those_of_the_file_stay() {
    let answers = || each("a.txt", "one\ntwo\nthree", "one\n2\nand\nthree");
    lands("a.txt", "one\r\ntwo\r\nthree\r\n", answers(), "one\r\n2\r\nand\r\nthree\r\n");
    lands("a.txt", "one\rtwo\rthree\r", answers(), "one\r2\rand\rthree\r");
}

#[test]
fn a_byte_order_mark_stays() {
    let answers = each("a.txt", "one\ntwo", "one and\ntwo");
    lands("a.txt", "\u{feff}one\ntwo\nthree\n", answers, "\u{feff}one and\ntwo\nthree\n");
}

#[test]
fn a_missing_newline_at_the_end_stays_missing() {
    lands("a.txt", "one\ntwo\nthree", each("a.txt", "two\nthree", "2\nthree"), "one\n2\nthree");
}

#[test]
fn trailing_blanks_may_differ_and_those_of_kept_lines_stay() {
    let file = "one \ntwo\t\nthree  \n";
    lands("a.txt", file, each("a.txt", "one\ntwo\nthree", "one\n2\nthree"), "one \n2\nthree  \n");
    let file = "one\ntwo\nthree\n";
    lands("a.txt", file, each("a.txt", "one  \ntwo\nthree ", "one  \n2\nthree "), "one\n2\nthree\n");
}

const CLASS: &str = "\
class A:
    def f(self):
        a = 1
        return a

    def g(self):
        pass
";

#[test]
fn one_uniform_shift_is_undone() {
    let expected = CLASS.replace("        return a", "        b = 2\n        return a + b");
    let find = "def f(self):\n    a = 1\n    return a";
    let put = "def f(self):\n    a = 1\n    b = 2\n    return a + b";
    lands("a.py", CLASS, each("a.py", find, put), &expected);
    // The same if the answer is indented deeper than the file.
    let deeper = |text: &str| text.lines().map(|line| format!("      {line}\n")).collect::<String>();
    lands("a.py", CLASS, each("a.py", &deeper(find), &deeper(put)), &expected);
}

#[test]
fn a_shift_that_is_not_one_for_all_lines_is_refused() {
    let find = "    def f(self):\n    a = 1\n    return a";
    let put = "    def f(self):\n    a = 1\n    return a + 1";
    refused("a.py", CLASS, each("a.py", find, put)).code(Code::SearchNotFound);
}

#[test]
fn tabs_stand_for_spaces_at_one_width() {
    let file = "func f() {\n\tif x {\n\t\ty()\n\t}\n}\n";
    let find = "    if x {\n        y()\n    }";
    let put = "    if x {\n        y()\n        z()\n    }";
    let expected = "func f() {\n\tif x {\n\t\ty()\n\t\tz()\n\t}\n}\n";
    lands("a.go", file, each("a.go", find, put), expected);
    let spaces = |text: &str| text.replace('\t', "    ");
    lands(
        "a.go",
        &spaces(file),
        each("a.go", "\tif x {\n\t\ty()", "\tif x {\n\t\ty()\n\t\tz()"),
        &spaces(expected),
    );
    // Two blanks in one line and four in another are not one width.
    let mixed = "  if x {\n        y()\n    }";
    refused("a.go", file, each("a.go", mixed, &format!("{mixed}\n    z()")));
}

#[test]
fn look_alikes_stand_for_each_other_and_kept_lines_stay() {
    for (real, written) in [
        ("“x”", "\"x\""),
        ("‘x’", "'x'"),
        ("a – b", "a - b"),
        ("a — b", "a - b"),
        ("a − b", "a - b"),
        ("a\u{a0}b", "a b"),
        ("a\u{202f}b", "a b"),
        ("caf\u{e9}", "cafe\u{301}"),
    ] {
        for (real, written) in [(real, written), (written, real)] {
            let file = format!("first = 1\nname = {real} + suffix\nlast = 2\n");
            let find = format!("first = 1\nname = {written} + suffix\nlast = 2");
            let put = format!("first = 1\nname = {written} + suffix\nlast = 3");
            let expected = format!("first = 1\nname = {real} + suffix\nlast = 3\n");
            lands("a.py", &file, each("a.py", &find, &put), &expected);
        }
    }
}

#[test]
fn blank_lines_come_and_go_in_the_context() {
    let file = "one = 1\n\ntwo = 2\nthree = 3\n";
    let expected = "one = 1\n\ntwo = 2\nthree = 4\n";
    lands("a.py", file, each("a.py", "one = 1\ntwo = 2\nthree = 3", "one = 1\ntwo = 2\nthree = 4"), expected);
    let find = "one = 1\n\n\ntwo = 2\n\nthree = 3";
    lands("a.py", file, each("a.py", find, &find.replace('3', "4")), expected);
    // At the edges of the quoted lines.
    lands("a.py", file, texts("a.py", &[("\ntwo = 2\nthree = 3\n\n", "\ntwo = 2\nthree = 4\n\n")]), expected);
}

#[test]
fn blanks_tabs_look_alikes_and_blank_lines_combine() {
    let file = "class A:\n    name = “x”  \n\n    size = 1\n    last = 2\n";
    let find = "name = \"x\"\nsize = 1\nlast = 2";
    let expected = "class A:\n    name = “x”  \n\n    size = 1\n    last = 3\n";
    lands("a.py", file, each("a.py", find, &find.replace("last = 2", "last = 3")), expected);
}

#[test]
fn a_region_that_differs_in_a_line_of_code_is_never_taken() {
    // The sibling that was meant is gone.
    let file = "\
def load_train(path):
    rows = read(path)
    check(rows)
    return rows

def other():
    return 0
";
    let find = "def load_test(path):\n    rows = read(path)\n    check(rows)\n    return rows";
    let put = "def load_test(path):\n    rows = read(path)\n    check(rows)\n    return sorted(rows)";
    refused("a.py", file, each("a.py", find, put)).code(Code::SearchNotFound);
}

#[test]
fn a_text_that_stands_in_two_places_by_the_same_tier_is_refused() {
    let file = "class A:\n    def f(self):\n        go()\n\nclass B:\n    def f(self):\n        go()\n";
    let find = "def f(self):\n    go()";
    refused("a.py", file, each("a.py", find, "def f(self):\n    stop()")).code(Code::SearchAmbiguous);
}

#[test]
fn what_a_looser_tier_finds_elsewhere_is_not_changed_by_a_second_run() {
    // The exact match is changed first. Once it is changed, the deeper one is not what was meant.
    let file =
        "def f():\n    total = compute(items)\n    return total\n\ntotal = compute(items)\nshow(total)\n";
    let find = "total = compute(items)";
    let expected = file.replace("\ntotal = compute(items)\nshow", "\ntotal = compute(rows)\nshow");
    lands("a.py", file, each("a.py", find, "total = compute(rows)"), &expected);
    stays("a.py", &expected, opx("a.py", find, "total = compute(rows)"));
}

#[test]
fn brackets_alone_are_not_found_in_another_indentation() {
    let file = "function a() {\n\tif (b) {\n\t\tc();\n\n\t}\n\td();\n}\n";
    let expected = format!("{file}\nnew_();\n");
    lands("a.js", file, texts("a.js", &[("\n}\n", "\n}\n\nnew_();\n")]), &expected);
}

#[test]
fn a_step_that_stays_beside_one_that_does_not_is_another_depth() {
    // One bracket is missing, so the last one belongs to another block.
    let file = "impl A {\n    fn f() {\n        if a {\n            b();\n        }\n    }\n}\n";
    let chunk = "@@ impl A {\n             b();\n     }\n+\n+    fn g() {}\n }\n";
    refused("a.rs", file, udiffx("a.rs", chunk));
}
