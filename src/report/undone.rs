//! What became of the commits of a landing that was taken back or put back; for people a line each.

use super::escape::escape;
use super::human::{DIM, GREEN, YELLOW, shorten};
use super::record::RecordKind;
use super::recorded;
use super::{CommitName, EditState, Report};
use serde::{Deserialize, Serialize};

/// A landing that was taken back or put back.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Undone {
    /// Its id.
    pub id: String,
    /// Which of the two.
    #[serde(skip)]
    pub kind: RecordKind,
}

/// One of its commits.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct UndoneCommit {
    /// The commit.
    pub commit: CommitName,
    /// Its subject.
    pub subject: String,
    /// `TakenBack`, `Landed` if it was put back, or `NoChange`; in a dry run `Fine` if it would be.
    #[serde(deserialize_with = "recorded::or_default")]
    pub state: EditState,
    /// The commit that does it; none where the branch went back behind it.
    pub new: Option<CommitName>,
}

/// The lines of the commits, where no lines of edits have them.
pub fn undone(report: &Report) -> String {
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

/// A commit, and the one that does it again; without one, why there is none.
pub(super) fn became(from: &str, new: Option<&CommitName>, otherwise: &str) -> String {
    match new {
        Some(new) if new.short == from => format!("{YELLOW}{from}{YELLOW:#}"),
        Some(new) => format!("{from} -> {YELLOW}{}{YELLOW:#}", new.short),
        None if otherwise.is_empty() => from.to_owned(),
        None => format!("{from}  {DIM}{otherwise}{DIM:#}"),
    }
}
