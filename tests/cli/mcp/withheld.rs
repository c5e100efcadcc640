//! What `.aiignore` and `llmapply.exclude` keep back stays hidden, whatever a call names.

use super::answers::call_for_text;
use super::{Client, edits, two};
use crate::sandbox::Sandbox;
use serde_json::{Value, json};

const KEY: &str = "api=KEY123\n";

/// Creates a repository with a secret that is older than its `.aiignore`.
fn with_secret() -> (Sandbox, Sandbox) {
    let (sandbox, elsewhere) = two();
    sandbox.file("sec/k.txt", KEY);
    sandbox.commit("secret");
    sandbox.file(".aiignore", "sec/\n");
    sandbox.commit("keep it back");
    (sandbox, elsewhere)
}

#[test]
fn no_older_commit_shows_what_head_keeps_back() {
    let (sandbox, elsewhere) = with_secret();
    sandbox.git(["branch", "older", "HEAD~"]);
    // A pattern that HEAD no longer has still counts for the commit that has it.
    sandbox.file("old.txt", KEY);
    sandbox.file(".aiignore", "sec/\nold.txt\n");
    sandbox.commit("more");
    sandbox.git(["tag", "more"]);
    sandbox.file(".aiignore", "sec/\n");
    sandbox.commit("less");
    let mut client = Client::start(&sandbox, &elsewhere);
    for (reference, path) in
        [("HEAD~3", "sec"), ("older", "sec"), ("HEAD", "sec"), ("more", "sec"), ("more", "old.txt")]
    {
        let read = json!({"paths": [path], "ref": reference});
        let (text, read) = call_for_text(&mut client, "read", &sandbox.repo, read);
        assert!(!text.contains("KEY123"), "{reference}: {text}");
        assert_eq!(read["left_out"][0]["why"], ".aiignore", "{reference}: {read}");
    }
    // A refusal at that commit, or of edits made for it, does not quote the file either.
    let bad = json!({"path": "sec/k.txt", "op": "edit", "old": "api=KEY12", "new": "no\nno"});
    for (name, value) in [("branch", "older"), ("base", "HEAD~3")] {
        let mut all = edits(&[bad.clone(), json!({"path": "sec/k.txt", "op": "create", "new": "x"})]);
        all[name] = value.into();
        for tool in ["check", "land"] {
            let (text, refused) = call_for_text(&mut client, tool, &sandbox.repo, all.clone());
            assert_eq!(refused["status"], "refused", "{refused}");
            assert!(!text.contains("KEY123") && !refused.to_string().contains("KEY123"), "{text}");
        }
    }
    // Prompts follow the same rule.
    let run =
        sandbox.run(["prompt", "--base=HEAD~3", "sec"]).exits(0).says("left out: sec/k.txt (.aiignore)");
    assert!(!run.stdout.contains("KEY123"), "{}", run.stdout);
    client.leave();
}

#[test]
fn what_is_kept_back_is_not_moved_or_copied_to_where_it_is_shown() {
    let (sandbox, elsewhere) = with_secret();
    sandbox.git(["config", "llmapply.exclude", "infra"]);
    sandbox.file("infra/k.txt", KEY);
    sandbox.commit("more");
    let before = sandbox.head();
    let mut client = Client::start(&sandbox, &elsewhere);
    let copy = |path: &str| {
        json!({"response": format!(
            "```diff\ndiff --git a/{path} b/pub.txt\nsimilarity index 100%\ncopy from {path}\ncopy to pub.txt\n```\n"
        )})
    };
    let moved = |path: &str| edits(&[json!({"path": path, "op": "move", "to": "pub.txt"})]);
    let directory = "<FILE_CHANGES>\n<FILE_RENAME from_path=\"sec\" to_path=\"pub\"/>\n</FILE_CHANGES>\n";
    let directory = json!({"response": directory});
    let all = [copy("sec/k.txt"), copy("infra/k.txt"), moved("sec/k.txt"), moved("infra/k.txt"), directory];
    for mut arguments in all {
        arguments["branch"] = "leak".into();
        let (text, refused) = call_for_text(&mut client, "land", &sandbox.repo, arguments.clone());
        assert_eq!(refused["diagnostics"][0]["code"], "policy", "{arguments}: {refused} {text}");
    }
    let suggest = |all: &Value| json!({"responses": [all["response"]], "name": "leak"});
    let suggested = client.call("suggest", &sandbox.repo, suggest(&copy("sec/k.txt")));
    assert_eq!(suggested["suggestions"][0]["report"]["status"], "refused", "{suggested}");
    assert_eq!(sandbox.git(["branch", "--format=%(refname:short)"]), "main");
    // Other files can be moved. A withheld file can be edited unseen. The command line can move all files.
    let unseen = json!({"path": "sec/k.txt", "op": "edit", "old": KEY, "new": "api=NEW\n"});
    let other = json!({"path": "old.txt", "op": "move", "to": "sec/old.txt"});
    let landed = client.call("land", &sandbox.repo, edits(&[unseen, other]));
    assert_eq!(landed["status"], "landed", "{landed}");
    assert_ne!(sandbox.head(), before);
    sandbox.apply([""; 0], &crate::sandbox::rename("sec/k.txt", "pub.txt", "Publish it")).exits(0);
    client.leave();
}
