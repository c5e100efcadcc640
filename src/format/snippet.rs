//! Snippets: a path and a fence with definitions, which become those of the file that is there.
//!
//! Read only when it is asked for, as whole files are: nothing of it opens a region, and the tree says which code block is
//! one. What it makes of the file is said by [`crate::syntax`].

use super::render::{Reason, Rendered, Unrepresentable};
use super::{Format, FormatId};

/// The row of the table.
pub(super) const FORMAT: Format =
    Format { id: FormatId::Snippet, opens: |_| false, parse: |_, _| {}, render };

/// It is for what models write unasked, not for what is written.
fn render(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    match changes.first() {
        Some(change) => Err(change.cannot(Reason::Operation("give only what changes of"))),
        None => Ok(String::new()),
    }
}
