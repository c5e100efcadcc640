//! What a series would come to, for a dry run: the new tree in a quarantine outside the repository.

use super::{Error, Obstacle, Planned, Result, Target, conversions, obstacles, series};
use crate::vcs::quarantine::Quarantine;
use crate::vcs::repo::Repo;
use crate::vcs::tree::{BaseTree, Changes};
use crate::vcs::{self, Oid};
use std::path::Path;

/// The tree that would be. It is gone when this is dropped.
#[must_use]
pub struct Preview {
    tree: Oid,
    quarantine: Quarantine,
    _directory: tempfile::TempDir,
}

impl Preview {
    /// Builds the tree. The repository is not written to; the handle's writes go to the quarantine from now on.
    ///
    /// # Errors
    /// The object store or the disk.
    pub fn build(repo: &Repo, base: &BaseTree<'_>, series: &[Planned]) -> Result<Self> {
        let directory = tempfile::tempdir().map_err(|e| vcs::Error::io("create", std::env::temp_dir(), e))?;
        let quarantine = Quarantine::enter_at(repo, directory.path().join("quarantine"))?;
        let mut changes = Changes::new();
        for change in series.iter().flat_map(|planned| &planned.changes) {
            let entry = change.after.as_ref().map(|state| base.store(&change.path, state)).transpose()?;
            changes.insert(change.path.clone(), entry);
        }
        let tree = repo.write_tree(base.id(), &changes)?;
        quarantine.spill(repo)?;
        Ok(Self { tree, quarantine, _directory: directory })
    }

    /// The tree's id.
    pub fn tree(&self) -> Oid {
        self.tree
    }

    /// The object directory that has it.
    pub fn objects(&self) -> &Path {
        self.quarantine.objects()
    }
}

/// What would be in the way of landing the series now.
///
/// # Errors
/// What cannot be served, or cannot be read.
pub fn in_the_way(
    repo: &Repo,
    target: &Target,
    base: &BaseTree<'_>,
    series: &[Planned],
) -> Result<Vec<Obstacle>> {
    obstacles::unsupported(repo)?;
    conversions::refuse_together(base, series)?;
    let touched = series::touched(base, series)?;
    let index = match target.checked_out {
        true => Some(repo.read_index().map_err(Error::from)?),
        false => None,
    };
    obstacles::check(repo, target, &touched, index.as_ref())
}
