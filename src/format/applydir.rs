//! applydir: JSON objects of files with the lines that change.
//!
//! Source of the rules: the origin's design document and code, and the stricter reading where they lose data. JSON that reads like edits and is cut
//! off or malformed is an error; the whole objects before the place still are edits.

mod entry;
mod json;
mod lexer;
mod render;
mod survey;

use super::scan::{Cursor, trim};
use super::{Format, FormatId};
use crate::diag::{Code, Diagnostic};
use crate::edit::Script;
use lexer::{Stop, TYPOGRAPHIC};
use survey::{Break, Found};

pub(super) use survey::Survey;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    id: FormatId::Applydir,
    markers: "a JSON list of objects with \"file\" and \"changes\", or a JSON object with \"file_entries\"",
    opens,
    parse,
    render: render::render,
};

/// Whether JSON may begin at this line. Whether it reads like edits is seen in [`parse`], which can note what it saw.
fn opens(cursor: &Cursor<'_>) -> bool {
    let Some(line) = cursor.line() else { return false };
    let mut chars = line.text.chars().filter(|c| !matches!(c, ' ' | '\t'));
    match chars.next() {
        Some('[') => matches!(chars.next(), None | Some('{' | '/')),
        Some('{') => chars.next().is_none_or(|c| matches!(c, '"' | '\'' | '/') || TYPOGRAPHIC.contains(&c)),
        _ => false,
    }
}

fn parse(cursor: &mut Cursor<'_>, script: &mut Script) {
    let mut survey = std::mem::take(&mut cursor.json);
    let found = survey.at(cursor);
    cursor.json = survey;
    let Some(found) = found else { return };
    let text = json::plain(cursor, &found);
    let mut reader = entry::Reader::new(cursor, script, &text, found.start);
    let outcome = json::read_root(&text, &mut reader);
    reader.finish(outcome.is_ok());
    if let Err(error) = outcome {
        script.diagnostics.push(fault(cursor, &found, &text, &error));
    }
    leave(cursor, &found);
}

/// Goes after what was found. What breaks it off may begin a region, if it begins its line.
fn leave(cursor: &mut Cursor<'_>, found: &Found) {
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

/// What is wrong with JSON that cannot be read to its end.
fn fault(cursor: &Cursor<'_>, found: &Found, text: &str, error: &serde_json::Error) -> Diagnostic {
    let whole = cursor.span(found.start, found.end);
    let Some(broken) = found.broken.filter(|_| error.is_eof()) else {
        let at = found.start + json::offset_of(text, error);
        let mut end = (at + 1).min(found.end);
        while !cursor.response().text().is_char_boundary(end) {
            end += 1;
        }
        let message = format!("the edits are not valid JSON: {}", json::message_of(error));
        return Diagnostic::error(Code::Malformed, cursor.span(at, end), message)
            .with_label(cursor.span(found.start, found.start + 1), "they begin here")
            .with_help(
                "give the JSON again; put strings in straight double quotes, and in them write a line break as \\n, a \
                 tab as \\t and a quote as \\\"",
            );
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

#[cfg(test)]
mod tests;
