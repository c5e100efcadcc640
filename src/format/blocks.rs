//! Splits a response into edits and Markdown blocks, in one pass over its lines.
//!
//! At every line where an edit may begin, the reader asks each format whether a region opens there. The first format
//! that says yes parses the region and moves past it. Markdown is not read inside of a region. All else is text,
//! fences, quotes, JSON and tags. The end of a fence or quote decides whether its regions are edits or only shown;
//! [`super::document`] has the rules.

mod drafts;
mod fenced;
mod region;
#[cfg(test)]
mod tests;

use super::above::Above;
use super::document::{Block, BlockKind};
use super::fence::{Fence, is_markdown};
use super::reasoning;
use super::scan::{Cursor, Line, Margin, quote_marks, trim, trim_start, width};
use super::why::list_mark;
use super::{Output, Reading, fault, file, json, seen, tag};
use crate::edit::{Candidate, Clue, CodeBlock, FenceState, FormatId, Target};
use crate::response::{Passage, Response};
use crate::span::Span;
use drafts::Drafts;
use fenced::{begins_pairs, is_first_deep, language};

/// The deepest nesting of fences and quotes that is read.
const MAX_DEPTH: u32 = 16;
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
struct Summary {
    /// Whether a line of text names no file.
    has_text: bool,
    /// Whether a line of text names a file.
    has_paths: bool,
    /// Whether there is an inner fence without edits.
    has_code: bool,
    /// The number of blocks, and the offset of the line where the last one begins.
    blocks: usize,
    last_block: usize,
    /// The first inner fence that is as long as the fence around it.
    nested: Option<Span>,
    /// Whether a region closed the fence.
    is_closed: bool,
}

/// An opening tag at the start of a line.
struct Tag<'r> {
    name: &'r str,
    start: usize,
    /// The offset of the text inside of the element.
    text: usize,
    files: Vec<Candidate>,
}

/// Reads a response.
pub(super) struct Reader<'r> {
    response: &'r Response,
    pub(super) out: Output,
    pub(super) blocks: Vec<Block>,
    reading: Reading,
    above: Above<'r>,
    gap: Gap,
    /// The number of the last region.
    region: u32,
    /// The column at which all text begins, if the response was copied with a margin.
    margin: Option<usize>,
    /// Whether all lines of the response are indented.
    is_indented: bool,
    /// The column at which the text of the open list item begins.
    item: Option<usize>,
    /// The fences around the current one, outermost first.
    outer: Vec<Fence<'r>>,
    /// Whether a fence may contain fences of its own length. This becomes false if one of these has no end.
    nests_equal_fences: bool,
    /// The first opening tag without a closing tag so far.
    tag: Option<Tag<'r>>,
    drafts: Drafts<'r>,
    /// The first line with an edit that is HTML-escaped.
    pub(super) escaped: Option<Span>,
    /// The offset at which the limit of one response was reached.
    stopped: Option<usize>,
}

impl<'r> Reader<'r> {
    fn new(response: &'r Response, reading: &Reading) -> Self {
        let calls_asked_for = reading.asks_for(FormatId::EditCalls);
        Self {
            response,
            out: Output { calls_asked_for, ..Output::default() },
            blocks: Vec::new(),
            reading: reading.clone(),
            above: Above::new(response.id()),
            gap: Gap::Text,
            region: 0,
            margin: None,
            is_indented: false,
            item: None,
            outer: Vec::new(),
            nests_equal_fences: true,
            tag: None,
            drafts: Drafts::default(),
            escaped: None,
            stopped: None,
        }
    }

    /// Reads a response.
    pub(super) fn read(response: &'r Response, reading: &Reading) -> Self {
        let end = reasoning::end_of(response.text());
        let cursor = Cursor::within(response, Span::new(response.id(), 0, end));
        let mut reader = Self::new(response, reading);
        if let Some(inside) = reader.read_from(cursor, end) {
            reader = Self::new(response, reading);
            reader.read_from(inside, end);
        }
        reader.finish_reasoning();
        reader.cut_off(end);
        reader.read_bare(end);
        let stopped = reader.stopped.unwrap_or(end);
        reader.out.finish(Span::new(response.id(), stopped, end));
        reader
    }

    /// Reads a response without blocks, such as a text from a canvas, as one code block for the file that the user
    /// names.
    fn read_bare(&mut self, end: usize) {
        let start = self.drafts.ended.unwrap_or(0);
        let text = self.response.text().get(start..end).unwrap_or("");
        let first = text.len() - text.trim_start().len();
        let start = start + text[..first].rfind('\n').map_or(0, |at| at + 1);
        let is_bare = self.blocks.is_empty() && self.out.lengths() == (0, 0) && !text.trim().is_empty();
        if is_bare && self.asked_file().is_some() {
            let text = self.response.passage(start..end).into_lines();
            let block = self.code_block(Span::new(self.response.id(), start, end), Vec::new(), text);
            let is_snippet = self.reading.asks_for(FormatId::Snippet);
            self.add_code_block(CodeBlock { is_snippet, ..block }, 0);
        }
    }

    /// Reads from a cursor to the end. If a single fence or quote contains everything, returns a cursor inside of it:
    /// the response must be read again from there.
    fn read_from(&mut self, mut cursor: Cursor<'r>, end: usize) -> Option<Cursor<'r>> {
        let first = cursor.lines().find(|line| !line.trimmed().is_empty());
        self.drafts.is_page = first.is_some_and(|line| line.trimmed() == "You said:");
        // Edits may be indented like the code that they change. Only indented prose shows that a margin was copied.
        let is_prose = |line: &Line<'_>| {
            line.trimmed().starts_with(char::is_alphanumeric)
                && file::path_line(line.text).is_none_or(|path| !path.is_sure())
        };
        let margin = margin(cursor.lines());
        self.is_indented = margin.is_some();
        self.margin = margin.filter(|_| first.as_ref().is_some_and(is_prose));
        let start = cursor.clone();
        let summary = self.read_blocks(&mut cursor, 0);
        if let Some(fence) = start.fence() {
            if fence.info.is_empty() {
                self.report_unread_text(&cursor, 0, (start.at(), cursor.at()), 0, false);
            }
            // If the fence ends above the end of the response, the rest is read without it.
            cursor.advance();
            cursor.set_fence(None);
            self.read_blocks(&mut cursor, 0);
        }
        self.drop_turn(end);
        let is_whole = self.reading.asks_for(FormatId::WholeFile);
        if let Some(tag) = self.tag.take().filter(|tag| tag.name == "source" && is_whole) {
            let text = self.response.passage(tag.text.min(end)..end).into_lines();
            let span = Span::new(self.response.id(), tag.start, end);
            self.add_code_block(
                CodeBlock { state: FenceState::Unclosed, ..self.code_block(span, tag.files, text) },
                0,
            );
        }
        let is_single_block = summary.blocks == 1 && !summary.has_text && !summary.has_paths;
        if is_single_block { self.inside(start, summary.last_block) } else { None }
    }

    /// Returns a cursor inside of the quote or fence at an offset, if that has blocks. Nothing is outside of it, so its
    /// inside is the actual response. A fence of code counts only if it contains edits that were not read.
    fn inside(&self, mut cursor: Cursor<'r>, at: usize) -> Option<Cursor<'r>> {
        let line = cursor.lines().find(|line| line.start == at)?;
        cursor.go_to(line);
        if let Some(width) = item_width(line.text) {
            cursor.enter_item(width);
        }
        let line = cursor.line()?;
        if let Some(fence) = Fence::of(line.text) {
            let is_text = fence.info.is_empty() || PROSE.contains(&language(fence.info));
            let has_regions = self.blocks.iter().any(Block::is_region);
            // The fence is itself a Markdown file, with fences in it.
            let is_file = |block: &Block| {
                matches!(&block.kind, BlockKind::Fence(code) if block.depth == 0
                    && file::own_paths(&code.candidates).any(is_markdown))
            };
            let has_blocks = has_regions || self.blocks.len() > 1 && !self.blocks.iter().any(is_file);
            let is_shown = self.blocks.iter().any(|block| block.is_region() && block.level > 0);
            cursor.set_indent();
            cursor.advance();
            cursor.set_fence(Some(fence));
            (has_blocks && (is_text || is_shown)).then_some(cursor)
        } else if line.first_byte() == Some(b'>') && !self.blocks.is_empty() {
            let quotes = cursor.margin().quotes + quote_marks(line.text);
            cursor.set_margin(Margin { quotes, blanks: "" });
            Some(cursor)
        } else {
            None
        }
    }

    /// Reads blocks up to the closing line of the cursor's fence, or to the end of the input.
    fn read_blocks(&mut self, cursor: &mut Cursor<'r>, depth: u32) -> Summary {
        let mut summary = Summary::default();
        while let Some(line) = cursor.line().filter(|_| self.drafts.closed.is_none()) {
            if self.out.is_full() {
                self.stopped.get_or_insert(line.start);
                cursor.go_to_end();
                break;
            }
            let Some(first) = line.first_byte() else {
                self.above.is_open = false;
                cursor.advance();
                continue;
            };
            if let Some(open) = cursor.fence().filter(|open| is_first_deep(*open, line)) {
                cursor.set_fence(Some(Fence { has_pairs: Some(begins_pairs(cursor)), ..open }));
            }
            if cursor.closes_fence(line) || self.closes_outer(cursor, line) {
                break;
            }
            if depth == 0 && self.out.reasoning.is_none() && self.skip_reasoning(cursor, line) {
                continue;
            }
            if self.read_block(cursor, line, first, depth, &mut summary) {
                summary.blocks += 1;
                summary.last_block = line.start;
            } else if let Some(rest) = self.after_reasoning(line) {
                self.drafts.closed = Some(rest);
            } else {
                let is_path = self.read_text(line, depth);
                // A line of only dots or dashes is not text.
                summary.has_text |= !is_path && line.text.contains(char::is_alphanumeric);
                summary.has_paths |= is_path;
                self.gap = self.gap.max(if is_path { Gap::Files } else { Gap::Text });
                cursor.advance();
            }
            if std::mem::take(&mut self.out.closed_fence) && cursor.fence().is_some() {
                summary.is_closed = true;
                break;
            }
        }
        summary
    }

    /// Reads the block at this line; returns false if the line is text.
    fn read_block(
        &mut self,
        cursor: &mut Cursor<'r>,
        line: Line<'r>,
        first: u8,
        depth: u32,
        summary: &mut Summary,
    ) -> bool {
        // Only these letters may begin a region. All other blocks begin with a punctuation mark.
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
        let mut taken = self.read_at_margin(cursor, depth, summary);
        if !taken {
            cursor.set_margin(outer);
            if let Some(width) = item_width(line.text).filter(|_| cursor.fence().is_none()) {
                let mark = cursor.mark();
                cursor.enter_item(width);
                taken = self.read_at_margin(cursor, depth, summary);
                if !taken {
                    cursor.set_margin(outer);
                    cursor.reset(mark);
                }
            }
        }
        cursor.set_margin(outer);
        taken
    }

    /// Reads the region, fence, quote or JSON value at the cursor, which has the margin of the block.
    fn read_at_margin(&mut self, cursor: &mut Cursor<'r>, depth: u32, summary: &mut Summary) -> bool {
        if self.read_region(cursor, depth) {
            return true;
        }
        let Some(line) = cursor.line() else { return false };
        let may_nest = depth < MAX_DEPTH
            && (cursor.fence().is_none() || self.nests_equal_fences)
            && self.after_reasoning(line).is_none();
        let is_content = cursor.fence().is_some_and(|open| open.has_as_content(line));
        if let Some(fence) = Fence::of(line.text).filter(|_| may_nest && !is_content) {
            if cursor.fence().is_some_and(|open| fence.may_close(open)) {
                summary.nested.get_or_insert(cursor.span_of(line));
            }
            let holds_edits = self.read_fence(cursor, line, fence, depth);
            summary.has_code |= !holds_edits;
            return true;
        }
        if cursor.fence().is_none() && line.first_byte() == Some(b'>') && depth < MAX_DEPTH {
            return self.read_quote(cursor, depth);
        }
        if depth == 0 && matches!(line.first_byte(), Some(b'{' | b'[')) {
            return self.read_json(cursor, depth);
        }
        false
    }

    /// Reads the block quote at this line.
    fn read_quote(&mut self, cursor: &mut Cursor<'r>, depth: u32) -> bool {
        let (start, outer, first) = (cursor.at(), cursor.margin(), self.blocks.len());
        let above = self.above.saved();
        // The first line decides how many marks the quote has. A line with more marks begins a quote inside of it.
        let quotes = outer.quotes + quote_marks(cursor.text());
        cursor.set_margin(Margin { quotes, blanks: "" });
        // If a mark is indented too far, the line is text.
        if cursor.is_end() {
            cursor.set_margin(outer);
            return false;
        }
        self.read_blocks(cursor, depth + 1);
        let span = cursor.span(start, cursor.at());
        if self.blocks.len() > first {
            self.add(BlockKind::Other, span, depth);
        }
        cursor.set_margin(outer);
        (self.above, self.gap) = (above, Gap::Text);
        true
    }

    /// Reads a JSON value that no format has read.
    fn read_json(&mut self, cursor: &mut Cursor<'r>, depth: u32) -> bool {
        let Some(json) = json::opens(cursor).then(|| self.out.json.read(cursor)).flatten() else {
            return false;
        };
        let range = json.range();
        let span = cursor.span(range.start, range.end);
        if json.is_cut_off() && self.response.slice(span).contains('"') {
            if self.is_last_region(FormatId::EditCalls) {
                self.out.fault(fault::unterminated(span, "JSON"));
            } else {
                self.add(BlockKind::Other, span, depth);
            }
            json.leave(cursor);
            return true;
        }
        let is_object = json.broken().is_none() && json.keys().next().is_some();
        if is_object {
            self.add(BlockKind::Other, span, depth);
            json.leave(cursor);
        }
        is_object
    }

    /// Reads a line of text; returns whether it only names a file.
    fn read_text(&mut self, line: Line<'r>, depth: u32) -> bool {
        let column = width(line.text);
        let width = item_width(line.text);
        match (width, self.item) {
            (Some(width), open) if open.is_none_or(|open| width < open) => self.item = Some(width),
            (None, Some(open)) if column < open && !self.above.is_open => self.item = None,
            _ => {}
        }
        // A merge conflict is not an edit, but the model may have meant one, so it is reported as unread.
        if line.text.starts_with("<<<<<<< ") {
            self.add(BlockKind::Other, self.span_of(line), depth);
        }
        if depth == 0 {
            self.note_tag(line);
        }
        let is_path = self.above.read_line(line, width.is_some());
        if depth == 0 && self.escaped.is_none() && seen::is_escaped_opening(line.text) {
            self.escaped = Some(self.span_of(line));
        }
        is_path
    }

    /// Notes the tag of an element that opens or closes in a line of text.
    fn note_tag(&mut self, line: Line<'r>) {
        let text = trim(line.text);
        if self.tag.is_none() {
            let is_word = |(name, _): &(&str, bool)| name.starts_with(|c: char| c.is_ascii_alphabetic());
            let Some((name, false)) = tag::peek(text).filter(is_word) else { return };
            // A tag with attributes is reported as unread even if its closing tag is missing.
            if text.ends_with("/>") || text.ends_with('>') && tag::has_attributes(&text[1..]) {
                self.add(BlockKind::Other, self.span_of(line), 0);
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
        // The block of the opening tag alone is replaced by that of the whole element.
        let is_opening =
            |block: &Block| matches!(block.kind, BlockKind::Other) && block.span.start == span.start;
        if let Some(at) = self.blocks.iter().rposition(is_opening) {
            self.blocks.remove(at);
            // An element with attributes contains data. Its text is not the reason of the edit below.
            self.above.clear();
        }
        if tag.name == "source" && tag.text <= line.start {
            let text = self.response.passage(tag.text..line.start).into_lines();
            let given = self.code_block(span, tag.files, text);
            self.add_code_block(given, 0);
        } else {
            self.add(BlockKind::Other, span, 0);
        }
    }

    /// Returns a code block without an info string.
    fn code_block(&self, span: Span, candidates: Vec<Candidate>, text: Passage) -> CodeBlock {
        let is_whole = self.reading.asks_for(FormatId::WholeFile);
        CodeBlock { span, candidates, text, is_whole, ..CodeBlock::default() }
    }

    /// Returns the file that the user names for whole files and snippets without a path.
    fn asked_file(&self) -> Option<&String> {
        let is_asked = |format: &FormatId| !format.is_detected();
        self.reading.path.as_ref().filter(|_| self.reading.formats.iter().any(is_asked))
    }

    /// Adds a code block that no format reads. The file that the user names becomes a candidate, too.
    fn add_code_block(&mut self, mut given: CodeBlock, depth: u32) {
        let span = given.span;
        let asked = self.asked_file().into_iter();
        let file = |raw: &String| Candidate { path: Target::new(raw, span), by: Clue::Asked, quoted: true };
        given.candidates.extend(asked.map(file));
        self.add(BlockKind::Fence(Box::new(given)), span, depth);
        self.above.clear();
    }

    fn add(&mut self, kind: BlockKind, span: Span, depth: u32) {
        self.blocks.push(Block { kind, span, depth, level: depth });
    }

    /// Returns the blanks at the start of a line, if the line is indented like the open list item or the copied margin.
    fn indentation(&self, cursor: &Cursor<'r>, line: Line<'r>) -> Option<&'r str> {
        let open = self.margin.or(self.item).filter(|_| cursor.fence().is_none())?;
        Some(line.blanks()).filter(|blanks| width(blanks) >= open)
    }

    fn span_of(&self, line: Line<'_>) -> Span {
        Span::new(self.response.id(), line.start, line.end())
    }

    /// Removes what was read after these numbers of blocks, edits and diagnostics.
    fn restore(&mut self, blocks: usize, (edits, faults): (usize, usize)) {
        self.blocks.truncate(blocks);
        self.out.truncate(edits, faults);
    }
}

/// Returns the smallest indentation of the lines; `None` if a line is not indented.
fn margin<'r>(lines: impl Iterator<Item = Line<'r>>) -> Option<usize> {
    let mut widths = lines.filter(|line| !line.is_blank()).map(|line| width(line.text));
    let smallest = widths.try_fold(usize::MAX, |least, width| (width > 0).then_some(width.min(least)));
    smallest.filter(|width| *width < usize::MAX)
}

/// Returns the width of a list mark at the start of a line, with the blanks around it.
fn item_width(line: &str) -> Option<usize> {
    let text = trim_start(line);
    let mark = list_mark(text)?;
    let rest = &text[mark..];
    let blanks = rest.len() - trim_start(rest).len();
    (1..=4).contains(&blanks).then_some(line.len() - text.len() + mark + blanks)
}
