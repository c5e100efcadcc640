//! How alike two lines are, and where in a file something like some lines stands.

use super::haystack::Solid;
use super::thresholds::{ALIKE_PRODUCT, BYTES_PER_STEP, COMMON};
use crate::text::{difference, in_common};
use std::collections::HashMap;

/// How alike two texts are: twice the bytes that a difference of them leaves, by the bytes of both. What is between
/// equal beginnings and ends counts only if it is short enough to be compared.
pub(super) fn ratio(left: &[u8], right: &[u8]) -> f64 {
    if left.is_empty() && right.is_empty() {
        return 1.0;
    }
    let (head, tail) = common_ends(left, right);
    let (left_mid, right_mid) = (&left[head..left.len() - tail], &right[head..right.len() - tail]);
    let mut same = head + tail;
    if left_mid.len().saturating_mul(right_mid.len()) <= ALIKE_PRODUCT {
        let numbers = |bytes: &[u8]| -> Vec<u32> { bytes.iter().copied().map(u32::from).collect() };
        same += in_common(&difference(&numbers(left_mid), &numbers(right_mid)));
    }
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 52 bits")]
    let share = (2 * same) as f64 / (left.len() + right.len()) as f64;
    share
}

/// What it takes to compare two texts at worst, in steps.
pub(super) fn ratio_steps(left: &[u8], right: &[u8]) -> usize {
    left.len().saturating_mul(right.len()).min(ALIKE_PRODUCT) / BYTES_PER_STEP + 1
}

/// A share as a whole number of percent; less than all is never shown as 100.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share is between 0 and 1")]
pub(super) fn percent(share: f64) -> u8 {
    if share >= 1.0 { 100 } else { ((share.max(0.0) * 100.0) as u8).min(99) }
}

/// How many bytes two texts have in common at their beginnings, and behind that at their ends.
pub(super) fn common_ends(left: &[u8], right: &[u8]) -> (usize, usize) {
    let head = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let tail = left[head..].iter().rev().zip(right[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    (head, tail)
}

/// Whether two lines are the same but for a slip of the keyboard within a word: one letter more, less or another, or two
/// that changed places, or a letter and the blank or sign beside it. In a short word another letter is another word, and
/// another digit another number.
pub(super) fn is_mistyped(left: &[u8], right: &[u8]) -> bool {
    let (head, tail) = common_ends(left, right);
    let (from, to) = (&left[head..left.len() - tail], &right[head..right.len() - tail]);
    let letters = |text: &[u8]| text.iter().all(|b| b.is_ascii_alphabetic() || !b.is_ascii());
    // In the place of a letter another one makes another word sooner.
    let least = if from.len() == 1 && to.len() == 1 { WORD } else { WORD - 1 };
    let slip = match (from, to) {
        ([a, b], [c, d]) if a == d && b == c && a.is_ascii_alphabetic() != b.is_ascii_alphabetic() => {
            return !a.is_ascii_digit() && !b.is_ascii_digit();
        }
        ([a, b], [c, d]) => a == d && b == c,
        _ => from.len() <= 1 && to.len() <= 1,
    };
    let in_word = |b: &&u8| b.is_ascii_alphabetic() || !b.is_ascii();
    let word = |text: &[u8], middle: usize| {
        let above = text[..head].iter().rev().take_while(in_word).count();
        above + middle + text[head + middle..].iter().take_while(in_word).count()
    };
    slip && letters(from)
        && letters(to)
        && left != right
        && word(left, from.len()).max(word(right, to.len())) >= least
}

/// Whether two lines are the same but for one number.
pub(super) fn is_renumbered(left: &[u8], right: &[u8]) -> bool {
    let (head, tail) = common_ends(left, right);
    let is_number = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    let inside = |text: &[u8]| is_number(&text[head..text.len() - tail]);
    // A digit more or less is one of a number that goes on.
    let digit = |at: Option<&u8>| at.is_some_and(u8::is_ascii_digit);
    let goes_on = digit(left[..head].last()) || digit(left[left.len() - tail..].first());
    left != right && inside(left) && inside(right) && (left.len() == right.len() || goes_on)
}

/// A line without what may be written in one style or another: blanks beside signs, the kind of quotes, a comma or
/// semicolon at its end.
pub(super) fn without_style(text: &[u8]) -> Vec<u8> {
    let text = text.trim_ascii();
    let text = text.strip_suffix(b",").or_else(|| text.strip_suffix(b";")).unwrap_or(text);
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || !b.is_ascii();
    let mut plain: Vec<u8> = Vec::with_capacity(text.len());
    for part in text.split(u8::is_ascii_whitespace).filter(|part| !part.is_empty()) {
        if plain.last().is_some_and(is_word) && part.first().is_some_and(is_word) {
            plain.push(b' ');
        }
        plain.extend(part.iter().map(|&b| if b == b'\'' || b == b'`' { b'"' } else { b }));
    }
    plain
}

/// With another letter a word of fewer letters is another word: `i` and `j`, `get` and `set`.
const WORD: usize = 4;

/// Where some lines, given by their hashes, may begin in a file by where each of them stands, the likeliest first. Each
/// line that the file has votes for the beginning that follows from it, rare ones with more weight; lines that stand very
/// often say nothing.
pub(super) fn beginnings(wanted: &[u64], spots: &HashMap<u64, Vec<usize>>) -> Vec<usize> {
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (at, hash) in wanted.iter().enumerate() {
        let spots = spots.get(hash).map_or(&[][..], Vec::as_slice);
        if spots.len() <= COMMON {
            for spot in spots {
                *votes.entry(spot.saturating_sub(at)).or_default() += COMMON / spots.len();
            }
        }
    }
    let mut starts: Vec<(usize, usize)> = votes.into_iter().collect();
    starts.sort_unstable_by_key(|&(start, votes)| (std::cmp::Reverse(votes), start));
    starts.into_iter().map(|(start, _)| start).collect()
}

/// The lines of a file, from one on, among which `wanted` lines are looked for: some more, for those that the file has in
/// between.
pub(super) fn window(start: usize, wanted: usize, file: &Solid<'_>) -> std::ops::Range<usize> {
    let end = (start + wanted + wanted / 2 + 4).min(file.len());
    start.min(end)..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_alike_by_what_a_difference_leaves() {
        assert!((ratio(b"abcd", b"abcd") - 1.0).abs() < 1e-9);
        assert!((ratio(b"abcd", b"abxd") - 0.75).abs() < 1e-9);
        assert!(ratio(b"abcd", b"wxyz").abs() < 1e-9);
        assert_eq!(percent(0.999), 99);
    }

    #[test]
    fn a_slip_is_one_letter_of_a_word() {
        let slip = |left: &str, right: &str| is_mistyped(left.as_bytes(), right.as_bytes());
        assert!(slip("retrun x;", "return x;"));
        assert!(slip("compute_totl(a)", "compute_total(a)"));
        assert!(slip("load_test()", "load_tests()") && slip("ha it", "has it"));
        assert!(!slip("get_x()", "set_x()") && !slip("for i in n", "for j in n"));
        assert!(
            !slip("item1 = x", "item2 = x") && !slip("a == b", "a != b") && !slip("is_ready", "!is_ready")
        );
        assert!(!slip("the first of them", "the last of them") && !slip("same", "same"));
    }
}
