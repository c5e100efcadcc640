//! The origins of files that landings copied or moved, by their records, so that a copy of a private file stays private. Git
//! itself finds only moves, by similarity.

use super::Error;
use crate::path::RepoPath;
use crate::plan::Verb;
use crate::report::record::RecordKind;
use crate::report::{self, CommitName, EditState};
use crate::transaction::{self, Planned, Replayed};
use crate::vcs::Oid;
use crate::vcs::repo::Repo;
use std::collections::{HashMap, HashSet};

/// The origin of a file.
#[derive(Clone)]
struct Origin {
    from: RepoPath,
    to: RepoPath,
    is_copy: bool,
}

/// The origins as pairs; with `back` the reverse. The undo of a copy has no origin.
fn pairs(origins: &[Origin], back: bool) -> Vec<(RepoPath, RepoPath)> {
    let all = origins.iter().map(|origin| (origin.from.clone(), origin.to.clone()));
    if !back {
        return all.collect();
    }
    let moved = all.zip(origins).filter(|(_, origin)| !origin.is_copy);
    moved.map(|((from, to), _)| (to, from)).rev().collect()
}

/// Adds the recorded origins to the series. `commits` returns the commits that each commit of the series makes again or undoes.
pub(super) fn add_origins(
    repo: &Repo,
    series: &mut [Planned],
    commits: impl Fn(usize) -> Vec<Replayed>,
) -> Result<(), Error> {
    let comes = |planned: &Planned| planned.changes.iter().any(|change| change.before.is_none());
    let wanted: Vec<(usize, Vec<Replayed>)> =
        (0..).zip(&*series).filter(|(_, planned)| comes(planned)).map(|(at, _)| (at, commits(at))).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let known = known(repo, wanted.iter().flat_map(|(_, commits)| commits).map(|replayed| replayed.commit))?;
    for (at, commits) in wanted {
        for replayed in commits {
            for (origins, back) in known.get(&replayed.commit).into_iter().flatten() {
                series[at].origins.extend(pairs(origins, replayed.reversed ^ back));
            }
        }
    }
    Ok(())
}

/// The origins of commits, and whether a commit is the undo of these.
type Known = HashMap<Oid, Vec<(Vec<Origin>, bool)>>;

fn known(repo: &Repo, commits: impl Iterator<Item = Oid>) -> Result<Known, Error> {
    // The commits to look for, each with the commits that ask, and whether these undo it: a commit that makes another again, or
    // undoes it, has the other's origins.
    let mut wanted: HashMap<Oid, HashSet<(Oid, bool)>> =
        commits.map(|commit| (commit, HashSet::from([(commit, false)]))).collect();
    let mut known = Known::new();
    // The newest first, so that the origin of a commit comes later.
    for (record, link) in transaction::records(repo)?.0 {
        let mut here = Vec::new();
        for (commit, numbers) in &record.commits {
            let asking = repo.id(commit).ok().and_then(|id| wanted.get(&id)).cloned();
            here.extend(asking.map(|asking| (commit, numbers, asking)));
        }
        if here.is_empty() {
            continue;
        }
        let (json, _) = transaction::contents(repo, &link)?;
        let report = report::recorded(json.as_deref().unwrap_or_default());
        for (commit, numbers, asking) in here {
            let accepted = report.accepted.iter().flat_map(|branch| &branch.commits);
            let accepted = accepted.map(|one| (&one.from, &one.new, false));
            let undone = report.undone_commits.iter();
            let undone = undone.map(|one| (&one.commit, &one.new, one.state == EditState::TakenBack));
            let is_it = |new: &Option<CommitName>| new.as_ref().is_some_and(|new| new.id == *commit);
            for (CommitName { id: from, .. }, _, back) in
                accepted.chain(undone).filter(|(_, new, _)| is_it(new))
            {
                if let Some(from) = repo.id(from).ok().filter(|_| from != commit) {
                    let asking = asking.iter().map(|(id, opposite)| (*id, opposite ^ back));
                    wanted.entry(from).or_default().extend(asking);
                }
            }
            // The edits in the records of undo and redo are copies of those in the landing's.
            if record.kind != RecordKind::Landed {
                continue;
            }
            let edits = report.edits.iter().filter(|edit| numbers.contains(&edit.number));
            let origins = edits.filter_map(|edit| {
                let path = |text: &str| RepoPath::parse(text).ok();
                let (from, to) = (path(&edit.path)?, path(edit.to.as_deref()?)?);
                Some(Origin { from, to, is_copy: edit.operation == Verb::Copy.as_str() })
            });
            let origins: Vec<_> = origins.collect();
            for (id, back) in asking {
                known.entry(id).or_default().push((origins.clone(), back));
            }
        }
    }
    Ok(known)
}
