//! Finds earlier versions of files on a branch.

use super::repo::Repo;
use super::tree::Entry;
use super::{Error, Oid, Result};
use std::collections::{BTreeMap, BTreeSet};

/// How many commits are looked at.
const MAX_COMMITS: usize = 5_000;

impl Repo {
    /// Walks from `tip` back along first parents, and returns the commits with other versions of these files than the
    /// next newer commit in the result. `tip` is the first. Returns at most `limit` commits.
    ///
    /// # Errors
    /// The object store fails.
    pub fn versions(&self, tip: Oid, paths: &BTreeSet<Vec<u8>>, limit: usize) -> Result<Vec<Oid>> {
        let failed = |e| Error::git(format!("list the commits of {tip}"), e);
        let mut walk = self.git.revwalk().map_err(failed)?;
        walk.simplify_first_parent().map_err(failed)?;
        walk.push(tip).map_err(failed)?;
        let mut versions = Vec::new();
        let mut last: Option<BTreeMap<Vec<u8>, Entry>> = None;
        for id in walk.take(MAX_COMMITS) {
            let id = id.map_err(failed)?;
            let entries = self.entries(Some(self.tree_of(id)?), paths)?;
            if last.as_ref() != Some(&entries) {
                versions.push(id);
                last = Some(entries);
            }
            if versions.len() == limit {
                break;
            }
        }
        Ok(versions)
    }
}
