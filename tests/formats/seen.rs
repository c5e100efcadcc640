//! What is reported about an answer without edits, and about parts that could not be read: the same for people and in
//! JSON.
use crate::sandbox;

use sandbox::{Sandbox, replace};
use serde_json::{Value, json};

/// Runs it, also with `--json`, and returns the text and the JSON.
#[track_caller]
fn said(answer: &str, options: &[&str], code: i32) -> (String, Value) {
    let sandbox = Sandbox::new();
    let before = sandbox.head();
    let options: Vec<&str> = options.iter().copied().chain(["--no-keep"]).collect();
    let run = sandbox.apply(&options, answer).exits(code);
    let options: Vec<&str> = options.into_iter().chain(["--json"]).collect();
    let json = sandbox.apply(&options, answer).exits(code);
    assert_eq!(sandbox.head(), before, "nothing changes");
    (run.stderr, serde_json::from_str(&json.stdout).unwrap())
}

/// Checks that nothing can be applied, and that this is reported for these lines.
#[track_caller]
fn sees(answer: &str, lines: (u64, u64), message: &str, way: &str) {
    let (text, json) = said(answer, &[], 5);
    assert!(text.contains("no edits found in"), "{text}");
    assert!(text.contains(message) && text.contains(way), "{text}");
    let seen = &json["diagnostics"][0];
    assert_eq!((&seen["code"], &seen["severity"]), (&json!("unread"), &json!("warning")), "{json:#}");
    assert!(seen["message"].as_str().unwrap().contains(message), "{seen:#}");
    assert!(seen["help"].as_str().unwrap_or_default().contains(way), "{seen:#}");
    assert_eq!(seen["lines"], json!({ "first": lines.0, "last": lines.1 }), "{answer}");
    // `-q` does not hide it.
    let (quiet, _) = said(answer, &["-q"], 5);
    assert!(quiet.contains(message), "{quiet}");
}

#[test]
fn an_answer_without_edits_is_told_by_what_it_holds() {
    sees("", (1, 1), "the response is empty", "ask again");
    sees("Sorry,\nI cannot.\n", (1, 2), "only prose", "git llm-apply prompt");
    sees("All is well:\n\n```json\n[]\n```\n", (4, 4), "this list is empty", "");
    sees("<FILE_CHANGES></FILE_CHANGES>\n", (1, 1), "this list is empty", "");
    sees("Well.\n<opx/>\n", (2, 2), "this list is empty", "");
    sees("*** Begin Patch\n*** End Patch\n", (1, 2), "this list is empty", "");
    sees(
        "So:\n\n```python\nx = 1\n",
        (1, 4),
        "only prose, or code that names no file",
        "git llm-apply prompt",
    );
    let block = "In src/a.rs:\n```\nfn c() {}\n```\n";
    sees(block, (2, 4), "this code block names `src/a.rs`", "--format whole-file");
    let (text, _) = said(&format!("{block}\nAnd in README:\n```\nbye\n```\n"), &[], 5);
    assert!(text.contains("names `src/a.rs`") && text.contains("names `README`"), "{text}");
    assert!(!text.contains("only prose"), "{text}");
    sees("&lt;edit file=\"a\" op=\"remove\" /&gt;\n", (1, 1), "escaped as HTML", "as text");
    sees(
        "\"*** Begin Patch\\n*** Delete File: a\\n*** End Patch\"\n",
        (1, 1),
        "escaped as a JSON string",
        "jq",
    );
}

#[test]
fn no_command_is_understood() {
    let command =
        "Run:\n\n```bash\ncat > src/new.rs <<'EOF'\nfn new() {}\nEOF\necho target >> .gitignore\n```\n";
    sees(command, (1, 8), "code that names no file", "git llm-apply prompt");
    let sandbox = Sandbox::new();
    let answer = format!("{}\n{command}", replace("src/a.rs", "w", "x\n"));
    sandbox.apply([""; 0], &answer).exits(0).says("not read: 1 other code block");
    assert_eq!(sandbox.git(["diff", "--name-only", "HEAD^"]), "src/a.rs");
}

#[test]
fn what_a_region_holds_beside_its_edits_is_not_left_out_in_silence() {
    let call = |name: &str, input: &str| format!("{{\"name\": \"{name}\", \"arguments\": {{{input}}}}}");
    let edit = call("edit", r#""path": "README", "old_string": "hello", "new_string": "bye""#);
    let other = call("move_file", r#""source": "README", "destination": "b""#);
    let diff = "--- a/README\n+++ b/README\n@@ -1 +1 @@\n-hello\n+bye\n";
    let blocks = "<<<<<<< SEARCH\nhello\n=======\nbye\n>>>>>>> REPLACE\n";
    let new = "<FILE_NEW file_path=\"b\">\nb\n</FILE_NEW>";
    for (answer, lines) in [
        (format!("[{edit},\n{other}]\n"), "line 2"),
        (format!("```json\n[{edit},\n{other}]\n```\n"), "line 3"),
        (format!("{other}\n{edit}\n{other}\n"), "lines 1, 3"),
        // In the record of a conversation, what a model says next to its calls is a string.
        (format!("[{},\n{edit}]\n", serde_json::json!({"text": format!("README\n{blocks}")})), "line 1"),
        (format!("[{},\n{edit}]\n", serde_json::json!({"text": "Words,\nand more.\n"})), ""),
        (
            format!("<opx>\n{}<rename file=\"old.txt\" to=\"b\"/>\n</opx>\n", replace("README", "w", "x\n")),
            "line ",
        ),
        (format!("<FILE_CHANGES>\n{new}\n\nc.py\n```python\ny = 1\n```\n</FILE_CHANGES>\n"), "lines 7-9"),
        (format!("README\n```\n{blocks}\ndef extra():\n    pass\n```\n"), "lines 9-10"),
        (format!("```diff\n{diff}\n# then in b.py\ny = 2\n```\n"), "lines 8-9"),
        (format!("```diff\n{diff}\n# then\n\n{diff}```\n"), ""),
        (format!("Words.\n````\nREADME\n{blocks}Text.\n\n```\nb.py\n{blocks}```\n````\n"), "lines "),
        (format!("```\nREADME\n{blocks}z = 3\n```\n"), "line 8"),
        (format!("README\n{blocks}\nb.py\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> REPLACE\n"), "line 9"),
    ] {
        let run = Sandbox::new().apply(["-n"], &answer).exits(0);
        let note = run.stderr.lines().find(|line| line.contains("not read: ")).unwrap_or_default();
        assert_eq!(note.contains(&format!("({lines}")), !lines.is_empty(), "{answer}\n{}", run.stderr);
        Sandbox::new().apply(["--strict", "--no-keep"], &answer).exits(i32::from(!lines.is_empty()));
    }
    // The line that ends a here-document belongs to its command, even if a diff in it is shorter than its numbers say.
    let patch = "*** Begin Patch\n*** Update File: README\n@@\n-hello\n+bye\n*** End Patch\n";
    for text in [patch, diff, &diff.replace("-1 +1", "-1,2 +1,2")] {
        let answer = format!("```bash\napply <<'EOF'\n{text}EOF\n```\n");
        Sandbox::new().apply(["--strict"], &answer).exits(0);
        let more = Sandbox::new().apply([""; 0], &answer.replace("EOF\n```", "EOF\nmake\n```")).exits(0);
        assert!(more.stderr.contains("not read: 1 other code block"), "{}", more.stderr);
    }
    // A fence around edits is not reported.
    let fenced = format!("<FILE_CHANGES>\n```xml\n{new}\n```\n</FILE_CHANGES>\n");
    Sandbox::new().apply(["--strict"], &fenced).exits(0);
}

#[test]
fn another_format_than_the_one_asked_for_is_named() {
    let edit = replace("src/a.rs", "w", "x\n");
    let (text, json) = said(&edit, &["--format=applydir"], 5);
    assert!(text.contains("the edits are in another format: opx"), "{text}");
    assert!(json["diagnostics"][0]["help"].as_str().unwrap().contains("--format"), "{json:#}");
    // If the response has edits of the given format, the others are counted.
    let patch = "*** Begin Patch\n*** Delete File: old.txt\n*** End Patch\n";
    let sandbox = Sandbox::new();
    let answer = format!("{patch}\nAnd:\n\n{edit}");
    sandbox.apply(["--format=apply-patch"], &answer).exits(0).says("not read: 1 other");
    assert_eq!(sandbox.git(["diff", "--name-only", "HEAD^"]), "old.txt");
}

#[test]
fn lone_objects_of_applydir_that_are_not_valid_are_refused_with_key_and_path() {
    for (answer, key, path) in [
        ("[{\"file\": \"a\"}]\n", "changes", Some("a")),
        ("{\"file\": \"src/a.rs\"}\n", "changes", Some("src/a.rs")),
        ("{\"file\": \"src/a.rs\", \"changes\": []}\n", "changes", Some("src/a.rs")),
        (
            "So:\n\n```json\n{\"changes\": [{\"original_lines\": [\"x\"], \"changed_lines\": [\"y\"]}]}\n```\n",
            "file",
            None,
        ),
        ("[{\"changes\": []}]\n", "file", None),
    ] {
        let (text, json) = said(answer, &[], 1);
        let finding = &json["diagnostics"][0];
        assert!(finding["message"].as_str().unwrap().contains(&format!("`{key}`")), "{answer}: {text}");
        assert_eq!(finding["path"], json!(path), "{answer}");
        assert_eq!(json["unread"][0]["path"], json!(path), "{answer}");
        assert_eq!(json["unread"][0]["format"], "applydir");
        assert_eq!(json["paths"], json!(path.into_iter().collect::<Vec<_>>()));
    }
}

#[test]
fn json_names_what_could_not_be_read_and_has_the_prose() {
    let bad = "<edit file=\"src/lost.rs\" op=\"explode\">\n</edit>\n";
    let answer =
        format!("I would do this:\n\n{}\nand then\nthat:\n\n{bad}\nBye.\n", replace("src/a.rs", "w", "x\n"));
    let (_, json) = said(&answer, &[], 1);
    assert_eq!(json["edits"].as_array().unwrap().len(), 1, "{json:#}");
    assert_eq!(json["unread"][0]["path"], "src/lost.rs", "{json:#}");
    assert_eq!(json["unread"][0]["format"], "opx");
    assert_eq!(json["paths"], json!(["src/a.rs", "src/lost.rs"]));
    assert_eq!(json["prose"], json!(["I would do this:", "and then\nthat:", "Bye."]));
}

#[test]
fn most_of_a_file_is_not_lost() {
    let sandbox = Sandbox::new();
    sandbox.file("long", "1\n2\n3\n4\n5\n");
    sandbox.commit("long");
    let short = "long\n```\n1\n2\n```\n".replacen("long", "./long", 1);
    sandbox.apply(["--format=whole-file", "--no-keep"], &short).exits(1).says("[shrink]");
    sandbox.git(["config", "llmapply.format", "whole-file"]);
    sandbox.git(["config", "llmapply.allowShrink", "true"]);
    sandbox.apply(["--no-allow-shrink", "--no-keep"], &short).exits(1);
    sandbox.apply([""; 0], &short).exits(0);
    assert_eq!(sandbox.text("long"), "1\n2\n");
}
