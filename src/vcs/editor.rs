//! The user's editor (git-var(1), `GIT_EDITOR`) and trailer rules (git-interpret-trailers(1)).

use super::repo::Repo;
use super::supervise::{self, Onlooker, Supervised};
use super::{Error, Result, interrupt, process};
use signal_hook::consts::SIGINT;
use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;

/// Ignores Ctrl-C while an editor runs, because the editor handles it itself.
struct IgnoresInterrupt;

impl Onlooker for IgnoresInterrupt {
    fn signal(&self) -> Option<i32> {
        interrupt::signal().filter(|signal| *signal != SIGINT)
    }
}

impl Repo {
    /// Opens a file in the editor that git would start. The editor gets the terminal, if there is one, whatever standard
    /// input and output are. The editor `:` does nothing, as in git. Ctrl-C goes to the editor, which may use it for
    /// something else; it stops us only if it ends the editor.
    ///
    /// # Errors
    /// Git knows no editor, or it failed.
    pub fn edit(&self, file: &Path) -> Result<()> {
        let editor = process::output(process::git(self).args(["var", "GIT_EDITOR"]))?;
        if editor == ":" {
            return Ok(());
        }
        // The shell splits the editor's command into words, as in git.
        let line = format!("exec 2>&1; {editor} \"$@\"");
        let args = [OsStr::new("-c"), line.as_ref(), editor.as_ref(), file.as_os_str()];
        let mut command = Supervised::new("sh", args);
        command.mode = supervise::EDITS;
        let terminal = Path::new("/dev/tty");
        if File::options().read(true).write(true).open(terminal).is_ok() {
            (command.input, command.output) = (terminal.to_owned(), Some(terminal.to_owned()));
        }
        if let Some(top) = self.workdir() {
            command.command.current_dir(top);
        }
        let ended = supervise::run(command, &IgnoresInterrupt)?;
        if ended.status != 128 + SIGINT {
            interrupt::forget(SIGINT);
        }
        match ended.is_success() {
            true => Ok(()),
            false => {
                let said = String::from_utf8_lossy(&ended.output).trim_end().to_owned();
                let said = if said.is_empty() { said } else { format!(":\n{said}") };
                Err(Error::Editor { editor, said })
            }
        }
    }

    /// Opens a text in the user's editor, as a private file of that name, and returns the edited text.
    ///
    /// # Errors
    /// As [`Repo::edit`].
    pub fn edit_text(&self, name: &str, text: &[u8]) -> Result<Vec<u8>> {
        let directory = self.temporary()?;
        let file = directory.path().join(name);
        std::fs::write(&file, text).map_err(|e| Error::io("write", &file, e))?;
        self.edit(&file)?;
        std::fs::read(&file).map_err(|e| Error::io("read", file, e))
    }

    /// The prefix of comments in texts that the user edits (git-config(1), `core.commentString`); `#` for `auto`.
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

    /// The characters that may follow a trailer's key (git-config(1), `trailer.separators`).
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub fn trailer_separators(&self) -> Result<String> {
        let configured = self.config().string("trailer.separators")?;
        Ok(configured.filter(|text| !text.is_empty()).unwrap_or_else(|| ":".to_owned()))
    }

    /// Returns whether the user has configured any trailer rule.
    pub fn has_trailer_rules(&self) -> bool {
        self.config().names("trailer.").next().is_some()
    }

    /// Lets git add these trailers to the message, by the user's rules.
    ///
    /// # Errors
    /// Git cannot be run, or refuses.
    pub fn with_trailers(&self, message: &str, trailers: &[String]) -> Result<String> {
        let mut command = process::git(self);
        command.args(["interpret-trailers", "--no-divider"]);
        for trailer in trailers {
            command.args(["--trailer", trailer]);
        }
        let output = process::output_for_input(&mut command, message.as_bytes())?;
        let output = process::checked(&command, output)?;
        String::from_utf8(output.stdout).map_err(|_| Error::Command {
            command: "interpret-trailers".into(),
            message: "it printed something else than UTF-8".into(),
        })
    }
}
