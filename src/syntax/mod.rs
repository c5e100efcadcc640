//! Merges snippets into files, by their definitions on syntax trees.
//!
//! Where the rules are not sure, they refuse. `language` has a table for each language, `tree` parses, `items` splits
//! lists, `snippet` reads a snippet, and `merge` has the rules.
//!
//! Without the feature `syntax`, no language is known.

#[cfg(feature = "syntax")]
mod check;
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

/// The hint where no rule applies.
const OTHER_FORMAT: &str = "give the change in another format";

/// Why a snippet is not merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeError {
    /// The message: a lowercase fragment.
    pub message: String,
    /// The hint.
    pub help: String,
    /// The line of the snippet, from 0.
    pub line: usize,
    /// The line of the file that it is about, from 0.
    pub file_line: Option<usize>,
    /// Whether the only problem is that a part of the file would be lost.
    pub loses: bool,
}

impl MergeError {
    /// The refusal of a file that is not UTF-8.
    pub fn not_text() -> Self {
        Self::new("the file is not UTF-8", OTHER_FORMAT)
    }

    /// The refusal of a file or snippet that is too long or takes too long to parse.
    #[cfg(feature = "syntax")]
    fn unparsed() -> Self {
        Self::new("the file or the code block is too long to be parsed", OTHER_FORMAT)
    }

    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into(), line: 0, file_line: None, loses: false }
    }

    #[cfg(feature = "syntax")]
    fn at(self, line: usize) -> Self {
        Self { line, ..self }
    }

    #[cfg(feature = "syntax")]
    fn in_file(self, line: usize) -> Self {
        Self { file_line: Some(line), ..self }
    }

    #[cfg(feature = "syntax")]
    fn loses(self) -> Self {
        Self { loses: true, ..self }
    }
}

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

/// The top-level definitions of a text that parses, such as "function `f`".
#[cfg(feature = "syntax")]
pub fn definitions(path: &str, text: &str) -> Vec<String> {
    merge::definitions(path, text)
}

/// The top-level definitions of a text: none, since no language is known.
#[cfg(not(feature = "syntax"))]
pub fn definitions(_: &str, _: &str) -> Vec<String> {
    Vec::new()
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
    Err(MergeError::new("snippets need the feature `syntax`, which is not built in", OTHER_FORMAT))
}
