//! What edits may touch, and hints for missing files.

use super::overlay::Overlay;
use super::{Node, Rules, TreeError};
use crate::diag::Code;
use crate::path::{RepoPath, is_sensitive};
use crate::text::alike::{percent, ratio};

/// A name is nearly another one if they are so much alike, in percent.
const ALIKE: u8 = 80;

/// How many paths a hint names.
const HINTS: usize = 3;

/// What is wrong with a path.
pub(super) type Objection = (Code, String);

/// Why a path may not be written or removed, whatever is there.
pub fn objection(path: &RepoPath, rules: &Rules) -> Option<(Code, String)> {
    if let Err(rule) = (rules.permit)(path) {
        return Some((Code::Policy, format!("`{path}` must not change: {rule}")));
    }
    if !rules.allow_sensitive && (is_sensitive(path) || (rules.also_sensitive)(path)) {
        let message = format!("`{path}` can run code by itself, at the next commit for example");
        return Some((Code::PathSensitive, message));
    }
    None
}

/// Why a file may not be removed, if nothing may.
pub fn removal(path: &RepoPath, rules: &Rules) -> Option<(Code, String)> {
    let message = || format!("removing `{path}` is not allowed (--no-allow-delete)");
    (!rules.allow_delete).then(|| (Code::Policy, message()))
}

/// Why a path may not be written or removed.
pub(super) fn may_touch(
    path: &RepoPath,
    rules: &Rules,
    overlay: &Overlay<'_>,
) -> Result<Option<Objection>, TreeError> {
    if let Some(objection) = objection(path, rules) {
        return Ok(Some(objection));
    }
    match overlay.obstacle(path)? {
        // A file in the way of a directory is for what is to appear there.
        Some((ancestor, node @ (Node::Symlink | Node::Submodule))) => {
            Ok(Some(leads_through(path, &ancestor, node)))
        }
        _ => Ok(None),
    }
}

fn leads_through(path: &RepoPath, ancestor: &RepoPath, node: Node) -> Objection {
    (Code::PathBlocked, format!("`{path}` leads through `{ancestor}`, which is a {}", named(node)))
}

/// Why nothing may appear at a path that has `node` now.
pub(super) fn may_appear(
    path: &RepoPath,
    node: Option<Node>,
    overlay: &Overlay<'_>,
) -> Result<Option<Objection>, TreeError> {
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

/// Where a file that is not there may be instead.
pub(super) fn hint(path: &RepoPath, overlay: &Overlay<'_>) -> Result<Option<String>, TreeError> {
    if let Some(twin) = overlay.case_twin(path)? {
        return Ok(Some(meant(&[twin])));
    }
    let others = overlay.with_name(path.file_name(), HINTS)?;
    if !others.is_empty() {
        return Ok(Some(meant(&others)));
    }
    let near = overlay.files_in(path.parent().as_ref())?.into_iter().filter_map(|other| {
        let share = likeness(path.file_name(), other.file_name())?;
        Some((std::cmp::Reverse(share), other))
    });
    Ok(near.min().map(|(_, other)| meant(&[other])))
}

fn meant(paths: &[RepoPath]) -> String {
    let names: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
    format!("did you mean {}?", names.join(", "))
}

/// How alike a name is to one that may be meant: in most of its letters, or but for its extension.
fn likeness(one: &str, other: &str) -> Option<u8> {
    let stem = |name: &str| name.rsplit_once('.').map_or(name.len(), |(stem, _)| stem.len());
    let is_other_kind = stem(one) > 0 && one[..stem(one)] == other[..stem(other)];
    let share = percent(ratio(one.as_bytes(), other.as_bytes()));
    (is_other_kind || share >= ALIKE).then_some(share)
}

/// What a node is called.
pub fn named(node: Node) -> &'static str {
    match node {
        Node::Directory => "directory",
        Node::File { .. } => "file",
        Node::Symlink => "symbolic link",
        Node::Submodule => "submodule",
    }
}
