//! `git llm-apply recover`, and how it is told what became of killed runs.

use super::session::Session;
use super::{Error, exit::Exit};
use crate::flow::configured::lock_timeout;
use crate::report::{Report, Status};
use crate::transaction::{self, End, Recovered};

pub(super) fn run(session: &Session<'_>) -> Result<Exit, Error> {
    let Session { repo, printer, matches } = session;
    let discard = session.is_on("discard");
    let all = transaction::recover(repo, lock_timeout(*matches, repo.config())?, discard)?;
    let open = all.iter().any(|one| one.settled.is_open());
    if printer.output.json {
        let mut report = Report::new(if open { Status::InTheWay } else { Status::Nothing });
        report.recovered = all.iter().map(Into::into).collect();
        return Ok(printer.report(report));
    }
    if all.is_empty() {
        printer.line("nothing to recover");
    }
    for one in &all {
        printer.line(&sentence(one));
        remarks(one).iter().for_each(|remark| printer.note(remark));
    }
    Ok(if open { Exit::InTheWay } else { Exit::Done })
}

/// What became of it.
pub(super) fn sentence(one: &Recovered) -> String {
    let branch = one.reference.as_deref().unwrap_or("");
    let branch = branch.strip_prefix("refs/heads/").unwrap_or(branch);
    match one.settled.end {
        End::Discarded => format!("removed what a killed run had prepared ({})", one.id),
        End::TakenBack => {
            format!("took a killed run back: {branch} and its files are as before it ({})", one.id)
        }
        End::Finished => format!("finished a killed run: {branch} has landed ({})", one.id),
        End::Unknown => format!(
            "what a killed run has pushed or dropped of {branch} may be there or not: its remote cannot be asked ({})",
            one.id
        ),
        End::Dropped => format!("finished a killed run: {branch} was dropped ({})", one.id),
        End::Forgotten => format!("finished a killed run: the record is forgotten ({})", one.id),
        End::LeftAlone => {
            format!("a killed run on {branch} could not be settled, since git went on meanwhile ({})", one.id)
        }
        End::GivenUp => {
            let aside = one.settled.aside.as_ref().map(|aside| aside.display().to_string());
            format!("gave a killed run up: what it left is in {} now", aside.unwrap_or_default())
        }
    }
}

/// What somebody has to look at.
pub(super) fn remarks(one: &Recovered) -> Vec<String> {
    let settled = &one.settled;
    let mut all = Vec::new();
    for path in &settled.left {
        all.push(match settled.end {
            // Nobody knows who did what to it.
            End::LeftAlone => format!("  {path} may have what was to land, and stays as it is: look at it"),
            _ => format!("  {path} was changed since, and stays as it is: look at it"),
        });
    }
    for lock in &settled.locks {
        all.push(format!("  {} was left locked, unless a git is at work: remove it then", lock.display()));
    }
    all
}
