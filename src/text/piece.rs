//! A chunk at its place in a file, for searching.

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
    /// A chunk whose first line has the index `first` in the file.
    pub(super) fn new(first: usize, chunk: &'a Chunk) -> Self {
        Self { first, chunk }
    }

    /// The index of its first line in the file.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// The number of its lines.
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

    /// Whether a line may have this hash. The answer is fast, and rarely yes if no line has it.
    pub(super) fn may_have(&self, normalization: Normalization, hash: u64) -> bool {
        self.chunk.hashes(normalization).may_have(hash)
    }

    /// Whether it may contain a text, with an answer as fast.
    pub(super) fn may_hold(&self, text: &[u8]) -> bool {
        self.chunk.may_hold(text)
    }

    /// Its lines that are not blank, ascending, by their index in the piece.
    pub(super) fn solid(&self) -> &'a [usize] {
        self.chunk.solid()
    }

    /// The text of the line at this index in the piece; empty if there is none.
    pub(super) fn text(&self, index: usize) -> &'a [u8] {
        if index < self.chunk.line_count() { self.chunk.line(index).text } else { &[] }
    }

    /// The line with the byte at `offset`, by its index in the piece, and the range of its text.
    pub(super) fn line_at(&self, offset: usize) -> Option<(usize, Range<usize>)> {
        self.chunk.line_at(offset)
    }
}
