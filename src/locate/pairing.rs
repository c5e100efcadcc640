//! Pairing the lines of a before-text with those of its after-text.

use super::thresholds::{PAIRING_CELLS, PAIRING_EFFORT};
use crate::text::{difference, is_blank};
use similar::DiffOp;
use std::collections::HashMap;

/// What becomes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step<'a> {
    /// The before-line with that index stays.
    Keep(usize),
    /// The before-line with that index goes.
    Remove(usize),
    /// A new line, without line ending.
    Add(&'a [u8]),
    /// Any lines, up to where the next before-line stands, go.
    Gap,
}

/// What becomes of each before-line, so that the result is the after-lines. As many lines as possible are kept; of
/// texts too long for that (see [`PAIRING_EFFORT`]), those at both ends and those that occur once in both.
pub(super) fn pair<'a>(before: &[&'a [u8]], after: &[&'a [u8]]) -> Vec<Step<'a>> {
    let mut numbers: HashMap<&[u8], u32> = HashMap::new();
    let mut number = |line: &&'a [u8]| {
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        *numbers.entry(line).or_insert(next)
    };
    let old: Vec<u32> = before.iter().map(&mut number).collect();
    let new: Vec<u32> = after.iter().map(&mut number).collect();
    let mut steps = Vec::with_capacity(before.len().max(after.len()));
    let (mut old_at, mut new_at) = (0, 0);
    for (old_start, new_start, len) in matching_runs(&old, &new) {
        steps.extend((old_at..old_start).map(Step::Remove));
        steps.extend(after[new_at..new_start].iter().map(|text| Step::Add(text)));
        steps.extend((old_start..old_start + len).map(Step::Keep));
        (old_at, new_at) = (old_start + len, new_start + len);
    }
    steps.extend((old_at..before.len()).map(Step::Remove));
    steps.extend(after[new_at..].iter().map(|text| Step::Add(text)));
    steps
}

/// How much can be kept of two texts: of the first lines of each, and of those that follow. A line that says something
/// counts for more than all blank ones, so that none is given up for blank lines.
struct Common {
    width: usize,
    front: Vec<u32>,
    rest: Vec<u32>,
    solid: u32,
}

impl Common {
    /// None of texts too long for that.
    fn of(before: &[&[u8]], after: &[&[u8]]) -> Option<Self> {
        let width = after.len() + 1;
        let cells = (before.len() + 1).checked_mul(width).filter(|cells| *cells <= PAIRING_CELLS)?;
        let (mut front, mut rest) = (vec![0_u32; cells], vec![0_u32; cells]);
        let at = |i: usize, j: usize| i * width + j;
        let solid = u32::try_from(before.len()).unwrap_or(u32::MAX).saturating_add(1);
        let weight = |i: usize| weight(before[i], solid);
        for i in 0..before.len() {
            for j in 0..after.len() {
                front[at(i + 1, j + 1)] = if before[i] == after[j] {
                    front[at(i, j)].saturating_add(weight(i))
                } else {
                    front[at(i, j + 1)].max(front[at(i + 1, j)])
                };
            }
        }
        for i in (0..before.len()).rev() {
            for j in (0..after.len()).rev() {
                rest[at(i, j)] = if before[i] == after[j] {
                    rest[at(i + 1, j + 1)].saturating_add(weight(i))
                } else {
                    rest[at(i + 1, j)].max(rest[at(i, j + 1)])
                };
            }
        }
        Some(Self { width, front, rest, solid })
    }

    fn front(&self, i: usize, j: usize) -> u32 {
        self.front[i * self.width + j]
    }

    fn rest(&self, i: usize, j: usize) -> u32 {
        self.rest[i * self.width + j]
    }

    fn weight(&self, line: &[u8]) -> u32 {
        weight(line, self.solid)
    }
}

fn weight(line: &[u8], solid: u32) -> u32 {
    if is_blank(line) { 1 } else { solid }
}

/// What a line of an after-text may be, where as much as possible is kept.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sources {
    /// One of these before-lines.
    pub(super) kept: Vec<usize>,
    /// A new one.
    pub(super) new: bool,
}

/// What each line of an after-text may be. None of texts too long for that.
pub(super) fn sources(before: &[&[u8]], after: &[&[u8]]) -> Option<Vec<Sources>> {
    let common = Common::of(before, after)?;
    let best = common.rest(0, 0);
    let of = |j: usize| {
        let keeps = |i: &usize| {
            before[*i] == after[j]
                && common.front(*i, j) + common.weight(after[j]) + common.rest(i + 1, j + 1) == best
        };
        let new = (0..=before.len()).any(|i| common.front(i, j) + common.rest(i, j + 1) == best);
        Sources { kept: (0..before.len()).filter(keeps).collect(), new }
    };
    Some((0..after.len()).map(of).collect())
}

/// What becomes of each before-line where as much as possible is kept, and of equal lines the first. None of texts too long
/// for that.
pub(super) fn pair_first<'a>(before: &[&'a [u8]], after: &[&'a [u8]]) -> Option<Vec<Step<'a>>> {
    let common = Common::of(before, after)?;
    let mut steps = Vec::with_capacity(before.len().max(after.len()));
    let (mut i, mut j) = (0, 0);
    let mut comes: Vec<Step<'a>> = Vec::new();
    while i < before.len() || j < after.len() {
        if i < before.len() && j < after.len() && before[i] == after[j] {
            steps.append(&mut comes);
            steps.push(Step::Keep(i));
            (i, j) = (i + 1, j + 1);
        } else if j < after.len() && (i == before.len() || common.rest(i, j + 1) == common.rest(i, j)) {
            comes.push(Step::Add(after[j]));
            j += 1;
        } else {
            // What goes stands in front of what comes.
            steps.push(Step::Remove(i));
            i += 1;
        }
    }
    steps.append(&mut comes);
    Some(steps)
}

/// The same, and of equal lines the last.
pub(super) fn pair_last<'a>(before: &[&'a [u8]], after: &[&'a [u8]]) -> Option<Vec<Step<'a>>> {
    let reversed = |lines: &[&'a [u8]]| -> Vec<&'a [u8]> { lines.iter().rev().copied().collect() };
    let mut steps = pair_first(&reversed(before), &reversed(after))?;
    steps.reverse();
    let mut ordered = Vec::with_capacity(steps.len());
    for run in steps.chunk_by(|a, b| matches!(a, Step::Keep(_)) == matches!(b, Step::Keep(_))) {
        let turned = |step: &Step<'a>| match *step {
            Step::Keep(line) => Step::Keep(before.len() - 1 - line),
            Step::Remove(line) => Step::Remove(before.len() - 1 - line),
            other => other,
        };
        let goes = run.iter().filter(|step| !matches!(step, Step::Add(_))).map(turned);
        let comes = run.iter().filter(|step| matches!(step, Step::Add(_))).copied();
        ordered.extend(goes.chain(comes));
    }
    Some(ordered)
}

/// The runs of equal elements that a difference of two sequences leaves: start in the old, start in the new, length.
pub(super) fn matching_runs(old: &[u32], new: &[u32]) -> Vec<(usize, usize, usize)> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_mid, new_mid) = (&old_rest[..old_rest.len() - tail], &new_rest[..new_rest.len() - tail]);
    let mut runs = vec![(0, 0, head)];
    if old_mid.len().saturating_mul(new_mid.len()) <= PAIRING_EFFORT {
        for op in difference(old_mid, new_mid) {
            if let DiffOp::Equal { old_index, new_index, len } = op {
                runs.push((head + old_index, head + new_index, len));
            }
        }
    } else {
        runs.extend(unique_runs(old_mid, new_mid).into_iter().map(|(o, n, len)| (head + o, head + n, len)));
    }
    runs.push((old.len() - tail, new.len() - tail, tail));
    runs.retain(|run| run.2 > 0);
    runs
}

/// The longest ascending chain of elements that occur once in both sequences.
fn unique_runs(old: &[u32], new: &[u32]) -> Vec<(usize, usize, usize)> {
    let once = |side: &[u32]| {
        let mut seen: HashMap<u32, Option<usize>> = HashMap::new();
        for (at, &number) in side.iter().enumerate() {
            seen.entry(number).and_modify(|place| *place = None).or_insert(Some(at));
        }
        seen
    };
    let in_new = once(new);
    let mut pairs: Vec<(usize, usize)> = once(old)
        .into_iter()
        .filter_map(|(number, at)| Some((at?, in_new.get(&number).copied().flatten()?)))
        .collect();
    pairs.sort_unstable();
    // Patience: the tops of the piles, and for each pair the one it was put upon.
    let mut tops: Vec<usize> = Vec::new();
    let mut below: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, &(_, new_at)) in pairs.iter().enumerate() {
        let pile = tops.partition_point(|&top| pairs[top].1 < new_at);
        below.push(pile.checked_sub(1).map(|pile| tops[pile]));
        if pile == tops.len() {
            tops.push(index);
        } else {
            tops[pile] = index;
        }
    }
    let mut chain = Vec::with_capacity(tops.len());
    let mut next = tops.last().copied();
    while let Some(index) = next {
        chain.push((pairs[index].0, pairs[index].1, 1));
        next = below[index];
    }
    chain.reverse();
    extended(old, new, &chain)
}

/// The runs that grow out of single pairs, back to the run before and on to the next pair.
fn extended(old: &[u32], new: &[u32], chain: &[(usize, usize, usize)]) -> Vec<(usize, usize, usize)> {
    let mut runs: Vec<(usize, usize, usize)> = Vec::with_capacity(chain.len());
    for (index, &(mut old_start, mut new_start, _)) in chain.iter().enumerate() {
        let (old_done, new_done) = runs.last().map_or((0, 0), |&(o, n, len)| (o + len, n + len));
        if old_start < old_done || new_start < new_done {
            // The run before has grown over it.
            continue;
        }
        let (mut old_end, mut new_end) = (old_start + 1, new_start + 1);
        while old_start > old_done && new_start > new_done && old[old_start - 1] == new[new_start - 1] {
            (old_start, new_start) = (old_start - 1, new_start - 1);
        }
        let (old_limit, new_limit) = chain.get(index + 1).map_or((old.len(), new.len()), |&(o, n, _)| (o, n));
        while old_end < old_limit && new_end < new_limit && old[old_end] == new[new_end] {
            (old_end, new_end) = (old_end + 1, new_end + 1);
        }
        runs.push((old_start, new_start, old_end - old_start));
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::super::pattern::lines;
    use super::*;

    fn paired<'a>(before: &'a str, after: &'a str) -> Vec<Step<'a>> {
        pair(&lines(before), &lines(after))
    }

    #[test]
    fn kept_lines_are_kept_and_removals_come_before_additions() {
        assert_eq!(
            paired("a\nb\nc\n", "a\nx\nc\n"),
            [Step::Keep(0), Step::Remove(1), Step::Add(b"x"), Step::Keep(2)]
        );
        assert_eq!(paired("", "x\n"), [Step::Add(b"x")]);
        assert_eq!(paired("x\n", ""), [Step::Remove(0)]);
        assert_eq!(paired("a\n", "a\na\n").iter().filter(|s| matches!(s, Step::Keep(_))).count(), 1);
    }

    #[test]
    fn texts_of_any_length_are_paired_and_give_the_after_text() {
        // Over the effort, so that only unique lines pair.
        // A `}` stands everywhere, and is paired beside a line that does not.
        let before: String = (0..6000).map(|i| format!("{i}\n}}\n")).collect();
        let after: String = (0..6000)
            .map(|i| if i % 2 == 0 { format!("{i}\n}}\n") } else { format!("n{i}\n}}\n") })
            .collect();
        let before = format!("first\n{before}x\n");
        let after = format!("head\n{after}y\n");
        let steps = paired(&before, &after);
        assert_eq!(steps.iter().filter(|s| matches!(s, Step::Keep(_))).count(), 8999, "but the last `}}`");
        let old = lines(&before);
        let result: Vec<&[u8]> = steps
            .iter()
            .filter_map(|step| match *step {
                Step::Keep(line) => Some(old[line]),
                Step::Add(text) => Some(text),
                Step::Remove(_) | Step::Gap => None,
            })
            .collect();
        assert_eq!(result, lines(&after));
    }
}
