//! What holds for every file and every edit: nothing outside the place changes, nothing lands in a wrong place, and
//! nothing panics.
mod parts;

use git_llm_apply::diag::Code;

use git_llm_apply::edit::{Anchor, Change, FormatId, Hunk, Occurrence, Unit};
use git_llm_apply::format;
use git_llm_apply::guard::Guard;
use git_llm_apply::locate::{self, Applied, Context, Limits, Outcome, Refusal, Repeat, Tier};
use git_llm_apply::plan::{self, MemoryTree, Rules};
use git_llm_apply::report::{self, Quoting, Report, Status, Style};
use git_llm_apply::response::Response;
use git_llm_apply::span::Span;
use git_llm_apply::text::search::Budget;
use git_llm_apply::text::{Content, Language};
use git_llm_apply::version::Version;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use similar::{ChangeTag, TextDiff};

const LIMITS: Limits = Limits {
    max_fuzz: Tier::Similar,
    guard: Guard {
        allow_placeholder: false,
        allow_markers: false,
        allow_escaped: false,
        language: Language::UNKNOWN,
        format: None,
    },
};

/// So many cases; a failure shows its case, and is then made an example of its own.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn run(file: &[u8], hunks: &[Hunk]) -> Result<Applied, Vec<Refusal>> {
    let version = Version::of_base(Content::new(file));
    let (others, budget) = (hunks.iter().collect::<Vec<_>>(), Budget::default());
    let repeats = vec![Repeat::ONCE; hunks.len()];
    // In a text for people a line that stays may have a word more.
    let limits = Limits { guard: Guard { language: Language::of("a.md"), ..LIMITS.guard }, ..LIMITS };
    let mut context = Context::new(&limits, &budget);
    (context.repeats, context.others) = (&repeats, &others);
    locate::apply(&version, hunks, &context)
}

fn texts(before: &str, after: &str, unit: Unit) -> Hunk {
    let change = Change::Texts { before: before.into(), after: after.into(), unit };
    Hunk { span: Span::new(0, 0, 0), change, anchor: Anchor::Unique }
}

fn diff(lines: &str, anchor: Anchor) -> Hunk {
    let change = Change::Diff { lines: lines.into(), before_unterminated: false, after_unterminated: false };
    Hunk { span: Span::new(0, 0, 0), change, anchor }
}

// ---------------------------------------------------------------------------------------------- what is said of refusals

proptest! {
    #![proptest_config(config(300))]

    /// Of any text that is not in any file, people, programs and models are told without a panic, and models in bounds.
    #[test]
    fn a_refusal_of_anything_can_be_said(
        file in "([ -~\t\u{a0}\u{2019}\u{202e}`é]{0,12}\n){0,12}",
        wanted in "([ -~\t\u{a0}\u{2019}\u{202e}`é]{0,12}\n){0,12}",
        close in any::<bool>(),
    ) {
        let wanted = if close { format!("{file}{wanted}") } else { wanted };
        let json = serde_json::json!({ "file_entries": [{ "file": "f", "changes": [{
            "original_lines": wanted.lines().collect::<Vec<_>>(), "changed_lines": ["new"],
        }]}]});
        let response = Response::new(0, "r", json.to_string().into_bytes(), 1 << 20).unwrap();
        let script = format::parse(&response, &git_llm_apply::format::Reading::only(FormatId::Applydir));
        let tree = MemoryTree::new().with_file("f", file.as_str()).unwrap();
        if let Err(rejected) = plan::resolve(&script, &tree, &Rules::default()).unwrap() {
            let mut report = Report::new(Status::Refused);
            report.responses = vec!["r".to_owned()];
            let responses = [response];
            report.edits = vec![report::edit(1, &script.edits[0], None, &responses)];
            report.findings =
                rejected.diagnostics.iter().map(|found| report::finding(found, &script, &responses)).collect();
            let people = report::findings(&report, Style { verbose: true });
            let shown = people.contains("edit 1") && !people.contains('\u{202e}');
            prop_assert!(shown, "{people}");
            prop_assert!(report::json(&report, 1).unwrap().contains("nearest"));
            let limit = report::FEEDBACK_LIMIT;
            for quoting in [Quoting::Exact, Quoting::Escaped] {
                let text = report::feedback(&report, quoting, limit).unwrap();
                prop_assert!(text.len() <= limit && text.contains("## Edit 1"));
                // Every fence that is opened is closed by one as long, and no line of what is quoted is one.
                let fences: Vec<&str> = text.lines().filter(|line| line.starts_with("```")).collect();
                prop_assert!(fences.len().is_multiple_of(2) && fences.chunks(2).all(|pair| pair[0] == pair[1]));
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------- files with one region

/// What becomes of a line of the region.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Keep,
    Remove,
    Replace,
    /// Kept, and a line is added behind it.
    Follow,
}

/// How what the model wrote differs from the file.
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
    /// The loosest tier that it needs.
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

/// A file in which a region of lines stands once, and what is to become of it.
#[derive(Debug, Clone)]
struct Case {
    bom: bool,
    /// Each with its line ending; the last one's may be missing.
    above: Vec<(String, &'static str)>,
    region: Vec<(String, &'static str)>,
    below: Vec<(String, &'static str)>,
    /// One for every line of the region.
    fates: Vec<Fate>,
    drift: Drift,
    /// The line of the region that has a slip.
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

    /// Whether the edit does anything, and what it does stays clear of the line that has a slip.
    fn is_sound(&self) -> bool {
        let slip = self.slip.index(self.region.len());
        let counting = self.region.iter().filter(|(text, _)| !text.trim().is_empty()).count();
        let changes = self.fates.iter().any(|fate| *fate != Fate::Keep);
        let slip_fits = counting >= 3
            && matches!(self.fates[slip], Fate::Keep | Fate::Follow)
            && !self.region[slip].0.trim().is_empty();
        // Blank lines beside the region could be taken for those that the drift has put in.
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

    /// Whether a blank line that the model left out, or made up beside others, stands by lines that come or go: on which side of it they belong
    /// may be a guess then, and a refusal.
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

    /// A line as the model writes it.
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

    /// An added line as the model writes it; it names where it belongs.
    fn added(&self, index: usize) -> String {
        // Indented as the line it belongs to, or the next one above that is not blank.
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
            // A token that nothing else has makes each line of the region one of its kind.
            let region: Vec<String> = region
                .iter()
                .enumerate()
                .map(|(index, (indent, body, blank, _))| match (blank, drift) {
                    (true, _) if index > 0 => String::new(),
                    // The file is deeper than what the model wrote, and by as much everywhere.
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
                // A line without a newline that is empty is no line.
                if let Some(last) = last.filter(|last| !last.0.is_empty()) {
                    last.1 = "";
                }
            }
            case.below = below;
            case
        })
        .prop_filter("an edit that says something", Case::is_sound)
}

/// A number in letters: a slip in digits is none.
fn letters(index: usize) -> String {
    ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india"][index].to_owned()
}

/// What is between the bytes above the region and those below it in a result.
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

    /// In every tier: the edit lands in its region, kept lines stay byte for byte, removed ones go, added ones come once,
    /// and every byte outside is untouched.
    #[test]
    fn an_edit_changes_its_region_and_nothing_else(case in case()) {
        let file = case.file();
        let outcome = run(&file, &[case.hunk()]);
        // An edit that only takes lines away may find its result there: what is left of it stands.
        let applied = match outcome {
            Ok(applied) => applied,
            // Blank lines come and go at the edges, so that an edit of them alone may stand there already.
            Err(refusals) => {
                let says = |words: &str| refusals.iter().all(|refusal| refusal.message.contains(words));
                let open = case.leaves_sides_open() && says("other blank lines");
                // Which of two blank lines stays makes a difference where they end otherwise.
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
        // The drift left out all that was to change.
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
                // Indented as the line it belongs to.
                if !text.trim().is_empty() {
                    let indent: String = text.chars().take_while(|c| " \t".contains(*c)).collect();
                    let at = from + at.unwrap_or(0);
                    let start = middle[..at].iter().rposition(|b| b"\r\n".contains(b)).map_or(0, |at| at + 1);
                    prop_assert_eq!(String::from_utf8_lossy(&middle[start..at]), indent);
                }
            }
        }
        // Made again, it is not made twice; only a blank line may stand there once more.
        let blanks = case.region.iter().zip(&case.fates).any(|((text, _), fate)| text.trim().is_empty() && *fate != Fate::Keep);
        if let Ok(again) = run(&result, &[case.hunk()]) && !blanks {
            let again = again.version.content().to_bytes();
            prop_assert_eq!(String::from_utf8_lossy(&again), String::from_utf8_lossy(&result));
        }
    }

    /// A second copy of the region makes it ambiguous: neither is taken.
    #[test]
    fn a_second_copy_makes_it_ambiguous(case in case(), in_front in any::<bool>()) {
        // A blank line beside one of the two may make that the likelier one.
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

    /// A line that is nowhere in the file refuses the edit, whatever else of the text is there.
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

// ------------------------------------------------------------------------------------------------------ whole diffs

/// Two versions of a file in few different lines, so that places repeat.
fn versions(alphabet: usize) -> impl Strategy<Value = (Vec<String>, Vec<String>)> {
    let line = 0..alphabet;
    (prop::collection::vec(line.clone(), 0..25), prop::collection::vec((any::<Index>(), 0..3_u8, line), 1..6))
        .prop_map(|(old, edits)| {
            let mut new = old.clone();
            for (at, kind, line) in edits {
                let at = at.index(new.len() + 1);
                match kind {
                    0 => new.insert(at, line),
                    1 if at < new.len() => new[at] = line,
                    _ if at < new.len() => {
                        new.remove(at);
                    }
                    _ => {}
                }
            }
            let text = |lines: Vec<usize>| lines.into_iter().map(|line| format!("line {line}\n")).collect();
            (text(old), text(new))
        })
}

/// The hunks of a unified diff with that many lines of context: first old line, from 1, and the lines with their marks.
fn hunks(old: &str, new: &str, context: usize) -> Vec<(u32, String)> {
    let diff = TextDiff::from_lines(old, new);
    diff.grouped_ops(context)
        .iter()
        .map(|group| {
            let mut lines = String::new();
            for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
                lines.push(match change.tag() {
                    ChangeTag::Equal => ' ',
                    ChangeTag::Delete => '-',
                    ChangeTag::Insert => '+',
                });
                lines += change.value();
            }
            let start = group.first().map_or(0, |op| op.old_range().start);
            (u32::try_from(start).unwrap_or(u32::MAX) + 1, lines)
        })
        .collect()
}

/// Whether the result of some hunk stands in the file as it is: then it cannot be told from one that was made.
fn some_result_stands(old: &str, hunks: &[(u32, String)]) -> bool {
    let old = format!("\n{old}");
    hunks.iter().any(|(_, lines)| {
        let after: String =
            lines.split_inclusive('\n').filter(|l| !l.starts_with('-')).map(|l| &l[1..]).collect();
        old.contains(&format!("\n{after}"))
    })
}

fn with_eol(text: &str, eol: &str) -> Vec<u8> {
    text.replace('\n', eol).into_bytes()
}

proptest! {
    #![proptest_config(config(1000))]

    /// A right diff makes the new version or is refused; it never makes another one. Where no line stands twice it is
    /// made.
    #[test]
    fn a_diff_makes_the_new_version_or_nothing(
        (old, new) in prop_oneof![versions(3), versions(12)],
        numbered in any::<bool>(),
        context in 1..4_usize,
        eol in select(vec!["\n", "\r\n"]),
    ) {
        let (old, new) = (old.concat(), new.concat());
        // An empty file has no line ending to be taken.
        if old.is_empty() && eol != "\n" {
            return Ok(());
        }
        let hunks = hunks(&old, &new, context);
        let stands = some_result_stands(&old, &hunks);
        let series: Vec<Hunk> = hunks
            .into_iter()
            .map(|(line, lines)| {
                let old_start = numbered.then_some(line);
                diff(&lines, Anchor::Line { old_start, new_start: None, section: None })
            })
            .collect();
        let distinct = |text: &str| {
            let mut lines: Vec<&str> = text.lines().collect();
            lines.sort_unstable();
            lines.windows(2).all(|pair| pair[0] != pair[1])
        };
        match run(&with_eol(&old, eol), &series) {
            Ok(_) if stands => {}
            Ok(applied) if applied.outcome == Outcome::Changes => {
                prop_assert_eq!(
                    String::from_utf8(applied.version.content().to_bytes()).unwrap(),
                    String::from_utf8(with_eol(&new, eol)).unwrap()
                );
            }
            Ok(_) => prop_assert!(old == new || !distinct(&old) || !distinct(&new)),
            Err(refusals) => prop_assert!(!distinct(&old) || !distinct(&new), "{refusals:?}"),
        }
    }

    /// The same for the chunks of a Codex patch.
    #[test]
    fn chunks_make_the_new_version_or_nothing(
        (old, new) in prop_oneof![versions(3), versions(12)],
        context in 1..4_usize,
    ) {
        let (old, new) = (old.concat(), new.concat());
        let hunks = hunks(&old, &new, context);
        if some_result_stands(&old, &hunks) {
            return Ok(());
        }
        let chunks: Vec<Hunk> = hunks
            .into_iter()
            .map(|(_, lines)| diff(&lines, Anchor::Seek { context: Vec::new(), end_of_file: false }))
            .collect();
        if let Ok(applied) = run(old.as_bytes(), &chunks)
            && applied.outcome == Outcome::Changes
        {
            prop_assert_eq!(String::from_utf8(applied.version.content().to_bytes()).unwrap(), new);
        }
    }
}

// ------------------------------------------------------------------------------------------------------ anything at all

fn odd_text() -> impl Strategy<Value = String> {
    let piece = select(vec![
        "\n",
        "\n",
        "\n",
        "a",
        "b",
        " ",
        "\t",
        "}",
        "x = 1",
        "“",
        "\"",
        "é",
        "e\u{301}",
        "\r",
        "\r\n",
        "// ...",
        "...",
        "=======",
        "<<<<<<< a",
        ">>>>>>> b",
        "\u{feff}",
        "\u{a0}",
        "token",
        "+",
        "-",
        "~",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn odd_hunk() -> impl Strategy<Value = Hunk> {
    let anchor = prop_oneof![
        Just(Anchor::Unique),
        Just(Anchor::Occurrence(Occurrence::Last)),
        (0..3_u32)
            .prop_map(|n| Anchor::Occurrence(Occurrence::Nth(std::num::NonZeroU32::MIN.saturating_add(n)))),
        prop::option::of(0..6_u32).prop_map(|old_start| Anchor::Line {
            old_start,
            new_start: None,
            section: None
        }),
        (prop::collection::vec(odd_text(), 0..3), any::<bool>())
            .prop_map(|(context, end_of_file)| Anchor::Seek { context, end_of_file }),
    ];
    let change = prop_oneof![
        (odd_text(), odd_text(), any::<bool>()).prop_map(|(before, after, part)| {
            let unit = if part { Unit::Text } else { Unit::Lines };
            Change::Texts { before: before.into(), after: after.into(), unit }
        }),
        (odd_text(), any::<bool>(), any::<bool>()).prop_map(
            |(lines, before_unterminated, after_unterminated)| {
                Change::Diff { lines: lines.into(), before_unterminated, after_unterminated }
            }
        ),
        (odd_text(), odd_text(), odd_text()).prop_map(|(one, two, three)| {
            let head = format!("{one}\n");
            let dividers = vec![head.len(), head.len() + 8 + two.len() + 1];
            Change::Splits { lines: format!("{head}=======\n{two}\n=======\n{three}\n").into(), dividers }
        }),
    ];
    (change, anchor).prop_map(|(change, anchor)| Hunk { span: Span::new(0, 0, 0), change, anchor })
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn nothing_panics(
        file in odd_text(),
        tail in prop::collection::vec(any::<u8>(), 0..4),
        hunks in prop::collection::vec(odd_hunk(), 1..4),
        same in any::<bool>(),
    ) {
        let file = [file.as_bytes(), &tail].concat();
        let mut hunks = hunks;
        if same {
            // Anchors of one kind, so that hunks are located together.
            let anchor = hunks[0].anchor.clone();
            hunks.iter_mut().for_each(|hunk| hunk.anchor = anchor.clone());
        }
        let outcome = run(&file, &hunks);
        if let Ok(applied) = outcome
            && applied.outcome != Outcome::Changes
        {
            prop_assert_eq!(applied.version.content().to_bytes(), file);
        }
    }

    /// Whatever is cut out and put in, versions that share chunks are the same as files read anew.
    #[test]
    fn replacing_lines_is_replacing_bytes(
        file in odd_text(), with in odd_text(), start in any::<Index>(), end in any::<Index>()
    ) {
        let content = Content::new(file.as_bytes());
        let count = content.line_count();
        let (start, end) = (start.index(count + 1), end.index(count + 1));
        let (start, end) = (start.min(end), start.max(end));
        let bytes = |range: std::ops::Range<usize>| -> Vec<u8> {
            let lines = content.lines(range);
            lines.flat_map(|line| [line.text, line.eol.map_or(&b""[..], |eol| eol.as_bytes())].concat()).collect()
        };
        let bom = if content.has_bom() { "\u{feff}".as_bytes() } else { b"" };
        let expected = [bom, &bytes(0..start), with.as_bytes(), &bytes(end..count)].concat();
        prop_assert_eq!(content.replace(start..end, with.as_bytes()).to_bytes(), expected);
    }
}
