//! The places in a file that a search text matches.

use crate::diag::{self, Evidence, Surrounding};
use crate::span::LineRange;

/// A line with its number; `None` marks lines that are left out.
pub(super) type Line<'a> = Option<(usize, &'a str)>;

/// A place with at most this number of lines is shown whole, and this number at each end of a longer place.
const MAX_WHOLE: usize = 8;
const ENDS: usize = 3;

/// Lists the line numbers of at most `most` places: `lines 4, 18 and 2 more`.
pub(super) fn listed(evidence: &Evidence, most: usize) -> String {
    let noun = if evidence.candidates.len() == 1 { "line" } else { "lines" };
    format!("{noun} {}", diag::listed(&evidence.candidates, most))
}

/// The lines of the places, with the lines around them. A line that belongs to two neighbouring places appears once.
pub(super) fn lines(places: &[Surrounding]) -> Vec<Line<'_>> {
    let mut all: Vec<Line<'_>> = Vec::new();
    let mut last = None;
    for place in places {
        let LineRange { first, last: end } = place.lines;
        let is_inner = |line| end - first >= MAX_WHOLE && line >= first + ENDS && line + ENDS <= end;
        for (line, text) in place.excerpt.numbered().filter(|(line, _)| !is_inner(*line)) {
            if last.is_some_and(|last| line <= last) {
                continue;
            }
            if last.is_some_and(|last| line > last + 1) {
                all.push(None);
            }
            all.push(Some((line, text)));
            last = Some(line);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Excerpt;

    fn numbers(places: &[(usize, usize)]) -> Vec<Option<usize>> {
        let place = |&(first, last): &(usize, usize)| Surrounding {
            lines: LineRange { first, last },
            excerpt: Excerpt { line: first - 1, lines: vec![String::new(); last - first + 3] },
        };
        let places: Vec<_> = places.iter().map(place).collect();
        lines(&places).into_iter().map(|line| line.map(|(number, _)| number)).collect()
    }

    #[test]
    fn shared_lines_are_shown_once_and_gaps_are_marked() {
        let shown = [1, 2, 3, 4, 5].map(Some);
        assert_eq!(numbers(&[(2, 2), (3, 4)]), shown);
        assert_eq!(numbers(&[(2, 2), (6, 6)]), [Some(1), Some(2), Some(3), None, Some(5), Some(6), Some(7)]);
    }

    #[test]
    fn only_the_ends_of_a_long_place_are_shown() {
        let ends = [Some(1), Some(2), Some(3), Some(4), None, Some(9), Some(10), Some(11), Some(12)];
        assert_eq!(numbers(&[(2, 11)]), ends);
        assert_eq!(numbers(&[(2, 9)]).len(), 10);
    }
}
