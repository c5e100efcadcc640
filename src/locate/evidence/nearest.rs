//! Finds the closest match of a search text that has no match, as evidence for the refusal.

use super::compare::compare;
use super::surrounding::{beginning, excerpt};
use crate::diag::{Evidence, Excerpt, Nearest};
use crate::locate::bounds::Bounds;
use crate::locate::thresholds::{
    MAX_NEAREST_REGIONS, MIN_NEAREST_SIMILARITY, NEAREST_COMPARE_BUDGET, NEAREST_SEARCH_BUDGET, PROBED_LINES,
    PROBED_WORDS,
};
use crate::locate::tier::LOOSEST;
use crate::text::alike::{COMMON, beginnings, percent, ratio, ratio_steps, reach};
use crate::text::search::{Budget, Haystack, Solid};
use crate::text::{Content, difference_of, is_blank, words};
use similar::DiffOp;
use std::borrow::Cow;

/// Returns the closest match for these lines. It is in the region of the heading if there is only one region and that
/// has a similar place, else anywhere.
pub(super) fn evidence(hay: Haystack<'_>, before: &[&[u8]], bounds: &Bounds) -> Evidence {
    let content = hay.content();
    let file_lines = Some(content.line_count());
    let named = match bounds.regions.as_deref() {
        Some([one]) => nearest(hay.within(one.heading..one.last + before.len()), before).flatten(),
        _ => None,
    };
    match named.map_or_else(|| nearest(hay, before), |nearest| Some(Some(nearest))) {
        Some(Some(nearest)) => Evidence { nearest: Some(nearest), file_lines, ..Evidence::default() },
        Some(None) => beginning(content),
        None => Evidence { gave_up: true, ..beginning(content) },
    }
}

/// Returns the closest match. The outer `None` says that the search takes too long, the inner one that nothing is
/// similar.
fn nearest(hay: Haystack<'_>, before: &[&[u8]]) -> Option<Option<Nearest>> {
    let (content, budget) = (hay.content(), hay.budget());
    let wanted: Vec<SearchLine<'_>> = before
        .iter()
        .map(|line| SearchLine { text: LOOSEST.of(line), hash: LOOSEST.hash(line) })
        .filter(|wanted| !is_blank(&wanted.text))
        .collect();
    if wanted.is_empty() || content.is_empty() {
        return Some(None);
    }
    if !budget.spend_on_evidence(content.line_count() / 4) {
        return None;
    }
    // The searches have a budget of their own, so that evidence does not use up the budget for locating edits.
    let free = Budget::new(NEAREST_SEARCH_BUDGET, 0);
    let hay = hay.with_budget(&free);
    let file = hay.solid(LOOSEST);
    let hashes: Vec<u64> = wanted.iter().map(|wanted| wanted.hash).collect();
    let spots = file.spots(&hashes, COMMON);
    let mut starts =
        beginnings(hashes.iter().map(|hash| spots.get(hash).cloned().unwrap_or_default()).enumerate());
    if starts.is_empty() {
        if !budget.spend_on_evidence(content.line_count() * PROBED_LINES * 4) {
            return None;
        }
        starts = by_shared_words(&wanted, hay, &file);
    }
    starts.truncate(MAX_NEAREST_REGIONS);
    if !budget.spend_on_evidence(wanted.len() * starts.len()) {
        return None;
    }
    let mut steps = NEAREST_COMPARE_BUDGET;
    let rated: Vec<Rated> = starts.into_iter().map(|start| rate(&wanted, &file, start, &mut steps)).collect();
    budget.spend_on_evidence(NEAREST_COMPARE_BUDGET - steps);
    let best = rated.iter().reduce(|best, next| if next.share > best.share { next } else { best });
    let Some(best) = best.filter(|best| best.share >= MIN_NEAREST_SIMILARITY) else { return Some(None) };
    Some(Some(show(content, before, &file, best, budget)))
}

/// A line of the search text that is not blank.
struct SearchLine<'a> {
    text: Cow<'a, [u8]>,
    hash: u64,
}

/// A range of the non-blank lines of the file, with its similarity.
struct Rated {
    start: usize,
    end: usize,
    share: f64,
}

/// Returns where the closest match may begin, from the lines that have a long word of the longest lines of the search
/// text.
fn by_shared_words(wanted: &[SearchLine<'_>], hay: Haystack<'_>, file: &Solid<'_>) -> Vec<usize> {
    let mut probes: Vec<(usize, &SearchLine<'_>)> = wanted.iter().enumerate().collect();
    probes.sort_by_key(|(at, wanted)| (std::cmp::Reverse(wanted.text.len()), *at));
    let spots = probes.into_iter().take(PROBED_LINES).flat_map(|(at, wanted)| {
        let mut longest: Vec<&[u8]> = words(&wanted.text).collect();
        longest.sort_by_key(|word| std::cmp::Reverse(word.len()));
        if longest.len() < PROBED_WORDS {
            let (head, tail) = wanted.text.split_at(wanted.text.len() / 2);
            longest = vec![head, tail];
        }
        let lines = longest.into_iter().take(PROBED_WORDS).map(|word| hay.lines_with(word, false));
        let of_file = |lines: Vec<usize>| lines.into_iter().filter_map(|line| file.index(line)).collect();
        lines.map(|lines| (at, of_file(lines))).collect::<Vec<_>>()
    });
    beginnings(spots)
}

/// Rates the lines from `start` on. The file may have additional lines or lack some. Lines between equal ones are
/// compared by their position.
fn rate(wanted: &[SearchLine<'_>], file: &Solid<'_>, start: usize, steps: &mut usize) -> Rated {
    let old: Vec<u64> = wanted.iter().map(|wanted| wanted.hash).collect();
    // More lines than the search text has, because the file may have additional ones.
    let new = file.hashes_of(start..start + reach(wanted.len()));
    let cost = old.len().saturating_mul(new.len());
    let all = DiffOp::Replace { old_index: 0, old_len: old.len(), new_index: 0, new_len: new.len() };
    let operations = if cost > *steps { vec![all] } else { difference_of(&old, &new) };
    *steps = steps.saturating_sub(cost);
    let (mut sum, mut end) = (0.0, start + 1);
    for (old, new) in operations.iter().flat_map(|one| one.old_range().zip(one.new_range())) {
        let (text, index) = (&wanted[old].text, start + new);
        let real = LOOSEST.of(file.text(index));
        let cost = ratio_steps(text, &real);
        end = index + 1;
        if *text == real {
            sum += 1.0;
        } else if *steps >= cost {
            *steps -= cost;
            sum += ratio(text, &real);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 52 bits")]
    let share = sum / wanted.len() as f64;
    Rated { start, end, share }
}

fn show(content: &Content, before: &[&[u8]], file: &Solid<'_>, region: &Rated, budget: &Budget) -> Nearest {
    let first = file.line(region.start).unwrap_or(0);
    let end = region.end.checked_sub(1).and_then(|last| file.line(last)).map_or(first + 1, |last| last + 1);
    let lines: Vec<&[u8]> = content.lines(first..end).map(|line| line.text).collect();
    let rows = compare(before, &lines, budget);
    let similarity = percent(region.share);
    let Excerpt { line, lines } = excerpt(content, first..end);
    let nearest = Nearest { line, rows, lines, similarity };
    // If the lines differ only in whitespace, the similarity is less than 100%, too.
    let max_similarity = if nearest.first_differing_row().is_some() { 99 } else { 100 };
    Nearest { similarity: similarity.min(max_similarity), ..nearest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locate::bounds::Region;
    use crate::pattern::lines;

    fn nearest(file: &str, before: &str) -> Option<Nearest> {
        nearest_in(file, before, None)
    }

    /// In the region of the heading on this line, up to the last line at which a place may begin.
    fn nearest_in(file: &str, before: &str, block: Option<(usize, usize)>) -> Option<Nearest> {
        let (content, budget) = (Content::new(file.as_bytes()), Budget::default());
        let region = |(heading, last)| vec![Region { heading, outermost: heading, last, opens: true }];
        let bounds = Bounds { regions: block.map(region), ..Bounds::NONE };
        evidence(Haystack::new(&content, &budget), &lines(before), &bounds).nearest
    }

    #[test]
    fn the_region_of_a_heading_is_searched_first() {
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

    /// The first line that differs, and what the file has there.
    fn first(near: &Nearest) -> (Option<usize>, Option<&str>) {
        let row = near.rows[near.first_differing_row().unwrap()];
        (row.wanted, row.real.map(|at| near.lines[at].as_str()))
    }

    #[test]
    fn the_nearest_region_is_shown_with_its_first_difference() {
        let file = "fn a() {\n    one();\n    two();\n}\n\nfn b() {\n    three();\n    four();\n}\n";
        let near = nearest(file, "fn b() {\n    three(1);\n    four();\n}\n").unwrap();
        assert_eq!((near.line, near.lines.len()), (6, 4));
        assert_eq!(first(&near), (Some(1), Some("    three();")));
        assert!(near.similarity > 90 && near.similarity < 100, "{}", near.similarity);
    }

    #[test]
    fn additional_lines_of_the_file_do_not_hide_it() {
        let near =
            nearest("q\nfirst\nsecond\nnew\nthird\nfourth\nfifth\n", "first\nsecond\nthird\nfourth\nfifth\n")
                .unwrap();
        assert_eq!((near.line, near.similarity), (2, 99));
        assert_eq!(first(&near), (None, Some("new")));
        assert_eq!(near.lines.len(), 6);
    }

    #[test]
    fn a_text_without_an_equal_line_is_found_by_its_words() {
        let file = "alpha\nbeta\n    let total = compute_total(items);\nomega\n";
        let near = nearest(file, "let total = compute_sum(items);\n").unwrap();
        assert_eq!((near.line, first(&near).0), (3, Some(0)));
        assert_eq!(nearest(file, "something else altogether\n"), None);
    }

    #[test]
    fn a_region_that_ends_too_early_lacks_a_line() {
        let near = nearest("x\nfirst line\nsecond line\n", "first line\nsecond line\nthird line\n").unwrap();
        assert_eq!(first(&near), (Some(2), None));
    }

    #[test]
    fn without_budget_it_says_that_it_gave_up() {
        let content = Content::new(&b"some line\n".repeat(100));
        let budget = Budget::new(10, 10);
        assert!(evidence(Haystack::new(&content, &budget), &[b"other"], &Bounds::NONE).gave_up);
    }
}
