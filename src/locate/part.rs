//! A text to find that is part of a line, or a line but for its indentation and its comment.

use super::Language;
use super::change::LineChange;
use super::dress::{Dress, lost_by_the_first_alone};
use super::haystack::Haystack;
use super::pattern::{Pattern, Step};
use super::place::Place;
use super::splice::{Unclear, region_eol};
use crate::edit::Unit;
use crate::text::{Form, indentation, is_blank};

/// Whether a text to find may be part of a line: a single line without indentation. Any other is whole lines.
pub(super) fn may_be(pattern: &Pattern<'_>) -> bool {
    matches!(pattern.before.as_slice(), [text] if pattern.unit == Unit::Text && !is_blank(text) && indentation(text).is_empty())
}

/// Whether a place begins and ends at the borders of tokens.
pub(super) fn is_of_tokens(hay: Haystack<'_>, place: &Place) -> bool {
    let line = hay.text(place.first());
    !splits_token(line, place.start.column) && !splits_token(line, place.end.column)
}

/// The column at which the comment of a line begins; none if it has none.
pub(super) fn comment_column(hay: Haystack<'_>, language: Language, line: usize) -> Option<usize> {
    let (code, comment) = language.split(hay.text(line));
    (!comment.is_empty()).then_some(code.len())
}

/// Whether a place lies in the comment of its line, which begins at a column, and the text to find is none.
pub(super) fn is_in_comment(
    language: Language,
    pattern: &Pattern<'_>,
    place: &Place,
    comment: Option<usize>,
) -> bool {
    let text = pattern.before.first().copied().unwrap_or(&[]);
    comment.is_some_and(|column| place.start.column >= column) && !language.is_no_code(text)
}

/// The indentation of a line, and the comment behind it, where a place is all of its code.
fn whole_line<'a>(hay: Haystack<'a>, language: Language, place: &Place) -> Option<(&'a [u8], &'a [u8])> {
    let line = hay.text(place.first());
    let indent = indentation(line);
    let rest = line.get(place.end.column..)?;
    let (_, comment) = language.split(line);
    let ends = is_blank(rest) || rest == comment;
    (place.start.column == indent.len() && ends).then_some((indent, rest))
}

/// What a hunk changes at a place within a line.
///
/// Of a line that is found but for its indentation and its comment, what comes is indented like it, and the comment stays.
///
/// # Errors
/// Lines would be put in the middle of a line that goes on.
pub(super) fn changes(
    hay: Haystack<'_>,
    language: Language,
    pattern: &Pattern<'_>,
    place: &Place,
) -> Result<Vec<LineChange>, Unclear> {
    let number = place.first();
    let Some(line) = hay.line(number) else { return Err(Unclear::Line) };
    let eol = line.eol.map_or(&[][..], |eol| eol.as_bytes());
    let inner = region_eol(hay, number, number + 1).as_bytes();
    let after = pattern.after();
    let change = |bytes: Vec<u8>| Ok(vec![LineChange { start: number, end: number + 1, bytes }]);
    if let Some((indent, rest)) = whole_line(hay, language, place) {
        if after.is_empty() {
            return change(Vec::new());
        }
        let alone =
            !indent.is_empty() && lost_by_the_first_alone(&after, indent).map_err(|_| Unclear::Line)?;
        let dress = if alone { Dress::first_indented(indent) } else { Dress::indented(indent) };
        // The comment stays with the line that it is about: the one that is kept, else the first.
        let kept = pattern.steps.iter().filter(|step| !matches!(step, Step::Remove(_)));
        let with = kept.clone().position(|step| matches!(step, Step::Keep(_))).unwrap_or(0);
        // Spaces behind tabs: nothing says how many are a step.
        let mixes = indent.contains(&b'\t') && after.iter().any(|text| text.starts_with(b"  "));
        // Behind a line that goes on nothing may stand.
        let goes_on = after.get(with).is_some_and(|text| text.trim_ascii_end().ends_with(b"\\"));
        if mixes || goes_on && !is_blank(rest) {
            return Err(Unclear::Line);
        }
        let mut bytes = Vec::new();
        for (index, text) in after.iter().enumerate() {
            bytes.extend_from_slice(&dress.line(text, index == 0));
            // A comment of its own takes the place of the other.
            if index == with && (is_blank(rest) || language.split(text).1.is_empty()) {
                bytes.extend_from_slice(rest);
            }
            bytes.extend_from_slice(if index + 1 == after.len() { eol } else { inner });
        }
        return change(bytes);
    }
    let keeps = pattern.steps.contains(&Step::Keep(0));
    if after.len() > 1 && (keeps || !breaks_in_brackets(&after)) {
        return Err(Unclear::Line);
    }
    let head = line.text.get(..place.start.column).unwrap_or(&[]);
    let tail = line.text.get(place.end.column..).unwrap_or(&[]);
    let indent = indentation(line.text);
    let mut rest = after.iter().skip(1).filter(|text| !is_blank(text));
    let dress =
        if rest.all(|text| text.starts_with(indent)) { Dress::PLAIN } else { Dress::indented(indent) };
    if indent.contains(&b'\t') && after.iter().skip(1).any(|text| text.starts_with(b"  ")) {
        return Err(Unclear::Line);
    }
    let lines = after.iter().enumerate();
    let lines: Vec<Vec<u8>> =
        lines.map(|(at, text)| if at == 0 { text.to_vec() } else { dress.line(text, false) }).collect();
    change([head, &lines.join(inner), tail, eol].concat())
}

/// Whether a text breaks its lines only inside of brackets, so that it goes on where a line does.
fn breaks_in_brackets(lines: &[&[u8]]) -> bool {
    let mut depth = 0_i64;
    let Some((_, broken)) = lines.split_last() else { return true };
    broken.iter().all(|line| {
        for byte in *line {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth -= 1,
                _ => {}
            }
        }
        depth > 0
    })
}

/// Whether a cut at that byte would go through a word, a number or an operator. `a-b`, as names are written in many
/// languages, and `don't` are words; `\n` is a character.
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

/// Whether a letter, digit or underscore stands on both sides.
fn splits_word(left: &[u8], right: &[u8]) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || c == '_' || ('\u{300}'..='\u{36f}').contains(&c);
    // The character that ends the left part lies in its last four bytes.
    let left = &left[left.len().saturating_sub(4)..];
    let left = (0..left.len()).rev().find_map(|from| std::str::from_utf8(&left[from..]).ok()?.chars().next());
    let right = &right[..right.len().min(4)];
    let right = (1..=right.len()).find_map(|to| std::str::from_utf8(&right[..to]).ok()?.chars().next());
    left.is_some_and(in_word) && right.is_some_and(in_word)
}

/// Whether a place within a line lies inside the result of its hunk.
pub(super) fn is_made(hay: Haystack<'_>, language: Language, pattern: &Pattern<'_>, place: &Place) -> bool {
    let after = pattern.after();
    let Some(text) = pattern.before.first() else { return false };
    after.iter().enumerate().any(|(index, line)| {
        let mut offsets = memchr::memmem::find_iter(line, text);
        let Some(first) = place.first().checked_sub(index) else { return false };
        offsets.any(|offset| {
            let Some(column) = place.start.column.checked_sub(offset) else { return false };
            after.iter().enumerate().all(|(at, line)| {
                let there = hay.text(first + at);
                let code =
                    || if hay.effort().spend(there.len() / 64 + 1) { language.split(there).0 } else { there };
                // The first line of several goes on to the end of its line, and the last begins where its own does.
                match (at == index, at + 1 == after.len()) {
                    (true, true) => there.get(column..).is_some_and(|rest| rest.starts_with(line)),
                    (true, false) => {
                        let ends = |text: &[u8]| {
                            text.get(column..).is_some_and(|rest| Form::Trailing.eq(rest, line))
                        };
                        ends(there) || ends(code())
                    }
                    (false, _) => Form::Trimmed.eq(there, line) || Form::Trimmed.eq(code(), line),
                }
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn borders(line: &str, text: &str) -> bool {
        let start = line.find(text).unwrap();
        !splits_token(line.as_bytes(), start) && !splits_token(line.as_bytes(), start + text.len())
    }

    #[test]
    fn a_part_is_tokens() {
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

    #[test]
    fn a_text_of_several_lines_goes_on_where_it_breaks_inside_brackets() {
        let lines = |text: &'static str| -> Vec<&'static [u8]> { text.lines().map(str::as_bytes).collect() };
        assert!(breaks_in_brackets(&lines("f(\n  a,\n  b)")) && breaks_in_brackets(&lines("one")));
        assert!(!breaks_in_brackets(&lines("b = 3\nd = 5")) && !breaks_in_brackets(&lines("f(\n)\nx")));
    }
}
