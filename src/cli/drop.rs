//! `git llm-apply drop`.

use super::exit::Exit;
use super::output::{Printer, Said};
use super::settings::{Output, Settings};
use super::{Error, apply, args};
use crate::flow;
use crate::vcs::repo::Repo;
use clap::ArgMatches;
use std::rc::Rc;

pub(super) fn run(matches: &ArgMatches, said: &Rc<Said>) -> Result<Exit, Error> {
    let repo = Repo::discover()?;
    let settings = Settings::read(matches, repo.config(), None, false)?;
    let output = Output::read(matches, repo.config())?;
    let printer = Printer::new(output, said);
    let force = args::switch(matches, "force").unwrap_or(false);
    let names: Vec<String> = matches.get_many("branch").into_iter().flatten().cloned().collect();
    let done = flow::drop(repo, &names, force, &settings.options, &printer);
    apply::finish(done, &settings, output, &printer)
}
