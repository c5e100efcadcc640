//! Columns of a terminal: measuring text, and making it fit.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The columns that a line takes: 2 for wide letters and most emoji, 0 for combining marks.
pub(super) fn of(text: &str) -> usize {
    text.width()
}

/// Whether there is anything to see in a text.
pub(super) fn is_visible(text: &str) -> bool {
    // U+2800 is Braille's blank.
    text.chars().any(|c| !c.is_whitespace() && c != '\u{2800}' && c.width().unwrap_or(0) > 0)
}

/// Breaks a line at the last blank at which its first part fits, and gives both parts; the second is empty if all fits.
///
/// Where that would leave less than half of the columns used (a long word, or a script without blanks), the first part
/// is cut inside a word and marked `…`, and the second part is the whole line.
pub(super) fn split(line: &str, columns: usize) -> (String, String) {
    if of(line) <= columns {
        return (line.to_owned(), String::new());
    }
    let head = prefix(line, columns + 1);
    if let Some((head, _)) = head.rsplit_once(' ')
        && of(head) * 2 >= columns
    {
        return (head.to_owned(), line[head.len() + 1..].to_owned());
    }
    (format!("{}…", prefix(line, columns.saturating_sub(1)).trim_end()), line.to_owned())
}

/// A path made to fit: its last components after `…/`, else the end of its name after `…`.
pub(super) fn shorten_path(path: &str, columns: usize) -> String {
    if of(path) <= columns {
        return path.to_owned();
    }
    let tail = suffix(path, columns.saturating_sub(1));
    // As much of the tail as is whole components, from a slash on.
    match tail.find('/') {
        Some(at) => format!("…{}", &tail[at..]),
        None => format!("…{tail}"),
    }
}

/// The longest beginning that fits, combining marks included.
fn prefix(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > columns {
            return &text[..at];
        }
    }
    text
}

/// The longest end that fits and does not begin with a combining mark.
fn suffix(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let mut start = text.len();
    for (at, c) in text.char_indices().rev() {
        let width = c.width().unwrap_or(0);
        used += width;
        if used > columns {
            break;
        }
        if width > 0 {
            start = at;
        }
    }
    &text[start..]
}
