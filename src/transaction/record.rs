//! The record of a landing: a commit with the responses, the report, and the edits of each landed commit. The records
//! form a chain, which keeps all of this reachable.
//!
//! A record's files are written while the landing is prepared. Its commit needs the previous record as its parent, so
//! it is made later, under the repository's lock. If git moves the branch, it moves the record's reference in the
//! same step. Otherwise the record's reference moves right after the branch, and the journal has both moves.

use super::journal::Journal;
use super::transaction_dir::TransactionDir;
use super::{Error, Made, Result, Target, Transaction, Watch, listings};
use crate::report;
use crate::report::record::{LandedCommit, LandedEdit, LandedEdits, Record, RecordKind};
use crate::response::Response;
use crate::vcs::chain::{HISTORY, History, Link, UNDONE};
use crate::vcs::fault::{Fault, point};
use crate::vcs::ident::{Given, Identities};
use crate::vcs::lock::Patience;
use crate::vcs::refs::{Movement, RefLock, is_reference_name};
use crate::vcs::repo::Repo;
use crate::vcs::{self, Oid};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

/// The file in a record's tree with the report.
const REPORT_FILE: &str = "report.json";

/// The prefix of the files with the responses. Their numbers follow, from 1.
const RESPONSE_PREFIX: &str = "response-";

/// What to record about a landing besides its report.
#[derive(Debug, Clone)]
pub struct Recording<'a> {
    /// The landing's id.
    pub id: String,
    /// The landing's kind.
    pub kind: RecordKind,
    /// The id of the landing that it undoes or redoes.
    pub of: Option<String>,
    /// The responses.
    pub responses: &'a [Response],
    /// More commits to keep reachable.
    pub also: Vec<Oid>,
    /// The digest of the idempotency key, and the id of the last landing with that key. If there is a newer one by
    /// the time of the landing, nothing lands.
    pub key: Option<(String, Option<String>)>,
    /// For each response, by its digest: its edits with their numbers.
    pub edits: Vec<(String, Vec<(usize, LandedEdit)>)>,
}

impl Recording<'_> {
    /// A recording with only an id and a kind.
    pub fn new(id: String, kind: RecordKind) -> Self {
        Self { id, kind, of: None, responses: &[], also: Vec::new(), key: None, edits: Vec::new() }
    }

    /// Returns an id for a landing on this target. `what` says what lands. Later landings get other ids, because the
    /// branch or the chain of records has moved.
    ///
    /// # Errors
    /// The repository cannot be read.
    pub fn id_for(repo: &Repo, target: &Target, what: &[&str]) -> Result<String> {
        let last = |id: Option<Oid>| id.map_or_else(String::new, |id| id.to_string());
        let (start, history) = (last(target.start), last(repo.value(HISTORY)?));
        Ok(Record::id_of(&repo.checksum_of(&[&[target.name.as_str(), &start, &history], what].concat())))
    }
}

/// The content of a record before its parent is known. It is also in the note of a push.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RecordContent {
    #[serde(rename = "message", serialize_with = "to_message", deserialize_with = "of_message")]
    record: Record,
    /// The names and blob ids of the files.
    files: Vec<(String, String)>,
    also: Vec<String>,
    /// The entries to add to the lists of landings, by the digests of the responses.
    #[serde(default)]
    landed: Vec<(String, LandedEdits)>,
    #[serde(skip)]
    key: Option<(String, Option<String>)>,
}

fn to_message<S: Serializer>(record: &Record, to: S) -> std::result::Result<S::Ok, S::Error> {
    to.serialize_str(&record.message())
}

fn of_message<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Record, D::Error> {
    let message = String::deserialize(from)?;
    Record::parse(&message).ok_or_else(|| serde::de::Error::custom("it is no record"))
}

impl Transaction<'_> {
    /// Writes the files of the record, if there is to be one.
    pub(super) fn record_content(&self, made: &Made) -> Result<Option<RecordContent>> {
        let (Some(recording), Some(new)) = (&self.context.recording, made.tip()) else {
            return Ok(None);
        };
        let mut report = (self.report)(made, true, false).without_directories();
        // The record needs no diffs, because the commits have them.
        report.edits.iter_mut().for_each(|edit| edit.diff = None);
        let report = self.repo.put_blob(report::json(&report).unwrap_or_default().as_bytes())?;
        let mut files = vec![(REPORT_FILE.to_owned(), report.to_string())];
        let kept = if self.options.keep_response { recording.responses } else { &[] };
        for (number, response) in (1..).zip(kept) {
            files.push((format!("{RESPONSE_PREFIX}{number}"), self.repo.put_response(response)?.to_string()));
        }
        // The first commits have no edits if they are the commits that the landing was rebased onto.
        let onto = made.commits.iter().take_while(|one| one.edits.is_empty());
        let onto = onto.filter_map(|one| one.id).last();
        let onto = onto.filter(|onto| *onto != new);
        let commits = made.commits.iter().filter(|one| !one.edits.is_empty());
        let record = Record {
            id: recording.id.clone(),
            kind: recording.kind,
            of: recording.of.clone(),
            reference: self.target.name.clone(),
            old: self.target.tip.map(|id| id.to_string()),
            start: onto.or(self.target.start.filter(|_| self.target.tip.is_none())).map(|id| id.to_string()),
            new: new.to_string(),
            commits: commits.filter_map(|one| Some((one.id?.to_string(), one.edits.clone()))).collect(),
            responses: recording.responses.iter().map(|one| one.file_name().to_owned()).collect(),
        };
        let listed = |(digest, edits): &(String, Vec<(usize, LandedEdit)>)| {
            let commit = |(id, numbers): &(String, Vec<usize>)| {
                let edits = edits.iter().filter(|(number, _)| numbers.contains(number));
                LandedCommit { id: id.clone(), edits: edits.map(|(_, edit)| edit.clone()).collect() }
            };
            let (id, reference) = (record.id.clone(), record.reference.clone());
            let commits = record.commits.iter().map(commit).collect();
            (digest.clone(), LandedEdits { id, time: (0, 0), reference, commits })
        };
        let mut landed: Vec<_> = recording.edits.iter().map(listed).collect();
        landed.retain(|(_, landed)| landed.commits.iter().any(|commit| !commit.edits.is_empty()));
        let also = recording.also.iter().map(Oid::to_string).collect();
        let key = recording.key.clone();
        Ok(Some(RecordContent { files, also, landed, key, record }))
    }
}

impl RecordContent {
    /// Whether the repository has all files of the record and all commits that it keeps.
    pub(super) fn has_objects(&self, repo: &Repo) -> bool {
        let has = |id: &String| repo.id(id).and_then(|id| repo.has(id)).unwrap_or(false);
        self.files.iter().map(|(_, file)| file).chain(&self.also).chain([&self.record.new]).all(has)
    }

    /// Writes the record's commit, and returns the moves of references that add it to the chain. The caller holds the
    /// repository's lock.
    pub(super) fn write(
        &self,
        repo: &Repo,
        who: &Identities,
        watch: &dyn Watch,
        new: Oid,
    ) -> Result<Vec<Movement>> {
        if let Some((key, last)) = &self.key
            && listings::read(repo, key)?.first().map(|one| &one.id) != last.as_ref()
        {
            // Another run landed with the same key meanwhile.
            return Err(vcs::Error::Moved { name: self.record.reference.clone() }.into());
        }
        let (held, before) = (repo.value(HISTORY)?, repo.own_chain()?);
        if let (Some(held), None) = (held, before) {
            watch.warn(&format!(
                "{HISTORY} was {held}, which is not a record of a landing: the records start again"
            ));
        }
        let also = self.also.iter().map(|id| repo.id(id));
        let keep: Vec<Oid> = std::iter::once(Ok(new)).chain(also).collect::<vcs::Result<_>>()?;
        let known = before.map(|before| repo.tree_of(before)).transpose()?;
        let time = who.time();
        let mut lists = Vec::new();
        for (digest, one) in &self.landed {
            let new = LandedEdits { time, ..one.clone() };
            lists.push((digest.clone(), listings::with_landing(repo, known, digest, new)?));
        }
        let listed = repo.write_listed(known, lists)?;
        let files = self.files.iter().map(|(name, id)| Ok((name.clone(), repo.id(id)?)));
        let tree = repo.write_files(files.collect::<vcs::Result<_>>()?, listed)?;
        let id = repo.write_record(before, tree, &self.record.message(), &keep, who)?;
        let movement = |name: String, old: Option<String>, new: String| Movement {
            name,
            old,
            new,
            is_head: false,
            who: who.committer.clone(),
            message: format!("llm-apply: {}", self.record.id),
        };
        let mut all = vec![movement(HISTORY.to_owned(), held.map(|id| id.to_string()), id.to_string())];
        if let (RecordKind::Undone, [], Some(old)) =
            (self.record.kind, &*self.record.commits, &self.record.old)
        {
            all.push(movement(format!("{UNDONE}{}", self.record.id), None, old.clone()));
        }
        Ok(all)
    }

    /// Adds the record of a landing whose run was killed, unless the chain has it.
    ///
    /// # Errors
    /// The records cannot be read or written, or another run holds the repository's lock.
    pub(super) fn add_missing(&self, repo: &Repo, new: Oid, timeout: Duration) -> Result<()> {
        let transaction_dir = TransactionDir::open(repo, timeout)?;
        let _lock = super::lock(repo, timeout)?;
        if records(repo)?.0.iter().any(|(record, link)| link.own && record.id == self.record.id) {
            return Ok(());
        }
        let movements = self.write(repo, &repo.identities(&Given::default())?, &(), new)?;
        Ok(repo.update_refs(&movements.iter().collect::<Vec<_>>(), &transaction_dir.alive)?)
    }
}

/// After the branch has moved, moves the record's references unless they have moved already, and releases their
/// locks. It can be run again.
pub(super) fn finish(
    repo: &Repo,
    transaction_dir: &Path,
    journal: &Journal,
    lock: &RefLock,
) -> vcs::Result<()> {
    for movement in &journal.records {
        let is_to_move = repo.value(&movement.name)?.map(|id| id.to_string()) == movement.old;
        // In a recovery the lock may be gone and the record pruned.
        if is_to_move && !repo.has_references_by_git() && repo.has(repo.id(&movement.new)?)? {
            let aside = transaction_dir.join("record");
            let mut own = RefLock::default();
            if !lock.is_held() {
                // The user removed the lock, or git was killed.
                let patience = Patience::for_reference(repo.config())?;
                own.take(repo, movement, &transaction_dir.join(super::journal::TOKEN), patience)?;
            }
            let lock = if lock.is_held() { lock } else { &own };
            lock.commit(repo, movement, &aside)?;
            point(Fault::RecordMoved)?;
            own.release()?;
        }
    }
    if journal.records.is_empty() {
        return Ok(());
    }
    lock.release()?;
    point(Fault::RecordUnlocked)
}

/// Returns the records of all chains, the newest first, and the number of malformed records, which are left out.
///
/// # Errors
/// The references cannot be read.
pub fn records(repo: &Repo) -> Result<(Vec<(Record, Link)>, usize)> {
    let mut all = Vec::new();
    let History { links, mut odd } = repo.history().map_err(Error::from)?;
    for link in links {
        match Record::parse(&link.message).filter(|record| is_plausible(repo, record)) {
            Some(record) => all.push((record, link)),
            None => odd += 1,
        }
    }
    // Two chains may have the same record if one of them was rewritten. Each record is listed once, preferably from
    // the chain of this repository.
    let key = |record: &Record| (record.id.clone(), record.new.clone());
    let mut seen: HashSet<_> =
        all.iter().filter(|(_, link)| link.own).map(|(record, _)| key(record)).collect();
    all.retain(|(record, link)| link.own || seen.insert(key(record)));
    Ok((all, odd))
}

/// Whether the reference and the ids in a record have a valid form. Anybody may have written a fetched record.
fn is_plausible(repo: &Repo, record: &Record) -> bool {
    let objects = [record.old.as_ref(), record.start.as_ref(), Some(&record.new)];
    let commits = record.commits.iter().map(|(commit, _)| commit);
    (record.reference == "HEAD" || is_reference_name(&record.reference))
        && objects.into_iter().flatten().chain(commits).all(|id| repo.id(id).is_ok())
}

/// Returns the report of a landing as JSON, and the responses. Either may be missing in the record.
///
/// # Errors
/// The record's files cannot be read.
pub fn contents(repo: &Repo, link: &Link) -> Result<(Option<String>, Vec<Vec<u8>>)> {
    let report = repo.file_of(link.tree, REPORT_FILE)?;
    let mut responses = Vec::new();
    while let Some(response) =
        repo.file_of(link.tree, &format!("{RESPONSE_PREFIX}{}", responses.len() + 1))?
    {
        responses.push(response);
    }
    Ok((report.and_then(|report| String::from_utf8(report).ok()), responses))
}
