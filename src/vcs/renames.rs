//! Finds renamed files between two trees, by similar content as git does.

use super::repo::Repo;
use super::{Oid, Result};
use crate::path::RepoPath;
use git2::{Delta, DiffFile, DiffFindOptions};

impl Repo {
    /// The files of `old` that `new` has under another name: the old and the new name.
    ///
    /// # Errors
    /// The object store fails.
    pub fn renames(&self, old: Option<Oid>, new: Oid) -> Result<Vec<(RepoPath, RepoPath)>> {
        let mut options = DiffFindOptions::new();
        let difference = self.difference_with_renames(old, new, Some(options.renames(true)))?;
        let path = |file: DiffFile<'_>| RepoPath::parse(std::str::from_utf8(file.path_bytes()?).ok()?).ok();
        let renamed = difference.deltas().filter(|delta| delta.status() == Delta::Renamed);
        Ok(renamed.filter_map(|delta| Some((path(delta.old_file())?, path(delta.new_file())?))).collect())
    }
}
