//! What would land, and what would keep it from landing.

use super::done::{Compared, Done};
use super::observer::Observer;
use super::run::{Order, Run};
use super::{Error, Options, Watch, build_report};
use crate::report::{Report, Status, ToPass};
use crate::transaction::{self, Preview};
use crate::vcs::repo::Repo;
use std::cell::RefCell;

/// Resolves and says what would happen. Nothing is changed and no lock is taken; an order to hold keeps the attempt.
pub fn check(repo: Repo, order: Order, options: &Options, preview: bool, watch: &dyn Watch) -> Done {
    let observer = Observer::new(watch);
    let (run, begun) = Run::read(&repo, order, options, &observer, true);
    let (mut report, mut compared) = (run.declared(), None);
    let look = |()| run.look(&repo, &mut report, preview.then_some(&mut compared));
    let looked = begun.and_then(look);
    let refused = run.refused.and_then(RefCell::into_inner);
    // What the edits come to is shown whatever keeps them from landing.
    let done = Done::of(report, looked.map(|()| (None, None)), &observer, repo);
    Done { preview: compared, refused, ..done }
}

/// What has to pass before something lands, in order: hooks and commands that judge it, and its signatures. `again` says
/// whether its commits exist.
pub(super) fn to_pass(repo: &Repo, options: &Options, again: bool) -> Result<Vec<ToPass>, Error> {
    let hooks = transaction::hooks_to_pass(repo, !options.verify, !options.ff && !again, again)?;
    let hooks = hooks.into_iter().map(|name| ToPass { kind: "hook", name: name.to_owned() });
    let exec = options.exec.iter().map(|line| ToPass { kind: "exec", name: line.clone() });
    let mut all: Vec<_> = hooks.chain(exec).collect();
    if repo.commit_settings(&options.sign)?.is_signed() {
        all.push(ToPass { kind: "signature", name: "git commit-tree -S".to_owned() });
    }
    Ok(all)
}

/// Says which killed runs wait for the recovery.
pub(super) fn tell_of_pending(repo: &Repo, watch: &dyn Watch) -> Result<(), Error> {
    for id in transaction::pending(repo)?.0 {
        watch.warn(&format!("a killed run is pending ({id}): run 'git llm-apply recover'"));
    }
    Ok(())
}

impl Run<'_> {
    /// Finds out what would happen. If it fails, the report has what is known.
    pub(super) fn look(
        &self,
        repo: &Repo,
        report: &mut Report,
        preview: Option<&mut Option<Compared>>,
    ) -> Result<(), Error> {
        if self.is_over(repo, report)? {
            return Ok(());
        }
        let target = self.target(repo)?;
        report.branch = Some(build_report::branch(&target));
        tell_of_pending(repo, self.watch)?;
        let Some(resolved) = self.ready(repo, &target, None, report)? else { return Ok(()) };
        report.to_pass = to_pass(repo, &self.options, false)?;
        let autostash = self.options.autostash;
        let obstacles = transaction::in_the_way(repo, &target, &resolved.series, autostash);
        // What the edits come to is shown whatever keeps them from landing.
        if let Some(preview) = preview {
            *preview = Some(Preview::build(repo, &target, &resolved.series)?);
        }
        if self.hold {
            report.attempt = self.keep(repo, &target, None, false);
        }
        let obstacles = obstacles?;
        if !obstacles.is_empty() {
            if resolved.refused.is_some() {
                report.status = Status::Refused;
            }
            build_report::in_the_way(report, &obstacles);
        }
        Ok(())
    }
}
