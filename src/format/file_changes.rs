//! udiffx: `<FILE_CHANGES>` envelopes with `<FILE_NEW>`, `<FILE_PATCH>` and other directives, also in square
//! brackets.
//!
//! The rules are those of the crate's documents, but stricter where it loses data. An invalid directive gives one error
//! and no edit. A directive without a closing tag ends where the next one begins, or with the envelope.

mod content;
mod directive;

use super::scan::{Cursor, starts_with_ignore_case, trim, trim_start};
use super::tag::{self, Brackets, has_attributes, only_tags_follow};
use super::{Format, FormatId, Output, fault};
use directive::Directive;

pub(super) const FORMAT: Format = Format {
    id: FormatId::FileChanges,
    opens,
    openings: &["<FILE_CHANGES>", "[[[UDIFFX_FILE_CHANGES]]]"],
    parse,
};

/// The names of the envelope's tags.
const ENVELOPES: [&str; 2] = ["FILE_CHANGES", "UDIFFX_FILE_CHANGES"];

/// A tag of the format at the start of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TagKind {
    /// `<FILE_CHANGES>`
    Envelope,
    /// `</FILE_CHANGES>`
    EnvelopeEnd,
    Directive(Directive),
    /// The closing tag of a directive.
    DirectiveEnd,
    /// A tag that looks like a directive.
    Unknown,
}

fn opens(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.first_byte(), Some(b'<' | b'['))
        && match TagKind::of(trim_start(cursor.text())) {
            Some(TagKind::Directive(_)) => reads_like_tag(trim_start(cursor.text())),
            tag => tag == Some(TagKind::Envelope),
        }
}

fn parse(cursor: &mut Cursor<'_>, out: &mut Output) {
    match TagKind::of(trim_start(cursor.text())) {
        Some(TagKind::Envelope) => read_envelope(cursor, out),
        Some(TagKind::Directive(directive)) => directive::read(cursor, out, directive, false),
        _ => {}
    }
}

/// Reads the directives of the envelope at the cursor.
fn read_envelope(cursor: &mut Cursor<'_>, out: &mut Output) {
    let is_envelope = |cursor: &Cursor<'_>| TagKind::of(trim_start(cursor.text())) == Some(TagKind::Envelope);
    tag::read_envelope(cursor, out, FormatId::FileChanges, is_envelope, |cursor, out| {
        let text = trim_start(cursor.text());
        match TagKind::of(text) {
            None | Some(TagKind::Envelope | TagKind::EnvelopeEnd) => return false,
            Some(TagKind::Directive(directive)) => {
                directive::read(cursor, out, directive, true);
                return true;
            }
            Some(TagKind::DirectiveEnd) => {
                let tag = format!("`{}`", trim(text));
                out.fault(fault::outside(cursor.line_span(), &tag, &tag.replacen('/', "", 1)));
            }
            Some(TagKind::Unknown) => {
                cursor.skip_blanks();
                let tag = tag::read(cursor);
                out.fault(fault::unknown_operation(tag.span, tag.name, &Directive::NAMES.join(", ")));
            }
        }
        cursor.advance();
        true
    });
}

impl TagKind {
    /// The tag at the start of a text.
    fn of(text: &str) -> Option<Self> {
        let brackets = Brackets::of(text);
        let (name, closing) = tag::peek_in(text, brackets)?;
        let rest = trim_start(&text[brackets.open.len() + usize::from(closing) + name.len()..]);
        let is_envelope = ENVELOPES.iter().any(|envelope| name.eq_ignore_ascii_case(envelope));
        match Directive::named(name) {
            _ if is_envelope && closing => rest.starts_with(brackets.close).then_some(TagKind::EnvelopeEnd),
            // If text follows, the line is a sentence about the tag.
            _ if is_envelope => tag::is_bare(rest, brackets).then_some(TagKind::Envelope),
            Some(_) if closing => tag::is_bare(rest, brackets).then_some(TagKind::DirectiveEnd),
            Some(directive) => Some(TagKind::Directive(directive)),
            None => {
                let tag = rest.split(brackets.close).next().unwrap_or(rest);
                let has_path = has_attributes(tag) && tag.to_ascii_lowercase().contains("path=");
                let is_like = starts_with_ignore_case(name, "FILE_") && reads_like_tag(text);
                (!closing && (has_path || is_like)).then_some(TagKind::Unknown)
            }
        }
    }

    /// Whether a directive or an envelope begins at the start of a text, and cannot be content of a directive with
    /// these brackets.
    fn cuts_off(text: &str, brackets: Brackets) -> bool {
        match Self::of(text) {
            Some(TagKind::Directive(_)) => Brackets::of(text) == brackets && reads_like_tag(text),
            tag => tag == Some(TagKind::Envelope),
        }
    }
}

/// Whether the tag of a directive is meant as a tag, and is not only mentioned in prose: it has attributes or nothing
/// but a name, and no prose follows it on its line.
fn reads_like_tag(text: &str) -> bool {
    let brackets = Brackets::of(text);
    let Some((name, _)) = tag::peek_in(text, brackets) else { return false };
    let head = brackets.open.len() + name.len();
    let (tag, after) = match text[head..].split_once(brackets.close) {
        Some((tag, after)) => (tag, Some(after)),
        None => (&text[head..], None),
    };
    let followed = after
        .is_none_or(|after| only_tags_follow(after, brackets) || tag::find_closing(after, name).is_some());
    followed && (tag.contains('=') || trim(tag).trim_end_matches('/').is_empty())
}

#[cfg(test)]
mod tests;
