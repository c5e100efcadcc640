//! Drives every landing: recovers killed runs, runs the transaction, and tries again if the branch moves. `undo`,
//! `redo` and `accept` land commits that exist already; the other verbs make commits from edits.

use super::conflict;
use super::done::{self, Done};
use super::observer::Observer;
use super::{Error, Options, Watch, build_report};
use crate::diag::Severity;
use crate::path::RepoPath;
use crate::plan;
use crate::report::record::RecordKind;
use crate::report::{BranchReport, Finding, Report, Status, ToPass};
use crate::transaction::{
    self, Carried, Clash, Context, Made, Planned, Preview, QueuePlace, Reporting, Target, Transaction,
    interrupt,
};
use crate::vcs::repo::Repo;
use crate::vcs::{self, Oid};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

/// The number of tries after which a landing gives up if the branch here still moves and the time is over.
const MIN_TRIES: usize = 3;
/// The limit for the tries if the remote's branch moves (`--rebase`).
const MAX_REBASE_TRIES: usize = 3;

/// Lands commits on a branch or, in a dry run, reports what would happen.
pub(super) struct Driver<'a> {
    pub(super) repo: &'a Repo,
    pub(super) options: &'a Options,
    pub(super) target: &'a Target,
    /// The commits to land. If they are rebased, the first is the remote's commit.
    pub(super) series: &'a [Planned],
    /// Whether the commits were rebased onto the remote's commit.
    pub(super) is_rebased: bool,
    pub(super) context: Context<'a>,
    /// Adds the made commits to the report, and with `true` also the diffs of the edits.
    pub(super) fill: &'a dyn Fn(&mut Report, &Made, bool),
    /// Lets the user edit the messages, unless the commits exist already.
    pub(super) edited: Option<&'a dyn Fn() -> Result<Edited<'a>, Error>>,
}

/// The commits with their final messages, and the message of the merge commit, if one is wanted.
pub(super) type Edited<'a> = (Cow<'a, [Planned]>, Option<String>);

/// Recovers killed runs. Every flow that changes something does this first. Because asking a remote takes long, it
/// asks only about killed pushes of these branches (`None` is HEAD's branch).
///
/// # Errors
/// A killed run cannot be recovered.
pub fn recover(
    repo: &Repo,
    timeout: Duration,
    branches: &[Option<&str>],
    watch: &dyn Watch,
) -> Result<(), Error> {
    let is_asked = |reference: &str| {
        let target = |branch: &Option<&str>| Target::choose(repo, *branch, None);
        branches.iter().any(|branch| target(branch).is_ok_and(|target| target.name == reference))
    };
    for one in transaction::recover(repo, timeout, &is_asked, Some(watch), false)? {
        watch.recovered(&one);
    }
    Ok(())
}

/// Warns about killed runs that were not recovered yet.
pub(super) fn warn_of_pending(repo: &Repo, watch: &dyn Watch) -> Result<(), Error> {
    for id in transaction::pending(repo)? {
        watch.warn(&format!("a killed run is pending ({id}): run 'git llm-apply recover'"));
    }
    Ok(())
}

/// What each flow that changes something has.
#[derive(Clone, Copy)]
pub(super) struct Flow<'a> {
    pub(super) repo: &'a Repo,
    pub(super) options: &'a Options,
    pub(super) watch: &'a dyn Watch,
}

impl Flow<'_> {
    /// Recovers killed runs. A dry run only warns about them.
    pub(super) fn recover(&self, branches: &[Option<&str>]) -> Result<(), Error> {
        match self.options.dry_run {
            true => warn_of_pending(self.repo, self.watch),
            false => recover(self.repo, self.options.lock_timeout, branches, self.watch),
        }
    }

    /// Calls `land` for a branch (`None` is HEAD's), again and again if the branch moves meanwhile, or with `--rebase`
    /// if the remote's branch does.
    ///
    /// From the second try on, it waits in the branch's queue, so that other runs do not overtake it forever. If the
    /// branch still moves, it gives up after `lock_timeout`, but not before [`MIN_TRIES`] tries.
    pub(super) fn retry<T>(
        &self,
        (branch, base): (Option<&str>, Option<Oid>),
        mut land: impl FnMut(&Repo, &Target) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Self { repo: given, options, watch } = *self;
        let (mut first, mut in_queue, mut tries): (Option<Target>, Option<(QueuePlace, Instant)>, usize) =
            (None, None, 0);
        loop {
            tries += 1;
            let began = Instant::now();
            // A repository handle caches attributes and more, so each new try opens a new one.
            let again = if tries > 1 { Some(given.open_again()?) } else { None };
            let repo = again.as_ref().unwrap_or(given);
            let target = Target::choose(repo, branch, base)?;
            match &first {
                // If the user switches HEAD meanwhile, the landing must not go to the other branch.
                Some(first) => repo.check_head(&first.name, first.is_head)?,
                None => first = Some(target.clone()),
            }
            let mut outcome = land(repo, &target);
            given.leave_quarantine()?;
            let is_behind = matches!(outcome, Err(Error::Transaction(transaction::Error::Behind { .. })));
            if is_behind && !options.dry_run {
                // The remote may have got its new commits from another run in this repository. Recovery waits until
                // that run has ended, and then the branch here has the commits, too.
                recover(given, options.lock_timeout, &[branch], watch)?;
                if let Err(moved) = target.check_tip(given) {
                    outcome = Err(moved.into());
                }
            }
            let Err(Error::Transaction(error)) = &outcome else { return outcome };
            let reference = match error {
                transaction::Error::Vcs(vcs::Error::Moved { name }) => Some(name),
                transaction::Error::Behind { .. } if options.rebase && tries < MAX_REBASE_TRIES => None,
                _ => return outcome,
            };
            let has_timed_out =
                in_queue.as_ref().is_some_and(|(_, since)| since.elapsed() > options.lock_timeout);
            if has_timed_out && tries >= MIN_TRIES {
                return outcome;
            }
            if let (Some(reference), None) = (reference, &in_queue) {
                let place = QueuePlace::join(given, reference, options.lock_timeout)?;
                // Each landing ahead may take as long as this one took.
                let patience = options.lock_timeout + began.elapsed();
                let is_first = place.wait(patience, |elapsed| {
                    watch.waiting("waiting for other landings on this branch", elapsed)
                })?;
                watch.ended();
                if !is_first {
                    return outcome;
                }
                in_queue = Some((place, Instant::now()));
            }
        }
    }

    /// Recovers killed runs (a dry run only warns about them), and then calls `go`. Returns its result as a [`Done`].
    pub(super) fn run(
        self,
        branches: &[Option<&str>],
        go: impl FnOnce(Flow<'_>, &mut Report) -> Result<done::Tried, Error>,
    ) -> Done {
        let (observer, mut report) = (Observer::new(self.watch), self.new_report());
        let flow = Flow { watch: &observer, ..self };
        let tried = flow.recover(branches).and_then(|()| go(flow, &mut report));
        let done = Done::of(report, tried, &observer);
        if done.moved.is_some() {
            self.repo.maintain();
        }
        done
    }

    /// Recovers killed runs, and then calls `land_once` for a branch, with a new report in each try.
    pub(super) fn land(
        self,
        branch: Option<&str>,
        mut land_once: impl FnMut(Flow<'_>, &Target, &mut Report) -> Result<done::Tried, Error>,
    ) -> Done {
        self.run(&[branch], |flow, report| {
            flow.retry((branch, None), |repo, target| {
                *report = flow.new_report();
                let old = target.tip.map(build_report::commit_name);
                report.branch = Some(BranchReport { old, ..build_report::branch(target) });
                land_once(Flow { repo, ..flow }, target, report)
            })
        })
    }

    fn new_report(&self) -> Report {
        Report { dry_run: self.options.dry_run, ..Report::default() }
    }
}

impl Driver<'_> {
    /// Lands the commits, and returns how the branch moved; `None` if there was nothing to land, or if something is
    /// in the way. If it fails, the report has what is known. A dry run only reports what would happen.
    pub(super) fn land(&self, report: &mut Report) -> Result<done::Tried, Error> {
        if self.options.dry_run {
            return self.preview(report);
        }
        let held = interrupt::hold();
        let planned = report.clone();
        let as_made = |made: &Made, landed: bool, diffs: bool| {
            let mut report = planned.clone();
            (self.fill)(&mut report, made, diffs);
            if let Some(branch) = &mut report.branch {
                branch.old = self.target.tip.map(build_report::commit_name);
                branch.new = made.tip().map(build_report::commit_name);
                branch.merge = made.merge.is_some();
                branch.pushed = self.context.push.as_ref().filter(|_| landed).map(ToString::to_string);
                branch.remote = self.options.push.clone().unwrap_or_default();
            }
            if landed {
                build_report::landed(&mut report);
                report.landing = self.context.recording.as_ref().map(|recording| recording.id.clone());
            }
            report
        };
        let outcome = self.transact(&as_made);
        drop(held);
        match outcome {
            Ok(made) => {
                *report = as_made(&made, true, self.options.diffs);
                let has_others = self.has_others(&made);
                report.branch.iter_mut().for_each(|branch| branch.has_others = has_others);
                if self.target.checked_out {
                    self.repo.run_post_index_change();
                }
                Ok((made.tip().map(|new| (self.target.start, new)), None))
            }
            Err(Error::Transaction(transaction::Error::Nothing)) => {
                report.status = Status::Nothing;
                Ok((None, None))
            }
            Err(Error::Transaction(transaction::Error::InTheWay(obstacles))) => {
                build_report::in_the_way(report, obstacles);
                Ok((None, None))
            }
            Err(error) => {
                if let Error::Transaction(transaction::Error::Unfinished { made, .. }) = &error {
                    *report = as_made(made, true, self.options.diffs);
                }
                Err(error)
            }
        }
    }

    /// Whether the branch also got commits that are not part of the landing: the remote's, those that a suggestion was
    /// built on, or those on other sides of merges in an accepted branch.
    fn has_others(&self, made: &Made) -> bool {
        if !self.context.existing && !self.is_rebased {
            return false;
        }
        let own = made.commits.iter().filter(|one| !one.edits.is_empty());
        let own: HashSet<Oid> = own.filter_map(|one| one.id).collect();
        let Some((old, new)) = self.target.tip.zip(made.tip()) else { return false };
        self.repo.commits_beyond(new, [old]).unwrap_or_default().iter().any(|commit| !own.contains(commit))
    }

    fn transact(&self, report: Reporting<'_>) -> Result<Made, Error> {
        let Self { repo, options, target, series, context, .. } = self;
        let base = repo.tree(target.start)?.as_checked_out(target.checked_out);
        let transaction =
            Transaction::begin(repo, (*target).clone(), &base, series, options, context, report)?;
        let (series, merge_message) = match self.edited {
            Some(edited) => edited()?,
            None => ((*series).into(), None),
        };
        Ok(transaction.prepare(&base, &series, merge_message.as_deref())?.publish()?)
    }

    /// Reports what must succeed before a landing, and what is in the way. The diff is shown even if something is.
    fn preview(&self, report: &mut Report) -> Result<done::Tried, Error> {
        let Self { repo, options, target, series, .. } = self;
        report.to_pass = self.to_pass()?;
        let obstacles = transaction::in_the_way(repo, target, series, options.autostash)?;
        if !obstacles.is_empty() {
            build_report::in_the_way(report, obstacles);
        }
        let preview = options.previews.then(|| Preview::build(repo, target, self.own())).transpose()?;
        Ok((None, preview))
    }

    /// Returns what must succeed before a landing, in order: hooks, commands and signatures. Warns if git knows no
    /// author or committer, because then no commit can be made.
    fn to_pass(&self) -> Result<Vec<ToPass>, Error> {
        let Self { repo, options, context, .. } = self;
        if let Err(error) = repo.identities(&options.author) {
            context.watch.warn(&format!("a landing would fail: {error}"));
        }
        let hooks = transaction::hooks_to_pass(repo, options, context.existing)?;
        let hooks = hooks.into_iter().map(|name| ToPass { kind: "hook", name: name.to_owned() });
        let exec = options.exec.iter().map(|line| ToPass { kind: "exec", name: line.clone() });
        let mut all: Vec<_> = hooks.chain(exec).collect();
        if repo.commit_settings(&options.sign)?.is_signed() {
            all.push(ToPass { kind: "signature", name: "git commit-tree -S".to_owned() });
        }
        Ok(all)
    }

    /// Returns the landing's own commits, without the remote's.
    fn own(&self) -> &[Planned] {
        &self.series[usize::from(self.is_rebased)..]
    }

    /// Checks existing commits against the policy, and lands them. `named` returns the name of a clash's commit.
    pub(super) fn land_existing(
        &self,
        carried: &Carried,
        named: &dyn Fn(&Clash) -> String,
        report: &mut Report,
    ) -> Result<done::Tried, Error> {
        let findings = |clashes: &[Clash], favor| -> Vec<Finding> {
            let one = |clash| conflict::finding(clash, self.target.short(), &named(clash), favor);
            clashes.iter().map(one).collect()
        };
        if !carried.clashes.is_empty() {
            report.status = Status::Refused;
            report.findings = findings(&carried.clashes, None);
            return Ok((None, None));
        }
        report.findings.splice(0..0, findings(&carried.decided, self.options.favor));
        if self.series.is_empty() {
            return Ok((None, None));
        }
        let paths =
            self.own().iter().flat_map(|planned| &planned.changes).map(|change| change.path.to_string());
        let paths: BTreeSet<String> = paths.collect();
        report.files = paths.into_iter().collect();
        report.status = Status::Checked;
        let objections = self.objections(report)?;
        if !objections.is_empty() {
            report.status = Status::Refused;
            report.findings = objections;
            return Ok((None, None));
        }
        self.land(report)
    }

    /// Returns an error for each path that the policy forbids. An undo may delete files and change sensitive ones,
    /// because it adds nothing that a model wrote.
    fn objections(&self, report: &Report) -> Result<Vec<Finding>, Error> {
        let mut rules = self.options.rules(self.repo, self.target.start, None)?;
        if report.undone.as_ref().is_some_and(|undone| undone.kind == RecordKind::Undone) {
            (rules.allow_delete, rules.allow_sensitive) = (true, true);
        }
        let mut found = Vec::new();
        let mut seen: BTreeSet<(&RepoPath, bool)> = BTreeSet::new();
        for planned in self.own() {
            let is_moved = |path| planned.origins.iter().any(|(from, _)| from == path);
            for change in &planned.changes {
                let is_removed = change.after.is_none() && !is_moved(&change.path);
                if !seen.insert((&change.path, is_removed)) {
                    continue;
                }
                let removed = plan::removal(&change.path, &rules).filter(|_| is_removed);
                let objection = plan::objection(&change.path, &rules).or(removed);
                found.extend(objection.map(|(code, message)| Finding {
                    path: Some(change.path.to_string()),
                    ..Finding::new(code, Severity::Error, message)
                }));
            }
        }
        Ok(found)
    }
}
