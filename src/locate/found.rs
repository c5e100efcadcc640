//! All places of a before-text on one rung, and which line of the file each of its lines stands for.

use super::effort::Effort;
use super::indent::Shift;
use super::pattern::{Pattern, Step};
use super::place::{Place, around};
use super::rung::{Rung, Scope, ladder};
use super::similar::shift_but_first;
use super::thresholds::{LINES_PER_STEP, SHIFT_EFFORT};
use super::{Limits, Tier, search};
use crate::edit::Unit;
use crate::text::{Content, Form, indentation};
use std::collections::HashSet;

/// The places of a before-text on the first rung that has any.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) rung: Rung,
    /// Ascending.
    pub(super) places: Vec<Place>,
    /// Whether each lies inside a place of the after-text, where the hunk was made already.
    pub(super) made: Vec<bool>,
    /// Whether each of them is surely a place. Otherwise there are too many of them to look at each.
    pub(super) sure: bool,
}

impl Found {
    /// The places at which the hunk was not made already.
    pub(super) fn live(&self) -> Vec<Place> {
        self.places.iter().zip(&self.made).filter(|(_, made)| !**made).map(|(place, _)| *place).collect()
    }
}

/// Which line of the file each before-line stands for.
#[derive(Debug)]
pub(super) struct Fit {
    /// The region, with the blank lines at its edges that the before-text has too.
    pub(super) place: Place,
    /// By before-line; none for a blank one that the file lacks.
    pub(super) lines: Vec<Option<usize>>,
    /// What makes the after-text's indentation the file's.
    pub(super) shift: Shift,
}

/// The places on the strictest rung of tiers 1 to 6 that has any.
pub(super) fn strictly(
    content: &Content,
    pattern: &Pattern<'_>,
    limits: &Limits,
    effort: &Effort,
) -> Option<Found> {
    ladder(pattern.unit, limits).into_iter().find_map(|rung| on_rung(content, pattern, rung, effort))
}

/// The places on a rung, if there are any.
pub(super) fn on_rung(
    content: &Content,
    pattern: &Pattern<'_>,
    rung: Rung,
    effort: &Effort,
) -> Option<Found> {
    if !effort.spend(content.line_count() / LINES_PER_STEP + 1) {
        return None;
    }
    let (places, sure) = places(content, pattern, rung, effort);
    if places.is_empty() {
        return None;
    }
    let made = if sure { made(content, pattern, rung, &places, effort) } else { vec![false; places.len()] };
    Some(Found { rung, places, made, sure })
}

/// All places, and whether each of them is surely one: with very many of them their indentation is not looked at.
fn places(content: &Content, pattern: &Pattern<'_>, rung: Rung, effort: &Effort) -> (Vec<Place>, bool) {
    let mut places = match rung.scope {
        Scope::Whole => search::whole_lines(content, &pattern.before, rung.form),
        Scope::Part => search::within_lines(content, &pattern.before),
        Scope::SkippingBlanks => search::skipping_blanks(content, &counting(&pattern.before), rung.form),
    };
    let steps = places.len().saturating_mul(pattern.before.len());
    if rung.is_shifted() {
        if steps > SHIFT_EFFORT || !effort.spend(steps) {
            return (places, false);
        }
        places.retain(|place| fit(content, pattern, place, rung).is_some());
    }
    (places, true)
}

/// For each place whether it lies inside one of the after-text. Where the result of the hunk stands it stands at tiers 1
/// to 3, or as loosely as the before-text does.
pub(super) fn made(
    content: &Content,
    pattern: &Pattern<'_>,
    rung: Rung,
    places: &[Place],
    effort: &Effort,
) -> Vec<bool> {
    let mut made = vec![false; places.len()];
    let after = pattern.after();
    let part = pattern.unit == Unit::Text;
    // A place can lie inside one of the after-text only if the before-text is part of that.
    let holds_part = part && {
        let (after, before) = (after.join(&b'\n'), pattern.before.join(&b'\n'));
        memchr::memmem::find(&after, &before).is_some()
    };
    if !holds_part && !search::is_among(&pattern.before, &after, Form::FoldedTrimmed) {
        return made;
    }
    let mut mark = |others: &[Place], same: &dyn Fn(&Place, &Place) -> bool| {
        for (at, around) in around(places, others).into_iter().enumerate() {
            made[at] |=
                around.and_then(|index| others.get(index)).is_some_and(|other| same(&places[at], other));
        }
    };
    let certain = |_: &Place, _: &Place| true;
    // A hunk that changes nothing that a form sees has no result that the form could tell from what was there.
    let tells = |form: Form| {
        !after.iter().map(|line| form.of(line)).eq(pattern.before.iter().map(|line| form.of(line)))
    };
    // Blank lines are all alike to looser forms: a hunk that changes nothing else is told by its very bytes, if it was found
    // by them.
    let solid = |lines: &[&[u8]]| -> Vec<Vec<u8>> {
        counting(lines).iter().map(|line| Form::Trailing.of(line).into_owned()).collect()
    };
    let by_bytes = rung.form == Form::Text && solid(&after) == solid(&pattern.before);
    if tells(Form::Trailing) && tells(rung.form) && !by_bytes {
        mark(&search::whole_lines(content, &after, Form::Trailing), &certain);
    } else if tells(Form::Text) {
        mark(&search::whole_lines(content, &after, Form::Text), &certain);
    }
    if holds_part {
        mark(&search::within_lines(content, &after), &certain);
    }
    // Shifted as the before-text is, or the edit would move lines that it moved before.
    let shifted_alike = |place: &Place, other: &Place| {
        if !rung.is_shifted() {
            return true;
        }
        let standing = Pattern::standing(after.clone());
        effort.spend(after.len())
            && fit(content, pattern, place, rung).map(|fit| fit.shift)
                == fit(content, &standing, other, rung).map(|fit| fit.shift)
    };
    match rung.scope {
        Scope::Whole if rung.form > Form::Trailing && tells(rung.form) => {
            mark(&search::whole_lines(content, &after, rung.form), &shifted_alike);
        }
        // A hunk that only adds or removes blank lines looks the same before and after.
        Scope::SkippingBlanks if counting(&after).len() > counting(&pattern.before).len() => {
            mark(&search::skipping_blanks(content, &counting(&after), rung.form), &shifted_alike);
        }
        _ => {}
    }
    made
}

/// The lines that are not blank.
pub(super) fn counting<'a>(lines: &[&'a [u8]]) -> Vec<&'a [u8]> {
    lines.iter().copied().filter(|line| !Form::FoldedTrimmed.of(line).is_empty()).collect()
}

/// Which lines of the file a place stands for, and how its indentation differs. None if the indentation differs in no
/// uniform way, or if an added line cannot be indented as the rest.
pub(super) fn fit(content: &Content, pattern: &Pattern<'_>, place: &Place, rung: Rung) -> Option<Fit> {
    let (place, lines) = match rung.scope {
        Scope::Whole | Scope::Part => {
            (*place, (0..pattern.before.len()).map(|index| Some(place.start.line + index)).collect())
        }
        Scope::SkippingBlanks => pair_lines(content, &pattern.before, place),
    };
    let shift = match rung.is_shifted() {
        false => Shift::None,
        true => match shift(content, pattern, &lines, rung.form) {
            None if rung.tier == Tier::Similar => shift_but_first(content, pattern, &lines)?,
            shift => shift?,
        },
    };
    if has_only_its_new_lines_indented(pattern, &shift) {
        return None;
    }
    if shift != Shift::None && only_reindents(pattern) && !has_the_files_indentation(pattern, &shift) {
        return None;
    }
    Some(Fit { place, lines, shift })
}

/// Whether a hunk gives a line another indentation and keeps no line that says what the file's is. Where the file has
/// yet another one, it may be the result of the hunk.
fn only_reindents(pattern: &Pattern<'_>) -> bool {
    let keeps = |step: &Step<'_>| {
        matches!(step, Step::Keep(_)) && !Form::Trimmed.of(pattern.text_of(step)).is_empty()
    };
    if pattern.steps.iter().any(keeps) {
        return false;
    }
    let trimmed = |step: &Step<'_>| Form::FoldedTrimmed.of(pattern.text_of(step)).into_owned();
    let removed: HashSet<Vec<u8>> =
        pattern.steps.iter().filter(|step| matches!(step, Step::Remove(_))).map(trimmed).collect();
    let adds_again = |step: &Step<'_>| matches!(step, Step::Add(_)) && removed.contains(&trimmed(step));
    pattern.steps.iter().any(adds_again)
}

/// Whether a hunk looks for one line, which lacks the file's indentation and goes, and has it in all that it adds: that is
/// rather meant as it is than to be indented once more.
fn has_only_its_new_lines_indented(pattern: &Pattern<'_>, shift: &Shift) -> bool {
    let Shift::Add(prefix) = shift else { return false };
    let solid = |text: &&[u8]| !Form::Trimmed.of(text).is_empty();
    let mut adds = false;
    for step in &pattern.steps {
        match *step {
            Step::Add(text) if solid(&text) => {
                adds = true;
                if !text.starts_with(prefix) {
                    return false;
                }
            }
            Step::Keep(line) if pattern.before.get(line).is_some_and(solid) => return false,
            _ => {}
        }
    }
    let before = counting(&pattern.before);
    adds && before.len() == 1 && before.iter().all(|text| !text.starts_with(prefix))
}

/// Whether a hunk finds spaces where the file has tabs, or the reverse, and what it adds is indented as the file is: then
/// only what it looks for is written otherwise, and made twice it leaves what it leaves made once.
fn has_the_files_indentation(pattern: &Pattern<'_>, shift: &Shift) -> bool {
    let stays = |step: &Step<'_>| match *step {
        Step::Add(text) => shift.of(text).is_some_and(|shifted| *shifted == *text),
        _ => true,
    };
    matches!(shift, Shift::ToTabs(_) | Shift::ToSpaces(_)) && pattern.steps.iter().all(stays)
}

/// The shift between the before-lines and the lines that they stand for, if there is one for all that are equal and for
/// all added lines.
pub(super) fn shift(
    content: &Content,
    pattern: &Pattern<'_>,
    lines: &[Option<usize>],
    form: Form,
) -> Option<Shift> {
    // Blanks that look alike are one where look-alikes are.
    let indent_form = if form == Form::FoldedTrimmed { Form::Folded } else { Form::Trailing };
    let indent = |text: &[u8]| {
        let text = indent_form.of(text);
        indentation(&text).to_vec()
    };
    let mut pairs = Vec::with_capacity(lines.len());
    for (written, line) in pattern.before.iter().zip(lines) {
        let Some(real) = line.and_then(|line| content.line(line)) else { continue };
        if !form.of(written).is_empty() && form.eq(written, real.text) {
            pairs.push((indent(written), indent(real.text)));
        }
    }
    let shift = Shift::between(pairs.iter().map(|(written, real)| (written.as_slice(), real.as_slice())))?;
    let fits = |step: &Step<'_>| match step {
        Step::Add(text) => Form::Trimmed.of(text).is_empty() || shift.of(text).is_some(),
        _ => true,
    };
    let added = pattern.steps.iter().filter_map(|step| match *step {
        Step::Add(text) if !Form::Trimmed.of(text).is_empty() => Some(indentation(text)),
        _ => None,
    });
    let known = is_known(&shift, &pairs, added);
    (known && pattern.steps.iter().all(fits)).then_some(shift)
}

/// Whether what is known of the lines that are there says how added lines are indented, which have the indentations `added`.
fn is_known<'a>(shift: &Shift, pairs: &[(Vec<u8>, Vec<u8>)], added: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut new = added.filter(|indent| pairs.iter().all(|(written, _)| written != indent));
    let certain = || {
        // Without an indentation on both sides, or by two of them, no level is missing.
        let first = pairs.iter().find(|(written, _)| !written.is_empty());
        pairs
            .iter()
            .any(|(written, _)| written.is_empty() || first.is_some_and(|(first, _)| first != written))
    };
    match shift {
        Shift::None | Shift::Strip(_) => true,
        // Spaces behind tabs: the text has other blanks than the file for a level, and nothing says how many. One of them
        // aligns the stars of a comment.
        Shift::Add(prefix) => new.all(|indent| match (prefix.first(), indent) {
            (Some(b'\t'), [b' ', b' ', ..]) | (Some(b' '), [b'\t', ..]) => {
                pairs.iter().any(|(written, _)| written.first() == indent.first() && written.len() > 1)
            }
            _ => true,
        }),
        // With four spaces for two tabs, or eight for one, a level may be missing in the text.
        Shift::ToTabs(width) => matches!(width, 4 | 8) || new.next().is_none() || certain(),
        Shift::ToSpaces(width) => matches!(width, 2 | 4) || new.next().is_none() || certain(),
    }
}

/// Pairs before-lines with the lines of a place that runs from the first to the last that is not blank. Blank lines
/// between two others, and at the edges, are paired as far as both sides have them.
fn pair_lines(content: &Content, before: &[&[u8]], place: &Place) -> (Place, Vec<Option<usize>>) {
    let blank = |text: &[u8]| Form::FoldedTrimmed.of(text).is_empty();
    let mut lines: Vec<Option<usize>> = vec![None; before.len()];
    let real: Vec<usize> = (place.start.line..place.end.line)
        .zip(content.lines(place.start.line..place.end.line))
        .filter(|(_, line)| !blank(line.text))
        .map(|(index, _)| index)
        .collect();
    let mut real = real.into_iter();
    // The line of the file behind the pair before.
    let mut next = None;
    for index in 0..before.len() {
        if !blank(before[index]) {
            lines[index] = real.next();
            next = lines[index].map(|line| line + 1);
        } else if let Some(line) = next {
            // Paired with a blank line of the same gap, or of the lower edge.
            if content.line(line).is_some_and(|line| blank(line.text)) {
                lines[index] = Some(line);
                next = Some(line + 1);
            }
        }
    }
    // The upper edge, from below.
    let lead = before.iter().take_while(|line| blank(line)).count();
    let mut start = place.start.line;
    for index in (0..lead).rev() {
        match start.checked_sub(1).filter(|&line| content.line(line).is_some_and(|line| blank(line.text))) {
            Some(line) => {
                lines[index] = Some(line);
                start = line;
            }
            None => break,
        }
    }
    let end = lines.iter().rev().find_map(|line| *line).map_or(place.end.line, |line| line + 1);
    (Place::lines(start, end.max(place.end.line)), lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(file: &str, before: &[&str], start: usize, end: usize) -> (usize, usize, Vec<Option<usize>>) {
        let before: Vec<&[u8]> = before.iter().map(|line| line.as_bytes()).collect();
        let (place, lines) = pair_lines(&Content::new(file.as_bytes()), &before, &Place::lines(start, end));
        (place.start.line, place.end.line, lines)
    }

    #[test]
    fn blank_lines_pair_as_far_as_both_sides_have_them() {
        assert_eq!(pairs("a\n\n\nb\n", &["a", "", "b"], 0, 4), (0, 4, vec![Some(0), Some(1), Some(3)]));
        assert_eq!(pairs("a\nb\n", &["a", "", "b"], 0, 2), (0, 2, vec![Some(0), None, Some(1)]));
        assert_eq!(
            pairs("x\n\na\n\ny\n", &["", "", "a", "", ""], 2, 3),
            (1, 4, vec![None, Some(1), Some(2), Some(3), None]),
            "at the edges too"
        );
    }
}
