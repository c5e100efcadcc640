//! Whole files: a path and a fence with all of the file.
//!
//! Any snippet looks like that, so it is read only when it is asked for. Nothing of it opens a region: every code block
//! with a file of its own that no format reads is kept ([`crate::edit::Given`]), and the tree says which it is.

use super::render::{Reason, Rendered, Unrepresentable};
use super::{Format, FormatId};

/// The row of the table.
pub(super) const FORMAT: Format =
    Format { id: FormatId::WholeFile, opens: |_| false, parse: |_, _| {}, render };

/// It is for what models write unasked, not for what is written.
fn render(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    match changes.first() {
        Some(change) => Err(change.cannot(Reason::Operation("give only what changes of"))),
        None => Ok(String::new()),
    }
}
