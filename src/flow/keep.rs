//! Keeping texts that exist only once, if they do not land.

use super::{Error, Watch};
use crate::transaction::{self, KeptText, interrupt};
use crate::vcs::repo::Repo;

/// Keeps a text, and says where.
pub(super) fn keep_text(repo: &Repo, kind: KeptText, what: &str, bytes: &[u8], watch: &dyn Watch) {
    watch.warn(&match kind.keep(repo, bytes) {
        Ok(file) => format!("{what} is kept in {}", file.display()),
        Err(error) => format!("{what} is lost: {error}"),
    });
}

/// Keeps a response as it came, which need not be UTF-8, and says where. An empty one is not kept.
pub fn keep_answer(repo: &Repo, bytes: &[u8], watch: &dyn Watch) {
    if !bytes.trim_ascii().is_empty() {
        keep_text(repo, KeptText::Response, "the response", bytes, watch);
    }
}

/// Keeps several responses as one.
pub fn keep_answers<'t>(repo: &Repo, texts: impl Iterator<Item = &'t str>, watch: &dyn Watch) {
    keep_answer(repo, texts.collect::<Vec<_>>().join("\n").as_bytes(), watch);
}

/// Whether the user has interrupted the flow, and so does not want the response.
pub(super) fn is_unwanted(failure: Option<&Error>) -> bool {
    matches!(failure, Some(Error::Transaction(transaction::Error::Interrupted)))
        || (failure.is_some() && interrupt::seen())
}
