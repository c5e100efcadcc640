//! Joins the messages of all commits of a landing into one text for the editor, and splits it again. Before each
//! message there is a line that names the commit.

use super::clean::clean_line;
use super::cleanup::{Cleanup, SCISSORS};

/// The text that the user edits.
#[derive(Debug, Clone)]
pub struct Sheet {
    /// The whole text.
    pub text: String,
    /// The comment prefix. No line of a message begins with it.
    comment: String,
    /// The prefixes of the lines that name commits.
    marks: Vec<String>,
    /// The instructions to the user.
    instructions: Vec<String>,
}

/// The error if the edited text cannot be split into messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost {
    /// The number of the commit whose line is missing, duplicate or out of order.
    pub commit: usize,
}

impl Sheet {
    /// Makes the text from commits, each a description and a message. The comment prefix is `comment`, repeated until
    /// no line of a message begins with it.
    pub fn new(commits: &[(String, &str)], comment: &str, cleanup: Cleanup) -> Self {
        let mut prefix = comment.to_owned();
        while commits.iter().any(|(_, message)| message.lines().any(|line| line.starts_with(&prefix))) {
            prefix.push_str(comment);
        }
        let mut text = String::new();
        let mut marks = Vec::new();
        for (at, (about, message)) in commits.iter().enumerate() {
            let mark = format!("{prefix} ---- commit {} of {}", at + 1, commits.len());
            text.push_str(&format!("{mark}: {}\n{}\n\n", clean_line(about), message.trim_end_matches('\n')));
            marks.push(mark);
        }
        let comment_rule = match cleanup {
            Cleanup::Strip => format!("Lines that begin with '{prefix}' are dropped."),
            Cleanup::Scissors => format!("Everything below '{prefix}{SCISSORS}' is cut off."),
            Cleanup::Whitespace | Cleanup::Verbatim => format!("Lines that begin with '{prefix}' are kept."),
        };
        let instructions = [
            "These are the messages of the commits that will land.",
            "Leave the lines that name the commits where they are.",
            &comment_rule,
            "If a message is empty, nothing lands at all.",
        ];
        let instructions: Vec<_> = instructions.iter().map(|line| format!("{prefix} {line}")).collect();
        text.push_str(&instructions.join("\n"));
        text.push('\n');
        Self { text, comment: prefix, marks, instructions }
    }

    /// The cleaned-up messages in the edited text.
    ///
    /// # Errors
    /// The lines that name commits are incomplete or out of order.
    pub fn read(&self, edited: &str, cleanup: Cleanup) -> Result<Vec<String>, Lost> {
        let mut messages: Vec<String> = Vec::new();
        for line in edited.split_inclusive('\n') {
            let bare = line.trim_end();
            if let Some(at) = self.marks.iter().position(|mark| is_mark(bare, mark)) {
                if at != messages.len() {
                    return Err(Lost { commit: at.min(messages.len()) + 1 });
                }
                messages.push(String::new());
            } else if !self.instructions.iter().any(|line| line == bare)
                && let Some(message) = messages.last_mut()
            {
                message.push_str(line);
            } else if messages.is_empty() && !bare.is_empty() && !bare.starts_with(&self.comment) {
                return Err(Lost { commit: 1 });
            }
        }
        if messages.len() < self.marks.len() {
            return Err(Lost { commit: messages.len() + 1 });
        }
        let ended = messages.iter().map(|message| match cleanup {
            // The blank line before the next commit is not part of the message.
            Cleanup::Verbatim => format!("{}\n", message.trim_end_matches('\n')),
            _ => cleanup.apply(message, &self.comment),
        });
        Ok(ended.collect())
    }
}

fn is_mark(line: &str, mark: &str) -> bool {
    line.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Sheet {
        let commits = [("a".to_owned(), "First\n\nBody\n"), ("b\n#".to_owned(), "Second\n")];
        Sheet::new(&commits, "#", Cleanup::Strip)
    }

    #[test]
    fn unedited_messages_are_read_back() {
        let sheet = two();
        assert!(sheet.text.starts_with("# ---- commit 1 of 2: a\nFirst\n"), "{}", sheet.text);
        assert_eq!(
            sheet.read(&sheet.text, Cleanup::Strip).unwrap_or_default(),
            ["First\n\nBody\n", "Second\n"]
        );
        for cleanup in [Cleanup::Whitespace, Cleanup::Verbatim, Cleanup::Scissors] {
            let sheet = Sheet::new(&[("a".to_owned(), "x\n")], "#", cleanup);
            assert_eq!(sheet.read(&sheet.text, cleanup).unwrap_or_default(), ["x\n"]);
        }
    }

    #[test]
    fn no_line_of_a_message_is_taken_for_a_comment_or_a_mark() {
        let message = "x\n\n# ---- commit 2 of 2\n## y\n";
        let sheet = Sheet::new(&[("a".to_owned(), message), ("b".to_owned(), "z\n")], "#", Cleanup::Strip);
        assert!(sheet.text.starts_with("### ---- commit 1"), "{}", sheet.text);
        assert_eq!(sheet.read(&sheet.text, Cleanup::Strip).unwrap_or_default(), [message, "z\n"]);
    }

    #[test]
    fn a_missing_line_that_names_a_commit_is_an_error() {
        let sheet = two();
        let lost = |text: &str| sheet.read(text, Cleanup::Strip).err().map(|lost| lost.commit);
        assert_eq!(lost(&sheet.text.replace("# ---- commit 2 of 2", "")), Some(2));
        assert_eq!(lost(&sheet.text.replace("commit 1", "commit 2")), Some(1));
        assert_eq!(lost(&sheet.text.replace("commit 2 of", "commit 1 of")), Some(1));
        assert_eq!(lost("Only this\n"), Some(1));
        assert_eq!(lost(""), Some(1));
        assert_eq!(lost(&sheet.text), None);
    }
}
