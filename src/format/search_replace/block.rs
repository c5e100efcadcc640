//! A block, from its opening to its closing marker.

use super::marker::Marker;
use crate::diag::Code;
use crate::edit::{Anchor, Change, Existing, Hunk, Missing, Op, Unit};
use crate::format::fault::{self, Fault};
use crate::format::fence::{Fence, Pairs, is_markdown, unfence, unfence_all};
use crate::format::scan::{Cursor, Line, Lines, Mark, Payload, trim};
use crate::format::{Output, file, reasoning};
use crate::response::Passage;
use crate::span::Span;
use std::collections::HashMap;

/// Reads the block at the cursor and goes past it. Returns the span of the block and its operation. If the block has no
/// end, goes past the blocks inside of it, to the next opening marker, or to the end of the input.
pub(super) fn read(cursor: &mut Cursor<'_>, out: &mut Output) -> Result<(Span, Op), Fault> {
    let below = cursor.lines();
    let (span, text) = (cursor.line_span(), cursor.text());
    let is_new = Marker::of(text) == Some(Marker::NewFile);
    cursor.advance();
    let start_line = if is_new { None } else { start_line(cursor) };
    let closing = if is_new { Marker::NewFileEnd } else { Marker::Replace };
    let (first, lines, start) = (cursor.mark(), cursor.lines(), cursor.at());
    let extent = Extent::seek(cursor, closing, Some(Marker::length(text))).or_else(|| {
        cursor.reset(first);
        Extent::seek(cursor, closing, None)
    });
    let Some(extent) = extent else {
        let name = if is_new { "NEW_FILE block" } else { "SEARCH block" };
        if skip_nested(cursor, &below, span, out) {
            let span = span.join(cursor.span(start, cursor.at()));
            let fault = fault::unexpected(span, "block", name);
            return Err(fault.with_help("make the markers of the outer block one character longer").into());
        }
        // The path line of the next block is not part of this one.
        let here = cursor.at();
        let is_next = matches!(Marker::of(cursor.text()), Some(Marker::Search | Marker::NewFile));
        let names_file = |line: &Line<'_>| file::path_line(line.text).is_some_and(|path| path.is_sure());
        let inside = lines.take_while(|line| line.start < here);
        if let Some(path) = inside.filter(names_file).last().filter(|_| is_next) {
            cursor.go_to(path);
        }
        return Err(truncated(span.join(cursor.span(start, cursor.at().max(start))), name, below, out));
    };
    let block = span.join(cursor.span_of(extent.end));
    let outer = cursor.fence().filter(|_| extent.has_fences);
    let half = |start, end| Half::of(lines.clone(), start, end, outer);
    if is_new {
        let [text] = texts(cursor, [half(start, extent.end.start)], out)?;
        return Ok((block, Op::Create { text, existing: Existing::Refuse }));
    }
    let (change, creates) = match *extent.dividers {
        [] => return Err(truncated(span, "SEARCH block, without =======", below, out)),
        [(divider, next)] => {
            let halves = [half(start, divider), half(next, extent.end.start)];
            let [before, after] = texts(cursor, halves, out)?;
            // A search text of only blank lines matches nothing.
            let before = if before.is_blank() { Passage::default() } else { before };
            let creates = before.is_empty();
            (Change::Texts { before, after, unit: Unit::Lines }, creates)
        }
        _ => splits(cursor, start, &extent),
    };
    let anchor = match start_line {
        Some(line) => Anchor::Line { old_start: Some(line), new_start: None, section: None },
        None => Anchor::Unique,
    };
    let missing = if creates { Missing::CreateFromAdditions } else { Missing::Refuse };
    let hunks = vec![Hunk { span: block, change, anchor }];
    Ok((block, Op::Modify { hunks, missing }))
}

/// A text of a block: the search text, the replacement, or the content of a new file.
struct Half<'r> {
    payload: Payload<'r>,
    /// The fence lines without a partner that may belong to the fence around the block. [`find_outer_fences`] then
    /// removes those that are content.
    unpaired: Vec<Line<'r>>,
}

impl<'r> Half<'r> {
    /// Creates the half from `start` to `end`. `lines` begin at `start` or above it, and `outer` is the fence around
    /// the block. Fence lines that are shorter than that fence or have another mark are content, and are not paired.
    fn of(mut lines: Lines<'r>, start: usize, end: usize, outer: Option<Fence<'r>>) -> Self {
        lines.skip_lines_while(|line| line.start < start);
        let payload = Payload { lines, end };
        let unpaired = outer.map_or_else(Vec::new, |outer| {
            let may_be_outer =
                |line: &Line<'_>| Fence::of(line.text).is_some_and(|fence| fence.may_close(outer));
            Pairs::of(payload.lines().filter(may_be_outer)).unpaired
        });
        Self { payload, unpaired }
    }

    /// Its text without fence lines that are not content.
    fn text(&self) -> Passage {
        if self.unpaired.is_empty() {
            return self.payload.text();
        }
        let mut text = Passage::default();
        for line in self.payload.lines().filter(|line| !self.unpaired.contains(line)) {
            text.push_line(self.payload.response(), line.start, line.text);
        }
        text.into_lines()
    }
}

/// The texts of the halves of a block, without fence lines that are not content.
fn texts<'r, const N: usize>(
    cursor: &Cursor<'r>,
    mut halves: [Half<'r>; N],
    out: &mut Output,
) -> Result<[Passage; N], Fault> {
    find_outer_fences(cursor, &mut halves, out).map_err(|line| fault::unclear_fence(cursor.span_of(line)))?;
    let (payloads, file) = (halves.each_ref().map(|half| &half.payload), out.file.as_deref().unwrap_or(""));
    if let Some(inner) = unfence_all(payloads, file) {
        return Ok(inner);
    }
    // The fence around the block may belong to its first half only. Then the second half may have a fence of its own.
    let mut is_closed = false;
    Ok(halves.map(|half| {
        let own = if is_closed { unfence(&half.payload, file) } else { None };
        is_closed = half.unpaired.len() == 1;
        own.unwrap_or_else(|| half.text())
    }))
}

/// Removes from `unpaired` the lines that are content. The others close the fence around the block or open it again,
/// and are not content. If it is unclear which they are, returns the first line in doubt.
///
/// In this block, the first half closes the fence around the block, and the second half opens it again:
///
/// ````text
/// ```rust
/// <<<<<<< SEARCH
/// old
/// ```
/// =======
/// ```rust
/// new
/// >>>>>>> REPLACE
/// ```
/// ````
///
/// A fence line without a partner is in doubt if it closes that fence or opens it again, has no info string, is at an
/// edge of its half, or the file is Markdown. Two cases are clear:
/// - The file is not Markdown, and each line in doubt closes the fence at the end of its half, or opens it again at the
///   beginning of its half, as above. These lines are not content.
/// - No line closes the fence, and both halves have the same number of lines in doubt. These lines are content.
fn find_outer_fences<'r>(
    cursor: &Cursor<'r>,
    halves: &mut [Half<'r>],
    out: &mut Output,
) -> Result<(), Line<'r>> {
    let is_markdown = is_markdown(out.file.as_deref().unwrap_or(""));
    let (mut is_closed, mut all_close, mut none_closes) = (false, !is_markdown, halves.len() > 1);
    for half in halves.iter_mut().filter(|half| !half.unpaired.is_empty()) {
        let mut solid = half.payload.lines().filter(|line| !line.is_blank());
        let first = solid.next();
        let edges = [first, solid.last().or(first)];
        half.unpaired.retain(|line| {
            let Some((fence, outer)) = Fence::of(line.text).zip(cursor.fence()) else { return false };
            let is_at_edge = edges.contains(&Some(*line));
            let opens_again = is_closed && (fence.info.is_empty() || fence.info == outer.info);
            let closes = opens_again || cursor.closes_fence(*line);
            let in_doubt = closes || is_markdown || is_at_edge || fence.info.is_empty();
            let edge = edges[usize::from(!opens_again)];
            is_closed ^= closes;
            all_close &= !in_doubt || closes && edge == Some(*line);
            none_closes &= !closes;
            in_doubt
        });
    }
    // The fence may also be closed by the line below the block.
    let below = cursor.lines().find(|line| !line.is_blank());
    out.closed_fence |= is_closed && !below.is_some_and(|line| cursor.closes_fence(line));
    none_closes &= halves.iter().all(|half| half.unpaired.len() == halves[0].unpaired.len());
    match halves.iter().find_map(|half| half.unpaired.first().copied()) {
        Some(first) if !all_close && !none_closes => return Err(first),
        _ if none_closes => halves.iter_mut().for_each(|half| half.unpaired.clear()),
        _ => {}
    }
    Ok(())
}

/// Returns the change of a block with several candidates for the divider, and whether its search text may be empty.
fn splits(cursor: &Cursor<'_>, start: usize, extent: &Extent<'_>) -> (Change, bool) {
    let mut text = Passage::default();
    let mut dividers = Vec::new();
    let mut from = start;
    for &(divider, _) in &extent.dividers {
        text.push_str(&cursor.payload(from, divider));
        dividers.push(text.len());
        from = divider;
    }
    text.push_str(&cursor.payload(from, extent.end.start));
    let first = dividers.first().copied().unwrap_or(0);
    let is_empty = text[..first].trim().is_empty();
    let cut = if is_empty { first } else { 0 };
    dividers.iter_mut().for_each(|divider| *divider -= cut);
    (Change::Splits { lines: text[cut..].into(), dividers }, is_empty)
}

/// Skips the lines `:start_line:N` and `:end_line:N` and a line of dashes below them. Returns the number of the first
/// line.
fn start_line(cursor: &mut Cursor<'_>) -> Option<u32> {
    let mut found = None;
    let mut hinted = false;
    for name in [":start_line:", ":end_line:"] {
        let number = trim(cursor.text()).strip_prefix(name).and_then(|text| trim(text).parse::<u32>().ok());
        if number.is_some() {
            found = found.or(number.filter(|_| name == ":start_line:"));
            hinted = true;
            cursor.advance();
        }
    }
    let dashes = trim(cursor.text());
    if hinted && (5..=9).contains(&dashes.len()) && dashes.bytes().all(|byte| byte == b'-') {
        cursor.advance();
    }
    found
}

/// The extent of a block.
struct Extent<'r> {
    /// The candidates for the divider: the offset of each, and of the line after it.
    dividers: Vec<(usize, usize)>,
    /// The closing marker.
    end: Line<'r>,
    has_fences: bool,
}

impl<'r> Extent<'r> {
    /// Goes past the lines of a block and its closing marker. With `length`, only markers of that length count, so that
    /// a block can contain blocks with other markers. If there is no closing marker, goes to where the block is cut
    /// off, or to the end.
    fn seek(cursor: &mut Cursor<'r>, closing: Marker, length: Option<usize>) -> Option<Self> {
        let (mut dividers, mut has_fences) = (Vec::new(), false);
        // If the block has no end, it is cut off here: at the first opening marker inside of it, or at the end of
        // reasoning. A new file may contain whole blocks, because it may be a text about this format.
        let mut cut_off: Option<Mark<'r>> = None;
        // The extent and the line after it, if a second divider is written instead of the closing marker.
        let mut divider_as_end: Option<(Self, Mark<'r>)> = None;
        while let Some(line) = cursor.line() {
            has_fences |= Fence::of(line.text).is_some();
            let has_length = |_: &Marker| length.is_none_or(|length| Marker::length(line.text) == length);
            match Marker::of(line.text).filter(has_length) {
                Some(marker) if marker == closing => {
                    let is_divided = closing == Marker::NewFileEnd || !dividers.is_empty();
                    if length.is_some() && !is_divided {
                        return None;
                    }
                    cursor.advance();
                    return Some(Self { dividers, end: line, has_fences });
                }
                Some(Marker::Divider) if closing == Marker::Replace => {
                    cursor.advance();
                    let closes = cursor.line().is_some_and(|line| cursor.closes_fence(line));
                    if divider_as_end.is_none() && !dividers.is_empty() && closes {
                        divider_as_end =
                            Some((Self { dividers: dividers.clone(), end: line, has_fences }, cursor.mark()));
                    }
                    dividers.push((line.start, cursor.at()));
                    continue;
                }
                Some(marker @ (Marker::Search | Marker::NewFile)) => {
                    cut_off.get_or_insert(cursor.mark());
                    if marker == Marker::NewFile || closing == Marker::Replace {
                        break;
                    }
                }
                // A block in reasoning ends with the reasoning.
                _ if cut_off.is_none() && reasoning::begins_with_closing(line) => {
                    cut_off = Some(cursor.mark());
                }
                _ => {}
            }
            cursor.advance_past(|line| !Marker::may_be(line.text));
        }
        // Models sometimes write a second divider instead of the closing marker.
        if let Some((extent, after)) = divider_as_end {
            cursor.reset(after);
            return Some(extent);
        }
        if let Some(mark) = cut_off {
            cursor.reset(mark);
        }
        None
    }
}

/// Goes past a block that contains blocks with the same markers. Its end is found by counting the markers. Returns
/// false if the block has no end in the same fence.
fn skip_nested(cursor: &mut Cursor<'_>, below: &Lines<'_>, block: Span, out: &mut Output) -> bool {
    let start = block.start as usize;
    if out.block_ends.0 <= start {
        let (mut open, mut ends, mut known) = (Vec::new(), HashMap::new(), start);
        for line in below.clone().take_while(|line| line.start == start || !cursor.closes_fence(*line)) {
            known = line.next;
            match Marker::of(line.text) {
                Some(Marker::Search | Marker::NewFile) => open.push(line.start),
                Some(Marker::Replace | Marker::NewFileEnd) => {
                    ends.extend(open.pop().map(|opening| (opening, known)));
                }
                _ => {}
            }
        }
        out.block_ends = (known, ends);
    }
    // The next opening marker, where the block was cut off.
    let here = cursor.at();
    let Some(&end) = out.block_ends.1.get(&start).filter(|end| **end > here) else { return false };
    while cursor.at() < end {
        cursor.advance();
    }
    true
}

/// Returns the error about a block that lacks some of its markers. The first such error of a response has the numbers
/// of markers.
fn truncated(span: Span, what: &str, below: Lines<'_>, out: &Output) -> Fault {
    let is_first = !out.script.diagnostics.iter().any(|fault| fault.code == Code::Truncated);
    let mut counts = String::new();
    if is_first {
        let (mut opened, mut closed) = (0, 0);
        for marker in below.filter_map(|line| Marker::of(line.text)) {
            opened += usize::from(matches!(marker, Marker::Search | Marker::NewFile));
            closed += usize::from(matches!(marker, Marker::Replace | Marker::NewFileEnd));
        }
        counts = format!(" (from here on: {opened} opened, {closed} closed)");
    }
    Box::new(fault::unterminated(span, &format!("{what}{counts}")))
}
