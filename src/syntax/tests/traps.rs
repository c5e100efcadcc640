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
    refuses("a.py", several, "def f(self):\n    return 3\n", "more than one function `f`");
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
fn tabs_and_spaces() {
    let file = "class A {\n\tf() {\n\t\treturn 1;\n\t}\n}\n";
    refuses("a.js", file, "class A {\n    // ...\n    f() {\n        return 2;\n    }\n}\n", "indented");
    let file = "def a():\n    if b:\n        return 1\n";
    refuses("a.py", file, "def a():\n\tif b:\n\t\treturn 2\n", "indented");
}

#[test]
fn spaces_in_comments_and_strings_are_no_indentation() {
    let tabs = "/**\n * Doc\n */\nfunction a() {\n\treturn 1;\n}\n\nfunction b() {\n\treturn 2;\n}\n";
    refuses("a.js", tabs, "function b() {\n    return 3;\n}\n", "indented");
    makes("a.js", tabs, "function b() {\n\treturn `\n  3`;\n}\n", &tabs.replace('2', "`\n  3`"));
    let blanks = "def a():\n    return \"\"\"\n\tx\"\"\"\n\n\ndef b():\n    return 2\n";
    refuses("a.py", blanks, "def b():\n\treturn 3\n", "indented");
    refuses("a.py", blanks, "def b():\n\treturn \"\"\"\n  3\"\"\"\n", "indented");
    makes("a.py", blanks, "def b():\n    return 3\n", &blanks.replace('2', "3"));
    // A file that uses both may get either.
    let both = "function a() {\n\treturn 1;\n}\n\nfunction b() {\n    return 2;\n}\n";
    makes("a.js", both, "function b() {\n\treturn 3;\n}\n", &both.replace("    return 2", "\treturn 3"));
}

#[test]
fn code_that_the_snippet_does_not_show_stays() {
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
fn comments_after_definitions() {
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
fn deep_nesting_is_limited() {
    let open = "class A {\n".repeat(2000);
    let close = "}\n".repeat(2000);
    let file = format!("{open}{close}");
    let snippet = format!("{open}// ...\n{close}");
    let _ = merged("A.java", &file, &snippet);
    let _ = merged("a.json", &"[".repeat(20000), "{}");
    let _ = merged("a.py", &"(".repeat(20000), &")".repeat(20000));
}

#[test]
fn a_definition_that_another_scope_has_too() {
    let anonymous = "class W {\n  void go() {\n    run(new R() {\n      void run() {\n        a();\n      }\n    });\n  }\n\n  void run() {\n    b();\n  }\n}\n";
    refuses("A.java", anonymous, "void run() {\n  c();\n}\n", "more than one method `run`");
    let local = "class A:\n    def run(self):\n        return 1\n\n\ndef make():\n    class B:\n        def run(self):\n            return 2\n    return B\n";
    refuses("a.py", local, "def run(self):\n    return 3\n", "more than one function `run`");
    let object =
        "const all = {\n  run() {\n    return 1;\n  },\n};\n\nclass W {\n  run() {\n    return 2;\n  }\n}\n";
    refuses("a.ts", object, "run() {\n  return 3;\n}\n", "more than one method `run`");
    let branch = "def f():\n    return 1\n\n\nif WIN:\n    def f():\n        return 2\n";
    refuses("a.py", branch, "def f():\n    return 3\n", "more than one function `f`");
    let member = "class A:\n    def f(self):\n        return 1\n\n    if WIN:\n        def f(self):\n            return 2\n";
    refuses(
        "a.py",
        member,
        "class A:\n    # ...\n    def f(self):\n        return 3\n",
        "more than one function `f`",
    );
    // A function inside another function has another qualified name.
    makes(
        "a.py",
        "def f():\n    return 1\n\n\ndef g():\n    def f():\n        return 2\n    return f\n",
        "def f():\n    return 3\n",
        "def f():\n    return 3\n\n\ndef g():\n    def f():\n        return 2\n    return f\n",
    );
}

#[test]
fn comments_at_the_beginning_of_a_file_are_not_replaced() {
    let script = "#!/usr/bin/env python3\n# Run the shelf.\ndef f():\n    return 1\n";
    refuses(
        "a.py",
        script,
        "# Run the shelf now.\n# It is good.\ndef f():\n    return 2\n",
        "lacks the comment beside it",
    );
    let licence = "// Copyright 2020 the authors of the shelf.\nfn f() -> u8 {\n    1\n}\n";
    refuses(
        "a.rs",
        licence,
        "// Returns the shelf of 2020.\nfn f() -> u8 {\n    2\n}\n",
        "lacks the comment beside it",
    );
    makes(
        "a.py",
        script,
        "#!/usr/bin/env python3\n# Run the shelf.\ndef f():\n    return 2\n",
        &script.replace('1', "2"),
    );
}

#[test]
fn comments_of_imports_stay() {
    let file = "from x import (\n    a,  # see #12\n    b,\n)\n\ndef f():\n    return a, b\n";
    refuses("a.py", file, "from x import a, b, c\n\ndef f():\n    return a, b, c\n", "lacks a comment");
    let kept = "from x import (\n    a,  # see #12\n    b,\n    c,\n)\n\ndef f():\n    return a, b, c\n";
    makes("a.py", file, kept, kept);
    let file = "import {\n  a, // see 12\n  b,\n} from 'x';\n\nfunction f() {\n  return a + b;\n}\n";
    refuses(
        "a.ts",
        file,
        "import { a, b, c } from 'x';\n\nfunction f() {\n  return c;\n}\n",
        "lacks a comment",
    );
}

#[test]
fn an_import_beside_an_elision_is_not_lost() {
    let file = "def f():\n    a()\n    b()\n    import os\n    return os.x\n";
    refuses("a.py", file, "def f():\n    # ...\n    b()\n    return os.y\n", "lacks `import os`");
}

#[test]
fn no_import_is_added_after_one_at_the_end_of_a_file() {
    let file = "import os\n\n\ndef f():\n    return os.name\n\n\nfrom app import routes\n";
    let snippet = "import json\n\n\ndef f():\n    return json.dumps(os.name)\n";
    let made =
        "import os\nimport json\n\n\ndef f():\n    return json.dumps(os.name)\n\n\nfrom app import routes\n";
    makes("a.py", file, snippet, made);
}

#[test]
fn a_separate_comment_is_not_duplicated() {
    let file = "import os\n\n# Helpers of the shelf.\n\ndef f():\n    return 1\n";
    refuses(
        "a.py",
        file,
        "# Helpers of the shelf.\ndef f():\n    return 2\n",
        "`# Helpers of the shelf.` goes",
    );
}

#[test]
fn every_key_of_a_tag_counts() {
    let file = "package p\n\ntype T struct {\n\tA string `json:\"a\" db:\"a_col\"`\n}\n";
    refuses("a.go", file, "type T struct {\n\tA string `json:\"a\"`\n\tC string\n}\n", "lacks `db`");
    let file = "package p\n\ntype T struct {\n\tA string `no key`\n}\n";
    refuses("a.go", file, "type T struct {\n\tA string\n\tC string\n}\n", "lacks ``no key``");
}

#[test]
fn a_method_beside_a_function_of_its_name() {
    let wrapped =
        "class T:\n    def run(self, x):\n        return x\n\n\ndef run(x):\n    return T().run(x)\n";
    for snippet in ["    def run(self, x):\n        return x + 1\n", "def run(self, x):\n    return x + 1\n"]
    {
        refuses("a.py", wrapped, snippet, "more than one function `run`");
    }
    // The same with an import, so that the snippet does not consist of methods alone.
    let snippet = "import os\n\n\ndef run(self, x):\n    return x + 1\n";
    refuses("a.py", &format!("import os\n\n\n{wrapped}"), snippet, "more than one function `run`");
    let free = "struct T;\nimpl T {\n    fn go(&self) -> u8 {\n        1\n    }\n}\n\nfn go() -> u8 {\n    T.go()\n}\n";
    refuses("a.rs", free, "    fn go(&self) -> u8 {\n        2\n    }\n", "more than one function `go`");
}

#[test]
fn a_declaration_gets_no_body() {
    let declared = "trait T {\n    fn eq(self) -> bool;\n}\n\nmacro_rules! imp {\n    ($t:ty) => {\n        impl T for $t {\n            fn eq(self) -> bool {\n                true\n            }\n        }\n    };\n}\n";
    refuses("a.rs", declared, "fn eq(self) -> bool {\n    false\n}\n", "where function `eq` goes");
    let anonymous = "abstract class A {\n  abstract int f();\n\n  static A of() {\n    return new A() {\n      int f() {\n        return 1;\n      }\n    };\n  }\n}\n";
    let snippet = "abstract class A {\n  // ...\n  int f() {\n    return 2;\n  }\n  // ...\n}\n";
    refuses("A.java", anonymous, snippet, "where method `f` goes");
    let alone = "trait T {\n    fn f(&self) -> u8;\n}\n\nimpl T for A {\n    fn f(&self) -> u8 {\n        1\n    }\n}\n";
    let snippet = "trait T {\n    fn f(&self) -> u8 {\n        2\n    }\n}\n";
    makes("a.rs", alone, snippet, &alone.replacen("-> u8;", "-> u8 {\n        2\n    }", 1));
    refuses("a.c", "int a(void);\n", "int a(void) {\n    return 1;\n}\n", "may be declaration `a`");
}

#[test]
fn comments_after_imports_are_taken_over() {
    let file = "import os\n\n\ndef f():\n    return os.name\n";
    let snippet = "import os\nimport x.y  # noqa: F401\n\n\ndef f():\n    return 1\n";
    makes("a.py", file, snippet, snippet);
    makes("a.py", file, "import os  # noqa\n", &file.replace("import os", "import os  # noqa"));
    let file = "import {a} from \"a\"; // eslint-disable-line\n\nfunction f() {\n  return a;\n}\n";
    makes(
        "a.ts",
        file,
        "import {a, b} from \"a\"; // eslint-disable-line x\n",
        &file.replace("{a}", "{a, b}").replace("line\n", "line x\n"),
    );
    makes("a.ts", file, "import {a, b} from \"a\";\n", &file.replace("{a}", "{a, b}"));
    let file = "package p\n\nimport (\n\t\"fmt\"\n)\n\nfunc F() {}\n";
    let snippet = "import (\n\t\"fmt\"\n\t\"os\" // for F\n)\n";
    makes("a.go", file, snippet, &file.replace("\"\n)", "\"\n\t\"os\" // for F\n)"));
    // So is the comment after a statement.
    let file = "import os\n\nos.fork()\n\n\ndef f():\n    return 1\n";
    let snippet = "os.fork()  # twice\n\n\ndef f():\n    return 2\n";
    makes("a.py", file, snippet, &file.replace("()\n\n\n", "()  # twice\n\n\n").replace('1', "2"));
}

#[test]
fn no_definition_is_added_between_another_one_and_the_comment_below_it() {
    let file = "fn a() {}\n// endregion: a\n\nfn b() {}\n";
    refuses("a.rs", file, "fn a() {}\n\nfn n() {}\n\n// ... existing code ...\n", "where function `n` goes");
    let file = "def a():\n    return 1\n# fmt: on\n\n\ndef b():\n    return 2\n";
    refuses(
        "a.py",
        file,
        "def a():\n    return 1\n\n\ndef n():\n    return 3\n\n\n# ...\n",
        "where function `n` goes",
    );
    let file = "function a() {}\n// end of a\n\nfunction b() {}\n";
    makes(
        "a.ts",
        file,
        "// ...\n\nfunction n() {}\n\nfunction b() {}\n",
        "function a() {}\n// end of a\n\nfunction n() {}\n\nfunction b() {}\n",
    );
    // A comment above the next member is about that one.
    let file = "enum A {\n    B,\n    // the second\n    C,\n}\n";
    let snippet = "enum A {\n    B,\n    D,\n    // ...\n}\n";
    makes("a.rs", file, snippet, &file.replace("B,\n", "B,\n    D,\n"));
}

#[test]
fn no_definition_is_added_after_the_last_statement() {
    let file = "def f():\n    return 1\n\n\nif __name__ == \"__main__\":\n    f()\n";
    refuses("a.py", file, "# ... existing code ...\n\n\ndef n():\n    return 2\n", "where function `n` goes");
}

#[test]
fn keys_of_objects_are_members() {
    let vue = "export default {\n  name: \"a\",\n  data() {\n    return 1;\n  },\n};\n";
    refuses(
        "a.js",
        vue,
        "export default {\n  data() {\n    return 2;\n  },\n};\n",
        "default export `default` lacks `name`",
    );
    makes("a.js", vue, &vue.replace('1', "2"), &vue.replace('1', "2"));
    let config = "const CFG = {\n  ...base,\n  name: 'a',\n  short,\n};\n";
    refuses("a.ts", config, "const CFG = {\n  ...base,\n  name: 'b',\n};\n", "lacks `short`");
    refuses("a.ts", config, "const CFG = {\n  name: 'a',\n  short,\n};\n", "lacks `base`");
    let dictionary = "CFG = {\n    'a': 1,\n    'b': 2,\n    'c': {'d': 3},\n}\n";
    refuses("a.py", dictionary, "CFG = {\n    'a': 1,\n    'c': {'d': 3},\n}\n", "lacks `'b'`");
    refuses("a.py", dictionary, "CFG = {\n    'a': 1,\n    'b': 2,\n    'c': {},\n}\n", "lacks `'d'`");
    let table = "package p\n\nvar M = map[string]int{\n\t\"a\": 1,\n\t\"b\": 2,\n}\n";
    refuses("a.go", table, "var M = map[string]int{\n\t\"a\": 3,\n}\n", "lacks `\"b\"`");
    let made = "const A: B = B {\n    c: 1,\n    d: 2,\n};\n";
    refuses("a.rs", made, "const A: B = B {\n    c: 1,\n    ..B::NEW\n};\n", "lacks `d`");
    assert!(
        super::merge("a.js", vue, "export default {\n  data() {\n    return 2;\n  },\n};\n", true).is_ok()
    );
    // A dictionary inside of a function is not checked for keys.
    let function = "def f():\n    return {'a': 1, 'b': 2}\n";
    makes("a.py", function, "def f():\n    return {'a': 1}\n", "def f():\n    return {'a': 1}\n");
}

#[test]
fn imports_of_the_whole_scope_count() {
    let file = "import os\n\nif TYPE_CHECKING:\n    from x import Y\n\n\ndef f():\n    return 1\n";
    refuses(
        "a.py",
        file,
        "import os\nfrom x import Y\n\n\ndef f():\n    return 2\n",
        "more than one import of `",
    );
    let file = "import os\n\n\ndef f():\n    from x import Y\n    return Y\n";
    let snippet = "import os\nfrom x import Y\n\n\ndef f():\n    return Y()\n";
    makes("a.py", file, snippet, snippet);
}

#[test]
fn imports_from_the_future_stay_first() {
    let file = "\"\"\"Doc.\"\"\"\nfrom __future__ import annotations\n\ndef f():\n    return 1\n";
    let snippet = "import json\nfrom __future__ import annotations\n";
    refuses("a.py", file, snippet, "where `import json` goes");
    let below = "from __future__ import annotations\nimport json\n";
    makes("a.py", file, below, &file.replace("annotations\n", "annotations\nimport json\n"));
    let file = "import os\nimport re\n\n\ndef f():\n    return 1\n";
    let future = "from __future__ import annotations\n";
    refuses("a.py", file, &format!("{future}import re\n"), "goes");
    makes("a.py", file, &format!("{future}import os\n"), &format!("{future}{file}"));
}

#[test]
fn an_indented_function_may_be_a_member() {
    let file = "def run(self):\n    return 1\n\n\nclass A:\n    def run(self):\n        return 2\n";
    refuses("a.py", file, "    def run(self):\n        return 5\n", "more than one function `run`");
    let file =
        "def run(x):\n    return 1\n\n\nclass A:\n    @staticmethod\n    def run(x):\n        return 2\n";
    refuses("a.py", file, "    def run(x):\n        return 5\n", "more than one function `run`");
    let file = "fn new() {}\n\nimpl A {\n    fn new() {}\n}\n";
    refuses("a.rs", file, "    fn new() {\n        a();\n    }\n", "more than one function `new`");
}

#[test]
fn a_function_with_another_signature_may_be_a_member() {
    let file = "def run(x):\n    return 1\n\n\nclass A:\n    @staticmethod\n    def run(x):\n        return 2\n\n    def go(this):\n        return 3\n\n\ndef go(x):\n    return 4\n";
    for snippet in ["@staticmethod\ndef run(x):\n    return 5\n", "def go(this):\n    return 5\n"] {
        refuses("a.py", file, snippet, "more than one function");
    }
    makes("a.py", file, "def run(x):\n    return 5\n", &file.replacen('1', "5", 1));
    let file = "impl A {\n    fn new() -> Self {\n        A\n    }\n}\n\nfn new() -> u8 {\n    2\n}\n";
    refuses("a.rs", file, "fn new() -> Self {\n    B\n}\n", "more than one function `new`");
    makes("a.rs", file, "fn new() -> u8 {\n    3\n}\n", &file.replace('2', "3"));
    // A unique name may get another signature.
    makes("a.py", "def f():\n    return 1\n", "def f(x):\n    return x\n", "def f(x):\n    return x\n");
}

#[test]
fn an_elision_that_the_file_has_elsewhere() {
    let file = "def g():\n    # ...\n    return 0\n\n\ndef f():\n    a()\n    b()\n    c()\n";
    refuses("a.py", file, "def f():\n    a()\n    # ...\n    c2()\n", "what `# ...` leaves out");
    makes("a.py", file, "def g():\n    # ...\n    return 1\n", &file.replace('0', "1"));
    let file = "def f():\n    a()\n    # ...\n    b()\n    c()\n";
    refuses("a.py", file, "def f():\n    # ...\n    b()\n    c2()\n", "function `f` lacks 1 line");
}

#[test]
fn whitespace_in_a_statement_counts() {
    let file = "if x:\n    if y:\n        a()\n        b()\n\n\ndef f():\n    return 1\n";
    let snippet = "if x:\n    if y:\n        a()\n    b()\n\n\ndef f():\n    return 2\n";
    refuses("a.py", file, snippet, "does not have `if x:`");
    makes("a.py", file, &file.replace('1', "2"), &file.replace('1', "2"));
    let file = "log('a  b');\n\nfunction f() {\n  return 1;\n}\n";
    refuses("a.js", file, "log('a b');\n\nfunction f() {\n  return 2;\n}\n", "does not have `log('a b');`");
}

#[test]
fn imports_in_a_function_are_not_lost() {
    let file = "def f():\n    import pwd\n    name = a()\n    return pwd.get(name)\n";
    let lacking = "def f():\n    name = a()\n    check(name)\n    return pwd.get(name)\n";
    refuses("a.py", file, lacking, "function `f` lacks `import pwd`");
    makes("a.py", file, &file.replace("pwd", "grp"), &file.replace("pwd", "grp"));
    let file = "fn f() -> u8 {\n    use a::b;\n    let c = 1;\n    b(c)\n}\n";
    refuses("a.rs", file, "fn f() -> u8 {\n    let c = 2;\n    b(c)\n}\n", "lacks `use a::b;`");
    let file = "class A:\n    def f(self):\n        import b\n        return b.c\n\n    d = 1\n";
    let lacking = "class A:\n    def f(self):\n        return b.d\n\n    d = 1\n";
    refuses("a.py", file, lacking, "class `A` lacks `import b`");
    // Each of two equal ones counts.
    let twice = "def f():\n    import a\n    a()\n    del a\n    import a\n    return a\n";
    refuses("a.py", twice, "def f():\n    import a\n    a()\n    del a\n    return a\n", "lacks `import a`");
    // Each method is checked by itself.
    let file = "class A:\n    def f(self):\n        import pwd\n        return pwd.a()\n\n    def g(self):\n        return 1\n";
    let lacking = "class A:\n    def f(self):\n        return pwd.a()\n\n    def g(self):\n        import grp\n        return 1\n";
    refuses("a.py", file, lacking, "function `f` lacks `import pwd`");
    let file = "class A:\n    def f(self):\n        import b\n        return b.c\n\n    d = 1\n";
    let moved = "import os\nimport b\n\n\nclass A:\n    def f(self):\n        return b.d\n\n    d = 1\n";
    makes("a.py", &format!("import os\n\n\n{file}"), moved, moved);
}

#[test]
fn statements_that_occur_more_or_less_often_in_the_file() {
    let file = "a();\nfunction f() {\n  return 1;\n}\na();\n";
    let new = "function gg() {\n  return 7;\n}\n";
    let changed = "function f() {\n  return 2;\n}\n";
    refuses("a.js", file, &format!("{changed}a();\n{new}"), "where function `gg` goes");
    refuses("a.js", file, &format!("{changed}a(); // A.\n"), "more than one `a();`");
    makes("a.js", file, &format!("a();\n{changed}a();\n{new}"), &format!("a();\n{changed}a();\n{new}"));
    makes("a.js", file, &format!("{changed}a();\n"), &file.replace('1', "2"));
    let once = file.trim_end_matches("a();\n");
    refuses("a.js", once, &format!("a();\n{changed}a();\n"), "does not have `a();`");
}

#[test]
fn names_that_macros_make_and_attributes_in_c() {
    let file = "int PRIV(foo)(int a)\n{\n    return a;\n}\n";
    refuses("a.c", file, "int PRIV(bar)(int a)\n{\n    return 1;\n}\n", "does not have `int PRIV(bar)");
    let file = "__attribute__((noreturn))\nvoid f(void)\n{\n    x();\n}\n";
    refuses("a.c", file, "void f(void)\n{\n    y();\n}\n", "lacks `__attribute__`");
    makes("a.c", file, &file.replace('x', "y"), &file.replace('x', "y"));
    let file = "int *f(void) __attribute__((unused));\n";
    refuses("a.c", file, "int *f(void);\n", "lacks `__attribute__`");
    let file = "__declspec(dllexport) int f(void)\n{\n    return 1;\n}\n";
    refuses("a.c", file, "int f(void)\n{\n    return 2;\n}\n", "lacks `__declspec`");
    let file = "[[nodiscard]] int f(void)\n{\n    return 1;\n}\n";
    refuses("a.c", file, "int f(void)\n{\n    return 2;\n}\n", "lacks `[[nodiscard]]`");
}

#[test]
fn names_that_are_only_used() {
    let file = "import x from 'x';\n\nfunction run(xs) {\n  return xs.filter(Boolean);\n}\n";
    let new = "\nfunction filter(xs) {\n  return xs;\n}\n";
    let snippet = format!("function run(xs) {{\n  return xs.filter(Boolean);\n}}\n{new}");
    makes("a.ts", file, &snippet, &format!("{file}{new}"));
    // A constant of an enum is a name.
    let file = "function run() {\n  return 1;\n}\n\nenum E {\n  A,\n}\n";
    refuses("a.ts", file, "function run() {\n  return 1;\n}\n\nfunction A() {}\n", "may be variant `A`");
    // The `run` of class A does not hide the variable of class B.
    let file = "class A:\n    def run(self):\n        return 1\n\n\nclass B:\n    run = None\n    x = 1\n";
    let snippet = "class B:\n    # ...\n    x = 1\n\n    def run(self):\n        return 2\n";
    refuses("a.py", file, snippet, "may be variable `run`");
}

#[test]
fn many_definitions_are_fast() {
    let methods = |value: &str| -> String {
        let one =
            |at: usize| format!("// F{at} is.\nfunc (a *A) F{at}() int {{\n\treturn {at} + {value}\n}}\n");
        (0..1500).map(one).collect()
    };
    let file = format!("package p\n\n{}", methods("1"));
    let started = std::time::Instant::now();
    assert_eq!(merged("a.go", &file, &methods("2")), Ok(format!("package p\n\n{}", methods("2"))));
    assert!(started.elapsed().as_secs() < 60);
}

#[test]
fn a_comment_that_replaces_code() {
    let file = "def f():\n    a()\n    b()\n    c()\n    d()\n    return 1\n";
    for said in ["previous code", "same as above", "snip", "and so on", "TODO"] {
        let snippet = format!("def f():\n    a()\n    # {said}\n    d2()\n    return 1\n");
        refuses("a.py", file, &snippet, "function `f` lacks 3 lines");
    }
    let named = "def f():\n    a()\n    # Both at once.\n    bc()\n    d()\n    return 1\n";
    makes("a.py", file, named, named);
}

#[test]
fn a_refusal_says_where_and_what_to_give() {
    let refused = |path, file, snippet, words, line, file_line, help| {
        let refusal = refuses(path, file, snippet, words);
        assert_eq!((refusal.line, refusal.file_line), (line, file_line), "{refusal:?}");
        assert!(refusal.help.contains(help), "{refusal:?}");
    };
    let two =
        "class A:\n    def f(self):\n        return 1\n\n\nclass B:\n    def f(self):\n        return 2\n";
    let words = "the file has more than one function `f` (lines 2, 7)";
    refused("a.py", two, "def f(self):\n    return 3\n", words, 0, None, "the class or module around it");
    let inner = "mod a {\n    pub enum Kind {\n        A,\n    }\n}\n\nfn g() {}\n";
    let words = "the new enum `Kind` may be enum `Kind` in module `a`";
    refused(
        "a.rs",
        inner,
        "fn g() {}\n\npub enum Kind {\n    B,\n}\n",
        words,
        2,
        Some(1),
        "the class or module around it",
    );
    let twins = "#[cfg(unix)]\nfn f() {}\n\n#[cfg(windows)]\nfn f() {}\n";
    refused(
        "a.rs",
        twins,
        "#[cfg(unix)]\nfn f() {\n    a();\n}\n",
        "more than one function `f`",
        1,
        Some(1),
        "all of that name there",
    );
    let dictionary = "DATA = {\n    \"a\": 1,\n    \"b\": 2,\n}\n";
    let snippet = "DATA = {\n    # ...\n    \"b\": 3,\n}\n";
    refused(
        "a.py",
        dictionary,
        snippet,
        "it is not clear what `# ...` leaves out",
        1,
        None,
        "the whole function",
    );
    let group = "package a\n\nconst (\n\tA = 1\n\tB = 2\n)\n";
    let words = "the file does not have `B = 3`";
    refused("a.go", group, "const (\n\tA = 1\n\tB = 3\n)\n", words, 0, None, "another format");
    let words = "the result has more than one import of `x`";
    refused("a.py", "import x, y\nd = 1\n", "import x\n", words, 0, Some(0), "another format");
}
