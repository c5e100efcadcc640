//! A run of whole lines with what was once found out about them.

use super::form::Form;
use super::{Eol, Line};
use std::hash::Hasher;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The least size of a chunk that another one follows, in bytes; one of twice the size is cut. Smaller ones make
/// versions of a file cheap, larger ones the list of chunks short; at 16 KiB a 5 MB file has some 300 of them.
const TARGET: usize = 16 * 1024;

/// Some consecutive lines; never empty.
pub(super) struct Chunk {
    bytes: Box<[u8]>,
    lines: Box<[Mark]>,
    eol_counts: [usize; 3],
    hashes: [OnceLock<Box<[u64]>>; Form::ALL.len()],
}

/// Where a line's text begins and ends, and what follows it.
#[derive(Clone, Copy)]
struct Mark {
    start: usize,
    end: usize,
    eol: Option<Eol>,
}

/// Cuts bytes into chunks.
pub(super) fn cut(bytes: &[u8], cr_ends_lines: bool, chunks: &mut Vec<Arc<Chunk>>) {
    let breaker = if cr_ends_lines { b'\r' } else { b'\n' };
    let mut marks: Vec<Mark> = Vec::new();
    let (mut chunk_start, mut line_start) = (0, 0);
    for at in memchr::memchr_iter(breaker, bytes) {
        let (end, eol) = match () {
            () if cr_ends_lines => (at, Eol::Cr),
            () if at > line_start && bytes[at - 1] == b'\r' => (at - 1, Eol::CrLf),
            () => (at, Eol::Lf),
        };
        marks.push(Mark { start: line_start - chunk_start, end: end - chunk_start, eol: Some(eol) });
        line_start = at + 1;
        if line_start - chunk_start >= TARGET && bytes.len() - line_start >= TARGET {
            chunks.push(Chunk::new(&bytes[chunk_start..line_start], std::mem::take(&mut marks)));
            chunk_start = line_start;
        }
    }
    if line_start < bytes.len() {
        marks.push(Mark { start: line_start - chunk_start, end: bytes.len() - chunk_start, eol: None });
    }
    if chunk_start < bytes.len() {
        chunks.push(Chunk::new(&bytes[chunk_start..], marks));
    }
}

impl Chunk {
    fn new(bytes: &[u8], marks: Vec<Mark>) -> Arc<Self> {
        let mut eol_counts = [0; 3];
        for mark in &marks {
            match mark.eol {
                Some(Eol::Lf) => eol_counts[0] += 1,
                Some(Eol::CrLf) => eol_counts[1] += 1,
                Some(Eol::Cr) => eol_counts[2] += 1,
                None => {}
            }
        }
        Arc::new(Self { bytes: bytes.into(), lines: marks.into(), eol_counts, hashes: Default::default() })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// How many lines end with `\n`, `\r\n`, `\r`.
    pub(super) fn eol_counts(&self) -> [usize; 3] {
        self.eol_counts
    }

    pub(super) fn line(&self, index: usize) -> Line<'_> {
        let mark = self.lines[index];
        Line { text: &self.bytes[mark.start..mark.end], eol: mark.eol }
    }

    pub(super) fn line_start(&self, index: usize) -> usize {
        self.lines[index].start
    }

    /// The line that holds the byte at `offset`, and where its text is.
    pub(super) fn line_at(&self, offset: usize) -> Option<(usize, Range<usize>)> {
        let line = self.lines.partition_point(|mark| mark.start <= offset).checked_sub(1)?;
        Some((line, self.lines[line].start..self.lines[line].end))
    }

    pub(super) fn hashes(&self, form: Form) -> &[u64] {
        self.hashes[form as usize].get_or_init(|| {
            let known = form.stricter().map(|form| (form, self.hashes(form)));
            let hash_of = |(index, mark): (usize, &Mark)| {
                let text = &self.bytes[mark.start..mark.end];
                let bytes = form.of(text);
                match known {
                    Some((form, hashes)) if form.of(text) == bytes => hashes[index],
                    _ => hash(&bytes),
                }
            };
            self.lines.iter().enumerate().map(hash_of).collect()
        })
    }
}

/// A line's hash, of the bytes of its form.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
