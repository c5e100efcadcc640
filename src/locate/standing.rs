//! Whether a hunk was made already: its result stands in the file, and nothing else could have been meant.

use super::alignment::Alignment;
use super::pointer::Pointers;
use super::sought::Sought;
use super::thresholds::{FEW, LEAST_LINES, NEARLY, NEARLY_REGIONS, PART_PROOF};
use super::tier::{Rung, Scope, ladder};
use super::{Repeat, part};
use crate::edit::Unit;
use crate::pattern::{End, Pattern, Step, says_something};
use crate::text::alike::{differs_in_a_word, is_mistyped, reach, without_style};
use crate::text::search::{Haystack, Place, is_of_tokens};
use crate::text::{Form, difference_of, in_common, indentation, is_blank};
use std::collections::{HashMap, HashSet};

/// Whether a place of the before-text lies inside a result of the hunk, which may be indented in any one way.
pub(super) fn is_made(sought: &Sought<'_>, aligned: &Alignment) -> bool {
    let Sought { scene, hay, pattern, .. } = *sought;
    let (place, scope) = (&aligned.place, aligned.rung.scope);
    if scope == Scope::Part {
        return part::is_made(hay, scene.limits.language(), pattern, place);
    }
    let after = Pattern::of_lines(pattern.after());
    let solid = after.solid();
    let brings = solid.len() > pattern.solid().len();
    let margin = 2 * after.before.len() + MARGIN;
    let beside = hay.within(place.first().saturating_sub(margin)..place.behind() + margin);
    let rung = Rung { scope, ..Rung::LOOSEST };
    let mut results = match scope {
        // Only the bytes tell what was made from what was not, if they do.
        _ if solid.is_empty() || !differs(pattern, &after.before, rung.form) => {
            let tells = differs(pattern, &after.before, Form::Text);
            if tells { beside.whole_lines(&after.before, Form::Text) } else { Vec::new() }
        }
        Scope::SkippingBlanks if brings => beside.skipping_blanks(&solid, rung.form),
        _ => beside.whole_lines(&after.before, rung.form),
    };
    // Where no line comes that is not blank, the blank ones tell, too.
    let mut lines = (place.first()..place.behind()).filter(|&line| !brings || !hay.is_blank(line));
    let first = lines.next().unwrap_or(place.first());
    let last = lines.next_back().unwrap_or(first);
    results.retain(|result| {
        result.first() <= first && last < result.behind() && is_result(hay, pattern, result, scope)
    });
    results.into_iter().any(|result| Alignment::at(hay, &after, result, rung).is_some())
}

/// This many lines beside a place are looked at, besides twice as many as the result has.
const MARGIN: usize = 64;

/// Whether lines that are the result of a hunk were made by it, as far as what is beside them tells: where they are said to end
/// the file without a newline they do, and a line that goes at an edge of the hunk stands there no more. Where blank lines are
/// skipped they tell nothing.
pub(super) fn is_result(hay: Haystack<'_>, pattern: &Pattern<'_>, lines: &Place, scope: Scope) -> bool {
    let skips_blanks = scope == Scope::SkippingBlanks;
    let is_last = || (lines.behind()..hay.line_count()).all(|line| skips_blanks && hay.is_blank(line));
    let is_at_end = || !hay.content().ends_with_newline() && is_last();
    let goes = |step: &&Step<'_>| matches!(step, Step::Remove(_));
    let text = |step| pattern.text_of(step);
    // The lines that go at each edge, the innermost last.
    let above: Vec<&[u8]> = pattern.steps.iter().take_while(goes).map(text).collect();
    let below: Vec<&[u8]> = pattern.steps.iter().rev().take_while(goes).map(text).collect();
    // Which of equal lines goes, two texts do not say.
    let (before, after) = (pattern.before.iter().copied(), pattern.after());
    let first = fewer_at_edge(before.clone(), after.iter().copied());
    let last = fewer_at_edge(before.rev(), after.iter().rev().copied());
    let stands = |text: Option<&[u8]>, line: Option<usize>| match (text, line.and_then(|line| hay.line(line)))
    {
        (Some(text), Some(real)) => !(skips_blanks && real.is_blank()) && Form::Trailing.eq(text, real.text),
        _ => false,
    };
    // Nor is any other of them there, with as many blank lines in between: the innermost may be misquoted.
    let remain = |going: &[&[u8]], beside: &mut dyn Iterator<Item = usize>| {
        let mut solid = beside.enumerate().filter(|(_, line)| !hay.is_blank(*line));
        let Some((apart, line)) = solid.next() else { return false };
        let mut blanks = 0;
        going.iter().rev().any(|text| {
            blanks += usize::from(is_blank(text));
            blanks == apart && says_something(text) && Form::Trailing.eq(text, hay.text(line))
        })
    };
    (pattern.end != End::Nothing || is_at_end())
        && ![above.last().copied(), first].into_iter().any(|text| stands(text, lines.first().checked_sub(1)))
        && ![below.last().copied(), last].into_iter().any(|text| stands(text, Some(lines.behind())))
        && !remain(&above, &mut (0..lines.first()).rev())
        && !remain(&below, &mut (lines.behind()..hay.line_count()))
}

/// The line that a result begins with, if the search text begins with more of it.
fn fewer_at_edge<'t>(
    before: impl Iterator<Item = &'t [u8]>,
    after: impl Iterator<Item = &'t [u8]> + Clone,
) -> Option<&'t [u8]> {
    let edge = after.clone().next()?;
    let count = after.take_while(|line| *line == edge).count();
    (before.take_while(|line| *line == edge).count() > count).then_some(edge)
}

/// Whether a hunk changes anything that a form sees.
fn differs(pattern: &Pattern<'_>, after: &[&[u8]], form: Form) -> bool {
    after.len() != pattern.before.len() || after.iter().zip(&pattern.before).any(|(a, b)| !form.eq(a, b))
}

/// Whether a form sees each line that a hunk changes: what it does not see is not there because the rest is.
fn sees_all(pattern: &Pattern<'_>, form: Form) -> bool {
    let removed: HashSet<_> = pattern.removed().map(|text| (form.hash(text), text)).collect();
    let forms: HashSet<u64> = removed.iter().map(|(hash, _)| *hash).collect();
    let is_seen =
        |text: &[u8]| !forms.contains(&form.hash(text)) || removed.contains(&(form.hash(text), text));
    pattern.added().all(is_seen)
}

/// Where the result of a hunk stands, if that proves that it was made: it says something, it stands where the pointers
/// say or in one place only, and nothing else in the file is nearly the before-text.
pub(super) fn standing(sought: &Sought<'_>, repeat: Repeat) -> Option<(Place, Rung)> {
    let Sought { hay, pattern, pointers, .. } = sought.narrowed(sought.pattern.after().len());
    if !pattern.after_is_proof() {
        return None;
    }
    let (places, rung) = results(sought, &[], None)?;
    // Identical hunks leave as many.
    let expected = [1, repeat.elsewhere, repeat.total];
    let place = places.first().copied().filter(|_| expected.contains(&places.len()))?;
    if !sees_all(pattern, rung.form) {
        return None;
    }
    // A line or two stand by chance at another depth.
    if rung.is_shifted() && Pattern::of_lines(pattern.after()).solid().len() < LEAST_LINES {
        return None;
    }
    if repeat.total == 1 && repeat.elsewhere == 0 && !had(sought, rung) {
        return None;
    }
    let known = repeat.elsewhere > 0;
    // Run again, what other edits have brought is no text that was to go.
    let brought = |hash| sought.scene.others.bring(hash);
    (known || !stands_nearly(hay, pattern, &places, pointers, &brought)).then_some((place, rung))
}

/// Where the result of a hunk stands on a stricter rung than its before-text, apart from the places of that: it was made there
/// perhaps, and a looser place is another one.
pub(super) fn stands_stricter(sought: &Sought<'_>, found: Rung, places: &[Place]) -> Option<Place> {
    if !sought.pattern.after().iter().any(|text| says_something(text)) {
        return None;
    }
    results(sought, places, Some(found))?.0.first().copied()
}

/// Whether the result of a hunk stands just at a line.
pub(super) fn stands_at(hay: Haystack<'_>, pattern: &Pattern<'_>, line: usize, form: Form) -> bool {
    let after = pattern.after();
    !after.is_empty()
        && sees_all(pattern, form)
        && is_result(hay, pattern, &Place::lines(line, line + after.len()), Scope::Whole)
        && after
            .iter()
            .enumerate()
            .all(|(at, text)| hay.line(line + at).is_some_and(|real| form.eq(text, real.text)))
}

/// The places of the after-text, apart from some, on the strictest rung that has any and is stricter than one: as whole lines
/// without others between them, or as a part of a line.
fn results(sought: &Sought<'_>, apart: &[Place], than: Option<Rung>) -> Option<(Vec<Place>, Rung)> {
    let Sought { scene, hay, pattern, .. } = sought.narrowed(sought.pattern.after().len());
    let after = Pattern::of_lines(pattern.after());
    let admits = |place: &Place| sought.admits(place) && !apart.iter().any(|other| other.overlaps(place));
    ladder(pattern.unit, scene.limits).take_while(|rung| Some(*rung) != than).find_map(|rung| {
        let mut places = match (rung.scope, after.before.as_slice()) {
            (Scope::Whole, lines) if differs(pattern, lines, rung.form) => hay.whole_lines(lines, rung.form),
            (Scope::Part, [text]) if part_is_proof(text) => hay.parts(text),
            _ => Vec::new(),
        };
        places.retain(|place| {
            let is_alike = || match rung.scope {
                Scope::Part => is_of_tokens(hay, place),
                _ => !rung.is_shifted() || Alignment::at(hay, &after, *place, rung).is_some(),
            };
            admits(place) && is_result(hay, pattern, place, rung.scope) && is_alike()
        });
        (!places.is_empty()).then_some((places, rung))
    })
}

/// Whether the file had an after-text before the response. If not, another edit of the response has put it there, and
/// that says nothing of this one.
fn had(sought: &Sought<'_>, rung: Rung) -> bool {
    let Sought { scene, hay, pattern, .. } = *sought;
    let (Some(original), Some(_)) = (scene.original, scene.lineage) else { return true };
    let original = Haystack::new(original, hay.effort());
    let after = pattern.after();
    match (rung.scope, after.as_slice()) {
        (Scope::Part, [text]) => !original.parts(text).is_empty(),
        _ => !original.whole_lines(&after, rung.form).is_empty(),
    }
}

/// Whether a text may be part of a line, and says enough to be no chance.
fn part_is_proof(text: &[u8]) -> bool {
    let words = text
        .split(|b| !b.is_ascii_alphanumeric() && *b != b'_' && b.is_ascii())
        .filter(|word| !word.is_empty());
    text.len() >= PART_PROOF && words.count() > 1 && indentation(text).is_empty()
}

/// Whether something in the file, apart from some places, is nearly the before-text: six in ten of its lines that are not blank
/// stand there in order, in whatever style. Of a text of few lines one that goes is enough, with a slip of the keyboard, with
/// another word, or as the beginning of a line; `is_other` tells by their hashes in [`Form::Bare`] which lines are something else for
/// certain.
pub(super) fn stands_nearly(
    hay: Haystack<'_>,
    pattern: &Pattern<'_>,
    places: &[Place],
    pointers: &Pointers,
    is_other: &dyn Fn(u64) -> bool,
) -> bool {
    let wanted: Vec<u64> = pattern.solid().iter().map(|line| Form::Bare.hash(line)).collect();
    if wanted.is_empty() {
        return false;
    }
    let file = hay.solid(Form::Bare);
    let apart = |line: usize| {
        // They ascend.
        let above = places.partition_point(|place| place.first() <= line).checked_sub(1);
        let is_in = above.is_some_and(|at| line < places[at].behind().max(places[at].first() + 1));
        !is_in && pointers.against(&Place::lines(line, line + 1)).is_none()
    };
    let needed = (wanted.len() * NEARLY).div_ceil(100);
    // Where its lines stand, in the order of the file, if enough of them do anywhere.
    let anywhere = file.spots(&wanted, 0);
    let is_there = |hash: &&u64| anywhere.get(hash).is_some_and(|spots| !spots.is_empty());
    let stand = match wanted.iter().filter(is_there).count() {
        enough if enough >= needed => file.spots(&wanted, usize::MAX),
        _ => HashMap::new(),
    };
    let mut stand: Vec<(usize, u64)> = stand
        .into_iter()
        .flat_map(|(hash, spots)| spots.into_iter().map(move |spot| (spot, hash)))
        .filter(|(spot, _)| file.line(*spot).is_some_and(apart))
        .collect();
    stand.sort_unstable();
    let mut regions = 0;
    for (at, (first, _)) in stand.iter().enumerate() {
        let reach = first + reach(wanted.len());
        let there: Vec<u64> =
            stand[at..].iter().take_while(|(spot, _)| *spot < reach).map(|(_, hash)| *hash).collect();
        let enough = there.len() >= needed;
        regions += usize::from(enough);
        let steps = there.len().saturating_mul(if enough { wanted.len() } else { 1 }) / 16 + 1;
        if regions > NEARLY_REGIONS
            || !hay.effort().spend(steps)
            || enough && in_common(&difference_of(&wanted, &there)) >= needed
        {
            return true;
        }
    }
    wanted.len() <= FEW
        && pattern.removed().filter(|text| says_something(text)).any(|text| {
            let (plain, is_part) = (without_style(text), pattern.unit != Unit::Lines);
            hay.lines_like(text).into_iter().flatten().any(|(line, hash)| {
                if is_other(hash) || !apart(line) {
                    return !hay.effort().spend(1);
                }
                let there = hay.text(line);
                let steps = there.len().saturating_mul(if is_part { plain.len() } else { 1 }) / 16 + 1;
                if !hay.effort().spend(steps) {
                    return true;
                }
                let there = without_style(there);
                there.starts_with(&plain)
                    || is_mistyped(&plain, &there)
                    || differs_in_a_word(&plain, &there, is_part)
            })
        })
}
