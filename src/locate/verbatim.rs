//! A text that is taken to the byte, wherever it begins and ends: so do the tools that a model calls.

use super::change::LineChange;
use super::evidence::{self, Refusal};
use super::haystack::Haystack;
use super::place::{Place, Point};
use super::scene::{Part, Solution};
use super::sought::Sought;
use super::splice::region_eol;
use super::tier::{Rung, Scope};
use super::{Repeat, guard};
use crate::edit::{Change, Unit};

/// What a hunk comes to whose text stands in the file byte for byte, but for line ends. None if it stands nowhere, or is no such
/// text.
///
/// # Errors
/// It stands in several places, or its new text cannot be put there.
pub(super) fn verbatim(
    sought: &Sought<'_>,
    change: &Change,
    repeat: Repeat,
) -> Result<Option<Part>, Box<Refusal>> {
    let Sought { scene, hay, pattern, .. } = *sought;
    let Change::Texts { before, after, unit: Unit::Verbatim } = change else { return Ok(None) };
    let [before, after] = [before, after].map(|text| text.strip_suffix('\n').unwrap_or(text));
    // What the response has twice is counted as lines.
    if repeat.total > 1 || repeat.elsewhere > 0 || before.trim().is_empty() {
        return Ok(None);
    }
    let places = places(hay, before);
    // Inside of the new text it is what an insertion leaves of it.
    let made = if after.contains(before) { self::places(hay, after) } else { Vec::new() };
    let is_made =
        |place: &Place| made.iter().any(|result| place.overlaps(result) && !place.reaches_out_of(result));
    let rung = Rung { scope: Scope::Part, ..Rung::EXACT };
    match *places.as_slice() {
        [] => Ok(None),
        [place] if is_made(&place) => Ok(Some(Part::Made(Solution::at(hay, place, rung, 0)))),
        [place] => {
            guard::hunk(hay, pattern, scene.limits)?;
            let mut solution = Solution::at(hay, place, rung, 1);
            solution.changes = vec![replaced(hay, &place, after)];
            Ok(Some(Part::Change(solution)))
        }
        _ => Err(evidence::ambiguous(hay, places)),
    }
}

/// Where a text stands, ascending.
fn places(hay: Haystack<'_>, text: &str) -> Vec<Place> {
    let lines: Vec<&[u8]> = text.split('\n').map(str::as_bytes).collect();
    let ([first, inner @ .., last], false) = (lines.as_slice(), text.starts_with('\n')) else {
        return hay.parts(text.as_bytes());
    };
    let stands = |place: Place| {
        let (line, end) = (place.start.line, place.start.line + lines.len() - 1);
        let ends_line = place.end.column == hay.text(line).len();
        let goes_on = || inner.iter().enumerate().all(|(at, text)| hay.text(line + 1 + at) == *text);
        // The newline behind the line above has to be there, too.
        let is_whole = ends_line && hay.line(end - 1).is_some_and(|line| line.eol.is_some()) && goes_on();
        let ends = is_whole && hay.text(end).starts_with(last);
        ends.then_some(Place { start: place.start, end: Point { line: end, column: last.len() } })
    };
    hay.parts(first).into_iter().filter_map(stands).collect()
}

/// The lines that a place touches, with a text in its stead.
fn replaced(hay: Haystack<'_>, place: &Place, text: &str) -> LineChange {
    let eol = region_eol(hay, place.start.line, place.end.line + 1).as_bytes();
    let head = &hay.text(place.start.line)[..place.start.column];
    let mut bytes = [head, &text.split('\n').map(str::as_bytes).collect::<Vec<_>>().join(eol)].concat();
    let mut end = place.behind();
    // What is left of the last line goes on behind the text, unless both end where that begins.
    if place.end.column > 0 || !bytes.ends_with(b"\n") && !bytes.ends_with(b"\r") {
        let last = hay.line(place.end.line);
        let rest = last.as_ref().and_then(|line| line.text.get(place.end.column..)).unwrap_or_default();
        let rest_eol = last.and_then(|line| line.eol).map_or(&[][..], |eol| eol.as_bytes());
        bytes.extend_from_slice(&[rest, rest_eol].concat());
        end = (place.end.line + 1).min(hay.line_count());
    }
    LineChange { start: place.start.line, end, bytes }
}
