//! Exit statuses.

use crate::report::{Finding, Report, Status};

/// The exit statuses; git-llm-apply(1) documents them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The edits landed, or there was nothing to do.
    Done = 0,
    /// Edits were refused; nothing was changed.
    Refused = 1,
    /// A command of `--exec` failed.
    ExecFailed = 2,
    /// A hook refused.
    HookRefused = 3,
    /// Something in the repository is in the way.
    InTheWay = 4,
    /// The response has no edits.
    NoEdits = 5,
    /// Not a repository, an I/O error, or a broken object store.
    Fatal = 128,
    /// A usage error.
    Usage = 129,
    /// Interrupted and rolled back.
    Interrupted = 130,
}

impl Exit {
    /// All exit statuses. If several runs end differently, the status that comes first here counts.
    pub const ALL: &[Exit] = &[
        Exit::Interrupted,
        Exit::Fatal,
        Exit::Usage,
        Exit::NoEdits,
        Exit::Refused,
        Exit::InTheWay,
        Exit::HookRefused,
        Exit::ExecFailed,
        Exit::Done,
    ];

    /// The number of the status.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The exit status of several runs together.
    pub fn of_several(all: &[Self]) -> Self {
        Self::ALL.iter().copied().find(|exit| all.contains(exit)).unwrap_or(Exit::Done)
    }

    /// The exit status of several suggestions together, and the status of their common report. The latter is that of the
    /// suggestion that got furthest, among those with this exit status.
    pub fn of_suggestions(all: &[(Self, Status)]) -> (Self, Status) {
        let exit = Self::of_several(&all.iter().map(|(exit, _)| *exit).collect::<Vec<_>>());
        let deciding = all.iter().filter(|(own, _)| *own == exit).map(|(_, status)| *status);
        let status = deciding.max_by_key(|status| match status {
            Status::Landed => 2,
            Status::Checked => 1,
            _ => 0,
        });
        (exit, status.unwrap_or(Status::Failed))
    }

    /// The exit status for a report without an error.
    pub fn of_report(report: &Report) -> Self {
        match report.status {
            // A dry run with `--keep-going`: some edits would land, and others are refused.
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
