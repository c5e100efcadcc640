//! All places of a before-text on the strictest rung of tiers 1 to 6 that has any that may be taken.

use super::admission::{Candidate, Objection, objection};
use super::alignment::Alignment;
use super::evidence::{self, Refusal};
use super::part;
use super::pointer::Against;
use super::results::Results;
use super::sought::Sought;
use super::thresholds::{MATCHES, SHIFT_EFFORT};
use super::tier::{Rung, Scope, ladder};
use crate::pattern::Pattern;
use crate::text::is_blank;
use crate::text::search::Place;

/// The places of a before-text.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) rung: Rung,
    /// Ascending; with each, whether it lies inside the result of the hunk, so that it was made there.
    pub(super) places: Vec<(Alignment, bool)>,
}

/// What searching came to.
#[derive(Debug)]
pub(super) enum Search {
    Found(Found),
    /// It has no place that may be taken; perhaps one that may not.
    Nowhere(Option<(Place, Objection)>),
}

impl Found {
    /// The places at which the hunk was not made already.
    pub(super) fn open(&self) -> Vec<&Alignment> {
        self.places.iter().filter(|(_, made)| !made).map(|(aligned, _)| aligned).collect()
    }

    /// The places at which it was.
    pub(super) fn made(&self) -> impl Iterator<Item = &Alignment> {
        self.places.iter().filter(|(_, made)| *made).map(|(aligned, _)| aligned)
    }
}

impl Search {
    /// The places, if there are any.
    pub(super) fn found(self) -> Option<Found> {
        match self {
            Search::Found(found) => Some(found),
            Search::Nowhere(_) => None,
        }
    }
}

/// The places on the strictest rung that has any that may be taken.
///
/// # Errors
/// There are too many to look at each.
pub(super) fn find(sought: &Sought<'_>) -> Result<Search, Box<Refusal>> {
    let sought = &sought.narrowed(sought.pattern.before.len());
    let mut refused = None;
    for rung in ladder(sought.pattern.unit, sought.scene.limits) {
        match on_rung(sought, rung)? {
            Search::Found(found) => return Ok(Search::Found(found)),
            Search::Nowhere(Some((place, objection))) => {
                refused = refused.or(Some((place, objection)));
                // It is what is meant, but for what speaks against it: no looser place is. Nor is one where order alone says
                // where, since the lines that the text is most like may be those that were meant.
                let goes_on = match objection {
                    Objection::Pointer(Against::Order) => sought.pointers.regions.is_some(),
                    Objection::Pointer(_) | Objection::Token | Objection::Comment => true,
                    Objection::Blanks => false,
                };
                if !goes_on {
                    break;
                }
            }
            Search::Nowhere(None) => {}
        }
    }
    Ok(Search::Nowhere(refused))
}

/// The places on a rung.
fn on_rung(sought: &Sought<'_>, rung: Rung) -> Result<Search, Box<Refusal>> {
    let Sought { scene, hay, pattern, pointers } = *sought;
    let places = match rung.scope {
        Scope::Whole => hay.whole_lines(&pattern.before, rung.form),
        Scope::Part if part::may_be(pattern) => hay.parts(pattern.before.first().copied().unwrap_or(&[])),
        Scope::Part => Vec::new(),
        // The same lines with their blank ones stand on a stricter rung.
        Scope::SkippingBlanks => hay.skipping_blanks(&pattern.solid(), rung.form),
    };
    if places.is_empty() {
        return Ok(Search::Nowhere(None));
    }
    if places.len() > MATCHES {
        return Err(evidence::ambiguous(hay, places));
    }
    let steps = places.len().saturating_mul(pattern.before.len());
    let looks_at_each = rung.is_shifted() || rung.scope == Scope::SkippingBlanks;
    if looks_at_each && (steps > SHIFT_EFFORT || !hay.effort().spend(steps)) {
        return Err(evidence::many_places());
    }
    let mut refused = None;
    // Places ascend, and a long line may have many.
    let (mut line, mut comment) = (None, None);
    let mut admitted = Vec::with_capacity(places.len());
    let results = may_be_made(pattern).then(|| Results::around(sought, rung, &places));
    for place in places {
        if let Some(against) = pointers.against(&place) {
            refused = refused.or(Some((place, Objection::Pointer(against))));
            continue;
        }
        let Some(aligned) = Alignment::at(hay, pattern, place, rung) else { continue };
        if rung.scope == Scope::Part && line != Some(place.first()) {
            line = Some(place.first());
            comment = part::comment_column(hay, scene.limits.language(), place.first());
        }
        let made = results.as_ref().is_some_and(|results| results.hold(&aligned));
        let candidate = Candidate { sought, aligned: &aligned, comment };
        match objection(&candidate) {
            Some(objection) if !made => refused = refused.or(Some((aligned.place, objection))),
            _ => admitted.push((aligned, made)),
        }
    }
    match admitted.is_empty() {
        true => Ok(Search::Nowhere(refused)),
        false => Ok(Search::Found(Found { rung, places: admitted })),
    }
}

/// Whether the after-text has the before-text in it, so that a place may lie inside the hunk's result: nothing that says
/// something goes.
fn may_be_made(pattern: &Pattern<'_>) -> bool {
    part::may_be(pattern) || {
        let after: std::collections::HashSet<u64> =
            pattern.after().iter().map(|line| Rung::LOOSEST.form.hash(line)).collect();
        pattern.removed().all(|text| is_blank(text) || after.contains(&Rung::LOOSEST.form.hash(text)))
    }
}
