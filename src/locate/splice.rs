//! What a hunk makes of the lines that it was located at. What it keeps stays as the file has it.

use super::found::Fit;
use super::lineage::Lineage;
use super::pattern::{End, Pattern, Step};
use super::place::Place;
use crate::text::{Content, Eol, Form};

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

/// What a hunk of whole lines changes. Lines of the region that no before-line stands for stay, unless they lie between
/// two removed ones.
pub(super) fn whole_lines(content: &Content, pattern: &Pattern<'_>, fit: &Fit) -> Vec<LineChange> {
    let mut changes = Vec::new();
    let mut run = Run::default();
    // Where a line would be inserted: behind the last line that was paired.
    let mut here = None;
    let paired = |before: usize| fit.lines.get(before).copied().flatten();
    for step in &pattern.steps {
        match *step {
            Step::Keep(before) => {
                if let Some(line) = paired(before) {
                    changes.extend(run.finish(content, pattern, fit, here.unwrap_or(line)));
                    here = Some(line + 1);
                }
            }
            Step::Remove(before) => {
                if let Some(line) = paired(before) {
                    run.removed = Some((run.removed.map_or(line, |(start, _)| start), line + 1));
                }
            }
            Step::Add(text) => run.added.push(text),
            // Everything up to the next line goes.
            Step::Gap => {}
        }
    }
    changes.extend(run.finish(content, pattern, fit, here.unwrap_or(fit.place.start.line)));
    changes
}

/// Removed and added lines between two kept ones.
#[derive(Default)]
struct Run<'a> {
    removed: Option<(usize, usize)>,
    added: Vec<&'a [u8]>,
}

impl Run<'_> {
    fn finish(
        &mut self,
        content: &Content,
        pattern: &Pattern<'_>,
        fit: &Fit,
        here: usize,
    ) -> Option<LineChange> {
        let Run { removed, added } = std::mem::take(self);
        if removed.is_none() && added.is_empty() {
            return None;
        }
        let (start, end) = removed.unwrap_or((here, here));
        let eol = region_eol(content, fit.place.start.line, fit.place.end.line).as_bytes();
        let mut bytes = Vec::new();
        for text in &added {
            let shifted = if Form::Trimmed.of(text).is_empty() { None } else { fit.shift.of(text) };
            bytes.extend_from_slice(shifted.as_deref().unwrap_or(text));
            bytes.extend_from_slice(eol);
        }
        let at_end = end == content.line_count();
        if at_end && !added.is_empty() {
            let open = !content.ends_with_newline();
            if pattern.end == End::Nothing || (pattern.end == End::AsFile && open) {
                bytes.truncate(bytes.len() - eol.len());
            }
            if start == end && open {
                // The line in front gets the newline that it lacks.
                bytes.splice(0..0, eol.iter().copied());
            }
        }
        Some(LineChange { start, end, bytes })
    }
}

/// What a hunk changes at a place that begins or ends within lines.
pub(super) fn within_lines(content: &Content, pattern: &Pattern<'_>, place: &Place) -> Vec<LineChange> {
    let (start, end) = (place.start.line, place.end.line);
    let (Some(head), Some(tail)) = (content.line(start), content.line(end)) else { return Vec::new() };
    let eol = region_eol(content, start, end + 1);
    let mut bytes = head.text.get(..place.start.column).unwrap_or(&[]).to_vec();
    let mut pending: Option<Eol> = None;
    for step in &pattern.steps {
        let (text, ending) = match *step {
            Step::Keep(before) => {
                let real = if start + before < end { content.line(start + before) } else { None };
                (pattern.before.get(before).copied().unwrap_or(&[]), real.and_then(|line| line.eol))
            }
            Step::Add(text) => (text, None),
            Step::Remove(_) | Step::Gap => continue,
        };
        if let Some(ending) = pending {
            bytes.extend_from_slice(ending.as_bytes());
        }
        bytes.extend_from_slice(text);
        pending = Some(ending.unwrap_or(eol));
    }
    bytes.extend_from_slice(tail.text.get(place.end.column..).unwrap_or(&[]));
    if let Some(ending) = tail.eol {
        bytes.extend_from_slice(ending.as_bytes());
    }
    vec![LineChange { start, end: end + 1, bytes }]
}

/// What ends most lines of a region, the first on a tie; the file's if none of them has a line ending.
pub(super) fn region_eol(content: &Content, start: usize, end: usize) -> Eol {
    let mut counts: Vec<(Eol, usize)> = Vec::new();
    for eol in content.lines(start..end).filter_map(|line| line.eol) {
        match counts.iter_mut().find(|(seen, _)| *seen == eol) {
            Some((_, count)) => *count += 1,
            None => counts.push((eol, 1)),
        }
    }
    counts.iter().rev().max_by_key(|(_, count)| count).map_or_else(|| content.dominant_eol(), |(eol, _)| *eol)
}
