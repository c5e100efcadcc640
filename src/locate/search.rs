//! Finding all places of a text: linear in the file and the text, whatever they hold.

use super::place::{Place, Point};
use super::thresholds::JUMPS;
use crate::text::{Content, Form};
use memchr::memmem;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::VecDeque;

/// A sequence of elements with the table that lets a search go on after a mismatch without going back (Knuth, Morris
/// and Pratt): for every prefix the length of the longest shorter prefix that is also its end.
struct Borders(Vec<usize>);

impl Borders {
    fn new(len: usize, equal: impl Fn(usize, usize) -> bool) -> Self {
        let mut table = vec![0; len];
        let mut matched = 0;
        for at in 1..len {
            while matched > 0 && !equal(at, matched) {
                matched = table[matched - 1];
            }
            if equal(at, matched) {
                matched += 1;
            }
            table[at] = matched;
        }
        Self(table)
    }

    /// Takes the next element: given how many elements match so far, fewer than all, how many do with it.
    fn step(&self, mut matched: usize, equal: impl Fn(usize) -> bool) -> usize {
        while matched > 0 && !equal(matched) {
            matched = self.0[matched - 1];
        }
        if equal(matched) { matched + 1 } else { 0 }
    }

    /// How many elements match behind an occurrence.
    fn after_all(&self) -> usize {
        self.0.last().copied().unwrap_or(0)
    }
}

/// Lines to find, in a form.
struct Needle<'a> {
    form: Form,
    lines: Vec<(u64, Cow<'a, [u8]>)>,
    borders: Borders,
}

impl<'a> Needle<'a> {
    fn new(lines: &[&'a [u8]], form: Form) -> Self {
        let lines: Vec<_> = lines.iter().map(|line| (form.hash(line), form.of(line))).collect();
        let borders = Borders::new(lines.len(), |a, b| lines[a] == lines[b]);
        Self { form, lines, borders }
    }

    /// Calls back with the first line and the line behind the last of every occurrence, until told to stop. Where blank
    /// lines are skipped they count neither here nor there.
    fn spans(&self, content: &Content, skip_blanks: bool, mut found: impl FnMut(usize, usize) -> bool) {
        let Some(&(first, _)) = self.lines.first() else { return };
        let blank = self.form.hash(b"");
        // Since nothing matched, the lines that count.
        let mut recent: VecDeque<usize> = VecDeque::new();
        let mut matched = 0;
        for piece in content.pieces() {
            let hashes = piece.hashes(self.form);
            let mut index = 0;
            while let Some(rest) = hashes.get(index..) {
                if matched == 0 {
                    recent.clear();
                    match rest.iter().position(|&hash| hash == first) {
                        Some(skipped) => index += skipped,
                        None => break,
                    }
                }
                let Some(&hash) = hashes.get(index) else { break };
                let line = piece.first() + index;
                // Hashes tell lines apart; only bytes say that they are equal.
                let text = OnceCell::new();
                let of_line = || text.get_or_init(|| self.form.of(piece.text(index)));
                let counts = !(skip_blanks && hash == blank && of_line().is_empty());
                if counts {
                    if skip_blanks {
                        recent.push_back(line);
                    }
                    let equal = |at: usize| {
                        let (wanted, bytes) = &self.lines[at];
                        *wanted == hash && of_line() == bytes
                    };
                    matched = self.borders.step(matched, equal);
                    if skip_blanks {
                        while recent.len() > matched {
                            recent.pop_front();
                        }
                    }
                    if matched == self.lines.len() {
                        let start = if skip_blanks {
                            recent.front().copied()
                        } else {
                            (line + 1).checked_sub(matched)
                        };
                        if start.is_some_and(|start| !found(start, line + 1)) {
                            return;
                        }
                        matched = self.borders.after_all();
                    }
                }
                index += 1;
            }
        }
    }
}

/// All places of some whole lines, ascending; overlapping ones count. No place for no line.
pub(super) fn whole_lines(content: &Content, lines: &[&[u8]], form: Form) -> Vec<Place> {
    let mut places = Vec::new();
    if !lines.is_empty() && lines.len() <= content.line_count() {
        Needle::new(lines, form).spans(content, false, |start, end| {
            places.push(Place::lines(start, end));
            true
        });
    }
    places
}

/// All places of some lines, none of them blank, between which blank ones may stand; from the first to the last of
/// them, ascending. No place for no line.
pub(super) fn skipping_blanks(content: &Content, lines: &[&[u8]], form: Form) -> Vec<Place> {
    let mut places = Vec::new();
    if !lines.is_empty() && lines.len() <= content.line_count() {
        Needle::new(lines, form).spans(content, true, |start, end| {
            places.push(Place::lines(start, end));
            true
        });
    }
    places
}

/// Whether some lines stand one after the other among others, blank ones not counting.
pub(super) fn is_among(lines: &[&[u8]], others: &[&[u8]], form: Form) -> bool {
    let counting = |lines: &[&[u8]]| -> Vec<Vec<u8>> {
        let forms = lines.iter().map(|line| form.of(line).into_owned());
        forms.filter(|line| !line.is_empty()).collect()
    };
    let (lines, others) = (counting(lines), counting(others));
    let borders = Borders::new(lines.len(), |a, b| lines[a] == lines[b]);
    let mut matched = 0;
    lines.is_empty()
        || others.iter().any(|other| {
            matched = borders.step(matched, |index| lines[index] == *other);
            matched == lines.len()
        })
}

/// All places of a text that may begin and end within lines, ascending; overlapping ones count. One that begins or
/// ends inside a word is none.
pub(super) fn within_lines(content: &Content, lines: &[&[u8]]) -> Vec<Place> {
    match lines {
        [] => Vec::new(),
        [text] => within_one_line(content, text),
        [first, middle @ .., last] => {
            let mut places = Vec::new();
            let mut edges = |(start, head): (usize, &[u8]), (end, tail): (usize, &[u8])| {
                if !head.ends_with(first) || !tail.starts_with(last) {
                    return;
                }
                // A blank line at an edge is a line, not the end of one that says something.
                let blank = |part: &[u8], line: &[u8]| part.is_empty() && !line.is_empty();
                if blank(first, head) || blank(last, tail) {
                    return;
                }
                let column = head.len() - first.len();
                if !splits_word(head, column) && !splits_word(tail, last.len()) {
                    let start = Point { line: start, column };
                    places.push(Place { start, end: Point { line: end, column: last.len() } });
                }
            };
            if middle.is_empty() {
                let mut head = None;
                for (index, line) in content.lines(0..content.line_count()).enumerate() {
                    if let Some(head) = head.replace((index, line.text)) {
                        edges(head, (index, line.text));
                    }
                }
            } else if middle.len() < content.line_count() {
                Needle::new(middle, Form::Text).spans(content, false, |start, end| {
                    let head = start.checked_sub(1).and_then(|line| Some((line, content.line(line)?.text)));
                    let tail = content.line(end).map(|line| (end, line.text));
                    if let (Some(head), Some(tail)) = (head, tail) {
                        edges(head, tail);
                    }
                    true
                });
            }
            places
        }
    }
}

fn within_one_line(content: &Content, text: &[u8]) -> Vec<Place> {
    let mut places = Vec::new();
    if text.is_empty() {
        return places;
    }
    let finder = memmem::Finder::new(text);
    let mut borders = None;
    for piece in content.pieces() {
        let bytes = piece.bytes();
        let mut push = |at: usize| {
            // A text with a `\r` in it may also be found across a line's end, which is no place.
            let Some((line, range)) = piece.line_at(at) else { return };
            let line = piece.first() + line;
            let (start, end) = (at - range.start, at + text.len() - range.start);
            let whole = bytes.get(range).filter(|whole| end <= whole.len());
            if whole.is_some_and(|whole| !splits_word(whole, start) && !splits_word(whole, end)) {
                {
                    places.push(Place {
                        start: Point { line, column: start },
                        end: Point { line, column: end },
                    });
                }
            }
        };
        let mut from = 0;
        let mut jumps = 0;
        while let Some(at) = bytes.get(from..).and_then(|rest| finder.find(rest)) {
            if jumps == JUMPS {
                let borders =
                    borders.get_or_insert_with(|| Borders::new(text.len(), |a, b| text[a] == text[b]));
                let mut matched = 0;
                for (at, &byte) in bytes.iter().enumerate().skip(from) {
                    matched = borders.step(matched, |index| text[index] == byte);
                    if matched == text.len() {
                        push(at + 1 - text.len());
                        matched = borders.after_all();
                    }
                }
                break;
            }
            push(from + at);
            from += at + 1;
            jumps += 1;
        }
    }
    places
}

/// Whether a cut at that byte would go through a word: a letter, digit or underscore on both sides.
fn splits_word(text: &[u8], at: usize) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || c == '_' || ('\u{300}'..='\u{36f}').contains(&c);
    let (left, right) = text.split_at(at.min(text.len()));
    // The character that ends the left part lies in its last four bytes.
    let left = &left[left.len().saturating_sub(4)..];
    let left = (0..left.len()).rev().find_map(|from| std::str::from_utf8(&left[from..]).ok()?.chars().next());
    let right = &right[..right.len().min(4)];
    let right = (1..=right.len()).find_map(|to| std::str::from_utf8(&right[..to]).ok()?.chars().next());
    left.is_some_and(in_word) && right.is_some_and(in_word)
}

#[cfg(test)]
mod tests {
    use super::super::pattern::lines;
    use super::*;

    fn starts(file: &str, text: &str, form: Form) -> Vec<usize> {
        let places = whole_lines(&Content::new(file.as_bytes()), &lines(text), form);
        places.iter().map(|place| place.start.line).collect()
    }

    fn spots(file: &str, text: &str) -> Vec<(usize, usize)> {
        let places = within_lines(&Content::new(file.as_bytes()), &lines(text));
        places.iter().map(|place| (place.start.line, place.start.column)).collect()
    }

    #[test]
    fn overlapping_places_count() {
        assert_eq!(starts("x\nx\nx\n", "x\nx\n", Form::Text), [0, 1]);
        assert_eq!(starts("a\nb\na\nb\na\n", "a\nb\na\n", Form::Text), [0, 2]);
        assert_eq!(spots("a a a", "a a"), [(0, 0), (0, 2)]);
    }

    #[test]
    fn forms_decide_what_is_equal() {
        assert_eq!(starts("a \n a\na\n", "a\n", Form::Text), [2]);
        assert_eq!(starts("a \n a\na\n", "a\n", Form::Trailing), [0, 2]);
        assert_eq!(starts("a \n a\na\n", "a\n", Form::Trimmed), [0, 1, 2]);
    }

    #[test]
    fn part_of_a_line_neither_begins_nor_ends_inside_a_word() {
        assert_eq!(spots("max = 10\nx = 1;\n", "x = 1"), [(1, 0)]);
        assert_eq!(spots("foo_bar foo föo", "foo"), [(0, 8)]);
        assert_eq!(spots("naïve na", "na"), [(0, 7)], "a letter outside ASCII is part of a word too");
        assert_eq!(spots("(x)(x)", "(x)"), [(0, 0), (0, 3)], "next to another bracket no word is split");
    }

    #[test]
    fn a_text_over_several_lines_may_begin_and_end_within_them() {
        assert_eq!(spots("let a = f(1,\n  2);\n", "f(1,\n  2)\n"), [(0, 8)]);
        assert_eq!(spots("x f(\r\n1\r\n) y\r\n", "f(\n1\n)"), [(0, 2)], "whatever ends the lines");
        assert_eq!(spots("xf(\n1\n)", "f(\n1\n)"), [], "inside a word");
        assert_eq!(spots("f(\n1", "f(\n1\n)"), []);
    }

    #[test]
    fn ten_thousand_places_in_one_line_are_found_in_linear_time() {
        let file = "a ".repeat(10_000);
        assert_eq!(spots(&file, "a a").len(), 9_999);
        assert_eq!(spots(&"a".repeat(200_000), &"a".repeat(100_000)), [], "words are not split");
    }

    #[test]
    fn one_line_repeated_is_searched_in_linear_time() {
        let file = "x\n".repeat(100_000);
        let text = "x\n".repeat(50_000);
        assert_eq!(starts(&file, &text, Form::Text).len(), 50_001);
        assert!(starts(&file, &format!("{text}y\n"), Form::Text).is_empty());
    }

    #[test]
    fn blank_lines_may_be_skipped() {
        let places = |file: &str, text: &str| -> Vec<(usize, usize)> {
            let places = skipping_blanks(&Content::new(file.as_bytes()), &lines(text), Form::Trailing);
            places.iter().map(|place| (place.start.line, place.end.line)).collect()
        };
        assert_eq!(places("\na\n\n  \nb\n\nc\na\nb\n", "a\nb\n"), [(1, 5), (7, 9)]);
        assert_eq!(places("x\n\nx\nx\n", "x\nx\n"), [(0, 3), (2, 4)]);
        assert_eq!(places("\n\n", "a\n"), []);
    }

    #[test]
    fn lines_are_looked_for_among_others() {
        let among = |text: &str, others: &str| is_among(&lines(text), &lines(others), Form::FoldedTrimmed);
        assert!(among("a\n\nb\n", "x\n a\nb \n"));
        assert!(!among("a\nb\n", "a\nx\nb\n"));
    }

    #[test]
    fn no_text_is_nowhere() {
        assert!(starts("a\n", "", Form::Text).is_empty());
        assert!(starts("", "a\n", Form::Text).is_empty());
        assert_eq!(spots("a\n", "\n"), [], "an empty line has no part that could stand in a line");
    }
}
