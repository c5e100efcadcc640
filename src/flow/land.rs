//! Lands responses or, in a dry run, reports what would happen. A landing recovers killed runs, resolves the edits
//! and runs a transaction. If the branch moves meanwhile, it tries again.

use super::done::{Done, Tried};
use super::driver::{Driver, Flow};
use super::observer::Observer;
use super::push::{self, Push};
use super::resolve_onto::Resolved;
use super::run::{Order, Run, Try};
use super::{Error, Options, Watch, build_report};
use crate::diag::counted;
use crate::report::record::RecordKind;
use crate::report::{self, Report, Status};
use crate::transaction::{self, Attempt, Context, Recording, interrupt};
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
    /// Recovers killed runs, asks the chooser, and lands the edits. If the branch moves meanwhile, tries again. If it
    /// fails, the report has what is known. A dry run only reports what would happen.
    pub(super) fn land(&mut self, repo: &Repo, report: &mut Report) -> Result<Tried, Error> {
        if self.is_empty() {
            *report = self.no_edits();
            return Ok((None, None));
        }
        if self.is_unjoined() {
            *report = self.on(repo, &self.target(repo)?).not_joined();
            return Ok((None, None));
        }
        self.flow(repo).recover(&[self.options.branch.as_deref()])?;
        if !self.options.dry_run {
            Attempt::expire(repo);
        }
        if let Some(chooser) = self.order.chooser.clone().filter(|_| !self.options.dry_run) {
            let landed = self.on(repo, &self.target(repo)?).landed()?;
            self.script.landed = landed.edits.keys().copied().collect();
            self.choose(repo, &*chooser)?;
            *report = self.declared();
            if self.order.more && !self.unwanted.is_empty() {
                report.status = Status::Refused;
                report.attempt = self.on(repo, &self.target(repo)?).keep(None, false);
                return Ok((None, None));
            }
        }
        if repo.config().string("commit.template")?.is_some_and(|file| !file.is_empty()) {
            self.watch.detail("commit.template is not used: the edits' reasons are the messages");
        }
        let onto = (self.options.branch.as_deref(), self.base);
        self.flow(repo).retry(onto, |repo, target| self.on(repo, target).land(report))
    }

    fn flow<'f>(&'f self, repo: &'f Repo) -> Flow<'f> {
        Flow { repo, options: &self.options, watch: self.watch }
    }
}

impl Try<'_> {
    /// Resolves the edits for the target, or for the remote's commit `onto` that they are rebased onto, and reports
    /// the result. Returns `None` if nothing is left to land.
    fn resolve_and_report(&self, onto: Option<Oid>, report: &mut Report) -> Result<Option<Resolved>, Error> {
        if self.target.checked_out && !self.options.dry_run {
            self.repo.begin_index();
        }
        let resolved = match self.resolve_onto(onto)? {
            Ok(resolved) => resolved,
            Err(rejected) => {
                *report = self.refused(&rejected);
                return Ok(None);
            }
        };
        *report = self.planned(&resolved);
        if resolved.series.is_empty() {
            if !self.options.dry_run {
                self.forget();
            }
            return Ok(None);
        }
        if !self.options.ff && self.target.start.is_none() {
            return Err(Error::Unborn(self.target.short().to_owned()));
        }
        Ok(Some(resolved))
    }

    /// Resolves the edits and lands them or, in a dry run, reports what would happen.
    fn land(&self, report: &mut Report) -> Result<Tried, Error> {
        let Self { repo, target, .. } = *self;
        let listed = self.listed_by_key(repo)?;
        if let Some(landed) = self.landed_by_key(repo, &listed)? {
            *report = landed;
            return Ok((None, None));
        }
        report.branch = Some(build_report::branch(target));
        let last = listed.first().map(|one| one.id.clone());
        let push = match self.options.dry_run {
            true => Push::default(),
            false => push::ask(repo, target, &self.options)?,
        };
        let Some(mut resolved) = self.resolve_and_report(push.onto, report)? else {
            return Ok((None, None));
        };
        if let Some(onto) = push.onto {
            resolved.series.insert(0, transaction::move_to(repo, target.start, onto)?);
        }
        let merge_message = self.merge_message(&resolved.series)?;
        // If edits are refused, the attempt is still needed.
        let attempts = match resolved.refused {
            Some(_) => Vec::new(),
            None => self.replaced_attempts(),
        };
        let edits: usize = resolved.series.iter().map(|planned| planned.edits.len()).sum();
        let recording = || Recording {
            responses: &self.responses,
            also: self.base.into_iter().collect(),
            // With `--push` the key is not checked again: when the remote has the commits, the landing must not fail.
            key: self.key_digest(repo).filter(|_| push.to.is_none()).map(|key| (key, last)),
            edits: self.edits_to_record(&resolved.plan),
            ..Recording::new(resolved.id.clone(), RecordKind::Landed)
        };
        let context = Context {
            existing: false,
            reflog: reflog(edits, &self.names()),
            cleanup: self.messages.final_cleanup(&self.options),
            watch: self.watch,
            recording: self.options.record.then(recording),
            push: push.to,
            attempts,
        };
        let driver = Driver {
            repo,
            options: &self.options,
            target,
            series: &resolved.series,
            is_rebased: push.onto.is_some(),
            context,
            fill: &|report, made, diffs| {
                build_report::add_commits(report, made);
                if diffs {
                    self.add_diffs(&resolved, made, report);
                }
            },
            edited: Some(&|| {
                self.messages.edited(repo, &resolved.series, merge_message.clone(), &self.options)
            }),
        };
        let (tried, refused) = (driver.land(report), resolved.refused.as_ref());
        let has_landed = matches!(tried, Ok((Some(_), _)));
        match (refused, report.status) {
            (None, Status::Nothing) => self.forget(),
            (Some(rejected), Status::Nothing) => *report = self.refused(rejected),
            (None, _) if !self.order.hold => {}
            _ if interrupt::seen() && !has_landed => {}
            (_, status) => {
                report.attempt = self.keep(refused, has_landed);
                report.status = match status {
                    _ if refused.is_none() => status,
                    Status::Landed if has_landed => Status::PartlyLanded,
                    Status::Checked if self.options.dry_run => status,
                    Status::Landed => status,
                    _ => Status::Refused,
                };
            }
        }
        tried
    }
}

/// Returns the reflog message: one line without control characters.
fn reflog(edits: usize, responses: &str) -> String {
    let responses: String = responses.chars().filter(|c| !report::escape::is_hidden(*c)).collect();
    format!("llm-apply: {} from {responses}", counted(edits, "edit"))
}
