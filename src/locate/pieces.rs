//! A hunk in pieces: it does not name all lines between its first and its last, which stay or go as the hunk says.

use super::alignment::Alignment;
use super::evidence::{self, Refusal};
use super::found::{Search, find};
use super::indent::Shift;
use super::pointer::{Blocks, Pointers};
use super::scene::Solution;
use super::solve::solve;
use super::sought::Sought;
use super::thresholds::ALTERNATIVES;
use crate::pattern::Pattern;
use crate::text::search::Place;
use crate::text::{depth, is_blank};
use crate::version::LineChange;

/// What becomes of the lines between pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    Stays,
    Goes,
}

/// What a hunk changes whose pieces stand one behind the other; none if one has no place. Where the first piece stands several
/// times, and what is between stays, the others say which is meant.
pub(super) fn solution(
    sought: &Sought<'_>,
    pieces: &[Pattern<'_>],
    between: Between,
) -> Result<Option<Solution>, Box<Refusal>> {
    // Lines added between two gaps: beside what?
    let Some((first, rest)) =
        pieces.split_first().filter(|_| pieces.iter().all(|piece| !piece.before.is_empty()))
    else {
        return Ok(None);
    };
    let Search::Found(found) = find(&sought.with(first))? else { return Ok(None) };
    let several = found.places.len() > 1;
    if several && (between == Between::Goes || found.places.len() > ALTERNATIVES) {
        return Err(ambiguous(sought, found.places.iter().map(|(aligned, _)| aligned)));
    }
    let mut solutions = Vec::new();
    for place in &found.places {
        let pieces = Pieces { sought, rest, between, is_sure: !several };
        solutions.extend(pieces.from(first, place)?.map(|solution| (&place.0, solution)));
    }
    match solutions.len() {
        0 | 1 => Ok(solutions.pop().map(|(_, solution)| solution)),
        _ => Err(ambiguous(sought, solutions.iter().map(|(aligned, _)| *aligned))),
    }
}

/// The pieces of a hunk behind the first.
struct Pieces<'a> {
    sought: &'a Sought<'a>,
    rest: &'a [Pattern<'a>],
    between: Between,
    /// Whether the first has but one place.
    is_sure: bool,
}

impl Pieces<'_> {
    /// What the hunk changes with its first piece at a place.
    fn from(&self, first: &Pattern<'_>, (head, made): &Found) -> Result<Option<Solution>, Box<Refusal>> {
        let mut whole = self.part(first, head, *made)?;
        let mut end = head.place.behind();
        let mut section = self.section_end(&head.place);
        for (index, piece) in self.rest.iter().enumerate() {
            // Where nothing from here on changes, the outcome is the same wherever it stands.
            let any =
                self.between == Between::Stays && self.rest[index..].iter().all(Pattern::changes_nothing);
            let found = match any && self.is_sure {
                true => {
                    let pointers = Pointers { from: end, ..Pointers::default() };
                    only_one(&Sought { pointers: &pointers, ..self.sought.with(piece) }, any, |_| true)?
                }
                false => later(&self.sought.with(piece), end, any)?,
            };
            let Some((aligned, made)) = found else { return Ok(None) };
            // Farther in than the first piece says it is in another block.
            let is_farther =
                matches!(aligned.shift, Shift::Add(_) | Shift::Strip(_)) && aligned.shift != head.shift;
            let is_beyond = self.between == Between::Stays
                && section.is_some_and(|section| section <= aligned.place.first());
            if (is_farther || is_beyond) && !(any && self.is_sure) {
                return Ok(None);
            }
            section = self.section_end(&aligned.place).or(section);
            let part = self.part(piece, &aligned, made)?;
            if self.between == Between::Goes {
                let bytes = Vec::new();
                whole.changes.push(LineChange::new(end, aligned.place.first(), bytes));
            }
            whole.changes.extend(part.changes);
            whole.matched.tier = whole.matched.tier.max(part.matched.tier);
            whole.place.end = part.place.end;
            end = aligned.place.behind();
        }
        Ok(Some(whole))
    }

    /// Where the section ends that the last heading of a place begins. What is left out is of that section.
    fn section_end(&self, place: &Place) -> Option<usize> {
        let blocks = Blocks::new(self.sought.hay, self.sought.scene);
        (place.first()..place.behind()).rev().find_map(|line| blocks.section_end(line))
    }

    /// What a piece changes at its place. Where it was made nothing is left to do, and the next best place is not asked.
    fn part(&self, piece: &Pattern<'_>, aligned: &Alignment, made: bool) -> Result<Solution, Box<Refusal>> {
        match piece.changes_nothing() || made && self.between == Between::Stays {
            true => Ok(Solution::at(self.sought.hay, aligned.place, aligned.rung, 1)),
            false => solve(&self.sought.with(piece), aligned, 1),
        }
    }
}

/// A place of a piece, and whether the piece was made there.
type Found = (Alignment, bool);

fn ambiguous<'a>(sought: &Sought<'_>, places: impl Iterator<Item = &'a Alignment>) -> Box<Refusal> {
    evidence::ambiguous(sought.hay, places.map(|aligned| aligned.place))
}

/// The one place of a piece behind the one before, or the first of `any`.
///
/// What is left out is of the block that the lines before open, if they open one and the piece is deeper than they are: no
/// line of it is less deep. A piece that is not ends that block, as the first line that is not deeper, or stands behind it.
/// Where no block is opened no line that is left out is less deep than what stands around it.
fn later(piece: &Sought<'_>, end: usize, any: bool) -> Result<Option<Found>, Box<Refusal>> {
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
) -> Result<Option<Found>, Box<Refusal>> {
    let Search::Found(found) = find(piece)? else { return Ok(None) };
    let places: Vec<&Found> = found.places.iter().filter(|(aligned, _)| may_be(&aligned.place)).collect();
    match places.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some((*one).clone())),
        [first, ..] if any => Ok(Some((*first).clone())),
        _ => Err(ambiguous(piece, places.iter().map(|(aligned, _)| aligned))),
    }
}
