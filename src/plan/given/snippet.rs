//! Makes edits from code blocks that the user asked to read as snippets. Two blocks may be one edit: the old
//! and the new text.

use super::{FileLines, edit_of, text_of};
use crate::diag::{Code, Diagnostic};
use crate::edit::{
    Anchor, Candidate, Change, CodeBlock, Edit, FenceState, FormatId, Hunk, Missing, Op, Script, Target,
    Unit, Unread,
};
use crate::plan::TreeError;
use crate::plan::overlay::Base;
use crate::plan::unnamed::is_file;
use crate::span::Span;
use crate::syntax;
use crate::text::Language;

/// Returns the edit of a snippet.
pub(super) fn snippet(block: &CodeBlock, path: &Target) -> Edit {
    Edit { format: FormatId::Snippet, op: Op::Snippet { text: text_of(block) }, ..edit_of(block, path) }
}

/// Returns the file of a block, if it is a snippet. If it names no file, that is the file of the snippet above, if the
/// language fits.
pub(super) fn snippet_file(
    block: &CodeBlock,
    above: Option<&CodeBlock>,
    base: &Base<'_>,
) -> Result<Option<Candidate>, TreeError> {
    let fits = |file: &&Candidate| Language::is_called(&block.language, &file.path.shown());
    let file = match block.candidates.as_slice() {
        [only] => Some(only),
        [] => above.and_then(|above| above.candidates.first().filter(fits)),
        _ => None,
    };
    let is_snippet = block.is_snippet && block.state == FenceState::Closed;
    let Some(file) = file.filter(|file| is_snippet && syntax::knows(&file.path.raw)) else { return Ok(None) };
    Ok(is_file(&file.path, base)?.then(|| file.clone()))
}

/// Returns the edit that replaces the text of one block by the text of the next.
pub(super) fn replacement(first: &CodeBlock, second: &CodeBlock, path: &Target) -> Edit {
    let edit = snippet(second, path);
    let change = Change::Texts { before: text_of(first), after: text_of(second), unit: Unit::Lines };
    let span = Span { start: first.span.start, ..second.span };
    let hunk = Hunk { span, change, anchor: Anchor::Unique };
    let why = snippet(first, path).why.or(edit.why);
    Edit { span, why, op: Op::Modify { hunks: vec![hunk], missing: Missing::Refuse }, ..edit }
}

/// How a snippet is related to the one above.
enum Relation {
    /// The file has the lines of the one above: this one replaces them.
    Replaces,
    /// Either may be the new text.
    Unclear,
}

impl FileLines<'_, '_> {
    /// Settles a snippet of this file. It becomes an edit, or one edit together with the snippet above, which it
    /// replaces. If it does not name the file, it is not an edit by itself, but unread. Returns it as the snippet above
    /// the next one.
    pub(super) fn settle_snippet(
        &self,
        block: CodeBlock,
        file: Candidate,
        above: Option<CodeBlock>,
        script: &mut Script,
        edits: &mut Vec<Edit>,
    ) -> Result<CodeBlock, TreeError> {
        let is_named = !block.candidates.is_empty();
        let edit = snippet(&block, &file.path);
        let block = CodeBlock { candidates: vec![file], ..block };
        let relation = match &above {
            Some(above) => self.relation(above, &block, is_named)?,
            None => None,
        };
        let is_above = |span: Span| above.as_ref().is_some_and(|above| above.span == span);
        let popped = edits.pop_if(|last| relation.is_some() && is_above(last.span));
        match (relation, &above) {
            (Some(Relation::Replaces), Some(above)) => {
                script.unread.retain(|unread| !is_above(unread.span));
                edits.push(replacement(above, &block, &edit.path));
            }
            (Some(Relation::Unclear), _) if popped.is_some() => {
                let message = "this code block or the one above it may be the new text";
                let error = Diagnostic::error(Code::SnippetUnclear, block.span, message)
                    .with_help("give only the code as it should be");
                script.diagnostics.push(Diagnostic { path: Some(edit.path.shown()), ..error });
            }
            _ if is_named => edits.push(edit),
            _ => script.unread.push(Unread { span: block.span, info: block.language.clone() }),
        }
        Ok(block)
    }

    /// Returns how a snippet is related to the one above, if both are for the same file.
    fn relation(
        &self,
        above: &CodeBlock,
        below: &CodeBlock,
        is_named: bool,
    ) -> Result<Option<Relation>, TreeError> {
        let path = |of: &CodeBlock| of.candidates.first().map(|file| file.path.shown());
        let Some(path) = path(below).filter(|own| path(above).as_ref() == Some(own)) else { return Ok(None) };
        let (old, new) = (above.content(), below.content());
        let keeps = syntax::keeps(&path, old, new, self.overlay.base.rules.allow_shrink);
        let is_unnamed = !is_named && above.language == below.language;
        Ok(match (self.any_shows(&below.candidates, old)?, self.any_shows(&below.candidates, new)?) {
            (true, false) if keeps => Some(Relation::Replaces),
            (false, true) if keeps => Some(Relation::Unclear),
            (shows_old, false) if is_unnamed && (shows_old || keeps) => Some(Relation::Unclear),
            _ => None,
        })
    }
}
