//! What the corrections of a refused attempt replace: the failed edits, and never the good ones.
use crate::attempts::{attempts, correction, three};
use crate::sandbox;

use sandbox::{Sandbox, patch, same};

#[test]
fn good_edits_sent_again_do_no_harm() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    sandbox.apply([""; 0], &three()).exits(1);
    let whole = three().replace("nowhere to be found\n", "hello\n");
    sandbox.apply(["--continue"], &whole).exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["One", "Two", "Three"]);
    sandbox.is_sound();
}

#[test]
fn a_good_edit_sent_again_in_other_words_does_not_land_twice() {
    for (path, right) in [("README", "hello\n"), ("src/a.rs", "fn a() {}\n")] {
        let add = |text: &str| patch("src/a.rs", "Add d", "fn c() {}\n", &format!("{text}fn c() {{}}\n"));
        let two = |search: &str| patch(path, "Two", search, "hello world\n");
        let sandbox = Sandbox::new();
        let base = sandbox.head();
        let id = refused_attempt(&sandbox, &(add("fn d() {}\n") + &two("nowhere to be found\n")));
        let reworded = add("// It does nothing.\nfn d() {}\n");
        for corrections in [reworded.clone() + &two(right), reworded.clone()] {
            let run = sandbox.apply([format!("--continue={id}")], &corrections).exits(1);
            run.says("a correction looks like edit 1, src/a.rs, which was already good; failed: edit 2");
            assert_eq!(sandbox.head(), base);
        }
        // If the good edit is sent too, this is another edit.
        let all = add("fn d() {}\n") + &two(right);
        sandbox.apply([format!("--continue={id}")], &all).exits(0);
        assert_eq!(sandbox.subjects(&format!("{base}..")), ["Add d", "Two"]);
        sandbox.is_sound();
    }
}

#[test]
fn a_good_edit_sent_again_with_more_or_fewer_context_lines_is_in_other_words() {
    for (old, new) in [("fn b() {}\nfn c() {}\n", "fn c() {}\n"), ("fn c() {}\n", "fn b() {}\nfn c() {}\n")] {
        let add = |above: &str, text: &str| {
            patch("src/a.rs", "Add d", above, &above.replace("fn c", &format!("{text}fn c")))
        };
        let two = |search: &str| patch("README", "Two", search, "hello world\n");
        let sandbox = Sandbox::new();
        let base = sandbox.head();
        let id = refused_attempt(&sandbox, &(add(old, "fn d() {}\n") + &two("nowhere\n")));
        let again = add(new, "// It does nothing.\nfn d() {}\n") + &two("hello\n");
        let run = sandbox.apply([format!("--continue={id}")], &again).exits(1);
        run.says("a correction looks like edit 1, src/a.rs, which was already good");
        assert_eq!(sandbox.head(), base);
    }
}

#[test]
fn a_correction_beside_a_good_edit_in_the_same_file_is_for_the_failed_one() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let mark = |search: &str, name: &str| patch("src/a.rs", name, search, &format!("#[cold]\n{search}"));
    // Both add the same line, and their search texts share one.
    let first = mark("fn a() {}\nfn b() {}\n", "One");
    let id = refused_attempt(&sandbox, &(first + &mark("fn b() {}\nfn cc() {}\n", "Two")));
    sandbox.apply([format!("--continue={id}")], &mark("fn b() {}\nfn c() {}\n", "Two")).exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["One", "Two"]);
}

#[test]
fn a_correction_at_the_place_of_a_good_edit_replaces_the_failed_one_whose_change_it_makes() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let import =
        |search: &str, name: &str| patch("src/a.rs", name, search, &format!("use {name};\n{search}"));
    let id = refused_attempt(&sandbox, &(import("fn a() {}\n", "one") + &import("fn aa() {}\n", "two")));
    sandbox.apply([format!("--continue={id}")], &import("fn a() {}\n", "two")).exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["one", "two"]);
    assert!(sandbox.text("src/a.rs").starts_with("use one;\nuse two;\nfn a() {}\n"));
}

#[test]
fn lines_that_a_correction_only_quotes_do_not_make_it_a_good_edit() {
    // The correction needs the lines of the good edit to match only one place.
    let text = "fn a() {\n    x();\n    return;\n}\nfn b() {\n    y();\n    return;\n}\n";
    let sandbox = Sandbox::new();
    sandbox.file("s.rs", text);
    sandbox.git(["add", "s.rs"]);
    sandbox.git(["commit", "-qm", "Two functions"]);
    let base = sandbox.head();
    let stop = |search: &str, put: &str| patch("s.rs", "Stop", search, put);
    let log = patch("s.rs", "Log", "    x();\n", "    log();\n    x();\n");
    let id = refused_attempt(&sandbox, &(stop("    return;\n", "    stop();\n") + &log));
    let correction = stop("    x();\n    return;\n", "    x();\n    stop();\n");
    sandbox.apply([format!("--continue={id}")], &correction).exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["Stop", "Log"]);
    assert!(sandbox.text("s.rs").starts_with("fn a() {\n    log();\n    x();\n    stop();\n}\n"));
}

#[test]
fn a_good_edit_sent_again_with_other_context_and_the_same_change_is_ignored() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let add = |search: &str| patch("src/a.rs", "Add d", search, &search.replace("fn c", "fn d() {}\nfn c"));
    let two = |search: &str| patch("README", "Two", search, "hello world\n");
    let id = refused_attempt(&sandbox, &(add("fn c() {}\n") + &two("nowhere\n")));
    let again = add("fn b() {}\nfn c() {}\n") + &two("hello\n");
    sandbox.apply([format!("--continue={id}")], &again).exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["Add d", "Two"]);
    assert_eq!(sandbox.text("src/a.rs").matches("fn d").count(), 1);
}

#[test]
fn a_good_snippet_sent_again_as_another_edit_does_not_land_twice() {
    let sandbox = Sandbox::new();
    sandbox.file("m.py", "class A:\n    def a(self):\n        return 1\n");
    sandbox.git(["add", "m.py"]);
    sandbox.git(["commit", "-qm", "A class"]);
    let base = sandbox.head();
    let snippet = "`m.py`\n```python\nclass A:\n    # ... existing code ...\n\n    def d(self):\n        return 4\n```\n";
    let two = |search: &str| patch("README", "Two", search, "hello world\n");
    let response = format!("{snippet}\n{}", two("nowhere\n"));
    sandbox.apply(["--format=snippet"], &response).exits(1).says("edit 1 would apply");
    let again = patch("m.py", "D", "class A:\n", "class A:\n    def d(self):\n        return 4\n\n");
    let id = attempts(&sandbox)[0].split_whitespace().next().unwrap().to_owned();
    let run = sandbox.apply([format!("--continue={id}")], &(again + &two("hello\n"))).exits(1);
    run.says("a correction looks like edit 1, m.py, which was already good");
    assert_eq!(sandbox.head(), base);
}

#[test]
fn an_edit_that_is_new_is_not_taken_for_the_correction_of_another_one() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let edit = |search: &str, put: &str| patch("src/a.rs", put.trim(), search, put);
    let failed = edit("fn aa() {}\n", "fn alpha() {}\n") + &edit("fn cc() {}\n", "fn gamma() {}\n");
    let id = refused_attempt(&sandbox, &failed);
    let first = edit("fn a() {}\n", "fn alpha() {}\n");
    let new = edit("fn b() {}\n", "fn beta() {}\n");
    for corrections in [first.clone() + &new, new.clone() + &first, new.clone() + &new.replace("beta", "b2")]
    {
        let run = sandbox.apply([format!("--continue={id}")], &corrections).exits(1);
        run.says("it is not clear which failed edits 2 corrections may replace");
        assert_eq!(sandbox.head(), base);
    }
    let both = first + &edit("fn c() {}\n", "fn gamma() {}\n");
    sandbox.apply([format!("--continue={id}")], &both).exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["fn alpha() {}", "fn gamma() {}"]);
}

#[test]
fn a_correction_of_one_hunk_does_not_drop_the_others() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let chunk = |old: &str, new: &str| format!("@@\n-{old}\n+{new}\n");
    let of_file =
        |chunks: &str| format!("*** Begin Patch\n*** Update File: src/a.rs\n{chunks}*** End Patch\n");
    let first = chunk("fn a() {}", "fn alpha() {}");
    let second = |old: &str| chunk(old, "fn gamma() {}");
    let id = refused_attempt(&sandbox, &of_file(&(first.clone() + &second("fn gg() {}"))));
    let run = sandbox.apply([format!("--continue={id}")], &of_file(&second("fn c() {}"))).exits(1);
    run.says("edit 1, src/a.rs, has more hunks than its correction: send all of them");
    assert_eq!(sandbox.head(), base);
    sandbox.apply([format!("--continue={id}")], &of_file(&(first + &second("fn c() {}")))).exits(0);
    assert!(sandbox.text("src/a.rs").contains("alpha") && sandbox.text("src/a.rs").contains("gamma"));
}

#[test]
fn corrections_in_another_order_replace_the_edits_that_they_are_most_like() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let edit =
        |path: &str, search: &str, put: &str| patch(path, "", search, put).replace("<why></why>\n", "");
    let with_why = |text: String, why: &str| text.replace("\n<find>", &format!("\n<why>{why}</why>\n<find>"));
    let failed = with_why(edit("src/a.rs", "fn aa() {}\n", "fn alpha() {}\n"), "Alpha")
        + &with_why(edit("src/a.rs", "fn cc() {}\n", "fn gamma() {}\n"), "Gamma");
    let id = refused_attempt(&sandbox, &failed);
    let corrections = edit("src/a.rs", "fn c() {}\n", "fn gamma() {}\n")
        + &edit("src/a.rs", "fn a() {}\n", "fn alpha() {}\n");
    sandbox.apply([format!("--continue={id}")], &corrections).exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["Alpha", "Gamma"]);
    let first = sandbox.git(["show", &format!("{base}..HEAD~1")]);
    assert!(first.contains("+fn alpha") && !first.contains("+fn gamma"), "{first}");
}

/// Returns the id of the attempt of a refused response.
fn refused_attempt(sandbox: &Sandbox, response: &str) -> String {
    sandbox.apply([""; 0], response).exits(1);
    attempts(sandbox)[0].split_whitespace().next().unwrap().to_owned()
}

#[test]
fn a_correction_without_a_reason_has_that_of_the_edit_that_it_replaces() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let bare = "README\n<<<<<<< SEARCH\nhello\n=======\nhello world\n>>>>>>> REPLACE\n";
    sandbox.apply([""; 0], &three()).exits(1);
    sandbox.apply(["--continue"], bare).exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["One", "Two", "Three"]);
    sandbox.git(["reset", "-q", "--hard", &base]);
    sandbox.apply(["--again"], &three()).exits(1);
    sandbox.apply(["--continue"], &correction().replace("Two", "Greet")).exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["One", "Greet", "Three"], "its own goes first");
    // The same over two rounds.
    sandbox.git(["reset", "-q", "--hard", &base]);
    sandbox.apply(["--again"], &three()).exits(1);
    sandbox.apply(["--continue"], &bare.replace("SEARCH\nhello", "SEARCH\nhullo")).exits(1);
    sandbox.apply(["--continue"], bare).exits(0);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["One", "Two", "Three"]);
}

#[test]
fn corrections_without_an_id_are_never_for_a_good_edit() {
    let sandbox = Sandbox::new();
    let good = patch("src/a.rs", "Good", "fn a() {}\n", "fn alpha() {}\n");
    let also = patch("README", "Also", "hello\n", "hello you\n");
    sandbox.apply([""; 0], &(also.clone() + &three() + &good)).exits(1);
    let before = sandbox.listing();
    let another = patch("src/a.rs", "Another", "fn b() {}\n", "fn beta() {}\n");
    sandbox.apply(["--continue"], &another).exits(128).says("with failed edits of src/a.rs");
    sandbox.apply(["--continue"], &(also.clone() + &another)).exits(128).says("with failed edits of");
    same("corrections of a good edit", &before, &sandbox.listing());
    sandbox.apply(["--continue"], &(also + &another + &correction())).exits(0).says("6 commits");
}
