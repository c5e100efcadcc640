//! All hunks of an edit with the places that each may have, narrowed by order and line numbers.

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
    Done(Placement),
    Open(Vec<Candidate>),
}

/// A possible place of a hunk.
pub(super) struct Candidate {
    pub(super) aligned: Alignment,
    /// The lines that it changes, without the context lines around them, which neighbours may share.
    pub(super) core: (usize, usize),
    /// Whether the line number of the hunk names it, counted in the base.
    pub(super) is_in_base: bool,
    /// Whether it names it counted in the current text, if that is not the base.
    pub(super) is_in_current: bool,
    /// Whether the hunk is already applied there.
    pub(super) is_applied: bool,
}

impl Candidate {
    fn line(&self) -> usize {
        self.aligned.place.first()
    }
}

/// The lines that a hunk changes at a place, from the first to the last.
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

/// All hunks with what is known of their places.
pub(super) struct Series<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) hay: Haystack<'a>,
    pub(super) hunks: Vec<(Pattern<'a>, State)>,
}

impl Series<'_> {
    /// The placement of each hunk at the only candidate that is meant.
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

    /// The hunks that have candidates, with their indexes.
    fn open(&mut self) -> impl Iterator<Item = (usize, &mut Vec<Candidate>)> {
        self.hunks.iter_mut().enumerate().filter_map(|(index, (_, state))| match state {
            State::Open(candidates) => Some((index, candidates)),
            State::Done(_) => None,
        })
    }

    /// Refuses hunks above an earlier one that is already applied, unless their line number names the place: they may be
    /// applied, too, and the place may be another.
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
        // The numbers may leave no order, so that they decide of the others, too.
        for _ in 0..2 {
            let usable = self.usable();
            self.keep_numbered(&usable)?;
        }
        let usable = self.usable();
        let hay = self.hay;
        let mut refused = Vec::new();
        for ((index, of), usable) in self.open().zip(usable) {
            let [pick] = usable[..] else {
                let places = of.iter().map(|candidate| candidate.aligned.place);
                refused.push(evidence::ambiguous(hay, places).of_hunk(index));
                continue;
            };
            let meant = of.swap_remove(pick);
            // Order leaves another one than the line number names.
            if let Some(named) = of.iter().find(|candidate| candidate.is_in_base) {
                let refusal = evidence::two_places(hay, named.line(), meant.line());
                refused.push(refusal.of_hunk(index));
            }
            *of = vec![meant];
        }
        if refused.is_empty() { Ok(()) } else { Err(refused) }
    }

    /// For each hunk, which of its candidates fit the order; if there is no order, all. That hunks with one place each
    /// change different lines is checked last.
    fn usable(&mut self) -> Vec<Vec<usize>> {
        let cores = |(_, of): (usize, &mut Vec<Candidate>)| of.iter().map(|one| one.core).collect();
        let cores: Vec<Vec<(usize, usize)>> = self.open().map(cores).collect();
        let usable = in_order(&cores);
        if usable.iter().any(Vec::is_empty) {
            return cores.iter().map(|of| (0..of.len()).collect()).collect();
        }
        usable
    }

    /// Leaves those hunks that may have several places, and have a candidate at their line number, only that one: the
    /// number decides between equals. It may be counted in the base or in the current text: if both name a candidate, it
    /// has to be the same.
    fn keep_numbered(&mut self, usable: &[Vec<usize>]) -> Result<(), Vec<Refusal>> {
        let hay = self.hay;
        for ((index, of), _) in self.open().zip(usable).filter(|(_, usable)| usable.len() > 1) {
            let Some(in_base) = of.iter().position(|candidate| candidate.is_in_base) else { continue };
            let others = of.iter().filter(|candidate| candidate.is_in_current && !candidate.is_in_base);
            if let Some(other) = others.map(Candidate::line).next() {
                let refusal = evidence::two_places(hay, other, of[in_base].line()).of_hunk(index);
                return Err(vec![Refusal { is_last: true, ..refusal }]);
            }
            *of = vec![of.swap_remove(in_base)];
        }
        Ok(())
    }
}

/// For each list, the indexes of those that may be chosen so that every range ends before the next begins; some list has
/// none if there is no such way.
fn in_order(cores: &[Vec<(usize, usize)>]) -> Vec<Vec<usize>> {
    // How early the hunks up to each one may end, and how late those from each one on may begin.
    let mut earliest = vec![0];
    for of in cores {
        let from = earliest.last().copied().unwrap_or(0);
        let ends = of.iter().filter(|core| core.0 >= from).map(|core| core.1);
        earliest.push(ends.min().unwrap_or(usize::MAX));
    }
    let mut latest = usize::MAX;
    let mut usable: Vec<Vec<usize>> = Vec::with_capacity(cores.len());
    for (of, from) in cores.iter().zip(&earliest).rev() {
        let fits = |at: &usize| of[*at].0 >= *from && of[*at].1 <= latest;
        usable.push((0..of.len()).filter(fits).collect());
        latest = of.iter().filter(|core| core.1 <= latest).map(|core| core.0).max().unwrap_or(0);
    }
    usable.reverse();
    usable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_leave_one_way_several_or_none() {
        assert_eq!(in_order(&[vec![(1, 2)], vec![(0, 1), (3, 4)]]), [[0], [1]]);
        assert_eq!(in_order(&[vec![(1, 2)], vec![(2, 3), (4, 5)]]), [vec![0], vec![0, 1]]);
        assert!(in_order(&[vec![(5, 6)], vec![(0, 1)]]).iter().any(Vec::is_empty));
        assert!(in_order(&[]).is_empty());
    }
}
