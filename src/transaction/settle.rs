//! Finishes or undoes a killed landing. The journal says what the landing was about to do, and the disk shows how far
//! it got.

use super::discard::{self, broken, to_strings};
use super::journal::{self, Journal};
use super::publish::Locks;
use super::relocate::relocate;
use super::{Error, Result, staging};
use crate::report::{End, Recovered};
use crate::vcs;
use crate::vcs::checkout::Checkout;
use crate::vcs::fault::{Fault, point};
use crate::vcs::lock::{Patience, TokenLock};
use crate::vcs::quarantine::Quarantine;
use crate::vcs::refs::{RefLock, lock_path};
use crate::vcs::repo::Repo;
use std::path::{Path, PathBuf};

/// The state of a killed landing.
struct Killed<'a> {
    repo: &'a Repo,
    transaction_dir: &'a Path,
    journal: &'a Journal,
    /// The landing's locks that still exist. The index lock may have been taken again by this recovery.
    locks: Locks,
    /// Whether the index lock existed all the time (or the landing changes no index). If so, git has written no index
    /// and made no commit since the kill.
    kept_index_lock: bool,
    /// The commit that the branch points to now.
    tip: Option<String>,
    /// Whether the landing changes an index that still exists.
    has_index: bool,
    /// The checkout, if the landing changes files there and it still exists.
    checkout: Option<Checkout>,
}

/// Finishes or undoes a killed landing.
pub(super) fn settle(current: &Repo, transaction_dir: &Path, journal: &mut Journal) -> Result<Recovered> {
    let worktree = relocate(current, transaction_dir, journal)?;
    let repo = worktree.as_ref().unwrap_or(current);
    // If the landing's worktree is gone, HEAD is that of another worktree, which must stay as it is.
    journal.movement.is_head &= worktree.is_some();
    let journal = &*journal;
    let movement = &journal.movement;
    let token = discard::token(current, transaction_dir)?;
    let record = RefLock::adopt(repo, &journal.records, &token)?;
    // A detached HEAD is gone with its worktree, so there is nothing to finish or undo.
    if worktree.is_none() && movement.name == "HEAD" {
        record.abandon()?;
        return Ok(Recovered { left: staged_paths(journal), ..Recovered::at(End::LeftAlone) });
    }
    let index = match &journal.index {
        Some(index) => TokenLock::adopt(lock_path(index), &token)?,
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
            Some(workdir) if journal.staged.is_some() && has_index => Some(Checkout::open(workdir, repo)?),
            _ => None,
        },
    };
    let settled = killed.relock().and_then(|()| killed.finish_or_undo());
    let mut settled = settled.map_err(|error| match error {
        // Without the token, the landing's locks cannot be told from other locks.
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

/// Returns the paths of the checkout that a landing changes.
fn staged_paths(journal: &Journal) -> Vec<String> {
    let files = journal.staged.iter().flat_map(|staged| &staged.files);
    files.map(|file| file.path.clone()).collect()
}

impl Killed<'_> {
    /// Whether HEAD still points to the same reference as before the landing.
    fn is_head_unchanged(&self) -> Result<bool> {
        match self.repo.check_head(&self.journal.movement.name, self.journal.movement.is_head) {
            Err(vcs::Error::Switched { .. }) => Ok(false),
            checked => Ok(checked.map(|()| true)?),
        }
    }

    /// Whether the branch is at the landing's new commit.
    fn has_landed(&self) -> bool {
        self.tip.as_ref() == Some(&self.journal.movement.new)
    }

    /// Whether the branch moved to the landing's new commit and then further.
    ///
    /// A landing can also move a branch back, as an undo does. Then the old commit contains the new one, so a branch
    /// that still contains the old commit has not moved.
    fn has_moved_on(&self) -> Result<bool> {
        let (repo, movement) = (self.repo, &self.journal.movement);
        let Some(tip) = self.tip.as_ref() else { return Ok(false) };
        let (tip, new) = (repo.id(tip)?, repo.id(&movement.new)?);
        let has_stayed = match &movement.old {
            Some(old) => repo.contains(tip, repo.id(old)?)? && repo.contains(repo.id(old)?, new)?,
            None => false,
        };
        Ok(!has_stayed && repo.contains(tip, new)?)
    }

    /// Returns the paths of the index, of the saved old index, and of the prepared new index; `None` if the landing
    /// changes no index, or if its worktree is gone.
    fn indexes(&self) -> Option<[PathBuf; 3]> {
        let index = self.journal.index.as_ref().filter(|_| self.has_index)?;
        Some([
            index.clone(),
            self.transaction_dir.join(journal::INDEX_BEFORE),
            self.transaction_dir.join(journal::INDEX),
        ])
    }

    /// Whether the landing has changed the checkout or the index, and the change was not undone.
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

    /// Takes a lock again if it is gone, work is left, and nothing else has changed. The user may have removed the
    /// lock: git itself tells people to remove stale locks.
    fn relock(&mut self) -> Result<()> {
        let Some([index, ..]) = self.indexes() else { return Ok(()) };
        let movement = &self.journal.movement;
        let token = self.transaction_dir.join(journal::TOKEN);
        if self.has_landed() {
            if !self.journal.by_git && !self.repo.is_recorded(movement)? && self.is_untouched()? {
                let patience = Patience::for_reference(self.repo.config())?;
                self.locks.reference.take_missing(self.repo, movement, &token, patience)?;
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
        let lock = TokenLock::take(&lock_path(&index), &token, Patience::for_index())?;
        point(Fault::IndexLocked)?;
        // Another process may have moved the branch or changed the index before the lock was taken.
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

    /// Whether HEAD is unchanged, and the index is either the landing's old index or its new one.
    fn is_untouched(&self) -> Result<bool> {
        let Some([index, kept, prepared]) = self.indexes() else { return Ok(false) };
        let is_like = |known: &Path| self.repo.is_index_like(&index, known);
        Ok(self.is_head_unchanged()? && (is_like(&kept)? || is_like(&prepared)?))
    }

    /// Finishes or undoes the landing. `Prepared::take_back` is the rollback of a run that is still alive.
    fn finish_or_undo(&self) -> Result<Recovered> {
        let is_old = self.tip == self.journal.movement.old;
        // The branch is or was at the new commit. Index and files were in place before that, so only the cleanup is
        // left.
        if !is_old && (self.has_landed() || self.has_moved_on()?) {
            self.locks.finish(self.repo, self.transaction_dir, self.journal)?;
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
            // Others changed the branch, HEAD or the index meanwhile. Only the user can decide about these paths.
            self.locks.abandon()?;
            return Ok(Recovered { left: staged_paths(self.journal), ..Recovered::at(End::LeftAlone) });
        }
        self.retract()?;
        self.locks.abandon()?;
        Ok(Recovered { left, ..Recovered::at(End::TakenBack) })
    }

    /// Removes the landing's objects from the repository, unless something may need them.
    fn retract(&self) -> Result<()> {
        let (directory, objects) = (self.repo.objects_dir(), &self.journal.objects);
        // A reference may name one of the objects. Or, while there was no index lock, git may have made a commit from
        // the new index, whose tree then shares objects with the landing.
        if !self.repo.is_named(objects, &self.journal.movement)?
            && (self.kept_index_lock || Quarantine::is_newest(directory, objects)?)
        {
            Quarantine::retract(directory, objects)?;
        }
        Ok(())
    }
}
