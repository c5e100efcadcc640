//! Bringing what a killed process left to one of its two ends, or giving it up.

use super::attempt::Attempt;
use super::journal::Journal;
use super::settle::settle;
use super::{
    Error, Result, TransactionDir, discard, drop as dropping, early, forget, interrupt, outside, push,
    remove_abandoned, staging,
};
use crate::names::named;
use crate::vcs::fault::{Fault, point};
use crate::vcs::lock::Flock;
use crate::vcs::quarantine::Quarantine;
use crate::vcs::repo::Repo;
use crate::vcs::scratch::Scratch;
use crate::vcs::{self, places};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What became of a transaction whose process is dead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// The transaction's id.
    pub id: String,
    /// The reference that it was to move, if it had come so far.
    pub reference: Option<String>,
    /// How it ended.
    pub settled: Settled,
}

/// How a transaction ended, and what of it somebody has to look at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settled {
    /// Which end it was brought to.
    pub end: End,
    /// Paths that somebody has changed since; they were left as they are.
    pub left: Vec<String>,
    /// Locks of a git that was killed with it.
    pub locks: Vec<PathBuf>,
    /// Where what it left was moved to, if it was given up.
    pub aside: Option<PathBuf>,
}

impl Settled {
    /// Whether there is anything that somebody has to look at.
    pub fn is_open(&self) -> bool {
        self.end != End::GivenUp && !(self.left.is_empty() && self.locks.is_empty())
    }
}

named! {
    /// Which end a transaction was brought to.
    #[derive(Default)]
    End {
        /// It had not begun to publish: what it had prepared was removed.
        #[default]
        Discarded = "discarded",
        /// Back: everything is as before it.
        TakenBack = "taken-back",
        /// Forward: it has landed.
        Finished = "finished",
        /// Forward: branches that were to go are gone.
        Dropped = "dropped",
        /// Forward: a record that was to go is gone.
        Forgotten = "forgotten",
        /// Open: nobody knows yet whether a remote has taken what was pushed.
        Unknown = "unknown",
        /// Open: a remote has taken what was pushed, and the worktree that has the branch is to follow.
        Waiting = "waiting",
        /// The branch, HEAD or the index's lock is not as the transaction left it: no file was touched.
        LeftAlone = "left-alone",
        /// Its journal cannot be used: its locks are gone, and nothing else was touched.
        GivenUp = "given-up",
    }
}

/// The transactions of dead processes, by id. Changes nothing.
///
/// # Errors
/// The git directory cannot be read.
pub fn pending(repo: &Repo) -> Result<Vec<String>> {
    let mut dead = Vec::new();
    for transaction_dir in transaction_dirs(repo)? {
        let live = transaction_dir.join(TransactionDir::LIVE);
        let is_odd = TransactionDir::check(&transaction_dir).is_err();
        if is_odd || is_file(&live) && Flock::attempt(&live).is_ok_and(|lock| lock.is_some()) {
            dead.push(id_of(&transaction_dir));
        }
    }
    Ok(dead)
}

fn transaction_dirs(repo: &Repo) -> Result<Vec<PathBuf>> {
    TransactionDir::check_all(repo.common_dir())?;
    let all = TransactionDir::all(repo.common_dir());
    match std::fs::read_dir(&all) {
        Ok(entries) => {
            let mut transaction_dirs = Vec::new();
            for entry in entries {
                let entry = entry.map_err(|e| vcs::Error::io("read", &all, e))?;
                // What is neither a directory nor looks like one is not ours.
                if entry.file_type().is_ok_and(|kind| kind.is_dir() || kind.is_symlink()) {
                    transaction_dirs.push(entry.path());
                }
            }
            transaction_dirs.sort();
            Ok(transaction_dirs)
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(vcs::Error::io("read", all, e).into()),
    }
}

fn id_of(transaction_dir: &Path) -> String {
    transaction_dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file())
}

/// Brings every transaction of a dead process to one of its ends. With `discard` one whose journal cannot be used is
/// given up. Costs one look at a directory when there is none.
///
/// # Errors
/// The lock is not to be had, a file cannot be read or written, or [`Error::Broken`]; running it again goes on where it
/// stopped.
pub fn recover(repo: &Repo, timeout: Duration, discard: bool) -> Result<Vec<Recovered>> {
    TransactionDir::check_all(repo.common_dir())?;
    let ours = repo.common_dir().join("llm-apply");
    if !ours.exists() {
        return Ok(Vec::new());
    }
    // A signal waits: half of a way back is no better than none.
    let _held = interrupt::hold();
    let lock = super::lock(repo, timeout)?;
    let (mut all, mut later) = (Vec::new(), Vec::new());
    for transaction_dir in transaction_dirs(repo)? {
        if let Err(why) = TransactionDir::check(&transaction_dir) {
            if !discard {
                return Err(Error::Broken { transaction_dir, why, in_place: Vec::new() });
            }
            let aside = discard::set_aside(repo, &transaction_dir)?;
            all.push(given_up(repo, &transaction_dir, aside)?);
            continue;
        }
        let live = transaction_dir.join(TransactionDir::LIVE);
        // One that was killed before it had its lock file is dead too: transaction directories are made under the repository's lock.
        let dead = match live.symlink_metadata() {
            // Another user's, who will come back to it.
            Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => continue,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
            Err(e) => return Err(vcs::Error::io("look at", live, e).into()),
            // Nobody holds it; what it is instead is told below.
            Ok(found) if !found.is_file() => None,
            Ok(_) => match Flock::attempt(&live) {
                Ok(None) => continue,
                // Its owner has just removed it.
                Err(_) if !live.exists() => None,
                lock => lock?,
            },
        };
        if let Some(note) = push::Note::read(&transaction_dir).filter(|_| transaction_dir.exists()) {
            let pushed = Pushed { transaction_dir, note, _dead: dead };
            match pushed.settle(repo, discard) {
                Err(error) if discard && is_for_good(&error) => {
                    let aside = discard::give_up(repo, &pushed.transaction_dir)?;
                    all.push(given_up(repo, &pushed.transaction_dir, aside)?);
                }
                settled => match settled? {
                    Some(settled) => all.push(settled),
                    None => later.push(pushed),
                },
            }
            continue;
        }
        if transaction_dir.exists() {
            all.push(match one(repo, &transaction_dir, dead.as_ref(), discard) {
                // Its owner has just removed it.
                Err(_) if !transaction_dir.exists() => continue,
                Err(error) if discard && is_for_good(&error) => {
                    given_up(repo, &transaction_dir, discard::give_up(repo, &transaction_dir)?)?
                }
                settled => settled?,
            });
        }
    }
    drop(lock);
    // Landings by themselves, which take the lock.
    for pushed in later {
        all.push(match pushed.finish(repo, timeout) {
            Err(error) if discard && is_for_good(&error) => {
                let _lock = super::lock(repo, timeout)?;
                let aside = discard::give_up(repo, &pushed.transaction_dir)?;
                given_up(repo, &pushed.transaction_dir, aside)?
            }
            finished => finished?,
        });
    }
    repo.remove_temporaries();
    // Of one that was killed before it had made its transaction directory.
    let _ = std::fs::remove_dir(TransactionDir::all(repo.common_dir()));
    let _ = std::fs::remove_dir(ours);
    Ok(all)
}

/// Whether the next try would come to the same: then it can be given up, whatever it is.
fn is_for_good(error: &Error) -> bool {
    !matches!(error, Error::Busy(_) | Error::Interrupted | Error::Vcs(vcs::Error::Interrupted))
}

fn one(repo: &Repo, transaction_dir: &Path, alive: Option<&Flock>, discard: bool) -> Result<Recovered> {
    let id = id_of(transaction_dir);
    check(repo, transaction_dir)?;
    let journal =
        Journal::read(transaction_dir).map_err(|why| discard::broken(repo, transaction_dir, why))?;
    let Some(mut journal) = journal else {
        if !repo.locks_with(&discard::token(repo, transaction_dir)?)?.is_empty() {
            return Err(discard::broken(repo, transaction_dir, "it is gone, and left locks".to_owned()));
        }
        let (reference, mut end) = dropping::settle(repo, transaction_dir, alive)?;
        if end == End::Discarded && forget::settle(repo, transaction_dir)? {
            end = End::Forgotten;
        }
        if end == End::Unknown && discard {
            end = End::GivenUp;
        }
        if end != End::Unknown {
            clean(repo, transaction_dir, &id, None, end)?;
        }
        return Ok(Recovered { id, reference, settled: Settled { end, ..Settled::default() } });
    };
    let settled = settle(repo, transaction_dir, &mut journal)?;
    Quarantine::let_go(&journal.objects_dir.0, &journal.objects)?;
    Journal::retire(transaction_dir)?;
    clean(repo, transaction_dir, &id, Some(&journal), settled.end)?;
    Ok(Recovered { id, reference: Some(journal.movement.name), settled })
}

/// A dead transaction that has pushed what was to land, or was about to.
struct Pushed {
    transaction_dir: PathBuf,
    note: push::Note,
    _dead: Option<Flock>,
}

impl Pushed {
    fn recovered(&self, settled: Settled) -> Recovered {
        Recovered {
            id: id_of(&self.transaction_dir),
            reference: Some(self.note.reference().to_owned()),
            settled,
        }
    }

    fn clean(&self, repo: &Repo, end: End) -> Result<Recovered> {
        clean(repo, &self.transaction_dir, &id_of(&self.transaction_dir), None, end)?;
        Ok(self.recovered(Settled { end, ..Settled::default() }))
    }

    /// Settles what can be settled under the repository's lock; nothing if the branch is still to move.
    fn settle(&self, repo: &Repo, discard: bool) -> Result<Option<Recovered>> {
        check(repo, &self.transaction_dir)?;
        let journal = Journal::read(&self.transaction_dir)
            .map_err(|why| discard::broken(repo, &self.transaction_dir, why))?;
        if let Some(mut journal) = journal {
            // Only what the remote has taken is published here.
            let settled = settle(repo, &self.transaction_dir, &mut journal)?;
            Quarantine::let_go(&journal.objects_dir.0, &journal.objects)?;
            Journal::retire(&self.transaction_dir)?;
            return match settled.end {
                End::TakenBack => Ok(None),
                end => {
                    clean(repo, &self.transaction_dir, &id_of(&self.transaction_dir), Some(&journal), end)?;
                    Ok(Some(self.recovered(settled)))
                }
            };
        }
        match self.note.is_taken(repo) {
            Some(true) => Ok(None),
            Some(false) => self.clean(repo, End::Discarded).map(Some),
            None if discard => self.clean(repo, End::GivenUp).map(Some),
            None => Ok(Some(self.recovered(Settled { end: End::Unknown, ..Settled::default() }))),
        }
    }

    /// Moves the branch to what the remote has taken.
    fn finish(&self, repo: &Repo, timeout: Duration) -> Result<Recovered> {
        let settled = match repo.open_where(self.note.reference())? {
            Some(repo) => push::finish(&repo, &self.note, timeout)?,
            None => Settled { end: End::Waiting, ..Settled::default() },
        };
        if settled.end == End::Waiting {
            return Ok(self.recovered(settled));
        }
        let _lock = super::lock(repo, timeout)?;
        clean(repo, &self.transaction_dir, &id_of(&self.transaction_dir), None, settled.end)?;
        Ok(self.recovered(settled))
    }
}

/// What is told of one that was given up: also which locks there are still, since one of them may have been its.
fn given_up(repo: &Repo, transaction_dir: &Path, aside: PathBuf) -> Result<Recovered> {
    let locks = repo.lock_files()?;
    let settled = Settled { end: End::GivenUp, aside: Some(aside), locks, ..Settled::default() };
    Ok(Recovered { id: id_of(transaction_dir), reference: None, settled })
}

/// Looks whether there is nothing in a transaction directory but files and directories: nothing else is ever put there, and what is
/// written would go through a link.
fn check(repo: &Repo, transaction_dir: &Path) -> Result<()> {
    for entry in std::fs::read_dir(transaction_dir).map_err(|e| vcs::Error::io("read", transaction_dir, e))? {
        let entry = entry.map_err(|e| vcs::Error::io("read", transaction_dir, e))?;
        let kind = entry.file_type().map_err(|e| vcs::Error::io("look at", entry.path(), e))?;
        let is_directory =
            [TransactionDir::FILES, TransactionDir::ENTRY].iter().any(|name| entry.file_name() == *name);
        if is_directory != kind.is_dir() || !(kind.is_dir() || kind.is_file()) {
            let why = format!("next to it is {}, which no run makes", entry.file_name().display());
            return Err(discard::broken(repo, transaction_dir, why));
        }
    }
    Ok(())
}

/// Removes all that a transaction has beside its journal, which was brought to that end.
fn clean(repo: &Repo, transaction_dir: &Path, id: &str, journal: Option<&Journal>, end: End) -> Result<()> {
    let objects = journal.map_or(repo.objects_dir(), |journal| &journal.objects_dir.0);
    // A git that the killed run started may still be writing there.
    places::remove(&Quarantine::path_for(objects, id))?;
    let noted = staging::elsewhere(transaction_dir);
    let staged = journal.and_then(|journal| journal.staged.as_ref()).map(|staged| staged.directory.0.clone());
    // In no other place than a checkout of this repository, whatever a note says.
    for directory in
        noted.into_iter().chain(staged).filter(|directory| !directory.starts_with(transaction_dir))
    {
        if repo
            .checkouts()
            .iter()
            .any(|checkout| staging::is_elsewhere(transaction_dir, checkout, &directory))
        {
            let _ = std::fs::remove_dir_all(directory);
        }
    }
    Scratch::remove(repo.common_dir(), id)?;
    if end == End::Finished {
        Attempt::forget_noted(repo, transaction_dir);
    }
    early::settle(repo, transaction_dir, objects, !matches!(end, End::Discarded | End::TakenBack))?;
    outside::reap(repo, transaction_dir, id)?;
    point(Fault::ScratchRemoved)?;
    remove_abandoned(repo.common_dir(), transaction_dir);
    Ok(())
}
