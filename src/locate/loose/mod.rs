//! The loose tiers: elision, similar lines, misquoted lines. They are tried only if the strict tiers and the base have
//! no match.

mod misquote;
mod similar;

use super::evidence;
use super::gapped;
use super::query::Query;
use super::solution::Solution;
use super::tier::Tier;
use crate::diag::Refusal;

/// Returns the solution of a hunk at its only match at tiers 7 and 8, or at the only place where nothing differs but
/// lines that the replacement has as in the file.
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
