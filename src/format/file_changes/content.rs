//! The content of a directive: where it ends, the fence around it, and the `<why>` before it.
//!
//! Content is not escaped, so it may contain closing tags. The content ends at a closing tag at the start of a line, or
//! before text that can only follow a directive. Content that runs into another directive is refused. Content in a
//! fence is refused if it is unclear which lines belong to the file.

use super::TagKind;
use super::directive::Directive;
use crate::format::fault::{self, Fault};
use crate::format::fence::{Fence, LONG, Pairs, is_markdown, says_markdown, unfence};
use crate::format::scan::{Cursor, Line, Lines, Payload, is_blank, starts_with_ignore_case, trim};
use crate::format::tag::{self, Brackets, Kind, Tag};
use crate::response::Passage;

/// The lengths of fences in which even tags of this format are content. Fences of three marks are too common: if one
/// has no closing line, the fence of the next directive would close it.
pub(super) const LONG_FENCE: std::ops::RangeInclusive<usize> = LONG..=32;

/// The greatest indentation of the tags of a patch. If the opening tag is indented more, the closing tag must be at the
/// start of its line. There must be few possible indentations, because the response may be searched once for each.
const MAX_INDENT: usize = 3;

/// The content of a directive.
#[derive(Clone, Debug)]
pub(super) struct Content<'r> {
    pub(super) payload: Payload<'r>,
    /// Whether it begins on the line of the opening tag.
    inline: bool,
    /// The text of `<why>`.
    pub(super) why: Option<String>,
}

impl<'r> Content<'r> {
    /// Returns its text for a file, without the fence around it, and with each line ending with `\n`.
    pub(super) fn text(&self, cursor: &Cursor<'r>, path: &str) -> Result<Passage, Fault> {
        if self.inline {
            return Ok(self.payload.text());
        }
        if let Some(text) = unfence(&self.payload, path) {
            return Ok(text);
        }
        let span = self.payload.span();
        let (start, written) = (span.start as usize, cursor.response().slice(span).trim_end());
        let last = written.rsplit('\n').next().unwrap_or(written);
        let end = start + written.len();
        let last_span = cursor.span(end - last.len(), end);
        if written.len() >= "</why>".len() && trim(last).to_ascii_lowercase().ends_with("</why>") {
            let help = "put <why> before the content; put content that ends with it in a code fence";
            return Err(fault::unexpected(last_span, "`<why>`", "content").with_help(help).into());
        }
        let opening = self.payload.first().and_then(|line| Some((line, Fence::of(line.text)?)));
        let unclear = if is_markdown(path) {
            // It is unclear whether a `markdown` fence is around everything or ends at the first fence line without an
            // info string.
            let is_bare = Fence::of(last).is_some_and(|fence| fence.info.is_empty());
            opening.filter(|(_, fence)| is_bare && says_markdown(fence.info)).map(|(line, _)| line)
        } else if opening.is_none() && Fence::of(last).is_none() {
            None
        } else {
            let unpaired = Pairs::of(self.payload.lines()).unpaired;
            let opening = opening.map(|(line, _)| line);
            if let Some(line) = opening.filter(|line| unpaired.contains(line)) {
                return Err(fault::unterminated(cursor.span(line.start, line.end()), "fence").into());
            }
            opening.or(unpaired.last().copied().filter(|line| line.end() >= end))
        };
        if let Some(line) = unclear {
            return Err(fault::unclear_fence(cursor.span(line.start, line.end())).into());
        }
        Ok(self.payload.text())
    }
}

/// The rules for where the closing tag of a directive may be.
#[derive(Clone, Copy)]
struct Closing<'r> {
    brackets: Brackets,
    /// The name of the directive's tag.
    name: &'r str,
    is_patch: bool,
    /// The indentation of the opening tag, at most [`MAX_INDENT`]. The closing tag of a patch must have this
    /// indentation or none, because a blank may be the mark of a context line.
    indent: usize,
}

impl Closing<'_> {
    /// Whether a line may contain a tag that matters. This is a fast check.
    fn may_have_tag(self, line: &str) -> bool {
        memchr::memchr(b'<', line.as_bytes()).is_some()
            || (self.brackets == Brackets::SQUARE && line.starts_with(Brackets::SQUARE.open))
    }

    /// Returns the text of a line without its indentation; `None` if a tag of this directive must not have that
    /// indentation.
    fn text_of(self, line: &str) -> Option<&str> {
        let blanks = line.bytes().take_while(|&byte| is_blank(byte)).count();
        let is_angle = self.brackets == Brackets::ANGLE;
        let allowed = blanks == 0 || is_angle && (!self.is_patch || blanks == self.indent);
        allowed.then(|| &line[blanks..])
    }

    /// The length of the closing tag at the start of a text.
    fn length(self, text: &str) -> Option<usize> {
        let length = tag::closing_length(text, self.name, self.brackets)?;
        let alone = self.brackets == Brackets::ANGLE || tag::only_tags_follow(&text[length..], self.brackets);
        alone.then_some(length)
    }

    /// Returns the end of the content and the rest of the line after the closing tag, if the closing tag is in this
    /// line. `inline`: the line is the rest of the opening tag's line.
    fn find<'r>(self, line: Line<'r>, below: &Lines<'r>, inline: bool) -> Option<(usize, Line<'r>)> {
        if let Some(text) = self.text_of(line.text)
            && let Some(length) = self.length(text)
        {
            let after = match self.brackets {
                Brackets::SQUARE => line.text.len(),
                _ => line.text.len() - text.len() + length,
            };
            return Some((line.start, line.skip(after)));
        }
        if self.brackets == Brackets::SQUARE {
            return None;
        }
        tag::closings(line, self.name, self.brackets).find_map(|(at, rest)| {
            // In a patch, a line may contain any of these tags as content.
            let ends = match tag::next_text(rest, below) {
                Some(_) if inline && rest.is_blank() => true,
                Some(next) if next.start > rest.start => self.text_of(next.text).is_some_and(may_follow),
                Some(next) => (inline || !self.is_patch) && may_follow(next.trimmed()),
                None => true,
            };
            ends.then_some((line.start + at, rest))
        })
    }
}

/// Whether a text can only follow a directive.
fn may_follow(text: &str) -> bool {
    matches!(TagKind::of(text), Some(TagKind::EnvelopeEnd | TagKind::Directive(_)))
}

/// Returns the end of the content and the rest of the line after the closing tag. If there is no closing tag, returns
/// the line where the next directive begins or the envelope ends.
fn find_end<'r>(
    mut lines: Lines<'r>,
    closing: Closing<'_>,
    mut inline: bool,
) -> Result<(usize, Line<'r>), Option<Line<'r>>> {
    if let Some(end) = find_end_after_long_fence(lines.clone(), closing) {
        return Ok(end);
    }
    let mut envelope_end = None;
    loop {
        if !inline {
            // Most lines have no tag.
            lines.skip_lines_while(|line| !closing.may_have_tag(line.text));
        }
        let Some(line) = lines.next() else { return Err(envelope_end) };
        if closing.may_have_tag(line.text) {
            if let Some(end) = closing.find(line, &lines, inline) {
                return Ok(end);
            }
            if let Some(text) = closing.text_of(line.text).filter(|_| !inline) {
                if TagKind::cuts_off(text, closing.brackets) {
                    return Err(envelope_end.or(Some(line)));
                }
                if TagKind::of(text) == Some(TagKind::EnvelopeEnd) {
                    envelope_end.get_or_insert(line);
                }
            }
        }
        inline = false;
    }
}

/// Does the same for content in a long fence, if no fence line inside of it is as long.
fn find_end_after_long_fence<'r>(mut lines: Lines<'r>, closing: Closing<'_>) -> Option<(usize, Line<'r>)> {
    let first = lines.find(|line| !line.is_blank())?;
    let open =
        Fence::of(first.text).filter(|fence| LONG_FENCE.contains(&fence.length) && !closing.is_patch)?;
    let end = lines.find_map(|line| Fence::of(line.text).filter(|fence| fence.may_close(open)))?;
    let line = lines.find(|line| !line.is_blank()).filter(|_| end.closes(open))?;
    closing.text_of(line.text).and_then(|text| closing.length(text))?;
    closing.find(line, &lines, false)
}

/// Reads the content after a tag and the closing tag, and goes past them. If there is no closing tag, goes to the next
/// directive, the end of the envelope or the end of the input. A self-closed tag has no content.
pub(super) fn read<'r>(
    cursor: &mut Cursor<'r>,
    tag: &Tag<'r>,
    directive: Directive,
    indent: usize,
) -> Result<Content<'r>, Fault> {
    if tag.kind == Kind::SelfClosed {
        let payload = Payload { lines: cursor.lines(), end: 0 };
        return Ok(Content { payload, inline: false, why: None });
    }
    let rest = trim(cursor.text());
    let is_alone = tag.brackets == Brackets::ANGLE || rest.is_empty() || !tag.is_whole;
    let why = read_why(cursor, tag);
    let mut inline = tag.is_whole;
    if cursor.line().is_some_and(Line::is_blank) {
        cursor.advance();
        inline = false;
    }
    let (lines, is_patch) = (cursor.lines(), directive == Directive::Patch);
    let indent = if indent <= MAX_INDENT { indent } else { 0 };
    let closing = Closing { brackets: tag.brackets, name: tag.name, is_patch, indent };
    match find_end(lines.clone(), closing, inline) {
        Ok((end, after)) => {
            cursor.go_to(after);
            if !is_alone {
                return Err(fault::unexpected(tag.span, "text", &tag.shown()).into());
            }
            Ok(Content { payload: Payload { lines, end }, inline, why: why? })
        }
        Err(next) => {
            let Brackets { open, close } = tag.brackets;
            let help = format!(
                "close it with a line {open}/{}{close}; content that has such lines needs a code fence of four or more backquotes",
                tag.name
            );
            Err(tag::unclosed(cursor, tag, next, help))
        }
    }
}

/// Reads the `<why>` at the cursor, if there is one.
fn read_why(cursor: &mut Cursor<'_>, of: &Tag<'_>) -> Result<Option<String>, Fault> {
    let start = cursor.mark();
    cursor.skip_blank_lines();
    if !starts_with_ignore_case(cursor.text(), "<why>") {
        cursor.reset(start);
        return Ok(None);
    }
    let tag = tag::read(cursor);
    let is_own = |name: &str| name.eq_ignore_ascii_case(of.name) || starts_with_ignore_case(name, "FILE_");
    match tag::read_text(cursor, "why", is_own) {
        Some(why) => Ok(Some(why)),
        None => Err(fault::unterminated(tag.span, &tag.shown()).into()),
    }
}
