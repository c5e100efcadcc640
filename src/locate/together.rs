//! Edits of a file that touch each other are judged together: the file may be what all of them make of another one, though
//! no single result of theirs stands in it any more.

use super::alignment::Alignment;
use super::pointer::Pointers;
use super::reindent::Reindent;
use super::splice::{Beside, Splice};
use super::standing::{is_result, stands_nearly};
use super::tier::{Rung, Scope};
use crate::edit::Hunk;
use crate::pattern::Pattern;
use crate::text::search::{Effort, Haystack};
use crate::text::{Content, Form};
use crate::version::Version;

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
    // A before-text that stands elsewhere makes the edit ambiguous. That is seen when the edit is made again, unless taking the
    // result out changes that place, too.
    let stand = hay.skipping_blanks(&pattern.solid(), Form::FoldedTrimmed);
    if !is_result(hay, pattern, &place, Scope::Whole)
        || stand.iter().any(|one| one.reaches_out_of(&place))
        || stand.is_empty() && stands_nearly(hay, pattern, &[place], &Pointers::NONE, &|_| false)
    {
        return None;
    }
    let aligned = Alignment::at(hay, &back, place, Rung::TRAILING)?;
    let splice = Splice { hay, reindent: &Reindent::default(), beside: Beside::Above, scene: None };
    Some(Version::of_new(content.clone()).with(&splice.changes(&back, &aligned).ok()?).content().clone())
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
