//! The colours of git's diffs and questions, as the user has them (git-config(1), `color.diff.<slot>`).

use super::repo::Repo;
use super::{Result, process};

/// What is written before a piece to colour it; nothing where there are no colours.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Colors {
    /// The lines of a diff before its hunks.
    pub meta: String,
    /// A hunk's line of numbers.
    pub frag: String,
    /// Lines that stay.
    pub context: String,
    /// Lines that go.
    pub old: String,
    /// Lines that come.
    pub new: String,
    /// A question.
    pub prompt: String,
    /// What can be answered.
    pub help: String,
    /// What ends a colour.
    pub reset: String,
}

impl Repo {
    /// The colours at a terminal, where `when` is `always`, `never` or `auto`: then `color.diff`, `color.interactive` and
    /// `color.ui` decide.
    ///
    /// # Errors
    /// Git cannot be run, or a colour is none.
    pub fn colors(&self, when: &str) -> Result<Colors> {
        let is_on = |key: &str| match when {
            "always" => Ok(true),
            "never" => Ok(false),
            _ => process::answer(process::git(self).args(["config", "--get-colorbool", key, "true"]))
                .map(|answer| answer.is_some_and(|answer| answer == "true")),
        };
        let color = |key: &str, default: &str| {
            let mut command = process::git(self);
            process::output(command.args(["config", "--get-color", key, default]))
        };
        let mut colors = Colors::default();
        if is_on("color.diff")? {
            colors.meta = color("color.diff.meta", "bold")?;
            colors.frag = color("color.diff.frag", "cyan")?;
            colors.context = color("color.diff.context", "")?;
            colors.old = color("color.diff.old", "red")?;
            colors.new = color("color.diff.new", "green")?;
        }
        if is_on("color.interactive")? {
            colors.prompt = color("color.interactive.prompt", "bold blue")?;
            colors.help = color("color.interactive.help", "bold red")?;
        }
        if colors != Colors::default() {
            colors.reset = color("", "reset")?;
        }
        Ok(colors)
    }
}
