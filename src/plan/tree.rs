//! A tree to resolve against, seen through a trait so that git stays out of here.

use crate::path::RepoPath;
use crate::text::Content;
use std::sync::Arc;

/// A tree could not be read: object store or I/O trouble, not the response's fault.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {path} from the base tree: {source}")]
pub struct TreeError {
    /// What was to be read.
    pub path: String,
    /// Why not.
    pub source: Box<dyn std::error::Error + Send + Sync>,
}

/// An entry of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// A directory.
    Directory,
    /// A regular file.
    File {
        /// Mode 100755 and not 100644.
        executable: bool,
    },
    /// A symbolic link.
    Symlink,
    /// A submodule.
    Submodule,
}

/// A commit's tree, or any stand-in for one.
pub trait TreeView {
    /// What is at the path; `None` for nothing.
    ///
    /// # Errors
    /// The tree cannot be read.
    fn entry(&self, path: &RepoPath) -> Result<Option<Node>, TreeError>;

    /// The content of the file at the path, which [`TreeView::entry`] said is a file or a link.
    ///
    /// # Errors
    /// The object cannot be read.
    fn read(&self, path: &RepoPath) -> Result<Arc<[u8]>, TreeError>;

    /// The same as a text.
    ///
    /// # Errors
    /// As for [`TreeView::read`].
    fn text(&self, path: &RepoPath) -> Result<Content, TreeError> {
        Ok(Content::new(&self.read(path)?))
    }

    /// The names in a directory (`None`: the root), as bytes because git allows any; empty if there is none.
    ///
    /// # Errors
    /// The tree cannot be read.
    fn list(&self, directory: Option<&RepoPath>) -> Result<Vec<(Vec<u8>, Node)>, TreeError>;

    /// The text of the blob whose name, or the beginning of its name, `id` is, as the file at that path would have it;
    /// `None` if no such blob is at hand, several are, or it is longer than `limit` bytes.
    ///
    /// # Errors
    /// The blob is at hand and cannot be read.
    fn blob(&self, id: &str, path: &RepoPath, limit: u64) -> Result<Option<Arc<[u8]>>, TreeError> {
        let _ = (id, path, limit);
        Ok(None)
    }

    /// The content of the object of that name, which the repository has.
    ///
    /// # Errors
    /// It cannot be read, or this is no tree of a repository.
    fn object(&self, name: &str) -> Result<Arc<[u8]>, TreeError> {
        Err(TreeError { path: name.to_owned(), source: "there is no object store".into() })
    }

    /// Receives what a path will hold if all goes well, so that it can be made ready while the rest is resolved.
    fn expect(&self, path: &RepoPath, body: &Body) {
        let _ = (path, body);
    }

    /// Up to `limit` paths of files with that file name, for a hint. May give up and return fewer.
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
    /// What was there; `None`: nothing.
    pub before: Option<FileState>,
    /// What will be there; `None`: nothing.
    pub after: Option<FileState>,
}

/// The state of an entry that is no directory.
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
    /// The very object that the base tree has at that path (moved or kept, not read).
    Base(RepoPath),
    /// A new text.
    Bytes(Arc<[u8]>),
    /// What git stores, whatever the file looks like.
    Stored(Arc<[u8]>),
    /// An object that the repository has, by its name: a blob, or the commit of a submodule.
    Object(Arc<str>),
    /// An edited text. Versions of a file share what they have in common, so that a plan of thousands of edits does not
    /// hold the file as often.
    Text(Content),
}

impl Body {
    /// Its bytes; `tree` is what the plan was resolved against.
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
