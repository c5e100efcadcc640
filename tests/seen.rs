//! What is said of an answer in which nothing can be applied, and of what in an answer could not be read: the same to people
//! and in JSON.
#![cfg(test)]

mod sandbox;

use git_llm_apply::format::{FormatId, parse};
use git_llm_apply::response::Response;
use sandbox::{Sandbox, create, replace};
use serde_json::{Value, json};

/// Runs it with `--json` too, and gives that.
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

/// Nothing can be applied, and this was seen there.
#[track_caller]
fn sees(answer: &str, lines: (u64, u64), message: &str, way: &str) {
    let (text, json) = said(answer, &[], 5);
    assert!(text.contains("no edits found in"), "{text}");
    assert!(text.contains(message) && text.contains(way), "{text}");
    assert!(text.contains(&format!("help: {way}")) || text.contains(way), "{text}");
    let seen = &json["diagnostics"][0];
    assert_eq!((&seen["code"], &seen["severity"]), (&json!("unread"), &json!("warning")), "{json:#}");
    assert!(seen["message"].as_str().unwrap().contains(message), "{seen:#}");
    assert!(seen["help"].as_str().unwrap().contains(way), "{seen:#}");
    assert_eq!(seen["lines"], json!({ "first": lines.0, "last": lines.1 }), "{answer}");
    // Also where people want to hear little.
    let (quiet, _) = said(answer, &["-q"], 5);
    assert!(quiet.contains(message), "{quiet}");
}

#[test]
fn an_answer_without_edits_is_told_by_what_it_holds() {
    sees("", (1, 1), "it is empty", "ask for it again");
    sees("Sorry,\nI cannot.\n", (1, 2), "this is prose", "git llm-apply prompt");
    sees("All is well:\n\n```json\n[]\n```\n", (4, 4), "this JSON is empty", "nothing to do");
    sees("<FILE_CHANGES></FILE_CHANGES>\n", (1, 1), "this envelope is empty", "nothing to do");
    sees("Well.\n<opx/>\n", (2, 2), "this envelope is empty", "nothing to do");
    sees("*** Begin Patch\n*** End Patch\n", (1, 1), "this patch is empty", "nothing to do");
    sees("So:\n\n```python\nx = 1\n", (3, 3), "never closed", "cut off");
    sees("[\n  {\n    \"fi", (1, 1), "never closed", "cut off");
    sees("src/a.rs:\n```\nfn b() {}\n```\n", (2, 4), "whole files: `src/a.rs`", "--format=whole-file");
    sees("&lt;edit file=\"a\" op=\"remove\" /&gt;\n", (1, 1), "escaped as in HTML", "plain text");
    sees("\"*** Begin Patch\\n*** Delete File: a\\n*** End Patch\"\n", (1, 1), "within a string", "jq");
}

#[test]
fn commands_that_write_files_are_named_with_all_their_lines() {
    let command =
        "Run:\n\n```bash\ncat > src/new.rs <<'EOF'\nfn new() {}\nEOF\necho target >> .gitignore\n```\n";
    let message = "`cat > src/new.rs <<'EOF'` changes a file, and no command is run";
    sees(command, (4, 6), message, "git llm-apply prompt");
    let (text, json) = said(command, &[], 5);
    assert!(text.contains("src/new.rs: ") && text.contains(".gitignore: "), "{text}");
    let seen = json["diagnostics"].as_array().unwrap();
    assert_eq!(seen.iter().map(|seen| &seen["path"]).collect::<Vec<_>>(), ["src/new.rs", ".gitignore"]);

    let (text, json) = said(&format!("{}\n{command}", replace("src/a.rs", "w", "x\n")), &[], 1);
    assert!(text.contains(message) && text.contains("write it in the format of the other edits"), "{text}");
    assert!(text.contains("--keep-going lands the edits that could be read"), "{text}");
    assert_eq!(json["paths"], json!(["src/a.rs", "src/new.rs", ".gitignore"]), "{json:#}");
}

#[test]
fn a_part_of_a_file_that_prose_adds_is_a_warning() {
    let edit = replace("src/a.rs", "w", "fn a() {}\nfn z() {}\n");
    let fence = |file: &str, lines: &str| format!("\nAlso add this to `{file}`:\n\n```\n{lines}\n```\n");
    let warned = |answer: &str| {
        let (text, json) = said(answer, &["-n"], 0);
        assert_eq!(text.contains("[unread]"), !json["diagnostics"].as_array().unwrap().is_empty(), "{text}");
        text.contains("`Also add this to `old.txt`:` reads like an edit")
    };
    assert!(warned(&format!("{edit}{}", fence("old.txt", "five"))));
    // What an edit brings is told again, and what is not there is something else's.
    assert!(!warned(&format!("{edit}{}", fence("a.rs", "fn z() {}"))));
    assert!(!warned(&format!("{edit}{}", fence("other.txt", "five"))));
}

#[test]
fn commands_and_scripts_that_may_be_meant_are_a_warning() {
    let edit = replace("src/a.rs", "w", "fn a() {}\n") + &create("src/made.rs", "w", "x\n");
    let fence = |language: &str, line: &str| format!("{edit}\n```{language}\n{line}\n```\n");
    for (language, line, path) in [
        ("sh", "touch src/new.rs", "src/new.rs"),
        ("sh", "cp old.txt new.txt", "new.txt"),
        ("sh", "cd src\ncp a.rs b.rs", "b.rs"),
        ("python", "with open('old.txt', 'w') as f:\n    f.write('x')", "old.txt"),
        ("python", "Path(\"old.txt\").write_text(x)", "old.txt"),
        ("js", "fs.writeFileSync('old.txt', x)", "old.txt"),
    ] {
        let (text, json) = said(&fence(language, line), &["-n"], 0);
        assert_eq!(json["diagnostics"].as_array().unwrap().len(), 1, "{line}: {text}");
        assert_eq!(json["diagnostics"][0]["code"], "unread", "{line}: {text}");
        assert_eq!(json["diagnostics"][0]["path"], path, "{line}: {text}");
    }
    // What an edit makes, what is not there, and what is only read.
    for (language, line) in [
        ("sh", "touch src/made.rs"),
        ("sh", "cp .env.example .env\ntouch /tmp/log build/x"),
        ("python", "print(open('old.txt').read(), open('old.txt', 'rb'), open('out.txt', 'w'))"),
    ] {
        let (text, json) = said(&fence(language, line), &["-n"], 0);
        assert_eq!(json["diagnostics"], json!([]), "{line}: {text}");
    }
}

#[test]
fn another_format_than_the_one_asked_for_is_named() {
    let (text, json) = said(&replace("src/a.rs", "w", "x\n"), &["--format=applydir"], 5);
    assert!(text.contains("this is opx"), "{text}");
    assert!(json["diagnostics"][0]["help"].as_str().unwrap().contains("--format"), "{json:#}");
}

#[test]
fn edits_of_another_format_beside_those_of_the_one_asked_for_are_errors() {
    let patch = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch\n";
    let applydir =
        "[{\"file\": \"a\", \"changes\": [{\"original_lines\": [\"x\"], \"changed_lines\": [\"y\"]}]}]\n";
    let texts = [
        (FormatId::Opx, "<edit file=\"a\" op=\"remove\" />\n"),
        (FormatId::ApplyPatch, patch),
        (FormatId::SearchReplace, "### File: a\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"),
        (FormatId::FileChanges, "<FILE_CHANGES>\n<FILE_DELETE file_path=\"a\" />\n</FILE_CHANGES>\n"),
        (FormatId::Applydir, applydir),
        (FormatId::Diff, "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n w\n-x\n+y\n"),
        (FormatId::EditCalls, "{\"file_path\": \"a\", \"old_string\": \"x\", \"new_string\": \"y\"}\n"),
        (FormatId::WholeFile, "a.py\n```\nx\n```\n"),
    ];
    let errors = |text: &str, asked| {
        let response = Response::new(0, "r", text.into(), 5000).unwrap();
        let script = parse(&response, Some(asked));
        assert_eq!(script.edits.len(), 1, "{text}: {:?}", script.diagnostics);
        script.diagnostics.iter().filter(|fault| fault.is_error()).count()
    };
    for (asked, text) in texts {
        for (_, other) in texts.iter().filter(|(id, _)| *id != asked && *id != FormatId::WholeFile) {
            assert!(errors(&format!("{text}\nAnd:\n\n{other}"), asked) > 0, "{other} beside {asked:?}");
            // What a text of an edit holds is none.
            let put = format!("<edit file=\"b\" op=\"new\">\n<put>\n<<<\n{other}>>>\n</put>\n</edit>\n");
            assert_eq!(errors(&put, FormatId::Opx), 0, "{put}");
        }
    }
}

#[test]
fn what_is_looked_for_is_said_only_where_nothing_was_seen() {
    for (answer, says) in
        [("Sorry,\nI cannot.\n", true), ("src/a.rs:\n```\nfn b() {}\n```\n", false), ("[]\n", false)]
    {
        let (text, json) = said(answer, &[], 5);
        assert_eq!(text.contains("looked for"), says, "{text}");
        assert_eq!(json["error"]["help"].is_string(), says, "{json:#}");
    }
    let json = "{\"path\": \"src/a.rs\", \"new_code\": \"x\"}";
    sees(
        &format!("So:\n\n{json}\n"),
        (3, 3),
        "reads like an edit, but no format has it",
        "git llm-apply prompt",
    );
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
        assert!(finding["message"].as_str().unwrap().contains(&format!("\"{key}\"")), "{answer}: {text}");
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
fn a_whole_file_below_the_edit_of_a_heading_is_the_one_that_stands_above_it() {
    let warned = |below: &str| {
        let edit = "### File: README\n<<<<<<< SEARCH\nhello\n=======\nhi\n>>>>>>> REPLACE\n";
        let (text, json) =
            said(&format!("{edit}\n{below}\n\n```python\ndef util():\n    return 1\n```\n"), &["-n"], 0);
        let warned = json["diagnostics"].as_array().unwrap();
        assert_eq!(text.contains("[whole-file]"), !warned.is_empty(), "{text}");
        warned.iter().map(|warning| warning["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for line in [
        "util.py",
        "`util.py`:",
        "### util.py",
        "File: util.py",
        "### File: util.py",
        "And here is `util.py`:",
    ] {
        assert_eq!(warned(line), ["util.py"], "{line}");
    }
    for line in ["It is used so:", "This uses `util.py`.", "Of a.py and b.py:"] {
        assert_eq!(warned(line), [""; 0], "{line}");
    }
}

#[test]
fn a_whole_file_beside_edits_is_a_warning_and_most_of_a_file_is_not_lost() {
    let sandbox = Sandbox::new();
    let file = "src/b.rs\n```\nfn b() {}\n```\n";
    let run = sandbox.apply(["-n"], &format!("{file}\n{}", replace("src/a.rs", "w", "x\n"))).exits(0);
    assert!(
        run.stderr.contains("`src/b.rs`") && run.stderr.contains("--format=whole-file"),
        "{}",
        run.stderr
    );
    sandbox.file("long", "1\n2\n3\n4\n5\n");
    sandbox.commit("long");
    let short = "long\n```\n1\n2\n```\n".replacen("long", "./long", 1);
    sandbox.apply(["--format=whole-file", "--no-keep"], &short).exits(1).says("--allow-shrink");
    sandbox.git(["config", "llmapply.format", "whole-file"]);
    sandbox.git(["config", "llmapply.allowShrink", "true"]);
    sandbox.apply(["--no-allow-shrink", "--no-keep"], &short).exits(1);
    sandbox.apply([""; 0], &short).exits(0);
    assert_eq!(sandbox.text("long"), "1\n2\n");
}
