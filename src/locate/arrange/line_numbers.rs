//! The line numbers of a hunk.

use crate::edit::{Anchor, Hunk};
use crate::locate::Context;

/// The lines, from 0, that the line numbers of a hunk name.
#[derive(Default)]
pub(super) struct LineNumbers {
    /// The old line, counted in the base, as a line of the current text.
    pub(super) in_base: Option<usize>,
    /// The old line, counted in the current text, if that is not the base.
    pub(super) in_current: Option<usize>,
    /// The lines at which the result of the hunk may begin.
    pub(super) result: Vec<usize>,
}

impl LineNumbers {
    /// The lines that the numbers of a hunk name.
    pub(super) fn of(context: &Context<'_>, hunk: &Hunk) -> Self {
        let Anchor::Line { old_start, new_start, .. } = &hunk.anchor else {
            return Self::default();
        };
        let line = |number: Option<u32>| usize::try_from(number?).ok()?.checked_sub(1);
        let (old, new) = (line(*old_start), line(*new_start));
        let (in_base, in_current) = match context.lineage() {
            Some(lineage) => (old.and_then(|line| lineage.of(line)), old),
            None => (old, None),
        };
        let mut result: Vec<usize> = new.into_iter().chain(in_base).collect();
        result.dedup();
        Self { in_base, in_current, result }
    }
}
