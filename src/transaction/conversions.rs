//! Attribute files that change together with what they speak of.

use super::series::Planned;
use super::{Error, Result};
use crate::plan::FileState;
use crate::vcs::tree::BaseTree;

/// Refuses a response that changes attribute files and other files, where git itself converts one of these or may do so
/// with the new attributes: texts were found and are stored by the old ones.
pub(super) fn refuse_together(base: &BaseTree<'_>, series: &[Planned]) -> Result<()> {
    let changes = || series.iter().flat_map(|planned| &planned.changes);
    let is_attributes = |path: &str| path.rsplit('/').next() == Some(".gitattributes");
    let attributes = || changes().filter(|change| is_attributes(change.path.as_str()));
    if attributes().next().is_none() {
        return Ok(());
    }
    let refuse = |path: &str, why: String| {
        Err(Error::Unsupported {
            what: format!("{path} changes together with the attributes that say how {why}"),
            help: "land the attribute files first, then the rest".into(),
        })
    };
    let mut others =
        changes().filter(|change| !is_attributes(change.path.as_str()) && change.after.is_some());
    let first = others.clone().next();
    if let Some(change) = others.find_map(|change| match base.converted_by(&change.path) {
        Ok(None) => None,
        found => Some(found.map(|what| (change, what))),
    }) {
        let (change, what) = change?;
        return refuse(change.path.as_str(), format!("git converts it ({})", what.unwrap_or_default()));
    }
    let Some(first) = first else { return Ok(()) };
    for change in attributes() {
        let states = [&change.before, &change.after].into_iter().flatten();
        for FileState { body, .. } in states {
            let text = body.read(base).map_err(super::unreadable)?;
            if BaseTree::may_convert(&text) {
                return refuse(first.path.as_str(), format!("git converts files ({})", change.path));
            }
        }
    }
    Ok(())
}
