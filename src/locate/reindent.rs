//! Re-indents added lines as the matched lines show: indentation, tabs or spaces, look-alikes.

use super::Context;
use super::alignment::Alignment;
use super::indent::{Pair, Shift};
use super::look_alikes::{LookAlikes, has_look_alikes};
use super::query::Query;
use super::thresholds::{NEARBY, OTHERS};
use super::tier::{MatchMode, Scope};
use crate::edit::Unit;
use crate::pattern::{Pattern, Step};
use crate::text::search::{Haystack, Place};
use crate::text::{Language, Trait, indentation, is_blank, item_indentation, step_indentation};
use std::borrow::Cow;
use std::collections::HashSet;

/// How added lines are normalized; by default not at all.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Reindent {
    /// The shift between spaces and tabs, if the matched lines are not indented.
    tabs: Shift,
    shift: Shift,
    /// The indentation that only the first line of the replacement lacks.
    first: Option<Vec<u8>>,
    /// The look-alikes in the response for plain characters of the file.
    look_alikes: LookAlikes,
    is_code: bool,
}

/// Why it is not clear how a hunk changes the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unclear {
    /// The indentation or look-alikes of added lines are unknown; or a block of the file would continue with another
    /// indentation.
    Style,
    /// Blank lines or equal lines allow more than one reading.
    Ambiguous,
    /// An earlier edit inserted the same lines there, or the first of these: they may be the same insertion.
    Duplicate,
}

impl Reindent {
    /// Adds the indentation of a line of the file.
    pub(super) fn indented(by: &[u8], language: Language) -> Self {
        Self { shift: Shift::Add(by.to_vec()), is_code: !language.is_prose(), ..Self::default() }
    }

    /// As the matched lines show; if they show nothing, as the file and the other hunks show.
    pub(super) fn of(query: &Query<'_>, aligned: &Alignment) -> Result<Self, Unclear> {
        let Query { context, hay, pattern, .. } = *query;
        let mut look_alikes = LookAlikes::of(hay, pattern, aligned);
        if look_alikes.is_empty() && pattern.added().any(has_look_alikes) {
            let others = shown_by_others(context, hay, |hay, pattern, aligned| {
                Some(LookAlikes::of(hay, pattern, aligned)).filter(|shown| !shown.is_empty())
            });
            look_alikes = look_alikes.or_of(others.unwrap_or_default());
        }
        // Prose has examples of anything.
        let is_code = !context.limits.language().is_prose();
        if pattern.added().any(|text| look_alikes.are_unclear(text, is_code)) {
            return Err(Unclear::Style);
        }
        let pairs = aligned.indentations(hay, pattern);
        let mut reindent = Self { shift: aligned.shift.clone(), look_alikes, is_code, ..Self::default() };
        if let (Shift::Steps(steps), true) = (&reindent.shift, context.limits.language().has(Trait::Indented))
        {
            // The dash of an item of YAML and the spaces after it are no step.
            let inner = |text: &[u8]| item_indentation(&aligned.match_mode.aligned_normalization().of(text));
            let texts = aligned.pairs(pattern).map(|(before, line)| (pattern.before[before], hay.text(line)));
            let items = texts.filter_map(|(written, real)| inner(written).zip(inner(real)));
            reindent.shift = Shift::between(&steps.iter().cloned().chain(items).collect::<Vec<_>>())
                .ok_or(Unclear::Style)?;
        }
        // What a tool's call adds beside lines that it has byte for byte is as its tool would add it, and a diff of this very text
        // is as git would apply it.
        let is_exact = aligned.match_mode == MatchMode::EXACT
            && (context.is_made_from || matches!(pattern.unit, Unit::Verbatim { .. }));
        if is_code && !is_exact && !pairs.iter().any(|(written, _)| kind(written).is_some()) {
            reindent.convert_tabs(query, aligned, &pairs)?;
        }
        let language = context.limits.language();
        if reindent.is_doubtful(hay, language, pattern, &aligned.place, &pairs) {
            return Err(Unclear::Style);
        }
        if aligned.first.as_deref().is_some_and(|lost| is_other_first(pattern, lost))
            || reindent.has_lines_as_they_are(hay, pattern, aligned, &pairs)
        {
            return Err(Unclear::Style);
        }
        let lines: Vec<(&[u8], bool)> = pattern.after_and_new().collect();
        let below = (pairs.len() == 1).then(|| indentation_below(hay, &aligned.place));
        reindent.or_first_alone(aligned.first.as_deref(), below, &lines)
    }

    /// Whether lines would be shifted though added ones among them are lines of the search text with the indentation of the
    /// file, and none comes again as the search text has it: the replacement may be as it is to be.
    fn has_lines_as_they_are(
        &self,
        hay: Haystack<'_>,
        pattern: &Pattern<'_>,
        aligned: &Alignment,
        pairs: &[Pair],
    ) -> bool {
        let solid = || pattern.after_and_new().filter(|(text, _)| !is_blank(text));
        let least = pairs.iter().map(|(_, real)| real.len()).min().unwrap_or(0);
        let is_as_it_is = |text: &[u8]| {
            let is_same = |(before, line): (usize, usize)| {
                pattern.before[before].trim_ascii() == text.trim_ascii()
                    && indentation(hay.text(line)) == indentation(text)
            };
            self.known(text, false).is_some_and(|shifted| shifted != text)
                && aligned.pairs(pattern).any(is_same)
        };
        self.shifts()
            && pattern.kept().all(|line| is_blank(pattern.before[line]))
            && solid().all(|(text, _)| indentation(text).len() >= least)
            && solid().any(|(text, new)| new && is_as_it_is(text))
    }

    /// Chooses between two readings: that all lines are shifted, and that only the first line lacks its indentation.
    /// `lines` are those of the replacement, each with whether it is added. `below` is the indentation of the file below
    /// the place, if no other line was matched.
    pub(super) fn or_first_alone(
        self,
        lost: Option<&[u8]>,
        below: Option<&[u8]>,
        lines: &[(&[u8], bool)],
    ) -> Result<Self, Unclear> {
        // The second reading makes no sense if another line begins in the first column, too; if the file goes on deeper than
        // the last line as it is, unless this comes for the line above a block; or if a new line would be above shallower
        // ones. A context line below an indented one may be the one that lost its indentation. But at the end of a block,
        // another one may begin in the first column behind a blank line, and the last line is in it.
        let is_new = lines.first().is_some_and(|(_, new)| *new);
        let is_indented = is_new && lines.first().is_some_and(|(text, _)| !step_indentation(text).is_empty());
        let others = lines.iter().skip(1).filter(|(text, new)| !is_blank(text) && (*new || !is_indented));
        let others: Vec<usize> = others.map(|(text, _)| step_indentation(text).len()).collect();
        let goes_on = |below: &[u8], lost: &[u8]| {
            let least = if is_new { below.len().min(lost.len()) } else { below.len() };
            others.last().is_none_or(|last| least <= *last)
        };
        let falls = |lost: &[u8]| is_new && others.iter().all(|other| *other < lost.len());
        let is_outside = |pair: &[(&[u8], bool)]| {
            let [(above, _), (text, new)] = pair else { return false };
            is_blank(above) && *new && !is_blank(text) && step_indentation(text).is_empty()
        };
        let goes_to_next = || others.last().is_some_and(|last| *last > 0) && lines.windows(2).any(is_outside);
        let alone = lost.filter(|lost| {
            below.is_none_or(|below| {
                let fits =
                    !others.contains(&0) && goes_on(below, lost) && (others.is_empty() || !falls(lost));
                fits || below.len() < lost.len() && goes_to_next()
            })
        });
        let alone = alone.map(|lost| Self { shift: Shift::None, first: Some(lost.to_vec()), ..self.clone() });
        let all = Some(self).filter(|all| lost.is_none() || all.shift != Shift::None);
        let mut readings = [all, alone].into_iter().flatten().filter_map(|reading| {
            let new = lines.iter().enumerate().filter(|(_, (_, new))| *new);
            let made: Option<Vec<_>> = new.map(|(at, (text, _))| reading.known(text, at == 0)).collect();
            Some((reading, made?))
        });
        let (reading, made) = readings.next().ok_or(Unclear::Style)?;
        if readings.all(|(_, other)| other == made) { Ok(reading) } else { Err(Unclear::Style) }
    }

    /// Whether the matched lines have another indentation than the search text.
    pub(super) fn shifts(&self) -> bool {
        self.shift != Shift::None
    }

    /// Whether it converts spaces to tabs or tabs to spaces, though no matched line shows it.
    pub(super) fn converts_tabs(&self) -> bool {
        self.tabs != Shift::None
    }

    /// An added line for the file; `first` says whether it is the first line of the replacement.
    pub(super) fn line(&self, text: &[u8], first: bool) -> Vec<u8> {
        self.known(text, first).unwrap_or_else(|| self.plain(text).into_owned())
    }

    /// The same; `None` if its indentation is unknown.
    fn known(&self, text: &[u8], first: bool) -> Option<Vec<u8>> {
        let text = self.plain(text);
        if is_blank(&text) {
            return Some(text.into_owned());
        }
        let indent = indentation(&text);
        let (real, indent) = match &self.first {
            Some(lost) if first && indent.is_empty() => (lost.clone(), indent),
            _ => {
                let known = |indent| Some((self.shift.of(&self.tabs.of(indent)?)?, indent));
                known(indent).or_else(|| known(step_indentation(&text)))?
            }
        };
        Some([&*real, &text[indent.len()..]].concat())
    }

    /// Whether the indentation of an added line inside of a string would change, though it is part of the value. Not if
    /// a context line of that string shows that its lines are shifted like code.
    pub(super) fn breaks_literal(&self, pattern: &Pattern<'_>, language: Language) -> bool {
        let inside = language.are_inside_literals(&pattern.after());
        let lines = pattern.after_and_new().enumerate().zip(&inside);
        let mut lines = lines.filter(|((_, (text, _)), inside)| **inside && !is_blank(text));
        let mut breaks = false;
        let shows = |((at, (text, new)), _): ((usize, (&[u8], bool)), _)| {
            breaks |= new && indentation(&self.line(text, at == 0)) != indentation(text);
            !new
        };
        !lines.any(shows) && breaks
    }

    fn plain<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        self.look_alikes.line(text, self.is_code)
    }

    /// The indentation of each added line that is not blank, no line of a comment with aligned stars and not inside of
    /// a string.
    fn indents(&self, language: Language, pattern: &Pattern<'_>) -> Vec<Vec<u8>> {
        let inside = language.are_inside_literals(&pattern.after());
        let lines = pattern.after_and_new().zip(inside);
        let code = lines.filter(|((text, new), inside)| *new && !inside && !is_blank(text));
        let solid = code.map(|((text, _), _)| self.plain(text));
        let whole = solid.filter(|text| step_indentation(text) == indentation(text));
        whole.map(|text| indentation(&text).to_vec()).collect()
    }

    /// If no matched line is indented, converts added lines to the kind of indentation that the file has nearby; their
    /// smallest step is a tab.
    fn convert_tabs(
        &mut self,
        query: &Query<'_>,
        aligned: &Alignment,
        pairs: &[Pair],
    ) -> Result<(), Unclear> {
        let Query { context, hay, pattern, .. } = *query;
        let new: Vec<Vec<u8>> = self
            .indents(context.limits.language(), pattern)
            .into_iter()
            .filter(|indent| kind(indent).is_some())
            .collect();
        let Some(step) = new.iter().min() else { return Ok(()) };
        // Whitespace alone on a line indents nothing.
        let kind_at = |line: usize| Some(hay.text(line)).filter(|text| !is_blank(text)).and_then(kind);
        let above = (0..aligned.place.behind()).rev().take(NEARBY).find_map(kind_at);
        let below = (aligned.place.first()..hay.line_count()).take(NEARBY).find_map(kind_at);
        let around = [above.or(below), below.or(above)];
        // Models write spaces for tabs, but never tabs for spaces.
        let is_there = |indent: &Vec<u8>| match kind(indent) {
            Some(b'\t') => around.contains(&Some(b'\t')),
            blanks => around == [blanks; 2],
        };
        if around == [None; 2] || new.iter().all(is_there) {
            return Ok(());
        }
        let shown = shown_by_others(context, hay, |hay, pattern, aligned| {
            let joint = Shift::between(&[pairs, &aligned.indentations(hay, pattern)].concat());
            joint.filter(|shift| matches!(shift, Shift::Steps(_)))
        });
        if let Some(shown) = shown {
            (self.tabs, self.shift) = (shown, Shift::None);
        } else if around[0] == around[1] && STEPS.iter().any(|width| **step == *b" ".repeat(*width)) {
            self.tabs = Shift::Steps(vec![Pair::default(), (step.clone(), b"\t".to_vec())]);
        } else {
            return Err(Unclear::Style);
        }
        Ok(())
    }

    /// Whether a mapping that was seen at one indentation only could also be another step, which would give an added line
    /// another indentation: the file has that step; or it has steps, but none by which the added line would be deeper or
    /// shallower.
    pub(super) fn is_doubtful(
        &self,
        hay: Haystack<'_>,
        language: Language,
        pattern: &Pattern<'_>,
        place: &Place,
        pairs: &[Pair],
    ) -> bool {
        let Some(((written, real), rest)) = pairs.split_first() else { return false };
        let added = self.indents(language, pattern).into_iter();
        let added = added.filter_map(|indent| Some((self.shift.of(&self.tabs.of(&indent)?)?, indent)));
        let added: Vec<_> = added.filter(|(mapped, _)| mapped != real).collect();
        if written == real || added.is_empty() || rest.iter().any(|(other, _)| other != written) {
            return false;
        }
        let spaces = |step: &usize| b" ".repeat(*step);
        let are_tabs = |step: &[u8]| !step.is_empty() && step.iter().all(|b| *b == b'\t');
        // A diff may have lost a mark.
        let is_step = |step: &[u8]| {
            step == b" " || are_tabs(step) || STEPS.iter().map(spaces).any(|spaces| step == spaces)
        };
        let steps = |indents: &[&[u8]]| {
            let steps = indents.windows(2).filter_map(|pair| pair[1].strip_prefix(pair[0]));
            steps.filter(|step| is_step(step)).map(<[u8]>::to_vec).collect::<HashSet<_>>()
        };
        let first = place.first().saturating_sub(NEARBY);
        let lines = hay.lines(first..place.behind() + NEARBY).map(|(_, line)| line.text);
        let near = steps(&lines.filter(|text| !is_blank(text)).map(step_indentation).collect::<Vec<_>>());
        let may_scale = |indent: &[u8]| {
            STEPS.iter().any(|step| {
                let other = (step * real.len()).checked_div(written.len()).unwrap_or(*step);
                other != *step
                    && [written, indent].iter().all(|text| text.len().is_multiple_of(*step))
                    && other * written.len() == step * real.len()
                    && near.contains(&spaces(&other))
            })
        };
        let are_spaces = [written, real].iter().all(|text| text.starts_with(b" "));
        let is_scaled = are_spaces && added.iter().any(|(_, indent)| may_scale(indent));
        let mut levels: Vec<&[u8]> = added.iter().map(|(mapped, _)| mapped.as_slice()).collect();
        levels.push(real);
        levels.sort_unstable();
        let levels = steps(&levels);
        is_scaled || !near.is_empty() && !levels.is_subset(&near)
    }
}

/// Whether the first line of a replacement may be another line of the search text than the first, which alone has lost
/// its indentation: it is equal to one in another depth, or it comes for several in other depths.
fn is_other_first(pattern: &Pattern<'_>, lost: &[u8]) -> bool {
    let changes = || pattern.steps.iter().take_while(|step| !matches!(step, Step::Keep(_)));
    let is_removal = |step: &&Step<'_>| matches!(step, Step::Remove(_));
    let removed = changes().filter(is_removal).count();
    let Some(Step::Add(first)) = changes().find(|step| matches!(step, Step::Add(_))) else { return false };
    let solid = pattern.before.iter().enumerate().filter(|(_, text)| !is_blank(text)).skip(1);
    let mut others = solid.filter(|(_, text)| indentation(text) != lost);
    let is_fewer = changes().count() < 2 * removed;
    others.any(|(at, text)| text.trim_ascii() == first.trim_ascii() || is_fewer && at < removed)
}

/// The indentation of the first line below a place that is not blank.
pub(super) fn indentation_below<'h>(hay: Haystack<'h>, place: &Place) -> &'h [u8] {
    let mut below = (place.behind()..hay.line_count()).map(|line| hay.text(line));
    below.find(|text| !is_blank(text)).map_or(&[], indentation)
}

/// The first byte of an indentation, a tab or a space; `None` without indentation, and for the space that aligns the
/// star of a comment.
fn kind(text: &[u8]) -> Option<u8> {
    text.first().copied().filter(|first| *first == b'\t' || text.starts_with(b"  "))
}

/// The spaces that a step may have.
const STEPS: [usize; 4] = [2, 3, 4, 8];

/// What the other hunks of the file show: the first one that shows something, at its only match without whitespace at
/// both ends of lines and look-alikes.
fn shown_by_others<T>(
    context: &Context<'_>,
    hay: Haystack<'_>,
    shows: impl Fn(Haystack<'_>, &Pattern<'_>, &Alignment) -> Option<T>,
) -> Option<T> {
    let text = context.base.map_or(hay.content(), |(base, _)| base);
    let hay = Haystack::new(text, hay.budget());
    let match_mode = MatchMode { scope: Scope::Whole, ..MatchMode::LOOSEST };
    context.others.iter().take(OTHERS).find_map(|hunk| {
        let pattern = Pattern::readings(&hunk.change).into_iter().next()?;
        match hay.whole_lines(&pattern.before, match_mode.normalization).as_slice() {
            [one] => {
                let aligned = Alignment::at(hay, &pattern, *one, match_mode)?;
                shows(hay, &pattern, &aligned)
            }
            _ => None,
        }
    })
}
