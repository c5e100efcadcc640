//! Markdown code fences: tolerated around edits, and a place where some formats name the file.

use super::scan::{trim, trim_start};

/// A line that opens or closes a fenced code block: three or more backticks or tildes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fence<'r> {
    /// Backtick or tilde.
    pub mark: u8,
    /// How many of them.
    pub length: usize,
    /// What stands after them, trimmed: a language or a file name; empty for a fence that may close one.
    pub info: &'r str,
}

impl<'r> Fence<'r> {
    /// The fence that a line is, indented or not; `None` for any other line. As in CommonMark, a fence of backticks has
    /// none in its info, which tells it from code within a line.
    pub fn of(line: &'r str) -> Option<Self> {
        let text = trim_start(line);
        let mark = *text.as_bytes().first()?;
        if mark != b'`' && mark != b'~' {
            return None;
        }
        let length = text.bytes().take_while(|&byte| byte == mark).count();
        let info = trim(&text[length..]);
        (length >= 3 && (mark == b'~' || !info.contains('`'))).then_some(Self { mark, length, info })
    }

    /// Whether this fence closes a block that `opening` opened: the same mark, at least as long, and no info.
    pub fn closes(self, opening: Fence<'_>) -> bool {
        self.mark == opening.mark && self.length >= opening.length && self.info.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_or_more_marks_are_a_fence_with_what_follows_as_info() {
        assert_eq!(Fence::of("```"), Some(Fence { mark: b'`', length: 3, info: "" }));
        assert_eq!(Fence::of("  ~~~~~ rust "), Some(Fence { mark: b'~', length: 5, info: "rust" }));
        assert_eq!(Fence::of("```src/a.rs"), Some(Fence { mark: b'`', length: 3, info: "src/a.rs" }));
        for line in ["", "``", "code", "```x``` inline", "-```"] {
            assert_eq!(Fence::of(line), None, "{line:?}");
        }
    }

    #[test]
    fn a_fence_is_closed_by_its_own_mark_at_least_as_long() {
        let closes = |close, open| Fence::of(close).unwrap().closes(Fence::of(open).unwrap());
        assert!(closes("````", "```rust"));
        assert!(!closes("```", "````"));
        assert!(!closes("~~~", "```"));
        assert!(!closes("```rust", "```"));
    }
}
