//! Finds syntax errors in the files that a plan changes, once, at the end.

use super::overlay::Overlay;
use super::{FileState, Rules, Step, SyntaxCheck, TreeError};
use crate::diag::{Code, Diagnostic};
use crate::edit::Script;
use crate::path::RepoPath;
use crate::syntax;
use std::collections::BTreeMap;

/// The state of a file before all steps and after them, and the last edit that changed it.
type NetChange<'a> = (Option<&'a FileState>, Option<&'a FileState>, usize);

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
    let mut files: BTreeMap<&RepoPath, NetChange<'_>> = BTreeMap::new();
    for step in steps {
        for change in step.changes.iter().filter(|change| syntax::knows(change.path.as_str())) {
            let new = (change.before.as_ref(), change.after.as_ref(), step.edit);
            let first = files.get(&change.path).map_or(new.0, |(first, ..)| *first);
            files.insert(&change.path, (first, new.1, new.2));
        }
    }
    let mut found = Vec::new();
    for (path, (before, after, edit)) in files {
        let Some(after) = after else { continue };
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
