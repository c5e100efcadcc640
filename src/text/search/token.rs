//! Finds the borders of tokens in a line.

use crate::text::search::{Haystack, Place};

/// Whether a place begins and ends at borders of tokens.
pub(crate) fn is_of_tokens(hay: Haystack<'_>, place: &Place) -> bool {
    let line = hay.text(place.first());
    !splits_token(line, place.start.column) && !splits_token(line, place.end.column)
}

/// Whether a cut at this byte splits a word, a number, an operator or an escape such as `\n`. `a-b`, a name in many
/// languages, and `don't` are words.
fn splits_token(line: &[u8], at: usize) -> bool {
    let (left, right) = line.split_at(at.min(line.len()));
    let (Some(last), Some(first)) = (left.last(), right.first()) else { return false };
    let operator = |byte: &u8| b"=<>!&|+-*/%^~:?@".contains(byte);
    let word =
        |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_' || !b.is_ascii());
    let before_last = left.len().checked_sub(2).and_then(|at| left.get(at));
    let joins = |byte: &u8| b"-'".contains(byte);
    operator(last) && operator(first)
        || *last == b'.' && (*first == b'.' || first.is_ascii_digit())
        || *first == b'.' && last.is_ascii_digit() && right.get(1).is_some_and(u8::is_ascii_digit)
        || *last == b'\\'
        || joins(last) && word(before_last) && word(Some(first))
        || joins(first) && word(Some(last)) && word(right.get(1))
        || splits_word(left, right)
}

/// Whether a letter, digit or underscore is on both sides.
fn splits_word(left: &[u8], right: &[u8]) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || c == '_' || ('\u{300}'..='\u{36f}').contains(&c);
    // A character has at most four bytes.
    let left = &left[left.len().saturating_sub(4)..];
    let left = (0..left.len()).rev().find_map(|from| std::str::from_utf8(&left[from..]).ok()?.chars().next());
    let right = &right[..right.len().min(4)];
    let right = (1..=right.len()).find_map(|to| std::str::from_utf8(&right[..to]).ok()?.chars().next());
    left.is_some_and(in_word) && right.is_some_and(in_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn borders(line: &str, text: &str) -> bool {
        let start = line.find(text).unwrap();
        !splits_token(line.as_bytes(), start) && !splits_token(line.as_bytes(), start + text.len())
    }

    #[test]
    fn a_part_of_a_line_consists_of_whole_tokens() {
        assert!(borders("if x = 1;", "x = 1") && borders("f(a, b);", ", b") && borders("(x)(y)", "(x)"));
        assert!(borders("föo foo", "foo") && borders("a::b", "b") && borders("x.y()", "y"));
        assert!(!borders("max = 10", "x = 1") && !borders("foo_bar", "foo") && !borders("naïve", "na"));
        assert!(!borders("v = 1.2.3", "1.2") && !borders("v = 1.2.3", "2.3") && !borders("1.25", "1.2"));
        assert!(
            !borders("background-color: red", "color: red")
                && !borders("1e-5", "5")
                && !borders("x = .5", "5")
        );
        assert!(!borders("...args", "..args") && !borders("don't", "don") && !borders("\"a\\nb\"", "nb"));
        assert!(!borders("a == b", "a =") && !borders("/items", "/item") && !borders("a->b", "a-"));
    }
}
