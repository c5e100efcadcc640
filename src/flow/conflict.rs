//! The messages about conflicts between commits and a branch.

use crate::diag::{Code, Evidence, Nearest, Severity, listed};
use crate::plan;
use crate::report::Finding;
use crate::transaction::{Clash, ClashKind};
use crate::vcs::merge::Favor;

/// The largest number of lines that are quoted for a conflict.
const MAX_QUOTED_LINES: usize = 12;

/// The largest number of line ranges in the message about a conflict.
const MAX_NAMED_LINES: usize = 8;

/// Returns the code of a conflict, and the message about it. `on` names the branch where it conflicts, and `what` the
/// edit or the commit. With `favor`, `-X` resolved the conflict. Returns `None` if the commit only depends on another
/// commit that clashes.
pub(super) fn explain(
    clash: &Clash,
    [branch, on, what]: [&str; 3],
    favor: Option<Favor>,
) -> Option<(Code, String)> {
    let (path, mut code) = (&clash.path, Code::Conflict);
    let message = match &clash.kind {
        ClashKind::Lines(lines) => {
            let mut message = format!("conflict in `{path}`: {on} and {what} change the same lines");
            if !lines.is_empty() {
                message = format!("{message}, at {}", listed(lines, MAX_NAMED_LINES));
            }
            message
        }
        ClashKind::Gone => format!("`{path}` was removed or moved away on {on}"),
        ClashKind::Appeared { .. } => format!("`{path}` appeared on {on}"),
        ClashKind::Directory => format!("`{path}` is a directory on {on}"),
        ClashKind::Replaced(node) => format!("`{path}` is a {} on {on}", plan::named(*node)),
        ClashKind::Changed => format!("`{path}` would be removed, but was changed on {on}"),
        ClashKind::BuildsOn(_) => return None,
        ClashKind::CaseTwin(twin) => {
            code = Code::PathCase;
            format!("`{path}` differs only in case or Unicode form from `{twin}`, which is on {on}")
        }
        ClashKind::Unnameable => {
            format!("`{path}`, the file's name on {on}, is not supported")
        }
        ClashKind::Other => format!("`{path}` conflicts with its state on {on}"),
    };
    let whose = match favor {
        None => String::new(),
        Some(Favor::Ours) => format!("; -X ours keeps the lines of {branch}"),
        Some(Favor::Theirs) => "; -X theirs takes the other side's lines".to_owned(),
    };
    Some((code, message + &whose))
}

/// Returns the hint if `-X` can resolve the conflict.
pub(super) fn help(clash: &Clash) -> Option<&'static str> {
    matches!(clash.kind, ClashKind::Lines(_) | ClashKind::Appeared { on_both: true })
        .then_some("-X ours keeps the branch's lines, -X theirs takes the other side's")
}

/// Returns the branch's first conflicting lines as evidence.
pub(super) fn evidence(clash: &Clash) -> Evidence {
    let (ClashKind::Lines(all), Some(text)) = (&clash.kind, &clash.text) else { return Evidence::default() };
    let Some(lines) = all.first() else { return Evidence::default() };
    let last = lines.last.min(lines.first + MAX_QUOTED_LINES - 1).min(text.line_count());
    let shown = text.lines(lines.first - 1..last).map(|line| String::from_utf8_lossy(line.text).into_owned());
    let nearest = Nearest { line: lines.first, lines: shown.collect(), ..Nearest::default() };
    Evidence { nearest: Some(nearest), ..Evidence::default() }
}

/// Returns the error about a conflict of an existing commit. With `favor`, `-X` resolved it and it is a warning.
pub(super) fn finding(clash: &Clash, branch: &str, what: &str, favor: Option<Favor>) -> Finding {
    let explained = explain(clash, [branch, branch, "the commit"], favor);
    let (code, message) = explained.unwrap_or_else(|| (Code::Conflict, format!("`{}`", clash.path)));
    let severity = if favor.is_some() { Severity::Warning } else { Severity::Error };
    Finding {
        path: Some(clash.path.clone()),
        help: help(clash).filter(|_| favor.is_none()).map(str::to_owned),
        evidence: Some(Box::new(evidence(clash))).filter(|_| favor.is_none()),
        ..Finding::new(code, severity, format!("{what}: {message}"))
    }
}
