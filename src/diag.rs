//! Diagnostics: findings about a response, each with its place, a stable code and a hint.
//!
//! Diagnostics are about the response and the repository's content. Errors of I/O, locks or git are error types of the
//! layer where they occur.

use crate::names::named;
use crate::span::{LineRange, Span};
use serde::Serialize;
use std::fmt;

/// A finding about the response.
///
/// `message` is a lowercase fragment without a full stop. It may quote the response; it is escaped when shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable code.
    pub code: Code,
    /// Whether it refuses the response.
    pub severity: Severity,
    /// The message.
    pub message: String,
    /// The number of the edit in the script, from 1.
    pub edit: Option<usize>,
    /// The path, as in the response.
    pub path: Option<String>,
    /// Places in the response, the main one first.
    pub labels: Vec<Span>,
    /// The place of an edit that could not be read, if it is not the main place. A correction replaces the text there.
    /// The span is empty if the text breaks off at that place. Findings with the same place are about the same edit.
    pub lost: Option<Span>,
    /// The hint.
    pub help: Option<String>,
    /// The evidence from the file.
    pub evidence: Option<Box<Evidence>>,
}

/// The lines of the file that a refusal shows: the places that match, the closest match, or lines that the edit may not
/// replace.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Evidence {
    /// The number of the first line, from 1, of each place that matches, ascending.
    pub candidates: Vec<usize>,
    /// The first of these places, with the lines around them.
    pub places: Vec<Surrounding>,
    /// The smallest number of context lines that would make the place unique.
    pub context_lines: Option<usize>,
    /// The closest match to the search text.
    #[serde(skip)]
    pub nearest: Option<Nearest>,
    /// The beginning of the file, if nothing in it is similar to the search text.
    pub beginning: Option<Excerpt>,
    /// How many lines the file has.
    pub file_lines: Option<usize>,
    /// The number of an earlier edit whose result this edit searches for. That edit is refused, too.
    pub builds_on: Option<usize>,
    /// The abbreviated id of the newest commit whose version of the file has the search text.
    pub version: Option<String>,
    /// Whether the edit of that version conflicts with what the branch has changed since.
    #[serde(skip)]
    pub version_clashes: bool,
    /// Whether the search for the closest match was stopped because it took too long.
    #[serde(skip)]
    pub gave_up: bool,
}

impl Evidence {
    /// Returns the evidence without lines of the file.
    pub fn without_lines(self) -> Self {
        Self { places: Vec::new(), nearest: None, beginning: None, ..self }
    }
}

/// Consecutive lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Excerpt {
    /// The number of the first line, from 1.
    pub line: usize,
    /// The lines without line breaks, with invalid UTF-8 replaced.
    pub lines: Vec<String>,
}

impl Excerpt {
    /// The lines with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (usize, &str)> {
        (self.line..).zip(self.lines.iter().map(String::as_str))
    }
}

/// A place in a file, with the lines around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Surrounding {
    /// The lines of the place.
    pub lines: LineRange,
    /// The place with lines above and below it. If the place is long, only its first lines and the lines above it.
    pub excerpt: Excerpt,
}

/// The region of a file that is the closest match to a search text; without rows, just what the file has there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Nearest {
    /// Its first line, from 1.
    pub line: usize,
    /// Its lines without line breaks, with invalid UTF-8 replaced.
    pub lines: Vec<String>,
    /// The similarity in percent.
    pub similarity: u8,
    /// The search text and the region, line by line.
    #[serde(skip)]
    pub rows: Vec<Row>,
}

/// A line of a search text beside the line of the file that it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The index in the search text, from 0.
    pub wanted: Option<usize>,
    /// The index in the region's lines, from 0.
    pub real: Option<usize>,
    /// How they compare.
    pub kind: RowKind,
}

named! {
    /// How a line of a search text compares with a line of the file.
    RowKind {
        /// Byte for byte the same.
        Same = "same",
        /// Equal except for whitespace at both ends and look-alikes; or a blank line that the other side lacks.
        Alike = "alike",
        /// Different.
        Differs = "differs",
        /// The file has no such line.
        Missing = "missing",
        /// The search text has no such line.
        Extra = "extra",
    }
}

impl Nearest {
    /// Returns the first row with a visible difference. If there is none, returns the first row that differs in
    /// whitespace or look-alikes.
    pub fn first_differing_row(&self) -> Option<usize> {
        let first = |wanted: &dyn Fn(RowKind) -> bool| self.rows.iter().position(|row| wanted(row.kind));
        first(&|kind| !matches!(kind, RowKind::Same | RowKind::Alike))
            .or_else(|| first(&|kind| kind == RowKind::Alike))
    }
}

/// Shortens a text to at most `max` characters, with `…` at the end if it was longer.
pub fn shorten(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some(_) => text.chars().take(max - 1).chain(['…']).collect(),
    }
}

/// Lists at most `max` items, and counts the others: `a, b and 2 more`.
pub fn listed(items: impl IntoIterator<Item = impl fmt::Display>, max: usize) -> String {
    let mut items = items.into_iter();
    let first: Vec<String> = items.by_ref().take(max).map(|item| item.to_string()).collect();
    match items.count() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Returns a count with its noun, with an `s` if the count is not 1.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

named! {
    /// The severity of a finding.
    Severity {
        /// The response still lands.
        Warning = "warning",
        /// Refuses the response.
        Error = "error",
    }
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $text:literal,)*) => {
        named! {
            /// The stable codes of findings, in `--json` and the documentation.
            Code { $($(#[doc = $doc])* $name = $text,)* }
        }

        impl Code {
            /// The meaning of the code, in a sentence or two.
            pub fn meaning(self) -> &'static str {
                match self { $(Code::$name => concat!($($doc,)*).trim_start(),)* }
            }
        }
    };
}

impl Code {
    /// Whether it forbids all changes to the file, and not only this edit.
    pub(crate) fn forbids_file(self) -> bool {
        matches!(self, Code::Policy | Code::PathSensitive)
    }
}

codes! {
    /// A block is unterminated, or its end is lost.
    Truncated = "truncated",
    /// An opening that looks like an edit but is invalid: an unknown tag, operation or attribute value.
    Malformed = "malformed",
    /// A required attribute, path or payload is missing.
    Missing = "missing",
    /// A child or attribute is a duplicate.
    Duplicate = "duplicate",
    /// Edits are where reasoning (`<think>`) may have begun or ended; as a warning, inside of reasoning.
    Reasoning = "reasoning",
    /// As a warning, an error with `--strict`: code blocks and other parts that no format reads; or what was seen in a
    /// response without edits.
    Unread = "unread",
    /// A code block is for a file, but is neither an edit, nor a new file, nor what the file contains.
    NotRead = "not-read",
    /// A fence may end at more than one line.
    FenceUnclear = "fence-unclear",
    /// As a warning: a recorded tool call is left out, because its result is an error.
    FailedCall = "failed-call",
    /// The path may not be written: it is outside the repository, or `.git` or a look-alike of it.
    PathInvalid = "path-invalid",
    /// The path leads through a symbolic link or a submodule.
    PathBlocked = "path-blocked",
    /// The path differs from an existing one only in case or Unicode form.
    PathCase = "path-case",
    /// The file would run by itself at the next commit; needs `--allow-sensitive`.
    PathSensitive = "path-sensitive",
    /// The edit is against `--include`, `--exclude` or `--no-allow-delete`.
    Policy = "policy",
    /// There is no such file.
    NotFound = "not-found",
    /// The file exists already, with other content.
    AlreadyExists = "already-exists",
    /// The path is a directory, a link, a submodule or a binary file; or the file is not UTF-8, and the edit adds more
    /// than ASCII.
    NotEditable = "not-editable",
    /// No match for the search text.
    SearchNotFound = "search-not-found",
    /// The search text matches several places.
    SearchAmbiguous = "search-ambiguous",
    /// `occurrence` is greater than the number of matches.
    OccurrenceRange = "occurrence-range",
    /// The replacement has "rest of the code" where the search text had code.
    Placeholder = "placeholder",
    /// A whole file in the response has less than half of the file's lines, or lacks a definition of it; needs
    /// `--allow-shrink`.
    Shrink = "shrink",
    /// A snippet does not say clearly how it changes the file.
    SnippetUnclear = "snippet-unclear",
    /// A snippet lacks a part of the file, and does not say that the part is left out; needs `--allow-shrink` if it is to
    /// be removed.
    SnippetLoses = "snippet-loses",
    /// A file has more syntax errors than before: a warning, an error with `--syntax=refuse`.
    Syntax = "syntax",
    /// The edit adds conflict markers, or the dividers of its format.
    Markers = "markers",
    /// The edit adds `&lt;`, `&gt;` or `&amp;` where code has `<`, `>` or `&`; needs `--allow-escaped`.
    Escaped = "escaped",
    /// The edit's result conflicts with what changed meanwhile; or, as a warning, `-X` or a later edit decided the
    /// conflict.
    Conflict = "conflict",
    /// The edit depends on one that was left out, or would change another place without it.
    LeftOut = "left-out",
    /// The edit changes nothing.
    NoChange = "no-change",
    /// The edit is already applied.
    AlreadyApplied = "already-applied",
    /// The edit has no context line of the file, so its lines were added below a heading or at the end of the file.
    Unanchored = "unanchored",
    /// New lines had other indentation characters than the file, and were converted.
    Retabbed = "retabbed",
    /// A limit of size or time was exceeded.
    Limit = "limit",
}

impl Diagnostic {
    /// An error at a place in the response.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, span, message.into())
    }

    /// A warning at a place in the response.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, span, message.into())
    }

    fn new(code: Code, severity: Severity, span: Span, message: String) -> Self {
        Self {
            code,
            severity,
            message,
            edit: None,
            path: None,
            labels: vec![span],
            lost: None,
            help: None,
            evidence: None,
        }
    }

    /// Adds a hint.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds other places.
    #[must_use]
    pub fn with_labels(mut self, spans: impl IntoIterator<Item = Span>) -> Self {
        self.labels.extend(spans);
        self
    }

    /// Sets `lost`, unless it is set.
    #[must_use]
    pub fn with_lost(mut self, lost: Span) -> Self {
        self.lost.get_or_insert(lost);
        self
    }

    /// Sets the edit (its number, from 1) and its path.
    #[must_use]
    pub fn for_edit(mut self, number: usize, path: impl Into<String>) -> Self {
        self.edit = Some(number);
        self.path = Some(path.into());
        self
    }

    /// Adds evidence from the file.
    #[must_use]
    pub fn with_evidence(mut self, evidence: Evidence) -> Self {
        self.evidence = Some(Box::new(evidence));
        self
    }

    /// Whether it refuses the response.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The main place in the response.
    pub fn span(&self) -> Option<Span> {
        self.labels.first().copied()
    }
}

/// A refusal of a hunk or a whole text, before its place in the response is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The hunk of the edit, from 0.
    pub hunk: usize,
    /// The stable code.
    pub code: Code,
    /// The message: a lowercase fragment.
    pub message: String,
    /// The hint.
    pub help: Option<String>,
    /// The evidence from the file.
    pub evidence: Option<Evidence>,
    /// Whether it is final. If not, the edit may still match the base version of the file.
    pub(crate) is_last: bool,
}

impl Refusal {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { hunk: 0, code, message: message.into(), help: None, evidence: None, is_last: false })
    }

    pub(crate) fn with_help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn with_evidence(mut self: Box<Self>, evidence: Evidence) -> Box<Self> {
        self.evidence = Some(evidence);
        self
    }

    pub(crate) fn of_hunk(mut self, hunk: usize) -> Self {
        self.hunk = hunk;
        self
    }
}
