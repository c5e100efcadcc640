//! The OpenCode and Codex patch: `*** Begin Patch`, sections of files, `*** End Patch`.
//!
//! The rules are those of the format's document and of what the two origins accept, but stricter where they lose
//! data. Each section is an edit. An invalid section gives an error and no edit; the other sections are still read.
//!
//! A patch without an end is cut off: its last section is not an edit, and an error refuses the response.

mod marker;
mod section;

use super::fault::Fault;
use super::scan::{Cursor, Line};
use super::{Format, FormatId, Output, fault, reasoning};
use crate::diag::{Code, Diagnostic};
use crate::span::Span;
pub(super) use marker::PATCH;
use marker::{Kind, Marker};
use section::Section;

pub(super) const FORMAT: Format =
    Format { id: FormatId::ApplyPatch, opens, openings: marker::OPENINGS, parse };

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
    match Marker::kind_of(line.text) {
        Some(Kind::Begin) => read(cursor, out),
        _ => read_stray(cursor, out),
    }
    cursor.set_margin(outer);
}

/// Reads the patch at the cursor.
fn read(cursor: &mut Cursor<'_>, out: &mut Output) {
    let begin = cursor.line_span();
    cursor.advance();
    let patch = read_sections(cursor, out, Patch::default());
    if let Some(patch) = patch.filter(|_| !out.is_full()) {
        patch.truncated(cursor, out, begin);
    }
}

/// Reads the sections up to the end of the patch; returns the patch if it is cut off.
fn read_sections<'r>(cursor: &mut Cursor<'r>, out: &mut Output, mut patch: Patch<'r>) -> Option<Patch<'r>> {
    while let Some(line) = cursor.line().filter(|_| !out.is_full()) {
        let marked = (line, Marker::of(line.text));
        if patch.ends_at(cursor, marked) {
            patch.finish(out);
            cursor.advance();
            return None;
        }
        if patch.breaks_off_at(cursor, marked) {
            break;
        }
        if let Err(fault) = patch.take(cursor, out, marked) {
            patch.fail(out, fault);
        }
        match &mut patch.section {
            Some(section) if cursor.margin().is_none() => section.take_run(cursor),
            _ => cursor.advance(),
        }
    }
    Some(patch)
}

/// Skips sections without a patch around them.
fn read_stray(cursor: &mut Cursor<'_>, out: &mut Output) {
    let (first, (edits, faults)) = (cursor.line_span(), out.lengths());
    // A patch without a first line ends at other text.
    read_sections(cursor, out, Patch { has_end: Some(false), ..Patch::default() });
    out.truncate(edits, faults);
    let message = format!("missing `{PATCH}` above this section");
    out.fault(Diagnostic::error(Code::Truncated, first, message).with_help(fault::HELP_CUT_OFF));
}

/// A line, and the marker on it.
type Marked<'r> = (Line<'r>, Option<Marker<'r>>);

/// Whether a line may be in a patch, judging by its first characters.
fn is_of_patch((line, marker): Marked<'_>) -> bool {
    line.text.starts_with([' ', '+', '-'])
        || line.text.starts_with("@@")
        || line.is_blank()
        || marker.is_some()
}

/// A patch, while it is read.
#[derive(Default)]
struct Patch<'r> {
    /// The open section, unless it has an error.
    section: Option<Section<'r>>,
    /// Whether the last section is an update, in which a line that begins with a blank is a context line. It stays
    /// true after an error.
    in_update: bool,
    /// Whether an error was reported.
    has_faults: bool,
    /// Whether an end marker is below, once that was searched for.
    has_end: Option<bool>,
}

impl<'r> Patch<'r> {
    /// Whether a line is a context line.
    fn is_context(&self, line: Line<'_>) -> bool {
        self.in_update && line.text.starts_with(' ')
    }

    /// Whether the patch ends at a line. An indented end marker in an update is a context line if lines of a patch
    /// follow.
    fn ends_at(&self, cursor: &Cursor<'_>, (line, marker): Marked<'_>) -> bool {
        let is_new =
            |line: Line<'_>| Marker::kind_of(line.text) == Some(Kind::Begin) && !self.is_context(line);
        let is_continued = || {
            let next = cursor.lines().skip(1).find(|line| !line.is_blank());
            next.is_some_and(|line| is_of_patch((line, Marker::of(line.text))) && !is_new(line))
        };
        marker.is_some_and(|marker| marker.kind == Kind::End) && !(self.is_context(line) && is_continued())
    }

    /// Whether the patch is cut off above a line: another patch begins there, or the line cannot be in a patch and no
    /// end marker is below.
    fn breaks_off_at(&mut self, cursor: &Cursor<'_>, (line, marker): Marked<'_>) -> bool {
        let is_new = |line: &Line<'_>| Marker::kind_of(line.text) == Some(Kind::Begin);
        if is_of_patch((line, marker)) {
            return marker.is_some_and(|marker| marker.kind == Kind::Begin) && !self.is_context(line);
        }
        !*self.has_end.get_or_insert_with(|| {
            let is_own = |line: &Line<'_>| !is_new(line) && !reasoning::begins_with_closing(*line);
            let mut own = cursor.lines().take_while(is_own);
            own.any(|line| Marker::kind_of(line.text) == Some(Kind::End))
        })
    }

    /// Reads the next line.
    fn take(&mut self, cursor: &Cursor<'r>, out: &mut Output, marked: Marked<'r>) -> Result<(), Fault> {
        let (line, marker) = marked;
        let span = cursor.span_of(line);
        let Some(marker) = marker.filter(|_| !self.is_context(line)) else {
            return match &mut self.section {
                Some(section) => section.take(cursor, line),
                // After an error, all lines up to the next section belong to it.
                None if self.has_faults || line.is_blank() => Ok(()),
                None => Err(fault::unexpected(span, "line", "patch").into()),
            };
        };
        match (marker.kind, &mut self.section) {
            (Kind::Add | Kind::Delete | Kind::Update, _) => {
                self.finish(out);
                self.in_update = marker.kind == Kind::Update;
                self.section = Some(Section::open(cursor, line, &marker)?);
                Ok(())
            }
            (Kind::Move | Kind::EndOfFile, Some(section)) => section.take_marker(cursor, line, &marker),
            (Kind::Move | Kind::EndOfFile, None) if self.has_faults => Ok(()),
            (Kind::EnvironmentId, None) if !marker.path.is_empty() => Ok(()),
            // The line may be meant as a line of the file, so the open section is invalid, too.
            _ => {
                let known = "`*** Add File:`, `*** Delete File:`, `*** Update File:`";
                Err(fault::unknown_operation(span, line.trimmed(), known).into())
            }
        }
    }

    /// Ends the open section.
    fn finish(&mut self, out: &mut Output) {
        let Some(section) = self.section.take() else { return };
        let path = section.path.raw.clone();
        let edit = section.into_edit();
        self.has_faults |= edit.is_err();
        out.take(edit, Some(path));
    }

    /// Reports an error, and drops the open section.
    fn fail(&mut self, out: &mut Output, fault: impl Into<Fault>) {
        self.has_faults = true;
        out.take(Err(fault.into()), self.section.take().map(|section| section.path.raw));
    }

    /// Reports that the patch is cut off here.
    fn truncated(mut self, cursor: &Cursor<'_>, out: &mut Output, begin: Span) {
        let end = self.section.as_ref().map_or(cursor.at(), |section| section.span.start as usize);
        self.fail(out, fault::unterminated(begin, PATCH).with_lost(cursor.span(end, end)));
    }
}

#[cfg(test)]
mod tests;
