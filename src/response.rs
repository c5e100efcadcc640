//! The text of a model's response, with an index of its lines.
//!
//! [`Response::new`] checks the untrusted bytes. All other code gets UTF-8 of a limited size.

mod passage;

pub use passage::Passage;
pub(crate) use passage::{Conversion, marked};

use crate::span::{LineRange, Span};
use std::borrow::Cow;
use std::sync::Arc;

/// The size limit of a response, in bytes, unless `llmapply.maxSize` sets another.
pub const DEFAULT_MAX_SIZE: u64 = 64 * 1024 * 1024;

/// Why bytes cannot be read as a response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResponseError {
    /// There are more bytes than the limit allows.
    #[error("{name} is larger than {limit} bytes")]
    TooLarge {
        /// The response's name.
        name: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// The bytes are not UTF-8.
    #[error("{name} is not UTF-8: line {line} has the byte 0x{byte:02x}")]
    NotUtf8 {
        /// The response's name.
        name: String,
        /// The line of the first invalid byte, from 1.
        line: usize,
        /// That byte.
        byte: u8,
    },
}

/// The size of the blocks, in bytes, for which the number of line breaks is stored. An index of all lines could be
/// larger than the text.
const BLOCK: usize = 4096;

/// A model's response: UTF-8 text without a byte order mark, with an index of its lines.
#[derive(Debug, Clone)]
pub struct Response {
    id: u32,
    name: String,
    text: Arc<String>,
    /// How many line breaks come before each block of the text.
    breaks: Vec<u32>,
}

/// Returns the last component of a response's name.
pub(crate) fn file_name(name: &str) -> &str {
    name.rsplit('/').next().filter(|last| !last.is_empty()).unwrap_or(name)
}

impl Response {
    /// Creates a response from bytes, without a leading UTF-8 byte order mark. `id` is the index of the response in the
    /// run, from 0. `name` is its name in messages.
    ///
    /// # Errors
    /// Fails if there are more than `limit` bytes (or 4 GiB), or if they are not UTF-8.
    pub fn new(id: u32, name: impl Into<String>, bytes: Vec<u8>, limit: u64) -> Result<Self, ResponseError> {
        let name = name.into();
        let limit = limit.min(u64::from(u32::MAX) - 1);
        if bytes.len() as u64 > limit {
            return Err(ResponseError::TooLarge { name, limit });
        }
        let mut text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let bytes = error.as_bytes();
                let line = bytes[..at].iter().filter(|&&b| b == b'\n').count() + 1;
                return Err(ResponseError::NotUtf8 { name, line, byte: bytes[at] });
            }
        };
        if text.starts_with('\u{feff}') {
            text.drain(..'\u{feff}'.len_utf8());
        }
        // A response that is cut off may end inside of a `\r\n`.
        text.truncate(text.trim_end_matches('\r').len());
        let mut breaks = Vec::with_capacity(text.len() / BLOCK + 1);
        let mut seen = 0;
        for block in text.as_bytes().chunks(BLOCK) {
            breaks.push(seen);
            seen += count_breaks(block) as u32;
        }
        Ok(Self { id, name, text: Arc::new(text), breaks })
    }

    /// Returns the response with another index.
    pub fn with_id(self, id: u32) -> Self {
        Self { id, ..self }
    }

    /// Its index in the run, from 0; the `response` of every [`Span`] into it.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Its name in messages: a file name, or `standard input`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name without directories, for records: the directories of one machine mean nothing on another.
    pub fn file_name(&self) -> &str {
        file_name(&self.name)
    }

    /// The whole text, without a byte order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text with `\n` line endings and without blank lines at its end. It is the same for every copy of a
    /// response.
    pub fn plain_text(&self) -> Cow<'_, str> {
        let text = self.text.trim_end();
        match memchr::memchr(b'\r', text.as_bytes()) {
            Some(_) => Cow::Owned(text.replace("\r\n", "\n")),
            None => Cow::Borrowed(text),
        }
    }

    /// Returns the text without copying it.
    pub fn shared(&self) -> Arc<String> {
        Arc::clone(&self.text)
    }

    /// Returns the text of a span; empty if it is out of bounds or splits a character.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// Returns the number of the line, from 1, that contains the byte at `offset`.
    pub fn line_of(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        // If the last block is full, the end of the text is right after it, and no block begins there.
        let block = (offset / BLOCK).min(self.breaks.len().saturating_sub(1));
        let before = self.breaks.get(block).map_or(0, |&breaks| breaks as usize);
        before + count_breaks(&self.text.as_bytes()[block * BLOCK..offset]) + 1
    }

    /// Returns the offset of a line, by its number from 1; the end of the text if there are fewer lines.
    pub(crate) fn line_start(&self, line: usize) -> usize {
        let Some(wanted) = line.checked_sub(2) else { return 0 };
        // The block that contains the line break before this line.
        let block = self.breaks.partition_point(|&breaks| breaks as usize <= wanted).saturating_sub(1);
        let before = self.breaks.get(block).map_or(0, |&breaks| breaks as usize);
        let rest = &self.text.as_bytes()[(block * BLOCK).min(self.text.len())..];
        let found = memchr::memchr_iter(b'\n', rest).nth(wanted - before);
        found.map_or(self.text.len(), |at| block * BLOCK + at + 1)
    }

    /// Returns the lines without their line breaks, beginning with line number `first`, from 1.
    pub fn lines_from(&self, first: usize) -> impl Iterator<Item = &str> {
        self.text.get(self.line_start(first)..).unwrap_or("").lines()
    }

    /// Returns the lines that a span touches.
    pub fn lines_of(&self, span: Span) -> LineRange {
        let range = span.range();
        let first = self.line_of(range.start);
        let last = if range.end > range.start { self.line_of(range.end - 1) } else { first };
        LineRange { first, last }
    }
}

fn count_breaks(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(bytes: &[u8]) -> Response {
        Response::new(0, "r", bytes.to_vec(), 1000).unwrap()
    }

    #[test]
    fn lines_are_counted_from_one_and_a_line_break_belongs_to_its_line() {
        let r = response(b"a\nbc\n\nd");
        assert_eq!([0, 1, 2, 4, 5, 6, 7].map(|at| r.line_of(at)), [1, 1, 2, 2, 3, 4, 4]);
        assert_eq!(r.lines_of(Span::new(0, 2, 6)), LineRange { first: 2, last: 3 });
        assert_eq!(r.lines_of(Span::new(0, 2, 2)), LineRange { first: 2, last: 2 });
        assert_eq!(response(b"").line_of(0), 1);
    }

    #[test]
    fn lines_are_counted_across_blocks() {
        for line in ["\n", "abc\n", "x\r\n"] {
            let bytes = line.repeat(3 * BLOCK / line.len() + 5).into_bytes();
            let r = Response::new(0, "r", bytes, 1 << 20).unwrap();
            let starts: Vec<usize> = (0..r.text().len()).step_by(line.len()).collect();
            let near_edge = |start: usize| (start + 2 * line.len()) % BLOCK < 4 * line.len();
            for (index, &start) in starts.iter().enumerate().filter(|(_, start)| near_edge(**start)) {
                assert_eq!(r.line_of(start), index + 1);
                assert_eq!(r.line_of(start + line.len() - 1), index + 1);
                assert_eq!(r.line_start(index + 1), start);
            }
            assert_eq!(r.line_of(r.text().len()), starts.len() + 1);
            assert_eq!(r.line_start(starts.len() + 1), r.text().len());
            assert_eq!(r.lines_from(starts.len() - 1).count(), 2);
            assert_eq!(r.lines_from(starts.len() + 9).count(), 0);
        }
        let long = Response::new(0, "r", vec![b'x'; 2 * BLOCK], 1 << 20).unwrap();
        assert_eq!((long.line_of(2 * BLOCK), long.line_start(2)), (1, 2 * BLOCK));
    }

    #[test]
    fn a_byte_order_mark_is_dropped() {
        assert_eq!(response(b"\xef\xbb\xbfx").text(), "x");
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused_with_their_line() {
        let error = Response::new(0, "r", b"a\nb\xff".to_vec(), 1000).unwrap_err();
        assert_eq!(error, ResponseError::NotUtf8 { name: "r".into(), line: 2, byte: 0xff });
    }

    #[test]
    fn the_limit_is_inclusive() {
        assert!(Response::new(0, "r", vec![b'a'; 10], 10).is_ok());
        assert!(Response::new(0, "r", vec![b'a'; 11], 10).is_err());
    }
}
