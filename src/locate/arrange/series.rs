//! All hunks of a diff with the places that each may have: which of them order and line numbers leave.

use super::order::{Order, in_order};
use crate::edit::Hunk;
use crate::locate::Context;
use crate::locate::alignment::Alignment;
use crate::locate::evidence::{self, Refusal};
use crate::locate::pointer::{Numbered, Pointers};
use crate::locate::query::Query;
use crate::locate::solution::Part;
use crate::locate::solve::solve;
use crate::pattern::{Pattern, Step};
use crate::text::search::Haystack;

/// A hunk and what is known of its place.
pub(super) enum State {
    Done(Part),
    Open(Vec<Candidate>),
}

/// Where a hunk may be.
pub(super) struct Candidate {
    pub(super) aligned: Alignment,
    /// The lines that it changes, without the context around them, which neighbours may share.
    pub(super) core: (usize, usize),
    /// Whether the hunk was made there.
    pub(super) made: bool,
    /// How many there were to choose from.
    pub(super) places: usize,
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

/// All hunks with what is known of each.
pub(super) struct Series<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) hay: Haystack<'a>,
    pub(super) hunks: Vec<(&'a Hunk, Pattern<'a>, State)>,
}

impl Series<'_> {
    /// The hunks that have candidates, with their numbers.
    fn open(&mut self) -> impl Iterator<Item = (usize, &Hunk, &mut Vec<Candidate>)> {
        self.hunks.iter_mut().enumerate().filter_map(|(number, (hunk, _, state))| match state {
            State::Open(candidates) => Some((number, *hunk, candidates)),
            State::Done(_) => None,
        })
    }

    /// Leaves each hunk the candidate that is meant.
    pub(super) fn choose(&mut self) -> Result<(), Vec<Refusal>> {
        let mut vary = match self.order() {
            Order::Several(vary) => {
                self.keep_numbered(&vary)?;
                self.order()
            }
            order => order,
        };
        if let Order::None = vary {
            let several: Vec<bool> = self.open().map(|(_, _, of)| of.len() > 1).collect();
            self.keep_numbered(&several)?;
            // Hunks that have one place each are sorted; that their lines are different ones is looked at last.
            let several: Vec<bool> = self.open().map(|(_, _, of)| of.len() > 1).collect();
            vary = if several.contains(&true) { Order::Several(several) } else { return Ok(()) };
        }
        let (context, hay) = (self.context, self.hay);
        let mut refused = Vec::new();
        for (at, (number, hunk, of)) in self.open().enumerate() {
            match &vary {
                Order::Several(vary) if vary[at] => {
                    let places = of.iter().map(|candidate| candidate.aligned.place);
                    refused.push(evidence::ambiguous(hay, places).of_hunk(number));
                }
                Order::One(picks) => {
                    let then = Numbered::of(context, hunk).then;
                    let meant = of.swap_remove(picks[at]);
                    // Order leaves another one than the number names.
                    if let Some(named) = of.iter().find(|candidate| Some(candidate.line()) == then) {
                        let why = "and the order of the hunks line";
                        let [named, meant] = [named, &meant].map(|candidate| candidate.aligned.place);
                        refused.push(evidence::named_otherwise(hay, named, meant, why).of_hunk(number));
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

    /// Leaves each of some hunks the candidate that stands exactly at its line number, if there is one: that decides between
    /// equals. A number may be meant in the text before the response or in what the edits before have left: where both name a
    /// candidate, it has to be the same.
    fn keep_numbered(&mut self, which: &[bool]) -> Result<(), Vec<Refusal>> {
        let context = self.context;
        for ((number, hunk, of), _) in self.open().zip(which).filter(|(_, keeps)| **keeps) {
            let numbered = Numbered::of(context, hunk);
            let at = |line: Option<usize>| of.iter().position(|candidate| Some(candidate.line()) == line);
            let Some(then) = at(numbered.then) else { continue };
            if let Some(now) = at(numbered.now).filter(|now| *now != then) {
                return Err(vec![
                    evidence::two_readings(of[now].line() + 1, of[then].line() + 1).of_hunk(number),
                ]);
            }
            *of = vec![of.swap_remove(then)];
        }
        Ok(())
    }

    /// What each hunk comes to at the candidate that is left to it.
    pub(super) fn solve(self) -> Result<Vec<Part>, Vec<Refusal>> {
        let mut parts = Vec::with_capacity(self.hunks.len());
        let mut refusals = Vec::new();
        for (number, (_, pattern, state)) in self.hunks.into_iter().enumerate() {
            let query =
                Query { context: self.context, hay: self.hay, pattern: &pattern, pointers: &Pointers::NONE };
            let part = match state {
                State::Done(part) => Ok(part),
                State::Open(candidates) => candidates.into_iter().next().map_or(Ok(Part::Nothing), |one| {
                    let Candidate { aligned, made, places, .. } = one;
                    if made {
                        return Ok(query.made(aligned.place, aligned.match_mode, places));
                    }
                    solve(&query, &aligned, places).map(Part::Change)
                }),
            };
            match part {
                Ok(part) => parts.push(part),
                Err(refusal) => refusals.push(refusal.of_hunk(number)),
            }
        }
        if refusals.is_empty() { Ok(parts) } else { Err(refusals) }
    }
}
