//! How a kept line may differ: in a comment, in prose, at the end of the last line. Code is never guessed.

use crate::answer::{each, every};
use crate::check::{lands, refused};
use git_llm_apply::diag::Code;

/// Returns a file, answers that quote it with one line written differently in both texts, and the result. The last of
/// the four lines changes.
fn kept(name: &str, real: &str, written: &str) -> (String, crate::answer::Answers, String) {
    let file = |line: &str, last: &str| format!("first = read(1)\n{line}\nthird = read(3)\nlast = {last}\n");
    let answers = each(name, &file(written, "4"), &file(written, "5"));
    (file(real, "4"), answers, file(real, "5"))
}

#[track_caller]
fn is_the_line(name: &str, real: &str, written: &str) {
    let (file, answers, expected) = kept(name, real, written);
    lands(name, &file, answers, &expected);
}

#[track_caller]
fn is_another_line(name: &str, real: &str, written: &str) {
    let (file, answers, _) = kept(name, real, written);
    refused(name, &file, answers).code(Code::SearchNotFound);
}

#[test]
fn a_typo_in_a_comment_is_forgiven_and_stays_out_of_the_file() {
    is_the_line("a.py", "# Read the configuration of the user", "# Read the configuraton of the user");
    is_the_line("a.rs", "// Read the configuration of the user", "// Read the configuration of the usr");
    is_the_line("a.c", "/* Read the configuration of the user */", "/* Read the configuration of an user */");
    is_the_line("a.py", "second = read(2)  # of the second file", "second = read(2)  # of the secnd file");
    is_the_line(
        "a.js",
        "const second = read(2); // of the second file",
        "const second = read(2); // of second file",
    );
}

#[test]
fn a_comment_may_be_in_other_words_or_shortened() {
    is_the_line(
        "a.py",
        "# Read the configuration of the user before anything else is done with it",
        "# Read the configuration of the user first, before anything else",
    );
    is_the_line(
        "a.py",
        "# Read the configuration of the user before anything else is done with it",
        "# Read the configuration of the user...",
    );
    is_the_line(
        "a.rs",
        "// Read the configuration of the user before anything else is done",
        "// Read the configuration ...",
    );
}

#[test]
fn a_typo_in_code_is_another_line() {
    for (real, written) in [
        ("second = user.Gets(2)", "second = user.Sets(2)"),
        ("second = is_ready", "second = !is_ready"),
        ("second = !is_ready,", "second = is_ready,"),
        ("second = get(\"/items\")", "second = get(\"/item\")"),
        ("second = get(\"/item\")", "second = get(\"/items\")"),
        ("second = read(2)", "second = read(3)"),
        ("second = one + two", "second = one - two"),
        ("second = one <= two", "second = one < two"),
        ("second = read_configuration(2)", "second = read_configuraton(2)"),
        ("second = \"Read the configuration of it\"", "second = \"Read the configuraton of it\""),
        ("second = read(2, 4)", "second = read(2,4, 5)"),
    ] {
        is_another_line("a.py", real, written);
        is_another_line("a.js", real, written);
    }
}

#[test]
fn code_before_a_comment_is_code() {
    is_another_line(
        "a.py",
        "second = read(2)  # of the second file",
        "second = read(3)  # of the secnd file",
    );
}

#[test]
fn a_mark_inside_quotes_begins_no_comment() {
    is_another_line("a.py", "second = \"# of the second file\"", "second = \"# of the secnd file\"");
    is_another_line("a.js", "second = 'http://example.org/items'", "second = 'http://exmple.org/items'");
}

#[test]
fn a_file_of_an_unknown_kind_has_no_comments() {
    is_another_line("a.zzz", "# Read the configuration of the user", "# Read the configuraton of the user");
}

#[test]
fn directives_are_code() {
    is_another_line("a.py", "second = read(2)  # noqa: E501", "second = read(2)  # noqa: E502");
    is_another_line("a.go", "//go:build linux && amd64", "//go:build linux && arm64");
    is_another_line("a.js", "// eslint-disable-next-line no-console", "// eslint-disable-next-line no-alert");
    let file = "#!/usr/bin/env python3\nfirst = 1\nsecond = 2\nthird = 3\n";
    let find = "#!/usr/bin/env python2\nfirst = 1\nsecond = 2\nthird = 3";
    refused("a.py", file, each("a.py", find, &find.replace("third = 3", "third = 4")))
        .code(Code::SearchNotFound);
}

#[test]
fn a_line_of_prose_may_be_in_other_words() {
    for name in ["a.md", "docs/a.rst", "a.adoc", "README", "CHANGELOG"] {
        is_the_line(
            name,
            "The tool reads the configuration before anything else is done.",
            "The tool reads its configuration before anything else is done.",
        );
    }
    is_the_line(
        "README.md",
        "The tool reads the configuration before anything else is done with it, and says so.",
        "The tool reads the configuration before...",
    );
}

#[test]
fn lists_of_requirements_and_build_files_are_no_prose() {
    let file = "flask==3.0.0\nrequests==2.31.0\nurllib3==2.0.0\nwerkzeug==3.0.0\n";
    let find = file.replace("requests==2.31.0", "requests==2.32.0");
    let put = find.replace("werkzeug==3.0.0", "werkzeug==3.0.1");
    refused("requirements.txt", file, each("requirements.txt", &find, &put)).code(Code::SearchNotFound);
    is_another_line(
        "CMakeLists.txt",
        "add_library(configuration STATIC configuration.cpp)",
        "add_library(configuraton STATIC configuration.cpp)",
    );
}

#[test]
fn few_lines_may_differ() {
    let real: Vec<String> = (0..6).map(|n| format!("# What is said of the thing number {n} here")).collect();
    let file = format!("{}\nlast = 1\n", real.join("\n"));
    let find = file.replace("said", "told");
    refused("a.py", &file, each("a.py", &find, &find.replace("last = 1", "last = 2")));
}

const CUT: &str = "\
def total(items):
    rate = 2
compute_total(items, rate, discount)
end = 1
";

/// Returns answers whose last quoted line is cut after this many characters.
fn cut(length: usize) -> crate::answer::Answers {
    let line = &"compute_total(items, rate, discount)"[..length];
    each(
        "a.py",
        &format!("def total(items):\n    rate = 2\n{line}"),
        &format!("def total(items):\n    rate = 3\n{line}"),
    )
}

#[test]
fn the_last_line_may_be_cut_after_eight_characters() {
    let expected = CUT.replace("rate = 2", "rate = 3");
    for length in [8, 14, 30] {
        lands("a.py", CUT, cut(length), &expected);
    }
    for length in [3, 7] {
        refused("a.py", CUT, cut(length)).code(Code::SearchNotFound);
    }
}

#[test]
fn a_cut_line_that_is_not_the_last_or_not_kept_is_another_line() {
    let find = "    rate = 2\ncompute_total(it\nend = 1";
    refused("a.py", CUT, each("a.py", find, &find.replace("end = 1", "end = 2"))).code(Code::SearchNotFound);
    let find = "def total(items):\n    rate = 2\ncompute_total(it";
    let put = "def total(items):\n    rate = 2\ncompute_all(items)";
    refused("a.py", CUT, each("a.py", find, put)).code(Code::SearchNotFound);
}

#[test]
fn a_cut_line_that_two_regions_begin_with_is_ambiguous() {
    let region = |end: &str| format!("def total(items):\n    rate = 2\n    return compute({end})\n");
    let file = format!("{}{}", region("items"), region("items, rate"));
    let find = "def total(items):\n    rate = 2\n    return comp";
    refused("a.py", &file, each("a.py", find, &find.replace("rate = 2", "rate = 3")));
}

#[test]
fn a_sibling_whose_comment_differs_is_refused_where_it_may_be_either() {
    // Both have the code, but neither has the quoted comment.
    let region = |word: &str| {
        format!("# Read all the rows of the {word} file\nrows = read()\ncheck(rows)\nshow(rows)\n")
    };
    let file = format!("{}\n{}", region("second"), region("third"));
    let find = region("first");
    refused("a.py", &file, each("a.py", &find, &find.replace("show(rows)", "show(all)")));
}

#[test]
fn prefixes_of_names_do_not_match_in_a_sibling() {
    let file = "\
state = {
    \"left\": !is_ready,
    \"right\": !is_open,
    \"upper\": 1,
    \"lower\": 2,
}
";
    let find = "    \"left\": is_ready,\n    \"right\": !is_open,\n    \"upper\": 1,\n    \"lower\": 2,";
    let put = find.replace("\"lower\": 2", "\"lower\": 3");
    refused("a.js", file, every("a.js", &[(find, &put)])).code(Code::SearchNotFound);
}

#[test]
fn a_letter_or_a_sign_makes_another_line() {
    let pairs = [
        ("## Option B", "## Option A"),
        ("## Use with C", "## Use with C#"),
        ("Run `foo --a`", "Run `foo --b`"),
        ("It is + 5.", "It is - 5."),
        ("This is safe", "This isn't safe"),
    ];
    for (written, real) in pairs {
        let file = format!("# Title\n\n{real}\nCall the server.\nWait a bit.\n");
        let find = format!("{written}\nCall the server.\nWait a bit.");
        refused("a.md", &file, each("a.md", &find, &find.replace("a bit", "longer")));
    }
}
