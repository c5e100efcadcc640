//! What hunks are located with, and what they come to.

use super::tier::{Rung, Scope, Tier};
use super::{Limits, Match, Note, Repeat};
use crate::edit::Hunk;
use crate::text::search::{Haystack, Place};
use crate::text::{Content, Eol};
use crate::version::{LineChange, Lineage};

/// What is known while the hunks of an edit are located on one text.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) limits: &'a Limits,
    /// One for each hunk.
    pub(super) repeats: &'a [Repeat],
    /// All hunks that the response has for the file: they show how it writes what the file has.
    pub(super) others: &'a [&'a Hunk],
    /// Whether other hunks for the file come behind these.
    pub(super) followed: bool,
    /// The file before any edit of the response.
    pub(super) original: Option<&'a Content>,
    /// Where the lines of that are in the text at hand, if an edit changed some; none on that text itself.
    pub(super) lineage: Option<&'a Lineage>,
}

impl Scene<'_> {
    /// What is known of a hunk's repetitions.
    pub(super) fn repeat(&self, hunk: usize) -> Repeat {
        self.repeats.get(hunk).copied().unwrap_or(Repeat::ONCE)
    }
}

/// How loosely hunks are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mode {
    /// Places at tiers 1 to 6, and results where a pointer says that they are to be.
    Places,
    /// Likewise, or results that stand anywhere.
    Standing,
    /// Places at all tiers, or results that stand anywhere.
    Loose,
}

/// What a hunk comes to on a text.
#[derive(Debug)]
pub(super) enum Part {
    /// It changes nothing by its own text.
    Nothing,
    /// It was made already.
    Made(Solution),
    /// It is to be made.
    Change(Solution),
}

impl Part {
    /// Where it belongs, if it has a place.
    pub(super) fn place(&self) -> Option<Place> {
        match self {
            Part::Nothing => None,
            Part::Made(solution) | Part::Change(solution) => Some(solution.place),
        }
    }
}

/// Where a hunk belongs, and what it changes there.
#[derive(Debug)]
pub(super) struct Solution {
    /// Ascending, and none overlaps another.
    pub(super) changes: Vec<LineChange>,
    /// How its place was found.
    pub(super) matched: Match,
    pub(super) place: Place,
    /// How many places there were to choose from.
    pub(super) places: usize,
    /// What is to be said of it.
    pub(super) note: Option<Note>,
}

impl Solution {
    /// A place, found on a rung, at which nothing changes. What was looked for byte for byte is exact only with `\n` at the
    /// end of every line, as the payload has it.
    pub(super) fn at(hay: Haystack<'_>, place: Place, rung: Rung, places: usize) -> Self {
        let bom = hay.content().has_bom() && place.first() == 0 && rung.scope == Scope::Whole;
        let mut lines = hay.lines(place.start.line..place.end.line);
        let same = !bom && lines.all(|(_, line)| line.eol == Some(Eol::Lf));
        let tier = if rung.tier == Tier::Exact && !same { Tier::Eol } else { rung.tier };
        let matched = Match { tier, similarity: None, line: place.first() + 1, base_line: None };
        Self { changes: Vec::new(), matched, place, places, note: None }
    }
}
