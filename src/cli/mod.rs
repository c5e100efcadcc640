//! The command line: what was typed becomes settings, a verb runs, a report is printed, an exit status is chosen.

mod accept;
mod apply;
pub mod args;
mod ask;
mod drop;
pub mod exit;
mod history;
mod input;
pub mod manual;
mod output;
mod prompt;
mod recover;
mod settings;
mod suggest;

use crate::flow;
use crate::transaction::{self, Failure, Ran, interrupt};
use crate::vcs;
use crate::vcs::repo::Repo;
use clap::ArgMatches;
use exit::Exit;
use output::Printer;
use settings::Output;
use std::ffi::OsString;
use std::process::ExitCode;

/// Why a verb came to nothing, beyond what it has reported itself.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Flow(#[from] flow::Error),
    #[error("cannot read {name}: {source}")]
    Input { name: String, source: std::io::Error },
    #[error("'{word}' is neither a file nor a command; did you mean '{verb}'?")]
    Word { word: String, verb: &'static str },
    #[error("{0}")]
    Usage(String),
    #[error("cannot change to '{0}': {1}")]
    Directory(String, std::io::Error),
    #[error("cannot handle signals: {0}")]
    Signals(std::io::Error),
}

impl From<vcs::Error> for Error {
    fn from(error: vcs::Error) -> Self {
        flow::Error::from(error).into()
    }
}

impl From<transaction::Error> for Error {
    fn from(error: transaction::Error) -> Self {
        flow::Error::from(error).into()
    }
}

impl From<crate::response::ResponseError> for Error {
    fn from(error: crate::response::ResponseError) -> Self {
        flow::Error::from(error).into()
    }
}

impl From<crate::plan::TreeError> for Error {
    fn from(error: crate::plan::TreeError) -> Self {
        flow::Error::from(error).into()
    }
}

impl Error {
    fn exit(&self) -> Exit {
        match self {
            Error::Flow(error) => Exit::of_flow(error),
            Error::Input { .. } | Error::Directory(..) | Error::Signals(_) => Exit::Fatal,
            Error::Usage(_) | Error::Word { .. } => Exit::Usage,
        }
    }

    /// What to do next.
    fn help(&self) -> Option<String> {
        use flow::Error as F;
        use transaction::Error as T;
        use vcs::Error as V;
        let of_vcs = |error: &vcs::Error| {
            match error {
            V::Unsupported { help, .. } => Some(help.clone()),
            V::NotARepository(_) => {
                Some("change to a clone, or use -C <dir>; 'git init' makes a new one".into())
            }
            V::Ident { known: true, .. } => None,
            V::Ident { .. } => Some("git config --global user.name <name>, and user.email".into()),
            V::Locked(_) => Some("wait for the other process; if there is none, remove the file".into()),
            V::NotOwn(_) => Some("move it away".into()),
            V::Moved { .. } | V::Switched { .. } | V::Raced(_) | V::Pruned => Some("run it again".into()),
            V::Unfetched { .. } => {
                Some("make its remote reachable, then run it again; 'git remote -v' names it".into())
            }
            V::Filter { path, .. } => Some(format!(
                "'git check-attr -a {path}' names the filter or encoding; git needs its command"
            )),
            V::Unsigned(_) => Some(
                "user.signingKey, gpg.format and gpg.program say how git signs; --no-gpg-sign lands unsigned commits".into(),
            ),
            V::Encoding { .. } => {
                Some("'git -c i18n.commitEncoding=UTF-8 llm-apply' takes git's own encoding".into())
            }
            V::BadDate(_) => Some("such as '2026-01-31 12:00 +0100' or '2 days ago'".into()),
            V::NoTerminal => Some("-m <message> and -F <file> give one without an editor".into()),
            V::BadRevision(_) => Some("name a commit, such as HEAD~2 or a tag".into()),
            _ => None,
        }
        };
        match self {
            Error::Flow(F::Vcs(error)) => of_vcs(error),
            Error::Flow(F::Tree(error)) => error.source.downcast_ref().and_then(of_vcs),
            Error::Flow(F::Transaction(T::Vcs(error))) => of_vcs(error),
            Error::Flow(F::Transaction(T::Unsupported { help, .. })) => Some(help.clone()),
            Error::Flow(F::Transaction(T::Hook(failure) | T::Exec(failure))) => advice(failure),
            Error::Flow(F::Transaction(T::Busy(_))) => {
                Some("run it again, or raise llmapply.lockTimeout".into())
            }
            Error::Flow(F::Transaction(T::Behind { .. })) => {
                Some("nothing was changed; --rebase brings it onto what is there now".into())
            }
            Error::Flow(F::Transaction(T::NotTaken { .. })) => Some("nothing was changed".into()),
            Error::Flow(F::Transaction(T::NotKnown { new, .. })) => Some(format!(
                "'git llm-apply recover' asks again, and moves the branch here if it has; else it takes {new} away"
            )),
            Error::Flow(F::Transaction(T::NotHere { .. })) => {
                Some("'git llm-apply recover' moves it, unless it has moved elsewhere".into())
            }
            Error::Flow(F::Transaction(T::Unfinished { .. } | T::Stuck { .. })) => {
                Some("run 'git llm-apply recover'".into())
            }
            Error::Flow(F::Transaction(T::Broken { .. })) => Some(
                "'git llm-apply recover --discard' gives it up: removes its locks, moves what it left aside, and touches no \
                 file, branch or index"
                    .into(),
            ),
            Error::Flow(F::Transaction(T::NoAttempt { others, .. })) => Some(if *others {
                "name one: --continue=<id>, --abort=<id>".into()
            } else {
                "a response with refused edits is kept, unless --no-keep or llmapply.keep says otherwise".into()
            }),
            Error::Flow(F::NoLandings | F::NoLanding(_) | F::AmbiguousLanding(..)) => {
                Some("'git llm-apply list' names those that there are".into())
            }
            Error::Flow(F::Diverged(_)) => Some("'git pull --rebase' or 'git pull --no-rebase' first".into()),
            Error::Flow(F::NoSuggestion(_)) => {
                Some("--force removes it all the same; 'git llm-apply list --open' names suggestions".into())
            }
            Error::Flow(F::Merge { branch, .. }) => Some(format!("'git merge {branch}' takes it as it is")),
            Error::Flow(F::Unborn(_)) => Some("land the first commits without --no-ff".into()),
            Error::Flow(F::Attempt(id) | F::Transaction(T::Attempt { id, .. })) => {
                Some(format!("give the whole response again; --abort={id} forgets this attempt"))
            }
            Error::Flow(F::Mismatch(_)) => Some(
                "give one corrected edit for each that failed, in their order, and no others; or --abort and apply a whole response".into(),
            ),
            Error::Flow(F::Response(crate::response::ResponseError::TooLarge { .. })) => {
                Some("llmapply.maxSize sets the limit".into())
            }
            Error::Flow(F::Response(crate::response::ResponseError::NotUtf8 { .. })) => {
                Some("save it as UTF-8".into())
            }
            Error::Input { name, .. } if args::VERBS.iter().any(|(verb, _)| verb == name) => {
                Some(format!("a verb comes before the options: git llm-apply {name} …"))
            }
            Error::Input { name, source }
                if source.kind() == std::io::ErrorKind::NotFound && transaction::is_attempt_id(name) =>
            {
                Some(format!("to go on from the refused attempt of that name: --continue={name} <file>"))
            }
            Error::Usage(_) | Error::Word { .. } => Some("see 'git llm-apply -h'".into()),
            _ => None,
        }
    }
}

/// What to do about a hook that refused, or a command that failed.
fn advice(failure: &Failure) -> Option<String> {
    if failure.lacks_command() {
        return Some(
            "it found no command of that name; what git ignores (node_modules, .env) is there if a committed \
             .worktreeinclude names it"
                .into(),
        );
    }
    match (&failure.ran, failure.reason) {
        (Ran::Hook("pre-commit" | "commit-msg" | "pre-llm-apply"), _) => {
            Some("nothing was changed; --no-verify lands without this hook".into())
        }
        _ => Some("nothing was changed".into()),
    }
}

fn change_directory(directory: &OsString) -> Result<(), Error> {
    let failed = |e| Error::Directory(directory.to_string_lossy().into_owned(), e);
    std::env::set_current_dir(directory).map_err(failed)
}

/// How to print an error: as typed and configured, where there is a configuration to be read.
fn output_of_errors(verb: &str, matches: &ArgMatches) -> Output {
    let typed = Output::typed(matches);
    let read = || Output::read(matches, Repo::discover().ok()?.config()).ok();
    match read() {
        // It has no other output than what is for the model.
        Some(read) if verb == "prompt" => Output { color: read.color, ..typed },
        Some(read) => read,
        None => typed,
    }
}

/// Runs the command line and gives the exit status.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    // As git's own -C: before everything else, also before a verb.
    while arguments.len() > 2 && arguments[1] == "-C" {
        if let Err(error) = change_directory(&arguments[2]) {
            Printer::new(Output::plain()).error(&error.to_string(), None, error.exit());
            return ExitCode::from(error.exit().code());
        }
        arguments.drain(1..3);
    }
    // `help` is a verb as it is for git, and says what -h says.
    if let [_, verb, rest @ ..] = arguments.as_slice()
        && verb == "help"
    {
        let of = rest.iter().take(1).cloned();
        arguments = std::iter::once("git-llm-apply".into()).chain(of).chain(["-h".into()]).collect();
    }
    let json = arguments.iter().rev().find(|argument| *argument == "--json" || *argument == "--no-json");
    let json = json.is_some_and(|argument| argument == "--json");
    let matches = match args::command().try_get_matches_from(args::with_values_apart(arguments)) {
        Ok(matches) => matches,
        Err(error) => return output::usage(&error, json),
    };
    let (verb, matches) = match matches.subcommand() {
        Some((verb, matches)) => (verb.to_owned(), matches.clone()),
        None => ("apply".to_owned(), matches),
    };
    let errors = || output_of_errors(&verb, &matches);
    let run = || -> Result<Exit, Error> {
        interrupt::install().map_err(Error::Signals)?;
        for directory in matches.get_many::<OsString>("directory").into_iter().flatten() {
            change_directory(directory)?;
        }
        match verb.as_str() {
            "prompt" => prompt::run(&matches),
            "ask" => ask::run(&matches),
            "recover" => recover::run(&matches),
            "accept" => accept::run(&matches),
            "drop" => drop::run(&matches),
            "list" => history::list(&matches),
            "show" => history::show(&matches),
            "forget" => history::forget(&matches),
            verb => apply::run(&matches, verb == "check"),
        }
    };
    let exit = match run() {
        Ok(exit) => exit,
        Err(error) => {
            let exit = error.exit();
            let printer = Printer::new(errors());
            if let Error::Flow(flow::Error::Transaction(
                transaction::Error::Hook(failure) | transaction::Error::Exec(failure),
            )) = &error
            {
                printer.failed(failure, error.help().as_deref(), exit);
            } else {
                printer.error(&error.to_string(), error.help().as_deref(), exit);
            }
            exit
        }
    };
    if interrupt::seen() && exit != Exit::Done {
        return ExitCode::from(Exit::Interrupted.code());
    }
    ExitCode::from(exit.code())
}
