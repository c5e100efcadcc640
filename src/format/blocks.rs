//! Splits a response into edits and Markdown blocks, in one pass over its lines.
//!
//! At every line where an edit may begin, each format is asked whether a region opens there. The first that says yes
//! parses the region and moves behind it. Markdown is not read inside of a region. All else is text, fences, quotes,
//! JSON and tags. At the end of a fence or quote it is known whether its regions are edits or only shown;
//! [`super::document`] has the rules.

mod drafts;
mod region;
#[cfg(test)]
mod tests;

use super::above::Above;
use super::document::{Part, PartKind, lift};
use super::fence::{Fence, is_markdown};
use super::reasoning;
use super::scan::{Cursor, Line, Margin, is_blank, trim, trim_start};
use super::why::list_mark;
use super::{Output, Reading, fault, file, json, seen};
use crate::edit::{Candidate, FenceState, FormatId, Given};
use crate::response::{Passage, Response};
use crate::span::Span;
use drafts::Drafts;

/// The deepest nesting of fences and quotes that is read.
const DEEPEST: u32 = 16;
/// The languages of fences that contain prose.
const PROSE: [&str; 5] = ["markdown", "md", "mdx", "rst", "text"];

/// What is between the last region and this line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    /// Blank lines.
    Blank,
    /// Fences and lines that name a file.
    Files,
    /// Anything else.
    Text,
}

/// What a fence, a quote or the top level contains.
#[derive(Clone, Copy, Debug, Default)]
struct Content {
    /// Lines of text that name no file.
    text: bool,
    /// Lines that name a file.
    paths: bool,
    /// Fences without edits.
    code: bool,
    /// The number of blocks that are not text.
    blocks: usize,
    /// The first inner fence that is as long as the fence around it.
    nested: Option<Span>,
    /// Whether a region closed the fence.
    is_closed: bool,
}

/// A tag at the start of a line, before its closing tag.
struct Tag<'r> {
    name: &'r str,
    start: usize,
    /// The offset of its text.
    text: usize,
    files: Vec<Candidate>,
}

/// Reads a response.
pub(super) struct Reader<'r> {
    response: &'r Response,
    pub(super) out: Output,
    pub(super) parts: Vec<Part>,
    /// Whether one fence or quote contains the whole response.
    pub(super) is_wrapped: bool,
    /// The file of blocks without a path.
    path: Option<String>,
    /// Whether code blocks with a path are whole files.
    whole_files: bool,
    /// Whether code blocks with a path are snippets, if the tree has the file.
    snippets: bool,
    above: Above<'r>,
    gap: Gap,
    region: u32,
    /// The column at which all text begins, if a margin was copied with it.
    margin: Option<usize>,
    /// The column of the text of the open list item.
    item: Option<usize>,
    /// The fences around the current one, outermost first.
    outer: Vec<Fence<'r>>,
    /// Whether a fence may contain fences of its own length. It becomes false once one of them has no end.
    nests: bool,
    tag: Option<Tag<'r>>,
    drafts: Drafts<'r>,
    /// The first line with an edit that is HTML-escaped.
    pub(super) escaped: Option<Span>,
    /// The offset at which the limit of one response was reached.
    stopped: Option<usize>,
}

impl<'r> Reader<'r> {
    pub(super) fn new(response: &'r Response, reading: &Reading) -> Self {
        let asked = reading.formats.contains(&FormatId::EditCalls);
        Self {
            response,
            out: Output { asked, ..Output::default() },
            parts: Vec::new(),
            is_wrapped: false,
            path: reading.path.clone(),
            whole_files: reading.formats.contains(&FormatId::WholeFile),
            snippets: reading.formats.contains(&FormatId::Snippet),
            above: Above::new(response.id()),
            gap: Gap::Text,
            region: 0,
            margin: None,
            item: None,
            outer: Vec::new(),
            nests: true,
            tag: None,
            drafts: Drafts::default(),
            escaped: None,
            stopped: None,
        }
    }

    /// Reads the whole response.
    pub(super) fn read(&mut self) {
        let end = reasoning::end_of(self.response.text());
        let mut cursor = Cursor::within(self.response, Span::new(self.response.id(), 0, end));
        let first = cursor.lines().find(|line| !line.trimmed().is_empty());
        self.drafts.is_page = first.is_some_and(|line| line.trimmed() == "You said:");
        // Edits may be indented like the code that they are for, prose is not.
        let is_prose = |line: &Line<'_>| {
            line.trimmed().starts_with(char::is_alphanumeric)
                && file::path_line(line.text).is_none_or(|path| !path.is_sure())
        };
        self.margin = first.filter(is_prose).and_then(|_| margin(cursor.lines()));
        let content = self.blocks(&mut cursor, 0);
        self.leave_turn(end);
        if let Some(tag) = self.tag.take().filter(|tag| tag.name == "source" && self.whole_files) {
            let text = self.response.passage(tag.text.min(end)..end).into_lines();
            let span = Span::new(self.response.id(), tag.start, end);
            self.give(Given { state: FenceState::Unclosed, ..self.given(span, tag.files, text) }, 0);
        }
        self.is_wrapped = content.blocks == 1 && !content.text && !content.paths;
        self.finish_reasoning();
        self.cut_off(end);
        let stopped = self.stopped.unwrap_or(end);
        self.out.finish(Span::new(self.response.id(), stopped, end));
    }

    /// Reads blocks up to the closing line of the cursor's fence, or to the end of the input.
    fn blocks(&mut self, cursor: &mut Cursor<'r>, depth: u32) -> Content {
        let mut content = Content::default();
        while let Some(line) = cursor.line().filter(|_| self.drafts.closed.is_none()) {
            if self.out.is_full() {
                self.stopped.get_or_insert(line.start);
                cursor.go_to_end();
                break;
            }
            let Some(first) = line.first_byte() else {
                self.above.end_paragraph();
                cursor.advance();
                continue;
            };
            if cursor.closes_fence(line) || self.closes_outer(cursor, line) {
                break;
            }
            if depth == 0 && self.out.draft.is_none() && self.reasoning(cursor, line) {
                continue;
            }
            if self.block(cursor, line, first, depth, &mut content) {
                content.blocks += 1;
            } else if let Some(rest) = self.behind_draft(line) {
                self.drafts.closed = Some(rest);
            } else {
                let is_path = self.text(line, depth);
                // Dots and rules are not text.
                content.text |= !is_path && line.text.contains(char::is_alphanumeric);
                content.paths |= is_path;
                self.gap = self.gap.max(if is_path { Gap::Files } else { Gap::Text });
                cursor.advance();
            }
            if std::mem::take(&mut self.out.closed_fence) && cursor.fence().is_some() {
                content.is_closed = true;
                break;
            }
        }
        content
    }

    /// Reads the block at this line; returns false if the line is text.
    fn block(
        &mut self,
        cursor: &mut Cursor<'r>,
        line: Line<'r>,
        first: u8,
        depth: u32,
        content: &mut Content,
    ) -> bool {
        // Only these letters may begin a region; other blocks begin with a sign.
        if first.is_ascii_alphabetic()
            && !matches!(first, b'd' | b'D' | b'F' | b'I' | b'S')
            && cursor.fence().is_none()
        {
            return false;
        }
        let outer = cursor.margin();
        if let Some(blanks) = self.indentation(cursor, line) {
            cursor.set_margin(Margin { blanks, ..outer });
        }
        let mut taken = self.take(cursor, depth, content);
        if !taken {
            cursor.set_margin(outer);
            if let Some(width) = item(line.text).filter(|_| cursor.fence().is_none()) {
                let mark = cursor.mark();
                cursor.enter_item(width);
                taken = self.take(cursor, depth, content);
                if !taken {
                    cursor.set_margin(outer);
                    cursor.reset(mark);
                }
            }
        }
        cursor.set_margin(outer);
        taken
    }

    /// Reads the region, fence, quote or JSON value at this line.
    fn take(&mut self, cursor: &mut Cursor<'r>, depth: u32, content: &mut Content) -> bool {
        if self.region(cursor, depth) {
            return true;
        }
        let Some(line) = cursor.line() else { return false };
        let may_nest =
            depth < DEEPEST && (cursor.fence().is_none() || self.nests) && self.behind_draft(line).is_none();
        if let Some(fence) = Fence::of(line.text).filter(|_| may_nest) {
            if cursor.fence().is_some_and(|open| fence.may_close(open)) {
                content.nested.get_or_insert(cursor.span_of(line));
            }
            let holds_edits = self.fence(cursor, line, fence, depth);
            content.code |= !holds_edits;
            return true;
        }
        if cursor.fence().is_none() && line.first_byte() == Some(b'>') && depth < DEEPEST {
            return self.quote(cursor, depth);
        }
        if depth == 0 && matches!(line.first_byte(), Some(b'{' | b'[')) {
            return self.json(cursor, depth);
        }
        false
    }

    /// Reads a fence; returns whether it contains edits.
    fn fence(&mut self, cursor: &mut Cursor<'r>, line: Line<'r>, fence: Fence<'r>, depth: u32) -> bool {
        let outer = (cursor.margin(), cursor.fence());
        let (first, lengths, region) = (self.parts.len(), self.out.lengths(), self.region);
        cursor.set_indent();
        let above = self.above.saved();
        let language = language(fence.info);
        let is_code = !language.is_empty() && !PROSE.contains(&language);
        self.above.enter(line, fence.info, is_code);
        let files = self.above.files_of_block(!file::has_line_numbers(fence.info));
        cursor.advance();
        self.outer.extend(outer.1);
        cursor.set_fence(Some(fence));
        // If there may be inner fences, the outer fence is read again.
        let nests = self.nests && outer.1.is_none_or(|open| !fence.may_close(open));
        let inside = cursor.mark();
        let start = cursor.at();
        let mut content = self.blocks(cursor, depth + 1);
        if cursor.is_end() && !content.is_closed && nests && content.nested.is_some() {
            // The inner fences have no end, so they are text.
            self.nests = false;
            self.restore(first, lengths);
            (self.region, self.above) = (region, above.clone());
            self.above.enter(line, fence.info, is_code);
            cursor.reset(inside);
            content = self.blocks(cursor, depth + 1);
        }
        let close = cursor.line().filter(|line| !content.is_closed && !self.closes_outer(cursor, *line));
        let end = close.map_or(cursor.at(), |line| line.start);
        let text = cursor.payload(start, end);
        let span = cursor.span(line.start, close.map_or(end, Line::end));
        let is_prose = PROSE.contains(&language) && content.text;
        if !is_prose {
            let right_in_it = |part: &&mut Part| part.is_region() && part.depth == depth + 1;
            self.parts[first..].iter_mut().filter(right_in_it).for_each(|part| part.level = depth);
        }
        let inside = &mut self.parts[first..];
        let has_regions = inside.iter().any(Part::is_region);
        let is_pure = has_regions && !content.text && !content.code;
        if depth == 0 && is_pure && !inside.iter().any(|part| part.level == 0) {
            // Only edits, each in a fence of its own.
            lift(inside);
        }
        let holds_edits = inside.iter().any(|part| part.is_region() && part.level <= depth);
        if !holds_edits {
            if !(has_regions || depth == 0 && PROSE.contains(&language)) {
                self.parts.truncate(first);
            }
            self.above = above;
            let goes_on = || close.and_then(|close| may_go_on(cursor, close, language, &files));
            let state = match (close.is_some() || content.is_closed, content.nested.or_else(goes_on)) {
                (false, _) => FenceState::Unclosed,
                (true, Some(nested)) => FenceState::Unclear(nested),
                (true, None) => FenceState::Closed,
            };
            let (language, is_snippet, why) = (language.to_owned(), self.snippets, self.above.why());
            let block = Given { language, state, is_snippet, why, ..self.given(span, files, text) };
            self.code_block(cursor, block, (start, end), depth);
        } else {
            self.above.leave();
            self.gap = self.gap.max(Gap::Files);
        }
        if close.is_some() {
            cursor.advance();
        }
        cursor.set_fence(outer.1);
        cursor.set_margin(outer.0);
        self.outer.truncate(self.outer.len() - usize::from(outer.1.is_some()));
        holds_edits
    }

    /// Whether a line closes an outer fence that is longer than the current one or has another mark.
    fn closes_outer(&self, cursor: &Cursor<'r>, line: Line<'r>) -> bool {
        let (Some(inner), false) = (cursor.fence(), self.outer.is_empty()) else { return false };
        let Some(fence) = Fence::of(line.text) else { return false };
        let holds = |outer: &&Fence<'r>| outer.mark != inner.mark || outer.length > inner.length;
        self.outer.iter().filter(holds).any(|outer| fence.closes(*outer))
    }

    /// Reads the block quote at this line.
    fn quote(&mut self, cursor: &mut Cursor<'r>, depth: u32) -> bool {
        let (start, outer, first) = (cursor.at(), cursor.margin(), self.parts.len());
        let above = self.above.saved();
        // The marks of its first line count; a deeper quote inside is another quote.
        let quotes = outer.quotes + marks(cursor.text());
        cursor.set_margin(Margin { quotes, blanks: "" });
        // Indented too far, so it is text.
        if cursor.is_end() {
            cursor.set_margin(outer);
            return false;
        }
        self.blocks(cursor, depth + 1);
        let span = cursor.span(start, cursor.at());
        if self.parts.len() > first {
            self.parts.push(Part { kind: PartKind::Other, span, depth, level: depth });
        }
        cursor.set_margin(outer);
        (self.above, self.gap) = (above, Gap::Text);
        true
    }

    /// Reads a JSON value that is not of a format.
    fn json(&mut self, cursor: &mut Cursor<'r>, depth: u32) -> bool {
        let Some(json) = json::opens(cursor).then(|| self.out.json.read(cursor)).flatten() else {
            return false;
        };
        let range = json.range();
        if json.is_cut_off() && range.len() > 2 {
            let span = cursor.span(range.start, range.end);
            let is_call =
                |part: &Part| matches!(part.kind, PartKind::Region { format: FormatId::EditCalls, .. });
            if self.parts.iter().rev().find(|part| part.is_region()).is_some_and(is_call) {
                self.out.fault(fault::unterminated(span, "JSON"));
            } else {
                self.parts.push(Part { kind: PartKind::Other, span, depth, level: depth });
            }
            cursor.go_to_end();
            return true;
        }
        let is_object = json.broken().is_none() && json.keys().next().is_some();
        if is_object {
            let span = cursor.span(range.start, range.end);
            self.parts.push(Part { kind: PartKind::Other, span, depth, level: depth });
            json.leave(cursor);
        }
        is_object
    }

    /// Reads a line of text; returns whether it only names a file.
    fn text(&mut self, line: Line<'r>, depth: u32) -> bool {
        let column = width(line.text);
        let width = item(line.text);
        match (width, self.item) {
            (Some(width), open) if open.is_none_or(|open| width < open) => self.item = Some(width),
            (None, Some(open)) if column < open && !self.above.is_open() => self.item = None,
            _ => {}
        }
        let is_path = self.above.take(line, width.is_some());
        if depth == 0 {
            self.tag(line);
            if self.escaped.is_none() && seen::is_escaped_opening(line.text) {
                self.escaped = Some(self.span_of(line));
            }
        }
        is_path
    }

    /// Notes a tag that opens or closes in a line of text.
    fn tag(&mut self, line: Line<'r>) {
        let text = trim(line.text);
        if self.tag.is_none() {
            let inner =
                text.strip_prefix('<').filter(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
            let Some(rest) = inner else { return };
            let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':');
            let name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
            // A tag with attributes is noted even without an end.
            if text.ends_with("/>")
                || text.ends_with('>') && rest.split('>').next().is_some_and(|tag| tag.contains('='))
            {
                self.parts.push(Part { kind: PartKind::Other, span: self.span_of(line), depth: 0, level: 0 });
            }
            let files = self.above.files_of_block(true);
            self.tag = Some(Tag { name, start: line.start, text: line.next, files });
        }
        let closes = |tag: &mut Tag<'_>| {
            let before = text.strip_suffix('>').and_then(|text| text.strip_suffix(tag.name));
            before.is_some_and(|before| before.ends_with("</"))
        };
        let Some(tag) = self.tag.take_if(closes) else { return };
        let span = Span::new(self.response.id(), tag.start, line.end());
        // Its opening tag was noted.
        let is_opening = |part: &Part| matches!(part.kind, PartKind::Other) && part.span.start == span.start;
        if let Some(at) = self.parts.iter().rposition(is_opening) {
            self.parts.remove(at);
        }
        if tag.name == "source" && tag.text <= line.start {
            let text = self.response.passage(tag.text..line.start).into_lines();
            let given = self.given(span, tag.files, text);
            self.give(given, 0);
        } else {
            self.parts.push(Part { kind: PartKind::Other, span, depth: 0, level: 0 });
        }
    }

    /// A code block without an info string.
    fn given(&self, span: Span, candidates: Vec<Candidate>, text: Passage) -> Given {
        Given { span, candidates, text, is_whole: self.whole_files, ..Given::default() }
    }

    /// Keeps a code block that is not of a format.
    fn give(&mut self, given: Given, depth: u32) {
        let span = given.span;
        self.parts.push(Part { kind: PartKind::Fence(Box::new(given)), span, depth, level: depth });
        self.above.clear();
    }

    /// The blanks at the start of a line that are the indentation of the open list item.
    fn indentation(&self, cursor: &Cursor<'r>, line: Line<'r>) -> Option<&'r str> {
        let open = self.margin.or(self.item).filter(|_| cursor.fence().is_none())?;
        Some(line.blanks()).filter(|blanks| width(blanks) >= open)
    }

    fn span_of(&self, line: Line<'_>) -> Span {
        Span::new(self.response.id(), line.start, line.end())
    }

    /// Removes what was read after these numbers.
    fn restore(&mut self, parts: usize, (edits, faults): (usize, usize)) {
        self.parts.truncate(parts);
        self.out.truncate(edits, faults);
    }
}

/// The closing line of a Markdown fence, if it may also open an inner fence: text is right below it, and the next
/// fence has no info string either.
fn may_go_on<'r>(cursor: &Cursor<'r>, close: Line<'r>, language: &str, files: &[Candidate]) -> Option<Span> {
    let is_markdown = ["markdown", "md", "mdx"].contains(&language)
        || files.iter().any(|file| file.by.is_whole() && is_markdown(&file.path.raw));
    let mut below = cursor.lines().skip(1).peekable();
    if !is_markdown || below.peek().is_none_or(|line| line.is_blank() || Fence::of(line.text).is_some()) {
        return None;
    }
    let next = below.find_map(|line| Fence::of(line.text))?;
    next.info.is_empty().then(|| cursor.span_of(close))
}

/// The first word of an info string; empty if it is a path.
fn language(info: &str) -> &str {
    let word = info.split([' ', '\t', ':', ',', '{']).next().unwrap_or("");
    if file::is_path(word) { "" } else { word }
}

/// The smallest indentation of all lines: a margin that was copied with the response.
fn margin<'r>(lines: impl Iterator<Item = Line<'r>>) -> Option<usize> {
    let mut margin = None;
    for line in lines.filter(|line| !line.is_blank()) {
        match width(line.text) {
            0 => return None,
            column => margin = Some(margin.map_or(column, |least: usize| least.min(column))),
        }
    }
    margin
}

/// The width of a list mark at the start of a line, with the blanks around it.
fn item(line: &str) -> Option<usize> {
    let text = trim_start(line);
    let mark = list_mark(text)?;
    let rest = &text[mark..];
    let blanks = rest.len() - trim_start(rest).len();
    (1..=4).contains(&blanks).then_some(line.len() - text.len() + mark + blanks)
}

/// The number of block quote marks at the start of a line.
fn marks(line: &str) -> usize {
    let mut rest = trim_start(line);
    let mut marks = 0;
    while let Some(behind) = rest.strip_prefix('>') {
        marks += 1;
        let blanks = behind.bytes().take(4).take_while(|&byte| byte == b' ').count();
        rest = &behind[blanks..];
    }
    marks
}

/// The columns of the blanks at the start of a line.
fn width(line: &str) -> usize {
    line.bytes().take_while(|&byte| is_blank(byte)).map(|byte| if byte == b'\t' { 4 } else { 1 }).sum()
}
