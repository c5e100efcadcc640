//! `--no-ff`: the commits of a landing under one merge commit.

use super::*;

fn is_one(sandbox: &Sandbox, base: &str, branch: &str, edits: usize) {
    let parents = sandbox.git(["log", "-1", "--format=%P", branch]);
    let (first, second) = parents.split_once(' ').unwrap();
    assert_eq!(first, base);
    assert_eq!(sandbox.git(["rev-list", "--count", &format!("{base}..{second}")]), edits.to_string());
    assert_eq!(
        sandbox.git(["log", "--first-parent", "--format=%H", &format!("{base}..{branch}")]).lines().count(),
        1
    );
    assert_eq!(
        sandbox.git(["rev-parse", &format!("{branch}^{{tree}}")]),
        sandbox.git(["rev-parse", &format!("{second}^{{tree}}")])
    );
}

fn everywhere() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let run = sandbox.apply(["--no-ff"], &five()).exits(0);
    is_one(&sandbox, &base, "HEAD", 5);
    assert_eq!(sandbox.subjects("HEAD~.."), sandbox.subjects("HEAD^2~5..HEAD"));
    assert_eq!(sandbox.git(["log", "-1", "--format=%s"]), "Apply 5 edits from response.txt");
    assert!(message(&sandbox, "HEAD").contains("- Greet the world"), "{}", message(&sandbox, "HEAD"));
    assert!(run.stdout.contains("5 commits and a merge"), "{}", run.stdout);
    assert!(run.stdout.contains("git revert --no-edit -m 1 "), "{}", run.stdout);
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
    // One revert takes everything back.
    sandbox.git(["revert", "--no-edit", "-m", "1", "HEAD"]);
    assert_eq!(
        sandbox.git(["rev-parse", "HEAD^{tree}"]),
        sandbox.git(["rev-parse", &format!("{base}^{{tree}}")])
    );

    // On a new branch, and on an existing one.
    let here = sandbox.head();
    sandbox.apply(["-q", "--no-ff", "-b", "new"], &five()).exits(0);
    is_one(&sandbox, &here, "new", 5);
    let there = sandbox.git(["rev-parse", "new"]);
    sandbox.apply(["-q", "--no-ff", "-b", "new"], &create("x", "Add x", "x\n")).exits(0);
    is_one(&sandbox, &there, "new", 1);
    assert_eq!(sandbox.head(), here);
    sandbox.is_sound();
}

#[test]
fn under_one_commit_it_lands_as_one() {
    everywhere();
    kinds::in_others(&[everywhere]);
}

#[test]
fn in_linked_and_bare_repositories() {
    let sandbox = Sandbox::new();
    let base = sandbox.head();
    let linked = sandbox.root().join("linked");
    sandbox.git(["worktree", "add", "-q", linked.to_str().unwrap()]);
    let file = sandbox.response(&five());
    Run::of(sandbox.command(["-q", "--no-ff"]).arg(&file).current_dir(&linked).output().unwrap()).exits(0);
    is_one(&sandbox, &base, "linked", 5);
    let bare = sandbox.root().join("bare");
    sandbox.git(["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    Run::of(sandbox.command(["-q", "--no-ff"]).arg(&file).current_dir(&bare).output().unwrap()).exits(0);
    sandbox.git(["fetch", "-q", bare.to_str().unwrap(), "main"]);
    is_one(&sandbox, &base, "FETCH_HEAD", 5);
}

#[test]
fn its_message_is_the_users_and_the_edits_keep_theirs() {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "llmapply.ff", "false"]);
    let json = sandbox.apply(["--json", "-m", "All of it", "-s"], &five()).exits(0).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["branch"]["merge"], true);
    assert_eq!(json["branch"]["new"].as_str(), Some(sandbox.head().as_str()));
    let subjects = sandbox.subjects("HEAD~..");
    assert_eq!(subjects.last().map(String::as_str), Some("All of it"));
    assert_eq!(subjects[0], "Rename b to beta");
    assert_eq!(trailers(&sandbox, "HEAD").len(), 1);
    let base = sandbox.head();
    sandbox.apply(["-q", "--ff"], &create("x", "Add x", "x\n")).exits(0);
    assert_eq!(sandbox.git(["log", "-1", "--format=%P %s"]), format!("{base} Add x"));
}

#[test]
fn without_a_commit_to_merge_onto_it_is_refused() {
    let sandbox = Sandbox::unborn();
    let before = sandbox.listing();
    let answer = create("a", "Begin", "one\n");
    for dry in ["--dry-run", "--no-dry-run"] {
        let run = sandbox.apply(["--no-ff", "--no-keep", dry], &answer).exits(128);
        let _ =
            run.says("main has no commits yet, so there is nothing to merge onto").says("without --no-ff");
    }
    sandbox::same("unborn", &before, &sandbox.listing());
    sandbox.apply(["-q"], &answer).exits(0);
    // A second run changes nothing.
    let head = sandbox.head();
    sandbox.apply(["-q", "--no-ff"], &answer).exits(0);
    assert_eq!(sandbox.head(), head);
}
