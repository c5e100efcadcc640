//! The lines of a text that are not blank.

use crate::text::Normalization;
use crate::text::chunk::PlacedChunk;
use std::collections::HashMap;
use std::ops::Range;

/// The non-blank lines of a text. They are numbered without the blank ones.
pub(crate) struct Solid<'a> {
    normalization: Normalization,
    /// For each chunk: how many non-blank lines come before it, the chunk, and its non-blank lines.
    chunks: Vec<(usize, PlacedChunk<'a>, &'a [usize])>,
    len: usize,
}

impl<'a> Solid<'a> {
    /// The non-blank lines of a range of lines. The chunks have to cover the range.
    pub(super) fn new(
        normalization: Normalization,
        all: impl Iterator<Item = PlacedChunk<'a>>,
        range: Range<usize>,
    ) -> Self {
        let (mut chunks, mut len) = (Vec::new(), 0);
        for placed in all {
            let lines = placed.chunk.solid();
            let from = lines.partition_point(|line| placed.first + line < range.start);
            let to = lines.partition_point(|line| placed.first + line < range.end);
            let lines = lines.get(from..to).unwrap_or(&[]);
            chunks.push((len, placed, lines));
            len += lines.len();
        }
        Self { normalization, chunks, len }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The chunk of a non-blank line, and its index there.
    fn position(&self, index: usize) -> Option<(&PlacedChunk<'a>, usize)> {
        let at = self.chunks.partition_point(|&(before, ..)| before <= index).checked_sub(1)?;
        let (before, placed, lines) = self.chunks.get(at)?;
        Some((placed, *lines.get(index - before)?))
    }

    /// The line in the text for a non-blank line.
    pub(crate) fn line(&self, index: usize) -> Option<usize> {
        self.position(index).map(|(placed, line)| placed.first + line)
    }

    /// The index of a line of the text among the non-blank lines; `None` if it is blank.
    pub(crate) fn index(&self, line: usize) -> Option<usize> {
        let at = self.chunks.partition_point(|(_, placed, _)| placed.first <= line).checked_sub(1)?;
        let (before, placed, lines) = self.chunks.get(at)?;
        lines.binary_search(&(line - placed.first)).ok().map(|at| before + at)
    }

    pub(crate) fn text(&self, index: usize) -> &'a [u8] {
        self.position(index).map_or(&[], |(placed, line)| placed.chunk.line(line).text)
    }

    /// The hashes of a range of the non-blank lines.
    pub(crate) fn hashes_of(&self, range: Range<usize>) -> Vec<u64> {
        let from = self.chunks.partition_point(|&(before, ..)| before <= range.start).saturating_sub(1);
        let chunks = self.chunks.iter().skip(from).take_while(|&&(before, ..)| before < range.end);
        let of_chunk = |&(before, ref placed, lines): &(usize, PlacedChunk<'a>, &'a [usize])| {
            let (hashes, range) = (&*placed.chunk.hashes(self.normalization).lines, range.clone());
            let index = move |at: usize| range.contains(&(before + at));
            lines.iter().enumerate().filter(move |(at, _)| index(*at)).map(|(_, &line)| hashes[line])
        };
        chunks.flat_map(of_chunk).collect()
    }

    /// Where lines with these hashes are. If a hash has more than `max` lines, some of them may be left out, but more
    /// than `max` are returned.
    pub(crate) fn spots(&self, wanted: &[u64], max: usize) -> HashMap<u64, Vec<usize>> {
        let mut spots: HashMap<u64, Vec<usize>> = wanted.iter().map(|&hash| (hash, Vec::new())).collect();
        for (before, placed, lines) in &self.chunks {
            let asked = |(hash, spots): (&u64, &Vec<usize>)| {
                (spots.len() <= max && placed.chunk.hashes(self.normalization).may_have(*hash))
                    .then_some(*hash)
            };
            let wanted: Vec<u64> = spots.iter().filter_map(asked).collect();
            if wanted.is_empty() {
                continue;
            }
            let hashes = &*placed.chunk.hashes(self.normalization).lines;
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
