//! Indentation of added lines in languages where indentation is syntax.

use super::Context;
use super::indent::is_deeper;
use crate::text::search::Haystack;
use crate::text::{Trait, indentation, is_blank, item_indentation};
use crate::version::LineChange;

/// Whether a change breaks a block of the file: its first line begins or continues a block with another indentation
/// than the lines of that block have.
///
/// The first line of the block below the line above shows the indentation of that block. Otherwise a deeper line begins
/// a block of its own, and a shallower one has to continue an enclosing block, or replace a line with its indentation. Where
/// a single indentation shows how lines are shifted, it begins no block below a line that ends with a word, a string or a closing
/// bracket.
pub(super) fn breaks(context: &Context<'_>, hay: Haystack<'_>, change: &LineChange, is_alone: bool) -> bool {
    let language = context.limits.language();
    let is_code = |text: &[u8]| !is_blank(text) && !language.is_comment(text);
    let added = change.bytes.split(|b| matches!(b, b'\n' | b'\r')).find(|text| is_code(text));
    let Some(new) = added.map(indentation).filter(|_| language.has(Trait::Indented)) else { return false };
    let code_at = |line: usize| Some(hay.text(line)).filter(|text| is_code(text));
    let mut above =
        (0..change.start).rev().take_while(|_| hay.budget().spend(1)).filter_map(code_at).peekable();
    let Some(&heading) = above.peek() else { return false };
    let outer = indentation(heading);
    let first = |line: usize| (line..hay.line_count()).find_map(code_at);
    let (next, below) = (first(change.start), first(change.end));
    let opens = |inner: Option<&[u8]>| {
        inner.is_some_and(|text| match indentation(text) {
            // The items of a list may have the indentation of its key.
            inner if inner == outer => {
                item_indentation(text).is_some() && item_indentation(heading).is_none()
            }
            inner => is_deeper(inner, outer),
        })
    };
    if opens(next) && opens(below) {
        return next.map(indentation) != Some(new);
    }
    let inner = item_indentation(heading).unwrap_or_else(|| outer.to_vec());
    let last = language.split(heading).0.trim_ascii().last();
    let is_whole = last.is_some_and(|last| last.is_ascii_alphanumeric() || b"_\"')]}".contains(last));
    let replaces =
        (change.start..change.end).filter_map(code_at).chain(below).any(|text| indentation(text) == new);
    if is_alone && is_whole && !replaces && is_deeper(new, &inner) {
        return true;
    }
    // The enclosing block with its indentation is that of the first line above that is not deeper.
    let enclosing = above.map(indentation).find(|depth| !is_deeper(depth, new));
    !is_deeper(new, outer) && !replaces && enclosing != Some(new)
}
