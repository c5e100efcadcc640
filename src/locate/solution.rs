//! The placement of a hunk, and its changes there. If a match can be read in several ways, all of them have to give the
//! same bytes.

use super::alignment::Alignment;
use super::evidence::{self, HELP_COPY};
use super::query::Query;
use super::reindent::{Reindent, Unclear};
use super::splice::{Beside, Splice};
use super::tier::{MatchMode, Scope, Tier};
use super::{Match, Note, part};
use crate::diag::{Code, Refusal};
use crate::guard;
use crate::pattern::{Pattern, Sources};
use crate::text::Eol;
use crate::text::search::{Haystack, Place};
use crate::version::{LineChange, spliced};

/// The stages of locating hunks. Each stage also accepts what the earlier ones accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Matches at tiers 1 to 6. A hunk is already applied only if a heading or line number names the place of its
    /// result.
    Places,
    /// A hunk may be already applied anywhere.
    AlreadyApplied,
    /// Matches at tiers 7 and 8.
    Loose,
}

/// Where a hunk belongs in a text.
#[derive(Debug)]
pub(super) enum Placement {
    /// It changes nothing, because its search text and replacement are equal.
    NoChange,
    /// It is already applied at this place.
    AlreadyApplied(Solution),
    /// It has these changes.
    Change(Solution),
}

impl Placement {
    /// The placement of a hunk that is already applied at a place.
    pub(super) fn applied(hay: Haystack<'_>, place: Place, match_mode: MatchMode) -> Self {
        Self::AlreadyApplied(Solution::at(hay, place, match_mode))
    }

    /// The place, if there is one.
    pub(super) fn place(&self) -> Option<Place> {
        match self {
            Placement::NoChange => None,
            Placement::AlreadyApplied(solution) | Placement::Change(solution) => Some(solution.place),
        }
    }
}

/// The place of a hunk, and its changes there.
#[derive(Debug)]
pub(super) struct Solution {
    /// Ascending; they do not overlap.
    pub(super) changes: Vec<LineChange>,
    /// How the hunk matched.
    pub(super) matched: Match,
    pub(super) place: Place,
    pub(super) note: Option<Note>,
}

impl Solution {
    /// A place that matches in this mode, without changes. Its tier is exact only if every line ends with `\n`, as in
    /// the response.
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
    /// Computes the changes of the hunk at a place.
    ///
    /// # Errors
    /// A guard refuses what it adds, or more than one change may be meant.
    pub(super) fn solve(&self, aligned: &Alignment) -> Result<Solution, Box<Refusal>> {
        let Self { context, hay, pattern, .. } = *self;
        let place = &aligned.place;
        guard::hunk(hay, place, pattern, &context.limits.guard)?;
        let mut solution = Solution::at(hay, *place, aligned.match_mode);
        solution.matched.similarity = aligned.similarity;
        let changes = if aligned.match_mode.scope == Scope::Part {
            part::changes(context, hay, pattern, place)
        } else {
            Reindent::of(self, aligned).and_then(|reindent| {
                if reindent.converts_tabs() {
                    solution.matched.tier = solution.matched.tier.max(Tier::Indent);
                    solution.note = Some(Note::Retabbed);
                }
                only_outcome(self, aligned, &reindent)
            })
        };
        solution.changes = changes.map_err(|unclear| match unclear {
            Unclear::Style => {
                let why = format!("but {}", evidence::UNKNOWN_INDENTATION);
                evidence::matches_but(hay, pattern, place, &why).with_help(evidence::HELP_INDENT)
            }
            Unclear::LookAlikes => {
                let why = "but which look-alikes to replace in the new lines is not known";
                evidence::matches_but(hay, pattern, place, why).with_help(HELP_COPY)
            }
            Unclear::Ambiguous => {
                let why =
                    "but with other blank lines or equal lines, so that more than one change can be meant";
                let refusal = evidence::matches_but(hay, pattern, place, why).with_help(HELP_COPY);
                Box::new(Refusal { code: Code::SearchAmbiguous, ..*refusal })
            }
            Unclear::Duplicate => Box::new(Refusal { is_last: true, ..*evidence::two_hunks(place.first()) }),
        })?;
        Ok(solution)
    }
}

/// Returns the changes of a hunk at a place, if all readings give the same bytes.
///
/// Search text and replacement do not tell which of several equal lines is kept. So the lines of the file that may be
/// the kept one have to be equal, too. If the blank lines of the file differ, they are paired from above and from
/// below, and added lines next to them are tried on both sides.
///
/// # Errors
/// Two readings give different bytes.
fn only_outcome(
    query: &Query<'_>,
    aligned: &Alignment,
    reindent: &Reindent,
) -> Result<Vec<LineChange>, Unclear> {
    let Query { context, hay, pattern, .. } = *query;
    let read = |beside: Beside, pattern: &Pattern<'_>, aligned: &Alignment| {
        Splice { hay, reindent, beside, context: Some(context) }.changes(pattern, aligned)
    };
    let first = read(Beside::Above, pattern, aligned)?;
    if aligned.match_mode == MatchMode::EXACT {
        // Whichever lines are kept, the result is the replacement.
        return Ok(first);
    }
    let has_one_text = |(sources, line): (&Sources, &[u8])| {
        let kept = sources.kept.iter().filter_map(|&before| aligned.line(before));
        let mut texts =
            kept.map(|line| hay.text(line).to_vec()).chain(sources.new.then(|| reindent.line(line, false)));
        let first = texts.next();
        texts.all(|text| Some(text) == first)
    };
    if !pattern.sources().unwrap_or_default().iter().zip(pattern.after()).all(has_one_text) {
        return Err(Unclear::Ambiguous);
    }
    if aligned.match_mode.scope != Scope::SkippingBlanks {
        return Ok(first);
    }
    let (below, otherwise) = (aligned.paired_from_below(hay, pattern), pattern.other_pairings());
    let mut readings = Vec::new();
    for pattern in std::iter::once(pattern).chain(&otherwise) {
        for aligned in std::iter::once(aligned).chain(below.as_ref()) {
            readings.extend([read(Beside::Above, pattern, aligned)?, read(Beside::Below, pattern, aligned)?]);
        }
    }
    if give_same_bytes(hay, &first, &readings) { Ok(first) } else { Err(Unclear::Ambiguous) }
}

/// Whether the other changes all give the same bytes as these.
pub(super) fn give_same_bytes(hay: Haystack<'_>, changes: &[LineChange], others: &[Vec<LineChange>]) -> bool {
    if others.iter().all(|other| other == changes) {
        return true;
    }
    let all = || others.iter().flatten().chain(changes);
    let first = all().map(|change| change.start).min().unwrap_or(0).saturating_sub(1);
    let behind = all().map(|change| change.end).max().unwrap_or(0) + 1;
    let wanted = spliced(hay.content(), first, behind, changes);
    others.iter().all(|other| spliced(hay.content(), first, behind, other) == wanted)
}
