//! The hunks of a unified diff: located together, in order, each with the help of its neighbours, its section and its
//! line numbers.

use super::addition::{self, without_context};
use super::equal::{Equal, equals};
use super::line_numbers::LineNumbers;
use super::series::{Candidate, Series, State, core};
use crate::diag::Refusal;
use crate::edit::{Anchor, Change, Hunk};
use crate::locate::Context;
use crate::locate::alignment::Alignment;
use crate::locate::already_applied::{applied_at, nearly_has, nearly_matches};
use crate::locate::bounds::{Bounds, Objection};
use crate::locate::evidence;
use crate::locate::gapped;
use crate::locate::heading::Headings;
use crate::locate::matches::find;
use crate::locate::query::Query;
use crate::locate::solution::{Placement, Stage};
use crate::locate::splits::readings;
use crate::locate::thresholds::{CANDIDATES, HEADINGS};
use crate::locate::tier::MatchMode;
use crate::pattern::{Pattern, Step};
use crate::text::search::{Haystack, Place};

/// The placement of each hunk, or the refusals of those without one.
pub(in crate::locate) fn arrange<'h>(
    context: &Context<'_>,
    hay: Haystack<'_>,
    hunks: &'h [Hunk],
    stage: Stage,
) -> Result<Vec<Placement>, Vec<Refusal>> {
    let original = context.base.map_or(hay, |(base, _)| Haystack::new(base, hay.budget()));
    let (original, current) = (Headings::new(original, context), Headings::new(hay, context));
    let member = |(index, (hunk, equal)): (usize, (&'h Hunk, Equal))| {
        let pattern = reading(context, hay, hunk).ok_or_else(evidence::too_costly)?;
        let followed = context.followed || index + 1 < hunks.len();
        let bounds = bounds_of(context, &original, &current, hunk)?;
        let query = Query { context, hay, pattern: &pattern, bounds: &bounds };
        let member = Member { query, hunk, followed, has_equal: equal.is_repeated };
        let state = member.state(stage)?;
        Ok((hunk, pattern, if equal.is_duplicate { State::Done(Placement::NoChange) } else { state }))
    };
    let hunks = evidence::each(hunks.iter().zip(equals(hay, hunks)).enumerate().map(member))?;
    let mut series = Series { context, hay, hunks };
    series.choose()?;
    series.solve()
}

/// The reading of a hunk: the first that the file has, or else the shortest.
fn reading<'h>(context: &Context<'_>, hay: Haystack<'_>, hunk: &'h Hunk) -> Option<Pattern<'h>> {
    let (mut readings, matching) = readings(context, hay, &hunk.change);
    matching.map(|index| readings.swap_remove(index)).or_else(|| readings.pop())
}

/// One hunk, looked at alone.
struct Member<'a> {
    query: Query<'a>,
    hunk: &'a Hunk,
    /// Whether other hunks for the file follow.
    followed: bool,
    /// Whether another hunk is equal, so that each has a place of its own.
    has_equal: bool,
}

impl Member<'_> {
    fn state(&self, stage: Stage) -> Result<State, Box<Refusal>> {
        let Query { context, hay, pattern, .. } = self.query;
        if pattern.changes_nothing() {
            return Ok(State::Done(Placement::NoChange));
        }
        if pattern.before.is_empty() {
            return self.addition().map(State::Done);
        }
        if pattern.steps.contains(&Step::Gap) {
            return match gapped::locate(&self.query)? {
                Some(solution) => Ok(State::Done(Placement::Change(solution))),
                None => self.fallback(stage, None),
            };
        }
        let (mut places, refused) = match find(&self.query)? {
            Ok(matches) => {
                let applied = matches.applied();
                (matches.places, applied)
            }
            Err(refused) => (Vec::new(), refused),
        };
        let numbers = LineNumbers::of(context, self.hunk);
        let is_open = places.iter().filter(|(_, is_applied)| !is_applied);
        let open: Vec<Place> = is_open.map(|(aligned, _)| aligned.place).collect();
        let named = [numbers.in_base, numbers.in_current];
        let is_named = open.iter().any(|place| named.contains(&Some(place.first())));
        if open.len() > CANDIDATES {
            // Too many to consider the neighbours: the line number decides, or nothing does.
            places.retain(|(aligned, is_applied)| {
                !is_applied && numbers.in_base == Some(aligned.place.first())
            });
            if places.len() != 1 {
                return Err(evidence::ambiguous(hay, open));
            }
        } else if let Some((place, match_mode)) =
            self.applied_at_number(&numbers, &open).filter(|_| !is_named)
        {
            return Ok(State::Done(Placement::applied(hay, place, match_mode)));
        }
        let Some(first) = open.first() else { return self.fallback(stage, refused) };
        if let Some(named) = self.other_at_number(&numbers, &open).filter(|_| !is_named) {
            return Err(evidence::two_places(hay, named.first(), first.first()));
        }
        if open.len() == places.len()
            && let Some((aligned, _)) = places.first()
        {
            self.query.check_strictest(aligned.match_mode, &open)?;
        }
        // As many equal edits as places are those places in order.
        let repeat = context.repeat(0);
        if repeat.total > 1 && repeat.fits(&open) {
            places.retain(|(_, is_applied)| !is_applied);
            places.truncate(1);
        }
        // A match where the hunk is already applied may be meant, too.
        let candidate = |(aligned, is_applied): (Alignment, bool)| {
            let place = aligned.place;
            let core = if self.has_equal { (place.first(), place.behind()) } else { core(pattern, &aligned) };
            Candidate { core, aligned, is_applied }
        };
        Ok(State::Open(places.into_iter().map(candidate).collect()))
    }

    /// Where the result matches at a line that a line number names. Models get numbers wrong: without a match or a
    /// heading, nothing in the file may be nearly the search text.
    fn applied_at_number(&self, numbers: &LineNumbers, open: &[Place]) -> Option<(Place, MatchMode)> {
        let apart = |(place, _): &(Place, MatchMode)| !open.iter().any(|one| one.reaches_out_of(place));
        let applied = numbers.result.iter().find_map(|line| applied_at(&self.query, *line).filter(apart))?;
        let agrees = self.query.bounds.regions.is_some()
            || !open.is_empty()
            || !nearly_matches(&self.query, &[applied.0]);
        agrees.then_some(applied)
    }

    /// The place that a line number names, if the search text matches there more loosely than elsewhere, or nearly:
    /// that place is meant, or the number is wrong.
    fn other_at_number(&self, numbers: &LineNumbers, open: &[Place]) -> Option<Place> {
        let lines = [numbers.in_base, numbers.in_current].into_iter().flatten();
        let is_apart = |named: &Place| !open.iter().any(|place| place.overlaps(named));
        let mut named = lines.filter_map(|line| {
            self.query.loose_match_at(line).filter(is_apart).or_else(|| self.nearly_at(line, open))
        });
        named.next()
    }

    /// The lines at a line number, if they are nearly the search text. Brackets alone do not count.
    fn nearly_at(&self, line: usize, open: &[Place]) -> Option<Place> {
        let Query { hay, pattern, .. } = self.query;
        let named = Place::lines(line, line + pattern.before.len());
        let is_apart = |line: usize| !open.iter().any(|place| place.overlaps(&Place::lines(line, line + 1)));
        let telling = pattern.telling();
        let is_near = nearly_has(hay.within(line..named.behind()), &telling, 1, is_apart);
        (is_near && self.query.admits(&named)).then_some(named)
    }

    fn fallback(&self, stage: Stage, refused: Option<(Place, Objection)>) -> Result<State, Box<Refusal>> {
        let loose = stage == Stage::Loose && !self.query.pattern.steps.contains(&Step::Gap);
        self.query.fallback(stage >= Stage::AlreadyApplied, loose, refused).map(State::Done)
    }

    /// The placement of a hunk without context lines: below the section, or at the end of the file. A line number alone
    /// does not suffice for another place.
    fn addition(&self) -> Result<Placement, Box<Refusal>> {
        let Query { hay, bounds, .. } = self.query;
        let end = hay.line_count();
        let number = match self.hunk.anchor {
            Anchor::Line { old_start, .. } => old_start.and_then(|line| usize::try_from(line).ok()),
            _ => None,
        };
        if end > 0 && !matches!(self.hunk.change, Change::Diff { .. }) {
            return Err(without_context());
        }
        match bounds.regions.as_deref() {
            Some([region]) if number.is_none() => addition::below(&self.query, region.heading),
            Some(regions) if number.is_none() => Err(evidence::ambiguous_heading(hay, regions)),
            _ if end > 0 && number.is_some_and(|line| line != end) => Err(without_context()),
            _ => addition::at_end(&self.query, self.followed),
        }
    }
}

/// The bounds of a hunk by its section, which is searched in the base.
///
/// # Errors
/// No line matches the section, and the hunk has no line numbers.
fn bounds_of(
    context: &Context<'_>,
    original: &Headings<'_>,
    current: &Headings<'_>,
    hunk: &Hunk,
) -> Result<Bounds, Box<Refusal>> {
    let Anchor::Line { old_start, section: Some(section), .. } = &hunk.anchor else {
        return Ok(Bounds::default());
    };
    let mut lines = original.sections(section);
    if let Some(lineage) = context.lineage() {
        lines = lines.into_iter().filter_map(|line| lineage.of(line)).collect();
    }
    match lines.len() {
        0 if old_start.is_none() => return Err(evidence::no_heading(section, 0)),
        count if count == 0 || count > HEADINGS => return Ok(Bounds::default()),
        _ => {}
    }
    let regions = lines.into_iter().map(|line| current.region(line)).collect();
    Ok(Bounds { regions: Some(regions), ..Bounds::default() })
}
