//! Finds the block of trailers at the end of a message, and adds trailers to it, by the rules of
//! git-interpret-trailers(1) (but without the configuration of single trailers).

use super::guard;

/// Prefixes of lines that git itself writes. Such a line lets git accept a block that is partly prose
/// (`git_generated_prefixes` in git's trailer.c).
const BY_GIT: &[&str] = &["Signed-off-by: ", "(cherry picked from commit "];

/// The characters that the user's configuration gives a meaning in messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marks {
    /// The prefix of comments (git-config(1), `core.commentString`).
    pub comment: String,
    /// The separators after a trailer's token (`trailer.separators`); new trailers get the first.
    pub separators: String,
}

impl Default for Marks {
    fn default() -> Self {
        Self { comment: "#".to_owned(), separators: ":".to_owned() }
    }
}

impl Marks {
    /// The line of a trailer, as `git interpret-trailers` writes it.
    pub(super) fn trailer(&self, token: &str, value: &str) -> String {
        format!("{token}{} {value}", self.separators.chars().next().unwrap_or(':'))
    }
}

/// A trailer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trailer {
    token: String,
    value: String,
}

impl Trailer {
    /// Parses `<token>: <value>` or `<token>=<value>`, or a token alone. `None` if git would not read it as a trailer.
    pub fn parse(text: &str) -> Option<Self> {
        let end = text.find(['=', ':']).unwrap_or(text.len());
        let (token, value) = (text[..end].trim(), text.get(end + 1..).unwrap_or_default().trim());
        let sound = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let fits = !token.is_empty() && token.chars().all(sound) && !value.chars().any(char::is_control);
        fits.then(|| Self::new(token, value))
    }

    /// A trailer from its parts, each on one line.
    pub fn new(token: &str, value: &str) -> Self {
        Self { token: token.to_owned(), value: value.to_owned() }
    }

    /// The line of the trailer, without the line break.
    pub fn line(&self) -> String {
        format!("{}: {}", self.token, self.value).trim_end().to_owned()
    }

    /// Adds it to the message's block or to a new one, unless it is the last trailer already.
    #[must_use]
    pub fn added_to(&self, message: &str, marks: &Marks) -> String {
        let text = message.trim_end_matches(['\n', ' ', '\t']);
        let has_block = start(text, marks).is_some();
        let last = text.rsplit('\n').next().filter(|_| has_block).and_then(Self::parse);
        if last.is_some_and(|last| last.token.eq_ignore_ascii_case(&self.token) && last.value == self.value) {
            return message.to_owned();
        }
        with_lines(text, &[self.line()], marks)
    }
}

/// Adds lines to the message's block of trailers or to a new one. The result ends with a line break.
pub(super) fn with_lines(message: &str, lines: &[String], marks: &Marks) -> String {
    let message = message.strip_suffix('\n').unwrap_or(message);
    let end = if start(message, marks).is_some() { "\n" } else { "\n\n" };
    format!("{message}{end}{}\n", lines.join("\n"))
}

/// Where the block of trailers begins, if the message ends with one. It is a paragraph after the subject, and all its
/// lines are trailers; if one of them has a prefix of `BY_GIT`, a quarter is enough. An indented line continues the
/// trailer before it.
pub(super) fn start(message: &str, marks: &Marks) -> Option<usize> {
    let lines: Vec<&str> = message.trim_end().split_inclusive('\n').collect();
    // The first paragraph is the subject.
    let first = lines.iter().rposition(|line| line.trim().is_empty())? + 1;
    let (mut trailers, mut others, mut known, mut in_trailer) = (0_usize, 0_usize, false, false);
    for line in &lines[first..] {
        let is_by_git = BY_GIT.iter().any(|prefix| line.starts_with(prefix));
        if line.starts_with(&marks.comment) {
            in_trailer = false;
        } else if is_by_git || guard::is_trailer(line, &marks.separators) {
            trailers += 1;
            known |= is_by_git;
            in_trailer = true;
        } else if !(in_trailer && line.starts_with([' ', '\t'])) {
            others += 1;
            in_trailer = false;
        }
    }
    let is_block = if known { trailers * 3 >= others } else { trailers > 0 && others == 0 };
    is_block.then(|| lines[..first].iter().map(|line| line.len()).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(message: &str, text: &str) -> String {
        Trailer::parse(text).map(|trailer| trailer.added_to(message, &Marks::default())).unwrap_or_default()
    }

    #[test]
    fn a_trailer_is_a_token_and_a_value() {
        for (text, line) in [
            ("Assisted-by: a model", "Assisted-by: a model"),
            (" Assisted-by = a=b:c ", "Assisted-by: a=b:c"),
            ("Reviewed", "Reviewed:"),
        ] {
            assert_eq!(Trailer::parse(text).map(|trailer| trailer.line()).as_deref(), Some(line));
        }
        for text in ["", ": x", "=", "two words: x", "A: x\nB: y", "ü: x"] {
            assert_eq!(Trailer::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_trailer_is_added_to_a_block_or_to_a_new_one() {
        assert_eq!(add("fix: it\n", "A: b"), "fix: it\n\nA: b\n");
        assert_eq!(add("x\n\nbody\n", "A: b"), "x\n\nbody\n\nA: b\n");
        assert_eq!(add("x\n\nC: d\n", "A: b"), "x\n\nC: d\nA: b\n");
        assert_eq!(add("x\n\nC: d\n e\n", "A: b"), "x\n\nC: d\n e\nA: b\n");
        assert_eq!(add("x\n\nprose\nC: d\n", "A: b"), "x\n\nprose\nC: d\n\nA: b\n");
        assert_eq!(
            add("x\n\nprose\nmore\nSigned-off-by: a\n", "A: b"),
            "x\n\nprose\nmore\nSigned-off-by: a\nA: b\n"
        );
    }

    #[test]
    fn the_last_trailer_is_not_repeated() {
        assert_eq!(add("x\n\nA: b\n", "a=b"), "x\n\nA: b\n");
        assert_eq!(add("x\n\nA: b\nC: d\n", "A: b"), "x\n\nA: b\nC: d\nA: b\n");
        assert_eq!(add("A: b\n", "A: b"), "A: b\n\nA: b\n", "a subject is no trailer");
    }
}
