//! What a dry run shows: the tree that would land, and the obstacles. The tree's objects are written outside the
//! repository.

use super::obstacles::{CheckoutState, Scope};
use super::series::{self, PathChange, Touched};
use super::staging::Staging;
use super::{Planned, Result, Target, conversions};
use crate::path::RepoPath;
use crate::report::Obstacle;
use crate::vcs::Oid;
use crate::vcs::index::Index;
use crate::vcs::quarantine::Quarantine;
use crate::vcs::repo::Repo;
use std::path::Path;

/// The tree that a landing would make. Its objects are deleted when this is dropped.
#[must_use]
pub struct Preview {
    tree: Oid,
    // Fields are dropped in this order.
    quarantine: Quarantine,
    handle: Repo,
}

impl Preview {
    /// Builds the tree without writing objects to the repository. Returns the tree before the landing, and the preview.
    ///
    /// # Errors
    /// The object store or the disk fails.
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

    /// The object directory that contains the tree.
    pub fn objects(&self) -> &Path {
        self.quarantine.objects()
    }
}

/// Returns the obstacles to landing the series now.
///
/// # Errors
/// Something is not supported, or cannot be read.
pub fn in_the_way(
    repo: &Repo,
    target: &Target,
    series: &[Planned],
    autostash: bool,
) -> Result<Vec<Obstacle>> {
    let base = repo.tree(target.start)?.as_checked_out(target.checked_out);
    conversions::refuse_together(&base, series)?;
    let scope = Scope { repo, target, touched: &series::touched(&base, series)?, autostash };
    let (CheckoutState { mut obstacles, locals }, index) = check(&scope)?;
    if let (false, Some(workdir), Some(index)) = (locals.is_empty(), repo.workdir(), &index) {
        let (_, preview) = Preview::build(repo, target, series)?;
        let handle = &preview.handle;
        let staging = Staging::open(handle, workdir, index, &base)?;
        let paths = locals.iter().map(|local| local.to.as_bytes().to_vec()).collect();
        let entries = handle.entries(Some(preview.tree()), &paths)?;
        for local in &locals {
            let Some(new) = entries.get(local.to.as_bytes()) else { continue };
            obstacles.extend(staging.merged(local, *new)?.err());
        }
    }
    Ok(obstacles)
}

/// Returns the obstacles to changing these files.
///
/// # Errors
/// Something is not supported, or cannot be read.
pub fn in_the_way_of(
    repo: &Repo,
    target: &Target,
    files: &[RepoPath],
    autostash: bool,
) -> Result<Vec<Obstacle>> {
    let base = repo.tree(target.start)?;
    let mut touched = Vec::new();
    for path in files {
        touched.push(Touched { path: path.clone(), old: base.stored(path)?, change: PathChange::Written });
    }
    Ok(check(&Scope { repo, target, touched: &touched, autostash })?.0.obstacles)
}

/// Checks the touched paths, and returns what was found with the index that was read for it.
fn check(scope: &Scope<'_>) -> Result<(CheckoutState, Option<Index>)> {
    let paths = scope.touched.iter().map(|touched| touched.path.as_str());
    let index = scope.target.checked_out.then(|| scope.repo.read_index_of(paths)).transpose()?;
    Ok((scope.check(index.as_ref())?, index))
}
