//! Carries planned commits from the commit at which their edits were resolved to another commit, each by a three-way
//! merge, as `git cherry-pick` does.
//!
//! Nothing is written to the repository. The result is the same commits with other changes.

use super::series::Planned;
use super::{Error, Result, unreadable};
use crate::path::RepoPath;
use crate::plan::{FileChange, Node, TreeView};
use crate::span::LineRange;
use crate::text::Content;
use crate::vcs::Oid;
use crate::vcs::merge::{Conflict, Favor, Merge, Paths};
use crate::vcs::quarantine::Quarantine;
use crate::vcs::repo::Repo;
use crate::vcs::tree::{BaseTree, Changes, Entry};
use crate::version;
use std::collections::HashMap;

/// Planned commits after they were merged onto another commit.
#[derive(Debug, Clone, Default)]
pub struct Carried {
    /// The commits, in order. A commit has no changes if it is already applied or if it clashes.
    pub series: Vec<Planned>,
    /// The conflicts that prevent the landing.
    pub clashes: Vec<Clash>,
    /// The conflicts that `-X` resolved.
    pub decided: Vec<Clash>,
}

/// A conflict between a commit and the tree that it is merged onto, in one file.
#[derive(Debug, Clone)]
pub struct Clash {
    /// The commit's index in the series.
    pub planned: usize,
    /// The file's path in the tree that the commit is merged onto.
    pub path: String,
    /// What kind of conflict it is.
    pub kind: ClashKind,
    /// The file's content in that tree.
    pub text: Option<Content>,
}

/// The kinds of conflicts. "The other tree" is the one that the commit is merged onto.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClashKind {
    /// Both sides changed these lines. The line numbers are those of the other tree's file.
    Lines(Vec<LineRange>),
    /// The other tree no longer has the file.
    Gone,
    /// The other tree has a new file at this path.
    Appeared {
        /// Whether the commit adds a file there, too.
        on_both: bool,
    },
    /// The other tree has a directory at this path.
    Directory,
    /// The other tree has something else in place of the file.
    Replaced(Node),
    /// The commit deletes or moves a file that was changed in the other tree.
    Changed,
    /// The commit depends on an earlier commit that clashes, too. Holds that commit's index in the series.
    BuildsOn(usize),
    /// The other tree has a path that differs from the file's path only in case. Holds that path.
    CaseTwin(String),
    /// The file's path in the other tree is one that this program does not support.
    Unnameable,
    /// Any other conflict, for example when both sides moved the file.
    Other,
}

/// Merges a series that was made for the commit `from` onto the commit `onto`. In a conflict about lines, `favor`
/// decides which side's lines are taken.
///
/// # Errors
/// The object store fails.
pub fn carry(
    repo: &Repo,
    from: Oid,
    onto: Oid,
    series: &[Planned],
    checked_out: bool,
    favor: Option<Favor>,
) -> Result<Carried> {
    let (handle, _quarantine) = Quarantine::enter_aside(repo)?;
    let base = handle.tree(Some(from))?.as_checked_out(checked_out);
    let mut before = handle.tree_of(from)?;
    let mut new_base = NewBase::new(&handle, onto, favor)?;
    let mut carried = Vec::new();
    // A later commit that depends on a clashing one must not be merged with other content that happens to be there.
    let mut clashing = ClashingChanges::default();
    for (at, planned) in series.iter().enumerate() {
        let own = base.store_all(&planned.changes)?;
        let after = handle.write_tree(Some(before), &own)?;
        let builds_on = planned.changes.iter().filter(|change| change.before.is_some());
        let builds_on =
            builds_on.filter_map(|change| Some((&change.path, *clashing.created.get(&change.path)?)));
        let copies = planned.copied().filter_map(|path| Some((path, *clashing.changed.get(path)?)));
        let builds_on = builds_on.chain(copies);
        new_base.clash(at, builds_on.map(|(path, earlier)| (path.to_string(), ClashKind::BuildsOn(earlier))));
        let changes = match new_base.clashes_at(at) {
            true => Vec::new(),
            false => new_base.cherry_pick(at, Some(before), Some(after), Some(own))?,
        };
        if new_base.clashes_at(at) {
            clashing.add(at, planned);
        }
        carried.push(Planned { changes, ..planned.clone() });
        before = after;
    }
    Ok(new_base.into_carried(carried))
}

/// The files that clashing commits change, each with the index of the last such commit.
#[derive(Default)]
struct ClashingChanges<'a> {
    /// Only the files that the commits create.
    created: HashMap<&'a RepoPath, usize>,
    /// All files that the commits change.
    changed: HashMap<&'a RepoPath, usize>,
}

impl<'a> ClashingChanges<'a> {
    fn add(&mut self, at: usize, planned: &'a Planned) {
        for change in &planned.changes {
            self.changed.insert(&change.path, at);
            if change.before.is_none() {
                self.created.insert(&change.path, at);
            }
        }
    }
}

/// The tree that commits are merged onto, one after another. It grows with each commit.
pub(super) struct NewBase<'h> {
    handle: &'h Repo,
    pub(super) tip: Oid,
    favor: Option<Favor>,
    /// The tree before the first commit.
    first: BaseTree<'h>,
    /// The paths in a directory of that tree, by their case-folded spelling. They are listed when a commit adds to it.
    spellings: HashMap<Option<RepoPath>, HashMap<String, Vec<RepoPath>>>,
    clashes: Vec<Clash>,
    /// The conflicts that `-X` resolved.
    decided: Vec<Clash>,
}

impl<'h> NewBase<'h> {
    /// Begins with the tree of a commit.
    pub(super) fn new(handle: &'h Repo, commit: Oid, favor: Option<Favor>) -> Result<Self> {
        let (tip, first) = (handle.tree_of(commit)?, handle.tree(Some(commit))?);
        let (spellings, clashes, decided) = (HashMap::new(), Vec::new(), Vec::new());
        Ok(Self { handle, tip, favor, first, spellings, clashes, decided })
    }

    /// Returns the merged commits with their conflicts.
    pub(super) fn into_carried(self, series: Vec<Planned>) -> Carried {
        Carried { series, clashes: self.clashes, decided: self.decided }
    }

    /// Whether the commit at this index clashes. It must be the last commit that was merged.
    pub(super) fn clashes_at(&self, at: usize) -> bool {
        self.clashes.last().is_some_and(|clash| clash.planned == at)
    }

    fn clash(&mut self, at: usize, found: impl IntoIterator<Item = (String, ClashKind)>) {
        let clash = |(path, kind)| Clash { planned: at, path, kind, text: None };
        self.clashes.extend(found.into_iter().map(clash));
    }

    /// Merges the difference between the trees `before` and `after` into this tree, and returns the changes made here.
    /// Returns no changes if they clash. `own` is that difference if all its paths are supported.
    pub(super) fn cherry_pick(
        &mut self,
        at: usize,
        before: Option<Oid>,
        after: Option<Oid>,
        own: Option<Changes>,
    ) -> Result<Vec<FileChange>> {
        let (handle, tip) = (self.handle, self.tip);
        let merge = match own {
            Some(own) if is_unchanged(handle, before, tip, &own)? => Merge::Clean(own, Vec::new()),
            _ => {
                let mut scope = handle.differences(before, Some(tip))?;
                scope.extend(handle.differences(before, after)?);
                handle.merge(&scope, before, Some(tip), after, self.favor)?
            }
        };
        let (merged, decided) = match merge {
            Merge::Clean(merged, decided) => (merged, decided),
            Merge::Unnameable(paths) => {
                self.clash(at, paths.into_iter().map(|path| (path, ClashKind::Unnameable)));
                return Ok(Vec::new());
            }
            Merge::Conflicts(conflicts) => {
                for conflict in conflicts {
                    self.clashes.push(clash_of(handle, tip, at, conflict)?);
                }
                return Ok(Vec::new());
            }
        };
        let next = handle.write_tree(Some(tip), &merged)?;
        for (path, _) in merged.iter().filter(|(_, entry)| entry.is_some()) {
            let twin = self.twin(before, next, path)?;
            self.clash(at, twin.map(|twin| (path.to_string(), ClashKind::CaseTwin(twin))));
        }
        if self.clashes_at(at) {
            return Ok(Vec::new());
        }
        for conflict in decided {
            self.decided.push(clash_of(handle, tip, at, conflict)?);
        }
        self.tip = next;
        changes_of(handle, Some(tip), merged)
    }

    /// Returns a path of the tree `next` that differs only in case from a new path or one of its new directories. If
    /// the tree `before` has it too, it was checked when the edit was resolved.
    fn twin(&mut self, before: Option<Oid>, next: Oid, path: &RepoPath) -> Result<Option<String>> {
        let handle = self.handle;
        let has = |tree, path: &RepoPath| Ok::<_, Error>(handle.node_at(tree, path.as_str())?.is_some());
        for prefix in path.prefixes() {
            if has(self.tip, &prefix)? {
                continue;
            }
            let parent = prefix.parent();
            if !self.spellings.contains_key(&parent) {
                let mut folded: HashMap<String, Vec<RepoPath>> = HashMap::new();
                for (name, _) in self.first.list(parent.as_ref()).map_err(unreadable)? {
                    let name = std::str::from_utf8(&name).ok();
                    let path = name.and_then(|name| RepoPath::within(parent.as_ref(), name));
                    path.into_iter()
                        .for_each(|path| folded.entry(path.case_folded()).or_default().push(path));
                }
                self.spellings.insert(parent.clone(), folded);
            }
            for twin in self.spellings[&parent].get(&prefix.case_folded()).into_iter().flatten() {
                let is_old = before.map_or(Ok(false), |before| has(before, twin))?;
                if *twin != prefix && !is_old && has(next, twin)? {
                    return Ok(Some(twin.to_string()));
                }
            }
            return Ok(None);
        }
        Ok(None)
    }
}

fn paths_of(changes: &Changes) -> Paths {
    changes.keys().map(|path| path.as_str().as_bytes().to_vec()).collect()
}

/// Returns tree entries as file changes, with the old state of each file. No content is read.
pub(super) fn changes_of(handle: &Repo, tree: Option<Oid>, changes: Changes) -> Result<Vec<FileChange>> {
    let old = handle.entries(tree, &paths_of(&changes))?;
    let mut all = Vec::new();
    for (path, entry) in changes {
        let old = old.get(path.as_str().as_bytes()).copied();
        if old != entry {
            let state = |entry: Entry| handle.state(entry);
            let (before, after) = (old.map(state).transpose()?, entry.map(state).transpose()?);
            all.push(FileChange { path, before, after });
        }
    }
    Ok(all)
}

/// Returns the old and the new path of each file that the changes move.
pub(super) fn origins_of(
    handle: &Repo,
    old: Option<Oid>,
    new: Oid,
    changes: &[FileChange],
) -> Result<Vec<(RepoPath, RepoPath)>> {
    let may_move = changes.iter().any(|change| change.before.is_none())
        && changes.iter().any(|change| change.after.is_none());
    Ok(if may_move { handle.renames(old, new)? } else { Vec::new() })
}

/// Whether no merge is needed: the tree `tip` has the files that change just as `before` has them, and has nothing at
/// the paths of new files.
fn is_unchanged(handle: &Repo, before: Option<Oid>, tip: Oid, own: &Changes) -> Result<bool> {
    let paths = paths_of(own);
    let old = handle.entries(before, &paths)?;
    for path in own.keys().filter(|path| !old.contains_key(path.as_str().as_bytes())) {
        for prefix in path.prefixes() {
            match handle.node_at(tip, prefix.as_str())? {
                None => break,
                Some(Node::Directory) if prefix != *path => {}
                Some(_) => return Ok(false),
            }
        }
    }
    Ok(old == handle.entries(Some(tip), &paths)?)
}

fn clash_of(handle: &Repo, tip: Oid, planned: usize, conflict: Conflict) -> Result<Clash> {
    let text = |entry: Option<Entry>| -> Result<Option<Content>> {
        match entry {
            Some(entry) if entry.is_file() => Ok(Some(Content::new(&handle.blob(entry.id)?))),
            _ => Ok(None),
        }
    };
    let (ancestor, ours, theirs) = (text(conflict.ancestor)?, text(conflict.ours)?, text(conflict.theirs)?);
    let kind = match (&ancestor, &ours, &theirs) {
        (Some(ancestor), Some(ours), Some(theirs)) => {
            ClashKind::Lines(version::clash(ancestor, ours, theirs))
        }
        _ => match (conflict.ancestor, conflict.ours, conflict.theirs) {
            (Some(_), None, _) => ClashKind::Gone,
            (Some(_), Some(_), None) => ClashKind::Changed,
            (Some(_), Some(now), Some(_)) => ClashKind::Replaced(now.node()),
            (None, Some(_), theirs) => ClashKind::Appeared { on_both: theirs.is_some() },
            (None, None, _) => match handle.node_at(tip, &conflict.path)? {
                Some(Node::Directory) => ClashKind::Directory,
                _ => ClashKind::Other,
            },
        },
    };
    Ok(Clash { planned, path: conflict.path, kind, text: ours })
}
