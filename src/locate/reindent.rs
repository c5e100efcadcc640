//! What added lines take from the lines that were matched: their indentation, tabs or blanks, quotes and dashes.

use super::Context;
use super::alignment::Alignment;
use super::indent::{Pair, Shift};
use super::look_alikes::{LookAlikes, has_look_alikes};
use super::query::Query;
use super::thresholds::{ABOVE, OTHERS};
use super::tier::{MatchMode, Scope};
use crate::pattern::Pattern;
use crate::text::search::Haystack;
use crate::text::{Language, indentation, is_blank, item_indentation, step_indentation};
use std::borrow::Cow;

/// How added lines are made lines of the file; by default they are as they are written.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Reindent {
    /// What tabs are made of, where the lines that were matched are not indented.
    tabs: Shift,
    shift: Shift,
    /// What the first line of the after-text lost, alone of all.
    first: Option<Vec<u8>>,
    /// The look-alikes that the response writes for the file's plain characters.
    look_alikes: LookAlikes,
    is_code: bool,
}

/// Why it is not clear which lines of the file a hunk means to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unclear {
    /// How lines are to be indented is not known, or which look-alikes they are to have; or a block of the file would go on at
    /// another depth.
    Writing,
    /// Blank lines or equal lines leave more than one reading.
    Several,
    /// An earlier edit has put in there what these lines begin with, or all of them: are they to come instead?
    Again,
}

impl Reindent {
    /// Indented by what a line of the file is indented by.
    pub(super) fn indented(by: &[u8], language: Language) -> Self {
        Self { shift: Shift::Add(by.to_vec()), is_code: !language.is_prose(), ..Self::default() }
    }

    /// What the lines that were matched show; where they show nothing, what the file and the other hunks do.
    pub(super) fn of(query: &Query<'_>, aligned: &Alignment) -> Result<Self, Unclear> {
        let Query { context, hay, pattern, .. } = *query;
        let mut look_alikes = LookAlikes::of(hay, pattern, aligned);
        if look_alikes.is_empty() && pattern.added().any(has_look_alikes) {
            let others = shown_by_others(context, hay, |hay, pattern, aligned| {
                Some(LookAlikes::of(hay, pattern, aligned)).filter(|shown| !shown.is_empty())
            });
            look_alikes = look_alikes.or_of(others.unwrap_or_default());
        }
        // A text for people has examples of anything.
        let is_code = !context.limits.language().is_prose();
        if pattern.added().any(|text| look_alikes.are_unclear(text, is_code)) {
            return Err(Unclear::Writing);
        }
        let pairs = aligned.indentations(hay, pattern);
        let mut reindent = Self { shift: aligned.shift.clone(), look_alikes, is_code, ..Self::default() };
        if let (Shift::Steps(steps), true) = (&reindent.shift, context.limits.language().is_indented()) {
            // The dash of an item of YAML and its blanks are no step.
            let inner = |text: &[u8]| item_indentation(&aligned.match_mode.aligned_normalization().of(text));
            let texts = aligned.pairs(pattern).map(|(before, line)| (pattern.before[before], hay.text(line)));
            let items = texts.filter_map(|(written, real)| inner(written).zip(inner(real)));
            reindent.shift = Shift::between(&steps.iter().cloned().chain(items).collect::<Vec<_>>())
                .ok_or(Unclear::Writing)?;
        }
        if is_code && !pairs.iter().any(|(written, _)| kind(written).is_some()) {
            reindent.take_tabs(query, aligned, &pairs)?;
        }
        if reindent.is_doubtful(query, aligned, &pairs) {
            return Err(Unclear::Writing);
        }
        let lines: Vec<(&[u8], bool)> = pattern.after_and_new().collect();
        reindent.or_first_alone(aligned.first.as_deref(), pairs.len() == 1, &lines)
    }

    /// The reading that is left of two: that all lines are shifted, and that the first line alone lost its indentation. `lines`
    /// are those of the after-text, and whether each is new.
    pub(super) fn or_first_alone(
        self,
        lost: Option<&[u8]>,
        is_only: bool,
        lines: &[(&[u8], bool)],
    ) -> Result<Self, Unclear> {
        // With no other line that was matched, those that come have to show that they lost nothing.
        let solid: Vec<&[u8]> =
            lines.iter().skip(1).map(|(text, _)| *text).filter(|text| !is_blank(text)).collect();
        let alone = lost.filter(|lost| !is_only || solid.iter().all(|text| text.starts_with(lost)));
        let alone = alone.map(|lost| Self { shift: Shift::None, first: Some(lost.to_vec()), ..self.clone() });
        let all = Some(self).filter(|all| lost.is_none() || all.shift != Shift::None);
        let mut readings = [all, alone].into_iter().flatten().filter_map(|reading| {
            let new = lines.iter().enumerate().filter(|(_, (_, new))| *new);
            let made: Option<Vec<_>> = new.map(|(at, (text, _))| reading.known(text, at == 0)).collect();
            Some((reading, made?))
        });
        let (reading, made) = readings.next().ok_or(Unclear::Writing)?;
        if readings.all(|(_, other)| other == made) { Ok(reading) } else { Err(Unclear::Writing) }
    }

    /// Whether blanks become tabs, or tabs blanks, though no line that was matched shows it.
    pub(super) fn is_retabbed(&self) -> bool {
        self.tabs != Shift::None
    }

    /// A line as the file is to have it; `first` says that it is the first of the after-text.
    pub(super) fn line(&self, text: &[u8], first: bool) -> Vec<u8> {
        self.known(text, first).unwrap_or_else(|| self.plain(text).into_owned())
    }

    /// Likewise; none if its indentation is not known.
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

    /// Whether an added line inside of a string would be indented otherwise than it is written, though its indentation is a part
    /// of the value. Not if a line that is kept there shows that these are shifted like the code.
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

    /// The indentation of each line that is added, not blank, no aligned line of a comment and not inside of a string.
    fn indents(&self, query: &Query<'_>) -> Vec<Vec<u8>> {
        let Query { context, pattern, .. } = *query;
        let inside = context.limits.language().are_inside_literals(&pattern.after());
        let lines = pattern.after_and_new().zip(inside);
        let code = lines.filter(|((text, new), inside)| *new && !inside && !is_blank(text));
        let solid = code.map(|((text, _), _)| self.plain(text));
        let whole = solid.filter(|text| step_indentation(text) == indentation(text));
        whole.map(|text| indentation(&text).to_vec()).collect()
    }

    /// Where no line that was matched is indented, lines that come are of the kind that the file has around the place; the
    /// smallest of their steps is a tab.
    fn take_tabs(&mut self, query: &Query<'_>, aligned: &Alignment, pairs: &[Pair]) -> Result<(), Unclear> {
        let Query { context, hay, .. } = *query;
        let new: Vec<Vec<u8>> =
            self.indents(query).into_iter().filter(|indent| kind(indent).is_some()).collect();
        let Some(step) = new.iter().min() else { return Ok(()) };
        // Blanks alone on a line indent nothing.
        let kind_at = |line: usize| Some(hay.text(line)).filter(|text| !is_blank(text)).and_then(kind);
        let above = (0..aligned.place.behind()).rev().take(ABOVE).find_map(kind_at);
        let below = (aligned.place.first()..hay.line_count()).take(ABOVE).find_map(kind_at);
        let around = [above.or(below), below.or(above)];
        // Tabs become blanks on the way from a model, and blanks never tabs.
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
        } else if around[0] == around[1] && STEPS.iter().any(|(width, _)| **step == *b" ".repeat(*width)) {
            self.tabs = Shift::Steps(vec![Pair::default(), (step.clone(), b"\t".to_vec())]);
        } else {
            return Err(Unclear::Writing);
        }
        Ok(())
    }

    /// Whether a prefix that was seen at one indentation only could as well be another step, one that the file has, and that
    /// would give an added line another indentation.
    fn is_doubtful(&self, query: &Query<'_>, aligned: &Alignment, pairs: &[Pair]) -> bool {
        let (Shift::Add(prefix) | Shift::Strip(prefix)) = &self.shift else { return false };
        let Some(((written, real), rest)) = pairs.split_first() else { return false };
        let has = |step: usize| {
            let first = aligned.place.first().saturating_sub(ABOVE);
            query
                .hay
                .lines(first..aligned.place.behind() + ABOVE)
                .any(|(_, line)| indentation(line.text) == b" ".repeat(step))
        };
        let is_step = |indent: &[u8], step: usize, other: usize| {
            let are_whole = [written, indent].iter().all(|text| text.len().is_multiple_of(step));
            are_whole && written.len() * other == real.len() * step && has(other)
        };
        let could_be = |indent: &[u8]| {
            let are_blanks = [written, real, indent].concat().iter().all(|b| *b == b' ');
            let more = indent.strip_prefix(&**written).unwrap_or(indent);
            are_blanks && STEPS.iter().any(|(step, other)| is_step(indent, *step, *other))
                || kind(more).is_some_and(|kind| !prefix.contains(&kind))
        };
        let mut added = self.indents(query).into_iter().filter_map(|indent| self.tabs.of(&indent));
        rest.iter().all(|(other, _)| other == written)
            && added.any(|indent| indent != *written && could_be(&indent))
    }
}

/// What an indentation begins with, tabs or blanks; none if it is none, or aligns the star of a comment.
fn kind(text: &[u8]) -> Option<u8> {
    text.first().copied().filter(|first| *first == b'\t' || text.starts_with(b"  "))
}

/// How many blanks a step of the response may have, and one of the file.
const STEPS: [(usize, usize); 6] = [(2, 4), (2, 8), (4, 2), (4, 8), (8, 2), (8, 4)];

/// What the first of the file's other hunks shows that shows it, each at the one place that it has when blanks at both
/// ends of lines and look-alikes do not count.
fn shown_by_others<T>(
    context: &Context<'_>,
    hay: Haystack<'_>,
    shows: impl Fn(Haystack<'_>, &Pattern<'_>, &Alignment) -> Option<T>,
) -> Option<T> {
    let text = context.original.unwrap_or(hay.content());
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
