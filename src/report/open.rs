//! Renders open suggestions and deleted branches, a line each.

use super::escape::{escape, shell_word, tabbed};
use super::human::{DIM, GREEN, RED, YELLOW};
use super::{CommitName, Report, Status};
use crate::diag::{counted, listed, shorten};
use crate::names::named;
use serde::Serialize;
use std::fmt::Write;

/// A suggestion that is not merged into the current branch.
#[derive(Debug, Clone, Serialize)]
pub struct OpenReport {
    /// Its branch.
    pub branch: String,
    /// The tip of the branch.
    pub tip: CommitName,
    /// The id of the landing that made it.
    pub landing: String,
    /// How many of the suggestion's commits the current branch lacks.
    pub commits: usize,
    /// How many commits of the current branch the suggestion lacks.
    pub moved: usize,
    /// Whether it can be accepted onto the current branch.
    pub onto: Onto,
    /// The files in conflict.
    pub conflicts: Vec<String>,
    /// The subject of its last commit.
    pub subject: String,
}

named! {
    /// Whether a suggestion can be accepted onto a branch.
    Onto {
        /// By a fast-forward.
        AsItIs = "as-it-is",
        /// By a three-way merge of each commit.
        Merges = "merges",
        /// The branch already has all of its changes.
        InAlready = "in-already",
        /// Not without conflicts.
        Conflicts = "conflicts",
    }
}

/// A deleted branch.
#[derive(Debug, Clone, Serialize)]
pub struct DroppedReport {
    /// Its name.
    pub branch: String,
    /// The tip that it had.
    pub tip: CommitName,
    /// The remote on which it was deleted, too.
    pub remote: Option<String>,
}

/// Renders a line per open suggestion.
pub fn open(report: &Report) -> String {
    let mut out = String::new();
    let width = report.open.iter().map(|one| escape(&one.branch).chars().count()).max().unwrap_or(0);
    for one in &report.open {
        let (branch, tip) = (escape(&one.branch), &one.tip.short);
        let _ = write!(out, "{branch:<width$}  {YELLOW}{tip}{YELLOW:#}  ");
        let _ = match one.onto {
            Onto::AsItIs => write!(out, "{GREEN}applies cleanly{GREEN:#}"),
            Onto::Merges => write!(out, "{GREEN}merges{GREEN:#}"),
            Onto::InAlready => write!(out, "{DIM}already merged{DIM:#}"),
            Onto::Conflicts => {
                let paths = listed(one.conflicts.iter().map(|path| escape(path)), 3);
                write!(out, "{RED}conflicts{RED:#} in {paths}")
            }
        };
        if one.moved > 0 {
            let _ = write!(out, ", {} since", counted(one.moved, "commit"));
        }
        let _ = writeln!(out, "  {}", escape(&shorten(&one.subject, 60)));
    }
    out
}

/// Renders the suggestions for programs: branch, tip, landing, commits, commits of the current branch since, state, and
/// the files in conflict, separated by tabs.
pub fn open_porcelain(report: &Report) -> String {
    let mut out = String::new();
    for one in &report.open {
        let (commits, moved) = (one.commits.to_string(), one.moved.to_string());
        let fields = [&one.branch, &one.tip.id, &one.landing, &commits, &moved, one.onto.as_str()];
        out += &tabbed(&fields, &one.conflicts);
    }
    out
}

/// Renders a line per deleted branch, with the command that restores it; in a dry run, a line per branch that would be
/// deleted.
pub(super) fn dropped(report: &Report) -> String {
    let mut out = String::new();
    for one in &report.dropped {
        let (branch, tip) = (escape(&one.branch), &one.tip.short);
        let here = one.remote.as_ref().map(|remote| format!(" here and on {}", escape(remote)));
        let here = here.unwrap_or_default();
        let _ = match report.status {
            Status::Dropped => writeln!(
                out,
                "dropped {branch}{here}, at {YELLOW}{tip}{YELLOW:#}; take it back: git branch {} {tip}",
                shell_word(&one.branch)
            ),
            Status::Checked => {
                writeln!(out, "would drop {branch}{here}, at {YELLOW}{tip}{YELLOW:#}")
            }
            _ => Ok(()),
        };
    }
    out
}
