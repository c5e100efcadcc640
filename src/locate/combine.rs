//! What the hunks of a file come to, beside each other: not all that each may be can be at once.

use super::evidence;
use crate::diag::Refusal;
use crate::text::Content;
use crate::text::search::Place;
use crate::version::LineChange;

/// What the hunks of a file change, and where it is made already, each with the number of its hunk.
pub(super) struct Combined {
    /// They ascend.
    changes: Vec<(usize, LineChange)>,
    stand: Vec<(usize, Place)>,
}

impl Combined {
    /// Insertions at one point keep the order of their hunks, those first that do not belong to the line below.
    pub(super) fn of(mut changes: Vec<(usize, LineChange)>, stand: Vec<(usize, Place)>) -> Self {
        changes.sort_by_key(|(_, change)| (change.start, change.end, change.leads));
        Self { changes, stand }
    }

    /// Whether all of them can be.
    ///
    /// # Errors
    /// Two change the same lines, one begins with what another one adds, or one changes what another has made.
    pub(super) fn check(&self) -> Result<(), Box<Refusal>> {
        let clash = self.pairs().find(|[(_, one), (_, other)]| {
            let is_insertion = (one.start, other.start, other.end) == (one.end, one.end, one.end);
            // A draft of an insertion, and the whole of it.
            let begins = one.bytes.starts_with(&other.bytes) || other.bytes.starts_with(&one.bytes);
            other.start < one.end || is_insertion && begins
        });
        let clash = clash.map(|[(first, _), (second, other)]| (*first.max(second), other.start));
        let takes =
            |place: &Place, change: &LineChange| change.start < place.behind() && place.first() < change.end;
        let is_taken =
            |(_, place): &&(usize, Place)| self.changes.iter().any(|(_, change)| takes(place, change));
        let clash =
            clash.or_else(|| self.stand.iter().find(is_taken).map(|(hunk, place)| (*hunk, place.first())));
        clash.map_or(Ok(()), |(hunk, line)| Err(Box::new(evidence::two_hunks(line).of_hunk(hunk))))
    }

    /// Neighbours.
    fn pairs(&self) -> impl Iterator<Item = &[(usize, LineChange); 2]> {
        self.changes.windows(2).filter_map(|pair| pair.try_into().ok())
    }

    /// All changes. Of several at a file's end without newline it makes one, in which the newline is put but once.
    pub(super) fn into_changes(self, content: &Content) -> Vec<LineChange> {
        let end = content.line_count();
        let mut all: Vec<LineChange> = Vec::with_capacity(self.changes.len());
        for (_, change) in self.changes {
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
}
