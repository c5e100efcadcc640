//! The journal: what a landing is about to do. It is on disk before the landing does it, so that a recovery can
//! finish or undo it.

use super::any_path::AnyPath;
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
use std::path::Path;

/// The token's file; the lock files are links to it.
pub(super) const TOKEN: &str = "token";

/// The new index. Once it is in place, this is a second link to it.
pub(super) const INDEX: &str = "index";

/// The old index; an empty file if there was none.
pub(super) const INDEX_BEFORE: &str = "index-was";

/// The version of this format. A journal of another version is refused.
pub(super) const VERSION: u32 = 2;

/// The text of a transaction's token.
fn token_of(transaction_dir: &Path) -> Vec<u8> {
    let id = transaction_dir.file_name().unwrap_or_default();
    [b"git-llm-apply ", id.as_bytes(), b"\n"].concat()
}

/// Whether that is the whole text.
pub(super) fn is_token(text: &[u8], transaction_dir: &Path) -> bool {
    text == token_of(transaction_dir)
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Journal {
    pub(super) version: u32,
    /// The git directory that all worktrees share, by its path at that time.
    pub(super) common_dir: AnyPath,
    /// The git directory of the worktree.
    pub(super) git_dir: AnyPath,
    /// Its checkout.
    pub(super) workdir: Option<AnyPath>,
    /// Its index, if the landing changes that.
    pub(super) index: Option<AnyPath>,
    /// The commit point.
    pub(super) movement: Movement,
    /// The movements of the records' references.
    #[serde(default)]
    pub(super) records: Vec<Movement>,
    /// Whether git itself moves the references, with their reflogs, so that its hook runs.
    pub(super) by_git: bool,
    /// The new objects.
    pub(super) objects: Manifest,
    /// The changes to the checkout.
    pub(super) staged: Option<Staged>,
    /// The refused attempts of the worktree that the landing replaces.
    #[serde(default)]
    pub(super) attempts: Vec<String>,
}

/// The part that every version has.
#[derive(Deserialize)]
struct Head {
    version: u32,
}

impl Journal {
    /// The references that move together, the branch first.
    pub(super) fn movements(&self) -> Vec<&Movement> {
        std::iter::once(&self.movement).chain(&self.records).collect()
    }

    /// Writes token and journal, and renames the journal into place. If anything of the landing is synced, these are
    /// synced before, so that a lock with the token can always be recognized. `early` says whether objects went in
    /// before; `objects` are those to be synced.
    pub(super) fn write(
        &self,
        repo: &Repo,
        transaction_dir: &TransactionDir,
        early: bool,
        objects: Unsynced,
    ) -> Result<()> {
        let durable = Durability::of(repo)?;
        let sync = match self.index.is_some() || early {
            // The recovery must know what happens to the user's files.
            true => durable.any(),
            // For a branch alone it does as git does.
            false => durable.syncs(&self.objects),
        };
        let mut unsynced = objects;
        unsynced.write(transaction_dir.file(TOKEN), &token_of(&transaction_dir.path), sync)?;
        let aside = transaction_dir.file("journal.new");
        let failed = |e: std::io::Error| vcs::Error::io("write", &aside, e);
        let bytes = serde_json::to_vec(self).map_err(|e| failed(e.into()))?;
        // A journal that could not be read again must not be used.
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

    /// Reads a transaction directory's journal; `None` if there is none. It may be made up: it is well-formed, but its
    /// places are not checked yet.
    ///
    /// # Errors
    /// Why it cannot be used.
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
        // These are SHA-1 in any repository.
        match blobs.find(|id| id.len() != 40 || !is_object_name(id)) {
            Some(id) => Err(named(id)),
            None => Ok(journal),
        }
    }

    /// Replaces the old path of the shared git directory by its path now. The repository may have been moved, copied,
    /// or mounted elsewhere, and the old path must not be touched then.
    pub(super) fn relocate(&mut self, common_dir: &Path) {
        let old = std::mem::replace(&mut self.common_dir.0, common_dir.to_owned());
        for path in std::iter::once(&mut self.git_dir).chain(&mut self.index) {
            if let Ok(inside) = path.0.strip_prefix(&old) {
                path.0 = common_dir.join(inside);
            }
        }
    }

    /// Removes a transaction directory's journal, once it is done.
    pub(super) fn retire(transaction_dir: &Path) -> Result<()> {
        places::remove_file(&transaction_dir.join(TransactionDir::JOURNAL))
    }
}
