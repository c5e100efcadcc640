//! Siblings: two blocks of a file that differ only in one or two lines. One of them is removed from the file, and an
//! edit of the removed block must not land in the other one.

use crate::answer::{Line, Side};
use crate::language::{is_prose, may_be_comment};
use crate::random::Random;
use crate::refusal::{contains, normal};
use crate::subject::{Attempt, Subject, is_plain};
use crate::table::{Kind, Table};
use git_llm_apply::format::FormatId;
use std::collections::BTreeMap;

const ADDS_LINE: &str = "siblings: a line for the one that is gone";
const CHANGES_LINE: &str = "siblings: a changed line that both have";

/// How many pairs of siblings are used in a file.
const MAX_FOUND: usize = 20;
/// How many random pairs are tried to find them.
const MAX_TRIES: usize = 400;

/// How many characters of a line are enough to recognize it if it is cut off.
const MIN_LEFT: usize = 8;

pub(crate) fn measure(subject: &Subject, random: &mut Random, table: &mut Table) {
    // In prose, a line may be recognized in other words.
    if is_prose(&subject.path) {
        return;
    }
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, line) in subject.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        places.entry(line).or_default().push(at);
    }
    let twice: Vec<&Vec<usize>> = places.values().filter(|at| at.len() > 1).collect();
    let mut found = 0;
    for _ in 0..MAX_TRIES {
        let Some(at) = random.pick(&twice) else { return };
        let (one, other) = (at[random.below(at.len())], at[random.below(at.len())]);
        let count = 2 + random.below(9);
        let above = random.below(count);
        let (Some(one), Some(other)) = (one.checked_sub(above), other.checked_sub(above)) else { continue };
        let fits = one.abs_diff(other) >= count && one.max(other) + count <= subject.file.lines.len();
        if !fits || !are_siblings(subject, one, other, count) {
            continue;
        }
        let kind = if found % 2 == 0 { ADDS_LINE } else { CHANGES_LINE };
        found += usize::from(attempt(subject, one, other, count, kind, random, table));
        if found == MAX_FOUND {
            return;
        }
    }
}

/// Returns whether two blocks differ in only one line (or two, if they are long), and these lines are code.
fn are_siblings(subject: &Subject, one: usize, other: usize, count: usize) -> bool {
    let differ: Vec<usize> =
        (0..count).filter(|at| subject.line(one + at) != subject.line(other + at)).collect();
    let max_differences = if count < 6 { 1 } else { 2 };
    let tells = |at: &usize| {
        let [a, b] = [subject.line(one + at), subject.line(other + at)];
        let is_code = !may_be_comment(a) && !may_be_comment(b) && !a.contains("...") && !b.contains("...");
        let is_text = !a.trim().is_empty() && !b.trim().is_empty();
        // If the last line begins like the other one, it may count as cut off.
        let (a_text, b_text) = (a.trim(), b.trim());
        let begins = a_text.starts_with(b_text) || b_text.starts_with(a_text);
        let is_cut =
            begins && a_text.chars().count().min(b_text.chars().count()) >= MIN_LEFT && at + 1 == count;
        is_code && is_text && !is_cut && normal([a]) != normal([b])
    };
    (1..=max_differences).contains(&differ.len()) && differ.iter().all(tells)
}

/// Removes one of the two blocks, and applies an edit of it in all formats.
fn attempt(
    subject: &Subject,
    one: usize,
    other: usize,
    count: usize,
    row: &'static str,
    random: &mut Random,
    table: &mut Table,
) -> bool {
    let file = subject.with(one, count, &[]);
    let mut lines: Vec<Line> = (one..one + count).map(|at| Line::new(Side::Kept, subject.line(at))).collect();
    let new = format!("new_line_{}();", random.below(1000));
    let of = |line: &str| line[..line.len() - line.trim_start().len()].to_owned();
    if row == ADDS_LINE {
        let at = random.below(count + 1);
        let new = of(&lines[at.min(count - 1)].before) + &new;
        lines.insert(at, Line::new(Side::Added, &new));
    } else {
        let both = |at: &usize| {
            let line = subject.line(one + at);
            line == subject.line(other + at) && !line.trim().is_empty()
        };
        let both: Vec<usize> = (0..count).filter(both).collect();
        let Some(&at) = random.pick(&both) else { return false };
        let new = of(&lines[at].before) + &new;
        lines[at].side = Side::Removed;
        lines.insert(at + 1, Line::new(Side::Added, &new));
    }
    let text = |other: Side| -> Vec<&str> {
        lines.iter().filter(|line| line.side != other).map(|line| line.before.as_str()).collect()
    };
    let (before, after) = (text(Side::Added), text(Side::Removed));
    if !is_plain(before.iter().copied()) || contains(&file, before) || contains(&file, after) {
        return false;
    }
    for &format in
        FormatId::ALL.iter().filter(|format| !matches!(format, FormatId::WholeFile | FormatId::Snippet))
    {
        let (bar, kind, right) = (None, Kind::Bad, None);
        let attempt = Attempt { row, bar, kind, format, head: "@@", lines: &lines, file: &file, right };
        subject.run(&attempt, table);
    }
    true
}
