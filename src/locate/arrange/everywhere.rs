//! A text that is replaced wherever it stands, letter by letter, as the tools do it whose calls ask for that.

use crate::diag::Code;
use crate::guard;
use crate::locate::alignment::Alignment;
use crate::locate::evidence::{self, Refusal};
use crate::locate::part;
use crate::locate::scene::{Part, Solution};
use crate::locate::solve::solve;
use crate::locate::sought::Sought;
use crate::locate::standing::is_made;
use crate::locate::tier::Rung;
use crate::pattern::Pattern;
use crate::text::search::{Haystack, Place, is_of_tokens};
use crate::text::{Form, Language};
use crate::version::LineChange;

/// What the hunk comes to; none if its text stands nowhere as it is.
///
/// # Errors
/// The text stands in longer words too, or in lines that go on; or some of its places were made already and others not.
pub(super) fn everywhere(sought: &Sought<'_>) -> Result<Option<Part>, Box<Refusal>> {
    let Sought { scene, hay, pattern, .. } = *sought;
    let lines = pattern.before.as_slice();
    let places = match lines {
        [text] => hay.parts(text),
        _ => hay.whole_lines(lines, Form::Text),
    };
    let beyond = if lines.len() > 1 { beside_lines(hay, lines, &places) } else { within_words(hay, &places) };
    if let Some(place) = beyond {
        return Err(in_more(hay, &place));
    }
    let Some(first) = places.first().copied() else { return Ok(None) };
    if !Place::are_apart(&places) {
        return Err(evidence::ambiguous(hay, places));
    }
    let language = scene.limits.language();
    let made = |place: &Place| match lines {
        [_] => part::is_made(hay, language, pattern, place),
        _ => aligned(hay, pattern, place).is_some_and(|aligned| is_made(sought, &aligned)),
    };
    match places.iter().filter(|place| made(place)).count() {
        0 => {}
        all if all == places.len() => {
            return Ok(Some(Part::Made(Solution::at(hay, first, Rung::EXACT, places.len()))));
        }
        _ => return Err(evidence::ambiguous(hay, places)),
    }
    guard::hunk(hay, pattern, &scene.limits.guard)?;
    let changes = match lines {
        [_] => in_lines(hay, language, pattern, &places)?,
        _ => {
            let mut changes = Vec::new();
            for place in &places {
                let Some(aligned) = aligned(hay, pattern, place) else { continue };
                changes.extend(solve(sought, &aligned, places.len())?.changes);
            }
            changes
        }
    };
    let found = Solution::at(hay, first, Rung::EXACT, places.len());
    Ok(Some(Part::Change(Solution { changes, ..found })))
}

fn aligned(hay: Haystack<'_>, pattern: &Pattern<'_>, place: &Place) -> Option<Alignment> {
    Alignment::at(hay, pattern, *place, Rung::EXACT)
}

/// The changes of the lines that have places in them.
fn in_lines(
    hay: Haystack<'_>,
    language: Language,
    pattern: &Pattern<'_>,
    places: &[Place],
) -> Result<Vec<LineChange>, Box<Refusal>> {
    let after = pattern.after();
    let mut changes = Vec::new();
    for of_line in places.chunk_by(|a, b| a.first() == b.first()) {
        let Some(first) = of_line.first() else { continue };
        let whole = first.start.column == 0 && hay.text(first.first()).len() == first.end.column;
        match (of_line, after.as_slice()) {
            ([place], lines) if lines.len() != 1 || whole => {
                let unclear = |_| {
                    let line = place.first() + 1;
                    let refusal = evidence::stands_but(
                        hay,
                        pattern,
                        place,
                        "and the new text has more lines than fit there",
                    );
                    refusal.with_help(format!("give the whole of line {line} in an edit of its own"))
                };
                changes.extend(part::changes(hay, language, pattern, place).map_err(unclear)?);
            }
            (_, [] | [_]) => changes.push(spliced(hay, of_line, after.first().copied().unwrap_or_default())),
            _ => return Err(evidence::ambiguous(hay, of_line.iter().copied())),
        }
    }
    Ok(changes)
}

/// A line with one text in all of its places.
fn spliced(hay: Haystack<'_>, places: &[Place], text: &[u8]) -> LineChange {
    let number = places.first().map_or(0, Place::first);
    let line = hay.text(number);
    let mut bytes = Vec::with_capacity(line.len() + text.len());
    let mut at = 0;
    for place in places {
        bytes.extend_from_slice(line.get(at..place.start.column).unwrap_or_default());
        bytes.extend_from_slice(text);
        at = place.end.column;
    }
    bytes.extend_from_slice(line.get(at..).unwrap_or_default());
    let eol = hay.line(number).and_then(|line| line.eol);
    bytes.extend_from_slice(eol.map_or(&[][..], |eol| eol.as_bytes()));
    LineChange::new(number, number + 1, bytes)
}

/// A place that begins or ends inside a word.
fn within_words(hay: Haystack<'_>, places: &[Place]) -> Option<Place> {
    places.iter().find(|place| !is_of_tokens(hay, place)).copied()
}

/// A place of several lines whose first or last is only a part of the file's line.
fn beside_lines(hay: Haystack<'_>, lines: &[&[u8]], places: &[Place]) -> Option<Place> {
    let (last, before) = lines.split_last()?;
    let (first, inner) = before.split_first()?;
    // A last line without text says nothing; the one before it does.
    let sought = if last.is_empty() { hay.whole_lines(&[last], Form::Text) } else { hay.parts(last) };
    let candidates = sought.into_iter().filter(|place| place.start.column == 0);
    let mut candidates = candidates.filter_map(|place| place.first().checked_sub(before.len()));
    let stands = |start: usize| {
        hay.text(start).ends_with(first)
            && inner.iter().enumerate().all(|(at, text)| hay.text(start + 1 + at) == *text)
            && !places.iter().any(|place| place.first() == start)
    };
    let start = candidates.find(|&start| stands(start))?;
    Some(Place::lines(start, start + lines.len()))
}

fn in_more(hay: Haystack<'_>, place: &Place) -> Box<Refusal> {
    let line = place.first() + 1;
    let message = format!(
        "the text is to be replaced everywhere, but at line {line} it is only a part of a longer word or line"
    );
    let help = "give an edit for each place, with lines around it, or a text that is whole words or lines everywhere";
    let mut refusal = evidence::ambiguous(hay, [*place]);
    (refusal.message, refusal.help) = (message, Some(help.to_owned()));
    refusal.code = Code::SearchAmbiguous;
    refusal
}
