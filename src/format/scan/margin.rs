//! What stands before the lines of a region and is no part of it.

use super::line::is_blank;

/// As many blanks as a list item's mark may stand for.
const BLANKS: &str = "                                ";

/// So many blanks, or as many as there may be.
pub(super) fn blanks(width: usize) -> &'static str {
    BLANKS.get(..width).unwrap_or(BLANKS)
}

/// The marks of block quotes, and the blanks behind them that a fence or list item is indented by. A line may have fewer
/// blanks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Margin<'r> {
    /// Of how many block quotes marks stand there.
    pub(in crate::format) quotes: usize,
    /// The blanks behind them.
    pub(in crate::format) blanks: &'r str,
}

impl Margin<'_> {
    /// Whether lines are read as they are.
    #[inline]
    pub fn is_none(self) -> bool {
        self.quotes == 0 && self.blanks.is_empty()
    }

    /// Where the content begins of the line that begins at `at`, whether all marks of quotes stand before it, and
    /// whether all blanks do.
    pub(super) fn skip(self, text: &str, at: usize) -> (usize, bool, bool) {
        let (content, found) = skip_quote(text, at, self.quotes);
        let line = text.as_bytes().get(content..).unwrap_or(&[]);
        let same = self.blanks.bytes().zip(line).take_while(|(wanted, byte)| wanted == *byte).count();
        (content + same, found == self.quotes, same == self.blanks.len())
    }
}

/// The offset after up to `depth` block quote marks at `at`, which begins a line, and how many there were. A mark is
/// `>` after at most three spaces, or after any blanks before the first, which may stand in a list; with one space after
/// it.
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
