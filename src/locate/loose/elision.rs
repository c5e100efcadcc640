//! Tier 7: a comment such as `// ... existing code ...`, or bare `...`, that stands for lines in the before-text and in the
//! after-text. Both are cut there, and each piece is located.

use crate::locate::alignment::Alignment;
use crate::locate::evidence::{self, Refusal};
use crate::locate::found::{Search, find};
use crate::locate::indent::Shift;
use crate::locate::pattern::{Pattern, Step};
use crate::locate::place::Place;
use crate::locate::placeholder::{is_dots, is_placeholder};
use crate::locate::pointer::{Pointers, depth};
use crate::locate::scene::Solution;
use crate::locate::solve::solve;
use crate::locate::sought::Sought;
use crate::locate::tier::Tier;
use crate::text::is_blank;

/// The pieces of a hunk at their places; none if nothing in it stands for lines, or a piece has no place.
pub(super) fn locate(sought: &Sought<'_>) -> Result<Option<Solution>, Box<Refusal>> {
    let Sought { hay, pattern, .. } = *sought;
    let elided = |step: &Step<'_>| match *step {
        Step::Keep(line) => {
            pattern.before.get(line).is_some_and(|text| is_placeholder(text) || is_dots(text))
        }
        _ => false,
    };
    let Some(pieces) = pattern.cut(elided) else { return Ok(None) };
    let mut changes = Vec::new();
    let mut first: Option<Alignment> = None;
    let mut end = 0;
    let pieces: Vec<&Pattern<'_>> = pieces.iter().filter(|piece| !piece.steps.is_empty()).collect();
    for (index, &piece) in pieces.iter().enumerate() {
        // Lines added between two placeholders: beside what?
        if piece.before.is_empty() {
            return Ok(None);
        }
        let aligned = match &first {
            None => only_one(&sought.with(piece), false, |_| true)?,
            Some(_) => {
                // Where nothing from here on changes, the outcome is the same wherever it stands.
                let any = pieces[index..].iter().all(|piece| piece.changes_nothing());
                later(&sought.with(piece), end, any)?
            }
        };
        let Some((aligned, made)) = aligned else { return Ok(None) };
        if let Some(first) = &first {
            // Farther in than the first piece says it is in another block.
            if matches!(aligned.shift, Shift::Add(_) | Shift::Strip(_)) && aligned.shift != first.shift {
                return Ok(None);
            }
        }
        // Where it was made nothing is left to do, and the next best place is not asked.
        if !piece.changes_nothing() && !made {
            changes.extend(solve(&sought.with(piece), &aligned, 1)?.changes);
        }
        end = aligned.place.behind();
        first = first.or(Some(aligned));
    }
    let Some(first) = first else { return Ok(None) };
    let mut solution = Solution { changes, ..Solution::at(hay, first.place, first.rung, 1) };
    solution.matched.tier = Tier::Elision;
    Ok(Some(solution))
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
