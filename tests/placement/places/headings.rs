//! A heading binds: a place that contradicts it is refused, even if it is the only one.

use crate::answer::{diffs, patch, udiffx};
use crate::check::{already, lands, refused, stays};
use git_llm_apply::diag::Code;

const TWO: &str = "\
def alpha(cfg):
    a = load(cfg)
    return a

def beta(cfg):
    b = load(cfg)
    b = check(b)
    return b
";

#[test]
fn lines_of_another_function_are_not_taken() {
    let body = "@@ def alpha(cfg):\n     b = load(cfg)\n-    b = check(b)\n+    b = verify(b)\n";
    refused("a.py", TWO, diffs("a.py", body)).not_nowhere().says("alpha");
}

#[test]
fn nor_where_numbers_agree_with_the_heading() {
    let hunk = "     b = load(cfg)\n-    b = check(b)\n+    b = verify(b)\n";
    for numbers in ["-2,2 +2,2", "-1,2 +1,2"] {
        let body = format!("@@ {numbers} @@ def alpha(cfg):\n{hunk}");
        refused("a.py", TWO, udiffx("a.py", &body)).not_nowhere().says("alpha");
    }
}

#[test]
fn lines_below_their_heading_land() {
    let body = "@@ def beta(cfg):\n     b = load(cfg)\n-    b = check(b)\n+    b = verify(b)\n";
    lands("a.py", TWO, diffs("a.py", body), &TWO.replace("check(b)", "verify(b)"));
    let body = "@@ -6,2 +6,2 @@ def beta(cfg):\n     b = load(cfg)\n-    b = check(b)\n+    b = verify(b)\n";
    lands("a.py", TWO, udiffx("a.py", body), &TWO.replace("check(b)", "verify(b)"));
}

#[test]
fn lines_above_the_heading_are_not_taken() {
    let body = "@@ def beta(cfg):\n-    a = load(cfg)\n+    a = read(cfg)\n";
    refused("a.py", TWO, diffs("a.py", body)).not_nowhere().says("beta");
}

#[test]
fn of_equal_places_the_one_below_the_heading_is_meant() {
    let file = TWO.replace("b = ", "a = ").replace("    a = check(b)\n", "").replace("return b", "return a");
    let body =
        |name: &str| format!("@@ def {name}(cfg):\n     a = load(cfg)\n+    a = check(a)\n     return a\n");
    let first = file.replacen("    return a", "    a = check(a)\n    return a", 1);
    let at = file.rfind("    return a").unwrap();
    let last = format!("{}    a = check(a)\n{}", &file[..at], &file[at..]);
    lands("a.py", &file, diffs("a.py", &body("alpha")), &first);
    lands("a.py", &file, diffs("a.py", &body("beta")), &last);
}

#[test]
fn a_place_that_holds_the_heading_itself_is_with_it() {
    let body =
        "@@ def beta(cfg):\n def beta(cfg):\n-    b = load(cfg)\n+    b = read(cfg)\n     b = check(b)\n";
    lands("a.py", TWO, diffs("a.py", body), &TWO.replace("b = load", "b = read"));
    // The same for a place that begins above the heading.
    let body =
        "@@ def beta(cfg):\n     return a\n \n def beta(cfg):\n-    b = load(cfg)\n+    b = read(cfg)\n";
    lands("a.py", TWO, udiffx("a.py", body), &TWO.replace("b = load", "b = read"));
}

#[test]
fn a_hunk_may_run_on_into_the_next_function() {
    let body =
        "@@ def alpha(cfg):\n     return a\n \n-def beta(cfg):\n+def beta(cfg, more):\n     b = load(cfg)\n";
    lands("a.py", TWO, diffs("a.py", body), &TWO.replace("beta(cfg)", "beta(cfg, more)"));
    let body = body.replace("@@ def", "@@ -3,4 +3,4 @@ def");
    lands("a.py", TWO, udiffx("a.py", &body), &TWO.replace("beta(cfg)", "beta(cfg, more)"));
}

const CLASSES: &str = "\
class A:
    size = 1

    def f(self):
        return self.size

# What follows is still of the class.

    def g(self):
        return self.size + 1


class B:
    def h(self):
        return self.size + 2
";

#[test]
fn a_class_holds_all_of_its_methods() {
    let body =
        "@@ class A:\n     def g(self):\n-        return self.size + 1\n+        return self.size + 3\n";
    lands("a.py", CLASSES, diffs("a.py", body), &CLASSES.replace("+ 1", "+ 3"));
    let body =
        "@@ class A:\n     def h(self):\n-        return self.size + 2\n+        return self.size + 3\n";
    refused("a.py", CLASSES, diffs("a.py", body)).not_nowhere().says("class A");
}

#[test]
fn several_headings_narrow_step_by_step() {
    let file = "\
class A:
    def f(self):
        return 1

    def g(self):
        return 1

class B:
    def f(self):
        return 1

    def g(self):
        return 1
";
    let body = |class: &str, name: &str| {
        format!("@@ class {class}:\n@@     def {name}(self):\n-        return 1\n+        return 2\n")
    };
    let made = |nth: usize| {
        let mut count = 0;
        let line = |line: &str| {
            count += usize::from(line == "        return 1");
            let made = line == "        return 1" && count == nth;
            if made { "        return 2\n".to_owned() } else { format!("{line}\n") }
        };
        file.lines().map(line).collect::<String>()
    };
    for (nth, class, name) in [(1, "A", "f"), (2, "A", "g"), (3, "B", "f"), (4, "B", "g")] {
        lands("a.py", file, patch("a.py", &body(class, name)), &made(nth));
    }
    // If A no longer has it, it is not taken from B.
    refused("a.py", &file.replacen("def g", "def k", 1), patch("a.py", &body("A", "g")));
    stays("a.py", &made(2), patch("a.py", &body("A", "g")));
}

#[test]
fn a_bracket_in_the_first_column_ends_no_function() {
    let file =
        "def f(\n    a,\n    b,\n) -> int:\n    return a + b\n\ndef g(a, b) -> int:\n    return a - b\n";
    let body = "@@ def f(\n-    return a + b\n+    return b + a\n";
    lands("a.py", file, diffs("a.py", body), &file.replace("a + b", "b + a"));
    let body = "@@ def f(\n-    return a - b\n+    return b - a\n";
    refused("a.py", file, diffs("a.py", body)).not_nowhere();
}

#[test]
fn labels_of_c_end_no_function() {
    let file = "\
int open_it(int count) {
	if (!count)
		goto out;
	use(count);
out:
	free_it(count);
	return 0;
}

int close_it(int count) {
	use(count);
	return 1;
}
";
    let body = "@@ int open_it(int count) {\n-\tfree_it(count);\n+\tfree_all(count);\n \treturn 0;\n";
    lands("a.c", file, diffs("a.c", body), &file.replace("free_it", "free_all"));
    let body = body.replace("@@ ", "@@ -6,2 +6,2 @@ ");
    lands("a.c", file, udiffx("a.c", &body), &file.replace("free_it", "free_all"));
    let body = "@@ int open_it(int count) {\n \tuse(count);\n-\treturn 1;\n+\treturn 2;\n";
    refused("a.c", file, diffs("a.c", body)).not_nowhere();
}

const JOBS: &str = "\
jobs:
  test:
    steps:
      - uses: actions/checkout@v4
      - run: cargo test
  lint:
    steps:
      - uses: actions/checkout@v4
      - run: cargo clippy
";

#[test]
fn a_key_of_yaml_is_no_label() {
    // Only lint has these lines.
    let body = "@@   test:\n       - uses: actions/checkout@v4\n-      - run: cargo clippy\n+      - run: cargo check\n";
    refused("ci.yml", JOBS, diffs("ci.yml", body)).not_nowhere().says("test:");
    let body = body.replace("test:", "lint:");
    lands("ci.yml", JOBS, diffs("ci.yml", &body), &JOBS.replace("cargo clippy", "cargo check"));
}

#[test]
fn a_step_that_both_jobs_have_is_added_below_the_heading_alone() {
    // A second run must not add it to lint.
    let expected = |job: &str| {
        let head = format!("  {job}:\n    steps:\n      - uses: actions/checkout@v4\n");
        JOBS.replace(&head, &format!("{head}      - uses: actions/cache@v4\n"))
    };
    for job in ["test", "lint"] {
        let body =
            format!("@@   {job}:\n       - uses: actions/checkout@v4\n+      - uses: actions/cache@v4\n");
        lands("ci.yml", JOBS, diffs("ci.yml", &body), &expected(job));
        // The other job may have it for another reason.
        let other = if job == "test" { "lint" } else { "test" };
        let both = expected(other).replace(
            &format!("  {job}:\n    steps:\n      - uses: actions/checkout@v4\n"),
            &format!(
                "  {job}:\n    steps:\n      - uses: actions/checkout@v4\n      - uses: actions/cache@v4\n"
            ),
        );
        lands("ci.yml", &expected(other), diffs("ci.yml", &body), &both);
    }
}

#[test]
fn what_a_heading_holds_no_more_is_not_taken_from_elsewhere() {
    // alpha has neither of the texts, and beta has the text before.
    let file = TWO.replace("    a = load(cfg)\n", "    a = other(cfg)\n").replace("b = load", "a = load");
    let body = "@@ def alpha(cfg):\n-    a = load(cfg)\n+    a = read(cfg)\n";
    refused("a.py", &file, diffs("a.py", body)).not_nowhere();
    // alpha has the text after, and beta the text before.
    let file = file.replace("other(cfg)", "read(cfg)");
    stays("a.py", &file, diffs("a.py", body));
}

/// Returns a function whose first line is longer than what git shows of it.
fn long(name: &str) -> String {
    format!(
        "def {name}_with_a_name_of_great_length(first_argument, second_argument, third_argument, fourth):\n    \
         x = 1\n    return x\n\n"
    )
}

#[test]
fn a_section_that_git_cut_is_matched_by_its_beginning() {
    let file = format!("{}{}", long("one"), long("two"));
    for (name, line) in [("one", 2), ("two", 6)] {
        let section = &long(name)[..80];
        let made = long(name).replace("x = 1", "x = 2");
        let hunk =
            |numbers: &str| format!("@@ {numbers} @@ {section}\n-    x = 1\n+    x = 2\n     return x\n");
        let answers =
            udiffx("a.py", &hunk(&format!("-{line},2 +{line},2"))).and(udiffx("a.py", &hunk("-40,2 +40,2")));
        lands("a.py", &file, answers, &file.replace(&long(name), &made));
    }
    // The cut section still binds.
    let other = file.replacen("    x = 1\n", "    x = 5\n", 1);
    let hunk = format!("@@ -6,2 +6,2 @@ {}\n-    x = 1\n+    x = 2\n     return x\n", &long("one")[..80]);
    refused("a.py", &other, udiffx("a.py", &hunk)).not_nowhere();
}

#[test]
fn sections_are_sought_in_the_text_before_this_response() {
    // The first hunk renames the function that the section of the second one names.
    let body = "\
@@ -1,2 +1,2 @@
-def alpha(cfg):
+def first(cfg):
     a = load(cfg)
@@ -3,1 +3,1 @@ def alpha(cfg):
-    return a
+    return a + 1
";
    let expected = TWO.replace("def alpha", "def first").replace("return a", "return a + 1");
    lands("a.py", TWO, udiffx("a.py", body), &expected);
}

#[test]
fn a_bare_heading_that_the_file_lacks_is_an_error() {
    let hunk = "     b = load(cfg)\n-    b = check(b)\n+    b = verify(b)\n";
    let body = format!("@@ def gamma(cfg):\n{hunk}");
    refused("a.py", TWO, diffs("a.py", &body)).says("gamma");
    let end = "     b = check(b)\n-    return b\n+    return b + 1\n*** End of File\n";
    refused("a.py", TWO, patch("a.py", &format!("@@ def delta(cfg):\n{end}"))).says("delta");
    refused("a.py", TWO, patch("a.py", "@@ def delta(cfg):\n+# The end.\n*** End of File\n")).says("delta");
}

#[test]
fn dots_between_the_marks_are_no_heading() {
    let hunk = "     b = load(cfg)\n-    b = check(b)\n+    b = verify(b)\n";
    for head in ["@@ ... @@", "@@ @@", "@@", "@@ -?,? +?,? @@"] {
        let body = format!("{head}\n{hunk}");
        lands("a.py", TWO, udiffx("a.py", &body), &TWO.replace("check(b)", "verify(b)"));
    }
}

#[test]
fn a_section_behind_numbers_that_the_file_lacks_says_nothing() {
    let body = "@@ -6,2 +6,2 @@ def gamma(cfg):\n     b = load(cfg)\n-    b = check(b)\n+    b = verify(b)\n";
    lands("a.py", TWO, udiffx("a.py", body), &TWO.replace("check(b)", "verify(b)"));
}

#[test]
fn a_mark_of_the_end_of_the_file_binds() {
    let body = "@@\n     a = load(cfg)\n-    return a\n+    return a + 1\n*** End of File\n";
    refused("a.py", TWO, patch("a.py", body)).not_nowhere();
    let body = "@@\n     b = check(b)\n-    return b\n+    return b + 1\n*** End of File\n";
    lands("a.py", TWO, patch("a.py", body), &TWO.replace("return b", "return b + 1"));
    // Of two matches the last one.
    let file = "start\nx = 1\nend\nx = 1\n";
    let body = "@@\n-x = 1\n+x = 2\n*** End of File\n";
    lands("a.txt", file, patch("a.txt", body), "start\nx = 1\nend\nx = 2\n");
}

#[test]
fn the_order_of_chunks_binds_where_texts_are_not_unique() {
    let body = "@@\n-    b = check(b)\n+    b = verify(b)\n@@\n-    a = load(cfg)\n+    a = read(cfg)\n";
    let expected = TWO.replace("check(b)", "verify(b)").replace("a = load", "a = read");
    lands("a.py", TWO, diffs("a.py", body), &expected);
    let file = "x = 1\nend\nx = 1\nend\ny = 1\n";
    let body = "@@\n-y = 1\n+y = 2\n@@\n-x = 1\n+x = 2\n";
    refused("a.py", file, diffs("a.py", body)).not_nowhere();
}

#[test]
fn order_tells_equal_places_of_a_diff_apart() {
    let file = "one = 1\nend\ntwo = 2\nend\nthree = 3\nend\n";
    let body = "@@\n-two = 2\n+two = 3\n@@\n-three = 3\n+three = 4\n@@\n-end\n+END\n";
    let expected = "one = 1\nend\ntwo = 3\nend\nthree = 4\nEND\n";
    lands("a.txt", file, diffs("a.txt", body), expected);
}

/// Files of two blocks. The second block has a line that the first one lacks. For each the path, the text, the two
/// headings, and that line.
const BLOCKS: &[(&str, &str, [&str; 2], &str)] = &[
    ("a.toml", "[a]\nx = 1\n\n[b]\nx = 1\ny = 2\n", ["[a]", "[b]"], "y = 2"),
    ("a.css", ".a {\n  top: 1;\n}\n\n.b {\n  left: 1;\n}\n", [".a {", ".b {"], "  left: 1;"),
    ("a.md", "# One\n\nhere\n\n## More\n\nand\n\n# Two\n\nthere\n", ["## More", "# Two"], "there"),
    (
        "a.json",
        "{\n  \"a\": {\n    \"x\": 1\n  },\n  \"b\": {\n    \"y\": 1\n  }\n}\n",
        ["  \"a\": {", "  \"b\": {"],
        "    \"y\": 1",
    ),
    (
        "a.c",
        "int f(void)\n{\n    a = 1;\n}\n\nint g(void)\n{\n    b = 1;\n}\n",
        ["int f(void)", "int g(void)"],
        "    b = 1;",
    ),
    (
        "a.html",
        "<div id=\"a\">\n  <p>x</p>\n</div>\n<div id=\"b\">\n  <p>y</p>\n</div>\n",
        ["<div id=\"a\">", "<div id=\"b\">"],
        "  <p>y</p>",
    ),
    (
        "a.h",
        "class A {\npublic:\n    int x;\n};\n\nclass B {\npublic:\n    int y;\n};\n",
        ["class A {", "class B {"],
        "    int y;",
    ),
    (
        "a.rs",
        "impl<T> A<T>\nwhere\n    T: Copy,\n{\n    x();\n}\n\nimpl<T> B<T>\nwhere\n    T: Copy,\n{\n    y();\n}\n",
        ["impl<T> A<T>", "impl<T> B<T>"],
        "    y();",
    ),
    (
        "a.cc",
        "namespace a {\nint x();\n}\n\nnamespace b {\nint y();\n}\n",
        ["namespace a {", "namespace b {"],
        "int y();",
    ),
    ("a.py", "class A:\n# note\n    x = 1\n\nclass B:\n    y = 1\n", ["class A:", "class B:"], "    y = 1"),
    (
        "a.go",
        "switch k {\ncase \"a\":\n\treturn x\ncase \"b\":\n\treturn y\n}\n",
        ["case \"a\":", "case \"b\":"],
        "\treturn y",
    ),
    ("b.css", "body {\n  top: 1;\n}\n\n.b {\n  left: 1;\n}\n", ["body {", ".b {"], "  left: 1;"),
];

#[test]
fn blocks_and_sections_end_at_the_next_one_in_any_language() {
    for (name, file, [first, second], line) in BLOCKS {
        let changed = line.replace(|c: char| c.is_ascii_digit() || c == 'y', "3").replace("there", "now");
        let body = |heading: &str| format!("@@ {heading}\n-{line}\n+{changed}\n");
        refused(name, file, diffs(name, &body(first))).not_nowhere().says("heading");
        lands(name, file, diffs(name, &body(second)), &file.replace(line, &changed));
    }
}

#[test]
fn chunks_of_one_block_may_name_it_each() {
    let file = "class A:\n    a = 1\n    b = 2\n    c = 3\n\nclass B:\n    c = 3\n";
    let body = "@@ class A:\n-    a = 1\n+    a = 5\n@@ class A:\n-    b = 2\n+    b = 5\n";
    lands("a.py", file, patch("a.py", body), &file.replace("a = 1", "a = 5").replace("b = 2", "b = 5"));
    // The heading occurs again below, and that one may be meant.
    let file = "if x:\n    a = 1\n    b = 2\n\nif x:\n    b = 2\n";
    let body = "@@ if x:\n-    a = 1\n+    a = 5\n@@ if x:\n-    b = 2\n+    b = 5\n";
    refused("a.py", file, patch("a.py", body)).code(Code::SearchAmbiguous);
}

#[test]
fn a_heading_that_is_part_of_a_line_is_whole_words_of_it() {
    let file = "def run():\n    y = 1\n\ndef run_all():\n    x = 1\n";
    let body = "@@ def run\n-    x = 1\n+    x = 2\n";
    refused("a.py", file, patch("a.py", body)).not_nowhere().says("def run()");
    let body = "@@ def run\n-    y = 1\n+    y = 2\n";
    lands("a.py", file, patch("a.py", body), &file.replace("y = 1", "y = 2"));
}

#[test]
fn a_line_that_equals_the_heading_goes_before_one_that_contains_it() {
    let file = "run\n  a\n  b\nrun fast\n  b\n";
    let body = "@@ run\n-  a\n+  A\n@@ run\n-  b\n+  B\n";
    lands("a.txt", file, patch("a.txt", body), "run\n  A\n  B\nrun fast\n  b\n");
}

#[test]
fn equal_hunks_below_headings_of_their_own_are_each_made() {
    let function = |n: usize| format!("def f{n}():\n    a = 1\n    return a\n\n");
    let file: String = (0..4).map(function).collect();
    let expected = [1, 3].into_iter().fold(file.clone(), |file, n| {
        file.replace(&function(n), &function(n).replace("a = 1\n", "a = 1\n    b = 2\n"))
    });
    for numbers in ["", " -1,2 +1,3 @@"] {
        let hunk = |n: usize| format!("@@{numbers} def f{n}():\n     a = 1\n+    b = 2\n     return a\n");
        let both = hunk(1) + &hunk(3);
        lands("a.py", &file, udiffx("a.py", &both).and(diffs("a.py", &both)), &expected);
        already("a.py", &expected, udiffx("a.py", &both).and(diffs("a.py", &both)));
    }
}

#[test]
fn what_stands_below_the_heading_is_meant_also_where_it_is_written_otherwise() {
    let file = "def alpha(cfg):\n    load(cfg)\n    end()\n\ndef beta(cfg):\n    load(cfg)\n\n    end()\n";
    let body = "@@ def beta(cfg):\n     load(cfg)\n-    end()\n+    end(1)\n";
    let at = file.rfind("end()").unwrap();
    lands("a.py", file, diffs("a.py", body), &format!("{}end(1)\n", &file[..at]));
}

/// For each a path, the file, a hunk with the section that git writes, and the old and the new text.
const SECTIONS: &[(&str, &str, &str, [&str; 2])] = &[
    (
        "a.css",
        "body {\n  top: 1;\n}\n\n.b {\n  top: 1;\n}\n",
        "@@ -5,3 +5,6 @@ body {\n .b {\n   top: 1;\n }\n+.c {\n+  left: 1;\n+}\n",
        [".b {\n  top: 1;\n}\n", ".b {\n  top: 1;\n}\n.c {\n  left: 1;\n}\n"],
    ),
    (
        "a.css",
        "body {\n  top: 1;\n}\n\n.b {\n  top: 1;\n}\n",
        "@@ -7 +7,2 @@ body {\n }\n+/* last */\n",
        ["top: 1;\n}\n\n.b {\n  top: 1;\n}\n", "top: 1;\n}\n\n.b {\n  top: 1;\n}\n/* last */\n"],
    ),
    (
        "a.yml",
        "base:\n  z: 3\nключ:\n  y: 2\nвторой:\n  z: 3\n",
        "@@ -6 +6 @@ base:\n-  z: 3\n+  z: 4\n",
        ["второй:\n  z: 3", "второй:\n  z: 4"],
    ),
    (
        "a.rs",
        "struct A {\n}\n\n#[test]\n#[cfg(x)]\nfn f() {}\n",
        "@@ -3,4 +3,4 @@ struct A {\n \n #[test]\n #[cfg(x)]\n-fn f() {}\n+fn g() {}\n",
        ["fn f", "fn g"],
    ),
];

#[test]
fn a_section_behind_numbers_goes_as_far_as_git_finds_no_other_line() {
    for (name, file, hunk, [old, new]) in SECTIONS {
        lands(name, file, udiffx(name, hunk), &file.replace(old, new));
    }
}

#[test]
fn where_the_text_stands_below_the_block_as_it_is_written_none_in_it_is_taken_by_another_indentation() {
    let file = "def f(a):\n    if a:\n        return x\n    q = \"\"\"\nselect 1\n\"\"\"\n    return x\n";
    for numbers in ["@@ -7,1 +7,1 @@ def f(a):", "@@ def f(a):"] {
        let hunk = format!("{numbers}\n-    return x\n+    return y\n");
        refused("a.py", file, udiffx("a.py", &hunk)).says("outside of `def f(a):`");
    }
}

#[test]
fn a_long_heading_may_be_cut_in_a_word() {
    let head = "def some_function_name(alpha_argument, beta_argument, gamma_argument, delta_argument=None):";
    let file = format!("def first():\n    return 1\n\n{head}\n    return 1\n");
    let chunk = format!("@@ {}\n-    return 1\n+    return 2\n", &head[..80]);
    let expected = format!("def first():\n    return 1\n\n{head}\n    return 2\n");
    lands("a.py", &file, patch("a.py", &chunk), &expected);
    refused("a.py", &file, patch("a.py", &format!("@@ {}\n-    return 1\n+    return 2\n", &head[..28])));
}
