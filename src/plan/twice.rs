//! Twice is once: what a response did to a tree, it does not do to another place when it is run again.

use super::{Aim, Outcome, Rules, Run, TreeError};
use crate::diag::{Code, Diagnostic};
use crate::edit::{Edit, Op, Script};
use std::collections::BTreeMap;

/// What is wrong with a script that was resolved: the edits that would change their files once more if the script were run
/// on what it leaves. A second run that is refused changes nothing. Files that are created or replaced are what they are.
pub(super) fn findings(
    script: &Script,
    run: &Run<'_>,
    rules: &Rules,
) -> Result<Vec<(usize, Diagnostic)>, TreeError> {
    let edit = |number: usize| number.checked_sub(1).and_then(|edit| script.edits.get(edit));
    let hunks = |number: usize| edit(number).map_or(&[][..], Edit::hunks);
    let depends = |number: usize| {
        let op = edit(number).map(|edit| &edit.op);
        !hunks(number).is_empty() || matches!(op, Some(Op::Append { .. } | Op::Rename { .. }))
    };
    let changes = |step: &&super::Step| step.outcome == Outcome::Changes && depends(step.edit);
    if !run.steps.iter().any(|step| changes(&step)) {
        return Ok(Vec::new());
    }
    let again = Run::of(script, &run.overlay, rules, &BTreeMap::new(), Aim::Whether)?;
    let mut findings = Vec::new();
    if !again.findings.is_empty() {
        return Ok(findings);
    }
    for step in again.steps.iter().filter(changes) {
        let Some(change) = step.changes.last() else { continue };
        let (Some(before), Some(after)) =
            (run.overlay.file(&change.path)?, again.overlay.file(&change.path)?)
        else {
            continue;
        };
        // Edits may undo each other.
        if again.overlay.text(&after.body)? == run.overlay.text(&before.body)? {
            continue;
        }
        let Some(edit) = script.edits.get(step.edit - 1) else { continue };
        let line = step.matched.last().map_or(1, |found| found.line);
        let span = hunks(step.edit).last().map_or(edit.span, |hunk| hunk.span);
        let (message, help) = match hunks(step.edit) {
            [] => (
                format!("run again, the edit would change `{}` once more", change.path),
                "give the edits of this file in responses of their own, one after the other",
            ),
            _ => (
                format!("run again, the edit would change line {line} too, which is another place"),
                "give more lines around the text, lines that stay among them, so that it can mean no other place",
            ),
        };
        let finding = Diagnostic::error(Code::SearchAmbiguous, span, message)
            .with_help(help)
            .for_edit(step.edit, edit.path.shown());
        findings.push((step.edit, finding));
    }
    Ok(findings)
}
