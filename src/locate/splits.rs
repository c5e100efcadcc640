//! Chooses the divider of a SEARCH/REPLACE block if several lines of it look like dividers.

use super::Context;
use super::already_applied::{already_applied, nearly_has};
use super::matches::find;
use super::query::Query;
use super::tier::LOOSEST;
use crate::edit::Change;
use crate::pattern::Pattern;
use crate::text::search::Haystack;

/// Returns the reading of a change that is meant; `None` if there are too many readings.
///
/// The longest search text that the file has is meant. But if the file nearly has a longer one, that one is meant and
/// has drifted, because a shorter one would take lines of the search text for the replacement. If the file has none of
/// them, the first reading that is already applied is meant, or else the shortest.
pub(super) fn meant_reading<'a>(
    context: &Context<'_>,
    hay: Haystack<'_>,
    change: &'a Change,
) -> Option<Pattern<'a>> {
    let mut readings = Pattern::readings(change);
    if readings.len() < 2 {
        return readings.pop();
    }
    let has = |pattern: &Pattern<'_>| {
        find(&Query::anywhere(context, hay, pattern)).map_or(true, |matches| !matches.places.is_empty())
    };
    let is_applied =
        |pattern: &Pattern<'_>| already_applied(&Query::anywhere(context, hay, pattern)).is_some();
    let meant = match readings.iter().position(has) {
        Some(first) => {
            let (longer, shorter) = readings.split_at(first);
            longer.iter().position(|longer| is_drifted(hay, longer, &shorter[0])).unwrap_or(first)
        }
        None => readings.iter().position(is_applied).unwrap_or(readings.len() - 1),
    };
    Some(readings.swap_remove(meant))
}

/// Whether the file nearly has the longer one of two search texts, while it has the shorter one. It also has the
/// divider line below the shorter one; or it has six in ten of the lines of the longer one, and more lines than the
/// shorter one has.
fn is_drifted(hay: Haystack<'_>, longer: &Pattern<'_>, shorter: &Pattern<'_>) -> bool {
    let cut = shorter.before.len();
    let with_divider = longer.before.get(..=cut).unwrap_or_default();
    // If the longer reading has no replacement, its divider may be a repetition at the end. Then its search text
    // includes the whole replacement.
    !hay.whole_lines(with_divider, LOOSEST).is_empty()
        || !longer.after().is_empty()
            && nearly_has(hay, &longer.lines_with_words(), shorter.lines_with_words().len() + 1, |_| true)
}
