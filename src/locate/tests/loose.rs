//! Tests of what the loose tiers accept, and what each value of `--max-fuzz` allows.

use super::{LIMITS, apply_to, hunk, version};
use crate::diag::Code;
use crate::guard::Guard;
use crate::locate::{Limits, Repeat, Tier};
use crate::text::Language;

/// Returns a Rust file with the hunk applied, its tier and its similarity, or the code of the refusal.
fn in_rust(file: &str, before: &str, after: &str) -> Result<(Tier, Option<u8>, String), Code> {
    let limits = Limits { guard: Guard { language: Language::of("a.rs"), ..LIMITS.guard }, ..LIMITS };
    let applied = apply_to(&version(file), &[hunk(before, after)], &[Repeat::ONCE], &limits);
    let applied = applied.map_err(|refusals| refusals[0].code)?;
    let text = String::from_utf8(applied.version.content().to_bytes()).unwrap();
    Ok((applied.matched[0].tier, applied.matched[0].similarity, text))
}

#[test]
fn a_misquoted_comment_stays_as_in_the_file_and_code_is_never_guessed() {
    let file = "// Adds what is given.\nfn f(a: u32) {\n    let x = a;\n    let y = 2;\n    g(x, y);\n}\n";
    let made = |slip: &str| in_rust(file, slip, &slip.replace("y = 2", "y = 3"));
    let slip = file.replace("given", "gievn");
    assert_eq!(made(&slip), Ok((Tier::Similar, Some(99), file.replace("y = 2", "y = 3"))));
    assert_eq!(made(&file.replace("a: u32)", "a: u32")), Err(Code::SearchNotFound));
    assert_eq!(made(&file.replace("u32", "u64")), Err(Code::SearchNotFound));
    assert_eq!(made(&file.replace("g(x", "gg(x")), Err(Code::SearchNotFound));
    // The typing error is in a removed line.
    assert_eq!(
        in_rust(file, &slip, &slip.replace("// Adds what is gievn.\n", "")),
        Err(Code::SearchNotFound)
    );
    let twice = in_rust(&format!("{file}{file}"), &slip, &slip.replace("y = 2", "y = 3"));
    assert_eq!(twice, Err(Code::SearchAmbiguous));
    let short = in_rust("// one\nfoo(bar)\n", "// onee\nfoo(bar)\n", "// onee\nfoo(baz)\n");
    assert_eq!(short, Err(Code::SearchNotFound), "too short a text to allow for slips");
}

#[test]
fn an_insertion_next_to_a_misquoted_line_is_applied_once() {
    let file = "one thing;\n// another thing\nlast thing;\n";
    let slip = "one thing;\n// anohter thing\nlast thing;\n";
    for (from, to) in [("last", "new;\nlast"), ("last thing;\n", "last thing;\nnew;\n")] {
        let after = slip.replace(from, to);
        let (_, _, once) = in_rust(file, slip, &after).unwrap();
        assert_eq!(once, file.replace(from, to));
        assert_eq!(in_rust(&once, slip, &after), Err(Code::SearchNotFound));
    }
}

#[test]
fn a_comment_that_the_file_has_elsewhere_is_not_misquoted() {
    let function = |comment: &str, n: u32| format!("// {comment}\nfn f() {{\n    run({n})\n}}\n");
    let edit = |n: u32| function("Runs the query.", n);
    let both = format!("{}{}", function("Runs the quary.", 1), edit(3));
    assert_eq!(in_rust(&both, &edit(1), &edit(2)), Err(Code::SearchNotFound), "which function?");
    let alone = function("Runs the quary.", 1);
    let made = in_rust(&alone, &edit(1), &edit(2)).map(|made| made.2);
    // The removed line equals one of the file, so only the comment is misquoted.
    assert_eq!(made, Ok(function("Runs the quary.", 2)));
}

#[test]
fn max_fuzz_limits_the_match_modes() {
    let outcome = |max_fuzz, file: &str, before: &str| {
        let limits = Limits { max_fuzz, ..LIMITS };
        let after = format!("{before}y\n");
        apply_to(&version(file), &[hunk(before, &after)], &[Repeat::ONCE], &limits).is_ok()
    };
    let cases = [
        ("a\r\nb\r\n", "a\nb\n", "exact"),
        ("a \nb\n", "a\nb\n", "whitespace"),
        ("a \n\nb\n", "a\nb\n", "whitespace"),
        ("  a\n  b\n", "a\nb\n", "indent"),
        ("‘a’\nb\n", "'a'\nb\n", "indent"),
        ("  a\n\n  b\n", "a\nb\n", "indent"),
        ("a\nb\nabcdefghij\n", "a\nb\nabcdefgh\n", "similar"),
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
fn a_cut_last_line_does_not_choose_between_places() {
    let file = "a(1);\nb(2);\nfn open(config) -> Result<C> {\n";
    let made = |file: &str, last: &str| {
        in_rust(file, &format!("a(1);\nb(2);\n{last}\n"), &format!("a(1);\nb(3);\n{last}\n"))
            .map(|made| made.2)
    };
    assert_eq!(made(file, "fn open(con"), Ok(file.replace('2', "3")));
    assert_eq!(made(file, "fn op"), Err(Code::SearchNotFound), "too short");
    let other = format!("a(1);\nb(2);\nclose();\n{file}");
    assert_eq!(made(&other, "fn open(con"), Err(Code::SearchNotFound), "of which the right one may be gone");
    let inner = in_rust(file, "a(1);\nfn open(con\n", "a(2);\nfn open(con\n");
    assert_eq!(inner.map(|made| made.2), Err(Code::SearchNotFound), "lines are left out");
}

#[test]
fn a_kept_line_may_have_other_spaces_between_equal_tokens() {
    let file = "fn f(a: u32, b: u32) {\n    let x = a + b;\n    g(x, \"a  b\");\n    h(x);\n}\n";
    let made = |slip: &str| in_rust(file, slip, &slip.replace("h(x)", "h(1)")).map(|made| (made.0, made.2));
    let expected = Ok((Tier::Similar, file.replace("h(x)", "h(1)")));
    assert_eq!(made(&file.replace("a + b", "a+b")), expected);
    assert_eq!(made(&file.replace("(x, ", "( x,")), expected);
    assert_eq!(made(&file.replace("a  b", "a b")), Err(Code::SearchNotFound), "inside a string");
    assert_eq!(made(&file.replace("let x", "letx")), Err(Code::SearchNotFound));
    let both = file.replace("a + b", "a+b").replace("(x, ", "(x,");
    assert_eq!(made(&both), Err(Code::SearchNotFound), "more than one line in five");
    let goes = in_rust(file, &file.replace("h(x)", "h( x )"), &file.replace("h(x)", "h(1)"));
    assert_eq!(goes, Err(Code::SearchNotFound), "a line that goes");
}
