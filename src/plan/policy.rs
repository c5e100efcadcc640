//! Which paths edits may change, and hints for missing files.

use super::overlay::Overlay;
use super::{Node, Permit, Rules, TreeError};
use crate::diag::Code;
use crate::path::{RepoPath, is_sensitive};
use crate::text::alike::{percent, ratio};

/// The least similarity in percent of a file name that a hint gives.
const ALIKE: u8 = 80;

/// The most paths that a hint names.
const HINTS: usize = 3;

/// Why a path may not change.
pub(super) type Violation = (Code, String);

/// Why a path may not change, whatever is there.
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

/// Why a file may not be moved or copied.
pub(super) fn may_move(path: &RepoPath, rules: &Rules) -> Option<Violation> {
    forbidden(path, &rules.may_move)
}

/// Why a file may not be deleted.
pub fn removal(path: &RepoPath, rules: &Rules) -> Option<(Code, String)> {
    let message = || format!("removing `{path}` is not allowed");
    (!rules.allow_delete).then(|| (Code::Policy, message()))
}

/// Why a path may not change.
pub(super) fn may_change(path: &RepoPath, overlay: &Overlay<'_>) -> Result<Option<Violation>, TreeError> {
    if let Some(objection) = objection(path, overlay.base.rules) {
        return Ok(Some(objection));
    }
    // A file in the place of a directory only matters for new files.
    let obstacle = overlay.obstacle(path)?;
    let link = obstacle.filter(|(_, node)| matches!(node, Node::Symlink | Node::Submodule));
    Ok(link.map(|(ancestor, node)| leads_through(path, &ancestor, node)))
}

fn leads_through(path: &RepoPath, ancestor: &RepoPath, node: Node) -> Violation {
    (Code::PathBlocked, format!("`{path}` leads through `{ancestor}`, which is a {}", named(node)))
}

/// Why no file may be created at a path that has `node` now.
pub(super) fn may_create(
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

/// The hint for a missing file: where it may be.
pub(super) fn hint(path: &RepoPath, overlay: &Overlay<'_>) -> Result<Option<String>, TreeError> {
    if let Some(twin) = overlay.case_twin(path)? {
        return Ok(Some(did_you_mean(&[twin])));
    }
    let others = overlay.with_name(path.file_name(), HINTS)?;
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

/// The similarity of a name to one that may be meant, in percent; `None` if they are neither similar nor equal without
/// the extension.
fn likeness(one: &str, other: &str) -> Option<u8> {
    let stem = |name: &str| name.rsplit_once('.').map_or(name.len(), |(stem, _)| stem.len());
    let is_other_kind = stem(one) > 0 && one[..stem(one)] == other[..stem(other)];
    let share = percent(ratio(one.as_bytes(), other.as_bytes()));
    (is_other_kind || share >= ALIKE).then_some(share)
}

/// The name for a kind of node.
pub fn named(node: Node) -> &'static str {
    match node {
        Node::Directory => "directory",
        Node::File { .. } => "file",
        Node::Symlink => "symbolic link",
        Node::Submodule => "submodule",
    }
}
