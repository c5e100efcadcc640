//! Accepting suggestions: if a suggestion begins at the branch's tip, the branch moves to its commits. Else each
//! commit is made again by a three-way merge. Several suggestions land one after another, in one transaction.

use super::done::{self, Done};
use super::driver::{Driver, recover_and_retry};
use super::open::suggestions;
use super::{Error, Options, Watch, build_report, push};
use crate::message::Cleanup;
use crate::report::record::RecordKind;
use crate::report::{AcceptedCommit, AcceptedReport, Report};
use crate::transaction::{self, Carried, Clash, Made, Making, Recording, Replayed, Target};
use crate::vcs::Oid;
use crate::vcs::repo::Repo;
use std::collections::HashSet;

/// Lands the commits of branches on HEAD's branch, in the order given.
pub fn accept(repo: &Repo, names: &[String], options: &Options, watch: &dyn Watch) -> Done {
    recover_and_retry(repo, options, watch, None, |repo, target, watch, report| {
        Accepting { repo, names, options, watch }.land(target, report)
    })
}

struct Accepting<'a> {
    repo: &'a Repo,
    names: &'a [String],
    options: &'a Options,
    watch: &'a dyn Watch,
}

/// Where a commit of the series comes from.
#[derive(Clone, Copy)]
struct Source {
    /// The index of its branch; `None` for the remote's commit.
    branch: Option<usize>,
    commit: Oid,
    /// Whether it is part of the landing. The commits that a suggestion was made on are not.
    is_own: bool,
}

/// The commits to land.
#[derive(Default)]
struct AcceptPlan {
    carried: Carried,
    /// One for each commit of the series.
    from: Vec<Source>,
}

impl Accepting<'_> {
    fn land(&self, target: &Target, report: &mut Report) -> Result<done::Tried, Error> {
        let (repo, options) = (self.repo, self.options);
        let branches = self.names.iter().map(|name| self.branch(name)).collect::<Result<Vec<_>, _>>()?;
        let push = push::ask(repo, target, options)?;
        let plan = self.plan(target, &branches, push.onto)?;
        self.fill(report, &plan, &Made::default());
        let id = Recording::id_for(repo, target, &[&self.names.join("\0")])?;
        let driver = Driver {
            repo,
            options,
            watch: self.watch,
            target,
            series: &plan.carried.series,
            push,
            reflog: format!("llm-apply: accept {}", self.names.join(", ")),
            cleanup: (Cleanup::Verbatim, repo.comment_prefix()?),
            recording: Recording::new(id, RecordKind::Landed),
            fill: &|report, made, _| self.fill(report, &plan, made),
            edited: None,
            attempts: Vec::new(),
        };
        let named = |clash: &Clash| {
            let Source { branch, commit, .. } = plan.from[clash.planned];
            format!("commit {} of {}", repo.short(commit), branch.map_or("", |at| &self.names[at]))
        };
        driver.land_existing(&plan.carried, &named, report)
    }

    /// The commit of a branch.
    fn branch(&self, name: &str) -> Result<Oid, Error> {
        if let Ok(full) = self.repo.branch_name(name)
            && let Some(tip) = self.repo.tip(&full)?
        {
            return Ok(tip);
        }
        // A branch of a remote, or a part of a suggestion, such as `try~1`.
        self.repo.commit_of(name).map_err(|_| Error::NoBranch(name.to_owned()))
    }

    /// The commits that the target lacks of the branches.
    fn plan(&self, target: &Target, branches: &[Oid], onto: Option<Oid>) -> Result<AcceptPlan, Error> {
        let repo = self.repo;
        let mut plan = AcceptPlan::default();
        // The last commit that lands as it is.
        let mut tip = target.start;
        if let Some(onto) = onto {
            plan.carried.series.push(push::move_to(repo, target, onto)?);
            plan.from.push(Source { branch: None, commit: onto, is_own: false });
            tip = Some(onto);
        }
        let (mut parts, mut own, suggestions) = (Vec::new(), HashSet::new(), suggestions(repo, self.watch)?);
        for (at, (branch, name)) in branches.iter().zip(self.names).enumerate() {
            let suggestion = suggestions.iter().find(|(known, ..)| known == name);
            // The record may be anybody's: what the branch lacks is not brought.
            let start = match suggestion.and_then(|(.., record)| record.start.as_ref()) {
                Some(start) if repo.contains(&branch.to_string(), start)? => Some(repo.id(start)?),
                _ => None,
            };
            // A suggestion may be made on another one that lands, too.
            for commit in repo.commits_beyond(*branch, tip.into_iter().chain(start))? {
                // A merge has no changes of its own to take back.
                if !repo.read_commit(commit)?.is_merge() {
                    own.insert(commit);
                }
            }
            parts.extend(start.into_iter().chain([*branch]).map(|last| (at, last)));
        }
        let (mut replayed, mut known) = (Vec::new(), Vec::new());
        for (branch, last) in parts {
            let commits = repo.commits_beyond(last, tip.into_iter().chain(known.iter().copied()))?;
            known.push(last);
            let is_next = match tip {
                Some(tip) => repo.is_ancestor(tip, last)?,
                None => true,
            };
            let source = |commit| Source { branch: Some(branch), commit, is_own: own.contains(&commit) };
            if !(replayed.is_empty() && is_next) {
                replayed.extend(self.without_merges(branch, &commits)?.into_iter().map(source));
                continue;
            }
            let before = tip;
            for commit in commits {
                // The last one has all the changes.
                let from = if commit == last { before } else { Some(commit) };
                match transaction::move_to(repo, from, commit)? {
                    Ok(planned) => plan.carried.series.push(planned),
                    Err(clashes) => {
                        let here = |clash| Clash { planned: plan.from.len(), ..clash };
                        plan.carried.clashes.extend(clashes.into_iter().map(here));
                    }
                }
                plan.from.push(source(commit));
                tip = Some(commit);
            }
        }
        if let (Some(onto), false) = (tip, replayed.is_empty()) {
            let commits: Vec<_> = replayed.iter().map(|source| Replayed::again(source.commit)).collect();
            let Carried { series, clashes, decided } =
                transaction::replay(repo, onto, &commits, self.options.favor)?;
            let before = plan.from.len();
            let here = |clash: Clash| Clash { planned: clash.planned + before, ..clash };
            plan.carried.clashes.extend(clashes.into_iter().map(here));
            plan.carried.decided.extend(decided.into_iter().map(here));
            plan.carried.series.extend(series);
            plan.from.extend(replayed);
        }
        // With clashes the series is not complete.
        if plan.carried.clashes.is_empty() {
            // A commit's number stands for its edit.
            let mut numbers = 1..;
            for (planned, source) in plan.carried.series.iter_mut().zip(&plan.from) {
                planned.edits = numbers.by_ref().take(usize::from(source.is_own)).collect();
            }
        }
        Ok(plan)
    }

    /// The commits without the merges, which must have no changes of their own.
    fn without_merges(&self, at: usize, commits: &[Oid]) -> Result<Vec<Oid>, Error> {
        let mut all = Vec::new();
        for id in commits {
            let commit = self.repo.read_commit(*id)?;
            if !commit.is_merge() {
                all.push(*id);
            } else if !transaction::is_plain_merge(self.repo, &commit)? {
                return Err(Error::Merge { commit: self.repo.short(*id), branch: self.names[at].clone() });
            }
        }
        Ok(all)
    }

    /// Adds the branches' commits to the report.
    fn fill(&self, report: &mut Report, plan: &AcceptPlan, made: &Made) {
        let of_branch = |name: &String| AcceptedReport { branch: name.clone(), commits: Vec::new() };
        report.accepted = self.names.iter().map(of_branch).collect();
        for (place, (planned, source)) in plan.carried.series.iter().zip(&plan.from).enumerate() {
            let new = made.commits.get(place).and_then(|one| one.id);
            let Some(accepted) = source.branch.and_then(|at| report.accepted.get_mut(at)) else { continue };
            let as_is = matches!(planned.making, Making::AsIs { .. });
            let is_in = !as_is && planned.changes.is_empty();
            accepted.commits.push(AcceptedCommit {
                from: build_report::commit_name(source.commit),
                subject: build_report::subject(self.repo, source.commit),
                as_is,
                is_in,
                is_lost: is_in && plan.carried.decided.iter().any(|clash| clash.planned == place),
                new: new.map(build_report::commit_name),
            });
        }
    }
}
