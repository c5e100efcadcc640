//! How similar two lines are, and where in a file similar lines may be.

use crate::text::{Language, difference, in_common, is_of_word};
use std::collections::HashMap;

/// The largest product of lengths at which the middles of two lines are compared in full: that of lines of 1000 bytes,
/// which take 4 ms with random letters.
const ALIKE_PRODUCT: usize = 1_000_000;

/// This much of the product of two lengths costs one step of the budget: 10 ns for code, 15 to 40 ns for random letters.
const BYTES_PER_STEP: usize = 4;

/// A line that is more frequent than this in the file is no evidence of a location.
pub(crate) const COMMON: usize = 64;

/// The similarity of two texts: twice the number of equal bytes by the bytes of both. The middle between equal beginnings
/// and ends counts only if it is short enough to compare.
pub(crate) fn ratio(left: &[u8], right: &[u8]) -> f64 {
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

/// The highest cost of comparing two texts, in steps.
pub(crate) fn ratio_steps(left: &[u8], right: &[u8]) -> usize {
    left.len().saturating_mul(right.len()).min(ALIKE_PRODUCT) / BYTES_PER_STEP + 1
}

/// A share in whole percent; 100 only for all.
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

/// Whether two lines differ only by a typing error in a word: one letter inserted, removed or changed, two characters
/// swapped, or a letter swapped with the whitespace or sign beside it. In a short word another letter makes another word,
/// and another digit is another number, so these do not count.
pub(crate) fn is_mistyped(left: &[u8], right: &[u8]) -> bool {
    let (head, tail) = common_ends(left, right);
    let (from, to) = (&left[head..left.len() - tail], &right[head..right.len() - tail]);
    let letters = |text: &[u8]| text.iter().all(|b| b.is_ascii_alphabetic() || !b.is_ascii());
    // Changing a letter makes another word more often than adding one, so the word has to be longer.
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

/// A line of code as tokens, with one space where two tokens could mean something else without it: `a b`, `x -y`, `: :`.
/// Quoted text is kept, and so is everything after an unterminated quote.
pub(crate) fn in_tokens(code: &[u8]) -> Vec<u8> {
    let parts = |sign: u8, other: u8| {
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
            && !parts(last, next)
            && !parts(next, last)
        {
            tokens.push(b' ');
        }
    }
    tokens
}

/// A line without style: spaces beside signs, the kind of quotes, a comma or semicolon at its end.
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

/// The fewest letters of a word in which one letter may differ: `i` and `j`, `get` and `set` are different words.
const WORD: usize = 4;

/// Where a text may begin in a file, the likeliest first. `spots` has, for lines of the text, the places where each may
/// be. Each place votes for a beginning. Rare lines have more weight, and lines with more than [`COMMON`] places none.
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

/// The length of the region to search for `wanted` lines: longer, because the file may have lines in between.
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
