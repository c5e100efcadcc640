//! Saves texts that did not land and that the user has no other copy of.

use super::{Error, Watch};
use crate::transaction::{self, KeptText, interrupt};
use crate::vcs::repo::Repo;

/// Saves a text in the git directory, and tells the user where it is.
pub(super) fn keep_text(repo: &Repo, kind: KeptText, what: &str, bytes: &[u8], watch: &dyn Watch) {
    watch.warn(&match kind.keep(repo, bytes) {
        Ok(file) => format!("{what} is kept in {}", file.display()),
        Err(error) => format!("{what} is lost: {error}"),
    });
}

/// Saves a response byte for byte, even if it is not UTF-8, and tells the user where it is. An empty response is not
/// saved.
pub fn keep_answer(repo: &Repo, bytes: &[u8], watch: &dyn Watch) {
    if !bytes.trim_ascii().is_empty() {
        keep_text(repo, KeptText::Response, "the response", bytes, watch);
    }
}

/// Saves several responses in one file.
pub fn keep_answers<'t>(repo: &Repo, texts: impl Iterator<Item = &'t str>, watch: &dyn Watch) {
    keep_answer(repo, texts.collect::<Vec<_>>().join("\n").as_bytes(), watch);
}

/// Whether the user interrupted the flow, and so does not want the response to be kept.
pub(super) fn is_unwanted(failure: Option<&Error>) -> bool {
    matches!(failure, Some(Error::Transaction(transaction::Error::Interrupted)))
        || (failure.is_some() && interrupt::seen())
}
