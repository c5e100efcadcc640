//! What git takes out of a message before it makes the commit (git-commit(1), `--cleanup`).

use super::block::{self, Marks};
use super::clean::squeezed;

/// How much is taken out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Cleanup {
    /// Nothing.
    #[default]
    Verbatim,
    /// Blanks at line ends, blank lines at both ends, and all but one of several blank lines.
    Whitespace,
    /// That, and comments.
    Strip,
    /// Likewise whitespace, and all from the scissors on.
    Scissors,
}

/// What `--cleanup` takes.
pub const CLEANUP_NAMES: &[&str] = &["default", "strip", "whitespace", "verbatim", "scissors"];

/// The line, behind the comment prefix, from which on a message is cut.
pub(super) const SCISSORS: &str = " ------------------------ >8 ------------------------";

impl Cleanup {
    /// The one of that name, for a message that an editor was opened for, or not; `None` if there is none.
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

    /// The message without what does not belong to it. Comments begin with `comment`.
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

    /// The text in a form in which none of its lines is a comment to this: one that would be gets a blank in front.
    pub fn spared(self, message: String, comment: &str) -> String {
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

/// Whether the user has taken out of a message all that it said: nothing is left but trailers that it ended with, which
/// nobody has written, and sign-offs.
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
    fn each_takes_out_what_its_name_says() {
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
    fn what_is_no_comment_can_be_kept_from_being_one() {
        let text = "a\n# b\n#c\n";
        assert_eq!(Cleanup::Strip.spared(text.into(), "#"), "a\n # b\n #c\n");
        assert_eq!(Cleanup::Whitespace.spared(text.into(), "#"), text);
        assert_eq!(Cleanup::Strip.spared(text.into(), ";"), text);
    }

    #[test]
    fn trailers_alone_say_nothing() {
        let before = "x\n\nSigned-off-by: A <a@b>\nAssisted-by: m\n";
        assert!(is_emptied("\n \nSigned-off-by: C <c@d>\nAssisted-by: m\n", before, &Marks::default()));
        assert!(!is_emptied("x\n", before, &Marks::default()));
        assert!(!is_emptied("Assisted-by: me\n", before, &Marks::default()));
    }
}
