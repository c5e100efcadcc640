//! The text between `<<<` and `>>>` of a `<find>` or `<put>`.
//!
//! The text may contain anything, so it ends at the first `>>>` line that the closing tag follows. Models shorten or
//! lose markers. A shortened marker counts if there is no whole one. A text that runs into the next edit is refused.

use super::{has_payload, starts_edit};
use crate::format::fault::{self, Fault};
use crate::format::scan::{Cursor, Line, Lines, Payload, equals_trimmed, trim, trim_start};
use crate::format::tag::{self, Brackets, Tag};

/// The default opening marker.
pub(super) const OPEN: &str = "<<<";
/// The default closing marker.
const CLOSE: &str = ">>>";
/// The longest payload on one line, in bytes.
const MAX_INLINE: usize = 1 << 16;

/// Reads the payload after a tag and the closing tag, and goes past them. If the payload has no end, goes to the edit
/// that begins inside of it, or to the end of the input.
pub(super) fn read<'r>(
    cursor: &mut Cursor<'r>,
    tag: &Tag<'r>,
    marker: Option<&str>,
) -> Result<Payload<'r>, Fault> {
    let (open, close) = marker.map_or((OPEN, CLOSE), |marker| (marker, marker));
    let help = || {
        format!(
            "put the text between the lines {open} and {close}; text that contains them needs marker=\"@@@\""
        )
    };
    let missing = || fault::missing_field(tag.span, open, &tag.shown()).with_help(help()).into();
    cursor.skip_blank_lines();
    let text = cursor.text();
    let shortened = marker.is_none() && ["<", "<<"].iter().any(|open| equals_trimmed(text, open));
    if !equals_trimmed(text, open) && !shortened {
        return read_inline(cursor, tag.name, open, close).ok_or_else(missing);
    }
    cursor.advance();
    let lines = cursor.lines();
    match find_end(lines.clone(), tag.name, marker) {
        Ok((end, after)) => {
            cursor.go_to(after);
            let mut inside = lines.clone().take_while(|line| line.start < end);
            if shortened && inside.any(|line| equals_trimmed(line.text, OPEN)) {
                return Err(missing());
            }
            Ok(Payload { lines, end })
        }
        Err(next) => Err(tag::unclosed(cursor, tag, next, help())),
    }
}

/// Reads a payload that is on one line with its markers and tags. Blanks next to the markers are refused, because it is
/// unclear whether they are content.
fn read_inline<'r>(cursor: &mut Cursor<'r>, name: &str, open: &str, close: &str) -> Option<Payload<'r>> {
    let line = cursor.line()?;
    let line = line.skip(line.text.strip_prefix(open).map(|_| open.len())?);
    let (length, after) = memchr::memmem::find_iter(line.text.as_bytes(), close)
        .take_while(|&at| at <= MAX_INLINE)
        .find_map(|at| Some((at, after_closing_tag(line.skip(at + close.len()), name)?)))?;
    let text = &line.text[..length];
    if text.is_empty() || trim(text) != text {
        return None;
    }
    cursor.go_to(line);
    let payload = Payload { lines: cursor.lines(), end: line.start + length };
    cursor.go_to(after);
    Some(payload)
}

/// Returns the end of a payload and the rest of the line after the closing tag. If there is no end, returns the next
/// edit if one begins in the payload.
fn find_end<'r>(
    mut lines: Lines<'r>,
    name: &str,
    marker: Option<&str>,
) -> Result<(usize, Line<'r>), Option<Line<'r>>> {
    let mut next_edit = NextEdit::default();
    let mut shortened = None;
    loop {
        if marker.is_none() {
            lines.skip_lines_while(|line| memchr::memchr2(b'<', b'>', line.text.as_bytes()).is_none());
        }
        let Some(line) = lines.next() else { break };
        let marks = trim_start(line.text).bytes().take_while(|&byte| byte == b'>').count();
        if let Some(mark) = marker.or_else(|| CLOSE.get(..marks).filter(|mark| !mark.is_empty()))
            && let Some(after) = after_close(line, &lines, mark, name)
        {
            let close = (line.start, after);
            if marker.is_some() || (marks == CLOSE.len() && (shortened.is_none() || next_edit.edit.is_none()))
            {
                return Ok(close);
            } else if marks == CLOSE.len() {
                // The payload may end here or at the shortened marker above, and another edit begins between them.
                return Err(next_edit.edit);
            } else if next_edit.edit.is_none() {
                shortened.get_or_insert(close);
            }
        }
        // After a shortened marker, the next part of the same edit ends the search, too: no whole marker can follow.
        if marker.is_none()
            && next_edit.opens_with(line, &lines)
            && (next_edit.edit.is_some() || shortened.is_some())
        {
            break;
        }
    }
    shortened.ok_or(next_edit.edit)
}

/// Returns the rest of the line after a closing marker and the closing tag. The tag must be on the same line or be the
/// next text below.
fn after_close<'r>(line: Line<'r>, below: &Lines<'r>, marker: &str, name: &str) -> Option<Line<'r>> {
    let rest = trim_start(line.text).strip_prefix(marker)?;
    let rest = line.skip(line.text.len() - rest.len());
    after_closing_tag(tag::next_text(rest, below)?, name)
}

/// Returns the rest of a line after the closing tag at its start.
fn after_closing_tag<'r>(line: Line<'r>, name: &str) -> Option<Line<'r>> {
    let line = line.trim_start();
    Some(line.skip(tag::closing_length(line.text, name, Brackets::ANGLE)?))
}

/// Recognizes the beginning of another edit in a payload: `<edit …>`, then `<put>` or `<find>`, then `<<<`. It shows
/// that the end of the payload is missing.
#[derive(Default)]
struct NextEdit<'r> {
    /// The rest of the line from the `<edit` tag on.
    edit: Option<Line<'r>>,
    /// Whether a part follows, after the `<edit` tag if there is one.
    part: bool,
}

impl<'r> NextEdit<'r> {
    /// Reads the next line; returns whether it completes the opening of a part, with or without an `<edit` tag before.
    fn opens_with(&mut self, line: Line<'r>, below: &Lines<'r>) -> bool {
        for at in memchr::memchr_iter(b'<', line.text.as_bytes()) {
            let Some((name, false)) = tag::peek(&line.text[at..]) else { continue };
            if has_payload(name) {
                self.part = true;
            } else if self.edit.is_none() && name.eq_ignore_ascii_case("edit") {
                let before = trim(&line.text[..at]);
                let begins = before.is_empty() || before.ends_with('>');
                let next = || below.clone().next().map(|line| line.text);
                self.edit = Some(line.skip(at)).filter(|line| begins && starts_edit(line.text, next));
                self.part &= self.edit.is_none();
            }
        }
        self.part && {
            let text = trim(line.text);
            let before = text.trim_end_matches('<');
            (1..=OPEN.len()).contains(&(text.len() - before.len()))
                && (before.is_empty() || before.ends_with('>'))
        }
    }
}
