//! Objects that are in the repository before it is settled that they land, since hooks and `--exec` commands have to see
//! them.
//!
//! They are taken out again if they do not land. Whoever writes the same object meanwhile gives it a new time stamp, by
//! which it is known and spared; and where a reference has come or moved, such as that of a stash that a hook has left, all
//! of them stay for git to prune.

use super::{Result, TransactionDir};
use crate::vcs;
use crate::vcs::durability;
use crate::vcs::fault::{Fault, point};
use crate::vcs::manifest::Manifest;
use crate::vcs::quarantine::Quarantine;
use crate::vcs::repo::Repo;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// The file in the transaction directory that says which they are.
const NOTE: &str = "early";

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Note {
    objects: Manifest,
    /// The references as they were.
    references: String,
}

/// What was put there. Dropping it takes that out again, unless it has landed; what cannot be taken out is left to the
/// recovery, with the note.
pub(super) struct Early<'r> {
    repo: &'r Repo,
    file: PathBuf,
    note: RefCell<Note>,
    /// Whether it has landed.
    landed: std::cell::Cell<bool>,
}

impl<'r> Early<'r> {
    pub(super) fn begin(repo: &'r Repo, transaction_dir: &TransactionDir) -> Result<Self> {
        let note = Note { objects: Manifest::default(), references: repo.references_digest()? };
        let landed = std::cell::Cell::new(false);
        Ok(Self { repo, file: transaction_dir.file(NOTE), note: RefCell::new(note), landed })
    }

    /// Puts all that was written so far into the repository.
    pub(super) fn release(&self, quarantine: &Quarantine) -> Result<()> {
        let references = self.note.borrow().references.clone();
        let mut objects = self.note.borrow().objects.clone();
        let released = quarantine.release_early(self.repo, &mut objects, |all| {
            let note = Note { objects: all.clone(), references };
            let bytes = serde_json::to_vec(&note).map_err(|e| vcs::Error::io("write", &self.file, e))?;
            let aside = self.file.with_extension("new");
            durability::write(&aside, &bytes, false)?;
            std::fs::rename(&aside, &self.file).map_err(|e| vcs::Error::io("write", &self.file, e))?;
            *self.note.borrow_mut() = note;
            Ok(())
        });
        released?;
        Ok(point(Fault::ObjectsEarly)?)
    }

    /// They have landed, and stay.
    pub(super) fn stay(&self) {
        self.landed.set(true);
    }
}

impl Drop for Early<'_> {
    fn drop(&mut self) {
        let note = self.note.borrow();
        let settled = self.landed.get() || take_out(self.repo, self.repo.objects_dir(), &note).is_ok();
        let _ = Quarantine::let_go(self.repo.objects_dir(), &note.objects);
        // What a remote may have taken is settled once that is known.
        if settled && !self.file.with_file_name(TransactionDir::PUSHED).exists() {
            let _ = std::fs::remove_file(&self.file);
        }
    }
}

/// Whether a transaction directory has the note of objects that could not be taken out.
pub(super) fn remains(transaction_dir: &Path) -> bool {
    transaction_dir.join(NOTE).symlink_metadata().is_ok()
}

/// Takes out what a dead transaction has put there, unless it has landed.
///
/// # Errors
/// It cannot be taken out.
pub(super) fn settle(repo: &Repo, transaction_dir: &Path, objects: &Path, landed: bool) -> vcs::Result<()> {
    let noted: Option<Note> = TransactionDir::noted(transaction_dir, NOTE)?;
    if let Some(note) = noted
        && note.objects.check().is_ok()
    {
        if !landed {
            take_out(repo, objects, &note)?;
        }
        let _ = Quarantine::let_go(objects, &note.objects);
    }
    Ok(())
}

fn take_out(repo: &Repo, objects: &Path, note: &Note) -> vcs::Result<()> {
    // A fresh look: this handle may know packed references of before.
    if repo.references_digest()? == note.references {
        Quarantine::retract(objects, &note.objects)
    } else {
        Ok(())
    }
}
