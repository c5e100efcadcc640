//! Taking a landing back, or putting it back: the branch goes to where it was, if nothing came after and nobody has it;
//! else by commits that do the opposite, as `git revert` makes them, one for each, by a three-way merge.
//!
//! Both are one thing: what was done last with the branch is done the other way round. To put back is to take back what
//! took it back.

use super::land::{Done, Moved, Told, recover, while_it_moves};
use super::messages::{self, Messages};
use super::{Error, Numbers, Options, Watch, build_report, conflict, copied, landing};
use crate::message;
use crate::report::record::RecordKind;
use crate::report::{self, BranchReport, EditState, Finding, Report, Status, UndoneCommit};
use crate::transaction::{
    self, Clash, Landed, Made, Planned, Recording, Replayed, Target, Transaction, interrupt,
};
use crate::vcs::Oid;
use crate::vcs::merge::Favor;
use crate::vcs::repo::Repo;
use landing::Landing;
use std::cell::OnceCell;
use std::collections::HashSet;

/// What is to be taken back, or put back.
#[derive(Debug, Clone, Default)]
pub struct Undo {
    /// The landing, by its id or one of its commits; without one the newest on the branch.
    pub name: Option<String>,
    /// These edits of it only, if any are named.
    pub edits: Numbers,
    /// Whether it is to be put back.
    pub redo: bool,
}

/// Takes a landing back, or puts one back that was. Of `options` those count that say where, how commits are made, and
/// what judges them.
///
/// # Errors
/// There is no such landing, or it is not on the branch; or the world went wrong, and nothing has changed unless the error
/// says so.
pub fn undo(repo: &Repo, what: &Undo, options: &Options, watch: &dyn Watch) -> Result<Done, Error> {
    recover(repo, options.lock_timeout, watch)?;
    let first = OnceCell::new();
    while_it_moves(options, |_| {
        // Anew each time: a quarantine was this handle's object store.
        let repo = repo.open_again()?;
        let (report, moved) = Undoing { repo: &repo, what, options, watch }.land(&first)?;
        Ok(Done { report, failure: None, moved, repo })
    })
}

struct Undoing<'a> {
    repo: &'a Repo,
    what: &'a Undo,
    options: &'a Options,
    watch: &'a dyn Watch,
}

/// A commit that is done once more, or the other way round, and the edits that it holds.
type Step = (Replayed, Vec<usize>);

/// How that comes about.
enum Way {
    /// The branch goes back behind it, or to it.
    Moved,
    /// By the commit of the series with this number.
    Made(usize),
    /// It is so already, or the branch's side is favoured.
    Nothing,
}

/// What is to land.
#[derive(Default)]
struct Plan {
    series: Vec<Planned>,
    /// What each clash is about has its number here.
    steps: Vec<Step>,
    /// One for each of them.
    ways: Vec<Way>,
    clashes: Vec<Clash>,
    /// What is merged only because one side is favoured.
    decided: Vec<Clash>,
}

impl Undoing<'_> {
    fn land(&self, first: &OnceCell<Target>) -> Result<(Report, Option<Moved>), Error> {
        let repo = self.repo;
        let target = Target::choose(repo, self.options.branch.as_deref(), None)?;
        first.get_or_init(|| target.clone()).check_same(&target)?;
        let Some(tip) = target.tip else {
            return Err(match &self.options.branch {
                Some(branch) if !target.is_head => Error::NoBranch(branch.clone()),
                _ => Error::NothingToUndo(format!("{} has no commit", target.short())),
            });
        };
        let landing = landing::choose(repo, self.what, &target, tip, self.watch)?;
        let id = Recording::id_for(repo, &target, &[&landing.id])?;
        let plan = self.plan(&landing, &target, tip, &id)?;
        let kind = landing.opposite();
        let mut report = Report::new(Status::Nothing);
        report.formats.clear();
        let branch = |new: Option<Oid>| {
            let named = |id: Oid| (id.to_string(), repo.short(id));
            Some(BranchReport { old: Some(named(tip)), new: new.map(named), ..build_report::branch(&target) })
        };
        report.branch = branch(None);
        report.undone = Some((kind, landing.of.clone()));
        report.undone_in_part = self.what.edits.last().is_some();
        let found = |clashes: &[Clash], favor: Option<Favor>| -> Vec<Finding> {
            let one = |clash: &Clash| {
                let commit = plan.steps.get(clash.planned).map(|(replayed, _)| repo.short(replayed.commit));
                let commit = format!("commit {}", commit.unwrap_or_default());
                conflict::finding(clash, target.short(), &commit, favor)
            };
            clashes.iter().map(one).collect()
        };
        report.findings = found(&plan.decided, self.options.favor);
        if !plan.clashes.is_empty() {
            report.status = Status::Refused;
            report.findings = found(&plan.clashes, None);
            return Ok((report, None));
        }
        if plan.series.is_empty() {
            return Ok((report, None));
        }
        let recorded_edits = landing.edits(repo)?;
        let held = interrupt::hold();
        let landed_as = |made: &Made| {
            let mut report = report.clone();
            report.status = Status::Landed;
            report.edits.clone_from(&recorded_edits);
            report.edits.retain(|edit| plan.steps.iter().any(|(_, edits)| edits.contains(&edit.number)));
            report.undone_commits = self.commits(&plan, made);
            for edit in &mut report.edits {
                let of_it = plan.steps.iter().zip(&report.undone_commits);
                let mut of_it = of_it.filter(|((_, edits), _)| edits.contains(&edit.number));
                let done = of_it.rfind(|(_, commit)| commit.state != EditState::NoChange);
                edit.commit = done.and_then(|(_, commit)| commit.new.clone());
                edit.state = match kind {
                    _ if done.is_none() => EditState::NoChange,
                    RecordKind::Undone => EditState::TakenBack,
                    _ => EditState::Landed,
                };
            }
            report.branch = branch(made.tip());
            report.landing = self.options.record.then(|| id.clone());
            report
        };
        let landed = match self.transact(&target, tip, &landing, &id, &plan, &landed_as) {
            Ok(landed) => landed,
            Err(Error::Transaction(transaction::Error::InTheWay(obstacles))) => {
                build_report::in_the_way(&mut report, &obstacles);
                return Ok((report, None));
            }
            Err(Error::Transaction(transaction::Error::Nothing)) => return Ok((report, None)),
            Err(error) => return Err(error),
        };
        drop(held);
        report = landed_as(&landed.made);
        for what in &landed.by_git {
            self.watch.detail(what);
        }
        if target.checked_out {
            repo.tell_of_new_index();
        }
        repo.maintain();
        Ok((report, Some((landed.old, landed.new))))
    }

    fn transact(
        &self,
        target: &Target,
        tip: Oid,
        landing: &Landing,
        id: &str,
        plan: &Plan,
        landed_as: &dyn Fn(&Made) -> Report,
    ) -> Result<Landed, Error> {
        let repo = self.repo;
        let describe = |made: &Made, landed: bool| {
            let mut report = landed_as(made);
            if !landed {
                report.status = Status::Checked;
            }
            report::json(&report, 0).unwrap_or_default()
        };
        let recorded = |made: &Made| report::json(&landed_as(made), 0).unwrap_or_default();
        let record = self.options.record.then(|| Recording {
            edits: Vec::new(),
            id: id.to_owned(),
            kind: landing.opposite(),
            of: Some(landing.of.clone()),
            responses: &[],
            report: &recorded,
            // Where the branch goes back, its commits have no other name.
            also: vec![tip],
        });
        let verb = if landing.opposite() == RecordKind::Undone { "undo" } else { "redo" };
        let options = transaction::Options {
            lock_timeout: self.options.lock_timeout,
            no_verify: !self.options.verify,
            merge: false,
            again: true,
            exec: self.options.exec.clone(),
            exec_each: self.options.exec_each,
            scratch_dir: self.options.scratch_dir.clone(),
            keep_scratch: self.options.keep_scratch,
            reflog: format!("llm-apply: {verb} {}", landing.of),
            author: self.options.author.clone(),
            sign: self.options.sign.clone(),
            cleanup: Messages::read(repo, self.options)?.last_cleanup(self.options),
            describe: &describe,
            progress: &Told(self.watch),
            autostash: self.options.autostash,
            record,
            push: None,
            spare: None,
        };
        let base = repo.tree(target.start)?.as_checked_out(target.checked_out);
        let transaction = Transaction::begin(repo, target.clone(), &base, &plan.series, options)?;
        Ok(transaction.prepare(&base, &plan.series, None)?.publish()?)
    }

    /// What is to be done so that it is as if the landing had not been.
    fn plan(&self, landing: &Landing, target: &Target, tip: Oid, id: &str) -> Result<Plan, Error> {
        let repo = self.repo;
        let is_whole = self.what.edits.last().is_none();
        let lost = landing.brought(repo)?;
        let others = |id: &Oid| landing.is_of_trailers() && landing.edits_of(*id).is_none();
        if let Some(old) = landing.old
            && is_whole
            && landing.new == tip
            && !landing.brought_others()
            && !lost.iter().any(others)
            && (lost.is_empty() || !repo.is_on_a_remote(&lost, old)?)
            && (repo.is_ancestor(old, tip)? || landing.check_own(repo, old).is_ok())
        {
            let (mut series, clashes) = match transaction::move_to(repo, Some(tip), old, target.checked_out)?
            {
                Ok(planned) => (vec![planned], Vec::new()),
                Err(clashes) => (Vec::new(), clashes),
            };
            let there = repo.commits_beyond(old, [tip])?.into_iter().map(|commit| (commit, false));
            let moved = lost.into_iter().rev().map(|commit| (commit, true)).chain(there);
            let steps = moved.map(|(commit, reversed)| {
                (Replayed { commit, reversed }, landing.edits_of(commit).cloned().unwrap_or_default())
            });
            let steps: Vec<_> = steps.collect();
            let ways = steps.iter().map(|_| Way::Moved).collect();
            let commits = |_| steps.iter().map(|(replayed, _)| *replayed).collect();
            copied::add_origins(repo, &mut series, commits)?;
            return Ok(Plan { series, steps, ways, clashes, ..Plan::default() });
        }
        let mut steps = landing.steps(repo, tip)?;
        if !is_whole {
            self.pick(landing, &mut steps)?;
        }
        let commits: Vec<_> = steps.iter().map(|(replayed, _)| *replayed).collect();
        // A handle of its own, since its writes are turned away from the repository.
        let brought = transaction::replay(&repo.open_again()?, tip, &commits, self.options.favor)?;
        let mut series = brought.series;
        for (planned, (replayed, edits)) in series.iter_mut().zip(&steps) {
            // A commit that is made anew tells so by its edits.
            planned.edits = if edits.is_empty() { vec![0] } else { edits.clone() };
            if self.options.trailers && replayed.reversed {
                planned.message = message::with_undo(
                    &planned.message,
                    id,
                    landing.opposite().as_str(),
                    &landing.of,
                    &messages::marks(repo)?,
                );
            }
        }
        copied::add_origins(repo, &mut series, |at| vec![commits[at]])?;
        let mut made = 0..;
        let way = |planned: &Planned| match planned.changes.is_empty() {
            true => Way::Nothing,
            false => made.next().map_or(Way::Nothing, Way::Made),
        };
        let ways = series.iter().map(way).collect();
        series.retain(|planned| !planned.changes.is_empty());
        Ok(Plan { series, steps, ways, clashes: brought.clashes, decided: brought.decided })
    }

    /// What became of the commits.
    fn commits(&self, plan: &Plan, made: &Made) -> Vec<UndoneCommit> {
        let named = |id: Oid| (id.to_string(), self.repo.short(id));
        let one = |((replayed, _), way): (&Step, &Way)| {
            let done = if replayed.reversed { EditState::TakenBack } else { EditState::Landed };
            let new = match way {
                Way::Made(at) => made.commits.get(*at).copied().flatten(),
                Way::Moved if !replayed.reversed => Some(replayed.commit),
                Way::Moved | Way::Nothing => None,
            };
            let is_done = new.is_some() || matches!(way, Way::Moved);
            UndoneCommit {
                commit: named(replayed.commit),
                subject: self
                    .repo
                    .existing(replayed.commit)
                    .map_or_else(|_| String::new(), |one| one.subject()),
                state: if is_done { done } else { EditState::NoChange },
                new: new.map(named),
            }
        };
        plan.steps.iter().zip(&plan.ways).map(one).collect()
    }

    /// Leaves those that hold the edits that are named.
    fn pick(&self, landing: &Landing, steps: &mut Vec<Step>) -> Result<(), Error> {
        let wanted = &self.what.edits;
        let known: HashSet<usize> =
            landing.commits.iter().flat_map(|(_, edits)| edits.iter().copied()).collect();
        if let Some(unknown) = wanted.last().filter(|last| !known.contains(last)) {
            let message = format!("the landing {} has no edit {unknown} in a commit", landing.id);
            return Err(Error::NothingToUndo(message));
        }
        steps.retain(|(_, edits)| edits.iter().any(|edit| wanted.hold(*edit)));
        for (replayed, edits) in steps {
            let is_wanted = |edit: &&usize| wanted.hold(**edit);
            let other = edits.iter().find(|edit| !is_wanted(edit));
            if let (Some(edit), Some(other)) = (edits.iter().find(is_wanted), other) {
                let commit = self.repo.short(replayed.commit);
                return Err(Error::Inseparable { edit: *edit, other: *other, commit });
            }
        }
        Ok(())
    }
}
