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

/// For each place the last of `others` that it lies inside. Both lists ascend in starts and in ends, as the places of
/// one text do.
pub(super) fn around(places: &[Place], others: &[Place]) -> Vec<Option<usize>> {
    let mut at = 0;
    let mut around = |place: &Place| {
        while others.get(at + 1).is_some_and(|next| next.start <= place.start) {
            at += 1;
        }
        let other = others.get(at)?;
        (other.start <= place.start && place.end <= other.end).then_some(at)
    };
    places.iter().map(&mut around).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_inside_the_last_other_that_begins_no_later() {
        let places: Vec<Place> = [(0, 1), (2, 3), (5, 6)].map(|(s, e)| Place::lines(s, e)).into();
        let others: Vec<Place> = [(1, 3), (2, 4), (6, 8)].map(|(s, e)| Place::lines(s, e)).into();
        assert_eq!(around(&places, &others), [None, Some(1), None]);
        assert_eq!(around(&places, &[]), [None, None, None]);
    }
}
