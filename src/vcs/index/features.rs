//! The extensions of an index file that libgit2 cannot read, or drops when it writes (gitformat-index(5), "Extensions").

use super::EXTENDED;
use super::raw::{HEAD, extent, number};
use memchr::memchr;

/// The features of an index that only git can write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Features {
    /// Most entries are in a shared index (git-update-index(1), `--split-index`).
    pub split: bool,
    /// Each directory outside the sparse checkout is one entry (git-sparse-checkout(1), `--sparse-index`).
    pub sparse: bool,
    /// The untracked cache.
    pub untracked_cache: bool,
    /// The data of the file system monitor.
    pub fsmonitor: bool,
}

impl Features {
    /// The features of an index with these bytes and this length of object ids. A broken index has none: the code that
    /// reads it reports the error.
    pub(super) fn of(bytes: &[u8], hash: usize) -> Self {
        let mut found = Self::default();
        let Some(mut at) = end_of_entries(bytes, hash) else { return found };
        let end = bytes.len().saturating_sub(hash);
        while let Some((signature, size)) =
            bytes.get(at..at + 8).filter(|_| at < end).map(|head| head.split_at(4))
        {
            match signature {
                b"link" => found.split = true,
                b"sdir" => found.sparse = true,
                b"UNTR" => found.untracked_cache = true,
                b"FSMN" => found.fsmonitor = true,
                _ => {}
            }
            at = at.saturating_add(8).saturating_add(number(size));
        }
        found
    }

    /// Whether git has to write the new index.
    pub fn any(self) -> bool {
        self != Self::default()
    }

    /// Whether libgit2 cannot read the index.
    pub(super) fn unreadable(self) -> bool {
        self.split || self.sparse
    }

    /// The features in words.
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

fn end_of_entries(bytes: &[u8], hash: usize) -> Option<usize> {
    let (version, count) = (number(bytes.get(4..8)?), number(bytes.get(8..HEAD)?));
    let mut at = HEAD;
    for _ in 0..count {
        at = match version {
            0..=3 => extent(bytes, at, hash)?.end,
            _ => {
                let flags = number(bytes.get(at + hash + 40..at + hash + 42)?);
                let name = at + hash + if flags & usize::from(EXTENDED) != 0 { 44 } else { 42 };
                // Version 4 stores, before the rest of the name, how many bytes to cut off the previous name; the number
                // may contain a zero byte.
                let prefix = bytes.get(name..)?.iter().position(|byte| byte & 0x80 == 0)? + 1;
                name + prefix + memchr(0, bytes.get(name + prefix..)?)? + 1
            }
        };
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The features of an index whose one entry has this path.
    fn index(version: u8, path: &str, extensions: &[(&[u8; 4], usize)]) -> Features {
        let mut bytes = [b"DIRC", &[0, 0, 0, version], &[0, 0, 0, 1][..]].concat();
        bytes.extend([1; 60]);
        bytes.extend((path.len().min(0xfff) as u16).to_be_bytes());
        if version == 4 {
            bytes.push(0);
        }
        bytes.extend_from_slice(path.as_bytes());
        bytes.push(0);
        while version < 4 && (bytes.len() - 12) % 8 != 0 {
            bytes.push(0);
        }
        for (name, size) in extensions {
            bytes.extend_from_slice(*name);
            bytes.extend_from_slice(&(*size as u32).to_be_bytes());
            bytes.extend(std::iter::repeat_n(b'x', *size));
        }
        bytes.extend([7; 20]);
        Features::of(&bytes, 20)
    }

    #[test]
    fn extensions_are_found_behind_the_entries() {
        let long = "long/".repeat(1000);
        for version in [2, 3, 4] {
            for path in ["a", "UNTR\u{8}link/sdir", "seven77", "eight888", &long] {
                let index = |extensions| index(version, path, extensions);
                assert_eq!(index(&[]), Features::default(), "{version} {path}");
                assert_eq!(index(&[(b"TREE", 9)]), Features::default(), "{version} {path}");
                let both = Features { split: true, untracked_cache: true, ..Features::default() };
                assert_eq!(index(&[(b"link", 30), (b"TREE", 0), (b"UNTR", 5)]), both, "{version} {path}");
                assert_eq!(index(&[(b"sdir", 0)]), Features { sparse: true, ..Features::default() });
                assert_eq!(index(&[(b"FSMN", 1)]).words(), ["a file system monitor"]);
            }
        }
    }

    #[test]
    fn what_is_no_index_has_nothing() {
        for bytes in [&b""[..], b"DIRC", b"DIRC\0\0\0\x02\xff\xff\xff\xff", &[0xff; 200]] {
            assert_eq!(Features::of(bytes, 20), Features::default());
        }
    }
}
