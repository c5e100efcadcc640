//! What every format lowers to: edits of one file each, in the order of the response.
//!
//! An edit says what the model wrote: its path is not checked and its texts are not located yet. [`crate::plan::resolve`]
//! does both.

use crate::diag::{Diagnostic, Severity};
use crate::names::named;
use crate::response::{Passage, Response};
use crate::span::Span;
use std::collections::BTreeSet;

/// The result of parsing one or several responses.
///
/// Nothing that is declared gets lost: what looks like an edit but is invalid is an error in `diagnostics`. All lists are
/// in the order of the response.
#[derive(Debug, Clone, Default)]
pub struct Script {
    /// The edits.
    pub edits: Vec<Edit>,
    /// The errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// Where edits, or what looks like edits, are.
    pub regions: Vec<Region>,
    /// A commit message for the whole response, if the format has one (applydir's `message`).
    pub message: Option<String>,
    /// The edits without a path of their own.
    pub unnamed: Vec<Unnamed>,
    /// The code blocks that may belong to a file but are not edits, until [`crate::plan::settle_given`] has looked up in
    /// the tree what they are.
    pub given: Vec<Given>,
    /// Those of `given` that are errors unless the edits add their lines.
    pub pending: Vec<Given>,
    /// What no format reads.
    pub unread: Vec<Unread>,
    /// The first edits that are the content of a document or quote.
    pub shown: Option<Span>,
    /// The first region of a format that was not to be read.
    pub other: Option<Region>,
    /// The indexes of edits that are left out; see [`Script::leave_out`].
    pub left_out: BTreeSet<usize>,
    /// The indexes of edits that have landed, by the record of an earlier landing.
    pub landed: BTreeSet<usize>,
}

/// An edit without a path of its own. The text around it, and the tree, tell which file it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unnamed {
    /// The span of the edit, whose path is one of the candidates.
    pub edit: Span,
    /// The files that may be meant.
    pub candidates: Vec<Candidate>,
}

/// A file that may be meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The file.
    pub path: Target,
    /// Where it is named.
    pub by: Clue,
    /// Whether it counts as a path even if there is no such file, as in backquotes.
    pub quoted: bool,
}

/// Where a file is named for an edit or a code block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clue {
    /// In a line right above that is only a path.
    Line,
    /// In the first line inside of the fence, as a comment.
    Comment,
    /// In the fence's info string.
    Info,
    /// In the nearest heading above with a single path.
    Heading,
    /// In the block before.
    Previous,
    /// In a word of the paragraph right above.
    Mention,
}

impl Clue {
    /// Whether the text is only the path.
    pub fn is_whole(self) -> bool {
        matches!(self, Clue::Line | Clue::Comment | Clue::Info)
    }
}

/// A code block that may belong to a file but is not an edit. The tree tells what it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// From its opening to its closing fence.
    pub span: Span,
    /// The files that are named for it, by a whole line or the info string, or by words of the heading or paragraph right
    /// above.
    pub candidates: Vec<Candidate>,
    /// The first word of the info string; may be empty.
    pub language: String,
    /// Its lines.
    pub text: Passage,
    /// The length in bytes of a first line that may be the path as a comment.
    pub path_line: usize,
    /// Whether its end is known.
    pub state: FenceState,
    /// Whether it is requested to be a whole file, which replaces or creates the file.
    pub is_whole: bool,
    /// Whether it is requested to be a snippet, which changes the definitions that it contains.
    pub is_snippet: bool,
    /// The reason: the prose above it.
    pub why: Option<String>,
}

impl Given {
    /// Its lines, without a first one that is the path as a comment.
    pub fn content(&self) -> &str {
        self.text.get(self.path_line..).unwrap_or("")
    }
}

/// Whether the end of a code block is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FenceState {
    /// It has a closing fence.
    #[default]
    Closed,
    /// It has no closing fence.
    Unclosed,
    /// This line inside of it opens a fence of the same length, so that the next fence may close either.
    Unclear(Span),
}

/// A part of the response that no format reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Its span.
    pub span: Span,
    /// The info string, if it is a code block.
    pub info: String,
}

impl Script {
    /// Whether any diagnostic is an error, which refuses the whole response.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Appends the script of another response. Its regions get other numbers.
    pub fn append(&mut self, other: Script) {
        let regions = self.edits.iter().map(|edit| edit.region + 1).max().unwrap_or(0);
        self.edits.extend(other.edits.into_iter().map(|edit| Edit { region: regions + edit.region, ..edit }));
        self.diagnostics.extend(other.diagnostics);
        self.regions.extend(other.regions);
        self.unnamed.extend(other.unnamed);
        self.given.extend(other.given);
        self.pending.extend(other.pending);
        self.unread.extend(other.unread);
        self.message = self.message.take().or(other.message);
        self.shown = self.shown.or(other.shown);
        self.other = self.other.or(other.other);
    }

    /// The warnings, in their order.
    pub fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|diagnostic| !diagnostic.is_error())
    }

    /// Leaves edits out; the others keep their numbers. `wanted` tells whether the edit at an index stays, and for `None`
    /// whether what could not be read still refuses the response.
    pub fn leave_out(&mut self, wanted: impl Fn(Option<usize>) -> bool) {
        for at in (0..self.edits.len()).filter(|at| !wanted(Some(*at))) {
            self.left_out.insert(at);
        }
        for diagnostic in self.diagnostics.iter_mut().filter(|diagnostic| diagnostic.is_error()) {
            let of = |span: Span| self.edits.iter().position(|edit| edit.span.holds(span));
            if !wanted(diagnostic.span().and_then(of)) {
                diagnostic.severity = Severity::Warning;
            }
        }
        if !wanted(None) {
            self.pending.clear();
        }
    }

    /// Whether the edit at an index is not made: it is left out or has landed.
    pub fn is_left_out(&self, edit: usize) -> bool {
        self.left_out.contains(&edit) || self.landed.contains(&edit)
    }

    /// The path to show for the unresolved edit at an index: `?` if only words of prose may name it.
    pub fn shown_path(&self, at: usize) -> String {
        let Some(edit) = self.edits.get(at) else { return String::new() };
        let is_word = |one: &Candidate| {
            one.by == Clue::Mention && !one.quoted && !one.path.raw.contains(['/', '\\', '.'])
        };
        let unnamed = self.unnamed.iter().find(|unnamed| unnamed.edit == edit.span);
        match unnamed.is_some_and(|unnamed| unnamed.candidates.iter().all(is_word)) {
            true => "?".to_owned(),
            false => edit.path.shown(),
        }
    }

    /// The paths that the edits name, each once, in the order of the response, including destinations.
    pub fn paths(&self) -> Vec<String> {
        let mut seen = std::collections::HashSet::new();
        let wanted = self.edits.iter().enumerate().filter(|(at, _)| !self.is_left_out(*at));
        let both = wanted.flat_map(|(_, edit)| {
            let to = match &edit.op {
                Op::Rename { to, .. } | Op::Copy { to, .. } => Some(&**to),
                _ => None,
            };
            std::iter::once(&edit.path).chain(to)
        });
        both.map(Target::shown).filter(|path| seen.insert(path.clone())).collect()
    }

    /// The prose of one of the responses: the text around the regions, in order, without blank lines and Markdown fences
    /// at the ends of each part. Reasoning counts as prose.
    pub fn prose<'r>(&self, response: &'r Response) -> Vec<&'r str> {
        let own = self.regions.iter().map(|region| region.span).filter(|span| span.response == response.id());
        let mut pieces = Vec::new();
        let mut from = 0;
        for span in own.chain([Span::new(response.id(), response.text().len(), response.text().len())]) {
            let piece = response.text().get(from..span.start as usize).unwrap_or("");
            let piece = without_fences(piece);
            if !piece.is_empty() {
                pieces.push(piece);
            }
            from = from.max(span.end as usize);
        }
        pieces
    }
}

/// A part of prose without blank lines and fences at both ends.
fn without_fences(piece: &str) -> &str {
    let is_edge = |line: &str| {
        let line = line.trim();
        line.is_empty() || line.starts_with("```") || line.starts_with("~~~")
    };
    let mut piece = piece;
    while let Some((first, rest)) = piece.split_once('\n').filter(|(first, _)| is_edge(first)) {
        let _ = first;
        piece = rest;
    }
    loop {
        let trimmed = piece.trim_end();
        let last = trimmed.rsplit('\n').next().unwrap_or("");
        if last.is_empty() || !is_edge(last) {
            return trimmed;
        }
        piece = &trimmed[..trimmed.len() - last.len()];
    }
}

/// A part of a response that one format reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// The format.
    pub format: FormatId,
    /// Its span.
    pub span: Span,
}

/// One change that the model asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The span of its declaration.
    pub span: Span,
    /// Its format.
    pub format: FormatId,
    /// The number of its region (envelope, fence, or run of bare edits). Equal edits in one region are for different
    /// places; in different regions they are one edit, repeated.
    pub region: u32,
    /// The file (the source of a rename or copy).
    pub path: Target,
    /// The operation.
    pub op: Op,
    /// The model's reason: trimmed, never empty.
    pub why: Option<String>,
    /// What only a git patch says; empty in other formats.
    pub git: Git,
}

/// What a git patch says beside paths and text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Git {
    /// Whether the file is executable afterwards (mode 100755 or 100644); `None` for no change.
    pub executable: Option<bool>,
    /// The abbreviated id of the blob that the hunks are for.
    pub blob: Option<String>,
    /// Whether the path may begin with one of git's prefixes. It is dropped if only the file without it exists.
    pub prefixed: bool,
    /// The span of the mail. All edits of a mail become one commit.
    pub mail: Option<Span>,
    /// Whether the response ends in its last line, without a line break.
    pub is_open: bool,
}

impl Edit {
    /// An edit without a region and a why.
    pub(crate) fn new(format: FormatId, span: Span, path: Target, op: Op) -> Self {
        Self { span, format, region: 0, path, op, why: None, git: Git::default() }
    }

    /// Its hunks; empty for an operation without search texts.
    pub fn hunks(&self) -> &[Hunk] {
        match &self.op {
            Op::Modify { hunks, .. }
            | Op::Rename { hunks, .. }
            | Op::Copy { hunks, .. }
            | Op::Delete { hunks, .. } => hunks,
            Op::Create { .. } | Op::Replace { .. } | Op::Append { .. } | Op::Snippet { .. } => &[],
        }
    }

    /// The hunk with this span. Hunks are in the order of the response.
    pub fn hunk_at(&self, span: Span) -> Option<&Hunk> {
        let hunks = self.hunks();
        hunks.get(hunks.binary_search_by_key(&span, |hunk| hunk.span).ok()?)
    }

    /// Whether it asks for the same as another edit, regardless of their places.
    pub fn says_the_same(&self, other: &Edit) -> bool {
        let same = |a: &Target, b: &Target| (a.shown(), &a.root) == (b.shown(), &b.root);
        let hunks = |a: &[Hunk], b: &[Hunk]| {
            a.len() == b.len()
                && a.iter().zip(b).all(|(a, b)| (&a.change, &a.anchor) == (&b.change, &b.anchor))
        };
        let same_op = match (&self.op, &other.op) {
            (Op::Modify { hunks: a, missing }, Op::Modify { hunks: b, missing: other }) => {
                missing == other && hunks(a, b)
            }
            (Op::Rename { to, hunks: a }, Op::Rename { to: other, hunks: b }) => {
                same(to, other) && hunks(a, b)
            }
            (Op::Copy { to, hunks: a }, Op::Copy { to: other, hunks: b }) => same(to, other) && hunks(a, b),
            (Op::Delete { hunks: a, .. }, Op::Delete { hunks: b, .. }) => hunks(a, b),
            (a, b) => a == b,
        };
        same(&self.path, &other.path) && same_op && self.git.executable == other.git.executable
    }
}

named! {
    /// The formats.
    FormatId {
        /// OPX, `<edit file= op=>`.
        Opx = "opx",
        /// OpenCode/Codex patch, `*** Begin Patch`.
        ApplyPatch = "apply-patch",
        /// SEARCH/REPLACE blocks.
        SearchReplace = "search-replace",
        /// udiffx, `<FILE_CHANGES>`.
        FileChanges = "file-changes",
        /// applydir JSON.
        Applydir = "applydir",
        /// Unified diffs, as git writes them and as models do.
        Diff = "diff",
        /// Calls of agents' edit tools.
        EditCalls = "edit-calls",
        /// Paths and fences with whole files.
        WholeFile = "whole-file",
        /// Paths and fences with definitions.
        Snippet = "snippet",
    }
}

/// An unknown format's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown format {0:?}; use one of opx, apply-patch, search-replace, file-changes, applydir, diff, edit-calls, whole-file, snippet"
)]
pub struct UnknownFormat(pub String);

impl std::str::FromStr for FormatId {
    type Err = UnknownFormat;

    /// The format with this name, exactly as in [`FormatId::as_str`].
    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        FormatId::of_name(name).ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

/// A path in the response, before it is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The path as written, without quotes.
    pub raw: String,
    /// OPX's `root=`: the directory that the path is relative to.
    pub root: Option<String>,
    /// Its span.
    pub span: Span,
}

impl Target {
    /// A path at a span.
    pub(crate) fn new(raw: &str, span: Span) -> Self {
        Self { raw: raw.to_owned(), root: None, span }
    }

    /// The path for messages: `d\\e`, `./d/e` and `d/e` are shown alike.
    pub fn shown(&self) -> String {
        shown(&self.raw)
    }
}

/// A path for messages, with slashes.
pub fn shown(path: &str) -> String {
    let path = path.replace('\\', "/");
    match path.trim_start_matches("./") {
        "" => path,
        rest => rest.to_owned(),
    }
}

/// The operation of an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// Create a file.
    Create {
        /// The whole content: lines that end with `\n`, except a last one that a diff says has no newline.
        text: Passage,
        /// What happens if the file exists with other content.
        existing: Existing,
    },
    /// Change parts of a file. All hunks apply, or none.
    Modify {
        /// In the order of the response; empty only if just the mode changes.
        hunks: Vec<Hunk>,
        /// What happens if there is no such file.
        missing: Missing,
    },
    /// Replace the whole content of an existing file.
    Replace {
        /// The new content: lines that end with `\n`.
        text: Passage,
    },
    /// Add lines at the end of a file, or create it.
    Append {
        /// The lines, each ending with `\n`.
        text: Passage,
    },
    /// Change the definitions that the text contains.
    Snippet {
        /// Definitions, imports, and comments that mark what is left out; each line ends with `\n`.
        text: Passage,
    },
    /// Delete a file.
    Delete {
        /// Whether a directory is deleted, too, with all its content.
        recursive: bool,
        /// What they remove must be all that the file contains; empty if the format does not say.
        hunks: Vec<Hunk>,
    },
    /// Rename a file, then change it at its new path.
    Rename {
        /// The destination.
        to: Box<Target>,
        /// The changes; may be empty.
        hunks: Vec<Hunk>,
    },
    /// Copy a file, then change the copy.
    Copy {
        /// The destination.
        to: Box<Target>,
        /// The changes; may be empty.
        hunks: Vec<Hunk>,
    },
}

/// What a creation does with an existing file with other content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Refuses (`already-exists`), unless `--allow-overwrite`.
    Refuse,
    /// Replaces the content, as the format's specification says.
    Overwrite,
}

/// What a modification does if its file does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Refuses.
    Refuse,
    /// Creates the file, if no hunk has a search text (udiffx, SEARCH/REPLACE and applydir with empty searches).
    CreateFromAdditions,
}

/// One change within a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Its span in the response.
    pub span: Span,
    /// The search text and the replacement.
    pub change: Change,
    /// What else tells where it belongs.
    pub anchor: Anchor,
}

/// The search text and the replacement of a hunk, as the format writes them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Two texts, which are compared line by line.
    Texts {
        /// The search text: whole lines that end with `\n`.
        before: Passage,
        /// The replacement, in the same form. If it is empty, the lines are removed.
        after: Passage,
        /// Whether the search text may also be a part of a line (OPX).
        unit: Unit,
    },
    /// SEARCH/REPLACE with `=======` lines in its content: the lines between SEARCH and REPLACE, and the offsets of the
    /// lines that may be the divider. The divider with the longest search text that the file contains is meant.
    Splits {
        /// All lines, dividers included, each ending with `\n`.
        lines: Passage,
        /// The offsets of the candidates, ascending; at least two.
        dividers: Vec<usize>,
    },
    /// The body of a unified diff: lines that begin with ` ` (context), `-` (removed), `+` (added) or `~` (everything
    /// between the removed lines around it), each ending with `\n`.
    Diff {
        /// The lines with their marks.
        lines: Passage,
        /// Whether `\ No newline at end of file` follows the last line of the search text.
        before_unterminated: bool,
        /// Whether it follows the last line of the replacement.
        after_unterminated: bool,
    },
}

impl Change {
    /// The lines of the search text, without line breaks; with several dividers, those before the first.
    pub fn wanted(&self) -> Vec<&str> {
        match self {
            Change::Texts { before, .. } => before.lines().collect(),
            Change::Splits { lines, dividers } => {
                let end = dividers.first().copied().unwrap_or(0);
                lines.get(..end).unwrap_or("").lines().collect()
            }
            Change::Diff { lines, .. } => {
                let stands = |line: &&str| !line.starts_with(['+', '~']);
                lines.lines().filter(stands).map(|line| line.get(1..).unwrap_or("")).collect()
            }
        }
    }

    /// The texts before and after one of the dividers of [`Change::Splits`], by its offset.
    ///
    /// A divider right before the end may be a repetition that divides nothing. If the search text has a divider inside,
    /// the replacement may have one, too.
    pub fn split(&self, divider: usize) -> Option<(&str, &str)> {
        let Change::Splits { lines, dividers } = self else { return None };
        let is_last =
            |&at: &usize| lines.get(at..).is_some_and(|rest| rest.find('\n') == rest.len().checked_sub(1));
        let doubled = dividers.last().copied().filter(is_last);
        let doubled = doubled.filter(|&last| divider < last && dividers.first() == Some(&divider));
        let (_, after) = lines.get(divider..doubled.unwrap_or(lines.len()))?.split_once('\n')?;
        Some((lines.get(..divider)?, after))
    }

    /// The lines of the replacement, without line breaks; with several dividers, those after the first.
    pub fn result(&self) -> Vec<&str> {
        match self {
            Change::Texts { after, .. } => after.lines().collect(),
            Change::Splits { dividers, .. } => {
                let first = dividers.first().copied().unwrap_or(0);
                self.split(first).map_or("", |(_, after)| after).lines().collect()
            }
            Change::Diff { lines, .. } => {
                let stands = |line: &&str| !line.starts_with(['-', '~']);
                lines.lines().filter(stands).map(|line| line.get(1..).unwrap_or("")).collect()
            }
        }
    }
}

/// The unit of a search text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// Whole lines only.
    Lines,
    /// Whole lines, else a part of a line that does not split a word.
    Text,
    /// As `Text`, but exact to the byte: it may begin and end anywhere in a line. The line break at the end of both texts
    /// does not count.
    Verbatim,
}

/// What besides the search text tells where a hunk belongs.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Anchor {
    /// Nothing: the match has to be unique.
    #[default]
    Unique,
    /// OPX's `occurrence=`.
    Occurrence(Occurrence),
    /// Right after this line, from 1; 0 is before the first.
    After(u32),
    /// A chunk of a Codex patch: after the end of the chunk before, and after its `@@` lines.
    Seek {
        /// The texts of the `@@` lines, outermost first; may be empty.
        context: Vec<String>,
        /// Whether `*** End of File` ends the chunk.
        end_of_file: bool,
    },
    /// A hunk of a unified diff: after the hunk before, and among equal candidates the one at this line.
    Line {
        /// The old start line as written, from 1.
        old_start: Option<u32>,
        /// The new start line as written, from 1.
        new_start: Option<u32>,
        /// The text after the numbers: a line above the hunk, such as the head of its function.
        section: Option<String>,
    },
}

/// Which of several matches is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Occurrence {
    /// The first.
    First,
    /// The last.
    Last,
    /// The n-th, from 1.
    Nth(std::num::NonZeroU32),
    /// All matches.
    All,
}
