//! The commits of a landing: as they are planned, and as they are made.

use crate::message::Cleanup;
use crate::path::RepoPath;
use crate::plan::{FileChange, FileState};
use crate::vcs::ident::Identities;
use crate::vcs::tree::{BaseTree, Entry};
use crate::vcs::{Oid, Result};
use std::collections::{BTreeMap, BTreeSet};

/// Where a planned commit comes from.
#[derive(Debug, Clone, Default)]
pub enum Making {
    /// It is a new commit.
    #[default]
    New,
    /// It is made again from an existing commit, with that commit's author and message.
    Again {
        /// The author's line (`Name <email> seconds zone`).
        author: String,
        /// The existing commit.
        commit: Oid,
    },
    /// It is an existing commit that the branch moves to.
    AsIs(Oid),
}

impl Making {
    /// Returns the author and committer of the commit. `who` is the user.
    pub(super) fn identities(&self, who: &Identities) -> Identities {
        match self {
            Making::Again { author, .. } => Identities { author: author.clone(), ..who.clone() },
            _ => who.clone(),
        }
    }

    /// Returns how the commit's message is cleaned up: a new commit's as `usual`, others not at all.
    pub(super) fn cleanup(&self, usual: Cleanup) -> Cleanup {
        if matches!(self, Making::New) { usual } else { Cleanup::Verbatim }
    }
}

/// A commit to make.
#[derive(Debug, Clone)]
pub struct Planned {
    /// The numbers of its edits, from 1. Empty for commits that the landing only moves onto, such as the remote's.
    pub edits: Vec<usize>,
    /// The whole message, ending in a line break.
    pub message: String,
    /// Its changes, one for each path.
    pub changes: Vec<FileChange>,
    /// The old and the new path of each file that it moves or copies.
    pub origins: Vec<(RepoPath, RepoPath)>,
    /// Where it comes from.
    pub making: Making,
}

impl Planned {
    /// Returns the files that it copies: the origins that it does not delete.
    pub(super) fn copied(&self) -> impl Iterator<Item = &RepoPath> {
        let is_removed = |change: &&FileChange| change.after.is_none();
        let removed: BTreeSet<_> =
            self.changes.iter().filter(is_removed).map(|change| &change.path).collect();
        self.origins.iter().map(|(from, _)| from).filter(move |from| !removed.contains(from))
    }

    /// Returns its name for messages.
    pub fn named(&self) -> String {
        if let Making::Again { commit, .. } | Making::AsIs(commit) = &self.making {
            return format!("commit {commit}");
        }
        let edits = edits_by_number(&self.edits);
        match self.changes.as_slice() {
            [only] => format!("{edits} ({})", only.path),
            _ => edits,
        }
    }
}

/// Returns `edit 1`, or `edits 1, 2`.
pub(super) fn edits_by_number(edits: &[usize]) -> String {
    let numbers: Vec<_> = edits.iter().map(usize::to_string).collect();
    format!("edit{} {}", if edits.len() == 1 { "" } else { "s" }, numbers.join(", "))
}

/// The commits that were made for a series.
#[derive(Debug, Clone, Default)]
pub struct Made {
    /// One for each planned commit.
    pub commits: Vec<MadeCommit>,
    /// The merge commit on top, if there is one.
    pub merge: Option<Oid>,
}

/// A commit that was made.
#[derive(Debug, Clone, Default)]
pub struct MadeCommit {
    /// The commit's id; `None` if it would have changed nothing, so that it was not made.
    pub id: Option<Oid>,
    /// The numbers of its edits.
    pub edits: Vec<usize>,
    /// Whether the commit existed before.
    pub existed: bool,
    /// Whether a hook changed files in it.
    pub changed_by_hooks: bool,
}

impl Made {
    /// Returns the ids of all commits, in order.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = Oid> {
        self.commits.iter().map(|one| one.id).chain([self.merge]).flatten()
    }

    /// Returns the commits in which a hook changed files.
    pub fn changed_by_hooks(&self) -> impl Iterator<Item = Oid> {
        self.commits.iter().filter(|one| one.changed_by_hooks).filter_map(|one| one.id)
    }

    /// Returns the last commit: the branch's new tip.
    pub fn tip(&self) -> Option<Oid> {
        self.all().next_back()
    }
}

/// Returns the first path of each file that a series moves or copies, by its last path. If a file moves twice, `a` to
/// `b` and `b` to `c`, the result is `c` -> `a`.
pub(super) fn origins(series: &[Planned]) -> BTreeMap<RepoPath, RepoPath> {
    let mut all: BTreeMap<RepoPath, RepoPath> = BTreeMap::new();
    for planned in series {
        for new in planned.changes.iter().filter(|change| change.before.is_none()) {
            all.remove(&new.path);
        }
        for (from, to) in &planned.origins {
            let first = all.get(from).unwrap_or(from).clone();
            all.insert(to.clone(), first);
        }
    }
    all
}

/// A path that a series touches.
#[derive(Debug, Clone)]
pub(super) struct Touched {
    pub(super) path: RepoPath,
    /// The path's entry in the base.
    pub(super) old: Option<Entry>,
    pub(super) change: PathChange,
}

/// What a series does to a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathChange {
    /// It creates or changes the file.
    Written,
    /// It deletes the file.
    Deleted,
    /// It moves the file to this path.
    Moved(RepoPath),
}

/// Returns the paths that a series touches, each with what the whole series does to it.
pub(super) fn touched(base: &BaseTree<'_>, series: &[Planned]) -> Result<Vec<Touched>> {
    let mut last: BTreeMap<&RepoPath, Option<&FileState>> = BTreeMap::new();
    for change in series.iter().flat_map(|planned| &planned.changes) {
        last.insert(&change.path, change.after.as_ref());
    }
    let mut touched = Vec::new();
    let origins = origins(series);
    let removal = |path: &RepoPath| {
        let is_there = |to: &RepoPath| last.get(to).is_some_and(Option::is_some);
        let mut all = origins.iter().filter(|(to, from)| *from == path && is_there(to));
        match (all.next(), all.next()) {
            (Some((to, _)), None) => PathChange::Moved(to.clone()),
            _ => PathChange::Deleted,
        }
    };
    for (path, after) in &last {
        let old = base.stored(path)?;
        if after.is_some() || old.is_some() {
            let change = if after.is_some() { PathChange::Written } else { removal(path) };
            touched.push(Touched { path: (*path).clone(), old, change });
        }
    }
    Ok(touched)
}
