//! One outcome: where a text at a place can be read in more than one way, all ways have to give the same bytes.

use super::alignment::Alignment;
use super::change::{LineChange, spliced};
use super::dress::Dress;
use super::haystack::Haystack;
use super::lineage::Lineage;
use super::pairing::Sources;
use super::pattern::Pattern;
use super::splice::{Beside, Splice, Unclear};
use super::tier::{Rung, Scope};

/// What a hunk changes at a place.
///
/// Two texts do not say which of several equal lines stays, so they are paired from their beginnings and from their
/// ends. Where the file has other blank lines than the text, those are paired from above and from below, and what comes
/// beside them is put on either side.
///
/// # Errors
/// The ways differ in what they make of the file.
pub(super) fn only_outcome(
    hay: Haystack<'_>,
    lineage: Option<&Lineage>,
    pattern: &Pattern<'_>,
    aligned: &Alignment,
    dress: &Dress,
) -> Result<Vec<LineChange>, Unclear> {
    let read = |beside: Beside, pattern: &Pattern<'_>, aligned: &Alignment| {
        Splice { hay, dress, beside, lineage }.changes(pattern, aligned)
    };
    let first = read(Beside::Above, pattern, aligned)?;
    if aligned.rung == Rung::EXACT {
        // Whatever is kept, the lines afterwards are the after-text.
        return Ok(first);
    }
    let lines = pattern.after();
    let sources = pattern.sources().unwrap_or_default();
    if !sources.iter().zip(&lines).all(|(sources, line)| is_one(hay, aligned, dress, sources, line)) {
        return Err(Unclear::Pairing);
    }
    let otherwise = pattern.paired_otherwise();
    let has_gaps = aligned.rung.scope == Scope::SkippingBlanks;
    let below = if has_gaps { aligned.paired_below(hay, pattern) } else { None };
    let mut readings = Vec::new();
    for pattern in std::iter::once(pattern).chain(&otherwise) {
        for aligned in std::iter::once(aligned).chain(below.as_ref()) {
            readings.push(read(Beside::Above, pattern, aligned)?);
            if has_gaps {
                readings.push(read(Beside::Below, pattern, aligned)?);
            }
        }
    }
    let why = if has_gaps { Unclear::Blanks } else { Unclear::Pairing };
    if same(hay, &first, &readings) { Ok(first) } else { Err(why) }
}

/// Whether a line afterwards is the same, whichever line it is: one of those that it may be that are kept, or a new one.
fn is_one(hay: Haystack<'_>, aligned: &Alignment, dress: &Dress, sources: &Sources, line: &[u8]) -> bool {
    let kept =
        sources.kept.iter().filter_map(|&before| aligned.line(before)).map(|line| hay.text(line).to_vec());
    let mut texts = kept.chain(sources.new.then(|| dress.line(line, false)));
    let first = texts.next();
    texts.all(|text| Some(text) == first)
}

/// Whether other changes make of the file what some changes make of it.
pub(super) fn same(hay: Haystack<'_>, changes: &[LineChange], others: &[Vec<LineChange>]) -> bool {
    if others.iter().all(|other| other == changes) {
        return true;
    }
    let all = || others.iter().flatten().chain(changes);
    let first = all().map(|change| change.start).min().unwrap_or(0).saturating_sub(1);
    let behind = all().map(|change| change.end).max().unwrap_or(0) + 1;
    let wanted = spliced(hay, first, behind, changes);
    others.iter().all(|other| spliced(hay, first, behind, other) == wanted)
}
