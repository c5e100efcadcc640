//! The origins of files that landings copied or moved, by their records, so that a copy of a private file stays private. Git
//! itself finds only moves, by similarity.

use super::Error;
use crate::path::RepoPath;
use crate::plan::Verb;
use crate::report::record::Record;
use crate::report::{self, EditState, Report};
use crate::transaction::{self, Planned, Replayed};
use crate::vcs::chain::Link;
use crate::vcs::repo::Repo;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Adds the recorded origins to the series. `commits` returns the commits that each commit of the series makes again or undoes.
pub(super) fn add_origins(
    repo: &Repo,
    series: &mut [Planned],
    commits: impl Fn(usize) -> Vec<Replayed>,
) -> Result<(), Error> {
    let comes = |planned: &Planned| planned.changes.iter().any(|change| change.before.is_none());
    if !series.iter().any(comes) {
        return Ok(());
    }
    let mut known = Known::read(repo)?;
    for (at, planned) in series.iter_mut().enumerate().filter(|(_, planned)| comes(planned)) {
        for replayed in commits(at) {
            planned.origins.extend(known.origins(repo, &replayed)?);
        }
    }
    Ok(())
}

/// The records, with the reports that were read of them.
struct Known {
    records: Vec<(Record, Link)>,
    reports: HashMap<usize, Report>,
    /// The index of the oldest record that has a commit, by its id.
    of_commit: HashMap<String, usize>,
}

impl Known {
    fn read(repo: &Repo) -> Result<Self, Error> {
        let records = transaction::records(repo)?.0;
        let commits = records.iter().enumerate();
        let commits =
            commits.flat_map(|(at, (record, _))| record.commits.iter().map(move |(id, _)| (id, at)));
        let of_commit = commits.map(|(id, at)| (id.clone(), at)).collect();
        Ok(Self { records, reports: HashMap::new(), of_commit })
    }

    /// The origins of the files in a commit, each with its new path; in their reverse, if it is undone. A commit that makes another
    /// again, or undoes it, has the other's origins. The undo of a copy has no origin.
    fn origins(&mut self, repo: &Repo, replayed: &Replayed) -> Result<Vec<(RepoPath, RepoPath)>, Error> {
        let (mut id, mut back) = (replayed.commit.to_string(), replayed.reversed);
        // Records may be made up, and name each other in a circle.
        for _ in 0..=self.records.len() {
            let Some(&at) = self.of_commit.get(&id) else { break };
            let (record, link) = &self.records[at];
            let report = match self.reports.entry(at) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let (json, _) = transaction::contents(repo, link)?;
                    new.insert(report::recorded(json.as_deref().unwrap_or_default()))
                }
            };
            let accepted = report.accepted.iter().flat_map(|branch| &branch.commits);
            let accepted = accepted.map(|one| (&one.from, &one.new, false));
            let undone = report.undone_commits.iter();
            let undone = undone.map(|one| (&one.commit, &one.new, one.state == EditState::TakenBack));
            let mut made = accepted.chain(undone).filter(|(from, ..)| from.id != id);
            if let Some((from, _, is_undo)) =
                made.find(|(_, new, _)| new.as_ref().is_some_and(|new| new.id == id))
            {
                (id, back) = (from.id.clone(), back ^ is_undo);
                continue;
            }
            let numbers =
                record.commits.iter().filter(|(known, _)| *known == id).flat_map(|(_, edits)| edits);
            let numbers: Vec<_> = numbers.collect();
            let edits = report.edits.iter().filter(|edit| numbers.contains(&&edit.number));
            let edits = edits.filter(|edit| !back || edit.operation != Some(Verb::Copy));
            let path = |text: &str| RepoPath::parse(text).ok();
            let origins = edits.filter_map(|edit| Some((path(&edit.path)?, path(edit.to.as_deref()?)?)));
            return Ok(match back {
                true => origins.map(|(from, to)| (to, from)).collect::<Vec<_>>().into_iter().rev().collect(),
                false => origins.collect(),
            });
        }
        Ok(Vec::new())
    }
}
