//! Errors for programs, by one flat kind.

use crate::flow;
use crate::names::named;
use crate::outcome::{self, Exit};
use crate::report::{self, Problem, Report, Status};

named! {
    /// The kind of an error.
    #[non_exhaustive]
    Kind {
        /// The branch, or something that the landing depends on, has changed: resolve again.
        Moved = "moved",
        /// Another process holds a lock.
        Locked = "locked",
        /// Uncommitted changes, an operation of git's, or another checkout are in the way.
        InTheWay = "in-the-way",
        /// A hook refused.
        Hook = "hook",
        /// A required command failed.
        Exec = "exec",
        /// The remote refused the push.
        PushRejected = "push-rejected",
        /// The remote cannot be reached.
        Remote = "remote",
        /// It was cancelled, or a signal came.
        Interrupted = "interrupted",
        /// There is no such landing, or nothing of it to undo.
        NoLanding = "no-landing",
        /// The edits, or the operation, are refused.
        Refused = "refused",
        /// A configuration value or an option is invalid.
        Configuration = "configuration",
        /// It landed except for a last step, or it is unknown whether a remote accepted it: run `git llm-apply recover`.
        Unfinished = "unfinished",
        /// The repository, the file system, or an unknown revision, branch or pathspec.
        Repository = "repository",
    }
}

/// Why nothing landed. Nothing has changed, unless the kind is [`Kind::Unfinished`].
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

    /// The kind.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        self.problem.retryable
    }

    /// A hint.
    pub fn help(&self) -> Option<&str> {
        self.problem.help.as_deref()
    }

    /// The end of the output of a hook or command.
    pub fn output(&self) -> Option<&str> {
        self.problem.output.as_deref()
    }

    /// The exit status of the command with the same error.
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

    /// The error of a report; `None` if it is that of a landing.
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
