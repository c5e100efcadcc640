//! What of a line counts when lines are compared.

use std::borrow::Cow;

/// What of a line's text counts, the strictest first. Two lines are equal in a form if [`Form::of`] gives equal bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// Every byte.
    Text,
    /// All but blanks at its end.
    Trailing,
    /// All but blanks at both ends.
    Trimmed,
}

impl Form {
    /// All of them.
    pub const ALL: [Form; 3] = [Form::Text, Form::Trailing, Form::Trimmed];

    /// What counts of a line's text.
    pub fn of(self, text: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Form::Text => Cow::Borrowed(text),
            Form::Trailing => Cow::Borrowed(trim_end(text)),
            Form::Trimmed => Cow::Borrowed(trim_start(trim_end(text))),
        }
    }

    /// The hash that [`super::Content::hashes`] has for a line with that text.
    pub fn hash(self, text: &[u8]) -> u64 {
        super::chunk::hash(&self.of(text))
    }

    /// Whether two lines are equal in this form.
    pub fn eq(self, left: &[u8], right: &[u8]) -> bool {
        self.of(left) == self.of(right)
    }
}

/// Whether a byte is a blank: space, tab, or the control characters that editors show as blank.
fn blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

/// Whether there is nothing but blanks.
pub(super) fn is_blank(text: &[u8]) -> bool {
    text.iter().copied().all(blank)
}

fn trim_end(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|&b| !blank(b)).map_or(0, |at| at + 1);
    &text[..end]
}

fn trim_start(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|&b| !blank(b)).unwrap_or(text.len());
    &text[start..]
}
