//! An index as the bytes of its file (gitformat-index(5)), to look up and change entries in place.
//!
//! In a large repository, libgit2 would build 100,000 objects and verify the checksum just to look up ten entries. It
//! also drops extensions that it does not know when it writes. This module only notes that there are some, and git writes
//! the index then.

use super::{EXTENDED, STAGE};
use crate::vcs::Oid;
use crate::vcs::format::id_len;
use crate::vcs::pack::Checksum;
use crate::vcs::tree::Entry;
use git2::ObjectFormat;
use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// The bits of an entry's flags that hold the length of its name. A longer name has all of them set.
const NAME_LENGTH: usize = 0x0fff;

/// The length of the header: signature, version, number of entries.
pub(super) const HEADER_LEN: usize = 12;

/// From this size on, in bytes, an index is read and its checksum computed in a thread.
pub(super) const LARGE: usize = 1 << 20;

/// An index, or some entries of one.
pub(super) struct Raw {
    bytes: Arc<Vec<u8>>,
    format: ObjectFormat,
    /// The length of an object id and of the checksum, in bytes.
    hash: usize,
    /// The offset of each entry, in the order of paths, and of the end of the last one.
    starts: Vec<usize>,
    /// The cached trees, and the resolved conflicts.
    extensions: Vec<(&'static [u8; 4], Range<usize>)>,
    /// Whether only git can write it, because it has anything else, such as an untracked cache.
    pub(super) is_by_git: bool,
    /// Whether only git can read it: its paths are compressed (version 4), most entries are in a shared index
    /// (git-update-index(1), `--split-index`), or each directory outside the sparse checkout is one entry
    /// (git-sparse-checkout(1), `--sparse-index`).
    pub(super) is_partial: bool,
    /// The thread that verifies the checksum, and its result.
    check: Cell<Option<JoinHandle<bool>>>,
    is_sound: OnceCell<bool>,
}

/// An entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// The numbers before the id: stat data, and the mode.
    pub(super) numbers: Numbers,
    pub(super) id: Oid,
    pub(super) flags: u16,
    /// The flags that follow if `flags` has [`EXTENDED`].
    pub(super) extended: u16,
    pub(super) path: Vec<u8>,
}

/// Change time and modification time in seconds and nanoseconds, device, inode, mode, owner, group, size.
pub(super) type Numbers = [u32; 10];

/// Which of them are the device and the mode.
pub(super) const DEVICE: usize = 4;
pub(super) const MODE: usize = 6;

impl Item {
    pub(super) fn entry(&self) -> Entry {
        Entry { mode: self.numbers[MODE], id: self.id }
    }
}

/// A big-endian number of two or four bytes. Inlined, since it is read for each entry.
#[inline]
pub(super) fn number(bytes: &[u8]) -> usize {
    match *bytes {
        [a, b] => usize::from(u16::from_be_bytes([a, b])),
        [a, b, c, d] => u32::from_be_bytes([a, b, c, d]) as usize,
        _ => bytes.iter().fold(0, |number, &byte| number << 8 | usize::from(byte)),
    }
}

/// The bytes of an index without entries.
pub(super) fn empty(format: ObjectFormat) -> Vec<u8> {
    let head = b"DIRC\0\0\0\x02\0\0\0\0";
    [&head[..], &Checksum::of(format, [&head[..]])].concat()
}

impl Raw {
    /// Parses an index file; `None` if it is broken.
    pub(super) fn read(bytes: Vec<u8>, format: ObjectFormat) -> Option<Self> {
        let mut raw = Self::of(bytes, Vec::new(), format);
        match raw.bytes.get(..8)? {
            b"DIRC\0\0\0\x04" => {
                (raw.is_by_git, raw.is_partial) = (true, true);
                raw.starts.push(HEADER_LEN);
            }
            _ => raw.parse()?,
        }
        Some(raw)
    }

    /// Entries at these offsets; the last offset is their end.
    pub(super) fn of(bytes: Vec<u8>, starts: Vec<usize>, format: ObjectFormat) -> Self {
        Self {
            bytes: Arc::new(bytes),
            format,
            hash: id_len(format),
            starts,
            extensions: Vec::new(),
            is_by_git: false,
            is_partial: false,
            check: Cell::default(),
            is_sound: OnceCell::new(),
        }
    }

    /// Finds the entries and extensions.
    fn parse(&mut self) -> Option<()> {
        let end = self.bytes.len().checked_sub(self.hash)?;
        if end < HEADER_LEN || &self.bytes[..4] != b"DIRC" || !matches!(number(&self.bytes[4..8]), 2 | 3) {
            return None;
        }
        let count = number(&self.bytes[8..HEADER_LEN]);
        // A broken file may claim any number, so the smallest size of an entry limits it.
        self.starts.reserve(count.min(end / (self.hash + 42)) + 1);
        let (mut at, mut before, mut is_ordered) = (HEADER_LEN, (0..0, 0), true);
        for _ in 0..count {
            self.starts.push(at);
            let Extent { name, end: next, stage } = extent(&self.bytes[..end], at, self.hash)?;
            // For the first entry, `before` is an empty name, which is less than any other.
            is_ordered &= (&self.bytes[before.0], before.1) < (&self.bytes[name.clone()], stage);
            (at, before) = (next, (name, stage));
        }
        self.starts.push(at);
        while at < end {
            let size = number(self.bytes.get(at + 4..at + 8)?);
            let body = at + 8..at.checked_add(8)?.checked_add(size).filter(|next| *next <= end)?;
            match &self.bytes[at..at + 4] {
                b"TREE" => self.extensions.push((b"TREE", body.clone())),
                b"REUC" => self.extensions.push((b"REUC", body.clone())),
                // Offsets of entries, for readers with several threads. They would be wrong after a change, and may be
                // left out.
                b"EOIE" | b"IEOT" => {}
                b"link" | b"sdir" => (self.is_by_git, self.is_partial) = (true, true),
                // The name of an extension that every reader must understand begins with a lowercase letter.
                other if !other[0].is_ascii_uppercase() => return None,
                _ => self.is_by_git = true,
            }
            at = body.end;
        }
        // In a split index, entries that replace shared ones have no names.
        (is_ordered || self.is_partial).then_some(())
    }

    fn path(&self, number: usize) -> &[u8] {
        let extent = extent(&self.bytes, self.starts[number], self.hash);
        extent.map_or(&[], |extent| &self.bytes[extent.name])
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of the first entry whose path is not less than this one.
    pub(super) fn position(&self, path: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.path(middle) < path { low = middle + 1 } else { high = middle }
        }
        low
    }

    pub(super) fn get(&self, number: usize) -> Option<Item> {
        let at = *self.starts.get(number).filter(|_| number < self.len())?;
        item(&self.bytes, at, self.hash)
    }

    /// The entry of a path; one of the sides if the path is in conflict.
    pub(super) fn find(&self, path: &[u8]) -> Option<Item> {
        self.get(self.position(path)).filter(|entry| entry.path == path)
    }

    /// The paths that are not less than this one.
    pub(super) fn from(&self, path: &[u8]) -> impl Iterator<Item = &[u8]> {
        (self.position(path)..self.len()).map(|number| self.path(number))
    }

    /// Verifies the checksum and returns whether it is right. For a large index, this only starts a thread, returns
    /// `true`, and leaves it to [`Raw::is_sound`] to wait for the result.
    pub(super) fn check(&self) -> bool {
        if self.bytes.len() < LARGE {
            return self.is_sound();
        }
        let (bytes, format) = (Arc::clone(&self.bytes), self.format);
        self.check.set(thread::Builder::new().spawn(move || is_sound(&bytes, format)).ok());
        true
    }

    /// Returns whether the checksum is right, or left out (`index.skipHash`).
    pub(super) fn is_sound(&self) -> bool {
        *self.is_sound.get_or_init(|| match self.check.take().map(JoinHandle::join) {
            Some(Ok(sound)) => sound,
            _ => is_sound(&self.bytes, self.format),
        })
    }

    /// Returns the index with these changes: an entry is added or replaced, and `None` removes the path. All other
    /// entries stay byte for byte.
    ///
    /// Returns `None` if there are too many entries.
    pub(super) fn with<'a>(&'a self, changes: &BTreeMap<&[u8], Option<&Item>>) -> Option<Changed<'a>> {
        let mut head = self.bytes[..HEADER_LEN].to_vec();
        let mut pieces: Vec<Cow<'a, [u8]>> = Vec::with_capacity(2 * changes.len() + 8);
        let (mut count, mut from) = (0, 0);
        let mut extended = number(&self.bytes[4..8]) == 3;
        for (path, entry) in changes {
            let at = self.position(path);
            pieces.push(self.bytes[self.starts[from]..self.starts[at]].into());
            count += at - from;
            from = at + usize::from(at < self.len() && self.path(at) == *path);
            if let Some(entry) = entry {
                extended |= entry.flags & EXTENDED != 0;
                pieces.push(serialize(entry).into());
                count += 1;
            }
        }
        pieces.push(self.bytes[self.starts[from]..self.starts[self.len()]].into());
        count += self.len() - from;
        head[4..8].copy_from_slice(&if extended { 3_u32 } else { 2 }.to_be_bytes());
        head[8..HEADER_LEN].copy_from_slice(&u32::try_from(count).ok()?.to_be_bytes());
        for (signature, range) in &self.extensions {
            let mut body = Cow::from(&self.bytes[range.clone()]);
            if *signature == b"TREE" {
                // A broken cache is dropped; git works without it.
                let Some(trees) = invalidate_trees(&body, changes, self.hash) else {
                    continue;
                };
                body = trees.into();
            }
            pieces.push(signature.as_slice().into());
            pieces.push(u32::try_from(body.len()).ok()?.to_be_bytes().to_vec().into());
            pieces.push(body);
        }
        pieces.insert(0, head.into());
        Some(Changed { pieces, format: self.format })
    }
}

/// A new index, most of which borrows from the old one.
pub(super) struct Changed<'a> {
    pieces: Vec<Cow<'a, [u8]>>,
    format: ObjectFormat,
}

impl Changed<'_> {
    /// Writes the index with its checksum. For a large index, a thread computes the checksum meanwhile, because that
    /// takes as long as writing.
    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let sum = || Checksum::of(self.format, self.pieces.iter().map(|piece| &piece[..]));
        let is_large = self.pieces.iter().map(|piece| piece.len()).sum::<usize>() >= LARGE;
        let sum = thread::scope(|scope| {
            let other = if is_large { thread::Builder::new().spawn_scoped(scope, sum).ok() } else { None };
            self.pieces.iter().try_for_each(|piece| to.write_all(piece))?;
            Ok::<_, io::Error>(other.and_then(|other| other.join().ok()).unwrap_or_else(sum))
        })?;
        to.write_all(&sum)
    }
}

fn is_sound(bytes: &[u8], format: ObjectFormat) -> bool {
    let (content, sum) = bytes.split_at(bytes.len().saturating_sub(id_len(format)));
    sum.iter().all(|&byte| byte == 0) || Checksum::of(format, [content]) == sum
}

pub(super) struct Extent {
    pub(super) name: Range<usize>,
    pub(super) end: usize,
    /// Not 0 if the entry is one side of a conflict.
    pub(super) stage: usize,
}

/// The extent of the entry at an offset; `None` if it is cut off. `hash` is the length of an object id.
pub(super) fn extent(bytes: &[u8], at: usize, hash: usize) -> Option<Extent> {
    let flags = number(bytes.get(at + hash + 40..at + hash + 42)?);
    let name = at + hash + if flags & usize::from(EXTENDED) != 0 { 44 } else { 42 };
    let length = match flags & NAME_LENGTH {
        NAME_LENGTH => memchr::memchr(0, bytes.get(name..)?)?,
        length => length,
    };
    let end = at + padded(name + length - at);
    let is_whole = bytes.get(name + length) == Some(&0) && end <= bytes.len();
    is_whole.then_some(Extent { name: name..name + length, end, stage: flags & usize::from(STAGE) })
}

/// Parses the entry at an offset.
fn item(bytes: &[u8], at: usize, hash: usize) -> Option<Item> {
    let Extent { name, .. } = extent(bytes, at, hash)?;
    let (id, flags) = (&bytes[at + 40..at + 40 + hash], &bytes[at + 40 + hash..name.start]);
    Some(Item {
        numbers: std::array::from_fn(|n| number(&bytes[at + 4 * n..at + 4 * n + 4]) as u32),
        id: Oid::from_bytes(id).ok()?,
        flags: number(&flags[..2]) as u16,
        extended: number(&flags[2..]) as u16,
        path: bytes[name].to_vec(),
    })
}

/// The length of an entry with its padding of one to eight zeros.
fn padded(len: usize) -> usize {
    (len + 8) & !7
}

fn serialize(item: &Item) -> Vec<u8> {
    let mut out = Vec::with_capacity(100 + item.path.len());
    item.numbers.iter().for_each(|field| out.extend_from_slice(&field.to_be_bytes()));
    out.extend_from_slice(item.id.as_bytes());
    let flags = item.flags & !(NAME_LENGTH as u16) | item.path.len().min(NAME_LENGTH) as u16;
    out.extend_from_slice(&flags.to_be_bytes());
    if flags & EXTENDED != 0 {
        out.extend_from_slice(&item.extended.to_be_bytes());
    }
    out.extend_from_slice(&item.path);
    out.resize(padded(out.len()), 0);
    out
}

/// Invalidates the cached trees that contain one of the paths: their number of entries becomes -1, and the id is left
/// out. `None` if a path is the name of a cached tree, or the cache is broken.
fn invalidate_trees<T>(trees: &[u8], paths: &BTreeMap<&[u8], T>, hash: usize) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(trees.len());
    let mut rest = trees;
    // The trees whose subtrees are not all read: path with a slash, and how many subtrees are left.
    let mut open: Vec<(Vec<u8>, usize)> = Vec::new();
    while !rest.is_empty() {
        let end = memchr::memchr(0, rest)?;
        let line = end + 1 + memchr::memchr(b'\n', &rest[end + 1..])?;
        let (name, numbers) = (&rest[..end], std::str::from_utf8(&rest[end + 1..line]).ok()?);
        let (entries, below) = numbers.split_once(' ')?;
        let below: usize = below.parse().ok()?;
        let is_valid = entries.parse::<i64>().ok()? >= 0;
        let next = line + 1 + if is_valid { hash } else { 0 };
        let path = open.last().map_or(Vec::new(), |(above, _)| [above, name, b"/"].concat());
        if paths.contains_key(path.strip_suffix(b"/").unwrap_or(&path)) {
            return None;
        }
        let is_stale = paths.range(&path[..]..).next().is_some_and(|(inside, _)| inside.starts_with(&path));
        if is_valid && (path.is_empty() || is_stale) {
            out.extend_from_slice(name);
            out.extend_from_slice(format!("\0-1 {below}\n").as_bytes());
        } else {
            out.extend_from_slice(rest.get(..next)?);
        }
        rest = rest.get(next..)?;
        if let Some((_, left)) = open.last_mut() {
            *left = left.checked_sub(1)?;
        }
        open.push((path, below));
        open.truncate(open.iter().rposition(|(_, left)| *left > 0).map_or(0, |last| last + 1));
        if open.is_empty() && !rest.is_empty() {
            return None;
        }
    }
    open.is_empty().then_some(out)
}

#[cfg(test)]
mod tests {
    use super::super::partial::Partial;
    use super::*;
    use proptest::prelude::*;

    fn item_of(path: &str, size: u32, skipped: bool, format: ObjectFormat) -> Item {
        Item {
            numbers: [1, 2, size, 4, 5, 6, 0o100644, 7, 8, size],
            id: Oid::hash_object_ext(git2::ObjectType::Blob, path.as_bytes(), format).expect("a name"),
            flags: if skipped { EXTENDED } else { 0 },
            extended: if skipped { 1 << 14 } else { 0 },
            path: path.as_bytes().to_vec(),
        }
    }

    proptest! {
        #[test]
        fn changed_entries_are_found_and_all_others_stay(
            first in prop::collection::btree_map("[a-c/]{1,12}", (0u32..9, any::<bool>()), 0..20),
            then in prop::collection::btree_map("[a-c/]{1,12}", prop::option::of((0u32..9, any::<bool>())), 0..20),
            long in 4080usize..4110,
            sha256 in any::<bool>(),
        ) {
            let format = if sha256 { ObjectFormat::Sha256 } else { ObjectFormat::Sha1 };
            let mut wanted = first;
            wanted.insert("n".repeat(long), (1, false));
            let made = |all: &BTreeMap<String, (u32, bool)>| -> Vec<Item> {
                all.iter().map(|(path, (size, skipped))| item_of(path, *size, *skipped, format)).collect()
            };
            let all = made(&wanted);
            let changes = all.iter().map(|entry| (&entry.path[..], Some(entry))).collect();
            let bytes = |changed: Changed<'_>| {
                let mut bytes = Vec::new();
                changed.write(&mut bytes).expect("written");
                bytes
            };
            let index = Raw::read(bytes(Raw::read(empty(format), format).expect("an index").with(&changes).expect("few")), format).expect("an index");
            let added = made(&then.iter().filter_map(|(path, to)| Some((path.clone(), (*to)?))).collect());
            let mut changes: BTreeMap<&[u8], Option<&Item>> =
                then.keys().map(|path| (path.as_bytes(), None)).collect();
            changes.extend(added.iter().map(|entry| (&entry.path[..], Some(entry))));
            let bytes = bytes(index.with(&changes).expect("few"));
            let mut file = tempfile::tempfile().expect("a file");
            std::io::Write::write_all(&mut file, &bytes).expect("written");
            let index = Raw::read(bytes, format).expect("an index");
            prop_assert!(index.is_sound());
            // Half of the paths are read in the first pass, the others are looked up later.
            let partial = then.keys().step_by(2).map(|path| path.clone().into_bytes()).collect();
            let partial = Partial::read(file, format, partial).expect("an index");
            for path in then.keys().map(String::as_bytes) {
                let known = std::str::from_utf8(path).expect("a path");
                let [one, other] = [partial.look_up(known, |raw| raw.find(path)).expect("read"), index.find(path)];
                prop_assert_eq!(one, other);
                let prefix = [path, b"/"].concat();
                let below = |raw: &Raw| {
                    raw.from(&prefix).take_while(|one| one.starts_with(&prefix)).map(<[u8]>::to_vec).collect::<Vec<_>>()
                };
                prop_assert_eq!(partial.look_up(known, below).expect("read"), below(&index));
            }
            for (path, to) in then {
                match to {
                    Some(to) => drop(wanted.insert(path, to)),
                    None => drop(wanted.remove(&path)),
                }
            }
            prop_assert_eq!(index.len(), wanted.len());
            for (at, (path, (size, skipped))) in wanted.iter().enumerate() {
                prop_assert_eq!(index.position(path.as_bytes()), at);
                let found = index.find(path.as_bytes()).expect("there");
                prop_assert_eq!((found.numbers[9], found.extended != 0), (*size, *skipped));
                prop_assert_eq!(found.id, item_of(path, 0, false, format).id);
            }
        }

        #[test]
        fn broken_bytes_do_not_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..400), at in 0usize..60) {
            let _ = Raw::read(bytes.clone(), ObjectFormat::Sha1);
            let head = b"DIRC\0\0\0\x02\0\0\0\x02";
            bytes.splice(..0, head.iter().copied());
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1;
            }
            if let Some(raw) = Raw::read(bytes, ObjectFormat::Sha1) {
                prop_assert!((0..raw.len()).all(|at| raw.get(at).is_some()));
            }
        }
    }

    /// An index with one side of a conflict in `a`, and an entry of another path.
    fn index(version: u8, path: &str, extensions: &[(&[u8; 4], usize)]) -> Option<Raw> {
        let mut bytes = [b"DIRC", &[0, 0, 0, version], &[0, 0, 0, 2][..]].concat();
        for (stage, path) in [(1_u16, "a"), (0, path)] {
            let start = bytes.len();
            bytes.extend([1; 60]);
            bytes.extend((stage << 12 | path.len().min(NAME_LENGTH) as u16).to_be_bytes());
            bytes.extend_from_slice(path.as_bytes());
            bytes.resize(start + padded(bytes.len() - start), 0);
        }
        for (name, size) in extensions {
            bytes.extend_from_slice(*name);
            bytes.extend_from_slice(&(*size as u32).to_be_bytes());
            bytes.extend(std::iter::repeat_n(b'x', *size));
        }
        let sum = Checksum::of(ObjectFormat::Sha1, [&bytes[..]]);
        Raw::read([bytes, sum].concat(), ObjectFormat::Sha1)
    }

    #[test]
    fn extensions_are_found_after_the_entries() {
        let long = "long/".repeat(1000);
        for version in [2, 3] {
            for path in ["aa", "ab/c", "b", "c\u{8}link/sdir", "seven77", "eight888", &long] {
                let raw = index(version, path, &[(b"TREE", 9), (b"EOIE", 2)]).expect("an index");
                assert!(!raw.is_by_git && raw.is_sound(), "{version} {path}");
                let stages =
                    [b"a", path.as_bytes()].map(|path| raw.find(path).map(|entry| entry.flags & STAGE));
                assert_eq!(stages, [Some(0x1000), Some(0)], "{version} {path}");
                let is_for_git = |extensions| {
                    let raw = index(version, path, extensions).expect("an index");
                    (raw.is_by_git, raw.is_partial)
                };
                assert_eq!(is_for_git(&[(b"link", 30), (b"TREE", 0), (b"UNTR", 5)]), (true, true), "{path}");
                assert_eq!(is_for_git(&[(b"sdir", 0)]), (true, true));
                assert_eq!(is_for_git(&[(b"FSMN", 1)]), (true, false));
                assert!(index(version, path, &[(b"else", 1)]).is_none(), "nobody may pass over that");
            }
            assert!(index(version, "", &[]).is_none() && index(version, "A", &[]).is_none());
            assert!(index(version, "", &[(b"link", 1)]).is_some_and(|raw| raw.is_partial));
        }
    }

    #[test]
    fn cached_trees_with_changed_paths_are_invalidated() {
        let id = [7; 20];
        let tree = |name: &str, entries: &str, below: usize| {
            let mut bytes = format!("{name}\0{entries} {below}\n").into_bytes();
            bytes.extend(if entries == "-1" { &[][..] } else { &id });
            bytes
        };
        let all = [tree("", "9", 2), tree("a", "4", 1), tree("b", "2", 0), tree("c", "3", 0)].concat();
        let invalidated = |trees: &[u8], paths: &[&str]| {
            invalidate_trees(trees, &paths.iter().map(|path| (path.as_bytes(), ())).collect(), 20)
        };
        let after = |paths: &[&str]| invalidated(&all, paths);
        let with_c = [tree("", "-1", 2), tree("a", "4", 1), tree("b", "2", 0), tree("c", "-1", 0)].concat();
        assert_eq!(after(&["c/x"]), Some(with_c));
        let with_b = [tree("", "-1", 2), tree("a", "-1", 1), tree("b", "-1", 0), tree("c", "3", 0)].concat();
        assert_eq!(after(&["a/b/x"]), Some(with_b.clone()));
        assert_eq!(invalidated(&with_b, &["a/b/y"]), Some(with_b));
        assert_eq!(after(&["a/b"]), None);
        for end in 0..all.len() {
            assert_eq!(invalidated(&all[..end], &["x"]).filter(|_| end > 0), None, "{end}");
        }
    }
}
