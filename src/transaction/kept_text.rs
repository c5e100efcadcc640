//! Texts that exist only once. They are kept if they do not land, as git keeps the message of a commit that fails.

use super::Result;
use crate::vcs::repo::Repo;
use crate::vcs::{self, durability};
use std::path::PathBuf;

/// The kind of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptText {
    /// The messages that the user typed in an editor.
    Messages,
    /// A response from a pipe or a model that `--continue` cannot go on with.
    Response,
}

impl KeptText {
    fn file(self, repo: &Repo) -> PathBuf {
        repo.git_dir().join(match self {
            KeptText::Messages => "LLM_APPLY_EDITMSG",
            KeptText::Response => "LLM_APPLY_ANSWER",
        })
    }

    /// Keeps it in place of an older one, and returns its file. A link in its place is replaced and not followed: it may have come
    /// with the repository.
    ///
    /// # Errors
    /// As the file system reports.
    pub fn keep(self, repo: &Repo, text: &[u8]) -> Result<PathBuf> {
        let (file, directory) = (self.file(repo), repo.temporary()?);
        let aside = directory.path().join("text");
        durability::write(&aside, text, false)?;
        std::fs::rename(&aside, &file).map_err(|e| vcs::Error::io("write", &file, e))?;
        Ok(file)
    }

    /// Forgets it, if there is one.
    pub fn forget(self, repo: &Repo) {
        let _ = std::fs::remove_file(self.file(repo));
    }
}
