//! Deleting branches, with their configuration.
//!
//! Git deletes the references in one step, which is the commit point. A note in the transaction directory lets a recovery do the
//! rest after a kill.

use super::push::unknown;
use super::transaction_dir::TransactionDir;
use super::{Error, Result, interrupt, lock_after};
use crate::report::End;
use crate::vcs::fault::{Fault, point};
use crate::vcs::ident::Given;
use crate::vcs::lock::Flock;
use crate::vcs::push::{PushedRef, Upstream};
use crate::vcs::refs::{is_object_name, is_reference_name, short_name};
use crate::vcs::repo::Repo;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// A branch to delete, as the note has it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Dropped {
    /// Its full name.
    pub name: String,
    /// Its tip.
    pub tip: String,
    /// The remote's branch to delete, too, and its tip.
    pub there: Option<(Upstream, String)>,
}

/// Deletes branches, all or none. A remote deletes its branches first: if it refuses, those here stay.
///
/// # Errors
/// One has moved or is locked, or a hook refuses, and all of them stay; or their configuration cannot be removed, which is left
/// to the recovery.
pub fn drop_branches(repo: &Repo, branches: &[Dropped], timeout: Duration) -> Result<()> {
    let who = repo.identities(&Given::default())?.committer;
    let transaction_dir = TransactionDir::open(repo, timeout)?;
    let _held = interrupt::hold();
    transaction_dir.note(repo, TransactionDir::DROPPED, &branches)?;
    let drop_here = |is_taken: bool| -> Result<Flock> {
        point(Fault::DroppedThere)?;
        let lock = lock_after(is_taken, repo, timeout)?;
        let here: Vec<_> = branches.iter().map(|one| (&*one.name, &*one.tip)).collect();
        repo.delete_branches(&here, &who, &transaction_dir.alive)?;
        Ok(lock)
    };
    let dropped = point(Fault::DropNoted).map_err(Error::from);
    let dropped = dropped.and_then(|()| drop_there(repo, branches, &transaction_dir));
    let dropped = dropped.and_then(|there| {
        drop_here(there.is_some()).map_err(|error| match there {
            Some(there) => Error::NotDropped { there, why: error.to_string() },
            None => error,
        })
    });
    let _lock = dropped.inspect_err(|error| {
        // The note stays only if the remote may have deleted a branch.
        if !matches!(error, Error::NotDropped { .. }) {
            transaction_dir.forget(TransactionDir::DROPPED);
        }
    })?;
    interrupt::land();
    let close = || -> Result<()> {
        point(Fault::BranchesDropped)?;
        Ok(repo.forget_branches(branches.iter().map(|one| short_name(&one.name)))?)
    };
    close().or_else(|_| close())?;
    transaction_dir.forget(TransactionDir::DROPPED);
    Ok(())
}

impl Dropped {
    /// Whether a run could have written it.
    fn could_be(&self) -> bool {
        let is_name = |name: &str| name.starts_with("refs/heads/") && is_reference_name(name);
        is_name(&self.name)
            && is_object_name(&self.tip)
            && self.there.as_ref().is_none_or(|(upstream, _)| is_name(&upstream.branch))
    }

    /// The remote's branch. A remote that is not configured is made up.
    fn upstream(&self, repo: &Repo) -> Option<&Upstream> {
        self.there.as_ref().map(|(upstream, _)| upstream).filter(|upstream| repo.has_remote(&upstream.remote))
    }
}

/// Has the remote delete its branches, and returns a sentence about that; `None` if there are none.
fn drop_there(repo: &Repo, all: &[Dropped], transaction_dir: &TransactionDir) -> Result<Option<String>> {
    let there = || all.iter().filter_map(|one| one.there.as_ref());
    let remotes: BTreeSet<&str> = there().map(|(upstream, _)| upstream.remote.as_str()).collect();
    let Some(remote) = remotes.first() else { return Ok(None) };
    if remotes.len() > 1 {
        let names: Vec<_> = remotes.iter().copied().collect();
        let what = format!("branches of several remotes ({})", names.join(", "));
        return Err(Error::Unsupported { what, help: "drop those of one remote at a time".to_owned() });
    }
    let mut refs = Vec::new();
    for (upstream, tip) in there() {
        refs.push(PushedRef { from: None, to: &upstream.branch, old: Some(repo.id(tip)?) });
    }
    let names: Vec<_> = refs.iter().map(|one| short_name(one.to)).collect();
    let names = names.join(", ");
    let to = format!("{names} of {remote}");
    let pushed = repo.push(remote, &refs, &transaction_dir.alive)?;
    let why = unknown(pushed, &to)?;
    interrupt::land();
    match why {
        // The connection may have failed after the push. The recovery asks the remote.
        Some(why) => {
            Err(Error::NotDropped { there: format!("it is not known whether {remote} deleted {names}"), why })
        }
        None => Ok(Some(format!("{remote} deleted {names}"))),
    }
}

/// The note of the branches that a killed run was to delete; at least one.
pub(super) struct Note(Vec<Dropped>);

impl Note {
    /// The note of a transaction directory, if it has one.
    pub(super) fn read(transaction_dir: &Path) -> Result<Option<Self>> {
        let mut noted: Vec<Dropped> =
            TransactionDir::noted(transaction_dir, TransactionDir::DROPPED)?.unwrap_or_default();
        // Other entries are made up.
        noted.retain(Dropped::could_be);
        Ok((!noted.is_empty()).then_some(Self(noted)))
    }

    /// The branches.
    pub(super) fn references(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|one| one.name.as_str())
    }

    /// Whether a remote was asked to delete any.
    pub(super) fn is_there(&self, repo: &Repo) -> bool {
        self.0.iter().any(|one| one.upstream(repo).is_some())
    }

    /// Whether a remote has deleted any; `None` if it cannot be asked.
    pub(super) fn is_gone(&self, repo: &Repo) -> Option<bool> {
        let mut is_gone = false;
        for upstream in self.0.iter().filter_map(|one| one.upstream(repo)) {
            is_gone |= repo.ask_remote(upstream).ok()?.is_none();
        }
        Some(is_gone)
    }

    /// Goes on where the run stopped: if the remote has deleted its branches, it deletes those here. Returns the branches, or one.
    pub(super) fn settle(
        &self,
        repo: &Repo,
        alive: Option<&Flock>,
        is_gone: bool,
    ) -> Result<(Option<String>, End)> {
        let (mut gone, mut kept) = (Vec::new(), None);
        for one in &self.0 {
            // A branch that has moved since, or is checked out, stays.
            if let (Some(tip), true, Some(alive)) = (repo.value(&one.name)?, is_gone, alive) {
                let is_in_use =
                    repo.check_head(&one.name, true).is_ok() || repo.occupied_elsewhere(&one.name)?.is_some();
                if is_in_use || tip.to_string() != one.tip {
                    kept = Some(one.name.clone());
                } else {
                    let who = repo.identities(&Given::default())?.committer;
                    repo.delete_branches(&[(&one.name, &one.tip)], &who, alive)?;
                }
            }
            if repo.value(&one.name)?.is_none() {
                gone.push(one.name.as_str());
            }
        }
        repo.forget_branches(gone.iter().map(|name| short_name(name)))?;
        let names: Vec<_> = gone.into_iter().map(short_name).collect();
        Ok(match kept {
            Some(kept) => (Some(kept), End::LeftAlone),
            None if names.is_empty() => (None, End::Discarded),
            None => (Some(names.join(", ")), End::Dropped),
        })
    }
}
