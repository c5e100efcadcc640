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
    /// The offset of the line after the one with `at` in it; the end of the text if there is none.
    #[inline]
    pub(super) fn next_line(self, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or(&[]);
        memchr::memchr(b'\n', rest).map_or(self.text.len(), |end| at + end + 1)
    }

    /// The rest of the line from `at` on.
    #[inline]
    pub(super) fn read(self, at: usize) -> Line<'r> {
        let next = self.next_line(at);
        Line { text: self.text_between(at, next), start: at, next, margin_start: None }
    }

    /// The text from `at` to the line break before `next`.
    #[inline]
    pub(super) fn text_between(self, at: usize, next: usize) -> &'r str {
        #[cfg(test)]
        super::line::LINES_READ.with(|count| count.set(count.get() + 1));
        let line = &self.text[at..next];
        line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line))
    }

    /// The line at `at`, without a margin; `None` if it does not have the quote marks of the margin. A blank line may
    /// lack them, because many tools do not quote blank lines.
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

    /// The start, end and margin of a text from `start` to `end`. If its first line is indented less than its fence,
    /// the text was not indented with the fence, so its margin has no blanks.
    fn text_in(self, start: usize, end: usize, margin: Margin<'r>) -> (usize, usize, Margin<'r>) {
        // The line whose content begins at an offset. A line may be long and contain many texts, so only its margin is
        // read.
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
