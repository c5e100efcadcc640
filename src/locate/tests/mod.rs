//! Tests of where hunks are located, and which are refused.

mod anchored;
mod base;
mod blanks;
mod elision;
mod indentation;
mod loose;
mod numbered;

use super::*;
use crate::diag::Code;
use crate::edit::{Anchor, Change, Occurrence, Unit};
use crate::span::Span;
use crate::text::Content;

pub(super) const LIMITS: Limits = Limits {
    max_fuzz: Tier::Similar,
    guard: Guard {
        allow_placeholder: false,
        allow_markers: false,
        allow_escaped: false,
        language: Language::UNKNOWN,
        format: None,
    },
};

/// Applies hunks that are the only ones of a response.
pub(super) fn apply_to(
    version: &Version,
    hunks: &[Hunk],
    repeats: &[Repeat],
    limits: &Limits,
) -> Result<Applied, Vec<Refusal>> {
    let others: Vec<&Hunk> = hunks.iter().collect();
    let budget = Budget::default();
    apply(version, hunks, &Context { repeats, others: &others, ..Context::new(limits, &budget) })
}

pub(super) fn hunk(before: &str, after: &str) -> Hunk {
    let change = Change::Texts { before: before.into(), after: after.into(), unit: Unit::Lines };
    Hunk { span: Span::new(0, 0, 0), change, anchor: Anchor::Unique }
}

pub(super) fn text_hunk(before: &str, after: &str) -> Hunk {
    let change = Change::Texts { before: before.into(), after: after.into(), unit: Unit::Text };
    Hunk { change, ..hunk("", "") }
}

pub(super) fn version(file: &str) -> Version {
    Version::of_base(Content::new(file.as_bytes()))
}

pub(super) fn run(file: &str, hunks: &[Hunk]) -> Result<Applied, Vec<Refusal>> {
    apply_to(&version(file), hunks, &vec![Repeat::ONCE; hunks.len()], &LIMITS)
}

/// Returns the file with the hunks applied, or the code of the refusal.
#[track_caller]
pub(super) fn made(file: &str, hunks: &[Hunk]) -> Result<String, Code> {
    match run(file, hunks) {
        Ok(applied) => Ok(String::from_utf8(applied.version.content().to_bytes()).unwrap()),
        Err(refusals) => Err(refusals[0].code),
    }
}

pub(super) fn ok(text: &str) -> Result<String, Code> {
    Ok(text.to_owned())
}

#[test]
fn whole_lines_are_replaced_and_all_else_stays() {
    assert_eq!(made("a\nb\nc\n", &[hunk("b\n", "x\ny\n")]), ok("a\nx\ny\nc\n"));
    assert_eq!(made("a\nb\nc\n", &[hunk("b\n", "")]), ok("a\nc\n"));
    assert_eq!(
        made("a\nab\n", &[hunk("b\n", "x\n")]),
        Err(Code::SearchNotFound),
        "part of a line is no place"
    );
}

#[test]
fn added_lines_take_the_regions_line_ending_and_kept_lines_keep_theirs() {
    assert_eq!(made("a\r\nb\r\n", &[hunk("a\nb\n", "a\nx\nb\n")]), ok("a\r\nx\r\nb\r\n"));
    // A file with LF and a part with CRLF: added lines take the ending of their part.
    assert_eq!(
        made("1\n2\n3\n4\na\r\nb\r\nc\n", &[hunk("a\nb\nc\n", "a\nx\nb\nc\n")]),
        ok("1\n2\n3\n4\na\r\nx\r\nb\r\nc\n")
    );
    assert_eq!(made("a\rb\r", &[hunk("b\n", "x\ny\n")]), ok("a\rx\ry\r"));
}

#[test]
fn a_place_with_other_line_endings_is_an_equal_match() {
    // The line endings of the response say nothing, so the place with LF is not more likely.
    assert_eq!(made("x\r\n-\nx\n", &[hunk("x\n", "y\n")]), Err(Code::SearchAmbiguous));
    assert_eq!(made("x\n-\nx", &[hunk("x\n", "y\n")]), Err(Code::SearchAmbiguous));
}

#[test]
fn the_tier_says_whether_line_ends_differ() {
    let tier = |file: &str| run(file, &[hunk("a\n", "b\n")]).unwrap().matched[0].tier;
    assert_eq!(tier("a\n"), Tier::Exact);
    assert_eq!(tier("a\r\n"), Tier::Eol);
    assert_eq!(tier("a"), Tier::Eol);
    assert_eq!(tier("\u{feff}a\n"), Tier::Eol);
    assert_eq!(tier("\u{feff}x\na\n"), Tier::Exact);
}

#[test]
fn a_last_line_that_is_not_touched_keeps_its_missing_newline() {
    assert_eq!(made("a\nb", &[hunk("a\nb\n", "x\nb\n")]), ok("x\nb"));
    assert_eq!(made("a\nb", &[hunk("b\n", "")]), ok("a\n"));
    assert_eq!(made("\u{feff}a\nb\n", &[hunk("a\n", "x\n")]), ok("\u{feff}x\nb\n"));
}

#[test]
fn only_a_diff_tells_whether_the_last_line_has_a_newline() {
    for hunk in [hunk, text_hunk] {
        assert_eq!(made("a\nb", &[hunk("b\n", "x\n")]), ok("a\nx"));
        assert_eq!(made("a\nb\n", &[hunk("b\n", "x\n")]), ok("a\nx\n"));
        assert_eq!(made("a\nb", &[hunk("b\n", "b\nc\n")]), ok("a\nb\nc"));
        assert_eq!(made("a\r\nb", &[hunk("b\n", "b\nc\n")]), ok("a\r\nb\r\nc"));
        assert_eq!(made("a\nb", &[hunk("b\n", "x\nb\n")]), ok("a\nx\nb"));
    }
    let diff = |lines: &str| Hunk {
        change: Change::Diff { lines: lines.into(), before_unterminated: false, after_unterminated: false },
        ..hunk("", "")
    };
    assert_eq!(made("a\nb", &[diff("-b\n+x\n")]), ok("a\nx\n"));
    assert_eq!(made("a\nb", &[diff(" b\n+x\n")]), ok("a\nb\nx\n"));
    assert_eq!(made("a\nb", &[diff("-a\n+x\n b\n")]), ok("x\nb"));
}

#[test]
fn part_of_a_line_is_replaced_only_in_opx() {
    assert_eq!(
        made("max = 10\nif x = 1;\n", &[text_hunk("x = 1\n", "x = 2\n")]),
        ok("max = 10\nif x = 2;\n")
    );
    assert_eq!(made("max = 10\n", &[text_hunk("x = 1\n", "x = 2\n")]), Err(Code::SearchNotFound));
    assert_eq!(made("f(a, b);\n", &[text_hunk(", b\n", "")]), ok("f(a);\n"));
    assert_eq!(
        made("f(1,\r\n  2);\r\n", &[text_hunk("1,\n  2\n", "1,\n  2,\n  3\n")]),
        Err(Code::SearchNotFound),
        "several lines are whole ones"
    );
    assert_eq!(
        made("x = f(a);\n", &[text_hunk("f(a)\n", "f(\n  a,\n)\n")]),
        Err(Code::SearchNotFound),
        "nothing says how further lines are to be indented"
    );
    // A whole line is meant if one matches.
    assert_eq!(made("x\ny = x\n", &[text_hunk("x\n", "z\n")]), ok("z\ny = x\n"));
}

#[test]
fn several_places_are_refused_with_all_their_lines() {
    let refusal = run("x\nx\nx\n", &[hunk("x\nx\n", "y\n")]).unwrap_err().remove(0);
    assert_eq!(refusal.code, Code::SearchAmbiguous);
    assert_eq!(refusal.evidence.unwrap().candidates, [1, 2], "overlapping places count");
}

#[test]
fn occurrence_chooses_among_all_places() {
    let with = |occurrence| Hunk { anchor: Anchor::Occurrence(occurrence), ..hunk("x\n", "y\n") };
    let nth = |n| Occurrence::Nth(std::num::NonZeroU32::new(n).unwrap());
    let file = "x\n-\nx\n-\nx";
    assert_eq!(made(file, &[with(Occurrence::First)]), ok("y\n-\nx\n-\nx"));
    assert_eq!(made(file, &[with(nth(2))]), ok("x\n-\ny\n-\nx"));
    assert_eq!(made(file, &[with(Occurrence::Last)]), ok("x\n-\nx\n-\ny"));
    assert_eq!(made(file, &[with(nth(4))]), Err(Code::OccurrenceRange));
    assert_eq!(made("-\n", &[with(Occurrence::First)]), Err(Code::SearchNotFound));
}

#[test]
fn an_insertion_is_applied_once() {
    let insertion = [hunk("a\n", "a\nb\n")];
    let once = run("a\nc\n", &insertion).unwrap();
    assert_eq!((once.outcome, once.version.content().to_bytes()), (Outcome::Changes, b"a\nb\nc\n".to_vec()));
    let twice = run("a\nb\nc\n", &insertion).unwrap();
    assert_eq!(
        (twice.outcome, twice.version.content().to_bytes()),
        (Outcome::AlreadyApplied, b"a\nb\nc\n".to_vec())
    );
    // The second `a` has no `b` yet, but the first one may be meant.
    assert_eq!(made("a\nb\na\n", &insertion), Err(Code::SearchAmbiguous));
    // Matches where the hunk is already applied count, too. Otherwise a second run would take the next match.
    let first = Hunk { anchor: Anchor::Occurrence(Occurrence::First), ..hunk("a\n", "a\nb\n") };
    assert_eq!(run("a\nb\na\n", &[first]).unwrap().outcome, Outcome::AlreadyApplied);
    assert_eq!(run("f(x + 1)\n", &[text_hunk("x\n", "x + 1\n")]).unwrap().outcome, Outcome::AlreadyApplied);
}

#[test]
fn a_result_of_three_lines_that_matches_once_is_already_applied() {
    let change = hunk("a\nx\nc\n", "a\ny\nc\n");
    let outcome =
        |file: &str, edit: &Hunk| run(file, std::slice::from_ref(edit)).map(|applied| applied.outcome);
    assert_eq!(outcome("-\na\ny\nc\n", &change).unwrap(), Outcome::AlreadyApplied);
    let removal = hunk("a\nx\nb\nc\n", "a\nb\nc\n");
    assert_eq!(outcome("a\nb\nc\n", &removal).unwrap(), Outcome::AlreadyApplied);
    for (file, edit, why) in [
        ("a\ny\nc\na\ny\nc\n", change.clone(), "which of the two?"),
        ("a\ny\nc\na\nc\n", change, "the other one may be meant"),
        ("a\nc\n", hunk("a\nb\nc\n", "a\nc\n"), "two lines match by chance"),
        ("a\ny\n", hunk("x\n", "a\ny\n"), "no line is kept"),
        ("a\nb\nc\n", hunk("x\na\nb\nc\n", "a\nb\nc\n"), "no line before the removed one"),
    ] {
        assert_eq!(made(file, &[edit]), Err(Code::SearchNotFound), "{why}");
    }
}

#[test]
fn a_match_inside_the_result_is_already_applied() {
    let applied = run("if a = b + 1 {\n", &[text_hunk("a = b\n", "a = b + 1\n")]).unwrap();
    assert_eq!(applied.outcome, Outcome::AlreadyApplied);
}

#[test]
fn a_result_elsewhere_does_not_hide_a_conflict() {
    let second = hunk("foo(1)\n", "bar()\n");
    let first = hunk("foo(1)\n", "foo(2)\n");
    assert_eq!(made("foo(1)\nbar()\n", &[first, second]), Err(Code::Conflict));
}

#[test]
fn an_empty_search_text_matches_only_an_empty_file() {
    assert_eq!(made("", &[hunk("", "a\nb\n")]), ok("a\nb\n"));
    assert_eq!(made("x\n", &[hunk("", "a\n")]), Err(Code::AlreadyExists));
    assert_eq!(run("a\nb\n", &[hunk("", "a\nb\n")]).unwrap().outcome, Outcome::AlreadyApplied);
}

#[test]
fn hunks_see_the_result_of_those_before() {
    assert_eq!(made("a\n", &[hunk("a\n", "b\n"), hunk("b\n", "c\n")]), ok("c\n"));
    let refusals = run("a\n", &[hunk("q\n", "b\n"), hunk("a\n", "c\n"), hunk("r\n", "d\n")]).unwrap_err();
    assert_eq!(
        refusals.iter().map(|refusal| refusal.hunk).collect::<Vec<_>>(),
        [0, 2],
        "all failures at once"
    );
}

#[test]
fn equal_hunks_take_equal_places_in_order() {
    let edit = hunk("x\n", "y\n");
    let mut now = version("x\n-\nx\n");
    for index in 0..2 {
        let repeat = Repeat { total: 2, index, elsewhere: 0 };
        let applied = apply_to(&now, std::slice::from_ref(&edit), &[repeat], &LIMITS).unwrap();
        now = applied.version;
    }
    assert_eq!(now.content().to_bytes(), b"y\n-\ny\n");
    let try_at = |file: &str, repeat| {
        let outcome = apply_to(&version(file), std::slice::from_ref(&edit), &[repeat], &LIMITS);
        outcome.map(|applied| applied.outcome).map_err(|refusals| refusals[0].code)
    };
    let two = Repeat { total: 2, index: 0, elsewhere: 0 };
    assert_eq!(try_at("x\nx\nx\n", two), Err(Code::SearchAmbiguous), "two edits for three places");
    let late = Repeat { index: 1, ..two };
    assert_eq!(try_at("x\n", late), Ok(Outcome::Changes), "one place is one place");
    let again = Repeat { total: 1, index: 0, elsewhere: 1 };
    assert_eq!(try_at("y\n", again), Ok(Outcome::AlreadyApplied));
    assert_eq!(try_at("y\nx\n", again), Ok(Outcome::AlreadyApplied), "it did not mean the other place then");
}

#[test]
fn equal_hunks_do_not_take_overlapping_places() {
    let edit = hunk("x\nx\n", "y\n");
    let repeat = Repeat { total: 2, index: 0, elsewhere: 0 };
    let refusals = apply_to(&version("x\nx\nx\n"), &[edit], &[repeat], &LIMITS).unwrap_err();
    assert_eq!(refusals[0].code, Code::SearchAmbiguous);
}

#[test]
fn the_longest_search_text_that_the_file_has_is_meant() {
    let lines = "a\n=======\nb\n=======\nc\n".to_owned();
    let change = Change::Splits { lines: lines.into(), dividers: vec![2, 12] };
    let hunk = Hunk { change, ..hunk("", "") };
    assert_eq!(made("a\n=======\nb\n", std::slice::from_ref(&hunk)), ok("c\n"));
    assert_eq!(made("a\nq\n", std::slice::from_ref(&hunk)), ok("b\n=======\nc\nq\n"));
    assert_eq!(made("q\n", std::slice::from_ref(&hunk)), Err(Code::SearchNotFound));
    // The file has the result of the longest reading only by chance.
    assert_eq!(made("a\nc\n", &[hunk]), ok("b\n=======\nc\nc\n"));
}

#[test]
fn a_hunk_with_equal_texts_changes_nothing() {
    assert_eq!(run("a\n", &[hunk("a\n", "a\n")]).unwrap().outcome, Outcome::NoChange);
}

/// Returns the tier of a hunk and the file with the hunk applied, or the code of the refusal.
#[track_caller]
pub(super) fn tier(file: &str, before: &str, after: &str) -> Result<(Tier, String), Code> {
    match run(file, &[hunk(before, after)]) {
        Ok(applied) => {
            assert_eq!(applied.outcome, Outcome::Changes);
            Ok((applied.matched[0].tier, String::from_utf8(applied.version.content().to_bytes()).unwrap()))
        }
        Err(refusals) => Err(refusals[0].code),
    }
}

pub(super) fn at(tier: Tier, text: &str) -> Result<(Tier, String), Code> {
    Ok((tier, text.to_owned()))
}

#[test]
fn trailing_whitespace_of_kept_lines_stays_as_in_the_file() {
    let file = "a  \nb\t\nc\n";
    assert_eq!(tier(file, "a\nb\nc\n", "a\nx\nc\n"), at(Tier::TrailingSpace, "a  \nx\nc\n"));
    assert_eq!(
        tier("a\nb\n", "a  \nb\n", "a  \nx\n"),
        at(Tier::TrailingSpace, "a\nx\n"),
        "nor do the model's get in"
    );
}

#[test]
fn an_edit_may_change_only_trailing_whitespace() {
    assert_eq!(tier("a \nb\n", "a \n", "a\n"), at(Tier::Exact, "a\nb\n"));
    assert_eq!(run("a\nb\n", &[hunk("a \n", "a\n")]).unwrap().outcome, Outcome::AlreadyApplied);
}

#[test]
fn a_looser_tier_does_not_choose_between_two_matches_of_a_stricter_one() {
    assert_eq!(tier("a \na\n", "a\n", "x\n"), at(Tier::Exact, "a \nx\n"));
    assert_eq!(tier("a \na\t\n", "a\n", "x\n"), Err(Code::SearchAmbiguous));
}

#[test]
fn look_alikes_of_kept_lines_stay_as_in_the_file() {
    let file = "say “hi”\nx – y\ncafe\u{301}\n";
    assert_eq!(
        tier(file, "say \"hi\"\nx - y\ncaf\u{e9}\n", "say \"hi\"\nx + y\ncaf\u{e9}\n"),
        at(Tier::Unicode, "say “hi”\nx + y\ncafe\u{301}\n")
    );
    assert_eq!(
        tier("  a\u{a0}b\n  c\n", "a b\nc\n", "a b\nd\n"),
        at(Tier::Unicode, "  a\u{a0}b\n  d\n"),
        "with another indentation"
    );
    assert_eq!(tier("a…\n", "a...\n", "b\n"), Err(Code::SearchNotFound));
}

#[test]
fn the_number_of_blank_lines_may_differ_and_stays() {
    assert_eq!(tier("a\n\n\nb\nc\n", "a\nb\nc\n", "a\nb\nx\n"), at(Tier::BlankLines, "a\n\n\nb\nx\n"));
    assert_eq!(tier("a\nb\nc\n", "\na\n\nb\n", "\na\n\nx\n"), at(Tier::BlankLines, "a\nx\nc\n"));
    assert_eq!(
        tier("a\n\nb\nc\n", "a\nb\n", "x\n"),
        Err(Code::SearchAmbiguous),
        "a blank line would go of which the text does not speak"
    );
    assert_eq!(
        tier("a\n\nb\n", "a\nb\n", "a\nx\nb\n"),
        Err(Code::SearchAmbiguous),
        "before the blank line or behind it?"
    );
    assert_eq!(
        tier("  a\n\n  b\n", "a\nb\n", "a\nx\n"),
        at(Tier::BlankLines, "  a\n\n  x\n"),
        "with another indentation"
    );
    assert_eq!(tier("a\n\nb\na\n\n\nb\n", "a\nb\n", "a\nx\n"), Err(Code::SearchAmbiguous));
}

#[test]
fn a_blank_line_at_the_edge_of_an_opx_find_is_a_whole_line() {
    // Found by the accuracy benchmark: the place where the trailing whitespace differs is meant.
    let file = "\na;\nb; \n\nc;\na;\nb;\n\n";
    let place = "\na;\nb;\n\n";
    let mut part = hunk(place, "\na;\nx;\nb;\n\n");
    if let Change::Texts { unit, .. } = &mut part.change {
        *unit = Unit::Text;
    }
    let applied = run(file, &[part]).unwrap();
    let made = String::from_utf8(applied.version.content().to_bytes()).unwrap();
    assert_eq!(made, "\na;\nx;\nb; \n\nc;\na;\nb;\n\n");
}

#[test]
fn a_short_result_proves_nothing_if_the_search_text_nearly_matches_elsewhere() {
    let file = "def a():\n    return 1  # x\n\ndef b():\n    return None\n";
    let edit = hunk("    return 1\n", "    return None\n");
    assert_eq!(made(file, std::slice::from_ref(&edit)), Err(Code::SearchNotFound));
    let file = "timeout: 30,\nother:\n  timeout: 60\n";
    assert_eq!(made(file, &[hunk("  timeout: 30\n", "  timeout: 60\n")]), Err(Code::SearchNotFound));
    let file = "f() {\n  }\n  g(1);\n}\nh() {\n  i {\n  }\n}\n";
    assert_eq!(
        made(file, &[hunk("  }\n  g();\n}\n", "  }\n}\n")]),
        Err(Code::SearchNotFound),
        "any brackets"
    );
    let exact = Limits { max_fuzz: Tier::Eol, ..LIMITS };
    let edit = [hunk("x = 1\n", "x = 2\n")];
    let refused = apply_to(&version("  x = 1\nx = 2\n"), &edit, &[Repeat::ONCE], &exact);
    assert_eq!(refused.unwrap_err()[0].code, Code::SearchNotFound, "too loose a place is one");
}
