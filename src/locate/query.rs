//! A hunk and where to search for it.

use super::Context;
use super::pointer::Pointers;
use crate::pattern::Pattern;
use crate::text::search::{Haystack, Place};

/// A search text, the text to search, and what says where.
#[derive(Clone, Copy)]
pub(super) struct Query<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) hay: Haystack<'a>,
    pub(super) pattern: &'a Pattern<'a>,
    pub(super) pointers: &'a Pointers,
}

impl<'a> Query<'a> {
    /// Other lines, looked for in the same place.
    pub(super) fn with(self, pattern: &'a Pattern<'a>) -> Self {
        Self { pattern, ..self }
    }

    /// The same in the part of the text in which a place with that number of lines may be.
    pub(super) fn narrowed(self, lines: usize) -> Self {
        Self { hay: self.pointers.narrow(self.hay, lines), ..self }
    }

    /// Whether nothing that says where speaks against a place.
    pub(super) fn admits(&self, place: &Place) -> bool {
        self.pointers.against(place).is_none()
    }
}
