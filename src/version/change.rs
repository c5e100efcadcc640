//! Changes to the lines of a file.

use crate::text::Content;
use crate::version::lineage::Lineage;
use std::ops::Range;

/// The replacement of lines `start..end` of a file; an insertion before `start` if the range is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineChange {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The replacement: whole lines, except that the file's last line may have no line ending.
    pub(crate) bytes: Vec<u8>,
    /// Whether the inserted lines belong to the line below, because the search text has no line above them.
    pub(crate) leads: bool,
}

impl LineChange {
    /// Replaces lines with others.
    pub(crate) fn new(start: usize, end: usize, bytes: Vec<u8>) -> Self {
        Self { start, end, bytes, leads: false }
    }
}

/// The file with these changes, which ascend and do not overlap. Updates `lineage`.
pub(crate) fn commit(content: &Content, changes: &[LineChange], lineage: &mut Lineage) -> Content {
    let mut now = content.clone();
    // From the end, so that line numbers stay valid.
    for change in changes.iter().rev() {
        let before = now.line_count();
        now = now.replace(change.start..change.end, &change.bytes);
        let lines = (now.line_count() + change.end).saturating_sub(before + change.start);
        lineage.replace(change.start, change.end, lines, change.leads);
    }
    now
}

/// Returns the bytes of the lines `first..behind` with the changes applied.
pub(crate) fn spliced(content: &Content, first: usize, behind: usize, changes: &[LineChange]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut at = first;
    for change in changes {
        bytes.extend(bytes_of(content, at..change.start));
        bytes.extend_from_slice(&change.bytes);
        at = change.end;
    }
    bytes.extend(bytes_of(content, at..behind.max(at)));
    bytes
}

/// The bytes of some lines, with their line endings.
pub(super) fn bytes_of(content: &Content, lines: Range<usize>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in content.lines(lines) {
        bytes.extend_from_slice(line.text);
        bytes.extend_from_slice(line.eol.map_or(&[][..], |eol| eol.as_bytes()));
    }
    bytes
}
