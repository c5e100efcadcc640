//! The lines of a text that are not blank.

use crate::text::Normalization;
use crate::text::chunk::Piece;
use std::collections::HashMap;
use std::ops::Range;

/// The non-blank lines of a text, with an index of their own.
pub(crate) struct Solid<'a> {
    normalization: Normalization,
    /// For each piece: how many non-blank lines come before it, the piece, and its non-blank lines.
    pieces: Vec<(usize, Piece<'a>, &'a [usize])>,
    len: usize,
}

impl<'a> Solid<'a> {
    /// The non-blank lines of a range that these pieces cover.
    pub(super) fn new(
        normalization: Normalization,
        all: impl Iterator<Item = Piece<'a>>,
        range: Range<usize>,
    ) -> Self {
        let (mut pieces, mut len) = (Vec::new(), 0);
        for piece in all {
            let lines = piece.chunk.solid();
            let from = lines.partition_point(|line| piece.first + line < range.start);
            let to = lines.partition_point(|line| piece.first + line < range.end);
            let lines = lines.get(from..to).unwrap_or(&[]);
            pieces.push((len, piece, lines));
            len += lines.len();
        }
        Self { normalization, pieces, len }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The piece of one of them, and its line there.
    fn position(&self, index: usize) -> Option<(&Piece<'a>, usize)> {
        let at = self.pieces.partition_point(|&(before, ..)| before <= index).checked_sub(1)?;
        let (before, piece, lines) = self.pieces.get(at)?;
        Some((piece, *lines.get(index - before)?))
    }

    /// The line in the text of one of them.
    pub(crate) fn line(&self, index: usize) -> Option<usize> {
        self.position(index).map(|(piece, line)| piece.first + line)
    }

    /// The index of a line of the text; `None` if it is blank.
    pub(crate) fn index(&self, line: usize) -> Option<usize> {
        let at = self.pieces.partition_point(|(_, piece, _)| piece.first <= line).checked_sub(1)?;
        let (before, piece, lines) = self.pieces.get(at)?;
        lines.binary_search(&(line - piece.first)).ok().map(|at| before + at)
    }

    pub(crate) fn text(&self, index: usize) -> &'a [u8] {
        self.position(index).map_or(&[], |(piece, line)| piece.chunk.line(line).text)
    }

    /// The hashes of a range of them.
    pub(crate) fn hashes_of(&self, range: Range<usize>) -> Vec<u64> {
        let from = self.pieces.partition_point(|&(before, ..)| before <= range.start).saturating_sub(1);
        let pieces = self.pieces.iter().skip(from).take_while(|&&(before, ..)| before < range.end);
        let of_piece = |&(before, ref piece, lines): &(usize, Piece<'a>, &'a [usize])| {
            let (hashes, range) = (&*piece.chunk.hashes(self.normalization).lines, range.clone());
            let index = move |at: usize| range.contains(&(before + at));
            lines.iter().enumerate().filter(move |(at, _)| index(*at)).map(|(_, &line)| hashes[line])
        };
        pieces.flat_map(of_piece).collect()
    }

    /// Where lines with these hashes are. For a hash with more than `most` lines, only enough to tell that.
    pub(crate) fn spots(&self, wanted: &[u64], most: usize) -> HashMap<u64, Vec<usize>> {
        let mut spots: HashMap<u64, Vec<usize>> = wanted.iter().map(|&hash| (hash, Vec::new())).collect();
        for (before, piece, lines) in &self.pieces {
            let asked = |(hash, spots): (&u64, &Vec<usize>)| {
                (spots.len() <= most && piece.chunk.hashes(self.normalization).may_have(*hash))
                    .then_some(*hash)
            };
            let wanted: Vec<u64> = spots.iter().filter_map(asked).collect();
            if wanted.is_empty() {
                continue;
            }
            let hashes = &*piece.chunk.hashes(self.normalization).lines;
            for (at, &line) in lines.iter().enumerate() {
                let hash = hashes[line];
                if (wanted.len() > FEW || wanted.contains(&hash))
                    && let Some(spots) = spots.get_mut(&hash)
                {
                    spots.push(before + at);
                }
            }
        }
        spots
    }
}

/// Up to this number of hashes, comparing all is faster than a lookup.
const FEW: usize = 8;
