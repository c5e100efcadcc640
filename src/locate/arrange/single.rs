//! A hunk that is located independently: at the only match of its search text, or the one that it counts to.

use super::addition;
use crate::diag::{Code, Refusal, counted};
use crate::edit::{Anchor, Change, Hunk, Occurrence};
use crate::locate::Context;
use crate::locate::Repeat;
use crate::locate::alignment::Alignment;
use crate::locate::already_applied::{already_applied, matches_at, result_between};
use crate::locate::bounds::Bounds;
use crate::locate::evidence::{self, HELP_CONTEXT};
use crate::locate::matches::{Matches, Search, find};
use crate::locate::part;
use crate::locate::query::Query;
use crate::locate::solution::{Placement, Solution, Stage, same};
use crate::locate::splits::readings;
use crate::locate::thresholds::ALTERNATIVES;
use crate::locate::tier::{MatchMode, Scope};
use crate::locate::verbatim::verbatim;
use crate::pattern::{Pattern, Step};
use crate::text::Normalization;
use crate::text::search::{Haystack, Place, Point};

/// The placement of one hunk in a text.
pub(in crate::locate) fn arrange(
    context: &Context<'_>,
    hay: Haystack<'_>,
    hunks: &[Hunk],
    stage: Stage,
) -> Result<Vec<Placement>, Vec<Refusal>> {
    let Some(hunk) = hunks.first() else { return Ok(Vec::new()) };
    let placement = Single { context, hay, hunk, repeat: context.repeat(0) }.locate(stage);
    placement.map(|placement| vec![placement]).map_err(|refusal| vec![*refusal])
}

struct Single<'a> {
    context: &'a Context<'a>,
    hay: Haystack<'a>,
    hunk: &'a Hunk,
    repeat: Repeat,
}

impl Single<'_> {
    fn locate(&self, stage: Stage) -> Result<Placement, Box<Refusal>> {
        let (readings, _) = readings(self.context, self.hay, &self.hunk.change);
        let Some(shortest) = readings.last() else { return Err(evidence::too_costly()) };
        if readings.iter().all(Pattern::changes_nothing) {
            return Ok(Placement::NoChange);
        }
        if let Anchor::After(line) = self.hunk.anchor {
            return self.after_line(shortest, line);
        }
        let all = self.hunk.anchor == Anchor::Occurrence(Occurrence::All);
        if all && !shortest.before.is_empty() {
            return self.everywhere(shortest, stage);
        }
        if let Some(pattern) = readings.iter().find(|pattern| pattern.before.is_empty())
            && (self.hay.content().is_empty() || readings.len() == 1)
        {
            return self.fill_empty(pattern);
        }
        let mut refused = None;
        for pattern in &readings {
            let query = self.query(pattern);
            let search = find(&query);
            let whole_lines = MatchMode { scope: Scope::Whole, ..MatchMode::EXACT };
            let are_lines =
                |found: &Search| found.as_ref().is_ok_and(|found| found.match_mode == whole_lines);
            if self.hunk.anchor == Anchor::Unique
                // Repeated hunks are counted as lines.
                && (self.repeat.total, self.repeat.elsewhere) == (1, 0)
                && !pattern.solid().is_empty()
                // A text that is a whole line in one place and part of a line in another matches twice.
                && let Some(placement) = verbatim(&query, &self.hunk.change, false)?
                && !search.as_ref().is_ok_and(are_lines)
            {
                return Ok(placement);
            }
            match search? {
                Ok(matches) => {
                    if let Some(placement) = self.choose(&query, &matches)? {
                        return Ok(placement);
                    }
                    break;
                }
                Err(objected) => refused = refused.or(objected.map(|objected| (pattern, objected))),
            }
        }
        // A hunk that counts has several matches.
        let counts = matches!(self.hunk.anchor, Anchor::Occurrence(Occurrence::Nth(n)) if n.get() > 1);
        if stage >= Stage::AlreadyApplied
            && !counts
            && let Some(placement) = readings.iter().find_map(|pattern| already_applied(&self.query(pattern)))
        {
            return Ok(placement);
        }
        // A search text that is uncertain, counted or repeated has to match strictly.
        let is_in_doubt = matches!(self.hunk.change, Change::Splits { .. });
        let loose = stage == Stage::Loose && !is_in_doubt && self.hunk.anchor == Anchor::Unique;
        match refused {
            Some((pattern, objected)) => self.query(pattern).fallback(false, loose, Some(objected)),
            None => self.query(shortest).fallback(false, loose, None),
        }
    }

    /// The placement of a hunk that replaces all matches.
    fn everywhere(&self, pattern: &Pattern<'_>, stage: Stage) -> Result<Placement, Box<Refusal>> {
        let query = self.query(pattern);
        match verbatim(&query, &self.hunk.change, true)? {
            Some(placement) => Ok(placement),
            None => query.fallback(stage >= Stage::AlreadyApplied, false, None),
        }
    }

    /// The placement of lines after a line number. Counted in the base and in the current text, it has to be the same
    /// place.
    fn after_line(&self, pattern: &Pattern<'_>, line: u32) -> Result<Placement, Box<Refusal>> {
        let line = usize::try_from(line).unwrap_or(usize::MAX);
        let count = self.hay.line_count();
        if line > count {
            let message =
                format!("the edit inserts after line {line}, but the file has {}", counted(count, "line"));
            let refusal = Refusal::new(Code::OccurrenceRange, message);
            return Err(refusal.with_help(format!("give a line from 0 to {count}")));
        }
        let current = |line: usize| self.context.lineage().and_then(|lineage| lineage.of(line));
        // After the line above, and before the line below.
        let counted = [line.checked_sub(1).and_then(current).map(|above| above + 1), current(line)];
        if let Some(other) = counted.into_iter().flatten().find(|&other| other != line) {
            // After a line is before the next one.
            return Err(two_readings(self.hay, line.saturating_sub(1), other.saturating_sub(1)));
        }
        addition::behind(&self.query(pattern), line)
    }

    fn query<'p>(&'p self, pattern: &'p Pattern<'p>) -> Query<'p> {
        Query { context: self.context, hay: self.hay, pattern, bounds: &Bounds::NONE }
    }

    /// The placement by the matches of the search text; `None` if the hunk is applied at all of them.
    fn choose(&self, query: &Query<'_>, matches: &Matches) -> Result<Option<Placement>, Box<Refusal>> {
        if let Anchor::Occurrence(occurrence) = self.hunk.anchor {
            return self.nth_match(query, matches, occurrence).map(Some);
        }
        let open = matches.open();
        let Some(first) = open.first() else {
            let first = matches.all().first().copied();
            return Ok(first.map(|place| Placement::applied(self.hay, place, matches.match_mode)));
        };
        let places = || open.iter().map(|aligned| aligned.place);
        // A match where the hunk is already applied may be meant, too.
        let all = matches.all();
        if open.len() < all.len() && self.repeat.total != all.len() {
            return Err(evidence::ambiguous(self.hay, all));
        }
        if open.len() > 1 && !self.repeat.fits(&places().collect::<Vec<_>>()) {
            return match self.one_outcome(query, &open)? {
                Some(solution) => Ok(Some(Placement::Change(solution))),
                None => Err(evidence::ambiguous(self.hay, places())),
            };
        }
        query.check_strictest(matches.match_mode, &[first.place])?;
        query.solve(first).map(|solution| Some(Placement::Change(solution)))
    }

    /// The solution of the hunk, if the result is the same at each match.
    fn one_outcome(&self, query: &Query<'_>, open: &[&Alignment]) -> Result<Option<Solution>, Box<Refusal>> {
        // A hunk without context lines would be applied again by a second run.
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

    /// The placement at the match that the hunk counts to. Matches where the hunk is applied count, too, or a second
    /// run would take another one; and if the result is before that match, a first run may have applied it.
    fn nth_match(
        &self,
        query: &Query<'_>,
        matches: &Matches,
        occurrence: Occurrence,
    ) -> Result<Placement, Box<Refusal>> {
        let places = matches.all();
        let Some(index) = nth(occurrence, places.len()) else {
            let Occurrence::Nth(asked) = occurrence else {
                return Err(evidence::ambiguous(self.hay, places));
            };
            return Err(evidence::out_of_range(self.hay, asked.get(), &places));
        };
        let (aligned, is_applied) = &matches.places[index];
        // The model may have counted looser matches, too, or all parts of lines with this text.
        let all = match query.pattern.before.as_slice() {
            [text] if part::may_be(query.pattern) => self.hay.parts(text),
            _ => query.loose_matches(),
        };
        if let Some(other) = nth(occurrence, all.len()).and_then(|index| all.get(index))
            && !other.overlaps(&aligned.place)
        {
            return Err(evidence::two_places(self.hay, other.first(), aligned.place.first()));
        }
        if *is_applied {
            return Ok(Placement::applied(self.hay, aligned.place, matches.match_mode));
        }
        let (start, end) = (aligned.place.start, Point { line: self.hay.line_count(), column: 0 });
        let counted = match occurrence {
            Occurrence::Last => [start, end],
            _ => [Point { line: 0, column: 0 }, start],
        };
        if let Some(result) = result_between(query, counted, &aligned.place) {
            let refusal = evidence::applied_elsewhere(self.hay, &aligned.place, &result);
            return Err(Box::new(Refusal { is_last: true, ..*refusal }));
        }
        if let Some(line) = self.other_in_base(&aligned.place, occurrence) {
            return Err(two_readings(self.hay, aligned.place.first(), line));
        }
        query.solve(aligned).map(Placement::Change)
    }

    /// The line of another match that the hunk counts to in the base: a model may count in what it was shown, or in
    /// what the edits before have left.
    fn other_in_base(&self, place: &Place, occurrence: Occurrence) -> Option<usize> {
        let (base, lineage) = self.context.base.filter(|_| self.repeat.total == 1)?;
        let base = Haystack::new(base, self.hay.budget());
        let context = Context { base: None, ..*self.context };
        let readings = Pattern::readings(&self.hunk.change);
        let matches = readings.iter().find_map(|pattern| {
            find(&Query { context: &context, hay: base, ..self.query(pattern) }).ok()?.ok()
        })?;
        let other = matches.places.get(nth(occurrence, matches.places.len())?)?.0.place;
        match lineage.of(other.first()) {
            Some(line) if (line, other.start.column) == (place.first(), place.start.column) => None,
            // An earlier edit may have changed it.
            line => Some(line.unwrap_or(other.first())),
        }
    }

    /// The placement of a hunk with an empty search text, which matches only an empty file.
    fn fill_empty(&self, pattern: &Pattern<'_>) -> Result<Placement, Box<Refusal>> {
        let hay = self.hay;
        let after = pattern.after();
        if hay.content().is_empty() {
            return addition::behind(&self.query(pattern), 0);
        }
        if after.len() == hay.line_count() && matches_at(hay, 0, &after, Normalization::Text) {
            return Ok(Placement::applied(hay, Place::lines(0, hay.line_count()), MatchMode::EXACT));
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

/// Refuses a count that means one line in the current text, and another in the base.
fn two_readings(hay: Haystack<'_>, one: usize, other: usize) -> Box<Refusal> {
    Box::new(Refusal { is_last: true, ..*evidence::two_places(hay, one, other) })
}
