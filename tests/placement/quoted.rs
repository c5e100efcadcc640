//! How much of a file the rendered responses quote.

use crate::writing::hunks::{Fit, hunks};
use proptest::prelude::*;
use std::ops::Range;

fn cut(before: &[&str], after: &[&str]) -> Option<Vec<(Range<usize>, Range<usize>)>> {
    let hunks = hunks(before, after, &|_, _| Fit::Fits)?;
    Some(hunks.into_iter().map(|hunk| (hunk.before, hunk.after)).collect())
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[test]
fn a_change_is_quoted_with_three_lines_on_both_sides() {
    let (before, after) = (words("a b c d e f g h i j"), words("a b c d E f g h i j"));
    assert_eq!(cut(&before, &after), Some(vec![(1..8, 1..8)]));
    assert_eq!(cut(&before, &before), Some(vec![]));
    assert_eq!(cut(&[], &after), Some(vec![(0..0, 0..10)]));
    assert_eq!(cut(&after, &[]), Some(vec![(0..10, 0..0)]));
}

#[test]
fn changes_whose_context_meets_are_one_hunk_and_others_are_apart() {
    let before: Vec<String> = (0..40).map(|line| line.to_string()).collect();
    let before: Vec<&str> = before.iter().map(String::as_str).collect();
    let mut after = before.clone();
    after[10] = "x";
    after[15] = "y";
    after[30] = "z";
    after.remove(20);
    assert_eq!(cut(&before, &after), Some(vec![(7..24, 7..23), (27..34, 26..33)]));
}

#[test]
fn context_grows_until_the_place_is_the_only_one() {
    let before = words("1 x x x x x x x x x 2 x x x x x x x x x 3");
    let mut after = before.clone();
    after[15] = "y";
    assert_eq!(cut(&before, &after), Some(vec![(9..21, 9..21)]), "six lines, so that 2 and 3 are in it");
}

#[test]
fn an_insertion_that_seems_made_already_is_quoted_further() {
    let Some(hunks) = cut(&words("a b c x x d"), &words("a b c x x x d")) else { panic!("a hunk") };
    assert_eq!(hunks.len(), 1);
    assert!(hunks[0].0.end == 6, "down to where the run of x ends: {hunks:?}");
}

#[test]
fn lines_that_a_second_run_would_find_again_are_quoted_further() {
    let run = |blanks: usize| [&["x"][..], &vec![""; blanks], &["y"]].concat();
    assert_eq!(cut(&run(12), &run(9)), Some(vec![(0..14, 0..11)]), "the blank lines, and those beside them");
}

#[test]
fn the_sides_of_a_hunk_are_its_diff() {
    let (before, after) = (words("a b c d"), words("a x c d e"));
    let Some(hunks) = hunks(&before, &after, &|_, _| Fit::Fits) else { panic!("hunks") };
    let sides: Vec<_> = hunks.iter().flat_map(|hunk| hunk.marked(&before, &after)).collect();
    let expected = [(' ', "a"), ('-', "b"), ('+', "x"), (' ', "c"), (' ', "d"), ('+', "e")];
    assert_eq!(sides, expected);
}

#[test]
fn less_is_quoted_where_a_line_collides_and_nothing_where_it_cannot_be_left_out() {
    let fit = |before: &[&str], _: &[&str]| if before.contains(&"=") { Fit::Collides } else { Fit::Fits };
    let made = hunks(&words("a = b c d"), &words("a = b x d"), &fit).unwrap();
    assert_eq!(made[0].before, 2..5);
    assert_eq!(hunks(&words("a = c"), &words("a b"), &fit), None);
}

proptest! {
    #[test]
    fn made_in_order_each_at_its_only_place_hunks_give_the_file_after(
        before in prop::collection::vec("[abc]", 0..30),
        after in prop::collection::vec("[abc]", 0..30),
    ) {
        let before: Vec<&str> = before.iter().map(String::as_str).collect();
        let after: Vec<&str> = after.iter().map(String::as_str).collect();
        let made = hunks(&before, &after, &|_, _| Fit::Fits);
        let made = made.ok_or_else(|| TestCaseError::fail("the whole file is always a hunk"))?;
        let mut now = before.clone();
        for hunk in &made {
            let lines = &before[hunk.before.clone()];
            let places: Vec<usize> = if lines.is_empty() {
                vec![0]
            } else {
                (0..now.len()).filter(|&at| now.get(at..at + lines.len()) == Some(lines)).collect()
            };
            prop_assert_eq!(places.len(), 1, "{:?} in {:?}", lines, now);
            now.splice(places[0]..places[0] + lines.len(), after[hunk.after.clone()].iter().copied());
        }
        prop_assert_eq!(now, after);
    }
}
