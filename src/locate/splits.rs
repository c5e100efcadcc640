//! Which readings a hunk has, where its divider is in doubt because lines of its texts look like dividers.

use super::Context;
use super::already_applied::nearly_has;
use super::matches::find;
use super::pointer::Pointers;
use super::query::Query;
use super::tier::LOOSEST;
use crate::edit::Change;
use crate::pattern::Pattern;
use crate::text::search::Haystack;

/// The readings of a change, the longest search text first.
///
/// The first that the file has is meant. But where the file nearly has a longer one, that is meant and has drifted: the shorter
/// ones would take lines of the search text for the replacement, and are left out.
pub(super) fn readings<'a>(context: &Context<'_>, hay: Haystack<'_>, change: &'a Change) -> Vec<Pattern<'a>> {
    let mut readings = Pattern::readings(change);
    if let Some(known) = first_found(context, hay, &readings) {
        let (longer, shorter) = readings.split_at(known);
        if longer.iter().any(|longer| is_drifted(hay, longer, &shorter[0])) {
            readings.truncate(known);
        }
    }
    readings
}

/// The first of several readings that the file has.
pub(super) fn first_found(
    context: &Context<'_>,
    hay: Haystack<'_>,
    readings: &[Pattern<'_>],
) -> Option<usize> {
    let has = |pattern: &Pattern<'_>| {
        find(&Query { context, hay, pattern, pointers: &Pointers::NONE })
            .map_or(true, |search| search.is_ok())
    };
    if readings.len() > 1 { readings.iter().position(has) } else { None }
}

/// Whether the file nearly has the longer one of two search texts, and has the shorter one: it has the line at which the shorter
/// one is cut off, or six in ten of the lines, and some that the shorter one has not.
fn is_drifted(hay: Haystack<'_>, longer: &Pattern<'_>, shorter: &Pattern<'_>) -> bool {
    let cut = shorter.before.len();
    let with_divider = longer.before.get(..=cut).unwrap_or_default();
    // A divider before the end may be a duplicate, so that the longer text has all of the replacement, too.
    !hay.whole_lines(with_divider, LOOSEST).is_empty()
        || !longer.after().is_empty()
            && nearly_has(hay, &longer.telling(), shorter.telling().len() + 1, |_| true)
}
