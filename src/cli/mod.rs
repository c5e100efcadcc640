//! The command line: turns arguments into settings, runs a verb, prints its report, and returns the exit status.

mod apply;
pub mod args;
mod ask;
mod commits;
pub mod completion;
mod diff;
mod history;
mod input;
mod manual;
#[cfg(feature = "mcp")]
mod mcp;
mod output;
mod problem;
mod prompt;
mod recover;
mod session;
mod settings;
mod suggest;
mod terminal;

use crate::flow;
use crate::outcome::Exit;
use crate::transaction::interrupt;
use crate::vcs::config::Config;
use crate::vcs::repo::Repo;
use args::Typed;
use output::{Printer, Said};
use session::Session;
use settings::Output;
use std::ffi::OsString;
use std::process::ExitCode;
use std::rc::Rc;

/// An error that ends a verb without a report.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Flow(flow::Error),
    #[error("cannot read {name}: {source}")]
    Input { name: String, source: std::io::Error },
    #[error("{0}")]
    Usage(String),
    #[error("cannot change to '{0}': {1}")]
    Directory(String, std::io::Error),
    #[error("cannot handle signals: {0}")]
    Signals(std::io::Error),
}

impl<E> From<E> for Error
where
    flow::Error: From<E>,
{
    fn from(error: E) -> Self {
        Error::Flow(error.into())
    }
}

/// Fails with a usage error.
fn usage<T>(message: &str) -> Result<T, Error> {
    Err(Error::Usage(message.to_owned()))
}

fn change_directory(directory: &OsString) -> Result<(), Error> {
    let failed = |e| Error::Directory(directory.to_string_lossy().into_owned(), e);
    std::env::set_current_dir(directory).map_err(failed)
}

/// How to print an error: as the options and the configuration say, or only the options if the configuration cannot be
/// read.
fn output_of_errors(verb: &str, typed: &Typed) -> Output {
    let plain = Output::read(typed, &Config::default()).unwrap_or_default();
    let read = || Output::read(typed, Repo::discover().ok()?.config()).ok();
    match read() {
        // `prompt` prints only text for the model.
        Some(read) if verb == "prompt" => Output { color: read.color, ..plain },
        Some(read) => read,
        None => plain,
    }
}

/// Runs the command line and returns the exit status.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    let json = arguments.iter().rev().find(|argument| *argument == "--json" || *argument == "--no-json");
    let json = json.is_some_and(|argument| argument == "--json");
    // As in git, -C may come before the verb.
    while arguments.len() > 2 && arguments[1] == "-C" {
        if let Err(error) = change_directory(&arguments[2]) {
            let (exit, problem) = problem::of(&error);
            return output::early(json, problem, exit);
        }
        arguments.drain(1..3);
    }
    // As in git, `help` is a verb, and `help <verb>` is the same as `<verb> -h`. `--help` comes here only if no man
    // page is installed: otherwise git runs man(1).
    if let [_, verb, rest @ ..] = arguments.as_slice()
        && (verb == "help" || (verb == "--help" && rest.is_empty()))
    {
        let name = if verb == "help" { rest.first().and_then(|name| name.to_str()) } else { Some("") };
        if let Some(page) = name.and_then(manual::page) {
            output::exactly(page);
            return ExitCode::SUCCESS;
        }
        let of = rest.iter().take(1).cloned();
        arguments = std::iter::once("git-llm-apply".into()).chain(of).chain(["-h".into()]).collect();
    }
    let command = args::command_for(&arguments);
    let matches = match command.try_get_matches_from(args::with_values_apart(arguments)) {
        Ok(matches) => matches,
        Err(error) => return output::usage(&error, json),
    };
    let (verb, matches) = match matches.subcommand() {
        Some((verb, matches)) => (verb.to_owned(), matches.clone()),
        None => ("apply".to_owned(), matches),
    };
    let typed = Typed::of(&verb, matches);
    let said: Rc<Said> = Rc::default();
    let run = || -> Result<Exit, Error> {
        interrupt::install().map_err(Error::Signals)?;
        for directory in typed.operands("C") {
            change_directory(&directory)?;
        }
        match verb.as_str() {
            "prompt" => return prompt::run(&typed),
            "completion" => return Ok(completion::run(&typed)),
            #[cfg(feature = "mcp")]
            "mcp" => return mcp::run(&typed),
            _ => {}
        }
        let session = Session::open(&typed, &said)?;
        match verb.as_str() {
            "ask" => ask::run(session),
            "recover" => recover::run(&session),
            "accept" => commits::accept(session),
            "drop" => commits::drop(session),
            "undo" | "redo" => commits::undo(session, verb == "redo"),
            "list" => history::list(&session),
            "show" => history::show(&session),
            "forget" => history::forget(&session),
            verb => apply::run(session, verb == "check"),
        }
    };
    let exit = match run() {
        Ok(exit) => exit,
        Err(error) => {
            let (exit, problem) = problem::of(&error);
            let given = typed.operands("response").iter().map(input::shown).collect();
            let printer = Printer::new(output_of_errors(&verb, &typed), &said);
            printer.error(given, problem, exit);
            exit
        }
    };
    if interrupt::seen() && !interrupt::has_landed() && exit != Exit::Done {
        return ExitCode::from(Exit::Interrupted.code());
    }
    let exit = if interrupt::has_landed() { exit } else { output::exit_after_printing(exit) };
    ExitCode::from(exit.code())
}
