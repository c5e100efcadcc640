//! JSON in a response: where it is, and what it holds, read so that every place is one of the response.
//!
//! What the formats in JSON share. Comments and trailing commas are tolerated; what is cut off or malformed is told from
//! what is no JSON at all.

pub(super) mod key;
mod lexer;
mod survey;
mod text;
mod tree;

pub(super) use lexer::{Kind, Tokens};
pub(super) use survey::{Found, Survey, What};
pub(super) use text::{Ends, Places, Text, and_break, plain, text_of};
pub(super) use tree::{Shape, Tree};

use super::scan::{Cursor, trim};
use crate::diag::{Code, Diagnostic};
use lexer::{Stop, TYPOGRAPHIC};
use survey::Break;

/// Whether JSON may begin at this line. Whether it reads like edits is for [`Survey::at`], which can note what it saw.
pub(super) fn opens(cursor: &Cursor<'_>) -> bool {
    let Some(line) = cursor.line() else { return false };
    let mut chars = line.text.chars().filter(|c| !matches!(c, ' ' | '\t'));
    match chars.next() {
        Some('[') => matches!(chars.next(), None | Some('{' | '/')),
        Some('{') => chars.next().is_none_or(|c| matches!(c, '"' | '\'' | '/') || TYPOGRAPHIC.contains(&c)),
        _ => false,
    }
}

/// The JSON of that kind that begins at this line.
pub(super) fn found(cursor: &mut Cursor<'_>, what: What) -> Option<Found> {
    let mut survey = std::mem::take(&mut cursor.json);
    let found = survey.at(cursor);
    cursor.json = survey;
    found.filter(|found| found.what == what)
}

/// Where the value begins at this line that the response ends in, if it is one.
pub(super) fn breaks_off(cursor: &mut Cursor<'_>) -> Option<usize> {
    let mut survey = std::mem::take(&mut cursor.json);
    survey.at(cursor);
    let start = survey.cut_off;
    cursor.json = survey;
    start
}

/// Goes after what was found. What breaks it off may begin a region, if it begins its line.
pub(super) fn leave(cursor: &mut Cursor<'_>, found: &Found) {
    while let Some(line) = cursor.line() {
        let before = found.end.checked_sub(line.start).and_then(|length| line.text.get(..length));
        match before {
            Some(before) if found.broken.is_none() => return cursor.step(before.len()),
            Some(before) if line.is_whole() && line.start > found.start && trim(before).is_empty() => return,
            Some(_) => break,
            None if found.end < line.next => break,
            None => cursor.advance(),
        }
    }
    cursor.advance();
}

/// What is wrong with JSON that cannot be read to its end. `error` says where and what, unless it just ends.
pub(super) fn fault(cursor: &Cursor<'_>, found: &Found, error: Option<(usize, &str)>) -> Diagnostic {
    let whole = cursor.span(found.start, found.end);
    let broken = match (found.broken, error) {
        (Some(broken), None) => broken,
        (_, error) => {
            let (at, message) = error.unwrap_or((found.start, "it ends too early"));
            let mut end = (at + 1).min(found.end).max(at);
            while !cursor.response().text().is_char_boundary(end) {
                end += 1;
            }
            let message = format!("the edits are not valid JSON: {message}");
            return Diagnostic::error(Code::Malformed, cursor.span(at, end), message)
                .with_label(cursor.span(found.start, found.start + 1), "they begin here")
                .with_help(
                    "give the JSON again; put strings in straight double quotes, and in them write a line break as \
                     \\n, a tab as \\t and a quote as \\\"",
                );
        }
    };
    let rest = cursor.response().text().get(found.end..).unwrap_or("");
    let line = rest.lines().next().unwrap_or("");
    let cut_off = match broken {
        Break::Stop(Stop::End(_)) => true,
        Break::Stop(Stop::String(_) | Stop::Comment(_)) => rest[line.len()..].trim_start().is_empty(),
        Break::Stop(Stop::Byte(_)) => line.starts_with("```") || line.starts_with("~~~"),
        Break::Bracket | Break::Depth => false,
    };
    let place = cursor.span(found.end, found.end);
    if cut_off {
        return Diagnostic::error(Code::Truncated, whole, "this JSON is never closed")
            .with_label(place, "it breaks off here")
            .with_lost(place)
            .with_help("the response may be cut off; give the JSON again, or the rest of the edits");
    }
    let why = match broken {
        Break::Stop(Stop::String(_)) => "a string does not end in its line: write a line break as \\n",
        Break::Stop(Stop::Comment(_)) => "a comment does not end",
        Break::Stop(Stop::Byte(_)) => "this cannot stand in JSON",
        Break::Stop(Stop::End(_)) => "it ends",
        Break::Bracket => "this bracket closes another kind of bracket",
        Break::Depth => "too many values stand in each other",
    };
    Diagnostic::error(Code::Malformed, whole, "the edits are not valid JSON").with_label(place, why)
}
