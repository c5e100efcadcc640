//! Properties of all responses.

use crate::edit::{Change, Edit, Op, Script};
use crate::format::{FormatId, Reading, parse};
use crate::response::Response;
use crate::span::Span;
use proptest::prelude::*;

/// Texts that random responses consist of: markers of all formats, whole and damaged, and text between them.
const PIECES: &[&str] = &[
    "\n",
    "\n",
    "\n",
    "\r\n",
    " ",
    "\t",
    "é",
    "“",
    "x",
    "=",
    "\"",
    "'",
    "/",
    ">",
    "<",
    "`",
    "@@@",
    "> ",
    "```",
    "~~~~xml",
    "<edit file=\"a\" op=\"new\">",
    "<edit file='b' op='patch'>",
    "<edit file=“c” op=”remove” />",
    "<edit ",
    "<EDIT\n",
    "file=\"d\"",
    "op='move'",
    "root=",
    "</edit>",
    "</edit",
    "<find>",
    "<find occurrence=\"2\">",
    "</find>",
    "<put>",
    "<put marker='@@@'>",
    "</put>",
    "<to file='e'/>",
    "<to file=\"f\"></to>",
    "<why>",
    "</why>",
    "<opx>",
    "</opx>",
    "<<<",
    "\n<<<\n",
    ">>>",
    "\n>>>\n",
    "<<",
    ">>",
    "<think>",
    "</think>",
    "<thinking>",
    "</Thinking>",
    "*** Begin Patch\n",
    "*** Update File: g\n",
    "@@ h\n",
    "*** End Patch\n",
    "<<<<<<< SEARCH\n",
    "=======\n",
    ">>>>>>> REPLACE\n",
    "### File: i\n",
    "<FILE_CHANGES>",
    "<FILE_NEW file_path=\"j\">",
    "</FILE_NEW>",
    "</FILE_CHANGES>",
    "<FILE_PATCH file_path='l'>",
    "\n@@ -1,2 +1 @@\n",
    "\n-x\n+y\n~\n",
    "\n\\ No newline at end of file\n",
    "</FILE_PATCH>",
    "<FILE_RENAME from_path=m to_path='n' />",
    "<FILE_DELETE file_path=\"o\"",
    "\n[[[UDIFFX_FILE_CHANGES]]]\n",
    "\n[[[FILE_APPEND file_path=\"p\"]]]\n",
    "\n[[[/FILE_APPEND]]]\n",
    "\n[[[/UDIFFX_FILE_CHANGES]]]\n",
    "[{\"file\": \"k\"}]",
    "\n[{\"file\": \"q\", \"changes\": [{",
    "\"original_lines\": [\"x\"],",
    "\"changed_lines\": [\"y\\n\", \"\"]",
    "\n{\"action\": \"delete\", \"file\": \"r\"}",
    "}]}]",
    "/*",
    "// ",
    "{\"file_entries\": [",
    "]}",
    "\n```diff\n",
    "\n```\n",
    "\ndiff --git a/s b/s\n",
    "\nindex 83db48f..bf269f4 100644\n",
    "\nold mode 100644\nnew mode 100755\n",
    "\nnew file mode 100644\n",
    "\nrename from t\nrename to u\n",
    "\n--- a/v\n",
    "+++ b/v\n@@ -1 +1 @@\n",
    "\n--- a/w\n+++ /dev/null\n",
    "\nFrom 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\n",
    "\nSubject: [PATCH 1/2] =?utf-8?q?x=C3=A9?=\n\n",
    "\n-- \n2.43.0\n",
    "\n{\"path\": \"s\", \"old_str\": \"x\", \"new_str\": \"y\"}\n",
    "\n{\"file_path\": \"t\", \"content\": \"\\u00e9\"}\n",
    "\n{\"name\": \"edit\", \"id\": \"1\", \"input\": ",
    "\"{\\\"path\\\": \\\"u\\\", \\\"old_str\\\": \\\"\\\\n\\\"}\"}",
    "\n{\"patchText\": \"*** Begin Patch\\n*** Delete File: v\\n*** End Patch\"}\n",
    "\n{\"tool_use_id\": \"1\", \"is_error\": true}\n",
    "{\"command\": \"insert\", \"path\": \"w\", \"insert_line\": 1, \"insert_text\": \"x\"}",
    "\n<write_to_file>\n<path>x</path>\n<content>\n",
    "\n</content>\n</write_to_file>\n",
    "\n<replace_in_file>\n<path>y</path>\n<diff>\n",
    "\n</diff>\n</replace_in_file>\n",
    "\n> ",
    "\n- ",
    "\nYou said:\n",
    "\nChatGPT said:\n",
    "\u{feff}",
    "\0",
    "\u{2028}",
];

fn responses() -> impl Strategy<Value = String> {
    prop::collection::vec(0..PIECES.len(), 0..60)
        .prop_map(|pieces| pieces.into_iter().map(|piece| PIECES[piece]).collect())
}

fn response(text: &str) -> Response {
    Response::new(0, "r", text.as_bytes().to_vec(), 1 << 24).unwrap()
}

/// All spans of a script.
fn spans(script: &Script) -> Vec<Span> {
    let mut spans: Vec<Span> = script.diagnostics.iter().flat_map(|d| d.labels.iter().copied()).collect();
    for edit in &script.edits {
        spans.extend([edit.span, edit.path.span]);
        match &edit.op {
            Op::Rename { to, .. } | Op::Copy { to, .. } => spans.push(to.span),
            _ => {}
        }
        spans.extend(edit.hunks().iter().map(|hunk| hunk.span));
        spans.extend(edit.git.mail);
    }
    spans
}

fn check(text: &str, only: Option<FormatId>) -> Script {
    let response = response(text);
    let script = parse(&response, &only.map_or_else(Reading::default, Reading::only));
    for span in spans(&script) {
        assert!(response.text().get(span.range()).is_some(), "{span:?} in {text:?}");
    }
    for edit in &script.edits {
        assert!(only.is_none_or(|only| Reading::only(only).reads(edit.format)), "{text:?}");
        assert_ne!(edit.path.raw.trim(), "", "{text:?}");
        assert_ne!(edit.why.as_deref().map(str::trim), Some(""), "{text:?}");
    }
    for pair in script.edits.windows(2) {
        assert!(pair[0].span.start <= pair[1].span.start, "{text:?}");
        assert!(pair[0].region <= pair[1].region, "{text:?}");
    }
    script
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spans_are_in_the_response(text in responses()) {
        check(&text, None);
        for id in FormatId::ALL {
            check(&text, Some(*id));
        }
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,80}") {
        check(&text, None);
    }

    #[test]
    fn an_opx_text_comes_out_as_it_went_in(
        pieces in prop::collection::vec(prop::collection::vec(0..PIECES.len(), 0..4), 0..12),
        crlf: bool,
        quote in 0..3_usize,
    ) {
        let mut lines: Vec<String> = pieces
            .iter()
            .map(|line| line.iter().map(|&piece| PIECES[piece].replace(['\n', '\r'], "")).collect())
            .collect();
        lines.retain(|line: &String| line.trim_matches([' ', '\t']) != "%%");
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let edit = format!("<edit file='f.md' op='new'><put marker='%%'>\n%%\n{text}%%\n</put></edit>\n");
        let mut edit: String = edit.lines().map(|line| format!("{}{line}\n", "> ".repeat(quote))).collect();
        if crlf {
            edit = edit.replace('\n', "\r\n");
        }
        let script = check(&edit, None);
        prop_assert!(script.diagnostics.is_empty(), "{:?}", script.diagnostics);
        prop_assert_eq!(script.edits.len(), 1);
        prop_assert_eq!(meaning(&script.edits[0]), ("f.md", None, vec![text.as_str()]));
    }
}

/// Whether a script has an error, or reports text that is not read.
fn is_reported(script: &Script) -> bool {
    script.has_errors() || !script.unread.is_empty() || !script.given.is_empty()
}

/// Three edits of different kinds, one of them with a text like a tag.
const THREE: &str = "Here:\n\n<edit file=\"a\" op=\"patch\">\n<why>one</why>\n<find occurrence=\"1\">\n<<<\nx\n>>>\n</find>\n\
                     <put>\n<<<\ny\n</put>\n>>>\n</put>\n</edit>\n\nThen\n<edit file='b' op='new'>\n<put>\n<<<\nz\n>>>\n\
                     </put>\n</edit>\n<edit file='c' op='move'>\n<to file='d'>\n</to>\n</edit>\nSo.\n";

#[test]
fn an_opx_edit_that_is_cut_off_anywhere_is_an_error() {
    let whole = parse(&response(THREE), &Reading::default());
    assert_eq!((whole.edits.len(), whole.diagnostics.len()), (3, 0));
    for cut in 0..THREE.len() {
        let script = check(&THREE[..cut], None);
        let kept = whole.edits.iter().filter(|edit| edit.span.end as usize <= cut).count();
        assert_eq!(script.edits, whole.edits[..kept], "cut at {cut}");
        // From `<edi` on, it is recognized as an edit.
        let begun = |edit: &&Edit| edit.span.start as usize + "<edi".len() <= cut;
        let begun = whole.edits.iter().filter(begun).count();
        assert_eq!(script.has_errors(), begun > kept, "cut at {cut}: {:?}", script.diagnostics);
    }
}

#[test]
fn an_opx_edit_without_one_of_its_lines_is_reported() {
    let lines: Vec<&str> = THREE.lines().collect();
    let whole = parse(&response(THREE), &Reading::default()).edits;
    for lost in 0..lines.len() {
        // Lines of a text or of prose may be missing; others are markup.
        if matches!(lines[lost], "Here:" | "" | "Then" | "So." | "x" | "y" | "z")
            || lines[lost].contains("why")
        {
            continue;
        }
        if lines[lost] == "</put>" && lines[lost + 1] == ">>>" {
            continue;
        }
        let text: String = lines
            .iter()
            .enumerate()
            .filter(|(n, _)| *n != lost)
            .map(|(_, line)| format!("{line}\n"))
            .collect();
        let script = check(&text, None);
        assert!(is_reported(&script), "without line {lost}, {:?}:\n{text}", lines[lost]);
        for edit in &script.edits {
            let parts = |edit: &Edit| format!("{:?}", (meaning(edit).0, meaning(edit).2));
            let as_meant = whole.iter().any(|other| parts(other) == parts(edit));
            assert!(as_meant, "without line {lost}, {:?}: {edit:?}", lines[lost]);
        }
    }
}

/// All directives of udiffx.
const DIRECTIVES: &str = "Here:\n\n<FILE_CHANGES>\n<FILE_NEW file_path=\"a\" why='so'>\n```rust\nx\n```\n</FILE_NEW>\n\n\
    <FILE_PATCH file_path='b'>\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n</FILE_PATCH>\n<FILE_APPEND file_path=c>\nx\n</FILE_APPEND>\n\
    <FILE_RENAME from_path=\"d\" to_path=\"e\" />\n<FILE_COPY from_path=\"f\" to_path=\"g\"/>\n\
    <FILE_DELETE file_path=\"h\">\n</FILE_DELETE>\n</FILE_CHANGES>\nSo.\n";

/// The same in square brackets.
fn square_directives() -> String {
    let text =
        DIRECTIVES.replace("FILE_CHANGES", "UDIFFX_FILE_CHANGES").replace('<', "[[[").replace('>', "]]]");
    text.replace("[[[[[[", "<<<").replace("=c]]]", "='c']]]")
}

/// All actions of applydir.
const ENTRIES: &str = "Here:\n\n{\n\"message\": \"m\",\n\"file_entries\": [\n{\n\"file\": \"a\",\n\"changes\": [\n{\n\
    \"original_lines\": [\"x\"],\n\"changed_lines\": [\"y\"]\n}\n]\n},\n{\n\"action\": \"create_file\",\n\
    \"file\": \"b\",\n\"changes\": [\n{\n\"original_lines\": [],\n\"changed_lines\": [\n\"y\",\n\"z\"\n]\n}\n]\n},\n\
    {\n\"file\": \"c\",\n\"action\": \"delete_file\"\n}\n]\n}\nSo.\n";

/// Cuts a response of one region off at each byte; `begins` and `ends` are the bounds of the region.
fn cut_off(text: &str, begins: usize, ends: usize) {
    let whole = parse(&response(text), &Reading::default());
    assert_eq!(whole.diagnostics, [], "{text}");
    for cut in 0..text.len() {
        let script = check(&text[..cut], None);
        let kept = whole.edits.iter().filter(|edit| edit.span.end as usize <= cut).count();
        assert_eq!(script.edits, whole.edits[..kept], "cut at {cut}");
        let broken = cut >= begins && cut < ends;
        assert_eq!(script.has_errors(), broken, "cut at {cut}: {:?}", script.diagnostics);
    }
}

#[test]
fn a_udiffx_response_that_is_cut_off_gives_the_edits_before_and_an_error() {
    for text in [DIRECTIVES.to_owned(), square_directives()] {
        let last = if text.contains('[') { "CHANGES]]]" } else { "CHANGES>" };
        let begins = text.find(['<', '[']).unwrap() + "<FIL".len();
        cut_off(&text, begins, text.rfind(last).unwrap() + last.len());
    }
}

#[test]
fn an_applydir_response_that_is_cut_off_gives_the_edits_before_and_an_error() {
    let begins = ENTRIES.find("\"file_entries\":").unwrap() + "\"file_entries\":".len();
    cut_off(ENTRIES, begins, ENTRIES.rfind('}').unwrap() + 1);
}

#[test]
fn calls_that_are_cut_off_after_an_edit_are_an_error() {
    let calls = [
        r#"{"file_path": "a", "content": "x\n", "why": "w"}"#,
        r#"{"file_path": "b", "edits": [{"old_string": "x", "new_string": "y"}, {"old_string": "v", "new_string": "w"}]}"#,
        r#"{"file_path": "c", "old_string": "x", "new_string": "y"}"#,
        r#"{"name": "Write", "input": {"file_path": "d", "content": "x\n"}}"#,
    ];
    for first in 0..calls.len() {
        let mut rest = calls;
        rest.rotate_left(first);
        let text = format!("Here:\n\n[\n{}\n]\n", rest.join(",\n"));
        let begins = text.find('[').unwrap() + 2 + rest[0].len();
        for cut in begins..text.rfind(']').unwrap() {
            let script = check(&text[..cut], None);
            assert!(!script.edits.is_empty() && script.has_errors(), "cut at {cut}: {text}");
        }
    }
}

/// Leaves out each line of a response in turn, except lines of texts and prose.
fn lose_lines(text: &str, is_text: impl Fn(&str) -> bool) {
    let lines: Vec<&str> = text.lines().collect();
    let whole = parse(&response(text), &Reading::default()).edits;
    for lost in (0..lines.len()).filter(|&lost| !is_text(lines[lost])) {
        let rest = lines.iter().enumerate().filter(|(n, _)| *n != lost);
        let text: String = rest.map(|(_, line)| format!("{line}\n")).collect();
        let script = check(&text, None);
        let meanings = |edits: &[Edit]| {
            edits.iter().map(|edit| format!("{:?}", (meaning(edit).0, meaning(edit).2))).collect::<Vec<_>>()
        };
        let (seen, meant) = (meanings(&script.edits), meanings(&whole));
        assert!(is_reported(&script) || seen == meant, "without line {lost}, {:?}:\n{text}", lines[lost]);
        assert!(
            seen.iter().all(|edit| meant.contains(edit)),
            "without line {lost}, {:?}: {seen:?}",
            lines[lost]
        );
    }
}

#[test]
fn a_udiffx_response_without_one_of_its_lines_is_reported() {
    for text in [DIRECTIVES.to_owned(), square_directives()] {
        // Lines of a text or of prose, and lines that are a whole edit.
        lose_lines(&text, |line| {
            ["Here:", "", "So.", "x", " x", "-y", "+z"].contains(&line)
                || line.contains("/>")
                || line.contains("/]]]")
        });
    }
}

#[test]
fn an_applydir_response_without_one_of_its_lines_is_reported() {
    lose_lines(ENTRIES, |line| {
        let text = ["Here:", "", "So.", "\"y\",", "\"z\""].contains(&line);
        // Without its action, an object still creates a missing file.
        text || line.contains("message") || line.contains("create_file")
    });
}

/// An edit without its spans.
fn meaning(edit: &Edit) -> (&str, Option<&str>, Vec<&str>) {
    let texts = match &edit.op {
        Op::Create { text, .. } | Op::Replace { text } | Op::Append { text } | Op::Snippet { text } => {
            vec![text.as_str()]
        }
        Op::Modify { hunks, .. } => hunks
            .iter()
            .flat_map(|hunk| match &hunk.change {
                Change::Texts { before, after, .. } => vec![before.as_str(), after],
                Change::Splits { lines, .. } | Change::Diff { lines, .. } => vec![lines.as_str()],
            })
            .collect(),
        Op::Rename { to, .. } | Op::Copy { to, .. } => vec![to.raw.as_str()],
        Op::Delete { .. } => Vec::new(),
    };
    (&edit.path.raw, edit.why.as_deref(), texts)
}
