//! Pairing the lines of a before-text with those of its after-text.

use super::pattern::Step;
use super::thresholds::PAIRING_EFFORT;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::HashMap;

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

/// The runs of equal elements that a difference of two sequences leaves: start in the old, start in the new, length.
pub(super) fn matching_runs(old: &[u32], new: &[u32]) -> Vec<(usize, usize, usize)> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_mid, new_mid) = (&old_rest[..old_rest.len() - tail], &new_rest[..new_rest.len() - tail]);
    let mut runs = vec![(0, 0, head)];
    if old_mid.len().saturating_mul(new_mid.len()) <= PAIRING_EFFORT {
        for op in capture_diff_slices(Algorithm::Myers, old_mid, new_mid) {
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
