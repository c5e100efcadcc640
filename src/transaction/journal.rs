//! What a landing is about to do, on disk before it does it: enough to bring it to either end without its process.

use super::staging::Staged;
use crate::vcs::quarantine::Manifest;
use crate::vcs::refs::Movement;
use crate::vcs::{self, Result};
use serde::{Deserialize, Serialize};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The journal's file in the transaction's room.
pub(super) const NAME: &str = "journal";

/// The token's file; the lock files are links to it.
pub(super) const TOKEN: &str = "token";

/// The version of this format. A journal of another version is not touched.
pub(super) const VERSION: u32 = 1;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Journal {
    pub(super) version: u32,
    pub(super) process: u32,
    /// The git directory that all worktrees share, as it was called then.
    pub(super) common_dir: AnyPath,
    /// The git directory of the worktree that publishes.
    pub(super) git_dir: AnyPath,
    /// Its checkout.
    pub(super) workdir: Option<AnyPath>,
    /// Its index, if that moves along.
    pub(super) index: Option<AnyPath>,
    /// Where the objects go.
    pub(super) objects_dir: AnyPath,
    /// The commit point.
    pub(super) movement: Movement,
    /// Whether the reference is moved by git itself, so that its hook runs; reflogs are git's then.
    pub(super) by_git: bool,
    /// The objects that go in.
    pub(super) objects: Manifest,
    /// The checkout's part, if one moves along.
    pub(super) staged: Option<Staged>,
}

/// A path of any bytes, in JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AnyPath(pub(super) PathBuf);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Bytes(Vec<u8>),
}

impl Serialize for AnyPath {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let written = match self.0.to_str() {
            Some(text) => Written::Text(text.to_owned()),
            None => Written::Bytes(self.0.as_os_str().as_bytes().to_vec()),
        };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for AnyPath {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        Ok(Self(match Written::deserialize(deserializer)? {
            Written::Text(text) => PathBuf::from(text),
            Written::Bytes(bytes) => PathBuf::from(std::ffi::OsString::from_vec(bytes)),
        }))
    }
}

impl Journal {
    /// Writes the journal aside and renames it into place.
    pub(super) fn write(&self, room: &Path) -> Result<()> {
        use crate::vcs::fault::{Fault, point};
        let aside = room.join("journal.new");
        let bytes =
            serde_json::to_vec(self).map_err(|e| vcs::Error::io("write", &aside, std::io::Error::from(e)))?;
        std::fs::write(&aside, bytes).map_err(|e| vcs::Error::io("write", &aside, e))?;
        point(Fault::JournalWritten)?;
        let place = room.join(NAME);
        std::fs::rename(&aside, &place).map_err(|e| vcs::Error::io("write", place, e))?;
        point(Fault::JournalPlaced)
    }

    /// Puts the present name of the shared git directory in the place of the one that it had: the repository may have
    /// been moved, copied, or mounted elsewhere, and what stands at its old name is none of this journal's business.
    pub(super) fn relocate(&mut self, common_dir: &Path) {
        let old = std::mem::replace(&mut self.common_dir.0, common_dir.to_owned());
        let staged = self.staged.as_mut().map(|staged| &mut staged.directory);
        for path in [Some(&mut self.git_dir), Some(&mut self.objects_dir), self.index.as_mut(), staged]
            .into_iter()
            .flatten()
        {
            if let Ok(inside) = path.0.strip_prefix(&old) {
                path.0 = common_dir.join(inside);
            }
        }
    }

    /// Moves the checkout's part to where the checkout is now.
    pub(super) fn relocate_checkout(&mut self, workdir: Option<&Path>) {
        let old = std::mem::replace(&mut self.workdir, workdir.map(|path| AnyPath(path.to_owned())));
        if let (Some(old), Some(new), Some(staged)) = (old, workdir, &mut self.staged)
            && let Ok(inside) = staged.directory.0.strip_prefix(&old.0)
            && staged.directory.0.starts_with(&old.0)
            && !staged.directory.0.starts_with(&self.common_dir.0)
        {
            staged.directory.0 = new.join(inside);
        }
    }

    /// Reads a room's journal; `None` if there is none.
    pub(super) fn read(room: &Path) -> Result<Option<Self>> {
        let place = room.join(NAME);
        let bytes = match std::fs::read(&place) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(vcs::Error::io("read", place, e)),
        };
        let journal: Self = serde_json::from_slice(&bytes)
            .map_err(|e| vcs::Error::io("read", &place, std::io::Error::from(e)))?;
        if journal.version != VERSION {
            let other = std::io::Error::other(format!("it is of version {}, not {VERSION}", journal.version));
            return Err(vcs::Error::io("read", place, other));
        }
        Ok(Some(journal))
    }

    /// Removes a room's journal: what it was for is done.
    pub(super) fn retire(room: &Path) -> Result<()> {
        let place = room.join(NAME);
        match std::fs::remove_file(&place) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(vcs::Error::io("remove", place, e)),
            _ => Ok(()),
        }
    }
}
