//! The report as one JSON object; `man/report.schema.json` describes it and a test keeps the two together.

use super::escape::is_hidden;
use super::summary::{paths, warnings};
use super::{EditReport, Finding, Report};
use crate::diag::Severity;
use serde::Serialize;

/// The version of the object's shape. Within one version fields, and values of enumerations, may be added; none changes
/// or goes.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Object<'a> {
    schema_version: u32,
    status: &'static str,
    exit_code: u8,
    responses: &'a [String],
    branch: Option<Branch<'a>>,
    paths: Vec<&'a str>,
    edits: Vec<Edit<'a>>,
    warnings: Vec<Warnings>,
    diagnostics: Vec<Diagnostic<'a>>,
    obstacles: Vec<Obstacle<'a>>,
    recovered: Vec<Recovered<'a>>,
    error: Option<Error<'a>>,
    attempt: Option<&'a str>,
}

#[derive(Serialize)]
struct Branch<'a> {
    name: &'a str,
    r#ref: &'a str,
    old: Option<&'a str>,
    new: Option<&'a str>,
    checked_out: bool,
}

#[derive(Serialize)]
struct Edit<'a> {
    number: usize,
    operation: &'static str,
    path: &'a str,
    to: Option<&'a str>,
    why: Option<&'a str>,
    format: &'static str,
    response: &'a str,
    lines: Lines,
    matches: Vec<Match>,
    state: &'static str,
    commit: Option<&'a str>,
}

#[derive(Serialize)]
struct Lines {
    first: usize,
    last: usize,
}

#[derive(Serialize)]
struct Match {
    tier: &'static str,
    similarity: Option<u8>,
    line: usize,
}

#[derive(Serialize)]
struct Diagnostic<'a> {
    code: &'static str,
    severity: &'static str,
    message: &'a str,
    edit: Option<usize>,
    path: Option<&'a str>,
    response: Option<&'a str>,
    lines: Option<Lines>,
    help: Option<&'a str>,
    candidates: &'a [usize],
    context_lines: Option<usize>,
    nearest: Option<Nearest<'a>>,
}

#[derive(Serialize)]
struct Warnings {
    code: &'static str,
    count: usize,
}

#[derive(Serialize)]
struct Nearest<'a> {
    line: usize,
    similarity: u8,
    lines: &'a [String],
}

#[derive(Serialize)]
struct Obstacle<'a> {
    kind: &'static str,
    subject: &'a str,
    message: &'a str,
}

#[derive(Serialize)]
struct Recovered<'a> {
    id: &'a str,
    end: &'static str,
    left: &'a [String],
}

#[derive(Serialize)]
struct Error<'a> {
    message: &'a str,
    help: Option<&'a str>,
}

/// The object, on one line.
///
/// # Errors
/// None that a value of these types could cause.
pub fn json(report: &Report) -> Result<String, serde_json::Error> {
    let text = serde_json::to_string(&Object {
        schema_version: SCHEMA_VERSION,
        status: report.status.as_str(),
        exit_code: report.exit_code,
        responses: &report.responses,
        branch: report.branch.as_ref().map(|branch| Branch {
            name: &branch.name,
            r#ref: &branch.reference,
            old: branch.old.as_ref().map(|(id, _)| id.as_str()),
            new: branch.new.as_ref().map(|(id, _)| id.as_str()),
            checked_out: branch.checked_out,
        }),
        paths: paths(report),
        edits: report.edits.iter().map(edit).collect(),
        warnings: warnings(report).into_iter().map(|(code, count)| Warnings { code, count }).collect(),
        diagnostics: report.findings.iter().map(diagnostic).collect(),
        obstacles: report
            .obstacles
            .iter()
            .map(|(kind, subject, message)| Obstacle { kind, subject, message })
            .collect(),
        recovered: report.recovered.iter().map(|(id, end, left)| Recovered { id, end, left }).collect(),
        error: report.error.as_ref().map(|(message, help)| Error { message, help: help.as_deref() }),
        attempt: report.attempt.as_ref().map(|attempt| attempt.id.as_str()),
    })?;
    Ok(spell_out(text))
}

/// JSON leaves what hides or turns text as it is; a terminal would act on it, so it is spelled out too.
fn spell_out(text: String) -> String {
    if !text.contains(is_hidden) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            // Only ever inside a string.
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

fn edit(edit: &EditReport) -> Edit<'_> {
    let matches = edit.matched.iter().map(|found| Match {
        tier: found.tier.as_str(),
        similarity: found.similarity,
        line: found.line,
    });
    Edit {
        number: edit.number,
        operation: edit.operation,
        path: &edit.path,
        to: edit.to.as_deref(),
        why: edit.why.as_deref(),
        format: edit.format,
        response: &edit.response,
        lines: Lines { first: edit.lines.first, last: edit.lines.last },
        matches: matches.collect(),
        state: edit.state.as_str(),
        commit: edit.commit.as_ref().map(|(id, _)| id.as_str()),
    }
}

fn diagnostic(finding: &Finding) -> Diagnostic<'_> {
    let evidence = finding.evidence.as_ref();
    Diagnostic {
        code: finding.code.as_str(),
        severity: match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        message: &finding.message,
        edit: finding.edit,
        path: finding.path.as_deref(),
        response: finding.response.as_deref(),
        lines: finding.places.first().map(|(lines, _)| Lines { first: lines.first, last: lines.last }),
        help: finding.help.as_deref(),
        candidates: evidence.map_or(&[], |evidence| &evidence.candidates),
        context_lines: evidence.and_then(|evidence| evidence.context_lines),
        nearest: evidence.and_then(|evidence| evidence.nearest.as_ref()).map(|nearest| Nearest {
            line: nearest.line,
            similarity: nearest.similarity,
            lines: &nearest.lines,
        }),
    }
}
