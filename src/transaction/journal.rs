//! The journal of a landing. It is written to disk before the landing changes anything visible, and says all that will
//! change, so that recovery can finish the landing or undo it.

use super::staging::Staged;
use super::transaction_dir::{MAX_NOTE_SIZE, TransactionDir};
use crate::path::RepoPath;
use crate::vcs::durability::{self, Durability, Unsynced};
use crate::vcs::fault::{Fault, point};
use crate::vcs::manifest::Manifest;
use crate::vcs::refs::{Movement, is_object_name};
use crate::vcs::repo::Repo;
use crate::vcs::{self, Result, places};
use serde::{Deserialize, Serialize};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The file with the transaction's token. The lock files are hard links to it, so a lock shows whose it is.
pub(super) const TOKEN: &str = "token";

/// The file with the new index. Once the index is in place, this is a second hard link to it.
pub(super) const INDEX: &str = "index";

/// The file with the old index; empty if there was none.
pub(super) const INDEX_BEFORE: &str = "index-was";

/// The version of the journal's format. A journal with another version is refused.
pub(super) const VERSION: u32 = 2;

/// Returns the text of a transaction's token.
fn token_of(transaction_dir: &Path) -> Vec<u8> {
    let id = transaction_dir.file_name().unwrap_or_default();
    [b"git-llm-apply ", id.as_bytes(), b"\n"].concat()
}

/// Whether a text is the complete token of the transaction, and not a torn one.
pub(super) fn is_token(text: &[u8], transaction_dir: &Path) -> bool {
    text == token_of(transaction_dir)
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Journal {
    pub(super) version: u32,
    /// The git directory that all worktrees share, at the time of writing.
    pub(super) common_dir: PathBuf,
    /// The git directory of the worktree.
    pub(super) git_dir: PathBuf,
    /// The top of the worktree's checkout.
    pub(super) workdir: Option<PathBuf>,
    /// The worktree's index, if the landing changes it.
    pub(super) index: Option<PathBuf>,
    /// The move of the branch, which is the commit point.
    pub(super) movement: Movement,
    /// The moves of the references of the landing's record.
    pub(super) records: Vec<Movement>,
    /// Whether git moves the references and writes their reflogs, because this program cannot write them or because
    /// git's `reference-transaction` hook must run.
    pub(super) by_git: bool,
    /// The new objects that the landing moves into the repository.
    pub(super) objects: Manifest,
    /// The changes to the checkout.
    pub(super) staged: Option<Staged>,
    /// The names of the refused attempts that become useless with this landing.
    pub(super) attempts: Vec<String>,
}

/// The part of a journal that is the same in every version.
#[derive(Deserialize)]
struct Head {
    version: u32,
}

impl Journal {
    /// The moves of all references, the branch first.
    pub(super) fn movements(&self) -> Vec<&Movement> {
        std::iter::once(&self.movement).chain(&self.records).collect()
    }

    /// Writes the token and the journal, and renames the journal into place. If any file of the landing is synced to
    /// disk, both are synced before the first lock is taken, so that a lock with the token can always be recognized.
    ///
    /// `early` says whether objects were moved into the repository already, and `objects` are files that are still to
    /// be synced.
    pub(super) fn write(
        &self,
        repo: &Repo,
        transaction_dir: &TransactionDir,
        early: bool,
        objects: Unsynced,
    ) -> Result<()> {
        let durable = Durability::of(repo)?;
        let sync = match self.index.is_some() || early {
            // Recovery must know what happens to the user's files.
            true => durable.any(),
            // If only a branch moves, it syncs as git does.
            false => durable.syncs(&self.objects),
        };
        let mut unsynced = objects;
        unsynced.write(transaction_dir.file(TOKEN), &token_of(&transaction_dir.path), sync)?;
        let aside = transaction_dir.file("journal.new");
        let failed = |e: std::io::Error| vcs::Error::io("write", &aside, e);
        let bytes = serde_json::to_vec(self).map_err(|e| failed(e.into()))?;
        // Nothing may start with a journal that recovery could not read.
        Self::parse(&bytes).map_err(|why| failed(std::io::Error::other(why)))?;
        unsynced.write(aside.clone(), &bytes, sync)?;
        unsynced.sync()?;
        point(Fault::JournalWritten)?;
        let place = transaction_dir.file(TransactionDir::JOURNAL);
        std::fs::rename(&aside, &place).map_err(|e| vcs::Error::io("write", place, e))?;
        if sync {
            durability::sync_directories(&transaction_dir.path, repo.common_dir())?;
        }
        point(Fault::JournalPlaced)
    }

    /// Reads the journal of a transaction directory; `None` if there is none. The journal may be forged. Its form is
    /// checked here; whether its paths belong to the repository is not.
    ///
    /// # Errors
    /// Why the journal cannot be used.
    pub(super) fn read(transaction_dir: &Path) -> std::result::Result<Option<Self>, String> {
        match places::read(&transaction_dir.join(TransactionDir::JOURNAL), MAX_NOTE_SIZE) {
            Ok(bytes) => Self::parse(&bytes).map(Some),
            Err(e) if e.is_missing() => Ok(None),
            Err(e) => Err(e.to_string()),
        }
    }

    fn parse(bytes: &[u8]) -> std::result::Result<Self, String> {
        if bytes.is_empty() {
            return Err("it is empty".to_owned());
        }
        if bytes.len() as u64 > MAX_NOTE_SIZE {
            return Err(format!("it has more than {MAX_NOTE_SIZE} bytes"));
        }
        let torn = |e: serde_json::Error| format!("it is cut off, or is not a journal: {e}");
        let head: Head = super::from_json(bytes).map_err(torn)?;
        if head.version != VERSION {
            return Err(format!("it has version {}, and this program knows {VERSION}", head.version));
        }
        let journal: Self = super::from_json(bytes).map_err(torn)?;
        let named = |what: &str| format!("it names {what:?}, which no landing uses");
        journal.movement.check().map_err(|what| named(&what))?;
        for record in &journal.records {
            record.check().map_err(|what| named(&what))?;
            if !record.is_of_records() || record.is_head {
                return Err(named(&record.name));
            }
        }
        journal.objects.check().map_err(|what| named(&what))?;
        let Some(staged) = &journal.staged else { return Ok(journal) };
        let paths = staged.files.iter().map(|file| &file.path);
        for path in paths.chain(&staged.cleared).chain(&staged.made) {
            RepoPath::parse(path).map_err(|_| named(path))?;
        }
        let mut blobs = staged.files.iter().filter_map(|file| file.after.as_deref());
        // These ids are SHA-1 in every repository: they only identify contents.
        match blobs.find(|id| id.len() != 40 || !is_object_name(id)) {
            Some(id) => Err(named(id)),
            None => Ok(journal),
        }
    }

    /// Replaces the recorded path of the shared git directory by its current path, also in the paths below it. If the
    /// repository was moved, copied or mounted elsewhere, the old path must not be touched.
    pub(super) fn relocate(&mut self, common_dir: &Path) {
        let old = std::mem::replace(&mut self.common_dir, common_dir.to_owned());
        for path in std::iter::once(&mut self.git_dir).chain(&mut self.index) {
            if let Ok(inside) = path.strip_prefix(&old) {
                *path = common_dir.join(inside);
            }
        }
    }

    /// Removes the journal of a transaction directory when the landing is finished or undone.
    pub(super) fn retire(transaction_dir: &Path) -> Result<()> {
        places::remove_file(&transaction_dir.join(TransactionDir::JOURNAL))
    }
}
