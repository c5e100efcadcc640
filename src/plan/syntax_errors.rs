//! Finds syntax errors in the files that a plan changes, once, at the end.

use super::grouping::net_changes;
use super::overlay::Overlay;
use super::{FileState, Rules, Step, SyntaxCheck, TreeError};
use crate::diag::{Code, Diagnostic};
use crate::edit::Script;
use crate::syntax;

/// The files that have more syntax errors than before.
pub(super) fn worse(
    steps: &[Step],
    script: &Script,
    overlay: &Overlay<'_>,
    rules: &Rules,
) -> Result<Vec<Diagnostic>, TreeError> {
    if rules.syntax == SyntaxCheck::Off {
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
        let Some(span) = script.edits.get(edit.wrapping_sub(1)).map(|edit| edit.span) else { continue };
        let message = format!("`{path}` would have a syntax error in line {}", line + 1);
        let one = match rules.syntax {
            SyntaxCheck::Refuse => Diagnostic::error(Code::Syntax, span, message),
            _ => Diagnostic::warning(Code::Syntax, span, message),
        };
        found.push(one.for_edit(edit, path.to_string()));
    }
    Ok(found)
}
