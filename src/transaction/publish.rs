//! Publishes a prepared landing. The order is: journal, objects, locks, files, index, and last the reference, which
//! is the commit point.
//!
//! The new index is put in place before the reference moves, because `git commit` reads HEAD first and the index
//! second. So a `git commit` at the same moment has either the old HEAD, and fails because HEAD moves, or the new
//! HEAD and the new index. In the other order it could have the new HEAD and the old index, and its commit would
//! revert the landing.
//!
//! If the process is killed, `recover` takes over, and `settle` compares the branch with the journal:
//!
//! | Killed at this step | Recovery |
//! |---|---|
//! | before the journal is in place | removes what the run has made |
//! | the same, and a push has begun | asks the remote: if that has the commits, they land here, else they are removed |
//! | journal in place, reference not moved | undoes the landing; after a push, lands it again |
//! | the same, and others have changed the branch, HEAD or the index since | leaves the files alone and names them |
//! | reference moved | does the steps that are left |
//! | journal removed | removes the rest of the transaction's directory |

use super::attempt::Attempt;
use super::journal::{self, Journal};
use super::record::{self, RecordContent};
use super::staging::{self, NetChange, Staged};
use super::{Error, Made, Result, Transaction, early, interrupt};
use crate::path::RepoPath;
use crate::vcs::checkout::Checkout;
use crate::vcs::fault::{Fault, point};
use crate::vcs::index::Index;
use crate::vcs::lock::{Patience, Token, TokenLock};
use crate::vcs::quarantine::Quarantine;
use crate::vcs::refs::{Movement, RefLock};
use crate::vcs::repo::Repo;
use crate::vcs::tree::Entry;
use crate::vcs::{self, Oid};
use std::path::Path;

/// A transaction whose commits and files are ready. It is published, or rolled back when it is dropped.
#[must_use]
pub struct Prepared<'r> {
    pub(super) staged: Option<Staged>,
    pub(super) made: Made,
    pub(super) net: Vec<NetChange>,
    /// The content of the landing's record.
    pub(super) record: Option<RecordContent>,
    /// Whether the commits are pushed already, by a run that was killed after the push.
    pub(super) is_pushed: bool,
    // Dropped last, because the staged files are in its directory.
    pub(super) transaction: Transaction<'r>,
}

/// The locks of a landing.
#[derive(Default)]
pub(super) struct Locks {
    pub(super) index: Option<TokenLock>,
    /// The lock of the branch, and of HEAD if HEAD points to it. Empty if git itself moves the reference.
    pub(super) reference: RefLock,
    pub(super) record: RefLock,
}

impl Locks {
    /// Releases the locks when nothing has landed.
    pub(super) fn abandon(&self) -> vcs::Result<()> {
        self.record.abandon()?;
        self.reference.abandon()?;
        self.index.as_ref().map_or(Ok(()), TokenLock::release)
    }

    /// Does all steps after the commit point. If one fails, all of them can be run again.
    pub(super) fn finish(&self, repo: &Repo, transaction_dir: &Path, journal: &Journal) -> vcs::Result<()> {
        let Self { reference, record, index } = self;
        let movement = &journal.movement;
        let index = index.as_ref().filter(|lock| lock.is_held());
        Attempt::forget_all(repo, &journal.git_dir, &journal.attempts);
        record::finish(repo, transaction_dir, journal, record)?;
        if let (true, Some(old)) = (movement.is_head, &movement.old)
            && (index.is_some() || reference.is_held())
        {
            repo.set_orig_head(old, &transaction_dir.join("orig"))?;
            point(Fault::OrigHeadSet)?;
        }
        if reference.is_held() {
            repo.write_reflog(movement)?;
            point(Fault::ReflogWritten)?;
            reference.release()?;
            point(Fault::RefUnlocked)?;
        }
        if let Some(lock) = index {
            lock.release()?;
            point(Fault::IndexUnlocked)?;
        }
        Quarantine::let_go(repo.objects_dir(), &journal.objects)?;
        if let (Some(staged), Some(workdir)) = (&journal.staged, &journal.workdir) {
            // In a recovery the checkout may be gone.
            if let Ok(checkout) = Checkout::open(workdir, repo) {
                staging::prune(&checkout, staged)?;
            }
        }
        early::forget(repo, transaction_dir)?;
        Journal::retire(transaction_dir)?;
        point(Fault::JournalRetired)
    }
}

/// How far a landing got on the way to the commit point, so that a failure can be undone.
#[derive(Default)]
struct Progress {
    locks: Locks,
    /// Whether files of the checkout may have changed.
    files: bool,
    /// Whether git moved the reference and the landing failed after that, so that the reference must move back.
    moved: bool,
}

impl Prepared<'_> {
    /// Moves the branch with its index and files, and returns the commits. With `--push`, pushes first.
    ///
    /// # Errors
    /// [`Error::Unfinished`] means that the branch has moved. After any other error everything here is as it was,
    /// except after [`Error::RollbackFailed`].
    pub fn publish(mut self) -> Result<Made> {
        let index = self.transaction.index.take();
        let outcome = match self.made.tip() {
            Some(new) if self.transaction.target.tip != Some(new) => self
                .push_and_lock(new, index.as_ref())
                .and_then(|_lock| self.move_branch(new, index).map_err(|e| self.pushed_not_moved(e))),
            _ => Err(Error::Nothing),
        };
        if outcome.is_ok() {
            self.forget_push();
        }
        if let Some(staged) = &self.staged
            && !self.transaction.transaction_dir.is_pending()
        {
            staging::discard(staged);
        }
        if outcome.is_ok() {
            self.transaction.run_after(&self.made, &self.net);
        }
        outcome.map(|()| self.made)
    }

    /// Tells the listener (`-v`) what git wrote instead of this program, and why.
    fn report_use_of_git(&self, index: bool) {
        let watch = self.transaction.context.watch;
        if index {
            watch.detail("git wrote the index, since only git knows all that it has");
        }
        if self.transaction.repo.has_references_by_git() {
            watch.detail("git moved the branch, since the library does not know where its references are");
        }
        for what in self.staged.iter().flat_map(|staged| &staged.by_git) {
            watch.detail(&format!("git made the files with the attribute {what}"));
        }
    }

    /// Moves the branch, under the repository's lock.
    fn move_branch(&self, new: Oid, index: Option<Index>) -> Result<()> {
        let index_by_git = index.as_ref().is_some_and(Index::is_by_git);
        let Transaction { repo, transaction_dir, quarantine, target, context, who, .. } = &self.transaction;
        let token = transaction_dir.file(journal::TOKEN);
        let records =
            self.record.as_ref().map(|content| content.write(repo, who, context.watch, new)).transpose()?;
        let (objects, unsynced) = quarantine.seal(repo)?;
        let journal = Journal {
            version: journal::VERSION,
            common_dir: repo.common_dir().to_owned(),
            git_dir: repo.git_dir().to_owned(),
            workdir: repo.workdir().map(Path::to_owned),
            index: target.checked_out.then(|| repo.index_file()),
            movement: Movement {
                name: target.name.clone(),
                old: target.tip.map(|id| id.to_string()),
                new: new.to_string(),
                is_head: target.is_head,
                who: who.committer.clone(),
                message: context.reflog.clone(),
            },
            records: records.unwrap_or_default(),
            by_git: repo.has_references_by_git() || repo.hook("reference-transaction")?.is_some(),
            objects,
            staged: self.staged.clone(),
            attempts: context.attempts.clone(),
        };
        let mut progress = Progress::default();
        let reached = journal
            .write(repo, transaction_dir, self.transaction.early.is_some(), unsynced)
            .map_err(Error::from)
            .and_then(|()| self.advance(&journal, &token, &mut progress, index));
        if let Err(e) = reached {
            return Err(match self.take_back(&journal, &progress) {
                Ok(()) => e,
                Err(back) => Error::RollbackFailed { source: Box::new(e), back: Box::new(back) },
            });
        }
        interrupt::land();
        if let Some(early) = &self.transaction.early {
            early.keep();
        }
        let moved = point(Fault::RefMoved);
        let close = || progress.locks.finish(repo, &transaction_dir.path, &journal);
        // Each step can be run again, so one failure is not the end.
        match moved.and_then(|()| close()).or_else(|_| close()) {
            Ok(()) => {
                self.report_use_of_git(index_by_git);
                Ok(())
            }
            Err(source) => {
                let made = Box::new(self.made.clone());
                Err(Error::Unfinished { new: repo.short(new), made, source })
            }
        }
    }

    /// Checks HEAD, the branch and the touched paths again, because hooks and commands may have run for long.
    pub(super) fn check_again(&self, index: Option<&Index>) -> Result<()> {
        let Transaction { repo, target, locals, .. } = &self.transaction;
        repo.check_head(&target.name, target.is_head)?;
        // Before the paths, because those that a move has changed would look like local changes.
        target.check_tip(repo)?;
        let found = self.transaction.scope().recheck(index, locals)?;
        if found.is_empty() { Ok(()) } else { Err(Error::InTheWay(found)) }
    }

    /// Does all steps up to and including the commit point.
    fn advance(
        &self,
        journal: &Journal,
        token: &Path,
        progress: &mut Progress,
        index: Option<Index>,
    ) -> Result<()> {
        let Transaction { repo, transaction_dir, quarantine, target, .. } = &self.transaction;
        quarantine.release(repo, &journal.objects)?;
        point(Fault::ObjectsMoved)?;
        if target.checked_out {
            let patience = Patience::for_index();
            progress.locks.index = Some(TokenLock::take(&repo.index_lock(), token, patience)?);
            point(Fault::IndexLocked)?;
        }
        if !journal.by_git {
            let patience = Patience::for_reference(repo.config())?;
            progress.locks.reference.take(repo, &journal.movement, token, patience)?;
            for record in &journal.records {
                progress.locks.record.take(repo, record, token, patience)?;
            }
        }
        // While the locks are held, git changes nothing more.
        self.check_again(index.as_ref())?;
        repo.check_records(&journal.movement)?;
        if let (true, Some(workdir)) = (target.checked_out, repo.workdir()) {
            let checkout = Checkout::open(workdir, repo)?;
            let aside = transaction_dir.file(journal::INDEX);
            let index = repo.present_index(index, &aside)?;
            index.keep(repo, &transaction_dir.file(journal::INDEX_BEFORE))?;
            point(Fault::IndexKept)?;
            if let Some(staged) = &self.staged {
                staging::check_skipped(&checkout, staged, &self.net)?;
                progress.files = true;
                staging::place(&checkout, staged)?;
            }
            let indexed = |path: &RepoPath| self.staged.as_ref()?.indexed.get(path.as_str()).copied();
            let updates: Vec<(_, Option<Entry>)> =
                self.net.iter().map(|(path, _, new)| (path.clone(), indexed(path).or(*new))).collect();
            let placed = self.staged.as_ref().map(Staged::placed).unwrap_or_default();
            let outside = self.staged.as_ref().map(|staged| staged.outside.clone()).unwrap_or_default();
            repo.prepare_index(&aside, index, &updates, &checkout, &placed, &outside)?;
            point(Fault::IndexPrepared)?;
            Repo::place_index(&aside, &repo.index_file())?;
            point(Fault::IndexPlaced)?;
        }
        quarantine.check(repo, target.start)?;
        // This program holds no lock of HEAD if git moves the reference, or if HEAD does not point to the branch.
        repo.check_head(&target.name, target.is_head)?;
        if !journal.by_git {
            return Ok(progress.locks.reference.commit(
                repo,
                &journal.movement,
                &transaction_dir.file("ref"),
            )?);
        }
        repo.update_refs(&journal.movements(), &transaction_dir.alive)?;
        repo.check_head(&target.name, target.is_head).inspect_err(|_| progress.moved = true)?;
        Ok(())
    }

    /// Undoes what [`Prepared::advance`] did before it failed. Files that others changed at that moment keep these
    /// changes, which were the reason for the failure. Recovery has its own rollback for killed runs:
    /// `Killed::finish_or_undo`.
    ///
    /// # Errors
    /// Something cannot be undone. The journal and the locks stay for recovery.
    fn take_back(&self, journal: &Journal, progress: &Progress) -> Result<()> {
        let Transaction { repo, transaction_dir, target, .. } = &self.transaction;
        if let (true, Some(staged), Some(workdir)) = (progress.files, &self.staged, repo.workdir()) {
            staging::undo(&Checkout::open(workdir, repo)?, staged)?;
        }
        if target.checked_out {
            repo.restore_index(
                &repo.index_file(),
                &transaction_dir.file(journal::INDEX_BEFORE),
                &transaction_dir.file(journal::INDEX),
            )?;
        }
        match progress.moved {
            // The objects stay because the reflog names the commit.
            true => {
                repo.revert_refs(&journal.movements(), &transaction_dir.alive)?;
                point(Fault::RefReverted)?;
            }
            false => Quarantine::retract(repo.objects_dir(), &journal.objects)?,
        }
        Quarantine::let_go(repo.objects_dir(), &journal.objects)?;
        if journal.by_git {
            // git may have made directories for the references. They are removed if they are empty.
            RefLock::adopt(repo, journal.movements(), &Token::default())?.abandon()?;
        }
        progress.locks.abandon()?;
        Ok(Journal::retire(&transaction_dir.path)?)
    }
}
