//! What went wrong with the world, for people and for programs.

use serde::Serialize;

/// What went wrong with the world, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Problem {
    /// The stable code of its kind.
    pub code: &'static str,
    /// What went wrong.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
    /// Whether the same may go well later.
    pub retryable: bool,
    /// The hook that refused.
    pub hook: Option<String>,
    /// The edit at whose commit it went wrong.
    pub edit: Option<usize>,
    /// The end of what a hook or a command has printed.
    pub output: Option<String>,
}

impl Problem {
    /// One of which no more is known.
    pub fn new(code: &'static str, message: String) -> Self {
        Self { code, message, ..Self::default() }
    }
}
