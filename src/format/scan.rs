//! A cursor over a response's lines: what every format's parser reads through.
//!
//! Apart from the formats so that line breaks, block quotes and the rules about reasoning are handled once. Lines are
//! slices of the response; only [`Cursor::payload`] copies.
//!
//! A line break is `\n` or `\r\n`. In a region that opened inside a block quote every line is seen without as many `>`
//! marks as the opening line had; the region's input ends where the quote does.

use super::edit_calls::Past;
use super::json::Survey;
use super::reasoning::Reasoning;
use crate::response::Response;
use crate::span::Span;
use std::cell::Cell;

/// A line, or what is left of one, without its line break and without the block quote's marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'r> {
    /// Its text.
    pub text: &'r str,
    /// The offset of the text's first byte in the response.
    pub start: usize,
    /// The offset of the byte after the line break; the response's length for the last line.
    pub next: usize,
    /// Where the line begins with the marks of the block quote, if this is a whole line.
    marked: Option<usize>,
}

/// A response's text, read by lines.
#[derive(Clone, Copy, Debug)]
struct Source<'r> {
    text: &'r str,
}

impl<'r> Source<'r> {
    /// Where the line begins that has `at` in it; at the end, a line without a line break.
    fn line_start(self, at: usize) -> usize {
        let before = self.text.as_bytes().get(..at).unwrap_or(&[]);
        memchr::memrchr(b'\n', before).map_or(0, |end| end + 1)
    }

    /// Where the line after the one that has `at` in it begins; the end of the text if there is none.
    #[inline]
    fn next_line(self, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or(&[]);
        memchr::memchr(b'\n', rest).map_or(self.text.len(), |end| at + end + 1)
    }

    /// The line that has `at` in it, from there on.
    #[inline]
    fn read(self, at: usize) -> Line<'r> {
        let next = self.next_line(at);
        Line { text: self.text_between(at, next), start: at, next, marked: None }
    }

    /// The text from `at` to the line break before `next`.
    #[inline]
    fn text_between(self, at: usize, next: usize) -> &'r str {
        #[cfg(test)]
        LINES_READ.with(|count| count.set(count.get() + 1));
        let bytes = self.text.as_bytes();
        let mut end = next;
        if end > at && bytes[end - 1] == b'\n' {
            end -= 1;
            if end > at && bytes[end - 1] == b'\r' {
                end -= 1;
            }
        }
        &self.text[at..end]
    }

    /// The line that begins at `at`, as it reads inside `depth` block quotes; `None` where those have ended. A blank line
    /// does not end them, since many a tool that quotes text leaves blank lines alone.
    #[inline]
    fn read_quoted(self, at: usize, depth: usize) -> Option<Line<'r>> {
        if at >= self.text.len() {
            return None;
        }
        if depth == 0 {
            return Some(Line { marked: Some(at), ..self.read(at) });
        }
        let (content, found) = skip_quote(self.text, at, depth);
        let line = Line { marked: Some(at), ..self.read(content) };
        (found == depth || line.is_blank()).then_some(line)
    }

    /// The text from `start` to before `end`, as it reads inside `depth` block quotes, each line ended by `\n`.
    fn payload(self, start: usize, end: usize, depth: usize) -> String {
        let Some(whole) = self.text.get(start..end) else { return String::new() };
        let is_plain = depth == 0 && memchr::memchr(b'\r', whole.as_bytes()).is_none();
        if is_plain && (whole.is_empty() || whole.ends_with('\n')) {
            return whole.to_owned();
        }
        let mut payload = String::with_capacity(whole.len() + 1);
        if is_plain {
            payload.push_str(whole);
            payload.push('\n');
            return payload;
        }
        let lines = Lines { source: self, upcoming: Some(self.read(start)), quote: depth };
        for line in lines.take_while(|line| line.start < end) {
            payload.push_str(line.text.get(..end - line.start).unwrap_or(line.text));
            payload.push('\n');
        }
        payload.shrink_to_fit();
        payload
    }
}

impl<'r> Line<'r> {
    /// The rest of the line after its first `count` bytes.
    #[must_use]
    pub fn skip(self, count: usize) -> Self {
        let count = count.min(self.text.len());
        let marked = self.marked.filter(|_| count == 0);
        Self { text: self.text.get(count..).unwrap_or(""), start: self.start + count, marked, ..self }
    }

    /// The offset after the text's last byte.
    pub fn end(self) -> usize {
        self.start + self.text.len()
    }

    /// The first byte that is no blank, if there is one. Cheap: what to look at before anything else.
    pub fn first_byte(self) -> Option<u8> {
        self.text.bytes().find(|&byte| !is_blank(byte))
    }

    /// Whether it holds nothing but blanks.
    pub fn is_blank(self) -> bool {
        self.first_byte().is_none()
    }

    /// Whether it is a whole line and not the rest of one.
    pub fn is_whole(self) -> bool {
        self.marked.is_some()
    }

    /// It without the blanks at its beginning.
    #[must_use]
    pub fn trim_start(self) -> Self {
        self.skip(self.text.len() - trim_start(self.text).len())
    }

    /// Its text without blanks at both ends.
    pub fn trimmed(self) -> &'r str {
        trim(self.text)
    }
}

#[cfg(test)]
thread_local! {
    /// How many lines were read, as a measure of work.
    static LINES_READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// How many lines this thread has read so far.
#[cfg(test)]
pub(super) fn lines_read() -> usize {
    LINES_READ.with(std::cell::Cell::get)
}

/// Whether a byte is a space or a tab.
pub fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// A text without spaces and tabs at both ends.
#[inline]
pub fn trim(text: &str) -> &str {
    let text = trim_start(text);
    let blanks = text.bytes().rev().take_while(|&byte| is_blank(byte)).count();
    &text[..text.len() - blanks]
}

/// A text without spaces and tabs before it.
#[inline]
pub fn trim_start(text: &str) -> &str {
    let blanks = text.bytes().take_while(|&byte| is_blank(byte)).count();
    &text[blanks..]
}

/// Whether a text is another but for blanks around it. Looks at no more than it must: parsers ask this of the rest of a
/// line, which may be long, again and again.
pub fn is_text(text: &str, wanted: &str) -> bool {
    trim_start(text).strip_prefix(wanted).is_some_and(|rest| rest.bytes().all(is_blank))
}

/// Whether a text begins with an ASCII text in any case.
pub fn starts_with_ignore_case(text: &str, prefix: &str) -> bool {
    text.len() >= prefix.len() && text.as_bytes()[..prefix.len()].eq_ignore_ascii_case(prefix.as_bytes())
}

/// The offset after up to `depth` block quote marks at `at`, which begins a line, and how many there were. A mark is
/// `>` after at most three spaces, with one space after it.
fn skip_quote(text: &str, at: usize, depth: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let mut content = at;
    for found in 0..depth {
        let spaces = bytes[content..].iter().take(4).take_while(|&&byte| byte == b' ').count();
        if spaces > 3 || bytes.get(content + spaces) != Some(&b'>') {
            return (content, found);
        }
        content += spaces + 1;
        if bytes.get(content) == Some(&b' ') {
            content += 1;
        }
    }
    (content, depth)
}

/// Lines from a place on, read ahead of a [`Cursor`] without moving it.
#[derive(Clone, Debug)]
pub struct Lines<'r> {
    source: Source<'r>,
    upcoming: Option<Line<'r>>,
    quote: usize,
}

impl<'r> Lines<'r> {
    /// Goes over the lines from here on that pass. For the many that say nothing: it takes less than to look at each
    /// line with [`Iterator::next`].
    #[inline]
    pub fn pass(&mut self, mut passes: impl FnMut(Line<'r>) -> bool) {
        while let Some(line) = self.upcoming.filter(|&line| passes(line)) {
            let mut at = line.next;
            if self.quote == 0 {
                while at < self.source.text.len() {
                    let next = self.source.next_line(at);
                    let text = self.source.text_between(at, next);
                    let line = Line { text, start: at, next, marked: Some(at) };
                    if !passes(line) {
                        self.upcoming = Some(line);
                        return;
                    }
                    at = next;
                }
            }
            self.upcoming = self.source.read_quoted(at, self.quote);
        }
    }

    /// The text from here to before `end`, which may be within a line: without the block quote's marks, each line ended
    /// by `\n`.
    pub fn payload(&self, end: usize) -> String {
        self.upcoming.map_or_else(String::new, |first| self.source.payload(first.start, end, self.quote))
    }
}

impl<'r> Iterator for Lines<'r> {
    type Item = Line<'r>;

    #[inline]
    fn next(&mut self) -> Option<Line<'r>> {
        let line = self.upcoming?;
        self.upcoming = self.source.read_quoted(line.next, self.quote);
        Some(line)
    }
}

/// Lines above a place, the nearest first; see [`Cursor::above`].
#[derive(Clone, Debug)]
pub struct LinesAbove<'r> {
    source: Source<'r>,
    /// Where the line after the next one to give begins.
    below: usize,
    floor: usize,
    quote: usize,
}

impl<'r> Iterator for LinesAbove<'r> {
    type Item = Line<'r>;

    fn next(&mut self) -> Option<Line<'r>> {
        if self.below <= self.floor {
            return None;
        }
        self.below = self.source.line_start(self.below.checked_sub(1)?);
        let start = self.below.max(self.floor);
        let (content, _) = skip_quote(self.source.text, start, self.quote);
        Some(self.source.read(content))
    }
}

/// A place to go back to; see [`Cursor::mark`].
#[derive(Clone, Copy, Debug)]
pub struct Mark<'r>(Option<Line<'r>>, usize);

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
    quote: usize,
    region: u32,
    /// The end of the last region: nothing above belongs to what is parsed now.
    floor: usize,
    /// Where an envelope opened that is not closed yet.
    envelope: Option<Span>,
    /// Up to where a line was searched for what may stand in its midst.
    searched: Cell<usize>,
    pub(super) reasoning: Reasoning,
    pub(super) json: Survey,
    pub(super) past: Past,
}

impl<'r> Cursor<'r> {
    /// At the beginning of a response.
    pub fn new(response: &'r Response) -> Self {
        let source = Source { text: response.text() };
        Self {
            response,
            source,
            line: source.read_quoted(0, 0),
            at: 0,
            quote: 0,
            region: 0,
            floor: 0,
            envelope: None,
            searched: Cell::new(0),
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

    /// Inside how many block quotes it reads.
    pub fn quote_depth(&self) -> usize {
        self.quote
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
        Lines { source: self.source, upcoming: self.line, quote: self.quote }
    }

    /// The lines above the one that it stands in, the nearest first, up to the end of the region before.
    pub fn above(&self) -> LinesAbove<'r> {
        let whole = self.line.and_then(|line| line.marked);
        let below = whole.unwrap_or_else(|| self.source.line_start(self.at));
        LinesAbove { source: self.source, below, floor: self.floor, quote: self.quote }
    }

    /// Goes to the next line.
    pub fn advance(&mut self) {
        if let Some(line) = self.line {
            self.go(self.source.read_quoted(line.next, self.quote), line.next);
        }
    }

    /// Goes to the next line, and on over those that pass.
    #[inline]
    pub fn advance_past(&mut self, mut passes: impl FnMut(Line<'r>) -> bool) {
        self.advance();
        if self.quote == 0 {
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
            if self.quote == 0 {
                self.go(None, self.response.text().len());
            } else {
                self.go(self.source.read_quoted(line.next, self.quote), line.next);
            }
        }
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
        Mark(self.line, self.at)
    }

    /// Goes back to where it stood.
    pub fn reset(&mut self, mark: Mark<'r>) {
        self.go(mark.0, mark.1);
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
    /// cursor begin: without the block quote's marks, each ended by `\n`.
    pub fn payload(&self, start: usize, end: usize) -> String {
        self.source.payload(start, end, self.quote)
    }

    /// Takes the block quote's marks off the line that it stands at, if there are any.
    pub(super) fn enter_quote(&mut self) -> bool {
        if !self.begins_line() {
            return false;
        }
        let (content, found) = skip_quote(self.source.text, self.at, usize::MAX);
        if found == 0 {
            return false;
        }
        self.quote = found;
        self.go(Some(Line { marked: Some(self.at), ..self.source.read(content) }), content);
        true
    }

    /// Goes back to reading lines as they are.
    pub(super) fn leave_quote(&mut self) {
        if self.quote > 0 {
            self.quote = 0;
            match self.line {
                // In the midst of a line its marks are behind.
                Some(Line { marked: None, .. }) => {}
                Some(Line { marked: Some(start), .. }) => self.go(self.source.read_quoted(start, 0), self.at),
                None => self.go(self.source.read_quoted(self.at, 0), self.at),
            }
        }
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(text: &str) -> Response {
        Response::new(0, "r", text.as_bytes().to_vec(), 1 << 20).unwrap()
    }

    fn texts<'r>(lines: impl Iterator<Item = Line<'r>>) -> Vec<&'r str> {
        lines.map(|line| line.text).collect()
    }

    #[test]
    fn a_line_break_is_lf_or_crlf_and_a_lone_cr_is_text() {
        let r = response("a\r\nb\n\r\nc\rd\r");
        assert_eq!(texts(Cursor::new(&r).lines()), ["a", "b", "", "c\rd\r"]);
        assert_eq!(texts(Cursor::new(&response("")).lines()), [""; 0]);
        assert_eq!(texts(Cursor::new(&response("a\n")).lines()), ["a"]);
    }

    #[test]
    fn a_payload_has_lf_only_whatever_the_response_has() {
        let r = response("<\r\n a\r\n\r\nb\r\n>");
        let cursor = Cursor::new(&r);
        let lines: Vec<_> = cursor.lines().collect();
        assert_eq!(cursor.payload(lines[1].start, lines[4].start), " a\n\nb\n");
        let r = response("<\na\nb");
        assert_eq!(Cursor::new(&r).payload(2, 5), "a\nb\n", "the last line gets its line break");
        assert_eq!(Cursor::new(&r).payload(2, 2), "");
    }

    #[test]
    fn inside_a_quote_its_marks_are_taken_off_and_blank_lines_need_none() {
        let r = response("> > a\n> >   b\n\n>\n>>c\n> d\n");
        let mut cursor = Cursor::new(&r);
        assert!(cursor.enter_quote());
        let lines: Vec<_> = cursor.lines().collect();
        assert_eq!(texts(lines.iter().copied()), ["a", "  b", "", "", "c"]);
        assert_eq!(cursor.payload(lines[1].start, lines[4].start), "  b\n\n\n");
        cursor.go_to_end();
        assert!(cursor.is_end());
        cursor.leave_quote();
        assert_eq!(cursor.text(), "> d", "the line that ended the quote is read as it is");
    }

    #[test]
    fn a_line_that_ends_the_quote_keeps_its_marks_for_the_search_after_it() {
        let r = response("> a\nb\n");
        let mut cursor = Cursor::new(&r);
        cursor.enter_quote();
        cursor.advance();
        assert!(cursor.is_end());
        cursor.leave_quote();
        assert_eq!(cursor.text(), "b");
    }

    #[test]
    fn a_quote_that_ends_without_a_line_break_is_not_read_again() {
        let r = response("> a\n> b");
        let mut cursor = Cursor::new(&r);
        cursor.enter_quote();
        cursor.go_to_end();
        cursor.leave_quote();
        assert!(cursor.is_end());
    }

    #[test]
    fn only_the_quotes_depth_is_taken_off() {
        let r = response("> a\n> >>>\n>>>>\n");
        let mut cursor = Cursor::new(&r);
        cursor.enter_quote();
        assert_eq!(texts(cursor.lines()), ["a", ">>>", ">>>"]);
    }

    #[test]
    fn steps_stay_in_the_line_and_blank_lines_are_skipped_to_the_text() {
        let r = response("ab\n \n\t\n  c d\n");
        let mut cursor = Cursor::new(&r);
        cursor.step(5);
        assert_eq!((cursor.text(), cursor.at()), ("", 2));
        cursor.skip_blank_lines();
        assert_eq!((cursor.text(), cursor.at()), ("c d", 9));
        let mark = cursor.mark();
        cursor.step(1);
        cursor.skip_blank_lines();
        assert_eq!(cursor.text(), "d");
        cursor.advance();
        assert!(cursor.is_end());
        cursor.reset(mark);
        assert_eq!(cursor.text(), "c d");
    }

    #[test]
    fn lines_above_come_nearest_first_up_to_the_region_before() {
        let r = response("a\nb\r\n\n> c\nd");
        let mut cursor = Cursor::new(&r);
        cursor.advance();
        cursor.end_region();
        for _ in 0..3 {
            cursor.advance();
        }
        cursor.step(1);
        assert_eq!(texts(cursor.above()), ["> c", "", "b"]);
        assert_eq!(texts(Cursor::new(&r).above()), [""; 0]);
    }

    #[test]
    fn above_stops_inside_the_line_where_the_region_before_ended() {
        let r = response("end of it, more\nx");
        let mut cursor = Cursor::new(&r);
        cursor.step(10);
        cursor.end_region();
        assert_eq!(texts(cursor.above()), [""; 0]);
        cursor.advance();
        assert_eq!(texts(cursor.above()), [" more"]);
    }
}
