//! The hunks of one file, whatever their `@@` lines say of their places: line numbers, as in a unified diff, or lines that
//! stand above them, as in a patch of Codex.
//!
//! Apart from the formats that carry hunks. In the body of a unified diff only `@@` lines and marked lines count: headers
//! are skipped, unless they say what hunks cannot: that the file is removed, moved or another one.

pub(super) mod header;

use super::fault;
use super::fence::Fence;
use super::scan::{Below, Cursor, Line, is_blank};
use crate::diag::Diagnostic;
use crate::edit::{Anchor, Change, Hunk};
use crate::response::{Passage, Response};
use crate::span::Span;
use header::{Header, Numbers};

/// The kinds of lines in hunks: that stay, go, come, or are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks(u8);

impl Marks {
    fn of(mark: u8) -> Self {
        Self(match mark {
            b' ' => 1,
            b'-' => 2,
            b'+' => 4,
            _ => 8,
        })
    }

    fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Whether no line has another mark.
    pub(super) fn are_only(self, mark: u8) -> bool {
        self.0 & !Self::of(mark).0 == 0
    }
}

/// What a body comes to.
#[derive(Debug, Default)]
pub struct Body {
    /// Its hunks in order. Those that change nothing are left out, unless there are no others.
    pub hunks: Vec<Hunk>,
    /// The marks of their lines.
    pub(super) marks: Marks,
    /// What is wrong with it, in order.
    pub faults: Vec<Diagnostic>,
}

/// How many removed lines have to stand above and below a `~` line. One could be any `}`; the origin asks for as many.
const ANCHORS: usize = 2;

/// What is wrong if lines of the file follow `\ No newline at end of file`, or no line is above it.
const NO_NEWLINE: &str = "`\\ No newline` must be right below the last line";

/// How many faults of one body are reported.
const MAX_FAULTS: usize = 20;

/// Reads the body that these lines of a response are. `path` is the file that it is for; headers of
/// another file are an error.
pub fn read<'r>(lines: impl Below<'r>, response: &'r Response, path: &str) -> Body {
    let mut reader = Reader { header: Header::new(path), fence: None, hunks: Hunks::new(response) };
    let mut lines = lines;
    while let Some(line) = lines.next() {
        reader.line(line, &lines);
    }
    // A last hunk without lines says nothing.
    if reader.hunks.have_others() {
        reader.hunks.open.take_if(|hunk| hunk.lines.is_empty());
    }
    reader.hunks.finish()
}

/// The hunks of a file, read line by line.
pub(super) struct Hunks<'r> {
    response: &'r Response,
    /// The hunk that is read.
    open: Option<Open>,
    /// Whether there was a hunk already.
    pub(super) begun: bool,
    /// Whether the diff is one of several files against one, which is said once.
    is_combined: bool,
    body: Body,
    /// Hunks that change nothing.
    idle: Vec<Hunk>,
}

/// How many lines are still due of a hunk, by its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// Its numbers do not say.
    Unknown,
    /// None: it is as long as they say.
    Nothing,
    /// So many, on the longer side.
    Lines(usize),
    /// It is longer than they say.
    Less,
}

struct Reader<'r> {
    header: Header,
    /// The fence around the lines, while it is open.
    fence: Option<Fence<'r>>,
    hunks: Hunks<'r>,
}

/// A hunk as far as it is read.
#[derive(Default)]
struct Open {
    span: Span,
    numbers: Numbers,
    anchor: Anchor,
    /// The lines with their marks, as they are written, as far as they are content for certain.
    lines: Passage,
    /// The blank lines behind them, which are content only if others follow.
    blanks: Passage,
    /// How many lines of the before- and of the after-text there are.
    counted: [u32; 2],
    /// The last line's mark, or 0.
    last: u8,
    before_unterminated: bool,
    after_unterminated: bool,
    /// The marks of its lines, as far as these are content for certain.
    marks: Marks,
    /// Where its `~` lines stand.
    omissions: Vec<Span>,
    /// Whether a fault was reported that would only come again.
    at_fault: bool,
}

impl<'r> Reader<'r> {
    fn line(&mut self, line: Line<'r>, below: &impl Below<'r>) {
        // Most lines of a hunk can be nothing else.
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
            self.header.begin();
            self.header_line(line);
        } else if self.hunks.is_open() {
            self.hunks.take(line);
        } else {
            self.header_line(line);
        }
    }

    /// Whether a line is one of those that other patch formats put around hunks, and some models here.
    fn is_wrapper(&mut self, line: Line<'_>) -> bool {
        let is_file = line.text.starts_with("*** Update File:");
        if is_file && self.hunks.begun {
            self.hunks.fault(header::misplaced(self.hunks.span(line)));
        }
        is_file || matches!(line.text.trim_end(), "*** Begin Patch" | "*** End Patch")
    }

    /// Reads a line that stands in no hunk.
    fn header_line(&mut self, line: Line<'r>) {
        if let Some(fence) = Fence::of(line.text).filter(|_| self.fence.is_none()) {
            self.fence = Some(fence);
        } else if let Some(fault) = self.header.read(line, self.hunks.span(line)) {
            self.hunks.fault(fault);
        }
    }
}

impl<'r> Hunks<'r> {
    /// None yet; the lines are of the response with that index.
    pub(super) fn new(response: &'r Response) -> Self {
        Self {
            response,
            open: None,
            begun: false,
            is_combined: false,
            body: Body::default(),
            idle: Vec::new(),
        }
    }

    /// Notes what is wrong.
    pub(super) fn fault(&mut self, fault: Diagnostic) {
        if self.body.faults.len() < MAX_FAULTS {
            self.body.faults.push(fault);
        }
    }

    /// Notes, once, that the diff is a combined one.
    pub(super) fn fault_combined(&mut self, span: Span) {
        if !std::mem::replace(&mut self.is_combined, true) {
            self.fault(fault::malformed_hunk(span, "a combined diff of several versions"));
        }
    }

    /// Where a line stands.
    pub(super) fn span(&self, line: Line<'_>) -> Span {
        Span::new(self.response.id(), line.start, line.end())
    }

    /// Whether lines go into a hunk now.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether there are hunks beside the one that is read.
    fn have_others(&self) -> bool {
        !self.body.hunks.is_empty() || !self.idle.is_empty()
    }

    /// Whether the hunk that is read lacks lines, and those that it has begin with their marks.
    pub(super) fn is_short(&self) -> bool {
        let hunk = self.open.as_ref().filter(|hunk| !hunk.at_fault);
        hunk.is_some_and(|hunk| matches!(hunk.numbers.due(hunk.counted), Due::Lines(_)))
    }

    /// Whether the last lines of the hunk that is read are blank.
    pub(super) fn is_parted(&self) -> bool {
        self.open.as_ref().is_none_or(|hunk| !hunk.blanks.is_empty())
    }

    /// How many lines are due of the hunk that is read.
    pub(super) fn due(&self) -> Due {
        self.open.as_ref().map_or(Due::Nothing, |hunk| hunk.numbers.due(hunk.counted))
    }

    /// Whether the header of a file begins at this line, which may also be a line of the hunk that is read.
    pub(super) fn header_begins(&self, line: Line<'r>, below: &impl Below<'r>) -> bool {
        header::begins(line, below, self.open.as_ref().map(|hunk| (hunk.numbers, hunk.counted)))
    }

    /// Begins a hunk at its `@@` line.
    pub(super) fn begin(&mut self, line: Line<'_>) {
        let span = self.span(line);
        if line.text.starts_with("@@@") {
            self.fault_combined(span);
        }
        self.begin_at(span, line.text.get(2..).unwrap_or(""));
    }

    /// Begins a hunk that has no such line at its first one.
    pub(super) fn begin_bare(&mut self, line: Line<'_>) {
        self.begin_at(self.span(line), "");
    }

    fn begin_at(&mut self, span: Span, header: &str) {
        let (numbers, section) = (Numbers::of(header), header::section(header));
        let anchor = Anchor::Line { old_start: numbers.old.start, new_start: numbers.new.start, section };
        self.open(Open { span, numbers, anchor, ..Open::default() });
    }

    fn open(&mut self, hunk: Open) {
        self.end();
        self.begun = true;
        self.open = Some(hunk);
    }

    /// Takes an `@@` line of a patch and what it seeks: several in a row belong to one hunk.
    pub(super) fn seek(&mut self, span: Span, text: Option<&str>) {
        if self.open.as_ref().is_none_or(|hunk| !hunk.lines.is_empty()) {
            let anchor = Anchor::Seek { context: Vec::new(), end_of_file: false };
            self.open(Open { span, anchor, ..Open::default() });
        }
        if let Some(Open { span: whole, anchor: Anchor::Seek { context, .. }, blanks, .. }) = &mut self.open {
            *whole = whole.join(span);
            *blanks = Passage::default();
            context.extend(text.map(str::to_owned));
        }
    }

    /// Whether the hunk of a patch that is read takes no more lines.
    pub(super) fn is_at_end_of_file(&self) -> bool {
        matches!(self.open, Some(Open { anchor: Anchor::Seek { end_of_file: true, .. }, .. }))
    }

    /// Ties the hunk of a patch that is read to the end of the file; says whether there is one that has lines.
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

    /// Takes a line of the hunk that is read.
    pub(super) fn take(&mut self, line: Line<'_>) {
        let span = self.span(line);
        let Some(hunk) = &mut self.open else { return };
        let fault = hunk.read(line, span, self.response);
        if let Some(fault) = fault.filter(|_| !hunk.at_fault) {
            hunk.at_fault = true;
            self.fault(*fault);
        }
    }

    /// Goes to the next line and takes in those that can be nothing but lines of the hunk that is read, if one is; gives
    /// where they stand. For the many; the rest are for [`Hunks::take`]. Not where lines have a margin. `bare`: no fence is around
    /// the hunk.
    pub(super) fn take_more(&mut self, cursor: &mut Cursor<'r>, bare: bool) -> Option<Span> {
        let ends = self.is_at_end_of_file();
        let ends = |hunk: &Open| ends || hunk.before_unterminated || hunk.after_unterminated;
        let Some(hunk) = self.open.as_mut().filter(|hunk| !ends(hunk)) else {
            cursor.advance();
            return None;
        };
        let (span, next) = cursor.run(|line| {
            let mark = match line.text.as_bytes() {
                // It may be an item of a list.
                [b'-' | b'+', b' ', first, ..] if bare && !is_blank(*first) => return false,
                // A header may begin with `--` or `++`.
                [b'-', b'-', ..] | [b'+', b'+', ..] => return false,
                [mark @ (b'-' | b'+'), ..] => *mark,
                // A marker may be indented.
                [b' ', ..] if line.first_byte().is_some_and(|byte| byte != b'*') => b' ',
                _ => return false,
            };
            // It is to be a part of the response as it is.
            let whole = line.next > line.end();
            if whole {
                hunk.count(mark);
                hunk.marks.add(Marks::of(mark));
            }
            whole
        })?;
        hunk.take_blanks(self.response);
        hunk.lines.push_part(self.response, span.start as usize..next);
        hunk.span = hunk.span.join(span);
        Some(span)
    }

    /// Ends the hunk that is read.
    pub(super) fn end(&mut self) {
        let Some(mut hunk) = self.open.take() else { return };
        // Those behind lines that are only added set the hunk off from what follows: alone they are no place.
        if hunk.is_of_patch() && !hunk.marks.are_only(b'+') {
            hunk.take_blanks(self.response);
        }
        if let Some(span) = hunk.unanchored().filter(|_| !hunk.at_fault) {
            hunk.at_fault = true;
            let what = format!("`~` needs {ANCHORS} removed lines right above and right below it");
            self.fault(fault::malformed_hunk(span, &what));
        }
        if hunk.lines.is_empty() {
            if !hunk.at_fault {
                self.fault(fault::missing_field(hunk.span, "lines", "this hunk"));
            }
            return;
        }
        // In a patch it says where the search goes on.
        let is_idle = hunk.marks.are_only(b' ') && !hunk.is_of_patch();
        let Open { span, anchor, marks, before_unterminated, after_unterminated, .. } = hunk;
        let change = Change::Diff { lines: hunk.lines.into_lines(), before_unterminated, after_unterminated };
        let hunk = Hunk { span, change, anchor };
        if is_idle {
            self.idle.push(hunk);
        } else {
            self.body.hunks.push(hunk);
            self.body.marks.add(marks);
        }
    }

    /// All of them, the one that is read included.
    pub(super) fn finish(mut self) -> Body {
        self.end();
        let Self { mut body, idle, .. } = self;
        if body.hunks.is_empty() && !idle.is_empty() {
            (body.hunks, body.marks) = (idle, Marks::of(b' '));
        }
        // There may be very many bodies.
        body.hunks.shrink_to_fit();
        body
    }
}

impl Open {
    fn is_of_patch(&self) -> bool {
        matches!(self.anchor, Anchor::Seek { .. })
    }

    /// Counts a line with that mark.
    #[inline]
    fn count(&mut self, mark: u8) {
        self.last = mark;
        for (count, side) in self.counted.iter_mut().zip([mark != b'+', mark != b'-']) {
            *count = count.saturating_add(u32::from(side));
        }
    }

    /// Takes the blank lines that turn out to be content of both sides.
    fn take_blanks(&mut self, response: &Response) {
        if !self.blanks.is_empty() {
            self.marks.add(Marks::of(b' '));
            self.lines.push(response, &std::mem::take(&mut self.blanks));
        }
    }

    /// Takes a line; gives what is wrong with it.
    fn read(&mut self, line: Line<'_>, span: Span, response: &Response) -> Option<Box<Diagnostic>> {
        let is_of_patch = self.is_of_patch();
        let blank = line.is_blank() && !(is_of_patch && line.text.starts_with(' '));
        let mark = match line.text.as_bytes().first() {
            _ if blank => b' ',
            Some(&mark @ (b' ' | b'-' | b'+')) => mark,
            Some(b'~') if line.text[1..].bytes().all(is_blank) => return self.omit(span, response),
            Some(b'\\') if line.text.starts_with("\\ ") => return self.end_without_newline(span, response),
            // A context line that lost its mark, or has another blank for it.
            _ => b' ',
        };
        let sides = [mark != b'+', mark != b'-'];
        // Blank lines before this one are of both sides.
        let blanks = !self.blanks.is_empty();
        let mut fault = None;
        if !blank
            && ((self.before_unterminated && (sides[0] || blanks))
                || (self.after_unterminated && (sides[1] || blanks)))
        {
            fault = Some(Box::new(fault::malformed_hunk(span, NO_NEWLINE)));
        }
        self.count(mark);
        let lines = if blank && self.numbers.due(self.counted) != Due::Nothing {
            &mut self.blanks
        } else {
            self.take_blanks(response);
            self.marks.add(Marks::of(mark));
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

    fn omit(&mut self, span: Span, response: &Response) -> Option<Box<Diagnostic>> {
        self.take_blanks(response);
        self.lines.push_str("~\n");
        self.span = self.span.join(span);
        self.last = b'~';
        self.marks.add(Marks::of(b'~'));
        self.omissions.push(span);
        None
    }

    /// The first `~` line with too few removed lines above or below it.
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

    fn end_without_newline(&mut self, span: Span, response: &Response) -> Option<Box<Diagnostic>> {
        self.take_blanks(response);
        self.span = self.span.join(span);
        match self.last {
            b' ' => (self.before_unterminated, self.after_unterminated) = (true, true),
            b'-' => self.before_unterminated = true,
            b'+' => self.after_unterminated = true,
            _ => return Some(Box::new(fault::malformed_hunk(span, NO_NEWLINE))),
        }
        None
    }
}

#[cfg(test)]
mod tests;
