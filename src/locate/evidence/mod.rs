//! Refusals of hunks, with evidence from the file.

mod compare;
mod context;
mod nearest;
mod surrounding;

pub use surrounding::beginning;

use super::bounds::{Bounds, Objection, Region};
use super::thresholds::MAX_CANDIDATES_SHOWN;
use crate::diag::{Code, Evidence, Refusal, counted};
use crate::pattern::Pattern;
use crate::text::Normalization;
use crate::text::search::{Haystack, Place};
use surrounding::surroundings;

/// The hint for a search text without a match.
pub const HELP_COPY: &str = "copy the search text from the file as it is";

/// The hint for several matches.
pub(crate) const HELP_CONTEXT: &str = "give more lines of the file before and after it";

/// The hint for a match that the anchor of the hunk rules out.
const HELP_ANCHOR: &str = "correct what names the other place, or leave it out";

/// The hint for chunks out of order.
const HELP_ORDER: &str = "copy the lines from the file as they are, in the order of the file";

/// The hint for two changes of the same lines.
pub(super) const HELP_ONE: &str = "write one edit for all changes there";

/// Returns the results of all hunks in their order, or the refusals of the hunks without a result.
pub(super) fn each<T>(all: impl Iterator<Item = Result<T, Box<Refusal>>>) -> Result<Vec<T>, Vec<Refusal>> {
    let (mut results, mut refusals) = (Vec::new(), Vec::new());
    for (number, result) in all.enumerate() {
        match result {
            Ok(result) => results.push(result),
            Err(refusal) => refusals.push(refusal.of_hunk(number)),
        }
    }
    if refusals.is_empty() { Ok(results) } else { Err(refusals) }
}

/// The line numbers of the first few places, from 1.
fn line_numbers(places: &[Place]) -> String {
    const SHOWN: usize = 5;
    let lines = places.iter().take(SHOWN).map(|place| (place.first() + 1).to_string());
    let more = (places.len() > SHOWN).then(|| "…".to_owned());
    lines.chain(more).collect::<Vec<_>>().join(", ")
}

/// The search text has several matches.
pub(super) fn ambiguous(hay: Haystack<'_>, places: impl IntoIterator<Item = Place>) -> Box<Refusal> {
    let (content, budget) = (hay.content(), hay.budget());
    let places = &places.into_iter().collect::<Vec<_>>();
    let message =
        format!("the search text matches {}: lines {}", counted(places.len(), "place"), line_numbers(places));
    let context_lines = context::calculate_min_context(content, places, budget);
    let help = context_lines.map_or_else(
        || HELP_CONTEXT.to_owned(),
        |lines| format!("give {} before and after it", counted(lines, "more line")),
    );
    let evidence = shown(hay, places, context_lines);
    Refusal::new(Code::SearchAmbiguous, message).with_help(help).with_evidence(evidence)
}

/// Shows places with the lines around them, and how many context lines make each unique, if that is known.
fn shown(hay: Haystack<'_>, places: &[Place], context_lines: Option<usize>) -> Evidence {
    Evidence {
        context_lines,
        places: surroundings(hay.content(), places, context_lines),
        file_lines: Some(hay.line_count()),
        candidates: places.iter().map(|place| place.first() + 1).take(MAX_CANDIDATES_SHOWN).collect(),
        ..Evidence::default()
    }
}

/// The search text has fewer matches than the hunk counts to.
pub(super) fn out_of_range(hay: Haystack<'_>, asked: u32, places: &[Place]) -> Box<Refusal> {
    let count = counted(places.len(), "place");
    let message = format!("occurrence {asked} is asked for, but the search text matches {count}");
    let help = match places {
        [only] => format!("leave `occurrence` out if line {} is meant", only.first() + 1),
        all => format!("give an occurrence from 1 to {}", all.len()),
    };
    let context_lines =
        context::calculate_min_context(hay.content(), places, hay.budget()).filter(|_| places.len() > 1);
    let evidence = shown(hay, places, context_lines);
    Refusal::new(Code::OccurrenceRange, message).with_help(help).with_evidence(evidence)
}

/// The search text has no match.
fn no_match(hay: Haystack<'_>, pattern: &Pattern<'_>, bounds: &Bounds) -> Box<Refusal> {
    if hay.budget().is_spent() {
        return too_costly();
    }
    if !hay.budget().wants_evidence() {
        return Refusal::new(Code::SearchNotFound, String::new());
    }
    let content = hay.content();
    let evidence = nearest::evidence(hay, &pattern.before, bounds);
    let holding = match pattern.solid().as_slice() {
        [text] => {
            let line = hay.lines_with(text.trim_ascii(), true).first().copied();
            line.filter(|line| !Normalization::Trimmed.eq(text, hay.text(*line)))
        }
        _ => None,
    };
    let message = match holding {
        Some(line) => format!("the search text is only part of line {}", line + 1),
        None if content.is_empty() => "the file is empty".to_owned(),
        None => "no match for the search text".to_owned(),
    };
    let help = if content.is_empty() { "leave the search text empty to fill the file" } else { HELP_COPY };
    Refusal::new(Code::SearchNotFound, message).with_help(help).with_evidence(evidence)
}

/// The search text has a match, but it is not taken. `why` ends the message.
pub(super) fn matches_but(
    hay: Haystack<'_>,
    pattern: &Pattern<'_>,
    place: &Place,
    why: &str,
) -> Box<Refusal> {
    let line = place.first() + 1;
    let evidence = nearest::evidence(hay, &pattern.before, &Bounds::NONE);
    Refusal::new(Code::SearchNotFound, format!("the search text matches at line {line}, {why}"))
        .with_evidence(evidence)
}

/// The search text has no match within the bounds. If it has one elsewhere, the refusal names that.
pub(super) fn not_found(hay: Haystack<'_>, pattern: &Pattern<'_>, bounds: &Bounds) -> Box<Refusal> {
    let places = [Normalization::Trailing, Normalization::FoldedTrimmed]
        .into_iter()
        .map(|normalization| hay.whole_lines(&pattern.before, normalization));
    let refused = places.flatten().find_map(|place| Some((place, bounds.objection(&place)?)));
    match refused {
        Some((place, objection)) => objected(hay, pattern, &place, objection),
        None => no_match(hay, pattern, bounds),
    }
}

/// There is an objection to the match.
pub(super) fn objected(
    hay: Haystack<'_>,
    pattern: &Pattern<'_>,
    place: &Place,
    objection: Objection,
) -> Box<Refusal> {
    let (why, help) = match objection {
        Objection::Heading(heading) => {
            let line = heading + 1;
            let text = String::from_utf8_lossy(hay.text(heading));
            let why = format!("outside of `{}`, line {line}, that the hunk's heading names", text.trim());
            return matches_but(hay, pattern, place, &why).with_help(HELP_ANCHOR);
        }
        Objection::Order => ("above the lines of the chunk before this one", HELP_ORDER),
        Objection::EndOfFile => ("and not at the end of the file", HELP_ANCHOR),
        Objection::Token => ("but begins or ends inside a word, number or operator there", HELP_COPY),
        Objection::Comment => ("but only in a comment", HELP_COPY),
        Objection::Blanks => ("but with other blank lines", HELP_COPY),
        Objection::Applied => {
            return Box::new(Refusal { code: Code::SearchNotFound, ..*has_added_lines(place.first()) });
        }
    };
    matches_but(hay, pattern, place, why).with_help(help)
}

/// The hunk may be already applied at this line, but its added lines do not prove it.
pub(super) fn has_added_lines(line: usize) -> Box<Refusal> {
    let message = format!("line {} already has lines like the added ones", line + 1);
    Refusal::new(Code::SearchAmbiguous, message).with_help(HELP_CONTEXT)
}

/// The result of the hunk matches elsewhere, so the hunk may be already applied there. Its match is loose, or one of
/// several.
pub(super) fn applied_elsewhere(hay: Haystack<'_>, place: &Place, result: &Place) -> Box<Refusal> {
    let message = format!(
        "the search text is at line {}, but line {} already has the result, as if the edit was applied there",
        place.first() + 1,
        result.first() + 1
    );
    Refusal::new(Code::SearchAmbiguous, message).with_help(HELP_COPY).with_evidence(shown(
        hay,
        &[*place.min(result), *place.max(result)],
        None,
    ))
}

/// Two places may be meant. The line number or count, a match in another mode, the order of the hunks or the base
/// points to the other one.
pub(super) fn two_places(hay: Haystack<'_>, one: usize, other: usize) -> Box<Refusal> {
    if one == other {
        return two_hunks(one);
    }
    let (first, last) = (one.min(other), one.max(other));
    let message = format!("line {} or line {} may be meant", first + 1, last + 1);
    let places = [first, last].map(|line| Place::lines(line, line + 1));
    Refusal::new(Code::SearchAmbiguous, message)
        .with_help(HELP_CONTEXT)
        .with_evidence(shown(hay, &places, None))
}

/// Of several matches in the base only one is left, but the hunk may mean another one, which an earlier edit changed.
pub(super) fn only_one_left(hay: Haystack<'_>, left: usize, changed: usize) -> Box<Refusal> {
    let mut refusal = two_places(hay, left, changed);
    refusal.evidence.iter_mut().for_each(|evidence| evidence.candidates = vec![left + 1]);
    refusal
}

/// No line matches a heading.
pub(super) fn no_heading(text: &str, from: usize) -> Box<Refusal> {
    let message = format!("the line after `@@`, `{text}`, matches no line from line {} on", from + 1);
    Refusal::new(Code::SearchNotFound, message).with_help(HELP_ORDER)
}

/// Several lines match a heading.
pub(super) fn ambiguous_heading(hay: Haystack<'_>, regions: &[Region]) -> Box<Refusal> {
    let places = regions.iter().map(|region| Place::lines(region.heading, region.heading + 1));
    let message = format!("the line after `@@` matches {}", counted(regions.len(), "place"));
    Box::new(Refusal { message, ..*ambiguous(hay, places) })
}

/// The response has the same edit earlier, and would apply it twice.
pub(super) fn duplicate() -> Box<Refusal> {
    Refusal::new(Code::Duplicate, "the response has the same edit earlier, and it would be applied twice")
        .with_help("leave one of them out, or give more lines if they belong in two places")
}

/// The hunk matches an earlier version of the file at this line, but the lines were changed since then.
pub(super) fn conflict(line: usize) -> Box<Refusal> {
    let message =
        format!("the hunk matches an earlier version of the file, at line {line}, but not this one");
    Refusal::new(Code::Conflict, message).with_help(HELP_ONE)
}

/// Two hunks change the same line, insert the same lines there, or one inserts and the other deletes it.
pub(super) fn two_hunks(line: usize) -> Box<Refusal> {
    let message = format!("two hunks change line {} of the file", line + 1);
    Refusal::new(Code::Conflict, message).with_help(HELP_ONE)
}

/// The hint about added lines that cannot be indented as the file is.
pub(super) const HELP_INDENT: &str = "indent the new lines like the lines of the file beside them";

/// The message for added lines whose indentation is unknown.
pub(super) const UNKNOWN_INDENTATION: &str = "how to indent the new lines is not known";

/// The indentation of added lines is unknown, and there are no context lines.
pub(super) fn unknown_indentation() -> Box<Refusal> {
    Refusal::new(Code::SearchNotFound, UNKNOWN_INDENTATION).with_help(HELP_CONTEXT)
}

/// The budget of the response is spent.
pub(super) fn too_costly() -> Box<Refusal> {
    Refusal::new(Code::Limit, "the response needs too many searches")
        .with_help("apply it in parts, or copy the search text from the files as they are")
}
