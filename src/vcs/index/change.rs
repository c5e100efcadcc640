//! Writes a changed index directly.

use super::raw::Raw;
use super::{EXTENDED, SKIP_WORKTREE};
use crate::path::RepoPath;
use crate::vcs::checkout::{Checkout, Found, Identity};
use crate::vcs::tree::Entry;
use crate::vcs::{Error, Result};
use rustix::fs::Stat;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::SystemTime;

/// The updates to an index, and the checkout that it describes.
pub(super) struct Change<'a> {
    pub(super) updates: &'a [(RepoPath, Option<Entry>)],
    pub(super) checkout: &'a Checkout,
    pub(super) placed: &'a BTreeMap<&'a str, Identity>,
    /// The paths that are not to be in the checkout.
    pub(super) sparse: BTreeSet<&'a str>,
}

impl Change<'_> {
    /// The entries of the created and changed files.
    fn entries(&self) -> Result<Vec<git2::IndexEntry>> {
        let mut entries = Vec::new();
        for (path, entry) in self.updates {
            let Some(entry) = entry else { continue };
            let sparse = self.sparse.contains(path.as_str());
            let stat = match (self.placed.get(path.as_str()), self.checkout.look(path.as_str())?) {
                (Some(ours), Found::File(stat) | Found::Link(stat)) if Identity::of(&stat) == *ours => {
                    Some(stat)
                }
                _ => None,
            };
            entries.push(index_entry(path.as_str().as_bytes(), *entry, stat.as_deref(), sparse));
        }
        Ok(entries)
    }

    /// Writes the index with the updates. The file gets this time, that of the old index: git checks the content of an entry
    /// that is as young as its index (git's "racy-git" document), and so goes on to check the same files as before.
    pub(super) fn write(&self, index: &Raw, to: &Path, time: Option<SystemTime>) -> Result<()> {
        let all = self.entries()?;
        let gone = self.updates.iter().filter(|(_, entry)| entry.is_none());
        let mut changes: BTreeMap<&[u8], Option<&git2::IndexEntry>> =
            gone.map(|(path, _)| (path.as_str().as_bytes(), None)).collect();
        changes.extend(all.iter().map(|entry| (&entry.path[..], Some(entry))));
        let write = || match index.with(&changes) {
            Some(changed) => {
                let mut file = BufWriter::new(File::create(to)?);
                changed.write(&mut file)?;
                file.flush()?;
                time.map_or(Ok(()), |time| file.get_ref().set_modified(time))
            }
            None => Err(std::io::Error::other("it would have too many entries")),
        };
        write().map_err(|e| Error::io("write", to, e))
    }
}

/// The index entry of a file with these stat data; with `sparse`, the file is not to be in the checkout.
pub(crate) fn index_entry(path: &[u8], entry: Entry, stat: Option<&Stat>, sparse: bool) -> git2::IndexEntry {
    let time = |seconds: i64, nanoseconds: i64| git2::IndexTime::new(seconds as i32, nanoseconds as u32);
    // Git stores the low 32 bits of these.
    git2::IndexEntry {
        ctime: stat.map_or(time(0, 0), |s| time(s.st_ctime, s.st_ctime_nsec as i64)),
        mtime: stat.map_or(time(0, 0), |s| time(s.st_mtime, s.st_mtime_nsec as i64)),
        dev: stat.map_or(0, |s| s.st_dev as u32),
        ino: stat.map_or(0, |s| s.st_ino as u32),
        mode: entry.mode,
        uid: stat.map_or(0, |s| s.st_uid),
        gid: stat.map_or(0, |s| s.st_gid),
        file_size: stat.map_or(0, |s| s.st_size as u32),
        id: entry.id,
        flags: if sparse { EXTENDED } else { 0 },
        flags_extended: if sparse { SKIP_WORKTREE } else { 0 },
        path: path.to_vec(),
    }
}
