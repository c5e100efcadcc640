//! Showing a diff as git does: by git, with its pager, colours and settings.

use super::repo::Repo;
use super::{Error, Oid, Result, process};
use std::os::unix::ffi::OsStrExt;
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
            None => empty_tree()?,
        };
        let mut command = process::git(self);
        if let Some(objects) = show.objects {
            command.env("GIT_OBJECT_DIRECTORY", objects);
            // Quoted, so that a colon in the path separates nothing (git(1), "Git Objects").
            let mut all = std::ffi::OsString::from("\"");
            for &byte in self.objects_dir().as_os_str().as_bytes() {
                let escaped = [b'\\', byte];
                let escaped = if matches!(byte, b'"' | b'\\') { &escaped[..] } else { &escaped[1..] };
                all.push(std::ffi::OsStr::from_bytes(escaped));
            }
            all.push("\"");
            if let Some(more) = std::env::var_os("GIT_ALTERNATE_OBJECT_DIRECTORIES") {
                all.push(":");
                all.push(more);
            }
            command.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", all);
        }
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

fn empty_tree() -> Result<Oid> {
    Oid::hash_object(git2::ObjectType::Tree, b"").map_err(|e| Error::git("name the empty tree", e))
}
