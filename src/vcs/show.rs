//! Lets git show a diff, with its pager, colours and settings (git-config(1), `color.diff.<slot>`).

use super::repo::Repo;
use super::{Error, Oid, Result, process};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What to show of a diff, and how.
#[derive(Debug, Clone, Copy)]
pub struct Show<'a> {
    /// The patch.
    pub diff: bool,
    /// The diffstat.
    pub stat: bool,
    /// `always`, `never` or `auto`.
    pub color: &'a str,
    /// The directory with the new objects, if they are not in the repository.
    pub objects: Option<&'a Path>,
}

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

    /// Prints the diff of two trees or commits to standard output. `None` is the empty tree.
    ///
    /// # Errors
    /// Git cannot be run.
    pub fn show_diff(&self, old: Option<Oid>, new: Oid, show: Show<'_>) -> Result<()> {
        let mut command = self.diff(old, new, show)?;
        let status = command.status().map_err(|e| Error::io("run", "git", e))?;
        // If the user quits the pager early, a signal ends git. That is not an error.
        match status.code() {
            Some(code) if code != 0 => Err(Error::Command {
                command: "diff".into(),
                message: format!("it ended with status {code}"),
            }),
            _ => Ok(()),
        }
    }

    /// The same diff as text without colours.
    ///
    /// # Errors
    /// Git cannot be run, or fails.
    pub fn diff_text(&self, old: Option<Oid>, new: Oid, show: Show<'_>) -> Result<Vec<u8>> {
        process::bytes(&mut self.diff(old, new, Show { color: "never", ..show })?)
    }

    /// Returns whether a diff at a terminal may have colours: `color.pager` can forbid them, but only if there is a
    /// pager.
    ///
    /// # Errors
    /// Git cannot be run, or the configuration cannot be read.
    pub fn colors_pager(&self) -> Result<bool> {
        Ok(self.config().bool("color.pager")? != Some(false) || self.pager()?.is_none())
    }

    /// Shows a text with the pager that git would use for a diff at a terminal; returns whether there is one.
    ///
    /// # Errors
    /// Git or the shell cannot be run.
    pub fn page(&self, text: &str) -> Result<bool> {
        let Some(pager) = self.pager()? else { return Ok(false) };
        let mut command = Command::new("sh");
        command.args(["-c", &pager]).stdin(Stdio::piped());
        // Git's defaults, unless the user has set these variables.
        for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        let failed = |e| Error::io("run", &pager, e);
        let mut child = command.spawn().map_err(failed)?;
        // If the user quits the pager early, the rest is not written. That is not an error.
        if let Some(mut stdin) = child.stdin.take() {
            let _ = stdin.write_all(text.as_bytes());
        }
        // The shell ends with 127 if there is no such program.
        Ok(child.wait().map_err(failed)?.code() != Some(127))
    }

    fn diff(&self, old: Option<Oid>, new: Oid, show: Show<'_>) -> Result<Command> {
        let old = match old {
            Some(old) => old,
            None => self.empty_tree()?,
        };
        let mut command = match show.objects {
            Some(objects) => process::git_with_objects(self, objects),
            None => process::git(self),
        };
        command.args(["diff", &format!("--color={}", show.color)]);
        match (show.diff, show.stat) {
            (true, true) => command.arg("--patch-with-stat"),
            (false, true) => command.arg("--stat"),
            _ => command.arg("--patch"),
        };
        command.arg(old.to_string()).arg(new.to_string()).arg("--");
        Ok(command)
    }

    /// The pager with which git would show a diff at a terminal (git-config(1), `core.pager` and `pager.<cmd>`).
    fn pager(&self) -> Result<Option<String>> {
        let own = self.config().string("pager.diff")?;
        let pager = match own.as_ref().map(|own| git2::Config::parse_bool(own.as_str())) {
            Some(Ok(false)) => return Ok(None),
            Some(Err(_)) if std::env::var_os("GIT_PAGER").is_none() => own.unwrap_or_default(),
            _ => process::output(process::git(self).args(["var", "GIT_PAGER"]))?,
        };
        // `cat`, with any options, is not a pager.
        let command = pager.split_whitespace().next().unwrap_or_default();
        Ok((!["", "cat"].contains(&command.rsplit('/').next().unwrap_or_default())).then_some(pager))
    }
}
