//! Maps each error of the command line to an exit status, a code for programs, and a hint.

use super::Error;
use super::args;
use crate::outcome::Exit::{self, Fatal, Usage};
use crate::outcome::problem::{of_flow, problem};
use crate::report::Problem;
use crate::transaction;

/// The exit status and description of an error that ends the run.
pub(super) fn of(error: &Error) -> (Exit, Problem) {
    let (exit, problem) = match error {
        Error::Flow(error) => return of_flow(error),
        Error::Usage(_) => problem(Usage, "usage", "see 'git llm-apply -h'"),
        Error::Input { name, .. } if args::VERBS.iter().any(|(verb, _)| verb == name) => {
            problem(Fatal, "io", format!("put the command before the options: git llm-apply {name} …"))
        }
        Error::Input { name, source }
            if source.kind() == std::io::ErrorKind::NotFound && transaction::is_attempt_id(name) =>
        {
            let help = format!("to continue the refused attempt of that name: --continue={name} <file>");
            problem(Fatal, "io", help)
        }
        Error::Input { .. } | Error::Directory(..) | Error::Signals(_) => problem(Fatal, "io", ""),
    };
    (exit, Problem { message: error.to_string(), ..problem })
}
