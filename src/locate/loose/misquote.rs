//! A line that the answer misquotes, and writes in its after-text as the file has it, is a kept line: the result is what
//! both the file and the answer say.

use crate::locate::alike::{is_mistyped, without_style};
use crate::locate::evidence::{self, Refusal};
use crate::locate::found::{Search, find};
use crate::locate::haystack::Haystack;
use crate::locate::pattern::{Pattern, Step};
use crate::locate::pointer::Pointers;
use crate::locate::scene::{Scene, Solution};
use crate::locate::solve::solve;
use crate::locate::standing::stands_nearly;
use crate::locate::tier::Tier;
use crate::text::{Form, is_blank};

const FORM: Form = Form::FoldedTrimmed;

/// The one place of a hunk, where only lines differ that it misquotes and writes right.
pub(super) fn locate(
    scene: &Scene<'_>,
    hay: Haystack<'_>,
    pattern: &Pattern<'_>,
    pointers: &Pointers,
) -> Result<Option<Solution>, Box<Refusal>> {
    let Some(meant) = corrected(hay, pattern).filter(|meant| !meant.changes_nothing()) else {
        return Ok(None);
    };
    let Search::Found(found) = find(scene, hay, &meant, pointers)? else { return Ok(None) };
    let open = found.open();
    match open.as_slice() {
        [one] if found.places.len() == 1 => {
            let admits = |place: &_| pointers.against(place).is_none();
            if stands_nearly(hay, pattern, &[one.place], &admits) {
                return Ok(None);
            }
            let mut solution = solve(scene, hay, &meant, one, 1)?;
            solution.matched.tier = Tier::Similar;
            solution.matched.similarity = Some(99);
            Ok(Some(solution))
        }
        [] => Ok(None),
        _ => Err(evidence::ambiguous(hay, open.iter().map(|aligned| aligned.place))),
    }
}

/// The hunk with the lines that it misquotes as the file has them; none if there is none, or too many, or if two lines may
/// be the right one.
fn corrected<'a>(hay: Haystack<'_>, pattern: &Pattern<'a>) -> Option<Pattern<'a>> {
    let mut before = pattern.before.clone();
    let mut steps: Vec<Step<'a>> = Vec::with_capacity(pattern.steps.len());
    let mut corrected = 0;
    for run in pattern.steps.chunk_by(|a, b| matches!(a, Step::Keep(_)) == matches!(b, Step::Keep(_))) {
        let mut added: Vec<(&'a [u8], bool)> = run
            .iter()
            .filter_map(|step| if let Step::Add(text) = *step { Some((text, false)) } else { None })
            .collect();
        let mut first = 0;
        for step in run {
            let Step::Remove(line) = *step else {
                if !matches!(step, Step::Add(_)) {
                    steps.push(*step);
                }
                continue;
            };
            let text = pattern.before.get(line).copied()?;
            let right = if is_blank(text) || hay.has_line(text, FORM) {
                None
            } else {
                right_line(hay, text, &added[first..])?
            };
            match right {
                Some(at) => {
                    let at = first + at;
                    steps.extend(added[first..at].iter().map(|(text, _)| Step::Add(text)));
                    steps.push(Step::Keep(line));
                    before[line] = added[at].0;
                    added[at].1 = true;
                    first = at + 1;
                    corrected += 1;
                }
                None => steps.push(*step),
            }
        }
        steps.extend(added[first..].iter().map(|(text, _)| Step::Add(text)));
    }
    let most = (pattern.solid().len() / 5).max(1);
    (corrected > 0 && corrected <= most).then_some(Pattern {
        before,
        steps,
        unit: pattern.unit,
        end: pattern.end,
    })
}

/// Whether a line is another one with a slip of the keyboard, or with other blanks, quotes or ends.
fn is_misquoted(written: &[u8], right: &[u8]) -> bool {
    is_mistyped(written, right) || without_style(written) == without_style(right)
}

/// Which of the lines that come is what a line that the file lacks was to be: the only one that the file has and that is
/// like it. `Some(None)` if there is none; none if there are several.
fn right_line(hay: Haystack<'_>, text: &[u8], added: &[(&[u8], bool)]) -> Option<Option<usize>> {
    let is_right = |(line, _): &(&[u8], bool)| {
        !is_blank(line) && is_misquoted(&FORM.of(text), &FORM.of(line)) && hay.has_line(line, FORM)
    };
    let mut right = (0..added.len()).filter(|&at| is_right(&added[at]));
    let first = right.next();
    if right.next().is_some() { None } else { Some(first) }
}
