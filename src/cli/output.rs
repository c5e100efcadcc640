//! Prints results to standard output and diagnostics to standard error.
use super::settings::{Output, git_color};
use super::{diff, recover};
use crate::flow::{self, Watch};
use crate::outcome::{self, Exit};
use crate::report::escape::{Printed, escape};
use crate::report::{self, BOLD, CYAN, RED, YELLOW};
use crate::report::{End, FEEDBACK_LIMIT, FailedCheck, Problem, Quoting, Recovered, Report, Status};
use crate::vcs::repo::Repo;
use crate::vcs::show::Colors;
use crate::vcs::show::Show;
use crate::vcs::{self, Oid};
use anstream::stream::{AsLockedWrite, RawStream};
use anstream::{AutoStream, ColorChoice};
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Prints in the way that the settings ask for.
pub(super) struct Printer {
    pub(super) output: Output,
    /// Whether a progress line is on the terminal.
    in_progress: Cell<bool>,
    /// Escapes the output of a running command.
    printed: RefCell<Printed>,
    said: Rc<Said>,
}

/// The remarks of the run so far. They become part of the report, or of the error if the run ends without a report.
#[derive(Default)]
pub(super) struct Said {
    remarks: RefCell<Vec<String>>,
    recovered: RefCell<Vec<Recovered>>,
}

/// How long something may take before a progress line is shown. At most this number of characters of its name are shown
/// there.
const PROGRESS_DELAY: Duration = Duration::from_millis(500);
const MAX_PROGRESS_NAME: usize = 60;

impl Printer {
    pub(super) fn new(output: Output, said: &Rc<Said>) -> Self {
        Self { output, in_progress: Cell::new(false), printed: RefCell::default(), said: Rc::clone(said) }
    }

    pub(super) fn out(&self, text: &str) {
        check_written(self.print(std::io::stdout(), text));
    }

    /// Prints a result. With `--feedback` it goes to standard error, since standard output is only for the feedback.
    fn result(&self, text: &str) {
        if self.output.feedback { self.err(text) } else { self.out(text) }
    }

    fn err(&self, text: &str) {
        let _ = self.print(std::io::stderr(), text);
    }

    fn print(&self, stream: impl RawStream + AsLockedWrite, text: &str) -> std::io::Result<()> {
        let mut stream = AutoStream::new(stream, self.output.color);
        match stream.current_choice() {
            // One write for all. The stream itself would write each text between two colours on its own.
            ColorChoice::Never => {
                let text = anstream::adapter::strip_str(text).to_string();
                write(&mut stream.into_inner(), &text)
            }
            _ => write(&mut stream, text),
        }
    }

    /// Prints the whole report with its error, and returns the exit status.
    pub(super) fn outcome(&self, report: &mut Report, failure: Option<&flow::Error>) -> Exit {
        let exit = outcome::settle(report, failure);
        report.remarks = self.said.remarks.take();
        match self.output.json {
            true => self.json(report),
            false => self.text(report),
        }
        exit
    }

    /// Abbreviates the commits of a report as git does. Only if they are printed, since each takes a search in the
    /// whole repository.
    pub(super) fn abbreviate(&self, report: &mut Report, repo: &Repo) {
        let is_printed = !self.output.json && !self.output.quiet;
        for name in report.commit_names().filter(|_| is_printed) {
            if let Ok(id) = repo.id(&name.id) {
                name.short = repo.short(id);
            }
        }
    }

    /// Prints a report without an error.
    pub(super) fn report(&self, mut report: Report) -> Exit {
        self.outcome(&mut report, None)
    }

    fn text(&self, report: &Report) {
        let printed = self.output.feedback && self.feedback(report);
        // With --feedback a landing prints nothing: there is nothing to send back.
        let is_done = self.output.feedback && report.status == Status::Landed && !report.dry_run;
        if (printed && self.output.quiet) || is_done {
            return;
        }
        let verbose = self.output.verbose;
        let failed =
            matches!(report.status, Status::Refused | Status::NoEdits | Status::InTheWay | Status::Failed);
        let shown = (report.dry_run || !failed) && !self.output.quiet;
        if shown {
            self.result(&report::lines(report, verbose));
        }
        if report.dry_run && !self.output.quiet {
            self.result(&report::summary(report, verbose));
        }
        let always = matches!(report.status, Status::Refused | Status::PartlyLanded | Status::NoEdits);
        if !self.output.quiet || always {
            self.err(&report::findings(report, verbose));
        }
        if let Some(problem) = &report.error {
            self.problem(problem, report.failed.as_ref());
        }
        for obstacle in &report.obstacles {
            self.message(&obstacle.message, None);
        }
        let mut helped = HashSet::new();
        for help in report.obstacles.iter().map(|obstacle| &obstacle.help).filter(|help| helped.insert(*help))
        {
            self.hint(help);
        }
        if !report.obstacles.is_empty() {
            self.err("nothing was changed\n");
        }
        if let Some(kept) = report::kept(report) {
            self.hint(&kept);
        }
        if shown {
            self.result(&report::headline(report));
            if !report.dry_run && (report.undone.is_some() || !report.accepted.is_empty()) {
                self.result(&report::summary(report, verbose));
            }
        }
    }

    /// Prints suggestions: messages about each, then a table of all.
    pub(super) fn suggestions(&self, report: &mut Report) {
        let of_one =
            |remark: &String| report.suggestions.iter().any(|one| one.report.remarks.contains(remark));
        report.remarks = self.said.remarks.take().into_iter().filter(|remark| !of_one(remark)).collect();
        if self.output.json {
            return self.json(report);
        }
        for one in &report.suggestions {
            let is_done = one.report.exit_code == Exit::Done.code();
            let is_brief = is_done && !self.output.verbose;
            // The table and the error below tell about interrupted suggestions.
            if one.is_interrupted()
                || (is_done && self.output.quiet)
                || (is_brief && one.report.findings.is_empty())
            {
                continue;
            }
            let responses = one.report.responses.join(", ");
            let of = if responses.is_empty() { responses } else { format!(" ({})", escape(&responses)) };
            self.err(&format!("{BOLD}{}{BOLD:#}{of}\n", escape(&one.branch)));
            match is_brief {
                true => self.err(&report::findings(&one.report, false)),
                false => self.text(&one.report),
            }
        }
        report.error.iter().for_each(|error| self.problem(error, None));
        if self.output.quiet || report.suggestions.is_empty() {
            return;
        }
        self.result(&report::table(report));
        let has_landed = |status| matches!(status, Status::Landed | Status::PartlyLanded);
        let landed = report.suggestions.iter().filter(|one| has_landed(one.report.status)).count();
        if landed > 0 {
            self.result(&format!(
                "{landed} of {} landed; 'git llm-apply accept <branch>' takes one, 'git llm-apply drop <branch>…' removes \
                 others\n",
                report.suggestions.len()
            ));
        }
    }

    /// Prints the feedback for the model, escaped on a terminal. Returns whether there was any.
    fn feedback(&self, report: &Report) -> bool {
        let quoting = if std::io::stdout().is_terminal() { Quoting::Escaped } else { Quoting::Exact };
        let text = report::feedback(report, quoting, FEEDBACK_LIMIT);
        text.as_deref().map(exactly).is_some()
    }

    fn json(&self, report: &Report) {
        // An agent may read the JSON, so withheld lines are left out.
        match report::json(&report.for_models()) {
            // Not through `out`, which would filter colours.
            Ok(text) => exactly(&format!("{text}\n")),
            Err(e) => self.message(&format!("cannot write JSON: {e}"), None),
        }
    }

    /// Prints an error that ends the run before it has a report. `responses` are the names of the responses.
    pub(super) fn error(&self, responses: Vec<String>, problem: Problem, exit: Exit) {
        if !self.output.json {
            return self.problem(&problem, None);
        }
        self.json(&Report {
            exit_code: exit.code(),
            responses,
            remarks: self.said.remarks.take(),
            recovered: self.said.recovered.take(),
            error: Some(problem),
            ..Report::new(outcome::problem::status_of(exit))
        });
    }

    /// Prints an error, after the output of its hook or of the command that failed.
    fn problem(&self, problem: &Problem, failed: Option<&FailedCheck>) {
        let output = match failed {
            // With -v it was shown while the command ran.
            Some(_) if self.output.verbose => None,
            Some(failed) => Some(&failed.output),
            None => problem.output.as_ref(),
        };
        if let Some(output) = output.filter(|output| !output.is_empty()) {
            self.command_output(format!("{}\n", output.trim_end_matches('\n')).as_bytes());
            self.end_command_output();
        }
        self.message(&problem.message, problem.help.as_deref());
    }

    fn message(&self, message: &str, help: Option<&str>) {
        // A message from git may have several lines.
        let lines: Vec<_> = message.lines().map(escape).collect();
        self.err(&format!("{RED}error{RED:#}: {}\n", lines.join("\n")));
        if let Some(help) = help {
            self.hint(help);
        }
    }

    /// Prints a command's output, escaped on a terminal.
    fn command_output(&self, bytes: &[u8]) {
        let mut stderr = std::io::stderr();
        let _ = match stderr.is_terminal() {
            true => stderr.write_all(self.printed.borrow_mut().next(bytes).as_bytes()),
            false => stderr.write_all(bytes),
        };
    }

    fn end_command_output(&self) {
        let _ = std::io::stderr().write_all(self.printed.borrow_mut().end().as_bytes());
    }

    /// Shows a diff. At a terminal this program escapes and colours it, since a pager would pass control characters on
    /// to the terminal; otherwise git prints it.
    pub(super) fn diff(&self, repo: &Repo, old: Option<Oid>, new: Oid, show: Show<'_>) -> vcs::Result<()> {
        if !std::io::stdout().is_terminal() {
            return repo.show_diff(old, new, show);
        }
        self.page(repo, &repo.diff_text(old, new, show)?)
    }

    /// Prints the diffs of edits, as git would print one.
    pub(super) fn diffs(&self, repo: &Repo, diffs: &str) -> vcs::Result<()> {
        if std::io::stdout().is_terminal() {
            return self.page(repo, diffs.as_bytes());
        }
        match self.output.color {
            ColorChoice::Always => exactly(&diff::coloured(diffs.as_bytes(), &repo.colors("always")?)),
            _ => exactly(diffs),
        }
        Ok(())
    }

    /// Shows a diff at the terminal, in git's pager if one is configured.
    fn page(&self, repo: &Repo, diff: &[u8]) -> vcs::Result<()> {
        let colors = repo.colors(git_color(self.output.color))?;
        let colors = if repo.colors_pager()? || self.output.color == ColorChoice::Always {
            colors
        } else {
            Colors::default()
        };
        let text = diff::coloured(diff, &colors);
        if !repo.page(&text)? {
            exactly(&text);
        }
        Ok(())
    }

    fn hint(&self, text: &str) {
        self.err(&format!("{CYAN}hint{CYAN:#}: {}\n", escape(text)));
    }

    /// Prints a remark and adds it to the report.
    pub(super) fn tell(&self, text: &str) {
        self.note(text);
        self.said.remarks.borrow_mut().push(text.to_owned());
    }

    /// Prints a remark.
    pub(super) fn note(&self, text: &str) {
        if !self.output.quiet && !self.output.json {
            self.err(&format!("{}\n", escape(text)));
        }
    }

    pub(super) fn line(&self, text: &str) {
        if !self.output.quiet {
            self.out(&format!("{}\n", escape(text)));
        }
    }
}

impl Watch for Printer {
    fn warn(&self, text: &str) {
        if self.said.remarks.borrow().iter().any(|said| said == text) {
            return;
        }
        self.said.remarks.borrow_mut().push(text.to_owned());
        if !self.output.quiet && !self.output.json {
            self.err(&format!("{YELLOW}warning{YELLOW:#}: {}\n", escape(text)));
        }
    }

    fn detail(&self, text: &str) {
        if self.output.verbose {
            text.lines().for_each(|line| self.note(line));
        }
    }

    fn output(&self, bytes: &[u8]) {
        if self.output.verbose && !self.output.json {
            self.command_output(bytes);
        }
    }

    fn waiting(&self, what: &str, elapsed: Duration) {
        let is_shown = !self.output.quiet && !self.output.json && !self.output.verbose;
        if is_shown && elapsed > PROGRESS_DELAY && std::io::stderr().is_terminal() {
            self.in_progress.set(true);
            let what: String = escape(what).chars().take(MAX_PROGRESS_NAME).collect();
            let _ = write!(std::io::stderr(), "\r\x1b[K{what} ({} s)", elapsed.as_secs());
        }
    }

    fn ended(&self) {
        self.end_command_output();
        if self.in_progress.take() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }

    fn recovered(&self, run: &Recovered) {
        self.said.recovered.borrow_mut().push(run.clone());
        // A run that had only prepared something has changed nothing, so users need not know.
        if run.end != End::Discarded {
            self.note(&recover::sentence(run));
        }
        recover::remarks(run).iter().for_each(|remark| self.note(remark));
    }
}

/// Prints usage errors, -h and --version. With `json`, an error is one JSON object.
pub(super) fn usage(error: &clap::Error, json: bool) -> ExitCode {
    let is_help =
        matches!(error.kind(), clap::error::ErrorKind::DisplayHelp | clap::error::ErrorKind::DisplayVersion);
    if is_help {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    // The paragraphs are the error, a tip, and the usage.
    let text = error.render().to_string();
    let mut parts = text.split("\n\n").map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    let first = parts.next().unwrap_or_default();
    let message = first.strip_prefix("error: ").unwrap_or(&first);
    // The tip on how to pass a value that begins with a hyphen seldom helps.
    let tips = parts.find_map(|part| Some(part.strip_prefix("tip: ")?.to_owned()));
    let tip = tips.filter(|tip| !tip.starts_with("to pass ")).map_or(String::new(), |tip| format!("{tip}; "));
    let help = Some(format!("{tip}see 'git llm-apply -h'"));
    early(json, Problem { help, ..Problem::new("usage", message.to_owned()) }, Exit::Usage)
}

/// Prints an error that occurs before the arguments are parsed.
pub(super) fn early(json: bool, problem: Problem, exit: Exit) -> ExitCode {
    let output = Output { json, ..Output::default() };
    Printer::new(output, &Rc::default()).error(Vec::new(), problem, exit);
    ExitCode::from(exit.code())
}

/// Prints a text byte for byte, for a program or a model.
pub(super) fn exactly(text: &str) {
    check_written(write(&mut std::io::stdout().lock(), text));
}

/// Whether something could not be written to standard output.
static IS_CUT: AtomicBool = AtomicBool::new(false);

/// Reports, once, that standard output cannot be written. It is not an error if the reader has closed its end.
fn check_written(written: std::io::Result<()>) {
    if let Err(e) = written
        && e.kind() != std::io::ErrorKind::BrokenPipe
        && !IS_CUT.swap(true, Ordering::Relaxed)
    {
        remark(&format!("error: cannot write to standard output: {e}"));
    }
}

/// The exit status of a run that landed nothing: an error if its output could not be written, since output is its only
/// result.
pub(super) fn exit_after_printing(exit: Exit) -> Exit {
    if exit == Exit::Done && IS_CUT.load(Ordering::Relaxed) { Exit::Fatal } else { exit }
}

fn write(stream: &mut dyn Write, text: &str) -> std::io::Result<()> {
    stream.write_all(text.as_bytes()).and_then(|()| stream.flush())
}

/// Prints an untrusted text byte for byte, but escaped on a terminal.
pub(super) fn untrusted(text: &str) {
    match std::io::stdout().is_terminal() {
        true => exactly(&report::visible(text)),
        false => exactly(text),
    }
}

/// Prints a remark to standard error.
pub(super) fn remark(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", escape(text));
}
