//! Finishing or undoing a killed landing, by its journal and by what is on the disk.

use super::discard::{self, broken};
use super::journal::{self, Journal};
use super::publish::{Locks, finish};
use super::relocate::relocate;
use super::{Error, Result, staging};
use crate::report::{End, Recovered};
use crate::vcs;
use crate::vcs::checkout::Checkout;
use crate::vcs::fault::{Fault, point};
use crate::vcs::lock::{Patience, TokenLock};
use crate::vcs::quarantine::Quarantine;
use crate::vcs::refs::RefLock;
use crate::vcs::repo::Repo;
use std::path::{Path, PathBuf};

/// The paths, as text.
pub(super) fn to_strings(paths: Vec<PathBuf>) -> Vec<String> {
    paths.iter().map(|path| path.display().to_string()).collect()
}

/// The state of a killed landing.
struct Killed<'a> {
    repo: &'a Repo,
    transaction_dir: &'a Path,
    journal: &'a Journal,
    /// The landing's locks. The index's may be a new one.
    locks: Locks,
    /// Whether the landing still has the index's lock. Then git has written no index and no commit since.
    kept_index_lock: bool,
    /// The reference's commit now.
    tip: Option<String>,
    /// Whether the landing changes an index that still exists.
    has_index: bool,
    /// The checkout, if the landing changes files of it and it still exists.
    checkout: Option<Checkout>,
}

/// Finishes or undoes a landing.
pub(super) fn settle(current: &Repo, transaction_dir: &Path, journal: &mut Journal) -> Result<Recovered> {
    let worktree = relocate(current, transaction_dir, journal)?;
    let repo = worktree.as_ref().unwrap_or(current);
    // Without the landing's worktree, HEAD is that of another worktree.
    journal.movement.is_head &= worktree.is_some();
    let journal = &*journal;
    let movement = &journal.movement;
    let token = discard::token(current, transaction_dir)?;
    let record = RefLock::adopt(repo, &journal.records, &token)?;
    // A detached HEAD is gone with its worktree.
    if worktree.is_none() && movement.name == "HEAD" {
        record.abandon()?;
        return Ok(Recovered { left: staged_paths(journal), ..Recovered::at(End::LeftAlone) });
    }
    let index = match &journal.index {
        Some(index) => TokenLock::adopt(lock_of(&index.0), &token)?,
        None => None,
    };
    let has_index = journal.index.is_some() && worktree.is_some();
    let mut killed = Killed {
        repo,
        transaction_dir,
        journal,
        kept_index_lock: index.is_some() || !has_index,
        locks: Locks { index, reference: RefLock::adopt(repo, [movement], &token)?, record },
        tip: repo.value(&movement.name)?.map(|id| id.to_string()),
        has_index,
        checkout: match &journal.workdir {
            Some(workdir) if journal.staged.is_some() && has_index => Some(Checkout::open(&workdir.0, repo)?),
            _ => None,
        },
    };
    let settled = killed.relock().and_then(|()| killed.finish_or_undo());
    let mut settled = settled.map_err(|error| match error {
        // Without the token its locks cannot be told from others.
        Error::Vcs(error)
            if (error.is_missing() || matches!(error, vcs::Error::Locked(_)))
                && !journal::is_token(token.text(), transaction_dir) =>
        {
            broken(current, transaction_dir, format!("its token is torn or gone: {error}"))
        }
        error => error,
    })?;
    if journal.by_git {
        settled.locks = to_strings(repo.stale_locks(journal.movements()));
    }
    Ok(settled)
}

fn lock_of(index: &Path) -> PathBuf {
    let mut lock = index.to_owned().into_os_string();
    lock.push(".lock");
    lock.into()
}

fn staged_paths(journal: &Journal) -> Vec<String> {
    let files = journal.staged.iter().flat_map(|staged| &staged.files);
    files.map(|file| file.path.clone()).collect()
}

impl Killed<'_> {
    /// Whether HEAD points to the same reference as before.
    fn is_head_unchanged(&self) -> Result<bool> {
        match self.repo.check_head(&self.journal.movement.name, self.journal.movement.is_head) {
            Err(vcs::Error::Switched { .. }) => Ok(false),
            checked => Ok(checked.map(|()| true)?),
        }
    }

    fn has_landed(&self) -> bool {
        self.tip.as_ref() == Some(&self.journal.movement.new)
    }

    /// Whether the branch has moved to the new commit, and on from there. A landing may move a branch back to a
    /// commit that it contains: then it has not moved if it still contains the old one.
    fn has_moved_on(&self) -> Result<bool> {
        let (repo, movement) = (self.repo, &self.journal.movement);
        let Some(tip) = self.tip.as_ref() else { return Ok(false) };
        let has_stayed = match &movement.old {
            Some(old) => repo.contains(tip, old)? && repo.contains(old, &movement.new)?,
            None => false,
        };
        Ok(!has_stayed && repo.contains(tip, &movement.new)?)
    }

    /// The paths of the index, if the landing changes one that still exists, of the old index and of the new one.
    fn indexes(&self) -> Option<[PathBuf; 3]> {
        let index = self.journal.index.as_ref().filter(|_| self.has_index)?;
        Some([
            index.0.clone(),
            self.transaction_dir.join(journal::INDEX_BEFORE),
            self.transaction_dir.join(journal::INDEX),
        ])
    }

    /// Whether the checkout or the index has changed, and that was not undone.
    fn has_started(&self) -> Result<bool> {
        if let (Some(checkout), Some(staged)) = (&self.checkout, &self.journal.staged)
            && staging::has_started(checkout, staged)?
        {
            return Ok(true);
        }
        match self.indexes() {
            Some([index, kept, prepared]) => {
                Ok(self.repo.is_index_like(&index, &prepared)? && !self.repo.is_index_like(&index, &kept)?)
            }
            None => Ok(false),
        }
    }

    /// Takes a lock again that is gone, if nothing else has changed and work is left: git itself tells people to
    /// remove a stale lock.
    fn relock(&mut self) -> Result<()> {
        let Some([index, ..]) = self.indexes() else { return Ok(()) };
        let movement = &self.journal.movement;
        let token = self.transaction_dir.join(journal::TOKEN);
        if self.has_landed() {
            if !self.journal.by_git && !self.repo.is_recorded(movement)? && self.is_untouched()? {
                let patience = Patience::for_reference(self.repo.config())?;
                self.locks.reference.retake(self.repo, movement, &token, patience)?;
            }
            return Ok(());
        }
        if self.locks.index.is_some()
            || self.tip != movement.old
            || !self.has_started()?
            || !self.is_untouched()?
        {
            return Ok(());
        }
        let lock = TokenLock::take(&lock_of(&index), &token, Patience::for_index())?;
        point(Fault::IndexLocked)?;
        // Another process may have been faster.
        let now = self.repo.value(&movement.name)?.map(|id| id.to_string());
        match now == self.tip && self.is_untouched()? {
            true => self.locks.index = Some(lock),
            false => {
                lock.release()?;
                self.tip = now;
            }
        }
        Ok(())
    }

    /// Whether HEAD is the same, and the index is the old or the new one.
    fn is_untouched(&self) -> Result<bool> {
        let Some([index, kept, prepared]) = self.indexes() else { return Ok(false) };
        let is_like = |known: &Path| self.repo.is_index_like(&index, known);
        Ok(self.is_head_unchanged()? && (is_like(&kept)? || is_like(&prepared)?))
    }

    fn finish_or_undo(&self) -> Result<Recovered> {
        let is_old = self.tip == self.journal.movement.old;
        // Index and files were in place before the branch moved to the new commit, and perhaps on from there.
        if !is_old && (self.has_landed() || self.has_moved_on()?) {
            finish(self.repo, self.transaction_dir, self.journal, &self.locks)?;
            return Ok(Recovered::at(End::Finished));
        }
        let mut left = Vec::new();
        if is_old && self.locks.index.is_some() && (!self.has_index || self.is_head_unchanged()?) {
            if let (Some(checkout), Some(staged)) = (&self.checkout, &self.journal.staged) {
                left = staging::undo(checkout, staged)?;
            }
            if let Some([index, kept, prepared]) = self.indexes() {
                self.repo.restore_index(&index, &kept, &prepared)?;
                point(Fault::IndexRestored)?;
            }
        } else if self.has_started()? {
            // The user has to look at these paths.
            self.locks.abandon()?;
            return Ok(Recovered { left: staged_paths(self.journal), ..Recovered::at(End::LeftAlone) });
        }
        self.retract()?;
        self.locks.abandon()?;
        Ok(Recovered { left, ..Recovered::at(End::TakenBack) })
    }

    fn retract(&self) -> Result<()> {
        let (directory, objects) = (self.repo.objects_dir(), &self.journal.objects);
        // A reference may name the commits, or another commit may have trees that were made from the new index.
        if !self.repo.is_named(objects, &self.journal.movement)?
            && (self.kept_index_lock || Quarantine::is_newest(directory, objects)?)
        {
            Quarantine::retract(directory, objects)?;
        }
        Ok(())
    }
}
