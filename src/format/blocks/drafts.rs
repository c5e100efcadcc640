//! Skips the parts of a response that are not the answer: reasoning, and the other turns of a chat page. Also
//! recognizes an answer that is cut off.

use super::Reader;
use crate::diag::{Code, Diagnostic, Severity, counted, listed};
use crate::edit::{Edit, Script};
use crate::format::above::Above;
use crate::format::document::{Block, BlockKind};
use crate::format::reasoning::{self, End, Opening, Sections};
use crate::format::scan::{Cursor, Line, trim};
use crate::format::tag;
use crate::format::{FORMATS, Reading, fault};
use crate::span::Span;
use std::collections::HashSet;

/// The most files that a warning names.
const MAX_NAMED_FILES: usize = 3;
const HELP: &str = "leave the reasoning out; put a tag that is meant as text in backquotes";

/// Returns the warning about edits in reasoning.
fn skipped(span: Span, edits: usize, files: &str) -> Diagnostic {
    let message = format!("{} in reasoning skipped ({files})", counted(edits, "edit"));
    Diagnostic::warning(Code::Reasoning, span, message)
}

/// Returns the error about edits above or below an unpaired tag: they may be reasoning.
fn may_be_draft(tag: Span, edits: usize) -> Diagnostic {
    let message = format!("{} may be a draft: this tag is unpaired", counted(edits, "edit"));
    Diagnostic::error(Code::Reasoning, tag, message).with_help(HELP)
}

/// The reasoning that was read so far. A draft is an edit in reasoning.
#[derive(Default)]
pub(super) struct Drafts<'r> {
    /// While the inside of reasoning is read: the rest of the line after its end, once the end is reached.
    pub(super) closed: Option<Line<'r>>,
    /// Whether a draft was invalid. A closing tag may be content of a valid draft, but not of an invalid one.
    is_broken: bool,
    sections: Sections,
    /// The first opening tag without a closing one.
    unclosed: Option<Span>,
    /// Where the last reasoning ended.
    pub(super) ended: Option<usize>,
    /// The index of the diagnostic about a closing tag without an opening one, if edits were skipped above it.
    lone_closing: Option<usize>,
    /// Whether the response is a copied chat page.
    pub(super) is_page: bool,
    /// The user's turn below the last answer of the page: its start, and the numbers of blocks, edits and diagnostics
    /// before it.
    user_turn: Option<(usize, usize, (usize, usize))>,
    /// The end of the last line without a closing tag.
    no_closing: Option<usize>,
}

impl<'r> Reader<'r> {
    /// Skips reasoning that begins or ends at this line, and the part of a chat page above an answer. Returns whether
    /// it skipped anything.
    pub(super) fn skip_reasoning(&mut self, cursor: &mut Cursor<'r>, line: Line<'r>) -> bool {
        if self.drafts.is_page && trim(line.text) == "ChatGPT said:" {
            self.forget();
            let message = "this is a page of a chat: only its last answer is read";
            self.out.fault(Diagnostic::warning(Code::Unread, cursor.span_of(line), message));
            (self.drafts.ended, self.drafts.user_turn) = (Some(line.next), None);
            cursor.advance();
            return true;
        }
        if self.drafts.is_page && self.drafts.ended.is_some() && trim(line.text) == "You said:" {
            self.drafts.user_turn.get_or_insert((line.start, self.blocks.len(), self.out.lengths()));
        }
        match self.drafts.sections.opening(cursor) {
            Some(Opening::Section(text, end)) => {
                if let Some(rest) =
                    end.and_then(|(end, first)| self.end_of_reasoning(cursor, text, end, first))
                {
                    self.drafts.ended = Some(rest.start);
                    cursor.begin_line(rest);
                } else {
                    self.drafts.unclosed.get_or_insert(cursor.span_of(line));
                    cursor.advance();
                }
                return true;
            }
            Some(Opening::Answer(rest)) => {
                cursor.begin_line(rest);
                return true;
            }
            None => {}
        }
        // A long line may contain many regions, but is searched for a closing tag only once.
        if self.drafts.no_closing == Some(line.end()) {
            return false;
        }
        let Some((start, end)) = reasoning::closing(line) else {
            self.drafts.no_closing = Some(line.end());
            return false;
        };
        let tag = cursor.span(line.start + start, line.start + end);
        let since = self.drafts.ended.replace(tag.end as usize);
        let edits = self.edits_since(since.unwrap_or(0));
        if since.is_none() {
            let files = files(&self.out.script.edits);
            self.forget();
            if edits > 0 {
                self.drafts.lone_closing = Some(self.out.script.diagnostics.len());
                self.out.fault(skipped(tag, edits, &files));
            }
        } else if edits > 0 {
            self.out.fault(may_be_draft(tag, edits));
        }
        cursor.begin_line(line.skip(end));
        true
    }

    /// Removes the user's turn below the last answer of a page.
    pub(super) fn drop_turn(&mut self, end: usize) {
        let Some((start, blocks, lengths)) = self.drafts.user_turn.take() else { return };
        let has_blocks = self.blocks.len() > blocks;
        self.restore(blocks, lengths);
        if has_blocks {
            self.add(BlockKind::Other, Span::new(self.response.id(), start, end), 0);
        }
    }

    /// Removes all that was read so far.
    fn forget(&mut self) {
        self.restore(0, (0, 0));
        (self.drafts.unclosed, self.escaped) = (None, None);
        self.above = Above::new(self.response.id());
    }

    /// Returns the rest of the line in which the reasoning that begins at `text` ends. `first` is the line of the first
    /// closing tag; if that tag is content of a valid draft, the reasoning ends later. Warns about the drafts.
    fn end_of_reasoning(
        &mut self,
        cursor: &Cursor<'r>,
        text: Line<'r>,
        end: End,
        first: Line<'r>,
    ) -> Option<Line<'r>> {
        let mut reader = Reader::new(self.response, &Reading::default());
        (reader.out.reasoning, reader.drafts.is_broken) = (Some(end), self.drafts.is_broken);
        let mut inside = match self.drafts.is_broken {
            false => cursor.clone(),
            true => Cursor::within(self.response, cursor.span(text.start, first.start)),
        };
        inside.begin_line(text);
        reader.read_blocks(&mut inside, 0);
        let Script { mut edits, diagnostics, .. } = reader.out.script;
        let is_error = |fault: &Diagnostic| fault.severity == Severity::Error;
        let is_broken = reader.stopped.is_some() || diagnostics.iter().any(is_error);
        let rest = match reader.drafts.closed {
            Some(rest) if !is_broken => rest,
            // Every closing tag is in a draft, so no later section has an end either.
            None if !self.drafts.is_broken && !is_broken => {
                self.drafts.sections.close();
                return None;
            }
            closed => {
                self.drafts.is_broken |= closed.is_none_or(|rest| rest.start != first.start);
                edits.retain(|edit| edit.span.start < Span::new(self.response.id(), 0, first.start).end);
                first
            }
        };
        if !edits.is_empty() {
            let section = cursor.span(cursor.at(), rest.start);
            self.out.fault(skipped(section, edits.len(), &files(&edits)));
        }
        Some(rest)
    }

    /// Returns the rest of a line after the end of the reasoning around it; `None` if the reasoning does not end there.
    pub(super) fn after_reasoning(&self, line: Line<'r>) -> Option<Line<'r>> {
        self.out.reasoning.filter(|_| !self.drafts.is_broken).and_then(|end| end.rest(line))
    }

    /// The number of edits from an offset on, including whole files.
    pub(super) fn edits_since(&self, offset: usize) -> usize {
        // The list is in order, so the search stops early: there may be many such tags.
        let is_after = |span: &Span| span.end as usize > offset;
        let edits = self.out.script.edits.iter().rev().map(|edit| edit.span).take_while(is_after);
        let blocks = self.blocks.iter().rev().take_while(|block| is_after(&block.span));
        let files = blocks.filter(|block| matches!(&block.kind, BlockKind::Fence(given) if given.is_whole));
        edits.chain(files.map(|block| block.span)).filter(|span| span.start as usize >= offset).count()
    }

    /// Refuses responses in which edits may be drafts: edits below an opening tag without a closing tag, or edits above
    /// a closing tag without an opening tag if there are none below it.
    pub(super) fn finish_reasoning(&mut self) {
        if let Some(at) = self.drafts.lone_closing.filter(|_| self.edits_since(0) == 0)
            && let Some(warning) = self.out.script.diagnostics.get_mut(at)
        {
            (warning.severity, warning.help) = (Severity::Error, Some(HELP.to_owned()));
        }
        let Some(unclosed) = self.drafts.unclosed else { return };
        let edits = self.edits_since(unclosed.start as usize);
        if edits > 0 {
            self.out.fault(may_be_draft(unclosed, edits));
        }
    }

    /// Reports a last line that is an incomplete marker, or a heading with nothing below.
    pub(super) fn cut_off(&mut self, end: usize) {
        let text = self.response.text().get(..end).unwrap_or("");
        let start = text.rfind('\n').map_or(0, |at| at + 1);
        let last = trim(&text[start..]);
        let span = Span::new(self.response.id(), start, end);
        let is_read = |block: &Block| block.is_region() && block.span.end as usize > start;
        if self.blocks.last().is_some_and(is_read) {
            return;
        }
        let is_rule = last.bytes().all(|byte| matches!(byte, b'-' | b'*' | b'_' | b' '));
        let openings = || FORMATS.iter().flat_map(|format| format.openings);
        // A tag may have no end.
        let is_tag = last.starts_with('<') && tag::peek(last).is_some() && !last.contains('>');
        let is_cut = |opening: &&str| opening.starts_with(last) || is_tag && last.starts_with(*opening);
        if last.len() >= 4 && !is_rule && openings().any(is_cut) {
            let place = Span::new(self.response.id(), end, end);
            self.out.fault(fault::unterminated(span, "edit").with_lost(place));
        } else if let Some(line) = self.above.open_heading() {
            let span = Span::new(self.response.id(), line.start, line.end());
            self.out.fault(may_be_cut_off(span));
        }
    }
}

pub(super) fn may_be_cut_off(span: Span) -> Diagnostic {
    Diagnostic::warning(Code::Truncated, span, "nothing follows: the response may be cut off")
}

/// The first files of edits, each once.
fn files(edits: &[Edit]) -> String {
    let mut seen = HashSet::new();
    let paths = edits.iter().map(|edit| edit.path.raw.as_str()).filter(|path| seen.insert(*path));
    listed(paths.map(|path| format!("`{path}`")), MAX_NAMED_FILES)
}
