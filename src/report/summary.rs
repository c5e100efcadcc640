//! Summarizes a response in a few lines: its paths, its warnings, and what has to pass.

use super::Report;
use super::escape::{cut, escape};
use crate::diag::{Code, listed};
use serde::Serialize;
use std::collections::HashSet;
use std::fmt::Write;

/// How many paths are named without `-v`; the others are counted.
const SHOWN: usize = 12;

/// The paths that the edits name, including destinations, each once and in the order of the response; then the paths of
/// the parts that could not be read. A refused edit has no resolved path, so its path is as in the response.
pub(super) fn paths(report: &Report) -> Vec<&str> {
    if report.undone.is_some() || !report.accepted.is_empty() {
        return report.files.iter().map(String::as_str).collect();
    }
    let mut seen = HashSet::new();
    let both = report.edits.iter().flat_map(|edit| std::iter::once(&edit.path).chain(&edit.to));
    let unread = report.unread.iter().filter_map(|unread| unread.path.as_ref());
    both.chain(unread).map(String::as_str).filter(|path| seen.insert(*path)).collect()
}

/// The warnings of one code.
#[derive(Serialize)]
pub(super) struct Warnings {
    code: Code,
    count: usize,
}

/// The warnings by code, in the order of their first occurrence.
pub(super) fn warnings(report: &Report) -> Vec<Warnings> {
    let mut all: Vec<Warnings> = Vec::new();
    for finding in report.findings.iter().filter(|finding| !finding.is_error()) {
        match all.iter_mut().find(|known| known.code == finding.code) {
            Some(known) => known.count += 1,
            None => all.push(Warnings { code: finding.code, count: 1 }),
        }
    }
    all
}

/// Renders a line that lists the paths, with `verbose` all of them. In a dry run there are two more lines: the
/// warnings, and what still has to pass.
pub fn summary(report: &Report, verbose: bool) -> String {
    let mut out = String::new();
    let paths = paths(report);
    if !paths.is_empty() {
        let most = if verbose { paths.len() } else { SHOWN };
        let named = listed(paths.iter().map(|path| escape(&cut(path))), most);
        let _ = writeln!(out, "paths ({}): {named}", paths.len());
    }
    if !report.dry_run {
        return out;
    }
    let warnings = warnings(report);
    if !warnings.is_empty() {
        let all: usize = warnings.iter().map(|warning| warning.count).sum();
        let each = warnings.iter().map(|Warnings { code, count }| format!("{count} {}", code.as_str()));
        let each: Vec<_> = each.collect();
        let _ = writeln!(out, "warnings ({all}): {}", each.join(", "));
    }
    let to_pass = report.to_pass.iter().map(|one| match one.kind {
        "hook" => format!("the {} hook", one.name),
        "exec" => format!("'{}'", escape(&one.name)),
        _ => "signing".to_owned(),
    });
    let to_pass: Vec<_> = to_pass.collect();
    if !to_pass.is_empty() {
        let _ = writeln!(out, "not run yet, and must pass when it lands: {}", to_pass.join(", "));
    }
    out
}
