//! The chunks of a Codex patch.

use super::{made, run};
use crate::diag::Code;
use crate::edit::{Anchor, Change, Hunk};
use crate::locate::Outcome;
use crate::span::Span;

fn chunk(headings: &[&str], lines: &str) -> Hunk {
    let change = Change::Diff { lines: lines.into(), before_unterminated: false, after_unterminated: false };
    let headings = headings.iter().map(ToString::to_string).collect();
    Hunk { span: Span::new(0, 0, 0), change, anchor: Anchor::Seek { headings, end_of_file: false } }
}

fn at_end(lines: &str) -> Hunk {
    Hunk { anchor: Anchor::Seek { headings: Vec::new(), end_of_file: true }, ..chunk(&[], lines) }
}

fn ok(text: &str) -> Result<String, Code> {
    Ok(text.to_owned())
}

#[test]
fn chunks_follow_each_other() {
    let file = "a\nb\nc\nd\ne\nf\n";
    let chunks = [chunk(&[], " a\n-b\n+B\n"), chunk(&[], " c\n d\n-e\n+E\n"), at_end(" f\n+g\n")];
    assert_eq!(made(file, &chunks), ok("a\nB\nc\nd\nE\nf\ng\n"));
    let back = [chunk(&[], "-d\n+D\n"), chunk(&[], "-b\n+B\n")];
    assert_eq!(made(file, &back), ok("a\nB\nc\nD\ne\nf\n"), "the only place in the file");
    let back = [chunk(&[], " c\n-d\n+D\n"), chunk(&[], "-d\n+DD\n")];
    let refusal = run(file, &back).unwrap_err().remove(0);
    assert_eq!((refusal.hunk, refusal.code), (1, Code::SearchNotFound), "another chunk has it");
    let shared = [chunk(&[], "-a\n+A\n b\n"), chunk(&[], " b\n-c\n+C\n")];
    assert_eq!(made(file, &shared), ok("A\nb\nC\nd\ne\nf\n"), "a line of context may be shared");
}

#[test]
fn a_looser_match_after_the_last_chunk_does_not_replace_one_before_it() {
    let file = "def f():\n    x = 1\n\nend\n\nclass C:\n    def g():\n        x = 1\n";
    let chunks = [chunk(&[], "-end\n+END\n"), chunk(&[], "-    x = 1\n+    x = 2\n")];
    let refusal = run(file, &chunks).unwrap_err().remove(0);
    assert_eq!((refusal.hunk, refusal.code), (1, Code::SearchNotFound));
    assert!(refusal.message.contains("line 2"), "{}", refusal.message);
    let named = [chunk(&[], "-end\n+END\n"), chunk(&["class C:"], "-    x = 1\n+    x = 2\n")];
    let expected = file.replace("end", "END").replace("        x = 1", "        x = 2");
    assert_eq!(made(file, &named), ok(&expected), "the `@@` line says where");
}

#[test]
fn several_places_after_the_last_chunk_are_refused_without_a_heading() {
    assert_eq!(made("x\nx\n", &[chunk(&[], "-x\n+y\n")]), Err(Code::SearchAmbiguous));
    assert_eq!(made("x\na\nx\n", &[chunk(&[], "-a\n+b\n"), chunk(&[], "-x\n+y\n")]), ok("x\nb\ny\n"));
}

#[test]
fn a_chunk_is_below_its_heading() {
    let file = "fn a\nx=10\ny=2\nfn b\nx=10\ny=20\n";
    assert_eq!(made(file, &[chunk(&["fn b"], "-x=10\n+x=11\n")]), ok(&file.replace("b\nx=10", "b\nx=11")));
    assert_eq!(made(file, &[chunk(&["fn a"], "-x=10\n+x=11\n")]), ok(&file.replacen("x=10", "x=11", 1)));
    assert_eq!(made(file, &[chunk(&["fn c"], "-x=10\n+x=11\n")]), Err(Code::SearchNotFound));
    assert_eq!(
        made("  fn a\n  x\n", &[chunk(&["fn a"], "-  x\n+  y\n")]),
        ok("  fn a\n  y\n"),
        "tiers 1 to 5"
    );
}

#[test]
fn a_heading_may_be_part_of_a_line_and_that_line_may_be_in_the_chunk() {
    let file = "import { OLD } from './old'\nmain()\n";
    let change = "-import { OLD } from './old'\n+import { OLD } from './old'\n+import { NEW } from './new'\n";
    assert_eq!(
        made(file, &[chunk(&["import { OLD }"], change)]),
        ok("import { OLD } from './old'\nimport { NEW } from './new'\nmain()\n")
    );
    assert_eq!(made("alpha\nbeta\n", &[chunk(&["alpha"], "-alpha\n+ALPHA\n")]), ok("ALPHA\nbeta\n"));
    let two = "def one():\n    a\ndef one_more():\n    b\n";
    assert_eq!(
        made(two, &[chunk(&["def one"], "-    b\n+    c\n")]),
        Err(Code::SearchNotFound),
        "part of two lines"
    );
}

#[test]
fn of_two_matching_headings_the_one_above_the_old_lines_is_meant() {
    let file = "def f():\n    a\ndef f():\n    b\n";
    assert_eq!(made(file, &[chunk(&["def f():"], "-    b\n+    c\n")]), ok(&file.replace("    b", "    c")));
    let both = "def f():\n    a\ndef f():\n    a\n";
    assert_eq!(made(both, &[chunk(&["def f():"], "-    a\n+    c\n")]), Err(Code::SearchAmbiguous));
}

#[test]
fn several_headings_narrow_step_by_step() {
    let class = |name: &str| format!("class {name}:\n    def f():\n        a\n    def g():\n        a\n");
    let file = class("A") + &class("B");
    let at = |context: &[&str]| made(&file, &[chunk(context, "-        a\n+        c\n")]);
    assert_eq!(
        at(&["class B:", "def g():"]),
        ok(&format!("{}{}", class("A"), class("B").replace("g():\n        a", "g():\n        c")))
    );
    assert_eq!(
        at(&["class A:", "def f():"]),
        ok(&format!("{}{}", class("A").replacen("        a", "        c", 1), class("B")))
    );
    assert_eq!(at(&["class A:"]), Err(Code::SearchAmbiguous), "both in the class");
    assert_eq!(at(&["def f():"]), Err(Code::SearchAmbiguous));
}

#[test]
fn added_lines_without_context_follow_the_heading_or_end_the_file() {
    let file = "fn a\n  x\nfn b\n  y\n";
    assert_eq!(made(file, &[chunk(&["fn a"], "+  i\n")]), ok("fn a\n  i\n  x\nfn b\n  y\n"));
    assert_eq!(made(file, &[chunk(&[], "+z\n")]), ok("fn a\n  x\nfn b\n  y\nz\n"));
    assert_eq!(
        made("l1\nl2\nl3\n", &[chunk(&[], "+e\n"), chunk(&[], " l1\n-l2\n-l3\n+n\n")]),
        Err(Code::SearchNotFound),
        "the end of the file is not meant where another chunk follows"
    );
    assert_eq!(made("", &[chunk(&[], "+z\n")]), ok("z\n"));
    assert_eq!(made("a", &[chunk(&[], "+z\n")]), ok("a\nz\n"));
    assert_eq!(made("q\nq\n", &[chunk(&["q"], "+z\n")]), Err(Code::SearchAmbiguous));
    for edit in [chunk(&["fn a"], "+  i\n"), chunk(&[], "+z\n")] {
        let once = made(file, std::slice::from_ref(&edit)).unwrap();
        assert_eq!(run(&once, &[edit]).unwrap().outcome, Outcome::AlreadyApplied);
    }
}

#[test]
fn the_end_of_file_mark_binds() {
    assert_eq!(made("mark\nx\nmark\n", &[at_end("-mark\n+MARK\n")]), ok("mark\nx\nMARK\n"));
    assert_eq!(made("mark\nx\nmark\n\n", &[at_end("-mark\n+MARK\n")]), ok("mark\nx\nMARK\n\n"));
    assert_eq!(made("mark\ntail\n", &[at_end("-mark\n+MARK\n")]), Err(Code::SearchNotFound));
}

#[test]
fn kept_lines_keep_their_bytes_and_the_last_line_gets_a_newline_if_it_is_touched() {
    assert_eq!(made("same\r\nsame\n", &[chunk(&[], "-same\n same\n")]), ok("same\n"));
    assert_eq!(made("one\r\ntwo", &[chunk(&[], "-one\n+ONE\n")]), ok("ONE\r\ntwo"));
    assert_eq!(made("a\nb\n", &[chunk(&[], "-a\n-b\n+b\n+b\n+a\n")]), ok("b\nb\na\n"));
}
