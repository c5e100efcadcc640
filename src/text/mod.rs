//! The content of a file: lines, line endings, final newline, byte order mark, text or binary.
//!
//! [`Content`] is cut into chunks of whole lines that versions of a file share. An edit makes new chunks only where it
//! changes something, so that thousands of edits on a large file neither copy the file nor read all its lines each
//! time.

pub(crate) mod alike;
mod chunk;
mod difference;
mod language;
mod normalization;
pub mod search;
mod word;

pub use difference::{difference, difference_of, in_common};
pub use language::Language;
pub(crate) use language::{Trait, extension};
pub use normalization::{Normalization, depth, indentation, is_blank, plain};
pub(crate) use normalization::{item_indentation, step_indentation};
pub use word::{is_of_word, words};

use chunk::{Chunk, PlacedChunk};
use std::ops::Range;
use std::sync::Arc;

/// How many leading bytes git searches for a NUL to call a file binary (`buffer_is_binary` in git's xdiff-interface.c).
const BINARY_PROBE: usize = 8000;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// A line ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Eol {
    /// `\n`.
    Lf,
    /// `\r\n`.
    CrLf,
    /// `\r`, in a file without any `\n`.
    Cr,
}

impl Eol {
    /// Its bytes.
    pub fn as_bytes(self) -> &'static [u8] {
        match self {
            Eol::Lf => b"\n",
            Eol::CrLf => b"\r\n",
            Eol::Cr => b"\r",
        }
    }
}

/// One line of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Line<'a> {
    /// Its text, without the line ending (and, in the first line, without the byte order mark).
    pub text: &'a [u8],
    /// Its line ending; `None` only in a last line without one.
    pub eol: Option<Eol>,
}

impl Line<'_> {
    /// Whether it is empty or only whitespace.
    pub fn is_blank(&self) -> bool {
        normalization::is_blank(self.text)
    }
}

/// The first line of a Git LFS pointer (its specification, "The Pointer").
const LFS_VERSION: &[u8] = b"version https://git-lfs.github.com/spec/v1";

/// A file's content as lines. Cloning is cheap; [`Content::replace`] makes a new version that shares the unchanged
/// chunks.
#[derive(Clone)]
pub struct Content {
    inner: Arc<Inner>,
}

struct Inner {
    /// All chunks but the last end with a line ending; none is empty.
    chunks: Vec<Arc<Chunk>>,
    /// The index of each chunk's first line, and at the end the number of lines.
    starts: Vec<usize>,
    has_bom: bool,
    /// Whether a lone `\r` ends a line, because the original file has no `\n`.
    cr_ends_lines: bool,
    is_binary: bool,
    /// The first byte of the original file that is not UTF-8, and its line, from 1.
    not_utf8: Option<(usize, u8)>,
}

impl Content {
    /// Splits a file into lines.
    pub fn new(bytes: &[u8]) -> Self {
        let is_binary = memchr::memchr(0, &bytes[..bytes.len().min(BINARY_PROBE)]).is_some();
        let has_bom = bytes.starts_with(BOM);
        let text = if has_bom { &bytes[BOM.len()..] } else { bytes };
        let cr_ends_lines = memchr::memchr(b'\n', text).is_none() && memchr::memchr(b'\r', text).is_some();
        let mut chunks = Vec::new();
        chunk::cut(text, cr_ends_lines, &mut chunks);
        let not_utf8 = std::str::from_utf8(bytes).err().map(|error| {
            let at = error.valid_up_to();
            let end = if cr_ends_lines { b'\r' } else { b'\n' };
            (1 + memchr::memchr_iter(end, &bytes[..at]).count(), bytes[at])
        });
        Self::of_chunks(chunks, has_bom, cr_ends_lines, is_binary, not_utf8)
    }

    fn of_chunks(
        chunks: Vec<Arc<Chunk>>,
        has_bom: bool,
        cr_ends_lines: bool,
        is_binary: bool,
        not_utf8: Option<(usize, u8)>,
    ) -> Self {
        let mut starts = Vec::with_capacity(chunks.len() + 1);
        let mut lines = 0;
        for chunk in &chunks {
            starts.push(lines);
            lines += chunk.line_count();
        }
        starts.push(lines);
        let inner = Inner { chunks, starts, has_bom, cr_ends_lines, is_binary, not_utf8 };
        Self { inner: Arc::new(inner) }
    }

    /// Whether git calls it binary: a NUL is among the first 8000 bytes.
    pub fn is_binary(&self) -> bool {
        self.inner.is_binary
    }

    /// Whether it is a Git LFS pointer instead of the file's real content.
    pub fn is_lfs_pointer(&self) -> bool {
        self.lines(0..1).next().is_some_and(|line| line.text == LFS_VERSION)
    }

    /// The first byte of the original file that is not UTF-8, and its line, from 1.
    pub fn not_utf8(&self) -> Option<(usize, u8)> {
        self.inner.not_utf8
    }

    /// Whether it begins with a UTF-8 byte order mark, which is not part of a line.
    pub fn has_bom(&self) -> bool {
        self.inner.has_bom
    }

    /// The number of lines, including a last line without a newline.
    pub fn line_count(&self) -> usize {
        self.inner.starts.last().copied().unwrap_or(0)
    }

    /// Whether it has no lines.
    pub fn is_empty(&self) -> bool {
        self.inner.chunks.is_empty()
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        let bom = if self.inner.has_bom { BOM.len() } else { 0 };
        bom + self.inner.chunks.iter().map(|chunk| chunk.bytes().len()).sum::<usize>()
    }

    /// The line at this index, from 0.
    pub fn line(&self, index: usize) -> Option<Line<'_>> {
        let (chunk, line) = self.position(index)?;
        Some(self.inner.chunks[chunk].line(line))
    }

    /// The lines of a range, from 0, up to the end of the file.
    pub fn lines(&self, range: Range<usize>) -> impl Iterator<Item = Line<'_>> {
        let end = range.end.min(self.line_count());
        let first = if range.start < end { self.position(range.start) } else { None };
        let (chunk, line) = first.unwrap_or((self.inner.chunks.len(), 0));
        let rest = self.inner.chunks.get(chunk..).unwrap_or(&[]);
        let lines = rest.iter().flat_map(|chunk| (0..chunk.line_count()).map(|line| chunk.line(line)));
        lines.skip(line).take(end.saturating_sub(range.start))
    }

    /// How many lines at the beginning and at the end are in chunks that another version shares. Lines themselves are
    /// not compared.
    pub fn shared_lines(&self, other: &Self) -> (usize, usize) {
        let (head, tail) = self.shared_chunks(other);
        let starts = &self.inner.starts;
        let end = self.inner.chunks.len() - tail;
        (starts[head], self.line_count() - starts[end])
    }

    /// How many chunks at the beginning and at the end are shared.
    fn shared_chunks(&self, other: &Self) -> (usize, usize) {
        let (left, right) = (&self.inner.chunks, &other.inner.chunks);
        let same = |(a, b): &(&Arc<Chunk>, &Arc<Chunk>)| Arc::ptr_eq(a, b);
        let head = left.iter().zip(right).take_while(same).count();
        let (left, right) = (&left[head..], &right[head..]);
        (head, left.iter().rev().zip(right.iter().rev()).take_while(same).count())
    }

    /// The most frequent line ending of some lines, the first on a tie. If they have none, it is the most frequent of
    /// the file, or `\n` if the file has none.
    pub fn eol_of(&self, lines: Range<usize>) -> Eol {
        let most_frequent = |lines: Range<usize>| {
            let mut counts: Vec<(Eol, usize)> = Vec::new();
            for eol in self.lines(lines).filter_map(|line| line.eol) {
                match counts.iter_mut().find(|(seen, _)| *seen == eol) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((eol, 1)),
                }
            }
            counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(eol, _)| eol)
        };
        most_frequent(lines).or_else(|| most_frequent(0..self.line_count())).unwrap_or(Eol::Lf)
    }

    /// The most frequent line ending.
    pub fn dominant_eol(&self) -> Eol {
        self.eol_of(0..self.line_count())
    }

    /// Whether the last line has a line ending; true for an empty file.
    pub fn ends_with_newline(&self) -> bool {
        self.line_count()
            .checked_sub(1)
            .and_then(|last| self.line(last))
            .is_none_or(|line| line.eol.is_some())
    }

    /// The address of the content in memory. No other content has it while a clone of this one is alive.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.inner).addr()
    }

    /// All bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len());
        if self.inner.has_bom {
            bytes.extend_from_slice(BOM);
        }
        for chunk in &self.inner.chunks {
            bytes.extend_from_slice(chunk.bytes());
        }
        bytes
    }

    /// Returns a version in which these bytes replace a range of lines. Everything else stays byte for byte. If the
    /// bytes have no final line ending, the next line continues them.
    #[must_use]
    pub fn replace(&self, lines: Range<usize>, with: &[u8]) -> Self {
        let inner = &*self.inner;
        let start = lines.start.min(self.line_count());
        let end = lines.end.clamp(start, self.line_count());
        // The chunks `first..last` are rebuilt. The bytes of the first one before `offset` stay, and so do the bytes of
        // the last one from `rest` on.
        let (mut first, offset) = self.byte_position(start);
        let (mut last, rest) = self.byte_position(end);
        let mut bytes = Vec::new();
        match inner.chunks.get(first) {
            Some(chunk) => bytes.extend_from_slice(&chunk.bytes()[..offset]),
            // The new bytes go to the end of the file. If the last line has no newline, they continue it, so its chunk
            // is rebuilt.
            None => {
                if let Some(chunk) = inner.chunks.last().filter(|_| !self.ends_with_newline()) {
                    first -= 1;
                    bytes.extend_from_slice(chunk.bytes());
                }
            }
        }
        bytes.extend_from_slice(with);
        if let Some(chunk) = inner.chunks.get(last)
            && (rest > 0 || last == first)
        {
            bytes.extend_from_slice(&chunk.bytes()[rest..]);
            last += 1;
        }
        let ends_line =
            |bytes: &[u8]| bytes.last().is_none_or(|&b| b == if inner.cr_ends_lines { b'\r' } else { b'\n' });
        while !ends_line(&bytes) {
            let Some(chunk) = inner.chunks.get(last) else { break };
            bytes.extend_from_slice(chunk.bytes());
            last += 1;
        }
        let mut chunks = Vec::with_capacity(inner.chunks.len() + 1);
        chunks.extend_from_slice(&inner.chunks[..first]);
        chunk::cut(&bytes, inner.cr_ends_lines, &mut chunks);
        chunks.extend_from_slice(inner.chunks.get(last..).unwrap_or(&[]));
        Self::of_chunks(chunks, inner.has_bom, inner.cr_ends_lines, inner.is_binary, inner.not_utf8)
    }

    /// The chunks that have lines of a range, for searching.
    fn chunks(&self, lines: Range<usize>) -> impl Iterator<Item = PlacedChunk<'_>> {
        let from = self.position(lines.start).map_or(self.inner.chunks.len(), |(chunk, _)| chunk);
        let starts = self.inner.starts[from..].iter().copied();
        let chunks =
            starts.zip(&self.inner.chunks[from..]).map(|(first, chunk)| PlacedChunk { first, chunk });
        chunks.take_while(move |placed| placed.first < lines.end)
    }

    /// The chunk of a line, and the line's index there.
    fn position(&self, line: usize) -> Option<(usize, usize)> {
        if line >= self.line_count() {
            return None;
        }
        let chunk = self.inner.starts.partition_point(|&start| start <= line).checked_sub(1)?;
        Some((chunk, line - self.inner.starts[chunk]))
    }

    /// The chunk and the byte offset at which a line begins. For the end of the file, it is the chunk after the last
    /// one.
    fn byte_position(&self, line: usize) -> (usize, usize) {
        match self.position(line) {
            Some((chunk, line)) => (chunk, self.inner.chunks[chunk].line_start(line)),
            None => (self.inner.chunks.len(), 0),
        }
    }
}

impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        if Arc::ptr_eq(&self.inner, &other.inner) {
            return true;
        }
        if self.inner.has_bom != other.inner.has_bom || self.len() != other.len() {
            return false;
        }
        let (head, tail) = self.shared_chunks(other);
        let rest = |chunks: &[Arc<Chunk>]| -> Vec<u8> {
            chunks[head..chunks.len() - tail].iter().map(|chunk| chunk.bytes()).collect::<Vec<_>>().concat()
        };
        rest(&self.inner.chunks) == rest(&other.inner.chunks)
    }
}

impl Eq for Content {}

impl std::fmt::Debug for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Content({:?})", String::from_utf8_lossy(&self.to_bytes()))
    }
}

#[cfg(test)]
mod tests;
