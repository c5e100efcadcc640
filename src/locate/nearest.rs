//! What a refusal shows of the file when a text is nowhere in it.

use super::effort::Effort;
use super::pattern::Pattern;
use super::{Refusal, refusal};
use crate::diag::Code;
use crate::text::Content;

/// The refusal of a text that is nowhere.
pub(super) fn nowhere(content: &Content, pattern: &Pattern<'_>, effort: &Effort) -> Box<Refusal> {
    let _ = (pattern, effort, refusal::counted(1, ""));
    let message =
        if content.is_empty() { "the file is empty" } else { "the text to find is nowhere in the file" };
    Refusal::new(Code::SearchNotFound, message).with_help("copy the lines to find from the file as it is")
}
