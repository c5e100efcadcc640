//! Code blocks that are requested to be snippets: their edits, and pairs of an old and a new text.

use super::{FileLines, edit_of, text_of};
use crate::diag::{Code, Diagnostic};
use crate::edit::{
    Anchor, Candidate, Change, Clue, CodeBlock, Edit, FormatId, Hunk, Missing, Op, Target, Unit,
};
use crate::plan::TreeError;
use crate::span::Span;
use crate::syntax;
use crate::text::Language;

/// The edit of a snippet, which changes the definitions that it has.
pub(super) fn snippet(given: &CodeBlock, path: &Target) -> Edit {
    Edit { format: FormatId::Snippet, op: Op::Snippet { text: text_of(given) }, ..edit_of(given, path) }
}

/// The file of a snippet that names none and stands below one of this file, if the language fits.
pub(super) fn inherited(given: &CodeBlock, path: &Target) -> Option<Candidate> {
    let fits = given.is_snippet
        && given.candidates.is_empty()
        && Language::is_called(&given.language, &path.shown());
    fits.then(|| Candidate { path: path.clone(), by: Clue::Previous, quoted: false })
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

/// How two snippets of one file, one below the other, are related.
#[derive(Clone, Copy)]
pub(super) enum Relation {
    /// The file has the first: the second replaces it.
    Replaces,
    /// Either may be the new text.
    Unclear,
}

pub(super) fn unclear_relation(second: &Edit) -> Diagnostic {
    let message = "this code block or the one above it may be the new text";
    let error = Diagnostic::error(Code::SnippetUnclear, second.span, message);
    Diagnostic { path: Some(second.path.shown()), ..error.with_help("give only the code as it should be") }
}

impl FileLines<'_, '_> {
    /// How two snippets of one file are related. Unless the second names a file, it is `unnamed`, and an edit only together
    /// with the first.
    pub(super) fn relation(
        &self,
        first: &Edit,
        second: &Edit,
        one: &Candidate,
        unnamed: bool,
    ) -> Result<Option<Relation>, TreeError> {
        let (Op::Snippet { text: before }, Op::Snippet { text: after }) = (&first.op, &second.op) else {
            return Ok(None);
        };
        let path = second.path.shown();
        if first.path.shown() != path {
            return Ok(None);
        }
        let keeps = syntax::keeps(&path, before, after, self.overlay.base.rules.allow_shrink);
        let one = std::slice::from_ref(one);
        Ok(match (self.show(one, before)?, self.show(one, after)?) {
            (true, false) if keeps => Some(Relation::Replaces),
            (false, true) if keeps => Some(Relation::Unclear),
            (before, false) if unnamed && (before || keeps) => Some(Relation::Unclear),
            _ => None,
        })
    }
}
