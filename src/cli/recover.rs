//! `git llm-apply recover`, and the messages about killed runs.

use super::Error;
use super::session::Session;
use crate::flow::configured::lock_timeout;
use crate::outcome::Exit;
use crate::report::{End, Recovered, Report, Status};
use crate::transaction;
use crate::vcs::refs::short_name;

pub(super) fn run(session: &Session<'_>) -> Result<Exit, Error> {
    let Session { repo, printer, typed } = session;
    let discard = typed.is_on("discard");
    let timeout = lock_timeout(&typed.options, repo.config())?;
    let all = transaction::recover(repo, timeout, &|_| true, None, discard)?;
    let open = all.iter().any(|one| one.is_open());
    if printer.output.json {
        let status = if open { Status::InTheWay } else { Status::Nothing };
        return Ok(printer.report(Report { recovered: all, ..Report::new(status) }));
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

/// Says in a sentence what happened to a killed run.
pub(super) fn sentence(one: &Recovered) -> String {
    let branch = one.reference.as_deref().unwrap_or("");
    let branch = short_name(branch);
    match one.end {
        End::Discarded => format!("removed the files that a killed run had prepared ({})", one.id),
        End::TakenBack => {
            format!("took a killed run back: {branch} and its files are as before it ({})", one.id)
        }
        End::Finished => format!("finished a killed run: {branch} has landed ({})", one.id),
        End::Unknown => format!(
            "a killed run pushed {branch}, and it is not known whether the remote took that: run 'git llm-apply \
             recover' when the remote can be reached ({})",
            one.id
        ),
        End::Waiting => format!(
            "a killed run pushed {branch}, and its remote has it; 'git llm-apply recover' in the worktree that has {branch} \
             checked out moves it here ({})",
            one.id
        ),
        End::Dropped => format!("finished a killed run: dropped {branch} ({})", one.id),
        End::Forgotten => format!("finished a killed run: the record is forgotten ({})", one.id),
        End::Diverged => format!(
            "a run pushed {branch}, and its remote has it, but {branch} was changed here since: 'git pull --rebase' or \
             'git pull --no-rebase' brings the two together ({})",
            one.id
        ),
        End::LeftAlone => {
            format!(
                "a killed run on {branch} could not be finished or taken back, since git has changed it since ({})",
                one.id
            )
        }
        End::GivenUp => match &one.aside {
            Some(aside) => format!("gave up a killed run: its files are now in {aside}"),
            None => format!("gave up a killed run on {branch} ({})", one.id),
        },
    }
}

/// The files and locks that the user has to look at, a line each.
pub(super) fn remarks(one: &Recovered) -> Vec<String> {
    let mut all = Vec::new();
    for path in &one.left {
        all.push(match one.end {
            // The recovery does not tell which of the two it is.
            End::Waiting => format!("  {path} is in the way: it has local changes, or is in use"),
            End::LeftAlone | End::Diverged => {
                format!("  {path} may have the new content, and was left as it is: look at it")
            }
            _ => format!("  {path} was changed since, and was left as it is: look at it"),
        });
    }
    for lock in &one.locks {
        all.push(format!("  {lock} is left: remove it, unless a git process is running"));
    }
    all
}
