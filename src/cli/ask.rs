//! `git llm-apply ask`: sends the prompt to a model and lands its answer. The model is any command that reads a prompt
//! and prints an answer.

use super::session::Session;
use super::settings;
use super::terminal::Terminal;
use super::{Error, apply, usage};
use crate::flow;
use crate::outcome::Exit;
use crate::report::record::Asked;

pub(super) fn run(session: Session<'_>) -> Result<Exit, Error> {
    let mut settings = session.settings()?;
    let Session { repo, printer, typed } = session;
    let output = printer.output;
    if settings.template().is_some() {
        return usage("ask lands one response: -b cannot be used with {…}");
    }
    let Some(with) = settings::model_command(typed, repo.config())? else {
        return usage("no command to ask: give one, as in --with 'llm -m x', or set llmapply.with");
    };
    let rounds = settings::rounds(typed, repo.config())?;
    let question = settings::question(typed, &repo)?;
    // The model may answer in another format than it was asked for, unless --format was typed.
    if !typed.options.contains_key("format") {
        settings.options.reading.widen();
    }
    settings.options.asked = Some(Asked { request: question.request.clone(), command: with.clone() });
    let chooser = typed.is_on("interactive").then(|| Terminal::open(&repo, output, false)).transpose()?;
    let done = flow::ask(&repo, &question, &with, rounds, &settings.options, chooser, &printer)?;
    apply::finish(done, &repo, &settings, &printer)
}
