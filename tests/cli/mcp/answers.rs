//! Answers to calls that change nothing, and to arguments that make no sense.

use super::{Client, edit, edits, two};
use crate::sandbox::patch;
use serde_json::{Value, json};
use std::path::Path;

/// Returns the text of an answer, and its report, which must fit the tool's schema.
pub(super) fn call_for_text(
    client: &mut Client,
    tool: &str,
    repo: &Path,
    arguments: Value,
) -> (String, Value) {
    let id = client.start_call(tool, repo, arguments);
    let result = client.answer(id)["result"].take();
    let text = result["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(!text.trim().is_empty(), "{result}");
    let listed = client.ask("tools/list", &json!({}));
    let all = listed["result"]["tools"].as_array().unwrap();
    let schema = &all.iter().find(|one| one["name"] == tool).unwrap()["outputSchema"];
    let report = &result["structuredContent"];
    for required in schema["required"].as_array().unwrap() {
        assert!(!report[required.as_str().unwrap()].is_null(), "{required}: {report}");
    }
    for (name, schema) in schema["properties"].as_object().unwrap() {
        match schema["type"].as_str().unwrap() {
            _ if report[name].is_null() => assert!(report.get(name).is_none(), "{name}: {report}"),
            "string" => assert!(report[name].is_string(), "{name}: {report}"),
            "array" => assert!(report[name].as_array().unwrap().iter().all(Value::is_object), "{report}"),
            _ => assert!(report[name].is_object(), "{name}: {report}"),
        }
    }
    (text, report.clone())
}

#[test]
fn each_answer_says_something_and_fits_its_schema() {
    let (sandbox, elsewhere) = two();
    let repo = sandbox.repo.clone();
    let mut client = Client::start(&sandbox, &elsewhere);
    for (tool, arguments) in [
        ("read", json!({"paths": ["README"]})),
        ("check", edits(&[edit("README", "hello", "hi")])),
        ("land", edits(&[edit("README", "hello", "hi")])),
        ("correct", json!({"attempt": "1", "response": "no"})),
        ("suggest", json!({"responses": ["no"], "name": "try"})),
        ("landings", json!({})),
        ("show", json!({})),
        ("undo", json!({})),
    ] {
        call_for_text(&mut client, tool, &repo, arguments.clone());
        for place in ["/", "relative"] {
            let (text, report) = call_for_text(&mut client, tool, Path::new(place), arguments.clone());
            assert!(text.starts_with("nothing was changed\n"), "{text}");
            assert_eq!(report["error"]["code"], "repository");
        }
        let (text, report) = call_for_text(&mut client, tool, &repo, json!({"odd": 1}));
        assert!(text.contains("`odd`") && report["error"]["code"] == "usage", "{text}");
    }
    client.leave();
}

#[test]
fn what_was_not_taken_back_is_not_said_to_be() {
    let (sandbox, elsewhere) = two();
    let repo = sandbox.repo.clone();
    let mut client = Client::start(&sandbox, &elsewhere);
    let (text, _) = call_for_text(&mut client, "landings", &repo, json!({}));
    assert_eq!(text, "nothing has landed here\n");
    let landed = client.call("land", &repo, edits(&[edit("README", "hello", "hi")]));
    let undo = json!({"id": landed["landing"]});
    // Local changes are in the way.
    sandbox.file("README", "local\n");
    let (text, report) = call_for_text(&mut client, "undo", &repo, undo.clone());
    assert_eq!(report["status"], "in-the-way", "{report}");
    assert!(text.starts_with("nothing was taken back\n") && text.contains("README"), "{text}");
    let (text, _) = call_for_text(&mut client, "land", &repo, edits(&[edit("README", "hi", "ho")]));
    assert!(text.starts_with("nothing was changed\n") && text.contains("README"), "{text}");
    sandbox.git(["checkout", "--", "README"]);
    // A hook refuses.
    sandbox.git(["config", "llmapply.exec", "echo broken; false"]);
    sandbox.file("a", "a\n");
    sandbox.commit("more");
    let (text, report) = call_for_text(&mut client, "undo", &repo, undo.clone());
    assert_eq!(report["status"], "failed", "{report}");
    assert!(text.starts_with("nothing was taken back\n") && text.contains("broken"), "{text}");
    assert!(!text.contains("  taken back"), "{text}");
    sandbox.git(["config", "--unset", "llmapply.exec"]);
    // The lines have changed since.
    sandbox.file("README", "hi there\n");
    sandbox.commit("meanwhile");
    let (text, report) = call_for_text(&mut client, "undo", &repo, undo);
    assert_eq!(report["status"], "refused", "{report}");
    assert!(text.starts_with("nothing was taken back\n"), "{text}");
    assert!(text.contains(report["diagnostics"][0]["message"].as_str().unwrap()), "{text}");
    let (text, _) = call_for_text(&mut client, "undo", &repo, json!({"id": "nothing"}));
    assert!(text.starts_with("nothing was changed\n"), "{text}");
    assert_eq!(sandbox.text("README"), "hi there\n");
    client.leave();
}

#[test]
fn a_landing_on_another_branch_is_taken_back_there() {
    let (sandbox, elsewhere) = two();
    let mut client = Client::start(&sandbox, &elsewhere);
    let mut there = edits(&[edit("README", "hello", "hi")]);
    there["branch"] = "side".into();
    let landed = client.call("land", &sandbox.repo, there);
    assert_eq!(landed["status"], "landed");
    let undo = json!({"id": landed["landing"], "branch": "side"});
    let undone = client.call("undo", &sandbox.repo, undo);
    assert_eq!(undone["status"], "landed", "{undone}");
    assert_eq!(sandbox.git(["show", "side:README"]), "hello");
    client.leave();
}

#[test]
fn an_argument_that_makes_no_sense_is_named() {
    let (sandbox, elsewhere) = two();
    sandbox.file("lead", "x\n");
    sandbox.file("a/b", "x\n");
    let before = sandbox.commit("more");
    let mut client = Client::start(&sandbox, &elsewhere);
    let fine = edit("README", "hello", "hi");
    for (bad, said) in [
        (json!({"path": "a", "op": "patch"}), "`edits[1].op` has to be one of create, edit"),
        (json!({"path": "a", "op": "delete", "odd": 1}), "no argument `edits[1].odd`"),
        (json!({"path": 1, "op": "delete"}), "`edits[1].path` has to be a text"),
        (json!({"path": "", "op": "delete"}), "`edits[1].path` is missing"),
        (json!({"path": "a", "op": "create"}), "`edits[1]`: an edit with op `create` has path, new"),
        (json!({"path": "a", "op": "edit", "new": "x"}), "`edits[1]`: `old` is missing"),
        (json!({"path": "a", "op": "edit", "old": "a", "new": "x", "all": 1}), "`edits[1].all`"),
        (edit(" lead", "x", "y"), "the path ` lead` begins or ends with a blank"),
        (json!({"path": "lead ", "op": "delete"}), "`edits[1]`: the path"),
        (edit("a\\b", "x", "y"), "has a backslash"),
        (json!({"path": "lead", "op": "move", "to": "x\\y"}), "has a backslash"),
        (json!({"path": "a\tb\n", "op": "create", "new": "y"}), "ends with a blank"),
    ] {
        let (text, report) = call_for_text(&mut client, "land", &sandbox.repo, edits(&[fine.clone(), bad]));
        assert!(report["error"]["code"] == "usage" && text.contains(said), "{said}: {text}");
    }
    for (tool, arguments, said) in [
        ("land", json!({"edits": []}), "`edits` is empty"),
        ("land", json!({"response": "", "key": ""}), "give either"),
        ("correct", json!({"response": "x", "attempt": ""}), "`attempt` is missing"),
        ("read", json!({"paths": [1]}), "`paths[0]` has to be a text"),
        ("read", json!({"paths": ["a"], "numbers": "yes"}), "`numbers` has to be true or false"),
        ("undo", json!({"edits": [0]}), "`edits[0]` has to be a number from 1"),
        ("suggest", json!({"responses": "x", "name": "y"}), "`responses` has to be a list"),
    ] {
        let (text, _) = call_for_text(&mut client, tool, &sandbox.repo, arguments);
        assert!(text.contains(said), "{said}: {text}");
    }
    assert_eq!(sandbox.head(), before);
    // An empty argument counts as not given.
    for number in 0..2 {
        let new = json!({"path": format!("n{number}"), "op": "create", "new": "", "old": "", "to": null, "all": null});
        let arguments = json!({"edits": [new], "key": "", "base": "", "branch": null, "response": "",
            "request": "", "model": ""});
        let landed = client.call("land", &sandbox.repo, arguments);
        assert_eq!((&landed["status"], &landed["asked"]), (&json!("landed"), &json!(null)), "{landed}");
    }
    assert_eq!(client.call("undo", &sandbox.repo, json!({"id": ""}))["status"], "landed");
    client.leave();
}

#[test]
fn a_correction_lands_under_the_key_of_its_attempt() {
    let (sandbox, elsewhere) = two();
    let mut client = Client::start(&sandbox, &elsewhere);
    let mut bad = edits(&[edit("README", "hello", "hi"), edit("src/a.rs", "fn bb() {}", "fn beta() {}")]);
    for (name, value) in [("key", "k1"), ("request", "Do it"), ("model", "m1")] {
        bad[name] = value.into();
    }
    let (text, refused) = call_for_text(&mut client, "land", &sandbox.repo, bad);
    assert!(text.contains("Send only that edit again, corrected, as `edits`."), "{text}");
    assert!(
        !text.contains("JSON list") && !text.contains("OPX") && !text.contains("of your answer)"),
        "{text}"
    );
    let fix =
        json!({"attempt": refused["attempt"], "edits": [edit("src/a.rs", "fn b() {}", "fn beta() {}")]});
    let landed = client.call("correct", &sandbox.repo, fix);
    assert_eq!(landed["status"], "landed", "{landed}");
    assert_eq!(landed["asked"], json!({"request": "Do it", "command": "m1"}));
    let mut again = edits(&[json!({"path": "n", "op": "create", "new": "x"})]);
    again["key"] = "k1".into();
    let (text, report) = call_for_text(&mut client, "land", &sandbox.repo, again);
    assert_eq!((&report["status"], &report["landing"]), (&json!("nothing"), &landed["landing"]));
    let said = format!("the key k1 has landed as {} on ", landed["landing"].as_str().unwrap());
    assert!(text.starts_with(&said) && text.contains("the edits of this call were not made"), "{text}");
    assert!(!sandbox.exists("n"));
    // The command line continues an attempt of the server in the same way.
    let mut bad = edits(&[edit("src/a.rs", "fn aa() {}", "fn alpha() {}")]);
    bad["key"] = "k2".into();
    let refused = client.call("land", &sandbox.repo, bad);
    let go_on = format!("--continue={}", refused["attempt"].as_str().unwrap());
    let fix = patch("src/a.rs", "Rename it", "fn a() {}\n", "fn alpha() {}\n");
    let run = sandbox.apply([go_on.as_str(), "--json"], &fix).exits(0);
    let landed: Value = serde_json::from_str(&run.stdout).unwrap();
    let mut again = edits(&[json!({"path": "n", "op": "create", "new": "x"})]);
    again["key"] = "k2".into();
    let report = client.call("land", &sandbox.repo, again);
    assert_eq!((&report["status"], &report["landing"]), (&json!("nothing"), &landed["landing"]));
    client.leave();
}

#[test]
fn no_line_is_quoted_of_files_that_no_model_is_shown() {
    let (sandbox, elsewhere) = two();
    sandbox.file(".aiignore", "private/\n");
    for path in ["private/a.txt", "open.txt"] {
        sandbox.file(path, "first\nthe password is rosebud\nlast\n");
    }
    sandbox.commit("files");
    let mut client = Client::start(&sandbox, &elsewhere);
    for (path, is_quoted) in [("private/a.txt", false), ("open.txt", true)] {
        let missed = edits(&[edit(path, "first\nthe pass word is roses\nlast\n", "x\n")]);
        let good = edits(&[edit(path, "first", "one")]);
        for (tool, arguments) in [("land", missed.clone()), ("check", missed.clone()), ("check", good)] {
            let (text, report) = call_for_text(&mut client, tool, &sandbox.repo, arguments);
            let is_refused = report["status"] == "refused";
            for said in [&text, &report.to_string()] {
                assert_eq!(said.contains("rosebud"), is_quoted, "{path}, {tool}: {said}");
                let is_told = is_refused && !is_quoted;
                assert_eq!(
                    said.contains("no line of the file is shown (.aiignore)"),
                    is_told,
                    "{path}: {said}"
                );
            }
        }
        // People see their own file, but the text for the model quotes nothing of it.
        let bad = patch(path, "w", "first\nthe pass word is roses\nlast\n", "x\n");
        sandbox.apply(["--no-keep"], &bad).exits(1).says("rosebud");
        let feedback = sandbox.apply(["--no-keep", "--feedback"], &bad).exits(1).stdout;
        assert_eq!(feedback.contains("rosebud"), is_quoted, "{path}: {feedback}");
    }
    client.leave();
}

#[test]
fn what_is_long_is_cut_and_that_is_said() {
    let (sandbox, elsewhere) = two();
    sandbox.git(["config", "llmapply.exec", "true"]);
    let long = |letter: &str| (letter.repeat(99) + "\n").repeat(1000);
    let mut client = Client::start(&sandbox, &elsewhere);
    let new = |path: &str| json!({"path": path, "op": "create", "new": long(path)});
    let (text, report) =
        call_for_text(&mut client, "check", &sandbox.repo, edits(&[edit("README", "hello", "hi"), new("a")]));
    assert_eq!(report["edits"][1]["diff_left_out"], true);
    assert!(text.contains("+hi\n") && text.contains("has to pass: exec true"), "{text}");
    assert!(text.contains("differences are left out") && text.len() < 20 << 10, "{}", text.len());
    let all = ["a", "b", "c"].map(new);
    assert_eq!(client.call("land", &sandbox.repo, edits(&all))["status"], "landed");
    let (text, shown) = call_for_text(&mut client, "show", &sandbox.repo, json!({}));
    assert!(shown["texts_cut"] == true && text.contains("cut") && text.len() < 300 << 10, "{}", text.len());
    sandbox.git(["config", "--unset", "llmapply.exec"]);
    for number in 0..51 {
        let new = json!({"path": format!("n{number}"), "op": "create", "new": "x"});
        assert_eq!(client.call("land", &sandbox.repo, edits(&[new]))["status"], "landed");
    }
    let (text, list) = call_for_text(&mut client, "landings", &sandbox.repo, json!({}));
    assert_eq!((list["landings"].as_array().unwrap().len(), &list["more_landings"]), (50, &json!(2)));
    assert!(text.ends_with("and 2 more\n"), "{text}");
    client.leave();
}

#[test]
fn what_cannot_be_read_is_named_beside_what_can() {
    let (sandbox, elsewhere) = two();
    std::os::unix::fs::symlink("README", sandbox.repo.join("link")).unwrap();
    let module = format!("160000,{},module", sandbox.head());
    sandbox.git(["add", "-A"]);
    sandbox.git(["update-index", "--add", "--cacheinfo", &module]);
    sandbox.git(["commit", "-qm", "more"]);
    let mut client = Client::start(&sandbox, &elsewhere);
    let top = sandbox.repo.to_str().unwrap();
    let whole = client.call("read", &sandbox.repo, json!({"paths": ["."]}));
    assert!(whole["files"].as_array().unwrap().len() > 3, "{whole}");
    let left_out = json!([{"path": "link", "why": "symbolic link"}, {"path": "module", "why": "submodule"}]);
    assert_eq!(whole["left_out"], left_out);
    for path in ["", "./", top, &format!("{top}/"), &format!("{top}/.")] {
        assert_eq!(client.call("read", &sandbox.repo, json!({"paths": [path]})), whole, "{path}");
    }
    let paths = json!({"paths": ["./README", "gone", "link", "././src/a.rs"]});
    let read = client.call("read", &sandbox.repo, paths);
    let paths: Vec<_> = read["files"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
    assert_eq!(paths, ["README", "src/a.rs"]);
    let left_out =
        json!([{"path": "gone", "why": "no tracked file"}, {"path": "link", "why": "symbolic link"}]);
    assert_eq!(read["left_out"], left_out);
    // These are more than one call may return.
    for number in 10..40 {
        sandbox.file(&format!("big/{number}"), "a line\n".repeat(200_000 / 7));
    }
    sandbox.commit("big");
    let (text, read) = call_for_text(&mut client, "read", &sandbox.repo, json!({"paths": ["big"]}));
    let counts = ["files", "left_out"].map(|all| read[all].as_array().unwrap().len());
    assert!(counts[0] >= 20 && counts[1] > 5 && counts[0] + counts[1] == 30, "{counts:?}");
    assert!(read["left_out"][0]["why"].as_str().unwrap().contains("name fewer files"));
    assert!(text.len() < 5 << 20 && text.contains("big/39 is left out"), "{}", text.len());
    client.leave();
}
