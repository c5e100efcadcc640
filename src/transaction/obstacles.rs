//! Finds what prevents a landing, such as local changes in the files. This is checked before anything is written, and
//! again under the locks.

use super::local::LocalChanges;
use super::series::{PathChange, Touched};
use super::{Error, Result, Target};
use crate::diag::listed;
use crate::report::{Obstacle, ObstacleKind};
use crate::span::LineRange;
use crate::vcs::attributes::Conversion;
use crate::vcs::checkout::{Checkout, Found, Identity};
use crate::vcs::index::{Index, Indexed};
use crate::vcs::lock::Patience;
use crate::vcs::repo::Repo;
use crate::vcs::tree::{EXECUTABLE, FILE, LINK, SUBMODULE};
use crate::vcs::{self, Oid};
use std::collections::BTreeSet;

/// The largest number of line ranges in the message about a conflict.
const MAX_NAMED_LINES: usize = 8;

fn modified(path: &str) -> Obstacle {
    Obstacle::of_file(ObstacleKind::Modified, path, "has local changes")
}

fn staged(path: &str) -> Obstacle {
    Obstacle::of_file(ObstacleKind::Staged, path, "has staged changes")
}

fn deleted(path: &str) -> Obstacle {
    Obstacle::of_file(ObstacleKind::Deleted, path, "was removed or moved without a commit")
}

/// Uncommitted changes to a file that conflict with the landing. `lines` are the conflicting lines of the user's
/// file, if they are known.
pub(super) fn clash(path: &str, lines: &[LineRange]) -> Obstacle {
    let at = if lines.is_empty() { "" } else { &format!(", at {},", listed(lines, MAX_NAMED_LINES)) };
    let message = format!("your uncommitted changes to {path}{at} conflict with what is to land");
    Obstacle::new(ObstacleKind::Clash, path, message)
}

/// What a landing is about to change.
pub(super) struct Scope<'a> {
    pub(super) repo: &'a Repo,
    pub(super) target: &'a Target,
    pub(super) touched: &'a [Touched],
    pub(super) autostash: bool,
}

/// What was found at the touched paths in the checkout.
#[derive(Default)]
pub(super) struct CheckoutState {
    pub(super) obstacles: Vec<Obstacle>,
    /// The uncommitted changes that `--autostash` merges with the landing.
    pub(super) locals: Vec<LocalChanges>,
}

impl Scope<'_> {
    /// Returns all obstacles to moving the target, and the uncommitted changes that `--autostash` merges.
    pub(super) fn check(&self, index: Option<&Index>) -> Result<CheckoutState> {
        // git refuses this, too, because the objects may never be accepted.
        if std::env::var_os("GIT_QUARANTINE_PATH").is_some() {
            return Err(Error::Unsupported {
                what: "this is a hook that runs before pushed objects are accepted (GIT_QUARANTINE_PATH)"
                    .into(),
                help: "land from post-receive, or from outside of hooks".into(),
            });
        }
        let mut locked = None;
        if self.target.checked_out {
            if let Some(tree) = self.repo.attribute_tree()? {
                return Err(Error::Unsupported {
                    what: format!("git converts files by attributes of a tree ({tree})"),
                    help: "use -b <branch>, which leaves the checkout alone".into(),
                });
            }
            match Patience::for_index().wait_for(&self.repo.index_lock()) {
                Err(vcs::Error::Locked(lock)) => {
                    let what = "exists: another git process is running here, or one has crashed";
                    locked = Some(Obstacle::of_file(ObstacleKind::Locked, &lock.display().to_string(), what));
                }
                waited => waited?,
            }
        }
        let mut found = self.state(index)?;
        found.obstacles.splice(0..0, locked);
        Ok(found)
    }

    /// Checks again under the locks, because others may have changed something since [`Scope::check`] found `locals`.
    pub(super) fn recheck(&self, index: Option<&Index>, locals: &[LocalChanges]) -> Result<Vec<Obstacle>> {
        let again = match index {
            Some(index) if !index.is_current(self.repo)? => Some(self.repo.read_index()?),
            _ => None,
        };
        let CheckoutState { mut obstacles, locals: now } = self.state(again.as_ref().or(index))?;
        // The uncommitted changes were merged in the state of the first check, so any other state is an obstacle.
        let new = now.iter().filter(|one| !locals.contains(one));
        obstacles.extend(new.map(|one| modified(&one.path)));
        match locals.iter().find(|one| !now.contains(one)) {
            Some(gone) if obstacles.is_empty() => Err(vcs::Error::Raced(gone.path.clone()).into()),
            _ => Ok(obstacles),
        }
    }

    fn state(&self, index: Option<&Index>) -> Result<CheckoutState> {
        let Self { repo, target, touched, autostash } = *self;
        let mut found = CheckoutState::default();
        found.obstacles.extend(target.obstacle(repo)?);
        let (true, Some(workdir), Some(index)) = (target.checked_out, repo.workdir(), index) else {
            return Ok(found);
        };
        let in_progress = |operation| {
            Obstacle::new(ObstacleKind::Operation, operation, format!("git {operation} is in progress"))
        };
        found.obstacles.extend(repo.operation().map(in_progress));
        let gone = touched.iter().filter(|path| path.change != PathChange::Written);
        let gone = gone.map(|path| path.path.as_str()).collect();
        let checkout = Checkout::open(workdir, repo)?;
        let look = Look { repo, start: target.start, checkout, index, gone };
        for path in touched {
            let Some(obstacle) = look.obstacle_at(path)? else { continue };
            let is_change = matches!(obstacle.kind, ObstacleKind::Modified | ObstacleKind::Staged);
            if !is_change {
                found.obstacles.push(obstacle);
                continue;
            }
            match look.local_changes(path)? {
                Ok(local) if autostash => found.locals.push(local),
                Ok(_) => found.obstacles.push(obstacle),
                Err(why) if autostash => {
                    let path = path.path.as_str();
                    let message =
                        format!("your uncommitted changes to {path} cannot be carried across: {why}");
                    found.obstacles.push(Obstacle::new(ObstacleKind::Uncarried, path, message));
                }
                Err(_) => {
                    let help = ObstacleKind::Uncarried.help().to_owned();
                    found.obstacles.push(Obstacle { help, ..obstacle });
                }
            }
        }
        Ok(found)
    }
}

/// Looks at paths of the checkout.
struct Look<'a> {
    repo: &'a Repo,
    /// The commit that is checked out.
    start: Option<Oid>,
    checkout: Checkout,
    index: &'a Index,
    /// The paths that the landing deletes or moves.
    gone: BTreeSet<&'a str>,
}

impl Look<'_> {
    /// Returns the obstacle at a touched path, if there is one.
    fn obstacle_at(&self, touched: &Touched) -> Result<Option<Obstacle>> {
        let path = touched.path.as_str();
        if self.index.is_conflicted(path) {
            return Ok(Some(Obstacle::of_file(ObstacleKind::Conflicted, path, "is in conflict")));
        }
        let indexed = self.index.get(path);
        if indexed.is_none() && touched.old.is_some() {
            return Ok(Some(deleted(path)));
        }
        if indexed.as_ref().map(|indexed| indexed.entry) != touched.old
            || indexed.as_ref().is_some_and(|indexed| indexed.intent_to_add)
        {
            return Ok(Some(staged(path)));
        }
        let found = self.checkout.look(path)?;
        match (indexed, found) {
            // The path is outside the sparse checkout. (If there were a file, it would be the user's own.)
            (Some(indexed), Found::Nothing | Found::Blocked { .. }) if indexed.skip_worktree => Ok(None),
            (_, Found::Blocked { parent, what }) => {
                // The landing deletes the file `parent`, and makes a directory in its place.
                if what == "a file" && touched.old.is_none() && self.gone.contains(parent.as_str()) {
                    return Ok(None);
                }
                let message = format!("{path} cannot be reached: {parent} is {what}");
                Ok(Some(Obstacle::new(ObstacleKind::Blocked, path, message)))
            }
            (Some(indexed), found) => self.tracked(touched, &indexed, found),
            (None, Found::Nothing) => Ok(None),
            (None, Found::Directory) if self.becomes_empty(path)? => {
                let below = self.index.below(path, |below| self.gone.contains(below));
                Ok(below.as_deref().map(staged))
            }
            (None, _) => {
                Ok(Some(Obstacle::of_file(ObstacleKind::Untracked, path, "exists and is untracked")))
            }
        }
    }

    /// Returns the uncommitted changes to a file, for `--autostash`. The inner error says why they cannot be merged:
    /// this works only for plain files that the landing does not delete.
    fn local_changes(&self, touched: &Touched) -> Result<std::result::Result<LocalChanges, &'static str>> {
        let path = touched.path.as_str();
        let to = match &touched.change {
            PathChange::Written => path.to_owned(),
            PathChange::Moved(to) if !self.repo.outside_of_sparse_checkout(&[to.as_str()])?.is_empty() => {
                return Ok(Err("the file is to be moved out of the sparse checkout"));
            }
            PathChange::Moved(to) => to.to_string(),
            PathChange::Deleted => return Ok(Err("the file is to be removed")),
        };
        let old = touched.old.filter(|old| old.is_file());
        let indexed = self
            .index
            .get(path)
            .filter(|indexed| indexed.entry.is_file() && !indexed.intent_to_add && !indexed.skip_worktree);
        let (Some(old), Some(indexed), Found::File(stat)) = (old, indexed, self.checkout.look(path)?) else {
            return Ok(Err("it is not a plain file in the last commit, the index and the checkout"));
        };
        let executable = self.is_executable(&indexed, stat.st_mode)?;
        let (path, index, file) = (path.to_owned(), indexed.entry, Identity::of(&stat));
        Ok(Ok(LocalChanges { path, to, old, index, file, executable }))
    }

    /// Returns the obstacle at a path that the index has, if there is one.
    fn tracked(&self, touched: &Touched, indexed: &Indexed, found: Found) -> Result<Option<Obstacle>> {
        let path = touched.path.as_str();
        let is_same = match (indexed.entry.mode, found) {
            (SUBMODULE, Found::Nothing) => true,
            (_, Found::Nothing) => return Ok(Some(deleted(path))),
            (SUBMODULE, Found::Directory) if self.checkout.list(path)?.is_empty() => true,
            (SUBMODULE, Found::Directory) => {
                let what = "is a submodule with files in it";
                return Ok(Some(Obstacle::of_file(ObstacleKind::Submodule, path, what)));
            }
            (LINK, Found::Link(_)) => self.repo.blob_id(&self.checkout.read(path)?)? == indexed.entry.id,
            (FILE | EXECUTABLE, Found::File(stat)) => {
                let is_executable = self.is_executable(indexed, stat.st_mode)?;
                let has_mode = is_executable == (indexed.entry.mode == EXECUTABLE);
                has_mode && (self.index.is_fresh(indexed, &stat) || self.has_content(path, indexed)?)
            }
            _ => false,
        };
        Ok((!is_same).then(|| modified(path)))
    }

    /// Whether the checkout's file is executable. If `core.fileMode` is off, the index decides.
    fn is_executable(&self, indexed: &Indexed, mode: u32) -> Result<bool> {
        let trusted = self.repo.config().bool("core.filemode")?.unwrap_or(true);
        Ok(if trusted { mode & 0o100 != 0 } else { indexed.entry.mode == EXECUTABLE })
    }

    /// Whether the checkout's file has the content that the index has.
    fn has_content(&self, path: &str, indexed: &Indexed) -> Result<bool> {
        let (bytes, id) = (self.checkout.read(path)?, indexed.entry.id);
        let base = self.repo.tree(self.start)?;
        let is_as_checked_out = match base.conversion(path)? {
            None | Some(Conversion::Endings) if bytes == self.repo.blob(id)? => true,
            Some(Conversion::Endings | Conversion::Ident) => {
                bytes == self.repo.smudge(path, id, base.plain_attributes())?
            }
            _ => false,
        };
        Ok(is_as_checked_out || self.repo.cleaned_id(path, &bytes)? == id)
    }

    /// Whether a directory contains only files that the landing deletes or moves.
    fn becomes_empty(&self, path: &str) -> Result<bool> {
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
