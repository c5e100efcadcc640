//! Lands responses or, in a dry run, reports what would happen. A landing recovers killed runs, resolves the edits
//! and runs a transaction. If the branch moves meanwhile, it tries again.

use super::done::{Done, Moved, Tried};
use super::driver::{Driver, recover, retry_while_branch_moves};
use super::observer::Observer;
use super::resolve_onto::Resolved;
use super::run::{Order, Run};
use super::{Error, Options, Watch, build_report, push};
use crate::diag::counted;
use crate::report::record::RecordKind;
use crate::report::{self, Report, Status};
use crate::transaction::{self, Attempt, Recording, Target, interrupt};
use crate::vcs::Oid;
use crate::vcs::repo::Repo;

/// Lands all edits of the responses, or none. With `dry_run`, changes nothing and takes no lock.
pub fn land(repo: &Repo, order: Order, options: &Options, watch: &dyn Watch) -> Done {
    let observer = Observer::new(watch);
    let (mut run, begun) = Run::read(repo, order, options, &observer);
    let mut report = run.declared();
    let outcome = begun.and_then(|()| run.land(repo, &mut report));
    let has_landed = match &outcome {
        Ok((moved, _)) => moved.is_some(),
        Err(error) => matches!(error, Error::Transaction(transaction::Error::Unfinished { .. })),
    };
    run.messages.keep_typed(repo, &run.options, &observer, has_landed);
    run.keep_response(repo, has_landed, outcome.as_ref().err(), &mut report);
    let done = Done { refused: run.refused.take(), ..Done::of(report, outcome, &observer) };
    if done.moved.is_some() {
        repo.maintain();
    }
    done
}

impl Run<'_> {
    /// Lands the edits or, in a dry run, reports what would happen. If it fails, the report has what is known.
    pub(super) fn land(&mut self, repo: &Repo, report: &mut Report) -> Result<Tried, Error> {
        if self.is_empty() {
            *report = self.no_edits();
            return Ok((None, None));
        }
        if self.is_unjoined() {
            *report = self.not_joined(repo, &self.target(repo)?);
            return Ok((None, None));
        }
        match self.options.dry_run {
            true => self.dry_run(repo, report),
            false => Ok((self.recover_and_land(repo, report)?, None)),
        }
    }

    /// Recovers killed runs, asks the chooser, and lands the edits. If the branch moves meanwhile, tries again.
    fn recover_and_land(&mut self, repo: &Repo, report: &mut Report) -> Result<Option<Moved>, Error> {
        recover(repo, self.options.lock_timeout, &[self.options.branch.as_deref()], self.watch)?;
        Attempt::expire(repo);
        if let Some(chooser) = self.order.chooser.clone() {
            let landed = self.landed(repo, &self.target(repo)?)?;
            self.script.landed = landed.edits.keys().copied().collect();
            self.choose(repo, &*chooser)?;
            *report = self.declared();
            if self.order.more && !self.unwanted.is_empty() {
                report.status = Status::Refused;
                report.attempt = self.keep(repo, &self.target(repo)?, None, false);
                return Ok(None);
            }
        }
        if repo.config().string("commit.template")?.is_some_and(|file| !file.is_empty()) {
            self.watch.detail("commit.template is not used: the edits' reasons are the messages");
        }
        let onto = (self.options.branch.as_deref(), self.base);
        retry_while_branch_moves(repo, &self.options, self.watch, onto, |repo, target| {
            self.try_once(repo, target, report)
        })
    }

    /// Resolves the edits for the target, or for the remote's commit `onto` that they are rebased onto, and reports
    /// the result. Returns `None` if nothing is left to land.
    pub(super) fn resolve_and_report(
        &self,
        repo: &Repo,
        target: &Target,
        onto: Option<Oid>,
        report: &mut Report,
    ) -> Result<Option<Resolved>, Error> {
        if target.checked_out && !self.options.dry_run {
            repo.begin_index();
        }
        let resolved = match self.resolve_onto(repo, target, onto)? {
            Ok(resolved) => resolved,
            Err(rejected) => {
                *report = self.refused(repo, target, &rejected);
                return Ok(None);
            }
        };
        *report = self.planned(repo, &resolved, target);
        if resolved.series.is_empty() {
            if !self.options.dry_run {
                self.forget(repo, target);
            }
            return Ok(None);
        }
        if !self.options.ff && target.start.is_none() {
            return Err(Error::Unborn(target.short().to_owned()));
        }
        Ok(Some(resolved))
    }

    /// Tries to land the edits once. Returns `None` if nothing was to land, or if something is in the way.
    fn try_once(&self, repo: &Repo, target: &Target, report: &mut Report) -> Result<Option<Moved>, Error> {
        let listed = self.listed_by_key(repo)?;
        if let Some(landed) = self.landed_by_key(repo, &listed)? {
            *report = landed;
            return Ok(None);
        }
        report.branch = Some(build_report::branch(target));
        let last = listed.first().map(|one| one.id.clone());
        let push = push::ask(repo, target, &self.options)?;
        let Some(mut resolved) = self.resolve_and_report(repo, target, push.onto, report)? else {
            return Ok(None);
        };
        if let Some(onto) = push.onto {
            resolved.series.insert(0, push::move_to(repo, target, onto)?);
        }
        let merge_message = self.merge_message(repo, &resolved.series)?;
        // If edits are refused, the attempt is still needed.
        let attempts = match resolved.refused {
            Some(_) => Vec::new(),
            None => self.replaced_attempts(repo, target),
        };
        let edits: usize = resolved.series.iter().map(|planned| planned.edits.len()).sum();
        let driver = Driver {
            repo,
            options: &self.options,
            watch: self.watch,
            target,
            series: &resolved.series,
            reflog: reflog(edits, &self.names()),
            cleanup: self.messages.final_cleanup(&self.options),
            recording: Recording {
                responses: &self.responses,
                also: self.base.into_iter().collect(),
                // With `--push` the key is not checked again: when the remote has the commits, the landing must not
                // fail.
                key: self.key_digest(repo).filter(|_| push.to.is_none()).map(|key| (key, last.clone())),
                edits: self.edits_to_record(repo, &resolved.plan),
                ..Recording::new(resolved.id.clone(), RecordKind::Landed)
            },
            push,
            fill: &|report, made, diffs| {
                build_report::add_commits(report, made);
                if diffs {
                    self.add_diffs(repo, target, &resolved, made, report);
                }
            },
            edited: Some(&|| {
                self.messages.edited(repo, &resolved.series, merge_message.clone(), &self.options)
            }),
            attempts,
        };
        let moved = match driver.land(report) {
            Ok(Some(moved)) => moved,
            Ok(None) if report.status == Status::Nothing => {
                match &resolved.refused {
                    Some(rejected) => *report = self.refused(repo, target, rejected),
                    None => self.forget(repo, target),
                }
                return Ok(None);
            }
            stopped => {
                if let Some(rejected) = resolved.refused.as_ref().filter(|_| !interrupt::seen()) {
                    report.attempt = self.keep(repo, target, Some(rejected), false);
                    if report.status != Status::Landed {
                        report.status = Status::Refused;
                    }
                }
                return stopped.map(|_| None);
            }
        };
        if let Some(rejected) = &resolved.refused {
            report.status = Status::PartlyLanded;
            report.attempt = self.keep(repo, target, Some(rejected), true);
        }
        Ok(Some(moved))
    }
}

/// Returns the reflog message: one line without control characters.
fn reflog(edits: usize, responses: &str) -> String {
    let responses: String = responses.chars().filter(|c| !report::escape::is_hidden(*c)).collect();
    format!("llm-apply: {} from {responses}", counted(edits, "edit"))
}
