use crate::diag::Code;
use crate::edit::{Anchor, FormatId, Occurrence, Op, Script};
use crate::format::parse;
use crate::format::tests::linear::assert_linear;
use crate::response::Response;

fn response(text: &str) -> Response {
    Response::new(0, "r", text.as_bytes().to_vec(), 1 << 20).unwrap()
}

fn script(text: &str) -> Script {
    parse(&response(text), &crate::format::Reading::default())
}

fn codes(script: &Script) -> Vec<Code> {
    script.diagnostics.iter().map(|fault| fault.code).collect()
}

#[test]
fn spans_of_nested_json_are_in_the_response() {
    let patch = "*** Begin Patch\n*** Update File: é.rs\n@@ f\n-\"x\"\n+y\n*** Delete File: b\n*** End Patch";
    let input = serde_json::json!({ "command": ["apply_patch", patch] }).to_string();
    let call =
        serde_json::json!({ "type": "function_call", "name": "shell", "arguments": input }).to_string();
    let r = response(&format!("So:\n{call}\n"));
    let script = parse(&r, &crate::format::Reading::default());
    assert_eq!((script.edits.len(), codes(&script)), (2, vec![]));
    let written: Vec<&str> = script.edits.iter().map(|edit| r.slice(edit.path.span)).collect();
    assert_eq!(written, ["é.rs", "b"]);
    assert!(r.slice(script.edits[0].span).starts_with("*** Update File: é.rs\\\\n@@ f\\\\n-"));
    let hunk = r.slice(script.edits[0].hunks()[0].span);
    assert!(hunk.starts_with("@@ f") && hunk.ends_with("+y"), "{hunk}");
    assert!(script.edits.iter().all(|edit| edit.format == FormatId::EditCalls));
}

#[test]
fn an_edit_has_the_span_of_its_call_and_hunks_those_of_their_texts() {
    let text = "[{\"path\": \"a\", \"edits\": [{\"old_str\": \"x\", \"new_str\": \"y\"}, {\"old_str\": \"z\", \
                \"new_str\": \"\", \"replace_all\": true}], \"why\": \" so \"}]";
    let r = response(text);
    let script = parse(&r, &crate::format::Reading::default());
    let edit = &script.edits[0];
    assert_eq!(r.slice(edit.span), &text[1..text.len() - 1]);
    assert_eq!((r.slice(edit.path.span), edit.why.as_deref()), ("a", Some("so")));
    let hunks: Vec<&str> = edit.hunks().iter().map(|hunk| r.slice(hunk.span)).collect();
    assert_eq!(hunks[0], "{\"old_str\": \"x\", \"new_str\": \"y\"}");
    assert_eq!(edit.hunks()[1].anchor, Anchor::Occurrence(Occurrence::All));
}

#[test]
fn a_reason_beside_a_patch_is_that_of_all_its_edits() {
    let patch = "*** Begin Patch\n*** Delete File: a\n*** Delete File: b\n*** End Patch";
    let call = |input| serde_json::json!({ "name": "apply_patch", "input": input }).to_string();
    let script = script(&call(serde_json::json!({ "patchText": patch, "explanation": "So." })));
    let whys: Vec<_> = script.edits.iter().map(|edit| edit.why.as_deref()).collect();
    assert_eq!((whys, codes(&script)), (vec![Some("So."); 2], vec![]));
}

#[test]
fn errors_of_json_are_in_words() {
    for (old, message) in [
        (r#""\d""#, "invalid JSON: unknown escape sequence"),
        ("\"a\nb\"", "invalid JSON: not escaped control character"),
        ("1", "bad `old_string` in this call"),
        ("[\"\\n\"]", "bad `old_string` in this call"),
    ] {
        let script =
            script(&format!("{{\"file_path\": \"a\", \"old_string\": {old}, \"new_string\": \"x\"}}\n"));
        let messages: Vec<&str> = script.diagnostics.iter().map(|fault| fault.message.as_str()).collect();
        assert_eq!(messages, [message]);
    }
}

#[test]
fn path_and_content_alone_count_when_the_format_is_asked_for() {
    let text = "{\"path\": \"a\", \"content\": \"x\"}\n";
    assert!(script(text).edits.is_empty());
    let asked = parse(&response(text), &crate::format::Reading::only(FormatId::EditCalls));
    assert!(matches!(&asked.edits[0].op, Op::Create { text, .. } if text == "x\n"));
}

#[test]
fn a_failed_call_is_skipped_with_a_warning_wherever_its_result_is() {
    let call = |id: &str, path: &str| {
        format!(
            "{{\"type\": \"tool_use\", \"id\": \"{id}\", \"name\": \"Write\", \"input\": {{\"file_path\": \"{path}\", \"content\": \"\"}}}}\n"
        )
    };
    let result = "{\"type\": \"tool_result\", \"tool_use_id\": \"2\", \"is_error\": true}\n";
    let text = format!("{}and\n{}\nwhich gives\n\n{result}", call("1", "a"), call("2", "b"));
    let script = script(&text);
    assert_eq!(script.paths(), ["a"]);
    assert_eq!(codes(&script), [Code::FailedCall]);
    assert!(!script.has_errors());
}

#[test]
fn values_on_consecutive_lines_are_one_region() {
    let edit = "{\"file_path\": \"a\", \"old_string\": \"x\", \"new_string\": \"y\"}";
    let regions = |text: String| script(&text).edits.iter().map(|edit| edit.region).collect::<Vec<_>>();
    let joined = regions(format!("{edit}\n\n{{\"type\": \"text\"}}\n{edit}\n"));
    assert_eq!((joined.len(), joined[0]), (2, joined[1]));
    let apart = regions(format!("{edit}\nand\n{edit}\n"));
    assert!(apart.len() == 2 && apart[0] < apart[1], "{apart:?}");
}

#[test]
fn json_that_is_no_call_is_prose() {
    for text in [
        "{\"name\": \"x\", \"input\": 3}",
        "{\"command\": \"cat a\", \"path\": \"a\"}",
        "{\"name\": \"run\", \"input\": {\"command\": \"ls\", \"path\": \"a\"}}",
        "{\"command\": [\"ls\"]}",
        "{\"path\": \"a\", \"edits\": 3}",
        "{\"path\": \"a\", \"edits\": [1]}",
        "{\"type\": \"tool_result\", \"tool_use_id\": \"2\", \"is_error\": true}",
        "{\"properties\": {\"path\": {}, \"old_string\": {}, \"new_string\": {}}}",
        "{\"name\": \"Read\", \"input\": {\"file_path\": \"a\"}}",
        "{\"name\": \"Grep\", \"arguments\": \"not JSON\"}",
        "{\"name\": \"x\", \"scripts\": ",
        "{\"command\": \"ls",
    ] {
        let script = script(text);
        assert!(script.edits.is_empty() && script.diagnostics.is_empty(), "{text}: {:?}", script.diagnostics);
    }
}

#[test]
fn the_error_of_a_call_names_its_file() {
    let fault = |text: &str| {
        let script = script(text);
        assert!(script.edits.is_empty(), "{text}");
        let [fault] = script.diagnostics.as_slice() else { panic!("{text}: {:?}", script.diagnostics) };
        (fault.code, fault.path.clone())
    };
    let of_a = |code| (code, Some("a".to_owned()));
    assert_eq!(fault("{\"path\": \"a\", \"old_str\": 3, \"new_str\": \"x\"}"), of_a(Code::Malformed));
    assert_eq!(fault("{\"path\": \"a\", \"old_str\": \"x\"}"), of_a(Code::Missing));
    assert_eq!(
        fault("{\"path\": \"a\", \"old_str\": \"x\", \"new_str\": \"y\", \"replace_all\": 3}"),
        of_a(Code::Malformed)
    );
    assert_eq!(
        fault("{\"path\": \"a\", \"old_str\": \"x\", \"new_str\": \"\", \"newText\": \"y\"}"),
        of_a(Code::Duplicate)
    );
    assert_eq!(
        fault("{\"path\": \"a\", \"old_str\": \"x\", \"new_str\": \"y\", \"nth\": 2}"),
        of_a(Code::Malformed)
    );
    assert_eq!(fault("{\"path\": \"a\", \"command\": \"rename\"}"), of_a(Code::Malformed));
    assert_eq!(fault("{\"name\": \"apply_patch\", \"input\": {\"a\": 1}}").0, Code::Missing);
    assert_eq!(fault("{\"path\": \" \", \"old_str\": \"x\", \"new_str\": \"y\"}").0, Code::Missing);
    assert_eq!(fault("<write_to_file>\n<path>a</path>\n</write_to_file>"), of_a(Code::Missing));
    assert_eq!(fault("<apply_diff>\n<path>a</path>\n</apply_diff>"), of_a(Code::Missing));
    assert_eq!(fault("<apply_diff>\n<path>a</path>\n<diff>\n"), of_a(Code::Truncated));
    assert_eq!(fault("<apply_diff>\n<path>a</path>\nwhat?\n"), of_a(Code::Malformed));
}

#[test]
fn calls_that_are_read_with_and_without_their_indentation_are_read_in_linear_time() {
    assert_linear("indented, not closed", FormatId::EditCalls, &|n| {
        let fence = " \t```diff\n".repeat(n / 3);
        fence + &"<path>\n \t<write_to_file>\n".repeat(n / 3)
    });
}
