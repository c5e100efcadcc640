//! OPX: `<edit file= op=>` elements with their texts between `<<<` and `>>>` lines.
//!
//! Source of the rules: the OPX document, and the stricter reading where its origin loses data. An element that is at fault
//! in any way gives one error and no edit. One without its end reaches up to the next.

mod element;
mod payload;
mod render;

use super::scan::{Cursor, is_text, starts_with_ignore_case, trim_start};
use super::tag::{self, Kind, has_attributes};
use super::{Format, FormatId, Output, fault};

/// The row of the table.
pub(super) const FORMAT: Format = Format { id: FormatId::Opx, opens, parse, render: render::render };

/// What the text at the cursor opens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    Envelope,
    Edit,
    /// A part of an edit whose tag got lost.
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
    out.fault(fault::unexpected(tag.span, &tag.shown(), "text outside of `<edit>`"));
    if !is_part(tag.name) {
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

/// Reads the edits up to the end of the envelope that opens here. What else is in it is prose.
fn read_envelope(cursor: &mut Cursor<'_>, out: &mut Output) {
    cursor.skip_blanks();
    let tag = tag::read(cursor);
    let mut is_pure = true;
    while tag.opens() && !out.is_full() {
        cursor.skip_blank_lines();
        let text = cursor.text();
        match opening(cursor) {
            Some(Opening::Envelope) => break,
            Some(opening) => {
                read_opening(cursor, out, opening);
                continue;
            }
            None if cursor.is_end() => break,
            None => {}
        }
        if let Some(at) = tag::find_closing(text, "opx") {
            cursor.step(at);
            tag::read(cursor);
            return;
        }
        if let Some(what) = tag::foreign(cursor, FormatId::Opx).filter(|_| is_pure) {
            out.fault(fault::unexpected(cursor.line_span(), what, "`<opx>`"));
            is_pure = false;
        }
        cursor.advance();
    }
    if tag.kind != Kind::SelfClosed && !out.is_full() {
        out.fault(fault::unterminated(tag.span, "`<opx>`").with_lost(cursor.here()));
    }
}

/// What the text at the cursor opens, blanks aside.
fn opening(cursor: &Cursor<'_>) -> Option<Opening> {
    let text = trim_start(cursor.text());
    let (name, false) = tag::peek(text)? else { return None };
    let rest = &text[1 + name.len()..];
    if name.eq_ignore_ascii_case("opx") {
        return (begins_line_of_tags(rest) || has_attributes(rest)).then_some(Opening::Envelope);
    }
    if name.eq_ignore_ascii_case("to") {
        return has_attributes(rest).then_some(Opening::Part);
    }
    if is_part(name) {
        let after = rest.split_once('>')?.1;
        let mut below = cursor.lines().skip(1).filter(|line| !line.is_blank());
        let text = if is_text(after, "") { below.next().map_or("", |line| line.text) } else { after };
        return is_text(text, payload::OPEN).then_some(Opening::Part);
    }
    starts_edit(text, || cursor.lines().nth(1).map(|line| line.text)).then_some(Opening::Edit)
}

/// Whether a text begins with the tag of an edit rather than with prose about it: with attributes, on the line or from
/// the next one on, or with nothing after it but other tags, or with nothing because the response breaks off.
fn starts_edit<'r>(text: &str, next_line: impl FnOnce() -> Option<&'r str>) -> bool {
    if !starts_with_ignore_case(text, "<edit") {
        return false;
    }
    let rest = &text["<edit".len()..];
    if !rest.is_empty() && !rest.starts_with([' ', '\t', '>', '/']) {
        return false;
    }
    if begins_line_of_tags(rest) || has_attributes(rest) {
        return true;
    }
    match next_line().map(trim_start) {
        Some(line) => {
            let is_attribute = line.starts_with(|c: char| c.is_ascii_alphabetic()) && has_attributes(line);
            is_text(rest, "") && (line.starts_with('>') || is_attribute)
        }
        None => is_text(trim_start(rest).trim_start_matches(|c: char| c.is_ascii_alphabetic()), ""),
    }
}

/// Whether what follows a tag's name is its end, without attributes, and after it nothing or another tag.
fn begins_line_of_tags(rest: &str) -> bool {
    let rest = trim_start(rest);
    let rest = rest.strip_prefix("/>").or_else(|| rest.strip_prefix('>'));
    rest.map(trim_start).is_some_and(|rest| rest.is_empty() || rest.starts_with('<'))
}

/// Whether a tag of that name has a payload.
fn is_part(name: &str) -> bool {
    name.eq_ignore_ascii_case("find") || name.eq_ignore_ascii_case("put")
}

#[cfg(test)]
mod tests;
