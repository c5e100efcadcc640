//! Builds the whole text of a new or replaced file.

use super::{Body, FileState, Node};
use crate::edit::{Change, Hunk};
use crate::text::Content;

/// Returns a new file with this text.
pub(super) fn new_file(text: &str) -> FileState {
    FileState { node: Node::File { executable: false }, body: Body::Bytes(text.as_bytes().into()) }
}

/// Replaces the text of a file. Its line ending and byte order mark are kept. If the file has no final newline and the
/// last line stays the same, it gets none.
pub(super) fn rewritten(content: &Content, text: &str) -> Content {
    let eol = content.dominant_eol().as_bytes();
    let lines: Vec<&[u8]> = text.split('\n').map(str::as_bytes).collect();
    let mut bytes = lines.join(eol);
    let last = content.line_count().checked_sub(1).and_then(|last| content.line(last));
    if let Some(last) = last.filter(|last| last.eol.is_none()) {
        let ended = text.strip_suffix('\n');
        if ended.and_then(|text| text.rsplit('\n').next()).is_some_and(|text| text.as_bytes() == last.text) {
            bytes.truncate(bytes.len() - eol.len());
        }
    }
    content.replace(0..content.line_count(), &bytes)
}

/// Returns whether a hunk that creates a file has a divider too many, which would become a line of the file.
pub(super) fn has_extra_divider(hunk: &Hunk) -> bool {
    match &hunk.change {
        Change::Splits { lines, dividers } => match dividers.as_slice() {
            [0, last] => lines.get(*last..).is_some_and(|rest| rest.lines().nth(1).is_some()),
            dividers => dividers.len() > 2,
        },
        _ => false,
    }
}

/// Returns the text of the file that hunks create; `None` if a hunk has a search text.
pub(super) fn additions(hunks: &[Hunk]) -> Option<String> {
    let mut text = String::new();
    for hunk in hunks {
        match &hunk.change {
            Change::Texts { before, after, .. } if before.is_empty() => text.push_str(after),
            // The search text, before the first divider, is empty. Further dividers are lines of the new file.
            Change::Splits { dividers, .. } if dividers.first() == Some(&0) => {
                text.push_str(hunk.change.split(0)?.1);
            }
            Change::Diff { lines, after_unterminated, .. } => {
                for line in lines.split_inclusive('\n') {
                    text.push_str(line.strip_prefix('+')?);
                }
                if *after_unterminated && text.ends_with('\n') {
                    text.pop();
                }
            }
            _ => return None,
        }
    }
    Some(text)
}
