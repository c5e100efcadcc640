//! Attribute files that change together with files whose conversion they may change.

use super::series::{Making, Planned};
use super::{Error, Result};
use crate::path::RepoPath;
use crate::plan::FileState;
use crate::vcs::tree::BaseTree;

/// Whether a file gives others attributes.
pub(super) fn is_attributes(path: &RepoPath) -> bool {
    path.file_name() == ".gitattributes"
}

/// Refuses attribute files and other files in one landing, if git converts one of the others by the old attributes, or may do so
/// by the new ones: the edits were resolved by the old ones. Commits that exist are as they are.
pub(super) fn refuse_together(base: &BaseTree<'_>, series: &[Planned]) -> Result<()> {
    let made = || series.iter().filter(|planned| !matches!(planned.making, Making::AsIs { .. }));
    let changes = || made().flat_map(|planned| &planned.changes);
    let attributes = || changes().filter(|change| is_attributes(&change.path));
    if attributes().next().is_none() {
        return Ok(());
    }
    let refuse = |path: &str, why: String| {
        Err(Error::Unsupported {
            what: format!("{path} changes together with the attributes that say how {why}"),
            help: "land the attribute files first, then the rest".into(),
        })
    };
    let others = || changes().filter(|one| !is_attributes(&one.path) && one.after.is_some());
    for change in others() {
        if let Some(what) = base.converted_by(&change.path)? {
            return refuse(change.path.as_str(), format!("git converts it ({what})"));
        }
    }
    let Some(first) = others().next() else { return Ok(()) };
    for change in attributes() {
        for FileState { body, .. } in [&change.before, &change.after].into_iter().flatten() {
            let text = body.read(base).map_err(super::unreadable)?;
            if BaseTree::may_convert(&text) {
                return refuse(first.path.as_str(), format!("git converts files ({})", change.path));
            }
        }
    }
    Ok(())
}
