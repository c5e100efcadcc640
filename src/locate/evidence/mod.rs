//! Why a hunk has no place, and what the file has instead: what a refusal says.

mod compare;
mod context;
mod nearest;
mod surrounding;

pub use context::calculate_min_context;
pub use surrounding::beginning;

use super::admission::Objection;
use super::pointer::{Against, Pointers};
use super::thresholds::CANDIDATES_SHOWN;
use crate::diag::{Code, Evidence, counted};
use crate::guard::Unwanted;
use crate::pattern::Pattern;
use crate::text::Normalization;
use crate::text::search::{Haystack, Place};
use surrounding::surroundings;

/// What to do where a text is nowhere.
pub const HELP_COPY: &str = "copy the search text from the file as it is";

/// What to do where, besides, the nearest region has all lines that are to be added.
pub const HELP_ADDED: &str = "the file already has the added lines: leave the edit out if that is all, else copy the search text from the file as it is";

/// A hunk that was not made: what is said of it in a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Which hunk of the edit, from 0.
    pub hunk: usize,
    /// What it is.
    pub code: Code,
    /// What happened: a lowercase fragment.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
    /// What the file holds.
    pub evidence: Option<Evidence>,
    /// No other text than the one at hand can settle it.
    pub(super) is_last: bool,
}

impl Refusal {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { hunk: 0, code, message: message.into(), help: None, evidence: None, is_last: false })
    }

    pub(super) fn with_help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }

    pub(super) fn with_evidence(mut self: Box<Self>, evidence: Evidence) -> Box<Self> {
        self.evidence = Some(evidence);
        self
    }

    pub(super) fn of_hunk(mut self, hunk: usize) -> Self {
        self.hunk = hunk;
        self
    }
}

impl From<Unwanted> for Refusal {
    fn from(unwanted: Unwanted) -> Self {
        let Unwanted { code, message, help } = unwanted;
        Self { help: help.map(str::to_owned), ..*Self::new(code, message) }
    }
}

impl From<Unwanted> for Box<Refusal> {
    fn from(unwanted: Unwanted) -> Self {
        Box::new(unwanted.into())
    }
}

/// The first lines of places, from 1, the first few.
fn line_numbers(places: &[Place]) -> String {
    const SHOWN: usize = 5;
    let lines = places.iter().take(SHOWN).map(|place| (place.first() + 1).to_string());
    let more = (places.len() > SHOWN).then(|| "…".to_owned());
    lines.chain(more).collect::<Vec<_>>().join(", ")
}

/// Several places.
pub(super) fn ambiguous(hay: Haystack<'_>, places: impl IntoIterator<Item = Place>) -> Box<Refusal> {
    let (content, budget) = (hay.content(), hay.budget());
    let places = &places.into_iter().collect::<Vec<_>>();
    let message =
        format!("the search text matches {}: lines {}", counted(places.len(), "place"), line_numbers(places));
    let context_lines = context::needed(content, places, budget);
    let help = match context_lines {
        Some(lines) => format!("give {} before and after it, so that it matches once", more(lines)),
        None => "give more lines around it, so that it matches once".to_owned(),
    };
    Refusal::new(Code::SearchAmbiguous, message).with_help(help).with_evidence(Evidence {
        unique_lines: context::unique_lines(content, budget),
        ..shown(hay, places, context_lines)
    })
}

/// Places with what is around them, and how much of that tells them apart, if it is known.
fn shown(hay: Haystack<'_>, places: &[Place], context_lines: Option<usize>) -> Evidence {
    Evidence {
        context_lines,
        places: surroundings(hay.content(), places, context_lines),
        file_lines: Some(hay.line_count()),
        ..candidates(places)
    }
}

/// Fewer places than are counted to.
pub(super) fn out_of_range(hay: Haystack<'_>, asked: &str, places: &[Place]) -> Box<Refusal> {
    let count = counted(places.len(), "place");
    let help = match (places.len(), places.first()) {
        (1, Some(place)) => format!(
            "if line {} is meant leave `occurrence` out, else copy the right lines from the file as it is",
            place.first() + 1
        ),
        (last, _) => format!("ask for one from 1 to {last}"),
    };
    let context_lines = context::needed(hay.content(), places, hay.budget()).filter(|_| places.len() > 1);
    Refusal::new(Code::OccurrenceRange, format!("{asked} is asked for, but the search text matches {count}"))
        .with_help(help)
        .with_evidence(shown(hay, places, context_lines))
}

fn more(lines: usize) -> String {
    if lines == 1 { "1 more line".to_owned() } else { format!("{lines} more lines") }
}

/// A text that is nowhere.
fn nowhere(hay: Haystack<'_>, pattern: &Pattern<'_>, pointers: &Pointers) -> Box<Refusal> {
    if hay.budget().is_spent() {
        return too_much();
    }
    if !hay.budget().is_told() {
        return Refusal::new(Code::SearchNotFound, String::new());
    }
    let content = hay.content();
    let evidence = nearest::evidence(hay, &pattern.before, pointers);
    if let [text] = pattern.solid().as_slice()
        && let Some(line) = hay.lines_with(text.trim_ascii(), true).first()
        && !Normalization::Trimmed.eq(text, hay.text(*line))
    {
        let message = format!("the search text is only part of line {}", line + 1);
        return Refusal::new(Code::SearchNotFound, message)
            .with_help("give the whole line as the file has it")
            .with_evidence(evidence);
    }
    let message = if content.is_empty() { "the file is empty" } else { "no match for the search text" };
    let help = match &evidence.nearest {
        Some(nearest) if nearest::has_what_is_added(nearest, pattern) => HELP_ADDED,
        _ if content.is_empty() => "leave the search text empty to fill the file",
        _ => HELP_COPY,
    };
    Refusal::new(Code::SearchNotFound, message).with_help(help).with_evidence(evidence)
}

/// A text that stands at a place which is not taken all the same.
pub(super) fn stands_but(hay: Haystack<'_>, pattern: &Pattern<'_>, place: &Place, why: &str) -> Box<Refusal> {
    let line = place.first() + 1;
    let evidence = nearest::evidence(hay, &pattern.before, &Pointers::NONE);
    Refusal::new(Code::SearchNotFound, format!("the search text matches at line {line}, {why}"))
        .with_evidence(evidence)
}

/// A text that is nowhere that its pointers allow: where it stands against them, if it does.
pub(super) fn missing(hay: Haystack<'_>, pattern: &Pattern<'_>, pointers: &Pointers) -> Box<Refusal> {
    let places = [Normalization::Trailing, Normalization::FoldedTrimmed]
        .into_iter()
        .map(|normalization| hay.whole_lines(&pattern.before, normalization));
    let against = places.flatten().find_map(|place| Some((place, pointers.against(&place)?)));
    match against {
        Some((place, against)) => objected(hay, pattern, &place, Objection::Pointer(against)),
        None => nowhere(hay, pattern, pointers),
    }
}

/// A text that stands only where something speaks against it.
pub(super) fn objected(
    hay: Haystack<'_>,
    pattern: &Pattern<'_>,
    place: &Place,
    objection: Objection,
) -> Box<Refusal> {
    let (why, help) = match objection {
        Objection::Pointer(Against::Heading(heading)) => (
            format!(
                "which is outside of `{}`, line {}, that the hunk's heading names",
                String::from_utf8_lossy(hay.text(heading)).trim(),
                heading + 1
            ),
            "put a line above the text into the heading, or leave the heading out",
        ),
        Objection::Pointer(Against::Order) => {
            ("above the lines of the chunk before this one".to_owned(), "order the chunks as in the file")
        }
        Objection::Pointer(Against::EndOfFile) => {
            ("and not at the end of the file".to_owned(), "leave `*** End of File` out")
        }
        Objection::Token => {
            ("but begins or ends inside a word, number or operator there".to_owned(), "give the whole line")
        }
        Objection::Comment => {
            ("but only in a comment".to_owned(), "give the whole line, with its comment mark")
        }
        Objection::Blanks => (
            "but with other blank lines".to_owned(),
            "copy the search text from the file as it is, blank ones included",
        ),
    };
    stands_but(hay, pattern, place, &why).with_help(help)
}

/// A place that is only like the search text, or is counted to, while its result matches elsewhere: it may be applied there.
pub(super) fn applied_elsewhere(hay: Haystack<'_>, place: &Place, result: &Place) -> Box<Refusal> {
    let message = format!(
        "the search text is at line {}, but line {} already has the result, as if the edit was applied there",
        place.first() + 1,
        result.first() + 1
    );
    Refusal::new(Code::SearchAmbiguous, message)
        .with_help("copy more lines from the file as it is, or leave the edit out if it is already applied")
        .with_evidence(shown(hay, &[*place.min(result), *place.max(result)], None))
}

/// A hunk whose number, or count, names a place, while something else speaks for another: it is written otherwise at the one
/// and not at the other, or the other is in the order of the hunks.
pub(super) fn named_otherwise(hay: Haystack<'_>, named: Place, other: Place, why: &str) -> Box<Refusal> {
    let message = format!("its number names line {}, {why} {}", named.first() + 1, other.first() + 1);
    let refusal = ambiguous(hay, [named.min(other), named.max(other)]);
    Box::new(Refusal { message, ..*refusal })
}

/// Why a place is not taken that a number names: the other one is as the search text has it.
pub(super) const WRITTEN_OTHERWISE: &str =
    "where the search text matches loosely, but it matches exactly at line";

/// A heading that is no line of the file.
///
/// `before` is a line above those that were looked at which it is.
pub(super) fn no_heading(text: &str, from: usize, before: Option<&usize>) -> Box<Refusal> {
    let message = match (before, from) {
        (Some(line), _) => {
            let line = line + 1;
            format!(
                "the line after `@@`, `{text}`, is line {line}, above the lines of the chunk before this one"
            )
        }
        (None, 0) => {
            format!(
                "the line after `@@`, `{text}`, is no line of the file, and part of no line or of several"
            )
        }
        (None, _) => format!(
            "the line after `@@`, `{text}`, is no line after line {from}, and part of no line or of several"
        ),
    };
    Refusal::new(Code::SearchNotFound, message)
        .with_help("copy the line from the file as it is, and order the chunks as in the file")
}

/// A text with more places than can be looked at.
pub(super) fn many_places() -> Box<Refusal> {
    let message = "the search text may match too many places to look at each";
    Refusal::new(Code::Limit, message).with_help("give more lines around it")
}

/// The same edit as in an earlier part of the response, which would be made again.
pub(super) fn once_more() -> Box<Refusal> {
    Refusal::new(Code::Duplicate, "the response has the same edit earlier, and it would be applied twice")
        .with_help("leave one of them out, or give more lines if they belong in two places")
}

/// The hunk fits the base at that line, but not what became of it.
pub(super) fn conflict(line: usize) -> Box<Refusal> {
    let message = format!(
        "the hunk matches the file as it was, at line {line}, but other edits changed the same lines"
    );
    Refusal::new(Code::Conflict, message).with_help("write one edit for all changes there")
}

/// A hunk that fits what it was made on, where the file has other lines by now.
pub(super) fn changed_since() -> Box<Refusal> {
    let message = "the hunk matches the version that it was made for, but its lines have changed since";
    Refusal::new(Code::Conflict, message).with_help("make the change on the file as it is now")
}

/// A count or line number that means one line of the file as the edits before have left it, and another one as it was.
pub(super) fn two_readings(line: usize, other: usize) -> Box<Refusal> {
    let message =
        format!("the line number may mean line {line} or line {other}, since earlier edits moved lines");
    let evidence = Evidence { candidates: vec![line.min(other), line.max(other)], ..Evidence::default() };
    let mut refusal = Refusal::new(Code::SearchAmbiguous, message)
        .with_help("give more lines around it, so that it matches once")
        .with_evidence(evidence);
    refusal.is_last = true;
    refusal
}

/// A SEARCH/REPLACE block with more lines that may be its divider than are tried.
pub(super) fn too_many_dividers() -> Box<Refusal> {
    Refusal::new(Code::Limit, "too many lines of the block look like its divider")
        .with_help("give only the changed lines and a few around them")
}

/// The lines of places, as evidence: of very many the first ones.
pub(super) fn candidates(places: &[Place]) -> Evidence {
    let lines = places.iter().map(|place| place.start.line + 1).take(CANDIDATES_SHOWN);
    Evidence { candidates: lines.collect(), ..Evidence::default() }
}

/// The refusal of a response that asks for more searches than it is worth.
pub(super) fn too_much() -> Box<Refusal> {
    Refusal::new(Code::Limit, "the response needs too many searches")
        .with_help("apply it in parts, or copy the search text from the files as they are")
}
