//! Resolves snippets: their definitions replace those of the file.

use super::operations::{Operation, Stop};
use super::{Outcome, Step};
use crate::diag::{Code, Diagnostic};
use crate::edit::Existing;
use crate::locate::{Match, Tier};
use crate::path::RepoPath;
use crate::response::Passage;
use crate::span::Span;
use crate::syntax::{self, MergeError};
use crate::text::{Content, difference_of, plain};
use crate::version::{LineChange, Version, bring_over};
use similar::DiffTag;

impl Operation<'_, '_> {
    /// Merges a snippet into its file as the earlier edits left it, or, if that fails, as the base has it.
    pub(super) fn snippet(&mut self, path: RepoPath, text: &Passage) -> Result<Step, Stop> {
        let (path, file) = self.existing(path)?;
        let Some((state, version)) = file else {
            // A file that an earlier edit deleted is not created again.
            return match self.overlay.base.node(&path)? {
                None => self.create(path, text, Existing::Refuse),
                Some(_) => Err(self.not_found(&path)?.into()),
            };
        };
        let changes = match self.changes(&path, version.content(), text) {
            Ok(changes) => changes,
            Err(refusal) => match self.changes_in_base(&path, &version, text) {
                Some(changes) => changes,
                None => return Err(self.merge_error(&path, text, refusal).into()),
            },
        };
        let Some(first) = changes.first() else {
            return Ok(self.step(path, Outcome::AlreadyApplied));
        };
        let line = first.start + 1;
        let matched =
            vec![Match { tier: Tier::Syntax, similarity: None, line, base_line: version.base_line(line) }];
        let after = version.with(&changes);
        let whole = String::from_utf8_lossy(&after.content().to_bytes()).replace("\r\n", "\n");
        self.check_guards(&whole, Some(version.content()))?;
        Ok(Step { matched, ..self.rewrite(path, state, after)? })
    }

    /// Returns the changes that a snippet makes to a text.
    fn changes(&self, path: &RepoPath, content: &Content, text: &str) -> Result<Vec<LineChange>, MergeError> {
        let lines: Vec<&[u8]> = content.lines(0..content.line_count()).map(|line| line.text).collect();
        let mut before = String::new();
        for line in &lines {
            before.push_str(std::str::from_utf8(line).map_err(|_| MergeError::not_text())?);
            before.push('\n');
        }
        // Unicode whitespace cannot indent code, so it becomes a space.
        let plain_indent = |line: &str| -> String {
            let body = line.trim_start();
            line[..line.len() - body.len()].chars().map(plain).chain(body.chars()).collect()
        };
        let text: String = text.split_inclusive('\n').map(plain_indent).collect();
        let after = syntax::merge(path.as_str(), &before, &text, self.rules().allow_shrink)?;
        let new: Vec<&[u8]> = after.lines().map(str::as_bytes).collect();
        let (eol, ends) = (content.dominant_eol().as_bytes(), content.ends_with_newline());
        let steps = difference_of(&lines, &new).into_iter().filter(|step| step.tag() != DiffTag::Equal);
        let changes = steps.map(|step| {
            let (mut old, mut added) = (step.old_range(), step.new_range());
            // The last line of the file gets a newline if others are added after it.
            if old.is_empty() && old.start == lines.len() && !ends && added.start > 0 && old.start > 0 {
                (old.start, added.start) = (old.start - 1, added.start - 1);
            }
            let is_last = added.end == new.len() && !ends;
            let mut bytes: Vec<u8> =
                new.get(added).unwrap_or(&[]).iter().flat_map(|line| [*line, eol].concat()).collect();
            bytes.truncate(bytes.len() - if is_last && !bytes.is_empty() { eol.len() } else { 0 });
            LineChange::new(old.start, old.end, bytes)
        });
        Ok(changes.collect())
    }

    /// Returns the changes that a snippet makes to the base, brought over to the current text.
    fn changes_in_base(&self, path: &RepoPath, version: &Version, text: &str) -> Option<Vec<LineChange>> {
        let (base, lineage) = version.base()?;
        let changes = self.changes(path, base, text).ok()?;
        bring_over(base, version.content(), lineage, &changes)
    }

    fn merge_error(&self, path: &RepoPath, text: &Passage, refusal: MergeError) -> Diagnostic {
        let code = if refusal.loses { Code::SnippetLoses } else { Code::SnippetUnclear };
        let message = match refusal.file_line {
            Some(line) => format!("{} (line {} of `{path}`)", refusal.message, line + 1),
            None => refusal.message,
        };
        Diagnostic::error(code, self.line_of(text, refusal.line), message).with_help(refusal.help)
    }

    /// Returns the span of a line of the snippet in the response; the whole code block if that is unknown.
    fn line_of(&self, text: &Passage, line: usize) -> Span {
        let place = text.place_of_line(line);
        place.map_or(self.edit.span, |place| Span::new(self.edit.span.response, place.start, place.end))
    }
}
