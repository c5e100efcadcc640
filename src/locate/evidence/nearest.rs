//! What a refusal shows of the file when a text is nowhere in it: the region most like it.

use super::compare::compare;
use super::surrounding::{beginning, excerpt};
use crate::diag::{Elsewhere, Evidence, Nearest, Row, RowKind};
use crate::locate::pointer::Pointers;
use crate::locate::thresholds::{
    ELSEWHERE, NEAREST_LEAST, NEAREST_REGIONS, NEAREST_STEPS, PROBES, SHOWN_CONTEXT, SHOWN_LINES,
    WORDS_PROBED,
};
use crate::pattern::Pattern;
use crate::text::alike::{COMMON, beginnings, percent, ratio, ratio_steps, reach};
use crate::text::search::{Budget, Haystack, Solid};
use crate::text::{Content, Normalization, difference_of, is_blank, words};
use similar::DiffOp;
use std::borrow::Cow;
use std::collections::HashSet;

const FORM: Normalization = Normalization::FoldedTrimmed;

/// Whether all lines that a hunk adds stand in the region, and one of them says something.
pub(super) fn has_what_is_added(nearest: &Nearest, pattern: &Pattern<'_>) -> bool {
    let there: HashSet<u64> = nearest.lines.iter().map(|line| FORM.hash(line.as_bytes())).collect();
    // What only changes its place was there before, too.
    let goes: HashSet<u64> = pattern.removed().map(|text| FORM.hash(text)).collect();
    pattern.added().any(|text| text.iter().any(u8::is_ascii_alphanumeric) && !goes.contains(&FORM.hash(text)))
        && pattern.added().all(|text| there.contains(&FORM.hash(text)))
}

/// What a file has that is like some lines: in the one region that is named, if there is something in it, else anywhere.
pub(super) fn evidence(hay: Haystack<'_>, before: &[&[u8]], pointers: &Pointers) -> Evidence {
    let content = hay.content();
    let file_lines = Some(content.line_count());
    let named = match pointers.regions.as_deref() {
        Some([one]) => nearest(hay.within(one.heading..one.last + before.len()), before).ok().flatten(),
        _ => None,
    };
    match named.map_or_else(|| nearest(hay, before), |nearest| Ok(Some(nearest))) {
        Ok(Some(nearest)) => Evidence { nearest: Some(nearest), file_lines, ..Evidence::default() },
        Ok(None) => beginning(content),
        Err(GaveUp) => Evidence { gave_up: true, ..beginning(content) },
    }
}

/// It would take too long.
struct GaveUp;

/// The region most like some lines, of those that are searched.
fn nearest(hay: Haystack<'_>, before: &[&[u8]]) -> Result<Option<Nearest>, GaveUp> {
    let (content, budget) = (hay.content(), hay.budget());
    let wanted: Vec<Wanted<'_>> = before
        .iter()
        .map(|line| Wanted { text: FORM.of(line), hash: FORM.hash(line) })
        .filter(|wanted| !is_blank(&wanted.text))
        .collect();
    if wanted.is_empty() || content.is_empty() {
        return Ok(None);
    }
    if !budget.spend_on_evidence(content.line_count() / 4) {
        return Err(GaveUp);
    }
    // What evidence costs is counted apart from searching.
    let free = Budget::new(u64::MAX, 0);
    let hay = hay.with_budget(&free);
    let file = hay.solid(FORM);
    let hashes: Vec<u64> = wanted.iter().map(|wanted| wanted.hash).collect();
    let spots = file.spots(&hashes, COMMON);
    let mut starts =
        beginnings(hashes.iter().map(|hash| spots.get(hash).cloned().unwrap_or_default()).enumerate());
    if starts.is_empty() {
        if !budget.spend_on_evidence(content.line_count() * PROBES * 4) {
            return Err(GaveUp);
        }
        starts = by_like_lines(&wanted, hay, &file);
    }
    starts.truncate(NEAREST_REGIONS);
    if !budget.spend_on_evidence(wanted.len() * starts.len()) {
        return Err(GaveUp);
    }
    let mut steps = NEAREST_STEPS;
    let regions: Vec<Region> =
        starts.into_iter().map(|start| region(&wanted, &file, start, &mut steps)).collect();
    budget.spend_on_evidence(NEAREST_STEPS - steps);
    let best = regions.iter().reduce(|best, next| if next.share > best.share { next } else { best });
    let Some(best) = best.filter(|best| best.share >= NEAREST_LEAST) else { return Ok(None) };
    // Of several that are as much alike none is better than the others.
    let apart = |one: &&Region| one.start >= best.end || one.end <= best.start;
    let equal = regions.iter().filter(|one| one.share >= best.share - f64::EPSILON).filter(apart);
    let mut also: Vec<usize> = equal.filter_map(|one| file.line(one.start)).map(|line| line + 1).collect();
    also.sort_unstable();
    also.dedup();
    also.truncate(ELSEWHERE);
    Ok(Some(Nearest { also, ..show(content, before, &file, best, budget) }))
}

/// A line to find that is not blank.
struct Wanted<'a> {
    text: Cow<'a, [u8]>,
    hash: u64,
}

/// Lines of the file, counted without blank ones, and how much of the text they are.
struct Region {
    start: usize,
    end: usize,
    share: f64,
}

/// Where the text may begin, by lines of the file that have a word of its longest lines.
fn by_like_lines(wanted: &[Wanted<'_>], hay: Haystack<'_>, file: &Solid<'_>) -> Vec<usize> {
    let mut probes: Vec<(usize, &Wanted<'_>)> = wanted.iter().enumerate().collect();
    probes.sort_by_key(|(at, wanted)| (std::cmp::Reverse(wanted.text.len()), *at));
    probes.truncate(PROBES);
    let spots = probes.into_iter().flat_map(|(at, wanted)| {
        let mut longest: Vec<&[u8]> = words(&wanted.text).collect();
        longest.sort_by_key(|word| std::cmp::Reverse(word.len()));
        longest.truncate(WORDS_PROBED);
        if longest.len() < WORDS_PROBED {
            let (head, tail) = wanted.text.split_at(wanted.text.len() / 2);
            longest = vec![head, tail];
        }
        let lines = longest.into_iter().map(|word| hay.lines_with(word, false));
        lines
            .map(|lines| (at, lines.into_iter().filter_map(|line| file.index(line)).collect()))
            .collect::<Vec<_>>()
    });
    beginnings(spots)
}

/// How much of the text stands from a line on: line by line, or with lines put in or left out, whichever is more.
fn region(wanted: &[Wanted<'_>], file: &Solid<'_>, start: usize, steps: &mut usize) -> Region {
    let end = (start + wanted.len()).min(file.len());
    let mut sum = 0.0;
    for (wanted, index) in wanted.iter().zip(start..end) {
        let text = FORM.of(file.text(index));
        let cost = ratio_steps(&wanted.text, &text);
        if wanted.text == text {
            sum += 1.0;
        } else if *steps >= cost {
            *steps -= cost;
            sum += ratio(&wanted.text, &text);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 52 bits")]
    let of_all = |share: f64| share / wanted.len() as f64;
    let in_place = Region { start, end, share: of_all(sum) };
    // Some more lines, for those that the file has in between.
    let old: Vec<u64> = wanted.iter().map(|wanted| wanted.hash).collect();
    let new = file.hashes_of(start..start + reach(wanted.len()));
    if old.len().saturating_mul(new.len()) > *steps {
        return in_place;
    }
    *steps -= old.len() * new.len();
    let (mut equal, mut last) = (0.0, start);
    for op in difference_of(&old, &new) {
        if let DiffOp::Equal { new_index, len, .. } = op {
            equal += f64::from(u32::try_from(len).unwrap_or(u32::MAX));
            last = start + new_index + len;
        }
    }
    let shifted = Region { start, end: last.max(start + 1).min(file.len()), share: of_all(equal) };
    if shifted.share > in_place.share { shifted } else { in_place }
}

fn show(content: &Content, before: &[&[u8]], file: &Solid<'_>, region: &Region, budget: &Budget) -> Nearest {
    let first = file.line(region.start).unwrap_or(0);
    let end = region.end.checked_sub(1).and_then(|last| file.line(last)).map_or(first + 1, |last| last + 1);
    let lines: Vec<&[u8]> = content.lines(first..end).map(|line| line.text).collect();
    let shown = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
    let rows = compare(before, &lines, budget);
    let first_difference = first_difference(&rows);
    let differs = first_difference.is_some();
    let elsewhere = elsewhere(before, &rows, file, first..end, budget);
    let around = elsewhere.first().map(|found| {
        let index = found.line.saturating_sub(1);
        excerpt(content, index.saturating_sub(2 * SHOWN_CONTEXT)..index + 2 * SHOWN_CONTEXT + 1)
    });
    Nearest {
        line: first + 1,
        rows,
        elsewhere,
        around,
        also: Vec::new(),
        lines: lines.iter().map(|line| shown(line)).collect(),
        // What differs in blanks alone is not all of it.
        similarity: percent(region.share).min(if differs { 99 } else { 100 }),
        first_difference: first_difference.map(|(index, line)| (index, line.map(|line| shown(lines[line])))),
    }
}

/// Where lines that are not in the region stand, if it is once: so one sees that the text may belong there.
fn elsewhere(
    before: &[&[u8]],
    rows: &[Row],
    file: &Solid<'_>,
    region: std::ops::Range<usize>,
    budget: &Budget,
) -> Vec<Elsewhere> {
    let says_something =
        |text: &[u8]| text.iter().filter(|b| b.is_ascii_alphanumeric() || !b.is_ascii()).count() > 2;
    let lost = rows.iter().filter(|row| matches!(row.kind, RowKind::Missing | RowKind::Differs));
    let lost: Vec<(usize, u64)> = lost
        .filter_map(|row| {
            let text = before.get(row.wanted?)?;
            says_something(text).then(|| (row.wanted.unwrap_or(0), FORM.hash(text)))
        })
        .take(SHOWN_LINES)
        .collect();
    if lost.is_empty() || !budget.spend_on_evidence(file.len()) {
        return Vec::new();
    }
    let found = file.spots(&lost.iter().map(|&(_, hash)| hash).collect::<Vec<u64>>(), 1);
    let once = |&(wanted, hash): &(usize, u64)| match found.get(&hash)?.as_slice() {
        [index] => {
            let line = file.line(*index)?;
            (!region.contains(&line)).then_some(Elsewhere { wanted, line: line + 1 })
        }
        _ => None,
    };
    lost.iter().filter_map(once).take(ELSEWHERE).collect()
}

/// The first line to find that is not the file's line beside it, and that line: what differs to the eye goes before what
/// differs in blanks alone.
fn first_difference(rows: &[Row]) -> Option<(usize, Option<usize>)> {
    let is_alike = |row: &Row| matches!(row.kind, RowKind::Same | RowKind::Alike);
    let differs = |row: &Row| {
        row.kind != RowKind::Same && (!is_alike(row) || row.wanted.is_some() && row.real.is_some())
    };
    let at = rows.iter().position(|row| !is_alike(row)).or_else(|| rows.iter().position(differs))?;
    let behind = &rows[at..];
    let wanted = behind.iter().find_map(|row| row.wanted)?;
    Some((wanted, behind.iter().find_map(|row| row.real)))
}

#[cfg(test)]
mod tests {
    use super::super::{HELP_ADDED, HELP_COPY, nowhere};
    use super::*;
    use crate::locate::pointer::Region;
    use crate::pattern::lines;

    fn nearest(file: &str, before: &str) -> Option<Nearest> {
        nearest_in(file, before, None)
    }

    /// Within the block that a heading on a line opens, which a place may begin up to another one of.
    fn nearest_in(file: &str, before: &str, block: Option<(usize, usize)>) -> Option<Nearest> {
        let (content, budget) = (Content::new(file.as_bytes()), Budget::default());
        let region = |(heading, last)| vec![Region { heading, outermost: heading, last, opens: true }];
        let pointers = Pointers { regions: block.map(region), ..Pointers::default() };
        evidence(Haystack::new(&content, &budget), &lines(before), &pointers).nearest
    }

    #[test]
    fn what_a_heading_names_goes_first() {
        let file =
            ".btn {\n  padding: 4px 8px;\n  color: black;\n}\n.card {\n  padding: 2px;\n  color: black;\n}\n";
        let before = "  padding: 4px 8px;\n  color: blue;\n";
        assert_eq!(nearest(file, before).unwrap().line, 2);
        assert_eq!(nearest_in(file, before, Some((4, 7))).unwrap().line, 6);
        assert_eq!(
            nearest_in(file, "  color: black;\n", Some((7, 7))).unwrap().line,
            3,
            "nothing is like it there"
        );
    }

    #[test]
    fn the_nearest_region_is_shown_with_its_first_difference() {
        let file = "fn a() {\n    one();\n    two();\n}\n\nfn b() {\n    three();\n    four();\n}\n";
        let near = nearest(file, "fn b() {\n    three(1);\n    four();\n}\n").unwrap();
        assert_eq!((near.line, near.lines.len()), (6, 4));
        assert_eq!(near.first_difference, Some((1, Some("    three();".into()))));
        assert!(near.similarity > 90 && near.similarity < 100, "{}", near.similarity);
    }

    #[test]
    fn lines_that_the_file_has_in_between_do_not_hide_it() {
        let near =
            nearest("q\nfirst\nsecond\nnew\nthird\nfourth\nfifth\n", "first\nsecond\nthird\nfourth\nfifth\n")
                .unwrap();
        assert_eq!((near.line, near.similarity), (2, 99));
        assert_eq!(near.first_difference, Some((2, Some("new".into()))));
        assert_eq!(near.lines.len(), 6);
    }

    #[test]
    fn a_text_of_which_no_line_is_there_is_found_by_its_letters() {
        let file = "alpha\nbeta\n    let total = compute_total(items);\nomega\n";
        let near = nearest(file, "let total = compute_sum(items);\n").unwrap();
        assert_eq!((near.line, near.first_difference.as_ref().unwrap().0), (3, 0));
        assert_eq!(nearest(file, "something else altogether\n"), None);
    }

    #[test]
    fn lines_that_stand_elsewhere_are_named() {
        let method = "    def total():\n        total = 0\n        for item in items:\n            total += item\n        return total\n";
        let file = format!(
            "class A:\n    def total():\n        return sum(items)\n    def receipt():\n        pass\nclass B:\n{method}"
        );
        let near = nearest(&file, &format!("{method}    def receipt():\n")).unwrap();
        assert_eq!((near.line, near.elsewhere), (7, vec![Elsewhere { wanted: 5, line: 4 }]));
        let around = near.around.unwrap();
        assert_eq!((around.line, around.lines[3].as_str()), (1, "    def receipt():"));
    }

    #[test]
    fn regions_that_are_as_much_alike_are_named() {
        let block = "fn f() {\n    one();\n    two();\n}\n";
        let near = nearest(&format!("{block}\n{block}"), "fn f() {\n    one();\n    three();\n}\n").unwrap();
        assert_eq!((near.line, near.also), (1, vec![6]));
        let near = nearest(block, "fn f() {\n    one();\n    three();\n}\n").unwrap();
        assert_eq!(near.also, Vec::<usize>::new());
    }

    #[test]
    fn what_is_added_already_is_said() {
        let content = Content::new(b"one\ntwo\nbrought();\nthree\n");
        let help = |after: &str| {
            let pattern = Pattern::of_texts("one\ntwo\nfour\n", after, crate::edit::Unit::Lines);
            nowhere(Haystack::new(&content, &Budget::default()), &pattern, &Pointers::NONE).help
        };
        // The nearest region has to hold it.
        assert_eq!(help("one\ntwo\nbrought();\nfour\n").as_deref(), Some(HELP_ADDED));
        assert_eq!(help("one\ntwo\nother();\nfour\n").as_deref(), Some(HELP_COPY));
    }

    #[test]
    fn a_region_that_ends_too_early_lacks_a_line() {
        let near = nearest("x\nfirst line\nsecond line\n", "first line\nsecond line\nthird line\n").unwrap();
        assert_eq!(near.first_difference, Some((2, None)));
    }

    #[test]
    fn without_budget_it_says_that_it_gave_up() {
        let content = Content::new(&b"some line\n".repeat(100));
        let budget = Budget::new(10, 10);
        assert!(evidence(Haystack::new(&content, &budget), &[b"other"], &Pointers::NONE).gave_up);
    }
}
