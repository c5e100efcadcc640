//! What differs between two sequences.
//!
//! The algorithm is generic, and each type that it is used with brings all of it into the binary once more. So it is used
//! with numbers only, and what is to be compared is numbered first.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::HashMap;
use std::hash::Hash;

/// The steps from one sequence of numbers to another, as Myers' algorithm finds them.
pub fn difference(old: &[u32], new: &[u32]) -> Vec<DiffOp> {
    capture_diff_slices(Algorithm::Myers, old, new)
}

/// As [`difference()`], of anything that can be told apart.
pub fn difference_of<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<DiffOp> {
    let mut numbers: HashMap<&T, u32> = HashMap::new();
    let mut number = |item| {
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        *numbers.entry(item).or_insert(next)
    };
    let old: Vec<u32> = old.iter().map(&mut number).collect();
    let known = old.iter().max().map_or(0, |last| last + 1);
    let new: Vec<u32> = new.iter().map(&mut number).collect();
    // The algorithm takes longest where there is nothing to find.
    if !old.is_empty() && !new.is_empty() && new.iter().all(|item| *item >= known) {
        return vec![DiffOp::Replace { old_index: 0, old_len: old.len(), new_index: 0, new_len: new.len() }];
    }
    difference(&old, &new)
}

/// How many items both have, in order.
pub fn in_common(operations: &[DiffOp]) -> usize {
    operations.iter().map(|op| if let DiffOp::Equal { len, .. } = op { *len } else { 0 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_items_can_be_compared() {
        let (old, new) = (["a", "b", "c"], ["b", "c", "d"]);
        assert_eq!(difference_of(&old, &new), difference(&[0, 1, 2], &[1, 2, 3]));
        assert_eq!(in_common(&difference_of(&old, &new)), 2);
        assert_eq!(in_common(&difference_of::<u8>(&[], &[])), 0);
        for (old, new) in [(&["a", "a"][..], &["b", "c", "b"][..]), (&["a"], &["b"]), (&[], &["b"])] {
            let numbers = |items: &[&str]| -> Vec<u32> {
                items.iter().map(|item| u32::from(item.as_bytes()[0])).collect()
            };
            assert_eq!(difference_of(old, new), difference(&numbers(old), &numbers(new)), "{old:?} {new:?}");
        }
    }
}
