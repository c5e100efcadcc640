//! The loose tiers: what is left out, what is worded otherwise, what is misquoted. They are asked only where the strict
//! ones and the text before the response have no place.

mod elision;
mod misquote;
mod similar;

use super::evidence::{self, Refusal};
use super::haystack::Haystack;
use super::pattern::Pattern;
use super::pointer::Pointers;
use super::scene::{Scene, Solution};
use super::solve::solve;
use super::tier::Tier;

/// The one place of a hunk at tiers 7 and 8, or where only lines differ that the new text has right.
pub(super) fn locate(
    scene: &Scene<'_>,
    hay: Haystack<'_>,
    pattern: &Pattern<'_>,
    pointers: &Pointers,
) -> Result<Option<Solution>, Box<Refusal>> {
    if scene.limits.max_fuzz >= Tier::Elision
        && let Some(solution) = elision::locate(scene, hay, pattern, pointers)?
    {
        return Ok(Some(solution));
    }
    if scene.limits.max_fuzz < Tier::Similar {
        return Ok(None);
    }
    let places = similar::places(scene, hay, pattern, pointers);
    match places.as_slice() {
        [] => misquote::locate(scene, hay, pattern, pointers),
        [(one, false)] => solve(scene, hay, pattern, one, 1).map(Some),
        [(_, true)] => Ok(None),
        _ => Err(evidence::ambiguous(hay, places.iter().map(|(aligned, _)| aligned.place))),
    }
}
