//! A blank line is added to the context, or left out of it.

use super::{any_line, blank};
use crate::answer::{Hunk, Line, Side};
use crate::case::Case;
use crate::random::Random;

pub(super) fn blank_added(case: &mut Case, random: &mut Random) -> bool {
    let kept = |hunk: &Hunk, line: usize| hunk.lines.get(line).is_some_and(|line| line.side == Side::Kept);
    let place = any_line(case, random, |hunk, line| line > 0 && kept(hunk, line) && kept(hunk, line - 1));
    let Some((hunk, line)) = place else { return false };
    hunk.lines.insert(line, Line { made_up: true, ..Line::new(Side::Kept, "") });
    if is_already_applied(hunk) {
        return false;
    }
    // If the hunk itself changes blank lines, search text and replacement do not say which blank line the file has.
    let changes_blank = hunk.lines.iter().any(|line| line.side != Side::Kept && blank(&line.before));
    case.unsure = changes_blank && case.answer.has_two_texts();
    true
}

/// Returns whether the replacement of a spoiled hunk is exactly what the file has already. This can happen if the hunk
/// itself adds or removes a blank line.
fn is_already_applied(hunk: &Hunk) -> bool {
    let replacement = hunk.lines.iter().filter(|line| line.side != Side::Removed && !line.left_out);
    let there = hunk.lines.iter().filter(|line| line.side != Side::Added && !line.made_up);
    replacement.map(|line| &line.after).eq(there.map(|line| &line.before))
}

pub(super) fn blank_dropped(case: &mut Case, random: &mut Random) -> bool {
    let two_texts = case.answer.has_two_texts();
    let place = any_line(case, random, |hunk, line| {
        hunk.lines[line].side == Side::Kept && blank(&hunk.lines[line].before)
    });
    let Some((hunk, line)) = place else { return false };
    if !hunk.lines[line + 1..].iter().any(Line::is_quoted) && hunk.lines.len() > line + 1 {
        // Added lines follow the last quoted line. Without it, the hunk would say that they belong before it.
        return false;
    }
    hunk.lines[line].left_out = true;
    if is_already_applied(hunk) {
        return false;
    }
    // Changed lines next to the dropped line may make it unclear whether they belong before or after it.
    let is_gap = |line: &&Line| line.side != Side::Kept || blank(&line.before);
    let above = hunk.lines[..line].iter().rev().take_while(is_gap);
    let below = hunk.lines[line + 1..].iter().take_while(is_gap);
    let changed = |line: &&Line| line.side != Side::Kept;
    let both = above.clone().any(|line| changed(&line)) && below.clone().any(|line| changed(&line));
    // If one side only adds lines and the other only removes some, text has moved past the blank line. Search text and
    // replacement do not show that without the blank line.
    let only = |line: &Line, side: Side| line.side == side || line.side == Side::Kept;
    let moved_past = |above_side: Side, below_side: Side| {
        above.clone().all(|line| only(line, above_side)) && below.clone().all(|line| only(line, below_side))
    };
    if two_texts && both && (moved_past(Side::Added, Side::Removed) || moved_past(Side::Removed, Side::Added))
    {
        return false;
    }
    let run: Vec<&Line> = above.chain(below).collect();
    let solid = |side: Side| run.iter().filter(|line| line.side == side && !blank(&line.before)).count();
    let count = |side: Side| run.iter().filter(|line| line.side == side).count();
    // Added lines that replace as many removed ones go where those were. Others may belong before or after the blank
    // line.
    let added = count(Side::Added);
    let replaces = solid(Side::Added) == solid(Side::Removed) && added <= count(Side::Removed);
    let unsure = both || added > 0 && !replaces || run.iter().any(changed) && solid(Side::Removed) == 0;
    let pairing = if two_texts { pairing(hunk, line) } else { Pairing::AsMeant };
    case.unsure = unsure || pairing == Pairing::Open;
    pairing != Pairing::Other
}

/// How a diff pairs the lines of search text and replacement if a blank line is left out of both.
#[derive(PartialEq)]
enum Pairing {
    /// As the hunk meant it.
    AsMeant,
    /// Lines may be added or removed where the blank line was, or somewhere else.
    Open,
    /// More lines are kept than the hunk meant: only the blank line kept equal lines apart, so that the texts say
    /// something else without it.
    Other,
}

/// Returns how a diff pairs search text and replacement without the blank line at `left_out`. The pairing is open if a
/// diff that keeps as many lines can add or remove a line there: then the response does not say where the blank line
/// belongs.
fn pairing(hunk: &Hunk, left_out: usize) -> Pairing {
    let lines = |from: usize, to: usize, other: Side| -> Vec<&str> {
        let lines = hunk.lines[from..to].iter().filter(|line| line.side != other && !blank(&line.before));
        lines.map(|line| line.before.trim_end()).collect()
    };
    let end = hunk.lines.len();
    let (old, new) = (lines(0, end, Side::Added), lines(0, end, Side::Removed));
    let gap = lines(0, left_out, Side::Added).len();
    // kept(old, new)[i][j] is the length of the longest common subsequence of the first i and the first j lines.
    let kept = |old: &[&str], new: &[&str]| -> Vec<Vec<usize>> {
        let mut table = vec![vec![0; new.len() + 1]; old.len() + 1];
        for i in 0..old.len() {
            for j in 0..new.len() {
                let same = if old[i] == new[j] { table[i][j] + 1 } else { 0 };
                table[i + 1][j + 1] = same.max(table[i][j + 1]).max(table[i + 1][j]);
            }
        }
        table
    };
    let front = kept(&old, &new);
    let back = {
        let (mut old, mut new) = (old.clone(), new.clone());
        old.reverse();
        new.reverse();
        kept(&old, &new)
    };
    let (n, m) = (old.len(), new.len());
    let best = front[n][m];
    let split = |i: usize, j: usize, k: usize, l: usize| front[i][j] + back[n - k][m - l] == best;
    let adds = (0..m).any(|j| split(gap, j, gap, j + 1));
    let removes_above = gap > 0 && (0..=m).any(|j| split(gap - 1, j, gap, j));
    let removes_below = gap < n && (0..=m).any(|j| split(gap, j, gap + 1, j));
    let meant = hunk.lines.iter().filter(|line| line.side == Side::Kept && !blank(&line.before)).count();
    if best > meant {
        return Pairing::Other;
    }
    if adds || removes_above || removes_below { Pairing::Open } else { Pairing::AsMeant }
}
