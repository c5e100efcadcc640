//! Parts of a line, in OPX only: a search text that is a line, one inside of a line, and where it may begin and end.

use crate::answer::{occurrence, opx};
use crate::check::{lands, lands_or_refused, refused};
use git_llm_apply::diag::Code;

#[test]
fn a_line_but_for_its_indentation_is_that_line() {
    let file = "def f():\n    timeout = 30\n    go()\n";
    let expected = "def f():\n    timeout = 60\n    retries = 2\n    go()\n";
    lands("a.py", file, opx("a.py", "timeout = 30", "timeout = 60\nretries = 2"), expected);
}

#[test]
fn a_line_but_for_its_trailing_comment_is_that_line() {
    let file = "def f():\n    timeout = 30  # seconds\n    go()\n";
    let expected = "def f():\n    timeout = 60  # seconds\n    go()\n";
    lands("a.py", file, opx("a.py", "timeout = 30", "timeout = 60"), expected);
    let file = "func f() {\n\ttimeout := 30 // seconds\n}\n";
    let expected = "func f() {\n\ttimeout := 60 // seconds\n}\n";
    lands("a.go", file, opx("a.go", "timeout := 30", "timeout := 60"), expected);
}

#[test]
fn the_comment_stays_where_it_is_when_a_line_is_added() {
    let file = "def f():\n    timeout = 30  # seconds\n    go()\n";
    let expected = "def f():\n    timeout = 30  # seconds\n    retries = 2\n    go()\n";
    lands("a.py", file, opx("a.py", "timeout = 30", "timeout = 30\nretries = 2"), expected);
    let expected = "def f():\n    retries = 2\n    timeout = 30  # seconds\n    go()\n";
    lands("a.py", file, opx("a.py", "timeout = 30", "retries = 2\ntimeout = 30"), expected);
}

#[test]
fn a_find_that_carries_indentation_is_a_whole_line() {
    let file = "def f():\n    timeout = 30 * 60\n    go()\n";
    refused("a.py", file, opx("a.py", "    timeout = 30", "    timeout = 60")).code(Code::SearchNotFound);
    refused("a.py", file, opx("a.py", "    timeout = 30", "    timeout = 30\n    retries = 2"));
}

#[test]
fn a_find_of_several_lines_is_whole_lines() {
    let file = "def f():\n    timeout = 30 * 60\n    go(1) + 2\n";
    refused("a.py", file, opx("a.py", "60\n    go(1)", "61\n    go(2)")).code(Code::SearchNotFound);
    refused("a.py", file, opx("a.py", "def f():\n    timeout = 30", "def f():\n    timeout = 60"));
}

#[test]
fn a_statement_that_goes_on_is_not_split_by_a_line_that_is_added() {
    let file = "a = 1\nb = 2 + c\nd = 4\n";
    refused("a.py", file, opx("a.py", "b = 2", "b = 2\ne = 5"));
    refused("a.py", file, opx("a.py", "b = 2", "b = 3\ne = 5"));
}

#[test]
fn it_may_lie_inside_a_line() {
    let file = "x = foo(a) + bar(b)\ny = 1\n";
    lands("a.py", file, opx("a.py", "foo(a)", "foo(a, 1)"), "x = foo(a, 1) + bar(b)\ny = 1\n");
    lands("a.py", file, opx("a.py", "+ bar(b)", "- bar(b)"), "x = foo(a) - bar(b)\ny = 1\n");
}

#[test]
fn it_begins_and_ends_at_the_border_of_a_token() {
    for (file, find, put) in [
        ("version = 1.2.3\n", "1.2", "1.4"),
        ("version = 1.2.3\n", "2.3", "2.4"),
        ("needs = [\"left-pad 11.2\"]\n", "1.2", "1.4"),
        ("workers = 4\n", "worker", "thread"),
        ("all_workers = 4\n", "workers = 4", "threads = 4"),
        ("timeout = 300\n", "timeout = 30", "timeout = 60"),
        ("rate = 2e5\n", "2", "3"),
    ] {
        let file = format!("first = start()\n{file}last = end()\n");
        refused("a.toml", &file, opx("a.toml", find, put)).not_nowhere();
    }
}

#[test]
fn what_stands_in_a_comment_only_is_not_taken_for_code() {
    let file = "first = 1\n# workers = 4\nlast = 2\n";
    refused("a.py", file, opx("a.py", "workers = 4", "workers = 8")).not_nowhere();
    let file = "first = 1\ngo()  # with workers = 4 or so\nlast = 2\n";
    refused("a.py", file, opx("a.py", "workers = 4", "workers = 8")).not_nowhere();
    // A match in a comment does not count if there is one in code.
    let file = "first = 1\n# workers = 4\nworkers = 4\nlast = 2\n";
    let expected = "first = 1\n# workers = 4\nworkers = 8\nlast = 2\n";
    lands("a.py", file, opx("a.py", "workers = 4", "workers = 8"), expected);
    // A search text with the comment mark matches the comment.
    let file = "first = 1\n# workers = 4\nlast = 2\n";
    lands("a.py", file, opx("a.py", "# workers = 4", "workers = 8"), "first = 1\nworkers = 8\nlast = 2\n");
}

#[test]
fn several_parts_are_ambiguous_and_may_be_counted() {
    let file = "x = foo(a) + foo(b)\ny = foo(a)\n";
    refused("a.py", file, opx("a.py", "foo(a)", "bar(a)")).code(Code::SearchAmbiguous);
    let expected = "x = foo(a) + foo(b)\ny = bar(a)\n";
    lands("a.py", file, occurrence("2", "a.py", "foo(a)", "bar(a)"), expected);
    lands("a.py", file, occurrence("last", "a.py", "foo(a)", "bar(a)"), expected);
}

#[test]
fn a_part_is_not_put_in_twice() {
    let file = "x = foo(a) + bar(b)\ny = 1\n";
    lands("a.py", file, opx("a.py", "foo(a)", "max(foo(a), 0)"), "x = max(foo(a), 0) + bar(b)\ny = 1\n");
    lands_or_refused(
        "a.py",
        file,
        opx("a.py", "bar(b)", "bar(b) + bar(b)"),
        "x = foo(a) + bar(b) + bar(b)\ny = 1\n",
    );
}

#[test]
fn the_line_ends_of_the_file_stay() {
    let file = "first = 1\r\n  private a: A;\r\nlast = 2\r\n";
    let expected = "first = 1\r\n  private a: A;\r\n  private b: B;\r\nlast = 2\r\n";
    lands("a.ts", file, opx("a.ts", "private a: A;", "private a: A;\nprivate b: B;"), expected);
}

#[test]
fn lines_that_have_the_files_indentation_are_not_indented_once_more() {
    let file = "def f():\n    total = 1\n    return total\n";
    refused("a.py", file, opx("a.py", "total = 1", "    total = 2"));
    refused("a.py", file, opx("a.py", "total = 1", "    total = 2\n    size = 3"));
    lands("a.py", file, opx("a.py", "total = 1", "total = 2"), &file.replace("= 1", "= 2"));
}

#[test]
fn an_element_that_is_whole_in_its_line_opens_nothing() {
    let file = "<ul>\n  <li>one</li>\n  <li>two</li>\n</ul>\n";
    let put = "<li>one</li>\n<li>more</li>";
    let expected = file.replace("one</li>\n", "one</li>\n  <li>more</li>\n");
    lands("a.html", file, opx("a.html", "<li>one</li>", put), &expected);
}

#[test]
fn the_comment_of_a_line_stays_with_it_where_it_is_wrapped() {
    lands("a.py", "f() # c\n", opx("a.py", "f()", "if y:\n    f()"), "if y:\n    f() # c\n");
}
