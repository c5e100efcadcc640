//! OPX: `<edit file= op=>` elements, with texts between `<<<` and `>>>` lines.
//!
//! The rules are those of the OPX document, but stricter where the program that OPX comes from would lose data. An
//! invalid element gives one error and no edit. An element without a closing tag ends where the next one begins.

mod element;
mod payload;

use super::scan::{Cursor, equals_trimmed, starts_with_ignore_case, trim_start};
use super::tag::{self, Brackets, has_attributes, is_bare};
use super::{Format, FormatId, Output, fault};

pub(super) const FORMAT: Format = Format { id: FormatId::Opx, opens, openings: &["<edit file="], parse };

/// What begins at the cursor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    Envelope,
    Edit,
    /// A part of an edit without its `<edit>`.
    Part,
}

fn opens(cursor: &Cursor<'_>) -> bool {
    cursor.first_byte() == Some(b'<') && opening(cursor).is_some()
}

fn parse(cursor: &mut Cursor<'_>, out: &mut Output) {
    match opening(cursor) {
        Some(Opening::Envelope) => read_envelope(cursor, out),
        Some(opening) => read_opening(cursor, out, opening),
        None => {}
    }
}

fn read_opening(cursor: &mut Cursor<'_>, out: &mut Output, opening: Opening) {
    cursor.skip_blanks();
    if opening == Opening::Edit {
        return element::read(cursor, out);
    }
    let tag = tag::read(cursor);
    out.fault(fault::outside(tag.span, &tag.shown(), "`<edit>`"));
    if !has_payload(tag.name) {
        return;
    }
    cursor.skip_blank_lines();
    cursor.advance();
    while !cursor.is_end() && !opens(cursor) {
        if let Some(length) = tag::closing_length(trim_start(cursor.text()), tag.name, tag.brackets) {
            cursor.skip_blanks();
            return cursor.step(length);
        }
        cursor.advance();
    }
}

/// Reads the edits of the envelope at the cursor.
fn read_envelope(cursor: &mut Cursor<'_>, out: &mut Output) {
    let is_envelope = |cursor: &Cursor<'_>| opening(cursor) == Some(Opening::Envelope);
    tag::read_envelope(cursor, out, FormatId::Opx, is_envelope, |cursor, out| {
        opening(cursor).map(|opening| read_opening(cursor, out, opening)).is_some()
    });
}

/// Returns what begins at the cursor, after blanks.
fn opening(cursor: &Cursor<'_>) -> Option<Opening> {
    let text = trim_start(cursor.text());
    let (name, false) = tag::peek(text)? else { return None };
    let rest = &text[1 + name.len()..];
    if name.eq_ignore_ascii_case("opx") {
        return (is_bare(rest, Brackets::ANGLE) || has_attributes(rest)).then_some(Opening::Envelope);
    }
    if name.eq_ignore_ascii_case("to") {
        return has_attributes(rest).then_some(Opening::Part);
    }
    if has_payload(name) {
        let line = cursor.line()?;
        let rest = line.skip(line.text.len() - rest.split_once('>')?.1.len());
        let mut below = cursor.lines();
        below.next();
        return equals_trimmed(tag::next_text(rest, &below)?.text, payload::OPEN).then_some(Opening::Part);
    }
    starts_edit(text, || cursor.lines().nth(1).map(|line| line.text)).then_some(Opening::Edit)
}

/// Whether a text begins with the tag of an edit, and is not prose about that tag: attributes follow on this line or
/// the next, or only tags follow.
fn starts_edit<'r>(text: &str, next_line: impl FnOnce() -> Option<&'r str>) -> bool {
    if !starts_with_ignore_case(text, "<edit") {
        return false;
    }
    let rest = &text["<edit".len()..];
    if !rest.is_empty() && !rest.starts_with([' ', '\t', '>', '/']) {
        return false;
    }
    if is_bare(rest, Brackets::ANGLE) || has_attributes(rest) {
        return true;
    }
    let line = next_line().map_or("", trim_start);
    let is_attribute = line.starts_with(|c: char| c.is_ascii_alphabetic()) && has_attributes(line);
    equals_trimmed(rest, "") && (line.starts_with('>') || is_attribute)
}

/// Whether the part with this name has a payload.
fn has_payload(name: &str) -> bool {
    name.eq_ignore_ascii_case("find") || name.eq_ignore_ascii_case("put")
}

#[cfg(test)]
mod tests;
