//! Bringing planned commits from one tree onto another, each by a three-way merge, as `git cherry-pick` does it.
//!
//! All of it happens in memory. The result is the same commits with other changes.

use super::series::Planned;
use crate::path::RepoPath;
use crate::plan::{FileChange, Node};
use crate::span::LineRange;
use crate::text::Content;
use crate::vcs::merge::{Conflict, Favor, Merge, Paths};
use crate::vcs::quarantine::Quarantine;
use crate::vcs::repo::Repo;
use crate::vcs::tree::{Changes, Entry};
use crate::vcs::{Oid, Result};
use crate::version;
use std::collections::{BTreeSet, HashMap};

/// Commits on another tree.
#[derive(Debug, Clone, Default)]
pub struct Brought {
    /// The commits, in their order. One that is applied already, or that clashes, has no changes.
    pub series: Vec<Planned>,
    /// What could not be merged.
    pub clashes: Vec<Clash>,
    /// The conflicts that `-X` has decided.
    pub decided: Vec<Clash>,
}

/// A conflict between a commit and the other tree in one file.
#[derive(Debug, Clone)]
pub struct Clash {
    /// The commit's index in the series.
    pub planned: usize,
    /// The file's path in the other tree.
    pub path: String,
    /// The kind of the conflict.
    pub kind: ClashKind,
    /// The file's content in the other tree.
    pub text: Option<Content>,
}

/// The kind of a conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClashKind {
    /// Both changed these lines, by the numbers of the other tree's file.
    Lines(Vec<LineRange>),
    /// The other tree no longer has it.
    Gone,
    /// The other tree has a new file of that name.
    Appeared {
        /// Both sides add it.
        on_both: bool,
    },
    /// The other tree has a directory of that name.
    Directory,
    /// The other tree has something else in place of the file.
    Replaced(Node),
    /// The commit deletes or moves the file, which the other tree has changed.
    Changed,
    /// The commit depends on an earlier one that clashes, too. This is its index in the series.
    BuildsOn(usize),
    /// The other tree has that path, which differs only in case.
    CaseTwin(String),
    /// The file's path in the other tree is not supported.
    Unnameable,
    /// Another conflict: both moved it, for example.
    Other,
}

/// Brings the series from the commit `from` onto the commit `onto`. With `favor` the lines of that side are taken in a conflict.
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
) -> Result<Brought> {
    let (handle, _quarantine) = Quarantine::enter_aside(repo)?;
    let base = handle.tree(Some(from))?.as_checked_out(checked_out);
    let mut before = handle.tree_of(from)?;
    let mut new_base = NewBase::new(&handle, handle.tree_of(onto)?, favor);
    new_base.compare_with(Some(before))?;
    let mut brought = Vec::new();
    // A later commit that depends on one of these must not be merged with what is there instead.
    let mut lost = Lost::default();
    for (at, planned) in series.iter().enumerate() {
        let own = base.store_all(&planned.changes)?;
        let after = handle.write_tree(Some(before), &own)?;
        let builds_on = planned.changes.iter().filter(|change| change.before.is_some());
        let builds_on = builds_on.filter_map(|change| Some((&change.path, *lost.created.get(&change.path)?)));
        let copies = planned.copied().filter_map(|path| Some((path, *lost.changed.get(path)?)));
        let builds_on = builds_on.chain(copies);
        new_base.clash(at, builds_on.map(|(path, earlier)| (path.to_string(), ClashKind::BuildsOn(earlier))));
        let changes = match new_base.clashes_at(at) {
            true => Vec::new(),
            false => new_base.pick(at, Some(before), Some(after), Some(own))?,
        };
        if new_base.clashes_at(at) {
            lost.add(at, planned);
        }
        brought.push(Planned { changes, ..planned.clone() });
        before = after;
    }
    Ok(new_base.brought(brought))
}

/// The changes of commits that clash, with their indexes.
#[derive(Default)]
struct Lost<'a> {
    /// The files that they create.
    created: HashMap<&'a RepoPath, usize>,
    /// All files that they change.
    changed: HashMap<&'a RepoPath, usize>,
}

impl<'a> Lost<'a> {
    fn add(&mut self, at: usize, planned: &'a Planned) {
        for change in &planned.changes {
            self.changed.insert(&change.path, at);
            if change.before.is_none() {
                self.created.insert(&change.path, at);
            }
        }
    }
}

/// The tree that commits are made on again.
pub(super) struct NewBase<'h> {
    handle: &'h Repo,
    pub(super) tip: Oid,
    favor: Option<Favor>,
    /// The paths in which it may differ from the tree before a commit.
    scope: Paths,
    spellings: Spellings,
    /// What could not be merged.
    clashes: Vec<Clash>,
    /// The conflicts that `-X` has decided.
    decided: Vec<Clash>,
}

impl<'h> NewBase<'h> {
    pub(super) fn new(handle: &'h Repo, tip: Oid, favor: Option<Favor>) -> Self {
        let (scope, spellings) = (Paths::new(), Spellings::default());
        Self { handle, tip, favor, scope, spellings, clashes: Vec::new(), decided: Vec::new() }
    }

    /// The commits with their conflicts.
    pub(super) fn brought(self, series: Vec<Planned>) -> Brought {
        Brought { series, clashes: self.clashes, decided: self.decided }
    }

    /// Whether the commit of that index clashes, the last one so far.
    pub(super) fn clashes_at(&self, at: usize) -> bool {
        self.clashes.last().is_some_and(|clash| clash.planned == at)
    }

    fn clash(&mut self, at: usize, found: impl IntoIterator<Item = (String, ClashKind)>) {
        let clash = |(path, kind)| Clash { planned: at, path, kind, text: None };
        self.clashes.extend(found.into_iter().map(clash));
    }

    /// Notes the paths in which it differs from the tree `before`.
    pub(super) fn compare_with(&mut self, before: Option<Oid>) -> Result<()> {
        self.scope = self.handle.differences(before, Some(self.tip))?;
        self.spellings = Spellings::new(self.handle, self.tip, &self.scope)?;
        Ok(())
    }

    /// Merges the difference between the trees `before` and `after` into it, and returns the changes; none if they clash. `own`
    /// is that difference, if all paths are supported.
    pub(super) fn pick(
        &mut self,
        at: usize,
        before: Option<Oid>,
        after: Option<Oid>,
        own: Option<Changes>,
    ) -> Result<Vec<FileChange>> {
        let (handle, tip) = (self.handle, self.tip);
        match &own {
            Some(own) => self.scope.extend(paths_of(own)),
            None => self.scope.extend(handle.differences(before, after)?),
        }
        let merge = match own {
            Some(own) if is_unchanged(handle, before, tip, &own)? => Merge::Clean(own, Vec::new()),
            _ => handle.merge(&self.scope, before, Some(tip), after, self.favor)?,
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
            let twin = self.spellings.twin(handle, tip, next, path)?;
            self.clash(at, twin.map(|twin| (path.to_string(), ClashKind::CaseTwin(twin))));
        }
        if self.clashes_at(at) {
            return Ok(Vec::new());
        }
        for conflict in decided {
            self.decided.push(clash_of(handle, tip, at, conflict)?);
        }
        self.scope.extend(paths_of(&merged));
        self.tip = next;
        changes_of(handle, Some(tip), merged)
    }
}

fn paths_of(changes: &Changes) -> Paths {
    changes.keys().map(|path| path.as_str().as_bytes().to_vec()).collect()
}

/// The changes to a tree, with the old state. No content is read.
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

/// The origins of files that changes move.
pub(super) fn origins_of(
    handle: &Repo,
    old: Option<Oid>,
    new: Oid,
    changes: &[FileChange],
) -> Result<Vec<(RepoPath, RepoPath)>> {
    let may_move = changes.iter().any(|change| change.before.is_none())
        && changes.iter().any(|change| change.after.is_none());
    if may_move { handle.renames(old, new) } else { Ok(Vec::new()) }
}

/// Whether the changed files are the same in the other tree, and nothing there has the path of a new one. Then no merge is needed.
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

/// The paths that are new in the other tree, and their directories, by their spelling without case. The plan has checked the older
/// paths.
#[derive(Default)]
struct Spellings(HashMap<String, BTreeSet<RepoPath>>);

impl Spellings {
    fn new(handle: &Repo, tree: Oid, scope: &Paths) -> Result<Self> {
        let mut spellings: HashMap<String, BTreeSet<RepoPath>> = HashMap::new();
        for path in handle.entries(Some(tree), scope)?.into_keys() {
            let path = std::str::from_utf8(&path).ok().and_then(|path| RepoPath::parse(path).ok());
            for prefix in path.iter().flat_map(|path| path.prefixes().rev()) {
                if !spellings.entry(prefix.case_folded()).or_default().insert(prefix) {
                    break;
                }
            }
        }
        Ok(Self(spellings))
    }

    /// A path of the tree `after` that differs only in case from a new path, or from a new directory of it.
    fn twin(&self, handle: &Repo, before: Oid, after: Oid, path: &RepoPath) -> Result<Option<String>> {
        for prefix in path.prefixes() {
            if handle.node_at(before, prefix.as_str())?.is_some() {
                continue;
            }
            for twin in self.0.get(&prefix.case_folded()).into_iter().flatten() {
                let beside = *twin != prefix && twin.parent() == prefix.parent();
                if beside && handle.node_at(after, twin.as_str())?.is_some() {
                    return Ok(Some(twin.to_string()));
                }
            }
            return Ok(None);
        }
        Ok(None)
    }
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
