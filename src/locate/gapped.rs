//! A hunk with gaps, which does not name all lines between its first and its last. Tier 7: they stay where a line such as
//! `...` or `// ... existing code ...` stands for them in both texts. They go where a diff has a `~` line.

use super::alignment::Alignment;
use super::evidence;
use super::indent::Shift;
use super::matches::find;
use super::pointer::{Blocks, Pointers};
use super::query::Query;
use super::solution::Solution;
use super::tier::{MatchMode, Tier};
use crate::diag::Refusal;
use crate::guard::placeholder::Placeholder;
use crate::pattern::Step;
use crate::text::search::Place;
use crate::text::{depth, is_blank};

/// What a hunk changes whose segments, those between its gaps, each match one place in the whole file, in order and with one
/// shift. None if it has no gap, or the lines of one are not of the block that was begun above it.
///
/// # Errors
/// A segment matches several places.
pub(super) fn locate(query: &Query<'_>) -> Result<Option<Solution>, Box<Refusal>> {
    let Query { context, hay, pattern, pointers } = *query;
    let stays = !pattern.steps.contains(&Step::Gap);
    let stands_for_lines = |line: usize| {
        let kind = Placeholder::of(pattern.before[line], context.limits.language());
        kind.is_some_and(|kind| kind != Placeholder::Unmarked)
    };
    let is_gap = |step: &Step<'_>| match *step {
        Step::Keep(line) => stays && stands_for_lines(line),
        _ => *step == Step::Gap,
    };
    let Some(segments) = pattern.cut(is_gap) else { return Ok(None) };
    let anywhere = Query { pointers: &Pointers::NONE, ..*query };
    let blocks = Blocks::new(hay, context);
    let (mut lines, mut places, mut match_mode) = (Vec::new(), Vec::<Place>::new(), MatchMode::EXACT);
    let (mut changes, mut already_applied, mut section) = (0, 0, None);
    for (at, segment) in segments.iter().enumerate() {
        if at > 0 && stays {
            lines.push(None);
        }
        if segment.solid().is_empty() {
            if !segment.changes_nothing() {
                return Ok(None);
            }
            lines.extend(segment.before.iter().map(|_| None));
            continue;
        }
        let Ok(matches) = find(&anywhere.with(segment))? else { return Ok(None) };
        let [(aligned, is_applied)] = matches.places.as_slice() else {
            return Err(evidence::ambiguous(hay, matches.places.iter().map(|(aligned, _)| aligned.place)));
        };
        let place = aligned.place;
        let is_beyond = section.is_some_and(|end| end <= place.first());
        if is_beyond || places.last().is_some_and(|above| !is_in_one_block(query, above, &place)) {
            return Ok(None);
        }
        section = (place.first()..place.behind()).rev().find_map(|line| blocks.section_end(line)).or(section);
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
    let is_one_shift = !matches!(aligned.shift, Shift::Steps(_)) || aligned.first.is_some();
    if !is_one_shift || pointers.against(&place).or(pointers.against(&end)).is_some() {
        return Ok(None);
    }
    let mut solution = match already_applied {
        0 => query.solve(&aligned)?,
        count if count == changes && stays => Solution::at(hay, place, match_mode),
        _ => return Ok(None),
    };
    if stays {
        solution.matched.tier = Tier::Elision;
    }
    Ok(Some(solution))
}

/// Whether the lines between two places are of the block that was begun above them. Where the first of them is deeper than the
/// line before the gap none is as shallow as that line, else none is shallower.
fn is_in_one_block(query: &Query<'_>, above: &Place, below: &Place) -> bool {
    let hay = query.hay;
    let mut head = (above.first()..above.behind()).rev().filter(|line| !hay.is_blank(*line));
    let begun = head.next().map_or(0, |line| depth(hay.text(line)));
    let passed = hay.lines(above.behind()..below.first()).filter(|(_, line)| !is_blank(line.text));
    let mut depths = passed.map(|(_, line)| depth(line.text)).peekable();
    let is_deeper = depths.peek().is_some_and(|first| *first > begun);
    above.behind() <= below.first() && depths.all(|depth| depth > begun || depth == begun && !is_deeper)
}
