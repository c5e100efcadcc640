//! JSON in a response. A value is a tree of nodes that refer to the text by offsets.
//!
//! Comments and trailing commas are allowed. Parsing decodes nothing; texts are decoded when they are used. If a value
//! is cut off or invalid, the tree contains everything before that place.

#[cfg(test)]
mod tests;
mod text;
mod tree;

pub(super) use text::{Decoded, ends_with_break, lines, plain, strings, with_break};
pub(super) use tree::{Kind, Value};

use super::fault;
use super::fence::Fence;
use super::scan::{Cursor, Lines};
use crate::diag::Diagnostic;
use crate::response::Response;
use crate::span::Span;
use std::io::Read;
use std::ops::Range;
use std::rc::Rc;
use tree::Nodes;

/// Why a value is not complete.
#[derive(Debug)]
pub(super) struct Broken {
    /// The offset of the error.
    at: usize,
    /// The error in words.
    why: String,
    /// Whether the text ends at the error.
    is_cut_off: bool,
}

/// At most this number of bytes after an error are searched for keys.
const MAX_SEARCHED: usize = 2000;

/// Quotes that may be around a key, including quotes that are not valid in JSON.
const QUOTES: [char; 6] = ['"', '\'', '“', '”', '‘', '’'];

/// Blanks and quotes that are not valid in JSON.
const FOREIGN: [char; 6] = ['\u{a0}', '\'', '“', '”', '‘', '’'];

/// A value of JSON.
#[derive(Clone, Debug)]
pub(super) struct Json<'t> {
    response: &'t Response,
    nodes: Rc<Nodes>,
}

impl<'t> Json<'t> {
    /// Parses a text that is one value.
    pub(super) fn of_text(response: &'t Response) -> Self {
        let nodes = Nodes::read(response.text(), 0, &mut response.text().as_bytes());
        Self { response, nodes: Rc::new(nodes) }
    }

    /// Returns the outermost value; `None` if not even its beginning is valid.
    pub(super) fn root(&self) -> Option<Value<'_>> {
        Value::first(self.response, &self.nodes)
    }

    /// The range of the value, up to its end or the error.
    pub(super) fn range(&self) -> Range<usize> {
        self.nodes.range.clone()
    }

    /// Why it is not complete.
    pub(super) fn broken(&self) -> Option<&Broken> {
        self.nodes.broken.as_ref()
    }

    /// Whether it is cut off.
    pub(super) fn is_cut_off(&self) -> bool {
        self.broken().is_some_and(|broken| broken.is_cut_off)
    }

    /// Returns the keys that were read, including keys in strings that contain JSON, and the keys in the line of the
    /// error. If the error is a foreign quote or blank, also returns the keys in the lines below.
    pub(super) fn keys(&self) -> impl Iterator<Item = &'t str> {
        let Range { start, end } = self.range();
        let text = self.response.text();
        let rest = text.get(end..).filter(|_| self.broken().is_some()).unwrap_or("");
        let more = rest.len().min(MAX_SEARCHED);
        let line = memchr::memchr(b'\n', &rest.as_bytes()[..more]).filter(|_| !rest.starts_with(FOREIGN));
        let end = (end..=end + line.unwrap_or(more)).rev().find(|&end| text.is_char_boundary(end));
        let read = text.get(start..end.unwrap_or(start)).unwrap_or("");
        memchr::memchr_iter(b':', read.as_bytes()).filter_map(|colon| key_before(&read[..colon]))
    }

    /// Returns the error of an incomplete value.
    pub(super) fn fault(&self) -> Option<Diagnostic> {
        let broken = self.broken()?;
        let span = |start, end| Span::new(self.response.id(), start, end);
        let (at, Range { start, end }) = (broken.at, self.range());
        if broken.is_cut_off {
            return Some(fault::unterminated(span(start, end), "JSON").with_lost(span(at, at)));
        }
        let rest = self.response.text().get(at..).unwrap_or("");
        let length = rest.chars().next().map_or(0, char::len_utf8);
        Some(fault::invalid_json(span(at, at + length), &broken.why))
    }

    /// Goes past the value. After an error, goes past the line of the error, unless that line may begin a region.
    pub(super) fn leave(&self, cursor: &mut Cursor<'_>) {
        let Range { start, end } = self.range();
        while cursor.line().is_some_and(|line| line.next <= end) {
            cursor.advance();
        }
        let Some(line) = cursor.line() else { return };
        let before = end.saturating_sub(line.start);
        let Some(broken) = self.broken() else { return cursor.step(before) };
        let is_foreign = self.response.text().get(broken.at..).is_some_and(|rest| rest.starts_with(FOREIGN));
        if is_foreign {
            // Lines below with the same error are skipped, so that it is reported once.
            cursor.advance_past(|line| {
                let inner = line.text.trim_matches(|c: char| c.is_whitespace() || "{}[],".contains(c));
                !line.is_blank() && (inner.is_empty() || inner.starts_with(FOREIGN))
            });
        } else if line.start <= start || line.text.get(..before).is_none_or(|text| !text.trim().is_empty()) {
            cursor.advance();
        }
    }
}

/// The value that was read last. Several formats ask for the same value, which is parsed only once.
#[derive(Debug, Default)]
pub(super) struct LastValue {
    /// The margin in which it was read: quote marks and blanks.
    margin: (usize, usize),
    /// The range that was parsed.
    parsed: Range<usize>,
    nodes: Option<Rc<Nodes>>,
}

impl LastValue {
    /// Returns the value that begins at this line; `None` if the line is inside of a value that was already parsed.
    pub(super) fn read<'r>(&mut self, cursor: &Cursor<'r>) -> Option<Json<'r>> {
        let start = cursor.line()?.trim_start().start;
        let margin = (cursor.margin().quotes, cursor.margin().blanks.len());
        if margin != self.margin || !self.parsed.contains(&start) {
            let text = cursor.response().text();
            let mut bytes = Blanked { text, lines: cursor.lines(), line: 0..0, at: start };
            let nodes = Nodes::read(text, start, &mut bytes);
            self.parsed = start..nodes.range.end.max(start + 1);
            (self.margin, self.nodes) = (margin, Some(Rc::new(nodes)));
        }
        let nodes = self.nodes.as_ref().filter(|_| self.parsed.start == start)?;
        Some(Json { response: cursor.response(), nodes: Rc::clone(nodes) })
    }
}

/// Whether JSON may begin at this line. This is a fast check.
pub(super) fn opens(cursor: &Cursor<'_>) -> bool {
    let Some(line) = cursor.line() else { return false };
    let mut chars = line.text.chars().filter(|c| !matches!(c, ' ' | '\t'));
    match chars.next() {
        Some('[') => matches!(chars.next(), None | Some('{' | '/')),
        Some('{') => chars.next().is_none_or(|c| c == '/' || QUOTES.contains(&c)),
        _ => false,
    }
}

/// Returns the key at the end of a text, in any quotes.
fn key_before(text: &str) -> Option<&str> {
    let inner = text.trim_end().strip_suffix(QUOTES)?.trim_end_matches('\\');
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = inner.bytes().rev().take_while(is_letter).count();
    let (before, key) = inner.split_at(inner.len() - length);
    before.ends_with(QUOTES).then_some(key)
}

/// The bytes of the lines above the next fence line. Their margin is replaced by blanks, so that offsets stay the same.
struct Blanked<'r> {
    text: &'r str,
    lines: Lines<'r>,
    /// The range of the current line.
    line: Range<usize>,
    /// The offset of the next byte.
    at: usize,
}

impl Read for Blanked<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.at >= self.line.end {
            let line = self.lines.next().filter(|line| Fence::of(line.text).is_none());
            let Some(line) = line else { return Ok(0) };
            self.line = line.start..line.next;
        }
        let blanks = self.line.start.saturating_sub(self.at).min(into.len());
        if blanks > 0 {
            into[..blanks].fill(b' ');
            self.at += blanks;
            return Ok(blanks);
        }
        let count = self.text.as_bytes().get(self.at..self.line.end).unwrap_or(&[]).read(into)?;
        self.at += count;
        Ok(count)
    }
}
