//! Searches in small contents.

use crate::pattern::lines;
use crate::text::search::{Budget, Haystack};
use crate::text::{Content, Normalization};

/// The first lines of all places. Repeated searches have to find the same.
fn starts(file: &str, text: &str, normalization: Normalization) -> Vec<usize> {
    let content = Content::new(file.as_bytes());
    let budget = Budget::default();
    let hay = Haystack::new(&content, &budget);
    let find = || -> Vec<usize> {
        hay.whole_lines(&lines(text), normalization).iter().map(|place| place.start.line).collect()
    };
    let scanned = find();
    (0..40).for_each(|_| assert_eq!(find(), scanned));
    scanned
}

fn spots(file: &str, text: &str) -> Vec<(usize, usize)> {
    let content = Content::new(file.as_bytes());
    let budget = Budget::default();
    let places = Haystack::new(&content, &budget).parts(text.as_bytes());
    places.iter().map(|place| (place.start.line, place.start.column)).collect()
}

#[test]
fn overlapping_places_count() {
    assert_eq!(starts("x\nx\nx\n", "x\nx\n", Normalization::Text), [0, 1]);
    assert_eq!(starts("a\nb\na\nb\na\n", "a\nb\na\n", Normalization::Text), [0, 2]);
    assert_eq!(spots("a a a", "a a"), [(0, 0), (0, 2)]);
}

#[test]
fn normalizations_decide_which_lines_are_equal() {
    assert_eq!(starts("a \n a\na\n", "a\n", Normalization::Text), [2]);
    assert_eq!(starts("a \n a\na\n", "a\n", Normalization::Trailing), [0, 2]);
    assert_eq!(starts("a \n a\na\n", "a\n", Normalization::Trimmed), [0, 1, 2]);
}

#[test]
fn a_text_matches_only_within_a_line() {
    assert_eq!(spots("max = 10\r\nx = 1;\r\n", "= 1"), [(0, 4), (1, 2)]);
    assert_eq!(spots("a\r\nb", "\r"), []);
    assert_eq!(spots("x", ""), []);
}

#[test]
fn ten_thousand_places_in_one_line_are_found_in_linear_time() {
    let file = "a ".repeat(10_000);
    assert_eq!(spots(&file, "a a").len(), 9_999);
}

#[test]
fn one_line_repeated_is_searched_in_linear_time() {
    let file = "x\n".repeat(100_000);
    let text = "x\n".repeat(50_000);
    assert_eq!(starts(&file, &text, Normalization::Text).len(), 50_001);
    assert!(starts(&file, &format!("{text}y\n"), Normalization::Text).is_empty());
}

#[test]
fn blank_lines_may_be_skipped() {
    let places = |file: &str, text: &str| -> Vec<(usize, usize)> {
        let content = Content::new(file.as_bytes());
        let budget = Budget::default();
        let hay = Haystack::new(&content, &budget);
        let find = || -> Vec<(usize, usize)> {
            let places = hay.skipping_blanks(&lines(text), Normalization::Trailing);
            places.iter().map(|place| (place.start.line, place.end.line)).collect()
        };
        let scanned = find();
        (0..40).for_each(|_| assert_eq!(find(), scanned));
        scanned
    };
    assert_eq!(places("\na\n\n  \nb\n\nc\na\nb\n", "a\nb\n"), [(1, 5), (7, 9)]);
    assert_eq!(places("x\n\nx\nx\n", "x\nx\n"), [(0, 3), (2, 4)]);
    assert_eq!(places("\n\n", "a\n"), []);
}

#[test]
fn a_search_finds_nothing_after_the_budget_is_spent() {
    let content = Content::new(b"a\nb\n");
    let budget = Budget::new(4, 1);
    let hay = Haystack::new(&content, &budget);
    assert_eq!(hay.whole_lines(&[b"a"], Normalization::Text).len(), 1);
    assert!(!budget.is_spent());
    assert!(hay.whole_lines(&[b"a"], Normalization::Text).is_empty());
    assert!(budget.is_spent());
}

#[test]
fn an_empty_text_has_no_places() {
    assert!(starts("a\n", "", Normalization::Text).is_empty());
    assert!(starts("", "a\n", Normalization::Text).is_empty());
}
