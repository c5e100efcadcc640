//! Chooses among the candidates of all hunks of an edit, by the order of the hunks and by their line numbers.

use crate::diag::Refusal;
use crate::locate::Context;
use crate::locate::alignment::Alignment;
use crate::locate::bounds::Objection;
use crate::locate::evidence;
use crate::locate::query::Query;
use crate::locate::solution::Placement;
use crate::pattern::{Pattern, Step};
use crate::text::search::Haystack;

/// What is known of the place of a hunk.
pub(super) enum State {
    /// Its placement.
    Done(Placement),
    /// Its possible places.
    Open(Vec<Candidate>),
}

/// A possible place of a hunk.
pub(super) struct Candidate {
    pub(super) aligned: Alignment,
    /// The lines that the hunk changes there, without the context lines around them, which neighbouring hunks may
    /// share.
    pub(super) core: (usize, usize),
    /// Whether it is at the line number of the hunk, counted in the base.
    pub(super) is_in_base: bool,
    /// Whether it is at the line number of the hunk, counted in the current text, if that is not the base.
    pub(super) is_in_current: bool,
    /// Whether the hunk is already applied there.
    pub(super) is_applied: bool,
}

impl Candidate {
    fn line(&self) -> usize {
        self.aligned.place.first()
    }
}

/// The range of lines that a hunk changes at a place.
pub(super) fn core(pattern: &Pattern<'_>, aligned: &Alignment) -> (usize, usize) {
    let kept = |step: &&Step<'_>| matches!(step, Step::Keep(_));
    let lead = pattern.steps.iter().take_while(kept).count();
    let trail = pattern.steps.iter().rev().take_while(kept).count();
    let count = pattern.before.len();
    let mut above = (0..lead).rev().filter_map(|before| aligned.line(before));
    let mut below = (count - trail.min(count)..count).filter_map(|before| aligned.line(before));
    let start = above.next().map_or(aligned.place.first(), |line| line + 1);
    (start, below.next().unwrap_or(aligned.place.behind()).max(start))
}

/// All hunks of an edit, with what is known of their places.
pub(super) struct Series<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) hay: Haystack<'a>,
    pub(super) hunks: Vec<(Pattern<'a>, State)>,
}

impl Series<'_> {
    /// Chooses the candidate of each hunk, and returns the placements.
    pub(super) fn solve(mut self) -> Result<Vec<Placement>, Vec<Refusal>> {
        self.choose_by_order()?;
        self.check_applied()?;
        let Self { context, hay, hunks } = self;
        let placement = |(pattern, state): (Pattern<'_>, State)| {
            let query = Query::anywhere(context, hay, &pattern);
            let candidate = match state {
                State::Done(placement) => return Ok(placement),
                State::Open(candidates) => candidates.into_iter().next(),
            };
            match candidate {
                None => Ok(Placement::NoChange),
                Some(Candidate { aligned, is_applied: true, .. }) => {
                    Ok(Placement::applied(hay, aligned.place, aligned.match_mode))
                }
                Some(Candidate { aligned, .. }) => query.solve(&aligned).map(Placement::Change),
            }
        };
        evidence::each(hunks.into_iter().map(placement))
    }

    /// The candidates of the hunks that have no placement yet, each with the index of the hunk.
    fn open(&mut self) -> impl Iterator<Item = (usize, &mut Vec<Candidate>)> {
        self.hunks.iter_mut().enumerate().filter_map(|(index, (_, state))| match state {
            State::Open(candidates) => Some((index, candidates)),
            State::Done(_) => None,
        })
    }

    /// Refuses a hunk whose place is above an earlier hunk that is already applied, unless its line number names the
    /// place. The hunk may be already applied, too, so that another place is not meant.
    fn check_applied(&self) -> Result<(), Vec<Refusal>> {
        let mut applied = 0;
        let check = |(pattern, state): &(Pattern<'_>, State)| {
            match state {
                State::Done(Placement::AlreadyApplied(solution)) => {
                    applied = applied.max(solution.place.first());
                }
                State::Done(_) => {}
                State::Open(candidates) => match candidates.first() {
                    Some(one) if one.is_applied => applied = applied.max(one.line()),
                    Some(one) if one.aligned.place.behind() <= applied && !one.is_in_base => {
                        let place = &one.aligned.place;
                        return Err(evidence::objected(self.hay, pattern, place, Objection::Order));
                    }
                    _ => {}
                },
            }
            Ok(())
        };
        evidence::each(self.hunks.iter().map(check)).map(drop)
    }

    /// Leaves each hunk only the candidate that is meant.
    fn choose_by_order(&mut self) -> Result<(), Vec<Refusal>> {
        // After the first round the hunks may have no order any more. Then all their candidates are usable again, and
        // the second round lets the numbers decide among them.
        for _ in 0..2 {
            let usable = self.usable();
            self.keep_numbered(&usable)?;
        }
        let usable = self.usable();
        let hay = self.hay;
        let mut refused = Vec::new();
        for ((index, candidates), usable) in self.open().zip(usable) {
            let [pick] = usable[..] else {
                let places = candidates.iter().map(|candidate| candidate.aligned.place);
                refused.push(evidence::ambiguous(hay, places).of_hunk(index));
                continue;
            };
            let meant = candidates.swap_remove(pick);
            // Order and line number contradict each other.
            if let Some(named) = candidates.iter().find(|candidate| candidate.is_in_base) {
                let refusal = evidence::two_places(hay, named.line(), meant.line());
                refused.push(refusal.of_hunk(index));
            }
            *candidates = vec![meant];
        }
        if refused.is_empty() { Ok(()) } else { Err(refused) }
    }

    /// For each hunk, which of its candidates fit the order of the hunks. If no choice puts all hunks in order, all
    /// candidates fit. Whether two hunks change the same lines is checked later.
    fn usable(&mut self) -> Vec<Vec<usize>> {
        let cores = |(_, candidates): (usize, &mut Vec<Candidate>)| {
            candidates.iter().map(|candidate| candidate.core).collect()
        };
        let cores: Vec<Vec<(usize, usize)>> = self.open().map(cores).collect();
        let usable = in_order(&cores);
        if usable.iter().any(Vec::is_empty) {
            return cores.iter().map(|ranges| (0..ranges.len()).collect()).collect();
        }
        usable
    }

    /// Lets line numbers decide: a hunk with several usable candidates keeps only the one at its line number, if there
    /// is one. The number may be counted in the base or in the current text. If both name a candidate, it has to be the
    /// same one.
    fn keep_numbered(&mut self, usable: &[Vec<usize>]) -> Result<(), Vec<Refusal>> {
        let hay = self.hay;
        for ((index, candidates), _) in self.open().zip(usable).filter(|(_, usable)| usable.len() > 1) {
            let Some(in_base) = candidates.iter().position(|candidate| candidate.is_in_base) else {
                continue;
            };
            let in_current =
                candidates.iter().filter(|candidate| candidate.is_in_current && !candidate.is_in_base);
            if let Some(other) = in_current.map(Candidate::line).next() {
                let refusal = evidence::two_places(hay, other, candidates[in_base].line()).of_hunk(index);
                return Err(vec![Refusal { is_last: true, ..refusal }]);
            }
            *candidates = vec![candidates.swap_remove(in_base)];
        }
        Ok(())
    }
}

/// Chooses one range of each list, so that every range ends before the next one begins. Returns, for each list, the
/// indexes of the ranges that can be part of such a choice. If there is no such choice, at least one list has no index.
fn in_order(cores: &[Vec<(usize, usize)>]) -> Vec<Vec<usize>> {
    // The earliest line at which the ranges chosen so far can end, and the latest at which the rest can begin.
    let mut earliest = vec![0];
    for ranges in cores {
        let from = earliest.last().copied().unwrap_or(0);
        let ends = ranges.iter().filter(|range| range.0 >= from).map(|range| range.1);
        earliest.push(ends.min().unwrap_or(usize::MAX));
    }
    let mut latest = usize::MAX;
    let mut usable: Vec<Vec<usize>> = Vec::with_capacity(cores.len());
    for (ranges, from) in cores.iter().zip(&earliest).rev() {
        let fits = |at: &usize| ranges[*at].0 >= *from && ranges[*at].1 <= latest;
        usable.push((0..ranges.len()).filter(fits).collect());
        latest = ranges.iter().filter(|range| range.1 <= latest).map(|range| range.0).max().unwrap_or(0);
    }
    usable.reverse();
    usable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_leaves_one_choice_several_or_none() {
        assert_eq!(in_order(&[vec![(1, 2)], vec![(0, 1), (3, 4)]]), [[0], [1]]);
        assert_eq!(in_order(&[vec![(1, 2)], vec![(2, 3), (4, 5)]]), [vec![0], vec![0, 1]]);
        assert!(in_order(&[vec![(5, 6)], vec![(0, 1)]]).iter().any(Vec::is_empty));
        assert!(in_order(&[]).is_empty());
    }
}
