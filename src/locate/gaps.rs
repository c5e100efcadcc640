//! Blank lines that a before-text has otherwise than the file: whether it is clear all the same where lines go and come.

use super::Refusal;
use super::found::Fit;
use super::pattern::{End, Pattern, Step};
use crate::text::Form;
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
    // Whether blank lines differ in front of the lines that go, up to here.
    let mut differ_above = false;
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
        let Some(differ) = gap.differs((above, Some(below)), differ_above, is_diff) else { return false };
        more |= differ.is_gt();
        // In front of a run of lines that go: a gap inside of it goes with them.
        let in_run = goes && above.is_some_and(|above| above.goes);
        differ_above = differ.is_ne() || in_run && differ_above;
        above = Some(below);
    }
    let Some(differ) = gap.differs((above, None), differ_above, is_diff) else { return false };
    is_diff || !(more || differ.is_gt()) || !moves_lines(pattern)
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
        let loses = self.loses && there > 0;
        let sure = !loses && (self.added.is_empty() || replaces || between || beside);
        sure.then_some(differs)
    }
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
