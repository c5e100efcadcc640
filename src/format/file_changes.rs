//! udiffx: `<FILE_CHANGES>` envelopes of `<FILE_NEW>`, `<FILE_PATCH>` and other directives, also in square brackets.
//!
//! Source of the rules: the crate's documents, and the stricter reading where it loses data. A directive that is at fault in
//! any way gives errors and no edit. Where it has no end, all directives up to the envelope's end are errors too,
//! because nobody can tell whether they are edits or text of the first.

mod content;
mod directive;
mod render;

use super::scan::{Cursor, Line, is_blank, trim, trim_start};
use super::tag::{self, Brackets, Kind};
use super::{Format, FormatId, MAX_ERRORS};
use crate::diag::{Code, Diagnostic};
use crate::edit::Script;
use directive::Directive;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    id: FormatId::FileChanges,
    markers: "a line <FILE_CHANGES>",
    opens,
    parse,
    render: render::render,
};

/// What a line outside any directive says of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    /// `<FILE_CHANGES>` begins the line.
    Envelope(Brackets),
    /// `</FILE_CHANGES>`, that many bytes into the line.
    EnvelopeEnd(Brackets, usize),
    /// The tag of a directive begins the line.
    Directive(Brackets, Directive),
    /// The tag of a directive in square brackets stands behind blanks.
    Indented,
    /// A directive's closing tag begins the line.
    StrayEnd(Brackets),
    /// Another tag begins the line that reads like a directive.
    Unknown(Brackets),
}

fn opens(cursor: &Cursor<'_>) -> bool {
    sign(cursor).is_some()
}

fn parse(cursor: &mut Cursor<'_>, script: &mut Script) {
    while let Some(sign) = sign(cursor) {
        match sign {
            Sign::Envelope(brackets) => read_envelope(cursor, script, brackets),
            Sign::EnvelopeEnd(brackets, offset) => {
                cursor.step(offset);
                read_envelope_end(cursor, script, brackets);
                // Another envelope is another region.
                return;
            }
            Sign::Directive(brackets, directive) => {
                let enclosed = in_envelope(cursor);
                directive::read(cursor, script, brackets, directive, enclosed);
            }
            Sign::Indented => directive::read_indented(cursor, script),
            Sign::StrayEnd(brackets) => {
                let tag = read_tag(cursor, brackets);
                let message = format!("{} closes nothing", brackets.around(&format!("/{}", tag.name)));
                let fault = Diagnostic::error(Code::Malformed, cursor.span(tag.start, tag.end), message)
                    .with_help("its opening tag is missing, or the text before it was closed too early");
                script.diagnostics.push(fault);
            }
            Sign::Unknown(brackets) => directive::read_unknown(cursor, script, brackets),
        }
        if script.diagnostics.len() >= MAX_ERRORS {
            return;
        }
        // Directives with nothing but blank lines between them are read on at once.
        let end = cursor.mark();
        while cursor.line().is_some_and(Line::is_blank) {
            cursor.advance();
        }
        if !opens(cursor) {
            return cursor.reset(end);
        }
    }
}

/// Reads the tag at which the line begins, after blanks.
fn read_tag<'r>(cursor: &mut Cursor<'r>, brackets: Brackets) -> tag::Tag<'r> {
    cursor.skip_blanks();
    tag::read_in(cursor, brackets)
}

fn read_envelope(cursor: &mut Cursor<'_>, script: &mut Script, brackets: Brackets) {
    let tag = read_tag(cursor, brackets);
    let span = cursor.span(tag.start, tag.end);
    if let Some(attribute) = tag.attributes.first() {
        let message = format!("the attribute {} of {} is unknown", attribute.name, tag.shown());
        script.diagnostics.push(Diagnostic::error(Code::Malformed, span, message));
    }
    if tag.kind != Kind::SelfClosed
        && let Some(open) = cursor.open_envelope(span)
    {
        let message = format!("this is not closed before the next {}", tag.shown());
        script.diagnostics.push(Diagnostic::error(Code::Truncated, open, message));
    }
    script.diagnostics.extend(tag.faults);
}

fn read_envelope_end(cursor: &mut Cursor<'_>, script: &mut Script, brackets: Brackets) {
    let enclosed = in_envelope(cursor);
    let tag = read_tag(cursor, brackets);
    if enclosed {
        cursor.close_envelope();
    } else {
        let message = format!("{} closes nothing", brackets.around(&format!("/{}", tag.name)));
        let fault = Diagnostic::error(Code::Malformed, cursor.span(tag.start, tag.end), message)
            .with_help("the line that opens it is missing, or was lost");
        script.diagnostics.push(fault);
    }
    script.diagnostics.extend(tag.faults);
}

/// Whether the cursor stands in an envelope of this format.
fn in_envelope(cursor: &Cursor<'_>) -> bool {
    cursor.envelope().is_some_and(|span| {
        let tag = cursor.response().slice(span);
        Brackets::ALL
            .iter()
            .any(|&brackets| tag::peek_in(tag, brackets).is_some_and(|(name, _)| is_root(name)))
    })
}

/// Whether a tag of that name is an envelope's.
fn is_root(name: &str) -> bool {
    name.eq_ignore_ascii_case("FILE_CHANGES") || name.eq_ignore_ascii_case("UDIFFX_FILE_CHANGES")
}

/// What the line says.
fn sign(cursor: &Cursor<'_>) -> Option<Sign> {
    let line = cursor.line()?;
    let text = trim_start(line.text);
    let brackets = match text.as_bytes().first()? {
        b'<' => Brackets::Angle,
        b'[' if text.starts_with("[[[") => Brackets::Square,
        _ => return envelope_end_within(cursor, text),
    };
    let Some((name, closing)) = tag::peek_in(text, brackets) else {
        return envelope_end_within(cursor, text);
    };
    let after = after_tag(text, brackets, name, closing);
    let enclosed = in_envelope(cursor);
    if is_root(name) {
        // Text after an opening tag makes it a sentence about it.
        return match after {
            Some(after) if closing => {
                (enclosed || is_alone(after, brackets)).then_some(Sign::EnvelopeEnd(brackets, 0))
            }
            Some(after) => is_alone(after, brackets).then_some(Sign::Envelope(brackets)),
            None => None,
        };
    }
    if let Some(directive) = Directive::named(name) {
        if closing {
            return after.is_some_and(|after| is_alone(after, brackets)).then_some(Sign::StrayEnd(brackets));
        }
        let begins_line = line.is_whole() && text.len() == line.text.len();
        let sign = match brackets {
            Brackets::Square if !begins_line => Sign::Indented,
            _ => Sign::Directive(brackets, directive),
        };
        return (enclosed || begins_directive(text, brackets)).then_some(sign);
    }
    let unknown = enclosed
        && !closing
        && ((is_like_directive(name) && reads_like_tag(text, brackets))
            || (has_attributes(text, brackets) && names_a_file(text)));
    unknown.then_some(Sign::Unknown(brackets)).or_else(|| envelope_end_within(cursor, text))
}

/// Whether a text begins with the tag of a directive rather than with prose about one.
fn begins_directive(text: &str, brackets: Brackets) -> bool {
    match tag::peek_in(text, brackets) {
        Some((name, false)) => Directive::named(name).is_some() && reads_like_tag(text, brackets),
        _ => false,
    }
}

/// Whether a text begins with the opening tag of an envelope.
fn begins_envelope(text: &str, brackets: Brackets) -> bool {
    tag::peek_in(text, brackets).is_some_and(|(name, closing)| {
        let alone = |after| is_alone(after, brackets);
        is_root(name) && !closing && after_tag(text, brackets, name, closing).is_some_and(alone)
    })
}

/// Whether a text begins with the closing tag of an envelope.
fn ends_envelope(text: &str) -> bool {
    Brackets::ALL
        .iter()
        .any(|&kind| tag::peek_in(text, kind).is_some_and(|(name, closing)| closing && is_root(name)))
}

/// Whether the tag that begins a text, a directive's by its name, is more than a mention: it has attributes, or stands
/// alone, and no prose follows it in its line.
fn reads_like_tag(text: &str, brackets: Brackets) -> bool {
    let Some((name, _)) = tag::peek_in(text, brackets) else { return false };
    let Some((tag, after)) = text.split_once(brackets.close()) else {
        return has_attributes(text, brackets) || trim(&text[brackets.open().len()..]).len() == name.len();
    };
    let closing = format!("{}/{name}{}", brackets.open(), brackets.close());
    let followed = is_alone(after, brackets) || after.contains(&closing);
    followed && (tag.contains('=') || trim(tag).trim_end_matches('/').trim_end().ends_with(name))
}

/// An envelope's closing tag at the end of a line that begins otherwise.
fn envelope_end_within(cursor: &Cursor<'_>, text: &str) -> Option<Sign> {
    let trimmed = trim(text);
    if trimmed.as_bytes().last() != Some(&b'>') || !in_envelope(cursor) {
        return None;
    }
    let at = memchr::memmem::rfind(trimmed.as_bytes(), b"</")?;
    let (name, _) = tag::peek(&trimmed[at..])?;
    let whole = is_root(name) && trim(&trimmed[at + 2 + name.len()..]) == ">";
    let before = cursor.text().len() - text.len();
    whole.then_some(Sign::EnvelopeEnd(Brackets::Angle, before + at))
}

/// What follows a tag without attributes, which begins a text and has that name.
fn after_tag<'t>(text: &'t str, brackets: Brackets, name: &str, closing: bool) -> Option<&'t str> {
    let rest = trim(text.get(brackets.open().len() + usize::from(closing) + name.len()..)?);
    let rest = if closing { rest } else { rest.strip_prefix('/').unwrap_or(rest) };
    rest.strip_prefix(brackets.close())
}

/// Whether what follows a tag leaves it alone on its line, or among other tags. The crate's own instructions have a
/// remark behind closing tags in square brackets, which some models repeat.
fn is_alone(after: &str, brackets: Brackets) -> bool {
    let after = trim(after);
    match brackets {
        Brackets::Angle => after.is_empty() || after.starts_with('<'),
        Brackets::Square => after.is_empty() || after.starts_with("<<<---"),
    }
}

/// Whether the tag that begins a text has attributes in this line.
fn has_attributes(text: &str, brackets: Brackets) -> bool {
    let end = memchr::memmem::find(text.as_bytes(), brackets.close().as_bytes()).unwrap_or(text.len());
    memchr::memchr(b'=', &text.as_bytes()[..end]).is_some()
}

/// Whether a tag's name reads like a directive's.
fn is_like_directive(name: &str) -> bool {
    super::scan::starts_with_ignore_case(name, "FILE_")
}

/// Whether the tag that begins a text has an attribute for a path.
fn names_a_file(text: &str) -> bool {
    let tag = text.split('>').next().unwrap_or(text);
    tag.split(|c: char| c.is_ascii() && is_blank(c as u8)).any(|word| {
        word.split_once('=').is_some_and(|(name, _)| {
            let name = name.to_ascii_lowercase();
            name.contains("path") || name.contains("file")
        })
    })
}

#[cfg(test)]
mod tests;
