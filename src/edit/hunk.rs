//! A hunk: its search text, its replacement, and what else helps to find its location.

use crate::response::Passage;
use crate::span::Span;

/// One change within a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Its span in the response.
    pub span: Span,
    /// The search text and the replacement.
    pub change: Change,
    /// What else helps to find its location.
    pub anchor: Anchor,
}

/// The search text and the replacement of a hunk, as the format writes them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// A search text and a replacement, which are compared line by line.
    Texts {
        /// The search text: whole lines that end with `\n`.
        before: Passage,
        /// The replacement, in the same form. If it is empty, the lines are removed.
        after: Passage,
        /// Whether the search text may match a part of a line.
        unit: Unit,
    },
    /// A SEARCH/REPLACE block with several `=======` lines. One of them is the divider, and the others are content. The
    /// divider is the last one for which the file contains all lines above it.
    ///
    /// For example, the search text may contain a heading with a line of `=======` below it.
    Splits {
        /// All lines between SEARCH and REPLACE, each ending with `\n`.
        lines: Passage,
        /// The offsets of the `=======` lines, ascending; at least two.
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
    /// Returns the lines of the search text, without line breaks. With several dividers, returns the lines before the
    /// first.
    pub fn search_lines(&self) -> Vec<&str> {
        match self {
            Change::Texts { before, .. } => before.lines().collect(),
            Change::Splits { lines, dividers } => {
                let end = dividers.first().copied().unwrap_or(0);
                lines.get(..end).unwrap_or("").lines().collect()
            }
            Change::Diff { lines, .. } => {
                let is_searched = |line: &&str| !line.starts_with(['+', '~']);
                lines.lines().filter(is_searched).map(|line| line.get(1..).unwrap_or("")).collect()
            }
        }
    }

    /// Returns the texts before and after the divider at an offset, for [`Change::Splits`].
    ///
    /// Models sometimes write the divider again right before the closing marker. This repetition is not content, unless
    /// the search text contains a divider: then the replacement may also end with one.
    pub fn split(&self, divider: usize) -> Option<(&str, &str)> {
        let Change::Splits { lines, dividers } = self else { return None };
        let is_last_line =
            |&at: &usize| lines.get(at..).is_some_and(|rest| rest.find('\n') == rest.len().checked_sub(1));
        let repetition = dividers.last().copied().filter(is_last_line);
        let repetition = repetition.filter(|&last| divider < last && dividers.first() == Some(&divider));
        let (_, after) = lines.get(divider..repetition.unwrap_or(lines.len()))?.split_once('\n')?;
        Some((lines.get(..divider)?, after))
    }

    /// Returns the lines of the replacement, without line breaks. With several dividers, returns the lines after the
    /// first.
    pub fn replacement_lines(&self) -> Vec<&str> {
        match self {
            Change::Texts { after, .. } => after.lines().collect(),
            Change::Splits { dividers, .. } => {
                let first = dividers.first().copied().unwrap_or(0);
                self.split(first).map_or("", |(_, after)| after).lines().collect()
            }
            Change::Diff { lines, .. } => {
                let is_kept = |line: &&str| !line.starts_with(['-', '~']);
                lines.lines().filter(is_kept).map(|line| line.get(1..).unwrap_or("")).collect()
            }
        }
    }
}

/// The unit of a search text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// Whole lines only.
    Lines,
    /// Whole lines if they match; otherwise a part of a line that does not begin or end inside of a word.
    Text,
    /// The exact bytes, which may begin and end anywhere in a line.
    Verbatim {
        /// Whether both texts were written with a line break at their end. If not, the last line break of the search
        /// text and of the replacement was added, and does not count.
        is_ended: bool,
    },
}

/// What helps to find the location of a hunk, in addition to its search text.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Anchor {
    /// Nothing: the match has to be unique.
    #[default]
    Unique,
    /// OPX's `occurrence=`.
    Occurrence(Occurrence),
    /// The location is right after this line, from 1. With 0, it is before the first line.
    After(u32),
    /// For a chunk of a Codex patch: the location is after the previous chunk, and after the lines that `@@` names.
    Seek {
        /// The texts of the `@@` lines, outermost first; may be empty.
        headings: Vec<String>,
        /// Whether `*** End of File` ends the chunk.
        end_of_file: bool,
    },
    /// For a hunk of a unified diff: the location is after the previous hunk. The line numbers choose among equal
    /// candidates, and a match is refused if they name another place that may be meant.
    Line {
        /// The old start line as written, from 1.
        old_start: Option<u32>,
        /// The new start line as written, from 1.
        new_start: Option<u32>,
        /// The text after the numbers: a line above the hunk, such as the first line of its function.
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
