//! `git llm-apply accept`.

use super::exit::Exit;
use super::output::{Printer, Said};
use super::settings::Settings;
use super::{Error, apply};
use crate::flow;
use crate::vcs::repo::Repo;
use clap::ArgMatches;
use std::rc::Rc;

pub(super) fn run(matches: &ArgMatches, said: &Rc<Said>) -> Result<Exit, Error> {
    let repo = Repo::discover()?;
    let printer = Printer::open(matches, repo.config(), said)?;
    let output = printer.output;
    let settings = Settings::read(matches, &repo, None, false)?;
    settings.check(output).map_err(|message| Error::Usage(message.to_owned()))?;
    let names: Vec<String> = matches.get_many("branch").into_iter().flatten().cloned().collect();
    let done = flow::accept(repo, &names, &settings.options, &printer);
    apply::finish(done, &settings, output, &printer)
}
