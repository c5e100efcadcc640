//! Compressing objects as git stores them.

use super::Result;
use super::repo::Repo;
use flate2::{Compress, Compression, FlushCompress, Status};

/// Compresses one object after another. One deflate state serves them all: to set one up takes longer than to compress a
/// small object.
pub(super) struct Compressor {
    deflate: Compress,
    /// What came of the last object; kept for its memory.
    packed: Vec<u8>,
}

impl Compressor {
    /// With the level that this key has, else `core.compression` (git-config(1)), else the fastest.
    ///
    /// # Errors
    /// The configuration says something else than a number.
    pub(super) fn new(repo: &Repo, key: &str) -> Result<Self> {
        let configured = match repo.config().number(key)? {
            Some(level) => Some(level),
            None => repo.config().number("core.compression")?,
        };
        Ok(Self::with(
            match configured.and_then(|level| u32::try_from(level).ok()).filter(|level| *level <= 9) {
                Some(level) => Compression::new(level),
                None if configured.is_some() => Compression::default(),
                None => Compression::fast(),
            },
        ))
    }

    pub(super) fn with(level: Compression) -> Self {
        Self { deflate: Compress::new(level, true), packed: Vec::new() }
    }

    /// Compresses these pieces as one.
    ///
    /// # Errors
    /// The library fails.
    pub(super) fn run(&mut self, pieces: &[&[u8]]) -> std::io::Result<&[u8]> {
        let deflate = &mut self.deflate;
        deflate.reset();
        self.packed.clear();
        self.packed.reserve(pieces.iter().map(|piece| piece.len()).sum::<usize>() / 2 + 128);
        for (at, piece) in pieces.iter().enumerate() {
            let last = at + 1 == pieces.len();
            let flush = if last { FlushCompress::Finish } else { FlushCompress::None };
            let start = deflate.total_in();
            loop {
                let taken = (deflate.total_in() - start) as usize;
                let status = deflate.compress_vec(&piece[taken..], &mut self.packed, flush)?;
                let taken = (deflate.total_in() - start) as usize;
                if if last { status == Status::StreamEnd } else { taken == piece.len() } {
                    break;
                }
                self.packed.reserve(self.packed.capacity().max(1 << 12));
            }
        }
        Ok(&self.packed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn one_after_another_is_read_back() {
        let mut compressor = Compressor::with(Compression::fast());
        let mut noise = 1u32;
        let mut random = |len: usize| -> Vec<u8> {
            let next = |_| {
                noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (noise >> 24) as u8
            };
            (0..len).map(next).collect()
        };
        for len in [0, 1, 100, 0, 70_000, 3_000_000, 5] {
            for data in [random(len), vec![b'x'; len]] {
                let packed = compressor.run(&[b"header\0", &data]).expect("compressed");
                let mut read = Vec::new();
                flate2::read::ZlibDecoder::new(packed).read_to_end(&mut read).expect("whole");
                assert!(read.starts_with(b"header\0"), "{len}");
                assert_eq!(read[7..], data, "{len}");
            }
        }
    }
}
