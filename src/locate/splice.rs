//! What a hunk makes of the lines that it matches. Context lines stay as the file has them.

use super::Context;
use super::alignment::Alignment;
use super::block;
use super::pointer::begins_section;
use super::reindent::{Reindent, Unclear};
use crate::pattern::{End, Pattern, Step, says_something};
use crate::text::search::Haystack;
use crate::text::{Eol, Language, Normalization, is_blank};
use crate::version::{LineChange, Lineage, goes_behind};

/// Beside which context line an insertion goes, where the file has lines between the two that the text has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    Above,
    Below,
}

/// How a hunk's lines are put in.
pub(super) struct Splice<'a> {
    pub(super) hay: Haystack<'a>,
    pub(super) reindent: &'a Reindent,
    pub(super) beside: Beside,
    /// What is known of the lines of the text before the response; nothing where there is no other text.
    pub(super) context: Option<&'a Context<'a>>,
}

impl Splice<'_> {
    /// What a hunk of whole lines changes.
    ///
    /// # Errors
    /// Lines that the search text does not name would be removed with others, or might lie between added lines.
    pub(super) fn changes(
        &self,
        pattern: &Pattern<'_>,
        aligned: &Alignment,
    ) -> Result<Vec<LineChange>, Unclear> {
        let language = self.context.map_or(Language::UNKNOWN, |context| context.limits.language());
        if self.reindent.breaks_literal(pattern, language) {
            return Err(Unclear::Writing);
        }
        let mut changes = Vec::new();
        let mut run = Run::default();
        // Behind the last line that was paired.
        let mut above = None;
        let mut stays = 0;
        for step in &pattern.steps {
            match *step {
                Step::Keep(before) => {
                    let line = aligned.line(before);
                    // A line that is not blank and has no line of the file is an elision.
                    if line.is_some() || !is_blank(pattern.before[before]) {
                        changes.extend(self.finish(&mut run, pattern, aligned, above, line)?);
                        above = line.map(|line| line + 1);
                    }
                    stays += 1;
                }
                Step::Remove(before) => {
                    if let Some(line) = aligned.line(before) {
                        run.removed = Some((run.removed.map_or(line, |(start, _)| start), line + 1));
                        run.lines += 1;
                        run.solid += usize::from(!is_blank(pattern.before[before]));
                        run.added_first |= !run.added.is_empty();
                    }
                }
                Step::Add(text) => {
                    run.added.push((text, stays == 0));
                    stays += 1;
                }
                // Everything up to the next line goes.
                Step::Gap => run.gap = true,
            }
        }
        changes.extend(self.finish(&mut run, pattern, aligned, above, None)?);
        let breaks =
            |context: &Context<'_>| changes.iter().any(|change| block::breaks(context, self.hay, change));
        if self.context.is_some_and(breaks) { Err(Unclear::Writing) } else { Ok(changes) }
    }

    fn finish(
        &self,
        run: &mut Run<'_>,
        pattern: &Pattern<'_>,
        aligned: &Alignment,
        above: Option<usize>,
        below: Option<usize>,
    ) -> Result<Option<LineChange>, Unclear> {
        let run = std::mem::take(run);
        if run.removed.is_none() && run.added.is_empty() {
            return Ok(None);
        }
        let leads = run.removed.is_none() && above.is_none() && below.is_some();
        let (start, end) = match run.removed {
            Some((start, end)) => {
                self.check(&run, pattern, (start, end), (above, below))?;
                (start, end)
            }
            None => {
                let here = match (self.beside, above, below) {
                    (Beside::Below, _, Some(below)) | (_, None, Some(below)) => below,
                    (_, Some(above), _) => above,
                    (_, None, None) => aligned.place.first(),
                };
                let here = if below.is_none() { self.behind_what_came(here, &run.added) } else { here };
                if self.has_come(&run.added, here) {
                    return Err(Unclear::Again);
                }
                (here, here)
            }
        };
        let change = self.change(&run.added, pattern.end, aligned, start, end);
        Ok(Some(LineChange { leads, ..change }))
    }

    /// Whether lines that go are all named, and whether it is clear on which side of blank lines that are not those that
    /// come belong: in the place of those that go, if they are as many. Fewer may have come on one side and gone on the
    /// other.
    fn check(
        &self,
        run: &Run<'_>,
        pattern: &Pattern<'_>,
        (start, end): (usize, usize),
        (above, below): (Option<usize>, Option<usize>),
    ) -> Result<(), Unclear> {
        if run.gap {
            return Ok(());
        }
        if run.lines < end - start {
            return Err(Unclear::Several);
        }
        // Lines of the file between those that go and those that stay, which the text has not.
        let more_above = above.is_some_and(|above| above < start);
        let more_below = below.is_some_and(|below| end < below);
        let comes = run.added.iter().filter(|(text, _)| !is_blank(text)).count();
        let uneven = !run.added.is_empty() && comes != run.solid || run.added.len() > run.lines;
        let from_diff = pattern.end != End::AsFile;
        let ahead = from_diff && run.added_first && more_above;
        if uneven && (more_above || more_below) || ahead { Err(Unclear::Several) } else { Ok(()) }
    }

    /// Insertions of one response at one spot keep its order: behind the lines that earlier edits have put in there, but for
    /// those that belong to the line below. Not where a block or a section of its own begins among those, in which these would
    /// stand then.
    fn behind_what_came(&self, here: usize, added: &[(&[u8], bool)]) -> usize {
        let follows = || {
            let lineage = self.lineage()?;
            let above = lineage.origin(here.checked_sub(1)?)?;
            let next = lineage.of(above + 1)?;
            let behind = next.checked_sub(lineage.lead(next)).filter(|behind| *behind >= here)?;
            let first = added.iter().find(|(text, _)| !is_blank(text));
            let first = first.map(|(text, first)| self.reindent.line(text, *first)).unwrap_or_default();
            let language = self.context.map_or(Language::UNKNOWN, |context| context.limits.language());
            let begins = |text: &[u8]| begins_section(text, language) && !begins_section(&first, language);
            let mut came = (here..behind).map(|line| self.hay.text(line));
            (goes_behind(came.clone(), &first) && !came.any(begins)).then_some(behind)
        };
        follows().unwrap_or(here)
    }

    fn lineage(&self) -> Option<&Lineage> {
        self.context.and_then(|context| context.lineage)
    }

    /// Whether earlier edits have put lines in there with which these begin, or which begin with these.
    fn has_come(&self, added: &[(&[u8], bool)], here: usize) -> bool {
        let Some(lineage) = self.lineage() else { return false };
        let came = |line: &usize| *line < self.hay.line_count() && lineage.origin(*line).is_none();
        let above = (0..here).rev().take_while(came).count();
        let below = (here..).take_while(came).count();
        let solid = |text: &&[u8]| !is_blank(text);
        let trimmed = |text: &[u8]| Normalization::Trimmed.of(text).into_owned();
        let added: Vec<_> = added.iter().map(|(text, _)| *text).filter(solid).map(trimmed).collect();
        [here - above..here, here..here + below].into_iter().any(|range| {
            let came: Vec<_> = range.map(|line| self.hay.text(line)).filter(solid).map(trimmed).collect();
            let shared = came.len().min(added.len());
            came[..shared] == added[..shared] && added[..shared].iter().any(|text| says_something(text))
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
        let region = if first == behind { (first.saturating_sub(1), first) } else { (first, behind) };
        let eol = region_eol(self.hay, region.0, region.1).as_bytes();
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
                // The line in front gets the newline that it lacks.
                bytes.splice(0..0, eol.iter().copied());
            }
        }
        LineChange::new(start, end, bytes)
    }
}

/// Removed and added lines between two kept ones.
#[derive(Default)]
struct Run<'a> {
    removed: Option<(usize, usize)>,
    /// How many lines go, and how many of them are not blank.
    lines: usize,
    solid: usize,
    /// Each, and whether it is the first of the after-text.
    added: Vec<(&'a [u8], bool)>,
    /// A line comes before one goes.
    added_first: bool,
    /// All that is in between goes too.
    gap: bool,
}

/// What ends most lines of a region, the first on a tie; the file's if none of them has a line ending.
pub(super) fn region_eol(hay: Haystack<'_>, start: usize, end: usize) -> Eol {
    let mut counts: Vec<(Eol, usize)> = Vec::new();
    for eol in hay.lines(start..end).filter_map(|(_, line)| line.eol) {
        match counts.iter_mut().find(|(seen, _)| *seen == eol) {
            Some((_, count)) => *count += 1,
            None => counts.push((eol, 1)),
        }
    }
    let most = counts.iter().rev().max_by_key(|(_, count)| count);
    most.map_or_else(|| hay.content().dominant_eol(), |(eol, _)| *eol)
}
