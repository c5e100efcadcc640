//! A search text at a place of the file: which line of the file each of its lines matches, and how the indentation
//! differs.

use super::indent::{Pair, Shift};
use super::tier::{MatchMode, Scope};
use crate::pattern::{End, Pattern};
use crate::text::search::{Haystack, Place};
use crate::text::{indentation, is_blank, step_indentation};
use std::collections::HashSet;

/// A search text at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Alignment {
    /// The place, with the blank lines at its edges that the search text has, too.
    pub(super) place: Place,
    /// The match mode of the place.
    pub(super) match_mode: MatchMode,
    /// The shift from the indentation of the search text to that of the file.
    pub(super) shift: Shift,
    /// The indentation that the first line of the search text lost, if all other lines are indented as in the file. If
    /// [`Alignment::shift`] changes something, there are two readings: this one and the shift.
    pub(super) lost_indent: Option<Vec<u8>>,
    /// The similarity in percent, if lines differ in more than whitespace and look-alikes.
    pub(super) similarity: Option<u8>,
    /// The line of the file for each line of the search text; `None` for a line that the file lacks there, which is
    /// blank or an elision. If the whole field is `None`, the lines are consecutive.
    lines: Option<Vec<Option<usize>>>,
}

impl Alignment {
    /// Aligns the search text with a place that it matches in this match mode. `None` if no mapping of the indentation
    /// fits all lines.
    pub(super) fn at(
        hay: Haystack<'_>,
        pattern: &Pattern<'_>,
        place: Place,
        match_mode: MatchMode,
    ) -> Option<Self> {
        let lines = match match_mode.scope {
            Scope::Whole | Scope::Part => None,
            Scope::SkippingBlanks => Some(pair_lines(hay, &pattern.before, &place)),
        };
        Self::of(hay, pattern, place, match_mode, lines)
    }

    /// Aligns the search text with a place, given the line of the file for each of its lines, unless these are
    /// consecutive.
    pub(super) fn of(
        hay: Haystack<'_>,
        pattern: &Pattern<'_>,
        place: Place,
        match_mode: MatchMode,
        lines: Option<Vec<Option<usize>>>,
    ) -> Option<Self> {
        let mut aligned = Self::new(place, match_mode, lines);
        aligned.extend_place(pattern);
        if match_mode.is_shifted() {
            (aligned.shift, aligned.lost_indent) = aligned.shift_and_lost_indent(hay, pattern)?;
        }
        Some(aligned)
    }

    /// The alignment of an empty search text, before a line.
    pub(super) fn of_nothing(line: usize) -> Self {
        Self::new(Place::lines(line, line), MatchMode::EXACT, None)
    }

    fn new(place: Place, match_mode: MatchMode, lines: Option<Vec<Option<usize>>>) -> Self {
        Self { place, match_mode, shift: Shift::None, lost_indent: None, similarity: None, lines }
    }

    /// The same alignment with the blank lines paired from below; `None` if that makes no difference.
    pub(super) fn paired_from_below(&self, hay: Haystack<'_>, pattern: &Pattern<'_>) -> Option<Self> {
        let other = pair_blank_lines(hay, &pattern.before, self.lines.clone()?, true);
        (self.lines.as_ref() != Some(&other)).then(|| {
            let mut from_below = Self { lines: Some(other), ..self.clone() };
            from_below.extend_place(pattern);
            from_below
        })
    }

    /// The line of the file for a line of the search text.
    pub(super) fn line(&self, before: usize) -> Option<usize> {
        match &self.lines {
            None => Some(self.place.first() + before),
            Some(lines) => lines.get(before).copied().flatten(),
        }
    }

    /// The lines of the search text that the file has, each with its line in the file.
    pub(super) fn pairs<'p>(
        &'p self,
        pattern: &'p Pattern<'_>,
    ) -> impl Iterator<Item = (usize, usize)> + use<'p> {
        (0..pattern.before.len()).filter_map(|before| Some((before, self.line(before)?)))
    }

    /// Extends the place by the blank lines that are matched at its edges.
    fn extend_place(&mut self, pattern: &Pattern<'_>) {
        if self.lines.is_some() {
            let first = self.pairs(pattern).map(|(_, line)| line).min();
            let last = self.pairs(pattern).map(|(_, line)| line).max();
            if let (Some(first), Some(last)) = (first, last) {
                self.place = Place::lines(first.min(self.place.first()), (last + 1).max(self.place.behind()));
            }
        }
    }

    /// The indentation of each matched line that is not blank, in the search text and in the file.
    pub(super) fn indentations(&self, hay: Haystack<'_>, pattern: &Pattern<'_>) -> Vec<Pair> {
        self.lines_and_indentations(hay, pattern).into_iter().map(|(_, pair)| pair).collect()
    }

    /// As [`Alignment::indentations`], each with the index of its line in the search text.
    fn lines_and_indentations(&self, hay: Haystack<'_>, pattern: &Pattern<'_>) -> Vec<(usize, Pair)> {
        let normalization = self.match_mode.aligned_normalization();
        let pair = |written: &[u8], real: &[u8]| {
            let texts = [written, real].map(|text| normalization.of(text));
            let indents = texts.each_ref().map(|text| indentation(text));
            let steps = texts.each_ref().map(|text| step_indentation(text));
            // If both lines have the space that aligns the star of a comment, it does not count.
            let have_star = indents.iter().zip(&steps).all(|(indent, step)| step.len() < indent.len());
            let [written, real] = if have_star { steps } else { indents };
            (written.to_vec(), real.to_vec())
        };
        let texts =
            self.pairs(pattern).map(|(before, line)| (before, pattern.before[before], hay.text(line)));
        texts
            .filter(|(_, written, real)| {
                !is_blank(written) && self.match_mode.normalization.eq(written, real)
            })
            .map(|(before, written, real)| (before, pair(written, real)))
            .collect()
    }

    /// Returns the shift of all lines, and the indentation that the first line lost, if all others are indented as in
    /// the file. `None` if neither explains the indentation of the file.
    fn shift_and_lost_indent(
        &self,
        hay: Haystack<'_>,
        pattern: &Pattern<'_>,
    ) -> Option<(Shift, Option<Vec<u8>>)> {
        let matched = self.lines_and_indentations(hay, pattern);
        let same = |(_, (written, real)): &(usize, Pair)| written == real;
        if pattern.end != End::AsFile {
            let kept: HashSet<usize> = pattern.kept().collect();
            let lost_mark = |(before, (written, real)): &(usize, Pair)| {
                kept.contains(before) && real.strip_suffix(&**written) == Some(b" ")
            };
            // The mark of a context line in a diff is a space. If context lines alone lack one space, they have lost
            // their mark, and nothing is shifted.
            if matched.iter().all(|line| same(line) || lost_mark(line)) {
                return Some((Shift::None, None));
            }
        }
        let first = matched.split_first().and_then(|((before, (written, real)), rest)| {
            let is_first = pattern.before[..*before].iter().all(|text| is_blank(text));
            let is_lost = written.is_empty() && !real.is_empty();
            (is_first && is_lost && rest.iter().all(same)).then(|| real.clone())
        });
        let pairs: Vec<Pair> = matched.into_iter().map(|(_, pair)| pair).collect();
        let shift = Shift::between(&pairs).filter(Shift::is_uniform);
        Some((shift.or(first.as_ref().map(|_| Shift::None))?, first))
    }
}

/// Pairs the lines of a search text with those of a place that begins and ends with a line that is not blank.
fn pair_lines(hay: Haystack<'_>, before: &[&[u8]], place: &Place) -> Vec<Option<usize>> {
    let mut lines: Vec<Option<usize>> = vec![None; before.len()];
    let mut real = (place.first()..place.behind()).filter(|&line| !hay.is_blank(line));
    for (index, text) in before.iter().enumerate() {
        if !is_blank(text) {
            lines[index] = real.next();
        }
    }
    pair_blank_lines(hay, before, lines, false)
}

/// Pairs the blank lines of a search text with those of the file, after the other lines are paired. If one side has
/// more blank lines between two other lines, they are paired from above or from below:
/// ```text
/// search text:  `a`, ``, `b`      file:  `a`, ``, ``, `b`      from above: with the first, from below: with the second
/// ```
/// Blank lines at the edges are paired from the nearest other line.
fn pair_blank_lines(
    hay: Haystack<'_>,
    before: &[&[u8]],
    mut lines: Vec<Option<usize>>,
    is_from_below: bool,
) -> Vec<Option<usize>> {
    for (line, _) in lines.iter_mut().zip(before).filter(|(_, text)| is_blank(text)) {
        *line = None;
    }
    let mut index = 0;
    while let Some(start) = (index..before.len()).find(|&at| lines[at].is_none()) {
        let end = (start..before.len()).find(|&at| !is_blank(before[at])).unwrap_or(before.len());
        let above = start.checked_sub(1).and_then(|at| lines[at]);
        let below = lines.get(end).copied().flatten();
        let blanks = |line: &usize| hay.is_blank(*line);
        let (from, to) = match (above, below) {
            (Some(above), Some(below)) => (above + 1, below),
            (Some(above), None) => {
                (above + 1, above + 1 + (above + 1..).take_while(blanks).take(end - start).count())
            }
            (None, Some(below)) => {
                (below - (0..below).rev().take_while(blanks).take(end - start).count(), below)
            }
            (None, None) => (0, 0),
        };
        let count = (end - start).min(to.saturating_sub(from));
        // Above the first other line they are paired from that line upwards.
        let from_below = above.is_none() || below.is_some() && is_from_below;
        for step in 0..count {
            let (written, line) =
                if from_below { (end - 1 - step, to - 1 - step) } else { (start + step, from + step) };
            lines[written] = Some(line);
        }
        index = end.max(start + 1);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Content;
    use crate::text::search::Budget;

    fn pairs(file: &str, before: &[&str], start: usize, end: usize, from_below: bool) -> Vec<Option<usize>> {
        let before: Vec<&[u8]> = before.iter().map(|line| line.as_bytes()).collect();
        let (content, budget) = (Content::new(file.as_bytes()), Budget::default());
        let hay = Haystack::new(&content, &budget);
        pair_blank_lines(hay, &before, pair_lines(hay, &before, &Place::lines(start, end)), from_below)
    }

    #[test]
    fn blank_lines_that_both_sides_have_are_paired() {
        assert_eq!(pairs("a\n\n\nb\n", &["a", "", "b"], 0, 4, false), [Some(0), Some(1), Some(3)]);
        assert_eq!(pairs("a\n\n\nb\n", &["a", "", "b"], 0, 4, true), [Some(0), Some(2), Some(3)]);
        assert_eq!(pairs("a\n\nb\n", &["a", "", "", "b"], 0, 3, false), [Some(0), Some(1), None, Some(2)]);
        assert_eq!(pairs("a\n\nb\n", &["a", "", "", "b"], 0, 3, true), [Some(0), None, Some(1), Some(2)]);
        assert_eq!(pairs("a\nb\n", &["a", "", "b"], 0, 2, false), [Some(0), None, Some(1)]);
        let edges = ["", "", "a", "", ""];
        for blanks in [false, true] {
            let paired = pairs("x\n\na\n\ny\n", &edges, 2, 3, blanks);
            assert_eq!(paired, [None, Some(1), Some(2), Some(3), None], "at the edges too");
        }
    }
}
