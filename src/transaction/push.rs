//! `--push`: pushes the commits before the branch here moves. If the remote accepts them they must land here, too, so
//! the remote's answer is the commit point.
//!
//! The objects are moved into the repository before the push, because git and its pre-push hook have to see them. A
//! note in the transaction directory says what is pushed where. If the run is killed before the branch here moves,
//! recovery asks the remote whether it has the commits.

use super::attempt::Attempt;
use super::record::RecordContent;
use super::transaction_dir::TransactionDir;
use super::{
    Context, Error, Made, Options, Prepared, Result, Target, Transaction, Watch, interrupt, lock, lock_after,
    move_to,
};
use crate::message::Cleanup;
use crate::report::{End, Recovered, Report};
use crate::vcs::Oid;
use crate::vcs::chain::HISTORY;
use crate::vcs::commit::Sign;
use crate::vcs::fault::{Fault, point};
use crate::vcs::index::Index;
use crate::vcs::lock::{Flock, Patience};
use crate::vcs::push::{Pushed, PushedRef, Upstream};
use crate::vcs::refs::{is_object_name, is_reference_name};
use crate::vcs::repo::Repo;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{Duration, Instant};

/// How often to check whether another run's push has ended.
const TICK: Duration = Duration::from_millis(20);

/// The note of a push, for recovery.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Note {
    /// The remote's branch.
    #[serde(flatten)]
    upstream: Upstream,
    /// The branch here, its old tip, and its new tip.
    reference: String,
    old: Option<String>,
    new: String,
    /// Whether uncommitted changes are merged with the landing.
    #[serde(default)]
    autostash: bool,
    /// The content of the landing's record.
    record: Option<RecordContent>,
    /// The names of the refused attempts to remove after the landing.
    #[serde(default)]
    attempts: Vec<String>,
}

impl Note {
    /// Reads the note of a transaction directory; `None` if there is none, or if no run can have written it.
    pub(super) fn read(transaction_dir: &Path) -> Result<Option<Self>> {
        let noted: Option<Self> = TransactionDir::noted(transaction_dir, TransactionDir::PUSHED)?;
        Ok(noted.filter(Self::is_plausible))
    }

    fn is_plausible(&self) -> bool {
        let names = [&self.upstream.branch, &self.reference];
        let ids = [Some(&self.new), self.old.as_ref()];
        names.into_iter().all(|name| is_reference_name(name))
            && ids.into_iter().flatten().all(|id| is_object_name(id))
    }

    /// The branch here.
    pub(super) fn reference(&self) -> &str {
        &self.reference
    }

    /// Whether the remote has the commits; `None` if that cannot be found out.
    pub(super) fn is_on_remote(&self, repo: &Repo) -> Option<bool> {
        let there = repo.ask_remote(&self.upstream).ok()?;
        let Some(there) = there else { return Some(false) };
        let new = repo.id(&self.new).ok()?;
        if there != new && !repo.has(there).ok()? {
            repo.fetch_branch(&self.upstream).ok()?;
        }
        repo.contains(there, new).ok()
    }
}

/// Waits until no other run pushes a branch for which `is_for_branch` is true, and takes the repository's lock. A
/// push goes on as long as its git process lives, even if its run was killed.
///
/// If something landed here before the remote answered such a push, the branch here and the remote's would diverge.
///
/// # Errors
/// A signal arrived, or [`Error::Busy`] after `timeout`.
pub(super) fn lock_between_pushes(
    repo: &Repo,
    timeout: Duration,
    is_for_branch: &dyn Fn(&str) -> bool,
    watch: &dyn Watch,
) -> Result<Flock> {
    let start = Instant::now();
    loop {
        let lock = lock(repo, timeout)?;
        let under_way = TransactionDir::list(repo)?.into_iter().find_map(|path| {
            let note = Note::read(&path).ok()?.filter(|note| is_for_branch(note.reference()))?;
            (TransactionDir::is_live(&path) == Some(true)).then_some(note)
        });
        let Some(note) = under_way else {
            watch.ended();
            return Ok(lock);
        };
        drop(lock);
        if start.elapsed() >= timeout {
            return Err(Error::Busy(format!("still pushes {}", note.upstream), timeout));
        }
        watch.waiting("waiting for a push of this branch", start.elapsed());
        std::thread::sleep(TICK);
    }
}

/// Returns `None` if the remote accepted a push, or what git printed if that is unknown.
///
/// # Errors
/// The remote did not accept it.
pub(super) fn why_unknown(pushed: Pushed, to: &str) -> Result<Option<String>> {
    match pushed {
        Pushed::Taken => Ok(None),
        Pushed::Behind(why) => Err(Error::Behind { to: to.to_owned(), why }),
        Pushed::Refused(why) => Err(Error::PushRefused { to: to.to_owned(), why }),
        Pushed::Unknown(why) => Ok(Some(why)),
    }
}

impl Prepared<'_> {
    /// Takes the repository's lock once no other run pushes the branch. With `--push`, releases the lock during the
    /// push, and takes it again. The note of the push keeps other landings off the branch until the branch here has
    /// moved.
    pub(super) fn push_and_lock(&self, new: Oid, index: Option<&Index>) -> Result<Flock> {
        let Transaction { repo, transaction_dir, options, context, target, early, .. } = &self.transaction;
        let (repo, timeout) = (*repo, options.lock_timeout);
        if self.is_pushed {
            return lock_after(true, repo, timeout);
        }
        let lock = lock_between_pushes(repo, timeout, &|name| name == target.name, context.watch)?;
        let Some(upstream) = &context.push else { return Ok(lock) };
        self.check_before_push(index)?;
        let note = Note {
            upstream: upstream.clone(),
            reference: target.name.clone(),
            old: target.tip.map(|id| id.to_string()),
            new: new.to_string(),
            autostash: options.autostash,
            record: self.record.clone(),
            attempts: context.attempts.clone(),
        };
        if let (Some(early), Some(_)) = (early, &self.record) {
            // If this run is killed, recovery writes the record, and needs its objects.
            early.release(&self.transaction.quarantine)?;
        }
        transaction_dir.note(repo, TransactionDir::PUSHED, &note)?;
        drop(lock);
        let refs = [PushedRef { from: Some(new), to: &upstream.branch, old: None }];
        let push = || repo.push(&upstream.remote, &refs, &transaction_dir.alive);
        let pushed = point(Fault::PushNoted).and_then(|()| push()).map_err(Error::from);
        let to = || upstream.to_string();
        let taken = match pushed.and_then(|pushed| why_unknown(pushed, &to())) {
            Ok(None) => Ok(()),
            // The connection may have failed after the remote accepted the push, so it asks the remote.
            Ok(Some(_)) if note.is_on_remote(repo) == Some(true) => Ok(()),
            Ok(Some(why)) => {
                // The remote may have the commits, so nothing is undone.
                interrupt::land();
                early.iter().for_each(|early| early.keep());
                return Err(Error::PushUnknown { to: to(), new: new.to_string(), why });
            }
            Err(error) => Err(error),
        };
        taken.inspect_err(|_| self.forget_push())?;
        interrupt::land();
        early.iter().for_each(|early| early.keep());
        let locked = point(Fault::Pushed).map_err(Error::from).and_then(|()| lock_after(true, repo, timeout));
        locked.map_err(|e| self.pushed_not_moved(e))
    }

    /// Checks again, before the push, everything that could keep the branch here from moving, because hooks and
    /// commands may have run for long.
    fn check_before_push(&self, index: Option<&Index>) -> Result<()> {
        let Transaction { repo, target, .. } = &self.transaction;
        repo.check_available_all([&*target.name])?;
        let head = target.is_head.then_some("HEAD");
        let record = self.record.as_ref().map(|_| HISTORY);
        repo.wait_for_references([head, Some(&target.name), record].into_iter().flatten())?;
        if target.checked_out {
            Patience::for_index().wait_for(&repo.index_lock())?;
        }
        self.check_again(index)
    }

    /// Returns the error for a failure after the remote accepted the commits; without `--push`, the error itself.
    pub(super) fn pushed_not_moved(&self, source: Error) -> Error {
        match (&self.transaction.context.push, self.made.tip()) {
            (Some(upstream), Some(new)) => Error::PushedNotMoved {
                to: upstream.to_string(),
                new: new.to_string(),
                source: Box::new(source),
            },
            _ => source,
        }
    }

    /// Removes the note of the push, if there is one.
    pub(super) fn forget_push(&self) {
        self.transaction.transaction_dir.forget(TransactionDir::PUSHED);
    }
}

/// Recovers a killed push that the remote accepted: moves the branch here to the pushed commits, in the worktree that
/// has the branch checked out. Takes the repository's lock.
pub(super) fn finish(repo: &Repo, note: &Note, timeout: Duration) -> Result<Recovered> {
    match repo.open_worktree_of(&note.reference)? {
        Some(repo) => move_branch(&repo, note, timeout),
        None => Ok(Recovered::at(End::Waiting)),
    }
}

fn move_branch(repo: &Repo, note: &Note, timeout: Duration) -> Result<Recovered> {
    let (here, new) = (repo.value(&note.reference)?, repo.id(&note.new)?);
    let record = note.record.clone().filter(|content| content.has_objects(repo));
    let has_moved = here.map(|id| id.to_string()) != note.old;
    // The branch may contain the commits already, after a `git pull` for example.
    let is_in_place = here.map_or(Ok(false), |here| repo.contains(here, new))?;
    if is_in_place || has_moved {
        if let Some(record) = record {
            record.add_missing(repo, new, timeout)?;
        }
        Attempt::forget_all(repo, repo.git_dir(), &note.attempts);
        return Ok(Recovered::at(if is_in_place { End::Finished } else { End::Diverged }));
    }
    let Some(branch) = note.reference.strip_prefix("refs/heads/") else {
        return Ok(Recovered::at(End::LeftAlone));
    };
    let target = Target::choose(repo, Some(branch), None)?;
    let report = |_: &Made, _: bool, _: bool| Report::default();
    let options = Options {
        lock_timeout: timeout,
        verify: false,
        sign: Sign::Never,
        autostash: note.autostash,
        ..Options::default()
    };
    let context = Context {
        existing: true,
        reflog: "llm-apply: what was pushed".to_owned(),
        cleanup: (Cleanup::Verbatim, "#".to_owned()),
        watch: &(),
        recording: None,
        push: None,
        attempts: note.attempts.clone(),
    };
    let series = [move_to(repo, target.tip, new)?];
    let base = repo.tree(target.start)?.as_checked_out(target.checked_out);
    let land = || {
        let transaction =
            Transaction::begin(repo, target.clone(), &base, &series, &options, &context, &report)?;
        let mut prepared = transaction.prepare(&base, &series, None)?;
        (prepared.record, prepared.is_pushed) = (record, true);
        prepared.publish()
    };
    match land() {
        Ok(_) => Ok(Recovered::at(End::Finished)),
        Err(Error::InTheWay(found)) => {
            let left = found.into_iter().map(|one| one.subject).collect();
            Ok(Recovered { left, ..Recovered::at(End::Waiting) })
        }
        Err(error) => Err(error),
    }
}
