//! The lines below a place.

use super::line::Line;
use super::margin::Margin;
use super::source::Source;
use crate::response::{Passage, Response};
use crate::span::Span;

/// The lines from a place on. Reading them does not move the [`super::Cursor`].
#[derive(Clone, Debug)]
pub struct Lines<'r> {
    pub(super) source: Source<'r>,
    pub(super) upcoming: Option<Line<'r>>,
    pub(super) margin: Margin<'r>,
}

/// The lines below a place.
pub trait Below<'r>: Iterator<Item = Line<'r>> + Clone {}

impl<'r, L: Iterator<Item = Line<'r>> + Clone> Below<'r> for L {}

impl<'r> Lines<'r> {
    /// Skips the lines for which `passes` is true. For many lines, this is faster than [`Iterator::next`].
    #[inline(always)]
    pub fn skip_lines_while(&mut self, mut passes: impl FnMut(Line<'r>) -> bool) {
        let mut upcoming = self.upcoming;
        while let Some(line) = upcoming.filter(|&line| passes(line)) {
            upcoming = self.source.read_inside(line.next, self.margin);
        }
        self.upcoming = upcoming;
    }
}

/// A text in the response: its lines up to an offset, which may be inside of a line.
#[derive(Clone, Debug)]
pub(in crate::format) struct Payload<'r> {
    pub(in crate::format) lines: Lines<'r>,
    pub(in crate::format) end: usize,
}

impl<'r> Payload<'r> {
    /// Its lines.
    pub(in crate::format) fn lines(&self) -> impl Below<'r> + use<'r> {
        let end = self.end;
        self.lines.clone().take_while(move |line| line.start < end).map(move |mut line| {
            line.text = line.text.get(..end - line.start).unwrap_or(line.text);
            line
        })
    }

    /// Its span.
    pub(in crate::format) fn span(&self) -> Span {
        let start = self.lines.upcoming.map_or(self.end, |first| first.start.min(self.end));
        Span::new(self.response().id(), start, self.end)
    }

    /// The response that it is a part of.
    pub(in crate::format) fn response(&self) -> &'r Response {
        self.lines.source.response
    }

    /// Its first line that is not blank.
    pub(in crate::format) fn first(&self) -> Option<Line<'r>> {
        self.lines().find(|line| !line.is_blank())
    }

    /// Its text without the margin, each line ending with `\n`.
    pub(in crate::format) fn text(&self) -> Passage {
        let Lines { source, upcoming, margin } = self.lines;
        upcoming.map_or_else(Passage::default, |first| source.payload(first.start, self.end, margin))
    }
}

impl<'r> Iterator for Lines<'r> {
    type Item = Line<'r>;

    #[inline]
    fn next(&mut self) -> Option<Line<'r>> {
        let line = self.upcoming?;
        self.upcoming = self.source.read_inside(line.next, self.margin);
        Some(line)
    }
}
