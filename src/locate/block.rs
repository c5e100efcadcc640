//! Blocks of languages in which indentation is syntax: an added line goes on with one at the depth of its lines.

use super::indent::is_deeper;
use super::scene::Scene;
use crate::text::search::Haystack;
use crate::text::{indentation, is_blank};
use crate::version::LineChange;

/// Whether a change breaks a block of the file: its first line begins one, or goes on with one, at another depth than the lines
/// have that the block has.
///
/// The block below the line above goes on with the depth of its first line. Otherwise a line that is deeper begins a block of its
/// own, and one that is less deep goes on with a block around, or takes the place of a line that was so.
pub(super) fn breaks(scene: &Scene<'_>, hay: Haystack<'_>, change: &LineChange) -> bool {
    let language = scene.limits.language();
    let says = |text: &[u8]| !is_blank(text) && !language.is_comment(text);
    let added = change.bytes.split(|b| matches!(b, b'\n' | b'\r')).find(|text| says(text));
    let Some(new) = added.map(indentation).filter(|_| language.is_indented()) else { return false };
    let above = (0..change.start).rev().take_while(|_| hay.effort().spend(1));
    let mut above = above.map(|line| hay.text(line)).filter(|text| says(text));
    let Some(heading) = above.next() else { return false };
    let over = indentation(heading);
    let first =
        |line: usize| hay.lines(line..hay.line_count()).map(|(_, line)| line.text).find(|text| says(text));
    let (next, below) = (first(change.start), first(change.end));
    // The items of a list may be as deep as its key.
    let is_item =
        |text: &[u8]| of_item(text).is_some() && indentation(text) == over && of_item(heading).is_none();
    let opens =
        |inner: Option<&[u8]>| inner.is_some_and(|text| is_deeper(indentation(text), over) || is_item(text));
    if opens(next) && opens(below) {
        return next.map(indentation) != Some(new);
    }
    if is_deeper(new, over) {
        return false;
    }
    let removed = hay.lines(change.start..change.end).map(|(_, line)| line.text).filter(|text| says(text));
    let stands = removed.chain(below).any(|text| indentation(text) == new);
    // Each block around is less deep than those in it.
    let mut inner = over;
    let mut around = above.map(indentation).filter(|depth| {
        let is_around = is_deeper(inner, depth);
        inner = if is_around { depth } else { inner };
        is_around
    });
    new != over && !stands && !around.any(|depth| depth == new)
}

/// What the lines of an item are indented by that a dash begins, as in YAML; none of another line.
pub(super) fn of_item(text: &[u8]) -> Option<Vec<u8>> {
    let item = text.trim_ascii().strip_prefix(b"-")?;
    let width = 1 + item.len() - item.trim_ascii_start().len();
    (width > 1).then(|| [indentation(text), &b" ".repeat(width)].concat())
}
