//! The base tree with the changes of the edits so far.

use super::{Body, FileState, Node, Rules, TreeError, TreeView};
use crate::path::RepoPath;
use crate::span::Span;
use crate::text::Content;
use crate::version::Version;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The limit for the bytes of all blobs that the index lines of a response name.
const MAX_BLOB_BYTES: u64 = 64 * 1024 * 1024;

/// The limit for the moves of one file that are followed.
const MAX_MOVES: usize = 100;

/// The tree before all edits, with a cache of what was read from it, and the rules for edits.
pub(super) struct Base<'t> {
    pub(super) tree: &'t dyn TreeView,
    pub(super) rules: &'t Rules,
    /// The texts of files that were read.
    texts: RefCell<HashMap<RepoPath, Content>>,
    /// The texts of blobs that were read, by id and path, and how many more bytes of blobs may be read.
    blobs: RefCell<HashMap<(String, RepoPath), Option<Content>>>,
    blob_bytes: Cell<u64>,
    /// The entries that were read.
    entries: RefCell<HashMap<RepoPath, Option<Node>>>,
    /// The names in directories that were read.
    listings: RefCell<HashMap<Option<RepoPath>, Listing>>,
}

impl<'t> Base<'t> {
    pub(super) fn new(tree: &'t dyn TreeView, rules: &'t Rules) -> Self {
        Self {
            tree,
            rules,
            texts: RefCell::default(),
            blobs: RefCell::default(),
            blob_bytes: Cell::new(MAX_BLOB_BYTES),
            entries: RefCell::default(),
            listings: RefCell::default(),
        }
    }

    /// The same tree with another text of a file.
    pub(super) fn with_text(&self, path: &RepoPath, text: Content) -> Self {
        let base = Self::new(self.tree, self.rules);
        base.texts.borrow_mut().insert(path.clone(), text);
        base
    }

    /// The node at a path.
    pub(super) fn node(&self, path: &RepoPath) -> Result<Option<Node>, TreeError> {
        if let Some(entry) = self.entries.borrow().get(path) {
            return Ok(*entry);
        }
        let entry = self.tree.entry(path)?;
        self.entries.borrow_mut().insert(path.clone(), entry);
        Ok(entry)
    }

    fn text(&self, path: &RepoPath) -> Result<Content, TreeError> {
        if let Some(content) = self.texts.borrow().get(path) {
            return Ok(content.clone());
        }
        let content = self.tree.text(path)?;
        self.texts.borrow_mut().insert(path.clone(), content.clone());
        Ok(content)
    }

    /// Returns the text of a blob, as the file at the path would have it; `None` if it is not available, binary or too
    /// long.
    pub(super) fn blob_text(&self, id: &str, path: &RepoPath) -> Result<Option<Content>, TreeError> {
        let key = (id.to_owned(), path.clone());
        if let Some(known) = self.blobs.borrow().get(&key) {
            return Ok(known.clone());
        }
        let left = self.blob_bytes.get();
        let text = self.tree.blob(id, path, left)?.map(|bytes| Content::new(&bytes));
        let text = text.filter(|text| !text.is_binary());
        self.blob_bytes.set(left.saturating_sub(text.as_ref().map_or(0, |text| text.len() as u64)));
        self.blobs.borrow_mut().insert(key, text.clone());
        Ok(text)
    }

    /// Returns the paths in a directory whose names are equal to this one except for case.
    fn twins(&self, parent: Option<&RepoPath>, name: &str) -> Result<Vec<RepoPath>, TreeError> {
        let fold = |name: &str| RepoPath::parse(name).map(|path| path.case_folded()).ok();
        let key = parent.cloned();
        if !self.listings.borrow().contains_key(&key) {
            let mut names = Listing::new();
            for (name, _) in self.tree.list(parent)? {
                if let Ok(name) = String::from_utf8(name)
                    && let Some(folded) = fold(&name)
                {
                    names.entry(folded).or_default().push(name);
                }
            }
            self.listings.borrow_mut().insert(key.clone(), names);
        }
        let listings = self.listings.borrow();
        let names = listings.get(&key).zip(fold(name)).and_then(|(names, folded)| names.get(&folded));
        let path = |name: &String| RepoPath::within(parent, name);
        Ok(names.into_iter().flatten().filter_map(path).collect())
    }
}

/// The changes of the edits so far, on top of the base.
pub(super) struct Overlay<'t> {
    pub(super) base: &'t Base<'t>,
    /// The paths that edits wrote or deleted.
    changed: BTreeMap<String, ChangedPath>,
    /// How many bytes git has to write for the edits.
    pub(super) written: u64,
    /// The new path of each file or directory that an edit moved, by its old path.
    moved: HashMap<RepoPath, RepoPath>,
    /// The diff of the current edit, and the earlier states of the files that this diff has changed.
    diff: Option<Diff>,
    before_diff: HashMap<RepoPath, Option<FileState>>,
    /// Written paths and their directories, by case-folded path.
    folded: HashMap<String, HashSet<RepoPath>>,
}

/// A diff: its region and its mail.
pub(super) type Diff = (u32, Option<Span>);

/// The names in a directory, by case-folded name.
type Listing = HashMap<String, Vec<String>>;

/// A path that an edit wrote or deleted.
struct ChangedPath {
    path: RepoPath,
    /// Its state; `None` if it was deleted.
    state: Option<FileState>,
    /// Its text, and which of its lines come from the base, if an edit has read it.
    version: Option<Version>,
}

impl<'t> Overlay<'t> {
    pub(super) fn new(base: &'t Base<'t>) -> Self {
        Self {
            base,
            changed: BTreeMap::new(),
            written: 0,
            moved: HashMap::new(),
            diff: None,
            before_diff: HashMap::new(),
            folded: HashMap::new(),
        }
    }

    /// The node at a path.
    pub(super) fn node(&self, path: &RepoPath) -> Result<Option<Node>, TreeError> {
        match self.changed.get(path.as_str()) {
            Some(ChangedPath { state: Some(state), .. }) => return Ok(Some(state.node)),
            _ if self.written_below(path).next().is_some() => return Ok(Some(Node::Directory)),
            Some(_) => return Ok(None),
            None => {}
        }
        match self.base.node(path)? {
            // git has no empty directories.
            Some(Node::Directory) if self.below(path).next().is_some() => {
                let mut survives = false;
                self.walk_base(path, |_| {
                    survives = true;
                    false
                })?;
                Ok(survives.then_some(Node::Directory))
            }
            entry => Ok(entry),
        }
    }

    /// The file, link or submodule at a path.
    pub(super) fn file(&self, path: &RepoPath) -> Result<Option<FileState>, TreeError> {
        if let Some(entry) = self.changed.get(path.as_str()) {
            return Ok(entry.state.clone());
        }
        let leaf = self.base.node(path)?.filter(|node| *node != Node::Directory);
        Ok(leaf.map(|node| FileState { node, body: Body::Base(path.clone()) }))
    }

    /// The outermost parent directory of a path that is a file, link or submodule instead.
    pub(super) fn obstacle(&self, path: &RepoPath) -> Result<Option<(RepoPath, Node)>, TreeError> {
        let mut ancestors: Vec<RepoPath> = std::iter::successors(path.parent(), RepoPath::parent).collect();
        ancestors.reverse();
        for ancestor in ancestors {
            if let Some(state) = self.file(&ancestor)? {
                return Ok(Some((ancestor, state.node)));
            }
        }
        Ok(None)
    }

    /// The text of a body.
    pub(super) fn text(&self, body: &Body) -> Result<Content, TreeError> {
        match body {
            Body::Text(content) => Ok(content.clone()),
            Body::Bytes(bytes) | Body::Stored(bytes) => Ok(Content::new(bytes)),
            Body::Object(name) => Ok(Content::new(&self.base.tree.object(name)?)),
            Body::Base(path) => self.base.text(path),
        }
    }

    /// Whether two bodies hold the same bytes.
    pub(super) fn same(&self, left: &Body, right: &Body) -> Result<bool, TreeError> {
        Ok(left == right || self.text(left)? == self.text(right)?)
    }

    /// Returns the text of the file at a path, and which of its lines come from the base.
    pub(super) fn version(&self, path: &RepoPath, body: &Body) -> Result<Version, TreeError> {
        match (self.changed.get(path.as_str()), body) {
            (Some(ChangedPath { version: Some(version), .. }), _) => Ok(version.clone()),
            (_, Body::Base(_)) => Ok(Version::of_base(self.text(body)?)),
            _ => Ok(Version::of_new(self.text(body)?)),
        }
    }

    /// As [`Overlay::version`], but only if an earlier edit has read the file.
    pub(super) fn known_version(&self, path: &RepoPath) -> Option<Version> {
        self.changed.get(path.as_str())?.version.clone()
    }

    /// Returns the path to which earlier edits moved the file of a path, if nothing is at the old path now.
    pub(super) fn moved_to(&self, path: &RepoPath) -> Result<Option<RepoPath>, TreeError> {
        let mut now = path.clone();
        // A chain of moves is at most as long as the number of moves. In a circle of moves, every path has a file.
        for _ in 0..=self.moved.len() {
            if self.node(&now)?.is_some() {
                return Ok((now != *path).then_some(now));
            }
            match self.moved.get(&now) {
                Some(next) => now = next.clone(),
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Returns the path to which all moves together, including those of directories, brought the file of a path. It
    /// does not matter what is at the old path now.
    pub(super) fn end_of_moves(&self, path: &RepoPath) -> RepoPath {
        let mut now = path.clone();
        for _ in 0..self.moved.len().min(MAX_MOVES) {
            let next = now.prefixes().rev().find_map(|prefix| {
                let to = self.moved.get(&prefix)?;
                now.strip_prefix(&prefix).map_or(Some(to.clone()), |rest| to.join(rest.as_str()).ok())
            });
            match next {
                Some(next) => now = next,
                None => break,
            }
        }
        now
    }

    /// Sets the diff of the next edits.
    pub(super) fn begin_diff(&mut self, diff: Option<Diff>) {
        if self.diff != diff {
            self.diff = diff;
            self.before_diff.clear();
        }
    }

    /// The file at a path before the diff of the current edit, if that diff has changed it.
    pub(super) fn before_diff(&self, path: &RepoPath) -> Option<&FileState> {
        self.before_diff.get(path)?.as_ref()
    }

    /// Writes or deletes the file at a path. `version` is its text, if that is known.
    pub(super) fn set(&mut self, path: &RepoPath, state: Option<FileState>, version: Option<Version>) {
        if self.diff.is_some() && !self.before_diff.contains_key(path) {
            let before = match self.changed.get(path.as_str()) {
                Some(entry) => entry.state.clone(),
                None => self.file(path).ok().flatten(),
            };
            self.before_diff.insert(path.clone(), before);
        }
        if state.is_some() {
            for prefix in path.prefixes() {
                self.folded.entry(prefix.case_folded()).or_default().insert(prefix);
            }
        }
        self.changed.insert(path.as_str().to_owned(), ChangedPath { path: path.clone(), state, version });
    }

    /// Returns whether a path is in the base and no edit has changed it.
    pub(super) fn is_as_in_base(&self, path: &RepoPath) -> Result<bool, TreeError> {
        Ok(!self.changed.contains_key(path.as_str()) && self.base.node(path)?.is_some())
    }

    /// Reverts all changes of a path.
    pub(super) fn revert(&mut self, path: &RepoPath) {
        self.changed.remove(path.as_str());
    }

    /// Records a move.
    pub(super) fn record_move(&mut self, from: &RepoPath, to: &RepoPath) {
        self.moved.remove(to);
        self.moved.insert(from.clone(), to.clone());
    }

    /// Calls `ask` with the tree as it would be without the file at a path.
    pub(super) fn without<T>(&mut self, path: &RepoPath, ask: impl FnOnce(&Self) -> T) -> T {
        let removed = ChangedPath { path: path.clone(), state: None, version: None };
        let before = self.changed.insert(path.as_str().to_owned(), removed);
        let answer = ask(self);
        match before {
            Some(entry) => self.changed.insert(path.as_str().to_owned(), entry),
            None => self.changed.remove(path.as_str()),
        };
        answer
    }

    /// Returns the existing path that differs only in case from a missing path, or from a missing parent directory of
    /// it: `src/Main.rs` for `src/main.rs`, or `Docs` for `docs/new.md`.
    pub(super) fn case_twin(&self, path: &RepoPath) -> Result<Option<RepoPath>, TreeError> {
        for prefix in path.prefixes() {
            if self.node(&prefix)?.is_some() {
                continue;
            }
            // Only the first missing part of the path can have a twin, because nothing is below it.
            let parent = prefix.parent();
            let mut twins = self.base.twins(parent.as_ref(), prefix.file_name())?;
            let written = self.folded.get(&prefix.case_folded()).into_iter().flatten();
            twins.extend(written.filter(|twin| twin.parent() == parent).cloned());
            twins.sort();
            for twin in twins {
                if twin != prefix && self.node(&twin)?.is_some() {
                    return Ok(Some(twin));
                }
            }
            return Ok(None);
        }
        Ok(None)
    }

    /// Returns all files, links and submodules below a directory, ascending; or the first name that is invalid in a
    /// [`RepoPath`].
    pub(super) fn files_below(&self, path: &RepoPath) -> Result<Result<Vec<RepoPath>, String>, TreeError> {
        let mut files = Vec::new();
        let mut invalid = None;
        self.walk_base(path, |file| {
            match file {
                Ok(file) => files.push(file),
                Err(name) => invalid = Some(name),
            }
            invalid.is_none()
        })?;
        if let Some(name) = invalid {
            return Ok(Err(name));
        }
        files.extend(self.written_below(path).map(|entry| entry.path.clone()));
        files.sort();
        Ok(Ok(files))
    }

    /// The paths of existing files with this name, for a hint.
    pub(super) fn with_name(&self, name: &str, limit: usize) -> Result<Vec<RepoPath>, TreeError> {
        let written =
            self.changed.values().filter(|entry| entry.state.is_some()).map(|entry| entry.path.clone());
        let mut paths: Vec<RepoPath> = written.filter(|path| path.file_name() == name).take(limit).collect();
        for path in self.base.tree.with_name(name, limit) {
            if !paths.contains(&path) && self.file(&path)?.is_some() {
                paths.push(path);
            }
        }
        paths.truncate(limit);
        Ok(paths)
    }

    /// Returns the existing files in a directory, for a hint; in a very large directory, only some of them.
    pub(super) fn files_in(&self, directory: Option<&RepoPath>) -> Result<Vec<RepoPath>, TreeError> {
        const MAX_LISTED: usize = 5000;
        let names = self.base.tree.list(directory)?;
        let parse = |name: &[u8]| RepoPath::within(directory, std::str::from_utf8(name).ok()?);
        let mut files = Vec::new();
        for (name, node) in names.iter().take(MAX_LISTED) {
            if *node != Node::Directory
                && let Some(path) = parse(name)
                && self.file(&path)?.is_some()
            {
                files.push(path);
            }
        }
        Ok(files)
    }

    fn below(&self, path: &RepoPath) -> impl Iterator<Item = &ChangedPath> {
        let prefix = format!("{path}/");
        let from = prefix.clone();
        self.changed
            .range(from..)
            .take_while(move |(path, _)| path.starts_with(&prefix))
            .map(|(_, entry)| entry)
    }

    fn written_below(&self, path: &RepoPath) -> impl Iterator<Item = &ChangedPath> {
        self.below(path).filter(|entry| entry.state.is_some())
    }

    /// Calls `visit` for every file of the base below a directory that no edit wrote or deleted, until `visit` returns
    /// false. A name that is invalid in a [`RepoPath`] is passed as an error.
    fn walk_base(
        &self,
        path: &RepoPath,
        mut visit: impl FnMut(Result<RepoPath, String>) -> bool,
    ) -> Result<(), TreeError> {
        let mut pending = vec![path.clone()];
        while let Some(directory) = pending.pop() {
            for (name, node) in self.base.tree.list(Some(&directory))? {
                let joined = std::str::from_utf8(&name).ok().and_then(|name| directory.join(name).ok());
                let file = match joined {
                    Some(path) if node == Node::Directory => {
                        pending.push(path);
                        continue;
                    }
                    Some(path) if self.changed.contains_key(path.as_str()) => continue,
                    Some(path) => Ok(path),
                    None => Err(format!("{directory}/{}", String::from_utf8_lossy(&name))),
                };
                if !visit(file) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
