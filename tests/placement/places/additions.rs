//! Added lines without context lines.

use crate::answer::{diffs, patch, udiffx};
use crate::check::{lands, refused, reports};

const TWO: &str = "\
import os

def alpha(cfg):
    return cfg

def beta(cfg):
    return cfg
";

#[test]
fn they_go_below_the_heading() {
    for (name, nth) in [("alpha", 0), ("beta", 1)] {
        let body = format!("@@ def {name}(cfg):\n+    log(cfg)\n");
        let at = TWO.match_indices("(cfg):\n").nth(nth).unwrap().0 + 7;
        let expected = format!("{}    log(cfg)\n{}", &TWO[..at], &TWO[at..]);
        lands("a.py", TWO, diffs("a.py", &body), &expected);
    }
}

#[test]
fn not_where_they_are_indented_otherwise_than_the_block() {
    let nested = "class A:\n    def gone(self):\n        return 1\n";
    refused("a.py", nested, diffs("a.py", "@@ def gone(self):\n+    log()\n"));
    lands(
        "a.py",
        nested,
        diffs("a.py", "@@ def gone(self):\n+        log()\n"),
        &nested.replace("        r", "        log()\n        r"),
    );
    lands(
        "a.py",
        nested,
        diffs("a.py", "@@ def gone(self):\n+log()\n"),
        &nested.replace("        r", "        log()\n        r"),
    );
    // It would be another job.
    let jobs = "jobs:\n  test:\n    run: x\n  lint:\n    run: y\n";
    refused("ci.yml", jobs, diffs("ci.yml", "@@ test:\n+  image: z\n"));
}

#[test]
fn not_where_a_heading_opens_no_block_for_them() {
    let file = "class E(Exception): pass\n\ndef f(\n    a,\n):\n    return a\n";
    refused("a.py", file, diffs("a.py", "@@ class E(Exception): pass\n+    code = 1\n"));
    refused("a.py", file, diffs("a.py", "@@ def f(\n+    log()\n"));
    let file = "import (\n\t\"a\"\n)\n";
    lands("a.go", file, diffs("a.go", "@@ import (\n+\t\"b\"\n"), "import (\n\t\"b\"\n\t\"a\"\n)\n");
    let file = "fn a() {\n}\n";
    lands("a.rs", file, diffs("a.rs", "@@ fn a() {\n+    b();\n"), "fn a() {\n    b();\n}\n");
}

#[test]
fn what_lands_so_is_reported() {
    reports("a.py", TWO, diffs("a.py", "@@ def alpha(cfg):\n+    log(cfg)\n"));
    reports("a.py", TWO, diffs("a.py", "@@\n+# The end.\n"));
}

#[test]
fn without_a_heading_they_go_to_the_end_of_the_file() {
    let body = "@@\n+def gamma(cfg):\n+    return cfg\n";
    lands("a.py", TWO, diffs("a.py", body), &format!("{TWO}def gamma(cfg):\n    return cfg\n"));
    let body = "@@\n+# The end.\n*** End of File\n";
    lands("a.py", TWO, patch("a.py", body), &format!("{TWO}# The end.\n"));
    // The same below other hunks.
    let body = "@@\n-import os\n+import sys\n@@\n+# The end.\n";
    lands("a.py", TWO, diffs("a.py", body), &format!("{}# The end.\n", TWO.replace("os", "sys")));
}

#[test]
fn not_where_a_later_hunk_of_the_file_follows() {
    let body = "@@\n+import sys\n@@ def beta(cfg):\n-    return cfg\n+    return cfg + 1\n";
    refused("a.py", TWO, diffs("a.py", body));
    let body = "@@\n+import sys\n@@\n-import os\n+import os.path\n";
    refused("a.py", TWO, diffs("a.py", body));
}

#[test]
fn not_behind_the_last_bracket() {
    let file = "{\n  \"a\": 1\n}\n";
    for name in ["package.json", "a.jsonc", "a.json5", "a.ipynb", "a.webmanifest"] {
        refused(name, file, diffs(name, "@@\n+  \"b\": 2\n"));
    }
    let body = "@@\n+  \"b\": 2\n*** End of File\n";
    refused("package.json", file, patch("package.json", body));
}

#[test]
fn below_a_heading_they_land_in_these_files_too() {
    let file = "{\n  \"scripts\": {\n    \"a\": \"1\"\n  }\n}\n";
    let body = "@@   \"scripts\": {\n+    \"b\": \"2\",\n";
    let expected = "{\n  \"scripts\": {\n    \"b\": \"2\",\n    \"a\": \"1\"\n  }\n}\n";
    lands("package.json", file, diffs("package.json", body), expected);
}

#[test]
fn a_heading_that_the_file_lacks_is_an_error() {
    refused("a.py", TWO, diffs("a.py", "@@ def gamma(cfg):\n+    log(cfg)\n")).says("gamma");
}

#[test]
fn they_make_a_file_that_is_not_there() {
    use crate::check::{Files, Ran, run_on};
    let answer = udiffx("new.py", "@@ -0,0 +1,2 @@\n+a = 1\n+b = 2\n").0.remove(0).1;
    let Ran::Changed(files, _) = run_on(&Files::new(), &answer) else { panic!("it lands") };
    assert_eq!(files["new.py"], "a = 1\nb = 2\n");
}

#[test]
fn they_are_indented_as_the_block_is() {
    let file = "class A:\n    size = 1\n";
    let body = "@@ class A:\n+def f(self):\n+    return 1\n";
    let expected = "class A:\n    def f(self):\n        return 1\n    size = 1\n";
    lands("a.py", file, diffs("a.py", body), expected);
    // Tabs if the file has tabs, below a heading and at the end.
    let file = "class A:\n\tsize = 1\n";
    let body = "@@ class A:\n+    def f(self):\n+        return 1\n";
    let expected = "class A:\n\tdef f(self):\n\t\treturn 1\n\tsize = 1\n";
    lands("a.py", file, diffs("a.py", body), expected);
    let body = "@@\n+def f():\n+    return 1\n";
    lands("a.py", file, diffs("a.py", body), &format!("{file}def f():\n\treturn 1\n"));
    // Nothing says how many spaces replace a tab.
    let file = "class A:\n  size = 1\n";
    refused("a.py", file, diffs("a.py", "@@\n+def f():\n+\treturn 1\n")).says("how to indent");
}
