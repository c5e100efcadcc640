//! The tree that a script is resolved against, as a trait, so that this module does not know git.

use crate::path::RepoPath;
use crate::text::Content;
use std::sync::Arc;

/// A tree could not be read: the object store or the file system failed. The response is not at fault.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {path} from the base tree: {source}")]
pub struct TreeError {
    /// The path or object.
    pub path: String,
    /// The cause.
    pub source: Box<dyn std::error::Error + Send + Sync>,
}

/// An entry of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// A directory.
    Directory,
    /// A regular file.
    File {
        /// Whether the mode is 100755 and not 100644.
        executable: bool,
    },
    /// A symbolic link.
    Symlink,
    /// A submodule.
    Submodule,
}

/// The tree of a commit, or a substitute for one.
pub trait TreeView {
    /// The node at a path, if there is one.
    ///
    /// # Errors
    /// The tree cannot be read.
    fn entry(&self, path: &RepoPath) -> Result<Option<Node>, TreeError>;

    /// The content of the file or link at a path.
    ///
    /// # Errors
    /// The object cannot be read.
    fn read(&self, path: &RepoPath) -> Result<Arc<[u8]>, TreeError>;

    /// As [`TreeView::read`], as a text.
    ///
    /// # Errors
    /// As for [`TreeView::read`].
    fn text(&self, path: &RepoPath) -> Result<Content, TreeError> {
        Ok(Content::new(&self.read(path)?))
    }

    /// The names in a directory (`None`: the root), as bytes because git allows any; empty if it is missing.
    ///
    /// # Errors
    /// The tree cannot be read.
    fn list(&self, directory: Option<&RepoPath>) -> Result<Vec<(Vec<u8>, Node)>, TreeError>;

    /// The text of the blob with this full or abbreviated id, as the file at the path would have it; `None` if no such
    /// blob is available, if several are, or if it is longer than `limit` bytes.
    ///
    /// # Errors
    /// The blob is available and cannot be read.
    fn blob(&self, id: &str, path: &RepoPath, limit: u64) -> Result<Option<Arc<[u8]>>, TreeError> {
        let _ = (id, path, limit);
        Ok(None)
    }

    /// The content of an object of the repository, by its id.
    ///
    /// # Errors
    /// It cannot be read, or the tree is not of a repository.
    fn object(&self, name: &str) -> Result<Arc<[u8]>, TreeError> {
        Err(TreeError { path: name.to_owned(), source: "there is no object store".into() })
    }

    /// Announces the new content of a path, so that the tree can prepare it while the other edits are resolved.
    fn expect(&self, path: &RepoPath, body: &Body) {
        let _ = (path, body);
    }

    /// Up to `limit` paths of files with this name, for a hint. May return fewer.
    fn with_name(&self, name: &str, limit: usize) -> Vec<RepoPath> {
        let _ = (name, limit);
        Vec::new()
    }
}

/// One path before and after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The path.
    pub path: RepoPath,
    /// The state before; `None` for no file.
    pub before: Option<FileState>,
    /// The state after; `None` for no file.
    pub after: Option<FileState>,
}

/// The state of an entry that is not a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileState {
    /// File, link or submodule.
    pub node: Node,
    /// Its content.
    pub body: Body,
}

/// The content of a file, link or submodule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// The object that the base has at this path; it was not read.
    Base(RepoPath),
    /// A new text.
    Bytes(Arc<[u8]>),
    /// The bytes that git stores, without conversion.
    Stored(Arc<[u8]>),
    /// An object of the repository, by its id: a blob, or the commit of a submodule.
    Object(Arc<str>),
    /// An edited text. Versions of a file share chunks, so that a plan with thousands of edits does not hold thousands
    /// of copies of the file.
    Text(Content),
}

impl Body {
    /// Returns its bytes; `tree` is the tree that the plan was resolved against.
    ///
    /// # Errors
    /// The tree cannot be read.
    pub fn read(&self, tree: &dyn TreeView) -> Result<Arc<[u8]>, TreeError> {
        match self {
            Body::Base(path) => tree.read(path),
            Body::Bytes(bytes) | Body::Stored(bytes) => Ok(Arc::clone(bytes)),
            Body::Object(name) => tree.object(name),
            Body::Text(content) => Ok(content.to_bytes().into()),
        }
    }
}
