//! What the hunks of a file come to, beside each other: not all that each may be can be at once.

use super::evidence::Refusal;
use crate::diag::Code;
use crate::text::Content;
use crate::text::search::Place;
use crate::version::LineChange;

/// What the hunks of a file change, and where it is made already, each with the number of its hunk.
pub(super) struct Combined {
    /// They ascend.
    changes: Vec<(usize, LineChange)>,
    stand: Vec<(usize, Place)>,
}

/// The hunk that goes too far, what it does, and what helps.
type Clash = (usize, String, &'static str);

const ONE_HUNK: &str = "write one hunk for all changes there";

impl Combined {
    /// Insertions at one point keep the order of their hunks, those first that do not belong to the line below.
    pub(super) fn of(mut changes: Vec<(usize, LineChange)>, stand: Vec<(usize, Place)>) -> Self {
        changes.sort_by_key(|(_, change)| (change.start, change.end, change.leads));
        Self { changes, stand }
    }

    /// Whether all of them can be.
    ///
    /// # Errors
    /// Two change the same lines, or one changes what another has made.
    pub(super) fn check(&self) -> Result<(), Box<Refusal>> {
        let clash = self.overlap().or_else(|| self.said_twice()).or_else(|| self.made_and_changed());
        clash.map_or(Ok(()), |(hunk, message, help)| {
            Err(Box::new(Refusal::new(Code::Conflict, message).with_help(help).of_hunk(hunk)))
        })
    }

    fn overlap(&self) -> Option<Clash> {
        let [(first, _), (second, change)] =
            self.pairs().find(|[(_, before), (_, change)]| change.start < before.end)?;
        let message = format!("two hunks change line {} of the file", change.start + 1);
        Some((*first.max(second), message, ONE_HUNK))
    }

    /// A draft of an insertion, and the whole of it.
    fn said_twice(&self) -> Option<Clash> {
        let is_again = |[(_, one), (_, other)]: &&[(usize, LineChange); 2]| {
            let begins = one.bytes.starts_with(&other.bytes) || other.bytes.starts_with(&one.bytes);
            (one.start, one.end, other.end) == (other.start, one.start, one.start) && begins
        };
        let [_, (hunk, change)] = self.pairs().find(is_again)?;
        let line = change.start + 1;
        let message = format!("two hunks add lines before line {line}, and one begins with the other");
        Some((*hunk, message, "give each new line in one hunk only"))
    }

    fn made_and_changed(&self) -> Option<Clash> {
        let takes =
            |place: &Place, change: &LineChange| change.start < place.behind() && place.first() < change.end;
        let (hunk, place) = self
            .stand
            .iter()
            .find(|(_, place)| self.changes.iter().any(|(_, change)| takes(place, change)))?;
        let line = place.first() + 1;
        let message = format!("another hunk changes lines from {line} on, where this one is already applied");
        Some((*hunk, message, ONE_HUNK))
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
