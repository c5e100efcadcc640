//! Taking the record of a landing out of the chain for good: the reference moves to a chain without it, and no reflog
//! leads to the one with it.
//!
//! The move of the reference is the commit point. A note in the transaction's room has the rest done by the recovery,
//! should this process be killed in between.

use super::early::Early;
use super::room::Room;
use super::{Result, interrupt, lock};
use crate::vcs::chain::HISTORY;
use crate::vcs::durability::{self, Durability};
use crate::vcs::fault::{Fault, point};
use crate::vcs::ident::Given;
use crate::vcs::quarantine::Quarantine;
use crate::vcs::refs::Movement;
use crate::vcs::repo::Repo;
use crate::vcs::{self, Oid, places};
use std::path::Path;
use std::time::Duration;

/// Takes a record out of the chain: those after it are written anew, and nothing refers to it any more.
///
/// # Errors
/// The lock is not to be had, or the chain cannot be read or written, and it is as it was then; or its reflog cannot be
/// removed, which is left to the recovery.
pub fn forget(repo: &Repo, record: Oid, timeout: Duration) -> Result<()> {
    let room = Room::open(repo, timeout)?;
    let _held = interrupt::hold();
    let _lock = lock(repo, timeout)?;
    let early = Early::begin(repo, &room)?;
    let quarantine = Quarantine::enter(repo, &room.id)?;
    let movement = without(repo, record)?;
    early.release(&quarantine)?;
    let note = room.file(Room::FORGOTTEN);
    durability::write(
        &note,
        movement.old.as_deref().unwrap_or_default().as_bytes(),
        Durability::of(repo)?.any(),
    )?;
    point(Fault::ForgetNoted).and_then(|()| repo.update_refs(&[&movement], &room.alive)).inspect_err(
        |_| {
            // What is not to be gone on with is not noted.
            let _ = std::fs::remove_file(&note);
        },
    )?;
    early.stay();
    let close = || point(Fault::RecordForgotten).and_then(|()| repo.expire_reflog(HISTORY));
    close().or_else(|_| close())?;
    Ok(std::fs::remove_file(&note).map_err(|e| vcs::Error::io("remove", &note, e))?)
}

/// Writes the chain without a record, and gives how the reference is to move.
fn without(repo: &Repo, record: Oid) -> Result<Movement> {
    let mut later = Vec::new();
    let mut before = None;
    for link in repo.history()? {
        let link = link?;
        if link.id == record {
            before = Some(link.before);
            break;
        }
        later.push(link.id);
    }
    let Some(mut last) = before else { return Err(vcs::Error::Moved { name: HISTORY.to_owned() }.into()) };
    let old = later.first().copied().unwrap_or(record);
    for &link in later.iter().rev() {
        last = repo.rewrite_record(link, last)?;
    }
    Ok(Movement {
        name: HISTORY.to_owned(),
        old: Some(old.to_string()),
        new: last.to_string(),
        is_head: false,
        who: repo.identities(&Given::default())?.committer,
        message: "llm-apply: forget".to_owned(),
    })
}

/// Goes on where a killed process stopped; says whether it came so far that the record is gone.
pub(super) fn settle(repo: &Repo, room: &Path) -> Result<bool> {
    let old = match places::read(&room.join(Room::FORGOTTEN), places::SMALL) {
        Err(e) if e.is_missing() => return Ok(false),
        old => old?,
    };
    let now = repo.value(HISTORY)?.map(|id| id.to_string());
    // One that is not whole was written before the reference moved.
    let is_whole = now.as_ref().is_some_and(|now| now.len() == old.len());
    if !is_whole || now.is_some_and(|now| now.as_bytes() == old) {
        return Ok(false);
    }
    repo.expire_reflog(HISTORY)?;
    Ok(true)
}
