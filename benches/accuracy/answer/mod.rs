//! Splits a response that `writing` rendered into the lines of its hunks, so that they can be spoiled as a model would
//! spoil them, and joins them again. It reads only such responses, and does not use the library's parsers.

mod read;

use git_llm_apply::format::FormatId;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// What a hunk does with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Kept,
    Removed,
    Added,
}

/// A line of a hunk.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) side: Side,
    /// The text in the search text, which the response quotes from the file.
    pub(crate) before: String,
    /// The text in the replacement. A kept line usually has the same text in both.
    pub(crate) after: String,
    /// For an added line, the text that the file must get.
    pub(crate) lands: String,
    /// Whether `\ No newline at end of file` follows.
    pub(crate) unterminated: bool,
    /// Whether the file has the line but the response leaves it out.
    pub(crate) left_out: bool,
    /// Whether the response has the line but the file does not.
    pub(crate) made_up: bool,
    /// Whether the line is an elision, which matches any lines of the file.
    pub(crate) is_elision: bool,
    /// Whether the response misquotes the line, such as with a typo.
    pub(crate) misquoted: bool,
}

impl Line {
    pub(crate) fn new(side: Side, text: &str) -> Self {
        Self {
            side,
            before: text.to_owned(),
            after: text.to_owned(),
            lands: text.to_owned(),
            unterminated: false,
            left_out: false,
            made_up: false,
            is_elision: false,
            misquoted: false,
        }
    }

    /// Sets the text of the line in both search text and replacement.
    pub(crate) fn write(&mut self, text: &str) {
        self.before = text.to_owned();
        self.after = text.to_owned();
    }

    /// Returns whether the response quotes the line from the file.
    pub(crate) fn is_quoted(&self) -> bool {
        self.side != Side::Added && !self.left_out
    }
}

/// One hunk of a response.
#[derive(Debug, Clone)]
pub(crate) struct Hunk {
    pub(crate) path: String,
    pub(crate) lines: Vec<Line>,
    /// The markup between search text and replacement; `None` in formats that write a diff.
    middle: Option<String>,
}

/// A part of a response.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    /// Text outside of hunks.
    Text(String),
    /// The `@@` line of a hunk.
    Head(String),
    Hunk(Hunk),
}

/// A response, as parts that can be spoiled.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) format: FormatId,
    pub(crate) parts: Vec<Part>,
}

impl Answer {
    /// Splits a rendered response into parts.
    pub(crate) fn read(format: FormatId, text: &str) -> Self {
        let parts = match format {
            FormatId::Opx => read::opx(text),
            FormatId::SearchReplace => read::search_replace(text),
            FormatId::ApplyPatch | FormatId::FileChanges | FormatId::Diff => read::diffs(text),
            FormatId::Applydir => read::applydir(text),
            FormatId::EditCalls => read::edit_calls(text),
            // These formats have no hunks and are not rendered.
            FormatId::WholeFile | FormatId::Snippet => Vec::new(),
        };
        Self { format, parts }
    }

    /// Makes a response with one hunk. `head` is its `@@` line, for formats that have one.
    pub(crate) fn of(format: FormatId, path: &str, head: &str, lines: Vec<Line>) -> Self {
        let (before, middle, after) = match format {
            FormatId::Opx => (
                format!("<edit file=\"{path}\" op=\"patch\">\n<find>\n<<<\n"),
                Some(">>>\n</find>\n<put>\n<<<\n"),
                ">>>\n</put>\n</edit>\n",
            ),
            FormatId::SearchReplace => {
                (format!("### File: {path}\n<<<<<<< SEARCH\n"), Some("=======\n"), ">>>>>>> REPLACE\n")
            }
            FormatId::ApplyPatch => {
                (format!("*** Begin Patch\n*** Update File: {path}\n"), None, "*** End Patch\n")
            }
            FormatId::FileChanges => (
                format!("<FILE_CHANGES>\n<FILE_PATCH file_path=\"{path}\">\n"),
                None,
                "</FILE_PATCH>\n</FILE_CHANGES>\n",
            ),
            FormatId::Diff => (format!("```diff\n--- a/{path}\n+++ b/{path}\n"), None, "```\n"),
            FormatId::Applydir => {
                (format!("{{\"file_entries\": [{{\"file\": {path:?}, \"changes\": [\n"), Some(""), "]}]}\n")
            }
            FormatId::WholeFile | FormatId::Snippet => (format!("{path}\n```\n"), None, "```\n"),
            FormatId::EditCalls => (format!("[{{\"file_path\": {path:?}, \"edits\": [\n"), Some(""), "]}]\n"),
        };
        let has_head = middle.is_none();
        let hunk = Hunk { path: path.to_owned(), lines, middle: middle.map(str::to_owned) };
        let mut parts = vec![Part::Text(before)];
        parts.extend(has_head.then(|| Part::Head(format!("{head}\n"))));
        parts.extend([Part::Hunk(hunk), Part::Text(after.to_owned())]);
        Self { format, parts }
    }

    pub(crate) fn hunks(&self) -> impl Iterator<Item = &Hunk> {
        self.parts.iter().filter_map(|part| if let Part::Hunk(hunk) = part { Some(hunk) } else { None })
    }

    pub(crate) fn hunks_mut(&mut self) -> impl Iterator<Item = &mut Hunk> {
        self.parts.iter_mut().filter_map(|part| if let Part::Hunk(hunk) = part { Some(hunk) } else { None })
    }

    /// Returns whether kept lines are written twice, in search text and replacement.
    pub(crate) fn has_two_texts(&self) -> bool {
        !matches!(self.format, FormatId::ApplyPatch | FormatId::FileChanges | FormatId::Diff)
    }

    /// The response's text.
    pub(crate) fn write(&self) -> String {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) | Part::Head(text) => out.push_str(text),
                Part::Hunk(hunk) => hunk.write(self.format, &mut out),
            }
        }
        out
    }
}

impl Hunk {
    /// Returns whether kept lines are written twice, in search text and replacement.
    pub(crate) fn has_two_texts(&self) -> bool {
        self.middle.is_some()
    }

    /// The lines of the search text.
    pub(crate) fn before(&self) -> Vec<&str> {
        self.lines.iter().filter(|line| line.is_quoted()).map(|line| line.before.as_str()).collect()
    }

    /// The lines of the replacement.
    pub(crate) fn after(&self) -> Vec<&str> {
        let lines = self.lines.iter().filter(|line| line.side != Side::Removed && !line.left_out);
        lines.map(|line| line.after.as_str()).collect()
    }

    /// Returns whether a line is left out or made up between lines that the hunk quotes.
    pub(crate) fn has_wrong_line_inside(&self) -> bool {
        let amiss = |line: &Line| line.left_out || line.made_up;
        let quotes = |lines: &[Line]| lines.iter().any(|line| line.is_quoted() && !line.made_up);
        let at = self.lines.iter().position(amiss);
        at.is_some_and(|at| quotes(&self.lines[..at]) && quotes(&self.lines[at + 1..]))
    }

    fn write(&self, format: FormatId, out: &mut String) {
        if format == FormatId::Applydir {
            let lines = |lines: Vec<&str>| serde_json::to_string_pretty(&lines).unwrap_or_default();
            let (before, after) = (lines(self.before()), lines(self.after()));
            out.push_str(&format!("{{\"original_lines\": {before},\n\"changed_lines\": {after}}}"));
            return;
        }
        if format == FormatId::EditCalls {
            let text = |lines: Vec<&str>| {
                let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
                serde_json::to_string(&text).unwrap_or_default()
            };
            let (before, after) = (text(self.before()), text(self.after()));
            out.push_str(&format!("{{\"old_string\": {before},\n\"new_string\": {after}}}"));
            return;
        }
        let Some(middle) = &self.middle else {
            for line in self.lines.iter().filter(|line| !line.left_out) {
                let (mark, text) = match line.side {
                    Side::Kept => (' ', &line.before),
                    Side::Removed => ('-', &line.before),
                    Side::Added => ('+', &line.after),
                };
                out.push(mark);
                out.push_str(text);
                out.push('\n');
                if line.unterminated {
                    out.push_str("\\ No newline at end of file\n");
                }
            }
            return;
        };
        let mut push = |lines: Vec<&str>| {
            for line in lines {
                out.push_str(line);
                out.push('\n');
            }
        };
        push(self.before());
        push(middle.strip_suffix('\n').unwrap_or(middle).split('\n').collect());
        push(self.after());
    }

    /// Makes a hunk of a search text and a replacement, by a line diff of the two.
    fn of_texts(path: &str, before: &[&str], after: &[&str], middle: String) -> Self {
        let mut lines = Vec::new();
        for op in capture_diff_slices(Algorithm::Myers, before, after) {
            let kept = if let DiffOp::Equal { .. } = op { op.old_range() } else { 0..0 };
            lines.extend(before[kept.clone()].iter().map(|line| Line::new(Side::Kept, line)));
            if kept.is_empty() {
                lines.extend(before[op.old_range()].iter().map(|line| Line::new(Side::Removed, line)));
                lines.extend(after[op.new_range()].iter().map(|line| Line::new(Side::Added, line)));
            }
        }
        Self { path: path.to_owned(), lines, middle: Some(middle) }
    }
}
