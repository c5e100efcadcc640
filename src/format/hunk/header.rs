//! The lines before and between hunks: `@@` lines and headers.

use super::Remaining;
use super::git::HeaderLine;
use crate::diag::Diagnostic;
use crate::format::scan::{Below, Line, trim};
use crate::format::{fault, file};
use crate::span::Span;

/// The numbers of one side of an `@@` line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Range {
    /// The first line, from 1.
    pub(super) start: Option<u32>,
    /// The number of lines.
    count: Option<u32>,
}

/// The numbers of an `@@` line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    /// Of the old lines.
    pub(super) old: Range,
    /// Of the new lines.
    pub(super) new: Range,
}

impl Numbers {
    /// Reads the numbers after the first `@@`.
    pub(super) fn of(text: &str) -> Self {
        let mut numbers = Self::default();
        let Some(rest) = text.trim_start().strip_prefix('-') else { return numbers };
        let (old, rest) = Range::of(rest);
        numbers.old = old;
        if let Some(rest) = rest.trim_start().strip_prefix('+') {
            numbers.new = Range::of(rest).0;
        }
        numbers
    }

    /// How many lines of a hunk with these numbers are still to be read. `counted` are its old and new lines so far.
    pub(super) fn remaining(&self, counted: [u32; 2]) -> Remaining {
        let (Some(old), Some(new)) = (self.old.count, self.new.count) else { return Remaining::Unknown };
        match [old.checked_sub(counted[0]), new.checked_sub(counted[1])] {
            [Some(0), Some(0)] => Remaining::Zero,
            [Some(old), Some(new)] => Remaining::Lines(old.max(new) as usize),
            _ => Remaining::Negative,
        }
    }

    /// Whether removed or added lines have lost their marks. `counted` are the old and new lines of the hunk; `context`
    /// is how many of its lines may have lost a mark. For example, with `-1,2 +1,3` and three context lines, the new
    /// lines are right, but one old line is too many: a `+` is missing.
    pub(super) fn lacks_marks(&self, context: u32, counted: [u32; 2]) -> bool {
        let (Some(old), Some(new)) = (self.old.count, self.new.count) else { return false };
        match [counted[0].checked_sub(old), counted[1].checked_sub(new)] {
            [Some(0), Some(more)] | [Some(more), Some(0)] => (1..=context).contains(&more),
            _ => false,
        }
    }
}

/// Returns the text of an `@@` line, which is after the second `@@`, or instead of the numbers. `text` is what follows
/// the first `@@`.
pub(super) fn section(text: &str) -> Option<String> {
    let is_text = |text: &str| text.contains(|c: char| !c.is_whitespace() && !matches!(c, '.' | '…'));
    let (inner, after) = text.split_once("@@").unwrap_or((text, ""));
    let numbers = inner.trim_start().starts_with(['-', '+'])
        || inner.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let section = if is_text(after) || numbers { after } else { inner };
    Some(section.trim().to_owned()).filter(|section| is_text(section))
}

/// Returns the text of an `@@` line in a Codex patch; `Some(None)` if it has no text, or only dots; `None` for other
/// lines. Line numbers as in a unified diff are skipped.
pub(in crate::format) fn context(text: &str) -> Option<Option<&str>> {
    let rest = text.strip_prefix("@@")?;
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let heading = after_numbers(rest).filter(|rest| rest.is_empty() || rest.starts_with(' '));
    let rest = heading.unwrap_or(rest);
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    // A second `@@` may follow the text, as it follows the numbers of a diff.
    let closed = trim(rest).strip_suffix("@@").filter(|_| heading.is_none());
    let text = closed.map_or(rest, trim);
    let is_text = |text: &&str| text.contains(|c: char| !c.is_whitespace() && !matches!(c, '.' | '…' | '@'));
    Some(Some(text).filter(is_text))
}

impl Range {
    /// Reads `3,5` or `3`, and returns the rest of the text.
    fn of(text: &str) -> (Self, &str) {
        let (start, rest) = number(text);
        let (count, rest) = match rest.strip_prefix(',') {
            Some(rest) => number(rest),
            None => (start.map(|_| 1), rest),
        };
        (Self { start, count }, rest)
    }
}

/// Returns the text after the second `@@`, if numbers as git writes them are before it. `text` is what follows the
/// first `@@`.
pub(in crate::format) fn after_numbers(text: &str) -> Option<&str> {
    let (old, rest) = Range::of(text.strip_prefix(" -")?);
    let (new, rest) = Range::of(rest.strip_prefix(" +")?);
    let after = rest.strip_prefix(" @@")?;
    let is_whole = |range: &Range| range.start.is_some() && range.count.is_some();
    [old, new].iter().all(is_whole).then_some(after)
}

fn number(text: &str) -> (Option<u32>, &str) {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    (text[..length].parse().ok(), &text[length..])
}

/// Returns the names in a `--- ` line and the `+++ ` line below it, and whether an `@@` line follows.
pub(in crate::format) fn names<'r>(
    line: Line<'r>,
    below: &impl Below<'r>,
) -> Option<(&'r str, &'r str, bool)> {
    let old = line.text.strip_prefix("--- ")?;
    let mut below = below.clone();
    let new = below.next()?.text.strip_prefix("+++ ")?;
    Some((old, new, below.next().is_some_and(|line| line.text.starts_with("@@"))))
}

/// Whether both names are of the same file and have git's prefixes, or one of them is `/dev/null`.
pub(in crate::format) fn is_one_file(old: &str, new: &str) -> bool {
    let name = |text: &str| text.split('\t').next().unwrap_or(text).trim_end().to_owned();
    let (old, new) = (name(old), name(new));
    let rest = |name: &str| name.get(1..).filter(|rest| rest.starts_with('/')).map(str::to_owned);
    old == "/dev/null" || new == "/dev/null" || (rest(&old).is_some() && rest(&old) == rest(&new))
}

/// Words that models write instead of a name.
const PLACEHOLDERS: &[&str] = &["original", "modified", "old", "new", "before", "after", "a", "b"];

/// Whether a name says only which side of the diff it is.
pub(in crate::format) fn is_placeholder(name: &str) -> bool {
    PLACEHOLDERS.contains(&name)
}

/// Returns the error about a header that names another file, or does more than change lines.
pub(super) fn misplaced(span: Span) -> Diagnostic {
    let what = "the header does more than change the lines of this file";
    fault::malformed_hunk(span, what)
        .with_help("give each other file, and each removal, move or mode, an edit of its own")
}

/// Returns the error about a line outside of the hunks of a file, if it is one.
pub(super) fn fault_outside(text: &str, span: Span, path: &str) -> Option<Diagnostic> {
    let name = text.strip_prefix("+++ ").map(|name| name.split('\t').next().unwrap_or(name).trim());
    let is_misplaced = match name {
        Some(name) => {
            // The name may have git's prefix, or be a part of the path.
            let is_path = |name: &str| file::may_be_same(name, path);
            let is_own = is_path(name) || name.strip_prefix("b/").is_some_and(is_path);
            name == "/dev/null" || !is_placeholder(name) && !is_own
        }
        None if text.starts_with(['+', '-']) && !text.starts_with("--- ") => {
            return Some(fault::no_hunk(span));
        }
        None => {
            HeaderLine::of(text).is_some_and(|(line, _)| line.changes_more_than_lines(text))
                || text.starts_with("*** ")
        }
    };
    is_misplaced.then(|| misplaced(span))
}
