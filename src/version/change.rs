//! Changes to the lines of a file.

use crate::pattern::has_words;
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

/// Changes that also replace the lines beside them, by the same lines, if these may as well be the removed or inserted
/// ones: in a row of equal lines, texts before and after do not tell which one is gone or new. `place` has all changes.
pub(crate) fn widened(
    content: &Content,
    place: Range<usize>,
    mut changes: Vec<LineChange>,
) -> Vec<LineChange> {
    let line = |at: usize| bytes_of(content, at..at + 1);
    for at in 0..changes.len() {
        let above = at.checked_sub(1).map_or(place.start, |above| changes[above].end);
        let below = changes.get(at + 1).map_or(place.end, |below| below.start);
        let LineChange { start, end, bytes, .. } = &changes[at];
        let (start, end) = (*start, *end);
        let block: Vec<Vec<u8>> = match bytes.is_empty() {
            true => (start..end).map(line).collect(),
            false if start == end => {
                bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
            }
            false => continue,
        };
        let up = (above..start).rev().zip(block.iter().rev().cycle());
        let up = up.take_while(|(at, text)| line(*at) == **text).count();
        let down =
            (end..below).zip(block.iter().cycle()).take_while(|(at, text)| line(*at) == **text).count();
        let (first, behind) = (start - up, end + down);
        let others = [first..start, end..behind].map(|lines| bytes_of(content, lines));
        if others.iter().any(|bytes| has_words(bytes)) {
            let bytes = [&others[0], bytes, &others[1]].map(Vec::as_slice).concat();
            changes[at] = LineChange::new(first, behind, bytes);
        }
    }
    changes
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
