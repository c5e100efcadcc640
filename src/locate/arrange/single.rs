//! A hunk whose place depends on no other hunk: the one place that its before-text has, or the one that is counted to.

use super::addition;
use crate::diag::{Code, Refusal, counted};
use crate::edit::{Anchor, Change, Hunk, Occurrence};
use crate::locate::Context;
use crate::locate::Repeat;
use crate::locate::alignment::Alignment;
use crate::locate::already_applied::{already_applied, result_between, stands_at};
use crate::locate::evidence::{self, HELP_CONTEXT};
use crate::locate::matches::{Matches, find};
use crate::locate::part;
use crate::locate::pointer::Pointers;
use crate::locate::query::Query;
use crate::locate::solution::{Mode, Part, Solution, same};
use crate::locate::splits::readings;
use crate::locate::thresholds::ALTERNATIVES;
use crate::locate::tier::{MatchMode, Tier};
use crate::locate::verbatim::verbatim;
use crate::pattern::{Pattern, Step};

use crate::text::Normalization;
use crate::text::search::{Haystack, Place, Point};

/// What one hunk comes to on a text.
pub(in crate::locate) fn arrange(
    context: &Context<'_>,
    hay: Haystack<'_>,
    hunks: &[Hunk],
    mode: Mode,
) -> Result<Vec<Part>, Vec<Refusal>> {
    let Some(hunk) = hunks.first() else { return Ok(Vec::new()) };
    let part = Single { context, hay, hunk, repeat: context.repeat(0) }.locate(mode);
    part.map(|part| vec![part]).map_err(|refusal| vec![*refusal])
}

struct Single<'a> {
    context: &'a Context<'a>,
    hay: Haystack<'a>,
    hunk: &'a Hunk,
    repeat: Repeat,
}

impl Single<'_> {
    fn locate(&self, mode: Mode) -> Result<Part, Box<Refusal>> {
        let readings = readings(self.context, self.hay, &self.hunk.change);
        let Some(shortest) = readings.last() else { return Err(evidence::too_much()) };
        if readings.iter().all(Pattern::changes_nothing) {
            return Ok(Part::Nothing);
        }
        if let Anchor::After(line) = self.hunk.anchor {
            return self.behind(shortest, line);
        }
        let all = self.hunk.anchor == Anchor::Occurrence(Occurrence::All);
        if all && !shortest.before.is_empty() {
            return self.everywhere(shortest, mode);
        }
        if let Some(pattern) = readings.iter().find(|pattern| pattern.before.is_empty())
            && (self.hay.content().is_empty() || readings.len() == 1)
        {
            return self.fill_empty(pattern);
        }
        let mut refused = None;
        for pattern in &readings {
            let query = self.query(pattern);
            let search = find(&query)?;
            let is_exact = search.as_ref().is_ok_and(|matches| matches.match_mode.tier == Tier::Exact);
            if self.hunk.anchor == Anchor::Unique
                // What the response has twice is counted as lines.
                && (self.repeat.total, self.repeat.elsewhere) == (1, 0)
                && !pattern.solid().is_empty()
                // A text that is a whole line in one place and a part of one in another has two matches.
                && let Some(part) = verbatim(&query, &self.hunk.change, false)?
                && !is_exact
            {
                return Ok(part);
            }
            match search {
                Ok(matches) => {
                    if let Some(part) = self.choose(&query, &matches)? {
                        return Ok(part);
                    }
                    break;
                }
                Err(objected) => refused = refused.or(objected.map(|objected| (pattern, objected))),
            }
        }
        // A place that is counted to is one of several.
        let counts = matches!(self.hunk.anchor, Anchor::Occurrence(Occurrence::Nth(n)) if n.get() > 1);
        if mode >= Mode::AlreadyApplied
            && !counts
            && let Some(part) = readings.iter().find_map(|pattern| already_applied(&self.query(pattern)))
        {
            return Ok(part);
        }
        // A text in doubt is not looked for loosely too, nor is one that is counted or repeated.
        let is_in_doubt = matches!(self.hunk.change, Change::Splits { .. });
        let loose = mode == Mode::Loose && !is_in_doubt && self.hunk.anchor == Anchor::Unique;
        match refused {
            Some((pattern, objected)) => self.query(pattern).otherwise(false, loose, Some(objected)),
            None => self.query(shortest).otherwise(false, loose, None),
        }
    }

    /// A text that is replaced wherever it matches.
    fn everywhere(&self, pattern: &Pattern<'_>, mode: Mode) -> Result<Part, Box<Refusal>> {
        let query = self.query(pattern);
        match verbatim(&query, &self.hunk.change, true)? {
            Some(part) => Ok(part),
            None => query.otherwise(mode >= Mode::AlreadyApplied, false, None),
        }
    }

    /// Lines that go behind the one that is counted to. Whether it is counted in the file or in what earlier edits left must
    /// come to the same.
    fn behind(&self, pattern: &Pattern<'_>, line: u32) -> Result<Part, Box<Refusal>> {
        let line = usize::try_from(line).unwrap_or(usize::MAX);
        let count = self.hay.line_count();
        if line > count {
            let message =
                format!("the edit inserts after line {line}, but the file has {}", counted(count, "line"));
            let refusal = Refusal::new(Code::OccurrenceRange, message);
            return Err(refusal.with_help(format!("give a line from 0 to {count}")));
        }
        let then = |line: usize| self.context.lineage.and_then(|lineage| lineage.of(line));
        // Behind the line above, and before the line below.
        let counted = [line.checked_sub(1).and_then(then).map(|above| above + 1), then(line)];
        if let Some(other) = counted.into_iter().flatten().find(|&other| other != line) {
            // Behind a line is in front of the next one.
            return Err(two_readings(self.hay, line.saturating_sub(1), other.saturating_sub(1)));
        }
        addition::behind(&self.query(pattern), line)
    }

    fn query<'p>(&'p self, pattern: &'p Pattern<'p>) -> Query<'p> {
        Query { context: self.context, hay: self.hay, pattern, pointers: &Pointers::NONE }
    }

    /// What the places of a before-text come to; none if the hunk was made at all of them.
    fn choose(&self, query: &Query<'_>, matches: &Matches) -> Result<Option<Part>, Box<Refusal>> {
        if let Anchor::Occurrence(occurrence) = self.hunk.anchor {
            return self.counted(query, matches, occurrence).map(Some);
        }
        let open = matches.open();
        let Some(first) = open.first() else {
            let first = matches.places.first().map(|(aligned, _)| aligned.place);
            return Ok(first.map(|place| query.made(place, matches.match_mode)));
        };
        let places = || open.iter().map(|aligned| aligned.place);
        // A place where the hunk was made is one that may have been meant.
        let made = matches.places.len() - open.len();
        if made > 0 && self.repeat.total != matches.places.len() {
            return Err(evidence::ambiguous(
                self.hay,
                matches.places.iter().map(|(aligned, _)| aligned.place),
            ));
        }
        if open.len() > 1 && !self.repeat.are_those(&places().collect::<Vec<_>>()) {
            return match self.one_outcome(query, &open)? {
                Some(solution) => Ok(Some(Part::Change(solution))),
                None => Err(evidence::ambiguous(self.hay, places())),
            };
        }
        query.is_strictest(matches.match_mode, &[first.place])?;
        query.solve(first).map(|solution| Some(Part::Change(solution)))
    }

    /// What the hunk changes, if it is the same wherever it is made.
    fn one_outcome(&self, query: &Query<'_>, open: &[&Alignment]) -> Result<Option<Solution>, Box<Refusal>> {
        // What keeps no line is made once more by a second run.
        let keeps = query.pattern.steps.iter().any(|step| matches!(step, Step::Keep(_)));
        if open.len() > ALTERNATIVES || self.repeat.total > 1 || !keeps {
            return Ok(None);
        }
        let mut solutions = Vec::with_capacity(open.len());
        for aligned in open {
            solutions.push(query.solve(aligned)?);
        }
        let changes: Vec<_> = solutions.iter().map(|solution| solution.changes.clone()).collect();
        let first = solutions.swap_remove(0);
        Ok(same(self.hay, &first.changes, &changes).then_some(first))
    }

    /// The place that is counted to. It is counted among all of them, or a second run would take another one; and where the
    /// file has the result before it, a first run may have been.
    fn counted(
        &self,
        query: &Query<'_>,
        matches: &Matches,
        occurrence: Occurrence,
    ) -> Result<Part, Box<Refusal>> {
        let places: Vec<Place> = matches.places.iter().map(|(aligned, _)| aligned.place).collect();
        let Some(index) = nth(occurrence, places.len()) else {
            let Occurrence::Nth(asked) = occurrence else {
                return Err(evidence::ambiguous(self.hay, places));
            };
            return Err(evidence::out_of_range(self.hay, asked.get(), &places));
        };
        let (aligned, made) = &matches.places[index];
        // Whoever counts may count the looser ones, too, or all that reads so.
        let all = match query.pattern.before.as_slice() {
            [text] if part::may_be(query.pattern) => self.hay.parts(text),
            _ => query.loosely(),
        };
        if let Some(other) = nth(occurrence, all.len()).and_then(|index| all.get(index))
            && !other.overlaps(&aligned.place)
        {
            return Err(evidence::two_places(self.hay, other.first(), aligned.place.first()));
        }
        if *made {
            return Ok(query.made(aligned.place, matches.match_mode));
        }
        let (start, end) = (aligned.place.start, Point { line: self.hay.line_count(), column: 0 });
        let on_the_way = match occurrence {
            Occurrence::Last => [start, end],
            _ => [Point { line: 0, column: 0 }, start],
        };
        if let Some(result) = result_between(query, on_the_way, &aligned.place) {
            let refusal = evidence::applied_elsewhere(self.hay, &aligned.place, &result);
            return Err(Box::new(Refusal { is_last: true, ..*refusal }));
        }
        if let Some(line) = self.counted_otherwise(&aligned.place, occurrence) {
            return Err(two_readings(self.hay, aligned.place.first(), line));
        }
        query.solve(aligned).map(Part::Change)
    }

    /// The line of another place that is counted to as well, if it is counted in the text before the response: a model may
    /// count in what it was shown, or in what the edits before have left.
    fn counted_otherwise(&self, place: &Place, occurrence: Occurrence) -> Option<usize> {
        let lineage = self.context.lineage.filter(|_| self.repeat.total == 1)?;
        let original = Haystack::new(self.context.original?, self.hay.budget());
        let context = Context { lineage: None, ..*self.context };
        let readings = Pattern::readings(&self.hunk.change);
        let matches = readings.iter().find_map(|pattern| {
            find(&Query { context: &context, hay: original, ..self.query(pattern) }).ok()?.ok()
        })?;
        let other = matches.places.get(nth(occurrence, matches.places.len())?)?.0.place;
        match lineage.of(other.first()) {
            Some(line) if (line, other.start.column) == (place.first(), place.start.column) => None,
            // An edit before may have been made there.
            line => Some(line.unwrap_or(other.first())),
        }
    }

    /// A hunk without a before-text: it fits an empty file only.
    fn fill_empty(&self, pattern: &Pattern<'_>) -> Result<Part, Box<Refusal>> {
        let hay = self.hay;
        let after = pattern.after();
        if hay.content().is_empty() {
            return addition::behind(&self.query(pattern), 0);
        }
        if after.len() == hay.line_count() && stands_at(hay, 0, &after, Normalization::Text) {
            return Ok(self.query(pattern).made(Place::lines(0, hay.line_count()), MatchMode::EXACT));
        }
        let lines = counted(hay.line_count(), "line");
        let message = format!("the search text is empty, but the file has {lines}");
        Err(Refusal::new(Code::AlreadyExists, message).with_help(HELP_CONTEXT))
    }
}

fn nth(occurrence: Occurrence, count: usize) -> Option<usize> {
    match occurrence {
        Occurrence::First => (count > 0).then_some(0),
        Occurrence::Last => count.checked_sub(1),
        Occurrence::All => None,
        Occurrence::Nth(n) => usize::try_from(n.get()).ok().map(|n| n - 1).filter(|&index| index < count),
    }
}

/// The refusal of a count that means one line of the file as it is, and another one of the file as it was.
fn two_readings(hay: Haystack<'_>, one: usize, other: usize) -> Box<Refusal> {
    Box::new(Refusal { is_last: true, ..*evidence::two_places(hay, one, other) })
}
