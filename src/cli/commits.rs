//! The verbs about existing commits: `accept`, `drop`, `undo` and `redo`.

use super::session::Session;
use super::{Error, apply};
use crate::flow::{self, Undo};
use crate::outcome::Exit;

pub(super) fn accept(session: Session<'_>) -> Result<Exit, Error> {
    let (settings, names) = (session.settings()?, session.typed.operands("branch"));
    let done = flow::accept(&session.repo, &names, &settings.options, &session.printer);
    apply::finish(done, &session.repo, &settings, &session.printer)
}

pub(super) fn drop(session: Session<'_>) -> Result<Exit, Error> {
    let (settings, names) = (session.settings()?, session.typed.operands("branch"));
    let force = session.typed.is_on("force");
    let done = flow::drop(&session.repo, &names, force, &settings.options, &session.printer);
    apply::finish(done, &session.repo, &settings, &session.printer)
}

pub(super) fn undo(session: Session<'_>, redo: bool) -> Result<Exit, Error> {
    let mut settings = session.settings()?;
    // `llmapply.edit` is about the commit messages of responses, not about those of undo.
    settings.options.edit = false;
    let undo = Undo { name: session.typed.operands("id").pop(), edits: session.numbers("edit")?, redo };
    let done = flow::undo(&session.repo, &undo, &settings.options, &session.printer);
    apply::finish(done, &session.repo, &settings, &session.printer)
}
