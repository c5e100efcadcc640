//! The text of a response, line by line.

use super::line::Line;
use super::lines::Lines;
use super::margin::Margin;
use crate::response::{Passage, Response};

/// The text of a response, line by line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'r> {
    pub(super) text: &'r str,
    pub(super) response: &'r Response,
}

impl<'r> Source<'r> {
    /// The rest of the line from `at` on.
    #[inline]
    pub(super) fn read(self, at: usize) -> Line<'r> {
        #[cfg(test)]
        super::line::LINES_READ.with(|count| count.set(count.get() + 1));
        let rest = self.text.get(at..).unwrap_or("");
        let (text, length) = match line_break(rest.as_bytes()) {
            Some(end) if end > 0 && rest.as_bytes()[end - 1] == b'\r' => (&rest[..end - 1], end + 1),
            Some(end) => (&rest[..end], end + 1),
            None => (rest, rest.len()),
        };
        Line { text, start: at, next: at + length, margin_start: None }
    }

    /// Returns the line at `at` without its margin, or `None` if it does not have the quote marks of the margin. A
    /// blank line needs none, because many tools do not quote blank lines.
    #[inline]
    pub(super) fn read_inside(self, at: usize, margin: Margin<'_>) -> Option<Line<'r>> {
        if at >= self.text.len() {
            return None;
        }
        if margin.is_none() {
            return Some(Line { margin_start: Some(at), ..self.read(at) });
        }
        let (content, quoted, _) = margin.skip(self.text, at);
        let line = Line { margin_start: Some(at), ..self.read(content) };
        (quoted || line.is_blank()).then_some(line)
    }

    /// Returns the start, end and margin of the text from `start` to `end`. If its first line is indented less than its
    /// fence, the model did not indent the text with the fence, so its margin has no blanks.
    fn text_in(self, start: usize, end: usize, margin: Margin<'r>) -> (usize, usize, Margin<'r>) {
        // Finds the line whose content begins at an offset. Only its margin is read, because a long line may contain
        // many texts.
        let line_of = |content: usize| {
            let mut before = self.text.as_bytes().get(..content)?.iter().rev();
            let length = before.clone().take_while(|byte| matches!(byte, b' ' | b'\t' | b'>')).count();
            let begins = before.nth(length).is_none_or(|&byte| byte == b'\n');
            Some(content - length).filter(|&line| begins && margin.skip(self.text, line).0 == content)
        };
        let Some(line) = line_of(start).filter(|_| !margin.blanks.is_empty()) else {
            return (start, end, margin);
        };
        let lines = Lines { source: self, upcoming: self.read_inside(line, margin), margin };
        let first = lines.take_while(|line| line.start < end).find(|line| !line.is_blank());
        let lacks = first.and_then(|line| line.margin_start).is_some_and(|at| !margin.skip(self.text, at).2);
        if !lacks {
            return (start, end, margin);
        }
        let plain = Margin { blanks: "", ..margin };
        (plain.skip(self.text, line).0, line_of(end).unwrap_or(end), plain)
    }

    /// The text from `start` to `end`, without a margin, each line ending with `\n`.
    pub(super) fn payload(self, start: usize, end: usize, margin: Margin<'r>) -> Passage {
        let (start, end, margin) = self.text_in(start, end, margin);
        let Some(whole) = self.text.get(start..end) else { return Passage::default() };
        if margin.is_none() {
            return self.response.passage(start..end).into_lines();
        }
        let mut payload = String::with_capacity(whole.len() + 1);
        let lines = Lines { source: self, upcoming: Some(self.read(start)), margin };
        for line in lines.take_while(|line| line.start < end) {
            payload.push_str(line.text.get(..end - line.start).unwrap_or(line.text));
            payload.push('\n');
        }
        payload.shrink_to_fit();
        payload.into()
    }
}

/// The offset of the first line break. Most lines are short: for these, a look at the first bytes is faster than a
/// search.
#[inline]
fn line_break(bytes: &[u8]) -> Option<usize> {
    const ONES: u128 = u128::MAX / 255;
    // In the first 16 bytes, a line break becomes a zero byte of `differences`, and its highest bit is set in `near`.
    let near = bytes.first_chunk().map_or(0, |near| {
        let differences = u128::from_le_bytes(*near) ^ (ONES * u128::from(b'\n'));
        differences.wrapping_sub(ONES) & !differences & (ONES << 7)
    });
    match near {
        0 => memchr::memchr(b'\n', bytes),
        near => Some(near.trailing_zeros() as usize / 8),
    }
}

#[cfg(test)]
mod tests {
    use super::line_break;

    #[test]
    fn a_line_break_is_found_wherever_it_is() {
        for length in 0..40 {
            for byte in 0..=255 {
                let mut bytes = vec![byte; length];
                let first = (byte == b'\n' && length > 0).then_some(0);
                assert_eq!(line_break(&bytes), first, "{bytes:?}");
                for at in 0..length {
                    bytes[at] = b'\n';
                    assert_eq!(line_break(&bytes), first.or(Some(at)), "{bytes:?}");
                    bytes[at] = byte;
                }
            }
        }
    }
}
