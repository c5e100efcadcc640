//! Lists of members, such as classes, and the places of new definitions.

use super::{makes, merged, refuses};

const PYTHON: &str = "class A:\n    \"\"\"Doc.\"\"\"\n\n    x = 1\n\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n\n\nclass B:\n    def f(self):\n        return 3\n";
const RUST: &str = "struct A {\n    x: u8,\n    y: u8,\n}\n\nimpl A {\n    fn f(&self) -> u8 {\n        1\n    }\n\n    fn g(&self) -> u8 {\n        2\n    }\n}\n\nimpl B for A {\n    fn f(&self) -> u8 {\n        3\n    }\n}\n";
const JAVA: &str =
    "class A {\n  int x = 1;\n\n  int f() {\n    return 1;\n  }\n\n  int g() {\n    return 2;\n  }\n}\n";

#[test]
fn a_container_with_elisions_is_merged_member_by_member() {
    makes(
        "a.py",
        PYTHON,
        "class A:\n    # ... other methods unchanged ...\n\n    def g(self):\n        return 4\n",
        &PYTHON.replace("return 2", "return 4"),
    );
    makes(
        "a.rs",
        RUST,
        "impl A {\n    // ... existing code ...\n\n    fn g(&self) -> u8 {\n        4\n    }\n}\n",
        &RUST.replace("        2\n", "        4\n"),
    );
    makes(
        "a.rs",
        RUST,
        "impl B for A {\n    // ...\n    fn f(&self) -> u8 {\n        4\n    }\n}\n",
        &RUST.replace("        3\n", "        4\n"),
    );
    makes(
        "A.java",
        JAVA,
        "class A {\n  // ... existing code ...\n  int f() {\n    return 4;\n  }\n  // ... existing code ...\n}\n",
        &JAVA.replace("return 1", "return 4"),
    );
    makes(
        "a.json",
        "{\n  \"a\": {\n    \"b\": 1,\n    \"c\": 2\n  },\n  \"d\": 3\n}\n",
        "{\n  \"a\": {\n    // ... existing ...\n    \"c\": 4\n  },\n  // ... existing ...\n}\n",
        "{\n  \"a\": {\n    \"b\": 1,\n    \"c\": 4\n  },\n  \"d\": 3\n}\n",
    );
}

#[test]
fn a_container_without_elision_shows_all_its_members() {
    let snippet = "class A:\n    def f(self):\n        return 4\n";
    let refusal = refuses("a.py", PYTHON, snippet, "lacks");
    assert!(!refusal.help.is_empty());
    refuses("a.rs", RUST, "impl A {\n    fn f(&self) -> u8 {\n        4\n    }\n}\n", "lacks function `g`");
    refuses("a.rs", RUST, "struct A {\n    x: u16,\n}\n", "lacks field `y`");
    refuses(
        "A.java",
        JAVA,
        "class A {\n  int x = 2;\n\n  int f() {\n    return 1;\n  }\n}\n",
        "lacks method `g`",
    );
    refuses("a.json", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "{\n  \"b\": 3\n}\n", "lacks key `\"a\"`");
    makes(
        "a.rs",
        RUST,
        "struct A {\n    x: u16,\n    y: u8,\n    z: u8,\n}\n",
        &RUST.replace("    x: u8,\n    y: u8,\n", "    x: u16,\n    y: u8,\n    z: u8,\n"),
    );
}

#[test]
fn a_header_must_not_lose_words() {
    let file = "class A(B):\n    def f(self):\n        return 1\n";
    refuses("a.py", file, "class A:\n    # ...\n    def f(self):\n        return 2\n", "lacks `(`");
    makes(
        "a.py",
        file,
        "class A(B, C):\n    # ...\n    def f(self):\n        return 2\n",
        "class A(B, C):\n    def f(self):\n        return 2\n",
    );
    let file = "class A extends B {\n  f() {\n    return 1;\n  }\n}\n";
    refuses("a.js", file, "class A {\n  // ...\n  f() {\n    return 2;\n  }\n}\n", "lacks `extends`");
    refuses(
        "a.rs",
        RUST,
        "impl<T> A<T> {\n    // ...\n    fn f(&self) -> u8 {\n        2\n    }\n}\n",
        "does not have",
    );
}

#[test]
fn new_definitions_go_beside_their_neighbours() {
    makes(
        "a.py",
        PYTHON,
        "class A:\n    # ... existing code ...\n\n    def f(self):\n        return 1\n\n    def between(self):\n        return 5\n\n    # ... existing code ...\n",
        &PYTHON
            .replace("        return 1\n", "        return 1\n\n    def between(self):\n        return 5\n"),
    );
    makes(
        "a.py",
        PYTHON,
        "class A:\n    # ... existing code ...\n\n    def last(self):\n        return 5\n",
        &PYTHON.replace("        return 2\n", "        return 2\n\n    def last(self):\n        return 5\n"),
    );
    makes(
        "a.rs",
        "enum A {\n    One,\n    Two,\n}\n",
        "enum A {\n    // ...\n    Two,\n    Three,\n}\n",
        "enum A {\n    One,\n    Two,\n    Three,\n}\n",
    );
    makes(
        "a.json",
        "{\n  \"a\": 1,\n  \"b\": 2\n}\n",
        "{\n  // ...\n  \"b\": 2,\n  \"c\": 3\n}\n",
        "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n",
    );
    makes(
        "a.js",
        "function a() {\n  return 1;\n}\n\nfunction b() {\n  return 2;\n}\n",
        "function later() {\n  return 5;\n}\n\nfunction b() {\n  return 3;\n}\n",
        "function a() {\n  return 1;\n}\n\nfunction later() {\n  return 5;\n}\n\nfunction b() {\n  return 3;\n}\n",
    );
    refuses("a.py", PYTHON, "def new():\n    return 1\n", "not clear where function `new` goes");
    refuses("a.rs", RUST, "fn new() {}\n", "not clear where");
    refuses(
        "A.java",
        JAVA,
        "class A {\n  // ...\n  int h() {\n    return 5;\n  }\n  // ...\n}\n",
        "not clear where",
    );
}

#[test]
fn a_new_name_that_is_similar_or_taken_is_refused() {
    let file = "def load(path):\n    return open(path)\n\n\ndef save(path):\n    return path\n";
    refuses(
        "a.py",
        file,
        "def loads(path):\n    return open(path)\n\n\ndef save(path):\n    return path\n",
        "may be",
    );
    refuses("a.py", PYTHON, "class A:\n    # ...\n\n\ndef f(self):\n    return 1\n", "may be");
    let file = "import a from \"b\";\nfunction c() {\n  return 1;\n}\n";
    refuses("a.js", file, "function c() {\n  return 2;\n}\nfunction a() {\n  return 1;\n}\n", "may be");
    let file = "fn long() -> u8 {\n    let a = one();\n    let b = two(a);\n    let c = three(b);\n    c\n}\n\nfn b() {}\n";
    let snippet = "fn b() {}\n\nfn renamed() -> u8 {\n    let a = one();\n    let b = two(a);\n    let c = three(b);\n    c\n}\n";
    refuses("a.rs", file, snippet, "may be");
}

#[test]
fn an_incomplete_whole_file_is_refused() {
    let file =
        "import os\n\n\ndef a():\n    return 1\n\n\ndef b():\n    return 2\n\n\ndef c():\n    return 3\n";
    let snippet = "import os\n\n\ndef a():\n    return 1\n\n\ndef b():\n    return 4\n";
    assert!(refuses("a.py", file, snippet, "lacks function `c`").help.contains("whole-file"));
    let elided = "import os\n\n# ... existing code ...\n\n\ndef b():\n    return 4\n";
    makes("a.py", file, elided, &file.replace("return 2", "return 4"));
    assert!(merged("a.py", file, "def b():\n    return 4\n").is_ok());
}

#[test]
fn the_comment_above_a_definition_with_elisions_stays() {
    let file = "import a.B;\n\n/** A. */\npublic class A {\n  int f() {\n    return 1;\n  }\n\n  int g() {\n    return 3;\n  }\n}\n";
    let snippet = "public class A {\n  // ...\n\n  int f() {\n    return 2;\n  }\n}\n";
    makes("A.java", file, snippet, &file.replace('1', "2"));
    let shown = format!("/** A is. */\n{snippet}");
    makes("A.java", file, &shown, &file.replace('1', "2").replace("A. ", "A is. "));
    let file = "/// A.\nfn a() {\n    b();\n    c();\n    d();\n}\n";
    makes(
        "a.rs",
        file,
        "fn a() {\n    // ...\n    d();\n    e();\n}\n",
        &file.replace("d();", "d();\n    e();"),
    );
    let file = "/// A.\n#[derive(Debug)]\nstruct A {\n    a: u8,\n    b: u8,\n}\n";
    let snippet = "#[derive(Debug)]\npub struct A {\n    // ...\n    b: u16,\n}\n";
    makes("a.rs", file, snippet, &file.replace("struct", "pub struct").replace("b: u8", "b: u16"));
    let file = "class A:\n    \"\"\"A.\"\"\"\n\n    def f(self):\n        return 1\n\n    x = 1\n";
    let snippet = "class A:\n    def f(self):\n        return 2\n\n    # ...\n";
    makes("a.py", file, snippet, &file.replace("return 1", "return 2"));
    // The comment of a member that is replaced does not stay.
    let file = "class A {\n  // F.\n  f() {\n    return 1;\n  }\n}\n";
    refuses("a.ts", file, "class A {\n  // ...\n  f() {\n    return 2;\n  }\n}\n", "lacks the comment");
}

#[test]
fn a_constructor_without_its_class() {
    let file = "class A {\n  final int x;\n\n  A(int x) {\n    this.x = x;\n  }\n\n  void f() {}\n}\n";
    makes("A.java", file, "A(int x) {\n  this.x = x + 1;\n}\n", &file.replace("= x;", "= x + 1;"));
    let two = format!("{file}\nclass B {{\n  A(int y) {{\n    this.x = y;\n  }}\n}}\n");
    refuses("A.java", &two, "A(int x) {\n  this.x = x + 1;\n}\n", "more than one constructor `A`");
}

#[test]
fn a_static_function_without_its_class() {
    let file = "impl A {\n    pub fn new(x: u8) -> Self {\n        A { x }\n    }\n}\n\nmod a {\n    fn one() {\n        a();\n    }\n}\n";
    makes(
        "a.rs",
        file,
        "pub fn new(x: u8) -> Self {\n    A { x: x + 1 }\n}\n",
        &file.replace("{ x }", "{ x: x + 1 }"),
    );
    // With another signature, it may be a new function. A function of a module is no method.
    refuses("a.rs", file, "pub fn new() -> A {\n    A { x: 1 }\n}\n", "may be function `new`");
    refuses("a.rs", file, "fn one() {\n    b();\n}\n", "may be function `one`");
    let two = format!("{file}\nimpl B {{\n    pub fn new(x: u8) -> Self {{\n        B\n    }}\n}}\n");
    refuses("a.rs", &two, "pub fn new(x: u8) -> Self {\n    B\n}\n", "may be function `new`");
    let file = "class A:\n    @staticmethod\n    def f(x):\n        return x\n";
    makes(
        "a.py",
        file,
        "@staticmethod\ndef f(x):\n    return x + 1\n",
        &file.replace("return x", "return x + 1"),
    );
    refuses("a.py", file, "def f(x):\n    return x + 1\n", "may be function `f`");
}

#[test]
fn a_class_without_members_gets_its_first_one() {
    for stub in ["pass", "..."] {
        let file = format!("class E(Exception):\n    {stub}\n");
        let snippet = "class E(Exception):\n    def __str__(self):\n        return \"e\"\n";
        makes("a.py", &file, snippet, snippet);
    }
    let file = "class E(Exception):\n    register(\"e\")\n    pass\n";
    let snippet = "class E(Exception):\n    def __str__(self):\n        return \"e\"\n";
    refuses("a.py", file, snippet, "lacks `register");
}

#[test]
fn definitions_of_one_name_that_are_told_apart_do_not_replace_each_other() {
    let store = "class A {\n  get n() {\n    return 1;\n  }\n\n  add(a) {\n    f(a);\n  }\n}\n";
    let class = |member: &str| format!("class A {{\n  // ...\n  {member} {{\n    return 2;\n  }}\n}}\n");
    let words = "the new setter `n` may be getter `n`";
    refuses("a.ts", store, &class("set n(v)"), words);
    refuses("a.ts", store, "  set n(v) {\n    return 2;\n  }\n", "method without its class");
    refuses("a.ts", store, &class("static add(a, b)"), "method `add` does not have `static` here");
    makes("a.ts", store, &class("get n()"), &store.replace('1', "2"));
    let both = store.replace("  add", "  set n(v) {\n    this.m = v;\n  }\n\n  add");
    makes("a.ts", &both, &class("set n(v)"), &both.replace("this.m = v", "return 2"));
    let two = format!("{store}\n{}", store.replace('A', "B"));
    refuses("a.ts", &two, "  get n() {\n    return 2;\n  }\n", "more than one getter `n`");
    let java = "class A {\n  void f(int a) {\n    g(a);\n  }\n}\n";
    let snippet = "class A {\n  // ...\n  static void f(int a) {\n    h(a);\n  }\n}\n";
    refuses("A.java", java, snippet, "does not have `static` here");
    let whole = java.replace("void", "static void");
    makes("A.java", java, &whole, &whole);
    makes("a.c", "int f(void) {\n}\n", "static int f(void) {\n}\n", "static int f(void) {\n}\n");
    let twin = "#[cfg(unix)]\nfn f() -> u8 {\n    1\n}\n";
    refuses("a.rs", twin, &twin.replace("unix", "windows"), "does not have `#[cfg(windows)]` here");
    refuses("a.rs", "fn f() -> u8 {\n    1\n}\n", twin, "does not have `#[cfg(unix)]` here");
    makes("a.rs", twin, &twin.replace('1', "2"), &twin.replace('1', "2"));
    let dump = "@dump.register\ndef _(x: int):\n    return str(x)\n";
    refuses("a.py", dump, &dump.replace("int", "str"), "does not have `def _(x: str):` here");
    makes("a.py", dump, &dump.replace("str", "repr"), &dump.replace("str", "repr"));
}
