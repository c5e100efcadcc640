//! Where files come from that the commits of landings copy or move, as the records of these know it: git itself finds only
//! moves, and those by likeness. A file that comes from a private one stays private.

use super::Error;
use crate::path::RepoPath;
use crate::plan::Verb;
use crate::report;
use crate::report::record::RecordKind;
use crate::transaction::{self, Planned, Replayed};
use crate::vcs::Oid;
use crate::vcs::repo::Repo;
use std::collections::{HashMap, HashSet};

/// A file that comes from another.
#[derive(Clone)]
struct Origin {
    from: RepoPath,
    to: RepoPath,
    is_copy: bool,
}

impl Origin {
    /// What the opposite does; a copy just goes.
    fn opposite(self) -> Option<Self> {
        (!self.is_copy).then_some(Self { from: self.to, to: self.from, is_copy: false })
    }
}

fn opposite(origins: Vec<Origin>) -> Vec<Origin> {
    origins.into_iter().rev().filter_map(Origin::opposite).collect()
}

/// Adds to what is planned what the records know of the commits that each does again, or takes back.
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
            let origins = known.get(&replayed.commit).cloned().unwrap_or_default();
            let origins = if replayed.reversed { opposite(origins) } else { origins };
            series[at].origins.extend(origins.into_iter().map(|origin| (origin.from, origin.to)));
        }
    }
    Ok(())
}

fn known(repo: &Repo, commits: impl Iterator<Item = Oid>) -> Result<HashMap<Oid, Vec<Origin>>, Error> {
    let wanted: HashSet<Oid> = commits.collect();
    let mut known: HashMap<Oid, Vec<Origin>> = HashMap::new();
    for (record, link) in transaction::records(repo)? {
        let mut here = Vec::new();
        for (commit, numbers) in &record.commits {
            here.extend(repo.object_id(commit).ok().filter(|id| wanted.contains(id)).map(|id| (id, numbers)));
        }
        if here.is_empty() {
            continue;
        }
        let (json, _) = transaction::contents(repo, &link)?;
        let edits = report::recorded(json.as_deref().unwrap_or_default()).edits;
        for (commit, numbers) in here {
            let origins = edits.iter().filter(|edit| numbers.contains(&edit.number)).filter_map(|edit| {
                let path = |text: &str| RepoPath::parse(text).ok();
                let is_copy = edit.operation == Verb::Copy.as_str();
                Some(Origin { from: path(&edit.path)?, to: path(edit.to.as_deref()?)?, is_copy })
            });
            let origins: Vec<_> = origins.collect();
            let origins = if record.kind == RecordKind::Undone { opposite(origins) } else { origins };
            known.entry(commit).or_default().extend(origins);
        }
    }
    Ok(known)
}
