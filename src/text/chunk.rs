//! A run of whole lines with what was once found out about them.

use super::normalization::{Normalization, hash};
use super::{Eol, Line};
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
    hashes: [OnceLock<Hashes>; Normalization::ALL.len()],
    /// The lines that are not blank.
    solid: OnceLock<Box<[usize]>>,
    /// A bit for each three bytes in a row.
    triples: OnceLock<Sieve>,
}

/// The hashes of a chunk's lines.
pub(super) struct Hashes {
    pub(super) lines: Box<[u64]>,
    sieve: Sieve,
}

impl Hashes {
    /// Whether one of them may be this one.
    pub(super) fn may_have(&self, hash: u64) -> bool {
        self.sieve.may_have(hash)
    }
}

/// A set of numbers that says of each whether it may be in it: a bit stands for all numbers with the same lowest bits.
/// Without any bit every number may be in it.
struct Sieve(Box<[u64]>);

/// Chunks of fewer bytes have no sieves: they are searched as fast as a sieve is made.
const SMALL: usize = 2048;

/// How many bits the sieve of a chunk's lines has: some ten for each line.
const LINES: usize = 4096;

/// How many bits that of its triples has: some ten for each of those that differ.
const TRIPLES: usize = 32_768;

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

    /// The word and the bit in it that stand for a number.
    fn bit(&self, number: u64) -> (usize, u64) {
        let bit = usize::try_from(number % (self.0.len() as u64 * 64)).unwrap_or(0);
        (bit / 64, 1 << (bit % 64))
    }
}

/// The numbers of every three bytes in a row.
fn triples(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.windows(3).map(|three| {
        let three = three.iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
        // The highest bits of a product depend on all others.
        (three * 0x9e37_79b9) >> 17
    })
}

/// This many triples of a text are looked at.
const PROBED: usize = 12;

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
        Arc::new(Self {
            bytes: bytes.into(),
            lines: marks.into(),
            eol_counts,
            hashes: Default::default(),
            solid: OnceLock::new(),
            triples: OnceLock::new(),
        })
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

    fn sieve<I: Iterator<Item = u64>>(&self, bits: usize, numbers: impl FnOnce() -> I) -> Sieve {
        match self.bytes.len() < SMALL {
            true => Sieve(Box::default()),
            false => Sieve::new(bits, numbers()),
        }
    }

    pub(super) fn hashes(&self, normalization: Normalization) -> &Hashes {
        self.hashes[normalization as usize].get_or_init(|| {
            let known = normalization
                .stricter()
                .map(|normalization| (normalization, &self.hashes(normalization).lines));
            let hash_of = |(index, mark): (usize, &Mark)| {
                let text = &self.bytes[mark.start..mark.end];
                let bytes = normalization.of(text);
                match known {
                    Some((normalization, hashes)) if normalization.of(text) == bytes => hashes[index],
                    _ => hash(&bytes),
                }
            };
            let lines: Box<[u64]> = self.lines.iter().enumerate().map(hash_of).collect();
            let sieve = self.sieve(LINES, || lines.iter().copied());
            Hashes { lines, sieve }
        })
    }

    /// The lines that are not blank, ascending.
    pub(super) fn solid(&self) -> &[usize] {
        self.solid.get_or_init(|| (0..self.lines.len()).filter(|&at| !self.line(at).is_blank()).collect())
    }

    /// Whether a text may stand in it. A few of its triples are looked at.
    pub(super) fn may_hold(&self, text: &[u8]) -> bool {
        let sieve = self.triples.get_or_init(|| self.sieve(TRIPLES, || triples(&self.bytes)));
        sieve.0.is_empty()
            || triples(text).step_by(text.len() / PROBED + 1).all(|triple| sieve.may_have(triple))
    }
}
