//! `git llm-apply drop`.

use super::exit::Exit;
use super::output::{Printer, Said};
use super::settings::Settings;
use super::{Error, apply, args};
use crate::flow;
use crate::vcs::repo::Repo;
use clap::ArgMatches;
use std::rc::Rc;

pub(super) fn run(matches: &ArgMatches, said: &Rc<Said>) -> Result<Exit, Error> {
    let repo = Repo::discover()?;
    let printer = Printer::open(matches, repo.config(), said)?;
    let output = printer.output;
    let settings = Settings::read(matches, &repo, None, false)?;
    let force = args::switch(matches, "force").unwrap_or(false);
    let names: Vec<String> = matches.get_many("branch").into_iter().flatten().cloned().collect();
    let done = flow::drop(repo, &names, force, &settings.options, &printer);
    apply::finish(done, &settings, output, &printer)
}
