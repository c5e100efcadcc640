//! The commits of accepted branches, and how they are printed.

use super::escape::escape;
use super::human::DIM;
use super::undone::became;
use super::{CommitName, Report};
use crate::diag::shorten;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A branch that was accepted or should have been.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AcceptedReport {
    /// Its name, as given.
    pub branch: String,
    /// The commits that the receiving branch lacked, the oldest first.
    pub commits: Vec<AcceptedCommit>,
}

/// A commit of an accepted branch.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AcceptedCommit {
    /// The commit.
    pub from: CommitName,
    /// Its subject.
    pub subject: String,
    /// Whether it lands unchanged, by a fast-forward.
    pub as_is: bool,
    /// Whether the receiving branch already has its changes.
    #[serde(skip)]
    pub is_in: bool,
    /// Whether it changes nothing because `-X ours` kept the receiving branch's lines.
    #[serde(skip)]
    pub is_lost: bool,
    /// The new commit on the receiving branch; `None` if that branch had its changes, or if nothing landed.
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
