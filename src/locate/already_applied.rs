//! Decides whether a hunk is already applied, for all formats.
//!
//! A hunk is already applied only if nothing else can be meant. That is so in any of these cases:
//! - The search text matches inside the result of the hunk: `results`.
//! - The place that the anchor names has the result: [`result_at`] for a line number, [`already_applied`] for a heading.
//! - The result is long enough, it matches in one place, and nothing else in the file is nearly the search text:
//!   [`already_applied`].
//!
//! `arrange/member` asks, and refuses a hunk that only repeats the lines beside it.
//!
//! Hunks that touch each other are judged by their combined result. `src/plan` decides it for everything else: edits
//! of one file that are applied together (`combined`), whole files and deletions (`operations`), moves, and modes.

use super::alignment::Alignment;
use super::bounds::{Bounds, Region};
use super::matches::find;
use super::query::Query;
use super::reindent::Reindent;
use super::results::{is_unfinished, tells_result};
use super::solution::Placement;
use super::splice::{Beside, Splice};
use super::thresholds::{MAX_HUNKS_FOR_MOVES, MIN_LINES, NEARLY_PERCENT};
use super::tier::{LOOSEST, MatchMode, Scope};
use super::{Applied, Context, Outcome, apply};
use crate::edit::{Anchor, Change, Hunk, Unit};
use crate::pattern::{Pattern, Step, has_words};
use crate::text::alike::reach;
use crate::text::search::{Budget, Haystack, Place, Point, is_of_tokens};
use crate::text::{Content, Line, Normalization, difference_of, in_common, is_blank};
use crate::version::Version;
use std::collections::HashSet;
use std::ops::Range;

/// Returns the placement of a hunk whose search text has no match, if the hunk is already applied.
pub(super) fn already_applied(query: &Query<'_>) -> Option<Placement> {
    let Query { context, hay, pattern, bounds } = *query;
    let is_bounded = bounds.regions.is_some() || bounds.tail.is_some();
    let after = Pattern::of_lines(pattern.after());
    let keeps = || pattern.kept().any(|line| !is_blank(pattern.before[line]));
    let is_long_enough = is_bounded || after.solid().len() >= MIN_LINES && keeps();
    let is_still_there =
        |text: &[u8]| nearly_has(hay, &[text], 1, |line| query.admits(&Place::lines(line, line + 1)));
    // A heading names a region, but not a place in it. Without a context line, the result may be other lines there.
    let proves_too_little = |match_mode: MatchMode| {
        is_bounded
            && !keeps()
            && (match_mode.is_shifted()
                || pattern.removed().filter(|text| has_words(text)).any(is_still_there))
    };
    let shrinks = shrinks_at(&mut pattern.steps.iter()) || shrinks_at(&mut pattern.steps.iter().rev());
    if !is_long_enough || shrinks || !pattern.after_is_proof() {
        return None;
    }
    let matches = find(&query.with(&after)).ok()?;
    let (match_mode, places) = (matches.match_mode, matches.all());
    let place = places.first().copied().filter(|_| [1, context.repeat(0).total].contains(&places.len()))?;
    // If lines above a result are missing in the file, its first line may have another indentation.
    let is_whole = matches.places.iter().all(|(aligned, _)| aligned.lost_indent.is_none());
    let is_finished = is_whole && !places.iter().any(|place| is_unfinished(hay, pattern, place));
    let is_result =
        is_finished && match_mode.scope == Scope::Whole && tells_result(pattern, match_mode.normalization);
    (is_result && !proves_too_little(match_mode) && !nearly_matches(query, &places))
        .then(|| Placement::applied(hay, place, match_mode))
}

/// Whether a hunk removes more lines at an edge than it adds there. The file may still have these lines beside the
/// result, if the response misquotes them.
fn shrinks_at(steps: &mut dyn Iterator<Item = &Step<'_>>) -> bool {
    let changes: Vec<&Step<'_>> = steps.take_while(|step| !matches!(step, Step::Keep(_))).collect();
    2 * changes.iter().filter(|step| matches!(step, Step::Remove(_))).count() > changes.len()
}

/// Returns the match of the result of a hunk at a line that the line number of the hunk names, or after blank lines
/// there.
pub(super) fn result_at(query: &Query<'_>, line: usize) -> Option<(Place, MatchMode)> {
    let Query { hay, pattern, .. } = *query;
    let after = Pattern::of_lines(pattern.after());
    // A cheap check, because usually nothing matches there in any mode. Blank lines alone match only as they are.
    let has_no_text = after.solid().is_empty();
    let last = if has_no_text { line } else { query.with(&after).loose_match_at(line)?.first() };
    let regions = Some(vec![Region { heading: line, outermost: line, last, opens: false }]);
    let bounds = Bounds { regions, ..Bounds::NONE };
    let nearby = hay.within(line..last.saturating_add(2 * after.before.len() + 1));
    let matches = find(&Query { hay: nearby, bounds: &bounds, ..query.with(&after) }).ok()?;
    let (place, match_mode) = (matches.places.first()?.0.place, matches.match_mode);
    // If blank lines are changed, or nothing with a word is added, only the blank lines show whether the hunk is
    // applied.
    let changes_blanks =
        pattern.added().chain(pattern.removed()).any(is_blank) || !pattern.added().any(has_words);
    let is_seen = tells_result(pattern, MatchMode::TRAILING.normalization)
        && tells_result(pattern, match_mode.normalization)
        && !(changes_blanks && match_mode.scope == Scope::SkippingBlanks);
    (is_seen && !is_unfinished(hay, pattern, &place) && query.admits(&place)).then_some((place, match_mode))
}

/// Returns a match of the result of a hunk that is stricter than the matches of its search text and does not overlap
/// them. The hunk may be applied there.
pub(super) fn stricter_result(query: &Query<'_>, match_mode: MatchMode, places: &[Place]) -> Option<Place> {
    let after = Pattern::of_lines(query.pattern.after());
    if match_mode == MatchMode::EXACT || !after.before.iter().any(|text| has_words(text)) {
        return None;
    }
    let results = find(&query.with(&after)).ok()?;
    let is_apart = |result: &Place| !places.iter().any(|place| place.overlaps(result));
    let result = results.all().first().copied().filter(is_apart)?;
    let is_result = results.match_mode.is_stricter(match_mode)
        && tells_result(query.pattern, results.match_mode.normalization);
    (is_result && !is_unfinished(query.hay, query.pattern, &result)).then_some(result)
}

/// Whether a hunk only deletes lines of the base, and these lines are in the result of another hunk of the response,
/// which adds them. Then the response moves lines and may be already applied; the hunk would delete the moved lines.
pub(super) fn deletes_moved_lines(query: &Query<'_>, aligned: &Alignment) -> bool {
    let Query { context, hay, pattern, .. } = *query;
    let removed = pattern.steps.iter().filter_map(|step| match step {
        Step::Remove(line) => aligned.line(*line).filter(|line| !hay.is_blank(*line)),
        _ => None,
    });
    let removed: Vec<usize> = removed.collect();
    let is_old = |line: &usize| context.lineage().is_none_or(|lineage| lineage.origin(*line).is_some());
    let Some(first) = removed.first().map(|line| hay.text(*line)) else { return false };
    if pattern.added().next().is_some() || !removed.iter().all(is_old) {
        return false;
    }
    let is_from =
        |hunk: &&Hunk| hunk.change.replacement_lines().iter().any(|line| LOOSEST.eq(line.as_bytes(), first));
    context.others.iter().take(MAX_HUNKS_FOR_MOVES).filter(|hunk| is_from(hunk)).any(|hunk| {
        let Some(other) = Pattern::readings(&hunk.change).into_iter().next() else { return false };
        let added: HashSet<u64> = other.added().map(|text| LOOSEST.hash(text)).collect();
        let holds = |place: &Place| removed.iter().all(|line| (place.first()..place.behind()).contains(line));
        removed.iter().all(|line| added.contains(&LOOSEST.hash(hay.text(*line))))
            && hay.whole_lines(&other.after(), LOOSEST).iter().any(holds)
    })
}

/// Returns the first match of the result of a hunk that begins between two points and does not overlap these matches of
/// its search text. A hunk that is located by counting, or by a line above it, may be applied there.
pub(super) fn result_between(query: &Query<'_>, points: [Point; 2], apart: &[&Alignment]) -> Option<Place> {
    let Query { hay, pattern, .. } = *query;
    let after = pattern.after();
    let mut results = hay.whole_lines(&after, Normalization::Trimmed);
    if let [text] = after.as_slice()
        && pattern.unit != Unit::Lines
    {
        results.extend(hay.parts(text).into_iter().filter(|place| is_of_tokens(hay, place)));
    }
    let is_between = |result: &Place| points[0] <= result.start && result.start < points[1];
    let is_apart = |result: &Place| !apart.iter().any(|aligned| result.overlaps(&aligned.place));
    results.into_iter().find(|result| is_between(result) && is_apart(result))
}

/// Whether something in the file, apart from these places, is nearly the search text.
pub(super) fn nearly_matches(query: &Query<'_>, apart: &[Place]) -> bool {
    let Query { hay, pattern, .. } = *query;
    nearly_has(hay, &pattern.solid(), 0, |line: usize| {
        let place = Place::lines(line, line + 1);
        !apart.iter().any(|other| other.overlaps(&place)) && query.admits(&place)
    })
}

/// Whether a text has six in ten of these lines, and at least `min` of them, in order and near each other. Only lines
/// of the text that `counts` accepts count. If the budget is spent, it is assumed that the text has them.
pub(super) fn nearly_has(
    hay: Haystack<'_>,
    lines: &[&[u8]],
    min: usize,
    counts: impl Fn(usize) -> bool,
) -> bool {
    let wanted: Vec<u64> = lines.iter().map(|line| LOOSEST.hash(line)).collect();
    let needed = (wanted.len() * NEARLY_PERCENT).div_ceil(100).max(min);
    let file = hay.solid(LOOSEST);
    // The lines of the file that equal one of the lines, in the order of the file.
    let spots = file.spots(&wanted, usize::MAX);
    let mut lines: Vec<(usize, u64)> = spots
        .into_iter()
        .flat_map(|(hash, spots)| spots.into_iter().map(move |spot| (spot, hash)))
        .filter(|(spot, _)| file.line(*spot).is_some_and(&counts))
        .collect();
    lines.sort_unstable();
    let mut behind = 0;
    for (at, (first, _)) in lines.iter().enumerate() {
        while lines.get(behind).is_some_and(|(spot, _)| *spot < first + reach(wanted.len())) {
            behind += 1;
        }
        let beside = &lines[at..behind];
        if beside.len() < needed {
            continue;
        }
        let there: Vec<u64> = beside.iter().map(|(_, hash)| *hash).collect();
        if !hay.budget().spend(there.len().saturating_mul(wanted.len()) / 8 + 1)
            || in_common(&difference_of(&wanted, &there)) >= needed
        {
            return true;
        }
    }
    false
}

/// Returns the text before all hunks of a file, if they may be already applied together. The result of one hunk after
/// the other is searched and reverted; `None` if one of them does not match in exactly one place.
///
/// The second value says whether the results prove that the hunks are applied. Hunks that touch each other prove it
/// together, as one hunk. The caller checks that the hunks change the returned text to the content of the file.
pub fn text_before(content: &Content, hunks: &[&Hunk], context: &Context<'_>) -> Option<(Content, bool)> {
    let mut left: Vec<Pattern<'_>> = Vec::with_capacity(hunks.len());
    for hunk in hunks {
        left.push(Pattern::readings(&hunk.change).into_iter().next()?);
    }
    left.retain(|pattern| !pattern.changes_nothing());
    // A cheap check, because usually a line is missing.
    let hay = Haystack::new(content, context.budget);
    if !left.last()?.added().all(|text| hay.has_line(text, LOOSEST)) {
        return None;
    }
    let (mut now, mut is_proven) = (Version::of_base(content.clone()), true);
    // For each line, whether it is one that a hunk changes or has as context.
    let mut of_hunk = vec![false; content.line_count()];
    while !left.is_empty() {
        // From the last hunk on, because usually the one that was applied last matches first.
        let without = |at: usize| Some((at, without_result(&now, left.get(at)?, context.budget)?));
        let (at, (place, before)) = (0..left.len()).rev().find_map(without)?;
        let lines = place.behind() - place.first() + before.content().line_count();
        let lines = lines.checked_sub(of_hunk.len())?;
        of_hunk.splice(place.first()..place.behind(), vec![true; lines]);
        // An addition without context lines leaves nothing that could prove it.
        is_proven &= lines > 0;
        left.remove(at);
        now = before;
    }
    let mut behind = 0;
    for run in of_hunk.chunk_by(|one, next| one == next) {
        let lines = behind..behind + run.len();
        behind = lines.end;
        is_proven &= run.first() == Some(&false) || is_applied(&now, lines, hunks, context) == Some(true);
    }
    (now.content() != content).then(|| (now.content().clone(), is_proven))
}

/// Whether hunks that touch each other are already applied as one hunk. `before` is the file without their results, and
/// `lines` are the lines of the hunks in it.
fn is_applied(before: &Version, lines: Range<usize>, hunks: &[&Hunk], context: &Context<'_>) -> Option<bool> {
    let (file, lineage) = before.base()?;
    // Around the hunks both texts have the same lines.
    let first = lines.start.checked_sub(1).map_or(Some(0), |above| Some(lineage.origin(above)? + 1))?;
    let behind = lineage.origin(lines.end).unwrap_or(file.line_count());
    let text = |content: &Content, lines: Range<usize>| {
        let text =
            |(_, line): (usize, Line<'_>)| Some(std::str::from_utf8(line.text).ok()?.to_owned() + "\n");
        Haystack::new(content, context.budget).lines(lines).map(text).collect::<Option<String>>()
    };
    let (old, new) = (text(before.content(), lines)?, text(file, first..behind)?);
    let change = Change::Texts { before: old.into(), after: new.into(), unit: Unit::Lines };
    let joined = Hunk { span: hunks.first()?.span, change, anchor: Anchor::Unique };
    let applied = apply(&Version::of_new(file.clone()), &[joined], context);
    Some(matches!(applied, Ok(Applied { outcome: Outcome::AlreadyApplied, .. })))
}

/// Returns the only match of the result of a hunk, and the text before the hunk. `None` if the result does not prove
/// that the hunk was applied.
fn without_result(version: &Version, pattern: &Pattern<'_>, budget: &Budget) -> Option<(Place, Version)> {
    let back = pattern.reversed().filter(|_| pattern.after_is_proof())?;
    let hay = Haystack::new(version.content(), budget);
    let [place] = hay.whole_lines(&back.before, MatchMode::TRAILING.normalization)[..] else { return None };
    // The hunk may also mean a loose match of its search text elsewhere.
    let elsewhere = hay.skipping_blanks(&pattern.solid(), LOOSEST);
    if is_unfinished(hay, pattern, &place) || elsewhere.iter().any(|other| other.reaches_out_of(&place)) {
        return None;
    }
    let aligned = Alignment::at(hay, &back, place, MatchMode::TRAILING)?;
    let splice = Splice { hay, reindent: &Reindent::default(), beside: Beside::Above, context: None };
    Some((place, version.with(&splice.changes(&back, &aligned).ok()?)))
}
