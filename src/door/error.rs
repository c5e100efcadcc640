//! The error type of the API.

use crate::flow;
use crate::names::named;
use crate::outcome::{self, Exit};
use crate::report::{self, Problem, Report, Status};

named! {
    /// The kind of an error.
    #[non_exhaustive]
    Kind {
        /// The branch, or something else that the landing depends on, has changed meanwhile. Resolve the response
        /// again.
        Moved = "moved",
        /// Another process holds a lock.
        Locked = "locked",
        /// Uncommitted changes, a git operation in progress (such as a rebase), or another worktree are in the way.
        InTheWay = "in-the-way",
        /// A hook refused the landing.
        Hook = "hook",
        /// A command that has to succeed failed ([`Options::exec`](super::Options::exec)).
        Exec = "exec",
        /// The remote refused the push.
        PushRejected = "push-rejected",
        /// The remote cannot be reached.
        Remote = "remote",
        /// The call was cancelled, or the process received a signal.
        Interrupted = "interrupted",
        /// There is no such landing, or it has nothing left to undo.
        NoLanding = "no-landing",
        /// The edits or the requested operation were refused.
        Refused = "refused",
        /// A configuration value or an option is invalid.
        Configuration = "configuration",
        /// The landing is half done: its last step or the rollback failed, or it is not known whether the remote took
        /// the push. Run `git llm-apply recover`.
        Unfinished = "unfinished",
        /// The repository or the file system failed, or a revision, branch or pathspec is unknown.
        Repository = "repository",
    }
}

/// The reason why a call failed. The repository is unchanged, unless the kind is [`Kind::Unfinished`].
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}", .problem.message)]
pub struct Error {
    kind: Kind,
    problem: Box<Problem>,
    exit: Exit,
}

impl Error {
    pub(super) fn usage(message: String) -> Self {
        Self::of(Exit::Usage, Problem::new("usage", message))
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns whether the same call may succeed later, without anybody changing something.
    pub fn is_retryable(&self) -> bool {
        self.problem.retryable
    }

    /// Returns a hint on what to do about the error, if there is one.
    pub fn help(&self) -> Option<&str> {
        self.problem.help.as_deref()
    }

    /// Returns the end of the output of the hook or command that failed.
    pub fn output(&self) -> Option<&str> {
        self.problem.output.as_deref()
    }

    /// Returns the exit status with which `git llm-apply` reports this error.
    pub fn exit_code(&self) -> u8 {
        self.exit.code()
    }

    fn of(exit: Exit, problem: Problem) -> Self {
        let kind = Kind::of_name(problem.code).unwrap_or(match (exit, problem.code) {
            (_, "nothing-to-undo") => Kind::NoLanding,
            (_, "usage") => Kind::Configuration,
            (Exit::InTheWay, _) => Kind::InTheWay,
            (Exit::Refused, _) => Kind::Refused,
            _ => Kind::Repository,
        });
        Self { kind, problem: Box::new(problem), exit }
    }

    /// The error that a report describes; `None` if the run succeeded.
    pub(super) fn of_report(report: &Report, failure: Option<&flow::Error>) -> Option<Self> {
        if let Some(failure) = failure {
            let (exit, problem) = outcome::problem::of_flow(failure);
            return Some(Self::of(exit, problem));
        }
        if let Some(problem) = report::in_the_way(report).filter(|_| report.status == Status::InTheWay) {
            return Some(Self::of(Exit::InTheWay, problem));
        }
        let (kind, code) = match report.status {
            Status::InTheWay => (Kind::InTheWay, "in-the-way"),
            Status::Refused | Status::NoEdits | Status::PartlyLanded => (Kind::Refused, "refused"),
            Status::Failed => (Kind::Repository, "repository"),
            _ => return None,
        };
        let errors = report.findings.iter().filter(|one| one.is_error()).map(|one| one.message.as_str());
        let said = errors.collect::<Vec<_>>().join("\n");
        let problem = report.error.clone().unwrap_or_else(|| Problem::new(code, said));
        Some(Self { kind, exit: Exit::of_report(report), problem: Box::new(problem) })
    }
}

impl<E: Into<flow::Error>> From<E> for Error {
    fn from(error: E) -> Self {
        let (exit, problem) = outcome::problem::of_flow(&error.into());
        Self::of(exit, problem)
    }
}
