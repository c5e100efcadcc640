//! The report as one JSON object. `man/report.schema.json` describes it, and a test compares the two.
//!
//! Most fields are serialized from the report's types. This module adds those that are computed.

use super::compared::Compared;
use super::escape::is_hidden;
use super::summary::{Warnings, paths, warnings};
use super::{Finding, ObstacleKind, Problem, Report};
use crate::diag::Evidence;
use crate::span::LineRange;
use serde::{Serialize, Serializer};

/// The version of the JSON schema. Within a version, fields and enumeration values may be added, but none is changed or
/// removed.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Object<'a> {
    schema_version: u32,
    #[serde(flatten)]
    report: &'a Report,
    paths: Vec<&'a str>,
    warnings: Vec<Warnings>,
    diagnostics: Vec<Diagnostic<'a>>,
    error: Option<Problem>,
    feedback: Option<String>,
    commits: Vec<&'a str>,
}

#[derive(Serialize)]
struct Diagnostic<'a> {
    #[serde(flatten)]
    finding: &'a Finding,
    lines: Option<LineRange>,
    #[serde(flatten)]
    evidence: Evidence,
    searched_to_end: bool,
    nearest: Option<Compared<'a>>,
}

/// Serializes the report on one line.
///
/// # Errors
/// None that values of these types could cause.
pub fn json(report: &Report) -> Result<String, serde_json::Error> {
    Ok(spell_out(serde_json::to_string(&object(report))?))
}

/// Serializes the report of a suggestion.
pub(super) fn of_suggestion<S: Serializer>(report: &Report, serializer: S) -> Result<S::Ok, S::Error> {
    object(report).serialize(serializer)
}

fn object(report: &Report) -> Object<'_> {
    Object {
        schema_version: SCHEMA_VERSION,
        report,
        paths: paths(report),
        warnings: warnings(report),
        diagnostics: report.findings.iter().map(diagnostic).collect(),
        error: report.error.clone().or_else(|| in_the_way(report)),
        feedback: super::feedback(report, super::Quoting::Exact, super::FEEDBACK_LIMIT),
        commits: report.commits(),
    }
}

fn diagnostic(finding: &Finding) -> Diagnostic<'_> {
    let evidence = finding.evidence.as_deref().cloned().unwrap_or_default();
    Diagnostic {
        finding,
        lines: finding.places.first().copied(),
        searched_to_end: !evidence.gave_up,
        evidence,
        nearest: Compared::of(finding),
    }
}

/// The first obstacle as an error. It is retryable only if it is a lock, which goes away by itself.
pub(crate) fn in_the_way(report: &Report) -> Option<Problem> {
    let obstacle = report.obstacles.first()?;
    let code = match obstacle.kind {
        kind @ (ObstacleKind::Locked
        | ObstacleKind::Operation
        | ObstacleKind::Exists
        | ObstacleKind::CheckedOut) => kind.as_str(),
        _ => "dirty",
    };
    let retryable = obstacle.kind == ObstacleKind::Locked;
    Some(Problem {
        help: Some(obstacle.help.clone()),
        retryable,
        ..Problem::new(code, obstacle.message.clone())
    })
}

/// Escapes characters that JSON allows but that hide or reorder text on a terminal.
fn spell_out(text: String) -> String {
    if !text.contains(is_hidden) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            // Hidden characters occur only inside of strings.
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}
