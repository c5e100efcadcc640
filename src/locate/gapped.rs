//! Hunks with gaps. A gap stands for lines of the file that the search text leaves out between two of its segments.
//!
//! At tier 7, an elision, which is a line such as `...` or `// ... existing code ...` in both texts, keeps these lines.
//! A `~` line of a diff removes them.

use super::alignment::Alignment;
use super::bounds::Bounds;
use super::evidence;
use super::heading::Headings;
use super::indent::Shift;
use super::matches::find;
use super::query::Query;
use super::solution::Solution;
use super::tier::{MatchMode, Tier};
use crate::diag::Refusal;
use crate::guard::placeholder::Placeholder;
use crate::pattern::Step;
use crate::text::search::Place;
use crate::text::{depth, is_blank};

/// Locates a hunk with gaps. Each segment has to match in exactly one place of the whole file. The places have to be in
/// order, one shift has to fit all of them, and the lines of a gap have to belong to the block above it. `None` if that
/// is not so, or if the hunk has no gap.
///
/// # Errors
/// A segment matches in several places.
pub(super) fn locate(query: &Query<'_>) -> Result<Option<Solution>, Box<Refusal>> {
    let Query { context, hay, pattern, .. } = *query;
    let keeps_gaps = !pattern.steps.contains(&Step::Gap);
    let is_elision = |line: usize| {
        let kind = Placeholder::of(pattern.before[line], context.limits.language());
        kind.is_some_and(|kind| kind != Placeholder::Unmarked)
    };
    let is_gap = |step: &Step<'_>| match *step {
        Step::Keep(line) => keeps_gaps && is_elision(line),
        _ => *step == Step::Gap,
    };
    let Some(segments) = pattern.cut(is_gap) else { return Ok(None) };
    let anywhere = Query { bounds: &Bounds::NONE, ..*query };
    let headings = Headings::new(hay, context);
    let (mut lines, mut places, mut match_mode) = (Vec::new(), Vec::<Place>::new(), MatchMode::EXACT);
    let (mut changes, mut already_applied, mut section) = (0, 0, None);
    for (at, segment) in segments.iter().enumerate() {
        if at > 0 && keeps_gaps {
            lines.push(None);
        }
        if segment.solid().is_empty() {
            if !segment.changes_nothing() {
                return Ok(None);
            }
            lines.extend(segment.before.iter().map(|_| None));
            continue;
        }
        let matches = find(&anywhere.with(segment))?;
        let (aligned, is_applied) = match matches.places.as_slice() {
            [] => return Ok(None),
            [only] => only,
            _ => return Err(evidence::ambiguous(hay, matches.all())),
        };
        let place = aligned.place;
        // Below the end of the section of an earlier segment, another section begins.
        let is_after_section = section.is_some_and(|end| end <= place.first());
        if is_after_section || places.last().is_some_and(|above| !is_in_one_block(query, above, &place)) {
            return Ok(None);
        }
        section =
            (place.first()..place.behind()).rev().find_map(|line| headings.section_end(line)).or(section);
        changes += usize::from(!segment.changes_nothing());
        already_applied += usize::from(*is_applied);
        lines.extend((0..segment.before.len()).map(|line| aligned.line(line)));
        places.push(place);
        if matches.match_mode != MatchMode::EXACT {
            match_mode =
                MatchMode { tier: match_mode.tier.max(matches.match_mode.tier), ..MatchMode::LOOSEST };
        }
    }
    let (Some(first), Some(last)) = (places.first(), places.last()) else { return Ok(None) };
    let place = Place { start: first.start, end: last.end };
    let end = Place { start: place.end, ..place };
    let Some(aligned) = Alignment::of(hay, pattern, place, match_mode, Some(lines)) else { return Ok(None) };
    let has_one_shift = !matches!(aligned.shift, Shift::Steps(_)) || aligned.lost_indent.is_some();
    if !has_one_shift || !query.admits(&place) || !query.admits(&end) {
        return Ok(None);
    }
    let mut solution = match already_applied {
        0 => query.solve(&aligned)?,
        count if count == changes && keeps_gaps => Solution::at(hay, place, match_mode),
        _ => return Ok(None),
    };
    if keeps_gaps {
        solution.matched.tier = Tier::Elision;
    }
    Ok(Some(solution))
}

/// Whether the lines between two places belong to the block of the line above them. If the first of them is deeper than
/// the line above, all have to be deeper than it; otherwise none may be shallower than it.
fn is_in_one_block(query: &Query<'_>, above: &Place, below: &Place) -> bool {
    let hay = query.hay;
    let mut last = (above.first()..above.behind()).rev().filter(|line| !hay.is_blank(*line));
    let outer = last.next().map_or(0, |line| depth(hay.text(line)));
    let skipped = hay.lines(above.behind()..below.first()).filter(|(_, line)| !is_blank(line.text));
    let mut depths = skipped.map(|(_, line)| depth(line.text)).peekable();
    let is_deeper = depths.peek().is_some_and(|first| *first > outer);
    above.behind() <= below.first() && depths.all(|depth| depth > outer || depth == outer && !is_deeper)
}
