//! Equal hunks of one edit.

use crate::edit::{Anchor, Change, Hunk};
use crate::locate::tier::LOOSEST;
use crate::pattern::Pattern;
use crate::text::search::Haystack;
use std::collections::BTreeMap;

/// How a hunk compares with the other hunks of its edit.
pub(super) struct Equal {
    /// Whether another hunk has the same change.
    pub(super) is_repeated: bool,
    /// Whether it repeats an earlier hunk that has only one possible place.
    pub(super) is_duplicate: bool,
    /// How many equal hunks follow each other from this one on, this one included.
    pub(super) in_row: usize,
}

/// Compares each hunk with the others.
#[expect(clippy::mutable_key_type, reason = "a text is the same before it is made and after")]
pub(super) fn equals<'h>(hay: Haystack<'_>, hunks: &'h [Hunk]) -> Vec<Equal> {
    let mut counts: BTreeMap<&Change, usize> = BTreeMap::new();
    for hunk in hunks {
        *counts.entry(&hunk.change).or_default() += 1;
    }
    // Whether equal hunks have only one place is looked up when the second of them is seen.
    let mut known: BTreeMap<(&Change, &Anchor), Option<bool>> = BTreeMap::new();
    let of = |hunk: &'h Hunk| {
        let key = (&hunk.change, &hunk.anchor);
        let is_repeated = counts.get(key.0).is_some_and(|count| *count > 1);
        let is_duplicate = match known.get_mut(&key) {
            Some(has_one) => *has_one.get_or_insert_with(|| has_one_place(hay, hunk)),
            None if is_repeated => known.insert(key, None).is_some(),
            None => false,
        };
        Equal { is_repeated, is_duplicate, in_row: 1 }
    };
    let mut equals: Vec<Equal> = hunks.iter().map(of).collect();
    for at in (1..hunks.len()).rev() {
        let [above, below] = [&hunks[at - 1], &hunks[at]];
        if (&above.change, &above.anchor) == (&below.change, &below.anchor) {
            equals[at - 1].in_row = equals[at].in_row + 1;
        }
    }
    equals
}

/// Whether a hunk has only one possible place: its line number or its heading names it, or its search text has no other
/// match.
fn has_one_place(hay: Haystack<'_>, hunk: &Hunk) -> bool {
    let pattern = Pattern::readings(&hunk.change).pop();
    match (&hunk.anchor, pattern) {
        (Anchor::Line { old_start: Some(_), .. }, _) => true,
        (anchor, Some(pattern)) if pattern.before.is_empty() => matches!(anchor, Anchor::Line { .. }),
        (_, Some(pattern)) => hay.skipping_blanks(&pattern.solid(), LOOSEST).len() <= 1,
        (_, None) => false,
    }
}
