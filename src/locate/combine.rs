//! Combines the changes of all hunks of a file, and refuses hunks that contradict each other.

use super::evidence;
use crate::diag::Refusal;
use crate::text::Content;
use crate::text::search::Place;
use crate::version::LineChange;

/// Returns the changes of all hunks of a file, in the order of the file. `changes` has the index of the hunk for each,
/// and `applied` has the places of hunks that are already applied. Insertions at one line keep the order of their
/// hunks, but those that belong to the line below go last.
///
/// # Errors
/// Two hunks change the same lines, two insertions at one line begin with the same lines, or a hunk changes lines at
/// which another one is already applied.
pub(super) fn combined(
    mut changes: Vec<(usize, LineChange)>,
    applied: &[(usize, Place)],
    content: &Content,
) -> Result<Vec<LineChange>, Box<Refusal>> {
    changes.sort_by_key(|(_, change)| (change.start, change.end, change.leads));
    let pairs = changes.iter().zip(changes.iter().skip(1));
    let mut clashes = pairs.filter(|((_, one), (_, other))| {
        let is_insertion = (one.start, other.start, other.end) == (one.end, one.end, one.end);
        // One may be a draft of the other.
        let begins = one.bytes.starts_with(&other.bytes) || other.bytes.starts_with(&one.bytes);
        other.start < one.end || is_insertion && begins
    });
    let clash = clashes.next().map(|((first, _), (second, other))| (*first.max(second), other.start));
    let is_changed = |(_, place): &&(usize, Place)| {
        changes.iter().any(|(_, change)| change.start < place.behind() && place.first() < change.end)
    };
    let changed = || applied.iter().find(is_changed).map(|(hunk, place)| (*hunk, place.first()));
    match clash.or_else(changed) {
        Some((hunk, line)) => Err(Box::new(evidence::two_hunks(line).of_hunk(hunk))),
        None => Ok(with_one_newline(changes, content)),
    }
}

/// Returns the changes without the indexes of their hunks. If the file has no final newline, several changes at its end
/// become one, so that the newline is added only once.
fn with_one_newline(changes: Vec<(usize, LineChange)>, content: &Content) -> Vec<LineChange> {
    let end = content.line_count();
    let mut all: Vec<LineChange> = Vec::with_capacity(changes.len());
    for (_, change) in changes {
        match all.last_mut() {
            Some(last) if last.end == end && !content.ends_with_newline() => {
                let ended = matches!(last.bytes.last(), None | Some(b'\n' | b'\r'));
                let lead = match change.bytes.as_slice() {
                    [b'\r', b'\n', ..] if ended => 2,
                    [b'\r' | b'\n', ..] if ended => 1,
                    _ => 0,
                };
                last.bytes.extend_from_slice(&change.bytes[lead..]);
            }
            _ => all.push(change),
        }
    }
    all
}
