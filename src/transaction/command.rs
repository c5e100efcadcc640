//! Running what the user wants run before a landing or after it: hooks and `--exec` commands.

use super::{Result, Watch, check_interrupt};
use crate::vcs::Oid;
use crate::vcs::supervise::{self, Ended, Onlooker, Supervised};
use std::fmt::{self, Display};
use std::time::Duration;

/// What was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ran {
    /// The hook of that name.
    Hook(&'static str),
    /// A command line of `--exec`.
    Exec(String),
}

/// Why it was not enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It ended with that status; 128 and the number where a signal has ended it.
    Status(i32),
    /// It wanted to read from the terminal.
    WantsTerminal,
    /// It was stopped by that signal.
    Stopped(i32),
    /// It changed files of the commit, and when it ran on what it had made of them, it changed them again.
    ChangesAgain,
    /// It took back all that the commit changes.
    TakesBack,
    /// It left no index to make a commit from.
    NoIndex,
    /// It left no commit message, or one that cannot be read.
    NoMessage,
    /// It left a commit message without a word.
    EmptyMessage,
    /// It left a commit message that is not in the encoding of commits, or has a NUL byte in it.
    BadMessage,
}

/// A hook that refused, or an `--exec` command that failed. Nothing has landed.
#[derive(Debug, Clone)]
pub struct Failure {
    /// What was run.
    pub ran: Ran,
    /// Why it was not enough.
    pub reason: Reason,
    /// The numbers of the edits in the commit that it was about; empty if it was about all.
    pub edits: Vec<usize>,
    /// The end of what it has printed.
    pub output: Vec<u8>,
    /// How many bytes before that are not kept.
    pub skipped: u64,
}

impl Failure {
    pub(super) fn new(ran: Ran, reason: Reason, edits: &[usize], ended: &Ended) -> Self {
        Self { ran, reason, edits: edits.to_vec(), output: ended.output.clone(), skipped: ended.skipped }
    }

    /// Of a command that did not succeed.
    pub(super) fn of(ran: Ran, edits: &[usize], ended: &Ended) -> Self {
        let reason = match ended.stopped {
            Some(_) if ended.wanted_terminal() => Reason::WantsTerminal,
            Some(signal) => Reason::Stopped(signal),
            None => Reason::Status(ended.status),
        };
        Self::new(ran, reason, edits, ended)
    }

    /// The last lines that it has printed, at most 16 KiB of them.
    pub fn last_lines(&self) -> String {
        let from = self.output.len().saturating_sub(16 << 10);
        let from = match from {
            0 => 0,
            from => {
                self.output[from..].iter().position(|byte| *byte == b'\n').map_or(from, |at| from + at + 1)
            }
        };
        String::from_utf8_lossy(&self.output[from..]).trim_end().to_owned()
    }

    /// Whether a command was not found that it would have run.
    pub fn lacks_command(&self) -> bool {
        self.reason == Reason::Status(127)
    }
}

impl std::error::Error for Failure {}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.ran {
            Ran::Hook(name) => write!(f, "the {name} hook ")?,
            Ran::Exec(command) => write!(f, "'{command}' ")?,
        }
        let at = match self.edits.as_slice() {
            [] => String::new(),
            edits => format!(" at {}", named(edits)),
        };
        match (&self.reason, &self.ran) {
            (Reason::Status(status), ran) => {
                let verb = if matches!(ran, Ran::Hook(_)) { "refused" } else { "failed" };
                write!(f, "{verb}{at} (exit status {status}")?;
                match status {
                    129..=192 => write!(f, ", as after signal {})", status - 128),
                    _ => write!(f, ")"),
                }
            }
            (Reason::WantsTerminal, _) => {
                write!(f, "tried to read from the terminal{at}, which it cannot")
            }
            (Reason::Stopped(signal), _) => {
                write!(f, "was stopped{at} (signal {signal}) and could not go on")
            }
            (Reason::ChangesAgain, _) => write!(f, "changes files{at} every time that it runs"),
            (Reason::TakesBack, _) => write!(f, "undid all changes{at}"),
            (Reason::NoIndex, _) => write!(f, "left no index{at} to make a commit from"),
            (Reason::NoMessage, _) => write!(f, "left no readable commit message{at}"),
            (Reason::EmptyMessage, _) => write!(f, "left an empty commit message{at}"),
            (Reason::BadMessage, _) => {
                write!(
                    f,
                    "left a commit message{at} that is not UTF-8 (or what i18n.commitEncoding names), or has a NUL byte in it"
                )
            }
        }
    }
}

/// Edits by their numbers.
pub(super) fn named(edits: &[usize]) -> String {
    let numbers: Vec<_> = edits.iter().map(usize::to_string).collect();
    format!("edit{} {}", if edits.len() == 1 { "" } else { "s" }, numbers.join(", "))
}

/// What a command finds in its environment about the landing.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    /// The reference that is to move.
    pub(super) reference: String,
    /// Where it is, and where it is to be.
    pub(super) old: Option<Oid>,
    pub(super) new: Option<Oid>,
    pub(super) commits: Vec<Oid>,
    /// The edits of the commit that it is about.
    pub(super) edits: Vec<usize>,
}

impl Facts {
    pub(super) fn tell(&self, command: &mut Supervised) {
        let text = |id: Option<Oid>| id.map(|id| id.to_string()).unwrap_or_default();
        let edits: Vec<_> = self.edits.iter().map(usize::to_string).collect();
        let commits: Vec<_> = self.commits.iter().map(Oid::to_string).collect();
        command
            .env("LLM_APPLY_REF", &self.reference)
            .env("LLM_APPLY_OLD", text(self.old))
            .env("LLM_APPLY_NEW", text(self.new))
            .env("LLM_APPLY_COMMITS", commits.join(" "))
            .env("LLM_APPLY_EDITS", edits.join(" "));
    }
}

struct Told<'a> {
    what: &'a str,
    watch: &'a dyn Watch,
}

impl Onlooker for Told<'_> {
    fn output(&self, bytes: &[u8]) {
        self.watch.output(bytes);
    }

    fn waiting(&self, elapsed: Duration) {
        self.watch.waiting(self.what, elapsed);
    }
}

/// Runs a command to its end. A signal that comes meanwhile is passed on to it.
///
/// # Errors
/// It cannot be run, or a signal has come.
pub(super) fn run(command: Supervised, what: &str, watch: &dyn Watch) -> Result<Ended> {
    check_interrupt()?;
    let ended = supervise::run(command, &Told { what, watch });
    watch.ended();
    check_interrupt()?;
    Ok(ended?)
}
