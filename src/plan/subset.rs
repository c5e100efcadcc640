//! Finds edits that depend on edits which are left out.
//!
//! Without the edits before it, an edit may match another place. So its result is compared with its result in the whole
//! response, and both have to be equal.

use super::dependence::depends_on_left_out;
use super::overlay::{Base, Overlay};
use super::{Aim, FileChange, FileState, Node, Outcome, Run, Step, TreeError, unnamed};
use crate::diag::{Code, Diagnostic};
use crate::edit::Script;
use crate::path::RepoPath;
use crate::text::Content;
use crate::version;
use std::collections::{BTreeSet, HashMap};

/// Returns the diagnostics of edits that depend on edits which the script leaves out. An edit that is refused in the
/// whole response cannot be compared, and is accepted as it is.
pub(super) fn findings(script: &Script, part: &Run<'_>) -> Result<Vec<Diagnostic>, TreeError> {
    if script.left_out.is_empty() || part.steps.is_empty() {
        return Ok(Vec::new());
    }
    FullRun::of(script, part.overlay.base)?.differing(script, part, |edit| script.is_left_out(edit - 1))
}

/// The result of all edits of a script together, including those that it leaves out.
pub(super) struct FullRun<'t> {
    pub(super) run: Run<'t>,
    /// The numbers of the edits that touch each path, in order.
    edits_of_path: HashMap<RepoPath, Vec<usize>>,
}

impl<'t> FullRun<'t> {
    pub(super) fn of(script: &Script, base: &'t Base<'t>) -> Result<Self, TreeError> {
        let whole = Script { left_out: BTreeSet::new(), ..script.clone() };
        let (whole, refused) = unnamed::settle(&whole, base)?;
        let run = Run::of(&whole, base, &refused, Aim::Steps)?;
        let mut edits_of_path: HashMap<RepoPath, Vec<usize>> = HashMap::new();
        for step in &run.steps {
            for path in paths(step) {
                edits_of_path.entry(path.clone()).or_default().push(step.edit);
            }
        }
        Ok(Self { run, edits_of_path })
    }

    /// Returns the diagnostics of edits whose result in `part` of the script differs. `is_left_out` says whether an
    /// edit is not in that part.
    pub(super) fn differing(
        &self,
        script: &Script,
        part: &Run<'_>,
        is_left_out: impl Fn(usize) -> bool,
    ) -> Result<Vec<Diagnostic>, TreeError> {
        let mut findings = Vec::new();
        for step in part.steps.iter().filter(|step| step.outcome == Outcome::Changes) {
            let other = self.run.steps.binary_search_by_key(&step.edit, |step| step.edit);
            let (Ok(other), Some(edit)) = (other, script.edits.get(step.edit - 1)) else { continue };
            let other = &self.run.steps[other];
            if is_same(step, &part.overlay, other, &self.run.overlay)? {
                continue;
            }
            let touching = paths(step).chain(paths(other)).filter_map(|path| self.edits_of_path.get(path));
            let builds_on = touching.filter_map(|edits| {
                let earlier = edits.partition_point(|edit| *edit < step.edit);
                edits[..earlier].iter().rfind(|edit| is_left_out(**edit))
            });
            let message = builds_on.max().map_or_else(
                || "depends on edits that were left out".to_owned(),
                |earlier| depends_on_left_out(*earlier),
            );
            let finding =
                Diagnostic::error(Code::LeftOut, edit.span, message).with_help("take both, or neither");
            findings.push(finding.for_edit(step.edit, edit.path.shown()));
        }
        Ok(findings)
    }
}

/// Returns the paths that a step touches.
fn paths(step: &Step) -> impl Iterator<Item = &RepoPath> {
    let changed = step.changes.iter().map(|change| &change.path);
    changed.chain([&step.path]).chain(&step.to)
}

/// Returns whether an edit has the same result in two runs.
fn is_same(
    one: &Step,
    overlay: &Overlay<'_>,
    other: &Step,
    other_overlay: &Overlay<'_>,
) -> Result<bool, TreeError> {
    let lines = |step: &Step| step.matched.iter().map(|one| one.base_line).collect::<Vec<_>>();
    if one.changes.len() != other.changes.len() || one.outcome != other.outcome || lines(one) != lines(other)
    {
        return Ok(false);
    }
    for (change, counterpart) in one.changes.iter().zip(&other.changes) {
        if change.path != counterpart.path {
            return Ok(false);
        }
        let nodes = |change: &FileChange| {
            [&change.before, &change.after].map(|state| state.as_ref().map(|state| state.node))
        };
        if nodes(change) != nodes(counterpart) {
            return Ok(false);
        }
        let text = |overlay: &Overlay<'_>, step, change, after| -> Result<Option<Content>, TreeError> {
            let state = state(step, change, after).filter(|state| matches!(state.node, Node::File { .. }));
            state.map(|state| overlay.text(&state.body)).transpose()
        };
        let after = [text(overlay, one, change, true)?, text(other_overlay, other, counterpart, true)?];
        let [Some(after), Some(other_after)] = after else { continue };
        let nothing = || Content::new(b"");
        let before = text(overlay, one, change, false)?.unwrap_or_else(nothing);
        let other_before = text(other_overlay, other, counterpart, false)?.unwrap_or_else(nothing);
        if after != other_after && !version::is_same_change([&before, &after], [&other_before, &other_after])
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the file before or after a step; for the destination of a move, the source is the file before.
fn state<'s>(step: &'s Step, change: &'s FileChange, after: bool) -> Option<&'s FileState> {
    let from = || step.changes.iter().find(|from| from.path == step.path && from.after.is_none());
    match after {
        true => change.after.as_ref(),
        false => change.before.as_ref().or_else(|| from()?.before.as_ref()),
    }
}
