//! Decides which paths edits may change, and finds hints for missing files.

use super::overlay::Overlay;
use super::{Node, Permit, Rules, TreeError};
use crate::diag::Code;
use crate::path::{RepoPath, is_sensitive};
use crate::text::alike::{percent, ratio};

/// How similar a file name has to be for a hint, in percent.
const MIN_SIMILARITY: u8 = 80;

/// The limit for the paths that a hint names.
const MAX_HINTS: usize = 3;

/// The reason why an edit may not do something.
pub(super) type Violation = (Code, String);

/// Returns why the rules forbid changing a path, whatever is there; `None` if they allow it.
pub fn objection(path: &RepoPath, rules: &Rules) -> Option<(Code, String)> {
    if let Some(forbidden) = forbidden(path, &rules.permit) {
        return Some(forbidden);
    }
    if !rules.allow_sensitive && (is_sensitive(path) || (rules.also_sensitive)(path)) {
        let message = format!("`{path}` is a sensitive file, such as one that runs code by itself");
        return Some((Code::PathSensitive, message));
    }
    None
}

fn forbidden(path: &RepoPath, permit: &Permit) -> Option<Violation> {
    let message = |rule| format!("`{path}` must not change: {rule}");
    permit(path).err().map(|rule| (Code::Policy, message(rule)))
}

/// Returns why a file may not be moved or copied; `None` if it may.
pub(super) fn move_violation(path: &RepoPath, rules: &Rules) -> Option<Violation> {
    forbidden(path, &rules.may_move)
}

/// Returns why a file may not be deleted; `None` if it may.
pub fn removal(path: &RepoPath, rules: &Rules) -> Option<(Code, String)> {
    let message = || format!("removing `{path}` is not allowed");
    (!rules.allow_delete).then(|| (Code::Policy, message()))
}

/// Returns why a path may not change, by the rules or because of what is there; `None` if it may.
pub(super) fn change_violation(
    path: &RepoPath,
    overlay: &Overlay<'_>,
) -> Result<Option<Violation>, TreeError> {
    if let Some(objection) = objection(path, overlay.base.rules) {
        return Ok(Some(objection));
    }
    // A file in the place of a parent directory only matters for a new file; see `create_violation`.
    let obstacle = overlay.obstacle(path)?;
    let link = obstacle.filter(|(_, node)| matches!(node, Node::Symlink | Node::Submodule));
    Ok(link.map(|(ancestor, node)| leads_through(path, &ancestor, node)))
}

fn leads_through(path: &RepoPath, ancestor: &RepoPath, node: Node) -> Violation {
    (Code::PathBlocked, format!("`{path}` leads through `{ancestor}`, which is a {}", named(node)))
}

/// Returns why no file may be created at a path that has `node` now; `None` if one may.
pub(super) fn create_violation(
    path: &RepoPath,
    node: Option<Node>,
    overlay: &Overlay<'_>,
) -> Result<Option<Violation>, TreeError> {
    if let Some((ancestor, node)) = overlay.obstacle(path)? {
        return Ok(Some(leads_through(path, &ancestor, node)));
    }
    if node.is_some() {
        return Ok(None);
    }
    let twin = overlay.case_twin(path)?;
    let message = |twin| format!("`{path}` differs only in case or Unicode form from `{twin}`, which exists");
    Ok(twin.map(|twin| (Code::PathCase, message(twin))))
}

/// Returns a hint for a missing file: similar paths that exist.
pub(super) fn hint(path: &RepoPath, overlay: &Overlay<'_>) -> Result<Option<String>, TreeError> {
    if let Some(twin) = overlay.case_twin(path)? {
        return Ok(Some(did_you_mean(&[twin])));
    }
    let others = overlay.with_name(path.file_name(), MAX_HINTS)?;
    if !others.is_empty() {
        return Ok(Some(did_you_mean(&others)));
    }
    let near = overlay.files_in(path.parent().as_ref())?.into_iter().filter_map(|other| {
        let share = likeness(path.file_name(), other.file_name())?;
        Some((std::cmp::Reverse(share), other))
    });
    Ok(near.min().map(|(_, other)| did_you_mean(&[other])))
}

fn did_you_mean(paths: &[RepoPath]) -> String {
    let names: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
    format!("did you mean {}?", names.join(", "))
}

/// Returns the similarity of two file names in percent; `None` if they are neither similar nor equal except for the
/// extension.
fn likeness(one: &str, other: &str) -> Option<u8> {
    let stem = |name: &str| name.rsplit_once('.').map_or(name.len(), |(stem, _)| stem.len());
    let differ_in_extension = stem(one) > 0 && one[..stem(one)] == other[..stem(other)];
    let share = percent(ratio(one.as_bytes(), other.as_bytes()));
    (differ_in_extension || share >= MIN_SIMILARITY).then_some(share)
}

/// Returns the word for a kind of node.
pub fn named(node: Node) -> &'static str {
    match node {
        Node::Directory => "directory",
        Node::File { .. } => "file",
        Node::Symlink => "symbolic link",
        Node::Submodule => "submodule",
    }
}
