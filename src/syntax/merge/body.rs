//! Merges bodies with elisions. The statements next to an elision tell what it stands for.

use super::super::error::{HELP_WHOLE, MergeError};
use super::super::items::{Definition, flattened};
use super::super::tree::Parsed;
use super::Merge;
use super::edits::unindented;
use super::groups::Groups;
use std::ops::Range;

impl<'a> Merge<'a> {
    /// Merges the body of a function that has elisions.
    ///
    /// ```text
    /// file:     snippet:     result:
    /// b();      b();         b();
    /// c();      // ...       c();
    /// d();      d();         d();
    ///           e();         e();
    /// ```
    pub(super) fn merge_body(
        &mut self,
        old: &Definition<'a>,
        new: &Definition<'a>,
    ) -> Result<(), MergeError> {
        let (Some(old_body), Some(new_body)) = (old.body, new.body) else { return Ok(()) };
        let (file, parsed) = (self.file, &self.snippet.parsed);
        let old_units = units(file, old_body);
        let texts =
            old_units.iter().enumerate().map(|(at, unit)| (unindented(file, unit.clone()), at)).collect();
        let new_units = units(parsed, new_body);
        let is_elision = |unit: &Range<usize>| self.snippet.elisions.contains(&unit.start);
        let elided = new_units.iter().filter(|unit| is_elision(unit)).count();
        let within = self.snippet.elisions.range(new.range(parsed)).count();
        // An elision inside of a statement is not supported.
        if elided != within || old_units.is_empty() {
            return Err(MergeError::unclear_elision(&new.shown(), HELP_WHOLE).about(new, Some(old)));
        }
        let segments: Vec<&[Range<usize>]> = new_units.split(is_elision).collect();
        let mut from = 0;
        let mut changes: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        for (at, segment) in segments.iter().enumerate() {
            let (Some(first), Some(last)) = (segment.first(), segment.last()) else { continue };
            let begin = match at {
                0 => 0,
                _ => self.statement_index(first, &texts, from, (old, new))?,
            };
            let end = match at + 1 == segments.len() {
                true => old_units.len() - 1,
                false => self.statement_index(last, &texts, from.max(begin), (old, new))?,
            };
            let (Some(start), Some(behind)) = (old_units.get(begin), old_units.get(end)) else { continue };
            changes.push((start.start..behind.end, first.start..last.end));
            from = end + 1;
        }
        for (place, with) in changes {
            self.check_imports((old, &place), (new, &with))?;
            let first = parsed.indentation(with.start);
            let mut inside = new_units.iter().filter(|unit| with.contains(&unit.start));
            let is_odd = |unit: &Range<usize>| {
                parsed.begins_line(unit.start) && parsed.indentation(unit.start) != first
            };
            let (place, text) = match first != file.indentation(place.start) && inside.any(is_odd) {
                true => self.take_as_written((old, new), place, with)?,
                false => (place.clone(), self.reindent(with, file.indentation(place.start))?),
            };
            self.check_lines_lost(new, &place, &text, true)?;
            self.edits.replace(place, text);
        }
        Ok(())
    }

    /// Returns the lines `with` of the snippet without re-indenting them, and the range that they replace. Their first
    /// line, such as a label or `#ifdef`, is not indented like the others, so it cannot tell how to re-indent them.
    /// They are refused if they would have to be.
    fn take_as_written(
        &self,
        (old, new): (&Definition<'_>, &Definition<'_>),
        place: Range<usize>,
        with: Range<usize>,
    ) -> Result<(Range<usize>, String), MergeError> {
        let (file, source) = (self.file, &self.snippet.parsed);
        let to = file.indentation(old.range(file).start);
        let is_shifted =
            !self.snippet.indentation.is_empty() || source.indentation(new.range(source).start) != to;
        if is_shifted || !(file.begins_line(place.start) && source.begins_line(with.start)) {
            return Err(MergeError::indentation().at(source.line(with.start)));
        }
        self.check_indentation(with.clone(), file.indentation(place.start))?;
        let text = source.slice(source.line_start(with.start)..with.end).to_owned();
        Ok((file.line_start(place.start)..place.end, text))
    }

    /// Returns the index in the file's body of a statement of the snippet, which must be unique and not before `from`.
    fn statement_index(
        &self,
        unit: &Range<usize>,
        texts: &Groups<Vec<String>, usize>,
        from: usize,
        (old, new): (&Definition<'_>, &Definition<'_>),
    ) -> Result<usize, MergeError> {
        let parsed = &self.snippet.parsed;
        let wanted = unindented(parsed, unit.clone());
        let first = format!("`{}`", wanted.first().map_or("", String::as_str));
        let error = match texts.get(&wanted) {
            [only] if *only >= from => return Ok(*only),
            [] | [_] => MergeError::absent(&old.shown(), &first, HELP_WHOLE),
            _ => MergeError::several(&old.shown(), &first, HELP_WHOLE),
        };
        Err(error.about(new, Some(old)).at(parsed.line(unit.start)))
    }
}

/// Returns the ranges of a body's statements and comments. A comment on the last line of a statement belongs to that
/// statement.
pub(super) fn units(source: &Parsed, body: tree_sitter::Node<'_>) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    for node in flattened(source.language, body) {
        let range = source.range(node);
        match all.last_mut() {
            Some(last) if source.is_comment(node) && !source.begins_line(range.start) => last.end = range.end,
            _ => all.push(range),
        }
    }
    all
}
