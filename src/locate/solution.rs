//! What hunks are located with, and what they come to: where a text at a place can be read in more than one way, all ways have
//! to give the same bytes.

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

/// How loosely hunks are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mode {
    /// Places at tiers 1 to 6, and results where a heading or number says that they are to be.
    Places,
    /// Likewise, and results anywhere.
    AlreadyApplied,
    /// Places at all tiers, and results anywhere.
    Loose,
}

/// The result of a hunk on a text.
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
    /// A note on it.
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
                evidence::matches_but(hay, pattern, place, &why).with_help(evidence::HELP_INDENT)
            }
            Unclear::Several => {
                let why =
                    "but with other blank lines or equal lines, so that more than one change can be meant";
                let refusal = evidence::matches_but(hay, pattern, place, why).with_help(HELP_COPY);
                Box::new(Refusal { code: Code::SearchAmbiguous, ..*refusal })
            }
            Unclear::Again => Box::new(Refusal { is_last: true, ..*evidence::two_hunks(place.first()) }),
        })?;
        Ok(solution)
    }
}

/// What a hunk changes at a place.
///
/// Two texts do not say which of several equal lines stays: all that a line may be have to be the same in the file. Where the
/// file has other blank lines than the text, those are paired from above and from below, and what comes beside them is put on
/// either side.
///
/// # Errors
/// The ways differ in what they make of the file.
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
        // Whatever is kept, the lines afterwards are the after-text.
        return Ok(first);
    }
    let is_one = |(sources, line): (&Sources, &[u8])| {
        let kept = sources.kept.iter().filter_map(|&before| aligned.line(before));
        let mut texts =
            kept.map(|line| hay.text(line).to_vec()).chain(sources.new.then(|| reindent.line(line, false)));
        let first = texts.next();
        texts.all(|text| Some(text) == first)
    };
    if !pattern.sources().unwrap_or_default().iter().zip(pattern.after()).all(is_one) {
        return Err(Unclear::Several);
    }
    if aligned.match_mode.scope != Scope::SkippingBlanks {
        return Ok(first);
    }
    let (below, otherwise) = (aligned.paired_below(hay, pattern), pattern.paired_otherwise());
    let mut readings = Vec::new();
    for pattern in std::iter::once(pattern).chain(&otherwise) {
        for aligned in std::iter::once(aligned).chain(below.as_ref()) {
            readings.extend([read(Beside::Above, pattern, aligned)?, read(Beside::Below, pattern, aligned)?]);
        }
    }
    if same(hay, &first, &readings) { Ok(first) } else { Err(Unclear::Several) }
}

/// Whether other changes make of the file what some changes make of it.
pub(super) fn same(hay: Haystack<'_>, changes: &[LineChange], others: &[Vec<LineChange>]) -> bool {
    if others.iter().all(|other| other == changes) {
        return true;
    }
    let all = || others.iter().flatten().chain(changes);
    let first = all().map(|change| change.start).min().unwrap_or(0).saturating_sub(1);
    let behind = all().map(|change| change.end).max().unwrap_or(0) + 1;
    let wanted = spliced(hay.content(), first, behind, changes);
    others.iter().all(|other| spliced(hay.content(), first, behind, other) == wanted)
}
