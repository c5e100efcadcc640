//! `git llm-apply drop`.

use super::exit::Exit;
use super::output::{Printer, Said};
use super::settings;
use super::{Error, args};
use crate::flow;
use crate::vcs::repo::Repo;
use clap::ArgMatches;
use std::rc::Rc;

pub(super) fn run(matches: &ArgMatches, said: &Rc<Said>) -> Result<Exit, Error> {
    let repo = Repo::discover()?;
    let printer = Printer::open(matches, repo.config(), said)?;
    let timeout = settings::lock_timeout(repo.config())?;
    let force = args::switch(matches, "force").unwrap_or(false);
    let names: Vec<String> = matches.get_many("branch").into_iter().flatten().cloned().collect();
    Ok(printer.report(flow::drop(&repo, &names, force, timeout, &printer)?))
}
