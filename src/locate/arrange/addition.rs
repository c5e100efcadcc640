//! Lines that are added beside no line of the file: below a heading, or at the end of the file.

use crate::diag::{Code, Refusal};
use crate::edit::Unit;
use crate::guard;
use crate::locate::Context;
use crate::locate::alignment::Alignment;
use crate::locate::already_applied::stands_at;
use crate::locate::evidence::{self, HELP_CONTEXT, unknown_indentation};
use crate::locate::pointer::Pointers;
use crate::locate::query::Query;
use crate::locate::reindent::Reindent;
use crate::locate::solution::{Part, Solution};
use crate::locate::splice::{Beside, Splice};
use crate::locate::tier::MatchMode;
use crate::locate::{Limits, Note};
use crate::pattern::{End, Pattern};
use crate::text::search::{Budget, Haystack, Place};
use crate::text::{Content, Normalization, depth, indentation, is_blank, is_of_word};
use crate::version::Version;

/// Puts lines right below a heading.
pub(super) fn below(query: &Query<'_>, heading: usize) -> Result<Part, Box<Refusal>> {
    insert(query, heading + 1)
}

/// Puts lines at the end of the file.
///
/// # Errors
/// Other hunks for the file follow, so that the end is not what is meant; or the file ends with the bracket that it begins
/// with.
pub(super) fn at_end(query: &Query<'_>, followed: bool) -> Result<Part, Box<Refusal>> {
    let Query { context, hay, .. } = *query;
    let last = hay.line_count();
    let part = insert(query, last)?;
    if let Part::Change(_) = part {
        if followed && last > 0 {
            return Err(without_context());
        }
        may_end(hay.content(), context.limits)?;
    }
    Ok(part)
}

/// The file with lines added at its end, as it has them, and a note on that; none if it has them there.
///
/// # Errors
/// How they are to be indented in the file is not known, or they may be there by chance.
pub fn append(
    version: &Version,
    text: &str,
    limits: &Limits,
    budget: &Budget,
) -> Result<Option<(Version, Option<Note>)>, Box<Refusal>> {
    let content = version.content();
    let mut pattern = Pattern::of_texts("", text, Unit::Lines);
    pattern.end = End::Newline;
    let context = Context::new(limits, budget);
    let hay = Haystack::new(content, budget);
    let query = Query { context: &context, hay, pattern: &pattern, pointers: &Pointers::NONE };
    let part = at_end(&query, false)?;
    // Nothing follows from a look at the file that was cut short.
    if budget.is_spent() {
        return Err(evidence::too_much());
    }
    let Part::Change(solution) = part else { return Ok(None) };
    let note = solution.note.filter(|note| *note == Note::Retabbed);
    Ok(Some((version.with(&solution.changes), note)))
}

/// Refuses lines behind the bracket that a file ends with, where its language allows none there.
fn may_end(content: &Content, limits: &Limits) -> Result<(), Box<Refusal>> {
    let mut lines = (0..content.line_count()).rev().filter_map(|line| content.line(line));
    let last = lines.find(|line| !line.is_blank());
    let closes = last.is_some_and(|line| matches!(line.text.trim_ascii_end().last(), Some(b'}' | b']')));
    if !closes || !limits.language().is_closed() {
        return Ok(());
    }
    let message = "the added lines would go after the last bracket of the file";
    Err(Refusal::new(Code::Malformed, message).with_help(HELP_CONTEXT))
}

/// The refusal of added lines whose place nothing says.
pub(super) fn without_context() -> Box<Refusal> {
    Refusal::new(Code::SearchNotFound, "the hunk has no context lines").with_help(HELP_CONTEXT)
}

/// Puts lines behind as many of the file.
pub(super) fn behind(query: &Query<'_>, line: usize) -> Result<Part, Box<Refusal>> {
    let reindent = Reindent::of(query, &Alignment::of_nothing(line)).map_err(|_| unknown_indentation())?;
    let mut part = put(query, line, Some(line), &reindent)?;
    if let Part::Change(solution) = &mut part {
        // The edit says where they go.
        solution.note = solution.note.filter(|note| *note != Note::Unanchored);
    }
    Ok(part)
}

/// Puts lines in front of one, indented as what is there, unless the file has them there.
fn insert(query: &Query<'_>, line: usize) -> Result<Part, Box<Refusal>> {
    let Query { context, hay, pattern, .. } = *query;
    let language = context.limits.language();
    // At the end of the file they would be above it, below a heading after it.
    let at_end = line == hay.line_count();
    let heading = line.checked_sub(1).filter(|_| !at_end);
    let inner = heading.and_then(|heading| inner_indentation(hay, heading));
    let first = pattern.added().find(|text| !is_blank(text));
    let reindent = match inner {
        // They lack what the block is indented by.
        Some(inner) if first.is_some_and(|text| depth(text) == 0) => Ok(Reindent::indented(inner, language)),
        _ => Reindent::of(query, &Alignment::of_nothing(line)),
    };
    let is_known = |reindent: &Reindent| {
        let (Some(heading), Some(first)) = (heading, first) else { return true };
        language.is_prose() || fits(hay.text(heading), inner, indentation(&reindent.line(first, false)))
    };
    let reindent = reindent.ok().filter(is_known).ok_or_else(unknown_indentation)?;
    let start = if at_end { line.checked_sub(pattern.after().len()) } else { Some(line) };
    put(query, line, start, &reindent)
}

/// Whether lines that are indented so may go below a heading: as its block is, or where it opens none, as it is itself or
/// deeper behind a bracket or colon. Nothing goes inside of the brackets of a call or a signature that goes on.
fn fits(heading: &[u8], inner: Option<&[u8]>, indent: &[u8]) -> bool {
    let own = indentation(heading);
    match inner {
        _ if calls_on(heading) => false,
        Some(inner) => indent == inner,
        None => {
            let opens = matches!(heading.trim_ascii_end().last(), Some(b'{' | b'(' | b'[' | b':'));
            indent == own || opens && depth(indent) > depth(own)
        }
    }
}

/// Whether a line opens a round bracket right behind a word, and does not close it.
fn calls_on(text: &[u8]) -> bool {
    let mut open = Vec::new();
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'(' => open.push(at > 0 && is_of_word(text[at - 1])),
            b')' => drop(open.pop()),
            _ => {}
        }
    }
    open.contains(&true)
}

/// Puts lines in front of one, unless the file has them at `start`.
fn put(
    query: &Query<'_>,
    line: usize,
    start: Option<usize>,
    reindent: &Reindent,
) -> Result<Part, Box<Refusal>> {
    let Query { context, hay, pattern, .. } = *query;
    let after: Vec<Vec<u8>> =
        pattern.after().iter().enumerate().map(|(at, text)| reindent.line(text, at == 0)).collect();
    if let Some(start) = start.filter(|&start| stands_at(hay, start, &after, Normalization::Text)) {
        let place = Place::lines(start, start + after.len());
        if !pattern.after_is_proof() {
            let message = format!("line {} already has lines like the added ones", start + 1);
            return Err(Refusal::new(Code::SearchAmbiguous, message).with_help(HELP_CONTEXT));
        }
        return Ok(Part::Made(Solution::at(hay, place, MatchMode::EXACT)));
    }
    guard::hunk(hay, &Place::lines(line, line), pattern, &context.limits.guard)?;
    let splice = Splice { hay, reindent, beside: Beside::Above, context: Some(context) };
    let changes = splice.changes(pattern, &Alignment::of_nothing(line)).map_err(|_| unknown_indentation())?;
    let place = Place::lines(line.saturating_sub(1), line);
    let note = if reindent.is_retabbed() { Note::Retabbed } else { Note::Unanchored };
    Ok(Part::Change(Solution { changes, note: Some(note), ..Solution::at(hay, place, MatchMode::EXACT) }))
}

/// What the first line of the block is indented by that a heading opens; none if it opens none.
fn inner_indentation(hay: Haystack<'_>, heading: usize) -> Option<&[u8]> {
    let inner = (heading + 1..hay.line_count()).find(|line| !hay.is_blank(*line))?;
    let inner = hay.text(inner);
    (depth(inner) > depth(hay.text(heading))).then(|| indentation(inner))
}
