//! All places of a before-text on the strictest match mode of tiers 1 to 6 that has any that may be taken.

use super::admission::{Candidate, objection};
use super::alignment::Alignment;
use super::evidence;
use super::part;
use super::pointer::Objection;
use super::query::Query;
use super::results::Results;
use super::thresholds::{MATCHES, SHIFT_STEPS};
use super::tier::{LOOSEST, MatchMode, Scope, ladder};
use crate::diag::Refusal;
use crate::pattern::Pattern;
use crate::text::is_blank;
use crate::text::search::Place;

/// The places of a before-text.
#[derive(Debug)]
pub(super) struct Matches {
    pub(super) match_mode: MatchMode,
    /// Ascending; with each, whether it lies inside the result of the hunk, so that it was made there.
    pub(super) places: Vec<(Alignment, bool)>,
}

/// What searching came to: places; or none that may be taken, and perhaps one that may not.
pub(super) type Search = Result<Matches, Option<(Place, Objection)>>;

impl Matches {
    /// The places at which the hunk was not made already.
    pub(super) fn open(&self) -> Vec<&Alignment> {
        self.places.iter().filter(|(_, made)| !made).map(|(aligned, _)| aligned).collect()
    }

    /// The places at which it was.
    pub(super) fn made(&self) -> impl Iterator<Item = &Alignment> {
        self.places.iter().filter(|(_, made)| *made).map(|(aligned, _)| aligned)
    }
}

/// The places on the strictest match mode that has any that may be taken.
///
/// # Errors
/// There are too many to look at each.
pub(super) fn find(query: &Query<'_>) -> Result<Search, Box<Refusal>> {
    let query = &query.narrowed(query.pattern.before.len());
    let mut refused = None;
    for match_mode in ladder(query.pattern.unit, query.context.limits) {
        match in_mode(query, match_mode)? {
            Ok(matches) => return Ok(Ok(matches)),
            Err(Some((place, objection))) => {
                refused = refused.or(Some((place, objection)));
                // It is what is meant, but for what speaks against it: no looser place is. Nor is one where order alone says
                // where, since the lines that the text is most like may be those that were meant.
                let goes_on = match objection {
                    Objection::Order => query.pointers.regions.is_some(),
                    Objection::Blanks => false,
                    _ => true,
                };
                if !goes_on {
                    break;
                }
            }
            Err(None) => {}
        }
    }
    Ok(Err(refused))
}

/// The places on a match mode.
fn in_mode(query: &Query<'_>, match_mode: MatchMode) -> Result<Search, Box<Refusal>> {
    let Query { context, hay, pattern, pointers } = *query;
    let places = match match_mode.scope {
        Scope::Whole => hay.whole_lines(&pattern.before, match_mode.normalization),
        Scope::Part if part::may_be(pattern) => hay.parts(pattern.before.first().copied().unwrap_or(&[])),
        Scope::Part => Vec::new(),
        // With their blank lines they match in a stricter mode.
        Scope::SkippingBlanks => hay.skipping_blanks(&pattern.solid(), match_mode.normalization),
    };
    if places.is_empty() {
        return Ok(Err(None));
    }
    if places.len() > MATCHES {
        return Err(evidence::ambiguous(hay, places));
    }
    let steps = places.len().saturating_mul(pattern.before.len());
    let looks_at_each = match_mode.is_shifted() || match_mode.scope == Scope::SkippingBlanks;
    if looks_at_each && (steps > SHIFT_STEPS || !hay.budget().spend(steps)) {
        return Err(evidence::too_much());
    }
    let mut refused = None;
    // Places ascend, and a long line may have many.
    let (mut line, mut comment) = (None, None);
    let mut admitted = Vec::with_capacity(places.len());
    let results = may_be_made(pattern).then(|| Results::of(query, match_mode));
    for place in places {
        if let Some(against) = pointers.against(&place) {
            refused = refused.or(Some((place, against)));
            continue;
        }
        let Some(aligned) = Alignment::at(hay, pattern, place, match_mode) else { continue };
        if match_mode.scope == Scope::Part && line != Some(place.first()) {
            line = Some(place.first());
            comment = part::comment_column(hay, context.limits.language(), place.first());
        }
        let made = results.as_ref().is_some_and(|results| results.hold(&aligned));
        let candidate = Candidate { query, aligned: &aligned, comment };
        match objection(&candidate) {
            Some(objection) if !made => refused = refused.or(Some((aligned.place, objection))),
            _ => admitted.push((aligned, made)),
        }
    }
    Ok(if admitted.is_empty() { Err(refused) } else { Ok(Matches { match_mode, places: admitted }) })
}

/// Whether the after-text has the before-text in it, so that a place may lie inside the hunk's result: nothing that says
/// something goes.
fn may_be_made(pattern: &Pattern<'_>) -> bool {
    part::may_be(pattern) || {
        let after: std::collections::HashSet<u64> =
            pattern.after().iter().map(|line| LOOSEST.hash(line)).collect();
        pattern.removed().all(|text| is_blank(text) || after.contains(&LOOSEST.hash(text)))
    }
}
