//! Why a path may not be used, and what to write instead.

/// Why a path may not be used.
///
/// The message says what is wrong, [`PathError::help`] what to write instead. Messages quote the response, shortened
/// but not escaped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing there.
    #[error("the path is empty")]
    Empty,
    /// Over [`super::MAX_PATH`].
    #[error("the path is {bytes} bytes long, more than {}", super::MAX_PATH)]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// Over [`super::MAX_COMPONENTS`].
    #[error("the path has {components} names, more than {}", super::MAX_COMPONENTS)]
    TooDeep {
        /// How many it has.
        components: usize,
    },
    /// Over [`super::MAX_COMPONENT`].
    #[error("a name in the path is {bytes} bytes long, more than {}", super::MAX_COMPONENT)]
    ComponentTooLong {
        /// How long it is.
        bytes: usize,
    },
    /// C0, DEL or C1; also a line break or tab.
    #[error("the path holds the control character U+{:04X}", u32::from(*.character))]
    ControlCharacter {
        /// The first one.
        character: char,
    },
    /// A `\` in a path in git's form.
    #[error("the path holds a backslash")]
    Backslash,
    /// Begins with `/`.
    #[error("the path is absolute")]
    Absolute,
    /// Begins with `//` or `\\`.
    #[error("the path names a network share")]
    NetworkShare,
    /// A letter and a colon.
    #[error("`{component}` begins with a drive letter")]
    DriveLetter {
        /// The component.
        component: String,
    },
    /// Ends with `/`.
    #[error("the path ends with a slash")]
    TrailingSlash,
    /// `//` inside.
    #[error("the path has two slashes in a row")]
    EmptyComponent,
    /// A component of code points that show as nothing.
    #[error("the name `{component}` has no visible character")]
    Invisible {
        /// The component.
        component: String,
    },
    /// A component `.`.
    #[error("the path holds a `.` component")]
    Dot,
    /// A component `..`.
    #[error("the path holds a `..` component")]
    DotDot,
    /// A component that is `.git`, or that some file system takes for it.
    #[error("`{component}` is git's own directory, or some file systems take it for that")]
    DotGit {
        /// The component.
        component: String,
    },
    /// A device's name, or a name that Windows cannot hold. On Windows only.
    #[error("`{component}` cannot be a file's name on Windows")]
    WindowsName {
        /// The component.
        component: String,
    },
    /// A blank, or a zero-width character, before the first or after the last character.
    #[error("the path begins or ends with a blank or a zero-width character")]
    OuterBlank,
    /// `\` before a blank.
    #[error("the path has a backslash before a blank")]
    EscapedBlank,
    /// `~/`.
    #[error("the path begins with `~/`, which stands for a home directory")]
    HomeDirectory,
    /// An absolute path that does not lie in the worktree.
    #[error("`{path}` is outside the worktree `{worktree}`")]
    OutsideWorktree {
        /// The path.
        path: String,
        /// The worktree's path.
        worktree: String,
    },
    /// An absolute path where there is no worktree.
    #[error("`{path}` is absolute, and a bare repository has no worktree that it could be in")]
    NoWorktree {
        /// The path.
        path: String,
    },
    /// The worktree's own path.
    #[error("the path is the worktree's own directory")]
    WorktreeItself,
    /// A URL with another scheme than `file`.
    #[error("the path is a `{scheme}:` URL")]
    Url {
        /// The scheme.
        scheme: String,
    },
    /// A `file:` URL that names another machine.
    #[error("the path is a `file:` URL of the host `{host}`")]
    FileUrlHost {
        /// The host.
        host: String,
    },
    /// A `file:` URL with a bad `%` escape, a query or a fragment.
    #[error("the path is a malformed `file:` URL: {problem}")]
    FileUrlSyntax {
        /// What is wrong with it.
        problem: &'static str,
    },
    /// OPX's `root=` is neither the repository's name nor a folder at the top.
    #[error("root `{root}` is neither the repository's directory nor a directory at its top")]
    UnknownRoot {
        /// As written.
        root: String,
    },
    /// An absolute path inside the worktree, but outside the folder that `root=` names.
    #[error("the path is absolute and lies outside of `{root}`, the root that is given")]
    OutsideRoot {
        /// As written.
        root: String,
    },
}

impl PathError {
    /// What to write instead.
    pub fn help(&self) -> &'static str {
        match self {
            PathError::Empty | PathError::WorktreeItself => {
                "name one file, relative to the repository's root, such as `src/main.rs`"
            }
            PathError::TooLong { .. } | PathError::ComponentTooLong { .. } => "choose a shorter name",
            PathError::TooDeep { .. } => "choose a path through fewer directories",
            PathError::ControlCharacter { .. } | PathError::Invisible { .. } => {
                "write the name on one line, with visible characters only"
            }
            PathError::Backslash => "separate the names with `/`",
            PathError::Absolute
            | PathError::NetworkShare
            | PathError::DriveLetter { .. }
            | PathError::HomeDirectory
            | PathError::OutsideWorktree { .. }
            | PathError::NoWorktree { .. }
            | PathError::Url { .. }
            | PathError::FileUrlHost { .. }
            | PathError::FileUrlSyntax { .. } => {
                "write the path relative to the repository's root, such as `src/main.rs`; nothing outside is edited"
            }
            PathError::TrailingSlash => "name a file, without a slash at the end",
            PathError::EmptyComponent => "write one slash between two names",
            PathError::Dot | PathError::DotDot => {
                "write the path from the repository's root, without `.` and `..`"
            }
            PathError::DotGit { .. } => "choose another name; nothing in git's own directory is edited",
            PathError::WindowsName { .. } => {
                "choose a name that is no device's, has none of `<>:\"|?*` and ends in no dot or blank"
            }
            PathError::OuterBlank => "write the path without blanks around it",
            PathError::EscapedBlank => "write the blank as it is, and separate the names with `/`",
            PathError::UnknownRoot { .. } => {
                "leave `root` out, and write the path relative to the repository's root"
            }
            PathError::OutsideRoot { .. } => "write the path relative to that directory, or leave `root` out",
        }
    }
}

/// Text of the response for a message: not more than is needed to find it.
pub(super) fn quoted(text: &str) -> String {
    const SHOWN: usize = 80;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
