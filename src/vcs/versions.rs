//! Finds earlier versions of files on a branch.

use super::repo::Repo;
use super::tree::Entry;
use super::{Error, Oid, Result};
use std::collections::{BTreeMap, BTreeSet};

const WALKED: usize = 5_000;

impl Repo {
    /// The commits from `tip` back along first parents that have other versions of these files than the next newer one;
    /// `tip` is the first. At most `most`.
    ///
    /// # Errors
    /// The object store fails.
    pub fn versions(&self, tip: Oid, paths: &BTreeSet<Vec<u8>>, most: usize) -> Result<Vec<Oid>> {
        let failed = |e| Error::git(format!("list the commits of {tip}"), e);
        let mut walk = self.git.revwalk().map_err(failed)?;
        walk.simplify_first_parent().map_err(failed)?;
        walk.push(tip).map_err(failed)?;
        let mut versions = Vec::new();
        let mut last: Option<BTreeMap<Vec<u8>, Entry>> = None;
        for id in walk.take(WALKED) {
            let id = id.map_err(failed)?;
            let entries = self.entries(Some(self.tree_of(id)?), paths)?;
            if last.as_ref() != Some(&entries) {
                versions.push(id);
                last = Some(entries);
            }
            if versions.len() == most {
                break;
            }
        }
        Ok(versions)
    }
}
