//! `git llm-apply ask`: the whole loop with a model, which is any command that reads a prompt and prints an answer.

use super::output::{Printer, Said};
use super::settings::{self, Settings};
use super::terminal::Terminal;
use super::{Error, apply, args, exit::Exit};
use crate::flow::{self, ModelCommand};
use crate::report::record::Asked;
use crate::vcs::repo::Repo;
use clap::ArgMatches;
use std::rc::Rc;

pub(super) fn run(matches: &ArgMatches, said: &Rc<Said>) -> Result<Exit, Error> {
    let repo = Repo::discover()?;
    let printer = Printer::open(matches, repo.config(), said)?;
    let output = printer.output;
    let mut settings = Settings::read(matches, &repo, None, false)?;
    settings.check(output).map_err(|message| Error::Usage(message.to_owned()))?;
    if settings.template().is_some() {
        return Err(Error::Usage("ask lands one answer: -b with {…} names several branches".into()));
    }
    settings.options.diffs &= output.json;
    settings.options.abbreviate = !output.json && !output.quiet;
    let Some(with) = settings::with(matches, repo.config())? else {
        let message = "no command to ask: name one, as in --with 'llm -m x', or set llmapply.with";
        return Err(Error::Usage(message.into()));
    };
    let rounds = settings::rounds(matches, repo.config())?;
    let question = settings::question(matches, &repo)?;
    // A model that was asked for one format and gives another is understood, unless one was typed.
    if args::several(matches, "format").is_none() {
        settings.options.reading.widen();
    }
    settings.options.asked = Some(Asked { request: question.request.clone(), command: with.clone() });
    let chooser = match args::switch(matches, "interactive") {
        Some(true) => Some(Terminal::open(&repo, output, false)?),
        _ => None,
    };
    let mut model = ModelCommand::new(&repo, with, &settings.options, &printer);
    let done = flow::ask(&repo, &question, &mut model, rounds, &settings.options, chooser, &printer)?;
    apply::finish(done, &settings, output, &printer)
}
