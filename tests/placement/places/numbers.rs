//! Line numbers, occurrences and hints: they choose among equal places, and a second run finds the places that they
//! mean.

use crate::answer::{diffs, occurrence, start_line, udiffx};
use crate::check::{already, lands, refused, stays};
use git_llm_apply::diag::Code;

const THREE: &str = "\
[first]
size = 1
name = a

[second]
size = 1
name = b

[third]
size = 1
name = c
";

/// Returns the file with the n-th `size = 1` set to 2.
fn made(nth: usize) -> String {
    let at = THREE.match_indices("size = 1").nth(nth - 1).unwrap().0;
    format!("{}size = 2{}", &THREE[..at], &THREE[at + 8..])
}

/// Returns the file with a line added below the n-th `size = 1`.
fn added(nth: usize) -> String {
    let at = THREE.match_indices("size = 1\n").nth(nth - 1).unwrap().0 + 9;
    format!("{}deep = 3\n{}", &THREE[..at], &THREE[at..])
}

fn at_line(line: usize) -> crate::answer::Answers {
    udiffx("a.ini", &format!("@@ -{line},1 +{line},1 @@\n-size = 1\n+size = 2\n"))
        .and(start_line(line, "a.ini", "size = 1", "size = 2"))
}

fn adds_at_line(line: usize) -> crate::answer::Answers {
    udiffx("a.ini", &format!("@@ -{line},1 +{line},2 @@\n size = 1\n+deep = 3\n")).and(start_line(
        line,
        "a.ini",
        "size = 1",
        "size = 1\ndeep = 3",
    ))
}

#[test]
fn a_number_chooses_among_equal_places() {
    for (nth, line) in [(1, 2), (2, 6), (3, 10)] {
        lands("a.ini", THREE, at_line(line), &made(nth));
    }
}

#[test]
fn a_number_that_hits_the_result_of_the_first_run_changes_nothing() {
    for (nth, line) in [(1, 2), (2, 6), (3, 10)] {
        already("a.ini", &made(nth), at_line(line));
        lands("a.ini", THREE, adds_at_line(line), &added(nth));
        stays("a.ini", &added(nth), adds_at_line(line));
    }
}

#[test]
fn a_number_at_which_neither_text_stands_says_nothing() {
    let file = THREE.replacen("size = 1", "size = 5", 2);
    let expected = file.replace("size = 1", "size = 2");
    for line in [1, 4, 7, 40, 4000] {
        lands("a.ini", &file, at_line(line), &expected);
        refused("a.ini", THREE, at_line(line)).code(Code::SearchAmbiguous);
    }
}

#[test]
fn what_is_made_at_the_number_is_not_made_elsewhere() {
    let file = made(1).replacen("size = 1", "size = 9", 1);
    stays("a.ini", &file, at_line(2));
}

#[test]
fn what_is_made_at_the_number_in_another_form_is_not_made_elsewhere() {
    let twins = |body: &str| format!("def a():\n{body}\n\ndef b():\n{body}");
    for (body, hunk, made) in [
        ("    x = 1\n    y = 2\n", " \tx = 1\n-\ty = 2\n+\ty = 5\n", "    x = 1\n    y = 5\n"),
        (
            "    x = \"a\"\n    y = 2\n",
            "     x = \u{201c}a\u{201d}\n-    y = 2\n+    y = 5\n",
            "    x = \"a\"\n    y = 5\n",
        ),
        ("    x = 1\n\n    y = 2\n", "     x = 1\n-    y = 2\n+    y = 5\n", "    x = 1\n\n    y = 5\n"),
    ] {
        let file = twins(body);
        let line = file[..file.find("def b").unwrap()].lines().count() + 2;
        let answers = || udiffx("m.py", &format!("@@ -{line},2 +{line},2 @@\n{hunk}"));
        let at = file.rfind(body).unwrap();
        let expected = format!("{}{made}", &file[..at]);
        lands("m.py", &file, answers(), &expected);
        already("m.py", &expected, answers());
    }
}

#[test]
fn numbers_of_several_hunks_are_one_story() {
    let body = "@@ -2,1 +2,2 @@\n size = 1\n+deep = 3\n@@ -6,1 +7,2 @@\n size = 1\n+deep = 3\n";
    let first = added(1);
    let at = first.match_indices("size = 1\n").nth(1).unwrap().0 + 9;
    let expected = format!("{}deep = 3\n{}", &first[..at], &first[at..]);
    lands("a.ini", THREE, udiffx("a.ini", body), &expected);
}

#[test]
fn where_number_and_heading_agree_they_are_not_overruled() {
    let file = THREE
        .replace('[', "class ")
        .replace("]\n", ":\n")
        .replace("size", "    size")
        .replace("name", "    name");
    let hunk = "-    size = 1\n+    size = 2\n";
    for (nth, line, name) in [(1, 2, "first"), (2, 6, "second"), (3, 10, "third")] {
        let body = format!("@@ -{line},1 +{line},1 @@ class {name}:\n{hunk}");
        let at = file.match_indices("size = 1").nth(nth - 1).unwrap().0;
        let expected = format!("{}size = 2{}", &file[..at], &file[at + 8..]);
        lands("a.py", &file, udiffx("a.py", &body), &expected);
        // If the place that they mean has neither text, no other place is taken.
        let other = format!("{}size = 7{}", &file[..at], &file[at + 8..]);
        refused("a.py", &other, udiffx("a.py", &body)).not_nowhere();
    }
}

fn count(which: &str) -> crate::answer::Answers {
    occurrence(which, "a.ini", "size = 1", "size = 2")
}

#[test]
fn an_occurrence_counts_the_places() {
    for (which, nth) in [("first", 1), ("1", 1), ("2", 2), ("3", 3), ("last", 3)] {
        lands("a.ini", THREE, count(which), &made(nth));
        lands("a.ini", THREE, occurrence(which, "a.ini", "size = 1\n", "size = 1\ndeep = 3\n"), &added(nth));
    }
}

#[test]
fn an_occurrence_whose_place_an_earlier_edit_has_changed_is_refused() {
    // A draft and its replacement: counted in the file that the model was shown, both mean the same place.
    for which in ["1", "first", "2", "last"] {
        let draft = occurrence(which, "a.ini", "size = 1", "size = 2");
        refused("a.ini", THREE, draft.then(occurrence(which, "a.ini", "size = 1", "size = 3")));
    }
}

#[test]
fn an_occurrence_binds_also_where_there_is_one_place_only() {
    let file = THREE.replacen("size = 1", "size = 5", 2);
    for which in ["2", "3"] {
        refused("a.ini", &file, count(which)).code(Code::OccurrenceRange).says("if line 10 is meant");
    }
    refused("a.ini", THREE, count("4")).code(Code::OccurrenceRange);
}

#[test]
fn an_occurrence_is_refused_where_its_result_stands_before_the_counted_place() {
    // The first may have been changed by this very answer, so it is not clear which one is the second now.
    for which in ["1", "2", "first"] {
        stays("a.ini", &made(1), count(which));
    }
    refused("a.ini", &made(1), count("2"));
    refused("a.ini", &made(2), count("2"));
    // The last one is counted from the end.
    stays("a.ini", &made(3), count("last"));
}

#[test]
fn a_number_does_not_overrule_a_text_that_stands_once() {
    let body = "@@ -2,1 +2,1 @@\n-name = b\n+name = d\n";
    lands("a.ini", THREE, udiffx("a.ini", body), &THREE.replace("name = b", "name = d"));
}

#[test]
fn a_number_and_the_order_that_name_two_places_are_refused() {
    let name = "@@ -7,1 +7,1 @@\n-name = b\n+name = B\n";
    let size = |line: usize| format!("@@ -{line},1 +{line},1 @@\n-size = 1\n+size = 2\n");
    // Only one size is below the second name, and the number is that of the second size.
    refused("a.toml", THREE, udiffx("a.toml", &format!("{name}{}", size(6))))
        .code(Code::SearchAmbiguous)
        .says("line 6");
    let expected = made(3).replace("name = b", "name = B");
    lands("a.toml", THREE, udiffx("a.toml", &format!("{name}{}", size(10))), &expected);
    // A number without a size says nothing.
    lands("a.toml", THREE, udiffx("a.toml", &format!("{name}{}", size(9))), &expected);
}

#[test]
fn a_result_inside_of_what_is_to_become_it_is_not_there_by_a_wrong_number() {
    // One of several equal lines is removed. What is left of them is in the file before and after.
    let file = "a()\nlog(1)\nlog(1)\nb()\nc()\n";
    for numbers in ["-3,3 +3,2", "-2,3 +3,2", "-3,3 +2,2", "-9,3 +3,2"] {
        let body = format!("@@ {numbers} @@\n log(1)\n-log(1)\n b()\n");
        lands("a.py", file, diffs("a.py", &body), "a()\nlog(1)\nb()\nc()\n");
        lands("a.py", file, udiffx("a.py", &body), "a()\nlog(1)\nb()\nc()\n");
    }
    let items = "list:\n  - x: 1\n    y: 2\n  - x: 1\n    y: 2\n  - z: 3\n";
    let (find, put) =
        ("  - x: 1\n    y: 2\n  - x: 1\n    y: 2\n  - z: 3\n", "  - x: 1\n    y: 2\n  - z: 3\n");
    lands("a.yml", items, start_line(4, "a.yml", find, put), "list:\n  - x: 1\n    y: 2\n  - z: 3\n");
}

#[test]
fn a_number_or_a_count_that_names_a_looser_place_is_not_taken_for_the_strict_one() {
    // The first one matches exactly. The last one differs in blanks, and the number names it.
    for (last, find) in [
        ("size = 1 ", "size = 1"),
        ("  size = 1", "size = 1"),
        ("size = 1\n\nname = a", "size = 1\nname = a"),
    ] {
        let file = format!("[a]\nsize = 1\nname = a\n[b]\n{last}\n");
        let put = find.replace('1', "2");
        let lines =
            |text: &str, mark: char| text.lines().map(|line| format!("{mark}{line}\n")).collect::<String>();
        let hunk = format!("@@ -5 +5 @@\n{}{}", lines(find, '-'), lines(&put, '+'));
        refused("a.ini", &file, udiffx("a.ini", &hunk)).code(Code::SearchAmbiguous);
        refused("a.ini", &file, start_line(5, "a.ini", find, &put)).code(Code::SearchAmbiguous);
        refused("a.ini", &file, occurrence("last", "a.ini", find, &put)).code(Code::SearchAmbiguous);
        lands("a.ini", &file, start_line(2, "a.ini", find, &put), &file.replacen(find, &put, 1));
        lands("a.ini", &file, occurrence("first", "a.ini", find, &put), &file.replacen(find, &put, 1));
    }
}

#[test]
fn an_equal_hunk_for_another_place_is_not_the_first_once_more() {
    let function = |name: &str, x: &str| format!("def {name}():\n    x = {x}\n    y = 2\n\n");
    let hunk = |line: &str| format!("@@{line}\n     x = 1\n-    y = 2\n+    y = 3\n");
    // The second place differs in blanks, or has other content by now.
    for x in ["1 ", "5"] {
        let file = function("a", "1") + &function("b", x);
        let body = hunk(" -2,2 +2,2 @@") + &hunk(" -6,2 +6,2 @@");
        refused("a.py", &file, udiffx("a.py", &body));
    }
    let file = function("a", "1") + &function("b", "1 ");
    refused("a.py", &file, diffs("a.py", &(hunk("") + &hunk(""))));
    lands(
        "a.py",
        &function("a", "1"),
        diffs("a.py", &(hunk("") + &hunk(""))),
        &function("a", "1").replace('2', "3"),
    );
}

#[test]
fn a_line_put_in_among_equal_ones_is_put_in_at_its_number() {
    let file = "f() {\n  a();\n  a();\n  a();\n  d();\n}\n";
    let answer = || udiffx("a.c", "@@ -3,3 +3,4 @@\n   a();\n   a();\n+  a();\n   d();\n");
    let made = file.replace("  d();", "  a();\n  d();");
    lands("a.c", file, answer(), &made);
    already("a.c", &made, answer());
}

#[test]
fn a_deletion_made_at_its_number_takes_no_other_lines_that_match_more_loosely() {
    let file = "f() {\n  a();\n\n  b();\n}\n\ng() {\n  c();\n  b();\n}\n";
    let answer = || udiffx("a.c", "@@ -3,3 +3,2 @@\n \n-  b();\n }\n");
    let made = file.replacen("  b();\n", "", 1);
    lands("a.c", file, answer(), &made);
    refused("a.c", &made, answer());
}

#[test]
fn a_misquoted_line_between_blank_ones_is_not_taken_for_deleted() {
    let file = "a = 1\nb = \"2.0\"\n\n[x]\n";
    refused("a.ini", file, udiffx("a.ini", "@@ -1,3 +1,2 @@\n a = 1\n-b = \"1.0\"\n \n"));
}

#[test]
fn a_blank_line_that_a_number_names_is_added_once() {
    lands("a.md", "a\nb\n\n", diffs("a.md", "@@ -3,1 +3,2 @@\n \n+\n"), "a\nb\n\n\n");
}
