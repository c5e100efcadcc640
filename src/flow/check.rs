//! `check` and dry runs: report what would land, and what would prevent it.

use super::done::Tried;
use super::run::Run;
use super::{Error, Options, Watch, build_report};
use crate::report::{Report, Status, ToPass};
use crate::transaction::{self, Preview};
use crate::vcs::repo::Repo;

/// Returns what must succeed before a landing, in order: hooks, commands and signatures. `existing` says whether the
/// commits to land exist already. Warns if git knows no author or committer, because then no commit can be made.
pub(super) fn to_pass(
    repo: &Repo,
    options: &Options,
    existing: bool,
    watch: &dyn Watch,
) -> Result<Vec<ToPass>, Error> {
    if let Err(error) = repo.identities(&options.author) {
        watch.warn(&format!("a landing would fail: {error}"));
    }
    let hooks = transaction::hooks_to_pass(repo, options, existing)?;
    let hooks = hooks.into_iter().map(|name| ToPass { kind: "hook", name: name.to_owned() });
    let exec = options.exec.iter().map(|line| ToPass { kind: "exec", name: line.clone() });
    let mut all: Vec<_> = hooks.chain(exec).collect();
    if repo.commit_settings(&options.sign)?.is_signed() {
        all.push(ToPass { kind: "signature", name: "git commit-tree -S".to_owned() });
    }
    Ok(all)
}

/// Warns about killed runs that were not recovered yet.
pub(super) fn warn_of_pending(repo: &Repo, watch: &dyn Watch) -> Result<(), Error> {
    for id in transaction::pending(repo)? {
        watch.warn(&format!("a killed run is pending ({id}): run 'git llm-apply recover'"));
    }
    Ok(())
}

impl Run<'_> {
    /// Reports what would happen. Lands nothing.
    pub(super) fn dry_run(&self, repo: &Repo, report: &mut Report) -> Result<Tried, Error> {
        let target = self.target(repo)?;
        report.branch = Some(build_report::branch(&target));
        warn_of_pending(repo, self.watch)?;
        let Some(resolved) = self.resolve_and_report(repo, &target, None, report)? else {
            return Ok((None, None));
        };
        report.to_pass = to_pass(repo, &self.options, false, self.watch)?;
        if self.order.hold {
            report.attempt = self.keep(repo, &target, None, false);
        }
        let obstacles = transaction::in_the_way(repo, &target, &resolved.series, self.options.autostash)?;
        if !obstacles.is_empty() {
            if resolved.refused.is_some() {
                report.status = Status::Refused;
            }
            build_report::in_the_way(report, obstacles);
        }
        // The diff is shown even if there are obstacles.
        let preview =
            self.order.previews.then(|| Preview::build(repo, &target, &resolved.series)).transpose()?;
        Ok((None, preview))
    }
}
