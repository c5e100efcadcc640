//! Whether a hunk was made already: its result stands in the file, and nothing else could have been meant.

use super::Repeat;
use super::alignment::Alignment;
use super::alike::{beginnings, differs_in_a_word, is_mistyped, window, without_style};
use super::haystack::Haystack;
use super::part;
use super::pattern::{Pattern, says_something};
use super::place::Place;
use super::pointer::Pointers;
use super::sought::Sought;
use super::thresholds::{COMMON, FEW, NEARLY, NEARLY_REGIONS, PART_PROOF};
use super::tier::{Rung, Scope, ladder};
use super::token::is_of_tokens;
use crate::edit::Unit;
use crate::text::{Form, difference_of, in_common};

/// Where results of a hunk stand beside a place of its before-text found on a rung, indented in one way, whatever that is:
/// a place that lies inside one was made there.
pub(super) fn results_beside(
    hay: Haystack<'_>,
    pattern: &Pattern<'_>,
    place: &Place,
    scope: Scope,
) -> Vec<Place> {
    let after = Pattern::of_lines(pattern.after());
    let margin = 2 * after.before.len() + MARGIN;
    let hay = hay.within(place.first().saturating_sub(margin)..place.behind() + margin);
    let rung = Rung { scope, ..Rung::LOOSEST };
    let solid = after.solid();
    let is_blank = solid.is_empty() && pattern.solid().is_empty();
    if is_blank || !differs(pattern, &after.before, rung.form) {
        // Only the bytes tell what was made from what was not, if they do.
        let tells = differs(pattern, &after.before, Form::Text);
        return if tells { hay.whole_lines(&after.before, Form::Text) } else { Vec::new() };
    }
    let mut places = match scope {
        // Where blank lines are all that comes or goes they have to be those of the result.
        Scope::SkippingBlanks if solid.len() > pattern.solid().len() => {
            hay.skipping_blanks(&solid, rung.form)
        }
        _ => hay.whole_lines(&after.before, rung.form),
    };
    places.retain(|place| Alignment::at(hay, &after, *place, rung).is_some());
    places
}

/// Whether a place of the before-text lies inside a result of the hunk.
pub(super) fn is_made(sought: &Sought<'_>, aligned: &Alignment) -> bool {
    let Sought { scene, hay, pattern, .. } = *sought;
    let place = &aligned.place;
    if aligned.rung.scope == Scope::Part {
        return part::is_made(hay, scene.limits.language, pattern, place);
    }
    let mut solid = (place.first()..place.behind()).filter(|&line| !hay.is_blank(line));
    let (first, last) = match solid.next() {
        Some(first) => (first, solid.next_back().unwrap_or(first)),
        // Blank lines alone lie in any others, unless there are more of them.
        None => (place.first(), place.behind().saturating_sub(1)),
    };
    let holds = |result: &Place| result.first() <= first && last < result.behind();
    results_beside(hay, pattern, place, aligned.rung.scope).iter().any(holds)
}

/// This many lines beside a place are looked at, besides twice as many as the result has.
const MARGIN: usize = 64;

/// Whether a hunk changes anything that a form sees.
fn differs(pattern: &Pattern<'_>, after: &[&[u8]], form: Form) -> bool {
    after.len() != pattern.before.len() || after.iter().zip(&pattern.before).any(|(a, b)| !form.eq(a, b))
}

/// Where the result of a hunk stands, if that proves that it was made: it says something, it stands where the pointers
/// say or in one place only, and nothing else in the file is nearly the before-text.
pub(super) fn standing(sought: &Sought<'_>, repeat: Repeat) -> Option<(Place, Rung)> {
    let Sought { hay, pattern, pointers, .. } = sought.narrowed(sought.pattern.after().len());
    if !pattern.after_is_proof() {
        return None;
    }
    let (places, rung) = results(sought)?;
    // Identical hunks leave as many.
    let expected = [1, repeat.elsewhere, repeat.total];
    let place = places.first().copied().filter(|_| expected.contains(&places.len()))?;
    if repeat.total == 1 && repeat.elsewhere == 0 && !had(sought, rung) {
        return None;
    }
    let known = repeat.elsewhere > 0;
    (known || !stands_nearly(hay, pattern, &place, pointers)).then_some((place, rung))
}

/// Where the result of a hunk stands on a stricter rung than its before-text, apart from the places of that: it was made there
/// perhaps, and a looser place is another one.
pub(super) fn stands_stricter(sought: &Sought<'_>, found: Rung, places: &[Place]) -> Option<Place> {
    let Sought { scene, pattern, .. } = *sought;
    if !pattern.after().iter().any(|text| says_something(text)) {
        return None;
    }
    let (results, rung) = results(sought)?;
    let apart = |result: &Place| !places.iter().any(|place| place.overlaps(result));
    let at = |rung: Rung| ladder(pattern.unit, scene.limits).position(|other| other == rung);
    if at(rung) < at(found) { results.into_iter().find(apart) } else { None }
}

/// Whether the result of a hunk stands just at a line.
pub(super) fn stands_at(hay: Haystack<'_>, pattern: &Pattern<'_>, line: usize, form: Form) -> bool {
    let after = pattern.after();
    !after.is_empty()
        && after
            .iter()
            .enumerate()
            .all(|(at, text)| hay.line(line + at).is_some_and(|real| form.eq(text, real.text)))
}

/// The places of the after-text on the strictest rung that has any, as whole lines without others between them.
fn results(sought: &Sought<'_>) -> Option<(Vec<Place>, Rung)> {
    let Sought { scene, hay, pattern, .. } = sought.narrowed(sought.pattern.after().len());
    let after = Pattern::of_lines(pattern.after());
    let tells = |rung: &Rung| rung.scope == Scope::Whole && differs(pattern, &after.before, rung.form);
    for rung in ladder(Unit::Lines, scene.limits).filter(tells) {
        let mut places = hay.whole_lines(&after.before, rung.form);
        places.retain(|place| {
            sought.admits(place) && (!rung.is_shifted() || Alignment::at(hay, &after, *place, rung).is_some())
        });
        if !places.is_empty() {
            return Some((places, rung));
        }
    }
    let [text] = after.before.as_slice() else { return None };
    if pattern.unit != Unit::Text || !part_is_proof(text) {
        return None;
    }
    let mut places = hay.parts(text);
    places.retain(|place| sought.admits(place) && is_of_tokens(hay, place));
    (!places.is_empty()).then_some((places, Rung { scope: Scope::Part, ..Rung::EXACT }))
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

/// Whether a text that is part of a line says enough to be no chance.
fn part_is_proof(text: &[u8]) -> bool {
    let words = text
        .split(|b| !b.is_ascii_alphanumeric() && *b != b'_' && b.is_ascii())
        .filter(|word| !word.is_empty());
    text.len() >= PART_PROOF && words.count() > 1
}

/// Whether something in the file, apart from a place, is nearly the before-text: six in ten of its lines that are not blank
/// stand there in order, in whatever style. Of a text of few lines one that goes is enough, with another word or number, with a
/// slip of the keyboard, or as the beginning of a line.
pub(super) fn stands_nearly(
    hay: Haystack<'_>,
    pattern: &Pattern<'_>,
    place: &Place,
    pointers: &Pointers,
) -> bool {
    let wanted: Vec<u64> = pattern.solid().iter().map(|line| Form::Bare.hash(line)).collect();
    if wanted.is_empty() {
        return false;
    }
    let file = hay.solid(Form::Bare);
    let apart = |line: usize| {
        (line < place.first() || line >= place.behind().max(place.first() + 1))
            && pointers.against(&Place::lines(line, line + 1)).is_none()
    };
    let spots = file.spots(&wanted, COMMON);
    let common =
        wanted.iter().filter(|hash| spots.get(hash).is_some_and(|spots| spots.len() > COMMON)).count();
    if common * 100 >= wanted.len() * NEARLY {
        // Lines that stand everywhere may be all that there is of it: each place of the file is looked at.
        let last = file.len().saturating_sub(wanted.len());
        if !hay.effort().spend(last.saturating_mul(wanted.len()) / 8 + 1) {
            return true;
        }
        let hashes = file.hashes_of(0..file.len());
        let is_alike = |start: &usize| {
            let same = |(at, hash): &(usize, &u64)| {
                hashes.get(start + at) == Some(*hash) && file.line(start + at).is_some_and(apart)
            };
            wanted.iter().enumerate().filter(same).count() * 100 >= wanted.len() * NEARLY
        };
        if (0..=last).any(|start| is_alike(&start)) {
            return true;
        }
    }
    let starts = beginnings(&wanted, &spots);
    for start in starts.into_iter().take(NEARLY_REGIONS) {
        let range = window(start, wanted.len(), &file);
        let hash = |(index, hash)| if file.line(index).is_some_and(apart) { hash } else { 0 };
        let there: Vec<u64> = range.clone().zip(file.hashes_of(range)).map(hash).collect();
        if !hay.effort().spend(wanted.len().saturating_mul(there.len()) / 16 + 1) {
            return true;
        }
        if in_common(&difference_of(&wanted, &there)) * 100 >= wanted.len() * NEARLY {
            return true;
        }
    }
    wanted.len() <= FEW
        && pattern.removed().filter(|text| says_something(text)).any(|text| {
            // What is misquoted in one half of a line leaves the other as it is.
            let text = Form::Trimmed.of(text);
            let (front, back) = text.split_at(text.len() / 2);
            let lines = [front, back].into_iter().flat_map(|half| hay.lines_with(half, false));
            lines.filter(|line| apart(*line)).any(|line| {
                let (plain, there) = (without_style(&text), without_style(hay.text(line)));
                there.starts_with(&plain) || is_mistyped(&plain, &there) || differs_in_a_word(&plain, &there)
            })
        })
}
