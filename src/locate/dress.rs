//! What added lines take from the lines that stay: their indentation, tabs or spaces, quotes and dashes.

use super::alignment::Alignment;
use super::indent::Shift;
use super::scene::Scene;
use super::sought::Sought;
use super::thresholds::OTHERS;
use super::tier::{Rung, Scope};
use crate::pattern::Pattern;
use crate::text::search::Haystack;
use crate::text::{Form, indentation, is_blank, plain};
use std::borrow::Cow;
use std::collections::HashSet;
use unicode_normalization::UnicodeNormalization;

/// How added lines are made lines of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dress {
    shift: Shift,
    /// What the first line of the after-text lost, alone of all.
    first: Option<Vec<u8>>,
    /// What a step of the answer's indentation is in the file, where no shift says it.
    step: Option<Shift>,
    /// The look-alikes that the answer writes for the file's plain characters.
    folds: Folds,
}

/// What of an added line is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unknown {
    /// How it is to be indented.
    Indentation,
    /// Whether its typographic characters are meant: of one kind the file has some, where others stand for plain ones.
    LookAlikes,
}

impl Dress {
    /// Lines as they are written.
    pub(super) const PLAIN: Self = Self { shift: Shift::None, first: None, step: None, folds: Folds::NONE };

    /// Indented by what a line of the file is indented by.
    pub(super) fn indented(by: &[u8]) -> Self {
        Self { shift: Shift::Add(by.to_vec()), ..Self::PLAIN }
    }

    /// Lines whose first alone lacks an indentation.
    pub(super) fn first_indented(by: &[u8]) -> Self {
        Self { first: Some(by.to_vec()), ..Self::PLAIN }
    }

    /// What the lines that a hunk keeps show; where they show nothing, what the other hunks of the file do.
    pub(super) fn of(sought: &Sought<'_>, aligned: &Alignment) -> Result<Self, Unknown> {
        let Sought { scene, hay, pattern, .. } = *sought;
        let mut dress = Self {
            shift: aligned.shift.clone(),
            first: aligned.first.clone(),
            step: None,
            folds: Folds::of(hay, pattern, aligned),
        };
        if dress.folds.is_empty() && pattern.added().any(has_look_alikes) {
            let others = shown_by_others(scene, hay, |hay, pattern, aligned| {
                Some(Folds::of(hay, pattern, aligned)).filter(|folds| !folds.is_empty())
            });
            dress.folds = dress.folds.or_of(others.unwrap_or(Folds::NONE));
        }
        let is_code = !scene.limits.language().is_prose();
        if pattern.added().any(|text| dress.folds.are_unclear(text, is_code)) {
            return Err(Unknown::LookAlikes);
        }
        if let (Shift::Add(lost), [one]) = (&dress.shift, pattern.solid().as_slice())
            && lost_by_the_first_alone(one, &pattern.after(), lost)?
        {
            (dress.shift, dress.first) = (Shift::None, Some(lost.clone()));
        }
        dress.step = dress.step(sought, aligned)?;
        let form = if aligned.rung.is_folded() { Form::Folded } else { Form::Trailing };
        let found = aligned.pairs(pattern).map(|(before, _)| pattern.before[before]);
        let written: HashSet<Vec<u8>> =
            found.filter(|text| !is_blank(text)).map(|text| indentation(&form.of(text)).to_vec()).collect();
        let mut lines = pattern.after_and_new().enumerate();
        if lines.all(|(at, (text, new))| !new || dress.fits(text, at == 0, &written)) {
            Ok(dress)
        } else {
            Err(Unknown::Indentation)
        }
    }

    /// Whether spaces become tabs, or tabs spaces, though no line that stays shows it.
    pub(super) fn is_retabbed(&self) -> bool {
        self.step.is_some()
    }

    /// A line as the file is to have it; `first` says that it is the first of the after-text.
    pub(super) fn line(&self, text: &[u8], first: bool) -> Vec<u8> {
        let text = self.folded(text);
        if is_blank(&text) {
            return text.into_owned();
        }
        match &self.first {
            Some(lost) if first && indentation(&text).is_empty() => return [lost, &*text].concat(),
            _ => {}
        }
        let stepped = self.step.as_ref().and_then(|step| step.of(&text)).unwrap_or(Cow::Borrowed(&text));
        self.shift.of(&stepped).unwrap_or(Cow::Borrowed(&stepped)).into_owned()
    }

    fn folded<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        match std::str::from_utf8(text) {
            Ok(text) if !self.folds.is_empty() && !text.is_ascii() => {
                Cow::Owned(text.chars().map(|c| self.folds.fold(c)).collect::<String>().into_bytes())
            }
            _ => Cow::Borrowed(text),
        }
    }

    /// What a step of the indentation of added lines is in the file, where the shift does not say it.
    fn step(&self, sought: &Sought<'_>, aligned: &Alignment) -> Result<Option<Shift>, Unknown> {
        let Sought { scene, hay, pattern, .. } = *sought;
        // A text for people has examples of anything.
        if !matches!(self.shift, Shift::None | Shift::Add(_)) || scene.limits.language().is_prose() {
            return Ok(None);
        }
        let new: Vec<Vec<u8>> = pattern
            .added()
            .filter(|text| !is_blank(text))
            .map(|text| indentation(&self.folded(text)).to_vec())
            .collect();
        let spaces = new.iter().any(|indent| indent.starts_with(b"  "));
        let tabs = new.iter().any(|indent| indent.starts_with(b"\t"));
        // What the kept lines have is written as the file has it. One blank aligns the stars of a comment.
        let mut kept = aligned.pairs(pattern).map(|(before, _)| pattern.before[before]);
        let shows = kept.any(|text| !is_blank(text) && (text.starts_with(b"  ") || text.starts_with(b"\t")));
        if spaces == tabs || !is_indented_by_other(hay, if spaces { b'\t' } else { b' ' }) {
            return Ok(None);
        }
        if shows {
            return Err(Unknown::Indentation);
        }
        let shown = shown_by_others(scene, hay, |_, _, aligned| match aligned.shift {
            Shift::ToTabs(_) if spaces => Some(aligned.shift.clone()),
            Shift::ToSpaces(_) if tabs => Some(aligned.shift.clone()),
            _ => None,
        });
        if shown.is_some() {
            return Ok(shown);
        }
        if tabs {
            return Err(Unknown::Indentation);
        }
        let widths = new.iter().map(Vec::len).filter(|width| *width > 1);
        let width = widths.clone().min().ok_or(Unknown::Indentation)?;
        // One blank aligns the stars of a comment.
        if new.iter().any(|indent| indent.iter().any(|b| *b != b' ') || indent.len() % width > 1) {
            return Err(Unknown::Indentation);
        }
        Ok(Some(Shift::ToTabs(width)))
    }

    /// Whether the indentations of the lines that are found, as the text has them, say how an added line is indented.
    fn fits(&self, text: &[u8], first: bool, written: &HashSet<Vec<u8>>) -> bool {
        let text = self.folded(text);
        let indent = indentation(&text);
        if is_blank(&text) {
            return true;
        }
        if self.first.is_some() {
            // Its own indentation is as the file has it, or was lost with the first line's.
            return first || !indent.is_empty();
        }
        match &self.shift {
            // With four spaces for two tabs, or eight for one, a level may be missing in the text. None is without an
            // indentation on both sides, or by two of them.
            Shift::None | Shift::ToTabs(4 | 8) | Shift::ToSpaces(2 | 4) => true,
            Shift::ToTabs(_) | Shift::ToSpaces(_) => {
                written.contains(indent) || written.contains(&[][..]) || written.len() > 1
            }
            Shift::Strip(prefix) => indent.starts_with(prefix),
            // Spaces behind tabs: the text has other blanks than the file for a level, and nothing says how many.
            Shift::Add(prefix) => match (prefix.first(), indent) {
                (Some(b'\t'), [b' ', b' ', ..]) | (Some(b' '), [b'\t', ..]) => {
                    let alike = |written: &Vec<u8>| written.first() == indent.first() && written.len() > 1;
                    self.step.is_some() || written.contains(indent) || written.iter().any(alike)
                }
                _ => true,
            },
        }
    }
}

/// Whether of the lines that come for one that is found the first alone lacks the indentation that all of the file's have there, and
/// the others are as they are to be. Else all of them lack it.
///
/// A reading is sound if no line is less deep than the first, the second is deeper just if the first opens something or goes
/// on, and brackets are closed as deep as they are opened. Where both are, or none is, nothing says which is meant; nor where
/// all lines that come have the indentation, which are not indented once more.
pub(super) fn lost_by_the_first_alone(found: &[u8], after: &[&[u8]], lost: &[u8]) -> Result<bool, Unknown> {
    let mut solid = after.iter().copied().filter(|text| !is_blank(text));
    let Some(first) = solid.next() else { return Ok(false) };
    let rest: Vec<&[u8]> = solid.collect();
    if !found.starts_with(lost) && first.starts_with(lost) && rest.iter().all(|text| text.starts_with(lost)) {
        // The line that is found lacks it, and none of these does.
        return Err(Unknown::Indentation);
    }
    let (Some(second), Some(last)) = (rest.first(), rest.last()) else { return Ok(false) };
    if !indentation(first).is_empty() {
        return Ok(false);
    }
    let end = first.trim_ascii_end().last();
    let ends_with = |marks: &[u8]| end.is_some_and(|b| marks.contains(b));
    let starts_with =
        |text: &[u8], marks: &[u8]| text.trim_ascii_start().first().is_some_and(|b| marks.contains(b));
    let opens = ends_with(b":{([|");
    // An element of HTML goes on, or is whole in its line.
    let may_open = opens || ends_with(b">");
    let goes_on = ends_with(b"\\,=&+*/.") || starts_with(second, b".+*/&|?=<") || first.starts_with(b"- ");
    let closes = ends_with(b"{([") && starts_with(last, b"})]");
    // A block that begins behind a blank line in the first column is another one than the first line is in.
    let begins_anew = after.windows(2).any(|pair| {
        let text = pair[1].trim_ascii_end();
        is_blank(pair[0]) && indentation(text).is_empty() && text.last().is_some_and(|b| b":{".contains(b))
    });
    // Depths beyond the first line's; none where a line is less deep.
    let sound = |beyond: &dyn Fn(&[u8]) -> Option<usize>| {
        let depths: Option<Vec<usize>> = rest.iter().map(|text| beyond(text)).collect();
        let deeper = beyond(second).is_some_and(|depth| depth > 0);
        depths.is_some()
            && (deeper || !opens || starts_with(second, b"})]"))
            && (!deeper || may_open || goes_on)
            && (!closes || beyond(last) == Some(0))
    };
    let alone = sound(&|text| Some(indentation(text).strip_prefix(lost)?.len()));
    let all = sound(&|text| Some(indentation(text).len())) && !begins_anew && closes_what_it_opens(after);
    match (alone, all) {
        (true, false) => Ok(true),
        (false, true) => Ok(false),
        _ => Err(Unknown::Indentation),
    }
}

/// Whether no bracket is closed that was not opened.
fn closes_what_it_opens(lines: &[&[u8]]) -> bool {
    let mut depth = 0_i64;
    lines.iter().flat_map(|line| line.iter()).all(|byte| {
        depth += match byte {
            b'(' | b'[' | b'{' => 1,
            b')' | b']' | b'}' => -1,
            _ => 0,
        };
        depth >= 0
    })
}

/// Whether a line has characters that only look like others.
fn has_look_alikes(text: &[u8]) -> bool {
    !text.is_ascii() && std::str::from_utf8(text).is_ok_and(|text| text.chars().any(|c| plain(c) != c))
}

/// Which look-alikes a text has where the file has plain characters, in the lines that stand for each other. What one of a
/// kind shows holds for all of its kind: a pair of quotes is not left half typographic.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Folds {
    /// A plain character of each kind that was shown.
    kinds: Vec<char>,
    /// Those that the file has too.
    stay: Vec<char>,
    /// Those for which it has the plain character.
    go: Vec<char>,
}

impl Folds {
    const NONE: Self = Self { kinds: Vec::new(), stay: Vec::new(), go: Vec::new() };

    fn of(hay: Haystack<'_>, pattern: &Pattern<'_>, aligned: &Alignment) -> Self {
        let mut folds = Self::NONE;
        let chars = |text: &[u8]| -> Option<(bool, Vec<char>)> {
            let text = std::str::from_utf8(text).ok()?;
            let body = text.trim();
            let indent = &text[..text.len() - text.trim_start().len()];
            Some((indent.is_ascii(), body.nfc().collect()))
        };
        for (before, line) in aligned.pairs(pattern).filter(|(before, _)| !pattern.before[*before].is_ascii())
        {
            let (Some((plain_indent, written)), Some((real_indent, real))) =
                (chars(pattern.before[before]), chars(hay.text(line)))
            else {
                continue;
            };
            if !plain_indent && real_indent {
                folds.kinds.push(' ');
            }
            if written.len() != real.len() {
                continue;
            }
            for (written, real) in written.into_iter().zip(real).filter(|(written, _)| !written.is_ascii()) {
                if written == real {
                    folds.stay.push(written);
                } else if plain(written) == real {
                    folds.kinds.push(kind(real));
                    folds.go.push(written);
                }
            }
        }
        folds.kinds.sort_unstable();
        folds.kinds.dedup();
        folds
    }

    fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// What other hunks show, but for the characters that this one shows to be the file's.
    fn or_of(self, mut others: Self) -> Self {
        others.go.retain(|c| !self.stay.contains(c));
        others.stay.extend(self.stay);
        others
    }

    /// Whether a text has look-alikes that the file has in one place and not in another, or quotes of both kinds: what makes
    /// them typographic leaves none plain. Or, in code, a dash of another length than those that stand for hyphens.
    fn are_unclear(&self, text: &[u8], is_code: bool) -> bool {
        let Ok(text) = std::str::from_utf8(text) else { return false };
        let both = |c: char| self.fold(c) != c && kind(plain(c)) == '\'' && text.contains(plain(c));
        let other = |c: char| is_code && self.is_other_dash(c) && !self.stay.contains(&c);
        let unclear = |c: char| self.go.contains(&c) && self.stay.contains(&c) || both(c) || other(c);
        !self.is_empty() && !text.is_ascii() && text.chars().any(unclear)
    }

    fn fold(&self, c: char) -> char {
        let folds = plain(c) != c && self.kinds.contains(&kind(plain(c))) && !self.stay.contains(&c);
        if folds && !self.is_other_dash(c) { plain(c) } else { c }
    }

    /// Whether hyphens are written as dashes, and a character is a dash of another length.
    fn is_other_dash(&self, c: char) -> bool {
        plain(c) == '-' && c != '-' && self.kinds.contains(&'-') && !self.go.contains(&c)
    }
}

/// The kind of a plain character: both quotes are of one.
fn kind(plain: char) -> char {
    if plain == '"' { '\'' } else { plain }
}

/// Whether lines of a file are indented by one blank, and none by the other.
fn is_indented_by_other(hay: Haystack<'_>, blank: u8) -> bool {
    let mut some = false;
    for (_, line) in hay.lines(0..hay.line_count()) {
        match line.text {
            [first, ..] if *first == blank && (blank == b'\t' || line.text.starts_with(b"  ")) => some = true,
            [b'\t', ..] | [b' ', b' ', ..] => return false,
            _ => {}
        }
    }
    some
}

/// What the first of the file's other hunks shows that shows it, each at the one place that it has when blanks at both
/// ends of lines and look-alikes do not count.
fn shown_by_others<T>(
    scene: &Scene<'_>,
    hay: Haystack<'_>,
    shows: impl Fn(Haystack<'_>, &Pattern<'_>, &Alignment) -> Option<T>,
) -> Option<T> {
    let text = scene.original.unwrap_or(hay.content());
    let hay = Haystack::new(text, hay.effort());
    let rung = Rung { scope: Scope::Whole, ..Rung::LOOSEST };
    scene.others.hunks().iter().take(OTHERS).find_map(|hunk| {
        let pattern = Pattern::readings(&hunk.change).into_iter().next()?;
        match hay.whole_lines(&pattern.before, rung.form).as_slice() {
            [one] => {
                let aligned = Alignment::at(hay, &pattern, *one, rung)?;
                shows(hay, &pattern, &aligned)
            }
            _ => None,
        }
    })
}
