//! Blank lines that a before-text has otherwise than the file: whether it is clear all the same where lines go and come.

use super::Refusal;
use super::found::Fit;
use super::pattern::{End, Pattern, Step};
use super::similar::ratio;
use super::thresholds::{LEAST_ALIKE, PAIRING_CELLS};
use crate::text::Form;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashSet;

/// Between two lines that are not blank, or at an edge.
#[derive(Default)]
struct Gap<'a> {
    /// Lines that come, and how many blank lines of the before-text stand in front of each.
    added: Vec<(usize, &'a [u8])>,
    /// Blank lines of the before-text.
    blanks: usize,
    /// A blank line goes.
    loses: bool,
    /// Blank lines of the before-text that are not in the file.
    lacks: usize,
}

/// A line that is not blank.
#[derive(Clone, Copy)]
struct Edge {
    goes: bool,
    line: Option<usize>,
}

fn is_blank(text: &[u8]) -> bool {
    Form::FoldedTrimmed.of(text).is_empty()
}

/// The refusal of a hunk whose lines stand in the file, but for blank ones beside those that it puts in or takes out.
pub(super) fn unclear(mut refusal: Box<Refusal>) -> Box<Refusal> {
    "the text to find has other blank lines than the file where lines come or go"
        .clone_into(&mut refusal.message);
    refusal
}

/// Whether blank lines differ nowhere that lines are put in beside, and none of those that differ goes: with another
/// number of blank lines there, it would be a guess before which of them the new lines belong, and how many stay.
pub(super) fn are_clear(pattern: &Pattern<'_>, fit: &Fit) -> bool {
    let is_diff = pattern.end != End::AsFile;
    // The file has more blank lines somewhere.
    let mut more = false;
    let mut gap = Gap::default();
    let mut above: Option<Edge> = None;
    // The gaps in which the file has more blank lines: by the number of lines that are not blank before them.
    let mut still = Vec::new();
    let mut solid = 0;
    // Whether blank lines differ in front of the lines that go, up to here; and which lines those are.
    let mut differ_above = false;
    let mut run: Vec<&[u8]> = Vec::new();
    for step in &pattern.steps {
        let (before, goes) = match *step {
            Step::Add(text) => {
                gap.added.push((gap.blanks, text));
                continue;
            }
            // Everything up to the next line goes.
            Step::Gap => continue,
            Step::Keep(before) => (before, false),
            Step::Remove(before) => (before, true),
        };
        let line = fit.lines.get(before).copied().flatten();
        if pattern.before.get(before).is_none_or(|text| is_blank(text)) {
            gap.blanks += 1;
            gap.loses |= goes;
            gap.lacks += usize::from(line.is_none());
            continue;
        }
        let below = Edge { goes, line };
        let gap = std::mem::take(&mut gap);
        let untouched = gap.added.is_empty() && !goes && above.is_some_and(|above| !above.goes);
        let Some(differ) = gap.differs((above, Some(below)), differ_above, is_diff) else { return false };
        if !gap.keeps_to_its_side(&run, differ_above, differ.is_gt() && !goes) {
            return false;
        }
        if !goes {
            run.clear();
        } else if let Some(text) = pattern.before.get(before) {
            run.push(text);
        }
        more |= differ.is_gt();
        if differ.is_gt() {
            let goes = [above.is_some_and(|above| above.goes), goes];
            still.push(Doubt { at: solid, untouched, goes });
        }
        solid += 1;
        // In front of a run of lines that go: a gap inside of it goes with them.
        let in_run = goes && above.is_some_and(|above| above.goes);
        differ_above = differ.is_ne() || in_run && differ_above;
        above = Some(below);
    }
    let Some(differ) = gap.differs((above, None), differ_above, is_diff) else { return false };
    if !gap.keeps_to_its_side(&run, differ_above, differ.is_gt()) {
        return false;
    }
    is_diff || (!(more || differ.is_gt()) || !moves_lines(pattern)) && no_pairing_changes(pattern, &still)
}

/// Whether in no best pairing of two texts a line comes or goes at one of the gaps, which are known by how many lines that
/// are not blank stand before them: which pairing is meant nobody can tell, and elsewhere it makes no difference.
fn no_pairing_changes(pattern: &Pattern<'_>, gaps: &[Doubt]) -> bool {
    if gaps.is_empty() {
        return true;
    }
    let texts = |without: fn(&Step<'_>) -> bool| -> Vec<Cow<'_, [u8]>> {
        let steps = pattern.steps.iter().filter(|step| !without(step));
        steps.map(|step| Form::Trailing.of(pattern.text_of(step))).filter(|text| !is_blank(text)).collect()
    };
    let old = texts(|step| matches!(step, Step::Add(_)));
    let new = texts(|step| matches!(step, Step::Remove(_)));
    let width = new.len() + 1;
    let Some(cells) = (old.len() + 1).checked_mul(width).filter(|cells| *cells <= PAIRING_CELLS) else {
        return false;
    };
    // How many lines are common to the first i of one and the first j of the other; and to the rest of both.
    let (mut first, mut rest) = (vec![0u32; cells], vec![0u32; cells]);
    let at = |i: usize, j: usize| i * width + j;
    for i in 1..=old.len() {
        for j in 1..width {
            first[at(i, j)] = if old[i - 1] == new[j - 1] {
                first[at(i - 1, j - 1)] + 1
            } else {
                first[at(i - 1, j)].max(first[at(i, j - 1)])
            };
        }
    }
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            rest[at(i, j)] = if old[i] == new[j] {
                rest[at(i + 1, j + 1)] + 1
            } else {
                rest[at(i + 1, j)].max(rest[at(i, j + 1)])
            };
        }
    }
    let best = rest[0];
    let comes = |gap: usize| (0..new.len()).any(|j| first[at(gap, j)] + rest[at(gap, j + 1)] == best);
    let goes = |line: usize| (0..width).any(|j| first[at(line, j)] + rest[at(line + 1, j)] == best);
    let stays = |line: usize| {
        let kept =
            |j: usize| old[line] == new[j] && first[at(line, j)] + 1 + rest[at(line + 1, j + 1)] == best;
        (0..new.len()).any(kept)
    };
    !gaps.iter().any(|gap| {
        let (above, below) = (gap.at.checked_sub(1), Some(gap.at).filter(|&line| line < old.len()));
        let [above_goes, below_goes] = gap.goes;
        if gap.untouched {
            return comes(gap.at) || above.is_some_and(goes) || below.is_some_and(goes);
        }
        // What goes in the pairing at hand stays in another.
        above_goes && above.is_some_and(stays) || below_goes && below.is_some_and(stays)
    })
}

/// A gap in which the file has more blank lines than the before-text.
struct Doubt {
    /// How many lines that are not blank stand before it.
    at: usize,
    /// No line comes or goes there.
    untouched: bool,
    /// Whether the line above it goes, and the one below.
    goes: [bool; 2],
}

/// Whether a line goes at one place and comes at another: of two texts it is a guess which of the lines between were moved
/// instead.
fn moves_lines(pattern: &Pattern<'_>) -> bool {
    let of = |added: bool| {
        let steps = pattern.steps.iter().filter(move |step| match step {
            Step::Add(_) => added,
            Step::Remove(_) => !added,
            Step::Keep(_) | Step::Gap => false,
        });
        steps.map(|step| pattern.text_of(step)).filter(|text| !is_blank(text))
    };
    let goes: HashSet<&[u8]> = of(false).collect();
    of(true).any(|text| goes.contains(text))
}

impl Gap<'_> {
    /// Whether it is clear on which side of blank lines that differ the lines that come belong, where those that go stand
    /// on one side of them: the first that comes has to be what the first that goes becomes if they differ in front, and
    /// the last likewise if they differ behind.
    fn keeps_to_its_side(&self, run: &[&[u8]], differ_above: bool, differ_below: bool) -> bool {
        let added = || self.added.iter().map(|(_, text)| *text).filter(|text| !is_blank(text));
        if run.is_empty() || added().next().is_none() || !differ_above && !differ_below {
            return true;
        }
        // A line that goes and comes again has moved past something, which can only be a blank line.
        let goes: HashSet<Cow<'_, [u8]>> = run.iter().map(|text| Form::Trailing.of(text)).collect();
        if added().any(|text| goes.contains(&Form::Trailing.of(text))) {
            return false;
        }
        let mut run: Vec<Cow<'_, [u8]>> = run.iter().map(|text| Form::FoldedTrimmed.of(text)).collect();
        let mut added: Vec<Cow<'_, [u8]>> = added().map(|text| Form::FoldedTrimmed.of(text)).collect();
        if differ_above && !is_continued(&run, &added) {
            return false;
        }
        added.reverse();
        run.reverse();
        !differ_below || is_continued(&run, &added)
    }

    /// Whether the file has fewer or more blank lines here; none if something hangs on them.
    fn differs(
        &self,
        (above, below): (Option<Edge>, Option<Edge>),
        differ_above: bool,
        is_diff: bool,
    ) -> Option<Ordering> {
        let goes = |edge: Option<Edge>| edge.is_some_and(|edge| edge.goes);
        let line = |edge: Option<Edge>| edge.and_then(|edge| edge.line);
        let blank = |added: Option<&(usize, &[u8])>| added.is_some_and(|(_, text)| is_blank(text));
        let there = match (line(above), line(below)) {
            (Some(above), Some(below)) => below.saturating_sub(above + 1),
            // At an edge the file may have more.
            _ => self.blanks - self.lacks,
        };
        let differs = there.cmp(&self.blanks);
        if goes(above) && differ_above && blank(self.added.first()) {
            return None;
        }
        if differs.is_eq() {
            return Some(differs);
        }
        if goes(above) && goes(below) {
            // Blank lines of which the text does not speak must not go with the others.
            return differs.is_lt().then_some(differs);
        }
        let (first, last) = (self.added.first(), self.added.last());
        // In the place of the line above, or of the one below.
        let replaces = goes(above) && self.added.iter().all(|(blanks, _)| *blanks == 0) && !blank(last)
            || goes(below) && self.added.iter().all(|(blanks, _)| *blanks == self.blanks) && !blank(first);
        let between = there == 0 && !blank(first) && !blank(last);
        // The text has more blank lines than the file, and all of them on one side of what comes. Which blank lines of two
        // texts are the kept ones is itself a guess.
        let on_one_side = self.added.iter().all(|(blanks, _)| *blanks == 0)
            || self.added.iter().all(|(blanks, _)| *blanks == self.blanks);
        let beside = there < self.blanks && on_one_side && (is_diff || !blank(first) && !blank(last));
        // A diff has what comes behind what goes, unless something stood between them.
        if is_diff && goes(below) && !self.added.is_empty() {
            return None;
        }
        let loses = self.loses && there > 0;
        let sure = !loses && (self.added.is_empty() || replaces || between || beside);
        sure.then_some(differs)
    }
}

/// Whether the first of the lines that come is what the first of those that go becomes: no other is more like it, and if
/// more come than go, it is like it indeed.
fn is_continued(run: &[Cow<'_, [u8]>], added: &[Cow<'_, [u8]>]) -> bool {
    let (Some(old), Some(new)) = (run.first(), added.first()) else { return true };
    let effort: usize = added.iter().map(|text| text.len().saturating_mul(old.len())).sum();
    if effort > PAIRING_CELLS {
        return false;
    }
    let likeness = ratio(old, new);
    let other = |text: &Cow<'_, [u8]>| {
        let other = ratio(old, text);
        other >= LEAST_ALIKE && other > likeness
    };
    (likeness >= LEAST_ALIKE || added.len() <= run.len()) && !added[1..].iter().any(other)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{hunk, made};
    use crate::diag::Code;

    #[test]
    fn lines_are_not_put_in_beside_blank_lines_that_differ() {
        let file = "a\n\nb\nc\n";
        let at = |before: &str, after: &str| made(file, &[hunk(before, after)]);
        assert_eq!(
            at("a\nb\n", "a\nx\nb\n"),
            Err(Code::SearchNotFound),
            "before the blank line or behind it?"
        );
        assert_eq!(at("a\nb\n", "x\nb\n"), Ok("x\n\nb\nc\n".into()), "in the place of a line");
        assert_eq!(at("a\nb\n", "a\nx\n"), Ok("a\n\nx\nc\n".into()));
        assert_eq!(at("a\nb\nc\n", "a\nb\nx\nc\n"), Ok("a\n\nb\nx\nc\n".into()), "not beside it");
        assert_eq!(at("a\nb\n", "x\n\nb\n"), Err(Code::SearchNotFound), "one blank line, or two?");
        assert_eq!(at("a\nb\nc\n", "a\n\nx\nc\n"), Err(Code::SearchNotFound));
        assert_eq!(at("a\nb\nc\n", "a\nc\nb\n"), Err(Code::SearchNotFound), "which line was moved?");
        let file = "use a;\n\n/// What it is.\nfn f() {}\n";
        let at = |before: &str, after: &str| made(file, &[hunk(before, after)]);
        assert_eq!(
            at("use a;\n/// What it is.\nfn f() {}\n", "use a;\nuse b;\n/// What it was.\nfn f() {}\n"),
            Err(Code::SearchNotFound),
            "the first of the new lines belongs before the blank line"
        );
        assert_eq!(
            at(
                "use a;\n/// What it is.\nfn f() {}\n",
                "use a;\n/// What it was.\n/// And more.\nfn f() {}\n"
            ),
            Ok("use a;\n\n/// What it was.\n/// And more.\nfn f() {}\n".into())
        );
    }

    #[test]
    fn lines_that_may_be_paired_otherwise_are_not_put_in_beyond_blank_lines_that_differ() {
        let file = "a\n\n}\nb\nc\n";
        let at = |before: &str, after: &str| made(file, &[hunk(before, after)]);
        let twice = at("a\n}\nb\n", "a\n}\nx\n}\nb\n");
        assert_eq!(twice, Err(Code::SearchNotFound), "which of the two brackets is new?");
        assert_eq!(at("a\n}\nb\nc\n", "a\n}\nb\nx\nc\n"), Ok("a\n\n}\nb\nx\nc\n".into()));
    }

    #[test]
    fn blank_lines_that_the_file_lacks_may_be_beside_new_lines_that_are_not_blank() {
        let file = "a\nb\nc\n";
        let at = |before: &str, after: &str| made(file, &[hunk(before, after)]);
        assert_eq!(at("a\n\nb\n", "a\n\nx\nb\n"), Ok("a\nx\nb\nc\n".into()));
        assert_eq!(at("a\n\nb\nc\n", "a\n\nb\nx\nc\n"), Ok("a\nb\nx\nc\n".into()));
        assert_eq!(at("a\n\nb\n", "a\n\nx\n\nb\n"), Err(Code::SearchNotFound));
        assert_eq!(at("a\n\nb\nc\n", "a\nb\nx\n"), Ok("a\nb\nx\n".into()), "there is none to remove");
        assert_eq!(at("a\n\nb\nc\n", "c\n"), Ok("c\n".into()), "lines that go take it with them");
    }
}
