//! Branches that go, with what the configuration says of them: both, or neither.
//!
//! The references go in one step, by git; that is the commit point. A note in the transaction's transaction directory has the rest done
//! by the recovery, should this process be killed in between.

use super::transaction_dir::TransactionDir;
use super::{Error, Result, interrupt, lock};
use crate::vcs::durability::{self, Durability};
use crate::vcs::fault::{Fault, point};
use crate::vcs::ident::Given;
use crate::vcs::push::{Pushed, PushedRef, Upstream};
use crate::vcs::refs::is_reference_name;
use crate::vcs::repo::Repo;
use crate::vcs::{self, Oid, places};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// How long a note may be, in bytes.
const LIMIT: u64 = 16 << 20;

/// A branch that a remote has.
pub struct OnRemote {
    /// Its full name here.
    pub here: String,
    /// Where it is there.
    pub upstream: Upstream,
    /// The commit that it is at there.
    pub tip: Oid,
}

/// Removes branches, by their full names and with where they are; all or none. Those that a remote has go there first: what it
/// refuses stays here, too.
///
/// # Errors
/// One has moved or is locked, or a hook refuses, and all of them are there; or what the configuration says of them
/// cannot be removed, which is left to the recovery.
pub fn drop_branches(
    repo: &Repo,
    branches: &[(String, Oid)],
    there: &[OnRemote],
    verify: bool,
    timeout: Duration,
) -> Result<()> {
    let who = repo.identities(&Given::default())?.committer;
    let transaction_dir = TransactionDir::open(repo, timeout)?;
    let _held = interrupt::hold();
    drop_there(repo, there, verify, &transaction_dir)?;
    let _lock = lock(repo, timeout)?;
    let names: Vec<&str> = branches.iter().map(|(name, _)| name.as_str()).collect();
    let note = transaction_dir.file(TransactionDir::DROPPED);
    let text =
        serde_json::to_vec(&names).map_err(|e| vcs::Error::io("write", &note, std::io::Error::from(e)))?;
    durability::write(&note, &text, Durability::of(repo)?.any())?;
    point(Fault::DropNoted)
        .and_then(|()| repo.delete_branches(branches, &who, &transaction_dir.alive))
        .inspect_err(|_| {
            // What is not to be gone on with is not noted.
            let _ = std::fs::remove_file(&note);
        })?;
    interrupt::land();
    let close = || -> Result<()> {
        point(Fault::BranchesDropped)?;
        Ok(repo.forget_branches(names.iter().map(|name| short(name)))?)
    };
    close().or_else(|_| close())?;
    std::fs::remove_file(&note).map_err(|e| vcs::Error::io("remove", &note, e))?;
    Ok(())
}

/// Has each remote remove the branches that it has.
fn drop_there(repo: &Repo, there: &[OnRemote], verify: bool, transaction_dir: &TransactionDir) -> Result<()> {
    let mut remotes: BTreeMap<&str, Vec<PushedRef<'_>>> = BTreeMap::new();
    for one in there {
        let gone = PushedRef { from: None, to: &one.upstream.branch, old: Some(one.tip) };
        remotes.entry(&one.upstream.remote).or_default().push(gone);
    }
    for (remote, refs) in remotes {
        let names: Vec<_> = refs.iter().map(|one| short(one.to)).collect();
        let to = format!("{} of {remote}", names.join(", "));
        match repo.push(remote, &refs, verify, &transaction_dir.alive, interrupt::seen)? {
            Pushed::Taken => {}
            Pushed::Behind(why) => return Err(Error::Behind { to, why }),
            Pushed::Refused(why) => return Err(Error::NotTaken { to, why }),
            Pushed::Unknown(why) => return Err(vcs::Error::Remote { remote: to, message: why }.into()),
        }
    }
    Ok(())
}

/// Goes on where a killed process stopped; gives a branch that is gone, if it came so far.
pub(super) fn settle(repo: &Repo, transaction_dir: &Path) -> Result<Option<String>> {
    let bytes = match places::read(&transaction_dir.join(TransactionDir::DROPPED), LIMIT) {
        Err(e) if e.is_missing() => return Ok(None),
        bytes => bytes?,
    };
    // One that is not whole was written before anything was removed; and what can be no branch's name is none of ours.
    let names: Vec<String> = super::from_json(&bytes).unwrap_or_default();
    let mut gone = Vec::new();
    for name in names.iter().filter(|name| name.starts_with("refs/heads/") && is_reference_name(name)) {
        if repo.value(name)?.is_none() {
            gone.push(name.as_str());
        }
    }
    repo.forget_branches(gone.iter().map(|name| short(name)))?;
    Ok(gone.first().map(|name| (*name).to_owned()))
}

fn short(name: &str) -> &str {
    name.strip_prefix("refs/heads/").unwrap_or(name)
}
