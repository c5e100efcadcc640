//! Makes existing commits again on a branch, as `git cherry-pick` does, or reverts them, as `git revert` does.

use super::Result;
use super::carry::{Carried, NewBase, changes_of, origins_of};
use super::series::{Making, Planned};
use crate::vcs::history::CommitData;
use crate::vcs::merge::{Favor, Merge, Paths};
use crate::vcs::quarantine::Quarantine;
use crate::vcs::repo::Repo;
use crate::vcs::{self, Oid};

/// An existing commit to make again or to revert. Its changes are the difference from its first parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replayed {
    /// The commit.
    pub commit: Oid,
    /// Revert the commit.
    pub reversed: bool,
}

impl Replayed {
    /// A commit to make again.
    pub fn again(commit: Oid) -> Self {
        Self { commit, reversed: false }
    }
}

/// Makes commits again, or reverts them, on top of the commit `onto`. The edit number of each planned commit is its
/// position, from 1. In a conflict about lines, `favor` decides which side's lines are taken.
///
/// A commit that is made again keeps its author and its message. A commit that reverts another one has the user as its
/// author, and the message of `git revert`.
///
/// # Errors
/// The object store fails, or a commit cannot be read.
pub fn replay(repo: &Repo, onto: Oid, commits: &[Replayed], favor: Option<Favor>) -> Result<Carried> {
    let (handle, _quarantine) = Quarantine::enter_aside(repo)?;
    let mut new_base = NewBase::new(&handle, onto, favor)?;
    let mut series = Vec::new();
    for (at, replayed) in commits.iter().enumerate() {
        let commit = handle.read_commit(replayed.commit)?;
        let parent = commit.parents.first().map(|parent| handle.tree_of(*parent)).transpose()?;
        let (before, after) = match replayed.reversed {
            false => (parent, Some(commit.tree)),
            true => (Some(commit.tree), parent),
        };
        let own = handle.changes(before, after)?.ok();
        let tip = new_base.tip;
        let changes = new_base.cherry_pick(at, before, after, own)?;
        let (message, making) = match replayed.reversed {
            false => (commit.message, Making::Again { author: commit.author, commit: commit.id }),
            true => (revert_message(&commit), Making::New),
        };
        let origins = origins_of(&handle, Some(tip), new_base.tip, &changes)?;
        series.push(Planned { edits: vec![at + 1], message, changes, origins, making });
    }
    Ok(new_base.into_carried(series))
}

/// Whether the tree `now` already has the changes from `before` to `after`, so that merging them changes nothing.
/// `paths` are the changed paths.
///
/// # Errors
/// The object store fails.
pub fn is_applied(repo: &Repo, paths: &Paths, [before, now, after]: [Option<Oid>; 3]) -> Result<bool> {
    let (handle, _quarantine) = Quarantine::enter_aside(repo)?;
    let merged = handle.merge(paths, before, now, after, None)?;
    Ok(matches!(merged, Merge::Clean(changes, _) if changes.is_empty()))
}

/// Whether a merge commit has no changes of its own: merging its parents again gives the same tree.
///
/// # Errors
/// The object store fails.
pub fn is_plain_merge(repo: &Repo, merge: &CommitData) -> Result<bool> {
    let (handle, _quarantine) = Quarantine::enter_aside(repo)?;
    let [first, others @ ..] = merge.parents.as_slice() else { return Ok(true) };
    let mut new_base = NewBase::new(&handle, *first, None)?;
    for other in others {
        let base = handle.merge_base(*first, *other)?.map(|base| handle.tree_of(base)).transpose()?;
        new_base.cherry_pick(0, base, Some(handle.tree_of(*other)?), None)?;
        if new_base.clashes_at(0) {
            return Ok(false);
        }
    }
    Ok(new_base.tip == merge.tree)
}

/// Returns the planned commit that moves a branch from one existing commit to another, forwards or back.
///
/// # Errors
/// A changed file has a name that is not supported, or the object store fails.
pub fn move_to(handle: &Repo, from: Option<Oid>, to: Oid) -> Result<Planned> {
    let before = from.map(|from| handle.tree_of(from)).transpose()?;
    let after = handle.tree_of(to)?;
    let changes = handle.changes(before, Some(after))?;
    let unsupported = |names: Vec<String>| format!("these names are not supported: {}", names.join(", "));
    let changes = changes.map_err(|names| vcs::Error::Invalid(unsupported(names)))?;
    let changes = changes_of(handle, before, changes)?;
    Ok(Planned {
        edits: Vec::new(),
        origins: origins_of(handle, before, after, &changes)?,
        changes,
        making: Making::AsIs(to),
        message: handle.read_commit(to)?.message,
    })
}

/// Returns the message of a commit that reverts this one, as git-revert(1) words it.
pub fn revert_message(commit: &CommitData) -> String {
    let subject = commit.subject();
    let reverted = subject.strip_prefix("Revert \"").filter(|rest| !rest.starts_with("Revert \""));
    let subject = match reverted {
        Some(rest) => format!("Reapply \"{rest}"),
        None => format!("Revert \"{subject}\""),
    };
    let merged = match commit.parents.as_slice() {
        [first, _, ..] => format!(", reversing\nchanges made to {first}"),
        _ => String::new(),
    };
    format!("{subject}\n\nThis reverts commit {}{merged}.\n", commit.id)
}
