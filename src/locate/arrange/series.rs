//! All hunks of a diff with the places that each may have, narrowed by order and line numbers.

use super::line_numbers::LineNumbers;
use crate::diag::Refusal;
use crate::edit::Hunk;
use crate::locate::Context;
use crate::locate::alignment::Alignment;
use crate::locate::bounds::{Bounds, Objection};
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
    pub(super) hunks: Vec<(&'a Hunk, Pattern<'a>, State)>,
}

impl Series<'_> {
    /// The hunks that have candidates, with their indexes.
    fn open(&mut self) -> impl Iterator<Item = (usize, &Hunk, &mut Vec<Candidate>)> {
        self.hunks.iter_mut().enumerate().filter_map(|(number, (hunk, _, state))| match state {
            State::Open(candidates) => Some((number, *hunk, candidates)),
            State::Done(_) => None,
        })
    }

    /// Leaves each hunk only the candidate that is meant.
    pub(super) fn choose(&mut self) -> Result<(), Vec<Refusal>> {
        self.choose_by_order()?;
        self.check_applied()
    }

    /// Refuses hunks above an earlier one that is already applied, unless their line number names the place: they may be
    /// applied, too, and the place may be another.
    fn check_applied(&self) -> Result<(), Vec<Refusal>> {
        let (mut applied, mut refused) = (0, Vec::new());
        for (index, (hunk, pattern, state)) in self.hunks.iter().enumerate() {
            match state {
                State::Done(Placement::AlreadyApplied(solution)) => {
                    applied = applied.max(solution.place.first())
                }
                State::Done(_) => {}
                State::Open(candidates) => {
                    let Some(one) = candidates.first() else { continue };
                    let place = one.aligned.place;
                    if one.is_applied {
                        applied = applied.max(place.first());
                    } else if place.behind() <= applied
                        && LineNumbers::of(self.context, hunk).in_base != Some(one.line())
                    {
                        let refusal = evidence::objected(self.hay, pattern, &place, Objection::Order);
                        refused.push(refusal.of_hunk(index));
                    }
                }
            }
        }
        if refused.is_empty() { Ok(()) } else { Err(refused) }
    }

    fn choose_by_order(&mut self) -> Result<(), Vec<Refusal>> {
        let mut order = match self.order() {
            Order::Several(several) => {
                self.keep_numbered(&several)?;
                self.order()
            }
            order => order,
        };
        if let Order::None = order {
            let several: Vec<bool> = self.open().map(|(_, _, of)| of.len() > 1).collect();
            self.keep_numbered(&several)?;
            // Hunks with one place each are sorted; that they change different lines is checked last.
            let several: Vec<bool> = self.open().map(|(_, _, of)| of.len() > 1).collect();
            order = if several.contains(&true) { Order::Several(several) } else { return Ok(()) };
        }
        let (context, hay) = (self.context, self.hay);
        let mut refused = Vec::new();
        for (at, (index, hunk, of)) in self.open().enumerate() {
            match &order {
                Order::Several(several) if several[at] => {
                    let places = of.iter().map(|candidate| candidate.aligned.place);
                    refused.push(evidence::ambiguous(hay, places).of_hunk(index));
                }
                Order::One(picks) => {
                    let number = LineNumbers::of(context, hunk).in_base;
                    let meant = of.swap_remove(picks[at]);
                    // Order leaves another one than the line number names.
                    if let Some(named) = of.iter().find(|candidate| Some(candidate.line()) == number) {
                        let refusal = evidence::two_places(hay, named.line(), meant.line());
                        refused.push(refusal.of_hunk(index));
                    }
                    *of = vec![meant];
                }
                _ => {}
            }
        }
        if refused.is_empty() { Ok(()) } else { Err(refused) }
    }

    fn order(&mut self) -> Order {
        let cores = |(_, _, of): (usize, &Hunk, &mut Vec<Candidate>)| of.iter().map(|one| one.core).collect();
        in_order(&self.open().map(cores).collect::<Vec<_>>())
    }

    /// Leaves those of these hunks that have a candidate at their line number only that one: the number decides between
    /// equals. It may be counted in the base or in the current text: if both name a candidate, it has to be the same.
    fn keep_numbered(&mut self, which: &[bool]) -> Result<(), Vec<Refusal>> {
        let (context, hay) = (self.context, self.hay);
        for ((number, hunk, of), _) in self.open().zip(which).filter(|(_, keeps)| **keeps) {
            let numbers = LineNumbers::of(context, hunk);
            let at = |line: Option<usize>| of.iter().position(|candidate| Some(candidate.line()) == line);
            let Some(in_base) = at(numbers.in_base) else { continue };
            if let Some(other) = at(numbers.in_current).filter(|other| *other != in_base) {
                let refusal = evidence::two_places(hay, of[other].line(), of[in_base].line()).of_hunk(number);
                return Err(vec![Refusal { is_last: true, ..refusal }]);
            }
            *of = vec![of.swap_remove(in_base)];
        }
        Ok(())
    }

    /// The placement of each hunk at the candidate that is left.
    pub(super) fn solve(self) -> Result<Vec<Placement>, Vec<Refusal>> {
        let Self { context, hay, hunks } = self;
        let placement = |(_, pattern, state): (&Hunk, Pattern<'_>, State)| {
            let query = Query { context, hay, pattern: &pattern, bounds: &Bounds::NONE };
            let candidate = match state {
                State::Done(placement) => return Ok(placement),
                State::Open(candidates) => candidates.into_iter().next(),
            };
            let Some(Candidate { aligned, is_applied, .. }) = candidate else {
                return Ok(Placement::NoChange);
            };
            if is_applied {
                return Ok(Placement::applied(hay, aligned.place, aligned.match_mode));
            }
            query.solve(&aligned).map(Placement::Change)
        };
        evidence::each(hunks.into_iter().map(placement))
    }
}

/// The ways to choose a place for each hunk in order.
enum Order {
    /// There is no way.
    None,
    /// One way: the index of the place for each hunk.
    One(Vec<usize>),
    /// Several ways: for each hunk, whether its place differs between them.
    Several(Vec<bool>),
}

/// Chooses one of each list so that every range ends before the next begins.
fn in_order(cores: &[Vec<(usize, usize)>]) -> Order {
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
    match () {
        () if usable.iter().any(Vec::is_empty) => Order::None,
        () if usable.iter().all(|of| of.len() == 1) => Order::One(usable.iter().map(|of| of[0]).collect()),
        () => Order::Several(usable.iter().map(|of| of.len() > 1).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_leave_one_way_several_or_none() {
        let one = in_order(&[vec![(1, 2)], vec![(0, 1), (3, 4)]]);
        assert!(matches!(one, Order::One(picks) if picks == [0, 1]));
        let several = in_order(&[vec![(1, 2)], vec![(2, 3), (4, 5)]]);
        assert!(matches!(several, Order::Several(vary) if vary == [false, true]));
        assert!(matches!(in_order(&[vec![(5, 6)], vec![(0, 1)]]), Order::None));
        assert!(matches!(in_order(&[]), Order::One(picks) if picks.is_empty()));
    }
}
