//! Edits a text by byte ranges, and finds strings of several lines.

use super::super::error::MergeError;
use super::super::tree::{Change, Parsed, nodes};
use std::ops::Range;

#[derive(Default)]
pub(super) struct Edits(Vec<Change>);

impl Edits {
    pub(super) fn replace(&mut self, range: Range<usize>, text: String) {
        self.0.push((range, text));
    }

    /// The changed text, and the changes in its order.
    pub(super) fn apply(mut self, text: &str) -> Result<(String, Vec<Change>), MergeError> {
        // The sort is stable, so that insertions at one place keep their order; text that extends a line comes before new lines.
        self.0.sort_by_key(|(range, text)| (range.start, range.end, text.starts_with('\n')));
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for (range, new) in &self.0 {
            if range.start < at {
                return Err(MergeError::no_place("one of two changes"));
            }
            out.push_str(text.get(at..range.start).unwrap_or(""));
            out.push_str(new);
            at = range.end;
        }
        out.push_str(text.get(at..).unwrap_or(""));
        Ok((out, self.0))
    }
}

/// The outermost strings of several lines.
pub(super) fn strings(of: &Parsed) -> Vec<Range<usize>> {
    let mut end = 0;
    let is_one = |node: &tree_sitter::Node<'_>| {
        node.start_position().row < node.end_position().row
            && ["string", "template", "text_block"].iter().any(|word| node.kind().contains(word))
    };
    let mut found = Vec::new();
    for node in nodes(of.root()).filter(is_one) {
        if node.start_byte() >= end {
            end = node.end_byte();
            found.push(node.byte_range());
        }
    }
    found
}

/// A text with the indentation of all lines but the first changed from `from` to `to`.
pub(super) fn reindented(text: &str, from: &str, to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, line) in text.split_inclusive('\n').enumerate() {
        match line.strip_prefix(from) {
            Some(rest) if at > 0 && !rest.trim().is_empty() => {
                out.push_str(to);
                out.push_str(rest);
            }
            _ if at > 0 && line.trim().is_empty() => out.push_str(line.trim_start_matches([' ', '\t'])),
            _ => out.push_str(line),
        }
    }
    out
}

/// The lines of a range, without the indentation of the first line and without trailing whitespace.
pub(super) fn unindented(of: &Parsed, range: Range<usize>) -> Vec<String> {
    let text = reindented(of.slice(range.clone()), of.indentation(range.start), "");
    text.lines().map(|line| line.trim_end().to_owned()).collect()
}
