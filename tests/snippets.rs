//! Snippets from outside: edits as any other, which land, are refused, corrected and taken back.
#![cfg(feature = "syntax")]
#![cfg(test)]

mod sandbox;

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
    // Twice is once, by the record and by the text.
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
    let run =
        run.says("snippet-unclear").says("`show(shelf)` stands next to what is left out of function `main`");
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
fn without_the_option_the_definitions_are_named() {
    let sandbox = shop();
    let run = sandbox.apply([""; 0], &block(SORT)).exits(5);
    run.says("this code block is for `src/shelf.py` and holds class `Shelf`").says("--format snippet");
    let beside = patch("README", "w", "hello\n", "hi\n") + "\n" + &block(SORT);
    sandbox.apply(["--no-keep"], &beside).exits(1).says("not-read").says("--format snippet");
    sandbox.git(["config", "llmapply.format", "snippet"]);
    sandbox.apply([""; 0], &block(SORT)).exits(0);
    assert_eq!(sandbox.text("src/shelf.py"), sorted());
}

#[test]
fn of_two_blocks_in_a_row_the_second_takes_the_place_of_the_first() {
    let sandbox = shop();
    let (old, new) = ("    shelf.sort()\n    print(shelf)\n", "    shelf.sort()\n    print(len(shelf))\n");
    let response = format!("In src/shelf.py replace\n\n{}with\n\n{}", block(old), block(new));
    sandbox.apply(["--format=snippet"], &response).exits(0);
    assert_eq!(sandbox.text("src/shelf.py"), SHELF.replace(old, new));
    // The other way round it is not clear which is meant.
    let response = format!("{}is now\n\n{}", block(old), block(new));
    sandbox.apply(["--format=snippet", "--no-keep"], &response).exits(1).says("snippet-unclear");
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
    run.says("[shrink]").says("`src/shelf.py` has function `main` and would have it no more");
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
    let run = sandbox.apply(["-n", "--syntax=off"], &response).exits(0);
    assert!(!run.stderr.contains("syntax error"), "{run:?}");
    sandbox.apply([""; 0], &response).exits(0);
    // What was broken before is not said again.
    let next = patch("src/shelf.py", "w", "    shelf.sort()\n", "    shelf.sort(1)\n");
    let run = sandbox.apply(["-n"], &next).exits(0);
    assert!(!run.stderr.contains("syntax error"), "{run:?}");
}
