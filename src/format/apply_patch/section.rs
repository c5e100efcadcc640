//! The section of a file in a patch, and the edit that it becomes.

use super::marker::{Kind, Marker};
use crate::edit::{Edit, Existing, Missing, Op, Target};
use crate::format::fault::Fault;
use crate::format::fence::Fence;
use crate::format::hunk::{self, Hunks, header};
use crate::format::scan::{Cursor, Line};
use crate::format::{FormatId, fault};
use crate::response::{self, Passage};
use crate::span::Span;

/// What messages call a section.
const SECTION: &str = "section";

/// A section that is being read.
pub(super) struct Section<'r> {
    /// From its marker to its last line that is not blank.
    pub(super) span: Span,
    pub(super) path: Target,
    body: Body<'r>,
}

enum Body<'r> {
    Add {
        /// The lines with their marks.
        lines: Passage,
        /// The first blank line. Only blank lines may follow it.
        blank: Option<Span>,
    },
    Delete,
    Update {
        to: Option<Target>,
        hunks: Box<Hunks<'r>>,
    },
}

impl<'r> Section<'r> {
    /// Opens a section at a marker.
    pub(super) fn open(cursor: &Cursor<'r>, line: Line<'_>, marker: &Marker<'_>) -> Result<Self, Fault> {
        let body = match marker.kind {
            Kind::Add => Body::Add { lines: Passage::default(), blank: None },
            Kind::Delete => Body::Delete,
            _ => Body::Update { to: None, hunks: Box::new(Hunks::new(cursor.response())) },
        };
        let path = target(cursor, line, marker)?;
        Ok(Self { span: cursor.span(line.start, line.end()), path, body })
    }

    /// Reads a line that is not a marker.
    pub(super) fn take(&mut self, cursor: &Cursor<'_>, line: Line<'_>) -> Result<(), Fault> {
        let (span, text) = (cursor.span_of(line), line.text);
        let blank = line.is_blank();
        if !blank {
            self.span = self.span.join(span);
        }
        if !text.starts_with(' ') && Fence::of(text).is_some() {
            return Err(fault::unclear_fence(span).into());
        }
        match &mut self.body {
            Body::Add { lines, blank: earlier } => match *earlier {
                None if text.starts_with('+') => {
                    lines.push_line(cursor.response(), line.end() - text.len(), text);
                }
                _ if blank => {
                    earlier.get_or_insert(span);
                }
                earlier => return Err(unexpected(earlier.unwrap_or(span))),
            },
            Body::Delete if blank => {}
            Body::Delete => return Err(unexpected(span)),
            Body::Update { hunks, .. } => return take_into(hunks, span, line),
        }
        Ok(())
    }

    /// Goes to the next line, and reads the added lines of a new file, or the lines that can only be lines of the open
    /// hunk. This is faster than [`Section::take`], but does not work with a margin.
    pub(super) fn take_run(&mut self, cursor: &mut Cursor<'r>) {
        let run = match &mut self.body {
            Body::Add { lines, blank: None } => {
                cursor.advance_past_with_span(|line| line.text.starts_with('+')).map(|run| {
                    lines.push_part(cursor.response(), run.0.start as usize..run.1);
                    run.0
                })
            }
            Body::Update { hunks, .. } => hunks.take_run(cursor, false),
            Body::Add { .. } | Body::Delete => return cursor.advance(),
        };
        self.span = run.map_or(self.span, |run| self.span.join(run));
    }

    /// Reads `*** Move to:` or `*** End of File`.
    pub(super) fn take_marker(
        &mut self,
        cursor: &Cursor<'_>,
        line: Line<'_>,
        marker: &Marker<'_>,
    ) -> Result<(), Fault> {
        let span = cursor.span(line.start, line.end());
        self.span = self.span.join(span);
        let misplaced = || fault::unexpected(span, "marker", SECTION).into();
        match (&mut self.body, marker.kind) {
            (Body::Update { to, hunks }, Kind::Move) if to.is_none() && !hunks.begun => {
                *to = Some(target(cursor, line, marker)?);
                Ok(())
            }
            (Body::Update { hunks, .. }, Kind::EndOfFile) => {
                hunks.end_file(span).then_some(()).ok_or_else(misplaced)
            }
            _ => Err(misplaced()),
        }
    }

    /// The edit of the section.
    pub(super) fn into_edit(self) -> Result<Edit, Fault> {
        let op = match self.body {
            Body::Add { lines, .. } => {
                Op::Create { text: lines.convert(response::marked), existing: Existing::Refuse }
            }
            Body::Delete => Op::Delete { recursive: false, hunks: Vec::new() },
            Body::Update { to, hunks } => {
                let hunk::Body { hunks, faults, .. } = hunks.finish();
                if let Some(fault) = faults.into_iter().next() {
                    return Err(fault.into());
                }
                match to {
                    Some(to) => Op::Rename { to: Box::new(to), hunks },
                    None if hunks.is_empty() => {
                        return Err(fault::missing_field(self.span, "@@", SECTION).into());
                    }
                    None => Op::Modify { hunks, missing: Missing::Refuse },
                }
            }
        };
        Ok(Edit::new(FormatId::ApplyPatch, self.span, self.path, op))
    }
}

/// The error about a line that the section cannot have.
fn unexpected(span: Span) -> Fault {
    fault::unexpected(span, "line", SECTION).with_help(fault::HELP_MARKS).into()
}

/// Reads a line of an update.
fn take_into(hunks: &mut Hunks<'_>, span: Span, line: Line<'_>) -> Result<(), Fault> {
    if let Some(context) = header::context(line.text) {
        hunks.seek(span, context);
        return Ok(());
    }
    let is_marked = line.text.starts_with([' ', '+', '-']);
    if !is_marked && !line.is_blank() {
        return Err(unexpected(span));
    }
    if hunks.is_at_end_of_file() {
        return if is_marked { Err(unexpected(span)) } else { Ok(()) };
    }
    if is_marked && !hunks.is_open() {
        hunks.seek(span, None);
    }
    hunks.take(line);
    Ok(())
}

/// The path of a marker.
fn target(cursor: &Cursor<'_>, line: Line<'_>, marker: &Marker<'_>) -> Result<Target, Fault> {
    if marker.path.trim().is_empty() {
        let span = cursor.span(line.start, line.end());
        return Err(fault::missing_field(span, "path", &format!("`{}`", line.trimmed())).into());
    }
    let end = line.start + line.text.trim_end_matches([' ', '\t']).len();
    Ok(Target::new(marker.path, cursor.span(end - marker.path.len(), end)))
}
