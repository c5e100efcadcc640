//! What is to land: the edits resolved at what the model was shown, made into commits, and brought onto the branch as it
//! is now.

use super::Run;
use crate::cli::Error;
use crate::diag::{Code, Diagnostic, Evidence, Nearest};
use crate::path::RepoPath;
use crate::plan::{self, Outcome, Plan, Rejected, Rules};
use crate::transaction::{self, Carried, Clash, ClashKind, Planned, Target};
use crate::vcs::repo::Repo;
use std::collections::BTreeSet;

/// How many lines of a conflict are quoted.
const QUOTED: usize = 12;

/// The commits to be made.
pub(super) struct Ready {
    /// The edits that are in them, or need not be.
    pub(super) plan: Plan,
    pub(super) series: Vec<Planned>,
    /// The edits whose result the branch has had since the base.
    pub(super) present: BTreeSet<usize>,
    /// What is refused beside them, with `--keep-going`.
    pub(super) refused: Option<Rejected>,
}

impl Run {
    /// Resolves at the base, and merges onto the target where that has moved on.
    pub(super) fn ready(&self, repo: &Repo, target: &Target) -> Result<Result<Ready, Rejected>, Error> {
        let shown = match &self.settings.base {
            Some(base) => Some(repo.commit_of(base)?),
            None => target.start,
        };
        let rules = self.rules(repo)?;
        let resolved = plan::resolve(&self.script, &repo.tree(shown)?, &rules)?;
        let (mut plan, mut refused) = match resolved {
            Ok(plan) => (plan, None),
            Err(rejected) if self.settings.keep_going => (rejected.remainder(), Some(rejected)),
            Err(rejected) => return Ok(Err(rejected)),
        };
        let mut series = self.series(&plan);
        let mut present = BTreeSet::new();
        if let (Some(from), Some(onto)) = (shown, target.start)
            && from != onto
        {
            // A handle of its own, since its writes are turned away from the repository.
            let carried = transaction::carry(&Repo::discover()?, from, onto, &series)?;
            let (clashes, failed) = self.clashes(&plan, &series, &carried, target, &rules);
            if !clashes.is_empty() {
                let mut diagnostics = match &refused {
                    Some(rejected) => rejected.diagnostics.clone(),
                    None => plan.warnings().to_vec(),
                };
                diagnostics.extend(clashes);
                let fine = plan.steps().iter().filter(|step| !failed.contains(&step.edit)).cloned().collect();
                let rejected = Rejected { diagnostics, fine };
                if !self.settings.keep_going {
                    return Ok(Err(rejected));
                }
                plan = rejected.remainder();
                refused = Some(rejected);
            }
            for (planned, changes) in series.iter_mut().zip(carried.changes) {
                planned.changes = changes;
                if planned.changes.is_empty() {
                    present.extend(planned.edits.iter().filter(|edit| !failed.contains(edit)));
                }
            }
            series.retain(|planned| {
                !planned.changes.is_empty() && !planned.edits.iter().any(|edit| failed.contains(edit))
            });
        }
        match refused {
            Some(rejected) if series.is_empty() => Ok(Err(rejected)),
            refused => Ok(Ok(Ready { plan, series, present, refused })),
        }
    }

    /// What cannot be brought over, and the edits that it is about.
    fn clashes(
        &self,
        plan: &Plan,
        series: &[Planned],
        carried: &Carried,
        target: &Target,
        rules: &Rules,
    ) -> (Vec<Diagnostic>, BTreeSet<usize>) {
        let mut found = Vec::new();
        let mut failed = BTreeSet::new();
        for clash in &carried.clashes {
            let Some(planned) = series.get(clash.planned) else { continue };
            failed.extend(&planned.edits);
            found.extend(self.clash(plan, planned, clash, target));
        }
        // A file that the branch has moved may now lie where edits may not reach.
        for (planned, changes) in series.iter().zip(&carried.changes) {
            let named: BTreeSet<&RepoPath> = planned.changes.iter().map(|change| &change.path).collect();
            for change in changes.iter().filter(|change| !named.contains(&change.path)) {
                if let Some((code, message)) = plan::objection(&change.path, rules) {
                    failed.extend(&planned.edits);
                    let message = format!("{} has moved the file: {message}", target.short());
                    found.extend(self.about(plan, planned, change.path.as_str(), code, message));
                }
            }
        }
        (found, failed)
    }

    fn clash(&self, plan: &Plan, planned: &Planned, clash: &Clash, target: &Target) -> Option<Diagnostic> {
        let base = self.settings.base.as_deref().unwrap_or_default();
        let (branch, path) = (target.short(), &clash.path);
        let (message, line) = match &clash.kind {
            ClashKind::Lines(lines) => match lines.first() {
                Some(first) => {
                    let all: Vec<String> = lines.iter().map(ToString::to_string).collect();
                    let message = format!(
                        "`{path}` was changed on {branch} since {base} where the edit changes it, at {}",
                        all.join(", ")
                    );
                    (message, Some(*first))
                }
                None => {
                    (format!("`{path}` was changed on {branch} since {base} where the edit changes it"), None)
                }
            },
            ClashKind::Gone => (format!("`{path}` was removed or moved away on {branch} since {base}"), None),
            ClashKind::Appeared => (format!("`{path}` appeared on {branch} since {base}"), None),
            ClashKind::Changed => {
                (format!("`{path}`, which the edit takes away, was changed on {branch} since {base}"), None)
            }
        };
        let diagnostic = self.about(plan, planned, path, Code::Conflict, message)?;
        let diagnostic = diagnostic.with_help(format!(
            "ask for the edit again on {branch} as it is now; or land on a new branch at {base}: -b <new> --base {base}"
        ));
        let Some((lines, text)) = line.zip(clash.text.as_ref()) else { return Some(diagnostic) };
        let last = lines.last.min(lines.first + QUOTED - 1).min(text.line_count());
        let shown =
            text.lines(lines.first - 1..last).map(|line| String::from_utf8_lossy(line.text).into_owned());
        // There is nothing to compare it with.
        let nearest = Nearest { line: lines.first, lines: shown.collect(), ..Nearest::default() };
        Some(diagnostic.with_evidence(Evidence { nearest: Some(nearest), ..Evidence::default() }))
    }

    /// An error about the edit of a commit that is about a path, else about its first.
    fn about(
        &self,
        plan: &Plan,
        planned: &Planned,
        path: &str,
        code: Code,
        message: String,
    ) -> Option<Diagnostic> {
        let step = |number: usize| plan.steps().iter().find(|step| step.edit == number);
        let is_about = |number: &&usize| {
            step(**number).is_some_and(|step| {
                step.outcome == Outcome::Changes
                    && step.changes.iter().any(|change| change.path.as_str() == path)
            })
        };
        let number = *planned.edits.iter().find(is_about).or(planned.edits.first())?;
        let edit = self.script.edits.get(number.checked_sub(1)?)?;
        Some(Diagnostic::error(code, edit.span, message).for_edit(number, &edit.path.raw))
    }
}
