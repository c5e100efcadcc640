//! Where a diff begins: the lines that begin one, and the fence around it.

use super::{mail, name};
use crate::format::fence::Fence;
use crate::format::scan::{Cursor, Line, trim_start};

/// What follows `diff --git` in a header.
const EXTENDED: &[&str] = &[
    "index ",
    "old mode ",
    "new mode ",
    "new file mode ",
    "deleted file mode ",
    "copy from ",
    "rename from ",
    "similarity index ",
    "dissimilarity index ",
    "--- ",
    "@@",
    "Binary files ",
    "GIT binary patch",
    "mode ",
];

/// What a fence around a diff says it holds.
const LANGUAGES: &[&str] = &["diff", "patch", "udiff"];

/// How many lines of a fence are looked at for changed ones.
const LOOKED_AT: usize = 200;

/// Whether a diff begins at the cursor. In a fence that says so it begins with the first line that has a mark, if there is
/// a changed one.
pub(super) fn opens(cursor: &Cursor<'_>) -> bool {
    if !cursor.begins_line() {
        return false;
    }
    let mut below = cursor.lines();
    let Some(line) = below.next() else { return false };
    let text = trim_start(line.text);
    let begins_here = match text.as_bytes().first() {
        Some(b'-' | b'd' | b'@' | b'F' | b'S' | b'D') => {
            begins(line.trim_start(), &below.clone().map(Line::trim_start))
        }
        _ => false,
    };
    if begins_here || !cursor.fence().is_some_and(says_diff) {
        return begins_here;
    }
    let is_changed = |line: Line<'_>| trim_start(line.text).starts_with(['+', '-']);
    line.text.starts_with(['+', '-', ' ', '@', 'd'])
        && (!line.text.starts_with('d') || line.text.starts_with("diff -"))
        && (line.text.starts_with("@@")
            || is_changed(line)
            || below.take(LOOKED_AT).take_while(|line| !cursor.closes_fence(*line)).any(is_changed))
}

/// Whether a fence says that it holds a diff.
fn says_diff(fence: Fence<'_>) -> bool {
    let word = fence.info.split([' ', '\t', ':']).next().unwrap_or("");
    LANGUAGES.iter().any(|language| word.eq_ignore_ascii_case(language))
}

/// Whether a diff begins at a line, given those below it; none of them is indented.
fn begins<'r>(line: Line<'r>, below: &(impl Iterator<Item = Line<'r>> + Clone)) -> bool {
    match line.text.as_bytes().first() {
        Some(b'-') => has_names(line, below, true),
        Some(b'd') => {
            let next = || below.clone().next();
            is_git(line.text)
                && next().is_none_or(|next| EXTENDED.iter().any(|word| next.text.starts_with(word)))
        }
        Some(b'@') => is_numbered(line.text),
        Some(b'F' | b'S' | b'D') => mail::begins(line, below),
        _ => false,
    }
}

/// Whether a line is git's first one of a file.
pub(super) fn is_git(text: &str) -> bool {
    ["diff --git ", "diff --cc ", "diff --combined "].iter().any(|word| text.starts_with(word))
}

/// Whether a line is `--- name`, with `+++ name` below it, and with `@@` below that unless the file goes away; bare ones
/// need that.
pub(super) fn has_names<'r>(
    line: Line<'r>,
    below: &(impl Iterator<Item = Line<'r>> + Clone),
    bare: bool,
) -> bool {
    if !line.text.starts_with("--- ") {
        return false;
    }
    let mut below = below.clone();
    let Some(new) = below.next().and_then(|line| line.text.strip_prefix("+++ ")) else { return false };
    !bare || name::is_nothing(new) || below.next().is_some_and(|line| line.text.starts_with("@@"))
}

/// Whether a line is a hunk's first one, with numbers as git writes them.
fn is_numbered(text: &str) -> bool {
    let range = |text: &str, mark: char| {
        let (start, count) = text.strip_prefix(mark)?.split_once(',').unwrap_or((&text[1..], "1"));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        Some(is_number(start) && is_number(count))
    };
    let inner = text.strip_prefix("@@ ").and_then(|rest| rest.split_once(" @@"));
    let ranges = inner.and_then(|(inner, _)| inner.split_once(' '));
    ranges.is_some_and(|(old, new)| range(old, '-') == Some(true) && range(new, '+') == Some(true))
}
