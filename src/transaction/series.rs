//! The commits of a landing, before and after they are made.

use crate::message::Cleanup;
use crate::path::RepoPath;
use crate::plan::{FileChange, FileState};
use crate::vcs::ident::Identities;
use crate::vcs::tree::{BaseTree, Entry};
use crate::vcs::{Oid, Result};
use std::collections::{BTreeMap, BTreeSet};

/// How a commit is made.
#[derive(Debug, Clone, Default)]
pub enum Making {
    /// It is new.
    #[default]
    New,
    /// It is made again from an existing one, with its author and its message.
    Again {
        /// The author's line (`Name <email> seconds zone`).
        author: String,
        /// The existing commit's name in messages.
        name: String,
    },
    /// It exists, and the branch moves to it.
    AsIs {
        /// The commit.
        commit: Oid,
        /// Its name in messages.
        name: String,
    },
}

impl Making {
    /// Author and committer, if the user is `who`.
    pub(super) fn identities(&self, who: &Identities) -> Identities {
        match self {
            Making::Again { author, .. } => Identities { author: author.clone(), ..who.clone() },
            _ => who.clone(),
        }
    }

    /// How its message is cleaned up, if that of a new commit is cleaned up as `usual`.
    pub(super) fn cleanup(&self, usual: Cleanup) -> Cleanup {
        if matches!(self, Making::New) { usual } else { Cleanup::Verbatim }
    }
}

/// One commit to be made.
#[derive(Debug, Clone)]
pub struct Planned {
    /// The numbers of its edits, from 1; empty for the remote's commit.
    pub edits: Vec<usize>,
    /// The whole message, ending in a line break.
    pub message: String,
    /// Its changes; every path once.
    pub changes: Vec<FileChange>,
    /// The files that it moves or copies, each with its new path.
    pub origins: Vec<(RepoPath, RepoPath)>,
    /// How it is made.
    pub making: Making,
}

impl Planned {
    /// The files that it copies.
    pub(super) fn copied(&self) -> impl Iterator<Item = &RepoPath> {
        let is_removed = |change: &&FileChange| change.after.is_none();
        let removed: BTreeSet<_> =
            self.changes.iter().filter(is_removed).map(|change| &change.path).collect();
        self.origins.iter().map(|(from, _)| from).filter(move |from| !removed.contains(from))
    }

    /// Its name in messages.
    pub fn named(&self) -> String {
        if let Making::Again { name, .. } | Making::AsIs { name, .. } = &self.making {
            return name.clone();
        }
        let edits = edits_by_number(&self.edits);
        match self.changes.as_slice() {
            [only] => format!("{edits} ({})", only.path),
            _ => edits,
        }
    }
}

/// Edits, by their numbers.
pub(super) fn edits_by_number(edits: &[usize]) -> String {
    let numbers: Vec<_> = edits.iter().map(usize::to_string).collect();
    format!("edit{} {}", if edits.len() == 1 { "" } else { "s" }, numbers.join(", "))
}

/// The commits of a series, once they are made.
#[derive(Debug, Clone, Default)]
pub struct Made {
    /// One for each planned one.
    pub commits: Vec<MadeCommit>,
    /// The merge commit above them, if there is one.
    pub merge: Option<Oid>,
}

/// One of them.
#[derive(Debug, Clone, Default)]
pub struct MadeCommit {
    /// The commit; `None` if it changes nothing.
    pub id: Option<Oid>,
    /// The numbers of its edits.
    pub edits: Vec<usize>,
    /// Whether it existed before.
    pub existed: bool,
    /// Whether a hook has changed files in it.
    pub changed_by_hooks: bool,
}

impl Made {
    /// All of them, the last one last.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = Oid> {
        self.commits.iter().map(|one| one.id).chain([self.merge]).flatten()
    }

    /// Those in which a hook has changed files.
    pub fn changed_by_hooks(&self) -> impl Iterator<Item = Oid> {
        self.commits.iter().filter(|one| one.changed_by_hooks).filter_map(|one| one.id)
    }

    /// The last one.
    pub fn tip(&self) -> Option<Oid> {
        self.all().next_back()
    }
}

/// The origins of files that a series moves or copies, also several times, by their last paths.
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

/// A path that the series touches.
#[derive(Debug, Clone)]
pub(super) struct Touched {
    pub(super) path: RepoPath,
    /// Its entry in the base.
    pub(super) old: Option<Entry>,
    pub(super) change: PathChange,
}

/// What the series does to a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathChange {
    /// It creates or changes it.
    Written,
    /// It deletes it.
    Deleted,
    /// It moves it there.
    Moved(RepoPath),
}

/// The paths that the series may change.
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
