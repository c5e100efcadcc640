//! Suggestions that are open, and branches that are gone; for people a line each.

use super::escape::{escape, shell_word, tabbed};
use super::human::{DIM, GREEN, RED, YELLOW, shorten};
use super::{CommitName, Report, Status};
use crate::diag::counted;
use crate::names::named;
use serde::Serialize;
use std::fmt::Write;

/// A suggestion that the present branch lacks.
#[derive(Debug, Clone, Serialize)]
pub struct OpenReport {
    /// Its branch.
    pub branch: String,
    /// Where that is.
    pub tip: CommitName,
    /// The landing that made it.
    pub landing: String,
    /// How many commits it has that the present branch lacks.
    pub commits: usize,
    /// How many commits the present branch has that it lacks.
    pub moved: usize,
    /// Whether it goes onto the present branch.
    pub onto: Onto,
    /// The files in conflict.
    pub conflicts: Vec<String>,
    /// The subject of its last commit.
    pub subject: String,
}

named! {
    /// Whether a suggestion goes onto a branch.
    Onto {
        /// It begins at its tip.
        AsItIs = "as-it-is",
        /// By a three-way merge of each commit.
        Merges = "merges",
        /// The branch has all of its changes.
        InAlready = "in-already",
        /// Some files are in conflict.
        Conflicts = "conflicts",
    }
}

/// A branch that is gone.
#[derive(Debug, Clone, Serialize)]
pub struct DroppedReport {
    /// Its name.
    pub branch: String,
    /// Where it was.
    pub tip: CommitName,
    /// The remote that has it, or had it, if it goes there, too.
    pub remote: Option<String>,
}

/// The lines of the suggestions that are open.
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
                let paths: Vec<_> = one.conflicts.iter().take(3).map(|path| escape(path)).collect();
                write!(out, "{RED}conflicts{RED:#} in {}", paths.join(", "))
            }
        };
        if one.conflicts.len() > 3 {
            let _ = write!(out, " and {} more", one.conflicts.len() - 3);
        }
        if one.moved > 0 {
            let _ = write!(out, ", {} since", counted(one.moved, "commit"));
        }
        let _ = writeln!(out, "  {}", escape(&shorten(&one.subject, 60)));
    }
    out
}

/// Likewise for programs: branch, tip, landing, commits, commits of the base since, whether it goes onto it, and the files in
/// conflict, with tabs between.
pub fn open_porcelain(report: &Report) -> String {
    let mut out = String::new();
    for one in &report.open {
        let (commits, moved) = (one.commits.to_string(), one.moved.to_string());
        let fields = [&one.branch, &one.tip.id, &one.landing, &commits, &moved, one.onto.as_str()];
        out += &tabbed(&fields, &one.conflicts);
    }
    out
}

/// The lines of branches that are gone, each with the way back; of those that would go in a dry run.
pub fn dropped(report: &Report) -> String {
    let mut out = String::new();
    for one in &report.dropped {
        let (branch, tip) = (escape(&one.branch), &one.tip.short);
        let here = one.remote.as_ref().map(|remote| format!(" here and on {}", escape(remote)));
        let here = here.unwrap_or_default();
        let _ = match report.status {
            Status::Dropped => writeln!(
                out,
                "dropped {branch}{here}, which was at {YELLOW}{tip}{YELLOW:#}; take it back: git branch {} {tip}",
                shell_word(&one.branch)
            ),
            Status::Checked => {
                writeln!(out, "would drop {branch}{here}, which is at {YELLOW}{tip}{YELLOW:#}")
            }
            _ => Ok(()),
        };
    }
    out
}
