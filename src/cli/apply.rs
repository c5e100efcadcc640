//! `git llm-apply` and `git llm-apply check`.

use super::exit::Exit;
use super::output::Printer;
use super::settings::{Output, Settings};
use super::{Error, input, recover};
use crate::edit::Script;
use crate::format::{self, FORMATS};
use crate::message::{Group, Message, Operation};
use crate::path::RepoPath;
use crate::plan::{self, Grouping, Plan, Rejected, Rules};
use crate::report::{self, BranchReport, EditState, Report, Status};
use crate::response::Response;
use crate::transaction::{self, Landed, Options, Planned, Preview, Target, Transaction, interrupt};
use crate::vcs::repo::Repo;
use crate::vcs::show::Show;
use crate::vcs::tree::BaseTree;
use crate::vcs::{self, Oid};
use clap::ArgMatches;
use std::ffi::OsString;

/// How often a branch that moved meanwhile is resolved again (`transaction.md`, Concurrency).
const ATTEMPTS: usize = 3;

/// Whether a path is one of those that a pathspec names.
type Matcher = Box<dyn Fn(&str) -> bool>;

struct Run {
    settings: Settings,
    output: Output,
    printer: Printer,
    responses: Vec<Response>,
    script: Script,
}

pub(super) fn run(matches: &ArgMatches, check: bool) -> Result<Exit, Error> {
    let repo = Repo::discover()?;
    let settings = Settings::read(matches, repo.config(), check)?;
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
    let responses = input::read(&names, settings.max_size)?;
    let mut script = Script::default();
    for response in &responses {
        let one = format::parse(response, settings.format);
        script.edits.extend(one.edits);
        script.diagnostics.extend(one.diagnostics);
        script.regions.extend(one.regions);
        script.message = script.message.or(one.message);
    }
    let run = Run { settings, output, printer, responses, script };
    if run.script.edits.is_empty() && !run.script.has_errors() {
        return Ok(run.no_edits());
    }
    if run.settings.dry_run {
        for id in transaction::pending(&repo)? {
            run.printer
                .note(&format!("note: a killed run is pending ({id}): 'git llm-apply recover' settles it"));
        }
        return run.dry(&repo);
    }
    recover::first(&repo, run.settings.lock_timeout, &run.printer)?;
    let mut attempt = 1;
    loop {
        // Anew each time: a quarantine was this handle's object store.
        let repo = Repo::discover()?;
        match run.land(&repo) {
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

    /// Resolves on the target; a refusal is reported here.
    fn resolve(
        &self,
        repo: &Repo,
        target: &Target,
        base: &BaseTree<'_>,
    ) -> Result<Result<Plan, Exit>, Error> {
        let rules = self.rules(repo)?;
        match plan::resolve(&self.script, base, &rules)? {
            Ok(plan) => Ok(Ok(plan)),
            Err(rejected) => {
                self.printer.report(&self.refusal(target, &rejected));
                Ok(Err(Exit::Refused))
            }
        }
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

    fn rules(&self, repo: &Repo) -> Result<Rules, Error> {
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
        // Hooks that lie in the checkout come with the next commit, if git tracks them.
        let hooks = repo.hooks_dir_in_checkout()?;
        let also_sensitive = move |path: &RepoPath| {
            let in_hooks = hooks.as_ref().is_some_and(|hooks| {
                hooks.is_empty()
                    || path.as_str().strip_prefix(hooks.as_str()).is_some_and(|rest| rest.starts_with('/'))
            });
            in_hooks || sensitive.as_ref().is_some_and(|matches| matches(path.as_str()))
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
        })
    }

    /// The target, unless `--base` and the branch have parted.
    fn target(&self, repo: &Repo) -> Result<Target, Error> {
        let target = Target::choose(repo, self.settings.branch.as_deref(), self.settings.base.as_deref())?;
        if let Some(base) = &self.settings.base
            && target.has_left(repo, base)?
        {
            return Err(transaction::Error::Unsupported {
                what: format!(
                    "{} has moved on from {base}: the edits would have to be merged onto it",
                    target.short()
                ),
                help: format!(
                    "'git llm-apply -b <new branch> --base {base}' lands them there; merge that branch"
                ),
            }
            .into());
        }
        Ok(target)
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
            all.push(Planned {
                edits: steps.iter().map(|step| step.edit).collect(),
                message: terminated(&message),
                changes: group.changes,
            });
        }
        all.retain(|planned| !planned.changes.is_empty());
        all
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
        let base = repo.tree(target.start)?;
        let plan = match self.resolve(repo, &target, &base)? {
            Ok(plan) => plan,
            Err(exit) => return Ok(exit),
        };
        let series = self.series(&plan);
        let mut report = self.planned(&plan, &target);
        let mut exit = Exit::Done;
        if !series.is_empty() {
            let obstacles = transaction::in_the_way(repo, &target, &base, &series, !self.settings.verify)?;
            if !obstacles.is_empty() {
                exit = Exit::InTheWay;
                self.in_the_way(&mut report, &obstacles);
            }
        }
        self.printer.report(&report);
        if (self.settings.diff || self.settings.stat) && !series.is_empty() {
            let preview = Preview::build(repo, &base, &series)?;
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

    fn in_the_way(&self, report: &mut Report, obstacles: &[transaction::Obstacle]) {
        report.status = Status::InTheWay;
        report.exit_code = Exit::InTheWay.code();
        report.obstacles = obstacles.iter().map(|one| (one.kind(), one.subject(), one.to_string())).collect();
        report.obstacle_help = obstacles.iter().map(|one| one.help().to_owned()).collect();
    }

    /// The report of a plan that nothing was done with yet.
    fn planned(&self, plan: &Plan, target: &Target) -> Report {
        let changes = plan.steps().iter().any(|step| step.outcome == plan::Outcome::Changes);
        let status = if changes { Status::Checked } else { Status::Nothing };
        let mut report = self.report(status, Exit::Done);
        report.branch = Some(branch(target, target.tip.map(|id| (id, String::new())), None));
        for (at, edit) in self.script.edits.iter().enumerate() {
            let step = plan.steps().iter().find(|step| step.edit == at + 1);
            report.edits.push(report::edit(at + 1, edit, step, &self.responses));
        }
        let warnings = self.script.diagnostics.iter().chain(plan.warnings());
        let mut seen = Vec::new();
        for warning in warnings {
            if !seen.contains(&warning) {
                report.findings.push(report::finding(warning, &self.script, &self.responses));
                seen.push(warning);
            }
        }
        report
    }

    fn land(&self, repo: &Repo) -> Result<Exit, Error> {
        let target = self.target(repo)?;
        let base = repo.tree(target.start)?;
        let plan = match self.resolve(repo, &target, &base)? {
            Ok(plan) => plan,
            Err(exit) => return Ok(exit),
        };
        let series = self.series(&plan);
        let mut report = self.planned(&plan, &target);
        if series.is_empty() {
            report.status = Status::Nothing;
            self.printer.report(&report);
            return Ok(Exit::Done);
        }
        let held = interrupt::hold();
        let landed = self.transact(repo, &target, &base, &series);
        let landed = match landed {
            Ok(landed) => landed,
            Err(transaction::Error::InTheWay(obstacles)) => {
                self.in_the_way(&mut report, &obstacles);
                for edit in &mut report.edits {
                    edit.commit = None;
                }
                self.printer.report(&report);
                return Ok(Exit::InTheWay);
            }
            Err(transaction::Error::Nothing) => {
                report.status = Status::Nothing;
                self.printer.report(&report);
                return Ok(Exit::Done);
            }
            Err(error) => return Err(error.into()),
        };
        drop(held);
        self.landed(repo, &mut report, &target, &series, &landed);
        self.printer.report(&report);
        if !self.settings.verify {
            for hook in transaction::unrun_hooks(repo)? {
                self.printer.note(&format!("note: the {hook} hook did not run: this version runs no hooks"));
            }
        }
        repo.maintain();
        if self.settings.diff || self.settings.stat {
            self.show(repo, landed_from(&target, &landed), landed.new, None)?;
        }
        Ok(Exit::Done)
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
