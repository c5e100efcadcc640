//! Additions without context lines go below a heading, or to the end of the file.

use crate::diag::{Code, Refusal};
use crate::edit::Unit;
use crate::guard;
use crate::locate::Context;
use crate::locate::alignment::Alignment;
use crate::locate::evidence::{self, HELP_CONTEXT, unknown_indentation};
use crate::locate::query::Query;
use crate::locate::reindent::Reindent;
use crate::locate::solution::{Placement, Solution};
use crate::locate::splice::{Beside, Splice};
use crate::locate::tier::MatchMode;
use crate::locate::{Limits, Note};
use crate::pattern::{End, Pattern};
use crate::text::search::{Haystack, Place};
use crate::text::{Content, Normalization, Trait, depth, indentation, is_blank, is_of_word};
use crate::version::Version;

/// Adds lines right below a heading.
pub(super) fn below(query: &Query<'_>, heading: usize) -> Result<Placement, Box<Refusal>> {
    insert(query, heading + 1)
}

/// Adds lines at the end of the file.
///
/// # Errors
/// Other hunks for the file follow, so its end cannot be meant; or the language allows no lines after the last bracket
/// of the file.
pub(super) fn at_end(query: &Query<'_>, followed: bool) -> Result<Placement, Box<Refusal>> {
    let Query { context, hay, .. } = *query;
    let last = hay.line_count();
    let placement = insert(query, last)?;
    if let Placement::Change(_) = placement {
        if followed && last > 0 {
            return Err(without_context());
        }
        check_end(hay.content(), context.limits)?;
    }
    Ok(placement)
}

/// Adds lines at the end of a file. Returns the file, with a note if they were re-indented; `None` if the file already
/// ends with them.
///
/// # Errors
/// The indentation of the lines is unknown, or it is unclear whether the file already has them.
pub fn append(
    version: &Version,
    text: &str,
    context: &Context<'_>,
) -> Result<Option<(Version, Option<Note>)>, Box<Refusal>> {
    let content = version.content();
    let mut pattern = Pattern::of_texts("", text, Unit::Lines);
    pattern.end = End::Newline;
    let hay = Haystack::new(content, context.budget);
    let query = Query::anywhere(context, hay, &pattern);
    let placement = at_end(&query, false)?;
    // A search that was cut short proves nothing.
    if context.budget.is_spent() {
        return Err(evidence::too_costly());
    }
    let Placement::Change(solution) = placement else { return Ok(None) };
    let note = solution.note.filter(|note| *note == Note::Retabbed);
    Ok(Some((version.with(&solution.changes), note)))
}

/// Refuses lines after the bracket that ends a file, if its language allows none there.
fn check_end(content: &Content, limits: &Limits) -> Result<(), Box<Refusal>> {
    let mut lines = (0..content.line_count()).rev().filter_map(|line| content.line(line));
    let last = lines.find(|line| !line.is_blank());
    let closes = last.is_some_and(|line| matches!(line.text.trim_ascii_end().last(), Some(b'}' | b']')));
    if !closes || !limits.language().has(Trait::Closed) {
        return Ok(());
    }
    let message = "the added lines would go after the last bracket of the file";
    Err(Refusal::new(Code::Malformed, message).with_help(HELP_CONTEXT))
}

/// Refuses added lines without a location.
pub(super) fn without_context() -> Box<Refusal> {
    Refusal::new(Code::SearchNotFound, "the hunk has no context lines").with_help(HELP_CONTEXT)
}

/// Adds lines after a line number, unless the file already has them there. If the file is the text that the hunk was
/// made from, it cannot have them yet.
pub(super) fn behind(query: &Query<'_>, line: usize) -> Result<Placement, Box<Refusal>> {
    let reindent = Reindent::of(query, &Alignment::of_nothing(line)).map_err(|_| unknown_indentation())?;
    let mut placement = put(query, line, (!query.context.is_made_from).then_some(line), &reindent)?;
    if let Placement::Change(solution) = &mut placement {
        // The line number says where the lines go, so they are not unanchored.
        solution.note = solution.note.filter(|note| *note != Note::Unanchored);
    }
    Ok(placement)
}

/// Adds lines before a line, indented like the lines there, unless the file already has them there.
fn insert(query: &Query<'_>, line: usize) -> Result<Placement, Box<Refusal>> {
    let Query { context, hay, pattern, .. } = *query;
    let language = context.limits.language();
    // If `line` is not the end of the file, the line above it is a heading.
    let at_end = line == hay.line_count();
    let heading = line.checked_sub(1).filter(|_| !at_end);
    let inner = heading.and_then(|heading| inner_indentation(hay, heading));
    let first = pattern.added().find(|text| !is_blank(text));
    let reindent = match inner {
        // The added lines begin in the first column, so they lack the indentation of the block.
        Some(inner) if first.is_some_and(|text| depth(text) == 0) => Ok(Reindent::indented(inner, language)),
        _ => Reindent::of(query, &Alignment::of_nothing(line)),
    };
    let is_known = |reindent: &Reindent| {
        let (Some(heading), Some(first)) = (heading, first) else { return true };
        language.is_prose() || fits(hay.text(heading), inner, indentation(&reindent.line(first, false)))
    };
    let reindent = reindent.ok().filter(is_known).ok_or_else(unknown_indentation)?;
    // Where the file would already have the lines: above its end, or right below the heading. Equal additions of one
    // region are all made, so lines at the end may be those of the previous one.
    let start = match at_end {
        true if context.repeat(0).index > 0 => None,
        true => line.checked_sub(pattern.after().len()),
        false => Some(line),
    };
    put(query, line, start, &reindent)
}

/// Whether lines with this indentation fit below a heading. If it begins a block, they need the indentation of the
/// block. Otherwise they need that of the heading, or a deeper one after an open bracket or a colon. Nothing fits
/// inside the brackets of a call or signature.
fn fits(heading: &[u8], inner: Option<&[u8]>, indent: &[u8]) -> bool {
    let own = indentation(heading);
    match inner {
        _ if is_in_call(heading) => false,
        Some(inner) => indent == inner,
        None => {
            let opens = matches!(heading.trim_ascii_end().last(), Some(b'{' | b'(' | b'[' | b':'));
            indent == own || opens && depth(indent) > depth(own)
        }
    }
}

/// Whether a line opens a round bracket right after a word, and does not close it.
fn is_in_call(text: &[u8]) -> bool {
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

/// Adds lines before a line, unless the file already has them at `start`.
fn put(
    query: &Query<'_>,
    line: usize,
    start: Option<usize>,
    reindent: &Reindent,
) -> Result<Placement, Box<Refusal>> {
    let Query { context, hay, pattern, .. } = *query;
    let after: Vec<Vec<u8>> =
        pattern.after().iter().enumerate().map(|(at, text)| reindent.line(text, at == 0)).collect();
    let lines: Vec<&[u8]> = after.iter().map(Vec::as_slice).collect();
    let has_them = |start: &usize| {
        let there = hay.within(*start..start + lines.len());
        !there.whole_lines(&lines, Normalization::Text).is_empty()
    };
    if let Some(start) = start.filter(has_them) {
        let place = Place::lines(start, start + after.len());
        if !pattern.after_is_proof() {
            return Err(evidence::has_added_lines(start));
        }
        return Ok(Placement::applied(hay, place, MatchMode::EXACT));
    }
    guard::hunk(hay, &Place::lines(line, line), pattern, &context.limits.guard)?;
    let splice = Splice { hay, reindent, beside: Beside::Above, context: Some(context) };
    let changes = splice.changes(pattern, &Alignment::of_nothing(line)).map_err(|_| unknown_indentation())?;
    let place = Place::lines(line.saturating_sub(1), line);
    let note = if reindent.converts_tabs() { Note::Retabbed } else { Note::Unanchored };
    Ok(Placement::Change(Solution {
        changes,
        note: Some(note),
        ..Solution::at(hay, place, MatchMode::EXACT)
    }))
}

/// The indentation of the block that a heading begins; `None` if it begins none.
fn inner_indentation(hay: Haystack<'_>, heading: usize) -> Option<&[u8]> {
    let inner = (heading + 1..hay.line_count()).find(|line| !hay.is_blank(*line))?;
    let inner = hay.text(inner);
    (depth(inner) > depth(hay.text(heading))).then(|| indentation(inner))
}
