//! Undo and redo. If nothing was built on the landing and no remote has it, the branch moves back. Otherwise each
//! commit is reverted by a new commit, by a three-way merge as in `git revert`.
//!
//! A redo is the undo of an undo.

use super::done::{self, Done};
use super::driver::{Driver, Flow};
use super::landing::{Branch, Landing, Left, UndoStep, UndoSteps};
use super::messages::{self, Messages};
use super::{Error, Numbers, Options, Watch, build_report, history, push};
use crate::diag::{Code, Severity};
use crate::message;
use crate::report::record::RecordKind;
use crate::report::{EditReport, EditState, Finding, Report, Undone, UndoneCommit};
use crate::transaction::{self, Carried, Clash, Context, Made, Recording, Target};
use crate::vcs::Oid;
use crate::vcs::repo::Repo;
use std::collections::HashSet;

/// What to undo or redo.
#[derive(Debug, Clone, Default)]
pub struct Undo {
    /// The landing's id or one of its commits; `None` for the newest landing on the branch.
    pub name: Option<String>,
    /// The edits to undo; all of them if empty.
    pub edits: Numbers,
    /// Redo the landing instead of undoing it.
    pub redo: bool,
}

/// Undoes a landing, or redoes it.
pub fn undo(repo: &Repo, what: &Undo, options: &Options, watch: &dyn Watch) -> Done {
    let flow = Flow { repo, options, watch };
    flow.land(options.branch.as_deref(), |flow, target, report| Undoing { flow, what, target }.land(report))
}

struct Undoing<'a> {
    flow: Flow<'a>,
    what: &'a Undo,
    target: &'a Target,
}

/// The commits to land.
struct UndoPlan {
    carried: Carried,
    /// The steps. Clashes refer to them by index. Unless the branch moves back, the last commits of the series are
    /// the steps' commits.
    steps: Vec<UndoStep>,
    /// Whether the branch moves back to its old tip, without new commits.
    moves_back: bool,
    /// The commits that stay as they are.
    left: Vec<Left>,
    /// The recorded reports of the landing's edits.
    edits: Vec<EditReport>,
    /// Whether it undoes or redoes the landing.
    kind: RecordKind,
}

impl UndoPlan {
    /// Returns the index of a step's commit in the series.
    fn commit_of_step(&self, step: usize) -> Option<usize> {
        (self.carried.series.len() + step).checked_sub(self.steps.len()).filter(|_| !self.moves_back)
    }

    /// Returns the numbers of the edits of all its commits.
    fn numbers(&self) -> HashSet<usize> {
        let steps = self.steps.iter().flat_map(|step| &step.edits);
        steps.chain(self.left.iter().flat_map(|left| &left.edits)).copied().collect()
    }

    /// Whether a step changes nothing, because the branch lacks the changes already or because `-X ours` kept its
    /// lines.
    fn changes_nothing(&self, step: usize) -> bool {
        let planned = self.commit_of_step(step).and_then(|at| self.carried.series.get(at));
        !self.moves_back && planned.is_none_or(|planned| planned.changes.is_empty())
    }
}

impl Undoing<'_> {
    fn land(&self, report: &mut Report) -> Result<done::Tried, Error> {
        let Self { what, target, flow: Flow { repo, options, watch } } = *self;
        let Some(tip) = target.tip else {
            return Err(match &options.branch {
                Some(branch) if !target.is_head => Error::NoBranch(branch.clone()),
                _ => self.nothing_to_undo(),
            });
        };
        let records = history::records(repo, watch)?;
        let branch = Branch { repo, target, tip, records: &records };
        let landing = branch.choose(what.name.as_deref(), what.redo)?;
        let landing = landing.ok_or_else(|| self.nothing_to_undo())?;
        let push = push::ask(repo, target, options)?;
        let id = Recording::id_for(repo, target, &[&landing.id])?;
        let mut plan = self.plan(&landing, tip, push.onto, &id)?;
        let kind = plan.kind;
        report.undone = Some(Undone { id: landing.of.clone(), kind });
        let is_part = landing.id != landing.of && !plan.numbers().is_superset(&landing.numbers());
        report.undone_in_part = what.edits.last().is_some() || is_part;
        if (0..plan.steps.len()).all(|step| plan.changes_nothing(step)) {
            plan.carried.series.clear();
        } else if let (Some(onto), true) = (push.onto, plan.carried.clashes.is_empty()) {
            plan.carried.series.insert(0, transaction::move_to(repo, target.start, onto)?);
        }
        let fill = |report: &mut Report, made: &Made, _| self.fill(report, &plan, made);
        if plan.carried.clashes.is_empty() {
            fill(report, &Made::default(), false);
            report.findings = self.warnings_of_left(&plan, &report.edits);
        }
        let verb = if kind == RecordKind::Undone { "undo" } else { "redo" };
        let context = Context {
            existing: true,
            reflog: format!("llm-apply: {verb} {}", landing.of),
            cleanup: Messages::read(repo, options)?.final_cleanup(options),
            watch,
            recording: options.record.then(|| Recording {
                of: Some(landing.of.clone()),
                // If the branch moves back, only the record keeps its commits.
                also: vec![tip],
                ..Recording::new(id, kind)
            }),
            push: push.to,
            attempts: Vec::new(),
        };
        let driver = Driver {
            repo,
            options,
            target,
            series: &plan.carried.series,
            is_rebased: push.onto.is_some(),
            context,
            fill: &fill,
            edited: None,
        };
        let named = |clash: &Clash| {
            let commit = plan.steps.get(clash.planned).map(|step| repo.short(step.now));
            format!("commit {}", commit.unwrap_or_default())
        };
        driver.land_existing(&plan.carried, &named, report)
    }

    fn nothing_to_undo(&self) -> Error {
        let branch = self.target.short();
        let verb = if self.what.redo { "redo" } else { "undo" };
        Error::NothingToUndo(format!("nothing to {verb} on {branch}"))
    }

    /// Adds the landing's commits and edits to the report.
    fn fill(&self, report: &mut Report, plan: &UndoPlan, made: &Made) {
        report.undone_commits = self.commits(plan, made);
        let numbers = plan.numbers();
        let wanted = &self.what.edits;
        report.edits.clone_from(&plan.edits);
        report.edits.retain(|edit| numbers.contains(&edit.number));
        for edit in &mut report.edits {
            let of_it = plan.steps.iter().zip(&report.undone_commits);
            let mut of_it = of_it.filter(|(step, _)| step.edits.contains(&edit.number));
            let done = of_it.rfind(|(_, commit)| commit.state != EditState::NoChange);
            edit.commit = done.and_then(|(_, commit)| commit.new.clone());
            edit.state = match done {
                Some(_) if made.tip().is_none() => EditState::Fine,
                Some(_) if plan.kind == RecordKind::Undone => EditState::TakenBack,
                Some(_) => EditState::Landed,
                None if wanted.last().is_some() && !wanted.hold(edit.number) => EditState::NotWanted,
                None => EditState::NoChange,
            };
            if edit.state == EditState::NotWanted {
                edit.unwanted.get_or_insert_default();
            }
        }
    }

    /// Returns the warnings about commits that stay as they are.
    fn warnings_of_left(&self, plan: &UndoPlan, edits: &[EditReport]) -> Vec<Finding> {
        let (mut found, wanted) = (Vec::new(), &self.what.edits);
        let is_decided = |at: usize| plan.carried.decided.iter().any(|clash| clash.planned == at);
        let unchanged = plan.steps.iter().enumerate();
        let unchanged = unchanged.filter(|(at, _)| plan.changes_nothing(*at) && !is_decided(*at));
        let unchanged = unchanged.map(|(_, step)| {
            let why = format!("changes nothing on {} any more", self.target.short());
            Left { commit: step.now, edits: step.edits.clone(), why }
        });
        for left in plan.left.iter().cloned().chain(unchanged) {
            let message = format!("left alone: commit {} {}", self.flow.repo.short(left.commit), left.why);
            let finding = Finding::new(Code::NoChange, Severity::Warning, message);
            if left.edits.is_empty() {
                found.push(finding.clone());
            }
            for number in left.edits.iter().filter(|number| wanted.last().is_none() || wanted.hold(**number))
            {
                let path = edits.iter().find(|edit| edit.number == *number).map(|edit| edit.path.clone());
                found.push(Finding { edit: Some(*number), path, ..finding.clone() });
            }
        }
        found
    }

    /// Makes the commits that undo the landing, on top of the branch's tip or of the remote's commit `onto`.
    fn plan(&self, landing: &Landing, tip: Oid, onto: Option<Oid>, id: &str) -> Result<UndoPlan, Error> {
        let (repo, target) = (self.flow.repo, self.target);
        let is_whole = self.what.edits.last().is_none();
        let (edits, kind) = (landing.edits(repo)?, landing.opposite());
        let mut steps = landing.steps(repo, target, onto.unwrap_or(tip))?;
        let removed = landing.added_commits(repo)?;
        if let Some(old) = landing.old
            && is_whole
            && landing.new == tip
            && onto.is_none()
            // A push is never forced.
            && (self.flow.options.push.is_none() || repo.contains(old, tip)?)
            && !landing.added_others()
            && !removed.iter().any(|id| landing.is_foreign(*id))
            && (removed.is_empty() || !(repo.is_on_a_remote(&removed)? || repo.is_built_on(tip)?))
        {
            let series = vec![transaction::move_to(repo, Some(tip), old)?];
            let carried = Carried { series, ..Carried::default() };
            let UndoSteps { done: steps, left } = steps;
            return Ok(UndoPlan { carried, steps, moves_back: true, left, edits, kind });
        }
        if !is_whole {
            steps = self.keep_named_edits(landing, steps)?;
        }
        let UndoSteps { done: steps, left } = steps;
        let commits: Vec<_> = steps.iter().map(|step| step.replayed).collect();
        let mut carried = transaction::replay(repo, onto.unwrap_or(tip), &commits, self.flow.options.favor)?;
        for (planned, step) in carried.series.iter_mut().zip(&steps) {
            if step.replayed.reversed {
                planned.message = transaction::revert_message(&repo.read_commit(step.now)?);
            }
            // A record lists only commits with edits, so a commit without known edits gets the number 0.
            planned.edits = if step.edits.is_empty() { vec![0] } else { step.edits.clone() };
            if self.flow.options.trailers && step.replayed.reversed {
                planned.message = message::with_undo(
                    &planned.message,
                    id,
                    kind.as_str(),
                    &landing.of,
                    &messages::marks(repo)?,
                );
            }
        }
        Ok(UndoPlan { carried, steps, moves_back: false, left, edits, kind })
    }

    /// Returns what becomes of each commit, for the report.
    fn commits(&self, plan: &UndoPlan, made: &Made) -> Vec<UndoneCommit> {
        // Nothing is made yet: in a dry run, and before the landing.
        let is_planned = made.tip().is_none();
        let one = |(at, step): (usize, &UndoStep)| {
            let (replayed, now) = (step.replayed, step.now);
            let done = match replayed.reversed {
                _ if is_planned => EditState::Fine,
                true => EditState::TakenBack,
                false => EditState::Landed,
            };
            let new = match plan.commit_of_step(at) {
                Some(at) => made.commits.get(at).and_then(|one| one.id),
                None => {
                    Some(replayed.commit).filter(|_| plan.moves_back && !replayed.reversed && !is_planned)
                }
            };
            UndoneCommit {
                commit: build_report::commit_name(now),
                subject: build_report::subject(self.flow.repo, now),
                state: if plan.changes_nothing(at) { EditState::NoChange } else { done },
                new: new.map(build_report::commit_name),
            }
        };
        plan.steps.iter().enumerate().map(one).collect()
    }

    /// Keeps only the steps of the edits that the user named. The other steps are left as they are.
    fn keep_named_edits(&self, landing: &Landing, steps: UndoSteps) -> Result<UndoSteps, Error> {
        let UndoSteps { done, mut left } = steps;
        let wanted = &self.what.edits;
        let known = landing.numbers();
        if let Some(unknown) = wanted.last().filter(|last| !known.contains(last)) {
            let message = format!("the landing {} has no edit {unknown} in a commit", landing.id);
            return Err(Error::NothingToUndo(message));
        }
        let (done, others): (Vec<_>, Vec<_>) =
            done.into_iter().partition(|step| step.edits.iter().any(|edit| wanted.hold(*edit)));
        let untouched = |step: UndoStep| Left { commit: step.now, edits: step.edits, why: String::new() };
        left.extend(others.into_iter().map(untouched));
        left.retain(|left| !left.edits.is_empty());
        for UndoStep { now, edits, .. } in &done {
            if !edits.iter().all(|edit| wanted.hold(*edit)) {
                let edits = edits.iter().map(usize::to_string).collect();
                return Err(Error::Inseparable { edits, commit: self.flow.repo.short(*now) });
            }
        }
        Ok(UndoSteps { done, left })
    }
}
