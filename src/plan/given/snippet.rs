//! Code blocks that are requested to be snippets: their edits, and pairs of an old and a new text.

use super::{FileLines, edit_of, text_of};
use crate::diag::{Code, Diagnostic};
use crate::edit::{Anchor, Candidate, Change, CodeBlock, Edit, FormatId, Hunk, Missing, Op, Target, Unit};
use crate::plan::TreeError;
use crate::span::Span;
use crate::syntax;
use std::collections::HashSet;

/// The edit of a snippet, which changes the definitions that it has.
pub(super) fn snippet(given: &CodeBlock, path: &Target) -> Edit {
    Edit { format: FormatId::Snippet, op: Op::Snippet { text: text_of(given) }, ..edit_of(given, path) }
}

/// The edit of two code blocks, of which the second replaces the first.
pub(super) fn replacement(first: Edit, second: Edit) -> Edit {
    let (Op::Snippet { text: before }, Op::Snippet { text: after }) = (first.op, &second.op) else {
        return second;
    };
    let change = Change::Texts { before, after: after.clone(), unit: Unit::Lines };
    let span = Span { start: first.span.start, ..second.span };
    let hunk = Hunk { span, change, anchor: Anchor::Unique };
    let why = first.why.or(second.why);
    Edit { span, why, op: Op::Modify { hunks: vec![hunk], missing: Missing::Refuse }, ..second }
}

/// How two similar snippets of one file are related.
pub(super) enum Relation {
    /// The file has the first: the second replaces it.
    Replaces,
    /// The file has the second: it may be already applied, or the first may replace it.
    Unclear,
}

pub(super) fn unclear_relation(second: &Edit) -> Diagnostic {
    let message =
        "the file has these lines, and the code block before this one may be their old or their new text";
    let error = Diagnostic::error(Code::SnippetUnclear, second.span, message);
    Diagnostic { path: Some(second.path.shown()), ..error.with_help("give only the code as it should be") }
}

/// Whether most words of a text are in another one.
pub(super) fn is_alike(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (one, other) = (words(one), words(other));
    let other: HashSet<&String> = other.iter().collect();
    one.iter().filter(|word| other.contains(word)).count() * 10 >= one.len() * 6
}

impl FileLines<'_, '_> {
    /// How two snippets of one file are related, if the second has most words of the first.
    pub(super) fn relation(
        &self,
        first: &Edit,
        second: &Edit,
        one: &Candidate,
    ) -> Result<Option<Relation>, TreeError> {
        let (Op::Snippet { text: before }, Op::Snippet { text: after }) = (&first.op, &second.op) else {
            return Ok(None);
        };
        let path = second.path.shown();
        let keeps = || syntax::keeps(&path, before, after, self.overlay.base.rules.allow_shrink);
        if first.path.shown() != path || !is_alike(before, after) || !keeps() {
            return Ok(None);
        }
        let one = std::slice::from_ref(one);
        Ok(match (self.show(one, before)?, self.show(one, after)?) {
            (true, false) => Some(Relation::Replaces),
            (false, true) => Some(Relation::Unclear),
            _ => None,
        })
    }
}
