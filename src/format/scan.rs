//! A cursor over the lines of a response. All parsers use it.
//!
//! It handles line breaks, block quotes and indentation once for all formats. Lines are slices of the response; only
//! [`Cursor::payload`] copies.
//!
//! A line break is `\n` or `\r\n`. In a block quote, an indented fence or a list item, lines are read without its
//! [`Margin`]. In a quote, the input ends at the first line without the quote's marks.

mod line;
mod lines;
mod margin;
mod source;
#[cfg(test)]
mod tests;

use super::fence::Fence;
use crate::response::{Passage, Response};
use crate::span::Span;
use source::Source;

#[cfg(test)]
pub(super) use line::lines_read;
pub(super) use line::width;
pub use line::{Line, equals_trimmed, is_blank, starts_with_ignore_case, trim, trim_start};
pub(super) use lines::Payload;
pub use lines::{Below, Lines};
pub use margin::Margin;
pub(super) use margin::quote_marks;

/// A place that a cursor can return to; see [`Cursor::mark`].
#[derive(Clone, Copy, Debug)]
pub struct Mark<'r>(Option<Line<'r>>, usize);

/// The place of a parser in a response: at a line, or inside of one.
///
/// A parser may move only forward from where its region begins.
#[derive(Clone, Debug)]
pub struct Cursor<'r> {
    source: Source<'r>,
    /// The rest of the current line; `None` at the end of the input.
    line: Option<Line<'r>>,
    /// The offset of `line`, or of the end of the input.
    at: usize,
    margin: Margin<'r>,
    fence: Option<Fence<'r>>,
}

impl<'r> Cursor<'r> {
    /// A cursor at the beginning of a response.
    pub fn new(response: &'r Response) -> Self {
        Self::within(response, Span::new(response.id(), 0, response.text().len()))
    }

    /// A cursor over a part of a response.
    pub(super) fn within(response: &'r Response, part: Span) -> Self {
        let source = Source { text: response.text().get(..part.end as usize).unwrap_or(""), response };
        let (at, margin) = (part.start as usize, Margin::default());
        Self { source, line: source.read_inside(at, margin), at, margin, fence: None }
    }

    /// The response that is read.
    pub fn response(&self) -> &'r Response {
        self.source.response
    }

    /// The margin that lines are read without.
    pub fn margin(&self) -> Margin<'r> {
        self.margin
    }

    /// The fence around the cursor.
    pub(super) fn fence(&self) -> Option<Fence<'r>> {
        self.fence
    }

    /// Whether a line closes the fence around the cursor.
    pub(super) fn closes_fence(&self, line: Line<'_>) -> bool {
        self.fence.is_some_and(|open| open.is_closed_by(line))
    }

    /// Sets the fence around the cursor.
    pub(super) fn set_fence(&mut self, fence: Option<Fence<'r>>) {
        self.fence = fence;
    }

    /// The offset in the response: of the rest of the current line, or of the end of the input.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Whether no line is left, because the response or the block quote ends here.
    pub fn is_end(&self) -> bool {
        self.line.is_none()
    }

    /// The rest of the current line; `None` at the end.
    pub fn line(&self) -> Option<Line<'r>> {
        self.line
    }

    /// Whether it is at the beginning of a line.
    pub fn begins_line(&self) -> bool {
        self.line.is_some_and(|line| line.margin_start.is_some())
    }

    /// The text of the rest of the line; empty at the end.
    pub fn text(&self) -> &'r str {
        self.line.map_or("", |line| line.text)
    }

    /// The first byte of the rest of the line that is not blank.
    pub fn first_byte(&self) -> Option<u8> {
        self.line.and_then(Line::first_byte)
    }

    /// The lines from here on, beginning with the current one.
    pub fn lines(&self) -> Lines<'r> {
        Lines { source: self.source, upcoming: self.line, margin: self.margin }
    }

    /// Goes to the next line.
    pub fn advance(&mut self) {
        if let Some(line) = self.line {
            self.go(self.source.read_inside(line.next, self.margin), line.next);
        }
    }

    /// Goes to the next line, and past the lines for which `passes` is true. Returns the span of these lines and the
    /// offset of the line after them.
    #[inline(always)]
    pub(super) fn advance_past_with_span(
        &mut self,
        passes: impl FnMut(Line<'r>) -> bool,
    ) -> Option<(Span, usize)> {
        let first = self.line?.next;
        self.advance_past(passes);
        let lines = self.source.text.get(first..self.at).filter(|lines| !lines.is_empty())?;
        let lines = lines.strip_suffix('\n').map_or(lines, |lines| lines.strip_suffix('\r').unwrap_or(lines));
        Some((self.span(first, first + lines.len()), self.at))
    }

    /// Goes to the next line, and past the lines for which `passes` is true.
    #[inline(always)]
    pub fn advance_past(&mut self, mut passes: impl FnMut(Line<'r>) -> bool) {
        self.advance();
        if self.margin.is_none() {
            let mut lines = self.lines();
            lines.skip_lines_while(passes);
            self.go(lines.upcoming, self.source.text.len());
        } else {
            while self.line.is_some_and(&mut passes) {
                self.advance();
            }
        }
    }

    /// Goes to a line, or the rest of a line, from [`Cursor::lines`].
    pub fn go_to(&mut self, line: Line<'r>) {
        self.go(Some(line), line.start);
    }

    /// Goes to the end of the input.
    pub fn go_to_end(&mut self) {
        while !self.is_end() {
            self.advance();
        }
    }

    /// Goes to the rest of a line, which then counts as a whole line.
    pub(super) fn begin_line(&mut self, rest: Line<'r>) {
        self.go_to(Line { margin_start: Some(rest.start), ..rest });
    }

    /// Goes forward by `count` bytes in the current line.
    pub fn step(&mut self, count: usize) {
        if let Some(line) = self.line {
            self.go_to(line.skip(count));
        }
    }

    /// Skips blanks in this line.
    pub fn skip_blanks(&mut self) {
        let blanks = self.text().bytes().take_while(|&byte| is_blank(byte)).count();
        self.step(blanks);
    }

    /// Skips blanks and line breaks.
    pub fn skip_blank_lines(&mut self) {
        while self.line.is_some_and(Line::is_blank) {
            self.advance();
        }
        self.skip_blanks();
    }

    /// The current place, for [`Cursor::reset`].
    pub fn mark(&self) -> Mark<'r> {
        Mark(self.line, self.at)
    }

    /// Returns to a place.
    pub fn reset(&mut self, mark: Mark<'r>) {
        self.go(mark.0, mark.1);
    }

    fn go(&mut self, line: Option<Line<'r>>, at: usize) {
        self.at = line.map_or(at, |line| line.start);
        self.line = line;
    }

    /// The span of the bytes `start..end` of the response.
    pub fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.source.response.id(), start, end)
    }

    /// The span of the rest of the line; empty at the end.
    pub(super) fn line_span(&self) -> Span {
        self.span(self.at, self.at + self.text().len())
    }

    /// The span of a line.
    pub(super) fn span_of(&self, line: Line<'_>) -> Span {
        self.span(line.start, line.end())
    }

    /// The lines from `start` to `end`, without the margin, each ending with `\n`. Both are offsets of lines of this
    /// cursor.
    pub fn payload(&self, start: usize, end: usize) -> Passage {
        self.source.payload(start, end, self.margin)
    }

    /// Sets the margin, also for the current line.
    pub(super) fn set_margin(&mut self, margin: Margin<'r>) {
        // Usually there is no margin, and this check is faster than comparing empty texts.
        if self.margin.is_none() && margin.is_none() || self.margin == margin {
            return;
        }
        self.margin = margin;
        let whole = match self.line {
            // Inside of a line, the margin is already skipped.
            Some(Line { margin_start: None, .. }) => return,
            Some(Line { margin_start: Some(start), .. }) => start,
            None => self.at,
        };
        self.go(self.source.read_inside(whole, margin), whole);
    }

    /// Adds the indentation of the current line to the margin, unless the margin has one already.
    pub(super) fn set_indent(&mut self) {
        if let Some(line) = self.line.filter(|_| self.margin.blanks.is_empty()) {
            self.set_margin(Margin { blanks: line.blanks(), ..self.margin });
        }
    }

    /// Goes past a list mark of `width` bytes. The lines below it are read without their first `width` blanks.
    pub(super) fn enter_item(&mut self, width: usize) {
        let Some(line) = self.line else { return };
        self.margin = Margin { blanks: margin::blanks(width), ..self.margin };
        self.begin_line(line.skip(width));
    }
}
