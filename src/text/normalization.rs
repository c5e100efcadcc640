//! What of a line counts when lines are compared.

use std::borrow::Cow;
use std::hash::Hasher;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// What of a line's text counts. Two lines are equal in a normalization if [`Normalization::of`] gives equal bytes; lines that are equal
/// in [`Normalization::Text`] are so in every normalization, and lines that are equal in any normalization are so in [`Normalization::FoldedTrimmed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Normalization {
    /// Every byte.
    Text,
    /// All but blanks at its end.
    Trailing,
    /// All but blanks at both ends.
    Trimmed,
    /// All but blanks at its end, and look-alikes are one: typographic and ASCII quotes, dashes and spaces, and the ways
    /// to write an accented letter (NFC and NFD).
    Folded,
    /// Look-alikes are one, and blanks at both ends do not count.
    FoldedTrimmed,
}

impl Normalization {
    /// All of them.
    pub const ALL: [Normalization; 5] = [
        Normalization::Text,
        Normalization::Trailing,
        Normalization::Trimmed,
        Normalization::Folded,
        Normalization::FoldedTrimmed,
    ];

    /// What counts of a line's text.
    pub fn of(self, text: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Normalization::Text => Cow::Borrowed(text),
            Normalization::Trailing => Cow::Borrowed(trim_end(text)),
            Normalization::Trimmed => Cow::Borrowed(trim_start(trim_end(text))),
            Normalization::Folded => match fold(text) {
                Cow::Borrowed(text) => Cow::Borrowed(trim_end(text)),
                Cow::Owned(text) => Cow::Owned(trim_end(&text).to_vec()),
            },
            Normalization::FoldedTrimmed => match fold(text) {
                Cow::Borrowed(text) => Cow::Borrowed(trim_start(trim_end(text))),
                Cow::Owned(text) => Cow::Owned(trim_start(trim_end(&text)).to_vec()),
            },
        }
    }

    /// The hash of a line with that text. Lines of equal normalization have equal hashes; the converse is for the caller to check.
    pub fn hash(self, text: &[u8]) -> u64 {
        hash(&self.of(text))
    }

    /// Whether two lines are equal in this normalization.
    pub fn eq(self, left: &[u8], right: &[u8]) -> bool {
        self.of(left) == self.of(right)
    }

    /// The stricter normalization whose bytes are the same for most lines, if there is one; equal bytes have equal hashes.
    pub(super) fn stricter(self) -> Option<Normalization> {
        match self {
            Normalization::Text => None,
            Normalization::Trailing => Some(Normalization::Text),
            Normalization::Trimmed | Normalization::Folded => Some(Normalization::Trailing),
            Normalization::FoldedTrimmed => Some(Normalization::Trimmed),
        }
    }
}

/// The blanks that a line begins with.
pub fn indentation(text: &[u8]) -> &[u8] {
    let rest = trim_start(text);
    &text[..text.len() - rest.len()]
}

/// The indentation of a line by whole steps: without the blank that aligns the star of a comment of several lines.
pub(crate) fn step_indentation(text: &[u8]) -> &[u8] {
    let indent = indentation(text);
    let is_star = text[indent.len()..].strip_prefix(b"*").is_some_and(|rest| {
        let rest = rest.strip_prefix(b"*").unwrap_or(rest);
        rest.first().is_none_or(|b| b"/ \t".contains(b))
    });
    if is_star { indent.strip_suffix(b" ").unwrap_or(indent) } else { indent }
}

/// What the lines of an item are indented by that a dash begins, as in YAML; none of another line.
pub(crate) fn item_indentation(text: &[u8]) -> Option<Vec<u8>> {
    let item = text.trim_ascii().strip_prefix(b"-")?;
    let width = 1 + item.len() - item.trim_ascii_start().len();
    (width > 1).then(|| [indentation(text), &b" ".repeat(width)].concat())
}

/// How far a line is indented, a tab counting as four columns: blocks of one file are indented in one way.
pub fn depth(text: &[u8]) -> usize {
    indentation(text).iter().map(|&b| if b == b'\t' { 4 } else { 1 }).sum()
}

/// Whether a byte is a blank: space, tab, or a control character that editors show as one.
fn blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

/// Whether there is nothing but blanks in a text, those included that only look like one.
pub fn is_blank(text: &[u8]) -> bool {
    !text.iter().any(u8::is_ascii_graphic) && Normalization::FoldedTrimmed.of(text).is_empty()
}

fn trim_end(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|&b| !blank(b)).map_or(0, |at| at + 1);
    &text[..end]
}

fn trim_start(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|&b| !blank(b)).unwrap_or(text.len());
    &text[start..]
}

/// The text with look-alikes made one. What is not UTF-8 stays.
fn fold(text: &[u8]) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let Ok(text) = std::str::from_utf8(text) else { return Cow::Borrowed(text) };
    let is_plain = text.chars().all(|c| plain(c) == c);
    if is_plain && is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return Cow::Borrowed(text.as_bytes());
    }
    Cow::Owned(text.nfc().map(plain).collect::<String>().into_bytes())
}

/// The ASCII character that a typographic one is mistaken for by models and by editors that "correct" text. An ellipsis
/// is not three dots: those are often a placeholder for code.
pub fn plain(c: char) -> char {
    match c {
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        // Hyphens and dashes, minus, small and full-width hyphen-minus.
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => '-',
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        _ => c,
    }
}

/// A line's hash, of the bytes of its normalization.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_are_one_and_an_ellipsis_is_none() {
        let eq = |left: &str, right: &str| Normalization::Folded.eq(left.as_bytes(), right.as_bytes());
        assert!(eq("say “hi” – it’s\u{a0}5 − 3", "say \"hi\" - it's 5 - 3"));
        assert!(eq("cafe\u{301}", "caf\u{e9}"));
        assert!(!eq("…", "..."));
        assert!(!eq("oﬃce", "office"), "a ligature is another text");
        assert!(!eq("“a”", "'a'"), "the kind of quote counts");
        assert!(
            !Normalization::Folded.eq(b"  a", b"a")
                && Normalization::FoldedTrimmed.eq("\u{a0} a".as_bytes(), b"a")
        );
        assert!(
            Normalization::Folded.eq(b"\xff\x80", b"\xff\x80") && !Normalization::Folded.eq(b"\xff", b"\xfe")
        );
    }

    #[test]
    fn indentation_is_what_a_line_begins_with() {
        assert_eq!(indentation(b"\t  a b"), b"\t  ");
        assert_eq!(indentation(b"  "), b"  ");
    }
}
