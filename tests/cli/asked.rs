//! Options for how a response is read: formats, the file of blocks without one, strictness, the clipboard.
use crate::sandbox;

use super::ask::Model;
use sandbox::{Sandbox, patch, replace, same};
use serde_json::{Value, json};

const NAMELESS: &str = "```diff\n@@ -1 +1 @@\n-hello\n+bye\n```\n";

/// Returns an edit that replaces hello, a code block that is not an edit, and a diff of another file.
fn mixed() -> String {
    let blocks = "README\n<<<<<<< SEARCH\nhello\n=======\nbye\n>>>>>>> REPLACE\n\nRun it:\n\n```sh\nls -l\nmake\n```\n";
    format!("{blocks}\nAnd:\n\n--- a/old.txt\n+++ b/old.txt\n@@ -1 +1 @@\n-one\n+1\n")
}

fn json(run: &sandbox::Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn what_is_not_read_is_noted_and_with_strict_refused() {
    let sandbox = Sandbox::new();
    let note = "not read: 1 other code block (lines 10-13)";
    let run = sandbox.apply(["-n"], &mixed()).exits(0).says(note);
    assert_eq!(run.stderr.matches("not read:").count(), 1, "{}", run.stderr);
    let read = json(&sandbox.apply(["-n", "--json"], &mixed()).exits(0));
    let place = json!({ "first": 10, "last": 13 });
    assert_eq!(read["unread"].as_array().unwrap().len(), 1, "{read:#}");
    assert_eq!((&read["unread"][0]["lines"], &read["unread"][0]["info"]), (&place, &json!("sh")));
    assert_eq!(read["unread"][0]["path"], Value::Null);

    let before = sandbox.listing();
    sandbox.apply(["--strict", "--no-keep"], &mixed()).exits(1).says(note);
    let refused = json(&sandbox.apply(["--strict", "--no-keep", "--json"], &mixed()).exits(1));
    assert_eq!(refused["diagnostics"][0]["severity"], "error");
    assert_eq!(refused["unread"].as_array().unwrap().len(), 1, "{refused:#}");
    same("refused", &before, &sandbox.listing());
    sandbox.git(["config", "llmapply.strict", "true"]);
    sandbox.apply(["--no-keep"], &mixed()).exits(1).says(note);
    sandbox.apply(["--no-strict"], &mixed()).exits(0);
    assert_eq!(
        (sandbox.text("README"), sandbox.text("old.txt")),
        ("bye\n".into(), "1\ntwo\nthree\nfour\n".into())
    );
    // If everything is read, the option changes nothing. If nothing is read, there are no edits.
    sandbox.apply([""; 0], &replace("src/a.rs", "w", "x\n")).exits(0);
    sandbox.apply([""; 0], "Run it:\n\n```sh\nls\n```\n").exits(5);
}

#[test]
fn what_is_strictly_refused_stays_refused_until_it_is_given_as_an_edit() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    sandbox.apply(["--strict"], &mixed()).exits(1);
    let run = sandbox.run(["--continue"]).exits(1).says("not read");
    assert!(!run.stderr.contains("--no-strict"), "{}", run.stderr);
    sandbox.run(["-n", "--continue", "--no-strict"]).exits(0).says("not read").says("would land 2 edits");
    let edit = patch("gone.txt", "Three", "gone\n", "here\n");
    sandbox.apply(["--continue"], &edit).exits(0);
    assert_eq!(sandbox.git(["rev-list", "--count", &format!("{base}..")]), "3");
}

#[test]
fn of_what_is_strictly_refused_the_whole_response_is_asked_for_again() {
    let sandbox = Sandbox::new();
    let edit = patch("README", "Say more", "hello\n", "bye\n");
    let answer = format!("```python\nprint(1)\n```\n\n{edit}\n```json\n{{\"x\":1}}\n```\n");
    let run = sandbox.apply(["--strict", "--feedback"], &answer).exits(1);
    assert!(run.stdout.contains("Send the whole answer again"), "{}", run.stdout);
    for wrong in ["Send only", "do not send it again", "with its path"] {
        assert!(!run.stdout.contains(wrong), "{wrong}: {}", run.stdout);
    }
    let again = sandbox.run(["--continue", "--feedback"]).exits(1);
    assert_eq!(again.stdout, run.stdout, "both blocks count");
    let run = sandbox.apply(["--continue"], &edit).exits(0).says("taken for corrected: not read: 2 other");
    assert!(run.stdout.contains("1 commit"), "{}", run.stdout);
    assert_eq!(sandbox.text("README"), "bye\n");
    sandbox.is_sound();
    sandbox.git(["reset", "-q", "--hard", "HEAD~"]);
    let run = sandbox.apply(["--strict", "--feedback", "--keep-going", "--again"], &answer).exits(1);
    assert!(run.stdout.starts_with("All edits of your answer were applied"), "{}", run.stdout);
    sandbox.run(["--abort"]).exits(0);
    // The same if `ask` asks the model.
    sandbox.git(["reset", "-q", "--hard", "HEAD~"]);
    let model = Model::of(&sandbox, &[answer, edit]);
    sandbox.run(["ask", "--strict", "--again", "--with", &model.command()]).exits(0);
    assert!(model.asked(2).contains("Send the whole answer again"), "{}", model.asked(2));
    assert_eq!(sandbox.text("README"), "bye\n");
}

#[test]
fn formats_add_up_and_whole_files_are_read_beside_what_is_detected() {
    let sandbox = Sandbox::new();
    let whole = "src/new.rs\n```rust\nfn n() {}\n```\n\nREADME\n```\nall new\n```\n";
    let all = format!("{}\n{whole}", replace("old.txt", "w", "x\n"));
    let formats = |options: &[&str], text: &str, code: i32| -> Vec<String> {
        let options: Vec<&str> = options.iter().copied().chain(["-n", "--json"]).collect();
        let read = json(&sandbox.apply(&options, text).exits(code));
        let edits = read["edits"].as_array().unwrap();
        edits
            .iter()
            .map(|edit| format!("{} {}", edit["format"].as_str().unwrap(), edit["path"].as_str().unwrap()))
            .collect()
    };
    assert_eq!(
        formats(&["--format=whole-file"], &all, 0),
        ["opx old.txt", "whole-file src/new.rs", "whole-file README"]
    );
    assert_eq!(formats(&[], &all, 1), ["opx old.txt", "whole-file src/new.rs"], "README is there");
    let both = ["--format=search-replace", "--format=diff"];
    assert_eq!(formats(&both, &mixed(), 0), ["search-replace README", "diff old.txt"]);
    assert_eq!(formats(&["--format=opx", "--no-format"], &mixed(), 0).len(), 2);
    sandbox.git(["config", "--add", "llmapply.format", "diff"]);
    sandbox.git(["config", "--add", "llmapply.format", "search-replace"]);
    assert_eq!(formats(&[], &mixed(), 0).len(), 2);
    sandbox.git(["config", "--replace-all", "llmapply.format", "nonsense"]);
    sandbox.apply(["-n"], &mixed()).exits(128).says("the name of a format");
}

#[test]
fn an_attempt_is_gone_on_with_as_it_was_read() {
    let sandbox = Sandbox::new();
    let whole = "README\n```\nall new\n```\n\n".to_owned() + &patch("old.txt", "w", "nowhere\n", "x\n");
    sandbox.apply(["--format=whole-file", "--format=opx"], &whole).exits(1).says("search-not-found");
    sandbox.apply(["--continue"], &patch("old.txt", "w", "one\n", "1\n")).exits(0);
    assert_eq!(sandbox.text("README"), "all new\n");

    let bad = patch("gone.txt", "w", "nowhere\n", "x\n");
    let blocks = "<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n";
    sandbox.apply(["--path=old.txt"], &format!("{blocks}\n{bad}")).exits(1).says("search-not-found");
    sandbox.apply(["--continue"], &patch("gone.txt", "w", "gone\n", "x\n")).exits(0);
    assert_eq!(sandbox.text("old.txt"), "1\n2\nthree\nfour\n");
}

#[test]
fn a_path_is_for_blocks_that_name_none() {
    let sandbox = Sandbox::new();
    sandbox.apply(["--no-keep"], NAMELESS).exits(1).says("[missing]");
    sandbox.apply(["--path", "README"], NAMELESS).exits(0);
    assert_eq!(sandbox.text("README"), "bye\n");
    sandbox.apply(["--path", "README", "--no-keep"], &replace("src/a.rs", "w", "x\n")).exits(0);
    assert_eq!(sandbox.text("src/a.rs"), "x\n", "what names its file is not asked");
    for (at, above) in ["old.txt\n", "### File: `old.txt`\n```\n", "```old.txt\n"].into_iter().enumerate() {
        let block = format!("<<<<<<< SEARCH\none\n=======\none {at}\n>>>>>>> REPLACE\n");
        let sandbox = Sandbox::new();
        sandbox.file("copy.txt", "one\n");
        sandbox.commit("copy");
        sandbox.apply(["--path", "copy.txt"], &format!("{above}{block}")).exits(0);
        assert_eq!(sandbox.text("copy.txt"), "one\n", "{above}");
        assert!(sandbox.text("old.txt").starts_with(&format!("one {at}\n")), "{above}");
    }
    // A word in backquotes is not a path.
    let block = "### `hello` says more\n\n<<<<<<< SEARCH\nhello\n=======\nhello you\n>>>>>>> REPLACE\n";
    let sandbox = Sandbox::new();
    sandbox.apply(["--no-keep"], block).exits(1).says("this edit names no file");
    sandbox.apply(["--path", "README"], block).exits(0);
}

#[test]
fn a_path_is_for_whole_files_and_snippets_that_name_none() {
    let new = "def f():\n    return 2\n";
    let fenced = format!("Here you go:\n\n```python\n{new}```\n\nRun it:\n\n```bash\npython m.py\n```\n");
    for (answer, unread) in
        [(fenced.as_str(), true), (new, false), (&format!("<think>f?</think>\n{new}"), false)]
    {
        for format in ["whole-file", "snippet"] {
            let sandbox = Sandbox::new();
            sandbox.file("m.py", "def f():\n    return 1\n");
            sandbox.commit("m");
            let run = sandbox.apply(["--format", format, "--path=m.py"], answer).exits(0);
            assert_eq!(sandbox.text("m.py"), new, "{format}: {answer}");
            assert_eq!(run.stderr.contains("not read: 1 other code block"), unread, "{}", run.stderr);
        }
        Sandbox::new().apply(["--path=m.py", "--no-keep"], answer).exits(5);
    }
}

/// Puts a program that prints the clipboard into a directory that is first in PATH.
fn with_clipboard(sandbox: &mut Sandbox, program: &str, text: &str) {
    let bin = sandbox.root().join("bin");
    let copied = sandbox.root().join("copied");
    std::fs::write(&copied, text).unwrap();
    sandbox.script(
        &bin.join(program),
        &format!("#!/bin/sh\necho \"$@\" >'{0}'.args\ncat '{0}'\n", copied.display()),
    );
    let path = std::env::var("PATH").unwrap();
    sandbox.set("PATH", &format!("{}:{path}", bin.display()));
}

#[test]
fn the_clipboard_is_read_by_the_first_program_that_is_there() {
    let mut sandbox = Sandbox::new();
    with_clipboard(&mut sandbox, "pbpaste", &patch("README", "w", "hello\n", "bye\n"));
    sandbox.run(["--clipboard"]).exits(0);
    assert_eq!(sandbox.text("README"), "bye\n");
    sandbox.run(["check", "--clipboard"]).exits(0).says("nothing to do");
    sandbox.run(["--clipboard", "file"]).exits(129).says("--clipboard cannot be used with a response");
    // The configured command is tried first. It is a command line for the shell.
    let answer = sandbox.response(&patch("old.txt", "w", "one\n", "1\n"));
    sandbox.git(["config", "llmapply.clipboardCommand", &format!("cat '{}' | cat", answer.display())]);
    sandbox.run(["--clipboard"]).exits(0);
    assert_eq!(sandbox.text("old.txt"), "1\ntwo\nthree\nfour\n");
    sandbox.git(["config", "llmapply.clipboardCommand", "echo no display >&2; exit 3"]);
    sandbox.run(["--clipboard"]).exits(128).says("no display").says("cannot read the clipboard");
    sandbox.git(["config", "llmapply.clipboardCommand", "printf 'Sorry.'"]);
    sandbox.run(["--clipboard"]).exits(5).says("no edits found in the clipboard");
    sandbox.git(["config", "llmapply.maxSize", "3"]);
    sandbox.run(["--clipboard"]).exits(128).says("larger than 3 bytes");
}

#[test]
fn programs_of_other_desktops_are_asked_as_they_want_it() {
    for (program, args) in [
        ("pbpaste", "\n"),
        ("wl-paste", "--no-newline\n"),
        ("xclip", "-selection clipboard -o\n"),
        ("xsel", "--clipboard --output\n"),
    ] {
        let mut sandbox = Sandbox::new();
        with_clipboard(&mut sandbox, program, "Sorry.\n");
        // No other program is in PATH.
        for tool in ["git", "sh", "cat"] {
            let found = std::env::var("PATH").unwrap();
            let place =
                found.split(':').map(|dir| std::path::Path::new(dir).join(tool)).find(|path| path.exists());
            std::os::unix::fs::symlink(place.unwrap(), sandbox.root().join("bin").join(tool)).unwrap();
        }
        let bin = sandbox.root().join("bin").display().to_string();
        sandbox.set("PATH", &bin);
        sandbox.run(["--clipboard"]).exits(5);
        assert_eq!(std::fs::read_to_string(sandbox.root().join("copied.args")).unwrap(), args);
        std::fs::remove_file(sandbox.root().join("bin").join(program)).unwrap();
        sandbox.run(["--clipboard"]).exits(128).says("none of pbpaste, wl-paste, xclip, xsel is installed");
    }
}

#[test]
fn text_that_is_escaped_is_refused_where_it_is_no_markup() {
    let sandbox = Sandbox::new();
    let edit = |file: &str, old: &str| patch(file, "w", old, "if a &lt; b &amp;&amp; c {}\n");
    let before = sandbox.listing();
    sandbox
        .apply(["--no-keep"], &edit("src/a.rs", "fn a() {}\n"))
        .exits(1)
        .says("[escaped]")
        .says("copy the response as text");
    same("refused", &before, &sandbox.listing());
    sandbox.apply(["--allow-escaped"], &edit("src/a.rs", "fn a() {}\n")).exits(0);
    // Now the file has entities itself.
    sandbox.apply([""; 0], &edit("src/a.rs", "fn b() {}\n")).exits(0);
    sandbox.file("page.html", "<p>\n");
    sandbox.commit("page");
    sandbox.apply([""; 0], &edit("page.html", "<p>\n")).exits(0);
}

#[test]
fn new_files_are_made_unless_git_ignores_them() {
    let sandbox = Sandbox::new();
    sandbox.file(".gitignore", "/build/\n");
    sandbox.commit("ignore");
    let block = |path: &str| format!("{}\n{path}\n```\nnew\n```\n", replace("src/a.rs", "w", "x\n"));
    sandbox.apply(["--no-keep"], &block("build/new.txt")).exits(1).says("[not-read]").says("build/new.txt");
    sandbox.apply([""; 0], &block("docs/new.txt")).exits(0);
    assert_eq!(sandbox.text("docs/new.txt"), "new\n");
    // A block that only shows the file is not an error, and is not created again.
    sandbox
        .apply([""; 0], &format!("{}\ndocs/new.txt\n```\nnew\n```\n", replace("README", "w", "x\n")))
        .exits(0);
}
