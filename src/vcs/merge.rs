//! Three-way merges of trees, in memory, as `git merge-tree` does them: lines are merged, renames are followed.
//!
//! Only the paths in which the three trees can differ take part, so that the cost does not depend on the size of the
//! repository: the trees are cut down to those first, and the result is read as changes to our side.

use super::tree::{Changes, DIRECTORY, Entry, find};
use super::{Error, Oid, Result};
use crate::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Paths from the root of the repository, as git has them.
pub type Paths = BTreeSet<Vec<u8>>;

/// What a merge comes to.
#[derive(Debug, Clone)]
pub enum Merge {
    /// Changes to our side.
    Clean(Changes),
    /// What no machine can decide; nothing of the merge is given then.
    Conflicts(Vec<Conflict>),
}

/// A path on which the sides do not agree.
#[derive(Debug, Clone)]
pub struct Conflict {
    /// The path on our side, else on theirs, else before.
    pub path: String,
    /// The file before, if it was there.
    pub ancestor: Option<Entry>,
    /// Ours.
    pub ours: Option<Entry>,
    /// Theirs.
    pub theirs: Option<Entry>,
}

fn failed(e: git2::Error) -> Error {
    Error::git("merge the trees", e)
}

fn bytes_path(path: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt;
    Path::new(std::ffi::OsStr::from_bytes(path))
}

impl super::repo::Repo {
    /// The paths at which two trees differ.
    ///
    /// # Errors
    /// The object store fails.
    pub fn differences(&self, old: Option<Oid>, new: Option<Oid>) -> Result<Paths> {
        let tree = |id: Option<Oid>| id.map(|id| self.git.find_tree(id)).transpose().map_err(failed);
        let (old, new) = (tree(old)?, tree(new)?);
        let mut options = git2::DiffOptions::new();
        options.ignore_submodules(false).include_typechange(true).skip_binary_check(true);
        let diff =
            self.git.diff_tree_to_tree(old.as_ref(), new.as_ref(), Some(&mut options)).map_err(failed)?;
        let mut paths = Paths::new();
        for delta in diff.deltas() {
            paths.extend(
                [delta.old_file(), delta.new_file()]
                    .iter()
                    .filter_map(|file| file.path_bytes())
                    .map(<[u8]>::to_vec),
            );
        }
        Ok(paths)
    }

    /// Brings what `theirs` changed since `ancestor` into `ours`. `scope` names at least every path in which any two of
    /// the trees differ. New files are written to where the repository's writes go.
    ///
    /// # Errors
    /// The object store fails, or the result has a path that is not to be written.
    pub fn merge(
        &self,
        scope: &Paths,
        ancestor: Option<Oid>,
        ours: Option<Oid>,
        theirs: Option<Oid>,
    ) -> Result<Merge> {
        let cut = |id: Option<Oid>| -> Result<(git2::Tree<'_>, BTreeMap<Vec<u8>, Entry>)> {
            let entries = self.entries(id, scope)?;
            let mut index = git2::Index::new().map_err(failed)?;
            for (path, entry) in &entries {
                index.add(&index_entry(path, *entry)).map_err(failed)?;
            }
            let id = index.write_tree_to(&self.git).map_err(failed)?;
            Ok((self.git.find_tree(id).map_err(failed)?, entries))
        };
        let ((ancestor, _), (ours, before), (theirs, _)) = (cut(ancestor)?, cut(ours)?, cut(theirs)?);
        let mut options = git2::MergeOptions::new();
        options.find_renames(true);
        let merged = self.git.merge_trees(&ancestor, &ours, &theirs, Some(&options)).map_err(failed)?;
        if merged.has_conflicts() {
            let entry = |side: &Option<git2::IndexEntry>| {
                side.as_ref().map(|entry| Entry { mode: entry.mode, id: entry.id })
            };
            let mut conflicts = Vec::new();
            for conflict in merged.conflicts().map_err(failed)? {
                let conflict = conflict.map_err(failed)?;
                let named = [&conflict.our, &conflict.their, &conflict.ancestor].into_iter().flatten().next();
                conflicts.push(Conflict {
                    path: named
                        .map(|entry| String::from_utf8_lossy(&entry.path).into_owned())
                        .unwrap_or_default(),
                    ancestor: entry(&conflict.ancestor),
                    ours: entry(&conflict.our),
                    theirs: entry(&conflict.their),
                });
            }
            return Ok(Merge::Conflicts(conflicts));
        }
        let after: BTreeMap<Vec<u8>, Entry> =
            merged.iter().map(|entry| (entry.path, Entry { mode: entry.mode, id: entry.id })).collect();
        let mut changes = Changes::new();
        for path in before.keys().chain(after.keys()) {
            let new = after.get(path);
            if before.get(path) != new {
                let text = String::from_utf8_lossy(path);
                let path = RepoPath::parse(&text).map_err(|e| {
                    Error::git(format!("merge {text}"), git2::Error::from_str(&e.to_string()))
                })?;
                changes.insert(path, new.copied());
            }
        }
        Ok(Merge::Clean(changes))
    }

    /// The files, links and submodules of a tree at those paths.
    ///
    /// # Errors
    /// The object store fails.
    pub fn entries(&self, tree: Option<Oid>, paths: &Paths) -> Result<BTreeMap<Vec<u8>, Entry>> {
        let Some(tree) = tree else { return Ok(BTreeMap::new()) };
        let tree = self.git.find_tree(tree).map_err(failed)?;
        let mut entries = BTreeMap::new();
        for path in paths {
            match find(&tree, bytes_path(path)).map_err(failed)? {
                Some((mode, id)) if mode != DIRECTORY => {
                    entries.insert(path.clone(), Entry { mode: mode as u32, id });
                }
                _ => {}
            }
        }
        Ok(entries)
    }
}

fn index_entry(path: &[u8], entry: Entry) -> git2::IndexEntry {
    git2::IndexEntry {
        ctime: git2::IndexTime::new(0, 0),
        mtime: git2::IndexTime::new(0, 0),
        dev: 0,
        ino: 0,
        mode: entry.mode,
        uid: 0,
        gid: 0,
        file_size: 0,
        id: entry.id,
        flags: 0,
        flags_extended: 0,
        path: path.to_vec(),
    }
}
