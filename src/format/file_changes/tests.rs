use crate::diag::Code;
use crate::edit::{Anchor, Change, Edit, Existing, Missing, Op, Script};
use crate::format::tests::linear::assert_linear;
use crate::format::{FormatId, parse};
use crate::response::Response;

fn response(text: &str) -> Response {
    Response::new(0, "r", text.as_bytes().to_vec(), 1 << 28).unwrap()
}

fn script(text: &str) -> Script {
    parse(&response(text), &crate::format::Reading::default())
}

/// The edits of a response that has no errors.
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

/// The codes of the diagnostics of a response without edits, and their texts.
fn refused(text: &str) -> Vec<(Code, String)> {
    let script = script(text);
    assert_eq!(script.edits, [], "{text}");
    assert!(script.has_errors(), "{text}");
    faults(&script, text)
}

fn faults(script: &Script, text: &str) -> Vec<(Code, String)> {
    let place = |d: &crate::diag::Diagnostic| text[d.span().unwrap().range()].to_owned();
    script.diagnostics.iter().map(|d| (d.code, place(d))).collect()
}

fn codes(text: &str) -> Vec<Code> {
    script(text).diagnostics.iter().map(|d| d.code).collect()
}

fn paths(script: &Script) -> Vec<&str> {
    script.edits.iter().map(|edit| edit.path.raw.as_str()).collect()
}

/// A response with a `FILE_NEW`; `rest` follows its tag.
fn new(rest: &str) -> String {
    format!("<FILE_CHANGES>\n<FILE_NEW file_path=\"f\">{rest}\n</FILE_CHANGES>\n")
}

/// The text of the only edit.
fn text(response: &str) -> String {
    match edit(response).op {
        Op::Create { text, .. } | Op::Append { text } => text.into(),
        op => panic!("{op:?}"),
    }
}

fn patch(body: &str) -> String {
    format!("<FILE_CHANGES>\n<FILE_PATCH file_path=\"f\">{body}</FILE_PATCH>\n</FILE_CHANGES>\n")
}

/// The marked lines of the only edit's hunks.
fn hunks(response: &str) -> Vec<String> {
    let Op::Modify { hunks, .. } = edit(response).op else { panic!("{response}") };
    hunks
        .into_iter()
        .map(|hunk| match hunk.change {
            Change::Diff { lines, .. } => lines.into(),
            change => panic!("{change:?}"),
        })
        .collect()
}

#[test]
fn the_six_directives() {
    let all = edits(
        "<FILE_CHANGES>\n\
         <FILE_NEW file_path=\"a\">\nx\n</FILE_NEW>\n\
         <FILE_PATCH file_path=\"b\">\n@@ -1 +2 @@\n-x\n+y\n</FILE_PATCH>\n\
         <FILE_APPEND file_path=\"c\">\nx\n</FILE_APPEND>\n\
         <FILE_RENAME from_path=\"d\" to_path=\"e\" />\n\
         <FILE_COPY to_path=\"g\" from_path=\"f\"/>\n\
         <FILE_DELETE file_path=\"h\"></FILE_DELETE>\n\
         </FILE_CHANGES>\n",
    );
    let paths: Vec<_> = all.iter().map(|edit| (edit.path.raw.as_str(), edit.region)).collect();
    assert_eq!(paths, ["a", "b", "c", "d", "f", "h"].map(|path| (path, 1)));
    assert!(all.iter().all(|edit| edit.format == FormatId::FileChanges && edit.why.is_none()));
    assert_eq!(all[0].op, Op::Create { text: "x\n".into(), existing: Existing::Overwrite });
    let Op::Modify { hunks, missing } = &all[1].op else { panic!() };
    assert_eq!(*missing, Missing::CreateFromAdditions);
    assert_eq!(hunks.len(), 1);
    assert_eq!(
        hunks[0].change,
        Change::Diff { lines: "-x\n+y\n".into(), before_unterminated: false, after_unterminated: false }
    );
    assert_eq!(hunks[0].anchor, Anchor::Line { old_start: Some(1), new_start: Some(2), section: None });
    assert_eq!(all[2].op, Op::Append { text: "x\n".into() });
    assert!(matches!(&all[3].op, Op::Rename { to, hunks } if to.raw == "e" && hunks.is_empty()));
    assert!(matches!(&all[4].op, Op::Copy { to, .. } if to.raw == "g"));
    assert_eq!(all[5].op, Op::Delete { recursive: true, hunks: Vec::new() });
}

#[test]
fn an_edit_and_its_path_have_their_spans() {
    let text = "<FILE_CHANGES>\n\n  <FILE_NEW file_path='a b'>\nx\n</FILE_NEW > \n</FILE_CHANGES>";
    let edit = edit(text);
    assert_eq!(&text[edit.span.range()], "<FILE_NEW file_path='a b'>\nx\n</FILE_NEW >");
    assert_eq!(&text[edit.path.span.range()], "a b");
}

#[test]
fn quotes_are_double_single_or_none_and_names_in_any_case() {
    for tag in [
        "<FILE_DELETE file_path=\"a/b.rs\" />",
        "<FILE_DELETE file_path='a/b.rs'/>",
        "<FILE_DELETE file_path=a/b.rs />",
        "<FILE_DELETE file_path=a/b.rs/>",
        "<file_delete File_Path=“a/b.rs”></FILE_Delete>",
        "<FILE_DELETE\n  file_path=\"a/b.rs\"\n/>",
    ] {
        assert_eq!(edit(&format!("<File_Changes>\n{tag}\n</file_changes>")).path.raw, "a/b.rs", "{tag}");
    }
}

#[test]
fn several_directives_may_be_on_one_line() {
    let text = "<FILE_CHANGES><FILE_NEW file_path=a>x</FILE_NEW><FILE_NEW file_path=\"b\"></FILE_NEW> \
                <FILE_DELETE file_path=\"c\"/></FILE_CHANGES> So.";
    let all = edits(text);
    assert_eq!(all[0].op, Op::Create { text: "x\n".into(), existing: Existing::Overwrite });
    assert_eq!(all[1].op, Op::Create { text: "".into(), existing: Existing::Overwrite });
    assert_eq!(all[2].op, Op::Delete { recursive: true, hunks: Vec::new() });
}

#[test]
fn prose_and_fences_may_be_between_directives() {
    let all = edits(
        "Hi.\n```xml\n<FILE_CHANGES>\nFirst the `<FILE_NEW>` one:\n\n<FILE_DELETE file_path='a'/>\n\n\
         and\n```\n<FILE_DELETE file_path='b'/>\n```\n\
         That is all. </FILE_CHANGES>\n```\nBye\n",
    );
    let seen: Vec<_> = all.iter().map(|edit| (edit.path.raw.as_str(), edit.region)).collect();
    assert_eq!(seen, [("a", 1), ("b", 1)]);
}

#[test]
fn all_envelopes_count_in_their_order() {
    let text = "<FILE_CHANGES>\n<FILE_DELETE file_path='a'/>\n</FILE_CHANGES>\n\n\
                <FILE_CHANGES>\n<FILE_DELETE file_path='a'/>\n</FILE_CHANGES>\n";
    let all = edits(text);
    assert_eq!(all.len(), 2);
    assert_ne!(all[0].region, all[1].region);
    assert_eq!(edits("<FILE_CHANGES>\n</FILE_CHANGES>\n"), []);
}

#[test]
fn mentions_in_prose_are_no_openings() {
    for text in [
        "The <FILE_CHANGES> tag\n",
        "<FILE_CHANGES> is the root tag\n",
        "<FILE_CHANGES> ... </FILE_CHANGES>\n",
        "`<FILE_NEW file_path=\"a\">`\n",
        "- <FILE_DELETE file_path=\"a\"/>: removes it\n",
        "<FILE_NEW file_path=\"a\"> makes a file\n",
        "</FILE_NEW> ends it\n",
        "[[[UDIFFX_FILE_CHANGES]]] is the root tag\n",
        "[[[FILE_NEW file_path=\"a\"]]] makes a file\n",
        "<FILE_CONTENT path=\"a\">\nx\n</FILE_CONTENT>\n",
        "  [[[/FILE_NEW]]] and\n",
        "</FILE_NEW>\n",
        "[[[/FILE_NEW]]]\n",
        "</FILE_CHANGES>\n",
    ] {
        assert_eq!((edits(text), text), (vec![], text));
    }
}

#[test]
fn an_envelope_needs_both_tags() {
    let text = "<FILE_CHANGES>\n<FILE_DELETE file_path='a'/>\n";
    let s = script(text);
    assert_eq!(faults(&s, text), [(Code::Truncated, "<FILE_CHANGES>".to_owned())]);
    assert_eq!(paths(&s), ["a"]);
    let text = format!("{text}{text}</FILE_CHANGES>\n");
    assert_eq!(faults(&script(&text), &text), [(Code::Truncated, "<FILE_CHANGES>".to_owned())]);
    let text = "<FILE_DELETE file_path='a'/>\n</FILE_CHANGES>\n";
    assert_eq!(refused(text), [(Code::Malformed, "<FILE_DELETE file_path='a'/>".to_owned()),]);
}

#[test]
fn directives_outside_an_envelope_are_errors() {
    let text = "Here is: <FILE_CHANGES>\n<FILE_NEW file_path=\"a\">\n<FILE_DELETE file_path='b'>no edit\n</FILE_NEW>\n";
    assert_eq!(refused(text), [(Code::Malformed, "<FILE_NEW file_path=\"a\">".to_owned())]);
    for text in [
        "<FILE_NEW\nfile_path='a'>x</FILE_NEW>\n",
        "<FILE_RENAME from_path='a' to_path='b' />\n",
        "<FILE_NEW>\n</FILE_NEW>\n",
    ] {
        assert!(codes(text).contains(&Code::Malformed), "{text}");
    }
}

#[test]
fn content_is_the_lines_between_the_tags() {
    for (rest, want) in [
        ("\nx\n</FILE_NEW>", "x\n"),
        ("\n\n  x\n\n</FILE_NEW>", "\n  x\n\n"),
        ("</FILE_NEW>", ""),
        ("\n</FILE_NEW>", ""),
        ("  \n\n</FILE_NEW>", "\n"),
        ("\nx\n  </FILE_NEW >", "x\n"),
        ("\n&lt;a> & <b c=\"d\">\n</FILE_NEW>", "&lt;a> & <b c=\"d\">\n"),
        ("x</FILE_NEW>", "x\n"),
        ("x\ny\n</FILE_NEW>", "x\ny\n"),
        ("\nx\ny</FILE_NEW>", "x\ny\n"),
        ("\nx\n</FILE_NEW><FILE_DELETE file_path='b'/>", "x\n"),
    ] {
        let Op::Create { text, .. } = &edits(&new(rest))[0].op else { panic!() };
        assert_eq!(text, want, "{rest}");
    }
}

#[test]
fn a_closing_tag_within_content_is_content() {
    for content in [
        "text with </FILE_NEW> inside\n",
        "it ends with </FILE_NEW>\nas said\n",
        "</FILE_CHANGES>\n",
        "`</FILE_NEW>`, </FILE_NEW>; and </FILE_APPEND>\n",
        "</FILE_APPEND>\n",
        "[[[/FILE_NEW]]]\n",
    ] {
        assert_eq!(text(&new(&format!("\n{content}</FILE_NEW>"))), content);
    }
}

#[test]
fn a_second_closing_tag_is_an_error() {
    let text = new("\n<b>\n</FILE_NEW>\nmore\n</FILE_NEW>");
    let s = script(&text);
    assert_eq!(faults(&s, &text), [(Code::Malformed, "</FILE_NEW>".to_owned())]);
}

#[test]
fn content_has_lf_and_no_quote_marks() {
    let text = new("\n a\n\nb\n</FILE_NEW>");
    assert_eq!(self::text(&text.replace('\n', "\r\n")), " a\n\nb\n");
    let quoted: String = text.lines().map(|line| format!("> {line}\n")).collect();
    assert_eq!(self::text(&quoted), " a\n\nb\n");
    assert_eq!(self::text(&quoted.replace('\n', "\r\n").replace("> \r", ">\r")), " a\n\nb\n");
}

#[test]
fn a_fence_around_content_is_removed() {
    for (rest, want) in [
        ("\n```rust\nx\n```\n</FILE_NEW>", "x\n"),
        ("\n\n  ~~~~\n```\nx\n```\n~~~~~ \n\n</FILE_NEW>", "```\nx\n```\n"),
        ("\n```\n```\n</FILE_NEW>", ""),
        ("\n```\n  \n```\n</FILE_NEW>", "  \n"),
        ("\n```md\n# T\n```rust\nx\n```\nend\n```\n</FILE_NEW>", "# T\n```rust\nx\n```\nend\n"),
        ("\n````md\n```\nx\n```\n```\ny\n```\n````\n</FILE_NEW>", "```\nx\n```\n```\ny\n```\n"),
        ("\n```md\nx\n```</FILE_NEW>", "x\n"),
    ] {
        assert_eq!(text(&new(rest)), want, "{rest}");
    }
    assert_eq!(text(&new("\nx\n```\ny\n```\n</FILE_NEW>")), "x\n```\ny\n```\n", "it is not around all of it");
    assert_eq!(text(&new("```\n```\n</FILE_NEW>")), "```\n```\n", "nor is one in the tag's line");
}

#[test]
fn an_unclear_fence_is_an_error() {
    for (rest, code) in [
        ("\n```rust\nx\n</FILE_NEW>", Code::Truncated),
        ("\n```rust\n```js\nx\n```\n</FILE_NEW>", Code::Truncated),
        ("\n```rust\nx\n```\nThat is it.\n</FILE_NEW>", Code::FenceUnclear),
        ("\n```a\nx\n```\ny\n```b\nz\n```\n</FILE_NEW>", Code::FenceUnclear),
        ("\n```md\nx\n```\ny\n```\n```\n</FILE_NEW>", Code::FenceUnclear),
    ] {
        let text = new(rest);
        let fence = rest.trim_start().lines().next().unwrap().to_owned();
        assert_eq!(refused(&text), [(code, fence)], "{rest}");
    }
    let lost = new("\nx\n```\n</FILE_NEW>");
    assert_eq!(refused(&lost), [(Code::FenceUnclear, "```".to_owned())], "its opening one may be lost");
}

#[test]
fn content_that_runs_into_another_directive_is_truncated() {
    let s = "<FILE_CHANGES>\n<FILE_NEW file_path='a'>\nx\n<FILE_NEW file_path='b'>\ny\n</FILE_NEW>\n\
             <FILE_DELETE file_path='c'/>\n</FILE_CHANGES>\n<FILE_CHANGES>\n<FILE_DELETE file_path='d'/>\n</FILE_CHANGES>\n";
    let script = script(s);
    assert_eq!(faults(&script, s), [(Code::Truncated, "<FILE_NEW file_path='a'>".to_owned()),]);
    assert_eq!(paths(&script), ["b", "c", "d"]);
    let lost = script.diagnostics[0].lost.map(|lost| s[lost.range()].to_owned());
    assert_eq!(lost.as_deref(), Some("<FILE_NEW file_path='a'>\nx\n"));
    for text in [
        new("\n```\nx\n</FILE_NEW>\n<FILE_NEW file_path='b'>\n```\ny\n```\n</FILE_NEW>"),
        new("\n````\nx\n</FILE_NEW>\n<FILE_NEW file_path='b'>\n````md\ny\n````\n</FILE_NEW>"),
        patch("\n@@\n-a\n<FILE_DELETE file_path='b'/>\n"),
        new("\nx\n<FILE_CHANGES>\n</FILE_NEW>"),
        new("\nx"),
        new("\nx\n</FILE_NEWS>"),
        "<FILE_CHANGES>\n<FILE_NEW file_path='a'>\nx".to_owned(),
    ] {
        assert!(codes(&text).contains(&Code::Truncated), "{text}");
    }
}

#[test]
fn a_long_fence_may_contain_tags_of_the_format() {
    let inner =
        "Write:\n```\n<FILE_CHANGES>\n<FILE_NEW file_path=\"x\">\n</FILE_NEW>\n</FILE_CHANGES>\n```\n";
    assert_eq!(text(&new(&format!("\n````md\n{inner}````\n</FILE_NEW>"))), inner);
    let bare = inner.replace("```\n", "");
    assert!(codes(&new(&format!("\n```md\n{bare}```\n</FILE_NEW>"))).contains(&Code::Truncated));
}

#[test]
fn the_reason_is_an_attribute_or_a_child() {
    for directive in [
        "<FILE_DELETE file_path='a' why=' no use '/>",
        "<FILE_DELETE file_path='a'><why>no use</why></FILE_DELETE>",
        "<FILE_DELETE file_path='a'>\n  <why>\nno use\n</WHY>\n\n</FILE_DELETE>",
        "<FILE_NEW file_path='a'><why>no use</why>\nx\n</FILE_NEW>",
        "<FILE_NEW file_path='a'>\n<why>no use</why>\nx\n</FILE_NEW>",
        "<FILE_NEW file_path='a'>\n<why>no use</why>\n```\nx\n```\n</FILE_NEW>",
        "<FILE_APPEND file_path='a' why=\"no use\">\nx\n</FILE_APPEND>",
        "<FILE_PATCH file_path='a'>\n<why>no use</why>\n@@\n-a\n+x\n</FILE_PATCH>",
        "<FILE_PATCH file_path='a'>\n<why>\nno use\n</why>\n```diff\n@@\n-a\n+x\n```\n</FILE_PATCH>",
    ] {
        let edit = edit(&format!("<FILE_CHANGES>\n{directive}\n</FILE_CHANGES>\n"));
        assert_eq!(edit.why.as_deref(), Some("no use"), "{directive}");
        match edit.op {
            Op::Create { text, .. } | Op::Append { text } => assert_eq!(text, "x\n", "{directive}"),
            Op::Modify { hunks, .. } => {
                assert!(
                    matches!(&hunks[0].change, Change::Diff { lines, .. } if lines == "-a\n+x\n"),
                    "{directive}"
                );
            }
            _ => {}
        }
    }
    assert_eq!(edit("<FILE_CHANGES>\n<FILE_DELETE file_path='a' why=' '/>\n</FILE_CHANGES>").why, None);
}

#[test]
fn a_duplicate_unterminated_or_misplaced_reason_is_an_error() {
    for (directive, code) in [
        ("<FILE_DELETE file_path='a' why='x'><why>y</why></FILE_DELETE>", Code::Duplicate),
        ("<FILE_NEW file_path='a'>\n```\ny\n```\n<why>x</why>\n</FILE_NEW>", Code::Malformed),
        ("<FILE_NEW file_path='a'>\n<why>x\ny\n</FILE_NEW>", Code::Truncated),
        ("<FILE_NEW file_path='a'>\ny\n<why>x</why>\n</FILE_NEW>", Code::Malformed),
    ] {
        assert_eq!(codes(&format!("<FILE_CHANGES>\n{directive}\n</FILE_CHANGES>\n")), [code], "{directive}");
    }
    let quoted = "<why>is</why>\n<edit>\n";
    assert_eq!(text(&new(&format!("\n```\n{quoted}```\n</FILE_NEW>"))), quoted, "a file may hold such tags");
}

#[test]
fn missing_and_unknown_attributes_are_errors() {
    for (directive, code) in [
        ("<FILE_NEW>\nx\n</FILE_NEW>", Code::Missing),
        ("<FILE_NEW file_path=' '>\nx\n</FILE_NEW>", Code::Missing),
        ("<FILE_NEW file_path='\u{c}\t'>\nx\n</FILE_NEW>", Code::Missing),
        ("<FILE_NEW file_path='a'/>", Code::Missing),
        ("<FILE_PATCH file_path='a'/>", Code::Missing),
        ("<FILE_RENAME from_path='a'/>", Code::Missing),
        ("<FILE_COPY to_path='a'/>", Code::Missing),
        ("<FILE_PATCH file_path='a'>\njust text\n</FILE_PATCH>", Code::Missing),
        ("<FILE_PATCH file_path='a'>\n</FILE_PATCH>", Code::Missing),
        ("<FILE_DELETE file_path='a' file_path='b'/>", Code::Duplicate),
        ("<FILE_DELETE file_path='a' force='true'/>", Code::Malformed),
        ("<FILE_DELETE file_path='a' recursive />", Code::Malformed),
        ("<FILE_DELETE file_path='a'>", Code::Truncated),
        ("<FILE_DELETE file_path='a'", Code::Truncated),
        ("<FILE_DELETE file_path='a'>no use</FILE_DELETE>", Code::Malformed),
        ("<FILE_FOO file_path='q'/>", Code::Malformed),
        ("<FILE_FOO file_path='q'>\n<FILE_BAR>\nx\n</FILE_FOO>", Code::Malformed),
        ("<CREATE path='q'>", Code::Malformed),
        ("</FILE_NEW>", Code::Malformed),
    ] {
        let text = format!("<FILE_CHANGES>\n{directive}\n<FILE_DELETE file_path='ok'/>\n</FILE_CHANGES>\n");
        let script = script(&text);
        assert_eq!(script.diagnostics.first().map(|d| d.code), Some(code), "{directive}");
        assert_eq!(paths(&script), ["ok"], "{directive}");
    }
}

#[test]
fn an_error_names_the_path_it_is_about() {
    let script = script("<FILE_CHANGES>\n<FILE_PATCH file_path='a b'>\n</FILE_PATCH>\n</FILE_CHANGES>\n");
    assert_eq!(script.diagnostics[0].path.as_deref(), Some("a b"));
}

#[test]
fn lines_of_a_patch_may_be_tags_of_the_format() {
    let body = "@@\n <FILE_NEW file_path=\"a\">\n-</FILE_PATCH>\n+<FILE_PATCH file_path='b'>\n </FILE_PATCH>\n </FILE_CHANGES>\n";
    let want = body.strip_prefix("@@\n").unwrap();
    assert_eq!(hunks(&patch(&format!("\n{body}"))), [want]);
    assert_eq!(hunks(&patch("@@\n-a\n")), ["-a\n"], "a hunk may begin in the tag's line");
}

#[test]
fn the_square_dialect_has_the_same_directives() {
    let all = edits(
        "[[[UDIFFX_FILE_CHANGES]]]\n\
         [[[FILE_NEW file_path=\"a\"]]]\n<FILE_NEW file_path=\"x\">\n</FILE_NEW>\n  [[[/FILE_NEW]]]\n[[[/FILE_NEW]]]\n\
         [[[FILE_PATCH file_path='b' why='so']]]\n@@\n-x\n+y\n[[[/FILE_PATCH]]] <<<--- IMPORTANT: end it\n\
         [[[FILE_APPEND file_path=\"c\"]]]\n```\nx\n```\n[[[/FILE_APPEND]]]\n\
         [[[FILE_RENAME from_path=\"d\" to_path=\"e\" /]]]\n\
         [[[FILE_COPY from_path=\"f\" to_path=\"g\"/]]]\n\
         [[[FILE_DELETE file_path=\"h\"]]]\n[[[/FILE_DELETE]]]\n\
         [[[/UDIFFX_FILE_CHANGES]]]\nBye\n",
    );
    let paths: Vec<_> = all.iter().map(|edit| edit.path.raw.as_str()).collect();
    assert_eq!(paths, ["a", "b", "c", "d", "f", "h"]);
    let text = "<FILE_NEW file_path=\"x\">\n</FILE_NEW>\n  [[[/FILE_NEW]]]\n".into();
    assert_eq!(all[0].op, Op::Create { text, existing: Existing::Overwrite });
    assert_eq!(all[1].why.as_deref(), Some("so"));
    assert_eq!(all[2].op, Op::Append { text: "x\n".into() });
}

#[test]
fn directives_of_both_dialects_may_be_in_either_envelope() {
    let all = edits(
        "[[[UDIFFX_FILE_CHANGES]]]\n<FILE_DELETE file_path='a'/>\n[[[/UDIFFX_FILE_CHANGES]]]\n\
         <FILE_CHANGES>\n[[[FILE_DELETE file_path='b'/]]]\n</FILE_CHANGES>\n",
    );
    assert_eq!(all.len(), 2);
}

#[test]
fn square_tags_that_are_not_alone_on_their_line_are_errors() {
    for (line, code) in [
        ("  [[[FILE_DELETE file_path='a' /]]]", Code::Malformed),
        ("[[[FILE_NEW file_path=\"a\">\nx\n[[[/FILE_NEW]]]", Code::Truncated),
        ("[[[FILE_APPEND file_path=\"a\"]\nx\n[[[/FILE_APPEND]]]", Code::Truncated),
        ("[[[FILE_NEW file_path=\"a\"]]] x\n[[[/FILE_NEW]]]", Code::Malformed),
        ("[[[FILE_FOO file_path=\"a\" /]]]", Code::Malformed),
        ("[[[FILE_NEW file_path=\"a\"]]]\nx\n</FILE_NEW>", Code::Truncated),
    ] {
        let codes = codes(&format!("[[[UDIFFX_FILE_CHANGES]]]\n{line}\n[[[/UDIFFX_FILE_CHANGES]]]\n"));
        assert_eq!(codes.first(), Some(&code), "{line}");
    }
}

#[test]
fn time_is_linear_in_hostile_responses() {
    for (head, piece) in [
        ("<FILE_CHANGES>\n", "<FILE_NEW file_path=a>\n"),
        ("<FILE_CHANGES>\n", "<FILE_NEW>\n"),
        ("<FILE_CHANGES>\n", "<FILE_NEW> x\n"),
        ("", "<FILE_NEW file_path=a>\n"),
        ("", "<FILE_CHANGES>\n"),
        ("", "<FILE_CHANGES>\n<FILE_NEW file_path=a>\n</FILE_CHANGES>\n"),
        ("", "<FILE_CHANGES>\n<FILE_NEW>\n```x\n</FILE_CHANGES>\n"),
        ("", "<FILE_CHANGES>\n<FILE_NEW>\n````x\n</FILE_CHANGES>\n"),
        ("", "<FILE_CHANGES>\n<FILE_NEW><why>\n</FILE_CHANGES>\n"),
        ("<FILE_CHANGES>\n", "<FILE_FOO>\n"),
        ("<FILE_CHANGES>\n", "<FOO path=\n"),
        ("<FILE_CHANGES>\n<FILE_NEW file_path=a>\n", "x</FILE_NEW>\n\n\n"),
        ("<FILE_CHANGES>\n<FILE_NEW file_path=a>", "</FILE_NEW><FILE_NEW file_path=a> "),
        ("<FILE_CHANGES>\n<FILE_NEW file_path=a>", "</FILE_NEW> x "),
        ("<FILE_CHANGES>", "<FILE_DELETE file_path=a/>"),
        ("<FILE_CHANGES><FILE_DELETE ", "file_path=a "),
        ("<FILE_CHANGES><FILE_DELETE ", "a=“"),
        ("<FILE_CHANGES>\n<FILE_DELETE ", "a\n"),
        ("<FILE_CHANGES>\n", "<FILE_DELETE file_path=a><why>\n"),
        ("[[[UDIFFX_FILE_CHANGES]]]\n", "[[[FILE_NEW file_path=a]]]\n"),
        ("[[[UDIFFX_FILE_CHANGES]]]\n", "[[[FILE_NEW file_path=a\n"),
        ("<FILE_CHANGES>\n<FILE_PATCH file_path=a>\n@@\n", "+x\n"),
        ("<FILE_CHANGES>\n<FILE_PATCH file_path=a>\n", "@@\n"),
        ("<FILE_CHANGES>\n<FILE_PATCH file_path=a>\n", "@@\n-a\n"),
        ("<FILE_CHANGES>\n<FILE_PATCH file_path=a>\n", "--- a\n"),
        ("<FILE_CHANGES>\n<FILE_PATCH file_path=a>\n", "@@\n--- a\n+++ b\n"),
        ("<FILE_CHANGES>\n<FILE_PATCH file_path=a>\n", "@@\n-\n-\n~\n"),
        ("<FILE_CHANGES>\n<FILE_PATCH file_path=a>\n", "```\n"),
        ("<FILE_CHANGES>\n<FILE_PATCH file_path=a>\n", "@@\n\n\n\n"),
        ("<FILE_CHANGES>\n<FILE_PATCH file_path=a>\n", "diff --git \n"),
        ("<FILE_CHANGES>\n<FILE_NEW file_path=a>\n", "<why>\n"),
        ("<FILE_CHANGES>\n<FILE_NEW file_path=a>\n", "```\n"),
    ] {
        let name = format!("{head:?}, then {piece:?}");
        assert_linear(&name, FormatId::FileChanges, &|n| format!("{head}{}", piece.repeat(n)));
    }
}

#[test]
fn a_shorter_fence_in_a_longer_one_is_text_closed_or_not() {
    let title = "\"\"\"\nA title\n~~~~\n\nIts text.\n\"\"\"\n";
    for content in ["```\nnever closed\n\n````\nso\n````\n", title] {
        let fenced = format!("<FILE_NEW file_path=\"a\">\n`````\n{content}`````\n</FILE_NEW>\n");
        assert_eq!(text(&format!("<FILE_CHANGES>\n{fenced}</FILE_CHANGES>\n")), content);
    }
    let fenced = format!("<FILE_NEW file_path=\"a\">\n```\n{title}```\n</FILE_NEW>\n");
    assert_eq!(text(&format!("<FILE_CHANGES>\n{fenced}</FILE_CHANGES>\n")), title, "nothing closes the ~~~~");
}

#[test]
fn edits_of_other_formats_and_reasoning_in_an_envelope_are_errors() {
    for text in [
        "<think>\nno\n</think>",
        "<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE",
        "<edit file='b' op='remove'/>",
    ] {
        let script =
            script(&format!("<FILE_CHANGES>\n{text}\n<FILE_DELETE file_path='a'/>\n</FILE_CHANGES>\n"));
        let codes: Vec<Code> = script.diagnostics.iter().map(|fault| fault.code).collect();
        assert_eq!((paths(&script), codes), (vec!["a"], vec![Code::Malformed]), "{text}");
    }
}
