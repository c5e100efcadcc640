use crate::diag::{Code, Diagnostic};
use crate::edit::{Anchor, Change, Clue, Edit, Existing, Missing, Op, Script, Unit};
use crate::format::tests::linear::assert_linear;
use crate::format::{FormatId, MAX_ERRORS, Reading, parse};
use crate::response::Response;
use proptest::prelude::*;

fn response(text: &str) -> Response {
    Response::new(0, "r", text.as_bytes().to_vec(), 1 << 30).unwrap()
}

fn script(text: &str) -> Script {
    parse(&response(text), &Reading::default())
}

fn codes(script: &Script) -> Vec<Code> {
    script.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

/// Returns a short form of each edit.
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

/// The edits of a response without errors.
#[track_caller]
fn edits_of(text: &str) -> Vec<String> {
    let script = script(text);
    assert_eq!(codes(&script), [], "{text}\n{:?}", script.diagnostics);
    shown(&script)
}

/// The only error of a response, and its edits.
#[track_caller]
fn error_of(text: &str) -> (Diagnostic, Vec<String>) {
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
        edits_of(&text),
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
        assert_eq!(edits_of(&text), ["a.rs: \"x\\n\" -> \"y\\n\""], "{text}");
    }
}

#[test]
fn the_indentation_of_payloads_stays() {
    assert_eq!(
        edits_of("a.rs\n  <<<<<<< SEARCH\n  x\n  =======\n\ty \n  >>>>>>> REPLACE\n"),
        ["a.rs: \"  x\\n\" -> \"\\ty \\n\""]
    );
}

#[test]
fn a_new_file_is_its_lines() {
    let new = |text: &str| format!("### File: n.rs\n<<<<<<< NEW_FILE\n{text}>>>>>>> NEW_FILE\n");
    assert_eq!(edits_of(&new("a\n\nb\n")), ["n.rs: new \"a\\n\\nb\\n\""]);
    assert_eq!(edits_of(&new("")), ["n.rs: new \"\""]);
    assert_eq!(edits_of(&new("=======\n<<< HEAD\n")), ["n.rs: new \"=======\\n<<< HEAD\\n\""]);
    assert_eq!(edits_of(&new(&block("a\n", "b\n"))).len(), 1, "a text about this format");
}

#[test]
fn an_empty_search_text_may_create_the_file() {
    assert_eq!(edits_of(&format!("n.rs\n{}", block("", "a\n"))), ["n.rs: \"\" -> \"a\\n\" or new"]);
    assert_eq!(edits_of(&format!("n.rs\n{}", block("\n \n", "a\n"))), ["n.rs: \"\" -> \"a\\n\" or new"]);
    assert_eq!(edits_of(&format!("n.rs\n{}", block("", ""))), ["n.rs: \"\" -> \"\" or new"]);
    let titled = block("", "Title\n=====\n\ntext\n");
    assert_eq!(edits_of(&format!("n.md\n{titled}")), ["n.md: \"\" -> \"Title\\n=====\\n\\ntext\\n\" or new"]);
}

#[test]
fn every_divider_as_long_as_the_other_markers_is_a_split() {
    let text = format!("a.md\n{}", block("T\n=====\nx\n", "U\n======\nx\n"));
    assert_eq!(edits_of(&text), ["a.md: \"T\\n=====\\nx\\n\" -> \"U\\n======\\nx\\n\""]);
    let text = format!("a.md\n{}", block("T\n=======\nx\n", "U\n=======\nx\n"));
    assert_eq!(edits_of(&text), ["a.md: \"T\\n=======\\nx\\n=======\\nU\\n=======\\nx\\n\" at [2, 12, 22]"]);
    let text = "a.md\n<<<<<<< SEARCH\nx\n=====\ny\n======\n>>>>>>> REPLACE\n";
    assert_eq!(edits_of(text), ["a.md: \"x\\n=====\\ny\\n======\\n\" at [2, 10]"], "none is as long");
    let conflict = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n";
    let text = format!("a.rs\n{}", block(conflict, "b\n"));
    assert_eq!(
        edits_of(&text),
        ["a.rs: \"<<<<<<< HEAD\\na\\n=======\\nb\\n>>>>>>> other\\n=======\\nb\\n\" at [15, 39]"]
    );
    assert_eq!(
        edits_of(&format!("a.md\n{}", block("T\n==========\n", "U\n===\n"))),
        ["a.md: \"T\\n==========\\n\" -> \"U\\n===\\n\""]
    );
}

#[test]
fn a_start_line_is_a_line_number_hint() {
    for hint in [":start_line:12\n", ":start_line: 12\n-------\n", ":start_line:12\n:end_line:14\n-------\n"]
    {
        let text = format!("a.rs\n{}", block(&format!("{hint}x\n"), "y\n"));
        assert_eq!(edits_of(&text), ["a.rs: \"x\\n\" -> \"y\\n\" at 12"], "{hint}");
    }
    let text = |search: &str| format!("a.rs\n{}", block(search, "y\n"));
    assert_eq!(edits_of(&text(":end_line:3\nx\n")), ["a.rs: \"x\\n\" -> \"y\\n\""]);
    assert_eq!(
        edits_of(&text("-------\nx\n")),
        ["a.rs: \"-------\\nx\\n\" -> \"y\\n\""],
        "a heading of the file"
    );
    assert_eq!(edits_of(&text(":start_line:x\n")), ["a.rs: \":start_line:x\\n\" -> \"y\\n\""]);
}

/// The candidates for the files of edits without a path.
fn unnamed(text: &str) -> Vec<Vec<(String, Clue)>> {
    let all = script(text).unnamed;
    all.into_iter().map(|one| one.candidates.into_iter().map(|it| (it.path.raw, it.by)).collect()).collect()
}

#[test]
fn the_path_is_right_above_the_block_or_in_its_fence() {
    let block = block("x\n", "y\n");
    for above in [
        "a/b.rs\n",
        "a/b.rs\n\n\n",
        "`a/b.rs`\n```rust\n",
        "**a/b.rs**\n\n```\n",
        "# a/b.rs\n",
        "a/b.rs:\n",
        "```rust\na/b.rs\n",
        "```rust\n// a/b.rs\n",
        "```a/b.rs\n",
        "```rust a/b.rs\n",
        "```rust:a/b.rs\n",
        "### File: a/b.rs\n\nSome\n\nprose.\n\n",
        "**Reason**: x\n### File: a/b.rs\n",
    ] {
        assert_eq!(paths(&format!("{above}{block}")), ["a/b.rs"], "{above}");
        assert!(unnamed(&format!("{above}{block}")).is_empty(), "{above}");
    }
    for above in ["", "...\n", "```a/b.rs\ncode()\n```\n"] {
        let (fault, edits) = error_of(&format!("{above}{block}"));
        assert_eq!((fault.code, edits), (Code::Missing, vec![]), "{above}");
    }
}

#[test]
fn other_files_that_are_named_are_candidates() {
    let block = block("x\n", "y\n");
    let of = |path: &str, by| (path.to_owned(), by);
    assert_eq!(unnamed(&format!("an example:\n{block}")), [vec![of("an example", Clue::Line)]]);
    let both = |line: &str, word: &str| vec![of(line, Clue::Line), of(word, Clue::Mention)];
    assert_eq!(unnamed(&format!("it is a.rs:\n{block}")), [both("it is a.rs", "a.rs")]);
    assert_eq!(paths(&format!("a.rs\n{block}\n{block}")), ["a.rs", "a.rs"]);
    let next = format!("a.rs\n{block}\nas b.rs has it:\n{block}");
    assert_eq!(unnamed(&next), [[vec![of("a.rs", Clue::Previous)], both("as b.rs has it", "b.rs")].concat()]);
    let heading = format!("### File: a.rs\n\nb.rs\n```\n{block}```\n");
    assert_eq!(unnamed(&heading), [vec![of("b.rs", Clue::Line), of("a.rs", Clue::FileHeading)]]);
    assert!(unnamed(&format!("### File: src/a.rs\n`./src\\a.rs`\n{block}")).is_empty());
}

#[test]
fn the_reason_is_a_line_of_its_own_or_the_prose_above() {
    let block = block("x\n", "y\n");
    let why = |above: &str| whys(&format!("{above}{block}")).remove(0);
    for (above, reason) in [
        ("### File: a.rs\n**Reason**: It broke.\n\n```rust\n", Some("It broke.")),
        ("### File: a.rs\n**Reason:** It broke\nand more.\n\nSo.\n\n", Some("It broke and more.")),
        ("**Reason**: It broke.\n### File: a.rs\n\n", Some("It broke.")),
        ("Hello.\n### File: a.rs\n\nIt broke.\n\nTwice.\n\n", Some("Twice.")),
        ("Hello.\n\na.rs\n```\n", Some("Hello.")),
        ("# Cache it\n\nHere is the change:\n\na.rs\n```\n", Some("Cache it")),
        ("Here is the change:\n\na.rs\n```\n", None),
        ("a.rs\n```\n", None),
        ("<file path=\"b.py\">\nz = 2\n</file>\n\na.rs\n```\n", None),
        ("<note>\nFix it.\n</note>\n\na.rs\n```\n", Some("Fix it.")),
    ] {
        assert_eq!(why(above).as_deref(), reason, "{above}");
    }
}

#[test]
fn blocks_are_one_region_until_prose_comes() {
    let block = block("x\n", "y\n");
    let text = format!(
        "```\na.rs\n{block}{block}\n```\n\n```rust\nb.rs\n{block}**Reason**: r\n{block}```\nFinally:\n\n{block}"
    );
    let regions: Vec<_> = script(&text).edits.iter().map(|edit| edit.region).collect();
    assert_eq!(regions, [1, 1, 1, 1, 2]);
}

#[test]
fn spans_are_blocks_and_paths() {
    let text = format!("> ### File: `a.rs`\n> {}", block("x\n", "y\n").replace('\n', "\n> "));
    let response = response(&text);
    let script = parse(&response, &Reading::default());
    assert_eq!(response.slice(script.edits[0].path.span), "a.rs");
    let block = response.slice(script.edits[0].span);
    assert!(block.starts_with("<<<<<<< SEARCH\n") && block.ends_with("> >>>>>>> REPLACE"), "{block}");
}

#[test]
fn an_unterminated_block_is_an_error_up_to_the_next() {
    let whole = block("x\n", "y\n");
    for (cut, message) in [
        ("<<<<<<< SEARCH\nz\n=======\nz\n", "from here on"),
        ("<<<<<<< SEARCH\nz\n", "from here on"),
        ("<<<<<<< SEARCH\nz\n>>>>>>> REPLACE\n", "from here on"),
        ("<<<<<<< SEARCH\nz\n=======\n>>>>>>> NEW_FILE\n", "from here on"),
        ("<<<<<<< NEW_FILE\nz\n", "from here on"),
        ("<<<<<<< NEW_FILE\nz\n>>>>>>> REPLACE\n", "from here on"),
    ] {
        for text in [
            format!("a.rs\n{cut}{whole}"),
            format!("a.rs\n{whole}{cut}"),
            format!("a.rs\n{whole}\nSo:\n{cut}"),
        ] {
            let (fault, edits) = error_of(&text);
            assert_eq!((fault.code, edits.len()), (Code::Truncated, 1), "{text}");
            assert!(fault.message.contains(message), "{}", fault.message);
            assert_eq!(fault.path.as_deref(), Some("a.rs"), "{text}");
        }
    }
}

#[test]
fn a_response_that_is_cut_off_in_a_block_is_an_error() {
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
fn only_the_error_of_the_first_unterminated_block_counts_the_markers() {
    let script = script(&format!("a.rs\n{}", "<<<<<<< SEARCH\nx\n".repeat(3)));
    let counted: Vec<_> =
        script.diagnostics.iter().map(|fault| fault.message.contains("3 opened, 0 closed")).collect();
    assert_eq!(counted, [true, false, false]);
}

#[test]
fn conflicts_and_prose_about_markers_are_no_blocks() {
    for text in [
        "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n",
        "A line <<<<<<< SEARCH opens a block, `>>>>>>> REPLACE` closes it.\n",
        "`<<<<<<< SEARCH`\n",
        "Title\n=======\n\n- SEARCH\n",
        "diff\n--- removed\n+++ added\n",
    ] {
        assert_eq!(edits_of(text), [""; 0], "{text}");
    }
}

#[test]
fn an_unterminated_block_in_unterminated_fences_is_an_error() {
    // Once, the reader read only an inner fence again, and not the fence around it.
    let text =
        "<<<<<<< SEARCH<<<<<<< SEARCH\n```\n=======\n```rust\n```rust\n<<<<<<< SEARCH\n<<<<<<< SEARCH\n";
    assert!(script(text).has_errors());
}

#[test]
fn a_block_in_reasoning_is_no_edit() {
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
        let script = parse(&response, &Reading::default());
        let spans = script.edits.iter().flat_map(|edit| [edit.span, edit.path.span]);
        let faults = script.diagnostics.iter().flat_map(|fault| fault.labels.iter().copied());
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
            // In a document that the response shows, it is only named as not read.
            prop_assert!(!script.edits.is_empty() || script.has_errors() || script.shown.is_some());
        }
    }

    #[test]
    fn any_line_above_a_block_is_read(line in prop_oneof![".{0,40}", "[-#*_`:(). /a-z\u{e9}：]{0,30}"]) {
        let text = format!("{line}\n{}", block("x\n", "y\n"));
        let response = response(&text);
        for edit in parse(&response, &Reading::default()).edits {
            prop_assert_eq!(response.slice(edit.path.span), &edit.path.raw);
            prop_assert!(!edit.path.raw.trim().is_empty());
        }
    }
}
