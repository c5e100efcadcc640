//! The records of landings: lists them, shows one, and forgets one.

use super::driver::{recover, warn_of_pending};
use super::{Error, Watch};
use crate::report::record::{Record, RecordKind};
use crate::report::{self, AttemptReport, LandingReport, Report, Status};
use crate::response::file_name;
use crate::transaction::{self, Attempt};
use crate::vcs::chain::Link;
use crate::vcs::refs::short_name;
use crate::vcs::repo::Repo;
use std::collections::HashSet;
use std::time::Duration;

/// Lists the recorded landings, the newest first, and the refused attempts that are kept.
///
/// # Errors
/// The records cannot be read.
pub fn list(repo: &Repo, watch: &dyn Watch) -> Result<Report, Error> {
    warn_of_pending(repo, watch)?;
    let mut report = Report::new(Status::Shown);
    let records = records(repo, watch)?;
    report.landings = records.into_iter().map(|recorded| report_of(repo, recorded)).collect();
    let kept = Attempt::kept(repo).into_iter().map(|one| AttemptReport {
        id: one.id,
        time: (i64::try_from(one.made).unwrap_or_default(), 0),
        branch: one.target.map_or_else(String::new, |target| short_name(&target).to_owned()),
        responses: one.responses.iter().map(|name| file_name(name).to_owned()).collect(),
        paths: one.paths,
        failed: one.failed.unwrap_or_default(),
    });
    report.attempts = kept.collect();
    Ok(report)
}

/// Returns the records, the newest first. Warns about malformed ones.
///
/// # Errors
/// The records cannot be read.
pub(super) fn records(repo: &Repo, watch: &dyn Watch) -> Result<Vec<(Record, Link)>, Error> {
    let (records, odd) = transaction::records(repo)?;
    if odd > 0 {
        let records = crate::diag::counted(odd, "malformed record");
        watch.warn(&format!("ignored {records} below refs/llm-apply/"));
    }
    Ok(records)
}

/// Shows everything that is recorded about one landing. `name` is an id or a commit; without it, the newest landing
/// is shown.
///
/// # Errors
/// No landing or more than one has that name, or it cannot be read.
pub fn show(repo: &Repo, name: Option<&str>, watch: &dyn Watch) -> Result<Report, Error> {
    warn_of_pending(repo, watch)?;
    recorded(repo, name, watch)
}

/// Returns the recorded report of a landing, with the responses.
pub(super) fn recorded(repo: &Repo, name: Option<&str>, watch: &dyn Watch) -> Result<Report, Error> {
    let (record, link) = find(repo, name, records(repo, watch)?)?;
    let (json, texts) = transaction::contents(repo, &link)?;
    let mut report = report::recorded(json.as_deref().unwrap_or_default());
    report.responses.clone_from(&record.responses);
    let texts = texts.iter().map(|text| String::from_utf8_lossy(text).into_owned());
    report.landings = vec![LandingReport { texts: texts.collect(), ..report_of(repo, (record, link)) }];
    Ok(report)
}

/// Removes the record of a landing for good. Its commits stay.
///
/// # Errors
/// No landing or more than one has that name, or the records cannot be written.
pub fn forget(repo: &Repo, name: &str, timeout: Duration, watch: &dyn Watch) -> Result<Report, Error> {
    recover(repo, timeout, &[], watch)?;
    let (record, link) = find(repo, Some(name), records(repo, watch)?)?;
    transaction::forget(repo, &link, timeout)?;
    let mut report = Report::new(Status::Forgotten);
    report.landings = vec![report_of(repo, (record, link))];
    Ok(report)
}

/// Returns a record as a report shows it.
fn report_of(repo: &Repo, (record, link): (Record, Link)) -> LandingReport {
    let first = record.commits.first().and_then(|(id, _)| repo.read_commit(repo.id(id).ok()?).ok());
    let author = first.as_ref().map(|first| {
        let author = first.author.rfind('>').map_or("", |end| &first.author[..=end]);
        author.to_owned()
    });
    let subject = first.map(|first| first.subject());
    let branch = record.branch().to_owned();
    LandingReport { record, branch, time: link.time, subject, author, texts: Vec::new() }
}

/// Finds the landing with this id, abbreviated id or commit; without a name, the newest.
///
/// # Errors
/// No landing or more than one has that name.
pub(super) fn find(
    repo: &Repo,
    name: Option<&str>,
    mut all: Vec<(Record, Link)>,
) -> Result<(Record, Link), Error> {
    let Some(name) = name else {
        return if all.is_empty() { Err(Error::NoLandings) } else { Ok(all.swap_remove(0)) };
    };
    let begins = |record: &Record| Record::may_be_id(name) && record.id.starts_with(name);
    let mut with_id: Vec<_> = all.iter().filter(|(record, _)| begins(record)).collect();
    // After a fetch, two chains may have a landing with the same id. This repository's own record is preferred.
    with_id.sort_by_key(|(_, link)| !link.own);
    let mut ids = HashSet::new();
    with_id.retain(|(record, _)| ids.insert(&record.id));
    match with_id.as_slice() {
        [one] => Ok((*one).clone()),
        [_, ..] => {
            let ids: Vec<_> = with_id.iter().map(|(record, _)| record.id.as_str()).collect();
            Err(Error::NoLanding(format!("'{name}' matches several ids: {}", ids.join(", "))))
        }
        [] => {
            let missing = || Error::NoLanding(format!("no recorded landing has the id or commit '{name}'"));
            let commit = repo.commit_of(name).map_err(|_| missing())?.to_string();
            // If an undo moved the branch back, its `new` is the commit of another landing.
            let has = |record: &Record| {
                (record.kind == RecordKind::Landed && record.new == commit)
                    || record.commits.iter().any(|(known, _)| *known == commit)
            };
            all.into_iter().find(|(record, _)| has(record)).ok_or_else(missing)
        }
    }
}
