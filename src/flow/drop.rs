//! Drops suggestions: deletes their branches and the configuration of these branches.

use super::done::Done;
use super::driver::Flow;
use super::open::suggestions;
use super::{Error, Options, Watch, build_report, push};
use crate::report::{DroppedReport, Status};
use crate::transaction::{self, Dropped, Target};
use crate::vcs::repo::Repo;

/// Deletes all of the branches or none. A branch that is not a suggestion is deleted only with `force`.
pub fn drop(repo: &Repo, names: &[String], force: bool, options: &Options, watch: &dyn Watch) -> Done {
    let branches: Vec<_> = names.iter().map(|name| Some(name.as_str())).collect();
    Flow { repo, options, watch }.run(&branches, |Flow { watch, .. }, report| {
        let known = if force { Vec::new() } else { suggestions(repo, watch)? };
        let (mut branches, mut obstacles) = (Vec::new(), Vec::new());
        for name in names {
            let target = Target::choose(repo, Some(name), None)?;
            let Some(tip) = target.tip else { return Err(Error::NoBranch(name.clone())) };
            let branch = target.short().to_owned();
            if branches.iter().any(|known: &Dropped| known.name == target.name) {
                continue;
            }
            let help = "check out another branch there first, and end any rebase or bisect there";
            if let Some(obstacle) = target.in_use(repo, help)? {
                obstacles.push(obstacle);
            } else if !force && !known.iter().any(|(known, ..)| *known == branch) {
                return Err(Error::NoSuggestion(branch));
            }
            branches.push(Dropped { name: target.name, tip, remote_branch: None });
            report.dropped.push(DroppedReport { branch, tip: build_report::commit_name(tip), remote: None });
        }
        if !obstacles.is_empty() {
            report.dropped.clear();
            build_report::in_the_way(report, obstacles);
            return Ok((None, None));
        }
        for (dropped, one) in report.dropped.iter_mut().zip(&mut branches) {
            one.remote_branch = push::branch_there(repo, &one.name, one.tip, options)?;
            dropped.remote = one.remote_branch.as_ref().map(|(upstream, _)| upstream.remote.clone());
        }
        if options.dry_run {
            report.status = Status::Checked;
            return Ok((None, None));
        }
        report.status = Status::Dropped;
        let dropped = transaction::drop_branches(repo, &branches, options.lock_timeout);
        dropped.inspect_err(|_| report.dropped.clear())?;
        Ok((None, None))
    })
}
