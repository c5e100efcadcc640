use crate::diag::Code;
use crate::edit::{Anchor, Change, Edit, Existing, Missing, Occurrence, Op, Script, Unit};
use crate::format::{FormatId, parse};
use crate::response::Response;

fn response(text: &str) -> Response {
    Response::new(0, "r", text.as_bytes().to_vec(), 1 << 24).unwrap()
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
    assert_eq!(edits.len(), 1, "{text}");
    edits.remove(0)
}

/// The codes of the diagnostics of a response without edits.
fn refused(text: &str) -> Vec<Code> {
    let script = script(text);
    assert_eq!(script.edits, [], "{text}");
    assert!(script.has_errors(), "{text}");
    script.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

fn messages(text: &str) -> String {
    let script = script(text);
    script.diagnostics.iter().map(|diagnostic| diagnostic.message.clone() + "\n").collect()
}

fn paths(script: &Script) -> Vec<&str> {
    script.edits.iter().map(|edit| edit.path.raw.as_str()).collect()
}

/// The text of a file that is created, or the replacement.
fn put(edit: &Edit) -> &str {
    match &edit.op {
        Op::Create { text, .. } | Op::Replace { text } => text,
        Op::Modify { hunks, .. } => match &hunks[0].change {
            Change::Texts { after, .. } => after,
            change => panic!("{change:?}"),
        },
        op => panic!("{op:?}"),
    }
}

/// An edit that creates the file `f`; `put` follows `<put`.
fn new(put: &str) -> String {
    format!("<edit file=\"f\" op=\"new\">\n<put{put}</put>\n</edit>\n")
}

#[test]
fn the_five_operations() {
    assert_eq!(
        edit(&new(">\n<<<\n  a\n\nb\n>>>\n")).op,
        Op::Create { text: "  a\n\nb\n".into(), existing: Existing::Refuse }
    );
    let replace = "<edit file='f' op='replace'><put>\n<<<\na\n>>>\n</put></edit>";
    assert_eq!(edit(replace).op, Op::Replace { text: "a\n".into() });
    assert_eq!(edit("<edit file='f' op='remove'/>").op, Op::Delete { recursive: false, hunks: Vec::new() });
    assert_eq!(
        edit("<edit file='f' op='remove'></edit>").op,
        Op::Delete { recursive: false, hunks: Vec::new() }
    );
    for to in ["<to file='g'/>", "<to file='g' />", "<to file='g'></to>", "<TO FILE=\"g\" >\n</To >"] {
        let text = format!("<edit file='f' op='move'>\n{to}\n</edit>");
        let Op::Rename { to, hunks } = edit(&text).op else { panic!("{text}") };
        assert_eq!((to.raw.as_str(), hunks.len()), ("g", 0), "{text}");
        assert_eq!(response(&text).slice(to.span), "g");
    }
    let text =
        "<edit file='f' op='patch'>\n<find>\n<<<\na\n>>>\n</find>\n<put>\n<<<\nb\n>>>\n</put>\n</edit>";
    let Op::Modify { hunks, missing } = edit(text).op else { panic!() };
    assert_eq!(missing, Missing::Refuse);
    assert_eq!(
        hunks[0].change,
        Change::Texts { before: "a\n".into(), after: "b\n".into(), unit: Unit::Text }
    );
    assert_eq!(hunks[0].anchor, Anchor::Unique);
    assert_eq!(hunks.len(), 1);
}

#[test]
fn an_edit_and_its_path_have_their_spans() {
    let text = "Hi <b>!\n\n <edit file=“a b” op='remove'>\n</edit > bye";
    let r = response(text);
    let edit = edit(text);
    assert_eq!(r.slice(edit.span), "<edit file=“a b” op='remove'>\n</edit >");
    assert_eq!(r.slice(edit.path.span), "a b");
    assert_eq!((edit.format, edit.region), (FormatId::Opx, 1));
}

#[test]
fn names_may_have_any_case_and_attributes_any_order() {
    for text in [
        "<EDIT OP='NEW' File=\"Src/A\" ROOT='w'><WHY>x</wHy><Put>\n<<<\na\n>>>\n</PUT></Edit>",
        "<edit\n  root=“w”\n  file=”Src/A”\n  op='new'\n>\n<why> x\n</why>\n<put>\n<<<\na\n>>>\n</put></edit>",
    ] {
        let edit = edit(text);
        assert_eq!(edit.path.raw, "Src/A");
        assert_eq!(edit.path.root.as_deref(), Some("w"));
        assert_eq!(edit.why.as_deref(), Some("x"));
        assert_eq!(put(&edit), "a\n");
    }
}

#[test]
fn a_destination_has_its_edits_root() {
    let Op::Rename { to, .. } = edit("<edit file='f' op='move' root='w'><to file='g'/></edit>").op else {
        panic!()
    };
    assert_eq!(to.root.as_deref(), Some("w"));
}

#[test]
fn edits_follow_each_other_in_and_out_of_a_wrapper() {
    let all = edits(
        "<opx><edit file='a' op='remove'/><edit file='b' op='remove'/>\n\n  and\n<edit file='c' op='remove'/></OPX>\n\
         <edit file='d' op='remove'/>\n\n<edit file='e' op='remove'/>\n```\n<edit file='f' op='remove'/>\n```\n",
    );
    let seen: Vec<_> = all.iter().map(|edit| (edit.path.raw.as_str(), edit.region)).collect();
    assert_eq!(
        seen,
        [("a", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 1), ("f", 1)],
        "a run with blank lines only between its edits is one region"
    );
    let two =
        edits("<opx>\n<edit file='a' op='remove'/>\n</opx>\nor\n<opx>\n<edit file='a' op='remove'/>\n</opx>");
    assert_eq!(two.iter().map(|edit| edit.region).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn fences_block_quotes_and_crlf_around_edits_are_tolerated() {
    let text = new(">\n<<<\n  a\n\n> b\n>>>\n");
    let quoted: String = text.lines().map(|line| format!("> {line}\n")).collect();
    let indented: String =
        text.lines().map(|l| if l.is_empty() { "\n".into() } else { format!("> {l}\n") }).collect();
    for text in [
        format!("Sure!\n````xml\n{text}````\nDone."),
        format!("```\n~~~\n{text}~~~\n```"),
        text.replace('\n', "\r\n"),
        quoted.clone(),
        quoted.replace('\n', "\r\n"),
        quoted.lines().map(|line| format!(">>{line}\n")).collect(),
        format!("> Look:\n>\n> ```\n{quoted}> ```\n"),
        indented,
        text.replace("<put>", "```\n<put>").replace("</put>", "</put>\n```"),
    ] {
        assert_eq!(put(&edit(&text)), "  a\n\n> b\n", "{text}");
    }
}

#[test]
fn an_edit_in_a_block_quote_with_text_after_it_is_not_read() {
    let text = "> <edit file='f' op='new'>\n> <put>\n> <<<\n> a\nb\n> >>>\n> </put>\n> </edit>";
    let script = script(text);
    assert_eq!((script.edits.len(), script.unread.is_empty()), (0, false));
}

#[test]
fn prose_about_tags_is_prose() {
    for text in [
        "Use the `<edit>` tag, or <edit>, with </edit>.",
        "<edit> elements have a file.",
        "<edit is what you want.",
        "<editor file='x' op='new'>",
        "I wrote `<edit file=\"a\" op=\"remove\"/>` and \"<edit file='a' op='remove'/>\"",
        "I used <edit file=\"a\" op=\"new\"> here.",
        "**<edit file='a' op='remove'/>**",
        "</edit>",
        "<find> and <put> are parts",
        "<put>\nnothing",
        "<file path=\"a.ts\" action=\"create\"><change><content>===\nA\n===</content></change></file>",
        "<noop />",
        "&lt;edit file='a' op='remove'/&gt;",
        "</opx>",
        "",
    ] {
        assert!(edits(text).is_empty(), "{text}");
    }
}

#[test]
fn an_invalid_tag_is_an_error() {
    for (text, code) in [
        ("<edit op='remove'/>", Code::Missing),
        ("<edit file='f'/>", Code::Missing),
        ("<edit file='' op='remove'/>", Code::Missing),
        ("<edit file=' ' op='remove'/>", Code::Missing),
        ("<edit file='\u{b}\u{a0}' op='remove'/>", Code::Missing),
        ("<edit file='f' op='remove' root=''/>", Code::Missing),
        ("<edit file='f' op='frobnicate'/>", Code::Malformed),
        ("<edit file='f' op=''/>", Code::Malformed),
        ("<edit file='f' op='remove' force='1'/>", Code::Malformed),
        ("<edit file='f' op='remove' force/>", Code::Malformed),
        ("<edit path='f' file='f' op='remove'/>", Code::Malformed),
        ("<edit file='f' op='remove' File='g'/>", Code::Duplicate),
        ("<edit file='f' op='remove'", Code::Truncated),
        ("<edit file='f\n' op='remove'/>", Code::Malformed),
        ("<edit>\n</edit>", Code::Missing),
        ("<edit/>", Code::Missing),
        ("<edit file='f' op='remove'></edit x='y'>", Code::Malformed),
    ] {
        let codes = refused(text);
        assert!(codes.contains(&code), "{text}: {codes:?}");
    }
}

#[test]
fn an_invalid_tag_does_not_swallow_the_next_edit() {
    for tag in ["file='f' op='nope'/", "file='f' op='remove' force /", "file='f' op='remove"] {
        let script = script(&format!("<edit {tag}>\n<edit file='b' op='remove'/>"));
        assert_eq!(paths(&script), ["b"], "{tag}: {:#?}", script.diagnostics);
        assert!(script.has_errors(), "{tag}");
    }
}

#[test]
fn each_operation_needs_its_parts_and_has_no_others() {
    let find = "<find>\n<<<\na\n>>>\n</find>";
    let put = "<put>\n<<<\na\n>>>\n</put>";
    let to = "<to file='g'/>";
    for (op, parts, code) in [
        ("new", String::new(), Code::Missing),
        ("new", format!("{find}{put}"), Code::Malformed),
        ("new", format!("{to}{put}"), Code::Malformed),
        ("replace", String::new(), Code::Missing),
        ("replace", format!("{find}{put}"), Code::Malformed),
        ("patch", find.to_owned(), Code::Missing),
        ("patch", put.to_owned(), Code::Missing),
        ("patch", format!("{find}{put}{to}"), Code::Malformed),
        ("remove", put.to_owned(), Code::Malformed),
        ("move", String::new(), Code::Missing),
        ("move", format!("{to}{put}"), Code::Malformed),
        ("new", format!("{put}{put}"), Code::Duplicate),
        ("patch", format!("{find}{put}{find}"), Code::Duplicate),
        ("move", format!("{to}{to}"), Code::Duplicate),
        ("remove", "<why>a</why><why>b</why>".to_owned(), Code::Duplicate),
        ("move", "<to path='g'/>".to_owned(), Code::Malformed),
        ("move", "<to/>".to_owned(), Code::Missing),
        ("move", "<to file='g'>".to_owned(), Code::Truncated),
        ("move", "<to file='g' root='w'/>".to_owned(), Code::Malformed),
        ("new", "<put/>".to_owned(), Code::Missing),
        ("new", format!("<content>x</content>{put}"), Code::Malformed),
        ("new", format!("{put}</find>"), Code::Malformed),
        ("new", format!("replace by\n{put}"), Code::Malformed),
        ("remove", "<!-- gone -->".to_owned(), Code::Malformed),
        ("remove", "<why x='y'>a</why>".to_owned(), Code::Malformed),
    ] {
        let text = format!("<edit file='f' op='{op}'>\n{parts}\n</edit>");
        let codes = refused(&text);
        assert!(codes.contains(&code), "{text}: {codes:?}");
        assert!(script(&text).diagnostics.iter().all(|d| d.path.as_deref() == Some("f")), "{text}");
    }
}

#[test]
fn patch_may_have_its_parts_in_any_order() {
    let text =
        "<edit file='f' op='patch'><put>\n<<<\nb\n>>>\n</put><find>\n<<<\na\n>>>\n</find><why>x</why></edit>";
    let edit = edit(text);
    assert_eq!((put(&edit), edit.why.as_deref()), ("b\n", Some("x")));
}

#[test]
fn a_text_is_read_verbatim() {
    for (lines, text) in [
        ("", ""),
        ("\n", "\n"),
        ("    indented\n\ttab \n", "    indented\n\ttab \n"),
        ("<div\n  class=\"x\"\n>\nhi\n</div>\n", "<div\n  class=\"x\"\n>\nhi\n</div>\n"),
        ("a &lt; b && c\n", "a &lt; b && c\n"),
        (
            "</put>\n</edit>\n<edit file=\"x\" op=\"new\">\n<put>\n",
            "</put>\n</edit>\n<edit file=\"x\" op=\"new\">\n<put>\n",
        ),
        (">>>\nx\n", ">>>\nx\n"),
        ("<<<\nx\n", "<<<\nx\n"),
        (">>> print(1)\n", ">>> print(1)\n"),
        ("<think>\n", "<think>\n"),
        ("</think>\n", "</think>\n"),
        ("*** Begin Patch\n<<<<<<< SEARCH\n", "*** Begin Patch\n<<<<<<< SEARCH\n"),
        ("x\n```rust\n```\n", "x\n```rust\n```\n"),
        (">>\n\nx\n", ">>\n\nx\n"),
        ("<put>\n<<<\n</put>\n", "<put>\n<<<\n</put>\n"),
    ] {
        assert_eq!(put(&edit(&new(&format!(">\n<<<\n{lines}>>>\n")))), text);
    }
}

#[test]
fn markers_may_be_on_the_line_of_the_tag() {
    for payload in [
        "><<<\na\n>>>",
        ">\n<<<\na\n>>> ",
        "> <<< \na\n  >>>\n\n  ",
        " >\n\n  <<<\na\n>>>\n\n",
        "><<<a>>>",
        ">\n<<<a>>>\n",
    ] {
        let text = new(payload);
        if payload == ">\n<<<a>>>\n" {
            assert_eq!(refused(&text), [Code::Missing], "{text}");
        } else {
            assert_eq!(put(&edit(&text)), "a\n", "{text}");
        }
    }
}

#[test]
fn a_text_on_one_line_has_no_blanks_beside_its_markers() {
    let text = "<edit file='f' op='patch'><find><<<a > b>>></find><put><<<a >>> b>>></put></edit>";
    assert_eq!(put(&edit(text)), "a >>> b\n");
    for inside in [" a", "a ", ""] {
        assert_eq!(refused(&new(&format!("><<<{inside}>>>"))), [Code::Missing], "{inside:?}");
    }
}

#[test]
fn shortened_markers_count_if_there_is_no_whole_one() {
    for (open, close) in [("<", ">>>"), ("<<", ">"), ("<<<", ">>"), ("<", ">"), ("<<", "> ")] {
        let text = new(&format!(">\n{open}\na\n{close}\n"));
        assert_eq!(put(&edit(&text)), "a\n", "{text}");
        let two = text.clone() + &text.replace("'f'", "'g'");
        assert_eq!(edits(&two).len(), 2, "a whole one in the next edit is not there");
    }
    assert_eq!(put(&edit(&new(">\n<<<\na\n>\n</put>\n>>>\n"))), "a\n>\n</put>\n");
    assert_eq!(refused(&new(">\n<\n<<<\na\n>>>\n")), [Code::Missing]);
    assert_eq!(refused(&new(">\n<<<<\na\n>>>\n")), [Code::Missing]);
}

#[test]
fn missing_markers_are_an_error_never_an_empty_text() {
    for payload in [">\nno markers\n", ">", ">\n", ">a", "><<<a\n>>>\n", ">\nHere:\n<<<\na\n>>>\n"] {
        let codes = refused(&new(payload));
        assert_eq!(codes[0], Code::Missing, "{payload:?}");
    }
}

#[test]
fn a_text_with_its_own_marker_may_contain_edits() {
    let inner = new(">\n<<<\na\n>>>\n");
    let text = new(&format!(" marker=\"@@@\">\n@@@\n{inner}{inner}@@@\n"));
    assert_eq!(put(&edit(&text)), format!("{inner}{inner}"));
    let text = "<edit file='f' op='patch'><find occurrence='2' marker='='>\n=\na\n=\n</find>\
                <put marker='%%'>%%\n>>>\n%%</put></edit>";
    assert_eq!(put(&edit(text)), ">>>\n");
    assert_eq!(refused(&new(" marker='@@@'>\n<<<\na\n>>>\n"))[0], Code::Missing);
    assert_eq!(refused(&new(" marker='@@@'>\n@@@\na\n>>>\n"))[0], Code::Truncated);
    for marker in ["", " ", "a b", &"x".repeat(100)] {
        assert_eq!(refused(&new(&format!(" marker='{marker}'>\n<<<\na\n>>>\n"))), [Code::Malformed]);
    }
}

#[test]
fn occurrence_is_first_last_or_a_number() {
    let anchor = |value: &str| {
        let text = format!(
            "<edit file='f' op='patch'><find occurrence='{value}'>\n<<<\na\n>>>\n</find><put>\n<<<\n>>>\n</put></edit>"
        );
        let script = script(&text);
        match script.edits.first().map(|edit| &edit.op) {
            Some(Op::Modify { hunks, .. }) => Ok(hunks[0].anchor.clone()),
            _ => Err(script.diagnostics[0].code),
        }
    };
    let nth = |n| Ok(Anchor::Occurrence(Occurrence::Nth(std::num::NonZeroU32::new(n).unwrap())));
    assert_eq!(anchor("first"), Ok(Anchor::Occurrence(Occurrence::First)));
    assert_eq!(anchor("LAST"), Ok(Anchor::Occurrence(Occurrence::Last)));
    assert_eq!(anchor("1"), nth(1));
    assert_eq!(anchor(" 12 "), nth(12));
    for bad in ["", "0", "-1", "+1", "second", "1.5", "99999999999", "2nd"] {
        assert_eq!(anchor(bad), Err(Code::Malformed), "{bad:?}");
    }
    assert_eq!(refused(&new(" occurrence='1'>\n<<<\na\n>>>\n")), [Code::Malformed]);
}

#[test]
fn a_search_text_must_not_be_blank() {
    for find in ["", "\n", "   \n  \n\t\n", "\u{a0}\n"] {
        let text = format!(
            "<edit file='f' op='patch'><find>\n<<<\n{find}>>>\n</find><put>\n<<<\nx\n>>>\n</put></edit>"
        );
        assert_eq!(refused(&text), [Code::Missing], "{find:?}");
    }
}

#[test]
fn a_why_is_trimmed_and_optional() {
    for (why, want) in [
        ("<why>  Fix it. </why>", Some("Fix it.")),
        ("<why>\n  One\r\n\r\n  two\n</why>", Some("One\n\ntwo")),
        ("<why>Use <put> and `<edit file=\"a\">`</why>", Some("Use <put> and `<edit file=\"a\">`")),
        ("<why> </why>", None),
        ("<why/>", None),
        ("", None),
    ] {
        let text = format!("<edit file='f' op='remove'>{why}</edit>");
        assert_eq!(edit(&text).why.as_deref(), want, "{why:?}");
    }
    let quoted = "> <edit file='f' op='remove'>\n> <why>one\n> two</why>\n> </edit>";
    assert_eq!(edit(quoted).why.as_deref(), Some("one two"));
}

#[test]
fn an_unterminated_why_takes_no_part_of_the_edit() {
    let text =
        "<edit file='a' op='remove'>\n<why>gone\n</edit>\n<edit file='b' op='remove'><why>x</why></edit>";
    let script = script(text);
    assert_eq!(paths(&script), ["b"]);
    assert_eq!(script.diagnostics[0].code, Code::Truncated);
    assert_eq!(refused("<edit file='a' op='remove'>\n<why>gone"), [Code::Truncated]);
}

#[test]
fn an_unterminated_element_is_truncated() {
    for text in [
        "<edit file='f' op='new'>",
        "<edit file='f' op='new'>\n<put>\n<<<\na\n>>>\n</put>\n",
        "<edit file='f' op='new'>\n<put>\n<<<\na\n>>>\n",
        "<edit file='f' op='new'>\n<put>\n<<<\na\n",
        "<edit file='f' op='new'>\n<put>\n<<<",
        "<edit file='f' op='new'>\n<put>\n<<<\na\n>>>\n</edit>",
        "<edit file='f' op='new'>\n<put>\n<<<\na\n</put>\n</edit>",
        "<edit file='f' op='new'>\n<put",
        "<edit file='f' op='patch'>\n<find>\n<<<\na\n>>>\n</find>\n<put>\n<<<\nb",
        "<edit file='f' op='move'><to file='g'/>",
        "<edit file='f' op='remove'></edit",
    ] {
        assert!(refused(text).contains(&Code::Truncated), "{text}: {}", messages(text));
    }
}

#[test]
fn an_unterminated_edit_does_not_swallow_the_next() {
    let text = "<edit file='a' op='new'>\n<put>\n<<<\na\n>>>\n</put>\n<edit file='b' op='remove'/>";
    let script = script(text);
    assert_eq!(paths(&script), ["b"]);
    assert_eq!(script.diagnostics.len(), 1);
}

#[test]
fn errors_are_bounded_on_hostile_input() {
    for unit in ["<edit a=b>\n", "</edit>\n", "<put><<<\n", "<edit file='a' op='patch'><find>\n", "<put/>"] {
        let script = script(&("<edit file='f' op='new'>\n".to_owned() + &unit.repeat(5000)));
        assert!(script.has_errors());
        assert!(script.diagnostics.len() < 1200, "{unit}: {}", script.diagnostics.len());
    }
}

#[test]
fn a_wrapper_has_to_be_closed() {
    for text in ["<opx>", "<opx version='1'>", "<OPX a=b c='d' >"] {
        let script = script(&format!("{text}\n<edit file='a' op='remove'/>\n"));
        assert_eq!(paths(&script), ["a"], "{text}");
        assert_eq!(script.diagnostics[0].code, Code::Truncated, "{text}");
        let closed = format!("{text}\n<edit file='a' op='remove'/>\nThat is all.</opx>");
        assert_eq!(edits(&closed).len(), 1, "{text}");
    }
    assert_eq!(refused("<opx>\n<opx>\n</opx>"), [Code::Truncated]);
    assert!(edits("<opx> is a wrapper\nmade of <opx>\n").is_empty());
}

#[test]
fn edits_of_other_formats_and_reasoning_in_a_wrapper_are_errors() {
    for text in [
        "<think>\nno\n</think>",
        "<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE",
        "*** Begin Patch",
        "</THOUGHT>",
    ] {
        let script = script(&format!("<opx>\n<edit file='a' op='remove'/>\n{text}\n</opx>\n"));
        let codes: Vec<Code> = script.diagnostics.iter().map(|fault| fault.code).collect();
        assert_eq!((paths(&script), codes), (vec!["a"], vec![Code::Malformed]), "{text}");
    }
}

#[test]
fn parts_without_their_edit_are_errors() {
    let lost = "<edti file='a' op='new'>\n<put>\n<<<\na\n>>>\n</put>\n</edti>";
    assert_eq!(refused(lost), [Code::Malformed]);
    let script = script("<find><<<\na\n>>></find>\n\n<edit file='b' op='remove'/>");
    assert_eq!((paths(&script), script.diagnostics.len()), (vec!["b"], 1));
}

#[test]
fn a_text_that_runs_into_the_next_edit_is_truncated_and_that_edit_is_read() {
    let lost = "<edit file='a' op='new'>\n<put>\n<<<\na\n</put>\n</edit>\n";
    let whole = "<edit file='b' op='new'>\n<put>\n<<<\nb\n>>>\n</put>\n</edit>\n";
    let patch = "<edit file='b' op='patch'><find>\n<<<\na\n>>>\n</find><put>\n<<<\nb\n>>>\n</put></edit>\n";
    let after = "<edit file='c' op='remove'/>\n";
    for text in [
        format!("{lost}{whole}{after}"),
        format!("{}{whole}{after}", lost.replace("</put>\n</edit>\n", "</PUT></Edit>")),
        format!("{lost}\nThen:\n{}{after}", whole.replace("<put>\n<<<", "<put><<<")),
        format!("{lost}{}{after}", whole.replace("<<<", "<<")),
        format!("{lost}{}{after}", whole.replace("<<<", "<<").replace(">>>", ">")),
        format!("{lost}{}{after}", whole.replace("<put>", "<put\n>")),
        format!("{lost}{}{after}", whole.replace("<edit file='b'", "<edit\nfile='b'")),
        format!("{}{whole}{after}", lost.replace("</put>\n</edit>\n", "\nOh, once more:\n")),
        format!("{}{whole}{after}", patch.replace("'b'", "'a'").replacen(">>>\n", "", 1)),
    ] {
        let script = script(&text);
        assert_eq!(paths(&script), ["b", "c"], "{text}\n{:#?}", script.diagnostics);
        assert_eq!(put(&script.edits[0]), "b\n", "{text}");
        let [fault] = &script.diagnostics[..] else { panic!("{text}\n{:#?}", script.diagnostics) };
        assert_eq!((fault.code, fault.path.as_deref()), (Code::Truncated, Some("a")), "{text}");
        assert_eq!(fault.lost.map(|lost| lost.end), Some(script.edits[0].span.start), "{text}");
    }
}

#[test]
fn an_invalid_edit_is_one_error_and_the_next_one_is_read() {
    for (inside, code) in [
        ("<put>\n<edit file='c' op='remove'/>", Code::Missing),
        ("oops\n<find>\n\n  <edit file='c' op='remove'/>", Code::Malformed),
        ("oops\n<put>\n<<<\n</edit>\n<edit file='b' op='remove'/>\n>>>\n</put>\n</edit>", Code::Malformed),
        ("oops\n<put marker='@'>\n@\n<edit file='b' op='remove'/>\n@\n</put>\n</edit>", Code::Malformed),
        ("oops</edit>", Code::Malformed),
        ("<put x='y'>\n<<<\n</edit>\n>>>\n</put>\n</edit>", Code::Malformed),
        ("<think>hm</think></edit>", Code::Malformed),
    ] {
        let text = format!("<edit file='a' op='new'>\n{inside}\n<edit file='c' op='remove'/>");
        let script = script(&text);
        assert!(paths(&script).iter().all(|path| *path == "c"), "{text}: {:?}", paths(&script));
        let seen: Vec<_> = script.diagnostics.iter().map(|d| (d.code, d.path.as_deref())).collect();
        assert_eq!(seen, [(code, Some("a"))], "{text}");
    }
}

#[test]
fn a_fence_around_all_of_a_text_is_no_content() {
    let of = |file: &str, lines: &str| {
        put(&edit(&new(&format!(">\n<<<\n{lines}>>>\n")).replace("\"f\"", &format!("{file:?}")))).to_owned()
    };
    assert_eq!(of("a.rs", "```rust\nx\n```\n"), "x\n");
    assert_eq!(of("a.rs", "  ```\n  x\n  ```\n"), "x\n");
    assert_eq!(of("a.md", "```markdown\nx\n```\n"), "x\n");
    assert_eq!(of("a.md", "```rust\nx\n```\n"), "```rust\nx\n```\n");
    assert_eq!(of("a.rs", "```\nx\n```\ny\n"), "```\nx\n```\ny\n");
}
