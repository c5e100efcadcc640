//! Dropping suggestions: their branches, and what the configuration says of them.

use super::open::suggestions;
use super::{Error, Watch, build_report, land};
use crate::report::{DroppedReport, Report, Status};
use crate::transaction::{self, Obstacle, Target};
use crate::vcs::repo::Repo;
use std::time::Duration;

/// Removes branches, all or none. With `force` also those that are no suggestions.
///
/// # Errors
/// There is no such branch, or it is no suggestion; or the world went wrong.
pub fn drop(
    repo: &Repo,
    names: &[String],
    force: bool,
    timeout: Duration,
    watch: &dyn Watch,
) -> Result<Report, Error> {
    land::recover(repo, timeout, watch)?;
    let known = if force { Vec::new() } else { suggestions(repo, watch)? };
    let mut report = Report::new(Status::Dropped);
    let (mut branches, mut obstacles) = (Vec::new(), Vec::new());
    for name in names {
        let target = Target::choose(repo, Some(name), None)?;
        let Some(tip) = target.tip else { return Err(Error::NoBranch(name.clone())) };
        let branch = target.short().to_owned();
        if branches.iter().any(|(known, _)| *known == target.name) {
            continue;
        }
        if target.is_head {
            let worktree = repo.workdir().unwrap_or(repo.git_dir()).to_owned();
            obstacles.push(Obstacle::CheckedOut { branch: branch.clone(), worktree });
        } else if let Some(worktree) = target.occupied {
            obstacles.push(Obstacle::CheckedOut { branch: branch.clone(), worktree });
        } else if !force && !known.iter().any(|(known, ..)| *known == branch) {
            return Err(Error::NoSuggestion(branch));
        }
        branches.push((target.name, tip));
        report.dropped.push(DroppedReport { branch, tip: (tip.to_string(), repo.short(tip)) });
    }
    if !obstacles.is_empty() {
        report.dropped.clear();
        build_report::in_the_way(&mut report, &obstacles);
        let help = |obstacle: &Obstacle| match obstacle {
            Obstacle::CheckedOut { worktree, .. } if worktree.exists() => {
                "check out another branch there first"
            }
            obstacle => obstacle.help(),
        };
        report.obstacle_help = obstacles.iter().map(|obstacle| help(obstacle).to_owned()).collect();
        return Ok(report);
    }
    transaction::drop_branches(repo, &branches, timeout)?;
    Ok(report)
}
