//! Showing a diff as git does: by git, with its pager, colours and settings.

use super::repo::Repo;
use super::{Error, Oid, Result, process};
use std::path::Path;

/// What to show, and how.
#[derive(Debug, Clone, Copy)]
pub struct Show<'a> {
    /// The patch.
    pub diff: bool,
    /// The diffstat.
    pub stat: bool,
    /// `always`, `never` or `auto`.
    pub color: &'a str,
    /// Where the new objects are, if not in the repository.
    pub objects: Option<&'a Path>,
}

impl Repo {
    /// Prints the difference of two trees (or commits) on standard output. `None` is the empty tree.
    ///
    /// # Errors
    /// Git cannot be run.
    pub fn show_diff(&self, old: Option<Oid>, new: Oid, show: Show<'_>) -> Result<()> {
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
        let status = command.status().map_err(|e| Error::io("run", "git", e))?;
        // A pager that is left early ends git with a signal, which is nobody's fault.
        match status.code() {
            Some(code) if code != 0 => Err(Error::Command {
                command: "diff".into(),
                message: format!("it ended with status {code}"),
            }),
            _ => Ok(()),
        }
    }
}
