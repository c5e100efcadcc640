//! Bringing commits that were planned on one tree onto another: a three-way merge for each, as `git cherry-pick` would.
//!
//! All of it happens in memory; what comes out are the same commits with other changes, planned on the other tree.

use super::series::Planned;
use crate::locate;
use crate::path::RepoPath;
use crate::plan::{Body, FileChange, FileState, Node};
use crate::span::LineRange;
use crate::text::Content;
use crate::vcs::merge::{Conflict, Merge, Paths};
use crate::vcs::quarantine::Quarantine;
use crate::vcs::repo::Repo;
use crate::vcs::tree::{Changes, Entry};
use crate::vcs::{self, Oid, Result};
use std::collections::HashMap;

/// What the commits come to on the other tree.
#[derive(Debug, Clone)]
pub struct Carried {
    /// For each planned commit its changes; none where they are there already, or where there is a clash.
    pub changes: Vec<Vec<FileChange>>,
    /// What could not be merged.
    pub clashes: Vec<Clash>,
}

/// A file on which a planned commit and the other tree do not agree.
#[derive(Debug, Clone)]
pub struct Clash {
    /// The commit's number in the series, from 0.
    pub planned: usize,
    /// The file, as the other tree calls it.
    pub path: String,
    /// What the other tree did to it.
    pub kind: ClashKind,
    /// The file's lines as the other tree has them, where both have it.
    pub text: Option<Content>,
}

/// How the two do not agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClashKind {
    /// Both changed these lines of the file (of the other tree's).
    Lines(Vec<LineRange>),
    /// The other tree no longer has it.
    Gone,
    /// The other tree has another file there.
    Appeared,
    /// The commit removes or moves what the other tree changed.
    Changed,
}

/// Brings the series, planned on the commit `from`, onto the commit `onto`.
///
/// `handle` is for this alone: its writes go to memory from now on.
///
/// # Errors
/// The object store fails.
pub fn carry(handle: &Repo, from: Oid, onto: Oid, series: &[Planned]) -> Result<Carried> {
    let directory = tempfile::tempdir().map_err(|e| vcs::Error::io("create", std::env::temp_dir(), e))?;
    let _quarantine = Quarantine::enter_at(handle, directory.path().join("quarantine"))?;
    let base = handle.tree(Some(from))?;
    let (mut before, mut tip) = (handle.tree_of(from)?, handle.tree_of(onto)?);
    let mut scope = handle.differences(Some(before), Some(tip))?;
    for change in series.iter().flat_map(|planned| &planned.changes) {
        scope.insert(change.path.as_str().as_bytes().to_vec());
    }
    let known = Known::new(handle, tip, &scope)?;
    let mut carried = Carried { changes: Vec::with_capacity(series.len()), clashes: Vec::new() };
    for (at, planned) in series.iter().enumerate() {
        let mut own = Changes::new();
        for change in &planned.changes {
            let entry = change.after.as_ref().map(|state| base.store(state)).transpose()?;
            own.insert(change.path.clone(), entry);
        }
        let after = handle.write_tree(Some(before), &own)?;
        let merge = if stands_as_it_was(handle, before, tip, planned)? {
            Merge::Clean(own)
        } else {
            handle.merge(&scope, Some(before), Some(tip), Some(after))?
        };
        let mut changes = Vec::new();
        match merge {
            Merge::Clean(merged) => {
                let paths: Paths = merged.keys().map(|path| path.as_str().as_bytes().to_vec()).collect();
                scope.extend(paths.iter().cloned());
                let old = handle.entries(Some(tip), &paths)?;
                for (path, entry) in &merged {
                    let old = old.get(path.as_str().as_bytes()).copied();
                    changes.push(FileChange {
                        path: path.clone(),
                        before: old.map(|entry| known.state(handle, entry)).transpose()?,
                        after: entry.map(|entry| known.state(handle, entry)).transpose()?,
                    });
                }
                changes.retain(|change| change.before != change.after);
                tip = handle.write_tree(Some(tip), &merged)?;
            }
            Merge::Conflicts(conflicts) => {
                for conflict in conflicts {
                    carried.clashes.push(clash_of(handle, at, conflict)?);
                }
            }
        }
        carried.changes.push(changes);
        before = after;
    }
    Ok(carried)
}

/// Whether all that the commit changes or removes stands on the other tree just as it was: then its result is the merge's.
fn stands_as_it_was(handle: &Repo, before: Oid, tip: Oid, planned: &Planned) -> Result<bool> {
    if planned.changes.iter().any(|change| change.before.is_none()) {
        return Ok(false);
    }
    let paths: Paths =
        planned.changes.iter().map(|change| change.path.as_str().as_bytes().to_vec()).collect();
    Ok(handle.entries(Some(before), &paths)? == handle.entries(Some(tip), &paths)?)
}

/// The objects that the other tree has, by which nothing has to be read that it has already.
struct Known(HashMap<Entry, RepoPath>);

impl Known {
    fn new(handle: &Repo, tree: Oid, scope: &Paths) -> Result<Self> {
        let mut known = HashMap::new();
        for (path, entry) in handle.entries(Some(tree), scope)? {
            if let Some(path) = std::str::from_utf8(&path).ok().and_then(|path| RepoPath::parse(path).ok()) {
                known.entry(entry).or_insert(path);
            }
        }
        Ok(Self(known))
    }

    fn state(&self, handle: &Repo, entry: Entry) -> Result<FileState> {
        let body = match self.0.get(&entry) {
            Some(path) => Body::Base(path.clone()),
            None => Body::Bytes(handle.blob(entry.id)?.into()),
        };
        Ok(FileState { node: entry.node(), body })
    }
}

fn clash_of(handle: &Repo, planned: usize, conflict: Conflict) -> Result<Clash> {
    let text = |entry: Option<Entry>| -> Result<Option<Content>> {
        match entry {
            Some(entry) if matches!(entry.node(), Node::File { .. }) => {
                Ok(Some(Content::new(&handle.blob(entry.id)?)))
            }
            _ => Ok(None),
        }
    };
    let (ancestor, ours, theirs) = (text(conflict.ancestor)?, text(conflict.ours)?, text(conflict.theirs)?);
    let kind = match (&ancestor, &ours, &theirs) {
        (Some(ancestor), Some(ours), Some(theirs)) => ClashKind::Lines(locate::clash(ancestor, ours, theirs)),
        _ if conflict.ours.is_none() => ClashKind::Gone,
        _ if conflict.theirs.is_none() => ClashKind::Changed,
        _ => ClashKind::Appeared,
    };
    Ok(Clash { planned, path: conflict.path, kind, text: ours })
}
