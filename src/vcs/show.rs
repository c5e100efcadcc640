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

    /// Lets git tidy up in the background if it is time, as `git commit` does. Whether it is time is estimated as git
    /// estimates it, so that mostly no process is started.
    pub fn maintain(&self) {
        let enabled = |key: &str| self.config().bool(key).ok().flatten().unwrap_or(true);
        let limit = |key: &str, default: i64| self.config().number(key).ok().flatten().unwrap_or(default);
        let loose_limit = limit("gc.auto", 6700);
        if !enabled("maintenance.auto") || loose_limit <= 0 {
            return;
        }
        let count = |directory: &str, ending: &str| {
            let entries = std::fs::read_dir(self.objects_dir().join(directory));
            entries.map_or(0, |all| {
                all.flatten().filter(|e| e.file_name().to_string_lossy().ends_with(ending)).count()
            })
        };
        // One of 256 directories stands for all.
        let loose = count("17", "") as i64 > (loose_limit + 255) / 256;
        let pack_limit = limit("gc.autopacklimit", 50);
        if loose || (pack_limit > 0 && count("pack", ".pack") as i64 > pack_limit) {
            let mut command = process::git(self);
            command.args(["maintenance", "run", "--auto", "--quiet", "--detach"]);
            let _ = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).status();
        }
    }
}
