//! What is wrong with a response: many findings, each with its place, a stable code and a way out.
//!
//! Diagnostics speak of the response and the repository's content. What goes wrong in the world (I/O, locks, git)
//! is an error type of the layer where it happens.

use crate::names::named;
use crate::span::{LineRange, Span};
use serde::Serialize;

/// A finding about the response.
///
/// `message` is a lowercase fragment without a full stop. It may quote the response; it is escaped when shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What it is, for machines. Stable.
    pub code: Code,
    /// Whether it refuses the response.
    pub severity: Severity,
    /// What happened.
    pub message: String,
    /// The edit it is about, by its number in the script, from 1.
    pub edit: Option<usize>,
    /// The path it is about, as written.
    pub path: Option<String>,
    /// Places in the response, the main one first.
    pub labels: Vec<Label>,
    /// Where that lies which gave no edit, and so where its correction belongs, if it is not the main place; empty where
    /// something breaks off. Findings with one such place are about one thing.
    pub lost: Option<Span>,
    /// What to do next.
    pub help: Option<String>,
    /// What the real file says.
    pub evidence: Option<Box<Evidence>>,
}

/// A place in the response and what is to be said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The remark; may be empty.
    pub text: String,
}

/// What the real file says about a text that was not found, or was found too often, or that is not wanted there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Evidence {
    /// First lines, from 1, of all places that match, ascending.
    pub candidates: Vec<usize>,
    /// The first of these places with what is around them, in their order.
    pub places: Vec<Surrounding>,
    /// The least number of context lines with which this place would be unique.
    pub context_lines: Option<usize>,
    /// The region most like the before-text.
    #[serde(skip)]
    pub nearest: Option<Nearest>,
    /// How the file begins, where no region of it is like the text.
    pub beginning: Option<Excerpt>,
    /// How many lines the file has.
    pub file_lines: Option<usize>,
    /// The number of an earlier edit that is refused too, and that would have put there what this one looks for.
    pub builds_on: Option<usize>,
    /// The abbreviated name of the newest commit in whose version of the file the edit finds its text.
    pub version: Option<String>,
    /// Set when the nearest region was not searched for to the end, because that would take too long.
    #[serde(skip)]
    pub gave_up: bool,
}

impl Evidence {
    /// The same without what is quoted of the file.
    pub fn without_lines(self) -> Self {
        Self { places: Vec::new(), nearest: None, beginning: None, ..self }
    }
}

/// Lines of a file in a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Excerpt {
    /// The first of them, from 1.
    pub line: usize,
    /// Their texts, without line breaks, invalid UTF-8 replaced.
    pub lines: Vec<String>,
}

impl Excerpt {
    /// The lines with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (usize, &str)> {
        (self.line..).zip(self.lines.iter().map(String::as_str))
    }
}

/// A place in a file and what is around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Surrounding {
    /// The lines of the place.
    pub lines: LineRange,
    /// It, or its first lines, with lines before and, if all of it is there, after.
    pub excerpt: Excerpt,
}

/// The region of a file that is most like a before-text; or, without rows, just what the file has there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Nearest {
    /// Its first line, from 1.
    pub line: usize,
    /// Its lines, without line breaks, invalid UTF-8 replaced.
    pub lines: Vec<String>,
    /// How alike, in percent.
    pub similarity: u8,
    /// The before-text and the region, line by line.
    #[serde(skip)]
    pub rows: Vec<Row>,
}

/// A line of a before-text beside the line of a file that stands for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The index in the before-text, from 0.
    pub wanted: Option<usize>,
    /// The index in the region's lines, from 0.
    pub real: Option<usize>,
    /// How they compare.
    pub kind: RowKind,
}

named! {
    /// How a line of a before-text compares with one of a file.
    RowKind {
        /// Byte for byte the same.
        Same = "same",
        /// The same but for blanks at both ends and look-alikes; or a blank line that the other side has not.
        Alike = "alike",
        /// Another text.
        Differs = "differs",
        /// The file has no such line.
        Missing = "missing",
        /// The before-text has no such line.
        Extra = "extra",
    }
}

impl Nearest {
    /// The first row that differs to the eye, else the first that differs in blanks or look-alikes.
    pub fn first_differing_row(&self) -> Option<usize> {
        let first = |wanted: &dyn Fn(RowKind) -> bool| self.rows.iter().position(|row| wanted(row.kind));
        first(&|kind| !matches!(kind, RowKind::Same | RowKind::Alike))
            .or_else(|| first(&|kind| kind == RowKind::Alike))
    }
}

/// A count with its noun, which takes an s.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

named! {
    /// How bad a finding is.
    Severity {
        /// Worth knowing; the response still lands.
        Warning = "warning",
        /// Refuses the response.
        Error = "error",
    }
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $text:literal,)*) => {
        named! {
            /// The stable names of findings, as `--json` and the documentation have them.
            Code { $($(#[doc = $doc])* $name = $text,)* }
        }

        impl Code {
            /// What it means, in a sentence or two.
            pub fn meaning(self) -> &'static str {
                match self { $(Code::$name => concat!($($doc,)*).trim_start(),)* }
            }
        }
    };
}

codes! {
    /// A block was opened and not closed, or its end was lost.
    Truncated = "truncated",
    /// An opening that looks like an edit and is none: unknown tag, operation or attribute value.
    Malformed = "malformed",
    /// An attribute, a path or a payload that must be there is not.
    Missing = "missing",
    /// A child or attribute is a duplicate.
    Duplicate = "duplicate",
    /// Edits stand where reasoning (`<think>`) may have begun or ended; or, as a warning, in reasoning.
    Reasoning = "reasoning",
    /// As a warning: code blocks and other parts that no format reads, an error with `--strict`; or what was seen in a
    /// response in which no edit was found.
    Unread = "unread",
    /// A code block is for a file, and is neither an edit, nor a new file, nor what the file holds.
    NotRead = "not-read",
    /// A fence may end at more than one line.
    FenceUnclear = "fence-unclear",
    /// As a warning: a recorded call of a tool is left out, because its result is an error.
    FailedCall = "failed-call",
    /// Not a path that may be written: outside the repository, or `.git` or a look-alike.
    PathInvalid = "path-invalid",
    /// The path leads through a symbolic link or a submodule.
    PathBlocked = "path-blocked",
    /// The path differs from one that exists only in case or Unicode form.
    PathCase = "path-case",
    /// A file that runs by itself at the next commit; needs `--allow-sensitive`.
    PathSensitive = "path-sensitive",
    /// Against `--include`, `--exclude` or `--no-allow-delete`.
    Policy = "policy",
    /// There is no such file.
    NotFound = "not-found",
    /// There is such a file already, with other content.
    AlreadyExists = "already-exists",
    /// What is there is a directory, a link, a submodule or binary; or it is not UTF-8, and the edit brings more than ASCII.
    NotEditable = "not-editable",
    /// No match for the search text.
    SearchNotFound = "search-not-found",
    /// The search text matches several places.
    SearchAmbiguous = "search-ambiguous",
    /// `occurrence` is over the number of places.
    OccurrenceRange = "occurrence-range",
    /// The after-text says "rest of the code" where the before-text had code.
    Placeholder = "placeholder",
    /// A whole file that is given has less than half of the lines that the file has, or lacks a definition of it; needs
    /// `--allow-shrink`.
    Shrink = "shrink",
    /// A snippet does not say clearly what it makes of the file.
    SnippetUnclear = "snippet-unclear",
    /// A snippet lacks something of the file, and does not say that it is left out; needs `--allow-shrink` if it is to go.
    SnippetLoses = "snippet-loses",
    /// A file has more syntax errors than before: a warning, an error with `--syntax=refuse`.
    Syntax = "syntax",
    /// The after-text brings conflict markers, or the dividers of the format it is written in.
    Markers = "markers",
    /// The after-text has `&lt;`, `&gt;` or `&amp;` where code has `<`, `>` or `&`; needs `--allow-escaped`.
    Escaped = "escaped",
    /// The edit's result and what changed meanwhile are in conflict; or, as a warning, `-X` or a later edit
    /// decided whose lines stand.
    Conflict = "conflict",
    /// The edit builds on one that is not wanted, or without it would change another place.
    LeftOut = "left-out",
    /// The edit changes nothing.
    NoChange = "no-change",
    /// The edit is already applied.
    AlreadyApplied = "already-applied",
    /// The edit quotes no line of the file, so its lines went below a heading or to the end of the file.
    Unanchored = "unanchored",
    /// New lines were indented by other blanks than the file, and got the file's.
    Retabbed = "retabbed",
    /// Over a limit of size or time.
    Limit = "limit",
}

impl Diagnostic {
    /// An error at a place of the response.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, span, message.into())
    }

    /// A warning at a place of the response.
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
            labels: vec![Label { span, text: String::new() }],
            lost: None,
            help: None,
            evidence: None,
        }
    }

    /// Says what to do next.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a second place with a remark.
    #[must_use]
    pub fn with_label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Says where that lies which gave no edit, unless it was said.
    #[must_use]
    pub fn with_lost(mut self, lost: Span) -> Self {
        self.lost.get_or_insert(lost);
        self
    }

    /// Names the edit (its number, from 1) and its path.
    #[must_use]
    pub fn for_edit(mut self, number: usize, path: impl Into<String>) -> Self {
        self.edit = Some(number);
        self.path = Some(path.into());
        self
    }

    /// Adds what the real file says.
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
        self.labels.first().map(|label| label.span)
    }
}

/// Why a hunk, or a whole text, is not taken: a diagnostic that has no place in the response yet.
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
