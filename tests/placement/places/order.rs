//! Several edits of one response: their order, what each one sees, and what no edit ever changes.

use crate::answer::{self, Answers, diffs, each, every, opx_all, search_replace, texts, udiffx};
use crate::check::{self, Files, Ran, files, lands, lands_or_refused, refused, run_on};
use git_llm_apply::diag::Code;

const MAIN: &str = "void main() {\n  setup();\n  end();\n}\n";

#[test]
fn insertions_behind_one_line_keep_the_order_of_the_response() {
    let pairs =
        [("void main() {", "void main() {\n  parse();"), ("void main() {", "void main() {\n  run();")];
    let expected = MAIN.replace("{\n", "{\n  parse();\n  run();\n");
    lands("a.c", MAIN, texts("a.c", &pairs), &expected);
    let body = "@@\n void main() {\n+  parse();\n@@\n void main() {\n+  run();\n";
    lands("a.c", MAIN, udiffx("a.c", body), &expected);
    lands_or_refused("a.c", MAIN, answer::patch("a.c", body), &expected);
}

#[test]
fn an_insertion_that_begins_with_an_earlier_one_at_its_spot_is_refused() {
    // A longer version of the first insertion: should it replace the first one?
    let first = ("void main() {", "void main() {\n  parse();");
    let fuller = ("void main() {", "void main() {\n  parse();\n  run();");
    refused("a.c", MAIN, texts("a.c", &[first, fuller]));
    let body = "@@\n void main() {\n+  parse();\n@@\n void main() {\n+  parse();\n+  run();\n";
    refused("a.c", MAIN, udiffx("a.c", body));
}

#[test]
fn insertions_before_one_line_keep_the_order_of_the_response() {
    let pairs = [("  end();\n}", "  parse();\n  end();\n}"), ("  end();\n}", "  run();\n  end();\n}")];
    let expected = MAIN.replace("  end", "  parse();\n  run();\n  end");
    lands("a.c", MAIN, texts("a.c", &pairs), &expected);
    let body = "@@\n+  parse();\n   end();\n@@\n+  run();\n   end();\n";
    lands("a.c", MAIN, udiffx("a.c", body), &expected);
}

#[test]
fn three_insertions_at_one_spot_of_which_two_say_what_is_around_them() {
    let pairs = [
        ("  setup();", "  setup();\n  one();"),
        ("  setup();\n  end();", "  setup();\n  two();\n  end();"),
        ("  end();", "  three();\n  end();"),
    ];
    let expected = MAIN.replace("  end", "  one();\n  two();\n  three();\n  end");
    // The second one quotes lines that the first one has separated, which may be a conflict.
    lands_or_refused("a.c", MAIN, texts("a.c", &pairs), &expected);
}

#[test]
fn what_goes_behind_a_line_does_not_go_behind_what_belongs_to_the_line_below() {
    // Models write edits from the bottom up like this.
    let pairs = [("  end();", "  run();\n  end();"), ("  setup();", "  setup();\n  parse();")];
    let expected = MAIN.replace("  end", "  parse();\n  run();\n  end");
    lands("a.c", MAIN, texts("a.c", &pairs), &expected);
    let body = "@@\n+  run();\n   end();\n@@\n   setup();\n+  parse();\n";
    lands("a.c", MAIN, udiffx("a.c", body), &expected);
    // Nor below lines that were exchanged.
    let file = "a\nb\nc\nd\n";
    let swap = ("b\nc", "c\nb");
    for pairs in [[swap, ("a", "a\ny")], [("a", "a\ny"), swap]] {
        lands("a.txt", file, texts("a.txt", &pairs), "a\ny\nc\nb\nd\n");
    }
}

#[test]
fn an_edit_sees_the_result_of_those_before() {
    let pairs = [("  setup();", "  setup(1);"), ("  setup(1);\n  end();", "  setup(1);\n  end(2);")];
    let expected = MAIN.replace("setup()", "setup(1)").replace("end()", "end(2)");
    lands("a.c", MAIN, texts("a.c", &pairs), &expected);
}

#[test]
fn an_edit_may_be_written_against_what_was_shown() {
    // The second one quotes what the first one has changed.
    let pairs = [
        ("void main() {\n  setup();", "int main() {\n  setup();"),
        ("void main() {\n  setup();\n  end();", "void main() {\n  setup();\n  end(2);"),
    ];
    let expected = MAIN.replace("void main", "int main").replace("end()", "end(2)");
    lands("a.c", MAIN, texts("a.c", &pairs), &expected);
}

#[test]
fn two_edits_of_one_line_are_a_conflict() {
    let pairs = [("  setup();", "  setup(1);"), ("  setup();", "  setup(2);")];
    refused("a.c", MAIN, texts("a.c", &pairs));
    refused("a.c", MAIN, texts("a.c", &pairs)).code(Code::Conflict);
}

#[test]
fn an_ambiguity_goes_to_the_base_before_it_is_refused() {
    let file = "alpha = compute(1)\nbravo = compute(2)\ncharlie = compute(3)\n";
    let pairs = [
        (
            "bravo = compute(2)\ncharlie = compute(3)",
            "bravo = compute(2)\nalpha = compute(1)\ncharlie = compute(3)",
        ),
        ("alpha = compute(1)", "alpha = compute(9)"),
    ];
    let expected = "alpha = compute(9)\nbravo = compute(2)\nalpha = compute(1)\ncharlie = compute(3)\n";
    lands("a.py", file, texts("a.py", &pairs), expected);
}

#[test]
fn a_moved_path_is_followed() {
    let answer = "<opx>\n<edit file=\"a.c\" op=\"move\">\n<to file=\"b.c\"/>\n</edit>\n".to_owned()
        + &opx_all("a.c", &[("  setup();", "  setup(1);")]).0.remove(0).1.replace("<opx>\n", "");
    let before = files(&[("a.c", MAIN)]);
    match run_on(&before, &answer) {
        Ran::Changed(after, _) => assert_eq!(after, files(&[("b.c", &MAIN.replace("setup()", "setup(1)"))])),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_empty_text_is_found_in_an_empty_file_only() {
    let blocks = || search_replace("a.c", "", "a = 1");
    refused("a.c", MAIN, blocks().and(answer::applydir("a.c", "", "a = 1")));
    lands("a.c", "", blocks(), "a = 1\n");
    // OPX requires a search text.
    let answer = answer::opx("a.c", "", "a = 1").0.remove(0).1;
    assert!(matches!(check::run("a.c", MAIN, &answer), Ran::Unreadable(_)));
}

#[test]
fn an_empty_search_makes_a_new_file() {
    let answer = search_replace("new.py", "", "a = 1").0.remove(0).1;
    let Ran::Changed(after, _) = run_on(&Files::new(), &answer) else { panic!("it lands") };
    assert_eq!(after["new.py"], "a = 1\n");
    assert!(!matches!(run_on(&after, &answer), Ran::Changed(..)));
}

#[test]
fn no_other_file_is_ever_tried() {
    let before = files(&[("a.c", "int x;\n"), ("b.c", MAIN)]);
    let Answers(all) = each("a.c", "  setup();\n  end();", "  setup();\n  end(2);");
    for (format, answer) in all {
        assert!(matches!(run_on(&before, &answer), Ran::Refused(_)), "{format}");
    }
}

#[test]
fn hunks_of_a_file_are_made_all_or_none() {
    let body = "@@\n-  setup();\n+  setup(1);\n@@\n-  nowhere();\n+  there();\n";
    refused("a.c", MAIN, diffs("a.c", body)).code(Code::SearchNotFound);
    let pairs = [("  setup();", "  setup(1);"), ("  nowhere();", "  there();")];
    refused("a.c", MAIN, every("a.c", &pairs)).code(Code::SearchNotFound);
}

#[test]
fn what_an_earlier_edit_brought_is_not_taken_for_what_was_there_before() {
    let file = "x = call( timeout=30 )  \nif x:  \n    go()\ny = 1\n";
    let new = "y = 2\nif x:\n    go()";
    let pairs = [("y = 1", new), ("if x:\n    go()", "if x:\n    stop()")];
    refused("a.py", file, texts("a.py", &pairs)).code(Code::SearchAmbiguous);
    // A text that was not there before can only be the new one.
    let pairs = [("y = 1", "y = 2\nz = 3\nend()"), ("z = 3\nend()", "z = 4\nend()")];
    lands("a.py", file, texts("a.py", &pairs), &file.replace("y = 1", "y = 2\nz = 4\nend()"));
}

#[test]
fn of_equal_lines_an_edit_of_the_text_that_was_shown_changes_the_one_that_was_meant() {
    let file = "top\na\nc\nb\nb\nend\n";
    let right = "top\na\nc\nnew\nb\nend\n";
    let hunks = ["@@ -3,2 +3,3 @@\n c\n b\n+new\n", "@@ -2,4 +2,3 @@\n a\n c\n-b\n b\n"];
    // The first one makes the lines look like the result of the second.
    lands("a.txt", file, diffs("a.txt", hunks[0]).then(diffs("a.txt", hunks[1])), right);
}

#[test]
fn a_place_that_an_earlier_edit_made_is_not_taken_for_one_that_is_still_there() {
    let file = "one\nx\nend\nend\n";
    let edits = diffs("a.txt", "@@\n one\n x\n+y\n+x\n").then(diffs("a.txt", "@@\n-x\n+z\n end\n end\n"));
    refused("a.txt", file, edits).code(Code::SearchAmbiguous).says("line 2 or line 4");
}

#[test]
fn an_insertion_does_not_go_into_a_block_that_an_earlier_one_began_at_its_spot() {
    let file = "def run():\n    b()\n    log()\n";
    let pairs =
        [("    log()", "    log()\n\ndef extra():\n    c()"), ("    log()", "    log()\n    flush()")];
    let expected = "def run():\n    b()\n    log()\n    flush()\n\ndef extra():\n    c()\n";
    lands("a.py", file, texts("a.py", &pairs), expected);
    lands("a.py", file, texts("a.py", &[pairs[1], pairs[0]]), expected);
    let file = "[dev-dependencies]\ntempfile = \"3\"\n";
    let pairs = [
        ("tempfile = \"3\"", "tempfile = \"3\"\n\n[build-dependencies]\ncc = \"1\""),
        ("tempfile = \"3\"", "tempfile = \"3\"\nproptest = \"1\""),
    ];
    let expected =
        "[dev-dependencies]\ntempfile = \"3\"\nproptest = \"1\"\n\n[build-dependencies]\ncc = \"1\"\n";
    lands("Cargo.toml", file, texts("Cargo.toml", &pairs), expected);
    // Two new functions are in the order of the response.
    let file = "def run():\n    log()\n";
    let pairs = ["a", "b"].map(|name| format!("    log()\n\ndef {name}():\n    c()"));
    let pairs = [("    log()", &*pairs[0]), ("    log()", &*pairs[1])];
    let expected = "def run():\n    log()\n\ndef a():\n    c()\n\ndef b():\n    c()\n";
    lands("a.py", file, texts("a.py", &pairs), expected);
}

const TWINS: &str =
    "def a():\n    limit = 30\n    return a(limit)\n\n\ndef b():\n    limit = 30\n    return b(limit)\n";

#[test]
fn a_text_that_an_earlier_edit_left_in_one_of_two_places_is_ambiguous() {
    let first = ("def a():\n    limit = 30", "def a():\n    limit = 10");
    let short = |find: &str, put: &str| every("a.py", &[(find, put)]);
    let then = |find: &str, put: &str| {
        every("a.py", &[first]).but("applydir").then(short(find, put).but("applydir"))
    };
    // Does it correct the first one, or make the same change in the second place?
    refused("a.py", TWINS, then("    limit = 30", "    limit = 5"))
        .code(Code::SearchAmbiguous)
        .says("line 2 or line 7 may be meant");
    refused("a.py", TWINS, then("    limit = 30", "")).code(Code::SearchAmbiguous);
    let made = TWINS.replacen("30", "10", 1);
    lands(
        "a.py",
        TWINS,
        then("def b():\n    limit = 30", "def b():\n    limit = 5"),
        &made.replace("30", "5"),
    );
    lands("a.py", TWINS, then("    limit = 10", "    limit = 5"), &TWINS.replacen("30", "5", 1));
    // A text that is gone cannot be corrected.
    let all = "def a():\n    limit = 30\n    return a(limit)\n\n\n";
    let rest = every("a.py", &[(&format!("{all}def b():"), "def b():")])
        .then(short("    limit = 30", "    limit = 5"));
    lands("a.py", TWINS, rest, "def b():\n    limit = 5\n    return b(limit)\n");
}

#[test]
fn a_hunk_behind_one_that_is_applied_is_not_made_above_it() {
    let function = |name: &str| format!("def {name}(\n    user,\n    root,\n    prefix,\n):\n    pass\n\n\n");
    let file = format!("{}v = 1\nw = 1\nu = 1\n\n\n{}end()\n", function("a"), function("b"));
    let body = "@@ ... @@\n-v = 1\n+v = 2\n w = 1\n u = 1\n@@ ... @@\n     user,\n-    root,\n     prefix,\n";
    let expected = format!(
        "{}v = 2\nw = 1\nu = 1\n\n\n{}end()\n",
        function("a"),
        function("b").replace("    root,\n", "")
    );
    lands("m.py", &file, diffs("m.py", &body.replace("@@ ... @@", "@@")), &expected);
    lands("m.py", &file, answer::udiffx("m.py", body), &expected);
    // Another place that looks like the result hides where the second hunk belongs.
    let like = function("c").replace("    root,\n", "");
    let (file, expected) = (format!("{file}{like}"), format!("{expected}{like}"));
    lands("m.py", &file, diffs("m.py", &body.replace("@@ ... @@", "@@")), &expected);
    lands("m.py", &file, answer::udiffx("m.py", body), &expected);
}
