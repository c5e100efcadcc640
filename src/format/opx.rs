//! OPX: `<edit file= op=>` elements with their texts between `<<<` and `>>>` lines.
//!
//! Source of the rules: the OPX document, and where its origin loses data, `formats.md`. An edit that is at fault in any
//! way gives errors and no edit. Where it has no end, all openings up to where it is given up are errors too, because
//! nobody can tell whether they are edits or text of the first.

mod element;
mod payload;

use super::scan::{Cursor, Line, is_blank, starts_with_ignore_case, trim};
use super::tag::{self, Kind};
use super::{Format, FormatId, MAX_ERRORS};
use crate::diag::{Code, Diagnostic};
use crate::edit::Script;

/// The row of the table.
pub(super) const FORMAT: Format =
    Format {
        id: FormatId::Opx, markers: "lines that begin with <edit file=\"…\" op=\"…\">", opens, parse
    };

/// What a line outside any edit says of OPX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    /// `<edit …>` begins the line.
    Edit,
    /// `<opx>` begins the line.
    Wrapper,
    /// `</opx>`, that many bytes into the line.
    WrapperEnd(usize),
    /// `</edit>` begins the line: the opening tag is missing.
    StrayEnd,
    /// `<find>` or `<put>` with a marker begins the line: likewise.
    StrayChild,
    /// A whole `<edit file= op=>` tag in the midst of the line, that many bytes into it.
    Inline(usize),
}

fn opens(cursor: &Cursor<'_>) -> bool {
    sign(cursor).is_some()
}

fn parse(cursor: &mut Cursor<'_>, script: &mut Script) {
    while let Some(sign) = sign(cursor) {
        cursor.skip_blanks();
        match sign {
            Sign::Edit => element::read(cursor, script, None),
            Sign::Inline(offset) => {
                cursor.step(offset);
                let span = cursor.span(cursor.at(), cursor.at() + "<edit".len());
                let fault = Diagnostic::error(Code::Malformed, span, "an edit does not begin its line")
                    .with_help("put <edit …> at the start of a line, or in backticks if it is no edit");
                element::read(cursor, script, Some(fault));
            }
            Sign::Wrapper => read_wrapper(cursor, script),
            Sign::WrapperEnd(offset) => {
                cursor.step(offset);
                tag::read(cursor);
                cursor.close_envelope();
            }
            Sign::StrayEnd | Sign::StrayChild => element::read_stray(cursor, script),
        }
        if script.diagnostics.len() >= MAX_ERRORS {
            return;
        }
        // Edits with nothing but blank lines between them are one region.
        let end = cursor.mark();
        cursor.skip_blank_lines();
        if !opens(cursor) {
            return cursor.reset(end);
        }
    }
}

fn read_wrapper(cursor: &mut Cursor<'_>, script: &mut Script) {
    let tag = tag::read(cursor);
    let span = cursor.span(tag.start, tag.end);
    script.diagnostics.extend(tag.faults);
    if let Some(attribute) = tag.attributes.first() {
        let message = format!("<opx> has the attribute {}, which it does not know", attribute.name);
        script.diagnostics.push(Diagnostic::error(Code::Malformed, span, message));
    }
    if tag.kind == Kind::Opening
        && let Some(open) = cursor.open_envelope(span)
    {
        let message = "this <opx> is not closed before the next";
        script.diagnostics.push(Diagnostic::error(Code::Truncated, open, message));
    }
}

/// What the line says; offsets are from its first byte that is no blank.
fn sign(cursor: &Cursor<'_>) -> Option<Sign> {
    let line = cursor.line()?;
    memchr::memchr(b'<', line.text.as_bytes())?;
    let text = line.text.trim_start_matches([' ', '\t']);
    let below = || cursor.lines().skip(1);
    match tag::peek(text) {
        Some((name, closing)) if name.eq_ignore_ascii_case("edit") => {
            if closing {
                return Some(Sign::StrayEnd);
            } else if starts_edit(text, below().next().map(|line| line.text)) {
                return Some(Sign::Edit);
            }
        }
        Some((name, false))
            if name.eq_ignore_ascii_case("opx")
                && (begins_line_of_tags(&text[1 + name.len()..]) || has_attributes(text)) =>
        {
            return Some(Sign::Wrapper);
        }
        Some((name, false)) if is_child(name) => {
            let after = text.split_once('>').map_or("", |(_, after)| trim(after));
            let opens = |line: Line<'_>| line.trimmed() == payload::OPEN;
            if after == payload::OPEN
                || (after.is_empty() && below().find(|line| !line.is_blank()).is_some_and(opens))
            {
                return Some(Sign::StrayChild);
            }
        }
        _ => {}
    }
    if cursor.envelope().is_some() {
        let mut ends = memchr::memmem::find_iter(text.as_bytes(), b"</");
        if let Some(end) = ends.find(|&at| starts_with_ignore_case(&text[at + 2..], "opx")) {
            return Some(Sign::WrapperEnd(end));
        }
    }
    // A block quote is looked at once more, without its marks.
    if text.starts_with('>') { None } else { inline_edit(text).map(Sign::Inline) }
}

/// Whether a text begins with the tag of an edit rather than with prose about it: with attributes, on the line or from
/// the next one on, or with nothing after it but other tags, or with nothing because the response breaks off.
fn starts_edit(text: &str, next_line: Option<&str>) -> bool {
    if !starts_with_ignore_case(text, "<edit") {
        return false;
    }
    let rest = &text["<edit".len()..];
    let begins_name = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic());
    match (trim(rest), next_line.map(trim)) {
        (_, _) if !rest.is_empty() && !rest.starts_with([' ', '\t', '>', '/']) => false,
        ("", Some(line)) => line.starts_with('>') || (begins_name(line) && line.contains('=')),
        (attributes, None) if attributes.bytes().all(|byte| byte.is_ascii_alphabetic()) => true,
        _ => begins_line_of_tags(rest) || has_attributes(rest),
    }
}

/// Whether a tag that goes on like that has attributes in this line.
fn has_attributes(rest: &str) -> bool {
    rest.split('>').next().is_some_and(|tag| tag.contains('='))
}

/// Whether what follows a tag's name is its end, without attributes, and after it nothing or another tag.
fn begins_line_of_tags(rest: &str) -> bool {
    let rest = trim(rest);
    let Some(rest) = rest.strip_prefix("/>").or_else(|| rest.strip_prefix('>')) else { return false };
    let rest = trim(rest);
    rest.is_empty() || rest.starts_with('<')
}

/// A whole `<edit file= op=>` tag in a line of prose that reads like an edit: it is self-closed, or nothing but tags
/// follow it, and it stands in no quotes.
fn inline_edit(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'<', bytes).find(|&at| {
        let tag = &text[at..];
        if !starts_with_ignore_case(tag, "<edit") || !tag[5..].starts_with([' ', '\t']) {
            return false;
        }
        let quoted = text[..at].ends_with(['`', '"', '\'', '“', '‘', '(', '[', '=', '\\']);
        let Some(end) = memchr::memchr2(b'<', b'>', &bytes[at + 1..]).map(|length| at + 1 + length) else {
            return false;
        };
        let attributes = &text[at + 5..end];
        let after = trim(&text[end..]);
        !quoted
            && has_attribute(attributes, "file")
            && has_attribute(attributes, "op")
            && (attributes.ends_with('/') || after == ">" || trim(&after[1..]).starts_with('<'))
    })
}

fn has_attribute(attributes: &str, name: &str) -> bool {
    memchr::memchr_iter(b'=', attributes.as_bytes()).any(|at| {
        let before = attributes[..at].trim_end_matches([' ', '\t']).as_bytes();
        before.len() > name.len()
            && before[before.len() - name.len()..].eq_ignore_ascii_case(name.as_bytes())
            && is_blank(before[before.len() - name.len() - 1])
    })
}

/// Whether a tag of that name has a payload.
fn is_child(name: &str) -> bool {
    name.eq_ignore_ascii_case("find") || name.eq_ignore_ascii_case("put")
}

#[cfg(test)]
mod tests;
