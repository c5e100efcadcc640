//! What went wrong as a program is told it: a code, whether the same may go well the next time, and what was printed.

use super::exit::Exit;
use super::{Error, help};
use crate::flow;
use crate::report::Problem;
use crate::transaction::{self, Failure, Ran};
use crate::vcs;

/// What is said of an error that ends the run.
pub(super) fn of(error: &Error) -> Problem {
    match error {
        Error::Flow(error) => of_flow(error),
        Error::Word { .. } | Error::Usage(_) => plain("usage", error, error.help()),
        Error::Input { .. } | Error::Directory(..) | Error::Signals(_) => plain("io", error, error.help()),
    }
}

/// What is said of a flow that failed.
pub(super) fn of_flow(error: &flow::Error) -> Problem {
    use transaction::Error as T;
    let (code, retryable) = code(error);
    let problem = Problem { retryable, ..plain(code, error, help::of_flow(error)) };
    match error {
        flow::Error::Transaction(T::Hook(failure) | T::Exec(failure)) => of_failure(problem, failure),
        flow::Error::Vcs(error) | flow::Error::Transaction(T::Vcs(error)) => of_hook(problem, error),
        _ => problem,
    }
}

fn plain(code: &'static str, error: &dyn std::error::Error, help: Option<String>) -> Problem {
    Problem { help, ..Problem::new(code, error.to_string()) }
}

fn of_failure(problem: Problem, failure: &Failure) -> Problem {
    let hook = match &failure.ran {
        Ran::Hook(name) => Some((*name).to_owned()),
        Ran::Exec(_) => None,
    };
    Problem { hook, edit: failure.edits.first().copied(), output: Some(failure.last_lines()), ..problem }
}

fn of_hook(problem: Problem, error: &vcs::Error) -> Problem {
    let vcs::Error::ReferenceHook { output, .. } = error else { return problem };
    Problem { hook: Some("reference-transaction".to_owned()), output: Some(output.clone()), ..problem }
}

/// The stable code, and whether the same run may go well later, with nothing changed by whoever runs it.
fn code(error: &flow::Error) -> (&'static str, bool) {
    use flow::Error as F;
    use transaction::Error as T;
    match error {
        F::Vcs(error) | F::Transaction(T::Vcs(error)) => code_of_vcs(error),
        F::Transaction(error) => match error {
            T::Hook(_) => ("hook", false),
            T::Exec(_) => ("exec", false),
            T::Busy(_) => ("locked", true),
            T::Behind { .. } => ("push-rejected", true),
            T::NotTaken { .. } => ("push-rejected", false),
            T::NotKnown { .. } | T::NotHere { .. } | T::Unfinished { .. } | T::Stuck { .. } => {
                ("unfinished", false)
            }
            T::Broken { .. } => ("broken-journal", false),
            T::NoAttempt { .. } => ("no-attempt", false),
            T::Interrupted => ("interrupted", true),
            _ => ("repository", false),
        },
        F::Diverged(_) => ("push-rejected", false),
        F::Model(_) => ("model-command", false),
        F::NothingToUndo(_) => ("nothing-to-undo", false),
        F::NoLandings | F::NoLanding(_) | F::AmbiguousLanding(..) => ("no-landing", false),
        F::NoBranch(_) | F::NoSuggestion(_) => ("no-branch", false),
        F::Mismatch(_) => ("mismatch", false),
        F::Response(_) => ("response", false),
        error => match Exit::of_flow(error) {
            Exit::Usage => ("usage", false),
            Exit::Refused => ("refused", false),
            _ => ("repository", false),
        },
    }
}

fn code_of_vcs(error: &vcs::Error) -> (&'static str, bool) {
    use vcs::Error as V;
    match error {
        V::Locked(_) => ("locked", true),
        V::Moved { .. } | V::Switched { .. } | V::Raced(_) | V::Pruned => ("moved", true),
        V::ReferenceHook { .. } => ("hook", false),
        V::Remote { .. } | V::Unfetched { .. } => ("remote", true),
        V::Interrupted => ("interrupted", true),
        V::Config { .. } => ("configuration", false),
        _ => ("repository", false),
    }
}
