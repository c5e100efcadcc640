//! The text between `<<<` and `>>>` of a `<find>` or `<put>`, and where it ends.
//!
//! The text may hold anything, so its end is a `>>>` line followed by the closing tag. Both marks get lost in practice:
//! a shortened one counts where no whole one is, and a text that runs on into the next edit is never taken.

use super::{is_child, starts_edit};
use crate::diag::{Code, Diagnostic};
use crate::format::scan::{
    Cursor, Line, Lines, is_blank, is_text, starts_with_ignore_case, trim, trim_start,
};
use crate::format::tag;
use crate::response::Passage;
use crate::span::Span;

/// What opens a payload unless `marker=` says otherwise.
pub(super) const OPEN: &str = "<<<";
/// What closes it.
const CLOSE: &str = ">>>";

/// A payload that was found whole.
#[derive(Debug)]
pub(super) struct Payload {
    /// Its lines, each ended by `\n`.
    pub(super) text: Passage,
    /// Where they are, without the markers.
    pub(super) span: Span,
}

/// Why there is no payload.
#[derive(Debug)]
pub(super) struct Fault {
    /// What is wrong.
    pub(super) diagnostic: Box<Diagnostic>,
    /// Where the text begins that does not end, or not in its edit, so that other edits may stand in it; the cursor
    /// stands after what ends it by its form, or at the end. `None` if there are no markers; then the cursor stands
    /// where the opening one should.
    pub(super) unended: Option<usize>,
}

/// Reads a payload and its closing tag and goes after them. The cursor stands after the opening tag, which has that
/// name and begins at `start`, and whose `marker` is given.
pub(super) fn read(
    cursor: &mut Cursor<'_>,
    name: &'static str,
    start: usize,
    marker: Option<&str>,
) -> Result<Payload, Fault> {
    let (open, close) = marker.map_or((OPEN, CLOSE), |marker| (marker, marker));
    let tag_end = cursor.at();
    cursor.skip_blank_lines();
    let text = cursor.text();
    let shortened = marker.is_none() && (is_text(text, "<") || is_text(text, "<<"));
    if !is_text(text, open) && !shortened {
        if let Some(payload) = read_inline(cursor, name, open, close) {
            return Ok(payload);
        }
        let message = format!("the text of <{name}> does not begin with a line that is {open}");
        let fault = Diagnostic::error(Code::Missing, cursor.span(start, tag_end), message);
        let help = format!("put the text between a line {open} and a line {close}");
        return Err(Fault { diagnostic: Box::new(fault.with_help(help)), unended: None });
    }
    let opening = cursor.span(start, cursor.line().map_or(tag_end, Line::end));
    cursor.advance();
    let first = cursor.at();
    let (message, formal_end) = match find_end(cursor.lines(), name, marker, true) {
        End::Closed(end) => {
            let text = cursor.payload(first, end.start);
            let both = shortened && text.lines().any(|line| trim(line) == OPEN);
            if !both {
                let span = cursor.span(first, end.start);
                cursor.go_to(end.after);
                return Ok(Payload { text, span });
            }
            (format!("the text of <{name}> begins with a shortened {OPEN} and holds a whole one"), Some(end))
        }
        End::Swallows(end) => (format!("the text of <{name}> runs on into another edit"), end),
        End::Open => (format!("the text of <{name}> is never closed"), None),
    };
    match formal_end {
        Some(end) => cursor.go_to(end.after),
        None => cursor.go_to_end(),
    }
    let help = match marker {
        None => "close it with a line >>> before the closing tag; if it is meant to hold such lines, set \
                 marker=\"@@@\" on its tag and begin and end it with that"
            .to_owned(),
        Some(marker) => format!("close it with a line {marker} before the closing tag"),
    };
    let fault = Diagnostic::error(Code::Truncated, opening, message).with_help(help);
    Err(Fault { diagnostic: Box::new(fault), unended: Some(first) })
}

/// Goes after the payload of an edit that is at fault already, if one begins here. Gives where its text begins if other
/// edits may stand in it. A shortened marker does not end it, so that nothing is read twice.
pub(super) fn skip(cursor: &mut Cursor<'_>, name: &str, marker: Option<&str>) -> Option<usize> {
    cursor.skip_blank_lines();
    let text = cursor.text();
    let opens = match marker {
        Some(marker) => is_text(text, marker),
        None => [OPEN, "<<", "<"].iter().any(|open| is_text(text, open)),
    };
    if !opens {
        return None;
    }
    cursor.advance();
    let first = cursor.at();
    let (end, unended) = match find_end(cursor.lines(), name, marker, false) {
        End::Closed(end) => (Some(end), None),
        End::Swallows(end) => (end, Some(first)),
        End::Open => (None, Some(first)),
    };
    match end {
        Some(end) => cursor.go_to(end.after),
        None => cursor.go_to_end(),
    }
    unended
}

/// The longest text that is looked for between markers in one line, in bytes.
const MAX_INLINE: usize = 1 << 16;

/// A payload that stands with both its markers and its tags in one line, without blanks beside the markers (which
/// might or might not be meant).
fn read_inline(cursor: &mut Cursor<'_>, name: &str, open: &str, close: &str) -> Option<Payload> {
    let line = cursor.line()?;
    let text = line.text.strip_prefix(open)?;
    let (length, after) = memchr::memchr_iter(close.bytes().next()?, text.as_bytes())
        .take_while(|&at| at <= MAX_INLINE)
        .find_map(|at| {
            let rest = text.get(at..)?.strip_prefix(close)?;
            Some((at, after_closing_tag(line.skip(line.text.len() - rest.len()), name)?))
        })?;
    let text = &text[..length];
    if text.is_empty() || trim(text) != text {
        return None;
    }
    let start = line.start + open.len();
    let payload = Payload { text: format!("{text}\n").into(), span: cursor.span(start, start + length) };
    cursor.go_to(after);
    Some(payload)
}

/// Where a payload ends.
enum End<'r> {
    Closed(Close<'r>),
    /// Where it would end by its form, there is another edit in it.
    Swallows(Option<Close<'r>>),
    Open,
}

/// A closing marker and tag.
#[derive(Clone, Copy)]
struct Close<'r> {
    /// Where the marker's line begins.
    start: usize,
    /// What follows the tag in its line.
    after: Line<'r>,
}

/// The end of a payload; `heal` says whether a shortened marker may be it.
fn find_end<'r>(mut lines: Lines<'r>, name: &str, marker: Option<&str>, heal: bool) -> End<'r> {
    let Some(marker) = marker else { return find_marker_end(lines, name, heal) };
    while let Some(line) = lines.next() {
        if let Some(after) = after_close(line, &lines, marker, name) {
            return End::Closed(Close { start: line.start, after });
        }
    }
    End::Open
}

/// The end of a payload in `<<<` and `>>>`, in one pass that goes no further than it must.
fn find_marker_end<'r>(mut lines: Lines<'r>, name: &str, heal: bool) -> End<'r> {
    let mut order = Order::default();
    let mut shortened = None;
    let mut swallows = false;
    loop {
        if order.child == Child::Elsewhere {
            lines.pass(|line| memchr::memchr2(b'<', b'>', line.text.as_bytes()).is_none());
        }
        let Some(line) = lines.next() else { break };
        if line.first_byte() == Some(b'>') {
            let marks = trim(line.text).bytes().take_while(|&byte| byte == b'>').count();
            let mark =
                CLOSE.get(..marks).filter(|_| marks == 3 || (heal && !swallows && order.is_untouched()));
            if let Some(after) = mark.and_then(|mark| after_close(line, &lines, mark, name)) {
                let close = Close { start: line.start, after };
                if marks < 3 {
                    shortened = shortened.or(Some(close));
                } else if swallows || order.is_restarted() || (shortened.is_some() && order.lost >= 3) {
                    return End::Swallows(Some(close));
                } else {
                    return End::Closed(close);
                }
            }
        }
        if !swallows && order.is_lost_after(line.text) {
            if let Some(close) = shortened {
                return End::Closed(close);
            }
            swallows = true;
        }
    }
    match shortened {
        Some(close) => End::Closed(close),
        None if swallows => End::Swallows(None),
        None => End::Open,
    }
}

/// Whether what begins with `<` may be one of the tags that matter: `edit`, `find` or `put`. Code is full of others.
fn is_candidate(tag: &[u8]) -> bool {
    let name = if tag.get(1) == Some(&b'/') { tag.get(2) } else { tag.get(1) };
    name.is_some_and(|byte| matches!(byte | 0x20, b'e' | b'f' | b'p'))
}

/// What follows a closing marker and the closing tag: the tag stands in the marker's line or is the next text.
fn after_close<'r>(line: Line<'r>, below: &Lines<'r>, marker: &str, name: &str) -> Option<Line<'r>> {
    let rest = trim_start(line.text).strip_prefix(marker)?;
    let rest = line.skip(line.text.len() - rest.len());
    if rest.is_blank() {
        after_closing_tag(below.clone().find(|line| !line.is_blank())?, name)
    } else {
        after_closing_tag(rest, name)
    }
}

/// What follows the closing tag with which a line begins.
fn after_closing_tag<'r>(line: Line<'r>, name: &str) -> Option<Line<'r>> {
    let text = trim_start(line.text).strip_prefix("</")?;
    if !starts_with_ignore_case(text, name) {
        return None;
    }
    let rest = trim_start(&text[name.len()..]).strip_prefix('>')?;
    Some(line.skip(line.text.len() - rest.len()))
}

/// Watches the lines of a payload for signs that its end was lost and the next edit stands in it.
#[derive(Default)]
struct Order {
    /// How much of this was seen in order: `</put>` or `</find>`, `</edit>`, `<edit …>`, `<put>` or `<find>`, `<<<`.
    lost: u8,
    /// How much of this: a line that begins with `<edit …>`, `<put>` or `<find>`, `<<<`, and no closing tag of these
    /// since: the model broke off and began anew, and what comes next closes the new edit's text.
    restarted: u8,
    /// What a `<put>` or `<find>` left open.
    child: Child,
}

/// Where the last line ended.
#[derive(Default, PartialEq)]
enum Child {
    #[default]
    Elsewhere,
    /// Within the tag of a `<put>` or `<find>`.
    InTag,
    /// After it, so that even a shortened marker is one.
    AfterTag,
}

impl Order {
    /// Whether nothing of the order was seen.
    fn is_untouched(&self) -> bool {
        self.lost == 0 && self.restarted < 3
    }

    fn is_restarted(&self) -> bool {
        self.restarted == 3
    }

    /// Takes in the next line; whether the end was lost.
    fn is_lost_after(&mut self, text: &str) -> bool {
        let Some(first) = memchr::memchr(b'<', text.as_bytes()) else {
            match self.child {
                Child::Elsewhere => {}
                Child::InTag => self.end_tag(text),
                Child::AfterTag if text.bytes().all(is_blank) => {}
                Child::AfterTag => self.child = Child::Elsewhere,
            }
            return false;
        };
        let after_tag = self.child == Child::AfterTag;
        if is_text(text, OPEN) || (after_tag && (is_text(text, "<") || is_text(text, "<<"))) {
            self.opening_marker();
        } else if self.child == Child::InTag {
            self.end_tag(text);
        }
        self.child = Child::Elsewhere;
        let begins_line = text.len() - trim_start(text).len() == first;
        let mut child = None;
        for at in memchr::memchr_iter(b'<', &text.as_bytes()[first..]) {
            let tag = &text[first + at..];
            if !is_candidate(tag.as_bytes()) {
                continue;
            }
            let Some((name, closing)) = tag::peek(tag) else { continue };
            let (is_edit, is_child) = (name.eq_ignore_ascii_case("edit"), is_child(name));
            if closing && is_child {
                self.lost = self.lost.max(1);
                self.restarted = 0;
            } else if closing {
                self.lost += u8::from(self.lost == 1 && is_edit);
            } else if is_edit {
                self.lost += u8::from(self.lost == 2);
                if self.restarted == 0 && at == 0 && begins_line && starts_edit(tag, Some("")) {
                    self.restarted = 1;
                }
            } else if is_child {
                self.lost += u8::from(self.lost == 3);
                self.restarted += u8::from(self.restarted == 1);
                child = Some(tag);
            }
        }
        if let Some(tag) = child {
            self.end_tag(tag);
        }
        self.lost == 5
    }

    /// Takes in the rest of a `<put>` or `<find>` tag's line.
    fn end_tag(&mut self, text: &str) {
        self.child = match text.split_once('>') {
            None => Child::InTag,
            Some((_, rest)) if is_text(rest, "") => Child::AfterTag,
            Some((_, rest)) => {
                if [OPEN, "<<", "<"].iter().any(|marker| is_text(rest, marker)) {
                    self.opening_marker();
                }
                Child::Elsewhere
            }
        };
    }

    fn opening_marker(&mut self) {
        self.lost += u8::from(self.lost == 4);
        self.restarted += u8::from(self.restarted == 2);
    }
}

/// Goes after the text that begins with a bare `<<<` line here: after the first `>>>` line that a closing tag of any
/// name follows, or to the end.
pub(super) fn skip_bare(cursor: &mut Cursor<'_>) {
    let mut lines = cursor.lines().skip(1);
    let end = loop {
        match lines.next() {
            None => break None,
            Some(line) if is_text(line.text, CLOSE) => match lines.find(|line| !line.is_blank()) {
                Some(next) if trim_start(next.text).starts_with("</") => {
                    break Some(next);
                }
                _ => {}
            },
            Some(_) => {}
        }
    };
    match end {
        Some(line) => cursor.go_to(line),
        None => cursor.go_to_end(),
    }
}
