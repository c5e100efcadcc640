//! Compresses objects as git stores them.

use super::Result;
use super::repo::Repo;
use flate2::{Compress, Compression, FlushCompress, Status};
use git2::ObjectType;

/// The longest object, in bytes, that is stored uncompressed if no level is configured. Building deflate's tables is most
/// of the computing in a small landing, and would save only a fifth of a short commit and a quarter of a tree, which is
/// mostly object names. An object of that length takes no more disk space than git's own loose file.
pub(super) const fn stored(kind: ObjectType) -> usize {
    match kind {
        ObjectType::Tree => 4_000,
        _ => 512,
    }
}

/// How large a buffer may be to be kept for the next object, in bytes.
const KEPT: usize = 1 << 18;

/// Compresses one object after another with one deflate state, because setting up a state takes longer than compressing a
/// small object.
pub(super) struct Compressor {
    deflate: Compress,
    /// Whether short objects are stored uncompressed.
    stores: bool,
    /// The output for the last object; its memory is reused.
    packed: Vec<u8>,
}

impl Compressor {
    /// Uses the level of this key, else `core.compression` (git-config(1)), else the fastest.
    pub(super) fn new(repo: &Repo, key: &str) -> Result<Self> {
        let configured = match repo.config().number(key)? {
            Some(level) => Some(level),
            None => repo.config().number("core.compression")?,
        };
        Ok(match configured.and_then(|level| u32::try_from(level).ok()).filter(|level| *level <= 9) {
            Some(level) => Self::with(Compression::new(level), false),
            None if configured.is_some() => Self::with(Compression::default(), false),
            None => Self::fast(),
        })
    }

    /// Uses the defaults for no configuration.
    pub(super) fn fast() -> Self {
        Self::with(Compression::fast(), true)
    }

    fn with(level: Compression, stores: bool) -> Self {
        Self { deflate: Compress::new(level, true), stores, packed: Vec::new() }
    }

    /// Compresses these slices as one object.
    pub(super) fn run(&mut self, kind: ObjectType, pieces: &[&[u8]]) -> std::io::Result<&[u8]> {
        if self.packed.capacity() > KEPT {
            self.packed = Vec::new();
        }
        self.packed.clear();
        let len = pieces.iter().map(|piece| piece.len()).sum::<usize>();
        if self.stores
            && len <= stored(kind)
            && let Ok(len) = u16::try_from(len)
        {
            self.store(len, pieces);
            return Ok(&self.packed);
        }
        let deflate = &mut self.deflate;
        deflate.reset();
        self.packed.reserve(len / 2 + 128);
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

    /// Writes a zlib stream of one stored block (RFC 1950, RFC 1951).
    fn store(&mut self, len: u16, pieces: &[&[u8]]) {
        self.packed.extend([0x78, 0x01, 0x01]);
        self.packed.extend(len.to_le_bytes());
        self.packed.extend((!len).to_le_bytes());
        let (mut low, mut high) = (1u32, 0u32);
        for piece in pieces {
            self.packed.extend(*piece);
            // Neither sum can overflow, because `stored` limits the length.
            for byte in *piece {
                low += u32::from(*byte);
                high += low;
            }
        }
        self.packed.extend((((high % 65_521) << 16) | (low % 65_521)).to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn one_after_another_is_read_back() {
        for mut compressor in [Compressor::fast(), Compressor::with(Compression::default(), false)] {
            are_read_back(&mut compressor, ObjectType::Blob);
            are_read_back(&mut compressor, ObjectType::Tree);
        }
    }

    fn are_read_back(compressor: &mut Compressor, kind: ObjectType) {
        let limit = stored(kind);
        let mut noise = 1u32;
        let mut random = |len: usize| -> Vec<u8> {
            let next = |_| {
                noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (noise >> 24) as u8
            };
            (0..len).map(next).collect()
        };
        for len in [0, 1, 100, limit - 7, limit - 6, 0, 70_000, 3_000_000, 5] {
            for data in [random(len), vec![b'x'; len], vec![0xff; len]] {
                let packed = compressor.run(kind, &[b"header\0", &data]).expect("compressed");
                let mut read = Vec::new();
                flate2::read::ZlibDecoder::new(packed).read_to_end(&mut read).expect("whole");
                assert!(read.starts_with(b"header\0"), "{len}");
                assert_eq!(read[7..], data, "{len}");
            }
        }
    }
}
