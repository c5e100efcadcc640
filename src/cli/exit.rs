//! Exit statuses.

use crate::report::{Finding, Report, Status};

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
}
