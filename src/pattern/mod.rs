//! A hunk as lines: the search text, and what happens to each of its lines.

mod pairing;

pub(crate) use pairing::{Sources, Step, pair, sure_runs};

use crate::edit::{Change, Unit};
use crate::text::is_blank;
use pairing::{extremes, sources};

/// The limit for the segments that elisions and `~` lines may divide a hunk into. Each costs a search.
const MAX_SEGMENTS: usize = 64;

/// The limit for the candidates for the divider of a SEARCH/REPLACE block. Each costs a search.
const MAX_DIVIDERS: usize = 64;

/// A search text, and what happens to its lines.
#[derive(Debug)]
pub(crate) struct Pattern<'a> {
    /// The lines of the search text, without line endings.
    pub(crate) before: Vec<&'a [u8]>,
    /// The steps in order. Each line of `before` is kept or removed once, in ascending order.
    pub(crate) steps: Vec<Step<'a>>,
    /// Whether the search text may be a part of a line.
    pub(crate) unit: Unit,
    /// The line ending of the last line of the replacement, if it becomes the last line of the file.
    pub(crate) end: End,
}

/// The line ending of an added line that becomes the last line of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It ends as the file ended before. Search text and replacement do not tell, only a diff does.
    AsFile,
    /// It has a line ending, like every line of a diff.
    Newline,
    /// It has none: the diff says so.
    Nothing,
}

impl<'a> Pattern<'a> {
    /// Pairs two texts line by line.
    pub(crate) fn of_texts(before: &'a str, after: &'a str, unit: Unit) -> Self {
        let (before, after) = (lines(before), lines(after));
        let steps = pair(&before, &after);
        Self { before, steps, unit, end: End::AsFile }
    }

    /// A pattern that keeps all lines of its search text.
    pub(crate) fn of_lines(lines: Vec<&'a [u8]>) -> Self {
        let steps = (0..lines.len()).map(Step::Keep).collect();
        Self { before: lines, steps, unit: Unit::Lines, end: End::Newline }
    }

    /// Returns, for each line of the replacement, which lines of the search text it may be, and whether it may be new.
    /// Search text and replacement do not tell which of several equal lines is kept. `None` for a diff, which does
    /// tell, and for texts that are too long.
    pub(crate) fn sources(&self) -> Option<Vec<Sources>> {
        if self.end == End::AsFile { sources(&self.before, &self.after()) } else { None }
    }

    /// Returns the pattern with the first of equal lines kept, and the pattern with the last of them kept. Nothing for
    /// a diff, which tells the kept lines, and for texts that are too long.
    pub(crate) fn other_pairings(&self) -> Vec<Self> {
        let is_uncertain = self.end == End::AsFile;
        let pairings = is_uncertain.then(|| extremes(&self.before, &self.after())).flatten();
        let with = |steps| Self { before: self.before.clone(), steps, unit: self.unit, end: self.end };
        pairings.into_iter().flatten().map(with).collect()
    }

    /// Divides the pattern at the steps for which `cuts` is true. `None` if there is no such step, or too many.
    pub(crate) fn cut(&self, cuts: impl Fn(&Step<'a>) -> bool) -> Option<Vec<Self>> {
        let parts: Vec<&[Step<'a>]> = self.steps.split(|step| cuts(step)).collect();
        if parts.len() < 2 || parts.len() > MAX_SEGMENTS {
            return None;
        }
        let last = parts.len() - 1;
        let segment = |(index, steps): (usize, &[Step<'a>])| {
            let mut before = Vec::new();
            let mut renumber = |line: usize| {
                before.push(self.before.get(line).copied().unwrap_or(&[]));
                before.len() - 1
            };
            let steps = steps
                .iter()
                .map(|step| match *step {
                    Step::Keep(line) => Step::Keep(renumber(line)),
                    Step::Remove(line) => Step::Remove(renumber(line)),
                    other => other,
                })
                .collect();
            let end = if index == last { self.end } else { End::Newline };
            Self { before, steps, unit: Unit::Lines, end }
        };
        Some(parts.into_iter().enumerate().map(segment).collect())
    }

    /// The pattern that reverts this one; `None` if it has a gap, because the removed lines are not known.
    pub(crate) fn reversed(&self) -> Option<Self> {
        let mut before = Vec::new();
        let mut steps = Vec::new();
        for step in &self.steps {
            match *step {
                Step::Gap => return None,
                Step::Remove(line) => steps.push(Step::Add(self.before.get(line).copied()?)),
                Step::Keep(_) | Step::Add(_) => {
                    let keeps = matches!(step, Step::Keep(_));
                    steps.push(if keeps { Step::Keep(before.len()) } else { Step::Remove(before.len()) });
                    before.push(self.text_of(step));
                }
            }
        }
        Some(Self { before, steps, unit: Unit::Lines, end: self.end })
    }

    /// Reads the body of a unified diff. A `~` line is a gap.
    pub(crate) fn of_diff(body: &'a str, after_unterminated: bool) -> Self {
        let end = if after_unterminated { End::Nothing } else { End::Newline };
        let mut before = Vec::new();
        let mut steps = Vec::new();
        for line in lines(body) {
            let (mark, text) = line.split_first().map_or((b' ', line), |(&mark, text)| (mark, text));
            match mark {
                b'+' => steps.push(Step::Add(text)),
                b'~' => steps.push(Step::Gap),
                b'-' => {
                    steps.push(Step::Remove(before.len()));
                    before.push(text);
                }
                _ => {
                    steps.push(Step::Keep(before.len()));
                    before.push(text);
                }
            }
        }
        let steps = keep_lines_of_both_sides(steps, &before);
        Self { before, steps, unit: Unit::Lines, end }
    }

    /// All readings of a change. There are several only if the divider is uncertain, and none if there are too many
    /// candidates.
    pub(crate) fn readings(change: &'a Change) -> Vec<Self> {
        match change {
            Change::Texts { before, after, unit } => vec![Self::of_texts(before, after, *unit)],
            Change::Splits { dividers, .. } if dividers.len() > MAX_DIVIDERS => Vec::new(),
            Change::Splits { dividers, .. } => {
                let split = |&at: &usize| {
                    let (before, after) = change.split(at)?;
                    Some(Self::of_texts(before, after, Unit::Lines))
                };
                // The longest search text first.
                dividers.iter().rev().filter_map(split).collect()
            }
            Change::Diff { lines, after_unterminated, .. } => vec![Self::of_diff(lines, *after_unterminated)],
        }
    }

    /// The line of a step, without line ending; empty for a gap.
    pub(crate) fn text_of(&self, step: &Step<'a>) -> &'a [u8] {
        match *step {
            Step::Keep(line) | Step::Remove(line) => self.before.get(line).copied().unwrap_or(&[]),
            Step::Add(text) => text,
            Step::Gap => &[],
        }
    }

    /// Whether it adds nothing and removes nothing.
    pub(crate) fn changes_nothing(&self) -> bool {
        self.steps.iter().all(|step| matches!(step, Step::Keep(_)))
    }

    /// The lines of the result, each with whether it is added.
    pub(crate) fn after_and_new(&self) -> impl Iterator<Item = (&'a [u8], bool)> {
        let is_in_result = |step: &&Step<'a>| matches!(step, Step::Keep(_) | Step::Add(_));
        self.steps.iter().filter(is_in_result).map(|step| (self.text_of(step), matches!(step, Step::Add(_))))
    }

    /// The context lines, as indexes of the search text.
    pub(crate) fn kept(&self) -> impl Iterator<Item = usize> {
        self.steps.iter().filter_map(|step| if let Step::Keep(line) = *step { Some(line) } else { None })
    }

    /// The added lines.
    pub(crate) fn added(&self) -> impl Iterator<Item = &'a [u8]> {
        self.steps.iter().filter_map(|step| if let Step::Add(text) = *step { Some(text) } else { None })
    }

    /// The removed lines.
    pub(crate) fn removed(&self) -> impl Iterator<Item = &'a [u8]> {
        let removed = |step: &Step<'a>| if let Step::Remove(line) = *step { Some(line) } else { None };
        self.steps.iter().filter_map(removed).filter_map(|line| self.before.get(line).copied())
    }

    /// The lines of the search text that are not blank.
    pub(crate) fn solid(&self) -> Vec<&'a [u8]> {
        self.before.iter().copied().filter(|line| !is_blank(line)).collect()
    }

    /// The lines of the search text that have more than brackets and other signs.
    pub(crate) fn lines_with_words(&self) -> Vec<&'a [u8]> {
        self.before.iter().copied().filter(|line| has_words(line)).collect()
    }

    /// The lines of the result.
    pub(crate) fn after(&self) -> Vec<&'a [u8]> {
        self.after_and_new().map(|(text, _)| text).collect()
    }

    /// Whether finding the result in the file proves that the edit was applied. It does if the edit adds a line with
    /// words; or if all removed lines are between context lines, and a context line has words.
    pub(crate) fn after_is_proof(&self) -> bool {
        let adds = self.steps.iter().any(|step| matches!(step, Step::Add(text) if has_words(text)));
        let kept = |step: Option<&Step<'_>>| matches!(step, Some(Step::Keep(_)));
        let is_framed = kept(self.steps.first()) && kept(self.steps.last());
        adds || is_framed && self.after().into_iter().any(has_words)
    }

    /// Whether it only adds a copy of the text beside it. A file that has the result may have had it before the edit,
    /// so that one more copy is meant:
    /// ```text
    /// search text:  `a`      replacement:  `a`, `a`
    /// ```
    pub(crate) fn only_repeats(&self) -> bool {
        let text =
            |lines: &[&[u8]]| lines.iter().flat_map(|line| [line, &b"\n"[..]].concat()).collect::<Vec<u8>>();
        let (before, after) = (text(&self.before), text(&self.after()));
        let Some(more) = after.len().checked_sub(before.len()).filter(|more| *more > 0) else { return false };
        let shared = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
        let (start, added, end) = (&after[..shared], &after[shared..shared + more], &after[shared + more..]);
        *end == before[shared..]
            && !added.trim_ascii().is_empty()
            && (start.ends_with(added) || end.starts_with(added))
    }
}

/// A diff may have a whole block with `-` and once more with `+`. Lines of both are context lines. But the last line of
/// the hunk is left as it is, because it tells how the file ends.
fn keep_lines_of_both_sides<'a>(steps: Vec<Step<'a>>, before: &[&'a [u8]]) -> Vec<Step<'a>> {
    let mut all = Vec::with_capacity(steps.len());
    let mut at = 0;
    for run in steps.chunk_by(|left, right| changes(left) && changes(right)) {
        at += run.len();
        let last_lines = usize::from(at == steps.len());
        let mut removed: Vec<usize> = Vec::new();
        let mut added: Vec<&[u8]> = Vec::new();
        for step in run {
            match *step {
                Step::Remove(line) => removed.push(line),
                Step::Add(text) => added.push(text),
                _ => {}
            }
        }
        let (removed, last_removed) = removed.split_at(removed.len().saturating_sub(last_lines));
        let (added, last_added) = added.split_at(added.len().saturating_sub(last_lines));
        let texts: Vec<&[u8]> = removed.iter().map(|&line| before[line]).collect();
        let paired = if texts.is_empty() || added.is_empty() { Vec::new() } else { pair(&texts, added) };
        if paired.iter().any(|step| matches!(step, Step::Keep(line) if has_words(texts[*line]))) {
            all.extend(paired.into_iter().map(|step| match step {
                Step::Keep(line) => Step::Keep(removed[line]),
                Step::Remove(line) => Step::Remove(removed[line]),
                other => other,
            }));
            all.extend(last_removed.iter().map(|&line| Step::Remove(line)));
            all.extend(last_added.iter().map(|text| Step::Add(text)));
        } else {
            all.extend_from_slice(run);
        }
    }
    all
}

fn changes(step: &Step<'_>) -> bool {
    matches!(step, Step::Remove(_) | Step::Add(_))
}

/// Whether a line has letters or digits, not only brackets and other signs.
pub(crate) fn has_words(text: &[u8]) -> bool {
    text.iter().any(|b| b.is_ascii_alphanumeric() || !b.is_ascii())
}

/// The lines of a text, without line breaks. The last line may have no line break.
pub(crate) fn lines(text: &str) -> Vec<&[u8]> {
    let text = text.strip_suffix('\n').map_or_else(|| (!text.is_empty()).then_some(text), Some);
    text.map(|text| text.split('\n').map(str::as_bytes).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_text_has_no_lines() {
        assert_eq!(lines(""), Vec::<&[u8]>::new());
        assert_eq!(lines("\n"), [b""]);
        assert_eq!(lines("a\n\nb\n"), [&b"a"[..], b"", b"b"]);
        assert_eq!(lines("a"), [b"a"]);
    }

    #[test]
    fn the_mark_of_a_diff_line_is_its_step_and_an_empty_line_is_kept() {
        let pattern = Pattern::of_diff(" a\n\n-b\n+c\n", false);
        assert_eq!(pattern.before, [&b"a"[..], b"", b"b"]);
        assert_eq!(pattern.steps, [Step::Keep(0), Step::Keep(1), Step::Remove(2), Step::Add(b"c")]);
        assert_eq!(pattern.after(), [&b"a"[..], b"", b"c"]);
        let gap = Pattern::of_diff("-a\n~\n-b\n", false);
        assert_eq!(gap.steps, [Step::Remove(0), Step::Gap, Step::Remove(1)]);
    }

    #[test]
    fn the_longest_search_text_is_the_first_reading() {
        let lines = "a\n=======\nb\n=======\nc\n".to_owned();
        let change = Change::Splits { lines: lines.into(), dividers: vec![2, 12] };
        let readings = Pattern::readings(&change);
        assert_eq!(readings.iter().map(|r| r.before.len()).collect::<Vec<_>>(), [3, 1]);
        assert_eq!(readings[1].after(), [&b"b"[..], b"=======", b"c"]);
    }

    #[test]
    fn a_lone_bracket_does_not_prove_that_an_edit_was_applied() {
        let proof = |before, after| Pattern::of_texts(before, after, Unit::Lines).after_is_proof();
        assert!(!proof("foo();\n", "}\n"), "any file has a line of one bracket");
        assert!(proof("foo();\n", "bar();\n"));
        assert!(proof("a\nfoo();\nb\n", "a\nb\n"), "removed between two kept lines");
        assert!(!proof("}\nfoo();\n}\n", "}\n}\n"), "any file has two of them");
        assert!(!proof("a\nfoo();\n", "a\n"), "what is left says nothing about what followed");
    }
}
