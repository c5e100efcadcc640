//! A tree that reads each of its texts once, for plans that look at it one after another.

use super::{Node, TreeError, TreeView};
use crate::path::RepoPath;
use crate::text::Content;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// A tree, and the texts of it that were looked at: what is found out of their lines is known to all who share them.
pub(super) struct Seen<'t> {
    tree: &'t dyn TreeView,
    texts: RefCell<HashMap<RepoPath, Content>>,
}

impl<'t> Seen<'t> {
    pub(super) fn new(tree: &'t dyn TreeView) -> Self {
        Self { tree, texts: RefCell::default() }
    }
}

impl TreeView for Seen<'_> {
    fn text(&self, path: &RepoPath) -> Result<Content, TreeError> {
        if let Some(content) = self.texts.borrow().get(path) {
            return Ok(content.clone());
        }
        let content = self.tree.text(path)?;
        self.texts.borrow_mut().insert(path.clone(), content.clone());
        Ok(content)
    }

    fn entry(&self, path: &RepoPath) -> Result<Option<Node>, TreeError> {
        self.tree.entry(path)
    }

    fn read(&self, path: &RepoPath) -> Result<Arc<[u8]>, TreeError> {
        self.tree.read(path)
    }

    fn list(&self, directory: Option<&RepoPath>) -> Result<Vec<(Vec<u8>, Node)>, TreeError> {
        self.tree.list(directory)
    }

    fn blob(&self, id: &str, path: &RepoPath, limit: u64) -> Result<Option<Arc<[u8]>>, TreeError> {
        self.tree.blob(id, path, limit)
    }

    fn object(&self, name: &str) -> Result<Arc<[u8]>, TreeError> {
        self.tree.object(name)
    }

    fn with_name(&self, name: &str, limit: usize) -> Vec<RepoPath> {
        self.tree.with_name(name, limit)
    }
}
