//! Taking the record of a landing out of all chains for good: their references move to chains without it, and no reflog
//! leads to those with it.
//!
//! The move of the references is the commit point. A note in the transaction's transaction directory has the rest done by the recovery,
//! should this process be killed in between.

use super::early::Early;
use super::transaction_dir::TransactionDir;
use super::{Result, interrupt, listings, lock};
use crate::report::record::Record;
use crate::vcs;
use crate::vcs::chain::{HISTORY, Link};
use crate::vcs::fault::{Fault, point};
use crate::vcs::ident::Given;
use crate::vcs::quarantine::Quarantine;
use crate::vcs::refs::Movement;
use crate::vcs::repo::Repo;
use std::path::Path;
use std::time::Duration;

/// Takes a record out of all chains: those after it are written anew, and nothing refers to it any more.
///
/// # Errors
/// The lock is not to be had, or the chain cannot be read or written, and it is as it was then; or its reflog cannot be
/// removed, which is left to the recovery.
pub fn forget(repo: &Repo, record: &Link, timeout: Duration) -> Result<()> {
    let transaction_dir = TransactionDir::open(repo, timeout)?;
    let _held = interrupt::hold();
    let _lock = lock(repo, timeout)?;
    let early = Early::begin(repo, &transaction_dir)?;
    let quarantine = Quarantine::enter(repo, &transaction_dir.id)?;
    let movements = without(repo, record)?;
    early.release(&quarantine)?;
    let was: Vec<_> = movements.iter().map(|one| (&one.name, &one.old)).collect();
    let id = Record::parse(&record.message).map(|record| record.id).unwrap_or_default();
    transaction_dir.note(repo, TransactionDir::FORGOTTEN, &(&was, &id))?;
    let all: Vec<_> = movements.iter().collect();
    let moved = point(Fault::ForgetNoted).and_then(|()| repo.update_refs(&all, &transaction_dir.alive));
    // What is not to be gone on with is not noted.
    moved.inspect_err(|_| transaction_dir.forget(TransactionDir::FORGOTTEN))?;
    interrupt::land();
    early.stay();
    let close = || {
        point(Fault::RecordForgotten)?;
        repo.forget_undone(&id)?;
        movements.iter().try_for_each(|one| repo.expire_reflog(&one.name))
    };
    close().or_else(|_| close())?;
    transaction_dir.forget(TransactionDir::FORGOTTEN);
    Ok(())
}

/// Writes every chain that has a record without it, and gives how their references are to move.
fn without(repo: &Repo, record: &Link) -> Result<Vec<Movement>> {
    let who = repo.identities(&Given::default())?.committer;
    let id = Record::parse(&record.message).map(|record| record.id).unwrap_or_default();
    let mut movements = Vec::new();
    for (name, tip) in repo.chains()? {
        let mut later = Vec::new();
        let mut found = None;
        for link in repo.chain(tip, name == HISTORY) {
            // By what it says: in a chain that was written anew it has another name.
            if link.message == record.message {
                found = Some(link);
                break;
            }
            later.push(link);
        }
        let Some(found) = found else { continue };
        let mut last = found.before;
        let digests = repo.digests_between(repo.tree_of(last)?, found.tree)?;
        for link in later.iter().rev() {
            let listed = listings::without(repo, link.tree, &digests, &id)?;
            let tree = repo.relist(link.tree, repo.write_listed(Some(link.tree), listed)?)?;
            last = repo.rewrite_record(link.id, tree, last)?;
        }
        movements.push(Movement {
            name,
            old: Some(tip.to_string()),
            new: last.to_string(),
            is_head: false,
            who: who.clone(),
            message: "llm-apply: forget".to_owned(),
        });
    }
    match movements.is_empty() {
        true => Err(vcs::Error::Moved { name: HISTORY.to_owned() }.into()),
        false => Ok(movements),
    }
}

/// Goes on where a killed process stopped; says whether it came so far that the record is gone.
pub(super) fn settle(repo: &Repo, transaction_dir: &Path) -> Result<bool> {
    let noted = TransactionDir::noted(transaction_dir, TransactionDir::FORGOTTEN)?;
    let (was, id): (Vec<(String, Option<String>)>, String) = noted.unwrap_or_default();
    let chains = repo.chains()?;
    let mut moved = false;
    for (name, tip) in chains {
        if was.iter().any(|(known, old)| *known == name && *old != Some(tip.to_string())) {
            repo.expire_reflog(&name)?;
            moved = true;
        }
    }
    if moved && Record::may_be_id(&id) {
        repo.forget_undone(&id)?;
    }
    Ok(moved)
}
