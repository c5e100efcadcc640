//! Keeping what nobody may be able to give again, where it does not land.

use super::{Error, Watch};
use crate::transaction::{self, Text, interrupt};
use crate::vcs::repo::Repo;

/// Keeps a text, and says where it is.
pub(super) fn keep_text(repo: &Repo, kind: Text, what: &str, bytes: &[u8], watch: &dyn Watch) {
    watch.warn(&match kind.keep(repo, bytes) {
        Ok(file) => format!("{what} is kept in {}", file.display()),
        Err(error) => format!("{what} is lost: {error}"),
    });
}

/// Keeps an answer as it came, which need be no text, and says where it is. One that says nothing is nobody's loss.
pub fn keep_answer(repo: &Repo, bytes: &[u8], watch: &dyn Watch) {
    if !bytes.trim_ascii().is_empty() {
        keep_text(repo, Text::Answer, "the response", bytes, watch);
    }
}

/// Keeps several as one.
pub(super) fn keep_answers<'t>(repo: &Repo, texts: impl Iterator<Item = &'t str>, watch: &dyn Watch) {
    keep_answer(repo, texts.collect::<Vec<_>>().join("\n").as_bytes(), watch);
}

/// Whether it came to nothing since somebody has interrupted it, and so wants nothing of it.
pub(super) fn is_unwanted(failure: Option<&Error>) -> bool {
    matches!(failure, Some(Error::Transaction(transaction::Error::Interrupted)))
        || (failure.is_some() && interrupt::seen())
}
