//! How many lines of context make a place unique.

use crate::locate::thresholds::CONTEXT_PLACES;
use crate::text::search::{Budget, Place};
use crate::text::{Content, Normalization};
use std::collections::HashSet;

/// The least number of lines such that no two runs of that many consecutive lines of the file are equal: whatever is copied
/// from it with that many lines stands there once. 0 for an empty file.
///
/// Line endings do not count. The rule is applydir's.
///
/// ```
/// use git_llm_apply::{locate::calculate_min_context, text::Content};
///
/// assert_eq!(calculate_min_context(&Content::new(b"a\nb\nc\n")), 1);
/// assert_eq!(calculate_min_context(&Content::new(b"a\nb\na\nb\nc\n")), 3);
/// ```
pub fn calculate_min_context(content: &Content) -> usize {
    let sums = Sums::new(content);
    let lines = content.line_count();
    let all_differ = |length: usize| {
        let mut seen = HashSet::with_capacity(lines);
        (0..=lines - length).all(|start| seen.insert(sums.of(start, start + length)))
    };
    least(1, lines, all_differ)
}

/// [`calculate_min_context`], where the file is not too long to say it in passing.
pub(super) fn unique_lines(content: &Content, budget: &Budget) -> Option<usize> {
    // A hash set of all lines for every halving of their number.
    let rounds = usize::BITS - content.line_count().leading_zeros();
    let steps = content.line_count().saturating_mul(rounds as usize).saturating_mul(4);
    budget.spend_on_evidence(steps).then(|| calculate_min_context(content))
}

/// The least number of lines of context before and after each of several places with which no two of them are alike.
/// None if there are too many, or the budget is spent.
pub(super) fn needed(content: &Content, places: &[Place], budget: &Budget) -> Option<usize> {
    let lines = content.line_count();
    if places.len() > CONTEXT_PLACES || !budget.spend_on_evidence(lines / 8 + places.len() * 17) {
        return None;
    }
    let sums = Sums::new(content);
    let all_differ = |context: usize| {
        let mut seen = HashSet::with_capacity(places.len());
        places.iter().all(|place| {
            // At an edge of the file there is less context, which tells places apart too.
            let above = context.min(place.start.line);
            let end = place.end.line.max(place.start.line + 1).min(lines);
            let below = context.min(lines - end);
            seen.insert((sums.of(place.start.line - above, end + below), context - above, context - below))
        })
    };
    Some(least(1, lines, all_differ))
}

/// The least number of a range for which something holds that holds for all greater ones, and for the last.
fn least(first: usize, last: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (first.min(last), last);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// Sums over lines from which the hash of any run of them follows: a polynomial modulo a prime.
struct Sums {
    sums: Vec<u64>,
    powers: Vec<u64>,
}

/// 2^61 - 1.
const PRIME: u64 = (1 << 61) - 1;

/// Any number of about that size.
const RADIX: u64 = 1_442_695_040_888_963_407;

impl Sums {
    fn new(content: &Content) -> Self {
        let (mut sums, mut powers) = (vec![0], vec![1]);
        let (mut sum, mut power) = (0, 1);
        for line in content.lines(0..content.line_count()) {
            let hash = Normalization::Text.hash(line.text);
            sum = (times(sum, RADIX) + hash % PRIME) % PRIME;
            power = times(power, RADIX);
            sums.push(sum);
            powers.push(power);
        }
        Self { sums, powers }
    }

    /// The hash of the lines from `start` to before `end`.
    fn of(&self, start: usize, end: usize) -> u64 {
        let shifted = times(self.sums[start], self.powers[end - start]);
        (self.sums[end] + PRIME - shifted) % PRIME
    }
}

fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b) % u128::from(PRIME);
    u64::try_from(product).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_length_at_which_all_runs_differ() {
        let of = |text: &str| calculate_min_context(&Content::new(text.as_bytes()));
        assert_eq!(of(""), 0);
        assert_eq!(of("a\n"), 1);
        assert_eq!(of("a\na\n"), 2);
        assert_eq!(of("a\nb\nc\na\nb\nd\n"), 3);
        assert_eq!(of(&"x\n".repeat(1000)), 1000);
    }

    #[test]
    fn it_agrees_with_trying_every_length() {
        let mut seed = 7_u64;
        for round in 0..50 {
            let lines: Vec<u64> = (0..30)
                .map(|_| {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (seed >> 40) % 3
                })
                .collect();
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let slow = (1..=30).find(|&k| {
                let windows: Vec<_> = lines.windows(k).collect();
                windows.iter().collect::<HashSet<_>>().len() == windows.len()
            });
            assert_eq!(Some(calculate_min_context(&Content::new(text.as_bytes()))), slow, "round {round}");
        }
    }

    #[test]
    fn context_that_tells_places_apart() {
        let needed = |text: &str, lines: &[usize]| {
            let places: Vec<Place> = lines.iter().map(|&line| Place::lines(line, line + 1)).collect();
            needed(&Content::new(text.as_bytes()), &places, &Budget::default())
        };
        assert_eq!(needed("a\nx\nb\nc\nx\nd\n", &[1, 4]), Some(1));
        assert_eq!(needed("p\na\nx\nb\nq\na\nx\nb\n", &[2, 6]), Some(2));
        assert_eq!(needed("x\nx\n", &[0, 1]), Some(1), "the edges of the file differ");
    }
}
