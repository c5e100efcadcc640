//! `git llm-apply -b <template>` and `--branch-per-edit`: lands each response or edit on a branch of its own, and
//! prints a table.

use super::output::Printer;
use super::settings::Settings;
use super::{Error, usage};
use crate::flow::{self, Each, Order, Template};
use crate::outcome::{self, Exit};
use crate::vcs::repo::Repo;

pub(super) fn run(
    repo: &Repo,
    each: Each,
    template: &str,
    order: Order,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let output = printer.output;
    let template = Template::parse(template).map_err(|e| Error::Usage(e.to_string()))?;
    if settings.options.dry_run && settings.shows_diff() {
        return usage("--diff and --stat cannot be used with -n for several branches");
    }
    if (order.only.is_some() || order.except.last().is_some()) && order.responses.len() > 1 {
        return usage("--only and --except need a single response");
    }
    if output.feedback && order.responses.len() > 1 {
        return usage(
            "--feedback needs a single response; use --continue=<id> --feedback for one of several",
        );
    }
    let names = order.responses.iter().map(|response| response.name().to_owned()).collect();
    let suggested = flow::suggest(repo, order, each, &template, &settings.options, printer)?;
    if let Some(report) = suggested.report {
        return Ok(printer.report(report));
    }
    let moved: Vec<_> = suggested.all.iter().filter_map(|one| one.moved).collect();
    let (exit, mut report) = outcome::settle_all(suggested);
    (report.responses, report.dry_run) = (names, settings.options.dry_run);
    report.suggestions.iter_mut().for_each(|one| printer.abbreviate(&mut one.report, repo));
    printer.suggestions(&mut report);
    for (old, new) in moved.into_iter().filter(|_| settings.shows_diff()) {
        printer.diff(repo, old, new, settings.show(output, None))?;
    }
    Ok(exit)
}
