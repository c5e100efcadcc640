//! Builds the report of a run.

use super::Error;
use super::resolve_onto::Resolved;
use super::run::{Run, SingleEdit, Try};
use super::withheld::Withheld;
use crate::diag::{Code, Diagnostic};
use crate::edit::{Edit, Op};
use crate::format;
use crate::plan::{self, FileChange, FileState, Node, Rejected, SlotState, Step};
use crate::report::{
    self, BranchReport, CommitName, EditState, FailedCheck, Obstacle, Problem, Report, Status,
};
use crate::response::Response;
use crate::span::Span;
use crate::transaction::{self, Made, Target};
use crate::vcs::Oid;
use crate::vcs::patch::Side;
use crate::vcs::repo::Repo;
use crate::vcs::tree::mode_of;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

impl Run<'_> {
    /// Returns a report with everything that does not depend on the edits.
    fn new_report(&self, status: Status) -> Report {
        let mut report = Report::new(status);
        report.responses = self.responses.iter().map(|response| response.name().to_owned()).collect();
        report.asked.clone_from(&self.options.asked);
        report.dry_run = self.options.dry_run;
        report.instructions.delete = self.options.allow_delete;
        report.is_asked_again = self.order.more;
        report.is_held = self.order.attempt.is_some() && self.order.responses.is_empty();
        let kept = self.resumed().into_iter().flat_map(|(attempt, _)| &attempt.slots);
        report.settled = kept.filter(|slot| slot.state == SlotState::Landed).count();
        if let Some(SingleEdit { at, .. }) = self.single_edit {
            // The rest of the report is about the whole response.
            report.formats = self.script.edits.get(at).map(|edit| edit.format).into_iter().collect();
            return report;
        }
        let mut found: Vec<_> = self.script.regions.iter().map(|region| region.format).collect();
        found.sort_unstable();
        found.dedup();
        let reading = &self.options.reading;
        if reading.is_restricted() {
            report.formats.clone_from(&reading.formats);
        } else if !found.is_empty() {
            report.formats = found;
        }
        self.add_unread(&mut report, &self.script.diagnostics);
        report.prose =
            self.responses.iter().flat_map(|one| self.script.prose(one)).map(str::to_owned).collect();
        report
    }

    /// Returns the report of the edits before anything is resolved.
    pub(super) fn declared(&self) -> Report {
        let mut report = self.new_report(Status::Failed);
        self.add_edits(&mut report, &[]);
        let wanted = report.edits.iter_mut().filter(|edit| edit.state != EditState::NotWanted);
        wanted.for_each(|edit| edit.state = EditState::Unresolved);
        report
    }

    /// Adds the edits to the report with what is known about each. `steps` are the resolved ones.
    fn add_edits(&self, report: &mut Report, steps: &[Step]) {
        let steps = by_edit(steps);
        for at in self.reported() {
            let Some(edit) = self.script.edits.get(at) else { continue };
            let step = steps.get(&(at + 1)).copied();
            let mut shown = report::edit(at + 1, edit, step, &self.responses);
            if step.is_none() {
                shown.path = self.script.shown_path(at);
            }
            shown.unwanted = self.unwanted.get(&(at + 1)).cloned();
            if self.script.left_out.contains(&at) {
                shown.state = EditState::NotWanted;
                shown.unwanted.get_or_insert_default();
            }
            if let Some(commit) = self.landed.borrow().edits.get(&at) {
                if let Some(directory) = &self.options.directory {
                    shown.path = format!("{directory}/{}", shown.path);
                }
                shown.state = EditState::AlreadyApplied;
                shown.commit = Some(commit_name(*commit));
            }
            report.edits.push(shown);
        }
    }

    /// If there is nothing to do because the edits landed before, names that landing.
    fn name_landing(&self, report: &mut Report) {
        let landed = self.landed.borrow();
        if report.status == Status::Nothing {
            report.already.clone_from(&landed.newest);
            report.landing = landed.newest.as_ref().map(|(id, _)| id.clone());
        }
    }

    /// Returns the report of responses that contain no edits.
    pub(super) fn no_edits(&self) -> Report {
        let mut report = self.new_report(Status::NoEdits);
        let names: Vec<_> = self.responses.iter().map(Response::name).collect();
        let message = format!("no edits found in {}", names.join(", "));
        self.add_findings(&mut report, &self.script.diagnostics);
        let mut seen = plan::list_pending(&self.script);
        for response in &self.responses {
            seen.extend(format::seen(response, &self.script));
        }
        self.add_findings(&mut report, &seen);
        report.error = Some(Problem::new("no-edits", message));
        report
    }

    /// Adds the edits that could not be parsed, as the findings say, and the code blocks that no format reads.
    fn add_unread(&self, report: &mut Report, findings: &[Diagnostic]) {
        let mut slots = plan::slots(&self.script, |_| true);
        plan::add_gaps(&mut slots, findings);
        let declared: Vec<Span> =
            slots.iter().filter(|slot| slot.edit.is_none()).map(|slot| slot.span).collect();
        let others = self.script.unread.iter().filter(|unread| !declared.contains(&unread.span));
        let others = others.map(|unread| report::not_read(unread, &self.responses));
        let declared =
            declared.iter().map(|span| report::unread(*span, findings, &self.script, &self.responses));
        report.unread = declared.chain(others).collect();
    }

    fn add_findings<'d>(&self, report: &mut Report, diagnostics: impl IntoIterator<Item = &'d Diagnostic>) {
        let found = diagnostics.into_iter().map(|d| report::finding(d, &self.script, &self.responses));
        report.findings.extend(found);
    }
}

impl Try<'_> {
    /// Returns the report of refused edits, and keeps the attempt.
    pub(super) fn refused(&self, rejected: &Rejected) -> Report {
        let mut report = self.new_report(Status::Refused);
        report.branch = Some(branch(self.target));
        self.add_edits(&mut report, &rejected.fine);
        self.name_landing(&mut report);
        let steps = by_edit(if self.options.diffs { &rejected.fine } else { &[] });
        for edit in &mut report.edits {
            edit.diff = steps.get(&edit.number).and_then(|step| self.difference(step, &step.changes));
        }
        self.add_findings(&mut report, &rejected.diagnostics);
        self.add_unread(&mut report, &rejected.diagnostics);
        report.attempt = self.keep(Some(rejected), false);
        self.withhold(&rejected.fine, &mut report);
        report
    }

    /// Returns the report of corrections that are cut off. None of them was used.
    pub(super) fn not_joined(&self) -> Report {
        let mut diagnostics = self.script.diagnostics.clone();
        if let Some(first) = self.script.edits.first() {
            let message = "the response is cut off, so none of it is joined with the refused attempt";
            let warning = Diagnostic::warning(Code::Malformed, first.span, message);
            diagnostics.push(warning.with_help("ask for all of its edits again"));
        }
        self.refused(&Rejected { diagnostics, fine: Vec::new(), resolved: false })
    }

    /// Returns the report of a plan before it lands.
    pub(super) fn planned(&self, resolved: &Resolved) -> Report {
        let nothing = resolved.refused.is_none() && resolved.series.is_empty();
        let mut report = self.new_report(if nothing { Status::Nothing } else { Status::Checked });
        let old = self.target.tip.map(commit_name);
        report.branch = Some(BranchReport { old, ..branch(self.target) });
        self.add_edits(&mut report, resolved.plan.steps());
        for edit in &mut report.edits {
            if let Some(state) = resolved.unchanged.get(&edit.number) {
                edit.state = *state;
            }
            if let Some(to) = resolved.followed.get(&edit.number) {
                edit.to = Some(to.to_string());
            }
        }
        self.name_landing(&mut report);
        if self.options.diffs {
            self.add_diffs(resolved, &Made::default(), &mut report);
        }
        let found = match &resolved.refused {
            Some(rejected) => &rejected.diagnostics,
            None => resolved.plan.warnings(),
        };
        self.add_findings(&mut report, found.iter().chain(&resolved.decided));
        self.withhold(resolved.plan.steps(), &mut report);
        report
    }

    /// Lists the files whose text the report contains although they are withheld from models, so that feedback leaves
    /// that text out.
    ///
    /// Lists all files with text if it cannot be found out which files are withheld, or if an edit moves or copies a
    /// withheld file: later edits would show its text under another path.
    fn withhold(&self, steps: &[Step], report: &mut Report) {
        let quoted = report.findings.iter().filter(|finding| finding.evidence.is_some());
        let quoted = quoted.filter_map(|finding| Some((finding.path.clone()?, finding.edit)));
        let shown = report.edits.iter().filter(|edit| edit.diff.is_some());
        let shown =
            shown.flat_map(|edit| [Some(edit.path.clone()), edit.to.clone()].map(|path| (path, edit.number)));
        let shown = shown.filter_map(|(path, number)| Some((path?, Some(number))));
        let paths: BTreeSet<(String, Option<usize>)> = quoted.chain(shown).collect();
        let start = self.target.start;
        let Some(commit) = self.base.or(start).filter(|_| !paths.is_empty()) else { return };
        let commits: Vec<Oid> = self.base.into_iter().chain(start).collect();
        let withheld = Withheld::read(self.repo, &commits, &self.options.exclude, &self.options.named);
        let files = match &withheld {
            Ok(withheld) if withheld.decides_by_name() => {
                Some(self.script.edits.iter().map(|edit| [edit.path.shown(), edit.path.shown()]).collect())
            }
            _ => self.files(commit).ok(),
        };
        let (Ok(withheld), Some(files)) = (withheld, files) else {
            let why = "what no model is shown cannot be read";
            report.withheld = paths.into_iter().map(|(path, _)| (path, why)).collect();
            return;
        };
        let of_edit = |number: usize| {
            let named = files.get(number.wrapping_sub(1)).into_iter().flatten();
            named.into_iter().find_map(|path| withheld.reason(path))
        };
        let moves = |edit: &Edit| matches!(edit.op, Op::Rename { .. } | Op::Copy { .. });
        let mut moved = (1..).zip(&self.script.edits).filter(|(_, edit)| moves(edit));
        let of_step =
            |step: &Step| step.changes.iter().find_map(|change| withheld.reason(change.path.as_str()));
        let moved = moved.find_map(|(number, _)| of_edit(number));
        let moved = moved.or_else(|| steps.iter().filter(|step| step.to.is_some()).find_map(of_step));
        let reason = |(path, number): (String, Option<usize>)| {
            let why = moved.or_else(|| withheld.reason(&path)).or_else(|| of_edit(number?))?;
            // The reason may end in a hint such as ": name it to send it", which does not apply here.
            Some((path, why.split(':').next().unwrap_or(why)))
        };
        report.withheld = paths.into_iter().filter_map(reason).collect();
    }

    /// Returns for each edit the path of its file in the base, and the path to which earlier edits move that file.
    fn files(&self, commit: Oid) -> Result<Vec<[String; 2]>, Error> {
        let rules = self.rules(self.repo, self.target.start)?;
        Ok(plan::files(&self.script, &self.repo.tree(Some(commit))?, &rules)?)
    }

    /// Adds the diff of each edit. If the edit was merged or a hook changed its commit, that is the diff of the commit.
    pub(super) fn add_diffs(&self, resolved: &Resolved, made: &Made, report: &mut Report) {
        let changed: HashMap<String, Oid> = made.changed_by_hooks().map(|id| (id.to_string(), id)).collect();
        let merged = resolved.series.iter().filter(|_| resolved.merged);
        let merged: HashMap<usize, &[FileChange]> = merged
            .flat_map(|planned| planned.edits.iter().map(|edit| (*edit, planned.changes.as_slice())))
            .collect();
        let steps = by_edit(resolved.plan.steps());
        for edit in &mut report.edits {
            edit.diff = match edit.commit.as_ref().and_then(|commit| changed.get(&commit.id)) {
                Some(commit) => self.repo.patch_of(*commit).ok(),
                None if edit.diff.is_some() => continue,
                None => steps.get(&edit.number).and_then(|step| {
                    let nothing = if resolved.merged { &[][..] } else { &step.changes };
                    let changes = merged.get(&edit.number).copied().unwrap_or(nothing);
                    self.difference(step, changes)
                }),
            };
        }
    }

    /// Returns the diff of an edit's changes; `None` if a file cannot be read.
    pub(super) fn difference(&self, step: &Step, changes: &[FileChange]) -> Option<String> {
        let Self { repo, target, .. } = *self;
        let tree = repo.tree(self.base.or(target.start)).ok()?.as_checked_out(target.checked_out);
        let read = |state: &Option<FileState>| -> Option<Option<(u32, Arc<[u8]>)>> {
            let Some(state) = state else { return Some(None) };
            match state.node {
                Node::Directory | Node::Submodule => None,
                node => Some(Some((mode_of(node), state.body.read(&tree).ok()?))),
            }
        };
        let mut all = String::new();
        // A moved file is one diff, from the old path to the new one.
        let gone = changes.iter().filter(|change| change.after.is_none());
        let mut gone: HashMap<&str, &FileChange> =
            gone.map(|change| (change.path.as_str(), change)).collect();
        let is_single_move =
            gone.len() == 1 && changes.iter().filter(|change| change.before.is_none()).count() == 1;
        let mut source = |change: &FileChange| {
            let to = step.to.as_ref().filter(|_| change.before.is_none())?;
            let rest = change.path.as_str().strip_prefix(to.as_str());
            let from = rest.map(|rest| format!("{}{rest}", step.path));
            let only = gone.keys().next().filter(|_| is_single_move).map(|only| (*only).to_owned());
            gone.remove(only.or(from)?.as_str())
        };
        let sources: Vec<_> = changes.iter().map(|change| source(change).unwrap_or(change)).collect();
        for (before, after) in sources.into_iter().zip(changes) {
            if after.after.is_none() && !gone.contains_key(after.path.as_str()) {
                continue;
            }
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
}

/// Adds to each edit the commit that was made for it.
pub(super) fn add_commits(report: &mut Report, made: &Made) {
    for one in &made.commits {
        for number in &one.edits {
            if let Ok(at) = report.edits.binary_search_by_key(number, |edit| edit.number) {
                report.edits[at].commit = one.id.map(commit_name);
            }
        }
    }
    // Edits that cancel each other out have no commit.
    for edit in report.edits.iter_mut().filter(|edit| edit.state == EditState::Fine) {
        if edit.commit.is_none() {
            edit.state = EditState::NoChange;
        }
    }
}

/// Returns the steps by the numbers of their edits.
fn by_edit(steps: &[Step]) -> HashMap<usize, &Step> {
    steps.iter().map(|step| (step.edit, step)).collect()
}

/// Marks the report and its edits as landed, after the branch has moved.
pub(super) fn landed(report: &mut Report) {
    report.status = Status::Landed;
    for edit in report.edits.iter_mut().filter(|edit| edit.commit.is_some() && edit.state == EditState::Fine)
    {
        edit.state = EditState::Landed;
    }
}

/// Adds obstacles. The status says so, unless edits are refused as well.
pub(super) fn in_the_way(report: &mut Report, mut obstacles: Vec<Obstacle>) {
    // `accept` has no `-b`, and for `undo` it names the branch to undo on, so it is no way out there.
    if report.undone.is_none() && report.accepted.is_empty() {
        let of_checkout = obstacles.iter_mut().filter(|one| one.kind.is_of_checkout());
        of_checkout.for_each(|one| one.help += ", or use -b <branch>");
    }
    if report.status != Status::Refused {
        report.status = Status::InTheWay;
    }
    report.obstacles = obstacles;
}

/// Adds an error. The status says so, unless edits are refused as well.
pub(super) fn failed(report: &mut Report, error: &Error) {
    if let Error::Mismatch(mismatch) = error {
        report.status = Status::Refused;
        report.error = Some(Problem::new(report::MISMATCH, mismatch.to_string()));
    } else if report.status != Status::Refused {
        report.status = Status::Failed;
    }
    if let Error::Transaction(transaction::Error::Exec(failure) | transaction::Error::Hook(failure)) = error {
        report.failed = Some(FailedCheck { message: failure.to_string(), output: failure.printed() });
    }
}

/// Returns a commit's name.
pub(super) fn commit_name(id: Oid) -> CommitName {
    id.to_string().into()
}

/// Returns a commit's subject; empty if the commit cannot be read.
pub(super) fn subject(repo: &Repo, id: Oid) -> String {
    repo.read_commit(id).map_or_else(|_| String::new(), |commit| commit.subject())
}

/// Returns the report of a branch, without its old and new tip.
pub(super) fn branch(target: &Target) -> BranchReport {
    let (reference, name) = (target.name.clone(), target.short().to_owned());
    BranchReport { reference, name, checked_out: target.checked_out, ..BranchReport::default() }
}
