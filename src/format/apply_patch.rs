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
use super::scan::{Cursor, Line, Margin, trim_start};
use super::{Format, FormatId, MAX_ERRORS, Output, fault};
use crate::diag::{Code, Diagnostic};
use crate::span::Span;
use extent::Extent;
use marker::{Kind, Marker};
use section::Section;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    id: FormatId::ApplyPatch,
    markers: "lines *** Begin Patch",
    opens,
    parse,
    render: render::render,
};

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
    if outer.blanks.is_empty() {
        let blanks = &line.text[..line.text.len() - trim_start(line.text).len()];
        cursor.set_margin(Margin { blanks, ..outer });
    }
    match Marker::of(line.text) {
        Some(Marker { kind: Kind::Begin, exact, .. }) => {
            if !exact {
                out.fault(fault::unknown_operation(
                    cursor.span_of(line),
                    line.trimmed(),
                    "`*** Begin Patch`",
                ));
            }
            read(cursor, out);
        }
        _ => read_stray(cursor, out),
    }
    cursor.set_margin(outer);
}

/// Reads the patch at whose first line the cursor is.
fn read(cursor: &mut Cursor<'_>, out: &mut Output) {
    let begin = line_span(cursor, cursor.line());
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
        patch.take(cursor, out, line);
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
    let first = line_span(cursor, cursor.line());
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

fn line_span(cursor: &Cursor<'_>, line: Option<Line<'_>>) -> Span {
    line.map_or(cursor.span(cursor.at(), cursor.at()), |line| cursor.span_of(line))
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
    /// How many sections gave an edit.
    sections: usize,
    /// How many faults were reported.
    faults: usize,
}

impl Patch {
    /// Takes in the next line.
    fn take(&mut self, cursor: &Cursor<'_>, out: &mut Output, line: Line<'_>) {
        let marker = Marker::of(line.text).filter(|_| !(self.in_chunks && line.text.starts_with(' ')));
        let Some(marker) = marker else {
            match &mut self.section {
                Some(section) => {
                    if let Err(fault) = section.take(cursor, line) {
                        self.fail(out, fault);
                    }
                }
                // Behind a fault everything up to the next section belongs to it.
                None if self.faults > 0 || line.is_blank() => {}
                None => {
                    self.fail(
                        out,
                        fault::unexpected(cursor.span_of(line), "line outside of a section", PATCH),
                    );
                }
            }
            return;
        };
        match marker.kind {
            Kind::Add | Kind::Delete | Kind::Update if marker.exact => {
                self.finish(out);
                self.in_chunks = marker.kind == Kind::Update;
                match Section::open(cursor, line, &marker) {
                    Ok(section) => self.section = Some(section),
                    Err(fault) => self.fail(out, fault),
                }
            }
            Kind::Move | Kind::EndOfFile if marker.exact && self.section.is_some() => {
                let Some(section) = &mut self.section else { return };
                if let Err(fault) = section.take_marker(cursor, line, &marker) {
                    self.fail(out, fault);
                }
            }
            Kind::Move | Kind::EndOfFile if marker.exact && self.faults > 0 => {}
            Kind::EnvironmentId
                if marker.exact && self.section.is_none() && self.sections + self.faults == 0 =>
            {
                if marker.path.trim().is_empty() {
                    self.fail(out, fault::empty_field(cursor.span_of(line), "Environment ID", PATCH));
                }
            }
            // It may be a line of the file, so that its section is none either.
            _ => {
                let known = "`*** Add File:`, `*** Delete File:`, `*** Update File:`";
                self.fail(out, fault::unknown_operation(cursor.span_of(line), line.trimmed(), known));
            }
        }
    }

    /// Ends the open section, which is whole.
    fn finish(&mut self, out: &mut Output) {
        let Some(section) = self.section.take() else { return };
        match section.lower() {
            Ok(edit) => {
                self.sections += 1;
                out.edit(edit);
            }
            Err(fault) => self.fail(out, fault),
        }
    }

    /// Gives up the open section.
    fn fail(&mut self, out: &mut Output, fault: impl Into<Fault>) {
        self.faults += 1;
        out.take(Err(fault.into()), self.section.take().map(|section| section.path().to_owned()));
    }

    /// The patch breaks off here.
    fn truncated(mut self, cursor: &Cursor<'_>, out: &mut Output, begin: Span) {
        let end = self.section.as_ref().map_or(cursor.at(), |section| section.span().start as usize);
        self.fail(out, fault::unterminated(begin, PATCH).with_lost(cursor.span(end, end)));
    }
}

#[cfg(test)]
mod tests;
