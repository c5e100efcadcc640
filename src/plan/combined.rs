//! Recognizes edits of one file that are already applied together. If one edit turns `a` into `b`, and the next turns
//! `b` into `c`, then a file with `c` has the common result, but not the result of the first edit.

use super::operations::limits;
use super::overlay::Base;
use super::whole::rewritten;
use super::{Aim, Body, FileState, Node, Outcome, Rules, Run, Step, TreeError};
use crate::diag::{Code, Diagnostic};
use crate::edit::{Edit, Hunk, Op, Script};
use crate::locate::{self, Context, HELP_CONTEXT, Note};
use crate::path::RepoPath;
use crate::text::Content;
use crate::text::search::Budget;
use crate::version::Version;
use std::collections::{BTreeMap, HashMap};

/// The limit for the hunks of one file that are judged together. The cost is quadratic.
const MAX_HUNKS: usize = 256;

/// Marks the edits of a file as already applied if they are so together. That is proven if all of them leave the file
/// as it was, if the file ends with all lines that they append, or if every run of hunks that touch each other is
/// already applied as one hunk. Without proof, edits that change something are refused if another edit of the file is
/// already applied.
///
/// `paths` are the canonical paths of all edits.
pub(super) fn mark_applied_together(
    script: &Script,
    paths: &[String],
    run: &mut Run<'_>,
) -> Result<(), TreeError> {
    let base = run.overlay.base;
    for (path, edits) in files_with_several_hunks(script, paths) {
        let Ok(path) = RepoPath::parse(path) else { continue };
        let is_of_file = |number: usize| edits.binary_search(&(number - 1)).is_ok();
        let all_apply = !run.findings.iter().any(|finding| finding.edit.is_some_and(is_of_file));
        let mut changing = run.steps.iter().filter(|step| step.outcome == Outcome::Changes);
        if all_apply && !changing.any(|step| is_of_file(step.edit)) {
            continue;
        }
        let Some(node @ Node::File { .. }) = base.node(&path)? else { continue };
        let before = FileState { node, body: Body::Base(path.clone()) };
        let content = run.overlay.text(&before.body)?;
        let after = run.overlay.file(&path)?.filter(|after| after.node == node);
        let is_as_before = after.map_or(Ok(false), |after| run.overlay.same(&after.body, &before.body))?;
        let is_applied = all_apply && (is_as_before || are_appended(script, &edits, base.rules, &content));
        let together =
            if is_applied { Together::Applied } else { together(script, &edits, base, (&path, &content))? };
        match together {
            Together::Applied => run.mark_applied(script, &edits, &path, &content),
            Together::Unclear if all_apply => run.refuse_repetitions(script, &edits),
            Together::Unclear | Together::Unapplied => {}
        }
    }
    Ok(())
}

/// Whether the edits of a file are already applied together.
#[derive(Clone, Copy)]
enum Together {
    /// They are.
    Applied,
    /// They may be: with their results reverted, they give the file again, but that does not prove it.
    Unclear,
    /// They are not.
    Unapplied,
}

impl Run<'_> {
    /// Marks the edits of a file as already applied. If the file does not have the whole text that one of them writes,
    /// a later edit replaced that text.
    fn mark_applied(&mut self, script: &Script, edits: &[usize], path: &RepoPath, content: &Content) {
        let is_replaced = |edit: &usize| match script.edits.get(*edit).map(|edit| &edit.op) {
            Some(Op::Create { text, .. } | Op::Replace { text }) => rewritten(content, text) != *content,
            _ => false,
        };
        self.overlay.revert(path);
        let is_other = |number: usize| edits.binary_search(&(number - 1)).is_err();
        self.findings.retain(|finding| finding.edit.is_none_or(is_other));
        self.steps.retain(|step| is_other(step.edit));
        self.steps.extend(edits.iter().map(|edit| Step {
            notes: is_replaced(edit).then_some((0, Note::Replaced)).into_iter().collect(),
            ..Step::without_changes(edit + 1, path.clone(), Outcome::AlreadyApplied)
        }));
    }
}

impl Run<'_> {
    /// Refuses the edits of a file that change something, if another edit or hunk of the file is already applied.
    fn refuse_repetitions(&mut self, script: &Script, edits: &[usize]) {
        let of_file = || self.steps.iter().filter(|step| edits.binary_search(&(step.edit - 1)).is_ok());
        let is_applied = |step: &Step| {
            let mut notes = step.notes.iter();
            step.outcome == Outcome::AlreadyApplied || notes.any(|(_, note)| *note == Note::AlreadyApplied)
        };
        if !of_file().any(is_applied) {
            return;
        }
        let changing = of_file().filter(|step| step.outcome == Outcome::Changes);
        let refused =
            changing.filter_map(|step| Some(may_be_applied(step.edit, script.edits.get(step.edit - 1)?)));
        let refused: Vec<_> = refused.collect();
        self.findings.extend(refused);
    }
}

/// Returns the error about an edit that may be already applied.
fn may_be_applied(number: usize, edit: &Edit) -> Diagnostic {
    let message = "this may be already applied, as other changes of the file are";
    let error = Diagnostic::error(Code::SearchAmbiguous, edit.span, message).with_help(HELP_CONTEXT);
    error.for_edit(number, edit.path.shown())
}

/// Returns the files that have several hunks, ascending, with the indexes of their edits.
pub(super) fn files_with_several_hunks<'p>(
    script: &Script,
    paths: &'p [String],
) -> Vec<(&'p str, Vec<usize>)> {
    let mut files: HashMap<&str, Vec<usize>> = HashMap::new();
    for (edit, path) in paths.iter().enumerate().filter(|(edit, _)| !script.is_left_out(*edit)) {
        files.entry(path).or_default().push(edit);
    }
    let mut found: Vec<(&str, Vec<usize>)> =
        files.into_iter().filter(|(_, edits)| have_several_hunks(script, edits)).collect();
    found.sort_unstable();
    found
}

/// Returns whether the edits of a file have more than one hunk, and do not move or copy the file.
fn have_several_hunks(script: &Script, edits: &[usize]) -> bool {
    let of = || edits.iter().filter_map(|edit| script.edits.get(*edit));
    (edits.len() > 1 || of().any(|edit| edit.hunks().len() > 1))
        && !of().any(|edit| matches!(edit.op, Op::Rename { .. } | Op::Copy { .. }))
}

/// Returns whether edits only append to a file, and it ends with all their lines.
fn are_appended(script: &Script, edits: &[usize], rules: &Rules, content: &Content) -> bool {
    let edits = || edits.iter().filter_map(|edit| script.edits.get(*edit));
    // A draft and the final version repeat the same edits in two regions.
    let mut texts: BTreeMap<u32, String> = BTreeMap::new();
    for edit in edits() {
        let Op::Append { text } = &edit.op else { return false };
        texts.entry(edit.region).or_default().push_str(text);
    }
    let mut texts: Vec<String> = texts.into_values().collect();
    texts.dedup();
    let Some(limits) = edits().next().map(|edit| limits(edit, rules)) else { return false };
    let (file, budget) = (Version::of_new(content.clone()), Budget::without_evidence());
    matches!(locate::append(&file, &texts.concat(), &Context::new(&limits, &budget)), Ok(None))
}

/// Returns whether edits of a file are already applied together: reverts their results, and applies them again. Only
/// edits with hunks, at least two, can be.
fn together(
    script: &Script,
    edits: &[usize],
    base: &Base<'_>,
    (path, content): (&RepoPath, &Content),
) -> Result<Together, TreeError> {
    let edits: Vec<Edit> = edits.iter().filter_map(|edit| script.edits.get(*edit)).cloned().collect();
    let are_hunks =
        edits.iter().all(|edit| matches!(edit.op, Op::Modify { .. }) && edit.git.executable.is_none());
    let part = Script { edits, ..Script::default() };
    let hunks: Vec<&Hunk> = part.edits.iter().flat_map(|edit| edit.hunks()).collect();
    let first = part.edits.first().filter(|_| are_hunks && !content.is_binary());
    let Some(limits) =
        first.filter(|_| (2..=MAX_HUNKS).contains(&hunks.len())).map(|edit| limits(edit, base.rules))
    else {
        return Ok(Together::Unapplied);
    };
    let budget = Budget::without_evidence();
    let before = locate::text_before(content, &hunks, &Context::new(&limits, &budget));
    let Some((before, is_proven)) = before.filter(|_| !budget.is_spent()) else {
        return Ok(Together::Unapplied);
    };
    let base = base.with_text(path, before);
    let run = Run::of(&part, &base, &BTreeMap::new(), Aim::AllReapply)?;
    let made = run.overlay.file(path)?.map(|state| run.overlay.text(&state.body)).transpose()?;
    Ok(match run.findings.is_empty() && made.is_some_and(|made| made == *content) {
        true if is_proven => Together::Applied,
        true => Together::Unclear,
        false => Together::Unapplied,
    })
}
