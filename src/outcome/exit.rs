//! Exit statuses.

use crate::report::{Finding, Report, Status};

/// The exit statuses; git-llm-apply(1) says more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Landed, or nothing left to do: already landed or applied.
    Done = 0,
    /// Edits refused, nothing changed.
    Refused = 1,
    /// The `--exec` command failed.
    ExecFailed = 2,
    /// A hook refused.
    HookRefused = 3,
    /// The repository is in the way.
    InTheWay = 4,
    /// No edits found in the response.
    NoEdits = 5,
    /// Not a repository, I/O, broken object store.
    Fatal = 128,
    /// Usage.
    Usage = 129,
    /// Interrupted, rolled back.
    Interrupted = 130,
}

impl Exit {
    /// All of them.
    pub const ALL: &[Exit] = &[
        Exit::Done,
        Exit::Refused,
        Exit::ExecFailed,
        Exit::HookRefused,
        Exit::InTheWay,
        Exit::NoEdits,
        Exit::Fatal,
        Exit::Usage,
        Exit::Interrupted,
    ];

    /// The number.
    pub fn code(self) -> u8 {
        self as u8
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
