//! Resolving a script against a tree: what each edit comes to, or why not. Pure.

mod corrections;
mod dependence;
mod encoding;
mod given;
mod grouping;
mod look;
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
mod together;
mod tree;
mod unnamed;
mod volume;
mod whole;

pub use corrections::{Mismatch, Slot, SlotState, add_gaps, join, numbered, restate, skip, slots};
pub use given::{list_pending, make_new_files, note_unread, refused_before, settle_given, strictly_refused};
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
use dependence::Lost;
use operations::{Operation, Others, Stop};
use overlay::Overlay;
use repeats::Repeats;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Whether a path may be touched; the error names the rule that it goes against.
pub type Permit = dyn Fn(&RepoPath) -> Result<(), String>;

/// What edits may touch and how loosely they may match.
pub struct Rules {
    /// The loosest tier allowed.
    pub max_fuzz: Tier,
    /// The absolute path of the worktree, `/`-separated, against which absolute paths are made relative.
    pub worktree: Option<String>,
    /// The names of the repository's directories, for OPX's `root=`.
    pub repository_names: Vec<String>,
    /// The directory that relative paths begin in; without one, the top.
    pub directory: Option<RepoPath>,
    /// Whether a path may be touched (`--include`, `--exclude`); the text names the rule it goes against.
    pub permit: Box<Permit>,
    /// Whether a path matches one of the user's `llmapply.sensitive` globs, or is what git runs or reads by itself here.
    pub also_sensitive: Box<dyn Fn(&RepoPath) -> bool>,
    /// `--allow-delete` (default true).
    pub allow_delete: bool,
    /// `--allow-overwrite`.
    pub allow_overwrite: bool,
    /// Whether git ignores a path. No code block becomes a new file there unless it is read as a whole file.
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
    /// How many bytes of new files, copies and versions of files edits may come to; see [`Rules::max_written_for`].
    pub max_written: u64,
    /// Whether every version of a file is written, each edit being a commit of its own. Else each file is written once.
    pub every_version: bool,
}

impl Default for Rules {
    /// What the command allows without options: any path but sensitive ones, no overwriting, any tier.
    fn default() -> Self {
        Self {
            max_fuzz: Tier::Similar,
            worktree: None,
            repository_names: Vec::new(),
            directory: None,
            permit: Box::new(|_| Ok(())),
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
    /// What is done about a file that has more syntax errors than before.
    SyntaxCheck {
        /// Nothing: it is not looked for.
        Off = "off",
        /// A warning.
        Warn = "warn",
        /// The response is refused.
        Refuse = "refuse",
    }
}

/// What an edit comes to.
#[derive(Debug, Clone)]
pub struct Step {
    /// The edit's number in the script, from 1.
    pub edit: usize,
    /// The mail that holds the edit; all edits of a mail are one commit.
    pub mail: Option<Span>,
    /// The path to show: the edit's file as it was resolved.
    pub path: RepoPath,
    /// A rename's or copy's destination.
    pub to: Option<RepoPath>,
    /// What changes; empty unless `outcome` is [`Outcome::Changes`].
    pub changes: Vec<FileChange>,
    /// How its hunks were found, in their order.
    pub matched: Vec<Match>,
    /// Notes on its hunks, which are counted from 0.
    pub notes: Vec<(usize, Note)>,
    /// Whether anything changes.
    pub outcome: Outcome,
}

impl Step {
    /// One that changes nothing.
    fn of(edit: usize, path: RepoPath, outcome: Outcome) -> Self {
        let (changes, matched, notes) = (Vec::new(), Vec::new(), Vec::new());
        Self { edit, mail: None, path, to: None, changes, matched, notes, outcome }
    }
}

named! {
    /// What an edit does, by the name of what it comes to.
    Verb {
        /// A file is made.
        Create = "create",
        /// Parts of a file change.
        Modify = "modify",
        /// A file gets a whole new content.
        Replace = "replace",
        /// Lines are added at a file's end.
        Append = "append",
        /// A file or directory goes away.
        Delete = "delete",
        /// A file or directory moves.
        Rename = "rename",
        /// A file is made from another.
        Copy = "copy",
        /// Only a file's mode changes.
        Mode = "mode",
    }
}

impl Verb {
    /// What an operation does; `step` is what it came to, if it came to anything. Text that is added to a file that is
    /// not there makes it, text for a new file replaces one that is there, and a move to the same place is none.
    pub fn of(op: &Op, step: Option<&Step>) -> Self {
        let made = step.and_then(|step| match step.changes.as_slice() {
            [change] => Some((change.before.is_none(), change.after.is_some())),
            _ => None,
        });
        match op {
            Op::Modify { .. } | Op::Append { .. } if made == Some((true, true)) => Verb::Create,
            Op::Create { .. } if made == Some((false, true)) => Verb::Replace,
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

/// A script whose edits all have their one place. Comes from [`resolve`] only.
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

/// A script that is refused.
#[derive(Debug, Clone)]
pub struct Rejected {
    /// Why: the script's own diagnostics and those of resolving.
    pub diagnostics: Vec<Diagnostic>,
    /// The edits that would have been fine.
    pub fine: Vec<Step>,
    /// Whether every edit was resolved, and some do not go with what the branch has become since.
    pub resolved: bool,
}

impl Rejected {
    /// The edits that are fine alone, for `--keep-going`: each was resolved on the tree as the fine ones before it leave it.
    pub fn remainder(&self) -> Plan {
        Plan { steps: self.fine.clone(), warnings: Vec::new() }
    }
}

/// Finds for every edit what it means for the tree.
///
/// Edits are taken in order, each on the tree as those before have left it. An edit that fails leaves it as it was, and
/// the ones after it are tried all the same, so that all that is wrong is said at once. What builds on an edit that the script
/// leaves out is refused.
///
/// Numbers of edits are those of the script once [`settle_given`] has made edits of its new files.
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
    let unnamed::Settled { script, refused } = unnamed::settle(script, tree, rules)?;
    let script = &*script;
    let mut run = Run::of(script, tree, rules, &refused, Aim::Refusals)?;
    let depending = subset::findings(script, tree, rules, &run)?;
    run.findings.extend(depending);
    let refused = run.findings.iter().map(|(number, _)| *number).collect();
    let mut diagnostics = script.diagnostics.clone();
    diagnostics.extend(given::findings(script, tree, &run.overlay, &refused, rules)?);
    run.judged(script, diagnostics, rules)
}

/// What all edits of a script come to on a tree.
struct Run<'t> {
    overlay: Overlay<'t>,
    /// Those that are fine, by edit.
    steps: Vec<Step>,
    /// What is wrong with the others, with the edit's number.
    findings: Vec<(usize, Diagnostic)>,
}

/// What is asked of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// What every edit comes to, and of those that are refused what a model may need to correct them.
    Refusals,
    /// What every edit comes to.
    Steps,
    /// Whether all edits are fine. It ends with the first that is not.
    Whether,
    /// Likewise, on a text from which the results of all were taken out.
    Combined,
}

impl<'t> Run<'t> {
    fn of(
        script: &Script,
        tree: &'t dyn TreeView,
        rules: &Rules,
        refused: &BTreeMap<usize, Diagnostic>,
        aim: Aim,
    ) -> Result<Self, TreeError> {
        let budget = &match aim {
            Aim::Refusals => Budget::default(),
            Aim::Steps | Aim::Whether | Aim::Combined => Budget::without_evidence(),
        };
        let mut run = Self { overlay: Overlay::new(tree), steps: Vec::new(), findings: Vec::new() };
        // Other edits may still name what landed elsewhere by its old path.
        for edit in script.landed.iter().filter_map(|at| script.edits.get(*at)) {
            file(edit, &mut run.overlay, rules)?;
        }
        let paths = names(script, &run.overlay, rules)?;
        // Those that are judged together may be taken for done after all.
        let judged: BTreeSet<usize> =
            together::several(script, &paths).into_iter().flat_map(|(_, edits)| edits).collect();
        let mut repeats = Repeats::new(script, &paths);
        let hunks = hunks_by_file(script, &paths);
        let mut doubtful = Vec::new();
        let mut lost = Lost::default();
        for (index, (edit, path)) in script.edits.iter().zip(&paths).enumerate() {
            let number = index + 1;
            if script.is_left_out(index) {
                if script.left_out.contains(&index) {
                    lost.add(number, edit, path);
                }
                continue;
            }
            let named = |one: Diagnostic| one.for_edit(number, edit.path.shown());
            if let Some(one) = refused.get(&number).cloned().or_else(|| lost.uncounted(edit, path)) {
                run.findings.push((number, named(one)));
                lost.refuse(number, edit, path);
                continue;
            }
            let overlay = &mut run.overlay;
            let repeats_now = &repeats;
            let (others, last) = hunks.get(path.as_str()).map_or((&[][..], 0), |(all, last)| (all, *last));
            let others = Others { hunks: others, followed: last > index };
            let operation = Operation { number, edit, overlay, rules, repeats: repeats_now, others, budget };
            match operation.resolve() {
                Ok(step) => {
                    repeats.pass(index, edit.region);
                    if rules.every_version && aim == Aim::Refusals {
                        expect(tree, &step);
                    }
                    run.steps.push(step);
                }
                Err(Stop::Tree(error)) => return Err(error),
                Err(Stop::Refused(diagnostics)) => {
                    for mut one in diagnostics.into_iter().map(named) {
                        lost.name(script, edit, path, &mut one);
                        run.findings.push((number, one));
                    }
                    lost.refuse(number, edit, path);
                    if aim == Aim::Combined || aim == Aim::Whether && !judged.contains(&index) {
                        return Ok(run);
                    }
                }
                Err(Stop::DoneOrRefused(step, diagnostic)) => {
                    repeats.pass(index, edit.region);
                    doubtful.push((*step, named(*diagnostic)));
                }
            }
        }
        if aim != Aim::Combined {
            together::judge(script, &paths, tree, rules, &mut run)?;
        }
        // Removing what is absent is done only if everything else is already applied, one thing provably.
        let Self { steps, findings, .. } = &mut run;
        let done = findings.is_empty()
            && steps.iter().all(|step| step.outcome != Outcome::Changes)
            && steps.iter().any(|step| step.outcome == Outcome::AlreadyApplied);
        for (step, diagnostic) in doubtful {
            if done {
                steps.push(step);
            } else {
                findings.push((step.edit, diagnostic));
            }
        }
        steps.sort_by_key(|step| step.edit);
        findings.sort_by_key(|(number, _)| *number);
        Ok(run)
    }

    /// The plan, if nothing is wrong; `diagnostics` are those found before.
    fn judged(
        mut self,
        script: &Script,
        mut diagnostics: Vec<Diagnostic>,
        rules: &Rules,
    ) -> Result<Result<Plan, Rejected>, TreeError> {
        let refused: BTreeSet<usize> = self.findings.iter().map(|(number, _)| *number).collect();
        self.steps.retain(|step| !refused.contains(&step.edit));
        self.findings.sort_by_key(|(number, _)| *number);
        diagnostics.extend(self.findings.into_iter().map(|(_, diagnostic)| diagnostic));
        diagnostics.extend(look::worse(&self.steps, script, &self.overlay, rules)?);
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Ok(Err(Rejected { diagnostics, fine: self.steps, resolved: false }));
        }
        diagnostics.extend(self.steps.iter().flat_map(|step| remarks(step, script)));
        Ok(Ok(Plan { steps: self.steps, warnings: diagnostics }))
    }
}

/// The hunks that a script has for each file, and the last edit that has some. `paths` has a name for every edit's path.
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

/// The remarks on a step: that it changes nothing, or that its place is a guess of the format's.
fn remarks(step: &Step, script: &Script) -> Vec<Diagnostic> {
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
            let said = |(hunk, note): &(usize, Note)| {
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
            step.notes.iter().map(said).collect()
        }
        Outcome::NoChange => vec![warning(Code::NoChange, edit.span, "the edit changes nothing")],
    }
}

/// Says what a step is going to write.
fn expect(tree: &dyn TreeView, step: &Step) {
    for (change, after) in step.changes.iter().filter_map(|change| Some((change, change.after.as_ref()?))) {
        tree.expect(&change.path, &after.body);
    }
}

/// Whether all edits of a script find their places in a tree, and something changes there.
///
/// # Errors
/// When the tree cannot be read.
pub fn applies(script: &Script, tree: &dyn TreeView, rules: &Rules) -> Result<bool, TreeError> {
    let unnamed::Settled { script, refused } = unnamed::settle(script, tree, rules)?;
    let run = Run::of(&script, tree, rules, &refused, Aim::Whether)?;
    Ok(run.findings.is_empty() && run.steps.iter().any(|step| step.outcome == Outcome::Changes))
}

/// The file of every edit of a script, by its path in a tree, and by the one to which the edits before have moved it.
///
/// # Errors
/// When the tree cannot be read.
pub fn files(script: &Script, tree: &dyn TreeView, rules: &Rules) -> Result<Vec<[String; 2]>, TreeError> {
    let mut overlay = Overlay::new(tree);
    script.edits.iter().map(|edit| file(edit, &mut overlay, rules)).collect()
}

/// The file of an edit, likewise. If the edit moves it, the overlay knows the move then.
fn file(edit: &Edit, overlay: &mut Overlay<'_>, rules: &Rules) -> Result<[String; 2], TreeError> {
    let path = match operations::edit_path(edit, overlay, rules) {
        Ok(path) => path,
        Err(Stop::Tree(error)) => return Err(error),
        Err(_) => return Ok([edit.path.raw.clone(), edit.path.raw.clone()]),
    };
    let now = overlay.end_of_moves(&path);
    if let Op::Rename { to, .. } = &edit.op
        && let Some(to) = operations::path_if_any(to, overlay, rules)?
        && to != now
    {
        overlay.record_move(&now, &to);
    }
    Ok([path.to_string(), now.to_string()])
}

/// A name for every edit's path, equal where the paths are.
fn names(script: &Script, overlay: &Overlay<'_>, rules: &Rules) -> Result<Vec<String>, TreeError> {
    let name = |edit: &Edit| match operations::edit_path(edit, overlay, rules) {
        Ok(path) => Ok(path.to_string()),
        Err(Stop::Tree(error)) => Err(error),
        Err(_) => Ok(edit.path.raw.clone()),
    };
    script.edits.iter().map(name).collect()
}

#[cfg(test)]
mod tests;
