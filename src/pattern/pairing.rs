//! Pairs the lines of a search text with those of its replacement.

use crate::text::alike::common_ends;
use crate::text::{difference_of, is_blank};
use similar::DiffOp;
use std::collections::HashMap;
use std::hash::Hash;

/// Two texts get a full difference only up to this product of line counts: 4000 x 4000 lines take 1 ms with nothing in
/// common, and 20 ms with the same lines in another order. Real hunks have tens of lines.
const MAX_PAIRING_PRODUCT: usize = 16_000_000;

/// Other pairings that are as good are searched for only up to this product of line counts: 1000 x 1000 lines take 10
/// ms and 4 MB.
const MAX_PAIRING_CELLS: usize = 1_000_000;

/// What happens to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    /// Keeps the line of the search text with this index.
    Keep(usize),
    /// Removes the line of the search text with this index.
    Remove(usize),
    /// Adds a line, without line ending.
    Add(&'a [u8]),
    /// Removes all lines up to the next line of the search text.
    Gap,
}

/// Returns the steps from the search text to the replacement. They keep as many lines as possible. If the texts are too
/// long ([`MAX_PAIRING_PRODUCT`]), they keep only lines at both ends and lines that are unique in both texts.
pub(crate) fn pair<'a>(before: &[&'a [u8]], after: &[&'a [u8]]) -> Vec<Step<'a>> {
    steps(before, after, &matching_runs(before, after))
}

/// Returns the steps that keep these runs of lines. Removed lines come before added ones.
fn steps<'a>(before: &[&'a [u8]], after: &[&'a [u8]], runs: &[(usize, usize, usize)]) -> Vec<Step<'a>> {
    let mut steps = Vec::with_capacity(before.len().max(after.len()));
    let (mut old_at, mut new_at) = (0, 0);
    for &(old_start, new_start, len) in runs {
        steps.extend((old_at..old_start).map(Step::Remove));
        steps.extend(after[new_at..new_start].iter().map(|text| Step::Add(text)));
        steps.extend((old_start..old_start + len).map(Step::Keep));
        (old_at, new_at) = (old_start + len, new_start + len);
    }
    steps.extend((old_at..before.len()).map(Step::Remove));
    steps.extend(after[new_at..].iter().map(|text| Step::Add(text)));
    steps
}

/// What a line of the replacement may be, if as many lines as possible are kept.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Sources {
    /// One of these lines of the search text.
    pub(crate) kept: Vec<usize>,
    /// A new line.
    pub(crate) new: bool,
}

/// Returns the table that says how much can be kept of the rest of two texts, from line `i` of the one and line `j` of
/// the other on; `None` for texts that are too long. A line that is not blank counts more than all blank lines
/// together.
fn max_kept(before: &[&[u8]], after: &[&[u8]]) -> Option<Vec<Vec<u32>>> {
    (before.len() + 1).checked_mul(after.len() + 1).filter(|cells| *cells <= MAX_PAIRING_CELLS)?;
    let mut max = vec![vec![0_u32; after.len() + 1]; before.len() + 1];
    for i in (0..before.len()).rev() {
        for j in (0..after.len()).rev() {
            max[i][j] = match before[i] == after[j] {
                true => max[i + 1][j + 1].saturating_add(weight(before[i], before.len())),
                false => max[i + 1][j].max(max[i][j + 1]),
            };
        }
    }
    Some(max)
}

/// How much a kept line counts, in a text with this number of lines.
fn weight(line: &[u8], lines: usize) -> u32 {
    if is_blank(line) { 1 } else { u32::try_from(lines).unwrap_or(u32::MAX).saturating_add(1) }
}

/// Returns what each line of the replacement may be; `None` for texts that are too long.
pub(crate) fn sources(before: &[&[u8]], after: &[&[u8]]) -> Option<Vec<Sources>> {
    // What can be kept below and above each pair of lines.
    let (rest, front) = (max_kept(before, after)?, max_kept(&reversed(before), &reversed(after))?);
    let front = |i: usize, j: usize| front[before.len() - i][after.len() - j];
    let of = |(j, line): (usize, &&[u8])| {
        let keeps = |i: &usize| {
            let with = front(*i, j) + weight(line, before.len()) + rest[i + 1][j + 1];
            before[*i] == *line && with == rest[0][0]
        };
        let new = (0..=before.len()).any(|i| front(i, j) + rest[i][j + 1] == rest[0][0]);
        Sources { kept: (0..before.len()).filter(keeps).collect(), new }
    };
    Some(after.iter().enumerate().map(of).collect())
}

fn reversed<'a>(lines: &[&'a [u8]]) -> Vec<&'a [u8]> {
    lines.iter().rev().copied().collect()
}

/// Returns the two most different ways to keep as many lines as possible: with the first of equal lines, and with the
/// last. `None` for texts that are too long.
pub(crate) fn extremes<'a>(before: &[&'a [u8]], after: &[&'a [u8]]) -> Option<[Vec<Step<'a>>; 2]> {
    let back = |(i, j, len)| (before.len() - 1 - i, after.len() - 1 - j, len);
    let last = kept_first(&reversed(before), &reversed(after))?;
    let last = last.into_iter().rev().map(back).collect();
    Some([kept_first(before, after)?, last].map(|kept| steps(before, after, &kept)))
}

/// The runs of kept lines; of equal lines the first are kept.
fn kept_first(before: &[&[u8]], after: &[&[u8]]) -> Option<Vec<(usize, usize, usize)>> {
    let max = max_kept(before, after)?;
    let (mut kept, mut i, mut j) = (Vec::new(), 0, 0);
    while i < before.len() && j < after.len() {
        match () {
            () if before[i] == after[j] => {
                kept.push((i, j, 1));
                (i, j) = (i + 1, j + 1);
            }
            () if max[i][j + 1] == max[i][j] => j += 1,
            () => i += 1,
        }
    }
    Some(kept)
}

/// The runs of equal lines in the difference of two texts: start in the old text, start in the new one, length.
fn matching_runs(old: &[&[u8]], new: &[&[u8]]) -> Vec<(usize, usize, usize)> {
    let (head, tail) = common_ends(old, new);
    if (old.len() - head - tail).saturating_mul(new.len() - head - tail) > MAX_PAIRING_PRODUCT {
        return sure_runs(old, new);
    }
    let equal = |op: DiffOp| match op {
        DiffOp::Equal { old_index, new_index, len } => Some((old_index, new_index, len)),
        _ => None,
    };
    difference_of(old, new).into_iter().filter_map(equal).collect()
}

/// Returns the runs of elements that are certainly the same: equal elements at both ends of two sequences, elements
/// that are unique in both, and equal elements next to these.
pub(crate) fn sure_runs<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<(usize, usize, usize)> {
    let (head, tail) = common_ends(old, new);
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let mut runs = vec![(0, 0, head)];
    for (old_at, new_at) in ascending(&once_in_both(&old[head..old_end], &new[head..new_end])) {
        let (old_at, new_at) = (old_at + head, new_at + head);
        let (old_done, new_done) = runs.last().map_or((0, 0), |&(o, n, len)| (o + len, n + len));
        // The previous run may already contain it.
        if old_at >= old_done {
            let (_, above) = common_ends(&old[old_done..old_at], &new[new_done..new_at]);
            let (below, _) = common_ends(&old[old_at..old_end], &new[new_at..new_end]);
            runs.push((old_at - above, new_at - above, above + below));
        }
    }
    runs.push((old_end, new_end, tail));
    runs.retain(|run| run.2 > 0);
    runs
}

/// The positions of the elements that are unique in both sequences, in the order of the first.
fn once_in_both<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<(usize, usize)> {
    fn once<T: Eq + Hash>(side: &[T]) -> HashMap<&T, Option<usize>> {
        let mut seen = HashMap::new();
        for (at, element) in side.iter().enumerate() {
            seen.entry(element).and_modify(|place| *place = None).or_insert(Some(at));
        }
        seen
    }
    let in_new = once(new);
    let both = |(element, at): (&T, Option<usize>)| Some((at?, in_new.get(element).copied().flatten()?));
    let mut pairs: Vec<(usize, usize)> = once(old).into_iter().filter_map(both).collect();
    pairs.sort_unstable();
    pairs
}

/// Returns as many of these pairs as possible, so that they ascend in their second parts (a longest increasing
/// subsequence). All pairs ascend in their first parts.
fn ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `ends` has, for every length, the pair with the smallest second part that ends a sequence of that length.
    // `before` has, for every pair, the pair before it in its sequence.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < pair.1);
        before.push(length.checked_sub(1).map(|last| ends[last]));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut row: Vec<(usize, usize)> =
        std::iter::successors(ends.last().copied(), |&at| before[at]).map(|at| pairs[at]).collect();
    row.reverse();
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::lines;

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
    fn long_texts_are_paired_by_unique_lines() {
        // It is over the limit, so only unique lines pair.
        // A `}` is not unique, but pairs beside a line that is.
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
