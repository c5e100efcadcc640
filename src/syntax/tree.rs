//! Parses texts, and finds positions in their syntax trees.

use super::language::Language;
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use tree_sitter::{InputEdit, Node, ParseOptions, ParseState, Parser, Point, Tree};

/// How many progress reports one counts for after a syntax error, because the parser's steps take longer then.
const WEIGHT_WITH_ERROR: usize = 5;

/// A range, and its replacement.
pub(super) type Change = (Range<usize>, String);

/// A text with its syntax tree.
pub(super) struct Parsed {
    pub(super) text: String,
    pub(super) language: &'static Language,
    /// The offsets of its lines.
    lines: Vec<usize>,
    tree: Tree,
}

/// Returns the limit for the parser's progress reports: many times what code needs.
fn max_reports(text: &str) -> usize {
    (text.len() / 8).max(1000)
}

impl Parsed {
    /// Parses a text; `None` if the parser takes too long.
    pub(super) fn new(language: &'static Language, text: String) -> Option<Self> {
        let mut reports_left = max_reports(&text);
        Self::with_limit(language, text, None, &mut reports_left)
    }

    /// Parses a text; `None` if the parser reports progress more than `reports_left` times. It reports every hundred
    /// steps. Afterwards, `reports_left` is what remains for the next text.
    pub(super) fn with_limit(
        language: &'static Language,
        text: String,
        old: Option<&Tree>,
        reports_left: &mut usize,
    ) -> Option<Self> {
        let mut parser = Parser::new();
        parser.set_language(&(language.grammar)()).ok()?;
        let mut on_progress = |state: &ParseState| {
            let less = reports_left.checked_sub(if state.has_error() { WEIGHT_WITH_ERROR } else { 1 });
            *reports_left = less.unwrap_or(0);
            if less.is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut on_progress);
        let mut rest = |at: usize, _| text.as_bytes().get(at..).unwrap_or_default();
        let tree = parser.parse_with_options(&mut rest, old, Some(options))?;
        let lines = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        Some(Self { lines: std::iter::once(0).chain(lines).collect(), text, language, tree })
    }

    /// Parses the text that results from these changes, which must be in the order of the text. Only changed parts are
    /// parsed again.
    pub(super) fn changed(&self, changes: &[Change], text: String) -> Option<Self> {
        let mut tree = self.tree.clone();
        // From the last one, so that the positions before it stay valid.
        for (range, new) in changes.iter().rev() {
            let start_position = self.point(range.start);
            let (rows, rest) = match new.rsplit_once('\n') {
                Some((before, rest)) => (before.matches('\n').count() + 1, rest),
                None => (0, new.as_str()),
            };
            let column = if rows == 0 { start_position.column } else { 0 };
            tree.edit(&InputEdit {
                start_byte: range.start,
                old_end_byte: range.end,
                new_end_byte: range.start + new.len(),
                start_position,
                old_end_position: self.point(range.end),
                new_end_position: Point::new(start_position.row + rows, column + rest.len()),
            });
        }
        let mut reports_left = max_reports(&text);
        Self::with_limit(self.language, text, Some(&tree), &mut reports_left)
    }

    fn point(&self, at: usize) -> Point {
        Point::new(self.line(at), at - self.line_start(at))
    }

    pub(super) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// The line, from 0, of the first syntax error.
    pub(super) fn first_error_line(&self) -> Option<usize> {
        let root = self.root();
        if !root.has_error() {
            return None;
        }
        let first = nodes(root).find(|node| node.is_error() || node.is_missing());
        Some(first.map_or(0, |node| node.start_position().row))
    }

    pub(super) fn error_count(&self) -> usize {
        match self.root().has_error() {
            true => nodes(self.root()).filter(|node| node.is_error() || node.is_missing()).count(),
            false => 0,
        }
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or("")
    }

    pub(super) fn text_of(&self, node: Node<'_>) -> &str {
        self.slice(node.byte_range())
    }

    /// The offset of the start of the line of an offset.
    pub(super) fn line_start(&self, at: usize) -> usize {
        self.lines.get(self.line(at)).copied().unwrap_or(0)
    }

    /// The offset of the end of the line of an offset, before its newline.
    pub(super) fn line_end(&self, at: usize) -> usize {
        self.lines.get(self.line(at) + 1).map_or(self.text.len(), |next| next - 1)
    }

    /// The indentation of the line of an offset.
    pub(super) fn indentation(&self, at: usize) -> &str {
        let line = self.slice(self.line_start(at)..self.line_end(at));
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// Returns whether only whitespace is before an offset on its line.
    pub(super) fn begins_line(&self, at: usize) -> bool {
        self.slice(self.line_start(at)..at).trim().is_empty()
    }

    /// The line of an offset, from 0.
    pub(super) fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at).saturating_sub(1)
    }

    /// The lines of a range, from 0.
    pub(super) fn lines(&self, range: &Range<usize>) -> std::ops::RangeInclusive<usize> {
        self.line(range.start)..=self.line(range.end)
    }

    /// The end of a node, without the line break that some nodes include.
    pub(super) fn end(&self, node: Node<'_>) -> usize {
        node.start_byte() + self.text_of(node).trim_end().len()
    }

    /// The range of a node, without the line break that some nodes include.
    pub(super) fn range(&self, node: Node<'_>) -> Range<usize> {
        node.start_byte()..self.end(node)
    }

    pub(super) fn is_comment(&self, node: Node<'_>) -> bool {
        self.language.comments.contains(&node.kind())
    }

    pub(super) fn comments(&self) -> impl Iterator<Item = Node<'_>> {
        nodes(self.root()).filter(|node| self.is_comment(*node))
    }

    /// Returns how often each comment occurs.
    pub(super) fn comment_counts(&self) -> HashMap<&str, usize> {
        let mut counts = HashMap::new();
        for comment in self.comments() {
            *counts.entry(self.text_of(comment).trim()).or_default() += 1;
        }
        counts
    }
}

/// Returns a node and its descendants, in the order of the text. This does not recurse, because a text may nest deeply.
pub(super) fn nodes(root: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = root.walk();
    let mut next = Some(root);
    std::iter::from_fn(move || {
        let node = next?;
        next = loop {
            if cursor.node() == node && cursor.goto_first_child() || cursor.goto_next_sibling() {
                break Some(cursor.node());
            }
            if !cursor.goto_parent() {
                break None;
            }
        };
        Some(node)
    })
}

/// Returns the named children of a node.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}
