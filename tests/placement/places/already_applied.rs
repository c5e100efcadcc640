//! An edit counts as already applied only if nothing else can be meant.

use crate::answer::{
    applydir_all, diffs, each, every, occurrence, opx, opx_all, search_replace_all, texts, udiffx,
};
use crate::check::{Ran, already, lands, refused, run, stays};

#[test]
fn a_result_that_stands_once_and_nothing_like_the_before_text_is_there() {
    let file = "alpha = 1\nbravo = 20\ncharlie = 3\n\nother = read(9)\n";
    already(
        "a.py",
        file,
        each("a.py", "alpha = 1\nbravo = 2\ncharlie = 3", "alpha = 1\nbravo = 20\ncharlie = 3"),
    );
}

const LOADERS: &str = "\
def load_train(path):
    rows = read(path)
    check(rows)
    show(rows)
    return sorted(rows)

def load_test(path):
    rows = read(path)
    verify(rows)
    show(rows)
    return list(rows)
";

#[test]
fn a_misquoted_function_whose_sibling_has_the_result_is_refused() {
    // The body of `load_test` is quoted with a slip, and is to become what the body of `load_train` is.
    let find = "    rows = read(path)\n    verify(row)\n    show(rows)\n    return list(rows)\n";
    let put = "    rows = read(path)\n    check(rows)\n    show(rows)\n    return sorted(rows)\n";
    refused("a.py", LOADERS, each("a.py", find, put));
    // With its head it is clear which function is meant, but it is still refused.
    let find = format!("def load_test(path):\n{find}");
    let put = format!("def load_test(path):\n{put}");
    refused("a.py", LOADERS, each("a.py", &find, &put));
}

#[test]
fn rightly_quoted_it_lands_beside_the_sibling() {
    let find = "    rows = read(path)\n    verify(rows)\n    show(rows)\n    return list(rows)\n";
    let put = "    rows = read(path)\n    check(rows)\n    show(rows)\n    return sorted(rows)\n";
    lands("a.py", LOADERS, each("a.py", find, put), &LOADERS.replace(find, put));
}

#[test]
fn a_removal_of_the_second_of_two_equal_methods_misquoted_is_refused() {
    let file = "\
class A:
    def size(self):
        count = self.count
        return count

    def name(self):
        return self.title

    def size(self):
        count = self.count
        return count

    def last(self):
        return self.end
";
    // With the kept line before it. Two letters of a name are swapped.
    let find = "        return self.title\n\n    def size(self):\n        count = self.cuont\n        return count\n\n    def last(self):\n";
    let put = "        return self.title\n\n    def last(self):\n";
    refused("a.py", file, each("a.py", find, put));
    let find =
        "    def size(self):\n        count = self.cuont\n        return count\n\n    def last(self):\n";
    refused("a.py", file, each("a.py", find, "    def last(self):\n"));
}

#[test]
fn a_result_is_not_there_where_the_line_that_goes_beside_it_is() {
    let file = "if index:\n    case_six(items)\ncache = event(3)\nprint(1)\nend()\n";
    let put = "if index:\n    case_six(items)\ncache = event(3)";
    let find = format!("{}\nprint(1)", put.replace("case", "csse"));
    lands("a.py", file, each("a.py", &find, put), &file.replace("print(1)\n", ""));
    let file = "start()\nprint(1)\nif index:\n    case_six(items)\ncache = event(3)\n";
    let find = format!("print(1)\n{}", put.replace("case", "csse"));
    lands("a.py", file, each("a.py", &find, put), &file.replace("print(1)\n", ""));
}

#[test]
fn a_line_at_another_depth_is_no_result() {
    let file = "def a():\n    if b():\n        return None\n\ndef c():\n    return d\n";
    refused("a.py", file, each("a.py", "    log.info(start)", "    return None"));
}

#[test]
fn lines_that_another_hunk_takes_away_are_no_result() {
    let file = "a = 1\nb = 2\nlock()\ngo(a)\nend()\n";
    let body = "@@ -2,2 +2,1 @@\n b = 2\n-lock()\n@@ -4,1 +3,2 @@\n+lock()\n go(a)\n";
    refused("a.py", file, diffs("a.py", body));
}

#[test]
fn a_result_that_stands_in_two_places_proves_nothing() {
    let file = "alpha = 1\nbravo = 20\n\nalpha = 1\nbravo = 20\n";
    refused("a.py", file, each("a.py", "alpha = 1\nbravo = 2", "alpha = 1\nbravo = 20"));
}

#[test]
fn a_short_result_proves_nothing_where_something_like_the_before_text_stands() {
    let file = "def f():\n    x = load(path, 1)\n    y = load(path, 2)\n    return x\n\nend()\n";
    // The last quoted line is wrong, and its result is a line that any file may have.
    let find = "    x = load(path, 1)\n    y = load(path, 3)\n    return x";
    refused("a.py", file, each("a.py", find, "    return x"));
}

#[test]
fn the_same_deletion_twice_in_one_response_is_made_once() {
    let file = "alpha = 1\nbravo = 2\ncharlie = 3\n";
    let expected = "alpha = 1\ncharlie = 3\n";
    let pairs = [("bravo = 2", ""), ("bravo = 2", "")];
    lands("a.py", file, opx_all("a.py", &pairs).and(search_replace_all("a.py", &pairs)), expected);
    lands("a.py", file, diffs("a.py", "@@\n-bravo = 2\n@@\n-bravo = 2\n"), expected);
    // Also with another hunk between the two.
    let body = "@@\n-bravo = 2\n@@\n-charlie = 3\n+charlie = 4\n@@\n-bravo = 2\n";
    lands("a.py", file, diffs("a.py", body), "alpha = 1\ncharlie = 4\n");
    // With context lines.
    let around = ("alpha = 1\nbravo = 2\ncharlie = 3", "alpha = 1\ncharlie = 3");
    lands("a.py", file, texts("a.py", &[around, around]), expected);
}

#[test]
fn the_same_deletion_twice_in_one_response_leaves_the_twin() {
    let file = "def a():\n    x = 1\n    y = 2\n\n\ndef b():\n    x = 1\n    y = 2\n";
    let expected = "def a():\n    x = 1\n    y = 2\n\n\ndef b():\n    x = 1\n";
    let hunk = "@@ -8,1 +7,0 @@\n-    y = 2\n";
    for body in [hunk.to_owned(), [hunk, hunk].concat()] {
        for (format, answer) in udiffx("m.py", &body).and(udiffx("m.py", &body).then(udiffx("m.py", &body))).0
        {
            let Ran::Changed(files, _) = run("m.py", file, &answer) else { panic!("{format}: {answer}") };
            assert_eq!(files["m.py"], expected, "{answer}");
        }
    }
}

#[test]
fn the_same_replacement_twice_in_one_response_is_made_once() {
    let file = "alpha = 1\nbravo = 2\ncharlie = 3\n";
    let pair = ("bravo = 2", "bravo = 20");
    let expected = "alpha = 1\nbravo = 20\ncharlie = 3\n";
    lands("a.py", file, opx_all("a.py", &[pair, pair]), expected);
    lands("a.py", file, search_replace_all("a.py", &[pair, pair]), expected);
    lands("a.py", file, applydir_all("a.py", &[pair, pair]), expected);
}

#[test]
fn a_sibling_never_gets_what_was_meant_for_one_that_is_gone() {
    // The two regions differ in one line. The region that is meant was removed.
    let region =
        |name: &str| format!("[{name}]\nsize = 1\ndepth = 2\nwidth = 3\nname = read(1)\nlast = 4\n\n");
    let find = region("north");
    let put = find.replace("depth = 2", "depth = 5");
    let file = format!("start\n\n{}end\n", region("south"));
    refused("a.ini", &file, each("a.ini", find.trim_end(), put.trim_end()));
    // The same if the sibling has the result.
    let file = file.replace("depth = 2", "depth = 5");
    refused("a.ini", &file, each("a.ini", find.trim_end(), put.trim_end()));
}

#[test]
fn a_heading_settles_where_it_is_there() {
    let file = "def f():\n    go(2)\n\ndef g():\n    go(1)\n";
    already("a.py", file, diffs("a.py", "@@ def f():\n-    go(1)\n+    go(2)\n"));
    stays("a.py", &file.replace("go(2)", "go(3)"), diffs("a.py", "@@ def f():\n-    go(1)\n+    go(2)\n"));
}

#[test]
fn a_value_misremembered_is_not_there_because_another_line_has_the_new_one() {
    let file = "def a():\n    retries = 4\n\ndef b():\n    retries = 5\n";
    refused("a.py", file, each("a.py", "    retries = 3", "    retries = 5"));
}

#[test]
fn a_text_misquoted_in_style_is_not_there_because_another_line_has_the_result() {
    let file = "[server]\nport = 8080\n\n[client]\nport=9090\n";
    refused("a.ini", file, each("a.ini", "port = 9090", "port = 8080"));
    let file = "a:\n  tag: v1.2\nb:\n  tag: \"v1.1\"\n";
    refused("a.yml", file, each("a.yml", "  tag: v1.1", "  tag: v1.2"));
    let file = "SELECT a FROM t;\nselect b from t;\n";
    refused("a.sql", file, each("a.sql", "SELECT b FROM t;", "SELECT a FROM t;"));
}

#[test]
fn a_line_misquoted_by_one_word_is_not_there_because_another_has_the_result() {
    let cases: &[(&str, &str, &str, &str)] = &[
        (
            "a.js",
            "let width = 1;\nuse(width);\n\nconst height = 2;\n",
            "const width = 1;",
            "const height = 2;",
        ),
        ("a.conf", "[a]\ndebug=false\n\n[b]\ndebug=yes\n", "debug=no", "debug=yes"),
        ("a.conf", "[a]\ndebug = false\n\n[b]\ndebug = yes\n", "debug=no", "debug = yes"),
        // The word is in the middle of the line.
        ("a.js", "let other = 1;\nrun();\n\nlet height = 2;\n", "let value = 1;", "let height = 2;"),
        // A word is left out or added.
        ("a.rs", "let mut count = 0;\nrun();\n\nlet total = 0;\n", "let count = 0;", "let total = 0;"),
        (
            "a.ts",
            "const size = 1;\nrun();\n\nconst width = 2;\n",
            "export const size = 1;",
            "const width = 2;",
        ),
        ("a.py", "def f(a, b=None):\n    pass\n\ndef g(a):\n    pass\n", "def f(a):", "def g(a):"),
        // Any text between blanks is a word here.
        (
            "sshd",
            "Port 22\nRootLogin no-password\n\nMatch b\nRootLogin yes\n",
            "RootLogin no",
            "RootLogin yes",
        ),
        ("a.toml", "[a]\nv = \"1.2.3\"\n\n[b]\nv = \"2.0.0\"\n", "v = \"1.4.0\"", "v = \"2.0.0\""),
        // An operator counts as well.
        ("a.py", "if a <= limit:\n    x()\nif b > limit:\n    y()\n", "if a < limit:", "if b > limit:"),
    ];
    for (name, file, find, put) in cases {
        refused(name, file, each(name, find, put));
    }
}

#[test]
fn a_part_of_a_line_misquoted_by_one_word_is_not_there_because_another_has_the_result() {
    let file = "a = { wait: 1, timeout: 45, tries: 3 }\n\nb = { timeout: 60, tries: 3 }\n";
    refused("a.js", file, opx("a.js", "timeout: 30", "timeout: 60"));
    let file = "run(size = SMALL, wait)\nrun(size = LARGE, wait)\n";
    refused("a.py", file, opx("a.py", "size = TINY", "size = LARGE"));
}

#[test]
fn a_result_of_one_or_two_lines_proves_nothing() {
    let file = "let width = 1;\nuse(width);\n\nconst height = 2;\n";
    refused("a.js", file, each("a.js", "const depth = 1;", "const height = 2;"));
    refused("a.js", file, each("a.js", "let width = 0;\nuse(width);", "let width = 1;\nuse(width);"));
}

#[test]
fn a_line_that_another_edit_of_the_response_brings_is_not_the_one_that_was_to_go() {
    let before = "def read_one(a):\n    pass\n\ndef read_two(b):\n    pass\n\ndef read_three(c):\n    pass\n";
    let edits = [
        ("def read_one(a):", "def load_one(a):"),
        ("def read_two(b):", "def load_two(b):"),
        ("def read_three(c):", "def load_three(c):"),
    ];
    lands("a.py", before, opx_all("a.py", &edits), &before.replace("read", "load"));
    // One line each: in a second run they prove nothing.
    refused("a.py", &before.replace("read", "load"), opx_all("a.py", &edits));
    refused("a.py", &before.replace("read", "load"), search_replace_all("a.py", &edits));
    // A line that only stays there may be it.
    let file = "const size = 1;\nconst width = 2;\n\nconst height = 9;\n";
    let edits = [
        ("let size = 1;", "const height = 9;"),
        ("const size = 1;\nconst width = 2;", "const size = 1;\nconst width = 3;"),
    ];
    refused("a.js", file, opx_all("a.js", &edits));
}

#[test]
fn several_edits_apart_prove_no_more_than_each_alone() {
    let file = "def a():\n    x = load(1)\n    return x\n\n\ndef b():\n    x = fetch(1)\n    return [x]\n";
    let pairs = [("    x = fetch(2)", "    x = load(1)"), ("    return [y]", "    return x")];
    refused("m.py", file, every("m.py", &pairs));
    let second = "@@ -7,1 +7,1 @@\n-    x = fetch(2)\n+    x = load(1)\n@@ -8,1 +8,1 @@\n-    return [y]\n+    return x\n";
    refused("m.py", file, udiffx("m.py", second));
    let first = |(find, put): (&str, &str)| occurrence("first", "m.py", find, put);
    refused("m.py", file, first(pairs[0]).then(first(pairs[1])));
    let toml = "[dev]\ntimeout = 20\nretries = 1\n\n[prod]\ntimeout = 30\nretries = 5\n";
    let pairs = [("timeout = 10", "timeout = 30"), ("retries = 2", "retries = 5")];
    refused("app.toml", toml, every("app.toml", &pairs));
    // One of the three is certain, the others are not.
    let file = "a = 1\nb = 2\nc = 3\n\nd = 4\n\ne = 5\n";
    let pairs = [("a = 1\nb = 0\nc = 3", "a = 1\nb = 2\nc = 3"), ("d = 9", "d = 4"), ("e = 9", "e = 5")];
    refused("m.py", file, every("m.py", &pairs));
}

#[test]
fn names_that_are_exchanged_through_another_one_are_so_at_the_first_run() {
    let exchange = [("def a():", "def tmp():"), ("def b():", "def a():"), ("def tmp():", "def b():")];
    let file = "def a():\n    return 1\n\n\ndef b():\n    return 2\n";
    let expected = "def b():\n    return 1\n\n\ndef a():\n    return 2\n";
    for (pairs, file, expected) in [
        (exchange, file, expected),
        (
            // The result of each edit alone would be proof.
            [
                ("def a():\n    x = 1\n    return x", "def tmp():\n    x = 1\n    return x"),
                ("def b():\n    y = 1\n    return y", "def a():\n    y = 1\n    return y"),
                ("def tmp():\n    x = 1\n    return x", "def b():\n    x = 1\n    return x"),
            ],
            "def a():\n    x = 1\n    return x\n\n\ndef b():\n    y = 1\n    return y\n",
            "def b():\n    x = 1\n    return x\n\n\ndef a():\n    y = 1\n    return y\n",
        ),
    ] {
        for answers in [opx_all("m.py", &pairs), search_replace_all("m.py", &pairs)] {
            let (_, answer) = &answers.0[0];
            let Ran::Changed(files, _) = run("m.py", file, answer) else { panic!("it lands: {answer}") };
            assert_eq!(files["m.py"], expected, "{answer}");
        }
    }
}

#[test]
fn one_more_of_several_equal_lines_is_not_taken_for_one_that_is_there() {
    let file = "int a[] = {\n  0,\n  0,\n  0,\n};\n";
    refused("a.c", file, each("a.c", "  0,\n  0,\n};\n", "  0,\n  0,\n  0,\n};\n"));
    let file = "f(1);\ng(1);\nf(1);\ng(1);\nend();\n";
    refused("a.c", file, each("a.c", "f(1);\ng(1);\nend();\n", "f(1);\ng(1);\nf(1);\ng(1);\nend();\n"));
    // With more lines of the file there is no doubt.
    let file = "int a[] = {\n  0,\n  0,\n};\n";
    let expected = "int a[] = {\n  0,\n  0,\n  0,\n};\n";
    lands("a.c", file, each("a.c", file, expected), expected);
    // The same for a part of a line, and with an occurrence.
    refused("a.py", "x = [0, 0, 0]\n", opx("a.py", "0, 0]", "0, 0, 0]"));
    refused("a.js", "f(g(h(x)))\n", opx("a.js", "(x))", "(x)))"));
    let file = "{\n    x()\n    x()\n}\n{\n    x()\n}\n";
    refused("a.js", file, occurrence("first", "a.js", "    x()", "    x()\n    x()"));
}

#[test]
fn a_heading_does_not_make_a_result_elsewhere_in_its_block_the_one_that_is_meant() {
    let file = "def f(x):\n    if x:\n        return b\n    return a  # note\n";
    refused("a.py", file, diffs("a.py", "@@ def f(x):\n-    return a\n+    return b\n"));
    let file = "func f() error {\n\tif a {\n\t\tlog.Println(err)\n\t\treturn err\n\t}\n\tif b {\n\t\tfmt.Println(err)\n\t\treturn err2\n\t}\n}\n";
    let lines = "-\t\tfmt.Printf(err)\n-\t\treturn err2\n+\t\tlog.Println(err)\n+\t\treturn err\n";
    refused("a.go", file, diffs("a.go", &format!("@@ func f() error {{\n{lines}")));
}

#[test]
fn the_end_of_a_misquoted_text_is_not_its_result_in_another_indentation() {
    let file = "{\n  \"source\": \"doc/api.md\",\n  \"modules\": [\n    {\n      \"a\": 1,\n      \"b\": 2,\n      \"c\": [\n      ]\n    }\n  ]\n}\n";
    let end = "      \"a\": 1,\n      \"b\": 2,\n      \"c\": [\n";
    let before = format!("{{\n  \"source\": \"doc/count.md\",\n  \"modules\": [\n    {{\n{end}");
    refused("a.json", file, texts("a.json", &[(&before, &format!("{{\n{end}"))]));
}
