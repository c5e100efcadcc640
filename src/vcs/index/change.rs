//! Writes a changed index directly.

use super::raw::Raw;
use super::{ASSUME_VALID, EXTENDED, SKIP_WORKTREE, STAGE, fingerprint, time};
use crate::path::RepoPath;
use crate::vcs::checkout::{Checkout, Found, Identity};
use crate::vcs::repo::Repo;
use crate::vcs::tree::Entry;
use crate::vcs::{Error, Result};
use rustix::fs::Stat;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

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

    /// Marks the entries of files that were changed in the very second in which the current index was written. Git checks
    /// the content of an entry that is as young as its index; beside the new, younger index it would trust it. A size of
    /// 0 makes git check the content. Git does the same whenever it writes an index (git's "racy-git" document).
    ///
    /// Git compares seconds, unless it was built to compare nanoseconds.
    fn smudged(
        &self,
        repo: &Repo,
        suspects: Vec<git2::IndexEntry>,
        written: (i64, i64),
    ) -> Vec<git2::IndexEntry> {
        let updated: BTreeSet<&[u8]> =
            self.updates.iter().map(|(path, _)| path.as_str().as_bytes()).collect();
        let is_told_by_its_file = |entry: &git2::IndexEntry| {
            entry.file_size != 0
                && entry.flags & (STAGE | ASSUME_VALID) == 0
                && entry.flags_extended & SKIP_WORKTREE == 0
        };
        suspects
            .into_iter()
            .filter(|entry| is_told_by_its_file(entry) && !updated.contains(entry.path.as_slice()))
            .filter(|entry| !is_clean(repo, entry, written, self.checkout))
            .map(|entry| git2::IndexEntry { file_size: 0, ..entry })
            .collect()
    }

    /// Writes the index with the updates.
    pub(super) fn write(&self, repo: &Repo, index: &Raw, to: &Path) -> Result<()> {
        let mut all = self.entries()?;
        if let Some(written) = fingerprint(&repo.index_file())? {
            let suspects = index.since(written.mtime.0).filter_map(|number| index.get(number)).collect();
            all.extend(self.smudged(repo, suspects, written.mtime));
        }
        let gone = self.updates.iter().filter(|(_, entry)| entry.is_none());
        let mut changes: BTreeMap<&[u8], Option<&git2::IndexEntry>> =
            gone.map(|(path, _)| (path.as_str().as_bytes(), None)).collect();
        changes.extend(all.iter().map(|entry| (&entry.path[..], Some(entry))));
        let write = || match index.with(&changes) {
            Some(changed) => {
                let mut file = BufWriter::new(File::create(to)?);
                changed.write(&mut file)?;
                file.flush()
            }
            None => Err(std::io::Error::other("it would have too many entries")),
        };
        write().map_err(|e| Error::io("write", to, e))
    }
}

/// Whether the entry's file is unchanged, or changed in a way that git detects without a mark.
fn is_clean(repo: &Repo, entry: &git2::IndexEntry, written: (i64, i64), checkout: &Checkout) -> bool {
    let Ok(path) = std::str::from_utf8(&entry.path) else { return false };
    let stat = match checkout.look(path) {
        Ok(Found::File(stat) | Found::Link(stat)) => stat,
        found => return found.is_ok(),
    };
    let modified = (stat.st_mtime, stat.st_mtime_nsec as i64);
    let changed = (stat.st_ctime, stat.st_ctime_nsec as i64);
    if stat.st_size as u32 != entry.file_size || modified.0 != time(entry.mtime).0 {
        return true;
    }
    let as_indexed = modified == time(entry.mtime)
        && changed == time(entry.ctime)
        && stat.st_ino as u32 == entry.ino
        && modified.max(changed) < written;
    let content = || checkout.read(path).ok();
    let id = |content: Vec<u8>| repo.blob_id(&content).ok();
    as_indexed || content().and_then(id) == Some(entry.id)
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
