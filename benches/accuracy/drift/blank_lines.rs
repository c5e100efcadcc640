//! Blank lines of the context that come or go.

use super::{any_line, blank};
use crate::answer::{Hunk, Line, Side};
use crate::case::Case;
use crate::random::Random;

pub(super) fn blank_added(case: &mut Case, random: &mut Random) -> bool {
    let kept = |hunk: &Hunk, line: usize| hunk.lines.get(line).is_some_and(|line| line.side == Side::Kept);
    let place = any_line(case, random, |hunk, line| line > 0 && kept(hunk, line) && kept(hunk, line - 1));
    let Some((hunk, line)) = place else { return false };
    hunk.lines.insert(line, Line { made_up: true, ..Line::new(Side::Kept, "") });
    if says_what_is_there(hunk) {
        return false;
    }
    // Where blank lines come or go, two texts do not say which of them all the file has.
    let comes = hunk.lines.iter().any(|line| line.side != Side::Kept && blank(&line.before));
    case.unsure = comes && case.answer.has_two_texts();
    true
}

/// Whether the file has already, to the letter, what the spoiled hunk says that it is to become: with a blank line more or
/// less than the file the text before may be the text after of a hunk that changes blank lines. It is there then.
fn says_what_is_there(hunk: &Hunk) -> bool {
    let asked = hunk.lines.iter().filter(|line| line.side != Side::Removed && !line.left_out);
    let there = hunk.lines.iter().filter(|line| line.side != Side::Added && !line.made_up);
    asked.map(|line| &line.after).eq(there.map(|line| &line.before))
}

pub(super) fn blank_dropped(case: &mut Case, random: &mut Random) -> bool {
    let two_texts = case.answer.has_two_texts();
    let place = any_line(case, random, |hunk, line| {
        hunk.lines[line].side == Side::Kept && blank(&hunk.lines[line].before)
    });
    let Some((hunk, line)) = place else { return false };
    if !hunk.lines[line + 1..].iter().any(Line::is_quoted) && hunk.lines.len() > line + 1 {
        // Without its last line the hunk would say that what follows belongs before it.
        return false;
    }
    hunk.lines[line].left_out = true;
    if says_what_is_there(hunk) {
        return false;
    }
    // Lines put in beside it, and in the place of none: before it or behind it?
    let is_gap = |line: &&Line| line.side != Side::Kept || blank(&line.before);
    let above = hunk.lines[..line].iter().rev().take_while(is_gap);
    let below = hunk.lines[line + 1..].iter().take_while(is_gap);
    let changed = |line: &&Line| line.side != Side::Kept;
    let both = above.clone().any(|line| changed(&line)) && below.clone().any(|line| changed(&line));
    // What comes on one side of it in the place of what goes on the other has moved past it: two texts do not say so then.
    let only = |line: &Line, side: Side| line.side == side || line.side == Side::Kept;
    let past = |comes: Side, goes: Side| {
        above.clone().all(|line| only(line, comes)) && below.clone().all(|line| only(line, goes))
    };
    if two_texts && both && (past(Side::Added, Side::Removed) || past(Side::Removed, Side::Added)) {
        return false;
    }
    let run: Vec<&Line> = above.chain(below).collect();
    let solid = |side: Side| run.iter().filter(|line| line.side == side && !blank(&line.before)).count();
    let count = |side: Side| run.iter().filter(|line| line.side == side).count();
    // What comes in the place of as many lines has their place; else it may belong before it or behind it.
    let comes = count(Side::Added);
    let takes_place = solid(Side::Added) == solid(Side::Removed) && comes <= count(Side::Removed);
    let unsure = both || comes > 0 && !takes_place || run.iter().any(changed) && solid(Side::Removed) == 0;
    let pairing = if two_texts { pairing(hunk, line) } else { Pairing::AsMeant };
    case.unsure = unsure || pairing == Pairing::Open;
    pairing != Pairing::Other
}

/// What two texts say of the lines that stay, when a blank line is left out of both.
#[derive(PartialEq)]
enum Pairing {
    AsMeant,
    /// Lines may come or go where it was, or somewhere else.
    Open,
    /// More lines stay than were meant to: it was all that told lines from others that are the same, and without it the
    /// texts say something else.
    Other,
}

/// Whether the two texts of a hunk can be paired otherwise than they were, or, with as many lines kept, so that a line comes
/// or goes where a blank line was left out: then the response does not say where the blank line of the file stays.
fn pairing(hunk: &Hunk, left_out: usize) -> Pairing {
    let lines = |from: usize, to: usize, other: Side| -> Vec<&str> {
        let lines = hunk.lines[from..to].iter().filter(|line| line.side != other && !blank(&line.before));
        lines.map(|line| line.before.trim_end()).collect()
    };
    let end = hunk.lines.len();
    let (old, new) = (lines(0, end, Side::Added), lines(0, end, Side::Removed));
    let gap = lines(0, left_out, Side::Added).len();
    // kept(old, new)[i][j]: how many lines the first i and the first j have in common, in order.
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
    let comes = (0..m).any(|j| split(gap, j, gap, j + 1));
    let above_goes = gap > 0 && (0..=m).any(|j| split(gap - 1, j, gap, j));
    let below_goes = gap < n && (0..=m).any(|j| split(gap, j, gap + 1, j));
    let meant = hunk.lines.iter().filter(|line| line.side == Side::Kept && !blank(&line.before)).count();
    if best > meant {
        return Pairing::Other;
    }
    if comes || above_goes || below_goes { Pairing::Open } else { Pairing::AsMeant }
}
