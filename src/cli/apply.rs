//! `git llm-apply` and `git llm-apply check`.

use super::output::Printer;
use super::session::Session;
use super::settings::Settings;
use super::terminal::Terminal;
use super::{Error, input, settings, suggest, usage};
use crate::flow::{self, Attempt, Done, Each, KeptText, Order};
use crate::outcome::Exit;
use crate::report;
use crate::response::Response;
use crate::vcs::repo::Repo;
use crate::vcs::show::Show;
use std::ffi::OsString;

pub(super) fn run(session: Session<'_>, check: bool) -> Result<Exit, Error> {
    let Session { repo, printer, typed } = &session;
    let output = printer.output;
    let branch = typed.value("branch");
    let (continued, abort) = (settings::attempt(typed, "continue"), settings::attempt(typed, "abort"));
    let names: Vec<OsString> = typed.operands("response");
    let clipboard = typed.is_on("clipboard");
    // Only piped input is kept when it cannot be used: a file can be given again.
    let is_piped = names.is_empty() || names.iter().any(|name| name == "-");
    let read = |settings: &Settings| -> Result<Vec<Response>, Error> {
        let max_size = settings.options.max_size;
        let keep = |bytes: &[u8]| {
            if settings.options.keep && !settings.options.dry_run {
                KeptText::Response.keep(repo, bytes, printer);
            }
        };
        match clipboard {
            true => Ok(vec![Response::new(0, "the clipboard", repo.clipboard(max_size)?, max_size)?]),
            false => input::read(&names, max_size, continued.is_none(), keep),
        }
    };
    let mut corrections = None;
    let attempt = match continued.as_ref().filter(|_| abort.is_none()) {
        Some(Some(id)) => Some(flow::attempt(repo, Some(id), branch.as_deref())?),
        // Without an id, the paths in the corrections tell which attempt is meant.
        Some(None) => {
            let settings = Settings::read(typed, repo, None, check)?;
            let given = read(&settings)?;
            let reading = &settings.options.reading;
            let found = flow::attempt_for(repo, None, branch.as_deref(), &given, reading);
            if found.is_err() && is_piped && settings.options.keep {
                KeptText::keep_responses(repo, &given, printer);
            }
            let found = found?;
            corrections = Some(given);
            Some(found)
        }
        None => None,
    };
    let mut settings = Settings::read(typed, repo, attempt.as_ref(), check)?;
    let continuing = attempt.as_ref().and_then(|attempt| settings::continued_options(typed, attempt));
    settings.adjust_to_output(typed, output)?;
    if clipboard && !names.is_empty() {
        return usage("--clipboard cannot be used with a response");
    }
    if !typed.values("skip").is_empty() && continued.is_none() {
        return usage("--skip needs --continue");
    }
    if let Some(id) = &abort {
        if continued.is_some() || !names.is_empty() || clipboard || settings.options.dry_run {
            return usage(&match (id, names.as_slice()) {
                (None, [name]) => {
                    let name = name.display();
                    format!("--abort cannot be used with a response; name an attempt as --abort={name}")
                }
                _ => "--abort cannot be used with a response or another mode".to_owned(),
            });
        }
        return Ok(printer.report(flow::abort(repo, id.as_deref(), branch.as_deref())?));
    }
    if let Some(file) = typed.value("file") {
        if !typed.values("message").is_empty() {
            return usage("-m cannot be used with -F");
        }
        if file == "-" && !clipboard && is_piped {
            return usage("-F - reads the message from standard input: name a file with the response");
        }
        let message = input::read_message(repo, &file, settings.options.max_size)?;
        settings.options.given.insert("message".into(), vec![message.clone()]);
        settings.options.message = Some(message);
    }
    let mut order = Order {
        only: Some(session.numbers("only")?).filter(|only| only.last().is_some()),
        except: session.numbers("except")?,
        ..Order::default()
    };
    if attempt.is_some() {
        (order.attempt, order.skip) = (attempt, session.numbers("skip")?);
        // `--feedback` prints no report, so nothing may land: the user would not see it.
        order.hold = !settings.options.dry_run && typed.is_on("feedback");
    }
    if typed.is_on("interactive") {
        if settings.options.dry_run {
            return usage("-i cannot be used with -n");
        }
        let taken = !clipboard && is_piped;
        order.chooser = Some(Terminal::open(repo, output, taken)?);
    }
    let template = settings.template();
    if template.is_some() && order.attempt.is_some() {
        return usage(
            "--continue cannot be used with a branch template; continue one suggestion with --continue=<id>",
        );
    }
    if matches!(template, Some((Each::Edit, _))) && order.chooser.is_some() {
        return usage("-i cannot be used with --branch-per-edit; choose later with accept and drop");
    }
    let first = order.attempt.as_ref().map_or(0, Attempt::next_response);
    if let Some(text) = &continuing {
        printer.tell(text);
    }
    let given = corrections.map_or_else(|| read(&settings), Ok)?;
    order.responses = (first..).zip(given).map(|(id, response)| response.with_id(id)).collect();
    settings.options.keep_whole = is_piped;
    if let Some((each, template)) = template {
        return suggest::run(repo, each, &template, order, &settings, printer);
    }
    finish(flow::land(repo, order, &settings.options, printer), repo, &settings, printer)
}

/// Prints the report, and the diff if `--diff` or `--stat` asks for it.
pub(super) fn finish(
    mut done: Done,
    repo: &Repo,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    printer.abbreviate(&mut done.report, repo);
    let exit = printer.outcome(&mut done.report, done.failure.as_ref());
    if let Some((old, new)) = done.moved.filter(|_| settings.shows_diff()) {
        printer.diff(repo, old, new, settings.show(printer.output, None))?;
    }
    if let Some((old, preview)) = done.preview.as_ref().filter(|_| settings.shows_diff()) {
        let show = settings.show(printer.output, Some(preview.objects()));
        let diffs = report::diffs(&done.report);
        if diffs.is_empty() {
            printer.diff(repo, *old, preview.tree(), show)?;
        } else {
            if settings.stat {
                printer.diff(repo, *old, preview.tree(), Show { diff: false, ..show })?;
            }
            printer.diffs(repo, &diffs)?;
        }
    }
    Ok(exit)
}
