//! What `prompt` prints, and that a model that follows it to the letter is understood.
#![cfg(test)]

mod sandbox;

use git_llm_apply::format::{self, FORMATS, Format, FormatId};
use git_llm_apply::prompt;
use git_llm_apply::response::Response;
use sandbox::Sandbox;

/// A repository that has every file that the examples speak of.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::unborn();
    sandbox.file("src/greet.py", "import sys\n\n\ndef greet():\n    print(\"hello\")\n");
    sandbox.file("src/unused.py", "unused = True\n");
    sandbox.file("docs/notes.md", "# Old notes\n\nFirst line.\nSecond line.\n");
    sandbox.file("docs/old.md", "once upon a time\n");
    sandbox.commit("base");
    sandbox
}

/// What stands in the fences of an instruction.
fn examples(text: &str) -> Vec<String> {
    let mut examples = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            let fence = &line[..line.len() - line.trim_start_matches('`').len()];
            let mut inner = lines.by_ref().take_while(|inner| *inner != fence).peekable();
            assert!(inner.peek().is_some(), "a fence is not closed");
            examples.push(inner.map(|line| format!("{line}\n")).collect());
        }
    }
    examples
}

/// How a format is asked for, if it has to be.
fn asked(format: &Format) -> Option<FormatId> {
    (!format.is_detected()).then_some(format.id)
}

#[test]
fn every_example_in_the_instructions_lands() {
    for row in FORMATS {
        let text = prompt::instructions(row.id, 5);
        let examples = examples(&text);
        assert!(examples.len() >= 2, "{}", row.name());
        for example in &examples {
            let sandbox = sandbox();
            // Detected, and by itself.
            let options = asked(row).map(|id| format!("--format={}", id.as_str()));
            let run = sandbox.apply(options, example);
            assert_eq!(run.code, Some(0), "{}:\n{example}\n{}{}", row.name(), run.stdout, run.stderr);
            assert_ne!(sandbox.git(["rev-list", "--count", "HEAD"]), "1", "{example}");
            assert_eq!(sandbox.status(), "", "{example}");
            let response = Response::new(0, "r", example.clone().into_bytes(), 1 << 20).unwrap();
            let script = format::parse(&response, asked(row));
            assert!(!script.edits.is_empty(), "{example}");
            assert!(script.edits.iter().all(|edit| edit.format == row.id), "{example}");
        }
        // All of them as one answer, fences and prose around; where a fence is no file's.
        if !row.is_detected() {
            continue;
        }
        let sandbox = sandbox();
        let response = Response::new(0, "r", text.clone().into_bytes(), 1 << 20).unwrap();
        let script = format::parse(&response, Some(row.id));
        let alone: usize = examples
            .iter()
            .map(|example| {
                let response = Response::new(0, "r", example.clone().into_bytes(), 1 << 20).unwrap();
                format::parse(&response, Some(row.id)).edits.len()
            })
            .sum();
        assert_eq!(script.edits.len(), alone, "{}", row.name());
        drop(sandbox);
    }
}

#[test]
fn instructions_use_no_operation_that_the_examples_do_not_show() {
    // Every operation that the parser gives for a format's examples, by name.
    for row in FORMATS {
        let text = prompt::instructions(row.id, 5);
        let mut shown: Vec<_> = examples(&text)
            .iter()
            .flat_map(|example| {
                let response = Response::new(0, "r", example.clone().into_bytes(), 1 << 20).unwrap();
                let script = format::parse(&response, Some(row.id));
                script.edits.iter().map(|edit| git_llm_apply::report::operation(&edit.op)).collect::<Vec<_>>()
            })
            .collect();
        shown.sort_unstable();
        shown.dedup();
        let expected: &[&str] = match row.name() {
            "opx" => &["create", "delete", "modify", "rename", "replace"],
            "apply-patch" => &["create", "delete", "modify", "rename"],
            "search-replace" => &["modify"],
            "file-changes" => &["append", "copy", "create", "delete", "modify", "rename"],
            "applydir" => &["create", "delete", "modify"],
            "diff" => &["copy", "create", "delete", "mode", "modify", "rename"],
            "edit-calls" => &["create", "modify"],
            "whole-file" => &["create"],
            other => panic!("{other} has no line here"),
        };
        for operation in expected {
            assert!(shown.contains(operation), "{} does not show {operation}: {shown:?}", row.name());
        }
    }
}

#[test]
fn files_stand_between_instructions_and_request() {
    let sandbox = sandbox();
    sandbox.file("src/greet.py", "not committed\n");
    let run = sandbox.run(["prompt", "-r", "Make it polite", "src/greet.py", "docs"]).exits(0);
    let at = |text: &str| run.stdout.find(text).unwrap_or_else(|| panic!("no {text:?} in {}", run.stdout));
    assert!(at("<edit file=") < at("\nsrc/greet.py:\n```\nimport sys\n"));
    assert!(at("\ndocs/notes.md:\n") < at("Make it polite"));
    assert!(!run.stdout.contains("not committed"), "from HEAD, not from the disk");
    let bytes = run.stdout.len();
    assert!(
        run.stderr.contains(&format!("3 files, {bytes} bytes, about {} tokens", bytes.div_ceil(4))),
        "{}",
        run.stderr
    );
    assert_eq!(run.stderr.lines().count(), 1);
}

#[test]
fn binaries_and_long_files_are_named_and_left_out() {
    let sandbox = sandbox();
    sandbox.file("bin/data", b"a\0b");
    sandbox.file("bin/latin", b"caf\xe9\n");
    sandbox.file("bin/long", vec![b'x'; prompt::LONGEST_FILE + 1]);
    sandbox.commit("more");
    let run = sandbox.run(["prompt", "bin"]).exits(0);
    for line in [
        "left out: bin/data (binary)",
        "left out: bin/latin (binary)",
        "left out: bin/long (too long)",
        "0 files",
    ] {
        assert!(run.stderr.contains(line), "{}", run.stderr);
    }
    assert!(!run.stdout.contains("caf"));
}

#[test]
fn format_base_listing_and_pathspecs_are_honoured() {
    let sandbox = sandbox();
    let base = sandbox.head();
    sandbox.file("docs/notes.md", "changed\n");
    sandbox.commit("two");
    for row in FORMATS {
        let run = sandbox.run(["prompt", "--format", row.name()]).exits(0);
        assert!(run.stdout.contains(prompt::instructions(row.id, 5).trim_end()), "{}", row.name());
    }
    let run = sandbox.run(["prompt", "--base", &base, "--listing=prepdir", "*.md"]).exits(0);
    assert!(
        run.stdout.contains("=-=-=-=-=-=-=-= Begin File: 'docs/notes.md' =-=-=-=-=-=-=-=\n# Old notes\n")
    );
    assert!(run.stdout.contains("=-=-=-=-=-=-=-= End File: 'docs/old.md' =-=-=-=-=-=-=-=\n"));
    // Pathspecs are of where one stands, as with git.
    let run = sandbox.run(["-C", "docs", "prompt", "old.md", "../src"]).exits(0);
    assert!(
        run.stdout.contains("\ndocs/old.md:\n") && run.stdout.contains("\nsrc/greet.py:\n"),
        "{}",
        run.stdout
    );
    sandbox.run(["prompt", "nowhere"]).exits(128).says("matches no tracked file of HEAD");
    sandbox.git(["config", "llmapply.contextLines", "2"]);
    sandbox.run(["prompt"]).exits(128).says("llmapply.contextLines");
}

/// What becomes of an answer that does what a sentence of the instructions speaks of.
enum Kept {
    /// The file has that text then.
    Has(&'static str, &'static str),
    /// The last commit has that subject.
    Says(&'static str),
    /// It is refused.
    Not,
}

/// A patch of src/greet.py in OPX.
fn opx(attributes: &str, find: &str, put: &str) -> String {
    format!(
        "<edit file=\"src/greet.py\" op=\"patch\">\n<why>Greet.</why>\n<find{attributes}>\n<<<\n{find}\n>>>\n</find>\n\
         <put>\n<<<\n{put}\n>>>\n</put>\n</edit>\n"
    )
}

fn patch(section: &str) -> String {
    format!("Say it twice.\n\n*** Begin Patch\n{section}*** End Patch\n")
}

fn block(path: &str, search: &str, replace: &str) -> String {
    format!(
        "### File: {path}\n**Reason**: Greet.\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n"
    )
}

fn changes(directives: &str) -> String {
    format!("<FILE_CHANGES>\n{directives}</FILE_CHANGES>\n")
}

fn entries(entries: &str) -> String {
    format!("{{\"message\": \"Greet them all.\", \"file_entries\": [{entries}]}}\n")
}

/// An object of a file that replaces lines.
fn entry(file: &str, original: &str, changed: &str) -> String {
    format!(
        "{{\"file\": \"{file}\", \"changes\": [{{\"original_lines\": [{original}], \"changed_lines\": [{changed}]}}]}}"
    )
}

#[test]
fn every_promise_in_the_instructions_is_kept() {
    use Kept::{Has, Not, Says};
    const GREET: &str = "import sys\n\n\ndef greet():\n    print(\"hello\")\n";
    const HI: &str = "import sys\n\n\ndef greet():\n    print(\"hi\")\n";
    let hello = "    print(\"hello\")";
    let promises: Vec<(&str, &str, String, Kept)> = vec![
        ("opx", "several may name one file", opx("", hello, "    x()") + "\n" + &opx("", "    x()", "    print(\"hi\")"), Has("src/greet.py", HI)),
        ("opx", "each has one `<find>` and one `<put>`", opx("", hello, "x").replace("<put>", "<find>\n<<<\nx\n>>>\n</find>\n<put>"), Not),
        ("opx", "it becomes the commit message", opx("", hello, "    x()"), Says("Greet.")),
        ("opx", "nothing is escaped, indentation counts", opx("", hello, "    print(\"&lt;\")"), Has("src/greet.py", "import sys\n\n\ndef greet():\n    print(\"&lt;\")\n")),
        ("opx", "has to stand in the file exactly once", "<edit file=\"docs/notes.md\" op=\"patch\"><find><<<line.>>></find><put><<<row.>>></put></edit>\n".to_owned(), Not),
        ("opx", "`<find occurrence=\"2\">`, or `first` or `last`", "<edit file=\"docs/notes.md\" op=\"patch\">\n<find occurrence=\"2\"><<<line.>>></find><put><<<row.>>></put></edit>\n".to_owned(), Has("docs/notes.md", "# Old notes\n\nFirst line.\nSecond row.\n")),
        ("opx", "Never shorten code with a placeholder", opx("", "def greet():\n    print(\"hello\")", "def greet():\n    # ... rest of the code"), Not),
        ("opx", "Make a new file; it must not exist yet", "<edit file=\"docs/old.md\" op=\"new\"><put>\n<<<\nx\n>>>\n</put></edit>\n".to_owned(), Not),
        ("opx", "Give an existing file a whole new content", "<edit file=\"docs/none.md\" op=\"replace\"><put>\n<<<\nx\n>>>\n</put></edit>\n".to_owned(), Not),
        ("opx", "a patch of the new path may follow", "<edit file=\"src/greet.py\" op=\"move\"><to file=\"src/hi.py\" /></edit>\n".to_owned() + &opx("", hello, "    print(\"hi\")").replace("greet.py", "hi.py"), Has("src/hi.py", HI)),
        ("apply-patch", "the paragraph right before the patch becomes the commit message", patch("*** Update File: src/greet.py\n@@\n-    print(\"hello\")\n+    print(\"hi\")\n"), Says("Say it twice.")),
        ("apply-patch", "with `-` (it goes) or with `+` (it comes)", patch("*** Update File: src/greet.py\n@@\n def greet():\n-    print(\"hello\")\n+    print(\"hi\")\n"), Has("src/greet.py", HI)),
        ("apply-patch", "In a new file every line begins with `+`", patch("*** Add File: src/x.py\n+x\ny\n"), Not),
        ("apply-patch", "and only once", patch("*** Update File: src/greet.py\n@@\n \n+x\n"), Not),
        ("apply-patch", "put a line `@@ ` with a line from above before the chunk", patch("*** Update File: src/greet.py\n@@ def greet():\n-    print(\"hello\")\n+    print(\"hi\")\n"), Has("src/greet.py", HI)),
        ("apply-patch", "Make a new file; it must not exist yet", patch("*** Add File: docs/old.md\n+x\n"), Not),
        ("apply-patch", "Move a file; chunks that change it may follow", patch("*** Update File: src/greet.py\n*** Move to: src/hi.py\n@@\n-    print(\"hello\")\n+    print(\"hi\")\n"), Has("src/hi.py", HI)),
        ("search-replace", "The heading may stand once for several blocks", block("src/greet.py", "    print(\"hello\")\n", "    x()\n") + "<<<<<<< SEARCH\n    x()\n=======\n    print(\"hi\")\n>>>>>>> REPLACE\n", Has("src/greet.py", HI)),
        ("search-replace", "`**Reason**: ` and one sentence, for the commit message", block("src/greet.py", "    print(\"hello\")\n", "    x()\n"), Says("Greet.")),
        ("search-replace", "They have to stand there exactly once", block("docs/notes.md", "\n", "\nx\n"), Not),
        ("search-replace", "Blocks apply in order", block("src/greet.py", "    x()\n", "    y()\n") + &block("src/greet.py", "    print(\"hello\")\n", "    x()\n"), Not),
        ("search-replace", "it must not exist yet, or be empty", block("docs/old.md", "", "x\n"), Not),
        ("file-changes", "`why` is one sentence for the commit message", changes("<FILE_DELETE file_path=\"docs/old.md\" why=\"Nobody reads it.\" />\n"), Says("Nobody reads it.")),
        ("file-changes", "`@@` alone is enough", changes("<FILE_PATCH file_path=\"src/greet.py\">\n@@\n-    print(\"hello\")\n+    print(\"hi\")\n</FILE_PATCH>\n"), Has("src/greet.py", HI)),
        ("file-changes", "Content stands just as it is in the file: nothing is escaped", changes("<FILE_NEW file_path=\"x\">\n&amp;\n</FILE_NEW>\n"), Has("x", "&amp;\n")),
        ("file-changes", "Make a file, or give it a whole new content", changes("<FILE_NEW file_path=\"docs/old.md\">\nnew\n</FILE_NEW>\n"), Has("docs/old.md", "new\n")),
        ("file-changes", "each sees the result of those before it", changes("<FILE_RENAME from_path=\"docs/old.md\" to_path=\"docs/x.md\" />\n<FILE_APPEND file_path=\"docs/x.md\">\nmore\n</FILE_APPEND>\n"), Has("docs/x.md", "once upon a time\nmore\n")),
        ("file-changes", "move one (or a whole directory)", changes("<FILE_RENAME from_path=\"src\" to_path=\"lib\" />\n"), Has("lib/greet.py", GREET)),
        ("file-changes", "remove one (or a whole directory)", changes("<FILE_DELETE file_path=\"docs\" why=\"All of it.\" />\n"), Says("All of it.")),
        ("applydir", "`message`, a commit message for the whole", entries(&entry("src/greet.py", "\"    print(\\\"hello\\\")\"", "\"    print(\\\"hi\\\")\"")), Says("Greet them all.")),
        ("applydir", "`original_lines` have to stand in the file exactly once", entries(&entry("src/greet.py", "\"\"", "\"x\"")), Not),
        ("applydir", "`why` is one sentence on this file, and may be left out", entries(&entry("src/greet.py", "\"    print(\\\"hello\\\")\"", "\"    print(\\\"hi\\\")\"")), Has("src/greet.py", HI)),
        ("applydir", "each sees the result of those before it", entries(&format!("{}, {}", entry("src/greet.py", "\"    print(\\\"hello\\\")\"", "\"    x()\""), entry("src/greet.py", "\"    x()\"", "\"    print(\\\"hi\\\")\""))), Has("src/greet.py", HI)),
        ("applydir", "Make a file, which must not exist yet", entries("{\"file\": \"docs/old.md\", \"action\": \"create_file\", \"changes\": [{\"original_lines\": [], \"changed_lines\": [\"x\"]}]}"), Not),
    ];
    for (format, sentence, answer, kept) in promises {
        let text = prompt::instructions(format.parse().unwrap(), 5);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(sentence), "{format} does not say {sentence:?}");
        let sandbox = sandbox();
        let run = sandbox.apply([""; 0], &answer);
        let said = format!("{format}: {sentence}\n{answer}\n{}{}", run.stdout, run.stderr);
        match kept {
            Not => assert_eq!(run.code, Some(1), "{said}"),
            Has(path, content) => {
                assert_eq!(run.code, Some(0), "{said}");
                assert_eq!(sandbox.text(path), content, "{said}");
            }
            Says(subject) => {
                assert_eq!(run.code, Some(0), "{said}");
                assert_eq!(sandbox.git(["log", "-1", "--format=%s"]), subject, "{said}");
            }
        }
    }
}

#[test]
fn what_is_forbidden_is_not_taught() {
    let sandbox = sandbox();
    sandbox.git(["config", "llmapply.allowDelete", "false"]);
    for row in FORMATS {
        let run = sandbox.run(["prompt", "--format", row.name()]).exits(0);
        for word in ["op=\"remove\"", "*** Delete File", "FILE_DELETE", "delete_file"] {
            assert!(!run.stdout.contains(word), "{word} in {}", run.stdout);
        }
        assert!(run.stdout.contains("Edit only files that were shown to you"), "{}", run.stdout);
        for example in examples(run.stdout.split("# How to answer\n\n").nth(1).unwrap_or("")) {
            let sandbox = self::sandbox();
            sandbox.git(["config", "llmapply.allowDelete", "false"]);
            let options = asked(row).map(|id| format!("--format={}", id.as_str()));
            sandbox.apply(options, &example).exits(0);
        }
    }
}
