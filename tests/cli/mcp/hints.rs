//! What an agent reads names nothing that only the command line has.

use super::answers::call_for_text;
use super::{Client, edit, edits, two};
use serde_json::{Value, json};
use std::path::Path;

/// Returns the text and the report, and checks that they name no option and no command.
#[track_caller]
fn told(client: &mut Client, tool: &str, repo: &Path, arguments: Value) -> (String, Value) {
    let (text, report) = call_for_text(client, tool, repo, arguments);
    let all = format!("{text}\n{report}");
    for option in ["--", "-b ", "-X ", "-C ", "'git llm-apply"] {
        assert!(!all.contains(option), "{option}: {all}");
    }
    (text, report)
}

#[test]
fn no_refusal_or_error_names_what_only_the_command_line_has() {
    let (sandbox, elsewhere) = two();
    let repo = sandbox.repo.clone();
    let mut client = Client::start(&sandbox, &elsewhere);
    let bad = edits(&[edit("README", "hello", "hi"), edit("src/a.rs", "fn bb() {}", "fn beta() {}")]);
    let (_, refused) = told(&mut client, "land", &repo, bad);
    let again = json!({"attempt": refused["attempt"], "edits": [edit("README", "hello", "hi")]});
    let (text, report) = told(&mut client, "correct", &repo, again);
    assert_eq!(report["error"]["code"], "mismatch", "{report}");
    assert!(text.contains("Send one corrected edit for each edit that was refused"), "{text}");
    let wrong = json!({"attempt": "0123456789", "edits": [edit("README", "hello", "hi")]});
    assert_eq!(told(&mut client, "correct", &repo, wrong).1["error"]["code"], "no-attempt");
    assert_eq!(told(&mut client, "undo", &repo, json!({})).1["error"]["code"], "nothing-to-undo");
    // A conflict with later commits of the branch, and a conflict of an undo.
    let base = sandbox.head();
    let landed = client.call("land", &repo, edits(&[edit("README", "hello", "hi")]));
    sandbox.file("README", "good day\n");
    sandbox.commit("meanwhile");
    let mut old = edits(&[edit("README", "hello", "hello!")]);
    old["base"] = base.into();
    let (text, report) = told(&mut client, "land", &repo, old);
    assert_eq!(report["diagnostics"][0]["code"], "conflict", "{report}");
    assert!(text.contains("Write the edit anew for the lines as they are now"), "{text}");
    let (text, report) = told(&mut client, "undo", &repo, json!({"id": landed["landing"]}));
    assert!(report["status"] == "refused" && text.contains("README"), "{text}");
    let (text, _) = told(&mut client, "land", &repo, edits(&[edit("README", "hello", "hi")]));
    assert!(text.contains("this edit landed as"), "{text}");
    // Local changes.
    sandbox.file("src/a.rs", "local\n");
    let (text, _) = told(&mut client, "land", &repo, edits(&[edit("src/a.rs", "fn a()", "fn z()")]));
    assert!(
        text.contains("commit or stash the changes of these files first, or land on another `branch`"),
        "{text}"
    );
    sandbox.git(["checkout", "-q", "."]);
    // The policy.
    sandbox.git(["config", "llmapply.exclude", "src"]);
    sandbox.git(["config", "llmapply.allowDelete", "false"]);
    let all = edits(&[edit("src/a.rs", "fn a()", "fn z()"), json!({"path": "gone.txt", "op": "delete"})]);
    let (text, _) = told(&mut client, "land", &repo, all);
    assert!(text.contains("`src/a.rs` must not change: it is excluded"), "{text}");
    client.leave();
}

#[test]
fn a_place_that_is_no_repository_is_named_with_what_is_wrong() {
    let (sandbox, elsewhere) = two();
    let mut client = Client::start(&sandbox, &elsewhere);
    let (text, report) = told(&mut client, "landings", Path::new("repo"), json!({}));
    assert!(text.contains("`repo` is not an absolute path: repo"), "{text}");
    assert_eq!(report["error"]["code"], "repository");
    let (text, report) = told(&mut client, "landings", Path::new("/nonexistent"), json!({}));
    assert!(text.contains("/nonexistent") && report["error"]["help"].is_null(), "{text}");
    let listed = client.ask("tools/list", &json!({}));
    let branch = |tool: usize| &listed["result"]["tools"][tool]["inputSchema"]["properties"]["branch"];
    assert!(branch(2)["description"].as_str().unwrap().contains("made if it does not exist"));
    assert!(branch(7)["description"].as_str().unwrap().starts_with("The branch of the landing"));
    client.leave();
}
