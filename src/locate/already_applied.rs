//! Whether a hunk is already applied. Every format and strategy asks here.
//!
//! It is said only where nothing else can be meant: the search text lies inside the result, the place that is pointed to holds the
//! result, or the result is long enough, matches one place, and nothing else in the file is nearly the search text. Edits
//! that touch each other are judged by what they come to together.

use super::alignment::Alignment;
use super::matches::{Matches, find};
use super::query::Query;
use super::reindent::Reindent;
use super::results::{is_unfinished, sees_all};
use super::solution::Part;
use super::splice::{Beside, Splice};
use super::thresholds::{LEAST_LINES, NEARLY};
use super::tier::{LOOSEST, MatchMode, Scope};
use crate::edit::{Hunk, Unit};
use crate::pattern::{Pattern, Step, says_something};
use crate::text::alike::reach;
use crate::text::search::{Budget, Haystack, Place, Point, is_of_tokens};
use crate::text::{Content, Normalization, difference_of, in_common, is_blank};
use crate::version::Version;

/// A hunk that has no place as one that is already applied, if that is why.
pub(super) fn already_applied(query: &Query<'_>) -> Option<Part> {
    let Query { context, hay, pattern, pointers } = *query;
    let is_pointed_to = pointers.regions.is_some() || pointers.tail.is_some();
    let after = Pattern::of_lines(pattern.after());
    let keeps = || pattern.kept().any(|line| !is_blank(pattern.before[line]));
    let says_enough = is_pointed_to || after.solid().len() >= LEAST_LINES && keeps();
    let shrinks = shrinks_at(&mut pattern.steps.iter()) || shrinks_at(&mut pattern.steps.iter().rev());
    if !says_enough || shrinks || !pattern.after_is_proof() {
        return None;
    }
    let Matches { match_mode, places } = find(&query.with(&after)).ok()?.ok()?;
    let places: Vec<Place> = places.iter().map(|(aligned, _)| aligned.place).collect();
    let place = places.first().copied().filter(|_| [1, context.repeat(0).total].contains(&places.len()))?;
    let is_finished = !places.iter().any(|place| is_unfinished(hay, pattern, place));
    let is_result =
        is_finished && match_mode.scope == Scope::Whole && sees_all(pattern, match_mode.normalization);
    (is_result && !nearly_matches(query, &places)).then(|| query.made(place, match_mode))
}

/// Whether a hunk removes more lines at an edge than it adds there: they may still be beside its result, misquoted.
fn shrinks_at(steps: &mut dyn Iterator<Item = &Step<'_>>) -> bool {
    let changes: Vec<&Step<'_>> = steps.take_while(|step| !matches!(step, Step::Keep(_))).collect();
    2 * changes.iter().filter(|step| matches!(step, Step::Remove(_))).count() > changes.len()
}

/// Whether lines match just at a line of the file.
pub(super) fn stands_at<T: AsRef<[u8]>>(
    hay: Haystack<'_>,
    line: usize,
    lines: &[T],
    normalization: Normalization,
) -> bool {
    let mut real = (line..).map(|line| hay.line(line));
    lines
        .iter()
        .all(|text| real.next().flatten().is_some_and(|real| normalization.eq(text.as_ref(), real.text)))
}

/// The result of a hunk, if it matches just at a line that its number names.
pub(super) fn applied_at(query: &Query<'_>, line: usize) -> Option<(Place, MatchMode)> {
    let Query { hay, pattern, .. } = *query;
    let after = pattern.after();
    let place = Place::lines(line, line + after.len());
    let mut modes = [MatchMode::EXACT, MatchMode::TRAILING].into_iter();
    let match_mode = modes.find(|mode| stands_at(hay, line, &after, mode.normalization))?;
    (pattern.after_is_proof()
        && sees_all(pattern, MatchMode::TRAILING.normalization)
        && !is_unfinished(hay, pattern, &place)
        && query.admits(&place))
    .then_some((place, match_mode))
}

/// Where the result of a hunk matches in a stricter mode than its search text, apart from its places: it is applied there perhaps,
/// and a looser place is another one.
pub(super) fn stricter_result(query: &Query<'_>, found: MatchMode, places: &[Place]) -> Option<Place> {
    let after = Pattern::of_lines(query.pattern.after());
    if found == MatchMode::EXACT || !after.before.iter().any(|text| says_something(text)) {
        return None;
    }
    let Matches { match_mode, places: results } = find(&query.with(&after)).ok()?.ok()?;
    let is_apart = |result: &Place| !places.iter().any(|place| place.overlaps(result));
    let result = results.first().map(|(aligned, _)| aligned.place).filter(is_apart)?;
    let is_result = match_mode.is_stricter(found) && sees_all(query.pattern, match_mode.normalization);
    (is_result && !is_unfinished(query.hay, query.pattern, &result)).then_some(result)
}

/// Where the result of a hunk matches between two points, apart from a place: what is counted or comes after a line there may
/// have been applied before.
pub(super) fn result_between(query: &Query<'_>, points: [Point; 2], apart: &Place) -> Option<Place> {
    let Query { hay, pattern, .. } = *query;
    let after = pattern.after();
    let mut results = hay.whole_lines(&after, Normalization::Trimmed);
    if let [text] = after.as_slice()
        && pattern.unit != Unit::Lines
    {
        results.extend(hay.parts(text).into_iter().filter(|place| is_of_tokens(hay, place)));
    }
    let is_between = |result: &Place| points[0] <= result.start && result.start < points[1];
    results.into_iter().find(|result| is_between(result) && !result.overlaps(apart))
}

/// Whether something in the file, apart from some places, is nearly the search text: six in ten of its lines that are not blank
/// match there in order.
pub(super) fn nearly_matches(query: &Query<'_>, apart: &[Place]) -> bool {
    let Query { hay, pattern, pointers, .. } = *query;
    nearly_has(hay, &pattern.solid(), 0, |line: usize| {
        let place = Place::lines(line, line + 1);
        !apart.iter().any(|other| other.overlaps(&place)) && pointers.against(&place).is_none()
    })
}

/// Whether a text has six in ten of some lines in order, and at least so many of them; only some of its lines count.
pub(super) fn nearly_has(
    hay: Haystack<'_>,
    lines: &[&[u8]],
    least: usize,
    counts: impl Fn(usize) -> bool,
) -> bool {
    let wanted: Vec<u64> = lines.iter().map(|line| LOOSEST.hash(line)).collect();
    let needed = (wanted.len() * NEARLY).div_ceil(100).max(least);
    let file = hay.solid(LOOSEST);
    // Where its lines match, in the order of the file.
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

/// The text from which all hunks of a file together made the one that it has: their results are taken out again, one after the
/// other. None if one does not match in one place then, or does not say enough.
///
/// That they make of it what the file has is for the caller to see.
pub fn before_all(content: &Content, hunks: &[&Hunk], budget: &Budget) -> Option<Content> {
    let patterns: Option<Vec<_>> =
        hunks.iter().map(|hunk| Pattern::readings(&hunk.change).into_iter().next()).collect();
    let mut left: Vec<Pattern<'_>> =
        patterns?.into_iter().filter(|pattern| !pattern.changes_nothing()).collect();
    // Most often a line is missing.
    let hay = Haystack::new(content, budget);
    if !left.last()?.added().all(|text| hay.has_line(text, LOOSEST)) {
        return None;
    }
    let mut now = content.clone();
    while !left.is_empty() {
        // Mostly the last one that was made is the first to match as a whole.
        let out = (0..left.len()).rev().find_map(|at| Some((at, taken_out(&now, left.get(at)?, budget)?)));
        let (at, before) = out?;
        left.remove(at);
        now = before;
    }
    (now != *content).then_some(now)
}

/// The text with the result of a hunk as it was before, if that matches in one place and says something.
fn taken_out(content: &Content, pattern: &Pattern<'_>, budget: &Budget) -> Option<Content> {
    let back = pattern.reversed().filter(|_| pattern.after_is_proof())?;
    let hay = Haystack::new(content, budget);
    let [place] = hay.whole_lines(&back.before, MatchMode::TRAILING.normalization)[..] else { return None };
    // What is nearly the search text elsewhere may have been meant.
    let elsewhere = hay.skipping_blanks(&pattern.solid(), LOOSEST);
    if is_unfinished(hay, pattern, &place) || elsewhere.iter().any(|other| other.reaches_out_of(&place)) {
        return None;
    }
    let aligned = Alignment::at(hay, &back, place, MatchMode::TRAILING)?;
    let splice = Splice { hay, reindent: &Reindent::default(), beside: Beside::Above, context: None };
    Some(Version::of_new(content.clone()).with(&splice.changes(&back, &aligned).ok()?).content().clone())
}
