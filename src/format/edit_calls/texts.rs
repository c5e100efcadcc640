//! The texts of a call as lines.
//!
//! A tool replaces one text by another, wherever they begin and end; here a text is its lines. Where that is not the same,
//! the call is refused.

use crate::edit::{Change, Unit};

/// Both texts as a change. An old text and a new one that both end with a line break, or both without, are the same lines
/// either way.
///
/// # Errors
/// The old text ends with a line break and the new one does not, so that the next line would be joined to it.
pub(super) fn change(old: &str, new: &str) -> Result<Change, &'static str> {
    let (old, new) = (with_plain_breaks(old), with_plain_breaks(new));
    let texts = |before: String, after: String, unit: Unit| {
        Ok(Change::Texts { before: before.into(), after: after.into(), unit })
    };
    let change = |before, after| texts(before, after, Unit::Text);
    match (old.ends_with('\n'), new.as_str()) {
        (true, "") => change(old, String::new()),
        (true, text) if text.ends_with('\n') => change(old, new),
        (true, _) => Err("the old text ends with a line break and the new one does not"),
        // A new text of no lines: the old ones go.
        (false, _) if old.is_empty() => change(String::new(), lines(&new)),
        (false, "") => texts(lines(&old), String::new(), Unit::Verbatim),
        (false, _) => texts(format!("{old}\n"), format!("{new}\n"), Unit::Verbatim),
    }
}

/// A text as lines, each ended by `\n`; no line for no text.
pub(super) fn lines(text: &str) -> String {
    let mut text = with_plain_breaks(text);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn with_plain_breaks(text: &str) -> String {
    text.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_their_lines() {
        let lines = |old, new| match change(old, new) {
            Ok(Change::Texts { before, after, .. }) => (before, after),
            other => panic!("{other:?}"),
        };
        let same = |before: &str, after: &str| (before.into(), after.into());
        assert_eq!(lines("a", "b"), same("a\n", "b\n"));
        assert_eq!(lines("a\n", "b\n"), same("a\n", "b\n"));
        assert_eq!(lines("a\r\nb", "c"), same("a\nb\n", "c\n"));
        assert_eq!(lines("a", ""), same("a\n", ""));
        assert_eq!(lines("a\n", ""), same("a\n", ""));
        assert_eq!(lines("a", "b\n"), same("a\n", "b\n\n"), "a blank line comes");
        assert_eq!(lines("", "a"), same("", "a\n"));
        assert!(change("a(\n", "a(").is_err());
    }
}
