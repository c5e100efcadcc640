//! The Markdown that a line stands in: list items, and a fence.
//!
//! By CommonMark's rules, as far as they say what blanks before a line are its own. One difference: a fence is open up to
//! the line that closes it, even where its list item ends before.

use super::line::{is_blank, trim_start};
use crate::format::fence::Fence;

/// How deep list items may stand in each other; deeper ones are none.
const DEEPEST: usize = 8;

/// The columns from one tab stop to the next.
const TAB: usize = 4;

/// As many blanks as a fence behind the marks of list items may be indented by.
const BLANKS: &str = "                                                                ";

/// What the lines so far have opened.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Layout<'r> {
    /// In no block quote.
    plain: Blocks<'r>,
    /// In the last block quote.
    quoted: Blocks<'r>,
    /// How deep that is.
    quotes: usize,
}

impl<'r> Layout<'r> {
    /// How many marks of block quotes are looked for: in a fence, no more than stand before it.
    pub(super) fn deepest_quote(&self) -> usize {
        match (self.plain.fence, self.quoted.fence) {
            (Some(_), _) => 0,
            (None, Some(_)) => self.quotes,
            (None, None) => usize::MAX,
        }
    }

    /// Takes in the next line, which is without the marks of that many block quotes.
    pub(super) fn pass(&mut self, quotes: usize, line: &'r str) {
        if line.bytes().all(is_blank) {
            return self.end_paragraph();
        }
        if quotes != self.quotes {
            (self.quoted, self.quotes) = (Blocks::default(), quotes);
        }
        let blocks = if quotes == 0 { &mut self.plain } else { &mut self.quoted };
        blocks.pass(line);
    }

    /// Notes that the paragraph ends which the last line may be of.
    pub(super) fn end_paragraph(&mut self) {
        self.plain.in_paragraph = false;
        self.quoted.in_paragraph = false;
    }

    /// The fence that is open in that many block quotes.
    pub(super) fn fence(&self, quotes: usize) -> Option<Fence<'r>> {
        self.blocks(quotes)?.fence.map(|open| open.fence)
    }

    /// The blanks at the beginning of a line that are none of its own: what its fence is indented by; in a list item,
    /// where the line begins a block by itself, all of them.
    pub(super) fn indentation(&self, quotes: usize, line: &'r str) -> &'r str {
        let Some(blocks) = self.blocks(quotes) else { return "" };
        let blanks = &line[..line.len() - trim_start(line).len()];
        match blocks.fence {
            Some(open) if blanks.starts_with(open.blanks) => open.blanks,
            Some(_) => "",
            None if blocks.depth > 0 && blocks.items[0] <= columns(blanks, 0) => blanks,
            None => "",
        }
    }

    fn blocks(&self, quotes: usize) -> Option<&Blocks<'r>> {
        match quotes {
            0 => Some(&self.plain),
            _ => Some(&self.quoted).filter(|_| quotes == self.quotes),
        }
    }
}

/// What is open at one depth of block quotes.
#[derive(Clone, Copy, Debug, Default)]
struct Blocks<'r> {
    /// The columns at which the texts of list items begin, the outermost first.
    items: [usize; DEEPEST],
    depth: usize,
    fence: Option<Open<'r>>,
    /// Whether the last line was one of a paragraph, which goes on wherever the next line begins.
    in_paragraph: bool,
}

/// A fence that is not closed yet.
#[derive(Clone, Copy, Debug)]
struct Open<'r> {
    fence: Fence<'r>,
    /// What it is indented by.
    blanks: &'r str,
}

impl<'r> Blocks<'r> {
    fn pass(&mut self, line: &'r str) {
        if let Some(open) = self.fence {
            if Fence::of(line).is_some_and(|fence| fence.closes(open.fence)) {
                self.fence = None;
            }
            return;
        }
        let mut text = trim_start(line);
        let mut blanks = &line[..line.len() - text.len()];
        let mut column = columns(blanks, 0);
        let is_heading = text.as_bytes().first() == Some(&b'#');
        let is_text = !is_heading && Fence::of(text).is_none() && item(text, column).is_none();
        if is_text && self.in_paragraph {
            return;
        }
        while self.depth > 0 && self.items[self.depth - 1] > column {
            self.depth -= 1;
        }
        while let Some((width, rest)) = item(text, column).filter(|_| self.depth < DEEPEST) {
            column += width;
            self.items[self.depth] = column;
            self.depth += 1;
            (text, blanks) = (rest, BLANKS.get(..column).unwrap_or(BLANKS));
        }
        self.fence = Fence::of(text).map(|fence| Open { fence, blanks });
        self.in_paragraph = self.fence.is_none() && !text.is_empty() && text.as_bytes()[0] != b'#';
    }
}

/// Whether a byte may begin the mark of a list item.
pub(super) fn may_begin_item(byte: u8) -> bool {
    matches!(byte, b'-' | b'*' | b'+' | b'0'..=b'9')
}

/// The text of the list item that a line begins, behind its mark, and blanks as wide as what stands before that.
pub(super) fn item_of(line: &str) -> Option<(&'static str, &str)> {
    let text = trim_start(line);
    let column = columns(&line[..line.len() - text.len()], 0);
    let (width, text) = item(text, column)?;
    Some((BLANKS.get(..column + width)?, text))
}

/// The columns that blanks take which begin at a column.
fn columns(blanks: &str, start: usize) -> usize {
    let end = blanks.bytes().fold(start, |at, byte| if byte == b'\t' { at - at % TAB + TAB } else { at + 1 });
    end - start
}

/// The columns from the mark of a list item to its text, and the text, if a text that begins at a column begins with such
/// a mark.
fn item(text: &str, column: usize) -> Option<(usize, &str)> {
    let digits = text.bytes().take(10).take_while(u8::is_ascii_digit).count();
    let mark = match text.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    let rest = text.get(mark..)?;
    let text = trim_start(rest);
    let blanks = columns(&rest[..rest.len() - text.len()], column + mark);
    match blanks {
        _ if text.is_empty() => Some((mark + 1, "")),
        0 => None,
        1..=4 => Some((mark + blanks, text)),
        // Code in the item, which is indented by four more.
        _ => Some((mark + 1, "")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of the last line after those before it.
    fn rest(lines: &[&'static str]) -> &'static str {
        let mut layout = Layout::default();
        let (last, before) = lines.split_last().unwrap();
        for line in before {
            layout.pass(0, line);
        }
        &last[layout.indentation(0, last).len()..]
    }

    #[test]
    fn a_fence_takes_what_it_is_indented_by() {
        assert_eq!(rest(&["   ```rust", "     x"]), "  x");
        assert_eq!(rest(&["   ```", "  x"]), "  x", "it stands left of the fence");
        assert_eq!(rest(&["```", "  x"]), "  x");
        assert_eq!(rest(&["\t```", "\t\tx"]), "\tx");
        assert_eq!(rest(&["  ```", "  ```", "  x"]), "  x", "it is closed");
        assert_eq!(rest(&["  ````", "  ```", "  x"]), "x", "not by a shorter one");
        assert_eq!(rest(&["- ```", "  x"]), "x");
        assert_eq!(rest(&["10. - ~~~", "      x"]), "x");
    }

    #[test]
    fn a_list_item_takes_what_its_block_is_indented_by() {
        assert_eq!(rest(&["1. so:", "", "   x"]), "x");
        assert_eq!(rest(&["1. so:", "    x"]), "x");
        assert_eq!(rest(&["1. so:", "  x"]), "  x", "that is none of the item");
        assert_eq!(rest(&["- a", "  - b", "    x"]), "x");
        assert_eq!(rest(&["- a", "", "so", "  x"]), "  x", "the item has ended");
        assert_eq!(rest(&["- a", "so", "", "  x"]), "x", "its paragraph goes on");
        assert_eq!(rest(&["- a", "# b", "  x"]), "  x");
        assert_eq!(rest(&["-a", "  x"]), "  x");
        assert_eq!(rest(&["**a**", "  x"]), "  x");
        assert_eq!(rest(&["1234567890. a", "             x"]), "             x");
        assert_eq!(rest(&["- a", "\tx"]), "x");
    }

    #[test]
    fn quotes_have_a_layout_of_their_own() {
        let mut layout = Layout::default();
        layout.pass(0, "- a");
        layout.pass(1, "  ```");
        assert_eq!(layout.indentation(1, "  x"), "  ");
        assert_eq!(layout.indentation(2, "  x"), "");
        assert_eq!(layout.deepest_quote(), 1);
        layout.pass(0, "  b");
        assert_eq!(layout.indentation(0, "  x"), "  ");
        layout.pass(1, "c");
        assert_eq!(layout.indentation(1, "  x"), "");
    }
}
