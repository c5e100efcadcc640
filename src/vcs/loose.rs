//! Loose objects as files (gitformat-loose(5)).

use super::repo::Repo;
use super::{Error, Result};
use flate2::{Compress, Compression, FlushCompress, Status};
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Writes loose objects. One deflate state serves them all: to set one up takes longer than to compress a small object.
pub(super) struct Writer {
    deflate: Compress,
    /// What is to be compressed, and what came of it: kept for their memory.
    plain: Vec<u8>,
    packed: Vec<u8>,
}

impl Writer {
    /// With the repository's compression of loose objects (`core.looseCompression`, git-config(1)).
    ///
    /// # Errors
    /// The configuration says something else than a number.
    pub(super) fn new(repo: &Repo) -> Result<Self> {
        let configured = match repo.config().number("core.loosecompression")? {
            Some(level) => Some(level),
            None => repo.config().number("core.compression")?,
        };
        let level = match configured.and_then(|level| u32::try_from(level).ok()).filter(|level| *level <= 9) {
            Some(level) => Compression::new(level),
            None if configured.is_some() => Compression::default(),
            None => Compression::fast(),
        };
        Ok(Self { deflate: Compress::new(level, true), plain: Vec::new(), packed: Vec::new() })
    }

    /// Writes an object to a file that nobody else has, or needs as it is; gives the open file.
    ///
    /// # Errors
    /// What the file system says.
    pub(super) fn write(&mut self, path: &Path, kind: git2::ObjectType, data: &[u8]) -> Result<File> {
        let mut write = || -> std::io::Result<File> {
            self.compress(kind, data)?;
            let mut file =
                std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o444).open(path)?;
            file.write_all(&self.packed)?;
            Ok(file)
        };
        write().map_err(|e| Error::io("write", path, e))
    }

    fn compress(&mut self, kind: git2::ObjectType, data: &[u8]) -> std::io::Result<()> {
        self.plain.clear();
        write!(self.plain, "{} {}\0", kind.str(), data.len())?;
        let deflate = &mut self.deflate;
        deflate.reset();
        self.packed.clear();
        self.packed.reserve(data.len() / 2 + 128);
        // The header first, which saves a copy of the data.
        for (input, flush) in [(&self.plain[..], FlushCompress::None), (data, FlushCompress::Finish)] {
            let start = deflate.total_in();
            loop {
                let taken = (deflate.total_in() - start) as usize;
                let status = deflate.compress_vec(&input[taken..], &mut self.packed, flush)?;
                let taken = (deflate.total_in() - start) as usize;
                let done = match flush {
                    FlushCompress::Finish => status == Status::StreamEnd,
                    _ => taken == input.len(),
                };
                if done {
                    break;
                }
                self.packed.reserve(self.packed.capacity().max(1 << 12));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn one_after_another_is_read_back() {
        let deflate = Compress::new(Compression::fast(), true);
        let mut writer = Writer { deflate, plain: Vec::new(), packed: Vec::new() };
        let mut noise = 1u32;
        let mut random = |len: usize| -> Vec<u8> {
            let next = |_| {
                noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (noise >> 24) as u8
            };
            (0..len).map(next).collect()
        };
        let directory = tempfile::tempdir().expect("a directory");
        for len in [0, 1, 100, 0, 70_000, 3_000_000, 5] {
            for data in [random(len), vec![b'x'; len]] {
                let path = directory.path().join("object");
                writer.write(&path, git2::ObjectType::Blob, &data).expect("written");
                let mut read = Vec::new();
                let file = File::open(&path).expect("there");
                flate2::read::ZlibDecoder::new(file).read_to_end(&mut read).expect("whole");
                let header = format!("blob {len}\0");
                assert!(read.starts_with(header.as_bytes()), "{len}");
                assert_eq!(read[header.len()..], data, "{len}");
                std::fs::remove_file(&path).expect("removed");
            }
        }
    }
}
