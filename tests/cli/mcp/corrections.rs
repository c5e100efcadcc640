//! If an agent does what a refusal tells it, its good edits land.

use super::answers::call_for_text;
use super::{Client, edit, edits, two};
use serde_json::{Value, json};

/// Returns a good edit, and one whose `old` is not in the file.
fn half() -> [Value; 2] {
    [edit("README", "hello", "hi"), edit("src/a.rs", "fn bb() {}", "fn beta() {}")]
}

fn correct(refused: &Value, all: &[Value]) -> Value {
    json!({"attempt": refused["attempt"], "edits": all})
}

#[test]
fn where_no_attempt_is_kept_all_edits_are_asked_for() {
    let (sandbox, elsewhere) = two();
    let mut client = Client::start(&sandbox, &elsewhere);
    let (told, checked) = call_for_text(&mut client, "check", &sandbox.repo, edits(&half()));
    assert!(checked["attempt"].is_null(), "{checked}");
    assert!(told.contains("Send the whole answer again, as `edits`. Correct that edit"), "{told}");
    assert!(!told.contains("do not send"), "{told}");
    let (told, refused) = call_for_text(&mut client, "land", &sandbox.repo, edits(&half()));
    assert!(
        refused["attempt"].is_string() && told.contains("Edit 1 is fine as it is: do not send it again.")
    );
    sandbox.git(["config", "llmapply.keep", "false"]);
    let (told, refused) = call_for_text(&mut client, "land", &sandbox.repo, edits(&half()));
    assert!(
        refused["attempt"].is_null() && told.contains("Send the whole answer again, as `edits`."),
        "{told}"
    );
    client.leave();
}

#[test]
fn what_may_not_change_is_left_out_by_sending_a_good_edit_again() {
    let (sandbox, elsewhere) = two();
    sandbox.git(["config", "llmapply.allowDelete", "false"]);
    let mut client = Client::start(&sandbox, &elsewhere);
    let [good, bad] = half();
    let hook = json!({"path": ".husky/pre-commit", "op": "create", "new": "y\n"});
    let gone = json!({"path": "gone.txt", "op": "delete"});
    let all = edits(&[good.clone(), hook, gone]);
    let (told, refused) = call_for_text(&mut client, "land", &sandbox.repo, all);
    assert!(told.contains("Send only what should replace those edits, as `edits`."), "{told}");
    assert!(told.contains("send one of the good edits again") && !told.contains("do not send"), "{told}");
    let again = correct(&refused, std::slice::from_ref(&good));
    let (told, landed) = call_for_text(&mut client, "correct", &sandbox.repo, again);
    assert_eq!(landed["status"], "landed", "{landed}");
    assert!(told.contains(".husky/pre-commit  not wanted") && told.contains("1 commit"), "{told}");
    assert_eq!((sandbox.text("README"), sandbox.exists("gone.txt")), ("hi\n".to_owned(), true));
    // An edit that failed for another reason has to be corrected first.
    let hook = json!({"path": ".husky/pre-push", "op": "create", "new": "y\n"});
    let good = edit("old.txt", "one", "1");
    let all = edits(&[good.clone(), bad, hook]);
    let (told, refused) = call_for_text(&mut client, "land", &sandbox.repo, all);
    assert!(told.contains("Send only those edits again, corrected"), "{told}");
    let fix = edit("README", "hi", "hi there");
    let (told, refused) = call_for_text(&mut client, "correct", &sandbox.repo, correct(&refused, &[fix]));
    assert!(refused["status"] == "refused" && told.contains("send one of the good edits again"), "{told}");
    let landed = client.call("correct", &sandbox.repo, correct(&refused, &[good]));
    assert_eq!(landed["status"], "landed", "{landed}");
    assert_eq!(sandbox.text("README"), "hi there\n");
    sandbox.is_sound();
    client.leave();
}

#[test]
fn a_correction_keeps_the_reason() {
    let (sandbox, elsewhere) = two();
    let mut client = Client::start(&sandbox, &elsewhere);
    let refused = client.call("land", &sandbox.repo, edits(&half()));
    let fix = json!({"path": "src/a.rs", "op": "edit", "old": "fn b() {}", "new": "fn beta() {}"});
    let landed = client.call("correct", &sandbox.repo, correct(&refused, &[fix]));
    assert_eq!(landed["commits"][1]["subject"], "Change it", "{landed}");
    client.leave();
}

#[test]
fn an_empty_file_is_filled() {
    let (sandbox, elsewhere) = two();
    sandbox.file("pkg/__init__.py", "");
    sandbox.commit("empty");
    let mut client = Client::start(&sandbox, &elsewhere);
    let new = json!({"path": "pkg/__init__.py", "op": "create", "new": "x = 1\n"});
    let (told, _) = call_for_text(&mut client, "land", &sandbox.repo, edits(&[new]));
    assert!(
        told.contains("To do: the file is empty: fill it with an edit whose old text is empty"),
        "{told}"
    );
    let fill = |path: &str| edits(&[json!({"path": path, "op": "edit", "old": "", "new": "x = 1\n"})]);
    let landed = client.call("land", &sandbox.repo, fill("pkg/__init__.py"));
    assert_eq!(landed["status"], "landed", "{landed}");
    assert_eq!(sandbox.text("pkg/__init__.py"), "x = 1\n");
    // A file with lines is refused, and its lines are shown.
    let (told, refused) = call_for_text(&mut client, "land", &sandbox.repo, fill("README"));
    assert_eq!(refused["diagnostics"][0]["code"], "already-exists", "{refused}");
    assert!(told.contains("the search text is empty, but the file has 1 line"), "{told}");
    assert!(told.contains("1 | hello\n") && told.contains("change the lines of the existing file"), "{told}");
    client.leave();
}

#[test]
fn what_was_changed_back_lands_again_where_that_is_asked_for() {
    let (sandbox, elsewhere) = two();
    let mut client = Client::start(&sandbox, &elsewhere);
    let mut toggle = edits(&[edit("README", "hello", "hi")]);
    assert_eq!(client.call("land", &sandbox.repo, toggle.clone())["status"], "landed");
    sandbox.file("README", "hello\nthere\n");
    sandbox.commit("back, and another line");
    let (told, refused) = call_for_text(&mut client, "land", &sandbox.repo, toggle.clone());
    assert_eq!(refused["status"], "refused", "{told}");
    toggle["again"] = true.into();
    assert_eq!(client.call("check", &sandbox.repo, toggle.clone())["edits"][0]["state"], "fine");
    assert_eq!(client.call("land", &sandbox.repo, toggle)["status"], "landed");
    assert_eq!(sandbox.text("README"), "hi\nthere\n");
    client.leave();
}
