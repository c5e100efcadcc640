//! Merges snippets into files, by their definitions on syntax trees.
//!
//! If the rules are not sure, they refuse. `language` has a table for each language, `tree` parses, `items` splits
//! lists, `snippet` reads a snippet, and `merge` has the rules.
//!
//! Without the feature `syntax`, no language is known.

#[cfg(feature = "syntax")]
mod check;
mod error;
#[cfg(feature = "syntax")]
mod items;
#[cfg(feature = "syntax")]
mod language;
#[cfg(feature = "syntax")]
mod merge;
#[cfg(feature = "syntax")]
mod snippet;
#[cfg(feature = "syntax")]
#[cfg(test)]
mod tests;
#[cfg(feature = "syntax")]
mod tree;

#[cfg(feature = "syntax")]
pub use check::worse;
pub use error::MergeError;
#[cfg(feature = "syntax")]
pub use merge::{keeps, lost, merge};

/// Whether any language is built in.
pub const IS_BUILT_IN: bool = cfg!(feature = "syntax");

/// Returns whether the language of a file is built in.
#[cfg(feature = "syntax")]
pub fn knows(path: &str) -> bool {
    language::Language::of(path).is_some()
}

/// Returns `None`, because no language is built in.
#[cfg(not(feature = "syntax"))]
pub fn lost(_: &str, _: &str, _: &str) -> Option<String> {
    None
}

/// Returns true, because no language is built in that could tell.
#[cfg(not(feature = "syntax"))]
pub fn keeps(_: &str, _: &str, _: &str, _: bool) -> bool {
    true
}

/// Returns `None`, because no language is built in.
#[cfg(not(feature = "syntax"))]
pub fn worse(_: &str, _: &str, _: &str) -> Option<usize> {
    None
}

/// Returns false, because no language is built in.
#[cfg(not(feature = "syntax"))]
pub fn knows(_: &str) -> bool {
    false
}

/// Refuses, because no language is built in.
///
/// # Errors
/// Always.
#[cfg(not(feature = "syntax"))]
pub fn merge(_: &str, _: &str, _: &str, _: bool) -> Result<String, MergeError> {
    Err(MergeError::new(
        "snippets need the feature `syntax`, which is not built in",
        error::HELP_OTHER_FORMAT,
    ))
}
