//! Merges a change to one version of a file into another: a three-way merge, line by line.

use crate::text::{Content, depth, is_blank};
use crate::version::change::{LineChange, spliced};
use crate::version::lineage::Lineage;

/// Returns the changes to `base` as changes to `ours`, without those that `ours` already has; `None` if both changed
/// the same lines in different ways. `lineage` leads from `base` to `ours`.
///
/// Unlike in diff3, a change next to a change of `ours` is no conflict, because each side's replaced lines are known
/// exactly. If both insert lines at one place, those of `ours` come first, because insertions of one response keep
/// their order. An insertion next to lines that `ours` replaced by more or fewer lines is a conflict. So is a
/// replacement that also adds a line which `ours` inserted right beside the replaced lines: it may be the same line.
pub(crate) fn bring_over(
    base: &Content,
    ours: &Content,
    lineage: &Lineage,
    changes: &[LineChange],
) -> Option<Vec<LineChange>> {
    let mut brought = Vec::with_capacity(changes.len());
    for change in changes {
        let LineChange { start, end, .. } = *change;
        if end == base.line_count() && base.ends_with_newline() != ours.ends_with_newline() {
            return None;
        }
        let place =
            if start == end { insertion(ours, lineage, change) } else { unchanged(lineage, start, end) };
        // If ours inserted lines at the same place, they may be the same ones.
        let is_right_behind = place.is_some_and(|place| lineage.behind(start) == Some(place.0));
        let may_be_made = place.is_none() || start == end && !is_right_behind;
        if may_be_made && is_made(base, ours, lineage, change) {
            continue;
        }
        let (start, end) = place.filter(|&place| !repeats_insertion(ours, lineage, place, change))?;
        brought.push(LineChange { start, end, ..change.clone() });
    }
    Some(brought)
}

/// Returns where the lines `start..end` of the base are in ours, if they are unchanged and still consecutive.
fn unchanged(lineage: &Lineage, start: usize, end: usize) -> Option<(usize, usize)> {
    let first = lineage.of(start)?;
    let is_consecutive = (start..end).all(|line| lineage.of(line) == Some(first + line - start));
    is_consecutive.then_some((first, first + end - start))
}

/// Returns where an insertion into the base goes in ours.
fn insertion(ours: &Content, lineage: &Lineage, change: &LineChange) -> Option<(usize, usize)> {
    let at = change.start;
    let inserted = |behind: usize, front: usize| ours.lines(behind..front).map(|line| line.text);
    let mut added = change.bytes.split(|byte| *byte == b'\n').filter(|line| !is_blank(line));
    let first = added.next().unwrap_or_default();
    let place = match (lineage.behind(at), lineage.of(at)) {
        (Some(behind), Some(front))
            if behind <= front && !change.leads && !goes_behind(inserted(behind, front), first) =>
        {
            Some(behind)
        }
        (Some(_), Some(front)) => Some(front),
        (None, Some(front)) => {
            let (start, ours) = gap_before(lineage, at);
            (at - start == front - ours).then_some(front)
        }
        (Some(behind), None) => {
            let (end, ours) = gap_after(lineage, at);
            (end - at == ours - behind).then_some(behind)
        }
        (None, None) => None,
    };
    place.map(|place| (place, place))
}

/// Returns whether an added line goes after the lines that were inserted at the same place. It goes before them if one
/// of them is indented less, because that one begins another block.
pub(crate) fn goes_behind<'a>(mut inserted: impl Iterator<Item = &'a [u8]>, added: &[u8]) -> bool {
    inserted.all(|line| is_blank(line) || depth(line) >= depth(added))
}

/// Returns the start of the changed lines right above a line, in the base and in ours.
fn gap_before(lineage: &Lineage, line: usize) -> (usize, usize) {
    let start = (0..line).rev().find(|&line| lineage.of(line).is_some()).map_or(0, |line| line + 1);
    (start, lineage.behind(start).unwrap_or(0))
}

/// Returns the end of the changed lines that begin at a line, in the base and in ours.
fn gap_after(lineage: &Lineage, line: usize) -> (usize, usize) {
    let end = lineage.base_lines();
    (line..=end).find_map(|line| Some((line, lineage.of(line)?))).unwrap_or((end, end))
}

/// Returns whether a replacement of the lines at a place in ours begins with the first line that ours inserted right above
/// them, or ends with the last line that it inserted right below them. Lines without words do not count.
fn repeats_insertion(ours: &Content, lineage: &Lineage, place: (usize, usize), change: &LineChange) -> bool {
    let (start, end) = place;
    let is_inserted = |line: &usize| lineage.origin(*line).is_none();
    let above = (0..start).rev().take_while(is_inserted).last();
    let below = (end..ours.line_count()).take_while(is_inserted).last();
    let mut added = change.bytes.split(|byte| *byte == b'\n').filter(|line| !is_blank(line));
    let (first, last) = (added.next(), added.next_back());
    let is_same = |line: Option<usize>, added: Option<&[u8]>| {
        let inserted = line.and_then(|line| ours.lines(line..line + 1).next());
        inserted.zip(added).is_some_and(|(inserted, added)| {
            inserted.text.trim_ascii_end() == added.trim_ascii_end()
                && added.iter().any(u8::is_ascii_alphanumeric)
        })
    };
    start < end && (is_same(above, first) || is_same(below, last.or(first)))
}

/// Returns whether ours already has a change: between the nearest unchanged lines, it is equal to the base with the
/// change.
fn is_made(base: &Content, ours: &Content, lineage: &Lineage, change: &LineChange) -> bool {
    let (start, ours_start) = gap_before(lineage, change.start);
    let (end, ours_end) = gap_after(lineage, change.end);
    let wanted = spliced(base, start, end, std::slice::from_ref(change));
    wanted == spliced(ours, ours_start, ours_end, &[])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::version::change::commit;

    type Change<'a> = (usize, usize, &'a str);

    /// The base with one change made, and another that was written against the base brought over.
    fn merged(base: &str, made: Change<'_>, change: Change<'_>) -> Option<String> {
        let base = Content::new(base.as_bytes());
        let of = |(start, end, text): Change<'_>| LineChange::new(start, end, text.into());
        let mut lineage = Lineage::new(base.line_count());
        let ours = commit(&base, &[of(made)], &mut lineage);
        let changes = bring_over(&base, &ours, &lineage, &[of(change)])?;
        Some(String::from_utf8(commit(&ours, &changes, &mut lineage).to_bytes()).unwrap())
    }

    const BASE: &str = "1\n2\n3\n";

    #[test]
    fn a_change_elsewhere_is_brought_over() {
        assert_eq!(merged(BASE, (0, 0, "0\n"), (1, 2, "x\n")).as_deref(), Some("0\n1\nx\n3\n"));
        assert_eq!(merged(BASE, (2, 3, "4\n"), (1, 1, "x\n")).as_deref(), Some("1\nx\n2\n4\n"));
        assert_eq!(merged("1\n2\n", (0, 1, ""), (2, 2, "x\n")).as_deref(), Some("2\nx\n"));
    }

    #[test]
    fn a_line_is_told_from_its_copy() {
        assert_eq!(merged("1\n2\n", (0, 0, "1\n2\n"), (1, 2, "x\n")).as_deref(), Some("1\n2\n1\nx\n"));
        assert_eq!(merged("1\n2\n", (2, 2, "1\n2\n"), (1, 2, "x\n")).as_deref(), Some("1\nx\n1\n2\n"));
    }

    #[test]
    fn a_change_of_the_line_beside_is_no_conflict() {
        assert_eq!(merged(BASE, (1, 2, "q\n"), (2, 3, "x\n")).as_deref(), Some("1\nq\nx\n"));
        assert_eq!(merged(BASE, (1, 2, "q\n"), (2, 2, "x\n")).as_deref(), Some("1\nq\nx\n3\n"));
        assert_eq!(merged(BASE, (1, 2, "q\n"), (1, 1, "x\n")).as_deref(), Some("1\nx\nq\n3\n"));
    }

    #[test]
    fn a_replacement_that_repeats_an_insertion_beside_it_is_a_conflict() {
        assert_eq!(merged(BASE, (2, 2, "log 2\n"), (1, 2, "x\nlog 2\n")), None);
        assert_eq!(merged(BASE, (1, 1, "log 2\n"), (1, 2, "log 2\nx\n")), None);
        assert_eq!(merged(BASE, (2, 2, "}\n"), (1, 2, "x\n}\n")).as_deref(), Some("1\nx\n}\n}\n3\n"));
        assert_eq!(merged(BASE, (2, 2, "log\n"), (1, 2, "x\ny\n")).as_deref(), Some("1\nx\ny\nlog\n3\n"));
    }

    #[test]
    fn different_changes_of_the_same_lines_are_a_conflict() {
        assert_eq!(merged(BASE, (1, 2, "q\n"), (1, 2, "x\n")), None);
        assert_eq!(merged(BASE, (1, 2, ""), (1, 2, "x\n")), None, "removed there");
        assert_eq!(merged(BASE, (1, 2, ""), (2, 2, "x\n")), None, "the line it follows is gone");
        assert_eq!(merged(BASE, (1, 2, "q\nr\n"), (2, 2, "x\n")), None, "the line it follows has become two");
        assert_eq!(merged(BASE, (2, 2, "q\n"), (1, 3, "x\n")), None, "a line came between");
        assert_eq!(merged("1\n2", (2, 2, "\n3\n"), (2, 2, "\nx\n")), None, "the end changed");
    }

    #[test]
    fn insertions_at_one_spot_keep_their_order() {
        assert_eq!(merged("1\n2\n", (1, 1, "q\n"), (1, 1, "x\n")).as_deref(), Some("1\nq\nx\n2\n"));
    }

    #[test]
    fn the_same_change_on_both_sides_is_made_once() {
        assert_eq!(merged(BASE, (1, 2, "x\n"), (1, 2, "x\n")).as_deref(), Some("1\nx\n3\n"));
        assert_eq!(merged("1\n2\n", (1, 1, "x\n"), (1, 1, "x\n")).as_deref(), Some("1\nx\n2\n"));
        assert_eq!(merged(BASE, (1, 2, ""), (1, 2, "")).as_deref(), Some("1\n3\n"));
    }
}
