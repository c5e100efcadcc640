//! Bodies with elisions.

use super::{makes, refuses};

const PYTHON: &str = "def a(x):\n    b()\n    c()\n    d()\n    if x:\n        c()\n    e()\n    return x\n";

#[test]
fn the_statements_next_to_an_elision_tell_its_place() {
    makes(
        "a.py",
        PYTHON,
        "def a(x):\n    b()\n    # ... existing code ...\n    e()\n    f()\n    return x\n",
        "def a(x):\n    b()\n    c()\n    d()\n    if x:\n        c()\n    e()\n    f()\n    return x\n",
    );
    makes(
        "a.py",
        PYTHON,
        "def a(x, y):\n    # ... existing code ...\n    d()\n    if y:\n        g()\n    e()\n    # ... existing code ...\n",
        "def a(x, y):\n    b()\n    c()\n    d()\n    if y:\n        g()\n    e()\n    return x\n",
    );
    makes(
        "a.rs",
        "fn a() -> u8 {\n    b();\n    c();\n    d();\n    1\n}\n",
        "fn a() -> u8 {\n    // ... existing code ...\n    d();\n    2\n}\n",
        "fn a() -> u8 {\n    b();\n    c();\n    d();\n    2\n}\n",
    );
    makes(
        "a.ts",
        "export const a = () => {\n  b();\n  c();\n  d();\n};\n",
        "export const a = () => {\n  b();\n  x();\n  c();\n  // ... rest of the function ...\n};\n",
        "export const a = () => {\n  b();\n  x();\n  c();\n  d();\n};\n",
    );
    makes(
        "a.go",
        "package a\n\nfunc A() {\n\tb()\n\tc()\n\td()\n}\n",
        "func A() {\n\t// ... existing code ...\n\td()\n\te()\n}\n",
        "package a\n\nfunc A() {\n\tb()\n\tc()\n\td()\n\te()\n}\n",
    );
    makes(
        "A.java",
        "class A {\n  void a() {\n    b();\n    c();\n    d();\n  }\n}\n",
        "class A {\n  void a() {\n    b();\n    x();\n    c();\n    // ... existing code ...\n  }\n}\n",
        "class A {\n  void a() {\n    b();\n    x();\n    c();\n    d();\n  }\n}\n",
    );
    makes(
        "a.c",
        "int a(void) {\n    b();\n    c();\n    return 1;\n}\n",
        "int a(void) {\n    // ... existing code ...\n    c();\n    return 2;\n}\n",
        "int a(void) {\n    b();\n    c();\n    return 2;\n}\n",
    );
}

#[test]
fn a_statement_next_to_an_elision_is_unique_in_the_file_and_in_order() {
    let refusal =
        refuses("a.py", PYTHON, "def a(x):\n    b()\n    # ...\n    z()\n    return x\n", "does not have");
    assert_eq!((refusal.line, refusal.file_line), (3, Some(0)));
    refuses(
        "a.py",
        PYTHON,
        "def a(x):\n    # ...\n    e()\n    # ...\n    b()\n    # ...\n",
        "does not have",
    );
    let twice = "fn a() {\n    b();\n    c();\n    b();\n    d();\n}\n";
    refuses("a.rs", twice, "fn a() {\n    // ...\n    b();\n    x();\n}\n", "more than one");
    refuses(
        "a.js",
        "function a() {\n  b();\n  c();\n}\n",
        "function a() {\n  // ...\n  c() ;\n  d();\n}\n",
        "does not have",
    );
}

#[test]
fn no_line_beside_an_elision_is_removed_without_a_replacement() {
    let snippet = "def a(x):\n    b()\n    d()\n    # ... existing code ...\n    return x\n";
    refuses("a.py", PYTHON, snippet, "lacks 1 line of");
    let file = "fn a() {\n    b();\n    // Why.\n    c();\n    d();\n}\n";
    refuses("a.rs", file, "fn a() {\n    b();\n    x();\n    d();\n    // ...\n}\n", "lacks a comment");
}

#[test]
fn a_function_keeps_statements_that_nothing_replaces() {
    let file =
        "fn a(x: u8) -> u8 {\n    b();\n    c();\n    if x {\n        d();\n    }\n    h();\n    e(x)\n}\n";
    // Compared by lines, the changed head would look like a replacement of the lost lines.
    refuses("a.rs", file, "fn a(y: u8) -> u8 {\n    h();\n    i();\n    e(y)\n}\n", "lacks 5 lines of");
    let behind = "fn a() {\n    if x() {\n        y();\n        z();\n    }\n    b();\n}\n";
    let file = "fn a() {\n    b();\n    c();\n    d();\n    if e() {\n        f();\n    }\n    g();\n}\n";
    let refusal = refuses("a.rs", file, behind, "lacks 6 lines of");
    assert_eq!(refusal.file_line, Some(2));
    let file = "class A {\n  a(x) {\n    b();\n    c();\n    d();\n    z();\n    return e(x);\n  }\n}\n";
    let class = "class A {\n  a(x, y) {\n    z();\n    f();\n    return e(y);\n  }\n}\n";
    refuses("a.ts", file, class, "lacks 3 lines of");
    // A `return` with a value at the end must not be lost.
    let file = "def a(x):\n    \"\"\"A.\"\"\"\n    b(x)\n    c(x)\n    return x\n";
    refuses("a.py", file, &file.replace("A.", "B.").replace("    return x\n", ""), "lacks 1 line of");
    makes("a.py", file, &file.replace("    b(x)\n", ""), &file.replace("    b(x)\n", ""));
    let ends = file.replace("return x", "d(x)");
    makes("a.py", &ends, &ends.replace("    d(x)\n", ""), &ends.replace("    d(x)\n", ""));
}

#[test]
fn a_comment_keeps_a_line_that_nothing_replaces() {
    let file = "/// Refuses a line that begins a conflict, unless the file has it.\n/// Models sometimes repeat a divider, or omit a line.\nfn a() {}\n";
    let snippet = "/// Refuses a line that begins a conflict, or divides a block, unless the file\n/// has it.\nfn a() {}\n";
    refuses("a.rs", file, snippet, "lacks a comment of");
    let whole = "/// Refuses a line that begins a conflict, or divides a block, unless the file has it.\n/// Models repeat a divider.\nfn a() {}\n";
    makes("a.rs", file, whole, whole);
}

#[test]
fn an_elision_within_a_statement_is_refused() {
    let snippet =
        "def a(x):\n    b()\n    # ...\n    if x:\n        # ...\n        g()\n    e()\n    return x\n";
    refuses("a.py", PYTHON, snippet, "not clear what");
    let file = "export const A = () => {\n  return <p><b/></p>;\n};\n";
    let snippet = "export const A = () => {\n  return <p>\n    {/* ... existing ... */}\n    <i/></p>;\n};\n";
    refuses("a.tsx", file, snippet, "not clear what");
    refuses("a.js", "const a = [1, 2];\n", "const a = [\n  // ...\n  3,\n];\n", "not clear what");
    refuses(
        "a.py",
        "def b():\n    pass\n",
        "def b():\n    pass\n\n\ndef c():\n    # ...\n    d()\n",
        "does not have",
    );
}

#[test]
fn an_elision_covers_a_comment_that_begins_a_body() {
    let file = "class A:\n    # Why.\n    def f(self):\n        # What,\n        # and how.\n        b()\n        c()\n        return 1\n";
    let after = file.replace("c()", "c(2)");
    let function = "def f(self):\n    # ... existing code ...\n    b()\n    c(2)\n    return 1\n";
    makes("a.py", file, function, &after);
    let class = format!("class A:\n    # ... existing code ...\n    {}", function.replace('\n', "\n    "));
    makes("a.py", file, class.trim_end_matches(' '), &after);
    let head = class.replace("A:", "A(B):").replace("(self)", "(self, d)");
    makes("a.py", file, head.trim_end_matches(' '), &after.replace("A:", "A(B):").replace("self", "self, d"));
    // Here, the elision is only below it.
    let function = "def f(self):\n    b()\n    # ... existing code ...\n    c()\n    return 2\n";
    refuses("a.py", file, function, "lacks a comment of");
}
