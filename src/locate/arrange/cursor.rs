//! Where to search the next chunk of a Codex patch: below the previous chunk, and below its own `@@` lines.

use super::series::State;
use crate::diag::Refusal;
use crate::edit::{Anchor, Hunk};
use crate::locate::bounds::{Bounds, Region};
use crate::locate::evidence;
use crate::locate::heading::Headings;
use crate::locate::query::Query;
use crate::locate::solution::Placement;
use crate::pattern::Pattern;
use crate::text::Normalization;
use crate::text::search::{Haystack, Place};
use std::ops::Range;

/// Where to search the next chunk.
#[derive(Debug, Default)]
pub(super) struct Cursor {
    /// The line after the last one that the previous chunk changed. The next chunk is searched from there on.
    changed: usize,
    /// The heading or the first line of the previous chunk. The next heading is searched from there on, because several
    /// chunks of one block may name the same heading.
    heading_from: usize,
    /// The places of all chunks so far.
    taken: Vec<Place>,
    /// The first line of the last chunk that is already applied or changes nothing. A match above it is not taken, even
    /// if it is the only one.
    first_allowed: usize,
}

impl Cursor {
    /// Moves below a chunk that has a placement. A chunk that is out of order, or that only adds lines at the end of
    /// the file, does not move the cursor.
    pub(super) fn pass(&mut self, query: &Query<'_>, state: &State) {
        let State::Done(placement) = state else { return };
        let Some(place) = placement.place() else { return };
        self.taken.push(place);
        let Query { pattern, bounds, .. } = query;
        let is_at_end = pattern.before.is_empty() && (bounds.regions.is_none() || bounds.tail.is_some());
        if is_at_end || bounds.regions.is_none() && place.first() < bounds.from {
            return;
        }
        if let Placement::AlreadyApplied(_) = placement {
            self.first_allowed = place.first();
        }
        let changed = match placement {
            Placement::Change(solution) => solution.changes.iter().map(|change| change.end).max(),
            _ => None,
        };
        let region = bounds.regions.iter().flatten().find(|region| region.holds(&place));
        self.changed = changed.unwrap_or(place.behind());
        self.heading_from = region.map_or(place.first(), |region| region.outermost.min(place.first()));
    }

    /// Moves to the only match of a chunk that changes nothing. Models write such chunks to say where the next one is.
    pub(super) fn skip_to(&mut self, hay: Haystack<'_>, hunk: &Hunk, pattern: &Pattern<'_>) {
        if !matches!(hunk.anchor, Anchor::Seek { .. }) || !pattern.changes_nothing() {
            return;
        }
        let places = hay.whole_lines(&pattern.before, Normalization::Trailing);
        let mut ahead = places.iter().filter(|place| place.first() >= self.changed);
        if let (Some(place), None) = (ahead.next(), ahead.next()) {
            (self.changed, self.heading_from, self.first_allowed) =
                (place.first(), place.first(), place.first());
        }
    }

    /// Whether a chunk that is out of order may take a place: no other chunk has it. But if a chunk below the place is
    /// already applied, this chunk may be applied, too, and the place is not meant.
    pub(super) fn is_free(&self, place: &Place) -> bool {
        place.first() >= self.first_allowed && !self.taken.iter().any(|taken| taken.overlaps(place))
    }

    /// Returns the bounds of the next chunk. `texts` are those of its `@@` lines, the outermost first; `is_at_end` says
    /// whether `*** End of File` follows it.
    pub(super) fn bounds(
        &self,
        hay: Haystack<'_>,
        headings: &Headings<'_>,
        texts: &[String],
        is_at_end: bool,
    ) -> Result<Bounds, Box<Refusal>> {
        let end = hay.line_count();
        let mut regions: Vec<Region> = Vec::new();
        for text in texts.iter().filter(|text| !text.trim().is_empty()) {
            let inside =
                |outer: &Region| (outer.heading + 1..(outer.last + 1).min(end), Some(outer.outermost));
            let outer = match regions.as_slice() {
                [] => vec![(self.heading_from..end, None)],
                outer => outer.iter().map(inside).collect(),
            };
            let from = outer.first().map_or(0, |(lines, _)| lines.start);
            let inner = outer.into_iter().flat_map(|(lines, outermost)| {
                regions_of(headings, text, lines).into_iter().map(move |region| match outermost {
                    Some(outermost) => Region { outermost, ..region },
                    None => region,
                })
            });
            regions = inner.collect();
            if regions.is_empty() {
                return Err(evidence::no_heading(text, from));
            }
        }
        let last = || (0..end).rev().find(|line| !hay.is_blank(*line)).unwrap_or(0);
        Ok(Bounds {
            regions: Some(regions).filter(|regions| !regions.is_empty()),
            from: self.changed,
            tail: is_at_end.then(last),
        })
    }
}

/// The regions of the lines in a range that a heading may mean. Each ends before the next of these lines.
fn regions_of(headings: &Headings<'_>, text: &str, within: Range<usize>) -> Vec<Region> {
    let lines = headings.lines(text, within.start, within.end);
    let next = lines.iter().skip(1).map(|line| line.saturating_sub(1)).chain([within.end]);
    let region = |(line, next): (&usize, usize)| {
        let region = headings.region(*line);
        Region { last: region.last.min(next), ..region }
    };
    lines.iter().zip(next).map(region).collect()
}
