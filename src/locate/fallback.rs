//! What all strategies ask of a hunk without a match at the strict tiers, or with one that is not strict enough.

use super::already_applied::{already_applied, stricter_result};
use super::bounds::Objection;
use super::evidence;
use super::loose;
use super::query::Query;
use super::solution::Placement;
use super::tier::{MatchMode, Tier};
use crate::diag::Refusal;
use crate::text::search::Place;

impl Query<'_> {
    /// Refuses matches if the result of the hunk matches elsewhere in a stricter match mode: the hunk may be applied
    /// there.
    pub(super) fn check_strictest(
        &self,
        match_mode: MatchMode,
        places: &[Place],
    ) -> Result<(), Box<Refusal>> {
        match (stricter_result(self, match_mode, places), places) {
            (Some(result), [first, ..]) => Err(evidence::applied_elsewhere(self.hay, first, &result)),
            _ => Ok(()),
        }
    }

    /// The placement of a hunk that has no match at the strict tiers: it is already applied, or matches at the loose
    /// tiers, as far as the arguments allow these; else a refusal says why there is no match. `refused` is a place that
    /// was not taken: if it is within the bounds, no loose match is meant.
    pub(super) fn fallback(
        &self,
        may_be_applied: bool,
        loose: bool,
        refused: Option<(Place, Objection)>,
    ) -> Result<Placement, Box<Refusal>> {
        let Self { context, hay, pattern, bounds } = *self;
        if may_be_applied && let Some(placement) = already_applied(self) {
            return Ok(placement);
        }
        if loose
            && refused.is_none_or(|(_, objection)| objection.is_out_of_bounds())
            && let Some(solution) = loose::locate(&self.narrowed())?
        {
            return Ok(Placement::Change(solution));
        }
        let is_tight = context.limits.max_fuzz < Tier::BlankLines;
        let too_loose = if is_tight { self.loose_matches().first().copied() } else { None };
        Err(match (refused, too_loose) {
            (Some((place, objection)), _) => evidence::objected(hay, pattern, &place, objection),
            (None, Some(place)) => {
                evidence::matches_but(hay, pattern, &place, "but not as closely as --max-fuzz asks for")
                    .with_help(evidence::HELP_COPY)
            }
            (None, None) => evidence::not_found(hay, pattern, bounds),
        })
    }
}
