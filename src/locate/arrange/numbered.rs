//! Locates hunks of a unified diff by their line numbers and their section.

use super::cursor::Cursor;
use super::member::Member;
use super::series::{Candidate, State, core};
use crate::diag::Refusal;
use crate::edit::{Anchor, Hunk};
use crate::locate::Context;
use crate::locate::alignment::Alignment;
use crate::locate::already_applied::{nearly_has, nearly_matches, result_at};
use crate::locate::bounds::Bounds;
use crate::locate::evidence;
use crate::locate::heading::Headings;
use crate::locate::matches::Matches;
use crate::locate::query::Query;
use crate::locate::solution::Placement;
use crate::locate::thresholds::{MAX_CANDIDATES, MAX_SECTION_LINES};
use crate::locate::tier::MatchMode;
use crate::pattern::has_words;
use crate::text::search::Place;

impl Member<'_> {
    /// Returns the placement or the candidates of a hunk of a unified diff, which may have line numbers.
    pub(super) fn by_number(&self, mut matches: Matches, cursor: &Cursor) -> Result<State, Box<Refusal>> {
        let Query { context, hay, pattern, .. } = self.query;
        let numbers = LineNumbers::of(context, self.hunk);
        // Among equal lines, a result may contain the match at the hunk's line number by chance. It counts only if it
        // begins at a line number, too.
        if matches.match_mode == MatchMode::EXACT {
            let is_named = |aligned: &Alignment| Some(aligned.place.first()) == numbers.in_base;
            for (_, is_applied) in matches.places.iter_mut().filter(|(aligned, _)| is_named(aligned)) {
                *is_applied &= numbers.result.iter().any(|line| result_at(&self.query, *line).is_some());
            }
        }
        let refused = matches.refused();
        let open: Vec<Place> = matches.open().into_iter().map(|aligned| aligned.place).collect();
        let mut places = matches.places;
        let is_named = open.iter().any(|place| numbers.old().any(|line| line == place.first()));
        if open.len() > MAX_CANDIDATES {
            // There are too many to consider the hunks before and after. Only the line number can decide.
            places.retain(|(aligned, is_applied)| {
                !is_applied && numbers.in_base == Some(aligned.place.first())
            });
            if places.len() != 1 {
                return Err(evidence::ambiguous(hay, open));
            }
        } else if !is_named
            && let Some((place, match_mode)) = self.result_at_number(&numbers, &open, matches.match_mode)
        {
            return match open.first() {
                // The deletion may be already applied there, and this match may be other lines that equal the deleted
                // ones.
                Some(first) if !pattern.after_is_proof() => {
                    Err(evidence::applied_elsewhere(hay, first, &place))
                }
                _ => Ok(State::Done(Placement::applied(hay, place, match_mode))),
            };
        }
        let Some(first) = open.first() else { return self.fallback(cursor, refused) };
        if !is_named && let Some(named) = self.other_at_number(&numbers, &open) {
            return Err(evidence::two_places(hay, named.first(), first.first()));
        }
        if open.len() == places.len() {
            self.check_strictest(matches.match_mode, &open)?;
        }
        // If there are as many equal edits as places, each takes the first place that is left.
        let repeat = context.repeat(0);
        if repeat.total > 1 && repeat.fits(&open) {
            places.retain(|(_, is_applied)| !is_applied);
            places.truncate(1);
        }
        // Matches where the hunk is already applied are candidates, too.
        let candidates = places.into_iter().map(|(aligned, is_applied)| {
            let place = aligned.place;
            let line = Some(place.first());
            Candidate {
                core: if self.has_equal { (place.first(), place.behind()) } else { core(pattern, &aligned) },
                is_in_base: line == numbers.in_base,
                is_in_current: line == numbers.in_current,
                aligned,
                is_applied,
            }
        });
        Ok(State::Open(candidates.collect()))
    }

    /// Returns the match of the result at a line that a line number names, if the hunk is already applied there. Models
    /// get line numbers wrong. So without a match of the search text and without a heading, the result has to prove
    /// something, and nothing else in the file may be nearly the search text.
    fn result_at_number(
        &self,
        numbers: &LineNumbers,
        open: &[Place],
        match_mode: MatchMode,
    ) -> Option<(Place, MatchMode)> {
        let apart = |(place, _): &(Place, MatchMode)| !open.iter().any(|one| one.reaches_out_of(place));
        let found = numbers.result.iter().find_map(|line| result_at(&self.query, *line).filter(apart))?;
        let pattern = self.query.pattern;
        let may_be_deleted = pattern.added().next().is_none()
            && (match_mode != MatchMode::EXACT || pattern.after().into_iter().any(has_words));
        let is_applied = match pattern.after_is_proof() {
            false => may_be_deleted && !open.is_empty(),
            true => {
                let is_bounded = self.query.bounds.regions.is_some() || !open.is_empty();
                is_bounded || !nearly_matches(&self.query, &[found.0])
            }
        };
        is_applied.then_some(found)
    }

    /// Returns the place that a line number names, if the search text matches there more loosely than elsewhere, or
    /// nearly matches. Then either that place is meant, or the number is wrong.
    fn other_at_number(&self, numbers: &LineNumbers, open: &[Place]) -> Option<Place> {
        let is_apart = |named: &Place| !open.iter().any(|place| place.overlaps(named));
        numbers.old().find_map(|line| {
            self.query.loose_match_at(line).filter(is_apart).or_else(|| self.nearly_at(line, open))
        })
    }

    /// Returns the lines at a line number, if they are nearly the search text. Lines without a word do not count.
    fn nearly_at(&self, line: usize, open: &[Place]) -> Option<Place> {
        let Query { hay, pattern, .. } = self.query;
        let named = Place::lines(line, line + pattern.before.len());
        let is_apart = |line: usize| !open.iter().any(|place| place.overlaps(&Place::lines(line, line + 1)));
        let with_words = pattern.lines_with_words();
        let is_near = nearly_has(hay.within(line..named.behind()), &with_words, 1, is_apart);
        (is_near && self.query.admits(&named)).then_some(named)
    }
}

/// The lines, from 0, that the line numbers of a hunk name.
#[derive(Default)]
struct LineNumbers {
    /// The line that the old line number names in the base, as a line of the current text.
    in_base: Option<usize>,
    /// The line that the old line number names in the current text, if that is not the base.
    in_current: Option<usize>,
    /// The lines at which the result of the hunk may begin.
    result: Vec<usize>,
}

impl LineNumbers {
    /// Reads the line numbers of a hunk.
    fn of(context: &Context<'_>, hunk: &Hunk) -> Self {
        let Anchor::Line { old_start, new_start, .. } = &hunk.anchor else {
            return Self::default();
        };
        let line = |number: Option<u32>| usize::try_from(number?).ok()?.checked_sub(1);
        let (old, new) = (line(*old_start), line(*new_start));
        let (in_base, in_current) = match context.lineage() {
            Some(lineage) => (old.and_then(|line| lineage.of(line)), old),
            None => (old, None),
        };
        let mut result: Vec<usize> = new.into_iter().chain(in_base).collect();
        result.dedup();
        Self { in_base, in_current, result }
    }

    /// The lines at which the search text may begin.
    fn old(&self) -> impl Iterator<Item = usize> {
        self.in_base.into_iter().chain(self.in_current)
    }
}

/// Returns the bounds that the section of a hunk gives. The section is searched in the base.
///
/// # Errors
/// No line matches the section, and the hunk has no line numbers.
pub(super) fn bounds(
    context: &Context<'_>,
    [original, current]: [&Headings<'_>; 2],
    section: &str,
    has_number: bool,
) -> Result<Bounds, Box<Refusal>> {
    let mut lines = original.sections(section);
    if let Some(lineage) = context.lineage() {
        lines = lines.into_iter().filter_map(|line| lineage.of(line)).collect();
    }
    match lines.len() {
        0 if !has_number => Err(evidence::no_heading(section, 0)),
        count if count == 0 || count > MAX_SECTION_LINES => Ok(Bounds::NONE),
        _ => {
            let region = |line| if has_number { current.region_by_git(line) } else { current.region(line) };
            let regions = lines.into_iter().map(region).collect();
            Ok(Bounds { regions: Some(regions), ..Bounds::NONE })
        }
    }
}
