//! What would land, and what would keep it from landing.

use super::land::{Compared, Done};
use super::observer::Observer;
use super::run::{Order, Run};
use super::{Error, Options, Watch, build_report};
use crate::report::{Report, Status, ToPass};
use crate::transaction::{self, Preview, interrupt};
use crate::vcs::repo::Repo;
use std::cell::RefCell;

/// Resolves and says what would happen. Nothing is changed and no lock is taken; an order to hold keeps the attempt.
pub fn check(repo: Repo, order: Order, options: &Options, preview: bool, watch: &dyn Watch) -> Done {
    let observer = Observer::new(watch);
    let (run, begun) = Run::read(&repo, order, options, &observer, true);
    let mut checked =
        Done { report: run.declared(), failure: None, moved: None, preview: None, refused: None, repo };
    let (repo, report) = (&checked.repo, &mut checked.report);
    let look = |()| run.look(repo, report, preview.then_some(&mut checked.preview));
    if let Err(error) = begun.and_then(look) {
        build_report::failed(&mut checked.report, &error);
        checked.failure = Some(error);
    }
    observer.write(&mut checked.report);
    checked.refused = run.refused.and_then(RefCell::into_inner);
    checked
}

/// What has to pass before something lands, in order: hooks and commands that judge it, and its signatures. `again` says
/// whether its commits exist.
pub(super) fn to_pass(repo: &Repo, options: &Options, again: bool) -> Result<Vec<ToPass>, Error> {
    let hooks = transaction::hooks_to_pass(repo, !options.verify, !options.ff && !again, again)?;
    let hooks = hooks.into_iter().map(|name| ToPass { kind: "hook", name: name.to_owned() });
    let exec = options.exec.iter().map(|line| ToPass { kind: "exec", name: line.clone() });
    let mut all: Vec<_> = hooks.chain(exec).collect();
    if repo.commit_settings(&options.sign, interrupt::signal)?.is_signed() {
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
    /// Looks what would happen. The report goes as far as it comes.
    pub(super) fn look(
        &self,
        repo: &Repo,
        report: &mut Report,
        preview: Option<&mut Option<Compared>>,
    ) -> Result<(), Error> {
        if self.is_empty() {
            *report = self.no_edits();
            return Ok(());
        }
        let target = self.target(repo)?;
        report.branch = Some(build_report::branch(&target));
        if self.unjoined {
            *report = self.not_joined(repo, &target);
            return Ok(());
        }
        tell_of_pending(repo, self.watch)?;
        let resolved = match self.resolve_onto(repo, &target, None)? {
            Ok(resolved) => resolved,
            Err(rejected) => {
                *report = self.refused(repo, &target, &rejected);
                return Ok(());
            }
        };
        let base = repo.tree(target.start)?.as_checked_out(target.checked_out);
        *report = self.planned(repo, &resolved, &target);
        if resolved.series.is_empty() {
            return Ok(());
        }
        self.check_merge(&target)?;
        report.to_pass = to_pass(repo, &self.options, false)?;
        let autostash = self.options.autostash;
        let obstacles = transaction::in_the_way(repo, &target, &base, &resolved.series, autostash);
        // What the edits come to is shown whatever keeps them from landing.
        if let Some(preview) = preview {
            *preview = Some((base.id(), Preview::build(repo, &base, &resolved.series)?));
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
