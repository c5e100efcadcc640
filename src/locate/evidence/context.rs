//! Calculates how many context lines make a match unique.

use crate::locate::thresholds::{MAX_CONTEXT_LINES, MAX_CONTEXT_PLACES};
use crate::text::Content;
use crate::text::search::{Budget, Place};
use std::collections::HashMap;

/// Returns the smallest number of context lines, before and after each place, that tells all of these places apart.
/// `None` if there are too many places, if [`MAX_CONTEXT_LINES`] do not suffice, or if the budget is spent.
pub(super) fn calculate_min_context(content: &Content, places: &[Place], budget: &Budget) -> Option<usize> {
    let text = |line: usize| content.line(line).map(|line| line.text);
    // Places with the same number have the same context so far. At the edge of the file there is no further line, which
    // also tells a place from others.
    let mut groups = vec![0; places.len()];
    for context in (1..=MAX_CONTEXT_LINES).filter(|_| places.len() <= MAX_CONTEXT_PLACES) {
        if !budget.spend_on_evidence(places.len() * 17) {
            return None;
        }
        let mut numbers = HashMap::new();
        for (group, place) in groups.iter_mut().zip(places) {
            let end = place.end.line.max(place.start.line + 1);
            let above = place.start.line.checked_sub(context).and_then(text);
            let next = numbers.len();
            *group = *numbers.entry((*group, above, text(end + context - 1))).or_insert(next);
        }
        if numbers.len() == places.len() {
            return Some(context);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_context_that_tells_places_apart() {
        let needed = |text: &str, lines: &[usize]| {
            let places: Vec<Place> = lines.iter().map(|&line| Place::lines(line, line + 1)).collect();
            calculate_min_context(&Content::new(text.as_bytes()), &places, &Budget::default())
        };
        assert_eq!(needed("a\nx\nb\nc\nx\nd\n", &[1, 4]), Some(1));
        assert_eq!(needed("p\na\nx\nb\nq\na\nx\nb\n", &[2, 6]), Some(2));
        assert_eq!(needed("x\nx\n", &[0, 1]), Some(1), "the edges of the file differ");
        assert_eq!(needed(&"x\n".repeat(1000), &[400, 600]), None, "no one adds that many lines");
        assert_eq!(needed("x x\n", &[0, 0]), None, "no line tells them apart");
    }
}
