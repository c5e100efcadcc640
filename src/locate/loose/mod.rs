//! The loose tiers: what is left out, what is worded otherwise, what is misquoted. They are asked only where the strict
//! ones and the text before the response have no place.

mod misquote;
mod similar;

use super::evidence;
use super::gapped;
use super::query::Query;
use super::solution::Solution;
use super::tier::Tier;
use crate::diag::Refusal;

/// The one place of a hunk at tiers 7 and 8, or where only lines differ that the new text has right.
pub(super) fn locate(query: &Query<'_>) -> Result<Option<Solution>, Box<Refusal>> {
    let fuzz = query.context.limits.max_fuzz;
    if fuzz >= Tier::Elision
        && let Some(solution) = gapped::locate(query)?
    {
        return Ok(Some(solution));
    }
    if fuzz < Tier::Similar {
        return Ok(None);
    }
    let places = similar::places(query);
    match places.as_slice() {
        [] => misquote::locate(query),
        [(one, false)] => query.solve(one).map(Some),
        [(_, true)] => Ok(None),
        _ => Err(evidence::ambiguous(query.hay, places.iter().map(|(aligned, _)| aligned.place))),
    }
}
