//! Lines of a file that become others.

use super::haystack::Haystack;
use super::lineage::Lineage;
use crate::text::Content;

/// Lines of a file that are replaced; none are for an insertion in front of `start`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineChange {
    pub(super) start: usize,
    pub(super) end: usize,
    /// What comes in their place: whole lines, but for the file's last one.
    pub(super) bytes: Vec<u8>,
}

/// The file with changes made, which ascend and do not overlap; `lineage` follows.
pub(super) fn commit(content: &Content, changes: &[LineChange], lineage: &mut Lineage) -> Content {
    let mut now = content.clone();
    // From the end, so that line numbers hold.
    for change in changes.iter().rev() {
        let before = now.line_count();
        now = now.replace(change.start..change.end, &change.bytes);
        let lines = (now.line_count() + change.end).saturating_sub(before + change.start);
        lineage.replace(change.start, change.end, lines);
    }
    now
}

/// What lines from `first` to before `behind` become by changes in them.
pub(super) fn spliced(hay: Haystack<'_>, first: usize, behind: usize, changes: &[LineChange]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut at = first;
    let copy = |from: usize, to: usize, bytes: &mut Vec<u8>| {
        for (_, line) in hay.lines(from..to) {
            bytes.extend_from_slice(line.text);
            bytes.extend_from_slice(line.eol.map_or(&[][..], |eol| eol.as_bytes()));
        }
    };
    for change in changes {
        copy(at, change.start, &mut bytes);
        bytes.extend_from_slice(&change.bytes);
        at = change.end;
    }
    copy(at, behind.max(at), &mut bytes);
    bytes
}
