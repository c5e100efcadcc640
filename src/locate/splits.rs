//! The readings of a hunk whose divider is uncertain, because lines of its texts look like dividers.

use super::Context;
use super::already_applied::nearly_has;
use super::bounds::Bounds;
use super::matches::find;
use super::query::Query;
use super::tier::LOOSEST;
use crate::edit::Change;
use crate::pattern::Pattern;
use crate::text::search::Haystack;

/// The readings of a change, the longest search text first, and the index of the first that the file has, if there are
/// several.
///
/// The first that the file has is meant. But if the file nearly has a longer one, that one is meant and has drifted:
/// the shorter ones would take lines of the search text for the replacement, and are left out.
pub(super) fn readings<'a>(
    context: &Context<'_>,
    hay: Haystack<'_>,
    change: &'a Change,
) -> (Vec<Pattern<'a>>, Option<usize>) {
    let mut readings = Pattern::readings(change);
    let matching = first_matching(context, hay, &readings);
    if let Some(matching) = matching {
        let (longer, shorter) = readings.split_at(matching);
        if longer.iter().any(|longer| is_drifted(hay, longer, &shorter[0])) {
            readings.truncate(matching);
            return (readings, None);
        }
    }
    (readings, matching)
}

/// The first of several readings that the file has.
fn first_matching(context: &Context<'_>, hay: Haystack<'_>, readings: &[Pattern<'_>]) -> Option<usize> {
    let has = |pattern: &Pattern<'_>| {
        find(&Query { context, hay, pattern, bounds: &Bounds::NONE }).map_or(true, |search| search.is_ok())
    };
    if readings.len() > 1 { readings.iter().position(has) } else { None }
}

/// Whether the file nearly has the longer one of two search texts, and has the shorter one: it has the divider line
/// that ends the shorter one, or six in ten of the lines of the longer one and more than the shorter one has.
fn is_drifted(hay: Haystack<'_>, longer: &Pattern<'_>, shorter: &Pattern<'_>) -> bool {
    let cut = shorter.before.len();
    let with_divider = longer.before.get(..=cut).unwrap_or_default();
    // A divider at the end may be a duplicate, so that the longer search text contains all of the replacement.
    !hay.whole_lines(with_divider, LOOSEST).is_empty()
        || !longer.after().is_empty()
            && nearly_has(hay, &longer.telling(), shorter.telling().len() + 1, |_| true)
}
