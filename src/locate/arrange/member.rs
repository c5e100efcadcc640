//! One hunk of an edit: its candidates, and which of them is meant.

use super::addition::{self, without_context};
use super::cursor::Cursor;
use super::series::State;
use crate::diag::{Code, Refusal, counted};
use crate::edit::{Anchor, Change, Hunk, Occurrence};
use crate::locate::Repeat;
use crate::locate::already_applied::{already_applied, put_by_other, result_between, stricter_result};
use crate::locate::bounds::{Bounds, Objection};
use crate::locate::evidence::{self, HELP_CONTEXT};
use crate::locate::gapped;
use crate::locate::loose;
use crate::locate::matches::{Matches, find};
use crate::locate::query::Query;
use crate::locate::solution::{Placement, Solution, Stage, same};
use crate::locate::thresholds::ALTERNATIVES;
use crate::locate::tier::{MatchMode, Tier};
use crate::locate::verbatim::verbatim;
use crate::pattern::Step;
use crate::text::Normalization;
use crate::text::search::{Place, Point};

/// One hunk, looked at alone.
pub(super) struct Member<'a> {
    pub(super) query: Query<'a>,
    pub(super) hunk: &'a Hunk,
    pub(super) stage: Stage,
    /// Whether other hunks for the file follow.
    pub(super) followed: bool,
    /// How often the response has it.
    pub(super) repeat: Repeat,
    /// Whether another hunk of the edit is equal, so that each has a place of its own.
    pub(super) has_equal: bool,
}

impl Member<'_> {
    /// What is known of its place.
    pub(super) fn state(&self, cursor: &Cursor) -> Result<State, Box<Refusal>> {
        match self.located(cursor)? {
            State::Done(Placement::AlreadyApplied(solution)) if self.only_repeats() => {
                Err(evidence::has_added_lines(solution.place.first()))
            }
            state => Ok(state),
        }
    }

    /// Whether a result of it proves nothing: it repeats lines, and no line number says which.
    fn only_repeats(&self) -> bool {
        !self.has_number() && self.repeat.elsewhere == 0 && self.query.pattern.only_repeats()
    }

    fn has_number(&self) -> bool {
        matches!(self.hunk.anchor, Anchor::Line { old_start: Some(_), .. })
    }

    fn located(&self, cursor: &Cursor) -> Result<State, Box<Refusal>> {
        let Query { hay, pattern, .. } = self.query;
        if let Anchor::After(line) = self.hunk.anchor {
            return self.after_line(line).map(State::Done);
        }
        if pattern.before.is_empty() {
            return self.addition().map(State::Done);
        }
        if pattern.steps.contains(&Step::Gap) {
            return match gapped::locate(&self.query)? {
                Some(solution) => Ok(State::Done(Placement::Change(solution))),
                None => self.fallback(cursor, None),
            };
        }
        if self.hunk.anchor == Anchor::Occurrence(Occurrence::All) {
            return match verbatim(&self.query, &self.hunk.change, true)? {
                Some(placement) => Ok(State::Done(placement)),
                None => self.fallback(cursor, None),
            };
        }
        let matches = find(&self.query)?;
        if let Some(placement) = self.verbatim(&matches)? {
            return Ok(State::Done(placement));
        }
        if !self.has_number()
            && let [one] = matches.open()[..]
            && put_by_other(&self.query, one)
        {
            return Err(evidence::two_hunks(one.place.first()));
        }
        match self.hunk.anchor {
            Anchor::Line { .. } => return self.by_number(matches, cursor),
            Anchor::Occurrence(occurrence) if !matches.places.is_empty() => {
                return self.nth_match(&matches, occurrence).map(State::Done);
            }
            _ => {}
        }
        let placement = match (self.meant(&matches)?, matches.places.first()) {
            (Some(solution), _) => Placement::Change(solution),
            (None, Some((first, _))) if self.hunk.anchor == Anchor::Unique => {
                Placement::applied(hay, first.place, matches.match_mode)
            }
            (None, _) => return self.fallback(cursor, matches.refused()),
        };
        Ok(State::Done(placement))
    }

    /// The placement of a search text that matches byte for byte, wherever it begins. Repeated hunks are counted as lines.
    /// A text that is a whole line in one place and part of a line in another matches twice.
    fn verbatim(&self, matches: &Matches) -> Result<Option<Placement>, Box<Refusal>> {
        let is_repeated = (self.repeat.total, self.repeat.elsewhere) != (1, 0);
        if self.hunk.anchor != Anchor::Unique || is_repeated || self.query.pattern.solid().is_empty() {
            return Ok(None);
        }
        let placement = verbatim(&self.query, &self.hunk.change, false)?;
        let are_lines = !matches.places.is_empty() && matches.match_mode == MatchMode::EXACT;
        Ok(placement.filter(|_| !are_lines))
    }

    /// The solution at the match that is meant; `None` if the hunk is applied at all of them, or if there are none.
    fn meant(&self, matches: &Matches) -> Result<Option<Solution>, Box<Refusal>> {
        let (open, all) = (matches.open(), matches.all());
        let Some(first) = open.first() else { return Ok(None) };
        // A match where the hunk is already applied may be meant, too.
        if open.len() < all.len() && self.repeat.total != all.len() {
            return Err(evidence::ambiguous(self.query.hay, all));
        }
        let places: Vec<Place> = open.iter().map(|aligned| aligned.place).collect();
        // Below a heading that begins no block order decides, but the edit may be applied at a result above the first match.
        let heading = self.line_above(&places);
        let result = heading.and_then(|heading| {
            result_between(&self.query, [Point { line: heading, column: 0 }, first.place.start], &open)
        });
        if let Some(result) = &result
            && open.len() == 1
            && self.query.pattern.after_is_proof()
        {
            return Err(evidence::applied_elsewhere(self.query.hay, &first.place, result));
        }
        if open.len() == 1 || self.repeat.fits(&places) || heading.is_some() && result.is_none() {
            self.check_strictest(matches.match_mode, &[first.place])?;
            return self.query.solve(first).map(Some);
        }
        // A hunk without context lines would be applied again by a second run.
        let keeps = self.query.pattern.kept().next().is_some();
        if open.len() > ALTERNATIVES || self.repeat.total > 1 || !keeps {
            return Err(evidence::ambiguous(self.query.hay, places));
        }
        let solutions: Result<Vec<Solution>, _> =
            open.into_iter().map(|aligned| self.query.solve(aligned)).collect();
        let mut solutions = solutions?;
        let changes: Vec<_> = solutions.iter().map(|solution| solution.changes.clone()).collect();
        match same(self.query.hay, &changes[0], &changes) {
            true => Ok(Some(solutions.swap_remove(0))),
            false => Err(evidence::ambiguous(self.query.hay, places)),
        }
    }

    /// The line of the only heading that has some of these places, if it begins no block: it only says after which line.
    fn line_above(&self, places: &[Place]) -> Option<usize> {
        let regions = self.query.bounds.regions.iter().flatten();
        let mut meant = regions.filter(|region| places.iter().any(|place| region.holds(place)));
        match (meant.next(), meant.next()) {
            (Some(region), None) if !region.opens => Some(region.heading),
            _ => None,
        }
    }

    /// Refuses matches if the result of the hunk matches elsewhere in a stricter match mode: the hunk may be applied
    /// there.
    pub(super) fn check_strictest(
        &self,
        match_mode: MatchMode,
        places: &[Place],
    ) -> Result<(), Box<Refusal>> {
        match (stricter_result(&self.query, match_mode, places), places) {
            (Some(result), [first, ..]) => Err(evidence::applied_elsewhere(self.query.hay, first, &result)),
            _ => Ok(()),
        }
    }

    /// The placement of a hunk that has no match at the strict tiers: it is already applied, or matches at the loose
    /// tiers; else a refusal says why there is no match. `refused` is a place that was not taken: if it is within the
    /// bounds, no loose match is meant.
    pub(super) fn fallback(
        &self,
        cursor: &Cursor,
        refused: Option<(Place, Objection)>,
    ) -> Result<State, Box<Refusal>> {
        let Query { context, hay, pattern, bounds } = self.query;
        // With order alone, the lines that match best may be the ones that are meant, so no looser match is taken.
        let is_before = matches!(refused, Some((_, Objection::Order)));
        if is_before && let Some(solution) = self.out_of_order(cursor)? {
            return Ok(State::Done(Placement::Change(solution)));
        }
        // A hunk that counts has several matches.
        let counts = matches!(self.hunk.anchor, Anchor::Occurrence(Occurrence::Nth(n)) if n.get() > 1);
        let is_named = bounds.regions.is_some() && !is_before;
        if (self.stage >= Stage::AlreadyApplied || is_named)
            && !counts
            && let Some(placement) = already_applied(&self.query)
        {
            return Ok(State::Done(placement));
        }
        // A search text that is uncertain, counted or has gaps has to match strictly.
        let is_strict = matches!(self.hunk.change, Change::Splits { .. })
            || matches!(self.hunk.anchor, Anchor::Occurrence(_))
            || pattern.steps.contains(&Step::Gap);
        if self.stage == Stage::Loose
            && !is_strict
            && !is_before
            && refused.is_none_or(|(_, objection)| objection.is_out_of_bounds())
            && let Some(solution) = loose::locate(&self.query.narrowed())?
        {
            return Ok(State::Done(Placement::Change(solution)));
        }
        let is_tight = context.limits.max_fuzz < Tier::BlankLines;
        let too_loose = if is_tight { self.query.loose_matches().first().copied() } else { None };
        Err(match (refused, too_loose) {
            (Some((place, objection)), _) => evidence::objected(hay, pattern, &place, objection),
            (None, Some(place)) => {
                evidence::matches_but(hay, pattern, &place, "but not as closely as --max-fuzz asks for")
                    .with_help(evidence::HELP_COPY)
            }
            (None, None) => evidence::not_found(hay, pattern, bounds),
        })
    }

    /// The solution of a chunk whose only place is before that of the previous one, and is not that of another chunk.
    fn out_of_order(&self, cursor: &Cursor) -> Result<Option<Solution>, Box<Refusal>> {
        let bounds = self.query.bounds;
        if bounds.regions.is_some() || bounds.tail.is_some() {
            return Ok(None);
        }
        let query = Query { bounds: &Bounds::NONE, ..self.query };
        let matches = find(&query);
        match matches.as_ref().map(|matches| matches.places.as_slice()) {
            // It may have no other place in a looser mode.
            Ok([(one, false)]) if cursor.leaves(&one.place) && query.loose_matches().len() == 1 => {
                query.solve(one).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The placement of a hunk without context lines: below its heading, at the end of the file, or in an empty file. A
    /// line number alone does not suffice for another place.
    fn addition(&self) -> Result<Placement, Box<Refusal>> {
        let Query { hay, bounds, .. } = self.query;
        let end = hay.line_count();
        let number = match self.hunk.anchor {
            Anchor::Line { old_start, .. } => old_start.and_then(|line| usize::try_from(line).ok()),
            Anchor::Seek { .. } => None,
            _ => return self.fill_empty(),
        };
        if let Some(line) = number.filter(|line| self.query.context.is_made_from && *line <= end) {
            return addition::behind(&self.query, line);
        }
        let names_line = number.is_some() || bounds.tail.is_some();
        match bounds.regions.as_deref() {
            _ if end > 0 && !matches!(self.hunk.change, Change::Diff { .. }) => Err(without_context()),
            Some([region]) if !names_line => addition::below(&self.query, region.heading),
            Some(regions) if !names_line => Err(evidence::ambiguous_heading(hay, regions)),
            _ if end > 0 && number.is_some_and(|line| line != end) => Err(without_context()),
            _ => addition::at_end(&self.query, self.followed),
        }
    }

    /// The placement of a hunk with an empty search text, which matches only an empty file.
    fn fill_empty(&self) -> Result<Placement, Box<Refusal>> {
        let Query { hay, pattern, .. } = self.query;
        let after = pattern.after();
        if hay.content().is_empty() {
            return addition::behind(&self.query, 0);
        }
        if after.len() == hay.line_count() && !hay.whole_lines(&after, Normalization::Text).is_empty() {
            return Ok(Placement::applied(hay, Place::lines(0, hay.line_count()), MatchMode::EXACT));
        }
        let lines = counted(hay.line_count(), "line");
        let message = format!("the search text is empty, but the file has {lines}");
        let beginning = evidence::beginning(hay.content());
        Err(Refusal::new(Code::AlreadyExists, message).with_help(HELP_CONTEXT).with_evidence(beginning))
    }
}
