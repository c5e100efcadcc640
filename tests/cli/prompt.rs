//! What `prompt` prints. If a model follows it to the letter, its answer lands.
use crate::sandbox;

use git_llm_apply::edit::Script;
use git_llm_apply::format::{self, FORMATS, Format, FormatId};
use git_llm_apply::plan::{self, MemoryTree, Rules, Verb};
use git_llm_apply::prompt;
use git_llm_apply::response::Response;
use sandbox::Sandbox;

/// Creates a repository with every file that the examples name.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::unborn();
    sandbox.file("src/greet.py", "import sys\n\n\ndef greet():\n    print(\"hello\")\n");
    sandbox.file("src/unused.py", "unused = True\n");
    sandbox.file("docs/notes.md", "# Old notes\n\nFirst line.\nSecond line.\n");
    sandbox.file("docs/old.md", "once upon a time\n");
    sandbox.commit("base");
    sandbox
}

/// Returns the texts in the fences of an instruction.
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

/// Returns whether a format is built in.
fn is_built(id: FormatId) -> bool {
    id != FormatId::Snippet || cfg!(feature = "syntax")
}

/// Returns the format to ask for, if it is not detected.
fn asked(format: &Format) -> Option<FormatId> {
    (!format.id.is_detected()).then_some(format.id)
}

/// Reads the edits of a response. The repository has no files, except for one with definitions, because the tree
/// decides whether a code block is a file.
fn read(response: &Response, asked: Option<FormatId>) -> Script {
    let reading = format::Reading { formats: asked.into_iter().collect(), ..Default::default() };
    let mut script = format::parse(response, &reading);
    let tree = match asked {
        Some(FormatId::Snippet) => MemoryTree::new().with_file("src/greet.py", "").unwrap(),
        _ => MemoryTree::new(),
    };
    plan::settle_given(&mut script, &tree, &Rules::default()).unwrap();
    script
}

#[test]
fn every_example_in_the_instructions_lands() {
    for row in FORMATS.iter().filter(|row| is_built(row.id)) {
        let text = prompt::instructions(row.id, Default::default());
        let examples = examples(&text);
        assert!(examples.len() >= 2, "{}", row.id.as_str());
        for example in &examples {
            let sandbox = sandbox();
            // Each example lands by itself.
            let options = asked(row).map(|id| format!("--format={}", id.as_str()));
            let run = sandbox.apply(options, example);
            assert_eq!(run.code, Some(0), "{}:\n{example}\n{}{}", row.id.as_str(), run.stdout, run.stderr);
            assert_ne!(sandbox.git(["rev-list", "--count", "HEAD"]), "1", "{example}");
            assert_eq!(sandbox.status(), "", "{example}");
            let response = Response::new(0, "r", example.clone().into_bytes(), 1 << 20).unwrap();
            let script = read(&response, asked(row));
            assert!(!script.edits.is_empty(), "{example}");
            assert!(script.edits.iter().all(|edit| edit.format == row.id), "{example}");
        }
        // All examples land as one answer, in fences and with prose around, if the format does not use fences for
        // files.
        if !row.id.is_detected() {
            continue;
        }
        let sandbox = sandbox();
        let response = Response::new(0, "r", text.clone().into_bytes(), 1 << 20).unwrap();
        let script = format::parse(&response, &git_llm_apply::format::Reading::only(row.id));
        let alone: usize = examples
            .iter()
            .map(|example| {
                let response = Response::new(0, "r", example.clone().into_bytes(), 1 << 20).unwrap();
                format::parse(&response, &git_llm_apply::format::Reading::only(row.id)).edits.len()
            })
            .sum();
        assert_eq!(script.edits.len(), alone, "{}", row.id.as_str());
        drop(sandbox);
    }
}

#[test]
fn instructions_use_no_operation_that_the_examples_do_not_show() {
    // Every operation that the parser finds in a format's examples, by name.
    for row in FORMATS.iter().filter(|row| is_built(row.id)) {
        let text = prompt::instructions(row.id, Default::default());
        let mut shown: Vec<_> = examples(&text)
            .iter()
            .flat_map(|example| {
                let response = Response::new(0, "r", example.clone().into_bytes(), 1 << 20).unwrap();
                let script = read(&response, Some(row.id));
                script.edits.iter().map(|edit| Verb::of(&edit.op, None).as_str()).collect::<Vec<_>>()
            })
            .collect();
        shown.sort_unstable();
        shown.dedup();
        let expected: &[&str] = match row.id.as_str() {
            "opx" => &["create", "delete", "modify", "rename", "replace"],
            "apply-patch" => &["create", "delete", "modify", "rename"],
            "search-replace" => &["modify"],
            "file-changes" => &["append", "copy", "create", "delete", "modify", "rename"],
            "applydir" => &["create", "delete", "modify"],
            "diff" => &["copy", "create", "delete", "mode", "modify", "rename"],
            "edit-calls" => &["create", "modify"],
            "whole-file" => &["create"],
            "snippet" => &["modify"],
            other => panic!("{other} has no line here"),
        };
        for operation in expected {
            assert!(shown.contains(operation), "{} does not show {operation}: {shown:?}", row.id.as_str());
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
    sandbox.file("bin/long", vec![b'x'; prompt::MAX_SHOWN_FILE + 1]);
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
        let run = sandbox.run(["prompt", "--format", row.id.as_str()]).exits(0);
        assert!(
            run.stdout.contains(prompt::instructions(row.id, Default::default()).trim_end()),
            "{}",
            row.id.as_str()
        );
    }
    let run = sandbox.run(["prompt", "--base", &base, "--listing=prepdir", "*.md"]).exits(0);
    assert!(
        run.stdout.contains("=-=-=-=-=-=-=-= Begin File: 'docs/notes.md' =-=-=-=-=-=-=-=\n# Old notes\n")
    );
    assert!(run.stdout.contains("=-=-=-=-=-=-=-= End File: 'docs/old.md' =-=-=-=-=-=-=-=\n"));
    // Pathspecs are relative to the current directory, as with git.
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

/// What happens to an answer that does what a sentence of the instructions says.
enum Kept {
    /// The file then has this text.
    Has(&'static str, &'static str),
    /// The last commit has this subject.
    Says(&'static str),
    /// The answer is refused.
    Not,
}

/// Returns a patch of src/greet.py in OPX.
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

/// Returns an object that replaces lines of a file.
fn entry(file: &str, original: &str, changed: &str) -> String {
    format!(
        "{{\"file\": \"{file}\", \"changes\": [{{\"original_lines\": [{original}], \"changed_lines\": [{changed}]}}]}}"
    )
}

fn diff(path: &str, hunk: &str) -> String {
    format!("```diff\n--- a/{path}\n+++ b/{path}\n{hunk}```\n")
}

/// Returns a call of an edit tool; the texts are already escaped for JSON.
fn call(path: &str, old: &str, new: &str) -> String {
    format!(
        "[{{\"file_path\": \"{path}\", \"old_string\": \"{old}\", \"new_string\": \"{new}\", \"why\": \"Greet.\"}}]\n"
    )
}

/// Sentences that only ask for something. If a model does otherwise, nothing is refused or lost.
const ASKED: &[&str] = &[
    "Edit only files that were shown to you, or that you make.",
    "If you need to see another one, ask for it and leave it as it is.",
    "Files cannot be removed or moved in this format.",
    "If one should be, say so in words.",
    "Files can be neither moved nor removed in this format.",
    "So give three lines of context around every change.",
    "Use whole lines.",
    "Give 5 lines before and after every change, in both arrays.",
    "If the file is shorter than that, give all of its lines.",
    "If two changes are nearer to each other, make them one change.",
];

/// Returns the sentences of an instruction, except those that describe the example right below them.
fn sentences(text: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut paragraph = String::new();
    let mut fence: Option<&str> = None;
    for line in text.lines().chain([""]) {
        let marks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some(open) => fence = Some(open).filter(|_| line != open),
            None if marks.len() >= 3 => fence = Some(marks),
            None => {
                if line.is_empty() || line.starts_with("- ") {
                    let whole = std::mem::take(&mut paragraph);
                    let said = whole.split_inclusive(". ").map(str::trim);
                    sentences.extend(said.filter(|said| !said.ends_with(':')).map(str::to_owned));
                }
                paragraph.extend([line.trim_start_matches("- ").trim(), " "]);
            }
        }
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

#[test]
fn every_promise_in_the_instructions_is_kept() {
    use Kept::{Has, Not, Says};
    const GREET: &str = "import sys\n\n\ndef greet():\n    print(\"hello\")\n";
    const HI: &str = "import sys\n\n\ndef greet():\n    print(\"hi\")\n";
    const DEF: &str = "def greet():\n    print(\"hi\")\n";
    let hello = "    print(\"hello\")";
    let promises: Vec<(&str, &str, String, Kept)> = vec![
        ("opx", "Several of them may name the same file", opx("", hello, "    x()") + "\n" + &opx("", "    x()", "    print(\"hi\")"), Has("src/greet.py", HI)),
        ("opx", "each has one `<find>` and one `<put>`", opx("", hello, "x").replace("<put>", "<find>\n<<<\nx\n>>>\n</find>\n<put>"), Not),
        ("opx", "It becomes the commit message", opx("", hello, "    x()"), Says("Greet")),
        ("opx", "Escape nothing", opx("", hello, "    print(\"&lt;\")"), Has("src/greet.py", "import sys\n\n\ndef greet():\n    print(\"&lt;\")\n")),
        ("opx", "must match the file exactly once", "<edit file=\"docs/notes.md\" op=\"patch\"><find><<<line.>>></find><put><<<row.>>></put></edit>\n".to_owned(), Not),
        ("opx", "`<find occurrence=\"2\">`, or `first` or `last`", "<edit file=\"docs/notes.md\" op=\"patch\">\n<find occurrence=\"2\"><<<line.>>></find><put><<<row.>>></put></edit>\n".to_owned(), Has("docs/notes.md", "# Old notes\n\nFirst line.\nSecond row.\n")),
        ("opx", "Never shorten code with a placeholder", opx("", "def greet():\n    print(\"hello\")", "def greet():\n    # ... rest of the code"), Not),
        ("opx", "Make a new file; it must not exist yet", "<edit file=\"docs/old.md\" op=\"new\"><put>\n<<<\nx\n>>>\n</put></edit>\n".to_owned(), Not),
        ("opx", "Replace all of an existing file", "<edit file=\"docs/none.md\" op=\"replace\"><put>\n<<<\nx\n>>>\n</put></edit>\n".to_owned(), Not),
        ("opx", "A patch of the new path may follow", "<edit file=\"src/greet.py\" op=\"move\"><to file=\"src/hi.py\" /></edit>\n".to_owned() + &opx("", hello, "    print(\"hi\")").replace("greet.py", "hi.py"), Has("src/hi.py", HI)),
        ("apply-patch", "The paragraph right before the patch becomes the commit message", patch("*** Update File: src/greet.py\n@@\n-    print(\"hello\")\n+    print(\"hi\")\n"), Says("Say it twice")),
        ("apply-patch", "`-` (removed) or `+` (added)", patch("*** Update File: src/greet.py\n@@\n def greet():\n-    print(\"hello\")\n+    print(\"hi\")\n"), Has("src/greet.py", HI)),
        ("apply-patch", "In a new file, every line begins with `+`", patch("*** Add File: src/x.py\n+x\ny\n"), Not),
        ("apply-patch", "must match the file exactly once", patch("*** Update File: src/greet.py\n@@\n \n+x\n"), Not),
        ("apply-patch", "write a line `@@ ` above the chunk, with an earlier line of the file", patch("*** Update File: src/greet.py\n@@ def greet():\n-    print(\"hello\")\n+    print(\"hi\")\n"), Has("src/greet.py", HI)),
        ("apply-patch", "Make a new file; it must not exist yet", patch("*** Add File: docs/old.md\n+x\n"), Not),
        ("apply-patch", "Move a file; chunks that change it may follow", patch("*** Update File: src/greet.py\n*** Move to: src/hi.py\n@@\n-    print(\"hello\")\n+    print(\"hi\")\n"), Has("src/hi.py", HI)),
        ("search-replace", "One heading is enough for several blocks", block("src/greet.py", "    print(\"hello\")\n", "    x()\n") + "<<<<<<< SEARCH\n    x()\n=======\n    print(\"hi\")\n>>>>>>> REPLACE\n", Has("src/greet.py", HI)),
        ("search-replace", "`**Reason**: ` and one sentence are the commit message", block("src/greet.py", "    print(\"hello\")\n", "    x()\n"), Says("Greet")),
        ("search-replace", "They must match the file exactly once", block("docs/notes.md", "\n", "\nx\n"), Not),
        ("search-replace", "Blocks apply in order", block("src/greet.py", "    x()\n", "    y()\n") + &block("src/greet.py", "    print(\"hello\")\n", "    x()\n"), Not),
        ("search-replace", "it must not exist yet, or be empty", block("docs/old.md", "", "x\n"), Not),
        ("file-changes", "`why` is one sentence for the commit message", changes("<FILE_DELETE file_path=\"docs/old.md\" why=\"Nobody reads it.\" />\n"), Says("Nobody reads it")),
        ("file-changes", "`@@` alone is enough", changes("<FILE_PATCH file_path=\"src/greet.py\">\n@@\n-    print(\"hello\")\n+    print(\"hi\")\n</FILE_PATCH>\n"), Has("src/greet.py", HI)),
        ("file-changes", "Escape nothing", changes("<FILE_NEW file_path=\"x.html\">\n&amp;\n</FILE_NEW>\n"), Has("x.html", "&amp;\n")),
        ("file-changes", "Make a new file, or replace all of an existing one", changes("<FILE_NEW file_path=\"docs/old.md\">\nnew\n</FILE_NEW>\n"), Has("docs/old.md", "new\n")),
        ("file-changes", "each to the result of those before it", changes("<FILE_RENAME from_path=\"docs/old.md\" to_path=\"docs/x.md\" />\n<FILE_APPEND file_path=\"docs/x.md\">\nmore\n</FILE_APPEND>\n"), Has("docs/x.md", "once upon a time\nmore\n")),
        ("file-changes", "move a file (or a whole directory)", changes("<FILE_RENAME from_path=\"src\" to_path=\"lib\" />\n"), Has("lib/greet.py", GREET)),
        ("file-changes", "remove a file (or a whole directory)", changes("<FILE_DELETE file_path=\"docs\" why=\"All of it.\" />\n"), Says("All of it")),
        ("applydir", "`message`, the commit message for the whole", entries(&entry("src/greet.py", "\"    print(\\\"hello\\\")\"", "\"    print(\\\"hi\\\")\"")), Says("Greet them all")),
        ("applydir", "`original_lines` must match the file exactly once", entries(&entry("src/greet.py", "\"\"", "\"x\"")), Not),
        ("applydir", "`why` is one sentence about this file, and is optional", entries(&entry("src/greet.py", "\"    print(\\\"hello\\\")\"", "\"    print(\\\"hi\\\")\"")), Has("src/greet.py", HI)),
        ("applydir", "each to the result of those before it", entries(&format!("{}, {}", entry("src/greet.py", "\"    print(\\\"hello\\\")\"", "\"    x()\""), entry("src/greet.py", "\"    x()\"", "\"    print(\\\"hi\\\")\""))), Has("src/greet.py", HI)),
        ("applydir", "Make a new file, without original lines; it must not exist yet", entries("{\"file\": \"docs/old.md\", \"action\": \"create_file\", \"changes\": [{\"original_lines\": [], \"changed_lines\": [\"x\"]}]}"), Not),
        ("opx", "Change part of a file", opx("", hello, "    print(\"hi\")"), Has("src/greet.py", HI)),
        ("opx", "Text around them is fine", format!("Sure.\n\n{}\nThat is all.\n", opx("", hello, "    print(\"hi\")")), Has("src/greet.py", HI)),
        ("opx", "`file` is the path from the repository's root", opx("", hello, "    print(\"hi\")").replace("src/", ""), Not),
        ("opx", "`op` is one of", "<edit file=\"docs/old.md\" op=\"drop\" />\n".to_owned(), Not),
        ("opx", "Edits apply in order, each to the result of those before it", opx("", "    x()", "    y()") + "\n" + &opx("", hello, "    x()"), Not),
        ("opx", "Repeat in `<put>` the lines of `<find>` that do not change", opx("", "def greet():\n    print(\"hello\")", "    print(\"hi\")"), Has("src/greet.py", "import sys\n\n\n    print(\"hi\")\n")),
        ("apply-patch", "from a line `*** Begin Patch` to a line `*** End Patch`", patch("*** Delete File: docs/old.md\n").replace("*** End Patch\n", ""), Not),
        ("apply-patch", "Paths are relative to the repository's root", patch("*** Delete File: old.md\n"), Not),
        ("apply-patch", "Write a section for each file: `*** Add File: `, `*** Delete File: ` or `*** Update File: `", patch("*** Drop File: docs/old.md\n"), Not),
        ("apply-patch", "below the chunk before", patch("*** Update File: docs/notes.md\n@@\n-Second line.\n+2.\n@@\n-First line.\n+1.\n@@\n-Second line.\n+3.\n"), Not),
        ("apply-patch", "Sections and chunks apply in order", patch("*** Add File: x\n+x\n*** Update File: x\n@@\n-x\n+y\n"), Has("x", "y\n")),
        ("apply-patch", "Never shorten code with a placeholder", patch("*** Update File: src/greet.py\n@@\n def greet():\n-    print(\"hello\")\n+    # ... rest of the code\n"), Not),
        ("search-replace", "each below a heading that names its file", "<<<<<<< SEARCH\n    print(\"hello\")\n=======\n    x()\n>>>>>>> REPLACE\n".to_owned(), Not),
        ("search-replace", "the path from the repository's root", block("greet.py", "    print(\"hello\")\n", "    x()\n"), Not),
        ("search-replace", "copy whole lines exactly as they are in the file", block("src/greet.py", "print(\n", "x(\n"), Not),
        ("search-replace", "write the lines that replace them", block("src/greet.py", "    print(\"hello\")\n", "    print(\"hi\")\n"), Has("src/greet.py", HI)),
        ("search-replace", "Lines that do not change are in both parts", block("src/greet.py", "def greet():\n    print(\"hello\")\n", "    print(\"hi\")\n"), Has("src/greet.py", "import sys\n\n\n    print(\"hi\")\n")),
        ("search-replace", "Never shorten code with a placeholder", block("src/greet.py", "def greet():\n    print(\"hello\")\n", "def greet():\n    # ... rest of the code\n"), Not),
        ("file-changes", "Answer with one `<FILE_CHANGES>` element that contains a directive for each file", changes("<FILE_DELETE file_path=\"docs/old.md\" />\n").replace("</FILE_CHANGES>\n", ""), Not),
        ("file-changes", "Text before and after it is fine", format!("Sure.\n\n{}\nThat is all.\n", changes("<FILE_NEW file_path=\"x\">\nx\n</FILE_NEW>\n")), Has("x", "x\n")),
        ("file-changes", "Paths are relative to the repository's root", changes("<FILE_DELETE file_path=\"old.md\" />\n"), Not),
        ("file-changes", "Never shorten code with a placeholder", changes("<FILE_PATCH file_path=\"src/greet.py\">\n@@\n def greet():\n-    print(\"hello\")\n+    # ... rest of the code\n</FILE_PATCH>\n"), Not),
        ("file-changes", "Change parts of a file with hunks of a unified diff", changes("<FILE_PATCH file_path=\"src/greet.py\">\n@@ -4,2 +4,2 @@\n def greet():\n-    print(\"hello\")\n+    print(\"hi\")\n</FILE_PATCH>\n"), Has("src/greet.py", HI)),
        ("file-changes", "A line begins with a space (context), `-` (removed) or `+` (added)", changes("<FILE_PATCH file_path=\"src/greet.py\">\n@@\n def greet():\n-    print(\"hello\")\n+    print(\"hi\")\n</FILE_PATCH>\n"), Has("src/greet.py", HI)),
        ("file-changes", "The context and removed lines of a hunk must match the file exactly once", changes("<FILE_PATCH file_path=\"src/greet.py\">\n@@\n-\n+x\n</FILE_PATCH>\n"), Not),
        ("applydir", "Answer with one JSON object", entries("{\"file\": \"docs/old.md\", \"action\": \"delete_file\"}"), Says("Greet them all")),
        ("applydir", "`file` is the path from the repository's root", entries("{\"file\": \"old.md\", \"action\": \"delete_file\"}"), Not),
        ("applydir", "`action` is `replace_lines` (the default) or `create_file`, or `delete_file`", entries("{\"file\": \"docs/old.md\", \"action\": \"drop_file\"}"), Not),
        ("applydir", "Both are arrays of whole lines without line breaks, exactly as in the file", entries(&entry("src/greet.py", "\"print(\"", "\"x(\"")), Not),
        ("applydir", "Never shorten code with a placeholder", entries(&entry("src/greet.py", "\"def greet():\", \"    print(\\\"hello\\\")\"", "\"def greet():\", \"    # ... rest of the code\"")), Not),
        ("applydir", "Files cannot be moved in this format: make the new file and remove the old one", entries("{\"file\": \"docs/new.md\", \"action\": \"create_file\", \"changes\": [{\"original_lines\": [], \"changed_lines\": [\"once upon a time\"]}]}, {\"file\": \"docs/old.md\", \"action\": \"delete_file\"}"), Has("docs/new.md", "once upon a time\n")),
        ("diff", "Answer with a unified diff in a `diff` code fence", diff("src/greet.py", "@@ -4,2 +4,2 @@\n def greet():\n-    print(\"hello\")\n+    print(\"hi\")\n"), Has("src/greet.py", HI)),
        ("diff", "Text before and after it is fine", format!("Sure.\n\n{}\nThat is all.\n", diff("src/greet.py", "@@ -4,2 +4,2 @@\n def greet():\n-    print(\"hello\")\n+    print(\"hi\")\n")), Has("src/greet.py", HI)),
        ("diff", "Paths are relative to the repository's root", diff("greet.py", "@@ -5 +5 @@\n-    print(\"hello\")\n+    print(\"hi\")\n"), Not),
        ("diff", "A line of a hunk begins with a space (context), `-` (removed) or `+` (added)", diff("src/greet.py", "@@ -3,3 +3,3 @@\n \n def greet():\n-    print(\"hello\")\n+    print(\"hi\")\n"), Has("src/greet.py", HI)),
        ("diff", "The numbers after `@@` are optional", diff("src/greet.py", "@@\n def greet():\n-    print(\"hello\")\n+    print(\"hi\")\n"), Has("src/greet.py", HI)),
        ("diff", "The context and removed lines of a hunk must match the file exactly once", diff("src/greet.py", "@@\n-\n+x\n"), Not),
        ("diff", "One diff may change several files", diff("src/greet.py", "@@\n-    print(\"hello\")\n+    print(\"hi\")\n--- a/docs/old.md\n+++ b/docs/old.md\n@@\n-once upon a time\n+once\n"), Has("docs/old.md", "once\n")),
        ("diff", "Never shorten code with a placeholder", diff("src/greet.py", "@@\n def greet():\n-    print(\"hello\")\n+    # ... rest of the code\n"), Not),
        ("diff", "Remove a file, with all of its lines", diff("src/unused.py", "@@ -1 +0,0 @@\n-unused = False\n").replace("b/src/unused.py", "/dev/null"), Not),
        ("edit-calls", "Answer with one JSON array", call("src/greet.py", "hello", "hi"), Has("src/greet.py", HI)),
        ("edit-calls", "Text around it is fine", format!("Sure.\n\n{}\nThat is all.\n", call("src/greet.py", "hello", "hi")), Has("src/greet.py", HI)),
        ("edit-calls", "`file_path` is the path from the repository's root", call("greet.py", "hello", "hi"), Not),
        ("edit-calls", "Copy both exactly as they are in the file, with their indentation", call("src/greet.py", "def greet():\\n    print(\\\"hello\\\")", "def greet():\\n    print(\\\"hi\\\")"), Has("src/greet.py", HI)),
        ("edit-calls", "If one of them ends with a line break, the other must end with one, too", call("src/greet.py", "def greet():\\n", "def greet(name):"), Not),
        ("edit-calls", "`old_string` must match the file exactly once", call("docs/notes.md", "line", "row"), Not),
        ("edit-calls", "Never shorten code with a placeholder", call("src/greet.py", "    print(\\\"hello\\\")\\n", "    # ... rest of the code\\n"), Not),
        ("edit-calls", "It becomes the commit message", call("src/greet.py", "hello", "hi"), Says("Greet")),
        ("edit-calls", "Edits apply in order, each to the result of those before it", call("src/greet.py", "hello", "hm") + &call("src/greet.py", "hm", "hi"), Has("src/greet.py", HI)),
        ("edit-calls", "Write a whole file, new or existing", "[{\"file_path\": \"docs/old.md\", \"content\": \"new\\n\"}]\n".to_owned(), Has("docs/old.md", "new\n")),
        ("whole-file", "its path on a line of its own, and below it a fence with the whole file as it should be", format!("src/greet.py\n\n```python\n{HI}```\n"), Has("src/greet.py", HI)),
        ("whole-file", "The path is from the repository's root", "new.py\n```\nx\n```\n".to_owned(), Has("new.py", "x\n")),
        ("whole-file", "Give every line of the file, also those that do not change", "src/greet.py\n```\n    print(\"hi\")\n```\n".to_owned(), Not),
        ("whole-file", "Never shorten it with a placeholder", "src/greet.py\n```\nimport sys\n\n\ndef greet():\n    # ... rest of the code\n```\n".to_owned(), Not),
        ("whole-file", "If the file has fences of its own, put a longer fence around it", "x.md\n```\n```sh\nls\n```\nx\n```\n".to_owned(), Not),
        ("whole-file", "Code blocks that are not files are fine", format!("src/greet.py\n```\n{HI}```\n\nRun it:\n\n```sh\npython src/greet.py\n```\n"), Has("src/greet.py", HI)),
        ("snippet", "functions, classes and other definitions as they should be", format!("src/greet.py\n\n```python\n{DEF}```\n"), Has("src/greet.py", HI)),
        ("snippet", "The path is from the repository's root", format!("src/greet.py\n\n```python\n{DEF}```\n\ngreet.py\n\n```python\n{DEF}```\n"), Not),
        ("snippet", "Give a definition whole", "src/greet.py\n```python\ndef greet():\n    ...\n```\n".to_owned(), Not),
        ("snippet", "write a comment on its own line that has only an ellipsis, or an ellipsis and words", format!("src/greet.py\n```python\n# ... existing code ...\n\n\n{DEF}```\n"), Has("src/greet.py", HI)),
        ("snippet", "put a statement that does not change next to such a comment", "src/greet.py\n```python\ndef greet():\n    # ... existing code ...\n    print(\"hi\")\n```\n".to_owned(), Not),
        ("snippet", "Give a method in its class", "src/greet.py\n```python\ndef greets(self):\n    print(\"hi\")\n```\n".to_owned(), Not),
        ("snippet", "Give a new definition below the definition that it should follow", "src/greet.py\n```python\ndef bye():\n    print(\"bye\")\n```\n".to_owned(), Not),
        ("snippet", "Give new imports at the top", format!("src/greet.py\n```python\nimport sys\n\n\n{DEF}```\n"), Has("src/greet.py", HI)),
        ("snippet", "Code that you do not show stays unchanged", format!("src/greet.py\n```python\n{DEF}```\n"), Has("src/greet.py", HI)),
        ("snippet", "Do not write a path above a code block that only shows something", format!("src/greet.py\n```python\n{DEF}```\n\nRun it:\n\n```sh\npython src/greet.py\n```\n"), Has("src/greet.py", HI)),
        ("whole-file", "A file, new or existing", "docs/old.md\n```\nonce\n```\n".to_owned(), Has("docs/old.md", "once\n")),
        ("opx", "an `<edit>` element for each change", opx("", hello, "    print(\"hi\")"), Has("src/greet.py", HI)),
        ("opx", "`<why>` says in one sentence why you make the edit", opx("", hello, "    x()"), Says("Greet")),
        ("opx", "write text exactly as it is in the file", opx("", hello, "    print(\"hi\")"), Has("src/greet.py", HI)),
        ("opx", "Move a file without changing it", "<edit file=\"src/greet.py\" op=\"move\"><to file=\"src/hi.py\" /></edit>\n".to_owned(), Has("src/hi.py", GREET)),
        ("apply-patch", "Text before and after it is fine", format!("Sure.\n\n{}\nThat is all.\n", patch("*** Update File: src/greet.py\n@@\n-    print(\"hello\")\n+    print(\"hi\")\n")), Has("src/greet.py", HI)),
        ("apply-patch", "After that, copy the line exactly as it is in the file", patch("*** Update File: src/greet.py\n@@\n def greet():\n-    print(\"hello\")\n+    print(\"hi\")\n"), Has("src/greet.py", HI)),
        ("file-changes", "Write content exactly as it is in the file", changes("<FILE_NEW file_path=\"x.py\">\n    x = 1\n</FILE_NEW>\n"), Has("x.py", "    x = 1\n")),
        ("applydir", "`changes` is an array of objects with `original_lines` and `changed_lines`", entries(&entry("src/greet.py", "\"    print(\\\"hello\\\")\"", "\"    print(\\\"hi\\\")\"")), Has("src/greet.py", HI)),
        ("diff", "After that, copy the line exactly as it is in the file", diff("src/greet.py", "@@\n def greet():\n-    print(\"hello\")\n+    print(\"hi\")\n"), Has("src/greet.py", HI)),
        ("diff", "Make a new file", diff("x.py", "@@ -0,0 +1 @@\n+x = 1\n").replace("a/x.py", "/dev/null"), Has("x.py", "x = 1\n")),
        ("edit-calls", "It has an object for each file that you change", call("src/greet.py", "hello", "hi"), Has("src/greet.py", HI)),
        ("edit-calls", "`new_string` replaces `old_string`", call("src/greet.py", "hello", "hi"), Has("src/greet.py", HI)),
        ("edit-calls", "Repeat the lines that do not change in `new_string`", call("src/greet.py", "import sys\\n\\n\\ndef", "def"), Has("src/greet.py", "def greet():\n    print(\"hello\")\n")),
        ("edit-calls", "`why` says in one sentence why you make the edit", call("src/greet.py", "hello", "hi"), Says("Greet")),
        ("edit-calls", "Change several places of a file", "[{\"file_path\": \"src/greet.py\", \"edits\": [{\"old_string\": \"hello\", \"new_string\": \"hm\"}, {\"old_string\": \"hm\", \"new_string\": \"hi\"}]}]\n".to_owned(), Has("src/greet.py", HI)),
        ("whole-file", "Answer with whole files", format!("src/greet.py\n\n```python\n{HI}```\n"), Has("src/greet.py", HI)),
        ("snippet", "Answer with the definitions that change", format!("src/greet.py\n\n```python\n{DEF}```\n"), Has("src/greet.py", HI)),
    ];
    let mut unshown = Vec::new();
    for row in FORMATS {
        let of_format =
            |(format, ..): &&(&'static str, &'static str, String, Kept)| *format == row.id.as_str();
        for sentence in sentences(&prompt::instructions(row.id, Default::default())) {
            let is_kept = promises.iter().filter(of_format).any(|(_, said, ..)| sentence.contains(said));
            let is_asked = ASKED.iter().any(|asked| *asked == sentence);
            if !is_kept && !is_asked {
                unshown.push(format!("{}: {sentence}", row.id.as_str()));
            }
        }
    }
    assert!(unshown.is_empty(), "nothing shows that these are kept: {unshown:#?}");
    for (format, sentence, answer, kept) in promises {
        let row = FORMATS.iter().find(|row| row.id.as_str() == format).unwrap();
        let text = prompt::instructions(row.id, Default::default());
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(sentence), "{format} does not say {sentence:?}");
        let sandbox = sandbox();
        let run = sandbox.apply(asked(row).map(|id| format!("--format={}", id.as_str())), &answer);
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
        let run = sandbox.run(["prompt", "--format", row.id.as_str()]).exits(0);
        for word in ["op=\"remove\"", "*** Delete File", "FILE_DELETE", "delete_file", "+++ /dev/null"] {
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
