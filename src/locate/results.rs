//! Results of a hunk in a file. A result is lines as the hunk would leave them, so the hunk may be applied there.

use super::alignment::Alignment;
use super::indent::{Pair, Shift};
use super::query::Query;
use super::tier::{LOOSEST, MatchMode, Scope};
use crate::pattern::{End, Pattern};
use crate::text::search::{Haystack, Place};
use crate::text::{Language, Normalization};
use std::collections::HashSet;

/// The places that have the result of a hunk.
pub(super) struct Results<'a> {
    query: &'a Query<'a>,
    match_mode: MatchMode,
    after: Pattern<'a>,
    /// Ascending.
    places: Vec<Place>,
}

impl<'a> Results<'a> {
    /// Finds the results of a hunk whose search text matches in this mode.
    pub(super) fn of(query: &'a Query<'a>, match_mode: MatchMode) -> Self {
        let Query { hay, pattern, .. } = *query;
        let after = Pattern::of_lines(pattern.after());
        let places = match match_mode.scope {
            Scope::Part => Vec::new(),
            // If result and search text are equal at tiers 1 to 6, only the bytes tell them apart.
            _ if after.solid().is_empty() || !differs(pattern, &after.before, LOOSEST) => {
                let tells = differs(pattern, &after.before, Normalization::Text);
                if tells { hay.whole_lines(&after.before, Normalization::Text) } else { Vec::new() }
            }
            Scope::SkippingBlanks if adds_solid_lines(pattern, &after) => {
                hay.skipping_blanks(&after.solid(), LOOSEST)
            }
            _ => hay.whole_lines(&after.before, LOOSEST),
        };
        Self { query, match_mode, after, places }
    }

    /// Whether a match of the search text is inside a result.
    pub(super) fn contain(&self, aligned: &Alignment) -> bool {
        let Query { context, hay, pattern, .. } = *self.query;
        let place = &aligned.place;
        if self.match_mode.scope == Scope::Part {
            return is_inside_result(hay, context.limits.language(), pattern, place);
        }
        // If the hunk adds only blank lines, the blank lines at the edges of the match count, too.
        let adds_lines = adds_solid_lines(pattern, &self.after);
        let mut lines = (place.first()..place.behind()).filter(|&line| !adds_lines || !hay.is_blank(line));
        let first = lines.next().unwrap_or(place.first());
        let last = lines.next_back().unwrap_or(first);
        let match_mode = MatchMode { scope: self.match_mode.scope, ..MatchMode::LOOSEST };
        // All lines of the result have the same prefix. Or their steps differ from the response as those of the search
        // text do, or in tabs for spaces.
        let is_indented = |result: &Place| {
            let Some(result) = Alignment::at(hay, &self.after, *result, match_mode) else { return false };
            let fits = |(written, real): &Pair| {
                written.contains(&b'\t') != real.contains(&b'\t')
                    || aligned.shift.of(written).as_ref() == Some(real)
            };
            !matches!(result.shift, Shift::Steps(_))
                || result.lost_indent.is_some()
                || result.indentations(hay, &self.after).iter().all(fits)
        };
        let from = self.places.partition_point(|result| result.behind() <= last);
        self.places[from..].iter().take_while(|result| result.first() <= first).any(|result| {
            hay.budget().spend(STEPS_PER_LINE * self.after.before.len() + 1)
                && !is_unfinished(hay, pattern, result)
                && is_indented(result)
        })
    }
}

/// Whether a match within a line is inside the result of its hunk.
fn is_inside_result(hay: Haystack<'_>, language: Language, pattern: &Pattern<'_>, place: &Place) -> bool {
    let after = pattern.after();
    let Some(text) = pattern.before.first() else { return false };
    after.iter().enumerate().any(|(index, line)| {
        let mut offsets = memchr::memmem::find_iter(line, text);
        let Some(first) = place.first().checked_sub(index) else { return false };
        offsets.any(|offset| {
            let Some(column) = place.start.column.checked_sub(offset) else { return false };
            after.iter().enumerate().all(|(at, line)| {
                let there = hay.text(first + at);
                let code =
                    || if hay.budget().spend(there.len() / 64 + 1) { language.split(there).0 } else { there };
                // The first of several lines continues to the end of its line, and the others begin where theirs do.
                match (at == index, at + 1 == after.len()) {
                    (true, true) => there.get(column..).is_some_and(|rest| rest.starts_with(line)),
                    (true, false) => {
                        let ends = |text: &[u8]| {
                            text.get(column..).is_some_and(|rest| Normalization::Trailing.eq(rest, line))
                        };
                        ends(there) || ends(code())
                    }
                    (false, _) => {
                        Normalization::Trimmed.eq(there, line) || Normalization::Trimmed.eq(code(), line)
                    }
                }
            })
        })
    })
}

/// The cost, in steps, of comparing a line and its indentation.
const STEPS_PER_LINE: usize = 16;

/// Whether a hunk adds lines that are not blank.
fn adds_solid_lines(pattern: &Pattern<'_>, after: &Pattern<'_>) -> bool {
    after.solid().len() > pattern.solid().len()
}

/// Whether lines are not yet the result of a hunk because it ends the file without a newline, and they do not.
pub(super) fn is_unfinished(hay: Haystack<'_>, pattern: &Pattern<'_>, result: &Place) -> bool {
    let is_at_end = || !hay.content().ends_with_newline() && result.behind() == hay.line_count();
    pattern.end == End::Nothing && !is_at_end()
}

/// Whether search text and result differ in a normalization.
fn differs(pattern: &Pattern<'_>, after: &[&[u8]], normalization: Normalization) -> bool {
    after.len() != pattern.before.len()
        || after.iter().zip(&pattern.before).any(|(a, b)| !normalization.eq(a, b))
}

/// Whether a normalization tells the result from the search text: no added line equals a removed line in it, unless
/// both have the same bytes.
pub(super) fn tells_result(pattern: &Pattern<'_>, normalization: Normalization) -> bool {
    let removed: HashSet<_> = pattern.removed().map(|text| (normalization.hash(text), text)).collect();
    let hashes: HashSet<u64> = removed.iter().map(|(hash, _)| *hash).collect();
    let is_told = |text: &[u8]| {
        !hashes.contains(&normalization.hash(text)) || removed.contains(&(normalization.hash(text), text))
    };
    pattern.added().all(is_told)
}
