//! A hunk, and where its search text may match.

use super::Context;
use super::bounds::Bounds;
use super::tier::LOOSEST;
use crate::pattern::Pattern;
use crate::text::search::{Haystack, Place};

/// A hunk as a pattern, the text to search, and the bounds of its match.
#[derive(Clone, Copy)]
pub(super) struct Query<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) hay: Haystack<'a>,
    pub(super) pattern: &'a Pattern<'a>,
    pub(super) bounds: &'a Bounds,
}

impl<'a> Query<'a> {
    /// A pattern without bounds.
    pub(super) fn anywhere(context: &'a Context<'a>, hay: Haystack<'a>, pattern: &'a Pattern<'a>) -> Self {
        Self { context, hay, pattern, bounds: &Bounds::NONE }
    }

    /// Another pattern with the same bounds.
    pub(super) fn with(self, pattern: &'a Pattern<'a>) -> Self {
        Self { pattern, ..self }
    }

    /// The same query, limited to the lines where a match may be.
    pub(super) fn narrowed(self) -> Self {
        Self { hay: self.bounds.narrow(self.hay, self.pattern.before.len()), ..self }
    }

    /// Whether a place is within the bounds.
    pub(super) fn admits(&self, place: &Place) -> bool {
        self.bounds.objection(place).is_none()
    }

    /// The matches of the search text at tiers 1 to 6, also those out of bounds. Blank lines at their edges are left
    /// out.
    pub(super) fn loose_matches(&self) -> Vec<Place> {
        self.hay.skipping_blanks(&self.pattern.solid(), LOOSEST)
    }

    /// The loose match that begins at a line, or after blank lines there, if it is within the bounds.
    pub(super) fn loose_match_at(&self, line: usize) -> Option<Place> {
        let nearby = line..line.saturating_add(2 * self.pattern.before.len() + 1);
        let places = Self { hay: self.hay.within(nearby), ..*self }.loose_matches();
        let begins = |place: &Place| (line..place.first()).all(|above| self.hay.is_blank(above));
        places.into_iter().find(|place| begins(place) && self.admits(place))
    }
}
