//! Resolving a script against a tree: what each edit comes to, or why not. Pure.

mod tree;

pub use tree::{Body, FileChange, FileState, Node, TreeError, TreeView};

use crate::diag::Diagnostic;
use crate::locate::{Match, Tier};
use crate::path::RepoPath;

/// What edits may touch and how loosely they may match.
pub struct Rules {
    /// The loosest tier allowed.
    pub max_fuzz: Tier,
    /// The absolute path of the worktree, `/`-separated, against which absolute paths are made relative.
    pub worktree: Option<String>,
    /// The repository's directory name, for OPX's `root=`.
    pub repository_name: Option<String>,
    /// Whether a path may be touched (`--include`, `--exclude`); the text names the rule it goes against.
    pub permit: Box<dyn Fn(&RepoPath) -> Result<(), String>>,
    /// Whether a path matches one of the user's `llmapply.sensitive` globs, or lies under a tracked hooks path.
    pub also_sensitive: Box<dyn Fn(&RepoPath) -> bool>,
    /// `--allow-delete` (default true).
    pub allow_delete: bool,
    /// `--allow-overwrite`.
    pub allow_overwrite: bool,
    /// `--allow-sensitive`.
    pub allow_sensitive: bool,
    /// `--allow-placeholder`.
    pub allow_placeholder: bool,
    /// `--allow-markers`.
    pub allow_markers: bool,
}

/// What an edit comes to.
#[derive(Debug, Clone)]
pub struct Step {
    /// The edit's number in the script, from 1.
    pub edit: usize,
    /// The path to show: the edit's file as it was resolved.
    pub path: RepoPath,
    /// A rename's or copy's destination.
    pub to: Option<RepoPath>,
    /// What changes; empty unless `outcome` is [`Outcome::Changes`].
    pub changes: Vec<FileChange>,
    /// How its hunks were found, in their order.
    pub matched: Vec<Match>,
    /// Whether anything changes.
    pub outcome: Outcome,
}

/// Whether an edit changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It does.
    Changes,
    /// Its text changes nothing (before equals after).
    NoChange,
    /// Its result is there already.
    AlreadyApplied,
}

/// A script of which every edit has its one place. Comes from [`resolve`] only.
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

    /// What is worth knowing.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }
}

/// A script that does not apply.
#[derive(Debug, Clone)]
pub struct Rejected {
    /// Why: the script's own diagnostics and those of resolving.
    pub diagnostics: Vec<Diagnostic>,
    /// The edits that would have been fine.
    pub fine: Vec<Step>,
}

/// Finds for every edit what it means for the tree.
///
/// # Errors
/// When the tree cannot be read.
pub fn resolve(
    script: &crate::edit::Script,
    tree: &dyn TreeView,
    rules: &Rules,
) -> Result<Result<Plan, Rejected>, TreeError> {
    let _ = (script, tree, rules);
    Ok(Ok(Plan { steps: Vec::new(), warnings: Vec::new() }))
}
