//! The entries of a few paths, read in one pass over the index file. For a large index this is faster than loading all of
//! it.

use super::raw::{HEADER_LEN, Raw, extent, number};
use crate::vcs::format::id_len;
use git2::ObjectFormat;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// How many bytes are read at once. In tests it is little more than one entry.
const BUFFER: usize = if cfg!(test) { 5 << 10 } else { 128 << 10 };

/// The entries that were found, and the file for later lookups. Git replaces an index and never writes into one, so the
/// open file does not change.
pub(super) struct Partial {
    file: File,
    format: ObjectFormat,
    /// The requested paths; `found` has them and all paths below them.
    paths: BTreeSet<Vec<u8>>,
    found: Raw,
}

impl Partial {
    /// Reads the entries; `None` if the index has anything that this module does not understand.
    pub(super) fn read(file: File, format: ObjectFormat, paths: BTreeSet<Vec<u8>>) -> Option<Self> {
        let found = scan(&file, format, &paths)?;
        Some(Self { file, format, paths, found })
    }

    /// Calls `answer` with entries that include those at a path and below it; `None` if the file cannot be read any
    /// more.
    pub(super) fn look_up<T>(&self, path: &str, answer: impl FnOnce(&Raw) -> T) -> Option<T> {
        match self.paths.contains(path.as_bytes()) {
            true => Some(answer(&self.found)),
            false => Some(answer(&scan(&self.file, self.format, &BTreeSet::from([path.into()]))?)),
        }
    }
}

/// Finds the entries at these paths and below them.
fn scan(file: &File, format: ObjectFormat, paths: &BTreeSet<Vec<u8>>) -> Option<Raw> {
    let hash = id_len(format);
    let end = file.metadata().ok()?.len().checked_sub(hash as u64)?;
    let mut window = Window { file, end, buffer: vec![0; BUFFER], filled: 0, begins: 0 };
    window.advance(0)?;
    let head = window.bytes().get(..HEADER_LEN)?;
    if &head[..4] != b"DIRC" || !matches!(number(&head[4..8]), 2 | 3) {
        return None;
    }
    let count = number(&head[8..]);
    // In index order: each path, and separately the prefix `<path>/` of what is below it. Other names, such as
    // `<path>-old`, come between the two.
    let mut wanted: Vec<(Vec<u8>, bool)> = paths.iter().map(|path| (path.clone(), false)).collect();
    wanted.extend(paths.iter().map(|path| ([&path[..], b"/"].concat(), true)));
    wanted.sort();
    let mut wanted = wanted.iter().peekable();
    let (mut found, mut starts) = (Vec::new(), Vec::new());
    let (mut at, mut last) = (HEADER_LEN, HEADER_LEN);
    let mut before: Range<usize> = 0..0;
    for _ in 0..count {
        let next = match extent(window.bytes(), at, hash) {
            Some(next) => next,
            None => {
                // Keeps the previous entry, because the order of the two is checked.
                window.advance(last)?;
                at -= last;
                before = before.start.saturating_sub(last)..before.end.saturating_sub(last);
                extent(window.bytes(), at, hash)?
            }
        };
        let name = &window.bytes()[next.name.clone()];
        if next.stage != 0 || window.bytes()[before] >= *name {
            return None;
        }
        while let Some((path, is_prefix)) = wanted.peek() {
            let is_it = match path[..].cmp(name) {
                Ordering::Greater => break,
                Ordering::Equal => true,
                Ordering::Less => *is_prefix && name.starts_with(path),
            };
            if is_it {
                starts.push(found.len());
                found.extend_from_slice(&window.bytes()[at..next.end]);
                break;
            }
            wanted.next();
        }
        (last, at, before) = (at, next.end, next.name);
    }
    // An extension that every reader must understand begins with a lowercase letter (gitformat-index(5), "Extensions").
    let mut at = window.begins + at as u64;
    while at < end {
        let mut head = [0; 8];
        file.read_exact_at(&mut head, at).ok()?;
        if !head[0].is_ascii_uppercase() {
            return None;
        }
        at = at.checked_add(8)?.checked_add(number(&head[4..]) as u64)?;
    }
    starts.push(found.len());
    (at == end).then(|| Raw::of(found, starts, format))
}

/// The part of a file that is in memory.
struct Window<'f> {
    file: &'f File,
    /// Where the file's checksum begins.
    end: u64,
    buffer: Vec<u8>,
    /// How many bytes of the buffer are valid.
    filled: usize,
    /// The offset of the buffer in the file.
    begins: u64,
}

impl Window<'_> {
    fn bytes(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    /// Drops the first `count` bytes and reads more; `None` at the end of the file.
    fn advance(&mut self, count: usize) -> Option<()> {
        self.buffer.copy_within(count.min(self.filled)..self.filled, 0);
        self.begins += count as u64;
        let kept = self.filled.saturating_sub(count);
        let from = self.begins + kept as u64;
        let more = usize::try_from(self.end.checked_sub(from)?).ok()?.min(BUFFER - kept);
        if more == 0 {
            return None;
        }
        self.filled = kept + more;
        self.file.read_exact_at(&mut self.buffer[kept..self.filled], from).ok()
    }
}
