//! Keeps the refused attempt of a run, and removes attempts that a landing replaces.

use super::Error;
use super::run::{Run, Try};
use crate::diag::{Code, Diagnostic};
use crate::plan::{self, Rejected, Slot, SlotState};
use crate::report::{Report, Status};
use crate::transaction::{Attempt, KeptText, Listed};
use crate::vcs::repo::Repo;
use std::collections::{BTreeSet, HashSet};

impl Run<'_> {
    /// Saves a response that did not land if the user has no other copy of it (`keep_whole`). It is saved as an
    /// attempt if `--continue` can try it again, else as plain text. After an interrupt it is not saved.
    pub(super) fn keep_response(
        &self,
        repo: &Repo,
        landed: bool,
        failure: Option<&Error>,
        report: &mut Report,
    ) {
        let status = report.status;
        let is_asked_again =
            self.order.more && failure.is_none() && matches!(status, Status::NoEdits | Status::Refused);
        if self.options.dry_run
            || !self.options.keep_whole
            || is_asked_again
            || failure.is_some_and(Error::is_interrupt)
        {
            return;
        }
        if landed {
            return KeptText::Response.forget(repo);
        }
        let is_lost = failure.is_some()
            || matches!(report.status, Status::NoEdits | Status::Refused | Status::InTheWay);
        if !is_lost || report.attempt.is_some() {
            return;
        }
        // A mistyped `--only` or `--except` was meant to select edits, so an attempt with all edits would be wrong.
        let is_typo = matches!(failure, Some(Error::Usage(_)));
        let can_go_on =
            !self.script.edits.is_empty() && (self.order.attempt.is_none() || self.resumed().is_some());
        if can_go_on && !is_typo && !self.script.has_errors() {
            report.attempt =
                self.target(repo).ok().and_then(|target| self.on(repo, &target).keep(None, false));
        }
        if report.attempt.is_none() {
            KeptText::keep_responses(repo, &self.order.responses, self.watch);
        }
    }

    /// Returns the name of this run's attempt. With `--branch-per-edit`, each edit has an attempt of its own.
    fn attempt_id(&self, repo: &Repo) -> String {
        Attempt::id_of(repo, &self.responses, self.single_edit.as_ref().map(|edit| edit.at))
    }
}

impl Try<'_> {
    /// Keeps the run as an attempt for `--continue`, and returns its name if it could be kept. `landed` says whether
    /// the edits that were not refused have landed.
    pub(super) fn keep(&self, rejected: Option<&Rejected>, landed: bool) -> Option<String> {
        if self.is_unjoined() {
            // Corrections alone are not an attempt: the edits of the attempt that they correct are missing.
            return None;
        }
        let attempt = self.attempt(rejected, landed);
        let mut id = None;
        if self.options.keep && (self.order.hold || !self.options.dry_run) {
            match attempt.keep(self.repo) {
                Ok(()) => id = Some(attempt.listed.id.clone()),
                Err(error) => self.watch.warn(&format!("cannot keep the attempt: {error}")),
            }
        }
        self.refused.replace(Some(attempt));
        id
    }

    /// Makes the attempt, with the state of each edit.
    fn attempt(&self, rejected: Option<&Rejected>, landed: bool) -> Attempt {
        let diagnostics = rejected.map_or(&[][..], |rejected| &rejected.diagnostics);
        let fine: Option<BTreeSet<usize>> =
            rejected.map(|rejected| rejected.fine.iter().map(|step| step.edit).collect());
        let is_fine = |at: usize| fine.as_ref().is_none_or(|fine| fine.contains(&(at + 1)));
        let (id, mut slots, mut kept, mut readings) = match self.resumed() {
            Some((Attempt { listed, readings, slots: kept, .. }, slots)) => {
                let mut slots = slots.to_vec();
                plan::restate(&mut slots, &self.script, is_fine);
                // Edits of the attempt that landed earlier, with `--keep-going`.
                let landed = kept.iter().filter(|kept| kept.state == SlotState::Landed).copied();
                (listed.id.clone(), slots, landed.collect(), readings.clone())
            }
            None => {
                let slots = plan::slots(&self.script, is_fine);
                (self.attempt_id(self.repo), slots, Vec::new(), Vec::new())
            }
        };
        let fails_only_with = |at: usize, why: fn(&Diagnostic) -> bool| {
            let about = |d: &&Diagnostic| d.is_error() && d.edit == Some(at + 1);
            let mut about = diagnostics.iter().filter(about).peekable();
            about.peek().is_some() && about.all(why)
        };
        let is_dependence = |d: &Diagnostic| d.evidence.as_ref().is_some_and(|e| e.builds_on.is_some());
        plan::add_gaps(&mut slots, diagnostics);
        for slot in &mut slots {
            let has_landed = |at| (landed && is_fine(at)) || self.landed.borrow().edits.contains_key(&at);
            let is_declined = |at: usize| self.order.more && self.unwanted.contains_key(&(at + 1));
            // With `--branch-per-edit`, the other edits land on their own branches.
            if slot.edit.is_some_and(|at| !self.reported().contains(&at) || has_landed(at)) {
                slot.state = SlotState::Landed;
            } else if slot.edit.is_some_and(is_declined) {
                slot.state = SlotState::Declined;
            } else if slot.state == SlotState::Failed
                && let Some(at) = slot.edit
            {
                slot.state = match () {
                    () if fails_only_with(at, is_dependence) => SlotState::Waiting,
                    () if self.order.more && fails_only_with(at, |d| d.code.forbids_file()) => {
                        SlotState::Forbidden
                    }
                    () => SlotState::Failed,
                };
            }
        }
        let failed = self.failed_paths(&slots, diagnostics);
        let mut paths = self.script.paths_of(self.reported());
        // `paths` lacks the paths of declined edits and of edits that could not be parsed.
        let others: Vec<_> = failed.iter().flatten().filter(|path| !paths.contains(path)).cloned().collect();
        paths.extend(others);
        kept.extend(slots);
        readings.resize(self.responses.len(), self.options.reading.clone());
        let options = &self.options;
        // Edits that applied at the base but conflict with the branch must be corrected on the branch's current tip.
        let base = self.base.filter(|_| !rejected.is_some_and(|rejected| rejected.resolved));
        Attempt {
            listed: Listed {
                branch: options.branch.clone(),
                target: Some(self.target.name.clone()),
                paths,
                failed,
                ..Listed::new(id, &self.responses)
            },
            base: base.map(|id| id.to_string()),
            key: options.key.clone(),
            asked: options.asked.clone(),
            options: options.given.clone(),
            readings,
            slots: kept,
            responses: self.responses.clone(),
        }
    }

    /// Returns the paths of the failed and declined edits, each once. Returns `None` if one of the paths is unknown,
    /// or if the response is cut off, since any file could follow.
    fn failed_paths(&self, slots: &[Slot], diagnostics: &[Diagnostic]) -> Option<Vec<String>> {
        if diagnostics.iter().any(|one| one.is_error() && one.code == Code::Truncated) {
            return None;
        }
        let is_unsettled =
            |state| matches!(state, SlotState::Failed | SlotState::Forbidden | SlotState::Declined);
        let failed = slots.iter().filter(|slot| is_unsettled(slot.state));
        let path = |slot: &Slot| match slot.edit {
            Some(at) => Some(self.script.edits.get(at)?.path.shown()),
            None => plan::path_of_gap(slot, diagnostics),
        };
        let mut paths: Vec<String> = failed.map(path).collect::<Option<_>>()?;
        let mut seen = HashSet::new();
        paths.retain(|path| seen.insert(path.clone()));
        Some(paths)
    }

    /// Removes the attempts that this landing replaces.
    pub(super) fn forget(&self) {
        for id in self.replaced_attempts() {
            if let Err(error) = Attempt::forget(self.repo, &id) {
                self.watch.warn(&format!("cannot forget the refused attempt: {error}"));
            }
        }
    }

    /// Returns the names of the attempts that this landing replaces. With `--continue` that is the continued attempt.
    /// Otherwise these are attempts with the same responses, and attempts for the same branch that name no other
    /// paths.
    pub(super) fn replaced_attempts(&self) -> Vec<String> {
        match self.resumed() {
            Some((attempt, _)) => vec![attempt.listed.id.clone()],
            None => {
                let paths = self.script.paths_of(self.reported());
                let paths = paths.iter().map(String::as_str).collect();
                Attempt::replaced(self.repo, || self.attempt_id(self.repo), &self.target.name, &paths)
            }
        }
    }
}
