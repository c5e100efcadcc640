//! If there are several places or readings, an edit lands only if all of them give the same bytes.

use crate::answer;
use crate::answer::{each, every, opx_all, search_replace_all, texts};
use crate::check::{lands, lands_or_refused, refused};
use git_llm_apply::diag::Code;

#[test]
fn several_places_are_ambiguous() {
    let file = "a = 1\nb = 2\na = 1\nc = 3\n";
    refused("a.py", file, each("a.py", "a = 1", "a = 2")).code(Code::SearchAmbiguous);
}

#[test]
fn overlapping_places_count() {
    let file = "first\n}\n}\n}\nlast\n";
    refused("a.c", file, each("a.c", "}\n}", "}\nx\n}")).code(Code::SearchAmbiguous);
    let file = "a\nb\na\nb\na\n";
    refused("a.txt", file, each("a.txt", "a\nb\na", "a\nc\na")).code(Code::SearchAmbiguous);
}

#[test]
fn one_of_equal_lines_in_a_row_that_goes_is_any_of_them() {
    // Either of the two can be removed, with the same result.
    let file = "start = 0\nitem()\nitem()\nend = 1\n";
    let expected = "start = 0\nitem()\nend = 1\n";
    let find = "start = 0\nitem()\nitem()\nend = 1";
    lands("a.py", file, each("a.py", find, "start = 0\nitem()\nend = 1"), expected);
}

#[test]
fn pairings_that_give_the_same_bytes_land() {
    // The kept bracket may be the first or the second one of the text after.
    let file = "fn a() {\n    one();\n}\n\nfn last() {\n}\n";
    let find = "fn a() {\n    one();\n}\n";
    let put = "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n";
    lands("a.rs", file, each("a.rs", find, put), &file.replace(find, put));
    let find = "    one();\n}\n";
    let put = "    one();\n}\n\nfn b() {\n    two();\n}\n";
    lands("a.rs", file, each("a.rs", find, put), &file.replace(find, put));
}

#[test]
fn pairings_that_give_other_bytes_are_refused_or_land_as_every_reading_has_it() {
    // The file has blanks at the end of one of two lines, which the answer writes alike.
    let file = "start = 0\nitem()  \nitem()\nend = 1\n";
    let find = "start = 0\nitem()\nitem()\nend = 1";
    refused("a.py", file, texts("a.py", &[(find, "start = 0\nitem()\nend = 1")])).code(Code::SearchAmbiguous);
}

const GAP: &str = "first = 1\n\nsecond = 2\nthird = 3\n";

#[test]
fn a_line_put_in_where_a_blank_line_was_left_out_has_two_sides() {
    let find = "first = 1\nsecond = 2\nthird = 3";
    refused("a.py", GAP, each("a.py", find, "first = 1\nnew = 4\nsecond = 2\nthird = 3"));
}

#[test]
fn a_change_away_from_a_blank_line_that_was_left_out_lands() {
    let find = "first = 1\nsecond = 2\nthird = 3";
    let answers = each("a.py", find, "first = 1\nsecond = 2\nnew = 4\nthird = 3");
    lands("a.py", GAP, answers, "first = 1\n\nsecond = 2\nnew = 4\nthird = 3\n");
    // A line that replaces another one takes its place.
    let answers = each("a.py", find, "first = 10\nsecond = 2\nthird = 3");
    lands("a.py", GAP, answers, "first = 10\n\nsecond = 2\nthird = 3\n");
    let answers = each("a.py", find, "first = 1\nsecond = 20\nthird = 3");
    lands("a.py", GAP, answers, "first = 1\n\nsecond = 20\nthird = 3\n");
}

#[test]
fn a_line_that_goes_beside_a_blank_line_that_was_left_out_leaves_it() {
    let answers = each("a.py", "first = 1\nsecond = 2\nthird = 3", "first = 1\nthird = 3");
    lands_or_refused("a.py", GAP, answers, "first = 1\n\nthird = 3\n");
}

const PLACES: &str = "[a]\nsize = 1\n\n[b]\nsize = 1\n\n[c]\nsize = 1\n";

/// Returns the same edit this many times.
fn times(count: usize) -> Vec<(&'static str, &'static str)> {
    vec![("size = 1", "size = 2"); count]
}

#[test]
fn as_many_equal_edits_as_places_are_those_places() {
    lands("a.ini", PLACES, every("a.ini", &times(3)), &PLACES.replace("size = 1", "size = 2"));
    let two = PLACES.replacen("size = 1", "size = 9", 1);
    lands("a.ini", &two, every("a.ini", &times(2)), &two.replace("size = 1", "size = 2"));
}

#[test]
fn as_many_equal_insertions_as_places_are_those_places() {
    let pairs = vec![("size = 1", "size = 1\ndeep = 2"); 3];
    lands("a.ini", PLACES, every("a.ini", &pairs), &PLACES.replace("size = 1", "size = 1\ndeep = 2"));
}

#[test]
fn more_or_fewer_equal_edits_than_places_are_ambiguous() {
    refused("a.ini", PLACES, every("a.ini", &times(2))).code(Code::SearchAmbiguous);
}

#[test]
fn equal_edits_for_overlapping_places_are_refused() {
    let pairs = vec![("}\n}", "}\nx\n}"); 2];
    refused("a.c", "first\n}\n}\n}\nlast\n", texts("a.c", &pairs));
}

#[test]
fn equal_edits_in_two_parts_of_an_answer_are_the_same_once_more() {
    let one = || opx_all("a.ini", &times(3)).and(search_replace_all("a.ini", &times(3)));
    lands("a.ini", PLACES, one().then(one()), &PLACES.replace("size = 1", "size = 2"));
    // One edit given twice does not mean both of two places.
    let file = PLACES.replacen("size = 1", "size = 9", 1);
    let one = || {
        answer::opx("a.ini", "size = 1", "size = 2")
            .and(answer::search_replace("a.ini", "size = 1", "size = 2"))
    };
    refused("a.ini", &file, one().then(one()));
}
