//! Objects that are not here because a remote has promised them: a partial clone's (git-clone(1), `--filter`).
//!
//! Libgit2 takes them for missing. Git fetches one as soon as it is asked for it; so git is asked before libgit2 is.

use super::repo::Repo;
use super::tree::DIRECTORY;
use super::{Error, Oid, Result, once, process};
use git2::FileMode::{Blob, BlobExecutable, Link};
use std::collections::BTreeMap;

impl Repo {
    fn is_partial(&self) -> Result<bool> {
        once(&self.partial, || self.config().has_promisor()).copied()
    }

    /// Sees to it that libgit2 finds the objects: those that are new, and those that a remote has promised.
    ///
    /// # Errors
    /// [`Error::Unfetched`]. That an object is missing where none is promised is for its reader to say.
    pub(super) fn ensure(&self, ids: &[Oid]) -> Result<()> {
        self.show_objects(ids)?;
        self.fetch(ids)
    }

    /// Fetches those of the objects that a remote has promised.
    ///
    /// # Errors
    /// As [`Repo::ensure`].
    pub(super) fn fetch(&self, ids: &[Oid]) -> Result<()> {
        if !self.is_partial()? {
            return Ok(());
        }
        let ids: Vec<Oid> = ids.iter().copied().filter(|id| !self.is_hidden(*id)).collect();
        let store = self.git.odb().map_err(|e| Error::git("open the object store", e))?;
        let missing: Vec<Oid> = ids.into_iter().filter(|id| !store.exists(*id)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let names: String = missing.iter().map(|id| format!("{id}\n")).collect();
        let mut command = process::git(self);
        let output = process::fed(command.args(["cat-file", "--batch-check"]), names.as_bytes())?;
        store.refresh().map_err(|e| Error::git("open the object store", e))?;
        match missing.into_iter().find(|id| !store.exists(*id)) {
            Some(id) => Err(unfetched(id, &output.stderr)),
            None => Ok(()),
        }
    }

    /// Sees to it that all trees are here in which two trees differ: of one alone, all.
    ///
    /// # Errors
    /// Git cannot fetch one.
    pub(super) fn ensure_trees(&self, old: Option<Oid>, new: Option<Oid>) -> Result<()> {
        self.show_objects(&old.into_iter().chain(new).collect::<Vec<_>>())?;
        if !self.is_partial()? {
            return Ok(());
        }
        let Some(tree) = new.or(old) else { return Ok(()) };
        let lacks = |id: Oid| self.pending.borrow().as_ref().is_some_and(|pending| pending.lacks(id));
        if old.into_iter().chain(new).any(lacks) {
            // Git would not find one that is new.
            return self.ensure_subtrees(old, new);
        }
        let mut command = process::git(self);
        match old.filter(|_| new.is_some()) {
            Some(old) => {
                command.args(["diff-tree", "-r", "-z", "--no-renames", &old.to_string(), &tree.to_string()])
            }
            None => command.args(["ls-tree", "-r", "-t", "-z", &tree.to_string()]),
        };
        let output = process::fed(&mut command, b"")?;
        if output.status.success() {
            let store = self.git.odb().and_then(|store| store.refresh());
            return store.map_err(|e| Error::git("open the object store", e));
        }
        Err(unfetched(tree, &output.stderr))
    }

    /// Likewise, tree by tree.
    fn ensure_subtrees(&self, old: Option<Oid>, new: Option<Oid>) -> Result<()> {
        let below = |id: Option<Oid>| -> Result<BTreeMap<Vec<u8>, Oid>> {
            let Some(tree) = id.map(|id| self.find_tree(id)).transpose()? else { return Ok(BTreeMap::new()) };
            let trees = tree.iter().filter(|entry| entry.filemode() == DIRECTORY);
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

    /// Sees to it that the files are here that are different, which libgit2 reads to count or to show lines, and to find renames.
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

    /// What a tree has at a path: mode and object. A tree on the way that cannot be read is an error, and not a path that
    /// is not there.
    ///
    /// # Errors
    /// The object store fails.
    pub(super) fn find_in(&self, tree: &git2::Tree<'_>, path: &[u8]) -> Result<Option<(i32, Oid)>> {
        let mut components = path.split(|&b| b == b'/').peekable();
        let mut below: Option<git2::Tree<'_>> = None;
        while let Some(component) = components.next() {
            let found = below.as_ref().unwrap_or(tree).get_name_bytes(component);
            let Some((mode, id)) = found.map(|entry| (entry.filemode(), entry.id())) else { return Ok(None) };
            if components.peek().is_none() {
                return Ok(Some((mode, id)));
            }
            if mode != DIRECTORY {
                return Ok(None);
            }
            below = Some(self.find_tree(id)?);
        }
        Ok(None)
    }
}

/// The first thing that git has said tells why; the rest is what came of it.
fn unfetched(id: Oid, said: &[u8]) -> Error {
    let said = String::from_utf8_lossy(said);
    let first = said.lines().next().unwrap_or_default();
    Error::Unfetched { id, message: first.strip_prefix("fatal: ").unwrap_or(first).to_owned() }
}
