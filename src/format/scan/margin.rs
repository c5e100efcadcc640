//! The margin: quote marks and blanks before the lines of a region, which are not content.

use super::line::is_blank;

/// Blanks, as many as the text of a list item may be indented by.
const BLANKS: &str = "                                ";

/// Returns this many blanks, but not more than [`BLANKS`] has.
pub(super) fn blanks(width: usize) -> &'static str {
    BLANKS.get(..width).unwrap_or(BLANKS)
}

/// The marks of block quotes, and the blanks after them by which a fence or list item is indented. A line may have
/// fewer blanks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Margin<'r> {
    /// The number of block quote marks.
    pub(in crate::format) quotes: usize,
    /// The blanks after them.
    pub(in crate::format) blanks: &'r str,
}

impl Margin<'_> {
    /// Whether lines are read as they are.
    #[inline]
    pub fn is_none(self) -> bool {
        self.quotes == 0 && self.blanks.is_empty()
    }

    /// Returns the offset of the content of the line at `at`, whether the line has all quote marks, and whether it has
    /// all blanks of the margin.
    pub(super) fn skip(self, text: &str, at: usize) -> (usize, bool, bool) {
        let (content, found) = skip_quote(text, at, self.quotes);
        let line = text.as_bytes().get(content..).unwrap_or(&[]);
        let same = self.blanks.bytes().zip(line).take_while(|(wanted, byte)| wanted == *byte).count();
        (content + same, found == self.quotes, same == self.blanks.len())
    }
}

/// The number of block quote marks at the start of a line.
pub(in crate::format) fn quote_marks(line: &str) -> usize {
    skip_quote(line, 0, usize::MAX).1
}

/// Returns the offset after up to `depth` block quote marks of the line at `at`, and their number. A mark is `>` after
/// at most three spaces, with one space after it. Before the first mark there may be any blanks, because a quote may be
/// in a list.
fn skip_quote(text: &str, at: usize, depth: usize) -> (usize, usize) {
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
