//! Showing a diff as git does: by git, with its pager, colours and settings.

use super::repo::Repo;
use super::{Error, Oid, Result, process};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::process::Stdio;

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

/// Prints the pieces of a text.
pub type Printer<'a> = &'a mut dyn FnMut(&[u8]);

impl Repo {
    /// Prints the difference of two trees (or commits) on standard output. `None` is the empty tree. `terminal` prints it
    /// where standard output is a terminal and no pager comes between, by pieces; the last one is empty.
    ///
    /// # Errors
    /// Git cannot be run.
    pub fn show_diff(
        &self,
        old: Option<Oid>,
        new: Oid,
        show: Show<'_>,
        terminal: Option<Printer<'_>>,
    ) -> Result<()> {
        let old = match old {
            Some(old) => old,
            None => self.empty_tree()?,
        };
        let mut command = match show.objects {
            Some(objects) => process::git_with_objects(self, objects),
            None => process::git(self),
        };
        let terminal = if terminal.is_none() || self.is_paged()? { None } else { terminal };
        let color = match (&terminal, show.color) {
            // Git would not see the terminal.
            (Some(_), "auto") if self.has_colors("color.diff")? => "always",
            (_, color) => color,
        };
        command.args(["diff", &format!("--color={color}")]);
        match (show.diff, show.stat) {
            (true, true) => command.arg("--patch-with-stat"),
            (false, true) => command.arg("--stat"),
            _ => command.arg("--patch"),
        };
        command.arg(old.to_string()).arg(new.to_string()).arg("--");
        let failed = |e| Error::io("run", "git", e);
        let status = match terminal {
            Some(print) => {
                let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
                let mut output = child.stdout.take().ok_or_else(|| failed(ErrorKind::BrokenPipe.into()))?;
                let mut buffer = [0; 8192];
                loop {
                    let length = output.read(&mut buffer).map_err(failed)?;
                    print(&buffer[..length]);
                    if length == 0 {
                        break child.wait();
                    }
                }
            }
            None => command.status(),
        };
        let status = status.map_err(failed)?;
        // A pager that is left early ends git with a signal, which is nobody's fault.
        match status.code() {
            Some(code) if code != 0 => Err(Error::Command {
                command: "diff".into(),
                message: format!("it ended with status {code}"),
            }),
            _ => Ok(()),
        }
    }

    /// Whether git shows a diff at a terminal through a pager (git-config(1), `core.pager` and `pager.<cmd>`).
    fn is_paged(&self) -> Result<bool> {
        let own = self.config().string("pager.diff")?;
        let pager = match own.as_ref().map(|own| git2::Config::parse_bool(own.as_str())) {
            Some(Ok(false)) => return Ok(false),
            Some(Err(_)) if std::env::var_os("GIT_PAGER").is_none() => own.unwrap_or_default(),
            _ => process::output(process::git(self).args(["var", "GIT_PAGER"]))?,
        };
        Ok(!["", "cat"].contains(&pager.trim()))
    }
}
