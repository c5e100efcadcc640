//! Hunks in pieces: the texts before and after a line that stands for any lines.

use super::pattern::{End, Pattern, Step};
use super::place::Place;
use super::rung::Rung;
use super::thresholds::PIECES;

/// A piece of a hunk and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot {
    pub(super) place: Place,
    pub(super) rung: Rung,
}

/// The parts of a hunk between the steps that `cuts` says yes to; none if there is no such step, or far too many.
pub(super) fn cut<'a>(pattern: &Pattern<'a>, cuts: impl Fn(&Step<'a>) -> bool) -> Option<Vec<Pattern<'a>>> {
    let parts: Vec<&[Step<'a>]> = pattern.steps.split(|step| cuts(step)).collect();
    if parts.len() < 2 || parts.len() > PIECES {
        return None;
    }
    let last = parts.len() - 1;
    let piece = |(index, steps): (usize, &[Step<'a>])| {
        let mut before = Vec::new();
        let mut renumber = |line: usize| {
            before.push(pattern.before.get(line).copied().unwrap_or(&[]));
            before.len() - 1
        };
        let steps = steps
            .iter()
            .map(|step| match *step {
                Step::Keep(line) => Step::Keep(renumber(line)),
                Step::Remove(line) => Step::Remove(renumber(line)),
                other => other,
            })
            .collect();
        let end = if index == last { pattern.end } else { End::Newline };
        Pattern { before, steps, unit: crate::edit::Unit::Lines, end }
    };
    Some(parts.into_iter().enumerate().map(piece).collect())
}
