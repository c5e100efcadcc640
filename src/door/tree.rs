//! Resolves responses against files that the program provides, without git or a file system.

use super::Response;
use crate::format::{self, Reading};
use crate::path::RepoPath;
use crate::plan::{self, Node, Rules, TreeError, TreeView};
use std::sync::Arc;

/// Files that the program provides, to resolve edits without git.
///
/// ```
/// use git_llm_apply::{Response, Tree};
///
/// let answer = "a.txt\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n";
/// let tree = Tree::from_fn(|path| (path == "a.txt").then(|| b"one\n".to_vec()));
/// let changed = tree.resolve(&Response::parse(answer)).expect("the text is there");
/// assert_eq!((changed[0].path.as_str(), changed[0].after.as_deref()), ("a.txt", Some(&b"two\n"[..])));
///
/// let refused = Tree::from_fn(|_| None).resolve(&Response::parse(answer)).expect_err("there is no file");
/// assert_eq!((refused[0].path.as_deref(), refused[0].code), (Some("a.txt"), "not-found"));
/// ```
pub struct Tree<'a>(Box<Files<'a>>);

/// Returns the file at a path.
type Files<'a> = dyn Fn(&str) -> Option<Vec<u8>> + 'a;

/// A changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changed {
    /// The path of the file.
    pub path: String,
    /// The new content; `None` if the file is deleted.
    pub after: Option<Vec<u8>>,
}

/// A reason why an edit, or the response, is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reason {
    /// The code of the reason, such as `not-found`. It does not change between versions.
    pub code: &'static str,
    /// The message for people.
    pub message: String,
    /// A hint on what to do about it.
    pub help: Option<String>,
    /// The number of the edit that it is about, from 1.
    pub edit: Option<usize>,
    /// The path of the file that it is about.
    pub path: Option<String>,
}

impl<'a> Tree<'a> {
    /// Makes a tree of the files that a function returns by their paths. The function returns `None` if there is no
    /// such file.
    pub fn from_fn(files: impl Fn(&str) -> Option<Vec<u8>> + 'a) -> Self {
        Self(Box::new(files))
    }

    /// Resolves all edits of a response, and returns the files that change. Writes nothing.
    ///
    /// # Errors
    /// Some edits are refused, or the response has none.
    pub fn resolve(&self, response: &Response) -> Result<Vec<Changed>, Vec<Reason>> {
        let odd = |message: String, code| vec![Reason { code, message, help: None, edit: None, path: None }];
        let read = response.numbered(0, u64::MAX).map_err(|e| odd(e.to_string(), "response"))?;
        let script = format::parse(&read, &Reading::default());
        if script.edits.is_empty() && script.given.is_empty() && !script.has_errors() {
            return Err(odd("the response has no edits".to_owned(), "no-edits"));
        }
        let plan =
            plan::resolve(&script, self, &Rules::default()).map_err(|e| odd(e.to_string(), "repository"))?;
        let plan = plan.map_err(|rejected| {
            let errors = rejected.diagnostics.into_iter().filter(|one| one.is_error());
            let reason = |one: crate::diag::Diagnostic| Reason {
                code: one.code.as_str(),
                message: one.message,
                help: one.help,
                edit: one.edit,
                path: one.path,
            };
            errors.map(reason).collect::<Vec<_>>()
        })?;
        let mut all: Vec<Changed> = Vec::new();
        for change in plan.steps().iter().flat_map(|step| &step.changes) {
            let after = change.after.as_ref().map(|after| after.body.read(self)).transpose();
            let after = after.map_err(|e| odd(e.to_string(), "repository"))?.map(|bytes| bytes.to_vec());
            let path = change.path.as_str().to_owned();
            match all.iter_mut().find(|one| one.path == path) {
                Some(known) => known.after = after,
                None => all.push(Changed { path, after }),
            }
        }
        all.retain(|one| one.after.is_some() || self.0(&one.path).is_some());
        Ok(all)
    }
}

impl TreeView for Tree<'_> {
    fn entry(&self, path: &RepoPath) -> Result<Option<Node>, TreeError> {
        Ok(self.0(path.as_str()).map(|_| Node::File { executable: false }))
    }

    fn read(&self, path: &RepoPath) -> Result<Arc<[u8]>, TreeError> {
        Ok(self.0(path.as_str()).unwrap_or_default().into())
    }

    // A function from paths to files cannot list a directory.
    fn list(&self, _: Option<&RepoPath>) -> Result<Vec<(Vec<u8>, Node)>, TreeError> {
        Ok(Vec::new())
    }
}
