//! Finds the candidates of one hunk of an edit, and decides which of them is meant.

use super::addition::{self, without_context};
use super::cursor::Cursor;
use super::series::State;
use crate::diag::{Code, Refusal, counted};
use crate::edit::{Anchor, Change, Hunk, Occurrence};
use crate::locate::Repeat;
use crate::locate::already_applied::{already_applied, deletes_moved_lines, result_between, stricter_result};
use crate::locate::bounds::{Bounds, Objection};
use crate::locate::evidence::{self, HELP_CONTEXT};
use crate::locate::gapped;
use crate::locate::loose;
use crate::locate::matches::{Matches, find};
use crate::locate::query::Query;
use crate::locate::solution::{Placement, Solution, Stage, give_same_bytes};
use crate::locate::thresholds::MAX_COMPARED_RESULTS;
use crate::locate::tier::{MatchMode, Tier};
use crate::locate::verbatim::verbatim;
use crate::pattern::Step;
use crate::text::Normalization;
use crate::text::search::{Place, Point};

/// One hunk of an edit, without regard to its other hunks.
pub(super) struct Member<'a> {
    pub(super) query: Query<'a>,
    pub(super) hunk: &'a Hunk,
    pub(super) stage: Stage,
    /// Whether other hunks for the file follow it.
    pub(super) followed: bool,
    /// How often the response has the hunk.
    pub(super) repeat: Repeat,
    /// Whether the edit has an equal hunk, so that each of them has a place of its own.
    pub(super) has_equal: bool,
}

impl Member<'_> {
    /// Returns the placement of the hunk, or its candidates.
    pub(super) fn state(&self, cursor: &Cursor) -> Result<State, Box<Refusal>> {
        match self.located(cursor)? {
            State::Done(Placement::AlreadyApplied(solution)) if self.only_repeats() => {
                Err(evidence::has_added_lines(solution.place.first()))
            }
            state => Ok(state),
        }
    }

    /// Whether finding the result of the hunk does not prove it applied: it only adds a copy of the lines beside it,
    /// and it has no line number.
    fn only_repeats(&self) -> bool {
        !self.has_number() && self.repeat.elsewhere == 0 && self.query.pattern.only_repeats()
    }

    fn has_number(&self) -> bool {
        matches!(self.hunk.anchor, Anchor::Line { old_start: Some(_), .. })
    }

    /// As [`Member::state`], but without the check for hunks that only repeat lines.
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
            && deletes_moved_lines(&self.query, one)
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

    /// Returns the placement of a search text that matches byte for byte, wherever it begins in a line. `None` if the
    /// response repeats the hunk, because repeated hunks are counted in whole lines.
    ///
    /// Also `None` if the text consists of whole lines, which are located like those of other hunks. But if such a text
    /// is part of a line in another place, it matches twice and is refused.
    fn verbatim(&self, matches: &Matches) -> Result<Option<Placement>, Box<Refusal>> {
        let is_repeated = (self.repeat.total, self.repeat.elsewhere) != (1, 0);
        if self.hunk.anchor != Anchor::Unique || is_repeated || self.query.pattern.solid().is_empty() {
            return Ok(None);
        }
        let placement = verbatim(&self.query, &self.hunk.change, false)?;
        let are_lines = !matches.places.is_empty() && matches.match_mode == MatchMode::EXACT;
        Ok(placement.filter(|_| !are_lines))
    }

    /// Returns the solution at the match that is meant; `None` if there is no match, or if the hunk is already applied
    /// at all of them.
    fn meant(&self, matches: &Matches) -> Result<Option<Solution>, Box<Refusal>> {
        let (open, all) = (matches.open(), matches.all());
        let Some(first) = open.first() else { return Ok(None) };
        // If the hunk is already applied at some of the matches, one of those may be meant.
        if open.len() < all.len() && self.repeat.total != all.len() {
            return Err(evidence::ambiguous(self.query.hay, all));
        }
        let places: Vec<Place> = open.iter().map(|aligned| aligned.place).collect();
        // A heading that begins no block only says that the first match below it is meant. But if a result is between
        // the heading and that match, the hunk may be already applied.
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
        // If the hunk has no context line, a second run would apply it at one of the other matches.
        let keeps = self.query.pattern.kept().next().is_some();
        if open.len() > MAX_COMPARED_RESULTS || self.repeat.total > 1 || !keeps {
            return Err(evidence::ambiguous(self.query.hay, places));
        }
        let solutions: Result<Vec<Solution>, _> =
            open.into_iter().map(|aligned| self.query.solve(aligned)).collect();
        let mut solutions = solutions?;
        let changes: Vec<_> = solutions.iter().map(|solution| solution.changes.clone()).collect();
        match give_same_bytes(self.query.hay, &changes[0], &changes) {
            true => Ok(Some(solutions.swap_remove(0))),
            false => Err(evidence::ambiguous(self.query.hay, places)),
        }
    }

    /// If only one heading has some of these places, and it begins no block: its line. Such a heading only says that
    /// the place is somewhere below it.
    fn line_above(&self, places: &[Place]) -> Option<usize> {
        let regions = self.query.bounds.regions.iter().flatten();
        let mut meant = regions.filter(|region| places.iter().any(|place| region.holds(place)));
        match (meant.next(), meant.next()) {
            (Some(region), None) if !region.opens => Some(region.heading),
            _ => None,
        }
    }

    /// Refuses matches if the result of the hunk matches elsewhere in a stricter match mode, because the hunk may be
    /// already applied there.
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

    /// Returns the placement of a hunk that has no match at tiers 1 to 6: it is already applied, or it matches at tiers
    /// 7 and 8. Otherwise a refusal says why there is no match. `refused` is a match that was not taken; if it is
    /// within the bounds, the hunk means it, so no looser match is taken.
    pub(super) fn fallback(
        &self,
        cursor: &Cursor,
        refused: Option<(Place, Objection)>,
    ) -> Result<State, Box<Refusal>> {
        let Query { context, hay, pattern, bounds } = self.query;
        // A match above the previous chunk may be the one that is meant, so no looser match is taken instead.
        let is_before = matches!(refused, Some((_, Objection::Order)));
        if is_before && let Some(solution) = self.out_of_order(cursor)? {
            return Ok(State::Done(Placement::Change(solution)));
        }
        // If the hunk counts to a later match than the first, a result does not tell which match it was made from.
        let counts = matches!(self.hunk.anchor, Anchor::Occurrence(Occurrence::Nth(n)) if n.get() > 1);
        let is_named = bounds.regions.is_some() && !is_before;
        if (self.stage >= Stage::AlreadyApplied || is_named)
            && !counts
            && let Some(placement) = already_applied(&self.query)
        {
            return Ok(State::Done(placement));
        }
        // A search text with an uncertain end, an occurrence, or gaps has to match at tiers 1 to 6.
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
        let is_limited = context.limits.max_fuzz < Tier::BlankLines;
        let too_loose = if is_limited { self.query.loose_matches().first().copied() } else { None };
        Err(match (refused, too_loose) {
            (Some((place, objection)), _) => evidence::objected(hay, pattern, &place, objection),
            (None, Some(place)) => {
                evidence::matches_but(hay, pattern, &place, "but not as closely as --max-fuzz asks for")
                    .with_help(evidence::HELP_COPY)
            }
            (None, None) => evidence::not_found(hay, pattern, bounds),
        })
    }

    /// Returns the solution of a chunk whose only match is above the previous chunk, if no other chunk has that place.
    fn out_of_order(&self, cursor: &Cursor) -> Result<Option<Solution>, Box<Refusal>> {
        let bounds = self.query.bounds;
        if bounds.regions.is_some() || bounds.tail.is_some() {
            return Ok(None);
        }
        let query = Query { bounds: &Bounds::NONE, ..self.query };
        let matches = find(&query);
        match matches.as_ref().map(|matches| matches.places.as_slice()) {
            // There must not be another match in a looser mode.
            Ok([(one, false)]) if cursor.is_free(&one.place) && query.loose_matches().len() == 1 => {
                query.solve(one).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Returns the placement of a hunk that has only added lines: below its heading, at the end of the file, or in an
    /// empty file. A line number alone names a place only if the file is the text that the hunk was made from.
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

    /// Returns the placement of a hunk with an empty search text, which matches only an empty file.
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
