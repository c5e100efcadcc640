//! Recovery: finishes, undoes or gives up the transactions of killed processes.

use super::journal::Journal;
use super::settle::settle;
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
    /// Sets the id of the transaction, and the reference that it is about.
    fn with_id(self, transaction_dir: &Path, reference: Option<&str>) -> Self {
        Self { id: TransactionDir::id_of(transaction_dir), reference: reference.map(str::to_owned), ..self }
    }
}

/// Returns the ids of the transactions whose processes are dead. Changes nothing.
///
/// # Errors
/// The git directory cannot be read.
pub fn pending(repo: &Repo) -> Result<Vec<String>> {
    let mut all = TransactionDir::list(repo)?;
    all.retain(|path| TransactionDir::check(path).is_err() || TransactionDir::is_live(path) == Some(false));
    Ok(all.iter().map(|path| TransactionDir::id_of(path)).collect())
}

/// Finishes or undoes every transaction of a dead process. With `discard`, gives up those whose journal cannot be used.
///
/// After a killed push, the remote is asked only if `may_ask` is true for the pushed reference. This happens without
/// the lock, because it may take long. With `watch`, recovery first waits until no process pushes these references.
///
/// # Errors
/// The lock is held, a file cannot be read or written, or [`Error::Broken`]. Another call continues where this one
/// stopped.
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
    // Signals take effect only after the recovery.
    let _held = interrupt::hold();
    let lock = match watch {
        Some(watch) => push::lock_between_pushes(repo, timeout, may_ask, watch)?,
        None => super::lock(repo, timeout)?,
    };
    let (mut all, mut waiting) = (Vec::new(), Vec::new());
    for path in TransactionDir::list(repo)? {
        if let Err(why) = TransactionDir::check(&path) {
            if !discard {
                return Err(Error::Broken(why, vec![path.display().to_string()]));
            }
            all.push(given_up(repo, &path, discard::set_aside(repo, &path)?)?);
            continue;
        }
        let Some(dead) = DeadTransaction::take(repo, path, discard)? else { continue };
        let mut unanswered = None;
        all.extend(dead.or_give_up(dead.settle(&mut unanswered))?);
        waiting.extend(unanswered.map(|unanswered| (dead, unanswered)));
    }
    drop(lock);
    for (dead, (note, known, left)) in waiting {
        let answer = match known {
            None if may_ask(note.reference()) => note.is_on_remote(repo),
            known => known,
        };
        // This lands the pushed commits, and takes the lock for that.
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
    // These are empty if a run was killed before it made its own directory in there.
    let _ = std::fs::remove_dir(TransactionDir::all(repo.common_dir()));
    let _ = std::fs::remove_dir(own_dir);
    Ok(all)
}

/// Whether another try would fail in the same way, so that the transaction can be given up.
fn is_permanent(error: &Error) -> bool {
    !matches!(error, Error::Busy(..) | Error::Interrupted | Error::Vcs(vcs::Error::Interrupted))
}

/// A killed push that waits for the remote's answer: its note, the answer if it is known already, and the paths that
/// were left as they are.
type Unanswered = (push::Note, Option<bool>, Vec<String>);

/// A transaction whose process is dead. Its liveness lock is held, which keeps other recoveries away.
struct DeadTransaction<'r> {
    repo: &'r Repo,
    path: PathBuf,
    _alive: Option<Flock>,
    discard: bool,
}

impl<'r> DeadTransaction<'r> {
    /// Takes the liveness lock of a transaction; `None` if its process is alive, or if it belongs to another user.
    fn take(repo: &'r Repo, path: PathBuf, discard: bool) -> Result<Option<Self>> {
        let live = path.join(TransactionDir::LIVE);
        // A directory without a lock file is dead, too: runs create both under the repository's lock, which is held
        // here.
        let alive = match live.symlink_metadata() {
            // It belongs to another user. That user's next run recovers it.
            Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => return Ok(None),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
            Err(e) => return Err(vcs::Error::io("look at", live, e).into()),
            // `check` refuses it later.
            Ok(found) if !found.is_file() => None,
            Ok(_) => match Flock::attempt(&live) {
                Ok(None) => return Ok(None),
                // Its process has just ended and removed it.
                Err(_) if !live.exists() => None,
                lock => lock?,
            },
        };
        Ok(Some(Self { repo, path, _alive: alive, discard }))
    }

    /// Returns the result of a recovery; `None` if the transaction's process has just removed it. With `discard`, a
    /// transaction whose recovery always fails is given up.
    fn or_give_up(&self, settled: Result<Option<Recovered>>) -> Result<Option<Recovered>> {
        match settled {
            Err(_) if !self.path.exists() => Ok(None),
            Err(error) if self.discard && is_permanent(&error) => {
                given_up(self.repo, &self.path, discard::give_up(self.repo, &self.path)?).map(Some)
            }
            settled => settled,
        }
    }

    /// Recovers the transaction. The caller holds the repository's lock. If the remote must be asked first, sets
    /// `unanswered` and returns `None`.
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
                // It had started to publish, so the remote had accepted the push.
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

    /// Deletes what the transaction left, unless a later recovery still needs it. Returns `None` if another recovery
    /// has deleted it. The caller holds the repository's lock.
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

/// Returns the result for a transaction that was given up. It lists all locks in the repository, because one of them
/// may be the transaction's own.
fn given_up(repo: &Repo, transaction_dir: &Path, aside: PathBuf) -> Result<Recovered> {
    let (aside, locks) = (Some(aside.display().to_string()), discard::to_strings(repo.lock_files()?));
    let settled = Recovered { aside, locks, ..Recovered::at(End::GivenUp) };
    Ok(settled.with_id(transaction_dir, None))
}

/// Checks that a transaction directory contains nothing but the files and directories that runs make there. A link in
/// it is refused, because writing would follow it.
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

/// Deletes everything that a transaction left. `end` says how its recovery ended.
fn clean(repo: &Repo, transaction_dir: &Path, journal: Option<&Journal>, end: End) -> Result<()> {
    let id = &TransactionDir::id_of(transaction_dir);
    // A git process that the killed run started may still write there.
    places::remove(&Quarantine::path_for(repo.objects_dir(), id))?;
    let staged = journal.and_then(|journal| journal.staged.as_ref());
    if staged.is_some_and(|staged| staged.beside) || OutsideDir::STAGING.noted(transaction_dir).is_some() {
        for checkout in repo.checkouts() {
            // If this is a link, only the link is removed.
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
