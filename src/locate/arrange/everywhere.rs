//! A text that is replaced wherever it stands, to the byte, as the tools do it whose calls ask for that.

use crate::edit::Change;
use crate::guard;
use crate::locate::evidence::{self, Refusal};
use crate::locate::query::Query;
use crate::locate::solution::{Part, Solution};
use crate::locate::tier::{MatchMode, Scope};
use crate::locate::verbatim::{places, replaced, texts};
use crate::text::search::Place;

/// What the hunk comes to; none if its text stands nowhere as it is.
///
/// # Errors
/// Some of its places were made already and others not.
pub(super) fn everywhere(query: &Query<'_>, change: &Change) -> Result<Option<Part>, Box<Refusal>> {
    let Query { context, hay, pattern, .. } = *query;
    let Some([before, after]) = texts(change) else { return Ok(None) };
    let mut all = places(hay, before);
    // Of places that overlap the first is taken.
    let mut last: Option<Place> = None;
    all.retain(|place| {
        let is_apart = last.is_none_or(|last| !last.overlaps(place));
        last = if is_apart { Some(*place) } else { last };
        is_apart
    });
    let Some(first) = all.first().copied() else { return Ok(None) };
    let match_mode = MatchMode { scope: Scope::Part, ..MatchMode::EXACT };
    let results = if after.contains(before) { places(hay, after) } else { Vec::new() };
    let mut results = results.iter().peekable();
    let mut is_made = |place: &Place| {
        while results.next_if(|result| result.end <= place.start).is_some() {}
        results.peek().is_some_and(|result| place.overlaps(result) && !place.reaches_out_of(result))
    };
    match all.iter().filter(|place| is_made(place)).count() {
        0 => {}
        made if made == all.len() => return Ok(Some(Part::Made(Solution::at(hay, first, match_mode, made)))),
        _ => return Err(evidence::ambiguous(hay, all)),
    }
    guard::hunk(hay, &first, pattern, &context.limits.guard)?;
    let in_lines = all.chunk_by(|one, next| next.start.line <= one.end.line);
    let changes = in_lines.map(|places| replaced(hay, places, after)).collect();
    Ok(Some(Part::Change(Solution { changes, ..Solution::at(hay, first, match_mode, all.len()) })))
}
