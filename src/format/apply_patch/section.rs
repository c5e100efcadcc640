//! One file of a patch: its lines as they come, and the edit that they are.

use super::chunk::{self, Chunk};
use super::marker::{Kind, Marker};
use crate::edit::{Edit, Existing, Missing, Op, Target};
use crate::format::fault::Fault;
use crate::format::scan::{Cursor, Line, trim};
use crate::format::{FormatId, fault};
use crate::response::{self, Passage, Response};
use crate::span::Span;

/// A section that is being read.
pub(super) struct Section {
    /// From its marker to its last line that is not blank.
    pub(super) span: Span,
    pub(super) path: Target,
    body: Body,
}

enum Body {
    Add {
        /// Its lines with their marks, as they are written.
        lines: Passage,
        /// The first line that is blank; no other may follow.
        blank: Option<Span>,
    },
    Delete,
    Update {
        to: Option<Target>,
        chunks: Vec<Chunk>,
        /// Whether the last chunk takes no more lines.
        closed: bool,
    },
}

impl Section {
    /// The section that a marker opens.
    pub(super) fn open(cursor: &Cursor<'_>, line: Line<'_>, marker: &Marker<'_>) -> Result<Self, Fault> {
        let body = match marker.kind {
            Kind::Add => Body::Add { lines: Passage::default(), blank: None },
            Kind::Delete => Body::Delete,
            _ => Body::Update { to: None, chunks: Vec::new(), closed: false },
        };
        let path = target(cursor, line, marker)?;
        Ok(Self { span: cursor.span(line.start, line.end()), path, body })
    }

    /// Takes in a line that is no marker.
    pub(super) fn take(&mut self, cursor: &Cursor<'_>, line: Line<'_>) -> Result<(), Fault> {
        let (span, text) = (cursor.span_of(line), line.text);
        let blank = line.is_blank();
        if !blank {
            self.span = self.span.join(span);
        }
        match &mut self.body {
            Body::Add { lines, blank: earlier } => match *earlier {
                None if text.starts_with('+') => {
                    lines.push_line(cursor.response(), line.end() - text.len(), text);
                }
                _ if blank => {
                    earlier.get_or_insert(span);
                }
                earlier => {
                    let what = "a line of a new file without '+' before it";
                    Err(fault::malformed_hunk(earlier.unwrap_or(span), what))?;
                }
            },
            Body::Delete if blank => {}
            Body::Delete => Err(fault::unexpected(span, "line", "*** Delete File"))?,
            Body::Update { chunks, closed, .. } => {
                return take_into(chunks, closed, cursor.response(), span, text);
            }
        }
        Ok(())
    }

    /// Goes to the next line and takes in those that go on as the last one did: added lines of a new file, and marked
    /// ones of a chunk. For the many; the rest are for [`Section::take`]. Not for a patch that is quoted or indented.
    pub(super) fn take_more(&mut self, cursor: &mut Cursor<'_>) {
        let mut has_old = false;
        let run = match &mut self.body {
            Body::Add { blank: None, .. } => cursor.run(|line| line.text.starts_with('+')),
            Body::Update { chunks, closed: false, .. }
                if chunks.last().is_some_and(|chunk| !chunk.is_empty()) =>
            {
                cursor.run(|line| {
                    let more = chunk::is_of_file(line.text);
                    has_old |= more && !line.text.starts_with('+');
                    more
                })
            }
            _ => return cursor.advance(),
        };
        let Some((span, next)) = run else { return };
        self.span = self.span.join(span);
        match &mut self.body {
            Body::Add { lines, .. } => lines.push_part(cursor.response(), span.start as usize..next),
            Body::Update { chunks, .. } => {
                if let Some(chunk) = chunks.last_mut() {
                    chunk.take_lines(cursor.response(), span, next, has_old);
                }
            }
            Body::Delete => {}
        }
    }

    /// Takes in `*** Move to:` or `*** End of File`.
    pub(super) fn take_marker(
        &mut self,
        cursor: &Cursor<'_>,
        line: Line<'_>,
        marker: &Marker<'_>,
    ) -> Result<(), Fault> {
        let span = cursor.span(line.start, line.end());
        self.span = self.span.join(span);
        match (&mut self.body, marker.kind) {
            (Body::Update { to, chunks, .. }, Kind::Move) if to.is_none() && chunks.is_empty() => {
                *to = Some(target(cursor, line, marker)?);
                Ok(())
            }
            (_, Kind::Move) => {
                let fault = fault::unexpected(span, "*** Move to", "this section");
                Err(fault.with_help("put it right below *** Update File:").into())
            }
            (Body::Update { chunks, closed: closed @ false, .. }, _) => {
                let chunk = chunks.last_mut().filter(|chunk| !chunk.is_empty());
                let empty = || fault::unexpected(span, "*** End of File", "an empty chunk");
                chunk.ok_or_else(empty)?.end_file(span);
                *closed = true;
                Ok(())
            }
            _ => Err(fault::unexpected(span, "*** End of File", "this section").into()),
        }
    }

    /// The edit that it is.
    pub(super) fn lower(self) -> Result<Edit, Fault> {
        let op = match self.body {
            Body::Add { lines, .. } => {
                Op::Create { text: lines.read_as(response::marked), existing: Existing::Refuse }
            }
            Body::Delete => Op::Delete { recursive: false, hunks: Vec::new() },
            Body::Update { to, chunks, .. } => {
                // Exactly as many: there may be very many edits.
                let mut hunks = Vec::with_capacity(chunks.len());
                for chunk in chunks {
                    hunks.push(chunk.lower()?);
                }
                match to {
                    Some(to) => Op::Rename { to: Box::new(to), hunks },
                    None if hunks.is_empty() => {
                        return Err(fault::missing_field(self.span, "chunk", "*** Update File").into());
                    }
                    None => Op::Modify { hunks, missing: Missing::Refuse },
                }
            }
        };
        Ok(Edit::new(FormatId::ApplyPatch, self.span, self.path, op))
    }
}

/// Takes a line into the chunks of an update.
fn take_into(
    chunks: &mut Vec<Chunk>,
    closed: &mut bool,
    response: &Response,
    span: Span,
    text: &str,
) -> Result<(), Fault> {
    if let Some(context) = chunk::context(text) {
        *closed = false;
        match chunks.last_mut().filter(|chunk| chunk.is_empty()) {
            Some(chunk) => chunk.seek(span, context),
            None => {
                let mut chunk = Chunk::new(span);
                chunk.seek(span, context);
                chunks.push(chunk);
            }
        }
        return Ok(());
    }
    let is_bare = !text.starts_with(' ') && trim(text).is_empty();
    if !is_bare && !text.starts_with([' ', '+', '-']) {
        return Err(fault::malformed_hunk(span, "a line without ' ', '-' or '+' before it").into());
    }
    if *closed && !is_bare {
        return Err(fault::unexpected(span, "line after *** End of File", "this chunk").into());
    }
    if chunks.is_empty() && !is_bare {
        chunks.push(Chunk::new(span));
    }
    match chunks.last_mut() {
        Some(_) if *closed => {}
        Some(chunk) if is_bare => chunk.take_bare(),
        Some(chunk) => chunk.take(response, span, text),
        None => {}
    }
    Ok(())
}

/// The path of a marker.
fn target(cursor: &Cursor<'_>, line: Line<'_>, marker: &Marker<'_>) -> Result<Target, Fault> {
    if marker.path.trim().is_empty() {
        let span = cursor.span(line.start, line.end());
        return Err(fault::empty_field(span, "path", line.trimmed()).into());
    }
    let end = line.start + line.text.trim_end_matches([' ', '\t']).len();
    Ok(Target::new(marker.path, cursor.span(end - marker.path.len(), end)))
}
