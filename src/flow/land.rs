//! Landing what responses say: recover first, resolve, transact, and again where the branch has moved meanwhile.

use super::bring::{Bring, OfEdits, recover, tell_of_hooks, while_it_moves};
use super::choose::Chooser;
use super::done::{Done, Moved};
use super::observer::Observer;
use super::resolve_onto::Resolved;
use super::run::{Order, Run};
use super::{Error, Options, Watch, build_report, push};
use crate::report::record::RecordKind;
use crate::report::{self, Report, Status};
use crate::transaction::{self, Attempt, Recording, Target, Transaction, interrupt};
use crate::vcs::Oid;
use crate::vcs::repo::Repo;
use std::cell::{OnceCell, RefCell};

/// Lands all that the responses say, or nothing.
pub fn land(repo: Repo, order: Order, options: &Options, watch: &dyn Watch) -> Done {
    let observer = Observer::new(watch);
    let chooser = order.chooser.clone();
    let (mut run, begun) = Run::read(&repo, order, options, &observer, false);
    let (mut report, mut fresh) = (run.declared(), None);
    let outcome = begun.and_then(|()| run.tries(&repo, &mut fresh, chooser.as_deref(), &mut report));
    let has_landed = match &outcome {
        Ok(moved) => moved.is_some(),
        Err(error) => matches!(error, Error::Transaction(transaction::Error::Unfinished { .. })),
    };
    run.settle_text(&repo, has_landed);
    run.settle_answer(&repo, has_landed, outcome.as_ref().err(), &mut report);
    let refused = run.refused.and_then(RefCell::into_inner);
    let brought = outcome.map(|moved| (moved, None));
    Done { refused, ..Done::of(report, brought, &observer, fresh.unwrap_or(repo)) }
}

impl Run<'_> {
    /// Lands, and tries again where the branch moves meanwhile. If it fails, the report has what is known. What has the commits in the end
    /// may be another handle.
    fn tries(
        &mut self,
        repo: &Repo,
        fresh: &mut Option<Repo>,
        chooser: Option<&dyn Chooser>,
        report: &mut Report,
    ) -> Result<Option<Moved>, Error> {
        if self.is_over(repo, report)? {
            return Ok(None);
        }
        self.tell_of_messages(repo)?;
        tell_of_hooks(repo, &self.options, self.watch)?;
        recover(repo, self.options.lock_timeout, &[self.options.branch.as_deref()], self.watch)?;
        Attempt::expire(repo);
        if let Some(chooser) = chooser {
            let landed = self.landed(repo, &self.target(repo)?)?;
            self.script.landed = landed.edits.keys().copied().collect();
            self.choose(repo, chooser)?;
            *report = self.declared();
            if self.more && !self.unwanted.is_empty() {
                report.status = Status::Refused;
                return Ok(None);
            }
        }
        while_it_moves(repo, fresh, &self.options, self.watch, |repo, first| self.land(repo, first, report))
    }

    /// Whether there is nothing to resolve; the report says so then.
    pub(super) fn is_over(&self, repo: &Repo, report: &mut Report) -> Result<bool, Error> {
        if self.is_empty() {
            *report = self.no_edits();
        } else if self.unjoined {
            *report = self.not_joined(repo, &self.target(repo)?);
        }
        Ok(self.is_empty() || self.unjoined)
    }

    /// Resolves the edits for a target, or for what is to be there first, and says in the report what they come to. None if
    /// nothing is left to land.
    pub(super) fn ready(
        &self,
        repo: &Repo,
        target: &Target,
        onto: Option<Oid>,
        report: &mut Report,
    ) -> Result<Option<Resolved>, Error> {
        let resolved = match self.resolve_onto(repo, target, onto)? {
            Ok(resolved) => resolved,
            Err(rejected) => {
                *report = self.refused(repo, target, &rejected);
                return Ok(None);
            }
        };
        if target.checked_out && !self.dry {
            repo.begin_index();
        }
        *report = self.planned(repo, &resolved, target);
        if resolved.series.is_empty() {
            if !self.dry {
                self.forget(repo, target);
            }
            return Ok(None);
        }
        self.check_merge(target)?;
        Ok(Some(resolved))
    }

    /// Lands on the target that was chosen at the first try.
    pub(super) fn land(
        &self,
        repo: &Repo,
        first: &OnceCell<Target>,
        report: &mut Report,
    ) -> Result<Option<Moved>, Error> {
        let listed = self.listed_by_key(repo)?;
        if let Some(landed) = self.landed_by_key(repo, &listed)? {
            *report = landed;
            return Ok(None);
        }
        let target = self.target(repo)?;
        report.branch = Some(build_report::branch(&target));
        first.get_or_init(|| target.clone()).check_same(&target)?;
        let last = listed.first().map(|one| one.id.clone());
        let (push, onto) = push::way(repo, &target, &self.options)?;
        let Some(mut resolved) = self.ready(repo, &target, onto, report)? else { return Ok(None) };
        if let Some(onto) = onto {
            resolved.series.insert(0, push::move_to(repo, &target, onto)?);
        }
        let joined = self.joined(repo, &resolved.series)?;
        // What was refused of it is kept.
        let attempts = match resolved.refused {
            Some(_) => Vec::new(),
            None => self.replaced_attempts(repo, &target),
        };
        let is_replacing = !attempts.is_empty();
        let edits: usize = resolved.series.iter().map(|planned| planned.edits.len()).sum();
        let bring = Bring {
            repo,
            options: &self.options,
            watch: self.watch,
            target: &target,
            series: &resolved.series,
            reflog: reflog(edits, &self.names()),
            cleanup: self.messages.last_cleanup(&self.options),
            recording: Recording {
                responses: &self.responses,
                also: self.base.into_iter().collect(),
                // What a remote has taken is not taken back.
                key: self.key_digest(repo).filter(|_| push.is_none()).map(|key| (key, last.clone())),
                edits: self.to_list(repo, &resolved.plan),
                ..Recording::new(resolved.id.clone(), RecordKind::Landed)
            },
            push,
            fill: &|report, made, abbreviate| {
                self.made(repo, report, &resolved.series, made, abbreviate);
            },
            of_edits: Some(OfEdits {
                show: &|report, made| self.show(repo, &target, &resolved, made, report),
                edited: &|transaction: &Transaction<'_>| {
                    self.edited(transaction, &resolved.series, joined.clone())
                },
                attempts,
                spare: self.spare.as_deref(),
            }),
        };
        let (made, moved) = match bring.land(report) {
            Ok(Some(landed)) => landed,
            Ok(None) if report.status == Status::Nothing => {
                match &resolved.refused {
                    Some(rejected) => *report = self.refused(repo, &target, rejected),
                    None => self.forget(repo, &target),
                }
                return Ok(None);
            }
            stopped => {
                if let Some(rejected) = resolved.refused.as_ref().filter(|_| !interrupt::seen()) {
                    report.attempt = self.keep(repo, &target, Some(rejected), false);
                    if report.status != Status::Landed {
                        report.status = Status::Refused;
                    }
                }
                return stopped.map(|_| None);
            }
        };
        if self.options.diffs && !made.changed_by_hooks.is_empty() {
            self.show(repo, &target, &resolved, &made, report);
        }
        match &resolved.refused {
            Some(rejected) => {
                report.status = Status::PartlyLanded;
                report.attempt = self.keep(repo, &target, Some(rejected), true);
            }
            // Says so if one could not be forgotten.
            None if is_replacing => self.forget(repo, &target),
            None => {}
        }
        Ok(Some(moved))
    }
}

/// The reflog's message: one line without control characters.
fn reflog(edits: usize, responses: &str) -> String {
    let responses: String = responses.chars().filter(|c| !report::escape::is_hidden(*c)).collect();
    let edits = if edits == 1 { "1 edit".to_owned() } else { format!("{edits} edits") };
    format!("llm-apply: {edits} from {responses}")
}
