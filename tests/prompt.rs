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
            let mut inner = lines.by_ref().take_while(|inner| *inner != line).peekable();
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
