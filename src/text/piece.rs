//! The pieces that a text is searched by.

use super::Normalization;
use super::chunk::Chunk;
use std::ops::Range;

/// Consecutive whole lines of a file.
#[derive(Clone, Copy)]
pub(super) struct Piece<'a> {
    first: usize,
    chunk: &'a Chunk,
}

impl<'a> Piece<'a> {
    /// A chunk; `first` is the index of its first line in the file.
    pub(super) fn new(first: usize, chunk: &'a Chunk) -> Self {
        Self { first, chunk }
    }

    /// The index of its first line in the file.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// How many lines it has.
    pub(super) fn len(&self) -> usize {
        self.chunk.line_count()
    }

    /// All of its bytes.
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.chunk.bytes()
    }

    /// The hashes of its lines in a normalization.
    pub(super) fn hashes(&self, normalization: Normalization) -> &'a [u64] {
        &self.chunk.hashes(normalization).lines
    }

    /// Whether a line with a hash may be among them. That is asked in no time, and says yes for few hashes that none has.
    pub(super) fn may_have(&self, normalization: Normalization, hash: u64) -> bool {
        self.chunk.hashes(normalization).may_have(hash)
    }

    /// Whether a text may stand within it, asked in the same way.
    pub(super) fn may_hold(&self, text: &[u8]) -> bool {
        self.chunk.may_hold(text)
    }

    /// Its lines that are not blank, ascending, counted within the piece.
    pub(super) fn solid(&self) -> &'a [usize] {
        self.chunk.solid()
    }

    /// The text of its line with that index, counted within the piece; empty if there is none.
    pub(super) fn text(&self, index: usize) -> &'a [u8] {
        if index < self.chunk.line_count() { self.chunk.line(index).text } else { &[] }
    }

    /// The line that holds the byte at `offset`, counted within the piece, and where its text is among the bytes.
    pub(super) fn line_at(&self, offset: usize) -> Option<(usize, Range<usize>)> {
        self.chunk.line_at(offset)
    }
}
