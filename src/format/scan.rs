//! A cursor over a response's lines: what every format's parser reads through.
//!
//! Apart from the formats so that line breaks, block quotes and the rules about reasoning are handled once. Lines are
//! slices of the response; only [`Cursor::payload`] copies.
//!
//! A line break is `\n` or `\r\n`. In a region that opened inside a block quote, or whose fence or list item is indented,
//! every line is seen without that [`Margin`]; the region's input ends where the margin does.

mod layout;
mod line;
mod lines;
mod margin;
mod source;
#[cfg(test)]
mod tests;

use super::edit_calls::Past;
use super::fence::Fence;
use super::json::Survey;
use super::reasoning::{Reasoning, end_of};
use super::unread::Noted;
use crate::edit::Target;
use crate::response::{Passage, Response};
use crate::span::Span;
use layout::Layout;
use margin::skip_quote;
use source::Source;
use std::cell::Cell;

#[cfg(test)]
pub(super) use line::lines_read;
pub use line::{Line, is_blank, is_text, starts_with_ignore_case, trim, trim_start};
pub use lines::{Lines, LinesAbove};
pub use margin::Margin;

/// A place to go back to; see [`Cursor::mark`].
#[derive(Clone, Copy, Debug)]
pub struct Mark<'r>(Option<Line<'r>>, usize, Layout<'r>);

/// Where a parser stands in a response: at a line, or within one.
///
/// A region's parser may move freely, but only forward from where it began; where it leaves the cursor the search for
/// the next region goes on.
#[derive(Debug)]
pub struct Cursor<'r> {
    response: &'r Response,
    source: Source<'r>,
    /// What is left of the line that it stands in; `None` at the end of the input.
    line: Option<Line<'r>>,
    /// Where `line` begins, or the end of the input.
    at: usize,
    /// What stands before the lines that it reads.
    margin: Margin<'r>,
    /// The list item and the fence that it stands in.
    layout: Layout<'r>,
    region: u32,
    /// The end of the last region: nothing above belongs to what is parsed now.
    floor: usize,
    /// Where an envelope opened that is not closed yet.
    envelope: Option<Span>,
    /// Up to where a line was searched for what may stand in its midst.
    searched: Cell<usize>,
    /// Up to where the search for the end of an indented region went in vain.
    pub(super) outdented: usize,
    /// The file that the last heading names which says that it does.
    pub(super) heading: Option<Target>,
    /// What in the prose reads like an edit.
    pub(super) unread: Vec<Noted>,
    /// The reasoning that was gone over.
    pub(super) skipped: Vec<Span>,
    /// The end of a line, and where the first backtick stands in what was left of it.
    tick: Cell<(usize, usize)>,
    pub(super) reasoning: Reasoning,
    pub(super) json: Survey,
    pub(super) past: Past,
}

/// What a region that was read in vain leaves behind on a cursor; see [`Cursor::state`].
#[derive(Clone, Debug)]
pub(super) struct State<'r> {
    mark: Mark<'r>,
    region: u32,
    floor: usize,
    envelope: Option<Span>,
    searched: usize,
    skipped: usize,
    heading: Option<Target>,
    reasoning: Reasoning,
}

impl State<'_> {
    /// Where the line begins at which it was taken.
    pub(super) fn start(&self) -> usize {
        self.mark.0.and_then(|line| line.marked).unwrap_or(self.mark.1)
    }
}

impl<'r> Cursor<'r> {
    /// At the beginning of a response.
    pub fn new(response: &'r Response) -> Self {
        Self::within(response, Span::new(response.id(), 0, end_of(response.text())))
    }

    /// At the beginning of a part of a response; nothing outside it is read.
    pub(super) fn within(response: &'r Response, part: Span) -> Self {
        let source = Source { text: response.text().get(..part.end as usize).unwrap_or(""), response };
        let start = part.start as usize;
        Self {
            response,
            source,
            line: source.read_inside(start, Margin::default()),
            at: start,
            margin: Margin::default(),
            layout: Layout::default(),
            region: 0,
            floor: start,
            envelope: None,
            searched: Cell::new(0),
            outdented: 0,
            heading: None,
            unread: Vec::new(),
            skipped: Vec::new(),
            tick: Cell::new((0, 0)),
            reasoning: Reasoning::default(),
            json: Survey::default(),
            past: Past::default(),
        }
    }

    /// The response that is read.
    pub fn response(&self) -> &'r Response {
        self.response
    }

    /// The number of the region that is parsed, for [`crate::edit::Edit::region`].
    pub fn region(&self) -> u32 {
        self.region
    }

    /// What stands before the lines that it reads and is no part of them.
    pub fn margin(&self) -> Margin<'r> {
        self.margin
    }

    /// The offset in the response at which it stands.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Whether there is no line left: the response ends here, or the block quote does that the region opened in.
    pub fn is_end(&self) -> bool {
        self.line.is_none()
    }

    /// The line from here on, `None` at the end.
    pub fn line(&self) -> Option<Line<'r>> {
        self.line
    }

    /// Whether it stands at the beginning of a line and not within one.
    pub fn begins_line(&self) -> bool {
        self.line.is_some_and(|line| line.marked.is_some())
    }

    /// The text of the line from here on; empty at the end.
    pub fn text(&self) -> &'r str {
        self.line.map_or("", |line| line.text)
    }

    /// The first byte from here on in this line that is no blank.
    pub fn first_byte(&self) -> Option<u8> {
        self.line.and_then(Line::first_byte)
    }

    /// The lines from here on, this one first.
    pub fn lines(&self) -> Lines<'r> {
        Lines { source: self.source, upcoming: self.line, margin: self.margin }
    }

    /// The lines above the one that it stands in, the nearest first, up to the end of the region before.
    pub fn above(&self) -> LinesAbove<'r> {
        // What begins within a line counts as a line of its own, but not as one above itself.
        let begins = |&start: &usize| {
            self.source
                .text
                .as_bytes()
                .get(..start)
                .is_none_or(|text| text.last().is_none_or(|&byte| byte == b'\n'))
        };
        let whole = self.line.and_then(|line| line.marked).filter(begins);
        let below = whole.unwrap_or_else(|| self.source.line_start(self.at));
        LinesAbove { source: self.source, below, floor: self.floor, margin: self.margin }
    }

    /// Goes to the next line.
    pub fn advance(&mut self) {
        if let Some(line) = self.line {
            self.go(self.source.read_inside(line.next, self.margin), line.next);
        }
    }

    /// Goes to the next line, and on over those that pass.
    #[inline]
    pub fn advance_past(&mut self, mut passes: impl FnMut(Line<'r>) -> bool) {
        self.advance();
        if self.margin.is_none() {
            let mut lines = self.lines();
            lines.pass(passes);
            self.go(lines.upcoming, self.source.text.len());
        } else {
            while self.line.is_some_and(&mut passes) {
                self.advance();
            }
        }
    }

    /// Goes to a line, or the rest of one, that [`Cursor::lines`] gave.
    pub fn go_to(&mut self, line: Line<'r>) {
        self.go(Some(line), line.start);
    }

    /// Goes to the end of the input.
    pub fn go_to_end(&mut self) {
        while let Some(line) = self.line {
            if self.margin.is_none() {
                self.go(None, self.response.text().len());
            } else {
                self.go(self.source.read_inside(line.next, self.margin), line.next);
            }
        }
    }

    /// Goes to the rest of a line, which counts as a whole one.
    pub(super) fn begin_line(&mut self, rest: Line<'r>) {
        self.go_to(Line { marked: Some(rest.start), ..rest });
    }

    /// Goes on by `count` bytes in this line.
    pub fn step(&mut self, count: usize) {
        if let Some(line) = self.line {
            self.go_to(line.skip(count));
        }
    }

    /// Goes over the blanks here; not to the next line.
    pub fn skip_blanks(&mut self) {
        let blanks = self.text().bytes().take_while(|&byte| is_blank(byte)).count();
        self.step(blanks);
    }

    /// Goes over blanks and line breaks to the next text, or to the end.
    pub fn skip_blank_lines(&mut self) {
        while self.line.is_some_and(Line::is_blank) {
            self.advance();
        }
        self.skip_blanks();
    }

    /// Where it stands, to go back there.
    pub fn mark(&self) -> Mark<'r> {
        Mark(self.line, self.at, self.layout)
    }

    /// Goes back to where it stood.
    pub fn reset(&mut self, mark: Mark<'r>) {
        self.layout = mark.2;
        self.go(mark.0, mark.1);
    }

    /// All that reading a region may change but the margin, to begin it anew.
    pub(super) fn state(&self) -> State<'r> {
        State {
            mark: self.mark(),
            region: self.region,
            floor: self.floor,
            envelope: self.envelope,
            searched: self.searched.get(),
            skipped: self.skipped.len(),
            heading: self.heading.clone(),
            reasoning: self.reasoning.clone(),
        }
    }

    /// Goes back to that state.
    pub(super) fn restore(&mut self, state: State<'r>) {
        self.reset(state.mark);
        self.region = state.region;
        self.floor = state.floor;
        self.envelope = state.envelope;
        self.searched.set(state.searched);
        self.skipped.truncate(state.skipped);
        self.heading = state.heading;
        self.reasoning = state.reasoning;
    }

    fn go(&mut self, line: Option<Line<'r>>, at: usize) {
        self.at = line.map_or(at, |line| line.start);
        self.line = line;
    }

    /// The span of the response's bytes `start..end`.
    pub fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.response.id(), start, end)
    }

    /// The lines from the one that begins at `start` to before the one that begins at `end`, both as the lines of this
    /// cursor begin: without its margin, each ended by `\n`.
    pub fn payload(&self, start: usize, end: usize) -> Passage {
        self.source.payload(start, end, self.margin)
    }

    /// Goes to the next line and notes what this one says of the Markdown around regions. For lines that are no part of a
    /// text of an edit.
    pub(super) fn pass(&mut self) {
        if let Some(start) = self.line.and_then(|line| line.marked) {
            let (content, quotes) = skip_quote(self.source.text, start, self.layout.deepest_quote());
            self.layout.pass(quotes, self.rest_of_line(content));
        }
        self.advance();
    }

    /// The fence that the cursor stands in, if it stands in one.
    pub(super) fn fence(&self) -> Option<Fence<'r>> {
        self.layout.fence(self.margin.quotes)
    }

    /// The blanks before this line that are none of it, because its fence or list item is indented by them.
    pub(super) fn indentation(&self) -> &'r str {
        let Some(start) = self.line.and_then(|line| line.marked) else { return "" };
        let (content, _) = skip_quote(self.source.text, start, self.margin.quotes);
        self.layout.indentation(self.margin.quotes, self.rest_of_line(content))
    }

    /// The line that it stands in, from there on, whatever its margin is.
    fn rest_of_line(&self, at: usize) -> &'r str {
        self.line.and_then(|line| self.source.text.get(at..line.end())).unwrap_or("")
    }

    /// Whether the line that it stands at has no other blanks that are none of it than those that it reads lines without.
    pub(super) fn is_at_margin(&self) -> bool {
        self.indentation() == self.margin.blanks
    }

    /// Takes the block quote's marks off the line that it stands at, if there are any.
    pub(super) fn enter_quote(&mut self) -> bool {
        let Some(start) = self.line.and_then(|line| line.marked) else { return false };
        let (_, quotes) = skip_quote(self.source.text, start, usize::MAX);
        quotes > 0 && self.enter(Margin { quotes, ..Margin::default() })
    }

    /// Takes such blanks off the line that it stands at and those below, if they stand there. In a fence lines may have
    /// fewer.
    pub(super) fn enter_indentation(&mut self, blanks: &'r str) -> bool {
        self.enter(Margin { blanks, is_fenced: self.fence().is_some(), ..self.margin })
    }

    /// Whether one of the lines from `start` to where it stands lacks some of its margin.
    pub(super) fn lacks_margin(&self, start: usize) -> bool {
        let margin = self.margin;
        let lines = Lines { source: self.source, upcoming: self.source.read_inside(start, margin), margin };
        let lacks = |line: Line<'_>| line.marked.is_some_and(|at| !margin.is_whole(self.source.text, at));
        lines.take_while(|line| line.start < self.at).any(|line| !line.is_blank() && lacks(line))
    }

    /// Whether the mark of a list item may begin this line. Cheap.
    pub(super) fn may_begin_item(&self) -> bool {
        self.first_byte().is_some_and(layout::may_begin_item)
    }

    /// Goes behind the mark of the list item that begins at this line, if one does; the lines below are read without the
    /// blanks that stand under that mark, or as they are.
    pub(super) fn enter_item(&mut self, is_indented: bool) -> bool {
        let Some(line) = self.line.filter(|line| line.is_whole()) else { return false };
        let Some((blanks, text)) = layout::item_of(line.text) else { return false };
        let rest = line.skip(line.text.len() - text.len());
        if text.is_empty() {
            return false;
        }
        let blanks = if is_indented { blanks } else { "" };
        self.margin = Margin { blanks, is_fenced: false, ..self.margin };
        self.begin_line(rest);
        true
    }

    /// Goes over a tag or a word in brackets that begins this line if JSON follows right behind it, as in
    /// `<tool_call>{…}`; says whether it did.
    pub(super) fn skip_word_before_json(&mut self) -> bool {
        let Some(line) = self.line.map(Line::trim_start) else { return false };
        let close = match line.text.as_bytes().first() {
            Some(b'<') => '>',
            Some(b'[') => ']',
            _ => return false,
        };
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '|');
        let word = line.text[1..].find(|c| !is_word(c)).unwrap_or(0);
        let Some(rest) = line.text[1 + word..].strip_prefix(close) else { return false };
        let json = trim_start(rest);
        if word == 0 || !json.starts_with("{\"") && !json.starts_with("[{") {
            return false;
        }
        self.begin_line(line.skip(line.text.len() - json.len()));
        self.end_region();
        true
    }

    fn enter(&mut self, margin: Margin<'r>) -> bool {
        let Some(start) = self.line.and_then(|line| line.marked) else { return false };
        let Some(line) = self.source.read_inside(start, margin) else { return false };
        self.margin = margin;
        self.go_to(line);
        true
    }

    /// Goes back to reading lines with that margin, which is a part of the one that it reads them with.
    pub(super) fn leave(&mut self, margin: Margin<'r>) {
        if self.margin == margin {
            return;
        }
        self.margin = margin;
        let whole = match self.line {
            // In the midst of a line its margin is behind.
            Some(Line { marked: None, .. }) => return,
            Some(Line { marked, .. }) => marked.unwrap_or(self.at),
            None => self.at,
        };
        self.go(self.source.read_inside(whole, margin), whole);
    }

    /// Whether the rest of this line has yet to be searched for what may stand in its midst. A parser that found nothing
    /// says so with [`Cursor::set_searched`], so that a long line with many regions in it is searched once.
    pub fn is_unsearched(&self) -> bool {
        self.searched.get() <= self.at
    }

    /// Notes that nothing stands in the midst of this line.
    pub fn set_searched(&self) {
        self.searched.set(self.line.map_or(self.at, Line::end));
    }

    /// Where the first backtick stands in a line, or in the rest of one; its length if there is none. A long line may be
    /// asked about again and again.
    pub(super) fn first_tick(&self, line: Line<'_>) -> usize {
        let (end, tick) = self.tick.get();
        if end != line.end() || tick < line.start {
            let tick = memchr::memchr(b'`', line.text.as_bytes()).map_or(line.end(), |at| line.start + at);
            self.tick.set((line.end(), tick));
        }
        self.tick.get().1.saturating_sub(line.start)
    }

    /// Notes that an envelope opens there whose end may be several regions away, with prose between them. All up to
    /// [`Cursor::close_envelope`] have one region's number; one that is never closed is an error. Gives the envelope
    /// that was open already, if any.
    pub fn open_envelope(&mut self, span: Span) -> Option<Span> {
        self.envelope.replace(span)
    }

    /// Notes that the open envelope, if any, ends here.
    pub fn close_envelope(&mut self) {
        self.envelope = None;
    }

    /// Where the envelope opened in which the cursor stands, if it stands in one.
    pub fn envelope(&self) -> Option<Span> {
        self.envelope
    }

    /// Notes that a region begins here. Regions are numbered from 1.
    pub(super) fn begin_region(&mut self) {
        if self.envelope.is_none() {
            self.region += 1;
        }
    }

    /// Notes that a region, or reasoning, has ended here.
    pub(super) fn end_region(&mut self) {
        self.floor = self.at;
        self.layout.end_paragraph();
    }
}
