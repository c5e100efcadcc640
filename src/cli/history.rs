//! `git llm-apply list`, `show` and `forget`.

use super::exit::Exit;
use super::output::{self, Printer, Said};
use super::{Error, args};
use crate::flow;
use crate::report::{self, Style};
use crate::vcs::repo::Repo;
use clap::ArgMatches;
use std::rc::Rc;

pub(super) fn list(matches: &ArgMatches, said: &Rc<Said>) -> Result<Exit, Error> {
    let repo = Repo::discover()?;
    let printer = Printer::open(matches, repo.config(), said)?;
    let output = printer.output;
    let is_open = args::switch(matches, "open").unwrap_or(false);
    let report = if is_open { flow::open(&repo, &printer)? } else { flow::list(&repo, &printer)? };
    if output.json {
        return Ok(printer.report(report));
    }
    match (args::switch(matches, "porcelain"), is_open) {
        (Some(true), false) => output::exactly(&report::porcelain(&report)),
        (Some(true), true) => output::exactly(&report::open_porcelain(&report)),
        (_, false) => printer.out(&report::landings(&report)),
        (_, true) => printer.out(&report::open(&report)),
    }
    Ok(Exit::Done)
}

pub(super) fn show(matches: &ArgMatches, said: &Rc<Said>) -> Result<Exit, Error> {
    let repo = Repo::discover()?;
    let printer = Printer::open(matches, repo.config(), said)?;
    let output = printer.output;
    let report = flow::show(&repo, id(matches), &printer)?;
    if output.json {
        return Ok(printer.report(report));
    }
    match args::switch(matches, "response") {
        Some(true) => report.landings.iter().flat_map(|one| &one.texts).for_each(|text| output::answer(text)),
        _ => printer.out(&report::shown(&report, Style { verbose: output.verbose })),
    }
    Ok(Exit::Done)
}

pub(super) fn forget(matches: &ArgMatches, said: &Rc<Said>) -> Result<Exit, Error> {
    let repo = Repo::discover()?;
    let printer = Printer::open(matches, repo.config(), said)?;
    let timeout = flow::configured::lock_timeout(matches, repo.config())?;
    Ok(printer.report(flow::forget(&repo, id(matches).unwrap_or_default(), timeout, &printer)?))
}

fn id(matches: &ArgMatches) -> Option<&str> {
    matches.get_one::<String>("id").map(String::as_str)
}
