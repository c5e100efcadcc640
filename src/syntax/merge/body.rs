//! Merges bodies with elisions: the statements next to an elision tell where it is.

use super::super::error::{MergeError, WHOLE};
use super::super::items::{Definition, flattened};
use super::super::tree::Parsed;
use super::Merge;
use super::edits::unindented;
use super::groups::Groups;
use std::ops::Range;

impl<'a> Merge<'a> {
    /// Merges the body of a function that has elisions.
    pub(super) fn body(&mut self, old: &Definition<'a>, new: &Definition<'a>) -> Result<(), MergeError> {
        let (Some(old_body), Some(new_body)) = (old.body, new.body) else { return Ok(()) };
        let (file, parsed) = (self.file, &self.snippet.parsed);
        let there = units(file, old_body);
        let texts = there.iter().enumerate().map(|(at, unit)| (unindented(file, unit.clone()), at)).collect();
        let here = units(parsed, new_body);
        let is_elision = |unit: &Range<usize>| self.snippet.elisions.contains(&unit.start);
        let elided = here.iter().filter(|unit| is_elision(unit)).count();
        let within = self.snippet.elisions.range(new.range(parsed)).count();
        if elided != within || there.is_empty() {
            return Err(MergeError::unclear_elision(&new.shown(), WHOLE).about(new, Some(old)));
        }
        let segments: Vec<&[Range<usize>]> = here.split(is_elision).collect();
        let mut from = 0;
        let mut changes: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        for (at, segment) in segments.iter().enumerate() {
            let (Some(first), Some(last)) = (segment.first(), segment.last()) else { continue };
            let begin = match at {
                0 => 0,
                _ => self.place(first, &texts, from, (old, new))?,
            };
            let end = match at + 1 == segments.len() {
                true => there.len() - 1,
                false => self.place(last, &texts, from.max(begin), (old, new))?,
            };
            let (Some(start), Some(behind)) = (there.get(begin), there.get(end)) else { continue };
            changes.push((start.start..behind.end, first.start..last.end));
            from = end + 1;
        }
        for (place, with) in changes {
            self.check_imports((old, &place), (new, &with))?;
            let first = parsed.indentation(with.start);
            let mut inside = here.iter().filter(|unit| with.contains(&unit.start));
            let is_odd = |unit: &Range<usize>| {
                parsed.begins_line(unit.start) && parsed.indentation(unit.start) != first
            };
            let (place, text) = match first != file.indentation(place.start) && inside.any(is_odd) {
                true => self.as_written((old, new), place, with)?,
                false => (place.clone(), self.shifted(with, file.indentation(place.start))?),
            };
            self.check_lines_lost(new, &place, &text, true)?;
            self.edits.replace(place, text);
        }
        Ok(())
    }

    /// The lines of a run whose first line is indented otherwise than the others, such as a label or `#ifdef`, and those of
    /// the file that they replace. That line does not tell how to shift the others, so no line may need it.
    fn as_written(
        &self,
        (old, new): (&Definition<'_>, &Definition<'_>),
        place: Range<usize>,
        with: Range<usize>,
    ) -> Result<(Range<usize>, String), MergeError> {
        let (file, of) = (self.file, &self.snippet.parsed);
        let to = file.indentation(old.range(file).start);
        let is_shifted = !self.snippet.indentation.is_empty() || of.indentation(new.range(of).start) != to;
        if is_shifted || !(file.begins_line(place.start) && of.begins_line(with.start)) {
            return Err(MergeError::indentation().at(of.line(with.start)));
        }
        self.check_indentation(with.clone(), file.indentation(place.start))?;
        let text = of.slice(of.line_start(with.start)..with.end).to_owned();
        Ok((file.line_start(place.start)..place.end, text))
    }

    /// The position in the file's body of a statement of the snippet, which must be unique and not before `from`.
    fn place(
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
            [] | [_] => MergeError::absent(&old.shown(), &first, WHOLE),
            _ => MergeError::several(&old.shown(), &first, WHOLE),
        };
        Err(error.about(new, Some(old)).at(parsed.line(unit.start)))
    }
}

/// The ranges of a body's statements and comments; a comment after a statement on its last line belongs to it.
pub(super) fn units(of: &Parsed, body: tree_sitter::Node<'_>) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    for node in flattened(of.language, body) {
        let range = of.range(node);
        match all.last_mut() {
            Some(last) if of.is_comment(node) && !of.begins_line(range.start) => last.end = range.end,
            _ => all.push(range),
        }
    }
    all
}
