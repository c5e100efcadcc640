//! Numbers of edits, as in `2,4-6`.

use std::ops::RangeInclusive;
use std::str::FromStr;

/// Some of the edits of a response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Numbers(Vec<RangeInclusive<usize>>);

/// The error for a text that is not numbers and ranges.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' does not name edits: numbers from 1 and ranges of them, such as 2,4-6")]
pub struct NotNumbers(String);

impl Numbers {
    /// Whether the number is one of them.
    pub fn hold(&self, number: usize) -> bool {
        self.0.iter().any(|range| range.contains(&number))
    }

    /// The last of them, if there are any.
    pub fn last(&self) -> Option<usize> {
        self.0.iter().map(|range| *range.end()).max()
    }

    /// Adds other numbers.
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
