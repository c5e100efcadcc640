//! What stands before the lines of a region and is no part of it.

use super::line::is_blank;

/// The marks of the block quotes that a region opened in, and the blanks behind them that its fence or list item is
/// indented by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Margin<'r> {
    /// Of how many block quotes marks stand there.
    pub(super) quotes: usize,
    /// The blanks behind them.
    pub(super) blanks: &'r str,
    /// Whether a line may have fewer blanks, because a fence says where the lines end.
    pub(super) is_fenced: bool,
}

impl Margin<'_> {
    /// Of how many block quotes marks stand before the lines.
    pub fn quotes(self) -> usize {
        self.quotes
    }

    /// How many blanks stand behind the marks.
    pub(in crate::format) fn indentation(self) -> usize {
        self.blanks.len()
    }

    /// Whether lines are read as they are.
    #[inline]
    pub fn is_none(self) -> bool {
        self.quotes == 0 && self.blanks.is_empty()
    }

    /// Where the content begins of the line that begins at `at`, and whether all of the margin stands before it.
    pub(super) fn skip(self, text: &str, at: usize) -> (usize, bool) {
        let (content, found) = skip_quote(text, at, self.quotes);
        let line = text.as_bytes().get(content..).unwrap_or(&[]);
        let same = self.blanks.bytes().zip(line).take_while(|(wanted, byte)| wanted == *byte).count();
        (content + same, found == self.quotes && (self.is_fenced || same == self.blanks.len()))
    }
}

impl Margin<'_> {
    /// Whether all of the margin stands before the line that begins at `at`, in a fence, too.
    pub(super) fn is_whole(self, text: &str, at: usize) -> bool {
        Margin { is_fenced: false, ..self }.skip(text, at).1
    }
}

/// The offset after up to `depth` block quote marks at `at`, which begins a line, and how many there were. A mark is
/// `>` after at most three spaces, or after any blanks before the first, which may stand in a list; with one space after
/// it.
pub(super) fn skip_quote(text: &str, at: usize, depth: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let mut content = at;
    for found in 0..depth {
        let rest = bytes[content..].iter();
        let blanks = match found {
            0 => rest.take_while(|&&byte| is_blank(byte)).count(),
            _ => rest.take(3).take_while(|&&byte| byte == b' ').count(),
        };
        if bytes.get(content + blanks) != Some(&b'>') {
            return (content, found);
        }
        content += blanks + 1;
        if bytes.get(content) == Some(&b' ') {
            content += 1;
        }
    }
    (content, depth)
}
