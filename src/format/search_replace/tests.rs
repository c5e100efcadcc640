use crate::diag::{Code, Diagnostic};
use crate::edit::{Anchor, Change, Choice, Edit, Existing, Missing, Op, Script, Unit, Unsure};
use crate::format::linear::assert_linear;
use crate::format::{FormatId, MAX_ERRORS, parse};
use crate::response::Response;
use proptest::prelude::*;

fn response(text: &str) -> Response {
    Response::new(0, "r", text.as_bytes().to_vec(), 1 << 30).unwrap()
}

fn script(text: &str) -> Script {
    parse(&response(text), Some(FormatId::SearchReplace))
}

fn codes(script: &Script) -> Vec<Code> {
    script.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

/// What the edits are, in short.
fn shown(script: &Script) -> Vec<String> {
    script.edits.iter().map(show).collect()
}

fn show(edit: &Edit) -> String {
    let path = &edit.path.raw;
    let (hunks, missing) = match &edit.op {
        Op::Create { text, existing: Existing::Refuse } => return format!("{path}: new {text:?}"),
        Op::Modify { hunks, missing } => (hunks, *missing),
        other => panic!("{other:?}"),
    };
    let [hunk] = &hunks[..] else { panic!("{hunks:?}") };
    let anchor = match hunk.anchor {
        Anchor::Unique => String::new(),
        Anchor::Line { old_start: Some(line), new_start: None, .. } => format!(" at {line}"),
        ref other => panic!("{other:?}"),
    };
    let create = if missing == Missing::CreateFromAdditions { " or new" } else { "" };
    match &hunk.change {
        Change::Texts { before, after, unit: Unit::Lines } => {
            format!("{path}: {before:?} -> {after:?}{anchor}{create}")
        }
        Change::Splits { lines, dividers } => format!("{path}: {lines:?} at {dividers:?}{anchor}{create}"),
        other => panic!("{other:?}"),
    }
}

fn block(search: &str, replace: &str) -> String {
    format!("<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n")
}

/// The edits of a response without faults.
#[track_caller]
fn fine(text: &str) -> Vec<String> {
    let script = script(text);
    assert_eq!(codes(&script), [], "{text}\n{:?}", script.diagnostics);
    shown(&script)
}

/// The one fault of a response, and the edits beside it.
#[track_caller]
fn faulty(text: &str) -> (Diagnostic, Vec<String>) {
    let script = script(text);
    let [fault] = &script.diagnostics[..] else { panic!("{text}\n{:?}", script.diagnostics) };
    assert!(fault.is_error());
    (fault.clone(), shown(&script))
}

/// The paths of a response's edits.
#[track_caller]
fn paths(text: &str) -> Vec<String> {
    let script = script(text);
    assert_eq!(codes(&script), [], "{text}\n{:?}", script.diagnostics);
    script.edits.into_iter().map(|edit| edit.path.raw).collect()
}

/// The reasons of a response's edits.
fn whys(text: &str) -> Vec<Option<String>> {
    script(text).edits.into_iter().map(|edit| edit.why).collect()
}

#[test]
fn every_block_is_an_edit() {
    let text = format!(
        "### File: src/a.rs\n\n{}\n{}\n### File: src/b.rs\n{}",
        block("a\n  b\n", "x\n"),
        block("c\n", ""),
        block("d\n", "e\n\nf\n")
    );
    assert_eq!(
        fine(&text),
        [
            "src/a.rs: \"a\\n  b\\n\" -> \"x\\n\"",
            "src/a.rs: \"c\\n\" -> \"\"",
            "src/b.rs: \"d\\n\" -> \"e\\n\\nf\\n\"",
        ]
    );
}

#[test]
fn markers_of_all_kinds_and_wrappers_are_read() {
    let plain = format!("a.rs\n{}", block("x\n", "y\n"));
    for text in [
        plain.clone(),
        plain.replace('\n', "\r\n"),
        plain.trim_end().to_owned(),
        format!("```rust\n{plain}```\n"),
        format!("a.rs\n~~~~\n{}~~~~\n", block("x\n", "y\n")),
        plain.lines().map(|line| format!("> {line}\n")).collect(),
        "#### `a.rs`:\n```\n <<<<<<<< SEARCH>\nx\n  =====\ny\n >>>>> REPLACE\n```\n".to_owned(),
        "a.rs\n------- SEARCH\nx\n=======\ny\n+++++++ REPLACE\n".to_owned(),
        "a.rs\n------- SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n".to_owned(),
    ] {
        assert_eq!(fine(&text), ["a.rs: \"x\\n\" -> \"y\\n\""], "{text}");
    }
}

#[test]
fn the_indentation_of_payloads_stays() {
    assert_eq!(
        fine("a.rs\n  <<<<<<< SEARCH\n  x\n  =======\n\ty \n  >>>>>>> REPLACE\n"),
        ["a.rs: \"  x\\n\" -> \"\\ty \\n\""]
    );
}

#[test]
fn a_new_file_is_its_lines() {
    let new = |text: &str| format!("### File: n.rs\n<<<<<<< NEW_FILE\n{text}>>>>>>> NEW_FILE\n");
    assert_eq!(fine(&new("a\n\nb\n")), ["n.rs: new \"a\\n\\nb\\n\""]);
    assert_eq!(fine(&new("")), ["n.rs: new \"\""]);
    assert_eq!(fine(&new("=======\n<<< HEAD\n")), ["n.rs: new \"=======\\n<<< HEAD\\n\""]);
    assert_eq!(fine(&new(&block("a\n", "b\n"))).len(), 1, "a text about this format");
}

#[test]
fn an_empty_search_may_make_the_file() {
    assert_eq!(fine(&format!("n.rs\n{}", block("", "a\n"))), ["n.rs: \"\" -> \"a\\n\" or new"]);
    assert_eq!(fine(&format!("n.rs\n{}", block("\n \n", "a\n"))), ["n.rs: \"\" -> \"a\\n\" or new"]);
    assert_eq!(fine(&format!("n.rs\n{}", block("", ""))), ["n.rs: \"\" -> \"\" or new"]);
    let titled = block("", "Title\n=====\n\ntext\n");
    assert_eq!(fine(&format!("n.md\n{titled}")), ["n.md: \"\" -> \"Title\\n=====\\n\\ntext\\n\" or new"]);
}

#[test]
fn every_divider_as_long_as_the_other_markers_is_a_split() {
    let text = format!("a.md\n{}", block("T\n=====\nx\n", "U\n======\nx\n"));
    assert_eq!(fine(&text), ["a.md: \"T\\n=====\\nx\\n\" -> \"U\\n======\\nx\\n\""]);
    let text = format!("a.md\n{}", block("T\n=======\nx\n", "U\n=======\nx\n"));
    assert_eq!(fine(&text), ["a.md: \"T\\n=======\\nx\\n=======\\nU\\n=======\\nx\\n\" at [2, 12, 22]"]);
    let text = "a.md\n<<<<<<< SEARCH\nx\n=====\ny\n======\n>>>>>>> REPLACE\n";
    assert_eq!(fine(text), ["a.md: \"x\\n=====\\ny\\n======\\n\" at [2, 10]"], "none is as long");
    let conflict = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n";
    let text = format!("a.rs\n{}", block(conflict, "b\n"));
    assert_eq!(
        fine(&text),
        ["a.rs: \"<<<<<<< HEAD\\na\\n=======\\nb\\n>>>>>>> other\\n=======\\nb\\n\" at [15, 39]"]
    );
    assert_eq!(
        fine(&format!("a.md\n{}", block("T\n==========\n", "U\n===\n"))),
        ["a.md: \"T\\n==========\\n\" -> \"U\\n===\\n\""]
    );
}

#[test]
fn a_hint_says_the_line() {
    for hint in [":start_line:12\n", ":start_line: 12\n-------\n", ":start_line:12\n:end_line:14\n-------\n"]
    {
        let text = format!("a.rs\n{}", block(&format!("{hint}x\n"), "y\n"));
        assert_eq!(fine(&text), ["a.rs: \"x\\n\" -> \"y\\n\" at 12"], "{hint}");
    }
    let text = |search: &str| format!("a.rs\n{}", block(search, "y\n"));
    assert_eq!(fine(&text(":end_line:3\nx\n")), ["a.rs: \"x\\n\" -> \"y\\n\""]);
    assert_eq!(
        fine(&text("-------\nx\n")),
        ["a.rs: \"-------\\nx\\n\" -> \"y\\n\""],
        "a heading of the file"
    );
    assert_eq!(fine(&text(":start_line:x\n")), ["a.rs: \":start_line:x\\n\" -> \"y\\n\""]);
}

#[test]
fn the_path_stands_above_the_block() {
    let block = block("x\n", "y\n");
    for above in [
        "### File: a/b.rs\n\nSome\n\nprose\nof\n\nany\nlength.\n\n",
        "a/b.rs\n",
        "a/b.rs\n\n\n",
        "`a/b.rs`\n```rust\n",
        "**a/b.rs**\n\n```\n",
        "# a/b.rs\n",
        "a/b.rs:\n",
        "```\na/b.rs\n```\n```rust\n",
        " ```rust\na/b.rs\n```\n\nThe change:\n\n```rust\n",
        "```rust\na/b.rs\n",
        "```a/b.rs\n",
        "```rust a/b.rs\n",
        "```rust:a/b.rs\n// as you asked\n",
        "other.rs\n\nMore prose\n\n`a/b.rs`\none\ntwo\n",
        "### File: other.rs\n\nNo, in another:\n\na/b.rs\n",
        "### File: a/b.rs\nNote\n",
        "**Reason**: x\n### File: a/b.rs\n",
    ] {
        assert_eq!(paths(&format!("{above}{block}")), ["a/b.rs"], "{above}");
    }
}

#[test]
fn a_path_too_far_or_in_prose_or_closed_code_is_none() {
    let block = block("x\n", "y\n");
    for above in [
        "",
        "In a/b.rs:\n",
        "a/b.rs\nline one\nline two\nline three\n",
        "```a/b.rs\ncode()\n```\n",
        "Example:\n",
        "## Changes\n",
        "file\nnot this\n",
        "...\n",
    ] {
        let (fault, edits) = faulty(&format!("{above}{block}"));
        assert_eq!((fault.code, edits), (Code::Missing, vec![]), "{above}");
    }
}

#[test]
fn one_word_is_a_path_right_above_the_block() {
    let block = block("x\n", "y\n");
    assert_eq!(paths(&format!("Do this:\n\nfile1\n{block}")), ["file1"]);
    assert_eq!(paths(&format!("### File: a.rs\nthen\n{block}")), ["a.rs"]);
}

#[test]
fn a_block_without_a_path_is_about_the_file_of_the_last() {
    let block = block("x\n", "y\n");
    for between in ["", "\n", "\n...\n\n", "```\n\nanother change\n\n```rust\n", "### Another change\n\n"] {
        assert_eq!(paths(&format!("```rust\na.rs\n{block}{between}{block}")), ["a.rs", "a.rs"], "{between}");
    }
    assert_eq!(paths(&format!("a.rs\n{block}b.rs\n{block}\n{block}")), ["a.rs", "b.rs", "b.rs"]);
}

#[test]
fn a_block_below_prose_about_another_file_is_not_taken_for_one_of_the_file_of_the_last() {
    let block = block("x\n", "y\n");
    for between in [
        "Now update src/b.rs:\n\n",
        "### 2. The caller (b.rs)\n\nIt has to know.\n\n```rust\n",
        "**b.rs** needs it too:\n",
    ] {
        let s = script(&format!("src/a.rs\n{block}\n{between}{block}"));
        assert_eq!((codes(&s), s.edits.len()), (vec![Code::Missing], 1), "{between}");
        assert!(s.diagnostics[0].message.contains("b.rs"), "{}", s.diagnostics[0].message);
    }
    for between in ["And as in `b.rs`, in `a.rs`:\n", "It calls `console.log`:\n", "As b.rs has it.\n\nSo:\n"]
    {
        assert_eq!(paths(&format!("src/a.rs\n{block}\n{between}{block}")), ["src/a.rs"; 2], "{between}");
    }
}

/// The candidates for the files of edits that only the tree tells, and what is meant if it does not.
fn unsure(text: &str) -> Vec<(Vec<String>, Option<String>)> {
    let of = |unsure: &Unsure| {
        let otherwise = match &unsure.choice {
            Choice::Exists { otherwise } => otherwise.as_ref().map(|target| target.raw.clone()),
            Choice::Applies => None,
        };
        (unsure.candidates.iter().map(|target| target.raw.clone()).collect(), otherwise)
    };
    script(text).unsure.iter().map(of).collect()
}

#[test]
fn what_prose_quotes_may_be_the_file() {
    let block = block("x\n", "y\n");
    let both = |one: &str, two: &str| vec![one.to_owned(), two.to_owned()];
    let candidates = both("a.rs", "f()");
    assert_eq!(
        unsure(&format!("In `a.rs`, `f()`:\n{block}\n{block}")),
        [(candidates.clone(), None), (candidates, None)]
    );
    let text = format!("src/a.rs\n{block}\nAs in `b.rs`,\nin `a.rs`:\n\n```\n{block}");
    assert_eq!(unsure(&text), [(both("a.rs", "b.rs"), Some("src/a.rs".to_owned()))]);
    assert_eq!(unsure(&format!("### File: a.rs\n{block}\nAs in `b.rs`:\n{block}")), []);
}

#[test]
fn an_explicit_heading_holds_until_the_next() {
    let block = block("x\n", "y\n");
    let text = format!("### File: a.rs\n{block}\nSee also:\n- b.rs\n\n{block}\n**File:** c.rs\n{block}");
    assert_eq!(paths(&text), ["a.rs", "a.rs", "c.rs"]);
    let text = format!("### File: a.rs\n\nb.rs\n```\n{block}```\n\nSo.\n\n```rust b.rs\n{block}");
    let both = vec!["b.rs".to_owned(), "a.rs".to_owned()];
    assert_eq!(unsure(&text), [(both.clone(), None), (both, None)]);
    assert_eq!(unsure(&format!("### File: src/a.rs\n`./src\\a.rs`\n{block}")), []);
}

#[test]
fn a_block_at_fault_passes_its_own_path_on_or_none() {
    let block = block("x\n", "y\n");
    let fault = "<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n";
    let s = script(&format!("a.rs\n{block}\nb.rs\n{fault}\n{block}"));
    assert_eq!(s.edits.iter().map(|edit| edit.path.raw.as_str()).collect::<Vec<_>>(), ["a.rs", "b.rs"]);
    let s = script(&format!("a.rs\n{block}\nb.rs\n{fault}\nand then\n{block}"));
    assert_eq!(codes(&s), [Code::Truncated, Code::Missing], "nobody can say which file that is");
    let s = script(&format!("a.rs\n{block}\nand then\n{fault}\nb.rs\n{block}"));
    assert_eq!(codes(&s), [Code::Truncated]);
    assert_eq!(s.diagnostics[0].path.as_deref(), Some("a.rs"));
}

#[test]
fn blocks_are_one_region_until_prose_comes() {
    let block = block("x\n", "y\n");
    let text = format!(
        "a.rs\n{block}{block}\n```\n\n```rust\nb.rs\n{block}**Reason**: r\n{block}\nFinally:\n\n{block}"
    );
    let regions: Vec<_> = script(&text).edits.iter().map(|edit| edit.region).collect();
    assert_eq!(regions, [1, 1, 1, 1, 2]);
}

#[test]
fn the_reason_is_a_line_of_its_own_or_prose() {
    let block = block("x\n", "y\n");
    let why = |above: &str| whys(&format!("{above}{block}")).remove(0);
    assert_eq!(why("### File: a.rs\n**Reason**: It broke.\n\n```rust\n").as_deref(), Some("It broke."));
    assert_eq!(
        why("### File: a.rs\n**Reason:** It broke\nand more.\n\nSo:\n").as_deref(),
        Some("It broke and more.")
    );
    assert_eq!(why("**Reason**: It broke.\n### File: a.rs\n\n").as_deref(), Some("It broke."));
    assert_eq!(
        why("Hello.\n### File: a.rs\n\nIt broke.\n\nTwice.\n\n").as_deref(),
        Some("It broke.\n\nTwice.")
    );
    assert_eq!(
        why("### File: a.rs\nNow\n```rust\ncode();\n```\nbecomes\n```rust\n").as_deref(),
        Some("Now becomes")
    );
    assert_eq!(
        why("### File: a.rs\n\n**1. Cache it.** It **broke**.\n").as_deref(),
        Some("Cache it. It broke.")
    );
    assert_eq!(why("Hello.\n\na.rs\n```\n").as_deref(), Some("Hello."), "above the path's line");
    assert_eq!(why("Hello.\n\n### File: a.rs\n\nHere is the change:\n").as_deref(), Some("Hello."));
    assert_eq!(why("Here is the change:\n\na.rs\n```\n"), None);
    assert_eq!(why("a.rs\nIt broke.\n").as_deref(), Some("It broke."));
    assert_eq!(why("### File: a.rs\n...\n**Reason**: \n"), None);
}

#[test]
fn the_reason_of_a_heading_is_that_of_all_blocks_below() {
    let block = block("x\n", "y\n");
    let text = format!("### File: a.rs\n**Reason**: one\n{block}\n{block}\n### File: b.rs\n{block}");
    assert_eq!(whys(&text), [Some("one".into()), Some("one".into()), None]);
    let text = format!("a.rs\n{block}\nThat was that.\n\nNow for\nwhat remains:\n\n```\n{block}");
    assert_eq!(whys(&text), [None, Some("Now for what remains".into())]);
}

#[test]
fn spans_are_blocks_and_paths() {
    let text = format!("> ### File: `a.rs`\n> {}", block("x\n", "y\n").replace('\n', "\n> "));
    let response = response(&text);
    let script = parse(&response, None);
    assert_eq!(response.slice(script.edits[0].path.span), "a.rs");
    let block = response.slice(script.edits[0].span);
    assert!(block.starts_with("<<<<<<< SEARCH\n") && block.ends_with("> >>>>>>> REPLACE"), "{block}");
}

#[test]
fn a_block_that_is_half_open_is_an_error_up_to_the_next() {
    let whole = block("x\n", "y\n");
    for (cut, message) in [
        ("<<<<<<< SEARCH\nz\n=======\nz\n", "2 SEARCH, 1 REPLACE"),
        ("<<<<<<< SEARCH\nz\n", "2 SEARCH, 1 REPLACE"),
        ("<<<<<<< SEARCH\nz\n>>>>>>> REPLACE\n", "2 SEARCH, 2 REPLACE"),
        ("<<<<<<< SEARCH\nz\n=======\n>>>>>>> NEW_FILE\n", "2 SEARCH, 1 REPLACE"),
        ("<<<<<<< NEW_FILE\nz\n", "1 opened, 0 closed"),
        ("<<<<<<< NEW_FILE\nz\n>>>>>>> REPLACE\n", "1 opened, 0 closed"),
    ] {
        for text in [
            format!("a.rs\n{cut}{whole}"),
            format!("a.rs\n{whole}{cut}"),
            format!("a.rs\n{whole}\nSo:\n{cut}"),
        ] {
            let (fault, edits) = faulty(&text);
            assert_eq!((fault.code, edits.len()), (Code::Truncated, 1), "{text}");
            assert!(fault.message.contains(message), "{}", fault.message);
            assert_eq!(fault.path.as_deref(), Some("a.rs"), "{text}");
        }
    }
}

#[test]
fn wherever_blocks_are_cut_off_it_is_an_error() {
    let new = "<<<<<<< NEW_FILE\nz\n>>>>>>> NEW_FILE\n";
    let text = format!("a.rs\n{}b.rs\n{}c.rs\n{new}", block("x\n", "y\n"), block("x\n", ""));
    let whole = shown(&script(&text));
    let first = text.find(" SEARCH").unwrap() + " SEARCH".len();
    for length in first..text.len() {
        let script = script(&text[..length]);
        assert!(whole.starts_with(&shown(&script)), "{}", &text[..length]);
        let opens = |line: &&str| matches!(*line, "<<<<<<< SEARCH" | "<<<<<<< NEW_FILE");
        let opened = text[..length].lines().filter(opens).count();
        assert!(script.has_errors() || script.edits.len() == opened, "{}", &text[..length]);
    }
}

#[test]
fn whatever_marker_of_a_block_gets_lost_it_is_an_error() {
    let new = "<<<<<<< NEW_FILE\nz\n>>>>>>> NEW_FILE\n";
    let text = format!("a.rs\n{}b.rs\n{new}c.rs\n{}", block("x\n", "y\n"), block("x\n", "y\n"));
    let lines: Vec<&str> = text.lines().collect();
    for lost in (0..lines.len()).filter(|&at| lines[at].starts_with(['<', '=', '>'])) {
        let rest: Vec<&str> =
            lines.iter().enumerate().filter(|(at, _)| *at != lost).map(|(_, line)| *line).collect();
        let script = script(&rest.join("\n"));
        assert!(script.has_errors(), "without {}", lines[lost]);
        assert!(script.edits.len() <= 2, "without {}", lines[lost]);
    }
}

#[test]
fn only_the_first_half_open_block_counts_the_markers() {
    let script = script(&format!("a.rs\n{}", "<<<<<<< SEARCH\nx\n".repeat(3)));
    let counted: Vec<_> =
        script.diagnostics.iter().map(|fault| fault.message.contains("3 SEARCH, 0 REPLACE")).collect();
    assert_eq!(counted, [true, false, false]);
}

#[test]
fn markers_without_a_block_are_errors() {
    let whole = block("x\n", "y\n");
    for (stray, code) in [
        (">>>>>>> REPLACE\n", Code::Truncated),
        ("x\n=======\ny\n>>>>>>> REPLACE\n", Code::Truncated),
        (">>>>>>> NEW_FILE\n", Code::Truncated),
        ("<<< SEARCH\nx\n===\ny\n>>> REPLACE\n", Code::Malformed),
        ("<<<<<<< search\nx\n=======\ny\n>>>>>>> replace\n", Code::Malformed),
        ("<<<<<<< SEARCH a.rs\n", Code::Malformed),
    ] {
        let (fault, edits) = faulty(&format!("a.rs\n{whole}{stray}a.rs\n{whole}"));
        assert_eq!((fault.code, edits.len()), (code, 2), "{stray}");
    }
}

#[test]
fn conflicts_and_prose_about_markers_are_no_blocks() {
    for text in [
        "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n",
        "A line <<<<<<< SEARCH opens a block, `>>>>>>> REPLACE` closes it.\n",
        "`<<<<<<< SEARCH`\n",
        "Title\n=======\n\n- SEARCH\n",
        "diff\n--- a/x\n+++ b/x\n",
    ] {
        assert_eq!(fine(text), [""; 0], "{text}");
    }
}

#[test]
fn a_draft_in_reasoning_is_none() {
    let whole = block("x\n", "y\n");
    for draft in
        ["<<<<<<< SEARCH\nz\n", "a.rs\n<<<<<<< SEARCH\nz\n=======\n", "<<<<<<< NEW_FILE\nz\n", &whole]
    {
        let script = script(&format!("a.rs\n{draft}</think>\nb.rs\n{whole}"));
        assert!(!script.has_errors(), "{draft} {:?}", script.diagnostics);
        assert_eq!(shown(&script), ["b.rs: \"x\\n\" -> \"y\\n\""], "{draft}");
    }
}

#[test]
fn hostile_blocks_are_read_in_linear_time() {
    let assert_linear =
        |name, text: &dyn Fn(usize) -> String| assert_linear(name, FormatId::SearchReplace, text);
    let whole = block("x\n", "y\n");
    assert_linear("openings", &|n| "<<<<<<< SEARCH\n".repeat(n));
    assert_linear("new openings", &|n| "<<<<<<< NEW_FILE\n".repeat(n));
    assert_linear("both openings", &|n| format!("<<<<<<< NEW_FILE\n{}", "<<<<<<< SEARCH\n".repeat(n)));
    assert_linear("openings in reasoning", &|n| "<<<<<<< SEARCH\n</think>\n".repeat(n / 2));
    assert_linear("ends", &|n| ">>>>>>> REPLACE\n".repeat(n));
    assert_linear("dividers", &|n| {
        format!("a.rs\n<<<<<<< SEARCH\n{}>>>>>>> REPLACE\n", "=======\n".repeat(n))
    });
    assert_linear("blocks", &|n| format!("a.rs\n{}", whole.repeat(n / 5)));
    assert_linear("blocks without a path", &|n| whole.repeat(n / 5));
    assert_linear("a path above each", &|n| format!("### File: a.rs\n\nIt broke.\n{whole}").repeat(n / 8));
    assert_linear("prose above each", &|n| format!("a.rs\n{}", format!("So.\n\n```\n{whole}").repeat(n / 8)));
    assert_linear("headings", &|n| format!("a.rs\n{whole}{}", "### File: a.rs\n".repeat(n)));
    assert_linear("fences", &|n| format!("{}{whole}", "```\n```x\n".repeat(n / 2)));
    assert_linear("prose", &|n| format!("{}{whole}", "prose\n\n".repeat(n / 2)));
}

#[test]
fn errors_are_bounded() {
    let script = script(&"<<<<<<< SEARCH\n".repeat(5000));
    assert_eq!(script.diagnostics.len(), MAX_ERRORS + 1);
    assert_eq!(script.diagnostics.last().map(|last| last.code), Some(Code::Limit));
}

fn fragment() -> impl Strategy<Value = String> {
    let lines = [
        "<<<<<<< SEARCH",
        "<<<<<<< SEARCH",
        "=======",
        "=======",
        ">>>>>>> REPLACE",
        ">>>>>>> REPLACE",
        "<<<<<<< NEW_FILE",
        ">>>>>>> NEW_FILE",
        "------- SEARCH",
        "+++++++ REPLACE",
        "<<<<<<< HEAD",
        ":start_line:3",
        "-------",
        "### File: a/b.rs",
        "### File: `c d\u{e9}.rs` (new)",
        "**Reason**: r\u{fc}ck",
        "a.rs",
        "`b.rs`:",
        "file1",
        "```",
        "```rust",
        "```x.py",
        "prose \u{2026}",
        "",
        "",
        " ",
        "<think>",
        "</think>",
        "> <<<<<<< SEARCH",
        "\u{feff}",
        "\r",
        "# (",
        "` (\u{e9})",
    ];
    let line = (
        "[ \t]{0,2}",
        prop::sample::select(lines.to_vec()),
        prop::sample::select(vec!["\n", "\n", "\r\n", ""]),
    );
    prop::collection::vec(line.prop_map(|(indent, text, end)| format!("{indent}{text}{end}")), 0..40)
        .prop_map(|lines| lines.concat())
}

proptest! {
    #[test]
    fn any_text_is_read_and_spans_are_in_it(text in prop_oneof![fragment(), ".{0,200}"]) {
        let response = response(&text);
        let script = parse(&response, Some(FormatId::SearchReplace));
        let spans = script.edits.iter().flat_map(|edit| [edit.span, edit.path.span]);
        let faults = script.diagnostics.iter().flat_map(|fault| fault.labels.iter().map(|label| label.span));
        for span in spans.chain(faults) {
            prop_assert!(response.text().get(span.range()).is_some(), "{:?}", span);
        }
        let mut end = 0;
        for edit in &script.edits {
            prop_assert!(edit.span.start >= end && edit.span.end > edit.span.start);
            prop_assert_eq!(response.slice(edit.path.span), &edit.path.raw);
            end = edit.span.end;
        }
        let declares = |line: &str| line.trim_matches([' ', '\t']) == "<<<<<<< SEARCH";
        if response.text().lines().any(declares) && !response.text().contains("think>") && !text.contains("> <<<") {
            prop_assert!(!script.edits.is_empty() || script.has_errors());
        }
    }

    #[test]
    fn any_line_above_a_block_is_read(line in prop_oneof![".{0,40}", "[-#*_`:(). /a-z\u{e9}：]{0,30}"]) {
        let text = format!("{line}\n{}", block("x\n", "y\n"));
        let response = response(&text);
        for edit in parse(&response, Some(FormatId::SearchReplace)).edits {
            prop_assert_eq!(response.slice(edit.path.span), &edit.path.raw);
            prop_assert!(!edit.path.raw.trim().is_empty());
        }
    }
}
