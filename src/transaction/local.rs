//! `--autostash`: merges the user's uncommitted changes to a file with the landing's changes to it. The file in the
//! checkout and the staged file are merged separately.
//!
//! The checkout's file is merged in the form that it has there (line endings, filters), so that lines without changes
//! keep their bytes.

use super::Result;
use crate::span::LineRange;
use crate::text::Content;
use crate::vcs::checkout::Identity;
use crate::vcs::repo::Repo;
use crate::vcs::tree::{EXECUTABLE, Entry, FILE};
use crate::version;

/// A file with uncommitted changes that are to survive the landing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LocalChanges {
    pub(super) path: String,
    /// The file's path after the landing. It differs from `path` if the landing moves the file.
    pub(super) to: String,
    /// The file as it is committed.
    pub(super) old: Entry,
    /// The file as it is staged.
    pub(super) index: Entry,
    /// The file in the checkout, and whether it is executable.
    pub(super) file: Identity,
    pub(super) executable: bool,
}

/// A file with the changes of the user and of the landing.
pub(super) struct Merged {
    /// The new index entry.
    pub(super) index: Entry,
    /// The new content of the checkout's file.
    pub(super) bytes: Vec<u8>,
    pub(super) mode: u32,
}

impl LocalChanges {
    /// Merges the checkout's file and the staged file with the file that the landing makes. `mine` is the content of
    /// the checkout's file, `new` the landing's entry, and `content` returns the content that an entry has in a
    /// checkout.
    ///
    /// The inner error has the conflicting lines, as lines of the user's text.
    pub(super) fn merge(
        &self,
        repo: &Repo,
        new: Entry,
        mine: &[u8],
        content: impl Fn(&str, Entry) -> Result<Vec<u8>>,
    ) -> Result<std::result::Result<Merged, Vec<LineRange>>> {
        if !new.is_file() {
            return Ok(Err(Vec::new()));
        }
        let (was, now) = (content(&self.path, self.old)?, content(&self.to, new)?);
        let Some(bytes) = merged(repo, mine, &was, &now)? else { return Ok(Err(clash(mine, &was, &now))) };
        let id = match self.index.id {
            id if id == self.old.id => new.id,
            id if self.old.id == new.id || id == new.id => id,
            id => {
                let [staged, was, now] = [repo.blob(id)?, repo.blob(self.old.id)?, repo.blob(new.id)?];
                match merged(repo, &staged, &was, &now)? {
                    Some(bytes) => repo.put_blob(&bytes)?,
                    None => return Ok(Err(clash(&staged, &was, &now))),
                }
            }
        };
        let mode = |mine: u32| if mine == self.old.mode { new.mode } else { mine };
        let index = Entry { mode: mode(self.index.mode), id };
        let file = if self.executable { EXECUTABLE } else { FILE };
        Ok(Ok(Merged { index, bytes, mode: mode(file) }))
    }
}

/// Merges the user's text `mine` with the change from `was` to `now`; `None` if they conflict.
fn merged(repo: &Repo, mine: &[u8], was: &[u8], now: &[u8]) -> Result<Option<Vec<u8>>> {
    Ok(match () {
        () if mine == was || mine == now => Some(now.to_vec()),
        () if was == now => Some(mine.to_vec()),
        () => repo.merge_texts(mine, was, now, None)?,
    })
}

/// Returns the lines of `mine` that conflict with the change from `was` to `now`; none for binary files.
fn clash(mine: &[u8], was: &[u8], now: &[u8]) -> Vec<LineRange> {
    let [was, mine, now] = [was, mine, now].map(Content::new);
    if was.is_binary() || mine.is_binary() || now.is_binary() {
        return Vec::new();
    }
    version::clash(&was, &mine, &now)
}
