//! Branches that go, with what the configuration says of them: both, or neither.
//!
//! The references go in one step, by git; that is the commit point. A note in the transaction's transaction directory has the rest done
//! by the recovery, should this process be killed in between.

use super::recover::End;
use super::transaction_dir::TransactionDir;
use super::{Error, Result, interrupt, lock};
use crate::vcs::fault::{Fault, point};
use crate::vcs::ident::Given;
use crate::vcs::lock::Flock;
use crate::vcs::push::{Pushed, PushedRef, Upstream};
use crate::vcs::refs::{is_object_name, is_reference_name};
use crate::vcs::repo::Repo;
use crate::vcs::{self, Oid};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// A branch that is to go.
pub struct Dropped {
    /// Its full name.
    pub name: String,
    /// Where it is.
    pub tip: Oid,
    /// The remote's branch that goes, too, and where that is.
    pub there: Option<(Upstream, Oid)>,
}

/// Removes branches, all or none. Those that a remote has go there first: what it refuses stays here, too.
///
/// # Errors
/// One has moved or is locked, or a hook refuses, and all of them are there; or what the configuration says of them
/// cannot be removed, which is left to the recovery.
pub fn drop_branches(repo: &Repo, branches: &[Dropped], verify: bool, timeout: Duration) -> Result<()> {
    let who = repo.identities(&Given::default())?.committer;
    let transaction_dir = TransactionDir::open(repo, timeout)?;
    let _held = interrupt::hold();
    let noted: Vec<_> = branches.iter().map(Noted::new).collect();
    transaction_dir.note(repo, TransactionDir::DROPPED, &noted)?;
    let drop_all = || -> Result<Flock> {
        point(Fault::DropNoted)?;
        drop_there(repo, branches, verify, &transaction_dir)?;
        point(Fault::DroppedThere)?;
        let lock = lock(repo, timeout)?;
        let here: Vec<_> = branches.iter().map(|one| (one.name.clone(), one.tip)).collect();
        repo.delete_branches(&here, &who, &transaction_dir.alive)?;
        Ok(lock)
    };
    let _lock = drop_all().inspect_err(|error| {
        // What is not to be gone on with is not noted; what a remote may have done is.
        if !matches!(error, Error::Vcs(vcs::Error::Remote { .. })) {
            transaction_dir.forget(TransactionDir::DROPPED);
        }
    })?;
    interrupt::land();
    let close = || -> Result<()> {
        point(Fault::BranchesDropped)?;
        Ok(repo.forget_branches(branches.iter().map(|one| short(&one.name)))?)
    };
    close().or_else(|_| close())?;
    transaction_dir.forget(TransactionDir::DROPPED);
    Ok(())
}

/// What is noted of a branch that is to go.
#[derive(Serialize, Deserialize)]
struct Noted {
    name: String,
    tip: String,
    /// The remote that has it, and its name there.
    there: Option<(String, String)>,
}

impl Noted {
    fn new(one: &Dropped) -> Self {
        let there = one.there.as_ref();
        let there = there.map(|(upstream, _)| (upstream.remote.clone(), upstream.branch.clone()));
        Self { name: one.name.clone(), tip: one.tip.to_string(), there }
    }

    /// Whether a run could have written it.
    fn could_be(&self) -> bool {
        let is_name = |name: &str| name.starts_with("refs/heads/") && is_reference_name(name);
        is_name(&self.name)
            && is_object_name(&self.tip)
            && self.there.as_ref().is_none_or(|(_, branch)| is_name(branch))
    }

    /// Where a remote has it, or had it. No run has been told of a remote that the configuration does not know.
    fn upstream(&self, repo: &Repo) -> Option<Upstream> {
        let (remote, branch) = self.there.as_ref().filter(|(remote, _)| repo.has_remote(remote))?;
        Some(Upstream { remote: remote.clone(), branch: branch.clone() })
    }
}

/// Has the remote remove the branches that it has.
fn drop_there(repo: &Repo, all: &[Dropped], verify: bool, transaction_dir: &TransactionDir) -> Result<()> {
    let there = || all.iter().filter_map(|one| one.there.as_ref());
    let remotes: BTreeSet<&str> = there().map(|(upstream, _)| upstream.remote.as_str()).collect();
    let Some(remote) = remotes.first() else { return Ok(()) };
    if remotes.len() > 1 {
        return Err(Error::Unsupported {
            what: format!(
                "branches of several remotes ({})",
                remotes.iter().copied().collect::<Vec<_>>().join(", ")
            ),
            help: "drop those of one remote at a time".to_owned(),
        });
    }
    let refs = there().map(|(upstream, tip)| PushedRef { from: None, to: &upstream.branch, old: Some(*tip) });
    let refs: Vec<_> = refs.collect();
    let names: Vec<_> = refs.iter().map(|one| short(one.to)).collect();
    let to = format!("{} of {remote}", names.join(", "));
    let why = match repo.push(remote, &refs, verify, &transaction_dir.alive)? {
        Pushed::Taken => return Ok(()),
        Pushed::Behind(why) => return Err(Error::Behind { to, why }),
        Pushed::Refused(why) => return Err(Error::NotTaken { to, why }),
        Pushed::Unknown(why) => why,
    };
    // The remote can be asked, and if not now, then by the recovery.
    let answers: Vec<_> =
        there().map(|(upstream, _)| Some(repo.ask_remote(upstream).ok()?.is_none())).collect();
    if answers.iter().all(|gone| *gone == Some(true)) {
        return Ok(());
    }
    if answers.iter().all(|gone| *gone == Some(false)) {
        return Err(Error::NotTaken { to, why });
    }
    let message = format!("{why}; 'git llm-apply recover' asks again");
    Err(vcs::Error::Remote { remote: to, message }.into())
}

/// What a killed run has noted of branches that were to go; there is at least one.
pub(super) struct Note(Vec<Noted>);

impl Note {
    /// What a transaction directory's note says, if it has one.
    pub(super) fn read(transaction_dir: &Path) -> Result<Option<Self>> {
        let mut noted: Vec<Noted> =
            TransactionDir::noted(transaction_dir, TransactionDir::DROPPED)?.unwrap_or_default();
        // What can be no branch's name is none of ours.
        noted.retain(Noted::could_be);
        Ok((!noted.is_empty()).then_some(Self(noted)))
    }

    /// The branches.
    pub(super) fn references(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|one| one.name.as_str())
    }

    /// Whether a remote was asked to remove any.
    pub(super) fn is_there(&self, repo: &Repo) -> bool {
        self.0.iter().any(|one| one.upstream(repo).is_some())
    }

    /// Whether a remote has removed any; `None` if it cannot be asked.
    pub(super) fn is_gone(&self, repo: &Repo) -> Option<bool> {
        let mut is_gone = false;
        for upstream in self.0.iter().filter_map(|one| one.upstream(repo)) {
            is_gone |= repo.ask_remote(&upstream).ok()?.is_none();
        }
        Some(is_gone)
    }

    /// Goes on where the run stopped: removes here what a remote has removed. Returns a branch that is gone, if there is one.
    pub(super) fn settle(
        &self,
        repo: &Repo,
        alive: Option<&Flock>,
        is_gone: bool,
    ) -> Result<(Option<String>, End)> {
        let (mut gone, mut kept) = (Vec::new(), None);
        for one in &self.0 {
            // It may have moved since, or be in use.
            if let (Some(tip), true, Some(alive)) = (repo.value(&one.name)?, is_gone, alive) {
                let is_in_use =
                    repo.check_head(&one.name, true).is_ok() || repo.occupied_elsewhere(&one.name)?.is_some();
                if is_in_use || tip.to_string() != one.tip {
                    kept = Some(one.name.clone());
                } else {
                    let who = repo.identities(&Given::default())?.committer;
                    repo.delete_branches(&[(one.name.clone(), tip)], &who, alive)?;
                }
            }
            if repo.value(&one.name)?.is_none() {
                gone.push(one.name.as_str());
            }
        }
        repo.forget_branches(gone.iter().map(|name| short(name)))?;
        let first = gone.first().map(|name| (*name).to_owned());
        Ok(match (kept, first) {
            (Some(kept), _) => (Some(kept), End::LeftAlone),
            (None, Some(first)) => (Some(first), End::Dropped),
            (None, None) => (None, End::Discarded),
        })
    }
}

fn short(name: &str) -> &str {
    name.strip_prefix("refs/heads/").unwrap_or(name)
}
