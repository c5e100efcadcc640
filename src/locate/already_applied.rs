//! Whether a hunk is already applied. Every format and strategy asks here.
//!
//! It is said only where nothing else can be meant: the search text lies inside the result, the place that is pointed to holds the
//! result, or the result is long enough, stands in one place, and nothing else in the file is nearly the search text. Edits
//! that touch each other are judged by what they come to together.

use super::Repeat;
use super::alignment::Alignment;
use super::indent::{Pair, Shift};
use super::matches::{Matches, find};
use super::part;
use super::query::Query;
use super::reindent::Reindent;
use super::splice::{Beside, Splice};
use super::thresholds::{LEAST_LINES, NEARLY};
use super::tier::{MatchMode, Scope};
use crate::edit::{Hunk, Unit};
use crate::pattern::{End, Pattern, Step, says_something};
use crate::text::alike::reach;
use crate::text::search::{Budget, Haystack, Place, Point, is_of_tokens};
use crate::text::{Content, Normalization, difference_of, in_common, is_blank};
use crate::version::Version;
use std::collections::HashSet;

/// Indentation and look-alikes do not count.
const FORM: Normalization = MatchMode::LOOSEST.normalization;

/// This many lines beside a place are looked at, besides twice as many as the result has.
const MARGIN: usize = 64;

/// The results of a hunk around places of its search text, indented as it is written or as the search text matched.
pub(super) struct Results<'a> {
    query: &'a Query<'a>,
    match_mode: MatchMode,
    after: Pattern<'a>,
    /// Ascending.
    places: Vec<Place>,
}

impl<'a> Results<'a> {
    /// Those around places that were found so, ascending.
    pub(super) fn around(query: &'a Query<'a>, match_mode: MatchMode, places: &[Place]) -> Self {
        let Query { hay, pattern, .. } = *query;
        let after = Pattern::of_lines(pattern.after());
        let margin = 2 * after.before.len() + MARGIN;
        let first = places.first().map_or(0, Place::first).saturating_sub(margin);
        let beside = hay.within(first..places.last().map_or(0, Place::behind) + margin);
        let places = match match_mode.scope {
            Scope::Part => Vec::new(),
            // Only the bytes tell what was made from what was not, if they do.
            _ if after.solid().is_empty() || !differs(pattern, &after.before, FORM) => {
                let tells = differs(pattern, &after.before, Normalization::Text);
                if tells { beside.whole_lines(&after.before, Normalization::Text) } else { Vec::new() }
            }
            Scope::SkippingBlanks if brings_lines(pattern, &after) => {
                beside.skipping_blanks(&after.solid(), FORM)
            }
            _ => beside.whole_lines(&after.before, FORM),
        };
        Self { query, match_mode, after, places }
    }

    /// Whether a place of the search text lies inside one of them.
    pub(super) fn hold(&self, aligned: &Alignment) -> bool {
        let Query { context, hay, pattern, .. } = *self.query;
        let place = &aligned.place;
        if self.match_mode.scope == Scope::Part {
            return part::is_inside_result(hay, context.limits.language(), pattern, place);
        }
        // Where no line comes that is not blank, the blank ones tell, too.
        let brings = brings_lines(pattern, &self.after);
        let mut lines = (place.first()..place.behind()).filter(|&line| !brings || !hay.is_blank(line));
        let first = lines.next().unwrap_or(place.first());
        let last = lines.next_back().unwrap_or(first);
        let match_mode = MatchMode { scope: self.match_mode.scope, ..MatchMode::LOOSEST };
        // One prefix for all lines; else what the search text showed, or tabs for blanks.
        let is_indented = |result: &Place| {
            let Some(result) = Alignment::at(hay, &self.after, *result, match_mode) else { return false };
            let fits = |(written, real): &Pair| {
                written.contains(&b'\t') != real.contains(&b'\t')
                    || aligned.shift.of(written).as_ref() == Some(real)
            };
            !matches!(result.shift, Shift::Steps(_)) || result.indentations(hay, &self.after).iter().all(fits)
        };
        let from = self.places.partition_point(|result| result.behind() <= last);
        self.places[from..].iter().take_while(|result| result.first() <= first).any(|result| {
            hay.budget().spend(COMPARED * self.after.before.len() + 1)
                && !is_unfinished(hay, pattern, result)
                && is_indented(result)
        })
    }
}

/// What it takes in steps to compare a line with its indentation.
const COMPARED: usize = 16;

/// Whether a hunk brings lines that are not blank.
fn brings_lines(pattern: &Pattern<'_>, after: &Pattern<'_>) -> bool {
    after.solid().len() > pattern.solid().len()
}

/// Whether lines that look like the result of a hunk are not: a line that goes at an edge of the hunk still stands beside them, or
/// they are to end the file without a newline and do not.
fn is_unfinished(hay: Haystack<'_>, pattern: &Pattern<'_>, result: &Place) -> bool {
    let is_at_end = || !hay.content().ends_with_newline() && result.behind() == hay.line_count();
    let (mut above, mut below) =
        ((0..result.first()).rev().take(MARGIN), (result.behind()..hay.line_count()).take(MARGIN));
    let (before, after) = (&pattern.before, &pattern.after());
    let (steps, back) = (pattern.steps.iter(), pattern.steps.iter().rev());
    let remains = |goes: &mut dyn Iterator<Item = &Step<'_>>,
                   [before, after]: [&mut dyn Iterator<Item = &&[u8]>; 2],
                   beside: &mut dyn Iterator<Item = usize>| {
        let Some(next) = beside.next() else { return false };
        let is_next = |text: &[u8]| MatchMode::TRAILING.normalization.eq(text, hay.text(next));
        // Which of equal lines goes, two texts do not say.
        let is_same = |text: &&&[u8]| is_next(text);
        let solid = std::iter::once(next).chain(beside).find(|line| !hay.is_blank(*line));
        let goes = goes.take_while(|step| matches!(step, Step::Remove(_)));
        let stay = after.take_while(is_same).count();
        stay > 0 && before.take_while(is_same).count() > stay
            || goes.map(|step| pattern.text_of(step)).any(|text| {
                !is_blank(text)
                    && solid.is_some_and(|line| MatchMode::TRAILING.normalization.eq(text, hay.text(line)))
            })
    };
    pattern.end == End::Nothing && !is_at_end()
        || remains(&mut { steps }, [&mut before.iter(), &mut after.iter()], &mut above)
        || remains(&mut { back }, [&mut before.iter().rev(), &mut after.iter().rev()], &mut below)
}

/// Whether a hunk changes anything that a normalization sees.
fn differs(pattern: &Pattern<'_>, after: &[&[u8]], normalization: Normalization) -> bool {
    after.len() != pattern.before.len()
        || after.iter().zip(&pattern.before).any(|(a, b)| !normalization.eq(a, b))
}

/// Whether a normalization sees each line that a hunk changes.
fn sees_all(pattern: &Pattern<'_>, normalization: Normalization) -> bool {
    let removed: HashSet<_> = pattern.removed().map(|text| (normalization.hash(text), text)).collect();
    let normalizations: HashSet<u64> = removed.iter().map(|(hash, _)| *hash).collect();
    let is_seen = |text: &[u8]| {
        !normalizations.contains(&normalization.hash(text))
            || removed.contains(&(normalization.hash(text), text))
    };
    pattern.added().all(is_seen)
}

/// Where the result of a hunk matches that has no place, if that is because it is already applied.
pub(super) fn already_applied(query: &Query<'_>, repeat: Repeat) -> Option<(Place, MatchMode)> {
    let Query { hay, pattern, pointers, .. } = *query;
    let is_pointed_to = pointers.regions.is_some() || pointers.tail.is_some();
    let after = Pattern::of_lines(pattern.after());
    let keeps = || pattern.kept().any(|line| !is_blank(pattern.before[line]));
    let says_enough = is_pointed_to || after.solid().len() >= LEAST_LINES && keeps();
    let shrinks = shrinks_at(&mut pattern.steps.iter()) || shrinks_at(&mut pattern.steps.iter().rev());
    if !says_enough || shrinks || !pattern.after_is_proof() {
        return None;
    }
    let Matches { match_mode, places } = find(&query.with(&after)).ok()?.found()?;
    let places: Vec<Place> = places.iter().map(|(aligned, _)| aligned.place).collect();
    let place = places.first().copied().filter(|_| [1, repeat.total].contains(&places.len()))?;
    let is_finished = !places.iter().any(|place| is_unfinished(hay, pattern, place));
    let is_result =
        is_finished && match_mode.scope == Scope::Whole && sees_all(pattern, match_mode.normalization);
    (is_result && had(query, match_mode) && !nearly_matches(query, &places)).then_some((place, match_mode))
}

/// Whether a hunk removes more lines at an edge than it adds there: they may still stand beside its result, misquoted.
fn shrinks_at(steps: &mut dyn Iterator<Item = &Step<'_>>) -> bool {
    let changes: Vec<&Step<'_>> = steps.take_while(|step| !matches!(step, Step::Keep(_))).collect();
    2 * changes.iter().filter(|step| matches!(step, Step::Remove(_))).count() > changes.len()
}

/// The result of a hunk, if it matches just at a line that its number names.
pub(super) fn applied_at(query: &Query<'_>, line: usize) -> Option<Place> {
    let Query { hay, pattern, .. } = *query;
    let after = pattern.after();
    let place = Place::lines(line, line + after.len());
    let matches = |(at, text): (usize, &&[u8])| {
        hay.line(line + at).is_some_and(|real| MatchMode::TRAILING.normalization.eq(text, real.text))
    };
    (pattern.after_is_proof()
        && sees_all(pattern, MatchMode::TRAILING.normalization)
        && after.iter().enumerate().all(matches)
        && !is_unfinished(hay, pattern, &place)
        && query.admits(&place))
    .then_some(place)
}

/// Where the result of a hunk matches in a stricter mode than its search text, apart from its places: it is applied there perhaps,
/// and a looser place is another one.
pub(super) fn stricter_result(query: &Query<'_>, found: MatchMode, places: &[Place]) -> Option<Place> {
    let after = Pattern::of_lines(query.pattern.after());
    if found == MatchMode::EXACT || !after.before.iter().any(|text| says_something(text)) {
        return None;
    }
    let Matches { match_mode, places: results } = find(&query.with(&after)).ok()?.found()?;
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

/// Whether the file had a result before the response. If not, another edit of the response brought it, and that says nothing of
/// this one.
fn had(query: &Query<'_>, match_mode: MatchMode) -> bool {
    let Query { context, hay, pattern, .. } = *query;
    let (Some(original), Some(_)) = (context.original, context.lineage) else { return true };
    !Haystack::new(original, hay.budget()).whole_lines(&pattern.after(), match_mode.normalization).is_empty()
}

/// Whether something in the file, apart from some places, is nearly the search text: six in ten of its lines that are not blank
/// match there in order.
pub(super) fn nearly_matches(query: &Query<'_>, apart: &[Place]) -> bool {
    let Query { hay, pattern, pointers, .. } = *query;
    let wanted: Vec<u64> = pattern.solid().iter().map(|line| FORM.hash(line)).collect();
    let needed = (wanted.len() * NEARLY).div_ceil(100);
    let file = hay.solid(FORM);
    let is_apart = |line: usize| {
        let place = Place::lines(line, line + 1);
        !apart.iter().any(|other| other.overlaps(&place)) && pointers.against(&place).is_none()
    };
    // Where its lines match, in the order of the file.
    let spots = file.spots(&wanted, usize::MAX);
    let mut lines: Vec<(usize, u64)> = spots
        .into_iter()
        .flat_map(|(hash, spots)| spots.into_iter().map(move |spot| (spot, hash)))
        .filter(|(spot, _)| file.line(*spot).is_some_and(is_apart))
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
    if !left.last()?.added().all(|text| hay.has_line(text, FORM)) {
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
    let elsewhere = hay.skipping_blanks(&pattern.solid(), FORM);
    if is_unfinished(hay, pattern, &place) || elsewhere.iter().any(|other| other.reaches_out_of(&place)) {
        return None;
    }
    let aligned = Alignment::at(hay, &back, place, MatchMode::TRAILING)?;
    let splice = Splice { hay, reindent: &Reindent::default(), beside: Beside::Above, context: None };
    Some(Version::of_new(content.clone()).with(&splice.changes(&back, &aligned).ok()?).content().clone())
}
