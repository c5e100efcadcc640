//! One outcome: where a text at a place can be read in more than one way, all ways have to give the same bytes.

use super::alignment::Alignment;
use super::query::Query;
use super::reindent::{Reindent, Unclear};
use super::splice::{Beside, Splice};
use super::tier::{MatchMode, Scope};
use crate::pattern::{Pattern, Sources};
use crate::text::search::Haystack;
use crate::version::{LineChange, spliced};

/// What a hunk changes at a place.
///
/// Two texts do not say which of several equal lines stays: all that a line may be have to be the same in the file. Where the
/// file has other blank lines than the text, those are paired from above and from below, and what comes beside them is put on
/// either side.
///
/// # Errors
/// The ways differ in what they make of the file.
pub(super) fn only_outcome(
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
