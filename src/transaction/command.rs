//! Runs hooks and `--exec` commands, and describes how they fail.

use super::series::{Made, edits_by_number};
use super::{Result, Transaction, Watch, check_interrupt};
use crate::vcs::Oid;
use crate::vcs::supervise::{self, Ended, Onlooker, Supervised};
use std::time::Duration;

/// A hook or a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ran {
    /// A hook, by its name.
    Hook(&'static str),
    /// A command line given by `--exec`.
    Exec(String),
}

/// A hook that refused, or an `--exec` command that failed. Nothing has landed.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The hook or the command.
    pub ran: Ran,
    /// The message: which hook or command did what.
    pub message: String,
    /// Whether the shell did not find a command (exit status 127).
    pub lacks_command: bool,
    /// The numbers of the edits in the commit that it ran on; empty if it ran once for all commits.
    pub edits: Vec<usize>,
    /// The end of its output.
    pub output: Vec<u8>,
    /// The number of bytes of earlier output that were not kept.
    pub skipped: u64,
}

impl Failure {
    /// A failure with the message "the <name> hook <before> at edit 1<after>".
    pub(super) fn new(ran: Ran, edits: &[usize], ended: &Ended, before: &str, after: &str) -> Self {
        let name = match &ran {
            Ran::Hook(name) => format!("the {name} hook"),
            Ran::Exec(command) => format!("'{command}'"),
        };
        let at = if edits.is_empty() { String::new() } else { format!(" at {}", edits_by_number(edits)) };
        Self {
            ran,
            message: format!("{name} {before}{at}{after}"),
            lacks_command: false,
            edits: edits.to_vec(),
            output: ended.output.clone(),
            skipped: ended.skipped,
        }
    }

    /// The failure of a hook or command that was stopped or exited with an error.
    pub(super) fn of(ran: Ran, edits: &[usize], ended: &Ended) -> Self {
        let status = ended.status;
        let verb = if matches!(ran, Ran::Hook(_)) { "refused" } else { "failed" };
        match (ended.stopped, status) {
            (Some(_), _) if ended.wanted_terminal() => {
                Self::new(ran, edits, ended, "tried to read from the terminal", ", which it cannot")
            }
            (Some(signal), _) => {
                let after = format!(" (signal {signal}) and could not go on");
                Self::new(ran, edits, ended, "was stopped", &after)
            }
            (None, _) => {
                let after = format!(" (exit status {status})");
                Self { lacks_command: status == 127, ..Self::new(ran, edits, ended, verb, &after) }
            }
        }
    }

    /// Returns the end of the output as text. If earlier output is missing, the first line says so.
    pub fn printed(&self) -> String {
        let cut = match self.skipped {
            0 => String::new(),
            skipped => format!("[{skipped} bytes of output are left out; -v shows all]\n"),
        };
        cut + &String::from_utf8_lossy(&self.output)
    }

    /// Returns the last whole lines of the output, at most 16 KiB.
    pub fn last_lines(&self) -> String {
        let mut from = self.output.len().saturating_sub(16 << 10);
        if from > 0 {
            from += self.output[from..].iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        }
        String::from_utf8_lossy(&self.output[from..]).trim_end().to_owned()
    }
}

impl Transaction<'_> {
    /// Sets the `LLM_APPLY_*` environment variables of a hook or command: the branch, the commits made so far, and the
    /// edits of the commit that it runs on.
    pub(super) fn set_environment(&self, command: &mut Supervised, made: &Made, edits: &[usize]) {
        let text = |id: Option<Oid>| id.map(|id| id.to_string()).unwrap_or_default();
        let edits: Vec<_> = edits.iter().map(usize::to_string).collect();
        let commits: Vec<_> = made.all().map(|id| id.to_string()).collect();
        command
            .env("LLM_APPLY_REF", &self.target.name)
            .env("LLM_APPLY_OLD", text(self.target.tip))
            .env("LLM_APPLY_NEW", text(made.tip()))
            .env("LLM_APPLY_COMMITS", commits.join(" "))
            .env("LLM_APPLY_EDITS", edits.join(" "));
    }
}

struct Listener<'a> {
    what: &'a str,
    watch: &'a dyn Watch,
}

impl Onlooker for Listener<'_> {
    fn output(&self, bytes: &[u8]) {
        self.watch.output(bytes);
    }

    fn waiting(&self, elapsed: Duration) {
        self.watch.waiting(self.what, elapsed);
    }
}

/// Runs a command to its end. Signals that arrive meanwhile are passed on to the command.
///
/// # Errors
/// The command cannot be started, or a signal arrived.
pub fn run(command: Supervised, what: &str, watch: &dyn Watch) -> Result<Ended> {
    check_interrupt()?;
    let ended = supervise::run(command, &Listener { what, watch });
    watch.ended();
    check_interrupt()?;
    Ok(ended?)
}
