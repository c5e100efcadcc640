//! A repository, and the plan that a response resolves to.

use super::{Cancel, Error, Landing, Options, Reason, Response};
use crate::flow::{self, Done, Order, Undo};
use crate::report::{self, EditReport, EditState, Quoting, Report, Status};
use crate::transaction::Attempt;
use crate::vcs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A repository or one of its worktrees. Each call opens it anew, so threads can share it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repo {
    git_dir: PathBuf,
    workdir: Option<PathBuf>,
}

/// The result of resolving a response against a repository.
#[derive(Debug)]
#[non_exhaustive]
pub enum Resolved {
    /// The response has landed before, or its edits are already applied: there is nothing to do.
    AlreadyLanded(Landing),
    /// Some edits of the response are refused, or it has no edits.
    Refused(Refused),
    /// All edits can land.
    Plan(Plan),
}

impl Repo {
    /// Opens the repository that contains this directory, which is in a worktree or in a bare repository. Ignores the
    /// current directory, `GIT_DIR` and similar variables.
    ///
    /// # Errors
    /// The path is not absolute, no repository contains it, or git refuses to open the repository.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, Error> {
        let directory = directory.as_ref();
        if !directory.is_absolute() {
            return Err(Error::usage(format!("{} is no absolute path", directory.display())));
        }
        let found = vcs::repo::Repo::find(directory)?;
        Ok(Self { git_dir: found.git_dir().to_owned(), workdir: found.workdir().map(Path::to_owned) })
    }

    pub(super) fn handle(&self) -> vcs::Result<vcs::repo::Repo> {
        vcs::repo::Repo::open(&self.git_dir, self.workdir.as_deref())
    }

    /// Finds out where the edits of a response belong, without landing them. Changes nothing, except that it first
    /// finishes or rolls back a run that was killed.
    ///
    /// # Errors
    /// Something in the repository is in the way, or the repository cannot be read.
    pub fn resolve(&self, response: &Response, options: &Options) -> Result<Resolved, Error> {
        let mut options = unattended(options);
        let order = order_of(response, &mut options)?;
        let repo = self.handle()?;
        flow::recover(&repo, options.lock_timeout, &[options.branch.as_deref()], &())?;
        let dry = flow::Options { dry_run: true, ..options.clone() };
        let Done { mut report, failure, refused, .. } = flow::land(&repo, order, &dry, &());
        let is_refused = matches!(report.status, Status::Refused | Status::NoEdits);
        if is_refused && failure.as_ref().is_none_or(|error| matches!(error, flow::Error::Mismatch(_))) {
            let attempt = refused.map(Arc::new).or_else(|| response.attempt.clone());
            report.is_held = attempt.is_some();
            return Ok(Resolved::Refused(Refused { report: Box::new(report), attempt }));
        }
        if let Some(error) = Error::of_report(&report, failure.as_ref()) {
            return Err(error);
        }
        Ok(match report.status {
            Status::Nothing => Resolved::AlreadyLanded(Landing::of(&report)),
            _ => Resolved::Plan(Plan {
                repo: self.clone(),
                response: response.clone(),
                options: Box::new(options),
                report: Box::new(report),
            }),
        })
    }

    /// Undoes a landing as `git llm-apply undo` does. `landing` is its id, the beginning of its id, or one of its
    /// commits.
    ///
    /// # Errors
    /// There is no such landing, or it cannot be undone. Then nothing has changed.
    pub fn undo(&self, landing: &str) -> Result<Landing, Error> {
        let options = unattended(&Options::from_config(self)?);
        let what = Undo { name: Some(landing.to_owned()), ..Undo::default() };
        landed(flow::undo(&self.handle()?, &what, &options, &()))
    }
}

/// The options for a program: no editor is opened, refused attempts are not kept in the repository, and all edits land
/// or none.
fn unattended(options: &Options) -> flow::Options {
    let mut options = flow::Options::clone(options);
    options.edit = false;
    options.diffs = true;
    options.keep = false;
    options.keep_going = false;
    // The program decides that by calling `resolve` or `land`.
    options.dry_run = false;
    options
}

/// The order to apply a response. Corrections are resolved on the base of their attempt; the branch is always that of
/// the options.
fn order_of(response: &Response, options: &mut flow::Options) -> Result<Order, Error> {
    let attempt = response.attempt.as_deref().cloned();
    if let Some(attempt) = &attempt {
        options.base.clone_from(&attempt.base);
    }
    let number = attempt.as_ref().map_or(0, Attempt::next_response);
    let mut order = Order::of(vec![response.numbered(number, options.max_size).map_err(flow::Error::from)?]);
    order.attempt = attempt;
    Ok(order)
}

fn landed(done: Done) -> Result<Landing, Error> {
    match Error::of_report(&done.report, done.failure.as_ref()) {
        Some(error) => Err(error),
        None => Ok(Landing::of(&done.report)),
    }
}

/// A response that cannot land as it is.
#[derive(Debug)]
pub struct Refused {
    report: Box<Report>,
    /// The refused attempt, which `corrected` continues.
    attempt: Option<Arc<Attempt>>,
}

impl Refused {
    /// Returns the feedback to send to the model: which edits failed and why, and the real lines of the files. It has
    /// at most `limit` bytes; a limit below 4,096 counts as 4,096.
    pub fn feedback(&self, limit: usize) -> String {
        report::feedback(&self.report, Quoting::Exact, limit).unwrap_or_default()
    }

    /// Returns the reasons for the refusal. Each names its edit, if it is about one.
    pub fn reasons(&self) -> Vec<Reason> {
        let errors = self.report.findings.iter().filter(|finding| finding.is_error());
        let reason = |finding: &report::Finding| Reason {
            code: finding.code.as_str(),
            message: finding.message.clone(),
            help: finding.help.clone(),
            edit: finding.edit,
            path: finding.path.clone(),
        };
        errors.map(reason).collect()
    }

    /// Returns a response in which these corrected edits replace those that failed. The text need not repeat the good
    /// edits.
    pub fn corrected(&self, text: impl Into<Arc<str>>) -> Response {
        let mut response = Response::parse(text);
        response.attempt.clone_from(&self.attempt);
        response
    }
}

/// A response that can land as a whole.
#[derive(Debug)]
pub struct Plan {
    repo: Repo,
    response: Response,
    options: Box<flow::Options>,
    report: Box<Report>,
}

/// One edit of a plan.
#[derive(Debug, Clone, Copy)]
pub struct Step<'a>(&'a EditReport);

impl Plan {
    /// Returns the edits that change something, in order.
    pub fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        self.report.edits.iter().filter(|edit| edit.state == EditState::Fine).map(Step)
    }

    /// Returns warnings and remarks for the user.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        let warnings = self.report.findings.iter().filter(|finding| !finding.is_error());
        warnings.map(|finding| finding.message.as_str()).chain(self.report.remarks.iter().map(String::as_str))
    }

    /// Lands the plan: one commit per edit (or as the options group them), or nothing. Resolves the response again,
    /// because the branch may have moved. Waits at most `wait` for other landings.
    ///
    /// # Errors
    /// Nothing has changed then, unless the kind is [`super::Kind::Unfinished`]. The kind is [`super::Kind::Refused`]
    /// if the branch has moved so that the response does not resolve any more.
    pub fn land(&self, wait: Duration, cancel: &Cancel) -> Result<Landing, Error> {
        let mut options = flow::Options::clone(&self.options);
        options.lock_timeout = wait;
        let (repo, order) = (self.repo.handle()?, order_of(&self.response, &mut options)?);
        landed(cancel.guard(|| flow::land(&repo, order, &options, &())))
    }
}

impl<'a> Step<'a> {
    /// Returns the number of the edit in the response, from 1.
    pub fn number(&self) -> usize {
        self.0.number
    }

    /// Returns the operation: `create`, `modify`, `replace`, `append`, `delete`, `rename`, `copy` or `mode`.
    pub fn operation(&self) -> &'a str {
        self.0.verb()
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &'a str {
        &self.0.path
    }

    /// Returns the destination of a rename or copy.
    pub fn to(&self) -> Option<&'a str> {
        self.0.to.as_deref()
    }

    /// Returns the reason that the model gave for the edit.
    pub fn why(&self) -> Option<&'a str> {
        self.0.why.as_deref()
    }

    /// Returns the edit's diff, as `git diff` shows it.
    pub fn diff(&self) -> Option<&'a str> {
        self.0.diff.as_deref()
    }
}
