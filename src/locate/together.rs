//! Edits of a file that touch each other are judged together: the file may be what all of them make of another one, though
//! no single result of theirs stands in it any more.

use super::change::LineChange;
use super::haystack::Haystack;
use super::pattern::{Pattern, Step};
use super::place::Place;
use super::standing::stands_nearly;
use super::{Effort, Version};
use crate::edit::Hunk;
use crate::text::{Content, Form};

/// The text from which all hunks of a file together may have made the one that it has: their results are taken out again,
/// one after the other. Each has to stand in one place then, with nothing like the before-text elsewhere. None if one never
/// does.
///
/// That they make of it what the file has is for the caller to see.
fn unmade(content: &Content, hunks: &[&Hunk], effort: &Effort) -> Option<Content> {
    let mut now = content.clone();
    let mut left: Vec<Pattern<'_>> = Vec::with_capacity(hunks.len());
    for hunk in hunks {
        let pattern = Pattern::readings(&hunk.change).into_iter().next()?;
        if !pattern.changes_nothing() {
            left.push(pattern);
        }
    }
    while !left.is_empty() {
        // The last one that was made is the first to be found whole.
        let found = (0..left.len()).rev().find_map(|at| Some((at, taken_out(&now, left.get(at)?, effort)?)));
        let (at, before) = found?;
        left.remove(at);
        now = before;
    }
    (now != *content).then_some(now)
}

/// The text with the result of a hunk as it was before, if that stands in one place and says something.
fn taken_out(content: &Content, pattern: &Pattern<'_>, effort: &Effort) -> Option<Content> {
    if !pattern.after_is_proof() {
        return None;
    }
    let back = pattern.reversed()?;
    let hay = Haystack::new(content, effort);
    let [place] = hay.whole_lines(&back.before, Form::Trailing)[..] else { return None };
    // A before-text that stands elsewhere as it is makes its edit ambiguous, which is seen when it is made again.
    let stands = !hay.skipping_blanks(&pattern.solid(), Form::FoldedTrimmed).is_empty();
    if !stands && stands_nearly(hay, pattern, &[place], &|_| true) {
        return None;
    }
    let change = |change: LineChange| content.replace(change.start..change.end, &change.bytes);
    Some(change(whole(hay, &back, &place)))
}

/// The lines of a place as a hunk leaves them.
fn whole(hay: Haystack<'_>, pattern: &Pattern<'_>, place: &Place) -> LineChange {
    let mut bytes = Vec::new();
    let mut line = place.first();
    let eol = hay.content().dominant_eol().as_bytes();
    for step in &pattern.steps {
        match *step {
            Step::Keep(_) => {
                bytes.extend_from_slice(hay.text(line));
                bytes.extend_from_slice(
                    hay.line(line).and_then(|line| line.eol).map_or(eol, |eol| eol.as_bytes()),
                );
                line += 1;
            }
            Step::Remove(_) => line += 1,
            Step::Add(text) => {
                bytes.extend_from_slice(text);
                bytes.extend_from_slice(eol);
            }
            Step::Gap => {}
        }
    }
    if place.behind() == hay.line_count() && !hay.content().ends_with_newline() {
        bytes.truncate(bytes.len().saturating_sub(eol.len()));
    }
    LineChange { start: place.first(), end: place.behind(), bytes }
}

/// Whether all lines that hunks add are lines of a file: else not all of them were made.
pub fn may_be_there(content: &Content, hunks: &[&Hunk]) -> bool {
    let effort = Effort::default();
    let hay = Haystack::new(content, &effort);
    hunks.iter().all(|hunk| {
        let readings = Pattern::readings(&hunk.change);
        let Some(pattern) = readings.first() else { return false };
        pattern.added().all(|text| hay.has_line(text, Form::FoldedTrimmed))
    })
}

/// Whether the results of all hunks of a file are there, taken together: `make` gives what they make of a text.
pub fn are_all_there(
    content: &Content,
    hunks: &[&Hunk],
    effort: &Effort,
    make: impl FnOnce(&Version) -> Option<Content>,
) -> bool {
    unmade(content, hunks, effort)
        .and_then(|before| make(&Version::of_base(before)))
        .is_some_and(|after| after == *content && !effort.is_spent())
}
