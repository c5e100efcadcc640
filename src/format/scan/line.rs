//! A line, and functions for the text of a line.

/// A line or the rest of a line, without its line break and its margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'r> {
    pub text: &'r str,
    /// The offset of its first byte in the response.
    pub start: usize,
    /// The offset after its line break; the end of the response for the last line.
    pub next: usize,
    /// The offset of its margin; `None` for the rest of a line.
    pub(in crate::format) margin_start: Option<usize>,
}

impl<'r> Line<'r> {
    /// The line without its first `count` bytes.
    #[must_use]
    pub fn skip(self, count: usize) -> Self {
        let count = count.min(self.text.len());
        let margin_start = self.margin_start.filter(|_| count == 0);
        Self { text: self.text.get(count..).unwrap_or(""), start: self.start + count, margin_start, ..self }
    }

    /// The offset after its last byte.
    pub fn end(self) -> usize {
        self.start + self.text.len()
    }

    /// The first byte that is not blank. This is cheap, so parsers look at it first.
    pub fn first_byte(self) -> Option<u8> {
        self.text.bytes().find(|&byte| !is_blank(byte))
    }

    /// Whether it has only blanks.
    pub fn is_blank(self) -> bool {
        self.first_byte().is_none()
    }

    /// Whether it is a whole line.
    pub fn is_whole(self) -> bool {
        self.margin_start.is_some()
    }

    /// The blanks at its beginning.
    pub fn blanks(self) -> &'r str {
        &self.text[..self.text.len() - trim_start(self.text).len()]
    }

    /// The line without the blanks at its beginning.
    #[must_use]
    pub fn trim_start(self) -> Self {
        self.skip(self.blanks().len())
    }

    /// Returns the line without `word` at its beginning, or the same line if it does not begin with `word`.
    #[must_use]
    pub fn past(self, word: &str) -> Self {
        self.skip(if self.text.starts_with(word) { word.len() } else { 0 })
    }

    /// Its text without blanks at both ends.
    pub fn trimmed(self) -> &'r str {
        trim(self.text)
    }
}

#[cfg(test)]
thread_local! {
    /// The number of lines that were read, as a measure of work.
    pub(super) static LINES_READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The number of lines that this thread has read.
#[cfg(test)]
pub(in crate::format) fn lines_read() -> usize {
    LINES_READ.with(std::cell::Cell::get)
}

/// Whether a byte is a space or a tab.
pub fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// A text without spaces and tabs at both ends.
#[inline]
pub fn trim(text: &str) -> &str {
    let text = trim_start(text);
    let blanks = text.bytes().rev().take_while(|&byte| is_blank(byte)).count();
    &text[..text.len() - blanks]
}

/// A text without spaces and tabs before it.
#[inline]
pub fn trim_start(text: &str) -> &str {
    let blanks = text.bytes().take_while(|&byte| is_blank(byte)).count();
    &text[blanks..]
}

/// The width of the blanks at the start of a line; a tab counts four columns.
pub(in crate::format) fn width(line: &str) -> usize {
    line.bytes().take_while(|&byte| is_blank(byte)).map(|byte| if byte == b'\t' { 4 } else { 1 }).sum()
}

/// Whether a text equals `wanted` except for blanks around it. It stops at the first difference, because parsers ask
/// this many times about the rest of a long line.
#[inline]
pub fn equals_trimmed(text: &str, wanted: &str) -> bool {
    trim_start(text).strip_prefix(wanted).is_some_and(|rest| rest.bytes().all(is_blank))
}

/// Whether a text begins with an ASCII text, ignoring case.
#[inline]
pub fn starts_with_ignore_case(text: &str, prefix: &str) -> bool {
    text.len() >= prefix.len() && text.as_bytes()[..prefix.len()].eq_ignore_ascii_case(prefix.as_bytes())
}
