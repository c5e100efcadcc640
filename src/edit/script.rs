//! What parsing gives: the edits, the files that they may belong to, and what is no edit.

use super::{Edit, FormatId, Op, Target};
use crate::diag::{Diagnostic, Severity};
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
    pub given: Vec<CodeBlock>,
    /// Those of `given` that are errors unless the edits add their lines.
    pub pending: Vec<CodeBlock>,
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

impl Candidate {
    /// Whether only the tree tells it from prose.
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

    /// Whether it is the file of the block before, which is not sure.
    pub(crate) fn is_of_last(&self) -> bool {
        self.by == Clue::Previous && !self.quoted
    }
}

/// Where a file is named for an edit or a code block, the clearest and nearest first.
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
    /// In the nearest heading with a single path between the block before and this one.
    Heading,
    /// In a word of the paragraph right above.
    Mention,
    /// In the block before, or a heading above that.
    Previous,
    /// In no word of the response: the user names it for blocks that name none.
    Asked,
}

impl Clue {
    /// Whether the text is only the path.
    pub fn is_whole(self) -> bool {
        matches!(self, Clue::Label | Clue::Line | Clue::Comment | Clue::Info)
    }
}

/// A code block that may belong to a file but is not an edit. The tree tells what it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeBlock {
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
    /// Whether it may be a part of a file, because line numbers or a remark follow the path, or of more than one, because
    /// another path is in it.
    pub is_part: bool,
    /// Whether it is requested to be a whole file, which replaces or creates the file.
    pub is_whole: bool,
    /// Whether it is requested to be a snippet, which changes the definitions that it contains.
    pub is_snippet: bool,
    /// The reason: the prose above it.
    pub why: Option<String>,
}

impl CodeBlock {
    /// Whether a file is named for it, or it is a snippet that stands below these blocks: it may be their new text.
    pub(crate) fn is_named(&self, above: &[CodeBlock]) -> bool {
        !self.candidates.is_empty() || self.is_snippet && !above.is_empty()
    }

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
        let unnamed = self.unnamed.iter().find(|unnamed| unnamed.edit == edit.span);
        let is_prose = |one: &Candidate| one.is_prose() && !one.quoted;
        match unnamed.is_some_and(|unnamed| unnamed.candidates.iter().all(is_prose)) {
            true => "?".to_owned(),
            false => edit.path.shown(),
        }
    }

    /// The paths that the edits name, each once, in the order of the response, including destinations.
    pub fn paths(&self) -> Vec<String> {
        self.paths_of(0..self.edits.len())
    }

    /// The paths that the edits with these indexes name, as [`Script::paths`] has them.
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

    /// The prose of one of the responses: the text around the regions, in order, without blank lines and Markdown fences
    /// at the ends of each part. Reasoning counts as prose.
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

/// A part of prose without blank lines and fences at both ends.
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
