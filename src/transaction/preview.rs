//! The result of a dry run: the new tree, in a quarantine outside of the repository, and the obstacles.

use super::obstacles::{self, CheckoutState};
use super::staging::Staging;
use super::{Planned, Result, Target, conversions, series};
use crate::path::RepoPath;
use crate::report::Obstacle;
use crate::vcs::Oid;
use crate::vcs::index::Index;
use crate::vcs::quarantine::Quarantine;
use crate::vcs::repo::Repo;
use crate::vcs::tree::BaseTree;
use std::path::Path;

/// The tree that a landing would make. It is deleted when this is dropped.
#[must_use]
pub struct Preview {
    tree: Oid,
    // In the order in which they are to be dropped.
    quarantine: Quarantine,
    handle: Repo,
}

impl Preview {
    /// Builds the tree, and returns it after the tree that it is compared with. The repository gets no objects.
    ///
    /// # Errors
    /// The object store or the disk.
    pub fn build(repo: &Repo, target: &Target, series: &[Planned]) -> Result<(Option<Oid>, Self)> {
        let (handle, quarantine) = Quarantine::enter_aside(repo)?;
        let base = handle.tree(target.start)?.as_checked_out(target.checked_out);
        let before = base.id();
        let changes = base.store_all(series.iter().flat_map(|planned| &planned.changes))?;
        let tree = handle.write_tree(before, &changes)?;
        quarantine.spill(&handle)?;
        drop(base);
        Ok((before, Self { tree, quarantine, handle }))
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

/// The obstacles to landing the series now.
///
/// # Errors
/// What cannot be served, or cannot be read.
pub fn in_the_way(
    repo: &Repo,
    target: &Target,
    series: &[Planned],
    autostash: bool,
) -> Result<Vec<Obstacle>> {
    let base = repo.tree(target.start)?.as_checked_out(target.checked_out);
    conversions::refuse_together(&base, series)?;
    let (CheckoutState { mut obstacles, locals }, index) =
        check_checkout(repo, target, &series::touched(&base, series)?, autostash)?;
    if let (false, Some(workdir), Some(index)) = (locals.is_empty(), repo.workdir(), &index) {
        let (_, preview) = Preview::build(repo, target, series)?;
        let handle = &preview.handle;
        let staging = Staging::open(handle, workdir, index)?;
        let paths = locals.iter().map(|local| local.to.as_bytes().to_vec()).collect();
        let entries = handle.entries(Some(preview.tree()), &paths)?;
        for local in &locals {
            let Some(new) = entries.get(local.to.as_bytes()) else { continue };
            obstacles.extend(staging.merged(local, *new)?.err());
        }
    }
    Ok(obstacles)
}

/// The obstacles to changing these files.
///
/// # Errors
/// What cannot be served, or cannot be read.
pub fn in_the_way_of(
    repo: &Repo,
    target: &Target,
    base: &BaseTree<'_>,
    files: &[RepoPath],
    autostash: bool,
) -> Result<Vec<Obstacle>> {
    let touched = files.iter().map(|path| {
        Ok(series::Touched {
            path: path.clone(),
            old: base.stored(path)?,
            change: series::PathChange::Written,
        })
    });
    Ok(check_checkout(repo, target, &touched.collect::<Result<Vec<_>>>()?, autostash)?.0.obstacles)
}

/// The state of the checkout, and the index.
fn check_checkout(
    repo: &Repo,
    target: &Target,
    touched: &[series::Touched],
    autostash: bool,
) -> Result<(CheckoutState, Option<Index>)> {
    let paths = touched.iter().map(|touched| touched.path.as_str());
    let index = target.checked_out.then(|| repo.read_index_of(paths)).transpose()?;
    let found = obstacles::check(repo, target, touched, index.as_ref(), autostash)?;
    Ok((found, index))
}
