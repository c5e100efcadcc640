//! Selections of edits by number, such as `2,4-6`.

use std::ops::RangeInclusive;
use std::str::FromStr;

/// A selection of edits by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Numbers(Vec<RangeInclusive<usize>>);

/// The error for a text that is not a list of numbers and ranges.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' does not name edits: numbers from 1 and ranges of them, such as 2,4-6")]
pub struct NotNumbers(String);

impl Numbers {
    /// Whether the selection contains a number.
    pub fn hold(&self, number: usize) -> bool {
        self.0.iter().any(|range| range.contains(&number))
    }

    /// Returns the largest number, if there is any.
    pub fn last(&self) -> Option<usize> {
        self.0.iter().map(|range| *range.end()).max()
    }

    /// Adds the numbers of another selection.
    pub fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }
}

impl FromStr for Numbers {
    type Err = NotNumbers;

    fn from_str(text: &str) -> Result<Self, NotNumbers> {
        let number = |text: &str| text.trim().parse::<usize>().ok().filter(|number| *number > 0);
        let range = |part: &str| match part.split_once('-') {
            Some((first, last)) => Some(number(first)?..=number(last)?).filter(|range| !range.is_empty()),
            None => number(part).map(|number| number..=number),
        };
        let ranges: Option<_> = text.split(',').map(range).collect();
        ranges.map(Self).ok_or_else(|| NotNumbers(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::Numbers;

    #[test]
    fn numbers_and_ranges() {
        let numbers: Numbers = "2, 4-6".parse().unwrap();
        let held: Vec<_> = (0..9).filter(|number| numbers.hold(*number)).collect();
        assert_eq!((held.as_slice(), numbers.last()), ([2, 4, 5, 6].as_slice(), Some(6)));
        for text in ["", "0", "a", "1,", "3-2", "-1", "1-", "1-2-3", "99999999999999999999"] {
            assert!(text.parse::<Numbers>().is_err(), "{text}");
        }
    }
}
