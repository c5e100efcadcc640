//! Edits a text by byte ranges, re-indents texts, and finds strings of several lines.

use super::super::error::MergeError;
use super::super::tree::{Change, Parsed, nodes};
use std::ops::Range;
use tree_sitter::Node;

/// The replacements of ranges of a text.
#[derive(Default)]
pub(super) struct Edits(Vec<Change>);

impl Edits {
    pub(super) fn replace(&mut self, range: Range<usize>, text: String) {
        self.0.push((range, text));
    }

    /// Returns the changed text, and the changes in the order of the text.
    pub(super) fn apply(mut self, text: &str) -> Result<(String, Vec<Change>), MergeError> {
        // The sort is stable, so that insertions at one place keep their order. Text that extends a line comes before
        // new lines.
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

/// Returns the outermost strings of several lines.
pub(super) fn strings(source: &Parsed) -> Vec<Range<usize>> {
    outermost(source, is_string)
}

/// Returns the comments, and the outermost strings of several lines. The lines in them are not code.
pub(super) fn comments_and_strings(source: &Parsed) -> Vec<Range<usize>> {
    outermost(source, |node| source.is_comment(*node) || is_string(node))
}

/// Returns whether lines of code in a range begin with a tab, and whether some begin with a space. `texts` are the
/// ranges of comments and strings.
pub(super) fn indent_chars(source: &Parsed, texts: &[Range<usize>], range: Range<usize>) -> (bool, bool) {
    let (mut has, mut at) = ((false, false), range.start);
    for line in source.slice(range).split_inclusive('\n') {
        let first = at + line.len() - line.trim_start().len();
        let inside = texts.partition_point(|text| text.start <= first).checked_sub(1);
        let is_code = inside.and_then(|text| texts.get(text)).is_none_or(|text| text.end <= first);
        if is_code && !line.trim().is_empty() {
            has = (has.0 || line.starts_with('\t'), has.1 || line.starts_with(' '));
        }
        at += line.len();
    }
    has
}

/// Returns whether a node is a string of several lines.
fn is_string(node: &Node<'_>) -> bool {
    node.start_position().row < node.end_position().row
        && ["string", "template", "text_block"].iter().any(|word| node.kind().contains(word))
}

/// Returns the ranges of the outermost nodes for which `is_one` is true.
fn outermost(source: &Parsed, is_one: impl Fn(&Node<'_>) -> bool) -> Vec<Range<usize>> {
    let mut end = 0;
    let mut found = Vec::new();
    for node in nodes(source.root()).filter(is_one) {
        if node.start_byte() >= end {
            end = node.end_byte();
            found.push(node.byte_range());
        }
    }
    found
}

/// Changes the indentation of all lines but the first from `from` to `to`.
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

/// Returns the lines of a range, without the indentation of the first line and without trailing whitespace.
pub(super) fn unindented(source: &Parsed, range: Range<usize>) -> Vec<String> {
    let text = reindented(source.slice(range.clone()), source.indentation(range.start), "");
    text.lines().map(|line| line.trim_end().to_owned()).collect()
}
