//! Removes the record of a landing for good: every chain that has the record is rewritten without it, the chains'
//! references move to the rewritten chains, and their reflogs are removed.
//!
//! The move of the references is the commit point. A note in the transaction directory lets recovery remove the
//! reflogs if the run is killed after it.

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

/// Removes a record from all chains. The later records of each chain are rewritten.
///
/// # Errors
/// The lock is held, or a chain cannot be read or written: nothing has changed. Or the record is gone but a reflog
/// cannot be removed: recovery does that.
pub fn forget(repo: &Repo, record: &Link, timeout: Duration) -> Result<()> {
    let transaction_dir = TransactionDir::open(repo, timeout)?;
    let _held = interrupt::hold();
    let _lock = lock(repo, timeout)?;
    let early = Early::begin(repo, &transaction_dir)?;
    let quarantine = Quarantine::enter(repo, &transaction_dir.id)?;
    let id = Record::parse(&record.message).map(|record| record.id).unwrap_or_default();
    let movements = without(repo, record, &id)?;
    early.release(&quarantine)?;
    let was: Vec<_> = movements.iter().map(|one| (&one.name, &one.old)).collect();
    transaction_dir.note(repo, TransactionDir::FORGOTTEN, &(&was, &id))?;
    let all: Vec<_> = movements.iter().collect();
    let moved = point(Fault::ForgetNoted).and_then(|()| repo.update_refs(&all, &transaction_dir.alive));
    // Recovery must not finish a move that failed.
    moved.inspect_err(|_| transaction_dir.forget(TransactionDir::FORGOTTEN))?;
    interrupt::land();
    early.keep();
    let close = || {
        point(Fault::RecordForgotten)?;
        repo.forget_undone(&id)?;
        movements.iter().try_for_each(|one| repo.expire_reflog(&one.name))
    };
    close().or_else(|_| close())?;
    transaction_dir.forget(TransactionDir::FORGOTTEN);
    Ok(())
}

/// Writes each chain that has the record again without it, and returns the moves of the chains' references.
fn without(repo: &Repo, record: &Link, id: &str) -> Result<Vec<Movement>> {
    let who = repo.identities(&Given::default())?.committer;
    let mut movements = Vec::new();
    for (name, tip) in repo.chains()? {
        let mut later = Vec::new();
        let mut found = None;
        for link in repo.chain(tip, name == HISTORY) {
            // Compares messages, because the same record has another commit id in a rewritten chain.
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
            let mut lists = Vec::new();
            for digest in &digests {
                lists.push((digest.clone(), listings::without_landing(repo, link.tree, digest, id)?));
            }
            let tree = repo.replace_lists(link.tree, repo.write_listed(Some(link.tree), lists)?)?;
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

/// Removes the reflogs that a killed run left after it moved the references. Returns whether it had moved any.
pub(super) fn settle(repo: &Repo, transaction_dir: &Path) -> Result<bool> {
    let noted = TransactionDir::noted(transaction_dir, TransactionDir::FORGOTTEN)?;
    let (was, id): (Vec<(String, Option<String>)>, String) = noted.unwrap_or_default();
    let mut moved = false;
    for (name, tip) in repo.chains()? {
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
