//! The errors of merging a snippet.

/// The reason why a snippet is not merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeError {
    /// The message: a lowercase fragment.
    pub message: String,
    /// The hint.
    pub help: &'static str,
    /// The line of the snippet, from 0.
    pub line: usize,
    /// The line of the file that it is about, from 0.
    pub file_line: Option<usize>,
    /// Whether the only problem is that a part of the file would be lost.
    pub loses: bool,
}

/// The hint if no rule applies.
pub(super) const HELP_OTHER_FORMAT: &str = "give the change in another format";

impl MergeError {
    /// A file that is not UTF-8.
    pub fn not_text() -> Self {
        Self::new("the file is not UTF-8", HELP_OTHER_FORMAT)
    }

    pub(super) fn new(message: impl Into<String>, help: &'static str) -> Self {
        Self { message: message.into(), help, line: 0, file_line: None, loses: false }
    }
}

#[cfg(feature = "syntax")]
pub(super) use of_rules::{FILE, HELP_CONTAINER, HELP_MARK, HELP_WHOLE, SNIPPET};

/// The errors of the rules, and their hints.
#[cfg(feature = "syntax")]
mod of_rules {
    use super::{HELP_OTHER_FORMAT, MergeError};
    use crate::syntax::items::Definition;

    /// The file and the snippet in messages.
    pub(in crate::syntax) const FILE: &str = "file";
    pub(in crate::syntax) const SNIPPET: &str = "code block";

    pub(in crate::syntax) const HELP_WHOLE: &str =
        "give the whole function, class, other definition or import";
    pub(in crate::syntax) const HELP_CONTAINER: &str =
        "give the class or module around it, and all of that name there in the order of the file";
    pub(in crate::syntax) const HELP_MARK: &str =
        "give it too, or mark what is left out with `... existing code ...` as a comment";

    impl MergeError {
        /// A file or snippet that is too long, takes too long to parse, or is nested too deeply.
        pub(in crate::syntax) fn too_long() -> Self {
            Self::new("the file or the code block is too long or nested too deeply", HELP_OTHER_FORMAT)
        }

        /// A text that does not parse.
        pub(in crate::syntax) fn syntax(of: &str, help: &'static str) -> Self {
            Self::new(format!("the {of} has a syntax error"), help)
        }

        /// Lines that cannot be re-indented for the file.
        pub(in crate::syntax) fn indentation() -> Self {
            Self::new("the code block is not indented as the file is", "indent it as in the file")
        }

        /// A part of the file that is missing in a definition, or in the whole snippet.
        pub(in crate::syntax) fn lacks(owner: &str, what: &str, help: &'static str) -> Self {
            Self::new(format!("the {owner} lacks {what} of the file"), help)
        }

        /// A part of the snippet that the file, or a definition of it, should have.
        pub(in crate::syntax) fn absent(owner: &str, what: &str, help: &'static str) -> Self {
            Self::new(format!("the {owner} does not have {what} here"), help)
        }

        /// A name or a statement with several matches.
        pub(in crate::syntax) fn several(owner: &str, what: &str, help: &'static str) -> Self {
            Self::new(format!("the {owner} has more than one {what}"), help)
        }

        /// A new definition or import without a place.
        pub(in crate::syntax) fn no_place(what: &str) -> Self {
            let help = "give the definition or import right before or after it in the file, too";
            Self::new(format!("it is not clear where {what} goes"), help)
        }

        /// An elision that does not say what it stands for.
        pub(in crate::syntax) fn unclear_elision(what: &str, help: &'static str) -> Self {
            Self::new(format!("it is not clear what {what} leaves out"), help)
        }

        pub(in crate::syntax) fn at(self, line: usize) -> Self {
            Self { line, ..self }
        }

        pub(in crate::syntax) fn in_file(self, line: usize) -> Self {
            Self { file_line: Some(line), ..self }
        }

        /// Sets the lines to those of a definition of the snippet, and of the file.
        pub(in crate::syntax) fn about(self, new: &Definition<'_>, old: Option<&Definition<'_>>) -> Self {
            let row = |one: &Definition<'_>| one.core.start_position().row;
            Self { line: row(new), file_line: old.map(row), ..self }
        }

        pub(in crate::syntax) fn loses(self) -> Self {
            Self { loses: true, ..self }
        }
    }
}
