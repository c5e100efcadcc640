//! Recovery: finishing the transactions of killed processes, undoing them, or giving them up.

use super::journal::Journal;
use super::settle::{settle, to_strings};
use super::transaction_dir::{OutsideDir, TransactionDir};
use super::{
    Error, Result, Watch, discard, drop as dropping, early, forget, interrupt, push, remove_abandoned,
    scratch_dir,
};
use crate::report::{End, Recovered};
use crate::vcs::fault::{Fault, point};
use crate::vcs::lock::Flock;
use crate::vcs::quarantine::Quarantine;
use crate::vcs::repo::Repo;
use crate::vcs::scratch::Scratch;
use crate::vcs::{self, places};
use std::path::{Path, PathBuf};
use std::time::Duration;

impl Recovered {
    fn with_id(self, transaction_dir: &Path, reference: Option<&str>) -> Self {
        Self { id: TransactionDir::id_of(transaction_dir), reference: reference.map(str::to_owned), ..self }
    }
}

/// The ids of transactions whose processes are dead. It changes nothing.
///
/// # Errors
/// The git directory cannot be read.
pub fn pending(repo: &Repo) -> Result<Vec<String>> {
    let mut all = TransactionDir::list(repo)?;
    all.retain(|path| TransactionDir::check(path).is_err() || TransactionDir::is_live(path) == Some(false));
    Ok(all.iter().map(|path| TransactionDir::id_of(path)).collect())
}

/// Finishes or undoes every transaction of a dead process. With `discard` it gives up one whose journal cannot be used.
///
/// It asks a remote about a push only if `asks` is true for the reference, and then without the lock, because that
/// may take long. With `watch` it first waits until no process pushes these references.
///
/// # Errors
/// The lock is held, a file cannot be read or written, or [`Error::Broken`]. Running it again goes on where it stopped.
pub fn recover(
    repo: &Repo,
    timeout: Duration,
    may_ask: &dyn Fn(&str) -> bool,
    watch: Option<&dyn Watch>,
    discard: bool,
) -> Result<Vec<Recovered>> {
    TransactionDir::check_all(repo.common_dir())?;
    let own_dir = repo.common_dir().join("llm-apply");
    if !own_dir.exists() {
        return Ok(Vec::new());
    }
    // A signal waits until the recovery is complete.
    let _held = interrupt::hold();
    let lock = match watch {
        Some(watch) => push::lock_between_pushes(repo, timeout, may_ask, watch)?,
        None => super::lock(repo, timeout)?,
    };
    let (mut all, mut later) = (Vec::new(), Vec::new());
    for path in TransactionDir::list(repo)? {
        if let Err(why) = TransactionDir::check(&path) {
            if !discard {
                return Err(Error::Broken { transaction_dir: path, why, in_place: Vec::new() });
            }
            all.push(given_up(repo, &path, discard::set_aside(repo, &path)?)?);
            continue;
        }
        let Some(dead) = DeadTransaction::take(repo, path, discard)? else { continue };
        let mut unanswered = None;
        all.extend(dead.or_give_up(dead.settle(&mut unanswered))?);
        later.extend(unanswered.map(|unanswered| (dead, unanswered)));
    }
    drop(lock);
    for (dead, (note, known, left)) in later {
        let answer = match known {
            None if may_ask(note.reference()) => note.is_on_remote(repo),
            known => known,
        };
        // This is a landing, which takes the lock.
        let mut moved = match answer {
            Some(true) => push::finish(repo, &note, timeout),
            Some(false) => Ok(Recovered::at(End::Discarded)),
            None => Ok(Recovered::at(if discard { End::GivenUp } else { End::Unknown })),
        };
        if let Ok(moved) = &mut moved
            && moved.end == End::Diverged
        {
            moved.left = left;
        }
        let _lock = super::lock(repo, timeout)?;
        let ended = moved.and_then(|moved| dead.end(Some(note.reference()), moved));
        all.extend(dead.or_give_up(ended)?);
    }
    repo.remove_temporaries();
    // A run may have been killed before it made its directory in there.
    let _ = std::fs::remove_dir(TransactionDir::all(repo.common_dir()));
    let _ = std::fs::remove_dir(own_dir);
    Ok(all)
}

/// Whether another try would fail, too, so that the run can be given up.
fn is_permanent(error: &Error) -> bool {
    !matches!(error, Error::Busy { .. } | Error::Interrupted | Error::Vcs(vcs::Error::Interrupted))
}

/// The note of a push that is to be settled by the remote's answer, that answer if it is known, and paths that were
/// left as they are.
type Unanswered = (push::Note, Option<bool>, Vec<String>);

/// A transaction whose process is dead, locked against other recoveries.
struct DeadTransaction<'r> {
    repo: &'r Repo,
    path: PathBuf,
    _alive: Option<Flock>,
    discard: bool,
}

impl<'r> DeadTransaction<'r> {
    /// Locks it; `None` if its process lives, or it belongs to another user.
    fn take(repo: &'r Repo, path: PathBuf, discard: bool) -> Result<Option<Self>> {
        let live = path.join(TransactionDir::LIVE);
        // Without the lock file it is dead, too: runs make their directories under the repository's lock.
        let alive = match live.symlink_metadata() {
            // It belongs to another user, whose next run recovers it.
            Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => return Ok(None),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
            Err(e) => return Err(vcs::Error::io("look at", live, e).into()),
            // `check` refuses it.
            Ok(found) if !found.is_file() => None,
            Ok(_) => match Flock::attempt(&live) {
                Ok(None) => return Ok(None),
                // Its process has just removed it.
                Err(_) if !live.exists() => None,
                lock => lock?,
            },
        };
        Ok(Some(Self { repo, path, _alive: alive, discard }))
    }

    /// The result; `None` if its process has just removed it. With `discard`, one that always fails is given up.
    fn or_give_up(&self, settled: Result<Option<Recovered>>) -> Result<Option<Recovered>> {
        match settled {
            Err(_) if !self.path.exists() => Ok(None),
            Err(error) if self.discard && is_permanent(&error) => {
                given_up(self.repo, &self.path, discard::give_up(self.repo, &self.path)?).map(Some)
            }
            settled => settled,
        }
    }

    /// Recovers it under the repository's lock, except for what depends on a remote.
    fn settle(&self, unanswered: &mut Option<Unanswered>) -> Result<Option<Recovered>> {
        let Self { repo, path, .. } = self;
        if !path.exists() {
            return Ok(None);
        }
        check(repo, path)?;
        let journal = Journal::read(path).map_err(|why| discard::broken(repo, path, why))?;
        let pushed = push::Note::read(path)?;
        if let Some(mut journal) = journal {
            let settled = settle(repo, path, &mut journal)?;
            Quarantine::let_go(repo.objects_dir(), &journal.objects)?;
            Journal::retire(path)?;
            if let (End::TakenBack | End::LeftAlone, Some(note)) = (settled.end, pushed) {
                // It began to publish, so the remote had taken the push.
                *unanswered = Some((note, Some(true), settled.left));
                return Ok(None);
            }
            clean(repo, path, Some(&journal), settled.end)?;
            return Ok(Some(settled.with_id(path, Some(&journal.movement.name))));
        }
        if !discard::locks_with(repo, path, &discard::token(repo, path)?)?.is_empty() {
            return Err(discard::broken(repo, path, "it is gone, and left locks".to_owned()));
        }
        if let Some(note) = pushed {
            *unanswered = Some((note, None, Vec::new()));
            return Ok(None);
        }
        if let Some(names) = dropping::settle(repo, path)? {
            return self.end(Some(&names), Recovered::at(End::Dropped));
        }
        let end = if forget::settle(repo, path)? { End::Forgotten } else { End::Discarded };
        self.end(None, Recovered::at(end))
    }

    /// Deletes what it has left, unless that is still needed; `None` if another recovery has done that. The caller
    /// holds the repository's lock.
    fn end(&self, reference: Option<&str>, settled: Recovered) -> Result<Option<Recovered>> {
        if !self.path.exists() {
            return Ok(None);
        }
        if !matches!(settled.end, End::Unknown | End::Waiting) {
            clean(self.repo, &self.path, None, settled.end)?;
        }
        Ok(Some(settled.with_id(&self.path, reference)))
    }
}

/// The result for one that was given up, with all locks that exist, because one of them may be its own.
fn given_up(repo: &Repo, transaction_dir: &Path, aside: PathBuf) -> Result<Recovered> {
    let (aside, locks) = (Some(aside.display().to_string()), to_strings(repo.lock_files()?));
    let settled = Recovered { aside, locks, ..Recovered::at(End::GivenUp) };
    Ok(settled.with_id(transaction_dir, None))
}

/// Checks that a transaction directory holds only files and directories: runs make nothing else, and writing would
/// follow a link.
fn check(repo: &Repo, transaction_dir: &Path) -> Result<()> {
    for entry in places::entries(transaction_dir)? {
        let Ok(kind) = entry.symlink_metadata().map(|found| found.file_type()) else { continue };
        let is_directory =
            [TransactionDir::FILES, TransactionDir::ENTRY].iter().any(|name| entry.ends_with(name));
        if is_directory != kind.is_dir() || !(kind.is_dir() || kind.is_file()) {
            let wanted = if is_directory { "directory" } else { "file" };
            let kind = match () {
                () if kind.is_symlink() => "link",
                () if kind.is_dir() => "directory",
                () if kind.is_file() => "file",
                () => "device, pipe or socket",
            };
            let name = entry.file_name().unwrap_or_default();
            let why = format!("{} in its directory is a {kind}, not a {wanted}", name.display());
            return Err(discard::broken(repo, transaction_dir, why));
        }
    }
    Ok(())
}

/// Deletes all that a transaction has left, after it ended so.
fn clean(repo: &Repo, transaction_dir: &Path, journal: Option<&Journal>, end: End) -> Result<()> {
    let id = &TransactionDir::id_of(transaction_dir);
    // A git that the killed run started may still write there.
    places::remove(&Quarantine::path_for(repo.objects_dir(), id))?;
    let staged = journal.and_then(|journal| journal.staged.as_ref());
    if staged.is_some_and(|staged| staged.beside) || OutsideDir::STAGING.noted(transaction_dir).is_some() {
        for checkout in repo.checkouts() {
            // Of a link it removes only the link.
            let _ = std::fs::remove_dir_all(checkout.join(OutsideDir::STAGING.name(transaction_dir)));
        }
    }
    Scratch::remove(repo.common_dir(), id)?;
    early::settle(repo, transaction_dir, !matches!(end, End::Discarded | End::TakenBack))?;
    scratch_dir::reap(repo, transaction_dir)?;
    point(Fault::ScratchRemoved)?;
    remove_abandoned(repo.common_dir(), transaction_dir);
    Ok(())
}
