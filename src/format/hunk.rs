//! Reads the hunks of a file. Their `@@` lines have line numbers, as in a unified diff, or the text of lines above, as
//! in a Codex patch.
//!
//! A body is the hunks for one file. Headers in it are skipped. If one names another file, or removes or moves the
//! file, it is an error.

pub(super) mod git;
pub(super) mod header;

use super::fault;
use super::fence::Fence;
use super::scan::{Below, Cursor, Line, is_blank};
use crate::diag::Diagnostic;
use crate::edit::{Anchor, Change, Hunk};
use crate::response::{Passage, Response};
use crate::span::Span;
use header::Numbers;

/// The body of a diff.
#[derive(Debug, Default)]
pub struct Body {
    /// The hunks in order. Hunks that change nothing are omitted, unless all of them change nothing.
    pub hunks: Vec<Hunk>,
    /// The errors in order.
    pub faults: Vec<Diagnostic>,
}

/// The marks of context lines, removed lines, added lines, and lines that each replace any number of removed lines.
const MARKS: [u8; 4] = *b" -+~";

/// How many removed lines must be right above and right below a `~` line. A single line, such as `}`, would match in
/// too many places. udiffx requires two as well.
const ANCHORS: usize = 2;

/// The error if more lines of the old or new text follow its `\ No newline at end of file`, or no line is above that.
const NO_NEWLINE: &str = "`\\ No newline` must be right below the last line";

/// At most this number of errors of a body are reported.
const MAX_FAULTS: usize = 20;

/// Reads the lines of a body for the file `path`. Headers of other files are errors.
pub fn read<'r>(lines: impl Below<'r>, response: &'r Response, path: &str) -> Body {
    let mut reader = Reader { path, fence: None, hunks: Hunks::new(response) };
    let mut lines = lines;
    while let Some(line) = lines.next() {
        reader.line(line, &lines);
    }
    let Hunks { open, body, unchanged, .. } = &mut reader.hunks;
    // An empty last hunk is ignored.
    open.take_if(|hunk| hunk.lines.is_empty() && body.hunks.len() + unchanged.len() > 0);
    reader.hunks.finish()
}

/// The hunks of a file, while they are read.
pub(super) struct Hunks<'r> {
    pub(super) response: &'r Response,
    /// The open hunk.
    open: Option<Open>,
    /// Whether any hunk has begun.
    pub(super) begun: bool,
    body: Body,
    /// Hunks that change nothing.
    unchanged: Vec<Hunk>,
}

/// How many lines of a hunk are still to be read, by the numbers in its `@@` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remaining {
    /// It has no numbers.
    Unknown,
    /// It is complete.
    Zero,
    /// This many old or new lines, whichever is more.
    Lines(usize),
    /// It already has more lines than its numbers say.
    Negative,
}

struct Reader<'p, 'r> {
    path: &'p str,
    /// The open fence around the lines.
    fence: Option<Fence<'r>>,
    hunks: Hunks<'r>,
}

/// A hunk, while it is read.
#[derive(Default)]
struct Open {
    span: Span,
    numbers: Numbers,
    anchor: Anchor,
    /// The lines with their marks, without the blank lines at the end.
    lines: Passage,
    /// The blank lines at the end so far. They are content if other lines follow.
    blanks: Passage,
    /// The numbers of lines with each of the [`MARKS`].
    counts: [u32; 4],
    /// The number of lines without a mark.
    unmarked: u32,
    /// Whether the last old and the last new line have no line break.
    before_unterminated: bool,
    after_unterminated: bool,
    /// The spans of `~` lines.
    omissions: Vec<Span>,
    /// Whether an error of this hunk was reported. Only the first one is.
    has_fault: bool,
}

impl<'r> Reader<'_, 'r> {
    fn line(&mut self, line: Line<'r>, below: &impl Below<'r>) {
        // Most lines are context and added lines.
        let may_be_header = line.text.starts_with("+++ ");
        if self.hunks.is_open() && line.text.starts_with([' ', '+']) && !may_be_header {
            return self.hunks.take(line);
        }
        if self.is_wrapper(line) {
            return;
        }
        if line.text.starts_with("@@") {
            self.hunks.begin(line);
        } else if !line.text.starts_with([' ', '\t'])
            && self.fence.is_some_and(|open| open.is_closed_by(line))
        {
            self.hunks.end();
            self.fence = None;
        } else if self.hunks.header_begins(line, below) {
            self.hunks.end();
            self.header_line(line);
        } else if self.hunks.is_open() {
            self.hunks.take(line);
        } else {
            self.header_line(line);
        }
    }

    /// Whether a line is a marker of a Codex patch. Some models write such markers around hunks.
    fn is_wrapper(&mut self, line: Line<'_>) -> bool {
        let is_file = line.text.starts_with("*** Update File:");
        if is_file && self.hunks.begun {
            self.hunks.fault(header::misplaced(self.hunks.span(line)));
        }
        is_file || matches!(line.text.trim_end(), "*** Begin Patch" | "*** End Patch")
    }

    /// Reads a line outside of hunks.
    fn header_line(&mut self, line: Line<'r>) {
        if let Some(fence) = Fence::of(line.text).filter(|_| self.fence.is_none()) {
            self.fence = Some(fence);
        } else if let Some(fault) = header::fault_outside(line.text, self.hunks.span(line), self.path) {
            self.hunks.fault(fault);
        }
    }
}

impl<'r> Hunks<'r> {
    pub(super) fn new(response: &'r Response) -> Self {
        Self { response, open: None, begun: false, body: Body::default(), unchanged: Vec::new() }
    }

    /// Adds an error.
    pub(super) fn fault(&mut self, fault: Diagnostic) {
        if self.body.faults.len() < MAX_FAULTS {
            self.body.faults.push(fault);
        }
    }

    /// Adds the error about a combined diff, unless there is one.
    pub(super) fn fault_combined(&mut self, span: Span) {
        if self.body.faults.is_empty() {
            self.fault(fault::malformed_hunk(span, "a combined diff of several versions"));
        }
    }

    /// The span of a line.
    pub(super) fn span(&self, line: Line<'_>) -> Span {
        Span::new(self.response.id(), line.start, line.end())
    }

    /// Whether a hunk is open.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether the open hunk has fewer lines than its numbers say, and no error.
    pub(super) fn is_short(&self) -> bool {
        let hunk = self.open.as_ref().filter(|hunk| !hunk.has_fault);
        hunk.is_some_and(|hunk| matches!(hunk.remaining(), Remaining::Lines(_)))
    }

    /// Whether the open hunk ends with a blank line so far, or no hunk is open.
    pub(super) fn ends_blank(&self) -> bool {
        self.open.as_ref().is_none_or(|hunk| !hunk.blanks.is_empty())
    }

    /// How many lines of the open hunk are still to be read.
    pub(super) fn remaining(&self) -> Remaining {
        self.open.as_ref().map_or(Remaining::Zero, Open::remaining)
    }

    /// Whether the header of a file begins at a line.
    ///
    /// `--- a` and `+++ b` lines above an `@@` line may also be a removed and an added line of the open hunk. They are,
    /// if they name two files and are exactly the lines that the hunk still needs by its numbers. If they name one
    /// file, they are a header even then, because the count of a hunk is often too high by one.
    ///
    /// A `+++ b` line alone above an `@@` line is a header that lacks its first line, unless the hunk still needs
    /// lines.
    pub(super) fn header_begins(&self, line: Line<'r>, below: &impl Below<'r>) -> bool {
        let needs_just_these =
            |hunk: &Open| hunk.numbers.remaining(hunk.counted().map(|count| count + 1)) == Remaining::Zero;
        let is_second_line = line.text.starts_with("+++ ")
            && below.clone().next().is_some_and(|line| line.text.starts_with("@@"))
            && !matches!(self.remaining(), Remaining::Lines(_));
        is_second_line
            || line.text.starts_with("diff --git ")
            || header::names(line, below).is_some_and(|(old, new, has_hunk)| {
                has_hunk
                    && (header::is_one_file(old, new) || !self.open.as_ref().is_some_and(needs_just_these))
            })
    }

    /// Begins a hunk at its `@@` line, or at its first line if it has none.
    pub(super) fn begin(&mut self, line: Line<'_>) {
        let span = self.span(line);
        if line.text.starts_with("@@@") {
            self.fault_combined(span);
        }
        let header = line.text.strip_prefix("@@").unwrap_or("");
        let (numbers, section) = (Numbers::of(header), header::section(header));
        let anchor = Anchor::Line { old_start: numbers.old.start, new_start: numbers.new.start, section };
        self.open(Open { span, numbers, anchor, ..Open::default() });
    }

    fn open(&mut self, hunk: Open) {
        self.end();
        self.begun = true;
        self.open = Some(hunk);
    }

    /// Reads an `@@` line of a Codex patch. Consecutive `@@` lines belong to one hunk.
    pub(super) fn seek(&mut self, span: Span, text: Option<&str>) {
        if self.open.as_ref().is_none_or(|hunk| !hunk.lines.is_empty()) {
            let anchor = Anchor::Seek { headings: Vec::new(), end_of_file: false };
            self.open(Open { span, anchor, ..Open::default() });
        }
        if let Some(Open { span: whole, anchor: Anchor::Seek { headings, .. }, blanks, counts, .. }) =
            &mut self.open
        {
            *whole = whole.join(span);
            (*blanks, *counts) = (Passage::default(), [0; 4]);
            headings.extend(text.map(str::to_owned));
        }
    }

    /// Whether `*** End of File` has ended the open hunk.
    pub(super) fn is_at_end_of_file(&self) -> bool {
        matches!(self.open, Some(Open { anchor: Anchor::Seek { end_of_file: true, .. }, .. }))
    }

    /// Ends the open hunk at `*** End of File`; returns false if there is none, or it has no lines.
    pub(super) fn end_file(&mut self, span: Span) -> bool {
        match &mut self.open {
            Some(Open {
                span: whole, anchor: Anchor::Seek { end_of_file: end @ false, .. }, lines, ..
            }) if !lines.is_empty() => {
                *whole = whole.join(span);
                *end = true;
                true
            }
            _ => false,
        }
    }

    /// Reads a line of the open hunk.
    pub(super) fn take(&mut self, line: Line<'_>) {
        let span = self.span(line);
        let Some(hunk) = &mut self.open else { return };
        let fault = hunk.read(line, span, self.response);
        if let Some(fault) = fault.filter(|_| !hunk.has_fault) {
            hunk.has_fault = true;
            self.fault(*fault);
        }
    }

    /// Goes to the next line, and reads the following lines that can only be lines of the open hunk. Returns their
    /// span. This is faster than [`Hunks::take`], but does not work with a margin. `bare`: there is no fence around the
    /// hunk.
    pub(super) fn take_run(&mut self, cursor: &mut Cursor<'r>, bare: bool) -> Option<Span> {
        let is_at_end = self.is_at_end_of_file();
        let is_at_end = |hunk: &Open| is_at_end || hunk.before_unterminated || hunk.after_unterminated;
        let Some(hunk) = self.open.as_mut().filter(|hunk| !is_at_end(hunk)) else {
            cursor.advance();
            return None;
        };
        let mut counts = [0; 4];
        let (span, next) = cursor.advance_past_with_span(|line| {
            let mark = match line.text.as_bytes() {
                // The line may be a header, or a list item.
                [mark @ (b'-' | b'+'), second, rest @ ..]
                    if second == mark
                        || bare && *second == b' ' && rest.first().is_some_and(|byte| !is_blank(*byte)) =>
                {
                    return false;
                }
                [b'-', ..] => 1,
                [b'+', ..] => 2,
                // The line may be an indented marker.
                [b' ', ..] if line.first_byte().is_some_and(|byte| byte != b'*') => 0,
                _ => return false,
            };
            // The line must have a line break, so that the span consists of whole lines.
            let is_whole = line.next > line.end();
            counts[mark] += u32::from(is_whole);
            is_whole
        })?;
        hunk.counts.iter_mut().zip(counts).for_each(|(count, more)| *count += more);
        hunk.take_blanks(self.response);
        hunk.lines.push_part(self.response, span.start as usize..next);
        hunk.span = hunk.span.join(span);
        Some(span)
    }

    /// Ends the open hunk.
    pub(super) fn end(&mut self) {
        let Some(mut hunk) = self.open.take() else { return };
        let blanks = hunk.blanks.lines().count() as u32;
        // In a Codex patch, blank lines below a hunk of only added lines separate it from the next hunk. They are not
        // context.
        if hunk.is_of_patch() && (hunk.counts[0] > blanks || hunk.counts[1] > 0) {
            hunk.take_blanks(self.response);
        }
        let is_context = hunk.counts[1..] == [0; 3];
        let may_be_changed = if is_context { u32::MAX } else { hunk.unmarked };
        let fault = if let Some(span) = hunk.unanchored() {
            let what = format!("`~` needs {ANCHORS} removed lines right above and right below it");
            Some(fault::malformed_hunk(span, &what))
        } else if hunk.numbers.lacks_marks(may_be_changed, hunk.counted())
            || is_context && hunk.unmarked > 0 && !hunk.is_of_patch()
        {
            Some(fault::missing_field(hunk.span, "mark", "hunk").with_help(fault::HELP_MARKS))
        } else {
            hunk.lines.is_empty().then(|| fault::missing_field(hunk.span, "lines", "hunk"))
        };
        fault.into_iter().filter(|_| !hunk.has_fault).for_each(|fault| self.fault(fault));
        if hunk.lines.is_empty() {
            return;
        }
        // In a Codex patch, a hunk without changes is kept: the search for the next hunk begins after it.
        let is_unchanged = is_context && !hunk.is_of_patch();
        let Open { span, anchor, before_unterminated, after_unterminated, .. } = hunk;
        let change = Change::Diff { lines: hunk.lines.into_lines(), before_unterminated, after_unterminated };
        let hunk = Hunk { span, change, anchor };
        if is_unchanged {
            self.unchanged.push(hunk);
        } else {
            self.body.hunks.push(hunk);
        }
    }

    /// Ends reading, and returns the body.
    pub(super) fn finish(mut self) -> Body {
        self.end();
        let Self { mut body, unchanged, .. } = self;
        if body.hunks.is_empty() && !unchanged.is_empty() {
            body.hunks = unchanged;
        }
        // A response may have very many bodies.
        body.hunks.shrink_to_fit();
        body
    }
}

impl Open {
    fn is_of_patch(&self) -> bool {
        matches!(self.anchor, Anchor::Seek { .. })
    }

    fn count(&mut self, mark: u8) {
        self.counts[MARKS.iter().position(|of| *of == mark).unwrap_or(0)] += 1;
    }

    /// The numbers of old and of new lines so far.
    fn counted(&self) -> [u32; 2] {
        let [context, removed, added, _] = self.counts;
        [context + removed, context + added]
    }

    fn remaining(&self) -> Remaining {
        self.numbers.remaining(self.counted())
    }

    /// Adds the blank lines at the end as context lines, because other lines follow.
    fn take_blanks(&mut self, response: &Response) {
        if !self.blanks.is_empty() {
            self.lines.push(response, &std::mem::take(&mut self.blanks));
        }
    }

    /// Reads a line of the hunk; returns its error.
    fn read(&mut self, line: Line<'_>, span: Span, response: &Response) -> Option<Box<Diagnostic>> {
        let is_of_patch = self.is_of_patch();
        let blank = line.is_blank() && !(is_of_patch && line.text.starts_with(' '));
        let mark = match line.text.as_bytes().first() {
            _ if blank => b' ',
            Some(&mark @ (b' ' | b'-' | b'+')) => mark,
            Some(b'~') if line.text[1..].bytes().all(is_blank) => {
                self.omit(span, response);
                return None;
            }
            Some(b'\\') if line.text.starts_with("\\ ") => return self.end_without_newline(span, response),
            // A context line without its mark, or with another blank character as its mark.
            _ => {
                self.unmarked = self.unmarked.saturating_add(1);
                b' '
            }
        };
        let sides = [mark != b'+', mark != b'-'];
        // Blank lines above this line are context lines.
        let blanks = !self.blanks.is_empty();
        let mut fault = None;
        if !blank
            && ((self.before_unterminated && (sides[0] || blanks))
                || (self.after_unterminated && (sides[1] || blanks)))
        {
            fault = Some(Box::new(fault::malformed_hunk(span, NO_NEWLINE)));
        }
        self.count(mark);
        let lines = if blank && self.remaining() != Remaining::Zero {
            &mut self.blanks
        } else {
            self.take_blanks(response);
            self.span = self.span.join(span);
            &mut self.lines
        };
        let text = match line.text.strip_prefix('\u{a0}') {
            Some(text) if mark == b' ' => text,
            _ if blank && is_of_patch => "",
            _ => line.text,
        };
        if mark == b' ' && (!text.starts_with(' ') || text.len() < line.text.len()) {
            lines.push_str(" ");
        }
        lines.push_line(response, line.end() - text.len(), text);
        fault
    }

    /// Reads a `~` line.
    fn omit(&mut self, span: Span, response: &Response) {
        self.take_blanks(response);
        self.lines.push_str("~\n");
        self.span = self.span.join(span);
        self.count(b'~');
        self.omissions.push(span);
    }

    /// Returns the span of the first `~` line that does not have enough removed lines above and below.
    fn unanchored(&self) -> Option<Span> {
        if self.omissions.is_empty() {
            return None;
        }
        let marks: Vec<u8> = self.lines.lines().filter_map(|line| line.bytes().next()).collect();
        let is_removed = |marks: Option<&[u8]>| marks == Some(&[b'-'; ANCHORS]);
        let omissions = (0..marks.len()).filter(|&at| marks[at] == b'~');
        let anchored = |at: usize| {
            let above = at.checked_sub(ANCHORS).and_then(|start| marks.get(start..at));
            is_removed(above) && is_removed(marks.get(at + 1..at + 1 + ANCHORS))
        };
        omissions.zip(&self.omissions).find(|(at, _)| !anchored(*at)).map(|(_, span)| *span)
    }

    /// Reads a `\ No newline at end of file` line; returns its error.
    fn end_without_newline(&mut self, span: Span, response: &Response) -> Option<Box<Diagnostic>> {
        self.take_blanks(response);
        self.span = self.span.join(span);
        match self.lines.lines().next_back().and_then(|last| last.bytes().next()) {
            Some(b' ') => (self.before_unterminated, self.after_unterminated) = (true, true),
            Some(b'-') => self.before_unterminated = true,
            Some(b'+') => self.after_unterminated = true,
            _ => return Some(Box::new(fault::malformed_hunk(span, NO_NEWLINE))),
        }
        None
    }
}

#[cfg(test)]
mod tests;
