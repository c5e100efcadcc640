//! Regions that are nearly the same: an edit for one never lands in the other, and the other never makes it count as
//! already applied.

use super::config;
use super::hunk::{Hunk, plain};
use crate::answer::each;
use crate::check::{Ran, run};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Lines of code, each with one that is as similar as siblings are.
const PAIRS: &[(&str, &str)] = &[
    ("    rows = read(path, 1)", "    rows = read(path, 2)"),
    ("    value = user.Gets(name)", "    value = user.Sets(name)"),
    ("    \"left\": is_ready,", "    \"left\": !is_ready,"),
    ("    route(\"/items\", show)", "    route(\"/item\", show)"),
    ("    total = first + second", "    total = first - second"),
    ("    check(rows, strict)", "    check(rows, strict, all)"),
    ("    if count < limit:", "    if count <= limit:"),
    ("    return load_train(rows)", "    return load_test(rows)"),
];

/// Generates a region, and the index of the line in which its sibling differs.
fn region() -> impl Strategy<Value = (Vec<usize>, usize)> {
    let lines = prop::sample::subsequence((0..PAIRS.len()).collect::<Vec<_>>(), 2..7).prop_shuffle();
    (lines, any::<Index>()).prop_map(|(lines, other)| {
        let other = other.index(lines.len());
        (lines, other)
    })
}

/// Returns the lines, one of them replaced by its sibling's.
fn lines(region: &[usize], other: Option<usize>) -> Vec<&'static str> {
    let line = |(at, &pair): (usize, &usize)| if other == Some(at) { PAIRS[pair].1 } else { PAIRS[pair].0 };
    region.iter().enumerate().map(line).collect()
}

fn text(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

proptest! {
    #![proptest_config(config(400))]

    /// The region that is meant is gone, and its sibling is there.
    #[test]
    fn an_edit_never_lands_in_a_sibling(
        (region, other) in region(),
        at in any::<Index>(),
        kind in select(vec!['+', '-', '=']),
        turned in any::<bool>(),
    ) {
        let (here, meant) = if turned { (None, Some(other)) } else { (Some(other), None) };
        let file = format!("above = 0\n\n{}\nbelow = 0\n", text(&lines(&region, here)));
        let at = at.index(region.len());
        let mut hunk = Hunk::default();
        for (index, line) in lines(&region, meant).iter().enumerate() {
            let goes = index == at && kind != '+';
            hunk.push(if goes { '-' } else { ' ' }, *line);
            if index == at && kind != '-' {
                hunk.push('+', "    brand_new(rows)");
            }
        }
        for (format, answer) in plain("a.py", &[hunk]).0 {
            let ran = run("a.py", &file, &answer);
            // If one of two lines is removed, the other one is the result, and half of the search text matches nothing.
            let is_left = kind == '-' && region.len() == 2 && matches!(ran, Ran::AlreadyApplied);
            prop_assert!(is_left || matches!(ran, Ran::Refused(_)), "{format}: {ran:?} of\n{file}by\n{answer}");
        }
    }

    /// B is to be made like A, and is quoted with a slip. That A has the result says nothing about B.
    #[test]
    fn making_one_like_the_other_is_not_there_already(
        (region, other) in region(),
        slip in any::<Index>(),
        a_first in any::<bool>(),
    ) {
        let (a, b) = (text(&lines(&region, None)), text(&lines(&region, Some(other))));
        let slip = slip.index(region.len());
        let misquoted: Vec<String> = lines(&region, Some(other))
            .into_iter()
            .enumerate()
            .map(|(at, line)| if at == slip { line.replacen(|c: char| c.is_alphabetic(), "qq", 1) } else { line.to_owned() })
            .collect();
        let quoted: Vec<&str> = misquoted.iter().map(String::as_str).collect();
        // Short regions are not similar enough to the quoted lines.
        if region.len() < 3 {
            return Ok(());
        }
        let file = if a_first { format!("def a():\n{a}\ndef b():\n{b}") } else { format!("def b():\n{b}\ndef a():\n{a}") };
        let expected = if a_first { format!("def a():\n{a}\ndef b():\n{a}") } else { format!("def b():\n{a}\ndef a():\n{a}") };
        for (format, answer) in each("a.py", &text(&quoted), &a).0 {
            let ran = run("a.py", &file, &answer);
            let fine = match &ran {
                Ran::Refused(_) => true,
                Ran::Changed(files, _) => files["a.py"] == expected,
                _ => false,
            };
            prop_assert!(fine, "{format}: {ran:?} of\n{file}by\n{answer}");
        }
    }
}
