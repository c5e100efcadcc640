//! A hunk in pieces: it does not name all lines between its first and its last, which stay or go as the hunk says.

use super::alignment::Alignment;
use super::change::LineChange;
use super::evidence::{self, Refusal};
use super::found::{Search, find};
use super::indent::Shift;
use super::pattern::Pattern;
use super::place::Place;
use super::pointer::{Pointers, depth};
use super::scene::Solution;
use super::solve::solve;
use super::sought::Sought;
use crate::text::is_blank;

/// What becomes of the lines between pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    Stays,
    Goes,
}

/// What a hunk changes whose pieces stand one behind the other; none if one has no place.
pub(super) fn solution(
    sought: &Sought<'_>,
    pieces: &[Pattern<'_>],
    between: Between,
) -> Result<Option<Solution>, Box<Refusal>> {
    let mut first: Option<Alignment> = None;
    let mut whole: Option<Solution> = None;
    let mut end = 0;
    for (index, piece) in pieces.iter().enumerate() {
        // Lines added between two gaps: beside what?
        if piece.before.is_empty() {
            return Ok(None);
        }
        let piece = sought.with(piece);
        let found = match &first {
            None => only_one(&piece, false, |_| true)?,
            Some(_) => {
                // Where nothing from here on changes, the outcome is the same wherever it stands.
                let any = between == Between::Stays && pieces[index..].iter().all(Pattern::changes_nothing);
                later(&piece, end, any)?
            }
        };
        let Some((aligned, made)) = found else { return Ok(None) };
        if let Some(first) = &first {
            // Farther in than the first piece says it is in another block.
            if matches!(aligned.shift, Shift::Add(_) | Shift::Strip(_)) && aligned.shift != first.shift {
                return Ok(None);
            }
        }
        // Where it was made nothing is left to do, and the next best place is not asked.
        let part = match piece.pattern.changes_nothing() || made && between == Between::Stays {
            true => Solution::at(sought.hay, aligned.place, aligned.rung, 1),
            false => solve(&piece, &aligned, 1)?,
        };
        match &mut whole {
            None => whole = Some(part),
            Some(whole) => {
                if between == Between::Goes {
                    let bytes = Vec::new();
                    whole.changes.push(LineChange { start: end, end: aligned.place.first(), bytes });
                }
                whole.changes.extend(part.changes);
                whole.matched.tier = whole.matched.tier.max(part.matched.tier);
                whole.place.end = part.place.end;
            }
        }
        end = aligned.place.behind();
        first = first.or(Some(aligned));
    }
    Ok(whole)
}

/// The one place of a piece behind the one before, or the first of `any`.
///
/// What is left out is of the block that the lines before open, if they open one and the piece is deeper than they are: no
/// line of it is less deep. A piece that is not ends that block, as the first line that is not deeper, or stands behind it.
/// Where no block is opened no line that is left out is less deep than what stands around it.
fn later(piece: &Sought<'_>, end: usize, any: bool) -> Result<Option<(Alignment, bool)>, Box<Refusal>> {
    let pointers = Pointers { from: end, ..Pointers::default() };
    let piece = &Sought { pointers: &pointers, ..*piece };
    let hay = piece.hay;
    let solid = |line: &usize| !hay.is_blank(*line);
    let depth_at = |line: usize| depth(hay.text(line));
    let last = (0..end).rev().find(solid).map_or(0, depth_at);
    let opens = (end..hay.line_count()).find(solid).is_some_and(|line| depth_at(line) > last);
    let own = |place: &Place| (place.first()..place.behind()).find(solid).map_or(0, depth_at);
    let least = |place: &Place, least: usize| {
        hay.lines(end..place.first()).all(|(_, line)| is_blank(line.text) || depth(line.text) >= least)
    };
    let first = only_one(piece, any, |place| match own(place) {
        own if opens && own > last => least(place, last + 1),
        own if opens => least(place, own + 1),
        own => least(place, own.min(last)),
    })?;
    if first.is_some() || !opens {
        return Ok(first);
    }
    only_one(piece, any, |place| own(place) <= last && least(place, own(place)))
}

/// The one place of a piece that may be meant, or the first of `any`, and whether the piece was made there; none if it has
/// none.
fn only_one(
    piece: &Sought<'_>,
    any: bool,
    may_be: impl Fn(&Place) -> bool,
) -> Result<Option<(Alignment, bool)>, Box<Refusal>> {
    let Search::Found(found) = find(piece)? else { return Ok(None) };
    let places: Vec<&(Alignment, bool)> =
        found.places.iter().filter(|(aligned, _)| may_be(&aligned.place)).collect();
    match places.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some((*one).clone())),
        [first, ..] if any => Ok(Some((*first).clone())),
        _ => Err(evidence::ambiguous(piece.hay, places.iter().map(|(aligned, _)| aligned.place))),
    }
}
