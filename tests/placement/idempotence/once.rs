//! A response that is run again on its own result changes nothing, or is refused.

use super::config;
use super::hunk::{Hunk, plain};
use crate::answer::{self, Answers};
use crate::check::{Ran, run};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// The lines of files, and of added lines.
const LINES: &[&str] =
    &["a = read(cfg)", "b = check(a)", "log(\"a\")", "return b", "# What is done here", ""];

const NAMES: &[&str] = &["alpha", "bravo", "charlie", "delta"];

/// What the hunk does with a quoted line.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Keep,
    Remove,
    Replace,
    Follow,
    Precede,
}

/// How the answer differs from the file.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Drift {
    None,
    Trailing,
    Deeper,
    Dedented,
    Tabs,
    Quotes,
    BlankDropped,
    Comment,
    /// A kept line is misquoted in the search text, and right in the replacement.
    Misquoted,
    /// The first line lost its indentation.
    Trimmed,
}

const DRIFTS: &[Drift] = &[
    Drift::None,
    Drift::None,
    Drift::Trailing,
    Drift::Deeper,
    Drift::Dedented,
    Drift::Tabs,
    Drift::Quotes,
    Drift::BlankDropped,
    Drift::Comment,
    Drift::Misquoted,
    Drift::Trimmed,
];

/// What says where the edit goes, besides its text.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Pointer {
    None,
    Heading,
    Number,
    NumberAndHeading,
    /// The `:start_line:` of a SEARCH/REPLACE block.
    StartLine,
    First,
    Last,
    Second,
    EndOfFile,
}

const POINTERS: &[Pointer] = &[
    Pointer::None,
    Pointer::None,
    Pointer::Heading,
    Pointer::Number,
    Pointer::NumberAndHeading,
    Pointer::StartLine,
    Pointer::First,
    Pointer::Last,
    Pointer::Second,
    Pointer::EndOfFile,
];

/// Generates lines, each with the section that it is in.
fn file() -> impl Strategy<Value = Vec<(usize, String)>> {
    let body = prop::collection::vec(select(LINES.to_vec()), 1..5);
    prop::collection::vec(body, 1..4).prop_map(|sections| {
        let mut lines = Vec::new();
        for (section, body) in sections.into_iter().enumerate() {
            lines.push((section, format!("def {}(cfg):", NAMES[section])));
            let indented = |text: &str| if text.is_empty() { String::new() } else { format!("    {text}") };
            lines.extend(body.into_iter().map(|text| (section, indented(text))));
            lines.push((section, String::new()));
        }
        lines.pop();
        lines
    })
}

/// Some consecutive lines, and what the hunk does with them.
#[derive(Debug, Clone)]
struct Region {
    start: Index,
    fates: Vec<(Fate, &'static str)>,
}

fn region() -> impl Strategy<Value = Region> {
    let fate = select(vec![
        Fate::Keep,
        Fate::Keep,
        Fate::Keep,
        Fate::Remove,
        Fate::Replace,
        Fate::Follow,
        Fate::Precede,
    ]);
    let added = select([LINES, &["new = 1", "c = last(b)"]].concat());
    (any::<Index>(), prop::collection::vec((fate, added), 1..5))
        .prop_map(|(start, fates)| Region { start, fates })
}

/// Returns the line as the answer writes it.
fn written(text: &str, drift: Drift) -> String {
    match drift {
        _ if text.is_empty() => String::new(),
        Drift::Trailing => format!("{text}  "),
        Drift::Deeper => format!("  {text}"),
        Drift::Dedented => text.strip_prefix("    ").unwrap_or(text).to_owned(),
        Drift::Tabs => text.replace("    ", "\t"),
        Drift::Quotes => text.replace("\"a\"", "“a”"),
        Drift::Comment => text.replace("# What is done", "# What is doen"),
        Drift::None | Drift::BlankDropped | Drift::Misquoted | Drift::Trimmed => text.to_owned(),
    }
}

/// Returns the hunk of a region that begins with that line.
fn hunk(lines: &[(usize, String)], start: usize, region: &Region, drift: Drift) -> Hunk {
    let mut hunk = Hunk::default();
    let mut misquoted = drift != Drift::Misquoted;
    for ((_, text), (fate, added)) in lines[start..].iter().zip(&region.fates) {
        if drift == Drift::BlankDropped && text.is_empty() {
            continue;
        }
        let indent = if text.starts_with(' ') || text.is_empty() { "    " } else { "" };
        let added = if added.is_empty() { String::new() } else { format!("{indent}{added}") };
        let (text, added) = (written(text, drift), written(&added, drift));
        if *fate == Fate::Precede {
            hunk.push('+', added.clone());
        }
        match fate {
            Fate::Keep if !misquoted && text.contains('a') => {
                misquoted = true;
                hunk.push('-', text.replacen('a', "aa", 1));
                hunk.push('+', text);
            }
            Fate::Keep | Fate::Follow | Fate::Precede => hunk.push(' ', text),
            Fate::Remove | Fate::Replace => hunk.push('-', text),
        }
        if matches!(fate, Fate::Replace | Fate::Follow) {
            hunk.push('+', added);
        }
    }
    if drift == Drift::Trimmed
        && let Some(first) = hunk.0.first_mut()
    {
        first.1 = first.1.trim_start().to_owned();
    }
    hunk
}

/// Returns the answers with the pointer; `from` is the index of the hunk's first line.
fn answers(lines: &[(usize, String)], from: usize, hunk: &Hunk, pointer: Pointer) -> Answers {
    let (find, put, body) = (hunk.find(), hunk.put(), hunk.body());
    let heading = format!("def {}(cfg):", NAMES[lines[from].0]);
    let (old, new) = hunk.counts();
    let numbers = format!("@@ -{},{old} +{},{new} @@", from + 1, from + 1);
    match pointer {
        Pointer::None => plain("a.py", std::slice::from_ref(hunk)),
        Pointer::Heading => answer::diffs("a.py", &format!("@@ {heading}\n{body}")),
        Pointer::Number => answer::udiffx("a.py", &format!("{numbers}\n{body}")),
        Pointer::NumberAndHeading => answer::udiffx("a.py", &format!("{numbers} {heading}\n{body}")),
        Pointer::StartLine => answer::start_line(from + 1, "a.py", &find, &put),
        Pointer::First => answer::occurrence("first", "a.py", &find, &put),
        Pointer::Last => answer::occurrence("last", "a.py", &find, &put),
        Pointer::Second => answer::occurrence("2", "a.py", &find, &put),
        Pointer::EndOfFile => answer::patch("a.py", &format!("@@\n{body}*** End of File\n")),
    }
}

fn text(lines: &[(usize, String)], eol: &str) -> String {
    lines.iter().map(|(_, text)| format!("{text}{eol}")).collect()
}

/// Fails unless all answers have this result.
fn lands(file: &str, answers: &Answers, wanted: &str) -> Result<(), TestCaseError> {
    for (format, answer) in &answers.0 {
        match run("a.py", file, answer) {
            Ran::Changed(files, _) => prop_assert_eq!(&files["a.py"], wanted, "{} {}", format, answer),
            other => prop_assert!(false, "{} {}\n{}\n{:?}", format, answer, file, other),
        }
    }
    Ok(())
}

/// Returns the text of each function.
fn functions(text: &str) -> Vec<&str> {
    let starts: Vec<usize> = text.match_indices("def ").map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(&start, end)| &text[start..end]).collect()
}

proptest! {
    #![proptest_config(config(800))]

    /// A hunk with a heading that is run again without a record changes nothing in another function.
    #[test]
    fn a_hunk_with_a_heading_stays_in_its_function(
        lines in file(),
        region in region(),
        drift in select(DRIFTS.to_vec()),
        pointer in select(vec![Pointer::Heading, Pointer::NumberAndHeading]),
        eol in select(vec!["\n", "\n", "\r\n"]),
    ) {
        let from = region.start.index(lines.len());
        let hunk = hunk(&lines, from, &region, drift);
        if !hunk.is_sound() {
            return Ok(());
        }
        let before = text(&lines, eol);
        for (format, answer) in answers(&lines, from, &hunk, pointer).0 {
            let Ran::Changed(once, _) = run("a.py", &before, &answer) else { continue };
            let once = once["a.py"].clone();
            let Ran::Changed(twice, _) = run("a.py", &once, &answer) else { continue };
            let (before, once, twice) = (functions(&before), functions(&once), functions(&twice["a.py"]));
            // A heading without lines below it has no block.
            let is_whole = once.iter().all(|function| function.trim_end().contains('\n'));
            if is_whole && before.len() == once.len() && once.len() == twice.len() {
                for at in (0..once.len()).filter(|at| before[*at] == once[*at]) {
                    prop_assert_eq!(once[at], twice[at], "{} {}", format, &answer);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(config(400))]

    /// An edit that changes or removes what the edit before it has added, or that has it as context.
    #[test]
    fn edits_that_build_on_each_other_land(
        lines in file(),
        at in any::<Index>(),
        second in select(vec!["other = 2", "amend(cfg)"]),
        before in any::<bool>(),
        replaces in any::<bool>(),
    ) {
        let at = at.index(lines.len());
        let line = &lines[at].1;
        if !line.starts_with(' ') || lines.iter().filter(|(_, other)| other == line).count() > 1 {
            return Ok(());
        }
        let (first, second) = ("    new = 1".to_owned(), format!("    {second}"));
        let mut one = Hunk(vec![(' ', line.clone()), ('+', first.clone())]);
        let mut two = Hunk(vec![
            (' ', line.clone()),
            (if replaces { '-' } else { ' ' }, first.clone()),
            ('+', second.clone()),
        ]);
        let mut added = if replaces { vec![second] } else { vec![first, second] };
        if before {
            one.0.reverse();
            two.0.rotate_right(1);
            two.0.swap(1, 2);
            added.reverse();
        }
        let added = added.into_iter().map(|line| (0, line));
        let mut wanted = lines.clone();
        let place = if before { at } else { at + 1 };
        wanted.splice(place..place, added);
        let (file, wanted) = (text(&lines, "\n"), text(&wanted, "\n"));
        lands(&file, &plain("a.py", std::slice::from_ref(&one)).then(plain("a.py", std::slice::from_ref(&two))), &wanted)?;
        // All hunks of one patch are for the file as it was, so these formats cannot express it.
        let mut edits = plain("a.py", &[one, two]);
        edits.0.retain(|(format, _)| !["apply-patch", "diff", "file-changes"].contains(format));
        lands(&file, &edits, &wanted)?;
    }

    /// Lines that are removed at one place and added at another, in any order.
    #[test]
    fn lines_that_are_moved_land(
        lines in file(),
        from in any::<Index>(),
        to in any::<Index>(),
        adds_first in any::<bool>(),
    ) {
        let (from, to) = (from.index(lines.len()), to.index(lines.len()));
        let is_only = |at: usize| lines.iter().filter(|(_, line)| *line == lines[at].1).count() == 1;
        let is_body = |at: usize| lines[at].1.starts_with(' ') && is_only(at);
        if from.abs_diff(to) < 2 || from == 0 || !is_body(from) || !is_body(to) || !is_only(from - 1) {
            return Ok(());
        }
        let (moved, above, there) = (&lines[from].1, &lines[from - 1].1, &lines[to].1);
        let removal = Hunk(vec![(' ', above.clone()), ('-', moved.clone())]);
        let addition = Hunk(vec![(' ', there.clone()), ('+', moved.clone())]);
        let mut wanted = lines.clone();
        wanted.insert(to + 1, lines[from].clone());
        wanted.remove(if to < from { from + 1 } else { from });
        let edits = if adds_first { [addition, removal] } else { [removal, addition] };
        lands(&text(&lines, "\n"), &plain("a.py", &edits), &text(&wanted, "\n"))?;
    }

    /// A draft and the final answer in one response have the result of the final answer.
    #[test]
    fn a_response_that_stands_twice_in_one_is_made_once(
        lines in file(),
        region in region(),
        pointer in select(POINTERS.to_vec()),
    ) {
        let from = region.start.index(lines.len());
        let hunk = hunk(&lines, from, &region, Drift::None);
        if !hunk.is_sound() {
            return Ok(());
        }
        let file = text(&lines, "\n");
        let one = answers(&lines, from, &hunk, pointer);
        let both = one.clone().then(one.clone());
        for ((format, one), (_, both)) in one.0.iter().zip(&both.0) {
            if let (Ran::Changed(one, _), Ran::Changed(twice, _)) = (run("a.py", &file, one), run("a.py", &file, both)) {
                prop_assert_eq!(&one["a.py"], &twice["a.py"], "{} {}", format, both);
            }
        }
    }
}
