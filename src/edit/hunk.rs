//! One change within a file: the search text, the replacement, and what else tells where it belongs.

use crate::response::Passage;
use crate::span::Span;

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
    /// As `Text`, but exact to the byte: it may begin and end anywhere in a line.
    Verbatim {
        /// Whether both texts end with a line break of their own; else the one at their end does not count.
        is_ended: bool,
    },
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
