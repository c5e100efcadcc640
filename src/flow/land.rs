//! Landing: recover first, resolve, transact, and again where the branch has moved meanwhile.

use super::choose::Chooser;
use super::observer::Observer;
use super::run::{Order, Run};
use super::{Error, Options, Watch, build_report, push};
use crate::message::Cleanup;
use crate::report::record::RecordKind;
use crate::report::{self, Report, Status};
use crate::transaction::{
    self, Attempt, Found, Landed, Line, Made, Planned, Preview, Recording, Target, Transaction, interrupt,
};
use crate::vcs::push::Upstream;
use crate::vcs::repo::Repo;
use crate::vcs::tree::BaseTree;
use crate::vcs::{self, Oid};
use std::cell::{OnceCell, RefCell};
use std::time::{Duration, Instant};

/// How often it is tried at least where a branch moves meanwhile.
const TRIES: usize = 3;

/// From which commit to which a branch has moved.
pub type Moved = (Option<Oid>, Oid);

/// The tree that is compared with, and the one that would be.
pub(super) type Compared = (Option<Oid>, Preview);

/// What became of it.
#[must_use]
pub struct Done {
    /// What it says, as far as it came.
    pub report: Report,
    /// What went wrong with the world, if anything did: nothing has changed then, unless this says so.
    pub failure: Option<Error>,
    /// From which commit to which the branch has moved, if it has.
    pub moved: Option<Moved>,
    /// Of a dry run: the tree that it is compared with, and the one that would be, where that was asked for and there is one.
    pub preview: Option<Compared>,
    /// The attempt that was refused, where the order wants it given back.
    pub refused: Option<Found>,
    /// The handle that has the commits.
    pub repo: Repo,
}

/// Lands all that the responses say, or nothing.
pub fn land(mut repo: Repo, order: Order, options: &Options, watch: &dyn Watch) -> Done {
    let observer = Observer::new(watch);
    let chooser = order.chooser.clone();
    let (mut run, begun) = Run::read(&repo, order, options, &observer, false);
    let mut report = run.declared();
    let outcome = begun.and_then(|()| run.tries(&mut repo, chooser.as_deref(), &mut report));
    let has_landed = match &outcome {
        Ok(moved) => moved.is_some(),
        Err(error) => matches!(error, Error::Transaction(transaction::Error::Unfinished { .. })),
    };
    run.settle_text(&repo, has_landed);
    run.settle_answer(&repo, has_landed, outcome.as_ref().err(), &mut report);
    observer.write(&mut report);
    let (moved, failure) = match outcome {
        Ok(moved) => (moved, None),
        Err(error) => {
            build_report::failed(&mut report, &error);
            (None, Some(error))
        }
    };
    let refused = run.refused.and_then(RefCell::into_inner);
    Done { report, failure, moved, preview: None, refused, repo }
}

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

/// Tries it, and again where a branch moves meanwhile: the one here, or with `--rebase` the remote's. What is tried is told
/// whether it was tried before. From the second try on it stands in the line of the branch here, so that nobody is overtaken
/// for ever; it is over once others move the branch nevertheless for as long as is waited for locks.
pub(super) fn while_it_moves<T>(
    repo: &Repo,
    options: &Options,
    watch: &dyn Watch,
    mut land: impl FnMut(bool) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut line: Option<(Line, Instant)> = None;
    let mut tries = 0;
    loop {
        tries += 1;
        let began = Instant::now();
        let outcome = land(tries > 1);
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
            let place = Line::join(repo, reference, options.lock_timeout)?;
            // What stands before may take as long as this did.
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

/// Says what git itself wrote, and gives from where to where the branch has moved.
pub(super) fn tell_of_landed(repo: &Repo, target: &Target, landed: &Landed, watch: &dyn Watch) -> Moved {
    for what in &landed.by_git {
        watch.detail(what);
    }
    if target.checked_out {
        repo.run_post_index_change();
    }
    (landed.old.or(target.start), landed.new)
}

impl Options {
    /// How a transaction is to go about it, for new commits that are neither recorded nor pushed.
    pub(super) fn transaction<'a>(
        &self,
        describe: &'a dyn Fn(&Made, bool) -> String,
        watch: &'a dyn Watch,
    ) -> transaction::Options<'a> {
        transaction::Options {
            lock_timeout: self.lock_timeout,
            no_verify: !self.verify,
            again: false,
            merge: false,
            exec: self.exec.clone(),
            exec_each: self.exec_each,
            scratch_dir: self.scratch_dir.clone(),
            keep_scratch: self.keep_scratch,
            autostash: self.autostash,
            reflog: String::new(),
            author: self.author.clone(),
            sign: self.sign.clone(),
            cleanup: (Cleanup::Verbatim, String::new()),
            describe,
            watch,
            record: None,
            push: None,
            attempts: Vec::new(),
            spare: None,
        }
    }
}

impl Run<'_> {
    /// Lands, and again where the branch moves meanwhile. The report goes as far as it comes.
    fn tries(
        &mut self,
        repo: &mut Repo,
        chooser: Option<&dyn Chooser>,
        report: &mut Report,
    ) -> Result<Option<Moved>, Error> {
        if self.is_empty() {
            *report = self.no_edits();
            return Ok(None);
        }
        if self.unjoined {
            *report = self.not_joined(repo, &self.target(repo)?);
            return Ok(None);
        }
        self.tell_of_messages(repo)?;
        tell_of_hooks(repo, &self.options, self.watch)?;
        recover(repo, self.options.lock_timeout, &[self.options.branch.as_deref()], self.watch)?;
        Attempt::expire(repo);
        if let Some(chooser) = chooser {
            let landed = self.landed(repo, &self.target(repo)?)?;
            self.script.landed = landed.edits.keys().copied().collect();
            self.choose(repo, chooser)?;
            *report = self.declared();
            if self.more && !self.unwanted.is_empty() {
                report.status = Status::Refused;
                return Ok(None);
            }
        }
        let first = OnceCell::new();
        let (given, mut fresh) = (&*repo, None);
        let moved = while_it_moves(given, &self.options, self.watch, |again| {
            // Anew: a quarantine was this handle's object store.
            let repo = if again { fresh.insert(given.open_again()?) } else { given };
            self.land(repo, &first, report)
        });
        if let Some(fresh) = fresh {
            *repo = fresh;
        }
        let moved = moved?;
        if moved.is_some() {
            repo.maintain();
        }
        Ok(moved)
    }

    /// Lands on the target that was chosen at the first try.
    pub(super) fn land(
        &self,
        repo: &Repo,
        first: &OnceCell<Target>,
        report: &mut Report,
    ) -> Result<Option<Moved>, Error> {
        let listed = self.listed_by_key(repo)?;
        if let Some(landed) = self.landed_by_key(repo, &listed)? {
            *report = landed;
            return Ok(None);
        }
        let target = self.target(repo)?;
        report.branch = Some(build_report::branch(&target));
        first.get_or_init(|| target.clone()).check_same(&target)?;
        let last = listed.first().map(|one| one.id.clone());
        let (push, onto) = push::way(repo, &target, &self.options)?;
        let mut resolved = match self.resolve_onto(repo, &target, onto)? {
            Ok(resolved) => resolved,
            Err(rejected) => {
                *report = self.refused(repo, &target, &rejected);
                return Ok(None);
            }
        };
        if target.checked_out {
            repo.begin_index();
        }
        let base = repo.tree(target.start)?.as_checked_out(target.checked_out);
        *report = self.planned(repo, &resolved, &target);
        if resolved.series.is_empty() {
            self.forget(repo, &target);
            return Ok(None);
        }
        self.check_merge(&target)?;
        if let Some(onto) = onto {
            match transaction::move_to(repo, target.start, onto, target.checked_out)? {
                Ok(moved) => resolved.series.insert(0, moved),
                Err(odd) => return Err(Error::Unmovable(odd.into_iter().map(|clash| clash.path).collect())),
            }
        }
        let held = interrupt::hold();
        let planned: &Report = report;
        let as_made = |made: &Made, landed: bool| {
            let mut report = planned.clone();
            self.made(None, &mut report, &target, &resolved.series, made);
            if landed {
                build_report::landed(&mut report);
                report.landing = self.options.record.then(|| resolved.id.clone());
            }
            report
        };
        let describe = |made: &Made, landed: bool| {
            let mut report = as_made(made, landed);
            self.show(repo, &target, &resolved, made, &mut report);
            report::json(&report, 0).unwrap_or_default()
        };
        let recorded = |made: &Made| {
            let mut report = as_made(made, true).without_directories();
            // The commits have them.
            report.edits.iter_mut().for_each(|edit| edit.diff = None);
            report::json(&report, 0).unwrap_or_default()
        };
        let record = self.options.record.then(|| Recording {
            report: &recorded,
            id: resolved.id.clone(),
            kind: RecordKind::Landed,
            of: None,
            responses: &self.responses,
            also: self.base.into_iter().collect(),
            // What a remote has taken is not taken back.
            key: self.key_digest(repo).filter(|_| push.is_none()).map(|key| (key, last.clone())),
            edits: self.to_list(repo, &resolved.plan),
        });
        // What was refused of it is kept.
        let attempts = match resolved.refused {
            Some(_) => Vec::new(),
            None => self.replaced_attempts(repo, &target),
        };
        let is_replacing = !attempts.is_empty();
        let also = (record, push, attempts);
        let landed = match self.transact(repo, &target, &base, &resolved.series, also, &describe) {
            Ok(landed) => landed,
            Err(Error::Transaction(transaction::Error::Nothing)) => {
                match &resolved.refused {
                    Some(rejected) => *report = self.refused(repo, &target, rejected),
                    None => {
                        report.status = Status::Nothing;
                        self.forget(repo, &target);
                    }
                }
                return Ok(None);
            }
            Err(error) => {
                if let Some(rejected) = resolved.refused.as_ref().filter(|_| !interrupt::seen()) {
                    report.status = Status::Refused;
                    report.attempt = self.keep(repo, &target, Some(rejected), false);
                }
                match &error {
                    Error::Transaction(transaction::Error::InTheWay(obstacles)) => {
                        build_report::in_the_way(report, obstacles);
                        return Ok(None);
                    }
                    Error::Transaction(transaction::Error::Unfinished { made, .. }) => {
                        self.made(
                            self.options.abbreviate.then_some(repo),
                            report,
                            &target,
                            &resolved.series,
                            made,
                        );
                        build_report::landed(report);
                    }
                    _ => {}
                }
                return Err(error);
            }
        };
        drop(held);
        self.made(self.options.abbreviate.then_some(repo), report, &target, &resolved.series, &landed.made);
        build_report::landed(report);
        report.landing = self.options.record.then(|| resolved.id.clone());
        if self.options.diffs && !landed.made.changed_by_hooks.is_empty() {
            self.show(repo, &target, &resolved, &landed.made, report);
        }
        match &resolved.refused {
            Some(rejected) => {
                report.status = Status::PartlyLanded;
                report.attempt = self.keep(repo, &target, Some(rejected), true);
            }
            // Says so if one could not be forgotten.
            None if is_replacing => self.forget(repo, &target),
            None => {}
        }
        Ok(Some(tell_of_landed(repo, &target, &landed, self.watch)))
    }

    fn transact(
        &self,
        repo: &Repo,
        target: &Target,
        base: &BaseTree<'_>,
        series: &[Planned],
        (record, push, attempts): (Option<Recording<'_>>, Option<Upstream>, Vec<String>),
        describe: &dyn Fn(&Made, bool) -> String,
    ) -> Result<Landed, Error> {
        let edits: usize = series.iter().map(|planned| planned.edits.len()).sum();
        let options = transaction::Options {
            merge: !self.options.ff,
            reflog: reflog(edits, &self.names()),
            cleanup: self.messages.last_cleanup(&self.options),
            record,
            push,
            attempts,
            spare: self.spare.as_deref(),
            ..self.options.transaction(describe, self.watch)
        };
        let joined = self.joined(repo, series)?;
        let transaction = Transaction::begin(repo, target.clone(), base, series, options)?;
        let (series, joined) = self.edited(&transaction, series, joined)?;
        Ok(transaction.prepare(base, &series, joined.as_ref())?.publish()?)
    }
}

/// The reflog's message: one line without control characters.
fn reflog(edits: usize, responses: &str) -> String {
    let responses: String = responses.chars().filter(|c| !report::escape::is_hidden(*c)).collect();
    let edits = if edits == 1 { "1 edit".to_owned() } else { format!("{edits} edits") };
    format!("llm-apply: {edits} from {responses}")
}
