//! What a series would come to, for a dry run: the new tree in a quarantine outside the repository.

use super::hooks::Hooks;
use super::obstacles::{self, InCheckout};
use super::staging::Staging;
use super::{Error, Obstacle, Planned, Result, Target, conversions, series};
use crate::path::RepoPath;
use crate::vcs::Oid;
use crate::vcs::index::Index;
use crate::vcs::quarantine::Quarantine;
use crate::vcs::repo::Repo;
use crate::vcs::tree::BaseTree;
use std::path::Path;

/// The tree that would be. It is gone when this is dropped.
#[must_use]
pub struct Preview {
    tree: Oid,
    // In the order in which they are to be dropped.
    quarantine: Quarantine,
    handle: Repo,
}

impl Preview {
    /// Builds the tree, and gives it behind the one that it is compared with. The repository gets no objects.
    ///
    /// # Errors
    /// The object store or the disk.
    pub fn build(repo: &Repo, target: &Target, series: &[Planned]) -> Result<(Option<Oid>, Self)> {
        // A handle of its own, since its writes are turned away from the repository.
        let handle = repo.open_again()?;
        let quarantine = Quarantine::enter_aside(&handle)?;
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

/// The hooks that have to pass before a landing, in the order in which they run; `again` says whether its commits exist.
///
/// # Errors
/// The configuration cannot be read.
pub fn hooks_to_pass(repo: &Repo, no_verify: bool, merge: bool, again: bool) -> Result<Vec<&'static str>> {
    let mut names: Vec<_> = Hooks::active(repo, no_verify, merge, again)?.judging().collect();
    let last = "reference-transaction";
    names.extend(repo.hook(last)?.map(|_| last));
    Ok(names)
}

/// What would be in the way of landing the series now.
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
    let (InCheckout { mut obstacles, locals }, index) =
        look(repo, target, &series::touched(&base, series)?, autostash)?;
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

/// Likewise of changing files, before it is known to what.
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
        Ok(series::Touched { path: path.clone(), old: base.stored(path)?, fate: series::Fate::Stays })
    });
    Ok(look(repo, target, &touched.collect::<Result<Vec<_>>>()?, autostash)?.0.obstacles)
}

/// What is in the checkout, and the index that says so.
fn look(
    repo: &Repo,
    target: &Target,
    touched: &[series::Touched],
    autostash: bool,
) -> Result<(InCheckout, Option<Index>)> {
    obstacles::unsupported()?;
    let index = match target.checked_out {
        true => Some(
            repo.read_index_of(touched.iter().map(|touched| touched.path.as_str())).map_err(Error::from)?,
        ),
        false => None,
    };
    let found = obstacles::check(repo, target, touched, index.as_ref(), autostash)?;
    Ok((found, index))
}
