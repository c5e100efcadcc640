//! Merges snippets into files, by their definitions on syntax trees.
//!
//! Where the rules are not sure, they refuse. `language` has a table for each language, `tree` parses, `items` splits
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

pub use error::MergeError;

/// Whether any language is built in.
pub const IS_BUILT_IN: bool = cfg!(feature = "syntax");

/// Whether the language of a file is built in.
#[cfg(feature = "syntax")]
pub fn knows(path: &str) -> bool {
    language::Language::of(path).is_some()
}

/// Merges a snippet into a file; both have `\n` line endings. With `may_lose`, lines of the file may be lost.
///
/// # Errors
/// The rules refuse.
#[cfg(feature = "syntax")]
pub fn merge(path: &str, file: &str, snippet: &str, may_lose: bool) -> Result<String, MergeError> {
    merge::merge(path, file, snippet, may_lose)
}

/// A definition of a file that its new text lacks, such as "function `f`", if both parse.
#[cfg(feature = "syntax")]
pub fn lost(path: &str, before: &str, after: &str) -> Option<String> {
    merge::lost(path, before, after)
}

/// A definition that is lost: none, since no language is known.
#[cfg(not(feature = "syntax"))]
pub fn lost(_: &str, _: &str, _: &str) -> Option<String> {
    None
}

/// Whether a code block may be the new text of another one, without the loss of a definition, or of what is in one.
#[cfg(feature = "syntax")]
pub fn keeps(path: &str, before: &str, after: &str, may_lose: bool) -> bool {
    merge::keeps(path, before, after, may_lose)
}

/// Whether one code block keeps the definitions of another: as far as is known, since no language is.
#[cfg(not(feature = "syntax"))]
pub fn keeps(_: &str, _: &str, _: &str, _: bool) -> bool {
    true
}

/// The line, from 0, of the first syntax error of a file, if it has more errors than before. A new file is compared with
/// an empty one.
#[cfg(feature = "syntax")]
pub fn worse(path: &str, before: &str, after: &str) -> Option<usize> {
    check::worse(path, before, after)
}

/// The first new syntax error: none, since no language is known.
#[cfg(not(feature = "syntax"))]
pub fn worse(_: &str, _: &str, _: &str) -> Option<usize> {
    None
}

/// Whether the language of a file is built in: never.
#[cfg(not(feature = "syntax"))]
pub fn knows(_: &str) -> bool {
    false
}

/// Refuses, since no language is known.
///
/// # Errors
/// Always.
#[cfg(not(feature = "syntax"))]
pub fn merge(_: &str, _: &str, _: &str, _: bool) -> Result<String, MergeError> {
    Err(MergeError::new("snippets need the feature `syntax`, which is not built in", error::OTHER_FORMAT))
}
