//! Asks a model that is a shell command. The command reads the prompt from standard input and prints the answer.

use super::{Error, Options, Watch};
use crate::response::ResponseError;
use crate::transaction::{TransactionDir, check_interrupt, interrupt};
use crate::vcs;
use crate::vcs::repo::Repo;
use crate::vcs::supervise::{self, Onlooker, Supervised};
use std::cell::Cell;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// The largest part of a failing command's output that is shown, in bytes.
const SHOWN_OUTPUT: usize = 2000;

/// Returns the model's answer to a prompt. `line` is the model's shell command line, which runs at the top of the
/// checkout. The prompt and the answer pass through files in a private directory, never through the command line.
///
/// # Errors
/// [`Error::Model`] if the command fails.
pub(super) fn answer(
    repo: &Repo,
    line: &str,
    prompt: &str,
    options: &Options,
    watch: &dyn Watch,
) -> Result<Vec<u8>, Error> {
    let (_held, limit) = (interrupt::hold(), options.max_size);
    let dir = TransactionDir::open(repo, options.lock_timeout)?;
    let (asked, answered) = (dir.file("prompt"), dir.file("answer"));
    std::fs::write(&asked, prompt).map_err(|e| vcs::Error::io("write", &asked, e))?;
    let mut command = Supervised::new("sh", ["-c", line]).input(Some(&asked)).output(&answered);
    command.at(repo.workdir().unwrap_or_else(|| repo.git_dir()));
    let onlooker = Reader { answered: &answered, limit, read_bytes: Cell::new(0), watch };
    let ended = supervise::run(command, &onlooker)?;
    watch.ended();
    check_interrupt()?;
    let mut answer = Vec::new();
    std::fs::File::open(&answered)
        .and_then(|file| file.take(limit.saturating_add(1)).read_to_end(&mut answer))
        .map_err(|e| vcs::Error::io("read", &answered, e))?;
    if answer.len() as u64 > limit || onlooker.exceeds_limit() {
        return Err(ResponseError::TooLarge { name: "the model's response".into(), limit }.into());
    }
    if ended.is_success() {
        return Ok(answer);
    }
    let mut message = match ended.wanted_terminal() {
        true => "the model's command tried to read from the terminal, which it cannot".to_owned(),
        false => format!("the model's command failed (exit status {})", ended.status),
    };
    let output = String::from_utf8_lossy(&ended.output[ended.output.len().saturating_sub(SHOWN_OUTPUT)..])
        .into_owned();
    if !output.trim().is_empty() {
        message = format!("{message}:\n{}", output.trim());
    }
    Err(Error::Model(message))
}

/// Watches the command, and stops it if it prints too much.
struct Reader<'a> {
    answered: &'a Path,
    limit: u64,
    /// The number of bytes that the command printed to standard error.
    read_bytes: Cell<u64>,
    watch: &'a dyn Watch,
}

impl Reader<'_> {
    /// Whether the answer or the output on standard error is too large.
    fn exceeds_limit(&self) -> bool {
        let answered = std::fs::metadata(self.answered).map_or(0, |found| found.len());
        answered.max(self.read_bytes.get()) > self.limit
    }
}

impl Onlooker for Reader<'_> {
    fn output(&self, bytes: &[u8]) {
        self.read_bytes.set(self.read_bytes.get().saturating_add(bytes.len() as u64));
        self.watch.output(bytes);
    }

    fn waiting(&self, elapsed: Duration) {
        self.watch.waiting("waiting for the model", elapsed);
    }

    fn signal(&self) -> Option<i32> {
        // A command that prints without end is killed at once, before it fills the disk.
        interrupt::signal().or_else(|| self.exceeds_limit().then_some(signal_hook::consts::SIGKILL))
    }
}
