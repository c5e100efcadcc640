//! Places in a file.

/// A line, from 0, and a byte column in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// A range of whole lines (`end` is the start of the next line), or part of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) start: Point,
    pub(crate) end: Point,
}

impl Place {
    pub(crate) fn lines(start: usize, end: usize) -> Self {
        Self { start: Point { line: start, column: 0 }, end: Point { line: end, column: 0 } }
    }

    pub(crate) fn part(line: usize, start: usize, end: usize) -> Self {
        Self { start: Point { line, column: start }, end: Point { line, column: end } }
    }

    pub(crate) fn first(&self) -> usize {
        self.start.line
    }

    /// The line after the last one that it touches.
    pub(crate) fn behind(&self) -> usize {
        if self.end.column > 0 { self.end.line + 1 } else { self.end.line }
    }

    /// Whether no two of these ascending places overlap.
    pub(crate) fn are_apart(places: &[Place]) -> bool {
        places.windows(2).all(|pair| !pair[0].overlaps(&pair[1]))
    }

    pub(crate) fn overlaps(&self, other: &Place) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Whether it overlaps `result` and is not inside of it. A search text there is not replaced yet; a search text inside
    /// of its own replacement is what an insertion keeps.
    pub(crate) fn reaches_out_of(&self, result: &Place) -> bool {
        self.overlaps(result) && (self.start < result.start || result.end < self.end)
    }
}
