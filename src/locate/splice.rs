//! Computes the changes of a hunk at a place. Context lines stay as the file has them.

use super::Context;
use super::alignment::Alignment;
use super::block;
use super::heading::begins_section;
use super::reindent::{Reindent, Unclear};
use crate::pattern::{End, Pattern, Step, says_something};
use crate::text::search::Haystack;
use crate::text::{Language, Normalization, is_blank};
use crate::version::{LineChange, Lineage, goes_behind};

/// The context line next to which an insertion goes, if the file has more lines between two than the search text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    Above,
    Below,
}

/// How the changes of a hunk are computed.
pub(super) struct Splice<'a> {
    pub(super) hay: Haystack<'a>,
    pub(super) reindent: &'a Reindent,
    pub(super) beside: Beside,
    /// What is known besides the hunk; `None` for reverting an applied one.
    pub(super) context: Option<&'a Context<'a>>,
}

impl Splice<'_> {
    /// The changes of a hunk of whole lines.
    ///
    /// # Errors
    /// Lines that the search text does not have would be removed with others, or might lie between added lines.
    pub(super) fn changes(
        &self,
        pattern: &Pattern<'_>,
        aligned: &Alignment,
    ) -> Result<Vec<LineChange>, Unclear> {
        if self.reindent.breaks_literal(pattern, self.language()) {
            return Err(Unclear::Style);
        }
        let mut changes = Vec::new();
        let mut between = Between::default();
        // The line after the last context line.
        let mut above = None;
        let mut is_first = true;
        for step in &pattern.steps {
            match *step {
                Step::Keep(before) => {
                    let line = aligned.line(before);
                    // A line that is not blank and not in the file is an elision.
                    if line.is_some() || !is_blank(pattern.before[before]) {
                        changes.extend(self.finish(&mut between, pattern, aligned, above, line)?);
                        above = line.map(|line| line + 1);
                    }
                    is_first = false;
                }
                Step::Remove(before) => {
                    if let Some(line) = aligned.line(before) {
                        between.removed = Some((between.removed.map_or(line, |(start, _)| start), line + 1));
                        between.lines += 1;
                        between.solid += usize::from(!is_blank(pattern.before[before]));
                        between.added_first |= !between.added.is_empty();
                    }
                }
                Step::Add(text) => {
                    between.added.push((text, is_first));
                    is_first = false;
                }
                // Everything up to the next line is removed.
                Step::Gap => between.has_gap = true,
            }
        }
        changes.extend(self.finish(&mut between, pattern, aligned, above, None)?);
        let shows_one = || {
            let pairs = aligned.indentations(self.hay, pattern);
            pairs.windows(2).all(|pair| pair[0].0 == pair[1].0)
        };
        let is_alone = self.reindent.shifts() && shows_one();
        let breaks = |context: &Context<'_>| {
            changes.iter().any(|change| block::breaks(context, self.hay, change, is_alone))
        };
        if self.context.is_some_and(breaks) { Err(Unclear::Style) } else { Ok(changes) }
    }

    /// The change between two context lines, if there is one.
    fn finish(
        &self,
        between: &mut Between<'_>,
        pattern: &Pattern<'_>,
        aligned: &Alignment,
        above: Option<usize>,
        below: Option<usize>,
    ) -> Result<Option<LineChange>, Unclear> {
        let between = std::mem::take(between);
        if between.removed.is_none() && between.added.is_empty() {
            return Ok(None);
        }
        let leads = between.removed.is_none() && above.is_none() && below.is_some();
        let (start, end) = match between.removed {
            Some((start, end)) => {
                self.check(&between, pattern, (start, end), (above, below))?;
                (start, end)
            }
            None => {
                let here = match (self.beside, above, below) {
                    (Beside::Below, _, Some(below)) | (_, None, Some(below)) => below,
                    (_, Some(above), _) => above,
                    (_, None, None) => aligned.place.first(),
                };
                let here = if below.is_none() { self.after_insertions(here, &between.added) } else { here };
                if self.was_inserted(&between.added, here) {
                    return Err(Unclear::Duplicate);
                }
                (here, here)
            }
        };
        let change = self.change(&between.added, pattern.end, aligned, start, end);
        Ok(Some(LineChange { leads, ..change }))
    }

    /// Refuses to remove lines that the search text does not have, and to replace lines next to blank lines of the file
    /// that it does not have: the added lines may belong on the other side. As many lines as are removed take their
    /// place; with fewer or more, some may be inserted on one side and others removed on the other.
    fn check(
        &self,
        between: &Between<'_>,
        pattern: &Pattern<'_>,
        (start, end): (usize, usize),
        (above, below): (Option<usize>, Option<usize>),
    ) -> Result<(), Unclear> {
        if between.has_gap {
            return Ok(());
        }
        if between.lines < end - start {
            return Err(Unclear::Ambiguous);
        }
        // Whether the file has more lines between the removed lines and the context lines.
        let more_above = above.is_some_and(|above| above < start);
        let more_below = below.is_some_and(|below| end < below);
        let added = &between.added;
        let solid = added.iter().filter(|(text, _)| !is_blank(text)).count();
        let uneven = !added.is_empty() && solid != between.solid || added.len() > between.lines;
        let from_diff = pattern.end != End::AsFile;
        let ahead = from_diff && between.added_first && more_above;
        if uneven && (more_above || more_below) || ahead { Err(Unclear::Ambiguous) } else { Ok(()) }
    }

    /// The line for an insertion after those of earlier edits at the same line, so that their order is kept, but before
    /// lines that belong to the line below. Not if these begin a block or section, which the added lines would then be
    /// in.
    fn after_insertions(&self, here: usize, added: &[(&[u8], bool)]) -> usize {
        let after = || {
            let lineage = self.lineage()?;
            let above = lineage.origin(here.checked_sub(1)?)?;
            let next = lineage.of(above + 1)?;
            let behind = next.checked_sub(lineage.lead(next)).filter(|behind| *behind >= here)?;
            let first = added.iter().find(|(text, _)| !is_blank(text));
            let first = first.map(|(text, first)| self.reindent.line(text, *first)).unwrap_or_default();
            let language = self.language();
            let begins = |text: &[u8]| begins_section(text, language) && !begins_section(&first, language);
            let mut inserted = (here..behind).map(|line| self.hay.text(line));
            (goes_behind(inserted.clone(), &first) && !inserted.any(begins)).then_some(behind)
        };
        after().unwrap_or(here)
    }

    fn language(&self) -> Language {
        self.context.map_or(Language::UNKNOWN, |context| context.limits.language())
    }

    fn lineage(&self) -> Option<&Lineage> {
        self.context.and_then(Context::lineage)
    }

    /// Whether earlier edits inserted lines there with which the added lines begin, or which begin with these.
    fn was_inserted(&self, added: &[(&[u8], bool)], here: usize) -> bool {
        let Some(lineage) = self.lineage() else { return false };
        let is_new = |line: &usize| *line < self.hay.line_count() && lineage.origin(*line).is_none();
        let above = (0..here).rev().take_while(is_new).count();
        let below = (here..).take_while(is_new).count();
        let solid = |text: &&[u8]| !is_blank(text);
        let trimmed = |text: &[u8]| Normalization::Trimmed.of(text).into_owned();
        let added: Vec<_> = added.iter().map(|(text, _)| *text).filter(solid).map(trimmed).collect();
        [here - above..here, here..here + below].into_iter().any(|range| {
            let inserted: Vec<_> = range.map(|line| self.hay.text(line)).filter(solid).map(trimmed).collect();
            let shared = inserted.len().min(added.len());
            inserted[..shared] == added[..shared] && added[..shared].iter().any(|text| says_something(text))
        })
    }

    fn change(
        &self,
        added: &[(&[u8], bool)],
        end_of_text: End,
        aligned: &Alignment,
        start: usize,
        end: usize,
    ) -> LineChange {
        let content = self.hay.content();
        let (first, behind) = (aligned.place.first(), aligned.place.behind());
        let region = if first == behind { first.saturating_sub(1)..first } else { first..behind };
        let eol = self.hay.content().eol_of(region).as_bytes();
        let mut bytes = Vec::new();
        for (text, first) in added {
            bytes.extend_from_slice(&self.reindent.line(text, *first));
            bytes.extend_from_slice(eol);
        }
        if end == content.line_count() && !added.is_empty() {
            let open = !content.ends_with_newline();
            if end_of_text == End::Nothing || (end_of_text == End::AsFile && open) {
                bytes.truncate(bytes.len() - eol.len());
            }
            if start == end && open {
                // The line above gets the newline that it lacks.
                bytes.splice(0..0, eol.iter().copied());
            }
        }
        LineChange::new(start, end, bytes)
    }
}

/// The removed and added lines between two context lines.
#[derive(Default)]
struct Between<'a> {
    removed: Option<(usize, usize)>,
    /// How many lines are removed, and how many of them are not blank.
    lines: usize,
    solid: usize,
    /// Each with whether it is the first line of the replacement.
    added: Vec<(&'a [u8], bool)>,
    /// Whether a line is added before one is removed.
    added_first: bool,
    /// Whether everything between the removed lines is removed, too.
    has_gap: bool,
}
