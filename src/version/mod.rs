//! A file's text after the edits so far, and the base text that it was made from.

mod change;
mod clash;
mod lineage;
mod merge;

pub(crate) use change::{LineChange, spliced};
pub use clash::{clash, is_same_change};
pub(crate) use lineage::Lineage;
pub(crate) use merge::{bring_over, goes_behind};

use crate::text::Content;
use std::sync::Arc;

/// A text, and which of its lines come from the text that the model was shown. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Version {
    content: Content,
    /// `None` if the file is new, or was replaced as a whole.
    origin: Option<Arc<Origin>>,
}

#[derive(Debug, Clone)]
struct Origin {
    base: Content,
    lineage: Lineage,
}

impl Version {
    /// A file of the base.
    pub fn of_base(content: Content) -> Self {
        let lineage = Lineage::new(content.line_count());
        Self { content: content.clone(), origin: Some(Arc::new(Origin { base: content, lineage })) }
    }

    /// A file without a base: the model was shown no other text of it.
    pub fn of_new(content: Content) -> Self {
        Self { content, origin: None }
    }

    /// The text.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// The base, and where its lines are now, if an edit has changed any.
    pub(crate) fn base(&self) -> Option<(&Content, &Lineage)> {
        let origin = self.origin.as_deref().filter(|origin| !origin.lineage.is_whole())?;
        Some((&origin.base, &origin.lineage))
    }

    /// The line of the base for a line, both from 1.
    pub(crate) fn base_line(&self, line: usize) -> Option<usize> {
        let origin = self.origin.as_deref()?.lineage.origin(line.checked_sub(1)?);
        origin.map(|line| line + 1)
    }

    /// The text with these changes, which ascend and do not overlap.
    pub(crate) fn with(&self, changes: &[LineChange]) -> Self {
        let mut origin = self.origin.clone();
        let mut unused = Lineage::new(self.content.line_count());
        let lineage = match &mut origin {
            Some(origin) => &mut Arc::make_mut(origin).lineage,
            None => &mut unused,
        };
        let content = change::commit(&self.content, changes, lineage);
        Self { content, origin }
    }
}
