//! The texts of a call as lines.
//!
//! A tool replaces one text by another, wherever they begin and end; here a text is its lines. Where that is not the same,
//! the call is refused.

use crate::edit::{Change, Unit};
use crate::format::json::{Ends, Tree, and_break, plain};
use crate::response::Passage;

/// A text that a string says, whose line breaks are all `\n`; none of that is made here.
#[derive(Clone, Copy)]
pub(super) struct Said<'a> {
    tree: &'a Tree<'a>,
    at: usize,
    ends: Ends,
}

impl<'a> Said<'a> {
    /// What a value says; none if it is no text.
    pub(super) fn of(tree: &'a Tree<'a>, at: usize) -> Option<Self> {
        Some(Self { tree, at, ends: Ends::of(tree.written(at))? })
    }

    pub(super) fn is_empty(self) -> bool {
        self.ends.is_empty
    }

    fn text(self) -> Passage {
        self.tree.said(self.at, plain)
    }

    fn and_break(self) -> Passage {
        self.tree.said(self.at, and_break)
    }

    /// It as lines, each ended by `\n`; no line for no text.
    pub(super) fn lines(self) -> Passage {
        if self.ends.with_break || self.is_empty() { self.text() } else { self.and_break() }
    }
}

/// Both texts as a change, no new one being an empty one. An old text and a new one that both end with a line break, or both
/// without, are the same lines either way.
///
/// # Errors
/// The old text ends with a line break and the new one does not, so that the next line would be joined to it.
pub(super) fn change(old: Said<'_>, new: Option<Said<'_>>) -> Result<Change, &'static str> {
    let texts = |before, after, unit| Ok(Change::Texts { before, after, unit });
    let none = Passage::default;
    match (old.ends.with_break, new.filter(|new| !new.is_empty())) {
        (true, None) => texts(old.text(), none(), Unit::Text),
        (true, Some(new)) if new.ends.with_break => texts(old.text(), new.text(), Unit::Text),
        (true, _) => Err("the old text ends with a line break and the new one does not"),
        // A new text of no lines: the old ones go.
        (false, new) if old.is_empty() => texts(none(), new.map_or_else(none, Said::lines), Unit::Text),
        (false, None) => texts(old.and_break(), none(), Unit::Verbatim),
        (false, Some(new)) => texts(old.and_break(), new.and_break(), Unit::Verbatim),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::json::Tokens;
    use crate::format::scan::Cursor;
    use crate::response::Response;

    fn changed(old: &str, new: &str) -> Result<(String, String), &'static str> {
        let json = serde_json::to_vec(&[old, new]).unwrap();
        let response = Response::new(0, "r", json, 5000).unwrap();
        let tree = Tree::read(&response, Tokens::new(Cursor::new(&response).lines()));
        match change(Said::of(&tree, 1).unwrap(), Said::of(&tree, 2))? {
            Change::Texts { before, after, .. } => Ok((before.into(), after.into())),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn texts_are_their_lines() {
        let lines = |old, new| changed(old, new).unwrap();
        let same = |before: &str, after: &str| (before.into(), after.into());
        assert_eq!(lines("a", "b"), same("a\n", "b\n"));
        assert_eq!(lines("a\n", "b\n"), same("a\n", "b\n"));
        assert_eq!(lines("a\r\nb", "c"), same("a\nb\n", "c\n"));
        assert_eq!(lines("a\r\r\nb\r", "\r\n"), same("a\r\nb\r\n", "\n\n"), "only a pair is a line break");
        assert_eq!(lines("a", ""), same("a\n", ""));
        assert_eq!(lines("a\n", ""), same("a\n", ""));
        assert_eq!(lines("a", "b\n"), same("a\n", "b\n\n"), "a blank line comes");
        assert_eq!(lines("", "a"), same("", "a\n"));
        assert!(changed("a(\n", "a(").is_err());
        let long = "é\t\"a\"\r\n".repeat(50);
        assert_eq!(lines(&long, &long), (long.replace('\r', ""), long.replace('\r', "")));
    }
}
