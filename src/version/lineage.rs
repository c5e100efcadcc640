//! Tracks the lines of the base through all edits so far.

use crate::pattern::sure_runs;
use crate::text::Line;
use crate::text::search::Haystack;

/// Where the lines of a base are in a later version of a file.
///
/// It is updated at each edit instead of comparing the two texts: a comparison cannot tell a line from a copy of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lineage {
    /// How many lines the base has.
    base: usize,
    /// How many lines there are now.
    now: usize,
    /// Ascending in both texts; none is empty.
    runs: Vec<Run>,
}

/// Consecutive lines of the base that still exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    base: usize,
    now: usize,
    len: usize,
    /// How many new lines directly above belong to its first line.
    lead: usize,
}

impl Lineage {
    /// The base itself, with this number of lines.
    pub(crate) fn new(lines: usize) -> Self {
        let runs = if lines == 0 { Vec::new() } else { vec![Run { base: 0, now: 0, len: lines, lead: 0 }] };
        Self { base: lines, now: lines, runs }
    }

    /// Compares two versions of a file whose edits are not known. Lines count as the same only if they cannot be
    /// mistaken: equal lines at both ends, lines that occur once in each text, and equal lines next to those.
    pub(crate) fn between(base: Haystack<'_>, now: Haystack<'_>) -> Self {
        let (old, new) = (all(base), all(now));
        let run = |(base, now, len)| Run { base, now, len, lead: 0 };
        let runs = sure_runs(&old, &new).into_iter().map(run).collect();
        Self { base: old.len(), now: new.len(), runs }
    }

    /// Records that `lines` new lines replace the lines `start..end`; with `leads`, they belong to the line below.
    pub(crate) fn replace(&mut self, start: usize, end: usize, lines: usize, leads: bool) {
        let mut runs = Vec::with_capacity(self.runs.len() + 1);
        for run in &self.runs {
            let kept = start.saturating_sub(run.now).min(run.len);
            if kept > 0 {
                runs.push(Run { len: kept, ..*run });
            }
            let gone = end.saturating_sub(run.now).min(run.len).max(kept);
            if gone < run.len {
                let now = run.now + gone - end + start + lines;
                let first_lead = run.now - run.lead;
                let with_new = |above: usize| if leads { above + lines } else { 0 };
                let lead = match () {
                    // The first line of the run is replaced.
                    () if gone > 0 => with_new(0),
                    // The change is above the lines that belong to it.
                    () if end < first_lead || end == first_lead && !leads => run.lead,
                    // The change is among these: the ones below it stay, the ones above it only if the new lines lead.
                    () => run.now - end + with_new(start.saturating_sub(first_lead)),
                };
                runs.push(Run { base: run.base + gone, now, len: run.len - gone, lead });
            }
        }
        self.runs = runs;
        self.now = self.now - (end - start) + lines;
    }

    /// Whether nothing was changed.
    pub(crate) fn is_whole(&self) -> bool {
        self.base == self.now && self.runs.iter().map(|run| run.len).sum::<usize>() == self.base
    }

    /// How many lines the base has.
    pub(crate) fn base_lines(&self) -> usize {
        self.base
    }

    /// Returns where a line of the base is now, if it still exists. The line after the last one is the end of the file.
    pub(crate) fn of(&self, line: usize) -> Option<usize> {
        if line == self.base {
            return Some(self.now);
        }
        let index = self.runs.partition_point(|run| run.base <= line).checked_sub(1)?;
        let run = self.runs.get(index).filter(|run| line < run.base + run.len)?;
        Some(run.now + line - run.base)
    }

    /// How many new lines directly above a line belong to it.
    pub(crate) fn lead(&self, line: usize) -> usize {
        let index = self.runs.binary_search_by_key(&line, |run| run.now);
        index.ok().and_then(|index| self.runs.get(index)).map_or(0, |run| run.lead)
    }

    /// The line of the base for a line; `None` for a new one.
    pub(crate) fn origin(&self, line: usize) -> Option<usize> {
        let index = self.runs.partition_point(|run| run.now <= line).checked_sub(1)?;
        let run = self.runs.get(index).filter(|run| line < run.now + run.len)?;
        Some(run.base + line - run.now)
    }

    /// Returns about where the replacement of the lines `start..end` of the base is now; `None` if these lines are
    /// unchanged, or were removed without a replacement.
    pub(crate) fn replaced(&self, start: usize, end: usize) -> Option<usize> {
        let above = self.runs.partition_point(|run| run.base < start).checked_sub(1);
        let above = above.and_then(|index| self.runs.get(index));
        let (first, gone) = above.map_or((0, start), |run| {
            let kept = (start - run.base).min(run.len);
            (run.now + kept, start - run.base - kept)
        });
        let below = self.runs.get(self.runs.partition_point(|run| run.base + run.len <= end));
        let behind = below.map_or(self.now, |run| run.now + end.saturating_sub(run.base));
        let whole = self.runs.get(self.runs.partition_point(|run| run.base + run.len < end));
        let is_whole = whole.is_some_and(|run| run.base <= start);
        (!is_whole && first < behind).then(|| (first + gone).min(behind - 1))
    }

    /// Returns the current position right after the base line before `line`; `None` if that base line is gone.
    pub(crate) fn behind(&self, line: usize) -> Option<usize> {
        match line.checked_sub(1) {
            None => Some(0),
            Some(line) => self.of(line).map(|line| line + 1),
        }
    }
}

/// The lines of a text, with their line endings.
fn all(hay: Haystack<'_>) -> Vec<Line<'_>> {
    hay.lines(0..hay.line_count()).map(|(_, line)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Content;
    use crate::text::search::Budget;

    fn between(old: &str, new: &str) -> Vec<Option<usize>> {
        let budget = Budget::default();
        let (old, new) = (Content::new(old.as_bytes()), Content::new(new.as_bytes()));
        all(&Lineage::between(Haystack::new(&old, &budget), Haystack::new(&new, &budget)))
    }

    #[test]
    fn only_lines_that_cannot_be_mistaken_are_the_same() {
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
    fn new_lines_may_belong_to_the_line_below() {
        let leads = |changes: &[(usize, usize, usize, bool)], line: usize| {
            let mut lineage = Lineage::new(4);
            for &(start, end, lines, leads) in changes {
                lineage.replace(start, end, lines, leads);
            }
            lineage.lead(line)
        };
        assert_eq!(leads(&[(1, 1, 2, true)], 3), 2);
        assert_eq!(leads(&[(1, 1, 2, false)], 3), 0);
        assert_eq!(
            leads(&[(1, 1, 2, true), (1, 1, 1, false)], 4),
            2,
            "what is put in above them is not theirs"
        );
        assert_eq!(leads(&[(1, 1, 2, true), (3, 3, 1, true)], 4), 3);
        assert_eq!(leads(&[(1, 1, 2, true), (2, 2, 1, false)], 4), 1);
        assert_eq!(leads(&[(1, 1, 2, true), (0, 1, 0, false), (3, 4, 1, false)], 2), 2);
        assert_eq!(leads(&[(0, 0, 1, true)], 1), 1);
    }

    #[test]
    fn lines_are_followed_through_edits() {
        let mut lineage = Lineage::new(4);
        assert!(lineage.is_whole());
        lineage.replace(1, 2, 3, false);
        assert!(!lineage.is_whole());
        assert_eq!(all(&lineage), [Some(0), None, Some(4), Some(5), Some(6)]);
        lineage.replace(0, 0, 1, false);
        assert_eq!(all(&lineage), [Some(1), None, Some(5), Some(6), Some(7)]);
        lineage.replace(2, 6, 0, false);
        assert_eq!(all(&lineage), [Some(1), None, None, Some(2), Some(3)]);
        lineage.replace(3, 3, 2, false);
        assert_eq!(all(&lineage), [Some(1), None, None, Some(2), Some(5)]);
        assert_eq!((lineage.behind(0), lineage.behind(2), lineage.behind(4)), (Some(0), None, Some(3)));
    }

    #[test]
    fn removed_lines_were_not_replaced() {
        let mut lineage = Lineage::new(8);
        lineage.replace(5, 7, 0, false);
        lineage.replace(1, 3, 1, false);
        let replaced = |start, end| lineage.replaced(start, end).is_some();
        assert_eq!(
            [(0, 2), (1, 3), (2, 3)].map(|(start, end)| lineage.replaced(start, end)),
            [Some(0), Some(1), Some(1)]
        );
        assert!(replaced(1, 2) && replaced(0, 2) && replaced(2, 4) && !replaced(0, 1) && !replaced(3, 5));
        assert!(!replaced(5, 6) && !replaced(5, 7) && replaced(4, 6), "a part of it is left");
    }

    #[test]
    fn an_insertion_splits_a_run() {
        let mut lineage = Lineage::new(3);
        lineage.replace(1, 1, 1, false);
        assert_eq!(all(&lineage), [Some(0), Some(2), Some(3), Some(4)]);
        assert_eq!(all(&Lineage::new(0)), [Some(0)]);
    }

    #[test]
    fn any_edits_are_followed() {
        // Compares with a list of lines that gets the same edits.
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
            lineage.replace(start, end, new, false);
            lines.splice(start..end, vec![None; new]);
            for line in 0..20 {
                assert_eq!(lineage.of(line), lines.iter().position(|of| *of == Some(line)));
            }
            assert_eq!(lineage.of(20), Some(lines.len()));
            assert!((0..lines.len()).all(|line| lineage.origin(line) == lines[line]));
        }
    }
}
