//! `git llm-apply prompt`: prints the instructions, the named files and the request for a model.

use super::Error;
use super::args::Typed;
use super::output;
use super::settings;
use crate::diag::counted;
use crate::flow;
use crate::outcome::Exit;
use crate::prompt::estimated_tokens;
use crate::vcs::repo::Repo;

pub(super) fn run(typed: &Typed) -> Result<Exit, Error> {
    let repo = Repo::discover()?;
    let (text, shown) = flow::prompt(&repo, &settings::question(typed, &repo)?)?;
    for text in settings::unknown_keys(repo.config()) {
        output::remark(&format!("warning: {text}"));
    }
    output::untrusted(&text);
    for (path, why) in &shown.left_out {
        output::remark(&format!("left out: {path} ({why})"));
    }
    let files = counted(shown.files.len(), "file");
    output::remark(&format!("{files}, {} bytes, about {} tokens", text.len(), estimated_tokens(&text)));
    Ok(Exit::Done)
}
