//! The user who approves edits, and the questions.

use super::Error;

/// The user who approves edits.
pub trait Chooser: std::fmt::Debug {
    /// Asks about an edit or a hunk. The answer is one that the question allows.
    ///
    /// # Errors
    /// There is no answer; nothing lands then.
    fn choose(&self, question: &Asked<'_>) -> Result<Answer, Error>;

    /// Tells the user what follows from an answer.
    fn tell(&self, text: &str);
}

/// A question about an edit or a hunk.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    /// The edit's number.
    pub number: usize,
    /// How many edits there are.
    pub of: usize,
    /// The hunk's number, and the number of hunks, if it is about a hunk.
    pub hunk: Option<(usize, usize)>,
    /// The operation.
    pub operation: &'static str,
    /// The path.
    pub path: String,
    /// The model's reason.
    pub why: Option<&'a str>,
    /// The diff.
    pub diff: String,
    /// Whether the user can edit its new text.
    pub can_edit: bool,
    /// Whether the user can choose its hunks one by one.
    pub can_split: bool,
    /// Whether the user can edit its message.
    pub can_edit_message: bool,
    /// Whether there is a question before it.
    pub can_go_back: bool,
}

/// The user's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Land it.
    Take,
    /// Leave it out, for that reason if one is given.
    Leave(Option<String>),
    /// Land it, and all later edits of the file.
    TakeFile,
    /// Leave it out, and all later edits of the file.
    LeaveFile(Option<String>),
    /// Leave it out, and all later edits.
    Quit,
    /// Edit its new text, and ask again.
    Edit,
    /// Edit its message, and ask again.
    Message,
    /// Ask about its hunks.
    Split,
    /// Take the answer before back, and ask that question again.
    Back,
}
