//! Cleans up a message as git does before it commits (git-commit(1), `--cleanup`).

use super::block::{self, Marks};
use super::clean::squeezed;

/// A cleanup mode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Cleanup {
    /// Keeps everything.
    #[default]
    Verbatim,
    /// Strips trailing whitespace, blank lines at both ends, and repeated blank lines.
    Whitespace,
    /// As `Whitespace`, and strips comments.
    Strip,
    /// As `Whitespace`, and strips everything from the scissors line on.
    Scissors,
}

/// The values of `--cleanup`.
pub const CLEANUP_NAMES: &[&str] = &["default", "strip", "whitespace", "verbatim", "scissors"];

/// The scissors line, after the comment prefix.
pub(super) const SCISSORS: &str = " ------------------------ >8 ------------------------";

impl Cleanup {
    /// The mode of this name. Some names mean another mode if the message was edited in an editor.
    pub fn named(name: &str, edited: bool) -> Option<Self> {
        Some(match name {
            "default" if edited => Self::Strip,
            "scissors" if edited => Self::Scissors,
            "default" | "scissors" | "whitespace" => Self::Whitespace,
            "strip" => Self::Strip,
            "verbatim" => Self::Verbatim,
            _ => return None,
        })
    }

    /// Cleans up a message in which comments begin with `comment`.
    pub fn apply(self, message: &str, comment: &str) -> String {
        let mut text = message;
        if self == Self::Verbatim {
            return text.to_owned();
        }
        if self == Self::Scissors {
            let cuts = |line: &&str| {
                line.strip_prefix(comment).is_some_and(|rest| rest.trim_end_matches('\n') == SCISSORS)
            };
            let kept = message.split_inclusive('\n').take_while(|line| !cuts(line));
            text = &message[..kept.map(str::len).sum()];
        }
        let lines = text.lines().filter(|line| self != Self::Strip || !line.starts_with(comment));
        let mut clean = squeezed(lines.map(|line| line.trim_end_matches([' ', '\t', '\r'])));
        if !clean.is_empty() {
            clean.push('\n');
        }
        clean
    }

    /// Puts a space before each line that this mode would strip as a comment.
    pub fn escape_comments(self, message: String, comment: &str) -> String {
        if self != Self::Strip || !message.lines().any(|line| line.starts_with(comment)) {
            return message;
        }
        let spare = |line: &str| match line.starts_with(comment) {
            true => format!(" {line}"),
            false => line.to_owned(),
        };
        message.split_inclusive('\n').map(spare).collect()
    }
}

/// Whether the user has removed all text from a message in the editor. Sign-offs and the trailers that were there
/// before do not count, because the user did not write them.
pub fn is_emptied(edited: &str, before: &str, marks: &Marks) -> bool {
    let end = block::start(before, marks).unwrap_or(before.len());
    let trailers: Vec<&str> = before[end..].lines().map(str::trim_end).collect();
    edited
        .lines()
        .map(str::trim_end)
        .all(|line| line.is_empty() || line.starts_with("Signed-off-by: ") || trailers.contains(&line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mode_strips_what_git_strips() {
        let text = "\n \nSubject  \r\n\n\n# comment\nbody\t\n\n# -x-\n# ------------------------ >8 ------------------------\nend\n\n";
        let of = |name, edited| Cleanup::named(name, edited).map(|cleanup| cleanup.apply(text, "#"));
        let whitespace = "Subject\n\n# comment\nbody\n\n# -x-\n# ------------------------ >8 ------------------------\nend\n";
        assert_eq!(of("whitespace", true).as_deref(), Some(whitespace));
        assert_eq!(of("default", false).as_deref(), Some(whitespace));
        assert_eq!(of("scissors", false).as_deref(), Some(whitespace));
        assert_eq!(of("default", true).as_deref(), Some("Subject\n\nbody\n\nend\n"));
        assert_eq!(of("strip", false).as_deref(), Some("Subject\n\nbody\n\nend\n"));
        assert_eq!(of("scissors", true).as_deref(), Some("Subject\n\n# comment\nbody\n\n# -x-\n"));
        assert_eq!(of("verbatim", true).as_deref(), Some(text));
        assert_eq!(of("nothing", true), None);
        assert!(CLEANUP_NAMES.iter().all(|name| Cleanup::named(name, false).is_some()));
    }

    #[test]
    fn lines_like_comments_can_be_escaped() {
        let text = "a\n# b\n#c\n";
        assert_eq!(Cleanup::Strip.escape_comments(text.into(), "#"), "a\n # b\n #c\n");
        assert_eq!(Cleanup::Whitespace.escape_comments(text.into(), "#"), text);
        assert_eq!(Cleanup::Strip.escape_comments(text.into(), ";"), text);
    }

    #[test]
    fn a_message_of_trailers_alone_is_empty() {
        let before = "x\n\nSigned-off-by: A <a@b>\nAssisted-by: m\n";
        assert!(is_emptied("\n \nSigned-off-by: C <c@d>\nAssisted-by: m\n", before, &Marks::default()));
        assert!(!is_emptied("x\n", before, &Marks::default()));
        assert!(!is_emptied("Assisted-by: me\n", before, &Marks::default()));
    }
}
