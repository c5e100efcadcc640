//! Normalizations under which lines are compared.

use std::borrow::Cow;
use std::hash::Hasher;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// What is ignored when lines are compared. Two lines are equal if [`Normalization::of`] returns equal bytes for them.
/// Lines that are equal in [`Normalization::Text`] are equal in all normalizations. Lines that are equal in any of them
/// are equal in [`Normalization::FoldedTrimmed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Normalization {
    /// Nothing is ignored.
    Text,
    /// Trailing whitespace is ignored.
    Trailing,
    /// Whitespace at both ends is ignored.
    Trimmed,
    /// Trailing whitespace is ignored, and look-alikes are equal: typographic and ASCII quotes, dashes and spaces, and
    /// composed and decomposed letters (NFC and NFD).
    Folded,
    /// Look-alikes are equal, and whitespace at both ends is ignored.
    FoldedTrimmed,
}

impl Normalization {
    /// All normalizations.
    pub const ALL: [Normalization; 5] = [
        Normalization::Text,
        Normalization::Trailing,
        Normalization::Trimmed,
        Normalization::Folded,
        Normalization::FoldedTrimmed,
    ];

    /// The normalized text of a line.
    pub fn of(self, text: &[u8]) -> Cow<'_, [u8]> {
        let folded = match self {
            Normalization::Text => return Cow::Borrowed(text),
            Normalization::Trailing | Normalization::Trimmed => Cow::Borrowed(text),
            Normalization::Folded | Normalization::FoldedTrimmed => fold(text),
        };
        let trim: fn(&[u8]) -> &[u8] = match self {
            Normalization::Trimmed | Normalization::FoldedTrimmed => |text| trim_start(trim_end(text)),
            _ => trim_end,
        };
        match folded {
            Cow::Borrowed(text) => Cow::Borrowed(trim(text)),
            Cow::Owned(text) => Cow::Owned(trim(&text).to_vec()),
        }
    }

    /// The hash of a normalized line. Lines with equal hashes may still differ.
    pub fn hash(self, text: &[u8]) -> u64 {
        hash(&self.of(text))
    }

    /// Whether two lines are equal in this normalization.
    pub fn eq(self, left: &[u8], right: &[u8]) -> bool {
        self.of(left) == self.of(right)
    }

    /// A stricter normalization that gives the same result for most lines, so that its hashes can be reused.
    pub(super) fn stricter(self) -> Option<Normalization> {
        match self {
            Normalization::Text => None,
            Normalization::Trailing => Some(Normalization::Text),
            Normalization::Trimmed | Normalization::Folded => Some(Normalization::Trailing),
            Normalization::FoldedTrimmed => Some(Normalization::Trimmed),
        }
    }
}

/// The leading whitespace of a line.
pub fn indentation(text: &[u8]) -> &[u8] {
    let rest = trim_start(text);
    &text[..text.len() - rest.len()]
}

/// The indentation of a line without the space that aligns the star of a block comment.
pub(crate) fn step_indentation(text: &[u8]) -> &[u8] {
    let indent = indentation(text);
    let is_star = text[indent.len()..].strip_prefix(b"*").is_some_and(|rest| {
        let rest = rest.strip_prefix(b"*").unwrap_or(rest);
        rest.first().is_none_or(|b| b"/ \t".contains(b))
    });
    if is_star { indent.strip_suffix(b" ").unwrap_or(indent) } else { indent }
}

/// The indentation of the lines that belong to a list item, as in YAML; `None` if the line does not begin with a dash.
pub(crate) fn item_indentation(text: &[u8]) -> Option<Vec<u8>> {
    let item = text.trim_ascii().strip_prefix(b"-")?;
    let width = 1 + item.len() - item.trim_ascii_start().len();
    (width > 1).then(|| [indentation(text), &b" ".repeat(width)].concat())
}

/// The columns of a line's indentation. A tab counts as four, assuming that one file is indented in one way.
pub fn depth(text: &[u8]) -> usize {
    indentation(text).iter().map(|&b| if b == b'\t' { 4 } else { 1 }).sum()
}

/// Whether a byte is whitespace within a line: space, tab, or a control character that editors show as one.
fn blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

/// Whether a text is empty or only whitespace, look-alikes of spaces included.
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

/// Replaces look-alikes by plain characters. Text that is not UTF-8 stays as it is.
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

/// Returns the ASCII character for a typographic one that models and editors write in its place. An ellipsis stays,
/// because three dots are often a placeholder for code.
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

/// The hash of a line's normalized bytes.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_are_equal_but_an_ellipsis_is_not_three_dots() {
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
    fn indentation_is_the_leading_whitespace() {
        assert_eq!(indentation(b"\t  a b"), b"\t  ");
        assert_eq!(indentation(b"  "), b"  ");
    }
}
