//! Where the next chunk of a Codex patch is searched: after the chunk before, and after its `@@` lines.

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

/// Where the next chunk is searched.
#[derive(Debug, Default)]
pub(super) struct Cursor {
    /// The line after the last one that the previous chunk changed.
    changed: usize,
    /// The heading or the first line of the previous chunk: the next heading is searched from there on, because several
    /// chunks of one block may name it.
    above: usize,
    /// The places of all chunks so far.
    taken: Vec<Place>,
    /// The first line of the last chunk that is already applied, or changes nothing. A place above it is not meant, though
    /// it is the only one.
    least: usize,
}

impl Cursor {
    /// Moves after a chunk, and the last line that it changed. A chunk that is out of order, or only adds lines at the
    /// end of the file, does not say where the next one is.
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
            self.least = place.first();
        }
        let changed = match placement {
            Placement::Change(solution) => solution.changes.iter().map(|change| change.end).max(),
            _ => None,
        };
        let region = bounds.regions.iter().flatten().find(|region| region.holds(&place));
        self.changed = changed.unwrap_or(place.behind());
        self.above = region.map_or(place.first(), |region| region.outermost.min(place.first()));
    }

    /// Moves to the only place of a chunk that changes nothing, and only says where the next one is.
    pub(super) fn skip_to(&mut self, hay: Haystack<'_>, hunk: &Hunk, pattern: &Pattern<'_>) {
        if !matches!(hunk.anchor, Anchor::Seek { .. }) || !pattern.changes_nothing() {
            return;
        }
        let places = hay.whole_lines(&pattern.before, Normalization::Trailing);
        let mut ahead = places.iter().filter(|place| place.first() >= self.changed);
        if let (Some(place), None) = (ahead.next(), ahead.next()) {
            (self.changed, self.above, self.least) = (place.first(), place.first(), place.first());
        }
    }

    /// Whether a place may be that of a chunk out of order: it is of no chunk so far. If a chunk below is already applied,
    /// the one there may be, too, and may mean another place.
    pub(super) fn leaves(&self, place: &Place) -> bool {
        place.first() >= self.least && !self.taken.iter().any(|taken| taken.overlaps(place))
    }

    /// The bounds of the next chunk, by the texts of its `@@` lines, outermost first, and by whether `*** End of File` ends
    /// it.
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
                [] => vec![(self.above..end, None)],
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

/// The regions of the lines of a range that a heading may mean, each at most up to the next one.
fn regions_of(headings: &Headings<'_>, text: &str, within: Range<usize>) -> Vec<Region> {
    let lines = headings.lines(text, within.start, within.end);
    let next = lines.iter().skip(1).map(|line| line.saturating_sub(1)).chain([within.end]);
    let region = |(line, next): (&usize, usize)| {
        let region = headings.region(*line);
        Region { last: region.last.min(next), ..region }
    };
    lines.iter().zip(next).map(region).collect()
}
