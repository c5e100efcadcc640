//! How lines are indented that come.

use super::{at, hunk, made, ok, run, text_hunk, tier};
use crate::diag::Code;
use crate::locate::{Effect, Tier};

#[test]
fn a_uniform_shift_is_undone_for_added_lines() {
    let file = "mod m {\n    fn f() {\n        a();\n    }\n}\n";
    assert_eq!(
        tier(file, "fn f() {\n    a();\n}\n", "fn f() {\n    if c {\n        b();\n    }\n\n    a();\n}\n"),
        at(
            Tier::Indent,
            "mod m {\n    fn f() {\n        if c {\n            b();\n        }\n\n        a();\n    }\n}\n"
        ),
        "a blank line gets no blanks"
    );
    assert_eq!(
        tier("a:\n  b\n", "    a:\n      b\n", "    a:\n      c\n"),
        at(Tier::Indent, "a:\n  c\n"),
        "indented too far"
    );
    assert_eq!(
        tier("a:\n\tb\n\t\tc\n", "a:\n    b\n        c\n", "a:\n    b\n        d\n        e\n"),
        at(Tier::Indent, "a:\n\tb\n\t\td\n\t\te\n"),
        "tabs for spaces"
    );
    assert_eq!(
        tier("if a:\n  b\nc\n", "if a:\n  b\n  c\n", "if a:\n  b\n"),
        Err(Code::SearchNotFound),
        "another block"
    );
}

#[test]
fn an_edit_of_the_indentation_alone_is_not_made_twice() {
    let deeper = |file: &str| run(file, &[hunk("a\n", "  a\n")]);
    assert_eq!(deeper("a\n").unwrap().version.content().to_bytes(), b"  a\n");
    assert_eq!(deeper("  a\n").unwrap().effect, Effect::AlreadyApplied);
    assert_eq!(
        deeper("    a\n").unwrap_err()[0].code,
        Code::SearchNotFound,
        "how far is the result indented?"
    );
    // A kept line tells.
    assert_eq!(
        tier("  if x:\n    a\n", "if x:\n  a\n", "if x:\n    a\n"),
        at(Tier::Indent, "  if x:\n      a\n")
    );
}

#[test]
fn a_text_that_lost_its_indentation_is_no_reason_to_indent_the_new_one_twice() {
    let file = "{\n  \"version\": \"1\",\n  \"x\": 2\n}\n";
    let at = |before: &str, after: &str| made(file, &[hunk(before, after)]);
    assert_eq!(at("\"version\": \"1\",\n", "  \"version\": \"2\",\n"), Err(Code::SearchNotFound));
    let expected = file.replace("\"1\"", "\"2\"");
    assert_eq!(at("\"version\": \"1\",\n", "\"version\": \"2\",\n"), ok(&expected));
    assert_eq!(
        at("\"version\": \"1\",\n\"x\": 2\n", "\"version\": \"1\",\n  \"y\": 3,\n\"x\": 2\n"),
        ok("{\n  \"version\": \"1\",\n    \"y\": 3,\n  \"x\": 2\n}\n"),
        "lines that stay tell"
    );
}

#[test]
fn new_lines_are_indented_as_the_line_that_they_replace() {
    let file = "fn f() {\n    a();\n}\n";
    let at = |after: &str| made(file, &[text_hunk("a();", after)]);
    assert_eq!(at("b();"), ok("fn f() {\n    b();\n}\n"));
    assert_eq!(at("b();\n    a();"), ok("fn f() {\n    b();\n    a();\n}\n"));
    assert_eq!(at("b(\n        1,\n    );"), ok("fn f() {\n    b(\n        1,\n    );\n}\n"));
    assert_eq!(at("b();\na();"), ok("fn f() {\n    b();\n    a();\n}\n"), "indented with it");
    assert_eq!(at("if b {\n    a();\n}"), ok("fn f() {\n    if b {\n        a();\n    }\n}\n"));
    assert_eq!(at("if b {\n            a();"), Err(Code::SearchNotFound), "twelve columns, or sixteen?");
    let whole = made(file, &[text_hunk("    a();", "    b();\n}\n\nfn g() {\n    a();")]);
    assert_eq!(whole, ok("fn f() {\n    b();\n}\n\nfn g() {\n    a();\n}\n"));
}

#[test]
fn added_lines_are_not_indented_by_a_width_that_nothing_tells() {
    let go = "func f() {\n\tif a {\n\t\tfoo()\n\t\tbar()\n\t}\n}\n";
    let python = "class A:\n    def f(self):\n        foo()\n        bar()\n";
    let add = |file: &str, indent: &str, level: &str| {
        let before = format!("{indent}foo()\n{indent}bar()\n");
        let after = format!("{indent}foo()\n{indent}if x:\n{indent}{level}baz()\n{indent}bar()\n");
        made(file, &[hunk(&before, &after)])
    };
    let with = |file: &str, indent: &str, level: &str| {
        ok(&file.replace("foo()\n", &format!("foo()\n{indent}if x:\n{indent}{level}baz()\n")))
    };
    assert_eq!(add(go, "        ", "    "), with(go, "\t\t", "\t"));
    assert_eq!(add(go, "    ", "    "), Err(Code::SearchNotFound), "two spaces for a tab, or a level less?");
    assert_eq!(add(go, "", "    "), with(go, "\t\t", "\t"), "all of the file's steps are tabs");
    assert_eq!(add(go, "", "\t"), with(go, "\t\t", "\t"));
    assert_eq!(add(python, "\t\t", "\t"), with(python, "        ", "    "));
    assert_eq!(add(python, "\t", "\t"), Err(Code::SearchNotFound));
    assert_eq!(add(python, "", "\t"), Err(Code::SearchNotFound));
    // A comment is aligned by one blank.
    let file = "\t/**\n\t * a\n\t */\n";
    assert_eq!(made(file, &[hunk("/**\n", "/**\n * b\n")]), ok("\t/**\n\t * b\n\t * a\n\t */\n"));
}

#[test]
fn the_first_line_alone_may_have_lost_its_indentation() {
    let file = "class A:\n    def f(self):\n        x = 1\n        return x\n";
    let lost = "def f(self):\n        x = 1\n        return x\n";
    let at = |before: &str, after: &str| made(file, &[hunk(before, after)]);
    let expected = "class A:\n    def f(self):\n        x = 1\n        y = 2\n        return x\n";
    let after = "def f(self):\n        x = 1\n        y = 2\n        return x\n";
    assert_eq!(at(lost, after), ok(expected));
    assert_eq!(run(file, &[hunk(lost, after)]).unwrap().matched[0].tier, Tier::Indent);
    let renamed = lost.replace("def f", "def g");
    assert_eq!(at(lost, &renamed), ok(&file.replace("def f", "def g")), "what comes for it lost it too");
    assert_eq!(
        at(lost, &format!("@cached\n{lost}")),
        ok(&file.replace("    def f", "    @cached\n    def f"))
    );
    // Another line, a second difference, or a new line in the first column: none of that.
    for (before, after) in [
        ("    def f(self):\n        x = 1\nreturn x\n", "    def f(self):\n        x = 2\nreturn x\n"),
        (
            "def f(self):\n        x = 1\n        return  x\n",
            "def f(self):\n        x = 2\n        return  x\n",
        ),
        (lost, "def f(self):\n        x = 1\n        return x\ndef g(self):\n        pass\n"),
    ] {
        assert_eq!(at(before, after), Err(Code::SearchNotFound), "{before}{after}");
    }
    // The lines that did not lose it say which region is meant.
    let twice = format!("{file}  def f(self):\n    x = 1\n    return x\n");
    assert!(made(&twice, &[hunk(lost, after)]).is_ok());
}
