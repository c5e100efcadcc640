//! Resolves a script against a tree: each edit becomes a step, or is refused with a diagnostic. Pure.

mod combined;
mod corrections;
mod dependence;
mod encoding;
mod given;
mod grouping;
mod memory;
mod mode;
mod operations;
mod overlay;
mod policy;
mod repeats;
mod rewrite;
mod single_edit;
mod snippet;
mod subset;
mod syntax_errors;
mod tree;
mod unnamed;
mod volume;
mod whole;

pub use corrections::{Mismatch, Slot, SlotState, add_gaps, join, path_of_gap, restate, sent_again, slots};
pub use given::{drop_shown, list_pending, make_new_files, note_unread, refused_before, settle_given};
pub use grouping::{Group, Grouping};
pub use memory::MemoryTree;
pub use policy::{named, objection, removal};
pub use rewrite::Rewrite;
pub use single_edit::resolve_each;
pub use tree::{Body, FileChange, FileState, Node, TreeError, TreeView};

use crate::diag::{Code, Diagnostic};
use crate::edit::{Edit, Hunk, Op, Script};
pub use crate::locate::Outcome;
use crate::locate::{Match, Note, Tier};
use crate::names::named;
use crate::path::RepoPath;
use crate::span::Span;
use crate::text::search::Budget;
use dependence::Unapplied;
use operations::{Operation, Stop};
use overlay::{Base, Overlay};
use repeats::Repeats;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Whether a path may change; the error names the rule that forbids it.
pub type Permit = dyn Fn(&RepoPath) -> Result<(), String>;

/// What edits may change, and how strictly they have to match.
pub struct Rules {
    /// The loosest tier allowed.
    pub max_fuzz: Tier,
    /// The absolute path of the worktree, `/`-separated: absolute paths are made relative to it.
    pub worktree: Option<String>,
    /// The names of the repository's directories, for OPX's `root=`.
    pub repository_names: Vec<String>,
    /// The directory of relative paths; `None` for the top.
    pub directory: Option<RepoPath>,
    /// Whether a path may change (`--include`, `--exclude`).
    pub permit: Box<Permit>,
    /// Whether a file may be moved or copied.
    pub may_move: Box<Permit>,
    /// Whether a path matches one of the `llmapply.sensitive` globs, or is a file that git runs or reads by itself
    /// here.
    pub also_sensitive: Box<dyn Fn(&RepoPath) -> bool>,
    /// `--allow-delete` (default true).
    pub allow_delete: bool,
    /// `--allow-overwrite`.
    pub allow_overwrite: bool,
    /// Whether git ignores a path. A code block creates no ignored file, unless `--format whole-file` asks for it.
    pub ignored: Box<dyn Fn(&RepoPath) -> bool>,
    /// `--allow-sensitive`.
    pub allow_sensitive: bool,
    /// `--allow-placeholder`.
    pub allow_placeholder: bool,
    /// `--allow-markers`.
    pub allow_markers: bool,
    /// `--allow-escaped`.
    pub allow_escaped: bool,
    /// `--allow-shrink`.
    pub allow_shrink: bool,
    /// `--syntax`.
    pub syntax: SyntaxCheck,
    /// The limit for the bytes of new files, copies and versions of files together; see [`Rules::max_written_for`].
    pub max_written: u64,
    /// Whether git writes every version of a file, because each edit becomes a commit; else it writes each file once.
    pub every_version: bool,
}

impl Default for Rules {
    /// The defaults of the command: any path except sensitive ones, no overwriting, any tier.
    fn default() -> Self {
        Self {
            max_fuzz: Tier::Similar,
            worktree: None,
            repository_names: Vec::new(),
            directory: None,
            permit: Box::new(|_| Ok(())),
            may_move: Box::new(|_| Ok(())),
            also_sensitive: Box::new(|_| false),
            allow_delete: true,
            allow_overwrite: false,
            ignored: Box::new(|_| false),
            allow_sensitive: false,
            allow_placeholder: false,
            allow_markers: false,
            allow_escaped: false,
            allow_shrink: false,
            syntax: SyntaxCheck::Warn,
            max_written: volume::DEFAULT_MAX_WRITTEN,
            every_version: true,
        }
    }
}

named! {
    /// What happens if a file has more syntax errors than before.
    SyntaxCheck {
        /// Nothing.
        Off = "off",
        /// A warning.
        Warn = "warn",
        /// The response is refused.
        Refuse = "refuse",
    }
}

/// The result of an edit.
#[derive(Debug, Clone)]
pub struct Step {
    /// The edit's number in the script, from 1.
    pub edit: usize,
    /// The mail that the edit is part of; all edits of a mail become one commit.
    pub mail: Option<Span>,
    /// The resolved path of the edit's file, for reports.
    pub path: RepoPath,
    /// The destination of a rename or copy.
    pub to: Option<RepoPath>,
    /// The changes; empty unless `outcome` is [`Outcome::Changes`].
    pub changes: Vec<FileChange>,
    /// How each hunk matched, in the order of the hunks.
    pub matched: Vec<Match>,
    /// Notes, with the index of the hunk.
    pub notes: Vec<(usize, Note)>,
    /// Whether anything changes.
    pub outcome: Outcome,
}

impl Step {
    /// A step that changes nothing.
    fn without_changes(edit: usize, path: RepoPath, outcome: Outcome) -> Self {
        let (changes, matched, notes) = (Vec::new(), Vec::new(), Vec::new());
        Self { edit, mail: None, path, to: None, changes, matched, notes, outcome }
    }
}

named! {
    /// What an edit does to its file.
    Verb {
        /// A file is created.
        Create = "create",
        /// Parts of a file change.
        Modify = "modify",
        /// A file gets a whole new content.
        Replace = "replace",
        /// Lines are added at the end of a file.
        Append = "append",
        /// A file or directory is deleted.
        Delete = "delete",
        /// A file or directory moves.
        Rename = "rename",
        /// A file is copied.
        Copy = "copy",
        /// Only the mode of a file changes.
        Mode = "mode",
    }
}

impl Verb {
    /// Returns the verb for an operation; `step` is its result, if there is one. The result counts: lines added to a
    /// missing file create it, a new file may replace an existing one, and a move to the same path only modifies the
    /// file.
    pub fn of(op: &Op, step: Option<&Step>) -> Self {
        let change = step.and_then(|step| match step.changes.as_slice() {
            [change] => Some((change.before.is_none(), change.after.is_some())),
            _ => None,
        });
        match op {
            Op::Modify { .. } | Op::Append { .. } if change == Some((true, true)) => Verb::Create,
            Op::Create { .. } if change == Some((false, true)) => Verb::Replace,
            Op::Rename { .. } if step.is_some_and(|step| step.to.is_none()) => Verb::Modify,
            Op::Create { .. } => Verb::Create,
            Op::Modify { hunks, .. } if hunks.is_empty() => Verb::Mode,
            Op::Modify { .. } | Op::Snippet { .. } => Verb::Modify,
            Op::Replace { .. } => Verb::Replace,
            Op::Append { .. } => Verb::Append,
            Op::Delete { .. } => Verb::Delete,
            Op::Rename { .. } => Verb::Rename,
            Op::Copy { .. } => Verb::Copy,
        }
    }
}

/// A script whose edits are all located. Only [`resolve`] makes one.
#[derive(Debug, Clone)]
pub struct Plan {
    steps: Vec<Step>,
    warnings: Vec<Diagnostic>,
}

impl Plan {
    /// The steps in the order of the edits.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The warnings.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }
}

/// A refused script.
#[derive(Debug, Clone)]
pub struct Rejected {
    /// Why: the diagnostics of the script and of resolving it.
    pub diagnostics: Vec<Diagnostic>,
    /// The steps of the edits that would apply.
    pub fine: Vec<Step>,
    /// Whether every edit was resolved, but some conflict with what the branch has become since.
    pub resolved: bool,
}

impl Rejected {
    /// The plan of the edits that would apply, for `--keep-going`: each was resolved without the refused ones.
    pub fn remainder(&self) -> Plan {
        Plan { steps: self.fine.clone(), warnings: Vec::new() }
    }
}

/// Resolves every edit of a script against a tree.
///
/// Each edit is resolved on the tree as the edits before it leave it. A refused edit leaves the tree as it was, and the
/// later edits are still tried, so that all errors are reported at once. An edit that depends on one that the script
/// leaves out is refused.
///
/// The edits that [`settle_given`] makes from code blocks are numbered like the others.
///
/// # Errors
/// When the tree cannot be read.
pub fn resolve(
    script: &Script,
    tree: &dyn TreeView,
    rules: &Rules,
) -> Result<Result<Plan, Rejected>, TreeError> {
    if !script.given.is_empty() {
        let mut script = script.clone();
        settle_given(&mut script, tree, rules)?;
        return resolve(&script, tree, rules);
    }
    let base = &Base::new(tree, rules);
    let (script, refused) = unnamed::settle(script, base)?;
    let script = &*script;
    let mut run = Run::of(script, base, &refused, Aim::Refusals)?;
    let depending = subset::findings(script, &run)?;
    run.findings.extend(depending);
    let mut diagnostics = script.diagnostics.clone();
    diagnostics.extend(given::findings(script, &run)?);
    let plan = run.into_plan(script, diagnostics)?;
    match plan {
        Err(rejected) if rejected.diagnostics.iter().any(has_syntax_error) => {
            without_syntax_errors(script, tree, rules, rejected).map(Err)
        }
        plan => Ok(plan),
    }
}

fn has_syntax_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.is_error() && diagnostic.code == Code::Syntax
}

/// Resolves the edits again without those that are refused for syntax errors, because other edits may depend on them.
fn without_syntax_errors(
    script: &Script,
    tree: &dyn TreeView,
    rules: &Rules,
    rejected: Rejected,
) -> Result<Rejected, TreeError> {
    let refused = rejected.diagnostics.iter().filter(|one| has_syntax_error(one));
    let refused: BTreeSet<usize> = refused.filter_map(|one| one.edit).collect();
    let mut rest = script.clone();
    rest.leave_out(|edit| edit.is_none_or(|at| !refused.contains(&(at + 1))));
    let (fine, more) = match resolve(&rest, tree, rules)? {
        Ok(plan) => (plan.steps, Vec::new()),
        Err(rest) => (rest.fine, rest.diagnostics),
    };
    let mut diagnostics = rejected.diagnostics;
    diagnostics.extend(more.into_iter().filter(Diagnostic::is_error));
    diagnostics.dedup();
    Ok(Rejected { diagnostics, fine, ..rejected })
}

/// The result of all edits of a script on a tree.
struct Run<'t> {
    overlay: Overlay<'t>,
    /// The steps of the edits that would apply, in their order.
    steps: Vec<Step>,
    /// The diagnostics of the refused edits; each has the number of its edit.
    findings: Vec<Diagnostic>,
}

/// What a run is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// The result of every edit, with evidence for refused ones.
    Refusals,
    /// The result of every edit.
    Steps,
    /// Whether all edits apply. The run ends at the first that does not.
    AllApply,
    /// Whether all edits apply to a text from which their results were reverted. The run ends at the first that does
    /// not.
    AllReapply,
}

impl<'t> Run<'t> {
    fn of(
        script: &Script,
        base: &'t Base<'t>,
        refused: &BTreeMap<usize, Diagnostic>,
        aim: Aim,
    ) -> Result<Self, TreeError> {
        let budget = &match aim {
            Aim::Refusals => Budget::default(),
            Aim::Steps | Aim::AllApply | Aim::AllReapply => Budget::without_evidence(),
        };
        let mut run = Self { overlay: Overlay::new(base), steps: Vec::new(), findings: Vec::new() };
        // Another edit may use the path that a file had before a landed edit moved it.
        for edit in script.landed.iter().filter_map(|at| script.edits.get(*at)) {
            follow_moves(edit, &mut run.overlay)?;
        }
        let paths = canonical_paths(script, &run.overlay)?;
        // A refused one of these may turn out to be already applied together with others.
        let judged_together: BTreeSet<usize> = combined::files_with_several_hunks(script, &paths)
            .into_iter()
            .flat_map(|(_, edits)| edits)
            .collect();
        let mut repeats = Repeats::new(script, &paths);
        let hunks = hunks_by_file(script, &paths);
        let mut undecided = Vec::new();
        let mut unapplied = Unapplied::default();
        for (index, (edit, path)) in script.edits.iter().zip(&paths).enumerate() {
            let number = index + 1;
            if script.is_left_out(index) {
                if script.left_out.contains(&index) {
                    unapplied.add(number, edit, path);
                }
                continue;
            }
            let with_edit = |one: Diagnostic| one.for_edit(number, edit.path.shown());
            let counted = || unapplied.check_count(edit, path).map(with_edit);
            if let Some(one) = refused.get(&number).cloned().or_else(counted) {
                run.findings.push(one);
                unapplied.add_refused(number, edit, path);
                continue;
            }
            let overlay = &mut run.overlay;
            let (file_hunks, last) =
                hunks.get(path.as_str()).map_or((&[][..], 0), |(all, last)| (all, *last));
            let followed = last > index;
            let operation =
                Operation { number, edit, overlay, repeats: &repeats, file_hunks, followed, budget };
            match operation.resolve() {
                Ok(step) => {
                    repeats.count_applied(index, edit.region);
                    if base.rules.every_version && aim == Aim::Refusals {
                        announce(base.tree, &step);
                    }
                    run.steps.push(step);
                }
                Err(Stop::Tree(error)) => return Err(error),
                Err(Stop::Refused(diagnostics)) => {
                    for mut one in diagnostics.into_iter().map(with_edit) {
                        unapplied.explain(script, edit, path, &mut one);
                        run.findings.push(one);
                    }
                    unapplied.add_refused(number, edit, path);
                    if aim == Aim::AllReapply || aim == Aim::AllApply && !judged_together.contains(&index) {
                        return Ok(run);
                    }
                }
                Err(Stop::AppliedOrRefused(step, diagnostic)) => {
                    repeats.count_applied(index, edit.region);
                    undecided.push((*step, with_edit(*diagnostic)));
                }
            }
        }
        if aim != Aim::AllReapply {
            combined::mark_applied_together(script, &paths, &mut run)?;
        }
        // A deletion of a missing file proves nothing by itself. It is already applied if at least one other edit is,
        // and no other edit changes something or is refused.
        let Self { steps, findings, .. } = &mut run;
        let is_applied = findings.is_empty()
            && steps.iter().all(|step| step.outcome != Outcome::Changes)
            && steps.iter().any(|step| step.outcome == Outcome::AlreadyApplied);
        for (step, diagnostic) in undecided {
            if is_applied {
                steps.push(step);
            } else {
                findings.push(diagnostic);
            }
        }
        steps.sort_by_key(|step| step.edit);
        findings.sort_by_key(|finding| finding.edit);
        Ok(run)
    }

    /// Returns the plan, if there is no error; `diagnostics` are the ones found before the run.
    fn into_plan(
        mut self,
        script: &Script,
        mut diagnostics: Vec<Diagnostic>,
    ) -> Result<Result<Plan, Rejected>, TreeError> {
        let refused: BTreeSet<usize> = self.findings.iter().filter_map(|finding| finding.edit).collect();
        self.steps.retain(|step| !refused.contains(&step.edit));
        self.findings.sort_by_key(|finding| finding.edit);
        diagnostics.append(&mut self.findings);
        diagnostics.extend(syntax_errors::worse(&self, script)?);
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Ok(Err(Rejected { diagnostics, fine: self.steps, resolved: false }));
        }
        diagnostics.extend(self.steps.iter().flat_map(|step| warnings_of(step, script)));
        Ok(Ok(Plan { steps: self.steps, warnings: diagnostics }))
    }
}

/// Returns the hunks of a script for each file, and the index of the last edit that has some. `paths` are the
/// [`canonical_paths`].
fn hunks_by_file<'a>(script: &'a Script, paths: &'a [String]) -> HashMap<&'a str, (Vec<&'a Hunk>, usize)> {
    let mut files: HashMap<&str, (Vec<&Hunk>, usize)> = HashMap::new();
    let edits = script.edits.iter().zip(paths).enumerate();
    for (at, (edit, path)) in
        edits.filter(|(at, (edit, _))| !edit.hunks().is_empty() && !script.is_left_out(*at))
    {
        let (hunks, last) = files.entry(path).or_default();
        hunks.extend(edit.hunks());
        *last = at;
    }
    files
}

fn warnings_of(step: &Step, script: &Script) -> Vec<Diagnostic> {
    let Some(edit) = step.edit.checked_sub(1).and_then(|edit| script.edits.get(edit)) else {
        return Vec::new();
    };
    let warning = |code, span, message: &str| {
        Diagnostic::warning(code, span, message).for_edit(step.edit, edit.path.shown())
    };
    match step.outcome {
        Outcome::AlreadyApplied if step.notes.is_empty() => {
            vec![warning(Code::AlreadyApplied, edit.span, "already applied")]
        }
        Outcome::Changes | Outcome::AlreadyApplied => {
            let span = |hunk: &usize| edit.hunks().get(*hunk).map_or(edit.span, |hunk| hunk.span);
            let for_note = |(hunk, note): &(usize, Note)| {
                let (code, message) = match note {
                    Note::Unanchored => {
                        (Code::Unanchored, "added below its heading, or at the end of the file")
                    }
                    Note::AlreadyApplied => (Code::AlreadyApplied, "already applied"),
                    Note::Retabbed => (Code::Retabbed, "re-indented with the tabs or spaces of the file"),
                    Note::Replaced => {
                        (Code::Conflict, "not applied: the file already has the text of a later edit")
                    }
                };
                warning(code, span(hunk), message)
            };
            step.notes.iter().map(for_note).collect()
        }
        Outcome::NoChange => vec![warning(Code::NoChange, edit.span, "the edit changes nothing")],
    }
}

/// Tells the tree what a step will write.
fn announce(tree: &dyn TreeView, step: &Step) {
    for (change, after) in step.changes.iter().filter_map(|change| Some((change, change.after.as_ref()?))) {
        tree.expect(&change.path, &after.body);
    }
}

/// Returns whether all edits of a script apply to a tree, and at least one changes something.
///
/// # Errors
/// When the tree cannot be read.
pub fn applies(script: &Script, tree: &dyn TreeView, rules: &Rules) -> Result<bool, TreeError> {
    let base = &Base::new(tree, rules);
    let (script, refused) = unnamed::settle(script, base)?;
    let run = Run::of(&script, base, &refused, Aim::AllApply)?;
    Ok(run.findings.is_empty() && run.steps.iter().any(|step| step.outcome == Outcome::Changes))
}

/// Returns, for every edit of a script, the path of its file in the tree, and the path to which earlier edits moved the
/// file.
///
/// # Errors
/// When the tree cannot be read.
pub fn files(script: &Script, tree: &dyn TreeView, rules: &Rules) -> Result<Vec<[String; 2]>, TreeError> {
    let base = Base::new(tree, rules);
    let mut overlay = Overlay::new(&base);
    script.edits.iter().map(|edit| follow_moves(edit, &mut overlay)).collect()
}

/// As [`files`], for one edit. If the edit moves the file, the overlay records that.
fn follow_moves(edit: &Edit, overlay: &mut Overlay<'_>) -> Result<[String; 2], TreeError> {
    let Some(path) = operations::ok_if_valid(operations::edit_path(edit, overlay))? else {
        return Ok([edit.path.raw.clone(), edit.path.raw.clone()]);
    };
    let now = overlay.end_of_moves(&path);
    if let Op::Rename { to, .. } = &edit.op
        && let Some(to) = operations::path_if_valid(to, overlay)?
        && to != now
    {
        overlay.record_move(&now, &to);
    }
    Ok([path.to_string(), now.to_string()])
}

/// Returns the path of every edit. Two edits of one file have equal paths, even if the response writes them
/// differently.
fn canonical_paths(script: &Script, overlay: &Overlay<'_>) -> Result<Vec<String>, TreeError> {
    let canonical = |edit: &Edit| {
        let path = operations::ok_if_valid(operations::edit_path(edit, overlay))?;
        Ok(path.map_or_else(|| edit.path.raw.clone(), |path| path.to_string()))
    };
    script.edits.iter().map(canonical).collect()
}

#[cfg(test)]
mod tests;
