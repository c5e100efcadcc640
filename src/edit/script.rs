//! The result of parsing: the edits, the files that they may be for, and the parts of the response that are not edits.

use super::{Edit, FormatId, Op, Target};
use crate::diag::{Diagnostic, Severity};
use crate::response::{Passage, Response};
use crate::span::Span;
use std::collections::BTreeSet;

/// The result of parsing one or several responses.
///
/// No edit is dropped silently: if an edit is invalid, `diagnostics` has an error. All lists are in the order of the
/// response.
#[derive(Debug, Clone, Default)]
pub struct Script {
    /// The edits.
    pub edits: Vec<Edit>,
    /// The errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The parts of the response that the formats have read.
    pub regions: Vec<Region>,
    /// A commit message for the whole response, if the format has one (applydir's `message`).
    pub message: Option<String>,
    /// The edits without a path of their own.
    pub unnamed: Vec<Unnamed>,
    /// Code blocks that are not edits, but may be for a file. [`crate::plan::settle_given`] looks at the tree, decides
    /// what they are, and empties this list.
    pub given: Vec<CodeBlock>,
    /// Code blocks from `given` that are errors unless the edits add their lines.
    pub pending: Vec<CodeBlock>,
    /// The parts of the response that no format reads.
    pub unread: Vec<Unread>,
    /// The first edits that are not applied because they are content of a document or quote.
    pub shown: Option<Span>,
    /// The first region of a format that the user did not ask for.
    pub other: Option<Region>,
    /// The indexes of edits that are left out; see [`Script::leave_out`].
    pub left_out: BTreeSet<usize>,
    /// The indexes of edits that have landed, by the record of an earlier landing.
    pub landed: BTreeSet<usize>,
}

/// An edit without a path of its own. The text around it and the tree decide which file it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unnamed {
    /// The span of the edit. Until the file is decided, its path is one of the candidates.
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
    /// Whether it is a path even if there is no such file, as in backquotes. For [`Clue::Previous`]: whether the file
    /// of the previous block is certain.
    pub quoted: bool,
}

impl Candidate {
    /// Whether it may be ordinary words. It counts only if the tree has such a file.
    pub(crate) fn is_prose(&self) -> bool {
        match self.by {
            Clue::Line => !self.quoted,
            Clue::Heading | Clue::Mention => !self.path.raw.contains(['/', '\\', '.']),
            _ => false,
        }
    }

    /// Whether a line, an info string or a heading names it.
    pub(crate) fn is_named(&self) -> bool {
        self.by <= Clue::Heading && !self.is_prose()
    }

    /// Whether it is the file of the previous block, and that block itself has several candidates.
    pub(crate) fn is_uncertain_previous(&self) -> bool {
        self.by == Clue::Previous && !self.quoted
    }
}

/// Where a file is named for an edit or a code block. The clearest and nearest places come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clue {
    /// In a line right above that is only `File:` and the path.
    Label,
    /// In a line right above that is only a path.
    Line,
    /// In the first line inside of the fence, as a comment.
    Comment,
    /// In the fence's info string.
    Info,
    /// In the nearest heading between the block before and this one, which is only `File:` and the path.
    FileHeading,
    /// In the nearest heading with a single path between the block before and this one.
    Heading,
    /// In a word of the paragraph right above.
    Mention,
    /// It is the file of the previous block, or is named by a heading above that block.
    Previous,
    /// The user names it, for blocks that name no file.
    Asked,
}

impl Clue {
    /// Whether the text is only the path.
    pub fn is_whole(self) -> bool {
        matches!(self, Clue::Label | Clue::Line | Clue::Comment | Clue::Info)
    }
}

/// A code block that is not an edit, but may be for a file. The tree decides what it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeBlock {
    /// From its opening to its closing fence.
    pub span: Span,
    /// The files that are named for it: by a line, by the info string, or by words of the heading or paragraph right
    /// above.
    pub candidates: Vec<Candidate>,
    /// The first word of the info string; may be empty.
    pub language: String,
    /// Its lines.
    pub text: Passage,
    /// The length of the first line in bytes, with its line break, if it may be a comment with the path; otherwise 0.
    pub path_line: usize,
    /// Whether its end is known.
    pub state: FenceState,
    /// Whether it may be less or more than one whole file: line numbers or a remark follow the path, or it contains
    /// another path.
    pub is_part: bool,
    /// Whether the user asked for whole files. Then it replaces or creates its file.
    pub is_whole: bool,
    /// Whether the user asked for snippets. Then it changes the definitions that it contains.
    pub is_snippet: bool,
    /// The reason: the prose above it.
    pub why: Option<String>,
}

impl CodeBlock {
    /// Whether a file is named for it. A snippet may also be a new version of one of the blocks above it.
    pub(crate) fn is_named(&self, above: &[CodeBlock]) -> bool {
        !self.candidates.is_empty() || self.is_snippet && !above.is_empty()
    }

    /// Returns its lines, without a first line that is a comment with the path.
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
    /// A line inside of it opens a fence of the same length. The next fence line may close either of them.
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

    /// Leaves out each edit for whose index `wanted` returns false; the others keep their numbers. `wanted(None)`
    /// decides whether errors that belong to no edit still refuse the response.
    pub fn leave_out(&mut self, wanted: impl Fn(Option<usize>) -> bool) {
        for at in (0..self.edits.len()).filter(|at| !wanted(Some(*at))) {
            self.left_out.insert(at);
        }
        for diagnostic in self.diagnostics.iter_mut().filter(|diagnostic| diagnostic.is_error()) {
            let edit_at = |span: Span| self.edits.iter().position(|edit| edit.span.holds(span));
            if !wanted(diagnostic.span().and_then(edit_at)) {
                diagnostic.severity = Severity::Warning;
            }
        }
        if !wanted(None) {
            self.pending.clear();
        }
    }

    /// Whether the edit at an index is skipped, because it is left out or has already landed.
    pub fn is_left_out(&self, edit: usize) -> bool {
        self.left_out.contains(&edit) || self.landed.contains(&edit)
    }

    /// Returns the path that messages show for the edit at an index before it is resolved: `?` if only words of prose
    /// may name its file.
    pub fn shown_path(&self, at: usize) -> String {
        let Some(edit) = self.edits.get(at) else { return String::new() };
        let unnamed = self.unnamed.iter().find(|unnamed| unnamed.edit == edit.span);
        let is_prose = |one: &Candidate| one.is_prose() && !one.quoted;
        match unnamed.is_some_and(|unnamed| unnamed.candidates.iter().all(is_prose)) {
            true => "?".to_owned(),
            false => edit.path.shown(),
        }
    }

    /// Returns the paths that the edits name, including destinations, each once, in the order of the response.
    pub fn paths(&self) -> Vec<String> {
        self.paths_of(0..self.edits.len())
    }

    /// Like [`Script::paths`], for the edits with these indexes.
    pub fn paths_of(&self, edits: std::ops::Range<usize>) -> Vec<String> {
        let mut seen = std::collections::HashSet::new();
        let wanted = edits.filter(|at| !self.is_left_out(*at)).map(|at| &self.edits[at]);
        let both = wanted.flat_map(|edit| {
            let to = match &edit.op {
                Op::Rename { to, .. } | Op::Copy { to, .. } => Some(&**to),
                _ => None,
            };
            std::iter::once(&edit.path).chain(to)
        });
        both.map(Target::shown).filter(|path| seen.insert(path.clone())).collect()
    }

    /// Returns the prose of a response: the texts between its regions, in order. Blank lines and Markdown fences at
    /// both ends of each text are removed. Reasoning counts as prose.
    pub fn prose<'r>(&self, response: &'r Response) -> Vec<&'r str> {
        let own = self.regions.iter().map(|region| region.span).filter(|span| span.response == response.id());
        let mut texts = Vec::new();
        let mut from = 0;
        for span in own.chain([Span::new(response.id(), response.text().len(), response.text().len())]) {
            let text = response.text().get(from..span.start as usize).unwrap_or("");
            let text = without_fences(text);
            if !text.is_empty() {
                texts.push(text);
            }
            from = from.max(span.end as usize);
        }
        texts
    }
}

/// Removes blank lines and fence lines at both ends of a text.
fn without_fences(text: &str) -> &str {
    let is_edge = |line: &str| {
        let line = line.trim();
        line.is_empty() || line.starts_with("```") || line.starts_with("~~~")
    };
    let head: usize = text.split_inclusive('\n').take_while(|line| is_edge(line)).map(str::len).sum();
    let text = &text[head..];
    let tail: usize = text.split_inclusive('\n').rev().take_while(|line| is_edge(line)).map(str::len).sum();
    text[..text.len() - tail].trim_end()
}

/// A part of a response that one format reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// The format.
    pub format: FormatId,
    /// Its span.
    pub span: Span,
}
