//! What is read from answers and is not visible in trees: subjects and bodies, operations and paths, warnings and
//! hints.
use crate::sandbox;

use sandbox::{Run, Sandbox};
use serde_json::Value;
use std::process::{Command, Stdio};

/// Returns edits of src/a.rs in every format, without a reason.
fn edits() -> Vec<(&'static str, &'static str)> {
    vec![
        (
            "opx",
            "<edit file=\"src/a.rs\" op=\"patch\">\n<find>\n<<<\nfn b() {}\n>>>\n</find>\n<put>\n<<<\nfn d() {}\n>>>\n</put>\n</edit>\n",
        ),
        (
            "apply-patch",
            "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-fn b() {}\n+fn d() {}\n*** End Patch\n",
        ),
        ("search-replace", "src/a.rs\n<<<<<<< SEARCH\nfn b() {}\n=======\nfn d() {}\n>>>>>>> REPLACE\n"),
        (
            "file-changes",
            "<FILE_CHANGES>\n<FILE_PATCH file_path=\"src/a.rs\">\n@@\n-fn b() {}\n+fn d() {}\n</FILE_PATCH>\n</FILE_CHANGES>\n",
        ),
        (
            "applydir",
            "[{\"file\": \"src/a.rs\", \"changes\": [{\"original_lines\": [\"fn b() {}\"], \"changed_lines\": [\"fn d() {}\"]}]}]\n",
        ),
        ("diff", "--- a/src/a.rs\n+++ b/src/a.rs\n@@ ... @@\n-fn b() {}\n+fn d() {}\n"),
        (
            "edit-calls",
            "{\"file_path\": \"src/a.rs\", \"old_string\": \"fn b() {}\", \"new_string\": \"fn d() {}\"}\n",
        ),
        (
            "edit-calls",
            "<replace_in_file>\n<path>src/a.rs</path>\n<diff>\n<<<<<<< SEARCH\nfn b() {}\n=======\nfn d() {}\n>>>>>>> REPLACE\n</diff>\n</replace_in_file>\n",
        ),
    ]
}

fn message(sandbox: &Sandbox) -> String {
    sandbox.git(["log", "-1", "--format=%B"])
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).expect("--json prints JSON")
}

#[test]
fn the_prose_right_before_an_edit_is_its_reason_in_every_format() {
    for (format, edit) in edits() {
        for (above, wanted) in [
            ("The name was\ntaken.\n\n", "The name was taken"),
            ("Intro.\n\n## Rename b\n\n", "Rename b"),
            ("The name was taken.\n\nHere is the change:\n\n", "Update src/a.rs"),
            ("## The name was taken\n\nHere is the change:\n\n", "The name was taken"),
            ("Here is the updated code:\n\n", "Update src/a.rs"),
            ("", "Update src/a.rs"),
            ("- one thing\n- **Rename b**\n\n", "Rename b"),
            ("The name was taken.\n\n**Datei: `src/a.rs`**\n\n", "The name was taken"),
        ] {
            for fence in ["", "```\n"] {
                let sandbox = Sandbox::new();
                sandbox.apply([""; 0], &format!("{above}{fence}{edit}{fence}")).exits(0);
                assert_eq!(message(&sandbox), wanted, "{format}: {above}{fence}");
            }
        }
    }
}

#[test]
fn the_lines_of_a_reason_are_joined_and_a_long_one_is_cut_at_a_clause() {
    let sandbox = Sandbox::new();
    let why = "Remove the helper, since\n  nothing calls it. It has been\n  in the way of the new client for a long time, and its tests are the slowest.";
    sandbox.apply([""; 0], &sandbox::patch("src/a.rs", why, "fn b() {}\n", "")).exits(0);
    assert_eq!(
        message(&sandbox),
        "Remove the helper, since nothing calls it\n\nIt has been in the way of the new client for a long time, and its tests\nare \
         the slowest."
    );
    let sandbox = Sandbox::new();
    let why = "Remove the helper of the old client, which nothing calls after the move to the new one.";
    sandbox.apply([""; 0], &sandbox::patch("src/a.rs", why, "fn b() {}\n", "")).exits(0);
    assert_eq!(
        message(&sandbox),
        "Remove the helper of the old client\n\nRemove the helper of the old client, which nothing calls after the move\nto the \
         new one."
    );
}

#[test]
fn one_commit_for_all_has_all_reasons_wrapped() {
    let sandbox = Sandbox::new();
    let long = "Rename b, because the name that it has is taken by another function of the crate by now.";
    let answer = format!(
        "{long}\n\n{}\nAnd drop c.\n\n{}",
        edits()[1].1,
        edits()[1].1.replace("fn b", "fn c").replace("+fn d() {}\n", "")
    );
    sandbox.apply(["--commit", "response"], &answer).exits(0);
    assert_eq!(
        message(&sandbox),
        "Apply 2 edits from response.txt\n\n- Rename b, because the name that it has is taken by another function of\n  the crate \
         by now.\n- And drop c."
    );
}

#[test]
fn an_answers_own_message_is_that_of_the_only_commit_or_stands_in_each() {
    let change = |name: &str, why: &str| {
        format!(
            "{{\"file\": \"src/a.rs\", {why}\"changes\": [{{\"original_lines\": [\"fn {name}() {{}}\"], \"changed_lines\": [\"fn {name}{name}() {{}}\"]}}]}}"
        )
    };
    let answer = format!(
        "{{\"message\": \"Double the names\\n\\nThey were short.\", \"file_entries\": [{}, {}]}}\n",
        change("a", "\"why\": \"Double a\", "),
        change("b", "")
    );
    let sandbox = Sandbox::new();
    sandbox.apply(["--commit=response"], &answer).exits(0);
    assert_eq!(message(&sandbox), "Double the names\n\nThey were short.\n\n- Double a");
    let sandbox = Sandbox::new();
    sandbox.apply([""; 0], &answer).exits(0);
    assert_eq!(message(&sandbox), "Update src/a.rs\n\nDouble the names\n\nThey were short.");
    assert_eq!(
        sandbox.git(["log", "-1", "--format=%B", "HEAD~1"]),
        "Double a\n\nDouble the names\n\nThey were short."
    );
}

#[test]
fn drafts_in_reasoning_are_named() {
    for (format, edit) in edits() {
        let sandbox = Sandbox::new();
        let answer = format!("<reasoning>\n{}</reasoning>\n\n{edit}", edit.replace("fn d", "fn draft"));
        let run = sandbox.apply([""; 0], &answer).exits(0);
        assert!(run.stderr.contains("1 edit in reasoning skipped (`src/a.rs`)"), "{format}: {}", run.stderr);
        assert!(sandbox.text("src/a.rs").contains("fn d()"), "{format}");
    }
}

#[test]
fn operations_are_named_by_what_they_come_to() {
    for (answer, operation, subject) in [
        ("b.rs\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n", "create", "Create b.rs"),
        (
            "[{\"file\": \"b.rs\", \"changes\": [{\"original_lines\": [], \"changed_lines\": [\"x\"]}]}]\n",
            "create",
            "Create b.rs",
        ),
        (
            "<FILE_CHANGES>\n<FILE_APPEND file_path=\"b.rs\">\nx\n</FILE_APPEND>\n</FILE_CHANGES>\n",
            "create",
            "Create b.rs",
        ),
        (
            "<FILE_CHANGES>\n<FILE_NEW file_path=\"src/a.rs\">\nx\n</FILE_NEW>\n</FILE_CHANGES>\n",
            "replace",
            "Replace src/a.rs",
        ),
        (
            "*** Begin Patch\n*** Update File: src/a.rs\n*** Move to: src/a.rs\n@@\n-fn b() {}\n*** End Patch\n",
            "modify",
            "Update src/a.rs",
        ),
        (
            "<FILE_CHANGES>\n<FILE_RENAME from_path=\"src\" to_path=\"lib\" />\n</FILE_CHANGES>\n",
            "rename",
            "Rename src to lib",
        ),
    ] {
        let sandbox = Sandbox::new();
        let run = sandbox.apply(["--json"], answer).exits(0);
        let report = json(&run);
        assert_eq!(report["edits"][0]["operation"], operation, "{answer}{report:#}");
        assert_eq!(message(&sandbox), subject, "{answer}");
        if operation == "modify" {
            assert_eq!(report["edits"][0]["to"], Value::Null, "{report:#}");
        }
    }
}

#[test]
fn a_path_is_shown_one_way_and_a_near_name_is_a_hint() {
    let sandbox = Sandbox::new();
    let run = sandbox.apply(["--json"], &sandbox::patch("src\\a.rs", "x", "fn nowhere\n", "y\n")).exits(1);
    assert!(!run.stdout.replace("\\\"", "").contains("src\\\\a.rs\""), "{}", run.stdout);
    assert_eq!(json(&run)["edits"][0]["path"], "src/a.rs");
    let sandbox = Sandbox::new();
    sandbox.file("src/util.ts", "x\n");
    sandbox.commit("more");
    let run = sandbox.apply([""; 0], &sandbox::patch("src/utils.ts", "x", "x\n", "y\n")).exits(1);
    assert!(run.stderr.contains("did you mean `src/util.ts`?"), "{}", run.stderr);
    assert_eq!(sandbox.text("src/util.ts"), "x\n");
}

#[test]
fn the_root_is_the_main_worktree_or_the_one_at_hand() {
    let sandbox = Sandbox::new();
    sandbox.git(["worktree", "add", "-q", "-b", "side", "../linked-one"]);
    let linked = sandbox.root().join("linked-one");
    let of = |root: &str, find: &str| {
        format!(
            "<edit file=\"src/a.rs\" root=\"{root}\" op=\"patch\">\n<find><<<{find}>>></find><put><<<fn z() {{}}>>></put></edit>\n"
        )
    };
    let run = |root: &str, find: &str| {
        let answer = sandbox.response(&of(root, find));
        sandbox.run(["-C", linked.to_str().unwrap(), answer.to_str().unwrap()])
    };
    run("repo", "fn a() {}").exits(0);
    run("linked-one", "fn b() {}").exits(0);
    run("elsewhere", "fn c() {}").exits(1);
}

#[test]
fn the_root_is_what_a_bare_repository_is_called() {
    let sandbox = Sandbox::new();
    let bare = sandbox.root().join("shop.git");
    sandbox.git(["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let run = |root: &str, find: &str| {
        let answer = sandbox.response(&format!(
            "<edit file=\"src/a.rs\" root=\"{root}\" op=\"patch\">\n<find><<<{find}>>></find><put><<<fn z() {{}}>>></put></edit>\n"
        ));
        sandbox.run(["-C", bare.to_str().unwrap(), "-b", "main", answer.to_str().unwrap()])
    };
    run("shop", "fn a() {}").exits(0);
    run("shop.git", "fn b() {}").exits(1).says("root");
    run("elsewhere", "fn b() {}").exits(1).says("root");
    // In a linked worktree the name of that worktree works too.
    let linked = sandbox.root().join("side");
    sandbox.git([
        "-C",
        bare.to_str().unwrap(),
        "worktree",
        "add",
        "-q",
        "-b",
        "side",
        linked.to_str().unwrap(),
        "main",
    ]);
    for root in ["shop", "side"] {
        let answer = sandbox.response(&format!(
            "<edit file=\"{root}.txt\" root=\"{root}\" op=\"new\"><put>\n<<<\nx\n>>>\n</put></edit>\n"
        ));
        sandbox.run(["-C", linked.to_str().unwrap(), answer.to_str().unwrap()]).exits(0);
        assert!(linked.join(format!("{root}.txt")).exists(), "{root}");
    }
}

#[test]
fn at_a_terminal_it_is_said_how_what_is_typed_ends() {
    let made = Command::new("script").args(["-qec", "true", "/dev/null"]).stdin(Stdio::null()).output();
    if !made.is_ok_and(|made| made.status.success()) {
        println!("there is no terminal to be had: nothing is tested");
        return;
    }
    let sandbox = Sandbox::new();
    let edit = "<edit file=\"gone.txt\" op=\"remove\" />";
    let ours = sandbox.command(["-"]);
    let mut command = Command::new("sh");
    let line = format!("'{}' -", ours.get_program().to_str().unwrap());
    command.args([
        "-c",
        "(sleep 1; printf \"$1\\n\"; sleep 1; printf '\\004'; sleep 1) | script -qec \"$2\" /dev/null",
        "sh",
    ]);
    command.args([edit, &line]).env_clear().current_dir(&sandbox.repo).stdin(Stdio::null());
    command.envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("TERM", "xterm").env("SHELL", "/bin/sh");
    let run = Run::of(command.output().unwrap());
    assert!(run.stdout.contains("then press Ctrl-D on a line of its own"), "{} {}", run.stdout, run.stderr);
    assert!(!sandbox.exists("gone.txt"), "{} {}", run.stdout, run.stderr);
}

#[test]
fn of_two_whole_texts_the_one_that_a_later_edit_replaces_is_named() {
    let write =
        |content: &str| serde_json::json!({"file_path": "README", "content": content}).to_string() + "\n";
    let response = write("other\n") + &write("hello\n");
    let sandbox = Sandbox::new();
    let head = sandbox.head();
    let run = sandbox.apply([""; 0], &response).exits(0);
    run.says("not applied: the file already has the text of a later edit").says("already applied");
    assert_eq!((sandbox.head(), sandbox.text("README")), (head, "hello\n".to_owned()));
    // If both texts are what the file has, nothing was replaced.
    let run = sandbox.apply([""; 0], &write("hello\n").repeat(2)).exits(0);
    assert!(!run.stderr.contains("not applied"), "{run:?}");
}

#[test]
fn a_line_that_touches_an_edit_is_a_reason_only_as_a_sentence() {
    let diff = "--- a/README\n+++ b/README\n@@ -1 +1 @@\n-hello\n+hi\n";
    let patch = "*** Begin Patch\n*** Update File: README\n@@\n-hello\n+hi\n*** End Patch\nEOF\n";
    for (response, subject) in [
        (format!("diffCopy code\n{diff}"), "Update README"),
        (format!("Greet in short words.\n\ndiff Copy code\n{diff}"), "Greet in short words"),
        (format!("apply_patch <<'EOF'\n{patch}"), "Update README"),
        (format!("# Greetings\napply_patch <<'EOF'\n{patch}"), "Greetings"),
        // A sentence is a reason, and so is a paragraph that a blank line sets off.
        (format!("Greet in short words.\n{diff}"), "Greet in short words"),
        (format!("Greet in short words\n\n{diff}"), "Greet in short words"),
        (format!("Greet in short words,\nas all do\n{diff}"), "Greet in short words, as all do"),
        (format!("Fix\ntypo\n\n{diff}"), "Fix typo"),
        (format!("# Greetings\nLike this:\n{diff}"), "Greetings"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.apply([""; 0], &response).exits(0);
        let subjects = sandbox.subjects("HEAD~1..");
        assert_eq!(subjects[0].trim_end_matches('.'), subject, "{response}");
    }
}
