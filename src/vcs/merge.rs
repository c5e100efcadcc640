//! Three-way merges of trees in memory, as `git merge-tree` does them: by lines, following renames.
//!
//! The trees are first reduced to the paths in which they differ, so that the cost does not depend on the size of the
//! repository. The result is a set of changes to our side.

use super::index::index_entry;
use super::tree::{Changes, DIRECTORY, Entry, node};
use super::{Error, Oid, Result};
use crate::names::named;
use crate::path::RepoPath;
use crate::plan::{Body, FileState, Node};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Paths from the top of the repository, as bytes.
pub type Paths = BTreeSet<Vec<u8>>;

named! {
    /// Which side's lines a merge takes if both sides changed them (git-merge(1), `-X`).
    Favor {
        /// Those of the branch.
        Ours = "ours",
        /// Those of the commits that are merged into it.
        Theirs = "theirs",
    }
}

/// The result of a merge.
#[derive(Debug, Clone)]
pub enum Merge {
    /// The changes to our side, and the conflicts that the favour decided.
    Clean(Changes, Vec<Conflict>),
    /// The conflicts; the merge changes nothing.
    Conflicts(Vec<Conflict>),
    /// It would change files whose names are not a valid [`RepoPath`]: these, with invalid UTF-8 replaced.
    Unnameable(Vec<String>),
}

/// A path on which the sides conflict.
#[derive(Debug, Clone)]
pub struct Conflict {
    /// The path on our side, else on theirs, else in the ancestor.
    pub path: String,
    /// The ancestor's entry.
    pub ancestor: Option<Entry>,
    /// Our entry.
    pub ours: Option<Entry>,
    /// Their entry.
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
        let mut options = git2::DiffOptions::new();
        options.ignore_submodules(false).include_typechange(true).skip_binary_check(true);
        let diff = self.difference(old, new, Some(&mut options))?;
        let files = diff.deltas().flat_map(|delta| [delta.old_file(), delta.new_file()]);
        Ok(files.filter_map(|file| Some(file.path_bytes()?.to_vec())).collect())
    }

    fn difference(
        &self,
        old: Option<Oid>,
        new: Option<Oid>,
        options: Option<&mut git2::DiffOptions>,
    ) -> Result<git2::Diff<'_>> {
        self.ensure_trees(old, new)?;
        let tree = |id: Option<Oid>| id.map(|id| self.find_tree(id)).transpose();
        let (old, new) = (tree(old)?, tree(new)?);
        let diff = self.git.diff_tree_to_tree(old.as_ref(), new.as_ref(), options);
        diff.map_err(|e| Error::git("compare two trees", e))
    }

    /// The differences between two trees, with renamed files.
    pub(super) fn difference_with_renames(
        &self,
        old: Option<Oid>,
        new: Oid,
        options: Option<&mut git2::DiffFindOptions>,
    ) -> Result<git2::Diff<'_>> {
        let mut difference = self.difference(old, Some(new), None)?;
        self.ensure_files(&difference)?;
        difference.find_similar(options).map_err(|e| Error::git("look for renamed files", e))?;
        Ok(difference)
    }

    /// The files of `old` that `new` has under another name: the old and the new name.
    ///
    /// # Errors
    /// The object store fails.
    pub fn renames(&self, old: Option<Oid>, new: Oid) -> Result<Vec<(RepoPath, RepoPath)>> {
        let mut options = git2::DiffFindOptions::new();
        let difference = self.difference_with_renames(old, new, Some(options.renames(true)))?;
        let path =
            |file: git2::DiffFile<'_>| RepoPath::parse(std::str::from_utf8(file.path_bytes()?).ok()?).ok();
        let renamed = difference.deltas().filter(|delta| delta.status() == git2::Delta::Renamed);
        Ok(renamed.filter_map(|delta| Some((path(delta.old_file())?, path(delta.new_file())?))).collect())
    }

    /// The number of changed files, added lines and removed lines between two trees.
    ///
    /// # Errors
    /// The object store fails.
    pub fn size(&self, old: Option<Oid>, new: Oid) -> Result<(usize, usize, usize)> {
        let diff = self.difference_with_renames(old, new, None)?;
        let stats = diff.stats().map_err(|e| Error::git("compare two trees", e))?;
        Ok((stats.files_changed(), stats.insertions(), stats.deletions()))
    }

    /// Merges what `theirs` changed since `ancestor` into `ours`. `scope` must contain every path in which two of the
    /// trees differ. New blobs are written to the repository's pending objects.
    ///
    /// # Errors
    /// The object store fails.
    pub fn merge(
        &self,
        scope: &Paths,
        ancestor: Option<Oid>,
        ours: Option<Oid>,
        theirs: Option<Oid>,
        favor: Option<Favor>,
    ) -> Result<Merge> {
        let cut = |id: Option<Oid>| -> Result<(git2::Tree<'_>, BTreeMap<Vec<u8>, Entry>)> {
            let entries = self.entries(id, scope)?;
            let files = entries.values().filter(|entry| entry.node() != Node::Submodule);
            self.ensure(&files.map(|entry| entry.id).collect::<Vec<_>>())?;
            let mut index = git2::Index::new_ext(self.format()).map_err(failed)?;
            for (path, entry) in &entries {
                index.add(&index_entry(path, *entry)).map_err(failed)?;
            }
            let id = index.write_tree_to(&self.git).map_err(failed)?;
            Ok((self.find_tree(id)?, entries))
        };
        let ((ancestor, _), (ours, before), (theirs, _)) = (cut(ancestor)?, cut(ours)?, cut(theirs)?);
        let mut options = git2::MergeOptions::new();
        options.find_renames(true);
        let merge = |options: &git2::MergeOptions| {
            self.git.merge_trees(&ancestor, &ours, &theirs, Some(options)).map_err(failed)
        };
        let mut merged = merge(&options)?;
        let (resolved, mut decided) = self.merge_as_git(&merged, favor)?;
        resolve_conflicts(&mut merged, &resolved)?;
        if let Some(favor) = favor.filter(|_| merged.has_conflicts()) {
            // The second run also favours a side inside renamed files.
            options.file_favor(match favor {
                Favor::Ours => git2::FileFavor::Ours,
                Favor::Theirs => git2::FileFavor::Theirs,
            });
            let left = conflicts_of(&merged)?;
            merged = merge(&options)?;
            resolve_conflicts(&mut merged, &resolved)?;
            decided.extend(left.into_iter().filter(|conflict| conflict.ours.is_some()));
        }
        if merged.has_conflicts() {
            return Ok(Merge::Conflicts(conflicts_of(&merged)?));
        }
        let after: BTreeMap<Vec<u8>, Entry> =
            merged.iter().map(|entry| (entry.path, Entry { mode: entry.mode, id: entry.id })).collect();
        let paths: Paths = before.keys().chain(after.keys()).cloned().collect();
        let changed = paths.into_iter().filter(|path| before.get(path) != after.get(path));
        Ok(match changes_of(changed, |path| after.get(path).copied()) {
            Ok(changes) => Merge::Clean(changes, decided),
            Err(invalid) => Merge::Unnameable(invalid),
        })
    }

    /// Lets git merge the conflicting texts again, because git's merge pairs lines with the histogram algorithm
    /// (git-merge(1)), which libgit2 lacks. Git before 2.44 cannot do that for single files, so conflicts stay there.
    /// Returns the merged files, and the conflicts that the favour decided.
    fn merge_as_git(
        &self,
        merged: &git2::Index,
        favor: Option<Favor>,
    ) -> Result<(Vec<Resolved>, Vec<Conflict>)> {
        let (mut resolved, mut decided) = (Vec::new(), Vec::new());
        for conflict in merged.conflicts().map_err(failed)? {
            let conflict = conflict.map_err(failed)?;
            let (ancestor, Some(ours), Some(theirs)) = (&conflict.ancestor, &conflict.our, &conflict.their)
            else {
                continue;
            };
            // Both sides added the file, so only a favour can decide.
            if ancestor.is_none() && favor.is_none() {
                continue;
            }
            let is_file = |entry: &git2::IndexEntry| matches!(node(entry.mode), Node::File { .. });
            let others = || ancestor.iter().chain([theirs]);
            let one_path = others().all(|side| side.path == ours.path);
            if !one_path || !others().chain([ours]).all(is_file) || self.has_merge_driver(&ours.path)? {
                continue;
            }
            let before = ancestor.as_ref().map_or(Ok(Vec::new()), |side| self.blob(side.id))?;
            let (mine, others) = (self.blob(ours.id)?, self.blob(theirs.id)?);
            let mut text = match ancestor {
                Some(_) => self.merge_texts(&mine, &before, &others, None)?,
                None => None,
            };
            if text.is_none() && favor.is_some() {
                text = self.merge_texts(&mine, &before, &others, favor)?;
                decided.extend(text.is_some().then(|| conflict_of(&conflict)));
            }
            let Some(text) = text else { continue };
            let is_ours = ancestor.as_ref().is_none_or(|ancestor| ours.mode != ancestor.mode);
            let mode = if is_ours { ours.mode } else { theirs.mode };
            resolved.push((ours.path.clone(), Entry { mode, id: self.put_blob(&text)? }));
        }
        Ok((resolved, decided))
    }

    /// Returns whether the attributes ask for something else than a text merge (gitattributes(5), "merge").
    fn has_merge_driver(&self, path: &[u8]) -> Result<bool> {
        let value = self.git.get_attr_bytes(bytes_path(path), "merge", git2::AttrCheckFlags::FILE_THEN_INDEX);
        let value = git2::AttrValue::always_bytes(value.map_err(failed)?);
        let is_text = match value {
            git2::AttrValue::Unspecified => self.config().string("merge.default")?.is_none(),
            git2::AttrValue::True => true,
            git2::AttrValue::Bytes(name) => name == b"text",
            git2::AttrValue::String(name) => name == "text",
            git2::AttrValue::False => false,
        };
        Ok(!is_text)
    }

    /// Lets git merge two descendants of one text. Returns `None` if they conflict and there is no favour, or if git
    /// cannot merge them.
    ///
    /// # Errors
    /// Git cannot be run.
    pub fn merge_texts(
        &self,
        ours: &[u8],
        ancestor: &[u8],
        theirs: &[u8],
        favor: Option<Favor>,
    ) -> Result<Option<Vec<u8>>> {
        // Git's own test for binary. Binary files are not merged; the favoured one is taken whole.
        let is_binary = |bytes: &[u8]| bytes.iter().take(8000).any(|&byte| byte == 0);
        if [ours, ancestor, theirs].into_iter().any(is_binary) {
            return Ok(favor.map(|favor| if favor == Favor::Ours { ours } else { theirs }.to_vec()));
        }
        let scratch = self.temporary()?;
        let sides = [("ours", ours), ("base", ancestor), ("theirs", theirs)];
        let sides = sides.map(|(name, bytes)| (scratch.path().join(name), bytes));
        for (path, bytes) in &sides {
            std::fs::write(path, bytes).map_err(|e| Error::io("write", path, e))?;
        }
        let merge = |algorithm: Option<&str>| {
            let mut command = super::process::git(self);
            command.args(["merge-file", "-p", "-q"]).args(algorithm);
            command.args(favor.map(|favor| if favor == Favor::Ours { "--ours" } else { "--theirs" }));
            command.args(sides.iter().map(|(path, _)| path));
            command.output().map_err(|e| Error::io("run", "git", e))
        };
        let mut output = merge(Some("--diff-algorithm=histogram"))?;
        if favor.is_some() && output.status.code() == Some(129) {
            output = merge(None)?;
        }
        Ok(output.status.success().then_some(output.stdout))
    }

    /// The changes from one tree to another, or the paths that are not a valid [`RepoPath`].
    ///
    /// # Errors
    /// The object store fails.
    pub fn changes(
        &self,
        old: Option<Oid>,
        new: Option<Oid>,
    ) -> Result<std::result::Result<Changes, Vec<String>>> {
        let paths = self.differences(old, new)?;
        let entries = self.entries(new, &paths)?;
        Ok(changes_of(paths, |path| entries.get(path).copied()))
    }

    /// A plan's state for a tree entry, which may be a pending object.
    ///
    /// # Errors
    /// The object store fails.
    pub fn state(&self, entry: Entry) -> Result<FileState> {
        // Libgit2 writes the result of a merge by itself, so the object may exist without being pending.
        let lacks = self.pending.borrow().as_ref().is_some_and(|pending| pending.lacks(entry.id));
        let body = match lacks && self.has(entry.id)? {
            true => Body::Stored(self.blob(entry.id)?.into()),
            false => Body::Object(entry.id.to_string().into()),
        };
        Ok(FileState { node: entry.node(), body })
    }

    /// The kind of entry at a path; `None` if there is none.
    ///
    /// # Errors
    /// The object store fails.
    pub fn node_at(&self, tree: Oid, path: &str) -> Result<Option<Node>> {
        Ok(self.find_in(&self.find_tree(tree)?, path.as_bytes())?.map(Entry::node))
    }

    /// The files, links and submodules of a tree at these paths.
    ///
    /// # Errors
    /// The object store fails.
    pub fn entries(&self, tree: Option<Oid>, paths: &Paths) -> Result<BTreeMap<Vec<u8>, Entry>> {
        let Some(tree) = tree else { return Ok(BTreeMap::new()) };
        let tree = self.find_tree(tree)?;
        let mut entries = BTreeMap::new();
        for path in paths {
            match self.find_in(&tree, path)? {
                Some(entry) if entry.mode != DIRECTORY => drop(entries.insert(path.clone(), entry)),
                _ => {}
            }
        }
        Ok(entries)
    }
}

/// The changes at these paths, or those that are not a valid [`RepoPath`].
fn changes_of(
    paths: impl IntoIterator<Item = Vec<u8>>,
    new: impl Fn(&Vec<u8>) -> Option<Entry>,
) -> std::result::Result<Changes, Vec<String>> {
    let (mut changes, mut invalid) = (Changes::new(), Vec::new());
    for path in paths {
        match std::str::from_utf8(&path).ok().and_then(|path| RepoPath::parse(path).ok()) {
            Some(named) => drop(changes.insert(named, new(&path))),
            None => invalid.push(String::from_utf8_lossy(&path).into_owned()),
        }
    }
    if invalid.is_empty() { Ok(changes) } else { Err(invalid) }
}

/// A path that was in conflict, and its merged entry.
type Resolved = (Vec<u8>, Entry);

fn resolve_conflicts(merged: &mut git2::Index, resolved: &[Resolved]) -> Result<()> {
    for (path, entry) in resolved {
        if merged.conflict_get(bytes_path(path)).is_ok() {
            merged.conflict_remove(bytes_path(path)).map_err(failed)?;
        }
        merged.add(&index_entry(path, *entry)).map_err(failed)?;
    }
    Ok(())
}

fn conflicts_of(merged: &git2::Index) -> Result<Vec<Conflict>> {
    let conflicts = merged.conflicts().map_err(failed)?;
    conflicts.map(|conflict| Ok(conflict_of(&conflict.map_err(failed)?))).collect()
}

fn conflict_of(conflict: &git2::IndexConflict) -> Conflict {
    let entry =
        |side: &Option<git2::IndexEntry>| side.as_ref().map(|entry| Entry { mode: entry.mode, id: entry.id });
    let named = [&conflict.our, &conflict.their, &conflict.ancestor].into_iter().flatten().next();
    Conflict {
        path: named.map(|entry| String::from_utf8_lossy(&entry.path).into_owned()).unwrap_or_default(),
        ancestor: entry(&conflict.ancestor),
        ours: entry(&conflict.our),
        theirs: entry(&conflict.their),
    }
}
