//! What nobody wants an answer to add to a file: placeholders, conflict markers, dividers of its own format.

use crate::answer::{Answers, diffs, each, opx, search_replace, texts};
use crate::check::{Ran, lands, refused, run};
use git_llm_apply::diag::Code;

const FILE: &str = "\
def f(cfg):
    a = read(cfg)
    b = a + 1
    c = b + 1
    return c

def g(cfg):
    return cfg
";

#[test]
fn a_placeholder_that_stands_for_code_is_refused() {
    let find = "    a = read(cfg)\n    b = a + 1\n    c = b + 1\n    return c";
    for placeholder in [
        "# ... rest of the code unchanged",
        "# rest of the function, same as before",
        "# (other code)",
        "# ... existing code ...",
    ] {
        let put = format!("    a = read(cfg, 1)\n    {placeholder}\n    return c");
        refused("a.py", FILE, each("a.py", find, &put)).code(Code::Placeholder);
    }
}

#[test]
fn another_word_makes_it_an_ordinary_comment() {
    let find = "    a = read(cfg)\n    b = a + 1\n    c = b + 1\n    return c";
    for comment in ["# (see the other file)", "# b is unchanged"] {
        let put = format!("    a = read(cfg, 1)\n    {comment}\n    return c");
        lands("a.py", FILE, each("a.py", find, &put), &FILE.replace(find, &put));
    }
    // A comment with an ellipsis is a placeholder if lines are removed for it.
    for comment in ["# ... and c comes of it", "# Reading the rest..."] {
        let put = |lines: &str| format!("    a = read(cfg, 1)\n    {comment}\n{lines}    return c");
        refused("a.py", FILE, each("a.py", find, &put(""))).code(Code::Placeholder);
        let put = put("    b = a + 2\n    c = b + 2\n");
        lands("a.py", FILE, each("a.py", find, &put), &FILE.replace(find, &put));
    }
}

#[test]
fn one_that_is_only_added_is_refused_too() {
    let put = "def g(cfg):\n    # ... existing code ...\n    return cfg";
    refused("a.py", FILE, each("a.py", "def g(cfg):\n    return cfg", put)).code(Code::Placeholder);
    // Without an ellipsis or brackets it is one only if lines are removed for it.
    let put = "def g(cfg):\n    # same as before\n    return cfg";
    lands(
        "a.py",
        FILE,
        each("a.py", "def g(cfg):\n    return cfg", put),
        &FILE.replace("def g(cfg):\n    return cfg", put),
    );
    let appended = "<FILE_CHANGES>\n<FILE_APPEND file_path=\"a.py\">\n# ... existing code ...\nx = 1\n</FILE_APPEND>\n</FILE_CHANGES>\n";
    let Ran::Refused(findings) = run("a.py", FILE, appended) else { panic!("it lands") };
    assert!(findings.iter().any(|finding| finding.code == Code::Placeholder), "{findings:?}");
}

#[test]
fn one_in_a_new_file_is_refused() {
    let text = "import os\n\n# ... existing code ...\n\ndef main():\n    run()\n";
    let added: String = text.lines().map(|line| format!("+{line}\n")).collect();
    for answer in [
        format!("<edit file=\"b.py\" op=\"new\">\n<put>\n<<<\n{text}>>>\n</put>\n</edit>\n"),
        format!("*** Begin Patch\n*** Add File: b.py\n{added}*** End Patch\n"),
        format!("--- /dev/null\n+++ b/b.py\n@@ -0,0 +1,6 @@\n{added}"),
        format!("<FILE_CHANGES>\n<FILE_NEW file_path=\"b.py\">\n{text}</FILE_NEW>\n</FILE_CHANGES>\n"),
        format!("b.py\n<<<<<<< SEARCH\n=======\n{text}>>>>>>> REPLACE\n"),
    ] {
        let Ran::Refused(findings) = run("a.py", FILE, &answer) else { panic!("it lands: {answer}") };
        assert!(findings.iter().any(|finding| finding.code == Code::Placeholder), "{findings:?}");
    }
}

#[test]
fn dots_for_a_body_that_goes_on_are_refused() {
    let find = "def f(cfg):\n    a = read(cfg)";
    refused("a.py", FILE, each("a.py", find, "def f(cfg):\n    ...")).code(Code::Placeholder);
    let file = "def f(cfg):\n    return cfg\n";
    lands("a.py", file, each("a.py", "    return cfg", "    ..."), "def f(cfg):\n    ...\n");
}

#[test]
fn a_stub_of_python_is_none() {
    let find = "def g(cfg):\n    return cfg";
    lands(
        "a.py",
        FILE,
        each("a.py", find, "def g(cfg):\n    ..."),
        &FILE.replace("    return cfg\n", "    ...\n"),
    );
    let find = "def f(cfg):\n    a = read(cfg)\n    b = a + 1\n    c = b + 1\n    return c";
    let expected = "def f(cfg):\n    ...\n\ndef g(cfg):\n    return cfg\n";
    lands("a.py", FILE, each("a.py", find, "def f(cfg):\n    ..."), expected);
}

#[test]
fn a_stub_behind_a_directive_is_none() {
    let find = "def g(cfg):\n    return cfg";
    let put = "def g(cfg):  # noqa: D103\n    ...";
    lands("a.py", FILE, each("a.py", find, put), &FILE.replace(find, put));
}

#[test]
fn in_a_pyi_file_none_is_a_placeholder() {
    let file = "class A:\n    def f(self) -> int: ...\n    def g(self) -> int: ...\n";
    let find = "    def g(self) -> int: ...";
    let put = "    def g(self) -> int:\n        ...\n    def h(self) -> str:\n        ...";
    lands("a.pyi", file, each("a.pyi", find, put), &file.replace(find, put));
    let file = "def f(a, b):\n    return a + b\n\nx: int\n";
    lands(
        "a.pyi",
        file,
        each("a.pyi", "def f(a, b):\n    return a + b", "def f(a, b):\n    ..."),
        "def f(a, b):\n    ...\n\nx: int\n",
    );
}

#[test]
fn the_end_of_a_document_of_yaml_is_none() {
    let file = "---\na: 1\nb: 2\nc: 3\n";
    lands("a.yml", file, each("a.yml", "b: 2\nc: 3", "b: 2\nc: 4\n..."), "---\na: 1\nb: 2\nc: 4\n...\n");
    lands(
        "a.yaml",
        file,
        each("a.yaml", "c: 3", "c: 3\n...\n---\nd: 4"),
        "---\na: 1\nb: 2\nc: 3\n...\n---\nd: 4\n",
    );
}

#[test]
fn a_comment_that_is_described_in_an_example_of_prose_is_none() {
    let file =
        "# Placeholders\n\nThis is refused:\n\n```python\ndef f():\n    return compute(1)\n```\n\nThe end.\n";
    let find = "```python\ndef f():\n    return compute(1)\n```";
    let put = "```python\ndef f():\n    # ... open the file and read it ...\n```";
    lands("docs/a.md", file, each("docs/a.md", find, put), &file.replace(find, put));
    let put = "```python\ndef f():\n    # ... existing code ...\n```";
    lands("docs/a.md", file, each("docs/a.md", find, put), &file.replace(find, put));
    let put = "<!-- ... rest of this section ... -->";
    refused("docs/a.md", file, each("docs/a.md", find, put)).code(Code::Placeholder);
}

#[test]
fn a_placeholder_that_the_file_has_already_stays() {
    let file = "def f():\n    # ... rest of the code unchanged\n    return compute(1)\n";
    let find = "    # ... rest of the code unchanged\n    return compute(1)";
    lands("a.py", file, each("a.py", find, &find.replace("(1)", "(2)")), &file.replace("(1)", "(2)"));
}

#[test]
fn conflict_markers_are_refused() {
    let put = "def g(cfg):\n<<<<<<< HEAD\n    return cfg\n=======\n    return 1\n>>>>>>> theirs";
    let answers = each("a.py", "def g(cfg):\n    return cfg", put).but("search-replace");
    refused("a.py", FILE, answers).code(Code::Markers);
}

#[test]
fn one_marker_of_a_conflict_is_enough() {
    let put = "def g(cfg):\n    return cfg\n>>>>>>> theirs";
    let answers = each("a.py", "def g(cfg):\n    return cfg", put).but("search-replace");
    refused("a.py", FILE, answers).code(Code::Markers);
    let put = "def g(cfg):\n    return cfg >>>>>>> 1";
    lands(
        "a.py",
        FILE,
        each("a.py", "def g(cfg):\n    return cfg", put),
        &FILE.replace("return cfg\n", "return cfg >>>>>>> 1\n"),
    );
}

#[test]
fn a_divider_of_the_format_is_not_brought_into_a_file() {
    // A second divider in the middle of the replacement.
    let put = "def g(cfg):\n    return cfg + 1\n=======\n    return cfg + 2";
    refused("a.py", FILE, search_replace("a.py", "def g(cfg):\n    return cfg", put)).code(Code::Markers);
}

#[test]
fn a_divider_that_the_file_has_is_content() {
    let file = "Title\n=======\n\nText.\n";
    lands(
        "a.rst",
        file,
        search_replace("a.rst", "Title\n=======", "Name\n======="),
        "Name\n=======\n\nText.\n",
    );
}

#[test]
fn a_divider_that_is_doubled_at_the_end_closes_the_block() {
    let answer = "### File: a.py\n<<<<<<< SEARCH\n    return cfg\n=======\n    return cfg + 1\n=======\n>>>>>>> REPLACE\n";
    match run("a.py", FILE, answer) {
        Ran::Changed(files, _) => {
            assert_eq!(files["a.py"], FILE.replace("    return cfg\n", "    return cfg + 1\n"))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn half_open_blocks_are_not_taken() {
    let cut = |answers: Answers, from: &str| {
        let (_, answer) = &answers.0[0];
        let end = answer.rfind(from).unwrap();
        let Ran::Unreadable(why) = run("a.py", FILE, &answer[..end]) else { panic!("{answer}") };
        assert!(why.contains("truncated"), "{why}");
    };
    let (find, put) = ("    return c", "    return c + 1");
    cut(opx("a.py", find, put), ">>>\n</put>");
    cut(search_replace("a.py", find, put), ">>>>>>> REPLACE");
    cut(crate::answer::patch("a.py", "@@\n-    return c\n+    return c + 1\n"), "*** End Patch");
    cut(crate::answer::udiffx("a.py", "@@\n-    return c\n+    return c + 1\n"), "</FILE_PATCH>");
}

#[test]
fn dots_in_a_text_that_is_added_beside_code_that_stays_are_refused_too() {
    // In this language a line of dots is not a statement.
    let file = "function f() {\n  a();\n  b();\n  c();\n}\n";
    let answers = texts("a.js", &[("  a();\n  b();\n  c();", "  a(1);\n  ...")]);
    refused("a.js", file, answers.and(diffs("a.js", "@@\n-  a();\n-  b();\n-  c();\n+  a(1);\n+  ...\n")));
}
