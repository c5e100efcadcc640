//! Whole diffs between two versions of a file.

use super::{config, diff, run};
use git_llm_apply::edit::{Anchor, Hunk};
use git_llm_apply::locate::Outcome;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use similar::{ChangeTag, TextDiff};

/// Generates two versions of a file with few different lines, so that places repeat.
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

/// Returns the hunks of a unified diff with that many context lines: the first old line, from 1, and the marked lines.
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

/// Returns whether the file has the result of some hunk. Such a hunk may count as already applied.
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

    /// A correct diff gives the new version or is refused; it never gives another one. If no line occurs twice, it
    /// lands.
    #[test]
    fn a_diff_makes_the_new_version_or_nothing(
        (old, new) in prop_oneof![versions(3), versions(12)],
        numbered in any::<bool>(),
        context in 1..4_usize,
        eol in select(vec!["\n", "\r\n"]),
    ) {
        let (old, new) = (old.concat(), new.concat());
        // An empty file has no line ending.
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
            .map(|(_, lines)| diff(&lines, Anchor::Seek { headings: Vec::new(), end_of_file: false }))
            .collect();
        if let Ok(applied) = run(old.as_bytes(), &chunks)
            && applied.outcome == Outcome::Changes
        {
            prop_assert_eq!(String::from_utf8(applied.version.content().to_bytes()).unwrap(), new);
        }
    }
}
