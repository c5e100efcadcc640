//! `git llm-apply list`, `show` and `forget`.

use super::Error;
use super::output;
use super::session::Session;
use crate::flow;
use crate::outcome::Exit;
use crate::report;

pub(super) fn list(session: &Session<'_>) -> Result<Exit, Error> {
    let Session { repo, printer, .. } = session;
    let is_open = session.typed.is_on("open");
    let mut report = if is_open { flow::open(repo, printer)? } else { flow::list(repo, printer)? };
    printer.abbreviate(&mut report, repo);
    match (session.typed.is_on("porcelain"), is_open) {
        _ if printer.output.json => return Ok(printer.report(report)),
        (true, false) => output::exactly(&report::porcelain(&report)),
        (true, true) => output::exactly(&report::open_porcelain(&report)),
        (false, false) => printer.out(&report::landings(&report)),
        (false, true) => printer.out(&report::open(&report)),
    }
    Ok(Exit::Done)
}

pub(super) fn show(session: &Session<'_>) -> Result<Exit, Error> {
    let Session { repo, printer, .. } = session;
    let report = flow::show(repo, session.typed.operands("id").first().map(String::as_str), printer)?;
    match session.typed.is_on("response") {
        _ if printer.output.json => return Ok(printer.report(report)),
        true => report.landings.iter().flat_map(|one| &one.texts).for_each(|text| output::untrusted(text)),
        false => printer.out(&report::shown(&report, printer.output.verbose)),
    }
    Ok(Exit::Done)
}

pub(super) fn forget(session: &Session<'_>) -> Result<Exit, Error> {
    let Session { repo, printer, typed } = session;
    let timeout = flow::configured::lock_timeout(&typed.options, repo.config())?;
    let id = typed.operands::<String>("id").pop().unwrap_or_default();
    Ok(printer.report(flow::forget(repo, &id, timeout, printer)?))
}
