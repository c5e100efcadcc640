//! Edits of a region that a file has once: in every match mode they change the file only there.

use super::{config, run, texts};
use git_llm_apply::diag::Code;
use git_llm_apply::edit::{Change, Hunk, Unit};
use git_llm_apply::locate::{Outcome, Tier};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// What the edit does with a line of the region.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Keep,
    Remove,
    Replace,
    /// The line is kept, and a line is added below it.
    Follow,
}

/// How the text of the model differs from the file.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Drift {
    None,
    Trailing,
    Deeper,
    Shallower,
    Spaces,
    Unicode,
    BlankDropped,
    BlankAdded,
    Slip,
}

const DRIFTS: &[Drift] = &[
    Drift::None,
    Drift::Trailing,
    Drift::Deeper,
    Drift::Shallower,
    Drift::Spaces,
    Drift::Unicode,
    Drift::BlankDropped,
    Drift::BlankAdded,
    Drift::Slip,
];

impl Drift {
    /// Returns the loosest mode that it needs.
    fn tier(self) -> Tier {
        match self {
            Drift::None => Tier::Eol,
            Drift::Trailing => Tier::TrailingSpace,
            Drift::Deeper | Drift::Shallower | Drift::Spaces => Tier::Indent,
            Drift::Unicode => Tier::Unicode,
            Drift::BlankDropped | Drift::BlankAdded => Tier::BlankLines,
            Drift::Slip => Tier::Similar,
        }
    }
}

/// A file in which a region occurs once, and an edit of that region.
#[derive(Debug, Clone)]
struct Case {
    bom: bool,
    /// Each line with its line ending, which may be missing for the last line.
    above: Vec<(String, &'static str)>,
    region: Vec<(String, &'static str)>,
    below: Vec<(String, &'static str)>,
    /// One for each line of the region.
    fates: Vec<Fate>,
    drift: Drift,
    /// The line of the region that has a typo.
    slip: Index,
}

fn bytes(lines: &[(String, &'static str)]) -> Vec<u8> {
    lines.iter().flat_map(|(text, eol)| text.bytes().chain(eol.bytes())).collect()
}

impl Case {
    fn file(&self) -> Vec<u8> {
        let bom: &[u8] = if self.bom { "\u{feff}".as_bytes() } else { b"" };
        [bom, &bytes(&self.above), &bytes(&self.region), &bytes(&self.below)].concat()
    }

    /// Returns whether the edit changes something, and not next to the line with the typo.
    fn is_sound(&self) -> bool {
        let slip = self.slip.index(self.region.len());
        let counting = self.region.iter().filter(|(text, _)| !text.trim().is_empty()).count();
        let changes = self.fates.iter().any(|fate| *fate != Fate::Keep);
        let slip_fits = counting >= 3
            && matches!(self.fates[slip], Fate::Keep | Fate::Follow)
            && !self.region[slip].0.trim().is_empty();
        // Blank lines next to the region could be taken for those that the drift has added.
        let beside = self.above.last().into_iter().chain(self.below.first());
        let apart = beside.map(|(text, _)| text).all(|text| !text.trim().is_empty());
        changes && (self.drift != Drift::Slip || slip_fits) && (self.drift != Drift::BlankAdded || apart)
    }

    fn changes_only_blank_lines(&self) -> bool {
        let changed = self.region.iter().zip(&self.fates).filter(|(_, fate)| **fate != Fate::Keep);
        changed
            .map(|((text, _), fate)| (text, fate))
            .all(|(text, fate)| text.trim().is_empty() && *fate == Fate::Remove)
    }

    /// Returns whether a blank line that the model left out, or added next to others, is beside lines that change. Then
    /// it may be open on which side of it they belong, and the edit may be refused.
    fn leaves_sides_open(&self) -> bool {
        let blank = |index: &usize| self.region[*index].0.trim().is_empty();
        let changes = |index: Option<usize>| index.is_some_and(|index| self.fates[index] != Fate::Keep);
        let count = self.region.len();
        let beside = |index: usize| {
            let above = (0..index).rev().find(|index| !blank(index));
            let below = (index + 1..count).find(|index| !blank(index));
            changes(Some(index)) || changes(above) || changes(below)
        };
        let is_blank_drift = matches!(self.drift, Drift::BlankDropped | Drift::BlankAdded);
        is_blank_drift && (0..count).any(|index| blank(&index) && beside(index))
    }

    /// Returns a line as the model writes it.
    fn written(&self, index: usize) -> Option<String> {
        let text = &self.region[index].0;
        let blank = text.trim().is_empty();
        Some(match self.drift {
            Drift::None | Drift::BlankAdded => text.clone(),
            Drift::Trailing => format!("{text} \t"),
            Drift::Deeper if blank => String::new(),
            Drift::Deeper => format!("  {text}"),
            Drift::Shallower => text.strip_prefix("    ").unwrap_or(text).to_owned(),
            Drift::Spaces => text.replace('\t', "    "),
            Drift::Unicode => text.replace(['“', '”'], "\"").replace('–', "-").replace('\u{e9}', "e\u{301}"),
            Drift::BlankDropped if blank => return None,
            Drift::BlankDropped => text.clone(),
            Drift::Slip if index == self.slip.index(self.region.len()) => format!("{text} of"),
            Drift::Slip => text.clone(),
        })
    }

    /// Returns an added line as the model writes it. The line says where it belongs.
    fn added(&self, index: usize) -> String {
        // It is indented like the line that it belongs to, or like the next one above that is not blank.
        let owner = (0..=index).rev().find(|&line| !self.region[line].0.trim().is_empty()).unwrap_or(index);
        let line = self.written(owner).unwrap_or_default();
        let indent: String = line.chars().take_while(|c| " \t".contains(*c)).collect();
        format!("{indent}ADDED{index}")
    }

    fn hunk(&self) -> Hunk {
        let (mut before, mut after) = (String::new(), String::new());
        for (index, fate) in self.fates.iter().enumerate() {
            let Some(line) = self.written(index) else { continue };
            before += &format!("{line}\n");
            if matches!(fate, Fate::Keep | Fate::Follow) {
                after += &format!("{line}\n");
            }
            if matches!(fate, Fate::Replace | Fate::Follow) {
                after += &format!("{}\n", self.added(index));
            }
            if self.drift == Drift::BlankAdded && matches!(fate, Fate::Keep) {
                before.push('\n');
                after.push('\n');
            }
        }
        texts(&before, &after, Unit::Lines)
    }
}

fn eols() -> impl Strategy<Value = Vec<&'static str>> {
    prop_oneof![Just(vec!["\n"]), Just(vec!["\r\n"]), Just(vec!["\r"]), Just(vec!["\n", "\r\n"]),]
}

fn case() -> impl Strategy<Value = Case> {
    let filler = select(vec!["", "}", "    }", "  ", "x", "\tx", "“x” – y", "    return; ", "a b", "ADDED"]);
    let indent = select(vec!["", "\t", "    ", "        ", "\t\t"]);
    let body = select(vec!["let “x” = ", "fn caf\u{e9}(", "a – b ", "if ", "", "call("]);
    let fate = select(vec![Fate::Keep, Fate::Keep, Fate::Remove, Fate::Replace, Fate::Follow]);
    let line = (indent, body, prop::bool::weighted(0.15), fate);
    (
        prop::collection::vec(filler.clone(), 0..8),
        prop::collection::vec(line, 1..9),
        prop::collection::vec(filler, 0..8),
        eols(),
        any::<bool>(),
        prop::bool::weighted(0.8),
        select(DRIFTS.to_vec()),
        any::<Index>(),
        any::<u64>(),
    )
        .prop_map(|(above, region, below, eols, bom, newline, drift, slip, mut seed)| {
            let mut eol = || {
                seed = seed.rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                eols[(seed >> 60) as usize % eols.len()]
            };
            let fates = region.iter().map(|line| line.3).collect();
            // A unique token makes each line of the region unique.
            let region: Vec<String> = region
                .iter()
                .enumerate()
                .map(|(index, (indent, body, blank, _))| match (blank, drift) {
                    (true, _) if index > 0 => String::new(),
                    // The file is deeper than the text of the model, by the same amount everywhere.
                    (_, Drift::Shallower) => format!("    {indent}{body}token{}", letters(index)),
                    // Tabs only, so that one width fits.
                    (_, Drift::Spaces) => {
                        format!("{}{body}token{}", indent.replace("    ", "\t"), letters(index))
                    }
                    _ => format!("{indent}{body}token{}", letters(index)),
                })
                .collect();
            let mut with = |lines: Vec<String>| -> Vec<(String, &'static str)> {
                lines.into_iter().map(|line| (line, eol())).collect()
            };
            let above = with(above.into_iter().map(String::from).collect());
            let region = with(region);
            let mut below = with(below.into_iter().map(String::from).collect());
            let mut case = Case { bom, above, region, below: Vec::new(), fates, drift, slip };
            if !newline {
                let last = below.last_mut().or(case.region.last_mut());
                // An empty text without a newline is not a line.
                if let Some(last) = last.filter(|last| !last.0.is_empty()) {
                    last.1 = "";
                }
            }
            case.below = below;
            case
        })
        .prop_filter("an edit that says something", Case::is_sound)
}

/// Returns a number in letters, since a difference in digits is not a typo.
fn letters(index: usize) -> String {
    ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india"][index].to_owned()
}

/// Returns the bytes of a result between those above the region and those below it.
fn between<'a>(case: &Case, result: &'a [u8]) -> Result<&'a [u8], TestCaseError> {
    let bom: &[u8] = if case.bom { "\u{feff}".as_bytes() } else { b"" };
    let (above, below) = ([bom, &bytes(&case.above)].concat(), bytes(&case.below));
    prop_assert!(result.starts_with(&above), "what is above changed: {:?}", String::from_utf8_lossy(result));
    prop_assert!(
        result[above.len()..].ends_with(&below),
        "what is below changed: {:?}",
        String::from_utf8_lossy(result)
    );
    Ok(&result[above.len()..result.len() - below.len()])
}

fn position(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len().max(1)).position(|window| window == needle)
}

proptest! {
    #![proptest_config(config(1000))]

    /// In every mode the edit lands in its region. Kept lines stay byte for byte, removed lines go, added lines are
    /// added once, and every byte outside is untouched.
    #[test]
    fn an_edit_changes_its_region_and_nothing_else(case in case()) {
        let file = case.file();
        let outcome = run(&file, &[case.hunk()]);
        // An edit that only removes lines may already find its result, because that is the rest of the region.
        let applied = match outcome {
            Ok(applied) => applied,
            // Blank lines may be added or missing at the edges, so an edit of blank lines alone may already be applied.
            Err(refusals) => {
                let says = |words: &str| refusals.iter().all(|refusal| refusal.message.contains(words));
                let open = case.leaves_sides_open() && says("other blank lines");
                // It matters which of two blank lines stays if their line endings differ.
                let blanks = case.region.iter().filter(|(text, _)| text.trim().is_empty());
                let other = |(_, eol): &(String, &str)| blanks.clone().any(|(_, first)| first != eol);
                let equal = blanks.clone().any(other) && (says("equal lines") || says("other blank lines"));
                prop_assert!(
                    open || equal || case.changes_only_blank_lines(),
                    "{:?} {}", refusals, String::from_utf8_lossy(&file)
                );
                return Ok(());
            }
        };
        // The drift has left out all lines that would change.
        if applied.outcome == Outcome::NoChange {
            return Ok(());
        }
        let result = applied.version.content().to_bytes();
        let middle = between(&case, &result)?;
        prop_assert!(applied.matched[0].tier <= case.drift.tier(), "{:?}", applied.matched);
        let mut from = 0;
        for (index, ((text, eol), fate)) in case.region.iter().zip(&case.fates).enumerate() {
            let token = format!("token{}", letters(index));
            let there = position(&middle[from..], token.as_bytes());
            match fate {
                _ if text.trim().is_empty() => {}
                Fate::Keep | Fate::Follow => {
                    let whole = [text.as_bytes(), eol.as_bytes()].concat();
                    let at = position(&middle[from..], &whole);
                    prop_assert!(at.is_some(), "line {index} is not kept: {:?}", String::from_utf8_lossy(middle));
                    from += at.unwrap_or(0) + text.len();
                }
                Fate::Remove | Fate::Replace => {
                    prop_assert!(there.is_none(), "line {index} is there: {:?}", String::from_utf8_lossy(middle));
                }
            }
            if matches!(fate, Fate::Replace | Fate::Follow) && case.written(index).is_some() {
                let added = format!("ADDED{index}");
                prop_assert_eq!(middle.windows(added.len()).filter(|w| *w == added.as_bytes()).count(), 1);
                let at = position(&middle[from..], added.as_bytes());
                prop_assert!(at.is_some(), "line {index} is added elsewhere: {:?}", String::from_utf8_lossy(middle));
                // The indentation is that of the line that it belongs to.
                if !text.trim().is_empty() {
                    let indent: String = text.chars().take_while(|c| " \t".contains(*c)).collect();
                    let at = from + at.unwrap_or(0);
                    let start = middle[..at].iter().rposition(|b| b"\r\n".contains(b)).map_or(0, |at| at + 1);
                    prop_assert_eq!(String::from_utf8_lossy(&middle[start..at]), indent);
                }
            }
        }
        // A second run does not apply it again; only a blank line may be added once more.
        let blanks = case.region.iter().zip(&case.fates).any(|((text, _), fate)| text.trim().is_empty() && *fate != Fate::Keep);
        if let Ok(again) = run(&result, &[case.hunk()]) && !blanks {
            let again = again.version.content().to_bytes();
            prop_assert_eq!(String::from_utf8_lossy(&again), String::from_utf8_lossy(&result));
        }
    }

    /// A second copy of the region makes the edit ambiguous: neither is changed.
    #[test]
    fn a_second_copy_makes_it_ambiguous(case in case(), in_front in any::<bool>()) {
        // A blank line next to one of the two may make that one the more likely place.
        if case.drift == Drift::BlankAdded {
            return Ok(());
        }
        let mut copy = case.region.clone();
        let lines = case.above.iter().chain(&case.region).chain(&case.below);
        let eol = lines.map(|line| line.1).find(|eol| !eol.is_empty()).unwrap_or("\n");
        for line in copy.iter_mut().filter(|line| line.1.is_empty()) {
            line.1 = eol;
        }
        let mut double = case.clone();
        if in_front {
            double.above.splice(0..0, copy);
        } else {
            if let Some(last) = double.below.last_mut().or(double.region.last_mut()).filter(|last| last.1.is_empty()) {
                last.1 = eol;
            }
            double.below.extend(copy);
        }
        if let Ok(applied) = run(&double.file(), &[case.hunk()]) {
            prop_assert_ne!(applied.outcome, Outcome::Changes, "{}", String::from_utf8_lossy(&applied.version.content().to_bytes()));
        }
    }

    /// If a removed line is not in the file, the edit is refused, even if the rest matches.
    #[test]
    fn a_removed_line_that_is_nowhere_refuses_the_edit(case in case(), at in any::<Index>()) {
        let hunk = case.hunk();
        let Change::Texts { before, after, .. } = &hunk.change else { unreachable!() };
        let mut lines: Vec<&str> = before.split_inclusive('\n').collect();
        lines.insert(at.index(lines.len() + 1), "wholly unlike anything else\n");
        let outcome = run(&case.file(), &[texts(&lines.concat(), &format!("{after}UNLIKE\n"), Unit::Lines)]);
        prop_assert_eq!(outcome.map(|applied| applied.outcome).map_err(|r| r[0].code), Err(Code::SearchNotFound));
    }
}
