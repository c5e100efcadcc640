//! Landing a series of commits: what all verbs that land something have in common, and what those have that take commits
//! which exist.

use super::done::{self, Done, Moved};
use super::observer::Observer;
use super::{Error, Options, Watch, build_report};
use super::{check, conflict};
use crate::diag::{Code, Severity};
use crate::message::Cleanup;
use crate::path::RepoPath;
use crate::plan;
use crate::report::record::RecordKind;
use crate::report::{self, BranchReport, Finding, Report, Status};
use crate::transaction::{
    self, Brought, Clash, Landed, Line, Made, Making, Planned, Preview, Recording, SpareRoom, Target,
    Transaction, interrupt,
};
use crate::vcs;
use crate::vcs::push::Upstream;
use crate::vcs::repo::Repo;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How often it is tried at least where a branch moves meanwhile.
const TRIES: usize = 3;

/// Commits that are to land on a branch, or to be looked at by a dry run.
pub(super) struct Bring<'a> {
    pub(super) repo: &'a Repo,
    pub(super) options: &'a Options,
    pub(super) watch: &'a dyn Watch,
    pub(super) target: &'a Target,
    /// The commits. Where the remote has moved on, the first is the remote's.
    pub(super) series: &'a [Planned],
    pub(super) push: Option<Upstream>,
    pub(super) reflog: String,
    pub(super) cleanup: (Cleanup, String),
    /// What is recorded of them, if anything is.
    pub(super) recording: Recording<'a>,
    /// Says in a report what has become of the commits, whose names are abbreviated or not.
    pub(super) fill: &'a dyn Fn(&mut Report, &Made, bool),
    /// Where they are made of edits. Others exist, and are made again or taken back.
    pub(super) of_edits: Option<OfEdits<'a>>,
}

/// What is only there of commits that are made of edits.
pub(super) struct OfEdits<'a> {
    /// Says in a report what each edit changes.
    pub(super) show: &'a dyn Fn(&mut Report, &Made),
    /// Has the user edit the messages.
    pub(super) edited: &'a dyn Fn(&Transaction<'_>) -> Result<Edited<'a>, Error>,
    /// The refused attempts that they land in the place of.
    pub(super) attempts: Vec<String>,
    /// What the landings of one run have in common, where there are several.
    pub(super) spare: Option<&'a SpareRoom>,
}

/// Commits that exist, as they come onto a branch.
pub(super) struct Existing<'a> {
    pub(super) brought: &'a Brought,
    /// Whether the first is the remote's, which has moved on.
    pub(super) onto_remote: bool,
    /// What people know the commit by that a clash is about.
    pub(super) named: &'a dyn Fn(&Clash) -> String,
}

/// The commits with their last messages, and that of the merge commit above them, if there is to be one.
pub(super) type Edited<'a> = (Cow<'a, [Planned]>, Option<String>);

/// Settles killed runs first, as every flow does that changes something. Only the remotes of these branches are asked, of HEAD's
/// where none is named: the others can wait.
///
/// # Errors
/// One cannot be settled.
pub fn recover(
    repo: &Repo,
    timeout: Duration,
    branches: &[Option<&str>],
    watch: &dyn Watch,
) -> Result<(), Error> {
    let is_one = |reference: &str| {
        let target = |branch: &Option<&str>| Target::choose(repo, *branch, None);
        branches.iter().any(|branch| target(branch).is_ok_and(|target| target.name == reference))
    };
    for one in transaction::recover(repo, timeout, &is_one, false)? {
        watch.recovered(&one);
    }
    Ok(())
}

/// Tries it, and again where a branch moves meanwhile: the one here, or with `--rebase` the remote's. Each try is given the
/// target of the first one, once that is known, and from the second on a `fresh` handle. From then on it stands in the line of the
/// branch here, so that nobody is overtaken for ever; it is over once others move the branch nevertheless for as long as is
/// waited for locks.
pub(super) fn while_it_moves<T>(
    given: &Repo,
    fresh: &mut Option<Repo>,
    options: &Options,
    watch: &dyn Watch,
    mut land: impl FnMut(&Repo, &OnceCell<Target>) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut line: Option<(Line, Instant)> = None;
    let (first, mut tries) = (OnceCell::new(), 0);
    loop {
        tries += 1;
        let began = Instant::now();
        // Anew: a quarantine was this handle's object store.
        let repo = if tries > 1 { fresh.insert(given.open_again()?) } else { given };
        let outcome = land(repo, &first);
        let Err(Error::Transaction(error)) = &outcome else { return outcome };
        let reference = match error {
            transaction::Error::Vcs(vcs::Error::Moved { name }) => Some(name),
            transaction::Error::Behind { .. } if options.rebase && tries < TRIES => None,
            _ => return outcome,
        };
        let is_over = line.as_ref().is_some_and(|(_, since)| since.elapsed() > options.lock_timeout);
        if is_over && tries >= TRIES {
            return outcome;
        }
        if let (Some(reference), None) = (reference, &line) {
            let place = Line::join(given, reference, options.lock_timeout)?;
            // Each landing before this one may take as long as this one did.
            let patience = options.lock_timeout + began.elapsed();
            let is_first = place.wait(patience, |elapsed| {
                watch.waiting("waiting for other landings on this branch", elapsed)
            })?;
            watch.ended();
            if !is_first {
                return outcome;
            }
            line = Some((place, Instant::now()));
        }
    }
}

/// Says which hooks judge nothing since they are not executable, as git does.
pub(super) fn tell_of_hooks(repo: &Repo, options: &Options, watch: &dyn Watch) -> Result<(), Error> {
    for name in transaction::hooks_passed_over(repo, !options.verify, !options.ff)? {
        watch.warn(&format!("the {name} hook was ignored because its file is not executable"));
    }
    Ok(())
}

/// Settles killed runs, or names them in a dry run, and goes on with these branches. `go` may leave another handle, which then
/// has the commits.
pub(super) fn begin(
    repo: Repo,
    options: &Options,
    watch: &dyn Watch,
    branches: &[Option<&str>],
    go: impl FnOnce(&Repo, &mut Option<Repo>, &dyn Watch, &mut Report) -> Result<done::Brought, Error>,
) -> Done {
    let observer = Observer::new(watch);
    let (mut report, mut fresh) = (new_report(options), None);
    let settled = match options.dry_run {
        true => check::tell_of_pending(&repo, &observer),
        false => recover(&repo, options.lock_timeout, branches, &observer),
    };
    let brought = settled.and_then(|()| go(&repo, &mut fresh, &observer, &mut report));
    Done::of(report, brought, &observer, fresh.unwrap_or(repo))
}

/// Tries until the branch does not move meanwhile.
pub(super) fn bring(
    repo: Repo,
    options: &Options,
    watch: &dyn Watch,
    branch: Option<&str>,
    mut once: impl FnMut(&Repo, &Target, &dyn Watch, &mut Report) -> Result<done::Brought, Error>,
) -> Done {
    begin(repo, options, watch, &[branch], |given, fresh, watch, report| {
        tell_of_hooks(given, options, watch)?;
        while_it_moves(given, fresh, options, watch, |repo, first| {
            let target = Target::choose(repo, branch, None)?;
            first.get_or_init(|| target.clone()).check_same(&target)?;
            *report = new_report(options);
            let old = target.tip.map(|id| build_report::named(repo, id));
            report.branch = Some(BranchReport { old, ..build_report::branch(&target) });
            once(repo, &target, watch, report)
        })
    })
}

fn new_report(options: &Options) -> Report {
    Report { formats: Vec::new(), dry_run: options.dry_run, ..Report::new(Status::Nothing) }
}

impl Bring<'_> {
    /// Lands them, and returns them with the old and the new tip of the branch. If it fails, the report has what is known.
    pub(super) fn land(&self, report: &mut Report) -> Result<Option<(Made, Moved)>, Error> {
        let held = interrupt::hold();
        let planned = report.clone();
        let as_made = |made: &Made, landed: bool, abbreviate: bool| {
            let mut report = planned.clone();
            (self.fill)(&mut report, made, abbreviate);
            if let Some(branch) = &mut report.branch {
                let named = |id| build_report::named_if(abbreviate || self.of_edits.is_none(), self.repo, id);
                branch.old = self.target.tip.map(named);
                branch.new = made.tip().map(named);
                branch.merge = made.merge.is_some();
            }
            if landed {
                build_report::landed(&mut report);
                report.landing = self.options.record.then(|| self.recording.id.clone());
            }
            report
        };
        let outcome = self.transact(&|made, landed| as_made(made, landed, false));
        drop(held);
        match outcome {
            Ok(landed) => {
                *report = as_made(&landed.made, true, self.options.abbreviate);
                landed.by_git.iter().for_each(|what| self.watch.detail(what));
                if self.target.checked_out {
                    self.repo.run_post_index_change();
                }
                Ok(Some((landed.made, (landed.old.or(self.target.start), landed.new))))
            }
            Err(Error::Transaction(transaction::Error::Nothing)) => {
                report.status = Status::Nothing;
                Ok(None)
            }
            Err(Error::Transaction(transaction::Error::InTheWay(obstacles))) => {
                build_report::in_the_way(report, &obstacles);
                Ok(None)
            }
            Err(error) => {
                if let Error::Transaction(transaction::Error::Unfinished { made, .. }) = &error {
                    *report = as_made(made, true, self.options.abbreviate);
                }
                Err(error)
            }
        }
    }

    fn transact(&self, as_made: &dyn Fn(&Made, bool) -> Report) -> Result<Landed, Error> {
        let Self { repo, options, target, series, of_edits, .. } = self;
        let json = |report: &Report| report::json(report, 0).unwrap_or_default();
        let describe = |made: &Made, landed| {
            let mut report = as_made(made, landed);
            if let Some(OfEdits { show, .. }) = of_edits {
                show(&mut report, made);
            }
            json(&report)
        };
        let recorded = |made: &Made| {
            let mut report = as_made(made, true).without_directories();
            // The commits have them.
            report.edits.iter_mut().for_each(|edit| edit.diff = None);
            json(&report)
        };
        let again = of_edits.is_none();
        let options = transaction::Options {
            lock_timeout: options.lock_timeout,
            no_verify: !options.verify,
            again,
            merge: !options.ff && !again,
            exec: options.exec.clone(),
            exec_each: options.exec_each,
            scratch_dir: options.scratch_dir.clone(),
            keep_scratch: options.keep_scratch,
            autostash: options.autostash,
            reflog: self.reflog.clone(),
            author: options.author.clone(),
            sign: options.sign.clone(),
            cleanup: self.cleanup.clone(),
            describe: &describe,
            watch: self.watch,
            record: options.record.then(|| (self.recording.clone(), &recorded as _)),
            push: self.push.clone(),
            attempts: of_edits.as_ref().map_or_else(Vec::new, |edits| edits.attempts.clone()),
            spare: of_edits.as_ref().and_then(|edits| edits.spare),
        };
        let base = repo.tree(target.start)?.as_checked_out(target.checked_out);
        let transaction = Transaction::begin(repo, (*target).clone(), &base, series, options)?;
        let (series, joined) = match of_edits {
            Some(edits) => (edits.edited)(&transaction)?,
            None => ((*series).into(), None),
        };
        Ok(transaction.prepare(&base, &series, joined.as_deref())?.publish()?)
    }

    /// Judges commits that exist by the policy, and lands them, or looks what would become of them.
    pub(super) fn land_existing(
        &self,
        existing: &Existing<'_>,
        report: &mut Report,
    ) -> Result<done::Brought, Error> {
        let Self { repo, target, .. } = *self;
        let findings = |clashes: &[Clash], favor| -> Vec<Finding> {
            let one = |clash| conflict::finding(clash, target.short(), &(existing.named)(clash), favor);
            clashes.iter().map(one).collect()
        };
        if !existing.brought.clashes.is_empty() {
            report.status = Status::Refused;
            report.findings = findings(&existing.brought.clashes, None);
            return Ok((None, None));
        }
        report.findings.splice(0..0, findings(&existing.brought.decided, self.options.favor));
        if self.series.is_empty() {
            return Ok((None, None));
        }
        let (own, unnameable) = self.spelled_out(existing.onto_remote)?;
        let paths = own.iter().flat_map(|planned| &planned.changes).map(|change| change.path.to_string());
        let paths: BTreeSet<String> = paths.chain(unnameable.iter().cloned()).collect();
        report.files = paths.into_iter().collect();
        report.status = Status::Checked;
        let objections = self.objections(&own, &unnameable)?;
        if !objections.is_empty() {
            report.status = Status::Refused;
            report.findings = objections;
            return Ok((None, None));
        }
        if !self.options.dry_run {
            return Ok((self.land(report)?.map(|(_, moved)| moved), None));
        }
        (self.fill)(report, &Made::default(), true);
        report.to_pass = check::to_pass(repo, self.options, true)?;
        let obstacles = transaction::in_the_way(repo, target, self.series, self.options.autostash)?;
        if !obstacles.is_empty() {
            build_report::in_the_way(report, &obstacles);
        }
        Ok((None, Some(Preview::build(repo, target, &own)?)))
    }

    /// The commits but for the remote's, each with all that it changes, and the names among these that cannot be handled. To move
    /// a branch that is not checked out nobody had to look.
    fn spelled_out(&self, onto_remote: bool) -> Result<(Vec<Planned>, Vec<String>), Error> {
        let mut before = self.target.start;
        let (mut all, mut unnameable) = (Vec::new(), Vec::new());
        for planned in self.series {
            let Making::AsIs { commit, .. } = planned.making else {
                all.push(planned.clone());
                continue;
            };
            match transaction::move_to(self.repo, before, commit, true)? {
                Ok(whole) => {
                    all.push(Planned { origins: [planned.origins.clone(), whole.origins].concat(), ..whole })
                }
                Err(clashes) => {
                    unnameable.extend(clashes.into_iter().map(|clash| clash.path));
                    all.push(planned.clone());
                }
            }
            before = Some(commit);
        }
        if onto_remote {
            all.remove(0);
        }
        Ok((all, unnameable))
    }

    /// What the commits do against the policy. What is taken back brings nothing that a model has written.
    fn objections(&self, series: &[Planned], unnameable: &[String]) -> Result<Vec<Finding>, Error> {
        let mut rules = self.options.rules(self.repo, self.target.start, None)?;
        if self.recording.kind == RecordKind::Undone {
            (rules.allow_delete, rules.allow_sensitive) = (true, true);
        }
        let refuse = |(code, message): (Code, String), path: String| Finding {
            path: Some(path),
            ..Finding::new(code, Severity::Error, message)
        };
        let mut found = Vec::new();
        let mut seen: BTreeSet<&RepoPath> = BTreeSet::new();
        for planned in series {
            let is_moved = |path| planned.origins.iter().any(|(from, _)| from == path);
            for change in planned.changes.iter().filter(|change| seen.insert(&change.path)) {
                let is_removed = change.after.is_none() && !is_moved(&change.path);
                let removed = plan::removal(&change.path, &rules).filter(|_| is_removed);
                let objection = plan::objection(&change.path, &rules).or(removed);
                found.extend(objection.map(|objection| refuse(objection, change.path.to_string())));
            }
        }
        let is_judged = !self.options.include.is_empty() || !self.options.exclude.is_empty();
        for path in unnameable.iter().filter(|_| is_judged) {
            let message = format!("`{path}` is a name that pathspecs cannot match");
            found.push(refuse((Code::Policy, message), path.clone()));
        }
        Ok(found)
    }
}
