//! A cursor over a response's lines: what every format's parser reads through.
//!
//! Apart from the formats so that line breaks, block quotes and indentation are handled once. Lines are slices of the
//! response; only [`Cursor::payload`] copies.
//!
//! A line break is `\n` or `\r\n`. In a block quote, an indented fence or a list item every line is seen without that
//! [`Margin`]; a quote's input ends where its marks do.

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
pub use line::{Line, is_blank, is_text, starts_with_ignore_case, trim, trim_start};
pub use lines::{Below, Lines};
pub use margin::Margin;

/// A place to go back to; see [`Cursor::mark`].
#[derive(Clone, Copy, Debug)]
pub struct Mark<'r>(Option<Line<'r>>, usize);

/// Where a parser stands in a response: at a line, or within one.
///
/// A region's parser may move freely, but only forward from where it began.
#[derive(Clone, Debug)]
pub struct Cursor<'r> {
    source: Source<'r>,
    /// What is left of the line that it stands in; `None` at the end of the input.
    line: Option<Line<'r>>,
    /// Where `line` begins, or the end of the input.
    at: usize,
    margin: Margin<'r>,
    fence: Option<Fence<'r>>,
}

impl<'r> Cursor<'r> {
    /// At the beginning of a response.
    pub fn new(response: &'r Response) -> Self {
        Self::within(response, Span::new(response.id(), 0, response.text().len()))
    }

    /// At the beginning of a part of a response; nothing outside it is read.
    pub(super) fn within(response: &'r Response, part: Span) -> Self {
        let source = Source { text: response.text().get(..part.end as usize).unwrap_or(""), response };
        let (at, margin) = (part.start as usize, Margin::default());
        Self { source, line: source.read_inside(at, margin), at, margin, fence: None }
    }

    /// The response that is read.
    pub fn response(&self) -> &'r Response {
        self.source.response
    }

    /// What stands before the lines that it reads and is no part of them.
    pub fn margin(&self) -> Margin<'r> {
        self.margin
    }

    /// The fence that it stands in.
    pub(super) fn fence(&self) -> Option<Fence<'r>> {
        self.fence
    }

    /// Whether a line closes the fence that it stands in.
    pub(super) fn closes_fence(&self, line: Line<'_>) -> bool {
        self.fence.is_some_and(|open| open.is_closed_by(line))
    }

    /// Goes into a fence, or out of one; gives the one that it stood in.
    pub(super) fn set_fence(&mut self, fence: Option<Fence<'r>>) -> Option<Fence<'r>> {
        std::mem::replace(&mut self.fence, fence)
    }

    /// The offset in the response at which it stands.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Whether there is no line left: the response ends here, or the block quote does.
    pub fn is_end(&self) -> bool {
        self.line.is_none()
    }

    /// The line from here on, `None` at the end.
    pub fn line(&self) -> Option<Line<'r>> {
        self.line
    }

    /// Whether it stands at the beginning of a line and not within one.
    pub fn begins_line(&self) -> bool {
        self.line.is_some_and(|line| line.marked.is_some())
    }

    /// The text of the line from here on; empty at the end.
    pub fn text(&self) -> &'r str {
        self.line.map_or("", |line| line.text)
    }

    /// The first byte from here on in this line that is no blank.
    pub fn first_byte(&self) -> Option<u8> {
        self.line.and_then(Line::first_byte)
    }

    /// The lines from here on, this one first.
    pub fn lines(&self) -> Lines<'r> {
        Lines { source: self.source, upcoming: self.line, margin: self.margin }
    }

    /// Goes to the next line.
    pub fn advance(&mut self) {
        if let Some(line) = self.line {
            self.go(self.source.read_inside(line.next, self.margin), line.next);
        }
    }

    /// Goes to the next line, and on over those that pass. Gives where these are, and where the one behind them begins.
    #[inline]
    pub(super) fn run(&mut self, mut passes: impl FnMut(Line<'r>) -> bool) -> Option<(Span, usize)> {
        let (mut first, mut end, mut next) = (None, 0, 0);
        self.advance_past(|line| {
            let more = passes(line);
            if more {
                first.get_or_insert(line.start);
                (end, next) = (line.end(), line.next);
            }
            more
        });
        first.map(|first| (self.span(first, end), next))
    }

    /// Goes to the next line, and on over those that pass.
    #[inline]
    pub fn advance_past(&mut self, mut passes: impl FnMut(Line<'r>) -> bool) {
        self.advance();
        if self.margin.is_none() {
            let mut lines = self.lines();
            lines.pass(passes);
            self.go(lines.upcoming, self.source.text.len());
        } else {
            while self.line.is_some_and(&mut passes) {
                self.advance();
            }
        }
    }

    /// Goes to a line, or the rest of one, that [`Cursor::lines`] gave.
    pub fn go_to(&mut self, line: Line<'r>) {
        self.go(Some(line), line.start);
    }

    /// Goes to the end of the input.
    pub fn go_to_end(&mut self) {
        while !self.is_end() {
            self.advance();
        }
    }

    /// Goes to the rest of a line, which counts as a whole one.
    pub(super) fn begin_line(&mut self, rest: Line<'r>) {
        self.go_to(Line { marked: Some(rest.start), ..rest });
    }

    /// Goes on by `count` bytes in this line.
    pub fn step(&mut self, count: usize) {
        if let Some(line) = self.line {
            self.go_to(line.skip(count));
        }
    }

    /// Goes over the blanks here; not to the next line.
    pub fn skip_blanks(&mut self) {
        let blanks = self.text().bytes().take_while(|&byte| is_blank(byte)).count();
        self.step(blanks);
    }

    /// Goes over blanks and line breaks to the next text, or to the end.
    pub fn skip_blank_lines(&mut self) {
        while self.line.is_some_and(Line::is_blank) {
            self.advance();
        }
        self.skip_blanks();
    }

    /// Where it stands, to go back there.
    pub fn mark(&self) -> Mark<'r> {
        Mark(self.line, self.at)
    }

    /// Goes back to where it stood.
    pub fn reset(&mut self, mark: Mark<'r>) {
        self.go(mark.0, mark.1);
    }

    fn go(&mut self, line: Option<Line<'r>>, at: usize) {
        self.at = line.map_or(at, |line| line.start);
        self.line = line;
    }

    /// The span of the response's bytes `start..end`.
    pub fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.source.response.id(), start, end)
    }

    /// The place where it stands.
    pub(super) fn here(&self) -> Span {
        self.span(self.at, self.at)
    }

    /// The span of the line from here on; empty at the end.
    pub(super) fn line_span(&self) -> Span {
        self.span(self.at, self.at + self.text().len())
    }

    /// The span of a line's text.
    pub(super) fn span_of(&self, line: Line<'_>) -> Span {
        self.span(line.start, line.end())
    }

    /// The lines from the one that begins at `start` to before the one that begins at `end`, both as the lines of this
    /// cursor begin: without its margin, each ended by `\n`.
    pub fn payload(&self, start: usize, end: usize) -> Passage {
        self.source.payload(start, end, self.margin)
    }

    /// Reads lines without that margin from now on, the one that it stands at first.
    pub(super) fn set_margin(&mut self, margin: Margin<'r>) {
        // Without any is what is usual, and empty texts take long to compare.
        if self.margin.is_none() && margin.is_none() || self.margin == margin {
            return;
        }
        self.margin = margin;
        let whole = match self.line {
            // In the midst of a line its margin is behind.
            Some(Line { marked: None, .. }) => return,
            Some(Line { marked, .. }) => marked.unwrap_or(self.at),
            None => self.at,
        };
        self.go(self.source.read_inside(whole, margin), whole);
    }

    /// Reads lines without the blanks that this one begins with, unless they are read without some already.
    pub(super) fn set_indent(&mut self) {
        if let Some(line) = self.line.filter(|_| self.margin.blanks.is_empty()) {
            self.set_margin(Margin { blanks: line.blanks(), ..self.margin });
        }
    }

    /// Goes behind a list item's mark of that many bytes; the lines below are read without as many blanks.
    pub(super) fn enter_item(&mut self, width: usize) {
        let Some(line) = self.line else { return };
        self.margin = Margin { blanks: margin::blanks(width), ..self.margin };
        self.begin_line(line.skip(width));
    }
}
