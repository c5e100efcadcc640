//! Finds renamed files between two trees, by similar content as git does.

use super::repo::Repo;
use super::{Error, Oid, Result};
use crate::path::RepoPath;
use git2::{Delta, DiffFile, DiffFindOptions};

impl Repo {
    /// The files of `old` that `new` has under another name: the old and the new name.
    ///
    /// # Errors
    /// The object store fails.
    pub fn renames(&self, old: Option<Oid>, new: Oid) -> Result<Vec<(RepoPath, RepoPath)>> {
        let failed = |e| Error::git("look for renamed files", e);
        self.ensure_trees(old, Some(new))?;
        let before = old.map(|id| self.find_tree(id)).transpose()?;
        let after = self.find_tree(new)?;
        let mut difference =
            self.git.diff_tree_to_tree(before.as_ref(), Some(&after), None).map_err(failed)?;
        self.ensure_files(&difference)?;
        difference.find_similar(Some(DiffFindOptions::new().renames(true))).map_err(failed)?;
        let path = |file: DiffFile<'_>| RepoPath::parse(std::str::from_utf8(file.path_bytes()?).ok()?).ok();
        let renamed = difference.deltas().filter(|delta| delta.status() == Delta::Renamed);
        Ok(renamed.filter_map(|delta| Some((path(delta.old_file())?, path(delta.new_file())?))).collect())
    }
}
