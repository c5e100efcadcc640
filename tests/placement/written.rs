//! How changes are written as responses.

use crate::writing::hunks::Fit;
use crate::writing::{Action, Reason, Rendered, Texts};

fn change<'a>(before: Option<&'a str>, after: Option<&'a str>) -> Rendered<'a> {
    Rendered {
        path: "a",
        before: before.map(str::as_bytes),
        after: after.map(str::as_bytes),
        renamed_from: None,
        why: None,
    }
}

fn reason(before: Option<&str>, after: Option<&str>) -> Reason {
    change(before, after).action().unwrap_err().reason
}

#[test]
fn a_change_is_what_it_does_to_the_file() {
    assert_eq!(change(None, None).action(), Ok(None));
    assert_eq!(change(Some("a\n"), Some("a\n")).action(), Ok(None));
    assert_eq!(change(None, Some("a\n")).action(), Ok(Some(Action::Create("a\n"))));
    assert_eq!(change(Some("a\n"), None).action(), Ok(Some(Action::Delete)));
    let renamed = Rendered { renamed_from: Some("b"), ..change(Some("a\r"), Some("a\r")) };
    assert_eq!(
        renamed.action(),
        Ok(Some(Action::Rename("b", Texts::default()))),
        "a move alone reads nothing"
    );
}

#[test]
fn lines_have_neither_endings_nor_a_byte_order_mark() {
    let Ok(Some(Action::Modify(texts))) = change(Some("\u{feff}a\r\n\r\nb"), Some("\u{feff}b\r\n")).action()
    else {
        panic!("a modification")
    };
    assert_eq!((texts.before, texts.after), (vec!["a", "", "b"], vec!["b"]));
    assert_eq!((texts.before_unterminated, texts.after_unterminated), (true, false));
}

#[test]
fn what_a_payload_cannot_say_is_refused() {
    assert_eq!(reason(Some("a\0"), Some("b")), Reason::Binary);
    assert_eq!(reason(Some("a\r\nb\n"), Some("b\n")), Reason::LineEndings);
    assert_eq!(reason(Some("a\n"), Some("a\r\n")), Reason::LineEndings);
    assert_eq!(reason(Some("a\r\n"), Some("a\n")), Reason::LineEndings);
    assert_eq!(reason(None, Some("a\r\n")), Reason::LineEndings);
    assert_eq!(reason(Some("\u{feff}a\n"), Some("a\n")), Reason::ByteOrderMark);
    let bytes = Rendered { after: Some(b"\xff"), ..change(Some("a"), None) };
    assert_eq!(bytes.action().unwrap_err().reason, Reason::Binary);
}

#[test]
fn a_touched_last_line_gets_a_newline_and_another_keeps_what_it_has() {
    let ends = |before, after| match change(Some(before), Some(after)).action() {
        Ok(Some(Action::Modify(texts))) => texts.ends_as_lines_do(),
        other => panic!("{other:?}"),
    };
    for (before, after) in
        [("a\nb", "x\nb"), ("a\nb", "a\n"), ("a\nb", "a\nc\n"), ("a\n", "b\n"), ("", "a\n")]
    {
        assert!(ends(before, after), "{before:?} {after:?}");
    }
    for (before, after) in
        [("a\nb", "a\nb\n"), ("a\nb\n", "a\nb"), ("a\nb", "a\nc"), ("", "a"), ("a\nb", "x\nb\n")]
    {
        assert!(!ends(before, after), "{before:?} {after:?}");
    }
}

#[test]
fn texts_say_nothing_of_a_missing_newline_so_that_they_leave_the_last_line_alone() {
    let hunks = |before: &str, after: &str| match change(Some(before), Some(after)).action() {
        Ok(Some(Action::Modify(texts))) => texts.hunks(&|_, _| Fit::Fits).map(|_| ()),
        other => panic!("{other:?}"),
    };
    let [before, after] = ["a", "b"].map(|line| format!("{line}\n1\n2\n3\n4\n5"));
    for (before, after) in [("a\n", "b\n"), ("", "a\n"), (&*before, &*after)] {
        assert_eq!(hunks(before, after), Ok(()), "{before:?} {after:?}");
    }
    for (before, after) in [("a\nb", "x\nb"), ("a\nb", "a\nb\n"), ("a\n", "b"), ("", "a")] {
        assert_eq!(hunks(before, after), Err(Reason::FinalNewline), "{before:?} {after:?}");
    }
}
