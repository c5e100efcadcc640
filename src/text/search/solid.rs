//! The lines of a text that are not blank.

use crate::text::Normalization;
use crate::text::piece::Piece;
use std::collections::HashMap;
use std::ops::Range;

/// The lines of a text that are not blank, counted apart from those that are.
pub(crate) struct Solid<'a> {
    normalization: Normalization,
    /// With each piece how many such lines come before it, and those that it has.
    pieces: Vec<(usize, Piece<'a>, &'a [usize])>,
    len: usize,
}

impl<'a> Solid<'a> {
    /// Those of a range of lines, which pieces have.
    pub(super) fn new(
        normalization: Normalization,
        all: impl Iterator<Item = Piece<'a>>,
        range: Range<usize>,
    ) -> Self {
        let (mut pieces, mut len) = (Vec::new(), 0);
        for piece in all {
            let lines = piece.solid();
            let from = lines.partition_point(|line| piece.first() + line < range.start);
            let to = lines.partition_point(|line| piece.first() + line < range.end);
            let lines = lines.get(from..to).unwrap_or(&[]);
            pieces.push((len, piece, lines));
            len += lines.len();
        }
        Self { normalization, pieces, len }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The piece that one of them is in, and its line in that.
    fn position(&self, index: usize) -> Option<(&Piece<'a>, usize)> {
        let at = self.pieces.partition_point(|&(before, ..)| before <= index).checked_sub(1)?;
        let (before, piece, lines) = self.pieces.get(at)?;
        Some((piece, *lines.get(index - before)?))
    }

    /// Which line of the text one of them is.
    pub(crate) fn line(&self, index: usize) -> Option<usize> {
        self.position(index).map(|(piece, line)| piece.first() + line)
    }

    /// Which of them a line of the text is; none for a blank one.
    pub(crate) fn index(&self, line: usize) -> Option<usize> {
        let at = self.pieces.partition_point(|(_, piece, _)| piece.first() <= line).checked_sub(1)?;
        let (before, piece, lines) = self.pieces.get(at)?;
        lines.binary_search(&(line - piece.first())).ok().map(|at| before + at)
    }

    /// Its text.
    pub(crate) fn text(&self, index: usize) -> &'a [u8] {
        self.position(index).map_or(&[], |(piece, line)| piece.text(line))
    }

    /// The hashes of some of them.
    pub(crate) fn hashes_of(&self, range: Range<usize>) -> Vec<u64> {
        let from = self.pieces.partition_point(|&(before, ..)| before <= range.start).saturating_sub(1);
        let pieces = self.pieces.iter().skip(from).take_while(|&&(before, ..)| before < range.end);
        let of_piece = |&(before, ref piece, lines): &(usize, Piece<'a>, &'a [usize])| {
            let (hashes, range) = (piece.hashes(self.normalization), range.clone());
            let index = move |at: usize| range.contains(&(before + at));
            lines.iter().enumerate().filter(move |(at, _)| index(*at)).map(|(_, &line)| hashes[line])
        };
        pieces.flat_map(of_piece).collect()
    }

    /// Where each of some hashes stands; of one that stands more often than `most` only as much as says so.
    pub(crate) fn spots(&self, wanted: &[u64], most: usize) -> HashMap<u64, Vec<usize>> {
        let mut spots: HashMap<u64, Vec<usize>> = wanted.iter().map(|&hash| (hash, Vec::new())).collect();
        for (before, piece, lines) in &self.pieces {
            let asked = |(hash, spots): (&u64, &Vec<usize>)| {
                (spots.len() <= most && piece.may_have(self.normalization, *hash)).then_some(*hash)
            };
            let wanted: Vec<u64> = spots.iter().filter_map(asked).collect();
            if wanted.is_empty() {
                continue;
            }
            let hashes = piece.hashes(self.normalization);
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

/// This many hashes are compared one by one sooner than looked up.
const FEW: usize = 8;
