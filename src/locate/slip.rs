//! Whether two lines that differ are one and the same: mistyped, cut short, or a comment in other words.

use super::placeholder::{comment_opener, is_placeholder};
use super::similar::ratio;
use super::thresholds::{CUT_LEAST, LEAST_ALIKE, REWORDED_ALIKE, WORD_LEAST};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Whether a line of a before-text is one of the file with a slip in it. Lines that differ in digits alone are two: so
/// the lines of a list or a table differ. So are lines that differ in a word, as those of functions that are alike do.
pub(super) fn is_slip(written: &[u8], real: &[u8]) -> bool {
    let letters = |text: &[u8]| -> Vec<u8> { text.iter().copied().filter(|b| !b.is_ascii_digit()).collect() };
    letters(written) != letters(real)
        && (is_cut(written, real)
            || is_cut(real, written)
            || is_tail(written, real)
            || is_shortened(written, real)
            || is_mistyped(written, real)
            || is_reworded(written, real))
}

/// Whether two lines have the same words, so that only what is between them differs.
pub(super) fn is_punctuation(written: &[u8], real: &[u8]) -> bool {
    let words = |text: &[u8]| -> Vec<u8> { text.iter().copied().filter(|b| is_word(*b)).collect() };
    words(written) == words(real)
}

/// Whether a line is the beginning of another, and not just its first bracket.
fn is_cut(short: &[u8], long: &[u8]) -> bool {
    long.starts_with(short) && short.iter().filter(|b| is_word(**b)).count() >= CUT_LEAST
}

/// Whether a line is most of another one, from a word in it on.
fn is_tail(short: &[u8], long: &[u8]) -> bool {
    let lost = long.strip_suffix(short).filter(|lost| lost.len() <= short.len());
    lost.is_some_and(|lost| lost.last().is_some_and(|b| !is_word(*b)))
}

/// Whether a line is another one that is broken off with dots, or a comment of dots alone where the file has a comment.
fn is_shortened(written: &[u8], real: &[u8]) -> bool {
    let Some(opener) = comment_opener(real) else { return false };
    if comment_opener(written) != Some(opener) {
        return false;
    }
    if is_placeholder(written) {
        return written.iter().all(|b| !b.is_ascii_alphanumeric());
    }
    let dots = written.strip_suffix(b"...").or_else(|| written.strip_suffix("…".as_bytes()));
    dots.is_some_and(|begun| real.starts_with(begun.trim_ascii_end()))
}

/// Whether two comments say much the same.
fn is_reworded(written: &[u8], real: &[u8]) -> bool {
    comment_opener(written).is_some()
        && comment_opener(written) == comment_opener(real)
        && ratio(written, real) >= REWORDED_ALIKE
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Words and single other characters, without blanks. Names are cut at `_`.
fn tokens(text: &[u8]) -> Vec<&[u8]> {
    let joins = |a: &u8, b: &u8| is_word(*a) && is_word(*b) && *a != b'_' && *b != b'_';
    text.chunk_by(joins).filter(|token| !token.trim_ascii().is_empty()).collect()
}

/// Whether all that differs are letters within words, or a comma or the like that is missing on one side.
fn is_mistyped(written: &[u8], real: &[u8]) -> bool {
    let (old, new) = (tokens(written), tokens(real));
    // Most of it has to be the same, or a line of one word would be any other.
    if ratio(written, real) < LEAST_ALIKE {
        return false;
    }
    // Two letters that changed places may be those at a word's end and behind it.
    let head = written.iter().zip(real).take_while(|(a, b)| a == b).count();
    if let (Some([a, b]), Some([c, d])) = (written.get(head..head + 2), real.get(head..head + 2))
        && (a, b) == (d, c)
        && written.len() == real.len()
        && written[head + 2..] == real[head + 2..]
        && [a, b].iter().all(|b| !b.is_ascii_digit())
    {
        return true;
    }
    capture_diff_slices(Algorithm::Myers, &old, &new).iter().all(|op| match op {
        DiffOp::Equal { .. } => true,
        _ => {
            let (old, new) = (old[op.old_range()].concat(), new[op.new_range()].concat());
            if old.is_empty() || new.is_empty() {
                // With an operator more or less it says something else.
                old.iter().chain(&new).all(|b| !is_word(*b) && !b"!~-+*/%^&|<>=?@#$".contains(b))
            } else {
                is_mistyped_word(&old, &new)
            }
        }
    })
}

/// Whether two words differ in one letter, or in two that changed places; and not in digits.
fn is_mistyped_word(left: &[u8], right: &[u8]) -> bool {
    let head = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let (left_rest, right_rest) = (&left[head..], &right[head..]);
    let tail = left_rest.iter().rev().zip(right_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (left_mid, right_mid) =
        (&left_rest[..left_rest.len() - tail], &right_rest[..right_rest.len() - tail]);
    let is_letter = |b: &u8| is_word(*b) && !b.is_ascii_digit();
    if !left_mid.iter().chain(right_mid).all(is_letter) {
        return false;
    }
    match (left_mid, right_mid) {
        ([a, b], [c, d]) if a == d && b == c => true,
        ([_], []) | ([], [_]) => left.len().max(right.len()) + 1 >= WORD_LEAST,
        // Another letter makes another word of a short one, and another variable of a single letter.
        ([_], [_]) => left.len() >= WORD_LEAST,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slip(written: &str, real: &str) -> bool {
        is_slip(written.as_bytes(), real.as_bytes())
    }

    #[test]
    fn a_letter_is_mistyped() {
        assert!(slip("retrun x;", "return x;"));
        assert!(slip("fn compute_totl(a: u32) {", "fn compute_total(a: u32) {"));
        assert!(slip("let value = foo(a, b)", "let value = foo(a, b),"));
        assert!(slip("let value = reciever.next();", "let value = receiver.next();"));
    }

    #[test]
    fn another_word_is_another_line() {
        assert!(!slip("fn how_to_take_it_back_is_true() {", "fn how_to_put_it_back_is_true() {"));
        assert!(!slip("impl EditState {", "impl Status {"));
        assert!(!slip("func TestForGroupedFlags() {", "func TestForRequiredFlags() {"));
        assert!(!slip("fn get_x() {", "fn set_x() {"));
        assert!(!slip("for i in 0..n {", "for j in 0..n {"));
        assert!(!slip("if a == b {", "if a != b {"));
        assert!(!slip("assert!(!is_there(x));", "assert!(is_there(x));"));
        assert!(!slip("foo();", "while q"));
    }

    #[test]
    fn a_slip_is_no_other_number() {
        assert!(!slip("case 1:", "case 2:"));
        assert!(!slip("let item1 = retrun(x);", "let item2 = return(x);"));
    }

    #[test]
    fn a_line_is_cut() {
        assert!(slip("fn foo(a: u32", "fn foo(a: u32, b: u32) -> Result<Vec<String>, Box<dyn Error>> {"));
        assert!(slip(
            "open_connection(config) -> Result<C> {",
            "pub fn open_connection(config) -> Result<C> {"
        ));
        assert!(!slip("}", "} else {"), "a bracket begins many lines");
    }

    #[test]
    fn a_comment_is_shortened_or_reworded() {
        assert!(slip("// Walks the ...", "// Walks the tree and finds all."));
        assert!(slip("// Walks the tree, finding all.", "// Walks the tree and finds all."));
        assert!(slip("# ...", "# Walks the tree"));
        assert!(!slip("# ...", "walk()"), "a placeholder of one line stands for a comment");
        assert!(!slip("// Walks ...", "# Walks the tree"));
        assert!(!slip("let a = ...", "let a = 5 + 4"));
    }
}
