//! Finds new syntax errors in the files that a plan changes. It runs once, after all edits.

use super::grouping::net_changes;
use super::{FileState, Run, Step, SyntaxCheck, TreeError};
use crate::diag::{Code, Diagnostic};
use crate::edit::Script;
use crate::syntax;

/// Returns the diagnostics about files that have more syntax errors than before.
pub(super) fn worse(run: &Run<'_>, script: &Script) -> Result<Vec<Diagnostic>, TreeError> {
    let Run { steps, overlay, .. } = run;
    let syntax_check = overlay.base.rules.syntax;
    if syntax_check == SyntaxCheck::Off {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for (path, (before, after, edit)) in net_changes(steps.iter()) {
        let Some(after) = after.filter(|_| syntax::knows(path.as_str())) else { continue };
        let text = |state: &FileState| -> Result<String, TreeError> {
            Ok(String::from_utf8_lossy(&overlay.text(&state.body)?.to_bytes()).into_owned())
        };
        let before = before.map_or_else(|| Ok(String::new()), text)?;
        let Some(line) = syntax::worse(path.as_str(), &before, &text(after)?) else { continue };
        let message = format!("`{path}` would have a syntax error in line {}", line + 1);
        let (new, edits): (fn(_, _, _) -> _, _) = match syntax_check {
            // Any edit of the file may be the cause.
            SyntaxCheck::Refuse => (Diagnostic::error, edits_of(steps, path.to_string())),
            _ => (Diagnostic::warning, vec![edit]),
        };
        for edit in edits {
            let Some(span) = script.edits.get(edit.wrapping_sub(1)).map(|edit| edit.span) else { continue };
            found.push(new(Code::Syntax, span, message.clone()).for_edit(edit, path.to_string()));
        }
    }
    Ok(found)
}

/// Returns the edits that change a file, including those that change it at an earlier path.
fn edits_of(steps: &[Step], path: String) -> Vec<usize> {
    let (mut names, mut edits) = (vec![path], Vec::new());
    for step in steps.iter().rev() {
        if step.changes.iter().any(|change| names.iter().any(|name| name == change.path.as_str())) {
            edits.push(step.edit);
            let from = |name: &String| {
                let rest = name.strip_prefix(step.to.as_ref()?.as_str())?;
                let is_it = rest.is_empty() || rest.starts_with('/');
                is_it.then(|| format!("{}{rest}", step.path))
            };
            let earlier: Vec<String> =
                names.iter().filter_map(from).filter(|name| !names.contains(name)).collect();
            names.extend(earlier);
        }
    }
    edits
}
