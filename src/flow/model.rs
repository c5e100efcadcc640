//! Asks a model that is a shell command. The command reads the prompt from standard input and prints the answer.

use super::Error;
use super::ask::Asking;
use crate::response::ResponseError;
use crate::transaction::{TransactionDir, interrupt, run_command};
use crate::vcs;
use crate::vcs::supervise::Supervised;
use std::io::Read;

/// The largest part of a failing command's output that is shown, in bytes.
const SHOWN_OUTPUT: usize = 2000;

impl Asking<'_> {
    /// Returns the model's answer to a prompt. The model's command line runs in a shell at the top of the checkout. The
    /// prompt and the answer pass through files in a private directory, never through the command line.
    ///
    /// # Errors
    /// [`Error::Model`] if the command fails.
    pub(super) fn answer(&self, prompt: &str) -> Result<Vec<u8>, Error> {
        let Self { repo, command, options, watch, .. } = *self;
        let (_held, limit) = (interrupt::hold(), options.max_size);
        let dir = TransactionDir::open(repo, options.lock_timeout)?;
        let (asked, answered) = (dir.file("prompt"), dir.file("answer"));
        std::fs::write(&asked, prompt).map_err(|e| vcs::Error::io("write", &asked, e))?;
        let mut command = Supervised::new("sh", ["-c", command]);
        (command.input, command.output, command.limit) = (asked, Some(answered.clone()), Some(limit));
        command.at(repo.workdir().unwrap_or_else(|| repo.git_dir()));
        let ended = run_command(command, "waiting for the model", watch)?;
        if ended.exceeds_limit {
            return Err(ResponseError::TooLarge { name: "the model's response".into(), limit }.into());
        }
        if ended.is_success() {
            // A process that the command left in another group may still print.
            let file = std::fs::File::open(&answered).map(|file| file.take(limit.saturating_add(1)));
            let mut answer = Vec::new();
            file.and_then(|mut file| file.read_to_end(&mut answer))
                .map_err(|e| vcs::Error::io("read", &answered, e))?;
            return Ok(answer);
        }
        let mut message = match ended.wanted_terminal() {
            true => "the model's command tried to read from the terminal, which it cannot".to_owned(),
            false => format!("the model's command failed (exit status {})", ended.status),
        };
        let output =
            String::from_utf8_lossy(&ended.output[ended.output.len().saturating_sub(SHOWN_OUTPUT)..])
                .into_owned();
        if !output.trim().is_empty() {
            message = format!("{message}:\n{}", output.trim());
        }
        Err(Error::Model(message))
    }
}
