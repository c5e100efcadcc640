//! The rules, one by one, in several languages.

mod bodies;
mod containers;
mod traps;

use super::{MergeError, lost, merge, worse};

fn merged(path: &str, file: &str, snippet: &str) -> Result<String, MergeError> {
    merge(path, file, snippet, false)
}

/// Asserts the result of a merge, and that merging again changes nothing.
#[track_caller]
fn makes(path: &str, file: &str, snippet: &str, after: &str) {
    assert_eq!(merged(path, file, snippet).as_deref(), Ok(after));
    assert_eq!(merged(path, after, snippet).as_deref(), Ok(after), "again");
}

/// Asserts that a snippet is refused with these words.
#[track_caller]
fn refuses(path: &str, file: &str, snippet: &str, words: &str) -> MergeError {
    let refusal = merged(path, file, snippet).unwrap_err();
    assert!(refusal.message.contains(words), "{refusal:?}");
    refusal
}

#[test]
fn a_definition_is_replaced_alone() {
    makes(
        "a.py",
        "import os\n\n\ndef a():\n    return 1\n\n\ndef b():\n    return 2\n",
        "def b():\n    return 3\n",
        "import os\n\n\ndef a():\n    return 1\n\n\ndef b():\n    return 3\n",
    );
    makes(
        "a.rs",
        "fn a() -> u8 {\n    1\n}\n\nfn b() {}\n",
        "fn a() -> u8 {\n    2\n}\n",
        "fn a() -> u8 {\n    2\n}\n\nfn b() {}\n",
    );
    makes(
        "a.go",
        "package a\n\nfunc A() int {\n\treturn 1\n}\n",
        "func A() int {\n\treturn 2\n}\n",
        "package a\n\nfunc A() int {\n\treturn 2\n}\n",
    );
    makes(
        "a.c",
        "int a(void) {\n    return 1;\n}\nint b;\n",
        "int a(void) {\n    return 2;\n}\n",
        "int a(void) {\n    return 2;\n}\nint b;\n",
    );
    makes(
        "a.ts",
        "export const a = 1;\nconst b = 2;\n",
        "const b = 3;\n",
        "export const a = 1;\nconst b = 3;\n",
    );
    makes(
        "a.tsx",
        "export function A() {\n  return <p>1</p>;\n}\n",
        "export function A() {\n  return <b>1</b>;\n}\n",
        "export function A() {\n  return <b>1</b>;\n}\n",
    );
    makes(
        "A.java",
        "class A {\n  int f() {\n    return 1;\n  }\n  int g;\n}\n",
        "class A {\n  // ... existing code ...\n  int f() {\n    return 2;\n  }\n}\n",
        "class A {\n  int f() {\n    return 2;\n  }\n  int g;\n}\n",
    );
    makes(
        "a.json",
        "{\n  \"a\": 1,\n  \"b\": 2\n}\n",
        "{\n  // ... existing ...\n  \"b\": 3\n}\n",
        "{\n  \"a\": 1,\n  \"b\": 3\n}\n",
    );
}

#[test]
fn files_and_snippets_have_to_parse() {
    for (path, file, snippet) in [
        ("a.py", "def a(:\n", "def a():\n    return 1\n"),
        ("a.rs", "fn a( {\n", "fn a() {\n    1\n}\n"),
        ("a.js", "function a( {\n", "function a() {\n  b();\n}\n"),
    ] {
        refuses(path, file, snippet, "the file has a syntax error");
    }
    for (path, file, snippet) in [
        ("a.py", "def a():\n    return 1\n", "def a(:\n    return 2\n"),
        ("a.rs", "fn a() {\n    b()\n}\n", "fn a() {\n    c()\n"),
        ("a.js", "function a() {\n  b();\n}\n", "function a() {\n  c(;\n}\n"),
    ] {
        refuses(path, file, snippet, "the code block has a syntax error");
    }
    refuses("a.txt", "a\n", "b\n", "not known");
}

#[test]
fn common_indentation_is_removed() {
    let file = "class A:\n    def f(self):\n        return 1\n";
    makes(
        "a.py",
        file,
        "    class A:\n        def f(self):\n            return 2\n",
        "class A:\n    def f(self):\n        return 2\n",
    );
    let snippet = "\tclass A:\n    def f(self):\n        return 2\n";
    refuses("a.py", file, snippet, "indented");
}

#[test]
fn an_elision_says_only_that_code_is_left_out() {
    let file = "def a():\n    b()\n    c()\n    d()\n\n\ndef e():\n    pass\n";
    for comment in ["# keep this unchanged because it works", "# ... b, then the rest", "# rest of the code"]
    {
        let snippet = format!("def a():\n    {comment}\n    d()\n    f()\n");
        refuses("a.py", file, &snippet, "not clear what");
    }
    for comment in ["# ... existing code ...", "# ...", "# (rest unchanged)"] {
        let snippet = format!("def a():\n    {comment}\n    d()\n    f()\n");
        let after = "def a():\n    b()\n    c()\n    d()\n    f()\n\n\ndef e():\n    pass\n";
        makes("a.py", file, &snippet, after);
    }
    let behind = "def a():\n    b()  # ... existing code ...\n    d()\n    f()\n";
    refuses("a.py", file, behind, "not clear what");
    // A comment that the file has is not an elision.
    let own = "fn a() {\n    // ... rest ...\n    b();\n}\n";
    makes(
        "a.rs",
        own,
        "fn a() {\n    // ... rest ...\n    c();\n}\n",
        "fn a() {\n    // ... rest ...\n    c();\n}\n",
    );
}

#[test]
fn stubs_are_refused() {
    refuses("a.py", "def a():\n    b()\n", "def a():\n    ...\n", "lacks the body");
    refuses("a.py", "def a():\n    b()\n", "def a():\n    pass\n", "lacks the body");
    refuses("a.rs", "fn a() {\n    b();\n}\n", "fn a() {}\n", "lacks the body");
    refuses("a.go", "package a\n\nfunc A() {\n\tb()\n}\n", "func A() {\n}\n", "lacks the body");
    makes("a.py", "def a():\n    ...\n", "def a(b):\n    ...\n", "def a(b):\n    ...\n");
}

#[test]
fn other_statements_are_refused() {
    refuses("a.py", "def a():\n    return 1\n", "print(a())\n", "does not have");
    refuses("a.js", "function a() {\n  return 1;\n}\n", "console.log(a());\n", "does not have");
    refuses("a.rs", "mod a;\n", "#![allow(x)]\n", "does not have");
    makes("a.js", "const a = 1;\nrun(a);\n", "const a = 2;\nrun(a);\n", "const a = 2;\nrun(a);\n");
}

#[test]
fn decorators_comments_and_modifiers_are_required() {
    refuses("a.py", "@cached\ndef a():\n    return 1\n", "def a():\n    return 2\n", "lacks `@cached`");
    refuses(
        "a.py",
        "def a():\n    \"\"\"Doc.\"\"\"\n    return 1\n",
        "def a():\n    return 2\n",
        "lacks the docstring",
    );
    refuses(
        "a.rs",
        "#[inline]\nfn a() -> u8 {\n    1\n}\n",
        "fn a() -> u8 {\n    2\n}\n",
        "lacks `#[inline]`",
    );
    refuses("a.rs", "/// A.\nfn a() -> u8 {\n    1\n}\n", "fn a() -> u8 {\n    2\n}\n", "lacks the comment");
    refuses(
        "a.ts",
        "export function a() {\n  return 1;\n}\n",
        "function a() {\n  return 2;\n}\n",
        "lacks `export`",
    );
    refuses(
        "a.ts",
        "export default function a() {\n  return 1;\n}\n",
        "export function a() {\n  return 2;\n}\n",
        "lacks `default`",
    );
    refuses("A.java", "@Foo\nclass A {\n  int x;\n}\n", "class A {\n  long x;\n}\n", "lacks `@Foo`");
    refuses(
        "a.go",
        "package a\n\n// A is one.\nfunc A() int { return 1 }\n",
        "func A() int { return 2 }\n",
        "lacks the comment",
    );
    makes(
        "a.rs",
        "/// An a.\n#[inline]\nfn a() -> u8 {\n    1\n}\n",
        "/// A better a.\n#[inline]\n#[must_use]\nfn a() -> u8 {\n    2\n}\n",
        "/// A better a.\n#[inline]\n#[must_use]\nfn a() -> u8 {\n    2\n}\n",
    );
}

#[test]
fn imports_are_united() {
    makes(
        "a.py",
        "import os\n\n\ndef a():\n    return 1\n",
        "import os\nimport sys\n\n\ndef a():\n    return 2\n",
        "import os\nimport sys\n\n\ndef a():\n    return 2\n",
    );
    makes("a.py", "from a import b\nc = 1\n", "from a import b, d\nc = 2\n", "from a import b, d\nc = 2\n");
    refuses("a.py", "from a import b, c\nd = 1\n", "from a import b, e\nd = 2\n", "lacks names");
    makes("a.rs", "use a::{b, c};\nfn d() {}\n", "use a::{b, c, e};\n", "use a::{b, c, e};\nfn d() {}\n");
    refuses("a.rs", "use a::{b, c};\nfn d() {}\n", "use a::{b, e};\n", "lacks names");
    makes("a.rs", "use a::b;\nfn d() {}\n", "use a::b;\nuse a::c;\n", "use a::b;\nuse a::c;\nfn d() {}\n");
    refuses("a.rs", "use a::b;\nfn d() {}\n", "use e::b;\n", "more than one");
    makes(
        "a.ts",
        "import { a } from \"b\";\nlet c;\n",
        "import { a, d } from \"b\";\n",
        "import { a, d } from \"b\";\nlet c;\n",
    );
    refuses(
        "a.ts",
        "import type { a } from \"b\";\nlet c;\n",
        "import { a, d } from \"b\";\n",
        "lacks names",
    );
    makes(
        "a.go",
        "package a\n\nimport (\n\t\"fmt\"\n)\n",
        "import (\n\t\"fmt\"\n\t\"os\"\n)\n",
        "package a\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n",
    );
    makes(
        "A.java",
        "import a.B;\nclass A {\n}\n",
        "import a.B;\nimport a.C;\n",
        "import a.B;\nimport a.C;\nclass A {\n}\n",
    );
    makes(
        "a.c",
        "#include <a.h>\nint b;\n",
        "#include <a.h>\n#include <c.h>\n",
        "#include <a.h>\n#include <c.h>\nint b;\n",
    );
    refuses("a.py", "def a():\n    return 1\n", "import os\n\n\ndef a():\n    return 2\n", "not clear where");
}

#[test]
fn an_alias_is_not_the_name() {
    for (path, file, snippet) in [
        ("a.ts", "import { a, b } from \"x\";\nlet c;\n", "import { a as d, b } from \"x\";\n"),
        ("a.rs", "use std::io::{self, Read};\nfn d() {}\n", "use std::io::{self as sio, Read};\n"),
        ("a.rs", "use std::io::{self, Read};\nfn d() {}\n", "use std::io::{self, Read as R};\n"),
        ("a.py", "from a import b, c\nd = 1\n", "from a import b as e, c\n"),
        ("a.go", "package a\n\nimport (\n\t\"log\"\n)\n", "import (\n\tl \"log\"\n)\n"),
    ] {
        refuses(path, file, snippet, "lacks names");
    }
    let both = "import { a, a as d, b } from \"x\";\nlet c;\n";
    makes("a.ts", "import { a, b } from \"x\";\nlet c;\n", &both.replace("let c;\n", ""), both);
    for (path, file, snippet, name) in [
        (
            "a.go",
            "package a\n\nimport (\n\t\"fmt\"\n\tlog \"my/log\"\n)\n",
            "import (\n\t\"log\"\n)\n",
            "log",
        ),
        (
            "a.go",
            "package a\n\nimport (\n\t\"text/template\"\n)\n",
            "import \"html/template/v2\"\n",
            "template",
        ),
        ("a.rs", "use a::B as C;\nfn d() {}\n", "use e::C;\n", "C"),
        ("a.py", "import a as b\nd = 1\n", "from c import b\n", "b"),
    ] {
        let refusal =
            refuses(path, file, snippet, &format!("the result has more than one import of `{name}`"));
        assert!(refusal.file_line.is_some() && refusal.help.contains("another format"), "{refusal:?}");
    }
    let two = "package a\n\nimport (\n\t\"b/v2\"\n\t\"c/v2\"\n)\n";
    makes("a.go", &two.replace("\t\"c/v2\"\n", ""), "import (\n\t\"b/v2\"\n\t\"c/v2\"\n)\n", two);
}

#[test]
fn losing_is_refused() {
    let file = "def a():\n    one()\n    two()\n    three()\n    four()\n    five()\n    six()\n    seven()\n    eight()\n";
    let refusal = refuses(
        "a.py",
        file,
        "def a():\n    one()\n    five()\n    six()\n    seven()\n    eight()\n",
        "lacks 3 lines",
    );
    assert_eq!((refusal.loses, refusal.file_line), (true, Some(2)));
    refuses("a.py", file, "def a():\n    nine()\n", "lacks 7 lines");
    assert!(merge("a.py", file, "def a():\n    nine()\n", true).is_ok());
    // Lines that are lost in two places count together, because an elision may be forgotten.
    let (file, snippet) = ("def a():\n    b()\n    c()\n    d()\n    e()\n", "def a():\n    c()\n    d()\n");
    makes("a.py", file, snippet, snippet);
    let file = "def a():\n    b()\n    c()\n    d()\n    e()\n    f()\n";
    refuses("a.py", file, "def a():\n    c()\n    d()\n", "lacks 3 lines");
    refuses("a.rs", "fn a() {\n    // Why.\n    b();\n}\n", "fn a() {\n    c();\n}\n", "lacks a comment");
    refuses("a.py", "def a():\n    #: Why.\n    b()\n", "def a():\n    c()\n", "lacks a comment");
    refuses("a.js", "function a() {\n  b(); // why\n}\n", "function a() {\n  c();\n}\n", "lacks a comment");
    refuses(
        "a.py",
        "def a():\n    @b\n    def c():\n        return 1\n",
        "def a():\n    def c():\n        return 1\n",
        "lacks `@b`",
    );
    makes(
        "a.py",
        file,
        &file.replace("    two()\n    three()\n", ""),
        &file.replace("    two()\n    three()\n", ""),
    );
}

#[test]
fn lost_definitions_of_all_kinds_are_found() {
    for (path, file, gone) in [
        (
            "a.py",
            "class A:\n    N = 1\n\n    def f(self):\n        pass\n\n    def g(self):\n        pass\n",
            "",
        ),
        ("a.py", "class A:\n    M = 2\n    N = 1\n\n    def f(self):\n        pass\n", "M = 2"),
        (
            "a.rs",
            "struct A {\n    x: u8,\n    y: u8,\n}\n\nimpl A {\n    fn f() {}\n    fn g() {}\n}\n",
            "    fn g() {}",
        ),
        ("a.rs", "#[cfg(unix)]\nfn f() {}\n#[cfg(windows)]\nfn f() {}\n", "#[cfg(windows)]\nfn f() {}"),
        ("a.ts", "interface A {\n  a: string;\n  b: string;\n}\n", "  b: string;"),
        ("a.ts", "class A {\n  f() {}\n  g() {}\n}\n", "  g() {}"),
        (
            "a.ts",
            "function f(a: string): void;\nfunction f(a: number): void;\nfunction f(a: any) {}\n",
            "function f(a: number): void;",
        ),
        ("a.ts", "const f = () => {\n  g();\n};\nconst h = 1;\n", "const f = () => {\n  g();\n};"),
        ("A.java", "class A {\n  int x;\n  void f() {}\n  void f(int a) {}\n}\n", "  void f(int a) {}"),
        ("a.go", "type A struct {\n\tX int\n\tY int\n}\n", "\tY int"),
    ] {
        assert_eq!(lost(path, file, file), None, "{file}");
        let found = lost(path, file, &file.replacen(gone, "", 1));
        assert_eq!(found.is_some(), !gone.is_empty(), "{file} {found:?}");
    }
    // A moved definition, a value at top level, and texts that do not parse are not lost.
    let moved = (
        "class A:\n    def f(self):\n        pass\n\n\nclass B:\n    pass\n",
        "class A:\n    pass\n\n\nclass B:\n    def f(self):\n        pass\n",
    );
    for (before, after) in
        [moved, ("a = 1\nb = 2\n", "b = 2\n"), ("def a():\n    pass\n", "def a(:\n"), ("def a(:\n", "")]
    {
        assert_eq!(lost("a.py", before, after), None, "{before}");
    }
    assert_eq!(lost("a.txt", "def a(): pass\n", "\n"), None);
}

#[test]
fn a_syntax_error_is_compared_with_those_before() {
    assert_eq!(worse("a.py", "def a():\n    pass\n", "def a(\n    pass\n"), Some(0));
    assert_eq!(worse("a.py", "def a(:\n", "def a(:\n    x = 1\n"), None);
    assert_eq!(worse("a.rs", "fn a() {}\n", "fn a() { b(); }\n"), None);
}
