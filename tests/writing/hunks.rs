//! How much of a file a change has to quote so that its place is the only one.

use git_llm_apply::text::{Normalization, difference_of, is_blank};
use similar::DiffTag;
use std::borrow::Cow;
use std::ops::Range;

/// As many lines beside a change as diffs usually show.
const CONTEXT: usize = 3;

/// One place of a file and what becomes of it: line ranges, from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hunk {
    /// The lines of the file before.
    pub(crate) before: Range<usize>,
    /// The lines of the file after that stand there instead.
    pub(crate) after: Range<usize>,
    /// What changes in them, ascending.
    changes: Vec<Changed>,
}

/// Lines that go, and lines that come in their place.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Changed {
    before: Range<usize>,
    after: Range<usize>,
}

/// What a format says of a hunk's texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// They can be written.
    Fits,
    /// They would have to be longer.
    TooShort,
    /// They hold a line that they must not.
    Collides,
}

/// Says of a before-text that is blank that it finds nothing.
pub(crate) fn fit_unless_blank(before: &[&str], _: &[&str]) -> Fit {
    if before.iter().all(|line| line.trim().is_empty()) { Fit::TooShort } else { Fit::Fits }
}

impl Hunk {
    /// Its lines in the order of a diff, each with its mark.
    pub(crate) fn marked<'a>(
        &'a self,
        before: &'a [&'a str],
        after: &'a [&'a str],
    ) -> impl Iterator<Item = (char, &'a str)> {
        let starts =
            std::iter::once(self.before.start).chain(self.changes.iter().map(|change| change.before.end));
        let nothing = Changed { before: self.before.end..self.before.end, after: 0..0 };
        let changes = self.changes.iter().cloned().chain(std::iter::once(nothing));
        starts.zip(changes).flat_map(move |(kept, change)| {
            let sides = [
                (' ', &before[kept..change.before.start]),
                ('-', &before[change.before]),
                ('+', &after[change.after]),
            ];
            sides.into_iter().flat_map(|(mark, lines)| lines.iter().map(move |line| (mark, *line)))
        })
    }
}

/// Cuts the difference of two texts into hunks that do not overlap, in order. Each one's before-lines stand once in the
/// file before, and once in the file as it is when the hunks above have been made, but not within its after-lines
/// (where it would seem to be made already). `fit` is asked whether its before- and after-lines can be written.
///
/// `None` if they cannot, whatever is quoted with them. No hunks if the texts are equal.
pub(crate) fn hunks(
    before: &[&str],
    after: &[&str],
    fit: &dyn Fn(&[&str], &[&str]) -> Fit,
) -> Option<Vec<Hunk>> {
    let cut = Cut::new(before, after, fit);
    // How many lines beside each change are quoted, and whether more would collide.
    let mut contexts = vec![(CONTEXT, false); cut.changes.len()];
    loop {
        let hunks = cut.quote(&contexts);
        let mut first = 0;
        let mut judged = hunks.iter().map(|hunk| {
            first += hunk.changes.len();
            (first - hunk.changes.len()..first, hunk, cut.judge(hunk))
        });
        let Some((changes, hunk, fit)) = judged.find(|(.., fit)| *fit != Fit::Fits) else {
            return Some(hunks);
        };
        let is_all = hunk.before == (0..before.len());
        for (context, is_most) in &mut contexts[changes] {
            match fit {
                Fit::Collides if *context > 0 => (*context, *is_most) = (CONTEXT.min(*context - 1), true),
                Fit::TooShort if !is_all && !*is_most => *context += (*context / 2).max(1),
                _ => return None,
            }
        }
    }
}

/// Where some lines stand in a file.
fn places<T: PartialEq>(file: &[T], lines: &[T]) -> impl Iterator<Item = usize> {
    (0..file.len()).filter(move |&at| file.get(at..at + lines.len()) == Some(lines))
}

/// What counts of a line where neither blanks nor blank lines do.
type Solid<'a> = Option<Cow<'a, [u8]>>;

/// A difference that is cut into hunks.
struct Cut<'a> {
    before: &'a [&'a str],
    after: &'a [&'a str],
    fit: &'a dyn Fn(&[&str], &[&str]) -> Fit,
    changes: Vec<Changed>,
    solid: [Vec<Solid<'a>>; 2],
}

impl<'a> Cut<'a> {
    fn new(before: &'a [&'a str], after: &'a [&'a str], fit: &'a dyn Fn(&[&str], &[&str]) -> Fit) -> Self {
        let mut changes: Vec<Changed> = Vec::new();
        for op in difference_of(before, after).iter().filter(|op| op.tag() != DiffTag::Equal) {
            let (before, after) = (op.old_range(), op.new_range());
            match changes.last_mut() {
                Some(last) if last.before.end == before.start && last.after.end == after.start => {
                    (last.before.end, last.after.end) = (before.end, after.end);
                }
                _ => changes.push(Changed { before, after }),
            }
        }
        let solid = |line: &&'a str| {
            (!is_blank(line.as_bytes())).then(|| Normalization::FoldedTrimmed.of(line.as_bytes()))
        };
        let solid = [before, after].map(|lines| lines.iter().map(solid).collect());
        Self { before, after, fit, changes, solid }
    }

    /// The changes with so many lines around them; those that meet are one hunk.
    fn quote(&self, contexts: &[(usize, bool)]) -> Vec<Hunk> {
        let mut hunks: Vec<Hunk> = Vec::new();
        for (change, (context, _)) in self.changes.iter().zip(contexts) {
            let start = change.before.start.saturating_sub(*context);
            let end = (change.before.end + context).min(self.before.len());
            let mut hunk = Hunk { before: start..end, after: 0..0, changes: vec![change.clone()] };
            while let Some(last) = hunks.pop_if(|last| hunk.before.start <= last.before.end) {
                let start = last.before.start.min(hunk.before.start);
                let end = last.before.end.max(hunk.before.end);
                hunk = Hunk { before: start..end, changes: [last.changes, hunk.changes].concat(), ..hunk };
            }
            hunks.push(hunk);
        }
        for Hunk { before, after, changes } in &mut hunks {
            if let (Some(first), Some(last)) = (changes.first(), changes.last()) {
                let above = first.before.start - before.start;
                *after = first.after.start - above..last.after.end + (before.end - last.before.end);
            }
        }
        hunks
    }

    fn judge(&self, hunk: &Hunk) -> Fit {
        let fit = (self.fit)(&self.before[hunk.before.clone()], &self.after[hunk.after.clone()]);
        let fits = self.says_where(hunk) && self.is_the_only_one(hunk);
        if fit == Fit::Fits && !fits { Fit::TooShort } else { fit }
    }

    /// Whether a line that is not blank, or an end of the file, is on either side of the changes. Blank lines beside blank
    /// lines do not say which of them are meant.
    fn says_where(&self, hunk: &Hunk) -> bool {
        let (Some(first), Some(last)) = (hunk.changes.first(), hunk.changes.last()) else { return true };
        let says = |lines: Range<usize>| self.solid[0][lines].iter().any(Option::is_some);
        let is_above = hunk.before.start == 0 || says(hunk.before.start..first.before.start);
        is_above && (hunk.before.end == self.before.len() || says(last.before.end..hunk.before.end))
    }

    /// Whether the before-lines stand once in the file before, and in that with the hunks above made, and afterwards in the
    /// after-lines alone, so that a second run finds nothing to change. Neither blanks nor blank lines count, as they do not
    /// where a text is looked for that is no longer there.
    fn is_the_only_one(&self, hunk: &Hunk) -> bool {
        let (old, new) = (&self.before[hunk.before.clone()], &self.after[hunk.after.clone()]);
        if old.is_empty() {
            return self.before.is_empty();
        }
        // Blanks at line ends tell what was made from what was not only where nothing else changes.
        let trailing = |lines: &[&'a str]| texts(lines, Normalization::Trailing).collect::<Vec<_>>();
        let form = match trailing(old) == trailing(new) {
            true => Normalization::Text,
            false => Normalization::Trailing,
        };
        let seems_made = |file: &[&str], start: usize| {
            let first = (start + old.len()).saturating_sub(new.len());
            (first..=start).any(|at| seems_to_stand(file, at, new, form))
        };
        let count = |lines: &[Solid<'_>]| lines.iter().flatten().count();
        let [before, after] = &self.solid;
        let solid =
            |lines: &Range<usize>, of: &[Solid<'_>]| count(&of[..lines.start])..count(&of[..lines.end]);
        let (old_lines, new_lines) = (solid(&hunk.before, before), solid(&hunk.after, after));
        let [before, after] =
            [before, after].map(|lines| lines.iter().flatten().map(|line| &**line).collect::<Vec<_>>());
        !seems_made(self.before, hunk.before.start)
            && !seems_made(&current(self.before, self.after, &hunk.before, &hunk.after), hunk.after.start)
            && is_once(self.before, self.after, &hunk.before, &hunk.after)
            && is_once(&before, &after, &old_lines, &new_lines)
    }
}

/// A file with the hunks made that stand above one.
fn current<T: Copy>(before: &[T], after: &[T], old: &Range<usize>, new: &Range<usize>) -> Vec<T> {
    [&after[..new.start], &before[old.start..]].concat()
}

/// Whether lines of the file before stand at most once in it, and in that with the hunks above made, and afterwards in the
/// new lines alone.
fn is_once<T: PartialEq + Copy>(before: &[T], after: &[T], old: &Range<usize>, new: &Range<usize>) -> bool {
    let lines = &before[old.clone()];
    let is_once = |file: &[T]| places(file, lines).nth(1).is_none();
    lines.is_empty()
        || is_once(before)
            && is_once(&current(before, after, old, new))
            && places(after, lines).all(|at| new.start <= at && at + lines.len() <= new.end)
}

/// What counts of lines.
fn texts<'s>(lines: &[&'s str], form: Normalization) -> impl Iterator<Item = Cow<'s, [u8]>> {
    lines.iter().map(move |line| form.of(line.as_bytes()))
}

/// Whether lines would be found in a file from a line on, if the first and the last may be part of a line.
fn seems_to_stand(file: &[&str], at: usize, lines: &[&str], form: Normalization) -> bool {
    let Some(there) = file.get(at..at + lines.len()) else { return false };
    let last = lines.len().saturating_sub(1);
    texts(lines, form).zip(texts(there, form)).enumerate().all(|(index, (line, there))| {
        line == there || (index == 0 && there.ends_with(&line)) || (index == last && there.starts_with(&line))
    })
}
