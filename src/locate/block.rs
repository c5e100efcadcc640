//! Blocks of languages in which indentation is syntax: an added line goes on with one at the depth of its lines.

use super::Context;
use super::indent::is_deeper;
use crate::text::search::Haystack;
use crate::text::{indentation, is_blank, item_indentation};
use crate::version::LineChange;

/// Whether a change breaks a block of the file: its first line begins one, or goes on with one, at another depth than the lines
/// have that the block has.
///
/// The block below the line above goes on with the depth of its first line. Otherwise a line that is deeper begins a block of its
/// own, and one that is less deep goes on with a block around, or takes the place of a line that was so.
pub(super) fn breaks(context: &Context<'_>, hay: Haystack<'_>, change: &LineChange) -> bool {
    let language = context.limits.language();
    let says = |text: &[u8]| !is_blank(text) && !language.is_comment(text);
    let added = change.bytes.split(|b| matches!(b, b'\n' | b'\r')).find(|text| says(text));
    let Some(new) = added.map(indentation).filter(|_| language.is_indented()) else { return false };
    let says_at = |line: usize| Some(hay.text(line)).filter(|text| says(text));
    let mut above =
        (0..change.start).rev().take_while(|_| hay.budget().spend(1)).filter_map(says_at).peekable();
    let Some(&heading) = above.peek() else { return false };
    let over = indentation(heading);
    let first = |line: usize| (line..hay.line_count()).find_map(says_at);
    let (next, below) = (first(change.start), first(change.end));
    let opens = |inner: Option<&[u8]>| {
        inner.is_some_and(|text| match indentation(text) {
            // The items of a list may be as deep as its key.
            inner if inner == over => item_indentation(text).is_some() && item_indentation(heading).is_none(),
            inner => is_deeper(inner, over),
        })
    };
    if opens(next) && opens(below) {
        return next.map(indentation) != Some(new);
    }
    let stands =
        (change.start..change.end).filter_map(says_at).chain(below).any(|text| indentation(text) == new);
    // The block around that has its depth is the first that is not deeper.
    let around = above.map(indentation).find(|depth| !is_deeper(depth, new));
    !is_deeper(new, over) && !stands && around != Some(new)
}
