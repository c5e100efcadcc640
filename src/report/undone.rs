//! The commits of a landing that was undone or redone, and how they are printed.

use super::escape::escape;
use super::human::{DIM, GREEN, YELLOW};
use super::record::RecordKind;
use super::recorded;
use super::{CommitName, EditState, Report};
use crate::diag::shorten;
use serde::{Deserialize, Serialize};

/// A landing that was undone or redone.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Undone {
    /// Its id.
    pub id: String,
    /// Whether it was undone or redone.
    #[serde(skip)]
    pub kind: RecordKind,
}

/// A commit of a landing that was undone or redone.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct UndoneCommit {
    /// The commit.
    pub commit: CommitName,
    /// Its subject.
    pub subject: String,
    /// `TakenBack`, `Landed` if it was redone, or `NoChange`; in a dry run `Fine` if it would apply.
    #[serde(deserialize_with = "recorded::or_default")]
    pub state: EditState,
    /// The commit that undoes or redoes it; `None` if the branch was moved back.
    pub new: Option<CommitName>,
}

/// Renders a line per commit, unless the report already has a line per edit.
pub(super) fn undone(report: &Report) -> String {
    let line = |one: &UndoneCommit| {
        let (from, new) = (&one.commit.short, one.new.as_ref());
        let how = match (one.state, new) {
            (EditState::TakenBack, Some(new)) => {
                format!("{from}  {DIM}taken back{DIM:#} by {YELLOW}{}{YELLOW:#}", new.short)
            }
            (EditState::Fine, _) => format!("{from}  {GREEN}ok{GREEN:#}"),
            (EditState::TakenBack, None) => format!("{from}  {DIM}taken back{DIM:#}"),
            _ => became(from, new, "changes nothing"),
        };
        format!("{how}  {}\n", escape(&shorten(&one.subject, 72)))
    };
    report.undone_commits.iter().filter(|_| report.edits.is_empty()).map(line).collect()
}

/// Renders a commit and the commit that it became; if there is none, the reason (`otherwise`).
pub(super) fn became(from: &str, new: Option<&CommitName>, otherwise: &str) -> String {
    match new {
        Some(new) if new.short == from => format!("{YELLOW}{from}{YELLOW:#}"),
        Some(new) => format!("{from} -> {YELLOW}{}{YELLOW:#}", new.short),
        None if otherwise.is_empty() => from.to_owned(),
        None => format!("{from}  {DIM}{otherwise}{DIM:#}"),
    }
}
