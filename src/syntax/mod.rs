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

pub use error::MergeError;

/// Whether any language is built in.
pub const IS_BUILT_IN: bool = cfg!(feature = "syntax");

/// Returns whether the language of a file is built in.
#[cfg(feature = "syntax")]
pub fn knows(path: &str) -> bool {
    language::Language::of(path).is_some()
}

/// Merges a snippet into a file; both have `\n` line endings. With `may_lose`, lines of the file may get lost.
///
/// # Errors
/// The rules refuse.
#[cfg(feature = "syntax")]
pub fn merge(path: &str, file: &str, snippet: &str, may_lose: bool) -> Result<String, MergeError> {
    merge::merge(path, file, snippet, may_lose)
}

/// Returns a definition of a file that its new text lacks, such as "function `f`". Both have to parse.
#[cfg(feature = "syntax")]
pub fn lost(path: &str, before: &str, after: &str) -> Option<String> {
    merge::lost(path, before, after)
}

/// Returns `None`, because no language is built in.
#[cfg(not(feature = "syntax"))]
pub fn lost(_: &str, _: &str, _: &str) -> Option<String> {
    None
}

/// Returns whether a code block may be the new text of another one: no definition, and nothing inside of one, is lost.
#[cfg(feature = "syntax")]
pub fn keeps(path: &str, before: &str, after: &str, may_lose: bool) -> bool {
    merge::keeps(path, before, after, may_lose)
}

/// Returns true, because no language is built in that could tell.
#[cfg(not(feature = "syntax"))]
pub fn keeps(_: &str, _: &str, _: &str, _: bool) -> bool {
    true
}

/// Returns the line, from 0, of the first syntax error of a file, if the file has more errors than before. A new file
/// is compared with an empty one.
#[cfg(feature = "syntax")]
pub fn worse(path: &str, before: &str, after: &str) -> Option<usize> {
    check::worse(path, before, after)
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
