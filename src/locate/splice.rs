//! Putting a hunk's result in the place that was found for it. What the hunk keeps stays as the file has it.

use super::pattern::{Pattern, Step};
use super::place::Place;
use crate::edit::Unit;
use crate::text::{Content, Eol};

/// The file with the hunk made at a place of whole lines. `paired` gives the line of the file, from 0, that a
/// before-line stands for; none for a blank line that the file lacks. Lines of the place that no before-line stands for
/// stay, unless they lie between two removed ones.
pub(super) fn whole_lines(
    content: &Content,
    pattern: &Pattern<'_>,
    place: &Place,
    paired: impl Fn(usize) -> Option<usize>,
) -> Content {
    let (start, end) = (place.start.line, place.end.line);
    let eol = region_eol(content, start, end);
    let mut made = Lines { content, eol, bytes: Vec::new(), open: None };
    let mut next = start;
    let mut removing = false;
    for step in &pattern.steps {
        match *step {
            Step::Keep(before) => {
                if let Some(line) = paired(before) {
                    made.keep(next, line + 1);
                    next = line + 1;
                    removing = false;
                }
            }
            Step::Remove(before) => {
                if let Some(line) = paired(before) {
                    if !removing {
                        made.keep(next, line);
                    }
                    next = line + 1;
                    removing = true;
                }
            }
            Step::Add(text) => made.add(text),
        }
    }
    made.keep(next, end);
    let at_end = end == content.line_count();
    // A payload ends every line with a newline. A text that stands between markers does not say so of its last line.
    let no_newline = at_end
        && (pattern.after_unterminated || (pattern.unit == Unit::Text && !content.ends_with_newline()));
    let bytes = made.finish(no_newline);
    content.replace(start..end, &bytes)
}

/// The file with the hunk made at a place that begins or ends within lines.
pub(super) fn within_lines(content: &Content, pattern: &Pattern<'_>, place: &Place) -> Content {
    let (start, end) = (place.start.line, place.end.line);
    let (Some(head), Some(tail)) = (content.line(start), content.line(end)) else { return content.clone() };
    let eol = region_eol(content, start, end + 1);
    let mut bytes = head.text.get(..place.start.column).unwrap_or(&[]).to_vec();
    let mut pending: Option<Eol> = None;
    for step in &pattern.steps {
        let (text, ending) = match *step {
            Step::Keep(before) => {
                let Some(line) = content.line(start + before) else { continue };
                (pattern.before[before], if start + before < end { line.eol } else { None })
            }
            Step::Add(text) => (text, None),
            Step::Remove(_) => continue,
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
    content.replace(start..end + 1, &bytes)
}

/// What ends most lines of a region, the first on a tie; the file's if none of them has a line ending.
fn region_eol(content: &Content, start: usize, end: usize) -> Eol {
    let mut counts: Vec<(Eol, usize)> = Vec::new();
    for eol in content.lines(start..end).filter_map(|line| line.eol) {
        match counts.iter_mut().find(|(seen, _)| *seen == eol) {
            Some((_, count)) => *count += 1,
            None => counts.push((eol, 1)),
        }
    }
    counts.iter().rev().max_by_key(|(_, count)| count).map_or_else(|| content.dominant_eol(), |(eol, _)| *eol)
}

/// Lines that are being put together.
struct Lines<'a> {
    content: &'a Content,
    eol: Eol,
    bytes: Vec<u8>,
    open: Option<Open>,
}

/// Why the last line has no line ending yet.
#[derive(PartialEq, Eq)]
enum Open {
    /// The file has none there.
    Kept,
    /// It was added.
    Added,
}

impl Lines<'_> {
    fn close(&mut self) {
        if self.open.take().is_some() {
            self.bytes.extend_from_slice(self.eol.as_bytes());
        }
    }

    /// Lines of the file, as they are.
    fn keep(&mut self, start: usize, end: usize) {
        for line in self.content.lines(start..end) {
            self.close();
            self.bytes.extend_from_slice(line.text);
            match line.eol {
                Some(eol) => self.bytes.extend_from_slice(eol.as_bytes()),
                None => self.open = Some(Open::Kept),
            }
        }
    }

    fn add(&mut self, text: &[u8]) {
        self.close();
        self.bytes.extend_from_slice(text);
        self.open = Some(Open::Added);
    }

    fn finish(mut self, no_newline: bool) -> Vec<u8> {
        if self.open == Some(Open::Added) && !no_newline {
            self.close();
        }
        self.bytes
    }
}
