//! Landing: recover first, resolve, transact, and again where the branch has moved meanwhile.

use super::run::{Order, Run};
use super::{Error, Options, Watch, push, told};
use crate::report::record::RecordKind;
use crate::report::{self, Report, Status};
use crate::transaction::{
    self, Attempt, Commits, Landed, Planned, Progress, Recording, Target, Transaction, interrupt,
};
use crate::vcs::push::Upstream;
use crate::vcs::repo::Repo;
use crate::vcs::tree::BaseTree;
use crate::vcs::{self, Oid};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::time::Duration;

/// How often a branch that moved meanwhile is resolved again, before it is said that it keeps moving.
pub(super) const ATTEMPTS: usize = 3;

/// From which commit to which a branch has moved.
pub type Moved = (Option<Oid>, Oid);

/// What became of it.
#[must_use]
pub struct Done {
    /// What it says.
    pub report: Report,
    /// From which commit to which the branch has moved, if it has.
    pub moved: Option<Moved>,
    /// The handle that has the commits.
    pub repo: Repo,
}

/// Lands all that the responses say, or nothing.
///
/// # Errors
/// What the report cannot say: the world went wrong, and nothing has changed unless the error says so.
pub fn land(order: Order, options: &Options, watch: &dyn Watch) -> Result<Done, Error> {
    let repo = Repo::discover()?;
    let run = Run::read(&repo, order, options, watch, false)?;
    if run.is_empty() {
        return Ok(Done { report: run.no_edits(), moved: None, repo });
    }
    if run.unjoined {
        let target = run.target(&repo)?;
        return Ok(Done { report: run.not_joined(&repo, &target), moved: None, repo });
    }
    run.tell_of_messages(&repo)?;
    recover(&repo, options.lock_timeout, watch)?;
    Attempt::expire(&repo);
    drop(repo);
    let mut attempt = 1;
    let first = OnceCell::new();
    loop {
        // Anew each time: a quarantine was this handle's object store.
        let repo = Repo::discover()?;
        match run.land(&repo, &first) {
            Err(Error::Transaction(transaction::Error::Vcs(vcs::Error::Moved { .. })))
                if attempt < ATTEMPTS =>
            {
                attempt += 1
            }
            Err(Error::Transaction(transaction::Error::Behind { .. }))
                if options.rebase && attempt < ATTEMPTS =>
            {
                attempt += 1
            }
            outcome => {
                let (report, moved) = outcome?;
                if moved.is_some() {
                    repo.maintain();
                }
                return Ok(Done { report, moved, repo });
            }
        }
    }
}

/// Settles killed runs first, as every flow does that changes something.
pub(super) fn recover(repo: &Repo, timeout: Duration, watch: &dyn Watch) -> Result<(), Error> {
    for one in transaction::recover(repo, timeout, false)? {
        watch.recovered(&one);
    }
    Ok(())
}

impl Run<'_> {
    /// Lands on the target that was chosen at the first try.
    pub(super) fn land(
        &self,
        repo: &Repo,
        first: &OnceCell<Target>,
    ) -> Result<(Report, Option<Moved>), Error> {
        let target = self.target(repo)?;
        first.get_or_init(|| target.clone()).check_same(&target)?;
        let (push, onto) = push::way(repo, &target, &self.options)?;
        let mut ready = match self.ready(repo, &target, onto)? {
            Ok(ready) => ready,
            Err(rejected) => return Ok((self.refused(repo, &target, &rejected), None)),
        };
        let base = repo.tree(target.start)?.as_checked_out(target.checked_out);
        let mut report = self.planned(repo, &ready, &target);
        if ready.series.is_empty() {
            self.forget(repo, &target);
            return Ok((report, None));
        }
        self.check_merge(&target)?;
        if let Some(onto) = onto {
            match transaction::move_to(repo, target.start, onto, target.checked_out)? {
                Ok(moved) => ready.series.insert(0, moved),
                Err(odd) => return Err(Error::Unmovable(odd.into_iter().map(|clash| clash.path).collect())),
            }
        }
        let held = interrupt::hold();
        let landed_as = |commits: &Commits| {
            let mut report = report.clone();
            self.landed(repo, &mut report, &target, &ready.series, commits);
            report.landing = self.options.record.then(|| ready.id.clone());
            report
        };
        let describe = |commits: &Commits, landed: bool| {
            let mut report = landed_as(commits);
            if !landed {
                report.status = Status::Checked;
            }
            report::json(&report, 0).unwrap_or_default()
        };
        let recorded = |commits: &Commits| {
            report::json(&landed_as(commits).without_directories(), 0).unwrap_or_default()
        };
        let record = self.options.record.then(|| Recording {
            report: &recorded,
            id: ready.id.clone(),
            kind: RecordKind::Landed,
            of: None,
            responses: &self.responses,
            also: self.base.into_iter().collect(),
        });
        let landed = match self.transact(repo, &target, &base, &ready.series, (record, push), &describe) {
            Ok(landed) => landed,
            Err(Error::Transaction(transaction::Error::InTheWay(obstacles))) => {
                told::in_the_way(&mut report, &obstacles, ready.refused.is_some());
                if let Some(rejected) = &ready.refused {
                    report.attempt = self.keep(repo, rejected, &target, &BTreeSet::new());
                }
                return Ok((report, None));
            }
            Err(Error::Transaction(transaction::Error::Nothing)) => {
                if let Some(rejected) = &ready.refused {
                    return Ok((self.refused(repo, &target, rejected), None));
                }
                report.status = Status::Nothing;
                self.forget(repo, &target);
                return Ok((report, None));
            }
            Err(error) => return Err(error),
        };
        drop(held);
        let made = transaction::with_merge(&landed.commits, landed.merge);
        report = landed_as(&made);
        match &ready.refused {
            Some(rejected) => {
                report.status = Status::PartlyLanded;
                let landed = rejected.fine.iter().map(|step| step.edit).collect();
                report.attempt = self.keep(repo, rejected, &target, &landed);
            }
            None => self.forget(repo, &target),
        }
        for what in &landed.by_git {
            self.watch.detail(what);
        }
        if target.checked_out {
            repo.tell_of_new_index();
        }
        Ok((report, Some((landed.old.or(target.start), landed.new))))
    }

    fn transact(
        &self,
        repo: &Repo,
        target: &Target,
        base: &BaseTree<'_>,
        series: &[Planned],
        (record, push): (Option<Recording<'_>>, Option<Upstream>),
        describe: &dyn Fn(&Commits, bool) -> String,
    ) -> Result<Landed, Error> {
        let edits: usize = series.iter().map(|planned| planned.edits.len()).sum();
        let options = transaction::Options {
            lock_timeout: self.options.lock_timeout,
            no_verify: !self.options.verify,
            exec: self.options.exec.clone(),
            exec_each: self.options.exec_each,
            scratch_dir: self.options.scratch_dir.clone(),
            keep_scratch: self.options.keep_scratch,
            reflog: reflog(edits, &self.names()),
            author: self.options.author.clone(),
            sign: self.options.sign.clone(),
            cleanup: self.messages.last_cleanup(&self.options),
            describe,
            progress: &Told(self.watch),
            record,
            push,
        };
        let joined = self.joined(repo, series)?;
        let transaction = Transaction::begin(repo, target.clone(), base, series, options)?;
        let (series, joined) = self.edited(&transaction, series.to_vec(), joined)?;
        Ok(transaction.prepare(base, &series, joined.as_ref())?.publish()?)
    }
}

/// Passes on what a transaction tells.
pub(super) struct Told<'a>(pub(super) &'a dyn Watch);

impl Progress for Told<'_> {
    fn output(&self, bytes: &[u8]) {
        self.0.output(bytes);
    }

    fn waiting(&self, what: &str, elapsed: Duration) {
        self.0.waiting(what, elapsed);
    }

    fn ended(&self) {
        self.0.ended();
    }

    fn warn(&self, text: &str) {
        self.0.warn(text);
    }
}

/// The reflog's message: one line without control characters.
fn reflog(edits: usize, responses: &str) -> String {
    let responses: String = responses.chars().filter(|c| !report::escape::is_hidden(*c)).collect();
    let edits = if edits == 1 { "1 edit".to_owned() } else { format!("{edits} edits") };
    format!("llm-apply: {edits} from {responses}")
}
