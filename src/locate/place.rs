//! Places in a file.

/// A position: a line, from 0, and a byte column in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Point {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// Where a text stands: whole lines (`end` at the start of the line behind them) or part of some.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) start: Point,
    pub(super) end: Point,
}

impl Place {
    /// Whole lines.
    pub(super) fn lines(start: usize, end: usize) -> Self {
        Self { start: Point { line: start, column: 0 }, end: Point { line: end, column: 0 } }
    }

    /// Whether it shares anything with a place that begins no earlier.
    pub(super) fn overlaps(&self, next: &Place) -> bool {
        next.start < self.end
    }
}

/// For each place whether it lies inside one of `others`. Both lists ascend in starts and in ends, as the places of one
/// text do.
pub(super) fn inside(places: &[Place], others: &[Place]) -> Vec<bool> {
    let mut at = 0;
    let within = |place: &Place| {
        while others.get(at + 1).is_some_and(|next| next.start <= place.start) {
            at += 1;
        }
        others.get(at).is_some_and(|other| other.start <= place.start && place.end <= other.end)
    };
    places.iter().map(within).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_inside_the_last_other_that_begins_no_later() {
        let places: Vec<Place> = [(0, 1), (2, 3), (5, 6)].map(|(s, e)| Place::lines(s, e)).into();
        let others: Vec<Place> = [(1, 3), (2, 4), (6, 8)].map(|(s, e)| Place::lines(s, e)).into();
        assert_eq!(inside(&places, &others), [false, true, false]);
        assert_eq!(inside(&places, &[]), [false, false, false]);
    }
}
