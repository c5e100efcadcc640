//! Inserts new definitions.

use super::super::error::MergeError;
use super::super::items::{Definition, Part};
use super::Merge;
use super::container::{Matched, unclear_new};
use std::collections::HashSet;
use std::ops::Range;

/// The place of a new definition, by the index of an element of the file.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Spot {
    After(usize),
    Before(usize),
}

impl<'a> Merge<'a> {
    /// Inserts the definitions that the file's list lacks.
    pub(super) fn insert_new(&mut self, matched: &Matched<'a>) -> Result<(), MergeError> {
        let is_new = |at: usize| {
            matches!(
                (matched.new.get(at), matched.old_index.get(at)),
                (Some(Part::Definition(_)), Some(None))
            )
        };
        let mut spots: HashSet<Spot> = HashSet::new();
        let mut at = 0;
        while at < matched.new.len() {
            let behind = (at..matched.new.len()).find(|one| !is_new(*one)).unwrap_or(matched.new.len());
            if behind > at {
                let spot = self.spot(matched, at..behind)?;
                let touches = match spot {
                    Spot::After(one) => Spot::Before(one + 1),
                    Spot::Before(one) => Spot::After(one.wrapping_sub(1)),
                };
                if !spots.insert(spot) || spots.contains(&touches) {
                    return Err(no_place(matched, at));
                }
                self.insert(matched, at..behind, spot)?;
            }
            at = behind + 1;
        }
        Ok(())
    }

    /// Returns where a run of new definitions goes: after the element before it, before the element after it, or at the
    /// end.
    fn spot(&self, matched: &Matched<'_>, run: Range<usize>) -> Result<Spot, MergeError> {
        let place = |at: usize| match (matched.new.get(at), matched.old_index.get(at)) {
            (Some(Part::Definition(_) | Part::Statement(_)), Some(Some(place))) => Some(*place),
            _ => None,
        };
        let is_last = run.end == matched.new.len();
        let before = run.start.checked_sub(1).and_then(place);
        let behind = place(run.end);
        // The run is between known elements or edges of the list if no elision is beside it.
        let from = match before {
            None if run.start == 0 && matched.has_edges => Some(0),
            before => before.map(|before| before + 1),
        };
        let to = if is_last && matched.has_edges { Some(matched.old.len()) } else { behind };
        if let (Some(from), Some(to)) = (from, to) {
            self.check_in_place(matched, run.clone(), from..to)?;
        }
        if let Some(spot) = before.map(Spot::After).or(behind.map(Spot::Before)) {
            return Ok(spot);
        }
        let elided =
            run.start.checked_sub(1).is_some_and(|at| matches!(matched.new.get(at), Some(Part::Elision(_))));
        // A statement at the end may run definitions, so none goes after it.
        let may_append = matches!(matched.old.last(), Some(Part::Definition(_) | Part::Comment(_)));
        match matched.old.len().checked_sub(1) {
            Some(last) if elided && is_last && may_append => Ok(Spot::After(last)),
            _ => Err(no_place(matched, run.start)),
        }
    }

    /// Refuses new members if the file has as many other members at their place, which the snippet neither shows nor
    /// elides: the new ones may be these, renamed.
    ///
    /// ```text
    /// file:         snippet:
    /// fn a() {}     fn a() {}
    /// fn b() {}     fn c() {}     may be `b`, renamed
    /// fn d() {}     fn d() {}
    /// ```
    fn check_in_place(
        &self,
        matched: &Matched<'_>,
        run: Range<usize>,
        between: Range<usize>,
    ) -> Result<(), MergeError> {
        let new = matched.new.get(run).unwrap_or_default().iter().map(Part::definition);
        let old = matched.old.get(between.clone()).unwrap_or_default().iter().map(Part::definition);
        let is_shown = |at: usize| matched.old_index.contains(&Some(at));
        if matched.list == self.file.root() || new.len() != old.len() || between.clone().any(is_shown) {
            return Ok(());
        }
        match new.zip(old).find_map(|(new, old)| new.zip(old).filter(|(new, old)| new.what == old.what)) {
            Some((new, old)) => Err(unclear_new(new, &old.shown()).about(new, Some(old))),
            None => Ok(()),
        }
    }

    /// Inserts a run of new definitions.
    fn insert(&mut self, matched: &Matched<'a>, run: Range<usize>, spot: Spot) -> Result<(), MergeError> {
        let (file, parsed) = (self.file, &self.snippet.parsed);
        let (Spot::After(at) | Spot::Before(at)) = spot;
        let Some(beside) = matched.old.get(at).map(|part| part.range(file)) else { return Ok(()) };
        let to = file.indentation(beside.start);
        let list = match matched.old.get(at) {
            Some(Part::Definition(one)) => one.outer.parent(),
            _ => None,
        };
        let commas = list.is_some_and(|list| file.language.commas.contains(&list.kind()));
        let rest = file.slice(beside.end..file.line_end(beside.end));
        let is_alone = rest.trim_start_matches([' ', '\t', ',', ';']).is_empty()
            || file.trailing_comment(beside.end).is_some();
        let begins = file.begins_line(beside.start);
        // A comment on the next line that does not belong to the next element is about the element before it.
        let has_comment_below = matches!(matched.old.get(at + 1), Some(Part::Comment(node))
            if node.start_position().row == file.line(beside.end) + 1);
        if !begins || matches!(spot, Spot::After(_)) && (!is_alone || has_comment_below) {
            return Err(no_place(matched, run.start));
        }
        // The last member of a list with commas may have no comma.
        let lacks_comma = commas && !rest.trim_start().starts_with(',') && matches!(spot, Spot::After(_));
        if lacks_comma && file.trailing_comment(beside.end).is_some() {
            return Err(no_place(matched, run.start));
        }
        let (mut out, mut texts) = (String::new(), Vec::new());
        for one in run.clone() {
            let Some(Part::Definition(new)) = matched.new.get(one) else { continue };
            let range = new.range(parsed);
            let text = self.reindent(range.clone(), to)?;
            let behind = parsed.slice(range.end..parsed.line_end(range.end)).trim();
            let divider = match commas {
                true if lacks_comma && one + 1 == run.end => "",
                true => ",",
                false if behind.starts_with(';') => ";",
                false => "",
            };
            let tail = parsed
                .trailing_comment(range.end)
                .map(|tail| format!(" {}", parsed.slice(tail)))
                .unwrap_or_default();
            texts.push((self.blank_lines_before(matched, one), format!("{to}{text}{divider}{tail}")));
        }
        match spot {
            Spot::After(_) => {
                let place = if lacks_comma { beside.end } else { file.line_end(beside.end) };
                if lacks_comma {
                    out.push(',');
                }
                for (gap, text) in texts {
                    out.push_str(&"\n".repeat(gap + 1));
                    out.push_str(&text);
                }
                self.edits.replace(place..place, out);
            }
            Spot::Before(_) => {
                let place = file.line_start(beside.start);
                for (at, (_, text)) in texts.into_iter().enumerate() {
                    out.push_str(&text);
                    out.push_str(&"\n".repeat(self.blank_lines_before(matched, run.start + at + 1) + 1));
                }
                self.edits.replace(place..place, out);
            }
        }
        Ok(())
    }

    /// Returns how many blank lines the snippet has before an element.
    fn blank_lines_before(&self, matched: &Matched<'_>, at: usize) -> usize {
        let parsed = &self.snippet.parsed;
        let range = |at: usize| matched.new.get(at).map(|part| part.range(parsed));
        let (Some(before), Some(own)) = (at.checked_sub(1).and_then(range), range(at)) else { return 1 };
        let lines = parsed.line(own.start).saturating_sub(parsed.line(before.end));
        lines.saturating_sub(1)
    }
}

/// Returns the error about a new definition without a place.
fn no_place(matched: &Matched<'_>, at: usize) -> MergeError {
    let new = matched.new.get(at).and_then(Part::definition);
    let shown = new.map_or_else(String::new, Definition::shown);
    MergeError::no_place(&shown).at(new.map_or(0, |new| new.core.start_position().row))
}
