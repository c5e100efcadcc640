//! Has git show a diff, with its pager, colours and settings.

use super::repo::Repo;
use super::{Error, Oid, Result, process};
use std::path::Path;
use std::process::Command;

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

impl Repo {
    /// Prints the diff of two trees or commits to standard output. `None` is the empty tree.
    ///
    /// # Errors
    /// Git cannot be run.
    pub fn show_diff(&self, old: Option<Oid>, new: Oid, show: Show<'_>) -> Result<()> {
        let mut command = self.diff(old, new, show)?;
        let status = command.status().map_err(|e| Error::io("run", "git", e))?;
        // If the user quits the pager early, a signal ends git: that is no error.
        match status.code() {
            Some(code) if code != 0 => Err(Error::Command {
                command: "diff".into(),
                message: format!("it ended with status {code}"),
            }),
            _ => Ok(()),
        }
    }

    /// The same diff as text without colours, if git would show it without a pager.
    ///
    /// # Errors
    /// Git cannot be run, or fails.
    pub fn unpaged_diff(&self, old: Option<Oid>, new: Oid, show: Show<'_>) -> Result<Option<Vec<u8>>> {
        if self.is_paged()? {
            return Ok(None);
        }
        let mut command = self.diff(old, new, Show { color: "never", ..show })?;
        process::bytes(&mut command).map(Some)
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

    /// Whether git would show a diff through a pager at a terminal (git-config(1), `core.pager` and `pager.<cmd>`).
    fn is_paged(&self) -> Result<bool> {
        let own = self.config().string("pager.diff")?;
        let pager = match own.as_ref().map(|own| git2::Config::parse_bool(own.as_str())) {
            Some(Ok(false)) => return Ok(false),
            Some(Err(_)) if std::env::var_os("GIT_PAGER").is_none() => own.unwrap_or_default(),
            _ => process::output(process::git(self).args(["var", "GIT_PAGER"]))?,
        };
        // `cat`, with any options, is no pager.
        let command = pager.split_whitespace().next().unwrap_or_default();
        Ok(!["", "cat"].contains(&command.rsplit('/').next().unwrap_or_default()))
    }
}
