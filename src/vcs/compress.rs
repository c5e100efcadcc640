//! Compresses objects as git stores them, and writes loose ones (gitformat-loose(5)).

use super::places::ensure_private;
use super::repo::Repo;
use super::{Error, Oid, Result};
use flate2::{Compress, Compression, FlushCompress, Status};
use git2::ObjectType;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The longest object, in bytes, that is stored uncompressed if no level is configured. In a small landing, most of the
/// computing time would go into deflate's tables. Compressing would save only a fifth of a short commit and a quarter
/// of a tree, which is mostly object names. An object of that length takes no more disk space than git's own loose
/// file.
const fn max_uncompressed(kind: ObjectType) -> usize {
    match kind {
        ObjectType::Tree => 4_000,
        _ => 512,
    }
}

/// Compresses one object after another with one deflate state, because setting up a state takes longer than compressing a
/// small object.
pub(super) struct Compressor {
    deflate: Compress,
    /// The level; `None` for the default, by which short objects are stored uncompressed.
    level: Option<Compression>,
}

impl Compressor {
    /// Uses the level of this key, else `core.compression` (git-config(1)), else the fastest.
    pub(super) fn new(repo: &Repo, key: &str) -> Result<Self> {
        let configured = match repo.config().number(key)? {
            Some(level) => Some(level),
            None => repo.config().number("core.compression")?,
        };
        let level = |level| u32::try_from(level).ok().filter(|level| *level <= 9).map(Compression::new);
        Ok(Self::with(configured.map(|configured| level(configured).unwrap_or_default())))
    }

    fn with(level: Option<Compression>) -> Self {
        Self { deflate: Compress::new(level.unwrap_or(Compression::fast()), true), level }
    }

    /// Compresses an object.
    pub(super) fn run(&mut self, kind: ObjectType, bytes: &[u8]) -> std::io::Result<Vec<u8>> {
        let deflate = &mut self.deflate;
        deflate.reset();
        if self.level.is_none() {
            let is_short = bytes.len() <= max_uncompressed(kind);
            deflate.set_level(if is_short { Compression::none() } else { Compression::fast() })?;
        }
        let mut compressed = Vec::with_capacity(bytes.len() / 2 + (1 << 10));
        let mut rest = bytes;
        while deflate.compress_vec(rest, &mut compressed, FlushCompress::Finish)? != Status::StreamEnd {
            rest = &bytes[deflate.total_in() as usize..];
            compressed.reserve(compressed.capacity());
        }
        compressed.shrink_to_fit();
        Ok(compressed)
    }
}

/// Writes loose objects.
pub(super) struct Writer(Compressor);

impl Writer {
    /// Uses the repository's compression of loose objects.
    pub(super) fn new(repo: &Repo) -> Result<Self> {
        Ok(Self(Compressor::new(repo, "core.loosecompression")?))
    }

    /// Writes an object to a file, and returns the open file.
    pub(super) fn write(&mut self, path: &Path, kind: ObjectType, data: &[u8]) -> Result<File> {
        let object = [format!("{} {}\0", kind.str(), data.len()).as_bytes(), data].concat();
        let mut write = || -> std::io::Result<File> {
            let packed = self.0.run(kind, &object)?;
            let mut file =
                std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o444).open(path)?;
            file.write_all(&packed)?;
            Ok(file)
        };
        write().map_err(|e| Error::io("write", path, e))
    }
}

/// The path of an object in an object directory; creates its parent.
pub(super) fn fan_out(objects: &Path, id: Oid) -> Result<PathBuf> {
    let hex = id.to_string();
    let fan = objects.join(&hex[..2]);
    ensure_private(&fan)?;
    Ok(fan.join(&hex[2..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn compressed_objects_are_read_back() {
        for level in [None, Some(Compression::default())] {
            let mut compressor = Compressor::with(level);
            are_read_back(&mut compressor, ObjectType::Blob);
            are_read_back(&mut compressor, ObjectType::Tree);
        }
    }

    fn are_read_back(compressor: &mut Compressor, kind: ObjectType) {
        let limit = max_uncompressed(kind);
        let mut noise = 1u32;
        let mut random = |len: usize| -> Vec<u8> {
            let next = |_| {
                noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (noise >> 24) as u8
            };
            (0..len).map(next).collect()
        };
        for len in [0, 1, 100, limit, limit + 1, 0, 70_000, 3_000_000, 5] {
            for data in [random(len), vec![b'x'; len], vec![0xff; len]] {
                let packed = compressor.run(kind, &data).expect("compressed");
                let mut read = Vec::new();
                flate2::read::ZlibDecoder::new(&packed[..]).read_to_end(&mut read).expect("whole");
                assert_eq!(read, data, "{len}");
            }
        }
    }
}
