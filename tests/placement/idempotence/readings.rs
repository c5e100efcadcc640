//! If an answer can be read in several ways, it lands only if all of them give the same result.
//!
//! These tests try out all readings, which is possible because the files are small.

use super::config;
use super::hunk::{Hunk, allow, plain};
use crate::answer;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::collections::BTreeSet;

const LINES: &[&str] = &["one = 1", "two = 2", "three = 3"];

fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Returns every way to pair equal lines of two texts in order, with as many pairs as possible.
fn pairings(find: &[String], put: &[String]) -> Vec<Vec<(usize, usize)>> {
    fn all(
        find: &[String],
        put: &[String],
        from: (usize, usize),
        out: &mut Vec<Vec<(usize, usize)>>,
        pairs: &[(usize, usize)],
    ) {
        out.push(pairs.to_vec());
        for before in from.0..find.len() {
            for after in (from.1..put.len()).filter(|&after| put[after] == find[before]) {
                let more = [pairs, &[(before, after)]].concat();
                all(find, put, (before + 1, after + 1), out, &more);
            }
        }
    }
    let mut out = Vec::new();
    all(find, put, (0, 0), &mut out, &[]);
    let most = out.iter().map(Vec::len).max().unwrap_or(0);
    out.retain(|pairs| pairs.len() == most);
    out
}

/// Returns the pairs of a diff.
fn pairs_of(marked: &str) -> Vec<(usize, usize)> {
    let (mut before, mut after) = (0, 0);
    let mut pairs = Vec::new();
    for line in marked.lines() {
        if line.starts_with(' ') {
            pairs.push((before, after));
        }
        before += usize::from(!line.starts_with('+'));
        after += usize::from(!line.starts_with('-'));
    }
    pairs
}

/// Returns the file after the text is applied at this index; kept lines are as in the file.
fn made(file: &[String], at: usize, find: &[String], put: &[String], pairs: &[(usize, usize)]) -> String {
    let mut lines = put.to_vec();
    for &(before, after) in pairs {
        lines[after].clone_from(&file[at + before]);
    }
    text(&[&file[..at], &lines, &file[at + find.len()..]].concat())
}

/// Returns the matches of a text in the strictest mode that has one.
fn places(file: &[String], find: &[String]) -> Vec<usize> {
    let at = |same: fn(&str, &str) -> bool| -> Vec<usize> {
        let last = (file.len() + 1).saturating_sub(find.len());
        let fits = |at: &usize| file[*at..].iter().zip(find).all(|(real, wanted)| same(real, wanted));
        (0..last).filter(fits).collect()
    };
    let exact = at(|real, wanted| real == wanted);
    if exact.is_empty() { at(|real, wanted| real.trim_end() == wanted.trim_end()) } else { exact }
}

fn some_lines(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(select(LINES.to_vec()).prop_map(str::to_owned), count)
}

/// Returns whether this is the only outcome.
fn is_only(outcomes: &BTreeSet<String>, after: &str) -> bool {
    outcomes.len() == 1 && outcomes.contains(after)
}

proptest! {
    #![proptest_config(config(400))]

    /// The lines occur often and are quoted exactly; matches may overlap.
    #[test]
    fn of_several_places_none_is_chosen(
        file in some_lines(1..9),
        start in any::<Index>(),
        count in 1..4_usize,
        put in some_lines(0..4),
    ) {
        let start = start.index(file.len());
        let find = file[start..(start + count).min(file.len())].to_vec();
        if find == put {
            return Ok(());
        }
        let outcomes: BTreeSet<String> =
            places(&file, &find).into_iter().map(|at| made(&file, at, &find, &put, &[])).collect();
        let answers = answer::each("a.py", &text(&find), &text(&put));
        allow("a.py", &text(&file), &answers, |after| is_only(&outcomes, after))?;
    }

    /// The file has blanks at line ends that the answer lacks. So it matters which of two equal lines stays.
    #[test]
    fn of_several_pairings_none_is_chosen(
        file in some_lines(2..8),
        blanks in prop::collection::vec(any::<bool>(), 8),
        start in any::<Index>(),
        count in 2..5_usize,
        put in some_lines(1..5),
    ) {
        let start = start.index(file.len() - 1);
        let find = file[start..(start + count).min(file.len())].to_vec();
        if find == put {
            return Ok(());
        }
        let file: Vec<String> =
            file.iter().zip(blanks).map(|(line, blank)| if blank { format!("{line} ") } else { line.clone() }).collect();
        let outcomes = |pairings: &[Vec<(usize, usize)>]| -> BTreeSet<String> {
            let all = places(&file, &find).into_iter();
            all.flat_map(|at| pairings.iter().map(move |pairs| (at, pairs)))
                .map(|(at, pairs)| made(&file, at, &find, &put, pairs))
                .collect()
        };
        // Two texts do not say which lines are paired; a diff does.
        let (find_text, put_text) = (text(&find), text(&put));
        let open = outcomes(&pairings(&find, &put));
        allow("a.py", &text(&file), &answer::texts("a.py", &[(&find_text, &put_text)]), |after| is_only(&open, after))?;
        let marked = answer::marked(&find_text, &put_text);
        let said = outcomes(&[pairs_of(&marked)]);
        allow("a.py", &text(&file), &answer::diffs("a.py", &format!("@@\n{marked}")), |after| is_only(&said, after))?;
    }
}

/// What the hunk does with a quoted line.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Keep,
    Remove,
    Replace,
    Follow,
}

/// What an answer may become that leaves out blank lines.
enum Outcome {
    /// If it lands, this.
    One(String),
    /// It must be refused: an added line could go on either side of a blank line.
    None,
    /// Only the places of the blank lines are open.
    ButForBlanks(String),
}

/// Returns the outcome for the lines of a region. A new line next to a left-out blank line could go on either side of
/// it, unless the new line replaces a removed one.
fn outcome(lines: &[(String, Fate)], above: &str, below: &str) -> Outcome {
    let new = |at: usize| format!("new = {at}\n");
    let mut middle = String::new();
    let mut open = false;
    for (at, (line, fate)) in lines.iter().enumerate() {
        if line.is_empty() {
            middle.push('\n');
            continue;
        }
        match fate {
            Fate::Keep => middle += &format!("{line}\n"),
            Fate::Remove => {}
            Fate::Replace => middle += &new(at),
            Fate::Follow => middle += &format!("{line}\n{}", new(at)),
        }
        // The next quoted line, and whether a blank line is before it.
        let next = lines[at + 1..].iter().find(|(line, _)| !line.is_empty());
        let blank = lines.get(at + 1).is_some_and(|(line, _)| line.is_empty());
        let next_stays = next.is_some_and(|(_, fate)| matches!(fate, Fate::Keep | Fate::Follow));
        if blank && *fate == Fate::Follow && next_stays {
            return Outcome::None;
        }
        // Several lines around a blank line change. This may be one change or two.
        open |= blank && *fate != Fate::Keep && !next_stays;
    }
    let whole = format!("{above}{middle}{below}");
    if open { Outcome::ButForBlanks(whole) } else { Outcome::One(whole) }
}

fn without_blanks(text: &str) -> String {
    text.lines().filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect()
}

proptest! {
    #![proptest_config(config(400))]

    /// Every line occurs once. The answer leaves out all blank lines.
    #[test]
    fn of_two_sides_of_a_blank_line_none_is_chosen(
        lines in prop::collection::vec(
            (prop::bool::weighted(0.35), select(vec![Fate::Keep, Fate::Keep, Fate::Remove, Fate::Replace, Fate::Follow])),
            3..8,
        ),
    ) {
        let last = lines.len() - 1;
        // Blank lines at the edges of the quoted lines are not tested here.
        let lines: Vec<(String, Fate)> = lines
            .into_iter()
            .enumerate()
            .map(|(at, (blank, fate))| {
                if blank && at > 0 && at < last { (String::new(), Fate::Keep) } else { (format!("line{at} = call({at})"), fate) }
            })
            .collect();
        let mut hunk = Hunk::default();
        for (at, (line, fate)) in lines.iter().enumerate().filter(|(_, (line, _))| !line.is_empty()) {
            hunk.push(if matches!(fate, Fate::Keep | Fate::Follow) { ' ' } else { '-' }, line.clone());
            if matches!(fate, Fate::Replace | Fate::Follow) {
                hunk.push('+', format!("new = {at}"));
            }
        }
        if !hunk.is_sound() {
            return Ok(());
        }
        let (above, below) = ("above = 0\n", "below = 0\n");
        let region: Vec<String> = lines.iter().map(|(line, _)| line.clone()).collect();
        let file = format!("{above}{}{below}", text(&region));
        let wanted = outcome(&lines, above, below);
        allow("a.py", &file, &plain("a.py", &[hunk]), |after| match &wanted {
            Outcome::One(whole) => after == whole,
            Outcome::None => false,
            Outcome::ButForBlanks(whole) => without_blanks(after) == without_blanks(whole),
        })?;
    }

    /// As many equal edits as there are matches change all of them, in every format. With more or fewer edits nothing
    /// lands.
    #[test]
    fn equal_edits_are_all_places_or_none(
        places in 1..5_usize,
        edits in 1..5_usize,
        adds in any::<bool>(),
        apart in prop::collection::vec(0..3_usize, 5),
    ) {
        let filler = |count: usize, at: usize| -> String {
            (0..count + 1).map(|n| format!("filler{at} = call({n})\n")).collect()
        };
        let file = |line: &str| -> String {
            (0..places).map(|at| format!("{}{line}", filler(apart[at], at))).collect::<String>() + "end = 0\n"
        };
        let mut hunk = Hunk(vec![(if adds { ' ' } else { '-' }, "size = 1".to_owned())]);
        hunk.push('+', "depth = 2");
        let all = file(if adds { "size = 1\ndepth = 2\n" } else { "depth = 2\n" });
        let answers = plain("a.ini", &vec![hunk; edits]);
        // Several equal edits for one match are applied once.
        let may_land = edits == places || places == 1;
        allow("a.ini", &file("size = 1\n"), &answers, |after| may_land && after == all)?;
        if edits == places {
            let landed = super::hunk::landed("a.ini", &file("size = 1\n"), &answers);
            prop_assert_eq!(landed.len(), answers.0.len(), "they land in {:?} only", landed);
        }
    }
}
