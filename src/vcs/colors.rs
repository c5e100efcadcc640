//! The user's colours for git's diffs and questions (git-config(1), `color.diff.<slot>`).

use super::repo::Repo;
use super::{Result, process};

/// The escape sequences that switch colours on; empty without colours.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Colors {
    /// For the header of a diff.
    pub meta: String,
    /// For the header of a hunk.
    pub frag: String,
    /// For context lines.
    pub context: String,
    /// For removed lines.
    pub old: String,
    /// For added lines.
    pub new: String,
    /// For a question.
    pub prompt: String,
    /// For the possible answers.
    pub help: String,
    /// Switches colours off.
    pub reset: String,
}

impl Repo {
    /// The colours for a terminal. `when` is `always`, `never` or `auto`; with `auto`, `color.diff`, `color.interactive`
    /// and `color.ui` decide.
    ///
    /// # Errors
    /// Git cannot be run, or a configured colour is invalid.
    pub fn colors(&self, when: &str) -> Result<Colors> {
        let is_on = |key: &str| match when {
            "always" => Ok(true),
            "never" => Ok(false),
            _ => process::query(process::git(self).args(["config", "--get-colorbool", key, "true"]))
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
