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

use super::scan::{Cursor, Line};
use super::{Format, FormatId, MAX_ERRORS};
use crate::diag::{Code, Diagnostic};
use crate::edit::Script;
use crate::span::Span;
use extent::{Extent, dedent};
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
            Kind::Begin | Kind::End => true,
            Kind::Add | Kind::Delete | Kind::Update | Kind::Move => !marker.path.trim().is_empty(),
            Kind::EndOfFile | Kind::EnvironmentId | Kind::Unknown => false,
        })
}

fn parse(cursor: &mut Cursor<'_>, script: &mut Script) {
    let Some(marker) = Marker::of(cursor.text()) else { return };
    match marker.kind {
        Kind::Begin => {
            if !marker.exact {
                let span = line_span(cursor, cursor.line());
                let fault = Diagnostic::error(Code::Malformed, span, "a patch does not begin like that");
                script.diagnostics.push(fault.with_help("write *** Begin Patch, in this very case"));
            }
            read(cursor, script);
        }
        Kind::End => {
            let span = line_span(cursor, cursor.line());
            let fault =
                Diagnostic::error(Code::Truncated, span, "a patch ends here that has no *** Begin Patch");
            script.diagnostics.push(fault.with_help("give the whole patch once more"));
            cursor.advance();
        }
        _ => read_stray(cursor, script),
    }
}

/// Reads the patch at whose first line the cursor stands.
fn read(cursor: &mut Cursor<'_>, script: &mut Script) {
    let begin = line_span(cursor, cursor.line());
    let extent = Extent::measure(cursor);
    cursor.advance();
    let mut patch = Patch::default();
    while let Some(line) = cursor.line() {
        if extent.end == Some(line.start) {
            patch.finish(script);
            cursor.advance();
            return;
        }
        if line.start >= extent.stop || script.diagnostics.len() >= MAX_ERRORS {
            break;
        }
        patch.take(cursor, script, line, dedent(line, extent.indent));
        match &mut patch.section {
            Some(section) if extent.indent.is_empty() && cursor.margin().is_none() => {
                section.take_more(cursor)
            }
            _ => cursor.advance(),
        }
    }
    if script.diagnostics.len() < MAX_ERRORS {
        patch.truncated(cursor, script, begin);
    }
}

/// Goes over sections that stand in no patch.
fn read_stray(cursor: &mut Cursor<'_>, script: &mut Script) {
    let first = line_span(cursor, cursor.line());
    let mut span = first;
    cursor.advance();
    while let Some(line) = cursor.line() {
        let marker = Marker::of(line.text).map(|marker| marker.kind);
        if marker == Some(Kind::Begin) || !(line.is_blank() || extent::is_of_patch(line.text)) {
            break;
        }
        if !line.is_blank() {
            span = span.join(line_span(cursor, Some(line)));
        }
        cursor.advance();
        if marker == Some(Kind::End) {
            break;
        }
    }
    let lines = cursor.response().lines_of(span);
    let message = format!("a section stands in no patch; nothing in {lines} is taken");
    let fault = Diagnostic::error(Code::Truncated, first, message).with_label(span, "not taken");
    script.diagnostics.push(fault.with_help("put *** Begin Patch before it and *** End Patch after it"));
}

fn line_span(cursor: &Cursor<'_>, line: Option<Line<'_>>) -> Span {
    line.map_or(cursor.span(cursor.at(), cursor.at()), |line| cursor.span(line.start, line.end()))
}

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
    /// Takes in the next line; `text` is what it says without the patch's indentation.
    fn take(&mut self, cursor: &Cursor<'_>, script: &mut Script, line: Line<'_>, text: &str) {
        let marker = Marker::of(text).filter(|_| !(self.in_chunks && text.starts_with(' ')));
        let Some(marker) = marker else {
            match &mut self.section {
                Some(section) => {
                    if let Err(fault) = section.take(cursor, line, text) {
                        self.fail(script, *fault);
                    }
                }
                // Behind a fault everything up to the next section belongs to it.
                None if self.faults > 0 || line.is_blank() => {}
                None => {
                    let span = line_span(cursor, Some(line));
                    let fault = Diagnostic::error(Code::Malformed, span, "a line that belongs to no section");
                    let help = "a section begins with *** Add File:, *** Delete File: or *** Update File:";
                    self.fail(script, fault.with_help(help));
                }
            }
            return;
        };
        let span = line_span(cursor, Some(line));
        match marker.kind {
            Kind::Add | Kind::Delete | Kind::Update if marker.exact => {
                self.finish(script);
                self.in_chunks = marker.kind == Kind::Update;
                match Section::open(cursor, line, &marker) {
                    Ok(section) => self.section = Some(section),
                    Err(fault) => self.fail(script, *fault),
                }
            }
            Kind::Move | Kind::EndOfFile if marker.exact && self.section.is_some() => {
                let Some(section) = &mut self.section else { return };
                if let Err(fault) = section.take_marker(cursor, line, &marker) {
                    self.fail(script, *fault);
                }
            }
            Kind::Move | Kind::EndOfFile if marker.exact && self.faults > 0 => {}
            Kind::EnvironmentId
                if marker.exact && self.section.is_none() && self.sections + self.faults == 0 =>
            {
                if marker.path.trim().is_empty() {
                    self.fail(script, Diagnostic::error(Code::Missing, span, "the environment has no name"));
                }
            }
            // It may be a line of the file, so that the section that it stands in is none either.
            _ => {
                let message = format!("{:?} is no section of a patch", text.trim());
                let fault = Diagnostic::error(Code::Malformed, span, message);
                let help = "sections begin with *** Add File:, *** Delete File: or *** Update File:, in this very case; \
                            a line of the file has one of ' ', + and - before it";
                self.fail(script, fault.with_help(help));
            }
        }
    }

    /// Ends the open section, which is whole.
    fn finish(&mut self, script: &mut Script) {
        let Some(section) = self.section.take() else { return };
        match section.lower() {
            Ok(edit) => {
                self.sections += 1;
                script.edits.push(edit);
            }
            Err(fault) => self.fail(script, *fault),
        }
    }

    /// Gives up the open section.
    fn fail(&mut self, script: &mut Script, mut fault: Diagnostic) {
        if let Some(section) = self.section.take() {
            fault.path = fault.path.or_else(|| Some(section.path().to_owned()));
        }
        self.faults += 1;
        script.diagnostics.push(fault);
    }

    /// The patch breaks off here.
    fn truncated(mut self, cursor: &Cursor<'_>, script: &mut Script, begin: Span) {
        let message = match &self.section {
            None => "the patch is not closed".to_owned(),
            Some(section) => {
                let lines = cursor.response().lines_of(section.span());
                format!("the patch is not closed, and its last section, {lines}, may be cut off")
            }
        };
        let end = self.section.as_ref().map_or(cursor.at(), |section| section.span().start as usize);
        let fault = Diagnostic::error(Code::Truncated, begin, message).with_lost(cursor.span(end, end));
        self.fail(
            script,
            fault.with_help("give the rest of it, or all of it once more, up to *** End Patch"),
        );
    }
}

#[cfg(test)]
mod tests;
