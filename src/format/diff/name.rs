//! The names of files in headers.

use crate::diag::{Code, Diagnostic};
use crate::format::fault::{self, Fault};
use crate::format::hunk::header::is_placeholder;
use crate::format::scan::Line;
use crate::span::Span;
use std::borrow::Cow;

/// A name in a header: unquoted, with its prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name<'r> {
    pub(super) text: Cow<'r, str>,
    pub(super) span: Span,
}

/// The file of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path<'r> {
    pub(super) name: Name<'r>,
    /// Whether the name may still have a prefix.
    pub(super) prefixed: bool,
}

/// Prefixes that are not part of a path: git's a, b, c, i, o, w (git-diff(1), `diff.mnemonicPrefix`), 1 and 2 for
/// files outside of a repository, and those of models.
const PREFIXES: &[&str] = &["a", "b", "c", "i", "o", "w", "1", "2", "old", "new", "original", "modified"];

/// The owner of a name in messages.
pub(super) const HEADER: &str = "header";

/// Whether the text after `+++ ` or `--- ` is `/dev/null`.
pub(super) fn is_dev_null(text: &str) -> bool {
    text.split('\t').next().unwrap_or(text).trim_end() == "/dev/null"
}

impl<'r> Name<'r> {
    /// Reads a name; a tab and any text may follow.
    pub(super) fn read(rest: Line<'r>, response: u32) -> Result<Self, Fault> {
        let plain = rest.text.split('\t').next().unwrap_or(rest.text).trim_end();
        let span = |text: &str| Span::new(response, rest.start, rest.start + text.len());
        let name = match rest.text.strip_prefix('"') {
            Some(quoted) if quoted.contains('"') => {
                let (text, length) = unquoted(rest.text).ok_or_else(|| {
                    let message = "the quotes or escapes of this name are malformed";
                    Diagnostic::error(Code::PathInvalid, span(rest.text), message)
                })?;
                Self { text: text.into(), span: span(&rest.text[..length]) }
            }
            _ if plain.contains('\\') => Self { text: plain.replace('\\', "/").into(), span: span(plain) },
            _ => Self { text: plain.into(), span: span(plain) },
        };
        match name.text.trim().is_empty() {
            true => Err(fault::missing_field(span(rest.text), "path", HEADER).into()),
            false => Ok(name),
        }
    }

    /// Returns the two names after `diff --git `. `None` if it is unclear where the second name begins, because there
    /// are several blanks, no quotes, and the names differ in more than their prefixes.
    pub(super) fn pair(rest: Line<'r>, response: u32) -> Option<(Self, Self)> {
        let text = rest.text.trim_end();
        let split = |first: usize, second: usize| {
            let name = |from: usize, to: usize| {
                let mut line = rest.skip(from);
                line.text = rest.text.get(from..to)?;
                Self::read(line, response).ok()
            };
            Some((name(0, first)?, name(second, text.len())?))
        };
        if text.starts_with('"') {
            let (_, length) = unquoted(text)?;
            return split(length, length + 1);
        }
        if text.ends_with('"') {
            let at = text.find(" \"")?;
            return split(at, at + 1);
        }
        // Equal names have equal lengths, so the blank in the middle is between them.
        let middle = text.len() / 2;
        if text.is_char_boundary(middle) && text[middle..].starts_with(' ') {
            let (old, new) = (&text[..middle], &text[middle + 1..]);
            if old == new || without_prefix(old).is_some_and(|old| without_prefix(new) == Some(old)) {
                return split(middle, middle + 1);
            }
        }
        let (at, _) = text.match_indices(' ').next().filter(|_| text.matches(' ').count() == 1)?;
        split(at, at + 1)
    }

    /// Returns the file whose path is `end`, which is the end of this name.
    fn path(&self, end: &str, prefixed: bool) -> Path<'r> {
        let start = self.text.len() - end.len();
        let text = match &self.text {
            Cow::Borrowed(text) => Cow::Borrowed(&text[start..]),
            Cow::Owned(text) => Cow::Owned(text[start..].to_owned()),
        };
        Path { name: Name { text, span: self.span }, prefixed }
    }
}

impl Path<'_> {
    /// Whether a name is of this file, with or without a prefix.
    pub(super) fn may_be(&self, name: &Name<'_>) -> bool {
        name.text == self.name.text || without_prefix(&name.text) == Some(&*self.name.text)
    }
}

/// A name without its prefix; `None` if it has none.
fn without_prefix(name: &str) -> Option<&str> {
    let (first, rest) = name.split_once('/')?;
    (PREFIXES.contains(&first) && !rest.trim().is_empty()).then_some(rest)
}

/// Returns the file that both names are of, without prefixes if the names differ only in prefixes. `None` if they are
/// of two files.
pub(super) fn same<'r>(old: &Name<'r>, new: &Name<'r>) -> Option<Path<'r>> {
    let (bare_old, bare_new) = (without_prefix(&old.text), without_prefix(&new.text));
    if old.text == new.text {
        // The first component may be a directory such as `a`, or a prefix that the model added to both names. The tree
        // decides.
        return Some(new.path(&new.text, bare_new.is_some()));
    }
    match (bare_old, bare_new) {
        (Some(old), Some(bare)) if old == bare => Some(new.path(bare, false)),
        (Some(old), _) if old == new.text => Some(new.path(old, false)),
        (_, Some(bare)) if bare == old.text => Some(new.path(bare, false)),
        _ if is_placeholder(&old.text) && is_placeholder(&new.text) => Some(old.path(&old.text, false)),
        _ => match (without_remark(old), without_remark(new)) {
            (None, None) => None,
            (bare_old, bare_new) => same(&bare_old.unwrap_or(old.clone()), &bare_new.unwrap_or(new.clone())),
        },
    }
}

/// Removes a remark such as ` (before)`, a time stamp or `.orig` from a name; `None` if it has none.
fn without_remark(name: &Name<'_>) -> Option<Name<'static>> {
    let shortened_to = |path: &str| {
        let end = name.span.end.saturating_sub((name.text.len() - path.len()) as u32);
        (!path.trim().is_empty())
            .then(|| Name { text: path.to_owned().into(), span: Span { end, ..name.span } })
    };
    if let Some(path) = name.text.strip_suffix(".orig") {
        return shortened_to(path);
    }
    if let Some((path, stamp)) = name.text.split_once(' ')
        && stamp.starts_with(|c: char| c.is_ascii_digit())
        && stamp.bytes().all(|byte| byte.is_ascii_digit() || b"-:.+ TZ".contains(&byte))
        && stamp.contains('-')
    {
        return shortened_to(path.trim_end());
    }
    let (path, remark) = name.text.strip_suffix(')')?.rsplit_once(" (")?;
    let is_remark = remark.chars().all(|c| c.is_alphabetic() || c == ' ');
    shortened_to(path).filter(|_| is_remark)
}

/// The file of the only name in a header, without git's prefix.
pub(super) fn only_name<'r>(name: &Name<'r>) -> Path<'r> {
    let bare = without_prefix(&name.text).filter(|_| name.text.starts_with(['a', 'b']));
    name.path(bare.unwrap_or(&name.text), false)
}

/// The name in quotes at the beginning of a text, and its length with the quotes; `None` if the quotes or an escape are
/// malformed. Git quotes names as C does (git-config(1), `core.quotePath`).
fn unquoted(text: &str) -> Option<(String, usize)> {
    let (name, length) = gix_quote::ansi_c::undo(text.into()).ok()?;
    Some((String::from_utf8(name.to_vec()).ok()?, length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::scan::Cursor;
    use crate::response::Response;

    fn with<T>(text: &str, read: impl FnOnce(Line<'_>) -> T) -> T {
        let response = Response::new(0, "r", text.as_bytes().to_vec(), 1 << 20).unwrap();
        read(Cursor::new(&response).line().unwrap())
    }

    fn name(text: &str) -> Result<String, Code> {
        with(text, |line| Name::read(line, 0).map(|name| name.text.into()).map_err(|fault| fault.code))
    }

    fn pair(text: &str) -> Option<(String, String)> {
        with(text, |line| Name::pair(line, 0).map(|(old, new)| (old.text.into(), new.text.into())))
    }

    fn path(old: &str, new: &str) -> Option<(String, bool)> {
        let name = |text| Name { text: Cow::Borrowed(text), span: Span::new(0, 0, 0) };
        same(&name(old), &name(new)).map(|path| (path.name.text.into(), path.prefixed))
    }

    #[test]
    fn a_name_ends_at_a_tab_and_is_unquoted() {
        assert_eq!(name("a/x y.rs\t2024-01-01 10:00"), Ok("a/x y.rs".into()));
        assert_eq!(name("b/x.rs  "), Ok("b/x.rs".into()));
        assert_eq!(name("b\\d\\x.rs"), Ok("b/d/x.rs".into()));
        assert_eq!(name(r#""b/gr\303\266\303\237e \"q\" \\.rs""#), Ok("b/größe \"q\" \\.rs".into()));
        assert_eq!(name(r#""b/\377""#), Err(Code::PathInvalid));
        assert_eq!(name(r#""b/\q""#), Err(Code::PathInvalid));
        assert_eq!(name("\t"), Err(Code::Missing));
    }

    #[test]
    fn two_names_are_separated_if_they_are_equal_or_quoted_or_without_blanks() {
        let both = |old: &str, new: &str| Some((old.to_owned(), new.to_owned()));
        assert_eq!(pair("a/x b/x"), both("a/x", "b/x"));
        assert_eq!(pair("a/x y b/x y"), both("a/x y", "b/x y"));
        assert_eq!(pair("x y x y"), both("x y", "x y"));
        assert_eq!(pair("a/x b/y"), both("a/x", "b/y"));
        assert_eq!(pair("a/x y b/z"), None);
        assert_eq!(pair("\"a/\\303\\266\" b/x"), both("a/ö", "b/x"));
        assert_eq!(pair("a/x \"b/\\303\\266\""), both("a/x", "b/ö"));
        assert_eq!(pair("a/x"), None);
        assert_eq!(pair("\"a"), None);
    }

    #[test]
    fn prefixes_are_removed_if_both_sides_have_them() {
        let is = |text: &str, prefixed| Some((text.to_owned(), prefixed));
        assert_eq!(path("a/x", "b/x"), is("x", false));
        assert_eq!(path("i/x", "w/x"), is("x", false));
        assert_eq!(path("x", "x"), is("x", false));
        assert_eq!(path("a/x", "a/x"), is("a/x", true), "only the tree can say");
        assert_eq!(path("a/x", "x"), is("x", false));
        assert_eq!(path("x", "b/x"), is("x", false));
        assert_eq!(path("a/x", "b/y"), None);
        assert_eq!(path("a/x (before)", "b/x (after)"), is("x", false));
        assert_eq!(path("x", "x (new file)"), is("x", false));
        assert_eq!(path("x (before)", "y (after)"), None);
        assert_eq!(path("x (1)", "x (1)"), is("x (1)", false));
        assert_eq!(path("a/b/x", "b/b/x"), is("b/x", false));
        assert_eq!(path("src/x", "src/x"), is("src/x", false));
    }
}
