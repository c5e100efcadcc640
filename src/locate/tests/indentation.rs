//! How added lines are indented.

use super::{LIMITS, apply_to, at, hunk, made, ok, run, text_hunk, tier, version};
use crate::diag::Code;
use crate::edit::{Change, Hunk};
use crate::guard::Guard;
use crate::locate::{Limits, Outcome, Repeat, Tier};
use crate::text::Language;

#[test]
fn added_lines_are_shifted_like_the_matched_lines() {
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
fn an_edit_of_the_indentation_alone_is_applied_once() {
    let deeper = |file: &str| run(file, &[hunk("a\n", "  a\n")]);
    assert_eq!(deeper("a\n").unwrap().version.content().to_bytes(), b"  a\n");
    assert_eq!(deeper("  a\n").unwrap().outcome, Outcome::AlreadyApplied);
    assert_eq!(
        deeper("    a\n").unwrap_err()[0].code,
        Code::SearchNotFound,
        "how far is the result indented?"
    );
    // A context line shows how far.
    assert_eq!(
        tier("  if x:\n    a\n", "if x:\n  a\n", "if x:\n    a\n"),
        at(Tier::Indent, "  if x:\n      a\n")
    );
}

#[test]
fn a_search_text_without_indentation_does_not_indent_the_replacement_again() {
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
fn new_lines_are_indented_like_the_line_that_they_replace() {
    let file = "fn f() {\n    a();\n}\n";
    let at = |after: &str| made(file, &[text_hunk("a();", after)]);
    assert_eq!(at("b();"), ok("fn f() {\n    b();\n}\n"));
    assert_eq!(at("b();\n    a();"), Err(Code::SearchNotFound), "four columns, or eight?");
    assert_eq!(at("b(\n        1,\n    );"), Err(Code::SearchNotFound));
    assert_eq!(at("b();\na();"), ok("fn f() {\n    b();\n    a();\n}\n"), "indented with it");
    assert_eq!(at("if b {\n    a();\n}"), ok("fn f() {\n    if b {\n        a();\n    }\n}\n"));
    assert_eq!(at("if b {\n            a();"), Err(Code::SearchNotFound), "twelve columns, or sixteen?");
    let whole = made(file, &[text_hunk("    a();", "    b();\n}\n\nfn g() {\n    a();")]);
    assert_eq!(whole, ok("fn f() {\n    b();\n}\n\nfn g() {\n    a();\n}\n"));
}

#[test]
fn added_lines_are_not_indented_by_an_unknown_width() {
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
    // The star of a comment is aligned by one space.
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
    // Not if another line lost its indentation, or if an added line begins in the first column.
    for (before, after) in [
        ("    def f(self):\n        x = 1\nreturn x\n", "    def f(self):\n        x = 2\nreturn x\n"),
        (lost, "def f(self):\n        x = 1\n        return x\ndef g(self):\n        pass\n"),
    ] {
        assert_eq!(at(before, after), Err(Code::SearchNotFound), "{before}{after}");
    }
    let twice = format!("{file}  def f(self):\n    x = 1\n    return x\n");
    assert_eq!(
        made(&twice, &[hunk(lost, after)]),
        Err(Code::SearchAmbiguous),
        "or all of them are indented otherwise"
    );
}

/// Returns a file of this name with the hunk applied, or the code of the refusal.
fn in_file(path: &str, file: &str, edit: Hunk) -> Result<String, Code> {
    let limits = Limits { guard: Guard { language: Language::of(path), ..LIMITS.guard }, ..LIMITS };
    let applied = apply_to(&version(file), &[edit], &[Repeat::ONCE], &limits);
    let applied = applied.map_err(|refusals| refusals[0].code)?;
    Ok(String::from_utf8(applied.version.content().to_bytes()).unwrap())
}

fn diff(lines: &str) -> Hunk {
    let change = Change::Diff { lines: lines.into(), before_unterminated: false, after_unterminated: false };
    Hunk { change, ..hunk("", "") }
}

const UNKNOWN: Result<String, Code> = Err(Code::SearchNotFound);

#[test]
fn steps_of_another_width_are_one_mapping() {
    let file = "def f(a):\n    if a:\n        b()\n    return a\n";
    let (before, after) =
        ("def f(a):\n  if a:\n    b()\n", "def f(a):\n  if a:\n    b()\n    if c:\n      d()\n");
    let expected = file.replace("b()\n", "b()\n        if c:\n            d()\n");
    assert_eq!(tier(file, before, after), at(Tier::Indent, &expected), "two blanks for four");
    let back =
        tier(&expected.replace("    ", "  "), &after.replace("  ", "    "), &before.replace("  ", "    "));
    assert_eq!(back, at(Tier::Indent, &file.replace("    ", "  ")));
    let tabs = |text: &str| text.replace("    ", "\t");
    assert_eq!(tier(&tabs(file), before, after), at(Tier::Indent, &tabs(&expected)), "tabs for two blanks");
    let deep = |text: &str| text.lines().map(|line| format!("\t\t{line}\n")).collect::<String>();
    let deeper = tier(&deep(&tabs(file)), before, after);
    assert_eq!(deeper, at(Tier::Indent, &deep(&tabs(&expected))), "dedented, too");
    // In the file, the lines are in other blocks than in the search text.
    assert_eq!(made(file, &[hunk("def f(a):\n  if a:\n  b()\n", "def f(a):\n")]), UNKNOWN);
    assert_eq!(made("if a:\n  b()\nc()\n", &[hunk("if a:\n  b()\n  c()\n", "")]), UNKNOWN);
    let makefile = "all:\n\tcc a.c\n        cc b.c\n";
    assert_eq!(
        made(makefile, &[hunk("all:\n    cc a.c\n\tcc b.c\n", "all:\n")]),
        UNKNOWN,
        "which is the deeper one?"
    );
}

#[test]
fn with_other_steps_an_unknown_indentation_is_refused() {
    let file = "def f(a):\n    if a:\n        b()\n    return a\n";
    let add = |line: &str| {
        let before = "  if a:\n    b()\n  return a\n";
        made(file, &[hunk(&format!("def f(a):\n{before}"), &format!("def f(a):\n{before}{line}\n"))])
    };
    assert_eq!(add("  c()"), Ok(format!("{file}    c()\n")));
    assert_eq!(add("c()"), Ok(format!("{file}c()\n")));
    assert_eq!(add("      c()"), Ok(format!("{file}            c()\n")), "a step deeper than all of them");
    assert_eq!(add("   c()"), UNKNOWN, "half a step");
    assert_eq!(add("\tc()"), UNKNOWN);
    let inner = |line: &str| {
        made(
            &file.replace("    ", "\t"),
            &[hunk("  if a:\n    b()\n", &format!("  if a:\n    b()\n{line}\n"))],
        )
    };
    assert_eq!(inner("}"), UNKNOWN, "less deep than all of them");
    assert_eq!(inner("  d()"), Ok(file.replace("    ", "\t").replace("b()\n", "b()\n\td()\n")));
}

#[test]
fn a_prefix_that_was_seen_at_one_indentation_may_be_another_step() {
    // The file has two spaces more, or four for two.
    let file = "a {\n    b()\n    c()\n    d {\n        e()\n    }\n}\n";
    let add = |file: &str, indent: &str, line: &str| {
        let before = format!("{indent}b()\n{indent}c()\n");
        made(file, &[hunk(&before, &format!("{before}{line}\n"))])
    };
    let with = |file: &str, line: &str| Ok(file.replace("c()\n", &format!("c()\n{line}\n")));
    assert_eq!(add(file, "  ", "  x()"), with(file, "    x()"), "as deep as those that were seen");
    assert_eq!(add(file, "  ", "    x()"), UNKNOWN);
    assert_eq!(add(file, "  ", "x()"), UNKNOWN);
    // The file has no steps of two.
    assert_eq!(add(file, "        ", "            x()"), with(file, "        x()"));
    assert_eq!(add(&format!("{file}z {{\n  y\n}}\n"), "        ", "            x()"), UNKNOWN);
    // The search text has the indentation of the file, so an added line may have any depth.
    assert_eq!(add(file, "    ", " x()"), with(file, " x()"));
    assert_eq!(add(file, "", "    x()"), with(file, "        x()"));
    assert_eq!(add(file, "", "  x()"), UNKNOWN, "a line of the file is four deeper");
    assert_eq!(add(file, "   ", "      x()"), UNKNOWN, "three for four");
    assert_eq!(add(file, "   ", "     x()"), UNKNOWN, "half a step");
    assert_eq!(add(file, "   ", "       x()"), with(file, "        x()"), "one blank less");
    assert_eq!(add(file, "\t", "\t\tx()"), with(file, "        x()"));
    let half = "a {\n  b {\n    b()\n    c()\n  }\n}\n";
    assert_eq!(add(half, "\t", "\t\tx()"), UNKNOWN, "a tab, or two that were one");
    let tabs = file.replace("    ", "\t");
    assert_eq!(add(&tabs, "\t\t", "\t\t    x()"), UNKNOWN, "four blanks, or a tab?");
    assert_eq!(add(&tabs, "\t", "\t    x()"), with(&tabs, "\t    x()"), "as it is");
}

#[test]
fn in_a_mixed_file_added_lines_use_tabs_or_spaces_like_the_lines_nearby() {
    let file = "const YAML = `\na:\n  b: 1\n`\n\nfunc f() {\n\tg()\n}\n";
    let yaml = in_file("a.go", file, hunk("a:\n", "a:\n  c: 2\n"));
    assert_eq!(yaml, ok(&file.replace("a:\n", "a:\n  c: 2\n")));
    let code = in_file("a.go", file, hunk("func f() {\n", "func f() {\n    h()\n"));
    assert_eq!(code, UNKNOWN, "it stands between both, and tabs may have been lost");
    let code = in_file("a.go", file, hunk("func f() {\n", "func f() {\n\th()\n"));
    assert_eq!(code, ok(&file.replace("f() {\n", "f() {\n\th()\n")));
    let more = format!("{file}\nfunc k() {{\n}}\n\nfunc l() {{\n\tg()\n}}\n");
    let code = in_file("a.go", &more, hunk("func k() {\n", "func k() {\n    h()\n"));
    assert_eq!(code, ok(&more.replace("k() {\n", "k() {\n\th()\n")));
    let flat = in_file("a.go", "package a\n", hunk("package a\n", "package a\n\nfunc f() {\n  g()\n}\n"));
    assert_eq!(flat, ok("package a\n\nfunc f() {\n  g()\n}\n"), "it has none");
    let blank = in_file("a.go", "a {\n  \n}\n", hunk("a {\n", "a {\n\tb()\n"));
    assert_eq!(blank, ok("a {\n\tb()\n  \n}\n"), "a blank line shows none");
}

#[test]
fn unicode_spaces_become_spaces_in_the_indentation_of_code() {
    let file = "def f():\n    a()\n";
    let after = "    a()\n\u{a0}\u{a0}\u{a0} b('\u{a0}')\n\u{2003}\u{3000}\u{a0}\u{202f}c()\n\u{a0}\n";
    let added = in_file("a.py", file, hunk("    a()\n", after));
    assert_eq!(added, Ok(format!("{file}    b('\u{a0}')\n    c()\n \n")), "and nowhere else");
    assert_eq!(in_file("a.md", "a\n", hunk("a\n", "a\n\u{a0}b\n")), ok("a\n\u{a0}b\n"), "a text for people");
    let dedented = in_file("a.py", file, hunk("a()\n", "a()\nif b:\n\u{a0}\u{a0}\u{a0}\u{a0}c()\n"));
    assert_eq!(dedented, Ok(format!("{file}    if b:\n        c()\n")));
    let part = in_file("a.py", file, text_hunk("a()", "a()\nif b:\n\u{a0}\u{a0}\u{a0}\u{a0}c()"));
    assert_eq!(part, Ok(format!("{file}    if b:\n        c()\n")), "of a part of a line, too");
}

#[test]
fn a_context_line_that_lacks_one_space_lost_its_mark() {
    let file = "class A {\n    int a;\n    int b;\n    void f() {\n        g();\n    }\n}\n";
    let at = |lines: &str| in_file("a.java", file, diff(lines));
    let expected = file.replace("    int b;\n", "    int c;\n        // d\n");
    assert_eq!(
        at("    int a;\n-    int b;\n+    int c;\n+        // d\n"),
        ok(&expected),
        "beside one that goes"
    );
    assert_eq!(at("    int a;\n-    int b;\n+    int c;\n+        // d\n     void f() {\n"), ok(&expected));
    let expected = file.replace("    int b;\n", "    int c;\n    int b;\n");
    assert_eq!(at("    int a;\n+    int c;\n    int b;\n"), ok(&expected), "all of them");
    assert_eq!(at("    int a;\n+    int c;\n"), ok(&expected));
    let shifted = "    int a;\n-   int b;\n+   int c;\n";
    assert_eq!(at(shifted), ok(&file.replace("int b", "int c")), "what goes lacks it, too: a shift");
    // A search text that is not from a diff has no marks to lose.
    let texts = in_file("a.java", file, hunk("   int a;\n", "   int a;\n   int c;\n"));
    assert_eq!(texts, ok(&expected));
    assert_eq!(in_file("a.java", file, hunk("   int a;\n    int b;\n", "   int a;\n")), UNKNOWN);
}

#[test]
fn where_indentation_is_syntax_an_added_line_has_the_indentation_of_its_block() {
    let file = "import a\n\nclass A:\n    def f(self):\n        if a:\n            b()\n        return a\n";
    let put = |before: &str, line: &str| in_file("a.py", file, hunk(before, &format!("{before}{line}\n")));
    let with = |before: &str, line: &str| Ok(file.replace(before, &format!("{before}{line}\n")));
    // The added line begins a block.
    assert_eq!(put("class A:\n", "    x = 1"), with("class A:\n", "    x = 1"));
    assert_eq!(put("class A:\n", "  x = 1"), UNKNOWN);
    assert_eq!(put("class A:\n", "x = 1"), UNKNOWN);
    assert_eq!(put("class A:\n", "# x = 1"), with("class A:\n", "# x = 1"), "a comment has no depth");
    // The added line continues a block.
    let last = "            b()\n";
    for line in ["            c()", "        c()", "    c()", "c()"] {
        let end = "        return a\n";
        let whole = in_file("a.py", &file.replace(end, ""), hunk(last, &format!("{last}{line}\n")));
        assert_eq!(whole, Ok(file.replace(end, &format!("{line}\n"))), "{line}");
    }
    for line in ["          c()", "      c()", " c()", "\tc()"] {
        assert_eq!(put(last, line), UNKNOWN, "{line}");
        let changed = hunk(last, &format!("{line}\n"));
        assert_eq!(
            in_file("a.py", &file.replace(last, &format!("{last}{last}")), changed),
            Err(Code::SearchAmbiguous)
        );
    }
    // A closing bracket replaces one with the same indentation.
    let call = "f(\n        a,\n    )\nb = 1\n";
    let closed = in_file("a.py", call, hunk("    )\n", "    ).c\n"));
    assert_eq!(closed, ok(&call.replace(")\n", ").c\n")));
    // The head of a block may be renamed. If all lines of a block are replaced, it may get another indentation.
    let renamed = in_file("a.py", file, hunk("    def f(self):\n", "    def g(self):\n"));
    assert_eq!(renamed, ok(&file.replace("f(self)", "g(self)")));
    let body = hunk("        if a:\n            b()\n", "        if a:\n          c()\n");
    assert_eq!(in_file("a.py", file, body), ok(&file.replace("            b", "          c")));
    // In other languages the indentation does not matter.
    assert_eq!(in_file("a.js", file, hunk("class A:\n", "class A:\n  x\n")), with("class A:\n", "  x"));
}

#[test]
fn keys_of_a_yaml_item_are_aligned_behind_the_dash() {
    let file = "jobs:\n    - name: a\n    - name: b\n      run: b\n";
    let before = "jobs:\n  - name: a\n  - name: b\n";
    let at = |path: &str, line: &str| {
        in_file(path, file, hunk(before, &before.replace("a\n", &format!("a\n{line}\n"))))
    };
    assert_eq!(at("a.yml", "    run: a"), ok(&file.replace("name: a\n", "name: a\n      run: a\n")));
    assert_eq!(at("a.yml", "  - name: c"), ok(&file.replace("name: a\n", "name: a\n    - name: c\n")));
    assert_eq!(at("a.yml", "      run: a"), UNKNOWN);
    // A list may have the indentation of its key.
    let flat = "jobs:\n- name: a\n";
    let first = |line: &str| in_file("a.yml", flat, hunk("jobs:\n", &format!("jobs:\n{line}\n")));
    assert_eq!(first("- name: b"), ok("jobs:\n- name: b\n- name: a\n"));
    assert_eq!(first("  - name: b"), UNKNOWN);
    assert_eq!(in_file("a.yml", flat, hunk("jobs:\n  - name: a\n", "jobs:\n  - name: b\n")), UNKNOWN);
    assert_eq!(in_file("a.yml", file, hunk("jobs:\n- name: a\n", "jobs:\n- name: b\n")), UNKNOWN);
}

#[test]
fn the_space_that_aligns_a_star_is_no_step_and_stays() {
    let file = "/*\n * One\n */\nint f(void)\n{\n\tint a;\n\treturn a;\n}\n";
    let at = |before: &str, after: &str| in_file("a.c", file, hunk(before, after));
    let more = "/*\n * Two\n */\nint g(void)\n{\n    return 1;\n}\n";
    let expected = file.replace("int f", &format!("{}int f", more.replace("    ", "\t")));
    assert_eq!(
        at("int f(void)\n", &format!("{more}int f(void)\n")),
        Ok(expected),
        "beside none that shows it"
    );
    let more = "    /*\n     * Two\n     */\n    int b;\n";
    let expected = file.replace("\treturn", "\t/*\n\t * Two\n\t */\n\tint b;\n\treturn");
    assert_eq!(at("    return a;\n", &format!("{more}    return a;\n")), Ok(expected));
    let inner = file.replace("\tint a;\n", "\t/*\n\t * Two\n\t */\n\tint a;\n");
    let stars = "     * Two\n     */\n    int a;\n";
    let added =
        in_file("a.c", &inner, hunk(stars, &format!("     * Three\n{stars}    if (a)\n        g();\n")));
    let expected = inner.replace("\t * Two", "\t * Three\n\t * Two");
    assert_eq!(added, Ok(expected.replace("int a;\n", "int a;\n\tif (a)\n\t\tg();\n")));
}
