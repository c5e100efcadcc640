//! The OpenCode / Codex patch: `*** Begin Patch`, sections of files, `*** End Patch`.
//!
//! Source of the rules: the format's document, what the two origins accept, and the stricter reading where they lose data. Each
//! section is an edit. A section at fault gives an error and no edit; the others are read all the same.
//!
//! A patch that has no end was cut off: its sections but for the last are edits, beside the error that refuses the
//! response. Where it ends then, and where a patch that is wholly indented has its lines, is measured before it is read.

mod chunk;
mod extent;
mod marker;
mod render;
mod section;

use super::fault::Fault;
use super::scan::{Cursor, Line};
use super::{Format, FormatId, MAX_ERRORS, Output, fault};
use crate::diag::{Code, Diagnostic};
use crate::span::Span;
use extent::Extent;
use marker::{Kind, Marker};
use section::Section;

/// The row of the table.
pub(super) const FORMAT: Format = Format { id: FormatId::ApplyPatch, opens, parse, render: render::render };

fn opens(cursor: &Cursor<'_>) -> bool {
    cursor.first_byte() == Some(b'*')
        && Marker::of(cursor.text()).is_some_and(|marker| match marker.kind {
            Kind::Begin => true,
            Kind::Add | Kind::Delete | Kind::Update => !marker.path.trim().is_empty(),
            Kind::End | Kind::Move | Kind::EndOfFile | Kind::EnvironmentId | Kind::Unknown => false,
        })
}

fn parse(cursor: &mut Cursor<'_>, out: &mut Output) {
    let (Some(line), outer) = (cursor.line(), cursor.margin()) else { return };
    cursor.set_indent();
    match Marker::of(line.text) {
        Some(Marker { kind: Kind::Begin, exact, .. }) => {
            if !exact {
                let span = cursor.span_of(line);
                out.fault(fault::unknown_operation(span, line.trimmed(), "`*** Begin Patch`"));
            }
            read(cursor, out);
        }
        _ => read_stray(cursor, out),
    }
    cursor.set_margin(outer);
}

/// Reads the patch at whose first line the cursor is.
fn read(cursor: &mut Cursor<'_>, out: &mut Output) {
    let begin = cursor.line_span();
    let extent = Extent::measure(cursor);
    cursor.advance();
    let mut patch = Patch::default();
    while let Some(line) = cursor.line() {
        if extent.end == Some(line.start) {
            patch.finish(out);
            cursor.advance();
            return;
        }
        if line.start >= extent.stop || out.is_full() {
            break;
        }
        if let Err(fault) = patch.take(cursor, out, line) {
            patch.fail(out, fault);
        }
        match &mut patch.section {
            Some(section) if cursor.margin().is_none() => section.take_more(cursor),
            _ => cursor.advance(),
        }
    }
    if out.script.diagnostics.len() < MAX_ERRORS {
        patch.truncated(cursor, out, begin);
    }
}

/// Goes over sections that are in no patch.
fn read_stray(cursor: &mut Cursor<'_>, out: &mut Output) {
    let first = cursor.line_span();
    let mut span = first;
    cursor.advance();
    while let Some(line) = cursor.line() {
        let marker = Marker::of(line.text).map(|marker| marker.kind);
        if marker == Some(Kind::Begin) || !(line.is_blank() || extent::is_of_patch(line.text)) {
            break;
        }
        if !line.is_blank() {
            span = span.join(cursor.span_of(line));
        }
        cursor.advance();
        if marker == Some(Kind::End) {
            break;
        }
    }
    let fault = Diagnostic::error(Code::Truncated, first, "missing `*** Begin Patch` above this section");
    out.fault(fault.with_label(span, "not read").with_help("give the whole patch once more"));
}

/// What a patch is called.
const PATCH: &str = "*** Begin Patch";

/// A patch as far as it was read.
#[derive(Default)]
struct Patch {
    /// The section that is open, unless it is at fault.
    section: Option<Section>,
    /// Whether it has chunks, in which a line that begins with a blank is one of the file; stays for a section at fault.
    in_chunks: bool,
    /// Whether it has a section, or a fault was reported.
    has_begun: bool,
    /// Whether a fault was reported.
    has_faults: bool,
}

impl Patch {
    /// Takes in the next line.
    fn take(&mut self, cursor: &Cursor<'_>, out: &mut Output, line: Line<'_>) -> Result<(), Fault> {
        let span = cursor.span_of(line);
        let marker = Marker::of(line.text).filter(|_| !(self.in_chunks && line.text.starts_with(' ')));
        let Some(marker) = marker else {
            return match &mut self.section {
                Some(section) => section.take(cursor, line),
                // Behind a fault everything up to the next section belongs to it.
                None if self.has_faults || line.is_blank() => Ok(()),
                None => Err(fault::unexpected(span, "line outside of a section", PATCH).into()),
            };
        };
        match (marker.kind, &mut self.section) {
            (Kind::Add | Kind::Delete | Kind::Update, _) if marker.exact => {
                self.finish(out);
                (self.has_begun, self.in_chunks) = (true, marker.kind == Kind::Update);
                self.section = Some(Section::open(cursor, line, &marker)?);
                Ok(())
            }
            (Kind::Move | Kind::EndOfFile, Some(section)) if marker.exact => {
                section.take_marker(cursor, line, &marker)
            }
            (Kind::Move | Kind::EndOfFile, None) if marker.exact && self.has_faults => Ok(()),
            (Kind::EnvironmentId, None) if marker.exact && !self.has_begun => match marker.path {
                "" => Err(fault::empty_field(span, "Environment ID", PATCH).into()),
                _ => Ok(()),
            },
            // It may be a line of the file, so that its section is none either.
            _ => {
                let known = "`*** Add File:`, `*** Delete File:`, `*** Update File:`";
                Err(fault::unknown_operation(span, line.trimmed(), known).into())
            }
        }
    }

    /// Ends the open section, which is whole.
    fn finish(&mut self, out: &mut Output) {
        let Some(section) = self.section.take() else { return };
        let path = section.path.raw.clone();
        let edit = section.lower();
        self.has_faults |= edit.is_err();
        out.take(edit, Some(path));
    }

    /// Gives up the open section.
    fn fail(&mut self, out: &mut Output, fault: impl Into<Fault>) {
        (self.has_begun, self.has_faults) = (true, true);
        out.take(Err(fault.into()), self.section.take().map(|section| section.path.raw));
    }

    /// The patch breaks off here.
    fn truncated(mut self, cursor: &Cursor<'_>, out: &mut Output, begin: Span) {
        let end = self.section.as_ref().map_or(cursor.at(), |section| section.span.start as usize);
        self.fail(out, fault::unterminated(begin, PATCH).with_lost(cursor.span(end, end)));
    }
}

#[cfg(test)]
mod tests;
