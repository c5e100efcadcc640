//! Finds out whether commits that landed are still in effect on a branch.

use super::Error;
use crate::transaction::{self, Replayed};
use crate::vcs::Oid;
use crate::vcs::merge::Paths;
use crate::vcs::repo::Repo;
use std::collections::BTreeMap;

/// Whether a landed commit is still in effect on a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fate {
    /// The branch has the commit's changes.
    InEffect,
    /// The branch has changed the same lines since, so that cannot be told.
    Unclear,
    /// The branch does not have the commit's changes.
    Gone,
}

/// Returns the fate of each commit of a landing on the branch with this tip. `is_same_branch` says whether the
/// landing was on that branch.
pub(super) fn fates(
    repo: &Repo,
    commits: &[Oid],
    is_same_branch: bool,
    tip: Oid,
) -> Result<Vec<(Oid, Fate)>, Error> {
    let (Some(&first), Some(&last)) = (commits.first(), commits.last()) else { return Ok(Vec::new()) };
    let all = |fate: Fate| Ok(commits.iter().map(|id| (*id, fate)).collect());
    let tree = |id: Oid| repo.tree_of(id);
    let parent = repo.read_commit(first)?.parents.first().copied().map(tree).transpose()?;
    let (before, after, now) = (parent, Some(tree(last)?), Some(tree(tip)?));
    let paths = repo.differences(before, after)?;
    let entries = repo.entries(now, &paths)?;
    if entries == repo.entries(after, &paths)? {
        return all(Fate::InEffect);
    }
    if entries == repo.entries(before, &paths)? {
        return all(Fate::Gone);
    }
    let is_in_history = repo.contains(tip, last)?;
    // The commits may have been squashed.
    if !is_in_history && transaction::is_applied(repo, &paths, [before, now, after])? {
        return all(Fate::InEffect);
    }
    let step = |&commit: &Oid| Replayed { commit, reversed: is_in_history };
    let mut steps: Vec<Replayed> = commits.iter().map(step).collect();
    if is_in_history {
        steps.reverse();
    }
    let carried = transaction::replay(repo, tip, &steps, None)?;
    let mut fates = Vec::new();
    for (at, (step, planned)) in steps.iter().zip(&carried.series).enumerate() {
        let fate = match carried.clashes.iter().any(|clash| clash.planned == at) {
            true if is_in_history || is_same_branch => Fate::Unclear,
            // The commit never landed on this branch. The edit counts as new, and its text decides whether it applies.
            true => Fate::Gone,
            false if planned.changes.is_empty() == is_in_history => Fate::Gone,
            false => Fate::InEffect,
        };
        fates.push((step.commit, fate));
    }
    if is_in_history {
        fates.reverse();
    }
    Ok(fates)
}

/// Returns the fate of each file of a commit whose fate as a whole is unclear. Returns nothing if the commit changes
/// other files than these.
pub(super) fn fates_of_files(
    repo: &Repo,
    commit: Oid,
    files: Paths,
    tip: Oid,
) -> Result<BTreeMap<Vec<u8>, Fate>, Error> {
    let data = repo.read_commit(commit)?;
    let parent = data.parents.first().map(|parent| repo.tree_of(*parent)).transpose()?;
    let (before, after, now) = (parent, Some(data.tree), Some(repo.tree_of(tip)?));
    if !repo.differences(before, after)?.is_subset(&files) {
        return Ok(BTreeMap::new());
    }
    let changed_since = repo.differences(after, now)?;
    let fate = |file: Vec<u8>| {
        let only = Paths::from([file.clone()]);
        let fate = if !changed_since.contains(&file)
            || transaction::is_applied(repo, &only, [before, now, after])?
        {
            Fate::InEffect
        } else if transaction::is_applied(repo, &only, [after, now, before])? {
            Fate::Gone
        } else {
            Fate::Unclear
        };
        Ok((file, fate))
    };
    files.into_iter().map(fate).collect()
}
