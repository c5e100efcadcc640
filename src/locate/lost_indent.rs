//! The first line of a search text that lost its indentation, while all other lines have that of the file.
//!
//! ```text
//! file:  `    f(a,`      search text:  `f(a,`
//!        `      b)`                    `      b)`
//! ```

use crate::pattern::{Pattern, Step};
use crate::text::{indentation, is_blank, step_indentation};

/// Whether the replacement may lack the indentation in its first line only, too. This is asked if the search text has a
/// single line, so that no other matched line shows it.
///
/// `lost` is the indentation that the search text lost, `below` is that of the next line of the file, and `lines` are
/// those of the replacement, each with whether it is added.
pub(super) fn may_lack_alone(lost: &[u8], below: &[u8], lines: &[(&[u8], bool)]) -> bool {
    let is_first_new = lines.first().is_some_and(|(_, new)| *new);
    // If an indented line is added above the context line, the context line is the one that lost its indentation:
    // `a();` is replaced by `    b();` and `a();`. So its depth says nothing.
    let is_first_indented =
        is_first_new && lines.first().is_some_and(|(text, _)| !step_indentation(text).is_empty());
    let later = lines.iter().skip(1).filter(|(text, new)| !is_blank(text) && (*new || !is_first_indented));
    let depths: Vec<usize> = later.map(|(text, _)| step_indentation(text).len()).collect();
    // The next line of the file must not be deeper than the last line of the replacement. But if the matched line is
    // replaced, it may have been the head of a block, and the lines of that block are deeper.
    let depth_below = if is_first_new { below.len().min(lost.len()) } else { below.len() };
    let file_continues = depths.last().is_none_or(|last| depth_below <= *last);
    // The added first line would be indented above lines that are all shallower: `        a();` is replaced by `if b {`
    // and `    a();`.
    let is_above_shallower =
        is_first_new && !depths.is_empty() && depths.iter().all(|depth| *depth < lost.len());
    // If another line begins in the first column, too, the first line is not the only one without indentation.
    let fits = !depths.contains(&0) && file_continues && !is_above_shallower;
    // But at the end of a block, the replacement may end that block and begin the next one in the first column, so that
    // the line below ends the new block: `a();` is replaced by `b();`, `}`, ``, `fn g() {`, `    a();`.
    let begins_block = |pair: &[(&[u8], bool)]| {
        let [(above, _), (text, new)] = pair else { return false };
        is_blank(above) && *new && !is_blank(text) && step_indentation(text).is_empty()
    };
    let ends_in_next_block =
        || depths.last().is_some_and(|last| *last > 0) && lines.windows(2).any(begins_block);
    fits || below.len() < lost.len() && ends_in_next_block()
}

/// Whether the first line of the replacement may be another line of the search text than the one that lost its
/// indentation, and so may need another indentation. It equals a line at another depth, or the lines that it replaces
/// are more and not all at the same depth:
/// ```text
/// search text:  `if a {`           replacement:  `b();`
///               `        b();`
///               `    }`
/// ```
pub(super) fn may_be_of_other_line(pattern: &Pattern<'_>, lost: &[u8]) -> bool {
    let changes = || pattern.steps.iter().take_while(|step| !matches!(step, Step::Keep(_)));
    let is_removal = |step: &&Step<'_>| matches!(step, Step::Remove(_));
    let removed = changes().filter(is_removal).count();
    let Some(Step::Add(first)) = changes().find(|step| matches!(step, Step::Add(_))) else { return false };
    let solid = pattern.before.iter().enumerate().filter(|(_, text)| !is_blank(text)).skip(1);
    let mut at_other_depth = solid.filter(|(_, text)| indentation(text) != lost);
    let adds_fewer = changes().count() < 2 * removed;
    at_other_depth.any(|(at, text)| text.trim_ascii() == first.trim_ascii() || adds_fewer && at < removed)
}
