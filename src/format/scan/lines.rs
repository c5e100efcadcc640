//! The lines below a place.

use super::line::Line;
use super::margin::Margin;
use super::source::Source;
use crate::response::Passage;

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
    pub fn pass(&mut self, mut passes: impl FnMut(Line<'r>) -> bool) {
        let mut upcoming = self.upcoming;
        while let Some(line) = upcoming.filter(|&line| passes(line)) {
            upcoming = self.source.read_inside(line.next, self.margin);
        }
        self.upcoming = upcoming;
    }

    /// The text from here to `end`, which may be inside of a line: without the margin, each line ending with `\n`.
    pub fn payload(&self, end: usize) -> Passage {
        self.upcoming
            .map_or_else(Passage::default, |first| self.source.payload(first.start, end, self.margin))
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
