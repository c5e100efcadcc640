use crate::diag::Code;
use crate::edit::{Anchor, Change, Edit, Existing, Missing, Op, Script, Unit};
use crate::format::tests::linear::assert_linear;
use crate::format::{FormatId, parse};
use crate::response::Response;
use proptest::prelude::*;

fn response(text: &str) -> Response {
    Response::new(0, "r", text.as_bytes().to_vec(), 1 << 28).unwrap()
}

fn script(text: &str) -> Script {
    parse(&response(text), &crate::format::Reading::default())
}

/// The edits of a response that has no diagnostics.
fn edits(text: &str) -> Vec<Edit> {
    let script = script(text);
    assert!(script.diagnostics.is_empty(), "{text}\n{:#?}", script.diagnostics);
    script.edits
}

fn edit(text: &str) -> Edit {
    let mut edits = edits(text);
    assert_eq!(edits.len(), 1, "{text}\n{edits:#?}");
    edits.remove(0)
}

/// Codes and main places.
fn faults(text: &str) -> Vec<(Code, String)> {
    let place = |d: &crate::diag::Diagnostic| text[d.span().unwrap().range()].to_owned();
    script(text).diagnostics.iter().map(|d| (d.code, place(d))).collect()
}

fn codes(text: &str) -> Vec<Code> {
    script(text).diagnostics.iter().map(|d| d.code).collect()
}

fn paths(text: &str) -> Vec<String> {
    script(text).edits.into_iter().map(|edit| edit.path.raw).collect()
}

/// A list of one file with these members.
fn file(members: &str) -> String {
    format!("[{{\"file\": \"a\", {members}}}]")
}

/// A list of one file with one change with these lists, as they are written.
fn change(original: &str, changed: &str) -> String {
    file(&format!("\"changes\": [{{\"original_lines\": {original}, \"changed_lines\": {changed}}}]"))
}

/// Before- and after-text of each hunk of the only edit.
fn texts(text: &str) -> Vec<(String, String)> {
    let Op::Modify { hunks, .. } = edit(text).op else { panic!("{text}") };
    hunks
        .into_iter()
        .map(|hunk| match hunk.change {
            Change::Texts { before, after, unit: Unit::Lines } => (before.into(), after.into()),
            change => panic!("{change:?}"),
        })
        .collect()
}

fn pair(before: &str, after: &str) -> Vec<(String, String)> {
    vec![(before.to_owned(), after.to_owned())]
}

#[test]
fn the_three_actions() {
    let all = edits(
        r#"{"file_entries": [
            {"file": "a.rs", "action": "replace_lines", "changes": [
                {"original_lines": ["x", "y"], "changed_lines": ["z"]},
                {"original_lines": ["  p"], "changed_lines": ["  p", ""]}
            ]},
            {"file": "b.rs", "action": "create_file", "changes": [
                {"original_lines": [], "changed_lines": ["one", "", "two"]}
            ]},
            {"file": "c.rs", "action": "delete_file", "changes": []},
            {"action": "delete", "file": "d.rs"}
        ]}"#,
    );
    let seen: Vec<_> = all.iter().map(|edit| (edit.path.raw.as_str(), edit.region)).collect();
    assert_eq!(seen, ["a.rs", "b.rs", "c.rs", "d.rs"].map(|path| (path, 1)));
    let Op::Modify { hunks, missing } = &all[0].op else { panic!() };
    assert_eq!(*missing, Missing::Refuse);
    let texts: Vec<_> = hunks.iter().map(|hunk| &hunk.change).collect();
    let change = |before: &str, after: &str| Change::Texts {
        before: before.into(),
        after: after.into(),
        unit: Unit::Lines,
    };
    assert_eq!(texts, [&change("x\ny\n", "z\n"), &change("  p\n", "  p\n\n")]);
    assert!(hunks.iter().all(|hunk| hunk.anchor == Anchor::Unique));
    assert_eq!(all[1].op, Op::Create { text: "one\n\ntwo\n".into(), existing: Existing::Refuse });
    assert_eq!(all[2].op, Op::Delete { recursive: false, hunks: Vec::new() });
    assert_eq!(all[3].op, Op::Delete { recursive: false, hunks: Vec::new() });
}

#[test]
fn the_outermost_value_is_a_list_an_object_with_one_or_a_files_object() {
    let object = r#"{"file": "a", "action": "delete_file"}"#;
    for text in [
        format!("[{object}]"),
        format!("{{\"file_entries\": [{object}]}}"),
        format!("{{\"message\": \"m\", \"x\": {{}}, \"file_entries\": [{object}], \"y\": 1}}"),
        object.to_owned(),
    ] {
        assert_eq!(edit(&text).path.raw, "a", "{text}");
    }
}

#[test]
fn without_an_action_lines_are_replaced_or_a_file_is_created() {
    let text = change(r#"["x"]"#, r#"["y"]"#);
    assert_eq!(texts(&text), pair("x\n", "y\n"));
    assert_eq!(texts(&text.replace("\"changes\"", "\"action\": null, \"changes\"")), pair("x\n", "y\n"));
    let Op::Modify { hunks, missing } = edit(&change("[]", r#"["y"]"#)).op else { panic!() };
    assert_eq!(missing, Missing::CreateFromAdditions);
    assert_eq!(hunks[0].change, Change::Texts { before: "".into(), after: "y\n".into(), unit: Unit::Lines });
}

#[test]
fn a_string_with_line_breaks_is_several_lines() {
    let lines = |strings: &str| texts(&change(strings, r#"["y"]"#)).remove(0).0;
    assert_eq!(lines(r#"["a\nb", "c"]"#), "a\nb\nc\n");
    assert_eq!(lines(r#"["a\r\nb\r\n", "c\r"]"#), "a\nb\nc\n");
    assert_eq!(lines(r#"["a\n", "b\n"]"#), "a\nb\n", "a break at the end begins no line");
    assert_eq!(lines(r#"["a\n\n", "\n", ""]"#), "a\n\n\n\n");
    assert_eq!(lines(r#"["\ta \"b\" \\ \u00e9\ud83d\ude00\/"]"#), "\ta \"b\" \\ é😀/\n");
    assert_eq!(lines(r#"["a\rb"]"#), "a\rb\n", "a lone CR is text");
}

#[test]
fn a_file_of_one_blank_line_can_be_created() {
    let text = file(r#""action": "create_file", "changes": [{"changed_lines": [""]}]"#);
    assert_eq!(edit(&text).op, Op::Create { text: "\n".into(), existing: Existing::Refuse });
}

#[test]
fn comments_and_trailing_commas_are_tolerated() {
    let text = "[ // the files\n  {\n    \"file\": \"a//b\", /* it\n is \"so\" */ \"changes\": [{\n \
                \"original_lines\": [\"x, ]\", /**/ ],\n \"changed_lines\": [\"/* y */\", // z\n ] , }, ] , }\n,]\n";
    let edit = edit(text);
    assert_eq!(edit.path.raw, "a//b");
    assert_eq!(texts(text), pair("x, ]\n", "/* y */\n"));
    assert_eq!(&text[edit.path.span.range()], "a//b", "places are those of the response");
    for text in ["[,]", "[1,,]", "{,}", "[{\"a\":,}]"] {
        let text = format!("[{{\"file\": \"a\", \"changes\": {text}}}]");
        assert_eq!(codes(&text), [Code::Malformed], "{text}");
    }
}

#[test]
fn edits_and_their_hunks_have_their_spans() {
    let text = "So:\n\n  [{\"file\": \"é/b\", \"changes\": [ {\"original_lines\": [\"x\"], \"changed_lines\": [\"y\"]} ]} ] ok";
    let edit = edit(text);
    assert!(text[edit.span.range()].starts_with("{\"file\"") && text[edit.span.range()].ends_with("]}"));
    assert_eq!(&text[edit.path.span.range()], "é/b");
    let Op::Modify { hunks, .. } = &edit.op else { panic!() };
    assert!(text[hunks[0].span.range()].starts_with("{\"original_lines\""));
}

#[test]
fn json_is_read_in_prose_fences_and_block_quotes() {
    let json = "[\n {\"file\": \"a\", // x\n  \"changes\": [{\"original_lines\": [\"> x\"],\n\n  \"changed_lines\": [\"y\"]}]},\n]";
    let crlf = format!("```json\r\n{}\r\n```\r\n", json.replace('\n', "\r\n"));
    for text in [
        json.to_owned(),
        format!("Here [it] is:\n\n{json}\nThat is [{{}}] all.\n"),
        format!("```json\n{json}\n```\n"),
        format!("- one\n  ~~~\n  {json}\n  ~~~\n"),
        crlf,
        json.lines().map(|line| format!("> > {line}\n")).collect::<String>(),
    ] {
        assert_eq!(texts(&text), pair("> x\n", "y\n"), "{text}");
        let edit = edit(&text);
        assert_eq!(&text[edit.path.span.range()], "a", "{text}");
        assert!(text[edit.span.range()].starts_with("{\"file\""), "{text}");
    }
}

#[test]
fn each_json_value_is_a_region() {
    let one = file("\"action\": \"delete\"");
    let all = edits(&format!("{one} {one}\nthen\n{one}\n"));
    assert_eq!(all.len(), 3);
    assert!(all.windows(2).all(|pair| pair[0].region != pair[1].region));
}

#[test]
fn other_json_in_prose_is_not_for_edits() {
    for text in [
        "[{\"file\": \"a.rs\", \"line\": 3, \"message\": \"unused\"}]",
        "{\"name\": \"x\", \"changes\": [], \"version\": 1}",
        "```json\n{\n  \"scripts\": {\n    \"file\": \"a\"\n  }\n}\n```",
        "{ \"cut\": [",
        "[\n[\n[\n",
        "say [{\"file\": \"a\", \"changes\": []}]",
        "not json",
        "{\"message\": \"some msg\"}",
    ] {
        assert_eq!((edits(text), text), (vec![], text));
    }
}

#[test]
fn the_message_and_the_reasons() {
    let one = r#"{"file": "a", "why": " all ", "changes": [
        {"original_lines": ["x"], "changed_lines": ["y"], "why": "first"},
        {"original_lines": ["p"], "changed_lines": ["q"], "why": null},
        {"original_lines": ["p"], "changed_lines": ["q"], "why": " "},
        {"why": "last", "original_lines": ["p"], "changed_lines": ["q"]}]}"#;
    let s = script(&format!("{{\"message\": \"feat: x\\n\\n- y\\n\", \"file_entries\": [{one}]}}"));
    assert_eq!(s.diagnostics, []);
    assert_eq!(s.message.as_deref(), Some("feat: x\n\n- y"));
    assert_eq!(s.edits[0].why.as_deref(), Some("all\n\nfirst\n\nlast"));
    let s = script(&format!("{{\"message\": null, \"file_entries\": [{one}]}}"));
    assert_eq!((s.message, s.diagnostics), (None, vec![]));
    let object = |message: &str| format!("{{\"message\": \"{message}\", \"file_entries\": [{one}]}}\n");
    assert_eq!(script(&(object("a") + &object("b"))).message.as_deref(), Some("a\n\nb"));
    assert_eq!(edit(&change(r#"["x"]"#, r#"["y"]"#)).why, None);
}

#[test]
fn the_changes_of_a_deleted_file_are_a_warning() {
    let text =
        file(r#""action": "delete_file", "changes": [{"original_lines": ["x"], "changed_lines": ["y"]}]"#);
    let s = script(&text);
    assert!(!s.has_errors());
    assert_eq!(s.diagnostics.len(), 1);
    assert_eq!(s.edits[0].op, Op::Delete { recursive: false, hunks: Vec::new() });
    assert_eq!(edits(&file(r#""action": "delete_file", "changes": [ ]"#)).len(), 1);
}

#[test]
fn missing_and_invalid_keys_of_an_object_are_errors() {
    use Code::{Duplicate, Malformed, Missing};
    let lines = r#""original_lines": ["x"], "changed_lines": ["y"]"#;
    let create = r#""action": "create_file", "changes""#;
    for (object, code) in [
        ("{}".to_owned(), Missing),
        ("1".to_owned(), Malformed),
        ("[]".to_owned(), Malformed),
        (format!("{{\"changes\": [{{{lines}}}]}}"), Missing),
        (r#"{"file": "", "changes": []}"#.to_owned(), Missing),
        (r#"{"file": " ", "changes": []}"#.to_owned(), Missing),
        (r#"{"file": 1, "changes": []}"#.to_owned(), Malformed),
        (r#"{"file": null, "changes": []}"#.to_owned(), Missing),
        (r#"{"file": "a"}"#.to_owned(), Missing),
        (r#"{"file": "a", "changes": null}"#.to_owned(), Missing),
        (r#"{"file": "a", "changes": []}"#.to_owned(), Missing),
        (r#"{"file": "a", "changes": "x"}"#.to_owned(), Malformed),
        (r#"{"file": "a", "changes": ["x"]}"#.to_owned(), Malformed),
        (format!("{{\"file\": \"a\", \"changes\": {{{lines}}}}}"), Malformed),
        (format!("{{\"file\": \"a\", \"action\": \"rename\", \"changes\": [{{{lines}}}]}}"), Malformed),
        (format!("{{\"file\": \"a\", \"action\": 1, \"changes\": [{{{lines}}}]}}"), Malformed),
        (format!("{{\"file\": \"a\", \"why\": 1, \"changes\": [{{{lines}}}]}}"), Malformed),
        (format!("{{\"file\": \"a\", \"file\": \"b\", \"changes\": [{{{lines}}}]}}"), Duplicate),
        (format!("{{\"file\": \"a\", \"changes\": [{{{lines}, \"changed_lines\": []}}]}}"), Duplicate),
        (r#"{"file": "a", "changes": [{"changed_lines": ["y"]}]}"#.to_owned(), Missing),
        (r#"{"file": "a", "changes": [{"original_lines": ["x"]}]}"#.to_owned(), Missing),
        (r#"{"file": "a", "changes": [{"original_lines": null, "changed_lines": ["y"]}]}"#.to_owned(), Malformed),
        (r#"{"file": "a", "changes": [{"original_lines": "x", "changed_lines": ["y"]}]}"#.to_owned(), Malformed),
        (r#"{"file": "a", "changes": [{"original_lines": ["x", 1], "changed_lines": ["y"]}]}"#.to_owned(), Malformed),
        (r#"{"file": "a", "changes": [{"original_lines": ["x"], "changed_lines": []}]}"#.to_owned(), Missing),
        (r#"{"file": "a", "changes": [{"original_lines": [], "changed_lines": []}]}"#.to_owned(), Missing),
        (
            r#"{"file": "a", "action": "replace_lines", "changes": [{"original_lines": [], "changed_lines": ["y"]}]}"#
                .to_owned(),
            Missing,
        ),
        (
            format!(
                "{{\"file\": \"a\", \"changes\": [{{{lines}}}, {{\"original_lines\": [], \"changed_lines\": [\"z\"]}}]}}"
            ),
            Malformed,
        ),
        (format!("{{\"file\": \"a\", {create}: [{{{lines}}}]}}"), Malformed),
        (format!("{{\"file\": \"a\", {create}: []}}"), Missing),
        (format!("{{\"file\": \"a\", {create}: [{{\"changed_lines\": []}}]}}"), Missing),
        (format!("{{\"file\": \"a\", {create}: [{{\"changed_lines\": [\"x\"]}}, {{\"changed_lines\": [\"y\"]}}]}}"), Malformed),
    ] {
        let text = format!("{{\"file_entries\": [{object}, {{\"file\": \"ok\", \"action\": \"delete\"}}]}}");
        assert_eq!(codes(&text), [code], "{object}");
        assert_eq!(paths(&text), ["ok"], "{object}");
    }
}

#[test]
fn invalid_keys_of_the_outermost_object_are_errors() {
    let one = r#"{"file": "a", "action": "delete"}"#;
    for (text, code) in [
        ("{\"file_entries\": []}".to_owned(), Code::Missing),
        ("{\"file_entries\": {}}".to_owned(), Code::Malformed),
        ("{\"file_entries\": null}".to_owned(), Code::Malformed),
        (format!("{{\"message\": \"\", \"file_entries\": [{one}]}}"), Code::Missing),
        (format!("{{\"message\": \" \\t\\n \", \"file_entries\": [{one}]}}"), Code::Missing),
        (format!("{{\"message\": 1, \"file_entries\": [{one}]}}"), Code::Malformed),
        (format!("{{\"file_entries\": [{one}], \"file_entries\": []}}"), Code::Duplicate),
        (r#"[{"original_lines": ["x"], "changed_lines": ["y"]}]"#.to_owned(), Code::Missing),
    ] {
        assert_eq!(codes(&text), [code], "{text}");
    }
}

#[test]
fn invalid_json_with_keys_of_the_format_is_an_error_at_its_place() {
    for (rest, place) in [
        ("\"changes\": [{]}]", "]"),
        ("\"changes\": [{\"original_lines\": [\"x\" \"y\"]}]}]", "\""),
        ("\"changes\" []}]", "["),
        ("\"changes\": [{\"original_lines\": [\"\\d\"]}]}]", "\\"),
        ("\"changes\": nul}]", "n"),
    ] {
        let text =
            format!("[{{\"file\": \"ok\", \"action\": \"delete\"}},\n {{\"file\": \"a\", {rest}\nbye\n");
        let seen = faults(&text);
        assert_eq!((seen.len(), seen[0].0), (1, Code::Malformed), "{text}");
        assert_eq!(seen[0].1, place, "{text}");
        assert_eq!(paths(&text), ["ok"], "{text}");
    }
}

#[test]
fn strings_in_other_quotes_are_an_error() {
    let text = change("[\"x\"]", "[\"y\"]");
    assert_eq!(codes(&text.replace('"', "'")), [Code::Malformed]);
    let typographic = text.replace("\"file\": \"a\"", "“file”: “a”").replace("\"changes\"", "”changes”");
    assert_eq!(codes(&typographic), [Code::Malformed]);
    let help = script(&typographic).diagnostics.remove(0).help;
    assert!(help.is_some_and(|help| help.contains("straight double quotes")));
    assert_eq!(edits("[{'file': 'a', 'line': 3}]\n{ 'x' => 1 }\n{‘file’ and ‘changes’}\n"), []);
}

#[test]
fn a_control_character_in_a_string_is_an_error() {
    assert_eq!(codes(&change("[\"a\tb\"]", "[\"c\"]")), [Code::Malformed]);
    assert_eq!(codes(&change("[\"a\nb\"]", "[\"c\"]")), [Code::Malformed]);
}

#[test]
fn json_that_is_cut_off_is_truncated() {
    let whole = "[{\"file\": \"ok\", \"action\": \"delete\"},\n{\"file\": \"a\", \"changes\": [\n{\"original_lines\": [\"x\"],\n\"changed_lines\": [\"y\"]}]}]";
    let shown = whole.find("action").unwrap() + 8;
    for end in shown..whole.len() {
        let text = &whole[..end];
        assert_eq!(codes(text), [Code::Truncated], "{text}");
    }
    let text = format!("```json\n{}\n```\nSo [it] is.\n", &whole[..whole.len() - 2]);
    assert_eq!(codes(&text), [Code::Truncated]);
    assert_eq!(paths(&text), ["ok"]);
    let text = format!("{}\n\nand then \"some\" prose, [so] {{it}} is.\n", &whole[..whole.len() - 2]);
    assert_eq!(codes(&text).len(), 1);
}

#[test]
fn reasoning_may_cut_json_off() {
    let s = script(
        "So:\n[{\"file\": \"no\", \"changes\": [\n</think>\n[{\"file\": \"a\", \"action\": \"delete\"}]\n",
    );
    assert!(!s.has_errors(), "{:?}", s.diagnostics);
    assert_eq!(s.edits[0].path.raw, "a");
}

#[test]
fn errors_are_bounded() {
    let text = format!("{{\"file_entries\": [{}0]}}", "0,".repeat(5000));
    assert_eq!(codes(&text).len(), 101);
    assert_eq!(codes(&text).last(), Some(&Code::Limit));
}

#[test]
fn an_error_names_the_path_it_is_about() {
    let s = script(&change("[]", "[]"));
    assert_eq!(s.diagnostics[0].path.as_deref(), Some("a"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_json_panics_and_spans_are_in_it(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "[", "]", "{", "}", ":", ",", "\"", "\"file\"", "\"changes\"", "\"action\": \"delete\"", "\"file\": \"é\"",
            "\"file_entries\": [", "\"original_lines\": [\"x\"]", "\"changed_lines\": [\"y\\n\"]", "\"message\": \"m\"",
            "[{\"file\": \"a\", \"changes\": [{", "}]}]", "// c", "/*", "*/", "\n", "\r\n", "> ", "\\", "1", "null", "é",
            "```", "</think>", "\\ud800", "\t", " ",
        ]), 0..40),
    ) {
        let text = pieces.concat();
        let script = parse(&response(&text), &crate::format::Reading::only(FormatId::Applydir));
        for span in script.diagnostics.iter().flat_map(|d| d.labels.iter().copied()) {
            prop_assert!(text.get(span.range()).is_some(), "{:?}", span);
        }
        for edit in &script.edits {
            prop_assert!(text.get(edit.span.range()).is_some());
            prop_assert!(text.get(edit.path.span.range()).is_some());
            prop_assert_ne!(edit.path.raw.trim(), "");
        }
    }

    #[test]
    fn lines_come_out_as_they_went_in(
        before in prop::collection::vec("[^\r\n]{0,8}", 1..5),
        after in prop::collection::vec("[^\r\n]{0,8}", 1..5),
        quote in 0..2_usize,
        pretty: bool,
    ) {
        let value = serde_json::json!([{"file": "f", "changes": [{"original_lines": before, "changed_lines": after}]}]);
        let json = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        let text: String = json.lines().map(|line| format!("{}{line}\n", "> ".repeat(quote))).collect();
        let join = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        prop_assert_eq!(texts(&text), vec![(join(&before), join(&after))]);
    }
}

#[test]
fn time_is_linear_in_hostile_responses() {
    for (head, piece) in [
        ("", "["),
        ("", "[\n"),
        ("", "{\n"),
        ("", "{\"a\":\n"),
        ("", "[{\"a\":\n"),
        ("", "[{\"a\":1},\n"),
        ("", "[{\"a\":\"\n"),
        ("", "[{\"a\":/*\n"),
        ("", "> [{\"a\":/*\n"),
        ("", "> [{\n> > [{\n"),
        ("", "{\"file\": \"a\", \"action\": \"delete\"}\n"),
        ("[\n", "{\"file\": \"a\", \"action\": \"delete\"},\n"),
        ("{\"x\": [\n", "{\"file\": \"a\", \"action\": \"delete\"},\n"),
        ("[{\"file\": \"a\", \"changes\": ", "["),
        ("[{\"file\": \"a\", \"changes\": [", "{\"original_lines\": ["),
        ("", "[{\"file\": \"a\", \"changes\": [\n"),
        ("", "[{\"file\": \"a\", \"changes\":\n'\n"),
        ("[{\"file\": \"a\", \"changes\": [{\"original_lines\": [", "\"\",/**/"),
        ("[{\"file\": \"a\", \"changes\": [{\"original_lines\": [\"", "\\n"),
        ("[{\"file\": \"a\", \"changes\": [{\"original_lines\": [\"", "\\r\\n"),
        ("[{\"file\": \"a\", \"changes\": [", "// \n"),
    ] {
        let name = format!("{head:?}, then {piece:?}");
        assert_linear(&name, FormatId::Applydir, &|n| format!("{head}{}", piece.repeat(n)));
    }
}
