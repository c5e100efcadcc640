//! Texts that nobody may have a copy of. They are kept if they do not land, as git keeps the message of a commit that fails.

use super::Result;
use crate::vcs::repo::Repo;
use crate::vcs::{self, durability};
use std::path::PathBuf;

/// What such a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// The messages that somebody has typed in an editor.
    Messages,
    /// An answer that came by a pipe, or from a model, and has nothing that could be gone on with.
    Answer,
}

impl Text {
    fn file(self, repo: &Repo) -> PathBuf {
        repo.git_dir().join(match self {
            Text::Messages => "LLM_APPLY_EDITMSG",
            Text::Answer => "LLM_APPLY_ANSWER",
        })
    }

    /// Keeps it, in the place of one that was kept before, and gives its file. A link that stands there is replaced, and not
    /// followed: it may have come with the repository, and lead anywhere.
    ///
    /// # Errors
    /// What the file system says.
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
