//! What hunks are located with, and what they come to.

use super::alignment::Alignment;
use super::evidence::{self, HELP_COPY};
use super::outcome::only_outcome;
use super::query::Query;
use super::reindent::{Reindent, Unclear};
use super::tier::{MatchMode, Scope, Tier};
use super::{Match, Note, part};
use crate::diag::{Code, Refusal};
use crate::guard;
use crate::text::Eol;
use crate::text::search::{Haystack, Place};
use crate::version::LineChange;

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
    /// What is to be said of it.
    pub(super) note: Option<Note>,
}

impl Solution {
    /// A place, found on a match mode, at which nothing changes. What was looked for byte for byte is exact only with `\n` at the
    /// end of every line, as the payload has it.
    pub(super) fn at(hay: Haystack<'_>, place: Place, match_mode: MatchMode) -> Self {
        let bom = hay.content().has_bom() && place.first() == 0 && match_mode.scope == Scope::Whole;
        let mut lines = hay.lines(place.start.line..place.end.line);
        let same = !bom && lines.all(|(_, line)| line.eol == Some(Eol::Lf));
        let tier = if match_mode.tier == Tier::Exact && !same { Tier::Eol } else { match_mode.tier };
        let matched = Match { tier, similarity: None, line: place.first() + 1, base_line: None };
        Self { changes: Vec::new(), matched, place, note: None }
    }
}

impl Query<'_> {
    /// What the hunk changes at a place.
    ///
    /// # Errors
    /// No one means what it brings there, or more than one thing may be meant.
    pub(super) fn solve(&self, aligned: &Alignment) -> Result<Solution, Box<Refusal>> {
        let Self { context, hay, pattern, .. } = *self;
        let place = &aligned.place;
        guard::hunk(hay, place, pattern, &context.limits.guard)?;
        let mut solution = Solution::at(hay, *place, aligned.match_mode);
        solution.matched.similarity = aligned.similarity;
        let changes = if aligned.match_mode.scope == Scope::Part {
            part::changes(hay, context.limits.language(), pattern, place)
        } else {
            Reindent::of(self, aligned).and_then(|reindent| {
                if reindent.is_retabbed() {
                    solution.matched.tier = solution.matched.tier.max(Tier::Indent);
                    solution.note = Some(Note::Retabbed);
                }
                only_outcome(self, aligned, &reindent)
            })
        };
        solution.changes = changes.map_err(|unclear| match unclear {
            Unclear::Writing => {
                let why = format!("but {}", evidence::UNKNOWN_INDENTATION);
                evidence::stands_but(hay, pattern, place, &why).with_help(HELP_COPY)
            }
            Unclear::Several => {
                let why =
                    "but with other blank lines or equal lines, so that more than one change can be meant";
                let refusal = evidence::stands_but(hay, pattern, place, why).with_help(HELP_COPY);
                Box::new(Refusal { code: Code::SearchAmbiguous, ..*refusal })
            }
            Unclear::Again => Box::new(Refusal { is_last: true, ..*evidence::two_hunks(place.first()) }),
        })?;
        Ok(solution)
    }
}
