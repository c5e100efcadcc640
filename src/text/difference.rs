//! Differences between two sequences.
//!
//! The algorithm is generic, and the binary would contain a copy of it for each type. So it only gets numbers, and
//! other items are numbered first.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::HashMap;
use std::hash::Hash;

/// The edit operations from one sequence of numbers to another, by Myers' algorithm.
pub fn difference(old: &[u32], new: &[u32]) -> Vec<DiffOp> {
    capture_diff_slices(Algorithm::Myers, old, new)
}

/// Up to this number of items, comparing all is faster than hashing.
const FEW: usize = 8;

/// As [`difference()`], for items of any type.
pub fn difference_of<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<DiffOp> {
    // The number of an item is its first position in the old sequence. Items that are only in the new one share a
    // number.
    let none = u32::MAX;
    let number = |at: usize| u32::try_from(at).unwrap_or(none);
    let mut numbers: HashMap<&T, u32> = HashMap::new();
    if old.len() > FEW {
        for (at, item) in old.iter().enumerate() {
            numbers.entry(item).or_insert(number(at));
        }
    }
    let of = |item: &T| match old.len() {
        0..=FEW => old.iter().position(|known| known == item).map_or(none, number),
        _ => numbers.get(item).copied().unwrap_or(none),
    };
    let (old, new): (Vec<u32>, Vec<u32>) = (old.iter().map(of).collect(), new.iter().map(of).collect());
    // A shortcut, because the algorithm is slowest if the sequences have nothing in common.
    if !old.is_empty() && !new.is_empty() && new.iter().all(|item| *item == none) {
        return vec![DiffOp::Replace { old_index: 0, old_len: old.len(), new_index: 0, new_len: new.len() }];
    }
    difference(&old, &new)
}

/// How many items both sequences have in common, in order.
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

    #[test]
    fn items_of_only_the_new_sequence_may_share_a_number() {
        let sequences = |length: u32| {
            (0..4_u32.pow(length))
                .map(move |code| (0..length).map(|at| code >> (2 * at) & 3).collect::<Vec<_>>())
        };
        for old in (0..3).flat_map(sequences) {
            for new in (0..5).flat_map(sequences) {
                assert_eq!(difference_of(&old, &new), difference(&old, &new), "{old:?} {new:?}");
                // The same with too many items to compare one by one.
                let many = |items: &[u32]| [&[7; FEW + 1], items].concat();
                let (old, new) = (many(&old), many(&new));
                assert_eq!(difference_of(&old, &new), difference(&old, &new), "{old:?} {new:?}");
            }
        }
    }
}
