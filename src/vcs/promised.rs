//! Fetches objects that a partial clone lacks because a remote has promised them (git-clone(1), `--filter`).
//!
//! Libgit2 would report them as missing. Git fetches them on access, so git is asked first.

use super::repo::Repo;
use super::tree::{DIRECTORY, Entry};
use super::{Error, Oid, Result, once, process};
use git2::FileMode::{Blob, BlobExecutable, Link};
use std::collections::BTreeMap;

impl Repo {
    fn is_partial(&self) -> Result<bool> {
        once(&self.partial, || self.config().has_promisor()).copied()
    }

    /// Makes libgit2 find these objects: gives it the new ones, and fetches the promised ones.
    ///
    /// # Errors
    /// [`Error::Unfetched`]. An object that is missing but not promised is an error only when the caller reads it.
    pub(super) fn ensure(&self, ids: &[Oid]) -> Result<()> {
        self.give_to_libgit2(ids)?;
        self.fetch(ids)
    }

    /// Fetches the objects among these that are missing and promised.
    pub(super) fn fetch(&self, ids: &[Oid]) -> Result<()> {
        if !self.is_partial()? {
            return Ok(());
        }
        let ids: Vec<Oid> = ids.iter().copied().filter(|id| !self.is_unknown_to_libgit2(*id)).collect();
        let store = self.git.odb().map_err(|e| Error::git("open the object store", e))?;
        let missing: Vec<Oid> = ids.into_iter().filter(|id| !store.exists(*id)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let names: String = missing.iter().map(|id| format!("{id}\n")).collect();
        let mut command = process::git(self);
        let output =
            process::output_for_input(command.args(["cat-file", "--batch-check"]), names.as_bytes())?;
        store.refresh().map_err(|e| Error::git("open the object store", e))?;
        match missing.into_iter().find(|id| !store.exists(*id)) {
            Some(id) => {
                // Git's first line is the cause; the others follow from it.
                let said = String::from_utf8_lossy(&output.stderr);
                let first = said.lines().next().unwrap_or_default();
                Err(Error::Unfetched {
                    id,
                    message: first.strip_prefix("fatal: ").unwrap_or(first).to_owned(),
                })
            }
            None => Ok(()),
        }
    }

    /// Fetches all trees in which two trees differ; all trees of one, if the other is `None`.
    pub(super) fn ensure_trees(&self, old: Option<Oid>, new: Option<Oid>) -> Result<()> {
        self.give_to_libgit2(&old.into_iter().chain(new).collect::<Vec<_>>())?;
        if !self.is_partial()? {
            return Ok(());
        }
        let below = |id: Option<Oid>| -> Result<BTreeMap<Vec<u8>, Oid>> {
            let Some(tree) = id.map(|id| self.find_tree(id)).transpose()? else { return Ok(BTreeMap::new()) };
            let trees = tree.iter().filter(|entry| entry.filemode() as u32 == DIRECTORY);
            Ok(trees.map(|entry| (entry.name_bytes().to_vec(), entry.id())).collect())
        };
        let mut pending = vec![(old, new)];
        while let Some((old, new)) = pending.pop() {
            let (old, new) = (below(old)?, below(new)?);
            let gone = old.iter().filter(|(name, _)| !new.contains_key(*name));
            pending.extend(gone.map(|(_, id)| (Some(*id), None)));
            let other = new.into_iter().map(|(name, id)| (old.get(&name).copied(), Some(id)));
            pending.extend(other.filter(|(old, new)| old != new));
        }
        Ok(())
    }

    /// Fetches the blobs of a diff, which libgit2 reads to show lines and to find renames.
    pub(super) fn ensure_files(&self, difference: &git2::Diff<'_>) -> Result<()> {
        let files = difference.deltas().flat_map(|delta| [delta.old_file(), delta.new_file()]);
        let is_read = |file: &git2::DiffFile<'_>| {
            matches!(file.mode(), Blob | BlobExecutable | Link) && !file.id().is_zero()
        };
        self.ensure(&files.filter(is_read).map(|file| file.id()).collect::<Vec<_>>())
    }

    pub(super) fn find_tree(&self, id: Oid) -> Result<git2::Tree<'_>> {
        self.ensure(&[id])?;
        self.git.find_tree(id).map_err(|e| Error::git(format!("read the tree {id}"), e))
    }

    /// The entry of a tree at a path, which may be a directory. A tree on the way that cannot be read is an error, not a missing
    /// path.
    pub(super) fn find_in(&self, tree: &git2::Tree<'_>, path: &[u8]) -> Result<Option<Entry>> {
        let mut components = path.split(|&b| b == b'/').peekable();
        let mut below: Option<git2::Tree<'_>> = None;
        while let Some(component) = components.next() {
            let found = below.as_ref().unwrap_or(tree).get_name_bytes(component);
            let found = found.map(|entry| Entry { mode: entry.filemode() as u32, id: entry.id() });
            match found {
                Some(Entry { mode: DIRECTORY, id }) if components.peek().is_some() => {
                    below = Some(self.find_tree(id)?);
                }
                found => return Ok(found.filter(|_| components.peek().is_none())),
            }
        }
        Ok(None)
    }
}
