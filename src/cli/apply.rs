//! `git llm-apply` and `git llm-apply check`.

mod ready;

use super::attempt::{self, Resumed};
use super::exit::Exit;
use super::output::Printer;
use super::settings::{Output, Settings};
use super::{Error, args, input, recover};
use crate::diag::{Code, Diagnostic};
use crate::edit::{Op, Script};
use crate::format::{self, FORMATS};
use crate::message::{self, Group, Message, Operation, Provenance};
use crate::path::{Places, RepoPath};
use crate::plan::{self, Grouping, Plan, Rejected, Rules};
use crate::report::{self, BranchReport, EditState, Report, Status};
use crate::response::Response;
use crate::transaction::{self, Attempt, Landed, Options, Planned, Preview, Target, Transaction, interrupt};
use crate::vcs::repo::Repo;
use crate::vcs::show::Show;
use crate::vcs::tree::BaseTree;
use crate::vcs::{self, Oid};
use clap::ArgMatches;
use ready::Ready;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ffi::OsString;

/// How often a branch that moved meanwhile is resolved again, before it is said that it keeps moving.
const ATTEMPTS: usize = 3;

/// Whether a path is one of those that a pathspec names.
type Matcher = Box<dyn Fn(&str) -> bool>;

/// One run on some responses.
pub(super) struct Run {
    pub(super) settings: Settings,
    output: Output,
    pub(super) printer: Printer,
    pub(super) responses: Vec<Response>,
    pub(super) script: Script,
    /// The refused attempt that is gone on with.
    pub(super) resumed: Option<Resumed>,
    /// The commit that `--base` names: the same all along, also where it is named by a branch that moves.
    pub(super) base: Option<Oid>,
}

pub(super) fn run(matches: &ArgMatches, check: bool) -> Result<Exit, Error> {
    let repo = Repo::discover()?;
    let mut settings = Settings::read(matches, repo.config(), check)?;
    let output = Output::read(matches, repo.config())?;
    let printer = Printer::new(output);
    if output.json && (settings.diff || settings.stat) {
        return Err(Error::Usage("--json goes with neither --diff nor --stat".into()));
    }
    if output.json && output.feedback {
        return Err(Error::Usage("--json does not go with --feedback".into()));
    }
    if settings.branch.as_deref().is_some_and(|name| name.contains(['{', '}'])) {
        let message =
            "a branch's name with {…} in it is kept for templates, which this version does not have";
        return Err(Error::Usage(message.into()));
    }
    let names: Vec<OsString> = matches.get_many("response").into_iter().flatten().cloned().collect();
    if let Some(id) = &settings.abort {
        if settings.resume.is_some() || !names.is_empty() || settings.dry_run {
            let message = match (id, names.as_slice()) {
                (None, [name]) => {
                    format!(
                        "--abort goes with no response; it names an attempt as --abort={}",
                        name.display()
                    )
                }
                _ => "--abort goes with no response and no other mode".to_owned(),
            };
            return Err(Error::Usage(message));
        }
        return attempt::abort(&repo, id.as_deref(), &printer);
    }
    let found = match &settings.resume {
        Some(id) => Some(Attempt::find(&repo, id.as_deref())?),
        None => None,
    };
    let first = found.as_ref().map_or(0, |found| found.responses.len() as u32);
    let mut responses = input::read(&names, settings.max_size, first, found.is_none())?;
    // Without corrections an attempt is tried again as it is.
    let again = responses.is_empty();
    let mut script = Script::default();
    for response in &responses {
        script.append(format::parse(response, settings.format));
    }
    let mut resumed = None;
    // Of corrections that are not whole nothing is taken: they are refused as they are, and the attempt stays.
    let whole = !script.has_errors();
    // Corrections alone are no attempt.
    settings.keep &= found.is_none() || again || (whole && !script.edits.is_empty());
    let unjoined = found.is_some() && !whole;
    let base_is_kept = found.is_some() && args::single(matches, "base").is_none();
    if let Some(found) = found
        && (again || !(whole && script.edits.is_empty()))
    {
        if whole {
            let (joined, state) = attempt::resume(&found, &script)?;
            (script, resumed) = (joined, Some(state));
        }
        // What was said of that response goes before what is configured, what is typed before both.
        if args::single(matches, "branch").is_none() {
            settings.branch.clone_from(&found.attempt.branch);
        }
        if base_is_kept {
            settings.base.clone_from(&found.attempt.base);
        }
        responses = attempt::together(&found, responses);
    }
    let mut run = Run { settings, output, printer, responses, script, resumed, base: None };
    if run.script.edits.is_empty() && !run.script.has_errors() {
        return Ok(run.no_edits());
    }
    run.base = run.settings.base.as_deref().map(|base| repo.commit_of(base)).transpose()?;
    if base_is_kept {
        // A whole id says no more to people.
        run.settings.base = run.base.map(|id| repo.short(id));
    }
    if unjoined {
        return run.unjoined(&repo);
    }
    if run.settings.dry_run {
        for id in transaction::pending(&repo)? {
            run.printer
                .note(&format!("note: a killed run is pending ({id}): 'git llm-apply recover' settles it"));
        }
        return run.dry(&repo);
    }
    recover::first(&repo, run.settings.lock_timeout, &run.printer)?;
    Attempt::expire(&repo);
    let mut attempt = 1;
    let first = OnceCell::new();
    loop {
        // Anew each time: a quarantine was this handle's object store.
        let repo = Repo::discover()?;
        match run.land(&repo, &first) {
            Err(Error::Transaction(transaction::Error::Vcs(vcs::Error::Moved { .. })))
                if attempt < ATTEMPTS =>
            {
                attempt += 1
            }
            outcome => return outcome,
        }
    }
}

impl Run {
    fn no_edits(&self) -> Exit {
        let mut report = self.report(Status::NoEdits, Exit::NoEdits);
        let formats =
            FORMATS.iter().filter(|format| self.settings.format.is_none_or(|only| only == format.id));
        let looked: Vec<_> =
            formats.map(|format| format!("{} ({})", format.markers, format.name())).collect();
        let names: Vec<_> = self.responses.iter().map(Response::name).collect();
        let message = format!("no edits found in {}", names.join(", "));
        report.error = Some((message, Some(format!("looked for {}", looked.join("; ")))));
        report.findings = self
            .script
            .diagnostics
            .iter()
            .map(|d| report::finding(d, &self.script, &self.responses))
            .collect();
        self.printer.report(&report);
        Exit::NoEdits
    }

    fn report(&self, status: Status, exit: Exit) -> Report {
        let mut report = Report::new(status, exit.code());
        report.responses = self.responses.iter().map(|response| response.name().to_owned()).collect();
        report.dry_run = self.settings.dry_run;
        let mut found: Vec<_> = self.script.regions.iter().map(|region| region.format).collect();
        found.sort_unstable();
        found.dedup();
        match self.settings.format {
            Some(only) => report.formats = vec![only],
            None if !found.is_empty() => report.formats = found,
            None => {}
        }
        report
    }

    /// Reports a refusal, and keeps the attempt.
    fn refuse(&self, repo: &Repo, target: &Target, rejected: &Rejected) -> Exit {
        let mut report = self.refusal(target, rejected);
        report.attempt = self.keep(repo, rejected, &BTreeSet::new());
        self.printer.report(&report);
        Exit::Refused
    }

    /// Reports that the corrections are not whole, so that none of them was taken.
    fn unjoined(&self, repo: &Repo) -> Result<Exit, Error> {
        let mut diagnostics = self.script.diagnostics.clone();
        if let Some(first) = self.script.edits.first() {
            let message = "nothing of an answer that is not whole is joined with the refused attempt";
            let warning = Diagnostic::warning(Code::Malformed, first.span, message);
            diagnostics.push(warning.with_help("ask for all of its edits again"));
        }
        Ok(self.refuse(
            repo,
            &self.target(repo)?,
            &Rejected { diagnostics, fine: Vec::new(), resolved: false },
        ))
    }

    fn refusal(&self, target: &Target, rejected: &Rejected) -> Report {
        let mut report = self.report(Status::Refused, Exit::Refused);
        report.branch = Some(branch(target, None, None));
        for (at, edit) in self.script.edits.iter().enumerate() {
            let step = rejected.fine.iter().find(|step| step.edit == at + 1);
            report.edits.push(report::edit(at + 1, edit, step, &self.responses));
        }
        report.findings =
            rejected.diagnostics.iter().map(|d| report::finding(d, &self.script, &self.responses)).collect();
        report
    }

    fn rules(&self, repo: &Repo, target: &Target) -> Result<Rules, Error> {
        let spec = |patterns: &[String]| -> Result<Option<Matcher>, Error> {
            Ok(match patterns {
                [] => None,
                patterns => Some(Box::new(Repo::pathspec(patterns)?)),
            })
        };
        let include = spec(&self.settings.include)?;
        let exclude = spec(&self.settings.exclude)?;
        let sensitive = spec(&self.settings.sensitive)?;
        let permit = move |path: &RepoPath| {
            if include.as_ref().is_some_and(|matches| !matches(path.as_str())) {
                return Err("--include does not name it".to_owned());
            }
            if exclude.as_ref().is_some_and(|matches| matches(path.as_str())) {
                return Err("--exclude names it".to_owned());
            }
            Ok(())
        };
        // As the branch has it, and as the model was shown it.
        let mut startup = repo.startup_paths(&repo.tree(target.start)?)?;
        if let Some(base) = self.base.filter(|base| Some(*base) != target.start) {
            startup.extend(repo.startup_paths(&repo.tree(Some(base))?)?);
        }
        let startup = Places::new(startup);
        let also_sensitive = move |path: &RepoPath| {
            startup.hold(path) || sensitive.as_ref().is_some_and(|matches| matches(path.as_str()))
        };
        Ok(Rules {
            max_fuzz: self.settings.max_fuzz,
            worktree: repo
                .workdir()
                .and_then(|path| path.to_str())
                .map(|path| path.trim_end_matches('/').to_owned()),
            repository_name: repo.name(),
            permit: Box::new(permit),
            also_sensitive: Box::new(also_sensitive),
            allow_delete: self.settings.allow_delete,
            allow_overwrite: self.settings.allow_overwrite,
            allow_sensitive: self.settings.allow_sensitive,
            allow_placeholder: self.settings.allow_placeholder,
            allow_markers: self.settings.allow_markers,
            max_written: Rules::max_written_for(self.settings.max_size),
        })
    }

    fn target(&self, repo: &Repo) -> Result<Target, Error> {
        Ok(Target::choose(repo, self.settings.branch.as_deref(), self.base)?)
    }

    fn series(&self, plan: &Plan) -> Vec<Planned> {
        let response = self.names();
        let mut all = Vec::new();
        let groups = plan.groups(self.settings.commit);
        // A message of the response's own is that of the commit, where there is one only.
        let alone = groups.len() == 1;
        let own = self.script.message.as_deref().and_then(Message::from_why);
        for group in groups {
            let steps: Vec<_> = group.steps.iter().map(|&at| &plan.steps()[at]).collect();
            let edits: Vec<_> =
                steps.iter().filter_map(|step| self.script.edits.get(step.edit - 1)).collect();
            let operation = |at: usize| Operation::new(&edits[at].op, &steps[at].path, steps[at].to.as_ref());
            let whys: Vec<_> = edits.iter().map(|edit| edit.why.as_deref()).collect();
            let message = match (&self.settings.message, self.settings.commit) {
                (Some(message), _) => terminated(message),
                (None, _) if alone && own.is_some() => {
                    own.clone().map(|own| own.with_whys(&whys).to_string()).unwrap_or_default()
                }
                (None, _) if edits.len() == 1 => self.with_note(Message::for_edit(whys[0], &operation(0))),
                (None, Grouping::Response) => {
                    Message::for_group(&Group::Response(&response), &whys).to_string()
                }
                (None, _) => {
                    let last = Operation::new(&edits[0].op, &steps[0].path, steps[0].to.as_ref());
                    self.with_note(Message::for_group(
                        &Group::File(self.of_file(&group.changes, last)),
                        &whys,
                    ))
                }
            };
            let message = terminated(&message);
            let message =
                if self.settings.trailers { self.with_provenance(&message, &steps) } else { message };
            all.push(Planned {
                edits: steps.iter().map(|step| step.edit).collect(),
                message,
                changes: group.changes,
                copied: steps
                    .iter()
                    .zip(&edits)
                    .filter(|(_, edit)| matches!(edit.op, Op::Copy { .. }))
                    .map(|(step, _)| step.path.clone())
                    .collect(),
                origins: steps
                    .iter()
                    .filter_map(|step| Some((step.path.clone(), step.to.clone()?)))
                    .collect(),
            });
        }
        all.retain(|planned| !planned.changes.is_empty());
        all
    }

    /// The message with what `--trailers` adds.
    fn with_provenance(&self, message: &str, steps: &[&plan::Step]) -> String {
        let edits = steps.iter().copied().filter_map(|step| {
            let edit = self.script.edits.get(step.edit.checked_sub(1)?)?;
            Some(Provenance {
                edit: step.edit,
                of: self.script.edits.len(),
                format: edit.format,
                response: self.responses.get(edit.span.response as usize).map_or("", Response::file_name),
                matched: &step.matched,
            })
        });
        message::with_provenance(message, &edits.collect::<Vec<_>>())
    }

    /// The responses' names, for commit messages and reflogs.
    fn names(&self) -> String {
        let names: Vec<_> = self.responses.iter().map(Response::file_name).collect();
        names.join(", ")
    }

    /// What several edits of a file come to.
    fn of_file(&self, changes: &[plan::FileChange], otherwise: Operation) -> Operation {
        match changes {
            [only] => match (&only.before, &only.after) {
                (None, _) => Operation::Create(only.path.clone()),
                (Some(_), None) => Operation::Remove(only.path.clone()),
                (Some(_), Some(_)) => Operation::Update(only.path.clone()),
            },
            _ => otherwise,
        }
    }

    fn with_note(&self, message: Message) -> String {
        match &self.script.message {
            Some(note) => message.with_note(note).to_string(),
            None => message.to_string(),
        }
    }

    fn dry(&self, repo: &Repo) -> Result<Exit, Error> {
        let target = self.target(repo)?;
        let ready = match self.ready(repo, &target)? {
            Ok(ready) => ready,
            Err(rejected) => return Ok(self.refuse(repo, &target, &rejected)),
        };
        let base = repo.tree(target.start)?.as_checked_out(target.checked_out);
        let mut report = self.planned(&ready, &target);
        let mut exit = if ready.refused.is_some() { Exit::Refused } else { Exit::Done };
        if !ready.series.is_empty() {
            let obstacles =
                transaction::in_the_way(repo, &target, &base, &ready.series, !self.settings.verify)?;
            if !obstacles.is_empty() {
                exit = self.in_the_way(&mut report, &obstacles, ready.refused.is_some());
            }
        }
        self.printer.report(&report);
        if (self.settings.diff || self.settings.stat) && !ready.series.is_empty() {
            let preview = Preview::build(repo, &base, &ready.series)?;
            self.show(repo, base.id(), preview.tree(), Some(preview.objects()))?;
        }
        Ok(exit)
    }

    fn show(
        &self,
        repo: &Repo,
        old: Option<Oid>,
        new: Oid,
        objects: Option<&std::path::Path>,
    ) -> Result<(), Error> {
        let color = self.output.color.as_str();
        Ok(repo.show_diff(
            old,
            new,
            Show { diff: self.settings.diff, stat: self.settings.stat, color, objects },
        )?)
    }

    /// Names what is in the way; where edits are refused too, that comes first.
    fn in_the_way(&self, report: &mut Report, obstacles: &[transaction::Obstacle], refused: bool) -> Exit {
        let (status, exit) = match refused {
            true => (Status::Refused, Exit::Refused),
            false => (Status::InTheWay, Exit::InTheWay),
        };
        (report.status, report.exit_code) = (status, exit.code());
        report.obstacles = obstacles.iter().map(|one| (one.kind(), one.subject(), one.to_string())).collect();
        report.obstacle_help = obstacles.iter().map(|one| one.help().to_owned()).collect();
        exit
    }

    /// The report of what nothing was done with yet.
    fn planned(&self, ready: &Ready, target: &Target) -> Report {
        let (status, exit) = match (&ready.refused, ready.series.is_empty()) {
            (Some(_), _) => (Status::Checked, Exit::Refused),
            (None, true) => (Status::Nothing, Exit::Done),
            (None, false) => (Status::Checked, Exit::Done),
        };
        let mut report = self.report(status, exit);
        report.branch = Some(branch(target, target.tip.map(|id| (id, String::new())), None));
        for (at, edit) in self.script.edits.iter().enumerate() {
            let step = ready.plan.steps().iter().find(|step| step.edit == at + 1);
            let mut edit = report::edit(at + 1, edit, step, &self.responses);
            if ready.present.contains(&(at + 1)) {
                edit.state = EditState::AlreadyApplied;
            }
            if let Some(to) = ready.followed.get(&(at + 1)) {
                edit.to = Some(to.to_string());
            }
            report.edits.push(edit);
        }
        let refused = ready.refused.as_ref().map_or(&[][..], |rejected| &rejected.diagnostics);
        let mut seen = Vec::new();
        for finding in self.script.diagnostics.iter().chain(ready.plan.warnings()).chain(refused) {
            if !seen.contains(&finding) {
                report.findings.push(report::finding(finding, &self.script, &self.responses));
                seen.push(finding);
            }
        }
        report
    }

    /// Lands on the target that was chosen at the first try.
    fn land(&self, repo: &Repo, first: &OnceCell<Target>) -> Result<Exit, Error> {
        let target = self.target(repo)?;
        first.get_or_init(|| target.clone()).check_same(&target)?;
        let ready = match self.ready(repo, &target)? {
            Ok(ready) => ready,
            Err(rejected) => return Ok(self.refuse(repo, &target, &rejected)),
        };
        let base = repo.tree(target.start)?.as_checked_out(target.checked_out);
        let mut report = self.planned(&ready, &target);
        if ready.series.is_empty() {
            report.status = Status::Nothing;
            self.forget(repo);
            self.printer.report(&report);
            return Ok(Exit::Done);
        }
        let held = interrupt::hold();
        let landed = self.transact(repo, &target, &base, &ready.series);
        let landed = match landed {
            Ok(landed) => landed,
            Err(transaction::Error::InTheWay(obstacles)) => {
                let exit = self.in_the_way(&mut report, &obstacles, ready.refused.is_some());
                if let Some(rejected) = &ready.refused {
                    report.attempt = self.keep(repo, rejected, &BTreeSet::new());
                }
                for edit in &mut report.edits {
                    edit.commit = None;
                }
                self.printer.report(&report);
                return Ok(exit);
            }
            Err(transaction::Error::Nothing) => {
                if let Some(rejected) = &ready.refused {
                    return Ok(self.refuse(repo, &target, rejected));
                }
                report.status = Status::Nothing;
                self.forget(repo);
                self.printer.report(&report);
                return Ok(Exit::Done);
            }
            Err(error) => return Err(error.into()),
        };
        drop(held);
        self.landed(repo, &mut report, &target, &ready.series, &landed);
        match &ready.refused {
            Some(rejected) => {
                report.status = Status::PartlyLanded;
                let landed = rejected.fine.iter().map(|step| step.edit).collect();
                report.attempt = self.keep(repo, rejected, &landed);
            }
            None => self.forget(repo),
        }
        self.printer.report(&report);
        for what in landed.by_git.iter().filter(|_| self.output.verbose) {
            self.printer.note(&format!("note: {what}"));
        }
        if !self.settings.verify {
            for hook in transaction::unrun_hooks(repo)? {
                self.printer.note(&format!("note: the {hook} hook did not run: this version runs no hooks"));
            }
        }
        if target.checked_out {
            repo.tell_of_new_index();
        }
        repo.maintain();
        if self.settings.diff || self.settings.stat {
            self.show(repo, landed_from(&target, &landed), landed.new, None)?;
        }
        Ok(if ready.refused.is_some() { Exit::Refused } else { Exit::Done })
    }

    fn transact(
        &self,
        repo: &Repo,
        target: &Target,
        base: &BaseTree<'_>,
        series: &[Planned],
    ) -> Result<Landed, transaction::Error> {
        let edits: usize = series.iter().map(|planned| planned.edits.len()).sum();
        let options = Options {
            lock_timeout: self.settings.lock_timeout,
            no_verify: !self.settings.verify,
            reflog: reflog(edits, &self.names()),
        };
        let transaction = Transaction::begin(repo, target.clone(), base, series, options)?;
        transaction.prepare(base, series)?.publish()
    }

    fn landed(&self, repo: &Repo, report: &mut Report, target: &Target, series: &[Planned], landed: &Landed) {
        report.status = Status::Landed;
        let named = |id: Oid| (id.to_string(), repo.short(id));
        for (planned, commit) in series.iter().zip(&landed.commits) {
            for edit in report.edits.iter_mut().filter(|edit| planned.edits.contains(&edit.number)) {
                match commit {
                    Some(commit) => {
                        edit.state = EditState::Landed;
                        edit.commit = Some(named(*commit));
                    }
                    None => edit.state = EditState::NoChange,
                }
            }
        }
        // Edits that undo each other within one commit are in none.
        for edit in report.edits.iter_mut().filter(|edit| edit.state == EditState::Fine) {
            edit.state = EditState::NoChange;
        }
        let old = landed.old.map(|id| (id, repo.short(id)));
        report.branch = Some(branch(target, old, Some((landed.new, repo.short(landed.new)))));
    }
}

fn landed_from(target: &Target, landed: &Landed) -> Option<Oid> {
    landed.old.or(target.start)
}

fn branch(target: &Target, old: Option<(Oid, String)>, new: Option<(Oid, String)>) -> BranchReport {
    let text = |end: Option<(Oid, String)>| end.map(|(id, short)| (id.to_string(), short));
    BranchReport {
        reference: target.name.clone(),
        name: target.short().to_owned(),
        old: text(old),
        new: text(new),
        checked_out: target.checked_out,
    }
}

/// The reflog's message: one line without control characters.
fn reflog(edits: usize, responses: &str) -> String {
    let responses: String = responses.chars().filter(|c| !report::escape::is_hidden(*c)).collect();
    let edits = if edits == 1 { "1 edit".to_owned() } else { format!("{edits} edits") };
    format!("llm-apply: {edits} from {responses}")
}

/// A user's own message as git keeps one: no blanks at line ends, no blank lines around, a line break at the end.
fn terminated(message: &str) -> String {
    let lines: Vec<_> = message.lines().map(str::trim_end).collect();
    let mut text = lines.join("\n");
    text = text.trim_matches('\n').to_owned();
    text.push('\n');
    text
}
