//! The hunks of a unified diff.

use super::{LIMITS, apply_to, hunk, made, run};
use crate::diag::Code;
use crate::edit::{Anchor, Change, Hunk};
use crate::locate::{Match, Outcome, Repeat, Tier, Version};
use crate::span::Span;
use crate::text::Content;

fn diff(line: Option<u32>, lines: &str) -> Hunk {
    let change = Change::Diff { lines: lines.into(), before_unterminated: false, after_unterminated: false };
    Hunk {
        span: Span::new(0, 0, 0),
        change,
        anchor: Anchor::Line { old_start: line, new_start: None, section: None },
    }
}

fn ok(text: &str) -> Result<String, Code> {
    Ok(text.to_owned())
}

#[test]
fn line_numbers_only_decide_between_equal_places() {
    let file = "x\nx\nx\n";
    assert_eq!(made(file, &[diff(Some(3), "-x\n+y\n")]), ok("x\nx\ny\n"));
    assert_eq!(made(file, &[diff(Some(9), "-x\n+y\n")]), Err(Code::SearchAmbiguous));
    assert_eq!(made(file, &[diff(None, "-x\n+y\n")]), Err(Code::SearchAmbiguous));
    assert_eq!(made("a\nb\nc\n", &[diff(Some(1), " b\n-c\n+d\n")]), ok("a\nb\nd\n"), "a wrong number");
}

#[test]
fn a_line_number_does_not_overrule_a_heading() {
    let file = "def f():\n    a()\n\ndef g():\n    a()\n";
    let at = |line: u32, text: &str| {
        let section = Some(text.to_owned());
        let anchor = Anchor::Line { old_start: Some(line), new_start: None, section };
        made(file, &[Hunk { anchor, ..diff(None, "-    a()\n+    b()\n") }])
    };
    assert_eq!(at(2, "def g():"), ok(&file.replace("g():\n    a", "g():\n    b")), "a number is weaker");
    assert_eq!(at(5, "def g():"), ok(&file.replace("g():\n    a", "g():\n    b")));
    assert_eq!(at(2, "def f():"), ok(&file.replacen("    a", "    b", 1)));
    assert_eq!(at(2, "class A:"), ok(&file.replacen("    a", "    b", 1)), "it is nowhere");
}

#[test]
fn neighbouring_hunks_tell_which_place_is_meant() {
    let block = "fn f() {\n    old();\n}\n";
    let file = format!("head\n{block}foot\nhead two\n{block}");
    let second = [
        diff(None, " foot\n-head two\n+head 2\n fn f() {\n"),
        diff(None, " fn f() {\n-    old();\n+    new();\n }\n"),
    ];
    let expected = format!("head\n{block}foot\nhead 2\n{}", block.replace("old", "new"));
    assert_eq!(made(&file, &second), ok(&expected), "the hunks share a line of context");
    let first =
        [diff(None, " fn f() {\n-    old();\n+    new();\n }\n"), diff(None, " foot\n-head two\n+head 2\n")];
    assert_eq!(
        made(&file, &first),
        ok(&format!("head\n{}foot\nhead 2\n{block}", block.replace("old", "new")))
    );
    let lonely = [diff(None, "-    old();\n+    new();\n")];
    assert_eq!(made(&file, &lonely), Err(Code::SearchAmbiguous));
}

#[test]
fn equal_hunks_of_a_diff_take_equal_places_in_order() {
    let hunk = diff(None, "-x\n+y\n");
    assert_eq!(made("x\n-\nx\n", &[hunk.clone(), hunk.clone()]), ok("y\n-\ny\n"));
    assert_eq!(made("x\n-\nx\nx\n", &[hunk.clone(), hunk]), Err(Code::SearchAmbiguous));
}

#[test]
fn hunks_out_of_order_are_sorted_if_each_has_one_place() {
    let hunks = [diff(None, "-c\n+C\n"), diff(None, "-a\n+A\n")];
    assert_eq!(made("a\nb\nc\n", &hunks), ok("A\nb\nC\n"));
    assert_eq!(made("a\nb\nc\na\nb\n", &hunks), ok("a\nb\nC\nA\nb\n"), "in order there is one way");
    assert_eq!(made("a\na\nc\n", &hunks), Err(Code::SearchAmbiguous));
    let overlapping = [diff(None, "-a\n-b\n+x\n"), diff(None, "-b\n+y\n")];
    assert_eq!(made("a\nb\n", &overlapping), Err(Code::Conflict));
}

#[test]
fn all_hunks_are_located_on_one_text() {
    // The second is not located in the result of the first.
    let hunks = [diff(None, "-a\n+b\n"), diff(None, "-b\n+c\n")];
    assert_eq!(made("a\nb\n", &hunks), ok("b\nc\n"));
    let refusals = run("a\nb\n", &[diff(None, "-q\n+z\n"), diff(None, "-b\n+c\n"), diff(None, "-r\n+s\n")]);
    assert_eq!(refusals.unwrap_err().iter().map(|r| r.hunk).collect::<Vec<_>>(), [0, 2]);
}

#[test]
fn a_tilde_removes_all_lines_between_removed_ones() {
    let file = "h\n1\n2\n3\n4\n5\nf\n";
    assert_eq!(made(file, &[diff(None, " h\n-1\n-2\n~\n-4\n-5\n+n\n f\n")]), ok("h\nn\nf\n"));
    assert_eq!(made(file, &[diff(None, "-1\n-2\n~\n-3\n-4\n")]), ok("h\n5\nf\n"), "none, too");
    let twice = "1\n2\n3\n4\n5\n-\n4\n5\n";
    assert_eq!(made(twice, &[diff(None, "-1\n-2\n~\n-4\n-5\n")]), Err(Code::SearchAmbiguous), "up to where?");
    let done = run("h\nn\nf\n", &[diff(None, " h\n-1\n-2\n~\n-4\n-5\n+n\n f\n")]).unwrap();
    assert_eq!(done.outcome, Outcome::AlreadyApplied);
}

#[test]
fn added_lines_without_context_are_added_at_the_end() {
    assert_eq!(made("a\n", &[diff(None, "+b\n")]), ok("a\nb\n"));
    assert_eq!(made("a", &[diff(Some(1), "+b\n")]), ok("a\nb\n"), "the number of the last line");
    assert_eq!(made("a\nc\n", &[diff(Some(1), "+b\n")]), Err(Code::SearchNotFound));
    assert_eq!(made("", &[diff(Some(0), "+b\n")]), ok("b\n"));
    assert_eq!(made("a", &[diff(None, "-a\n+b\n"), diff(None, "+c\n")]), ok("b\nc\n"));
    assert_eq!(made("a", &[diff(None, " a\n+b\n"), diff(None, "+c\n")]), ok("a\nb\nc\n"));
    assert_eq!(made("q\na", &[diff(None, "-a\n"), diff(None, "+c\n")]), ok("q\nc\n"));
    assert_eq!(run("a\nb\n", &[diff(None, "+b\n")]).unwrap().outcome, Outcome::AlreadyApplied);
}

#[test]
fn the_diff_says_whether_the_last_newline_is_missing() {
    let flagged = |lines: &str, before_unterminated, after_unterminated| Hunk {
        change: Change::Diff { lines: lines.into(), before_unterminated, after_unterminated },
        ..diff(None, "")
    };
    assert_eq!(made("a\nb\n", &[flagged("-b\n+c\n", false, true)]), ok("a\nc"));
    assert_eq!(made("a\nb", &[flagged("-b\n+b\n", true, false)]), ok("a\nb\n"));
    assert_eq!(made("a\nb\n", &[flagged("-b\n+b\n", false, true)]), ok("a\nb"));
    assert_eq!(made("a\nb", &[flagged("-a\n+c\n b\n", true, true)]), ok("c\nb"));
}

#[test]
fn a_series_is_brought_over_from_the_base_as_a_whole() {
    let base = Content::new(b"a\nx\nb\nx\n");
    let version = Version::of_base(base);
    let first = [hunk("a\n", "q\nq\n")];
    let now = apply_to(&version, &first, &[Repeat::ONCE], &LIMITS).unwrap().version;
    // The line number is that of the base.
    let applied = apply_to(&now, &[diff(Some(2), "-x\n+y\n")], &[Repeat::ONCE], &LIMITS).unwrap();
    assert_eq!(applied.version.content().to_bytes(), b"q\nq\ny\nb\nx\n");
    assert_eq!(applied.matched, [Match { tier: Tier::Exact, similarity: None, line: 3, base_line: Some(2) }]);
}

#[test]
fn a_hunk_may_remove_its_last_lines_if_their_whitespace_differs() {
    let file = "a();\nb();\n}\nc(); \nd();\n";
    assert_eq!(made(file, &[diff(Some(1), " a();\n b();\n }\n-c();\n-d();\n")]), ok("a();\nb();\n}\n"));
}
