//! A response that has landed is not landed again, because of its record.
use crate::sandbox;

use sandbox::{Run, Sandbox, create, kinds, patch, same};

fn json(run: &Run) -> serde_json::Value {
    serde_json::from_str(&run.stdout).unwrap()
}

pub(super) fn newest_id(sandbox: &Sandbox) -> String {
    sandbox.run(["list"]).exits(0).stdout.split(' ').next().unwrap().to_owned()
}

/// Lands a response, and commits something else on top. Nothing of the response may land again.
fn lands_once(sandbox: &Sandbox, response: &str) {
    sandbox.apply([""; 0], response).exits(0);
    let id = newest_id(sandbox);
    let (tip, before) = (sandbox.head(), sandbox.listing());
    let run = sandbox.apply([""; 0], response).exits(0);
    assert!(
        run.stdout.contains(&format!("already landed as {id} on 2023-11-14; nothing to do")),
        "{response}\n{run:?}"
    );
    assert_eq!(sandbox.head(), tip, "{response}");
    same("a second run", &before, &sandbox.listing());
    let check = json(&sandbox.apply(["-n", "--json"], response).exits(0));
    assert_eq!((&check["status"], &check["landing"]), (&"nothing".into(), &id.as_str().into()));
}

/// Returns edits that a second run would apply again in some way, by their text alone.
fn not_twice() -> Vec<(&'static str, String)> {
    let calls = |pairs: &[(&str, &str)]| {
        let one = |(old, new): &(&str, &str)| {
            serde_json::json!({"file_path": "README", "old_string": old, "new_string": new}).to_string()
                + "\n"
        };
        pairs.iter().map(one).collect::<String>()
    };
    let block = |search: &str, replace: &str| {
        format!("README\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n\n")
    };
    vec![
        ("a line is made longer", patch("README", "Longer", "hello\n", "hello hello\n")),
        (
            "a line that an earlier edit added is amended",
            patch("README", "Add", "hello\n", "hello\nadded\n") + &patch("README", "Amend", "added\n", "amended\n"),
        ),
        ("likewise, in blocks", block("hello\n", "hello\nadded\n") + &block("added\n", "amended\n")),
        ("likewise, in calls", calls(&[("hello\n", "hello\nadded\n"), ("added\n", "amended\n")])),
        (
            "likewise, in a second envelope",
            format!(
                "<opx>\n{}</opx>\n\nAnd then:\n\n<opx>\n{}</opx>\n",
                patch("README", "Add", "hello\n", "hello\nadded\n"),
                patch("README", "Amend", "added\n", "amended\n")
            ),
        ),
        (
            "a block is moved by deleting and adding it",
            block("one\ntwo\n", "") + &block("hello\n", "hello\none\ntwo\n"),
        ),
        (
            "every occurrence is replaced, inside words too",
            "{\"file_path\": \"README\", \"old_string\": \"o\", \"new_string\": \"oo\", \"replace_all\": true}\n".into(),
        ),
        (
            "a file is moved, and changed by its old name",
            "<edit file=\"README\" op=\"move\"><to file=\"b\"/></edit>\n".to_owned()
                + &patch("README", "Two", "two\n", "2\n"),
        ),
        (
            "likewise, in two diffs",
            "diff --git a/README b/README\nsimilarity index 100%\nrename from README\nrename to b\n\n\
             diff --git a/README b/README\n--- a/README\n+++ b/README\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n hello\n"
                .into(),
        ),
        (
            "likewise, in a patch",
            "*** Begin Patch\n*** Update File: README\n*** Move to: b\n*** Update File: README\n@@\n-two\n+2\n\
             *** End Patch\n"
                .into(),
        ),
        (
            "it is moved twice by its first name",
            "<edit file=\"README\" op=\"move\"><to file=\"b\"/></edit>\n\
             <edit file=\"README\" op=\"move\"><to file=\"c\"/></edit>\n"
                .to_owned()
                + &patch("README", "Two", "two\n", "2\n"),
        ),
        (
            "a directory is moved, and a file in it changed by its old name",
            "<FILE_CHANGES>\n<FILE_NEW file_path=\"d/a\">\none\n</FILE_NEW>\n\
             <FILE_RENAME from_path=\"d\" to_path=\"e\" />\n\
             <FILE_PATCH file_path=\"d/a\">\n@@\n-one\n+two\n</FILE_PATCH>\n</FILE_CHANGES>\n"
                .into(),
        ),
        (
            "an edit before another of the same text",
            patch("README", "One", "one\n", "two\n").replace("<find>", "<find occurrence=\"1\">")
                + &patch("README", "Two", "two\n", "three\n").replace("<find>", "<find occurrence=\"last\">"),
        ),
    ]
}

pub(super) fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("README", "one\ntwo\nhello\n");
    sandbox.commit("More lines");
    sandbox
}

#[test]
fn what_would_do_something_else_the_second_time_lands_once() {
    for (what, response) in not_twice() {
        println!("{what}");
        let sandbox = sandbox();
        lands_once(&sandbox, &response);
        sandbox.is_sound();
    }
}

#[test]
fn a_response_is_known_by_its_text_whatever_its_name_and_line_ends() {
    let judge = || {
        let sandbox = sandbox();
        let response = patch("README", "Longer", "hello\n", "hello hello\n");
        sandbox.apply([""; 0], &response).exits(0);
        let tip = sandbox.head();
        for same in [
            format!("\u{feff}{response}"),
            response.replace('\n', "\r\n"),
            format!("{response}\n  \n\n"),
            response.trim_end().to_owned(),
        ] {
            let run = sandbox.apply([""; 0], &same).exits(0);
            assert!(run.stdout.contains("already landed as "), "{same:?} {run:?}");
            assert_eq!(sandbox.head(), tip);
        }
        // Another response is not the same, even if it has the same edits.
        let other = format!("So:\n\n{response}");
        let run = sandbox.apply([""; 0], &other).exits(0);
        assert!(!run.stdout.contains("already landed as "), "{run:?}");
    };
    judge();
    kinds::in_others(&[judge]);
}

#[test]
fn later_work_does_not_hide_it() {
    let sandbox = sandbox();
    let response = patch("README", "Longer", "hello\n", "hello hello\n") + &create("new", "Add", "new\n");
    sandbox.apply([""; 0], &response).exits(0);
    // Elsewhere in the file, and in another file.
    sandbox.file("README", "zero\none\ntwo\nhello hello\n");
    sandbox.file("other", "other\n");
    sandbox.commit("Later");
    let tip = sandbox.head();
    sandbox.apply([""; 0], &response).exits(0).says("already landed as ");
    assert_eq!(sandbox.head(), tip);
}

#[test]
fn again_lands_it_once_more() {
    let sandbox = sandbox();
    let response = patch("README", "Add", "hello\n", "hello\nmore\n");
    sandbox.apply([""; 0], &response).exits(0);
    sandbox.file("README", "hello\n\n\nhello again\n");
    sandbox.commit("Something else");
    sandbox.apply(["--again"], &response).exits(0).says(", 1 commit");
    assert_eq!(sandbox.text("README"), "hello\nmore\n\n\nhello again\n");
}

#[test]
fn the_rest_of_a_response_that_landed_in_part_lands() {
    let sandbox = sandbox();
    let longer = patch("README", "Longer", "hello\n", "hello hello\n");
    let response = longer.clone() + &patch("later", "Later", "later\n", "late\n");
    sandbox.apply(["--keep-going"], &response).exits(1);
    assert_eq!(sandbox.text("README"), "one\ntwo\nhello hello\n");
    // The missing file exists now.
    sandbox.file("later", "later\n");
    sandbox.commit("Later");
    let run = sandbox.apply([""; 0], &response).exits(0);
    assert!(run.stdout.contains(", 1 commit"), "{run:?}");
    assert_eq!(sandbox.text("README"), "one\ntwo\nhello hello\n");
    assert_eq!(sandbox.text("later"), "late\n");
    sandbox.apply([""; 0], &response).exits(0).says("already landed as ");

    // The same if the landed edit is a move.
    let sandbox = self::sandbox();
    let response = "<edit file=\"README\" op=\"move\"><to file=\"b\"/></edit>\n".to_owned()
        + &patch("README", "Two", "two\n", "2\n");
    sandbox.apply(["--only", "1"], &response).exits(0);
    sandbox.apply([""; 0], &response).exits(0).says(", 1 commit");
    assert_eq!(sandbox.text("b"), "one\n2\nhello\n");
    sandbox.apply([""; 0], &response).exits(0).says("already landed as ");

    // The same with chosen edits.
    let two = longer + &create("b", "Add", "b\n");
    let sandbox = self::sandbox();
    sandbox.apply(["--only", "1"], &two).exits(0);
    sandbox.apply([""; 0], &two).exits(0).says(", 1 commit");
    assert_eq!((sandbox.text("README"), sandbox.text("b")), ("one\ntwo\nhello hello\n".into(), "b\n".into()));
    sandbox.apply([""; 0], &two).exits(0).says("already landed as ");
}

#[test]
fn a_correction_counts_for_the_edit_that_it_replaces() {
    let sandbox = sandbox();
    let good = patch("README", "Longer", "hello\n", "hello hello\n");
    let response = good + &patch("README", "Two", "tow\n", "2\n");
    sandbox.apply([""; 0], &response).exits(1);
    let fix = patch("README", "Two", "two\n", "2\n");
    sandbox.apply(["--continue"], &fix).exits(0);
    assert_eq!(sandbox.text("README"), "one\n2\nhello hello\n");
    let tip = sandbox.head();
    for text in [&response, &fix] {
        sandbox.apply([""; 0], text).exits(0).says("already landed as ");
        assert_eq!(sandbox.head(), tip);
    }
}

#[test]
fn without_a_record_the_text_decides() {
    let sandbox = sandbox();
    let response = patch("README", "Longer", "hello\n", "hello\nmore\n");
    sandbox.apply(["--no-record"], &response).exits(0);
    let tip = sandbox.head();
    let run = sandbox.apply([""; 0], &response).exits(0);
    assert!(run.stdout.contains("nothing to do: already applied"), "{run:?}");
    assert_eq!(sandbox.head(), tip);
}

#[test]
fn a_hunk_that_is_applied_says_how_its_result_matched() {
    let sandbox = sandbox();
    let rest: String = (2..30).map(|number| format!("{number}\n")).collect();
    let diff =
        "```diff\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n@@ -20,2 +20,3 @@\n 20\n+more\n 21\n```\n";
    for (first, tier) in [("one", "exact"), ("one  ", "trailing-space")] {
        sandbox.file("f", format!("{first}\n{rest}"));
        sandbox.commit("f");
        let report = json(&sandbox.apply(["-n", "--json"], diff).exits(0));
        let tiers: Vec<_> =
            report["edits"][0]["matches"].as_array().unwrap().iter().map(|one| &one["tier"]).collect();
        assert_eq!(tiers, [tier, "exact"]);
    }
}

#[test]
fn what_is_forgotten_is_no_record() {
    let sandbox = sandbox();
    let response = patch("README", "Longer", "hello\n", "hello hello\n");
    sandbox.apply([""; 0], &response).exits(0);
    let id = newest_id(&sandbox);
    let other = create("a", "Add", "a\n");
    sandbox.apply([""; 0], &other).exits(0);
    sandbox.run(["forget", &id]).exits(0);
    let tree = sandbox.git(["ls-tree", "-r", "--name-only", "refs/llm-apply/history"]);
    assert_eq!(tree.lines().filter(|line| line.starts_with("landed/")).count(), 1, "{tree}");
    sandbox.apply([""; 0], &other).exits(0).says("already landed as ");
    let run = sandbox.apply(["-n"], &response);
    assert!(!run.stdout.contains("already landed as "), "{run:?}");
}

#[test]
fn a_record_that_is_not_of_our_form_stops_nothing() {
    let sandbox = sandbox();
    let response = patch("README", "Longer", "hello\n", "hello hello\n");
    sandbox.apply([""; 0], &response).exits(0);
    let tree = sandbox.git(["ls-tree", "-r", "--name-only", "refs/llm-apply/history"]);
    let place = tree.lines().find(|line| line.starts_with("landed/")).unwrap().to_owned();
    let original = sandbox.git(["cat-file", "blob", &format!("refs/llm-apply/history:{place}")]);
    let commit = sandbox.git(["rev-parse", "HEAD"]);
    for odd in [
        String::new(),
        "{".repeat(100_000),
        "[{\"id\": \"../..\", \"edits\": []}]".into(),
        original.replace(&commit, &"0".repeat(commit.len())),
        original.replace(&commit, "HEAD"),
    ] {
        let sandbox = sandbox.copy();
        sandbox.file("odd", &odd);
        let blob = sandbox.git(["hash-object", "-w", "odd"]);
        std::fs::remove_file(sandbox.root().join("repo/odd")).unwrap();
        let index = sandbox.root().join("odd-index");
        let run = |args: &[&str]| {
            let output = sandbox.git_command(args).env("GIT_INDEX_FILE", &index).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        run(&["read-tree", "refs/llm-apply/history"]);
        run(&["update-index", "--add", "--cacheinfo", &format!("100644,{blob},{place}")]);
        let tree = run(&["write-tree"]);
        std::fs::remove_file(&index).unwrap();
        let message = sandbox.git(["log", "-1", "--format=%B", "refs/llm-apply/history"]);
        let parents = sandbox.git(["log", "-1", "--format=%P", "refs/llm-apply/history"]);
        let mut args = vec!["commit-tree", &tree, "-m", &message];
        parents.split(' ').for_each(|parent| args.extend(["-p", parent]));
        let commit = sandbox.git(&args);
        sandbox.git(["update-ref", "refs/llm-apply/history", &commit]);
        // By its text alone, `hello` in `hello hello` is already applied.
        let run = sandbox.apply([""; 0], &response);
        assert!(run.code == Some(0) && !run.stdout.contains("already landed as "), "{odd:.80} {run:?}");
    }
}

/// Collects all files below a directory, by their paths.
fn files_below(top: &std::path::Path, prefix: &str, files: &mut Vec<(String, Vec<u8>)>) {
    let Ok(entries) = std::fs::read_dir(top) else { return };
    for entry in entries.map(Result::unwrap) {
        let name = format!("{prefix}{}", entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            files_below(&entry.path(), &format!("{name}/"), files);
        } else if name != ".keep-empty" {
            files.push((name, std::fs::read(entry.path()).unwrap()));
        }
    }
}

#[test]
fn the_first_of_a_before_and_after_does_not_come_back() {
    let sandbox = Sandbox::new();
    let code = |elision: &str, sum: &str| {
        format!("fn add(a: u8) -> u8 {{\n    let b = a;\n{elision}    log(\"add\");\n    {sum}\n}}\n")
    };
    sandbox.file("a.rs", code("", "b + 1"));
    sandbox.commit("a");
    let block = |code: String| format!("In `a.rs`:\n\n```rust\n{code}```\n\n");
    let elision = "    // ... existing code ...\n";
    let answer = format!("{}{}", block(code("", "b + 1")), block(code(elision, "b + 2")));
    sandbox.apply(["--format=snippet"], &answer).exits(0);
    let tip = sandbox.head();
    sandbox.apply(["--format=snippet"], &answer).exits(0).says("already landed as ");
    assert_eq!((sandbox.head(), sandbox.read("a.rs")), (tip, code("", "b + 2").into_bytes()));
}

#[test]
fn edits_that_share_a_line_are_known_one_by_one() {
    let sandbox = sandbox();
    let text = |lines: [&str; 3]| lines.join("\n-\n-\n") + "\n";
    sandbox.file("README", text(["one", "two", "three"]));
    sandbox.commit("Apart");
    let call = |old: &str, new: &str| {
        serde_json::json!({"file_path": "README", "old_string": old, "new_string": new}).to_string()
    };
    let response = format!("[{},{},{}]\n", call("one", "1"), call("two", "2"), call("three", "3"));
    sandbox.apply(["--only=1"], &response).exits(0);
    assert_eq!(sandbox.text("README"), text(["1", "two", "three"]));
    sandbox.apply([""; 0], &response).exits(0);
    assert_eq!(sandbox.text("README"), text(["1", "2", "3"]));
    sandbox.run(["undo", "--edit=2"]).exits(0);
    sandbox.apply([""; 0], &response).exits(0);
    assert_eq!(sandbox.text("README"), text(["1", "2", "3"]));
    sandbox.apply([""; 0], &response).exits(0).says("already landed as ");
}

#[test]
fn without_a_record_what_was_moved_is_not_deleted() {
    let sandbox = sandbox();
    let moved = |path: &str| {
        let add = patch(path, "Add", "hello\n", "hello\none\ntwo\n");
        [
            add.clone() + &patch(path, "Drop", "one\ntwo\n", ""),
            patch(path, "Drop", "one\ntwo\nhello\n", "hello\n") + &add,
        ]
    };
    for (number, response) in moved("README").into_iter().enumerate() {
        let sandbox = sandbox.copy();
        sandbox.apply(["--no-record"], &response).exits(0);
        assert_eq!(sandbox.text("README"), "hello\none\ntwo\n", "{number}");
        let again = sandbox.apply(["--no-record", "--no-keep"], &response);
        assert!(matches!(again.code, Some(0 | 1)), "{again:?}");
        assert_eq!(sandbox.text("README"), "hello\none\ntwo\n", "{number}: {again:?}");
    }
}

#[test]
fn lines_that_a_response_shows_before_it_changes_them_do_not_refuse_it_again() {
    let sandbox = sandbox();
    let shown = "Now `README` has:\n\n```\nhello\n```\n\nChange it:\n\n";
    let diff = "```diff\n--- a/README\n+++ b/README\n@@ -1 +1 @@\n-hello\n+bye\n```\n";
    lands_once(&sandbox, &format!("{shown}{diff}"));
    // What was refused the first time is refused again.
    let other = format!("In `src/a.rs`:\n\n```\nno such line\n```\n\n{}", diff.replace("bye", "good bye"));
    let other = other.replace("-hello", "-bye");
    sandbox.apply(["--keep-going"], &other).exits(1).says("not-read");
    sandbox.apply(["--no-keep"], &other).exits(1).says("not-read");
}

#[test]
fn a_snippet_that_replaces_the_one_above_it_does_so_once() {
    let sandbox = sandbox();
    sandbox
        .file("m.py", "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n");
    let before = sandbox.commit("m");
    let block = |n| format!("in `m.py`:\n\n```python\n    def g(self):\n        return {n}\n```\n\n");
    let response = format!("Replace this {}with this {}", block(2), block(3));
    sandbox.apply(["--format=snippet"], &response).exits(0);
    let tip = sandbox.head();
    for options in [&["--format=snippet"][..], &["--format=snippet", "--keep-going"]] {
        sandbox.apply(options, &response).exits(0).says("already landed as ");
    }
    // Without a record it is not clear which one is meant, and neither lands.
    let options = ["--format=snippet", "--keep-going", "--no-record", "--again", "--no-keep"];
    sandbox.apply(options, &response).exits(1).says("m.py: this code block or the one above it");
    assert_eq!((sandbox.head(), sandbox.git(["rev-parse", "HEAD^"])), (tip, before));
}

#[test]
fn what_is_not_read_is_named_where_nothing_is_left_to_do() {
    let sandbox = sandbox();
    let diff = "```diff\n--- a/README\n+++ b/README\n@@ -1,3 +1,3 @@\n one\n two\n-hey\n+hello\n```\n";
    let run = sandbox.apply([""; 0], &format!("{diff}\nAnd add:\n\n```\nbye\n```\n")).exits(0);
    assert!(run.stdout.contains("nothing to do: already applied"), "{run:?}");
    assert!(run.stderr.contains("not read: 1 other code block (lines 13-15)"), "{run:?}");
}

#[test]
fn a_block_for_the_file_of_an_unclear_one_lands_once() {
    let sandbox = Sandbox::new();
    sandbox.file("a.txt", "one\nboth\n");
    sandbox.file("b.txt", "two\nboth\n");
    sandbox.commit("before");
    let block = |old: &str, new: &str| format!("<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n\n");
    let response = format!("For a.txt and b.txt.\n\n{}{}", block("two", "zwei"), block("both", "beide"));
    sandbox.apply(["-q"], &response).exits(0);
    // By itself the second block now fits only a.txt.
    sandbox.apply([""; 0], &response).exits(0).says("already landed as ");
    assert_eq!(
        (sandbox.text("a.txt"), sandbox.text("b.txt")),
        ("one\nboth\n".into(), "zwei\nbeide\n".into())
    );
}

#[test]
fn every_golden_case_that_lands_lands_once() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let (mut landed, mut cases) = (0, Vec::new());
    for format in std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()) {
        let inside = std::fs::read_dir(&format).into_iter().flatten().map(|entry| entry.unwrap().path());
        cases.extend(inside.filter(|case| case.join("after").is_dir()));
    }
    cases.sort();
    let empty = Sandbox::new();
    // Every third case is enough, because each format has dozens.
    for case in cases.iter().step_by(3) {
        let sandbox = empty.copy();
        let mut files = Vec::new();
        files_below(&case.join("before"), "", &mut files);
        files.iter().for_each(|(path, content)| sandbox.file(path, content));
        let before = sandbox.commit("before");
        let response = std::fs::read(case.join("response.txt")).unwrap();
        let response = String::from_utf8(response).unwrap();
        let format: &[&str] = match case.parent().unwrap().file_name().and_then(|name| name.to_str()) {
            Some("whole-file") => &["--format", "whole-file", "-q"],
            Some("snippet") => &["--format", "snippet", "-q"],
            _ => &["-q"],
        };
        let first = sandbox.apply(format, &response);
        assert_eq!(first.code, Some(0), "{} {first:?}", case.display());
        let tip = sandbox.head();
        if tip == before {
            continue;
        }
        landed += 1;
        let again = sandbox.apply(&format[..format.len() - 1], &response);
        assert_eq!((again.code, sandbox.head()), (Some(0), tip), "{} {again:?}", case.display());
        assert!(again.stdout.contains("already landed as "), "{} {again:?}", case.display());
    }
    assert!(landed > 80, "{landed}");
}
