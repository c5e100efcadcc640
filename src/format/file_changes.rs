//! udiffx: `<FILE_CHANGES>` envelopes of `<FILE_NEW>`, `<FILE_PATCH>` and other directives, also in square brackets.
//!
//! Source of the rules: the crate's documents, and the stricter reading where it loses data. A directive that is at fault in
//! any way gives one error and no edit. One without its end reaches up to the next, or to the envelope's end.

mod content;
mod directive;
mod render;

use super::scan::{Cursor, Line, trim, trim_start};
use super::tag::{self, Brackets, has_attributes};
use super::{Format, FormatId, Output, fault};
use directive::Directive;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    id: FormatId::FileChanges,
    markers: "a line <FILE_CHANGES>",
    opens,
    parse,
    render: render::render,
};

/// A tag of the format that begins a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    /// `<FILE_CHANGES>`
    Envelope,
    /// `</FILE_CHANGES>`
    EnvelopeEnd,
    Directive(Directive),
    /// The closing tag of a directive.
    DirectiveEnd,
    /// The tag of what seems to be another directive.
    Unknown,
}

fn opens(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.first_byte(), Some(b'<' | b'['))
        && Sign::of(trim_start(cursor.text())).is_some_and(|(sign, brackets)| match sign {
            Sign::Envelope => true,
            Sign::Directive(_) => reads_like_tag(trim_start(cursor.text()), brackets),
            _ => false,
        })
}

fn parse(cursor: &mut Cursor<'_>, out: &mut Output) {
    match Sign::of(trim_start(cursor.text())) {
        Some((Sign::Envelope, brackets)) => read_envelope(cursor, out, brackets),
        Some((Sign::Directive(directive), brackets)) => {
            directive::read(cursor, out, brackets, directive, false)
        }
        _ => {}
    }
}

/// Reads the directives up to the end of the envelope that opens here. What else is in it is prose.
fn read_envelope(cursor: &mut Cursor<'_>, out: &mut Output, brackets: Brackets) {
    cursor.skip_blanks();
    let envelope = tag::read_in(cursor, brackets);
    if let Err(fault) = envelope.check(&[]) {
        out.fault(fault);
    }
    let mut is_pure = true;
    while envelope.opens() && !out.is_full() {
        while cursor.line().is_some_and(Line::is_blank) {
            cursor.advance();
        }
        let Some(line) = cursor.line() else { break };
        let text = trim_start(line.text);
        let span = cursor.span(line.start, line.end());
        match Sign::of(text) {
            Some((Sign::Envelope, _)) => break,
            Some((Sign::EnvelopeEnd, brackets)) => {
                cursor.skip_blanks();
                tag::read_in(cursor, brackets);
                return;
            }
            Some((Sign::Directive(directive), brackets)) => {
                directive::read(cursor, out, brackets, directive, true);
                continue;
            }
            Some((Sign::DirectiveEnd, _)) => out.fault(fault::unopened(span, &format!("`{}`", trim(text)))),
            Some((Sign::Unknown, brackets)) => {
                cursor.skip_blanks();
                let tag = tag::read_in(cursor, brackets);
                out.fault(fault::unknown_operation(tag.span, tag.name, &Directive::NAMES.join(", ")));
            }
            None => {
                if let Some(at) = tag::find_closing(line.text, "FILE_CHANGES") {
                    cursor.step(at);
                    continue;
                }
                if let Some(what) = tag::foreign(cursor, FormatId::FileChanges).filter(|_| is_pure) {
                    out.fault(fault::unexpected(span, what, "`<FILE_CHANGES>`"));
                    is_pure = false;
                }
            }
        }
        cursor.advance();
    }
    if envelope.kind != tag::Kind::SelfClosed && !out.is_full() {
        let end = cursor.span(cursor.at(), cursor.at());
        out.fault(fault::unterminated(envelope.span, &envelope.shown()).with_lost(end));
    }
}

impl Sign {
    /// The tag that begins a text.
    fn of(text: &str) -> Option<(Sign, Brackets)> {
        let brackets = if text.starts_with("[[[") { Brackets::Square } else { Brackets::Angle };
        let (name, closing) = tag::peek_in(text, brackets)?;
        let rest = &text[brackets.open().len() + usize::from(closing) + name.len()..];
        // Text behind makes it a sentence about the tag.
        let is_alone =
            |rest: &str| rest.strip_prefix(brackets.close()).is_some_and(|rest| stands_alone(rest, brackets));
        let rest = trim_start(rest);
        let sign = if ["FILE_CHANGES", "UDIFFX_FILE_CHANGES"]
            .iter()
            .any(|root| name.eq_ignore_ascii_case(root))
        {
            match closing {
                true => Some(Sign::EnvelopeEnd).filter(|_| rest.starts_with(brackets.close())),
                false => Some(Sign::Envelope).filter(|_| is_alone(rest.strip_prefix('/').unwrap_or(rest))),
            }
        } else if let Some(directive) = Directive::named(name) {
            match closing {
                true => Some(Sign::DirectiveEnd).filter(|_| is_alone(rest)),
                false => Some(Sign::Directive(directive)),
            }
        } else {
            let is_like = name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("FILE_"));
            let tag = rest.split(brackets.close()).next().unwrap_or(rest);
            let has_path = has_attributes(tag) && tag.to_ascii_lowercase().contains("path=");
            let reads = !closing && (has_path || (is_like && reads_like_tag(text, brackets)));
            Some(Sign::Unknown).filter(|_| reads)
        };
        sign.map(|sign| (sign, brackets))
    }

    /// Whether what begins with that tag is no content of a directive with such brackets: another directive, or an envelope.
    fn cuts_off(text: &str, brackets: Brackets) -> bool {
        Self::of(text).is_some_and(|(sign, own)| match sign {
            Sign::Envelope => true,
            Sign::Directive(_) => own == brackets && reads_like_tag(text, brackets),
            _ => false,
        })
    }
}

/// Whether what follows a tag leaves it alone on its line, or among other tags. The crate's own instructions have a
/// remark behind closing tags in square brackets, which some models repeat.
fn stands_alone(after: &str, brackets: Brackets) -> bool {
    let after = trim(after);
    match brackets {
        Brackets::Angle => after.is_empty() || after.starts_with('<'),
        Brackets::Square => after.is_empty() || after.starts_with("<<<---"),
    }
}

/// Whether the tag that begins a text, a directive's by its name, is more than a mention: it has attributes, or stands
/// alone, and no prose follows it in its line.
fn reads_like_tag(text: &str, brackets: Brackets) -> bool {
    let Some((name, _)) = tag::peek_in(text, brackets) else { return false };
    let head = brackets.open().len() + name.len();
    let (tag, after) = match text[head..].split_once(brackets.close()) {
        Some((tag, after)) => (tag, Some(after)),
        None => (&text[head..], None),
    };
    let followed =
        after.is_none_or(|after| stands_alone(after, brackets) || tag::find_closing(after, name).is_some());
    followed && (tag.contains('=') || trim(tag).trim_end_matches('/').is_empty())
}

#[cfg(test)]
mod tests;
