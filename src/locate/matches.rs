//! Finds all matches of a search text, in the strictest match mode of tiers 1 to 6 in which a match may be taken.

use super::admission::objection;
use super::alignment::Alignment;
use super::bounds::Objection;
use super::evidence;
use super::part;
use super::query::Query;
use super::results::Results;
use super::thresholds::{MAX_MATCHES, MAX_SHIFT_LINES};
use super::tier::{LOOSEST, MatchMode, Scope, allowed_modes};
use crate::diag::Refusal;
use crate::pattern::Pattern;
use crate::text::is_blank;
use crate::text::search::Place;

/// The matches of a search text.
#[derive(Debug)]
pub(super) struct Matches {
    pub(super) match_mode: MatchMode,
    /// The matches, ascending. Each has a flag that says whether it is inside the result of the hunk, so that the hunk
    /// is already applied there.
    pub(super) places: Vec<(Alignment, bool)>,
    /// The first match that may not be taken, with the reason.
    refused: Option<(Place, Objection)>,
}

impl Matches {
    /// The matches where the hunk is not applied yet.
    pub(super) fn open(&self) -> Vec<&Alignment> {
        self.places.iter().filter(|(_, is_applied)| !is_applied).map(|(aligned, _)| aligned).collect()
    }

    /// Why no match is open: the first match, where the hunk is already applied, or the first that may not be taken.
    pub(super) fn refused(&self) -> Option<(Place, Objection)> {
        let applied = self.places.first().map(|(aligned, _)| (aligned.place, Objection::Applied));
        applied.or(self.refused)
    }

    /// The places of all matches.
    pub(super) fn all(&self) -> Vec<Place> {
        self.places.iter().map(|(aligned, _)| aligned.place).collect()
    }
}

/// Returns the matches in the strictest match mode in which one may be taken; none if there is no such mode.
///
/// # Errors
/// There are too many matches to look at each of them.
pub(super) fn find(query: &Query<'_>) -> Result<Matches, Box<Refusal>> {
    let query = &query.narrowed();
    let mut refused = None;
    let closes = |text: &&[u8]| text.iter().all(|b| b"})];, \t".contains(b));
    let only_closes = query.pattern.before.iter().all(closes);
    for match_mode in allowed_modes(query.pattern.unit, query.context.limits) {
        // Closing brackets alone match at many places if their indentation may differ. And if a match below the heading
        // was refused because the block seems to end above it, it may still be meant rather than lines with another
        // indentation.
        let is_below = |(place, objection): (Place, _)| matches!(objection, Objection::Heading(line) if line < place.first());
        if match_mode.is_shifted() && (only_closes || refused.is_some_and(is_below)) {
            continue;
        }
        let matches = in_mode(query, match_mode)?;
        if !matches.places.is_empty() {
            return Ok(matches);
        }
        refused = refused.or(matches.refused);
        // A match with other blank lines is probably the one that is meant. So is a match above the previous chunk, if
        // there is no heading. So no looser match is taken instead.
        match matches.refused {
            Some((_, Objection::Order)) if query.bounds.regions.is_none() => break,
            Some((_, Objection::Blanks)) => break,
            _ => {}
        }
    }
    Ok(Matches { match_mode: MatchMode::LOOSEST, places: Vec::new(), refused })
}

/// Returns the matches in one match mode.
fn in_mode(query: &Query<'_>, match_mode: MatchMode) -> Result<Matches, Box<Refusal>> {
    let Query { context, hay, pattern, bounds } = *query;
    let places = match match_mode.scope {
        Scope::Whole => hay.whole_lines(&pattern.before, match_mode.normalization),
        Scope::Part if part::may_be(pattern) => hay.parts(pattern.before.first().copied().unwrap_or(&[])),
        Scope::Part => Vec::new(),
        // If the blank lines are equal, the text already matched in a stricter mode.
        Scope::SkippingBlanks => hay.skipping_blanks(&pattern.solid(), match_mode.normalization),
    };
    if places.len() > MAX_MATCHES {
        return Err(evidence::ambiguous(hay, places));
    }
    let steps = places.len().saturating_mul(pattern.before.len());
    let compares_each = match_mode.is_shifted() || match_mode.scope == Scope::SkippingBlanks;
    if compares_each && (steps > MAX_SHIFT_LINES || !hay.budget().spend(steps)) {
        return Err(evidence::too_costly());
    }
    let mut refused = None;
    // The places ascend, and a long line may have many of them. So the comment of a line is looked up only once.
    let (mut line, mut comment) = (None, None);
    let mut admitted = Vec::with_capacity(places.len());
    let results = (!places.is_empty() && may_be_applied(pattern)).then(|| Results::of(query, match_mode));
    for place in places {
        // A place out of bounds does not count, even if it is inside a result. The rules ask once more, because
        // aligning adds the blank lines at the edges.
        if let Some(objection) = bounds.objection(&place) {
            refused = refused.or(Some((place, objection)));
            continue;
        }
        let Some(aligned) = Alignment::at(hay, pattern, place, match_mode) else { continue };
        if match_mode.scope == Scope::Part && line != Some(place.first()) {
            line = Some(place.first());
            comment = part::comment_column(hay, context.limits.language(), place.first());
        }
        let is_applied = results.as_ref().is_some_and(|results| results.contain(&aligned));
        match objection(query, &aligned, comment) {
            Some(objection) if !is_applied => refused = refused.or(Some((aligned.place, objection))),
            _ => admitted.push((aligned, is_applied)),
        }
    }
    Ok(Matches { match_mode, places: admitted, refused })
}

/// Whether the result of the hunk may contain the search text, so that a match may be inside a result. That is so if
/// every removed line is blank or is in the result, too.
fn may_be_applied(pattern: &Pattern<'_>) -> bool {
    part::may_be(pattern) || {
        let after: std::collections::HashSet<u64> =
            pattern.after().iter().map(|line| LOOSEST.hash(line)).collect();
        pattern.removed().all(|text| is_blank(text) || after.contains(&LOOSEST.hash(text)))
    }
}
