//! The loose tiers: what is left out, what is worded otherwise, what is misquoted. They are asked only where the strict
//! ones and the text before the response have no place.

mod misquote;
mod similar;

use super::evidence::{self, Refusal};
use super::gapped;
use super::scene::Solution;
use super::solve::solve;
use super::sought::Sought;
use super::tier::Tier;

/// The one place of a hunk at tiers 7 and 8, or where only lines differ that the new text has right.
pub(super) fn locate(sought: &Sought<'_>) -> Result<Option<Solution>, Box<Refusal>> {
    let fuzz = sought.scene.limits.max_fuzz;
    if fuzz >= Tier::Elision
        && let Some(solution) = gapped::locate(sought)?
    {
        return Ok(Some(solution));
    }
    if fuzz < Tier::Similar {
        return Ok(None);
    }
    let places = similar::places(sought);
    match places.as_slice() {
        [] => misquote::locate(sought),
        [(one, false)] => solve(sought, one, 1).map(Some),
        [(_, true)] => Ok(None),
        _ => Err(evidence::ambiguous(sought.hay, places.iter().map(|(aligned, _)| aligned.place))),
    }
}
