//! Changes that are rendered in a format and applied again give the original files, for every format that can express
//! them.

use crate::corpus;

use crate::writing::{Reason, Rendered, Unrepresentable, render};
use corpus::{Files, Outcome, rules, run};
use git_llm_apply::format::FORMATS;
use proptest::prelude::*;

/// A file before and after; `None` if there is none.
type Change = (Option<String>, Option<String>);

fn rendered<'a>(path: &'a str, (before, after): &'a Change) -> Rendered<'a> {
    let bytes = |text: &'a Option<String>| text.as_ref().map(String::as_bytes);
    Rendered { path, before: bytes(before), after: bytes(after), renamed_from: None, why: Some("Because.") }
}

fn files(entries: &[(&str, &Option<String>)]) -> Files {
    let there =
        entries.iter().filter_map(|(path, text)| Some(((*path).to_owned(), (*text).clone()?.into_bytes())));
    there.collect()
}

/// Renders the change in every format and applies the result. Returns the formats that could not express it.
#[track_caller]
fn round_trip(
    changes: &[Rendered<'_>],
    before: &Files,
    after: &Files,
) -> Vec<(&'static str, Unrepresentable)> {
    let mut unrepresentable = Vec::new();
    for format in FORMATS.iter().filter(|format| format.id.is_detected()) {
        let response = match render(format.id, changes) {
            Ok(response) => response,
            Err(reason) => {
                unrepresentable.push((format.id.as_str(), reason));
                continue;
            }
        };
        match run(response.clone().into_bytes(), None, before, &rules()) {
            Outcome::Lands(files) if files == *after => {}
            Outcome::NoEdits if before == after => {}
            outcome => {
                panic!(
                    "{} from {before:?} to {after:?}:\n{response}\n{}",
                    format.id.as_str(),
                    outcome.describe()
                )
            }
        }
    }
    unrepresentable
}

/// Lines that are often equal, so that places are hard to tell apart.
fn line() -> impl Strategy<Value = &'static str> {
    const LINES: &[&str] = &[
        "a",
        "b",
        "c",
        "",
        "}",
        "  a",
        "x = 1",
        "x = 1 ",
        "\u{b}",
        "max = 1",
        "=======",
        ">>>",
        "<edit>",
        "</put>",
        "*** End Patch",
    ];
    prop::sample::select(LINES)
}

/// Lines of a Markdown file, in which fences are content.
fn line_of_a_document() -> impl Strategy<Value = &'static str> {
    prop::sample::select(
        &["a\n", "<b>\n", "\n", "```\n", "```sh\n", "```md\n", "````\n", "~~~~\n", "</FILE_NEW>\n"][..],
    )
}

fn text(lines: &[&str], ending: &str, last: bool) -> String {
    let mut text = lines.join(ending);
    if last && !lines.is_empty() {
        text.push_str(ending);
    }
    text
}

/// Generates a text, and one that differs from it in a few places.
fn texts() -> impl Strategy<Value = (Vec<&'static str>, Vec<&'static str>)> {
    let edits =
        prop::collection::vec((any::<prop::sample::Index>(), 0..3_usize, prop::option::of(line())), 0..5);
    (prop::collection::vec(line(), 0..25), edits).prop_map(|(before, edits)| {
        let mut after = before.clone();
        for (at, removed, added) in edits {
            let at = at.index(after.len() + 1);
            let end = (at + removed).min(after.len());
            after.splice(at..end, added);
        }
        (before, after)
    })
}

proptest! {
    // PROPTEST_CASES may ask for more cases.
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(500)))]

    #[test]
    fn a_changed_file((before, after) in texts(), crlf: bool, last_before: bool, last_after: bool) {
        let ending = if crlf { "\r\n" } else { "\n" };
        let change = (Some(text(&before, ending, last_before)), Some(text(&after, ending, last_after)));
        let changes = [rendered("src/a", &change)];
        round_trip(&changes, &files(&[("src/a", &change.0)]), &files(&[("src/a", &change.1)]));
    }

    #[test]
    fn plain_text_can_be_changed_in_every_format(
        before in prop::collection::vec("[abc]", 1..25),
        after in prop::collection::vec("[abc]", 1..25),
    ) {
        let change = (Some(before.join("\n") + "\n"), Some(after.join("\n") + "\n"));
        let changes = [rendered("src/a", &change)];
        let not = round_trip(&changes, &files(&[("src/a", &change.0)]), &files(&[("src/a", &change.1)]));
        prop_assert_eq!(not, []);
    }

    #[test]
    fn files_that_come_go_and_stay(
        first in prop::option::of(texts()), second in prop::option::of(texts()), third in texts(),
    ) {
        let join = |lines: &[&str]| Some(text(lines, "\n", true));
        let come = (None, first.map(|(text, _)| join(&text)).unwrap_or_default());
        let go = (second.map(|(text, _)| join(&text)).unwrap_or_default(), None);
        let stay = (join(&third.0), join(&third.1));
        let changes = [rendered("come", &come), rendered("b/go.txt", &go), rendered("stay me.txt", &stay)];
        let before = files(&[("come", &come.0), ("b/go.txt", &go.0), ("stay me.txt", &stay.0)]);
        let after = files(&[("come", &come.1), ("b/go.txt", &go.1), ("stay me.txt", &stay.1)]);
        round_trip(&changes, &before, &after);
    }

    #[test]
    fn a_document_with_fences_that_comes(lines in prop::collection::vec(line_of_a_document(), 1..8)) {
        let come = (None, Some(lines.concat()));
        round_trip(&[rendered("a.md", &come)], &Files::new(), &files(&[("a.md", &come.1)]));
    }

    #[test]
    fn a_file_that_moves((before, after) in texts()) {
        let change = (Some(text(&before, "\n", true)), Some(text(&after, "\n", true)));
        let changes = [Rendered { renamed_from: Some("old"), ..rendered("new/one", &change) }];
        round_trip(&changes, &files(&[("old", &change.0)]), &files(&[("new/one", &change.1)]));
    }
}

#[test]
fn texts_that_are_wholly_one_fence_keep_it() {
    let [old, new] = ["a", "b"].map(|line| format!("```md\n{line}\n```\n"));
    for (before, after) in
        [(None, Some(&new)), (Some(&old), Some(&new)), (Some(&old), Some(&"x\n".to_owned()))]
    {
        let change = (before.cloned(), after.cloned());
        let (old, new) = (files(&[("a.md", &change.0)]), files(&[("a.md", &change.1)]));
        assert_eq!(round_trip(&[rendered("a.md", &change)], &old, &new), []);
    }
}

#[test]
fn what_no_format_can_say_is_said_to_be_so() {
    let change = (Some("a\n".to_owned()), Some("a\0\n".to_owned()));
    let changes = [rendered("a", &change)];
    let not = round_trip(&changes, &Files::new(), &Files::new());
    assert_eq!(not.len(), FORMATS.iter().filter(|format| format.id.is_detected()).count());
    for (format, error) in not {
        assert_eq!(error, Unrepresentable { path: "a".into(), reason: Reason::Binary }, "{format}");
    }
}

#[test]
fn what_ends_the_file_without_a_newline_is_not_there_because_it_stands_elsewhere() {
    let before = "\nb\na\n\na\na\na\na\na\nb\na\nb\na".to_owned();
    let after = "\na\na\na\na\na\nb\na\nb".to_owned();
    let change = (Some(before), Some(after));
    round_trip(
        &[rendered("src/a", &change)],
        &files(&[("src/a", &change.0)]),
        &files(&[("src/a", &change.1)]),
    );
}

#[test]
fn a_last_line_that_loses_its_newline_with_the_line_behind_it_does() {
    for (before, after) in
        [("b\na", "b"), ("x\nb\na\n", "x\nb"), ("b\n", "b"), ("b", "b\n"), ("b\na\n", "a\nb")]
    {
        let change = (Some(before.to_owned()), Some(after.to_owned()));
        let (old, new) = (files(&[("src/a", &change.0)]), files(&[("src/a", &change.1)]));
        round_trip(&[rendered("src/a", &change)], &old, &new);
    }
}

#[test]
fn a_change_of_blank_lines_is_made_once() {
    for (before, after) in [
        ("}\r\n\u{b}\r\n\r\n", "a\r\n}\r\n\u{b}\r\n"),
        ("a\nb\n\n\n\n\u{b}\n\n", "a\nb\n\n\n\n\u{b}\n"),
        ("a\na\na\na\na\n\u{b}", "a\na\na\na\na\n====\n\u{b}"),
        ("\n\n>>>\nb\nc\n\n====\n", "\n>>>\nb\nc\n====\n"),
        ("\n\n>>>\nb\nc\n\n====\na\na\na\na\na\na\n", "\n>>>\nb\nc\n====\na\na\na\nb\na\na\na\n"),
    ] {
        let change = (Some(before.to_owned()), Some(after.to_owned()));
        let (old, new) = (files(&[("src/a", &change.0)]), files(&[("src/a", &change.1)]));
        round_trip(&[rendered("src/a", &change)], &old, &new);
    }
}

#[test]
fn a_hunk_is_not_made_where_its_result_begins_inside_its_before_text() {
    let before = "end\na\nend\nb\na\na\na\na\na\na\na\n>>>\nx = 1\n>>>\nx = 1\n";
    let after = "end\nb\na\na\na\na\na\na\na\n>>>\nx = 1\n";
    let change = (Some(before.to_owned()), Some(after.to_owned()));
    let (old, new) = (files(&[("src/a", &change.0)]), files(&[("src/a", &change.1)]));
    round_trip(&[rendered("src/a", &change)], &old, &new);
}
