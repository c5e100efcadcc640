//! A repository, and the plan that a response resolves to, for programs.

use super::{Cancel, Error, Landing, Options, Reason, Response};
use crate::flow::{self, Done, Order, Undo};
use crate::report::{self, EditReport, EditState, Quoting, Report, Status};
use crate::transaction::Attempt;
use crate::vcs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A repository, or a worktree of one. Each call opens it again, so that many threads may use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repo {
    git_dir: PathBuf,
    workdir: Option<PathBuf>,
}

/// The result of resolving a response.
#[derive(Debug)]
#[non_exhaustive]
pub enum Resolved {
    /// It has landed before, or is applied already: there is nothing to do.
    AlreadyLanded(Landing),
    /// Some of its edits are refused, or it has none.
    Refused(Refused),
    /// All of it can land.
    Plan(Plan),
}

impl Repo {
    /// Opens the repository that contains this directory: that of a worktree, or a bare one. Ignores the current
    /// directory and the environment (`GIT_DIR` and the like).
    ///
    /// # Errors
    /// There is none, git refuses to open it, or the path is not absolute.
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

    /// Resolves a response. Changes nothing, except that it first recovers what a killed run has left.
    ///
    /// # Errors
    /// Something in the repository is in the way, or it cannot be read.
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

    /// Undoes a landing, as `git llm-apply undo` does, by its id, the beginning of its id, or one of its commits.
    ///
    /// # Errors
    /// There is no such landing, or it cannot be undone; nothing has changed then.
    pub fn undo(&self, landing: &str) -> Result<Landing, Error> {
        let options = unattended(&Options::from_config(self)?);
        let what = Undo { name: Some(landing.to_owned()), ..Undo::default() };
        landed(flow::undo(&self.handle()?, &what, &options, &()))
    }
}

/// The options without questions to a user, and without keeping what does not land.
fn unattended(options: &Options) -> flow::Options {
    let mut options = flow::Options::clone(options);
    options.edit = false;
    options.diffs = true;
    options.keep = false;
    options.keep_going = false;
    // The called function decides, not the configuration.
    options.dry_run = false;
    options
}

/// The order to apply a response. The branch comes from the options of each call, but the base of corrections from the attempt.
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
    /// The edits, so that corrected ones can replace those that failed.
    attempt: Option<Arc<Attempt>>,
}

impl Refused {
    /// The feedback for the model, of at most `limit` bytes, or 4,096 if that is more: what failed, why, and the real
    /// lines of the files.
    pub fn feedback(&self, limit: usize) -> String {
        report::feedback(&self.report, Quoting::Exact, limit).unwrap_or_default()
    }

    /// The reasons, for each edit that failed.
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

    /// A response in which these corrected edits replace those that failed. The good ones need not be repeated.
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
    /// The edits that change something, in order.
    pub fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        self.report.edits.iter().filter(|edit| edit.state == EditState::Fine).map(Step)
    }

    /// Warnings and remarks.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        let warnings = self.report.findings.iter().filter(|finding| !finding.is_error());
        warnings.map(|finding| finding.message.as_str()).chain(self.report.remarks.iter().map(String::as_str))
    }

    /// Lands the plan: a commit for each edit, or nothing. The response is resolved again on the current branch. `wait`
    /// is how long to wait for other landings.
    ///
    /// # Errors
    /// Nothing has changed then, unless the kind is [`super::Kind::Unfinished`]. With [`super::Kind::Refused`], the
    /// branch has moved so that the response does not resolve any more.
    pub fn land(&self, wait: Duration, cancel: &Cancel) -> Result<Landing, Error> {
        let mut options = flow::Options::clone(&self.options);
        options.lock_timeout = wait;
        let (repo, order) = (self.repo.handle()?, order_of(&self.response, &mut options)?);
        landed(cancel.guard(|| flow::land(&repo, order, &options, &())))
    }
}

impl<'a> Step<'a> {
    /// The edit's number in the response, from 1.
    pub fn number(&self) -> usize {
        self.0.number
    }

    /// Its operation: `create`, `modify`, `replace`, `append`, `delete`, `rename` or `copy`.
    pub fn operation(&self) -> &'a str {
        self.0.verb()
    }

    /// The file.
    pub fn path(&self) -> &'a str {
        &self.0.path
    }

    /// The destination of a rename or copy.
    pub fn to(&self) -> Option<&'a str> {
        self.0.to.as_deref()
    }

    /// The model's reason.
    pub fn why(&self) -> Option<&'a str> {
        self.0.why.as_deref()
    }

    /// Its diff, as `git diff` shows it.
    pub fn diff(&self) -> Option<&'a str> {
        self.0.diff.as_deref()
    }
}
