//! `git llm-apply list`, `show` and `forget`.

use super::exit::Exit;
use super::output::{self, Printer};
use super::settings::{self, Output};
use super::{Error, args};
use crate::flow;
use crate::report::{self, Style};
use crate::vcs::repo::Repo;
use clap::ArgMatches;

pub(super) fn list(matches: &ArgMatches) -> Result<Exit, Error> {
    let repo = Repo::discover()?;
    let output = Output::read(matches, repo.config())?;
    let printer = Printer::new(output);
    let report = flow::list(&repo)?;
    if output.json {
        return Ok(printer.report(report));
    }
    match args::switch(matches, "porcelain") {
        Some(true) => output::exactly(&report::porcelain(&report)),
        _ => printer.out(&report::landings(&report)),
    }
    Ok(Exit::Done)
}

pub(super) fn show(matches: &ArgMatches) -> Result<Exit, Error> {
    let repo = Repo::discover()?;
    let output = Output::read(matches, repo.config())?;
    let printer = Printer::new(output);
    let report = flow::show(&repo, id(matches))?;
    if output.json {
        return Ok(printer.report(report));
    }
    match args::switch(matches, "response") {
        Some(true) => report.landings.iter().flat_map(|one| &one.texts).for_each(|text| output::answer(text)),
        _ => printer.out(&report::shown(&report, Style { verbose: output.verbose })),
    }
    Ok(Exit::Done)
}

pub(super) fn forget(matches: &ArgMatches) -> Result<Exit, Error> {
    let repo = Repo::discover()?;
    let printer = Printer::new(Output::read(matches, repo.config())?);
    let timeout = settings::lock_timeout(repo.config())?;
    drop(repo);
    Ok(printer.report(flow::forget(id(matches).unwrap_or_default(), timeout, &printer)?))
}

fn id(matches: &ArgMatches) -> Option<&str> {
    matches.get_one::<String>("id").map(String::as_str)
}
