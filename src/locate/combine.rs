//! What the hunks of a file come to, beside each other: not all that each may be can be at once.

use super::evidence;
use crate::diag::Refusal;
use crate::text::Content;
use crate::text::search::Place;
use crate::version::LineChange;

/// All changes of the hunks of a file, each with the number of its hunk, in their order; `stand` has the places of hunks that
/// are already applied. Insertions at one point keep the order of their hunks, those first that do not belong to the line below.
///
/// # Errors
/// Two change the same lines, one begins with what another one adds, or one changes what another has made.
pub(super) fn combined(
    mut changes: Vec<(usize, LineChange)>,
    stand: &[(usize, Place)],
    content: &Content,
) -> Result<Vec<LineChange>, Box<Refusal>> {
    changes.sort_by_key(|(_, change)| (change.start, change.end, change.leads));
    let pairs = changes.iter().zip(changes.iter().skip(1));
    let mut clashes = pairs.filter(|((_, one), (_, other))| {
        let is_insertion = (one.start, other.start, other.end) == (one.end, one.end, one.end);
        // A draft of an insertion, and the whole of it.
        let begins = one.bytes.starts_with(&other.bytes) || other.bytes.starts_with(&one.bytes);
        other.start < one.end || is_insertion && begins
    });
    let clash = clashes.next().map(|((first, _), (second, other))| (*first.max(second), other.start));
    let is_taken = |(_, place): &&(usize, Place)| {
        changes.iter().any(|(_, change)| change.start < place.behind() && place.first() < change.end)
    };
    let taken = || stand.iter().find(is_taken).map(|(hunk, place)| (*hunk, place.first()));
    match clash.or_else(taken) {
        Some((hunk, line)) => Err(Box::new(evidence::two_hunks(line).of_hunk(hunk))),
        None => Ok(joined(changes, content)),
    }
}

/// The changes. Of several at a file's end without newline it makes one, in which the newline is put but once.
fn joined(changes: Vec<(usize, LineChange)>, content: &Content) -> Vec<LineChange> {
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
