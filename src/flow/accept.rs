//! Accepts suggestions. If a suggestion starts at the branch's tip, the branch is fast-forwarded to it. Otherwise its
//! commits are cherry-picked onto the branch, each by a three-way merge. Several suggestions land one after another,
//! in one transaction.

use super::done::{self, Done};
use super::driver::{Driver, Flow};
use super::open::suggestions;
use super::{Error, Options, Watch, build_report, push};
use crate::message::Cleanup;
use crate::report::record::RecordKind;
use crate::report::{AcceptedCommit, AcceptedReport, Report};
use crate::transaction::{self, Carried, Clash, Context, Made, Making, Recording, Replayed, Target};
use crate::vcs::Oid;
use crate::vcs::repo::Repo;
use std::collections::HashSet;

/// Lands the commits of branches on HEAD's branch, in the order given.
pub fn accept(repo: &Repo, names: &[String], options: &Options, watch: &dyn Watch) -> Done {
    let flow = Flow { repo, options, watch };
    flow.land(None, |flow, target, report| Accepting { flow, names }.land(target, report))
}

struct Accepting<'a> {
    flow: Flow<'a>,
    names: &'a [String],
}

/// The suggestion that a commit of the series comes from.
#[derive(Clone, Copy)]
struct Source {
    /// The index of the suggestion's branch; `None` for the remote's commit, onto which the rest is rebased.
    branch: Option<usize>,
    commit: Oid,
    /// Whether the commit belongs to a suggestion. Commits that a suggestion was built on land with it, but belong to
    /// none.
    is_own: bool,
}

/// The commits to land.
#[derive(Default)]
struct AcceptPlan {
    carried: Carried,
    /// The source of each commit of the series.
    sources: Vec<Source>,
}

impl Accepting<'_> {
    fn land(&self, target: &Target, report: &mut Report) -> Result<done::Tried, Error> {
        let Flow { repo, options, watch } = self.flow;
        let branches = self.names.iter().map(|name| self.branch(name)).collect::<Result<Vec<_>, _>>()?;
        let push = push::ask(repo, target, options)?;
        let plan = self.plan(target, &branches, push.onto)?;
        self.fill(report, &plan, &Made::default());
        let id = Recording::id_for(repo, target, &[&self.names.join("\0")])?;
        let context = Context {
            existing: true,
            reflog: format!("llm-apply: accept {}", self.names.join(", ")),
            cleanup: (Cleanup::Verbatim, repo.comment_prefix()?),
            watch,
            recording: options.record.then(|| Recording::new(id, RecordKind::Landed)),
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
            fill: &|report, made, _| self.fill(report, &plan, made),
            edited: None,
        };
        let named = |clash: &Clash| {
            let Source { branch, commit, .. } = plan.sources[clash.planned];
            format!("commit {} of {}", repo.short(commit), branch.map_or("", |at| &self.names[at]))
        };
        driver.land_existing(&plan.carried, &named, report)
    }

    /// Returns the commit that is named on the command line: usually the tip of a branch.
    fn branch(&self, name: &str) -> Result<Oid, Error> {
        if let Ok(full) = self.flow.repo.branch_name(name)
            && let Some(tip) = self.flow.repo.tip(&full)?
        {
            return Ok(tip);
        }
        // The name may also be a remote-tracking branch, or a part of a suggestion, such as `try~1`.
        self.flow.repo.commit_of(name).map_err(|_| Error::NoBranch(name.to_owned()))
    }

    /// Finds the commits of the branches that the target lacks, and carries those onto it that cannot land as they are.
    fn plan(&self, target: &Target, branches: &[Oid], onto: Option<Oid>) -> Result<AcceptPlan, Error> {
        let repo = self.flow.repo;
        let mut plan = AcceptPlan::default();
        // The last commit that lands unchanged.
        let mut tip = target.start;
        if let Some(onto) = onto {
            plan.carried.series.push(transaction::move_to(repo, target.start, onto)?);
            plan.sources.push(Source { branch: None, commit: onto, is_own: false });
            tip = Some(onto);
        }
        let (mut own, suggestions) = (HashSet::new(), suggestions(repo, self.flow.watch)?);
        for (branch, name) in branches.iter().zip(self.names) {
            let suggestion = suggestions.iter().find(|(known, ..)| known == name);
            // The record may be forged. Its start counts only if the branch contains it, so that nothing else is
            // landed.
            let start = match suggestion.and_then(|(.., record)| record.start.as_ref()) {
                Some(start) if repo.contains(*branch, repo.id(start)?)? => Some(repo.id(start)?),
                _ => None,
            };
            // The suggestion may be built on another one that is accepted at the same time.
            for commit in repo.commits_beyond(*branch, tip.into_iter().chain(start))? {
                // A merge has no changes of its own that an undo could revert.
                if !repo.read_commit(commit)?.is_merge() {
                    own.insert(commit);
                }
            }
        }
        let mut replayed = Vec::new();
        for (branch, last) in branches.iter().copied().enumerate() {
            let known = tip.iter().chain(&branches[..branch]).copied();
            let commits = repo.commits_beyond(last, known)?;
            let is_next = match tip {
                Some(tip) => repo.contains(last, tip)?,
                None => true,
            };
            let source = |commit| Source { branch: Some(branch), commit, is_own: own.contains(&commit) };
            if !(replayed.is_empty() && is_next) {
                replayed.extend(self.without_merges(branch, &commits)?.into_iter().map(source));
                continue;
            }
            let before = tip;
            for commit in commits {
                // The last commit is planned with all changes since the old tip, the earlier ones with none.
                let from = if commit == last { before } else { Some(commit) };
                plan.carried.series.push(transaction::move_to(repo, from, commit)?);
                plan.sources.push(source(commit));
                tip = Some(commit);
            }
        }
        if let (Some(onto), false) = (tip, replayed.is_empty()) {
            let commits: Vec<_> = replayed.iter().map(|source| Replayed::again(source.commit)).collect();
            let Carried { series, clashes, decided } =
                transaction::replay(repo, onto, &commits, self.flow.options.favor)?;
            let before = plan.sources.len();
            let here = |clash: Clash| Clash { planned: clash.planned + before, ..clash };
            plan.carried.clashes.extend(clashes.into_iter().map(here));
            plan.carried.decided.extend(decided.into_iter().map(here));
            plan.carried.series.extend(series);
            plan.sources.extend(replayed);
        }
        // If there are clashes, the series is incomplete and will not land.
        if plan.carried.clashes.is_empty() {
            // Accepted commits have no edits, so their numbers are recorded instead.
            let mut numbers = 1..;
            for (planned, source) in plan.carried.series.iter_mut().zip(&plan.sources) {
                planned.edits = numbers.by_ref().take(usize::from(source.is_own)).collect();
            }
        }
        Ok(plan)
    }

    /// Returns the commits without merges. Fails if a merge has changes of its own, which would be lost.
    fn without_merges(&self, at: usize, commits: &[Oid]) -> Result<Vec<Oid>, Error> {
        let mut all = Vec::new();
        for id in commits {
            let commit = self.flow.repo.read_commit(*id)?;
            if !commit.is_merge() {
                all.push(*id);
            } else if !transaction::is_plain_merge(self.flow.repo, &commit)? {
                return Err(Error::Merge {
                    commit: self.flow.repo.short(*id),
                    branch: self.names[at].clone(),
                });
            }
        }
        Ok(all)
    }

    /// Adds the branches' commits to the report.
    fn fill(&self, report: &mut Report, plan: &AcceptPlan, made: &Made) {
        let of_branch = |name: &String| AcceptedReport { branch: name.clone(), commits: Vec::new() };
        report.accepted = self.names.iter().map(of_branch).collect();
        for (place, (planned, source)) in plan.carried.series.iter().zip(&plan.sources).enumerate() {
            let new = made.commits.get(place).and_then(|one| one.id);
            let Some(accepted) = source.branch.and_then(|at| report.accepted.get_mut(at)) else { continue };
            let as_is = matches!(planned.making, Making::AsIs(_));
            let clashes = |all: &[Clash]| all.iter().any(|clash| clash.planned == place);
            let is_in = !as_is && planned.changes.is_empty() && !clashes(&plan.carried.clashes);
            accepted.commits.push(AcceptedCommit {
                from: build_report::commit_name(source.commit),
                subject: build_report::subject(self.flow.repo, source.commit),
                as_is,
                is_in,
                is_lost: is_in && clashes(&plan.carried.decided),
                new: new.map(build_report::commit_name),
            });
        }
    }
}
