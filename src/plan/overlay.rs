//! The base tree with the edits so far on top of it.

use super::{Body, FileState, Node, TreeError, TreeView};
use crate::path::RepoPath;
use crate::span::Span;
use crate::text::Content;
use crate::version::Version;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// How many bytes the blobs may have that a response names as what it was made on.
const MOST_OF_BLOBS: u64 = 64 * 1024 * 1024;

/// How many moves of one file, by one name, are followed.
const MOST_MOVES: usize = 100;

/// A tree that edits change, over one that they do not.
pub(super) struct Overlay<'t> {
    tree: &'t dyn TreeView,
    /// Every path that an edit wrote or removed.
    slots: BTreeMap<String, Slot>,
    /// How many bytes the edits have git write.
    pub(super) written: u64,
    /// Where an edit moved a file or directory to, by its old path.
    moved: HashMap<RepoPath, RepoPath>,
    /// The diff of the edit at hand, and what that diff has changed so far, as it was before.
    diff: Option<Diff>,
    before_diff: HashMap<RepoPath, Option<FileState>>,
    /// Texts of base files that were looked at.
    texts: RefCell<HashMap<RepoPath, Content>>,
    /// Texts of blobs that were asked for, by name and path, and how many bytes more may be.
    blobs: RefCell<HashMap<(String, RepoPath), Option<Content>>>,
    blob_bytes: Cell<u64>,
    /// What the base has at paths that were asked for.
    entries: RefCell<HashMap<RepoPath, Option<Node>>>,
    /// The base tree's names by directory and by name without case.
    listings: RefCell<HashMap<Option<RepoPath>, Listing>>,
    /// Written paths and their directories by path without case.
    folded: HashMap<String, HashSet<RepoPath>>,
}

/// A diff: its region, and its mail.
pub(super) type Diff = (u32, Option<Span>);

/// A directory's names, by their names without case.
type Listing = HashMap<String, Vec<String>>;

/// A path that an edit wrote or removed.
struct Slot {
    path: RepoPath,
    /// What is there; `None`: removed.
    state: Option<FileState>,
    /// Its text, if an edit looked at it, and which lines of the base are in it.
    version: Option<Version>,
}

impl<'t> Overlay<'t> {
    pub(super) fn new(tree: &'t dyn TreeView) -> Self {
        Self {
            tree,
            slots: BTreeMap::new(),
            written: 0,
            moved: HashMap::new(),
            diff: None,
            before_diff: HashMap::new(),
            texts: RefCell::default(),
            blobs: RefCell::default(),
            blob_bytes: Cell::new(MOST_OF_BLOBS),
            entries: RefCell::default(),
            listings: RefCell::default(),
            folded: HashMap::new(),
        }
    }

    /// Returns the entry at a path.
    pub(super) fn node(&self, path: &RepoPath) -> Result<Option<Node>, TreeError> {
        match self.slots.get(path.as_str()) {
            Some(Slot { state: Some(state), .. }) => return Ok(Some(state.node)),
            _ if self.written_below(path).next().is_some() => return Ok(Some(Node::Directory)),
            Some(_) => return Ok(None),
            None => {}
        }
        match self.base_node(path)? {
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
        if let Some(slot) = self.slots.get(path.as_str()) {
            return Ok(slot.state.clone());
        }
        let leaf = self.base_node(path)?.filter(|node| *node != Node::Directory);
        Ok(leaf.map(|node| FileState { node, body: Body::Base(path.clone()) }))
    }

    /// The nearest directory on the way to a path that is none but a file, link or submodule.
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

    /// A body as text.
    pub(super) fn text(&self, body: &Body) -> Result<Content, TreeError> {
        match body {
            Body::Text(content) => Ok(content.clone()),
            Body::Bytes(bytes) | Body::Stored(bytes) => Ok(Content::new(bytes)),
            Body::Object(name) => Ok(Content::new(&self.tree.object(name)?)),
            Body::Base(path) => {
                if let Some(content) = self.texts.borrow().get(path) {
                    return Ok(content.clone());
                }
                let content = self.tree.text(path)?;
                self.texts.borrow_mut().insert(path.clone(), content.clone());
                Ok(content)
            }
        }
    }

    /// Whether two bodies hold the same bytes.
    pub(super) fn same(&self, left: &Body, right: &Body) -> Result<bool, TreeError> {
        Ok(left == right || self.text(left)? == self.text(right)?)
    }

    /// The text of the file at a path, and which lines of the base are in it.
    pub(super) fn version(&self, path: &RepoPath, body: &Body) -> Result<Version, TreeError> {
        match (self.slots.get(path.as_str()), body) {
            (Some(Slot { version: Some(version), .. }), _) => Ok(version.clone()),
            (_, Body::Base(_)) => Ok(Version::of_base(self.text(body)?)),
            _ => Ok(Version::of_new(self.text(body)?)),
        }
    }

    /// The text at a path and which lines of the base are in it, if an earlier edit has read it.
    pub(super) fn known_version(&self, path: &RepoPath) -> Option<Version> {
        self.slots.get(path.as_str())?.version.clone()
    }

    /// The text of a blob that the file at a path may have grown from, if it is at hand and not too long.
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

    /// Where an earlier edit moved the file of that path, if nothing is there now.
    pub(super) fn moved_to(&self, path: &RepoPath) -> Result<Option<RepoPath>, TreeError> {
        let mut now = path.clone();
        // A chain of moves is no longer than there are moves; in a circle something is at each of its paths.
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

    /// Where all moves together, also of directories, brought what was at a path, whatever is there now.
    pub(super) fn end_of_moves(&self, path: &RepoPath) -> RepoPath {
        let mut now = path.clone();
        for _ in 0..self.moved.len().min(MOST_MOVES) {
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

    /// Notes the diff of the edits from here on.
    pub(super) fn go_on_with(&mut self, diff: Option<Diff>) {
        if self.diff != diff {
            self.diff = diff;
            self.before_diff.clear();
        }
    }

    /// What was at a path before the diff of the edit at hand, if that diff has changed it.
    pub(super) fn before_diff(&self, path: &RepoPath) -> Option<&FileState> {
        self.before_diff.get(path)?.as_ref()
    }

    /// Writes or removes what is at a path. `version` is what is known of its text.
    pub(super) fn set(&mut self, path: &RepoPath, state: Option<FileState>, version: Option<Version>) {
        if self.diff.is_some() && !self.before_diff.contains_key(path) {
            let before = match self.slots.get(path.as_str()) {
                Some(slot) => slot.state.clone(),
                None => self.file(path).ok().flatten(),
            };
            self.before_diff.insert(path.clone(), before);
        }
        if state.is_some() {
            for prefix in path.prefixes() {
                self.folded.entry(prefix.case_folded()).or_default().insert(prefix);
            }
        }
        self.slots.insert(path.as_str().to_owned(), Slot { path: path.clone(), state, version });
    }

    /// Whether something is at a path that no edit has touched.
    pub(super) fn is_as_in_base(&self, path: &RepoPath) -> Result<bool, TreeError> {
        Ok(!self.slots.contains_key(path.as_str()) && self.base_node(path)?.is_some())
    }

    /// Leaves a path as the tree has it.
    pub(super) fn forget(&mut self, path: &RepoPath) {
        self.slots.remove(path.as_str());
    }

    /// Remembers a move.
    pub(super) fn record_move(&mut self, from: &RepoPath, to: &RepoPath) {
        self.moved.remove(to);
        self.moved.insert(from.clone(), to.clone());
    }

    /// Answers a question as if nothing stood at a path.
    pub(super) fn without<T>(&mut self, path: &RepoPath, ask: impl FnOnce(&Self) -> T) -> T {
        let removed = Slot { path: path.clone(), state: None, version: None };
        let before = self.slots.insert(path.as_str().to_owned(), removed);
        let answer = ask(self);
        match before {
            Some(slot) => self.slots.insert(path.as_str().to_owned(), slot),
            None => self.slots.remove(path.as_str()),
        };
        answer
    }

    /// What exists and differs only in case from a path that does not, or from a directory on the way to it.
    pub(super) fn case_twin(&self, path: &RepoPath) -> Result<Option<RepoPath>, TreeError> {
        for prefix in path.prefixes() {
            if self.node(&prefix)?.is_some() {
                continue;
            }
            // Below what does not exist nothing does.
            let parent = prefix.parent();
            let mut twins = self.base_twins(parent.as_ref(), prefix.file_name())?;
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

    /// All files, links and submodules below a directory, ascending, or the first name that cannot be a path.
    pub(super) fn files_below(&self, path: &RepoPath) -> Result<Result<Vec<RepoPath>, String>, TreeError> {
        let mut files = Vec::new();
        let mut odd = None;
        self.walk_base(path, |file| {
            match file {
                Ok(file) => files.push(file),
                Err(name) => odd = Some(name),
            }
            odd.is_none()
        })?;
        if let Some(name) = odd {
            return Ok(Err(name));
        }
        files.extend(self.written_below(path).map(|slot| slot.path.clone()));
        files.sort();
        Ok(Ok(files))
    }

    /// Paths of files with that name that exist now, for a hint.
    pub(super) fn with_name(&self, name: &str, limit: usize) -> Result<Vec<RepoPath>, TreeError> {
        let written = self.slots.values().filter(|slot| slot.state.is_some()).map(|slot| slot.path.clone());
        let mut paths: Vec<RepoPath> = written.filter(|path| path.file_name() == name).take(limit).collect();
        for path in self.tree.with_name(name, limit) {
            if !paths.contains(&path) && self.file(&path)?.is_some() {
                paths.push(path);
            }
        }
        paths.truncate(limit);
        Ok(paths)
    }

    /// The files that are in a directory now, for a hint; none of a very large one.
    pub(super) fn files_in(&self, directory: Option<&RepoPath>) -> Result<Vec<RepoPath>, TreeError> {
        const MOST: usize = 5000;
        let names = self.tree.list(directory)?;
        let parse = |name: &[u8]| RepoPath::within(directory, std::str::from_utf8(name).ok()?);
        let mut files = Vec::new();
        for (name, node) in names.iter().take(MOST) {
            if *node != Node::Directory
                && let Some(path) = parse(name)
                && self.file(&path)?.is_some()
            {
                files.push(path);
            }
        }
        Ok(files)
    }

    /// What the tree has at a path, whatever edits did.
    pub(super) fn base_node(&self, path: &RepoPath) -> Result<Option<Node>, TreeError> {
        if let Some(entry) = self.entries.borrow().get(path) {
            return Ok(*entry);
        }
        let entry = self.tree.entry(path)?;
        self.entries.borrow_mut().insert(path.clone(), entry);
        Ok(entry)
    }

    fn below(&self, path: &RepoPath) -> impl Iterator<Item = &Slot> {
        let prefix = format!("{path}/");
        let from = prefix.clone();
        self.slots.range(from..).take_while(move |(path, _)| path.starts_with(&prefix)).map(|(_, slot)| slot)
    }

    fn written_below(&self, path: &RepoPath) -> impl Iterator<Item = &Slot> {
        self.below(path).filter(|slot| slot.state.is_some())
    }

    /// Shows every file below a directory that the base has and no edit wrote or removed, until told to stop. One whose
    /// name is none of a [`RepoPath`] is shown as an error that holds it.
    fn walk_base(
        &self,
        path: &RepoPath,
        mut visit: impl FnMut(Result<RepoPath, String>) -> bool,
    ) -> Result<(), TreeError> {
        let mut pending = vec![path.clone()];
        while let Some(directory) = pending.pop() {
            for (name, node) in self.tree.list(Some(&directory))? {
                let joined = std::str::from_utf8(&name).ok().and_then(|name| directory.join(name).ok());
                let shown = match joined {
                    Some(path) if node == Node::Directory => {
                        pending.push(path);
                        continue;
                    }
                    Some(path) if self.slots.contains_key(path.as_str()) => continue,
                    Some(path) => Ok(path),
                    None => Err(format!("{directory}/{}", String::from_utf8_lossy(&name))),
                };
                if !visit(shown) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn base_twins(&self, parent: Option<&RepoPath>, name: &str) -> Result<Vec<RepoPath>, TreeError> {
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

/// The tree as the edits leave it, where they make, move and remove no file.
impl TreeView for Overlay<'_> {
    fn entry(&self, path: &RepoPath) -> Result<Option<Node>, TreeError> {
        self.node(path)
    }

    fn read(&self, path: &RepoPath) -> Result<Arc<[u8]>, TreeError> {
        match self.slots.get(path.as_str()).and_then(|slot| slot.state.as_ref()) {
            Some(state) => state.body.read(self.tree),
            None => self.tree.read(path),
        }
    }

    fn text(&self, path: &RepoPath) -> Result<Content, TreeError> {
        let written = self.slots.get(path.as_str()).and_then(|slot| slot.state.as_ref());
        Overlay::text(self, written.map_or(&Body::Base(path.clone()), |state| &state.body))
    }

    fn blob(&self, id: &str, path: &RepoPath, limit: u64) -> Result<Option<Arc<[u8]>>, TreeError> {
        self.tree.blob(id, path, limit)
    }

    fn with_name(&self, name: &str, limit: usize) -> Vec<RepoPath> {
        self.tree.with_name(name, limit)
    }

    fn object(&self, name: &str) -> Result<Arc<[u8]>, TreeError> {
        self.tree.object(name)
    }

    /// The names of the tree: what is asked of an overlay has the same.
    fn list(&self, directory: Option<&RepoPath>) -> Result<Vec<(Vec<u8>, Node)>, TreeError> {
        self.tree.list(directory)
    }
}
