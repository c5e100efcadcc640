//! An error that is not about the response, such as a hook that refused or a lock.

use serde::Serialize;

/// The code for corrections that cannot be matched with the refused edits.
pub const MISMATCH: &str = "mismatch";
/// The code for a run that a signal ended.
pub const INTERRUPTED: &str = "interrupted";
/// The code for a model that gave no answer.
pub const MODEL_COMMAND: &str = "model-command";

/// An error that is not about the response.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Problem {
    /// The stable code of its kind.
    pub code: &'static str,
    /// The message.
    pub message: String,
    /// The hint.
    pub help: Option<String>,
    /// Whether the same run may succeed later.
    pub retryable: bool,
    /// The hook that refused.
    pub hook: Option<String>,
    /// The number of the edit whose commit failed.
    pub edit: Option<usize>,
    /// The end of the output of a hook or command.
    pub output: Option<String>,
}

impl Problem {
    /// An error with a message only.
    pub fn new(code: &'static str, message: String) -> Self {
        Self { code, message, ..Self::default() }
    }
}
