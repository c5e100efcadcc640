//! Resolves every edit of a script alone, as if the others were left out. One call does this for all edits, because
//! each is compared with the result of all edits together, which is computed only once.

use super::dependence::{Unapplied, depends_on_left_out};
use super::overlay::{Base, Overlay};
use super::subset::FullRun;
use super::{Aim, Plan, Rejected, Rules, Run, TreeError, TreeView, canonical_paths, given, unnamed};
use crate::diag::Diagnostic;
use crate::edit::{Script, Unnamed};
use crate::span::Span;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Resolves each edit that the script does not leave out, as if it were the only one. Calls `report` with its index and
/// the result, until that breaks. An edit that depends on another one, or would do something else alone, is refused.
///
/// # Errors
/// When the tree cannot be read.
pub fn resolve_each(
    script: &Script,
    tree: &dyn TreeView,
    rules: &Rules,
    mut report: impl FnMut(usize, Result<Plan, Rejected>) -> ControlFlow<()>,
) -> Result<(), TreeError> {
    let base = &Base::new(tree, rules);
    let paths = canonical_paths(script, &Overlay::new(base))?;
    let full = FullRun::of(script, base)?;
    let mut own = own_diagnostics(script, given::findings(script, &full.run)?);
    let mut unnamed: HashMap<Span, Vec<Unnamed>> = HashMap::new();
    for one in &script.unnamed {
        unnamed.entry(one.edit).or_default().push(one.clone());
    }
    let mut unapplied = Unapplied::default();
    for (at, (edit, path)) in script.edits.iter().zip(&paths).enumerate() {
        if !script.is_left_out(at) {
            let alone = Script {
                edits: vec![edit.clone()],
                diagnostics: own.remove(&at).unwrap_or_default(),
                unnamed: unnamed.remove(&edit.span).unwrap_or_default(),
                ..Script::default()
            };
            let resolved = resolve_one(&alone, at, (script, path), base, &full, &unapplied)?;
            if report(at, resolved).is_break() {
                return Ok(());
            }
        }
        unapplied.add(at + 1, edit, path);
    }
    Ok(())
}

/// Groups the diagnostics of the parser, and `more`, by the index of the edit that contains them. The others go to the
/// first edit.
fn own_diagnostics(script: &Script, more: Vec<Diagnostic>) -> HashMap<usize, Vec<Diagnostic>> {
    let mut own: HashMap<usize, Vec<Diagnostic>> = HashMap::new();
    let first = (0..script.edits.len()).find(|at| !script.is_left_out(*at)).unwrap_or(0);
    for diagnostic in script.diagnostics.iter().chain(&more) {
        // Edits are in the order of the response.
        let index = diagnostic.span().and_then(|span| {
            let at = script.edits.partition_point(|edit| edit.span.start <= span.start).checked_sub(1)?;
            script.edits.get(at)?.span.holds(span).then_some(at)
        });
        own.entry(index.unwrap_or(first)).or_default().push(diagnostic.clone());
    }
    own
}

/// Resolves a script of one edit, which has the index `at` in the whole script.
fn resolve_one(
    alone: &Script,
    at: usize,
    (script, path): (&Script, &str),
    base: &Base<'_>,
    full: &FullRun<'_>,
    unapplied: &Unapplied<'_>,
) -> Result<Result<Plan, Rejected>, TreeError> {
    let number = at + 1;
    let (settled, refused) = unnamed::settle(alone, base)?;
    let mut run = Run::of(&settled, base, &refused, Aim::Refusals)?;
    for step in &mut run.steps {
        step.edit = number;
    }
    for diagnostic in &mut run.findings {
        diagnostic.edit = Some(number);
        if let Some(edit) = settled.edits.first()
            && let Some(earlier) = unapplied.needed_by(edit, path, diagnostic)
        {
            diagnostic.help = Some(depends_on_left_out(earlier));
        }
    }
    run.findings.extend(full.differing(script, &run, |edit| edit != number)?);
    run.into_plan(script, settled.diagnostics.clone())
}
