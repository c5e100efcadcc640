//! The clipboard, read by a program, since each desktop has its own.

use super::repo::Repo;
use super::{Error, Result};
use std::io::{ErrorKind, Read};
use std::process::{Command, Stdio};

/// The programs that print the clipboard, in the order to try them.
const PROGRAMS: &[&[&str]] = &[
    &["pbpaste"],
    &["wl-paste", "--no-newline"],
    &["xclip", "-selection", "clipboard", "-o"],
    &["xsel", "--clipboard", "--output"],
];

impl Repo {
    /// Reads at most `limit` + 1 bytes of the clipboard, with the shell command `llmapply.clipboardCommand`, else with
    /// the first program that is installed.
    ///
    /// # Errors
    /// There is no such program, or it fails.
    pub fn clipboard(&self, limit: u64) -> Result<Vec<u8>> {
        match self.config().string("llmapply.clipboardCommand")?.filter(|line| !line.trim().is_empty()) {
            Some(line) => {
                let mut command = Command::new("sh");
                command.arg("-c").arg(&line);
                printed(command, &line, limit)?.ok_or_else(|| Error::Clipboard("there is no sh".to_owned()))
            }
            None => {
                for words in PROGRAMS {
                    let mut command = Command::new(words[0]);
                    command.args(&words[1..]);
                    if let Some(printed) = printed(command, &words.join(" "), limit)? {
                        return Ok(printed);
                    }
                }
                let names: Vec<&str> = PROGRAMS.iter().map(|words| words[0]).collect();
                Err(Error::Clipboard(format!("none of {} is installed", names.join(", "))))
            }
        }
    }
}

/// Runs a command and returns what it prints; `None` if the program is not installed. The command inherits our standard
/// error.
fn printed(mut command: Command, line: &str, limit: u64) -> Result<Option<Vec<u8>>> {
    let failed = |why: String| Error::Clipboard(format!("'{line}' {why}"));
    let mut child = match command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(failed(format!("cannot be run: {e}"))),
    };
    let mut bytes = Vec::new();
    let read = match child.stdout.take() {
        Some(output) => output.take(limit.saturating_add(1)).read_to_end(&mut bytes),
        None => Ok(0),
    };
    // The pipe is closed now, so SIGPIPE ends a command that prints more.
    let ended = child.wait();
    read.and(ended).map_err(|e| failed(format!("cannot be read: {e}"))).and_then(|status| {
        let is_whole = bytes.len() as u64 <= limit;
        if is_whole && !status.success() {
            return Err(failed(format!("failed ({status})")));
        }
        Ok(Some(bytes))
    })
}
