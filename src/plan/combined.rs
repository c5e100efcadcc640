//! Edits of one file that are already applied only together: the file may have no single result of theirs, but that of
//! all.

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

/// The most hunks of one file that are judged together: each is searched again for each that is reverted.
const MOST: usize = 256;

/// Marks edits as already applied that are so only together: all of them leave the file as it was, or those that share
/// lines prove it as one hunk would. Where nothing proves it, they are refused if some of them are applied.
/// `paths` has a name for the path of every edit.
pub(super) fn judge(script: &Script, paths: &[String], run: &mut Run<'_>) -> Result<(), TreeError> {
    let base = run.overlay.base;
    for (path, edits) in several(script, paths) {
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
            Together::Unclear if all_apply => run.refuse_to_repeat(script, &edits),
            Together::Unclear | Together::Unapplied => {}
        }
    }
    Ok(())
}

/// Whether edits of a file are already applied together.
#[derive(Clone, Copy)]
enum Together {
    /// They are.
    Applied,
    /// They may be: applied to the file without their results they give the file, but that proves nothing.
    Unclear,
    /// They are not.
    Unapplied,
}

impl Run<'_> {
    /// Marks edits of a file as already applied. A whole text that the file does not have was replaced by a later one.
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
            ..Step::of(edit + 1, path.clone(), Outcome::AlreadyApplied)
        }));
    }
}

impl Run<'_> {
    /// Refuses edits of a file that may be already applied, if other edits or hunks are.
    fn refuse_to_repeat(&mut self, script: &Script, edits: &[usize]) {
        let of_file = || self.steps.iter().filter(|step| edits.binary_search(&(step.edit - 1)).is_ok());
        let is_applied = |step: &Step| {
            let mut notes = step.notes.iter();
            step.outcome == Outcome::AlreadyApplied || notes.any(|(_, note)| *note == Note::AlreadyApplied)
        };
        if !of_file().any(is_applied) {
            return;
        }
        let changing = of_file().filter(|step| step.outcome == Outcome::Changes);
        let refused = changing.filter_map(|step| Some(repeated(step.edit, script.edits.get(step.edit - 1)?)));
        let refused: Vec<_> = refused.collect();
        self.findings.extend(refused);
    }
}

/// Refuses an edit that a second run would apply again.
fn repeated(number: usize, edit: &Edit) -> Diagnostic {
    let message = "this may be already applied, as other changes of the file are";
    let error = Diagnostic::error(Code::SearchAmbiguous, edit.span, message).with_help(HELP_CONTEXT);
    error.for_edit(number, edit.path.shown())
}

/// The files whose edits are judged together, ascending, with the indexes of the edits.
pub(super) fn several<'p>(script: &Script, paths: &'p [String]) -> Vec<(&'p str, Vec<usize>)> {
    let mut files: HashMap<&str, Vec<usize>> = HashMap::new();
    for (edit, path) in paths.iter().enumerate().filter(|(edit, _)| !script.is_left_out(*edit)) {
        files.entry(path).or_default().push(edit);
    }
    let mut several: Vec<(&str, Vec<usize>)> =
        files.into_iter().filter(|(_, edits)| are_several(script, edits)).collect();
    several.sort_unstable();
    several
}

/// Whether edits of a file have more than one hunk, and do not move or copy it.
fn are_several(script: &Script, edits: &[usize]) -> bool {
    let of = || edits.iter().filter_map(|edit| script.edits.get(*edit));
    (edits.len() > 1 || of().any(|edit| edit.hunks().len() > 1))
        && !of().any(|edit| matches!(edit.op, Op::Rename { .. } | Op::Copy { .. }))
}

/// Whether edits only append to a file, and it ends with all of these lines.
fn are_appended(script: &Script, edits: &[usize], rules: &Rules, content: &Content) -> bool {
    let edits = || edits.iter().filter_map(|edit| script.edits.get(*edit));
    // A draft and its final version are the same edits.
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

/// Whether edits that have only hunks, at least two, are already applied together.
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
        first.filter(|_| (2..=MOST).contains(&hunks.len())).map(|edit| limits(edit, base.rules))
    else {
        return Ok(Together::Unapplied);
    };
    let budget = Budget::without_evidence();
    let before = locate::before_all(content, &hunks, &Context::new(&limits, &budget));
    let Some((before, is_proven)) = before.filter(|_| !budget.is_spent()) else {
        return Ok(Together::Unapplied);
    };
    let base = base.with_text(path, before);
    let run = Run::of(&part, &base, &BTreeMap::new(), Aim::Combined)?;
    let made = run.overlay.file(path)?.map(|state| run.overlay.text(&state.body)).transpose()?;
    Ok(match run.findings.is_empty() && made.is_some_and(|made| made == *content) {
        true if is_proven => Together::Applied,
        true => Together::Unclear,
        false => Together::Unapplied,
    })
}
