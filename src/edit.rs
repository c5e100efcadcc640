//! Edits, which all formats are parsed into. Each edit is for one file.
//!
//! An edit holds what the model wrote. [`crate::plan::resolve`] checks its path and locates its texts in the file.

mod hunk;
mod script;

use crate::names::named;
use crate::response::Passage;
use crate::span::Span;
pub use hunk::{Anchor, Change, Hunk, Occurrence, Unit};
pub use script::{Candidate, Clue, CodeBlock, FenceState, Region, Script, Unnamed, Unread};

/// One change that the model asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The span of its declaration.
    pub span: Span,
    /// Its format.
    pub format: FormatId,
    /// The number of its region: an envelope, a fence, or consecutive edits outside of these. Equal edits in one region
    /// are for different locations. An equal edit in a later region only repeats the first.
    pub region: u32,
    /// The file (the source of a rename or copy).
    pub path: Target,
    /// The operation.
    pub op: Op,
    /// The model's reason: trimmed, never empty.
    pub why: Option<String>,
    /// What only a git patch can say; empty in other formats.
    pub git: Git,
    /// The first line of a code block, if it is a comment with only the path, such as `# src/a.py`. It is content only
    /// if the file already begins with it.
    pub label: Option<Box<str>>,
}

/// What a git patch says in addition to paths and text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Git {
    /// Whether the file is executable afterwards (mode 100755 or 100644); `None` for no change.
    pub executable: Option<bool>,
    /// The abbreviated id of the blob that the hunks are for.
    pub blob: Option<Box<str>>,
    /// Whether the path may begin with a prefix such as `a/`. The prefix is removed if only the file without it exists.
    pub prefixed: bool,
    /// The span of the mail that the edit is in. All edits of a mail become one commit.
    pub mail: Option<Span>,
    /// Whether the response ends in the last line of the edit, without a line break. The line may be cut off.
    pub is_open: bool,
}

impl Edit {
    /// An edit without a region and a why.
    pub(crate) fn new(format: FormatId, span: Span, path: Target, op: Op) -> Self {
        Self { span, format, region: 0, path, op, why: None, git: Git::default(), label: None }
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

    /// Returns the hunk with this span.
    pub fn hunk_at(&self, span: Span) -> Option<&Hunk> {
        let hunks = self.hunks();
        // Hunks are in the order of the response.
        hunks.get(hunks.binary_search_by_key(&span, |hunk| hunk.span).ok()?)
    }

    /// Whether it is the same edit as another one, wherever both are in the response.
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
#[error("unknown format {0:?}; use one of {names}", names = format_names())]
pub struct UnknownFormat(pub String);

fn format_names() -> String {
    FormatId::ALL.iter().map(|format| format.as_str()).collect::<Vec<_>>().join(", ")
}

impl FormatId {
    /// Whether it is read even if the user does not ask for it.
    pub fn is_detected(self) -> bool {
        !matches!(self, Self::WholeFile | Self::Snippet)
    }
}

impl std::str::FromStr for FormatId {
    type Err = UnknownFormat;

    /// Returns the format with exactly this name; see [`FormatId::as_str`].
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
    pub root: Option<Box<str>>,
    /// Its span.
    pub span: Span,
}

impl Target {
    /// A path at a span.
    pub(crate) fn new(raw: &str, span: Span) -> Self {
        Self { raw: raw.to_owned(), root: None, span }
    }

    /// Whether messages show both paths in the same form.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        // Usually the paths as written are equal, which is faster to check.
        self.raw == other.raw || self.shown() == other.shown()
    }

    /// Returns the path for messages: `d\\e` and `./d/e` are both shown as `d/e`.
    pub fn shown(&self) -> String {
        shown(&self.raw)
    }
}

/// Returns a path for messages: with slashes, and without a leading `./`.
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
        /// In the order of the response. Empty only if nothing but the mode changes.
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
        /// Whether the path may be a directory, which is deleted with all its content.
        recursive: bool,
        /// The lines that they remove must be the whole content of the file. Empty if the format does not give the
        /// content.
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

/// What a creation does if the file exists with other content.
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
