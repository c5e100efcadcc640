use super::*;
use crate::diag::Code;
use crate::edit::{Anchor, Change, Occurrence, Unit};
use crate::span::Span;
use crate::text::Content;

pub(super) const LIMITS: Limits =
    Limits { max_fuzz: Tier::Similar, allow_placeholder: false, allow_markers: false, prose: false };

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
    apply(&version(file), hunks, &vec![Repeat::ONCE; hunks.len()], &LIMITS, &Effort::default())
}

/// What the file becomes, or the code of the refusal.
#[track_caller]
pub(super) fn made(file: &str, hunks: &[Hunk]) -> Result<String, Code> {
    match run(file, hunks) {
        Ok(applied) => Ok(String::from_utf8(applied.version.content().to_bytes()).unwrap()),
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
    assert_eq!(made("a\nb", &[hunk("b\n", "")]), ok("a\n"));
    assert_eq!(made("\u{feff}a\nb\n", &[hunk("a\n", "x\n")]), ok("\u{feff}x\nb\n"));
}

#[test]
fn a_text_says_nothing_of_the_last_lines_newline_and_a_diff_does() {
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
    assert_eq!(made(file, &[with(Occurrence::Last)]), ok("x\n-\nx\n-\ny"));
    assert_eq!(made(file, &[with(nth(4))]), Err(Code::OccurrenceRange));
    assert_eq!(made("-\n", &[with(Occurrence::First)]), Err(Code::SearchNotFound));
}

#[test]
fn an_insertion_that_is_there_is_not_made_twice() {
    let insertion = [hunk("a\n", "a\nb\n")];
    let once = run("a\nc\n", &insertion).unwrap();
    assert_eq!((once.effect, once.version.content().to_bytes()), (Effect::Changed, b"a\nb\nc\n".to_vec()));
    let twice = run("a\nb\nc\n", &insertion).unwrap();
    assert_eq!(
        (twice.effect, twice.version.content().to_bytes()),
        (Effect::AlreadyApplied, b"a\nb\nc\n".to_vec())
    );
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
fn a_word_that_stands_somewhere_proves_nothing() {
    assert_eq!(made("a = None\n", &[text_hunk("foo(1)\n", "None\n")]), Err(Code::SearchNotFound));
    let applied = run("if a = b + 1 {\n", &[text_hunk("a = b\n", "a = b + 1\n")]).unwrap();
    assert_eq!(applied.effect, Effect::AlreadyApplied);
    assert_eq!(
        run("f(long_name, 2)\n", &[text_hunk("g(q)\n", "f(long_name, 2)\n")]).unwrap().effect,
        Effect::AlreadyApplied
    );
}

#[test]
fn a_result_elsewhere_does_not_hide_a_conflict() {
    let second = hunk("foo(1)\n", "bar()\n");
    let first = hunk("foo(1)\n", "foo(2)\n");
    assert_eq!(made("foo(1)\nbar()\n", &[first, second]), Err(Code::Conflict));
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
    let mut now = version("x\n-\nx\n");
    let mut counted = None;
    for index in 0..2 {
        let repeat = Repeat { total: 2, index, counted, elsewhere: 0 };
        let applied =
            apply(&now, std::slice::from_ref(&edit), &[repeat], &LIMITS, &Effort::default()).unwrap();
        counted = counted.or(applied.places[0]);
        now = applied.version;
    }
    assert_eq!(now.content().to_bytes(), b"y\n-\ny\n");
    let try_at = |file: &str, repeat| {
        let outcome =
            apply(&version(file), std::slice::from_ref(&edit), &[repeat], &LIMITS, &Effort::default());
        outcome.map(|applied| applied.effect).map_err(|refusals| refusals[0].code)
    };
    let two = Repeat { total: 2, index: 0, counted: None, elsewhere: 0 };
    assert_eq!(try_at("x\nx\nx\n", two), Err(Code::SearchAmbiguous), "two edits for three places");
    // The first was refused for its three places: the second does not get the two that are left.
    let late = Repeat { index: 1, counted: Some(3), ..two };
    assert_eq!(try_at("x\n", late), Ok(Effect::Changed), "one place is one place");
    let again = Repeat { total: 1, index: 0, counted: None, elsewhere: 1 };
    assert_eq!(try_at("y\n", again), Ok(Effect::AlreadyApplied));
    assert_eq!(try_at("y\nx\n", again), Err(Code::Duplicate));
}

#[test]
fn overlapping_places_are_not_given_to_identical_hunks() {
    let edit = hunk("x\nx\n", "y\n");
    let repeat = Repeat { total: 2, index: 0, counted: None, elsewhere: 0 };
    let refusals = apply(&version("x\nx\nx\n"), &[edit], &[repeat], &LIMITS, &Effort::default()).unwrap_err();
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
    // The first divider may be the underline, cut short.
    assert_eq!(made("a\n==========\n", std::slice::from_ref(&hunk)), Err(Code::SearchAmbiguous));
    // The longest reading's result stands there by chance.
    assert_eq!(made("a\nc\n", &[hunk]), ok("b\n=======\nc\nc\n"));
}

#[test]
fn a_hunk_that_says_nothing_new_changes_nothing() {
    assert_eq!(run("a\n", &[hunk("a\n", "a\n")]).unwrap().effect, Effect::NoChange);
}

/// The tier at which one hunk lands, and what the file becomes; or the code of the refusal.
#[track_caller]
fn tier(file: &str, before: &str, after: &str) -> Result<(Tier, String), Code> {
    match run(file, &[hunk(before, after)]) {
        Ok(applied) => {
            assert_eq!(applied.effect, Effect::Changed);
            Ok((applied.matched[0].tier, String::from_utf8(applied.version.content().to_bytes()).unwrap()))
        }
        Err(refusals) => Err(refusals[0].code),
    }
}

fn at(tier: Tier, text: &str) -> Result<(Tier, String), Code> {
    Ok((tier, text.to_owned()))
}

#[test]
fn trailing_blanks_of_kept_lines_stay_as_the_file_has_them() {
    let file = "a  \nb\t\nc\n";
    assert_eq!(tier(file, "a\nb\nc\n", "a\nx\nc\n"), at(Tier::TrailingSpace, "a  \nx\nc\n"));
    assert_eq!(
        tier("a\nb\n", "a  \nb\n", "a  \nx\n"),
        at(Tier::TrailingSpace, "a\nx\n"),
        "nor do the model's get in"
    );
}

#[test]
fn an_edit_of_trailing_blanks_is_one() {
    assert_eq!(tier("a \nb\n", "a \n", "a\n"), at(Tier::Exact, "a\nb\n"));
    assert_eq!(run("a\nb\n", &[hunk("a \n", "a\n")]).unwrap().effect, Effect::AlreadyApplied);
}

#[test]
fn a_stricter_tier_decides_and_two_places_in_it_are_not_told_apart_by_a_looser_one() {
    assert_eq!(tier("a \na\n", "a\n", "x\n"), at(Tier::Exact, "a \nx\n"));
    assert_eq!(tier("a \na\t\n", "a\n", "x\n"), Err(Code::SearchAmbiguous));
}

#[test]
fn a_uniform_shift_is_undone_for_added_lines() {
    let file = "mod m {\n    fn f() {\n        a();\n    }\n}\n";
    assert_eq!(
        tier(file, "fn f() {\n    a();\n}\n", "fn f() {\n    if c {\n        b();\n    }\n\n    a();\n}\n"),
        at(
            Tier::Indent,
            "mod m {\n    fn f() {\n        if c {\n            b();\n        }\n\n        a();\n    }\n}\n"
        ),
        "a blank line gets no blanks"
    );
    assert_eq!(
        tier("a:\n  b\n", "    a:\n      b\n", "    a:\n      c\n"),
        at(Tier::Indent, "a:\n  c\n"),
        "indented too far"
    );
    assert_eq!(
        tier("a:\n\tb\n\t\tc\n", "a:\n    b\n        c\n", "a:\n    b\n        d\n        e\n"),
        at(Tier::Indent, "a:\n\tb\n\t\td\n\t\te\n"),
        "tabs for spaces"
    );
    assert_eq!(
        tier("if a:\n  b\nc\n", "if a:\n  b\n  c\n", "if a:\n  b\n"),
        Err(Code::SearchNotFound),
        "another block"
    );
}

#[test]
fn an_edit_of_the_indentation_alone_is_not_made_twice() {
    let deeper = |file: &str| run(file, &[hunk("a\n", "  a\n")]);
    assert_eq!(deeper("a\n").unwrap().version.content().to_bytes(), b"  a\n");
    assert_eq!(deeper("  a\n").unwrap().effect, Effect::AlreadyApplied);
    assert_eq!(
        deeper("    a\n").unwrap_err()[0].code,
        Code::SearchNotFound,
        "how far is the result indented?"
    );
    // A kept line tells.
    assert_eq!(
        tier("  if x:\n    a\n", "if x:\n  a\n", "if x:\n    a\n"),
        at(Tier::Indent, "  if x:\n      a\n")
    );
}

#[test]
fn look_alikes_of_kept_lines_stay_as_the_file_has_them() {
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
fn blank_lines_may_be_more_or_fewer_and_stay() {
    assert_eq!(tier("a\n\n\nb\nc\n", "a\nb\nc\n", "a\nb\nx\n"), at(Tier::BlankLines, "a\n\n\nb\nx\n"));
    assert_eq!(tier("a\nb\nc\n", "\na\n\nb\n", "\na\n\nx\n"), at(Tier::BlankLines, "a\nx\nc\n"));
    assert_eq!(
        tier("a\n\nb\nc\n", "a\nb\n", "x\n"),
        Err(Code::SearchNotFound),
        "a blank line would go of which the text does not speak"
    );
    assert_eq!(
        tier("a\n\nb\n", "a\nb\n", "a\nx\nb\n"),
        Err(Code::SearchNotFound),
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
fn a_blank_line_at_the_edge_of_a_part_is_no_end_of_another_line() {
    // Found by the accuracy benchmark: only the place with other trailing blanks is meant.
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
fn a_kept_line_with_a_slip_stays_as_the_file_has_it() {
    let file = "fn f(a: u32) {\n    let x = a;\n    let y = 2;\n    g(x, y);\n}\n";
    let slip = "fn f(a: u64) {\n    let x = a;\n    let y = 2;\n    g(x, y);\n}\n";
    assert_eq!(
        tier(file, slip, &slip.replace("y = 2", "y = 3")),
        Err(Code::SearchNotFound),
        "only digits differ: another function may be meant"
    );
    let slip = "fn f(a: u32 {\n    let x = a;\n    let y = 2;\n    g(x, y);\n}\n";
    let applied = run(file, &[hunk(slip, &slip.replace("y = 2", "y = 3"))]).unwrap();
    assert_eq!(applied.version.content().to_bytes(), file.replace("y = 2", "y = 3").as_bytes());
    assert_eq!((applied.matched[0].tier, applied.matched[0].similarity), (Tier::Similar, Some(99)));
    // The slip stands in a line that goes.
    assert_eq!(tier(file, slip, &slip.replace("fn f(a: u32", "fn f()")), Err(Code::SearchNotFound));
    assert_eq!(
        tier(&format!("{file}{file}"), slip, &slip.replace("y = 2", "y = 3")),
        Err(Code::SearchAmbiguous)
    );
    assert_eq!(
        tier("a1\nfoo bar\n", "a1\nfoo baz\n", "a2\nfoo baz\n"),
        Err(Code::SearchNotFound),
        "too short a text to allow for slips"
    );
    let two = slip.replace("let x = a", "let z = a");
    assert_eq!(
        tier(file, &two, &two.replace("y = 2", "y = 3")),
        Err(Code::SearchNotFound),
        "two slips in five lines"
    );
}

#[test]
fn an_insertion_beside_a_slip_is_not_made_twice() {
    let slip = hunk("one thing\nanother thing\nlast thing\n", "one thing\nanother thing\nnew\nlast thing\n");
    let once = made("one thing\nanother think\nlast thing\n", std::slice::from_ref(&slip)).unwrap();
    assert_eq!(once, "one thing\nanother think\nnew\nlast thing\n");
    assert_eq!(made(&once, &[slip]), Err(Code::SearchNotFound));
    let last = hunk("one thing\nanother thing\nlast thing\n", "one thing\nanother thing\nlast thing\nnew\n");
    let once = made("one thing\nanother think\nlast thing\n", std::slice::from_ref(&last)).unwrap();
    assert_eq!(made(&once, &[last]), Err(Code::SearchNotFound));
}

#[test]
fn max_fuzz_ends_the_ladder() {
    let outcome = |max_fuzz, file: &str, before: &str| {
        let limits = Limits { max_fuzz, ..LIMITS };
        let after = format!("{before}y\n");
        apply(&version(file), &[hunk(before, &after)], &[Repeat::ONCE], &limits, &Effort::default()).is_ok()
    };
    let cases = [
        ("a\r\nb\r\n", "a\nb\n", "exact"),
        ("a \nb\n", "a\nb\n", "whitespace"),
        ("a \n\nb\n", "a\nb\n", "whitespace"),
        ("  a\n  b\n", "a\nb\n", "indent"),
        ("‘a’\nb\n", "'a'\nb\n", "indent"),
        ("  a\n\n  b\n", "a\nb\n", "indent"),
        ("abcd\nb\nc\n", "abxd\nb\nc\n", "similar"),
        ("a {\n  b\n  c\n}\n", "a {\n  // ...\n}\n", "similar"),
    ];
    let values = ["exact", "whitespace", "indent", "similar"];
    for (file, before, needed) in cases {
        let needed = values.iter().position(|value| *value == needed).unwrap();
        for (index, value) in values.iter().enumerate() {
            let max_fuzz = Tier::of_max_fuzz(value).unwrap();
            assert_eq!(outcome(max_fuzz, file, before), index >= needed, "{file:?} {before:?} {value}");
        }
    }
    assert_eq!(Tier::of_max_fuzz("loose"), None);
}

#[test]
fn an_edit_written_against_the_base_is_brought_over() {
    // The second edit names lines as they were before the first.
    let both = |base: &str, first: (&str, &str), second: (&str, &str)| {
        made(base, &[hunk(first.0, first.1), hunk(second.0, second.1)])
    };
    let second = ("a\nb\n", "a\nx\n");
    assert_eq!(both("a\nb\nc\n", ("a\n", "q\n"), second), ok("q\nx\nc\n"));
    assert_eq!(both("a\nb\nc\n", ("a\n", ""), second), ok("x\nc\n"));
    assert_eq!(
        both("a\nb\nc\n", ("b\n", "q\n"), second),
        Err(Code::Conflict),
        "the line it changes is another now"
    );
    assert_eq!(both("a\nb\nc\n", ("a\nb\n", "a\ny\n"), ("b\nc\n", "b\nz\n")), ok("a\ny\nz\n"));
    // Ambiguous now, because the edit before made a copy; the base knows which is meant.
    assert_eq!(both("a\nb\n-\n", ("-\n", "-\na\nb\n"), second), ok("a\nx\n-\na\nb\n"));
    assert_eq!(both("-\na\nb\n", ("-\n", "a\nb\n-\n"), second), ok("a\nb\n-\na\nx\n"));
    assert_eq!(both("a\nb\n-\na\nb\n", ("-\n", "q\n"), second), Err(Code::SearchAmbiguous));
    assert_eq!(both("a\nb\n", ("a\nb\n", "a\nx\n-\n"), second), ok("a\nx\n-\n"), "already applied");
}

#[test]
fn a_text_that_lost_its_indentation_is_no_reason_to_indent_the_new_one_twice() {
    let file = "{\n  \"version\": \"1\",\n  \"x\": 2\n}\n";
    let at = |before: &str, after: &str| made(file, &[hunk(before, after)]);
    assert_eq!(at("\"version\": \"1\",\n", "  \"version\": \"2\",\n"), Err(Code::SearchNotFound));
    let expected = file.replace("\"1\"", "\"2\"");
    assert_eq!(at("\"version\": \"1\",\n", "\"version\": \"2\",\n"), ok(&expected));
    assert_eq!(
        at("\"version\": \"1\",\n\"x\": 2\n", "\"version\": \"1\",\n  \"y\": 3,\n\"x\": 2\n"),
        ok("{\n  \"version\": \"1\",\n    \"y\": 3,\n  \"x\": 2\n}\n"),
        "lines that stay tell"
    );
}

#[test]
fn new_lines_that_lack_the_indentation_of_the_line_that_they_replace_are_refused() {
    let file = "fn f() {\n    a();\n}\n";
    let at = |after: &str| made(file, &[text_hunk("a();", after)]);
    assert_eq!(at("b();"), ok("fn f() {\n    b();\n}\n"));
    assert_eq!(at("b();\n    a();"), ok("fn f() {\n    b();\n    a();\n}\n"));
    assert_eq!(at("b(\n        1,\n    );"), ok("fn f() {\n    b(\n        1,\n    );\n}\n"));
    assert_eq!(at("b();\na();"), Err(Code::SearchNotFound), "indented with it, or not at all?");
    assert_eq!(at("if b {\n    a();\n}"), Err(Code::SearchNotFound));
    let whole = made(file, &[text_hunk("    a();", "    b();\n}\n\nfn g() {\n    a();")]);
    assert_eq!(whole, ok("fn f() {\n    b();\n}\n\nfn g() {\n    a();\n}\n"));
}

#[test]
fn what_another_edit_of_the_response_made_was_not_there_already() {
    let first = hunk("it many:\n  get(a*)\n  end(1)\n", "it many:\n  get(b)\n  end(2)\n");
    let second = hunk("it many:\n  get(a+)\n  marmot\n", "it many:\n  get(b)\n  end(2)\n");
    let file = "it many:\n  get(a*)\n  end(1)\n\nit many:\n  get(a+)\n  end(1)\n";
    assert_eq!(made(file, &[first, second.clone()]), Err(Code::SearchNotFound));
    let done = run("it many:\n  get(b)\n  end(2)\n", &[second]).unwrap();
    assert_eq!(done.effect, Effect::AlreadyApplied);
}

#[test]
fn added_lines_are_not_indented_by_a_width_that_nothing_tells() {
    let go = "func f() {\n\tif a {\n\t\tfoo()\n\t\tbar()\n\t}\n}\n";
    let python = "class A:\n    def f(self):\n        foo()\n        bar()\n";
    let add = |file: &str, indent: &str, level: &str| {
        let before = format!("{indent}foo()\n{indent}bar()\n");
        let after = format!("{indent}foo()\n{indent}if x:\n{indent}{level}baz()\n{indent}bar()\n");
        made(file, &[hunk(&before, &after)])
    };
    let with = |file: &str, indent: &str, level: &str| {
        ok(&file.replace("foo()\n", &format!("foo()\n{indent}if x:\n{indent}{level}baz()\n")))
    };
    assert_eq!(add(go, "        ", "    "), with(go, "\t\t", "\t"));
    assert_eq!(add(go, "    ", "    "), Err(Code::SearchNotFound), "two spaces for a tab, or a level less?");
    assert_eq!(add(go, "", "    "), Err(Code::SearchNotFound), "no tab and four spaces");
    assert_eq!(add(go, "", "\t"), with(go, "\t\t", "\t"));
    assert_eq!(add(python, "\t\t", "\t"), with(python, "        ", "    "));
    assert_eq!(add(python, "\t", "\t"), Err(Code::SearchNotFound));
    assert_eq!(add(python, "", "\t"), Err(Code::SearchNotFound));
    // A comment is aligned by one blank.
    let file = "\t/**\n\t * a\n\t */\n";
    assert_eq!(made(file, &[hunk("/**\n", "/**\n * b\n")]), ok("\t/**\n\t * b\n\t * a\n\t */\n"));
}

#[test]
fn a_short_result_proves_nothing_where_the_text_stands_elsewhere_but_for_a_slip() {
    let file = "def a():\n    return 1  # x\n\ndef b():\n    return None\n";
    let edit = hunk("    return 1\n", "    return None\n");
    assert_eq!(made(file, std::slice::from_ref(&edit)), Err(Code::SearchNotFound));
    let done = run("def a():\n    return None\n", &[edit]).unwrap();
    assert_eq!(done.effect, Effect::AlreadyApplied);
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
    let refused = apply(&version("  x = 1\nx = 2\n"), &edit, &[Repeat::ONCE], &exact, &Effort::default());
    assert_eq!(refused.unwrap_err()[0].code, Code::SearchNotFound, "too loose a place is one");
}

#[test]
fn a_line_that_the_file_has_elsewhere_is_no_slip() {
    let function = |name: &str, argument: &str| {
        format!("fn {name}() {{\n    let q = query({argument});\n    run(q)\n}}\n")
    };
    let edit = hunk(&function("get_user", ""), &function("get_user", "2"));
    let both = function("get_user", "1") + &function("get_users", "");
    assert_eq!(made(&both, std::slice::from_ref(&edit)), Err(Code::SearchNotFound), "which function?");
    assert_eq!(made(&function("get_users", ""), &[edit]), ok(&function("get_users", "2")), "a slip");
    // A comma or bracket that is lost makes no other line.
    let file = "a(\n  x,\n  y,\n)\nb(\n  x\n)\n";
    assert_eq!(made(file, &[hunk("a(\n  x\n  y,\n", "a(\n  x\n  z,\n")]), ok(&file.replace('y', "z")));
}

#[test]
fn a_looser_place_is_not_taken_for_the_one_that_another_edit_changed() {
    let file =
        "def f():\n    x = 1\n    log(x)\n\nclass C:\n    def g(self):\n        x = 1\n        log(x)\n";
    let text = |n: u32| format!("    x = {n}\n    log(x)\n");
    let edit = |n: u32| hunk(&text(1), &text(n));
    assert_eq!(made(file, &[edit(2), edit(3)]), Err(Code::Conflict));
    let again = run(file, &[edit(2), edit(2)]).unwrap();
    assert_eq!(again.version.content().to_bytes(), file.replacen("x = 1", "x = 2", 1).as_bytes());
    let diff = |n: u32| {
        let lines = format!("-    x = 1\n+    x = {n}\n     log(x)\n");
        let change = Change::Diff { lines, before_unterminated: false, after_unterminated: false };
        let series = Anchor::Line { old_start: None, new_start: None, section: None };
        let seek = Anchor::Seek { context: Vec::new(), end_of_file: false };
        [series, seek].map(|anchor| Hunk { change: change.clone(), anchor, ..hunk("", "") })
    };
    for (first, second) in diff(2).into_iter().zip(diff(3)) {
        let once = run(file, &[first]).unwrap().version;
        let twice = apply(&once, &[second], &[Repeat::ONCE], &LIMITS, &Effort::default());
        assert_eq!(twice.unwrap_err()[0].code, Code::Conflict);
    }
    // What an edit has put there may be what the next one means.
    let wrapped =
        hunk("    x = 1\n    log(x)\n\n", "    if y:\n        x = 1\n        log(x)\n        done()\n\n");
    let inner = hunk("    x = 1\n    log(x)\n    done()\n", "    x = 4\n    log(x)\n    done()\n");
    let expected = file.replacen(
        "    x = 1\n    log(x)\n",
        "    if y:\n        x = 4\n        log(x)\n        done()\n",
        1,
    );
    assert_eq!(made(file, &[wrapped, inner]), ok(&expected));
}

#[test]
fn a_number_that_may_be_counted_in_two_texts_decides_only_if_they_agree() {
    let nth = |n: u32, after: &str| {
        let n = std::num::NonZeroU32::new(n).unwrap();
        Hunk { anchor: Anchor::Occurrence(Occurrence::Nth(n)), ..text_hunk("f(a)", after) }
    };
    let file = "f(a)\nx\nf(a)\ny\nf(a)\n";
    assert_eq!(made(file, &[nth(1, "f(b)"), nth(2, "f(c)")]), Err(Code::SearchAmbiguous));
    assert_eq!(made(file, &[nth(3, "f(b)"), nth(2, "f(c)")]), ok("f(a)\nx\nf(c)\ny\nf(b)\n"));
    assert_eq!(made(file, &[nth(1, "f(b)"), nth(1, "f(c)")]), ok("f(b)\nx\nf(c)\ny\nf(a)\n"));

    let block = "def t():\n    a()\n    b()\n";
    let file = format!("import q\n{}", block.repeat(4));
    let at = |line: u32, lines: &str| {
        let change =
            Change::Diff { lines: lines.to_owned(), before_unterminated: false, after_unterminated: false };
        Hunk {
            change,
            anchor: Anchor::Line { old_start: Some(line), new_start: None, section: None },
            ..hunk("", "")
        }
    };
    let second = |line| at(line, " def t():\n-    a()\n+    A()\n     b()\n");
    let then = |added: &str, line: u32| {
        let once = run(&file, &[at(1, &format!(" import q\n{added}"))]).unwrap().version;
        let twice = apply(&once, &[second(line)], &[Repeat::ONCE], &LIMITS, &Effort::default());
        twice.map(|applied| applied.matched[0].line).map_err(|refusals| refusals[0].code)
    };
    assert_eq!(then("+x\n+y\n+z\n", 8), Err(Code::SearchAmbiguous), "line 8 of which text?");
    assert_eq!(then("+x\n+y\n", 8), Ok(11), "no block begins there any more");
    assert_eq!(then("+x\n+y\n", 7), Err(Code::SearchAmbiguous), "none began there");
}

#[test]
fn a_first_line_that_lost_its_indentation_is_the_one_kept_line_that_may_differ() {
    let file = "class A:\n    def f(self):\n        x = 1\n        return x\n";
    let lost = "def f(self):\n        x = 1\n        return x\n";
    let after = "def f(self):\n        x = 1\n        y = 2\n        return x\n";
    let expected = "class A:\n    def f(self):\n        x = 1\n        y = 2\n        return x\n";
    assert_eq!(made(file, &[hunk(lost, after)]), ok(expected));
    assert_eq!(run(file, &[hunk(lost, after)]).unwrap().matched[0].tier, Tier::Similar);
    // Another line, a second difference, a first line that goes or has one added before it: none of that.
    for (before, after) in [
        ("    def f(self):\n        x = 1\nreturn x\n", "    def f(self):\n        x = 2\nreturn x\n"),
        (
            "def f(self):\n        x = 1\n        return  x\n",
            "def f(self):\n        x = 2\n        return  x\n",
        ),
        (lost, "def g(self):\n        x = 1\n        return x\n"),
        (lost, "@cached\ndef f(self):\n        x = 1\n        return x\n"),
    ] {
        assert_eq!(made(file, &[hunk(before, after)]), Err(Code::SearchNotFound), "{before}");
    }
    // Two regions alike but for indentation: none is the likelier one.
    let twice = format!("{file}  def f(self):\n    x = 1\n    return x\n");
    assert!(made(&twice, &[hunk(lost, after)]).is_err());
}
