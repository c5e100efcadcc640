//! The chunks of a Codex patch, each located after the one before and after its `@@` lines.

use super::addition;
use super::equal::{Equal, equals};
use crate::diag::Refusal;
use crate::edit::{Anchor, Hunk};
use crate::locate::Context;
use crate::locate::alignment::Alignment;
use crate::locate::already_applied::result_between;
use crate::locate::bounds::{Bounds, Objection, Region};
use crate::locate::evidence;
use crate::locate::heading::Headings;
use crate::locate::matches::{Matches, find};
use crate::locate::query::Query;
use crate::locate::solution::{Placement, Stage};
use crate::pattern::Pattern;
use crate::text::Normalization;
use crate::text::search::{Haystack, Place, Point};

/// Where the next chunk is searched.
#[derive(Debug, Default)]
struct Cursor {
    /// The line after the last one that the previous chunk changed.
    changed: usize,
    /// The heading or the first line of the previous chunk: the next heading is searched from there on, because several
    /// chunks of one block may name it.
    above: usize,
    /// The places of all chunks so far.
    taken: Vec<Place>,
    /// The first line of the last of them that is already applied.
    applied: usize,
}

impl Cursor {
    /// Moves after a chunk, and the last line that it changed.
    fn pass(&mut self, bounds: &Bounds, placement: &Placement) {
        let Some(place) = placement.place() else { return };
        if let Placement::AlreadyApplied(_) = placement {
            self.applied = place.first();
        }
        let changed = match placement {
            Placement::Change(solution) => solution.changes.iter().map(|change| change.end).max(),
            _ => None,
        };
        let region = bounds.regions.iter().flatten().find(|region| region.holds(&place));
        let above = region.map_or(place.first(), |region| region.outermost.min(place.first()));
        self.move_to(changed.unwrap_or(place.behind()), above);
    }

    fn move_to(&mut self, changed: usize, above: usize) {
        (self.changed, self.above) = (changed, above);
    }
}

/// The placement of each chunk, or the refusals of those without one.
pub(in crate::locate) fn arrange(
    context: &Context<'_>,
    hay: Haystack<'_>,
    hunks: &[Hunk],
    stage: Stage,
) -> Result<Vec<Placement>, Vec<Refusal>> {
    let all_headings = Headings::new(hay, context);
    let mut cursor = Cursor::default();
    let chunk = |(index, (hunk, equal)): (usize, (&Hunk, Equal))| {
        if equal.is_duplicate {
            return Ok(Placement::NoChange);
        }
        let pattern = Pattern::readings(&hunk.change).pop().ok_or_else(evidence::too_costly)?;
        let (headings, at_end): (&[String], bool) = match &hunk.anchor {
            Anchor::Seek { context, end_of_file } => (context, *end_of_file),
            _ => (&[], false),
        };
        let headings: Vec<&str> =
            headings.iter().map(String::as_str).filter(|text| !text.trim().is_empty()).collect();
        let followed = context.followed || index + 1 < hunks.len();
        let query = Query { context, hay, pattern: &pattern, bounds: &Bounds::NONE };
        let chunk = Chunk { query, headings: &all_headings, context: &headings, at_end, followed, stage };
        // Equal edits are counted like equal chunks in a row.
        let edits = if hunks.len() == 1 { context.repeat(0).left() } else { equal.in_row };
        let placement = chunk.locate(&mut cursor, edits)?;
        cursor.taken.extend(placement.place());
        Ok(placement)
    };
    evidence::each(hunks.iter().zip(equals(hay, hunks)).enumerate().map(chunk))
}

/// A chunk, and how it is located.
struct Chunk<'a> {
    query: Query<'a>,
    headings: &'a Headings<'a>,
    /// The texts of its `@@` lines.
    context: &'a [&'a str],
    /// Whether `*** End of File` binds it to the end.
    at_end: bool,
    /// Whether other hunks for the file follow.
    followed: bool,
    stage: Stage,
}

impl Chunk<'_> {
    /// The placement of the chunk; `equal` such chunks are left in a row, this one included.
    fn locate(&self, cursor: &mut Cursor, equal: usize) -> Result<Placement, Box<Refusal>> {
        let pattern = self.query.pattern;
        if pattern.changes_nothing() {
            self.skip_to(cursor);
            return Ok(Placement::NoChange);
        }
        let regions = if self.context.is_empty() { None } else { Some(self.regions(cursor)?) };
        if pattern.before.is_empty() {
            return match regions.as_deref() {
                Some([region]) if !self.at_end => {
                    cursor.move_to(region.heading + 1, region.heading);
                    addition::below(&self.query, region.heading)
                }
                Some(regions) if !self.at_end => Err(evidence::ambiguous_heading(self.query.hay, regions)),
                // It does not say where the next one is.
                _ => addition::at_end(&self.query, self.followed),
            };
        }
        let tail = self.at_end.then(|| self.tail());
        let bounds = Bounds { regions, from: cursor.changed, tail };
        let query = Query { bounds: &bounds, ..self.query };
        let meant = match find(&query)? {
            Ok(matches) => self.choose(&matches, &bounds, equal)?.ok_or_else(|| matches.applied()),
            Err(refused) => Err(refused),
        };
        let placement = match meant {
            Ok(aligned) => {
                query.check_strictest(aligned.match_mode, &[aligned.place])?;
                Placement::Change(query.solve(&aligned)?)
            }
            Err(refused) => {
                // With order alone, the lines that match best may be the ones that are meant, so no looser match is
                // taken.
                let is_before = matches!(refused, Some((_, Objection::Order)));
                if let Some(placement) = self.out_of_order(cursor).filter(|_| is_before).transpose()? {
                    return Ok(placement);
                }
                let may_be_applied =
                    self.stage >= Stage::AlreadyApplied || bounds.regions.is_some() && !is_before;
                query.fallback(may_be_applied, self.stage == Stage::Loose && !is_before, refused)?
            }
        };
        cursor.pass(&bounds, &placement);
        Ok(placement)
    }

    /// Moves to the only place of a chunk that changes nothing, and only says where the next one is.
    fn skip_to(&self, cursor: &mut Cursor) {
        let lines = self.query.pattern.after();
        let places = self.query.hay.whole_lines(&lines, Normalization::Trailing);
        let mut ahead = places.iter().filter(|place| place.first() >= cursor.changed);
        if let (Some(place), None) = (ahead.next(), ahead.next()) {
            cursor.move_to(place.first(), place.first());
        }
    }

    /// The placement of a chunk whose only place is before that of the previous one, and is not that of another chunk.
    /// The next chunk is searched where it was. If a chunk below is already applied, this one may be, too, and may mean
    /// another place.
    fn out_of_order(&self, cursor: &Cursor) -> Option<Result<Placement, Box<Refusal>>> {
        if !self.context.is_empty() || self.at_end {
            return None;
        }
        let query = Query { bounds: &Bounds::NONE, ..self.query };
        let Ok(Ok(matches)) = find(&query) else { return None };
        let [(aligned, false)] = matches.places.as_slice() else { return None };
        let is_free = aligned.place.first() >= cursor.applied
            && !cursor.taken.iter().any(|place| place.overlaps(&aligned.place));
        // It may have no other place in a looser mode.
        (is_free && query.loose_matches().len() == 1).then(|| Ok(Placement::Change(query.solve(aligned)?)))
    }

    /// The match that is meant; `None` if the chunk is applied at all of them.
    fn choose(
        &self,
        matches: &Matches,
        bounds: &Bounds,
        equal: usize,
    ) -> Result<Option<Alignment>, Box<Refusal>> {
        let open = matches.open();
        let regions = bounds.regions.as_deref().unwrap_or(&[]);
        let Some(first) = open.first() else { return Ok(None) };
        // A match where the chunk is already applied may be meant, too.
        if open.len() < matches.places.len() {
            return Err(evidence::ambiguous(self.query.hay, matches.all()));
        }
        let places = matches.all();
        // As many equal chunks as places are those places in order.
        let in_order = open.len() == equal && Place::are_apart(&places);
        // A heading that begins no block only says after which line, and order decides.
        let follows = || {
            let mut meant = regions.iter().filter(|region| places.iter().any(|place| region.holds(place)));
            match (meant.next(), meant.next()) {
                (Some(region), None) => {
                    let from = Point { line: region.heading, column: 0 };
                    let points = [from, first.place.start];
                    !region.opens && result_between(&self.query, points, &first.place).is_none()
                }
                _ => false,
            }
        };
        if open.len() == 1 || in_order || follows() {
            return Ok(Some((*first).clone()));
        }
        Err(evidence::ambiguous(self.query.hay, places))
    }

    /// The regions that the `@@` lines name, from outer to inner: each from a heading to the next line that is equal to
    /// it.
    fn regions(&self, cursor: &Cursor) -> Result<Vec<Region>, Box<Refusal>> {
        let end = self.query.hay.line_count();
        let Some((first, rest)) = self.context.split_first() else { return Ok(Vec::new()) };
        let lines = self.headings.lines(first, cursor.above, end);
        if lines.is_empty() {
            return Err(evidence::no_heading(first, cursor.above));
        }
        let mut regions = self.up_to_the_next(&lines, end);
        for text in rest {
            let mut narrower = Vec::new();
            for region in &regions {
                let behind = (region.last + 1).min(end);
                let inner = self.headings.lines(text, region.heading + 1, behind);
                let inner = self.up_to_the_next(&inner, behind);
                narrower
                    .extend(inner.into_iter().map(|inner| Region { outermost: region.outermost, ..inner }));
            }
            if narrower.is_empty() {
                return Err(evidence::no_heading(text, regions[0].heading + 1));
            }
            regions = narrower;
        }
        Ok(regions)
    }

    /// The regions of headings, each at most up to the next one.
    fn up_to_the_next(&self, lines: &[usize], end: usize) -> Vec<Region> {
        let next = lines.iter().copied().skip(1).map(|line| line.saturating_sub(1)).chain([end]);
        let region = |(&line, next): (&usize, usize)| {
            let region = self.headings.region(line);
            Region { last: region.last.min(next), ..region }
        };
        lines.iter().zip(next).map(region).collect()
    }

    /// The last line that is not blank.
    fn tail(&self) -> usize {
        (0..self.query.hay.line_count()).rev().find(|&line| !self.query.hay.is_blank(line)).unwrap_or(0)
    }
}
