//! Where in a file lines stand, by their hashes: made once for a text that is asked often.

use super::Content;
use super::form::{Form, is_blank};

/// The lines of a text, or those of them that are not blank, in the order of their hashes.
pub struct Lookup {
    /// The line that each entry is; none where every line is one.
    lines: Option<Vec<u32>>,
    /// The hash of each entry, in the order of the text.
    hashes: Vec<u64>,
    /// The entries by hash, then in the order of the text.
    sorted: Vec<u32>,
}

impl Lookup {
    pub(super) fn new(content: &Content, form: Form, solid: bool) -> Self {
        let count = content.line_count();
        let (mut lines, mut hashes) = (Vec::new(), Vec::with_capacity(count));
        for piece in content.pieces() {
            for (index, &hash) in piece.hashes(form).iter().enumerate() {
                if solid && is_blank(piece.text(index)) {
                    continue;
                }
                if solid {
                    lines.push(number(piece.first() + index));
                }
                hashes.push(hash);
            }
        }
        let mut sorted: Vec<u32> = (0..number(hashes.len())).collect();
        sorted.sort_unstable_by_key(|&entry| (hashes.get(entry as usize).copied(), entry));
        Self { lines: solid.then_some(lines), hashes, sorted }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// The lines of all entries; none where every line is one.
    pub fn lines(&self) -> Option<&[u32]> {
        self.lines.as_deref()
    }

    /// The line of an entry.
    pub fn line(&self, entry: usize) -> usize {
        match &self.lines {
            Some(lines) => lines.get(entry).map_or(0, |&line| line as usize),
            None => entry,
        }
    }

    /// The entry of a line, or of the first one behind it.
    pub fn entry(&self, line: usize) -> usize {
        match &self.lines {
            Some(lines) => lines.partition_point(|&other| (other as usize) < line),
            None => line.min(self.hashes.len()),
        }
    }

    /// The hashes of all entries, in the order of the text.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// The entries with a hash, ascending.
    pub fn with(&self, hash: u64) -> &[u32] {
        let of = |&entry: &u32| self.hashes.get(entry as usize).copied().unwrap_or(u64::MAX);
        let start = self.sorted.partition_point(|entry| of(entry) < hash);
        let rest = self.sorted.get(start..).unwrap_or(&[]);
        rest.get(..rest.partition_point(|entry| of(entry) == hash)).unwrap_or(&[])
    }
}

/// A number of a line. No file that is read has more than four billion of them.
fn number(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}
