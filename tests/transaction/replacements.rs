//! Objects that replace others, and commits with other parents than their own, compared with git.
use crate::sandbox;

use sandbox::{Sandbox, create, five, same};

/// Creates a repository in which HEAD is replaced by a commit with another README and one more file. The replacement is
/// checked out.
fn replaced() -> Sandbox {
    let sandbox = Sandbox::new();
    let original = sandbox.head();
    sandbox.git(["checkout", "-q", "--detach"]);
    sandbox.file("README", "hello\nbetter\n");
    sandbox.file("more", "more\n");
    sandbox.git(["add", "-A"]);
    sandbox.git(["commit", "-q", "--amend", "-m", "base, but better"]);
    let better = sandbox.head();
    sandbox.git(["replace", &original, &better]);
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.git(["reset", "-q", "--hard"]);
    assert_eq!(sandbox.head(), original);
    assert_eq!((sandbox.text("README").as_str(), sandbox.status().as_str()), ("hello\nbetter\n", ""));
    sandbox
}

fn response() -> String {
    sandbox::patch("README", "Edit", "better\n", "best\n") + &create("new", "Add", "new\n")
}

/// Lands, and checks that only what should change has changed, as git sees it.
#[track_caller]
fn lands(sandbox: &Sandbox, options: &[&str]) {
    let base = sandbox.head();
    sandbox.apply(options, &response()).exits(0);
    assert_eq!(sandbox.git(["diff", "--name-status", &base, "HEAD"]), "M\tREADME\nA\tnew");
    assert_eq!(sandbox.text("README"), "hello\nbest\n");
    assert_eq!(sandbox.status(), "");
    sandbox.git(["fsck", "--strict"]);
    assert_eq!(sandbox.git(["rev-parse", "HEAD~2"]), base);
}

#[test]
fn a_replaced_commit_is_built_on_as_git_sees_it() {
    lands(&replaced(), &[]);
    let sandbox = replaced();
    sandbox.git(["pack-refs", "--all"]);
    lands(&sandbox, &[]);
    // A replacement that is itself replaced.
    let sandbox = replaced();
    let better = sandbox.git(["rev-parse", "HEAD^{commit}"]);
    let better = sandbox.git(["rev-parse", &format!("refs/replace/{better}")]);
    let best = sandbox.git(["commit-tree", "-m", "best", &format!("{better}^{{tree}}")]);
    sandbox.git(["replace", &better, &best]);
    lands(&sandbox, &[]);
    // With another name for replacements.
    let mut sandbox = replaced();
    let head = sandbox.head();
    let by = sandbox.git(["rev-parse", &format!("refs/replace/{head}")]);
    sandbox.git(["update-ref", &format!("refs/mine/{head}"), &by]);
    sandbox.git(["replace", "-d", &head]);
    sandbox.set("GIT_REPLACE_REF_BASE", "refs/mine/");
    lands(&sandbox, &[]);
    // On another branch, and as the base that the model was shown.
    let sandbox = replaced();
    let base = sandbox.head();
    sandbox.apply(["-b", "side"], &response()).exits(0);
    assert_eq!(sandbox.git(["diff", "--name-status", "main", "side"]), "M\tREADME\nA\tnew");
    sandbox.file("later", "x\n");
    sandbox.commit("later");
    sandbox.apply(["--base", &base], &response()).exits(0);
    assert_eq!(sandbox.git(["diff", "--name-status", &base, "HEAD"]), "M\tREADME\nA\tlater\nA\tnew");
    assert_eq!(sandbox.status(), "");
}

#[test]
fn replacements_that_git_is_told_to_pass_over_are_passed_over() {
    let original = |sandbox: &Sandbox| {
        sandbox.git(["reset", "-q", "--hard"]);
        assert_eq!(sandbox.text("README"), "hello\n");
        sandbox.apply([""; 0], &five()).exits(0);
        assert_eq!(sandbox.status(), "");
        assert_eq!(sandbox.text("README"), "hello world\n");
    };
    let mut sandbox = replaced();
    sandbox.set("GIT_NO_REPLACE_OBJECTS", "1");
    original(&sandbox);
    let sandbox = replaced();
    sandbox.git(["config", "core.useReplaceRefs", "false"]);
    original(&sandbox);
    let mut sandbox = replaced();
    sandbox.set("GIT_CONFIG_PARAMETERS", "'core.usereplacerefs'='false'");
    original(&sandbox);
}

#[test]
fn a_replaced_file_or_tree_is_refused_by_name() {
    for (object, kind) in [("HEAD:README", "blob"), ("HEAD:src", "tree")] {
        let sandbox = Sandbox::new();
        let replaced = sandbox.git(["rev-parse", object]);
        let by = match kind {
            "blob" => sandbox.git(["rev-parse", "HEAD:gone.txt"]),
            _ => sandbox.git(["rev-parse", "HEAD^{tree}"]),
        };
        sandbox.git(["replace", &replaced, &by]);
        let before = sandbox.listing();
        let said = format!("the {kind} {replaced} is replaced");
        sandbox
            .apply([""; 0], &create("new", "w", "x\n"))
            .exits(128)
            .says(&said)
            .says("hint: 'git replace -d");
        same(object, &before, &sandbox.listing());
        sandbox.git(["replace", "-d", &replaced]);
        sandbox.apply([""; 0], &create("new", "w", "x\n")).exits(0);
    }
}

#[test]
fn revisions_are_named_along_the_parents_that_git_sees() {
    for how in ["replaced", "grafted"] {
        let sandbox = Sandbox::new();
        let first = sandbox.head();
        sandbox.file("README", "hello\nsecond\n");
        sandbox.commit("second");
        sandbox.file("third", "x\n");
        let third = sandbox.commit("third");
        // The second commit is no longer the parent of the third.
        match how {
            "replaced" => drop(sandbox.git(["replace", "--graft", &third, &first])),
            _ => sandbox.file(".git/info/grafts", format!("{third} {first}\n")),
        }
        sandbox.apply(["-b", "side", "--base", "HEAD~1"], &create("new", "w", "x\n")).exits(0);
        assert_eq!(sandbox.git(["rev-parse", "side~1"]), first, "{how}");
        sandbox.apply(["--base", "nowhere"], &five()).exits(128).says("'nowhere' is not a commit");
        sandbox.apply(["--base=--all"], &five()).exits(128).says("'--all' is not a commit");
        // What lands on the third commit has the third commit's files.
        sandbox.apply([""; 0], &create("new", "w", "x\n")).exits(0);
        assert_eq!(sandbox.git(["diff", "--name-status", &third, "HEAD"]), "A\tnew", "{how}");
        assert_eq!(sandbox.status(), "", "{how}");
    }
}

#[test]
fn so_it_is_in_other_kinds_of_repository() {
    sandbox::kinds::in_others(&[
        a_replaced_commit_is_built_on_as_git_sees_it,
        replacements_that_git_is_told_to_pass_over_are_passed_over,
        a_replaced_file_or_tree_is_refused_by_name,
        revisions_are_named_along_the_parents_that_git_sees,
    ]);
}
