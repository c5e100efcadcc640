//! Chunks: runs of whole lines, with caches that make searches in them fast.

use super::normalization::{Normalization, hash};
use super::{Eol, Line};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The smallest size of a chunk in bytes, except for the last one. A text of twice this size is cut into two chunks.
/// Small chunks make versions of a file cheap, large ones keep their number low: a file of 5 MB has about 300.
const MIN_CHUNK: usize = 16 * 1024;

/// Some consecutive lines; never empty.
pub(super) struct Chunk {
    bytes: Box<[u8]>,
    cr_ends_lines: bool,
    line_count: usize,
    /// The positions of the lines. They are computed on first use, because many chunks that edits make are never read.
    lines: OnceLock<Box<[LineSpan]>>,
    /// The hashes of the lines in each normalization.
    hashes: [OnceLock<Hashes>; Normalization::ALL.len()],
    /// The indexes of the lines that are not blank.
    solid: OnceLock<Box<[usize]>>,
    /// The sieve of all triples. A triple is three consecutive bytes.
    triples: OnceLock<Sieve>,
}

/// A chunk at its place in a file, for searching.
#[derive(Clone, Copy)]
pub(super) struct PlacedChunk<'a> {
    /// The index of the chunk's first line in the file.
    pub(super) first: usize,
    pub(super) chunk: &'a Chunk,
}

pub(super) struct Hashes {
    pub(super) lines: Box<[u64]>,
    sieve: Sieve,
}

impl Hashes {
    /// Whether a line may have this hash.
    pub(super) fn may_have(&self, hash: u64) -> bool {
        self.sieve.may_have(hash)
    }
}

/// A set of numbers that may also report numbers that are not in it (a Bloom filter with one hash function): all
/// numbers with the same lowest bits share one bit. A sieve without bits reports every number.
struct Sieve(Box<[u64]>);

/// Chunks with fewer bytes have no sieve, because searching them takes no longer than making one.
const MIN_SIEVED: usize = 2048;

/// The bits of a sieve of lines: about ten per line.
const LINE_SIEVE_BITS: usize = 4096;

/// The bits of a sieve of triples: about ten per distinct triple.
const TRIPLE_SIEVE_BITS: usize = 32_768;

impl Sieve {
    fn new(bits: usize, numbers: impl Iterator<Item = u64>) -> Self {
        let mut sieve = Self(vec![0; bits / 64].into());
        for number in numbers {
            let (word, mask) = sieve.bit(number);
            sieve.0[word] |= mask;
        }
        sieve
    }

    fn may_have(&self, number: u64) -> bool {
        if self.0.is_empty() {
            return true;
        }
        let (word, mask) = self.bit(number);
        self.0[word] & mask != 0
    }

    /// The word and the bit for a number.
    fn bit(&self, number: u64) -> (usize, u64) {
        let bit = usize::try_from(number % (self.0.len() as u64 * 64)).unwrap_or(0);
        (bit / 64, 1 << (bit % 64))
    }
}

/// A number for each triple of some bytes.
fn triples(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.windows(3).map(|three| {
        let three = three.iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
        // The highest bits of the product depend on all others.
        (three * 0x9e37_79b9) >> 17
    })
}

/// At most about this number of triples of a text are looked up.
const PROBED_TRIPLES: usize = 12;

/// Where the text of a line begins and ends, and its line ending.
#[derive(Clone, Copy)]
struct LineSpan {
    start: usize,
    end: usize,
    eol: Option<Eol>,
}

/// The positions of all lines of a text.
fn line_spans(bytes: &[u8], cr_ends_lines: bool) -> impl Iterator<Item = LineSpan> {
    let breaker = if cr_ends_lines { b'\r' } else { b'\n' };
    let mut start = 0;
    let ends = memchr::memchr_iter(breaker, bytes).map(Some).chain([None]);
    ends.filter_map(move |at| {
        let mark = match at {
            Some(at) if cr_ends_lines => LineSpan { start, end: at, eol: Some(Eol::Cr) },
            Some(at) if at > start && bytes[at - 1] == b'\r' => {
                LineSpan { start, end: at - 1, eol: Some(Eol::CrLf) }
            }
            Some(at) => LineSpan { start, end: at, eol: Some(Eol::Lf) },
            None => LineSpan { start, end: bytes.len(), eol: None },
        };
        start = at.map_or(bytes.len(), |at| at + 1);
        (mark.start < bytes.len()).then_some(mark)
    })
}

/// Cuts a text into chunks, and adds them to `chunks`.
pub(super) fn cut(bytes: &[u8], cr_ends_lines: bool, chunks: &mut Vec<Arc<Chunk>>) {
    let (mut start, mut line_count) = (0, 0);
    for mark in line_spans(bytes, cr_ends_lines) {
        line_count += 1;
        let end = mark.end + mark.eol.map_or(0, |eol| eol.as_bytes().len());
        if end == bytes.len() || (end - start >= MIN_CHUNK && bytes.len() - end >= MIN_CHUNK) {
            chunks.push(Arc::new(Chunk {
                bytes: bytes[start..end].into(),
                cr_ends_lines,
                line_count: std::mem::take(&mut line_count),
                lines: OnceLock::new(),
                hashes: Default::default(),
                solid: OnceLock::new(),
                triples: OnceLock::new(),
            }));
            start = end;
        }
    }
}

impl Chunk {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn line_count(&self) -> usize {
        self.line_count
    }

    fn lines(&self) -> &[LineSpan] {
        self.lines.get_or_init(|| line_spans(&self.bytes, self.cr_ends_lines).collect())
    }

    pub(super) fn line(&self, index: usize) -> Line<'_> {
        let mark = self.lines()[index];
        Line { text: &self.bytes[mark.start..mark.end], eol: mark.eol }
    }

    pub(super) fn line_start(&self, index: usize) -> usize {
        self.lines()[index].start
    }

    /// The line with the byte at `offset`, and the range of its text.
    pub(super) fn line_at(&self, offset: usize) -> Option<(usize, Range<usize>)> {
        let line = self.lines().partition_point(|mark| mark.start <= offset).checked_sub(1)?;
        Some((line, self.lines()[line].start..self.lines()[line].end))
    }

    fn sieve<I: Iterator<Item = u64>>(&self, bits: usize, numbers: impl FnOnce() -> I) -> Sieve {
        match self.bytes.len() < MIN_SIEVED {
            true => Sieve(Box::default()),
            false => Sieve::new(bits, numbers()),
        }
    }

    pub(super) fn hashes(&self, normalization: Normalization) -> &Hashes {
        self.hashes[normalization as usize].get_or_init(|| {
            let known = normalization
                .stricter()
                .map(|normalization| (normalization, &self.hashes(normalization).lines));
            let hash_of = |(index, mark): (usize, &LineSpan)| {
                let text = &self.bytes[mark.start..mark.end];
                let bytes = normalization.of(text);
                match known {
                    Some((normalization, hashes)) if normalization.of(text) == bytes => hashes[index],
                    _ => hash(&bytes),
                }
            };
            let lines: Box<[u64]> = self.lines().iter().enumerate().map(hash_of).collect();
            let sieve = self.sieve(LINE_SIEVE_BITS, || lines.iter().copied());
            Hashes { lines, sieve }
        })
    }

    /// The lines that are not blank, ascending.
    pub(super) fn solid(&self) -> &[usize] {
        self.solid.get_or_init(|| (0..self.line_count).filter(|&at| !self.line(at).is_blank()).collect())
    }

    /// Whether the chunk may contain a text. Only a few triples of the text are looked up.
    pub(super) fn may_hold(&self, text: &[u8]) -> bool {
        let sieve = self.triples.get_or_init(|| self.sieve(TRIPLE_SIEVE_BITS, || triples(&self.bytes)));
        sieve.0.is_empty()
            || triples(text).step_by(text.len() / PROBED_TRIPLES + 1).all(|triple| sieve.may_have(triple))
    }
}
