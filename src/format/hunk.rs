//! The body of a unified diff of one file: its hunks, however its numbers and headers are.
//!
//! Apart from the formats that carry such bodies. Only `@@` lines and marked lines count: the numbers are kept as a hint
//! for where equal places have to be told apart, and headers are skipped, unless they say what hunks cannot: that the
//! file is removed, moved or another one. A line that is neither is an error, since a hunk of which a part is guessed
//! could change the wrong lines.

mod header;
mod tilde;

use super::fence::Fence;
use super::scan::{Line, is_blank};
use crate::diag::{Code, Diagnostic};
use crate::edit::{Anchor, Change, Hunk};
use crate::span::Span;
use header::{Header, Numbers};
use tilde::Tilde;

/// What a body comes to.
#[derive(Debug, Default)]
pub struct Body {
    /// Its hunks in order. Those that change nothing are left out, unless there are no others.
    pub hunks: Vec<Hunk>,
    /// What is wrong with it, in order.
    pub faults: Vec<Diagnostic>,
}

/// How many faults of one body are reported.
const MAX_FAULTS: usize = 20;

/// Reads the body that these lines of the response with that index are. `path` is the file that it is for; headers of
/// another file are an error.
pub fn read<'r>(lines: impl Iterator<Item = Line<'r>> + Clone, response: u32, path: &str) -> Body {
    let mut reader = Reader {
        response,
        header: Header::new(path),
        fence: None,
        hunk: None,
        begun: false,
        body: Body::default(),
        idle: Vec::new(),
    };
    let mut lines = lines;
    while let Some(line) = lines.next() {
        reader.line(line, &lines);
    }
    reader.finish_hunk();
    let Reader { mut body, idle, .. } = reader;
    if body.hunks.is_empty() {
        body.hunks = idle;
    }
    // There may be very many bodies.
    body.hunks.shrink_to_fit();
    body
}

struct Reader<'r> {
    response: u32,
    header: Header<'r>,
    /// The fence around the lines, while it is open.
    fence: Option<Fence<'r>>,
    /// The hunk that is read; `None` in headers and in what surrounds hunks.
    hunk: Option<Open>,
    /// Whether there was a hunk already.
    begun: bool,
    body: Body,
    /// Hunks that change nothing.
    idle: Vec<Hunk>,
}

/// A hunk as far as it is read.
struct Open {
    span: Span,
    numbers: Numbers,
    /// The text behind the numbers.
    section: Option<String>,
    /// The lines with their marks.
    lines: String,
    /// How many lines of the before- and of the after-text there are.
    counted: [u32; 2],
    /// How much of `lines` is content for certain, since blank lines at a hunk's end are not, and where it ends.
    solid: (usize, u32),
    /// The last line's mark, or 0.
    last: u8,
    before_unterminated: bool,
    after_unterminated: bool,
    changes: bool,
    tilde: Tilde,
    /// Whether a fault was reported that would only come again.
    at_fault: bool,
}

impl<'r> Reader<'r> {
    fn fault(&mut self, fault: Diagnostic) {
        if self.body.faults.len() < MAX_FAULTS {
            self.body.faults.push(fault);
        }
    }

    fn span(&self, line: Line<'_>) -> Span {
        Span::new(self.response, line.start, line.end())
    }

    fn line(&mut self, line: Line<'r>, below: &(impl Iterator<Item = Line<'r>> + Clone)) {
        // Most lines of a hunk can be nothing else.
        if self.hunk.is_some() && line.text.starts_with([' ', '+']) {
            return self.hunk_line(line);
        }
        if self.is_wrapper(line) {
            return;
        }
        if line.text.starts_with("@@") {
            self.finish_hunk();
            self.open_hunk(line);
        } else if self.closes_fence(line) {
            self.finish_hunk();
            self.fence = None;
        } else if header::begins(line, below, self.hunk.as_ref().map(|hunk| (hunk.numbers, hunk.counted))) {
            self.finish_hunk();
            self.header.begin();
            self.header_line(line);
        } else if self.hunk.is_some() {
            self.hunk_line(line);
        } else {
            self.header_line(line);
        }
    }

    /// Whether a line, which has no mark before it, closes the fence around the lines.
    fn closes_fence(&self, line: Line<'_>) -> bool {
        !line.text.starts_with([' ', '\t'])
            && self.fence.is_some_and(|open| Fence::of(line.text).is_some_and(|fence| fence.closes(open)))
    }

    /// Whether a line is one of those that other patch formats put around hunks, and some models here.
    fn is_wrapper(&mut self, line: Line<'_>) -> bool {
        if !line.text.starts_with("***") {
            return false;
        }
        let text = line.text.trim_end();
        if text == "*** Begin Patch" || text == "*** End Patch" {
            return true;
        }
        if !text.starts_with("*** Update File:") {
            return false;
        }
        if self.begun {
            let message = "another file begins within the patch of one";
            self.fault(Diagnostic::error(Code::Malformed, self.span(line), message));
        }
        true
    }

    /// Reads a line that stands in no hunk.
    fn header_line(&mut self, line: Line<'r>) {
        if let Some(fence) = Fence::of(line.text).filter(|_| self.fence.is_none()) {
            self.fence = Some(fence);
        } else if let Some(fault) = self.header.read(line, self.span(line), self.begun) {
            self.fault(fault);
        }
    }

    fn open_hunk(&mut self, line: Line<'_>) {
        let span = self.span(line);
        if line.text.starts_with("@@@") {
            let message = "a combined diff has no single before-text";
            self.fault(
                Diagnostic::error(Code::Malformed, span, message)
                    .with_help("give a diff against the one file as it is now"),
            );
        }
        self.begun = true;
        self.hunk = Some(Open {
            span,
            numbers: Numbers::of(&line.text[2..]),
            section: header::section(&line.text[2..]),
            lines: String::new(),
            counted: [0; 2],
            solid: (0, span.end),
            last: 0,
            before_unterminated: false,
            after_unterminated: false,
            changes: false,
            tilde: Tilde::default(),
            at_fault: false,
        });
    }

    fn hunk_line(&mut self, line: Line<'_>) {
        let span = self.span(line);
        let Some(hunk) = &mut self.hunk else { return };
        let fault = hunk.read(line, span);
        if let Some(fault) = fault.filter(|_| !hunk.at_fault) {
            hunk.at_fault = true;
            self.fault(fault);
        }
    }

    fn finish_hunk(&mut self) {
        let Some(mut hunk) = self.hunk.take() else { return };
        hunk.lines.truncate(hunk.solid.0);
        hunk.lines.shrink_to_fit();
        if let Some(fault) = hunk.tilde.close().filter(|_| !hunk.at_fault) {
            hunk.at_fault = true;
            self.fault(fault);
        }
        if hunk.lines.is_empty() {
            if !hunk.at_fault {
                self.fault(Diagnostic::error(Code::Missing, hunk.span, "this hunk has no lines"));
            }
            return;
        }
        let span = Span { end: hunk.solid.1, ..hunk.span };
        let change = Change::Diff {
            lines: hunk.lines,
            before_unterminated: hunk.before_unterminated,
            after_unterminated: hunk.after_unterminated,
        };
        let Numbers { old, new } = hunk.numbers;
        let anchor = Anchor::Line { old_start: old.start, new_start: new.start, section: hunk.section };
        let hunks = if hunk.changes { &mut self.body.hunks } else { &mut self.idle };
        hunks.push(Hunk { span, change, anchor });
    }
}

impl Open {
    /// Takes a line; gives what is wrong with it.
    fn read(&mut self, line: Line<'_>, span: Span) -> Option<Diagnostic> {
        let (mark, text) = match line.text.as_bytes().first() {
            _ if line.is_blank() => (b' ', line.text.strip_prefix(' ').unwrap_or(line.text)),
            Some(&mark @ (b' ' | b'-' | b'+')) => (mark, &line.text[1..]),
            Some(b'~') if line.text[1..].bytes().all(is_blank) => return self.omit(span),
            Some(b'\\') if line.text.starts_with("\\ ") => return self.end_without_newline(span),
            _ => {
                let message = "a line of a hunk begins with none of the marks \" \", \"-\" and \"+\"";
                return Some(Diagnostic::error(Code::Malformed, span, message).with_help(
                    "put one blank before each line that stays, \"-\" before one that goes, \"+\" before a new one",
                ));
            }
        };
        let solid = mark != b' ' || !line.is_blank();
        let sides = [mark != b'+', mark != b'-'];
        let mut fault = None;
        if solid {
            // Blank lines before this one turn out to be content of both sides.
            let blanks = self.lines.len() > self.solid.0;
            if (self.before_unterminated && (sides[0] || blanks))
                || (self.after_unterminated && (sides[1] || blanks))
            {
                let message = "lines follow the one that is said to be the file's last";
                fault = Some(Diagnostic::error(Code::Malformed, span, message));
            }
        }
        // Of blank lines the mark may have got lost.
        if text.len() == line.text.len() {
            self.lines.push(mark as char);
            self.lines.push_str(text);
        } else {
            self.lines.push_str(line.text);
        }
        self.lines.push('\n');
        for (count, side) in self.counted.iter_mut().zip(sides) {
            *count = count.saturating_add(u32::from(side));
        }
        if solid || self.numbers.are(self.counted) {
            self.solid = (self.lines.len(), span.end);
        }
        self.last = mark;
        self.changes |= mark != b' ';
        self.tilde.line(mark).or(fault)
    }

    fn omit(&mut self, span: Span) -> Option<Diagnostic> {
        self.lines.push_str("~\n");
        self.solid = (self.lines.len(), span.end);
        self.last = b'~';
        self.changes = true;
        self.tilde.omit(span)
    }

    fn end_without_newline(&mut self, span: Span) -> Option<Diagnostic> {
        self.solid = (self.lines.len(), span.end);
        match self.last {
            b' ' => (self.before_unterminated, self.after_unterminated) = (true, true),
            b'-' => self.before_unterminated = true,
            b'+' => self.after_unterminated = true,
            _ => {
                let message = "no line stands before this one, which is about it";
                return Some(Diagnostic::error(Code::Malformed, span, message));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
