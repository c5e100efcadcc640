//! Carries planned commits from the commit at which their edits were resolved to another commit, each by a three-way
//! merge, as `git cherry-pick` does.
//!
//! Nothing is written to the repository. The result is the same commits with other changes.

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
    let mut new_base = NewBase::new(&handle, handle.tree_of(onto)?, favor);
    new_base.compare_with(Some(before))?;
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
    /// The paths in which this tree may differ from the parent's tree of the next commit.
    scope: Paths,
    spellings: Spellings,
    clashes: Vec<Clash>,
    /// The conflicts that `-X` resolved.
    decided: Vec<Clash>,
}

impl<'h> NewBase<'h> {
    pub(super) fn new(handle: &'h Repo, tip: Oid, favor: Option<Favor>) -> Self {
        let (scope, spellings) = (Paths::new(), Spellings::default());
        Self { handle, tip, favor, scope, spellings, clashes: Vec::new(), decided: Vec::new() }
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

    /// Notes the paths in which this tree differs from the tree `before`, the parent's tree of the next commit.
    pub(super) fn compare_with(&mut self, before: Option<Oid>) -> Result<()> {
        self.scope = self.handle.differences(before, Some(self.tip))?;
        self.spellings = Spellings::new(self.handle, self.tip, &self.scope)?;
        Ok(())
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
    if may_move { handle.renames(old, new) } else { Ok(Vec::new()) }
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

/// The paths that are new in the other tree, and their directories, by their case-folded spelling. Paths that both
/// trees have were checked when the edits were resolved.
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

    /// Returns a path of the tree `after` that differs only in case from `path` or one of its directories, if that is
    /// new, so not in the tree `before`.
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
