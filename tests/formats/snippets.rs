//! Snippets, run through the binary: like any other edit they land, are refused, corrected and taken back.
#![cfg(feature = "syntax")]

use crate::sandbox;

use sandbox::{Sandbox, patch};
use serde_json::Value;

const SHELF: &str = "import os\n\n\nclass Shelf:\n    def __init__(self):\n        self.books = []\n\n    def sort(self):\n        self.books.sort()\n\n\ndef main():\n    shelf = Shelf()\n    shelf.sort()\n    print(shelf)\n    return 0\n";
const SORT: &str = "class Shelf:\n    # ... other methods unchanged ...\n\n    def sort(self):\n        self.books.sort(key=str.lower)\n";
const MAIN: &str = "def main():\n    # ... existing code ...\n    print(shelf)\n    return 1\n";
const BAD: &str = "def main():\n    # ... existing code ...\n    show(shelf)\n    return 1\n";

fn shop() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("src/shelf.py", SHELF);
    sandbox.commit("shelf");
    sandbox
}

fn block(text: &str) -> String {
    format!("`src/shelf.py`:\n\n```python\n{text}```\n\n")
}

fn sorted() -> String {
    SHELF.replace("sort()\n\n", "sort(key=str.lower)\n\n")
}

#[track_caller]
fn json(sandbox: &Sandbox, options: &[&str], response: &str, code: i32) -> Value {
    let options: Vec<&str> = options.iter().copied().chain(["--format=snippet", "--json"]).collect();
    serde_json::from_str(&sandbox.apply(&options, response).exits(code).stdout).unwrap()
}

#[test]
fn a_snippet_is_an_edit_that_lands_and_is_taken_back() {
    let sandbox = shop();
    let base = sandbox.head();
    let response = format!("Sort without case.\n\n{}{}", block(SORT), block(MAIN));
    sandbox.apply(["--format=snippet"], &response).exits(0).says("[syntax]");
    let after = sorted().replace("return 0", "return 1");
    assert_eq!(sandbox.text("src/shelf.py"), after);
    assert_eq!(sandbox.subjects(&format!("{base}..")), ["Update src/shelf.py"; 2]);
    // A second run changes nothing, by the record and by the text.
    sandbox.apply(["--format=snippet"], &response).exits(0).says("already landed");
    sandbox.apply(["--format=snippet", "--again", "--no-record"], &response).exits(0).says("already applied");
    sandbox.run(["undo", "--edit", "1"]).exits(0);
    assert_eq!(sandbox.text("src/shelf.py"), SHELF.replace("return 0", "return 1"));
    sandbox.run(["redo"]).exits(0);
    assert_eq!(sandbox.text("src/shelf.py"), after);
    sandbox.git(["reset", "--hard", &base]);
    sandbox.apply(["--format=snippet"], &response).exits(0);
    assert_eq!(sandbox.text("src/shelf.py"), after);
    sandbox.is_sound();
}

#[test]
fn it_stands_beside_other_formats_and_can_be_chosen() {
    let sandbox = shop();
    let other = patch("src/shelf.py", "Say it", "    return 0\n", "    return 2\n");
    let response = format!("{}{other}\n{}", block(SORT), block("import os\nimport sys\n"));
    let report = json(&sandbox, &["-n"], &response, 0);
    let edits: Vec<_> =
        report["edits"].as_array().unwrap().iter().map(|edit| edit["format"].as_str().unwrap()).collect();
    assert_eq!(edits, ["snippet", "opx", "snippet"]);
    assert_eq!(report["edits"][0]["matches"][0]["tier"], "syntax", "{report:#}");
    sandbox.apply(["--format=snippet", "--only=1,2"], &response).exits(0);
    assert_eq!(sandbox.text("src/shelf.py"), sorted().replace("return 0", "return 2"));
}

#[test]
fn a_refused_one_names_both_lines_and_is_corrected() {
    let sandbox = shop();
    let response = block(SORT) + &block(BAD);
    let run = sandbox.apply(["--format=snippet"], &response).exits(1);
    let run = run.says("snippet-unclear").says("function `main` does not have `show(shelf)` here");
    run.says("line 12 of `src/shelf.py`").says("16").says("    show(shelf)");
    assert_eq!(sandbox.text("src/shelf.py"), SHELF);
    sandbox.run(["--continue", "--feedback"]).exits(1).says("the definitions that change in a fence");
    sandbox.apply(["--continue", "--format=snippet"], &block(MAIN)).exits(0);
    assert_eq!(sandbox.text("src/shelf.py"), sorted().replace("return 0", "return 1"));

    let sandbox = shop();
    sandbox.apply(["--format=snippet", "--keep-going"], &response).exits(1);
    assert_eq!(sandbox.text("src/shelf.py"), sorted());
}

#[test]
fn what_would_be_lost_is_refused_unless_it_is_let_go() {
    let sandbox = shop();
    let response = block("class Shelf:\n    def __init__(self):\n        self.books = ()\n");
    let run = sandbox.apply(["--format=snippet", "--no-keep"], &response).exits(1);
    run.says("snippet-loses").says("class `Shelf` lacks function `sort` of the file");
    sandbox.apply(["--format=snippet", "--allow-shrink"], &response).exits(0);
    assert!(!sandbox.text("src/shelf.py").contains("def sort"));
}

#[test]
fn it_is_resolved_at_the_base_and_merged() {
    let sandbox = shop();
    let base = sandbox.head();
    sandbox.file("src/shelf.py", SHELF.replace("return 0", "return 9"));
    sandbox.commit("other");
    sandbox.apply(["--format=snippet", &format!("--base={base}")], &block(SORT)).exits(0);
    assert_eq!(sandbox.text("src/shelf.py"), sorted().replace("return 0", "return 9"));
}

#[test]
fn without_the_option_the_block_and_the_option_are_named() {
    let sandbox = shop();
    let run = sandbox.apply([""; 0], &block(SORT)).exits(5);
    run.says("this code block names `src/shelf.py`").says("--format snippet");
    let beside = patch("README", "w", "hello\n", "hi\n") + "\n" + &block(SORT);
    sandbox.apply(["--no-keep"], &beside).exits(1).says("not-read").says("--format snippet");
    sandbox.git(["config", "llmapply.format", "snippet"]);
    sandbox.apply([""; 0], &block(SORT)).exits(0);
    assert_eq!(sandbox.text("src/shelf.py"), sorted());
    // If the format is already given, the hint does not name it again.
    let outside = block(SORT).replace("src/shelf.py", "../shelf.py");
    let run = sandbox.apply([""; 0], &outside).exits(5).says("this code block names `../shelf.py`");
    assert!(run.stderr.contains("--format whole-file") && !run.stderr.contains("--format snippet"));
    sandbox.apply(["--format=whole-file"], &outside).exits(1).says("[path-");
}

#[test]
fn of_two_blocks_in_a_row_the_second_takes_the_place_of_the_first() {
    let sandbox = shop();
    let (old, new) = ("    shelf.sort()\n    print(shelf)\n", "    shelf.sort()\n    print(len(shelf))\n");
    let response = format!("In src/shelf.py replace\n\n{}with\n\n{}", block(old), block(new));
    sandbox.apply(["--format=snippet"], &response).exits(0);
    assert_eq!(sandbox.text("src/shelf.py"), SHELF.replace(old, new));
    // In the other order it is not clear which one is meant.
    let response = format!("{}is now\n\n{}", block(old), block(new));
    sandbox.apply(["--format=snippet", "--no-keep"], &response).exits(1).says("snippet-unclear");
}

#[test]
fn the_second_of_two_blocks_under_one_path_is_never_left_out() {
    let sandbox = shop();
    let fence = |text: &str| format!("```python\n{text}```\n\n");
    let (old, new) = ("    shelf = Shelf()\n    shelf.sort()\n", "    shelf = Shelf(1)\n    shelf.sort()\n");
    let main = "def main():\n    shelf = Shelf()\n    shelf.sort()\n    print(shelf)\n    return 0\n";
    let pairs = [(main.to_owned(), main.replace("return 0", "return 9")), (old.to_owned(), new.to_owned())];
    for between in ["with\n\n", "", "After:\n\n"] {
        for (old, new) in &pairs {
            let sandbox = sandbox.copy();
            let response = format!("Before (`src/shelf.py`):\n\n{}{between}{}", fence(old), fence(new));
            sandbox.apply(["--format=snippet"], &response).exits(0);
            assert_eq!(sandbox.text("src/shelf.py"), SHELF.replace(old, new), "{between}");
            sandbox.apply(["--format=snippet"], &response).exits(0).says("already landed");
            sandbox.run(["undo"]).exits(0);
            sandbox.apply(["--format=snippet"], &response).exits(0);
            assert_eq!(sandbox.text("src/shelf.py"), SHELF.replace(old, new), "{between}");
            let again = ["--format=snippet", "--again", "--no-record", "--no-keep"];
            sandbox.apply(again, &response).exits(1).says("may be the new text");
        }
    }
    // Several pairs below one path.
    let both = format!("src/shelf.py\n\n{}{}", fence(main), fence(&pairs[0].1));
    let both = format!("{both}And\n\n{}{}", fence("import os\n"), fence("import sys\n"));
    let copy = sandbox.copy();
    copy.apply(["--format=snippet"], &both).exits(0);
    let wanted = SHELF.replace("return 0", "return 9").replace("import os", "import sys");
    assert_eq!(copy.text("src/shelf.py"), wanted);
    copy.apply(["--format=snippet"], &both).exits(0).says("already landed");
    // The second cannot replace the first, or the file does not have the first one's lines.
    for (old, new) in [(main, "Shelf().sort()\n"), (&*main.replace("(shelf)", "(1)"), &*pairs[0].1)] {
        let response = format!("src/shelf.py\n\n{}with\n\n{}", fence(old), fence(new));
        let run = sandbox.apply(["--format=snippet", "--no-keep"], &response).exits(1);
        run.says("src/shelf.py: this code block or the one above it may be the new text");
        assert_eq!(sandbox.text("src/shelf.py"), SHELF);
    }
    // A block that shows a command is not read, and neither is one below a snippet that changes the file.
    let run = format!("src/shelf.py\n\n{}Run it:\n\n```sh\npython src/shelf.py\n```\n", fence(SORT));
    sandbox.copy().apply(["--format=snippet"], &run).exits(0).says("not read: 1 other code block");
    let usage = format!("src/shelf.py\n\n{}Use it:\n\n{}", fence(SORT), fence("Shelf().sort()\n"));
    sandbox.apply(["--format=snippet"], &usage).exits(0).says("not read: 1 other code block");
}

#[test]
fn of_two_blocks_of_imports_the_second_takes_the_place_of_the_first() {
    for (old, new) in [("import os\n", "import sys\n"), ("import os\n", "import os\nimport sys\n")] {
        let sandbox = shop();
        sandbox.apply(["--format=snippet"], &(block(old) + &block(new))).exits(0);
        assert_eq!(sandbox.text("src/shelf.py"), SHELF.replace(old, new));
    }
    // A definition cannot replace an import.
    let sandbox = shop();
    let main = "import os\n\n\n".to_owned() + &SHELF[SHELF.find("def main").unwrap()..];
    let response = block("import os\n") + &block(&main.replace("return 0", "return 1"));
    sandbox.apply(["--format=snippet"], &response).exits(0);
    assert_eq!(sandbox.text("src/shelf.py"), SHELF.replace("return 0", "return 1"));
}

#[test]
fn the_path_as_a_comment_stays_if_the_file_begins_with_it() {
    let shelf = format!("# src/shelf.py\n{}", &SHELF[SHELF.find("def main").unwrap()..]);
    let after = shelf.replace("return 0", "return 9");
    let without = format!("```python\n{after}```\n");
    for format in ["--format=whole-file", "--format=snippet"] {
        for response in [&without, &block(&after)] {
            let sandbox = Sandbox::new();
            sandbox.file("src/shelf.py", &shelf);
            sandbox.commit("shelf");
            sandbox.apply([format], response).exits(0);
            assert_eq!(sandbox.text("src/shelf.py"), after, "{format} {response}");
            sandbox.run(["undo"]).exits(0);
            sandbox.apply([format], response).exits(0);
            assert_eq!(sandbox.text("src/shelf.py"), after, "{format} {response}");
            // If the file does not begin with that comment, the comment only names the file.
            let sandbox = Sandbox::new();
            sandbox.file("src/shelf.py", shelf.replace("# src/shelf.py\n", ""));
            sandbox.commit("shelf");
            sandbox.apply([format], response).exits(0);
            assert_eq!(sandbox.text("src/shelf.py"), after.replace("# src/shelf.py\n", ""));
        }
    }
}

#[test]
fn line_ends_and_the_last_newline_are_the_files() {
    let sandbox = shop();
    let file = SHELF.replace('\n', "\r\n");
    sandbox.file("src/shelf.py", file.trim_end());
    sandbox.commit("crlf");
    sandbox.apply(["--format=snippet"], &(block(SORT) + &block(MAIN))).exits(0);
    let after = sorted().replace("return 0", "return 1").replace('\n', "\r\n");
    assert_eq!(sandbox.text("src/shelf.py"), after.trim_end());
}

#[test]
fn a_new_file_is_made_and_another_language_is_not_read() {
    let sandbox = shop();
    sandbox.apply(["--format=snippet"], "src/new.py\n\n```python\nx = 1\n```\n").exits(0);
    assert_eq!(sandbox.text("src/new.py"), "x = 1\n");
    sandbox.apply(["--format=snippet", "--no-keep"], "README\n\n```\nbye\n```\n").exits(5).says("README");
    sandbox.apply(["--format=snippet", "--no-keep"], "src/shelf.py\n\n```python\nx = 1\n").exits(5);
}

#[test]
fn a_whole_file_that_lacks_a_definition_is_refused() {
    let sandbox = shop();
    let response = block(&SHELF.replace("def main", "def start"));
    let run = sandbox.apply(["--format=whole-file", "--no-keep"], &response).exits(1);
    run.says("[shrink]").says("`src/shelf.py` would lose function `main`");
    let member = block(&SHELF.replace("def sort(self)", "def order(self)"));
    let run = sandbox.apply(["--format=whole-file", "--no-keep"], &member).exits(1);
    run.says("[shrink]").says("`src/shelf.py` would lose function `sort`");
    sandbox.apply(["--format=whole-file", "--allow-shrink"], &response).exits(0);
    assert!(sandbox.text("src/shelf.py").contains("def start"));
}

#[test]
fn syntax_that_gets_worse_is_said_or_refused() {
    let sandbox = shop();
    let response = patch("src/shelf.py", "w", "    return 0\n", "    return (0\n");
    let run = sandbox.apply(["-n"], &response).exits(0);
    run.says("`src/shelf.py` would have a syntax error in line 16").says("[syntax]");
    let report = json(&sandbox, &["-n"], &response, 0);
    assert_eq!(report["diagnostics"][0]["code"], "syntax", "{report:#}");
    sandbox.apply(["--syntax=refuse", "--no-keep"], &response).exits(1).says("[syntax]");
    sandbox.apply(["--syntax=refuse", "--branch-per-edit=one/{n}"], &response).exits(1).says("[syntax]");
    let run = sandbox.apply(["-n", "--syntax=off"], &response).exits(0);
    assert!(!run.stderr.contains("syntax error"), "{run:?}");
    // A failed edit like any other: it can be corrected, and the others land without it.
    let both = response.clone() + &patch("README", "w", "hello\n", "hello world\n");
    let run =
        sandbox.apply(["--syntax=refuse"], &both).exits(1).says("edit 1 of 2 failed (edit 2 would apply)");
    let feedback = sandbox.run(["--continue", "--feedback"]);
    assert!(feedback.stdout.contains("would have a syntax error in line 16"), "{run:?} {feedback:?}");
    let copy = sandbox.copy();
    let right = patch("src/shelf.py", "w", "    return 0\n", "    return 1\n");
    copy.apply(["--continue"], &right).exits(0);
    assert!(copy.text("src/shelf.py").contains("return 1\n") && copy.text("README") == "hello world\n");
    sandbox.apply(["--syntax=refuse", "--keep-going"], &both).exits(1).says("[syntax]");
    assert!(sandbox.text("src/shelf.py").contains("return 0\n") && sandbox.text("README") == "hello world\n");
    sandbox.apply([""; 0], &response).exits(0);
    // A file that was already broken is not reported again.
    let next = patch("src/shelf.py", "w", "    shelf.sort()\n", "    shelf.sort(1)\n");
    let run = sandbox.apply(["-n"], &next).exits(0);
    assert!(!run.stderr.contains("syntax error"), "{run:?}");
}

/// Runs it with answers on standard input.
fn answered(sandbox: &Sandbox, args: &[&str], answers: &str) -> sandbox::Run {
    sandbox::Run::fed(sandbox.command(args), answers)
}

#[test]
fn they_are_chosen_by_number_and_one_by_one() {
    let sandbox = shop();
    let base = sandbox.head();
    let response = block(SORT) + &block(BAD) + &block("import os\nimport sys\n");
    // An edit that is not wanted is not checked.
    sandbox.apply(["--format=snippet", "--except=2"], &response).exits(0);
    assert_eq!(sandbox.text("src/shelf.py"), sorted().replace("import os\n", "import os\nimport sys\n"));
    sandbox.apply(["--format=snippet", "--except=2"], &response).exits(0).says("already landed");
    sandbox.run(["undo"]).exits(0);
    assert_eq!(sandbox.text("src/shelf.py"), SHELF);
    sandbox.git(["reset", "-q", "--hard", &base]);
    let file = sandbox.response(&(block(SORT) + &block(MAIN)));
    let run = answered(&sandbox, &["-i", "--again", "--format=snippet", file.to_str().unwrap()], "n\ny\n");
    run.exits(0);
    assert_eq!(sandbox.text("src/shelf.py"), SHELF.replace("return 0", "return 1"));
    sandbox.is_sound();
}

#[test]
fn what_goes_on_lands_with_what_was_refused() {
    let sandbox = shop();
    let other = patch("src/shelf.py", "Say it", "    return 9\n", "    return 2\n");
    let response = block(SORT) + &other + "\n" + &block("import os\nimport sys\n");
    sandbox.apply(["--format=snippet"], &response).exits(1);
    // The correction is in another format.
    let other = other.replace("return 9", "return 0");
    sandbox.apply(["--continue", "--format=snippet"], &other).exits(0);
    let wanted = sorted().replace("return 0", "return 2").replace("import os\n", "import os\nimport sys\n");
    assert_eq!(sandbox.text("src/shelf.py"), wanted);
    sandbox.apply(["--format=snippet"], &(block(SORT) + &block("import os\nimport sys\n"))).exits(0);
    assert_eq!(sandbox.text("src/shelf.py"), wanted);
    sandbox.is_sound();
}

#[test]
fn one_that_builds_on_an_edit_before_it_finds_what_that_made() {
    let sandbox = shop();
    let first = patch("src/shelf.py", "Say it", "    print(shelf)\n", "    show(shelf)\n");
    sandbox.apply(["--format=snippet"], &(first.clone() + "\n" + &block(BAD))).exits(0);
    let wanted = SHELF.replace("print", "show").replace("return 0", "return 1");
    assert_eq!(sandbox.text("src/shelf.py"), wanted);
    // A snippet of the file as it was before the response is merged into the changed file.
    let sandbox = shop();
    let response = patch("src/shelf.py", "w", "import os\n", "import re\n") + "\n" + &block(MAIN);
    sandbox.apply(["--format=snippet"], &response).exits(0);
    let wanted = SHELF.replace("import os", "import re").replace("return 0", "return 1");
    assert_eq!(sandbox.text("src/shelf.py"), wanted);
    // Not if both change the same line.
    let response = first + "\n" + &block(&MAIN.replace("print(shelf)", "print(len(shelf))"));
    let sandbox = shop();
    sandbox.apply(["--format=snippet", "--no-keep"], &response).exits(1).says("snippet-unclear");
    assert_eq!(sandbox.text("src/shelf.py"), SHELF);
}

#[test]
fn a_base_that_the_branch_left_in_the_same_lines_is_a_conflict() {
    let sandbox = shop();
    let base = sandbox.head();
    sandbox.file("src/shelf.py", SHELF.replace("self.books.sort()", "self.books.sort(reverse=True)"));
    let tip = sandbox.commit("other");
    sandbox.apply(["--format=snippet", "--no-keep", &format!("--base={base}")], &block(SORT)).exits(1);
    assert_eq!(sandbox.head(), tip);
    // A line that only the base has is found at the base.
    let sandbox = shop();
    let base = sandbox.head();
    sandbox.file("src/shelf.py", SHELF.replace("    print(shelf)\n", ""));
    sandbox.commit("other");
    let start = "def main():\n    shelf = Shelf(1)\n    shelf.sort()\n    # ... existing code ...\n";
    sandbox.apply(["--format=snippet", &format!("--base={base}")], &block(start)).exits(0);
    let wanted = SHELF.replace("    print(shelf)\n", "").replace("= Shelf()", "= Shelf(1)");
    assert_eq!(sandbox.text("src/shelf.py"), wanted);
}

#[test]
fn a_model_is_told_what_a_snippet_lacks_and_is_right_then() {
    let sandbox = shop();
    sandbox.git(["config", "llmapply.format", "snippet"]);
    let model = sandbox.root().join("model");
    std::fs::create_dir(&model).unwrap();
    std::fs::write(model.join("1"), block(SORT) + &block(BAD)).unwrap();
    std::fs::write(model.join("2"), block(MAIN)).unwrap();
    let script = format!(
        "#!/bin/sh\ncd '{}'\nn=$(( $(cat count 2>/dev/null || echo 0) + 1 ))\necho $n >count\ncat >asked-$n\ncat $n\n",
        model.display()
    );
    sandbox.script(&model.join("run"), &script);
    let with = format!("--with='{}'", model.join("run").display());
    sandbox.run(["ask", &with, "-r", "Sort", "src/shelf.py"]).exits(0);
    assert_eq!(sandbox.text("src/shelf.py"), sorted().replace("return 0", "return 1"));
    let asked = |round: &str| std::fs::read_to_string(model.join(round)).unwrap();
    assert!(asked("asked-1").contains("Give a definition whole"), "{}", asked("asked-1"));
    for said in [
        "function `main` does not have `show(shelf)`",
        "line 12 of `src/shelf.py`",
        "give the whole function",
    ] {
        assert!(asked("asked-2").contains(said), "{}", asked("asked-2"));
    }
}

#[test]
fn a_report_says_what_came_of_each() {
    let sandbox = shop();
    let report = json(&sandbox, &["--no-keep"], &(block(SORT) + &block(BAD)), 1);
    let states: Vec<_> =
        report["edits"].as_array().unwrap().iter().map(|edit| edit["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["fine", "refused"], "{report:#}");
    let wrong = &report["diagnostics"][0];
    assert_eq!((wrong["code"].as_str(), wrong["edit"].as_u64()), (Some("snippet-unclear"), Some(2)));
    let report = json(&sandbox, &[], &block(SORT), 0);
    assert_eq!(report["edits"][0]["state"], "landed", "{report:#}");
    // Without a record it is known by its result: it changes nothing.
    let report = json(&sandbox, &["--no-record", "--again"], &block(SORT), 0);
    assert_eq!(report["edits"][0]["state"], "already-applied", "{report:#}");
}
