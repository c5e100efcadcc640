//! An elision: a line in place of lines that are left out, which stay.

use crate::answer::{diffs, each, search_replace, texts};
use crate::check::{lands, refused};

const PYTHON: &str = "\
def f(cfg):
    a = read(cfg)
    b = a + 1
    c = b + 1
    return c

def g(cfg):
    pass
";

#[test]
fn a_bare_line_of_dots_stands_for_any_lines() {
    let find = "def f(cfg):\n    ...\n    return c";
    let put = "def f(cfg):\n    ...\n    return c + 1";
    lands("a.py", PYTHON, each("a.py", find, put), &PYTHON.replace("return c", "return c + 1"));
    let file = "fn f() {\n    let a = 1;\n    let b = 2;\n    a + b\n}\n";
    let find = "fn f() {\n    ...\n    a + b\n}";
    lands("a.rs", file, each("a.rs", find, &find.replace("a + b", "a - b")), &file.replace("a + b", "a - b"));
}

#[test]
fn a_comment_that_says_so_stands_for_any_lines() {
    for comment in ["# ...", "# ... existing code ...", "# (rest of the function unchanged)"] {
        let find = format!("def f(cfg):\n    {comment}\n    return c");
        let put = format!("def f(cfg):\n    {comment}\n    return c + 1");
        lands("a.py", PYTHON, each("a.py", &find, &put), &PYTHON.replace("return c", "return c + 1"));
    }
    for comment in ["# ... and so on", "# rest of the function", "# b and c"] {
        let find = format!("def f(cfg):\n    {comment}\n    return c");
        let put = format!("def f(cfg):\n    {comment}\n    return c + 1");
        refused("a.py", PYTHON, each("a.py", &find, &put));
    }
    let file = "function f() {\n  const a = 1;\n  const b = 2;\n  return a + b;\n}\n";
    let find = "function f() {\n  // ... existing code ...\n  return a + b;\n}";
    let expected = file.replace("a + b", "a - b");
    lands("a.js", file, each("a.js", find, &find.replace("a + b", "a - b")), &expected);
}

#[test]
fn lines_on_both_sides_may_change() {
    let find = "def f(cfg):\n    ...\n    return c";
    let put = "def f(cfg, more):\n    ...\n    return c + more";
    let expected = PYTHON.replace("def f(cfg)", "def f(cfg, more)").replace("return c", "return c + more");
    lands("a.py", PYTHON, each("a.py", find, put), &expected);
}

#[test]
fn a_real_line_of_dots_is_found_first() {
    let file = "class P:\n    def f(self):\n        ...\n    x = 1\n\nclass Q:\n    def f(self):\n        go()\n    x = 2\n";
    let find = "    def f(self):\n        ...\n    x = 1";
    lands("a.py", file, each("a.py", find, &find.replace("x = 1", "x = 3")), &file.replace("x = 1", "x = 3"));
}

#[test]
fn dots_that_stand_in_one_text_only_are_refused() {
    // The lines in place of the dots would be removed, or it is not known what to add.
    let find = "def f(cfg):\n    ...\n    return c";
    refused("a.py", PYTHON, each("a.py", find, "def f(cfg):\n    return c + 1"));
    let find = "def f(cfg):\n    a = read(cfg)\n    b = a + 1\n    c = b + 1\n    return c";
    refused("a.py", PYTHON, each("a.py", find, "def f(cfg):\n    ...\n    return c + 1"));
}

#[test]
fn lines_that_match_twice_in_the_file_are_refused() {
    let find = "def f(cfg):\n    ...\n    return c";
    let file = PYTHON.replace("    pass", "    d = 1\n    return c");
    refused("a.py", &file, each("a.py", find, &find.replace("return c", "return c + 1")));
    // The same if these lines stay.
    refused("a.py", &file, each("a.py", find, &find.replace("f(cfg)", "f(cfg, more)")));
    let file = "fn f() {\n    a();\n}\n\nfn g() {\n    b();\n}\n";
    let find = "fn f() {\n    // ...\n}";
    refused("a.rs", file, each("a.rs", find, "fn f() {\n    // ...\n    log();\n}"));
}

#[test]
fn another_block_between_them_is_refused() {
    let find = "def f(cfg):\n    ...\n    pass";
    refused("a.py", PYTHON, each("a.py", find, &find.replace("pass", "return cfg")));
    let find = "    c = b + 1\n    ...\n    pass";
    refused("a.py", PYTHON, each("a.py", find, &find.replace("pass", "return cfg")));
    let find = "def f(cfg):\n    ...\ndef g(cfg):";
    lands(
        "a.py",
        PYTHON,
        each("a.py", find, &find.replace("g(cfg)", "h(cfg)")),
        &PYTHON.replace("def g", "def h"),
    );
}

#[test]
fn one_shift_fits_all_of_them() {
    let file = "class A:\n    def f(self):\n        a = 1\n        b = 2\n\nc = 3\n";
    let find = "def f(self):\n    # ...\n    b = 2";
    lands("a.py", file, each("a.py", find, &find.replace("= 2", "= 9")), &file.replace("= 2", "= 9"));
    let find = "class A:\n    # ...\n    b = 2";
    refused("a.py", file, each("a.py", find, &find.replace("= 2", "= 9")));
}

#[test]
fn a_heading_that_names_another_block_is_refused() {
    let hunk = " def f(cfg):\n ...\n-    return c\n+    return d\n";
    lands(
        "a.py",
        PYTHON,
        diffs("a.py", &format!("@@ def f(cfg):\n{hunk}")),
        &PYTHON.replace("return c", "return d"),
    );
    refused("a.py", PYTHON, diffs("a.py", &format!("@@ def g(cfg):\n{hunk}")));
}

#[test]
fn line_ends_and_a_missing_newline_stay() {
    let file = PYTHON.trim_end().replace('\n', "\r\n");
    let find = "def f(cfg):\n    ...\n    return c\n\ndef g(cfg):\n    pass";
    let put = "def f(cfg):\n    log()\n    ...\n    return c\n\ndef g(cfg):\n    pass";
    lands(
        "a.py",
        &file,
        texts("a.py", &[(find, put)]),
        &file.replace("(cfg):\r\n    a", "(cfg):\r\n    log()\r\n    a"),
    );
}

#[test]
fn what_stands_around_it_has_to_be_there() {
    let find = "def f(cfg):\n    ...\n    return cc";
    refused("a.py", PYTHON, each("a.py", find, &find.replace("cc", "c + 1")));
    refused("a.py", PYTHON, search_replace("a.py", "...\n", "...\nx = 1\n"));
    refused("a.py", PYTHON, diffs("a.py", "@@\n ...\n+x = 1\n"));
}

#[test]
fn what_is_left_out_is_of_one_section() {
    let toml = "[a]\nx = 1\nw = 2\n\n[b]\ny = 2\n";
    refused("a.toml", toml, each("a.toml", "[a]\n# ...\ny = 2", "[a]\n# ...\ny = 3"));
    let (find, put) = ("[a]\n# ...\nw = 2", "[a]\n# ...\nw = 3");
    lands("a.toml", toml, each("a.toml", find, put), &toml.replace("w = 2", "w = 3"));
    let text = "# Calc\n\n## Install\n\nGet it.\n\n## Usage\n\nRun it.\n";
    refused("a.md", text, each("a.md", "## Install\n\n...\n\nRun it.", "## Install\n\n...\n\nCall it."));
    let (find, put) = ("# Calc\n\n...\n\nRun it.", "# Calc\n\n...\n\nCall it.");
    lands("a.md", text, each("a.md", find, put), &text.replace("Run it", "Call it"));
}
