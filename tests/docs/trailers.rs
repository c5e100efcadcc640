//! `--trailers`: git's own trailers say which response and edit a commit is from, and a reason cannot forge them.
use crate::sandbox;

use sandbox::{Run, Sandbox, create, patch};

/// Returns what git reads as trailers of a commit's message.
#[track_caller]
fn trailers(sandbox: &Sandbox, commit: &str) -> Vec<String> {
    let message = sandbox.git(["log", "-1", "--format=%B", commit]);
    let run = Run::fed(sandbox.git_command(["interpret-trailers", "--parse"]), message).exits(0);
    run.stdout.lines().map(str::to_owned).collect()
}

fn with_drift() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file(
        "shelf.py",
        "def shelf(books):\n    # the books of the shelf\n    n = 0\n    return books\n\nshelf(1)\n",
    );
    sandbox.commit("shelf");
    sandbox
}

/// Two edits: one matches exactly, one has a typo in a kept line.
fn answer() -> String {
    [
        patch("shelf.py", "Call it twice", "shelf(1)\n", "shelf(1)\nshelf(2)\n"),
        patch(
            "shelf.py",
            "Sort it.\n\nSigned-off-by: Someone Else <e@example.com>\nLLM-Apply-Match: exact at line 1",
            "def shelf(books):\n    # the boks of the shelf\n    n = 0\n    return books\n",
            "def shelf(books):\n    # the boks of the shelf\n    n = 0\n    return sorted(books)\n",
        ),
        create("new.txt", "Add a file", "new\n"),
    ]
    .concat()
}

#[test]
fn git_reads_them_and_none_that_a_reason_forges() {
    let sandbox = with_drift();
    sandbox.apply(["-q", "--trailers"], &answer()).exits(0);
    let [id, first @ ..] = &trailers(&sandbox, "HEAD~2")[..] else { panic!("no trailers") };
    assert!(id.starts_with("LLM-Apply-Id: "), "{id}");
    assert_eq!(first, ["LLM-Apply-Edit: 1 of 3 (opx) in response.txt", "LLM-Apply-Match: exact at line 6"]);
    let mut second = trailers(&sandbox, "HEAD~1");
    assert_eq!(&second.remove(0), id, "all are of one landing");
    assert_eq!(second[0], "LLM-Apply-Edit: 2 of 3 (opx) in response.txt");
    assert!(
        second[1].starts_with("LLM-Apply-Match: similar 9") && second[1].ends_with("% at line 1"),
        "{second:?}"
    );
    assert_eq!(second.len(), 2, "what the reason says is no trailer: {second:?}");
    let body = sandbox.git(["log", "-1", "--format=%b", "HEAD~1"]);
    assert!(body.contains("    Signed-off-by: Someone Else"), "but it is still there: {body}");
    assert_eq!(trailers(&sandbox, "HEAD"), [id, "LLM-Apply-Edit: 3 of 3 (opx) in response.txt"]);
    assert_eq!(sandbox.subjects("HEAD~3..")[1], "Sort it");
    sandbox.is_sound();
}

#[test]
fn they_are_off_unless_asked_for() {
    let sandbox = with_drift();
    sandbox.apply(["-q"], &answer()).exits(0);
    assert!(trailers(&sandbox, "HEAD~2").is_empty() && trailers(&sandbox, "HEAD~1").is_empty());
    let sandbox = with_drift();
    sandbox.git(["config", "llmapply.trailers", "true"]);
    sandbox.apply(["-q"], &answer()).exits(0);
    assert_eq!(trailers(&sandbox, "HEAD").len(), 2);
    sandbox.apply(["-q", "--no-trailers"], &create("other", "w", "x\n")).exits(0);
    assert!(trailers(&sandbox, "HEAD").is_empty());
}

#[test]
fn one_commit_of_several_edits_has_those_of_each_beside_the_users_own() {
    let sandbox = with_drift();
    let message = "Tidy the shelf\n\nReviewed-by: R E Viewer <r@example.com>";
    sandbox.apply(["-q", "--trailers", "--commit=response", "-m", message], &answer()).exits(0);
    let found = trailers(&sandbox, "HEAD");
    let names: Vec<_> = found.iter().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(
        names,
        [
            "Reviewed-by",
            "LLM-Apply-Id",
            "LLM-Apply-Edit",
            "LLM-Apply-Match",
            "LLM-Apply-Edit",
            "LLM-Apply-Match",
            "LLM-Apply-Edit"
        ]
    );
}

#[test]
fn tier_and_figure_stand_in_the_report_and_in_json_too() {
    let sandbox = with_drift();
    let text = sandbox.apply(["-n"], &answer()).exits(0).stdout;
    let lines: Vec<_> = text.lines().collect();
    assert!(!lines[0].contains('['), "exact goes without saying: {text}");
    assert!(lines[1].contains("[similar 9") && lines[1].contains("%]"), "{text}");
    let verbose = sandbox.apply(["-n", "-v"], &answer()).exits(0).stdout;
    assert!(
        verbose.contains("found at line 6: exact") && verbose.contains("found at line 1: similar 9"),
        "{verbose}"
    );
    let json = sandbox.apply(["-n", "--json"], &answer()).exits(0).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        json["edits"][0]["matches"][0],
        serde_json::json!({"tier": "exact", "similarity": null, "line": 6})
    );
    let similar = &json["edits"][1]["matches"][0];
    assert_eq!(similar["tier"], "similar");
    assert!(similar["similarity"].as_u64().is_some_and(|percent| percent > 90 && percent < 100), "{similar}");
}
