//! What each tool does.

use super::{Client, edit, edits, two};
use crate::sandbox::{create, patch};
use serde_json::{Value, json};
use std::path::Path;

#[test]
fn what_is_read_is_checked_landed_and_taken_back() {
    let (sandbox, elsewhere) = two();
    sandbox.file("secret/key.txt", "secret\n");
    sandbox.file(".aiignore", "secret/\n");
    let shown = sandbox.commit("more");
    let untouched = elsewhere.state();
    let mut client = Client::start(&sandbox, &elsewhere);
    let repo = sandbox.repo.join("src");
    let absolute = sandbox.repo.join("src/a.rs");
    let read = client.call("read", &repo, json!({"paths": [absolute, "README", "secret"], "numbers": true}));
    assert_eq!(read["base"], shown);
    assert_eq!(
        read["files"][0],
        json!({"path": "src/a.rs", "text": "1\tfn a() {}\n2\tfn b() {}\n3\tfn c() {}\n"})
    );
    assert_eq!(read["left_out"], json!([{"path": "secret/key.txt", "why": ".aiignore"}]));
    // The branch has moved on since.
    sandbox.file("src/a.rs", "fn a() {}\nfn b() {}\nfn c() {}\n\n\n\n\nfn d() {}\n");
    sandbox.commit("meanwhile");
    let all = json!({"base": read["base"], "edits": [
        edit("src/a.rs", "a()", "alpha()"),
        json!({"path": "new.txt", "op": "create", "new": "one\ntwo", "why": "Add Vec<T>"}),
        json!({"path": "old.txt", "op": "move", "to": "docs/new.txt"}),
        json!({"path": "gone.txt", "op": "delete"}),
    ]});
    let before = sandbox.state();
    let checked = client.call("check", &repo, all.clone());
    assert_eq!(checked["status"], "checked");
    assert!(checked["edits"][0]["diff"].as_str().unwrap().contains("+fn alpha() {}"), "{checked}");
    sandbox.state().is(&before, "checked");
    let landed = client.call("land", &repo, all.clone());
    assert_eq!(landed["status"], "landed", "{landed}");
    let subjects: Vec<_> = landed["commits"].as_array().unwrap().iter().map(|one| &one["subject"]).collect();
    assert_eq!(subjects, ["Change it", "Add Vec<T>", "Rename old.txt to docs/new.txt", "Remove gone.txt"]);
    assert_eq!(sandbox.text("src/a.rs"), "fn alpha() {}\nfn b() {}\nfn c() {}\n\n\n\n\nfn d() {}\n");
    assert_eq!(sandbox.text("new.txt"), "one\ntwo\n");
    assert!(sandbox.exists("docs/new.txt") && !sandbox.exists("gone.txt"));
    assert_eq!(sandbox.git(["status", "--porcelain"]), "");
    // The same call again reports that it has landed.
    let again = client.call("land", &repo, all);
    assert_eq!((&again["status"], &again["landing"]), (&json!("nothing"), &landed["landing"]));
    let shown = client.call("show", &repo, json!({"id": landed["landing"]}));
    assert_eq!(shown["landings"][0]["id"], landed["landing"]);
    let some = client.call("undo", &repo, json!({"id": landed["landing"], "edits": [2]}));
    assert!(some["status"] == "landed" && !sandbox.exists("new.txt"), "{some}");
    let undone = client.call("undo", &repo, json!({"id": landed["landing"]}));
    assert_eq!((&undone["status"], &undone["undone"]), (&json!("landed"), &landed["landing"]));
    assert!(sandbox.exists("gone.txt") && !sandbox.exists("new.txt"));
    let list = client.call("landings", &repo, json!({}));
    assert_eq!(list["landings"].as_array().unwrap().len(), 3);
    client.leave();
    elsewhere.state().is(&untouched, "the repository of the environment");
    sandbox.is_sound();
}

#[test]
fn a_refusal_is_a_result_that_is_gone_on_from() {
    let (sandbox, elsewhere) = two();
    let before = sandbox.head();
    let mut client = Client::start(&sandbox, &elsewhere);
    let bad = edits(&[edit("README", "hello", "hi"), edit("src/a.rs", "fn bb() {}", "fn beta() {}")]);
    let id = client.start_call("land", &sandbox.repo, bad);
    let answer = client.answer(id);
    assert_eq!(answer["result"]["isError"], false);
    let refused = &answer["result"]["structuredContent"];
    assert_eq!(
        (&refused["status"], &refused["diagnostics"][0]["code"]),
        (&json!("refused"), &json!("search-not-found"))
    );
    let feedback = refused["feedback"].as_str().unwrap();
    assert!(feedback.contains("fn b() {}") && feedback.len() <= 16 << 10, "{feedback}");
    assert_eq!(sandbox.head(), before);
    let two_places = edits(&[edit("src/a.rs", "() {}", "(x: u8) {}")]);
    let attempt = json!({"attempt": refused["attempt"], "edits": two_places["edits"]});
    let refused = client.call("correct", &sandbox.repo, attempt);
    assert_eq!(
        (&refused["status"], &refused["diagnostics"][0]["code"]),
        (&json!("refused"), &json!("search-ambiguous"))
    );
    let fixed =
        json!({"attempt": refused["attempt"], "edits": [edit("src/a.rs", "fn b() {}", "fn beta() {}")]});
    let landed = client.call("correct", &sandbox.repo, fixed);
    assert_eq!(landed["status"], "landed", "{landed}");
    assert_eq!(sandbox.subjects(&format!("{before}..")).len(), 2);
    // An answer without edits, arguments that make no sense, and a path without a repository.
    assert_eq!(client.call("land", &sandbox.repo, json!({"response": "no"}))["status"], "no-edits");
    for arguments in [
        json!({}),
        json!({"edits": [], "response": ""}),
        json!({"edits": [{"path": "a", "op": "create"}]}),
        json!({"edits": [], "allow_delete": true}),
        json!({"edits": [], "no_verify": true}),
        json!({"edits": 1}),
        json!({"response": create("a", "b", "c\n"), "branch": "try/{n}"}),
    ] {
        let answer = client.call("land", &sandbox.repo, arguments.clone());
        assert_eq!(answer["error"]["code"], "usage", "{arguments}: {answer}");
    }
    for place in ["src", "/", "."] {
        let answer = client.call("landings", Path::new(place), json!({}));
        assert_eq!(answer["error"]["code"], "repository", "{place}");
    }
    client.leave();
}

#[test]
fn the_same_key_lands_once_while_its_landing_is_in_effect() {
    let (sandbox, elsewhere) = two();
    let mut client = Client::start(&sandbox, &elsewhere);
    let with_key = |text: &str| json!({"response": create(text, "Add it", "x\n"), "key": "task 1", "request": "do", "model": "m"});
    let landed = client.call("land", &sandbox.repo, with_key("a.txt"));
    assert_eq!((&landed["status"], &landed["asked"]["request"]), (&json!("landed"), &json!("do")));
    let again = client.call("land", &sandbox.repo, with_key("b.txt"));
    assert_eq!((&again["status"], &again["landing"]), (&json!("nothing"), &landed["landing"]));
    assert_eq!(again["commits"], landed["commits"]);
    assert!(!sandbox.exists("b.txt"));
    // Of two calls at the same time one lands, and the other gets its result.
    let both = ["c.txt", "d.txt"].map(|path| {
        let mut arguments = with_key(path);
        arguments["key"] = "task 2".into();
        client.start_call("land", &sandbox.repo, arguments)
    });
    let mut answers = Vec::new();
    while answers.len() < 2 {
        answers.extend(Some(client.next()).filter(|answer| both.iter().any(|id| answer["id"] == *id)));
    }
    let landings: Vec<_> =
        answers.iter().map(|answer| &answer["result"]["structuredContent"]["landing"]).collect();
    assert!(landings[0].is_string() && landings[0] == landings[1], "{answers:?}");
    assert_ne!(sandbox.exists("c.txt"), sandbox.exists("d.txt"));
    // A landing that was taken back is not in effect.
    client.call("undo", &sandbox.repo, json!({"id": landed["landing"]}));
    assert_eq!(client.call("land", &sandbox.repo, with_key("b.txt"))["status"], "landed");
    // Without records no key is known.
    sandbox.git(["config", "llmapply.record", "false"]);
    let answer = client.call("land", &sandbox.repo, with_key("e.txt"));
    assert_eq!(answer["error"]["code"], "usage", "{answer}");
    client.leave();
}

#[test]
fn the_configuration_forbids_and_no_call_allows() {
    let (sandbox, elsewhere) = two();
    sandbox.git(["config", "llmapply.exclude", "infra"]);
    sandbox.git(["config", "llmapply.allowDelete", "false"]);
    let mut client = Client::start(&sandbox, &elsewhere);
    for edit in [
        json!({"path": "infra/a", "op": "create", "new": "a\n"}),
        json!({"path": "gone.txt", "op": "delete"}),
    ] {
        let refused = client.call("land", &sandbox.repo, edits(&[edit]));
        assert_eq!(
            (&refused["status"], &refused["diagnostics"][0]["code"]),
            (&json!("refused"), &json!("policy"))
        );
    }
    let read = client.call("read", &sandbox.repo, json!({"paths": ["README"]}));
    assert_eq!(read["files"][0]["text"], "hello\n");
    // An attempt of the command line that was allowed to do this is not allowed to do it here.
    let response = create("infra/b", "Add it", "b\n") + &patch("src/a.rs", "Change it", "no\n", "none\n");
    let run = sandbox.apply(["--no-exclude", "--json"], &response).exits(1);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let fix = json!({"attempt": report["attempt"], "edits": [edit("src/a.rs", "fn a()", "fn z()")]});
    let refused = client.call("correct", &sandbox.repo, fix);
    assert_eq!(refused["status"], "refused", "{refused}");
    // The same for one that was limited to other paths: both have to allow the edit.
    sandbox.git(["config", "llmapply.include", "README"]);
    let run = sandbox
        .apply(["--include=src", "--json"], &patch("src/a.rs", "Change it", "no\n", "none\n"))
        .exits(1);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let fix = json!({"attempt": report["attempt"], "edits": [edit("src/a.rs", "fn a()", "fn z()")]});
    let refused = client.call("correct", &sandbox.repo, fix);
    assert_eq!(refused["diagnostics"][0]["code"], "policy", "{refused}");
    sandbox.git(["config", "--unset", "llmapply.include"]);
    // A failing check is an error, with what the check has printed.
    sandbox.git(["config", "llmapply.exec", "echo broken; false"]);
    let id = client.start_call("land", &sandbox.repo, edits(&[edit("README", "hello", "hi")]));
    let answer = client.answer(id);
    assert_eq!(answer["result"]["isError"], true);
    let error = &answer["result"]["structuredContent"]["error"];
    assert_eq!((&error["code"], &error["retryable"]), (&json!("exec"), &json!(false)));
    assert!(error["output"].as_str().unwrap().contains("broken"));
    sandbox.git(["config", "--unset", "llmapply.exec"]);
    sandbox.file("README", "changed\n");
    let dirty = client.call("land", &sandbox.repo, edits(&[edit("README", "hello", "hi")]));
    assert_eq!((&dirty["status"], &dirty["error"]["code"]), (&json!("in-the-way"), &json!("dirty")));
    client.leave();
}

#[test]
fn each_response_gets_a_branch() {
    let (sandbox, elsewhere) = two();
    let head = sandbox.head();
    let mut client = Client::start(&sandbox, &elsewhere);
    let responses =
        [create("a", "Add a", "a\n"), patch("README", "No", "nothing\n", "x\n"), create("b", "Add b", "b\n")];
    let suggested = client.call("suggest", &sandbox.repo, json!({"responses": responses, "name": "try"}));
    let statuses: Vec<_> =
        suggested["suggestions"].as_array().unwrap().iter().map(|one| &one["report"]["status"]).collect();
    assert_eq!(statuses, ["landed", "refused", "landed"]);
    assert_eq!(sandbox.git(["branch", "--format=%(refname:short)"]), "main\ntry/1\ntry/3");
    assert_eq!((sandbox.head(), sandbox.status()), (head, String::new()));
    client.leave();
}
