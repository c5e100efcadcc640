//! What every format lowers to: edits of one file each, in the order they stand in the response.
//!
//! An edit says what the model wrote, not yet what it means for a repository: paths are as written and
//! texts are not located. [`crate::plan::resolve`] does both.

use crate::diag::{Diagnostic, Severity};
use crate::names::named;
use crate::response::{Passage, Response};
use crate::span::Span;
use std::collections::BTreeSet;

/// All that a parser found in one or several responses.
///
/// Nothing declared is dropped: what looked like an edit and is none is an error in `diagnostics`.
#[derive(Debug, Clone, Default)]
pub struct Script {
    /// The edits, in the order they stand.
    pub edits: Vec<Edit>,
    /// What is wrong with the response, or worth a warning, in the order it stands.
    pub diagnostics: Vec<Diagnostic>,
    /// Where edits, or what looked like some, were found, in the order it stands.
    pub regions: Vec<Region>,
    /// A commit message for the response as a whole, where the format has one (applydir's `message`).
    pub message: Option<String>,
    /// The edits without a path of their own, in the order they stand.
    pub unnamed: Vec<Unnamed>,
    /// The code blocks that may have a file of their own and are no edits, in the order they stand, until
    /// [`crate::plan::settle_given`] has asked the tree what they are.
    pub given: Vec<Given>,
    /// Those of them that are errors unless the edits bring their lines.
    pub pending: Vec<Given>,
    /// What no format reads, in the order it stands.
    pub unread: Vec<Unread>,
    /// The first edits that are content of a document or quote, if there are any.
    pub shown: Option<Span>,
    /// The first region of a format that was not to be read, if there is one.
    pub other: Option<Region>,
    /// The edits, counted from 0, that are not to be made; see [`Script::leave_out`].
    pub left_out: BTreeSet<usize>,
    /// Those that have landed already, by the record of an earlier landing.
    pub landed: BTreeSet<usize>,
}

/// An edit that has no path of its own. What stands around it, and the tree, say which file it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unnamed {
    /// The edit, by its place. The path that it has is one of the candidates.
    pub edit: Span,
    /// The files that may be meant.
    pub candidates: Vec<Candidate>,
}

/// A file that may be meant, and what names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The file.
    pub path: Target,
    /// What names it.
    pub by: Clue,
    /// Whether it is meant as a path even if there is no such file, as in backquotes.
    pub quoted: bool,
}

/// What names a file for an edit or a code block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clue {
    /// A line right above that is wholly a path.
    Line,
    /// The first line in the fence, as a comment.
    Comment,
    /// The fence's info string.
    Info,
    /// The nearest heading above with one path.
    Heading,
    /// The block before.
    Previous,
    /// A word in the paragraph right above.
    Mention,
}

impl Clue {
    /// Whether it says nothing but the path.
    pub fn is_whole(self) -> bool {
        matches!(self, Clue::Line | Clue::Comment | Clue::Info)
    }
}

/// A code block with a file of its own that is no edit. The tree says what it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// From its opening to its closing fence.
    pub span: Span,
    /// The files that are named for it: by a whole line or the info string, or by words of the heading or paragraph right
    /// above.
    pub candidates: Vec<Candidate>,
    /// The first word of the info string; empty if there is none.
    pub language: String,
    /// The lines in it.
    pub text: Passage,
    /// How many bytes of `text` a first line takes that may be the path as a comment.
    pub path_line: usize,
    /// Whether its end is known.
    pub state: FenceState,
    /// Whether it is a whole file that replaces or makes the one that it is for, because that was asked for.
    pub is_whole: bool,
    /// Whether it changes the definitions that it holds of a file that is there, because that was asked for.
    pub is_snippet: bool,
    /// Why it is given: the prose above it.
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
    /// A fence closes it.
    #[default]
    Closed,
    /// No fence closes it.
    Unclosed,
    /// This line in it opens a fence of its own length, so that the next fence may close that one.
    Unclear(Span),
}

/// A part of the response that no format reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The part.
    pub span: Span,
    /// The info string of a code block.
    pub info: String,
}

impl Script {
    /// Whether any diagnostic is an error, which refuses the whole response.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Adds what another response says after this one's. Its regions are others than those that are here already.
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

    /// The warnings, in order.
    pub fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|diagnostic| !diagnostic.is_error())
    }

    /// Leaves edits out, as if they were not there; the others keep their numbers. `wanted` says of an edit, counted from
    /// 0, whether it stays, and without a number whether what could not be read as an edit still refuses the response.
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

    /// Whether an edit, counted from 0, is not to be made: it is left out, or has landed.
    pub fn is_left_out(&self, edit: usize) -> bool {
        self.left_out.contains(&edit) || self.landed.contains(&edit)
    }

    /// The path to show for an edit, counted from 0, that has not been resolved: `?` where only words of prose may name it.
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

    /// The paths that the edits name, each once, in the order in which they first stand; those of moves and copies at both
    /// ends.
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

    /// The prose of one of the script's responses: what stands before, between and after the regions, in order, without
    /// the blank lines and Markdown fences around each piece. Reasoning counts as prose.
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

/// A piece of prose without blank lines and lines of a fence at both ends.
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

/// A part of a response that one format claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// The format.
    pub format: FormatId,
    /// The part, from the first to the last byte.
    pub span: Span,
}

/// One change that the model asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// From the first to the last byte of what declares it.
    pub span: Span,
    /// The format it was written in.
    pub format: FormatId,
    /// Which region (envelope, fence, or run of bare edits) of the response it stands in. Equal edits in one
    /// region are different places; in another region they are the same edit once more.
    pub region: u32,
    /// The file it is about (a rename's or copy's source).
    pub path: Target,
    /// What to do.
    pub op: Op,
    /// Why, in the model's words: trimmed, never empty.
    pub why: Option<String>,
    /// What a git patch says beside; nothing in other formats.
    pub git: Git,
}

/// What a git patch says of a file beside its paths and its text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Git {
    /// Whether the file is executable afterwards (mode 100755 and not 100644); `None`: as it was.
    pub executable: Option<bool>,
    /// The abbreviated name of the blob that the hunks were made on.
    pub blob: Option<String>,
    /// Whether the path may begin with a prefix of git's: the one without its first component is meant where only that
    /// is there.
    pub prefixed: bool,
    /// The mail that it stands in. All edits of a mail are one commit.
    pub mail: Option<Span>,
    /// Whether the response ends in its last line, without a line break.
    pub is_open: bool,
}

impl Edit {
    /// An edit in no region yet, for which no why is known.
    pub(crate) fn new(format: FormatId, span: Span, path: Target, op: Op) -> Self {
        Self { span, format, region: 0, path, op, why: None, git: Git::default() }
    }

    /// Its hunks; none where it has no before-text.
    pub fn hunks(&self) -> &[Hunk] {
        match &self.op {
            Op::Modify { hunks, .. }
            | Op::Rename { hunks, .. }
            | Op::Copy { hunks, .. }
            | Op::Delete { hunks, .. } => hunks,
            Op::Create { .. } | Op::Replace { .. } | Op::Append { .. } | Op::Snippet { .. } => &[],
        }
    }

    /// The hunk that stands just there. Hunks stand in the order of the response.
    pub fn hunk_at(&self, span: Span) -> Option<&Hunk> {
        let hunks = self.hunks();
        hunks.get(hunks.binary_search_by_key(&span, |hunk| hunk.span).ok()?)
    }

    /// Whether nothing is left of that file, as written, where it was.
    pub fn takes_away(&self, file: &str) -> bool {
        matches!(self.op, Op::Delete { .. } | Op::Rename { .. }) && self.path.shown() == shown(file)
    }

    /// Whether it asks for just what the other asks for, wherever the two stand.
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
    /// The formats' identities.
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

/// There is no format of that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown format {0:?}; use one of opx, apply-patch, search-replace, file-changes, applydir, diff, edit-calls, whole-file, snippet"
)]
pub struct UnknownFormat(pub String);

impl std::str::FromStr for FormatId {
    type Err = UnknownFormat;

    /// The format with that name, exactly as [`FormatId::as_str`] has it.
    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        FormatId::of_name(name).ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

/// A path as the response has it, before it is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The path as written, without the quotes around it.
    pub raw: String,
    /// OPX's `root=`: the directory that the path is relative to.
    pub root: Option<String>,
    /// Where it is written.
    pub span: Span,
}

impl Target {
    /// A path that stands there.
    pub(crate) fn new(raw: &str, span: Span) -> Self {
        Self { raw: raw.to_owned(), root: None, span }
    }

    /// The path as it is shown: `d\\e`, `./d/e` and `d/e` are one.
    pub fn shown(&self) -> String {
        shown(&self.raw)
    }
}

/// A path as it is shown, whatever separators it is written with.
pub fn shown(path: &str) -> String {
    let path = path.replace('\\', "/");
    match path.trim_start_matches("./") {
        "" => path,
        rest => rest.to_owned(),
    }
}

/// What an edit does to its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// Make a file that holds `text`.
    Create {
        /// The whole content: lines, each ended by `\n`, but for a last one that a diff says is not.
        text: Passage,
        /// What happens when the file exists with other content.
        existing: Existing,
    },
    /// Change parts of a file. All hunks apply or none does.
    Modify {
        /// In the order they stand; empty only where the mode is all that changes.
        hunks: Vec<Hunk>,
        /// What happens when there is no such file.
        missing: Missing,
    },
    /// Give an existing file a whole new content: lines, each ended by `\n`.
    Replace {
        /// The whole content.
        text: Passage,
    },
    /// Add lines at the end of a file, making it if there is none.
    Append {
        /// The lines, each ended by `\n`.
        text: Passage,
    },
    /// Change the definitions of a file that the text holds.
    Snippet {
        /// Definitions, imports, and comments that say what is left out; each line ended by `\n`.
        text: Passage,
    },
    /// Remove a file.
    Delete {
        /// Whether a directory is taken too, with all that is in it.
        recursive: bool,
        /// What they remove is all that the file may hold; empty where the format does not say.
        hunks: Vec<Hunk>,
    },
    /// Move a file, then change it at its new place.
    Rename {
        /// Where to.
        to: Box<Target>,
        /// The changes; may be empty.
        hunks: Vec<Hunk>,
    },
    /// Make a file with the content of another, then change it.
    Copy {
        /// The new file.
        to: Box<Target>,
        /// The changes; may be empty.
        hunks: Vec<Hunk>,
    },
}

/// What a creation does with a file that is there with other content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Refuse (`already-exists`) unless `--allow-overwrite`.
    Refuse,
    /// Replace its content, because the format's document says so.
    Overwrite,
}

/// What a modification does when its file is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Refuse.
    Refuse,
    /// Make the file if no hunk has a line to find (udiffx, SEARCH/REPLACE and applydir with empty searches).
    CreateFromAdditions,
}

/// One place of a file, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Where in the response.
    pub span: Span,
    /// The before- and the after-text.
    pub change: Change,
    /// What beside the before-text says where.
    pub anchor: Anchor,
}

/// The before-text and the after-text of a hunk, as the format writes them. The difference is the edit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Two texts, to be paired line by line.
    Texts {
        /// What to find: whole lines each ended by `\n`.
        before: Passage,
        /// What to put there, in the same form. Empty: the lines are removed.
        after: Passage,
        /// Whether `before` may also be part of a line (OPX).
        unit: Unit,
    },
    /// SEARCH/REPLACE with `=======` lines in its content: the lines between SEARCH and REPLACE, and the byte
    /// offset of every line in it that may be the divider. The split whose SEARCH text is the longest that
    /// the file has is meant.
    Splits {
        /// All lines, dividers included, each ended by `\n`.
        lines: Passage,
        /// Offsets of the candidates' first bytes, ascending; at least two.
        dividers: Vec<usize>,
    },
    /// A unified diff's body: lines that begin with ` ` (kept), `-` (removed), `+` (added) or `~` (everything
    /// between the removed lines around it), each ended by `\n`.
    Diff {
        /// The lines with their marks.
        lines: Passage,
        /// `\ No newline at end of file` stood after the last line of the before-text.
        before_unterminated: bool,
        /// Likewise for the after-text.
        after_unterminated: bool,
    },
}

impl Change {
    /// The lines that it looks for, without line breaks; where the divider is in doubt, those before the first.
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

    /// The texts before and behind one of the dividers of [`Change::Splits`], by its offset.
    ///
    /// A divider right before the end may be doubled, and divides nothing then. Where the search text holds a divider,
    /// the other may too.
    pub fn split(&self, divider: usize) -> Option<(&str, &str)> {
        let Change::Splits { lines, dividers } = self else { return None };
        let is_last =
            |&at: &usize| lines.get(at..).is_some_and(|rest| rest.find('\n') == rest.len().checked_sub(1));
        let doubled = dividers.last().copied().filter(is_last);
        let doubled = doubled.filter(|&last| divider < last && dividers.first() == Some(&divider));
        let (_, after) = lines.get(divider..doubled.unwrap_or(lines.len()))?.split_once('\n')?;
        Some((lines.get(..divider)?, after))
    }

    /// The lines that stand there afterwards, without line breaks; where the divider is in doubt, those after the first.
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

/// What a before-text is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// Whole lines only.
    Lines,
    /// Whole lines, else a part of a line that neither begins nor ends inside a word.
    Text,
    /// As a text, and taken to the byte: it may begin and end anywhere within lines. The line break at the end of both texts
    /// is none of them.
    Verbatim,
}

/// What beside the before-text says where a hunk belongs.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Anchor {
    /// Nothing: one place, or refused.
    #[default]
    Unique,
    /// OPX's `occurrence=`.
    Occurrence(Occurrence),
    /// Right behind that line, from 1; 0 is before the first.
    After(u32),
    /// A Codex patch's chunk: after the last chunk's end, and after its `@@` lines.
    Seek {
        /// The texts of the `@@` lines, outermost first; may be empty.
        context: Vec<String>,
        /// `*** End of File` stood at the chunk's end.
        end_of_file: bool,
    },
    /// A unified diff's hunk: in order, and where candidates are equal the one at that line.
    Line {
        /// The old start line as written, from 1.
        old_start: Option<u32>,
        /// The new start line as written, from 1.
        new_start: Option<u32>,
        /// The text behind the numbers: a line above the hunk, such as a function's first.
        section: Option<String>,
    },
}

/// Which of several places is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Occurrence {
    /// The first.
    First,
    /// The last.
    Last,
    /// The n-th, from 1.
    Nth(std::num::NonZeroU32),
    /// All of them, wherever the text stands.
    All,
}
