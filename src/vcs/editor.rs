//! The user's editor (git-var(1), `GIT_EDITOR`), and trailers as the user has set them up (git-interpret-trailers(1)).

use super::repo::Repo;
use super::{Error, Result, child, process};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

impl Repo {
    /// Has the user edit a file, in the editor that git would start and at the terminal, whatever standard input and
    /// output are. An editor that is `:` edits nothing, as git has it.
    ///
    /// # Errors
    /// There is no terminal, git knows no editor, or it failed.
    pub fn edit(&self, file: &Path, stop: fn() -> bool) -> Result<()> {
        let editor = process::output(process::git(self).args(["var", "GIT_EDITOR"]))?;
        if editor == ":" {
            return Ok(());
        }
        let terminal = |write: bool| File::options().read(!write).write(write).open("/dev/tty");
        let (Ok(input), Ok(output)) = (terminal(false), terminal(true)) else {
            return Err(Error::NoTerminal);
        };
        // As git does it: the shell takes the words apart.
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{editor} \"$@\""), &editor]).arg(file);
        command.stdin(Stdio::from(input)).stdout(Stdio::from(output));
        if let Some(top) = self.workdir() {
            command.current_dir(top);
        }
        let ended = child::run(&mut command, "sh", None, stop)?;
        match ended.status.success() {
            true => Ok(()),
            false => Err(Error::Editor(editor)),
        }
    }

    /// Has the user edit a text, in a private file of that name, and gives what became of it.
    ///
    /// # Errors
    /// As [`Repo::edit`].
    pub fn edit_text(&self, name: &str, text: &[u8], stop: fn() -> bool) -> Result<Vec<u8>> {
        let directory = tempfile::tempdir().map_err(|e| Error::io("create", std::env::temp_dir(), e))?;
        let file = directory.path().join(name);
        std::fs::write(&file, text).map_err(|e| Error::io("write", &file, e))?;
        self.edit(&file, stop)?;
        std::fs::read(&file).map_err(|e| Error::io("read", file, e))
    }

    /// What begins a comment in a text that the user edits (git-config(1), `core.commentString`); `auto` is the usual.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub fn comment_prefix(&self) -> Result<String> {
        let configured = match self.config().string("core.commentstring")? {
            Some(text) => Some(text),
            None => self.config().string("core.commentchar")?,
        };
        Ok(configured.filter(|text| !text.is_empty() && text != "auto").unwrap_or_else(|| "#".to_owned()))
    }

    /// Whether the user has set up anything about trailers.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub fn has_trailer_rules(&self) -> Result<bool> {
        Ok(self.config().names("^trailer\\.")?.iter().any(|name| name.starts_with("trailer.")))
    }

    /// The message with these trailers, by the user's rules, as git puts them there.
    ///
    /// # Errors
    /// Git cannot be run, or refuses.
    pub fn with_trailers(&self, message: &str, trailers: &[String]) -> Result<String> {
        let mut command = process::git(self);
        command.args(["interpret-trailers", "--no-divider"]);
        for trailer in trailers {
            command.args(["--trailer", trailer]);
        }
        let output = process::fed(&mut command, message.as_bytes())?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(Error::Command { command: "interpret-trailers".into(), message });
        }
        String::from_utf8(output.stdout).map_err(|_| Error::Command {
            command: "interpret-trailers".into(),
            message: "it printed something else than UTF-8".into(),
        })
    }
}
