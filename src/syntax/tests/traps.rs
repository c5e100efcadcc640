//! Inputs that could mislead the rules.

use super::{makes, merged, refuses};

#[test]
fn names_that_occur_twice() {
    let overloads =
        "class A {\n  int f(int a) {\n    return 1;\n  }\n\n  int f(long a) {\n    return 2;\n  }\n}\n";
    refuses(
        "A.java",
        overloads,
        "class A {\n  // ...\n  int f(long a) {\n    return 3;\n  }\n}\n",
        "more than one method `f`",
    );
    makes(
        "A.java",
        overloads,
        "class A {\n  int f(int a) {\n    return 1;\n  }\n\n  int f(long a) {\n    return 3;\n  }\n}\n",
        &overloads.replace("return 2", "return 3"),
    );
    let twins = "#[cfg(unix)]\nfn f() -> u8 {\n    1\n}\n\n#[cfg(windows)]\nfn f() -> u8 {\n    2\n}\n";
    refuses("a.rs", twins, "#[cfg(unix)]\nfn f() -> u8 {\n    3\n}\n", "more than one function `f`");
    let property = "class A:\n    @property\n    def x(self):\n        return 1\n\n    @x.setter\n    def x(self, v):\n        self.y = v\n";
    refuses(
        "a.py",
        property,
        "class A:\n    # ...\n    @x.setter\n    def x(self, v):\n        self.y = 2\n",
        "more than one",
    );
    refuses(
        "a.py",
        "def a():\n    return 1\n",
        "def a():\n    return 2\n\n\ndef a():\n    return 3\n",
        "more than one",
    );
    let overloaded = "function f(a: string): void;\nfunction f(a: any) {\n  return;\n}\n";
    refuses("a.ts", overloaded, "function f(a: any) {\n  return a;\n}\n", "more than one function `f`");
    let several =
        "class A:\n    def f(self):\n        return 1\n\n\nclass B:\n    def f(self):\n        return 2\n";
    refuses("a.py", several, "def f(self):\n    return 3\n", "may be");
    refuses(
        "a.py",
        "def f():\n    def g():\n        return 1\n    return g\n",
        "def g():\n    return 2\n",
        "may be",
    );
}

#[test]
fn kinds_that_differ() {
    refuses("a.py", "class A:\n    pass\n", "def A():\n    return 1\n", "may be");
    refuses("a.js", "function a() {\n  return 1;\n}\n", "const a = () => 2;\n", "may be");
    refuses("a.rs", "struct A {\n    x: u8,\n}\n", "enum A {\n    X,\n}\n", "may be");
    refuses(
        "a.go",
        "package a\n\nfunc (b *B) F() int {\n\treturn 1\n}\n",
        "func F() int {\n\treturn 2\n}\n",
        "may be method",
    );
    makes(
        "a.py",
        "def a():\n    return b()\n",
        "async def a():\n    return await b()\n",
        "async def a():\n    return await b()\n",
    );
}

#[test]
fn default_exports() {
    let file = "import a from \"a\";\n\nexport default {\n  name: \"b\",\n};\n";
    makes("a.js", file, "export default {\n  name: \"c\",\n};\n", &file.replace("\"b\"", "\"c\""));
    refuses(
        "a.js",
        "export default class extends A {\n  f() {\n    return 1;\n  }\n}\n",
        "class B extends A {\n  f() {\n    return 2;\n  }\n}\n",
        "not clear where",
    );
}

#[test]
fn usage_examples() {
    let file = "def load(path):\n    return open(path)\n";
    refuses("a.py", file, "data = load(\"x\")\nprint(data)\n", "");
    refuses("a.rs", "fn load() {}\n", "fn main() {\n    load();\n}\n", "usage example");
    refuses("a.js", "function load() {}\n", "const data = load();\n", "usage example");
    refuses("A.java", "class A {\n  int f() {\n    return 1;\n  }\n}\n", "int x = new A().f();\n", "");
}

#[test]
fn snippets_from_another_version() {
    let file = "def a():\n    one()\n    two()\n    three()\n";
    refuses("a.py", file, "def a():\n    one()\n    # ...\n    four()\n    five()\n", "does not have");
    refuses("a.py", file, "def b():\n    # ...\n    three()\n", "have function `b`");
    let file = "class A {\n  f() {\n    return 1;\n  }\n}\n";
    refuses("a.js", file, "class B {\n  // ...\n  f() {\n    return 2;\n  }\n}\n", "have class `B`");
}

#[test]
fn strings_over_several_lines_are_not_moved() {
    let file = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        x = \"\"\"\n    a\n        \"\"\"\n        return x\n";
    let whole = "class A:\n    # ...\n    def g(self):\n        x = \"\"\"\n    a\n        \"\"\"\n        return x + x\n";
    makes("a.py", file, whole, &file.replace("return x\n", "return x + x\n"));
    let moved = "class A:\n  # ...\n  def g(self):\n    x = \"\"\"\n  b\n    \"\"\"\n    return x + x\n";
    assert!(merged("a.py", file, moved).is_err());
}

#[test]
fn tabs_and_blanks() {
    let file = "class A {\n\tf() {\n\t\treturn 1;\n\t}\n}\n";
    refuses("a.js", file, "class A {\n    // ...\n    f() {\n        return 2;\n    }\n}\n", "indented");
    let file = "def a():\n    if b:\n        return 1\n";
    refuses("a.py", file, "def a():\n\tif b:\n\t\treturn 2\n", "indented");
}

#[test]
fn the_names_of_a_file_that_is_not_shown_stay() {
    let file = "const a = 1;\n\nfunction b() {\n  return a;\n}\n\nmodule.exports = { b };\n";
    makes(
        "a.js",
        file,
        "function b() {\n  return a + 1;\n}\n\nmodule.exports = { b };\n",
        &file.replace("return a;", "return a + 1;"),
    );
    refuses(
        "a.js",
        file,
        "function b() {\n  return a + 1;\n}\n\nmodule.exports = { b, c };\n",
        "does not have",
    );
}

#[test]
fn comments_behind_definitions() {
    let file = "A = 1  # one\nB = 2\n";
    makes("a.py", file, "A = 3  # three\n", "A = 3  # three\nB = 2\n");
    refuses("a.py", file, "A = 3\n", "lacks the comment");
    let file = "struct A {\n    x: u8, // one\n    y: u8,\n}\n";
    makes(
        "a.rs",
        file,
        "struct A {\n    // ...\n    y: u16,\n}\n",
        "struct A {\n    x: u8, // one\n    y: u16,\n}\n",
    );
}

#[test]
fn what_nests_deeply_ends() {
    let open = "class A {\n".repeat(2000);
    let close = "}\n".repeat(2000);
    let file = format!("{open}{close}");
    let snippet = format!("{open}// ...\n{close}");
    let _ = merged("A.java", &file, &snippet);
    let _ = merged("a.json", &"[".repeat(20000), "{}");
    let _ = merged("a.py", &"(".repeat(20000), &")".repeat(20000));
}
