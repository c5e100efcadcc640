//! OPX: `<edit file= op=>` elements with their texts between `<<<` and `>>>` lines.
//!
//! Source of the rules: the OPX document, and the stricter reading where its origin loses data. An edit that is at fault in any
//! way gives errors and no edit. Where it has no end, all openings up to where it is given up are errors too, because
//! nobody can tell whether they are edits or text of the first.

mod element;
mod operation;
mod payload;
mod render;

use super::scan::{Cursor, Line, is_blank, is_text, starts_with_ignore_case, trim_start};
use super::tag::{self, Kind};
use super::{Format, FormatId, is_full, reasoning};
use crate::diag::{Code, Diagnostic};
use crate::edit::Script;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    id: FormatId::Opx,
    markers: "lines that begin with <edit file=\"…\" op=\"…\">",
    opens,
    parse,
    render: render::render,
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
    let mut stray = None;
    while let Some(sign) = sign(cursor) {
        cursor.skip_blanks();
        let before = stray.take();
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
            Sign::StrayEnd | Sign::StrayChild => {
                stray = element::read_stray(cursor, script, before);
            }
        }
        if is_full(script) {
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

/// What the line says; offsets are from its first byte that is no blank. Looks no further than to the first sign, since
/// it is asked again after it.
fn sign(cursor: &Cursor<'_>) -> Option<Sign> {
    let line = cursor.line()?;
    memchr::memchr(b'<', line.text.as_bytes())?;
    let text = trim_start(line.text);
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
                && (begins_line_of_tags(&text[1 + name.len()..])
                    || has_attributes(&text[1 + name.len()..])) =>
        {
            return Some(Sign::Wrapper);
        }
        Some((name, false)) if is_child(name) => {
            let after = text.split_once('>').map_or("", |(_, after)| after);
            let opens = |line: Line<'_>| is_text(line.text, payload::OPEN);
            if is_text(after, payload::OPEN)
                || (is_text(after, "") && below().find(|line| !line.is_blank()).is_some_and(opens))
            {
                return Some(Sign::StrayChild);
            }
        }
        _ => {}
    }
    // Reasoning, and the marks of a block quote, are taken off first.
    let first = tag::peek(text).map_or("", |(name, _)| name);
    let reasoning = reasoning::is_name(first);
    if reasoning || (cursor.begins_line() && text.starts_with('>')) || !cursor.is_unsearched() {
        return None;
    }
    let enveloped = cursor.envelope().is_some();
    for at in memchr::memchr_iter(b'<', text.as_bytes()) {
        match tag::peek(&text[at..]) {
            // Behind the end of reasoning the line is looked at anew.
            Some((name, true)) if reasoning::is_name(name) => return None,
            Some((name, true)) if enveloped && name.eq_ignore_ascii_case("opx") => {
                return Some(Sign::WrapperEnd(at));
            }
            Some((name, false)) if name.eq_ignore_ascii_case("edit") && is_inline_edit(text, at) => {
                return Some(Sign::Inline(at));
            }
            _ => {}
        }
    }
    cursor.set_searched();
    None
}

/// Whether a text begins with the tag of an edit rather than with prose about it: with attributes, on the line or from
/// the next one on, or with nothing after it but other tags, or with nothing because the response breaks off.
fn starts_edit(text: &str, next_line: Option<&str>) -> bool {
    if !starts_with_ignore_case(text, "<edit") {
        return false;
    }
    let rest = &text["<edit".len()..];
    if !rest.is_empty() && !rest.starts_with([' ', '\t', '>', '/']) {
        return false;
    }
    match next_line.map(trim_start) {
        Some(line) if is_text(rest, "") => {
            line.starts_with('>')
                || (line.starts_with(|c: char| c.is_ascii_alphabetic()) && has_attributes(line))
        }
        None if is_text(trim_start(rest).trim_start_matches(|c: char| c.is_ascii_alphabetic()), "") => true,
        _ => begins_line_of_tags(rest) || has_attributes(rest),
    }
}

/// Whether a tag that goes on like that has attributes in this line.
fn has_attributes(rest: &str) -> bool {
    memchr::memchr3(b'=', b'>', b'<', rest.as_bytes()).is_some_and(|at| rest.as_bytes()[at] == b'=')
}

/// Whether what follows a tag's name is its end, without attributes, and after it nothing or another tag.
fn begins_line_of_tags(rest: &str) -> bool {
    let rest = trim_start(rest);
    let Some(rest) = rest.strip_prefix("/>").or_else(|| rest.strip_prefix('>')) else { return false };
    let rest = trim_start(rest);
    rest.is_empty() || rest.starts_with('<')
}

/// Whether the tag of an edit in the midst of a line has a file and an operation and reads like an edit: it is
/// self-closed, or nothing but tags follow it, and it stands in no quotes.
fn is_inline_edit(text: &str, at: usize) -> bool {
    let tag = &text[at + "<edit".len()..];
    let Some(end) = memchr::memchr2(b'<', b'>', tag.as_bytes()) else { return false };
    let (attributes, after) = tag.split_at(end);
    let after = trim_start(&after[1..]);
    let quoted = text[..at].ends_with(['`', '"', '\'', '“', '‘', '(', '[', '=', '\\']);
    // In a string of JSON its own quotes are escaped.
    let escaped = attributes.contains("=\\\"");
    !quoted
        && !escaped
        && has_attribute(attributes, "file")
        && has_attribute(attributes, "op")
        && (attributes.ends_with('/') || after.is_empty() || after.starts_with('<'))
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
