//! The hunks of a unified diff: located together, in order, each helped by its neighbours, its section and its numbers.

use super::addition::{self, without_context};
use super::equal::{Equal, equals};
use super::series::{Candidate, Series, State, core};
use crate::diag::Refusal;
use crate::edit::{Anchor, Change, Hunk};
use crate::locate::Context;
use crate::locate::alignment::Alignment;
use crate::locate::already_applied::{applied_at, nearly_has, nearly_matches};
use crate::locate::evidence;
use crate::locate::gapped;
use crate::locate::matches::find;
use crate::locate::pointer::{Blocks, Numbered, Objection, of_diff};
use crate::locate::query::Query;
use crate::locate::solution::{Mode, Part};
use crate::locate::splits::{first_found, readings};
use crate::locate::thresholds::CANDIDATES;
use crate::locate::tier::MatchMode;
use crate::pattern::{Pattern, Step};
use crate::text::search::{Haystack, Place};

/// Finds for every hunk what it comes to, or says of each that has no place why.
pub(in crate::locate) fn arrange<'h>(
    context: &Context<'_>,
    hay: Haystack<'_>,
    hunks: &'h [Hunk],
    mode: Mode,
) -> Result<Vec<Part>, Vec<Refusal>> {
    let original = context.original.filter(|_| context.lineage.is_some());
    let original = original.map_or(hay, |content| Haystack::new(content, hay.budget()));
    let (original, now) = (Blocks::new(original, context), Blocks::new(hay, context));
    let member = |(index, (hunk, equal)): (usize, (&'h Hunk, Equal))| {
        let pattern = reading(context, hay, hunk).ok_or_else(evidence::too_much)?;
        let followed = context.followed || index + 1 < hunks.len();
        let pointers = of_diff(context, &original, &now, hunk);
        let pointers = pointers.map_err(|section| evidence::no_heading(section, 0))?;
        let query = Query { context, hay, pattern: &pattern, pointers: &pointers };
        let member = Member { query, hunk, followed, has_equal: equal.is_repeated };
        let state = member.state(mode)?;
        Ok((hunk, pattern, if equal.is_again { State::Done(Part::Nothing) } else { state }))
    };
    let hunks = evidence::each(hunks.iter().zip(equals(hay, hunks)).enumerate().map(member))?;
    let mut series = Series { context, hay, hunks };
    series.choose()?;
    series.solve()
}

/// What a hunk says: of several readings the first that the file has, or else the shortest.
fn reading<'h>(context: &Context<'_>, hay: Haystack<'_>, hunk: &'h Hunk) -> Option<Pattern<'h>> {
    let mut readings = readings(context, hay, &hunk.change);
    let known = first_found(context, hay, &readings);
    known.map(|known| readings.swap_remove(known)).or_else(|| readings.pop())
}

/// One hunk, looked at by itself.
struct Member<'a> {
    query: Query<'a>,
    hunk: &'a Hunk,
    /// Whether other hunks for the file follow.
    followed: bool,
    /// Whether the hunk beside it is the same, so that each has a place of its own.
    has_equal: bool,
}

impl Member<'_> {
    fn state(&self, mode: Mode) -> Result<State, Box<Refusal>> {
        let Query { context, hay, pattern, .. } = self.query;
        if pattern.changes_nothing() {
            return Ok(State::Done(Part::Nothing));
        }
        if pattern.before.is_empty() {
            return self.addition().map(State::Done);
        }
        if pattern.steps.contains(&Step::Gap) {
            return match gapped::locate(&self.query)? {
                Some(solution) => Ok(State::Done(Part::Change(solution))),
                None => self.made_or_nowhere(mode, None),
            };
        }
        let (mut places, refused) = match find(&self.query)? {
            Ok(matches) => (matches.places, None),
            Err(refused) => (Vec::new(), refused),
        };
        let numbered = Numbered::of(context, self.hunk);
        let open: Vec<Place> =
            places.iter().filter(|(_, made)| !made).map(|(aligned, _)| aligned.place).collect();
        let names = [numbered.then, numbered.now];
        let is_named = open.iter().any(|place| names.contains(&Some(place.first())));
        if open.len() > CANDIDATES {
            // Too many to ask the neighbours about: the line number decides, or nothing does.
            places.retain(|(aligned, made)| !made && numbered.then == Some(aligned.place.first()));
            if places.len() != 1 {
                return Err(evidence::ambiguous(hay, open));
            }
        } else if let Some((place, mode)) = self.applied_at_number(&numbered, &open).filter(|_| !is_named) {
            return Ok(State::Done(self.query.made(place, mode)));
        }
        let Some(first) = open.first() else { return self.made_or_nowhere(mode, refused) };
        if let Some(named) = self.other_at_number(&numbered, &open).filter(|_| !is_named) {
            return Err(evidence::two_places(hay, named.first(), first.first()));
        }
        if open.len() == places.len()
            && let Some((aligned, _)) = places.first()
        {
            self.query.is_strictest(aligned.match_mode, &open)?;
        }
        // Equal edits for as many places are those places in order.
        let repeat = context.repeat(0);
        if repeat.total > 1 && repeat.are_those(&open) {
            places.retain(|(_, made)| !made);
            places.truncate(1);
        }
        // A place where the hunk was made is one that may have been meant.
        let candidate = |(aligned, made): (Alignment, bool)| {
            let place = aligned.place;
            let core = if self.has_equal { (place.first(), place.behind()) } else { core(pattern, &aligned) };
            Candidate { core, aligned, made }
        };
        Ok(State::Open(places.into_iter().map(candidate).collect()))
    }

    /// Where the result matches at a line that a number names. Models get numbers wrong: without another place, nothing in the
    /// file may be nearly the search text.
    fn applied_at_number(&self, numbered: &Numbered, open: &[Place]) -> Option<(Place, MatchMode)> {
        let apart = |(place, _): &(Place, MatchMode)| !open.iter().any(|one| one.reaches_out_of(place));
        let found = numbered.after.iter().find_map(|line| applied_at(&self.query, *line).filter(apart))?;
        let agrees = self.query.pointers.regions.is_some()
            || !open.is_empty()
            || !nearly_matches(&self.query, &[found.0]);
        agrees.then_some(found)
    }

    /// Where a number names a looser place than those that were found, or one at which the text nearly is: that is the one that is
    /// meant, or the number is wrong.
    fn other_at_number(&self, numbered: &Numbered, open: &[Place]) -> Option<Place> {
        let names = [numbered.then, numbered.now].into_iter().flatten();
        let is_apart = |named: &Place| !open.iter().any(|place| place.overlaps(named));
        let mut named = names.filter_map(|line| {
            self.query.loosely_at(line).filter(is_apart).or_else(|| self.nearly_at(line, open))
        });
        named.next()
    }

    /// The lines at a number, if the text is nearly there. Brackets alone say nothing.
    fn nearly_at(&self, line: usize, open: &[Place]) -> Option<Place> {
        let Query { hay, pattern, .. } = self.query;
        let named = Place::lines(line, line + pattern.before.len());
        let is_apart = |line: usize| !open.iter().any(|place| place.overlaps(&Place::lines(line, line + 1)));
        let telling = pattern.telling();
        let is_near = nearly_has(hay.within(line..named.behind()), &telling, 1, is_apart);
        (is_near && self.query.admits(&named)).then_some(named)
    }

    fn made_or_nowhere(
        &self,
        mode: Mode,
        refused: Option<(Place, Objection)>,
    ) -> Result<State, Box<Refusal>> {
        let loose = mode == Mode::Loose && !self.query.pattern.steps.contains(&Step::Gap);
        self.query.otherwise(mode >= Mode::AlreadyApplied, loose, refused).map(State::Done)
    }

    /// Lines that are added beside no other: below the section, or at the end of the file. A number alone is not enough to
    /// put them elsewhere.
    fn addition(&self) -> Result<Part, Box<Refusal>> {
        let Query { hay, pointers, .. } = self.query;
        let end = hay.line_count();
        let said = match self.hunk.anchor {
            Anchor::Line { old_start, .. } => old_start.and_then(|line| usize::try_from(line).ok()),
            _ => None,
        };
        if end > 0 && !matches!(self.hunk.change, Change::Diff { .. }) {
            return Err(without_context());
        }
        match pointers.regions.as_deref() {
            Some([region]) if said.is_none() => addition::below(&self.query, region.heading),
            Some(regions) if said.is_none() => Err(evidence::ambiguous_heading(hay, regions)),
            _ if end > 0 && said.is_some_and(|line| line != end) => Err(without_context()),
            _ => addition::at_end(&self.query, self.followed),
        }
    }
}
