//! Lines below and above a place, read without moving the cursor.

use super::line::Line;
use super::margin::Margin;
use super::source::Source;
use crate::response::Passage;

/// Lines from a place on, read ahead of a [`super::Cursor`] without moving it.
#[derive(Clone, Debug)]
pub struct Lines<'r> {
    pub(super) source: Source<'r>,
    pub(super) upcoming: Option<Line<'r>>,
    pub(super) margin: Margin<'r>,
}

impl<'r> Lines<'r> {
    /// Goes over the lines from here on that pass. For the many that say nothing: it takes less than to look at each
    /// line with [`Iterator::next`].
    #[inline]
    pub fn pass(&mut self, mut passes: impl FnMut(Line<'r>) -> bool) {
        while let Some(line) = self.upcoming.filter(|&line| passes(line)) {
            let mut at = line.next;
            if self.margin.is_none() {
                while at < self.source.text.len() {
                    let next = self.source.next_line(at);
                    let text = self.source.text_between(at, next);
                    let line = Line { text, start: at, next, marked: Some(at) };
                    if !passes(line) {
                        self.upcoming = Some(line);
                        return;
                    }
                    at = next;
                }
            }
            self.upcoming = self.source.read_inside(at, self.margin);
        }
    }

    /// These lines without the blanks with which the first one begins, if all that are not blank up to `end` begin with
    /// them: what a fence is indented by is no part of the text in it.
    #[must_use]
    pub fn outdented(self, blanks: &'r str, end: usize) -> Self {
        let all = |line: Line<'_>| line.is_blank() || line.text.starts_with(blanks);
        let fits = !blanks.is_empty() && self.clone().take_while(|line| line.start < end).all(all);
        let Some(first) = self.upcoming.and_then(|line| line.marked).filter(|_| fits) else { return self };
        let margin = Margin { blanks: self.source.blanks_around(self.margin, blanks), ..self.margin };
        Self { upcoming: self.source.read_inside(first, margin), margin, ..self }
    }

    /// The text from here to before `end`, which may be within a line: without its margin, each line ended
    /// by `\n`.
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

/// Lines above a place, the nearest first; see [`super::Cursor::above`].
#[derive(Clone, Debug)]
pub struct LinesAbove<'r> {
    pub(super) source: Source<'r>,
    /// Where the line after the next one to give begins.
    pub(super) below: usize,
    pub(super) floor: usize,
    pub(super) margin: Margin<'r>,
}

impl<'r> Iterator for LinesAbove<'r> {
    type Item = Line<'r>;

    fn next(&mut self) -> Option<Line<'r>> {
        if self.below <= self.floor {
            return None;
        }
        self.below = self.source.line_start(self.below.checked_sub(1)?);
        let start = self.below.max(self.floor);
        let (content, _) = self.margin.skip(self.source.text, start);
        Some(self.source.read(content))
    }
}
