//! Tree objects (gitformat-pack(5), gitdatamodel(7)), read and changed as bytes. Libgit2's tree builder would look up
//! each entry in the object store, which is most of its cost.

use super::{DIRECTORY, Entry};
use crate::vcs::repo::Repo;
use crate::vcs::{Error, Oid, Result};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Entries by name; `None` removes the name.
pub(crate) type Named = BTreeMap<Vec<u8>, Option<Entry>>;

#[derive(Clone, Default)]
pub(super) struct Tree {
    bytes: Arc<[u8]>,
    /// The length of an object id in bytes.
    width: usize,
}

/// One entry of a tree, and all of its bytes.
struct Raw<'t> {
    mode: u32,
    name: &'t [u8],
    id: &'t [u8],
    all: &'t [u8],
}

impl Tree {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Parses the entries, `<mode in octal digits> <name>\0<id>`. Stops at the first that is malformed.
    fn entries(&self) -> impl Iterator<Item = Raw<'_>> {
        let mut rest = &self.bytes[..];
        std::iter::from_fn(move || {
            let blank = memchr::memchr(b' ', rest)?;
            let end = blank + 1 + memchr::memchr(0, &rest[blank + 1..])?;
            let id = rest.get(end + 1..end + 1 + self.width)?;
            let mode = u32::from_str_radix(std::str::from_utf8(&rest[..blank]).ok()?, 8).ok()?;
            let (all, behind) = rest.split_at(end + 1 + self.width);
            let raw = Raw { mode, name: &rest[blank + 1..end], id, all };
            rest = behind;
            Some(raw)
        })
    }

    /// Returns whether all of it can be parsed.
    fn is_whole(&self) -> bool {
        self.entries().map(|entry| entry.all.len()).sum::<usize>() == self.bytes.len()
    }

    /// Returns the tree with these entries added, replaced or removed. All others stay byte for byte.
    pub(super) fn with(&self, named: &Named) -> Self {
        let mut added: Vec<(&[u8], Entry)> =
            named.iter().filter_map(|(name, entry)| Some((&name[..], (*entry)?))).collect();
        added.sort_by(|(a, one), (b, other)| order((a, one.mode), (b, other.mode)));
        let mut added = added.into_iter().peekable();
        let mut bytes = Vec::with_capacity(self.bytes.len() + 64 * added.len());
        let put = |bytes: &mut Vec<u8>, (name, entry): (&[u8], Entry)| {
            bytes.extend_from_slice(format!("{:o} ", entry.mode).as_bytes());
            bytes.extend_from_slice(name);
            bytes.push(0);
            bytes.extend_from_slice(entry.id.as_bytes());
        };
        for kept in self.entries().filter(|entry| !named.contains_key(entry.name)) {
            let is_before = |(name, entry): &(&[u8], Entry)| {
                order((name, entry.mode), (kept.name, kept.mode)) == Ordering::Less
            };
            while let Some(next) = added.next_if(is_before) {
                put(&mut bytes, next);
            }
            bytes.extend_from_slice(kept.all);
        }
        added.for_each(|next| put(&mut bytes, next));
        Self { bytes: bytes.into(), width: self.width }
    }
}

/// The order of names in a tree: a directory sorts as if its name ended in a slash.
fn order((a, mode): (&[u8], u32), (b, other): (&[u8], u32)) -> Ordering {
    let end = |mode: u32| (mode == DIRECTORY).then_some(&b'/');
    a.iter().chain(end(mode)).cmp(b.iter().chain(end(other)))
}

impl Repo {
    /// Reads a tree, new or not.
    pub(super) fn tree_object(&self, id: Oid) -> Result<Tree> {
        let failed = |what| Error::git(format!("read the tree {id}"), git2::Error::from_str(what));
        let (kind, bytes) = self.object(id)?;
        let tree = Tree { bytes, width: id.as_bytes().len() };
        match kind {
            git2::ObjectType::Tree if tree.is_whole() => Ok(tree),
            _ => Err(failed("it is none")),
        }
    }

    /// A directory of a tree; the empty path is the tree itself.
    pub(super) fn directory_in(&self, tree: &Tree, path: &str) -> Result<Option<Tree>> {
        let mut tree = tree.clone();
        for name in path.split('/').filter(|name| !name.is_empty()) {
            let found = tree.entries().find(|entry| entry.name == name.as_bytes());
            let Some(found) = found.filter(|entry| entry.mode == DIRECTORY) else { return Ok(None) };
            let id = Oid::from_bytes(found.id).map_err(|e| Error::git("read a tree", e))?;
            tree = self.tree_object(id)?;
        }
        Ok(Some(tree))
    }
}
