//! Deletes branches and their configuration.
//!
//! With `--push`, the remote deletes its branches first. Then git deletes the local branches in one step, which is
//! the commit point. If the run is killed before that step, the user can run the command again. If it is killed after
//! that step, recovery removes the configuration, because a note in the transaction directory names the branches.

use super::push::why_unknown;
use super::transaction_dir::TransactionDir;
use super::{Error, Result, interrupt, lock_after};
use crate::vcs::Oid;
use crate::vcs::fault::{Fault, point};
use crate::vcs::ident::Given;
use crate::vcs::lock::Flock;
use crate::vcs::push::{PushedRef, Upstream};
use crate::vcs::refs::{is_reference_name, short_name};
use crate::vcs::repo::Repo;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// A branch to delete.
#[derive(Debug, Clone)]
pub struct Dropped {
    /// The branch's full name.
    pub name: String,
    /// The branch's tip.
    pub tip: Oid,
    /// The remote's branch to delete as well, and its tip.
    pub remote_branch: Option<(Upstream, Oid)>,
}

/// Deletes all of the branches or none. The remote deletes its branches first; if it refuses, the local branches stay.
///
/// # Errors
/// A branch has moved or is locked, or a hook refuses: all branches stay. Or the branches are deleted and their
/// configuration cannot be removed: recovery does that.
pub fn drop_branches(repo: &Repo, branches: &[Dropped], timeout: Duration) -> Result<()> {
    let who = repo.identities(&Given::default())?.committer;
    let transaction_dir = TransactionDir::open(repo, timeout)?;
    let _held = interrupt::hold();
    let there = drop_there(repo, branches, &transaction_dir)?;
    let names: Vec<_> = branches.iter().map(|one| &one.name).collect();
    let drop_here = || -> Result<Flock> {
        point(Fault::DroppedThere)?;
        let lock = lock_after(there.is_some(), repo, timeout)?;
        transaction_dir.note(repo, TransactionDir::DROPPED, &names)?;
        let here: Vec<_> = branches.iter().map(|one| (&*one.name, one.tip)).collect();
        let dropped =
            point(Fault::DropNoted).and_then(|()| repo.delete_branches(&here, &who, &transaction_dir.alive));
        dropped.inspect_err(|_| transaction_dir.forget(TransactionDir::DROPPED))?;
        Ok(lock)
    };
    let _lock = drop_here().map_err(|error| match &there {
        Some(there) => Error::NotDropped { there: there.clone(), why: error.to_string() },
        None => error,
    })?;
    interrupt::land();
    let close = || -> Result<()> {
        point(Fault::BranchesDropped)?;
        Ok(repo.forget_branches(names.iter().map(|name| short_name(name)))?)
    };
    close().or_else(|_| close())?;
    transaction_dir.forget(TransactionDir::DROPPED);
    Ok(())
}

/// Makes the remote delete its branches, and returns a sentence that says so. Returns `None` if no remote branch is
/// to be deleted.
fn drop_there(repo: &Repo, all: &[Dropped], transaction_dir: &TransactionDir) -> Result<Option<String>> {
    let there = || all.iter().filter_map(|one| one.remote_branch.as_ref());
    let remotes: BTreeSet<&str> = there().map(|(upstream, _)| upstream.remote.as_str()).collect();
    let Some(remote) = remotes.first() else { return Ok(None) };
    if remotes.len() > 1 {
        let names: Vec<_> = remotes.iter().copied().collect();
        let what = format!("branches of several remotes ({})", names.join(", "));
        return Err(Error::Unsupported { what, help: "drop those of one remote at a time".to_owned() });
    }
    let mut refs = Vec::new();
    for (upstream, tip) in there() {
        refs.push(PushedRef { from: None, to: &upstream.branch, old: Some(*tip) });
    }
    let names: Vec<_> = refs.iter().map(|one| short_name(one.to)).collect();
    let names = names.join(", ");
    let to = format!("{names} of {remote}");
    let pushed = repo.push(remote, &refs, &transaction_dir.alive)?;
    let why = why_unknown(pushed, &to)?;
    interrupt::land();
    match why {
        // The connection may have failed after the remote deleted them. The next run asks the remote.
        Some(why) => {
            Err(Error::NotDropped { there: format!("it is not known whether {remote} deleted {names}"), why })
        }
        None => Ok(Some(format!("{remote} deleted {names}"))),
    }
}

/// Removes the configuration of the branches that a killed run deleted, and returns their names; `None` if it deleted
/// none.
pub(super) fn settle(repo: &Repo, transaction_dir: &Path) -> Result<Option<String>> {
    let noted: Vec<String> =
        TransactionDir::noted(transaction_dir, TransactionDir::DROPPED)?.unwrap_or_default();
    let mut gone = Vec::new();
    // A note with other names is forged.
    for name in noted.iter().filter(|name| name.starts_with("refs/heads/") && is_reference_name(name)) {
        if repo.value(name)?.is_none() {
            gone.push(short_name(name));
        }
    }
    repo.forget_branches(gone.iter().copied())?;
    Ok((!gone.is_empty()).then(|| gone.join(", ")))
}
