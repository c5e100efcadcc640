use crate::diag::{Code, Diagnostic};
use crate::edit::{Anchor, Change, Edit, Existing, Hunk, Missing, Op, Script};
use crate::format::tests::linear::assert_linear;
use crate::format::{FormatId, MAX_ERRORS, parse};
use crate::response::Response;
use proptest::prelude::*;

fn response(text: &str) -> Response {
    Response::new(0, "r", text.as_bytes().to_vec(), 1 << 30).unwrap()
}

fn script(text: &str) -> Script {
    parse(&response(text), &crate::format::Reading::only(FormatId::ApplyPatch))
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
    match &edit.op {
        Op::Create { text, existing: Existing::Refuse } => format!("add {path} {text:?}"),
        Op::Delete { recursive: false, .. } => format!("delete {path}"),
        Op::Modify { hunks, missing: Missing::Refuse } => format!("update {path}{}", chunks(hunks)),
        Op::Rename { to, hunks } => format!("move {path} to {}{}", to.raw, chunks(hunks)),
        other => panic!("{other:?}"),
    }
}

fn chunks(hunks: &[Hunk]) -> String {
    let chunk = |hunk: &Hunk| {
        let Change::Diff { lines, before_unterminated: false, after_unterminated: false } = &hunk.change
        else {
            panic!("{hunk:?}")
        };
        let Anchor::Seek { headings, end_of_file } = &hunk.anchor else { panic!("{hunk:?}") };
        format!(" {headings:?} {lines:?}{}", if *end_of_file { " end" } else { "" })
    };
    hunks.iter().map(chunk).collect()
}

fn patch(body: &str) -> String {
    format!("*** Begin Patch\n{body}*** End Patch\n")
}

/// The edits of a patch without errors.
#[track_caller]
fn edits_of(text: &str) -> Vec<String> {
    let script = script(text);
    assert_eq!(codes(&script), [], "{text}\n{:?}", script.diagnostics);
    shown(&script)
}

/// The only error of a patch, and its edits.
#[track_caller]
fn error_of(text: &str) -> (Diagnostic, Vec<String>) {
    let script = script(text);
    let [fault] = &script.diagnostics[..] else { panic!("{text}\n{:?}", script.diagnostics) };
    assert!(fault.is_error());
    (fault.clone(), shown(&script))
}

#[test]
fn every_section_is_an_edit_of_one_region() {
    let text = patch(
        "*** Add File: a/new.rs\n+one\n+\n+ two\n*** Delete File: b.rs\n*** Update File: c.rs\n*** Move to: d.rs\n\
         @@ fn main()\n line\n-old\n+new\n*** Update File: e.rs\n@@\n-x\n",
    );
    let script = script(&format!("Sure:\n\n{text}\nDone.\n{text}"));
    let edits = [
        "add a/new.rs \"one\\n\\n two\\n\"",
        "delete b.rs",
        "move c.rs to d.rs [\"fn main()\"] \" line\\n-old\\n+new\\n\"",
        "update e.rs [] \"-x\\n\"",
    ];
    assert_eq!(shown(&script), [edits, edits].concat());
    assert_eq!(script.edits.iter().map(|edit| edit.region).collect::<Vec<_>>(), [1, 1, 1, 1, 2, 2, 2, 2]);
    assert_eq!(codes(&script), []);
}

#[test]
fn spans_are_sections_and_paths() {
    let text = patch("*** Update File:  a b.rs \n*** Move to: c\n@@ x\n-y\n\n*** Delete File: d\n");
    let response = response(&text);
    let script = parse(&response, &crate::format::Reading::default());
    let slices: Vec<_> = script.edits.iter().map(|edit| response.slice(edit.span)).collect();
    assert_eq!(slices, ["*** Update File:  a b.rs \n*** Move to: c\n@@ x\n-y", "*** Delete File: d"]);
    assert_eq!(response.slice(script.edits[0].path.span), "a b.rs");
    let Op::Rename { to, hunks } = &script.edits[0].op else { panic!("a move") };
    assert_eq!((response.slice(to.span), response.slice(hunks[0].span)), ("c", "@@ x\n-y"));
}

#[test]
fn wrappers_of_all_kinds_are_prose() {
    let body = "*** Add File: a\n+x\n";
    for text in [
        format!("apply_patch <<'EOF'\n{}EOF\n", patch(body)),
        format!("<<EOF\n{}EOF", patch(body)),
        format!("```diff\n{}```\n", patch(body)),
        format!("~~~~\ncat <<\"X\" | apply_patch\n{}X\n~~~~\n", patch(body)),
        patch(body).replace('\n', "\r\n"),
        patch(body).trim_end().to_owned(),
        patch(body).lines().map(|line| format!("> {line}\n")).collect(),
        patch(body).lines().map(|line| format!("    {line}\n")).collect(),
        patch(body).lines().map(|line| format!("\t{line}\n")).collect(),
        patch(body).lines().map(|line| format!(" {line}\n")).collect(),
    ] {
        assert_eq!(edits_of(&text), ["add a \"x\\n\""], "{text}");
    }
}

#[test]
fn markers_are_compared_trimmed_and_in_any_case() {
    assert_eq!(edits_of("*** begin patch\n*** delete file: a\n*** End patch\n"), ["delete a"]);
    assert_eq!(edits_of(" *** Begin Patch\n*** Delete File: a\n*** End Patch \n"), ["delete a"]);
    assert_eq!(
        edits_of("*** Begin Patch \n  *** Update File: a\n@@\n-x\n+y\n *** End Patch"),
        ["update a [] \"-x\\n+y\\n\""]
    );
    assert_eq!(edits_of("*** Begin Patch\n*** Add File: a\n+x\n\t*** End Patch\n+y\n"), ["add a \"x\\n\""]);
}

#[test]
fn an_indented_patch_keeps_the_indentation_of_its_lines() {
    let text = "1. Do this:\n   *** Begin Patch\n   *** Update File: a\n   @@\n      two\n\n   -x\n   +  y\n   *** End Patch\n";
    assert_eq!(edits_of(text), ["update a [] \"   two\\n \\n-x\\n+  y\\n\""]);
}

#[test]
fn an_indented_marker_is_a_context_line_if_the_patch_continues() {
    let text = patch(
        "*** Update File: doc.md\n@@\n *** Begin Patch\n-*** Add File: x\n+*** Add File: y\n *** End Patch\n",
    );
    assert_eq!(
        edits_of(&text),
        ["update doc.md [] \" *** Begin Patch\\n-*** Add File: x\\n+*** Add File: y\\n *** End Patch\\n\""]
    );
    let text = "*** Begin Patch\n*** Update File: a\n@@\n-x\n *** End Patch\nSo much for a.\n *** Begin Patch\n\
                *** Update File: b\n@@\n-y\n *** End Patch\n";
    assert_eq!(edits_of(text), ["update a [] \"-x\\n\"", "update b [] \"-y\\n\""]);
}

#[test]
fn hunks_begin_at_their_at_lines() {
    let update = |body: &str| edits_of(&patch(&format!("*** Update File: a\n{body}"))).remove(0);
    assert_eq!(update(" x\n+y\n"), "update a [] \" x\\n+y\\n\"", "the first may lack @@");
    assert_eq!(update("-x\n@@\n-y\n"), "update a [] \"-x\\n\" [] \"-y\\n\"");
    assert_eq!(update("@@ class A\n@@   def f\n-y\n"), "update a [\"class A\", \"  def f\"] \"-y\\n\"");
    assert_eq!(update("@@ class A\n\n@@\n-y\n"), "update a [\"class A\"] \"-y\\n\"");
    assert_eq!(
        update("@@ -1,2 +3 @@ fn f\n-y\n@@ -4 +5,6 @@\n-z\n"),
        "update a [\"fn f\"] \"-y\\n\" [] \"-z\\n\""
    );
    assert_eq!(update("@@ ... @@\n-y\n@@ @@\n-z\n"), "update a [] \"-y\\n\" [] \"-z\\n\"");
    assert_eq!(update("@@ def f @@\n-y\n"), "update a [\"def f\"] \"-y\\n\"");
}

#[test]
fn an_empty_line_is_context_but_not_between_hunks() {
    let update = |body: &str| edits_of(&patch(&format!("*** Update File: a\n{body}"))).remove(0);
    assert_eq!(update("\n@@\n a\n\n-b\n"), "update a [] \" a\\n \\n-b\\n\"");
    assert_eq!(update("@@\n-b\n\n@@\n-c\n"), "update a [] \"-b\\n \\n\" [] \"-c\\n\"");
    assert_eq!(update("@@\n\n+b\n"), "update a [] \" \\n+b\\n\"");
    assert_eq!(
        update("@@ f\n+b\n\n\n"),
        "update a [\"f\"] \"+b\\n\"",
        "added lines alone end where they end"
    );
    assert_eq!(update("@@\n-a\n\t\n-b\n"), "update a [] \"-a\\n \\n-b\\n\"");
}

#[test]
fn end_of_file_anchors_a_hunk_at_the_end() {
    let update = |body: &str| edits_of(&patch(&format!("*** Update File: a\n{body}"))).remove(0);
    assert_eq!(update("@@\n+x\n*** End of File\n\n"), "update a [] \"+x\\n\" end");
    assert_eq!(update("@@\n-x\n*** End of File\n@@\n-y\n"), "update a [] \"-x\\n\" end [] \"-y\\n\"");
    let (fault, _) = error_of(&patch("*** Update File: a\n@@\n-x\n*** End of File\n-y\n"));
    assert_eq!(fault.code, Code::Malformed);
    let (fault, _) = error_of(&patch("*** Update File: a\n@@\n*** End of File\n"));
    assert_eq!(fault.code, Code::Malformed);
    let (fault, _) = error_of(&patch("*** Add File: a\n+x\n*** End of File\n"));
    assert_eq!(fault.code, Code::Malformed);
}

#[test]
fn a_move_needs_no_hunks_and_comes_first() {
    assert_eq!(edits_of(&patch("*** Update File: a\n*** Move to: b\n")), ["move a to b"]);
    for body in [
        "*** Update File: a\n@@\n-x\n*** Move to: b\n",
        "*** Update File: a\n*** Move to: b\n*** Move to: c\n",
        "*** Add File: a\n*** Move to: b\n+x\n",
        "*** Move to: b\n",
    ] {
        let (fault, edits) = error_of(&patch(body));
        assert_eq!((fault.code, edits), (Code::Malformed, vec![]), "{body}");
    }
}

#[test]
fn a_new_file_is_its_lines() {
    assert_eq!(edits_of(&patch("*** Add File: a\n")), ["add a \"\""]);
    assert_eq!(
        edits_of(&patch("*** Add File: a\n+*** End Patch\n+@@\n\n\n")),
        ["add a \"*** End Patch\\n@@\\n\""]
    );
}

#[test]
fn an_invalid_section_is_no_edit_and_the_others_are() {
    for (body, code) in [
        ("*** Add File: a\n+x\ny\n+z\n", Code::Malformed),
        ("*** Add File: a\n+x\n\n+z\n", Code::Malformed),
        ("*** Add File: a\n@@\n+x\n", Code::Malformed),
        ("*** Delete File: a\n-x\n", Code::Malformed),
        ("*** Update File: a\n", Code::Missing),
        ("*** Update File: a\n@@ f\n", Code::Missing),
        ("*** Update File: a\n@@\n-x\n@@\n", Code::Missing),
        ("*** Update File: a\n@@\n-x\ny\n", Code::Malformed),
        ("*** Update File: a\n@@\n-x\n\\ No newline at end of file\n", Code::Malformed),
        ("*** Update File: a\n@@x\n-x\n", Code::Malformed),
        ("*** Update File: a\n@@\n-x\n***\n+y\n", Code::Malformed),
        ("*** Update File: a\n@@\n-x\n```\n", Code::FenceUnclear),
    ] {
        let text = patch(&format!("*** Delete File: before\n{body}*** Delete File: after\n"));
        let (fault, edits) = error_of(&text);
        assert_eq!(fault.code, code, "{body}: {}", fault.message);
        assert_eq!(fault.path.as_deref(), Some("a"), "{body}");
        assert_eq!(edits, ["delete before", "delete after"], "{body}");
    }
}

#[test]
fn unexpected_lines_are_errors() {
    for (body, code) in [
        ("*** Frobnicate File: foo\n", Code::Malformed),
        ("*** Add File:\n+x\n", Code::Missing),
        ("*** Add File: \u{b}\n+x\n", Code::Missing),
        ("*** Update File: a\n*** Move to: \n@@\n-x\n", Code::Missing),
        ("--- a\n+++ a\n@@\n-x\n", Code::Malformed),
        ("*** Environment ID:  \n", Code::Malformed),
    ] {
        let (fault, edits) = error_of(&patch(body));
        assert_eq!((fault.code, edits), (code, vec![]), "{body:?}: {}", fault.message);
    }
    // A patch without sections is no error.
    for nothing in ["", "\n\n", "*** Environment ID: remote\n"] {
        assert_eq!(edits_of(&patch(nothing)), Vec::<String>::new());
    }
    assert_eq!(edits_of(&patch("*** Environment ID: remote\n*** Delete File: a\n")), ["delete a"]);
}

#[test]
fn a_patch_without_an_end_gives_all_but_its_last_section() {
    let (fault, edits) = error_of("*** Begin Patch\n*** Delete File: a\n*** Update File: b\n@@\n-x\n+y");
    assert_eq!((fault.code, edits), (Code::Truncated, vec!["delete a".to_owned()]));
    assert_eq!(fault.path.as_deref(), Some("b"));
    for text in ["*** Begin Patch\nbad", "*** Begin Patch", "*** Begin Patch\n```\n*** Delete File: x\n"] {
        let script = script(text);
        assert_eq!(codes(&script)[0], Code::Truncated, "{text}");
        assert_eq!(shown(&script), [""; 0], "{text}");
    }
}

#[test]
fn a_patch_that_is_cut_off_anywhere_is_an_error() {
    let text = patch("*** Add File: a\n+x\n\n*** Update File: b\n@@ f\n x\n-y\n+z\n*** Delete File: c\n");
    let whole = shown(&script(&text));
    let begin = "*** Begin Patch".len();
    let end = text.len() - "\n".len();
    for length in begin..end {
        let script = script(&text[..length]);
        assert!(script.has_errors(), "{}", &text[..length]);
        assert!(whole.starts_with(&shown(&script)), "{}", &text[..length]);
    }
}

#[test]
fn a_patch_without_one_of_its_markers_is_an_error() {
    let text =
        patch("*** Add File: a\n+x\n*** Update File: b\n*** Move to: d\n x\n-y\n+z\n*** Delete File: c\n");
    let lines: Vec<&str> = text.lines().collect();
    // A response without the line `Move to` or `Delete File` is valid: the file is not moved, or not deleted.
    for lost in (0..lines.len()).filter(|&at| lines[at].starts_with("***")) {
        let rest: Vec<&str> =
            lines.iter().enumerate().filter(|(at, _)| *at != lost).map(|(_, line)| *line).collect();
        let script = script(&rest.join("\n"));
        let unseen = lines[lost].contains("Move") || lines[lost].contains("Delete");
        assert_eq!(script.has_errors(), !unseen, "without {}", lines[lost]);
    }
}

#[test]
fn a_patch_after_one_that_is_cut_off_is_read() {
    let cut = "```\n*** Begin Patch\n*** Update File: b\n@@\n-x\n```\nOnce more:\n";
    let (fault, edits) = error_of(&format!("{cut}{}", patch("*** Delete File: c\n")));
    assert_eq!((fault.code, edits), (Code::Truncated, vec!["delete c".to_owned()]));
    let (fault, edits) =
        error_of(&format!("*** Begin Patch\n*** Delete File: b\n{}", patch("*** Delete File: c\n")));
    assert_eq!((fault.code, edits), (Code::Truncated, vec!["delete c".to_owned()]));
}

#[test]
fn a_patch_that_is_cut_off_in_reasoning_ends_with_it() {
    let text = format!("*** Begin Patch\n*** Delete File: a\n</think>\n{}", patch("*** Delete File: b\n"));
    assert_eq!(edits_of(&text), ["delete b"]);
}

#[test]
fn sections_without_a_patch_are_errors() {
    let (fault, edits) =
        error_of("Here:\n*** Update File: a\n@@\n-x\n+y\n*** Delete File: b\n\nThat is all.\n");
    assert_eq!((fault.code, edits), (Code::Truncated, vec![]));
    let (fault, edits) =
        error_of(&format!("*** Add File: a\n+x\n*** End Patch\n{}", patch("*** Delete File: b\n")));
    assert_eq!((fault.code, edits), (Code::Truncated, vec!["delete b".to_owned()]));
    assert_eq!(edits_of("*** End Patch\n"), [""; 0], "an end by itself is text");
}

#[test]
fn prose_that_mentions_markers_is_prose() {
    for text in [
        "Write `*** Begin Patch` first.\n",
        "*** Begin Patch is the first line\n",
        "***\n\n***bold***\n*** Update File:\n",
        "*** a.c\t2002-02-21\n*** 1,7 ****\n",
    ] {
        assert_eq!(edits_of(text), [""; 0], "{text}");
    }
}

#[test]
fn hostile_patches_are_read_in_linear_time() {
    let assert_linear =
        |name, text: &dyn Fn(usize) -> String| assert_linear(name, FormatId::ApplyPatch, text);
    assert_linear("sections", &|n| patch(&"*** Update File: a\n".repeat(n)));
    assert_linear("sections without a patch", &|n| "*** Update File: a\n".repeat(n));
    assert_linear("beginnings", &|n| "*** Begin Patch\n".repeat(n));
    assert_linear("indented beginnings", &|n| "\t*** Begin Patch\n\t*** Update File: a\nx\n".repeat(n / 4));
    assert_linear("padded ends", &|n| {
        format!("*** Begin Patch\n*** Update File: a\n{}", " *** End Patch\n".repeat(n))
    });
    assert_linear("padded beginnings", &|n| " *** Begin Patch\n*** Update File: a\nx\n".repeat(n / 4));
    assert_linear("chunks", &|n| patch(&format!("*** Update File: a\n{}", "@@ f\n-x\n".repeat(n / 4))));
    assert_linear("one chunk", &|n| patch(&format!("*** Update File: a\n@@\n{}", "-x\n\n".repeat(n / 4))));
    assert_linear("context", &|n| patch(&format!("*** Update File: a\n{}-x\n", "@@ f\n\n".repeat(n / 4))));
    assert_linear("patches", &|n| patch("*** Delete File: a\n").repeat(n / 8));
}

#[test]
fn errors_are_bounded() {
    let script = script(&patch(&"*** Update File: a\n".repeat(5000)));
    assert_eq!(script.diagnostics.len(), MAX_ERRORS + 1);
    assert_eq!(script.diagnostics.last().map(|last| last.code), Some(Code::Limit));
}

fn fragment() -> impl Strategy<Value = String> {
    let lines = [
        "*** Begin Patch",
        "*** End Patch",
        "*** Add File: a",
        "*** Delete File: b",
        "*** Update File: c\u{e9}",
        "*** Move to: d",
        "*** End of File",
        "*** Environment ID: x",
        "*** Update File:",
        "@@",
        "@@ f",
        "@@ -1 +1 @@",
        " x",
        "+y",
        "-z",
        "",
        " ",
        "\t",
        "prose",
        "```",
        "<think>",
        "</think>",
        "> *** Begin Patch",
        "\u{feff}",
        "\r",
        "***",
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
        let mut script = parse(&response, &crate::format::Reading::default());
        script.edits.retain(|edit| edit.format == FormatId::ApplyPatch);
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
        let is = |line: &str, marker: &str| line.trim_matches([' ', '\t']) == marker;
        let mut lines = response.text().lines().skip_while(|line| !is(line, "*** Begin Patch")).skip(1);
        // A patch with nothing but an environment is no edit and no error.
        let declares = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with("*** Environment ID: ");
        let declares = lines.by_ref().take_while(|line| !is(line, "*** End Patch")).any(declares);
        // A bare hunk may contain the lines.
        if declares && !response.text().contains("think>") && !text.contains("> ***") && !text.contains("@@ -") {
            prop_assert!(!script.edits.is_empty() || script.has_errors());
        }
    }
}
