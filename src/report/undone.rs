//! What became of the commits of a landing that was taken back or put back; for people a line each.

use super::escape::escape;
use super::human::{DIM, GREEN, YELLOW, shorten};
use super::record::RecordKind;
use super::recorded;
use super::{CommitName, EditState, Report};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

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
    let mut out = String::new();
    for one in report.undone_commits.iter().filter(|_| report.edits.is_empty()) {
        let (from, subject) = (&one.commit.short, escape(&shorten(&one.subject, 72)));
        let new = one.new.as_ref().map(|new| &new.short);
        let _ = match (one.state, new) {
            (EditState::TakenBack, Some(new)) => {
                writeln!(out, "{from}  {DIM}taken back{DIM:#} by {YELLOW}{new}{YELLOW:#}  {subject}")
            }
            (EditState::Fine, _) => writeln!(out, "{from}  {GREEN}ok{GREEN:#}  {subject}"),
            (EditState::TakenBack, None) => writeln!(out, "{from}  {DIM}taken back{DIM:#}  {subject}"),
            (_, Some(new)) if new == from => writeln!(out, "{YELLOW}{from}{YELLOW:#}  {subject}"),
            (_, Some(new)) => writeln!(out, "{from} -> {YELLOW}{new}{YELLOW:#}  {subject}"),
            (_, None) => writeln!(out, "{from}  {DIM}changes nothing{DIM:#}  {subject}"),
        };
    }
    out
}
