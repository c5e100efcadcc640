//! What all strategies ask of one hunk on one text.

use super::already_applied::{already_applied, stricter_result};
use super::evidence;
use super::loose;
use super::pointer::Objection;
use super::query::Query;
use super::solution::{Part, Solution};
use super::tier::{LOOSEST, MatchMode, Tier};
use crate::diag::Refusal;
use crate::text::search::Place;

impl Query<'_> {
    /// Refuses places found on a match mode where the result of the hunk matches on a stricter one, apart from them: it is applied there
    /// perhaps.
    pub(super) fn is_strictest(&self, match_mode: MatchMode, places: &[Place]) -> Result<(), Box<Refusal>> {
        match (stricter_result(self, match_mode, places), places) {
            (Some(result), [first, ..]) => Err(evidence::applied_elsewhere(self.hay, first, &result)),
            _ => Ok(()),
        }
    }

    /// Where the text matches at tiers 1 to 6, whatever is against it; from its first line to its last that are not blank.
    pub(super) fn loosely(&self) -> Vec<Place> {
        self.hay.skipping_blanks(&self.pattern.solid(), LOOSEST)
    }

    /// The match at a line that nothing is against.
    pub(super) fn loosely_at(&self, line: usize) -> Option<Place> {
        let beside = line..line.saturating_add(2 * self.pattern.before.len() + 1);
        let places = Self { hay: self.hay.within(beside), ..*self }.loosely();
        let begins = |place: &Place| (line..place.first()).all(|above| self.hay.is_blank(above));
        places.into_iter().find(|place| begins(place) && self.admits(place))
    }

    /// The hunk as one that is already applied at a place.
    pub(super) fn made(&self, place: Place, match_mode: MatchMode) -> Part {
        Part::Made(Solution::at(self.hay, place, match_mode))
    }

    /// The result of a hunk that has no place at the strict tiers. It may be already applied, or have a place at the loose
    /// tiers, where these may be asked; else the result says why it has none. A place that is refused for its text, and not for
    /// its location, is the one that is meant.
    pub(super) fn otherwise(
        &self,
        may_be_applied: bool,
        loose: bool,
        refused: Option<(Place, Objection)>,
    ) -> Result<Part, Box<Refusal>> {
        let Self { context, hay, pattern, pointers } = *self;
        if may_be_applied && let Some(part) = already_applied(self) {
            return Ok(part);
        }
        if loose
            && refused.is_none_or(|(_, objection)| objection.is_pointer())
            && let Some(solution) = loose::locate(&self.narrowed(pattern.before.len()))?
        {
            return Ok(Part::Change(solution));
        }
        let is_tight = context.limits.max_fuzz < Tier::BlankLines;
        let too_loose = if is_tight { self.loosely().first().copied() } else { None };
        Err(match (refused, too_loose) {
            (Some((place, objection)), _) => evidence::objected(hay, pattern, &place, objection),
            (None, Some(place)) => {
                evidence::matches_but(hay, pattern, &place, "but not as closely as --max-fuzz asks for")
                    .with_help(evidence::HELP_COPY)
            }
            (None, None) => evidence::missing(hay, pattern, pointers),
        })
    }
}
