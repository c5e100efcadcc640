//! Recognizes the beginning of a diff.

use super::{mail, name};
use crate::format::fence::Fence;
use crate::format::hunk::git::HeaderLine;
use crate::format::hunk::header::{after_numbers, is_one_file, names};
use crate::format::scan::{Below, Cursor, Line, trim_start};

/// The languages of fences with diffs.
const LANGUAGES: &[&str] = &["diff", "patch", "udiff"];

/// The number of lines that are searched for a changed one.
const MAX_SEARCHED: usize = 200;

/// Whether a diff begins at the cursor. In a diff fence it begins with the first marked line, if a changed line
/// follows.
pub(super) fn opens(cursor: &Cursor<'_>) -> bool {
    if !cursor.begins_line() {
        return false;
    }
    let mut below = cursor.lines();
    let Some(line) = below.next() else { return false };
    let text = trim_start(line.text);
    let begins_here = match text.as_bytes().first() {
        Some(b'-' | b'+' | b'd' | b'@' | b'F' | b'S' | b'D') => {
            begins(line.trim_start(), &below.clone().map(move |below| below.past(line.blanks())))
        }
        _ => false,
    };
    if begins_here || !cursor.fence().is_some_and(is_diff) {
        return begins_here;
    }
    let is_changed = |text: &str| text.starts_with(['+', '-']);
    let has_change = || {
        let lines = cursor.lines().take(MAX_SEARCHED).take_while(|line| !cursor.closes_fence(*line));
        let mut rest = lines.clone();
        let next = rest.find(|line| is_changed(line.text) || is_git(line.text));
        // What stands above a header, such as the message of a commit or a list of files, is not a hunk.
        let is_header = next.is_some_and(|line| is_git(line.text) || has_names(line, &rest, true));
        !is_header && lines.map(|line| trim_start(line.text)).any(is_changed)
    };
    line.text.starts_with(['+', '-', ' ', '@', 'd'])
        && (!line.text.starts_with('d') || line.text.starts_with("diff -"))
        && (line.text.starts_with("@@") || is_changed(line.text) || has_change())
}

/// Whether a fence is for diffs.
pub(in crate::format) fn is_diff(fence: Fence<'_>) -> bool {
    let word = fence.info.split([' ', '\t', ':']).next().unwrap_or("");
    LANGUAGES.iter().any(|language| word.eq_ignore_ascii_case(language))
}

/// Whether a diff begins at a line. The lines are given without indentation.
fn begins<'r>(line: Line<'r>, below: &impl Below<'r>) -> bool {
    match line.text.as_bytes().first() {
        Some(b'-' | b'+') => has_names(line, below, true),
        Some(b'd') if is_half(line, below) => true,
        Some(b'd') => {
            let is_header =
                |next: Line<'_>| next.text.starts_with("@@") || HeaderLine::of(next.text).is_some();
            let names = || line.text.strip_prefix("diff --git ").and_then(|names| names.split_once(' '));
            is_git(line.text)
                && (below.clone().next().is_none_or(is_header)
                    || names().is_some_and(|(old, new)| is_one_file(old, new)))
        }
        Some(b'@') => line.text.strip_prefix("@@").and_then(after_numbers).is_some(),
        Some(b'F' | b'S' | b'D') => mail::begins(line, below),
        _ => false,
    }
}

/// Whether a line is an `@@` line.
pub(in crate::format) fn is_hunk(text: &str) -> bool {
    let rest = trim_start(text).strip_prefix("@@");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// Whether a line is the first line of git's header.
pub(super) fn is_git(text: &str) -> bool {
    ["diff --git ", "diff --cc ", "diff --combined "].iter().any(|word| text.starts_with(word))
}

/// Whether a line right above an `@@` line is the only line of a header: `--- name`, `+++ name` or a `diff` command.
pub(super) fn is_half<'r>(line: Line<'r>, below: &impl Below<'r>) -> bool {
    ["--- ", "+++ ", "diff -"].iter().any(|opening| line.text.starts_with(opening))
        && below.clone().next().is_some_and(|next| is_hunk(next.text))
}

/// Whether a line is `--- name` above `+++ name`, or one of them alone above an `@@` line. In a bare diff, a hunk or a
/// line with a mark must follow. It need not if the names are of one file (the second may be cut off at the end of the
/// response), or if the file is deleted.
pub(super) fn has_names<'r>(line: Line<'r>, below: &impl Below<'r>, bare: bool) -> bool {
    let is_marked = |line: Line<'_>| line.text.starts_with(['@', '+', '-', ' ']) && !line.is_blank();
    let is_followed = || below.clone().nth(1).is_some_and(is_marked);
    let is_last = || below.clone().nth(1).is_none();
    let is_cut =
        |old: &str, new: &str| new.len() > 1 && old.get(1..).is_some_and(|old| old.starts_with(&new[1..]));
    names(line, below).is_some_and(|(old, new, _)| {
        !bare
            || name::is_dev_null(new)
            || is_followed()
            || is_one_file(old, new)
            || old.starts_with("a/") && new.starts_with('b') && is_last() && is_cut(old, new)
    }) || is_half(line, below)
}
