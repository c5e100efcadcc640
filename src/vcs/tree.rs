//! A commit's tree: read for the planner, and written with changes.

mod converted;
mod object;

use super::attributes::{Conversion, Reach};
use super::packer::Text;
use super::{Error, Oid, Result};
use crate::path::RepoPath;
use crate::plan::{Body, FileChange, FileState, Node, TreeError, TreeView};
pub(super) use object::Named;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The size limit of an edited file, in bytes. Searching its lines takes many times as much memory: 17 GB for a file of
/// 300 MB with two bytes a line.
pub const MAX_EDITED_FILE: u64 = 64 << 20;

/// A tree entry: mode and object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Entry {
    /// `FILE`, `EXECUTABLE`, `LINK` or `SUBMODULE`.
    pub mode: u32,
    /// The id of a blob or of a submodule's commit.
    pub id: Oid,
}

impl Entry {
    /// The kind of entry.
    pub fn node(self) -> Node {
        node(self.mode)
    }

    /// Returns whether it is a file, and not a link or submodule.
    pub fn is_file(self) -> bool {
        matches!(self.node(), Node::File { .. })
    }
}

/// Changes to a tree by path; `None` removes the path.
pub type Changes = BTreeMap<RepoPath, Option<Entry>>;

/// A tree to resolve edits against; the empty tree on an unborn branch.
pub struct BaseTree<'r> {
    repo: &'r super::repo::Repo,
    tree: Option<git2::Tree<'r>>,
    /// Whether the checkout's attributes apply.
    checked_out: bool,
    /// Whether the result will be written.
    lands: bool,
    /// The conversions that were looked up.
    conversions: RefCell<HashMap<String, Option<Conversion>>>,
    /// The files whose filters were checked to restore the stored content.
    filtered: RefCell<BTreeSet<RepoPath>>,
    /// What settings and the attribute files of the whole repository may change.
    shared_reach: OnceCell<Reach>,
    /// What each attribute file of the tree may change.
    reaches: RefCell<BTreeMap<String, Reach>>,
    /// Whether an attribute file is missing in the checkout.
    needs_index: Cell<bool>,
}

pub(super) const DIRECTORY: u32 = 0o040000;

/// The mode of a file.
pub const FILE: u32 = 0o100644;

/// The mode of an executable file.
pub const EXECUTABLE: u32 = 0o100755;

/// The mode of a symbolic link.
pub const LINK: u32 = 0o120000;

/// The mode of a submodule.
pub const SUBMODULE: u32 = 0o160000;

pub(super) fn node(mode: u32) -> Node {
    match mode {
        DIRECTORY => Node::Directory,
        LINK => Node::Symlink,
        SUBMODULE => Node::Submodule,
        mode => Node::File { executable: mode & 0o100 != 0 },
    }
}

/// The mode of a file, link or submodule. Callers have no directory: a [`FileState`] is never one.
pub fn mode_of(node: Node) -> u32 {
    match node {
        Node::File { executable: true } => EXECUTABLE,
        Node::File { executable: false } | Node::Directory => FILE,
        Node::Symlink => LINK,
        Node::Submodule => SUBMODULE,
    }
}

impl super::repo::Repo {
    /// The tree of a commit; the empty tree for `None`.
    ///
    /// # Errors
    /// The object store fails.
    pub fn tree(&self, commit: Option<Oid>) -> Result<BaseTree<'_>> {
        let tree = match commit {
            Some(id) => Some(self.find_tree(self.tree_of(id)?)?),
            None => None,
        };
        Ok(BaseTree {
            repo: self,
            tree,
            checked_out: self.workdir().is_some(),
            lands: false,
            conversions: RefCell::default(),
            filtered: RefCell::default(),
            shared_reach: OnceCell::new(),
            reaches: RefCell::default(),
            needs_index: Cell::new(false),
        })
    }

    /// Writes a tree: `base` with the changes. Empty directories are left out. A file may replace a directory that
    /// becomes empty, or a directory a file that is removed.
    ///
    /// # Errors
    /// The object store fails, or a file and a directory would have the same name.
    pub fn write_tree(&self, base: Option<Oid>, changes: &Changes) -> Result<Oid> {
        let root = base.map(|id| self.tree_object(id)).transpose()?;
        let named: Vec<Oid> =
            changes.values().flatten().filter(|e| e.node() != Node::Submodule).map(|e| e.id).collect();
        // A partial clone may lack the blobs of renamed files.
        self.fetch(&named)?;
        for id in named {
            if !self.has(id)? {
                let missing = git2::Error::from_str("it is missing");
                return Err(Error::git(format!("write the tree, which names {id}"), missing));
            }
        }
        // Directories with their changed entries. The deepest come first, because each adds its new id to its parent.
        let mut directories: BTreeMap<(std::cmp::Reverse<usize>, String), Named> = BTreeMap::new();
        let place = |directory: &str| {
            let depth = if directory.is_empty() { 0 } else { directory.split('/').count() };
            (std::cmp::Reverse(depth), directory.to_owned())
        };
        let split = |path: &str| match path.rsplit_once('/') {
            Some((directory, name)) => (directory.to_owned(), name.as_bytes().to_vec()),
            None => (String::new(), path.as_bytes().to_vec()),
        };
        for (path, entry) in changes {
            let (directory, name) = split(path.as_str());
            directories.entry(place(&directory)).or_default().insert(name, *entry);
        }
        directories.entry(place("")).or_default();
        while let Some(((_, directory), named)) = directories.pop_first() {
            let before = match &root {
                Some(root) => self.directory_in(root, &directory)?,
                None => None,
            };
            let tree = before.unwrap_or_default().with(&named);
            let put = || {
                let names = named.values().flatten().map(|entry| entry.id);
                self.put_referring(git2::ObjectType::Tree, tree.bytes(), names)
            };
            if directory.is_empty() {
                return put();
            }
            let (parent, name) = split(&directory);
            let slot = directories.entry(place(&parent)).or_default();
            if tree.bytes().is_empty() {
                slot.entry(name).or_insert(None);
            } else {
                let id = put()?;
                if let Some(Some(_)) = slot.insert(name, Some(Entry { mode: DIRECTORY, id })) {
                    let both = git2::Error::from_str("a file and a directory would have the same name");
                    return Err(Error::git(format!("write the tree '{directory}'"), both));
                }
            }
        }
        Err(Error::git("write the tree", git2::Error::from_str("it has no root")))
    }

    /// Writes a tree again, with these entries of its top directory added, replaced or removed. `None` is the empty
    /// tree.
    pub(super) fn put_with(&self, tree: Option<Oid>, named: &Named) -> Result<Oid> {
        let tree = tree.map(|id| self.tree_object(id)).transpose()?.unwrap_or_default().with(named);
        let names = named.values().flatten().map(|entry| entry.id);
        self.put_referring(git2::ObjectType::Tree, tree.bytes(), names)
    }
}

impl BaseTree<'_> {
    /// The tree's id; `None` for the empty tree of an unborn branch.
    pub fn id(&self) -> Option<Oid> {
        self.tree.as_ref().map(git2::Tree::id)
    }

    /// Sets whether the result will be written if all edits resolve.
    #[must_use]
    pub fn for_landing(self, lands: bool) -> Self {
        Self { lands, ..self }
    }

    /// The entry at a path, unless it is a directory.
    ///
    /// # Errors
    /// The object store fails.
    pub fn stored(&self, path: &RepoPath) -> Result<Option<Entry>> {
        Ok(self.lookup(path)?.filter(|entry| entry.mode != DIRECTORY))
    }

    /// Writes the content of a path's planned state, and returns its entry.
    ///
    /// # Errors
    /// The content cannot be written, or the base has no such path.
    pub fn store(&self, path: &RepoPath, state: &FileState) -> Result<Entry> {
        let id = match &state.body {
            // A submodule's commit is not in this repository.
            Body::Object(name) if state.node == Node::Submodule => self.repo.id(name)?,
            Body::Object(name) => self.repo.rely(self.repo.id(name)?),
            Body::Stored(bytes) => self.repo.put_text(&Text::Bytes(Arc::clone(bytes)))?,
            Body::Bytes(bytes) => self.store_text(path, &Text::Bytes(Arc::clone(bytes)))?,
            Body::Text(content) => self.store_text(path, &Text::Content(content.clone()))?,
            Body::Base(path) => match self.stored(path)? {
                Some(entry) => entry.id,
                None => {
                    let missing = git2::Error::from_str("it is not there");
                    return Err(Error::git(format!("read {path} from the base tree"), missing));
                }
            },
        };
        Ok(Entry { mode: mode_of(state.node), id })
    }

    /// Writes the content of all changes, and returns their entries; of several changes to a path, the last one counts.
    ///
    /// # Errors
    /// As [`BaseTree::store`].
    pub fn store_all<'c>(&self, changes: impl IntoIterator<Item = &'c FileChange>) -> Result<Changes> {
        let entry = |FileChange { path, after, .. }: &FileChange| {
            Ok((path.clone(), after.as_ref().map(|state| self.store(path, state)).transpose()?))
        };
        changes.into_iter().map(entry).collect()
    }

    fn lookup(&self, path: &RepoPath) -> Result<Option<Entry>> {
        let Some(tree) = &self.tree else { return Ok(None) };
        self.repo.find_in(tree, path.as_str().as_bytes())
    }
}

impl TreeView for BaseTree<'_> {
    fn entry(&self, path: &RepoPath) -> std::result::Result<Option<Node>, TreeError> {
        Ok(self.lookup(path).map_err(|e| failed(path, e))?.map(Entry::node))
    }

    fn read(&self, path: &RepoPath) -> std::result::Result<Arc<[u8]>, TreeError> {
        let found = self.lookup(path).map_err(|e| failed(path, e))?;
        let missing = || Error::git("read it", git2::Error::from_str("it is not there"));
        let entry = found.ok_or_else(missing).map_err(|e| failed(path, e))?;
        let content = match entry.is_file() {
            true => self.text_of(path, entry.id),
            false => self.repo.blob(entry.id),
        };
        Ok(content.map_err(|e| failed(path, e))?.into())
    }

    fn blob(
        &self,
        id: &str,
        path: &RepoPath,
        limit: u64,
    ) -> std::result::Result<Option<Arc<[u8]>>, TreeError> {
        let found = self.repo.blob_named(id, limit).map_err(|e| failed(path, e))?;
        let text = found.map(|id| self.text_of(path, id)).transpose();
        Ok(text.map_err(|e| failed(path, e))?.map(Into::into))
    }

    fn object(&self, name: &str) -> std::result::Result<Arc<[u8]>, TreeError> {
        let read = || self.repo.blob(self.repo.id(name)?);
        let failed = |e| TreeError { path: name.to_owned(), source: Box::new(e) };
        Ok(read().map_err(failed)?.into())
    }

    fn list(&self, directory: Option<&RepoPath>) -> std::result::Result<Vec<(Vec<u8>, Node)>, TreeError> {
        let Some(root) = &self.tree else { return Ok(Vec::new()) };
        let names = |tree: &git2::Tree<'_>| {
            tree.iter().map(|entry| (entry.name_bytes().to_vec(), node(entry.filemode() as u32))).collect()
        };
        let Some(directory) = directory else { return Ok(names(root)) };
        match self.lookup(directory).map_err(|e| failed(directory, e))? {
            Some(Entry { mode: DIRECTORY, id }) => {
                Ok(names(&self.repo.find_tree(id).map_err(|e| failed(directory, e))?))
            }
            _ => Ok(Vec::new()),
        }
    }

    fn expect(&self, path: &RepoPath, body: &Body) {
        let text = match body {
            _ if !self.lands => return,
            Body::Stored(bytes) => Text::Bytes(Arc::clone(bytes)),
            // A converted text is not the blob.
            _ if !self.stores_text(path) => return,
            Body::Bytes(bytes) => Text::Bytes(Arc::clone(bytes)),
            Body::Text(content) => Text::Content(content.clone()),
            Body::Base(_) | Body::Object(_) => return,
        };
        self.repo.precompress(text);
    }

    fn with_name(&self, name: &str, limit: usize) -> Vec<RepoPath> {
        let mut found = Vec::new();
        let Some(tree) = &self.tree else { return found };
        // The result is only a hint, so an error just ends the search.
        let _ = tree.walk(git2::TreeWalkMode::PreOrder, |directory, entry| {
            if entry.name_bytes() == name.as_bytes()
                && entry.filemode() as u32 != DIRECTORY
                && let Ok(path) = RepoPath::parse(&format!("{directory}{name}"))
            {
                found.push(path);
            }
            if found.len() >= limit { git2::TreeWalkResult::Abort } else { git2::TreeWalkResult::Ok }
        });
        found
    }
}

fn failed(path: &RepoPath, source: Error) -> TreeError {
    TreeError { path: path.to_string(), source: Box::new(source) }
}
