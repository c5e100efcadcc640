//! Definitions merged on syntax trees: what a snippet makes of the file that it is for.
//!
//! Where the rules cannot tell they refuse. `language` has a table for each language, `tree` parses, `items` says what a list
//! is made of, `snippet` reads a snippet, and `merge` has the rules.
//!
//! Without the feature `syntax` no language is known.

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

/// What to do where no rule fits.
const OTHER_FORMAT: &str = "give the change in another format";

/// Why a snippet is not merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong: a lowercase fragment.
    pub message: String,
    /// What to do next.
    pub help: String,
    /// The line of the snippet, from 0.
    pub line: usize,
    /// The line of the file, from 0, that it is about.
    pub file_line: Option<usize>,
    /// Whether something of the file would be lost, and nothing else is wrong.
    pub loses: bool,
}

impl Refusal {
    /// Of a file that is no text.
    pub fn not_text() -> Self {
        Self::new("the file is not UTF-8", OTHER_FORMAT)
    }

    /// Of a file or snippet that is too long, or that the parser gave up on.
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

/// What a snippet makes of a file; both end their lines with `\n`. With `may_lose` lines of the file may be lost.
///
/// # Errors
/// Where the rules refuse.
#[cfg(feature = "syntax")]
pub fn merge(path: &str, file: &str, snippet: &str, may_lose: bool) -> Result<String, Refusal> {
    merge::merge(path, file, snippet, may_lose)
}

/// The definitions at the top level of a text that parses, each by what it is and its name.
#[cfg(feature = "syntax")]
pub fn definitions(path: &str, text: &str) -> Vec<String> {
    merge::definitions(path, text)
}

/// The definitions of a text: no language is known.
#[cfg(not(feature = "syntax"))]
pub fn definitions(_: &str, _: &str) -> Vec<String> {
    Vec::new()
}

/// The line, from 0, of the first syntax error of a file, if it has more of them than before. A file that was not there is
/// compared with an empty one.
#[cfg(feature = "syntax")]
pub fn worse(path: &str, before: &str, after: &str) -> Option<usize> {
    check::worse(path, before, after)
}

/// The line of the first syntax error of a file: no language is known.
#[cfg(not(feature = "syntax"))]
pub fn worse(_: &str, _: &str, _: &str) -> Option<usize> {
    None
}

/// Whether the language of a file is built in: none is.
#[cfg(not(feature = "syntax"))]
pub fn knows(_: &str) -> bool {
    false
}

/// What a snippet makes of a file: no language is known.
///
/// # Errors
/// Always.
#[cfg(not(feature = "syntax"))]
pub fn merge(_: &str, _: &str, _: &str, _: bool) -> Result<String, Refusal> {
    Err(Refusal::new("snippets need the feature `syntax`, which is not built in", OTHER_FORMAT))
}
