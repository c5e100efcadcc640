//! Refuses landings that change `.gitattributes` together with files whose conversion these attributes may change.

use super::series::{Making, Planned};
use super::{Error, Result};
use crate::path::RepoPath;
use crate::plan::FileState;
use crate::vcs::attributes::{Conversion, Reach};
use crate::vcs::tree::BaseTree;

/// Whether a path is a `.gitattributes` file.
pub(super) fn is_attributes(path: &RepoPath) -> bool {
    path.file_name() == ".gitattributes"
}

/// Refuses a landing that changes attribute files and other files if the old attributes make git convert one of these
/// files, or if the new attributes may. The edits were resolved with the old attributes, so the result could be wrong.
///
/// Commits that exist already are not checked.
pub(super) fn refuse_together(base: &BaseTree<'_>, series: &[Planned]) -> Result<()> {
    let made = || series.iter().filter(|planned| !matches!(planned.making, Making::AsIs(_)));
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
        if let Some(what) = base.conversion(change.path.as_str())?.as_ref().and_then(Conversion::attribute) {
            return refuse(change.path.as_str(), format!("git converts it ({what})"));
        }
    }
    let Some(first) = others().next() else { return Ok(()) };
    for change in attributes() {
        for FileState { body, .. } in [&change.before, &change.after].into_iter().flatten() {
            let text = body.read(base).map_err(super::unreadable)?;
            if Reach::of(&text) == Reach::Text {
                return refuse(first.path.as_str(), format!("git converts files ({})", change.path));
            }
        }
    }
    Ok(())
}
