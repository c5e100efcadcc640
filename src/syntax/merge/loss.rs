//! Refuses replacements that would lose parts of the file.

use super::super::error::{MARK, MergeError, WHOLE};
use super::super::items::Definition;
use super::super::tree::Parsed;
use super::Merge;
use super::body::units;
use super::edits::unindented;
use crate::diag::counted;
use crate::text::difference_of;
use similar::DiffOp;
use std::ops::Range;

/// How many lines may be removed without a replacement.
const FEW: usize = 2;

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
            return Err(MergeError::lacks(&new.shown(), &lines, WHOLE).about(new, Some(old)).loses());
        }
        self.check_lines_lost(new, &place, text, false)
    }

    /// Refuses a function that lacks several lines of statements in a row, or the value that it returns at its end, if nothing
    /// replaces these. In a comparison by lines, another head or an equal bracket may hide that.
    pub(super) fn check_statements(
        &self,
        old: &Definition<'_>,
        new: &Definition<'_>,
    ) -> Result<(), MergeError> {
        let (Some(old_body), Some(new_body), false) = (old.body, new.body, self.may_lose) else {
            return Ok(());
        };
        let texts = |of: &Parsed, body| -> Vec<Vec<String>> {
            units(of, body).into_iter().map(|unit| unindented(of, unit)).collect()
        };
        let (before, after) = (texts(self.file, old_body), texts(&self.snippet.parsed, new_body));
        for step in difference_of(&before, &after) {
            let DiffOp::Delete { old_index, old_len, .. } = step else { continue };
            let gone = before.get(old_index..old_index + old_len).unwrap_or(&[]);
            let lost = gone.iter().flatten().filter(|line| !line.is_empty()).count();
            let ends = old_index + old_len == before.len();
            let returns = |unit: &Vec<String>| unit.first().is_some_and(|line| line.starts_with("return "));
            if lost > FEW || ends && gone.last().is_some_and(returns) {
                let first = units(self.file, old_body).into_iter().nth(old_index);
                let line = first.map_or(0, |first| self.file.line(first.start));
                let error = MergeError::lacks(&new.shown(), &counted(lost, "line"), MARK).about(new, None);
                return Err(error.in_file(line).loses());
            }
        }
        Ok(())
    }

    /// Refuses a replacement that removes several lines or a comment without a replacement; with `elided`, any line.
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
        // A comment of the file may be an elision in the snippet.
        let elides = elided || self.snippet.known.iter().any(|comment| text.contains(comment));
        let few = if elides { 0 } else { FEW };
        let (mut lost, mut from) = (0, None);
        for step in difference_of(&before, &after) {
            let (gone, come) = match step {
                DiffOp::Delete { old_index, old_len, .. } => (old_index..old_index + old_len, 0..0),
                DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                    (old_index..old_index + old_len, new_index..new_index + new_len)
                }
                DiffOp::Equal { .. } | DiffOp::Insert { .. } => continue,
            };
            let (gone, come) = (before.get(gone).unwrap_or(&[]), after.get(come).unwrap_or(&[]));
            let decorators = |lines: &[&str]| {
                lines.iter().filter(|line| line.starts_with(['@']) || line.starts_with("#[")).count()
            };
            let shown = gone.first().copied().unwrap_or("");
            if come.is_empty() {
                lost += gone.len();
                from.get_or_insert(shown);
            }
            let (what, shown) = match () {
                () if lost > few => (counted(lost, "line"), from.unwrap_or(shown)),
                () if self.loses_comment(gone, come) => ("a comment".to_owned(), shown),
                () if self.hides(gone, come) => (counted(gone.len(), "line"), shown),
                () if decorators(gone) > decorators(come) => (format!("`{shown}`"), shown),
                () => continue,
            };
            let at = self.file.slice(place.clone()).lines().position(|line| line.trim() == shown);
            let error = MergeError::lacks(&new.shown(), &what, MARK).about(new, None);
            return Err(error.in_file(first + at.unwrap_or(0)).loses());
        }
        Ok(())
    }

    /// Whether a comment stands where several lines of code were: it may say that these are left out.
    fn hides(&self, gone: &[&str], come: &[&str]) -> bool {
        let is_comment =
            |line: &&&str| self.comment_in(line).is_some_and(|comment| comment.len() == line.len());
        let count = |lines: &[&str]| lines.iter().filter(is_comment).count();
        let (before, after) = (count(gone), count(come));
        after > before && gone.len() - before >= come.len() - after + 2
    }

    /// Whether there are fewer comments than before, or one, or a line of one, shares too few words with the new ones.
    fn loses_comment(&self, gone: &[&str], come: &[&str]) -> bool {
        let words = |line: &str| -> Vec<String> {
            let words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            words.map(str::to_lowercase).collect()
        };
        let all: Vec<String> = come.iter().filter_map(|line| self.comment_in(line)).flat_map(words).collect();
        let is_lost = |lines: &[&str], shortest: usize, least: usize| {
            let own = lines.iter().filter_map(|line| self.comment_in(line)).flat_map(words);
            let own: Vec<String> = own.filter(|word| word.len() >= shortest).collect();
            own.iter().filter(|word| all.contains(word)).count() * least < own.len()
        };
        let count = |lines: &[&str]| lines.iter().filter(|line| self.comment_in(line).is_some()).count();
        if count(gone) > count(come) {
            return true;
        }
        let mut blocks =
            gone.chunk_by(|one, next| self.comment_in(one).is_some() == self.comment_in(next).is_some());
        // Of a line alone, short words say nothing: they are in every comment.
        gone.iter().any(|line| is_lost(&[line], 4, 3)) || blocks.any(|block| is_lost(block, 1, 2))
    }

    /// The comment in a line, in any language, because a string may contain one.
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
    /// The comment after a definition on its last line, if only a separator is between.
    pub(super) fn tail(&self, end: usize) -> Option<Range<usize>> {
        let rest = self.slice(end..self.line_end(end));
        let at = end + rest.len() - rest.trim_start_matches([' ', '\t', ',', ';']).len();
        let node =
            self.root().named_descendant_for_byte_range(at, at + 1).filter(|node| self.is_comment(*node))?;
        (node.start_byte() == at).then(|| at..self.end(node))
    }
}
