//! Compares suggestions in a table.

use super::escape::escape;
use super::human::{DIM, GREEN, RED, YELLOW};
use super::json;
use super::{EditReport, EditState, INTERRUPTED, Report, Status};
use serde::Serialize;
use std::fmt::Write;

/// One of several suggestions.
#[derive(Debug, Clone, Serialize)]
pub struct SuggestionReport {
    /// Its branch.
    pub branch: String,
    /// The size of its diff, if it landed.
    pub size: Option<Size>,
    /// Whether the commands of `--exec` passed, if they ran.
    pub checks: Option<bool>,
    /// Its own report, with the exit status that a run for it alone would have.
    #[serde(serialize_with = "json::of_suggestion")]
    pub report: Report,
}

impl SuggestionReport {
    /// Whether a signal ended the run before the branch of this suggestion was made.
    pub fn is_interrupted(&self) -> bool {
        self.report.error.as_ref().is_some_and(|error| error.code == INTERRUPTED)
    }
}

/// The size of a diff.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Changed files.
    pub files: usize,
    /// Added lines.
    pub added: usize,
    /// Removed lines.
    pub removed: usize,
}

/// Renders the table: branch, commit, edits, files, lines, and the result of `--exec`.
pub fn table(report: &Report) -> String {
    let all = &report.suggestions;
    let with_checks = all.iter().any(|one| one.checks.is_some());
    let rows: Vec<[String; 5]> = all.iter().map(row).collect();
    let titles = ["branch", "commit", "edits", "files", "lines"].map(str::to_owned);
    let width = |column: usize| {
        rows.iter().chain([&titles]).map(|row| row[column].chars().count()).max().unwrap_or(0)
    };
    let widths = [0, 1, 2, 3, 4].map(width);
    let mut out = String::new();
    let mut line = |row: &[String; 5], last: &str, style: anstyle::Style| {
        let [branch, commit, edits, files, lines] = row;
        let [a, b, c, d, e] = widths;
        let text = format!(
            "{branch:<a$}  {style}{commit:<b$}{style:#}  {edits:>c$}  {files:>d$}  {lines:>e$}  {last}"
        );
        let _ = writeln!(out, "{}", text.trim_end());
    };
    line(&titles, if with_checks { "checks" } else { "" }, anstyle::Style::new());
    for (one, row) in all.iter().zip(&rows) {
        line(row, &outcome(one, with_checks), YELLOW);
    }
    out
}

fn row(one: &SuggestionReport) -> [String; 5] {
    let new = one.report.branch.as_ref().and_then(|branch| branch.new.as_ref());
    let wanted = |edit: &&EditReport| edit.state != EditState::NotWanted;
    let edits = one.report.edits.iter().filter(wanted).count();
    let landed = one.report.edits.iter().filter(|edit| edit.state == EditState::Landed).count();
    let (files, lines) = match one.size {
        Some(size) => (size.files.to_string(), format!("+{} -{}", size.added, size.removed)),
        None => (String::new(), String::new()),
    };
    [
        escape(&one.branch),
        new.map(|new| new.short.clone()).unwrap_or_default(),
        if landed == edits || one.size.is_none() { edits.to_string() } else { format!("{landed}/{edits}") },
        files,
        lines,
    ]
}

fn outcome(one: &SuggestionReport, with_checks: bool) -> String {
    match (one.report.status, one.checks) {
        _ if one.is_interrupted() => format!("{RED}not made{RED:#}"),
        (_, Some(false)) => format!("{RED}failed{RED:#}"),
        (Status::Landed | Status::PartlyLanded, Some(true)) => format!("{GREEN}passed{GREEN:#}"),
        (Status::Landed | Status::PartlyLanded, None) if with_checks => format!("{DIM}not run{DIM:#}"),
        (Status::Landed | Status::PartlyLanded, _) => String::new(),
        (Status::Checked, _) => format!("{GREEN}ok{GREEN:#}"),
        (Status::Nothing, _) => format!("{DIM}already applied{DIM:#}"),
        (Status::Refused, _) => format!("{RED}refused{RED:#}"),
        (Status::NoEdits, _) => format!("{RED}no edits{RED:#}"),
        (Status::InTheWay, _) => format!("{RED}in the way{RED:#}"),
        _ => format!("{RED}failed{RED:#}"),
    }
}
