//! Measures how similar two lines are, and finds where in a file similar lines may be.

use crate::text::{Language, difference, in_common, is_of_word};
use std::collections::HashMap;

/// The middles of two lines are compared in full only up to this product of their lengths: 1000 x 1000 bytes take 4 ms
/// with random letters.
const MAX_RATIO_PRODUCT: usize = 1_000_000;

/// Comparing two lines costs one step of the budget for this much of the product of their lengths: 10 ns for code, 15
/// to 40 ns for random letters.
const PRODUCT_PER_STEP: usize = 4;

/// A line that is more frequent than this in the file does not show where a text may begin.
pub(crate) const COMMON: usize = 64;

/// The similarity of two texts, from 0 to 1: the share of their bytes that are equal, in order. The middle, between
/// equal beginnings and equal ends, counts as different if it is too long to compare.
pub(crate) fn ratio(left: &[u8], right: &[u8]) -> f64 {
    if left.is_empty() && right.is_empty() {
        return 1.0;
    }
    let (head, tail) = common_ends(left, right);
    let (left_mid, right_mid) = (&left[head..left.len() - tail], &right[head..right.len() - tail]);
    let mut same = head + tail;
    if left_mid.len().saturating_mul(right_mid.len()) <= MAX_RATIO_PRODUCT {
        let numbers = |bytes: &[u8]| -> Vec<u32> { bytes.iter().copied().map(u32::from).collect() };
        same += in_common(&difference(&numbers(left_mid), &numbers(right_mid)));
    }
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 52 bits")]
    let share = (2 * same) as f64 / (left.len() + right.len()) as f64;
    share
}

/// The highest possible cost of [`ratio`], in steps.
pub(crate) fn ratio_steps(left: &[u8], right: &[u8]) -> usize {
    left.len().saturating_mul(right.len()).min(MAX_RATIO_PRODUCT) / PRODUCT_PER_STEP + 1
}

/// A share in whole percent. It is 100 only if nothing is missing.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share is between 0 and 1")]
pub(crate) fn percent(share: f64) -> u8 {
    if share >= 1.0 { 100 } else { ((share.max(0.0) * 100.0) as u8).min(99) }
}

/// How many elements two sequences have in common at the beginning, and then at the end.
pub(crate) fn common_ends<T: PartialEq>(left: &[T], right: &[T]) -> (usize, usize) {
    let head = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let tail = left[head..].iter().rev().zip(right[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    (head, tail)
}

/// Whether two lines differ only by a typing error in a word: one letter is added, missing or changed, two letters are
/// swapped, or a letter is swapped with the whitespace or sign next to it. Short words and digits do not count, because
/// `get` and `set`, or 1 and 2, mean different things.
pub(crate) fn is_mistyped(left: &[u8], right: &[u8]) -> bool {
    let (head, tail) = common_ends(left, right);
    let (from, to) = (&left[head..left.len() - tail], &right[head..right.len() - tail]);
    let letters = |text: &[u8]| text.iter().all(|b| b.is_ascii_alphabetic() || !b.is_ascii());
    // A changed letter makes another word more often than an added one, so the word has to be longer.
    let min_letters = if from.len() == 1 && to.len() == 1 { MIN_WORD } else { MIN_WORD - 1 };
    let is_slip = match (from, to) {
        ([a, b], [c, d]) if a == d && b == c && a.is_ascii_alphabetic() != b.is_ascii_alphabetic() => {
            return !a.is_ascii_digit() && !b.is_ascii_digit();
        }
        ([a, b], [c, d]) => a == d && b == c,
        _ => from.len() <= 1 && to.len() <= 1,
    };
    let in_word = |b: &&u8| b.is_ascii_alphabetic() || !b.is_ascii();
    let word = |text: &[u8], middle: usize| {
        let before = text[..head].iter().rev().take_while(in_word).count();
        before + middle + text[head + middle..].iter().take_while(in_word).count()
    };
    is_slip
        && letters(from)
        && letters(to)
        && left != right
        && word(left, from.len()).max(word(right, to.len())) >= min_letters
}

/// Returns a line of code with the spaces between its tokens normalized. One space is left between tokens that could
/// mean something else without it, as in `a b`, `x -y` and `: :`. Quoted text stays, and everything after an
/// unterminated quote.
pub(crate) fn in_tokens(code: &[u8]) -> Vec<u8> {
    let is_separate = |sign: u8, other: u8| {
        b"()[]{},;".contains(&sign)
            || b"=+*/<>".contains(&sign) && (is_of_word(other) || b"\"'`".contains(&other))
    };
    let mut tokens: Vec<u8> = Vec::with_capacity(code.len());
    let mut rest = code.trim_ascii();
    while let Some(&first) = rest.first() {
        let quoted = b"\"'`".contains(&first).then(|| Language::quoted(rest).unwrap_or(rest.len()));
        let (token, after) = rest.split_at(quoted.unwrap_or(1));
        tokens.extend_from_slice(token);
        rest = after.trim_ascii_start();
        if let (Some(&last), Some(&next)) = (token.last(), rest.first())
            && rest.len() < after.len()
            && !is_separate(last, next)
            && !is_separate(next, last)
        {
            tokens.push(b' ');
        }
    }
    tokens
}

/// Returns a line without its style: without spaces next to signs, with one kind of quotes, and without a comma or
/// semicolon at its end.
pub(crate) fn without_style(text: &[u8]) -> Vec<u8> {
    let text = text.trim_ascii();
    let text = text.strip_suffix(b",").or_else(|| text.strip_suffix(b";")).unwrap_or(text);
    let mut plain: Vec<u8> = Vec::with_capacity(text.len());
    for part in text.split(u8::is_ascii_whitespace).filter(|part| !part.is_empty()) {
        if plain.last().copied().is_some_and(is_of_word) && part.first().copied().is_some_and(is_of_word) {
            plain.push(b' ');
        }
        plain.extend(part.iter().map(|&b| if b == b'\'' || b == b'`' { b'"' } else { b }));
    }
    plain
}

/// The fewest letters of a word in which one letter may be changed.
const MIN_WORD: usize = 4;

/// Where a text may begin in a file, the likeliest first. `spots` has lines of the text, each with the places where the
/// file has it. Each place votes for a beginning of the text. A rare line has more weight, and a line with more than
/// [`COMMON`] places has none.
pub(crate) fn beginnings(spots: impl Iterator<Item = (usize, Vec<usize>)>) -> Vec<usize> {
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (at, spots) in spots.filter(|(_, spots)| spots.len() <= COMMON) {
        for spot in &spots {
            *votes.entry(spot.saturating_sub(at)).or_default() += COMMON / spots.len();
        }
    }
    let mut starts: Vec<(usize, usize)> = votes.into_iter().collect();
    starts.sort_unstable_by_key(|&(start, votes)| (std::cmp::Reverse(votes), start));
    starts.into_iter().map(|(start, _)| start).collect()
}

/// The length of the region to search for `wanted` lines. It is longer, because the file may have additional lines.
pub(crate) fn reach(wanted: usize) -> usize {
    wanted + wanted / 2 + 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_is_the_share_of_equal_bytes() {
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
