//! `git llm-apply undo` and `git llm-apply redo`.

use super::exit::Exit;
use super::output::{Printer, Said};
use super::settings::Settings;
use super::{Error, apply, args};
use crate::flow::{self, NotNumbers, Numbers, Undo};
use crate::vcs::repo::Repo;
use clap::ArgMatches;
use std::rc::Rc;

pub(super) fn run(matches: &ArgMatches, redo: bool, said: &Rc<Said>) -> Result<Exit, Error> {
    let repo = Repo::discover()?;
    let printer = Printer::open(matches, repo.config(), said)?;
    let output = printer.output;
    let mut settings = Settings::read(matches, &repo, None, false)?;
    settings.check(output).map_err(|message| Error::Usage(message.to_owned()))?;
    // What is configured of messages is about those out of a response.
    settings.options.edit = false;
    let mut edits = Numbers::default();
    for numbers in args::several(matches, "edit").unwrap_or_default() {
        edits.extend(numbers.parse().map_err(|e: NotNumbers| Error::Usage(e.to_string()))?);
    }
    let name = matches.get_one::<String>("id").cloned();
    let done = flow::undo(repo, &Undo { name, edits, redo }, &settings.options, &printer);
    apply::finish(done, &settings, output, &printer)
}
