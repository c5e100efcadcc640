//! Writes a changed index directly.

use super::raw::{Item, Numbers, Raw};
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
    /// The paths outside of a sparse checkout.
    pub(super) sparse: BTreeSet<&'a str>,
}

impl Change<'_> {
    /// The entries of the created and changed files.
    fn items(&self) -> Result<Vec<Item>> {
        let mut items = Vec::new();
        for (path, entry) in self.updates {
            let Some(entry) = entry else { continue };
            let sparse = self.sparse.contains(path.as_str());
            let stat = match (self.placed.get(path.as_str()), self.checkout.look(path.as_str())?) {
                (Some(ours), Found::File(stat) | Found::Link(stat)) if Identity::of(&stat) == *ours => {
                    Some(stat)
                }
                _ => None,
            };
            items.push(Item {
                numbers: numbers(entry.mode, stat.as_deref()),
                id: entry.id,
                flags: if sparse { EXTENDED } else { 0 },
                extended: if sparse { SKIP_WORKTREE } else { 0 },
                path: path.as_str().into(),
            });
        }
        Ok(items)
    }

    /// Writes the index with the updates. The file gets the time of the old index: git checks the content of a file
    /// that is as new as the index (git's "racy-git" document), so it still checks the same files as before.
    pub(super) fn write(&self, index: &Raw, to: &Path, time: Option<SystemTime>) -> Result<()> {
        let all = self.items()?;
        let removed = self.updates.iter().filter(|(_, entry)| entry.is_none());
        let mut changes: BTreeMap<&[u8], Option<&Item>> =
            removed.map(|(path, _)| (path.as_str().as_bytes(), None)).collect();
        changes.extend(all.iter().map(|item| (&item.path[..], Some(item))));
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

/// Returns the numbers of a file's entry, from its stat data. Git stores the low 32 bits of each.
pub(super) fn numbers(mode: u32, stat: Option<&Stat>) -> Numbers {
    let number = |of: fn(&Stat) -> u32| stat.map_or(0, of);
    [
        number(|stat| stat.st_ctime as u32),
        number(|stat| stat.st_ctime_nsec as u32),
        number(|stat| stat.st_mtime as u32),
        number(|stat| stat.st_mtime_nsec as u32),
        number(|stat| stat.st_dev as u32),
        number(|stat| stat.st_ino as u32),
        mode,
        number(|stat| stat.st_uid),
        number(|stat| stat.st_gid),
        number(|stat| stat.st_size as u32),
    ]
}
