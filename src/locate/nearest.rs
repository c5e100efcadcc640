//! What a refusal shows of the file when a text is nowhere in it: the region most like it.

use super::Refusal;
use super::effort::Effort;
use super::pattern::Pattern;
use super::similar::{Lines, percent, ratio, ratio_steps};
use super::thresholds::{COMMON, NEAREST_LEAST, NEAREST_REGIONS, NEAREST_STEPS, PROBES};
use crate::diag::{Code, Evidence, Nearest};
use crate::text::{Content, Form};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::borrow::Cow;
use std::collections::HashMap;

const FORM: Form = Form::FoldedTrimmed;

/// So many candidates are kept at a time.
const SCORED: usize = 1024;

/// The refusal of a text that is nowhere.
pub(super) fn nowhere(content: &Content, pattern: &Pattern<'_>, effort: &Effort) -> Box<Refusal> {
    if effort.is_spent() {
        return Refusal::new(Code::Limit, "the response asks for too many searches")
            .with_help("apply it in parts, or copy the lines to find from the files as they are");
    }
    let message =
        if content.is_empty() { "the file is empty" } else { "the text to find is nowhere in the file" };
    Refusal::new(Code::SearchNotFound, message)
        .with_help("copy the lines to find from the file as it is")
        .with_evidence(evidence(content, &pattern.before, effort))
}

/// The region most like some lines.
fn evidence(content: &Content, before: &[&[u8]], effort: &Effort) -> Evidence {
    let wanted: Vec<Wanted<'_>> = before
        .iter()
        .map(|line| Wanted { text: FORM.of(line), hash: FORM.hash(line) })
        .filter(|wanted| !wanted.text.is_empty())
        .collect();
    let gave_up = Evidence { gave_up: true, ..Evidence::default() };
    if wanted.is_empty() || content.is_empty() {
        return Evidence::default();
    }
    if !effort.spend_on_evidence(content.line_count() / 4) {
        return gave_up;
    }
    let file = Lines::new(content);
    let mut starts = by_equal_lines(&wanted, &file);
    if starts.is_empty() {
        if !effort.spend_on_evidence(content.line_count() * PROBES * 4) {
            return gave_up;
        }
        starts = by_like_lines(&wanted, &file);
    }
    if !effort.spend_on_evidence(wanted.len() * starts.len()) {
        return gave_up;
    }
    let mut budget = NEAREST_STEPS;
    let regions = starts.into_iter().map(|start| region(&wanted, &file, start, &mut budget));
    let best = regions.reduce(|best, next| if next.share > best.share { next } else { best });
    effort.spend_on_evidence(NEAREST_STEPS - budget);
    let nearest =
        best.filter(|best| best.share >= NEAREST_LEAST).map(|best| show(content, before, &file, &best));
    Evidence { nearest, ..Evidence::default() }
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

/// Where the text may begin, by the lines of it that the file has: rare ones weigh more.
fn by_equal_lines(wanted: &[Wanted<'_>], file: &Lines<'_>) -> Vec<usize> {
    let mut spots: HashMap<u64, Vec<usize>> = wanted.iter().map(|wanted| (wanted.hash, Vec::new())).collect();
    let mut table = [false; 4096];
    let slot = |hash: u64| usize::try_from(hash & 4095).unwrap_or(0);
    wanted.iter().for_each(|wanted| table[slot(wanted.hash)] = true);
    for (index, &hash) in file.hashes.iter().enumerate() {
        if table[slot(hash)]
            && let Some(spots) = spots.get_mut(&hash)
        {
            spots.push(index);
        }
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (at, wanted) in wanted.iter().enumerate() {
        let spots = spots.get(&wanted.hash).map_or(&[][..], Vec::as_slice);
        if spots.len() <= COMMON {
            for spot in spots {
                *votes.entry(spot.saturating_sub(at)).or_default() += COMMON / spots.len();
            }
        }
    }
    let mut starts: Vec<(usize, usize)> = votes.into_iter().collect();
    starts.sort_unstable_by_key(|&(start, votes)| (std::cmp::Reverse(votes), start));
    starts.into_iter().map(|(start, _)| start).take(NEAREST_REGIONS).collect()
}

/// Where the text may begin, by lines of the file that share pairs of letters with its longest lines.
fn by_like_lines(wanted: &[Wanted<'_>], file: &Lines<'_>) -> Vec<usize> {
    let mut probes: Vec<(usize, &Wanted<'_>)> = wanted.iter().enumerate().collect();
    probes.sort_by_key(|(at, wanted)| (std::cmp::Reverse(wanted.text.len()), *at));
    probes.truncate(PROBES);
    let mut scored: Vec<(u32, usize)> = Vec::new();
    let masks: Vec<(usize, u128)> =
        probes.iter().map(|(at, wanted)| (*at, letter_pairs(&wanted.text))).collect();
    for index in 0..file.lines.len() {
        let Some(text) = file.text(index) else { continue };
        let pairs = letter_pairs(text);
        for (at, probe) in &masks {
            let (common, all) = ((pairs & probe).count_ones(), (pairs | probe).count_ones());
            if common * 3 > all {
                scored.push((common * 1000 / all.max(1), index.saturating_sub(*at)));
            }
        }
        if scored.len() > SCORED {
            keep_best(&mut scored, SCORED / 4);
        }
    }
    keep_best(&mut scored, SCORED);
    let mut starts: Vec<usize> = Vec::new();
    for (_, start) in scored {
        if !starts.contains(&start) {
            starts.push(start);
        }
        if starts.len() == NEAREST_REGIONS {
            break;
        }
    }
    starts
}

fn keep_best(scored: &mut Vec<(u32, usize)>, count: usize) {
    scored.sort_unstable_by_key(|&(score, start)| (std::cmp::Reverse(score), start));
    scored.truncate(count);
}

/// Which pairs of neighbouring letters a text has, up to chance.
fn letter_pairs(text: &[u8]) -> u128 {
    let bit = |pair: &[u8]| (u32::from(pair[0]) * 31 + u32::from(pair[1])) % 128;
    text.windows(2)
        .filter(|pair| pair[0] > b' ' && pair[1] > b' ')
        .fold(0, |pairs, pair| pairs | 1 << bit(pair))
}

/// How much of the text stands from a line on: line by line, or with lines put in or left out, whichever is more.
fn region(wanted: &[Wanted<'_>], file: &Lines<'_>, start: usize, budget: &mut usize) -> Region {
    let end = (start + wanted.len()).min(file.lines.len());
    let mut sum = 0.0;
    for (wanted, index) in wanted.iter().zip(start..end) {
        let Some(text) = file.text(index) else { continue };
        let text = FORM.of(text);
        let steps = ratio_steps(&wanted.text, &text);
        if wanted.text == text {
            sum += 1.0;
        } else if *budget >= steps {
            *budget -= steps;
            sum += ratio(&wanted.text, &text);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 52 bits")]
    let of_all = |share: f64| share / wanted.len() as f64;
    let in_place = Region { start, end, share: of_all(sum) };
    // Some more lines, for those that the file has in between.
    let longer = (end + wanted.len() / 2 + 4).min(file.lines.len());
    let old: Vec<u64> = wanted.iter().map(|wanted| wanted.hash).collect();
    let new = file.hashes.get(start..longer).unwrap_or(&[]);
    if old.len().saturating_mul(new.len()) > *budget {
        return in_place;
    }
    *budget -= old.len() * new.len();
    let (mut equal, mut last) = (0.0, start);
    for op in capture_diff_slices(Algorithm::Myers, &old, new) {
        if let DiffOp::Equal { new_index, len, .. } = op {
            equal += f64::from(u32::try_from(len).unwrap_or(u32::MAX));
            last = start + new_index + len;
        }
    }
    let shifted = Region { start, end: last.max(start + 1).min(file.lines.len()), share: of_all(equal) };
    if shifted.share > in_place.share { shifted } else { in_place }
}

fn show(content: &Content, before: &[&[u8]], file: &Lines<'_>, region: &Region) -> Nearest {
    let first = file.lines.get(region.start).copied().unwrap_or(0);
    let end =
        region.end.checked_sub(1).and_then(|last| file.lines.get(last)).map_or(first + 1, |last| last + 1);
    let lines: Vec<Vec<u8>> = content.lines(first..end).map(|line| line.text.to_vec()).collect();
    let shown = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
    // What differs to the eye goes before what differs in blanks alone.
    let first_difference =
        difference(before, &lines, FORM).or_else(|| difference(before, &lines, Form::Text));
    Nearest {
        line: first + 1,
        lines: lines.iter().map(|line| shown(line)).collect(),
        // It is nowhere, so not all of it is here.
        similarity: percent(region.share).min(99),
        first_difference: first_difference.map(|(index, line)| (index, line.map(shown))),
    }
}

/// The first line that differs from the one of the file in its turn; in a form that trims, blank lines are passed over.
fn difference<'a>(before: &[&[u8]], lines: &'a [Vec<u8>], form: Form) -> Option<(usize, Option<&'a [u8]>)> {
    let counts = |text: &[u8]| form == Form::Text || !form.of(text).is_empty();
    let mut real = lines.iter().filter(|line| counts(line));
    for (index, written) in before.iter().enumerate().filter(|(_, line)| counts(line)) {
        match real.next() {
            Some(line) if form.eq(written, line) => {}
            other => return Some((index, other.map(Vec::as_slice))),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::pattern::lines;
    use super::*;

    fn nearest(file: &str, before: &str) -> Option<Nearest> {
        evidence(&Content::new(file.as_bytes()), &lines(before), &Effort::default()).nearest
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
    fn a_region_that_ends_too_early_lacks_a_line() {
        let near = nearest("x\nfirst line\nsecond line\n", "first line\nsecond line\nthird line\n").unwrap();
        assert_eq!(near.first_difference, Some((2, None)));
    }

    #[test]
    fn without_budget_it_says_that_it_gave_up() {
        let content = Content::new(&b"some line\n".repeat(100));
        assert!(evidence(&content, &[b"other"], &Effort::new(10, 10)).gave_up);
    }
}
