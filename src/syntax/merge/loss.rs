//! Refuses replacements that lose parts of the file.

use super::super::error::{HELP_MARK, HELP_WHOLE, MergeError};
use super::super::items::Definition;
use super::super::tree::Parsed;
use super::Merge;
use super::body::units;
use super::edits::unindented;
use crate::diag::counted;
use crate::text::difference_of;
use similar::DiffOp;
use std::ops::Range;

/// How many lines a replacement may remove without adding others.
const MAX_LINES_LOST: usize = 2;

impl Merge<'_> {
    /// Refuses a definition that loses lines, a comment, or most of its lines.
    pub(super) fn check_loss(
        &self,
        old: &Definition<'_>,
        new: &Definition<'_>,
        text: &str,
    ) -> Result<(), MergeError> {
        let place = old.range(self.file);
        let count = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).count();
        let (before, after) = (count(self.file.slice(place.clone())), count(text));
        if !self.may_lose && after * 2 < before {
            let lines = counted(before - after, "line");
            return Err(MergeError::lacks(&new.shown(), &lines, HELP_WHOLE).about(new, Some(old)).loses());
        }
        self.check_lines_lost(new, &place, text, false)
    }

    /// Refuses a function that loses several lines of statements in a row, or the `return` with a value at its end,
    /// without a replacement.
    ///
    /// This compares statements, because a comparison by lines may take a changed head for the replacement of lost
    /// lines, or pair the brackets of different statements.
    pub(super) fn check_statements(
        &self,
        old: &Definition<'_>,
        new: &Definition<'_>,
    ) -> Result<(), MergeError> {
        let (Some(old_body), Some(new_body), false) = (old.body, new.body, self.may_lose) else {
            return Ok(());
        };
        let texts = |source: &Parsed, body| -> Vec<Vec<String>> {
            units(source, body).into_iter().map(|unit| unindented(source, unit)).collect()
        };
        let (before, after) = (texts(self.file, old_body), texts(&self.snippet.parsed, new_body));
        for step in difference_of(&before, &after) {
            let DiffOp::Delete { old_index, old_len, .. } = step else { continue };
            let removed = before.get(old_index..old_index + old_len).unwrap_or(&[]);
            let lost = removed.iter().flatten().filter(|line| !line.is_empty()).count();
            let ends = old_index + old_len == before.len();
            let returns = |unit: &Vec<String>| unit.first().is_some_and(|line| line.starts_with("return "));
            if lost > MAX_LINES_LOST || ends && removed.last().is_some_and(returns) {
                let first = units(self.file, old_body).into_iter().nth(old_index);
                let line = first.map_or(0, |first| self.file.line(first.start));
                let error =
                    MergeError::lacks(&new.shown(), &counted(lost, "line"), HELP_MARK).about(new, None);
                return Err(error.in_file(line).loses());
            }
        }
        Ok(())
    }

    /// Refuses a replacement that removes several lines or a comment without adding others there. With `elided`, it may
    /// not remove a single line.
    pub(super) fn check_lines_lost(
        &self,
        new: &Definition<'_>,
        place: &Range<usize>,
        text: &str,
        elided: bool,
    ) -> Result<(), MergeError> {
        if self.may_lose {
            return Ok(());
        }
        let says = |line: &&str| !line.trim().is_empty();
        let before: Vec<&str> = self.file.slice(place.clone()).lines().map(str::trim).filter(says).collect();
        let after: Vec<&str> = text.lines().map(str::trim).filter(says).collect();
        let first = self.file.line(place.start);
        // A comment that the file has may still be meant as an elision.
        let elides =
            elided || self.snippet.comments_like_elisions.iter().any(|comment| text.contains(comment));
        let max_lost = if elides { 0 } else { MAX_LINES_LOST };
        let (mut lost, mut from) = (0, None);
        for step in difference_of(&before, &after) {
            let (removed, added) = match step {
                DiffOp::Delete { old_index, old_len, .. } => (old_index..old_index + old_len, 0..0),
                DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                    (old_index..old_index + old_len, new_index..new_index + new_len)
                }
                DiffOp::Equal { .. } | DiffOp::Insert { .. } => continue,
            };
            let (removed, added) = (before.get(removed).unwrap_or(&[]), after.get(added).unwrap_or(&[]));
            let decorators = |lines: &[&str]| {
                lines.iter().filter(|line| line.starts_with(['@']) || line.starts_with("#[")).count()
            };
            let shown = removed.first().copied().unwrap_or("");
            if added.is_empty() {
                lost += removed.len();
                from.get_or_insert(shown);
            }
            let (what, shown) = match () {
                () if lost > max_lost => (counted(lost, "line"), from.unwrap_or(shown)),
                () if self.loses_comment(removed, added) => ("a comment".to_owned(), shown),
                () if self.comment_hides_code(removed, added) => (counted(removed.len(), "line"), shown),
                () if decorators(removed) > decorators(added) => (format!("`{shown}`"), shown),
                () => continue,
            };
            let at = self.file.slice(place.clone()).lines().position(|line| line.trim() == shown);
            let error = MergeError::lacks(&new.shown(), &what, HELP_MARK).about(new, None);
            return Err(error.in_file(first + at.unwrap_or(0)).loses());
        }
        Ok(())
    }

    /// Returns whether a new comment takes the place of several lines of code. It may say that they are left out.
    fn comment_hides_code(&self, removed: &[&str], added: &[&str]) -> bool {
        let is_comment =
            |line: &&&str| self.comment_in(line).is_some_and(|comment| comment.len() == line.len());
        let count = |lines: &[&str]| lines.iter().filter(is_comment).count();
        let (before, after) = (count(removed), count(added));
        after > before && removed.len() - before >= added.len() - after + 2
    }

    /// Returns whether a comment is lost: there are fewer lines of comments than before, or a comment, or one of its
    /// lines, has too few words in common with the new comments.
    fn loses_comment(&self, removed: &[&str], added: &[&str]) -> bool {
        let words = |line: &str| -> Vec<String> {
            let words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            words.map(str::to_lowercase).collect()
        };
        let all: Vec<String> =
            added.iter().filter_map(|line| self.comment_in(line)).flat_map(words).collect();
        let is_lost = |lines: &[&str], min_length: usize, divisor: usize| {
            let own = lines.iter().filter_map(|line| self.comment_in(line)).flat_map(words);
            let own: Vec<String> = own.filter(|word| word.len() >= min_length).collect();
            own.iter().filter(|word| all.contains(word)).count() * divisor < own.len()
        };
        let count = |lines: &[&str]| lines.iter().filter(|line| self.comment_in(line).is_some()).count();
        if count(removed) > count(added) {
            return true;
        }
        let mut blocks =
            removed.chunk_by(|one, next| self.comment_in(one).is_some() == self.comment_in(next).is_some());
        // For a single line, short words do not count, because every comment has them.
        removed.iter().any(|line| is_lost(&[line], 4, 3)) || blocks.any(|block| is_lost(block, 1, 2))
    }

    /// Returns the comment in a line. It accepts the marks of all languages, because a string may contain code of
    /// another language.
    fn comment_in<'l>(&self, line: &'l str) -> Option<&'l str> {
        const MARKS: &[&str] = &["//", "/*", "{/*", "* ", "-- ", "<!--"];
        let hash = line.strip_prefix('#').is_some_and(|rest| {
            self.file.language.is_indented || !rest.starts_with(|c: char| c.is_alphabetic() || c == '[')
        });
        if hash || MARKS.iter().any(|mark| line.starts_with(mark)) {
            return Some(line);
        }
        let marks: &[&str] = if self.file.language.is_indented { &[" #"] } else { &[" //", " /*"] };
        marks.iter().find_map(|mark| line.get(line.find(mark)?..))
    }
}

impl Parsed {
    /// Returns the comment after a definition on its last line, if at most a separator is between.
    pub(super) fn trailing_comment(&self, end: usize) -> Option<Range<usize>> {
        let rest = self.slice(end..self.line_end(end));
        let at = end + rest.len() - rest.trim_start_matches([' ', '\t', ',', ';']).len();
        let node =
            self.root().named_descendant_for_byte_range(at, at + 1).filter(|node| self.is_comment(*node))?;
        (node.start_byte() == at).then(|| at..self.end(node))
    }
}
