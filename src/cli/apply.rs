//! `git llm-apply` and `git llm-apply check`.

use super::exit::Exit;
use super::output::Printer;
use super::settings::{Output, Settings};
use super::{Error, args, input};
use crate::flow::{self, NotNumbers, Order, Resume};
use crate::vcs::Oid;
use crate::vcs::repo::Repo;
use crate::vcs::show::Show;
use clap::ArgMatches;
use std::ffi::OsString;
use std::path::Path;

pub(super) fn run(matches: &ArgMatches, check: bool) -> Result<Exit, Error> {
    let repo = Repo::discover()?;
    let settings = Settings::read(matches, repo.config(), check)?;
    let output = Output::read(matches, repo.config())?;
    let printer = Printer::new(output);
    if output.json && (settings.diff || settings.stat) {
        return Err(Error::Usage("--json goes with neither --diff nor --stat".into()));
    }
    if output.json && output.feedback {
        return Err(Error::Usage("--json does not go with --feedback".into()));
    }
    if settings.options.branch.as_deref().is_some_and(|name| name.contains(['{', '}'])) {
        let message =
            "a branch's name with {…} in it is kept for templates, which this version does not have";
        return Err(Error::Usage(message.into()));
    }
    let names: Vec<OsString> = matches.get_many("response").into_iter().flatten().cloned().collect();
    let branch = args::single(matches, "branch").flatten();
    let skip = args::several(matches, "skip").unwrap_or_default();
    if !skip.is_empty() && settings.resume.is_none() {
        return Err(Error::Usage("--skip goes with --continue only".into()));
    }
    if let Some(id) = &settings.abort {
        if settings.resume.is_some() || !names.is_empty() || settings.dry_run {
            let message = match (id, names.as_slice()) {
                (None, [name]) => {
                    format!(
                        "--abort goes with no response; it names an attempt as --abort={}",
                        name.display()
                    )
                }
                _ => "--abort goes with no response and no other mode".to_owned(),
            };
            return Err(Error::Usage(message));
        }
        return Ok(printer.report(&flow::abort(&repo, id.as_deref(), branch.as_deref())?));
    }
    let mut order = Order::default();
    if let Some(id) = &settings.resume {
        let mut resume = Resume::find(&repo, id.as_deref(), branch.as_deref())?;
        for numbers in skip {
            resume.skip.extend(numbers.parse().map_err(|e: NotNumbers| Error::Usage(e.to_string()))?);
        }
        // What was said of that response goes before what is configured, what is typed before both.
        resume.takes_branch = args::single(matches, "branch").is_none();
        resume.takes_base = args::single(matches, "base").is_none();
        order.resume = Some(resume);
    }
    let first = order.resume.as_ref().map_or(0, Resume::next_response);
    let max_size = settings.options.max_size;
    order.responses = input::read(&names, max_size, first, order.resume.is_none())?;
    drop(repo);
    let shows = settings.diff || settings.stat;
    let show = |repo: &Repo, old: Option<Oid>, new: Oid, objects: Option<&Path>| {
        let color = output.color.as_str();
        repo.show_diff(old, new, Show { diff: settings.diff, stat: settings.stat, color, objects })
    };
    if settings.dry_run {
        let checked = flow::check(order, &settings.options, shows, &printer)?;
        let exit = printer.report(&checked.report);
        if let Some((old, preview)) = &checked.preview {
            show(&checked.repo, *old, preview.tree(), Some(preview.objects()))?;
        }
        return Ok(exit);
    }
    let done = flow::land(order, &settings.options, &printer)?;
    let exit = printer.report(&done.report);
    if let Some((old, new)) = done.moved.filter(|_| shows) {
        show(&done.repo, old, new, None)?;
    }
    Ok(exit)
}
