//! What stands between a directive's tag and its closing tag: where it ends, a fence around it, the reason in it.
//!
//! Content is not escaped, so where it ends is a matter of where the closing tag stands: at the start of a line, or
//! before what can only follow a directive. Content that runs on into another directive is never taken, and neither is
//! content whose fence leaves a doubt about what is meant to be in the file.

use super::directive::Directive;
use super::{begins_directive, begins_envelope, ends_envelope, is_alone};
use crate::diag::{Code, Diagnostic};
use crate::format::fence::Fence;
use crate::format::scan::{Cursor, Line, Lines, is_blank, starts_with_ignore_case, trim};
use crate::format::tag::{self, Brackets, Tag};
use crate::response::Passage;

/// The lengths of a fence in which even this format's tags are text. One of three is too common: a lost one of those
/// would take the next directive's for its own.
pub(super) const GUARDING: std::ops::RangeInclusive<usize> = 4..=32;

/// How far a patch's tags may be indented. Those that are farther are looked for at the margin: there must not be too
/// many kinds of lines that patches end at, or a response of all kinds would be gone over for each.
const MAX_INDENT: usize = 3;

/// The content of a directive.
#[derive(Clone, Debug, Default)]
pub(super) struct Content<'r> {
    lines: Option<Lines<'r>>,
    /// Where it ends, which may be within a line.
    until: usize,
    /// The text of `<why>`, if there is one.
    pub(super) why: Option<String>,
    /// The offset after the closing tag.
    pub(super) end: Option<usize>,
    /// How it comes that it has no end, so that what follows may belong to it.
    pub(super) unended: Option<Unended>,
}

/// How content comes to have no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unended {
    /// Another directive or envelope begins before it.
    Swallows,
    /// There is no closing tag.
    Open,
}

impl<'r> Content<'r> {
    /// Its lines.
    pub(super) fn lines(&self) -> impl Iterator<Item = Line<'r>> + Clone {
        let until = self.until;
        let lines = self.lines.clone().into_iter().flatten().take_while(move |line| line.start < until);
        lines.map(move |mut line| {
            line.text = line.text.get(..until - line.start).unwrap_or(line.text);
            line
        })
    }

    /// Its lines, each ended by `\n`.
    pub(super) fn text(&self) -> Passage {
        self.lines.clone().map_or_else(Passage::default, |lines| lines.payload(self.until))
    }
}

/// How a directive's closing tag may stand.
#[derive(Clone, Copy)]
struct Closing {
    brackets: Brackets,
    directive: Directive,
    /// How far the opening tag is indented, if not too far. A patch's lines begin with marks, of which one is a blank,
    /// so its closing tag stands at the margin or below the opening one.
    indent: usize,
}

impl Closing {
    /// Whether a line may have a tag in it that matters. Cheap.
    fn may_have_tag(self, line: &str) -> bool {
        memchr::memchr(b'<', line.as_bytes()).is_some()
            || (self.brackets == Brackets::Square && line.starts_with(Brackets::Square.open()))
    }

    /// How many bytes of a line stand before its text, where a tag of this directive's kind would begin.
    fn margin(self, line: &str) -> Option<usize> {
        let blanks = line.bytes().take_while(|&byte| is_blank(byte)).count();
        let allowed = match (self.brackets, self.directive) {
            (Brackets::Square, _) => blanks == 0,
            (_, Directive::Patch) => blanks == 0 || blanks == self.indent,
            _ => true,
        };
        allowed.then_some(blanks)
    }

    /// The length of the closing tag that begins a text.
    fn length(self, text: &str) -> Option<usize> {
        let (name, true) = tag::peek_in(text, self.brackets)? else { return None };
        if !name.eq_ignore_ascii_case(self.directive.name()) {
            return None;
        }
        let head = self.brackets.open().len() + 1 + name.len();
        let rest = text[head..].trim_start_matches([' ', '\t']);
        let after = rest.strip_prefix(self.brackets.close())?;
        let alone = self.brackets == Brackets::Angle || is_alone(after, self.brackets);
        alone.then_some(text.len() - after.len())
    }

    /// Where the content ends in a line that has the closing tag, and the rest of the line after that. `below` are the
    /// lines below it; `inline`: the line is the rest of the opening tag's.
    fn find<'r>(self, line: Line<'r>, below: &Lines<'r>, inline: bool) -> Option<(usize, Line<'r>)> {
        if let Some(blanks) = self.margin(line.text)
            && let Some(length) = self.length(&line.text[blanks..])
        {
            let after = match self.brackets {
                Brackets::Angle => blanks + length,
                Brackets::Square => line.text.len(),
            };
            return Some((line.start, line.skip(after)));
        }
        if self.brackets == Brackets::Square {
            return None;
        }
        memchr::memmem::find_iter(line.text.as_bytes(), b"</").find_map(|at| {
            let length = self.length(&line.text[at..])?;
            let rest = trim(&line.text[at + length..]);
            let ends = if !rest.is_empty() {
                // A patch's line may well be one that has all these tags.
                (inline || self.directive != Directive::Patch) && may_follow(rest)
            } else {
                inline
                    || below.clone().find(|line| !line.is_blank()).is_none_or(|line| self.precedes(line.text))
            };
            ends.then(|| (line.start + at, line.skip(at + length)))
        })
    }

    /// Whether a line can only stand after the directive.
    fn precedes(self, line: &str) -> bool {
        self.margin(line).is_some_and(|blanks| may_follow(&line[blanks..]))
    }
}

/// Whether a text begins with a tag that may stand after a directive.
fn may_follow(text: &str) -> bool {
    ends_envelope(text)
        || tag::peek(text).is_some_and(|(name, closing)| !closing && Directive::named(name).is_some())
}

/// What a pass over the lines from the opening tag on found.
struct Extent<'r> {
    /// Where the closing tag begins, or its line if it begins that, and what follows it.
    end: Option<(usize, Line<'r>)>,
    /// Whether another directive or envelope begins before it.
    swallows: bool,
    /// The first and the last line that is not blank.
    text: Option<(Line<'r>, Line<'r>)>,
    /// The last line that begins with `<why>`.
    why: Option<Line<'r>>,
}

impl<'r> Extent<'r> {
    fn of(mut lines: Lines<'r>, closing: Closing, mut inline: bool) -> Self {
        let guarded = guarded_end(lines.clone(), closing);
        let mut extent = Self { end: guarded, swallows: false, text: None, why: None };
        loop {
            // Most lines have no tag.
            if guarded.is_none() && !inline {
                let text = &mut extent.text;
                lines.pass(|line| {
                    let passes = !closing.may_have_tag(line.text);
                    if passes && !line.is_blank() {
                        *text = Some((text.map_or(line, |(first, _)| first), line));
                    }
                    passes
                });
            }
            let Some(mut line) = lines.next() else { break };
            let may_be_tag = closing.may_have_tag(line.text);
            if guarded.is_none() && may_be_tag {
                extent.end = closing.find(line, &lines, inline);
                if extent.end.is_none() && !inline && closing.is_swallowed(line.text) {
                    extent.swallows = true;
                    break;
                }
            }
            if let Some((until, _)) = extent.end {
                if line.start >= until {
                    break;
                }
                line.text = line.text.get(..until - line.start).unwrap_or(line.text);
            }
            if !line.is_blank() {
                extent.text = Some((extent.text.map_or(line, |(first, _)| first), line));
            }
            if may_be_tag && closing.margin(line.text).is_some_and(|blanks| opens_why(&line.text[blanks..])) {
                extent.why = Some(line);
            }
            if guarded.is_none() && extent.end.is_some() {
                break;
            }
            inline = false;
        }
        extent
    }

    /// The reason at the content's end: where it begins, and its text.
    fn last_why(&self, lines: &Lines<'r>) -> Option<(Line<'r>, String)> {
        let (why, (_, last)) = (self.why?, self.text?);
        if !last.text.trim_end().to_ascii_lowercase().ends_with("</why>") {
            return None;
        }
        let mut text = String::new();
        for line in lines.clone().skip_while(|line| line.start < why.start) {
            text.push_str(line.text);
            text.push('\n');
            if line.start >= last.start {
                break;
            }
        }
        let text = text.trim();
        let inner = text.get("<why>".len()..text.len().checked_sub("</why>".len())?)?;
        (!inner.contains("</")).then(|| (why, inner.to_owned()))
    }
}

impl Closing {
    /// Whether a line begins another directive, or an envelope.
    fn is_swallowed(self, line: &str) -> bool {
        self.margin(line).is_some_and(|blanks| {
            let text = &line[blanks..];
            begins_directive(text, self.brackets) || begins_envelope(text, self.brackets)
        })
    }
}

/// The closing tag after the fence around content that begins with a long one, in which no fence is as long.
fn guarded_end<'r>(mut lines: Lines<'r>, closing: Closing) -> Option<(usize, Line<'r>)> {
    if closing.directive == Directive::Patch {
        return None;
    }
    let first = lines.find(|line| !line.is_blank())?;
    let open = Fence::of(first.text).filter(|fence| GUARDING.contains(&fence.length))?;
    let is_as_long = |fence: &Fence<'_>| fence.mark == open.mark && fence.length >= open.length;
    let end = lines.find_map(|line| Fence::of(line.text).filter(is_as_long))?;
    if !end.closes(open) {
        return None;
    }
    let line = lines.find(|line| !line.is_blank())?;
    closing.margin(line.text).and_then(|blanks| closing.length(&line.text[blanks..]))?;
    closing.find(line, &lines, false)
}

/// Whether a text begins with `<why>`.
fn opens_why(text: &str) -> bool {
    starts_with_ignore_case(text, "<why>")
}

/// Reads the content of a directive whose tag the cursor stands after, and its closing tag, and goes after it; without
/// one it stays where the content begins.
pub(super) fn read<'r>(
    cursor: &mut Cursor<'r>,
    tag: &Tag<'r>,
    directive: Directive,
    indent: usize,
    faults: &mut Vec<Diagnostic>,
) -> Content<'r> {
    let mut content = Content::default();
    let span = cursor.span(tag.start, tag.end);
    let indent = if indent <= MAX_INDENT { indent } else { 0 };
    let closing = Closing { brackets: tag.brackets, directive, indent };
    if tag.brackets == Brackets::Square && !trim(cursor.text()).is_empty() && !breaks_off(tag) {
        let message = format!("{} does not stand alone on its line", tag.shown());
        faults.push(Diagnostic::error(Code::Malformed, span, message));
    }
    let mut inline = !breaks_off(tag);
    let start = cursor.mark();
    cursor.skip_blank_lines();
    if opens_why(cursor.text()) {
        content.why = read_why(cursor, closing, faults);
    } else {
        cursor.reset(start);
    }
    if cursor.line().is_some_and(Line::is_blank) {
        cursor.advance();
        inline = false;
    }
    let lines = cursor.lines();
    let extent = Extent::of(lines.clone(), closing, inline);
    let Some((until, after)) = extent.end else {
        let end = brackets_end(tag);
        let (unended, message, help) = if extent.swallows {
            let message = format!("the content of {} runs on into another directive", tag.shown());
            let help = format!(
                "close it with a line {end} before that; if it is meant to hold such lines, put it in a code fence of \
                 four or more backticks"
            );
            (Unended::Swallows, message, help)
        } else {
            let message = format!("{} is never closed", tag.shown());
            (Unended::Open, message, format!("close it with a line {end}"))
        };
        faults.push(Diagnostic::error(Code::Truncated, span, message).with_help(help));
        content.unended = Some(unended);
        return content;
    };
    content.until = until;
    content.end = Some(after.start);
    content.lines = Some(lines);
    cursor.go_to(after);
    if !inline {
        content.unwrap(cursor, directive, is_markdown(tag), &extent, faults);
    }
    content
}

impl<'r> Content<'r> {
    /// Takes off what stands around the content on lines of its own: the reason below it, and a fence.
    fn unwrap(
        &mut self,
        cursor: &Cursor<'r>,
        directive: Directive,
        is_markdown: bool,
        extent: &Extent<'r>,
        faults: &mut Vec<Diagnostic>,
    ) {
        let (Some(lines), Some((first, mut last))) = (self.lines.clone(), extent.text) else { return };
        let fence = Fence::of(first.text);
        let why = extent
            .last_why(&lines)
            .filter(|(line, _)| line.start > first.start || directive == Directive::Patch);
        if let Some((line, why)) = why {
            let span = cursor.span(line.start, line.end());
            if directive != Directive::Patch && fence.is_none() {
                let message = "this may be the reason of the edit or the file's last line";
                faults.push(
                    Diagnostic::error(Code::Malformed, span, message)
                        .with_help("put <why> before the content, or the content in a code fence"),
                );
            } else if self.why.is_some() {
                faults.push(Diagnostic::error(Code::Duplicate, span, "a second <why>"));
            }
            self.why = Some(why);
            self.until = line.start;
            last = self.lines().filter(|line| !line.is_blank()).last().unwrap_or(first);
        }
        if directive == Directive::Patch {
            return;
        }
        let Some(fence) = fence else {
            if self.ends_in_lone_fence(last) {
                let span = cursor.span(last.start, last.end());
                faults
                    .push(Diagnostic::error(Code::Malformed, span, "this code fence closes none").with_help(
                        "open it before the content, or put all of the content in a longer fence",
                    ));
            }
            return;
        };
        let mut inner = lines;
        inner.find(|line| line.start == first.start);
        let span = cursor.span(first.start, first.end());
        let below = || self.lines().skip_while(|line| line.start <= first.start);
        // A fence of the other mark that nothing closes is none, but the underline of a title, say.
        let of_its_mark =
            || below().filter(|line| Fence::of(line.text).is_none_or(|inner| inner.mark == fence.mark));
        let end = closing_fence(fence, below()).or_else(|| closing_fence(fence, of_its_mark()));
        let holds_fences = |end: Line<'r>| {
            below().take_while(|line| line.start < end.start).any(|line| Fence::of(line.text).is_some())
        };
        let may_be_markdowns =
            is_markdown && fence.length < *GUARDING.start() && !is_markdown_info(fence.info);
        match end {
            // A block of code in the text, and not what stands around it.
            Some(end)
                if may_be_markdowns
                    && !holds_fences(end)
                    && (end.start == last.start
                        || !fence.info.is_empty()
                        || Fence::of(last.text).is_none()) => {}
            Some(end) if end.start == last.start => {
                let text = first.text;
                let blanks = &text[..text.len() - text.trim_start_matches([' ', '\t']).len()];
                self.lines = Some(inner.outdented(blanks, last.start));
                self.until = last.start;
            }
            Some(end) => faults.push(
                Diagnostic::error(
                    Code::Malformed,
                    span,
                    "more than this code fence holds stands in the content",
                )
                .with_label(cursor.span(end.start, end.end()), "it ends here")
                .with_help("put all of the content in one fence, longer than those in it"),
            ),
            None => faults.push(
                Diagnostic::error(Code::Truncated, span, "this code fence is never closed")
                    .with_help("close it before the closing tag; fence content that begins with a fence"),
            ),
        }
    }
}

impl<'r> Content<'r> {
    /// Whether the last line is a fence that closes no block: the one around the content may have lost its beginning.
    fn ends_in_lone_fence(&self, last: Line<'r>) -> bool {
        if Fence::of(last.text).is_none_or(|fence| !fence.info.is_empty()) {
            return false;
        }
        let mut open: Option<Fence<'_>> = None;
        for line in self.lines().take_while(|line| line.start < last.start) {
            let Some(fence) = Fence::of(line.text) else { continue };
            open = match open {
                Some(block) if fence.closes(block) => None,
                Some(block) => Some(block),
                None => Some(fence),
            };
        }
        open.is_none()
    }
}

/// Whether a directive is about a file that may well hold fences.
fn is_markdown(tag: &Tag<'_>) -> bool {
    let path = tag.attribute("file_path").map_or("", |attribute| trim(attribute.value));
    path.rsplit_once('.').is_some_and(|(_, end)| is_markdown_info(end) || end.eq_ignore_ascii_case("mdx"))
}

/// Whether a fence of that info has Markdown in it.
fn is_markdown_info(info: &str) -> bool {
    ["markdown", "md"].iter().any(|name| info.eq_ignore_ascii_case(name))
}

/// The line that closes a fence. Others, and those that say a language, open blocks within it; but shorter ones are text,
/// closed or not: that is what a longer one is for.
fn closing_fence<'r>(open: Fence<'_>, lines: impl Iterator<Item = Line<'r>>) -> Option<Line<'r>> {
    let mut within: Option<Fence<'_>> = None;
    for line in lines {
        let Some(fence) = Fence::of(line.text) else { continue };
        match within {
            Some(inner) if fence.closes(inner) => within = None,
            Some(_) => {}
            None if fence.closes(open) => return Some(line),
            None if fence.length < open.length => {}
            None => within = Some(fence),
        }
    }
    None
}

/// Reads the `<why>` at which the cursor stands and goes after it.
fn read_why(cursor: &mut Cursor<'_>, closing: Closing, faults: &mut Vec<Diagnostic>) -> Option<String> {
    let tag = tag::read(cursor);
    let text = tag::read_text(cursor, "why", |cursor, line| {
        let mut below = cursor.lines();
        below.next();
        closing.find(line, &below, false).is_some() || closing.is_swallowed(line.text)
    });
    if text.is_none() {
        let span = cursor.span(tag.start, tag.end);
        faults.push(Diagnostic::error(Code::Truncated, span, "this <why> is never closed"));
    }
    text
}

/// Reads what stands between the tags of a directive that has no content: at most a reason.
pub(super) fn read_none<'r>(
    cursor: &mut Cursor<'r>,
    tag: &Tag<'r>,
    directive: Directive,
    faults: &mut Vec<Diagnostic>,
) -> Content<'r> {
    let mut content = Content::default();
    let closing = Closing { brackets: tag.brackets, directive, indent: 0 };
    let start = cursor.mark();
    cursor.skip_blank_lines();
    if opens_why(cursor.text()) {
        content.why = read_why(cursor, closing, faults);
        cursor.skip_blank_lines();
    }
    if closing.length(cursor.text()).is_some() {
        content.end = Some(tag::read_in(cursor, tag.brackets).end);
        return content;
    }
    let end = brackets_end(tag);
    let within = memchr::memmem::find_iter(cursor.text().as_bytes(), tag.brackets.open().as_bytes())
        .find(|&at| closing.length(&cursor.text()[at..]).is_some());
    if let Some(at) = within {
        let span = cursor.span(cursor.at(), cursor.at() + at);
        let message = format!("{} has no content", tag.shown());
        faults.push(Diagnostic::error(Code::Malformed, span, message));
        cursor.step(at);
        tag::read_in(cursor, tag.brackets);
    } else {
        if content.why.is_none() {
            cursor.reset(start);
        }
        let message = format!("{} is not closed", tag.shown());
        let help = format!("end the tag with /{}, or put {end} after it", tag.brackets.close());
        let span = cursor.span(tag.start, tag.end);
        faults.push(Diagnostic::error(Code::Truncated, span, message).with_help(help));
    }
    content
}

/// Whether a tag has no end.
fn breaks_off(tag: &Tag<'_>) -> bool {
    tag.faults.iter().any(|fault| fault.code == Code::Truncated)
}

/// The closing tag that belongs to an opening one.
fn brackets_end(tag: &Tag<'_>) -> String {
    tag.brackets.around(&format!("/{}", tag.name))
}
