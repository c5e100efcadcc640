//! What is in the way of a landing, found before anything is written, and once more under the locks.

use super::local::Local;
use super::series::{Fate, Touched};
use super::{Error, Result, Target};
use crate::span::LineRange;
use crate::vcs::attributes::{Conversion, Source};
use crate::vcs::checkout::{Checkout, Found, Identity};
use crate::vcs::index::{Index, Indexed};
use crate::vcs::lock::Patience;
use crate::vcs::repo::Repo;
use crate::vcs::tree::Entry;
use crate::vcs::{self, Oid};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// How many places of a conflict are named.
const NAMED: usize = 8;

/// Something in the way: the user's to settle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    /// Changed in the checkout and not committed.
    #[error("{0} has local changes")]
    Modified(String),
    /// Changed in the index and not committed.
    #[error("{0} has staged changes")]
    Staged(String),
    /// Removed from the checkout or the index, or moved, and not committed.
    #[error("{0} was removed or moved without a commit")]
    Deleted(String),
    /// There, and git does not track it.
    #[error("{0} exists and is untracked")]
    Untracked(String),
    /// In conflict.
    #[error("{0} is in conflict")]
    Conflicted(String),
    /// Uncommitted changes that are to be carried across, in conflict with the edits.
    #[error("your uncommitted changes to {path}{} conflict with the edits", at(.lines))]
    Clash {
        /// The file.
        path: String,
        /// Its lines, as they are in the checkout or in the index; none if they cannot be told.
        lines: Vec<LineRange>,
    },
    /// Uncommitted changes that cannot be carried across.
    #[error("your uncommitted changes to {path} cannot be carried across: {why}")]
    Uncarried {
        /// The file.
        path: String,
        /// Why not, as the rest of a sentence.
        why: &'static str,
    },
    /// A parent is no directory of this checkout.
    #[error("{path} cannot be reached: {parent} is {what}")]
    Blocked {
        /// The path that cannot be reached.
        path: String,
        /// The parent in the way.
        parent: String,
        /// What it is.
        what: &'static str,
    },
    /// A submodule with files in it would have to go.
    #[error("{0} is a submodule with files in it")]
    Submodule(String),
    /// Git has something under way.
    #[error("git {0} is in progress")]
    Operation(&'static str),
    /// Somebody holds a lock of git's.
    #[error("{} exists: another git process is running here, or one has crashed", .0.display())]
    Locked(PathBuf),
    /// The branch is there already, and has other commits than what is suggested.
    #[error("{0} already exists, without these edits")]
    Exists(String),
    /// The branch is checked out in another worktree.
    #[error("{branch} is checked out in {}", .worktree.display())]
    CheckedOut {
        /// The branch.
        branch: String,
        /// Where.
        worktree: PathBuf,
    },
}

/// The lines of a conflict, between commas.
fn at(lines: &[LineRange]) -> String {
    let named: Vec<String> = lines.iter().take(NAMED).map(ToString::to_string).collect();
    if named.is_empty() { String::new() } else { format!(", at {},", named.join(", ")) }
}

impl Obstacle {
    /// The stable name of its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Obstacle::Modified(_) => "modified",
            Obstacle::Staged(_) => "staged",
            Obstacle::Deleted(_) => "deleted",
            Obstacle::Untracked(_) => "untracked",
            Obstacle::Conflicted(_) => "conflicted",
            Obstacle::Clash { .. } => "clash",
            Obstacle::Uncarried { .. } => "uncarried",
            Obstacle::Blocked { .. } => "blocked",
            Obstacle::Submodule(_) => "submodule",
            Obstacle::Operation(_) => "operation",
            Obstacle::Locked(_) => "locked",
            Obstacle::Exists(_) => "exists",
            Obstacle::CheckedOut { .. } => "checked-out",
        }
    }

    /// The path, branch, command or lock that it is about.
    pub fn subject(&self) -> String {
        match self {
            Obstacle::Modified(path)
            | Obstacle::Staged(path)
            | Obstacle::Deleted(path)
            | Obstacle::Untracked(path)
            | Obstacle::Conflicted(path)
            | Obstacle::Clash { path, .. }
            | Obstacle::Uncarried { path, .. }
            | Obstacle::Blocked { path, .. }
            | Obstacle::Submodule(path) => path.clone(),
            Obstacle::Operation(operation) => (*operation).to_owned(),
            Obstacle::Locked(lock) => lock.display().to_string(),
            Obstacle::Exists(branch) | Obstacle::CheckedOut { branch, .. } => branch.clone(),
        }
    }

    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Obstacle::Modified(_) | Obstacle::Staged(_) => {
                "commit or stash your changes to these files first, or use --autostash or -b <branch>"
            }
            Obstacle::Deleted(_) | Obstacle::Clash { .. } | Obstacle::Uncarried { .. } => {
                "commit or stash your changes to these files first, or use -b <branch>"
            }
            Obstacle::Untracked(_) => "move or remove these files first, or use -b <branch>",
            Obstacle::Conflicted(_) => "resolve the conflict first",
            Obstacle::Blocked { .. } => "edits go to real directories of this repository only",
            Obstacle::Submodule(_) => {
                "use 'git submodule deinit' first, or use 'git mv' and 'git rm' instead"
            }
            Obstacle::Operation(_) => "finish or abort it first, or use -b <branch>",
            Obstacle::Locked(_) => "wait for the other git process; if there is none, remove the file",
            Obstacle::Exists(_) => "choose other names, or remove the branches: git llm-apply drop <branch>",
            Obstacle::CheckedOut { worktree, .. } if !worktree.exists() => {
                "that worktree is gone: run 'git worktree prune'"
            }
            Obstacle::CheckedOut { .. } => {
                "run it in that worktree, once no rebase or bisect is in progress there; or choose another branch"
            }
        }
    }
}

/// All obstacles to moving the target.
pub(super) fn check(
    repo: &Repo,
    target: &Target,
    touched: &[Touched],
    index: Option<&Index>,
    autostash: bool,
) -> Result<InCheckout> {
    // Git refuses it too: the objects may never be accepted.
    if std::env::var_os("GIT_QUARANTINE_PATH").is_some() {
        return Err(Error::Unsupported {
            what: "this is a hook that runs before pushed objects are accepted (GIT_QUARANTINE_PATH)".into(),
            help: "land from post-receive, or from outside of hooks".into(),
        });
    }
    let mut found: Vec<_> = target.obstacle(repo)?.into_iter().collect();
    if target.checked_out {
        match Patience::for_index().wait_for(&repo.index_lock()) {
            Err(vcs::Error::Locked(lock)) => found.push(Obstacle::Locked(lock)),
            waited => waited?,
        }
    }
    let there = in_checkout(repo, target, touched, index, autostash)?;
    found.extend(there.obstacles);
    Ok(InCheckout { obstacles: found, ..there })
}

/// Once more, when the locks are held: what others may have done meanwhile.
pub(super) fn recheck(
    repo: &Repo,
    target: &Target,
    touched: &[Touched],
    index: Option<&Index>,
    locals: &[Local],
    autostash: bool,
) -> Result<Vec<Obstacle>> {
    let mut found: Vec<_> = target.obstacle(repo)?.into_iter().collect();
    let there = match index {
        Some(index) if !index.is_current(repo)? => {
            in_checkout(repo, target, touched, Some(&repo.read_index()?), autostash)?
        }
        index => in_checkout(repo, target, touched, index, autostash)?,
    };
    found.extend(there.obstacles);
    // What was merged has to be what is there.
    let known = |one: &Local, all: &[Local]| all.contains(one);
    found.extend(
        there.locals.iter().filter(|one| !known(one, locals)).map(|one| Obstacle::Modified(one.path.clone())),
    );
    match locals.iter().find(|one| !known(one, &there.locals)) {
        Some(gone) if found.is_empty() => Err(vcs::Error::Raced(gone.path.clone()).into()),
        _ => Ok(found),
    }
}

/// What is found in the checkout.
#[derive(Default)]
pub(super) struct InCheckout {
    pub(super) obstacles: Vec<Obstacle>,
    /// Uncommitted changes that are in nobody's way, since they are to be carried across.
    pub(super) locals: Vec<Local>,
}

fn in_checkout(
    repo: &Repo,
    target: &Target,
    touched: &[Touched],
    index: Option<&Index>,
    autostash: bool,
) -> Result<InCheckout> {
    let mut found = InCheckout::default();
    let (true, Some(workdir), Some(index)) = (target.checked_out, repo.workdir(), index) else {
        return Ok(found);
    };
    found.obstacles.extend(repo.operation().map(Obstacle::Operation));
    let look = Look { repo, checkout: Checkout::open(workdir, repo)?, index, gone: gone(touched) };
    for path in touched {
        let Some(obstacle) = look.at(path)? else { continue };
        if autostash && look.is_gone(path)? {
            continue;
        }
        let is_change = matches!(obstacle, Obstacle::Modified(_) | Obstacle::Staged(_));
        if !autostash || !is_change {
            found.obstacles.push(obstacle);
            continue;
        }
        match look.local(path)? {
            Ok(local) => found.locals.push(local),
            Err(why) => {
                let path = path.path.to_string();
                found.obstacles.push(Obstacle::Uncarried { path, why });
            }
        }
    }
    Ok(found)
}

/// The paths that will not be there any more.
fn gone(touched: &[Touched]) -> BTreeSet<&str> {
    touched.iter().filter(|path| path.fate != Fate::Stays).map(|path| path.path.as_str()).collect()
}

struct Look<'a> {
    repo: &'a Repo,
    checkout: Checkout,
    index: &'a Index,
    gone: BTreeSet<&'a str>,
}

impl Look<'_> {
    fn at(&self, touched: &Touched) -> Result<Option<Obstacle>> {
        let path = touched.path.as_str();
        let named = || path.to_owned();
        if self.index.is_conflicted(path) {
            return Ok(Some(Obstacle::Conflicted(named())));
        }
        let indexed = self.index.get(path);
        if indexed.is_none() && touched.old.is_some() {
            return Ok(Some(Obstacle::Deleted(named())));
        }
        if indexed.as_ref().map(|indexed| indexed.entry) != touched.old
            || indexed.as_ref().is_some_and(|indexed| indexed.intent_to_add)
        {
            return Ok(Some(Obstacle::Staged(named())));
        }
        let found = self.checkout.look(path)?;
        match (indexed, found) {
            // Not in the checkout, by sparse checkout; but one that is there all the same is the user's.
            (Some(indexed), Found::Nothing | Found::Blocked { .. }) if indexed.skip_worktree => Ok(None),
            (_, Found::Blocked { parent, what }) => {
                // A file that the response itself removes, to make a directory of that name.
                if what == "a file" && touched.old.is_none() && self.gone.contains(parent.as_str()) {
                    return Ok(None);
                }
                Ok(Some(Obstacle::Blocked { path: named(), parent, what }))
            }
            (Some(indexed), found) => self.tracked(touched, &indexed, found),
            (None, Found::Nothing) => Ok(None),
            (None, Found::Directory) if self.clears(path)? => {
                let staged = self.index.below(path, |below| self.gone.contains(below));
                Ok(staged.map(Obstacle::Staged))
            }
            (None, _) => Ok(Some(Obstacle::Untracked(named()))),
        }
    }

    /// Whether the user has removed what the landing removes: then nothing is left to be carried.
    fn is_gone(&self, touched: &Touched) -> Result<bool> {
        let path = touched.path.as_str();
        let as_committed = |indexed: &Indexed| Some(indexed.entry) == touched.old && !indexed.intent_to_add;
        Ok(touched.fate == Fate::Goes
            && !self.index.is_conflicted(path)
            && self.index.get(path).as_ref().is_none_or(as_committed)
            && matches!(self.checkout.look(path)?, Found::Nothing))
    }

    /// The uncommitted changes to a file that stays one, here and in what lands, or is moved there; or why they are none of
    /// that.
    fn local(&self, touched: &Touched) -> Result<std::result::Result<Local, &'static str>> {
        let path = touched.path.as_str();
        let is_file = |entry: &Entry| entry.mode == FILE || entry.mode == EXECUTABLE;
        let to = match &touched.fate {
            Fate::Stays => path.to_owned(),
            Fate::Moves(to) if !self.repo.outside_of_sparse_checkout(&[to.as_str()])?.is_empty() => {
                return Ok(Err("the file is to be moved out of the sparse checkout"));
            }
            Fate::Moves(to) => to.to_string(),
            Fate::Goes => return Ok(Err("the file is to be removed")),
        };
        let old = touched.old.filter(is_file);
        let indexed = self
            .index
            .get(path)
            .filter(|indexed| is_file(&indexed.entry) && !indexed.intent_to_add && !indexed.skip_worktree);
        let (Some(old), Some(indexed), Found::File(stat)) = (old, indexed, self.checkout.look(path)?) else {
            return Ok(Err("it is not a plain file in the last commit, the index and the checkout"));
        };
        let trusted = self.repo.config().bool("core.filemode")?.unwrap_or(true);
        let executable = if trusted { stat.st_mode & 0o100 != 0 } else { indexed.entry.mode == EXECUTABLE };
        let (path, index, file) = (path.to_owned(), indexed.entry, Identity::of(&stat));
        Ok(Ok(Local { path, to, old, index, file, executable }))
    }

    fn tracked(&self, touched: &Touched, indexed: &Indexed, found: Found) -> Result<Option<Obstacle>> {
        let path = touched.path.as_str();
        let named = || path.to_owned();
        let modified = || Ok(Some(Obstacle::Modified(named())));
        match (indexed.entry.mode, found) {
            (_, Found::Nothing) if indexed.entry.mode == SUBMODULE => Ok(None),
            (_, Found::Nothing) => Ok(Some(Obstacle::Deleted(named()))),
            (SUBMODULE, Found::Directory) => {
                let empty = self.checkout.list(path)?.is_empty();
                Ok((!empty).then(|| Obstacle::Submodule(named())))
            }
            (LINK, Found::Link(_)) => {
                let same = self.repo.blob_id(&self.checkout.read(path)?)? == indexed.entry.id;
                if same { Ok(None) } else { modified() }
            }
            (mode, Found::File(stat)) if mode == FILE || mode == EXECUTABLE => {
                let trusted = self.repo.config().bool("core.filemode")?.unwrap_or(true);
                if trusted && (stat.st_mode & 0o100 != 0) != (mode == EXECUTABLE) {
                    return modified();
                }
                let conversion = self.repo.conversion(path, Source::Checkout, self.index)?;
                if self.index.is_fresh(indexed, &stat) {
                    return Ok(None);
                }
                let bytes = self.checkout.read(path)?;
                let Conversion::Own(converter) = conversion else {
                    let same = self.repo.cleaned_id(path, &bytes)? == indexed.entry.id;
                    return if same { Ok(None) } else { modified() };
                };
                if self.repo.blob_id(&bytes)? == indexed.entry.id {
                    return Ok(None);
                }
                let blob = self.repo.blob(indexed.entry.id)?;
                if self.repo.blob_id(&converter.to_blob(&bytes, Some(&blob)))? == indexed.entry.id {
                    return Ok(None);
                }
                modified()
            }
            _ => modified(),
        }
    }

    /// Whether a directory holds only what the response removes (directories included).
    fn clears(&self, path: &str) -> Result<bool> {
        let mut pending = vec![path.to_owned()];
        while let Some(directory) = pending.pop() {
            for name in self.checkout.list(&directory)? {
                let Ok(name) = String::from_utf8(name) else { return Ok(false) };
                let below = format!("{directory}/{name}");
                match self.checkout.look(&below)? {
                    Found::Directory if name != ".git" => pending.push(below),
                    Found::File(_) | Found::Link(_) if self.gone.contains(below.as_str()) => {}
                    _ => return Ok(false),
                }
            }
        }
        Ok(true)
    }
}

pub(super) const FILE: u32 = 0o100644;
pub(super) const EXECUTABLE: u32 = 0o100755;
pub(super) const LINK: u32 = 0o120000;
pub(super) const SUBMODULE: u32 = 0o160000;

/// By which a content is known again, whatever the repository calls its blob.
pub(super) fn blob_id(bytes: &[u8]) -> Result<Oid> {
    Oid::hash_object(vcs::BLOB, bytes).map_err(|e| vcs::Error::git("hash a file", e).into())
}
