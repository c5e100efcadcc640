//! Search texts that match byte for byte, wherever in a line they begin and end. The edit tools of agents apply them
//! like this.

use super::evidence;
use super::query::Query;
use super::solution::{Placement, Solution};
use super::tier::{MatchMode, Scope};
use crate::diag::Refusal;
use crate::edit::{Change, Unit};
use crate::guard;
use crate::response::Passage;
use crate::text::Normalization;
use crate::text::search::{Haystack, Place, Point, is_of_tokens};
use crate::version::LineChange;

/// Returns the placement of a hunk whose search text matches byte for byte, except for line endings: at its only match,
/// or, with `everywhere`, at all matches. `None` if there is no match, or if the hunk is not from a call of an edit
/// tool.
///
/// # Errors
/// It has several matches, or is already applied at some of them, or its replacement is refused.
pub(super) fn verbatim(
    query: &Query<'_>,
    change: &Change,
    everywhere: bool,
) -> Result<Option<Placement>, Box<Refusal>> {
    let Query { context, hay, pattern, .. } = *query;
    let Some([before, after]) = texts(change) else { return Ok(None) };
    let mut all = places(hay, before);
    if all.len() > 1 && !everywhere {
        return Err(evidence::ambiguous(hay, all));
    }
    // If matches overlap, the first is taken.
    let mut last: Option<Place> = None;
    all.retain(|place| {
        let is_apart = last.is_none_or(|last| !last.overlaps(place));
        last = if is_apart { Some(*place) } else { last };
        is_apart
    });
    let Some(first) = all.first().copied() else { return Ok(None) };
    // A match is not taken if its replacement would join two lines, or if it begins in the middle of a token: then this
    // line only ends like the one that is meant.
    let joins =
        before.starts_with('\n') && !after.is_empty() && !after.starts_with('\n') && first.start.column > 0;
    if !everywhere && (joins || before.ends_with('\n') && !is_of_tokens(hay, &first)) {
        return Ok(None);
    }
    let match_mode = MatchMode { scope: Scope::Part, ..MatchMode::EXACT };
    // An insertion keeps its search text. If a match is inside the replacement, the insertion is already applied there.
    let results = if after.contains(before) { places(hay, after) } else { Vec::new() };
    let mut results = results.iter().peekable();
    let mut is_applied = |place: &Place| {
        while results.next_if(|result| result.end <= place.start).is_some() {}
        results.peek().is_some_and(|result| place.overlaps(result) && !place.reaches_out_of(result))
    };
    match all.iter().filter(|place| is_applied(place)).count() {
        0 => {}
        applied if applied == all.len() => {
            return Ok(Some(Placement::applied(hay, first, match_mode)));
        }
        _ => return Err(evidence::ambiguous(hay, all).with_help(evidence::HELP_ONE)),
    }
    guard::hunk(hay, &first, pattern, &context.limits.guard)?;
    let in_lines = all.chunk_by(|one, next| next.start.line <= one.end.line);
    let changes = in_lines.map(|places| replaced(hay, places, after)).collect();
    Ok(Some(Placement::Change(Solution { changes, ..Solution::at(hay, first, match_mode) })))
}

/// The search text and replacement of a change of unit [`Unit::Verbatim`].
fn texts<'t>(change: &'t Change) -> Option<[&'t str; 2]> {
    let Change::Texts { before, after, unit: Unit::Verbatim { is_ended } } = change else { return None };
    let text = |text: &'t Passage| text.strip_suffix(if *is_ended { "" } else { "\n" }).unwrap_or(text);
    Some([before, after].map(text))
}

/// The matches of a text, ascending.
fn places(hay: Haystack<'_>, text: &str) -> Vec<Place> {
    let lines: Vec<&[u8]> = text.split('\n').map(str::as_bytes).collect();
    let [first, inner @ .., last] = lines.as_slice() else { return hay.parts(text.as_bytes()) };
    // The lines between the first and the last are whole lines, which are found in linear time.
    let begins: Vec<usize> = match inner {
        [] if first.is_empty() => (0..hay.line_count()).collect(),
        [] => hay.parts(first).iter().map(Place::first).collect(),
        inner => hay
            .whole_lines(inner, Normalization::Text)
            .iter()
            .filter_map(|at| at.first().checked_sub(1))
            .collect(),
    };
    let match_at = |line: usize| {
        let end = line + lines.len() - 1;
        // The text has a newline there, which the last line of the file may lack.
        let matches = hay.text(line).ends_with(first)
            && hay.line(end - 1).is_some_and(|line| line.eol.is_some())
            && hay.text(end).starts_with(last);
        let start = Point { line, column: hay.text(line).len().saturating_sub(first.len()) };
        matches.then_some(Place { start, end: Point { line: end, column: last.len() } })
    };
    let mut places: Vec<Place> = begins.into_iter().filter_map(match_at).collect();
    // If a line contains the first line of the text twice, its place was found twice.
    places.dedup();
    places
}

/// Replaces each place by the text, in one change. Each of the places begins in the line in which the one before ends.
fn replaced(hay: Haystack<'_>, places: &[Place], text: &str) -> LineChange {
    let lines = |place: &Place| (place.start.line, place.end.line);
    let first = places.first().map_or(0, |place| lines(place).0);
    let last = places.last().map_or(0, |place| lines(place).1);
    let eol = hay.content().eol_of(first..last + 1).as_bytes();
    let text = text.split('\n').map(str::as_bytes).collect::<Vec<_>>().join(eol);
    let (mut bytes, mut column) = (Vec::new(), 0);
    for place in places {
        bytes.extend_from_slice(
            hay.text(place.start.line).get(column..place.start.column).unwrap_or_default(),
        );
        bytes.extend_from_slice(&text);
        column = place.end.column;
    }
    // The rest of the last line follows the text, unless both the last place and the text end at the beginning of a
    // line.
    if column > 0 || !bytes.ends_with(b"\n") && !bytes.ends_with(b"\r") {
        let line = hay.line(last);
        let rest = line.as_ref().and_then(|line| line.text.get(column..)).unwrap_or_default();
        let rest_eol = line.and_then(|line| line.eol).map_or(&[][..], |eol| eol.as_bytes());
        bytes.extend_from_slice(&[rest, rest_eol].concat());
        return LineChange::new(first, (last + 1).min(hay.line_count()), bytes);
    }
    LineChange::new(first, last, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Content;
    use crate::text::search::Budget;

    fn found(file: &str, text: &str) -> Vec<(usize, usize)> {
        let (content, budget) = (Content::new(file.as_bytes()), Budget::default());
        let places = places(Haystack::new(&content, &budget), text);
        places.iter().map(|place| (place.start.line, place.start.column)).collect()
    }

    #[test]
    fn a_text_matches_wherever_its_bytes_are() {
        let file = "foo(a,\n    b)\nbar(a,\n    b,\n    c)\n";
        assert_eq!(found(file, "a,\n    b"), [(0, 4), (2, 4)]);
        assert_eq!(found(file, "a,\n    b,\n    c"), [(2, 4)]);
        assert_eq!(found(file, "\n    b,\n"), [(2, 6)]);
        assert_eq!(found(file, "a\n    b"), []);
        assert_eq!(found("a a\nb", "a\nb"), [(0, 2)]);
        assert_eq!(found("a\nb", "b\n"), [], "the file ends without a newline");
    }

    #[test]
    fn lines_that_are_repeated_are_searched_in_linear_time() {
        let file = "x\n".repeat(100_000);
        assert!(found(&file, &format!("{}y", "x\n".repeat(50_000))).is_empty());
    }
}
