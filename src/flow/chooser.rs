//! The interface to the user who approves edits: questions and answers.

use super::Error;

/// The user who approves edits.
pub trait Chooser: std::fmt::Debug {
    /// Asks about an edit or a hunk. The answer must be one that the question allows.
    ///
    /// # Errors
    /// There is no answer. Then nothing lands.
    fn choose(&self, question: &Asked<'_>) -> Result<Answer, Error>;

    /// Tells the user what an answer entails, for example that a dependent edit is left out, too.
    fn tell(&self, text: &str);
}

/// A question about an edit or a hunk.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    /// The edit's number.
    pub number: usize,
    /// The number of edits.
    pub of: usize,
    /// If the question is about a hunk: its number, and the number of hunks.
    pub hunk: Option<(usize, usize)>,
    /// The operation.
    pub operation: &'static str,
    /// The path.
    pub path: String,
    /// The model's reason.
    pub why: Option<&'a str>,
    /// The diff.
    pub diff: String,
    /// Whether the user can edit the new text.
    pub can_edit: bool,
    /// Whether the user can choose hunk by hunk.
    pub can_split: bool,
    /// Whether the user can edit the commit message.
    pub can_edit_message: bool,
    /// Whether the user can go back to an earlier question.
    pub can_go_back: bool,
}

/// The user's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Land it.
    Take,
    /// Leave it out, with the reason if the user gave one.
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
    /// Take back the previous answer, and ask that question again.
    Back,
}
