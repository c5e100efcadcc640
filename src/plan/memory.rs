//! A tree in memory.

use super::{Node, TreeError, TreeView};
use crate::path::{PathError, RepoPath};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A tree of files in memory, to resolve edits without a repository: for tests, and for programs whose files are not in
/// git.
///
/// ```
/// use git_llm_apply::plan::{MemoryTree, Node, TreeView};
///
/// let tree = MemoryTree::new().with_file("src/a.rs", "fn a() {}\n")?;
/// let path = git_llm_apply::path::RepoPath::parse("src")?;
/// assert_eq!(tree.entry(&path)?, Some(Node::Directory));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct MemoryTree {
    /// By path, so that the files in a directory are one range.
    entries: BTreeMap<String, (Node, Arc<[u8]>)>,
}

impl MemoryTree {
    /// A tree without a file.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a regular file, or replaces what is there.
    ///
    /// # Errors
    /// The path is invalid.
    pub fn with_file(self, path: &str, content: impl AsRef<[u8]>) -> Result<Self, PathError> {
        self.with(path, Node::File { executable: false }, content)
    }

    /// Adds a file, link (its content is the target) or submodule, or replaces what is there. A [`Node::Directory`] is
    /// ignored: directories exist where files are.
    ///
    /// # Errors
    /// The path is invalid.
    pub fn with(mut self, path: &str, node: Node, content: impl AsRef<[u8]>) -> Result<Self, PathError> {
        let path = RepoPath::parse(path)?;
        if node != Node::Directory {
            self.entries.insert(path.as_str().to_owned(), (node, content.as_ref().into()));
        }
        Ok(self)
    }

    /// The files below a directory; `None` is the root.
    fn below(&self, directory: Option<&RepoPath>) -> impl Iterator<Item = (&str, Node)> {
        let prefix = directory.map(|path| format!("{path}/")).unwrap_or_default();
        let length = prefix.len();
        self.entries
            .range(prefix.clone()..)
            .take_while(move |(path, _)| path.starts_with(&prefix))
            .map(move |(path, (node, _))| (&path[length..], *node))
    }
}

impl TreeView for MemoryTree {
    fn entry(&self, path: &RepoPath) -> Result<Option<Node>, TreeError> {
        let own = self.entries.get(path.as_str()).map(|(node, _)| *node);
        Ok(own.or_else(|| self.below(Some(path)).next().map(|_| Node::Directory)))
    }

    fn read(&self, path: &RepoPath) -> Result<Arc<[u8]>, TreeError> {
        match self.entries.get(path.as_str()) {
            Some((_, content)) => Ok(Arc::clone(content)),
            None => Err(TreeError { path: path.to_string(), source: "there is no such file".into() }),
        }
    }

    fn list(&self, directory: Option<&RepoPath>) -> Result<Vec<(Vec<u8>, Node)>, TreeError> {
        let mut names: Vec<(Vec<u8>, Node)> = Vec::new();
        for (rest, node) in self.below(directory) {
            let (name, node) = match rest.split_once('/') {
                Some((name, _)) => (name, Node::Directory),
                None => (rest, node),
            };
            if names.last().is_none_or(|(last, _)| last != name.as_bytes()) {
                names.push((name.into(), node));
            }
        }
        Ok(names)
    }

    fn with_name(&self, name: &str, limit: usize) -> Vec<RepoPath> {
        let paths = self.entries.keys().filter_map(|path| RepoPath::parse(path).ok());
        paths.filter(|path| path.file_name() == name).take(limit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::parse(text).unwrap()
    }

    #[test]
    fn directories_are_where_files_are() {
        let tree = MemoryTree::new().with_file("a/b/c", "1").unwrap().with_file("a/d", "2").unwrap();
        let tree = tree.with_file("a-b", "3").unwrap().with("l", Node::Symlink, "a").unwrap();
        assert_eq!(tree.entry(&path("a/b")).unwrap(), Some(Node::Directory));
        assert_eq!(tree.entry(&path("a/b/c")).unwrap(), Some(Node::File { executable: false }));
        assert_eq!(tree.entry(&path("a/b/c/d")).unwrap(), None);
        assert_eq!(tree.entry(&path("l")).unwrap(), Some(Node::Symlink));
        let names = |directory: Option<&str>| -> Vec<String> {
            let directory = directory.map(path);
            let list: Vec<(Vec<u8>, Node)> = tree.list(directory.as_ref()).unwrap();
            list.into_iter().map(|(name, _)| String::from_utf8(name).unwrap()).collect()
        };
        assert_eq!(names(None), ["a-b", "a", "l"]);
        assert_eq!(names(Some("a")), ["b", "d"]);
        assert_eq!(names(Some("q")), [""; 0]);
        assert_eq!(tree.with_name("c", 5), [path("a/b/c")]);
        assert!(tree.read(&path("a")).is_err());
    }
}
