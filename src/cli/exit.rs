//! Exit statuses, and which error has which.

use crate::flow;
use crate::report::{Finding, Report, Status};
use crate::transaction;
use crate::vcs;

/// The exit statuses, as documented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Landed, or nothing left to do: already landed or applied.
    Done,
    /// Edits refused, nothing changed.
    Refused,
    /// The `--exec` command failed.
    ExecFailed,
    /// A hook refused.
    HookRefused,
    /// The repository is in the way.
    InTheWay,
    /// No edits found in the response.
    NoEdits,
    /// Not a repository, I/O, broken object store.
    Fatal,
    /// Usage.
    Usage,
    /// Interrupted, rolled back.
    Interrupted,
}

impl Exit {
    /// All of them with what they mean, for the documentation.
    pub const ALL: &[(Exit, &'static str)] = &[
        (Exit::Done, "landed, or nothing left to do: already landed or applied"),
        (Exit::Refused, "edits refused, nothing changed (with `--keep-going`: the others may have landed)"),
        (Exit::ExecFailed, "a command of `--exec` failed, nothing changed"),
        (Exit::HookRefused, "a hook refused, nothing changed"),
        (
            Exit::InTheWay,
            "the repository is in the way: local changes in touched files, a held lock, a branch that moved or is \
             checked out elsewhere, another operation in progress; nothing changed",
        ),
        (Exit::NoEdits, "no edits found in the response"),
        (
            Exit::Fatal,
            "not a repository, one that cannot be served, I/O, a broken object store, a commit that cannot be signed, a \
             message that is left empty in the editor",
        ),
        (Exit::Usage, "usage"),
        (Exit::Interrupted, "interrupted, rolled back"),
    ];

    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Refused => 1,
            Exit::ExecFailed => 2,
            Exit::HookRefused => 3,
            Exit::InTheWay => 4,
            Exit::NoEdits => 5,
            Exit::Fatal => 128,
            Exit::Usage => 129,
            Exit::Interrupted => 130,
        }
    }

    /// The status of several runs at once: the first in a fixed order that any of them has.
    pub fn of_several(all: &[Self]) -> Self {
        let order = [
            Exit::Interrupted,
            Exit::Fatal,
            Exit::Usage,
            Exit::NoEdits,
            Exit::Refused,
            Exit::InTheWay,
            Exit::HookRefused,
            Exit::ExecFailed,
        ];
        order.into_iter().find(|exit| all.contains(exit)).unwrap_or(Exit::Done)
    }

    /// The status that goes with a report.
    pub fn of_report(report: &Report) -> Self {
        match report.status {
            // With `--keep-going`: what would land beside edits that are refused.
            Status::Checked if report.findings.iter().any(Finding::is_error) => Exit::Refused,
            Status::Landed
            | Status::Checked
            | Status::Nothing
            | Status::Forgotten
            | Status::Dropped
            | Status::Shown => Exit::Done,
            Status::PartlyLanded | Status::Refused => Exit::Refused,
            Status::NoEdits => Exit::NoEdits,
            Status::InTheWay => Exit::InTheWay,
            Status::Failed => Exit::Fatal,
        }
    }

    /// The status that goes with a report, and with what went wrong. Where edits are refused, too, that comes before a
    /// repository in the way, a hook and a command.
    pub fn of_outcome(report: &Report, failure: Option<&flow::Error>) -> Self {
        let Some(failure) = failure else { return Self::of_report(report) };
        match Self::of_flow(failure) {
            Exit::InTheWay | Exit::HookRefused | Exit::ExecFailed if report.status == Status::Refused => {
                Exit::Refused
            }
            exit => exit,
        }
    }

    /// The status of a flow that failed.
    pub fn of_flow(error: &flow::Error) -> Self {
        match error {
            flow::Error::Vcs(error) => Self::of_vcs(error),
            flow::Error::Transaction(error) => Self::of(error),
            flow::Error::Tree(_)
            // No edits could be read out of it, so none is refused: it is the input that is wrong.
            | flow::Error::Response(_)
            | flow::Error::NoSuchFiles(..)
            | flow::Error::Attempt(_)
            | flow::Error::NoBranch(_)
            | flow::Error::NoBranchToPush
            | flow::Error::Unmovable(_)
            | flow::Error::NoLandings
            | flow::Error::NoLanding(_)
            | flow::Error::AmbiguousLanding(..)
            | flow::Error::Message(_)
            | flow::Error::Unborn(_) => Exit::Fatal,
            flow::Error::Trailer(_)
            | flow::Error::Names(_)
            | flow::Error::Skip(_)
            | flow::Error::NoSuchEdit { .. } => Exit::Usage,
            flow::Error::Diverged(_) => Exit::InTheWay,
            flow::Error::NoSuggestion(_)
            | flow::Error::Merge { .. }
            | flow::Error::NothingToUndo(_)
            | flow::Error::Inseparable { .. }
            | flow::Error::Mismatch(_)
            | flow::Error::Model(_) => Exit::Refused,
        }
    }

    /// The status of a failed transaction.
    pub fn of(error: &transaction::Error) -> Self {
        match error {
            transaction::Error::Vcs(error) => Self::of_vcs(error),
            transaction::Error::InTheWay(_) | transaction::Error::Busy(_) => Exit::InTheWay,
            transaction::Error::Unsupported { .. }
            | transaction::Error::EmptyMessage(_)
            | transaction::Error::NoAttempt { .. }
            | transaction::Error::Attempt { .. }
            | transaction::Error::Broken { .. }
            | transaction::Error::Stuck { .. }
            | transaction::Error::Unfinished { .. } => Exit::Fatal,
            transaction::Error::Behind { .. } => Exit::InTheWay,
            transaction::Error::NotTaken { .. } => Exit::HookRefused,
            transaction::Error::NotKnown { .. } | transaction::Error::NotHere { .. } => Exit::Fatal,
            transaction::Error::Nothing => Exit::Done,
            transaction::Error::Hook(_) => Exit::HookRefused,
            transaction::Error::Exec(_) => Exit::ExecFailed,
            transaction::Error::Interrupted => Exit::Interrupted,
        }
    }

    /// The status of a failed git operation.
    pub fn of_vcs(error: &vcs::Error) -> Self {
        use vcs::Error as E;
        match error {
            E::Locked(_) | E::Moved { .. } | E::Switched { .. } | E::Raced(_) | E::Pruned => Exit::InTheWay,
            E::ReferenceHook { .. } => Exit::HookRefused,
            E::Interrupted => Exit::Interrupted,
            E::BadBranchName(_)
            | E::BadRevision(_)
            | E::NotARepository(_)
            | E::Unsupported { .. }
            | E::Io { .. }
            | E::Git { .. }
            | E::Config { .. }
            | E::Ident { .. }
            | E::Command { .. }
            | E::NotOwn(_)
            | E::Remote { .. }
            | E::Unfetched { .. }
            | E::Unsigned(_)
            | E::Encoding { .. }
            | E::NotInEncoding(_)
            | E::BadDate(_)
            | E::BadAuthor(_)
            | E::NotUtf8(_)
            | E::Clipboard(_)
            | E::Editor { .. }
            | E::Filter { .. }
            | E::TooLarge { .. }
            | E::Injected(_) => Exit::Fatal,
        }
    }
}
