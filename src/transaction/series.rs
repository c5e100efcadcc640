//! The commits to be made, before they have ids.

use crate::message::Cleanup;
use crate::path::RepoPath;
use crate::plan::{Body, FileChange, FileState};
use crate::vcs::ident::Identities;
use crate::vcs::tree::{BaseTree, Entry};
use crate::vcs::{Oid, Result};
use std::collections::{BTreeMap, BTreeSet};

/// How a commit comes about.
#[derive(Debug, Clone, Default)]
pub enum Making {
    /// The user makes it.
    #[default]
    New,
    /// The user makes it again from one that exists: its message stands as it is, and it keeps the author
    /// (`Name <email> seconds zone`).
    Again {
        /// The author's line.
        author: String,
        /// What people know it by.
        name: String,
    },
    /// It exists, and the branch moves to it as it is.
    AsIs {
        /// The commit.
        commit: Oid,
        /// What people know it by.
        name: String,
    },
}

impl Making {
    /// Author and committer, where the user is `who`.
    pub(super) fn identities(&self, who: &Identities) -> Identities {
        match self {
            Making::Again { author, .. } => Identities { author: author.clone(), ..who.clone() },
            _ => who.clone(),
        }
    }

    /// What becomes of its message at last, where that of a new one is cleaned up so.
    pub(super) fn cleanup(&self, usual: Cleanup) -> Cleanup {
        if matches!(self, Making::New) { usual } else { Cleanup::Verbatim }
    }
}

/// One commit to be made.
#[derive(Debug, Clone)]
pub struct Planned {
    /// The numbers of its edits in the script, from 1; none of one that is no part of what lands.
    pub edits: Vec<usize>,
    /// The whole message, ending in a line break.
    pub message: String,
    /// What it changes; every path once.
    pub changes: Vec<FileChange>,
    /// The files that it copies, as the commits before it leave them.
    pub copied: Vec<RepoPath>,
    /// Where files come from that it moves or copies: each with the path that it gets.
    pub origins: Vec<(RepoPath, RepoPath)>,
    /// How it comes about.
    pub making: Making,
}

impl Planned {
    /// What people know it by.
    pub fn named(&self) -> String {
        if let Making::Again { name, .. } | Making::AsIs { name, .. } = &self.making {
            return name.clone();
        }
        let edits = super::command::named(&self.edits);
        match self.changes.as_slice() {
            [only] => format!("{edits} ({})", only.path),
            _ => edits,
        }
    }
}

/// The commits of a series, once they are made.
#[derive(Debug, Clone, Default)]
pub struct Made {
    /// One for each planned commit; `None` where the tree did not change.
    pub commits: Vec<Option<Oid>>,
    /// The merge commit above them, if there is one.
    pub merge: Option<Oid>,
    /// Those that existed before.
    pub existed: BTreeSet<Oid>,
    /// The commits whose files a hook has changed.
    pub changed_by_hooks: BTreeSet<Oid>,
}

impl Made {
    /// All of them, the last one last.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = Oid> {
        self.commits.iter().copied().chain([self.merge]).flatten()
    }

    /// The last one.
    pub fn tip(&self) -> Option<Oid> {
        self.all().next_back()
    }
}

/// Where files of the last commit come from, by their path there: those that were moved or copied, also several times.
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

/// A path that the series touches as a whole.
#[derive(Debug, Clone)]
pub(super) struct Touched {
    pub(super) path: RepoPath,
    /// What the base has.
    pub(super) old: Option<Entry>,
    /// What becomes of what is there.
    pub(super) fate: Fate,
}

/// What becomes of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fate {
    /// Something will be there.
    Stays,
    /// Nothing will.
    Goes,
    /// Nothing will, and what was there has that path then.
    Moves(RepoPath),
}

/// The paths that are different after the series, or may be.
pub(super) fn touched(base: &BaseTree<'_>, series: &[Planned]) -> Result<Vec<Touched>> {
    let mut last: BTreeMap<&RepoPath, Option<&FileState>> = BTreeMap::new();
    for change in series.iter().flat_map(|planned| &planned.changes) {
        last.insert(&change.path, change.after.as_ref());
    }
    let mut touched = Vec::new();
    let origins = origins(series);
    let fate = |path: &RepoPath| {
        let is_there = |to: &RepoPath| last.get(to).is_some_and(Option::is_some);
        let mut all = origins.iter().filter(|(to, from)| *from == path && is_there(to));
        match (all.next(), all.next()) {
            (Some((to, _)), None) => Fate::Moves(to.clone()),
            _ => Fate::Goes,
        }
    };
    for (path, after) in &last {
        let old = base.stored(path)?;
        let same = match after {
            None => old.is_none(),
            // Moved away and back: the very object that the base has there.
            Some(FileState { body: Body::Base(from), .. }) => from == *path,
            Some(FileState { body: Body::Object(name), node }) => {
                old.is_some_and(|old| old.node() == *node && old.id.to_string() == **name)
            }
            Some(_) => false,
        };
        if !same {
            let fate = if after.is_some() { Fate::Stays } else { fate(path) };
            touched.push(Touched { path: (*path).clone(), old, fate });
        }
    }
    Ok(touched)
}
