//! Remembers recorded calls and which of them failed.

use crate::diag::{Code, Diagnostic, counted};
use crate::edit::{Edit, Script};
use crate::span::Span;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The recorded calls that were read so far.
#[derive(Debug, Default)]
pub(in crate::format) struct Calls {
    /// The ids and spans of calls with edits, in order.
    pub(super) with_edits: Vec<(String, Span)>,
    /// The ids of calls whose result is an error.
    pub(super) failed: HashSet<String>,
    /// By tool, how many calls without an id there are, and how many of them have a result.
    counts: HashMap<String, [usize; 2]>,
    /// The lines below the last call whose JSON was searched and has no calls.
    pub(super) searched: Range<usize>,
}

impl Calls {
    /// Returns an id for a call without one. Its result names only the tool.
    pub(super) fn asked(&mut self, tool: &str) -> String {
        let [calls, _] = self.counts.entry(tool.to_owned()).or_default();
        *calls += 1;
        tool.to_owned() + &calls.to_string()
    }

    /// Returns the id of the first call of a tool that has no id and no result so far.
    pub(super) fn answered(&mut self, tool: &str) -> Option<String> {
        let [_, results] = self.counts.get_mut(tool).filter(|[calls, results]| results < calls)?;
        *results += 1;
        Some(tool.to_owned() + &results.to_string())
    }

    /// At the end of the response, removes the edits of calls that failed, and warns about them.
    pub(in crate::format) fn finish(&mut self, script: &mut Script) {
        let failed = self.with_edits.iter().filter(|(id, _)| self.failed.contains(id));
        let failed: Vec<Span> = failed.map(|(_, span)| *span).collect();
        let is_of_failed = |span: Span| {
            let before = failed.partition_point(|call| call.start <= span.start).checked_sub(1);
            before.and_then(|at| failed.get(at)).is_some_and(|call| span.end <= call.end)
        };
        self.drop_copies(script);
        let edits = script.edits.len();
        script.edits.retain(|edit| !is_of_failed(edit.span));
        script.diagnostics.retain(|fault| fault.span().is_none_or(|span| !is_of_failed(span)));
        if let (Some(first), true) = (failed.first(), script.edits.len() < edits) {
            let message =
                format!("{} skipped: the recorded call failed", counted(edits - script.edits.len(), "edit"));
            let others = failed.iter().skip(1).take(3).copied();
            script
                .diagnostics
                .push(Diagnostic::warning(Code::FailedCall, *first, message).with_labels(others));
        }
    }

    /// Removes the edits of a call that a log contains twice: another call before it has the same id and the same
    /// edits.
    fn drop_copies(&self, script: &mut Script) {
        let mut first: HashMap<&str, &[Edit]> = HashMap::new();
        let mut copies: HashSet<Span> = HashSet::new();
        for (id, call) in &self.with_edits {
            let start = script.edits.partition_point(|edit| edit.span.start < call.start);
            let end = script.edits.partition_point(|edit| edit.span.start < call.end);
            let edits = script.edits.get(start..end).filter(|edits| !edits.is_empty());
            let Some(edits) = edits else { continue };
            let known = *first.entry(id).or_insert(edits);
            let are_same =
                known.len() == edits.len() && known.iter().zip(edits).all(|(a, b)| a.says_the_same(b));
            if are_same && known[0].span != edits[0].span {
                copies.extend(edits.iter().map(|edit| edit.span));
            }
        }
        script.edits.retain(|edit| !copies.contains(&edit.span));
    }
}
