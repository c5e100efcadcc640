//! A hunk as marked lines, which can be written in any format.

use crate::answer::{self, Answers};
use crate::check::{Ran, run};
use proptest::test_runner::TestCaseError;

/// Lines with the marks of a diff.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Hunk(pub(crate) Vec<(char, String)>);

impl Hunk {
    pub(crate) fn push(&mut self, mark: char, text: impl Into<String>) {
        self.0.push((mark, text.into()));
    }

    fn without(&self, mark: char) -> String {
        let lines = self.0.iter().filter(|line| line.0 != mark);
        lines.map(|(_, text)| format!("{text}\n")).collect()
    }

    /// Returns the text before the change.
    pub(crate) fn find(&self) -> String {
        self.without('+')
    }

    /// Returns the text after the change.
    pub(crate) fn put(&self) -> String {
        self.without('-')
    }

    /// Returns the marked lines.
    pub(crate) fn body(&self) -> String {
        self.0.iter().map(|(mark, text)| format!("{mark}{text}\n")).collect()
    }

    /// Returns the numbers of lines before and after the change.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let without = |mark: char| self.0.iter().filter(|line| line.0 != mark).count();
        (without('+'), without('-'))
    }

    /// Returns whether it quotes something and changes something.
    pub(crate) fn is_sound(&self) -> bool {
        self.find().chars().any(|c| c.is_alphanumeric()) && self.find() != self.put()
    }
}

/// Writes hunks of one file in every format, without headings or numbers.
pub(crate) fn plain(path: &str, hunks: &[Hunk]) -> Answers {
    let texts: Vec<(String, String)> = hunks.iter().map(|hunk| (hunk.find(), hunk.put())).collect();
    let pairs: Vec<(&str, &str)> = texts.iter().map(|(find, put)| (find.as_str(), put.as_str())).collect();
    let body: String = hunks.iter().map(|hunk| format!("@@\n{}", hunk.body())).collect();
    answer::texts(path, &pairs).and(answer::diffs(path, &body))
}

/// Returns the file after each of the answers that lands.
pub(crate) fn landed(path: &str, file: &str, answers: &Answers) -> Vec<(String, String)> {
    let all = answers.0.iter().filter_map(|(format, answer)| match run(path, file, answer) {
        Ran::Changed(mut files, _) => Some((format!("{format}:\n{answer}"), files.remove(path)?)),
        Ran::Unreadable(why) => panic!("{format} is not read: {why}\n{answer}"),
        _ => None,
    });
    all.collect()
}

/// Fails if an answer lands with a result that is not allowed.
pub(crate) fn allow(
    path: &str,
    file: &str,
    answers: &Answers,
    allowed: impl Fn(&str) -> bool,
) -> Result<(), TestCaseError> {
    match landed(path, file, answers).into_iter().find(|(_, after)| !allowed(after)) {
        None => Ok(()),
        Some((answer, after)) => {
            let message = format!("the file\n{file}---\nbecomes\n{after}---\nby {answer}");
            Err(TestCaseError::fail(message))
        }
    }
}
