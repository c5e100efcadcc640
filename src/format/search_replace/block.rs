//! One block: from its opening marker to its closing one.

use super::marker::Marker;
use crate::diag::{Code, Diagnostic};
use crate::edit::{Anchor, Change, Edit, Existing, Hunk, Missing, Op, Script, Unit};
use crate::format::FormatId;
use crate::format::fence::Fence;
use crate::format::scan::{Cursor, Line, Lines, Mark, trim};
use crate::response::Passage;
use crate::span::Span;

/// A block that was read whole.
pub(super) struct Block {
    /// From its opening marker to its closing one.
    pub(super) span: Span,
    pub(super) op: Op,
}

/// What stands between the markers.
#[derive(Default)]
struct Payload {
    /// The lines; those before the divider if there is one.
    text: Passage,
    /// The lines behind the first divider.
    after: Option<Passage>,
    /// Offsets of the dividers in `text`, which then holds all lines, if there are several.
    dividers: Vec<usize>,
    /// The line that the model says its SEARCH text begins at.
    start_line: Option<u32>,
}

impl Block {
    /// Reads the block at whose opening marker the cursor stands, and goes after it; where it has no end, to the next
    /// opening one, or to the end of the input or of reasoning.
    pub(super) fn read(cursor: &mut Cursor<'_>, script: &Script) -> Result<Self, Box<Diagnostic>> {
        let Some(opening) = cursor.line() else {
            return Err(Box::new(Diagnostic::error(Code::Truncated, cursor.span(0, 0), "there is no block")));
        };
        let from_here = cursor.lines();
        let span = cursor.span(opening.start, opening.end());
        let is_new = Marker::of(opening.text) == Some(Marker::NewFile);
        let (name, closing) =
            if is_new { ("NEW_FILE", Marker::NewFileEnd) } else { ("SEARCH", Marker::Replace) };
        let truncated = |message: String, help: &str| {
            Err(Box::new(Diagnostic::error(Code::Truncated, span, message).with_help(help)))
        };
        cursor.advance();
        let payload = if is_new { Payload::default() } else { read_hints(cursor) };
        let Some((payload, end)) = read_payload(cursor, payload, closing, Marker::length(opening.text))
        else {
            let counts = counts(from_here, script, is_new);
            let lines = cursor.response().lines_of(cursor.span(opening.start, cursor.at()));
            let are = if lines.first == lines.last { "is" } else { "are" };
            let message = format!("this {name} block is not closed{counts}; {lines} {are} not taken");
            return truncated(message, "give the block once more, with its closing marker");
        };
        let block = span.join(end);
        if is_new {
            let op = Op::Create { text: payload.text, existing: Existing::Refuse };
            return Ok(Self { span: block, op });
        }
        let start_line = payload.start_line;
        let Some(change) = payload.change() else {
            let counts = counts(from_here, script, is_new);
            let message = format!("this SEARCH block has no ======= between its texts{counts}");
            return truncated(message, "put ======= between the lines to find and the lines to put there");
        };
        let anchor = match start_line {
            Some(line) => Anchor::Line { old_start: Some(line), new_start: None, section: None },
            None => Anchor::Unique,
        };
        let missing = if may_create(&change) { Missing::CreateFromAdditions } else { Missing::Refuse };
        let hunks = vec![Hunk { span: block, change, anchor }];
        Ok(Self { span: block, op: Op::Modify { hunks, missing } })
    }
}

impl Payload {
    /// The texts; `None` without a divider.
    fn change(self) -> Option<Change> {
        // Blank lines alone find nothing.
        if let Some(after) = self.after {
            let before = if self.text.is_blank() { Passage::default() } else { self.text };
            return Some(Change::Texts { before, after, unit: Unit::Lines });
        }
        let first = *self.dividers.first()?;
        let cut = if self.text[..first].trim().is_empty() { first } else { 0 };
        let dividers = self.dividers.iter().map(|divider| divider - cut).collect();
        Some(Change::Splits { lines: self.text[cut..].into(), dividers })
    }

    /// Takes in the lines from `start` to `end`; between them stand these dividers, each with where the
    /// line after it begins.
    fn fill(&mut self, cursor: &Cursor<'_>, start: usize, dividers: &[(usize, usize)], end: usize) {
        match *dividers {
            [] => self.text = cursor.payload(start, end),
            [(divider, next)] => {
                self.text = cursor.payload(start, divider);
                self.after = Some(cursor.payload(next, end));
            }
            _ => {
                let mut from = start;
                for &(divider, _) in dividers {
                    self.text.push_str(&cursor.payload(from, divider));
                    self.dividers.push(self.text.len());
                    from = divider;
                }
                self.text.push_str(&cursor.payload(from, end));
            }
        }
    }
}

/// Whether there is a reading without a SEARCH text.
fn may_create(change: &Change) -> bool {
    match change {
        Change::Texts { before, .. } => before.is_empty(),
        Change::Splits { dividers, .. } => dividers.first() == Some(&0),
        Change::Diff { .. } => false,
    }
}

/// Goes over `:start_line:N` and its like, and the line of dashes behind them.
fn read_hints(cursor: &mut Cursor<'_>) -> Payload {
    let mut payload = Payload::default();
    let mut hinted = false;
    for name in [":start_line:", ":end_line:"] {
        let number = trim(cursor.text()).strip_prefix(name).and_then(|text| trim(text).parse::<u32>().ok());
        if let Some(number) = number {
            if name == ":start_line:" {
                payload.start_line = Some(number);
            }
            hinted = true;
            cursor.advance();
        }
    }
    let dashes = trim(cursor.text());
    if hinted && (5..=9).contains(&dashes.len()) && dashes.bytes().all(|byte| byte == b'-') {
        cursor.advance();
    }
    payload
}

/// Reads the lines up to the closing marker and goes after it; gives them and where the marker is. `None` if another
/// block opens before it, or there is none.
///
/// Where a divider and an end follow that are as long as the opening marker, others between are lines of the texts. So a
/// block can hold blocks.
fn read_payload(
    cursor: &mut Cursor<'_>,
    mut payload: Payload,
    closing: Marker,
    length: usize,
) -> Option<(Payload, Span)> {
    let start = cursor.mark();
    let first = cursor.at();
    let mut extent = Extent::seek(cursor, closing, Some(length));
    if extent.is_none() {
        cursor.reset(start);
        extent = Extent::seek(cursor, closing, None);
    }
    let Extent { mut dividers, end } = extent?;
    // In a new file they divide nothing.
    if closing == Marker::NewFileEnd {
        dividers.clear();
    }
    payload.fill(cursor, first, &dividers, end.start);
    Some((payload, cursor.span(end.start, end.end())))
}

/// Where the lines of a block end.
struct Extent<'r> {
    /// The lines that may divide it: where each begins, and the line after it.
    dividers: Vec<(usize, usize)>,
    /// The line that ends it.
    end: Line<'r>,
}

impl<'r> Extent<'r> {
    /// Goes over the lines of a block and its end; with `length`, only marker lines of that length count. Without an end
    /// it goes to what cuts the block off.
    fn seek(cursor: &mut Cursor<'r>, closing: Marker, length: Option<usize>) -> Option<Self> {
        let mut dividers = Vec::new();
        // A new file may hold whole blocks of the other kind: a text about this format.
        let mut cut_off: Option<Mark<'r>> = None;
        let mut in_place: Option<(Self, Mark<'r>)> = None;
        while let Some(line) = cursor.line() {
            let counts = |_: &Marker| length.is_none_or(|length| Marker::length(line.text) == length);
            match Marker::of(line.text).filter(counts) {
                Some(marker) if marker == closing => {
                    let divided = closing == Marker::NewFileEnd || !dividers.is_empty();
                    if length.is_some() && !divided {
                        return None;
                    }
                    cursor.advance();
                    return Some(Self { dividers, end: line });
                }
                Some(Marker::Divider) => {
                    cursor.advance();
                    if in_place.is_none() && !dividers.is_empty() && closes_fence(cursor) {
                        in_place = Some((Self { dividers: dividers.clone(), end: line }, cursor.mark()));
                    }
                    dividers.push((line.start, cursor.at()));
                    continue;
                }
                Some(marker) if marker.opens() => {
                    cut_off.get_or_insert(cursor.mark());
                    if marker == Marker::NewFile || closing == Marker::Replace {
                        break;
                    }
                }
                _ if cut_off.is_none() && cursor.may_be_reasoning() && cursor.reasoning_end().is_some() => {
                    cut_off = Some(cursor.mark());
                }
                _ => {}
            }
            cursor.advance_past(|line| !Marker::may_be(line.text));
        }
        // Models end a block with one more divider now and then.
        if let Some((extent, behind)) = in_place.filter(|_| closing == Marker::Replace) {
            cursor.reset(behind);
            return Some(extent);
        }
        if let Some(mark) = cut_off {
            cursor.reset(mark);
        }
        None
    }
}

/// Whether the fence that the block stands in is closed by the line here.
fn closes_fence(cursor: &Cursor<'_>) -> bool {
    let closing = Fence::of(cursor.text());
    cursor.fence().zip(closing).is_some_and(|(open, closing)| closing.closes(open))
}

/// How many markers there are, for the first block that has not all of its own; `below` are the lines from it on.
fn counts(below: Lines<'_>, script: &Script, is_new: bool) -> String {
    if script.diagnostics.iter().any(|fault| fault.code == Code::Truncated) {
        return String::new();
    }
    let is_same = |edit: &&Edit| {
        edit.format == FormatId::SearchReplace && matches!(edit.op, Op::Create { .. }) == is_new
    };
    let whole = script.edits.iter().filter(is_same).count();
    let (open, close) =
        if is_new { (Marker::NewFile, Marker::NewFileEnd) } else { (Marker::Search, Marker::Replace) };
    let (mut opened, mut closed) = (whole, whole);
    for marker in below.filter_map(|line| Marker::of(line.text)) {
        opened += usize::from(marker == open);
        closed += usize::from(marker == close);
    }
    if is_new {
        format!(" ({opened} opened, {closed} closed in the response)")
    } else {
        format!(" ({opened} SEARCH, {closed} REPLACE in the response)")
    }
}
