//! What an index file has that libgit2 cannot read, or would leave out of the one that it writes (gitformat-index(5),
//! "Extensions").

use memchr::memmem;

/// The features of an index that only git keeps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Features {
    /// Most of it is in a shared index (git-update-index(1), `--split-index`).
    pub split: bool,
    /// Directories outside of the sparse checkout are one entry each (git-sparse-checkout(1), `--sparse-index`).
    pub sparse: bool,
    /// The untracked cache.
    pub untracked_cache: bool,
    /// What the file system monitor has told.
    pub fsmonitor: bool,
}

impl Features {
    /// Those of an index with these bytes, whose checksum has that length.
    pub(super) fn of(bytes: &[u8], checksum: usize) -> Self {
        let has = |signature: &[u8; 4]| {
            memmem::find_iter(bytes, signature).any(|at| is_extension(bytes, at, checksum))
        };
        Self {
            split: has(b"link"),
            sparse: has(b"sdir"),
            untracked_cache: has(b"UNTR"),
            fsmonitor: has(b"FSMN"),
        }
    }

    /// Whether git has to write the next one.
    pub fn any(self) -> bool {
        self != Self::default()
    }

    /// Whether libgit2 cannot read it.
    pub(super) fn unreadable(self) -> bool {
        self.split || self.sparse
    }

    /// What it has, in words.
    pub fn words(self) -> Vec<&'static str> {
        [
            (self.split, "a split index"),
            (self.sparse, "a sparse index"),
            (self.untracked_cache, "an untracked cache"),
            (self.fsmonitor, "a file system monitor"),
        ]
        .into_iter()
        .filter_map(|(has, words)| has.then_some(words))
        .collect()
    }
}

/// Whether an extension begins there, and not four letters of a path: from one extension to the next one comes to the
/// checksum.
fn is_extension(bytes: &[u8], mut at: usize, checksum: usize) -> bool {
    let Some(end) = bytes.len().checked_sub(checksum) else { return false };
    while at < end {
        let Some((head, size)) = bytes.get(at..at + 8).map(|head| head.split_at(4)) else { return false };
        let Ok(size) = <[u8; 4]>::try_from(size).map(u32::from_be_bytes) else { return false };
        if !head.iter().all(u8::is_ascii_alphabetic) {
            return false;
        }
        at = at.saturating_add(8).saturating_add(size as usize);
    }
    at == end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_told_from_paths() {
        let index = |extensions: &[(&[u8; 4], usize)]| {
            let mut bytes = b"DIRC\0\0\0\x02\0\0\0\x01 an entry called UNTRUSTED/link/sdir\0\0\0".to_vec();
            for (name, size) in extensions {
                bytes.extend_from_slice(*name);
                bytes.extend_from_slice(&(*size as u32).to_be_bytes());
                bytes.extend(std::iter::repeat_n(b'x', *size));
            }
            bytes.extend([7; 20]);
            Features::of(&bytes, 20)
        };
        assert_eq!(index(&[]), Features::default());
        assert_eq!(index(&[(b"TREE", 9)]), Features::default());
        let both = Features { split: true, untracked_cache: true, ..Features::default() };
        assert_eq!(index(&[(b"link", 30), (b"TREE", 0), (b"UNTR", 5)]), both);
        assert_eq!(index(&[(b"sdir", 0)]), Features { sparse: true, ..Features::default() });
        assert_eq!(index(&[(b"FSMN", 1)]).words(), ["a file system monitor"]);
    }
}
