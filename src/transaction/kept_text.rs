//! Texts of which the user has no other copy. If they do not land they are saved in the git directory, as git saves the
//! message of a commit that fails.

use super::Result;
use crate::vcs::repo::Repo;
use crate::vcs::{self, durability};
use std::path::PathBuf;

/// The kinds of texts that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptText {
    /// The messages that the user typed in an editor.
    Messages,
    /// A response from a pipe or a model that is not kept as a refused attempt.
    Response,
}

impl KeptText {
    fn file(self, repo: &Repo) -> PathBuf {
        repo.git_dir().join(match self {
            KeptText::Messages => "LLM_APPLY_EDITMSG",
            KeptText::Response => "LLM_APPLY_ANSWER",
        })
    }

    /// Saves the text, and returns its file. An older text of this kind is replaced. A link at the file's path is
    /// replaced, not followed, because it may have come with the repository.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn keep(self, repo: &Repo, text: &[u8]) -> Result<PathBuf> {
        let (file, directory) = (self.file(repo), repo.temporary()?);
        let aside = directory.path().join("text");
        durability::write(&aside, text, false)?;
        std::fs::rename(&aside, &file).map_err(|e| vcs::Error::io("write", &file, e))?;
        Ok(file)
    }

    /// Removes the saved text of this kind, if there is one.
    pub fn forget(self, repo: &Repo) {
        let _ = std::fs::remove_file(self.file(repo));
    }
}
