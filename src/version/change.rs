//! Lines of a file that become others.

use crate::text::Content;
use crate::version::lineage::Lineage;
use std::ops::Range;

/// Lines of a file that are replaced; none are for an insertion in front of `start`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineChange {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// What comes in their place: whole lines, but for the file's last one.
    pub(crate) bytes: Vec<u8>,
    /// Whether what is inserted belongs to the line below: the text has none above.
    pub(crate) leads: bool,
}

impl LineChange {
    /// Lines in the place of others.
    pub(crate) fn new(start: usize, end: usize, bytes: Vec<u8>) -> Self {
        Self { start, end, bytes, leads: false }
    }
}

/// The file with changes made, which ascend and do not overlap; `lineage` follows.
pub(crate) fn commit(content: &Content, changes: &[LineChange], lineage: &mut Lineage) -> Content {
    let mut now = content.clone();
    // From the end, so that line numbers hold.
    for change in changes.iter().rev() {
        let before = now.line_count();
        now = now.replace(change.start..change.end, &change.bytes);
        let lines = (now.line_count() + change.end).saturating_sub(before + change.start);
        lineage.replace(change.start, change.end, lines, change.leads);
    }
    now
}

/// What lines from `first` to before `behind` become by changes in them.
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

/// The bytes of some lines, with what ends them.
fn bytes_of(content: &Content, lines: Range<usize>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in content.lines(lines) {
        bytes.extend_from_slice(line.text);
        bytes.extend_from_slice(line.eol.map_or(&[][..], |eol| eol.as_bytes()));
    }
    bytes
}
