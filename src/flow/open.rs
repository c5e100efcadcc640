//! Lists open suggestions: those with commits that HEAD lacks.
//!
//! A branch is a suggestion if a recorded landing created it and it still contains that landing. More commits on top
//! do not matter.

use super::driver::warn_of_pending;
use super::history::records;
use super::{Error, Watch, build_report};
use crate::report::record::{Record, RecordKind};
use crate::report::{Onto, OpenReport, Report, Status};
use crate::transaction::{self, Replayed};
use crate::vcs::Oid;
use crate::vcs::repo::Repo;
use std::collections::BTreeSet;

/// Reports the open suggestions, the newest first, each with the number of commits that HEAD got since and whether
/// the suggestion still applies.
///
/// # Errors
/// The repository cannot be read.
pub fn open(repo: &Repo, watch: &dyn Watch) -> Result<Report, Error> {
    warn_of_pending(repo, watch)?;
    let head = repo.tip("HEAD")?;
    let mut report = Report::new(Status::Shown);
    for (branch, tip, record) in suggestions(repo, watch)? {
        let commits = repo.commits_beyond(tip, head)?;
        if commits.is_empty() {
            continue;
        }
        let moved = head.map_or(Ok(0), |head| repo.commits_beyond(head, [tip]).map(|lacked| lacked.len()))?;
        let (onto, conflicts) = applies_to_head(repo, head, moved, &commits)?;
        report.open.push(OpenReport {
            onto,
            conflicts,
            subject: repo.read_commit(tip)?.subject(),
            tip: build_report::commit_name(tip),
            commits: commits.len(),
            moved,
            landing: record.id,
            branch,
        });
    }
    Ok(report)
}

/// Returns whether the commits apply to HEAD, and the files that conflict.
fn applies_to_head(
    repo: &Repo,
    head: Option<Oid>,
    moved: usize,
    commits: &[Oid],
) -> Result<(Onto, Vec<String>), Error> {
    let Some(head) = head.filter(|_| moved > 0) else { return Ok((Onto::AsItIs, Vec::new())) };
    let mut replayed = Vec::new();
    for commit in commits {
        if !repo.read_commit(*commit)?.is_merge() {
            replayed.push(Replayed::again(*commit));
        }
    }
    let carried = transaction::replay(repo, head, &replayed, None)?;
    let clashing: BTreeSet<String> = carried.clashes.into_iter().map(|clash| clash.path).collect();
    let onto = match clashing.is_empty() {
        false => Onto::Conflicts,
        true if carried.series.iter().all(|planned| planned.changes.is_empty()) => Onto::InAlready,
        true => Onto::Merges,
    };
    Ok((onto, clashing.into_iter().collect()))
}

/// Returns the branches that are suggestions, with their tips and records, the newest first.
pub(super) fn suggestions(repo: &Repo, watch: &dyn Watch) -> Result<Vec<(String, Oid, Record)>, Error> {
    let mut all = Vec::new();
    let mut seen = BTreeSet::new();
    for (record, _) in records(repo, watch)? {
        let has_made_branch = record.kind == RecordKind::Landed && record.old.is_none();
        let Some(branch) = record.reference.strip_prefix("refs/heads/").map(str::to_owned) else { continue };
        if has_made_branch
            && seen.insert(branch.clone())
            && let Some(tip) = repo.tip(&record.reference)?
            && repo.contains(tip, repo.id(&record.new)?)?
        {
            all.push((branch, tip, record));
        }
    }
    Ok(all)
}
