//! Objects that are moved into the repository before the landing is certain, because hooks, `--exec` commands or a
//! push have to see them.
//!
//! If nothing lands, they are removed again, with two exceptions. An object stays if another process wrote it as
//! well, which shows in its time stamp. All objects stay if any reference moved meanwhile (`refs/stash`, for
//! example), because it may name one of them; git prunes them later.

use super::{Result, TransactionDir};
use crate::vcs;
use crate::vcs::durability;
use crate::vcs::fault::{Fault, point};
use crate::vcs::manifest::Manifest;
use crate::vcs::quarantine::Quarantine;
use crate::vcs::repo::Repo;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};

/// The note of these objects in the transaction directory, for recovery.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Note {
    objects: Manifest,
    /// A digest of all references before the first object was moved.
    references: String,
}

/// The objects that were moved early. Dropping this removes them unless they have landed. If that fails, the note
/// stays, and recovery removes them.
pub(super) struct Early<'r> {
    repo: &'r Repo,
    file: PathBuf,
    note: RefCell<Note>,
    /// Whether the objects have landed.
    landed: Cell<bool>,
}

impl<'r> Early<'r> {
    pub(super) fn begin(repo: &'r Repo, transaction_dir: &TransactionDir) -> Result<Self> {
        let note = Note { objects: Manifest::default(), references: repo.references_digest()? };
        Ok(Self {
            repo,
            file: transaction_dir.file(TransactionDir::EARLY),
            note: RefCell::new(note),
            landed: Cell::new(false),
        })
    }

    /// Moves all objects that were written so far into the repository, after noting them.
    pub(super) fn release(&self, quarantine: &Quarantine) -> Result<()> {
        let (objects, unsynced) = quarantine.seal(self.repo)?;
        unsynced.sync()?;
        self.note.borrow_mut().objects.extend(&objects);
        let failed = |e: std::io::Error| vcs::Error::io("write", &self.file, e);
        let bytes = serde_json::to_vec(&*self.note.borrow()).map_err(|e| failed(e.into()))?;
        let aside = self.file.with_extension("new");
        durability::write(&aside, &bytes, false)?;
        std::fs::rename(&aside, &self.file).map_err(failed)?;
        quarantine.release(self.repo, &objects)?;
        Ok(point(Fault::ObjectsEarly)?)
    }

    /// Marks the objects as landed, so that they are not removed.
    pub(super) fn keep(&self) {
        self.landed.set(true);
    }
}

impl Drop for Early<'_> {
    fn drop(&mut self) {
        let note = self.note.borrow();
        let settled = self.landed.get() || remove(self.repo, &note).is_ok();
        let _ = Quarantine::let_go(self.repo.objects_dir(), &note.objects);
        // While a push is noted, its outcome is unknown: recovery asks the remote, and needs the note of the objects.
        if settled && !self.file.with_file_name(TransactionDir::PUSHED).exists() {
            let _ = std::fs::remove_file(&self.file);
        }
    }
}

/// Removes the early objects of a dead transaction, unless it has landed.
///
/// # Errors
/// The objects cannot be removed.
pub(super) fn settle(repo: &Repo, transaction_dir: &Path, landed: bool) -> vcs::Result<()> {
    let noted: Option<Note> = TransactionDir::noted(transaction_dir, TransactionDir::EARLY)?;
    if let Some(note) = noted
        && note.objects.check().is_ok()
    {
        if !landed {
            remove(repo, &note)?;
        }
        let _ = Quarantine::let_go(repo.objects_dir(), &note.objects);
    }
    Ok(())
}

/// Lets go of objects that have landed, and removes their note. It has to be gone before the journal: without a journal,
/// recovery would take the objects for those of a run that did not land.
///
/// # Errors
/// The note cannot be read or removed.
pub(super) fn forget(repo: &Repo, transaction_dir: &Path) -> vcs::Result<()> {
    let file = transaction_dir.join(TransactionDir::EARLY);
    if file.symlink_metadata().is_err() {
        return Ok(());
    }
    settle(repo, transaction_dir, true)?;
    std::fs::remove_file(&file).map_err(|e| vcs::Error::io("remove", &file, e))
}

fn remove(repo: &Repo, note: &Note) -> vcs::Result<()> {
    match repo.references_digest()? == note.references {
        true => Quarantine::retract(repo.objects_dir(), &note.objects),
        false => Ok(()),
    }
}
