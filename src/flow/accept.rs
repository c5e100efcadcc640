//! Accepting suggestions: their commits come onto the branch as they are where nothing lies between, else one by one by
//! a three-way merge; those of several branches one after another. All of it is one transaction.

use super::land::{self, Done, Moved, Told};
use super::{Error, Options, Watch, build_report, conflict, copied, push};
use crate::message::Cleanup;
use crate::report::record::RecordKind;
use crate::report::{self, AcceptedCommit, AcceptedReport, BranchReport, Finding, Report, Status};
use crate::transaction::{self, Made, Making, Planned, Recording, Replayed, Target, Transaction, interrupt};
use crate::vcs::merge::Favor;
use crate::vcs::repo::Repo;
use crate::vcs::{self, Oid};
use std::cell::OnceCell;

/// Brings the commits of branches onto the one that HEAD points to, in the order given. Of `options` those count that
/// say how commits are made and what judges them.
///
/// # Errors
/// A name is none of a commit, a branch has merges that cannot be done again; or the world went wrong, and nothing has
/// changed unless the error says so.
pub fn accept(repo: &Repo, names: &[String], options: &Options, watch: &dyn Watch) -> Result<Done, Error> {
    land::recover(repo, options.lock_timeout, watch)?;
    let first = OnceCell::new();
    land::while_it_moves(options, |_| {
        // Anew each time: a quarantine was this handle's object store.
        let repo = repo.open_again()?;
        let (report, moved) = Accepting { repo: &repo, names, options, watch }.land(&first)?;
        if moved.is_some() {
            repo.maintain();
        }
        Ok(Done { report, failure: None, moved, repo })
    })
}

struct Accepting<'a> {
    repo: &'a Repo,
    names: &'a [String],
    options: &'a Options,
    watch: &'a dyn Watch,
}

/// Stands for the branch of a commit that is of none: the remote's.
const OF_NONE: usize = usize::MAX;

/// What is to land, and which branch each commit of it is of.
#[derive(Default)]
struct Plan {
    series: Vec<Planned>,
    /// For each of the series the branch, by its place in the order, and the commit that it comes from.
    from: Vec<(usize, Oid)>,
    clashes: Vec<transaction::Clash>,
    /// What is merged only because one side is favoured.
    decided: Vec<transaction::Clash>,
}

impl Plan {
    /// The number of the next commit of a branch, as its edit.
    fn next(&self) -> usize {
        self.from.iter().filter(|(at, _)| *at != OF_NONE).count() + 1
    }
}

impl Accepting<'_> {
    fn land(&self, first: &OnceCell<Target>) -> Result<(Report, Option<Moved>), Error> {
        let repo = self.repo;
        let target = Target::choose(repo, None, None)?;
        first.get_or_init(|| target.clone()).check_same(&target)?;
        let branches = self.names.iter().map(|name| self.branch(name)).collect::<Result<Vec<_>, _>>()?;
        let (push, onto) = push::way(repo, &target, self.options)?;
        let plan = self.plan(&target, &branches, onto)?;
        let mut report = self.report(Status::Nothing, &plan, &target, &Made::default())?;
        let named = |id: Oid| (id.to_string(), repo.short(id));
        report.branch = Some(BranchReport { old: target.tip.map(named), ..build_report::branch(&target) });
        if !plan.clashes.is_empty() {
            report.status = Status::Refused;
            report.findings = self.findings(&plan, &plan.clashes, &target, None);
            return Ok((report, None));
        }
        if plan.series.is_empty() {
            return Ok((report, None));
        }
        let held = interrupt::hold();
        let id = Recording::id_for(repo, &target, &[&self.names.join("\0")])?;
        let as_made = |made: &Made, landed: bool| {
            let status = if landed { Status::Landed } else { Status::Checked };
            let mut report = self.report(status, &plan, &target, made).unwrap_or(report.clone());
            let (old, new) = (target.tip.map(named), made.tip().map(named));
            report.branch = Some(BranchReport { old, new, ..build_report::branch(&target) });
            report.landing = self.options.record.then(|| id.clone()).filter(|_| landed);
            report
        };
        let describe =
            |made: &Made, landed: bool| report::json(&as_made(made, landed), 0).unwrap_or_default();
        let recorded = |made: &Made| report::json(&as_made(made, true), 0).unwrap_or_default();
        let record = self.options.record.then(|| Recording {
            edits: Vec::new(),
            report: &recorded,
            id: id.clone(),
            kind: RecordKind::Landed,
            of: None,
            responses: &[],
            also: Vec::new(),
        });
        let options = transaction::Options {
            lock_timeout: self.options.lock_timeout,
            no_verify: !self.options.verify,
            again: true,
            autostash: self.options.autostash,
            merge: false,
            exec: self.options.exec.clone(),
            exec_each: self.options.exec_each,
            scratch_dir: self.options.scratch_dir.clone(),
            keep_scratch: self.options.keep_scratch,
            reflog: format!("llm-apply: accept {}", self.names.join(", ")),
            author: self.options.author.clone(),
            sign: self.options.sign.clone(),
            cleanup: (Cleanup::Verbatim, repo.comment_prefix()?),
            describe: &describe,
            progress: &Told(self.watch),
            record,
            push,
            spare: None,
        };
        let base = repo.tree(target.start)?.as_checked_out(target.checked_out);
        let land = || -> transaction::Result<_> {
            let transaction = Transaction::begin(repo, target.clone(), &base, &plan.series, options)?;
            transaction.prepare(&base, &plan.series, None)?.publish()
        };
        let landed = match land() {
            Ok(landed) => landed,
            Err(transaction::Error::InTheWay(obstacles)) => {
                build_report::in_the_way(&mut report, &obstacles);
                return Ok((report, None));
            }
            Err(transaction::Error::Nothing) => return Ok((report, None)),
            Err(error) => return Err(error.into()),
        };
        drop(held);
        report = as_made(&landed.made, true);
        for what in &landed.by_git {
            self.watch.detail(what);
        }
        if target.checked_out {
            repo.tell_of_new_index();
        }
        Ok((report, Some((landed.old.or(target.start), landed.new))))
    }

    /// The commit of a branch, or of whatever else a name is of.
    fn branch(&self, name: &str) -> Result<Oid, Error> {
        // Also `try~1`, which can be no branch's name.
        let branch = match self.repo.branch_name(name) {
            Ok(full) if !name.starts_with("refs/") => self.repo.tip(&full)?,
            _ => None,
        };
        match branch.map_or_else(|| self.repo.commit_of(name), Ok) {
            Err(vcs::Error::BadRevision(_)) if self.repo.branch_name(name).is_ok() => {
                Err(Error::NoBranch(name.to_owned()))
            }
            commit => Ok(commit?),
        }
    }

    /// What is to be done so that the branches' commits are on the target.
    fn plan(&self, target: &Target, branches: &[Oid], onto: Option<Oid>) -> Result<Plan, Error> {
        let repo = self.repo;
        let mut plan = Plan::default();
        // Where the branch is once what goes as it is has gone.
        let mut tip = target.start;
        if let Some(onto) = onto {
            match transaction::move_to(repo, tip, onto, target.checked_out)? {
                Ok(planned) => plan.series.push(planned),
                Err(odd) => return Err(Error::Unmovable(odd.into_iter().map(|clash| clash.path).collect())),
            }
            plan.from.push((OF_NONE, onto));
            tip = Some(onto);
        }
        let mut replayed = Vec::new();
        for (at, branch) in branches.iter().copied().enumerate() {
            let known = tip.into_iter().chain(branches[..at].iter().copied());
            let commits = repo.commits_beyond(branch, known)?;
            let is_next = match tip {
                Some(tip) => repo.is_ancestor(tip, branch)?,
                None => true,
            };
            let steps = match replayed.is_empty() && is_next {
                true => self.steps(tip, branch, &commits)?,
                false => {
                    replayed
                        .extend(self.without_merges(at, &commits)?.into_iter().map(|commit| (at, commit)));
                    Vec::new()
                }
            };
            for commit in steps {
                match transaction::move_to(repo, tip, commit, target.checked_out)? {
                    Ok(planned) => plan.series.push(Planned { edits: vec![plan.next()], ..planned }),
                    Err(clashes) => {
                        let here = |clash| transaction::Clash { planned: plan.from.len(), ..clash };
                        plan.clashes.extend(clashes.into_iter().map(here));
                    }
                }
                plan.from.push((at, commit));
                tip = Some(commit);
            }
        }
        if let (Some(onto), false) = (tip, replayed.is_empty()) {
            let commits: Vec<_> =
                replayed.iter().map(|(_, commit)| Replayed { commit: *commit, reversed: false }).collect();
            // A handle of its own, since its writes are turned away from the repository.
            let brought = transaction::replay(&self.repo.open_again()?, onto, &commits, self.options.favor)?;
            let (before, next) = (plan.from.len(), plan.next());
            let here = |mut clash: transaction::Clash| {
                clash.planned += before;
                clash
            };
            plan.clashes.extend(brought.clashes.into_iter().map(here));
            plan.decided.extend(brought.decided.into_iter().map(here));
            let numbered = brought.series.into_iter().zip(next..);
            plan.series.extend(numbered.map(|(planned, number)| Planned { edits: vec![number], ..planned }));
            plan.from.extend(replayed);
        }
        // What clashes has none of the series.
        if plan.clashes.is_empty() {
            let from = &plan.from;
            let commit = |at: usize| vec![Replayed { commit: from[at].1, reversed: false }];
            copied::add_origins(repo, &mut plan.series, commit)?;
        }
        Ok(plan)
    }

    /// The commits that a branch can move to as they are, one after another: those between, or the last one alone where
    /// there are merges among them.
    fn steps(&self, tip: Option<Oid>, branch: Oid, commits: &[Oid]) -> Result<Vec<Oid>, Error> {
        let mut last = tip;
        for commit in commits {
            if self.repo.existing(*commit)?.parents != last.as_slice() {
                return Ok(if commits.is_empty() { Vec::new() } else { vec![branch] });
            }
            last = Some(*commit);
        }
        Ok(commits.to_vec())
    }

    /// The commits that have to be made again. A merge is none of them: it has nothing of its own if its tree is that of
    /// a parent which has all of the others in its history.
    fn without_merges(&self, at: usize, commits: &[Oid]) -> Result<Vec<Oid>, Error> {
        let mut all = Vec::new();
        for id in commits {
            let commit = self.repo.existing(*id)?;
            if commit.parents.len() < 2 {
                all.push(*id);
                continue;
            }
            let mut is_empty = false;
            for parent in &commit.parents {
                let mut has_all = self.repo.tree_of(*parent)? == commit.tree;
                for other in &commit.parents {
                    has_all = has_all && self.repo.is_ancestor(*other, *parent)?;
                }
                is_empty |= has_all;
            }
            if !is_empty {
                return Err(Error::Merge { commit: self.repo.short(*id), branch: self.names[at].clone() });
            }
        }
        Ok(all)
    }

    /// What is said of commits and the branch that do not agree.
    fn findings(
        &self,
        plan: &Plan,
        clashes: &[transaction::Clash],
        target: &Target,
        favor: Option<Favor>,
    ) -> Vec<Finding> {
        let one = |clash: &transaction::Clash| {
            let (at, commit) = plan.from.get(clash.planned)?;
            let name = self.names.get(*at).map_or("", String::as_str);
            let commit = format!("commit {} of {name}", self.repo.short(*commit));
            Some(conflict::finding(clash, target.short(), &commit, favor))
        };
        clashes.iter().filter_map(one).collect()
    }

    fn report(&self, status: Status, plan: &Plan, target: &Target, made: &Made) -> Result<Report, Error> {
        let named = |id: Oid| (id.to_string(), self.repo.short(id));
        let mut report = Report::new(status);
        report.formats.clear();
        report.accepted = self
            .names
            .iter()
            .map(|name| AcceptedReport { branch: name.clone(), commits: Vec::new() })
            .collect();
        for (place, (planned, (at, from))) in plan.series.iter().zip(&plan.from).enumerate() {
            let new = made.commits.get(place).copied().flatten();
            let Some(accepted) = report.accepted.get_mut(*at) else { continue };
            accepted.commits.push(AcceptedCommit {
                from: named(*from),
                subject: self.repo.existing(*from)?.subject(),
                as_is: matches!(planned.making, Making::AsIs { .. }),
                is_lost: planned.changes.is_empty()
                    && plan.decided.iter().any(|clash| clash.planned == place),
                new: new.map(named),
            });
        }
        report.findings = self.findings(plan, &plan.decided, target, self.options.favor);
        Ok(report)
    }
}
