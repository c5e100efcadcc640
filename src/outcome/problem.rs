//! Maps each error of a flow to an exit status, a code for programs, whether to retry, and a hint.

use super::exit::Exit::{self, Done, ExecFailed, Fatal, HookRefused, InTheWay, Interrupted, Refused, Usage};
use crate::flow;
use crate::report::escape::shell_word;
use crate::report::{INTERRUPTED, MISMATCH, MODEL_COMMAND, Problem, Report, Status, SuggestionReport};
use crate::response::ResponseError;
use crate::transaction::{self, Failure, Ran};
use crate::vcs;

/// The exit status and description of a flow's error.
pub(crate) fn of_flow(error: &flow::Error) -> (Exit, Problem) {
    use flow::Error as F;
    use transaction::Error as T;
    let (exit, problem) = match error {
        F::Vcs(error) | F::Transaction(T::Vcs(error)) => of_vcs(error),
        F::Transaction(error) => of_transaction(error),
        F::Tree(error) => match error.source.downcast_ref() {
            Some(source) => problem(Fatal, REPOSITORY, of_vcs(source).1.help.unwrap_or_default()),
            None => problem(Fatal, REPOSITORY, ""),
        },
        // No edit could be read, so none is refused: the input is invalid.
        F::Response(error) => problem(
            Fatal,
            "response",
            match error {
                ResponseError::TooLarge { .. } => "llmapply.maxSize sets the limit",
                ResponseError::NotUtf8 { .. } => "save it as UTF-8",
            },
        ),
        F::NothingToUndo(_) => problem(
            Refused,
            "nothing-to-undo",
            "nothing was changed; 'git llm-apply list' shows the landings, 'git llm-apply show <id>' the edits of one",
        ),
        F::Inseparable { edits, .. } => {
            let help = format!("nothing was changed; name all of them: --edit={}", edits.join(","));
            problem(Refused, "refused", help)
        }
        F::NoLandings => problem(
            Fatal,
            "no-landing",
            "landings are recorded, unless --no-record or llmapply.record turns that off",
        ),
        F::NoLanding(_) => problem(Fatal, "no-landing", "'git llm-apply list' shows the landings"),
        F::NoBranch(_) => problem(
            Fatal,
            "no-branch",
            "'git llm-apply list --open' shows suggestions, 'git branch' all branches",
        ),
        F::NoSuggestion(_) => problem(
            Refused,
            "no-branch",
            "'git llm-apply list --open' shows suggestions; --force removes any branch",
        ),
        F::Diverged(_) => {
            problem(InTheWay, "push-rejected", "run 'git pull --rebase' or 'git pull --no-rebase' first")
        }
        F::Ahead(_) => problem(
            InTheWay,
            "push-rejected",
            "nothing was changed; look at these commits after 'git fetch', or drop only the branch here, without --push",
        ),
        F::Merge { branch, .. } => problem(Refused, "refused", format!("use 'git merge {branch}'")),
        F::Mismatch(_) => problem(
            Refused,
            MISMATCH,
            "give one corrected edit for each failed edit, in the same order, and no others; or --abort and apply a whole response",
        ),
        F::Model(_) => problem(Refused, MODEL_COMMAND, ""),
        F::Unborn(_) => problem(Fatal, REPOSITORY, "land the first commits without --no-ff"),
        F::Impossible(_) => problem(Fatal, REPOSITORY, ""),
        F::Usage(_) => problem(Usage, "usage", ""),
    };
    (exit, Problem { message: error.to_string(), ..problem })
}

/// The exit status for a report and an error. Refused edits count more than an obstacle, a hook or a command that
/// failed.
fn exit_of(report: &Report, failure: Option<&flow::Error>) -> Exit {
    let Some(failure) = failure else { return Exit::of_report(report) };
    match of_flow(failure).0 {
        InTheWay | HookRefused | ExecFailed if report.status == Status::Refused => Refused,
        exit => exit,
    }
}

/// Puts an error into a report, and returns the exit status for both.
pub fn settle(report: &mut Report, failure: Option<&flow::Error>) -> Exit {
    let exit = exit_of(report, failure);
    if let Some(failure) = failure {
        if report.status != Status::Refused {
            report.status = status_of(exit);
        }
        report.error = Some(of_flow(failure).1);
    }
    report.exit_code = exit.code();
    exit
}

/// The common report of several suggestions, and their exit status.
pub fn settle_all(suggested: flow::Suggested) -> (Exit, Report) {
    let (mut report, mut exits) = (Report::new(Status::Nothing), Vec::new());
    for flow::Suggestion { reported: mut one, failure, .. } in suggested.all {
        exits.push((settle(&mut one.report, failure.as_ref()), one.report.status));
        report.suggestions.push(one);
    }
    let (exit, status) = Exit::of_suggestions(&exits);
    (report.status, report.exit_code) = (status, exit.code());
    if exit == Interrupted {
        report.error = interrupted(&mut report.suggestions);
    }
    (exit, report)
}

/// The error of several suggestions after a signal. It names the branches that were made before the signal, since they
/// stay.
fn interrupted(all: &mut [SuggestionReport]) -> Option<Problem> {
    let mut error = None;
    for one in all.iter_mut().filter(|one| one.is_interrupted()) {
        error = one.report.error.clone();
        let message = "interrupted before this branch was made".to_owned();
        one.report.error.iter_mut().for_each(|own| own.message.clone_from(&message));
    }
    let has_landed = |status| matches!(status, Status::Landed | Status::PartlyLanded);
    let made = all.iter().filter(|one| has_landed(one.report.status));
    let made: Vec<_> = made.map(|one| shell_word(&one.branch)).collect();
    if made.is_empty() {
        return error;
    }
    let message = "interrupted; the branches that were made before stay".to_owned();
    let help = Some(format!("remove them with 'git branch -D {}'", made.join(" ")));
    error.map(|error| Problem { message, help, ..error })
}

/// The report's status for an exit status.
pub(crate) fn status_of(exit: Exit) -> Status {
    match exit {
        Exit::InTheWay => Status::InTheWay,
        Exit::Refused => Status::Refused,
        _ => Status::Failed,
    }
}

/// The code of errors that have no code of their own.
const REPOSITORY: &str = "repository";
const UNCHANGED: &str = "nothing was changed";
const NAME_ONE: &str = "name one: --continue=<id>, --abort=<id>";

pub(crate) fn problem(exit: Exit, code: &'static str, help: impl Into<String>) -> (Exit, Problem) {
    let help = Some(help.into()).filter(|help| !help.is_empty());
    (exit, Problem { help, ..Problem::new(code, String::new()) })
}

/// A problem that may have gone away at the next run, although the user changes nothing.
fn retryable(exit: Exit, code: &'static str, help: impl Into<String>) -> (Exit, Problem) {
    let (exit, problem) = problem(exit, code, help);
    (exit, Problem { retryable: true, ..problem })
}

fn forget_help(id: &str) -> String {
    format!("give the whole response again; --abort={id} forgets this attempt")
}

fn of_transaction(error: &transaction::Error) -> (Exit, Problem) {
    use transaction::Error as T;
    match error {
        T::Vcs(error) => of_vcs(error),
        T::InTheWay(_) => problem(InTheWay, REPOSITORY, ""),
        T::Busy(..) => retryable(InTheWay, "locked", "run it again, or raise llmapply.lockTimeout"),
        T::Unsupported { help, .. } => problem(Fatal, REPOSITORY, help),
        T::Nothing => problem(Done, REPOSITORY, ""),
        T::Hook(failure) => of_failure(HookRefused, "hook", failure),
        T::Exec(failure) => of_failure(ExecFailed, "exec", failure),
        T::Interrupted => retryable(Interrupted, INTERRUPTED, ""),
        T::Behind { .. } => retryable(
            InTheWay,
            "push-rejected",
            "nothing was changed; 'git pull --rebase' gets the remote's commits, then run it again",
        ),
        T::PushRefused { .. } => problem(HookRefused, "push-rejected", UNCHANGED),
        T::PushUnknown { new, .. } => problem(
            Fatal,
            "unfinished",
            format!(
                "'git llm-apply recover' asks the remote again: if it has {new} the branch here moves to it, else {new} is dropped"
            ),
        ),
        T::PushedNotMoved { .. } => problem(
            Fatal,
            "unfinished",
            "'git llm-apply recover' moves it, or records the landing if the branch was changed here meanwhile",
        ),
        T::NotDropped { .. } => problem(
            Fatal,
            "unfinished",
            "run the same command again: it asks the remote, and then deletes the branches here",
        ),
        T::Unfinished { .. } | T::RollbackFailed { .. } => {
            problem(Fatal, "unfinished", "run 'git llm-apply recover'")
        }
        T::Broken(..) => problem(
            Fatal,
            "broken-journal",
            "'git llm-apply recover --discard' gives the run up: it removes the run's locks, moves its files aside, and touches no file, branch or index of yours",
        ),
        T::SeveralAttempts(_) => problem(Refused, "no-attempt", NAME_ONE),
        T::NoAttempt(_) => problem(Fatal, "no-attempt", NAME_ONE),
        T::NoAttempts => problem(
            Fatal,
            "no-attempt",
            "refused attempts are kept, unless --no-keep or llmapply.keep turns that off",
        ),
        T::Attempt { id, .. } => problem(Fatal, REPOSITORY, forget_help(id)),
    }
}

/// A hook that refused, or a command that failed.
fn of_failure(exit: Exit, code: &'static str, failure: &Failure) -> (Exit, Problem) {
    let help = match failure.lacks_command {
        true => {
            "a command was not found; the scratch worktree has ignored files (node_modules, .env) only if a committed .worktreeinclude names them"
        }
        false => UNCHANGED,
    };
    let hook = match &failure.ran {
        Ran::Hook(name) => Some((*name).to_owned()),
        Ran::Exec(_) => None,
    };
    let (exit, problem) = problem(exit, code, help);
    let (edit, output) = (failure.edits.first().copied(), Some(failure.last_lines()));
    (exit, Problem { hook, edit, output, ..problem })
}

fn of_vcs(error: &vcs::Error) -> (Exit, Problem) {
    use vcs::Error as V;
    let fatal = |help: &str| problem(Fatal, REPOSITORY, help);
    match error {
        V::Locked(_) => {
            retryable(InTheWay, "locked", "wait for the other process; if there is none, remove the file")
        }
        V::Moved { .. } | V::Switched { .. } | V::Raced(_) | V::Pruned => {
            retryable(InTheWay, "moved", "nothing was changed; run it again")
        }
        V::Hook { hook, output, .. } => {
            let (exit, problem) = problem(HookRefused, "hook", "");
            let hook = Some((*hook).to_owned());
            (exit, Problem { hook, output: Some(output.clone()), ..problem })
        }
        V::Interrupted => retryable(Interrupted, INTERRUPTED, ""),
        V::Config { key, .. } if key.starts_with("--") => problem(Usage, "usage", ""),
        V::Config { .. } => problem(Fatal, "configuration", ""),
        V::Remote { .. } => retryable(
            Fatal,
            "remote",
            "nothing was changed; 'git remote -v' shows the remotes, --push=<remote> takes another",
        ),
        V::Unfetched { .. } => retryable(
            Fatal,
            "remote",
            "make its remote reachable, then run it again; 'git remote -v' shows it",
        ),
        V::PushedElsewhere { to, .. } => {
            // A branch can follow one of its own repository, which is called '.'.
            let remote = if to.remote == "." { "<remote>" } else { &to.remote };
            fatal(&format!("name the remote: '--push={remote}' pushes to the branch of the same name there"))
        }
        V::Unsupported { help, .. } => fatal(help),
        V::NotOpened(_) => fatal("name it to use it anyway: 'git --git-dir=<directory> llm-apply'"),
        V::NotARepository(_) => fatal("change to a repository, or use -C <dir>; 'git init' makes a new one"),
        V::Ident { known: false, .. } => fatal(
            "'git config --global user.name <name>' and 'git config --global user.email <address>' set it",
        ),
        V::NotOwn(_) => fatal("move it away"),
        V::TooLarge { .. } => fatal("change that file by hand, and leave it out of the response"),
        V::Filter { path, .. } => {
            fatal(&format!("'git check-attr -a {path}' shows the filter or encoding; install its command"))
        }
        V::Unsigned(_) => fatal("check user.signingKey, gpg.format and gpg.program"),
        V::Encoding(_) => fatal("'git -c i18n.commitEncoding=UTF-8 llm-apply' commits in UTF-8"),
        V::BadDate(_) => fatal("write it as '2026-01-31 12:00 +0100' or '2 days ago'"),
        V::Editor { .. } => fatal("use -m <message> or -F <file>, which need no editor"),
        V::Clipboard(_) => fatal("set llmapply.clipboardCommand to a command that prints the clipboard"),
        V::Shallow(_) => fatal("'git fetch --unshallow' gets the commits that it lacks"),
        V::Unborn => fatal("'git commit' makes the first one"),
        V::BadRevision(_) => fatal("name a commit, such as HEAD~2 or a tag"),
        V::Invalid(_)
        | V::Io { .. }
        | V::Git { .. }
        | V::Ident { .. }
        | V::Command { .. }
        | V::Injected(_) => fatal(""),
    }
}
