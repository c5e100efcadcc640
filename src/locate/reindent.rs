//! Re-indents added lines: the matched lines show how the file differs from the response in indentation, in tabs or
//! spaces, and in look-alikes.

use super::Context;
use super::alignment::Alignment;
use super::indent::{Pair, Shift};
use super::look_alikes::{LookAlikes, has_look_alikes};
use super::lost_indent::{may_be_of_other_line, may_lack_alone};
use super::query::Query;
use super::thresholds::{MAX_HUNKS_FOR_STYLE, NEARBY_LINES};
use super::tier::{MatchMode, Scope};
use crate::edit::Unit;
use crate::pattern::Pattern;
use crate::text::search::{Haystack, Place};
use crate::text::{Language, Trait, indentation, is_blank, item_indentation, step_indentation};
use std::borrow::Cow;
use std::collections::HashSet;

/// How added lines are changed before they go into the file. By default they are not changed.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Reindent {
    /// The conversion between spaces and tabs, if the matched lines are not indented and so cannot show it.
    tabs: Shift,
    shift: Shift,
    /// The indentation that only the first line of the replacement lacks.
    lost_indent: Option<Vec<u8>>,
    /// The look-alikes that the response has where the file has plain characters.
    look_alikes: LookAlikes,
    is_code: bool,
}

/// Why it is not clear how a hunk changes the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unclear {
    /// It is unknown how to indent added lines, or a block of the file would continue at another depth.
    Style,
    /// It is unknown which look-alikes of added lines to replace.
    LookAlikes,
    /// Blank lines or equal lines allow more than one reading.
    Ambiguous,
    /// An earlier edit inserted the same lines there, or the first of these: they may be the same insertion.
    Duplicate,
}

impl Reindent {
    /// Indents every added line by the indentation of a line of the file.
    pub(super) fn indented(by: &[u8], language: Language) -> Self {
        Self { shift: Shift::Add(by.to_vec()), is_code: !language.is_prose(), ..Self::default() }
    }

    /// Finds out how to re-indent the added lines of a hunk. The matched lines show it; if they show nothing, the lines
    /// of the file nearby and the other hunks do.
    pub(super) fn of(query: &Query<'_>, aligned: &Alignment) -> Result<Self, Unclear> {
        let Query { context, hay, pattern, .. } = *query;
        let mut look_alikes = LookAlikes::of(hay, pattern, aligned);
        if look_alikes.is_empty() && pattern.added().any(has_look_alikes) {
            let shown = shown_by_other_hunks(context, hay, |hay, pattern, aligned| {
                Some(LookAlikes::of(hay, pattern, aligned)).filter(|shown| !shown.is_empty())
            });
            look_alikes = look_alikes.with_others(shown.unwrap_or_default());
        }
        // Prose may contain any characters and any indentation on purpose.
        let is_code = !context.limits.language().is_prose();
        if pattern.added().any(|text| look_alikes.are_unclear(text, is_code)) {
            return Err(Unclear::LookAlikes);
        }
        let pairs = aligned.indentations(hay, pattern);
        let mut reindent = Self { shift: aligned.shift.clone(), look_alikes, is_code, ..Self::default() };
        if let (Shift::Steps(steps), true) = (&reindent.shift, context.limits.language().has(Trait::Indented))
        {
            // The keys of a YAML item are aligned with the text behind its dash, which is not a step. If `  - name: a`
            // matched `    - name: a`, a key with 4 spaces gets 6, though steps of 2 became steps of 4.
            let inner = |text: &[u8]| item_indentation(&aligned.match_mode.aligned_normalization().of(text));
            let texts = aligned.pairs(pattern).map(|(before, line)| (pattern.before[before], hay.text(line)));
            let items = texts.filter_map(|(written, real)| inner(written).zip(inner(real)));
            reindent.shift = Shift::between(&steps.iter().cloned().chain(items).collect::<Vec<_>>())
                .ok_or(Unclear::Style)?;
        }
        // A tool adds the lines of a call as they are, and so does git with a diff that was made from this very text.
        let is_exact = aligned.match_mode == MatchMode::EXACT
            && (context.is_made_from || matches!(pattern.unit, Unit::Verbatim { .. }));
        if is_code && !is_exact && !pairs.iter().any(|(written, _)| tab_or_space(written).is_some()) {
            reindent.convert_tabs(query, aligned, &pairs)?;
        }
        let language = context.limits.language();
        if reindent.may_be_other_step(hay, language, pattern, &aligned.place, &pairs) {
            return Err(Unclear::Style);
        }
        let lost = aligned.lost_indent.as_deref();
        if lost.is_some_and(|lost| may_be_of_other_line(pattern, lost))
            || reindent.may_be_indented_already(hay, pattern, aligned, &pairs)
        {
            return Err(Unclear::Style);
        }
        let lines: Vec<(&[u8], bool)> = pattern.after_and_new().collect();
        let below = (pairs.len() == 1).then(|| indentation_below(hay, &aligned.place));
        reindent.choose_reading(lost, below, &lines)
    }

    /// Whether the replacement may already have the indentation of the file, so that a shift would be wrong: an added
    /// line is a line of the search text with the file's indentation, no line of the replacement is shallower than the
    /// lines of the file, and there is no context line that tells.
    /// ```text
    /// file:  `    a();`      search text:  `a();`      replacement:  `    x();`
    ///        `    b();`                    `b();`                    `    b();`
    /// ```
    fn may_be_indented_already(
        &self,
        hay: Haystack<'_>,
        pattern: &Pattern<'_>,
        aligned: &Alignment,
        pairs: &[Pair],
    ) -> bool {
        let solid = || pattern.after_and_new().filter(|(text, _)| !is_blank(text));
        let min_real = pairs.iter().map(|(_, real)| real.len()).min().unwrap_or(0);
        let has_file_indent = |text: &[u8]| {
            let is_same = |(before, line): (usize, usize)| {
                pattern.before[before].trim_ascii() == text.trim_ascii()
                    && indentation(hay.text(line)) == indentation(text)
            };
            self.line_if_known(text, false).is_some_and(|shifted| shifted != text)
                && aligned.pairs(pattern).any(is_same)
        };
        self.shifts()
            && pattern.kept().all(|line| is_blank(pattern.before[line]))
            && solid().all(|(text, _)| indentation(text).len() >= min_real)
            && solid().any(|(text, new)| new && has_file_indent(text))
    }

    /// Chooses between two readings: all lines are shifted, or only the first line lacks the indentation `lost`. If
    /// both make sense and give different bytes, it is unclear which one is meant.
    ///
    /// `lines` are those of the replacement, each with whether it is added. `below` is the indentation of the next line
    /// of the file, if only one line was matched; with more, the others show that the second reading makes sense.
    pub(super) fn choose_reading(
        self,
        lost: Option<&[u8]>,
        below: Option<&[u8]>,
        lines: &[(&[u8], bool)],
    ) -> Result<Self, Unclear> {
        let first_only = lost
            .filter(|lost| below.is_none_or(|below| may_lack_alone(lost, below, lines)))
            .map(|lost| Self { shift: Shift::None, lost_indent: Some(lost.to_vec()), ..self.clone() });
        let all_lines = Some(self).filter(|all| lost.is_none() || all.shift != Shift::None);
        let mut readings = [all_lines, first_only].into_iter().flatten().filter_map(|reading| {
            let new = lines.iter().enumerate().filter(|(_, (_, new))| *new);
            let made: Option<Vec<_>> =
                new.map(|(at, (text, _))| reading.line_if_known(text, at == 0)).collect();
            Some((reading, made?))
        });
        let (reading, made) = readings.next().ok_or(Unclear::Style)?;
        if readings.all(|(_, other)| other == made) { Ok(reading) } else { Err(Unclear::Style) }
    }

    /// Whether the matched lines are indented differently in the file than in the search text.
    pub(super) fn shifts(&self) -> bool {
        self.shift != Shift::None
    }

    /// Whether it converts spaces to tabs or tabs to spaces although no matched line shows that.
    pub(super) fn converts_tabs(&self) -> bool {
        self.tabs != Shift::None
    }

    /// Returns an added line as it goes into the file; if its indentation there is unknown, it stays as it is. `first`
    /// says whether it is the first line of the replacement.
    pub(super) fn line(&self, text: &[u8], first: bool) -> Vec<u8> {
        self.line_if_known(text, first).unwrap_or_else(|| self.plain(text).into_owned())
    }

    /// Returns an added line as it goes into the file; `None` if its indentation there is unknown.
    fn line_if_known(&self, text: &[u8], first: bool) -> Option<Vec<u8>> {
        let text = self.plain(text);
        if is_blank(&text) {
            return Some(text.into_owned());
        }
        let indent = indentation(&text);
        let (real, indent) = match &self.lost_indent {
            Some(lost) if first && indent.is_empty() => (lost.clone(), indent),
            _ => {
                let known = |indent| Some((self.shift.of(&self.tabs.of(indent)?)?, indent));
                known(indent).or_else(|| known(step_indentation(&text)))?
            }
        };
        Some([&*real, &text[indent.len()..]].concat())
    }

    /// Whether the indentation of an added line would change although the line begins inside a string, so that its
    /// indentation is part of a value. It is fine if a context line inside a string shows that strings are shifted,
    /// too.
    pub(super) fn breaks_literal(&self, pattern: &Pattern<'_>, language: Language) -> bool {
        let inside = language.are_inside_literals(&pattern.after());
        let lines = pattern.after_and_new().enumerate().zip(&inside);
        let mut lines = lines.filter(|((_, (text, _)), inside)| **inside && !is_blank(text));
        let mut changes_value = false;
        let is_context = |((at, (text, new)), _): ((usize, (&[u8], bool)), _)| {
            changes_value |= new && indentation(&self.line(text, at == 0)) != indentation(text);
            !new
        };
        !lines.any(is_context) && changes_value
    }

    /// Replaces the look-alikes in a line.
    fn plain<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        self.look_alikes.line(text, self.is_code)
    }

    /// The indentations of the added lines. Left out are blank lines, lines that begin inside a string, and lines of a
    /// block comment whose star is aligned by a space.
    fn added_indents(&self, language: Language, pattern: &Pattern<'_>) -> Vec<Vec<u8>> {
        let inside = language.are_inside_literals(&pattern.after());
        let lines = pattern.after_and_new().zip(inside);
        let code = lines.filter(|((text, new), inside)| *new && !inside && !is_blank(text));
        let solid = code.map(|((text, _), _)| self.plain(text));
        let whole = solid.filter(|text| step_indentation(text) == indentation(text));
        whole.map(|text| indentation(&text).to_vec()).collect()
    }

    /// Converts added lines to the kind of indentation (tabs or spaces) that the file has nearby, if no matched line is
    /// indented. The other hunks show how many spaces a tab is. If they do not, and the file has tabs on both sides,
    /// the shallowest added line is taken to be one step deep:
    /// ```text
    /// file:  `func f() {`    search text:  `func f() {`    replacement:  `func f() {`    result:  `func f() {`
    ///        `\tb()`                                                     `    a()`                `\ta()`
    /// ```
    fn convert_tabs(
        &mut self,
        query: &Query<'_>,
        aligned: &Alignment,
        pairs: &[Pair],
    ) -> Result<(), Unclear> {
        let Query { context, hay, pattern, .. } = *query;
        let new: Vec<Vec<u8>> = self
            .added_indents(context.limits.language(), pattern)
            .into_iter()
            .filter(|indent| tab_or_space(indent).is_some())
            .collect();
        let Some(step) = new.iter().min() else { return Ok(()) };
        // The whitespace of a blank line is not an indentation.
        let kind_at =
            |line: usize| Some(hay.text(line)).filter(|text| !is_blank(text)).and_then(tab_or_space);
        let above = (0..aligned.place.behind()).rev().take(NEARBY_LINES).find_map(kind_at);
        let below = (aligned.place.first()..hay.line_count()).take(NEARBY_LINES).find_map(kind_at);
        let around = [above.or(below), below.or(above)];
        // Models write spaces for tabs, but never tabs for spaces. So tabs are right if the file has some on one side,
        // spaces only if it has spaces on both sides.
        let is_as_nearby = |indent: &Vec<u8>| match tab_or_space(indent) {
            Some(b'\t') => around.contains(&Some(b'\t')),
            spaces => around == [spaces; 2],
        };
        if around == [None; 2] || new.iter().all(is_as_nearby) {
            return Ok(());
        }
        let shown = shown_by_other_hunks(context, hay, |hay, pattern, aligned| {
            let joint = Shift::between(&[pairs, &aligned.indentations(hay, pattern)].concat());
            joint.filter(|shift| matches!(shift, Shift::Steps(_)))
        });
        if let Some(shown) = shown {
            (self.tabs, self.shift) = (shown, Shift::None);
        } else if around[0] == around[1] && STEP_WIDTHS.iter().any(|width| **step == *b" ".repeat(*width)) {
            self.tabs = Shift::Steps(vec![Pair::default(), (step.clone(), b"\t".to_vec())]);
        } else {
            return Err(Unclear::Style);
        }
        Ok(())
    }

    /// Whether the matched lines may show steps of another width instead of a prefix, because all of them have the same
    /// indentation, and an added line at another depth would then be indented differently:
    /// ```text
    /// file:  `    a();`      search text:  `  a();`      added:  `    b();`
    /// ```
    /// The added line gets 6 spaces if the file has a prefix of 2 more, or 8 if it has steps of 4 for steps of 2. That
    /// is unclear if the file has steps of 4 nearby. It is also unclear if the file has steps nearby, but not the one
    /// between the added and the matched line.
    pub(super) fn may_be_other_step(
        &self,
        hay: Haystack<'_>,
        language: Language,
        pattern: &Pattern<'_>,
        place: &Place,
        pairs: &[Pair],
    ) -> bool {
        let Some(((written, real), rest)) = pairs.split_first() else { return false };
        let added = self.added_indents(language, pattern).into_iter();
        let added = added.filter_map(|indent| Some((self.shift.of(&self.tabs.of(&indent)?)?, indent)));
        let added: Vec<_> = added.filter(|(mapped, _)| mapped != real).collect();
        if written == real || added.is_empty() || rest.iter().any(|(other, _)| other != written) {
            return false;
        }
        let spaces = |step: &usize| b" ".repeat(*step);
        let are_tabs = |step: &[u8]| !step.is_empty() && step.iter().all(|b| *b == b'\t');
        // A difference of one space counts as a step, because a line of a diff may have lost its mark.
        let is_step = |step: &[u8]| {
            step == b" " || are_tabs(step) || STEP_WIDTHS.iter().map(spaces).any(|spaces| step == spaces)
        };
        let steps = |indents: &[&[u8]]| {
            let steps = indents.windows(2).filter_map(|pair| pair[1].strip_prefix(pair[0]));
            steps.filter(|step| is_step(step)).map(<[u8]>::to_vec).collect::<HashSet<_>>()
        };
        let first = place.first().saturating_sub(NEARBY_LINES);
        let lines = hay.lines(first..place.behind() + NEARBY_LINES).map(|(_, line)| line.text);
        let nearby = steps(&lines.filter(|text| !is_blank(text)).map(step_indentation).collect::<Vec<_>>());
        let may_be_scaled = |indent: &[u8]| {
            STEP_WIDTHS.iter().any(|step| {
                let other = (step * real.len()).checked_div(written.len()).unwrap_or(*step);
                other != *step
                    && [written, indent].iter().all(|text| text.len().is_multiple_of(*step))
                    && other * written.len() == step * real.len()
                    && nearby.contains(&spaces(&other))
            })
        };
        let are_spaces = [written, real].iter().all(|text| text.starts_with(b" "));
        let is_scaled = are_spaces && added.iter().any(|(_, indent)| may_be_scaled(indent));
        let mut depths: Vec<&[u8]> = added.iter().map(|(mapped, _)| mapped.as_slice()).collect();
        depths.push(real);
        depths.sort_unstable();
        is_scaled || !nearby.is_empty() && !steps(&depths).is_subset(&nearby)
    }
}

/// The indentation of the first line below a place that is not blank.
pub(super) fn indentation_below<'h>(hay: Haystack<'h>, place: &Place) -> &'h [u8] {
    let mut below = (place.behind()..hay.line_count()).map(|line| hay.text(line));
    below.find(|text| !is_blank(text)).map_or(&[], indentation)
}

/// Whether a line is indented with tabs or with spaces: its first byte. `None` if it is not indented, or only by the
/// one space that aligns the star of a comment.
fn tab_or_space(text: &[u8]) -> Option<u8> {
    text.first().copied().filter(|first| *first == b'\t' || text.starts_with(b"  "))
}

/// The usual widths of a step, in spaces.
const STEP_WIDTHS: [usize; 4] = [2, 3, 4, 8];

/// What the other hunks of the file show about the style of the response: the result of the first one that shows
/// something. A hunk counts only if its search text has a single match, without regard to indentation, trailing
/// whitespace and look-alikes.
fn shown_by_other_hunks<T>(
    context: &Context<'_>,
    hay: Haystack<'_>,
    shows: impl Fn(Haystack<'_>, &Pattern<'_>, &Alignment) -> Option<T>,
) -> Option<T> {
    let text = context.base.map_or(hay.content(), |(base, _)| base);
    let hay = Haystack::new(text, hay.budget());
    let match_mode = MatchMode { scope: Scope::Whole, ..MatchMode::LOOSEST };
    context.others.iter().take(MAX_HUNKS_FOR_STYLE).find_map(|hunk| {
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
