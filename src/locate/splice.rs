//! Computes the changes of a hunk at a place. Context lines stay as the file has them.

use super::Context;
use super::alignment::Alignment;
use super::block;
use super::heading::begins_section;
use super::reindent::{Reindent, Unclear};
use crate::pattern::{End, Pattern, Step, has_words};
use crate::text::search::Haystack;
use crate::text::{Language, Normalization, is_blank};
use crate::version::{LineChange, Lineage, goes_behind};

/// Where an insertion between two context lines goes if the file has additional lines between them: directly below the
/// upper context line, or directly above the lower one.
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
    /// What is known besides the hunk; `None` if an applied hunk is reverted.
    pub(super) context: Option<&'a Context<'a>>,
}

impl Splice<'_> {
    /// Computes the changes of a hunk of whole lines.
    ///
    /// # Errors
    /// The hunk would remove lines that the search text does not have, it is unclear on which side of them to add
    /// lines, or the added lines would break a string or a block of the file.
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
        // The line below the last context line so far.
        let mut above = None;
        let mut is_first = true;
        for step in &pattern.steps {
            match *step {
                Step::Keep(before) => {
                    let line = aligned.line(before);
                    // A blank line that the file lacks is skipped. Any other line that the file lacks is an elision.
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
                // Everything up to the next line of the search text is removed.
                Step::Gap => between.has_gap = true,
            }
        }
        changes.extend(self.finish(&mut between, pattern, aligned, above, None)?);
        let has_one_indent = || {
            let pairs = aligned.indentations(self.hay, pattern);
            pairs.windows(2).all(|pair| pair[0].0 == pair[1].0)
        };
        let is_unsure = self.reindent.shifts() && has_one_indent();
        let breaks = |context: &Context<'_>| {
            changes.iter().any(|change| block::breaks(context, self.hay, change, is_unsure))
        };
        if self.context.is_some_and(breaks) { Err(Unclear::Style) } else { Ok(changes) }
    }

    /// Returns the change between two context lines, if there is one.
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
                self.check_removal(&between, pattern, (start, end), (above, below))?;
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

    /// Refuses a removal if it would also remove lines that the search text does not have.
    ///
    /// Also refuses to replace lines next to additional blank lines of the file by fewer or more lines: some of the
    /// added lines may belong on the other side of the blank lines. If as many lines are added as removed, they take
    /// the place of these:
    /// ```text
    /// file:  `a`, ``, `b`      search text:  `a`, `b`      replacement:  `a`, `x`: ok      `a`, `x`, `y`: refused
    /// ```
    fn check_removal(
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
        // Whether the file has additional lines between the removed lines and the context lines.
        let more_above = above.is_some_and(|above| above < start);
        let more_below = below.is_some_and(|below| end < below);
        let added = &between.added;
        let solid = added.iter().filter(|(text, _)| !is_blank(text)).count();
        let uneven = !added.is_empty() && solid != between.solid || added.len() > between.lines;
        // A diff may add lines above the removed ones.
        let from_diff = pattern.end != End::AsFile;
        let adds_above = from_diff && between.added_first && more_above;
        if uneven && (more_above || more_below) || adds_above { Err(Unclear::Ambiguous) } else { Ok(()) }
    }

    /// Returns the line for an insertion. It goes below the lines that earlier edits inserted at the same line, so that
    /// insertions keep their order, but above lines that were inserted for the line below. If an inserted line begins
    /// another block or section, the insertion stays above it, since it would be inside of it otherwise.
    fn after_insertions(&self, here: usize, added: &[(&[u8], bool)]) -> usize {
        let after = || {
            let lineage = self.lineage()?;
            let above = lineage.origin(here.checked_sub(1)?)?;
            let next = lineage.of(above + 1)?;
            let behind = next.checked_sub(lineage.lead(next)).filter(|behind| *behind >= here)?;
            let first = added.iter().find(|(text, _)| !is_blank(text));
            let first = first.map(|(text, first)| self.reindent.line(text, *first)).unwrap_or_default();
            let language = self.language();
            let is_heading =
                |text: &[u8]| begins_section(text, language) && !begins_section(&first, language);
            let mut inserted = (here..behind).map(|line| self.hay.text(line));
            (goes_behind(inserted.clone(), &first) && !inserted.any(is_heading)).then_some(behind)
        };
        after().unwrap_or(here)
    }

    fn language(&self) -> Language {
        self.context.map_or(Language::UNKNOWN, |context| context.limits.language())
    }

    fn lineage(&self) -> Option<&Lineage> {
        self.context.and_then(Context::lineage)
    }

    /// Whether earlier edits inserted lines here that begin like the added lines, so that one of the two insertions is
    /// the beginning of the other. They may be the same insertion.
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
            inserted[..shared] == added[..shared] && added[..shared].iter().any(|text| has_words(text))
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
                // The last line of the file gets the newline that it lacks.
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
    /// How many lines of the search text are removed, and how many of them are not blank.
    lines: usize,
    solid: usize,
    /// The added lines, each with whether it is the first line of the replacement.
    added: Vec<(&'a [u8], bool)>,
    /// Whether a line is added above a removed one.
    added_first: bool,
    /// Whether a gap stands between the removed lines, so that everything between them is removed, too.
    has_gap: bool,
}
