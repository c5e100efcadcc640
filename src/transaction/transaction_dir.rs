//! The transaction directory, `llm-apply/txn/<id>` in the shared git directory: the journal, the notes for recovery,
//! the staged files, and the lock by which others see whether the process is alive.

use super::{Result, lock};
use crate::vcs::durability::{self, Durability};
use crate::vcs::lock::Flock;
use crate::vcs::quarantine::Quarantine;
use crate::vcs::repo::Repo;
use crate::vcs::scratch::Scratch;
use crate::vcs::{self, places};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The largest size of a journal or a note, in bytes. One changed path takes some hundred bytes.
pub(super) const MAX_NOTE_SIZE: u64 = 128 << 20;

/// The private directory of one transaction. It is removed when this is dropped, unless something is left for recovery.
#[derive(Debug)]
pub struct TransactionDir {
    pub(super) path: PathBuf,
    pub(super) id: String,
    common: PathBuf,
    objects: PathBuf,
    pub(super) alive: Flock,
}

impl TransactionDir {
    /// The name of the directory with the staged files.
    pub(super) const FILES: &str = "files";

    /// The name under which the scratch worktree's administrative directory is made, before it is moved to git's
    /// `worktrees`.
    pub(super) const ENTRY: &str = "entry";

    /// The name of the journal.
    pub(super) const JOURNAL: &str = "journal";

    /// The note of objects that were moved into the repository early.
    pub(super) const EARLY: &str = "early";

    /// The note of branches that are being dropped.
    pub(super) const DROPPED: &str = "dropped";

    /// The note of a record that is being forgotten.
    pub(super) const FORGOTTEN: &str = "forgotten";

    /// The note of what is pushed where.
    pub(super) const PUSHED: &str = "pushed";

    /// The file that names the reference in whose queue the transaction is.
    pub(super) const QUEUE: &str = "line";

    /// The liveness lock: its file is locked as long as the process, or a git process that it started, is alive.
    pub(super) const LIVE: &str = "live";

    /// Returns the directory to which abandoned transaction directories are moved.
    pub(super) fn discarded(common: &Path) -> PathBuf {
        common.join("llm-apply").join("discarded")
    }

    /// Checks that the parents of transaction directories are not links, which could lead out of the repository.
    pub(super) fn check_all(common: &Path) -> Result<()> {
        let all = [common.join("llm-apply"), Self::all(common), Self::discarded(common)];
        Ok(places::check_own(&all.each_ref().map(PathBuf::as_path))?)
    }

    /// Returns `llm-apply/txn` in the shared git directory, which contains the transaction directories.
    pub(super) fn all(common: &Path) -> PathBuf {
        common.join("llm-apply").join("txn")
    }

    /// Returns the transaction directories, the oldest first.
    pub(super) fn list(repo: &Repo) -> Result<Vec<PathBuf>> {
        Self::check_all(repo.common_dir())?;
        let mut all = places::entries(&Self::all(repo.common_dir()))?;
        // Runs make only directories here. A link in place of one is listed, so that it is reported.
        all.retain(|path| path.symlink_metadata().is_ok_and(|found| found.is_dir() || found.is_symlink()));
        all.sort();
        Ok(all)
    }

    /// Checks that a path is a transaction directory. The error says why it is not.
    pub(super) fn check(path: &Path) -> std::result::Result<(), String> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        match path.symlink_metadata() {
            Ok(found) if found.is_symlink() => Err("its directory is a link".to_owned()),
            _ if name
                .split_once('-')
                .is_some_and(|(time, process)| is_number(time) && is_number(process)) =>
            {
                Ok(())
            }
            _ => Err("its directory has a name that no run gives".to_owned()),
        }
    }

    /// Makes the directory of a new transaction.
    ///
    /// # Errors
    /// The file system fails, or another run holds the repository's lock.
    pub fn open(repo: &Repo, timeout: Duration) -> Result<Self> {
        let common = repo.common_dir();
        let all = Self::all(common);
        Self::check_all(common)?;
        // Until the directory has its liveness lock, the repository's lock keeps recoveries away from it.
        let _lock = lock(repo, timeout)?;
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let id = format!("{:x}-{:x}", now.as_nanos(), std::process::id());
        let path = all.join(&id);
        // The parent is shared, so that all users of the repository can make directories there. Each directory is
        // private.
        repo.in_shared(&all, &mut Vec::new(), || places::make_private(&path))?;
        let live = path.join(Self::LIVE);
        let opened = std::fs::write(&live, b"").map_err(|e| vcs::Error::io("write", &live, e));
        // Another run that checks whether this one is alive may hold the lock for a moment.
        let opened =
            opened.and_then(|()| Flock::wait(&live, timeout, || false)?.ok_or(vcs::Error::Locked(live)));
        match opened {
            Ok(alive) => {
                let objects = repo.objects_dir().to_owned();
                Ok(Self { path, id, common: common.to_owned(), objects, alive })
            }
            Err(e) => {
                remove_abandoned(common, &path);
                Err(e.into())
            }
        }
    }

    /// Returns the path of a file in the directory.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Whether a transaction's process is alive, or a git process that it started; `None` if that is unknown.
    pub(super) fn is_live(path: &Path) -> Option<bool> {
        let live = path.join(Self::LIVE);
        live.symlink_metadata().ok().filter(|found| found.is_file())?;
        Some(Flock::attempt(&live).ok()?.is_none())
    }

    /// Returns the id of the transaction with this directory.
    pub(super) fn id_of(path: &Path) -> String {
        path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Writes a note for recovery. If that fails, no note is left.
    pub(super) fn note(&self, repo: &Repo, name: &str, what: &impl Serialize) -> Result<()> {
        let file = self.file(name);
        let text = serde_json::to_vec(what).map_err(|e| vcs::Error::io("write", &file, e))?;
        let written = durability::write(&file, &text, Durability::of(repo)?.any());
        Ok(written.inspect_err(|_| self.forget(name))?)
    }

    /// Removes a note when recovery no longer needs it.
    pub(super) fn forget(&self, name: &str) {
        let _ = std::fs::remove_file(self.file(name));
    }

    /// Reads a note; `None` if there is none. A torn note counts as none, because a note is complete before anything
    /// that it describes happens.
    pub(super) fn noted<T: DeserializeOwned>(path: &Path, name: &str) -> vcs::Result<Option<T>> {
        match places::read(&path.join(name), MAX_NOTE_SIZE) {
            Err(e) if e.is_missing() => Ok(None),
            bytes => Ok(super::from_json(&bytes?).ok()),
        }
    }

    /// Whether the directory has a journal or a note for recovery.
    pub(super) fn is_pending(&self) -> bool {
        [Self::JOURNAL, Self::DROPPED, Self::FORGOTTEN, Self::PUSHED]
            .iter()
            .any(|name| self.file(name).symlink_metadata().is_ok())
    }

    /// Whether the transaction left something outside of this directory, or objects that could not be removed.
    fn has_remains(&self) -> bool {
        let all = [
            Some(Quarantine::path_for(&self.objects, &self.id)),
            Some(Scratch::path_for(&self.common, &self.id)),
            OutsideDir::STAGING.noted(&self.path),
            OutsideDir::SCRATCH.noted(&self.path),
            Some(self.file(Self::EARLY)),
        ];
        let remains = all.into_iter().flatten().any(|path| path.symlink_metadata().is_ok());
        remains || Scratch::remove_empty_parent(&self.common)
    }
}

impl Drop for TransactionDir {
    fn drop(&mut self) {
        if !self.is_pending() && !self.has_remains() {
            remove_abandoned(&self.common, &self.path);
        }
    }
}

/// A kind of directory that a transaction makes outside of its transaction directory. A note there has the path.
pub(super) struct OutsideDir {
    note: &'static str,
    /// The beginning of the directory's name. The transaction's id follows.
    prefix: &'static str,
}

impl OutsideDir {
    /// The staging directory in the checkout, if the checkout is on another file system than the git directory.
    pub(super) const STAGING: Self = Self { note: "elsewhere", prefix: ".llm-apply-" };

    /// The directory that contains the scratch worktree.
    pub(super) const SCRATCH: Self = Self { note: "outside", prefix: "llm-apply-" };

    /// Returns the directory's name.
    pub(super) fn name(&self, transaction_dir: &Path) -> String {
        format!("{}{}", self.prefix, TransactionDir::id_of(transaction_dir))
    }

    /// Writes the note, before the directory is made, and returns the directory's path in `parent`.
    pub(super) fn note(&self, transaction_dir: &TransactionDir, parent: &Path) -> Result<PathBuf> {
        let directory = parent.join(self.name(&transaction_dir.path));
        let file = transaction_dir.file(self.note);
        let written = std::fs::write(&file, directory.as_os_str().as_bytes());
        written.map_err(|e| vcs::Error::io("write", file, e))?;
        Ok(directory)
    }

    /// Returns the path in the note. A note with any other name than the transaction's is torn or forged, and is
    /// ignored.
    pub(super) fn noted(&self, transaction_dir: &Path) -> Option<PathBuf> {
        let bytes = places::read(&transaction_dir.join(self.note), places::SMALL).ok()?;
        let directory = PathBuf::from(OsString::from_vec(bytes));
        let is_own = directory.file_name() == Some(self.name(transaction_dir).as_ref());
        (directory.is_absolute() && is_own).then_some(directory)
    }
}

/// Removes a transaction directory, and then its parents if they are empty.
pub(super) fn remove_abandoned(common: &Path, transaction_dir: &Path) {
    let _ = std::fs::remove_dir_all(transaction_dir);
    let _ = std::fs::remove_dir(TransactionDir::all(common));
    let _ = std::fs::remove_dir(common.join("llm-apply"));
}
