//! What a run's report says of it.

use super::ready::Ready;
use super::run::Run;
use crate::diag::{Code, Diagnostic};
use crate::edit::Edit;
use crate::format::{self, FORMATS};
use crate::path::RepoPath;
use crate::plan::{self, FileState, Node, Rejected, Step};
use crate::report::{self, BranchReport, EditReport, EditState, Report, Status, Unwanted};
use crate::response::Response;
use crate::transaction::{Commits, Obstacle, Planned, Target};
use crate::vcs::Oid;
use crate::vcs::patch::Side;
use crate::vcs::repo::Repo;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Run<'_> {
    fn report(&self, status: Status) -> Report {
        let mut report = Report::new(status);
        report.responses = self.responses.iter().map(|response| response.name().to_owned()).collect();
        report.dry_run = self.dry;
        let mut found: Vec<_> = self.script.regions.iter().map(|region| region.format).collect();
        found.sort_unstable();
        found.dedup();
        match self.options.format {
            Some(only) => report.formats = vec![only],
            None if !found.is_empty() => report.formats = found,
            None => {}
        }
        report.unread = plan::slots(&self.script, |_| true)
            .into_iter()
            .filter(|slot| slot.edit.is_none())
            .map(|slot| report::unread(slot.span, &self.script, &self.responses))
            .collect();
        report.prose =
            self.responses.iter().flat_map(|one| self.script.prose(one)).map(str::to_owned).collect();
        report
    }

    /// There is nothing to apply.
    pub(super) fn no_edits(&self) -> Report {
        let mut report = self.report(Status::NoEdits);
        let formats = FORMATS.iter().filter(|format| match self.options.format {
            Some(only) => only == format.id,
            None => format.is_detected(),
        });
        let looked: Vec<_> =
            formats.map(|format| format!("{} ({})", format.markers, format.name())).collect();
        let names: Vec<_> = self.responses.iter().map(Response::name).collect();
        let message = format!("no edits found in {}", names.join(", "));
        report.error = Some((message, Some(format!("looked for {}", looked.join("; ")))));
        self.findings(&mut report, &self.script.diagnostics);
        for response in &self.responses {
            self.findings(&mut report, &format::seen(response, &self.script, self.options.format));
        }
        report
    }

    fn findings<'d>(&self, report: &mut Report, diagnostics: impl IntoIterator<Item = &'d Diagnostic>) {
        let found = diagnostics.into_iter().map(|d| report::finding(d, &self.script, &self.responses));
        report.findings.extend(found);
    }

    /// Edits are refused; the attempt is kept.
    pub(super) fn refused(&self, repo: &Repo, target: &Target, rejected: &Rejected) -> Report {
        let mut report = self.report(Status::Refused);
        report.branch = Some(branch(target, None, None));
        report.edits = self.edits(repo, target, &rejected.fine);
        self.findings(&mut report, &rejected.diagnostics);
        report.attempt = self.keep(repo, rejected, target, &BTreeSet::new());
        report
    }

    /// What each edit came to.
    fn edits(&self, repo: &Repo, target: &Target, steps: &[Step]) -> Vec<EditReport> {
        let report = |(at, edit): (usize, &Edit)| {
            let step = steps.iter().find(|step| step.edit == at + 1);
            let mut report = report::edit(at + 1, edit, step, &self.responses);
            report.diff = self.diff(repo, target, step);
            if self.script.is_left_out(at) {
                report.state = EditState::NotWanted;
                report.unwanted = Some(Unwanted::default());
            }
            report
        };
        self.script.edits.iter().enumerate().map(report).collect()
    }

    /// The corrections are not whole, so that none of them was taken.
    pub(super) fn not_joined(&self, repo: &Repo, target: &Target) -> Report {
        let mut diagnostics = self.script.diagnostics.clone();
        if let Some(first) = self.script.edits.first() {
            let message = "nothing of an answer that is not whole is joined with the refused attempt";
            let warning = Diagnostic::warning(Code::Malformed, first.span, message);
            diagnostics.push(warning.with_help("ask for all of its edits again"));
        }
        self.refused(repo, target, &Rejected { diagnostics, fine: Vec::new(), resolved: false })
    }

    /// Nothing was done yet with what is ready.
    pub(super) fn planned(&self, repo: &Repo, ready: &Ready, target: &Target) -> Report {
        let nothing = ready.refused.is_none() && ready.series.is_empty();
        let mut report = self.report(if nothing { Status::Nothing } else { Status::Checked });
        report.branch = Some(branch(target, target.tip.map(|id| (id, String::new())), None));
        report.edits = self.edits(repo, target, ready.plan.steps());
        for edit in &mut report.edits {
            if ready.present.contains(&edit.number) {
                edit.state = EditState::AlreadyApplied;
            }
            if let Some(to) = ready.followed.get(&edit.number) {
                edit.to = Some(to.to_string());
            }
        }
        let refused = ready.refused.as_ref().map_or(&[][..], |rejected| &rejected.diagnostics);
        let mut seen: Vec<&Diagnostic> = Vec::new();
        for finding in self.script.diagnostics.iter().chain(ready.plan.warnings()).chain(refused) {
            if !seen.contains(&finding) {
                seen.push(finding);
            }
        }
        self.findings(&mut report, seen);
        report
    }

    /// What an edit changes, where that was asked for. A file that cannot be read any more is passed over: whoever needs
    /// it says so.
    fn diff(&self, repo: &Repo, target: &Target, step: Option<&Step>) -> Option<String> {
        let step = step.filter(|_| self.options.diffs)?;
        let tree = repo.tree(self.base.or(target.start)).ok()?.as_checked_out(target.checked_out);
        let read = |state: &Option<FileState>| -> Option<Option<(u32, Arc<[u8]>)>> {
            let Some(state) = state else { return Some(None) };
            let mode = match state.node {
                Node::File { executable: false } => 0o100_644,
                Node::File { executable: true } => 0o100_755,
                Node::Symlink => 0o120_000,
                Node::Directory | Node::Submodule => return None,
            };
            Some(Some((mode, state.body.read(&tree).ok()?)))
        };
        let mut all = String::new();
        // A move is one difference and not two.
        let moved = step.to.as_ref().and_then(|to| {
            let find = |path: &RepoPath| step.changes.iter().find(|change| change.path == *path);
            let (from, to) = (find(&step.path)?, find(to)?);
            (from.after.is_none() && to.before.is_none()).then_some((from, to))
        });
        for change in &step.changes {
            let (before, after) = match moved {
                Some((from, _)) if change.path == from.path => continue,
                Some((from, to)) if change.path == to.path => (from, to),
                _ => (change, change),
            };
            let (old, new) = (read(&before.before)?, read(&after.after)?);
            all += &repo
                .patch(
                    old.as_ref().map(|(mode, bytes)| Side { path: before.path.as_str(), bytes, mode: *mode }),
                    new.as_ref().map(|(mode, bytes)| Side { path: after.path.as_str(), bytes, mode: *mode }),
                )
                .ok()?;
        }
        Some(all)
    }

    /// It has landed.
    pub(super) fn landed(
        &self,
        repo: &Repo,
        report: &mut Report,
        target: &Target,
        series: &[Planned],
        commits: &Commits,
    ) {
        report.status = Status::Landed;
        let named = |id: Oid| (id.to_string(), repo.short(id));
        for (planned, commit) in series.iter().zip(commits) {
            for edit in report.edits.iter_mut().filter(|edit| planned.edits.contains(&edit.number)) {
                match commit {
                    Some(commit) => {
                        edit.state = EditState::Landed;
                        edit.commit = Some(named(*commit));
                    }
                    None => edit.state = EditState::NoChange,
                }
            }
        }
        // Edits that undo each other within one commit are in none.
        for edit in report.edits.iter_mut().filter(|edit| edit.state == EditState::Fine) {
            edit.state = EditState::NoChange;
        }
        let end = |id: Option<Oid>| id.map(|id| (id, repo.short(id)));
        let new = commits.iter().flatten().next_back().copied();
        let mut moved = branch(target, end(target.tip), end(new));
        moved.merge = commits.len() > series.len();
        report.branch = Some(moved);
    }
}

/// Names what is in the way; where edits are refused too, that comes first.
pub(super) fn in_the_way(report: &mut Report, obstacles: &[Obstacle], refused: bool) {
    report.status = if refused { Status::Refused } else { Status::InTheWay };
    report.obstacles = obstacles.iter().map(|one| (one.kind(), one.subject(), one.to_string())).collect();
    report.obstacle_help = obstacles.iter().map(|one| one.help().to_owned()).collect();
}

pub(super) fn branch(
    target: &Target,
    old: Option<(Oid, String)>,
    new: Option<(Oid, String)>,
) -> BranchReport {
    let text = |end: Option<(Oid, String)>| end.map(|(id, short)| (id.to_string(), short));
    BranchReport {
        reference: target.name.clone(),
        name: target.short().to_owned(),
        old: text(old),
        new: text(new),
        checked_out: target.checked_out,
        merge: false,
    }
}
