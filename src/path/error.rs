//! Why a path is invalid, and what to write instead.

/// Why a path is invalid.
///
/// Messages quote the response, shortened but not escaped. [`PathError::help`] says what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// It is empty or the worktree itself, or ends with a slash.
    #[error("the path names no file")]
    NoFile,
    /// It exceeds one of the limits.
    #[error(
        "the path is longer than {} bytes or {} names, or has a name longer than {} bytes",
        super::MAX_PATH,
        super::MAX_COMPONENTS,
        super::MAX_COMPONENT
    )]
    TooLong,
    /// A control character, a backslash that does not separate names, or the first character of an invisible name.
    #[error("the path has the character U+{:04X}", u32::from(*.0))]
    Character(char),
    /// A blank or a zero-width character at the beginning or end.
    #[error("the path begins or ends with a blank or a zero-width character")]
    Blank,
    /// A component that is empty, `.` or `..`.
    #[error("the path has an empty component, `.` or `..`")]
    Dots,
    /// A component that is `.git`, or that some file system takes for it; on Windows also the name of a device, or a
    /// name that Windows does not allow.
    #[error("git or the file system reserves the name `{0}`")]
    Reserved(String),
    /// An absolute path outside of the worktree, or one on another drive or machine.
    #[error("`{0}` is outside of the repository")]
    Outside(String),
    /// A `file:` URL with a bad `%` escape, a query or a fragment.
    #[error("the path is a malformed `file:` URL")]
    MalformedUrl,
    /// OPX's `root=` names no directory at the repository's top, or one that does not contain the path.
    #[error("root `{0}` is no directory at the repository's top, or the path is outside of it")]
    Root(String),
}

impl PathError {
    /// What to write instead.
    pub fn help(&self) -> &'static str {
        match self {
            PathError::TooLong | PathError::Character(_) | PathError::Reserved(_) => "choose another name",
            PathError::Root(_) => "leave `root` out, and write the path relative to the repository's root",
            _ => "write the path relative to the repository's root, such as `src/main.rs`",
        }
    }
}

/// Shortens a text of the response for a message.
pub(super) fn quoted(text: &str) -> String {
    const SHOWN: usize = 80;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
