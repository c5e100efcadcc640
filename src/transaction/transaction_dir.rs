//! The directory of one transaction.

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

/// The largest journal or note, in bytes. A path takes some hundred.
pub(super) const MAX_NOTE_SIZE: u64 = 128 << 20;

/// The private directory of one transaction, in the shared git directory. It is removed when dropped, unless
/// something is left for the recovery.
#[derive(Debug)]
pub struct TransactionDir {
    pub(super) path: PathBuf,
    pub(super) id: String,
    common: PathBuf,
    objects: PathBuf,
    pub(super) alive: Flock,
}

impl TransactionDir {
    /// The directory of the staged files.
    pub(super) const FILES: &str = "files";

    /// The scratch worktree's entry among git's worktrees, before it is in place.
    pub(super) const ENTRY: &str = "entry";

    /// The journal.
    pub(super) const JOURNAL: &str = "journal";

    /// The objects that went into the repository early.
    pub(super) const EARLY: &str = "early";

    /// The branches to be dropped.
    pub(super) const DROPPED: &str = "dropped";

    /// The record to be forgotten.
    pub(super) const FORGOTTEN: &str = "forgotten";

    /// What is pushed where.
    pub(super) const PUSHED: &str = "pushed";

    /// The reference in whose queue it is.
    pub(super) const QUEUE: &str = "line";

    /// The liveness lock.
    pub(super) const LIVE: &str = "live";

    /// The directory for transaction directories that are given up.
    pub(super) fn discarded(common: &Path) -> PathBuf {
        common.join("llm-apply").join("discarded")
    }

    /// Checks that no link leads from the transaction directories out of the repository.
    pub(super) fn check_all(common: &Path) -> Result<()> {
        let all = [common.join("llm-apply"), Self::all(common), Self::discarded(common)];
        Ok(places::check_own(&all.each_ref().map(PathBuf::as_path))?)
    }

    /// `llm-apply/txn` in the shared git directory.
    pub(super) fn all(common: &Path) -> PathBuf {
        common.join("llm-apply").join("txn")
    }

    /// The transaction directories, the oldest first.
    pub(super) fn list(repo: &Repo) -> Result<Vec<PathBuf>> {
        Self::check_all(repo.common_dir())?;
        let mut all = places::entries(&Self::all(repo.common_dir()))?;
        // Other files are not ours.
        all.retain(|path| path.symlink_metadata().is_ok_and(|found| found.is_dir() || found.is_symlink()));
        all.sort();
        Ok(all)
    }

    /// Checks that a path among the transaction directories is one. The error says why it is not.
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

    /// Makes one.
    ///
    /// # Errors
    /// As the file system reports, or another run holds the repository's lock.
    pub fn open(repo: &Repo, timeout: Duration) -> Result<Self> {
        let common = repo.common_dir();
        let all = Self::all(common);
        Self::check_all(common)?;
        // The repository's lock keeps a recovery away until the directory has its liveness lock.
        let _lock = lock(repo, timeout)?;
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let id = format!("{:x}-{:x}", now.as_nanos(), std::process::id());
        let path = all.join(&id);
        // Users who share the repository can each make one, and nobody else can read it.
        repo.in_shared(&all, &mut Vec::new(), || places::make_private(&path))?;
        let live = path.join(Self::LIVE);
        let opened = std::fs::write(&live, b"").map_err(|e| vcs::Error::io("write", &live, e));
        // Another run that looks whether this one is alive may hold the lock for a moment.
        let opened = opened.and_then(|()| Flock::wait(&live, timeout)?.ok_or(vcs::Error::Locked(live)));
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

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Whether the process of the transaction with that directory lives, or one that it has started; `None` if that
    /// is not known.
    pub(super) fn is_live(path: &Path) -> Option<bool> {
        let live = path.join(Self::LIVE);
        live.symlink_metadata().ok().filter(|found| found.is_file())?;
        Some(Flock::attempt(&live).ok()?.is_none())
    }

    /// The transaction's id, by the path of its directory.
    pub(super) fn id_of(path: &Path) -> String {
        path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Writes a note for the recovery, or nothing.
    pub(super) fn note(&self, repo: &Repo, name: &str, what: &impl Serialize) -> Result<()> {
        let file = self.file(name);
        let text = serde_json::to_vec(what).map_err(|e| vcs::Error::io("write", &file, e))?;
        let written = durability::write(&file, &text, Durability::of(repo)?.any());
        Ok(written.inspect_err(|_| self.forget(name))?)
    }

    /// Removes a note, once what it says is done.
    pub(super) fn forget(&self, name: &str) {
        let _ = std::fs::remove_file(self.file(name));
    }

    /// What a note says, if there is one. A torn note was written before anything was done, and says nothing.
    pub(super) fn noted<T: DeserializeOwned>(path: &Path, name: &str) -> vcs::Result<Option<T>> {
        match places::read(&path.join(name), MAX_NOTE_SIZE) {
            Err(e) if e.is_missing() => Ok(None),
            bytes => Ok(super::from_json(&bytes?).ok()),
        }
    }

    /// Whether it has a journal or a note for the recovery.
    pub(super) fn is_pending(&self) -> bool {
        [Self::JOURNAL, Self::DROPPED, Self::FORGOTTEN, Self::PUSHED]
            .iter()
            .any(|name| self.file(name).symlink_metadata().is_ok())
    }

    /// Whether something of the transaction lies outside of it that could not be removed.
    fn has_remains(&self) -> bool {
        let all = [
            Some(Quarantine::path_for(&self.objects, &self.id)),
            Some(Scratch::path_for(&self.common, &self.id)),
            OutsideDir::STAGING.noted(&self.path),
            OutsideDir::SCRATCH.noted(&self.path),
            Some(self.file(Self::EARLY)),
        ];
        let remains = all.into_iter().flatten().any(|path| path.symlink_metadata().is_ok());
        remains || Scratch::leaves_empty(&self.common)
    }
}

impl Drop for TransactionDir {
    fn drop(&mut self) {
        if !self.is_pending() && !self.has_remains() {
            remove_abandoned(&self.common, &self.path);
        }
    }
}

/// Another directory of a transaction, which lies outside of the transaction directory. That has a note of it.
pub(super) struct OutsideDir {
    note: &'static str,
    /// What its name begins with. The transaction's id follows.
    prefix: &'static str,
}

impl OutsideDir {
    /// The staging directory, if the checkout is on another file system.
    pub(super) const STAGING: Self = Self { note: "elsewhere", prefix: ".llm-apply-" };

    /// The directory of the scratch worktree.
    pub(super) const SCRATCH: Self = Self { note: "outside", prefix: "llm-apply-" };

    /// Its name.
    pub(super) fn name(&self, transaction_dir: &Path) -> String {
        format!("{}{}", self.prefix, TransactionDir::id_of(transaction_dir))
    }

    /// Notes it before it is made, and returns its path in `parent`.
    pub(super) fn note(&self, transaction_dir: &TransactionDir, parent: &Path) -> Result<PathBuf> {
        let directory = parent.join(self.name(&transaction_dir.path));
        let file = transaction_dir.file(self.note);
        let written = std::fs::write(&file, directory.as_os_str().as_bytes());
        written.map_err(|e| vcs::Error::io("write", file, e))?;
        Ok(directory)
    }

    /// The noted directory. A note with any other path is torn, or made up.
    pub(super) fn noted(&self, transaction_dir: &Path) -> Option<PathBuf> {
        let bytes = places::read(&transaction_dir.join(self.note), places::SMALL).ok()?;
        let directory = PathBuf::from(OsString::from_vec(bytes));
        let is_own = directory.file_name() == Some(self.name(transaction_dir).as_ref());
        (directory.is_absolute() && is_own).then_some(directory)
    }
}

/// Removes a transaction's directory, and those above it that are empty then.
pub(super) fn remove_abandoned(common: &Path, transaction_dir: &Path) {
    let _ = std::fs::remove_dir_all(transaction_dir);
    let _ = std::fs::remove_dir(TransactionDir::all(common));
    let _ = std::fs::remove_dir(common.join("llm-apply"));
}
