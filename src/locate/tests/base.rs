//! Edits that were written for the base.

use super::{LIMITS, apply_to, hunk, made, ok, run, text_hunk};
use crate::diag::Code;
use crate::edit::{Anchor, Change, Hunk, Occurrence};
use crate::locate::{Outcome, Repeat};

#[test]
fn an_edit_written_for_the_base_is_brought_over() {
    // The second edit has lines as they were before the first edit.
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
    // The search text is ambiguous now, because the first edit made a copy. But it has only one match in the base.
    assert_eq!(both("a\nb\n-\n", ("-\n", "-\na\nb\n"), second), ok("a\nx\n-\na\nb\n"));
    assert_eq!(both("-\na\nb\n", ("-\n", "a\nb\n-\n"), second), ok("a\nb\n-\na\nx\n"));
    assert_eq!(both("a\nb\n-\na\nb\n", ("-\n", "q\n"), second), Err(Code::SearchAmbiguous));
}

#[test]
fn a_looser_match_does_not_replace_a_match_that_another_edit_changed() {
    let file =
        "def f():\n    x = 1\n    log(x)\n\nclass C:\n    def g(self):\n        x = 1\n        log(x)\n";
    let text = |n: u32| format!("    x = {n}\n    log(x)\n");
    let edit = |n: u32| hunk(&text(1), &text(n));
    assert_eq!(made(file, &[edit(2), edit(3)]), Err(Code::Conflict));
    let again = run(file, &[edit(2), edit(2)]).unwrap();
    assert_eq!(again.version.content().to_bytes(), file.replacen("x = 1", "x = 2", 1).as_bytes());
    let diff = |n: u32| {
        let lines = format!("-    x = 1\n+    x = {n}\n     log(x)\n");
        let change =
            Change::Diff { lines: lines.into(), before_unterminated: false, after_unterminated: false };
        let series = Anchor::Line { old_start: None, new_start: None, section: None };
        let seek = Anchor::Seek { headings: Vec::new(), end_of_file: false };
        [series, seek].map(|anchor| Hunk { change: change.clone(), anchor, ..hunk("", "") })
    };
    for (first, second) in diff(2).into_iter().zip(diff(3)) {
        let once = run(file, &[first]).unwrap().version;
        let twice = apply_to(&once, &[second], &[Repeat::ONCE], &LIMITS);
        assert_eq!(twice.unwrap_err()[0].code, Code::Conflict);
    }
    // An edit may mean lines that an earlier edit added.
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
    let twice = made(file, &[nth(1, "f(b)"), nth(1, "f(c)")]);
    assert_eq!(twice, Err(Code::SearchAmbiguous), "the next one, or a draft and what is to come instead?");

    let block = "def t():\n    a()\n    b()\n";
    let file = format!("import q\n{}", block.repeat(4));
    let at = |line: u32, lines: &str| {
        let change =
            Change::Diff { lines: lines.into(), before_unterminated: false, after_unterminated: false };
        Hunk {
            change,
            anchor: Anchor::Line { old_start: Some(line), new_start: None, section: None },
            ..hunk("", "")
        }
    };
    let second = |line| at(line, " def t():\n-    a()\n+    A()\n     b()\n");
    let then = |added: &str, line: u32| {
        let once = run(&file, &[at(1, &format!(" import q\n{added}"))]).unwrap().version;
        let twice = apply_to(&once, &[second(line)], &[Repeat::ONCE], &LIMITS);
        twice.map(|applied| applied.matched[0].line).map_err(|refusals| refusals[0].code)
    };
    assert_eq!(then("+x\n+y\n+z\n", 8), Err(Code::SearchAmbiguous), "line 8 of which text?");
    assert_eq!(then("+x\n+y\n", 8), Ok(10), "no block begins there any more");
    assert_eq!(then("+x\n+y\n", 7), Err(Code::SearchAmbiguous), "none began there");
}

#[test]
fn the_result_of_another_edit_of_the_response_is_not_already_applied() {
    let first = hunk("it many:\n  get(a*)\n  end(1)\n", "it many:\n  get(b)\n  end(2)\n");
    let second = hunk("it many:\n  get(a+)\n  marmot\n", "it many:\n  get(b)\n  end(2)\n");
    let file = "it many:\n  get(a*)\n  end(1)\n\nit many:\n  get(a+)\n  end(1)\n";
    assert_eq!(made(file, &[first, second.clone()]), Err(Code::SearchNotFound));
    let done = run("it many:\n  get(b)\n  end(2)\n", &[second]).unwrap();
    assert_eq!(done.outcome, Outcome::AlreadyApplied);
}
