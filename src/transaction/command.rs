//! Hooks and `--exec` commands: running them, and how they fail.

use super::{Made, Result, Transaction, Watch, check_interrupt};
use crate::vcs::Oid;
use crate::vcs::supervise::{self, Ended, Onlooker, Supervised};
use std::fmt::{self, Display};
use std::time::Duration;

/// A hook or a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ran {
    /// The hook of that name.
    Hook(&'static str),
    /// A command line of `--exec`.
    Exec(String),
}

/// How a hook or a command failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It exited with that status: 128 and the number, if a signal ended it.
    Status(i32),
    /// It tried to read from the terminal.
    WantsTerminal,
    /// That signal stopped it.
    Stopped(i32),
    /// It changed files of the commit, and changed them again when it ran on the result.
    ChangesAgain,
    /// It undid all changes of the commit.
    TakesBack,
    /// It left no index to make a commit from.
    NoIndex,
    /// It left no commit message, or one that cannot be read.
    NoMessage,
    /// It left an empty commit message.
    EmptyMessage,
    /// It left a commit message in another encoding, or with a NUL byte.
    BadMessage,
}

/// A hook that refused, or an `--exec` command that failed. Nothing has landed.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The hook or the command.
    pub ran: Ran,
    /// How it failed.
    pub reason: Reason,
    /// The numbers of the edits in the commit that it judged; empty if it judged all commits.
    pub edits: Vec<usize>,
    /// The end of its output.
    pub output: Vec<u8>,
    /// How many bytes of output before that are not kept.
    pub skipped: u64,
}

impl Failure {
    pub(super) fn new(ran: Ran, reason: Reason, edits: &[usize], ended: &Ended) -> Self {
        Self { ran, reason, edits: edits.to_vec(), output: ended.output.clone(), skipped: ended.skipped }
    }

    /// The failure of a command that did not succeed.
    pub(super) fn of(ran: Ran, edits: &[usize], ended: &Ended) -> Self {
        let reason = match ended.stopped {
            Some(_) if ended.wanted_terminal() => Reason::WantsTerminal,
            Some(signal) => Reason::Stopped(signal),
            None => Reason::Status(ended.status),
        };
        Self::new(ran, reason, edits, ended)
    }

    /// The last lines of its output, at most 16 KiB of them.
    pub fn last_lines(&self) -> String {
        let mut from = self.output.len().saturating_sub(16 << 10);
        if from > 0 {
            from += self.output[from..].iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        }
        String::from_utf8_lossy(&self.output[from..]).trim_end().to_owned()
    }

    /// Whether it did not find a command that it ran.
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
        match self.reason {
            Reason::Status(status) => {
                let verb = if matches!(self.ran, Ran::Hook(_)) { "refused" } else { "failed" };
                write!(f, "{verb}{at} (exit status {status}")?;
                match status {
                    129..=192 => write!(f, ", as after signal {})", status - 128),
                    _ => write!(f, ")"),
                }
            }
            Reason::WantsTerminal => write!(f, "tried to read from the terminal{at}, which it cannot"),
            Reason::Stopped(signal) => write!(f, "was stopped{at} (signal {signal}) and could not go on"),
            Reason::ChangesAgain => write!(f, "changes files{at} every time that it runs"),
            Reason::TakesBack => write!(f, "undid all changes{at}"),
            Reason::NoIndex => write!(f, "left no index{at} to make a commit from"),
            Reason::NoMessage => write!(f, "left no readable commit message{at}"),
            Reason::EmptyMessage => write!(f, "left an empty commit message{at}"),
            Reason::BadMessage => write!(
                f,
                "left a commit message{at} that is not UTF-8 (or what i18n.commitEncoding names), or has a NUL byte in it"
            ),
        }
    }
}

/// Edits, by their numbers.
pub(super) fn named(edits: &[usize]) -> String {
    let numbers: Vec<_> = edits.iter().map(usize::to_string).collect();
    format!("edit{} {}", if edits.len() == 1 { "" } else { "s" }, numbers.join(", "))
}

impl Transaction<'_> {
    /// Puts into a command's environment what is known of the landing, and the edits of the commit that it judges.
    pub(super) fn tell_facts(&self, command: &mut Supervised, made: &Made, edits: &[usize]) {
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

/// Runs a command to its end, and passes signals on to it.
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
