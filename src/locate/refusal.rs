//! Why a hunk has no place.

use super::context;
use super::effort::Effort;
use super::place::Place;
use super::surrounding::surroundings;
use super::thresholds::CANDIDATES_SHOWN;
use crate::diag::{Code, Evidence};
use crate::text::Content;

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
}

impl Refusal {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { hunk: 0, code, message: message.into(), help: None, evidence: None })
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

/// Several places.
pub(super) fn ambiguous(content: &Content, places: &[Place], effort: &Effort) -> Box<Refusal> {
    let message = format!("the text to find stands in {}", counted(places.len(), "place"));
    let context_lines = context::needed(content, places, effort);
    let help = match context_lines {
        Some(lines) => format!("give {} before and after it, so that it is the only place", more(lines)),
        None => "give more lines around it, so that it is the only place".to_owned(),
    };
    Refusal::new(Code::SearchAmbiguous, message).with_help(help).with_evidence(Evidence {
        context_lines,
        unique_lines: context::unique_lines(content, effort),
        places: surroundings(content, places, context_lines),
        file_lines: Some(content.line_count()),
        ..candidates(places)
    })
}

/// Fewer places than are counted to.
pub(super) fn out_of_range(
    content: &Content,
    asked: &str,
    places: &[Place],
    effort: &Effort,
) -> Box<Refusal> {
    let count = counted(places.len(), "place");
    let help = match places.len() {
        1 => "leave `occurrence` out".to_owned(),
        last => format!("ask for one from 1 to {last}"),
    };
    let context_lines = context::needed(content, places, effort).filter(|_| places.len() > 1);
    Refusal::new(
        Code::OccurrenceRange,
        format!("{asked} is asked for, but the text to find stands in {count}"),
    )
    .with_help(help)
    .with_evidence(Evidence {
        context_lines,
        places: surroundings(content, places, context_lines),
        file_lines: Some(content.line_count()),
        ..candidates(places)
    })
}

fn more(lines: usize) -> String {
    if lines == 1 { "1 more line".to_owned() } else { format!("{lines} more lines") }
}

/// The same edit as in an earlier part of the response, and a place where it would be made again.
pub(super) fn once_more(places: &[Place]) -> Box<Refusal> {
    Refusal::new(
        Code::Duplicate,
        "the same edit stands in an earlier part of the response and would be made twice",
    )
    .with_help("leave one of them out, or give more lines if another place is meant")
    .with_evidence(candidates(places))
}

/// The hunk fits the base at that line, but not what became of it.
pub(super) fn conflict(line: usize) -> Box<Refusal> {
    let message =
        format!("the hunk fits the file as it was, at line {line}, but other edits changed the same lines");
    Refusal::new(Code::Conflict, message).with_help("write one edit for all that is to change there")
}

/// A count or line number that means one line of the file as the edits before have left it, and another one as it was.
pub(super) fn two_readings(line: usize, other: usize) -> Box<Refusal> {
    let message = format!(
        "the number may mean line {line} or line {other}: earlier edits changed what it is counted in"
    );
    let evidence = Evidence { candidates: vec![line.min(other), line.max(other)], ..Evidence::default() };
    Refusal::new(Code::SearchAmbiguous, message)
        .with_help("give more lines around the text, so that it is the only place")
        .with_evidence(evidence)
}

/// A SEARCH/REPLACE block with more lines that may be its divider than are tried.
pub(super) fn too_many_dividers() -> Box<Refusal> {
    Refusal::new(Code::Limit, "too many lines of the block may be its divider")
        .with_help("give only the lines that change and those beside them")
}

/// A SEARCH/REPLACE block of which the text to find may end at one divider or go on to the next.
pub(super) fn unclear_divider(line: usize) -> Box<Refusal> {
    let message = format!("line {line} of the file, behind the text to find, may be what its first divider quotes");
    Refusal::new(Code::SearchAmbiguous, message)
        .with_help("end the text to find before that line or after it, and quote the line whole")
}

/// The lines of places, as evidence: of very many the first ones.
pub(super) fn candidates(places: &[Place]) -> Evidence {
    let lines = places.iter().map(|place| place.start.line + 1).take(CANDIDATES_SHOWN);
    Evidence { candidates: lines.collect(), ..Evidence::default() }
}

/// A count with its noun.
pub(super) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
