//! The same with the built command on a real repository: its messages, its exit status, and that a refusal changes
//! nothing.

use crate::answer::{Answers, each, opx, texts, udiffx};
use crate::sandbox::{Sandbox, same};

/// Creates a repository with one more file.
fn with(path: &str, text: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file(path, text);
    sandbox.commit("the file");
    sandbox
}

const TWO: &str =
    "def alpha(cfg):\n    a = load(cfg)\n    return a\n\ndef beta(cfg):\n    b = load(cfg)\n    return b\n";

#[test]
fn a_refusal_exits_with_one_and_touches_nothing() {
    let sandbox = with("a.py", TWO);
    let before = sandbox.listing();
    let against = "@@ def alpha(cfg):\n     b = load(cfg)\n-    return b\n+    return b + 1\n";
    let misquoted = "    b = laod(cfg)\n    return b";
    let all: Answers = crate::answer::diffs("a.py", against)
        .and(each("a.py", misquoted, "    a = load(cfg)\n    return a"))
        .and(opx("a.py", "load", "read"));
    for (format, answer) in &all.0 {
        sandbox.apply(["--no-keep"], answer).exits(1);
        same(format, &before, &sandbox.listing());
    }
}

#[test]
fn a_second_run_makes_no_commit() {
    let expected = TWO.replace("return b", "return b + 1");
    let answers =
        each("a.py", "    b = load(cfg)\n    return b", "    b = load(cfg)\n    return b + 1").and(udiffx(
            "a.py",
            "@@ -6,2 +6,2 @@ def beta(cfg):\n     b = load(cfg)\n-    return b\n+    return b + 1\n",
        ));
    for (format, answer) in &answers.0 {
        let sandbox = with("a.py", TWO);
        sandbox.apply([""; 0], answer).exits(0);
        assert_eq!(sandbox.text("a.py"), expected, "{format}");
        let head = sandbox.head();
        sandbox.apply([""; 0], answer);
        assert_eq!((sandbox.head(), sandbox.text("a.py")), (head, expected.clone()), "{format}");
        sandbox.is_sound();
    }
}

/// An edit for each match mode: the mode, the path, the file, the search text and the replacement.
const TIERS: &[(&str, &str, &str, &str, &str)] = &[
    ("exact", "a.py", "a = 1\nb = 2\nc = 3\nd = 4\n", "a = 1\nb = 2", "a = 1\nb = 3"),
    ("eol", "a.py", "a = 1\r\nb = 2\r\nc = 3\r\nd = 4\r\n", "a = 1\nb = 2", "a = 1\nb = 3"),
    ("trailing-space", "a.py", "a = 1 \nb = 2\nc = 3\nd = 4\n", "a = 1\nb = 2", "a = 1\nb = 3"),
    ("indent", "a.py", "if x:\n    a = 1\n    b = 2\n", "a = 1\nb = 2", "a = 1\nb = 3"),
    ("unicode", "a.py", "a = '1'\nb = 2\nc = 3\n", "a = ‘1’\nb = 2", "a = ‘1’\nb = 3"),
    ("blank-lines", "a.py", "a = 1\n\nb = 2\nc = 3\n", "a = 1\nb = 2", "a = 1\nb = 3"),
    ("elision", "a.py", "a = 1\nz = 5\nb = 2\nc = 3\n", "a = 1\n...\nb = 2", "a = 1\n...\nb = 3"),
    (
        "similar",
        "a.py",
        "# What is read from the file\na = 1\nb = 2\nc = 3\n",
        "# What is red from the file\na = 1\nb = 2\nc = 3",
        "# What is red from the file\na = 1\nb = 2\nc = 4",
    ),
];

#[test]
fn each_tier_is_reported_by_its_name() {
    for (tier, path, file, find, put) in TIERS {
        let sandbox = with(path, file);
        for (format, answer) in &each(path, find, put).0 {
            let run = sandbox.apply(["--json", "--dry-run"], answer);
            let said = format!("{}{}", run.stdout, run.stderr);
            let json: serde_json::Value =
                serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{tier} {format}: {said}"));
            let found = &json["edits"][0]["matches"][0];
            assert_eq!(found["tier"], *tier, "{format}: {said}");
            if *tier == "similar" {
                assert!(found["similarity"].is_number(), "{format}: {found}");
            }
        }
    }
}

#[test]
fn max_fuzz_says_which_tiers_are_asked() {
    let allowed = [
        ("exact", &["exact", "eol"][..]),
        ("whitespace", &["exact", "eol", "trailing-space", "blank-lines"]),
        ("indent", &["exact", "eol", "trailing-space", "indent", "unicode", "blank-lines"]),
        (
            "similar",
            &["exact", "eol", "trailing-space", "indent", "unicode", "blank-lines", "elision", "similar"],
        ),
    ];
    for (tier, path, file, find, put) in TIERS {
        let sandbox = with(path, file);
        for (fuzz, tiers) in allowed {
            for (format, answer) in &texts(path, &[(find, put)]).0 {
                let run = sandbox.apply(["--dry-run", "--max-fuzz", fuzz], answer);
                let wanted = if tiers.contains(tier) { 0 } else { 1 };
                assert_eq!(
                    run.code,
                    Some(wanted),
                    "{tier} by {fuzz} in {format}: {}{}",
                    run.stdout,
                    run.stderr
                );
            }
        }
    }
}

#[test]
fn a_misquoted_line_needs_the_loosest() {
    let file = "a = read(1)\nb = read(2)\nc = read(3)\nd = 4\n";
    let find = "a = red(1)\nb = read(2)\nc = read(3)\nd = 4";
    let put = "a = read(1)\nb = read(2)\nc = read(3)\nd = 5";
    let sandbox = with("a.py", file);
    for (format, answer) in &each("a.py", find, put).0 {
        for (fuzz, code) in [("exact", 1), ("whitespace", 1), ("indent", 1), ("similar", 0)] {
            let run = sandbox.apply(["--dry-run", "--max-fuzz", fuzz], answer);
            assert_eq!(run.code, Some(code), "{format} by {fuzz}: {}{}", run.stdout, run.stderr);
        }
    }
}

#[test]
fn leave_is_given_by_name() {
    let sandbox = with("a.py", TWO);
    let put = "    # ... rest of the code unchanged";
    for (option, find, put) in [
        ("--allow-placeholder", "    b = load(cfg)\n    return b", put),
        (
            "--allow-markers",
            "    return b",
            "<<<<<<< HEAD\n    return b\n=======\n    return c\n>>>>>>> theirs",
        ),
    ] {
        for (_, answer) in &opx("a.py", find, put).0 {
            sandbox.apply(["--dry-run"], answer).exits(1);
            sandbox.apply(["--dry-run", option], answer).exits(0);
        }
    }
}
