//! Places in a file.

/// A position: a line, from 0, and a byte column in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// Where a text stands: whole lines (`end` at the start of the line behind them) or part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) start: Point,
    pub(crate) end: Point,
}

impl Place {
    /// Whole lines.
    pub(crate) fn lines(start: usize, end: usize) -> Self {
        Self { start: Point { line: start, column: 0 }, end: Point { line: end, column: 0 } }
    }

    /// Part of a line.
    pub(crate) fn part(line: usize, start: usize, end: usize) -> Self {
        Self { start: Point { line, column: start }, end: Point { line, column: end } }
    }

    /// The first line.
    pub(crate) fn first(&self) -> usize {
        self.start.line
    }

    /// Behind the last line that it touches.
    pub(crate) fn behind(&self) -> usize {
        if self.end.column > 0 { self.end.line + 1 } else { self.end.line }
    }

    /// Whether no two of some, which ascend, share anything.
    pub(crate) fn are_apart(places: &[Place]) -> bool {
        places.windows(2).all(|pair| !pair[0].overlaps(&pair[1]))
    }

    /// Whether it shares anything with another.
    pub(crate) fn overlaps(&self, other: &Place) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Whether it shares something with another, and has more than that: a before-text that does so with a result stands there
    /// yet to be changed. Inside its result it is what an insertion leaves of it.
    pub(crate) fn reaches_out_of(&self, result: &Place) -> bool {
        self.overlaps(result) && (self.start < result.start || result.end < self.end)
    }
}
