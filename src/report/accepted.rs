//! The commits of accepted branches, and their lines for people.

use super::escape::escape;
use super::human::DIM;
use super::undone::became;
use super::{CommitName, Report};
use crate::diag::shorten;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A branch that was accepted, or was to be.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AcceptedReport {
    /// Its name, as given.
    pub branch: String,
    /// The commits that the other branch lacked, the oldest first.
    pub commits: Vec<AcceptedCommit>,
}

/// One of its commits.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AcceptedCommit {
    /// The commit.
    pub from: CommitName,
    /// Its subject.
    pub subject: String,
    /// Whether it can be fast-forwarded.
    pub as_is: bool,
    /// Whether the other branch has its changes already.
    #[serde(skip)]
    pub is_in: bool,
    /// Whether it changes nothing, because the other branch's side was favoured.
    #[serde(skip)]
    pub is_lost: bool,
    /// The new commit on the other branch; `None` if that had its changes, or nothing landed.
    pub new: Option<CommitName>,
}

/// Renders a line per commit.
pub(super) fn accepted(report: &Report) -> String {
    let mut out = String::new();
    for one in &report.accepted {
        let branch = escape(&one.branch);
        if one.commits.is_empty() {
            let _ = writeln!(out, "{branch}  {DIM}already merged{DIM:#}");
        }
        for commit in &one.commits {
            let otherwise = match (commit.is_lost, commit.is_in) {
                (true, _) => "changes nothing",
                (false, true) => "already merged",
                (false, false) => "",
            };
            let commits = became(&commit.from.short, commit.new.as_ref(), otherwise);
            let _ = writeln!(out, "{branch}  {commits}  {}", escape(&shorten(&commit.subject, 72)));
        }
    }
    out
}
