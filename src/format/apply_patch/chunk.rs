//! One place of an updated file: `@@` lines and the lines behind them.

use crate::edit::{Anchor, Change, Hunk};
use crate::format::fault::{self, Fault};
use crate::format::hunk::header::behind_numbers;
use crate::format::scan::{is_blank, trim};
use crate::response::{Passage, Response};
use crate::span::Span;

/// What an empty line of an update says: an empty line of the file.
const BARE: &str = " \n";

/// What stands between one run of `@@` lines and the next.
#[derive(Default)]
pub(super) struct Chunk {
    span: Span,
    context: Vec<String>,
    /// The lines with their marks, as they are written.
    lines: Passage,
    /// How many lines behind them are empty in the patch.
    bare: usize,
    /// Whether others are lines of the file before.
    has_old: bool,
    end_of_file: bool,
}

impl Chunk {
    /// A chunk that begins there.
    pub(super) fn new(span: Span) -> Self {
        Self { span, ..Self::default() }
    }

    /// Whether nothing but `@@` lines and empty ones was seen.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Takes in an `@@` line and what it seeks. Only for an empty chunk.
    pub(super) fn seek(&mut self, span: Span, context: Option<&str>) {
        self.span = self.span.join(span);
        self.context.extend(context.map(str::to_owned));
        self.bare = 0;
    }

    /// Takes in a line that begins with a mark.
    pub(super) fn take(&mut self, response: &Response, span: Span, text: &str) {
        self.reach(span, !text.starts_with('+'));
        self.lines.push_line(response, span.end as usize - text.len(), text);
    }

    /// Takes in lines that begin with a mark, from `span` on to `next`; `has_old` says whether any of them is one of the
    /// file before.
    pub(super) fn take_lines(&mut self, response: &Response, span: Span, next: usize, has_old: bool) {
        self.reach(span, has_old);
        self.lines.push_part(response, span.start as usize..next);
    }

    fn reach(&mut self, span: Span, has_old: bool) {
        self.span = self.span.join(span);
        // An empty line between others is one of the file.
        self.has_old |= self.bare > 0 || has_old;
        self.take_bare_lines();
    }

    fn take_bare_lines(&mut self) {
        (0..std::mem::take(&mut self.bare)).for_each(|_| self.lines.push_str(BARE));
    }

    /// Takes in a line that is empty in the patch.
    pub(super) fn take_bare(&mut self) {
        self.bare += 1;
    }

    /// Takes in `*** End of File`.
    pub(super) fn end_file(&mut self, span: Span) {
        self.span = self.span.join(span);
        self.end_of_file = true;
    }

    /// The hunk that it is.
    pub(super) fn lower(mut self) -> Result<Hunk, Fault> {
        // Empty lines behind lines that are only added set the chunk off from what follows: alone they are no place.
        if self.has_old {
            self.take_bare_lines();
        }
        if self.lines.is_empty() {
            return Err(fault::missing_field(self.span, "lines", "this chunk").into());
        }
        let lines = self.lines.into_lines();
        let change = Change::Diff { lines, before_unterminated: false, after_unterminated: false };
        let anchor = Anchor::Seek { context: self.context, end_of_file: self.end_of_file };
        Ok(Hunk { span: self.span, change, anchor })
    }
}

/// Whether a line is for certain one of the file, with its mark before it: not blank, and no marker in any reading.
#[inline]
pub(super) fn is_of_file(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(b'+' | b'-') => true,
        Some(b' ') => text.bytes().find(|&byte| !is_blank(byte)).is_some_and(|byte| byte != b'*'),
        _ => false,
    }
}

/// What an `@@` line seeks, if it is one: nothing for `@@` alone, or with dots. Of a unified diff's header, whose numbers say nothing
/// here, it is the text after them.
pub(super) fn context(text: &str) -> Option<Option<&str>> {
    let rest = text.strip_prefix("@@")?;
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let heading = behind_numbers(rest).filter(|rest| rest.is_empty() || rest.starts_with(' '));
    let rest = heading.unwrap_or(rest);
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    // Closed as the numbers of a diff are.
    let closed = trim(rest).strip_suffix("@@").filter(|_| heading.is_none());
    let text = closed.map_or(rest, trim);
    let says = |text: &&str| text.contains(|c: char| !c.is_whitespace() && !matches!(c, '.' | '…' | '@'));
    Some(Some(text).filter(says))
}
