//! The chunks of a Codex patch: located on one text, each after the one before and after its `@@` lines.

use super::addition;
use super::equal::{Equal, equals};
use crate::diag::Refusal;
use crate::edit::{Anchor, Hunk};
use crate::locate::Context;
use crate::locate::alignment::Alignment;
use crate::locate::already_applied::result_between;
use crate::locate::evidence;
use crate::locate::matches::{Matches, find};
use crate::locate::pointer::{Blocks, Objection, Pointers, Region};
use crate::locate::query::Query;
use crate::locate::solution::{Mode, Part};
use crate::pattern::Pattern;
use crate::text::Normalization;
use crate::text::search::{Haystack, Place, Point};

/// How far the chunks so far have come.
#[derive(Debug, Default)]
struct Cursor {
    /// Behind the last line that the last chunk changed.
    changed: usize,
    /// Its heading, or the first line of its place: from there on the next heading is looked for, since chunks of one block
    /// may name it each.
    above: usize,
    /// Where they are.
    taken: Vec<Place>,
}

impl Cursor {
    /// Goes behind a chunk, and the last line that it changed.
    fn go_behind(&mut self, pointers: &Pointers, part: &Part) {
        let Some(place) = part.place() else { return };
        let changed = match part {
            Part::Change(solution) => solution.changes.iter().map(|change| change.end).max(),
            _ => None,
        };
        let holding = pointers.regions.iter().flatten().find(|region| region.holds(&place));
        let above = holding.map_or(place.first(), |region| region.outermost.min(place.first()));
        self.go_to(changed.unwrap_or(place.behind()), above);
    }

    fn go_to(&mut self, changed: usize, above: usize) {
        (self.changed, self.above) = (changed, above);
    }
}

/// Finds for every chunk what it comes to, or says of each that has no place why.
pub(in crate::locate) fn arrange(
    context: &Context<'_>,
    hay: Haystack<'_>,
    hunks: &[Hunk],
    mode: Mode,
) -> Result<Vec<Part>, Vec<Refusal>> {
    let blocks = Blocks::new(hay, context);
    let mut cursor = Cursor::default();
    let chunk = |(index, (hunk, equal)): (usize, (&Hunk, Equal))| {
        if equal.is_again {
            return Ok(Part::Nothing);
        }
        let pattern = Pattern::readings(&hunk.change).pop().ok_or_else(evidence::too_much)?;
        let (headings, at_end): (&[String], bool) = match &hunk.anchor {
            Anchor::Seek { context, end_of_file } => (context, *end_of_file),
            _ => (&[], false),
        };
        let headings: Vec<&str> =
            headings.iter().map(String::as_str).filter(|text| !text.trim().is_empty()).collect();
        let followed = context.followed || index + 1 < hunks.len();
        let query = Query { context, hay, pattern: &pattern, pointers: &Pointers::NONE };
        let chunk = Chunk { query, blocks: &blocks, context: &headings, at_end, followed, mode };
        // Equal edits are counted as equal chunks in a row are.
        let edits = if hunks.len() == 1 { context.repeat(0).left() } else { equal.in_row };
        let part = chunk.locate(&mut cursor, edits)?;
        cursor.taken.extend(part.place());
        Ok(part)
    };
    evidence::each(hunks.iter().zip(equals(hay, hunks)).enumerate().map(chunk))
}

/// One chunk and where it is looked for.
struct Chunk<'a> {
    query: Query<'a>,
    blocks: &'a Blocks<'a>,
    /// The texts of its `@@` lines.
    context: &'a [&'a str],
    /// `*** End of File` ties it to the end.
    at_end: bool,
    /// Whether other hunks for the file follow.
    followed: bool,
    mode: Mode,
}

impl Chunk<'_> {
    /// What it comes to; `equal` chunks of its kind are left in a row, this one included.
    fn locate(&self, cursor: &mut Cursor, equal: usize) -> Result<Part, Box<Refusal>> {
        let pattern = self.query.pattern;
        if pattern.changes_nothing() {
            self.pass(cursor);
            return Ok(Part::Nothing);
        }
        let regions = if self.context.is_empty() { None } else { Some(self.regions(cursor)?) };
        if pattern.before.is_empty() {
            return match regions.as_deref() {
                Some([region]) if !self.at_end => {
                    cursor.go_to(region.heading + 1, region.heading);
                    addition::below(&self.query, region.heading)
                }
                Some(regions) if !self.at_end => Err(evidence::ambiguous_heading(self.query.hay, regions)),
                // It says nothing of where the next one is.
                _ => addition::at_end(&self.query, self.followed),
            };
        }
        let tail = self.at_end.then(|| self.tail());
        let pointers = Pointers { regions, from: cursor.changed, tail };
        let query = Query { pointers: &pointers, ..self.query };
        let meant = match find(&query)? {
            Ok(matches) => self.choose(&matches, &pointers, equal)?.ok_or(None),
            Err(refused) => Err(refused),
        };
        let part = match meant {
            Ok(aligned) => {
                query.is_strictest(aligned.match_mode, &[aligned.place])?;
                Part::Change(query.solve(&aligned)?)
            }
            Err(refused) => {
                // Where forward order alone says where, the lines that the text is most like may be those that were meant.
                let is_behind = matches!(refused, Some((_, Objection::Order)));
                if let Some(part) = self.out_of_order(&cursor.taken).filter(|_| is_behind).transpose()? {
                    return Ok(part);
                }
                let may_be_applied =
                    self.mode >= Mode::AlreadyApplied || pointers.regions.is_some() && !is_behind;
                query.otherwise(may_be_applied, self.mode == Mode::Loose && !is_behind, refused)?
            }
        };
        cursor.go_behind(&pointers, &part);
        Ok(part)
    }

    /// Goes to the only place of lines that only say where the search goes on.
    fn pass(&self, cursor: &mut Cursor) {
        let lines = self.query.pattern.after();
        let places = self.query.hay.whole_lines(&lines, Normalization::Trailing);
        let mut ahead = places.iter().filter(|place| place.first() >= cursor.changed);
        if let (Some(place), None) = (ahead.next(), ahead.next()) {
            cursor.go_to(place.first(), place.first());
        }
    }

    /// What a chunk comes to whose only place in the file is before that of the last one, and is no other chunk's. The search
    /// for the next one goes on where it was.
    fn out_of_order(&self, taken: &[Place]) -> Option<Result<Part, Box<Refusal>>> {
        if !self.context.is_empty() || self.at_end {
            return None;
        }
        let query = Query { pointers: &Pointers::NONE, ..self.query };
        let Ok(Ok(matches)) = find(&query) else { return None };
        let [(aligned, false)] = matches.places.as_slice() else { return None };
        let is_free = !taken.iter().any(|place| place.overlaps(&aligned.place));
        // Nor may it be anywhere else in a looser reading.
        (is_free && query.loosely().len() == 1).then(|| Ok(Part::Change(query.solve(aligned)?)))
    }

    /// The one of the places that is meant; none if the chunk was made at all of them.
    fn choose(
        &self,
        matches: &Matches,
        pointers: &Pointers,
        equal: usize,
    ) -> Result<Option<Alignment>, Box<Refusal>> {
        let open = matches.open();
        let regions = pointers.regions.as_deref().unwrap_or(&[]);
        let Some(first) = open.first() else { return Ok(None) };
        // A place where the chunk is applied is one that may have been meant.
        if matches.made().next().is_some() {
            let places = matches.places.iter().map(|(aligned, _)| aligned.place);
            return Err(evidence::ambiguous(self.query.hay, places));
        }
        let places: Vec<Place> = open.iter().map(|aligned| aligned.place).collect();
        // Equal chunks for as many places are those places in order.
        let in_order = open.len() == equal && Place::are_apart(&places);
        // A heading that opens no block says after which line, and forward order decides.
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

    /// What the `@@` lines name, one after the other: each from its line to the next line that is the same.
    fn regions(&self, cursor: &Cursor) -> Result<Vec<Region>, Box<Refusal>> {
        let end = self.query.hay.line_count();
        let Some((first, rest)) = self.context.split_first() else { return Ok(Vec::new()) };
        let lines = self.blocks.headings(first, cursor.above, end);
        if lines.is_empty() {
            return Err(evidence::no_heading(first, cursor.above));
        }
        let mut regions = self.up_to_the_next(&lines, end);
        for text in rest {
            let mut narrower = Vec::new();
            for region in &regions {
                let behind = (region.last + 1).min(end);
                let inner = self.blocks.headings(text, region.heading + 1, behind);
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

    /// What headings name, each no farther than to the next one.
    fn up_to_the_next(&self, lines: &[usize], end: usize) -> Vec<Region> {
        let next = lines.iter().copied().skip(1).map(|line| line.saturating_sub(1)).chain([end]);
        let region = |(&line, next): (&usize, usize)| {
            let region = self.blocks.region(line);
            Region { last: region.last.min(next), ..region }
        };
        lines.iter().zip(next).map(region).collect()
    }

    /// The last line that is not blank.
    fn tail(&self) -> usize {
        (0..self.query.hay.line_count()).rev().find(|&line| !self.query.hay.is_blank(line)).unwrap_or(0)
    }
}
