//! The part of a file in which a hunk may match, because of its headings and its order. A match out of bounds is never
//! taken.

use crate::text::search::{Haystack, Place};

/// How many lines beyond a region are searched, besides twice the lines of the search text.
const SEARCH_MARGIN: usize = 64;

/// Why a match is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Objection {
    /// It is not in the region of the heading on this line, from 0.
    Heading(usize),
    /// It is before the previous chunk.
    Order,
    /// It is not at the end of the file.
    EndOfFile,
    /// It begins or ends inside a token.
    Token,
    /// It is in a comment, and the search text is code.
    Comment,
    /// Its blank lines differ from those of the search text, so that it is unclear what would change.
    Blanks,
    /// The hunk may be already applied there, but the lines there do not prove it.
    Applied,
}

impl Objection {
    /// Whether the place is out of bounds.
    pub(super) fn is_out_of_bounds(self) -> bool {
        matches!(self, Objection::Heading(_) | Objection::Order | Objection::EndOfFile)
    }
}

/// The region of a heading: the block that it begins, or everything below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Region {
    /// The line of the heading.
    pub(super) heading: usize,
    /// The line of the outermost of the headings of the hunk; `heading` if there is only one.
    pub(super) outermost: usize,
    /// The last line at which a place may begin.
    pub(super) last: usize,
    /// Whether the heading begins a block.
    pub(super) opens: bool,
}

impl Region {
    /// Whether a place is in the region: it begins below the heading, at most at `last`, or contains the heading.
    pub(super) fn holds(&self, place: &Place) -> bool {
        let first = place.first();
        let holds_heading = first <= self.heading && self.heading < place.behind();
        holds_heading || first > self.heading && first <= self.last
    }
}

/// The bounds for the match of a hunk.
#[derive(Debug, Clone)]
pub(super) struct Bounds {
    /// The regions of the lines that the heading may mean; the place has to be in one of them. `None` without a
    /// heading.
    pub(super) regions: Option<Vec<Region>>,
    /// The first line at which a place may begin.
    pub(super) from: usize,
    /// If the place has to be at the end of the file: the last line that is not blank. The place may not end before it.
    pub(super) tail: Option<usize>,
}

impl Bounds {
    /// No bounds.
    pub(super) const NONE: Self = Self { regions: None, from: 0, tail: None };

    /// Limits a search to the lines where a match of this number of lines may be.
    pub(super) fn narrow<'a>(&self, hay: Haystack<'a>, lines: usize) -> Haystack<'a> {
        let Some(regions) = &self.regions else { return hay };
        let first = regions.iter().map(|region| region.heading).min().unwrap_or(0);
        let last = regions.iter().map(|region| region.last).max().unwrap_or(0);
        // A match may contain the heading, and it may end after the last line at which it may begin. It may also have
        // more blank lines than the search text.
        let margin = lines.saturating_mul(2) + SEARCH_MARGIN;
        hay.within(first.saturating_sub(margin)..last.saturating_add(margin))
    }

    /// Returns why a place is out of bounds, or `None` if it is within them.
    pub(super) fn objection(&self, place: &Place) -> Option<Objection> {
        if let Some(regions) = &self.regions
            && !regions.iter().any(|region| region.holds(place))
        {
            return Some(Objection::Heading(regions.first().map_or(0, |region| region.heading)));
        }
        if place.first() < self.from {
            return Some(Objection::Order);
        }
        self.tail.filter(|tail| place.behind() <= *tail).map(|_| Objection::EndOfFile)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_holds_places_with_its_heading_or_below_it() {
        let region = Region { heading: 3, outermost: 3, last: 7, opens: true };
        let with = |start: usize, end: usize| region.holds(&Place::lines(start, end));
        assert!(with(2, 5) && with(3, 4) && with(4, 5) && with(7, 9));
        assert!(!with(1, 3) && !with(8, 9));
    }
}
