//! Byte ranges in responses.
//!
//! Edits and diagnostics refer to the text by spans instead of holding it.

use serde::{Deserialize, Serialize};

/// A half-open byte range of one response's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// The index of the response, from 0.
    pub response: u32,
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte; never less than `start`.
    pub end: u32,
}

impl Span {
    /// Creates the span of the bytes `start..end` in the response with this index.
    ///
    /// Offsets saturate at [`u32::MAX`]; a [`crate::response::Response`] is never longer.
    pub fn new(response: u32, start: usize, end: usize) -> Self {
        let start = u32::try_from(start).unwrap_or(u32::MAX);
        let end = u32::try_from(end).unwrap_or(u32::MAX).max(start);
        Self { response, start, end }
    }

    /// Returns the smallest span that contains both. Both must be in the same response.
    pub fn join(self, other: Self) -> Self {
        Self { response: self.response, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Whether it contains all of another span.
    pub fn holds(self, other: Self) -> bool {
        self.response == other.response && self.start <= other.start && other.end <= self.end
    }

    /// The byte range, to slice the response's text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A range of whole lines, both ends included, counted from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LineRange {
    /// The first line.
    pub first: usize,
    /// The last line; equal to `first` for one line.
    pub last: usize,
}

impl std::fmt::Display for LineRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.first == self.last {
            write!(f, "line {}", self.first)
        } else {
            write!(f, "lines {}-{}", self.first, self.last)
        }
    }
}
