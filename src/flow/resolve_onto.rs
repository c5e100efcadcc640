//! Resolves edits at the base, makes commits of them, and carries the commits onto the current tip of the branch.

use super::run::{SingleEdit, Try};
use super::{Error, conflict};
use crate::diag::{Code, Diagnostic, Evidence, Severity};
use crate::edit::Script;
use crate::path::RepoPath;
use crate::plan::{self, Outcome, Plan, Rejected, Rules};
use crate::report::EditState;
use crate::report::escape::shell_word;
use crate::transaction::{self, Carried, Clash, ClashKind, Planned, Recording};
use crate::vcs::Oid;
use crate::vcs::repo::Repo;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The resolved edits, and the commits to make of them.
pub(super) struct Resolved {
    /// The id of the landing to be made.
    pub(super) id: String,
    pub(super) plan: Plan,
    pub(super) series: Vec<Planned>,
    /// Whether the series was merged with newer commits of the branch or of the remote.
    pub(super) merged: bool,
    /// The edits that change nothing, because the branch has their result already or because `-X ours` kept its lines.
    pub(super) unchanged: BTreeMap<usize, EditState>,
    /// For edits whose file was moved on the branch: the path where the edit lands.
    pub(super) followed: BTreeMap<usize, RepoPath>,
    /// The warnings about conflicts that `-X` resolved.
    pub(super) decided: Vec<Diagnostic>,
    /// The refused edits, with `--keep-going`.
    pub(super) refused: Option<Rejected>,
}

impl Try<'_> {
    /// Resolves the edits at the base. If the target has moved on since, or if they are rebased onto the remote's
    /// commit `rebased`, merges the commits onto that. The inner error has the refused edits.
    pub(super) fn resolve_onto(&self, rebased: Option<Oid>) -> Result<Result<Resolved, Rejected>, Error> {
        let Self { repo, target, .. } = *self;
        let base = self.base.or(target.start);
        let rules = self.rules(repo, target.start)?;
        repo.forget_precompressed();
        let will_land = !self.options.dry_run && Repo::pays_to_precompress(self.reported().len());
        if will_land && self.options.record {
            self.responses.iter().for_each(|response| repo.precompress_response(response));
        }
        // If the commits are merged later, the resolved contents are not what lands, so nothing is compressed ahead.
        let will_land = will_land && rebased.is_none() && base == target.start;
        let tree = repo.tree(base)?.as_checked_out(target.checked_out).for_landing(will_land);
        let mut script = self.without_landed(&rules)?;
        let may_touch = |plan: &Plan| {
            let mut changes = plan.steps().iter().flat_map(|step| &step.changes);
            changes.all(|change| plan::objection(&change.path, &rules).is_none())
        };
        let mut resolved = match &self.single_edit {
            // The edit was resolved against the same tree already. The plan can be used unless this branch has other
            // sensitive paths, such as those of its hooks.
            Some(SingleEdit { resolved: Some(resolved), .. })
                if base == self.base
                    && self.landed.borrow().is_empty()
                    && resolved.as_ref().map_or(true, may_touch) =>
            {
                resolved.clone()
            }
            Some(SingleEdit { at, .. }) => {
                script.to_mut().leave_out(|edit| edit == Some(*at));
                plan::resolve(&script, &tree, &rules)?
            }
            None => plan::resolve(&script, &tree, &rules)?,
        };
        if let Err(rejected) = &mut resolved {
            repo.forget_precompressed();
            self.name_versions(&rules, rejected)?;
        }
        let (plan, refused) = match resolved {
            Ok(plan) => (plan, None),
            Err(rejected) if self.options.keep_going => (rejected.remainder(), Some(rejected)),
            Err(rejected) => return Ok(Err(rejected)),
        };
        let id = self.landing_id()?;
        let series = self.series(&plan, &id)?;
        let (unchanged, followed, decided) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        let resolved = Resolved { id, plan, series, merged: false, unchanged, followed, decided, refused };
        let resolved = match (base, rebased.or(target.start)) {
            (Some(from), Some(onto)) if from != onto || rebased.is_some() => {
                self.carry(&rules, [from, onto], resolved)?
            }
            _ => Ok(resolved),
        };
        Ok(match resolved {
            Ok(Resolved { refused: Some(rejected), series, .. }) if series.is_empty() => Err(rejected),
            resolved => resolved,
        })
    }

    /// Returns the script without the edits that have landed, and without the blocks that show what these changed.
    fn without_landed(&self, rules: &Rules) -> Result<Cow<'_, Script>, Error> {
        let landed = self.landed()?;
        let mut script = match landed.is_empty() {
            true => Cow::Borrowed(&self.script),
            false => Cow::Owned(landed.without(&self.script)),
        };
        let first = landed.edits.values().next().copied();
        if let Some(commit) = first.filter(|_| !script.pending.is_empty()) {
            let before = self.repo.read_commit(commit)?.parents.first().copied();
            plan::drop_shown(script.to_mut(), &self.repo.tree(before)?, rules)?;
        }
        self.landed.replace(landed);
        Ok(script)
    }

    /// Merges the commits, which were resolved at `from`, onto the commit `onto`.
    fn carry(
        &self,
        rules: &Rules,
        [from, onto]: [Oid; 2],
        mut resolved: Resolved,
    ) -> Result<Result<Resolved, Rejected>, Error> {
        let (checked_out, favor) = (self.target.checked_out, self.options.favor);
        let carried = transaction::carry(self.repo, from, onto, &resolved.series, checked_out, favor)?;
        let (plan, series) = (&resolved.plan, &resolved.series);
        let carrying = Carrying { run: self, plan, series, carried: &carried };
        let (clashes, failed) = carrying.clashes(rules);
        let decided = carrying.decided();
        if !clashes.is_empty() {
            let mut diagnostics = match &resolved.refused {
                Some(rejected) => rejected.diagnostics.clone(),
                None => plan.warnings().to_vec(),
            };
            diagnostics.extend(clashes);
            let fine = plan.steps().iter().filter(|step| !failed.contains(&step.edit)).cloned().collect();
            let rejected = Rejected { diagnostics, fine, resolved: resolved.refused.is_none() };
            if !self.options.keep_going {
                return Ok(Err(rejected));
            }
            resolved.plan = rejected.remainder();
            resolved.refused = Some(rejected);
        }
        for (at, (planned, new)) in resolved.series.iter().zip(&carried.series).enumerate() {
            let paths = |of: &Planned| -> BTreeSet<RepoPath> {
                of.changes.iter().map(|change| change.path.clone()).collect()
            };
            let (old_paths, new_paths) = (paths(planned), paths(new));
            let gone: Vec<_> = old_paths.difference(&new_paths).collect();
            let come: Vec<_> = new_paths.difference(&old_paths).collect();
            if let ([from], [to]) = (gone.as_slice(), come.as_slice()) {
                let about = |step: &&plan::Step| planned.edits.contains(&step.edit) && step.path == **from;
                let edits = resolved.plan.steps().iter().filter(about).filter(|step| step.to.is_none());
                resolved.followed.extend(edits.map(|step| (step.edit, (**to).clone())));
            }
            if new.changes.is_empty() {
                let is_decided = carried.decided.iter().any(|clash| clash.planned == at);
                let state = if is_decided { EditState::NoChange } else { EditState::AlreadyApplied };
                let edits = planned.edits.iter().filter(|edit| !failed.contains(edit));
                resolved.unchanged.extend(edits.map(|edit| (*edit, state)));
            }
        }
        let has_failed = |planned: &Planned| planned.edits.iter().any(|edit| failed.contains(edit));
        let lands = |planned: &Planned| !planned.changes.is_empty() && !has_failed(planned);
        let series = carried.series.into_iter().filter(lands).collect();
        Ok(Ok(Resolved { series, merged: true, decided, ..resolved }))
    }

    /// Returns the id of the landing.
    fn landing_id(&self) -> Result<String, Error> {
        // With `--branch-per-edit`, edits of one response land from the same commit. The index makes their ids differ.
        let at = self.single_edit.as_ref().map_or_else(String::new, |single| single.at.to_string());
        Ok(Recording::id_for(self.repo, self.target, &[&self.digest(self.repo), &at])?)
    }
}

/// The commits of edits before and after they were carried onto the branch.
struct Carrying<'a> {
    run: &'a Try<'a>,
    plan: &'a Plan,
    /// The commits as they were resolved at the base.
    series: &'a [Planned],
    carried: &'a Carried,
}

impl Carrying<'_> {
    /// Returns the errors about conflicts, and the numbers of the edits that fail.
    fn clashes(&self, rules: &Rules) -> (Vec<Diagnostic>, BTreeSet<usize>) {
        let mut found = Vec::new();
        let mut failed = BTreeSet::new();
        for clash in &self.carried.clashes {
            let Some(planned) = self.series.get(clash.planned) else { continue };
            failed.extend(&planned.edits);
            found.extend(self.clash(planned, clash));
        }
        // If the branch has moved a file, the policy may forbid changing it at its new path.
        for (planned, Planned { changes, .. }) in self.series.iter().zip(&self.carried.series) {
            let named: BTreeSet<&RepoPath> = planned.changes.iter().map(|change| &change.path).collect();
            for change in changes.iter().filter(|change| !named.contains(&change.path)) {
                if let Some((code, message)) = plan::objection(&change.path, rules) {
                    failed.extend(&planned.edits);
                    let message = format!("{} moved the file: {message}", self.run.target.short());
                    found.extend(self.error_about(planned, change.path.as_str(), code, message));
                }
            }
        }
        (found, failed)
    }

    /// Returns the error about a conflict.
    fn clash(&self, planned: &Planned, clash: &Clash) -> Option<Diagnostic> {
        let (branch, path, options) = (self.run.target.short(), &clash.path, &self.run.options);
        if let ClashKind::BuildsOn(earlier) = clash.kind {
            let earlier = self.series.get(earlier).and_then(|planned| planned.edits.first().copied());
            let message = format!("`{path}` depends on an edit that is refused");
            let diagnostic = self.error_about(planned, path, Code::Conflict, message)?;
            let Some(earlier) = earlier else { return Some(diagnostic) };
            let help = format!(
                "edit {earlier}, which is refused too, adds this file or its lines: correct that one first"
            );
            let evidence = Evidence { builds_on: Some(earlier), ..Evidence::default() };
            return Some(diagnostic.with_help(help).with_evidence(evidence));
        }
        let (code, message) = conflict::explain(clash, [branch, &self.other_side(), "the edit"], None)?;
        let diagnostic = self.error_about(planned, path, code, message)?;
        let mut help = match &options.base {
            Some(base) => format!(
                "ask for the edit again, on {branch} as it is now; or land on a new branch at {base}: -b <new> --base {}",
                shell_word(base)
            ),
            None => "run 'git pull --rebase', then apply the response again".to_owned(),
        };
        if let Some(favor) = conflict::help(clash).filter(|_| options.favor.is_none()) {
            help = format!("{help}; or {favor}");
        }
        let diagnostic = diagnostic.with_help(help);
        Some(diagnostic.with_evidence(conflict::evidence(clash)))
    }

    /// Returns the warnings about conflicts that `-X` resolved.
    fn decided(&self) -> Vec<Diagnostic> {
        let Some(favor) = self.run.options.favor else { return Vec::new() };
        let (branch, on) = (self.run.target.short(), self.other_side());
        let one = |clash: &Clash| {
            let (code, message) = conflict::explain(clash, [branch, &on, "the edit"], Some(favor))?;
            let error = self.error_about(self.series.get(clash.planned)?, &clash.path, code, message)?;
            Some(Diagnostic { severity: Severity::Warning, ..error })
        };
        self.carried.decided.iter().filter_map(one).collect()
    }

    /// Returns how messages name the other side of the merge: the branch since the base or, with `--rebase`, the
    /// branch on the remote.
    fn other_side(&self) -> String {
        let branch = self.run.target.short();
        match &self.run.options.base {
            Some(base) => format!("{branch} since {base}"),
            None => format!("{branch} on the remote"),
        }
    }

    /// Returns an error about the edit of the commit that changes this path. If there is none, it is about the
    /// commit's first edit.
    fn error_about(&self, planned: &Planned, path: &str, code: Code, message: String) -> Option<Diagnostic> {
        let step = |number: usize| self.plan.steps().iter().find(|step| step.edit == number);
        let is_about = |number: &&usize| {
            step(**number).is_some_and(|step| {
                step.outcome == Outcome::Changes
                    && step.changes.iter().any(|change| change.path.as_str() == path)
            })
        };
        let number = *planned.edits.iter().find(is_about).or(planned.edits.first())?;
        let edit = self.run.script.edits.get(number.checked_sub(1)?)?;
        Some(Diagnostic::error(code, edit.span, message).for_edit(number, edit.path.shown()))
    }
}
