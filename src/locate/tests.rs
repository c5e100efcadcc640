use super::*;
use crate::diag::Code;
use crate::edit::{Anchor, Change, Occurrence, Unit};
use crate::span::Span;

pub(super) const LIMITS: Limits =
    Limits { max_fuzz: Tier::Similar, allow_placeholder: false, allow_markers: false };

pub(super) fn hunk(before: &str, after: &str) -> Hunk {
    let change = Change::Texts { before: before.into(), after: after.into(), unit: Unit::Lines };
    Hunk { span: Span::new(0, 0, 0), change, anchor: Anchor::Unique }
}

pub(super) fn text_hunk(before: &str, after: &str) -> Hunk {
    let change = Change::Texts { before: before.into(), after: after.into(), unit: Unit::Text };
    Hunk { change, ..hunk("", "") }
}

pub(super) fn run(file: &str, hunks: &[Hunk]) -> Result<Applied, Vec<Refusal>> {
    apply(&Content::new(file.as_bytes()), None, hunks, &vec![Repeat::ONCE; hunks.len()], &LIMITS)
}

/// What the file becomes, or the code of the refusal.
#[track_caller]
pub(super) fn made(file: &str, hunks: &[Hunk]) -> Result<String, Code> {
    match run(file, hunks) {
        Ok(applied) => Ok(String::from_utf8(applied.content.to_bytes()).unwrap()),
        Err(refusals) => Err(refusals[0].code),
    }
}

fn ok(text: &str) -> Result<String, Code> {
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
    // A file of LF with a CRLF part: the part's own ending is taken.
    assert_eq!(
        made("1\n2\n3\n4\na\r\nb\r\nc\n", &[hunk("a\nb\nc\n", "a\nx\nb\nc\n")]),
        ok("1\n2\n3\n4\na\r\nx\r\nb\r\nc\n")
    );
    assert_eq!(made("a\rb\r", &[hunk("b\n", "x\ny\n")]), ok("a\rx\ry\r"));
}

#[test]
fn a_place_with_other_line_ends_counts_as_much_as_one_with_the_payloads() {
    // The payload's own line ends say nothing, so the LF place is not the likelier one.
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
    assert_eq!(
        made("a\nb", &[hunk("b\n", "x\n")]),
        ok("a\nx\n"),
        "touched: a payload line ends with a newline"
    );
    assert_eq!(made("a\nb", &[hunk("b\n", "b\nc\n")]), ok("a\nb\nc\n"));
    assert_eq!(made("a\nb", &[hunk("b\n", "")]), ok("a\n"));
    assert_eq!(made("\u{feff}a\nb\n", &[hunk("a\n", "x\n")]), ok("\u{feff}x\nb\n"));
}

#[test]
fn a_text_between_markers_says_nothing_of_the_last_lines_newline() {
    assert_eq!(made("a\nb", &[text_hunk("b\n", "x\n")]), ok("a\nx"));
    assert_eq!(made("a\nb\n", &[text_hunk("b\n", "x\n")]), ok("a\nx\n"));
}

#[test]
fn part_of_a_line_is_replaced_only_by_a_format_of_texts() {
    assert_eq!(
        made("max = 10\nif x = 1;\n", &[text_hunk("x = 1\n", "x = 2\n")]),
        ok("max = 10\nif x = 2;\n")
    );
    assert_eq!(made("max = 10\n", &[text_hunk("x = 1\n", "x = 2\n")]), Err(Code::SearchNotFound));
    assert_eq!(made("f(a, b);\n", &[text_hunk(", b\n", "")]), ok("f(a);\n"));
    assert_eq!(
        made("f(1,\r\n  2);\r\n", &[text_hunk("1,\n  2\n", "1,\n  2,\n  3\n")]),
        ok("f(1,\r\n  2,\r\n  3);\r\n")
    );
    // A whole line is what was meant, if there is one.
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
    assert_eq!(made(file, &[with(Occurrence::Last)]), ok("x\n-\nx\n-\ny\n"));
    assert_eq!(made(file, &[with(nth(4))]), Err(Code::OccurrenceRange));
    assert_eq!(made("-\n", &[with(Occurrence::First)]), Err(Code::SearchNotFound));
}

#[test]
fn an_insertion_that_is_there_is_not_made_twice() {
    let insertion = [hunk("a\n", "a\nb\n")];
    let once = run("a\nc\n", &insertion).unwrap();
    assert_eq!((once.effect, once.content.to_bytes()), (Effect::Changed, b"a\nb\nc\n".to_vec()));
    let twice = run("a\nb\nc\n", &insertion).unwrap();
    assert_eq!((twice.effect, twice.content.to_bytes()), (Effect::AlreadyApplied, b"a\nb\nc\n".to_vec()));
    // The second `a` has no `b` yet.
    assert_eq!(made("a\nb\na\n", &insertion), ok("a\nb\na\nb\n"));
    // One occurrence is chosen of all places, or a second run would take the next one.
    let first = Hunk { anchor: Anchor::Occurrence(Occurrence::First), ..hunk("a\n", "a\nb\n") };
    assert_eq!(run("a\nb\na\n", &[first]).unwrap().effect, Effect::AlreadyApplied);
    assert_eq!(run("f(x + 1)\n", &[text_hunk("x\n", "x + 1\n")]).unwrap().effect, Effect::AlreadyApplied);
}

#[test]
fn what_stands_exactly_once_was_applied_already() {
    assert_eq!(run("a\ny\n", &[hunk("x\n", "y\n")]).unwrap().effect, Effect::AlreadyApplied);
    assert_eq!(made("y\na\ny\n", &[hunk("x\n", "y\n")]), Err(Code::SearchNotFound), "which of the two?");
    assert_eq!(run("a\nc\n", &[hunk("a\nb\nc\n", "a\nc\n")]).unwrap().effect, Effect::AlreadyApplied);
    assert_eq!(
        made("a\n", &[hunk("a\nb\n", "a\n")]),
        Err(Code::SearchNotFound),
        "no line after the removed one"
    );
}

#[test]
fn an_empty_text_to_find_fits_an_empty_file_only() {
    assert_eq!(made("", &[hunk("", "a\nb\n")]), ok("a\nb\n"));
    assert_eq!(made("x\n", &[hunk("", "a\n")]), Err(Code::AlreadyExists));
    assert_eq!(run("a\nb\n", &[hunk("", "a\nb\n")]).unwrap().effect, Effect::AlreadyApplied);
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
fn as_many_identical_hunks_as_places_are_those_places_in_order() {
    let edit = hunk("x\n", "y\n");
    let mut content = Content::new(b"x\n-\nx\n");
    let mut counted = None;
    for index in 0..2 {
        let repeat = Repeat { total: 2, index, counted, elsewhere: 0 };
        let applied = apply(&content, None, std::slice::from_ref(&edit), &[repeat], &LIMITS).unwrap();
        counted = counted.or(applied.places[0]);
        content = applied.content;
    }
    assert_eq!(content.to_bytes(), b"y\n-\ny\n");
    let try_at = |file: &[u8], repeat| {
        let outcome = apply(&Content::new(file), None, std::slice::from_ref(&edit), &[repeat], &LIMITS);
        outcome.map(|applied| applied.effect).map_err(|refusals| refusals[0].code)
    };
    let two = Repeat { total: 2, index: 0, counted: None, elsewhere: 0 };
    assert_eq!(try_at(b"x\nx\nx\n", two), Err(Code::SearchAmbiguous), "two edits for three places");
    // The first was refused for its three places: the second does not get the two that are left.
    let late = Repeat { index: 1, counted: Some(3), ..two };
    assert_eq!(try_at(b"x\n", late), Ok(Effect::Changed), "one place is one place");
    let again = Repeat { total: 1, index: 0, counted: None, elsewhere: 1 };
    assert_eq!(try_at(b"y\n", again), Ok(Effect::AlreadyApplied));
    assert_eq!(try_at(b"y\nx\n", again), Err(Code::Duplicate));
}

#[test]
fn overlapping_places_are_not_given_to_identical_hunks() {
    let edit = hunk("x\nx\n", "y\n");
    let repeat = Repeat { total: 2, index: 0, counted: None, elsewhere: 0 };
    let refusals = apply(&Content::new(b"x\nx\nx\n"), None, &[edit], &[repeat], &LIMITS).unwrap_err();
    assert_eq!(refusals[0].code, Code::SearchAmbiguous);
}

#[test]
fn the_longest_search_text_that_the_file_has_is_meant() {
    let lines = "a\n=======\nb\n=======\nc\n".to_owned();
    let change = Change::Splits { lines, dividers: vec![2, 12] };
    let hunk = Hunk { change, ..hunk("", "") };
    assert_eq!(made("a\n=======\nb\n", std::slice::from_ref(&hunk)), ok("c\n"));
    assert_eq!(made("a\nq\n", std::slice::from_ref(&hunk)), ok("b\n=======\nc\nq\n"));
    assert_eq!(made("q\n", std::slice::from_ref(&hunk)), Err(Code::SearchNotFound));
    // The longest reading's result stands there by chance.
    assert_eq!(made("a\nc\n", &[hunk]), ok("b\n=======\nc\nc\n"));
}

#[test]
fn a_hunk_that_says_nothing_new_changes_nothing() {
    assert_eq!(run("a\n", &[hunk("a\n", "a\n")]).unwrap().effect, Effect::NoChange);
}
