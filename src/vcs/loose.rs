//! Writes loose objects (gitformat-loose(5)).

use super::compress::Compressor;
use super::places::ensure_private;
use super::repo::Repo;
use super::{Error, Oid, Result};
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

pub(super) struct Writer(Compressor);

impl Writer {
    /// Uses the repository's compression of loose objects.
    pub(super) fn new(repo: &Repo) -> Result<Self> {
        Ok(Self(Compressor::new(repo, "core.loosecompression")?))
    }

    /// Writes an object to a file, and returns the open file.
    pub(super) fn write(&mut self, path: &Path, kind: git2::ObjectType, data: &[u8]) -> Result<File> {
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
