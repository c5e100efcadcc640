//! Landing commits that exist, made again or taken back: what accept, undo and redo have in common.

use super::land::{Compared, Done, Moved, recover, tell_of_hooks, tell_of_landed, while_it_moves};
use super::observer::Observer;
use super::{Error, Options, Watch, build_report, check};
use crate::diag::{Code, Severity};
use crate::message::Cleanup;
use crate::path::RepoPath;
use crate::plan;
use crate::report::record::RecordKind;
use crate::report::{self, BranchReport, Finding, Report, Status};
use crate::transaction::{
    self, Landed, Made, Making, Planned, Preview, Recording, Target, Transaction, interrupt,
};
use crate::vcs::push::Upstream;
use crate::vcs::repo::Repo;
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// Commits that are to land on a branch, or to be looked at by a dry run.
pub(super) struct Bring<'a> {
    pub(super) repo: &'a Repo,
    pub(super) options: &'a Options,
    pub(super) watch: &'a dyn Watch,
    pub(super) target: &'a Target,
    /// The commits. Where the remote has moved on, the first is the remote's.
    pub(super) series: &'a [Planned],
    /// Whether the first is the remote's.
    pub(super) onto_remote: bool,
    pub(super) push: Option<Upstream>,
    pub(super) reflog: String,
    pub(super) cleanup: (Cleanup, String),
    /// The id of the record, and what it is of.
    pub(super) id: String,
    pub(super) kind: RecordKind,
    pub(super) of: Option<String>,
    /// Says in a report what has become of the commits.
    pub(super) fill: &'a dyn Fn(&mut Report, &Made),
}

/// What came of one try: from where to where the branch has moved, or of a dry run the trees to compare.
pub(super) type Brought = (Option<Moved>, Option<Compared>);

/// Settles killed runs, or names them in a dry run, and goes on with these branches. The report has all remarks. `go` may leave
/// another handle, which then has the commits.
pub(super) fn begin(
    repo: Repo,
    options: &Options,
    watch: &dyn Watch,
    branches: &[Option<&str>],
    go: impl FnOnce(&Repo, &mut Option<Repo>, &dyn Watch, &mut Report) -> Result<Brought, Error>,
) -> Done {
    let observer = Observer::new(watch);
    let mut report = new_report(options);
    let mut fresh = None;
    let settled = match options.dry_run {
        true => check::tell_of_pending(&repo, &observer),
        false => recover(&repo, options.lock_timeout, branches, &observer),
    };
    let (moved, preview, failure) = match settled.and_then(|()| go(&repo, &mut fresh, &observer, &mut report))
    {
        Ok((moved, preview)) => (moved, preview, None),
        Err(error) => {
            build_report::failed(&mut report, &error);
            (None, None, Some(error))
        }
    };
    observer.write(&mut report);
    let repo = fresh.unwrap_or(repo);
    if moved.is_some() {
        repo.maintain();
    }
    Done { report, failure, moved, preview, refused: None, repo }
}

/// Tries until the branch does not move meanwhile. Each try has the target of the first one.
pub(super) fn bring(
    repo: Repo,
    options: &Options,
    watch: &dyn Watch,
    branch: Option<&str>,
    mut once: impl FnMut(&Repo, &Target, &dyn Watch, &mut Report) -> Result<Brought, Error>,
) -> Done {
    begin(repo, options, watch, &[branch], |given, fresh, watch, report| {
        tell_of_hooks(given, options, watch)?;
        let first = OnceCell::new();
        while_it_moves(given, options, watch, |again| {
            // Anew: a quarantine was this handle's object store.
            let repo = if again { fresh.insert(given.open_again()?) } else { given };
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
    /// Judges the commits by the policy, and lands them. The report goes as far as it comes.
    pub(super) fn land(&self, report: &mut Report) -> Result<Brought, Error> {
        let Self { repo, target, .. } = *self;
        if self.series.is_empty() {
            return Ok((None, None));
        }
        let (own, unnameable) = self.spelled_out()?;
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
        let base = repo.tree(target.start)?.as_checked_out(target.checked_out);
        if self.options.dry_run {
            (self.fill)(report, &Made::default());
            report.to_pass = check::to_pass(repo, self.options, true)?;
            let obstacles =
                transaction::in_the_way(repo, target, &base, self.series, self.options.autostash)?;
            if !obstacles.is_empty() {
                build_report::in_the_way(report, &obstacles);
            }
            let handle = repo.open_again()?;
            let base = handle.tree(target.start)?.as_checked_out(target.checked_out);
            return Ok((None, Some((base.id(), Preview::build(&handle, &base, &own)?))));
        }
        let held = interrupt::hold();
        let planned = report.clone();
        let as_made = |made: &Made, landed: bool| {
            let mut report = planned.clone();
            (self.fill)(&mut report, made);
            if landed {
                report.status = Status::Landed;
                report.landing = self.options.record.then(|| self.id.clone());
            }
            if let Some(branch) = &mut report.branch {
                branch.new = made.tip().map(|id| build_report::named(repo, id));
            }
            report
        };
        let landed = match self.transact(&base, &as_made) {
            Ok(landed) => landed,
            Err(transaction::Error::InTheWay(obstacles)) => {
                build_report::in_the_way(report, &obstacles);
                return Ok((None, None));
            }
            Err(transaction::Error::Nothing) => {
                report.status = Status::Nothing;
                return Ok((None, None));
            }
            Err(error) => {
                if let transaction::Error::Unfinished { made, .. } = &error {
                    *report = as_made(made, true);
                }
                return Err(error.into());
            }
        };
        drop(held);
        *report = as_made(&landed.made, true);
        Ok((Some(tell_of_landed(repo, target, &landed, self.watch)), None))
    }

    fn transact(
        &self,
        base: &crate::vcs::tree::BaseTree<'_>,
        as_made: &dyn Fn(&Made, bool) -> Report,
    ) -> transaction::Result<Landed> {
        let json = |made: &Made, landed| report::json(&as_made(made, landed), 0).unwrap_or_default();
        let recorded = |made: &Made| json(made, true);
        let record = self.options.record.then(|| Recording {
            key: None,
            edits: Vec::new(),
            report: &recorded,
            id: self.id.clone(),
            kind: self.kind,
            of: self.of.clone(),
            responses: &[],
            // Where the branch goes back, its commits have no other name.
            also: self.target.tip.filter(|_| self.of.is_some()).into_iter().collect(),
        });
        let options = transaction::Options {
            again: true,
            reflog: self.reflog.clone(),
            cleanup: self.cleanup.clone(),
            record,
            push: self.push.clone(),
            ..self.options.transaction(&json, self.watch)
        };
        let transaction = Transaction::begin(self.repo, self.target.clone(), base, self.series, options)?;
        transaction.prepare(base, self.series, None)?.publish()
    }

    /// The commits but for the remote's, each with all that it changes, and the names among these that cannot be handled. To move
    /// a branch that is not checked out nobody had to look.
    fn spelled_out(&self) -> Result<(Vec<Planned>, Vec<String>), Error> {
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
        if self.onto_remote {
            all.remove(0);
        }
        Ok((all, unnameable))
    }

    /// What the commits do against the policy. What is taken back brings nothing that a model has written.
    fn objections(&self, series: &[Planned], unnameable: &[String]) -> Result<Vec<Finding>, Error> {
        let mut rules = self.options.rules(self.repo, self.target.start, None)?;
        if self.kind == RecordKind::Undone {
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
