//! Texts that exist nowhere else. If they do not land, they are saved in the git directory, as git saves the message of
//! a commit that fails.

use super::{Result, Watch};
use crate::response::Response;
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

    /// Saves a text byte for byte, even if it is not UTF-8, and tells the user where it is. An older text of this kind
    /// is replaced. An empty text is not saved.
    pub fn keep(self, repo: &Repo, text: &[u8], watch: &dyn Watch) {
        if text.trim_ascii().is_empty() {
            return;
        }
        let what = match self {
            KeptText::Messages => "what was typed in the editor",
            KeptText::Response => "the response",
        };
        watch.warn(&match self.write(repo, text) {
            Ok(file) => format!("{what} is kept in {}", file.display()),
            Err(error) => format!("{what} is lost: {error}"),
        });
    }

    /// Saves several responses in one file.
    pub fn keep_responses(repo: &Repo, responses: &[Response], watch: &dyn Watch) {
        let texts: Vec<_> = responses.iter().map(Response::text).collect();
        Self::Response.keep(repo, texts.join("\n").as_bytes(), watch);
    }

    /// Writes the text, and returns its file. A link at the file's path is replaced, not followed, because it may have
    /// come with the repository.
    fn write(self, repo: &Repo, text: &[u8]) -> Result<PathBuf> {
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
