//! Where a diff begins: the lines that begin one, and the fence around it.

use super::{mail, name};
use crate::format::fence::Fence;
use crate::format::scan::{Cursor, Line};

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

/// Whether a diff begins at the cursor, or a fence around one.
pub(super) fn opens(cursor: &Cursor<'_>) -> bool {
    if !cursor.begins_line() {
        return false;
    }
    let mut below = cursor.lines();
    let Some(line) = below.next().map(Line::trim_start) else { return false };
    match line.text.as_bytes().first() {
        Some(b'-' | b'd' | b'@' | b'F' | b'S' | b'D') => begins(line, &below.map(Line::trim_start)),
        Some(b'`' | b'~') => {
            let Some(fence) = Fence::of(line.text) else { return false };
            // One without info may as well end a block.
            let first = match fence.info {
                "" => below.next(),
                _ => below.find(|line| !line.is_blank()),
            };
            let Some(first) = first.map(Line::trim_start) else { return says_diff(fence) };
            let is_like = |text: &str| {
                text.starts_with(['+', '-', '@']) || text.starts_with("diff -") || "diff -".starts_with(text)
            };
            // A fence of that name with a changed line in it was meant to change something, wherever the line stands.
            let changes = |text: &str| text.starts_with(['+', '-', '!']);
            let inside =
                below.clone().take_while(|line| !Fence::of(line.text).is_some_and(|end| end.closes(fence)));
            (says_diff(fence)
                && (is_like(first.text)
                    || inside.take(LOOKED_AT).any(|line| changes(line.trim_start().text))))
                || begins(first, &below.map(Line::trim_start))
        }
        _ => false,
    }
}

/// How many lines of a fence are looked at for changed ones.
const LOOKED_AT: usize = 6;

/// Whether a fence says that it holds a diff.
pub(in crate::format) fn says_diff(fence: Fence<'_>) -> bool {
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
pub(in crate::format) fn is_numbered(text: &str) -> bool {
    let range = |text: &str, mark: char| {
        let (start, count) = text.strip_prefix(mark)?.split_once(',').unwrap_or((&text[1..], "1"));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        Some(is_number(start) && is_number(count))
    };
    let inner = text.strip_prefix("@@ ").and_then(|rest| rest.split_once(" @@"));
    let ranges = inner.and_then(|(inner, _)| inner.split_once(' '));
    ranges.is_some_and(|(old, new)| range(old, '-') == Some(true) && range(new, '+') == Some(true))
}
