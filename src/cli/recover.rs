//! `git llm-apply recover`, and what the changing verbs do first by themselves.

use super::output::Printer;
use super::settings::{self, Output};
use super::{Error, exit::Exit};
use crate::report::{Report, Status};
use crate::transaction::{self, End, Recovered};
use crate::vcs::repo::Repo;
use clap::ArgMatches;
use std::time::Duration;

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Error> {
    let repo = Repo::discover()?;
    let output = Output::read(matches, repo.config())?;
    let printer = Printer::new(output);
    let all = transaction::recover(&repo, settings::lock_timeout(repo.config())?)?;
    if output.json {
        let left = all.iter().any(|one| !one.left.is_empty());
        let mut report = Report::new(Status::Nothing, 0);
        report.recovered =
            all.iter().map(|one| (one.id.clone(), one.end.as_str(), one.left.clone())).collect();
        if left {
            report.status = Status::InTheWay;
            report.exit_code = Exit::InTheWay.code();
        }
        printer.report(&report);
        return Ok(if left { Exit::InTheWay } else { Exit::Done });
    }
    if all.is_empty() {
        printer.line("nothing to recover");
    }
    let mut exit = Exit::Done;
    for one in &all {
        printer.line(&sentence(one));
        for path in &one.left {
            printer.note(&format!("  {path} was changed since, and stays as it is: look at it"));
            exit = Exit::InTheWay;
        }
    }
    Ok(exit)
}

/// Recovers before a verb that changes something, and says so.
pub(super) fn first(repo: &Repo, timeout: Duration, printer: &Printer) -> Result<(), Error> {
    for one in transaction::recover(repo, timeout)? {
        if one.end != End::Discarded {
            printer.note(&sentence(&one));
        }
        for path in &one.left {
            printer.note(&format!("  {path} was changed since, and stays as it is: look at it"));
        }
    }
    Ok(())
}

fn sentence(one: &Recovered) -> String {
    let branch = one.reference.as_deref().unwrap_or("");
    let branch = branch.strip_prefix("refs/heads/").unwrap_or(branch);
    match one.end {
        End::Discarded => format!("removed what a killed run had prepared ({})", one.id),
        End::TakenBack => {
            format!("took a killed run back: {branch} and its files are as before it ({})", one.id)
        }
        End::Finished => format!("finished a killed run: {branch} has landed ({})", one.id),
        End::LeftAlone => {
            format!("a killed run on {branch} could not be settled, since git went on meanwhile ({})", one.id)
        }
    }
}
