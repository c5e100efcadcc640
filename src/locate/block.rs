//! Checks the indentation of added lines in languages where indentation is syntax.

use super::Context;
use super::indent::is_deeper;
use crate::text::search::Haystack;
use crate::text::{Trait, indentation, is_blank, item_indentation};
use crate::version::LineChange;

/// Whether a change breaks a block of the file, because its first line of code does not have the indentation of the
/// block that it is in.
///
/// - If the line above opens a block, and the block continues below the change, the new line needs the indentation of
///   the block:
///   ```text
///   class A:
///       x = 1
///     y = 2      # new: refused
///   ```
/// - Otherwise a line that is deeper than the line above begins a block of its own. But with `is_unsure`, which says
///   that the shift was seen at a single indentation only, it does not begin one below a line that ends with a word, a
///   string or a closing bracket.
/// - Any other line continues an enclosing block, or has the indentation of a line that it replaces or that follows.
pub(super) fn breaks(context: &Context<'_>, hay: Haystack<'_>, change: &LineChange, is_unsure: bool) -> bool {
    let language = context.limits.language();
    let is_code = |text: &[u8]| !is_blank(text) && !language.is_comment(text);
    let added = change.bytes.split(|b| matches!(b, b'\n' | b'\r')).find(|text| is_code(text));
    let Some(new) = added.map(indentation).filter(|_| language.has(Trait::Indented)) else { return false };
    let code_at = |line: usize| Some(hay.text(line)).filter(|text| is_code(text));
    let mut above =
        (0..change.start).rev().take_while(|_| hay.budget().spend(1)).filter_map(code_at).peekable();
    let Some(&line_above) = above.peek() else { return false };
    let outer = indentation(line_above);
    let first = |line: usize| (line..hay.line_count()).find_map(code_at);
    let (next, below) = (first(change.start), first(change.end));
    let opens = |inner: Option<&[u8]>| {
        inner.is_some_and(|text| match indentation(text) {
            // The items of a list may have the indentation of its key.
            inner if inner == outer => {
                item_indentation(text).is_some() && item_indentation(line_above).is_none()
            }
            inner => is_deeper(inner, outer),
        })
    };
    // A new item may be put above the other keys of the item above.
    let splits_item = || {
        let is_item = |text: &[u8]| item_indentation(text).is_some();
        new == outer && is_item(line_above) && added.is_some_and(is_item)
    };
    if opens(next) && opens(below) && !splits_item() {
        return next.map(indentation) != Some(new);
    }
    let inner = item_indentation(line_above).unwrap_or_else(|| outer.to_vec());
    let last = language.split(line_above).0.trim_ascii().last();
    let is_complete = last.is_some_and(|last| last.is_ascii_alphanumeric() || b"_\"')]}".contains(last));
    let has_indent_of_file =
        (change.start..change.end).filter_map(code_at).chain(below).any(|text| indentation(text) == new);
    if is_unsure && is_complete && !has_indent_of_file && is_deeper(new, &inner) {
        return true;
    }
    // The first line above that is not deeper is in the enclosing block.
    let enclosing = above.map(indentation).find(|depth| !is_deeper(depth, new));
    !is_deeper(new, outer) && !has_indent_of_file && enclosing != Some(new)
}
