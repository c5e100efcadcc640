//! The record of a landing: the responses, the report, and which commits hold which edits, in a commit of a chain that
//! keeps all of it reachable.
//!
//! What it holds is written while the landing is prepared. The commit, which names the record before, is made under the
//! repository's lock, and its reference moves with the branch: both at once where git moves them, else right after it,
//! from the same journal.

use super::journal::Journal;
use super::{Error, Made, Prepared, Result, Room, Target, Transaction, interrupt};
use crate::report::record::{Record, RecordKind};
use crate::response::Response;
use crate::vcs::chain::{HISTORY, Link};
use crate::vcs::fault::{Fault, point};
use crate::vcs::ident::Given;
use crate::vcs::lock::Patience;
use crate::vcs::quarantine::Quarantine;
use crate::vcs::refs::{Movement, RefLock};
use crate::vcs::repo::Repo;
use crate::vcs::{self, Oid};
use std::path::Path;
use std::time::Duration;

/// The file of a record that has the report.
const REPORT: &str = "report.json";

/// What the files of the responses begin with; their numbers follow, from 1.
const RESPONSE: &str = "response-";

/// What is to be kept of a landing.
pub struct Recording<'a> {
    /// Its id.
    pub id: String,
    /// What it is.
    pub kind: RecordKind,
    /// The landing that it takes back or puts back.
    pub of: Option<String>,
    /// What was answered.
    pub responses: &'a [Response],
    /// The report of it, as JSON.
    pub report: &'a dyn Fn(&Made) -> String,
    /// Commits to be kept beside those that land.
    pub also: Vec<Oid>,
}

impl Recording<'_> {
    /// An id for something that is to happen to that target now: another one for everything that happens to it later.
    ///
    /// # Errors
    /// The repository cannot be read.
    pub fn id_for(repo: &Repo, target: &Target, what: &[&str]) -> Result<String> {
        let last = |id: Option<Oid>| id.map_or_else(String::new, |id| id.to_string());
        let (start, history) = (last(target.start), last(repo.value(HISTORY)?));
        Ok(Record::id_of(&repo.checksum_of(&[&[target.name.as_str(), &start, &history], what].concat())))
    }
}

/// What a record holds, before it is known which one it follows.
pub(super) struct Kept {
    record: Record,
    tree: Oid,
    also: Vec<Oid>,
}

impl Transaction<'_> {
    /// Writes the responses for the record, if there is to be one. They may be long, and are compressed while the commits
    /// are made.
    pub(super) fn keep_responses(&self) -> Result<Vec<Oid>> {
        let responses = self.options.record.iter().flat_map(|recording| recording.responses);
        Ok(responses.map(|one| self.repo.put_shared(one.shared_text())).collect::<vcs::Result<_>>()?)
    }

    /// Writes what the record is to hold beside them.
    pub(super) fn keep(
        &self,
        made: &Made,
        edits: &[Vec<usize>],
        new: Oid,
        responses: &[Oid],
    ) -> Result<Option<Kept>> {
        let Some(recording) = &self.options.record else { return Ok(None) };
        let report = self.repo.put_shared(&(recording.report)(made).into())?;
        let responses = (1..).zip(responses).map(|(number, id)| (format!("{RESPONSE}{number}"), *id));
        let tree = self.repo.write_files(responses.chain([(REPORT.to_owned(), report)]).collect())?;
        // Those that what lands is brought onto have none.
        let commits = made.commits.iter().zip(edits).filter(|(_, edits)| !edits.is_empty());
        let record = Record {
            id: recording.id.clone(),
            kind: recording.kind,
            of: recording.of.clone(),
            reference: self.target.name.clone(),
            old: self.target.tip.map(|id| id.to_string()),
            start: self.target.start.filter(|_| self.target.tip.is_none()).map(|id| id.to_string()),
            new: new.to_string(),
            commits: commits
                // Where the branch went back it made none.
                .filter(|(_, edits)| recording.kind == RecordKind::Landed || !edits.is_empty())
                .filter_map(|(id, edits)| Some(((*id)?.to_string(), edits.clone())))
                .collect(),
            responses: recording.responses.iter().map(|one| one.file_name().to_owned()).collect(),
        };
        Ok(Some(Kept { record, tree, also: recording.also.clone() }))
    }
}

impl Kept {
    /// Writes the record behind the present last one, and gives how the reference is to move. To be done under the
    /// repository's lock.
    pub(super) fn follow(&self, repo: &Repo, prepared: &Prepared<'_>, new: Oid) -> Result<Movement> {
        let before = repo.tip(HISTORY)?;
        let keep: Vec<Oid> = std::iter::once(new).chain(self.also.iter().copied()).collect();
        let id = repo.write_record(before, self.tree, &self.record.message(), &keep, &prepared.who)?;
        Ok(Movement {
            name: HISTORY.to_owned(),
            old: before.map(|id| id.to_string()),
            new: id.to_string(),
            is_head: false,
            who: prepared.who.committer.clone(),
            message: format!("llm-apply: {}", self.record.id),
        })
    }
}

/// Moves the reference of the records after the branch, unless it is moved already, and lets go of its lock. Can be run
/// again.
pub(super) fn finish(repo: &Repo, room: &Path, journal: &Journal, lock: &RefLock) -> vcs::Result<()> {
    let Some(movement) = &journal.record else { return Ok(()) };
    let is_to_move = repo.value(HISTORY)?.map(|id| id.to_string()) == movement.old;
    // Without any lock git may have pruned what nothing referred to.
    if is_to_move && !repo.has_references_by_git() && repo.has_named(&movement.new)? {
        let aside = room.join("record");
        let mut own = RefLock::default();
        if !lock.is_held() {
            // Somebody has removed it, or a git was killed in the middle.
            let patience = Patience::for_reference(repo.config(), super::interrupt::seen)?;
            own.take(repo, movement, &room.join(super::journal::TOKEN), patience)?;
        }
        let lock = if lock.is_held() { lock } else { &own };
        lock.commit(repo, movement, &aside)?;
        point(Fault::RecordMoved)?;
        own.release()?;
    }
    lock.release()?;
    point(Fault::RecordUnlocked)
}

/// The records, the newest first. What is no record is passed over.
///
/// # Errors
/// They cannot be read.
pub fn records(repo: &Repo) -> Result<Vec<(Record, Link)>> {
    let mut all = Vec::new();
    for link in repo.history().map_err(Error::from)? {
        let link = link?;
        if let Some(record) = Record::parse(&link.message) {
            all.push((record, link));
        }
    }
    Ok(all)
}

/// Takes a record out of the chain: those after it are written anew, and nothing refers to it any more.
///
/// # Errors
/// The lock is not to be had, or the chain cannot be read or written; it is as it was then.
pub fn forget(repo: &Repo, record: Oid, timeout: Duration) -> Result<()> {
    let room = Room::open(repo, timeout)?;
    let quarantine = Quarantine::enter(repo, &room.id)?;
    let _held = interrupt::hold();
    let _lock = super::lock(repo, timeout)?;
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
    let who = repo.identities(&Given::default())?.committer;
    let movement = Movement {
        name: HISTORY.to_owned(),
        old: Some(old.to_string()),
        new: last.to_string(),
        is_head: false,
        who,
        message: "llm-apply: forget".to_owned(),
    };
    let objects = quarantine.seal(repo)?;
    quarantine.release(repo, &objects)?;
    let moved = repo.update_refs(&[&movement], &room.alive);
    Quarantine::let_go(repo.objects_dir(), &objects)?;
    if moved.is_err() {
        Quarantine::retract(repo.objects_dir(), &objects)?;
    }
    moved?;
    Ok(repo.expire_reflog(HISTORY)?)
}

/// The report of a landing, as JSON, and the responses; what is not there is left out.
///
/// # Errors
/// They cannot be read.
pub fn contents(repo: &Repo, link: &Link) -> Result<(Option<String>, Vec<Vec<u8>>)> {
    let report = repo.file_of(link.tree, REPORT)?;
    let mut responses = Vec::new();
    while let Some(response) = repo.file_of(link.tree, &format!("{RESPONSE}{}", responses.len() + 1))? {
        responses.push(response);
    }
    Ok((report.and_then(|report| String::from_utf8(report).ok()), responses))
}
