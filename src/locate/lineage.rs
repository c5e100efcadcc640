//! Which lines of a file are those of the base, through all edits so far.

use super::haystack::Haystack;
use crate::text::Eol;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// Where the lines of a base are in a later version of a file.
///
/// It is kept edit by edit and not found by comparing the two: a comparison can't tell a line from its copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lineage {
    /// How many lines the base has.
    base: usize,
    /// How many lines there are now.
    now: usize,
    /// Ascending in both; none is empty.
    runs: Vec<Run>,
}

/// Consecutive lines that are still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    base: usize,
    now: usize,
    len: usize,
}

impl Lineage {
    /// The base itself, with that number of lines.
    pub(super) fn new(lines: usize) -> Self {
        let runs = if lines == 0 { Vec::new() } else { vec![Run { base: 0, now: 0, len: lines }] };
        Self { base: lines, now: lines, runs }
    }

    /// From one text to another that has grown from it somewhere else, of which only the texts are known. Only lines
    /// that cannot be mistaken are taken for the same: those at both ends, those that stand once in each text, and what
    /// is equal right beside such lines.
    pub(super) fn between(base: Haystack<'_>, now: Haystack<'_>) -> Self {
        let (old, new) = (all(base), all(now));
        let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
        let tail = old[head..].iter().rev().zip(new[head..].iter().rev());
        let tail = tail.take_while(|(old, new)| old == new).count();
        let mut lineage = Self { base: old.len(), now: new.len(), runs: Vec::new() };
        lineage.push(Run { base: 0, now: 0, len: head });
        let (old_end, new_end) = (old.len() - tail, new.len() - tail);
        for (base, now) in ascending(&once_in_both(&old[head..old_end], &new[head..new_end])) {
            let (base, now) = (base + head, now + head);
            let last = lineage.runs.last().map_or((0, 0), |run| (run.base + run.len, run.now + run.len));
            if base < last.0 {
                // Behind the line before it stands just this one.
                continue;
            }
            let above = (1..=(base - last.0).min(now.saturating_sub(last.1)))
                .take_while(|up| old[base - up] == new[now - up])
                .count();
            let below = old[base..old_end].iter().zip(&new[now..new_end]);
            let below = below.take_while(|(old, new)| old == new).count();
            lineage.push(Run { base: base - above, now: now - above, len: above + below });
        }
        lineage.push(Run { base: old_end, now: new_end, len: tail });
        lineage
    }

    fn push(&mut self, run: Run) {
        if run.len > 0 {
            self.runs.push(run);
        }
    }

    /// Takes note that `lines` new ones took the place of those from `start` to before `end`.
    pub(super) fn replace(&mut self, start: usize, end: usize, lines: usize) {
        let mut runs = Vec::with_capacity(self.runs.len() + 1);
        for run in &self.runs {
            let kept = start.saturating_sub(run.now).min(run.len);
            if kept > 0 {
                runs.push(Run { len: kept, ..*run });
            }
            let gone = end.saturating_sub(run.now).min(run.len).max(kept);
            if gone < run.len {
                let now = run.now + gone - end + start + lines;
                runs.push(Run { base: run.base + gone, now, len: run.len - gone });
            }
        }
        self.runs = runs;
        self.now = self.now - (end - start) + lines;
    }

    /// Whether nothing was changed.
    pub(super) fn is_whole(&self) -> bool {
        self.base == self.now && self.runs.iter().map(|run| run.len).sum::<usize>() == self.base
    }

    /// How many lines the base has.
    pub(super) fn base_lines(&self) -> usize {
        self.base
    }

    /// Where a line of the base is now; behind the last comes the end.
    pub(super) fn of(&self, line: usize) -> Option<usize> {
        if line == self.base {
            return Some(self.now);
        }
        let index = self.runs.partition_point(|run| run.base <= line).checked_sub(1)?;
        let run = self.runs.get(index).filter(|run| line < run.base + run.len)?;
        Some(run.now + line - run.base)
    }

    /// The line of the base that a line is; none for a new one.
    pub(super) fn origin(&self, line: usize) -> Option<usize> {
        let index = self.runs.partition_point(|run| run.now <= line).checked_sub(1)?;
        let run = self.runs.get(index).filter(|run| line < run.now + run.len)?;
        Some(run.base + line - run.now)
    }

    /// The line that is now behind the one that the base has in front of `line`.
    pub(super) fn behind(&self, line: usize) -> Option<usize> {
        match line.checked_sub(1) {
            None => Some(0),
            Some(line) => self.of(line).map(|line| line + 1),
        }
    }
}

/// The lines of a text, with what ends them.
fn all(hay: Haystack<'_>) -> Vec<(&[u8], Option<Eol>)> {
    hay.lines(0..hay.line_count()).map(|(_, line)| (line.text, line.eol)).collect()
}

/// Where the items stand that are once in each of two lists, ascending in the first.
fn once_in_both<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<(usize, usize)> {
    let mut seen: HashMap<&T, [Option<usize>; 2]> = HashMap::new();
    let mut often: HashSet<&T> = HashSet::new();
    for (side, items) in [old, new].into_iter().enumerate() {
        for (at, item) in items.iter().enumerate() {
            if seen.entry(item).or_default()[side].replace(at).is_some() {
                often.insert(item);
            }
        }
    }
    let both = |(item, at): (&T, [Option<usize>; 2])| match at {
        [Some(old), Some(new)] if !often.contains(item) => Some((old, new)),
        _ => None,
    };
    let mut pairs: Vec<(usize, usize)> = seen.into_iter().filter_map(both).collect();
    pairs.sort_unstable();
    pairs
}

/// The most of some pairs, ascending in their first part, that ascend in the second, too (a longest increasing
/// subsequence).
fn ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For every length the pair that ends such a row with the least second part, and for every pair the one before it.
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
    use crate::locate::Effort;
    use crate::text::Content;

    fn between(old: &str, new: &str) -> Vec<Option<usize>> {
        let effort = Effort::default();
        let (old, new) = (Content::new(old.as_bytes()), Content::new(new.as_bytes()));
        all(&Lineage::between(Haystack::new(&old, &effort), Haystack::new(&new, &effort)))
    }

    #[test]
    fn two_texts_have_in_common_what_cannot_be_mistaken() {
        assert_eq!(between("a\nb\nc\n", "a\nx\nc\n"), [Some(0), None, Some(2), Some(3)]);
        assert_eq!(between("a\n}\nb\n}\n", "x\na\n}\ny\n}\n"), [Some(1), Some(2), None, Some(4), Some(5)]);
        assert_eq!(between("}\n}\n", "x\n}\n}\n}\ny\n"), [None, None, Some(5)], "which of them nobody knows");
        assert_eq!(between("a\nb\nc\nd\n", "c\nd\na\nb\n"), [None, None, Some(0), Some(1), Some(4)]);
        assert_eq!(between("a\nb\n", "a\r\nb\n"), [None, Some(1), Some(2)]);
        assert_eq!(between("a", "a\nb\n"), [None, Some(2)]);
        assert_eq!(between("", ""), [Some(0)]);
    }

    fn all(lineage: &Lineage) -> Vec<Option<usize>> {
        (0..=lineage.base_lines()).map(|line| lineage.of(line)).collect()
    }

    #[test]
    fn lines_are_followed_through_edits() {
        let mut lineage = Lineage::new(4);
        assert!(lineage.is_whole());
        lineage.replace(1, 2, 3);
        assert!(!lineage.is_whole());
        assert_eq!(all(&lineage), [Some(0), None, Some(4), Some(5), Some(6)]);
        lineage.replace(0, 0, 1);
        assert_eq!(all(&lineage), [Some(1), None, Some(5), Some(6), Some(7)]);
        lineage.replace(2, 6, 0);
        assert_eq!(all(&lineage), [Some(1), None, None, Some(2), Some(3)]);
        lineage.replace(3, 3, 2);
        assert_eq!(all(&lineage), [Some(1), None, None, Some(2), Some(5)]);
        assert_eq!((lineage.behind(0), lineage.behind(2), lineage.behind(4)), (Some(0), None, Some(3)));
    }

    #[test]
    fn an_insertion_in_the_middle_parts_a_run() {
        let mut lineage = Lineage::new(3);
        lineage.replace(1, 1, 1);
        assert_eq!(all(&lineage), [Some(0), Some(2), Some(3), Some(4)]);
        assert_eq!(all(&Lineage::new(0)), [Some(0)]);
    }

    #[test]
    fn any_edits_are_followed() {
        // Against a list of lines that is edited itself.
        let mut lines: Vec<Option<usize>> = (0..20).map(Some).collect();
        let mut lineage = Lineage::new(20);
        let mut seed = 1_u64;
        let mut next = |bound: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(seed >> 33).unwrap() % bound
        };
        for _ in 0..200 {
            let start = next(lines.len() + 1);
            let end = start + next(3).min(lines.len() - start);
            let new = next(3);
            lineage.replace(start, end, new);
            lines.splice(start..end, vec![None; new]);
            for line in 0..20 {
                assert_eq!(lineage.of(line), lines.iter().position(|of| *of == Some(line)));
            }
            assert_eq!(lineage.of(20), Some(lines.len()));
            assert!((0..lines.len()).all(|line| lineage.origin(line) == lines[line]));
        }
    }
}
