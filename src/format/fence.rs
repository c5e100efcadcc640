//! Markdown code fences.

use super::scan::{Line, Payload, trim, trim_start, width};
use crate::response::Passage;
use crate::text::extension;

/// The length of a fence that can contain fences of the usual length.
pub(super) const LONG: usize = 4;

/// A line that opens or closes a fenced code block: three or more backquotes or tildes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fence<'r> {
    /// Backquote or tilde.
    pub mark: u8,
    /// The number of marks.
    pub length: usize,
    /// The info string, trimmed: a language or a path; empty for a closing fence.
    pub info: &'r str,
    /// Whether deeply indented fence lines in it are content, because they are in pairs. `None` above the first of them.
    pub(super) has_pairs: Option<bool>,
    /// Whether its text is code, by its info string or the file that it is for.
    pub(super) is_code: bool,
}

impl<'r> Fence<'r> {
    /// Returns the fence on a line, indented or not. As in CommonMark, an info string after backquotes has no
    /// backquotes; that distinguishes a fence from inline code.
    pub fn of(line: &'r str) -> Option<Self> {
        let text = trim_start(line);
        let mark = *text.as_bytes().first()?;
        if mark != b'`' && mark != b'~' {
            return None;
        }
        let length = text.bytes().take_while(|&byte| byte == mark).count();
        let info = trim(&text[length..]);
        let fence = Self { mark, length, info, has_pairs: None, is_code: false };
        (length >= 3 && (mark == b'~' || !info.contains('`'))).then_some(fence)
    }

    /// Whether a line closes the block that this fence opens.
    pub fn is_closed_by(self, line: Line<'_>) -> bool {
        Fence::of(line.text).is_some_and(|fence| fence.closes(self)) && !self.has_as_content(line)
    }

    /// Whether a fence line inside of this fence is content, because it is indented deeply.
    pub(super) fn has_as_content(self, line: Line<'_>) -> bool {
        self.has_pairs == Some(true) && is_deep(line.text)
    }

    /// Whether this fence has the mark of another fence and is at least as long. It closes that fence if it has no info
    /// string.
    pub(super) fn may_close(self, opening: Fence<'_>) -> bool {
        self.mark == opening.mark && self.length >= opening.length
    }

    /// Whether this fence closes a block that `opening` opened: the same mark, at least as long, and no info.
    pub fn closes(self, opening: Fence<'_>) -> bool {
        self.may_close(opening) && self.info.is_empty()
    }
}

/// Whether a line is indented so far that it is not a fence in CommonMark.
pub(super) fn is_deep(line: &str) -> bool {
    width(line) >= 4
}

/// The fence lines of a payload, in pairs. A fence line with an info string opens a fence. One without closes the
/// innermost or the outermost open fence; if it cannot, it opens one. When a pair closes, open fences inside are text.
#[derive(Debug, Default)]
pub(super) struct Pairs<'r> {
    /// The fence lines without a partner.
    pub(super) unpaired: Vec<Line<'r>>,
    /// The first and the last line that is not blank, if these are a pair, and the info string.
    around: Option<(Line<'r>, Line<'r>, &'r str)>,
}

impl<'r> Pairs<'r> {
    pub(super) fn of(lines: impl Iterator<Item = Line<'r>>) -> Self {
        let mut open: Vec<(Line<'r>, Fence<'r>)> = Vec::new();
        let (mut first, mut pair) = (None, None);
        for line in lines.filter(|line| !line.is_blank()) {
            first.get_or_insert(line.start);
            pair = None;
            let Some(fence) = Fence::of(line.text) else { continue };
            let inner_and_outer = [open.len().wrapping_sub(1), 0];
            // A shorter fence inside of a longer one is text.
            let is_in_longer =
                |open: &(_, Fence<'_>)| fence.mark == open.1.mark && fence.length < open.1.length;
            if inner_and_outer.iter().any(|&at| open.get(at).is_some_and(is_in_longer)) {
                continue;
            }
            // In code, a deeply indented fence is in a comment, and its partner is as deep.
            let closes = |at: &usize| {
                open.get(*at).is_some_and(|(opening, open)| {
                    fence.closes(*open) && is_deep(line.text) == is_deep(opening.text)
                })
            };
            match inner_and_outer.into_iter().find(closes) {
                Some(at) => {
                    pair = Some((open[at].0, line, open[at].1.info));
                    open.truncate(at);
                }
                None => open.push((line, fence)),
            }
        }
        let around = pair.filter(|(opening, ..)| Some(opening.start) == first);
        Self { unpaired: open.into_iter().map(|(line, _)| line).collect(), around }
    }

    /// Returns the lines of the fence around the whole payload, if they are not content of the file. In a Markdown file
    /// they are content, unless the info string is `markdown` or `md`, or the extension of the file.
    fn wrapper(&self, file: &str) -> Option<(Line<'r>, Line<'r>)> {
        let (first, last, info) = self.around?;
        let is_named = extension(trim(file)).is_some_and(|kind| info.eq_ignore_ascii_case(kind));
        (is_named || !is_markdown(file) || says_markdown(info)).then_some((first, last))
    }
}

/// Returns the text inside of the fence around the whole payload, if that fence is not content of the file. The fence's
/// indentation is removed, and each line ends with `\n`.
pub(super) fn unfence(payload: &Payload<'_>, file: &str) -> Option<Passage> {
    // Most payloads do not begin with a fence.
    payload.first().filter(|line| Fence::of(line.text).is_some())?;
    let (first, last) = Pairs::of(payload.lines()).wrapper(file)?;
    let mut inner = Payload { end: last.start, ..payload.clone() };
    inner.lines.find(|line| line.start == first.start);
    let blanks = first.blanks();
    let is_indented = |line: Line<'_>| line.is_blank() || line.text.starts_with(blanks);
    if blanks.is_empty() || !inner.lines().all(is_indented) {
        return Some(inner.text());
    }
    let mut text = Passage::default();
    for line in inner.lines().map(|line| line.past(blanks)) {
        text.push_line(payload.response(), line.start, line.text);
    }
    Some(text.into_lines())
}

/// Does the same for all texts of an edit. Returns `None` if a text has no such fence or their fences differ, because
/// then the fences are content.
pub(super) fn unfence_all<const N: usize>(payloads: [&Payload<'_>; N], file: &str) -> Option<[Passage; N]> {
    let opening = |payload: &Payload<'_>| payload.first().map(|line| line.trimmed().to_owned());
    let first = opening(payloads.first()?);
    let all = payloads.map(|payload| unfence(payload, file).filter(|_| opening(payload) == first));
    all.into_iter().collect::<Option<Vec<_>>>()?.try_into().ok()
}

/// Whether the info string of a fence says that it contains Markdown.
pub(super) fn says_markdown(info: &str) -> bool {
    ["markdown", "md"].iter().any(|known| info.eq_ignore_ascii_case(known))
}

/// Whether a file is Markdown or similar, so that fences may be its content.
pub(super) fn is_markdown(file: &str) -> bool {
    let extension = extension(trim(file)).unwrap_or("");
    ["md", "markdown", "mdx", "rst"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::scan::Cursor;
    use crate::response::Response;

    #[test]
    fn three_or_more_marks_are_a_fence_with_what_follows_as_info() {
        let of = |line| Fence::of(line).map(|fence| (fence.mark, fence.length, fence.info));
        assert_eq!(of("```"), Some((b'`', 3, "")));
        assert_eq!(of("  ~~~~~ rust "), Some((b'~', 5, "rust")));
        assert_eq!(of("```src/a.rs"), Some((b'`', 3, "src/a.rs")));
        for line in ["", "``", "code", "```x``` inline", "-```"] {
            assert_eq!(Fence::of(line), None, "{line:?}");
        }
    }

    #[test]
    fn a_fence_line_with_the_same_mark_and_at_least_as_long_closes_a_fence() {
        let closes = |close, open| Fence::of(close).unwrap().closes(Fence::of(open).unwrap());
        assert!(closes("````", "```rust"));
        assert!(!closes("```", "````"));
        assert!(!closes("~~~", "```"));
        assert!(!closes("```rust", "```"));
    }

    #[test]
    fn a_fence_around_all_of_a_payload_is_no_content() {
        let inner = |text: &str, file: &str| {
            let response = Response::new(0, "r", text.as_bytes().to_vec(), 1000).unwrap();
            let payload = Payload { lines: Cursor::new(&response).lines(), end: text.len() };
            unfence(&payload, file).map(String::from)
        };
        for (text, want) in [
            ("```rust\nx\n```\n", "x\n"),
            ("\n  ~~~\n```\n\n```\n~~~ \n\n", "```\n\n```\n"),
            ("  ```\n  x\n\n    y\n  ```\n", "x\n\n  y\n"),
            ("  ```\nx\n    y\n  ```\n", "x\n    y\n"),
            ("```md\n```rust\nx\n```\nend\n```\n", "```rust\nx\n```\nend\n"),
            ("````\n```\nnever closed\n````\n", "```\nnever closed\n"),
            ("```\nA title\n~~~~\n```\n", "A title\n~~~~\n"),
        ] {
            assert_eq!(inner(text, "a.rs").as_deref(), Some(want), "{text}");
            assert_eq!(inner(text, "README.md").is_some(), text.starts_with("```md"), "{text}");
        }
        for text in
            ["", "x\n", "```\nx\n", "```\nx\n```\ny\n", "x\n```\n```\n", "```\nx\n```\ny\n```\nz\n```\n"]
        {
            assert_eq!(inner(text, "a.rs"), None, "{text}");
        }
    }
}
