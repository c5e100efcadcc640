//! Finds the lines that two versions of a text both changed, and tells whether two changes are the same.

use crate::span::LineRange;
use crate::text::search::{Budget, Haystack};
use crate::text::{Content, Line, difference_of};
use crate::version::change::{self, LineChange};
use crate::version::lineage::Lineage;
use crate::version::merge::bring_over;
use similar::DiffTag;
use std::ops::Range;

/// The lines of `ours` that both sides changed since `base`, or that border on lines that `theirs` changed, as in `git
/// merge`; empty if the two do not conflict.
///
/// Lines that `ours` removed are reported as the line after them.
pub fn clash(base: &Content, ours: &Content, theirs: &Content) -> Vec<LineRange> {
    let mine = changes(base, ours);
    let other = changes(base, theirs);
    let mut found: Vec<LineRange> = Vec::new();
    // Both ascend, and the ranges of one do not overlap.
    let mut others = other.iter().map(|(range, _)| range).peekable();
    for (old, new) in &mine {
        while others.next_if(|range| range.end < old.start).is_some() {}
        if others.peek().is_some_and(|range| range.start <= old.end) {
            let first = (new.start + 1).min(ours.line_count().max(1));
            found.push(LineRange { first, last: new.end.max(first) });
        }
    }
    found
}

/// Returns whether the change from `before` to `after`, merged into `other` line by line, gives `other_after`.
///
/// The two old texts only need to have lines in common. If only `other` has lines at the place of an insertion, the
/// insertion may be before or after them.
pub fn is_same_change([before, after]: [&Content; 2], [other, other_after]: [&Content; 2]) -> bool {
    let budget = Budget::default();
    let lineage = Lineage::between(Haystack::new(before, &budget), Haystack::new(other, &budget));
    let made = changes(before, after)
        .into_iter()
        .map(|(old, new)| LineChange::new(old.start, old.end, change::bytes_of(after, new)));
    let Some(mut brought) = bring_over(before, other, &lineage, &made.collect::<Vec<_>>()) else {
        return false;
    };
    let gives = |changes: &[LineChange]| change::commit(other, changes, &mut lineage.clone()) == *other_after;
    if gives(&brought) {
        return true;
    }
    for change in brought.iter_mut().filter(|change| change.start == change.end) {
        let only_here = (0..change.start).rev().take_while(|line| lineage.origin(*line).is_none()).count();
        (change.start, change.end) = (change.start - only_here, change.end - only_here);
    }
    gives(&brought)
}

/// The changed ranges of lines, in the old text and in the new one.
fn changes(old: &Content, new: &Content) -> Vec<(Range<usize>, Range<usize>)> {
    // This skips chunks that the two texts share, which may be long.
    let (head, tail) = old.shared_lines(new);
    // git compares lines with their endings, too.
    let middle = |lines: usize| head..lines - tail;
    let old: Vec<Line<'_>> = old.lines(middle(old.line_count())).collect();
    let new: Vec<Line<'_>> = new.lines(middle(new.line_count())).collect();
    let here = |range: Range<usize>| range.start + head..range.end + head;
    difference_of(&old, &new)
        .iter()
        .filter(|operation| operation.tag() != DiffTag::Equal)
        .map(|operation| (here(operation.old_range()), here(operation.new_range())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clashes(base: &str, ours: &str, theirs: &str) -> Vec<(usize, usize)> {
        let content = |text: &str| Content::new(text.as_bytes());
        let found = clash(&content(base), &content(ours), &content(theirs));
        found.into_iter().map(|lines| (lines.first, lines.last)).collect()
    }

    #[test]
    fn lines_that_both_changed_clash() {
        let base = "1\n2\n3\n4\n5\n6\n7\n";
        assert_eq!(clashes(base, "1\nx\n3\n4\n5\n6\n7\n", "1\ny\n3\n4\n5\n6\n7\n"), [(2, 2)]);
        assert_eq!(clashes(base, "1\nx\n3\n4\n5\n6\nz\n", "1\ny\n3\n4\n5\n6\n7\n"), [(2, 2)]);
        assert_eq!(clashes(base, "1\nx\n3\n4\n5\n6\n7\n", "1\n2\n3\n4\n5\ny\n7\n"), []);
        assert_eq!(clashes(base, base, "x\n"), []);
    }

    #[test]
    fn lines_that_border_on_each_other_clash() {
        assert_eq!(clashes("1\n2\n3\n", "x\n2\n3\n", "1\ny\n3\n"), [(1, 1)]);
        assert_eq!(clashes("1\n2\n3\n", "0\n1\n2\n3\n", "1\n2\n3\n4\n"), []);
    }

    #[test]
    fn an_ending_is_part_of_its_line() {
        assert_eq!(clashes("1\n2\n3\n", "1\r\n2\r\n3\r\n", "1\nx\n3\n"), [(1, 3)]);
        assert_eq!(clashes("1\n2\n3\n", "1\n2\n3", "1\n2\nx\n"), [(3, 3)]);
    }

    #[test]
    fn removed_lines_are_the_line_behind_them() {
        assert_eq!(clashes("1\n2\n3\n", "1\n3\n", "1\nx\n3\n"), [(2, 2)]);
        assert_eq!(clashes("1\n", "", "x\n"), [(1, 1)]);
    }
}
