//! All hunks of a diff with the places that each may have: which of them order and line numbers leave.

use super::order::{Order, in_order};
use crate::edit::Hunk;
use crate::locate::alignment::Alignment;
use crate::locate::change::LineChange;
use crate::locate::evidence::{self, Refusal};
use crate::locate::guard;
use crate::locate::haystack::Haystack;
use crate::locate::pattern::{Pattern, Step};
use crate::locate::place::Place;
use crate::locate::pointer::{Numbered, Pointers};
use crate::locate::scene::{Part, Scene, Solution};
use crate::locate::solve::solve;
use crate::locate::sought::Sought;
use crate::locate::tier::Rung;

/// A hunk and what is known of its place.
pub(super) enum State {
    Done(Part),
    Open(Vec<Candidate>),
}

/// Where a hunk may be.
pub(super) struct Candidate {
    /// The places of its pieces; of one, unless it has a `~` line.
    pub(super) spots: Vec<Alignment>,
    /// The lines that it changes, without the context around them, which neighbours may share.
    pub(super) core: (usize, usize),
    /// Whether the hunk was made there.
    pub(super) made: bool,
}

impl Candidate {
    fn line(&self) -> usize {
        self.spots.first().map_or(self.core.0, |spot| spot.place.first())
    }

    fn extent(&self) -> Place {
        match (self.spots.first(), self.spots.last()) {
            (Some(first), Some(last)) => Place { start: first.place.start, end: last.place.end },
            _ => Place::lines(self.core.0, self.core.1),
        }
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

/// All hunks with what is known of each.
pub(super) struct Series<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) hay: Haystack<'a>,
    pub(super) hunks: Vec<(Pattern<'a>, State)>,
}

impl Series<'_> {
    fn candidates(&self, hunk: usize) -> &[Candidate] {
        match self.hunks.get(hunk) {
            Some((_, State::Open(candidates))) => candidates,
            _ => &[],
        }
    }

    /// For each hunk that has candidates the one that is meant.
    pub(super) fn choose(&self, hunks: &[Hunk]) -> Result<Vec<usize>, Vec<Refusal>> {
        let mut open: Vec<(usize, Vec<usize>)> = (0..self.hunks.len())
            .filter(|&hunk| matches!(self.hunks[hunk].1, State::Open(_)))
            .map(|hunk| (hunk, (0..self.candidates(hunk).len()).collect()))
            .collect();
        let mut order = self.order(&open);
        if let Order::Several(vary) = &order {
            // The number decides between equals.
            for ((hunk, of), _) in open.iter_mut().zip(vary).filter(|(_, vary)| **vary) {
                self.keep_numbered(&hunks[*hunk], *hunk, of)?;
            }
            order = self.order(&open);
        }
        if let Order::None = order {
            for (hunk, of) in open.iter_mut().filter(|(_, of)| of.len() > 1) {
                self.keep_numbered(&hunks[*hunk], *hunk, of)?;
            }
            // Hunks that have one place each are sorted; that their lines are different ones is looked at last.
            if open.iter().all(|(_, of)| of.len() == 1) {
                order = Order::One(vec![0; open.len()]);
            }
        }
        let vary = match order {
            Order::One(picks) => {
                let mut chosen = vec![0; self.hunks.len()];
                for ((hunk, of), pick) in open.iter().zip(picks) {
                    chosen[*hunk] = of[pick];
                }
                self.agree(hunks, &chosen)?;
                return Ok(chosen);
            }
            Order::Several(vary) => vary,
            Order::None => open.iter().map(|(_, of)| of.len() > 1).collect(),
        };
        let unclear = open.iter().zip(vary).filter(|(_, vary)| *vary).map(|((hunk, of), _)| {
            let places = of.iter().map(|&index| self.candidates(*hunk)[index].extent());
            evidence::ambiguous(self.hay, places).of_hunk(*hunk)
        });
        Err(unclear.collect())
    }

    fn order(&self, open: &[(usize, Vec<usize>)]) -> Order {
        let cores: Vec<Vec<(usize, usize)>> = open
            .iter()
            .map(|(hunk, of)| of.iter().map(|&index| self.candidates(*hunk)[index].core).collect())
            .collect();
        in_order(&cores)
    }

    /// Refuses hunks whose numbers name another of their places than the one that order leaves.
    fn agree(&self, hunks: &[Hunk], chosen: &[usize]) -> Result<(), Vec<Refusal>> {
        let named = |hunk: usize| {
            let line = Numbered::of(self.scene, hunks.get(hunk)?).then?;
            let named = self.candidates(hunk).iter().position(|candidate| candidate.line() == line)?;
            (named != chosen[hunk]).then_some(named)
        };
        let refused = (0..self.hunks.len()).filter_map(|hunk| {
            let places = [named(hunk)?, chosen[hunk]].map(|at| self.candidates(hunk)[at].extent());
            Some(evidence::out_of_order(self.hay, places).of_hunk(hunk))
        });
        let refused: Vec<Refusal> = refused.collect();
        if refused.is_empty() { Ok(()) } else { Err(refused) }
    }

    /// Keeps the candidate that stands exactly at the hunk's line number, if there is one. A number may be meant in the text
    /// before the response or in what the edits before have left: where both name a candidate, it has to be the same.
    fn keep_numbered(&self, hunk: &Hunk, index: usize, of: &mut Vec<usize>) -> Result<(), Vec<Refusal>> {
        let numbered = Numbered::of(self.scene, hunk);
        let candidates = self.candidates(index);
        let at = |line: Option<usize>| of.iter().copied().find(|&at| Some(candidates[at].line()) == line);
        match (at(numbered.then), at(numbered.now)) {
            (Some(then), Some(now)) if then != now => {
                let (then, now) = (candidates[then].line() + 1, candidates[now].line() + 1);
                Err(vec![evidence::two_readings(now, then).of_hunk(index)])
            }
            (Some(then), _) => {
                *of = vec![then];
                Ok(())
            }
            (None, _) => Ok(()),
        }
    }

    pub(super) fn solve(self, chosen: Vec<usize>) -> Result<Vec<Part>, Vec<Refusal>> {
        let mut parts = Vec::with_capacity(self.hunks.len());
        let mut refusals = Vec::new();
        for (index, (pattern, state)) in self.hunks.into_iter().enumerate() {
            let solution = match state {
                State::Done(part) => Ok(part),
                State::Open(mut candidates) => {
                    let places = candidates.len();
                    let candidate = candidates.swap_remove(chosen[index]);
                    if candidate.made {
                        let rung = candidate.spots.first().map_or(Rung::EXACT, |spot| spot.rung);
                        parts.push(Part::Made(Solution::at(self.hay, candidate.extent(), rung, places)));
                        continue;
                    }
                    let (scene, hay, pointers) = (self.scene, self.hay, &Pointers::NONE);
                    let sought = Sought { scene, hay, pattern: &pattern, pointers };
                    solve_pieces(&sought, &candidate, places).map(Part::Change)
                }
            };
            match solution {
                Ok(part) => parts.push(part),
                Err(refusal) => refusals.push(refusal.of_hunk(index)),
            }
        }
        if refusals.is_empty() { Ok(parts) } else { Err(refusals) }
    }
}

/// What a hunk changes, whose pieces stand at several places: what is between them goes.
fn solve_pieces(sought: &Sought<'_>, candidate: &Candidate, places: usize) -> Result<Solution, Box<Refusal>> {
    let Sought { scene, hay, pattern, .. } = *sought;
    if let [spot] = candidate.spots.as_slice() {
        return solve(sought, spot, places);
    }
    guard::hunk(hay, pattern, scene.limits)?;
    let pieces = pattern.cut(|step| matches!(step, Step::Gap)).unwrap_or_default();
    let mut solution: Option<Solution> = None;
    let mut end = 0;
    for (piece, spot) in pieces.iter().zip(&candidate.spots) {
        let part = solve(&sought.with(piece), spot, places)?;
        match &mut solution {
            None => solution = Some(part),
            Some(solution) => {
                let start = end;
                solution.changes.push(LineChange { start, end: spot.place.first(), bytes: Vec::new() });
                solution.changes.extend(part.changes);
                solution.matched.tier = solution.matched.tier.max(part.matched.tier);
                solution.place.end = part.place.end;
            }
        }
        end = spot.place.behind();
    }
    solution.ok_or_else(|| evidence::nowhere(hay, pattern))
}
